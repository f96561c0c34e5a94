"""Refuting a claimed epsilon: from the contrasts of several splits and releases, or from the pairs of one release."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Convention, rows_used
from capstats.cap.uncertainty import check_level
from capstats.codes.checks import check_choice
from capstats.laws.guarantees.one_record import epsilons
from capstats.laws.guarantees.permutation import UNWEIGHTED, check_records, of_each_release, seed_of
from capstats.tables.aligned import Aligned
from capstats.tables.printing import Result
from capstats.tables.sums import check_integers
from capstats.tables.table import Array, Floats, Table

Adjacency = Literal["substitution", "add-remove"]

BETS = 2.0 ** -np.arange(8)  # shares of the stake; a bet of b has the weight b / sum(BETS)
STEPS = 60  # halvings of the interval for the mean


def dp_audit(contrasts: Any, epsilon: Any, *, adjacency: Adjacency, level: float = 0.95) -> xr.Dataset:
    """Test of a claimed epsilon by the contrasts of average CAP between original and holdout, over independent repetitions.

    A private release fits the original hardly better than records that were held out. If it fits much better on average over fresh splits
    and releases, then the claim is wrong, or the program that is said to keep it has a mistake.

    Parameters
    ----------
    contrasts : array-like, or DataArray or Dataset with dim "repetition" and any others
        Average CAP of the original minus that of the holdout, from -1 to 1: ``estimate`` of `holdout_contrast` with "zero" or "nearest".
        Each comes from a fresh random split of the same records, in the same sizes, and a fresh release; at least 2.
    epsilon : float or array-like
        The claim, at least 0; a sequence gives the dim "epsilon".
    adjacency : {"substitution", "add-remove"}
        What the claim is about: one record replaced by another one, or one record added or removed.
    level : float
        Confidence: the test refutes a true claim with a probability of at most 1 - level.

    Returns
    -------
    Dataset, dims (..., epsilon)
        ``contrast``, the mean over repetitions; ``lower``, a confidence limit that its expectation exceeds; ``allowed``, the largest
        expectation under the claim; ``p_value``, valid whatever the distribution of the contrasts; ``refuted``; ``epsilon_lower``, a
        confidence limit that the true epsilon exceeds, from 0; and ``repetitions_needed``, how many would refute the claim if all contrasts
        were equal to the mean: the least number to plan with, inf if the mean is allowed.

    Raises
    ------
    ValueError, TypeError
        If there is one contrast only, one is not from -1 to 1, or `epsilon`, `adjacency` or `level` is not as described.

    See Also
    --------
    dp_audit_release : with a proof for one release.
    dp_bound : what epsilon promises.

    Notes
    -----
    See theory/guarantees.md#dp-audit. The expected contrast is at most tanh(eps / 2) under substitution, and 1 - e^-eps where records are
    added or removed. The limit is that of betting on a larger mean with shares 1, 1/2, 1/4, ... of the stake; it does not depend on the
    order of the repetitions.

    References
    ----------
    Waudby-Smith and Ramdas (2024), https://doi.org/10.1093/jrsssb/qkad009 (means of bounded variables by betting).
    Yeom, Giacomelli, Fredrikson and Jha (2018), https://doi.org/10.1109/CSF.2018.00027 (that epsilon bounds the advantage).
    Humphries, Oya, Tulloch, Rafuse, Goldberg, Hengartner and Kerschbaum (2023), https://doi.org/10.1109/CSF57540.2023.00013 (tanh).
    Dong, Roth and Su (2022), https://doi.org/10.1111/rssb.12454 (trade-off functions, of which both are the greatest advantage).

    Examples
    --------
    Twenty splits, in each of which the release fits the original better by .6; epsilon .5 allows .245, and 15 splits would do:

    >>> found = dp_audit([0.6] * 20, 0.5, adjacency="substitution")
    >>> round(float(found.allowed), 4), bool(found.refuted), round(float(found.epsilon_lower), 2), int(found.repetitions_needed)
    (0.2449, True, 0.7, 15)
    """
    check_choice(adjacency, "adjacency", get_args(Adjacency), ", as the claim of epsilon says")
    check_level(level)
    c = _contrasts(contrasts)
    claim = epsilons(epsilon)
    allowed = np.tanh(claim / 2) if adjacency == "substitution" else -np.expm1(-claim)
    x = (1 + c) / 2  # from 0 to 1

    lower = 2 * xr.apply_ufunc(_limit, x, input_core_dims=[["repetition"]], kwargs={"level": level}) - 1
    capital = xr.apply_ufunc(_log_capital, x, (1 + allowed) / 2, input_core_dims=[["repetition"], []])
    possible = lower.clip(min=0)
    found = {
        "contrast": c.mean("repetition"),
        "lower": lower,
        "allowed": allowed,
        "p_value": np.exp(-capital.clip(min=0)),
        "refuted": capital >= -np.log(1 - level),
        "epsilon_lower": 2 * np.arctanh(possible) if adjacency == "substitution" else -np.log1p(-possible),
        "repetitions_needed": _needed(x.mean("repetition"), (1 + allowed) / 2, level),
    }
    return Result(found, attrs={"result": f"Audit of a claimed epsilon, {c.sizes['repetition']} repetitions", "adjacency": adjacency})


def dp_audit_release(
    o: Any,
    s: Any,
    epsilon: Any,
    *,
    h: Any,
    adjacency: Adjacency,
    unmatched: Convention = "zero",
    over: str | None = None,
    level: float = 0.95,
    rng: Any = None,
) -> xr.Dataset:
    """Test of a claimed epsilon by one release: pairs of an original and a held out record, and which of the two has the larger CAP.

    Of each pair chance decided which record was used for the release. A private release hardly tells which one: its guess by the larger
    CAP is right with a probability of at most e^eps / (1 + e^eps), pair after pair, so that the right ones can be counted.

    Parameters
    ----------
    o, s, h : array-like or DataArray, dims (target, key) and any others
        Counts of original, synthetic and holdout records; `o` and `h` must hold integers and be a random split of the same records.
    epsilon : float or array-like
        The claim, at least 0; a sequence gives the dim "epsilon".
    adjacency : {"substitution", "add-remove"}
        What the claim is about: one record replaced by another one, or one record added or removed.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in the synthetic table have CAP 0, are left out with their pair, or use the nearest keys.
    over : str, optional
        A dim of all three tables along which they are independent repetitions, each with a fresh split and release; their pairs are added.
    level : float
        Confidence: the test refutes a true claim with a probability of at most 1 - level.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng``; it makes the pairs.

    Returns
    -------
    Dataset, dims (..., epsilon)
        ``pairs``, those in which the two records differ in CAP; ``right``, those in which the original one has the larger CAP; ``share``,
        their quotient; ``allowed``, its largest expectation under the claim; ``p_value``; ``refuted``; and ``epsilon_lower``, a confidence
        limit that the true epsilon exceeds, from 0. Without pairs the share is NaN and the p-value 1.

    Raises
    ------
    ValueError, TypeError
        If `o` or `h` holds fractional counts or sums of weights, `over` is not a dim of all tables, the tables are not counts or differ, or
        `epsilon`, `adjacency` or `level` is not as described.

    See Also
    --------
    dp_audit : from contrasts alone.
    membership_test : of the claim that the release knows nothing of the split, epsilon 0.

    Notes
    -----
    See theory/guarantees.md#dp-audit-release. The number of right pairs is at most as large as a binomial one with that probability; where
    records are added or removed, a swap is two steps, and the probability is e^(2 eps) / (1 + e^(2 eps)). Choose `rng` before looking.

    References
    ----------
    Steinke, Nasr and Jagielski (2023), https://doi.org/10.48550/arXiv.2305.08846 (auditing with one run).

    Examples
    --------
    The release is the original: 40 people with keys and targets of their own. Of all 40 pairs the original record has the larger CAP.

    >>> import numpy as np
    >>> o, h = np.hstack([np.eye(40, dtype=int), np.zeros((40, 40), int)]), np.hstack([np.zeros((40, 40), int), np.eye(40, dtype=int)])
    >>> found = dp_audit_release(o, o, 0.5, h=h, adjacency="substitution", rng=1)
    >>> int(found.right), round(float(found.allowed), 4), bool(found.refuted), round(float(found.epsilon_lower), 2)
    (40, 0.6225, True, 2.55)
    """
    from scipy.special import betainc, betaincinv

    check_choice(adjacency, "adjacency", get_args(Adjacency), ", as the claim of epsilon says")
    check_level(level)
    aligned = Aligned({"o": o, "s": s, "h": h})
    if over is not None and not all(over in getattr(table, "dims", ()) for table in (o, s, h)):
        raise ValueError(f"`over` must be a dim of `o`, `s` and `h`, one split and release each; got {over!r}.")
    check_records({"o": o, "h": h})
    rows_of, seed = rows_used(aligned, unmatched), seed_of(rng)

    def formula(o: Table, s: Table, h: Table) -> Floats:
        for name, table in (("o", o), ("h", h)):
            check_integers(table, name, ", because records are paired", UNWEIGHTED)
        read, s_j = rows_of(o.like(o.values + h.values), s)
        s_j = read.on_cells(s_j)
        score = read.values / np.where(s_j > 0, s_j, 1) - (s_j == 0) * (unmatched != "zero")  # -1: left out
        return of_each_release(partial(_pairs, seed), o, o.values, h.values, score)

    counted = aligned.map(formula, "pairs", ("part",)).astype(np.int64)
    pairs, right = (counted.isel(part=i) if over is None else counted.isel(part=i).sum(over) for i in range(2))
    claim = epsilons(epsilon) * (1 if adjacency == "substitution" else 2)
    allowed = 1 / (1 + np.exp(-claim))
    some = right > 0
    p_value = xr.apply_ufunc(betainc, right.where(some, 1), pairs - right + 1, allowed).where(some, 1.0)
    share = xr.apply_ufunc(betaincinv, right.where(some, 1), pairs - right + 1, 1 - level).where(some, 0.5).clip(min=0.5)
    rest = xr.apply_ufunc(betaincinv, pairs - right + 1, right.where(some, 1), level).where(some, 0.5).clip(max=0.5)  # 1 - share
    found = {
        "pairs": pairs,
        "right": right,
        "share": right / pairs.where(pairs > 0),
        "allowed": allowed,
        "p_value": p_value,
        "refuted": p_value <= 1 - level,
        "epsilon_lower": np.log(share / rest) / (1 if adjacency == "substitution" else 2),
    }
    return Result(found, attrs={"result": "Audit of a claimed epsilon, by pairs", "adjacency": adjacency})


def _contrasts(contrasts: Any) -> xr.DataArray:
    """Two contrasts or more along "repetition", each from -1 to 1."""
    if isinstance(contrasts, xr.Dataset) and "estimate" in contrasts:
        contrasts = contrasts.estimate
    if not isinstance(contrasts, xr.DataArray):
        try:
            contrasts = np.asarray(contrasts, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError("`contrasts` must hold numbers from -1 to 1, as the `estimate` of holdout_contrast does.") from error
        if contrasts.ndim > 1:
            raise ValueError(
                f'`contrasts` has {contrasts.ndim} dimensions; give one a repetition, or a DataArray with the dim "repetition".'
            )
        contrasts = xr.DataArray(np.atleast_1d(contrasts), dims="repetition")
    if "repetition" not in contrasts.dims or contrasts.sizes["repetition"] < 2:
        raise ValueError(
            "One contrast refutes nothing: it may be chance. Give at least 2, each of a fresh split and release, along the dim "
            '"repetition"; for one release use dp_audit_release with its tables.'
        )
    if not bool((np.abs(contrasts) <= 1 + 1e-12).all()):
        raise ValueError("`contrasts` must be from -1 to 1, as the `estimate` of holdout_contrast; some are not, or are NaN.")
    checked: xr.DataArray = contrasts.astype(np.float64).clip(-1, 1)
    return checked


def _log_capital(x: Floats, mean: Floats) -> Floats:
    """Logarithm of what a stake of 1 has become after bets that the values (..., repetition), from 0 to 1, have a larger mean than this."""
    won = x / np.where(mean > 0, mean, 1)[..., None] - 1
    with np.errstate(divide="ignore"):  # a bet that lost all
        logs = np.log(np.maximum(1 + won[..., None] * BETS, 0)).sum(-2)
    return np.where(mean > 0, np.logaddexp.reduce(logs + np.log(BETS / BETS.sum()), axis=-1), np.inf)


def _limit(x: Floats, level: float) -> Floats:
    """The largest mean that the bets reject, from below: the true one exceeds it with the confidence of the level."""
    low, high = np.zeros(x.shape[:-1]), np.ones(x.shape[:-1])
    for _ in range(STEPS):
        middle = (low + high) / 2
        rejected = _log_capital(x, middle) >= -np.log(1 - level)
        low, high = np.where(rejected, middle, low), np.where(rejected, high, middle)
    return low


def _needed(x: xr.DataArray, mean: Any, level: float) -> xr.DataArray:
    """The least number of repetitions of one value that refutes the mean."""

    def of_one(x: float, mean: float) -> float:
        if not x > mean:
            return np.inf
        logs, many = np.log1p(BETS * (x / mean - 1)), 1

        def refutes(k: int) -> bool:
            return bool(np.logaddexp.reduce(k * logs + np.log(BETS / BETS.sum())) >= -np.log(1 - level))

        while not refutes(many):
            many *= 2
        return float(bisect_left(range(many), True, lo=many // 2, key=refutes))

    found: xr.DataArray = xr.apply_ufunc(np.vectorize(of_one, otypes=[np.float64]), x, mean)
    return found


def _pairs(seed: int, n_o: Array, n_h: Array, score: Array) -> tuple[int, int]:
    """Pairs of different scores, and those in which the original record has the larger one; a score of -1 is left out."""
    rng = np.random.default_rng(seed)
    records = [rng.permutation(np.repeat(score, counts)) for counts in (n_o, n_h)]
    size = min(map(len, records))
    first, second = records[0][:size], records[1][:size]
    kept = (first >= 0) & (second >= 0)
    return int(((first != second) & kept).sum()), int(((first > second) & kept).sum())
