"""Donors of each recipient: the synthetic keys nearest to a key, or within a radius of it, found without comparing all pairs.

A recipient is a key that takes records of other keys; a donor is a key that has synthetic records. What is computed for each recipient is
the sum of the rows of its donors, never a list of them.

*The obvious way* compares each recipient with each donor, column by column. `_compare` does so, block by block, and it is the fastest way
for few keys. Its cost is recipients x donors x columns: 10^12 steps for a million keys on each side and one column.

*Sub-keys.* Two keys at Hamming distance d agree in all of the k columns but d. For each of the C(k, d) ways to leave d columns out,
recipients and donors are grouped by the columns that are kept, their sub-key, and each recipient of a group gets the sum of all donors in
it. The cost is C(k, d) times the number of keys, however many pairs there are.

*Nearest.* `nearest` takes d = 1, 2, ... and looks up only those recipients that have found no donor yet. Such a recipient shares a sub-key
only with donors at distance exactly d, and with each of them in exactly one way, namely where the columns that differ are left out. So
each donor is added once.

*Within a radius.* A recipient meets a donor at a distance below d in several ways. Instead of marking pairs that were met before, `within`
adds the sums of each d with an integer factor, positive or negative (`times_met`, by inclusion and exclusion). In total each donor within
the radius counts once, and no other one counts.

*Hashes* make the look-up cheap and decide nothing. The hash of a key is a sum over its columns, so that a column is left out by a
subtraction. `Seen`, a table of bits, discards keys whose sub-key the other side cannot have. The keys that pass are grouped by their
codes. A collision costs time and changes no number.

*Which way is faster* depends on how far away the donors are. Some recipients are compared with all donors first; `_depth` estimates from
their distances up to which d looking up is worth its cost, and the remaining recipients are compared. The result does not depend on that
choice.

theory/attacks.md#neighbours has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capstats.codes.column import Ints, Places, union
from capstats.tables.sums import group_sums
from capstats.tables.table import Index, Table

BLOCK = 1 << 17  # pairs compared, or sub-keys looked up, at a time: they stay in cache
HITS = 1 << 16  # pairs handed to a pool at a time
SAMPLE = 64  # recipients that are compared with all donors first, to choose the fastest way for the others
MULTIPLIER = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio, as in Fibonacci hashing

# Nanoseconds. Only their ratios matter, and only for speed: they choose between ways to the same numbers.
PAIR, COLUMN = 0.2, 0.07  # comparing two keys, and each of their columns
DONATED = 40.0  # adding the row of one to the other
JOIN, DONOR, RECIPIENT = 250_000.0, 3.0, 15.0  # looking sub-keys up: fixed, for each donor, for each recipient
GROUPED = 150.0  # putting a key into the group of its sub-key

Hashes = NDArray[np.uint64]


def comparing(columns: int, donors: Any) -> Any:
    """The cost of comparing a recipient with all donors."""
    return donors * (PAIR + COLUMN * columns)


def looking_up(ways: int, donors: Any, recipients: Any) -> Any:
    """The cost of looking sub-keys up, for a number of ways to leave columns out."""
    return float(min(ways, 1 << 64)) * (JOIN + donors * DONOR + recipients * RECIPIENT)


def effort(columns: int, donors: Any, recipients: Any) -> Any:
    """A rough upper bound of the cost of finding the nearest donors of all recipients."""
    return np.minimum(recipients * comparing(columns, donors), looking_up(2**columns - 1, donors, recipients)) * (recipients > 0)


class Pool:
    """The rows that the keys of one table (target, key) have received so far, and ``totals``, the records of each key.

    Recipients and donors are sorted into groups: each recipient of a group gets the records of all donors in it.
    """

    def __init__(self, s: Table):
        self.s, self.s_j = s, s.key_total
        self.values, self.totals = np.zeros_like(s.values), np.zeros_like(self.s_j)

    def add(self, donors: Index, donor_group: Index, recipients: Index, recipient_group: Index, groups: int, times: int = 1) -> None:
        """Give each recipient the records, ``times`` each, of all donors whose ``donor_group`` is its ``recipient_group``."""
        self.s.add_donated(self.values, donors, donor_group, recipients, recipient_group, groups, times)
        self.totals[recipients] += times * group_sums(self.s_j[donors], donor_group, groups)[recipient_group]


class Keys:
    """Some keys of a table, as columns of codes, and hashes of their sub-keys."""

    def __init__(self, columns: Sequence[Ints], keys: Index):
        self.keys = keys
        self.columns = [column[keys] for column in columns]
        self.weights = [np.uint64(pow(MULTIPLIER, c + 1, 1 << 64)) for c in range(len(columns))]

    @cached_property
    def hashes(self) -> Hashes:
        """Hashes of the whole keys."""
        found = np.zeros(len(self.keys), np.uint64)
        for column, weight in zip(self.columns, self.weights, strict=True):
            found += np.multiply(column, weight, dtype=np.uint64)
        return found

    def without(self, dropped: Sequence[int], some: Index | slice, hashes: Hashes | None = None) -> Hashes:
        """Hashes of sub-keys of some of the keys, from those of longer ones: equal for equal sub-keys, and rarely for others."""
        found = np.array(self.hashes[some] if hashes is None else hashes)
        for c in dropped:
            found -= np.multiply(self.columns[c][some], self.weights[c], dtype=np.uint64)
        return found


class Seen:
    """A set of hashes with a fast test that rejects most others (a Bloom filter with one hash)."""

    def __init__(self, members: Hashes):
        bits = max(10, (16 * len(members)).bit_length())
        self.shift = np.uint64(64 - bits)
        self.slots = np.zeros(1 << bits, bool)
        self.slots[self._slot(members)] = True

    def places(self, hashes: Hashes) -> Index:
        """The places of members among some hashes, and of a few others."""
        return np.flatnonzero(self.slots[self._slot(hashes)])

    def _slot(self, hashes: Hashes) -> Index:
        return (hashes >> self.shift).view(np.int64)


def mixed(hashes: Hashes) -> Hashes:
    """Hashes of hashes, so that hashes which share their first bits become distinct."""
    return (hashes ^ (hashes >> np.uint64(29))) * np.uint64(MULTIPLIER)


class Search:
    """Recipients and donors, at least one of each, and a function that takes pairs of them, with the arguments of `Pool.add`."""

    def __init__(self, columns: Sequence[Ints], recipients: Index, donors: Index, add: Callable[..., None]):
        self.sizes = [int(column.max()) + 1 for column in columns]
        narrow = [column.astype(np.min_scalar_type(size - 1)) for column, size in zip(columns, self.sizes, strict=True)]
        self.a, self.b = Keys(narrow, recipients), Keys(narrow, donors)
        self.add = add
        self.columns = len(columns)

    def nearest(self) -> Index:
        """Add to each recipient the rows of all donors at the least distance, which is returned."""
        distance, donors = np.zeros(len(self.a.keys), np.int64), len(self.b.keys)
        compared = comparing(self.columns, donors)
        # which way: all pairs, all depths of look-ups, or the number of depths that a sample suggests
        if len(distance) * compared <= self.columns * JOIN:
            depth = 0
        elif looking_up(2**self.columns - 1, donors, len(distance)) <= SAMPLE * (compared + donors * DONATED / 8):
            depth = self.columns  # in a sample each may be near to a large part of the donors
        else:
            sample = np.arange(0, len(distance), -(-len(distance) // SAMPLE))
            distance[sample] = self._compare(sample)
            depth = self._depth(distance[sample])
        # a recipient without a donor so far meets each donor at distance d exactly once
        for d in range(1, depth + 1):
            left = np.flatnonzero(distance == 0)
            if len(left):
                distance[self._look_up(left, d)] = d
        left = np.flatnonzero(distance == 0)
        distance[left] = self._compare(left)
        return distance

    def within(self, radius: int) -> None:
        """Add to each recipient the rows of all donors within the radius."""
        recipients, donors = len(self.a.keys), len(self.b.keys)
        everybody = np.arange(recipients)
        ways = {d: times for d in range(radius + 1) if (times := times_met(self.columns, radius, d))}
        number = sum(math.comb(self.columns, d) for d in ways)
        if number < recipients * (comparing(self.columns, donors) + donors * DONATED) / (JOIN + (recipients + donors) * GROUPED):
            for d, times in ways.items():
                self._look_up(everybody, d, times)
        else:
            self._compare(everybody, radius=radius)

    # --- sub-keys, looked up

    def _depth(self, distances: Index) -> int:
        """The distance up to which looking up is cheaper than comparing, estimated from the distances of a sample."""
        left, spent, donors = float(len(self.a.keys)), 0.0, len(self.b.keys)
        compared = comparing(self.columns, donors)
        costs = [left * compared]
        for d in range(1, self.columns + 1):
            spent += looking_up(math.comb(self.columns, d), donors, left)
            left = len(self.a.keys) * float((distances > d).mean())
            costs.append(spent + left * compared)
        return int(np.argmin(costs))

    def _look_up(self, who: Index, d: int, times: int = 1) -> Index:
        """Add to those recipients the rows of all donors with the same sub-key, for each way to omit d columns; return the served ones."""
        found = []
        for first, last in _families(self.columns, d):
            start = self.a.without(first, who)
            asked = [self.a.without(rest, who, start) for rest in last]
            for rest, hashes, near in zip(last, asked, self._possible_donors(first, last, asked), strict=True):
                mine, theirs = mixed(hashes), mixed(self.b.without((*first, *rest), near))
                far = Seen(theirs).places(mine)  # each side is reduced to hashes that the other may hold
                found.append(self._add_matching(who[far], near[Seen(mine[far]).places(theirs)], {*first, *rest}, times))
        return np.concatenate(found)

    def _possible_donors(self, first: Sequence[int], last: Sequence[Sequence[int]], asked: Sequence[Hashes]) -> list[Index]:
        """Donors with one of the wanted sub-keys, and a few more, for each way to omit the ``first`` columns and one of the ``last``."""
        seen = [Seen(hashes) for hashes in asked]
        near: list[list[Index]] = [[] for _ in last]
        for start in range(0, len(self.b.keys), BLOCK):
            part = slice(start, start + BLOCK)
            theirs = self.b.without(first, part)
            for rest, members, found in zip(last, seen, near, strict=True):
                found.append(members.places(self.b.without(rest, part, theirs)) + start)
        return [np.concatenate(found) for found in near]

    def _add_matching(self, recipients: Index, donors: Index, dropped: set[int], times: int) -> Index:
        """Add to each recipient the rows of the donors that agree with it in all other columns; return the recipients that got any."""
        if not len(recipients) or not len(donors):
            return recipients[:0]
        # exact groups, by codes: hashes only reduced both sides
        kept = [c for c in range(self.columns) if c not in dropped]
        both: list[list[Places]] = [  # where no column is left, all agree
            [keys.columns[c][some].astype(np.int64) for c in kept] or [np.zeros(len(some), np.int64)]
            for keys, some in ((self.a, recipients), (self.b, donors))
        ]
        recipient_group, donor_group = union(both, [self.sizes[c] for c in kept] or [1])[1]
        groups = 1 + max(recipient_group.max(), donor_group.max())
        # groups with members on both sides, numbered from 0
        met = (np.bincount(recipient_group, minlength=groups) > 0) & (np.bincount(donor_group, minlength=groups) > 0)
        name = np.cumsum(met) - 1
        a, b = met[recipient_group], met[donor_group]
        if b.any():
            given, served = self.b.keys[donors[b]], self.a.keys[recipients[a]]
            self.add(given, name[donor_group[b]], served, name[recipient_group[a]], int(name[-1]) + 1, times)
        return recipients[a]

    # --- all pairs, compared

    def _compare(self, who: Index, *, radius: int | None = None) -> Index:
        """Add to those recipients the rows of the donors within a radius, or of the nearest ones, by comparing all pairs.

        Return the distance of the nearest ones.
        """
        distance = np.zeros(len(who), np.int64)
        waiting: list[tuple[Index, Index]] = []
        pairs = 0
        step = max(1, BLOCK // len(self.b.keys))
        for start in range(0, len(who), step):
            part = slice(start, start + step)
            a, b, distance[part] = self._pairs(who[part], radius)
            waiting.append((who[part][a], b))
            pairs += len(a)
            if pairs >= HITS or (pairs and start + step >= len(who)):
                self._add_pairs(waiting)
                waiting, pairs = [], 0
        return distance

    def _pairs(self, some: Index, radius: int | None) -> tuple[Index, Index, Index]:
        """The places of recipients, sorted, and of their donors, and the distance of the nearest ones."""
        least = np.full(len(some), self.columns, np.int64)
        found = []
        mine = [column[some] for column in self.a.columns]
        for start in range(0, len(self.b.keys), BLOCK):
            apart = differences(mine, [column[start : start + BLOCK] for column in self.b.columns])
            least = np.minimum(least, apart.min(1))
            limit = least[:, None].astype(apart.dtype) if radius is None else radius
            pairs = np.flatnonzero(apart <= limit)
            a = pairs // apart.shape[1]
            found.append((a, pairs - a * apart.shape[1] + start, apart.ravel()[pairs]))
        if len(found) == 1:
            return *found[0][:2], least
        a, b, apart = (np.concatenate(part) for part in zip(*found, strict=True))
        kept = np.flatnonzero(apart <= (least[a] if radius is None else radius))
        kept = kept[np.argsort(a[kept], kind="stable")]
        return a[kept], b[kept], least

    def _add_pairs(self, pairs: Sequence[tuple[Index, Index]]) -> None:
        """Add row by row, to recipients in order."""
        a, b = (np.concatenate(part) for part in zip(*pairs, strict=True))
        first = np.diff(a, prepend=-1) > 0
        recipients = a[first]
        self.add(self.b.keys[b], np.cumsum(first) - 1, self.a.keys[recipients], np.arange(len(recipients)), len(recipients))


def differences(a: Sequence[Ints], b: Sequence[Ints]) -> Ints:
    """The number of columns in which each key of one set differs from each of another: shape (a, b)."""
    number = np.zeros((len(a[0]), len(b[0])), np.min_scalar_type(len(a)))
    differ = np.empty(number.shape, bool)
    for x, y in zip(a, b, strict=True):
        number += np.not_equal(x[:, None], y[None, :], out=differ).view(np.uint8)  # faster than adding booleans
    return number


def times_met(columns: int, radius: int, dropped: int) -> int:
    """The factor of a look-up without some columns, such that in total each pair within the radius counts once, and no other."""
    least = columns - radius  # the least number of columns in which a pair agrees
    if least == 0:
        return int(dropped == columns)
    sign = -1 if (radius - dropped) % 2 else 1
    return sign * math.comb(columns - dropped - 1, least - 1)


def _families(columns: int, d: int) -> Iterator[tuple[tuple[int, ...], list[tuple[int, ...]]]]:
    """All ways to leave d columns out, grouped by the first d - 1 of them, with the possible last ones."""
    for first, ways in groupby(combinations(range(columns), d), lambda dropped: dropped[:-1]):
        yield first, [dropped[-1:] for dropped in ways]
