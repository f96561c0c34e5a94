"""A law with finitely many values, each with its exact probability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate

import numpy as np
import xarray as xr

from capstats.laws.few import Steps, TooManyError, repeated
from capstats.laws.law import Law
from capstats.laws.several import check_releases
from capstats.tables.printing import Result
from capstats.tables.table import Floats
from capstats.tables.ties import TIE

LISTED = 200_000  # values of a law that is held by them


class Atoms(Law):
    """Law of finitely many values; all sums of probabilities are exact, and only the answers are rounded, outwards.

    ``weights`` holds the weight of each value of average CAP: a value is an integer over ``whole``, its probability its weight over the
    sum of all weights.
    """

    def __init__(self, weights: Mapping[int, int], whole: int, *, about: str = ""):
        self.weights, self.whole = {value: weights[value] for value in sorted(weights) if weights[value]}, whole
        self._values = np.array([value / whole for value in self.weights])
        super().__init__(self._values[0], self._values[-1], about=about)
        through = [0, *accumulate(self.weights.values())]
        self._through = tuple(np.array(side) for side in zip(*(enclosed(part, through[-1]) for part in through), strict=True))

    @property
    def probabilities(self) -> dict[Fraction, Fraction]:
        """The exact probability of each value."""
        total = sum(self.weights.values())
        return {Fraction(value, self.whole): Fraction(weight, total) for value, weight in self.weights.items()}

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        held = np.searchsorted(self._values, x / (1 - TIE), side="right")  # v <= x, or v - x <= TIE v
        lower, upper = self._through
        return lower[held], upper[held]

    def best_of(self, releases: int) -> Law:  # noqa: D102 -- said at `Repeated`
        power = check_releases(releases)
        through = [0, *accumulate(self.weights.values())]
        weights = {value: b**power - a**power for value, a, b in zip(self.weights, through, through[1:], strict=False)}
        return self._again(weights, self.whole, f"greatest of {power} releases")

    def mean_of(self, releases: int) -> Law:  # noqa: D102 -- said at `Repeated`
        power, steps = check_releases(releases), Steps()
        try:
            return self._again(repeated(self.weights, power, steps), self.whole * power, f"mean of {power} releases")
        except TooManyError:
            return super().mean_of(power)  # type: ignore[no-any-return]

    def _again(self, weights: Mapping[int, int], whole: int, about: str) -> Atoms:
        law = Atoms(weights, whole, about=f"{about}{f' ({self.about})' if self.about else ''}")
        law.quantity = self.quantity
        return law

    def atoms(self) -> xr.Dataset:
        """The values of average CAP, and the probability of each, rounded to a float."""
        total = sum(self.weights.values())
        found = {"probability": ("value", np.array([weight / total for weight in self.weights.values()]))}
        told = {"result": f"Values of {self.quantity}", **({"law": self.about} if self.about else {})}
        return Result(found, coords={"value": self._values}, attrs=told)


def enclosed(part: int, whole: int) -> tuple[float, float]:
    """The greatest float that is at most a quotient of integers, and the least that is at least it."""
    near = part / whole  # correctly rounded
    numerator, denominator = near.as_integer_ratio()
    if numerator * whole == part * denominator:
        return near, near
    if numerator * whole < part * denominator:
        return near, math.nextafter(near, math.inf)
    return math.nextafter(near, -math.inf), near
