"""Shares of columns, held against averages over all orders."""

from itertools import chain, combinations, permutations

import numpy as np
import pytest

from capstats.cap.contributions import leave_one_out, mean_increments, shapley


def subsets(k):
    return list(chain.from_iterable(combinations(range(k), size) for size in range(k + 1)))


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


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_mean_increments_average_over_the_subsets_of_a_size(k):
    """Held against a loop over all pairs of subsets that differ in one column."""
    values = dict(zip(subsets(k), np.random.default_rng(k).normal(size=(2**k, 3)), strict=True))
    sizes = [r for r in range(k, 0, -1) if r != 2]  # any sizes, in any order
    found = mean_increments(values, k, sizes)
    assert found.shape == (len(sizes), k, 3)
    for at, size in enumerate(sizes):
        for c in range(k):
            pairs = [(x, y) for x in values for y in values if len(x) == size and set(x) - set(y) == {c} and set(y) < set(x)]
            np.testing.assert_allclose(found[at, c], np.mean([values[x] - values[y] for x, y in pairs if len(y) == size - 1], axis=0))


def test_mean_increments_need_no_values_of_other_sizes():
    """Size 2 of the glove game: each left glove adds 1 with the right one and 0 with the other left one; the right one adds 1 with both."""
    values = {columns: np.array(float(0 in columns and len(columns) > 1)) for columns in subsets(3) if len(columns) < 3}
    assert mean_increments(values, 3, [1, 2]).tolist() == [[0, 0, 0], [1, 0.5, 0.5]]


def test_there_are_no_contributions_where_a_subset_is_missing():
    values = {(): np.zeros(1), (0,): np.zeros(1), (0, 1): np.ones(1)}
    assert shapley(values, 2) is None
    assert leave_one_out(values, 2) is None
    assert leave_one_out({(): np.array(1.0), (0,): np.array(4.0)}, 1).tolist() == [3]
