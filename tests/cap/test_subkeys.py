"""Donors of each recipient, found by sub-keys and by comparison: each way against a loop over all pairs."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from capstats.cap import subkeys
from capstats.cap.subkeys import Pool, Search, differences, times_met
from capstats.tables.dense import Dense
from capstats.tables.sparse import Cells
from capstats.tables.table import Table

NEVER = 1e18
WAYS = {
    "as planned": {},
    "by sub-keys": {"PAIR": NEVER, "DONATED": NEVER, "SAMPLE": 1},
    "by sub-keys, in small blocks": {"PAIR": NEVER, "DONATED": NEVER, "SAMPLE": 1, "BLOCK": 3},
    "by sub-keys whose hashes all collide": {"PAIR": NEVER, "DONATED": NEVER, "SAMPLE": 1, "MULTIPLIER": 0},
    "by comparison": {"JOIN": NEVER},
    "by comparison, in small blocks": {"JOIN": NEVER, "BLOCK": 3, "HITS": 2},
    "first by sub-keys, then by comparison": {"JOIN": 0.0, "DONOR": 0.0, "RECIPIENT": 30.0, "SAMPLE": 3},
}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    for name, value in WAYS[request.param].items():
        monkeypatch.setattr(subkeys, name, value)


def random_keys(rng):
    """Columns of codes of distinct keys, recipients, donors, and a table in which donors alone have records."""
    levels = [2, *rng.integers(1, 4, rng.integers(0, 5))]
    grid = np.array(list(product(*map(range, levels))))
    keys = grid[rng.permutation(len(grid))[: rng.integers(2, 40)]]
    donates = rng.random(len(keys)) < rng.random()
    donates[0], donates[-1] = True, False
    s = rng.integers(0, 4, (3, len(keys)))
    s[0] += 1
    s[:, ~donates] = 0
    recipients = np.flatnonzero(~donates) if rng.random() < 0.5 else np.flatnonzero(rng.random(len(keys)) < 0.8)
    return list(keys.T), keys, recipients if len(recipients) else np.array([0]), np.flatnonzero(donates), s


def tables(s, rng):
    """The table dense, and sparse with some stored zeros."""
    stored = (s > 0) | (rng.random(s.shape) < 0.3)
    target, key = np.nonzero(stored)
    yield Dense(s), np.ones_like(stored)
    yield Cells(s[stored], target, key, s.shape), stored


def check(pool, expected, recipients, stored):
    np.testing.assert_array_equal(pool.values.ravel(), expected[stored])
    np.testing.assert_array_equal(pool.totals, expected.sum(0))


def test_the_nearest_keys_lend_once_each(way):
    rng = np.random.default_rng(1)
    for _ in range(60):
        columns, keys, _, donors, s = random_keys(rng)
        recipients = np.setdiff1d(np.arange(len(keys)), donors)
        expected, distance = np.zeros_like(s), []
        for j in recipients:
            apart = (keys[donors] != keys[j]).sum(1)
            distance.append(apart.min())
            expected[:, j] = s[:, donors[apart == apart.min()]].sum(1)
        for table, stored in tables(s, rng):
            pool = Pool(table)
            assert Search(columns, recipients, donors, pool.add).nearest().tolist() == distance
            check(pool, expected, recipients, stored)


def test_all_keys_within_the_radius_lend_once_each(way):
    rng = np.random.default_rng(2)
    for _ in range(25):
        columns, keys, recipients, donors, s = random_keys(rng)
        for radius in range(1, len(columns) + 1):
            expected = np.zeros_like(s)
            for j in recipients:
                expected[:, j] = s[:, donors[(keys[donors] != keys[j]).sum(1) <= radius]].sum(1)
            for table, stored in tables(s, rng):
                pool = Pool(table)
                Search(columns, recipients, donors, pool.add).within(radius)
                check(pool, expected, recipients, stored)


def test_more_levels_and_columns_than_one_integer_holds(way):
    """15 columns of up to 1000 levels. Two keys differ from the first one in two columns, one of them, in two as well, from the last."""
    rng = np.random.default_rng(3)
    keys = rng.integers(0, 900, (7, 15))
    keys[[1, 2, 6]] = keys[0]
    keys[1, [3, 12]] += 1
    keys[2, [0, 14]] += 1
    keys[6, 3] += 2
    pool = Pool(Dense(np.array([[0, 1, 2, 4, 8, 16, 0]])))
    assert Search(list(keys.T), np.array([6, 0]), np.arange(1, 6), pool.add).nearest().tolist() == [2, 2]
    assert pool.values[0, [0, 6]].tolist() == [3, 1]


def test_differences_of_more_than_255_columns_are_counted():
    zero, one = np.zeros(1, np.uint8), np.ones(1, np.uint8)
    assert differences([zero] * 300, [one] * 300).tolist() == [[300]]


@pytest.mark.parametrize("columns", range(1, 8))
def test_inclusion_and_exclusion_count_each_pair_within_the_radius_once(columns):
    """Part 3 of theory/attacks.md#neighbours, for every radius and every number of columns that differ."""
    for radius, differ in product(range(columns + 1), repeat=2):
        met = {d: sum(set(range(differ)) <= set(dropped) for dropped in combinations(range(columns), d)) for d in range(radius + 1)}
        assert all(times == comb(columns - differ, d - differ) if d >= differ else times == 0 for d, times in met.items())
        assert sum(times * times_met(columns, radius, d) for d, times in met.items()) == (differ <= radius)


# Pools


S = np.array([[1, 2, 0, 4], [0, 5, 3, 0]])
TABLES = {"dense": Dense(S), "sparse": Cells(S.ravel(), *(x.ravel() for x in np.indices(S.shape)), S.shape)}


@pytest.mark.parametrize("s", TABLES.values(), ids=TABLES)
def test_borrowers_get_the_rows_of_their_group_and_what_they_get_adds_up(s: Table) -> None:
    pool = Pool(s)
    donors, group = np.array([0, 1, 3]), np.array([0, 0, 1])
    pool.add(donors, group, np.array([2, 3]), np.array([0, 1]), 2)
    assert np.reshape(pool.values, S.shape).tolist() == [[0, 0, 3, 4], [0, 0, 5, 0]]
    assert pool.totals.tolist() == [0, 0, 8, 4]
    pool.add(donors, group, np.array([2]), np.array([1]), 2, times=-1)
    assert np.reshape(pool.values, S.shape).tolist() == [[0, 0, -1, 4], [0, 0, 5, 0]]
    assert pool.totals.tolist() == [0, 0, 4, 4]
