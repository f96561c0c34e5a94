"""The characteristic function of a mean by Dirichlet shares, as an integral: its error bound, and the bound of its size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats.laws.characteristic import characteristic
from capstats.laws.conditioned import LEAST, conditioned, conditioned_bound

CASES = [
    ([-1, 1], [4, 4]),
    ([-1, 0.2, 1], [5, 4, 3]),
    ([-1, 1], [30, 2]),
    ([-1, -0.5, 0.3, 1], [1, 20, 30, 2]),
    ([-1, 1 - 1e-9, 1], [9, 1, 9]),
]
Y = np.array([0, 1e-9, 0.1, 1, 3, 10, 30, 80, 300])


@pytest.mark.parametrize(("places", "weights"), CASES)
def test_it_is_that_of_repeated_knots_where_weights_are_integers(places, weights):
    places, weights = np.array(places, float), np.array(weights)
    expected, of_expected = characteristic(np.repeat(places, weights)[None, :], Y[None, :])
    found, error = conditioned(places, weights.astype(float), Y)
    assert (np.abs(found - expected[0]) <= error + of_expected[0]).all()
    assert error.max() < 1e-11


def test_an_exchange_of_real_weights_has_the_beta_law_by_its_series():
    """Weights a and b at 1 and -1: E exp(i y D) = exp(-i y) 1F1(a; a + b; 2 i y)."""
    a, b = 3.7, 5.45
    y = np.array([0.5, 2.0, 6.0])
    series, term = np.ones(3, complex), np.ones(3, complex)
    for p in range(80):
        term = term * (a + p) / (a + b + p) * 2j * y / (p + 1)
        series = series + term
    found, error = conditioned(np.array([-1.0, 1.0]), np.array([b, a]), y)
    assert (np.abs(found - series * np.exp(-1j * y)) <= error + 1e-10).all()


def test_thousands_of_records_take_few_nodes():
    found, error = conditioned(np.array([-1.0, 0, 1.0]), np.array([1e5, 2e5, 1e5]) + 0.5, np.array([0.0, 100, 1000]))
    assert error.max() < 1e-8
    # nearly normal: the variance is sum w d^2 / W^2 = 1 / (2 * 4e5)
    np.testing.assert_allclose(np.abs(found), np.exp(-(np.array([0, 100, 1000]) ** 2) / (16e5)), rtol=1e-3)


@examples(30)
@given(
    st.lists(st.tuples(st.floats(-0.99, 0.99), st.floats(0.1, 30)), max_size=3),
    st.floats(0.1, 30),
    st.floats(0.1, 30),
    st.floats(0, 300),
)
def test_no_argument_beyond_has_a_larger_value_than_the_bound(inner, first, last, y):
    at = sorted({round(place, 3): weight for place, weight in inner}.items())
    places = np.array([-1.0, *[place for place, _ in at], 1.0])
    weights = np.array([first, *[weight for _, weight in at], last])
    if weights.sum() < LEAST:
        weights = weights * LEAST / weights.sum()
    beyond = y + np.linspace(0, 100, 60)
    found, error = conditioned(places, weights, beyond)
    bound = np.exp(conditioned_bound(places, weights, beyond))
    assert ((np.abs(found) - error)[None, :] <= bound[:, None] + np.tril(np.full((60, 60), np.inf), -1)).all()
