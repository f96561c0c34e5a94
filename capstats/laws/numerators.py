"""The law of sum_i o_ij s_ij in one key whose number of records is known, on the integers.

Targets with the same count of original records are one. With k_0 < k_1 < ... the different counts, the sum for r records is
r k_0 + g a, where g is the greatest common divisor of the differences and a is an integer from 0 to r R, R = (k_last - k_0) / g.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from capstats.laws.integer_urns import IntegerUrn, of_total
from capstats.tables.table import Array, Floats

LOST = 1e-250  # sums of terms below are not normed
MOST = 8_000_000_000  # additions of floats for all keys of a table


class TooLongError(Exception):
    """The sums of a key have too many values."""


@dataclass(frozen=True)
class Key:
    """Counts of original records in a key, each once and rising, and the weights of its targets with that count, where positive."""

    counts: tuple[int, ...]
    weights: tuple[int, ...]
    grows: int

    @classmethod
    def of(cls, column: Array, urn: IntegerUrn, j: int) -> Key:
        """Key j of a table of which ``column`` is the part of the original."""
        held: dict[int, int] = {}
        for count, weight in zip(column, urn.weights[:, j], strict=True):
            if weight:
                held[int(count)] = held.get(int(count), 0) + int(weight)
        counts = tuple(sorted(held))
        return cls(counts, tuple(held[count] for count in counts), urn.grows)

    @property
    def steps(self) -> tuple[int, ...]:
        """(k_i - k_0) / g of the different counts."""
        return tuple((count - self.counts[0]) // self.unit for count in self.counts)

    @property
    def unit(self) -> int:
        """g, the greatest common divisor of the differences of the counts; 1 where there is none."""
        return math.gcd(*(count - self.counts[0] for count in self.counts)) or 1

    @property
    def even(self) -> bool:
        """Whether all its columns with as many records are equally likely."""
        return all(weight == self.grows for weight in self.weights)

    def work(self, m: int) -> float:
        """Additions of floats that `numerators` needs, about; one call of numpy counts as a thousand."""
        targets, longest = len(self.counts), m * self.steps[-1] + 1 if self.counts else 0
        if targets <= 2:
            return float(m) * (m + 1000)
        if self.even or not self.grows:
            return targets * m * (longest + 1000.0)
        return m**2 / 2 * (m / 3 + 1000.0) + (targets - 3) * m**2 / 2 * (longest / 3 + 1000.0)


def numerators(key: Key, m: int, everything: int = 0) -> Iterator[Floats]:
    """For r = 0, ..., m records in a key the probabilities of a = 0, ..., r R.

    All terms are positive, so each probability has a relative error of at most `rounding`. ``everything`` is the weight of all keys, by
    default that of this key: where m records fall to all of them, terms are lost only of numbers r that this key hardly ever has.
    """
    everything = everything or sum(key.weights)
    if len(key.counts) < 2:
        yield from ([1.0] for _ in range(m + 1))  # type: ignore[misc]
    elif len(key.counts) == 2:
        first, second = (_parts(key, m, i, everything) for i in (0, 1))
        yield from (_normed(first[r::-1] * second[: r + 1]) for r in range(m + 1))
    elif key.even:
        yield from map(_normed, _even(key.steps, m))
    elif not key.grows:
        yield from _repeated(key, m)
    else:
        yield from map(_normed, _one_by_one(key, m, everything))


def rounding(key: Key, m: int) -> float:
    """Bound of the relative error of `numerators`, and of their sums over a range."""
    longest = m * key.steps[-1] + 1 if key.counts else 1
    return 2.0**-53 * (2 * longest + 10 * (len(key.counts) + 2) * (m + 2))


def _parts(key: Key, m: int, i: int, everything: int) -> Floats:
    """Probabilities of 0 to m records with the i-th count, before the sum is known."""
    return of_total(key.weights[i], key.grows, everything, m)


def _normed(law: Floats) -> Floats:
    """A law from its terms; where they are lost below the least float, any law, since so many records have a probability below 1e-240."""
    total = law.sum()
    if total < LOST:
        law = np.zeros_like(law)
        law[0] = total = 1.0
    return np.asarray(law / total)


def _even(steps: tuple[int, ...], m: int) -> Iterator[Floats]:
    """Numbers of columns by their sum: without the last target, or with one record less of it.

    With N_i(r, a) columns over the counts up to k_i, N_i(r, a) = N_{i-1}(r, a) + N_i(r - 1, a - step_i).
    """
    before = [np.zeros(m * step + 1) for step in steps]
    found = [np.zeros(m * step + 1) for step in steps]
    for law in before:
        law[0] = 1
    yield before[-1][:1]
    for r in range(1, m + 1):
        found[0][0] = 1
        for i, step in enumerate(steps[1:], 1):
            found[i][:step] = 0
            found[i][step : r * step + 1] = before[i][: (r - 1) * step + 1]
            found[i][: r * steps[i - 1] + 1] += found[i - 1][: r * steps[i - 1] + 1]
        yield found[-1][: r * steps[-1] + 1]
        before, found = found, before


def _repeated(key: Key, m: int) -> Iterator[Floats]:
    """Independent records: the sum of r of them is that of r - 1 and one more."""
    law = np.ones(1)
    shares = [weight / sum(key.weights) for weight in key.weights]
    yield law
    for _ in range(m):
        after = np.zeros(len(law) + key.steps[-1])
        for step, share in zip(key.steps, shares, strict=True):
            after[step : step + len(law)] += share * law
        law = after
        yield law


def _one_by_one(key: Key, m: int, everything: int) -> Iterator[Floats]:
    """Any weights: the sum over the numbers of records with the last count, and so on down to the first two."""
    first, second = (_parts(key, m, i, everything) for i in (0, 1))
    laws = [first[r::-1] * second[: r + 1] for r in range(m + 1)]
    stride = key.steps[1]

    def with_count(i: int) -> Iterator[Floats]:
        part, step, wide = _parts(key, m, i, everything), key.steps[i], stride
        for r in range(m + 1):
            law = np.zeros(r * step + 1)
            for s in range(r + 1):
                held = laws[r - s]
                start = s * step
                law[start : start + wide * (len(held) - 1) + 1 : wide] += part[s] * held
            yield law

    for i in range(2, len(key.counts) - 1):
        laws = list(with_count(i))
        stride = 1
    yield from with_count(len(key.counts) - 1)


def released(column: Array, chances: Floats) -> tuple[Key, Floats]:
    """The law of the numerator of a key whose records are released one by one, those of target a with the chances in row a."""
    counts = tuple(sorted({int(count) for count in column}))
    key = Key(counts, (1,) * len(counts), 0)
    if not key.steps[-1]:
        return key, np.ones(1)  # every target has the same count, so the sum is known
    if int(column.sum()) ** 2 / 2 * key.steps[-1] * len(counts) > MOST:
        raise TooLongError
    steps = [key.steps[counts.index(count)] for count in column]
    law = np.ones(1)
    for records, row in zip(column, chances, strict=True):
        share = np.bincount(steps, row, key.steps[-1] + 1) / row.sum()
        for _ in range(int(records)):
            after = np.zeros(len(law) + key.steps[-1])
            for step in np.flatnonzero(share):
                after[step : step + len(law)] += share[step] * law
            law = after
    return key, law


def rounded_down(sums: Floats, key: Key, r: int, of_unit: int, units: int) -> Floats:
    """Probabilities of the sum over r records, divided by r and rounded down to a grid of ``units / of_unit``: 0, 1, 2, ... of it."""
    greatest = key.counts[-1] * of_unit // units
    found = np.zeros(greatest + 1)
    edges = np.arange(greatest + 1, dtype=np.int64)
    first = -((r * key.counts[0] * of_unit - edges * r * units) // (key.unit * of_unit))  # the least a with (r k_0 + g a) / r in the cell
    first = np.clip(first, 0, len(sums))
    filled = np.flatnonzero(np.diff(first, append=len(sums)))
    found[filled] = np.add.reduceat(sums, first[filled])
    return found
