"""What a value of every subset of columns says of the single columns: their shares of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from capstats.counting.lattice import Columns
from capstats.tables.table import Floats


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
