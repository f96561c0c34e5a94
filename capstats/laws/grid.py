"""A law between two bounds on a grid: of average CAP with what each key adds rounded down to the grid."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from capstats.laws.law import Law
from capstats.laws.mixing import ROUNDING
from capstats.tables.table import Floats
from capstats.tables.ties import TIE


class Grid(Law):
    """Law of which a smaller one is known on a grid: average CAP is at least a value of it, and less than ``roundings`` units above.

    ``rounded`` holds the probabilities of 0, 1, 2, ... units, ``unit`` a unit of average CAP. ``roundings`` is the number of keys that are
    rounded, 0 where the grid holds all values of average CAP. ``error`` bounds the error of each sum of the first probabilities.
    """

    def __init__(self, rounded: Floats, unit: Fraction, roundings: int, error: float, least: float, greatest: float, about: str):
        super().__init__(least, greatest, about=about)
        self._through = np.concatenate([[0.0], np.cumsum(rounded)])
        self._per_unit, self._roundings, self._error = float(1 / unit), roundings, error

    @classmethod
    def of(
        cls,
        values: Floats,
        certain: float,
        errors: tuple[float, float],
        unit: Fraction,
        roundings: int,
        ends: tuple[float, float],
        about: str,
    ) -> Grid:
        """From numbers that are probabilities times ``certain``.

        ``errors`` bounds the Euclidean norm of their errors, and the relative error of what they and ``certain`` were computed from.
        """
        error = math.sqrt(len(values)) * errors[0] / certain + 4 * errors[1] + 4 * len(values) * ROUNDING
        return cls(values / certain, unit, roundings, error, *ends, about)

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        last = np.floor(x * (1 + TIE / 2) * self._per_unit)  # the last unit that is at most x, ties included
        upper = self._up_to(np.floor(x * (1 + 2 * TIE) * self._per_unit)) + self._error
        lower = self._up_to(last - self._roundings) - self._error
        whole = x * (1 + 2 * TIE) >= self.greatest
        none = x * (1 + 2 * TIE) < self.least
        return np.where(whole, 1.0, np.clip(lower, 0, 1)), np.where(none, 0.0, np.clip(upper, 0, 1))

    def _up_to(self, units: Floats) -> Floats:
        """Probability of at most so many units."""
        return np.asarray(self._through[np.clip(units + 1, 0, len(self._through) - 1).astype(np.intp)])


def units_of(greatest: int, length: int, totals: Iterable[int]) -> tuple[int, int]:
    """How fine a grid of fewer than ``length`` values from 0 to an integer may be: units of p / q as (q, p), one of them 1.

    A key of r records adds multiples of 1 / r. So q is a multiple of the totals, the least first, as far as possible.
    """
    if greatest >= length:
        return 1, math.ceil(greatest / (length - 1))
    finest, common = (length - 1) // max(greatest, 1), 1
    for total in sorted(set(totals)):
        if math.lcm(common, total) > finest:
            return finest // common * common, 1
        common = math.lcm(common, total)
    return common, 1
