"""What the reports of other packages have in common, and the shortest of them: those of synthgauge and SDNist, shares that are DiSCO."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from capstats.disclosure.attribute import dio, disco
from capstats.tables.aligned import Aligned
from capstats.tables.checking import weights_of
from capstats.tables.dataset import as_tables
from capstats.tables.sums import certain
from capstats.tables.table import Tables


def each_table(tables: xr.Dataset, numbers: Callable[[xr.Dataset], dict[str, Any]]) -> dict[Any, Any]:
    """The numbers of the one synthetic table, or of each, by its label, or its place where they have no labels."""
    tables = as_tables(tables)
    if "s" not in tables:
        raise ValueError("`tables` has no `s`: give tabulate or from_counts a synthetic table.")
    if "synthetic" not in tables.s.dims:
        return numbers(tables)
    return {label: numbers(tables.isel(synthetic=i, drop=True)) for i, label in enumerate(tables.get_index("synthetic"))}


def in_both(o: xr.DataArray, s: xr.DataArray, x: xr.DataArray) -> xr.DataArray:
    """Records x whose key has one target in both tables, the same."""
    tables = Aligned({"o": o, "s": s, "x": x})
    return tables.map(lambda o, s, x: x.like(x.values * certain(o).values * certain(s).values).total(), "in_both")


def check_records(tables: xr.Dataset) -> None:
    """Raise unless the tables count records."""
    for name in ("o", "s"):
        sampling = weights_of(tables[name]) is not None
        if sampling or tables[name].dtype.kind == "f":
            kind = "sampling" if sampling else "fractional"
            raise ValueError(f"`{name}` has {kind} weights, and the package counts records. Count without weights.")


def records_of(table: xr.DataArray) -> xr.DataArray:
    """Records of a table."""
    return Aligned({"table": table}).map(lambda x: x.total(), "records")


def percent(part: Any, whole: Any) -> float:
    """Part of whole, in percent; NaN where both are 0, and infinite where whole alone is, as in R."""
    return 100 * float(part) / float(whole) if whole else np.inf if part else np.nan


def plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    return value.item() if isinstance(value, (np.generic, np.ndarray, xr.DataArray)) else value


def as_synthgauge(tables: Tables) -> dict[Any, Any]:
    """The number of synthgauge's ``tcap_score()``, a share, which is DiSCO.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.

    Returns
    -------
    dict
        ``tcap_score``. With several synthetic tables, one such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`.

    Notes
    -----
    See docs/coming-from/concordance.md.

    References
    ----------
    ONS Data Science Campus, synthgauge 2.2.0, https://github.com/datasciencecampus/synthgauge.

    Examples
    --------
    >>> import capstats
    >>> as_synthgauge(capstats.from_counts([[3, 2], [1, 4]], [[2, 1], [0, 1]]))
    {'tcap_score': 0.3}
    """
    return each_table(tables, lambda one: {"tcap_score": disco(one.o, one.s).item()})


def as_sdnist(tables: Tables) -> dict[Any, Any]:
    """The numbers of SDNist's K-DiSCO for one target and one key, which are shares.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.

    Returns
    -------
    dict
        ``DiSCO``, ``DiO`` and ``DiSCO - DiO``. With several synthetic tables, one such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`.

    Notes
    -----
    See docs/coming-from/concordance.md.

    References
    ----------
    NIST, SDNist 2.5, https://github.com/usnistgov/SDNist.

    Examples
    --------
    >>> import capstats
    >>> as_sdnist(capstats.from_counts([[3, 2], [0, 5]], [[2, 1], [0, 1]]))
    {'DiSCO': 0.3, 'DiO': 0.3, 'DiSCO - DiO': 0.0}
    """

    def numbers(one: xr.Dataset) -> dict[str, float]:
        found, before = disco(one.o, one.s).item(), dio(one.o).item()
        return {"DiSCO": found, "DiO": before, "DiSCO - DiO": found - before}

    return each_table(tables, numbers)
