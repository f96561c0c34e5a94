"""How a formula meets its tables: they are checked, then aligned, then the formula is computed for every member of their batch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from capstats.tables.aligning import Batch, on_same_cells, warn_of_other_levels
from capstats.tables.axes import coords_of
from capstats.tables.backing import is_sparse
from capstats.tables.checking import CELLS, Core, as_table, check_range
from capstats.tables.dense import BLOCK, DenseBatch, expanded
from capstats.tables.sparse import SparseBatch
from capstats.tables.table import Array


class Aligned:
    """Tables with the same cells in the same places, whose other dims broadcast against each other.

    ``by_key`` are numbers of each key, which a formula takes after the tables, as arrays of shape (..., key). Tables named in ``inexact``
    are sums of floats, such as squared weights; all others are counts or weights, which sum exactly.
    """

    def __init__(self, tables: Mapping[str, Any], by_key: Mapping[str, Any] | None = None, inexact: Collection[str] = ()):
        checked = {name: as_table(table, name, CELLS, name not in inexact) for name, table in tables.items()}
        keyed = {name: as_table(array, name, ("key",)) for name, array in (by_key or {}).items()}
        sparse = any(map(is_sparse, [array.variable.data for array in checked.values()]))
        large = {name: array for name, array in checked.items() if array.size > BLOCK and not sparse}  # DenseBatch checks their sums
        for name, array in {**checked, **keyed}.items():
            if name not in large:
                check_range(array, array.variable.data, name, 1 if name in keyed else 2)

        arrays, self.axes, joined = on_same_cells(checked | keyed)
        self._batch = Batch.of(arrays)
        self.dims, self.shape = self._batch.dims, self._batch.shape
        self.whole = {name: array.dtype.kind == "i" for name, array in checked.items()}  # which tables hold integers

        placed = {name: arrays[name] for name in checked}
        self.sizes = dict(zip(CELLS, next(iter(placed.values())).shape[-2:], strict=True))
        if joined and len(placed) > 1:
            warn_of_other_levels(placed, self.axes)
        of_keys = [expanded(arrays[name], self.dims) for name in keyed]
        self._tables = SparseBatch(placed, of_keys, self._batch) if sparse else DenseBatch(placed, of_keys, self._batch, large)

    def map(self, formula: Callable[..., Any], name: str, out: Core = ()) -> xr.DataArray:
        """The formula, which takes tables and returns an array (..., *out), of every member of the batch.

        With out = (target, key) it returns a table.
        """
        return self.wrap(self._tables.map(formula, tuple(out) == CELLS), name, out)

    def totals(self, name: str) -> Array:
        """Records of one of the tables, in a shape that broadcasts against the batch."""
        return self._tables.totals(name)

    def wrap(self, values: Any, name: str, out: Core = (), before: Core = ()) -> xr.DataArray:
        """An array of shape (*before, batch, *out) as a DataArray with the tables' labels."""
        coords = xr.Coordinates(self._batch.coords)
        for dim in out:
            axis = self.axes.get(dim)
            if axis is not None:
                coords = coords.merge(coords_of(dim, axis)).coords
        return xr.DataArray(values, coords=coords, dims=[*before, *self.dims, *out], name=name)


def same_or_span(records: Array) -> Any:
    """Numbers of records for the attrs of a result: one number where all tables have as many, else the least and the greatest."""
    ends: Sequence[Any] = [int(x) if x == int(x) else float(x) for x in (np.min(records), np.max(records))]
    return ends[0] if ends[0] == ends[1] else ends
