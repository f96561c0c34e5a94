"""A file is cut within DuckDB as a table in memory is, and what is not of a form that is cut there raises."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr

from capstats import MISSING, tabulate


def test_decimals_are_cut_alike_in_memory_and_in_files(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([Decimal(i) / 100 for i in range(200)], pa.decimal128(9, 2)), "t": ["x"] * 200})
    pq.write_table(table, tmp_path / "t.parquet")
    for bins in (7, ("quantile", 7), [0.1, 0.29, 1.1]):
        tables = tabulate(table, keys="a", target="t", bins={"a": bins})
        for other in (tmp_path / "t.parquet", pl.from_arrow(table).lazy()):  # type: ignore[union-attr]
            assert tabulate(other, keys="a", target="t", bins={"a": bins}).identical(tables)


@pytest.mark.newest  # DuckDB 1.3 reads no zone after minutes
def test_a_file_with_zones_in_some_rows_only_raises(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,t\n2024-01-01 00:00,1\n2024-01-01 00:00Z,1\n")
    for bins in (2, ["2024-01-01"]):
        with pytest.raises(TypeError, match=r"mixes kinds|holds datetime with zone labels in `original`"):
            tabulate(tmp_path / "t.csv", keys="a", target="t", bins={"a": bins}, types={"a": "datetime"})


def test_a_file_with_dates_in_another_form_raises(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,t\n20240101,1\n")
    with pytest.raises(ValueError, match=r"holds 1 level \(1 record\) that is not in a form that is cut in files: 2024-01-31"):
        tabulate(tmp_path / "t.csv", keys="a", target="t", bins={"a": 2}, types={"a": "date"})


@pytest.mark.parametrize("spec", [2, ("quantile", 2), [2.0]])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_of_a_parquet_file_with_statistics_is_missing(dtype, spec, tmp_path):
    """With the least and the greatest number in the statistics, DuckDB takes `isnan` for false; an infinity would hide it."""
    table = pa.table({"x": pa.array([1.0, 2.0, 3.0, np.nan, np.nan], dtype), "t": list("ababa")})
    pq.write_table(table, tmp_path / "n.parquet")
    of_file, of_memory = (tabulate(x, keys="x", target="t", bins={"x": spec}).o for x in (tmp_path / "n.parquet", table))
    assert of_file.sel(x=MISSING).sum() == 2
    xr.testing.assert_identical(of_file, of_memory)
