"""Whoever borrows in a group gets the records of all who lend in it, on both backings."""

from __future__ import annotations

import numpy as np
import pytest

from capstats.tables.dense import Dense
from capstats.tables.pools import Pool
from capstats.tables.sparse import Cells
from capstats.tables.table import Table

S = np.array([[1, 2, 0, 4], [0, 5, 3, 0]])
TABLES = {"dense": Dense(S), "sparse": Cells(S.ravel(), *(x.ravel() for x in np.indices(S.shape)), S.shape)}


@pytest.mark.parametrize("s", TABLES.values(), ids=TABLES)
def test_borrowers_get_the_rows_of_their_group_and_what_they_get_adds_up(s: Table) -> None:
    pool = Pool(s)
    lenders, lent = np.array([0, 1, 3]), np.array([0, 0, 1])
    pool.lend(lenders, lent, np.array([2, 3]), np.array([0, 1]), 2)
    assert np.reshape(pool.values, S.shape).tolist() == [[0, 0, 3, 4], [0, 0, 5, 0]]
    assert pool.totals.tolist() == [0, 0, 8, 4]
    pool.lend(lenders, lent, np.array([2]), np.array([1]), 2, times=-1)
    assert np.reshape(pool.values, S.shape).tolist() == [[0, 0, -1, 4], [0, 0, 5, 0]]
    assert pool.totals.tolist() == [0, 0, 4, 4]
