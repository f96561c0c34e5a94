"""How a formula is computed on tables: they are checked, aligned to the same cells by their labels, and mapped over their other dims."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.column import Places
from capstats.tables.axes import Held, alike, axis_of, coords_of, index_of, join, labels_of
from capstats.tables.backing import is_sparse, placed, summed
from capstats.tables.checking import CELLS, Core, checked_together, given_tables, weights_of
from capstats.tables.dense import BLOCK, DenseBatch, expanded
from capstats.tables.levels import compared, warn_of_levels
from capstats.tables.sparse import SparseBatch
from capstats.tables.table import Array

Arrays = Mapping[str, Held]
Axes = dict[str, pd.MultiIndex | None]


class Aligned:
    """Tables with the same cells in the same places, whose other dims broadcast against each other.

    A Dataset in place of a table gives its table of that name, and those that are None (`given_tables`).

    ``by_key`` has numbers for each key, which a formula takes after the tables, as arrays of shape (..., key). Tables named in ``inexact``
    are sums of floats, such as squared weights; all others are counts or weights, which sum exactly.
    """

    def __init__(self, tables: Mapping[str, Any], by_key: Mapping[str, Any] | None = None, inexact: Collection[str] = ()):
        tables = given_tables(tables)
        self._first = next(iter(tables.values()))
        given, large, sparse = checked_together(tables, by_key or {}, inexact, BLOCK)
        self._names = list(tables)
        self._arrays, self._joined = on_same_cells(given)
        placed = {name: self._arrays[name] for name in tables}
        if self._joined and len(placed) > 1:
            warn_of_other_levels(placed, self.axes)
        batch, self._coords = batch_of(self._arrays)
        self.dims, self.shape = list(batch), tuple(batch.values())
        self.sizes = dict(zip(CELLS, next(iter(placed.values())).shape[-2:], strict=True))
        of_keys = [expanded(self._arrays[name], self.dims) for name in by_key or ()]
        self._tables = SparseBatch(placed, of_keys, batch) if sparse else DenseBatch(placed, of_keys, batch, large)

    @cached_property
    def weights(self) -> dict[str, str]:
        """For the attrs of results that hold sums of the first table: the column of its sampling weights, if it has any."""
        column = weights_of(self._first)
        return {} if column is None else {"weights": column}

    @cached_property
    def axes(self) -> Axes:
        """The labels of the targets and of the keys, None where no table has any."""
        return axes_of(self._arrays, self._joined)

    @cached_property
    def whole(self) -> dict[str, bool]:
        """Which tables hold integers."""
        return {name: self._arrays[name].dtype.kind == "i" for name in self._names}

    def map(self, formula: Callable[..., Any], name: str, out: Core = ()) -> xr.DataArray:
        """Apply a formula, which takes tables and returns an array (..., *out), to every member of the batch.

        With out = (target, key) it returns a table.
        """
        return self.wrap(self._tables.map(formula, tuple(out) == CELLS), name, out)

    def numbers(self, formula: Callable[..., Mapping[str, Array]], out: Core = ()) -> dict[str, xr.DataArray]:
        """Apply a formula that returns numbers by their names, each an array (..., *out), to every member of the batch."""
        found: dict[str, np.dtype[Any]] = {}

        def stacked(*tables: Any) -> Array:
            numbers = formula(*tables)
            found.update((name, np.asarray(x).dtype) for name, x in numbers.items())
            return np.stack(np.broadcast_arrays(*numbers.values()), axis=-1)

        values = self._tables.map(stacked, False)
        return {name: self.wrap(values[..., i].astype(dtype), name, out) for i, (name, dtype) in enumerate(found.items())}

    def as_array(self, name: str) -> Array:
        """The values of one of the tables, shape (..., target, key)."""
        place = list(self.whole).index(name)
        data = self.map(lambda *tables: tables[place], name, CELLS).variable.data
        return np.asarray(data.todense() if is_sparse(data) else data)

    def totals(self, name: str) -> Array:
        """The number of records of one of the tables, along its dims of the batch."""
        return summed(self._arrays[name].data, (-2, -1))

    def wrap(self, values: Any, name: str, out: Core = (), before: Core = ()) -> xr.DataArray:
        """An array of shape (*before, batch, *out) as a DataArray with the tables' labels."""
        for dim in {*before, *out} & set(self.dims):
            raise ValueError(f"`{self._names[0]}` has a dim {dim!r}, which is that of the result. Rename it: .rename({dim}=...).")
        coords = xr.Coordinates(self._coords) if self._coords else None
        for dim in out:
            axis = self.axes.get(dim) if dim in CELLS else None
            if axis is not None:
                of_dim = coords_of(dim, axis)
                coords = of_dim if coords is None else coords.merge(of_dim).coords
        return xr.DataArray(values, dims=[*before, *self.dims, *out], name=name).assign_coords(coords)  # which copies no labels


def total_of(table: Any) -> xr.DataArray:
    """The sum of each table of counts: records, or sums of weights."""
    return Aligned({"o": table}).map(lambda o: o.total, "records")


def same_or_span(records: Array) -> Any:
    """The number of records for the attrs of a result: one number if all tables have the same, otherwise the least and the greatest."""
    ends: Sequence[Any] = [int(x) if x == int(x) else float(x) for x in (np.min(records), np.max(records))]
    return ends[0] if ends[0] == ends[1] else ends


# --- targets and keys -------------------------------------------------------------------------------------------------


def on_same_cells(arrays: Arrays) -> tuple[dict[str, Any], Axes]:
    """The arrays on the same targets and keys, with no records where one lacks a label; and the axes along which labels differed.

    An array may lack the dim target.
    """
    found, joined = dict(arrays), Axes()
    labels = {name: labels_of(array, CELLS, name) for name, array in arrays.items()}
    for dim in CELLS:
        holders = {name: array for name, array in found.items() if dim in array.dims}
        axis, places = align(holders, dim, labels)
        if axis is not None:
            joined[dim] = axis
            for (name, array), where in zip(holders.items(), places, strict=True):
                kept = {c: v for c, v in getattr(array, "coords", {}).items() if dim not in v.dims}
                found[name] = xr.DataArray(placed(array.data, array.dims.index(dim), where, len(axis)), kept, array.dims, name)
    return found, joined


def axes_of(arrays: Arrays, joined: Axes) -> Axes:
    """The axes of arrays on the same cells: the joined ones, and where labels agree those of the first array that has any."""
    own = {dim: next((axis for array in arrays.values() if (axis := axis_of(array, dim)) is not None), None) for dim in CELLS}
    return own | joined


def align(arrays: Arrays, dim: str, labels: Mapping[str, Mapping[str, pd.Index]]) -> tuple[pd.MultiIndex | None, list[Places]]:
    """One axis for arrays whose labels differ, and the places of each array's entries on it; None and no places where all agree.

    Arrays without labels take those of the others by position, and must then have their length.
    """
    indexes = {name: labels[name][dim] for name in arrays if dim in labels[name]}
    first = next(iter(indexes or arrays))
    length = _length(arrays[first], dim)
    for name, array in arrays.items():
        if name not in indexes and _length(array, dim) != length:
            raise ValueError(
                f"`{first}` has {_size(arrays[first])}, `{name}` has {_size(array)}: they must agree. "
                f"Rows are targets and columns are keys; label both tables where they hold different ones."
            )
    if all(index is indexes[first] or alike(arrays[first], arrays[name], dim) for name, index in indexes.items()):
        return None, []
    axes = {name: axis for name in indexes if (axis := axis_of(arrays[name], dim)) is not None}
    return join([axes.get(name, axes[first]) for name in arrays], list(arrays))


def _length(array: Held, dim: str) -> int:
    return array.shape[array.dims.index(dim)]  # quicker than ``sizes``


def _size(array: Held) -> str:
    return " x ".join(f"{_length(array, dim)} {dim}s" for dim in CELLS if dim in array.dims)


def warn_of_other_levels(arrays: Arrays, axes: Axes) -> None:
    """Warn where tables with labels unlike those of the first share no label with it, or write some of them in another way."""
    first, *_ = arrays
    labelled = {dim: axis for dim, axis in axes.items() if axis is not None}
    parts = {"original" if name == first else name: array.data for name, array in arrays.items()}
    warn_of_levels({**compared(labelled, parts), "fine_keys": {}, "fine_targets": {}}, first)


# --- all other dims ---------------------------------------------------------------------------------------------------


def batch_of(arrays: Arrays) -> tuple[dict[str, int], dict[Hashable, Any]]:
    """The lengths and the coords of all dims besides target and key, in which the arrays must agree."""
    shape: dict[str, int] = {}
    coords: dict[Hashable, Any] = {}
    for array in arrays.values():
        own = [dim for dim in map(str, array.dims) if dim not in CELLS]
        for dim in own:
            index, other = index_of(array, dim), coords.get(dim)
            same = index is None or other is None or index.equals(other.to_index())
            if shape.setdefault(dim, array.sizes[dim]) != array.sizes[dim] or not same:
                raise ValueError(f"The tables disagree along {dim!r}: label and order it alike in all of them, or rename it in one.")
        if own and isinstance(array, xr.DataArray):
            coords |= {c: v for c, v in array.coords.items() if v.dims and not set(CELLS) & set(v.dims)}
    return shape, coords
