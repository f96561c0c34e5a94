"""What an intruder guesses right without looking anybody up."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from capstats.counts.batches import Aligned
from capstats.counts.primitives import Floats, Table, ratio, target_total, total

Kind = Literal["marginal", "modal", "uniform", "modal_synthetic", "crossed"]
_OF_O = ("marginal", "modal", "uniform")
_OF_S = ("modal_synthetic", "crossed")


def baseline_cap(o: Any, s: Any = None, *, kind: Kind = "marginal") -> xr.DataArray:
    """Probability of a correct guess by somebody who knows how the target is distributed, but nobody's key.

    CAP means little by itself: where nine in ten people are healthy, everybody's health is guessed well.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records.
    s : same, optional
        Counts of synthetic records; needed by "modal_synthetic" and "crossed", not looked at by the others.
    kind : {"marginal", "modal", "uniform", "modal_synthetic", "crossed"}
        - "marginal": a random original record's target, sum_i p_i^2 with p_i = o_i. / n;
        - "modal": always the most frequent original target, max_i p_i;
        - "uniform": a random level of each target column, among those that occur in `o`;
        - "modal_synthetic": the greatest share of a target in `s`, max_i s_i. / m;
        - "crossed": a random synthetic record's target, sum_i p_i s_i. / m.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1. NaN where the table that it needs holds no record.

    Raises
    ------
    ValueError, TypeError
        If `kind` is unknown or lacks its `s`, or the tables are not counts or disagree.

    Notes
    -----
    See theory/baselines.md. CAP of the original with itself is never below the marginal baseline.

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
    if kind not in _OF_O + _OF_S:
        raise ValueError(f"`kind` must be one of {', '.join(map(repr, _OF_O + _OF_S))}; got {kind!r}.")
    if kind in _OF_O:
        aligned = Aligned({"o": o})
        if kind == "uniform":
            levels = _target_levels(aligned.axes["target"], aligned.sizes["target"])
            return aligned.map(lambda o: _uniform(o, levels), "baseline_cap")
        return aligned.map(_marginal if kind == "marginal" else _modal, "baseline_cap")
    if s is None:
        raise ValueError(f'`kind` "{kind}" needs the synthetic table: give `s`.')
    aligned = Aligned({"o": o, "s": s})
    return aligned.map(_crossed if kind == "crossed" else lambda o, s: _modal(s) + 0 * total(o), "baseline_cap")


def _marginal(o: Table) -> Floats:
    p = ratio(target_total(o), total(o)[..., None], np.nan)
    return np.asarray((p**2).sum(-1))


def _modal(o: Table) -> Floats:
    return ratio(target_total(o).max(-1), total(o), np.nan)


def _crossed(o: Table, s: Table) -> Floats:
    p = ratio(target_total(o), total(o)[..., None], np.nan)
    return np.asarray((p * ratio(target_total(s), total(s)[..., None], np.nan)).sum(-1))


def _uniform(o: Table, levels: list[np.ndarray]) -> Floats:
    occurs = target_total(o) > 0
    guesses = np.ones(occurs.shape[:-1])
    for column in levels:  # levels of this target column that some original record has
        guesses = guesses * (occurs @ column > 0).sum(-1)
    return ratio(np.ones_like(guesses), guesses, np.nan)


def _target_levels(axis: pd.MultiIndex | None, size: int) -> list[np.ndarray]:
    """For each target column, which targets have which of its levels: 0/1 of shape (target, level)."""
    codes = [np.arange(size)] if axis is None else [np.asarray(c) for c in axis.codes]
    return [(c[:, None] == np.unique(c)).astype(np.int64) for c in codes]
