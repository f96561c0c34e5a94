"""Columns of records as each kind of table that they come in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

Columns = dict[str, list[Any]]


def csv(columns: Columns, path: Path, end: str = "\n", sign: str = ".") -> Path:
    """A CSV file; with commas before decimals its separator is the semicolon."""
    between = "," if sign == "." else ";"
    held = {None: "", "": '""'}  # an empty text has quotes
    lines = [between.join(held.get(x, str(x).replace(".", sign)) for x in row) for row in zip(*columns.values(), strict=True)]
    path.write_text(end.join([between.join(columns), *lines]))
    return path


def parquet(columns: Columns, folder: Path) -> Path:
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return folder / "t.parquet"


DOORS: dict[str, Callable[[Columns, Path], Any]] = {  # of columns, and a folder for files
    "mapping": lambda columns, _: columns,
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "polars lazy": lambda columns, _: pl.LazyFrame(columns),
    "pyarrow": lambda columns, _: pa.table(columns),
    "relation": lambda columns, _: duckdb.from_arrow(pa.table(columns)),
    "Dask": lambda columns, _: dd.from_pandas(pl.DataFrame(columns).to_pandas(use_pyarrow_extension_array=True), npartitions=3),
    "Parquet": parquet,
    "CSV": lambda columns, folder: csv(columns, folder / "t.csv"),
}
