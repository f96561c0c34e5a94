"""Dates and moments are cut as numbers, exactly, and only where the column is of the type that is asked for."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from capstats import tabulate


def test_nanoseconds_are_cut_exactly(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([-1_500, -1_000, -999, 1_000, 1_001], pa.timestamp("ns")), "t": list("vwxyz")})
    pq.write_table(table, tmp_path / "t.parquet")
    points = [dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(1970, 1, 1, 0, 0, 0, 1)]
    for given in (table, table.to_pandas(), pl.from_arrow(table), pl.from_arrow(table).lazy(), tmp_path / "t.parquet"):  # type: ignore[union-attr]
        tables = tabulate(given, keys="a", target="t", bins={"a": points})
        assert tables.o.sum("target").values.tolist() == [2, 2, 1]


def test_a_cut_point_between_two_microseconds_is_refused() -> None:
    table = {"a": [dt.datetime(1970, 1, 1)], "t": ["x"]}
    with pytest.raises(
        ValueError, match=r"Cut points must be whole microseconds; `bins` of column 'a' has 1970-01-01T00:00:00\.000000001\."
    ):
        tabulate(table, keys="a", target="t", bins={"a": [pd.Timestamp(1)]})


def test_types_that_a_column_is_not_of_are_told(tmp_path: Path) -> None:
    table = {"a": [1, 2], "t": ["x", "y"]}
    pl.DataFrame(table).write_parquet(tmp_path / "t.parquet")
    for given in (table, pl.LazyFrame(table), tmp_path / "t.parquet"):
        with pytest.raises(TypeError, match=r"Column 'a' of `original` holds number labels, and `types` says 'date'\. Convert"):
            tabulate(given, keys="a", target="t", bins={"a": 2}, types={"a": "date"})
