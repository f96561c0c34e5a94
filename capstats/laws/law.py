"""The law of average CAP over random releases: its distribution function, density and quantiles, each between two proved bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.laws.several import Bounds, Repeated
from capstats.tables.printing import Result
from capstats.tables.table import Floats
from capstats.tables.ties import TIE

NARROW = 1e-9  # ends that differ by less are one number in print, also where a digit that is shown turns between them
STEPS = 200  # of a bisection, which ends earlier where no float is left between its ends


class Law(Repeated):
    """Law of average CAP over random releases, as `cap_law` gives it.

    Every number stands between ``lower`` and ``upper``, which hold the exact one: they cover all that was cut off and rounded.

    Parameters
    ----------
    least, greatest : float
        Ends of the support, from 0 to 1.
    about : str
        The model and how the law is computed, for printing.

    Notes
    -----
    See theory/limit-law.md. A subclass gives ``_below(x)``, lower and upper bounds of P(average CAP <= x) of each number of an array; a
    value of the law that ties with x (`at_most`) counts as at most x. It may give ``_density(x)`` and ``atoms()``.

    Examples
    --------
    >>> from capstats.laws import cap_law
    >>> law = cap_law([[3], [1]])  # one key: average CAP is uniform from 1/4 to 3/4
    >>> law.cdf([0.25, 0.625, 0.75]).lower.values.tolist()
    [0.0, 0.75, 1.0]
    """

    quantity = "average CAP"  # what the law is of, for printing

    def __init__(self, least: float, greatest: float, *, about: str = ""):
        self.least, self.greatest, self.about = float(least), float(greatest), about

    # --- what a subclass gives

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        """Lower and upper bounds of P(average CAP <= x); x has one dim and is in the support, below its end, or ties with its beginning."""
        raise NotImplementedError

    def _density(self, x: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002
        """Lower and upper bounds of the density, from the right where it jumps; x as in `_below`."""
        raise ValueError("This law has no density: it has atoms. Ask for `cdf` or `atoms()`.")

    def atoms(self) -> xr.Dataset:
        """Values that average CAP has with a positive probability.

        Returns
        -------
        Dataset, dims (value,)
            ``probability`` of each value, in the coordinate ``value``.

        Raises
        ------
        ValueError
            If the law has no atoms, or they are too many to be listed.
        """
        raise ValueError("The atoms of this law are not listed: it has none, or too many. Ask for `cdf`.")

    # --- what a user asks

    def cdf(self, values: Any) -> xr.Dataset:
        """Distribution function: the probability that average CAP of a random release is at most a value.

        Parameters
        ----------
        values : float or array-like, dims (value,)
            Values of average CAP.

        Returns
        -------
        Dataset, dims (value,), none for one number
            ``lower`` and ``upper``, from 0 to 1; the probability is between them. Values of the law that tie with the one asked
            (`at_most`) count as at most it. NaN where the value is NaN.

        Raises
        ------
        ValueError, TypeError
            If the values are not numbers with at most one dim.

        Examples
        --------
        >>> from capstats.laws import cap_law
        >>> float(cap_law([[3], [1]]).cdf(0.5).lower)
        0.5
        """
        x = _numbers(values, "values")
        lower, upper = self._within(x, self._below, 1.0)
        return _result({"lower": lower, "upper": upper}, "value", x, f"Distribution function of {self.quantity}", self.about)

    def density(self, values: Any) -> xr.Dataset:
        """Density of average CAP of a random release, per unit of CAP.

        Parameters
        ----------
        values : float or array-like, dims (value,)
            Values of average CAP.

        Returns
        -------
        Dataset, dims (value,), none for one number
            ``lower`` and ``upper``, at least 0; the density is between them. Where it jumps, it is the limit from the right. NaN where
            the value is NaN.

        Raises
        ------
        ValueError, TypeError
            If the law has atoms, or the values are not numbers with at most one dim.

        Examples
        --------
        >>> from capstats.laws import cap_law
        >>> cap_law([[3], [1]]).density([0.2, 0.25, 0.5, 0.75]).lower.values.tolist()
        [0.0, 2.0, 2.0, 0.0]
        """
        x = _numbers(values, "values")
        self._density(np.zeros(0))
        lower, upper = self._within(x, self._density, 0.0)
        return _result({"lower": lower, "upper": upper}, "value", x, f"Density of {self.quantity}", self.about)

    def quantile(self, probabilities: Any) -> xr.Dataset:
        """Quantiles of average CAP: the least value that it does not exceed with at least a given probability.

        Parameters
        ----------
        probabilities : float or array-like, dims (probability,)
            From 0 to 1. The quantile of 0 is the least value of the support.

        Returns
        -------
        Dataset, dims (probability,), none for one number
            ``lower`` and ``upper``, from `least` to `greatest`; the quantile inf{x : F(x) >= probability} is between them.

        Raises
        ------
        ValueError, TypeError
            If a probability is not from 0 to 1, or they have more than one dim.

        Examples
        --------
        >>> from capstats.laws import cap_law
        >>> found = cap_law([[3], [1]]).quantile(0.5)
        >>> bool(found.lower <= 0.5 <= found.upper), bool(found.upper - found.lower < 1e-11)
        (True, True)
        """
        p = _numbers(probabilities, "probabilities")
        wrong = np.flatnonzero(~((p >= 0) & (p <= 1)))
        if len(wrong):
            raise ValueError(f"`probabilities` must be from 0 to 1; got {np.atleast_1d(p)[wrong[0]]} at place {wrong[0]}.")
        lower, upper = self._quantile(np.atleast_1d(p))
        return _result({"lower": lower, "upper": upper}, "probability", p, f"Quantiles of {self.quantity}", self.about)

    def __repr__(self) -> str:
        found = self.quantile([0.05, 0.5, 0.95])
        low, median, high = (_shown(*ends) for ends in zip(found.lower.values, found.upper.values, strict=True))
        about = f" ({self.about})" if self.about else ""
        return (
            f"Law of {self.quantity}{about}\n"
            f"from {self.least:.4g} to {self.greatest:.4g}; median {median}, 5 % and 95 % quantiles {low} and {high}"
        )

    def _made(self, below: Bounds, about: str) -> Law:
        """A law with the same support, by which several releases are judged."""
        law = Made(below, self.least, self.greatest, f"{about}{f' ({self.about})' if self.about else ''}")
        law.quantity = self.quantity
        return law

    # --- between the two

    def _within(self, x: Floats, bounds: Any, beyond: float) -> tuple[Floats, Floats]:
        """Bounds inside the support, 0 in front of it, and a given number from its end on."""
        flat = np.atleast_1d(x)
        lower = np.where(flat >= self.greatest, beyond, np.where(np.isnan(flat), np.nan, 0.0))
        upper = lower.copy()
        inside = (flat >= self.least - 2 * TIE * abs(self.least)) & (flat < self.greatest)
        lower[inside], upper[inside] = bounds(flat[inside])
        return lower, upper

    def _quantile(self, p: Floats) -> tuple[Floats, Floats]:
        """Bounds of the quantiles by bisection: below the one, F is surely less than p; at the other, surely not."""

        def bisect(too_small: Any) -> tuple[Floats, Floats]:
            left, right = np.full(p.shape, self.least), np.full(p.shape, self.greatest)
            for _ in range(STEPS):
                middle = left + (right - left) / 2
                if ((middle <= left) | (middle >= right)).all():
                    break
                small = too_small(*self._within(middle, self._below, 1.0))
                left, right = np.where(small, middle, left), np.where(small, right, middle)
            return left, right

        lower = bisect(lambda _, upper: upper < p)[0]  # F(lower) < p, or it is the least value
        upper = bisect(lambda lower, _: lower < p)[1]  # F(upper) >= p, or it is the greatest value
        at_least = np.where(p > 0, self.least, -np.inf)
        upper = np.where(self._within(at_least, self._below, 1.0)[0] >= p, self.least, upper)  # the first value may hold p at once
        return lower, np.minimum(upper + 2 * TIE * np.abs(upper), self.greatest)  # ties count as at most: what ties may be the quantile


class Made(Law):
    """A law whose bounds are given by a function."""

    def __init__(self, below: Bounds, least: float, greatest: float, about: str):
        super().__init__(least, greatest, about=about)
        self._bounds = below

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        return self._bounds(x)


def _numbers(values: Any, name: str) -> Floats:
    """Numbers of at most one dim, as floats."""
    found = np.asarray(values)
    if found.dtype.kind not in "iuf" or found.ndim > 1:
        raise (TypeError if found.dtype.kind not in "iuf" else ValueError)(
            f"`{name}` must be a number or one row of numbers; got {found.dtype} with {found.ndim} dims."
        )
    return found.astype(np.float64)


def _shown(lower: float, upper: float) -> str:
    """A number that is known to more digits than are shown, or the interval that holds it."""
    ends = f"{lower:.4g}", f"{upper:.4g}"
    return f"{(lower + upper) / 2:.4g}" if ends[0] == ends[1] or upper - lower < NARROW else f"[{ends[0]}, {ends[1]}]"


def _result(found: dict[str, Floats], dim: str, at: Floats, title: str, about: str) -> xr.Dataset:
    """The bounds with what they were asked at."""
    dims = (dim,) if at.ndim else ()
    arrays = {name: (dims, values.reshape(at.shape)) for name, values in found.items()}
    return Result(arrays, coords={dim: (dims, at)}, attrs={"result": title, **({"law": about} if about else {})})
