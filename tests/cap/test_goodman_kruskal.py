"""Goodman and Kruskal's tau and lambda."""

from fractions import Fraction

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, counts, theorem

from capstats import at_most
from capstats.cap import goodman_kruskal_lambda, goodman_kruskal_tau

BOTH = (goodman_kruskal_tau, goodman_kruskal_lambda)


def avoided(o, guess):
    """Share of wrong guesses that the key avoids, in fractions; ``guess`` is how often the guesser is right with a list of counts."""
    rows = [[int(x) for x in row] for row in o]
    n = sum(map(sum, rows))
    without = guess([sum(row) for row in rows])
    with_key = sum((guess([row[j] for row in rows]) for j in range(len(rows[0]))), Fraction(0))
    return float((with_key - without) / (n - without)) if n - without else np.nan


def proportional(counts):
    return Fraction(sum(x * x for x in counts), sum(counts) or 1)


def modal(counts):
    return Fraction(max(counts))


@theorem
@given(count_tables())
def test_tau_and_lambda_are_the_errors_that_a_guesser_avoids(o):
    np.testing.assert_allclose(goodman_kruskal_tau(o), avoided(o, proportional), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(goodman_kruskal_lambda(o), avoided(o, modal), rtol=1e-14)


@theorem
@given(counts((3, 4)), st.lists(st.integers(1, 5), min_size=2, max_size=4), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_tau_is_zero_only_at_independence(o, targets, keys):
    assert goodman_kruskal_tau(np.outer(targets, keys)).item() == pytest.approx(0, abs=1e-14)
    independent = (o * o.sum() == np.outer(o.sum(1), o.sum(0))).all()
    if not independent:
        assert goodman_kruskal_tau(o) > 1e-6


@theorem
@given(counts((3, 3, 2)))
def test_another_key_column_never_lowers_either(cube):
    fine, coarse = cube.reshape(3, 6), cube.sum(2)
    for measure in BOTH:
        assert np.isnan(measure(coarse)) or at_most(measure(coarse).item(), measure(fine).item() + 1e-14)


@pytest.mark.parametrize("measure", BOTH)
def test_pure_keys_decide_the_target(measure):
    assert measure([[4, 0, 0], [0, 2, 1]]).item() == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize("measure", BOTH)
def test_one_target_or_no_record_is_undefined(measure):
    found = measure(xr.DataArray([[[3, 4], [0, 0]], [[0, 0], [0, 0]], [[1, 0], [0, 1]]], dims=("draw", "target", "key")))
    np.testing.assert_array_equal(np.isnan(found), [True, True, False])
    assert np.isnan(measure([[0.1, 0.2, 0.3], [0, 0, 0]]))
