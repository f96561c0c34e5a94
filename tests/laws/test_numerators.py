"""The law of sum_i o_ij s_ij in a key: by recurrences, it is that of all columns one by one."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from every_release import compositions, multinomial, urn

from capstats.laws.integer_urns import IntegerUrn, of_total
from capstats.laws.numerators import Key, numerators, released, rounded_down, rounding


def key_of(counts, weights, grows):
    return Key.of(np.array(counts), IntegerUrn(np.array(weights, dtype=object)[:, None], grows), 0)


KEYS = {
    "two counts": ((7, 2), (3, 1), 2),
    "one target": ((4,), (2,), 0),
    "all as likely": ((2, 5, 11), (1, 1, 1), 1),
    "four, all as likely": ((0, 3, 7, 9), (2, 2, 2, 2), 2),
    "independent records": ((2, 8, 11), (3, 1, 2), 0),
    "any weights": ((2, 5, 11), (1, 4, 2), 3),
    "four of any weights": ((2, 3, 6, 11), (1, 4, 2, 5), 3),
    "equal counts": ((2, 5, 2), (1, 2, 3), 2),
    "a target that cannot be drawn": ((2, 5, 9, 1), (1, 2, 0, 3), 0),
}


@pytest.mark.parametrize("case", KEYS)
def test_the_law_of_the_numerator_is_that_of_all_columns(case):
    counts, weights, grows = KEYS[case]
    key, m = key_of(counts, weights, grows), 6
    for r, law in enumerate(numerators(key, m, 2 * sum(weights))):
        expected = defaultdict(Fraction)
        shares = [Fraction(weight, grows or sum(weights)) for weight in weights]
        for column in compositions(r, len(counts)):
            expected[sum(x * y for x, y in zip(counts, column, strict=True))] += (urn if grows else multinomial)(column, shares)
        found = {r * key.counts[0] + key.unit * a: p for a, p in enumerate(law) if p}
        assert found == pytest.approx({value: float(p) for value, p in expected.items() if p}, rel=1e-13)
        assert all(abs(Fraction(p) / expected[value] - 1) <= rounding(key, m) for value, p in found.items())


@pytest.mark.parametrize("case", KEYS)
@pytest.mark.parametrize("grid", [(6, 1), (4, 1), (1, 3), (1, 1)])
def test_what_a_key_adds_is_rounded_down(case, grid):
    of_unit, units = grid
    key = key_of(*KEYS[case])
    for r, law in enumerate(numerators(key, 5, sum(key.weights))):
        if r:
            found = rounded_down(np.array(law), key, r, of_unit, units)
            expected = np.zeros(len(found))
            for a, p in enumerate(law):
                expected[(r * key.counts[0] + key.unit * a) * of_unit // (r * units)] += p
            assert found == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("case", KEYS)
@pytest.mark.parametrize("others", [0, 1, 20])
def test_many_records_have_the_mean_of_their_shares(case, others):
    """Where the key has r records with a probability above 1e-200, the mean is r sum_i a_ij o_ij / a_.j, with few other keys or many."""
    key, m = key_of(*KEYS[case]), 600
    everything = (1 + others) * sum(key.weights)
    mean = np.dot(key.counts, key.weights) / sum(key.weights)
    probable = of_total(sum(key.weights), key.grows, everything, m) > 1e-200
    for r, law in enumerate(numerators(key, m, everything)):
        assert np.sum(law) == pytest.approx(1, rel=1e-12)
        if probable[r]:
            found = r * key.counts[0] + key.unit * np.dot(law, np.arange(len(law)))
            assert found == pytest.approx(r * mean, rel=1e-11)
    assert probable.sum() > 50


def test_a_key_that_few_of_many_records_fall_to_keeps_its_law():
    """100 of 900 records in a key with a tenth of all weight: binomial, so the mean is r p and the variance r p (1 - p)."""
    key = key_of((0, 127), (3, 2), 0)
    law = np.array(list(numerators(key, 900, everything=50))[100])
    a = np.arange(101)
    mean = law @ a
    assert (mean, law @ (a - mean) ** 2) == pytest.approx((40, 24), rel=1e-12)


def test_records_with_a_target_of_their_own_add_up():
    """Two records of the first target and one of the second: 2 or 1 each, by hand."""
    key, law = released(np.array([2, 1]), np.array([[0.75, 0.25], [0.5, 0.5]]))
    assert key.counts == (1, 2)  # r k_0 + a = 3 + a
    assert law.tolist() == [1 / 16 / 2, 6 / 16 / 2 + 1 / 16 / 2, 9 / 16 / 2 + 6 / 16 / 2, 9 / 16 / 2]


def test_where_all_targets_have_the_same_count_nothing_is_left_to_chance():
    key, law = released(np.array([10**9]), np.array([[1.0]]))
    assert (key.counts, law.tolist()) == ((10**9,), [1.0])
