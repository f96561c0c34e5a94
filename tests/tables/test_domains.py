"""Domains only add or drop zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from small_tables import COUNTS, RECORDS, cells

from capstats import from_counts, full_domain, observed_domain, tabulate
from capstats.codes.labels import MISSING
from capstats.tables import domains

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_the_observed_domain_has_the_keys_and_targets_of_original_records_only() -> None:
    synthetic = pd.DataFrame({"sex": ["z", "f"], "level": ["mid", "low"], "age": [1, 7], "income": ["new", "lo"], "w": [1.0, 1]})
    tables = tabulate(RECORDS, synthetic, keys=["sex", "age"], target="income")
    xr.testing.assert_identical(observed_domain(tables), tabulate(RECORDS, keys=["sex", "age"], target="income").o)
    assert observed_domain(tables).sizes["key"] < tables.sizes["key"]


def test_the_full_domain_has_every_combination_of_levels_in_order() -> None:
    tables = tabulate(RECORDS, RECORDS, holdout=RECORDS, keys=["level", "sex"], target=["income", "age"])
    full = full_domain(tables)
    assert full.sizes == {"key": 4 * 4, "target": 3 * 3}
    levels = ["mid", "low", "high", MISSING]
    assert full.indexes["key"].tolist() == [(level, sex) for level in levels for sex in ["f", "m", "x", MISSING]]
    assert full.indexes["target"].tolist() == [(income, age) for income in ["lo", "hi", "no"] for age in [1, 2, 10]]
    assert all(cells(full[v]) == cells(tables[v]) for v in "osh")
    assert full.attrs == tables.attrs
    xr.testing.assert_identical(full_domain(full), full)


@pytest.mark.parametrize("labels", [{"sex": list("abc")}, {"sex": list("abc"), "age": [1, 2, 3]}])
def test_the_full_domain_of_a_part_has_the_levels_of_the_part(labels: dict[str, Any]) -> None:
    tables = from_counts(COUNTS, key_labels=labels, target_labels={"income": ["low", "high"]})
    part = tables.isel(key=[0, 2], target=[0])
    assert full_domain(part).o.shape == (1, 2 ** len(labels))
    assert cells(full_domain(part).o) == cells(part.o)


def test_the_full_domain_of_several_synthetic_tables_keeps_their_labels() -> None:
    tables = tabulate(RECORDS, {"a": RECORDS, "b": RECORDS.iloc[:2]}, keys=["sex", "level"], target="income")
    full = full_domain(tables)
    assert full.s.dims == ("synthetic", "target", "key")
    assert full.indexes["synthetic"].tolist() == ["a", "b"]
    assert [int(x) for x in full.s.sum(["target", "key"])] == [8, 2]


def test_a_domain_that_is_too_large_raises_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = from_counts(np.ones((1, 40)), key_labels={f"c{i}": list(range(40)) for i in range(6)})
    with pytest.raises(ValueError, match=rf"The full domain has {40**6} cells, more than 2\*\*27\. Give fewer key columns"):
        full_domain(tables)
    monkeypatch.setattr(domains, "LARGEST_DOMAIN", 6)
    assert full_domain(from_counts(COUNTS)).o.shape == (2, 3)
