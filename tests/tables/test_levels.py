"""The tables must be about the same things, and the user must see it."""

from __future__ import annotations

import ast
import datetime as dt
import re
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import capstats
from capstats import MISSING, LevelsWarning, attacks, average_cap, compare_levels, disclosure, from_counts, population, tabulate
from capstats.sdmetrics import DisclosureProtection
from capstats.tables import levels
from capstats.tables.dataset import copies_known

ORIGINAL = {"region": ["South"] * 12 + ["North"] * 8, "t": [0, 1] * 10}


def tabulated(original: Any, synthetic: Any, **options: Any) -> Any:
    """The tables, whatever is warned of."""
    with warnings.catch_warnings(action="ignore", category=LevelsWarning):
        return tabulate(original, synthetic, **{"keys": "region", "target": "t", **options})


def respelled(**labels: str) -> dict[str, list[Any]]:
    return {**ORIGINAL, "region": [labels.get(x, x) for x in ORIGINAL["region"]]}


def test_a_column_without_a_common_level_is_warned_of_with_its_cause_and_remedy() -> None:
    numbers = {"age": ["40"] * 10 + ["41"] * 10, "t": ORIGINAL["t"]}
    floats = {"age": ["40.0"] * 10 + ["41.0"] * 10, "t": ORIGINAL["t"]}
    message = (
        "Column 'age' has no level in common in `original` (2 levels) and `synthetic` (2 levels), so no key can match. "
        "Likely cause: numbers written in another way, such as '40' and '40.0'. To correct it, say types={'age': 'number'} "
        "(--type age=number). For all levels see compare_levels."
    )
    with pytest.warns(LevelsWarning) as told:
        tables = tabulate(numbers, floats, keys="age", target="t")
    assert [str(x.message) for x in told] == [message]
    assert told[0].filename == __file__
    assert capstats.average_cap(tables.o, tables.s) == 0
    corrected = tabulate(numbers, floats, keys="age", target="t", types={"age": "number"})
    assert capstats.average_cap(corrected.o, corrected.s) == 0.5
    assert "levels" not in corrected.attrs


def test_a_target_without_a_common_level_says_that_no_guess_can_be_right() -> None:
    with pytest.warns(LevelsWarning, match=r"Column 't' has no level in common .* so no guess can be right"):
        tabulate(ORIGINAL, {**ORIGINAL, "t": [2, 3] * 10}, keys="region", target="t")


def test_levels_that_only_one_table_has_are_kept_and_warned_of_where_most_records_have_them() -> None:
    tables = tabulate(ORIGINAL, respelled(North="West"), keys="region", target="t")
    entry = {"role": "key", "kind": "text", "levels": [2, 2], "shared": 1, "missing": 0, "absent": 1, "absent_records": 8}
    entry |= {"foreign": 1, "foreign_records": 8, "records": 20, "single": 0.0, "likely": {}, "examples": [], "remedy": {}}
    assert tables.attrs["levels"] == {"region": {"synthetic": entry}}
    assert levels.mismatched(tables.attrs) == {}
    message = "'region' of `original` lacks the levels that 12 of the 20 records of `synthetic` have, so that these match nobody"
    with pytest.warns(LevelsWarning, match=message):
        tables = tabulate(ORIGINAL, respelled(South="West"), keys="region", target="t")
    assert levels.mismatched(tables.attrs) == {"region": ["synthetic"]}


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda x: x / 1000, {"pay": ["synthetic"]}),  # in another unit
        (lambda x: x + 7, {}),  # others of the same range
        (lambda x: x.astype(np.float32), {}),
    ],
)
def test_numbers_in_bins_match_where_whole_records_are_compared_and_they_are_of_one_range(write: Any, expected: Any) -> None:
    pay = np.random.default_rng(0).choice([1200, 2500, 4800, 26000, 81000], 60)
    original, release = ({"pay": of, "k": [*"ab"] * 30, "t": [*"xyz"] * 20} for of in (pay, write(pay)))
    tables = tabulated(original, release, keys=["k", "pay"], copy_columns=9, bins={"pay": 4})
    assert levels.mismatched({**tables.attrs, "copies": copies_known(tables)}) == expected


def test_a_missing_value_does_not_count_as_shared() -> None:
    o = {"region": ["a", None], "t": [0, 1]}
    with pytest.warns(LevelsWarning, match="no level in common"):
        tabulate(o, {"region": ["b", None], "t": [0, 1]}, keys="region", target="t")
    both = {"region": [None, None], "t": [0, 1]}
    assert "levels" not in tabulate(both, both, keys="region", target="t").attrs


def test_empty_text_that_meets_missing_is_named() -> None:
    o = {"region": ["a", "b", None], "t": [0, 1, 0]}
    s = {"region": ["a", "b", ""], "t": [0, 1, 0]}
    with pytest.warns(
        LevelsWarning, match=r"a missing value written as text or code\. To correct it, say null_values=\{'region': \[''\]\}"
    ):
        tabulate(o, s, keys="region", target="t")


CODED: dict[str, tuple[list[Any], Any]] = {
    "numbers": ([1, 2, 3, 4, None], -9),
    "fractions": ([1.5, 2.25, 3.5, 4.75, None], -9),
    "texts of numbers": (["1", "2", "3", "4", None], "-9"),
    "words": (["north", "south", "east", "west", None], "-9"),
    "dates": ([dt.date(2020, 1, day) for day in range(1, 5)] + [None], dt.date(9999, 12, 31)),
}
MEASURES: dict[str, Callable[..., Any]] = {
    "tabulate": lambda *tables: tabulate(*tables, keys="x", target="t"),
    "a target": lambda *tables: tabulate(*tables, keys="t", target="x"),
    "copies": lambda *tables: tabulate(*tables, keys="t", target="k", copy_columns=9),
    "record_risk": lambda *tables: disclosure.record_risk(*tables, keys="x", target="t", allow_same=True),
    "linkability": lambda *tables: population.linkability(*tables, a="x", b="t", allow_same=True),
    "maximum_knowledge": lambda *tables: attacks.maximum_knowledge(*tables, columns=["x", "t"], allow_same=True),
}


@pytest.mark.parametrize(("kind", "measure"), list(product(CODED, MEASURES)))
def test_a_code_in_place_of_the_missing_value_of_the_other_table_is_named(kind: str, measure: str) -> None:
    """Either way round, and where both have a missing value; not where both have the code alone."""
    levels, code = CODED[kind]
    missing, coded = ({"x": of * 12, "t": ([0] * 5 + [1] * 5) * 6, "k": [0, 1] * 30} for of in (levels, [*levels[:4], code]))
    both = {"x": [*missing["x"], code], "t": [*missing["t"], 0], "k": [*missing["k"], 0]}
    for tables in ((missing, coded), (coded, missing), (missing, both), (both, missing), (both, both)):
        with pytest.warns(LevelsWarning, match=r"a missing value written as text or code.*\(--null-values x=(-9|9999-12-31)\)"):
            MEASURES[measure](*tables)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        MEASURES[measure](coded, coded)
    assert not [str(x.message) for x in warned if "a missing value written as" in str(x.message)]


TWICE = {
    "case": (["East", "EAST", "West"], "change both tables: in Python table['x'] = table['x'].str.casefold()"),
    "thousands": (["1000", "1'000", "2000"], "change both tables, whose numbers have separators of thousands"),
    "decimal sign": (["0.5", "0,5", "1.5"], "change both tables: in Python table['x'] = table['x'].str.replace(\",\", \".\"), in R "),
    "truth": (["no", "yes", "0", "1"], "types={'x': 'bool'}"),
    "dates": (["2024-01-31", "2024-01-31T00:00:00Z"], "change both tables, so that dates are written as 2024-01-31: "),
    "words": (["NA", "n/a", "a"], "null_values={'x': ['NA', 'n/a']}"),
    "spans": (["10-19", "10.0-19.0"], "write numbers in one way"),
}


@pytest.mark.parametrize("kind", TWICE)
def test_levels_that_both_tables_have_in_two_spellings_are_named(kind: str) -> None:
    levels, remedy = TWICE[kind]
    both = {"x": levels * 12, "t": [0, 1] * (6 * len(levels)), "k": [*"aab"] * (4 * len(levels))}
    said = "'x' of `original` and `synthetic` has [12] pairs? of .* in two spellings, so .* may not"
    for measure in MEASURES.values():
        with pytest.warns(LevelsWarning, match=said) as told:
            measure(both, both)
        assert remedy in str(told[0].message)


UNLIKE = [
    ["E10", "E10.0"],
    ["01/02/2024", "02/01/2024"],
    ["a1", "a2"],
    ["1.000", "0.001"],
    [0.1, 0.10000000149011612],
    ["0.1", "0.10000000149011612"],
    [1, 2],
]


@pytest.mark.parametrize("levels", UNLIKE)
def test_codes_and_dates_that_may_be_two_levels_of_both_tables_are_not_named(levels: Any) -> None:
    both = {"x": levels * 12, "t": [0, 1] * 12, "k": [*"aab"] * 8}
    for measure in ("tabulate", "a target", "copies"):
        MEASURES[measure](both, both)


def test_pairs_of_levels_in_both_tables_are_among_the_compared_ones() -> None:
    both = {"x": ["East", "EAST", "West"], "t": [0, 1, 0]}
    with pytest.warns(LevelsWarning, match="'EAST'|case"):
        found = compare_levels(tabulate(both, both, keys="x", target="t"))
    assert found[found.cause != ""][["level", "o", "s", "resembles", "cause"]].values.tolist() == [
        ["EAST", 1, 1, "East", "case"],
        ["East", 1, 1, "EAST", "case"],
    ]


def test_codes_are_looked_for_in_columns_of_one_kind_alone() -> None:
    day, other = dt.date(2020, 1, 1), dt.date(9999, 12, 31)
    mixed, missing, known = (
        pd.DataFrame({"x": [1, day, last, 2.5] * 9, "t": np.random.default_rng(0).integers(0, 3, 36)}) for last in (other, None, 3)
    )
    found = [DisclosureProtection.compute(mixed, release, ["x"], ["t"]) for release in (missing, known, mixed)]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("codes", "python"),
    [
        ({"x": "."}, "{'x': ['.', '-9', 'NA']}"),
        (".", "{'*': ['.'], 'x': ['-9', 'NA']}"),
        ({"*": ".", "t": "7"}, "{'*': ['.'], 't': ['7'], 'x': ['-9', 'NA']}"),
    ],
)
def test_a_remedy_names_the_codes_that_were_given_beside_those_that_it_finds(codes: Any, python: str) -> None:
    """For one column, for all and for another one; what is pasted replaces the argument."""
    original, synthetic = ({"x": ["1", "4", "5", code, "."] * 12, "t": [*"01017"] * 12} for code in ("-9", "NA"))
    option = f"x={'.,' * ('x' in codes)}-9,NA"
    for measure in (tabulate, attacks.maximum_knowledge):
        names = {"keys": "x", "target": "t"} if measure is tabulate else {"columns": ["x", "t"]}
        with pytest.warns(LevelsWarning, match=re.escape(f"say null_values={python} (--null-values {option})")):
            measure(original, synthetic, null_values=codes, **names)
    again = tabulate(original, synthetic, keys="x", target="t", null_values=ast.literal_eval(python))
    assert (again.o == again.s).all()


def test_both_tables_are_changed_where_both_have_both_spellings() -> None:
    days = ["2024-01-31", "31.01.2024", "2024-02-29", "29.02.2024"]
    original, synthetic = ({"k": [*days, more] * 12, "t": [0, 1, 0, 1, 1] * 12} for more in ("2024-03-01", "2024-03-02"))
    with pytest.warns(LevelsWarning, match="change both tables, so that dates are written as 2024-01-31:"):
        tabulate(original, synthetic, keys="k", target="t")


def test_levels_in_two_spellings_are_taken_for_one_where_whole_records_are_compared_and_it_is_said() -> None:
    original = {"k": ["a", "b"] * 24, "t": [*"uvvu"] * 12, "c": ["Yes", "No", "Yes"] * 16}
    with pytest.warns(LevelsWarning, match="2 pairs of levels .* two spellings, which are taken for one where whole records are compared"):
        tables = tabulate(original, {**original, "c": [x.lower() for x in original["c"]]}, keys="k", target="t", copy_columns=3)
    assert tables.encoding["copies"]["releases"][0]["copied_records"] == 48


def test_a_code_among_whole_numbers_of_the_original_is_named_where_records_are_compared(tmp_path: Path) -> None:
    original = {"x": np.array([1, 4, 5, 99] * 12), "k": ["a", "b"] * 24, "t": ["u", "v", "v", "u"] * 12}
    (tmp_path / "s.csv").write_text("x,k,t\n" + "1,a,u\n4,b,v\n5,a,v\n,b,u\n" * 12)
    with pytest.warns(LevelsWarning, match=r"a missing value written as text or code.*\(--null-values x=99\)"):
        tables = tabulate(original, tmp_path / "s.csv", keys="k", target="t", copy_columns=3)
    assert tables.encoding["copies"]["releases"][0]["copied_records"] == 48


@pytest.mark.parametrize(
    ("original", "synthetic", "code"),
    [
        ([1, 4, 5, None], [1, 4, 5, -1], -1),  # too near to look like a code by itself
        (["1", "4", "5", None], ["1", "4", "5", "-8"], "-8"),
        (["a", "b", None], ["a", "b", "-99"], "-99"),
        (["1", "4", "5", "-9"], ["1", "4", "5", "NA"], "-9,NA"),
        ([1, -4, 5, None], [1, -4, 5, -1], None),
        ([1, 4, -1, None], [1, 4, -1, 5], None),
        ([1, 4, 5, None], [1, 4, 5, -10], None),
    ],
)
def test_the_only_negative_number_stands_for_the_missing_value_of_the_other_table(original: Any, synthetic: Any, code: Any) -> None:
    tables = [{"k": 12 * levels, "t": 12 * [*"abcd"][: len(levels)]} for levels in (original, synthetic)]
    with pytest.warns(LevelsWarning, match=f"--null-values k={code}") if code is not None else nullcontext():
        found = tabulate(*tables, keys="k", target="t", copy_columns=2)
    assert average_cap(found.o, found.s) < 1
    (copies,) = found.encoding["copies"]["releases"]
    assert (copies["copied_records"] == len(tables[0]["k"])) == (code is not None)
    if code is not None:
        again = tabulate(*tables, keys="k", target="t", null_values={"k": code if isinstance(code, int) else code.split(",")})
        assert average_cap(again.o, again.s) == 1


def test_numbers_with_many_levels_are_told_to_be_cut() -> None:
    rng = np.random.default_rng(1)
    o, s = ({"x": rng.normal(size=50), "t": [0, 1] * 25} for _ in range(2))
    with pytest.warns(LevelsWarning, match=r"Numbers with that many levels are rarely equal: cut them, as with bins=\{'x': 10\}"):
        tabulate(o, s, keys="x", target="t")
    tabulate(o, s, keys="x", target="t", bins={"x": 2})
    with pytest.warns(LevelsWarning, match=r"\(--bin x=10\), or let near guesses count, with `within` of average_cap"):
        tabulate(o, s, keys="t", target="x")


@pytest.mark.parametrize(
    ("original", "synthetic", "cut"),
    [
        (range(20), range(50, 70), False),
        (range(21), [50], True),
        ([50], range(21), True),
        ([f"a{i}" for i in range(21)], [f"b{i}" for i in range(21)], False),
    ],
)
def test_numbers_are_told_to_be_cut_where_one_table_has_more_than_twenty(original: list[Any], synthetic: list[Any], cut: bool) -> None:
    o, s = ({"x": list(x), "t": [0] * len(x)} for x in (original, synthetic))
    said = "Numbers with that many levels" if cut else "Check that the column means the same in both tables"
    with pytest.warns(LevelsWarning, match=f"so no key can match. {said}"):
        tabulate(o, s, keys="x", target="t")


def test_where_all_columns_share_levels_and_no_key_does_that_is_said() -> None:
    o = {"a": [0, 1], "b": [0, 1], "t": [0, 1]}
    s = {"a": [0, 1], "b": [1, 0], "t": [0, 1]}
    with pytest.warns(LevelsWarning, match="No key of `original` is in `synthetic`, although each column shares levels"):
        tables = tabulate(o, s, keys=["a", "b"], target="t")
    assert tables.attrs["unmatched_tables"] == ["synthetic"]


def test_a_call_warns_once_of_all_columns_and_tables() -> None:
    columns = [f"c{i}" for i in range(8)]
    o = {**{c: ["a", "b"] for c in columns}, "t": [0, 1]}
    s = {**{c: ["A", "B"] for c in columns}, "t": [0, 1]}
    with pytest.warns(LevelsWarning) as told:
        tabulate(o, {"x": s, "y": s}, keys=columns, target="t", holdout=s)
    (message,) = [str(x.message) for x in told]
    assert message.count("no level in common") == 5
    assert "19 more such findings" in message
    assert "`synthetic['x']`" in message


@pytest.mark.parametrize("n", [9, 10])
def test_a_level_is_shown_only_where_ten_records_hold_it_in_each_table(n: int) -> None:
    o = {"region": ["Zürich"] * n + ["a"] * 20, "t": [0] * (n + 20)}
    s = {"region": ["zürich"] * 30 + ["a"] * 20, "t": [0] * 50}
    with pytest.warns(LevelsWarning, match="Likely cause: case") as told:
        tables = tabulate(o, s, keys="region", target="t")
    assert ("Zürich" in str(told[0].message)) == ("Zürich" in str(tables.attrs)) == (n == 10)


def test_from_counts_the_drop_in_the_sweep_and_record_risk_warn_as_tabulate_does() -> None:
    lower = respelled(South="south", North="north")
    frames = pd.DataFrame(ORIGINAL), pd.DataFrame(lower)
    with pytest.warns(LevelsWarning, match="no level in common"):
        from_counts(pd.DataFrame([[1, 2]], columns=["a", "b"]), pd.DataFrame([[1, 2]], columns=["A", "B"]))
    with pytest.warns(LevelsWarning, match=r"'region' has no level in common in `real_data` .* and `synthetic_data`"):
        DisclosureProtection.compute(*frames, ["region"], ["t"])
    with pytest.warns(LevelsWarning, match="no level in common") as told:
        capstats.screening.sweep(ORIGINAL, lower, keys="region", targets="t")
    assert len(told) == 1
    with pytest.warns(LevelsWarning, match="no level in common"):
        capstats.disclosure.record_risk(*frames, keys="region", target="t")
    with pytest.warns(LevelsWarning, match="no level in common"):
        capstats.peers.disclosure_protection(*frames, keys="region", target="t")


def test_the_drop_in_names_numbers_that_meet_texts() -> None:
    real = pd.DataFrame({"k": [40, 41], "t": ["x", "y"]})
    with pytest.warns(LevelsWarning, match="text in one table and not in the other"):
        DisclosureProtection.compute(real, real.assign(k=["40", "41"]), ["k"], ["t"])


def test_compare_levels_lists_each_level_with_its_records_and_the_likely_cause() -> None:
    tables = tabulated(
        {"region": ["South", "South", "North", None], "t": [0, 1, 0, 0]},
        {"a": {"region": ["south", "North", "East", ""], "t": [0, 1, 0, 0]}, "b": {"region": ["North", "North"], "t": [0, 1]}},
        holdout={"region": ["South"], "t": [1]},
    )
    found = compare_levels(tables)
    assert list(found.columns) == ["column", "level", "o", "s['a']", "s['b']", "h", "resembles", "cause"]
    absent = "a missing value written as text or code"
    assert found[found.column == "region"].drop(columns="column").values.tolist() == [
        ["", 0, 1, 0, 0, None, absent],
        ["East", 0, 1, 0, 0, None, ""],
        ["North", 1, 1, 2, 0, None, ""],
        ["South", 2, 0, 0, 1, "south", "case"],
        ["south", 0, 1, 0, 0, "South", "case"],
        [None, 1, 0, 0, 0, "", absent],
    ]
    assert found[found.column == "t"][["level", "o", "h"]].values.tolist() == [[0, 3, 0], [1, 1, 1]]


LABELS = st.sampled_from(["a", "A", "b ", "b", "1", "1.0", "", None])


@given(
    st.lists(st.tuples(LABELS, st.integers(0, 1)), min_size=1, max_size=12),
    st.lists(st.tuples(LABELS, st.integers(0, 1)), min_size=1, max_size=12),
)
def test_what_is_said_of_levels_is_what_the_records_say(original: list[Any], synthetic: list[Any]) -> None:
    """Levels and records of the two tables, counted record by record."""
    frames = [{"region": [r for r, _ in rows], "t": [t for _, t in rows]} for rows in (original, synthetic)]
    for backing in ("dense", "sparse"):
        tables = tabulated(*frames, backing=backing)
        table = compare_levels(tables)
        for column in ("region", "t"):
            o, s = ([MISSING if x is None else x for x in frame[column]] for frame in frames)
            rows = table[table.column == column]
            told = [MISSING if x is None else x for x in rows.level]
            assert [(o.count(x), s.count(x)) for x in told] == list(zip(rows.o, rows.s, strict=True))
            assert set(told) == set(o) | set(s)
            entry = tables.attrs.get("levels", {}).get(column, {}).get("synthetic")
            texts = [x for x in set(o) & set(s) if isinstance(x, str)]
            twice = len({"1" if x == "1.0" else x.strip().casefold() for x in texts}) < len(texts)
            assert (entry is None) == (set(o) == set(s) and not twice and not {MISSING, ""} <= set(o))
            if entry is not None:
                assert entry["shared"] == len((set(o) & set(s)) - {MISSING})
                assert entry["absent_records"] == sum(x not in s for x in o)
                assert entry["foreign_records"] == sum(x not in o for x in s)


def test_only_the_levels_with_the_most_records_are_examined_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "EXAMINED", 1)
    tables = tabulated(ORIGINAL, respelled(South="south", North="north"))
    assert tables.attrs["levels"]["region"]["synthetic"]["likely"] == {"case": 1}


def test_levels_of_merged_and_widened_tables_are_those_of_the_whole() -> None:
    whole = tabulated(ORIGINAL, respelled(South="south"))
    parts = [tabulated({"region": [r], "t": [t]}, respelled(South="south")) for r, t in zip(*ORIGINAL.values(), strict=True)]
    merged = capstats.merge_counts(*parts, allow_same=True)
    assert merged.attrs["levels"]["region"]["synthetic"]["absent_records"] == 12
    assert capstats.full_domain(whole).attrs["levels"] == whole.attrs["levels"]


# --- messages show no value of few records ----------------------------------------------------------------------------


@pytest.mark.parametrize("door", ["mapping", "pandas", "csv"])
@pytest.mark.parametrize("option", [{"types": {"k": "number"}}, {"bins": {"k": 2}}, {"types": {"k": ["1", "2"]}}])
@pytest.mark.parametrize("n", [1, 10])
def test_a_value_that_does_not_parse_is_shown_only_where_ten_records_hold_it(
    door: str, option: dict[str, Any], n: int, tmp_path: Path
) -> None:
    records: Any = {"k": ["1", "2"] * 10 + ["secret"] * n, "t": [0] * (20 + n)}
    if door != "mapping":
        records = pd.DataFrame(records)
    if door == "csv":
        records.to_csv(tmp_path / "o.csv", index=False)
        records = tmp_path / "o.csv"
    with pytest.raises(ValueError, match="Column 'k' of `original`") as told:
        tabulate(records, keys="k", target="t", **option)
    shown = str(told.value) + str(told.value.__cause__) + str(told.value.__context__)
    assert ("secret" in shown) == (n == 10)


def test_a_column_of_two_kinds_is_refused_without_its_values() -> None:
    with pytest.raises(TypeError, match=re.escape("Column 'k' of `original` mixes kinds: number and text. Convert it to one kind")) as told:
        tabulate({"k": [1, "secret"], "t": [0, 1]}, keys="k", target="t")
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(("levels", "nothing"), [(["x "], True), (["x", "x "], False)])
def test_the_warning_says_whether_a_column_shares_no_level(levels, nothing):
    with pytest.warns(capstats.LevelsWarning) as caught:
        capstats.tabulate({"k": ["x"], "t": ["p"]}, {"k": levels, "t": ["p"] * len(levels)}, keys="k", target="t")
    assert [warning.message.nothing_shared for warning in caught] == [nothing]
