"""The direct classes give the numbers of SDMetrics, and raise and warn as it does."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from sdmetrics_calls import DIRECT, METHODS, REAL, REFERENCE, close, direct, frames

from capstats.sdmetrics import CategoricalCAP

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

# Direct classes match a missing value or not by which object it is; here missing values are one class.
DEVIATIONS = {
    ("nan_in_object_key_and_target", "generalized_cap"),
    ("none_in_original_nan_in_synthetic", "cap"),
    ("none_in_original_nan_in_synthetic", "zero_cap"),
    ("none_in_original_nan_in_synthetic", "generalized_cap"),
}


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


@pytest.mark.parametrize("metric", DIRECT.values())
def test_direct_classes_warn_that_sdmetrics_calls_them_deprecated(metric: Any) -> None:
    real = pd.DataFrame({"col1": range(5), "col2": list("ABCAB")})
    synthetic = pd.DataFrame({"col1": range(5), "col2": list("CAABC")})
    with pytest.warns(DeprecationWarning, match="'DisclosureProtection' and 'DisclosureProtectionEstimate'") as said:
        assert metric.compute(real, synthetic, key_fields=["col1"], sensitive_fields=["col2"]) == 1
    assert [warning.filename for warning in said] == [__file__]


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
def test_metadata_name_fields_and_what_columns_are() -> None:
    table = REAL[["col1", "col2"]]
    columns = {"col1": {"sdtype": "categorical"}, "col2": {"sdtype": "numerical"}}
    for sdtype in ("categorical", "numerical", "boolean"):
        of_all = {"columns": {name: {"sdtype": sdtype} for name in table}}
        assert CategoricalCAP.compute(table, table, of_all, key_fields=["col1"], sensitive_fields=["col2"]) == 0
    described = {"columns": columns, "key_fields": ["col1"], "sensitive_fields": ["col2"]}
    assert CategoricalCAP.compute(table, table, described) == 0
    assert CategoricalCAP.compute_breakdown(table, table, {"tables": {"people": described}}, "people") == {"score": 0.0}
    assert CategoricalCAP.compute(table, table, {"tables": {"people": described}}) == 0
    other = {"columns": {"col3": {"sdtype": "categorical"}}}
    assert CategoricalCAP.compute(table, table, {"tables": {"households": other, "people": described}}, "people") == 0
    assert CategoricalCAP.compute({"people": table}, {"people": table}, described, key_fields=["nothing"]) == 0
    with pytest.raises(TypeError, match="Column 'col1' has an invalid data type in the metadata"):
        CategoricalCAP.compute(table, table, {**described, "columns": {**columns, "col1": {"sdtype": "ordinal"}}})
    with pytest.raises(ValueError, match="only one has 'col3'"):
        CategoricalCAP.compute(table, table, {**described, "columns": {**columns, "col3": {"sdtype": "categorical"}}})
    with pytest.raises(TypeError, match="`key_fields` must be given"):
        CategoricalCAP.compute_breakdown(table, table)
