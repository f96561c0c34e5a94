"""Values are one or two as Python's equality has it, in columns of every type; bins are right-closed, as those of SDMetrics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdmetrics_calls import DIRECT, METHODS, direct

from capstats import tabulate
from capstats.counting.equality import _points
from capstats.peers import disclosure_protection
from capstats.sdmetrics import DisclosureProtection

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def places(real: list[Any], synthetic: list[Any], bins: int, dtype: str) -> list[Any]:
    """For each synthetic value, the first row of the original that is in its bin.

    Row i of the original stands 2**i times, so that the share of records that are matched tells which rows they are.
    """
    repeated = [value for i, value in enumerate(real) for _ in range(2**i)]
    original = pd.DataFrame({"x": pd.Series(repeated, dtype=dtype), "t": "same"})
    found: list[Any] = []
    for value in synthetic:
        one = pd.DataFrame({"x": pd.Series([value], dtype=dtype), "t": ["same"]})
        protection = DisclosureProtection.compute_breakdown(original, one, ["x"], ["t"], "zero_cap", ["x"], bins)["cap_protection"]
        rows = round((1 - protection) * len(repeated))
        found.append((rows & -rows).bit_length() - 1 if rows else None)
    return found


@pytest.mark.parametrize("dtype", ["int32", "int64", "Int32", "Int64", "float32", "float64", "Float32", "Float64", "object"])
def test_bins_are_right_closed_and_open_at_the_ends(dtype: str) -> None:
    """Original 0 2 6 8 10 in five bins: 0 0 2 3 4; synthetic -10 1 3 5 7 9 20: bins 0 0 1 2 3 4 4, of which bin 1 is empty in O."""
    for least in (0, 100):
        original, synthetic = ([least + x for x in of] for of in ([0, 2, 6, 8, 10], [-10, 1, 3, 5, 7, 9, 20]))
        assert places(original, synthetic, 5, dtype) == [0, 0, None, 2, 3, 4, 4]


@pytest.mark.parametrize("dtype", ["float32", "Float32"])
def test_bins_of_single_precision_meet_where_single_precision_says(dtype: str) -> None:
    """SDMetrics with numpy 2, original 0 0.1 ... 1 in five bins: two values each, three in the first. The float32 of 0.2 is above 0.2."""
    tenths = [i / 10 for i in range(11)]
    assert places(tenths, tenths, 5, dtype) == [0, 0, 0, 3, 3, 5, 5, 7, 7, 9, 9]


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "float64", "object"])
def test_missing_values_of_a_binned_column_are_a_class_of_their_own(dtype: str) -> None:
    """Original 0 7 2 missing 10 in five bins: 0 3 0 missing 4; synthetic 0 1 2 missing 100: 0 0 0 missing 4."""
    assert places([0, 7, 2, None, 10], [0, 1, 2, None, 100], 5, dtype) == [0, 0, 0, 3, 4]


def protection(real: Any, synthetic: Any, **options: Any) -> float:
    """That of t, equal to the row's place, when x is known: 1 where no bin is shared, lower where one is."""
    frame = [pd.DataFrame({"x": x, "t": range(len(x))}) for x in (real, synthetic)]
    return DisclosureProtection.compute_breakdown(*frame, ["x"], ["t"], "zero_cap", **options)["cap_protection"]


def test_nat_is_missing_and_no_number() -> None:
    """SDMetrics reads NaT as the least int64, which puts all dates into the last bin."""
    days = pd.to_datetime(["2020-01-01", None, "2020-01-06", "2020-01-11"])
    assert protection(days, days, continuous_column_names=["x"], num_discrete_bins=2) == 1 - (0.5 + 1 + 0.5 + 1) / 4


def test_datetimes_of_two_units_are_cut_at_the_same_moments() -> None:
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-06", "2020-01-11"]))
    for a in ("ns", "us", "ms", "s"):
        for b in ("ns", "us", "ms", "s"):
            real, synthetic = days.astype(f"datetime64[{a}]"), days.astype(f"datetime64[{b}]")
            assert protection(real, synthetic, continuous_column_names=["x"], num_discrete_bins=3) == 0


def test_durations_of_two_units_are_cut_at_the_same_lengths() -> None:
    """SDMetrics compares the numbers of seconds with those of nanoseconds."""
    lengths = pd.Series(pd.to_timedelta(["1s", "5s", "9s"]))
    in_seconds = lengths.astype("timedelta64[s]")
    assert protection(lengths, in_seconds, continuous_column_names=["x"], num_discrete_bins=3) == 0


def test_times_are_not_cut_where_numbers_are() -> None:
    """SDMetrics takes the ticks of their clock for numbers."""
    times = pd.to_datetime(["2020", "2021", "2022"])
    with pytest.raises(TypeError, match="holds datetime labels in `synthetic_data`, and its cut points are of kind number"):
        protection([1, 2, 3], times, continuous_column_names=["x"])


@pytest.mark.parametrize("dtype", ["int8", "Int8", "int16", "int64"])
def test_the_least_integer_is_in_the_lowest_bin_however_wide_the_range_is(dtype: str) -> None:
    """Greatest minus least passes the type, so that for SDMetrics the least value is below the first bin, and missing."""
    info = np.iinfo(dtype.lower())
    least, greatest = int(info.min), int(info.max)
    assert places([least, 0, greatest], [least, 0, greatest], 3, dtype) == [0, 1, 2]


def test_minus_infinity_is_in_the_lowest_bin() -> None:
    """SDMetrics makes it a missing value."""
    assert protection([0.0, 1.0], [-np.inf, np.inf], continuous_column_names=["x"], num_discrete_bins=2) == 0


def test_large_integers_are_cut() -> None:
    """As floats they are equal, and SDMetrics raises."""
    large = [10**18, 10**18 + 1, 10**18 + 2]
    assert 0 <= protection(large, large, continuous_column_names=["x"], num_discrete_bins=2) <= 1


@direct
@pytest.mark.parametrize(
    "dtype", ["category", "Int64", "boolean", "string", "uint8", "UInt16", "Float64"], ids=lambda dtype: f"{dtype} column"
)
@pytest.mark.parametrize("lacking", [False, True], ids=["complete", "with missing values"])
def test_columns_of_every_type_give_what_their_values_give(dtype: str, lacking: bool) -> None:
    plain = {"category": "abac", "string": "abac", "boolean": [True, False, True, True]}.get(dtype, [1, 2, 1, 3])
    values: list[Any] = [*plain, None] if lacking and dtype != "uint8" else list(plain)
    targets = list(range(len(values)))
    typed = pd.DataFrame({"k": pd.Series(values, dtype=dtype), "t": targets})
    objects = pd.DataFrame({"k": pd.Series(values, dtype=object), "t": targets})
    for method in METHODS:
        expected = DisclosureProtection.compute_breakdown(objects, objects, ["k"], ["t"], method)
        assert DisclosureProtection.compute_breakdown(typed, typed, ["k"], ["t"], method) == expected
        assert DisclosureProtection.compute_breakdown(typed, objects, ["k"], ["t"], method) == expected
        assert DIRECT[method].compute(typed, typed, key_fields=["k"], sensitive_fields=["t"]) == expected["cap_protection"]
    twins = 3 if dtype == "boolean" else 2
    assert expected["cap_protection"] == pytest.approx((twins - 1) / len(values))


def test_integers_that_floats_cannot_tell_apart_stay_apart_beside_a_column_of_floats() -> None:
    """SDMetrics turns the rows of two such columns into floats."""
    real = pd.DataFrame({"k": [2**53, 2**53 + 1], "f": [0.5, 0.5], "t": ["a", "b"]})
    assert DisclosureProtection.compute(real, real, ["k", "f"], ["t"]) == 0


def test_what_the_drop_in_takes_as_sdmetrics_does_tabulate_refuses() -> None:
    numbers, texts = pd.DataFrame({"k": [1, 2], "t": ["a", "b"]}), pd.DataFrame({"k": ["1", "2"], "t": ["a", "b"]})
    mixed = pd.DataFrame({"k": pd.Series([1, "1"], dtype=object), "t": ["a", "b"]})
    truths = pd.DataFrame({"k": [True, False], "t": ["a", "b"]})
    assert math.isnan(DisclosureProtection.compute(numbers, texts, ["k"], ["t"]))
    assert DisclosureProtection.compute(numbers, truths, ["k"], ["t"]) == 0
    assert DisclosureProtection.compute(mixed, mixed, ["k"], ["t"]) == 0
    assert DisclosureProtection.compute(numbers, numbers, ["k", "t"], ["t"]) == 0
    assert DisclosureProtection.compute_breakdown(numbers, numbers, ["k", "k"], ["t", "t"])["baseline_protection"] == 0.75
    assert DisclosureProtection.compute(numbers, numbers[:0], ["k"], ["t"], "zero_cap") == 1
    for wrong, keys, target in (
        ((numbers, texts), ["k"], ["t"]),
        ((numbers, truths), ["k"], ["t"]),
        ((mixed, mixed), ["k"], ["t"]),
        ((numbers, numbers), ["k", "t"], ["t"]),
        ((numbers, numbers), ["k", "k"], ["t"]),
        ((numbers, numbers[:0]), ["k"], ["t"]),
    ):
        with pytest.raises((TypeError, ValueError)):
            tabulate(*wrong, keys=keys, target=target)
        with pytest.raises((TypeError, ValueError)):
            disclosure_protection(*wrong, keys=keys, target=target)


@pytest.mark.parametrize(("value", "points"), [(5.0, [4.9975, 5, 5.0025]), (-5.0, [-5.0025, -5, -4.9975]), (0.0, [-0.0005, 0, 0.0005])])
def test_one_value_is_cut_around_itself(value: float, points: list[float]) -> None:
    """A thousandth of it on either side, or of 1 where it is 0."""
    assert _points(np.array([value, value]), 4) == pytest.approx(points, rel=1e-12, abs=1e-15)
