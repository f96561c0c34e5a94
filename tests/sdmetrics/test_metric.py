"""Metrics say what they are; the frames that they are given are checked."""

from __future__ import annotations

import pandas as pd
import pytest
from sdmetrics_calls import DIRECT, NAMES, REAL, direct, people

from capstats.sdmetrics import CategoricalCAP, CategoricalZeroCAP, DisclosureProtection, DisclosureProtectionEstimate
from capstats.sdmetrics.categorical import CategoricalMetric
from capstats.sdmetrics.metric import Metric


def test_metrics_say_what_they_are() -> None:
    assert [metric.name for metric in DIRECT.values()] == ["CategoricalCAP", "0CAP", "Categorical GeneralizedCAP"]
    for metric in (*DIRECT.values(), DisclosureProtection, DisclosureProtectionEstimate):
        assert (metric.min_value, metric.max_value, metric.goal) == (0, 1, "maximize")
        assert (metric.goal.name, metric.goal.value) == ("MAXIMIZE", "maximize")
        assert [metric.normalize(score) for score in (0.0, 0.25, 1)] == [0, 0.25, 1]
        for score in (-0.25, 1.5):
            with pytest.raises(ValueError, match=f"must be from 0 to 1; got {score}"):
                metric.normalize(score)


def test_metrics_say_what_is_derived_from_them() -> None:
    assert DisclosureProtection.get_subclasses() == {"DisclosureProtectionEstimate": DisclosureProtectionEstimate}
    assert all(metric.get_subclasses() == {} for metric in (*DIRECT.values(), DisclosureProtectionEstimate))
    everything = {metric.__name__: metric for metric in (*DIRECT.values(), DisclosureProtectionEstimate)}
    assert Metric.get_subclasses() == everything
    parents = {metric.__name__: metric for metric in (DisclosureProtection, CategoricalMetric)}
    assert Metric.get_subclasses(include_parents=True) == everything | parents


def test_a_table_of_any_index_and_of_other_columns_is_the_same() -> None:
    real, synthetic = people("original"), people("good")
    moved = real.set_index(pd.Index(range(100, 0, -1))).assign(more=None), synthetic[list(synthetic)[::-1]].assign(more=pd.NA)
    assert DisclosureProtection.compute(*moved, **NAMES) == DisclosureProtection.compute(real, synthetic, **NAMES)


@direct
def test_times_that_are_not_cut_are_refused() -> None:
    with pytest.raises(TypeError, match="Column 'time' is of an invalid data type, datetime64"):
        DisclosureProtection.compute(REAL, REAL, ["time"], ["col1"])
    with pytest.raises(TypeError, match="Column 'time' is of an invalid data type, datetime64"):
        CategoricalCAP.compute(REAL, REAL, key_fields=["time"], sensitive_fields=["col1"])
    assert DisclosureProtection.compute(REAL, REAL, ["time"], ["col1"], continuous_column_names=["time"]) == 0


@direct
@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # no text is a time
def test_the_times_that_are_refused_are_those_of_the_original() -> None:
    """SDMetrics looks at no type of the synthetic table."""
    texts = REAL.assign(time=REAL["time"].astype(str))
    with pytest.raises(TypeError, match="Column 'time' is of an invalid data type, datetime64"):
        DisclosureProtection.compute(REAL, texts, ["time"], ["col1"])
    with pytest.raises(TypeError, match="Column 'time' is of an invalid data type, datetime64"):
        CategoricalCAP.compute(REAL, texts, key_fields=["time"], sensitive_fields=["col1"])
    assert DisclosureProtection.compute(texts, REAL, ["time"], ["col1"], "zero_cap") == 1
    assert CategoricalZeroCAP.compute(texts, REAL, key_fields=["time"], sensitive_fields=["col1"]) == 1


def test_times_with_a_gap_are_taken_as_they_are() -> None:
    """With a missing value SDMetrics sees objects."""
    gap = REAL.assign(time=REAL["time"].where(REAL["col1"] > 0))
    assert DisclosureProtection.compute(gap, gap, ["time"], ["col1"]) == 0
    assert DisclosureProtection.compute(gap, REAL, ["time"], ["col1"]) == 0  # the record with the gap is left out
    with pytest.raises(TypeError, match="Column 'time' is of an invalid data type, datetime64"):
        DisclosureProtection.compute(REAL, gap, ["time"], ["col1"])


@direct
def test_that_columns_differ_is_said_before_fields_are_looked_at() -> None:
    for fields in ({}, {"key_fields": ["x"], "sensitive_fields": ["col2"]}):
        with pytest.raises(ValueError, match="must have the same columns; only one has 'd', 'more', 1 column of `real_data`"):
            CategoricalCAP.compute(REAL.assign(f=1), REAL.assign(more=1, d=2), **fields)
