"""Sets of matched keys, worked out by hand; every model and every release are in test_dropped."""

import numpy as np
import pytest

from capstats.laws.models.matched_only import Keys, over_sets
from capstats.laws.models.urns import Urn

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
