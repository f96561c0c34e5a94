"""What is a table of counts, and what is none."""

from __future__ import annotations

import numpy as np
import pytest
import sparse
import xarray as xr

from capstats.tables.checking import as_counts, in_range


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fractional_counts_become_float64(dtype: str) -> None:
    assert as_counts(np.array([[0.5, 1]], dtype), "o").dtype == np.float64


@pytest.mark.parametrize("stored", [False, True])
def test_the_records_of_each_table_must_sum_exactly(stored: bool) -> None:
    """Each cell is below 2**53, and the sum of one of the two tables is not."""
    values = np.array([[[2**52, 1]], [[2**52, 2**52]]])
    table = xr.DataArray(values, dims=("draw", "target", "key"))
    table = table.copy(data=sparse.COO.from_numpy(values)) if stored else table
    with pytest.raises(ValueError, match=r"`o` must hold fewer than 2\*\*53 records in all, to be exact\. Scale its weights down"):
        as_counts(table, "o")
    assert as_counts(table[:1], "o").sizes["draw"] == 1


def test_the_range_of_counts_is_that_of_each_table() -> None:
    assert in_range(np.array([[[2**52, 2**52 - 1]]]))
    assert not in_range(np.array([[[2**52, 2**52]]]))
    assert not in_range(np.array([[-1]]))
    assert in_range(np.array([[2**52], [2**52]]), core=1)


def test_a_sparse_table_of_fractions_is_checked_where_it_is_stored() -> None:
    table = xr.DataArray(sparse.COO.from_numpy(np.array([[0, 0.5], [0, -0.5]])), dims=("target", "key"))
    with pytest.raises(ValueError, match=r"`o` must be non-negative; got -0\.5 at key=1, target=1"):
        as_counts(table, "o")
