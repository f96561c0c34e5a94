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
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.column import WIDEST
from capstats.codes.labels import Label, canonicals
from capstats.tables.axes import axis_of, names_of
from capstats.tables.backing import filled
from capstats.tables.checking import as_counts, check_unweighted, given_tables
from capstats.tables.table import Array, Floats, Index

MOST_CELLS = 1 << 24  # live joint cells
WIDE = 1 << 27  # combinations of targets and keys
BLOCK = 1 << 21  # joint cells that are looked at together
ROUNDS = 10_000  # each is sound, so one may stop after any of them
FIT, CLOSE = 500, 1e-7  # rounds of iterative proportional fitting, and the share of people who move in one from which it goes on
SCALES = (1, 2, 3, 4, 6, 12, 60, 840, 27720, 720720)  # denominators of a dual solution that are tried
LONGEST = 60.0  # seconds of the linear programme
WHY = "people are counted"


class TooManyError(ValueError):
    """There are too many combinations to look at."""


Bounds = tuple[Index, Floats, Floats]  # the published cell of each joint cell, and the least and the greatest count of these cells


def flat(codes: Any, sizes: Sequence[int]) -> Index:
    """Combinations of codes as one integer each, of mixed radix."""
    return np.asarray(np.ravel_multi_index(tuple(codes), tuple(sizes)))


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
        levels = [canonicals(level) for axis in axes.values() for level in axis.levels]
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
    """One published table: what its cells, combinations of groups of levels, hold at least and at most."""

    columns: Sequence[int]  # among all columns
    groups: Sequence[Index]  # of each of these columns: the group of each level
    least: Floats  # a dim for each of them
    greatest: Floats

    def at(self, codes: Any) -> tuple[Any, ...]:
        """The cells that these people are in, as an index of `least`; from the codes of all columns."""
        return tuple(group[codes[c]] for c, group in zip(self.columns, self.groups, strict=True))

    def over(self, columns: Collection[int]) -> Cells:
        """The table with sums over those of its columns that are not among these, each of which has one group then."""
        others = tuple(i for i, c in enumerate(self.columns) if c not in columns)
        groups = [group * (c in columns) for c, group in zip(self.columns, self.groups, strict=True)]
        return Cells(self.columns, groups, self.least.sum(others, keepdims=True), self.greatest.sum(others, keepdims=True))


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
        found = math.prod(len(self.people.levels[c]) for c in self.target)
        if found * len(self.known[2]) > WIDE:
            raise TooManyError("More than 2**27 combinations of keys and targets. Name fewer target columns, or group levels (bins=).")
        return found

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
            own, done, parts = np.unique(self.same[c]).astype(np.int32), [*done, c], []
            told, step = [t.over(done) for t in self.tables if c in t.columns], max(BLOCK // len(own), 1)
            for start in range(0, cells.shape[1], step):
                wide = np.repeat(cells[:, start : start + step], len(own), axis=1)
                wide[c] = np.tile(own, wide.shape[1] // len(own))
                for t in told:
                    wide = wide[:, t.greatest[t.at(wide)] > 0]
                parts.append(wide)
                if sum(x.shape[1] for x in parts) > MOST_CELLS:
                    raise TooManyError("More than 2**24 combinations are possible by these tables. Group levels (bins=), or name fewer.")
            cells = np.concatenate(parts, axis=1)
        return np.asarray(cells)

    @cached_property
    def bounds(self) -> list[Bounds]:
        """Of each table, what its cells are to the live joint cells."""
        found = []
        for t in self.tables:
            here, which = np.unique(flat(t.at(self.cells), t.least.shape), return_inverse=True)
            found.append((which.ravel(), t.least.flat[here], t.greatest.flat[here]))
        return found

    @cached_property
    def most(self) -> float:
        """An upper bound of every count: that of the table whose total is least, or one of which sums in floats are exact."""
        found = min([2.0**53 / max(self.cells.shape[1], 1), *(t.greatest.sum() for t in self.tables)])
        if self.people.counts.sum() > found:
            raise TooManyError("There are too many people to add them up exactly in all combinations of columns. Group levels (bins=).")
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
        at = pd.Index(known).get_indexer(pd.Index(self.number(self.keys, self.cells)))  # -1 for a key that no people have
        sums = np.bincount((at + 1) * self.targets + self.number(self.target, self.cells), of_cells, (len(known) + 1) * self.targets)
        return np.asarray(sums.reshape(-1, self.targets)[place.ravel() + 1].T)

    def limits(self, joint: tuple[Floats, Floats] | None = None) -> tuple[Floats, Floats]:
        """Least and greatest numbers of people, (targets, keys of people): sums of bounds.

        Of several keys that no table tells apart, each may have nobody. A column that one table has splits the joint cells, of which less
        is then known together: tables of keys and target alone, and all without what only one of them has, are read as well.
        """
        codes, (low, high) = self.known[0], joint or self.joint
        apart = np.prod([np.bincount(self.same[c])[self.same[c][codes[c]]] for c in self.keys], axis=0) == 1
        least, greatest = self.by_key(low) * apart, np.minimum(self.by_key(high), self.most)
        told = Counter(c for t in self.tables for c, size in zip(t.columns, t.least.shape, strict=True) if size > 1)
        inner = [t for t in self.tables if {*t.columns} <= {*self.keys, *self.target}]
        for tables in (inner, [t.over([c for c in t.columns if told[c] > 1 or c in self.target]) for t in self.tables]):
            if [t.least.shape for t in tables] != [t.least.shape for t in self.tables]:
                with suppress(TooManyError):  # of fewer tables there may be too many joint cells
                    low, high = replace(self, tables=tables).limits()
                    least, greatest = np.maximum(least, low), np.minimum(greatest, high)
        return least, greatest

    def certain(self) -> Array:
        """Whether the target of the people of each key is certain."""
        return np.asarray((self.limits()[1] > 0).sum(0) == 1)

    @cached_property
    def alone(self) -> Array:
        """The same from each table by itself, (tables, keys)."""
        targets = np.unravel_index(np.arange(self.targets), [len(self.people.levels[c]) for c in self.target])
        codes = [*self.known[0][: self.target[0]], *(code[:, None] for code in targets)]
        told = [t.over([*self.keys, *self.target]) for t in self.tables]
        possible = (np.broadcast_to(t.greatest[t.at(codes)] > 0, (self.targets, len(self.known[2]))) for t in told)
        return np.stack([x.sum(0) == 1 for x in possible])

    @cached_property
    def totals(self) -> dict[str, int]:
        """Numbers of people who are certain from one of the tables, whichever, and from the one that says most."""
        one_by_one, worst = self.alone.any(0) @ self.known[2], (self.alone @ self.known[2]).max()
        return {"certain_one_by_one": int(one_by_one), "certain_from_worst": int(worst)}

    def needed(self, claimed: Array) -> Array:
        """Which tables each claim needs, (tables, keys): one that is enough, or left out one by one as long as the claim stays."""
        single, every = claimed & self.alone.any(0), np.arange(len(self.tables))
        needed = np.where(single, every[:, None] == self.alone.argmax(0), claimed)
        for t in np.argsort(self.alone.sum(1), kind="stable").tolist():
            for kept in np.unique(needed[:, claimed & ~single & needed[t]], axis=1).T:  # claims that need the same tables so far
                which = claimed & ~single & (needed == kept[:, None]).all(0)
                with suppress(TooManyError):  # too many joint cells without the table
                    needed[t] &= ~(which & replace(self, tables=[self.tables[x] for x in every[kept & (every != t)]]).certain())
        return np.asarray(needed)

    # --- claims that propagation misses -------------------------------------------------------------------------------

    def certified(self, keys: Array) -> tuple[tuple[Floats, Floats], bool]:
        """The bounds of `joint`, with those cells of some ``keys`` at 0 that one linear programme shows to be empty; whether it ended.

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
        found = linprog(cost, A_ub=full, b_ub=np.zeros(len(b)), bounds=limits, method="highs", options={"time_limit": LONGEST})
        for scale in SCALES if found.status == 0 else ():
            y = np.rint(np.maximum(-found.ineqlin.marginals, 0) * scale).astype(np.int64)
            total, columns = b.astype(np.int64) @ y, system.T.astype(np.int64) @ y
            greatest[live[(columns > 0) & (columns.min() >= 0) & (total <= 0)]] = 0
        return tightened(least, greatest, self.bounds), found.status != 1

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
        every = range(len(self.same))
        live, own = (pd.Index(self.number(every, x)) for x in (self.cells, release.codes))
        return np.bincount(live.get_indexer(own) + 1, release.counts, len(live) + 1)[1:].astype(np.float64)

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
