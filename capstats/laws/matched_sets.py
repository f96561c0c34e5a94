"""Moments of a ratio to the matched records by the sets of keys that can be matched: for few keys and any number of records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from capstats.laws.cells import mean_factor
from capstats.laws.urns import Urn
from capstats.tables.table import Array, Floats


@dataclass(frozen=True)
class Keys:
    """The keys of one table that have original records, in an urn."""

    urn: Urn
    o_j: Array  # original records of each key
    weight: Floats
    filler: float  # weight of the keys without original records

    @property
    def total(self) -> float:
        """What all keys weigh."""
        return float(self.weight.sum()) + self.filler

    def matched(self) -> Floats:
        """How likely each key is matched."""
        return np.asarray(-np.expm1(self.urn.log_missed(self.weight, np.maximum(self.total - self.weight, 0))))

    def some_matched(self) -> float:
        """How likely at least one of them is matched, so that the average of version 2 is defined."""
        return float(-np.expm1(self.urn.log_missed(self.weight.sum(), np.asarray(self.filler))))


def over_sets(keys: Keys, right: Floats, spread: Floats | None) -> float:
    """E[C / X; X > 0], where C is the sum of ``right`` and X that of the original records over matched keys.

    With ``spread``, the variance of the right answers to one draw in each key, it is E[D^2 / X^2; X > 0] with the answers D that are drawn.
    """
    count = len(keys.o_j)
    member = ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(np.float64)  # one row a set, the empty one first
    records, weight = member @ keys.o_j, member @ keys.weight
    log_missed = keys.urn.log_missed((1 - member) @ keys.weight, weight + keys.filler)  # of the keys that are not in the set
    exactly = _differences(np.expm1(log_missed), up=True)[1:]  # how likely these keys are matched, and no other of them
    mean = member[1:] @ right / records[1:]
    if spread is None:
        return float((exactly * mean).sum())

    inverse = np.zeros(len(member))
    inverse[1:] = 1 / records[1:] ** 2
    share = np.exp(log_missed) * np.maximum(_differences(inverse, up=False), 0)
    factors: dict[tuple[float, float], float] = {}
    within = 0.0
    for chosen, key in np.argwhere((member > 0) & (spread > 0)):
        urn = (float(keys.weight[key]), float(max(weight[chosen] + keys.filler - keys.weight[key], 0.0)))
        if urn not in factors:
            factors[urn] = mean_factor(keys.urn, *map(np.asarray, urn))
        within += spread[key] * share[chosen] * factors[urn]
    return float((exactly * mean**2).sum() + within)


def _differences(values: Floats, *, up: bool) -> Floats:
    """Sums with alternating signs over all subsets of each set, or with ``up=False`` over all sets that it is a subset of."""
    found = values.copy()
    size = 1
    while size < len(found):
        pairs = found.reshape(-1, 2, size)  # without and with one key
        if up:
            pairs[:, 1] -= pairs[:, 0]
        else:
            pairs[:, 0] -= pairs[:, 1]
        size *= 2
    return found
