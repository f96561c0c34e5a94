"""The drop-in gives SDMetrics' numbers, and the right ones where SDMetrics' are wrong."""

from __future__ import annotations

import datetime as dt
import inspect
import json
import math
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from capstats import tabulate
from capstats.peers import disclosure_protection
from capstats.sdmetrics import (
    CategoricalCAP,
    CategoricalGeneralizedCAP,
    CategoricalMetric,
    CategoricalZeroCAP,
    DisclosureProtection,
    DisclosureProtectionEstimate,
    Metric,
)

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

REFERENCE = json.loads((Path(__file__).parent / "reference" / "sdmetrics_disclosure.json").read_text(encoding="utf-8"))
METHODS = ("cap", "zero_cap", "generalized_cap")
DIRECT = {"cap": CategoricalCAP, "zero_cap": CategoricalZeroCAP, "generalized_cap": CategoricalGeneralizedCAP}
MISSING = {"nan": np.nan, "None": None}

# Direct classes match a missing value or not by which object it is; here missing values are one class.
DEVIATIONS = {
    ("nan_in_object_key_and_target", "generalized_cap"),
    ("none_in_original_nan_in_synthetic", "cap"),
    ("none_in_original_nan_in_synthetic", "zero_cap"),
    ("none_in_original_nan_in_synthetic", "generalized_cap"),
}

direct = pytest.mark.filterwarnings("ignore:SDMetrics calls:DeprecationWarning")
estimate = pytest.mark.filterwarnings("ignore:capstats counts all records:UserWarning")


def column(description: dict[str, Any]) -> pd.Series:
    values = [MISSING[x["na"]] if isinstance(x, dict) else x for x in description["values"]]
    if description["dtype"] == "object" or not values:
        return pd.Series(values, dtype=description["dtype"])
    return pd.Series(values).astype(description["dtype"])


def frames(case: dict[str, Any]) -> list[pd.DataFrame]:
    return [pd.DataFrame({c["name"]: column(c) for c in case[side]}) for side in ("real", "synthetic")]


def close(found: float, expected: float | None) -> bool:
    return math.isnan(found) if expected is None else abs(found - expected) <= 1e-12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: case["name"])
def test_breakdowns_are_those_of_sdmetrics(case: dict[str, Any], method: str) -> None:
    real, synthetic = frames(case)
    arguments = (real, synthetic, case["known"], case["sensitive"], method, case["continuous"], case["num_discrete_bins"])
    expected = case["results"][method]
    if "error" in expected:
        assert expected["error"] == "ZeroDivisionError"
        with pytest.raises(ZeroDivisionError, match="no record"):
            DisclosureProtection.compute_breakdown(*arguments)
        return
    found = DisclosureProtection.compute_breakdown(*arguments)
    assert list(found) == list(expected)
    assert all(type(x) is float for x in found.values())
    for name, value in expected.items():
        assert close(found[name], value), name
    assert close(DisclosureProtection.compute(*arguments), expected["score"])


@direct
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", [c for c in REFERENCE["cases"] if not c["continuous"]], ids=lambda case: case["name"])
def test_direct_classes_give_the_numbers_of_sdmetrics(case: dict[str, Any], method: str) -> None:
    real, synthetic = frames(case)
    metric = DIRECT[method]
    expected = case["results"][metric.__name__]
    if isinstance(expected, dict):
        with pytest.raises(ZeroDivisionError, match="no record"):
            metric.compute(real, synthetic, key_fields=case["known"], sensitive_fields=case["sensitive"])
        return
    found = metric.compute(real, synthetic, key_fields=case["known"], sensitive_fields=case["sensitive"])
    assert type(found) is float
    if (case["name"], method) in DEVIATIONS:
        assert close(found, case["results"][method]["cap_protection"]), "missing values are one class, as DisclosureProtection has it"
        assert not close(found, expected)
    else:
        assert close(found, expected)


# --- the calls that SDMetrics' own tests make -------------------------------------------------------------------------

NAMES = {
    "known_column_names": ["key1", "key2"],
    "sensitive_column_names": ["sensitive1", "sensitive2"],
    "continuous_column_names": ["key2", "sensitive2"],
    "num_discrete_bins": 10,
}


def letters(text: str) -> list[str]:
    return list(text)


def people(kind: str) -> pd.DataFrame:
    """The original, and synthetic tables whose targets are never, sometimes, and in three of five classes those of the original."""
    five = letters("abcde")
    if kind == "original":
        return pd.DataFrame({"key1": five * 20, "key2": range(100), "sensitive1": five * 20, "sensitive2": range(100)})
    if kind == "bad":
        return people("original").assign(sensitive1=letters("abced") * 20)
    rng = np.random.RandomState(42)
    key1 = rng.choice(five, 20)
    key2 = range(20) if kind == "perfect" else rng.randint(0, 5, size=20)
    sensitive1 = rng.choice(letters("fghij") if kind == "perfect" else five, 20)
    sensitive2 = rng.randint(*((100, 200) if kind == "perfect" else (0, 5)), size=20)
    return pd.DataFrame({"key1": key1, "key2": key2, "sensitive1": sensitive1, "sensitive2": sensitive2})


@pytest.mark.parametrize(
    ("kind", "method", "score", "protection"),
    [
        *(("perfect", method, 1, 1) for method in METHODS),
        ("good", "cap", 0.8979591836734694, 0.88),
        ("good", "zero_cap", 1, 0.988),
        ("good", "generalized_cap", 1, 0.988),
        *(("bad", method, 0.40816326530612246, 0.4) for method in METHODS),
        *(("original", method, 0, 0) for method in METHODS),
    ],
)
def test_breakdowns_of_sdmetrics_own_tests_are_equal_bit_by_bit(kind: str, method: str, score: float, protection: float) -> None:
    found = DisclosureProtection.compute_breakdown(people("original"), people(kind), computation_method=method, **NAMES)
    assert found == {"score": score, "cap_protection": protection, "baseline_protection": 0.98}


@estimate
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["perfect", "good", "bad"])
def test_the_estimate_is_the_exact_answer(kind: str, method: str) -> None:
    tables = people("original"), people(kind)
    sampling = {"num_rows_subsample": 20, "num_iterations": 3, "verbose": False}
    exact = DisclosureProtection.compute_breakdown(*tables, computation_method=method, **NAMES)
    assert DisclosureProtectionEstimate.compute_breakdown(*tables, computation_method=method, **NAMES, **sampling) == exact
    assert DisclosureProtectionEstimate.compute(*tables, computation_method=method, **NAMES, **sampling) == exact["score"]


def test_the_estimate_says_once_that_it_is_exact() -> None:
    code = (
        "import warnings, pandas as pd; warnings.simplefilter('always')\n"
        "from capstats.sdmetrics import DisclosureProtectionEstimate as D\n"
        "d = pd.DataFrame({'k': ['a', 'b'], 't': ['x', 'y']})\n"
        "D.compute(d, d, ['k'], ['t'])\nD.compute_breakdown(d, d, ['k'], ['t'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr.count("UserWarning: capstats counts all records: the result is exact") == 1


def test_the_exact_answer_is_not_biased_as_a_subsample_is() -> None:
    """Of 100 keys, five rows find few in five others: an average over such samples is nan or too high; the exact score is 0."""
    keys = pd.DataFrame({"k": range(100), "t": [i % 2 for i in range(100)]})
    assert DisclosureProtection.compute(keys, keys, ["k"], ["t"]) == 0


@direct
@pytest.mark.parametrize("method", METHODS)
def test_safer_data_score_higher_in_the_direct_classes(method: str) -> None:
    metric = DIRECT[method]
    rng = np.random.default_rng(0)
    five, numbers = letters("abcde"), [0, 1, 2, 3, 4]
    original = pd.DataFrame({"key1": five * 20, "key2": numbers * 20, "sensitive1": five * 20, "sensitive2": numbers * 20})

    def drawn(letters: list[str], low: int) -> pd.DataFrame:
        keys = {"key1": rng.choice(five, 20), "key2": rng.integers(0, 5, 20)}
        return pd.DataFrame({**keys, "sensitive1": rng.choice(letters, 20), "sensitive2": rng.integers(low, low + 5, 20)})

    bad = original.assign(sensitive1=letters("abced") * 20)
    apart = bad.assign(key1=letters("vwxyz") * 20, key2=[5, 6, 7, 8, 9] * 20)
    tables = {"horrible": original, "bad": bad, "good": drawn(five, 0), "perfect": drawn(letters("fghij"), 5), "apart": apart}
    fields = {"key_fields": ["key1", "key2"], "sensitive_fields": ["sensitive1", "sensitive2"]}
    score = {name: metric.compute(original, table, **fields) for name, table in tables.items()}
    assert metric.min_value == score["horrible"] < score["bad"] == 0.4 < score["good"] <= score["perfect"] == metric.max_value
    expected = {"cap": np.nan, "zero_cap": 1.0, "generalized_cap": 0.88}[method]
    assert score["apart"] == pytest.approx(expected, nan_ok=True)


def test_signatures_are_those_of_sdmetrics() -> None:
    common = "real_data synthetic_data known_column_names sensitive_column_names computation_method continuous_column_names"
    of_sdmetrics = {
        DisclosureProtection: f"{common} num_discrete_bins",
        DisclosureProtectionEstimate: f"{common} num_discrete_bins num_rows_subsample num_iterations verbose",
    }
    for metric, names in of_sdmetrics.items():
        for function in (metric.compute, metric.compute_breakdown):
            assert list(inspect.signature(function).parameters) == names.split()
    direct_names = "real_data synthetic_data metadata table_name key_fields sensitive_fields model_kwargs"
    for metric in DIRECT.values():
        assert list(inspect.signature(metric.compute).parameters) == direct_names.split()
        assert list(inspect.signature(metric.compute_breakdown).parameters) == direct_names.split()[:4]
    defaults = inspect.signature(DisclosureProtectionEstimate.compute).parameters
    assert [defaults[x].default for x in ("computation_method", "continuous_column_names", "num_discrete_bins")] == ["cap", None, 10]
    assert [defaults[x].default for x in ("num_rows_subsample", "num_iterations", "verbose")] == [1000, 10, True]


def test_metrics_say_what_they_are() -> None:
    assert [metric.name for metric in DIRECT.values()] == ["CategoricalCAP", "0CAP", "Categorical GeneralizedCAP"]
    for metric in (*DIRECT.values(), DisclosureProtection, DisclosureProtectionEstimate):
        assert (metric.min_value, metric.max_value, metric.goal) == (0, 1, "maximize")
        assert (metric.goal.name, metric.goal.value) == ("MAXIMIZE", "maximize")
        assert metric.normalize(0.25) == 0.25
        with pytest.raises(ValueError, match="must be from 0 to 1"):
            metric.normalize(1.5)


def test_metrics_say_what_is_derived_from_them() -> None:
    assert DisclosureProtection.get_subclasses() == {"DisclosureProtectionEstimate": DisclosureProtectionEstimate}
    assert all(metric.get_subclasses() == {} for metric in (*DIRECT.values(), DisclosureProtectionEstimate))
    everything = {metric.__name__: metric for metric in (*DIRECT.values(), DisclosureProtectionEstimate)}
    assert Metric.get_subclasses() == everything
    parents = {metric.__name__: metric for metric in (DisclosureProtection, CategoricalMetric)}
    assert Metric.get_subclasses(include_parents=True) == everything | parents


@pytest.mark.parametrize("metric", DIRECT.values())
def test_direct_classes_warn_that_sdmetrics_calls_them_deprecated(metric: Any) -> None:
    real = pd.DataFrame({"col1": range(5), "col2": letters("ABCAB")})
    synthetic = pd.DataFrame({"col1": range(5), "col2": letters("CAABC")})
    with pytest.warns(DeprecationWarning, match="'DisclosureProtection' and 'DisclosureProtectionEstimate'"):
        assert metric.compute(real, synthetic, key_fields=["col1"], sensitive_fields=["col2"]) == 1


# --- bins -------------------------------------------------------------------------------------------------------------


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
    assert places([0, 2, 6, 8, 10], [-10, 1, 3, 5, 7, 9, 20], 5, dtype) == [0, 0, None, 2, 3, 4, 4]


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


# --- where SDMetrics raises or is wrong -------------------------------------------------------------------------------


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


def test_many_sensitive_columns_do_not_overflow() -> None:
    """64 binary columns have 2**64 combinations, which SDMetrics counts as 0, so that its score is -0.0."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.integers(0, 2, (50, 65)), columns=[f"c{i}" for i in range(65)])
    found = DisclosureProtection.compute_breakdown(table, table, ["c0"], list(table)[1:])
    rows = Counter(table.c0)
    expected = 1 - float(sum(Fraction(1, rows[key]) for key in table.c0) / 50)
    assert found == {"score": pytest.approx(expected), "cap_protection": pytest.approx(expected), "baseline_protection": 1.0}


def test_integers_that_floats_cannot_tell_apart_stay_apart_beside_a_column_of_floats() -> None:
    """SDMetrics turns the rows of two such columns into floats."""
    real = pd.DataFrame({"k": [2**53, 2**53 + 1], "f": [0.5, 0.5], "t": ["a", "b"]})
    assert DisclosureProtection.compute(real, real, ["k", "f"], ["t"]) == 0


@direct
def test_an_empty_original_has_no_protection() -> None:
    table = pd.DataFrame({"k": ["a"], "t": ["x"]})
    found = DisclosureProtection.compute_breakdown(table[:0], table, ["k"], ["t"])
    assert list(found) == ["score", "cap_protection", "baseline_protection"]
    assert all(map(math.isnan, found.values()))
    assert math.isnan(CategoricalZeroCAP.compute(table[:0], table, key_fields=["k"], sensitive_fields=["t"]))


def test_a_table_of_any_index_and_of_other_columns_is_the_same() -> None:
    real, synthetic = people("original"), people("good")
    moved = real.set_index(pd.Index(range(100, 0, -1))).assign(more=None), synthetic[list(synthetic)[::-1]].assign(more=pd.NA)
    assert DisclosureProtection.compute(*moved, **NAMES) == DisclosureProtection.compute(real, synthetic, **NAMES)


# --- what tabulate refuses, as SDMetrics does not ---------------------------------------------------------------------


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


# --- errors -----------------------------------------------------------------------------------------------------------

REAL = pd.DataFrame({"col1": range(5), "col2": range(5), "time": pd.date_range("2020", periods=5)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"real_data": [1]}, "must be pandas DataFrames; `real_data` is list"),
        ({"synthetic_data": {"col1": [1]}}, "must be pandas DataFrames; `synthetic_data` is dict"),
        ({"known_column_names": []}, "`known_column_names` must name at least one column"),
        ({"sensitive_column_names": []}, "`sensitive_column_names` must name at least one column"),
        ({"known_column_names": ["col1", "col3"]}, "`known_column_names` has 'col3', missing from `real_data`. Did you mean 'col"),
        ({"sensitive_column_names": ["x", "y"]}, "`sensitive_column_names` has 'x', 'y', missing"),
        ({"continuous_column_names": ["x"]}, "`continuous_column_names` has 'x', missing"),
        ({"known_column_names": "col1"}, "must be a list of names; got the string 'col1'"),
        ({"computation_method": "median"}, "`computation_method` must be one of 'cap', 'zero_cap', 'generalized_cap'; got 'median'"),
        ({"computation_method": None}, "`computation_method` must be one of"),
        ({"computation_method": ["cap"]}, "`computation_method` must be one of"),
        ({"num_discrete_bins": "10"}, "`num_discrete_bins` must be an integer greater than zero; got '10'"),
        ({"num_discrete_bins": 0}, "`num_discrete_bins` must be an integer greater than zero"),
        ({"num_discrete_bins": 2.0}, "`num_discrete_bins` must be an integer greater than zero"),
        ({"synthetic_data": REAL.assign(more=1)}, "must have the same columns; only one has 'more'"),
        ({"real_data": pd.concat([REAL, REAL[["col1"]]], axis=1)}, "Column 'col1' occurs 2 times in `real_data`"),
        ({"real_data": REAL.assign(col2=list("abcde"))}, "Column 'col2' of `real_data` cannot be cut: .*a"),
        ({"real_data": REAL.assign(col2=np.inf)}, "Column 'col2' of `real_data` has an infinite value"),
        ({"real_data": REAL.assign(col2=np.nan)}, "Column 'col2' of `real_data` has no value"),
    ],
)
def test_value_errors_say_the_argument_and_what_it_was(change: dict[str, Any], message: str) -> None:
    good = {
        "real_data": REAL,
        "synthetic_data": REAL,
        "known_column_names": ["col1"],
        "sensitive_column_names": ["col2"],
        "continuous_column_names": ["col2"],
    }
    assert DisclosureProtection.compute(**good) == 0
    with pytest.raises(ValueError, match=message):
        DisclosureProtection.compute(**good | change)


@pytest.mark.parametrize("argument", ["num_rows_subsample", "num_iterations"])
@pytest.mark.parametrize("wrong", [0, -3, "x", None, 2.5])
def test_sampling_parameters_are_checked_in_both_calls(argument: str, wrong: Any) -> None:
    for function in (DisclosureProtectionEstimate.compute, DisclosureProtectionEstimate.compute_breakdown):
        with pytest.raises(ValueError, match=f"`{argument}` must be an integer greater than zero"):
            function(REAL, REAL, ["col1"], ["col2"], **{argument: wrong})


@direct
def test_times_that_are_not_cut_are_refused() -> None:
    with pytest.raises(TypeError, match="Column 'time' is of an invalid data type, datetime64"):
        DisclosureProtection.compute(REAL, REAL, ["time"], ["col1"])
    with pytest.raises(TypeError, match="Column 'time' is of an invalid data type, datetime64"):
        CategoricalCAP.compute(REAL, REAL, key_fields=["time"], sensitive_fields=["col1"])
    assert DisclosureProtection.compute(REAL, REAL, ["time"], ["col1"], continuous_column_names=["time"]) == 0


@pytest.mark.filterwarnings("error")
def test_names_and_numbers_of_any_kind_are_taken_and_many_records_in_silence() -> None:
    """SDMetrics takes lists and Python's integers only, and warns above 10,000 records."""
    many = pd.concat([REAL] * 2001, ignore_index=True)
    for names in (("col1",), pd.Index(["col1"]), np.array(["col1"])):
        assert DisclosureProtection.compute(many, REAL, names, ["col2"], "cap", ("col2",), np.int64(10)) == 0


def test_method_names_may_be_in_capitals() -> None:
    assert DisclosureProtection.compute(REAL, REAL, ["col1"], ["col2"], "Zero_CAP") == 0


@direct
@pytest.mark.parametrize("metric", DIRECT.values())
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sensitive_fields": ["col2"]}, TypeError, "`key_fields` must be given"),
        ({"key_fields": ["col1"]}, TypeError, "`sensitive_fields` must be given"),
        ({}, TypeError, "`key_fields` must be given"),
        ({"key_fields": [], "sensitive_fields": ["col2"]}, ValueError, "`key_fields` must be a list with at least one name"),
        ({"key_fields": ["x"], "sensitive_fields": ["col2"]}, KeyError, "Column 'x' is not in `real_data`"),
        ({"key_fields": ["col1"], "sensitive_fields": ["col2"], "model_kwargs": {"k": 1}}, TypeError, "`model_kwargs` must be empty"),
        ({"table_name": 1}, TypeError, "`table_name` must be a string"),
        ({"metadata": "x"}, TypeError, "`metadata` must be a dictionary"),
        ({"metadata": {}}, ValueError, "`metadata` must have 'columns'"),
        ({"metadata": {"tables": {"a": {}, "b": {}}}}, ValueError, "describes 2 tables"),
        ({"metadata": {"tables": {"a": {}}}, "table_name": "b"}, ValueError, "`table_name` 'b' is not in the metadata"),
    ],
)
def test_direct_classes_raise_what_sdmetrics_raises(metric: Any, arguments: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        metric.compute(REAL, REAL, **arguments)


@direct
def test_that_columns_differ_is_said_before_fields_are_looked_at() -> None:
    for fields in ({}, {"key_fields": ["x"], "sensitive_fields": ["col2"]}):
        with pytest.raises(ValueError, match="must have the same columns; only one has 'more'"):
            CategoricalCAP.compute(REAL, REAL.assign(more=1), **fields)


@direct
def test_metadata_name_fields_and_what_columns_are() -> None:
    table = REAL[["col1", "col2"]]
    columns = {"col1": {"sdtype": "categorical"}, "col2": {"sdtype": "numerical"}}
    described = {"columns": columns, "key_fields": ["col1"], "sensitive_fields": ["col2"]}
    assert CategoricalCAP.compute(table, table, described) == 0
    assert CategoricalCAP.compute_breakdown(table, table, {"tables": {"people": described}}, "people") == {"score": 0.0}
    assert CategoricalCAP.compute({"people": table}, {"people": table}, described, key_fields=["nothing"]) == 0
    with pytest.raises(TypeError, match="Column 'col1' has an invalid data type in the metadata"):
        CategoricalCAP.compute(table, table, {**described, "columns": {**columns, "col1": {"sdtype": "ordinal"}}})
    with pytest.raises(ValueError, match="only one has 'col3'"):
        CategoricalCAP.compute(table, table, {**described, "columns": {**columns, "col3": {"sdtype": "categorical"}}})
    with pytest.raises(TypeError, match="`key_fields` must be given"):
        CategoricalCAP.compute_breakdown(table, table)


# --- an oracle that walks through the records -------------------------------------------------------------------------


def walked(real: pd.DataFrame, synthetic: pd.DataFrame, known: list[str], sensitive: list[str], method: str) -> float:
    """1 - CAP, one record after the other, in fractions; equality is that of Python."""
    rows = [[(tuple(row[c] for c in known), tuple(row[c] for c in sensitive)) for row in t.to_dict("records")] for t in (real, synthetic)]
    hits = []
    for key, value in rows[0]:
        twins = [v for k, v in rows[1] if k == key]
        if not twins and method == "generalized_cap":
            far = [sum(a != b for a, b in zip(k, key, strict=True)) for k, _ in rows[1]]
            twins = [v for (_, v), d in zip(rows[1], far, strict=True) if d == min(far)]
        if twins:
            hits.append(Fraction(sum(v == value for v in twins), len(twins)))
        elif method == "zero_cap":
            hits.append(Fraction(0))
    return 1 - float(sum(hits) / len(hits)) if hits else math.nan


@pytest.mark.parametrize("method", METHODS)
def test_the_drop_in_is_a_walk_through_the_records(method: str) -> None:
    rng = np.random.default_rng(5)
    pool = [0, 1, 1.0, True, "1", "a", dt.date(2020, 1, 1), (1, 2), 2.5, 2**60]
    for _ in range(20):
        n, m = rng.integers(1, 20, 2)
        real, synthetic = (
            pd.DataFrame({c: pd.Series([pool[i] for i in rng.integers(0, len(pool), k)], dtype=object) for c in "abcd"}) for k in (n, m)
        )
        found = DisclosureProtection.compute_breakdown(real, synthetic, ["a", "b"], ["c", "a"], method)
        assert found["cap_protection"] == pytest.approx(walked(real, synthetic, ["a", "b"], ["c", "a"], method), abs=1e-12, nan_ok=True)
