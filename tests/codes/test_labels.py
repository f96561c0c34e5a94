"""Labels: plain Python whatever they come from, of one kind, in one order, and missing in one way."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
from decimal import Decimal
from enum import Enum
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
from capstats.codes.column import in_order, natural, one_kind
from capstats.codes.labels import MISSING, canonical, kind_of

BERLIN = "Europe/Berlin"


# --- Missing values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [None, float("nan"), np.float32("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT"), Decimal("nan"), MISSING],
    ids=repr,
)
def test_every_missing_value_is_the_one_missing_label(value: Any) -> None:
    assert canonical(value) is MISSING


def test_missing_is_a_singleton_that_survives_pickle_and_copy_and_equals_itself_only() -> None:
    assert capstats.MISSING is MISSING
    assert type(MISSING)() is MISSING
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps([MISSING], protocol))[0] is MISSING
    assert copy.copy(MISSING) is MISSING
    assert copy.deepcopy({"x": [MISSING]})["x"][0] is MISSING
    assert repr(MISSING) == str(MISSING) == f"{MISSING}" == "missing"
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


UTC = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
WHOLE = [1, 1.0, np.int8(1), np.uint64(1), np.float16(1), np.float64(1), np.longdouble(1), Decimal(1), Decimal("1.00"), Fraction(2, 2)]
DAY = [dt.datetime(2024, 2, 29), np.datetime64("2024-02-29", "ns"), np.datetime64("2024-02-29T00"), pd.Timestamp("2024-02-29")]


class Coded(str, Enum):  # noqa: UP042  StrEnum prints the text
    """Texts that str() prints as Coded.A."""

    A = "a"


LABELS: list[tuple[list[Any], Any, str]] = [  # values of any library, the one label that they are, and its kind
    (WHOLE, 1, "number"),
    ([0.5, np.float32(0.5), np.longdouble("0.5"), Decimal("0.5"), Fraction(1, 2)], 0.5, "number"),
    ([HTTPStatus.OK], 200, "number"),
    *(([whole], whole, "number") for whole in (2**53 + 1, -(2**63), 2**64 - 1, 10**30)),
    ([0, -0.0], 0, "number"),
    ([np.float32("inf")], np.inf, "number"),
    ([-np.inf], -np.inf, "number"),
    ([True, np.True_], True, "bool"),
    ([False], False, "bool"),
    (["ä", np.str_("ä")], "ä", "text"),
    ([Coded.A], "a", "text"),
    *(([text], text, "text") for text in ("", "NA", "nan", "None", "missing")),
    ([dt.date(2024, 2, 29), np.datetime64("2024-02-29")], dt.date(2024, 2, 29), "date"),
    (DAY, pd.Timestamp("2024-02-29"), "datetime"),
    ([UTC, pd.Timestamp("2024-01-01 01:00", tz=BERLIN), pd.Timestamp(UTC)], pd.Timestamp(UTC), "datetime with zone"),
    ([np.timedelta64(1, "D"), np.timedelta64(86400 * 10**9, "ns"), dt.timedelta(days=1)], pd.Timedelta("1D"), "duration"),
]


@pytest.mark.parametrize(("value", "label", "kind"), [(value, label, kind) for values, label, kind in LABELS for value in values], ids=repr)
def test_a_value_of_any_library_is_one_plain_label(value: Any, label: Any, kind: str) -> None:
    found = canonical(value)
    assert (found, type(found), kind_of(found)) == (label, type(label), kind)
    assert hash(found) == hash(label)
    assert repr(canonical(-0.0)) == "0"
    assert kind_of(canonical(np.datetime64("-0044-03-15"))) == "datetime"  # a day that Python does not have


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
