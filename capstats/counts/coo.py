"""Tables too wide to be dense: ``sparse.COO`` outside, `Cells` inside; numpy on coordinates, so that nothing is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.counts.primitives import Array, Cells

Index = NDArray[np.intp]


def is_sparse(array: xr.DataArray) -> bool:
    """Whether the table is held by its filled cells."""
    return not isinstance(array.variable.data, np.ndarray)


def coo(coords: Sequence[Index], values: Array, shape: Sequence[int], fill: Any = 0) -> Any:
    """A ``sparse.COO`` of values at coordinates, one row of them a dim; no two are the same."""
    try:
        import sparse
    except ImportError as error:
        raise ImportError("A table with so many cells needs the package sparse: install capstats[sparse].") from error
    return sparse.COO(np.array(coords), values, tuple(shape), has_duplicates=False, fill_value=values.dtype.type(fill))


def filled(array: xr.DataArray) -> tuple[list[Index], Array]:
    """Coordinates, one row a dim, and values of the cells that a table stores, or that are not 0 where it is dense."""
    data = array.variable.data
    if isinstance(data, np.ndarray):
        coords = np.nonzero(data)
        return list(coords), data[coords]
    if data.fill_value != 0:
        raise ValueError(f"`{array.name}` is sparse with fill value {data.fill_value}; cells that are not stored must hold 0 records.")
    return list(data.coords), data.data


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
        coords, values = filled(array)
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


def stacked(results: Sequence[Cells], batch: Sequence[int]) -> Any:
    """One ``sparse.COO`` of shape (*batch, target, key) from the members' cells, in the order of the batch."""
    sizes = [len(cells.values) for cells in results]
    member = np.repeat(np.arange(len(results)), sizes)
    coords = [*np.unravel_index(member, tuple(batch))] if batch else []
    coords += [np.concatenate([c.target for c in results]), np.concatenate([c.key for c in results])]
    return coo(coords, np.concatenate([c.values for c in results]), (*batch, *results[0].shape), results[0].fill)
