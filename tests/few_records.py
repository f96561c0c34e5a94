"""A few records, a file and a column of categories made of values, and the keys and counts that come of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from capstats import tabulate


def csv_file(path: Path, rows: list[tuple[Any, ...]], names: list[str]) -> Path:
    """Missing values as empty fields, empty texts as quoted ones."""
    lines = [",".join("" if x is None else '"' + str(x).replace('"', '""') + '"' for x in row) for row in [tuple(names), *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return path


RECORDS = {"sex": ["f", "f", "m", "f"], "age": [2, 10, 2, 2], "income": ["low", "high", "low", "low"], "w": [1, 2, 3, 0]}
OTHER = {"sex": ["m", "x"], "age": [2, 2], "income": ["mid", "low"], "w": [5, 0.5]}


def counts(array: xr.DataArray) -> dict[Any, Any]:
    """Counts above 0 by (target, *key)."""
    return {row: n for row, n in array.to_series().items() if n}


def keys_of(original: Any, *others: Any, **options: Any) -> list[Any]:
    original, *others = ({"k": x, "t": ["t"] * len(x)} for x in (original, *others))
    tables = tabulate(original, list(others) or None, keys="k", target="t", **options)
    return [x for (x,) in tables.indexes["key"]]


def category(labels: list[Any], order: Any) -> pd.Categorical:
    return pd.Categorical(labels, categories=list(order))
