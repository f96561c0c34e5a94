"""Least sum of o_ij s_ij / s_.j over all tables of counts with given margins: a transportation problem, solved and proved in integers.

The table comes from shortest paths between targets, in floats, which may err in the last bits. What they leave is found and mended in
fractions, so that the prices that are returned prove the table to be one of the least: see theory/transportation-bounds.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from capstats.tables.table import Array, Floats, Index

Counts = NDArray[np.int64]
Prices = list[Fraction]

MANY = 400  # keys from which a part of them is solved first
KEYS = 256  # keys whose cells are compared in integers of any size at a time


def least_transport(costs: Array, key_totals: Counts, target_totals: Counts) -> tuple[Counts, Prices]:
    """A table with these margins and the least sum of costs_ij s_ij / s_.j, and a price of each target that proves it.

    ``costs`` are integers, of dtype object where they need more than 64 bits, shape (target, key); all keys have records. Every record of
    the table is in a cell of its key with the least costs_ij - s_.j price_i, which is so for no table but a least one.
    """
    table, prices = _by_shortest_paths(costs, key_totals, target_totals)
    while cycle := _mended(costs, key_totals, table, prices):
        amount = min(int(table[leaves, key]) for leaves, key, _ in cycle)
        for leaves, key, enters in cycle:
            table[leaves, key] -= amount
            table[enters, key] += amount
    return table, prices


# --- a least table, up to rounding ------------------------------------------------------------------------------------


def _by_shortest_paths(costs: Array, key_totals: Counts, target_totals: Counts) -> tuple[Counts, Prices]:
    """A table that floats cannot tell from a least one, and prices that come with it."""
    unit = np.asarray(costs / key_totals, np.float64).T.copy()  # shape (key, target)
    paths = _sent(unit, key_totals, target_totals)
    return paths.table, paths.prices(costs, key_totals)


def _sent(unit: Floats, key_totals: Counts, target_totals: Counts) -> _Paths:
    """Every record in the cheapest cell of its key; then, from targets with too many to targets with too few, along cheapest paths."""
    potential = np.zeros(len(target_totals))
    if len(key_totals) > MANY:  # prices for a quarter of the keys are nearly right for all: few records are then in the wrong cell
        some = slice(None, None, 4)
        part, whole = int(key_totals[some].sum()), int(key_totals.sum())
        through = [total * part // whole for total in np.cumsum(target_totals).tolist()]
        potential = _sent(unit[some], key_totals[some], np.diff(through, prepend=0)).potential
    table = np.zeros(unit.T.shape, np.int64)
    table[(unit - potential).argmin(1), np.arange(len(unit))] = key_totals
    excess = table.sum(1) - target_totals
    paths = _Paths(unit, table, potential)
    while (excess > 0).any():
        path = paths.cheapest(excess)
        sent = paths.send(path, min(int(excess[path[0]]), int(-excess[path[-1]])))
        excess[path[0]] -= sent
        excess[path[-1]] += sent
    return paths


class _Paths:
    """What a record costs that leaves one target for another, in the key where this costs least."""

    def __init__(self, unit: Floats, table: Counts, potential: Floats):
        self.unit, self.table, self.potential = unit, table, potential
        self.cost = np.full((len(table), len(table)), np.inf)
        self.key = np.zeros(self.cost.shape, np.intp)
        for target in range(len(table)):
            self._renew(target)

    def _renew(self, target: int) -> None:
        """The steps that leave a target, in any of the keys where it has records."""
        self.cost[target] = np.inf
        keys = np.flatnonzero(self.table[target])
        if len(keys):
            self._open(target, keys)

    def cheapest(self, excess: Counts) -> list[int]:
        """The targets along the cheapest path from one with too many records to one with too few."""
        cost = np.maximum(self.cost + self.potential[:, None] - self.potential, 0)  # never below 0 but for rounding
        distance, before = _shortest(cost, np.where(excess > 0, 0.0, np.inf), 0)
        path = [int(np.where(excess < 0, distance, np.inf).argmin())]
        self.potential += np.minimum(distance, distance[path[0]])
        while before[path[-1]] >= 0:
            path.append(int(before[path[-1]]))
        return path[::-1]

    def send(self, path: list[int], most: int) -> int:
        """Send as many records along a path as it bears, in all keys where a step is as cheap as in the cheapest; their number."""
        steps = list(pairwise(path))
        keys = [self._cheapest_keys(*step) for step in steps]
        amount = min(most, *(int(self.table[step[0], of].sum()) for step, of in zip(steps, keys, strict=True)))
        for (leaves, enters), of in zip(steps[::-1], keys[::-1], strict=True):  # from the end, as what has come may not go on
            held = self.table[leaves, of]
            moved = np.clip(amount - (np.cumsum(held) - held), 0, held)
            self.table[leaves, of] -= moved
            self.table[enters, of] += moved
            self._open(enters, of[moved > 0])
            if (moved == held).any():
                self._renew(leaves)
        return amount

    def _cheapest_keys(self, leaves: int, enters: int) -> Index:
        keys = np.flatnonzero(self.table[leaves])
        low, high = self.unit[keys, leaves], self.unit[keys, enters]
        near = high - low <= self.cost[leaves, enters] + 4e-16 * (np.abs(low) + np.abs(high))
        return np.asarray(keys[near])

    def _open(self, target: int, keys: Index) -> None:
        """The steps that leave a target in keys where records have come."""
        apart = self.unit[keys] - self.unit[keys, target, None]
        best = apart.argmin(0)
        least = apart[best, np.arange(len(best))]
        cheaper = least < self.cost[target]
        self.cost[target, cheaper], self.key[target, cheaper] = least[cheaper], keys[best[cheaper]]

    def prices(self, costs: Array, key_totals: Counts) -> Prices:
        """Lengths of cheapest paths to each target, added up in fractions along a tree of them."""
        least = 1e-13 * np.abs(self.unit).max(initial=0)
        _, before = _shortest(self.cost, np.zeros(len(self.cost)), least)
        found: dict[int, Fraction] = {}

        def price(target: int) -> Fraction:
            chain = [target]
            while chain[-1] not in found and before[chain[-1]] >= 0 and len(chain) <= len(before):
                chain.append(int(before[chain[-1]]))
            found.setdefault(chain[-1], Fraction(0))
            for end, start in zip(chain[-2::-1], chain[:0:-1], strict=True):
                found[end] = found[start] + _step_cost(costs, key_totals, (start, int(self.key[start, end]), end))
            return found[target]

        return [price(target) for target in range(len(before))]


def _shortest(cost: Floats, distance: Floats, least: float) -> tuple[Floats, Index]:
    """Lengths of shortest paths that start anywhere, at the distance given there, and the target before each; -1 where a path starts.

    Paths that are not shorter by more than ``least`` do not count: by rounding they could lead in a circle.
    """
    before, nearer = np.full(len(distance), -1), np.flatnonzero(distance < np.inf)
    for _ in distance:
        through = distance[nearer, None] + cost[nearer]
        best = through.argmin(0)
        shorter = through[best, np.arange(len(distance))]
        better = shorter < distance - least
        if not better.any():
            break
        distance, before = np.where(better, shorter, distance), np.where(better, nearer[best], before)
        nearer = np.flatnonzero(better)
    return distance, before


def _step_cost(costs: Array, key_totals: Counts, step: Step) -> Fraction:
    leaves, key, enters = step
    return Fraction(int(costs[enters, key]) - int(costs[leaves, key]), int(key_totals[key]))


# --- exactly ----------------------------------------------------------------------------------------------------------


Step = tuple[int, int, int]  # a record leaves a target, in a key, for another target


def _mended(costs: Array, key_totals: Counts, table: Counts, prices: Prices) -> list[Step]:
    """Prices changed in place until they prove the table; or steps in a circle that make it cheaper, where no prices do."""
    before: dict[int, Step] = {}
    while changes := _overpriced(costs, key_totals, table, prices):
        for price, step in changes:
            prices[step[2]] = price
            before[step[2]] = step
        for target in {step[2] for _, step in changes}:
            if circle := _circle(before, target):
                return circle
    return []


def _circle(before: dict[int, Step], target: int) -> list[Step]:
    """The steps that lead to a target, where they come from this target."""
    path: list[Step] = []
    here = target
    while here in before and len(path) <= len(before):
        path.append(before[here])
        here = before[here][0]
        if here == target:
            return path[::-1]
    return []


def _overpriced(costs: Array, key_totals: Counts, table: Counts, prices: Prices) -> list[tuple[Fraction, Step]]:
    """For each target that is cheaper for a record of the table than its own, the price at which no record would rather have it."""
    common = math.lcm(*(price.denominator for price in prices))
    whole = np.array([int(price * common) for price in prices], object)[:, None]
    found: dict[int, tuple[Fraction, Step]] = {}
    for start in range(0, len(key_totals), KEYS):
        keys = slice(start, start + KEYS)
        priced = costs[:, keys].astype(object) * common - whole * key_totals[keys].astype(object)
        for i, j in zip(*np.nonzero((table[:, keys] > 0) & (priced > priced.min(0))), strict=True):
            for other in np.flatnonzero(priced[:, j] < priced[i, j]):
                step = (int(i), start + int(j), int(other))
                price = prices[step[0]] + _step_cost(costs, key_totals, step)
                if step[2] not in found or price < found[step[2]][0]:
                    found[step[2]] = (price, step)
    return list(found.values())
