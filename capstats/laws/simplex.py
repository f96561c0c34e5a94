"""Average CAP in the limit of many records: a sum over keys of counts averaged by random shares, which are even on the simplex."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from capstats.laws.models import Synthesis
from capstats.tables.backing import filled
from capstats.tables.checking import CELLS, as_table
from capstats.tables.ties import at_most

Place = int | Fraction
Knots = tuple[tuple[Place, Place], ...]  # increasing places, each with its weight: how often it stands there


@dataclass(frozen=True)
class SimplexSum:
    """(constant + sum of X) / n: X are independent, each the mean of its knots with shares of a Dirichlet law.

    The parameters of the law are the weights of the knots; if they are integers, the shares of as many knots are even on the simplex.
    ``keys`` says how many X have these knots; each has at least two different ones.
    """

    n: Place
    constant: Place
    keys: dict[Knots, int]

    @property
    def least(self) -> Fraction:
        """The least value."""
        return Fraction(self.constant + sum(times * knots[0][0] for knots, times in self.keys.items())) / self.n

    @property
    def greatest(self) -> Fraction:
        """The greatest value."""
        return Fraction(self.constant + sum(times * knots[-1][0] for knots, times in self.keys.items())) / self.n

    @property
    def mean(self) -> Fraction:
        """The mean of its law."""
        sums = defaultdict[Place, Place](int)  # of places, by the number of knots that they are divided by
        for knots, times in self.keys.items():
            sums[size(knots)] += times * sum(place * k for place, k in knots)
        return (self.constant + sum((Fraction(total) / knots for knots, total in sums.items()), Fraction(0))) / self.n

    def repeated(self, releases: int) -> SimplexSum:
        """The mean of so many independent copies."""
        return SimplexSum(self.n * releases, self.constant * releases, {knots: times * releases for knots, times in self.keys.items()})


def size(knots: Knots) -> Place:
    """How many knots there are, repeated ones counted as often as they stand there: their total weight."""
    return sum(weight for _, weight in knots)


def is_spline(knots: Knots) -> bool:
    """Whether the density is a B-spline: all weights are integers."""
    return all(isinstance(weight, int) for _, weight in knots)


def simplex_sum(o: Any, synthesis: Synthesis) -> SimplexSum:
    """Average CAP of an original in the limit, under "uniform" or "dirichlet"."""
    table = as_table(o, "o", CELLS).transpose(*CELLS)
    (_, key), values = filled(table.variable.data, "o")
    key, values = key[values > 0], values[values > 0]
    targets = table.sizes["target"]
    n: Place = 0
    constant: Place = 0
    keys = Counter[Knots]()
    for cells, times in _distinct_keys(key, values):
        places: list[Place] = cells if values.dtype.kind == "i" else [Fraction(x) for x in cells]
        n += times * sum(places)
        if at_most(cells[-1], cells[0] if len(cells) == targets else 0):
            constant += times * Fraction(sum(places)) / len(places)  # all counts of the key are equal: any shares give the same
            continue
        knots = _knots(places, targets, synthesis)
        if len(knots) == 1:
            constant += times * knots[0][0]
        else:
            keys[knots] += times
    return SimplexSum(n, constant, dict(keys))


def _distinct_keys(key: Any, values: Any) -> Iterator[tuple[list[Any], int]]:
    """The counts above 0 of keys that have some, in increasing order, and how many keys have the same."""
    order = np.lexsort((values, key))
    key, values = key[order], values[order]
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    sizes = np.diff(np.append(first, len(key)))
    for length in np.unique(sizes):
        rows = values[first[sizes == length][:, None] + np.arange(length)]
        distinct, times = np.unique(rows, axis=0, return_counts=True)
        yield from zip(distinct.tolist(), times.tolist(), strict=True)


def _knots(places: list[Place], targets: int, synthesis: Synthesis) -> Knots:
    """Each count of a key stands as often as the model gives weight to its cell."""
    held = Counter(places)
    if targets > len(places):
        held[0] += targets - len(places)
    if synthesis.model == "uniform":
        return tuple(sorted(held.items()))
    alpha = Fraction(synthesis.alpha or 0)
    weighted = ((place, cells * (place + alpha)) for place, cells in sorted(held.items()))
    return tuple((place, int(weight) if weight.denominator == 1 else weight) for place, weight in weighted if weight)
