"""Every root of a function lies in a bracket, and extremes are found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import theorem

from capstats.laws.brackets import FINEST, WITHIN, brackets, extremes


def of_lipschitz(function, constant):
    def bounds(lower, upper):
        middle, reach = function((lower + upper) / 2), constant * (upper - lower) / 2
        return middle - reach, middle + reach

    return bounds


def wave(u):
    return np.sin(7 * u) + u


WAVE = of_lipschitz(wave, 8.0)


def test_every_root_is_in_a_bracket():
    """sin 7u + u = 1/2 at three places, found by a fine grid."""
    lower, upper = brackets(WAVE, 0.5)
    grid = np.linspace(0, 1, 10**6 + 1)
    changes = grid[:-1][np.diff(np.sign(wave(grid) - 0.5)) != 0]
    assert len(changes) == len(lower) == 3
    assert (np.abs(lower - changes) < 2e-6).all()
    assert ((wave(lower) - 0.5) * (wave(upper) - 0.5) < 0).all()
    assert (upper - lower < 100 * FINEST).all()


@theorem
@given(st.lists(st.floats(0, 1), min_size=1, max_size=3, unique=True))
def test_roots_that_are_given_are_held(roots):
    def product(u):
        return np.prod([u - root for root in roots], axis=0)

    lower, upper = brackets(of_lipschitz(product, 3.0), 0.0)
    for root in roots:
        assert ((lower <= root) & (root <= upper)).any()
    assert (lower[1:] > upper[:-1]).all()


def test_nothing_is_found_where_the_value_is_not_reached():
    lower, upper = brackets(WAVE, 5.0)
    assert len(lower) == len(upper) == 0


def test_a_function_that_is_the_wanted_value_everywhere_ends_in_one_bracket():
    lower, upper = brackets(of_lipschitz(np.zeros_like, 0.0), 0.0)
    assert (lower.tolist(), upper.tolist()) == ([0.0], [1.0])


def test_extremes_are_those_of_a_fine_grid():
    values = wave(np.linspace(0, 1, 10**6 + 1))
    least, greatest = extremes(WAVE, wave)
    assert least == pytest.approx(values.min(), abs=WITHIN)
    assert greatest == pytest.approx(values.max(), abs=WITHIN)
