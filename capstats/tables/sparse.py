"""A table of which few cells are filled, held by these cells.

Works on the coordinates of the cells with numpy alone, so that nothing of the package sparse is ever compiled.
"""

# ruff: noqa: D102, ARG002 -- what each method gives is said at `Table`
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from capstats.tables.axes import Held
from capstats.tables.backing import Data, coo, filled, stacked
from capstats.tables.sums import group_sums, ratio
from capstats.tables.table import EXACT, Array, Floats, Index, Table


@dataclass(frozen=True)
class Cells:
    """One table: the cells that any of the tables of the formula fills, by target, then key; what each method gives is said at `Table`."""

    values: Array
    target: Index
    key: Index
    shape: tuple[int, int]
    fill: float = 0  # what a result says of the cells that are not stored

    def like(self, values: Array, fill: float = 0) -> Cells:
        return replace(self, values=values, fill=fill)

    def on_cells(self, by_key: Array) -> Array:
        return by_key if len(by_key) == 1 else by_key[self.key]

    def on_targets(self, by_target: Array) -> Array:
        return by_target[self.target]

    def side_by_side(self) -> Array:
        return self.values

    # --- sums and extremes

    def total(self) -> Array:
        return np.asarray(self.values.sum())

    def key_total(self) -> Array:
        return self._by_key(np.add, 0)

    def target_total(self) -> Array:
        return np.bincount(self.target, self.values, self.shape[0]).astype(self.values.dtype)

    def key_greatest(self) -> Array:
        return self._by_key(np.maximum, 0)

    def key_least(self) -> Array:
        full = np.bincount(self.key, minlength=self.shape[1]) == self.shape[0]  # elsewhere a cell that is not stored holds 0
        return np.where(full, self._by_key(np.minimum, EXACT), 0).astype(self.values.dtype)

    def _by_key(self, reduce: np.ufunc, start: float) -> Array:
        found = np.full(self.shape[1], start, self.values.dtype)
        reduce.at(found, self.key, self.values)
        return found

    def key_product(self, other: Table) -> Array:
        return self.like(self.values * other.values).key_total()

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
        return self.like(np.where(rank >= count, self.values[order], 0)[np.argsort(order)]).key_total()

    def rank_distance(self) -> Floats:
        margin = ratio(np.cumsum(self.target_total()), self.total()[None], 0.0)
        order = np.lexsort((self.target, self.key))
        key, first = self.key[order], self.target[order]  # R_ij stays what it is from a stored target up to the next one
        through = np.cumsum(self.values[order])
        before = np.concatenate([[0], through])[np.searchsorted(key, key)]
        share = ratio(through - before, self.key_total()[key], 0.0)
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

    # --- rows that keys borrow from others

    def member(self, at: tuple[int, ...]) -> Cells:
        return self

    def borrowed(self, lenders: Index, borrowers: Index, lends: Array) -> tuple[Cells, Array]:
        values, totals = np.zeros_like(self.values), np.zeros(self.shape[1], self.values.dtype)
        lender, borrower = np.nonzero(lends)
        lender = lenders[lender]
        self.add_borrowed(values, lender, borrower, borrowers, np.arange(len(borrowers)), len(borrowers), 1)
        totals[borrowers] = group_sums(self.key_total()[lender], borrower, len(borrowers))
        return self.like(values), totals

    def add_borrowed(self, to: Array, lenders: Index, lent: Index, borrowers: Index, borrowed: Index, groups: int, times: int) -> None:
        given, giver = self._of_keys(lenders)
        taken, taker = self._of_keys(borrowers)
        if not len(given):
            return
        kinds, kind = np.unique(lent[giver] * self.shape[0] + self.target[given], return_inverse=True)
        sums = group_sums(self.values[given], kind, len(kinds))
        asked = borrowed[taker] * self.shape[0] + self.target[taken]
        place = np.minimum(np.searchsorted(kinds, asked), len(kinds) - 1)
        to[taken] += times * np.where(kinds[place] == asked, sums[place], 0)

    def _of_keys(self, keys: Index) -> tuple[Index, Index]:
        """The cells of some keys, and for each the place of its key among them."""
        order, first, number = self._key_by_key
        number = number[keys]
        place = np.repeat(np.arange(len(keys)), number)
        within = np.arange(len(place)) - np.repeat(np.cumsum(number) - number, number)
        return order[first[keys][place] + within], place

    @cached_property
    def _key_by_key(self) -> tuple[Index, Index, Index]:
        """The cells key after key, and of each key its first one there and their number."""
        number = np.bincount(self.key, minlength=self.shape[1])
        return np.argsort(self.key, kind="stable"), np.cumsum(number) - number, number


# --- batches of tables --------------------------------------------------------------------------------------------------


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
    def of(cls, array: Held, dims: Sequence[str]) -> Stored:
        """A table whose last dims are target and key, in a batch with the given dims."""
        coords, values = filled(array.data, str(getattr(array, "name", "a table")))
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

    def one(self, at: tuple[int, ...]) -> tuple[Index, Array]:
        """Cells of one table, as flat codes by target, then key, and their values, in order."""
        codes, values = self.target * self.shape[1] + self.key, self.values
        if self.batch and max(self.batch) > 1:
            own = np.ravel_multi_index(_own(self.batch, at), self.batch)
            codes, values = codes[self.member == own], values[self.member == own]
        if (codes[1:] > codes[:-1]).all():
            return codes, values
        order = np.argsort(codes)
        return codes[order], values[order]


class SparseBatch:
    """Aligned tables as their filled cells, computed one member of the batch after the other."""

    def __init__(self, tables: Mapping[str, Held], by_key: Sequence[Array], batch: Mapping[str, int]):
        self.tables = {name: Stored.of(array, list(batch)) for name, array in tables.items()}
        self.by_key, self.shape = by_key, tuple(batch.values())

    def totals(self, name: str) -> Array:
        """Records of one of the tables, in a shape that broadcasts against the batch."""
        return self.tables[name].totals()

    def map(self, formula: Callable[..., Any], gives_table: bool) -> Data:
        """The formula of every member of the batch."""
        results = [formula(*self._on_union(at), *(array[_own(array.shape, at)] for array in self.by_key)) for at in np.ndindex(self.shape)]
        if gives_table:
            return _assembled(results, self.shape)
        return np.reshape(results, (*self.shape, *np.shape(results[0])))

    def _on_union(self, at: tuple[int, ...]) -> Iterator[Table]:
        """One member of each table, on the cells that any of them fills."""
        found = [table.one(at) for table in self.tables.values()]
        union = np.sort(np.concatenate([codes for codes, _ in found]), kind="stable")  # sorted runs: merged
        union = union[np.diff(union, prepend=-1) > 0] if len(union) else np.zeros(1, np.intp)  # an extreme needs a cell
        shape = next(iter(self.tables.values())).shape
        target, key = np.divmod(union, shape[1])
        for codes, values in found:
            spread = np.zeros(len(union), values.dtype)
            spread[np.searchsorted(union, codes)] = values
            yield Cells(spread, target, key, shape)


def _own(shape: Sequence[int], at: tuple[int, ...]) -> tuple[int, ...]:
    """The place of a member of the batch in an array that may have length 1 along some of its dims."""
    return tuple(0 if size == 1 else i for size, i in zip(shape, at, strict=False))


def _assembled(results: Sequence[Cells], batch: Sequence[int]) -> Data:
    """One ``sparse.COO`` of shape (*batch, target, key) from the cells of its members, in the order of the batch."""
    tables = [coo([cells.target, cells.key], cells.values, cells.shape, cells.fill) for cells in results]
    if not batch:
        return tables[0]
    whole = stacked(tables)
    coords = [*np.unravel_index(whole.coords[0], tuple(batch)), *whole.coords[1:]]
    return coo(coords, whole.data, (*batch, *results[0].shape), whole.fill_value)
