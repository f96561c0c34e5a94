"""Batches of sparse tables, one member after the other; what each method of a table gives is tested in test_table."""

from __future__ import annotations

import numpy as np
import pytest
import sparse
import xarray as xr

from capstats.tables.aligned import Aligned, batch_of
from capstats.tables.sparse import SparseBatch, filled_cells

ORIGINAL = np.array([[0, 1, 0], [2, 0, 0]])
S = np.array([[[0, 0, 3], [4, 0, 0]], [[0, 0, 0], [0, 0, 5]]])


def batch() -> SparseBatch:
    tables = {
        "o": xr.DataArray(ORIGINAL, dims=("target", "key")),
        "s": xr.DataArray(sparse.COO.from_numpy(S), dims=("draw", "target", "key")),
    }
    return SparseBatch(tables, [np.array([[1, 2, 3]])], batch_of(tables)[0])


def test_a_formula_sees_the_cells_that_any_table_of_a_member_fills() -> None:
    seen = []
    batch().map(lambda o, s, by_key: seen.append((o.values.tolist(), s.values.tolist(), by_key.tolist())) or 0, gives_table=False)
    assert seen == [([1, 0, 2], [0, 3, 4], [1, 2, 3]), ([1, 2, 0], [0, 0, 5], [1, 2, 3])]


def test_results_have_the_shape_of_the_batch() -> None:
    assert batch().map(lambda o, s, _: o.key_total + s.key_total, gives_table=False).tolist() == (ORIGINAL + S).sum(1).tolist()
    found = batch().map(lambda o, s, _: o.like(o.values + s.values), gives_table=True)
    assert isinstance(found, sparse.COO)
    assert found.todense().tolist() == (ORIGINAL + S).tolist()
    filled = batch().map(lambda o, s, _: o.like(o.values + s.values, fill=9), gives_table=True)
    assert filled.fill_value == 9


def test_totals_are_those_of_each_table_along_the_dims_that_it_has() -> None:
    s = xr.DataArray(sparse.COO.from_numpy(S), dims=("draw", "target", "key"))
    aligned = Aligned({"o": ORIGINAL, "s": s})
    assert aligned.totals("o").tolist() == 3
    assert aligned.totals("s").tolist() == [7, 5]


def test_stored_cells_in_any_order_are_put_in_order() -> None:
    coords = np.array([[1, 0, 0], [0, 2, 1]])
    table = xr.DataArray(sparse.COO(coords, [7, 8, 9], (2, 3), sorted=True, has_duplicates=False), dims=("target", "key"))
    shape, codes, values = filled_cells(table, [])
    assert shape == [2, 3]
    assert codes.tolist() == [1, 2, 3]
    assert values.tolist() == [9, 8, 7]


def test_cells_that_are_not_stored_must_hold_no_records() -> None:
    table = xr.DataArray(sparse.COO.from_numpy(ORIGINAL, fill_value=1), dims=("target", "key"), name="o")
    with pytest.raises(ValueError, match="`o` is sparse with fill value 1; cells that are not stored must hold 0 records"):
        filled_cells(table, [])
