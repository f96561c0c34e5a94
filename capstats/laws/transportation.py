"""Least sum of o_ij s_ij / s_.j over all tables of counts with given margins: a transportation problem, solved and proved in integers.

The table comes from shortest paths between targets, in floats, which may err in the last bits. What they leave is found and mended in
fractions, so that the prices that are returned prove the table to be one of the least: see theory/transportation-bounds.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from capstats.tables.table import Array, Floats, Index

Counts = NDArray[np.int64]
Prices = list[Fraction]

KEYS = 256  # keys whose cells are compared in integers of any size at a time


def least_transport(costs: Array, key_totals: Counts, target_totals: Counts) -> tuple[Counts, Prices]:
    """A table with these margins and the least sum of costs_ij s_ij / s_.j, and a price of each target that proves it.

    ``costs`` are integers, of dtype object where they need more than 64 bits, shape (target, key); all keys have records. Every record of
    the table is in a cell of its key with the least costs_ij - s_.j price_i, which is so for no table but a least one.
    """
    table, prices = _by_shortest_paths(costs, key_totals, target_totals)
    while cycle := _mended(costs, key_totals, table, prices):
        _push(table, cycle, min(int(table[i, j]) for i, j, _ in cycle))
    return table, prices


# --- a least table, up to rounding ------------------------------------------------------------------------------------


def _by_shortest_paths(costs: Array, key_totals: Counts, target_totals: Counts) -> tuple[Counts, Prices]:
    """Every record in the cheapest cell of its key; then, from targets with too many to targets with too few, along cheapest paths."""
    unit = np.asarray(costs / key_totals, np.float64).T.copy()  # shape (key, target)
    keys, targets = unit.shape
    table = np.zeros((targets, keys), np.int64)
    table[unit.argmin(1), np.arange(keys)] = key_totals
    excess = table.sum(1) - target_totals
    paths = _Paths(unit, table)
    while (excess > 0).any():
        path = paths.cheapest(excess)
        start, end = path[0][0], path[-1][2]
        amount = min(int(excess[start]), int(-excess[end]), *(int(table[i, j]) for i, j, _ in path))
        _push(table, path, amount)
        excess[start] -= amount
        excess[end] += amount
        paths.update(path)
    return table, paths.prices(costs, key_totals)


Step = tuple[int, int, int]  # a record leaves a target, in a key, for another target


def _push(table: Counts, path: list[Step], amount: int) -> None:
    for leaves, key, enters in path:
        table[leaves, key] -= amount
        table[enters, key] += amount


class _Paths:
    """What a record costs that leaves one target for another, in the key where this costs least."""

    def __init__(self, unit: Floats, table: Counts):
        self.unit, self.table = unit, table
        self.cost = np.full((len(table), len(table)), np.inf)
        self.key = np.zeros(self.cost.shape, np.intp)
        for target in range(len(table)):
            self._renew(target)
        self.potential = np.zeros(len(table))

    def _renew(self, target: int) -> None:
        """The steps that leave a target, in any of the keys where it has records."""
        keys = np.flatnonzero(self.table[target])
        if not len(keys):
            self.cost[target] = np.inf
            return
        apart = self.unit[keys] - self.unit[keys, target, None]
        best = apart.argmin(0)
        self.cost[target], self.key[target] = apart[best, np.arange(len(best))], keys[best]

    def cheapest(self, excess: Counts) -> list[Step]:
        """The cheapest path from a target with too many records to one with too few."""
        cost = np.maximum(self.cost + self.potential[:, None] - self.potential, 0)  # never below 0 but for rounding
        distance, before = _shortest(cost, np.where(excess > 0, 0.0, np.inf), 0)
        end = int(np.where(excess < 0, distance, np.inf).argmin())
        self.potential += np.minimum(distance, distance[end])
        path: list[Step] = []
        while before[end] >= 0:
            start = int(before[end])
            path.append((start, int(self.key[start, end]), end))
            end = start
        return path[::-1]

    def update(self, path: list[Step]) -> None:
        """The steps that a path opens, where records have come, and those that it closes, where none are left."""
        for _, key, target in path:
            apart = self.unit[key] - self.unit[key, target]
            cheaper = apart < self.cost[target]
            self.cost[target, cheaper], self.key[target, cheaper] = apart[cheaper], key
        for target, key in {(step[0], step[1]) for step in path} | {(step[2], step[1]) for step in path}:
            if not self.table[target, key]:
                self._renew(target)

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
    before = np.full(len(distance), -1)
    for _ in distance:
        through = distance[:, None] + cost
        best = through.argmin(0)
        shorter = through[best, np.arange(len(best))]
        better = shorter < distance - least
        if not better.any():
            break
        distance, before = np.where(better, shorter, distance), np.where(better, best, before)
    return distance, before


def _step_cost(costs: Array, key_totals: Counts, step: Step) -> Fraction:
    leaves, key, enters = step
    return Fraction(int(costs[enters, key]) - int(costs[leaves, key]), int(key_totals[key]))


# --- exactly ----------------------------------------------------------------------------------------------------------


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
