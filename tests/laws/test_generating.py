"""Generating functions against all sets of matched keys, and the parts of which they are made."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import examples

from capstats.laws.models.matched_only import Circle, Groups, Keys, over_sets
from capstats.laws.models.urns import Urn

both = pytest.mark.parametrize("reinforced", [False, True])
numbers = st.lists(st.integers(1, 40), min_size=1, max_size=6)


@pytest.mark.slow
@both
@examples(25)
@given(numbers, st.integers(1, 60), st.sampled_from([0.0, 1.0, 0.25, 30.0]), st.sampled_from([0.01, 0.5, 1.0, 3.0]), st.integers(0, 99))
@example([1, 1, 1, 40], 1, 30.0, 1.0, 0)
@example([7], 60, 0.0, 0.01, 0)  # the urn weighs less than a record
def test_they_give_what_the_sets_of_keys_give(reinforced, records, m, filler, scale, seed):
    rng = np.random.default_rng(seed)
    o_j = np.array(records)
    keys = Keys(Urn(m, reinforced), o_j, scale * o_j, filler)
    right, spread = rng.random(len(o_j)) * o_j, rng.random(len(o_j))
    for squares in (None, spread):
        expected = over_sets(keys, right, squares)
        assert Groups.of(keys).expected(right, squares) == pytest.approx(expected, rel=1e-11)


@both
def test_keys_with_as_many_records_are_a_group_of_which_each_counts(reinforced):
    rng = np.random.default_rng(1)
    o_j = np.array([2, 5, 2, 2, 5, 9])
    keys = Keys(Urn(12, reinforced), o_j, o_j + 0.5, 4.0)
    groups = Groups.of(keys)
    assert groups.number.tolist() == [3, 2, 1]
    right, spread = rng.random(6), rng.random(6)
    assert groups.expected(right, None) == pytest.approx(over_sets(keys, right, None), rel=1e-13)
    assert groups.expected(right, spread) == pytest.approx(over_sets(keys, right, spread), rel=1e-13)


@both
@pytest.mark.parametrize(("m", "weight"), [(1, 3.0), (4, 0.5), (40, 7.0), (3000, 500.0)])
def test_the_circle_gives_the_coefficient(reinforced, m, weight):
    """Of G(z) (z - z^3 / 2) with G = e^(w z) or (1 - z)^-w, against that of G: those of z^(m - 1) and z^(m - 3)."""
    circle = Circle.of(m, weight, reinforced=reinforced)
    points = 2 * (len(circle.turns) - 1)
    radius = -np.expm1(-circle.start) if reinforced else circle.start
    z = radius * np.exp(2j * np.pi * np.arange(len(circle.turns)) / points)
    of_weight = np.exp(weight * circle.change) * circle.turns
    found = (of_weight * (z - z**3 / 2)).sum().real / of_weight.sum().real

    def back(steps):  # the coefficient of z^(m - steps), against that of z^m
        return np.prod([(m - t) / ((weight + m - t - 1) if reinforced else weight) for t in range(steps)])

    assert found == pytest.approx(back(1) - back(3) / 2, rel=1e-11)


@pytest.mark.parametrize("x", [1, 3, 50, 987653])
def test_exponentials_give_the_square_of_the_inverse_and_differences_of_inverses(x):
    o_j = np.array([1, 987653])
    u = Groups.of(Keys(Urn(2, reinforced=False), o_j, o_j / 1.0, 0.0)).exponents
    assert 0.22 * (u**2 * np.exp(-u * x)).sum() == pytest.approx(1 / x**2, rel=1e-14)
    assert 0.22 * (u * (np.exp(-u * x) - np.exp(-u * 987654))).sum() == pytest.approx(1 / x - 1 / 987654, rel=1e-14, abs=1e-21)
    assert len(u) < 200
