"""What a value of every subset of columns says of the single columns: their shares of it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
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
    return np.asarray(mean_increments(values, k, [k])[0])


def shapley(values: Mapping[Columns, Floats], k: int) -> Floats | None:
    """Average increment by each of k columns over all orders of adding them; None if the value of a subset is missing."""
    if len(values) < 2**k:
        return None
    return np.asarray(mean_increments(values, k, range(1, k + 1)).mean(axis=0))


def mean_increments(values: Mapping[Columns, Floats], k: int, sizes: Collection[int]) -> Floats:
    """Average increment by each of k columns over the subsets of a size that contain it, for each size: shape (size, column, ...).

    The values of all subsets of these sizes, and of those with one column fewer, are needed.
    """
    means = np.zeros((len(sizes), k, *np.shape(next(iter(values.values())))))
    for at, size in enumerate(sizes):
        for columns in combinations(range(k), size):
            for place, c in enumerate(columns):
                means[at, c] += values[columns] - values[columns[:place] + columns[place + 1 :]]
        means[at] /= math.comb(k - 1, size - 1)
    return means
