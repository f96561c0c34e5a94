"""Version 2 against all sets of matched keys, and what is out of reach; test_cell_moments.py has every release."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import examples

from capstats.laws import Bootstrap, Dirichlet, Uniform, expected_cap, variance_cap
from capstats.laws.models.matched_only import Circle, Groups, Keys, over_sets
from capstats.laws.models.urns import Urn


def of_all_sets(o, m, weights):
    """Mean of version 2 by inclusion and exclusion over sets of matched keys, in fractions: weights of cells, with reinforcement."""
    targets, keys = len(o), range(len(o[0]))
    o_j = [sum(row[j] for row in o) for j in keys]
    w = [sum(weights[i][j] for i in range(targets)) for j in keys]
    right = [sum(Fraction(o[i][j]) * weights[i][j] for i in range(targets)) / w[j] for j in keys]

    def within(chosen):  # all draws are of these keys
        part, found = sum((w[j] for j in chosen), Fraction(0)), Fraction(1)
        for t in range(m):
            found *= (part + t) / (sum(w) + t)
        return found

    inside = {chosen: within(chosen) for size in range(len(keys) + 1) for chosen in combinations(keys, size)}
    found = Fraction(0)
    for chosen in list(inside)[1:]:
        exactly = sum((-1) ** (len(chosen) - size) * inside[part] for size in range(len(chosen) + 1) for part in combinations(chosen, size))
        found += exactly * sum(right[j] for j in chosen) / sum(o_j[j] for j in chosen)
    return found


@pytest.mark.parametrize("m", [2, 9, 60, 900])
@pytest.mark.parametrize("o", [[[90, 2, 10], [30, 40, 1]], [[300, 0, 3, 1], [300, 5, 0, 1]]])
def test_many_records_keep_their_digits(o, m):
    alpha = Fraction(1, 2)
    expected = of_all_sets(o, m, [[x + alpha for x in row] for row in o])
    assert expected_cap(o, Dirichlet(m, alpha=0.5), unmatched="drop").item() == pytest.approx(float(expected), rel=1e-13)


def test_under_uniform_the_mean_is_one_over_the_number_of_targets():
    o = np.random.default_rng(7).poisson(2.0, (4, 9))
    assert expected_cap(o, Uniform(5), unmatched="drop").item() == 0.25


def test_with_all_keys_matched_both_versions_agree():
    o = np.random.default_rng(8).poisson(30.0, (3, 4)) + 1
    for measure in (expected_cap, variance_cap):
        both = [measure(o, Bootstrap(20_000), unmatched=unmatched).item() for unmatched in ("zero", "drop")]
        assert both[0] == pytest.approx(both[1], rel=1e-10)


def test_what_is_out_of_reach_is_refused():
    """Many records from an urn of little weight: their numbers are spread so widely that the circle would need too many points."""
    o = np.ones((2, 9), int)
    for measure in (expected_cap, variance_cap):
        with pytest.raises(ValueError, match=r"would take \de\+\d\d steps; the limit is 1e\+08. Average the `average_cap` of draws"):
            measure(o, Dirichlet(10**9, alpha=0.5), unmatched="drop")
    with pytest.raises(ValueError, match="would take 2e"):
        variance_cap(np.random.default_rng(10).integers(1, 10**6, (2, 200)), Bootstrap(10**6), unmatched="drop")


# --- Generating functions against all sets of matched keys, and the parts of which they are made ---


both = pytest.mark.parametrize("reinforced", [False, True])
numbers = st.lists(st.integers(1, 40), min_size=1, max_size=6)


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
        assert Groups(keys).expected(right, squares) == pytest.approx(expected, rel=1e-11)


@both
def test_keys_with_as_many_records_are_a_group_of_which_each_counts(reinforced):
    rng = np.random.default_rng(1)
    o_j = np.array([2, 5, 2, 2, 5, 9])
    keys = Keys(Urn(12, reinforced), o_j, o_j + 0.5, 4.0)
    groups = Groups(keys)
    assert groups.number.tolist() == [3, 2, 1]
    right, spread = rng.random(6), rng.random(6)
    assert groups.expected(right, None) == pytest.approx(over_sets(keys, right, None), rel=1e-13)
    assert groups.expected(right, spread) == pytest.approx(over_sets(keys, right, spread), rel=1e-13)


@both
@pytest.mark.parametrize(("m", "weight"), [(1, 3.0), (4, 0.5), (40, 7.0), (3000, 500.0)])
def test_the_circle_gives_the_coefficient(reinforced, m, weight):
    """Of G(z) (z - z^3 / 2) with G = e^(w z) or (1 - z)^-w, against that of G: those of z^(m - 1) and z^(m - 3)."""
    circle = Circle(m, weight, reinforced=reinforced)
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
    u = Groups(Keys(Urn(2, reinforced=False), o_j, o_j / 1.0, 0.0)).exponents
    assert 0.22 * (u**2 * np.exp(-u * x)).sum() == pytest.approx(1 / x**2, rel=1e-14)
    assert 0.22 * (u * (np.exp(-u * x) - np.exp(-u * 987654))).sum() == pytest.approx(1 / x - 1 / 987654, rel=1e-14, abs=1e-21)
    assert len(u) < 200


# --- Sets of matched keys, worked out by hand; every model and every release are in test_dropped ---


# two keys with 1 and 3 original records and a third one without, all of the same weight; two draws with replacement
KEYS = Keys(Urn(2, reinforced=False), np.array([1, 3]), np.array([1.0, 1.0]), 1.0)


def test_two_draws_from_three_keys():
    """Nine pairs: both of the first key or with the third, 3; likewise the second, 3; the first and the second, 2; the third twice, 1."""
    assert KEYS.total == 3
    assert KEYS.matched() == pytest.approx([5 / 9, 5 / 9])
    assert KEYS.some_matched() == pytest.approx(8 / 9)
    # 1/1 with the first alone, 6/3 with the second alone, 7/4 with both
    assert over_sets(KEYS, np.array([1.0, 6.0]), None) == pytest.approx((3 * 1 + 3 * 2 + 2 * 7 / 4) / 9, rel=1e-15)


def test_answers_that_are_drawn_add_their_variance():
    """A key that is drawn k times has an answer of variance 1/k."""
    # of the first key alone: drawn twice in 1 pair, once in 2; with the second: once each in 2
    within = (1 * 1 / 2 + 2 * 1) / 1**2 + (1 * 1 / 2 + 2 * 1) / 3**2 + 2 * (1 + 1) / 4**2
    squares = 3 * 1**2 + 3 * 2**2 + 2 * (7 / 4) ** 2
    assert over_sets(KEYS, np.array([1.0, 6.0]), np.array([1.0, 1.0])) == pytest.approx((within + squares) / 9, rel=1e-14)


def test_rare_matches_keep_their_digits():
    """One draw from 10^12 parts: a match of one key, never of two."""
    keys = Keys(Urn(1, reinforced=False), np.array([1, 3]), np.array([1.0, 1.0]), 1e12 - 2)
    assert over_sets(keys, np.array([1.0, 6.0]), None) == pytest.approx((1 + 2) / 1e12, rel=1e-14)
    assert keys.some_matched() == pytest.approx(2e-12, rel=1e-14)
