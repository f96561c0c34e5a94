"""Refuting a claimed epsilon from the contrasts of several splits and releases."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from capstats.cap.uncertainty import check_level
from capstats.codes.checks import check_choice
from capstats.laws.guarantees.one_record import epsilons
from capstats.tables.printing import Result
from capstats.tables.table import Floats

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
