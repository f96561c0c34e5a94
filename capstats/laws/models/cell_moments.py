"""Mean and variance of average CAP, version 1, where a release is drawn cell by cell: one theorem, of which each model is a case.

A model gives the weight of each cell in the urn from which m records are drawn, and whether each draw adds a ball to the urn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from capstats.cap.neighbours import within_radius
from capstats.codes.column import Ints
from capstats.laws.models.shares import absent, spread, targets_of
from capstats.laws.models.urns import NEGLIGIBLE, Urn
from capstats.tables.dense import Dense
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Index, Table

BLOCK = 1 << 18  # pairs of distinct weights at a time
MANY = 4096  # distinct weights above which most pairs are summed by a series
ROUNDING = 1e-12  # the tolerance for probabilities that sum to 1


@dataclass(frozen=True)
class Cells:
    """The urn of a model on a table; arrays have the shape (..., key).

    The weight of a key is that of its ``records`` plus ``added``, which is the same for all keys. ``outside`` is the weight of keys
    that are not in the table.
    """

    urn: Urn
    records: Array
    mean: Floats  # expected right attributions of the key's records, given that the key is matched: n mu_j
    spread: Floats  # variance of their number over the target that is drawn: n^2 sigma_j
    added: float = 0.0
    share: float | None = None  # share of right attributions, where it is the same in every key of every table
    outside: Array | float = 0.0  # shape (..., 1)

    @classmethod
    def smoothed(cls, o: Table, urn: Urn, alpha: float, *, alike: bool = False) -> Cells:
        """Cell (i, j) has the weight o_ij + alpha, or alpha where all weights are ``alike``."""
        balls = o.like(np.zeros_like(o.values)) if alike else o
        records, added = balls.key_total, targets_of(o) * alpha
        shares = ratio(balls.values + np.full(o.values.shape, alpha), o.on_cells(records + added), 0.0)
        unstored = ratio(alpha * absent(o), records + added, 0.0)
        return replace(cls.of(o, urn, records, shares, unstored), added=added, share=1 / targets_of(o) if alike else None)

    @classmethod
    def of(cls, o: Table, urn: Urn, records: Array, shares: Array, unstored: Array) -> Cells:
        """The urn from the weights of keys and the shares of targets in them; ``unstored`` are those of cells that are not stored."""
        mean = o.like(shares * o.values).key_total
        return cls(urn, records, mean, spread(o, shares, unstored, mean))

    def weight(self) -> Floats:
        """The weight of each key, A_.j."""
        return np.asarray(self.records + self.added)

    def rest(self) -> Floats:
        """The weight of all other keys."""
        others = self.records.sum(-1)[..., None] - self.records
        return np.asarray(np.maximum(others, 0) + self.added * (self.records.shape[-1] - 1) + self.outside)

    def matched(self) -> Floats:
        """The probability that each key is in the release, 1 - Z_j."""
        return np.asarray(-np.expm1(self.urn.log_missed(self.weight(), self.rest())))

    def member(self, at: tuple[int, ...]) -> Cells:
        """The model on one table of a batch."""
        outside = self.outside[at] if isinstance(self.outside, np.ndarray) else self.outside
        return replace(self, records=self.records[at], mean=self.mean[at], spread=self.spread[at], outside=outside)


def cells_mean(cells: Cells, n: Array) -> Floats:
    """Expected average CAP, version 1: shape (...); NaN where there is no original record."""
    return ratio((cells.matched() * cells.mean).sum(-1), n, np.nan)


def cells_variance(cells: Cells, n: Array) -> Floats:
    """Variance of average CAP, version 1: shape (...); NaN where there is no original record."""
    found = of_each(cells, n[..., None], lambda one, _: within_keys(one) + between_keys(one))
    return ratio(found, n.astype(np.float64) ** 2, np.nan)


def nearest_mean(o: Table, weights: Table, weight: Array, codes: list[Ints], urn: Urn) -> Floats:
    """Expected average CAP where an unmatched key uses the nearest ones: shape (...); NaN where there is no original record.

    ``weights`` are those of the cells, ``weight`` those of the keys. Records of the urn at a distance count if no key is nearer.
    """
    n, total = o.total.astype(np.float64), weight.sum(-1, keepdims=True)
    recipients = np.broadcast_to(o.key_total > 0, np.broadcast_shapes(o.key_total.shape, weight.shape))
    right, log_missed, nearer, weighed = np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1)
    for d in range(len(codes) + 1):
        pooled = within_radius(codes, recipients, weights, d)[0].values
        through = within_radius(codes, recipients, Dense(weight[..., None, :]), d)[1]
        shares = np.clip(ratio(pooled - nearer, o.on_cells(through - weighed), 0.0), 0, 1)
        missed = urn.log_missed(through, np.maximum(total - through, 0))
        right = right + o.like(o.values * shares).key_total * (np.exp(log_missed) - np.exp(missed))
        log_missed, nearer, weighed = missed, pooled, through
    return ratio(right.sum(-1), n, np.nan)


def of_each(cells: Cells, o_j: Array, moment: Callable[[Cells, Array], float]) -> Floats:
    """A moment of each table of a batch; NaN where there is no original record."""
    batch = cells.mean.shape[:-1]
    o_j = np.broadcast_to(o_j, (*batch, o_j.shape[-1]))
    found = np.full(batch, np.nan)
    for at in np.ndindex(batch):
        if o_j[at].any():
            found[at] = moment(cells.member(at), o_j[at])
    return found


def within_keys(cells: Cells) -> float:
    """sum_j n^2 sigma_j E[f(m_j); m_j > 0] of one table, where f is 1 / m_j, or (1 + A_.j / m_j) / (1 + A_.j)."""
    _, first, group = np.unique(cells.records, return_index=True, return_inverse=True)
    weight, rest, spreads = cells.weight()[first], cells.rest()[first], np.bincount(group, cells.spread)
    return float(sum(spreads[g] * mean_factor(cells.urn, weight[g], rest[g]) for g in np.flatnonzero(spreads)))


def mean_factor(urn: Urn, weight: Floats, rest: Floats) -> float:
    """E[f(m_j); m_j > 0]."""
    inverse = urn.mean_inverse(float(weight), float(rest))
    return float((weight * inverse - np.expm1(urn.log_missed(weight, rest))) / (1 + weight)) if urn.reinforced else inverse


def between_keys(cells: Cells) -> float:
    """Variance of sum_j right_j [m_j > 0] of one table, where right_j is the ``mean`` of key j.

    Keys of equal weight are one group. With C_jk = Z_jk - Z_j Z_k, below 0 for two keys, and N the number of matched keys, it is

        sum_{j < k} -C_jk (right_j - right_k)^2  +  sum_j right_j^2 Cov([m_j > 0], N).
    """
    held = cells.weight() > 0
    right = cells.mean[held]
    sizes, first, group = np.unique(cells.records[held], return_index=True, return_inverse=True)
    if len(sizes) > MANY and not cells.urn.reinforced:
        return _of_many_weights(cells.urn, cells.weight()[held], cells.rest()[held], right)
    number, weight, total = np.bincount(group), cells.weight()[held][first], cells.records.sum()
    log_missed = cells.urn.log_missed(weight, cells.rest()[held][first])
    mean = np.bincount(group, right) / number
    within = np.bincount(group, (right - mean[group]) ** 2)

    found = 0.0
    step = max(1, BLOCK // max(1, len(sizes)))
    for start in range(0, len(sizes), step):
        j: Index = np.arange(start, min(start + step, len(sizes)))[:, None]
        k: Index = np.arange(len(sizes))[None, :]
        rest = np.maximum(total - sizes[j] - sizes[k], 0) + cells.added * max(len(cells.records) - 2, 0) + cells.outside
        dependence = np.expm1(cells.urn.log_dependence(weight[j], weight[k], rest)) * np.exp(log_missed[j] + log_missed[k])
        apart = number[k] * within[j] + number[j] * within[k] + number[j] * number[k] * (mean[j] - mean[k]) ** 2
        found -= float((dependence * apart).sum() / 2)
        if cells.urn.m > 1 or np.any(cells.outside):  # with one draw, exactly one key is matched
            alone = -np.exp(log_missed[j]) * np.expm1(log_missed[j])
            with_number = alone + (dependence * (number[k] - (j == k))).sum(-1, keepdims=True)
            found += float((with_number * (within[j] + number[j] * mean[j] ** 2)).sum())
    return found


def _of_many_weights(urn: Urn, weight: Floats, rest: Floats, right: Floats) -> float:
    """The same for an urn with replacement. With y = weight / rest it has C_jk = Z_j Z_k ((1 - y_j y_k)^m - 1).

    The binomial series of the power is a sum of products, whose terms fall at least like 1 / l! over the keys with y^2 <= 1 / m. The others
    weigh more than 1 / (2 sqrt m) of the urn, so that they are at most 2 sqrt m; their pairs are summed one by one. The rounding error is
    relative to sum_j right_j^2 Z_j (1 - Z_j).
    """
    log_missed, y = urn.log_missed(weight, rest), weight / rest
    missed, large = np.exp(log_missed), y**2 * urn.m > 1
    found = -(right**2 * missed * np.expm1(log_missed)).sum()

    small, scale = ~large, y[~large].max(initial=0.0)
    terms, factor = (right * missed)[small], 1.0
    for k in range(1, urn.m + 1):
        terms, factor = terms * (y[small] / scale), -factor * (urn.m - k + 1) / k * scale**2
        found += factor * terms.sum() ** 2
        if abs(factor) <= NEGLIGIBLE * urn.m * scale**2:
            break
    found -= ((right * missed) ** 2 * np.expm1(urn.m * np.log1p(-(y**2))))[small].sum()

    for j in np.flatnonzero(large):
        others = np.arange(len(y)) != j
        dependence = np.expm1(urn.log_dependence(weight[j], weight, rest[j] - weight)) * missed[j] * missed
        times = np.where(large, 1.0, 2.0)  # pairs of large keys are counted twice
        found += (dependence * right[j] * right * times)[others].sum()
    return float(found)
