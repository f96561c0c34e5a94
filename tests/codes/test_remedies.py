"""Remedies of levels in two spellings: each is printed only if it was tried, and then makes them equal."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

from capstats import LevelsWarning, average_cap, tabulate
from capstats.codes.labels import MISSING, canonical
from capstats.codes.remedies import remedy_of, said
from capstats.codes.spellings import lookalikes


def found_for(original: list[Any], other: list[Any]) -> dict[str, Any]:
    original, other = (list(map(canonical, x)) for x in (original, other))
    twins = lookalikes(original, other)
    first = next(iter(twins.values()))[1]
    return remedy_of(first, [(a, b) for a, (b, cause) in twins.items() if cause == first], original, other)


@pytest.mark.parametrize(
    ("original", "other", "remedy"),
    [
        (["40", "41"], ["40.0", "41.0"], {"type": "number"}),
        (["40", "41", "few"], ["40.0", "41.0", "few"], {"recode": "numbers written in another way"}),  # a text does not parse
        (["40", "41", "NA"], ["40.0", "41.0", None], {"type": "number", "null_values": ["NA"]}),
        (["1,5", "2"], ["1.5", "2"], {"type": "number", "decimal": "original"}),
        (["1.5", "2"], ["1,5", "2"], {"type": "number", "decimal": "other"}),
        (["1,50", "2"], ["1,5", "2"], {"type": "number", "decimal": "both"}),
        (["1.000", "2.500"], ["1000", "2500"], {"separator": ".", "of": "original"}),  # and not 1
        ([1000, 2500], ["1,000", "2,500"], {"separator": ",", "of": "other"}),
        ([13005, 999], ["13\u2019005", "999"], {"separator": "\u2019", "of": "other"}),
        (["1200.5", "1000"], ["1.200,5", "1.000"], {"separator": ".", "of": "other"}),
        (["yes", "no"], ["True", "False"], {"type": "bool"}),
        (["2024-01-31"], ["2024-01-31 00:00:00"], {"type": "datetime"}),
        (
            ["2024-01-31"],
            ["31.01.2024"],
            {"recode": "dates written in another way", "of": "other", "form": ["%d.%m.%Y", "%Y-%m-%d"]},
        ),
        (
            ["2024-01-31 08:15:00"],
            ["31.01.2024 08:15:00"],
            {"recode": "dates written in another way", "of": "other", "form": ["%d.%m.%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S"]},
        ),
        (["31.01.2024 08:15"], ["01/31/2024 08:15"], {"recode": "dates written in another way", "time": True}),
        (["é"], ["Ã©"], {"recode": "text decoded with the wrong encoding", "of": "other"}),
        (["NA", "a"], [".", "a"], {"null_values": [".", "NA"]}),
        ([0.1, 0.5], ["0.10000000149011612", "0.5"], {"type": "number"}),  # then their precision differs
        (["South"], ["south"], {"recode": "case"}),
        (["a", "NA"], ["a", None], {"null_values": ["NA"]}),
        ([0.1, 0.7], [0.10000000149011612, 0.699999988079071], {"recode": "numbers of another precision", "decimals": 7}),
        ([dt.date(2024, 1, 31)], ["31.01.2024"], {}),
    ],
)
def test_a_remedy_is_what_makes_all_levels_equal(original: list[Any], other: list[Any], remedy: dict[str, Any]) -> None:
    if remedy:
        assert found_for(original, other) == remedy
    else:
        assert remedy_of("", [], original, other) == {}


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [("South", "south"), ("South", "\u200bSouth"), ("a  b", "a b "), ("<5 Kg", "< 5 kg"), ("caf\u00e9", "cafe\u0301"), ("A b", " a B")],
)
def test_the_line_of_python_makes_texts_equal(mine: str, theirs: str) -> None:
    line = said(found_for([mine], [theirs]), "k", "original", "synthetic").partition("in Python ")[2].partition(", in R")[0]
    changed = []
    for text in (mine, theirs):
        held = {"table": pd.DataFrame({"k": [text]})}
        exec(line, held)
        changed.append(held["table"]["k"].item())
    assert changed[0] == changed[1]


@pytest.mark.parametrize(("table", "name", "shown"), [("synthetic", "synthetic", "synthetic=,"), ("synthetic['a b']", "a b", "'a b=,'")])
def test_options_call_a_release_by_its_label(table: str, name: str, shown: str) -> None:
    text = said({"type": "number", "decimal": "other"}, "k", "original", table)
    assert f"decimal={{{name!r}: ','}}" in text
    assert f"--decimal {shown})" in text


def test_thousands_are_no_fractions() -> None:
    original, release = {"k": ["1.000", "2.500"] * 10, "t": ["a", "b"] * 10}, {"k": ["1000", "2500"] * 10, "t": ["a", "b"] * 10}
    with pytest.warns(LevelsWarning, match="change `original`, whose numbers have separators of thousands"):
        tables = tabulate(original, release, keys="k", target="t")
    assert average_cap(tables.o, tables.s) == 0
    with pytest.warns(LevelsWarning, match="separators of thousands that are read as decimals"):
        tabulate(original, release, keys="k", target="t", types={"k": "number"})
    assert MISSING not in tables.indexes["key"]


def test_a_decimal_comma_of_a_table_that_is_no_csv_file_is_replaced_by_a_line() -> None:
    original, release = {"k": ["0.5", "1.5"], "t": ["u", "v"]}, pd.DataFrame({"k": ["0,5", "1,5"], "t": ["u", "v"]})
    with pytest.warns(LevelsWarning, match="where it is no CSV file, ") as told:
        tabulate(original, release, keys="k", target="t")
    with pytest.raises(ValueError, match="Elsewhere, ") as error:
        tabulate(original, release, keys="k", target="t", types={"k": "number"})
    for text, before in ((str(told[0].message), "where it is no CSV file, "), (str(error.value), "Elsewhere, ")):
        held = {"table": release.copy()}
        exec(text.partition(before)[2].partition(" in Python")[0], held)
        tables = tabulate(original, held["table"], keys="k", target="t", types={"k": "number"})
        assert average_cap(tables.o, tables.s) == 1


def test_the_line_for_dates_keeps_their_times() -> None:
    mine, theirs = (pd.DataFrame({"k": [x]}) for x in ("2024-01-31 08:15:00", "31.01.2024 08:15"))
    line = said(found_for([mine.k.item()], [theirs.k.item()]), "k", "original", "synthetic")
    held = {"table": theirs, "pandas": pd}
    exec(line.partition("in Python ")[2].partition(" where the day")[0], held)
    assert held["table"].equals(mine)


@pytest.mark.parametrize(
    "texts",
    [
        ["2024/02/01", "2024/03/02"],  # which pandas would read as 2 January and 3 February, told that the day comes first
        ["01.02.2024", "2024-03-02"],  # two ways in one column, which pandas refuses to guess
        ["02/01/2024", "03/02/2024"],
        ["01FEB2024", "02MAR2024"],
        ["Feb 1, 2024", "Mar 2, 2024"],
        ["01.02.2024 00:00:00", "02.03.2024 00:00:00"],
        ["2024/02/01", None],
        ["2024-02-01T00:00:00+00:00", "2024-03-02"],
    ],
)
def test_the_line_for_dates_makes_them_those_of_the_original(texts: list[Any]) -> None:
    original = ["2024-02-01", "2024-03-02" if texts[1] else None]
    line = said(found_for(original, texts), "k", "original", "synthetic")
    assert "change `synthetic`, so that dates are written as 2024-01-31: in Python " in line
    held = {"table": pd.DataFrame({"k": texts}), "pandas": pd}
    exec(line.partition("in Python ")[2].partition(", in R")[0].partition(" where the ")[0], held)
    assert held["table"]["k"].tolist() == original or (held["table"]["k"].isna().tolist() == [False, True])


def test_the_line_of_r_that_drops_spaces_has_a_backslash_that_r_reads() -> None:
    line = said(found_for(["<5"], ["< 5"]), "k", "original", "synthetic").partition("in R ")[2]
    assert line == r"""table[["k"]] <- gsub("(*UCP)\\s+", "", table[["k"]], perl=TRUE)"""


@pytest.mark.parametrize(
    "numbers",
    [[0.1, 2.6], [1358024.679, 4567901.193], [i / 87500 for i in range(10, 20)], [i / 1000 for i in range(1, 5 * 10**9, 10**8 + 7)]],
)
def test_the_line_that_rounds_makes_numbers_of_32_bits_those_of_64_and_no_other_ones(numbers: list[float]) -> None:
    original, release = pd.DataFrame({"k": numbers}), pd.DataFrame({"k": np.array(numbers, np.float32)})
    of_release = release["k"].astype(float).tolist()
    line = said(found_for(numbers, of_release), "k", "original", "synthetic").partition("in Python ")[2]
    for table in (original, release):
        exec(line.partition(", in R")[0].partition("; or")[0], {"table": table})
    assert original["k"].tolist() == release["k"].tolist()
    assert original["k"].nunique() == len(set(of_release))


def test_the_line_for_a_wrong_encoding_leaves_texts_that_are_right() -> None:
    right = ["Genève", "Zürich", "ЖŁ", "plain", "what?"]
    wrong = [x.encode().decode("cp1252") for x in right[:2]]
    table = pd.DataFrame({"x": [*right, None, *wrong]})
    line = said(found_for(right[:1], wrong[:1]), "x", "original", "synthetic").partition("in Python ")[2]
    exec(line.partition(", in R ")[0], {"table": table})
    assert table["x"].fillna("").tolist() == [*right, "", *right[:2]]


@pytest.mark.parametrize(
    ("right", "spelled"),
    [
        (["École", "Zürich"], [x.encode().decode("latin-1") for x in ("École", "Zürich")]),
        (["a-b", "it's", "'c'"], ["a\u2013b", "it\u2019s", '"c"']),
        (["-1", "5 - 9"], ["\u22121", "5 \u2014 9"]),
    ],
)
def test_a_line_of_python_works_as_it_is_printed(right: list[str], spelled: list[str]) -> None:
    table = pd.DataFrame({"x": [*spelled, "plain", None]})
    line = said(found_for(right, spelled), "x", "original", "synthetic").partition("in Python ")[2]
    exec(line.partition(", in R ")[0], {"table": table})
    assert table["x"].fillna("").tolist() == [*right, "plain", ""]
