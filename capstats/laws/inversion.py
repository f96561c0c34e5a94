"""The law of a sum of independent B-splines from its Fourier series, with bounds of all that is cut off and rounded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from capstats.laws.characteristic import STEPS, UNIT, Complex, characteristic, power, product, size_bound, times
from capstats.laws.law import Law
from capstats.laws.simplex import Knots, SimplexSum, size
from capstats.tables.table import Floats

SMALL = 1e-9  # what the terms that are left out may add up to
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
        self.most = min((size(knots) - 1) / self.shares[knots] for knots in total.keys)  # no density of a factor is greater
        self.terms, self.rest, self.rest_of_density = self._cut()
        self.psi, self.error = self._coefficients()
        k = np.arange(1, self.terms + 1)
        sizes = np.abs(self.psi) + self.error
        rounding = 2 * (self.terms + 20) * UNIT
        self.wrong = float((self.error / k).sum() / np.pi + (8 * UNIT + rounding / k) @ sizes + 4 * UNIT) * 1.001 + self.rest
        by_density = 2 * (self.error.sum() + ((14 * (k + 2) + 3) * UNIT + rounding) @ sizes) + 8 * UNIT
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
        log_size = self._log_sizes()
        whole = np.floor(ends)
        counts = np.diff(whole)  # terms in each step, of which none is larger than at its beginning
        sizes = np.exp(np.minimum(log_size, 0.0))
        log_last, exponent = self._last(float(ends[-1]))
        beyond = math.exp(log_last) / exponent
        beyond_density = ends[-1] * math.exp(log_last) / (exponent - 1) if exponent > 1 else math.inf
        of_step, of_density = counts * sizes[:-1] / ends[:-1] / np.pi, 2 * counts * sizes[:-1]
        rest = (np.append(np.cumsum(of_step[::-1])[::-1], 0) + beyond) * 1.001
        rest_of_density = (np.append(np.cumsum(of_density[::-1])[::-1], 0) + 2 * beyond_density) * 1.001
        enough = int(np.argmax(rest <= SMALL)) if (rest <= SMALL).any() else GRID
        possible = max(int(np.searchsorted([self._work(end) for end in ends[: enough + 1]], WORK, side="right")) - 1, 0)
        place = min(enough, possible)
        return int(whole[place]), float(rest[place]), float(rest_of_density[place])

    def _log_sizes(self) -> Floats:
        """Logarithms of bounds of |psi_k| for all k from each end of a step on."""
        found = np.zeros(GRID + 1)
        places = Counter[tuple[int, int]]()
        for knots, number in self.total.keys.items():
            places[size(knots) - 1, math.floor(STEPS * math.log2(math.pi * self.shares[knots])) - 1] += number
        steps = np.arange(GRID + 1)
        for (order, place), number in places.items():
            found += number * size_bound(order, place + steps)
        return found

    def _last(self, end: float) -> tuple[float, int]:
        """For all k beyond the end, |psi_k| is at most exp(first) (end / k)^second."""
        log, exponent = 0.0, 0
        for knots, number in self.total.keys.items():
            bound = (size(knots) - 1) / (math.pi * end * self.shares[knots])
            if bound < 1:
                log += number * math.log(bound)
                exponent += number
        return log, max(exponent, 1)

    def _work(self, end: float) -> float:
        """Multiplications for so many terms."""
        found = 0.0
        for (count, share), number in self._sizes.items():
            doublings = max(0.0, math.log2(max(math.pi * end * share, 1.0)))
            found += number * end * (20 + doublings * count**3 / 3)
        return found

    @cached_property
    def _sizes(self) -> Counter[tuple[int, float]]:
        """Numbers of different keys by knots and, to a power of 2, width."""
        return Counter((size(knots), 2.0 ** math.ceil(math.log2(share))) for knots, share in self.shares.items())

    # --- characteristic function

    def _coefficients(self) -> tuple[Complex, Floats]:
        """psi_k of all terms, and bounds of their errors."""
        psi, error = np.ones(self.terms, np.complex128), np.zeros(self.terms)
        for knots, shares, numbers in self._blocks():
            start = 0
            while start < self.terms:
                end = min(max(2 * start, 64), start + max(BLOCK // len(knots), 1), self.terms)
                y = np.pi * np.multiply.outer(shares, np.arange(start + 1, end + 1))
                found = product(*power(*characteristic(knots, y), numbers))
                psi[start:end], error[start:end] = times(psi[start:end], error[start:end], *found)
                start = end
        return psi, error

    def _blocks(self) -> Iterator[tuple[Floats, Floats, NDArray[np.int64]]]:
        """Knots about their middle from -1 to 1, widths and numbers of keys that have equally many knots and similar widths."""
        ordered = sorted(self.total.keys, key=lambda knots: (size(knots), self.shares[knots]))
        block: list[Knots] = []
        for knots in ordered:
            if block and (size(knots) != size(block[0]) or self.shares[knots] > 2 * self.shares[block[0]] or len(block) == 512):
                yield self._block(block)
                block = []
            block.append(knots)
        yield self._block(block)

    def _block(self, block: list[Knots]) -> tuple[Floats, Floats, NDArray[np.int64]]:
        places = [
            [float((2 * place - knots[0][0] - knots[-1][0]) / (knots[-1][0] - knots[0][0])) for place, times in knots for _ in range(times)]
            for knots in block
        ]
        return np.array(places), np.array([self.shares[x] for x in block]), np.array([self.total.keys[x] for x in block], np.int64)
