"""Metrics say what they are and what is derived from them."""

from __future__ import annotations

import pytest
from sdmetrics_calls import DIRECT

from capstats.sdmetrics import CategoricalMetric, DisclosureProtection, DisclosureProtectionEstimate, Metric


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
