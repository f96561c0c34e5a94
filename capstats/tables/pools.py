"""Rows that keys borrow from others, summed up: once for dense and once for sparse tables.

Both sides of a loan are sorted into groups: whoever borrows in a group gets the records of all who lend in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from capstats.tables.backing import Index
from capstats.tables.primitives import Array, Cells, Table, key_total, like

MOST = 1 << 15  # cells that are summed at a time: they stay in cache


class Pool(Protocol):
    """What the keys of one table have borrowed so far."""

    totals: Array  # borrowed records of each key

    def lend(self, lenders: Index, lent: Index, borrowers: Index, borrowed: Index, groups: int, times: int = 1) -> None:
        """Give each borrower the records, ``times`` each, of all lenders whose group ``lent`` is the one that it has ``borrowed`` from."""

    def table(self) -> Table:
        """The borrowed records, cell by cell."""


def pool_of(s: Table) -> Pool:
    """An empty pool of the rows of one table, of shape (target, key)."""
    if isinstance(s, Cells):
        return _StoredPool(s)
    return _DensePool(s)


def group_sums(values: Array, group: Index, groups: int) -> Array:
    """Sums of the last axis of ``values`` by group: shape (..., groups); exact for integers, whose sums are below 2**53."""
    rows = values.reshape(-1, values.shape[-1])
    cells = np.arange(len(rows))[:, None] * groups + group
    sums = np.bincount(cells.ravel(), rows.ravel(), len(rows) * groups)
    return sums.astype(values.dtype, copy=False).reshape(*values.shape[:-1], groups)


def by_level(x: Table, level: Index, levels: int) -> Array:
    """Records of each target at each level of one key column, of which every key has one: shape (..., target, level)."""
    if isinstance(x, Cells):
        return group_sums(x.values, x.target * levels + level[x.key], x.shape[0] * levels).reshape(x.shape[0], levels)
    return group_sums(x, level, levels)


class _DensePool:
    def __init__(self, s: Array):
        self.s = s
        self.s_j = key_total(s)
        self.totals = np.zeros_like(self.s_j)
        self.cells = np.zeros_like(s)

    def lend(self, lenders: Index, lent: Index, borrowers: Index, borrowed: Index, groups: int, times: int = 1) -> None:
        step = max(1, MOST // max(groups, len(lenders), len(borrowers)))
        for start in range(0, len(self.s), step):
            targets = slice(start, start + step)
            sums = group_sums(self.s[targets, lenders], lent, groups)
            self.cells[targets, borrowers] += times * sums[:, borrowed]
        self.totals[borrowers] += times * group_sums(self.s_j[lenders], lent, groups)[borrowed]

    def table(self) -> Table:
        return self.cells


@dataclass
class _ByKey:
    """The stored cells of a table, key after key."""

    order: Index
    first: Index
    number: Index

    @classmethod
    def of(cls, s: Cells) -> _ByKey:
        number = np.bincount(s.key, minlength=s.shape[1])
        return cls(np.argsort(s.key, kind="stable"), np.cumsum(number) - number, number)

    def of_keys(self, keys: Index) -> tuple[Index, Index]:
        """The cells of some keys, and for each the place of its key among them."""
        number = self.number[keys]
        place = np.repeat(np.arange(len(keys)), number)
        within = np.arange(len(place)) - np.repeat(np.cumsum(number) - number, number)
        return self.order[self.first[keys][place] + within], place


class _StoredPool:
    def __init__(self, s: Cells):
        self.s = s
        self.s_j = key_total(s)
        self.totals = np.zeros_like(self.s_j)
        self.by_key = _ByKey.of(s)
        self.values = np.zeros_like(s.values)

    def lend(self, lenders: Index, lent: Index, borrowers: Index, borrowed: Index, groups: int, times: int = 1) -> None:
        targets = self.s.shape[0]
        given, giver = self.by_key.of_keys(lenders)
        taken, taker = self.by_key.of_keys(borrowers)
        kinds, kind = np.unique(lent[giver] * targets + self.s.target[given], return_inverse=True)
        sums = group_sums(self.s.values[given], kind, len(kinds))
        asked = borrowed[taker] * targets + self.s.target[taken]
        place = np.minimum(np.searchsorted(kinds, asked), len(kinds) - 1)
        self.values[taken] += times * np.where(kinds[place] == asked, sums[place], 0)
        self.totals[borrowers] += times * group_sums(self.s_j[lenders], lent, groups)[borrowed]

    def table(self) -> Table:
        return like(self.s, self.values)
