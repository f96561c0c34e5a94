"""Contributions of single columns to a measure, from its value for every subset of columns: ranks, leave-one-out and Shapley values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from capstats.counting.lattice import Columns
from capstats.tables.primitives import Floats, at_most


def ranks(values: Floats) -> Floats:
    """Ranks along the first axis: 1 is the greatest value; values that differ by rounding alone share the smaller rank; NaN has none."""
    order = np.argsort(-values, axis=0, kind="stable")  # NaN comes last
    sorted_values = np.take_along_axis(values, order, axis=0)
    below = np.ones(values.shape, bool)
    below[1:] = ~at_most(sorted_values[:-1], sorted_values[1:])
    places = np.arange(1, len(values) + 1).reshape(-1, *(1,) * (values.ndim - 1))
    found = np.empty(values.shape)
    np.put_along_axis(found, order, np.maximum.accumulate(np.where(below, places, 1), axis=0).astype(np.float64), axis=0)
    found[np.isnan(values)] = np.nan
    return found


def leave_one_out(values: Mapping[Columns, Floats], k: int) -> Floats | None:
    """The value of all k columns minus the value without each of them; None if one of these values is missing."""
    everything = tuple(range(k))
    without = [everything[:c] + everything[c + 1 :] for c in everything]
    if not {everything, *without} <= values.keys():
        return None
    return np.stack([values[everything] - values[columns] for columns in without])


def shapley(values: Mapping[Columns, Floats], k: int) -> Floats | None:
    """Average increment by each of k columns over all orders of adding them; None if the value of a subset is missing."""
    if len(values) < 2**k:
        return None
    shares = [np.zeros_like(values[()]) for _ in range(k)]
    for size in range(k):
        weight = 1 / (k * math.comb(k - 1, size))  # the share of orders in which exactly these columns come before this one
        for c in range(k):
            others = [x for x in range(k) if x != c]
            for columns in combinations(others, size):
                shares[c] += weight * (values[tuple(sorted((*columns, c)))] - values[columns])
    return np.stack(shares)
