"""Tables on other cells: without some key columns, without empty keys and targets, or with every combination of levels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import xarray as xr

from capstats.codes.column import Places
from capstats.codes.labels import canonicals
from capstats.codes.names import check_named
from capstats.tables.axes import axis_of, coords_of, multi_index, names_of, shown
from capstats.tables.backing import Data, coo, filled, held_as, is_sparse, widened
from capstats.tables.checking import CELLS
from capstats.tables.dataset import as_tables, dataset, synthetic_labels
from capstats.tables.table import group_sums


def collapse(tables: xr.Dataset, over: str | Sequence[str]) -> xr.Dataset:
    """Tables without some of their key columns: the counts of keys that differ in these columns alone are added up.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`.
    over : column name or sequence of names
        The key columns that the intruder does not know any more; at least one other must be left.

    Returns
    -------
    Dataset
        As `tabulate` returns it for the other key columns, but for levels that only records with a missing value in `over` have.

    Raises
    ------
    ValueError, TypeError
        If `over` names no key column or all of them, or `tables` is not such a Dataset.

    See Also
    --------
    capstats.screening.sweep : measures of all subsets of the key columns.

    Notes
    -----
    See theory/columns.md#sweep: counts of fewer key columns are sums. Squared weights add as well.

    References
    ----------
    Bishop, Fienberg and Holland (1975), Discrete Multivariate Analysis, section 2.4 (collapsing tables).

    Examples
    --------
    >>> from capstats import from_counts
    >>> tables = from_counts([[1, 2, 3, 4]], key_labels={"sex": ["f", "f", "m", "m"], "smoker": ["no", "yes", "no", "yes"]})
    >>> collapse(tables, over="smoker").o.values.tolist()
    [[3, 7]]
    """
    tables = as_tables(tables)
    own = {dim: axis for dim in CELLS if (axis := axis_of(tables.o, dim)) is not None}
    names, lost = names_of(own["key"]), list(over) if isinstance(over, (list, tuple)) else [over]
    check_named("over", lost, names, "no key column")
    kept = [i for i, name in enumerate(names) if name not in lost]
    if not kept:
        raise ValueError("`over` names all key columns. Leave one out; for no key at all see baseline_cap.")
    rows, place = np.unique(np.column_stack([own["key"].codes[i] for i in kept]), axis=0, return_inverse=True)
    levels = [canonicals(own["key"].levels[i]) for i in kept]
    own["key"] = multi_index(rows.T, levels, [names[i] for i in kept])
    sums = {str(name): _collapsed(array.variable.data, place.ravel(), len(rows)) for name, array in tables.data_vars.items()}
    stored = tables.attrs["key_columns"]
    attrs = {**tables.attrs, "key_columns": [stored[i] for i in kept]}
    cut = {name: {c: x for c, x in attrs[name].items() if c not in lost} for name in ("bins", "categories") if name in attrs}
    return dataset(sums, own, synthetic_labels(tables), {name: x for name, x in {**attrs, **cut}.items() if x or name not in cut})


def _collapsed(data: Data, place: Places, keys: int) -> Data:
    """A table whose keys are at the given places, added up where these are the same."""
    if not is_sparse(data):
        return group_sums(data, place, keys)
    coords, values = filled(data)
    return coo([*coords[:-1], place[coords[-1]]], values, (*data.shape[:-1], keys))


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
    See theory/attainable.md#theorem-2: a key that only the synthetic table has makes the least average CAP 0.

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
        The same counts, and zeros in the cells of combinations without records.

    Raises
    ------
    ValueError
        If that is more than 2**27 cells.
    TypeError
        If `tables` is not such a Dataset.

    Notes
    -----
    See theory/attainable.md#theorem-2 for what a larger domain does to the least average CAP.

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
    cells = math.prod(math.prod(axis.levshape) for axis in own.values())
    if cells > LARGEST_DOMAIN:
        raise ValueError(f"The full domain has {cells} cells, more than 2**27. Give fewer key columns, or columns with fewer levels.")
    axes, places = {}, {}
    for dim, axis in own.items():
        codes = np.unravel_index(np.arange(math.prod(axis.levshape)), axis.levshape)
        axes[dim] = multi_index(codes, list(map(canonicals, axis.levels)), names_of(axis))
        places[dim] = np.ravel_multi_index([np.asarray(c) for c in axis.codes], axis.levshape)
    shape = (len(axes["target"]), len(axes["key"]))
    wide = {str(name): widened(array.variable.data, places["target"], places["key"], shape) for name, array in tables.data_vars.items()}
    return dataset(wide, axes, synthetic_labels(tables), tables.attrs)
