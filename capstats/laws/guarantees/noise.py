"""Counts with discrete Laplace noise, a release that is differentially private, and its expected average CAP between proved bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.codes.checks import check_choice, is_number, shown
from capstats.laws.guarantees.one_record import Adjacency
from capstats.laws.models.sampling import check_draws, one_table
from capstats.tables.aligned import Aligned
from capstats.tables.dense import Dense
from capstats.tables.printing import Result
from capstats.tables.sums import check_integers
from capstats.tables.table import Array, Floats, Table

SENSITIVITY: dict[str, int] = {"substitution": 2, "add-remove": 1}
SMALLEST, LARGEST = Fraction(1, 10**6), 10**6  # of epsilon
LOST = 36.0  # noise of a size of probability below exp(-36) is left out, and bounded
BLOCK = 1 << 20  # numbers held at a time
MOST_RECORDS = 1 << 22  # of records of a key with the noise that may come to them
DECIMALS = 10**15  # of which parts epsilon is read; integers of the sampler stay below 2**63


def noisy_counts(
    o: Any, *, epsilon: float, adjacency: Adjacency, domain: Literal["public"], draws: int = 1, rng: Any = None
) -> xr.DataArray:
    """Counts with discrete Laplace noise in every cell, negative ones set to 0: an epsilon-differentially private table.

    Whatever an intruder knows, one person's record changes the probability of no release by more than a factor exp(epsilon).

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records on a domain that was fixed without looking at the records: all levels of all columns that the
        questionnaire allows, zeros included.
    epsilon : float
        Privacy loss of each table, from 10^-6 to 10^6. It is read as the decimal number that Python prints, to 15 decimals: 0.1 is 1/10.
    adjacency : {"substitution", "add-remove"}
        What one person may change: the cell of one record, n being known, so that two counts change by 1; or the presence of one record,
        so that one count does. The scale of the noise is 2 / epsilon or 1 / epsilon.
    domain : {"public"}
        The declaration that rows and columns of `o` are public. There is no default: a table on the keys that occur in the records says
        who is there, and noise does not take that back.
    draws : int
        Number of independent tables, at least 1. If all are released, their privacy losses add up to draws * epsilon.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng``. Who knows the seed can subtract the noise: for a table that is to be released give None.

    Returns
    -------
    DataArray of int, dims (draw, target, key)
        max(o_ij + noise, 0). The attrs hold the mechanism, epsilon and the scale, and nothing of the counts.

    Raises
    ------
    ValueError, TypeError
        If `domain` is not "public", epsilon, adjacency or draws are not as above, or `o` is not one table of integer counts.

    See Also
    --------
    capstats.full_domain : adds every combination of levels. The levels themselves must be public.

    Notes
    -----
    See theory/guarantees.md#noisy-counts: noise z has probability (1 - a) / (1 + a) a^|z| with a = exp(-epsilon / sensitivity). It is
    drawn with integers, by the sampler of Canonne, Kamath and Steinke, so that no rounding of floats weakens the guarantee.

    References
    ----------
    Ghosh, Roughgarden and Sundararajan (2012), https://doi.org/10.1137/09076828X (the geometric mechanism).
    Canonne, Kamath and Steinke (2020), https://arxiv.org/abs/2004.00010, algorithm 2.

    Examples
    --------
    >>> s = noisy_counts([[20, 5], [30, 45]], epsilon=1, adjacency="substitution", domain="public", rng=1)
    >>> s.dims, s.attrs["scale"]
    (('draw', 'target', 'key'), 2.0)
    """
    if not isinstance(domain, str) or domain != "public":
        raise ValueError(
            f'`domain` must be "public", which declares that rows and columns of `o` were fixed without the records; got {shown(domain)}. '
            "Keys that are there because they occur tell who is there, whatever the noise. Put the counts on all levels first."
        )
    rate, draws, generator = rate_of(epsilon, adjacency), check_draws(draws), np.random.default_rng(rng)
    aligned = one_table(Aligned({"o": o}))
    counts = aligned.as_array("o")
    check_integers(Dense(counts), "o", ": noise is a number of records", "Give unweighted counts of records.")
    noise = discrete_laplace(rate, (draws, *counts.shape), generator)
    found = aligned.wrap(np.maximum(counts + noise, 0), "s", ("target", "key"), before=("draw",))
    return found.assign_attrs(mechanism="discrete Laplace", epsilon=float(epsilon), adjacency=adjacency, scale=float(1 / rate))


def rate_of(epsilon: Any, adjacency: Any) -> Fraction:
    """Epsilon over the sensitivity: one over the scale of the noise."""
    check_choice(adjacency, "adjacency", SENSITIVITY)
    return _fraction(epsilon) / SENSITIVITY[adjacency]


def discrete_laplace(rate: Fraction, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.int64]:
    """Independent integers z with probabilities proportional to exp(-rate |z|), drawn with integers alone."""
    found = np.zeros(int(np.prod(shape)), np.int64)
    waiting = np.arange(len(found))
    while len(waiting):
        size = geometric(rate, len(waiting), rng)
        negative = rng.integers(0, 2, len(waiting)) == 1
        found[waiting] = np.where(negative, -size, size)
        waiting = waiting[negative & (size == 0)]  # 0 has one sign
    return found.reshape(shape)


def geometric(rate: Fraction, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Independent integers y from 0 with probabilities proportional to exp(-rate y).

    y is (u + t v) // s with probabilities of u + t v proportional to exp(-(u + t v) / t): a uniform u below t is kept with probability
    exp(-u / t), and v counts events of probability exp(-1) up to the first that fails.
    """
    s, t = rate.numerator, rate.denominator
    below = np.zeros(number, np.int64)  # u of exp(-u / t), u from 0 to t - 1
    waiting = np.arange(number)
    while len(waiting):
        below[waiting] = rng.integers(0, t, len(waiting))
        waiting = waiting[~_happens(below[waiting], t, rng)]
    times = np.zeros(number, np.int64)  # v of exp(-v)
    going = np.arange(number)
    while len(going):
        going = going[_happens(np.ones(len(going), np.int64), 1, rng)]
        times[going] += 1
    exact = np.int64 if times.max(initial=0) < 2**11 else object
    return np.asarray((below.astype(exact) + t * times.astype(exact)) // s, np.int64)


def _happens(u: NDArray[np.int64], t: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Events of probability exp(-u / t), u from 0 to t.

    k counts trials, of probability u / (t k), up to the first that fails; the event is that k is odd:
    sum_k (-u / t)^k / k! is its probability.
    """
    k = np.ones(len(u), np.int64)
    going = np.arange(len(u))
    while len(going):
        succeeds = (rng.integers(0, t, len(going)) < u[going]) & (rng.integers(0, k[going]) == 0)
        going = going[succeeds]
        k[going] += 1
    return np.asarray(k % 2 == 1)


def _fraction(epsilon: Any) -> Fraction:
    """Epsilon as the decimal number that Python prints, cut off after 15 decimals: a smaller loss is promised too."""
    number = is_number(epsilon) and math.isfinite(epsilon)
    exact = Fraction(epsilon) if isinstance(epsilon, (int, Fraction)) else Fraction(repr(float(epsilon))) if number else Fraction(0)
    if not number or not SMALLEST <= exact <= LARGEST:
        raise ValueError(f"`epsilon` must be a privacy loss from 10^-6 to 10^6; got {shown(epsilon)}.")
    return Fraction(math.floor(exact * DECIMALS), DECIMALS)


# --- expected average CAP ---------------------------------------------------------------------------------------------


def expected_noisy_cap(o: Any, *, epsilon: float, adjacency: Adjacency) -> xr.Dataset:
    """Mean of average CAP over all releases of `noisy_counts`, version 1, between two bounds that hold it.

    What an epsilon is worth in average CAP on this table: for the choice of epsilon before anything is released.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records, with a row for every target of the public domain. Keys without records do not matter.
    epsilon, adjacency
        As in `noisy_counts`.

    Returns
    -------
    Dataset
        ``lower`` and ``upper``, from 0 to 1: the mean is between them. They differ by about 1e-12 where keys have few records, and by more
        with more.

    Raises
    ------
    ValueError, TypeError
        If epsilon or adjacency are not as in `noisy_counts`, or `o` is not one table of integer counts, has no record, or has a key that is
        too large for so small an epsilon.

    See Also
    --------
    noisy_counts, expected_cap

    Notes
    -----
    See theory/guarantees.md#noisy-cap: the cells of a key are independent, so that the mean is the integral from 0 to 1 of a polynomial,
    for which the rule of Clenshaw and Curtis is exact. The time grows with the records of the largest key and with 1 / epsilon.

    References
    ----------
    Clenshaw and Curtis (1960), https://doi.org/10.1007/BF01386223 (the quadrature).

    Examples
    --------
    >>> found = expected_noisy_cap([[2, 0], [0, 2]], epsilon=1, adjacency="substitution")
    >>> round(float(found.lower), 6), bool(found.upper - found.lower < 1e-12)
    (0.640026, True)
    """
    rate = float(rate_of(epsilon, adjacency))
    aligned = one_table(Aligned({"o": o}))
    if not aligned.totals("o") > 0:
        raise ValueError("`o` holds no record, so that no release has an average CAP. Give a table with records.")

    def formula(o: Table) -> Floats:
        check_integers(o, "o", ": noise is a number of records", "Give unweighted counts of records.")
        targets, reach = o.target_total().shape[-1], math.ceil(LOST / rate)
        lower = lost = error = 0.0
        for columns, number in _kinds(o):
            degree = int(columns.sum(-1).max()) + targets * reach
            if degree > MOST_RECORDS:
                wide = f"a key may reach {degree:,} records, more than {MOST_RECORDS:,}"
                raise ValueError(f"The noise is too wide for an exact mean: {wide}.")
            right = _right(columns, rate, reach, degree) * number
            lower += float(right.sum())
            lost += float((columns.max(-1) * number).sum()) * targets * 2 * math.exp(-rate * (reach + 1)) / (1 + math.exp(-rate))
            error += float(right.sum()) * 4 * degree * np.finfo(np.float64).eps
        return np.array([lower - error, lower + error + lost]) / o.total()

    ends = aligned.map(formula, "ends", ("part",))
    title = "Expected average CAP of noisy counts"
    return Result({"lower": ends.isel(part=0), "upper": ends.isel(part=1)}, attrs={"result": title})


def _kinds(o: Table) -> Iterator[tuple[Array, Array]]:
    """The different keys, shape (kinds, target), and how many there are of each; those of about one size together."""
    keys = o.key_total()
    held = np.flatnonzero(keys)
    rows = np.arange(o.target_total().shape[-1])
    whole = np.stack([o.like(o.values * (o.on_targets(rows == i) + np.zeros_like(o.values))).key_total()[held] for i in rows], axis=-1)
    kinds, number = np.unique(np.sort(whole, axis=-1), axis=0, return_counts=True)
    size = np.ceil(np.log2(kinds.sum(-1)))
    for one in np.unique(size):
        yield kinds[size == one], number[size == one]


def _right(columns: Array, rate: float, reach: int, degree: int) -> Floats:
    """Records of each kind of key that a release attributes rightly on average: sum_i o_i E[s_i / s; s > 0].

    E[s_i / s; s > 0] is the integral of G_i'(x) times the G_l(x) of all other targets, where G(x) = E[x^s] for one count s.
    """
    counts, place = np.unique(columns, return_inverse=True)
    place = place.reshape(columns.shape)
    nodes, weights = clenshaw_curtis(degree)
    found = np.zeros(len(columns))
    step = max(1, BLOCK // (len(counts) + len(columns)))
    for start in range(0, len(nodes), step):
        x, rest, w = (values[start : start + step] for values in (nodes, nodes[::-1], weights))
        value, slope = (np.stack(rows) for rows in zip(*(_generating(int(count), rate, reach, x, rest) for count in counts), strict=True))
        product, weighted = np.ones((len(columns), len(x))), np.zeros((len(columns), len(x)))
        for target in range(columns.shape[-1]):  # the product rule, target after target
            at = place[:, target]
            weighted = weighted * value[at] + product * slope[at] * columns[:, target, None]
            product = product * value[at]
        found += weighted @ w
    return found


def _generating(count: int, rate: float, reach: int, x: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """E[x^s] and its derivative for a clipped count s, from the noise up to the given size; ``rest`` is 1 - x.

    Counts of at most the original one by Horner's rule, larger ones as a geometric sum.
    """
    a, least = math.exp(-rate), max(count - reach, 0)
    share = -math.expm1(-rate) / (1 + a)
    p = share * np.exp(-rate * np.arange(count - least, -1, -1.0))
    if least == 0:
        p[0] = a**count / (1 + a)
    value, slope = np.zeros_like(x), np.zeros_like(x)
    for probability in p[::-1]:
        slope = slope * x + value
        value = value * x + probability
    value, slope = value * x**least, slope * x**least + (least * value * x ** (least - 1) if least else 0.0)
    u, gap = a * x, rest - x * math.expm1(-rate)  # the sum of u^k for k < reach is (1 - u^reach) / gap
    whole = (1 - u**reach) / gap
    bend = (whole - reach * u ** (reach - 1)) / gap  # its derivative in u
    above = share * a * x**count
    return value + above * x * whole, slope + above * ((count + 1) * whole + u * bend)


def clenshaw_curtis(degree: int) -> tuple[Floats, Floats]:
    """Nodes in the unit interval and positive weights with which integrals of polynomials up to this degree are exact."""
    n = degree + degree % 2 + 2
    j = np.arange(n + 1, dtype=np.float64)
    moments = np.where(j % 2 == 0, 2 / (1 - j**2 + (j == 1)), 0.0)  # integrals of the Chebyshev polynomials from -1 to 1
    weights = np.fft.irfft(moments)[: n + 1]
    weights[[0, -1]] /= 2
    return np.cos(np.pi * j / (2 * n)) ** 2, weights
