"""The exact law where releases are few: every column that a key can get, its probability an integer weight, key by key."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from operator import add, le, mul
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from capstats.laws.distribution.law import LEVEL, SEED, Law, check_releases
from capstats.laws.models import Bootstrap, CellUrn, Dirichlet, Given, Independent, Model, Partial, Permuted, Pram, Swap, Uniform
from capstats.tables.printing import Result
from capstats.tables.table import Array, Floats
from capstats.tables.ties import TIE

MOST = 400_000  # steps, each a column of a table or a pair of values
LISTED = 200_000  # values of a law that is held by them

Column = tuple[int, ...]
Value = Callable[[Column, int], int]  # what a column contributes in key j, as an integer
Weights = dict[int, int]  # of values: probabilities up to a common factor
Shared = dict[Column, Weights]  # weights of values by what the keys so far have taken of something that all keys share


class TooManyError(Exception):
    """The releases are too many to be listed."""


@dataclass
class Steps:
    """Counts the steps of an enumeration, and ends it where they are too many."""

    left: int = MOST

    def need(self, number: int) -> None:
        """End where fewer steps are left."""
        if number > self.left:
            raise TooManyError

    def take(self, number: int) -> None:
        """Count this many steps."""
        self.need(number)
        self.left -= number


# --- the law ----------------------------------------------------------------------------------------------------------


class Atoms(Law):
    """Law of finitely many values; all sums of probabilities are exact, and only the answers are rounded, outwards.

    ``weights`` holds the weight of each value of average CAP: a value is an integer over ``whole``, its probability its weight over the
    sum of all weights.
    """

    def __init__(self, weights: Mapping[int, int], whole: int, *, about: str = ""):
        self.weights, self.whole = {value: weights[value] for value in sorted(weights) if weights[value]}, whole
        self._values = np.array([value / whole for value in self.weights])
        super().__init__(self._values[0], self._values[-1], about=about)
        self._sums = [0, *accumulate(self.weights.values())]
        self._total = self._sums[-1]
        self._through = tuple(np.array(side) for side in zip(*(enclosed(part, self._total) for part in self._sums), strict=True))

    @property
    def probabilities(self) -> dict[Fraction, Fraction]:
        """The exact probability of each value."""
        return {Fraction(value, self.whole): Fraction(weight, self._total) for value, weight in self.weights.items()}

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        held = np.searchsorted(self._values, x / (1 - TIE), side="right")  # v <= x, or v - x <= TIE v
        lower, upper = self._through
        return lower[held], upper[held]

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        return np.asarray(self._values[np.searchsorted(self._through[0][1:-1], rng.random(number), side="right")])

    def best_of(self, releases: int) -> Law:  # noqa: D102 -- in `Law`
        return self._extreme(releases, "greatest", self._sums)

    def least_of(self, releases: int) -> Law:  # noqa: D102 -- in `Law`
        return self._extreme(releases, "least", [self._total - part for part in self._sums])

    def _extreme(self, releases: int, which: str, sums: list[int]) -> Law:
        power = check_releases(releases)
        weights = {value: abs(b**power - a**power) for value, (a, b) in zip(self.weights, pairwise(sums), strict=True)}
        return self._named(Atoms(weights, self.whole, about=f"{which} of {power} releases ({self.about})"))

    def mean_of(self, releases: int, *, rng: Any = SEED, level: float = LEVEL) -> Law:  # noqa: D102 -- in `Law`
        power = check_releases(releases)
        try:
            weights = repeated(self.weights, power, Steps())
        except TooManyError:
            return super().mean_of(power, rng=rng, level=level)
        return self._named(Atoms(weights, self.whole * power, about=f"mean of {power} releases ({self.about})"))

    def atoms(self) -> xr.Dataset:
        """The values of average CAP, and the probability of each, rounded to a float."""
        found = {"probability": ("value", np.array([weight / self._total for weight in self.weights.values()]))}
        attrs = {"result": f"Values of {self.quantity}", **({"law": self.about} if self.about else {})}
        return Result(found, coords={"value": self._values}, attrs=attrs)


def enclosed(part: int, whole: int) -> tuple[float, float]:
    """The greatest float that is at most a quotient of integers, and the least that is at least it."""
    near = part / whole  # correctly rounded
    numerator, denominator = near.as_integer_ratio()
    excess = numerator * whole - part * denominator
    return math.nextafter(near, -math.inf) if excess > 0 else near, math.nextafter(near, math.inf) if excess < 0 else near


def exact_average(tables: list[Array], model: Model, releases: int = 1) -> Atoms:
    """The law of average CAP of one release, or of the sum of several: an integer over n times a multiple of all key totals."""
    o, n = tables[0], int(tables[0].sum())
    most = releases * model.m if isinstance(model, CellUrn) and model.m else 0
    totals = range(1, most + 1) if most else tables[-1].sum(0)
    if most and math.comb(most + len(o), len(o)) > LISTED:
        raise TooManyError
    common = math.lcm(*(int(total) for total in totals if total))

    def value(column: Column, j: int) -> int:
        return sum(int(x) * y for x, y in zip(o[:, j], column, strict=True)) * (common // max(sum(column), 1))

    if releases == 1:
        weights = few_tables(tables, model, value)
    else:
        weights = defaultdict(int)
        for table, weight in _sums_of_tables(tables, model, releases, most + 1).items():
            weights[sum(value(column, j) for j, column in enumerate(table))] += weight
    if len(weights) > LISTED:
        raise TooManyError
    pooled = f"{releases} releases pooled, " if releases > 1 else ""
    return Atoms(weights, n * common, about=f"{model!r}; {pooled}all releases")


def _sums_of_tables(tables: list[Array], model: Model, releases: int, base: int) -> dict[tuple[Column, ...], int]:
    """All sums of releases with their weights, as columns. A table is an integer whose digits are its counts."""
    targets, keys = tables[0].shape

    def digits(column: Column, j: int) -> int:
        return sum(count * base ** (targets * j + i) for i, count in enumerate(column))

    def columns(number: int) -> tuple[Column, ...]:
        counts = [number // base**place % base for place in range(targets * keys)]
        return tuple(tuple(counts[targets * j : targets * (j + 1)]) for j in range(keys))

    pooled = repeated(few_tables(tables, model, digits), releases, Steps())
    return {columns(number): weight for number, weight in pooled.items()}


# --- all releases -----------------------------------------------------------------------------------------------------


class Enumeration(NamedTuple):
    """The columns that each key can get. A column takes a part of what all keys share: records, targets, or nothing."""

    columns: Callable[[int], Iterator[tuple[Column, Column, int]]]  # of key j: what it takes, the column, and its weight
    fits: Callable[[Column], bool] = lambda _: True  # whether the keys so far may have taken this
    whole: Callable[[Column], int] = lambda _: 1  # the factor of the weight where all keys have taken this; 0 if they cannot


def few_tables(tables: list[Array], model: Model, value: Value) -> Weights:
    """Weights of the sum over keys of a value of each column, over all releases; `TooManyError` where they are too many.

    ``tables`` are those that the model takes: the original, and the release whose targets are permuted.
    """
    steps, keys = Steps(), tables[0].shape[1]
    if type(model) not in ENUMERATIONS:
        raise TooManyError  # nothing here lists the releases of such a model
    every: Enumeration = ENUMERATIONS[type(model)](tables, model, steps)
    found: Shared = {}
    for j in range(keys):
        of_key: Shared = defaultdict(lambda: defaultdict(int))
        for taken, column, weight in every.columns(j):
            if taken not in of_key:
                steps.take(len(found))  # it is joined with each of these
            of_key[taken][value(column, j)] += weight
        found = _joined(found, of_key, every.whole if j == keys - 1 else every.fits, steps) if j else of_key
    weights: Weights = defaultdict(int)
    for taken, of_taken in found.items():
        if factor := every.whole(taken):
            for x, weight in of_taken.items():
                weights[x] += factor * weight
    return weights


def _joined(left: Shared, right: Shared, fits: Callable[[Column], Any], steps: Steps) -> Shared:
    """Values of independent keys added up, by what both have taken."""
    found: Shared = defaultdict(lambda: defaultdict(int))
    for before, values in left.items():
        for taken, more in right.items():
            if fits(both := tuple(map(add, before, taken))):
                at = found[both]
                steps.take(len(values) * len(more))
                for x, a in values.items():
                    for y, b in more.items():
                        at[x + y] += a * b
    return found


def repeated(weights: Weights, times: int, steps: Steps) -> Weights:
    """Weights of the sum of independent values, by repeated squaring."""
    found, square = {0: 1}, weights
    while times:
        if times & 1:
            found = summed(found, square, steps)
        times >>= 1
        square = summed(square, square, steps) if times else square
    return found


def summed(left: Weights, right: Weights, steps: Steps) -> Weights:
    """Weights of the sums of two independent values."""
    return _joined({(): left}, {(): right}, lambda _: True, steps)[()]


def compositions(total: int, parts: int) -> Iterator[Column]:
    """All compositions of ``total`` into ``parts``, zeros included."""
    return within((total,) * parts, total)


def within(most: Column, total: int) -> Iterator[Column]:
    """All compositions of ``total`` whose parts are at most these."""
    if len(most) == 1:
        if total <= most[0]:
            yield (total,)
        return
    for first in range(max(0, total - sum(most[1:])), min(most[0], total) + 1):
        for rest in within(most[1:], total - first):
            yield (first, *rest)


def fewest(most: Column, total: int) -> int:
    """At least this many compositions of ``total`` have parts that are at most these; exactly this many up to a total of 1,000."""
    total = min(total, sum(most) - total, 1_000)  # as many by symmetry, and no fewer the nearer to the middle
    ways = np.array([1] + [0] * total, dtype=object)
    for limit in most:
        through = np.cumsum(ways)
        ways = through.copy()
        ways[limit + 1 :] -= through[: -limit - 1]
    return int(ways[total])


factorial = cache(math.factorial)


def multinomial(column: Column) -> int:
    """Orders of records with these targets."""
    return factorial(sum(column)) // math.prod(map(factorial, column))


def length(records: int) -> int:
    """What a step costs where weights are long integers, such as the orders of this many records."""
    return 1 + (records // 1000) ** 2


def integer_urn(o: Array, *p: Array, model: Model) -> tuple[Array, int]:
    """Integer weights of the cells of an urn, and by how much a draw of a cell makes its weight grow."""
    counts = o.astype(object)
    if isinstance(model, Bootstrap):
        return counts, 0
    if isinstance(model, Given):
        shares = np.array([[Fraction(float(x)) for x in row] for row in p[0]], object)
        return shares * math.lcm(*(share.denominator for share in shares.flat)), 0
    if isinstance(model, Independent):
        return counts.sum(1)[:, None] * counts.sum(0), 0
    if isinstance(model, Dirichlet | Partial):
        added, unit = Fraction(model.alpha).as_integer_ratio()
        return counts * unit + added, unit
    return 0 * counts + 1, 1


def drawn(weights: Array, grows: int, most: int) -> Callable[[Column], int]:
    """The weight of a column of at most ``most`` records of one key: its orders of drawing, times what they weigh."""
    rising = [[1, *accumulate((int(a) + k * grows for k in range(most)), mul)] for a in weights]  # a (a + grows) (a + 2 grows) ...
    return lambda column: multinomial(column) * math.prod(of_cell[count] for of_cell, count in zip(rising, column, strict=True))


def _in_cells(tables: list[Array], model: CellUrn, steps: Steps) -> Enumeration:
    """M records are drawn into cells; of the m! / prod s_ij! orders the keys have m! / prod_i s_ij! each, up to a common factor."""
    o, m = tables[0], model.m or 0
    targets, keys = o.shape
    steps.take(keys * math.comb(m + targets, targets) * length(m))
    weights, grows = integer_urn(*tables, model=model)

    def columns(j: int) -> Iterator[tuple[Column, Column, int]]:
        weight = drawn(weights[:, j], grows, m)
        for r in range(m + 1):
            for column in compositions(r, targets):
                if ways := weight(column):
                    yield (r,), column, ways * math.perm(m, m - r)

    return Enumeration(columns, lambda taken: taken[0] <= m, lambda taken: int(taken[0] == m))


def _partial(tables: list[Array], model: Partial, steps: Steps) -> Enumeration:
    """The targets of the records of each key are drawn from its urn."""
    (o,) = tables
    weights, grows = integer_urn(o, model=model)

    def columns(j: int) -> Iterator[tuple[Column, Column, int]]:
        records = int(o[:, j].sum())
        steps.take(math.comb(records + len(o) - 1, len(o) - 1) * (1 + records // 30))  # weights are long integers
        weight = drawn(weights[:, j], grows, records)
        for column in compositions(records, len(o)):
            if ways := weight(column):
                yield (), column, ways

    return Enumeration(columns)


def _pram(tables: list[Array], model: Pram, steps: Steps) -> Enumeration:
    """Each record draws its target by the row of its own: the records of one key and target together are multinomial."""
    (o,) = tables
    margin, n, theta = [int(x) for x in o.sum(1)], int(o.sum()), Fraction(model.theta or 0)
    if model.matrix is None:
        chances = [[(1 - theta) * (a == b) + theta * Fraction(margin[b], n) for b in range(len(o))] for a in range(len(o))]
    else:
        chances = [[Fraction(float(x)) for x in row] for row in np.asarray(model.matrix)]

    def columns(j: int) -> Iterator[tuple[Column, Column, int]]:
        found: dict[Column, int] = {(0,) * len(o): 1}
        numbers = [math.comb(records + sum(map(bool, row)) - 1, records) for records, row in zip(o[:, j].tolist(), chances, strict=True)]
        steps.need(max(map(mul, numbers, [1, *numbers])))
        for records, row, number in zip(o[:, j].tolist(), chances, numbers, strict=True):
            steps.take(len(found) * number)
            unit = math.lcm(*(share.denominator for share in row))
            after: dict[Column, int] = defaultdict(int)
            for released in within(tuple(records * bool(share) for share in row), records):
                ways = multinomial(released) * math.prod(int(share * unit) ** count for share, count in zip(row, released, strict=True))
                for column, weight in found.items():
                    after[tuple(map(add, column, released))] += weight * ways
            found = after
        for column, weight in found.items():
            yield (), column, weight

    return Enumeration(columns)


def _permuted(tables: list[Array], model: Permuted, steps: Steps) -> Enumeration:  # noqa: ARG001
    """The targets of a release are given to its keys in any order: a column takes targets."""
    s = tables[1]
    all_targets, listed = tuple(int(x) for x in s.sum(1)), 0
    for records, keys in np.transpose(np.unique(s.sum(0), return_counts=True)).tolist():
        listed += keys * fewest(all_targets, records)
        steps.need(2 * listed)

    def columns(j: int) -> Iterator[tuple[Column, Column, int]]:
        for column in within(all_targets, records := int(s[:, j].sum())):
            steps.take(2 * length(records))
            yield column, column, multinomial(column)

    return Enumeration(columns, lambda taken: all(map(le, taken, all_targets)), lambda taken: int(taken == all_targets))


def _swapped(tables: list[Array], model: Swap, steps: Steps) -> Enumeration:
    """Records are chosen, and their targets given to them in any order: a column takes the targets that it loses and that it gets.

    Of all ways to choose and to give, prod_j c_.j! prod_i c_i.! / prod_ij d_ij! give key j the targets d_ij for the c_ij that it loses.
    """
    (o,), targets = tables, len(tables[0])

    def columns(j: int) -> Iterator[tuple[Column, Column, int]]:
        own = tuple(int(x) for x in o[:, j])
        steps.need(4 * math.comb(min(sum(own), model.records) + targets, targets))
        for number in range(min(sum(own), model.records) + 1):
            for lost in within(own, number):
                chosen = math.prod(map(math.comb, own, lost))
                for got in compositions(number, targets):
                    steps.take(4 * length(10 * number))
                    column = tuple(x - y + z for x, y, z in zip(own, lost, got, strict=True))
                    yield (*lost, *got), column, chosen * multinomial(got)

    def whole(taken: Column) -> int:
        lost, got = taken[:targets], taken[targets:]
        return math.prod(map(factorial, lost)) if lost == got and sum(lost) == model.records else 0

    return Enumeration(columns, lambda taken: sum(taken) <= 2 * model.records, whole)


ENUMERATIONS: dict[type[Model], Callable[..., Enumeration]] = {
    **dict.fromkeys((Uniform, Bootstrap, Independent, Dirichlet, Given), _in_cells),
    Permuted: _permuted,
    Partial: _partial,
    Pram: _pram,
    Swap: _swapped,
}
