"""The cells that a table shows: cut to those of the original records, or widened to every combination of levels."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import canonical
from capstats.tables.axes import axis_of, coords_of, multi_index, names_of, shown
from capstats.tables.backing import filled, held_as, widened
from capstats.tables.dataset import as_tables, dataset, synthetic_labels
from capstats.tables.table import Index

LARGEST_DOMAIN = 1 << 27  # cells of one table that full_domain makes at most


def observed_domain(tables: xr.Dataset) -> xr.DataArray:
    """The original counts without the targets and keys that no original record has.

    Least and greatest CAP depend on the cells that the table shows, not only on the records: this is the table of the original alone.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`.

    Returns
    -------
    DataArray, dims (target, key)
        `o` alone: an `s` cut to these cells would have another CAP.

    Raises
    ------
    TypeError
        If `tables` is not such a Dataset.

    Notes
    -----
    See theory/theorem-2.md: a key that only the synthetic table has makes the least average CAP 0.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    >>> from capstats import from_counts
    >>> tables = from_counts([[3, 0], [1, 0]], [[1, 1], [1, 1]], key_labels={"sex": ["f", "m"]})
    >>> observed_domain(tables).values.tolist()
    [[3], [1]]
    """
    o = as_tables(tables)["o"]
    (target, key), values = filled(o.variable.data)
    held = {"target": np.unique(target[values > 0]), "key": np.unique(key[values > 0])}
    coords = [np.searchsorted(held[dim], row[values > 0]) for dim, row in (("target", target), ("key", key))]
    data = held_as(o.variable.data, coords, values[values > 0], (len(held["target"]), len(held["key"])))
    axes = {dim: axis for dim in held if (axis := axis_of(o[dim].isel({dim: held[dim]}), dim)) is not None}
    labels = {dim: coords_of(dim, shown(axis)) for dim, axis in axes.items()}
    return xr.DataArray(data, labels["key"].merge(labels["target"]).coords, ("target", "key"), o.name, o.attrs)


def full_domain(tables: xr.Dataset) -> xr.Dataset:
    """The tables with every combination of the levels of their key columns, and of their target columns.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`.

    Returns
    -------
    Dataset
        The same counts, and zeros in the cells of combinations that nobody has.

    Raises
    ------
    ValueError
        If that is more than 2**27 cells.
    TypeError
        If `tables` is not such a Dataset.

    Notes
    -----
    See theory/theorem-2.md for what a larger domain does to the least average CAP.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1: keys may be absent.

    Examples
    --------
    >>> from capstats import from_counts
    >>> tables = from_counts([[1, 2]], key_labels={"sex": ["f", "m"], "smoker": ["no", "yes"]})
    >>> full_domain(tables).o.values.tolist()
    [[1, 0, 0, 2]]
    """
    tables = as_tables(tables)
    own = {dim: shown(axis) for dim in ("target", "key") if (axis := axis_of(tables.o, dim)) is not None}
    cells = math.prod(len(level) for axis in own.values() for level in axis.levels)
    if cells > LARGEST_DOMAIN:
        raise ValueError(f"The full domain has {cells} cells, more than 2**27. Give fewer key columns, or columns with fewer levels.")
    axes: dict[str, pd.MultiIndex] = {}
    places: dict[str, Index | None] = {}
    for dim, axis in own.items():
        sizes = [len(level) for level in axis.levels]
        codes = np.unravel_index(np.arange(math.prod(sizes)), sizes)
        axes[dim] = multi_index(codes, [list(map(canonical, level)) for level in axis.levels], names_of(axis))
        places[dim] = np.ravel_multi_index([np.asarray(c) for c in axis.codes], sizes)
    shape = (len(axes["target"]), len(axes["key"]))
    wide = {str(name): widened(array.variable.data, places["target"], places["key"], shape) for name, array in tables.data_vars.items()}
    return dataset(wide, axes, synthetic_labels(tables), tables.attrs)
