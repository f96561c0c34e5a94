"""Numbers are cut in whatever form a library holds them, exactly and without a look at each."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr

import capstats
from capstats import tabulate


def test_integers_are_cut_exactly_where_floats_could_not_tell_them_apart(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([2**62, 2**62 + 1, 2**62 + 2]), "t": ["x", "y", "z"]})
    pq.write_table(table, tmp_path / "t.parquet")
    for given in (table, pl.from_arrow(table), pl.from_arrow(table).lazy(), tmp_path / "t.parquet"):  # type: ignore[union-attr]
        tables = tabulate(given, keys="a", target="t", bins={"a": [2**62 + 1]})
        assert tables.o.sum("target").values.tolist() == [2, 1]


@pytest.mark.parametrize(
    "values",
    [
        [Decimal("1.1"), Decimal("1.2"), None],
        pd.Categorical([1.1, 1.2, None]),
        np.ma.array([1.1, 1.2, 9], mask=[0, 0, 1]),
        pd.Series([1.1, 1.2, None], dtype="Float64"),
        pd.arrays.SparseArray([1.1, 1.2, np.nan]),
        np.array([1.1, 1.2, np.nan], ">f8"),
        pl.Series([Decimal("1.1"), Decimal("1.2"), None]),
        [" 1.1", "+1.2 ", None],
        xr.DataArray([1.1, 1.2, np.nan]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_numbers_in_any_form_are_cut(values: Any) -> None:
    tables = tabulate({"a": values, "t": [1, 2, 3]}, keys="a", target="t", bins={"a": [1.1]})
    assert tables.o.sum("target").values.tolist() == [1, 1, 1]


def test_cutting_ten_million_floats_looks_at_no_value_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("capstats.sources.columns.canonical", None)  # what makes a label of a value
    values = np.random.default_rng(0).random(10**6)
    tables = tabulate({"a": values, "t": np.zeros(10**6, bool)}, keys="a", target="t", bins={"a": ("quantile", 4)})
    assert tables.o.values.tolist() == [[250_000] * 4]
    assert capstats.average_cap(tables.o, tables.o) == 1
