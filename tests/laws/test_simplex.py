"""What the law of average CAP in the limit is the law of."""

from fractions import Fraction

import numpy as np
import pytest
import sparse
import xarray as xr

from capstats.laws.models import Synthesis
from capstats.laws.simplex import is_spline, simplex_sum, size

UNIFORM = Synthesis.of("uniform", limit=True)


def dirichlet(alpha):
    return Synthesis.of("dirichlet", limit=True, alpha=alpha)


def test_equal_keys_are_counted_together_and_constant_ones_added_up():
    # keys (3, 1, 0), (0, 1, 3) and (2, 2, 2); one without records
    total = simplex_sum([[3, 0, 2, 0], [1, 1, 2, 0], [0, 3, 2, 0]], UNIFORM)
    assert total.keys == {((0, 1), (1, 1), (3, 1)): 2}
    assert (total.n, total.constant) == (14, 2)
    assert (total.least, total.greatest) == (Fraction(2, 14), Fraction(8, 14))
    assert total.mean == Fraction(1, 3)  # of every table under "uniform", where each key has records


def test_counts_are_repeated_by_their_weights():
    # weights 3 + 1, 0 + 1, 0 + 1 of the counts 3, 0, 0
    total = simplex_sum([[3], [0], [0]], dirichlet(1))
    assert total.keys == {((0, 2), (3, 4)): 1}
    (knots,) = total.keys
    assert (size(knots), total.mean) == (6, Fraction(2, 3))
    # without alpha a target that a key does not have is never drawn, and a pure key is constant
    total = simplex_sum([[3, 2], [1, 0], [0, 0]], dirichlet(0))
    assert total.keys == {((1, 1), (3, 3)): 1}
    assert (total.constant, total.mean) == (2, Fraction(1, 6) * (2 + Fraction(5, 2)))


def test_weights_that_rounding_sets_apart_are_equal():
    total = simplex_sum([[0.1 + 0.2, 1.5], [0.3, 2.5]], UNIFORM)
    assert list(total.keys) == [((1.5, 1), (2.5, 1))]
    assert float(total.constant) == pytest.approx(0.3)


def test_weights_may_be_fractions():
    total = simplex_sum([[3], [1]], dirichlet(0.5))
    assert total.keys == {((1, Fraction(3, 2)), (3, Fraction(7, 2))): 1}
    (knots,) = total.keys
    assert not is_spline(knots)
    assert total.mean == (1 * Fraction(3, 2) + 3 * Fraction(7, 2)) / 5 / 4


def test_a_sparse_table_has_the_same_sum():
    o = [[3, 0, 2, 0], [0, 0, 2, 1]]
    held = xr.DataArray(sparse.COO.from_numpy(np.array(o)), dims=("target", "key"))
    assert simplex_sum(held, UNIFORM) == simplex_sum(o, UNIFORM)
    assert simplex_sum(held.T, UNIFORM) == simplex_sum(o, UNIFORM)


def test_the_mean_of_releases_has_each_key_as_often():
    total = simplex_sum([[3, 2], [1, 2]], UNIFORM).repeated(3)
    assert total.keys == {((1, 1), (3, 1)): 3}
    assert (total.n, total.constant, total.mean) == (24, 6, Fraction(1, 2))
