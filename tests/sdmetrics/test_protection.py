"""DisclosureProtection gives the numbers of SDMetrics, to the last bit where its own tests ask, and errors that say what was wrong."""

from __future__ import annotations

import datetime as dt
import inspect
import json
import math
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdmetrics_calls import DIRECT, METHODS, NAMES, REAL, REFERENCE, close, direct, frames, people

from capstats.sdmetrics import CategoricalZeroCAP, DisclosureProtection, DisclosureProtectionEstimate

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here
estimate = pytest.mark.filterwarnings("ignore:capstats counts all records:UserWarning")


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


def test_the_warning_of_the_estimate_names_the_line_that_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DisclosureProtectionEstimate, "_said", False)
    with pytest.warns(UserWarning, match="This warning is shown once") as said:
        DisclosureProtectionEstimate.compute_breakdown(REAL, REAL, ["col1"], ["col2"])
    assert [warning.filename for warning in said] == [__file__]
    DisclosureProtectionEstimate.compute_breakdown(REAL, REAL, ["col1"], ["col2"])  # another warning would be an error


def test_one_bin_hides_a_number() -> None:
    """With two bins both people are found; with one a guess is as good as a blind one."""
    two = pd.DataFrame({"k": [0, 1], "t": ["x", "y"]})
    assert [DisclosureProtection.compute(two, two, ["k"], ["t"], "cap", ["k"], bins) for bins in (1, 2)] == [1, 0]


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


def test_many_sensitive_columns_do_not_overflow() -> None:
    """64 binary columns have 2**64 combinations, which SDMetrics counts as 0, so that its score is -0.0."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.integers(0, 2, (50, 65)), columns=[f"c{i}" for i in range(65)])
    found = DisclosureProtection.compute_breakdown(table, table, ["c0"], list(table)[1:])
    rows = Counter(table.c0)
    expected = 1 - float(sum(Fraction(1, rows[key]) for key in table.c0) / 50)
    assert found == {"score": pytest.approx(expected), "cap_protection": pytest.approx(expected), "baseline_protection": 1.0}


@direct
def test_an_empty_original_has_no_protection() -> None:
    table = pd.DataFrame({"k": ["a"], "t": ["x"]})
    found = DisclosureProtection.compute_breakdown(table[:0], table, ["k"], ["t"])
    assert list(found) == ["score", "cap_protection", "baseline_protection"]
    assert all(map(math.isnan, found.values()))
    assert math.isnan(DisclosureProtection.compute(table[:0], table[:0], ["k"], ["t"], "generalized_cap"))
    assert math.isnan(CategoricalZeroCAP.compute(table[:0], table, key_fields=["k"], sensitive_fields=["t"]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"real_data": [1]}, "must be pandas DataFrames; `real_data` is list"),
        ({"synthetic_data": {"col1": [1]}}, "must be pandas DataFrames; `synthetic_data` is dict"),
        ({"known_column_names": []}, "`known_column_names` must name at least one column"),
        ({"sensitive_column_names": []}, "`sensitive_column_names` must name at least one column"),
        ({"known_column_names": ["col1", "col3"]}, "`known_column_names` has 'col3', missing from `real_data`. Did you mean 'col"),
        (
            {"synthetic_data": REAL.assign(more=1), "known_column_names": ["more"]},
            "`known_column_names` has 'more', missing from `real_data`",
        ),
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
        ({"real_data": REAL.assign(col2=[1, 2, 3, 4, -np.inf])}, "Column 'col2' of `real_data` has an infinite value"),
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


@pytest.mark.filterwarnings("error")
def test_names_and_numbers_of_any_kind_are_taken_and_many_records_in_silence() -> None:
    """SDMetrics takes lists and Python's integers only, and warns above 10,000 records."""
    many = pd.concat([REAL] * 2001, ignore_index=True)
    for names in (("col1",), pd.Index(["col1"]), np.array(["col1"])):
        assert DisclosureProtection.compute(many, REAL, names, ["col2"], "cap", ("col2",), np.int64(10)) == 0


def test_method_names_may_be_in_capitals() -> None:
    assert DisclosureProtection.compute(REAL, REAL, ["col1"], ["col2"], "Zero_CAP") == 0


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


def test_the_notebook_for_users_of_sdmetrics_has_the_numbers_that_sdmetrics_printed() -> None:
    tests = Path(__file__).parents[1]
    printed = json.loads((tests / "reference" / "sdmetrics_notebook.json").read_text(encoding="utf-8"))
    cells = json.loads((tests.parent / "notebooks" / "from_sdmetrics.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    lists = {name: re.findall(rf"^{name} \+?= \[(.*?)\]", code, re.M) for name in ("theirs", "runs_cap")}
    found = {name: [float(x) for part in parts for x in part.split(",")] for name, parts in lists.items()}
    assert found["theirs"] == [x for x in printed.values() if isinstance(x, float)]
    assert found["runs_cap"] == printed["DisclosureProtectionEstimate, cap"]
    assert set(printed["DisclosureProtectionEstimate, zero_cap"]) == {1}
