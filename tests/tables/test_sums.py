"""Shares, modes and pure keys of tables, on both backings."""

from __future__ import annotations

import numpy as np
import pytest

from capstats.tables.dense import Dense
from capstats.tables.sparse import Cells
from capstats.tables.sums import attribution, certain, group_sums, mode, ratio, shared, shared_across
from capstats.tables.table import Table

S = np.array([[2, 0, 3, 0], [2, 0, 0, 1], [0, 0, 0, 3]])
TABLES = {"dense": Dense(S), "sparse": Cells(S[S > 0], *np.nonzero(S), S.shape)}
tables = pytest.mark.parametrize("s", TABLES.values(), ids=TABLES)


def filled(x: Table, at: Table) -> list[float]:
    """Values in the cells that S fills."""
    return (x.values[S > 0] if isinstance(at, Dense) else x.values).tolist()


@tables
def test_attribution_is_the_share_of_a_target_in_its_key(s: Table) -> None:
    assert filled(attribution(s, s.key_total, np.nan), s) == [1 / 2, 1, 1 / 2, 1 / 4, 3 / 4]


def test_attribution_of_an_empty_key_is_what_the_caller_says() -> None:
    assert np.isnan(attribution(Dense(S), S.sum(0), np.nan).values[:, 1]).all()
    assert not attribution(Dense(S), S.sum(0), 0.0).values[:, 1].any()


@tables
def test_tied_targets_are_all_modal_and_only_pure_keys_are_certain(s: Table) -> None:
    assert filled(mode(s), s) == [1, 1, 1, 0, 1]
    assert mode(s).total == 4
    assert filled(certain(s), s) == [0, 1, 0, 0, 0]
    assert certain(s).total == 1


@tables
def test_products_stay_exact_up_to_where_they_overflow(s: Table) -> None:
    s_j, pairs = s.key_total, (np.array([0, 2]), np.array([3, 0]))
    assert shared(s, s, s_j).tolist() == [8, 0, 9, 10]
    assert shared(s, s, s_j).dtype == np.int64
    assert shared_across(s, s, s_j, *pairs).tolist() == [2, 6]
    large = s.like(s.values * 2**50)
    assert shared(large, large, large.key_total).tolist() == [8 * 2.0**100, 0, 9 * 2.0**100, 10 * 2.0**100]
    assert shared_across(large, large, large.key_total, *pairs).tolist() == [2 * 2.0**100, 6 * 2.0**100]


def test_a_ratio_to_nothing_is_what_the_caller_says() -> None:
    assert ratio(np.array([1, 0]), np.array([2, 0]), -1.0).tolist() == [0.5, -1]
    assert ratio(np.array([[1], [0]]), np.array([0, 4]), 9.0).tolist() == [[9, 0.25], [9, 0]]


def test_sums_by_group_are_those_of_the_last_axis() -> None:
    group = np.array([1, 0, 1, 2])
    assert group_sums(S, group, 3).tolist() == [[0, 5, 0], [0, 2, 1], [0, 0, 3]]
    assert group_sums(S, group, 3).dtype == np.int64
