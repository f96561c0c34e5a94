"""Which labels a code meets, and what is recorded of codes."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats.codes.labels import MISSING, canonical
from capstats.codes.missing_codes import Codes, MissingCodes


@pytest.mark.parametrize(
    ("code", "label", "wanted", "meets"),
    [
        (-99, -99, None, True),
        ("-99", -99, None, True),
        (-99, "-99.0", None, True),
        (-99, "-99.0", "text", False),
        (-99, "-99", "text", True),
        (7, "007", None, False),
        (7, "007", "number", True),
        (7, "007", [7, 8], True),
        ("007", "7", None, False),
        ("007", 7, None, False),
        ("007", "007", "number", True),
        (1, True, None, False),
        (1, "yes", "bool", False),
        (True, True, None, True),
        (True, "yes", "bool", True),
        ("NA", "NA", "number", True),
        ("NA", "na", None, False),
        ("1900-01-01", dt.date(1900, 1, 1), None, True),
        (dt.date(1900, 1, 1), "1900-01-01", None, True),
        (dt.date(1900, 1, 1), " 1900-01-01", "date", True),
        (dt.date(1900, 1, 1), pd.Timestamp("1900-01-01"), None, True),
        (dt.date(1900, 1, 1), pd.Timestamp("1900-01-01T01:00"), None, False),
        (dt.datetime(1900, 1, 1), dt.date(1900, 1, 1), None, True),
        (dt.datetime(1900, 1, 1, 12), "1900-01-01 12:00", "datetime", True),
        (dt.datetime(1900, 1, 1, tzinfo=dt.UTC), pd.Timestamp("1900-01-01", tz="UTC"), None, True),
        (19000101, dt.date(1900, 1, 1), None, False),
        (-99, MISSING, None, False),
    ],
    ids=repr,
)
def test_a_code_meets_a_label_of_its_kind(code: Any, label: Any, wanted: Any, meets: bool) -> None:
    codes = MissingCodes.of_argument({"x": [code, "zzz"]}).of("x")
    assert codes.met(label, wanted) == (frozenset({0}) if meets else frozenset())
    assert codes.all_met(["b", label], wanted) == ({1: frozenset({0})} if meets else {})


@examples(60)
@given(
    st.lists(st.integers(-200, 200), unique=True),
    st.lists(st.one_of(st.integers(-200, 200), st.floats(-200, 200), st.just(2**70)), max_size=5),
)
def test_integers_are_met_at_once_as_they_are_one_by_one(labels: list[int], codes: list[Any]) -> None:
    own = Codes(list(map(canonical, codes)))
    assert own.all_met(np.array(labels, np.int64), None) == own.all_met(labels, None)


def test_one_label_may_be_several_codes() -> None:
    assert Codes([-99, "-99", "-99.0", 5]).met(-99, None) == {0, 1, 2}


@pytest.mark.parametrize(
    ("given", "recorded"),
    [
        ("NA", ["NA"]),
        ([-99.0, Decimal("-98.5"), dt.date(1900, 1, 1)], ["-99", "-98.5", "1900-01-01"]),
        ({"*": "NA", "income": -99, 3: (dt.datetime(1900, 1, 1, 12),)}, {"*": ["NA"], "income": ["-99"], "3": ["1900-01-01T12:00:00"]}),
        (None, []),
        ([], []),
    ],
    ids=repr,
)
def test_codes_are_recorded_as_texts(given: Any, recorded: Any) -> None:
    codes = MissingCodes.of_argument(given)
    assert codes.as_texts() == recorded
    assert bool(codes) == bool(recorded)
