"""Mean and variance of average CAP where the targets of a release are permuted: its margins stay, the link of key and target goes."""

from __future__ import annotations

import numpy as np

from capstats.laws.shares import on_cells_of_targets, rest_of_targets
from capstats.tables.sums import check_integers, ratio
from capstats.tables.table import Array, Floats, Table


def margins_mean(o: Table, s: Table, *, dropped: bool) -> Floats:
    """Expected average CAP: shape (...); NaN where it is undefined. Every record attributes the target margin of `s`."""
    check_records(s)
    p = ratio(s.target_total(), s.total()[..., None], 0.0)
    right = o.like(o.values * on_cells_of_targets(o, p)).key_total() * (s.key_total() > 0)
    return ratio(right.sum(-1), records(o, s, dropped=dropped), np.nan)


def margins_variance(o: Table, s: Table, *, dropped: bool) -> Floats:
    """Variance of average CAP: shape (...); NaN where it is undefined."""
    check_records(s)
    s_j, m = s.key_total(), s.total()
    w_j, p_i = ratio(s_j, m[..., None], 0.0), ratio(s.target_total(), m[..., None], 0.0)
    a = o.like(ratio(o.values, o.on_cells(s_j), 0.0))  # a_ij: what a record of key j with target i is right for

    of_target = o.like(a.values * o.on_cells(w_j)).target_total()
    mean = (p_i * of_target).sum(-1)[..., None]
    of_key = a.like(a.values * on_cells_of_targets(o, p_i)).key_total()
    above = of_target - mean
    d = a.values - o.on_cells(of_key) - o.on_targets(above)
    stored = o.like(d**2 * on_cells_of_targets(o, p_i)).key_total()
    unstored = rest_of_targets(o, p_i * above**2) + 2 * of_key * rest_of_targets(o, p_i * above) + of_key**2 * rest_of_targets(o, p_i)
    spread = (w_j * (stored + np.maximum(unstored, 0))).sum(-1)

    m = m.astype(np.float64)
    right = ratio(m**2, np.maximum(m - 1, 0), 0.0) * spread  # one record can only stay where it is
    return ratio(right, records(o, s, dropped=dropped).astype(np.float64) ** 2, np.nan)


def records(o: Table, s: Table, *, dropped: bool) -> Array:
    """Original records in the average: n, or n_M."""
    return np.asarray((o.key_total() * (s.key_total() > 0)).sum(-1)) if dropped else o.total()


def check_records(s: Table) -> None:
    """Raise where the release does not hold whole records."""
    check_integers(s, "s", ": its records are permuted", "Give unweighted counts of the release.")
