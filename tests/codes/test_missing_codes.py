"""Codes that mean missing: those that are given, and levels that look like some."""

from __future__ import annotations

import datetime as dt
from contextlib import nullcontext
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats import LevelsWarning, audit, compare_levels
from capstats.codes.bins import likely_numbers, usual_ends
from capstats.codes.labels import MISSING, canonical
from capstats.codes.missing_codes import Codes, MissingCodes, likely_codes
from capstats.counting.tabulate import tabulate


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
    assert codes.matching(label, wanted) == (frozenset({0}) if meets else frozenset())
    assert codes.all_matching(["b", label], wanted) == ({1: frozenset({0})} if meets else {})


@examples(60)
@given(
    st.lists(st.integers(-200, 200), unique=True),
    st.lists(st.one_of(st.integers(-200, 200), st.floats(-200, 200), st.just(2**70)), max_size=5),
)
def test_integers_are_met_at_once_as_they_are_one_by_one(labels: list[int], codes: list[Any]) -> None:
    own = Codes(list(map(canonical, codes)))
    assert own.all_matching(np.array(labels, np.int64), None) == own.all_matching(labels, None)


def test_one_label_may_be_several_codes() -> None:
    assert Codes([-99, "-99", "-99.0", 5]).matching(-99, None) == {0, 1, 2}


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
    assert MissingCodes.of_argument(given).as_texts() == recorded


# --- levels that look like codes -------------------------------------------------------------------------------------


CODES: list[tuple[list[Any], list[Any]]] = [
    ([1, 2, 3, 4, 5, 9], [9]),
    ([0, 1, 98, 99], [98, 99]),
    ([18, 40, 60, 90, 999], [999]),
    ([1, 2, 3, 77, 88, 97, 98, 99], [77, 88, 97, 98, 99]),
    ([20_000, 35_000, 99_999_998, 999_999_999], [99_999_998, 999_999_999]),
    ([-9, -8, -2, -1, 0, 1, 2, 3], [-9, -8]),
    ([-99.0, 0.5, 70.25], [-99]),
    ([-999, -5, 3, 20], [-999]),
    (["low", "high", "-99"], ["-99"]),
    (["18", "40", "-99.0", "NA"], ["NA", "-99.0"]),
    (["yes", "no", "?", "", "None", "Unknown"], ["?", "", "None", "Unknown"]),
    ([dt.date(1950, 1, 1), dt.date(1990, 1, 1), dt.date(1900, 1, 1), dt.date(9999, 12, 31)], [dt.date(1900, 1, 1), dt.date(9999, 12, 31)]),
    (["1950-01-01", "1990-01-01", "1900-01-01"], ["1900-01-01"]),
    ([-3, -2, -1, 1, 2, 3, 4, 5], [-3, -2, -1]),
    ([-3, -2, -1, *range(40)], [-3, -2, -1]),
    ([-4, 0, 1, 99], [-4, 99]),
    ([-99, -4, 1, 2, 3], [-99, -4]),
    ([-5555, 10, 20, 35], [-5555]),
    ([-(2**31), -10, 5, 17], [-(2**31)]),
    ([-(2**63), 5, 17], [-(2**63)]),
    (["-1", "-2", "-3", "18", "19", "20"], ["-1", "-2", "-3"]),
    ([-9, 1, 2, 3, 4], [-9]),
    ([-9, 6, 8], [-9]),  # a wide gap, of few numbers
    ([-5, 4, 5, 6, 7, 8, 9, 30], [-5]),  # a wide gap beside the five between the least numbers
    ([-3, -2, -1, 0, 10, 20, 30], [-3, -2, -1]),  # the greatest is ten times the least
    (["None", "low", "high"], ["None"]),
    (["None", "12", "13"], ["None"]),
    (["-99", "18", "40", str(10**309)], ["-99"]),  # which no float holds
]
NONE: list[list[Any]] = [
    [-1, 0, 1],
    [-2, -1, 0, 1, 2],
    [-3, -2, -1, 0, 1, 2, 3],
    [-3, -2, -1, 1, 2, 3],
    [-3, -2, -1, 0, 10, 20, 29],
    [-4, -2, 0, 2, 4, 6],
    [-1, 1],
    [4, 6, 8],
    [3, 6, 9],
    [1, 9],
    list(range(1, 11)),
    list(range(18, 100)),
    list(range(-9, 10)),
    [1, 2, 3, 10**10 - 1],
    [1, 2, 3, -(2**63) - 1],
    ["none", "some"],
    ["None", "Mild", "Severe"],
    ["A", "B", "9"],
    [dt.date(1900, 1, 1), dt.date(1900, 3, 1), dt.date(1901, 5, 1)],
    [True, False],
    [],
]


@pytest.mark.parametrize(("labels", "codes"), CODES, ids=repr)
def test_codes_far_from_the_rest_are_noticed(labels: list[Any], codes: list[Any]) -> None:
    assert likely_codes(labels) == codes
    if isinstance(labels[0], int):
        assert likely_codes(np.array(labels)) == likely_codes(pd.Index(labels)) == codes


@pytest.mark.parametrize("labels", NONE, ids=repr)
def test_scales_and_counts_have_no_codes(labels: list[Any]) -> None:
    assert likely_codes(labels) == []


@pytest.mark.parametrize("kind", ["normal", "integers", "poisson", "lognormal"])
def test_random_numbers_have_none(kind: str) -> None:
    rng = np.random.default_rng(1)
    draws = {"normal": (0, 10), "integers": (18, 100), "poisson": (2,), "lognormal": (10, 1)}
    for _ in range(100):
        assert likely_codes(np.unique(getattr(rng, kind)(*draws[kind], 1000).round())) == []


@pytest.mark.parametrize("kind", ["columns", "pandas", "Parquet", "CSV"])
@pytest.mark.parametrize("bins", [None, {"income": 3}, {"income": ("quantile", 3)}], ids=repr)
def test_compare_levels_and_the_report_name_them(kind: str, bins: Any, tmp_path: Any) -> None:
    frame = pd.DataFrame({"income": [-99, 10, 20, 30], "sick": ["yes", "no", "no", "?"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    table = {"columns": frame.to_dict("list"), "pandas": frame, "Parquet": tmp_path / "t.parquet", "CSV": tmp_path / "t.csv"}[kind]
    with pytest.warns(LevelsWarning, match=r"\(--null-values income=-99\)\. Otherwise .* `bins` cuts\.$") if bins else nullcontext():
        tables = tabulate(table, keys="income", target="sick", bins=bins)
    code = "-99" if kind == "CSV" and bins is None else -99
    assert tables.attrs["likely_codes"] == {"income": [code], "sick": ["?"]}
    found = compare_levels(tables)
    named = [] if bins else [["income", code]]
    assert found[found.cause == "likely missing code"][["column", "level"]].values.tolist() == [*named, ["sick", "?"]]
    report = audit(table, frame[1:].astype(str) if code == "-99" else frame[1:], keys="income", target="sick", bins=bins)
    assert report.provenance["likely_codes"] == {"income": [code], "sick": ["?"]}
    assert f"Column 'income' holds {code!r}, which looks like a code of missing values." in report.provenance["warnings"][-2]


def test_codes_that_were_named_are_not_likely_any_more() -> None:
    table = {"income": [-99, 10, 20, 30], "sick": ["yes", "no", "no", "yes"]}
    for bins in (None, {"income": 2}):
        assert "likely_codes" not in tabulate(table, keys="income", target="sick", null_values={"income": -99}, bins=bins).attrs


@pytest.mark.parametrize(("kind", "unit"), [("date", "D"), ("datetime", "us")])
def test_days_of_a_column_to_be_cut_are_known_by_their_number(kind: Any, unit: str) -> None:
    moments = np.array(["1950-01-01", "1990-06-30", "9999-12-31"], f"datetime64[{unit}]").astype(np.int64)
    assert usual_ends(moments, kind)
    assert [str(label)[:10] for label in likely_numbers(moments, kind)] == ["9999-12-31"]
    assert not usual_ends(moments[:2], kind)
    assert likely_numbers(moments[:2], kind) == []
