"""Labels: plain Python whatever they come from, of one kind, in one order, and missing in one way."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
from decimal import Decimal
from fractions import Fraction
from http import HTTPStatus
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import capstats
from capstats.codes.labels import MISSING, canonical, in_order, kind_of, level_index, natural, one_kind
from capstats.codes.names import RESERVED, free_name, hint
from capstats.codes.wanted import as_type, check_types

BERLIN = "Europe/Berlin"


# --- Missing values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [None, float("nan"), np.float32("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT"), Decimal("nan"), MISSING],
    ids=repr,
)
def test_every_missing_value_is_the_one_missing_label(value: Any) -> None:
    assert canonical(value) is MISSING


@pytest.mark.parametrize("value", ["", "NA", "nan", "None", "missing", 0, False])
def test_what_only_looks_missing_is_a_label(value: Any) -> None:
    assert canonical(value) == value
    assert canonical(value) is not MISSING


def test_missing_is_a_singleton_that_survives_pickle_and_copy() -> None:
    assert capstats.MISSING is MISSING
    assert type(MISSING)() is MISSING
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps([MISSING], protocol))[0] is MISSING
    assert copy.copy(MISSING) is MISSING
    assert copy.deepcopy({"x": [MISSING]})["x"][0] is MISSING


def test_missing_is_printed_as_the_word() -> None:
    assert repr(MISSING) == str(MISSING) == f"{MISSING}" == "missing"


def test_missing_equals_itself_only() -> None:
    assert all(other != MISSING for other in (None, "missing", np.nan, 0, ""))
    assert len({MISSING, canonical(None), "missing"}) == 2


@pytest.mark.parametrize("other", ["zzz", 10**9, dt.date(9999, 1, 1), pd.Timestamp("2200"), (1, 2)])
def test_missing_sorts_after_every_other_label(other: Any) -> None:
    missing = MISSING
    assert sorted([missing, other]) == sorted([other, missing]) == [other, missing]
    assert missing > other
    assert missing >= other
    assert not missing < other
    assert not missing <= other
    assert missing <= canonical(None) <= missing
    assert not missing > canonical(None)


# --- Canonical labels and kinds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [1, 1.0, np.int8(1), np.uint64(1), np.float16(1), np.float64(1), np.longdouble(1), Decimal(1), Decimal("1.00"), Fraction(2, 2)],
    ids=repr,
)
def test_a_whole_number_of_any_type_is_the_same_int(value: Any) -> None:
    assert canonical(value) == 1
    assert type(canonical(value)) is int
    assert kind_of(canonical(value)) == "number"


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.longdouble("0.5"), Decimal("0.5"), Fraction(1, 2)], ids=repr)
def test_a_fractional_number_of_any_type_is_the_same_float(value: Any) -> None:
    assert canonical(value) == 0.5
    assert type(canonical(value)) is float


def test_a_member_of_an_enumeration_of_integers_is_its_integer() -> None:
    assert type(canonical(HTTPStatus.OK)) is int


@pytest.mark.parametrize("value", [2**53 + 1, -(2**63), 2**64 - 1, 10**30])
def test_integers_are_kept_exactly(value: int) -> None:
    assert canonical(value) == value
    assert list(level_index([value])) == [value]
    assert list(level_index([value, 1])) == [value, 1]


def test_infinity_is_a_number() -> None:
    assert canonical(np.float32("inf")) == np.inf
    assert kind_of(canonical(-np.inf)) == "number"


def test_negative_zero_is_zero() -> None:
    assert repr(canonical(-0.0)) == "0"


@pytest.mark.parametrize("value", [True, np.True_])
def test_a_bool_stays_a_bool(value: Any) -> None:
    assert canonical(value) is True
    assert kind_of(canonical(value)) == "bool"


@pytest.mark.parametrize("value", ["ä", np.str_("ä")])
def test_a_text_is_a_plain_text(value: Any) -> None:
    assert type(canonical(value)) is str
    assert kind_of(canonical(value)) == "text"


@pytest.mark.parametrize("value", [dt.date(2024, 2, 29), np.datetime64("2024-02-29")])
def test_a_date_of_any_library_is_the_same_date(value: Any) -> None:
    assert canonical(value) == dt.date(2024, 2, 29)
    assert kind_of(canonical(value)) == "date"


@pytest.mark.parametrize(
    "value", [dt.datetime(2024, 2, 29), np.datetime64("2024-02-29", "ns"), np.datetime64("2024-02-29T00"), pd.Timestamp("2024-02-29")]
)
def test_a_datetime_of_any_library_is_the_same_timestamp(value: Any) -> None:
    assert canonical(value) == pd.Timestamp("2024-02-29")
    assert hash(canonical(value)) == hash(pd.Timestamp("2024-02-29"))
    assert kind_of(canonical(value)) == "datetime"


def test_one_instant_in_two_zones_is_one_label() -> None:
    utc = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    labels = {canonical(utc), canonical(pd.Timestamp("2024-01-01 01:00", tz=BERLIN)), canonical(pd.Timestamp(utc))}
    assert labels == {pd.Timestamp(utc)}
    assert kind_of(labels.pop()) == "datetime with zone"


@pytest.mark.parametrize("value", [np.timedelta64(1, "D"), np.timedelta64(86400 * 10**9, "ns"), dt.timedelta(days=1), pd.Timedelta("1D")])
def test_a_duration_of_any_library_is_the_same_label_and_no_number(value: Any) -> None:
    assert canonical(value) == pd.Timedelta("1D")
    assert type(canonical(value)) is pd.Timedelta
    assert kind_of(canonical(value)) == "duration"


def test_a_day_that_python_does_not_have_is_no_number() -> None:
    assert kind_of(canonical(np.datetime64("-0044-03-15"))) == "datetime"


def test_one_kind_ignores_missing_and_finds_none_where_there_is_no_label() -> None:
    assert one_kind([MISSING, 2, 1.5], "age", "original") == "number"
    assert one_kind([MISSING], "age", "original") is None
    assert one_kind([], "age", "original") is None


@pytest.mark.parametrize(
    "labels",
    [(1, "1"), (1, True), ("1", True), (dt.date(2024, 1, 1), pd.Timestamp("2024")), (pd.Timestamp("2024"), pd.Timestamp("2024", tz="UTC"))],
)
def test_mixed_kinds_raise_with_column_table_and_both_kinds_and_without_labels(labels: tuple[Any, Any]) -> None:
    kinds = " and ".join(str(kind_of(label)) for label in labels)
    with pytest.raises(TypeError, match=rf"^Column 'age' of `original` mixes kinds: {kinds}\. Convert it to one kind, or say types="):
        one_kind(labels, "age", "original")


# --- Order ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("text", ["", "01", "1", "1x", "2", "10", "A", "a", "a02", "a2", "a10", "a10b2", "a10b10", "b", "ä"]),
        ("number", [-np.inf, -1, 0, 0.5, 2, 10, 10**30, np.inf]),
        ("bool", [False, True]),
        ("date", [dt.date(1, 1, 1), dt.date(2023, 12, 31), dt.date(2024, 1, 1)]),
        ("datetime", [pd.Timestamp("1677-01-01"), pd.Timestamp("2024"), pd.Timestamp("2024-01-01 00:00:00.000000001")]),
        ("other", [pd.Interval(2, 5), pd.Interval(10, 20)]),
    ],
)
def test_labels_stand_in_their_natural_order_with_missing_last(kind: Any, labels: list[Any]) -> None:
    assert in_order([MISSING, *reversed(labels)], kind) == [*labels, MISSING]
    assert in_order(reversed(labels), kind) == labels


@given(st.lists(st.text(alphabet="0129aä.-", max_size=6), unique=True, max_size=6))
def test_the_natural_order_is_total_and_does_not_depend_on_the_input(texts: list[str]) -> None:
    expected = sorted(texts, key=natural)
    assert all(sorted(p, key=natural) == expected for p in list(permutations(texts))[:24])
    assert len({repr(natural(x)) for x in texts}) == len(texts)


@given(st.integers(min_value=0), st.integers(min_value=0))
def test_digits_are_compared_as_integers_however_long(a: int, b: int) -> None:
    assert (natural(f"x{a}y") < natural(f"x{b}y")) == (a < b)


# --- Index ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ([True, False], "bool"),
        ([1, -2], "int64"),
        ([1, 2.5], "float64"),
        ([2**53 + 1, 0.5], "object"),
        ([2**63, 1], "uint64"),
        ([2**64], "float64"),
        ([2**64 + 1], "object"),
        (["a"], "object"),
        ([1, MISSING], "object"),
        ([dt.date(2024, 1, 1)], "object"),
        ([pd.Timestamp("2024")], "datetime64[us]"),
        ([pd.Timestamp(1)], "datetime64[ns]"),
        ([pd.Timestamp("1500-01-01")], "datetime64[us]"),
        ([pd.Timestamp("2024", tz="UTC")], "object"),
        ([(1, 2), (3, 4)], "object"),
        ([(1, 2), (3,)], "object"),
        ([], "object"),
    ],
    ids=repr,
)
def test_an_index_keeps_its_labels_without_loss(labels: list[Any], dtype: str) -> None:
    index = level_index(labels, "age")
    assert index.dtype == dtype
    assert index.name == "age"
    assert [canonical(x) for x in index] == labels
    assert [type(canonical(x)) for x in index] == [type(x) for x in labels]


# --- Names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_reserved_name_gets_a_trailing_underscore(name: str) -> None:
    assert free_name(name, []) == f"{name}_"


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


def test_an_unknown_name_is_told_the_nearest_or_all() -> None:
    assert hint("incom", ["sex", "income"]) == " Did you mean 'income'?"
    assert hint("xyz", ["sex", 1]) == " It has 'sex', 1."
    assert hint("1", [0, 1]) == " Did you mean 1?"
    assert hint("xyz", [f"c{i}" for i in range(30)]).endswith("'c19', ....")
    assert hint("xyz", []) == " It has none."


# --- types= -----------------------------------------------------------------------------------------------------------


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
    check_types({"age": wanted}, ["age"], "not a column")
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


@pytest.mark.parametrize("wanted", ["numbr", "category", "", None, int, 5, {"a"}, {"a": 1}, b"text"], ids=repr)
def test_a_type_that_is_neither_a_name_nor_a_list_raises(wanted: Any) -> None:
    with pytest.raises(ValueError, match=r"`types` of column 'age' must be one of 'number', .* or a list of levels.*; got"):
        check_types({"age": wanted}, ["age"], "not a column")


@pytest.mark.parametrize("wanted", [[], ["a", None], ["a", "a"], [1, 1.0]], ids=repr)
def test_levels_must_be_distinct_and_not_missing(wanted: Any) -> None:
    with pytest.raises(ValueError, match="`types` of column 'age' must list distinct levels that are not missing; got"):
        check_types({"age": wanted}, ["age"], "not a column")


@pytest.mark.parametrize("wanted", [["a", 1], [1, True]], ids=repr)
def test_levels_must_be_of_one_kind(wanted: Any) -> None:
    with pytest.raises(TypeError, match="Column 'age' of `types` mixes kinds"):
        check_types({"age": wanted}, ["age"], "not a column")


def test_the_nearest_name_is_found_whatever_its_case() -> None:
    assert hint("SEX", ["sex", "inc"]) == " Did you mean 'sex'?"
