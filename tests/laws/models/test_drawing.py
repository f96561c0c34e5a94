"""Records divided along a binary tree: the divisions add up, and follow their laws."""

from collections import Counter
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import theorem

from capstats.laws.models.drawing import by_probability, from_urn, matched_at_random, shared_out, without_replacement

Z = 5


@theorem
@given(st.lists(st.integers(0, 9), min_size=1, max_size=9).filter(any), st.integers(0, 99))
def test_all_records_are_shared_out_and_only_where_there_is_weight(weights, seed):
    weights, rng = np.array(weights), np.random.default_rng(seed)
    for divide in (by_probability, from_urn, without_replacement):
        records = rng.integers(0, weights.sum() + 1, (4, 3))
        found = shared_out(records, weights, divide, rng)
        assert found.shape == (4, 3, len(weights))
        assert found.dtype == np.int64
        assert (found.sum(-1) == records).all()
        assert (found[..., weights == 0] == 0).all()
        assert (found >= 0).all()
        if divide is without_replacement:
            assert (found <= weights).all()


LAWS = {  # the probability that the second of three cells with weights 2, 3, 1 has k of 4 records
    by_probability: lambda k: comb(4, k) * 0.5**4,
    from_urn: lambda k: comb(4, k) * np.prod([3 + i for i in range(k)]) * np.prod([3 + i for i in range(4 - k)]) / (6 * 7 * 8 * 9),
    without_replacement: lambda k: comb(3, k) * comb(3, 4 - k) / comb(6, 4),
}


@pytest.mark.parametrize("divide", LAWS, ids=lambda divide: divide.__name__)
def test_a_cell_has_its_marginal_law(divide):
    draws = 40_000
    found = shared_out(np.full(draws, 4), np.array([2, 3, 1]), divide, np.random.default_rng(1))[:, 1]
    for k in range(5):
        p = LAWS[divide](k)
        assert abs((found == k).sum() - draws * p) <= Z * sqrt(draws * p * (1 - p)) + 1e-9


def test_margins_of_every_member_are_kept_and_assignments_are_equally_likely():
    """Targets a, a, b over the keys 0, 0, 1: b is in key 1 with probability 1/3. Beside it a table with other margins."""
    draws = 30_000
    targets, keys = np.array([[2, 1], [0, 4]]), np.array([[2, 1, 0], [1, 0, 3]])
    found = matched_at_random(np.tile(targets, (draws, 1, 1)), np.tile(keys, (draws, 1, 1)), np.random.default_rng(2))
    assert (found.sum(-1) == targets).all()
    assert (found.sum(-2) == keys).all()
    b_in_last = Counter(found[:, 0, 1, 1].tolist())
    assert abs(b_in_last[1] - draws / 3) < Z * sqrt(draws * 2 / 9)
