"""What several published tables of counts of the same people say together.

Each table tells the number of people in its cells, or an interval for it. The obvious way to read several of them together is an integer
programme for each claim: is there a table of all columns that agrees with everything that was published, and in which some person of this
key has another target? That takes seconds a claim and a solver. Here bounds of all joint cells are tightened at once: a joint cell holds at
most what its cell of a published table may hold, less what the other joint cells of that cell hold at least; and likewise at least. This is
repeated until nothing changes. One round costs two sums a table over the *live* joint cells, those that no published 0 rules out, which are
found column by column, so that the whole cross product is never made. No claim is false, by induction over the steps; but some that are
true are missed, because a step reads one published cell at a time. `certified` adds claims by one linear programme for all cells, whose
dual solution is rounded to integers and checked without a rounding error. (The obvious way is in tests/disclosure/test_published.py.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.distinct import WIDEST
from capstats.codes.labels import Label, canonical
from capstats.tables.axes import axis_of, names_of
from capstats.tables.backing import filled
from capstats.tables.checking import as_counts, check_unweighted, given_tables
from capstats.tables.table import Array, Floats, Index

MOST = 1 << 24  # live joint cells
WIDE = 1 << 27  # combinations of targets and keys
BLOCK = 1 << 21  # joint cells that are looked at together
ROUNDS = 10_000  # each is sound, so one may stop after any of them
FIT, CLOSE = 500, 1e-7  # rounds of iterative proportional fitting, and the share of people who move in one from which it goes on
SCALES = (1, 2, 3, 4, 6, 12, 60, 840, 27720, 720720)  # denominators of a dual solution that are tried
WHY = "people are counted"

Bounds = tuple[Index, Floats, Floats]  # the published cell of each joint cell, and the least and the greatest count of these cells


def flat(codes: Any, sizes: Sequence[int]) -> Index:
    """Combinations of codes as one integer each, of mixed radix."""
    return np.asarray(np.ravel_multi_index(tuple(codes), tuple(sizes)))


def find(known: Array, wanted: Array) -> Index:
    """The places of numbers among others, which are sorted; one after the last for those that are not there."""
    at = np.searchsorted(known, wanted)
    return np.where(np.append(known, -1)[at] == wanted, at, len(known))


@dataclass(frozen=True)
class People:
    """The original as counts of all columns, those of the target last; tables as published may add levels that it lacks."""

    columns: list[str]
    levels: list[list[Label]]
    codes: Index  # (columns, filled cells)
    counts: Array
    axes: Mapping[str, pd.MultiIndex]

    @classmethod
    def of(cls, tables: xr.Dataset | xr.DataArray, o: xr.DataArray | None = None) -> People:
        """Counts of people by key and target, one table, by default the original; the columns have the names that the caller knows."""
        o = given_tables({"o": tables})["o"] if o is None else o
        check_unweighted(WHY, o=o)
        table = as_counts(o, "o")
        axes = {dim: axis for dim in ("key", "target") if (axis := axis_of(table, dim)) is not None}
        if table.ndim > 2 or table.dtype.kind != "i" or len(axes) < 2:
            must = "be one table" if table.ndim > 2 else "have labels" if len(axes) < 2 else f"hold integers: {WHY}"
            raise ValueError(f"`o` must {must}. Give the counts that tabulate or from_counts made of the original, without weights.")
        *places, counts = *reversed(filled(table.variable.data)[0]), filled(table.variable.data)[1]
        codes = [np.asarray(code)[at[counts > 0]] for at, axis in zip(places, axes.values(), strict=True) for code in axis.codes]
        levels = [list(map(canonical, level)) for axis in axes.values() for level in axis.levels]
        names = [str(x) for dim, axis in axes.items() for x in tables.attrs.get(f"{dim}_columns", names_of(axis))]
        if math.prod(map(len, levels)) > WIDEST:
            raise ValueError(f"{len(names)} columns have more than 2**62 combinations of levels. Name fewer keys and published columns.")
        return cls(names, levels, np.stack(codes).astype(np.int64), counts[counts > 0], axes)

    def by(self, columns: Sequence[int]) -> tuple[Index, Index, Array]:
        """Combinations of some columns that people have, as codes of all columns; which of them each cell has; and their people."""
        _, first, which = np.unique(
            flat(self.codes[columns], [len(self.levels[c]) for c in columns]), return_index=True, return_inverse=True
        )
        return self.codes[:, first], which.ravel(), np.bincount(which.ravel(), self.counts).astype(np.int64)


@dataclass(frozen=True)
class Cells:
    """The cells of one published table: what each holds at least and at most. Cells that are not listed hold 0 to ``other`` people."""

    columns: Sequence[int]  # among all columns
    groups: Sequence[Index]  # of each of these columns: the group of each level
    sizes: Sequence[int]  # the number of groups of each
    places: Index  # the listed cells as `flat` numbers of groups, sorted
    least: Floats
    greatest: Floats
    other: float = 0.0

    def number(self, cells: Index | None, of: Sequence[int]) -> Index:
        """The published cells of joint cells as integers, by some of the columns; or those of the listed cells that may hold somebody."""
        at, sizes = [self.columns.index(c) for c in of], [self.sizes[self.columns.index(c)] for c in of]
        if cells is None:
            live = np.unravel_index(self.places[self.greatest > 0], self.sizes)
            return flat([live[i] for i in at], sizes)
        return flat([self.groups[i][cells[c]] for i, c in zip(at, of, strict=True)], sizes)

    def bounds(self, cells: Index) -> Bounds:
        """The published cell of each of some joint cells, and what these published cells hold at least and at most."""
        here, which = np.unique(self.number(cells, self.columns), return_inverse=True)
        at = find(self.places, here)
        return which.ravel(), np.append(self.least, 0.0)[at], np.append(self.greatest, self.other)[at]

    def summed(self, i: int) -> Cells:
        """The same table with all groups of its i-th column as one."""
        codes, sizes = list(np.unravel_index(self.places, self.sizes)), list(self.sizes)
        codes[i], sizes[i] = 0 * codes[i], 1
        places, which = np.unique(flat(codes, sizes), return_inverse=True)
        listed, *ends = (np.bincount(which.ravel(), x).astype(np.float64) for x in (np.ones(len(which)), self.least, self.greatest))
        groups = [0 * group if j == i else group for j, group in enumerate(self.groups)]
        unlisted = np.where(listed < self.sizes[i], self.other, 0.0) * (self.sizes[i] - listed)
        return Cells(self.columns, groups, sizes, places, ends[0], ends[1] + unlisted, self.other * self.sizes[i])


@dataclass(frozen=True)
class Ledger:
    """The published tables, and the columns that are keys and targets.

    Levels of a column that no table tells apart are read as the first of them, but for the target.
    """

    people: People
    tables: Sequence[Cells]
    keys: list[int]

    @cached_property
    def target(self) -> list[int]:
        """The target columns among all."""
        return list(range(len(self.people.columns)))[-self.people.axes["target"].nlevels :]

    @cached_property
    def targets(self) -> int:
        """The number of targets: combinations of the levels of its columns."""
        return math.prod(len(self.people.levels[c]) for c in self.target)

    @cached_property
    def same(self) -> list[Index]:
        """Of each column the first of the levels that all tables put together with a level."""
        found = []
        for c, levels in enumerate(self.people.levels):
            told = [t.groups[t.columns.index(c)] for t in self.tables if c in t.columns]
            rows = np.stack([np.arange(len(levels)) * (c in self.target), *told], -1)
            _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            found.append(first[which.ravel()])
        return found

    def number(self, columns: Sequence[int], codes: Index) -> Index:
        """Combinations of levels of some columns, of (all columns, combinations), as integers; levels that no table tells apart as one."""
        return flat([self.same[c][codes[c]] for c in columns], [len(self.people.levels[c]) for c in columns])

    @cached_property
    def cells(self) -> Index:
        """The live joint cells, (columns, cells): those whose cell in every table may hold somebody."""
        cells: Any = np.zeros((len(self.same), 1), np.int32)
        done: list[int] = []
        for c in sorted(range(len(self.same)), key=lambda c: -sum(c in t.columns for t in self.tables)):
            own, done = np.unique(self.same[c]).astype(np.int32), [*done, c]
            told = [(t, [x for x in t.columns if x in done]) for t in self.tables if c in t.columns and not t.other]
            live, parts, step = [t.number(None, of) for t, of in told], [], max(BLOCK // len(own), 1)
            for start in range(0, cells.shape[1], step):
                wide = np.repeat(cells[:, start : start + step], len(own), axis=1)
                wide[c] = np.tile(own, wide.shape[1] // len(own))
                for (t, of), possible in zip(told, live, strict=True):
                    wide = wide[:, np.isin(t.number(wide, of), possible)]
                parts.append(wide)
                if sum(x.shape[1] for x in parts) > MOST:
                    raise ValueError("More than 2**24 combinations are possible by these tables. Group levels (bins=), or name fewer.")
            cells = np.concatenate(parts, axis=1)
        return np.asarray(cells)

    @cached_property
    def bounds(self) -> list[Bounds]:
        """Of each table, what its cells are to the live joint cells."""
        return [t.bounds(self.cells) for t in self.tables]

    @cached_property
    def most(self) -> float:
        """An upper bound of every count: that of the table whose total is least, or one of which sums in floats are exact."""
        found = min([2.0**53 / max(self.cells.shape[1], 1), *(t.greatest.sum() for t in self.tables if not t.other)])
        if self.people.counts.sum() > found:
            raise ValueError("There are too many people to add them up exactly, in so many combinations of columns. Group levels (bins=).")
        return float(found)

    @cached_property
    def joint(self) -> tuple[Floats, Floats]:
        """The least and the greatest number of people of each live joint cell."""
        n = self.cells.shape[1]
        return tightened(np.zeros(n), np.full(n, self.most), self.bounds)

    # --- what follows about people: by (target, key), of the keys that people have -------------------------------------------

    @cached_property
    def known(self) -> tuple[Index, Index, Array]:
        """The keys of people, which of them each cell of people has, and their people."""
        return self.people.by(self.keys)

    def by_key(self, of_cells: Floats) -> Floats:
        """Numbers of the live joint cells added up, (targets, keys of people)."""
        known, place = np.unique(self.number(self.keys, self.known[0]), return_inverse=True)
        if self.targets * len(place) > WIDE:
            raise ValueError("More than 2**27 combinations of keys and targets. Name fewer target columns, or group levels (bins=).")
        wide, at = len(known) + 1, find(known, self.number(self.keys, self.cells))
        sums = np.bincount(self.number(self.target, self.cells) * wide + at, of_cells, self.targets * wide)
        return np.asarray(sums.reshape(self.targets, wide)[:, place.ravel()])

    def limits(self, joint: tuple[Floats, Floats] | None = None) -> tuple[Floats, Floats]:
        """Least and greatest numbers of people, (targets, keys of people): sums of bounds, and what tables of these columns say of them.

        Of several keys that no table tells apart, each may have nobody.
        """
        codes, (low, high) = self.known[0], joint or self.joint
        apart = np.prod([np.bincount(self.same[c])[self.same[c][codes[c]]] for c in self.keys], axis=0) == 1
        least, greatest = self.by_key(low) * apart, np.minimum(self.by_key(high), self.most)
        for tables in self._coarser():
            with suppress(ValueError):  # of fewer tables there may be too many joint cells
                low, high = replace(self, tables=tables).limits()
                least, greatest = np.maximum(least, low), np.minimum(greatest, high)
        return least, greatest

    def _coarser(self) -> Iterator[list[Cells]]:
        """Tables whose joint cells say more of sums: those of keys and target alone, and all without what only one of them has."""
        inner = [t for t in self.tables if {*t.columns} <= {*self.keys, *self.target}]
        if len(inner) < len(self.tables):
            yield inner
        told = Counter(c for t in self.tables for c, size in zip(t.columns, t.sizes, strict=True) if size > 1)
        summed = list(self.tables)
        for at, t in enumerate(self.tables):
            for i, c in enumerate(t.columns):
                if t.sizes[i] > 1 == told[c] and c not in self.target and len(self.tables) > 1:
                    summed[at] = summed[at].summed(i)
        if any(x is not t for x, t in zip(summed, self.tables, strict=True)):
            yield summed

    def certain(self, joint: tuple[Floats, Floats] | None = None) -> Array:
        """Whether the target of the people of each key is certain."""
        if self.targets > 1 and len(self.tables) == 1 and self.tables[0].other:
            return np.zeros(len(self.known[2]), bool)  # every cell may hold somebody
        return np.asarray((self.limits(joint)[1] > 0).sum(0) == 1)

    @cached_property
    def alone(self) -> Array:
        """The same from each table by itself, (tables, keys)."""
        return np.stack([replace(self, tables=[t]).certain() for t in self.tables])

    def needed(self, claimed: Array) -> Array:
        """Which tables each claim needs, (tables, keys): one that is enough, or left out one by one as long as the claim stays."""
        single, every = claimed & self.alone.any(0), np.arange(len(self.tables))
        needed = np.where(single, every[:, None] == self.alone.argmax(0), claimed)
        for t in np.argsort(self.alone.sum(1), kind="stable").tolist():
            for kept in np.unique(needed[:, claimed & ~single & needed[t]], axis=1).T:  # claims that need the same tables so far
                which = claimed & ~single & (needed == kept[:, None]).all(0)
                with suppress(ValueError):  # too many joint cells without the table
                    needed[t] &= ~(which & replace(self, tables=[self.tables[x] for x in every[kept & (every != t)]]).certain())
        return np.asarray(needed)

    # --- claims that propagation misses -------------------------------------------------------------------------------

    def certified(self, keys: Array) -> tuple[Floats, Floats]:
        """The bounds of `joint`, with those cells of some ``keys`` at 0 that one linear programme shows to be empty.

        Maximize the sum of z over x, z and tau, where x + z times 1/tau agrees with all tables and 0 <= z <= 1 <= tau: z is above 0 in
        each cell that any real solution fills (Freund, Roundy and Todd, 1985). The dual is a sum of published totals that is at most 0
        and has no cell below 0; a cell that it counts is empty.
        """
        from scipy.optimize import linprog
        from scipy.sparse import csr_array, hstack, vstack

        least, greatest = (x.copy() for x in self.joint)
        live = np.flatnonzero(greatest > 0)
        at = np.flatnonzero(np.isin(self.number(self.keys, self.cells[:, live]), self.number(self.keys, self.known[0][:, keys])))
        places = [csr_array((np.ones(len(live)), (which[live], np.arange(len(live)))), (len(a), len(live))) for which, a, _ in self.bounds]
        system, b = vstack([vstack([x, -x]) for x in places]), np.concatenate([np.r_[b, -a] for _, a, b in self.bounds])
        system, b = system.tocsr()[b < self.most], b[b < self.most]
        full = hstack([system, system[:, at], csr_array(-b[:, None])], format="csr")
        cost = -np.repeat([0.0, 1.0, 0.0], [len(live), len(at), 1])
        limits = np.repeat([(0, np.inf), (0, 1), (1, np.inf)], [len(live), len(at), 1], axis=0)
        found = linprog(cost, A_ub=full, b_ub=np.zeros(len(b)), bounds=limits, method="highs")
        for scale in SCALES if found.status == 0 else ():
            y = np.rint(np.maximum(-found.ineqlin.marginals, 0) * scale).astype(np.int64)
            total, columns = b.astype(np.int64) @ y, system.T.astype(np.int64) @ y
            greatest[live[(columns > 0) & (columns.min() >= 0) & (total <= 0)]] = 0
        return tightened(least, greatest, self.bounds)

    # --- the best guess -----------------------------------------------------------------------------------------------

    def fitted(self, start: Floats) -> Floats:
        """Numbers of people of the live joint cells by iterative proportional fitting of all tables, from the given ones."""
        x = np.where(self.joint[1] > 0, start, 0.0)
        for _ in range(FIT):
            before = x
            for which, a, b in self.bounds:
                total = np.bincount(which, x, len(a))
                x = x * (np.clip(total, a, b) / np.where(total > 0, total, 1.0))[which]
            if np.abs(x - before).sum() <= CLOSE * x.sum():
                break
        return x

    def placed(self, release: People) -> Floats:
        """The records of a release in each of the live joint cells."""
        live = self.number(range(len(self.same)), self.cells)
        order = np.append(np.argsort(live), len(live))
        at = find(live[order[:-1]], self.number(range(len(self.same)), release.codes))
        return np.bincount(order[at], release.counts, len(live) + 1)[:-1].astype(np.float64)

    def right(self, x: Floats) -> float:
        """The share of people whose target is that of somebody of their key who is drawn from the numbers of people fitted from these."""
        found, people = self.by_key(self.fitted(x)), self.people
        share = found / np.maximum(found.sum(0), 1e-300)
        return float(share[self.number(self.target, people.codes), self.known[1]] @ people.counts / people.counts.sum())


def tightened(least: Floats, greatest: Floats, tables: Collection[Bounds]) -> tuple[Floats, Floats]:
    """Bounds of cells after all tables have tightened them until nothing changes: no cell may take what others of its cell hold."""
    for _ in range(ROUNDS):
        before = least.sum(), greatest.sum()  # which grow and shrink
        for which, a, b in tables:
            low, high = np.bincount(which, least, len(a)), np.bincount(which, greatest, len(a))
            tighter = np.minimum(greatest, b[which] - (low[which] - least))
            least, greatest = np.maximum(least, a[which] - (high[which] - greatest)), tighter
        if before == (least.sum(), greatest.sum()):
            break
    return least, greatest
