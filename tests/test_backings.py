"""Every measure gives the same numbers on dense tables and on tables backed by sparse.COO."""

from __future__ import annotations

import numpy as np
import pytest
import sparse
import xarray as xr

import capstats

RNG = np.random.default_rng(7)


def tables(kind: str) -> tuple[xr.DataArray, xr.DataArray]:
    """Original and synthetic tables: with empty keys on either side, ties, full columns; several synthetic ones; weights."""
    o = RNG.integers(0, 4, (4, 30)) * RNG.integers(0, 2, (4, 30))
    s = RNG.integers(0, 4, (4, 30)) * RNG.integers(0, 2, (4, 30))
    o[:, 0], s[:, 1], s[:, 2], o[:, 3] = 0, 0, 0, 2
    if kind == "several":
        s = np.stack([s, np.roll(s, 1, axis=1), RNG.integers(0, 2, s.shape)])
    if kind == "full":
        o, s = o + 1, s + 1
    if kind == "weights":
        return xr.DataArray(o * 0.3, dims=("target", "key")), xr.DataArray(s * 0.7, dims=("target", "key"))
    return xr.DataArray(o, dims=("target", "key")), xr.DataArray(s, dims=("synthetic", "target", "key")[3 - s.ndim :])


def as_sparse(array: xr.DataArray) -> xr.DataArray:
    return array.copy(data=sparse.COO.from_numpy(array.values))


MEASURES = {
    "average_cap zero": capstats.average_cap,
    "average_cap drop": lambda o, s: capstats.average_cap(o, s, unmatched="drop"),
    "matched_records": capstats.matched_records,
    "correct_predictions": capstats.correct_predictions,
    "cap_ecdf zero": lambda o, s: capstats.cap_ecdf(o, s, [0.0, 0.2, 0.5, 1.0]),
    "cap_ecdf drop": lambda o, s: capstats.cap_ecdf(o, s, 0.5, unmatched="drop"),
    "baseline marginal": lambda o, s: capstats.baseline_cap(o),
    "baseline modal": lambda o, s: capstats.baseline_cap(o, kind="modal"),
    "baseline uniform": lambda o, s: capstats.baseline_cap(o, kind="uniform"),
    "baseline modal_synthetic": lambda o, s: capstats.baseline_cap(o, s, kind="modal_synthetic"),
    "baseline crossed": lambda o, s: capstats.baseline_cap(o, s, kind="crossed"),
    "minimum_cap zero": lambda o, s: capstats.minimum_cap(o),
    "minimum_cap drop": lambda o, s: capstats.minimum_cap(o, unmatched="drop"),
    "maximum_cap zero": lambda o, s: capstats.maximum_cap(o, m=7),
    "maximum_cap drop": lambda o, s: capstats.maximum_cap(o, unmatched="drop"),
    "cap_bounds least": lambda o, s: capstats.cap_bounds(o, key_totals=np.arange(30) % 3).least,
    "cap_bounds greatest": lambda o, s: capstats.cap_bounds(o, key_totals=np.arange(30) % 3, unmatched="drop").greatest,
    "average CAP of the least table": lambda o, s: capstats.average_cap(o, capstats.minimal_table(o, 5)),
    "average CAP of the least table, drop": lambda o, s: capstats.average_cap(
        o, capstats.minimal_table(o, 5, unmatched="drop"), unmatched="drop"
    ),
}
INTEGERS_ONLY = {
    "cap_quantiles zero": lambda o, s: capstats.cap_quantiles(o, s, [0, 0.1, 0.5, 0.77, 1]),
    "cap_quantiles drop": lambda o, s: capstats.cap_quantiles(o, s, 0.3, unmatched="drop"),
    **{
        f"cap_boxplot {name}": lambda o, s, name=name: capstats.cap_boxplot(o, s)[name]
        for name in ("lower_whisker", "lower_quartile", "median", "upper_quartile", "upper_whisker", "average", "original_cap")
    },
}


@pytest.mark.parametrize("kind", ["one", "several", "full", "weights"])
@pytest.mark.parametrize("measure", [*MEASURES, *INTEGERS_ONLY])
def test_a_measure_gives_the_same_numbers_on_both_backings(measure: str, kind: str) -> None:
    o, s = tables(kind)
    if kind == "weights" and measure in INTEGERS_ONLY:
        with pytest.raises(ValueError, match="`o` must hold integers"):
            INTEGERS_ONLY[measure](as_sparse(o), as_sparse(s))
        return
    f = (MEASURES | INTEGERS_ONLY)[measure]
    dense = f(o, s)
    for found in (f(as_sparse(o), as_sparse(s)), f(o, as_sparse(s)), f(as_sparse(o), s)):
        assert isinstance(found.data, np.ndarray)
        assert found.dims == dense.dims
        assert found.dtype == dense.dtype
        np.testing.assert_allclose(found.values, dense.values, rtol=1e-12)


@pytest.mark.parametrize("kind", ["one", "several", "full"])
@pytest.mark.parametrize("unmatched", ["zero", "drop"])
def test_cell_values_agree_where_a_table_holds_records_and_are_0_elsewhere(kind: str, unmatched: str) -> None:
    o, s = tables(kind)
    dense = capstats.individual_cap(o, s, unmatched=unmatched)
    found = capstats.individual_cap(as_sparse(o), as_sparse(s), unmatched=unmatched)
    assert isinstance(found.data, sparse.COO)
    held = ((o + s) > 0).transpose(*dense.dims).values
    np.testing.assert_array_equal(found.data.todense()[held], dense.values[held])
    assert (found.data.todense()[~held] == 0).all()


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
@pytest.mark.parametrize("kind", ["one", "full"])
def test_minimal_cells_agree_where_the_original_holds_records_and_are_true_elsewhere_when_the_minimum_is_0(
    kind: str, unmatched: str
) -> None:
    o, _ = tables(kind)
    dense = capstats.minimal_cells(o, unmatched=unmatched).values
    found = capstats.minimal_cells(as_sparse(o), unmatched=unmatched).data
    np.testing.assert_array_equal(found.todense()[o.values > 0], dense[o.values > 0])
    assert bool(found.fill_value) == (float(capstats.minimum_cap(o, unmatched=unmatched)) == 0)


def test_bad_cells_are_named_on_sparse_tables_too() -> None:
    o, s = tables("one")
    s[2, 5] = -3
    with pytest.raises(ValueError, match=r"`s` must be non-negative; got -3 at key=5, target=2"):
        capstats.average_cap(as_sparse(o), as_sparse(s))


def test_tables_with_other_labels_are_aligned_on_sparse_backing() -> None:
    o = xr.DataArray([[1, 2], [3, 0]], dims=("target", "key"), coords={"target": ["a", "b"], "key": ["x", "y"]})
    s = xr.DataArray([[1, 4], [2, 1]], dims=("target", "key"), coords={"target": ["a", "c"], "key": ["y", "z"]})
    dense = capstats.average_cap(o, s)
    assert float(capstats.average_cap(as_sparse(o), as_sparse(s))) == float(dense) == 2 / 3 / 6


def test_a_fill_value_that_is_not_0_is_refused() -> None:
    o, _ = tables("one")
    with pytest.raises(ValueError, match="fill value 1"):
        capstats.average_cap(o, as_sparse(o).copy(data=as_sparse(o).data + 1))
