"""The limit of average CAP, and its law in closed form: sums over keys of counts that random shares average.

As releases grow, the shares of the targets in a key become uniform on the simplex, or Dirichlet. The average of the key's counts with
these shares has a density that is a B-spline with the counts as knots. Average CAP is a sum of such averages, and its density a piecewise
polynomial.

*The obvious ways* are to convolve the pieces key by key, whose number grows with every key; to invert a characteristic function
numerically, with an error that is hard to bound; or to simulate. The tests simulate, and integrate by a rule that is exact for
polynomials.

*Truncated powers.* The Laplace transform of a B-spline is a sum of terms c e^(-s a) s^-p, with a knot a and a whole power p. A sum of
independent values has the product of their transforms, which has the same form: places and powers add up, coefficients are multiplied, and
terms with the same place and power become one. So the law is a mapping from (a, p) to c, and a convolution is a product of two mappings.
Each term is (x - a)_+^p / p! in the distribution function.

*One key* (`spline_terms`). The transform is a divided difference of e^(-s a). With knots that are all different it is a sum of their own
terms. A knot that occurs k times gives terms of k powers: their coefficients are the first k of the power series, around this knot, of the
product of (z - b)^-1 over all other knots b, here from the series of its logarithm.

*Digits.* The terms are huge and alternate in sign: floats lose half of the digits of their sum with 14 keys of two targets. They are
therefore integers over a common divisor. A probability is a fraction, rounded once to the next floats below and above.

*Cost.* There is a term for each sum of knots, one of each key. Where the powers of all terms add up to more than MOST_POWERS, or a weight
is no integer, there is no closed form here, and the law is simulated.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from capstats.laws.distribution.exact import enclosed
from capstats.laws.distribution.law import Law, Simulated, check_releases
from capstats.laws.models.cell_urns import Dirichlet
from capstats.laws.models.model import Model
from capstats.tables.backing import filled
from capstats.tables.checking import as_counts
from capstats.tables.table import Counts, Floats
from capstats.tables.ties import at_most

MOST_POWERS = 100_000  # powers of the terms of a closed form, added up

Place = int | Fraction
Knots = tuple[tuple[Place, Place], ...]  # increasing places, each with its weight, the multiplicity


@dataclass(frozen=True)
class SimplexSum:
    """(constant + sum of X) / n: X are independent, each the mean of its knots with shares of a Dirichlet law.

    The parameters of the law are the weights of the knots; integers are multiplicities of knots with shares uniform on the simplex.
    ``keys`` has the number of X with the same knots; each has at least two different ones.
    """

    n: Place
    constant: Place
    keys: dict[Knots, int]

    @property
    def ends(self) -> tuple[Fraction, ...]:
        """The least and the greatest value."""
        sums = (sum(times * knots[end][0] for knots, times in self.keys.items()) for end in (0, -1))
        return tuple(Fraction(self.constant + each) / self.n for each in sums)

    @property
    def cost(self) -> int:
        """The number of random shares that one value needs."""
        return sum(times * len(knots) for knots, times in self.keys.items())

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Independent values of the sum."""
        found = np.full(number, float(self.constant))
        for knots, times in self.keys.items():
            places, weights = np.array(knots, np.float64).T
            for _ in range(times):
                found += rng.dirichlet(weights, number) @ places
        least, greatest = map(float, self.ends)
        return np.clip(found / float(self.n), least, greatest)

    def repeated(self, releases: int) -> SimplexSum:
        """The mean of ``releases`` independent copies."""
        return SimplexSum(self.n * releases, self.constant * releases, {knots: times * releases for knots, times in self.keys.items()})


def size(knots: Knots) -> Place:
    """Number of knots with their multiplicity: their total weight."""
    return sum(weight for _, weight in knots)


def simplex_sum(o: Counts, model: Model) -> SimplexSum:
    """Average CAP of an original in the limit, under `Uniform` or `Dirichlet`."""
    table = as_counts(o, "o")
    places, values = filled(table.variable.data, "o")
    key, values = places[table.dims.index("key")][values > 0], values[values > 0]
    targets = table.sizes["target"]
    n: Place = 0
    constant: Place = 0
    keys = Counter[Knots]()
    for cells, times in _distinct_keys(key, values):
        counts: Sequence[Place] = cells if values.dtype.kind == "i" else [Fraction(x) for x in cells]
        n += times * sum(counts)
        if at_most(cells[-1], cells[0] if len(cells) == targets else 0):
            constant += times * Fraction(sum(counts)) / len(counts)  # all counts of the key are equal, so that the shares do not matter
            continue
        knots = _knots(counts, targets, model)
        if len(knots) == 1:
            constant += times * knots[0][0]
        else:
            keys[knots] += times
    return SimplexSum(n, constant, dict(keys))


def _distinct_keys(key: Any, values: Any) -> list[tuple[tuple[Any, ...], int]]:
    """The distinct columns of counts above 0, sorted, and the number of keys with each."""
    order = np.lexsort((values, key))
    columns = np.split(values[order], np.flatnonzero(np.diff(key[order])) + 1)
    return sorted(Counter(tuple(column.tolist()) for column in columns).items(), key=lambda item: (len(item[0]), item[0]))


def _knots(places: Sequence[Place], targets: int, model: Model) -> Knots:
    """The counts of a key as knots; the multiplicity of each is the weight of its cell in the model."""
    held = sorted(Counter([*places, *[0] * (targets - len(places))]).items())
    if not isinstance(model, Dirichlet):
        return tuple(held)
    weighted = ((place, cells * (place + Fraction(model.alpha))) for place, cells in held)
    return tuple((place, int(weight) if weight.denominator == 1 else weight) for place, weight in weighted if weight)


# --- the law -----------------------------------------------------------------------------------------------------------


def law_of_sum(total: SimplexSum, about: str, rng: Any, level: float) -> Law:
    """The law of a sum that is not constant: in closed form where the terms are few, otherwise by draws."""
    exact = ClosedForm.of(total, about, MOST_POWERS)
    return exact or Simulated(total.draws, total.ends, about=about, cost=total.cost, rng=rng, level=level)


Terms = dict[tuple[int, int], int]  # (place, power): coefficient


class ClosedForm(Law):
    """The law of a sum whose truncated powers are few: exact, each number rounded down and up once.

    The Laplace transform of a B-spline is a sum of c e^(-s a) s^-p over its knots a, so that of a sum of them is one as well; such a term
    is the density c (x - a)_+^(p - 1) / (p - 1)!, and c (x - a)_+^p / p! of the distribution function.
    """

    def __init__(self, total: SimplexSum, terms: Terms, divisor: int, scale: int, about: str):
        super().__init__(*total.ends, about=f"{about}; closed form", cost=total.cost)
        self.model, self.total, self.divisor, self.scale = about, total, divisor, scale
        self.powers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for (place, power), coefficient in sorted(terms.items()):
            self.powers[power].append((place, coefficient))

    @classmethod
    def of(cls, total: SimplexSum, about: str, most: int) -> Self | None:
        """The closed form, unless the powers of its terms add up to more than ``most``."""
        whole = all(isinstance(weight, int) for knots in total.keys for _, weight in knots)  # the densities of keys are B-splines
        if not whole or max(map(_powers, total.keys)) > most:
            return None
        scale = math.lcm(*(place.denominator for knots in total.keys for place, _ in knots))
        if sum(times * max(int(size(knots) - max(k for _, k in knots)), 1) for knots, times in total.keys.items()) > most:
            return None
        # a product of Laplace transforms: that of one key, once for each key with the same knots
        terms, divisor = {(0, 0): 1}, 1
        for knots, times in total.keys.items():
            own, of_own = _integers(spline_terms(tuple((place * scale, k) for place, k in knots)))
            for _ in range(times):
                terms, divisor = _product(terms, own), divisor * of_own
                if sum(power for _, power in terms) > most:
                    return None
        return cls(total, terms, divisor, scale, about)

    def exact(self, x: Fraction, less: int = 0) -> Fraction:
        """P(average CAP <= x); with ``less`` = 1 the density at x, from the right."""
        at = (x * self.total.n - self.total.constant) * self.scale
        p, q = at.numerator, at.denominator
        found = Fraction(0)
        for power, terms in self.powers.items():
            top = power - less
            held = sum(coefficient * (p - place * q) ** top for place, coefficient in terms if place * q <= p)
            found += Fraction(held, q**top * math.factorial(top))
        return found / self.divisor * (self.total.n * self.scale) ** less

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        return _rounded([self.exact(Fraction(value)) for value in x.tolist()])

    def _density(self, x: Floats) -> tuple[Floats, Floats]:
        jumps = [(Fraction(place, self.scale) + self.total.constant) / self.total.n for place, _ in self.powers.get(1, [])]

        def at(value: float) -> Fraction:
            """The number, or the jump that it ties with: 1/3 is no float."""
            return next((jump for jump in jumps if at_most(value, float(jump)) and at_most(float(jump), value)), Fraction(value))

        return _rounded([self.exact(at(value), less=1) for value in x.tolist()])

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        return self.total.draws(number, rng)

    def mean_of(self, releases: int, *, rng: Any = None, level: float = 0.95) -> Law:
        """Law of the mean of several releases, which is that of one release with each key repeated."""
        times = check_releases(releases)
        return law_of_sum(self.total.repeated(times), f"{self.model}, mean of {times} releases", rng, level)


def _powers(knots: Knots) -> int:
    """The powers of the terms of one key, added up."""
    order = int(size(knots)) - 1
    return sum(int(weight) * order - int(weight) * (int(weight) - 1) // 2 for _, weight in knots)


def spline_terms(knots: Knots) -> dict[tuple[Place, int], Fraction]:
    """The Laplace transform of the mean of knots: coefficients of e^(-s a) s^-p, by (a, p)."""
    order = int(size(knots)) - 1
    found = {}
    for a, weight in knots:
        times, others = int(weight), [(Fraction(a - b), int(k)) for b, k in knots if b != a]
        # around a knot that occurs several times: the first terms of a power series, by the recurrence of exp(log)
        series = [math.prod((1 / d**k for d, k in others), start=Fraction(1))]  # Taylor series of the product of (z - b)^-k around a
        slope = [sum((k / (-d) ** (r + 1) for d, k in others), Fraction(0)) for r in range(times - 1)]  # of its logarithm's slope
        for t in range(times - 1):
            series.append(sum((slope[r] * series[t - r] for r in range(t + 1)), Fraction(0)) / (t + 1))
        for derivative in range(times):
            sign = (-1) ** (order + derivative)
            part = series[times - 1 - derivative] / math.factorial(derivative)
            found[a, order - derivative] = sign * math.factorial(order) * part
    return {term: coefficient for term, coefficient in found.items() if coefficient}


def _integers(terms: dict[tuple[Place, int], Fraction]) -> tuple[Terms, int]:
    divisor = math.lcm(*(coefficient.denominator for coefficient in terms.values()))
    return {(int(place), power): int(coefficient * divisor) for (place, power), coefficient in terms.items()}, divisor


def _product(left: Terms, right: Terms) -> Terms:
    found: dict[tuple[int, int], int] = defaultdict(int)
    for (a, p), x in left.items():
        for (b, q), y in right.items():
            found[a + b, p + q] += x * y
    return {term: coefficient for term, coefficient in found.items() if coefficient}


def _rounded(exact: list[Fraction]) -> tuple[Floats, Floats]:
    """The next floats below and above each number; both are the number itself if it is a float."""
    ends = np.array([enclosed(*x.as_integer_ratio()) for x in exact], np.float64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]
