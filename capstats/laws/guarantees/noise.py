"""Counts with discrete Laplace noise, a release that is differentially private."""

from __future__ import annotations

import math
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
from capstats.tables.sums import check_integers

SENSITIVITY: dict[str, int] = {"substitution": 2, "add-remove": 1}
SMALLEST, LARGEST = Fraction(1, 10**6), 10**6  # of epsilon
DECIMALS = 10**15  # the denominator of epsilon; integers of the sampler stay below 2**63


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
    drawn with integers, by the sampler of Canonne, Kamath and Steinke, so that no rounding of floats weakens the guarantee. The mean
    of average CAP has an integral: theory/guarantees.md#noisy-cap.

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
            "Keys that are listed because they occur disclose who is in the data, whatever the noise. Put the counts on all levels first."
        )
    check_choice(adjacency, "adjacency", SENSITIVITY)
    rate = _fraction(epsilon) / SENSITIVITY[adjacency]  # one over the scale of the noise
    draws, generator = check_draws(draws), np.random.default_rng(rng)
    aligned = one_table(Aligned({"o": o}))
    counts = aligned.as_array("o")
    check_integers(Dense(counts), "o", ": noise is a number of records", "Give unweighted counts of records.")
    noise = discrete_laplace(rate, (draws, *counts.shape), generator)
    found = aligned.wrap(np.maximum(counts + noise, 0), "s", ("target", "key"), before=("draw",))
    return found.assign_attrs(mechanism="discrete Laplace", epsilon=float(epsilon), adjacency=adjacency, scale=float(1 / rate))


def discrete_laplace(rate: Fraction, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.int64]:
    """Independent integers z with probabilities proportional to exp(-rate |z|), drawn by integer arithmetic only."""
    found = np.zeros(int(np.prod(shape)), np.int64)
    waiting = np.arange(len(found))
    while len(waiting):
        size = geometric(rate, len(waiting), rng)
        negative = rng.integers(0, 2, len(waiting)) == 1
        found[waiting] = np.where(negative, -size, size)
        waiting = waiting[negative & (size == 0)]  # 0 is accepted with one sign only
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

    Trials k = 1, 2, ... succeed with probability u / (t k). The event is that the first failure is at an odd k, which has the
    probability sum_k (-u / t)^k / k!.
    """
    k = np.ones(len(u), np.int64)
    going = np.arange(len(u))
    while len(going):
        succeeds = (rng.integers(0, t, len(going)) < u[going]) & (rng.integers(0, k[going]) == 0)
        going = going[succeeds]
        k[going] += 1
    return np.asarray(k % 2 == 1)


def _fraction(epsilon: Any) -> Fraction:
    """Epsilon as the decimal number that Python prints, truncated after 15 decimals, so that the loss is not larger."""
    number = is_number(epsilon) and math.isfinite(epsilon)
    exact = Fraction(epsilon) if isinstance(epsilon, (int, Fraction)) else Fraction(repr(float(epsilon))) if number else Fraction(0)
    if not number or not SMALLEST <= exact <= LARGEST:
        raise ValueError(f"`epsilon` must be a privacy loss from 10^-6 to 10^6; got {shown(epsilon)}.")
    return Fraction(math.floor(exact * DECIMALS), DECIMALS)
