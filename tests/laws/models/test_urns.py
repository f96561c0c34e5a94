"""Probabilities of an urn against the same in fractions, also where floats would cancel."""

from fractions import Fraction
from math import inf, prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import examples

from capstats.laws.models.urns import NODES, Urn
from capstats.tables.gamma_ratios import sum_rule

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
        probability *= (m - k) * (a + k) / ((k + 1) * (b + (m - k - 1))) if reinforced else (m - k) * a / ((k + 1) * b)
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


def harmonic(m):
    return np.log(m) + np.euler_gamma + 1 / (2 * m)


@pytest.mark.parametrize("m", [10**9, 10**12, 2**53 - 1])
def test_the_mean_inverse_of_very_many_draws_is_found_at_once(m):
    """With weights 1 and 1 all k are as likely; with 2 and 1 their probabilities are as k + 1: harmonic numbers."""
    assert Urn(m, True).mean_inverse(1, 1) == pytest.approx(harmonic(m) / (m + 1), rel=1e-14)
    assert Urn(m, True).mean_inverse(2, 1) == pytest.approx((m + harmonic(m)) / ((m + 1) / 2 * (m + 2)), rel=1e-14)
    # weights so large that k varies little: 1/k by its first four moments
    a, b = 1e9, 3e9
    mean, variance = m * a / (a + b), m * a * b * (a + b + m) / ((a + b) ** 2 * (a + b + 1))
    third = variance**1.5 * (a + b + 2 * m) * (b - a) / (a + b + 2) * ((1 + a + b) / (m * a * b * (m + a + b))) ** 0.5
    inverse = (1 + variance / mean**2 - third / mean**3 + 3 * (variance / mean**2) ** 2) / mean
    assert Urn(m, True).mean_inverse(a, b) == pytest.approx(inverse, rel=1e-14)


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.004), (0.07, 0.04), (5.2, 20.3), (300.0, 1e5), (1e-3, 40.0), (0.5, 3e3)])
def test_stretches_that_are_summed_by_a_rule_are_those_that_are_added_one_by_one(a, b):
    m = 300_000
    k = np.arange(m, dtype=np.longdouble)
    logs = np.append(np.longdouble(0), np.cumsum(np.log((m - k) * (a + k) / ((k + 1) * (b + (m - k - 1))))))
    probability = np.exp(logs - logs.max())
    exact = float((probability[1:] / (k + 1)).sum() / probability.sum())
    assert Urn(m, True).mean_inverse(a, b) == pytest.approx(exact, rel=1e-12)


def test_the_rule_for_sums_is_exact_for_polynomials():
    for number in (64, 5000):
        places, weights = sum_rule(number, NODES)
        integers = [2 * Fraction(i) / number - 1 for i in range(1, number + 1)]
        for degree in (0, 1, 2, 7, 20, 39):
            exact = float(sum(x**degree for x in integers)) / number
            assert (weights * (2 * places / number - 1) ** degree).sum() / number == pytest.approx(exact, rel=1e-12, abs=1e-15)


@both
def test_an_urn_of_one_part_and_a_part_of_no_weight(reinforced):
    urn = Urn(7, reinforced)
    assert urn.log_missed(np.array([2.0, 0.0, 0.0]), np.array([0.0, 3.0, 0.0])).tolist() == [-inf, 0, 0]
    assert urn.mean_inverse(2.0, 0.0) == 1 / 7
    assert urn.mean_inverse(0.0, 2.0) == 0
    for m in (7, 70):  # of two parts that are all, one is drawn
        assert Urn(m, reinforced).log_dependence(np.float64(2), np.float64(3), np.float64(0)).item() == -inf
