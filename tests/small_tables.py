"""Small tables, axes and records, and the cells of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import sparse
import xarray as xr

from capstats.tables.axes import axis_from, coords_of

COUNTS = [[1, 2, 0], [3, 4, 5]]

LEVEL = ["mid", "low", "high", "unused", "none"]
RECORDS = pd.DataFrame(
    {
        "sex": ["f", "m", None, "f", "x", "f", "m", "f"],
        "level": pd.Categorical(["high", "low", "high", "low", "mid", "mid", None, "low"], LEVEL),
        "age": [10, 2, 2, 10, 2, 1, 1, 1],
        "income": pd.Categorical(["lo", "hi", "lo", "lo", "hi", "hi", "no", "lo"], ["lo", "hi", "no"]),
        "w": [1.0, 2, 3, 4, 0, 1, 1, 2],
    }
)


def as_sparse(table: Any) -> Any:
    """The table, or the tables of a Dataset, held in sparse.COO."""
    return table.map(as_sparse, keep_attrs=True) if isinstance(table, xr.Dataset) else table.copy(data=sparse.COO.from_numpy(table.values))


def dataset_of(**tables: Any) -> xr.Dataset:
    """Tables of counts as a Dataset, as `tabulate` returns them."""
    dims = ("draw", "target", "key")
    return xr.Dataset({name: x if isinstance(x, xr.DataArray) else xr.DataArray(x, dims=dims[-np.ndim(x) :]) for name, x in tables.items()})


def drawn(seed: int, n: int = 60) -> pd.DataFrame:
    """Random records with key columns sex, of categories and with missing values, and age; a target t; and w."""
    rng = np.random.default_rng(seed)
    sex = pd.Categorical.from_codes(rng.integers(-1, 3, n), ["x", "m", "f"])
    return pd.DataFrame({"sex": sex, "age": rng.integers(1, 12, n), "t": rng.choice(["low", "mid", "high"], n), "w": rng.integers(0, 3, n)})


def cells(array: xr.DataArray) -> dict[Any, Any]:
    """Counts by (*key, target)."""
    frame = array.to_series()
    return {tuple(x for x in (key if isinstance(key, tuple) else (key,))): n for key, n in frame.items() if n}


def axis(labels: Any, dim: str = "key") -> pd.MultiIndex:
    rows = next(iter(labels.values())) if isinstance(labels, dict) else labels
    return axis_from(labels, len(rows), dim, f"`{dim}_labels`")


def array(labels: Any, dim: str = "key", name: str = "o") -> xr.DataArray:
    """A table that counts 1, 2, ... along one labelled dim."""
    rows = next(iter(labels.values())) if isinstance(labels, dict) else labels
    shape = (1, len(rows)) if dim == "key" else (len(rows), 1)
    table = xr.DataArray(np.arange(1, len(rows) + 1).reshape(shape), dims=("target", "key"), name=name)
    return table.assign_coords(coords_of(dim, axis(labels, dim)))
