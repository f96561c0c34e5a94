"""A law between two bounds on a grid."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import theorem

from capstats.laws.grid import Grid, units_of


def test_a_value_lies_up_to_the_roundings_above_its_unit():
    """0, 1 and 3 units of 1/4, and two roundings: P(X <= 1/2) is at least P(0 units) and at most P(at most 2 units)."""
    law = Grid(np.array([0.5, 0.25, 0.0, 0.25]), Fraction(1, 4), 2, 0.0, 0.0, 1.0, "two roundings")
    found = law.cdf([0, 0.25, 0.5, 0.75, 0.9, 1])
    assert found.lower.values.tolist() == [0, 0, 0.5, 0.75, 0.75, 1]
    assert found.upper.values.tolist() == [0.5, 0.75, 0.75, 1, 1, 1]


def test_without_rounding_the_bounds_are_the_error_apart():
    law = Grid(np.array([0.5, 0.25, 0.0, 0.25]), Fraction(1, 4), 0, 0.001, 0.0, 0.75, "")
    found = law.cdf([0.1, 0.25 * (1 - 1e-14), 0.7])
    assert found.lower.values == pytest.approx([0.499, 0.749, 0.749])
    assert found.upper.values == pytest.approx([0.501, 0.751, 0.751])


@theorem
@given(st.integers(0, 500), st.integers(2, 300), st.lists(st.integers(1, 12), max_size=4))
def test_a_grid_holds_all_values_and_is_exact_for_as_many_totals_as_it_can(greatest, length, totals):
    of_unit, units = units_of(greatest, length, totals)
    assert greatest * of_unit // units < length
    assert min(of_unit, units) == 1
    if greatest * np.lcm.reduce([1, *totals]) < length:
        assert all(of_unit % total == 0 for total in totals)
