"""Several independent releases of one original: the law of the mean of their risks, and of the greatest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from capstats.laws.mixing import ROUNDING, mixed
from capstats.tables.checking import is_integer, shown
from capstats.tables.table import Floats
from capstats.tables.ties import TIE

FINE = 1 << 15  # steps from the least to the greatest value
ALL = 1 << 20  # values of a sum

Bounds = Callable[[Floats], tuple[Floats, Floats]]  # of a distribution function


class Repeated:
    """What a law says of several releases that are drawn from it independently."""

    least: float
    greatest: float

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        raise NotImplementedError

    def _within(self, x: Floats, bounds: Any, beyond: float) -> tuple[Floats, Floats]:
        raise NotImplementedError

    def _made(self, below: Bounds, about: str) -> Any:
        raise NotImplementedError

    def best_of(self, releases: int) -> Any:
        """Law of the greatest of several releases: the attacker who knows which of them has the greatest average CAP.

        Parameters
        ----------
        releases : int
            Number of independent releases of the same original, at least 1.

        Returns
        -------
        Law
            Its distribution function is F to the power of the number of releases.

        Raises
        ------
        ValueError
            If the number of releases is not a positive integer.

        Notes
        -----
        See theory/several-releases.md.

        Examples
        --------
        >>> from capstats.laws import cap_law
        >>> law = cap_law([[3], [1]], 1)  # 1/4 or 3/4
        >>> float(law.cdf(0.25).lower), float(law.best_of(3).cdf(0.25).lower)
        (0.5, 0.125)
        """
        power = check_releases(releases)

        def below(x: Floats) -> tuple[Floats, Floats]:
            lower, upper = (side**power for side in self._below(x))
            slack = 2 * power * ROUNDING
            return np.where(lower < 1, lower * (1 - slack), lower), np.minimum(upper * (1 + slack), 1.0)

        return self._made(below, f"greatest of {power} releases")

    def mean_of(self, releases: int) -> Any:
        """Law of the mean over several releases: the attacker who takes any of them, on average.

        Parameters
        ----------
        releases : int
            Number of independent releases of the same original, at least 1.

        Returns
        -------
        Law
            Exact where the values of this law and of the mean are few, otherwise between bounds.

        Raises
        ------
        ValueError
            If the number of releases is not a positive integer, or is too large for the bounds.

        Notes
        -----
        See theory/several-releases.md.

        Examples
        --------
        >>> from capstats.laws import cap_law
        >>> cap_law([[3], [1]], 1).mean_of(2).atoms().probability.values.tolist()  # 1/4, 1/2 or 3/4
        [0.25, 0.5, 0.25]
        """
        power = check_releases(releases)
        steps = min(FINE, ALL // (2 * power))
        if steps < 16:
            raise ValueError(f"`releases` must be at most {ALL // 32:,} for the law of a mean; got {power:,}. `expected_cap` is its mean.")
        span = self.greatest - self.least
        grid = self.least + span * np.arange(steps + 1) / steps
        lower, upper = self._within(grid, self._below, 1.0)
        lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
        above, beneath = np.append(lower[:-1], 1.0), np.append(upper[1:], 1.0)  # of the next value of the grid, and of the one before
        length = 1 << (power * steps).bit_length()
        through, errors = [], []
        for law in (above, beneath):
            values, error = mixed([(np.diff(law, prepend=0.0)[None], power)], length)
            through.append(np.concatenate([[0.0], np.cumsum(values)]))
            errors.append(math.sqrt(length) * error + 4 * length * ROUNDING)

        def below(x: Floats) -> tuple[Floats, Floats]:
            if not span:
                return (np.where(x * (1 + TIE) >= self.least, 1.0, 0.0),) * 2
            found = []
            for held, error, tie in zip(through, (-errors[0], errors[1]), (TIE / 2, 2 * TIE), strict=True):
                last = np.floor((x * (1 + tie) - self.least) * (power * steps / span))
                found.append(np.clip(held[np.clip(last + 1, 0, len(held) - 1).astype(np.intp)] + error, 0, 1))
            whole, none = x * (1 + 2 * TIE) >= self.greatest, x * (1 + 2 * TIE) < self.least
            return np.where(whole, 1.0, found[0]), np.where(none, 0.0, found[1])

        return self._made(below, f"mean of {power} releases")


def check_releases(releases: Any) -> int:
    """A number of releases as an int of at least 1."""
    if not is_integer(releases) or releases < 1:
        raise ValueError(f"`releases` must be a number of releases, an integer from 1; got {shown(releases)}.")
    return int(releases)
