"""A Dataset from counts that somebody has already made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import Label, canonical
from capstats.sources.door import is_frame
from capstats.tables.aligned import axes_of, on_same_cells
from capstats.tables.axes import axis_from, coords_of, names_of, original_names
from capstats.tables.backing import filled, stacked
from capstats.tables.checking import as_counts, nested
from capstats.tables.dataset import dataset
from capstats.tables.levels import warn_of_levels


def from_counts(o: Any, s: Any = None, *, key_labels: Any = None, target_labels: Any = None) -> xr.Dataset:
    """Tables of counts, labelled and checked, from counts that somebody has already made.

    Where the records themselves are at hand, use `tabulate`.

    Parameters
    ----------
    o : array-like, DataFrame or DataArray, shape (target, key)
        Counts of original records: one row a target, one column a key. A DataFrame or DataArray brings its own labels.
    s : same, or a mapping {label: table}, optional
        Counts of synthetic records; a mapping, or an array of shape (synthetic, target, key), gives the dim ``synthetic``.
    key_labels : list of labels, list of tuples, mapping {column: labels}, or index, optional
        Labels of the keys, for tables that do not bring their own. Without any there is one key column, ``key_``, with 0, 1, ...
    target_labels : same, optional
        Labels of the targets.

    Returns
    -------
    Dataset
        ``o`` and, where given, ``s``; dims ``target`` and ``key``, in the order given where both tables have the same labels.

    Raises
    ------
    ValueError, TypeError
        If counts are negative, infinite or NaN (the cell is named), shapes or labels disagree, a label occurs twice, or a table holds no
        record.

    See Also
    --------
    tabulate : counts of records.

    Notes
    -----
    See theory/notation.md for o_ij and s_ij.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    Smoking and health, Tables 1 and 2 of the paper:

    >>> tables = from_counts(
    ...     [[20, 5], [30, 45]],
    ...     [[8, 7], [25, 60]],
    ...     key_labels={"smoking": ["yes", "no"]},
    ...     target_labels={"health": ["sick", "healthy"]},
    ... )
    >>> int(tables.o.sel(target="sick", smoking="yes").item())
    20
    """
    given = {"o": o}
    synthetic: list[Label] | None = None
    if isinstance(s, Mapping):
        synthetic = [canonical(x) for x in s]
        if not synthetic or len(set(synthetic)) < len(synthetic):
            raise ValueError(f"The labels of the synthetic tables must be distinct, and one at least; got {synthetic!r}.")
        given |= {f"s[{label!r}]": table for label, table in zip(synthetic, s.values(), strict=True)}
    elif s is not None:
        given["s"] = s
    labels = {dim: x for dim, x in (("key", key_labels), ("target", target_labels)) if x is not None}
    arrays = {name: as_counts(_named(table, name, labels), name) for name, table in given.items()}
    for name, array in arrays.items():
        if array.ndim > (3 if name == "s" else 2):
            raise ValueError(f"`{name}` has dims {array.dims}; give (target, key){', or one more before them' if name == 's' else ''}.")
        if not filled(array.variable.data, name)[1].any():
            raise ValueError(f"`{name}` holds no record: every count is 0.")
    if s is not None and synthetic is None and arrays["s"].ndim == 3:
        index = arrays["s"].indexes.get(arrays["s"].dims[0])
        synthetic = list(range(len(arrays["s"]))) if index is None else [canonical(x) for x in index]
    renamed: dict[str, str] = {}
    for dim in ("key", "target"):
        frames = [table.columns if dim == "key" else table.index for table in given.values() if isinstance(table, pd.DataFrame)]
        for named in [labels[dim]] if dim in labels else frames:
            renamed |= original_names(named, dim)
    unlabelled = not any("key" in array.indexes for array in arrays.values())
    arrays, joined = on_same_cells(arrays)
    sizes = arrays["o"].sizes
    axes = {dim: axis_from(range(sizes[dim]), sizes[dim], dim, "") if x is None else x for dim, x in axes_of(arrays, joined).items()}
    first, *others = [array.variable.data for array in arrays.values()]
    tables = {"o": first}
    if others:
        tables["s"] = stacked(others) if isinstance(s, Mapping) else others[0]
    attrs: dict[str, Any] = {f"{dim}_columns": [renamed.get(name, name) for name in names_of(axes[dim])] for dim in ("key", "target")}
    if both := set(names_of(axes["key"])) & set(names_of(axes["target"])):
        raise ValueError(f"Column {min(both)!r} is both a key and the target. Rename one of them.")
    if renamed:
        attrs["renamed"] = renamed
    if unlabelled:
        attrs["unlabelled"] = True
    made = dataset(tables, axes, synthetic, attrs)
    warn_of_levels(made.attrs)
    return made


def _named(table: Any, name: str, labels: Mapping[str, Any]) -> Any:
    """The table with the given labels, so that what is wrong with a cell is told by them."""
    if isinstance(table, pd.DataFrame):
        table = _unframed(table, name)
    elif not isinstance(table, (xr.DataArray, xr.Dataset)) and not is_frame(table):
        table = xr.DataArray(nested(table, name))
    if isinstance(table, xr.DataArray):
        table = table.rename(name)
        for dim in labels.keys() & set(table.dims):
            table = _relabelled(table, dim, labels[dim])
    return table


def _unframed(table: pd.DataFrame, name: str) -> xr.DataArray:
    """A pandas cross-tabulation as a labelled array."""
    coords = xr.Coordinates()
    for dim, labels in (("target", table.index), ("key", table.columns)):
        coords = coords.merge(coords_of(dim, axis_from(labels, len(labels), dim, f"`{name}`"))).coords
    values = table.to_numpy()
    if values.dtype == object and all(map(pd.api.types.is_numeric_dtype, table.dtypes)):  # nullable columns
        values = table.to_numpy(np.float64, na_value=np.nan)
    return xr.DataArray(values, dims=("target", "key"), coords=coords, name=name)


def _relabelled(array: xr.DataArray, dim: str, labels: Any) -> xr.DataArray:
    if dim in array.indexes:
        raise ValueError(f"`{array.name}` brings its own {dim} labels; leave `{dim}_labels` out, or give its bare values.")
    return array.assign_coords(coords_of(dim, axis_from(labels, array.sizes[dim], dim, f"`{dim}_labels`")))
