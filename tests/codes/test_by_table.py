"""What an option says of one table, of all releases and of all tables."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

import capstats
from capstats.codes.by_table import check_tables, key_of, of_arguments, of_table

TABLES = ["original", "synthetic['a']", "synthetic[1]", "holdout"]


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("encoding", None, [None] * 4),
        ("encoding", "cp1252", ["cp1252"] * 4),
        ("encoding", {"*": "cp1252", "a": "utf-8", "synthetic": "utf-16"}, ["cp1252", "utf-8", "utf-16", "cp1252"]),
        ("skip", {1: 2}, [0, 0, 2, 0]),
        ("decimal", {"holdout": ","}, [".", ".", ".", ","]),
        ("types", {"k": "text", "synthetic": {"k": "number"}, "a": {"j": "bool"}}, [
            {"k": "text"}, {"k": "number", "j": "bool"}, {"k": "number"}, {"k": "text"},
        ]),
        ("types", {"original": {"synthetic": "text"}, "synthetic": "number"}, [
            {"synthetic": "text"}, {"synthetic": "number"}, {"synthetic": "number"}, {"synthetic": "number"},
        ]),
        ("null_values", {"*": ["NA"], "original": {"*": "?", "k": -9}}, [{"*": "?", "k": -9}, *[{"*": ["NA"]}] * 3]),
        ("rename", {"original": {"A": "a"}, "*": {"B": "b"}}, [{"B": "b", "A": "a"}, *[{"B": "b"}] * 3]),
    ],
)  # fmt: skip
def test_what_is_said_of_fewer_tables_comes_first(option: str, value: Any, expected: list[Any]) -> None:
    assert [of_table(option, value, table) for table in TABLES] == expected


@pytest.mark.parametrize("option", ["encoding", "types", "null_values", "rename"])
def test_a_table_that_is_not_there_is_told_with_those_that_are(option: str) -> None:
    value: Any = {"holdut": {"a": "b"} if option != "encoding" else "utf-8"}
    message = f"`{option}` names 'holdut', which is no table; the tables are 'original', 'synthetic', 'a', 1, 'holdout'\\."
    with pytest.raises(ValueError, match=message):
        check_tables({option: value}, TABLES)
    check_tables({"types": {"holdut": "text"}, "encoding": "holdut"}, TABLES)  # a column, and a value
    check_tables({"encoding": {"non-members": "utf-8", "members": "utf-8"}}, ["members", "non_members"])


@pytest.mark.parametrize("of_one", [True, False])
@pytest.mark.parametrize(("option", "value"), [("skip", -1), ("skip", "2"), ("sheet", 3), ("rename", {"a": ["b"]})])
def test_a_value_of_another_type_is_wrong_for_all_tables_and_for_one(option: str, value: Any, of_one: bool) -> None:
    with pytest.raises((TypeError, ValueError), match=f"`{option}` must be"):
        check_tables({option: {"holdout": value} if of_one else value}, TABLES)


def test_a_label_that_no_caller_can_write_names_all_releases() -> None:
    assert key_of("synthetic['a b']") == "a b"
    assert key_of("synthetic[Timestamp('2024-01-01 00:00:00')]") == "synthetic"


def test_what_is_said_of_single_releases_can_be_left_out() -> None:
    given = {"encoding": {"a": "utf-16"}, "skip": {"synthetic": 1, "a": 2}, "types": {"k": "text", "a": {"k": "number"}}, "decimal": ","}
    assert of_arguments(given, ["original", "synthetic"]) == {"skip": {"synthetic": 1}, "types": {"k": "text"}, "decimal": ","}


def test_codes_of_one_table_go_with_bins_at_a_likely_code() -> None:
    original = {"k": [1, 2, 3, 4, 5, 6, 7, 8, -99] * 4, "t": ["a", "b", "NA"] * 12}
    with pytest.warns(capstats.LevelsWarning, match="Column 'k' holds -99, which looks like a code"):
        tables = capstats.tabulate(original, keys="k", target="t", bins={"k": 3}, null_values={"original": {"t": ["NA"]}})
    assert tables.o.sel(target=capstats.MISSING).sum() == 12


@pytest.mark.parametrize("label", [dt.date(2024, 1, 31), "b"])
def test_a_remedy_names_a_release_whatever_its_label_is(label: Any) -> None:
    comma, point = ({"k": texts * 5, "t": [0, 1] * 5} for texts in (["1,5", "2,5"], ["1.5", "2.5"]))
    with pytest.warns(capstats.LevelsWarning, match=f"'{'b' if label == 'b' else 'synthetic'}': ','"):
        capstats.tabulate(point, {label: comma, "a": point}, keys="k", target="t")
