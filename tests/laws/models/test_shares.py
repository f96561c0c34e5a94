"""Shares of targets where some cells are not stored."""

import numpy as np
import pytest
import sparse
import xarray as xr

from capstats.laws.models.shares import absent, rest_of_targets, spread
from capstats.tables.aligned import Aligned

ORIGINAL = np.array([[4, 0, 0], [0, 1, 0], [2, 5, 0]])
BACKINGS = {"dense": ORIGINAL, "sparse": xr.DataArray(sparse.COO.from_numpy(ORIGINAL), dims=("target", "key"))}


def of_keys(backing, formula):
    return Aligned({"o": BACKINGS[backing]}).map(formula, "found", ("key",)).values.tolist()


@pytest.mark.parametrize(("backing", "cells", "weights"), [("dense", [0, 0, 0], [0, 0, 0]), ("sparse", [1, 1, 3], [20, 10, 60])])
def test_cells_that_are_not_stored_are_counted_and_weighed(backing, cells, weights):
    """Of the targets, which weigh 10, 20 and 30, the first key lacks the second, and the second key the first."""
    assert of_keys(backing, absent) == cells
    assert of_keys(backing, lambda o: rest_of_targets(o, np.array([10, 20, 30]))) == weights


@pytest.mark.parametrize("backing", BACKINGS)
def test_the_variance_over_targets_counts_cells_without_records(backing):
    """Three targets, each with probability 1/3: of 4, 0, 2 the variance is 8/3; of 0, 1, 5 it is 14/3."""

    def formula(o):
        shares = np.full(o.values.shape, 1 / 3)
        return spread(o, shares, absent(o) / 3, o.key_total / 3)

    assert of_keys(backing, formula) == pytest.approx([8 / 3, 14 / 3, 0])
