"""The two ways to hold a table: a numpy array, or its filled cells in a ``sparse.COO`` where an array would be too large.

Works on the coordinates of filled cells with numpy alone, so that nothing of sparse is ever compiled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.tables.primitives import Array, Cells

Index = NDArray[np.intp]
Backing = Literal["auto", "dense", "sparse"]
Data = Any  # numpy array, or sparse.COO: sparse is optional, and so is its type

LARGE = 1 << 24  # cells of a table that is dense however few of them are filled


def is_sparse(data: Data) -> bool:
    """Whether a table is held by its filled cells."""
    return not isinstance(data, np.ndarray)


def choose_sparse(backing: Backing, filled: int, cells: int) -> bool:
    """Whether to hold a table sparse: as told, or where it is large and fewer than a quarter of its cells are filled."""
    if backing not in ("auto", "dense", "sparse"):
        raise ValueError(f'`backing` must be "auto", "dense" or "sparse"; got {backing!r}.')
    return backing == "sparse" or (backing == "auto" and cells > LARGE and 4 * filled < cells)


def coo(coords: Sequence[Index], values: Array, shape: Sequence[int], fill: float = 0) -> Data:
    """A ``sparse.COO`` of values at coordinates, one row of them a dim; no two are the same."""
    try:
        import sparse
    except ImportError as error:
        raise ImportError(
            f'A table of {" x ".join(map(str, shape))} cells needs the package sparse. Install capstats[sparse], or give backing="dense".'
        ) from error
    return sparse.COO(np.array(coords), values, tuple(shape), has_duplicates=False, fill_value=values.dtype.type(fill))


def table_of(values: Array, target: Index, key: Index, shape: tuple[int, int], sparse: bool) -> Data:
    """A table from the values of its cells, those of a cell that occurs more than once added up."""
    flat = target * shape[1]
    flat += key
    if not sparse:
        try:
            table = np.zeros(shape, values.dtype)
        except MemoryError as error:
            size = f"{shape[0]} targets x {shape[1]} keys need {math.prod(shape) * 8 / 1e9:.1f} GB"
            raise MemoryError(f'{size}. Give backing="sparse", or fewer or coarser columns.') from error
        np.add.at(table.reshape(-1), flat, values)
        return table
    order = np.argsort(flat, kind="stable")
    flat, values = flat[order], values[order]
    first = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1])))
    flat, sums = flat[first], np.add.reduceat(values, first)
    return coo(np.divmod(flat, shape[1]), sums, shape)


def filled(data: Data, name: str = "a table") -> tuple[list[Index], Array]:
    """Coordinates, one row a dim, and values of the cells that a table stores, or that are not 0 where it is dense."""
    if isinstance(data, np.ndarray):
        coords = np.nonzero(data)
        return list(coords), data[coords]
    if data.fill_value != 0:
        raise ValueError(f"`{name}` is sparse with fill value {data.fill_value}; cells that are not stored must hold 0 records.")
    return list(data.coords), data.data


def values_at(data: Data, target: Index, key: Index) -> Array:
    """Values of the given cells of one table, in any order; 0 in those that it does not store."""
    if not is_sparse(data):
        return np.asarray(data[target, key])
    (rows, columns), values = filled(data)
    stored, wanted = rows * data.shape[1] + columns, target * data.shape[1] + key
    if not len(stored):
        return np.zeros(len(wanted), values.dtype)
    order = np.argsort(stored)
    nearest = order[np.searchsorted(stored, wanted, sorter=order).clip(max=len(stored) - 1)]
    return np.asarray(np.where(stored[nearest] == wanted, values[nearest], values.dtype.type(0)))


def placed(data: Data, axis: int, where: Index | None, size: int) -> Data:
    """The table on a longer axis: its entries at ``where``, no records elsewhere."""
    if where is None:
        return data
    axis %= data.ndim
    shape = (*data.shape[:axis], size, *data.shape[axis + 1 :])
    if is_sparse(data):
        coords, values = filled(data)
        coords[axis] = where[coords[axis]]
        return coo(coords, values, shape)
    wide = np.zeros(shape, data.dtype)
    wide[(slice(None),) * axis + (where,)] = data
    return wide


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
    parts = [filled(a), filled(b)]
    flat = np.concatenate([np.ravel_multi_index(coords, a.shape) for coords, _ in parts])
    values = np.concatenate([values for _, values in parts])
    places, where = np.unique(flat, return_inverse=True)
    sums = np.zeros(len(places), values.dtype)
    np.add.at(sums, where, values)
    return coo(np.unravel_index(places, a.shape), sums, a.shape)


@dataclass(frozen=True)
class Stored:
    """The filled cells of a batch of tables of one shape."""

    member: Index  # which table of the batch, as a flat index into ``batch``
    target: Index
    key: Index
    values: Array
    batch: tuple[int, ...]  # one length for each dim of the batch, 1 where this table does not have it
    shape: tuple[int, int]

    @classmethod
    def of(cls, array: xr.DataArray, dims: Sequence[str]) -> Stored:
        """A table whose last dims are target and key, in a batch with the given dims."""
        coords, values = filled(array.variable.data, str(array.name))
        where = dict(zip(map(str, array.dims), coords, strict=True))
        batch = tuple(array.sizes.get(dim, 1) for dim in dims)
        nowhere = np.zeros(len(values), np.intp)
        member = np.ravel_multi_index([where.get(dim, nowhere) for dim in dims], batch) if dims else nowhere
        return cls(member, where["target"], where["key"], values, batch, (array.sizes["target"], array.sizes["key"]))

    def totals(self) -> Array:
        """Records of each table, in the shape of the batch."""
        found = np.zeros(int(np.prod(self.batch)), self.values.dtype)
        np.add.at(found, self.member, self.values)
        return found.reshape(self.batch)

    def one(self, at: Sequence[int]) -> tuple[Index, Array]:
        """Cells of one table, as flat codes by target, then key, and their values, in order."""
        codes, values = self.target * self.shape[1] + self.key, self.values
        if self.batch and max(self.batch) > 1:
            own = np.ravel_multi_index([0 if size == 1 else i for i, size in zip(at, self.batch, strict=True)], self.batch)
            codes, values = codes[self.member == own], values[self.member == own]
        if (codes[1:] > codes[:-1]).all():
            return codes, values
        order = np.argsort(codes)
        return codes[order], values[order]


def on_union(tables: Sequence[Stored], at: Sequence[int]) -> list[Cells]:
    """One member of each table, on the cells that any of them fills."""
    found = [table.one(at) for table in tables]
    union = np.sort(np.concatenate([codes for codes, _ in found]), kind="stable")  # sorted runs: merged
    union = union[np.diff(union, prepend=-1) > 0]
    shape = tables[0].shape
    target, key = np.divmod(union, shape[1])
    cells = []
    for codes, values in found:
        spread = np.zeros(len(union), values.dtype)
        spread[np.searchsorted(union, codes)] = values
        cells.append(Cells(spread, target, key, shape))
    return cells


def assembled(results: Sequence[Cells], batch: Sequence[int]) -> Data:
    """One ``sparse.COO`` of shape (*batch, target, key) from the cells of its members, in the order of the batch."""
    tables = [coo([cells.target, cells.key], cells.values, cells.shape, cells.fill) for cells in results]
    if not batch:
        return tables[0]
    whole = stacked(tables)
    coords = [*np.unravel_index(whole.coords[0], tuple(batch)), *whole.coords[1:]]
    return coo(coords, whole.data, (*batch, *results[0].shape), whole.fill_value)
