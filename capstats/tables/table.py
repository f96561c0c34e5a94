"""The operations on a table of counts that formulas are made of, for tables stored as an array (`Dense`) or as filled cells (`Cells`).

Formulas use only these methods, so that they give the same numbers on both; if a result has a value for each cell, then in all cells that
hold a record of any table. All tables of one formula have the same cells in the same places.

`Cells` works on the coordinates of cells with numpy only, so that the package sparse never compiles a function.
"""

# ruff: noqa: D102, ARG002 -- methods of `Cells` are documented at `Dense`

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

Counts = ArrayLike | xr.DataArray  # one table of counts as given by the caller: dims (target, key) and any others
Release = Counts | None  # the counts of a release; None if the Dataset given in place of the original holds it
Tables = xr.Dataset  # the tables ``o``, ``s`` and ``h``, as `tabulate` and `from_counts` return them
Array = NDArray[Any]  # int64, or float64 where weights are fractional
Floats = NDArray[np.float64]
Index = NDArray[np.intp]

EXACT = 2**53  # integers below are exact in float64
CELLS_IN_CACHE = 1 << 15  # cells that are summed by group at a time: they stay in cache


def ratio(part: Array, whole: Array, empty: float) -> Floats:
    """Part / whole, and ``empty`` where whole is 0."""
    if np.logical_and.reduce(whole, axis=None):
        return np.asarray(part / whole)
    zero = whole == 0
    found = np.asarray(part / (whole + zero))
    found[np.broadcast_to(zero, found.shape)] = empty
    return found


def group_sums(values: Array, group: Index, groups: int) -> Array:
    """Sums of the last axis of ``values`` by group: shape (..., groups); exact for integers, whose sums are below 2**53."""
    rows = values.reshape(math.prod(values.shape[:-1]), values.shape[-1])
    cells = np.arange(len(rows))[:, None] * groups + group
    sums = np.bincount(cells.ravel(), rows.ravel(), len(rows) * groups)
    return sums.astype(values.dtype, copy=False).reshape(*values.shape[:-1], groups)


def place_in(shape: Sequence[int], at: tuple[int, ...]) -> tuple[int, ...]:
    """The index of a member of a batch in an array that may have length 1 along some of its dims."""
    return tuple(0 if size == 1 else i for size, i in zip(shape, at, strict=False))


class Part(NamedTuple):
    """One part of `Windows`, as arrays by target: guess k has weight factor_i weight_k for target i where first_i <= rank_k < last_i."""

    first: Index
    last: Index
    factor: Array
    weight: Array


@dataclass(frozen=True)
class Windows:
    """The weight of a guess k for a person with target i: the sum of parts, each of which is a window in the order of the targets."""

    rank: Index  # the place of each target in this order
    parts: Sequence[Part]


@dataclass(frozen=True)
class Dense:
    """Tables as an array of shape (..., target, key): all tables of a batch at once."""

    values: Array

    def like(self, values: Array, fill: float = 0) -> Dense:
        """A table with other values in the same cells; if it is sparse, ``fill`` in the cells that are not stored."""
        return Dense(values)

    def on_cells(self, by_key: Array) -> Array:
        """A value for each key, (..., key), or one for all keys, (..., 1), in a shape that broadcasts against ``values``."""
        return by_key[..., None, :]

    def on_targets(self, by_target: Array) -> Array:
        """A value for each target, (..., target), in a shape that broadcasts against ``values``."""
        return by_target[..., :, None]

    def side_by_side(self) -> Array:
        """The values in one row: shape (..., cells)."""
        return self.values.reshape(*self.values.shape[:-2], -1)

    # --- sums and extremes; a table is never changed, so that each sum is made once

    @cached_property
    def total(self) -> Array:
        """All records: shape (...)."""
        return np.asarray(np.add.reduce(self.values, axis=(-2, -1)))

    @cached_property
    def key_total(self) -> Array:
        """Records of each key, x_.j: shape (..., key)."""
        return np.asarray(np.add.reduce(self.values, axis=-2))

    @cached_property
    def target_total(self) -> Array:
        """Records of each target, x_i.: shape (..., target)."""
        return np.asarray(np.add.reduce(self.values, axis=-1))

    def key_greatest(self) -> Array:
        """The greatest cell of each key, max_i x_ij: shape (..., key)."""
        return np.asarray(np.maximum.reduce(self.values, axis=-2))

    def key_least(self) -> Array:
        """The least cell of each key, min_i x_ij: shape (..., key)."""
        return np.asarray(np.minimum.reduce(self.values, axis=-2))

    def target_greatest(self) -> Array:
        """The greatest cell of each target, max_j x_ij: shape (..., target)."""
        return np.asarray(np.maximum.reduce(self.values, axis=-1))

    def key_product(self, other: Table) -> Array:
        """sum_i x_ij y_ij of each key: shape (..., key). `shared` is the same, and exact for integers of any size."""
        x, y = self.values, other.values
        if x.size == x.shape[-2] * x.shape[-1]:
            return np.asarray(np.einsum("ij,...ij->...j", x.reshape(x.shape[-2:]), y))  # twice as fast as with a stretched axis
        return np.asarray(np.einsum("...ij,...ij->...j", x, y))

    def product_across(self, other: Table, left: Index, right: Index) -> Array:
        """sum_i x_ij y_ik of each pair of keys (j, k) in ``left`` and ``right``: shape (..., pairs)."""
        return Dense(self.values[..., left]).key_product(Dense(other.values[..., right]))

    def across_targets(self, other: Table) -> Floats:
        """sum_j x_aj y_bj of all pairs of targets: shape (..., a, b)."""
        return np.asarray(np.matmul(self.values, np.swapaxes(other.values, -1, -2)))

    def beyond_largest(self, count: int) -> Array:
        """Records of each key that are not in its ``count`` largest cells: shape (..., key)."""
        least = max(self.values.shape[-2] - count, 0)
        return np.asarray(np.sort(self.values, axis=-2)[..., :least, :].sum(-2))

    def rank_distance(self) -> Floats:
        """sum_i |R_ij - P_i| of each key, R_ij and P_i the shares of targets 1 to i in the key and in the table: shape (..., key)."""
        through = ratio(np.cumsum(self.target_total, axis=-1), self.total[..., None], 0.0)
        of_key = ratio(np.cumsum(self.values, axis=-2), self.on_cells(self.key_total), 0.0)
        return np.asarray(np.abs(of_key - self.on_targets(through)).sum(-2))

    def by_level(self, level: Index, levels: int) -> Array:
        """Records of each target at each level of one key column; ``level`` has that of each key: shape (..., target, level)."""
        return group_sums(self.values, level, levels)

    def in_least_cell(self, key: Array, m: int) -> Dense:
        """A table of m records, all of them in the first least cell of the given key: (...)."""
        target = np.take_along_axis(self.values, key[..., None, None], axis=-1)[..., 0].argmin(-1)
        found = np.zeros(self.values.shape, np.int64)
        found[(*np.indices(key.shape), target, key)] = m
        return Dense(found)

    def in_windows(self, windows: Windows) -> Dense:
        """sum_k K_ik x_kj, where K_ik is the weight of guess k for target i."""
        values = self.values[..., np.argsort(windows.rank), :]
        found = np.zeros((), np.int64)
        for first, last, factor, weight in windows.parts:
            through = np.zeros((*values.shape[:-2], values.shape[-2] + 1, values.shape[-1]), np.result_type(values, weight))
            np.cumsum(values * weight[np.argsort(windows.rank), None], axis=-2, out=through[..., 1:, :])
            found = found + (through[..., last, :] - through[..., first, :]) * factor[:, None]
        return Dense(np.maximum(found, 0))

    def rows_in_windows(self, windows: Windows, rows: Callable[[Any], tuple[Any, Array]]) -> tuple[Dense, Array]:
        """The rows that keys use, weighted by windows; and their totals."""
        used, totals = rows(self)
        return used.in_windows(windows), totals

    # --- rows that keys take from others

    def columns(self, keys: Index) -> Dense:
        """The columns of some keys, with all their cells."""
        return Dense(self.values[..., keys])

    def member(self, at: tuple[int, ...]) -> Dense:
        """One table of the batch."""
        return Dense(self.values[at])

    def donated(self, donors: Index, recipients: Index, donates: Array) -> tuple[Dense, Array]:
        """For each recipient the sum of the rows of its donors, and its total; no records in the other keys.

        ``donates`` says which donor gives to which recipient: shape (donors, recipients).
        """
        rows = (self.values[..., donors].astype(np.float64) @ donates.astype(np.float64)).astype(self.values.dtype)  # sums are below 2**53
        found = np.zeros_like(self.values)
        found[..., recipients] = rows
        return Dense(found), Dense(found).key_total

    def add_donated(
        self, to: Array, donors: Index, donor_group: Index, recipients: Index, recipient_group: Index, groups: int, times: int
    ) -> None:
        """Add to values like these, for each recipient, the rows of all donors of its group, ``times`` each."""
        step = max(1, CELLS_IN_CACHE // max(groups, len(donors), len(recipients)))
        for start in range(0, len(self.values), step):
            targets = slice(start, start + step)
            to[targets, recipients] += times * group_sums(self.values[targets, donors], donor_group, groups)[:, recipient_group]


@dataclass(frozen=True)
class Cells:
    """One table: the cells that any of the tables of the formula fills, by target, then key; its methods are those of `Dense`."""

    values: Array
    target: Index
    key: Index
    shape: tuple[int, int]
    fill: float = 0  # the value of the cells that are not stored
    windows: Windows | None = None  # weights for rows that keys take from others

    def like(self, values: Array, fill: float = 0) -> Cells:
        return replace(self, values=values, fill=fill)

    def on_cells(self, by_key: Array) -> Array:
        return by_key if len(by_key) == 1 else by_key[self.key]

    def on_targets(self, by_target: Array) -> Array:
        return by_target[self.target]

    def side_by_side(self) -> Array:
        return self.values

    # --- sums and extremes; a table is never changed, so that each sum is made once

    @cached_property
    def total(self) -> Array:
        return np.asarray(self.values.sum())

    @cached_property
    def key_total(self) -> Array:
        return self._reduced(np.add, 1)

    @cached_property
    def target_total(self) -> Array:
        return self._reduced(np.add, 0)

    def key_greatest(self) -> Array:
        return self._reduced(np.maximum, 1)

    def key_least(self) -> Array:
        full = np.bincount(self.key, minlength=self.shape[1]) == self.shape[0]  # other keys have a cell that is not stored, which is 0
        return np.where(full, self._reduced(np.minimum, 1, EXACT), 0).astype(self.values.dtype)

    def target_greatest(self) -> Array:
        return self._reduced(np.maximum, 0)

    def _reduced(self, reduce: np.ufunc, axis: int, start: float = 0) -> Array:
        """The values of the cells of each target (axis 0) or key (axis 1), reduced by a ufunc."""
        found = np.full(self.shape[axis], start, self.values.dtype)
        reduce.at(found, (self.target, self.key)[axis], self.values)
        return found

    def key_product(self, other: Table) -> Array:
        return self.like(self.values * other.values).key_total

    def product_across(self, other: Table, left: Index, right: Index) -> Array:
        return np.asarray(self._matrix(self.values)[:, left].multiply(self._matrix(other.values)[:, right]).sum(0)).ravel()

    def across_targets(self, other: Table) -> Floats:
        return np.asarray((self._matrix(self.values) @ self._matrix(other.values).T).toarray())

    def _matrix(self, values: Array) -> Any:
        """Values of the cells as a matrix of floats of ``scipy.sparse``, which multiplies filled cells only."""
        from scipy.sparse import csc_array

        return csc_array((values.astype(np.float64), (self.target, self.key)), shape=self.shape)

    def beyond_largest(self, count: int) -> Array:
        order = np.lexsort((-self.values, self.key))
        key = self.key[order]
        rank = np.arange(len(key)) - np.searchsorted(key, key)
        return self.like(np.where(rank >= count, self.values[order], 0)[np.argsort(order)]).key_total

    def rank_distance(self) -> Floats:
        margin = ratio(np.cumsum(self.target_total), self.total[None], 0.0)
        order = np.lexsort((self.target, self.key))
        key, first = self.key[order], self.target[order]  # R_ij stays what it is from a stored target up to the next one
        through = np.cumsum(self.values[order])
        before = np.concatenate([[0], through])[np.searchsorted(key, key)]
        share = ratio(through - before, self.key_total[key], 0.0)
        last = np.append(first[1:], 0)
        last[np.append(key[1:] != key[:-1], True)] = self.shape[0]
        crossing = np.clip(np.searchsorted(margin, share), first, last)  # from here on P_i is not below it
        sums = np.concatenate([[0], np.cumsum(margin)])
        gaps = share * (2 * crossing - first - last) + sums[first] + sums[last] - 2 * sums[crossing]
        start = np.bincount(key, gaps, self.shape[1])
        lowest = np.full(self.shape[1], self.shape[0])
        np.minimum.at(lowest, key, first)
        return np.asarray(start + sums[lowest])

    def by_level(self, level: Index, levels: int) -> Array:
        return group_sums(self.values, self.target * levels + level[self.key], self.shape[0] * levels).reshape(self.shape[0], levels)

    def in_least_cell(self, key: Array, m: int) -> Cells:
        column = np.zeros(self.shape[0], self.values.dtype)
        column[self.target[self.key == key]] = self.values[self.key == key]
        return Cells(np.array([m]), np.array([column.argmin()]), np.array([key]), self.shape)

    def in_windows(self, windows: Windows) -> Cells:
        cells = np.arange(len(self.values))
        return self.like(self._sums_in_windows(windows, cells, self.key, cells, self.key))

    def _sums_in_windows(self, windows: Windows, given: Index, giver: Index, asked: Index, asker: Index) -> Array:
        """For each asked cell, the weighted sum of the given cells of its group."""
        place = giver * self.shape[0] + windows.rank[self.target[given]]
        order = np.argsort(place, kind="stable")
        place, given, target, found = place[order], given[order], self.target[asked], np.zeros((), np.int64)
        for first, last, factor, weight in windows.parts:
            values = self.values[given] * weight[self.target[given]]
            # cumulative sums over all keys, wide enough for the digits of small keys
            long = np.longdouble if values.dtype.kind == "f" else values.dtype
            through = np.append(np.zeros(1, long), np.cumsum(values, dtype=long))
            below, up_to = (through[np.searchsorted(place, asker * self.shape[0] + end[target])] for end in (first, last))
            found = found + (up_to - below).astype(values.dtype) * factor[target]
        return np.asarray(np.maximum(found, 0))

    def rows_in_windows(self, windows: Windows, rows: Callable[[Any], tuple[Any, Array]]) -> tuple[Cells, Array]:
        own = self.in_windows(windows)  # rows of other keys may have cells that are not stored here, so they are weighted as they are taken
        taken, totals = rows(replace(self, values=self.values.astype(own.values.dtype), windows=windows))
        return self.like(own.values + (taken.values - self.values)), totals

    # --- rows that keys take from others

    def columns(self, keys: Index) -> Dense:
        found = np.zeros((self.shape[0], len(keys)), self.values.dtype)
        cells, place = self.of_keys(keys)
        found[self.target[cells], place] = self.values[cells]
        return Dense(found)

    def sums_of_rows(self, keys: Index, group: Index, groups: int) -> Array:
        """The records of all keys of each group, by target: shape (group, target)."""
        cells, place = self.of_keys(keys)
        return group_sums(self.values[cells], group[place] * self.shape[0] + self.target[cells], groups * self.shape[0]).reshape(groups, -1)

    def member(self, at: tuple[int, ...]) -> Cells:
        return self

    def donated(self, donors: Index, recipients: Index, donates: Array) -> tuple[Cells, Array]:
        values, totals = np.zeros_like(self.values), np.zeros(self.shape[1], self.values.dtype)
        donor, recipient = np.nonzero(donates)
        donor = donors[donor]
        self.add_donated(values, donor, recipient, recipients, np.arange(len(recipients)), len(recipients), 1)
        totals[recipients] = group_sums(self.key_total[donor], recipient, len(recipients))
        return self.like(values), totals

    def add_donated(
        self, to: Array, donors: Index, donor_group: Index, recipients: Index, recipient_group: Index, groups: int, times: int
    ) -> None:
        given, giver = self.of_keys(donors)
        taken, taker = self.of_keys(recipients)
        if not len(given):
            return
        if self.windows is not None:
            to[taken] += times * self._sums_in_windows(self.windows, given, donor_group[giver], taken, recipient_group[taker])
            return
        kinds, kind = np.unique(donor_group[giver] * self.shape[0] + self.target[given], return_inverse=True)
        sums = group_sums(self.values[given], kind, len(kinds))
        asked = recipient_group[taker] * self.shape[0] + self.target[taken]
        place = np.minimum(np.searchsorted(kinds, asked), len(kinds) - 1)
        to[taken] += times * np.where(kinds[place] == asked, sums[place], 0)

    def of_keys(self, keys: Index) -> tuple[Index, Index]:
        """The cells of some keys, and for each cell the index of its key; a method of `Cells` only."""
        order, first, number = self._key_by_key
        number = number[keys]
        place = np.repeat(np.arange(len(keys)), number)
        within = np.arange(len(place)) - np.repeat(np.cumsum(number) - number, number)
        return order[first[keys][place] + within], place

    @cached_property
    def _key_by_key(self) -> tuple[Index, Index, Index]:
        """The cells sorted by key, with each key's first cell in this order and its number of cells."""
        number = np.bincount(self.key, minlength=self.shape[1])
        return np.argsort(self.key, kind="stable"), np.cumsum(number) - number, number


Table = Dense | Cells
