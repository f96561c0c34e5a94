"""Who lends to whom: the synthetic keys nearest to a key, or within a radius of it, found without comparing all pairs.

Two keys at Hamming distance d agree in all columns but d. So whoever is at distance d is found by looking sub-keys up: the keys without d
of their columns. theory/neighbours.md proves that each pair is met as often as it must be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from capstats.counts.backing import Index
from capstats.counts.codes import WIDEST, Places, union
from capstats.counts.pools import Pool

BLOCK = 1 << 17  # pairs compared, or sub-keys looked up, at a time: they stay in cache
SAMPLE = 64  # borrowers that are compared with everybody, to see how the others are found fastest
HITS = 1 << 16  # pairs handed to a pool at a time
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: 2**64 over the golden ratio

# Nanoseconds. Only their ratios matter, and only for speed: they choose between ways to the same numbers.
PAIR, COLUMN = 0.2, 0.045  # comparing two keys, and each column of theirs
LENDER, BORROWER = 7.0, 60.0  # looking a sub-key up
MEMBER = 150.0  # adding a key to the group of its sub-key


class Keys:
    """Some keys of a table, as columns of codes."""

    def __init__(self, columns: Sequence[Index], sizes: Sequence[int], keys: Index):
        self.keys = keys
        self.sizes = sizes
        self.columns = [column[keys] for column in columns]
        self.strides = [math.prod(sizes[c + 1 :]) for c in range(len(sizes))]
        self.fit = math.prod(sizes) <= WIDEST  # one integer holds a key
        self.whole = np.zeros(len(keys), np.int64)
        for column, stride in zip(self.columns, self.strides if self.fit else [], strict=False):
            self.whole += column * np.int64(stride)

    def without(self, dropped: Sequence[int], some: Index | slice) -> Places:
        """The sub-keys of some of them, each as one integer."""
        found = np.array(self.whole[some])
        for c in dropped:
            found -= self.columns[c][some] * np.int64(self.strides[c])
        return found


class Search:
    """Keys that borrow and keys that lend, at least one of each, and the pool that takes what is lent."""

    def __init__(self, columns: Sequence[Index], borrowers: Index, lenders: Index, pool: Pool):
        sizes = [int(column.max()) + 1 for column in columns]
        narrow = [column.astype(np.min_scalar_type(size - 1)) for column, size in zip(columns, sizes, strict=True)]
        self.a, self.b = Keys(narrow, sizes, borrowers), Keys(narrow, sizes, lenders)
        self.pool = pool
        self.columns = len(columns)

    def nearest(self) -> Index:
        """Lend to each borrower the rows of all lenders at the least distance, which is returned."""
        distance = np.zeros(len(self.a.keys), np.int64)
        sample = np.arange(0, len(distance), -(-len(distance) // SAMPLE))
        self._compare(sample, distance)
        for d in range(1, self._depth(distance[sample]) + 1):
            left = np.flatnonzero(distance == 0)
            for dropped in combinations(range(self.columns), d) if len(left) else ():
                distance[self._look_up(left, dropped)] = d
        self._compare(np.flatnonzero(distance == 0), distance)
        return distance

    def within(self, radius: int) -> None:
        """Lend to each borrower the rows of all lenders within the radius."""
        everybody = np.arange(len(self.a.keys))
        for d in range(radius + 1):
            times = times_met(self.columns, radius, d)
            for dropped in combinations(range(self.columns), d) if times else ():
                self._look_up(everybody, dropped, times)

    # --- sub-keys, looked up

    def _depth(self, distances: Index) -> int:
        """Up to which distance looking up is worth its while, as the distances of a sample tell."""
        borrowers, lenders = len(self.a.keys), len(self.b.keys)
        each = LENDER if self.a.fit else 2 * MEMBER
        left, spent = float(borrowers - len(distances)), 0.0
        best, depth = left * lenders * (PAIR + COLUMN * self.columns), 0
        for d in range(1, self.columns + 1):
            spent += math.comb(self.columns, d) * (lenders * each + left * BORROWER)
            left = borrowers * float((distances > d).mean())
            cost = spent + left * lenders * (PAIR + COLUMN * self.columns)
            if cost < best:
                best, depth = cost, d
        return depth

    def _look_up(self, who: Index, dropped: Sequence[int], times: int = 1) -> Index:
        """Lend to those borrowers the rows of all lenders with the same sub-key; those who got any are returned."""
        kept = [c for c in range(self.columns) if c not in dropped]
        if self.a.fit:
            asked = self.a.without(dropped, who)
        elif kept:
            both = [[keys.columns[c][some] for c in kept] for keys, some in ((self.a, who), (self.b, slice(None)))]
            asked, known = union(both, [self.a.sizes[c] for c in kept])[1]
        else:
            asked, known = np.zeros(len(who), np.int64), np.zeros(len(self.b.keys), np.int64)
        groups, group = np.unique(asked, return_inverse=True)
        seen = _Slots(groups)
        lenders, lent = [], []
        for start in range(0, len(self.b.keys), BLOCK):
            part = slice(start, start + BLOCK)
            codes = self.b.without(dropped, part) if self.a.fit else known[part]
            near = seen.maybe(codes)
            place = np.searchsorted(groups, codes[near])
            hit = groups[np.minimum(place, len(groups) - 1)] == codes[near]
            lenders.append(near[hit] + start)
            lent.append(place[hit])
        lender, of = np.concatenate(lenders), np.concatenate(lent)
        if not len(lender):
            return who[:0]
        answered = np.zeros(len(groups), bool)
        answered[of] = True
        name = np.cumsum(answered) - 1
        found = answered[group]
        self.pool.lend(self.b.keys[lender], name[of], self.a.keys[who[found]], name[group[found]], int(name[-1]) + 1, times)
        return who[found]

    # --- all pairs, compared

    def _compare(self, who: Index, distance: Index) -> None:
        """Lend to those borrowers the rows of the nearest lenders, by comparing them with everybody."""
        pairs = 0
        waiting: list[tuple[Index, Index]] = []
        for some in _cut(who, len(self.b.keys)):
            a, b, least = self._nearest_pairs(some)
            distance[some] = least
            waiting.append((some[a], b))
            pairs += len(a)
            if pairs >= HITS:
                self._lend_pairs(waiting)
                pairs, waiting = 0, []
        self._lend_pairs(waiting)

    def _nearest_pairs(self, some: Index) -> tuple[Index, Index, Index]:
        """Places of borrowers and of their nearest lenders, and how near these are."""
        least = np.full(len(some), self.columns, np.int64)
        found = []
        mine = [column[some] for column in self.a.columns]
        for start in range(0, len(self.b.keys), BLOCK):
            number = differences(mine, [column[start : start + BLOCK] for column in self.b.columns])
            least = np.minimum(least, number.min(1))
            a, b = np.divmod(np.flatnonzero(number == least[:, None].astype(number.dtype)), number.shape[1])
            found.append((a, b + start, number[a, b]))
        a, b, number = (np.concatenate(part) for part in zip(*found, strict=True))
        nearest = number == least[a]
        return a[nearest], b[nearest], least

    def _lend_pairs(self, waiting: Sequence[tuple[Index, Index]]) -> None:
        if not waiting:
            return
        a, b = (np.concatenate(part) for part in zip(*waiting, strict=True))
        borrowers, group = np.unique(a, return_inverse=True)
        self.pool.lend(self.b.keys[b], group, self.a.keys[borrowers], np.arange(len(borrowers)), len(borrowers))


class _Slots:
    """A set of integers that says at once that most others are not in it."""

    def __init__(self, members: Places):
        bits = max(10, (16 * len(members)).bit_length())
        self.shift = np.uint64(64 - bits)
        self.taken = np.zeros(1 << bits, bool)
        self.taken[self._slot(members)] = True

    def maybe(self, codes: Places) -> Index:
        """Places of the codes that may be members."""
        return np.flatnonzero(self.taken[self._slot(codes)])

    def _slot(self, codes: Places) -> Index:
        return ((codes.view(np.uint64) * MULTIPLIER) >> self.shift).view(np.int64)


def differences(a: Sequence[Index], b: Sequence[Index]) -> Index:
    """In how many columns each key of one set differs from each of another: shape (a, b)."""
    number = np.zeros((len(a[0]), len(b[0])), np.min_scalar_type(len(a)))
    differ = np.empty(number.shape, bool)
    for x, y in zip(a, b, strict=True):
        np.not_equal(x[:, None], y[None, :], out=differ)
        number += differ
    return number


def times_met(columns: int, radius: int, dropped: int) -> int:
    """How often a look-up without some columns counts, so that in all each pair within the radius counts once, and no other."""
    least = columns - radius  # columns in which a pair agrees at least
    if least == 0:
        return int(dropped == columns)
    sign = -1 if (radius - dropped) % 2 else 1
    return sign * math.comb(columns - dropped - 1, least - 1)


def _cut(who: Index, lenders: int) -> Iterator[Index]:
    step = max(1, BLOCK // lenders)
    for start in range(0, len(who), step):
        yield who[start : start + step]
