"""The exact law where few records fall into few cells: every column that a key can get, its probability an integer weight, key by key.

*The obvious way* lists all releases. There are C(m + c - 1, m) of m records in c cells: three million for 20 records in 9 cells. The tests
do so for small tables.

*Key by key* is enough, because the probability of a release is a product over its cells, up to a factor that depends on m alone, and
average CAP is a sum over keys. So the columns that one key can get are listed by their number of records (`compositions`). Their values
and weights are kept as a mapping from value to weight, one for each number of records, and keys are joined one after the other: values add
up, weights are multiplied, and columns or tables with equal values become one entry. The entries for m records are the law. The cost is
the number of different sums, not that of releases.

*All numbers are integers*, so that equal values are found to be equal, and tiny probabilities keep all their digits. A value is a multiple
of 1 / (n lcm(1, ..., m)), since each key total divides the least common multiple. A weight is the probability times a common denominator:
the orders in which the records can fall into the cells, times what these orders weigh in the urn (`column_weight`). Only an answer is
rounded to floats, to the next one below and the next one above (`enclosed`).

*The limit.* More than LISTED columns of one key, or values of the law, are not begun, since all are held at once; of what is begun `Steps`
counts the work as it is done. Both raise `TooManyError`, and `cap_law` then simulates.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations, pairwise
from operator import mul
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.laws.distribution.law import Law, check_releases
from capstats.laws.models.cell_urns import CellUrn
from capstats.tables.printing import Result
from capstats.tables.table import Array, Floats
from capstats.tables.ties import TIE

MOST_STEPS = 400_000  # steps, each a column of a table or a pair of values
LISTED = 200_000  # the most values of a law, or columns of one key, that are held as a list

Column = tuple[int, ...]
Value = Callable[[Column, int], int]  # the value of a column in key j, as an integer
Weights = dict[int, int]  # of values: probabilities up to a common factor
ByRecords = dict[int, Weights]  # weights of values, by the number of records in the keys so far


class TooManyError(Exception):
    """The releases are too many to be listed."""


@dataclass
class Steps:
    """Counts the steps of an enumeration, and ends it where they are too many."""

    left: int = MOST_STEPS

    def take(self, number: int) -> None:
        """Count these steps; raise where too many are taken."""
        if number > self.left:
            raise TooManyError
        self.left -= number


# --- the law ----------------------------------------------------------------------------------------------------------


class Atoms(Law):
    """Law of finitely many values; all sums of probabilities are exact, and only the answers are rounded, outwards.

    ``weights`` holds the weight of each value of average CAP: a value is an integer over ``whole``, its probability its weight over the
    sum of all weights. As floats values are rounded to the nearest.
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

    def _extreme(self, releases: int, *, least: bool) -> Law:
        sums = [self._total - part for part in self._sums] if least else self._sums
        weights = {value: abs(b**releases - a**releases) for value, (a, b) in zip(self.weights, pairwise(sums), strict=True)}
        return Atoms(weights, self.whole, about=f"{'least' if least else 'greatest'} of {releases} releases ({self.about})")

    def mean_of(self, releases: int, *, rng: Any = None, level: float = 0.95) -> Law:  # noqa: D102 -- in `Law`
        power = check_releases(releases)
        try:
            weights = repeated(self.weights, power, Steps())
        except TooManyError:
            return super().mean_of(power, rng=rng, level=level)
        return Atoms(weights, self.whole * power, about=f"mean of {power} releases ({self.about})")

    def atoms(self) -> xr.Dataset:
        """The values of average CAP, and the probability of each, rounded to a float."""
        found = {"probability": ("value", np.array([weight / self._total for weight in self.weights.values()]))}
        return Result(found, coords={"value": self._values}, attrs={"result": "Values of average CAP", "law": self.about})


def enclosed(part: int, whole: int) -> tuple[float, float]:
    """The greatest float that is at most a quotient of integers, and the least that is at least it."""
    near = part / whole  # correctly rounded
    numerator, denominator = near.as_integer_ratio()
    excess = numerator * whole - part * denominator
    return math.nextafter(near, -math.inf) if excess > 0 else near, math.nextafter(near, math.inf) if excess < 0 else near


def exact_average(tables: list[Array], model: CellUrn) -> Atoms:
    """The law of average CAP: an integer over n times a multiple of all key totals."""
    o, n, most = tables[0], int(tables[0].sum()), model.m or 0
    if math.comb(most + len(o), len(o)) > LISTED:
        raise TooManyError
    common = math.lcm(*range(1, most + 1))

    def value(column: Column, j: int) -> int:
        return sum(int(x) * y for x, y in zip(o[:, j], column, strict=True)) * (common // max(sum(column), 1))

    weights = weights_of_sum(tables, model, value)
    if len(weights) > LISTED:
        raise TooManyError
    return Atoms(weights, n * common, about=f"{model!r}; all releases")


# --- all releases -----------------------------------------------------------------------------------------------------


def weights_of_sum(tables: list[Array], model: CellUrn, value: Value) -> Weights:
    """Weights of the sum over keys of a value of each column, over all releases; `TooManyError` where they are too many.

    Of the m! / prod s_ij! orders of the records the keys have m! / prod_i s_ij! each, up to a common factor.
    """
    m, steps = model.m or 0, Steps()
    targets, keys = tables[0].shape
    steps.take(keys * math.comb(m + targets, targets) * (1 + (m // 1000) ** 2))  # weights are long integers
    weights, grows = integer_urn(*tables, model=model)
    found: ByRecords = {0: {0: 1}}  # of no key yet: no record, the value 0, the weight 1
    for j in range(keys):
        weight = column_weight(weights[:, j], grows, m)
        of_key: ByRecords = defaultdict(lambda: defaultdict(int))
        for r in range(m + 1):
            for column in map(tuple, compositions(r, targets).tolist()):
                if ways := weight(column):
                    of_key[r][value(column, j)] += ways * math.perm(m, m - r)
        # a convolution; with the last key only totals of m records matter
        found = _joined(found, of_key, range(m + 1) if j < keys - 1 else [m], steps)
    return found[m]


def _joined(left: ByRecords, right: ByRecords, records: Collection[int], steps: Steps) -> ByRecords:
    """The sums of values of independent keys, for the wanted numbers of records of both together."""
    found: ByRecords = defaultdict(lambda: defaultdict(int))
    for before, values in left.items():
        for taken, more in right.items():
            if before + taken in records:
                at = found[before + taken]
                steps.take(len(values) * len(more))
                for x, a in values.items():
                    for y, b in more.items():
                        at[x + y] += a * b
    return found


def repeated(weights: Weights, times: int, steps: Steps) -> Weights:
    """Weights of the sum of independent values, by repeated squaring."""
    found: ByRecords = {0: {0: 1}}
    square = {0: weights}
    while times:
        if times & 1:
            found = _joined(found, square, [0], steps)
        times >>= 1
        square = _joined(square, square, [0], steps) if times else square
    return found[0]


def compositions(total: int, parts: int) -> NDArray[np.int64]:
    """All compositions of ``total`` into ``parts``, zeros included, one a row: the gaps between bars."""
    if parts == 1:  # without a pool of `total` numbers
        return np.array([[total]], np.int64)
    bars = np.array(list(combinations(range(total + parts - 1), parts - 1)), np.int64)
    return np.diff(bars, axis=1, prepend=-1, append=total + parts - 1) - 1


factorial = cache(math.factorial)


def multinomial(column: Column) -> int:
    """The number of orders of records with these targets."""
    return factorial(sum(column)) // math.prod(map(factorial, column))


def integer_urn(o: Array, *p: Array, model: CellUrn) -> tuple[Array, int]:
    """Integer weights of the cells of an urn, and the amount by which a draw of a cell increases its weight."""
    exact = [np.array([[Fraction(x) for x in row] for row in table.tolist()], object) for table in (p or (o,))]
    weights = model.weights(*exact)
    whole = math.lcm(*(weight.denominator for weight in weights.flat))
    return weights * whole, whole if model.reinforced else 0


def column_weight(weights: Array, grows: int, most: int) -> Callable[[Column], int]:
    """The weight of a column of at most ``most`` records in one key: the number of orders of its draws, times the weight of each."""
    rising = [[1, *accumulate((int(a) + k * grows for k in range(most)), mul)] for a in weights]  # a (a + grows) (a + 2 grows) ...
    return lambda column: multinomial(column) * math.prod(of_cell[count] for of_cell, count in zip(rising, column, strict=True))
