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
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from capstats.codes.distinct import WIDEST
from capstats.tables.table import Array, Floats, Index

MOST = 1 << 24  # live joint cells; times the greatest count, sums in floats are exact
BLOCK = 1 << 21  # joint cells that are looked at together
ROUNDS = 10_000  # each is sound, so one may stop after any of them
FIT, CLOSE = 500, 1e-7  # rounds of iterative proportional fitting, and the change of a share from which it goes on
SCALES = (1, 2, 3, 4, 6, 12, 60, 840, 27720, 720720)  # denominators of a dual solution that are tried


@dataclass(frozen=True)
class Cells:
    """The cells of one published table: what each holds at least and at most. Cells that are not listed hold 0 to ``other`` people."""

    columns: Sequence[int]  # among all columns
    groups: Sequence[Index]  # of each of these columns: the group of each level
    sizes: Sequence[int]  # the number of groups of each
    codes: Index  # (columns, cells) the groups of each listed cell; distinct
    least: Floats
    greatest: Floats
    other: float = 0.0

    def number(self, codes: Index, of: Sequence[int], *, listed: bool = False) -> Index:
        """The published cells of joint cells as integers, by some of the columns; or those of cells as they are ``listed``."""
        at = [self.columns.index(c) for c in of]
        return flat([codes[i] if listed else self.groups[i][codes[c]] for i, c in zip(at, of, strict=True)], [self.sizes[i] for i in at])

    def bounds(self, cells: Index) -> tuple[Index, Floats, Floats]:
        """The published cell of each of some joint cells, and what these cells hold at least and at most."""
        here, which = np.unique(self.number(cells, self.columns), return_inverse=True)
        _, own, at = np.intersect1d(flat(self.codes, self.sizes), here, return_indices=True)
        least, greatest = np.zeros(len(here)), np.full(len(here), self.other)
        least[at], greatest[at] = self.least[own], self.greatest[own]
        return which.ravel(), least, greatest


Bounds = tuple[Index, Floats, Floats]  # the published cell of each joint cell, and the least and the greatest count of these cells


def flat(codes: Sequence[Array] | Array, sizes: Sequence[int]) -> Index:
    """Combinations of codes as one integer each, of mixed radix."""
    if math.prod(sizes) > WIDEST:
        raise ValueError(f"{len(sizes)} columns have more than 2**62 combinations of levels. Name fewer columns, or group their levels.")
    found = np.zeros(np.shape(codes[0]) if len(codes) else 1, np.int64)
    for code, size in zip(codes, sizes, strict=True):
        found = found * size + code
    return found


@dataclass(frozen=True)
class Ledger:
    """The published tables, and the columns that are keys and targets.

    Levels of a column that no table tells apart are read as the first of them, but for the target.
    """

    levels: Sequence[int]  # the number of levels of each column
    tables: Sequence[Cells]
    keys: Sequence[int]
    target: Sequence[int]

    @cached_property
    def same(self) -> list[Index]:
        """Of each column the first of the levels that all tables put together with a level."""
        found = []
        for c, size in enumerate(self.levels):
            groups = [t.groups[t.columns.index(c)] for t in self.tables if c in t.columns]
            if c in self.target:
                groups = [np.arange(size)]
            rows = np.stack(groups, -1) if groups else np.zeros((size, 1), np.int64)
            _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            found.append(first[which.ravel()])
        return found

    @cached_property
    def cells(self) -> Index:
        """The live joint cells, (columns, cells): those whose cell in every table may hold somebody."""
        cells: Index = np.zeros((len(self.levels), 1), np.int32)
        done: list[int] = []
        for c in sorted(range(len(self.levels)), key=lambda c: -sum(c in t.columns for t in self.tables)):
            own = np.unique(self.same[c]).astype(np.int32)
            done.append(c)
            told = [(t, [x for x in t.columns if x in done]) for t in self.tables if c in t.columns and not t.other]
            live = [t.number(t.codes[:, t.greatest > 0], of, listed=True) for t, of in told]
            parts, step = [], max(BLOCK // len(own), 1)
            for start in range(0, cells.shape[1], step):
                block = cells[:, start : start + step]
                wide = np.repeat(block, len(own), axis=1)
                wide[c] = np.tile(own, block.shape[1])
                for (t, of), possible in zip(told, live, strict=True):
                    wide = wide[:, np.isin(t.number(wide, of), possible)]
                parts.append(wide)
                if sum(x.shape[1] for x in parts) > MOST:
                    raise ValueError(
                        f"More than 2**{MOST.bit_length() - 1} combinations of the columns are possible by these tables. Leave out columns "
                        "that few tables have, or group their levels (groups=, bins=)."
                    )
            cells = np.concatenate(parts, axis=1)
        return cells

    @cached_property
    def bounds(self) -> list[Bounds]:
        """Of each table, what its cells are to the live joint cells."""
        return [t.bounds(self.cells) for t in self.tables]

    @cached_property
    def most(self) -> float:
        """An upper bound of every count: that of the table whose total is least, where one is known."""
        return float(min([2.0**53 / MOST, *(t.greatest.sum() for t in self.tables if not t.other)]))

    @cached_property
    def joint(self) -> tuple[Floats, Floats]:
        """The least and the greatest number of people of each live joint cell."""
        n = self.cells.shape[1]
        return tightened(np.zeros(n), np.full(n, self.most), self.bounds)

    def blocks(self, joint: tuple[Floats, Floats]) -> tuple[Index, Index, Floats, Floats]:
        """Key, target, least and greatest number of people of each combination of both that joint cells have.

        Sums of bounds are bounds. Tables of these columns alone say more of a block of joint cells than their sums.
        """
        own = [*self.keys, *self.target]
        numbers, first, which = np.unique(self.number(own, self.cells[own]), return_index=True, return_inverse=True)
        least, greatest = (np.bincount(which.ravel(), x, len(numbers)).astype(np.float64) for x in joint)
        greatest = np.minimum(greatest, self.most)
        if len(numbers) < self.cells.shape[1]:
            tables = [t.bounds(self.cells[:, first]) for t in self.tables if {*t.columns} <= {*own}]
            least, greatest = tightened(least, greatest, tables)
        key, target = np.divmod(numbers, self.targets)
        return key, target, least, greatest

    @property
    def targets(self) -> int:
        """The number of targets: combinations of the levels of its columns."""
        return math.prod(self.levels[c] for c in self.target)

    def number(self, columns: Sequence[int], codes: Sequence[Array] | Array) -> Index:
        """Combinations of levels of some columns as integers, levels that no table tells apart as one."""
        return flat([self.same[c][code] for c, code in zip(columns, codes, strict=True)], [self.levels[c] for c in columns])

    def certain(self, codes: Index, joint: tuple[Floats, Floats] | None = None) -> Array:
        """Whether the target of the people of each key is certain."""
        key, _, _, greatest = self.blocks(self.joint if joint is None else joint)
        left = key[greatest > 0]
        known, times = np.unique(left, return_counts=True)
        return np.isin(self.number(self.keys, codes), known[times == 1])

    def one_by_one(self, codes: Index) -> Array:
        """The same from each table by itself, (tables, keys)."""
        alone = [replace(self, tables=[t]) for t in self.tables if not t.other or self.targets == 1]
        found = iter([x.certain(codes) for x in alone])  # of the others every cell may hold somebody
        return np.stack([np.zeros(codes.shape[1], bool) if t.other and self.targets > 1 else next(found) for t in self.tables])

    def needed(self, codes: Index, claimed: Array) -> Array:
        """Which tables each claim needs, (tables, keys): left out one by one as long as the claim stays."""
        needed = np.zeros((len(self.tables), codes.shape[1]), bool)
        alone = self.one_by_one(codes)
        single = claimed & alone.any(0)
        needed[alone.argmax(0)[single], np.flatnonzero(single)] = True
        groups = {tuple(range(len(self.tables))): np.flatnonzero(claimed & ~single)}
        for left_out in np.argsort(alone.sum(1), kind="stable").tolist():
            again: dict[tuple[int, ...], list[Index]] = {}
            for kept, which in groups.items():
                fewer = tuple(t for t in kept if t != left_out)
                stays = replace(self, tables=[self.tables[t] for t in fewer]).certain(codes[:, which])
                for of, part in ((fewer, which[stays]), (kept, which[~stays])):
                    again.setdefault(of, []).append(part)
            groups = {of: np.concatenate(parts) for of, parts in again.items() if sum(map(len, parts))}
        for kept, which in groups.items():
            needed[np.ix_(np.array(kept, np.intp), which)] = True
        return needed

    # --- claims that propagation misses -------------------------------------------------------------------------------

    def certified(self, wanted: Array) -> tuple[Floats, Floats]:
        """The bounds of `joint`, with those wanted cells at 0 that one linear programme shows to be empty.

        Maximize the sum of z over x, z and tau, where x + z times 1/tau agrees with all tables and 0 <= z <= 1 <= tau: z is above 0 in
        each cell that any real solution fills (Freund, Roundy and Todd, 1985). The dual is a sum of published totals that is at most 0
        and has no cell below 0; a cell that it counts is empty.
        """
        from scipy.optimize import linprog
        from scipy.sparse import csr_array, hstack, vstack

        least, greatest = (x.copy() for x in self.joint)
        live = np.flatnonzero(greatest > 0)
        at = np.flatnonzero(wanted[live])
        if not len(at):
            return least, greatest
        places = [csr_array((np.ones(len(live)), (which[live], np.arange(len(live)))), (len(a), len(live))) for which, a, _ in self.bounds]
        system, b = vstack([vstack([x, -x]) for x in places]), np.concatenate([np.r_[b, -a] for _, a, b in self.bounds])
        system, b = system.tocsr()[b < self.most], b[b < self.most]
        full = hstack([system, system[:, at], csr_array(-b[:, None])], format="csr")
        cost = -np.repeat([0.0, 1.0, 0.0], [len(live), len(at), 1])
        limits = np.repeat([(0, np.inf), (0, 1), (1, np.inf)], [len(live), len(at), 1], axis=0)
        found = linprog(cost, A_ub=full, b_ub=np.zeros(len(b)), bounds=limits, method="highs")
        for scale in SCALES if found.status == 0 else ():
            y = np.rint(-found.ineqlin.marginals * scale).astype(np.int64)
            columns = system.T.astype(np.int64) @ y
            if (columns >= 0).all() and int(b.astype(np.int64) @ y) <= 0:
                greatest[live[columns > 0]] = 0
                break
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

    def placed(self, codes: Index, counts: Array) -> Floats:
        """Numbers of people of the live joint cells, of combinations of all columns."""
        columns = range(len(self.levels))
        live, cells = self.number(columns, self.cells), self.number(columns, codes)
        order = np.argsort(live)
        at = order[np.minimum(np.searchsorted(live, cells, sorter=order), len(live) - 1)]
        return np.bincount(at, counts * (live[at] == cells), len(live)).astype(np.float64)

    def right(self, x: Floats, codes: Index, counts: Array) -> float:
        """The share of people, by combinations of all columns, whose target is that of a person of their key drawn from these numbers."""
        own = [*self.keys, *self.target]
        numbers, which = np.unique(self.number(own, self.cells[own]), return_inverse=True)
        of_cell, key = np.bincount(which.ravel(), x), np.unique(numbers // self.targets, return_inverse=True)[1]
        of_key = np.bincount(key.ravel(), of_cell)[key.ravel()]
        share = of_cell / np.where(of_key > 0, of_key, 1.0)
        return float(share[np.searchsorted(numbers, self.number(own, codes[own]))] @ counts / counts.sum())


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
