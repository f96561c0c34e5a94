"""Draws from an urn: the probability that parts of it are missed, and the mean inverse of the number of draws of a part.

A multinomial table is drawn from an urn with replacement; a Dirichlet-multinomial one from Polya's urn, in which each ball is put back with
one more of its kind. No function takes differences of almost equal numbers; the notes below prove the error of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from capstats.tables.gamma_ratios import first_terms, log_cross_ratio, sum_rule
from capstats.tables.table import Floats

FEW = 32  # draws up to which factors are multiplied one by one
BLOCK = 1 << 16  # probabilities computed at a time
NEGLIGIBLE = 2.0**-60
NODES = 20  # of the Gauss rule for a sum
WIDE = 4096  # numbers of draws that are added one by one

# Rounding errors of `log_missed`, in the symbols of theory/models.md#expected-cap. Where the urn is reinforced ln Z(w) = -T(A - w; w, m)
# with T(x; a, b) = G(x) + G(x + a + b) - G(x + a) - G(x + b) for G = ln Gamma. As T(x) = T(x + 1) + f(x) with f(x) = ln(1 +
# ab / (x (x + a + b))), let x >= 16, where six terms of Stirling's series are off by less than 2e-18. With h(u) = ln(1 + u) / u - 1 and
# a <= b they give
#
#     T = a [h(a / (x + b)) - h(a / x) + ln(1 + b / (x + a))] + f(x) / 2 + ab (2x + a + b) / (12 x (x + a) (x + b) (x + a + b)) + ...,
#
# where nothing cancels: h falls, and |h(u)| <= min(u, 1).
#
# `log_dependence` is d in C_jk = Z_j Z_k (e^d - 1): by part 3 of the statement d = -sum_(t < m) f(P + gamma t) with P = A - a - b,
# summed where the urn is not reinforced or m <= 32. Otherwise d = T(P + m; a, b) - T(P; a, b), with a relative error of about 2^-52 (1
# + P / m); for P > 10 m the sum comes from a rule with ten positive weights (`sum_rule`). It errs by a share below 1e-20: on the circle of
# ten times the half-length f is analytic, and at most a small multiple of its value in the middle, so that a polynomial of degree 19 is as
# near to it.
#
# `mean_inverse`. The ratio P(k + 1) / P(k) of the probabilities of k draws of a part is (m - k) / (k + 1) a / b, or reinforced (m - k)
# (a + k) / ((k + 1) (b + m - k - 1)): at least 1 exactly when (m + 1) a >= (k + 1) (a + b), or m (a - 1) - (b - 1) >= k (a + b - 2). So
# where the urn is not reinforced or weighs more than 2 the sum over k goes outwards from the greatest probability until the rest, at
# most (m - k) P(k) above and k P(k) below, is a share below 2^-60; else over all k. It errs by at most 5 * 2^-53 times the number of
# terms. Reinforced and above 4,096 terms, stretches of N are summed by a rule with 20 positive weights (`sum_rule`). Between integers
# ln P(k + d) / P(k) = T(k + 1; a - 1, d) - T(m - k - d + 1; b - 1, d), with T(x; -c, d) = -T(x - c; c, d). N is at most the distance to
# the nearer end and 4 / (|l'| + sqrt |l''|), l being this logarithm. So in the ellipse whose half-axes add up to four half-lengths the
# summand is analytic and grows by about 1e6 at most, a polynomial of degree 39 is within 1e-17 of its greatest value, and the rule errs
# by twice as much at most.


@dataclass(frozen=True)
class Urn:
    """``m`` draws, each put back; with one more of its kind where ``reinforced``. A weight is a number of balls, and may be fractional."""

    m: int
    reinforced: bool

    def log_missed(self, part: Floats, rest: Floats) -> Floats:
        """Logarithm of the probability that no draw is from a part of this weight, when the urn also holds ``rest``."""
        part, rest = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(rest, np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = -log_cross_ratio(rest, part, self.m) if self.reinforced else -self.m * np.log1p(part / rest)
        return np.where(part > 0, found, 0.0)

    def log_dependence(self, left: Floats, right: Floats, rest: Floats) -> Floats:
        """Logarithm of P(both parts are missed) / (P(left is missed) P(right is missed)); it is below 0. Both weights are above 0."""
        left, right, rest = np.broadcast_arrays(left, right, np.maximum(rest, 0.0))
        with np.errstate(divide="ignore"):
            if not self.reinforced:
                return np.asarray(-self.m * np.log1p(left * right / (rest * (rest + left + right))))
            if self.m <= FEW:
                return -first_terms(rest, left, right, self.m)
            smooth = rest > 10 * self.m
            found = np.empty(rest.shape)
            found[smooth] = -_smooth_terms(rest[smooth], left[smooth], right[smooth], self.m)
            x, a, b = rest[~smooth], left[~smooth], right[~smooth]
            found[~smooth] = log_cross_ratio(x + self.m, a, b) - log_cross_ratio(x, a, b)
            return found

    def mean_inverse(self, part: float, rest: float) -> float:
        """E[1 / k; k > 0], where k is the number of draws of a part of this weight.

        Sums over k of probabilities in units of the greatest one, from there outwards until the rest is negligible. Long smooth stretches
        are summed by a Gauss rule, so that the time hardly grows with m where the urn is reinforced.
        """
        m, a, b = self.m, part, rest
        if not a > 0:
            return 0.0
        if not b > 0:
            return 1.0 / m

        def ratio(k: Floats) -> Floats:
            """P(k + 1) / P(k)."""
            return (m - k) * (a + k) / ((k + 1) * (b + (m - k - 1))) if self.reinforced else (m - k) / (k + 1) * (a / b)

        start, one_mode = self._mode(a, b)
        probability, inverse = 1.0, 1.0 / start if start else 0.0
        heights: NDArray[np.float64]
        places: NDArray[np.float64]
        for up in (1, -1):
            k, height, size = start, 1.0, 64
            while left := m - k if up > 0 else k:
                number = self._stretch(k, a, b, up=up > 0) if self.reinforced else 0
                if number:
                    steps, times = sum_rule(number, NODES)
                    change = self._log_change(k, np.append(steps, number), a, b, up)
                    heights, places = height * times * np.exp(change[:-1]), k + up * steps
                    k, height = k + up * number, height * float(np.exp(change[-1]))
                else:
                    places = k + up * np.arange(1.0, min(size, left) + 1)
                    heights = height * np.cumprod(ratio(places - 1) if up > 0 else 1 / ratio(places), dtype=np.float64)
                    k, height, size = int(places[-1]), heights[-1], min(2 * size, BLOCK)
                probability += heights.sum()
                inverse += (heights / np.where(places > 0, places, np.inf)).sum()
                if one_mode and (m - k if up > 0 else k) * height <= NEGLIGIBLE * inverse:
                    break
        return float(inverse / probability)

    def _stretch(self, k: int, a: float, b: float, *, up: bool) -> int:
        """The number of terms beyond k that one Gauss rule sums: the probabilities change by a small factor, and no end is nearer."""
        m = self.m
        ends = min(k, (m - k) // 2) if up else min(k // 2, m - k)
        if ends <= WIDE:
            return 0
        turn = m * (a - 1) - (b - 1) - k * (a + b - 2)  # P(k + 1) / P(k) - 1, times the next line
        slope = abs(turn) / ((k + 1) * (b + m - k - 1))
        bend = abs(a - 1) / ((a + k) * (k + 1)) + abs(b - 1) / ((b + m - k) * (m - k + 1))
        fast = slope + np.sqrt(bend)
        found = int(min(ends, 4 / fast)) if fast > 0 else ends
        return found if found > WIDE else 0

    def _log_change(self, k: int, steps: Floats, a: float, b: float, up: int) -> Floats:
        """Logarithm of P(k + step) / P(k), or of P(k - step) / P(k) where ``up`` is -1."""
        low = k + min(up, 0) * steps
        return up * (_cross_ratio_of_any(low + 1, a - 1, steps) - _cross_ratio_of_any(self.m - low - steps + 1, b - 1, steps))

    def _mode(self, a: float, b: float) -> tuple[int, bool]:
        """Where probabilities are greatest, and whether they decrease from there on both sides."""
        m = self.m
        if not self.reinforced:
            return min(int((m + 1) * (a / (a + b))), m), True
        if not a + b > 2:
            return 0, False
        turn = (m * (a - 1) - (b - 1)) / (a + b - 2)  # P(k + 1) >= P(k) for k up to here
        return min(max(int(np.floor(turn)) + 1, 0), m), True


def _cross_ratio_of_any(x: Floats, a: float, b: Floats) -> Floats:
    """log_cross_ratio(x, a, b), where a may be negative as long as x + a is positive."""
    return log_cross_ratio(x, np.asarray(a), b) if a >= 0 else -log_cross_ratio(x + a, np.asarray(-a), b)


def _smooth_terms(x: Floats, a: Floats, b: Floats, terms: int) -> Floats:
    """The same sum as of `first_terms`, for x above ten times the number of terms, which is above ten: by a Gauss rule for sums."""
    found = np.zeros(x.shape)
    for place, weight in zip(*sum_rule(terms, NODES // 2), strict=True):
        u = x + (place - 1)
        found += weight * np.log1p(a * b / (u * (u + a + b)))
    return found
