"""Batches of dense tables are cut into pieces; what each method of a table gives is tested in test_table."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from capstats.tables import dense
from capstats.tables.aligned import batch_of
from capstats.tables.dense import DenseBatch


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
