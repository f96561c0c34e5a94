"""Baselines of CAP without a key, and how much the key adds to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import xarray as xr

from capstats.cap.tolerance import Within, windows_of
from capstats.codes.checks import check_choice
from capstats.tables.aligned import Aligned
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Counts, Dense, Floats, Release, Table, Windows

Kind = Literal["marginal", "modal", "uniform", "modal_synthetic", "crossed"]


def baseline_cap(o: Counts, s: Release = None, *, kind: Kind = "marginal", within: Within = None) -> xr.DataArray:
    """Probability of a correct guess of the target without the key: the baseline of CAP.

    CAP needs a comparison: if nine in ten people are healthy, health is guessed right for most people without any release.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records.
    s : same, optional
        Counts of synthetic records; needed by "modal_synthetic" and "crossed", and only checked by the others.
    kind : {"marginal", "modal", "uniform", "modal_synthetic", "crossed"}
        - "marginal": the target of a random original record, sum_i p_i^2 with p_i = o_i. / n;
        - "modal": always the most frequent original target, max_i p_i;
        - "uniform": a random level of each target column, among those that occur in `o`;
        - "modal_synthetic": the greatest share of a target in `s`, max_i s_i. / m;
        - "crossed": the target of a random synthetic record, sum_i p_i s_i. / m.
    within : number, timedelta, function or ("triangular", distance), optional
        For targets that are numbers or dates: how far from the person's value a guess may be, as in `average_cap`. For "marginal" and
        "crossed" only.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1. NaN if the table that is needed has no record.

    Raises
    ------
    ValueError, TypeError
        If `kind` is unknown or needs a missing `s`, the tables are not counts or differ, or `within` is wrong, as in `average_cap`, or
        given for another kind.

    Notes
    -----
    See theory/baselines.md#baselines. CAP of the original with itself is never below the marginal baseline, unless
    guesses within a distance count in full (theory/cap.md#tolerance).

    References
    ----------
    Elliot (2015); Taub, Elliot, Pampaka and Smith (2018), https://doi.org/10.1007/978-3-319-99771-1_9 ("marginal").
    SDMetrics, DisclosureProtection ("uniform").

    Examples
    --------
    25 of 100 people are sick:

    >>> o = [[20, 5], [30, 45]]
    >>> float(baseline_cap(o)), float(baseline_cap(o, kind="modal")), float(baseline_cap(o, kind="uniform"))
    (0.625, 0.75, 0.5)
    """
    check_choice(kind, "kind", get_args(Kind))
    if within is not None and kind not in ("marginal", "crossed"):
        raise ValueError(f'`within` needs `kind` "marginal" or "crossed"; got "{kind}".')
    needed = kind in ("modal_synthetic", "crossed")
    if needed and s is None and not isinstance(o, xr.Dataset):
        raise ValueError(f'`kind` "{kind}" needs the synthetic table: give `s`.')
    if needed or s is not None:  # which is checked, needed or not
        pair = Aligned({"o": o, "s": s})
    if needed:
        windows = windows_of(pair, within)
        return pair.map(lambda o, s: crossed(o, s, windows) if kind == "crossed" else modal(s) + 0 * o.total, "baseline_cap")
    aligned = Aligned({"o": o})
    if kind == "uniform":
        axis = aligned.axes["target"]
        columns = [np.arange(aligned.sizes["target"])] if axis is None else list(map(np.asarray, axis.codes))
        return aligned.map(lambda o: _uniform(o, columns), "baseline_cap")
    windows = windows_of(aligned, within)
    return aligned.map(modal if kind == "modal" else lambda o: crossed(o, o, windows), "baseline_cap")


def goodman_kruskal_tau(o: Counts) -> xr.DataArray:
    """Goodman and Kruskal's tau: the share of wrong proportional guesses at the target that knowing the key avoids.

    0 if the target is independent of the key, 1 if the key determines the target. Its numerator is CAP of the original minus the marginal
    baseline.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records.

    Returns
    -------
    DataArray, dims (...)
        (CAP(O) - b) / (1 - b), from 0 to 1. NaN if all records have the same target, or there is no record.

    Raises
    ------
    ValueError, TypeError
        If the table is not one of counts (the cell is named).

    See Also
    --------
    goodman_kruskal_lambda, baseline_cap, average_cap

    Notes
    -----
    See theory/baselines.md#goodman-kruskal.

    References
    ----------
    Goodman and Kruskal (1954), "Measures of association for cross classifications", section 9,
    https://doi.org/10.1080/01621459.1954.10501231.

    Examples
    --------
    CAP(O) = 0.67, and the marginal baseline is 0.625:

    >>> float(goodman_kruskal_tau([[20, 5], [30, 45]]).round(4))
    0.12
    """

    def formula(o: Table) -> Floats:
        o_i, n = o.target_total, o.total
        own = ratio(o.like(o.values.astype(np.float64) ** 2).key_total, o.key_total, 0.0).sum(-1)  # n CAP(O)
        guessed = ratio((o_i.astype(np.float64) ** 2).sum(-1), n, 0.0)  # n b
        return _avoided(own - guessed, n - guessed, o_i)

    return Aligned({"o": o}).map(formula, "goodman_kruskal_tau")


def goodman_kruskal_lambda(o: Counts) -> xr.DataArray:
    """Goodman and Kruskal's lambda: the share of wrong modal guesses at the target that knowing the key avoids.

    0 if all keys have the same most frequent target, even if their shares differ; 1 if the key determines the target.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records.

    Returns
    -------
    DataArray, dims (...)
        (sum_j max_i o_ij / n - max_i p_i) / (1 - max_i p_i), from 0 to 1. NaN if all records have the same target, or there is no
        record.

    Raises
    ------
    ValueError, TypeError
        If the table is not one of counts (the cell is named).

    See Also
    --------
    goodman_kruskal_tau, baseline_cap, correct_predictions

    Notes
    -----
    See theory/baselines.md#goodman-kruskal.

    References
    ----------
    Goodman and Kruskal (1954), "Measures of association for cross classifications", section 5,
    https://doi.org/10.1080/01621459.1954.10501231.

    Examples
    --------
    7 of 10 guesses are right with the key, and 6 without it, so one of four errors is avoided:

    >>> float(goodman_kruskal_lambda([[3, 1], [2, 4]]))
    0.25
    """

    def formula(o: Table) -> Floats:
        modal = o.target_total.max(-1)
        return _avoided(o.key_greatest().sum(-1) - modal, o.total - modal, o.target_total)

    return Aligned({"o": o}).map(formula, "goodman_kruskal_lambda")


def _avoided(gained: Array, wrong: Array, o_i: Array) -> Floats:
    """Gained / wrong, clipped to [0, 1] against rounding; NaN if fewer than two targets have records."""
    several = (o_i > 0).sum(-1) > 1
    return np.clip(ratio(gained, wrong * several, np.nan), 0, 1)


def modal(o: Table) -> Floats:
    """The share of the most frequent target of a table: shape (...)."""
    return ratio(o.target_total.max(-1), o.total, np.nan)


def crossed(o: Table, s: Table, windows: Windows | None = None) -> Floats:
    """The probability to guess the target of a record of `o` by a random record of `s`, whatever its key: shape (...)."""
    p, right = ratio(o.target_total, o.total[..., None], np.nan), s.target_total
    if windows is not None:
        right = Dense(right[..., None]).in_windows(windows).values[..., 0]
    return np.asarray((p * ratio(right, s.total[..., None], np.nan)).sum(-1))


def _uniform(o: Table, columns: Sequence[Array]) -> Floats:
    """1 / the number of combinations of the levels that occur in each target column, which are given as codes."""
    occurs = o.target_total > 0
    guesses = np.ones(occurs.shape[:-1])
    for codes in columns:
        has_level = (codes[:, None] == np.unique(codes)).astype(np.int64)
        guesses = guesses * (occurs @ has_level > 0).sum(-1)
    return ratio(np.ones_like(guesses), guesses, np.nan)
