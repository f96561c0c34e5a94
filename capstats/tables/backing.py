"""What holds the cells of a table or of a batch: a numpy array, or a ``sparse.COO`` of the filled ones where an array would be too large.

It works on the coordinates of filled cells with numpy only, so that the package sparse never compiles a function.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from capstats.codes.checks import check_choice
from capstats.codes.column import starts
from capstats.tables.table import Array, Index

Backing = Literal["auto", "dense", "sparse"]
Data = Any  # numpy array, or sparse.COO: sparse is optional, and so is its type

LARGE = 1 << 24  # cells of a table that is dense however few of them are filled
TOGETHER = 4  # times LARGE: cells of all dense tables of a call


def is_sparse(data: Data) -> bool:
    """Whether a table is stored as its filled cells."""
    return not isinstance(data, np.ndarray)


def choose_sparse(backing: Backing, filled: int, cells: int, tables: int = 1) -> bool:
    """Whether to hold tables sparse: as asked for, or where they are large and fewer than a quarter of the cells of each are filled."""
    check_choice(backing, "backing", get_args(Backing))
    large = cells > LARGE or tables * cells > TOGETHER * LARGE
    return backing == "sparse" or (backing == "auto" and large and 4 * filled < cells)


def coo(coords: Sequence[Index], values: Array, shape: Sequence[int], fill: float = 0) -> Data:
    """A ``sparse.COO`` of values at coordinates, a row for each dim; values of the same cell are added in their order."""
    try:
        import sparse
    except ImportError as error:
        raise ImportError(
            f'A table of {" x ".join(map(str, shape))} cells needs the package sparse. Install capstats[sparse], or give backing="dense".'
        ) from error
    place = np.ravel_multi_index(tuple(coords), tuple(shape))
    order = ascending(place)
    place, values = place[order], values[order]
    del order
    if not (distinct := starts(place)[: len(place)]).all():
        place, values = place[distinct], np.add.reduceat(values, np.flatnonzero(distinct))
    cells = np.empty((len(shape), len(place)), np.intp)
    for row, size in zip(cells[::-1], shape[::-1], strict=True):
        np.divmod(place, size, out=(place, row))
    # if not told that cells are sorted, sparse would compile a function
    return sparse.COO(cells, values, tuple(shape), has_duplicates=False, sorted=True, fill_value=values.dtype.type(fill))


def ascending(places: Index) -> Index | slice:
    """An index that sorts flat places; a slice where they are sorted, as in most cases."""
    return slice(None) if (places[1:] > places[:-1]).all() else np.argsort(places, kind="stable")


def table_of(values: Array, target: Index, key: Index, shape: tuple[int, int], sparse: bool) -> Data:
    """A table from the values of its cells, given by integers of any width; values of the same cell are added."""
    if sparse:
        return coo([target, key], values, shape)
    try:
        table = np.zeros(shape, values.dtype)
    except MemoryError as error:
        size = f"{shape[0]} targets x {shape[1]} keys need {math.prod(shape) * 8 / 1e9:.1f} GB"
        raise MemoryError(f'{size}. Give backing="sparse", or fewer or coarser columns.') from error
    place = np.multiply(target, shape[1], dtype=np.intp)
    place += key
    np.add.at(table.reshape(-1), place, values)
    return table


def filled(data: Data, name: str = "a table") -> tuple[list[Index], Array]:
    """Coordinates, a row for each dim, and values of the cells that a sparse table stores, or that are not 0 in a dense one."""
    if isinstance(data, np.ndarray):
        coords = np.nonzero(data)
        return list(coords), data[coords]
    if data.fill_value != 0:
        raise ValueError(f"`{name}` is sparse with fill value {data.fill_value}; cells that are not stored must hold 0 records.")
    return list(data.coords), data.data


def filled_in(tables: Sequence[Data]) -> Index:
    """The union of the filled (or stored) cells of some tables, as sorted places ``key * targets + target``."""
    places = np.concatenate([key * tables[0].shape[0] + target for (target, key), _ in map(filled, tables)])
    return np.sort(pd.unique(places))  # `np.unique` hashes, which takes minutes for a million multiples of a number


def listed(data: Data) -> tuple[list[Index], Array]:
    """Coordinates, a row for each dim, and values of all cells of a dense array in order, or of those that a sparse one stores."""
    if not is_sparse(data):
        return list(np.indices(data.shape).reshape(data.ndim, -1)), data.reshape(-1)
    return list(data.coords), data.data


def summed(data: Data, axes: Sequence[int]) -> Array:
    """Sums of a table or a batch over some of its axes, which are numbered from the end."""
    if not is_sparse(data):
        return np.asarray(data.sum(tuple(axes)))
    coords, values = filled(data)
    left = [axis for axis in range(data.ndim) if axis - data.ndim not in axes]
    found = np.zeros([1, *(data.shape[axis] for axis in left)], values.dtype)
    np.add.at(found, (np.zeros(len(values), np.intp), *(coords[axis] for axis in left)), values)
    return np.asarray(found[0])


def totals_of(tables: Mapping[str, Data], dim: str) -> dict[str, Array]:
    """Records of each key, or of each target, of some tables; for a batch, the greatest number among its tables."""
    sums = {name: summed(data, [-2 if dim == "key" else -1]) for name, data in tables.items()}
    return {name: np.asarray(x.max(tuple(range(x.ndim - 1)))) for name, x in sums.items()}


def held_as(data: Data, coords: Sequence[Index], values: Array, shape: Sequence[int] | None = None) -> Data:
    """Values at distinct cells and 0 elsewhere, with the backing of a table and its shape, unless another is given."""
    return of_cells(coords, values, data.shape if shape is None else shape, is_sparse(data))


def of_cells(coords: Sequence[Index], values: Array, shape: Sequence[int], sparse: bool) -> Data:
    """Values at distinct cells, and 0 elsewhere."""
    if sparse:
        return coo(coords, values, shape)
    found = np.zeros(tuple(shape), values.dtype)
    found[tuple(coords)] = values
    return found


def values_at(data: Data, target: Index, key: Index) -> Array:
    """Values of the given cells of one table, in any order; 0 for cells that it does not store."""
    if not is_sparse(data):
        return np.asarray(data[target, key])
    (rows, columns), values = filled(data)
    stored, asked = rows * data.shape[1] + columns, target * data.shape[1] + key
    if not len(stored):
        return np.zeros(len(asked), values.dtype)
    order = np.argsort(stored)
    nearest = order[np.searchsorted(stored, asked, sorter=order).clip(max=len(stored) - 1)]
    return np.asarray(np.where(stored[nearest] == asked, values[nearest], values.dtype.type(0)))


def placed(data: Data, axis: int, where: Index, size: int) -> Data:
    """The table on a longer axis: its entries at ``where``, no records elsewhere."""
    axis %= data.ndim
    shape = (*data.shape[:axis], size, *data.shape[axis + 1 :])
    if is_sparse(data):
        coords, values = filled(data)
        coords[axis] = where[coords[axis]]
        return coo(coords, values, shape)
    wide = np.zeros(shape, data.dtype)
    wide[(slice(None),) * axis + (where,)] = data
    return wide


def widened(data: Data, target: Index, key: Index, shape: tuple[int, int]) -> Data:
    """The table on longer axes: its targets and keys at the given places, no records elsewhere."""
    return placed(placed(data, -2, target, shape[0]), -1, key, shape[1])


def stacked(tables: Sequence[Data]) -> Data:
    """Tables of one shape along a new first axis."""
    if not is_sparse(tables[0]):
        return np.stack(tables)
    fills = np.unique([table.fill_value for table in tables])
    if len(fills) > 1:
        raise ValueError(f"The cells that are not stored hold {fills[0]} in one table and {fills[1]} in another. Compute each table alone.")
    member = np.repeat(np.arange(len(tables)), [len(table.data) for table in tables])
    rest = np.concatenate([table.coords for table in tables], axis=1)
    return coo([member, *rest], np.concatenate([table.data for table in tables]), (len(tables), *tables[0].shape), fills[0])


def unstacked(data: Data, axis: int) -> list[Data]:
    """The tables along an axis."""
    if not is_sparse(data):
        return list(np.moveaxis(data, axis, 0))
    coords, values = filled(data)
    member = coords.pop(axis)
    shape = (*data.shape[:axis], *data.shape[axis + 1 :])
    return [coo([row[member == i] for row in coords], values[member == i], shape) for i in range(data.shape[axis])]


def added(a: Data, b: Data) -> Data:
    """The sum of two tables of one shape; sparse where either is."""
    if not is_sparse(a) and not is_sparse(b):
        return a + b
    (coords, values), (others, more) = filled(a), filled(b)
    return coo([np.concatenate(both) for both in zip(coords, others, strict=True)], np.concatenate([values, more]), a.shape)
