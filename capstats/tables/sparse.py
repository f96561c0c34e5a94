"""Maps a formula over a batch of sparse tables, stored as their filled cells, one table after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from capstats.tables.axes import Held
from capstats.tables.backing import Data, ascending, coo, filled, stacked
from capstats.tables.table import Array, Index, Table, place_in
from capstats.tables.table import Cells as Cells


class SparseBatch:
    """Aligned tables as their filled cells, computed one member of the batch after the other."""

    def __init__(self, tables: Mapping[str, Held], by_key: Sequence[Array], batch: Mapping[str, int]):
        self.tables = [filled_cells(array, list(batch)) for array in tables.values()]
        self.by_key, self.shape = by_key, tuple(batch.values())

    def map(self, formula: Callable[..., Any], gives_table: bool) -> Data:
        """Apply the formula to every member of the batch."""
        results = [formula(*self._on_union(at), *(x[place_in(x.shape, at)] for x in self.by_key)) for at in np.ndindex(self.shape)]
        if gives_table:
            return _assembled(results, self.shape)
        return np.reshape(results, (*self.shape, *np.shape(results[0])))

    def _on_union(self, at: tuple[int, ...]) -> Iterator[Table]:
        """One member of each table, on the cells that any of them fills."""
        found = []
        for (*batch, targets, keys), place, values in self.tables:
            first = int(np.ravel_multi_index(place_in(batch, at), batch)) * targets * keys if batch else 0
            ends = slice(*np.searchsorted(place, [first, first + targets * keys]))
            found.append((place[ends] - first, values[ends]))
        union = np.sort(np.concatenate([codes for codes, _ in found]), kind="stable")  # sorted runs: merged
        union = union[np.diff(union, prepend=-1) > 0] if len(union) else np.zeros(1, np.intp)  # a maximum needs at least one cell
        target, key = np.divmod(union, keys)
        for codes, values in found:
            if len(codes) < len(union):
                spread = np.zeros(len(union), values.dtype)
                spread[np.searchsorted(union, codes)] = values
                values = spread
            yield Cells(values, target, key, (targets, keys))


def filled_cells(array: Held, dims: Sequence[str]) -> tuple[list[int], Index, Array]:
    """The shape of a table in a batch with the given dims, 1 where it lacks one; and its filled cells, sorted: flat places and values."""
    coords, values = filled(array.data, str(getattr(array, "name", "a table")))
    where = dict(zip(map(str, array.dims), coords, strict=True))
    nowhere = np.zeros(len(values), np.intp)
    shape = [array.sizes.get(dim, 1) for dim in (*dims, "target", "key")]
    place = np.ravel_multi_index([where.get(dim, nowhere) for dim in (*dims, "target", "key")], shape)
    order = ascending(place)
    return shape, place[order], values[order]


def _assembled(results: Sequence[Cells], batch: Sequence[int]) -> Data:
    """One ``sparse.COO`` of shape (*batch, target, key) from the cells of its members, in the order of the batch."""
    tables = [coo([cells.target, cells.key], cells.values, cells.shape, cells.fill) for cells in results]
    if not batch:
        return tables[0]
    whole = stacked(tables)
    coords = [*np.unravel_index(whole.coords[0], tuple(batch)), *whole.coords[1:]]
    return coo(coords, whole.data, (*batch, *results[0].shape), whole.fill_value)
