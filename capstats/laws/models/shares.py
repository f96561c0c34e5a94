"""Sums over the shares with which targets are drawn in a key; cells that a sparse table does not store have a share, too."""

from __future__ import annotations

import numpy as np

from capstats.tables.table import Array, Floats, Table


def targets_of(o: Table) -> int:
    """Number of targets, I."""
    return int(o.target_total.shape[-1])


def absent(o: Table) -> Array:
    """Targets of each key whose cells are not stored, shape (..., key): none where the table is dense."""
    return targets_of(o) - o.like(np.ones_like(o.values)).key_total


def on_cells_of_targets(o: Table, by_target: Array) -> Array:
    """A value of each target on each cell of the table."""
    spread_out = o.on_targets(by_target)
    return np.broadcast_to(spread_out, np.broadcast_shapes(spread_out.shape, o.values.shape))


def rest_of_targets(o: Table, by_target: Array) -> Array:
    """The sum of a value of each target over the cells of a key that are not stored, shape (..., key)."""
    rest = by_target.sum(-1)[..., None] - o.like(on_cells_of_targets(o, by_target)).key_total
    return np.where(absent(o) > 0, rest, 0)


def centred_squares(o: Table, a: Table, weights: Array, of_key: Array, of_target: Array) -> tuple[Floats, Array]:
    """d, the values ``a`` centred by key and by target; and in each key the weighted sum of d^2 over targets.

    Cells that are not stored have a = 0.
    """
    d = a.values - o.on_cells(of_key) - o.on_targets(of_target)
    stored = o.like(d**2 * on_cells_of_targets(o, weights)).key_total
    rest = [rest_of_targets(o, weights * of_target**power) for power in range(3)]
    return d, stored + np.maximum(rest[2] + 2 * of_key * rest[1] + of_key**2 * rest[0], 0)


def spread(o: Table, shares: Array, unstored: Array, mean: Array) -> Floats:
    """Variance of o_ij in each key where target i is drawn with the given share; ``unstored`` is the share of cells that are not stored."""
    return np.asarray(o.like(shares * (o.values - o.on_cells(mean)) ** 2).key_total + unstored * mean**2)
