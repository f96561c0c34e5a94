"""The two axes of a table: how keys and targets are labelled, and how tables with different labels are brought together.

An axis is a pandas MultiIndex, one level a column, whose levels stand in the order of the column's labels. Labels decide which
cells belong together, never positions; all matching is done on integer codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.counts.codes import Column, joint_labels, union
from capstats.counts.labels import MISSING, Label, canonical, free_name, in_order, level_index, one_kind

UNLABELLED = {"key": "key_", "target": "target"}  # what the only column is called where nobody named it


def multi_index(codes: Sequence[np.ndarray], labels: Sequence[Sequence[Label]], names: Sequence[str]) -> pd.MultiIndex:
    """Rows of codes as a MultiIndex whose levels keep the order of their labels."""
    return pd.MultiIndex(levels=[level_index(x) for x in labels], codes=list(codes), names=list(names), verify_integrity=False)


def coords_of(dim: str, axis: pd.MultiIndex) -> xr.Coordinates:
    """Coordinates for a dim: always a MultiIndex for ``key``; for ``target`` a plain index unless it has several columns."""
    if dim == "target" and axis.nlevels == 1:
        index = axis.levels[0].take(axis.codes[0]).rename("target")
        return xr.Coordinates({"target": xr.Variable("target", index, {"long_name": axis.names[0]})})
    return xr.Coordinates.from_pandas_multiindex(axis, dim)


def axis_of(array: xr.DataArray, dim: str) -> pd.MultiIndex | None:
    """The axis that an array carries for a dim, or None where it carries no labels."""
    index = array.indexes.get(dim)
    if index is None or isinstance(index, pd.MultiIndex):
        return index
    return axis_from(index.rename(array.coords[dim].attrs.get("long_name")), len(index), dim, f"`{array.name}`")


def axis_from(labels: Any, size: int, dim: str, place: str) -> pd.MultiIndex:
    """An axis from labels in any form: a list of labels or of tuples, a mapping {column: labels}, or an index."""
    names: list[Any]
    if isinstance(labels, pd.MultiIndex):
        names, rows = list(labels.names), list(labels)
    elif isinstance(labels, Mapping):
        lengths = {str(name): len(column) for name, column in labels.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"{place}: give every column the same number of labels, at least one column; got {lengths}.")
        names, rows = list(labels), list(zip(*labels.values(), strict=True))
    else:
        rows = [x if isinstance(x, tuple) else (x,) for x in labels]
        names = [getattr(labels, "name", None)] if rows and len(rows[0]) == 1 else [None] * len(rows[0] if rows else ())
    if len(rows) != size:
        raise ValueError(f"{place}: {len(rows)} labels for {size} {dim}s. Give one label for each.")
    if any(len(row) != len(names) for row in rows):
        raise ValueError(f"{place}: labels must be tuples of one length; got {rows[:3]}.")
    rows = [tuple(map(canonical, row)) for row in rows]
    if len(set(rows)) < len(rows):
        seen: set[Any] = set()
        twice = next(row for row in rows if row in seen or seen.add(row))  # type: ignore[func-returns-value]
        raise ValueError(f"{place}: label {twice if len(twice) > 1 else twice[0]!r} occurs twice. Labels must be distinct.")
    codes, levels = [], []
    for column in zip(*rows, strict=True):
        one_kind(column, dim, place.strip("`"))
        distinct = dict.fromkeys(column)
        level = {x: i for i, x in enumerate([*(x for x in distinct if x is not MISSING), *(x for x in distinct if x is MISSING)])}
        codes.append(np.array([level[x] for x in column]))
        levels.append(list(level))
    return multi_index(codes, levels, _stored(names, dim))


def _stored(names: Sequence[Any], dim: str) -> list[str]:
    if len(names) == 1 and names[0] in (None, dim):
        return [UNLABELLED[dim]]
    if len(names) == 1 and dim == "target":
        return [str(names[0])]  # it names no coordinate, so it can hide nothing
    stored: list[str] = []
    for i, name in enumerate(names):
        stored.append(free_name(f"{dim}_{i}" if name is None else name, stored))
    return stored


def join(
    axes: Sequence[pd.MultiIndex], tables: Sequence[str], orders: Mapping[str, Sequence[Label]] | None = None
) -> tuple[pd.MultiIndex, list[Places]]:
    """The union of axes over the same columns, in order, and where the entries of each stand in it.

    ``orders`` has the category order of columns that have one; without it the order that an axis shows is taken for one.
    """
    naming = next((i for i, axis in enumerate(axes) if not _unnamed(axis)), 0)
    names = names_of(axes[naming])
    for axis, table in zip(axes, tables, strict=True):
        if sorted(names_of(axis)) != sorted(names) and not (_unnamed(axis) and len(names) == 1):
            raise ValueError(f"`{tables[naming]}` is labelled by {names}, `{table}` by {names_of(axis)}: label them alike.")
    axes = [axis if axis.nlevels == 1 else axis.reorder_levels(names) for axis in axes]
    return join_columns([_columns(axis, names, orders or {}) for axis in axes], names, tables, orders)


def _unnamed(axis: pd.MultiIndex) -> bool:
    return axis.nlevels == 1 and axis.names[0] in UNLABELLED.values()


def _columns(axis: pd.MultiIndex, names: Sequence[str], orders: Mapping[str, Sequence[Label]]) -> list[Column]:
    found = []
    for name, codes, level in zip(names, axis.codes, axis.levels, strict=True):
        labels = [canonical(x) for x in level]
        ordered = name not in orders and labels != in_order(labels, one_kind(labels, name, "an index"))
        found.append(Column(np.asarray(codes), labels, ordered=ordered))
    return found


def join_columns(
    rows: Sequence[Sequence[Column]],
    names: Sequence[Hashable],
    tables: Sequence[str],
    orders: Mapping[str, Sequence[Label]] | None = None,
) -> tuple[pd.MultiIndex, list[Places]]:
    """The same for rows given as columns of codes, one list of columns a table."""
    labels, codes = [], []
    for name, columns in zip(names, zip(*rows, strict=True), strict=True):
        joint, maps = joint_labels(columns, name, tables, (orders or {}).get(str(name), ()))
        labels.append(joint)
        codes.append([to_joint[c.codes - c.first] for to_joint, c in zip(maps, columns, strict=True)])
    distinct, positions = union(list(zip(*codes, strict=True)), [len(x) for x in labels])
    return multi_index(distinct, labels, names), positions


def align(arrays: Mapping[str, xr.DataArray], dim: str) -> tuple[pd.MultiIndex | None, list[np.ndarray | None]]:
    """One axis for several arrays, and where the entries of each stand on it (None: as they are).

    Arrays without labels take those of the others by position, and must then have their length.
    """
    own = {name: array.indexes.get(dim) for name, array in arrays.items()}
    labelled = {name: index for name, index in own.items() if index is not None}
    first = next(iter(labelled), next(iter(arrays)))
    for name, array in arrays.items():
        if own[name] is None and array.sizes[dim] != arrays[first].sizes[dim]:
            raise ValueError(
                f"`{first}` has {_size(arrays[first])}, `{name}` has {_size(array)}: they must agree. "
                f"Rows are targets and columns are keys; label both tables where they hold different ones."
            )
    if not labelled:
        return None, [None] * len(arrays)
    if all(index is labelled[first] or index.equals(labelled[first]) for index in labelled.values()):
        return axis_of(arrays[first], dim), [None] * len(arrays)
    axes = {name: axis_of(array, dim) for name, array in arrays.items()}
    axis, positions = join([axes[name] if axes[name] is not None else axes[first] for name in arrays], list(arrays))
    return axis, list(positions)


def _size(array: xr.DataArray) -> str:
    return " x ".join(f"{array.sizes[d]} {d}s" for d in ("target", "key") if d in array.dims)
