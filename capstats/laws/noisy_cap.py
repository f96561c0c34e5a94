"""Expected average CAP of counts with discrete Laplace noise, clipped at 0, between proved bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from capstats.laws.noise import Adjacency, rate_of
from capstats.laws.synthesis import one_table
from capstats.tables.printing import Result
from capstats.tables.sums import check_integers
from capstats.tables.table import Array, Floats, Table

LOST = 36.0  # noise of a size of probability below exp(-36) is left out, and bounded
BLOCK = 1 << 20  # numbers held at a time
LARGEST = 1 << 22  # of records of a key with the noise that may come to them


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
    See theory/noisy-cap.md: the cells of a key are independent, so that the mean is the integral from 0 to 1 of a polynomial, for which
    the rule of Clenshaw and Curtis is exact. The time grows with the records of the largest key and with 1 / epsilon.

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
    aligned = one_table({"o": o})
    if not aligned.totals("o") > 0:
        raise ValueError("`o` holds no record, so that no release has an average CAP. Give a table with records.")

    def formula(o: Table) -> Floats:
        check_integers(o, "o", ": noise is a number of records", "Give unweighted counts of records.")
        targets, reach = o.target_total().shape[-1], math.ceil(LOST / rate)
        lower = lost = error = 0.0
        for columns, number in _kinds(o):
            degree = int(columns.sum(-1).max()) + targets * reach
            if degree > LARGEST:
                raise ValueError(f"The noise is too wide for an exact mean: a key may reach {degree:,} records, more than {LARGEST:,}.")
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
