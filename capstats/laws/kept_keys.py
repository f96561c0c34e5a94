"""Mean and variance of average CAP where a release keeps the key of every original record and draws or moves targets.

No key is ever empty in the release that has original records, so the two versions of the average agree.
"""

from __future__ import annotations

import numpy as np

from capstats.laws.models import Synthesis
from capstats.laws.shares import absent, on_cells_of_targets, rest_of_targets, spread, targets_of
from capstats.tables.sums import attribution, check_integers, ratio, shared
from capstats.tables.table import Array, Floats, Table


def kept_mean(o: Table, synthesis: Synthesis) -> Floats:
    """Expected average CAP of a release: shape (...); NaN where `o` holds no record."""
    check_fits(o, synthesis)
    o_j, n = o.key_total(), o.total()
    if synthesis.model == "partial":
        alpha, targets = synthesis.alpha or 0.0, targets_of(o)
        own = ratio(shared(o, o, o_j) + alpha * o_j, o_j + targets * alpha, 0.0)  # o_.j times the mean of a record of key j
        return ratio(own.sum(-1), n, np.nan)
    if synthesis.matrix is not None:
        together = o.like(ratio(o.values, o.on_cells(o_j), 0.0)).across_targets(o)  # sum_j o_aj o_bj / o_.j
        return ratio((synthesis.matrix * together).sum((-2, -1)), n, np.nan)
    left = 1 - (synthesis.theta or 0.0) if synthesis.model == "pram" else _left_by_swaps(n, synthesis.swapped or 0)
    original, marginal = _cap_of_original(o), _marginal(o)
    return np.asarray(left * original + (1 - left) * marginal)


def kept_variance(o: Table, synthesis: Synthesis) -> Floats:
    """Variance of the average CAP of a release: shape (...); NaN where `o` holds no record."""
    check_fits(o, synthesis)
    check_whole(o, synthesis)
    n = o.total()
    formula = {"partial": _of_urns, "pram": _of_recoded, "swap": _of_swapped}[synthesis.model]
    return ratio(formula(o, synthesis), n.astype(np.float64) ** 2, np.nan)


def check_whole(o: Table, synthesis: Synthesis) -> None:
    """Raise where the table holds sums of weights: whole records draw or move their targets."""
    check_integers(o, "o", f': "{synthesis.model}" changes whole records', "Give unweighted counts of records.")


def check_fits(o: Table, synthesis: Synthesis) -> None:
    """Raise where the options of a model do not fit the table."""
    if synthesis.model != "pram":
        check_whole(o, synthesis)  # the expected value is linear in records under "pram", and so defined for their weights
    targets = targets_of(o)
    if synthesis.matrix is not None and len(synthesis.matrix) != targets:
        raise ValueError(f"`matrix` must have one row and one column for each target of `o`, {targets}; it has {len(synthesis.matrix)}.")
    n = o.total()
    if synthesis.swapped and (few := n[(n > 0) & (n < synthesis.swapped)]).size:
        raise ValueError(f"`swapped` must be at most the number of records of `o`, {few.min()}; got {synthesis.swapped}.")


# --- n^2 times the variance under each model --------------------------------------------------------------------------


def _of_urns(o: Table, synthesis: Synthesis) -> Floats:
    """Each key: o_.j records from an urn with o_ij + alpha balls of target i."""
    o_j, alpha, targets = o.key_total(), synthesis.alpha or 0.0, targets_of(o)
    balls = o_j + targets * alpha
    mean = ratio(shared(o, o, o_j) + alpha * o_j, balls, 0.0)
    shares = ratio(o.values + alpha, o.on_cells(balls), 0.0)
    of_record = spread(o, shares, absent(o) * ratio(np.full_like(balls, alpha, dtype=np.float64), balls, 0.0), mean)
    return np.asarray((ratio(o_j + balls, o_j * (1 + balls), 0.0) * of_record).sum(-1))


def _of_recoded(o: Table, synthesis: Synthesis) -> Floats:
    """Each record draws its target by itself, by the row of its own target."""
    o_j = o.key_total()
    if synthesis.matrix is None:
        theta, n = synthesis.theta or 0.0, o.total()
        p = ratio(o.target_total(), n[..., None], 0.0)
        redrawn, rest = on_cells_of_targets(o, p), rest_of_targets(o, o.target_total())
        mean = o.like(o.values * redrawn).key_total()  # of a redrawn target
        of_redrawn = spread(o, redrawn, ratio(rest, n[..., None], 0.0), mean)
        own = o.like(o.values * (o.values - o.on_cells(mean)) ** 2).key_total()
        found = theta * o_j * of_redrawn + theta * (1 - theta) * own
    else:
        found = np.zeros(o_j.shape)
        for a, row in enumerate(synthesis.matrix):
            shares = on_cells_of_targets(o, row)
            of_a = o.like(o.values * on_cells_of_targets(o, np.arange(len(row)) == a)).key_total()
            mean = o.like(o.values * shares).key_total()
            found = found + of_a * spread(o, shares, np.where(absent(o) > 0, 1 - o.like(shares).key_total(), 0.0), mean)
    return np.asarray(ratio(found, o_j.astype(np.float64) ** 2, 0.0).sum(-1))


def _of_swapped(o: Table, synthesis: Synthesis) -> Floats:
    """A permutation of the targets of some records; d_ij is r_ij, centred over records on either side."""
    o_j, o_i, n = o.key_total(), o.target_total(), o.total()
    r, p, b = attribution(o, o_j, 0.0), ratio(o_i, n[..., None], 0.0), _marginal(o)[..., None]
    by_target = on_cells_of_targets(o, p - b)
    rho = o.like(r.values * on_cells_of_targets(o, p)).key_total()  # what a random target gets in key j
    d = r.values - o.on_cells(rho) - by_target

    delta = o.like(o.values * d).total()
    own = o.like(o.values * (d - o.on_cells(ratio(delta, n, 0.0)[..., None])) ** 2).total()  # spread of d over the records
    moved = rho - b
    away = rest_of_targets(o, o_i * p**2) + 2 * moved * rest_of_targets(o, o_i * p) + moved**2 * rest_of_targets(o, o_i)  # not stored
    every = (o_j * (o.like(on_cells_of_targets(o, o_i) * d**2).key_total() + away)).sum(-1)
    together = r.across_targets(o)
    of_pairs = together - (together @ p[..., None]) - o_i[..., :, None] * (p - b)[..., None, :]  # sum_j o_aj d_bj
    crossed = (of_pairs * np.swapaxes(of_pairs, -1, -2)).sum((-2, -1))

    weights = _weights(n, synthesis.swapped or 0)
    return np.asarray(weights[0] * every + weights[1] * (every + crossed) + weights[2] * own + weights[3] * delta**2)


def _weights(n: Array, swapped: int) -> Floats:
    """Weights of the four sums of squares of a swap: shape (4, ...)."""
    found, where = np.unique(n, return_inverse=True)
    of_each = np.array([pattern_weights(int(size), swapped) for size in found])
    return np.moveaxis(of_each[where.reshape(n.shape)], -1, 0)


def pattern_weights(n: int, h: int) -> tuple[float, float, float, float]:
    """Weights of Q, Q + w, e - delta^2 / n and delta^2 for h of n records."""
    if h < 2 or n < 2:
        return 0.0, 0.0, 0.0, 0.0
    if h == n:
        return 1 / (n - 1), 0.0, 0.0, 0.0
    if n == 3:
        return 0.0, 1 / 6, 1 / 2, 1 / 12
    k, three = n - h, (n - 1) * (n - 2) * (n - 3)
    last = k * (n * n - 5 * n + 2 + 2 * h) / (n * (n - 1) * three)
    return (h - 2) / ((n - 1) * (n - 2)), k * (k - 1) / (n * three), k * ((n - 1) * h - (n + 1)) / three, last


# --- parts of the formulas --------------------------------------------------------------------------------------------


def _cap_of_original(o: Table) -> Floats:
    o_j = o.key_total()
    return ratio(ratio(shared(o, o, o_j), o_j, 0.0).sum(-1), o.total(), np.nan)


def _marginal(o: Table) -> Floats:
    return np.asarray((ratio(o.target_total(), o.total()[..., None], np.nan) ** 2).sum(-1))


def _left_by_swaps(n: Array, swapped: int) -> Floats:
    """The share of the link between key and target that is left."""
    return 1 - ratio(np.full(n.shape, max(swapped - 1, 0)), n - 1, 0.0)
