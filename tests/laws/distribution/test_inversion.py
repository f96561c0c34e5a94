"""The law of a sum by its Fourier series: its bounds hold the exact number, whatever was cut off and rounded."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import count_tables, examples

from capstats.laws import Dirichlet, Uniform
from capstats.laws.distribution.closed_form import ClosedForm, simplex_sum
from capstats.laws.distribution.inversion import (
    LEAST,
    STEPS,
    Inversion,
    characteristic,
    conditioned,
    conditioned_bound,
    power,
    product,
    size_bound,
)
from capstats.laws.distribution.law import UNIT


def both(o, **told):
    total = simplex_sum(o, Dirichlet(**told) if told else Uniform())
    return (ClosedForm.of(total, "", 10**7), Inversion(total, "")) if total.keys else None


def agree(laws, x):
    exact = laws[0]
    x = np.asarray(x) * (exact.greatest - exact.least) + exact.least
    for name in ("cdf", "density"):
        expected, found = (getattr(law, name)(x) for law in laws)
        assert (found.lower <= expected.upper).all(), name
        assert (expected.lower <= found.upper).all(), name
        assert (found.lower <= found.upper).all(), name


@pytest.mark.parametrize("knots", [2, 8])
def test_many_knots_by_the_integral_have_the_closed_form_too(knots, monkeypatch):
    """Keys of 9 and more knots, which are also found by doubling."""
    monkeypatch.setattr("capstats.laws.distribution.inversion.KNOTS", knots)
    agree(both([[3, 0, 2], [1, 4, 4], [6, 5, 0]], alpha=1), [0, 0.2, 0.4, 0.6, 0.9])
    agree(both(np.arange(27).reshape(9, 3) ** 2), [0, 0.2, 0.4, 0.6, 0.9])


SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=5)


@pytest.fixture(autouse=True)
def little_work(monkeypatch):
    """Laws of one key would take many terms; their brackets are wide with fewer, and hold as well."""
    monkeypatch.setattr("capstats.laws.distribution.inversion.WORK", 3e6)


@pytest.mark.slow
@examples(40)
@given(count_tables(targets=4, keys=4), SHARES)
@example([[1], [0]], [0, 0.25, 1])
@example([[1, 1], [0, 0]], [0.5])
@example([[10**9, 1], [0, 0]], [0, 1e-10, 0.5])
def test_the_bracket_holds_the_closed_form(o, shares):
    laws = both(o)
    if laws:
        agree(laws, shares)


@pytest.mark.slow
@examples(15)
@given(count_tables(targets=3, keys=3, most=3), st.integers(0, 2), SHARES)
def test_the_bracket_holds_the_closed_form_of_repeated_knots(o, alpha, shares):
    laws = both(o, alpha=alpha)
    if laws:
        agree(laws, shares)


@pytest.mark.slow
@examples(15)
@given(count_tables(targets=3, keys=4, most=9), SHARES, st.sampled_from([10**3, 10**7, 10**11]))
def test_the_bracket_holds_where_counts_are_close_beside_their_size(o, shares, more):
    laws = both(o + more)
    if laws:
        agree(laws, shares)


def test_the_bracket_of_a_table_of_many_keys_is_narrow():
    o = np.random.default_rng(1).integers(0, 50, (3, 200))
    exact = both(o[:, :4])
    assert exact[1].width < 1e-8
    law = both_inverted(o)
    assert law.width < 1e-8
    density = law.density(law.quantile([0.1, 0.5, 0.9]).lower.values)
    assert (density.upper - density.lower).max() < 1e-4 * density.upper.max()


def both_inverted(o):
    return Inversion(simplex_sum(o, Uniform()), "")


def test_many_equal_keys_have_the_law_of_a_sum_of_even_numbers():
    """Irwin and Hall: the sum of J numbers that are even on [0, 1]."""
    o = np.array([[1] * 12, [0] * 12])
    agree(both(o), [0.1, 0.3, 0.5, 0.8])
    assert both_inverted(o).terms < 200


def test_what_one_key_leaves_out_is_in_its_bracket():
    law = both_inverted([[1], [0]])
    assert 1e-7 < law.width < 1e-2
    assert law.density(0.3).lower.item() == 0
    assert law.density(0.3).upper.item() == pytest.approx(1)


@pytest.mark.parametrize("targets", [2, 3, 6])
def test_the_mean_of_the_law_is_that_of_the_sum(targets):
    o = np.random.default_rng(2).integers(0, 9, (targets, 6))
    law = both_inverted(o)
    x = np.linspace(law.least, law.greatest, 2001)
    found = law.cdf(x)
    lower, upper = ((law.greatest - law.least) * (1 - f[:-1].mean()) + law.least for f in (found.upper.values, found.lower.values))
    step = x[1] - x[0]
    assert lower - step <= 1 / targets <= upper + step


# --- characteristic function of even weights ---------------------------------------------------------------------------


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


@pytest.mark.slow
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


@pytest.mark.slow
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


# --- shares that are gamma variables over their total -------------------------------------------------------------------

CASES = [
    ([-1, 1], [4, 4]),
    ([-1, 0.2, 1], [5, 4, 3]),
    ([-1, 1], [30, 2]),
    ([-1, -0.5, 0.3, 1], [1, 20, 30, 2]),
    ([-1, 1 - 1e-9, 1], [9, 1, 9]),
]
Y = np.array([0, 1e-9, 0.1, 1, 3, 10, 30, 80, 300])


@pytest.mark.few(2)
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


@pytest.mark.slow
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
