"""Batches of dense tables are cut into pieces; what each method of a table gives is tested in test_table."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from capstats.tables import dense
from capstats.tables.aligned import batch_of
from capstats.tables.dense import Dense, DenseBatch, cut, expanded


@given(st.lists(st.integers(1, 4), max_size=3), st.integers(1, 300_000))
def test_pieces_cover_a_batch_once(batch: list[int], cells: int) -> None:
    covered = np.zeros(batch, int)
    for piece in cut(batch, cells):
        covered[piece] += 1
        assert covered[piece].size * cells <= max(dense.BLOCK, cells)
    assert (covered == 1).all()


def test_arrays_get_one_axis_for_each_dim_of_the_batch() -> None:
    array = xr.DataArray(np.arange(24).reshape(2, 3, 4, 1), dims=("b", "a", "target", "key"))
    assert expanded(array, ["a", "c", "b"]).shape == (3, 1, 2, 4, 1)
    assert expanded(array, ["a", "c", "b"])[2, 0, 1].tolist() == array.values[1, 2].tolist()


@pytest.mark.parametrize("pieces_from_which_threads_pay", [1, 100])
def test_pieces_are_put_where_they_belong_by_one_thread_or_several(
    monkeypatch: pytest.MonkeyPatch, pieces_from_which_threads_pay: int
) -> None:
    monkeypatch.setattr(dense, "BLOCK", 4)
    monkeypatch.setattr(dense, "MANY", pieces_from_which_threads_pay)
    tables = {"s": xr.DataArray(np.arange(40).reshape(10, 2, 2), dims=("draw", "target", "key"))}
    batch = DenseBatch(tables, [np.arange(20).reshape(10, 2)], batch_of(tables)[0], {})
    found = batch.map(lambda s, by_key: s.key_total * by_key, gives_table=False)
    assert found.tolist() == (tables["s"].values.sum(1) * np.arange(20).reshape(10, 2)).tolist()
    assert batch.map(lambda s, _: s.like(2 * s.values), gives_table=True).tolist() == (2 * tables["s"].values).tolist()


def test_one_table_of_a_batch_is_its_member() -> None:
    values = np.arange(24).reshape(2, 3, 2, 2)
    assert Dense(values).member((1, 2)).values.tolist() == values[1, 2].tolist()
