"""Ranks of subsets and shares of columns, held against averages over all orders and sorting by hand."""

from itertools import chain, combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capstats.cap.contributions import leave_one_out, ranks, shapley


def subsets(k):
    return list(chain.from_iterable(combinations(range(k), size) for size in range(k + 1)))


def test_ranks_are_those_of_a_competition():
    assert ranks(np.array([0.2, 0.5, 0.5, 0.9, 0.1])).tolist() == [4, 2, 2, 1, 5]


def test_values_that_rounding_sets_apart_share_a_rank():
    assert ranks(np.array([0.3, 0.1 + 0.2, 0.2])).tolist() == [1, 1, 3]


def test_a_value_that_is_not_defined_has_no_rank_and_takes_none():
    assert ranks(np.array([np.nan, 0.5, 0.9]))[1:].tolist() == [2, 1]
    assert np.isnan(ranks(np.array([np.nan, 0.5]))[0])
    assert np.isnan(ranks(np.array([np.nan, np.nan]))).all()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_a_rank_is_one_more_than_the_number_of_greater_values(values):
    found = ranks(np.array(values, float).reshape(-1, 1))
    assert found[:, 0].tolist() == [1 + sum(other > value for other in values) for value in values]


def test_contributions_of_the_glove_game_are_those_of_the_textbook():
    """A right glove (0) is worth 1 with either of two left gloves (1, 2): the Shapley values are 2/3, 1/6, 1/6."""
    values = {columns: np.array(float(0 in columns and len(columns) > 1)) for columns in subsets(3)}
    np.testing.assert_allclose(shapley(values, 3), [2 / 3, 1 / 6, 1 / 6], rtol=1e-15)
    assert leave_one_out(values, 3).tolist() == [1, 0, 0]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_shapley_values_are_average_increments_over_all_orders(k):
    rng = np.random.default_rng(k)
    values = {columns: rng.normal(size=2) for columns in subsets(k)}
    increments = np.zeros((k, 2))
    orders = list(permutations(range(k)))
    for order in orders:
        for place, column in enumerate(order):
            before, after = order[:place], order[: place + 1]
            increments[column] += values[tuple(sorted(after))] - values[tuple(sorted(before))]
    np.testing.assert_allclose(shapley(values, k), increments / len(orders), rtol=1e-12)


def test_there_are_no_contributions_where_a_subset_is_missing():
    values = {(): np.zeros(1), (0,): np.zeros(1), (0, 1): np.ones(1)}
    assert shapley(values, 2) is None
    assert leave_one_out(values, 2) is None
    assert leave_one_out({(): np.array(1.0), (0,): np.array(4.0)}, 1).tolist() == [3]
