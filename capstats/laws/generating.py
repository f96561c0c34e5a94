"""Moments of a ratio to the matched records by generating functions: for many keys.

The number of records is made random first, so that keys are independent, and then fixed again by a sum over a circle; the division by the
matched records is a sum over exponentials. Both sums leave out less than rounding does.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

from capstats.laws.matched_sets import Keys
from capstats.tables.table import Array, Floats

Complex = NDArray[np.complex128]

WORK = 10**8  # steps
TOGETHER = 8  # exponents at a time
STEP = 0.22  # of the sum over exponentials
LEFT_OUT = 42.0  # e^-42, 6e-19, is the share of what is left out
TINY = 1e-300


def check_work(steps: int) -> None:
    """Raise where the exact moments would take too long."""
    if steps > WORK:
        raise ValueError(
            f'The exact moments with `unmatched="drop"` would take {steps:.0e} steps; the limit is {WORK:.0e}. '
            'Use `expected_cap_bounds`, which bounds the mean from both sides at little cost, or `unmatched="zero"`.'
        )


@dataclass(frozen=True)
class Circle:
    """Points z of a circle in the plane on which the mean of a power series, times z^-m, is its coefficient of z^m."""

    turns: Complex  # z^-m, up to a factor, times the share of the point in the mean
    start: float  # the logarithm of the generating function of weight 1 where the circle meets the positive axis
    change: Complex  # from there on

    @classmethod
    def of(cls, m: int, weight: float, *, reinforced: bool) -> Circle:
        """The circle on which the coefficient of z^m is the greatest of an urn of this weight."""
        odds = m / max(weight, 1.0) if reinforced else m / weight  # R / (1 - R), or R
        points = _points(m, weight, odds, reinforced=reinforced)
        check_work(points)
        place = np.arange(points // 2 + 1)
        angle = 2 * np.pi * place / points
        away = odds * (2 * np.sin(angle / 2) ** 2 - 1j * np.sin(angle))  # odds (1 - e^(i angle))
        share = np.where((place == 0) | (2 * place == points), 1, 2)  # of two points that are each other's mirror images
        turns = share * np.exp(-2j * np.pi * (m * place % points) / points)
        return cls(turns, log1p(odds), -np.log(1 + away)) if reinforced else cls(turns, odds, -away)


def _points(m: int, weight: float, odds: float, *, reinforced: bool) -> int:
    """An even number of points, so many that other coefficients than that of z^m add a negligible share."""

    def log_share(k: int) -> float:
        """Of the coefficient of z^k against that of z^m, on the circle."""
        gained = lgamma(weight + k) - lgamma(weight + m) - (k - m) * log1p(1 / odds) if reinforced else (k - m) * log(m)
        return gained - lgamma(k + 1) + lgamma(m + 1)

    points = 4
    while log_share(m + points) > -LEFT_OUT or (m >= points and log_share(m - points) > -LEFT_OUT):
        points += 2 * (points // 16 + 1)
    return points


@dataclass(frozen=True)
class Groups:
    """Keys of one table; those with as many original records are a group."""

    keys: Keys
    circle: Circle
    sizes: Array  # the distinct numbers of original records
    group: NDArray[np.intp]
    number: Array  # keys of each group
    weight: Floats  # of a key of each group

    @classmethod
    def of(cls, keys: Keys) -> Groups:
        """The keys with their circle."""
        sizes, first, group = np.unique(keys.o_j, return_index=True, return_inverse=True)
        circle = Circle.of(keys.urn.m, keys.total, reinforced=keys.urn.reinforced)
        return cls(keys, circle, sizes, group, np.bincount(group), keys.weight[first])

    @cached_property
    def exponents(self) -> Floats:
        """Over these u, 1 / x^2 is STEP times the sum of u^2 exp(-u x), and of u exp(-u x) it is 1 / x, less the same for all x."""
        first, last = -LEFT_OUT / 2 - log(self.keys.o_j.sum()), log(LEFT_OUT + 4) - log(self.sizes.min())
        return np.asarray(np.exp(np.arange(first, last + STEP, STEP)))

    def parts(self, *, squares: bool) -> list[tuple[Floats, int]]:
        """The exponents in parts, each with the number of points from the positive axis on at which generating functions count."""
        starts = range(0, len(self.exponents), TOGETHER)
        return [(u, self._reach(u, squares=squares)) for u in (self.exponents[start : start + TOGETHER, None] for start in starts)]

    @cached_property
    def coefficient(self) -> float:
        """That of z^m in the generating function of all keys."""
        return float((np.exp(self.keys.total * self.circle.change) @ self.circle.turns).real)

    @cached_property
    def _greatest_factors(self) -> Floats:
        """Of each group, the logarithm of the greatest of ``_mean_factors`` from a point on, in units in which all keys weigh nothing."""
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
            if squares:  # also where one key has its mean factor instead
                bound = np.maximum(bound, bound - of_key + self._greatest_factors[:, point])
            return bool(bound.max() < floor)

        return bisect_left(range(points), True, key=negligible)

    def expected(self, right: Floats, spread: Floats | None) -> float:
        """What `over_sets` gives, for many keys."""
        if spread is not None:
            check_work(self.keys.urn.m * len(self.sizes))
        parts = self.parts(squares=spread is not None)
        check_work(sum(len(u) * reach for u, reach in parts) * len(self.sizes))
        matched, near = self.keys.matched(), 0.0
        if spread is None:  # the mean is that of the deviations from a share, which have the mean 0 before the division
            near = float((matched * right).sum() / (matched * self.keys.o_j).sum())
            right = right - near * self.keys.o_j
        circle, rights, power = self.circle, np.bincount(self.group, right), 1 if spread is None else 2
        squares, spreads = (np.zeros(1), np.zeros(1)) if spread is None else (np.bincount(self.group, x) for x in (right**2, spread))
        found = 0.0
        for u, reach in parts:
            change, turns = circle.change[:reach], circle.turns[:reach]
            log_all = self.keys.total * change + np.zeros((len(u), 1))
            answers, of_squares = np.zeros(log_all.shape, complex), np.zeros(log_all.shape, complex)
            for g, number in enumerate(self.number):
                log_factor, share = self._factor(g, u, reach)
                log_all += number * log_factor
                answers += rights[g] * share
                if spread is not None:
                    of_squares += squares[g] * (share - share**2)
            value = np.exp(log_all) * (answers if spread is None else answers**2 + of_squares)
            if spread is not None:
                for g in np.flatnonzero(spreads).tolist():
                    log_factor, _ = self._factor(g, u, reach)
                    log_others = log_all - log_factor - self.weight[g] * change - u * self.sizes[g]
                    value += spreads[g] * np.exp(log_others) * self._mean_factors[g, :reach]
            found += float(STEP * (u[:, 0] ** power * (value @ turns).real).sum())
        return near * self.keys.some_matched() + found / self.coefficient

    def _factor(self, g: int, u: Floats, reach: int) -> tuple[Complex, Complex]:
        """Of a key of group g: the logarithm of y + (1 - y) e^-E, and y (1 - e^-E) / (y + (1 - y) e^-E), where y = exp(-u o_.j)."""
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
        """Of each group, the sum over k of f(k) P(k) e^(i k angle) for the number k of records of a key, if it were not bound to m."""
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
