"""Tables held as arrays: all tables of a batch at once."""

# ruff: noqa: D102, ARG002 -- what each method gives is said at `Table`
from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from capstats.tables.axes import Held
from capstats.tables.checking import check_range
from capstats.tables.sums import group_sums, ratio
from capstats.tables.table import Array, Floats, Index, Table

BLOCK = 240_000  # cells computed at a time
MANY = 16  # pieces from which threads pay

MOST = 1 << 15  # cells that are summed by group at a time: they stay in cache


@dataclass(frozen=True)
class Dense:
    """Tables as an array of shape (..., target, key); what each method gives is said at `Table`."""

    values: Array

    def like(self, values: Array, fill: float = 0) -> Dense:
        return Dense(values)

    def on_cells(self, by_key: Array) -> Array:
        return by_key[..., None, :]

    def on_targets(self, by_target: Array) -> Array:
        return by_target[..., :, None]

    def side_by_side(self) -> Array:
        return self.values.reshape(*self.values.shape[:-2], -1)

    # --- sums and extremes

    def total(self) -> Array:
        return np.asarray(np.add.reduce(self.values, axis=(-2, -1)))

    def key_total(self) -> Array:
        return np.asarray(np.add.reduce(self.values, axis=-2))

    def target_total(self) -> Array:
        return np.asarray(np.add.reduce(self.values, axis=-1))

    def key_greatest(self) -> Array:
        return np.asarray(np.maximum.reduce(self.values, axis=-2))

    def key_least(self) -> Array:
        return np.asarray(np.minimum.reduce(self.values, axis=-2))

    def key_product(self, other: Table) -> Array:
        x, y = self.values, other.values
        if x.size == x.shape[-2] * x.shape[-1]:
            return np.asarray(np.einsum("ij,...ij->...j", x.reshape(x.shape[-2:]), y))  # twice as fast as with a stretched axis
        return np.asarray(np.einsum("...ij,...ij->...j", x, y))

    def product_across(self, other: Table, left: Index, right: Index) -> Array:
        return Dense(self.values[..., left]).key_product(Dense(other.values[..., right]))

    def across_targets(self, other: Table) -> Floats:
        return np.asarray(np.matmul(self.values, np.swapaxes(other.values, -1, -2)))

    def beyond_largest(self, count: int) -> Array:
        least = max(self.values.shape[-2] - count, 0)
        return np.asarray(np.sort(self.values, axis=-2)[..., :least, :].sum(-2))

    def rank_distance(self) -> Floats:
        through = ratio(np.cumsum(self.target_total(), axis=-1), self.total()[..., None], 0.0)
        of_key = ratio(np.cumsum(self.values, axis=-2), self.on_cells(self.key_total()), 0.0)
        return np.asarray(np.abs(of_key - self.on_targets(through)).sum(-2))

    def by_level(self, level: Index, levels: int) -> Array:
        return group_sums(self.values, level, levels)

    def in_least_cell(self, key: Array, m: int) -> Dense:
        columns = np.take_along_axis(self.values, key[..., None, None], axis=-1)
        found = np.zeros(self.values.shape, np.int64)
        chosen = np.zeros(columns.shape, np.int64)
        np.put_along_axis(chosen, columns.argmin(axis=-2, keepdims=True), m, axis=-2)
        np.put_along_axis(found, np.broadcast_to(key[..., None, None], columns.shape), chosen, axis=-1)
        return Dense(found)

    # --- rows that keys borrow from others

    def member(self, at: tuple[int, ...]) -> Dense:
        return Dense(self.values[at])

    def borrowed(self, lenders: Index, borrowers: Index, lends: Array) -> tuple[Dense, Array]:
        rows = (self.values[..., lenders].astype(np.float64) @ lends.astype(np.float64)).astype(self.values.dtype)  # sums are below 2**53
        found = np.zeros_like(self.values)
        found[..., borrowers] = rows
        return Dense(found), Dense(found).key_total()

    def add_borrowed(self, to: Array, lenders: Index, lent: Index, borrowers: Index, borrowed: Index, groups: int, times: int) -> None:
        step = max(1, MOST // max(groups, len(lenders), len(borrowers)))
        for start in range(0, len(self.values), step):
            targets = slice(start, start + step)
            to[targets, borrowers] += times * group_sums(self.values[targets, lenders], lent, groups)[:, borrowed]


# --- batches of tables ------------------------------------------------------------------------------------------------

Piece = tuple[slice, ...]


class DenseBatch:
    """Aligned tables as arrays that broadcast against each other, computed in pieces that stay in cache.

    The sums of the tables in ``large`` are checked piece by piece, while they are in cache anyway: to read them once more before the
    formula would take an eighth of the time of average CAP.
    """

    def __init__(self, tables: Mapping[str, Held], by_key: Sequence[Array], batch: Mapping[str, int], large: Mapping[str, Held]):
        self.arrays = {name: expanded(array, list(batch)) for name, array in tables.items()}
        self.by_key, self.shape, self.large = by_key, tuple(batch.values()), large
        self.cells = math.prod(next(iter(self.arrays.values())).shape[-2:])

    def totals(self, name: str) -> Array:
        """Records of one of the tables, in a shape that broadcasts against the batch."""
        return Dense(self.arrays[name]).total()

    def map(self, formula: Callable[..., Any], gives_table: bool) -> Array:
        """The formula of every member of the batch."""

        def computed(piece: Piece) -> Array:
            found = formula(*self._checked(piece), *(_part(array, piece) for array in self.by_key))
            return np.asarray(found.values if gives_table else found)

        pieces = list(cut(self.shape, self.cells))
        first = computed(pieces[0])
        if len(pieces) == 1:
            return first
        result = np.empty(self.shape + first.shape[len(self.shape) :], first.dtype)
        result[pieces[0]] = first

        def fill(piece: Piece) -> None:
            result[piece] = computed(piece)

        if len(pieces) < MANY:
            list(map(fill, pieces[1:]))
        else:  # numpy computes outside the interpreter's lock, so pieces run side by side
            with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
                list(pool.map(fill, pieces[1:]))
        return result

    def _checked(self, piece: Piece) -> Iterator[Table]:
        """A piece of each table, whose sums are exact."""
        for name, array in self.arrays.items():
            part = _part(array, piece)
            if name in self.large:
                check_range(self.large[name], part, name)
            yield Dense(part)


def expanded(array: Held, dims: Sequence[str]) -> Array:
    """The values with one axis for each of the dims of a batch, of length 1 where the array does not have it."""
    values = array.data
    own = [dim for dim in map(str, array.dims) if dim in dims]
    if own == dims:
        return np.asarray(values)
    values = values.transpose([own.index(d) for d in dims if d in own] + list(range(len(own), array.ndim)))
    shape = [array.sizes[d] if d in own else 1 for d in dims]
    return np.asarray(values.reshape(*shape, *values.shape[len(own) :]))


def _part(array: Array, piece: Piece) -> Array:
    return array[tuple(slice(None) if size == 1 else at for size, at in zip(array.shape, piece, strict=False))]


def cut(batch: Sequence[int], cells: int) -> Iterator[Piece]:
    """Slices that cut a batch of tables of ``cells`` cells into pieces of about ``BLOCK`` cells, in memory order."""
    if not batch:
        yield ()
        return
    inner = cells * math.prod(batch[1:])
    step = max(1, BLOCK // max(inner, 1))
    for start in range(0, batch[0], step):
        outer = slice(start, min(start + step, batch[0]))
        if step == 1 and inner > BLOCK:
            for rest in cut(batch[1:], cells):
                yield (outer, *rest)
        else:
            yield (outer, *(slice(None),) * (len(batch) - 1))
