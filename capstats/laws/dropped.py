"""Mean and variance of version 2 where a release is drawn cell by cell, exactly, where the cost is in reach.

The number of records is made random first, so that keys are independent, and then fixed again by a sum over a circle; the division by the
matched records is a sum over exponentials. Both sums leave out less than rounding does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

from capstats.laws.cells import Cells, covariance
from capstats.laws.models import Synthesis
from capstats.laws.shares import targets_of
from capstats.tables.table import Array, Floats, Table

Complex = NDArray[np.complex128]

WORK = 10**8  # factors of generating functions that may be computed
BLOCK = 1 << 17  # points at a time
STEP = 0.22  # of the sum over exponentials
LEFT_OUT = 42.0  # e^-42, 6e-19, is the share of what is left out
TINY = 1e-300
SLACK = 1e-12  # more than rounding can take from a bound


def dropped_mean(o: Table, synthesis: Synthesis) -> Floats:
    """Expected average CAP, version 2, given that it is defined: shape (...); NaN where `o` holds no record."""
    if synthesis.model == "uniform":
        return np.where(o.total() > 0, 1 / targets_of(o), np.nan)
    return _of_each(o, synthesis, lambda release: release.mean)


def dropped_variance(o: Table, synthesis: Synthesis) -> Floats:
    """Variance of average CAP, version 2, given that it is defined: shape (...); NaN where `o` holds no record."""
    return _of_each(o, synthesis, lambda release: release.variance)


def _of_each(o: Table, synthesis: Synthesis, moment: Callable[[Release], float]) -> Floats:
    cells, o_j = Cells.of(o, synthesis), o.key_total()
    found = np.full(o_j.shape[:-1], np.nan)
    for at in np.ndindex(found.shape):
        if o_j[at].any():
            found[at] = moment(Release.of(cells.member(at), o_j[at]))
    return found


def dropped_bounds(o: Table, synthesis: Synthesis) -> Floats:
    """Lower and upper bound of the expected average CAP, version 2, from first and second moments alone: shape (..., 2)."""
    if synthesis.model == "uniform":
        return np.stack([dropped_mean(o, synthesis)] * 2, axis=-1)
    cells, o_j = Cells.of(o, synthesis), o.key_total()
    found = np.full((*o_j.shape[:-1], 2), np.nan)
    for at in np.ndindex(found.shape[:-1]):
        if o_j[at].any():
            found[at] = _bounds(cells.member(at), o_j[at])
    return found


def _bounds(cells: Cells, o_j: Array) -> Floats:
    """Bounds of E[c / X] from 1/X = 1/a - (X - a)/a^2 + (X - a)^2/(a^2 X), where a is the mean of X = n_M, given that it is not 0."""
    held, matched = o_j > 0, cells.matched()
    shares = cells.mean[held] / o_j[held]  # of the records of a key, those for which an attribution is right
    least, greatest = shares.min(), shares.max()
    near = (matched * cells.mean).sum() / (matched * o_j).sum()
    right = cells.mean - near * o_j  # c less what a constant share would give; its mean is 0

    defined = Release.of(cells, o_j).defined
    a = (matched * o_j).sum() / defined
    variance = max(covariance(cells, o_j, o_j) / defined - a**2 * (1 - defined), 0.0)
    slope = covariance(cells, right, o_j) / (defined * a**2)
    room = np.sqrt(covariance(cells, right, right) * covariance(cells, o_j, o_j)) / (defined * a**2)
    rounding = SLACK * (greatest + 1e3 * (room + greatest * variance / a**2))
    ends = near - slope + (np.array([least, greatest]) - near) * variance / a**2 + rounding * np.array([-1, 1])
    return np.asarray(np.clip(ends, least - SLACK * greatest, greatest + SLACK * greatest))


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
class Release:
    """A model on one table; keys with as many original records each are a group."""

    cells: Cells
    o_j: Array  # original records of each key, with at least one
    filler: float  # weight of the keys without any
    sizes: Array  # the distinct numbers of original records
    group: NDArray[np.intp]
    number: Array  # keys of each group
    weight: Floats  # of a key of each group

    @classmethod
    def of(cls, cells: Cells, o_j: Array) -> Release:
        """One table, of which some key has an original record."""
        held = o_j > 0
        kept = Cells(cells.urn, cells.records[held], cells.added, cells.mean[held], cells.spread[held])
        sizes, first, group = np.unique(o_j[held], return_index=True, return_inverse=True)
        filler = cells.added * int((~held).sum())
        return cls(kept, o_j[held], filler, sizes, group, np.bincount(group), kept.weight()[first].astype(np.float64))

    @cached_property
    def circle(self) -> Circle:
        """Where generating functions of the release are computed."""
        return Circle.of(self.cells.urn.m, self.total, reinforced=self.cells.urn.reinforced)

    @property
    def total(self) -> float:
        """The weight of all keys."""
        return float((self.number * self.weight).sum()) + self.filler

    @cached_property
    def defined(self) -> float:
        """How likely a key with original records is matched."""
        missed = self.cells.urn.log_missed(np.asarray(self.total - self.filler), np.asarray(self.filler))
        return float(-np.expm1(missed))

    @cached_property
    def exponents(self) -> Floats:
        """1 / x is STEP times the sum of u exp(-u x) over these u, and 1 / x^2 that of u^2 exp(-u x), for x from one key to all."""
        first, last = -LEFT_OUT - log(self.o_j.sum()), log(LEFT_OUT + 4) - log(self.sizes.min())
        return np.asarray(np.exp(np.arange(first, last + STEP, STEP)))

    @cached_property
    def mean(self) -> float:
        """E[c / n_M | n_M > 0]."""
        matched = -np.expm1(self.cells.urn.log_missed(self.weight, np.maximum(self.total - self.weight, 0)))[self.group]
        near = float((matched * self.cells.mean).sum() / (matched * self.o_j).sum())  # of version 2, if all keys were large
        return near + self._expected(self.cells.mean - near * self.o_j, None) / self.defined

    @cached_property
    def variance(self) -> float:
        """Var(c / n_M | n_M > 0)."""
        return self._expected(self.cells.mean - self.mean * self.o_j, self.cells.spread) / self.defined

    def _expected(self, right: Floats, spread: Floats | None) -> float:
        """E[sum_{j matched} right_j / n_M], or with the spread of right answers the mean square of this with the answers that are drawn."""
        circle, rights = self.circle, np.bincount(self.group, right)
        squares, spreads = (np.zeros(1), np.zeros(1)) if spread is None else (np.bincount(self.group, x) for x in (right**2, spread))
        work = len(self.exponents) * len(circle.turns) * len(self.sizes)
        if spread is not None:
            work = 2 * work + 10 * self.cells.urn.m * len(self.sizes)
        if work > WORK:
            raise ValueError(
                f'The exact moments with `unmatched="drop"` would take {work:.0e} steps; the limit is {WORK:.0e}. '
                'Use `expected_cap_bounds`, which bounds the mean from both sides at little cost, or `unmatched="zero"`.'
            )
        power = 1 if spread is None else 2

        found, step = 0.0, max(1, BLOCK // len(circle.turns))
        for start in range(0, len(self.exponents), step):
            u = self.exponents[start : start + step, None]
            log_all = self.total * circle.change + np.zeros((len(u), 1))
            answers, of_squares = np.zeros(log_all.shape, complex), np.zeros(log_all.shape, complex)
            for g, number in enumerate(self.number):
                log_factor, share = self._factor(g, u)
                log_all += number * log_factor
                answers += rights[g] * share
                if spread is not None:
                    of_squares += squares[g] * (share - share**2)
            value = np.exp(log_all) * (answers if spread is None else answers**2 + of_squares)
            if spread is not None:
                for g in np.flatnonzero(spreads).tolist():
                    log_factor, _ = self._factor(g, u)
                    log_others = log_all - log_factor - self.weight[g] * circle.change - u * self.sizes[g]
                    value += spreads[g] * np.exp(log_others) * self._mean_factors[g]
            found += float(STEP * (u[:, 0] ** power * (value @ circle.turns).real).sum())
        return found / float((np.exp(self.total * circle.change) @ circle.turns).real)

    def _factor(self, g: int, u: Floats) -> tuple[Complex, Complex]:
        """Of a key of group g: the logarithm of y + (1 - y) e^-E, and y (1 - e^-E) / (y + (1 - y) e^-E), where y = exp(-u o_.j)."""
        exponent = self.weight[g] * (self.circle.start + self.circle.change)
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
        urn, points = self.cells.urn, 2 * (len(self.circle.turns) - 1)
        k = np.arange(1, urn.m + 1, dtype=np.float64)
        found = np.empty((len(self.sizes), len(self.circle.turns)), complex)
        for g, weight in enumerate(self.weight):
            if urn.reinforced:
                ratios, factors = (weight + k - 1) / k * -np.expm1(-self.circle.start), (1 + weight / k) / (1 + weight)
            else:
                ratios, factors = weight * self.circle.start / k, 1 / k
            terms = np.exp(np.cumsum(np.log(ratios)) - weight * self.circle.start) * factors
            folded = np.bincount(np.arange(1, urn.m + 1) % points, terms, points)
            found[g] = np.conj(np.fft.rfft(folded))
        return found
