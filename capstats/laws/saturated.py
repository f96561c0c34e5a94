"""Expected average CAP of saturated synthesis as a function of alpha, with bounds on intervals of alpha."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from capstats.laws.models.urns import Urn
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats

ROUNDING = 1e-12  # relative error of a computed bound, and more


@dataclass(frozen=True)
class Saturated:
    """The mean of version 1 under `Dirichlet` on one table, its keys grouped by their number of records.

    Alpha is ``scale`` u / (1 - u) with u from 0 to 1, where 1 stands for the limit of large alpha.
    """

    m: int
    targets: int
    keys: int
    records: Floats  # of a key, one for each group
    number: Floats  # of keys in the group
    squares: Floats  # sum over the keys of the group of sum_i o_ij^2

    @classmethod
    def of(cls, m: int, targets: int, key_totals: Array, key_squares: Array) -> Saturated:
        """From o_.j and sum_i o_ij^2 of each key."""
        sizes, group = np.unique(key_totals, return_inverse=True)
        number, squares = np.bincount(group).astype(np.float64), np.bincount(group, key_squares)
        held = sizes > 0
        return cls(m, targets, len(key_totals), sizes[held].astype(np.float64), number[held], squares[held].astype(np.float64))

    @property
    def total(self) -> float:
        """The number of records, n."""
        return float((self.records * self.number).sum())

    @property
    def scale(self) -> float:
        """Records of a cell on average."""
        return self.total / (self.targets * self.keys)

    def alpha(self, u: Floats) -> Floats:
        """The alpha that belongs to u."""
        return ratio(self.scale * np.asarray(u), 1 - np.asarray(u), np.inf)

    def expected(self, u: Floats) -> Floats:
        """The mean at each u."""
        rising, falling = self._log_missed(self.alpha(u))
        return np.asarray((-np.expm1(rising + falling) * self._right(self.alpha(u))).sum(-1) / self.total)

    def bounds(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Below and above all means on the intervals from ``lower`` to ``upper``."""
        (rising_a, falling_a), (rising_b, falling_b) = (self._log_missed(self.alpha(u)) for u in (lower, upper))
        right_a, right_b = (self._right(self.alpha(u)) for u in (lower, upper))
        below = (-np.expm1(rising_b + falling_a) * right_b).sum(-1) / self.total
        above = (-np.expm1(rising_a + falling_b) * right_a).sum(-1) / self.total
        return below * (1 - ROUNDING), above * (1 + ROUNDING)

    def _right(self, alpha: Floats) -> Floats:
        """Records of each group for which an attribution is right on average, given that their keys are matched; falls in alpha."""
        alpha = alpha[..., None]
        limit = self.number * self.records / self.targets
        finite = np.where(np.isfinite(alpha), alpha, 0.0)
        found = (self.squares + self.number * self.records * finite) / (self.records + self.targets * finite)
        return np.where(np.isfinite(alpha), found, limit)

    def _log_missed(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Logarithm of the probability that a key of each group is missed, as a part that rises in alpha and one that falls.

        The draw after t others misses the key with probability 1 - (o_.j + I alpha) / (n + t + I J alpha), which rises for t < J o_.j - n.
        """
        turn = np.clip(np.ceil(self.keys * self.records - self.total), 0, self.m)
        alpha = alpha[..., None]
        finite = np.where(np.isfinite(alpha), alpha, 0.0)
        part = self.records + self.targets * finite
        rest = self.total - self.records + self.targets * (self.keys - 1) * finite

        def of_draws(first: Floats, last: Floats) -> Floats:
            """Of draws ``first`` to ``last`` - 1, given that those before miss the key too."""
            with np.errstate(divide="ignore", invalid="ignore"):
                limit = np.where(last > first, (last - first) * np.log1p(-1 / self.keys), 0.0)
            found = Urn(self.m, True).log_missed(part, rest + first, last - first)
            return np.where(last > first, np.where(np.isfinite(alpha), found, limit), 0.0)

        return of_draws(np.zeros_like(turn), turn), of_draws(turn, np.full_like(turn, self.m))
