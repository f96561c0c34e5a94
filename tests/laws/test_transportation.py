"""Least transport: equal to every table with the margins, proved by prices, and reached from whatever table the search ends with."""

from fractions import Fraction

import numpy as np
import pytest
from few_tables import correct, with_margins
from hypothesis import given
from strategies import examples, table_pairs

from capstats.laws import transportation
from capstats.laws.transportation import least_transport


def priced(costs, table, prices):
    """costs_ij - s_.j price_i of every cell, and whether a record is there: in fractions, key by key."""
    for j in range(len(table[0])):
        total = sum(int(row[j]) for row in table)
        yield [(Fraction(int(row[j])) - total * price, int(s[j])) for row, price, s in zip(costs, prices, table, strict=True)]


def bound(costs, table, prices):
    """What every table with these margins costs at least: sum_i t_i price_i + sum_j min_i (costs_ij - s_.j price_i)."""
    margin = sum((int(sum(row)) * price for row, price in zip(table, prices, strict=True)), Fraction(0))
    return margin + sum((min(value for value, _ in key) for key in priced(costs, table, prices)), Fraction(0))


def northwest(_, key_totals, target_totals):
    """Some table with these margins, as far from a least one as it may be, with prices that prove nothing."""
    table = np.zeros((len(target_totals), len(key_totals)), np.int64)
    for i in range(len(target_totals)):
        for j in range(len(key_totals)):
            table[i, j] = min(target_totals[i] - table[i].sum(), key_totals[j] - table[:, j].sum())
    return table, [Fraction(0)] * len(target_totals)


@examples(60)
@given(table_pairs(3, 3, most=3))
def test_the_least_of_all_tables_is_found_and_proved(tables):
    costs, s = tables
    s = s[:, s.any(0)]
    costs = costs[:, : s.shape[1]]
    found, prices = least_transport(costs, s.sum(0), s.sum(1))
    assert (found.sum(0) == s.sum(0)).all()
    assert (found.sum(1) == s.sum(1)).all()
    every = {table: correct(costs, table) for table in with_margins(s.sum(1).tolist(), s.sum(0).tolist())}
    least = min(every.values())
    assert correct(costs, found) == least == bound(costs, found, prices)
    for table, value in every.items():  # the least tables are those with all records in cells of the least price
        alone = all(value == min(key)[0] for key in priced(costs, table, prices) for value, records in key if records)
        assert alone == (value == least)


@examples(40)
@given(table_pairs(4, 5, most=9))
def test_a_table_that_is_far_from_the_least_is_mended_in_fractions(tables):
    costs, s = tables
    s = s[:, s.any(0)]
    costs = costs[:, : s.shape[1]]
    expected, _ = least_transport(costs, s.sum(0), s.sum(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transportation, "_by_shortest_paths", northwest)
        found, prices = least_transport(costs, s.sum(0), s.sum(1))
    assert correct(costs, found) == correct(costs, expected) == bound(costs, found, prices)


@pytest.mark.parametrize("seed", range(3))
def test_prices_prove_tables_of_many_keys(seed):
    rng = np.random.default_rng(seed)
    costs, s = rng.integers(-50, 50, (7, 600)), rng.integers(0, 2, (7, 600)) * rng.integers(0, 90, (7, 600))
    s[0] += 1
    found, prices = least_transport(costs, s.sum(0), s.sum(1))
    assert correct(costs, found) == bound(costs, found, prices) <= correct(costs, s)


def test_counts_beyond_the_digits_of_floats_are_moved_exactly():
    """Costs of 1/3 and 2/6 in key 0 and 1 are equal, those of 10^15 / 3 and 10^15 / 3 + 1/6 are not."""
    costs = np.array([[10**15, 2 * 10**15 + 1], [0, 0]])
    found, prices = least_transport(costs, np.array([3, 6]), np.array([4, 5]))
    assert found.tolist() == [[3, 1], [0, 5]]
    assert bound(costs, found, prices) == correct(costs, found) == 10**15 + Fraction(2 * 10**15 + 1, 6)
    large = np.array([[2**52, 7], [3, 2**51]])
    found, prices = least_transport(np.array([[5, 1], [2, 3]]), large.sum(0), large.sum(1))
    assert (found.sum(1) == large.sum(1)).all()
    assert bound([[5, 1], [2, 3]], found, prices) == correct([[5, 1], [2, 3]], found)


def test_costs_of_any_size_are_compared_exactly():
    costs = np.array([[2**200 + 1, 2**200], [0, 0]], object)
    found, prices = least_transport(costs, np.array([2, 2]), np.array([2, 2]))
    assert found.tolist() == [[0, 2], [2, 0]]
    assert prices[0] - prices[1] >= 2**199
