"""A table in each library that holds one in memory, and its records as they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from capstats.sources.door import open_source
from capstats.sources.source import Query


def read(table: Any, columns: list[Any], weight: Any, name: str) -> tuple[list[Any], Any]:
    """The columns as codes, and the weights, None where each row is one record."""
    found, sums = open_source(table, name).rows(Query(columns, weight))
    return found, sums[0] if sums else None


RECORDS = {"sex": ["f", "m", "f"], "age": [1, 2, 1], "w": [1, 2, 3]}
FRAMES: list[Callable[[Any], Any]] = [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda x: nw.from_native(pl.DataFrame(x))]
frames = pytest.mark.parametrize("frame", FRAMES, ids=["mapping", "pandas", "polars", "arrow", "narwhals"])
