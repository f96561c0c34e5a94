"""The four models that place records in cells, as one: an urn whose balls are put back, in some models with one more of their kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from capstats.laws.models import Synthesis
from capstats.tables.table import Array, Floats

Weights = NDArray[np.object_]  # Python integers, of any size


@dataclass(frozen=True)
class IntegerUrn:
    """Cells with integer weights a_ij; a draw of a cell adds ``grows`` to its weight.

    With ``grows`` 0 the counts of the draws are multinomial with probabilities a_ij / a_.., otherwise Dirichlet-multinomial with
    parameters a_ij / grows.
    """

    weights: Weights
    grows: int

    @classmethod
    def of(cls, o: Array, synthesis: Synthesis) -> IntegerUrn:
        """The urn of "uniform", "bootstrap", "independent" and "dirichlet"; for "partial" each key has its own draws from its cells."""
        counts = o.astype(object)
        if synthesis.model == "uniform":
            return cls(0 * counts + 1, 1)
        if synthesis.model == "bootstrap":
            return cls(counts, 0)
        if synthesis.model == "independent":
            return cls(counts.sum(1)[:, None] * counts.sum(0), 0)
        added, unit = Fraction(synthesis.alpha or 0.0).as_integer_ratio()
        return cls(counts * unit + added, unit)

    def ways(self, most: int) -> Callable[[tuple[int, ...], int], int]:
        """The weight of a column of at most so many records in key j: its orders of drawing, times what they weigh."""
        rising = [
            [_products([a + k * self.grows for k in range(most)]) for a in column] for column in self.weights.T
        ]  # a (a + grows) (a + 2 grows) ...

        def weight(column: tuple[int, ...], key: int) -> int:
            found, left = 1, sum(column)
            for target, count in enumerate(column):
                found *= math.comb(left, count) * rising[key][target][count]
                left -= count
            return found

        return weight


def _products(factors: list[int]) -> list[int]:
    found = [1]
    for factor in factors:
        found.append(found[-1] * factor)
    return found


def of_total(weight: int, grows: int, all_weights: int, m: int) -> Floats:
    """Law of the records of some cells before their sum with the others is known: negative binomial, or Poisson; 0 to m records.

    Given that all cells together have m records, records of cells with these laws are draws from the urn. The mean of all is m. The law is
    computed from its mode by quotients of neighbours and divided by its sum; probabilities below 1e-300 may be 0.
    """
    r = np.arange(m, dtype=np.float64)
    if not weight:
        return np.concatenate([[1.0], np.zeros(m)])
    if grows:
        shape, kept = weight / grows, m / (m + all_weights / grows)
        step = kept * (shape + r) / (r + 1)
    else:
        step = m * (weight / all_weights) / (r + 1)
    return from_steps(step)


def from_steps(step: Floats) -> Floats:
    """A law from the quotients of neighbours, which fall, or rise towards a limit below 1."""
    mode = int(np.argmax(step <= 1)) if (step <= 1).any() else len(step)
    after, before = np.cumprod(step[mode:]), np.cumprod(1 / step[:mode][::-1])[::-1]
    found = np.concatenate([before, [1.0], after])
    return np.asarray(found / found.sum())
