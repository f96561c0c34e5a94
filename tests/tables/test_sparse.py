"""The cells that are stored in sparse tables; their batches are in test_aligned and test_backings, their methods in test_table."""

from __future__ import annotations

import numpy as np
import pytest
import sparse
import xarray as xr

from capstats.tables.sparse import filled_cells

ORIGINAL = np.array([[0, 1, 0], [2, 0, 0]])


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
