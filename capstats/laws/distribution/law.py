"""The law of average CAP over random releases: its distribution function, density and quantiles, each with a lower and an upper bound.

*What is promised.* Every probability is a pair that holds the exact number. Where the law is known in integers (`exact`, `closed_form`),
the pair is that number rounded down and up, and values of average CAP, as quantiles are, are rounded to floats. Where it is simulated, the
pair is a confidence interval, which holds the exact number with a probability of at least the level. The level is that of each point
alone, not of all points together.

*The obvious ways* for simulated laws are the share of draws plus or minus two standard errors, and the sample quantile without an
interval. The first gives 0 +- 0 where no draw is that small, which is a wrong certainty about rare events; and its coverage is below its
level where the probability is near 0 or 1. Here the number of draws up to a value is binomial, and the interval of Clopper and Pearson
holds its probability with at least the level (`clopper_pearson`). The tests compute it from binomial tails.

*Quantiles* follow from the distribution function alone (`_quantile`), so that a subclass needs no code for them: the lower bound is where
the upper bound of F is still below p, the upper bound is where the lower bound of F has reached p, both found by bisection, from what
`_least_at_most` gives on. Of a simulated law these are two order statistics.

*Rounding.* Two values that are equal as fractions may differ in their last digits as floats, so that "at most x" has a tolerance
(`at_most`). The law of the greatest or the least of several releases is F^R or 1 - (1 - F)^R: its bounds are moved outwards by the
rounding of that power (`Extreme`).

*Cost.* A simulation has 20,000 draws, or fewer where releases are large: BUDGET limits the cells of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from capstats.cap.uncertainty import check_level
from capstats.codes.checks import check_integer
from capstats.tables.printing import Result
from capstats.tables.table import Array, Floats
from capstats.tables.ties import TIE

NARROW = 1e-9  # bounds that differ by less are printed as one number, even if their rounded digits differ
STEPS = 200  # of a bisection, which ends earlier when there is no float between its ends
UNIT = 2.0**-53  # relative error of one rounding

MOST_DRAWS, LEAST_DRAWS = 20_000, 200
BUDGET = 20_000_000  # cells of all simulated releases

Draws = Callable[[int, np.random.Generator], Floats]  # a number of independent values of a law
OF_SCIPY = {  # methods of distributions in scipy, and what there is here
    "ppf": "`quantile`",
    "median": "`quantile(0.5)`",
    "interval": "`quantile([0.025, 0.975])`",
    "pdf": "`density`",
    "pmf": "`atoms()`",
    "sf": "1 minus `cdf`, whose least and greatest change places",
    "mean": "`expected_cap(o, model)`, which is exact",
    "var": "`variance_cap(o, model)`, which is exact",
    "std": "the root of `variance_cap(o, model)`, which is exact",
    "rvs": "`sample_tables(o, model, draws=...)`, and `average_cap` of these",
}


class Law:
    """Law of average CAP over random releases, as `cap_law` gives it.

    Every number comes with ``least`` and ``greatest``. Where the law is exact, they hold an exact probability, rounded down and up, or an
    exact value of average CAP as a float. Where it is simulated, they hold the exact number at the level of the law, at each point that is
    asked for.

    Parameters
    ----------
    least, greatest : float
        Ends of the support, from 0 to 1; of a simulated law, what no release can leave.
    about : str
        The model and how the law is computed, for printing.
    cost : int
        Cells that one simulated value of the law takes.

    Notes
    -----
    See theory/limit-law.md#limit-law, theory/law.md#simulated-law and theory/law.md#several-releases. A subclass gives ``_below(x)``, lower
    and upper bounds of P(average CAP <= x) of each number of an array; a value of the law that ties with x (`at_most`) counts as at most x;
    and ``_draws(number, rng)``, independent values of the law. It may give ``_density(x)``, ``atoms()`` and ``_least_at_most``.

    Examples
    --------
    >>> from capstats.laws import Uniform, cap_law
    >>> law = cap_law([[3], [1]], Uniform())  # one key: average CAP is uniform from 1/4 to 3/4
    >>> law.cdf([0.25, 0.625, 0.75]).least.values.tolist()
    [0.0, 0.75, 1.0]
    """

    def __init__(self, least: float | Fraction, greatest: float | Fraction, *, about: str, cost: int = 1):
        self.least, self.greatest, self.about, self.cost = float(least), float(greatest), about, cost
        self._least_at_most = self.least  # an upper bound of the least value of the support

    # --- what a subclass gives

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        """Lower and upper bounds of P(average CAP <= x); x has one dim and is in the support, below its end, or ties with its beginning."""
        raise NotImplementedError

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Independent values of the law."""
        raise NotImplementedError

    def _density(self, x: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002
        """Lower and upper bounds of the density, from the right where it jumps; x as in `_below`."""
        raise ValueError("This law has no density, because it has atoms. Use `cdf` or `atoms()`.")

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
        raise ValueError("The atoms of this law are not listed: it has none, or too many. Use `cdf`.")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            use = f" Use {OF_SCIPY[name]}." if name in OF_SCIPY else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}.{use}", name=name, obj=self)

    # --- public methods

    def cdf(self, values: ArrayLike) -> xr.Dataset:
        """Distribution function: the probability that average CAP of a random release is at most a value.

        Parameters
        ----------
        values : float or array-like, dims (value,)
            Values of average CAP.

        Returns
        -------
        Dataset, dims (value,), none for one number
            ``least`` and ``greatest``, from 0 to 1; the probability is between them, at the level of a simulated law. Values of the law
            that tie with the one asked (`at_most`) count as at most it. NaN where the value is NaN.

        Raises
        ------
        ValueError, TypeError
            If the values are not numbers with at most one dim.

        Examples
        --------
        >>> from capstats.laws import Uniform, cap_law
        >>> float(cap_law([[3], [1]], Uniform()).cdf(0.5).least)
        0.5
        """
        x = _numbers(values, "values")
        return self._answer(self._within(x, self._below, 1.0), "value", x, "Distribution function")

    def density(self, values: ArrayLike) -> xr.Dataset:
        """Density of average CAP of a random release, per unit of CAP.

        Parameters
        ----------
        values : float or array-like, dims (value,)
            Values of average CAP.

        Returns
        -------
        Dataset, dims (value,), none for one number
            ``least`` and ``greatest``, at least 0; the density is between them. Where it jumps, it is the limit from the right. NaN where
            the value is NaN.

        Raises
        ------
        ValueError, TypeError
            If the law has atoms or is simulated, or the values are not numbers with at most one dim.

        Examples
        --------
        >>> from capstats.laws import Uniform, cap_law
        >>> cap_law([[3], [1]], Uniform()).density([0.2, 0.25, 0.5, 0.75]).least.values.tolist()
        [0.0, 2.0, 2.0, 0.0]
        """
        x = _numbers(values, "values")
        self._density(np.zeros(0))
        return self._answer(self._within(x, self._density, 0.0), "value", x, "Density")

    def quantile(self, probabilities: ArrayLike) -> xr.Dataset:
        """Quantiles of average CAP: the least value that it does not exceed with at least a given probability.

        Parameters
        ----------
        probabilities : float or array-like, dims (probability,)
            From 0 to 1. The quantile of 0 is the least value of the support.

        Returns
        -------
        Dataset, dims (probability,), none for one number
            Lower and upper bound of the quantile inf{x : F(x) >= probability}, ``least`` and ``greatest``, both within the ends of the law.
            Of a simulated law they are two order statistics of its values, and hold at its level.

        Raises
        ------
        ValueError, TypeError
            If a probability is not from 0 to 1, or they have more than one dim.

        Examples
        --------
        >>> from capstats.laws import Uniform, cap_law
        >>> found = cap_law([[3], [1]], Uniform()).quantile(0.5)
        >>> bool(found.least <= 0.5 <= found.greatest), bool(found.greatest - found.least < 1e-11)
        (True, True)
        """
        p = _numbers(probabilities, "probabilities")
        wrong = np.flatnonzero(~((p >= 0) & (p <= 1)))
        if len(wrong):
            raise ValueError(f"`probabilities` must be from 0 to 1; got {np.atleast_1d(p)[wrong[0]]} at place {wrong[0]}.")
        return self._answer(self._quantile(np.atleast_1d(p)), "probability", p, "Quantiles")

    def __repr__(self) -> str:
        found = self.quantile([0.05, 0.5, 0.95])
        low, median, high = (_shown(*ends) for ends in zip(found.least.values, found.greatest.values, strict=True))
        return (
            f"Law of average CAP ({self.about})\n"
            f"from {self.least:.4g} to {self.greatest:.4g}; median {median}, 5 % and 95 % quantiles {low} and {high}"
        )

    # --- several releases

    def best_of(self, releases: int) -> Law:
        """Law of the greatest of several releases: the intruder who knows which of them has the greatest average CAP.

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
        See theory/law.md#several-releases.

        Examples
        --------
        >>> from capstats.laws import Uniform, cap_law
        >>> law = cap_law([[3], [1]], Uniform(1))  # 1/4 or 3/4
        >>> float(law.cdf(0.25).least), float(law.best_of(3).cdf(0.25).least)
        (0.5, 0.125)
        """
        return self._extreme(check_releases(releases), least=False)

    def least_of(self, releases: int) -> Law:
        """Law of the least of several releases: the custodian who draws several and publishes the one with the least average CAP.

        Parameters
        ----------
        releases : int
            Number of independent releases of the same original, at least 1.

        Returns
        -------
        Law
            With the distribution function 1 - (1 - F) to the power of the number of releases.

        Raises
        ------
        ValueError
            If the number of releases is not a positive integer.

        Notes
        -----
        See theory/law.md#several-releases.

        Examples
        --------
        >>> from capstats.laws import Uniform, cap_law
        >>> law = cap_law([[3], [1]], Uniform(1))  # 1/4 or 3/4
        >>> float(law.cdf(0.25).least), float(law.least_of(3).cdf(0.25).least)
        (0.5, 0.875)
        """
        return self._extreme(check_releases(releases), least=True)

    def mean_of(self, releases: int, *, rng: Any = None, level: float = 0.95) -> Law:
        """Law of the mean over several releases: the intruder who takes any of them, on average.

        Parameters
        ----------
        releases : int
            Number of independent releases of the same original, at least 1.
        rng : None, int, or numpy Generator
            Passed to ``numpy.random.default_rng`` where the law is simulated.
        level : float
            Coverage of ``least`` and ``greatest`` at each point where the law is simulated.

        Returns
        -------
        Law
            Exact where the values of this law and of the mean are few, or the terms of a limit; otherwise simulated.

        Raises
        ------
        ValueError
            If the number of releases is not a positive integer or is too large for a simulation, or the level is not between 0 and 1.

        Notes
        -----
        See theory/law.md#several-releases.

        Examples
        --------
        >>> from capstats.laws import Uniform, cap_law
        >>> cap_law([[3], [1]], Uniform(1)).mean_of(2).atoms().probability.values.tolist()  # 1/4, 1/2 or 3/4
        [0.25, 0.5, 0.25]
        """
        power = check_releases(releases)

        def draws(number: int, rng: np.random.Generator) -> Floats:
            return np.asarray(self._draws(number * power, rng).reshape(number, power).mean(1))

        about = f"mean of {power} releases ({self.about})"
        return Simulated(draws, (self.least, self.greatest), about=about, cost=self.cost * power, rng=rng, level=level)

    def _extreme(self, releases: int, *, least: bool) -> Law:
        return Extreme(self, releases, least=least)

    # --- shared by both

    def _answer(self, ends: tuple[Floats, Floats], dim: str, at: Floats, what: str) -> xr.Dataset:
        """Lower and upper bounds as a Dataset, with the values or probabilities that were asked for."""
        dims = (dim,) if at.ndim else ()
        arrays = {name: (dims, values.reshape(at.shape)) for name, values in zip(("least", "greatest"), ends, strict=True)}
        return Result(arrays, coords={dim: (dims, at)}, attrs={"result": f"{what} of average CAP", "law": self.about})

    def _within(self, x: Floats, bounds: Any, beyond: float) -> tuple[Floats, Floats]:
        """Bounds inside the support, 0 below it, and ``beyond`` from its end on."""
        flat = np.atleast_1d(x)
        lower = np.where(flat >= self.greatest, beyond, np.where(np.isnan(flat), np.nan, 0.0))
        upper = lower.copy()
        inside = (flat >= self.least - 2 * TIE * abs(self.least)) & (flat < self.greatest)
        lower[inside], upper[inside] = bounds(flat[inside])
        return lower, upper

    def _quantile(self, p: Floats) -> tuple[Floats, Floats]:
        """Bounds of the quantiles by bisection: at the lower one F is surely below p, at the upper one it surely is not."""

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
        at_once = self._within(np.full(p.shape, self.least), self._below, 1.0)[0] >= p  # the least value may hold p
        upper = np.where(p == 0, self._least_at_most, np.where(at_once, self.least, upper))
        return lower, np.minimum(upper + 2 * TIE * np.abs(upper), self.greatest)  # a value that ties with the bound may be the quantile


class Extreme(Law):
    """The law of the greatest, or of the least, of several independent values of one law."""

    def __init__(self, one: Law, releases: int, *, least: bool):
        self.one, self.releases, self.of_least = one, releases, least
        about = f"{'least' if least else 'greatest'} of {releases} releases ({one.about})"
        super().__init__(one.least, one.greatest, about=about, cost=one.cost * releases)
        self._least_at_most = one._least_at_most

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        """F^R, or 1 - (1 - F)^R, with bounds moved outwards by the rounding of the power."""
        ends = self.one._below(x)
        lower, upper = (side**self.releases for side in ((1 - ends[1], 1 - ends[0]) if self.of_least else ends))
        slack = 2 * self.releases * UNIT
        lower, upper = np.where(lower < 1, lower * (1 - slack), lower), np.minimum(upper * (1 + slack), 1.0)
        if not self.of_least:
            return lower, upper
        return np.where(upper < 1, 1 - upper - slack, 0.0).clip(0), np.where(lower > 0, 1 - lower + slack, 1.0).clip(max=1)

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        drawn = self.one._draws(number * self.releases, rng).reshape(number, self.releases)
        return np.asarray(drawn.min(1) if self.of_least else drawn.max(1))


class Simulated(Law):
    """A law that is known by independent values; its bounds are Clopper-Pearson intervals at each point.

    The bounds of a quantile follow from those of the distribution function; they are order statistics: theory/law.md#simulated-law.
    """

    def __init__(self, draws: Draws, ends: Sequence[float | Fraction], *, about: str, cost: int, rng: Any = None, level: float = 0.95):
        check_level(level)
        check_cells(cost)
        number = min(MOST_DRAWS, BUDGET // cost)
        super().__init__(*ends, about=f"{about}; {number:,} simulated releases, {100 * level:g} % interval", cost=cost)
        self._again, self.level = draws, level
        self.values = np.sort(draws(number, np.random.default_rng(rng)))
        self._least_at_most = float(self.values[0])

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        return self._again(number, rng)

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        held = np.searchsorted(self.values, x / (1 - TIE), side="right")  # v <= x, or v - x <= TIE v
        return clopper_pearson(held, len(self.values), self.level)

    def _density(self, x: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002
        raise ValueError("A simulated law has no density, only sampled values. Use `cdf` or `quantile`.")


def check_cells(cost: int) -> None:
    """Raise where one value of a law takes too many cells of simulated releases."""
    if BUDGET // cost < LEAST_DRAWS:
        raise ValueError(
            f"The law cannot be simulated: each of its values takes {cost:,} cells of simulated releases, and the "
            f"limit is {BUDGET // LEAST_DRAWS:,}. `expected_cap` and `variance_cap` have its moments, "
            f"`sample_tables` draws releases."
        )


def clopper_pearson(events: Array | int, draws: int, level: float) -> tuple[Floats, Floats]:
    """Confidence intervals for the probability of an event that occurred ``events`` times in ``draws``; the coverage is at least the level.

    Clopper and Pearson (1934), https://doi.org/10.1093/biomet/26.4.404.
    """
    from scipy.special import betaincinv

    events, rest = np.asarray(events), (1 - level) / 2
    lower = np.where(events > 0, betaincinv(np.maximum(events, 1), draws - events + 1, rest), 0.0)
    upper = np.where(events < draws, betaincinv(events + 1, np.maximum(draws - events, 1), 1 - rest), 1.0)
    return lower, upper


def check_releases(releases: Any) -> int:
    """A number of releases as an int of at least 1."""
    return check_integer(releases, "releases", "a number of releases, an integer from 1", least=1)


def _numbers(values: Any, name: str) -> Floats:
    """Numbers of at most one dim, as floats."""
    found = np.asarray(values)
    if found.dtype.kind not in "iuf" or found.ndim > 1:
        wrong = TypeError if found.dtype.kind not in "iuf" else ValueError
        raise wrong(f"`{name}` must be a number or one row of numbers; got {found.dtype} with {found.ndim} dims.")
    return found.astype(np.float64)


def _shown(lower: float, upper: float) -> str:
    """A number, if its bounds agree in the digits shown, or the interval."""
    ends = f"{lower:.4g}", f"{upper:.4g}"
    return f"{(lower + upper) / 2:.4g}" if ends[0] == ends[1] or upper - lower < NARROW else f"[{ends[0]}, {ends[1]}]"
