"""Shared by the reports in the form of other packages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from capstats.tables.aligned import Aligned
from capstats.tables.checking import weights_of
from capstats.tables.dataset import as_tables
from capstats.tables.sums import certain


def each_table(tables: xr.Dataset, numbers: Callable[[xr.Dataset], dict[str, Any]]) -> dict[Any, Any]:
    """The numbers of the only synthetic table, or those of each table, by its label, or by its position if there are no labels."""
    tables = as_tables(tables)
    if "s" not in tables:
        raise ValueError("`tables` has no `s`: give tabulate or from_counts a synthetic table.")
    if "synthetic" not in tables.s.dims:
        return numbers(tables)
    return {label: numbers(tables.isel(synthetic=i, drop=True)) for i, label in enumerate(tables.get_index("synthetic"))}


def in_both(o: xr.DataArray, s: xr.DataArray, x: xr.DataArray) -> xr.DataArray:
    """The records of x whose key has only one target in both tables, the same one."""
    tables = Aligned({"o": o, "s": s, "x": x})
    return tables.map(lambda o, s, x: x.like(x.values * certain(o).values * certain(s).values).total, "in_both")


def check_records(tables: xr.Dataset) -> None:
    """Raise unless the tables count records."""
    for name in ("o", "s"):
        sampling = weights_of(tables[name]) is not None
        if sampling or tables[name].dtype.kind == "f":
            kind = "sampling" if sampling else "fractional"
            raise ValueError(f"`{name}` has {kind} weights, and the package counts records. Count without weights.")


def percent(part: Any, whole: Any) -> float:
    """Part of whole, in percent; NaN where both are 0, infinite where only the whole is 0, as in R."""
    return 100 * float(part) / float(whole) if whole else np.inf if part else np.nan


def plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    return value.item() if isinstance(value, (np.generic, np.ndarray, xr.DataArray)) else value
