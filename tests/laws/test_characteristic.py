"""The characteristic function of the mean of knots, its error bound, and the bound of its size."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats.laws.characteristic import STEPS, UNIT, characteristic, power, product, size_bound


def by_series(knots, y):
    """E exp(i y D) in fractions: E D^p is p! N! / (p + N)! times the complete homogeneous symmetric polynomial of the knots."""
    order, terms = len(knots) - 1, 12 * math.ceil(y) + 60
    h = [Fraction(1)] + [Fraction(0)] * terms
    for knot in map(Fraction, knots):
        for p in range(1, terms + 1):
            h[p] += knot * h[p - 1]
    real, imaginary = Fraction(0), Fraction(0)
    for p, value in enumerate(h):
        part = Fraction(y) ** p * value * math.factorial(order) / math.factorial(p + order)
        real, imaginary = (real + (-1) ** (p // 2) * part, imaginary) if p % 2 == 0 else (real, imaginary + (-1) ** (p // 2) * part)
    return float(real) + 1j * float(imaginary)


KNOTS = [[-1, 1], [-1, 0, 1], [-1, -1, 1], [-1, 1 - 2**-30, 1], [-1, 2**-40, 2**-39, 1], [-1, -1, 0.3, 0.3, 0.3, 1], [-1, *[0.5] * 8, 1]]


@pytest.mark.parametrize("knots", KNOTS)
def test_close_and_repeated_knots_are_within_the_error_bound(knots):
    y = np.array([[1e-6, 0.3, 1.0, 2.5, 7.0, 20.0]])
    for at in (y, y[:, :3]):
        found, error = characteristic(np.array([knots], float), at)
        exact = [by_series(knots, x) for x in at[0]]
        assert (np.abs(found[0] - exact) <= error[0] + 4 * UNIT).all()
        assert error.max() < 2e-12


def test_two_knots_have_the_sine_over_its_argument_at_any_frequency():
    y = np.array([[1e3, 1e5 + 0.1, 1e7]])
    found, error = characteristic(np.array([[-1.0, 1.0]]), y)
    assert (np.abs(found - np.sin(y) / y) <= error).all()
    assert error.max() < 1e-5


@examples(30)
@given(st.lists(st.floats(-1, 1), min_size=0, max_size=5), st.floats(0, 60))
def test_no_frequency_beyond_has_a_larger_value_than_the_bound(inner, y):
    knots = np.sort([-1.0, *inner, 1.0])
    place = math.floor(STEPS * math.log2(y)) if y > 0 else -(10**6)
    bound = math.exp(size_bound(len(knots) - 1, np.array([place]))[0])
    beyond = y + np.linspace(0, 100, 400)[None, :]
    found, error = characteristic(knots[None, :], beyond)
    assert (np.abs(found) - error).max() <= bound


def test_the_bound_of_the_size_falls_from_one():
    for order in (1, 2, 3, 10):
        log = size_bound(order, np.arange(-1000, 1000))
        assert log[0] == 0
        assert (np.diff(log) <= 0).all()
        # in the end order / y
        assert log[-1] == pytest.approx(math.log(order) - 999 / STEPS * math.log(2), rel=1e-9)
        # small y: the variance of two knots at the ends and all others in the middle, 2 / ((N + 1) (N + 2)), at least about 3/4 of it
        at = -7 * STEPS
        assert -log[1000 + at] > 0.7 * 2.0 ** (2 * at / STEPS) / ((order + 1) * (order + 2))


def test_products_and_powers_are_within_their_running_errors():
    rng = np.random.default_rng(1)
    angle, length = rng.uniform(0, 6, (7, 3)), rng.uniform(0.9, 1, (7, 3))
    values = length * np.exp(1j * angle)
    wrong = np.full(values.shape, 1e-6)
    turned = values + 1e-6 * np.exp(1j * rng.uniform(0, 6, (7, 3)))
    found, error = product(turned, wrong)
    assert (np.abs(found - values.prod(0)) <= error).all()
    assert error.max() < 8e-6
    exponents = np.array([0, 1, 2, 3, 10, 100, 1000])
    found, error = power(turned, wrong, exponents)
    exact = length ** exponents[:, None] * np.exp(1j * angle * exponents[:, None])
    assert (np.abs(found - exact) <= error + 1e-12).all()
    assert (error[0] == 0).all()
