"""The law of a sum of independent B-splines from its Fourier series, with bounds of all that is cut off and rounded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from capstats.laws.characteristic import STEPS, UNIT, Complex, characteristic, power, product, size_bound, times
from capstats.laws.conditioned import conditioned, conditioned_bound, nodes
from capstats.laws.law import Law
from capstats.laws.simplex import Knots, SimplexSum, is_spline, size
from capstats.tables.table import Floats

SMALL = 1e-9  # what the terms that are left out may add up to
KNOTS = 24  # of a key, up to which its characteristic function is found by doubling
TOGETHER = 512  # keys of few knots
ORDERS = 256  # knots of a key up to which two outer ones bound it
COARSE = 4  # places of a table that share one bound
WORK = 2e9  # multiplications that a law may take: some seconds
BLOCK = 1 << 17  # numbers of an array that stays in cache
GRID = 70 * STEPS  # from 1 to 2^70 terms


class Inversion(Law):
    """The law of a sum on an interval, whose Fourier coefficients are values of its characteristic function.

    The period is the length of the support, so that nothing wraps around. Numbers of a term: psi_k, the characteristic function at
    2 pi k / length of the sum about the middle of its support, and a bound of its error.
    """

    def __init__(self, total: SimplexSum, about: str):
        super().__init__(float(total.least), float(total.greatest), about=f"{about}; by inversion")
        self.total = total
        self.length = (total.greatest - total.least) * total.n  # in records, as the knots
        self.middle = (total.greatest + total.least) / 2
        self.per_unit = self.total.n / self.length  # of the support to one of CAP
        self.mean = float((total.mean - self.middle) * self.per_unit)
        self.shares = {knots: float((knots[-1][0] - knots[0][0]) / self.length) for knots in total.keys}  # widths, of all of it
        self.most = min((_order(knots) / self.shares[knots] for knots in total.keys if is_spline(knots)), default=np.inf)
        self.terms, self.rest, self.rest_of_density = self._cut()
        self.psi, self.error = self._coefficients()
        k = np.arange(1, self.terms + 1)
        sizes = np.abs(self.psi) + self.error
        rounding = 2 * (self.terms + 20) * UNIT
        self.wrong = float((self.error / k).sum() / np.pi + (12 * UNIT + rounding / k) @ sizes + 4 * UNIT) * 1.001 + self.rest
        by_density = 2 * (self.error.sum() + ((14 * (k + 2) + 20) * UNIT + rounding) @ sizes) + 8 * UNIT
        self.wrong_density = float(by_density) * 1.001 + self.rest_of_density

    @property
    def width(self) -> float:
        """Width of the bracket of the distribution function."""
        return 2 * self.wrong

    # --- Fourier series

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        k = np.arange(1, self.terms + 1)
        weights = self.psi / (np.pi * k)
        at = self._places(x)
        found = 0.5 + (at - self.mean) - self._sums(at, weights).imag
        return np.clip(found - self.wrong, 0, 1), np.clip(found + self.wrong, 0, 1)

    def _density(self, x: Floats) -> tuple[Floats, Floats]:
        found, wrong = 1 + 2 * self._sums(self._places(x), self.psi).real, self.wrong_density
        lower, upper = np.clip(found - wrong, 0, self.most), np.clip(found + wrong, 0, self.most * (1 + 1e-12))
        return lower * float(self.per_unit) * (1 - 8 * UNIT), upper * float(self.per_unit) * (1 + 8 * UNIT)

    def _places(self, x: Floats) -> Floats:
        """Where the numbers are in the support, from -1/2 to 1/2, rounded once."""
        return np.array([float((Fraction(value) - self.middle) * self.per_unit) for value in x.tolist()], np.float64)

    def _sums(self, at: Floats, weights: Complex) -> Complex:
        """Sum over k of weight_k exp(-2 pi i k at)."""
        found = np.zeros(len(at), np.complex128)
        step = max(1, BLOCK // max(len(at), 1))
        for start in range(0, self.terms, step):
            k = np.arange(start + 1, min(start + step, self.terms) + 1)
            turns = np.multiply.outer(at, k)
            angle = -2 * np.pi * (turns - np.rint(turns))
            part = weights[start : start + step]
            found += (np.cos(angle) @ part) + 1j * (np.sin(angle) @ part)
        return found

    # --- how many terms, and what the others add up to

    def _cut(self) -> tuple[int, float, float]:
        """The number of terms and bounds of the sums of all others, for the distribution function and for the density."""
        ends = 2.0 ** (np.arange(GRID + 1) / STEPS)
        log_size = self._log_sizes(ends)
        whole = np.floor(ends)
        counts = np.diff(whole)  # terms in each step, of which none is larger than at its beginning
        sizes = np.exp(np.minimum(log_size, 0.0))
        log_last, exponent = self._last(float(ends[-1]))
        beyond = math.exp(log_last) / exponent if exponent else math.inf
        beyond_density = ends[-1] * math.exp(log_last) / (exponent - 1) if exponent > 1 else math.inf
        of_step, of_density = counts * sizes[:-1] / ends[:-1] / np.pi, 2 * counts * sizes[:-1]
        rest = (np.append(np.cumsum(of_step[::-1])[::-1], 0) + beyond) * 1.001
        rest_of_density = (np.append(np.cumsum(of_density[::-1])[::-1], 0) + 2 * beyond_density) * 1.001
        enough = int(np.argmax(rest <= SMALL)) if (rest <= SMALL).any() else GRID
        possible = max(int(np.searchsorted([self._work(end) for end in ends[: enough + 1]], WORK, side="right")) - 1, 0)
        place = min(enough, possible)
        return int(whole[place]), float(rest[place]), float(rest_of_density[place])

    def _log_sizes(self, ends: Floats) -> Floats:
        """Logarithms of bounds of |psi_k| for all k from each end of a step on."""
        found = np.zeros(len(ends))
        alike = Counter[tuple[int, int]]()
        for knots, number in self.total.keys.items():
            if _by_doubling(knots):
                alike[_order(knots), math.floor(STEPS * math.log2(math.pi * self.shares[knots])) - 1] += number
            else:
                found += number * _halved(_log_size(knots, math.pi * self.shares[knots] * ends))
        steps = np.arange(len(ends))
        for (order, place), number in alike.items():
            found += number * size_bound(order, place + steps)
        return found

    def _last(self, end: float) -> tuple[float, int]:
        """For all k beyond the end, |psi_k| is at most exp(first) (end / k)^second."""
        log, exponent = 0.0, 0
        for knots, number in self.total.keys.items():
            y = math.pi * end * self.shares[knots]
            bound = math.log(_order(knots) / y) if _by_doubling(knots) else float(_log_size(knots, np.array([y]))[0])
            if bound < 0:
                log += number * bound
                exponent += number
        return log, exponent

    def _work(self, end: float) -> float:
        """Multiplications for so many terms."""
        found = 0.0
        for (weight, places, share), number in self._sizes.items():
            y = math.pi * end * share
            if places:
                step, beyond = nodes(weight)
                found += number * end * 24 * places * (y / weight + beyond) / step
            else:
                found += number * end * (20 + max(0.0, math.log2(max(y, 1.0))) * weight**3 / 3)
        return found

    @cached_property
    def _sizes(self) -> Counter[tuple[float, int, float]]:
        """Numbers of different keys by weight, places and width, the first and the last to a power of 2; 0 places where knots are few."""

        def power_of_2(x: float) -> float:
            return 2.0 ** math.ceil(math.log2(x))

        found = Counter[tuple[float, int, float]]()
        for knots, share in self.shares.items():
            few = _by_doubling(knots)
            weight = float(size(knots))
            found[weight if few else power_of_2(weight), 0 if few else len(knots), power_of_2(share)] += 1
        return found

    # --- characteristic function

    def _coefficients(self) -> tuple[Complex, Floats]:
        """psi_k of all terms, and bounds of their errors."""
        psi, error = np.ones(self.terms, np.complex128), np.zeros(self.terms)
        for block in self._blocks():
            numbers = np.array([self.total.keys[knots] for knots in block], np.int64)
            shares = np.array([self.shares[knots] for knots in block])
            start = 0
            while start < self.terms:
                end = min(max(2 * start, 64), start + max(BLOCK // len(block), 1), self.terms)
                y = np.pi * np.multiply.outer(shares, np.arange(start + 1, end + 1))
                if _by_doubling(block[0]):
                    values, errors = characteristic(np.array([_places(knots, repeated=True) for knots in block]), y)
                else:
                    value, of_value = conditioned(_places(block[0]), _weights(block[0]), y[0])
                    values, errors = value[None], of_value[None]
                found = product(*power(values, errors, numbers))
                psi[start:end], error[start:end] = times(psi[start:end], error[start:end], *found)
                start = end
        return psi, error

    def _blocks(self) -> Iterator[list[Knots]]:
        """Keys that have equally many knots and similar widths, or one key of many."""
        block: list[Knots] = []
        for knots in sorted(self.total.keys, key=lambda knots: (size(knots), self.shares[knots])):
            if block and not (
                _by_doubling(knots)
                and _by_doubling(block[0])
                and size(knots) == size(block[0])
                and self.shares[knots] <= 2 * self.shares[block[0]]
                and len(block) < TOGETHER
            ):
                yield block
                block = []
            block.append(knots)
        yield block


def _by_doubling(knots: Knots) -> bool:
    return is_spline(knots) and size(knots) <= KNOTS


def _order(knots: Knots) -> int:
    return int(size(knots)) - 1


def _places(knots: Knots, *, repeated: bool = False) -> Floats:
    """Knots about their middle, from -1 to 1, rounded once."""
    (low, _), (high, _) = knots[0], knots[-1]
    return np.array([float((2 * place - low - high) / (high - low)) for place, k in knots for _ in range(int(k) if repeated else 1)])


def _weights(knots: Knots) -> Floats:
    return np.array([float(weight) for _, weight in knots])


def _log_size(knots: Knots, y: Floats) -> Floats:
    """The logarithm of a bound of the characteristic function of a key of many knots, at all arguments from y on."""
    found = np.repeat(conditioned_bound(_places(knots), _weights(knots), y[::COARSE]), COARSE)[: len(y)]  # y increases
    if is_spline(knots) and size(knots) <= ORDERS:
        found = np.minimum(found, size_bound(_order(knots), np.floor(STEPS * np.log2(y)).astype(np.int64) - 1))
    return found


def _halved(log_size: Floats) -> Floats:
    """Better bounds at small arguments from those at twice the argument, STEPS places on: 1 - |psi(2 y)|^2 <= 4 (1 - |psi(y)|^2)."""
    found = log_size.copy()
    for start in range(len(found) - 2 * STEPS, -1, -STEPS):
        here, twice = slice(start, start + STEPS), slice(start + STEPS, start + 2 * STEPS)
        found[here] = np.minimum(found[here], 0.5 * np.log1p(np.expm1(2 * found[twice]) / 4) + 1e-13)
    return np.minimum(found, 0.0)
