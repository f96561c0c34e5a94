"""Labels become the type that `types` asks for, or the error says which of how many records do not."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

from capstats.codes.declared_types import as_type
from capstats.codes.labels import MISSING, canonical
from capstats.counting.request import check_declared

BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("wanted", "texts", "labels"),
    [
        (
            "number",
            ["2", " 2 ", "+2", "2.0", "2e0", "-.5", "5.", "1e300", "inf", "-Infinity"],
            [2, 2, 2, 2, 2, -0.5, 5, 1e300, np.inf, -np.inf],
        ),
        ("number", [True, 3, 0.5, "9007199254740993"], [1, 3, 0.5, 2**53 + 1]),
        ("text", ["x", 1, 1.5, True, dt.date(2024, 1, 2)], ["x", "1", "1.5", "True", "2024-01-02"]),
        ("bool", ["true", "T", " yes ", "1", 1, True], [True] * 6),
        ("bool", ["FALSE", "f", "no", "0", 0, False], [False] * 6),
        ("date", ["2024-01-02", " 20240102", dt.date(2024, 1, 2), pd.Timestamp("2024-01-02")], [dt.date(2024, 1, 2)] * 4),
        ("datetime", ["2024-01-02", "2024-01-02T00:00", dt.date(2024, 1, 2), pd.Timestamp("2024-01-02")], [pd.Timestamp("2024-01-02")] * 4),
        ("datetime", ["2024-01-02 03:04:05.123456789"], [pd.Timestamp("2024-01-02 03:04:05.123456789")]),
        ("datetime", ["2024-01-02T00:00Z", "2024-01-02 01:00+01:00"], [pd.Timestamp("2024-01-02", tz="UTC")] * 2),
        ([10, 2], ["2", "10.0", 2], [2, 10, 2]),
        (["hi", "lo"], ["lo", "hi"], ["lo", "hi"]),
        (["2", "1"], [1, 2], ["1", "2"]),
        ([True, False], ["no", 1], [False, True]),
        ([dt.date(2024, 1, 2)], ["2024-01-02"], [dt.date(2024, 1, 2)]),
        ([pd.Timestamp("2024", tz=BERLIN)], ["2023-12-31T23:00Z"], [pd.Timestamp("2024", tz=BERLIN)]),
        ([pd.Interval(0, 1)], [pd.Interval(0, 1)], [pd.Interval(0, 1)]),
        (np.array([2.0, 1.0]), [1], [1]),
        (pd.Index(["b", "a"]), ["a"], ["a"]),
    ],
)
def test_labels_become_the_type_that_is_asked_for(wanted: Any, texts: list[Any], labels: list[Any]) -> None:
    check_declared({"age": wanted})
    found = as_type([*map(canonical, texts), MISSING], wanted, "age", "original")
    assert found == [*labels, MISSING]
    assert [type(x) for x in found[:-1]] == [type(canonical(x)) for x in labels]


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("number", "nan"),
        ("number", ""),
        ("number", "1_0"),
        ("number", "1,5"),
        ("number", "0x1"),
        ("number", "\uff11"),
        ("number", "1e400"),
        ("number", dt.date(2024, 1, 1)),
        ("bool", "maybe"),
        ("bool", 2),
        ("bool", ""),
        ("date", "2024-02-30"),
        ("date", "01/02/2024"),
        ("date", "2024-01-02T03:04"),
        ("date", pd.Timestamp("2024-01-02 03:04")),
        ("date", 20240102),
        ("datetime", "now"),
        ("datetime", "today"),
        ("datetime", "nan"),
        ("datetime", "NaT"),
        ("datetime", ""),
        ("datetime", "12:30"),
        ("datetime", "01/02/2024"),
        ("datetime", 1),
        ([1, 2], "x"),
    ],
)
def test_a_value_that_does_not_parse_raises_with_its_column_and_is_quoted_only_where_it_is_no_record(wanted: Any, text: Any) -> None:
    name = wanted if isinstance(wanted, str) else "number"
    with pytest.raises(
        ValueError, match=rf"Column 'age' of `original` holds 1 level \(9 records\) that is not a {name}.*another type"
    ) as hidden:
        as_type([text], wanted, "age", "original", [9])
    with pytest.raises(ValueError, match=f", which is not a {name}") as shown:
        as_type([text], wanted, "age", "bins")
    assert repr(text) in str(shown.value)
    assert hidden.value.__cause__ is hidden.value.__context__ is None  # a traceback would print them
    if len(str(text)) > 3 and text != "12:30":  # which is in the example of the right form
        assert str(text) not in str(hidden.value)


def test_a_value_outside_the_levels_raises_with_the_levels() -> None:
    with pytest.raises(
        ValueError,
        match=r"holds 1 level \(10 records\) that is not among the levels that `types` lists: 'low', 'high', such as 'hgih'\. Correct",
    ):
        as_type(["hgih"], ["low", "high"], "age", "original", [10])


@pytest.mark.parametrize(
    ("texts", "remedy"),
    [
        (["26,000", "1,200"], r"If the commas separate thousands, .*', ''\) in Python\. If they are before decimals: In CSV, "),
        (["26,000", "1,200,000"], r"If the commas separate thousands, .*replace\(',', ''\) in Python\. Otherwise correct"),
        (["26,000", "1,2"], r"not a number\S* .*\. In CSV, numbers with a decimal comma need decimal=\{'synthetic': ','\}"),
    ],
)
def test_commas_may_be_before_decimals_or_separate_thousands(texts: list[Any], remedy: str) -> None:
    with pytest.raises(ValueError, match=remedy):
        as_type(texts, "number", "pay", "synthetic", [20] * len(texts))


@pytest.mark.parametrize("wanted", ["numbr", "category", "", None, int, 5, {"a"}, {"a": 1}, b"text"], ids=repr)
def test_a_type_that_is_neither_a_name_nor_a_list_raises(wanted: Any) -> None:
    with pytest.raises(ValueError, match=r"`types` of column 'age' must be one of 'number', .* or a list of levels.*; got"):
        check_declared({"age": wanted})


@pytest.mark.parametrize("wanted", [[], ["a", None], ["a", "a"], [1, 1.0]], ids=repr)
def test_levels_must_be_distinct_and_not_missing(wanted: Any) -> None:
    with pytest.raises(ValueError, match="`types` of column 'age' must list distinct levels that are not missing; got"):
        check_declared({"age": wanted})


@pytest.mark.parametrize("wanted", [["a", 1], [1, True]], ids=repr)
def test_levels_must_be_of_one_kind(wanted: Any) -> None:
    with pytest.raises(TypeError, match="Column 'age' of `types` mixes kinds"):
        check_declared({"age": wanted})


@pytest.mark.parametrize(("text", "kind"), [("2024-01-31", "date"), ("2024-01-31 08:15:00", "datetime")])
@pytest.mark.parametrize("records", [None, [3, 12]])
def test_dates_that_are_taken_for_numbers_are_told_with_their_type(text: str, kind: str, records: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a number|are not a number") as raised:
        as_type([text, f"{text[:9]}0{text[10:]}"], "number", "day born", "bins", records)
    assert f"Text of {kind}s needs a type: types={{'day born': {kind!r}}} (--type 'day born={kind}')." in str(raised.value)
    with pytest.raises(ValueError, match=r"Correct ") as raised:
        as_type([text, "x"], "number", "day born", "bins", records)
    assert "--type" not in str(raised.value)
