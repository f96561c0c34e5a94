"""Every method of a table, against the same written out in loops: dense, a batch of dense ones, and sparse."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import hypothesis.extra.numpy as numpy_strategies
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capstats.tables.dense import Dense
from capstats.tables.sparse import Cells
from capstats.tables.table import Table

PAIRS = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(*[numpy_strategies.arrays(np.int64, shape, elements=st.integers(0, 5)) for _ in "xy"])
)


def stored(x: np.ndarray, y: np.ndarray) -> tuple[Cells, Cells]:
    """Two tables on the cells that either of them fills."""
    target, key = np.nonzero(x + y)
    return Cells(x[target, key], target, key, x.shape), Cells(y[target, key], target, key, x.shape)


def agree(x: np.ndarray, y: np.ndarray, method: Callable[[Table, Table], Any], expected: Any) -> None:
    """The method gives what is expected, dense, sparse, and of both members of a batch."""
    np.testing.assert_allclose(method(Dense(x), Dense(y)), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(method(*stored(x, y)), expected, rtol=1e-12, atol=1e-12)
    batch = method(Dense(np.stack([x, x])), Dense(np.stack([y, y])))
    np.testing.assert_allclose(batch, np.stack([np.asarray(expected)] * 2), rtol=1e-12, atol=1e-12)


def test_the_records_beyond_the_largest_cells_of_each_key() -> None:
    x = np.array([[3, 1, 0], [2, 7, 0], [1, 5, 4]])
    agree(x, x, lambda x, _: x.beyond_largest(1), [3, 6, 0])
    agree(x, x, lambda x, _: x.beyond_largest(2), [1, 1, 0])


@settings(max_examples=25)
@given(PAIRS)
def test_sums_and_extremes_of_keys_and_targets(tables: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = tables
    columns, rows = x.T.tolist(), x.tolist()
    agree(x, y, lambda x, _: x.total, sum(map(sum, rows)))
    agree(x, y, lambda x, _: x.key_total, [sum(column) for column in columns])
    agree(x, y, lambda x, _: x.target_total, [sum(row) for row in rows])
    agree(x, y, lambda x, _: x.key_greatest(), [max(column) for column in columns])
    agree(x, y, lambda x, _: x.key_least(), [min(column) for column in columns])
    for count in range(4):
        agree(x, y, lambda x, _, count=count: x.beyond_largest(count), [sum(sorted(column)[::-1][count:]) for column in columns])


@settings(max_examples=25)
@given(PAIRS)
def test_products_of_two_tables(tables: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = tables
    targets, keys = map(range, x.shape)
    left, right = (np.array(side) for side in zip(*[(j, k) for j in keys for k in keys], strict=True))
    agree(x, y, lambda x, y: x.key_product(y), [sum(x[i, j] * y[i, j] for i in targets) for j in keys])
    agree(x, y, lambda x, y: x.product_across(y, left, right), [sum(x[i, j] * y[i, k] for i in targets) for j in keys for k in keys])
    agree(x, y, lambda x, y: x.across_targets(y), [[sum(x[a, j] * y[b, j] for j in keys) for b in targets] for a in targets])


@settings(max_examples=25)
@given(PAIRS)
def test_distances_of_cumulated_shares(tables: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = tables
    expected = []
    for column in x.T.tolist():
        shares = [Fraction(sum(column[: i + 1]), sum(column) or 1) for i in range(len(column))]
        margin = [Fraction(int(x[: i + 1].sum()), int(x.sum()) or 1) for i in range(len(column))]
        expected.append(float(sum(abs(r - p) for r, p in zip(shares, margin, strict=True))))
    agree(x, y, lambda x, _: x.rank_distance(), expected)


@settings(max_examples=25)
@given(PAIRS, st.data())
def test_records_of_each_level_of_a_key_column(tables: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    x, y = tables
    level = np.array(data.draw(st.lists(st.integers(0, 2), min_size=x.shape[1], max_size=x.shape[1])))
    agree(x, y, lambda x, _: x.by_level(level, 3), [[row[level == v].sum() for v in range(3)] for row in x])


@settings(max_examples=25)
@given(PAIRS)
def test_values_of_keys_and_targets_stand_at_their_cells(tables: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = tables
    by_key, by_target = np.arange(x.shape[1]) + 1, np.arange(x.shape[0]) + 1
    agree(x, y, lambda x, _: x.like(x.values * x.on_cells(by_key)).key_total, x.sum(0) * by_key)
    agree(x, y, lambda x, _: x.like(x.values * x.on_cells(np.array([7]))).key_total, x.sum(0) * 7)
    agree(x, y, lambda x, _: x.like(x.values * x.on_targets(by_target)).target_total, x.sum(1) * by_target)
    agree(x, y, lambda x, _: x.side_by_side().sum(-1), x.sum())


@settings(max_examples=25)
@given(PAIRS, st.data())
def test_borrowers_get_the_rows_of_those_who_lend_to_them(tables: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    """On sparse tables in the stored cells; the totals are those of all cells."""
    x, y = tables
    keys = np.arange(x.shape[1])
    lends = data.draw(numpy_strategies.arrays(bool, (len(keys), len(keys))))
    expected = x @ lends.astype(int)
    agree(x, y, lambda x, _: x.donated(keys, keys, lends)[1], expected.sum(0))
    np.testing.assert_array_equal(Dense(x).donated(keys, keys, lends)[0].values, expected)
    cells = stored(x, y)[0]
    np.testing.assert_array_equal(cells.donated(keys, keys, lends)[0].values, expected[cells.target, cells.key])


@pytest.mark.parametrize("key", [0, 1])
def test_a_table_with_all_records_in_the_first_least_cell_of_a_key(key: int) -> None:
    x = np.array([[3, 1], [2, 4], [2, 1]])
    expected = np.zeros_like(x)
    expected[x[:, key].argmin(), key] = 5
    np.testing.assert_array_equal(Dense(x).in_least_cell(np.array(key), 5).values, expected)
    found = stored(x, x)[0].in_least_cell(np.array(key), 5)
    assert (found.values, found.target, found.key) == ([5], [x[:, key].argmin()], [key])
