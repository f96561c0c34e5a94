"""Mean and variance of average CAP, version 2, where a release is drawn cell by cell: a ratio to the random number of matched records.

Exact, within a limit of cost: few keys are computed by the sets of matched keys, many by generating functions.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

from capstats.laws.models.cell_moments import Cells, mean_factor
from capstats.laws.models.urns import Urn
from capstats.tables.table import Array, Floats

Complex = NDArray[np.complex128]

FEW = 8  # the most keys for which all subsets are computed
WORK = 10**8  # steps
TOGETHER = 8  # exponents at a time
STEP = 0.22  # of the sum over exponentials
LEFT_OUT = 42.0  # terms with a share below e^-42 = 6e-19 are omitted
TINY = 1e-300


def matched_mean(cells: Cells, o_j: Array) -> float:
    """Expected average CAP, version 2, of one table, given that it is defined."""
    return _expected(cells, o_j, cells.mean, None) if cells.share is None else cells.share


def matched_variance(cells: Cells, o_j: Array) -> float:
    """Variance of average CAP, version 2, of one table, given that it is defined."""
    return _expected(cells, o_j, cells.mean - matched_mean(cells, o_j) * o_j, cells.spread)


def _expected(cells: Cells, o_j: Array, right: Floats, spread: Floats | None) -> float:
    """E[C / X], given X > 0, or E[D^2 / X^2], if ``spread`` is given: see `over_sets`."""
    weight = cells.weight().astype(np.float64)
    held = (o_j > 0) & (weight > 0)  # keys with original records that are possible in a release
    keys = Keys(cells.urn, o_j[held], weight[held], float(np.sum(cells.outside) + weight[~held].sum()))
    right, spread = right[held], None if spread is None else spread[held]
    if not held.any():
        return np.nan
    few = held.sum() <= FEW and (spread is None or held.sum() * 2 ** held.sum() * keys.urn.m <= WORK)
    return (over_sets(keys, right, spread) if few else Groups(keys).expected(right, spread)) / keys.some_matched()


@dataclass(frozen=True)
class Keys:
    """The keys of one table that have original records and are possible in a release, in an urn."""

    urn: Urn
    o_j: Array  # original records of each key
    weight: Floats
    filler: float  # weight of all other keys

    @property
    def total(self) -> float:
        """The weight of all keys."""
        return float(self.weight.sum()) + self.filler

    def matched(self) -> Floats:
        """The probability that each key is matched."""
        return np.asarray(-np.expm1(self.urn.log_missed(self.weight, np.maximum(self.total - self.weight, 0))))

    def some_matched(self) -> float:
        """The probability that at least one of them is matched, so that the average of version 2 is defined."""
        return float(-np.expm1(self.urn.log_missed(self.weight.sum(), np.asarray(self.filler))))


# --- by the sets of keys that are matched: few keys, and any number of records -----------------------------------------


def over_sets(keys: Keys, right: Floats, spread: Floats | None) -> float:
    """E[C / X; X > 0], where C is the sum of ``right`` and X that of the original records over matched keys.

    With ``spread``, the variance of the right answers to one draw in each key, it is E[D^2 / X^2; X > 0] with the answers D that are drawn.
    """
    count = len(keys.o_j)
    member = ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(np.float64)  # a row for each subset, the empty one first
    records, weight = member @ keys.o_j, member @ keys.weight
    log_missed = keys.urn.log_missed((1 - member) @ keys.weight, weight + keys.filler)  # of the keys outside the subset
    exactly = _differences(np.expm1(log_missed), up=True)[1:]  # the probability that exactly these keys are matched
    mean = member[1:] @ right / records[1:]
    if spread is None:
        return float((exactly * mean).sum())

    inverse = np.zeros(len(member))
    inverse[1:] = 1 / records[1:] ** 2
    share = np.exp(log_missed) * np.maximum(_differences(inverse, up=False), 0)
    factors: dict[tuple[float, float], float] = {}
    within = 0.0
    for chosen, key in np.argwhere((member > 0) & (spread > 0)):
        urn = (float(keys.weight[key]), float(max(weight[chosen] + keys.filler - keys.weight[key], 0.0)))
        if urn not in factors:
            factors[urn] = mean_factor(keys.urn, *map(np.asarray, urn))
        within += spread[key] * share[chosen] * factors[urn]
    return float((exactly * mean**2).sum() + within)


def _differences(values: Floats, *, up: bool) -> Floats:
    """Sums with alternating signs over all subsets of each set, or with ``up=False`` over all sets that it is a subset of."""
    found = values.copy()
    for key in range(len(found).bit_length() - 1):
        pairs = found.reshape(-1, 2, 1 << key)  # without and with one key
        pairs[:, int(up)] -= pairs[:, int(not up)]
    return found


# --- by generating functions: many keys --------------------------------------------------------------------------------
#
# The number of records is made random first, so that keys are independent, and then fixed again by a sum over a circle; the division by
# the matched records is a sum over exponentials. Both sums leave out less than rounding does, in the symbols of
# theory/models.md#expected-cap-drop:
#
# *The circle.* The coefficient of z^m is the mean of F(z) z^-m over N equally spaced points with |z| = r, less [z^(m + l N)] F r^(l N),
# l != 0. These need to be small for prod_j G_j only: as 0 <= y_j <= 1, no coefficient of the other products is larger, apart from the
# factor. With r = m / A, or m / (m + max(A, 1)) in a reinforced urn, its coefficients times r^k are Poisson or negative binomial
# probabilities, and N makes the terms m +- N at most e^-42 of that of m. For A >= 1 both laws are log-concave, so others fall at least
# by this factor each time; for A < 1 at least like r^k, with no m - N >= 0. Now e_j = |G_j(r e^(i angle))| falls from angle 0 to pi,
# and so does the product of 1 - y_j + y_j max(e_j, 1), a bound of |F_j| and |y_j (G_j - 1)| / 2; for Phi_j the greatest later value is
# taken. Points with a share below e^-42 in all are left out.
#
# *The exponentials.* With u = e^s, 1/x is the integral of e^(s - x e^s) over s. By Poisson's summation a sum over s with step h differs
# from it by a share of at most 2 sum_(l >= 1) |Gamma(1 + 2 pi i l / h)|, where |Gamma(1 + iy)|^2 = pi y / sinh(pi y): for h = .22 below
# 1e-18; for 1/x^2 with Gamma(2 + iy) below 3e-17. The sum over e^-21 / n <= e^s <= 46 / min_j o_.j omits above a share below 1e-17;
# below, for 1/x^2 a share of at most t = e^-42 h / (1 - e^(-2h)), and for the mean at most t E|c'| / n, as |E[c' e^(-uX)]| = |E[c'
# (e^(-uX) - 1)]| <= u n E|c'|.


def check_work(steps: int) -> None:
    """Raise where the exact moments would take too long."""
    if steps > WORK:
        raise ValueError(
            f'The exact moments with `unmatched="drop"` would take {steps:.0e} steps; the limit is {WORK:.0e}. '
            'Average the `average_cap` of draws of `sample_tables`, or use `unmatched="zero"`.'
        )


class Circle:
    """Points z of a circle in the complex plane, for a Cauchy integral: the mean of a power series times z^-m is its coefficient of z^m.

    It is the circle on which the coefficient of z^m is the greatest of an urn of this weight.
    """

    def __init__(self, m: int, weight: float, *, reinforced: bool):
        odds = m / max(weight, 1.0) if reinforced else m / weight  # R / (1 - R), or R
        points = _points(m, weight, odds, reinforced=reinforced)
        check_work(points)
        place = np.arange(points // 2 + 1)
        angle = 2 * np.pi * place / points
        away = odds * (2 * np.sin(angle / 2) ** 2 - 1j * np.sin(angle))  # odds (1 - e^(i angle))
        share = np.where((place == 0) | (2 * place == points), 1, 2)  # a point counts for its mirror image, too
        # z^-m, up to a factor, times the share of the point in the mean
        self.turns = share * np.exp(-2j * np.pi * (m * place % points) / points)
        # the logarithm of the generating function of weight 1 where the circle meets the positive axis, and its change from there on
        self.start = log1p(odds) if reinforced else odds
        self.change: Complex = -np.log(1 + away) if reinforced else -away


def _points(m: int, weight: float, odds: float, *, reinforced: bool) -> int:
    """An even number of points, large enough that the coefficients other than that of z^m contribute a negligible share."""

    def log_share(k: int) -> float:
        """Logarithm of the coefficient of z^k relative to that of z^m, on the circle."""
        gained = lgamma(weight + k) - lgamma(weight + m) - (k - m) * log1p(1 / odds) if reinforced else (k - m) * log(m)
        return gained - lgamma(k + 1) + lgamma(m + 1)

    points = 4
    while log_share(m + points) > -LEFT_OUT or (m >= points and log_share(m - points) > -LEFT_OUT):
        points += 2 * (points // 16 + 1)
    return points


class Groups:
    """Keys of one table with their circle; keys with equal numbers of original records, ``sizes``, and equal weight are one group."""

    def __init__(self, keys: Keys):
        self.keys, self.circle = keys, Circle(keys.urn.m, keys.total, reinforced=keys.urn.reinforced)
        alike, group = np.unique(np.column_stack([keys.o_j, keys.weight]), axis=0, return_inverse=True)
        self.sizes, self.weight = alike.T
        self.group = group.ravel()
        self.number = np.bincount(self.group)  # keys of each group
        # the nodes u of the sums: STEP times the sum of u^2 exp(-u x) is 1 / x^2, and that of u exp(-u x) is 1 / x minus a constant
        first, last = -LEFT_OUT / 2 - log(keys.o_j.sum()), log(LEFT_OUT + 4) - log(self.sizes.min())
        self.exponents = np.exp(np.arange(first, last + STEP, STEP))
        # the coefficient of z^m in the generating function of all keys
        self.coefficient = float((np.exp(keys.total * self.circle.change) @ self.circle.turns).real)

    @cached_property
    def _greatest_factors(self) -> Floats:
        """For each group, the logarithm of the greatest of ``_mean_factors`` from each point on, relative to keys of weight 0."""
        tail = np.maximum.accumulate(np.abs(self._mean_factors[:, ::-1]), axis=1)[:, ::-1]
        return np.asarray(np.log(tail + TINY) + (self.weight * self.circle.start)[:, None])

    def _reach(self, u: Floats, *, squares: bool) -> int:
        """The first point from which on all values are negligible, by a bound that falls along the circle."""
        points, records = len(self.circle.turns), float(self.keys.o_j.sum())
        y, rest = np.exp(-u * self.sizes), -np.expm1(-u * self.sizes)
        floor = log(self.coefficient) - LEFT_OUT - log(16 * points) - 2 * log1p(float(u.max()) * records)

        def negligible(point: int) -> bool:
            growth = self.circle.start + self.circle.change[point].real
            of_key = np.maximum(self.weight * growth, 0)
            of_key = of_key + np.log(y + rest * np.exp(-of_key) + TINY)
            bound = (self.number * of_key).sum(-1, keepdims=True) + self.keys.filler * growth - self.keys.total * self.circle.start
            if squares:  # also where one key is replaced by its mean factor
                bound = np.maximum(bound, bound - of_key + self._greatest_factors[:, point])
            return bool(bound.max() < floor)

        return bisect_left(range(points), True, key=negligible)

    def expected(self, right: Floats, spread: Floats | None) -> float:
        """The result of `over_sets`, for many keys."""
        if spread is not None:
            check_work(self.keys.urn.m * len(self.sizes))
        together = np.split(self.exponents[:, None], range(TOGETHER, len(self.exponents), TOGETHER))
        parts = [(u, self._reach(u, squares=spread is not None)) for u in together]
        check_work(sum(len(u) * reach for u, reach in parts) * len(self.sizes))
        matched, near = self.keys.matched(), 0.0
        if spread is None:  # deviations from a share are averaged, which have mean 0 before the division
            near = float((matched * right).sum() / (matched * self.keys.o_j).sum())
            right = right - near * self.keys.o_j
        circle, rights, power = self.circle, np.bincount(self.group, right), 1 if spread is None else 2
        squares, spreads = (0 * rights, 0 * rights) if spread is None else (np.bincount(self.group, x) for x in (right**2, spread))
        found = 0.0
        for u, reach in parts:
            change, turns = circle.change[:reach], circle.turns[:reach]
            log_all = self.keys.total * change + np.zeros((len(u), 1))
            answers, of_squares = np.zeros(log_all.shape, complex), np.zeros(log_all.shape, complex)
            for g, number in enumerate(self.number):
                log_factor, share = self._factor(g, u, reach)
                log_all += number * log_factor
                answers += rights[g] * share
                of_squares += squares[g] * (share - share**2)
            value = np.exp(log_all) * (answers if spread is None else answers**2 + of_squares)
            for g in np.flatnonzero(spreads).tolist():
                log_factor, _ = self._factor(g, u, reach)
                log_others = log_all - log_factor - self.weight[g] * change - u * self.sizes[g]
                value += spreads[g] * np.exp(log_others) * self._mean_factors[g, :reach]
            found += float(STEP * (u[:, 0] ** power * (value @ turns).real).sum())
        return near * self.keys.some_matched() + found / self.coefficient

    def _factor(self, g: int, u: Floats, reach: int) -> tuple[Complex, Complex]:
        """For a key of group g: the logarithm of y + (1 - y) e^-E, and y (1 - e^-E) / (y + (1 - y) e^-E), where y = exp(-u o_.j)."""
        exponent = self.weight[g] * (self.circle.start + self.circle.change[:reach])
        right_half = exponent.real >= 0
        toward_zero = np.where(right_half, -exponent, exponent)
        q = np.exp(toward_zero)
        y, rest = np.exp(-u * self.sizes[g]), -np.expm1(-u * self.sizes[g])
        factor = np.where(right_half, y + rest * q, y * q + rest) + TINY
        share = y * np.where(right_half, -1, 1) * np.expm1(toward_zero) / factor
        return np.log(factor) - np.where(right_half, 0, exponent), share

    @cached_property
    def _mean_factors(self) -> Complex:
        """For each group, the sum over k of f(k) P(k) e^(i k angle), k being the number of records of a key if the total m were random."""
        urn, points = self.keys.urn, 2 * (len(self.circle.turns) - 1)
        k = np.arange(1, urn.m + points + 1, dtype=np.float64)
        found = np.empty((len(self.sizes), len(self.circle.turns)), complex)
        for g, weight in enumerate(self.weight):
            if urn.reinforced:
                ratios, factors = (weight + k - 1) / k * -np.expm1(-self.circle.start), (1 + weight / k) / (1 + weight)
            else:
                ratios, factors = weight * self.circle.start / k, 1 / k
            terms = np.exp(np.cumsum(np.log(ratios)) - weight * self.circle.start) * factors
            folded = np.bincount(np.arange(1, urn.m + points + 1) % points, terms, points)
            found[g] = np.conj(np.fft.rfft(folded))
        return found
