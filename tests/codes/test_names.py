"""Names and labels as text."""

from __future__ import annotations

import inspect
import json
import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import capstats
from capstats import average_cap, laws
from capstats.codes import names
from capstats.codes.labels import MISSING
from capstats.codes.names import hint, hint_of_data, in_cell, listed, named, printable, printable_json, shortened
from capstats.tables.axes import RESERVED, free_name

RESULTS = {
    "key_summary": lambda t: capstats.disclosure.key_summary(t.o, t.s),
    "exclude": lambda t: capstats.disclosure.exclude(t, above=1),
    "one_way_check": lambda t: capstats.disclosure.one_way_check(t.o, t.s, records=0),
    "two_way_check": lambda t: capstats.disclosure.two_way_check(t.o, t.s, records=0),
    "cap_influence": lambda t: capstats.screening.cap_influence(t.o, t.s),
    "cap_boxplot": lambda t: capstats.cap_boxplot(t.o, t.s),
    "individual_cap": lambda t: capstats.individual_cap(t.o, t.s).to_dataset(),
    "nearest_distance": lambda t: capstats.cap.nearest_distance(t.o, t.s).to_dataset(),
    "minimal_cells": lambda t: capstats.laws.minimal_cells(t.o).to_dataset(),
    "suda_scores": lambda t: capstats.population.suda_scores(t.o),
    "dis_suda": lambda t: capstats.population.dis_suda(t.o, sampling_fraction=0.1),
    "prosecutor_risk": lambda t: capstats.anonymity.prosecutor_risk(t.o).to_dataset(),
    "individual_risk": lambda t: capstats.population.individual_risk(xr.Dataset({"o": t.o, "o_records": t.o})).to_dataset(),
}


def tables(first: str, second: str) -> xr.Dataset:
    """A key and a target column by these names, and one more of each."""
    records = {first: [1, 1, 2], "b": [1, 2, 2], second: [1, 2, 1], "d": [1, 1, 2]}
    return capstats.tabulate(records, {name: x[::-1] for name, x in records.items()}, keys=[first, "b"], target=[second, "d"])


@pytest.mark.parametrize("result", RESULTS)
def test_the_variables_of_a_result_have_reserved_names(result: str) -> None:
    found = RESULTS[result](tables("a", "c"))
    assert {"key", "target"} & set(found.dims)
    assert set(map(str, found.variables)) - {"a", "b", "c", "d"} <= RESERVED


@pytest.mark.parametrize("result", RESULTS)
def test_a_column_by_the_name_of_a_variable_leaves_it_as_it_is(result: str) -> None:
    plain = RESULTS[result](tables("a", "c"))
    for name in plain.data_vars:
        for columns in ((name, "c"), ("a", name)):
            np.testing.assert_array_equal(RESULTS[result](tables(*columns))[name].values, plain[name].values)


def test_a_key_column_called_records_changes_no_number_of_synthpop() -> None:
    records = {"records": [7, 7, 9, 9, 9], "b": [1, 2, 2, 1, 1], "t": list("xyxyx")}
    synthetic = {name: x[::-1] for name, x in records.items()}
    plain = [{("a" if name == "records" else name): x for name, x in table.items()} for table in (records, synthetic)]
    found = capstats.peers.as_synthpop(capstats.tabulate(records, synthetic, keys=["records", "b"], target="t"))
    assert repr(found) == repr(capstats.peers.as_synthpop(capstats.tabulate(*plain, keys=["a", "b"], target="t")))


@pytest.mark.parametrize(
    ("column", "taken", "stored"),
    [
        ("sex", [], "sex"),
        ("sex", ["sex"], "sex_"),
        ("o", ["o_", "o__"], "o___"),
        (1, [], "1_"),
        (1, ["1_"], "1__"),
        ("", [], "_"),
        (None, [], "None_"),
        (("a", 1), [], "('a', 1)_"),
    ],
)
def test_a_stored_name_is_a_text_that_is_free(column: Any, taken: list[Any], stored: str) -> None:
    assert free_name(column, taken) == stored
    assert free_name("key", []) == "key__"  # that of keys without labels has one
    assert [free_name(name, []) for name in RESERVED - {"key"}] == [f"{name}_" for name in RESERVED - {"key"}]


def test_an_unknown_name_is_told_the_nearest_or_all() -> None:
    assert hint("incom", ["sex", "income"]) == " Did you mean 'income'?"
    assert hint("xyz", ["sex", 1]) == " It has 'sex', 1."
    assert hint("1", [0, 1]) == " Did you mean 1?"
    assert hint("SEX", ["sex", "inc"]) == " Did you mean 'sex'?"
    assert hint("xyz", [f"c{i}" for i in range(30)]).endswith("'c19', ....")
    assert hint("xyz", []) == " It has none."


def test_of_names_that_may_be_values_only_a_near_one_is_shown() -> None:
    """Without a line of names, the first record of a file is taken for one."""
    record = ["Anna Muster", "1961-04-02", "HIV", "Geneva", "incone"]
    assert hint_of_data("income", record) == " Did you mean 'incone'?"
    assert "None of its 2 columns" in hint_of_data("foo", ["age", "sex", "age", "sex"])  # of two tables
    for asked in ("gender", "birth", "disease", "anna", "HIV status"):  # "gender" and "Geneva" have four letters in common
        told = hint_of_data(asked, record)
        assert told == " None of its 5 columns has a similar name; in a file without a line of names, the first record is taken for one."
    for asked, name in (("sxe", "sex"), ("kk", "k"), ("ag", "age"), ("SEX", "sex"), ("education_levl", "education level")):
        assert hint_of_data(asked, [*record, name]) == f" Did you mean {name!r}?"
    assert hint_of_data("disease", ["HIV"], "level") == " Its only level does not have a similar name."
    assert hint_of_data("sex", []) == " It has none."


# --- printable text --------------------------------------------------------------------------------------------------


@given(st.text(st.characters()))
def test_whatever_the_text_the_result_is_printable(text):
    assert printable(text).isprintable()
    assert named(text).isprintable()
    assert in_cell(text).isprintable()


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_what_is_printable_stays_as_it_is(text):
    assert printable(text) == text


def test_escapes_are_those_of_python():
    assert printable("a\x1b[31mb\nc\u202ed\x9b\udcff\xa0") == r"a\x1b[31mb\nc\u202ed\x9b\udcff\xa0"


def test_names_whose_ends_cannot_be_seen_are_quoted():
    plain, quoted = ["age", "Größe_2", "a.csv"], ["a, b", "age group", "", " a", "it's"]
    assert [named(x) for x in plain] == plain
    assert [named(x) for x in quoted] == list(map(repr, quoted))
    assert [in_cell(x) for x in ("a b", "South ", "", 1)] == ["a b", "'South '", "''", "1"]  # only where spaces hide
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


@given(st.text(), st.integers(6, 40))
def test_shortened_text_keeps_its_ends(text, width):
    short = shortened(text, width)
    assert len(short) <= max(width, 6)
    assert short == text or (short[0] == text[0] and short[-1] == text[-1] and "..." in short)


@given(st.dictionaries(st.text(st.characters()), st.text(st.characters())))
def test_json_is_printable_and_reads_back_as_it_was(told):
    text = printable_json(told)
    assert all(line.isprintable() for line in text.split("\n"))
    assert json.loads(text) == told


# --- arguments --------------------------------------------------------------------------------------------------------

SMALL = [[1, 2], [3, 4]]
TABLES = capstats.from_counts(SMALL, SMALL)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_cap(SMALL, SMALL, version=2), r'no argument `version`\. Give unmatched=: "zero" is version 1, "drop" is ver'),
        (lambda: average_cap(SMALL, SMALL, normalize=True), r"no argument `normalize`\. Give capstats\.cap\.normalized_cap\."),
        (lambda: average_cap(SMALL, SMALL, unmached="drop"), r"no argument `unmached`\. Did you mean 'unmatched'\?"),
        (lambda: average_cap(SMALL, SMALL, colour=1), r"no argument `colour`\. It takes o, s, unmatched, radius, within\."),
        (
            lambda: capstats.average_cap_interval(SMALL, SMALL, o_squares=SMALL),
            r"`o_squares`\. Give the Dataset of tabulate as the first",
        ),
        (lambda: capstats.average_cap_interval(SMALL, SMALL, confidence=0.9), r"`confidence`\. Give level=\."),
        (lambda: laws.Bootstrap(n=10), r"Bootstrap\(\) has no argument `n`\. Give m=, the number of records of a release\."),
        (lambda: laws.Dirichlet(3, alfa=1), r"Dirichlet\(\) has no argument `alfa`\. Did you mean 'alpha'\?"),
        (lambda: laws.sample_tables(SMALL, laws.Uniform(3), draws=2, seed=1), r"`seed`\. Give rng=, a seed or a numpy Gen"),
        (lambda: capstats.anonymity.k_anonymity(table=SMALL), r"k_anonymity\(\) has no argument `table`\. Give o=, or a Dataset"),
        (lambda: capstats.disclosure.disco(SMALL, synthetic=SMALL), r"disco\(\) has no argument `synthetic`\. Give s=, or a Dataset"),
        (lambda: capstats.screening.sweep({}, target="a"), r"sweep\(\) has no argument `target`\. Did you mean 'targets'\?"),
        (lambda: capstats.audit({}, targets="a"), r"audit\(\) has no argument `targets`\. Did you mean 'target'\?"),
        (lambda: capstats.audit({}, seed=1), r"audit\(\) has no argument `seed`\. It takes original, synthetic, keys, .*, progress\."),
        (lambda: capstats.disclosure.record_risk({}, n=5), r"record_risk\(\) has no argument `n`\. It takes .* top, .* null_values"),
        (lambda: capstats.baseline_cap(SMALL, "modal"), r"takes .* `s`; got 'modal'\. Give others by name: kind=, within=\."),
        (lambda: capstats.cap_quantiles(TABLES, [0.5]), r"got list of length 1\. The Dataset brings its own tables\. .* q=, unmatched="),
        (lambda: capstats.cap_ecdf(TABLES, 0.5), r"got 0\.5\. The Dataset .* at=, unmatched=, within=\."),
        (lambda: laws.permutation_test(TABLES, np.ones(3)), r"got ndarray of length 3\. The Dataset .* draws=, level=, rng=\."),
        (lambda: capstats.maximum_cap(SMALL, 10), r"takes 1 argument by position; got 2\. Give others by name: unmatched=, m=\."),
        (lambda: laws.Swap(10), r"Swap\(\) takes 0 arguments by position; got 1\. Give others by name: records=\."),  # type: ignore[misc]
        (lambda: capstats.anonymity.k_anonymity(SMALL, 5), r"k_anonymity\(\) takes 1 argument by position; got 2\.$"),
    ],
)
def test_a_wrong_argument_is_answered_with_the_right_one(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("s", [SMALL, np.array(SMALL), None, "s"])
def test_a_table_may_follow_a_dataset(s: Any) -> None:
    assert average_cap(TABLES, TABLES[s] if isinstance(s, str) else s).item() == average_cap(SMALL, SMALL).item()


def test_functions_that_name_arguments_are_those_of_their_modules_and_can_be_pickled() -> None:
    for function in (capstats.average_cap, capstats.tabulate, capstats.laws.cap_law, capstats.laws.sample_tables):
        assert pickle.loads(pickle.dumps(function)) is function
        assert getattr(import_module(function.__module__), function.__name__) is function
    assert pickle.loads(pickle.dumps(capstats.laws.Bootstrap(3))).m == 3
    assert str(inspect.signature(capstats.cap.nearest_distance)) == "(o: 'Counts', s: 'Release' = None) -> 'xr.DataArray'"


def test_a_label_in_a_table_is_cut_in_its_middle() -> None:
    assert in_cell("abcdefghij", 7) == shortened("abcdefghij", 7) == "ab...ij"
    assert shortened("abcdefg", 7) == "abcdefg"
    assert in_cell("abcdefghij", 10) == in_cell("abcdefghij") == "abcdefghij"


def test_a_text_that_reads_like_a_missing_value_is_in_quotes() -> None:
    assert [in_cell("missing"), in_cell(MISSING), in_cell("missing "), in_cell("a")] == ["'missing'", "missing", "'missing '", "a"]
    people = {"k": ["missing", None, None], "t": [*"xxy"]}
    with pytest.warns(capstats.LevelsWarning, match=r"such as missing and 'missing'|a missing value written as text or code"):
        tables = capstats.tabulate(people, people, keys="k", target="t")
    found = capstats.by_group(average_cap, tables, by="k")
    assert found.group.values.tolist() == ["everybody", "k = 'missing'", "k = missing"]
    assert found.average_cap.values.tolist() == [2 / 3, 1, 0.5]


@pytest.mark.parametrize(
    ("a", "b", "one"),
    [("sax", "sex", True), ("se", "sex", True), ("esx", "sex", True), ("Sexx", "sex", True), ("sixe", "sex", False), ("exs", "sex", False)],
)
def test_one_slip_is_a_letter_too_few_too_many_another_one_or_two_exchanged(a: str, b: str, one: bool) -> None:
    assert names._one_slip(a, b) == one
