"""The exact law of a sum over keys where tables are few: values and weights are integers, and equal values are one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction

from capstats.laws.integer_urns import IntegerUrn
from capstats.laws.models import Synthesis
from capstats.tables.table import Array

MOST = 400_000  # steps, each a column of a table or a pair of values

Column = tuple[int, ...]
Value = Callable[[Column, int], int]  # what a column contributes in key j, as an integer
Weighed = dict[int, int]  # weights of values


class TooManyError(Exception):
    """The tables are too many to be enumerated."""


class Steps:
    """Counts the steps of an enumeration, and ends it where they are too many."""

    def __init__(self, most: int = MOST):
        self.left = most

    def take(self, number: int) -> None:
        """So many steps more."""
        self.left -= number
        if self.left < 0:
            raise TooManyError


def length(records: int) -> int:
    """What a step costs where weights are long integers, such as the orders of so many records."""
    return 1 + (records // 1000) ** 2


def few_tables(o: Array, synthesis: Synthesis, value: Value, s: Array | None = None) -> Weighed:
    """Weights of the sum over keys of a value of each column, over all releases; `TooManyError` where they are."""
    steps = Steps()
    if synthesis.model in ("uniform", "bootstrap", "independent", "dirichlet"):
        return _drawn(IntegerUrn.of(o, synthesis), synthesis.m or 0, value, steps)
    if synthesis.model == "permutation" and s is not None:
        return _permuted(s, value, steps)
    if synthesis.model == "swap":
        return _swapped(o, synthesis.swapped or 0, value, steps)
    columns = partial_columns if synthesis.model == "partial" else pram_columns
    found = {0: 1}
    for j in range(o.shape[1]):
        of_key: Weighed = defaultdict(int)
        for column, weight in columns(o, synthesis, j, steps):
            of_key[value(column, j)] += weight
        found = summed(found, of_key, steps)
    return found


def summed(left: Weighed, right: Weighed, steps: Steps) -> Weighed:
    """Weights of the sums of two independent values."""
    steps.take(len(left) * len(right))
    found: Weighed = defaultdict(int)
    for x, a in left.items():
        for y, b in right.items():
            found[x + y] += a * b
    return found


def repeated(weights: Weighed, times: int, steps: Steps) -> Weighed:
    """Weights of the sum of so many independent values, by repeated squaring."""
    found, square = {0: 1}, weights
    while times:
        if times & 1:
            found = summed(found, square, steps)
        times >>= 1
        square = summed(square, square, steps) if times else square
    return found


def compositions(total: int, parts: int) -> Iterator[Column]:
    """Every way to put so many records into so many cells."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


# --- records placed in cells ------------------------------------------------------------------------------------------


def _drawn(urn: IntegerUrn, m: int, value: Value, steps: Steps) -> Weighed:
    """Draws of m records from an urn: given the key totals, the columns of the keys are independent."""
    targets, keys = urn.weights.shape
    steps.take(keys * math.comb(m + targets, targets) * length(m))
    weight = urn.ways(m)
    found: list[Weighed] = []
    for j in range(keys):
        of_key: list[Weighed] = [defaultdict(int) for _ in range(m + 1)]
        for r in range(m + 1):
            for column in compositions(r, targets):
                if ways := weight(column, j):
                    of_key[r][value(column, j)] += ways
        found = _joined(found, of_key, [m] if j == keys - 1 else range(m + 1), steps) if j else of_key
    return found[m]


def _joined(left: list[Weighed], right: list[Weighed], totals: range | list[int], steps: Steps) -> list[Weighed]:
    """Weights of sums of values for each number of records in both; the records of the two mix in any order."""
    found: list[Weighed] = [{} for _ in left]
    for total in totals:
        at: Weighed = defaultdict(int)
        for r in range(total + 1):
            steps.take(len(left[total - r]) * len(right[r]))
            orders = math.comb(total, r)
            for x, a in left[total - r].items():
                for y, b in right[r].items():
                    at[x + y] += orders * a * b
        found[total] = at
    return found


# --- keys that keep their records -------------------------------------------------------------------------------------


def partial_columns(o: Array, synthesis: Synthesis, j: int, steps: Steps) -> Iterator[tuple[Column, int]]:
    """Columns of key j where the targets of its records are drawn from its urn."""
    records, targets = int(o[:, j].sum()), len(o)
    steps.take(math.comb(records + targets - 1, targets - 1) * (1 + records // 30))  # weights are long integers
    urn = IntegerUrn.of(o[:, [j]], synthesis)
    weight = urn.ways(records)
    for column in compositions(records, targets):
        if ways := weight(column, 0):
            yield column, ways


def transitions(o: Array, synthesis: Synthesis) -> list[list[Fraction]]:
    """The probabilities of "pram" as fractions: row a holds what target a is released as."""
    targets, n = len(o), int(o.sum())
    if synthesis.matrix is not None:
        return [[Fraction(float(x)) for x in row] for row in synthesis.matrix]
    theta, margin = Fraction(synthesis.theta or 0.0), [int(x) for x in o.sum(1)]
    return [[(1 - theta) * (a == b) + theta * Fraction(margin[b], n) for b in range(targets)] for a in range(targets)]


def pram_columns(o: Array, synthesis: Synthesis, j: int, steps: Steps) -> Iterator[tuple[Column, int]]:
    """Columns of key j where each of its records is released with a target of its own."""
    found: dict[Column, int] = {(0,) * len(o): 1}
    for a, row in enumerate(transitions(o, synthesis)):
        unit = math.lcm(*(share.denominator for share in row))
        shares = [int(share * unit) for share in row]
        for _ in range(int(o[a, j])):
            steps.take(len(found) * len(row))
            after: dict[Column, int] = defaultdict(int)
            for column, weight in found.items():
                for b, share in enumerate(shares):
                    if share:
                        after[(*column[:b], column[b] + 1, *column[b + 1 :])] += weight * share
            found = after
    yield from found.items()


# --- targets that move ------------------------------------------------------------------------------------------------


def within(most: Column, total: int) -> Iterator[Column]:
    """Every way to take so many records from cells that have at most so many."""
    if len(most) == 1:
        if total <= most[0]:
            yield (total,)
        return
    for first in range(max(0, total - sum(most[1:])), min(most[0], total) + 1):
        for rest in within(most[1:], total - first):
            yield (first, *rest)


def ways_to_deal(column: Column) -> int:
    """Orders of the targets of so many records: a multinomial coefficient."""
    found, left = 1, sum(column)
    for count in column:
        found *= math.comb(left, count)
        left -= count
    return found


def _permuted(s: Array, value: Value, steps: Steps) -> Weighed:
    """The targets of a release dealt to its keys in any order: key by key, by the targets that are left."""
    states: dict[Column, Weighed] = {tuple(int(x) for x in s.sum(1)): {0: 1}}
    for j in range(s.shape[1]):
        after: dict[Column, Weighed] = defaultdict(lambda: defaultdict(int))
        for left, values in states.items():
            for column in within(left, records := int(s[:, j].sum())):
                steps.take((len(values) + 1) * length(records))
                state = tuple(x - y for x, y in zip(left, column, strict=True))
                ways, more = ways_to_deal(column), value(column, j)
                for x, weight in values.items():
                    after[state][x + more] += weight * ways
        states = after
    return next(iter(states.values()))


def _swapped(o: Array, swapped: int, value: Value, steps: Steps) -> Weighed:
    """So many records chosen, their targets dealt to them in any order: key by key, by the targets taken and given so far.

    Of all ways to choose and to deal, prod_j c_.j! prod_i c_i.! / prod_ij d_ij! give key j the targets d_ij for the c_ij that were taken.
    """
    nothing = (0,) * len(o)
    states: dict[tuple[Column, Column], Weighed] = {(nothing, nothing): {0: 1}}
    for j in range(o.shape[1]):
        own = tuple(int(x) for x in o[:, j])
        after: dict[tuple[Column, Column], Weighed] = defaultdict(lambda: defaultdict(int))
        for (taken, given), values in states.items():
            for number in range(min(sum(own), swapped - sum(taken)) + 1):
                for lost in within(own, number):
                    steps.take(length(10 * number))
                    chosen = math.prod(map(math.comb, own, lost))
                    for dealt in compositions(number, len(own)):
                        steps.take((len(values) + 3) * length(10 * number))
                        column = tuple(x - y + z for x, y, z in zip(own, lost, dealt, strict=True))
                        ways, more = chosen * ways_to_deal(dealt), value(column, j)
                        state = (tuple(map(sum, zip(taken, lost, strict=True))), tuple(map(sum, zip(given, dealt, strict=True))))
                        for x, weight in values.items():
                            after[state][x + more] += weight * ways
        states = after
    found: Weighed = defaultdict(int)
    for (taken, given), values in states.items():
        if taken == given and sum(taken) == swapped:
            for x, weight in values.items():
                found[x] += weight * math.prod(map(math.factorial, taken))
    return found
