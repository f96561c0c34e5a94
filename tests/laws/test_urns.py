"""Probabilities of an urn against the same in fractions, also where floats would cancel."""

from fractions import Fraction
from math import inf, prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import examples

from capstats.laws.urns import Urn

whole = st.integers(1, 400)
halves = st.integers(1, 800).map(lambda x: x / 2)
weights = st.one_of(whole, halves, st.sampled_from([2**-10, 2**-4, 10**6, 10**9]))
draws = st.one_of(st.integers(1, 40), st.integers(41, 200))
both = pytest.mark.parametrize("reinforced", [False, True])


def rising(x, times):
    return prod((x + k for k in range(times)), start=Fraction(1))


def missed(part, rest, m, reinforced):
    """The probability in fractions: draw by draw, the urn holds the rest, and what was drawn of it before."""
    part, rest = Fraction(part), Fraction(rest)
    return rising(rest, m) / rising(part + rest, m) if reinforced else (rest / (part + rest)) ** m


@both
@examples(60)
@given(weights, weights, draws)
def test_a_part_is_missed_as_often_as_it_should_also_where_that_is_almost_certain(reinforced, part, rest, m):
    exact = missed(part, rest, m, reinforced)
    found = Urn(m, reinforced).log_missed(np.float64(part), np.float64(rest)).item()
    assert -np.expm1(found) == pytest.approx(float(1 - exact), rel=1e-12)
    assert np.exp(found) == pytest.approx(float(exact), rel=1e-11, abs=1e-300)


@both
@examples(60)
@given(weights, weights, weights, draws)
@example(1, 1, 10**9, 33)  # the probability that both are missed differs from the product by one part in 10^16
def test_two_parts_miss_each_other_less_than_independent_ones(reinforced, left, right, rest, m):
    """P(both) / (P(left) P(right)) - 1, where the two almost agree."""
    both = missed(Fraction(left) + Fraction(right), rest, m, reinforced)
    product = missed(left, Fraction(right) + Fraction(rest), m, reinforced) * missed(right, Fraction(left) + Fraction(rest), m, reinforced)
    found = Urn(m, reinforced).log_dependence(np.float64(left), np.float64(right), np.float64(rest)).item()
    exact = both / product - 1
    assert exact < 0
    assert np.expm1(found) == pytest.approx(float(exact), rel=1e-12)


@both
@examples(60)
@given(weights, weights, draws)
@example(1 / 1024, 1 / 1024, 200)  # the probabilities are greatest at both ends
@example(1 / 1024, 400, 200)
@example(400, 1 / 1024, 200)
def test_the_mean_inverse_is_the_sum_over_all_numbers_of_draws(reinforced, part, rest, m):
    a, b, probability, mean = Fraction(part), Fraction(rest), missed(part, rest, m, reinforced), Fraction(0)
    for k in range(m):
        probability *= (m - k) * (a + k) / ((k + 1) * (b + m - k - 1)) if reinforced else (m - k) * a / ((k + 1) * b)
        mean += probability / (k + 1)
    assert Urn(m, reinforced).mean_inverse(part, rest) == pytest.approx(float(mean), rel=1e-12)


@both
def test_many_draws_are_summed_around_the_most_likely_number(reinforced):
    """A million draws: with S_i = P(missed in i draws), E[1/k; k > 0] is the sum over i of (S_{m-i} - S_m) / i."""
    m, part, rest = 10**6, 3.0, 5e4
    draws = np.arange(m)
    steps = np.log1p(-part / (part + rest + (draws if reinforced else 0 * draws)))
    survived = np.exp(np.concatenate([[0.0], np.cumsum(steps.astype(np.longdouble))]))
    i = np.arange(1, m + 1)
    exact = float(((survived[m - i] - survived[m]) / i).sum())
    assert Urn(m, reinforced).mean_inverse(part, rest) == pytest.approx(exact, rel=1e-11)


@both
def test_an_urn_of_one_part_and_a_part_of_no_weight(reinforced):
    urn = Urn(7, reinforced)
    assert urn.log_missed(np.array([2.0, 0.0, 0.0]), np.array([0.0, 3.0, 0.0])).tolist() == [-inf, 0, 0]
    assert urn.mean_inverse(2.0, 0.0) == 1 / 7
    assert urn.mean_inverse(0.0, 2.0) == 0
    for m in (7, 70):  # of two parts that are all, one is drawn
        assert Urn(m, reinforced).log_dependence(np.float64(2), np.float64(3), np.float64(0)).item() == -inf


@both
def test_one_draw_misses_both_parts_as_often_as_their_weights_say(reinforced):
    """1 - p - q against (1 - p) (1 - q), for p = q = 1/4: 1/2 and 9/16, ratio 8/9."""
    found = Urn(1, reinforced).log_dependence(np.float64(1), np.float64(1), np.float64(2)).item()
    assert np.exp(found) == pytest.approx(8 / 9, rel=1e-15)
