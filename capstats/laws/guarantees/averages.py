"""What differential privacy promises about average CAP: of the people in the data, given that of the people outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import xarray as xr

from capstats.codes.checks import check_choice
from capstats.laws.guarantees.one_record import Adjacency, epsilons, numbers
from capstats.tables.printing import Result
from capstats.tables.table import Floats

ROUNDING = 1e-9  # tolerance for the values of a trade-off function


def dp_average_bound(
    q: Any, epsilon: Any = None, *, delta: Any = 0, tradeoff: Callable[[Floats], Any] | None = None, adjacency: Adjacency
) -> xr.Dataset:
    """Greatest expected average CAP of the people in the data, given that of people outside, which any private release allows.

    Epsilon does not keep average CAP small: what a release says of a population is true of its people outside as well. It keeps the
    average of the people inside near that of the others.

    Parameters
    ----------
    q : float or array-like
        Expected average CAP of the people outside, such as a holdout, from 0 to 1; a sequence gives the dim "q".
    epsilon : float or array-like, optional
        Privacy parameter, at least 0; inf is no privacy. A sequence gives the dim "epsilon".
    delta : float or array-like
        The second parameter of (epsilon, delta)-privacy, from 0 to 1; a sequence gives the dim "delta".
    tradeoff : callable, optional
        In place of `epsilon` and `delta`, the trade-off function T of f-differential privacy: for an array of false positive rates the
        least rates of false negatives of a test of two neighbours. It must be convex, from 0 to 1 - x, and must not rise. Of one that is
        not its own inverse give the greater of the two: as it is, the bound holds, but a smaller one does too.
    adjacency : {"substitution", "add-remove"}
        What the claim is about: one record replaced by another one, or one record added or removed. If each person was in by the toss of a
        coin, one record is added or removed, once: use "substitution" for a claim about that.

    Returns
    -------
    Dataset, dims (..., q, epsilon, delta)
        ``bound``, from `q` to 1; and ``outside``, which is `q`.

    Raises
    ------
    ValueError, TypeError
        If `q`, `epsilon` or `delta` is out of range or no number, not exactly one of `epsilon` and `tradeoff` is given, `tradeoff` is no
        trade-off function where it is evaluated, or `adjacency` is another word.

    See Also
    --------
    dp_bound : of one record, all others known.
    dp_audit : refutes a claimed epsilon by what it allows here.
    capstats.individual_share : both averages of a release.

    Notes
    -----
    See theory/guarantees.md#dp-average-bound. The people are split at random into n inside and h outside, at least one each, and the noise
    does not depend on the split; the average is of CAP with unmatched records "zero" or "nearest", not "drop", or of any other score of a
    record and the release from 0 to 1. The bound is f(q) = min(1, e^eps q + delta, 1 - e^-eps (1 - delta - q)), or 1 - T(q); where records
    are added or removed, f(f(q)). No program that releases the number of records that it reads is private for added or removed records.

    References
    ----------
    Yeom, Giacomelli, Fredrikson and Jha (2018), https://doi.org/10.1109/CSF.2018.00027, and Humphries et al. (2023),
    https://doi.org/10.1109/CSF57540.2023.00013 (what epsilon says of the difference).
    Dong, Roth and Su (2022), https://doi.org/10.1111/rssb.12454 (trade-off functions, also of two steps).
    Kifer et al. (2022), https://doi.org/10.48550/arXiv.2209.03310 (how to read the parameters of privacy).

    Examples
    --------
    A tenth of the guesses about people outside are right; with epsilon ln 2 at most a fifth of those about people inside can be, or two
    fifths if epsilon is about adding or removing a record:

    >>> import numpy as np
    >>> claims = [dp_average_bound(0.1, np.log(2), adjacency=about) for about in ("substitution", "add-remove")]
    >>> [round(found.bound.item(), 6) for found in claims]
    [0.2, 0.4]
    """
    check_choice(adjacency, "adjacency", get_args(Adjacency), ", as the claim says")
    if (epsilon is None) == (tradeoff is None):
        raise ValueError("Give either `epsilon`, with or without `delta`, or `tradeoff`.")
    found = outside = numbers(q, "q", 1.0)
    if tradeoff is not None and np.any(np.asarray(delta) != 0):
        raise ValueError("`tradeoff` replaces `epsilon` and `delta`; leave out `delta`.")
    claim, failure = epsilons(0.0 if epsilon is None else epsilon), numbers(delta, "delta", 1.0)
    for _ in range(1 if adjacency == "substitution" else 2):
        found = _step(found, claim, failure) if tradeoff is None else xr.apply_ufunc(_by_tradeoff, found, kwargs={"tradeoff": tradeoff})
    heading = "Expected average CAP of the people inside, given that of people outside, under differential privacy"
    return Result({"bound": found, "outside": outside}, attrs={"result": heading, "adjacency": adjacency})


def _step(q: xr.DataArray, epsilon: xr.DataArray, delta: xr.DataArray) -> xr.DataArray:
    """The greatest expectation of a score from 0 to 1 for a data set, given that for a neighbour."""
    odds: Any = np.exp(-epsilon)
    low = q.clip(max=odds) / odds.where(odds > 0, 1) + delta
    high = (q + delta) * odds - np.expm1(-epsilon)
    found: xr.DataArray = low.where(low < high, high).where(odds > 0, 1.0).clip(max=1)
    return found


def _by_tradeoff(q: Floats, tradeoff: Callable[[Floats], Any]) -> Floats:
    """The same from a trade-off function, which is checked at these points and at 0 and 1."""
    x, place = np.unique(np.concatenate([[0.0, 1.0], np.ravel(q)]), return_inverse=True)
    t = np.asarray(tradeoff(x), dtype=np.float64)
    if t.shape != x.shape:
        raise TypeError(f"`tradeoff` must return one number for each of an array; it has shape {t.shape} for {len(x)} of them.")
    if not (np.all(t >= -ROUNDING) and np.all(t <= 1 - x + ROUNDING)):
        raise ValueError("`tradeoff` must be from 0 to 1 - x, as the least rate of false negatives for a rate x of false positives is.")
    steps, apart = np.diff(t), np.diff(x)
    if np.any(steps > ROUNDING) or np.any(np.diff(steps / apart) * np.minimum(apart[1:], apart[:-1]) < -ROUNDING):
        raise ValueError("`tradeoff` must not rise and must be convex, as that of any two laws is; at the points needed here it is not.")
    return (1 - t)[place[2:]].reshape(np.shape(q)).clip(0, 1)
