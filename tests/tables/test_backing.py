"""What holds the cells of a table: chosen by size, refused where it cannot be."""

from __future__ import annotations

import numpy as np
import pytest
import sparse
from small_tables import drawn

import capstats
from capstats.tables import backing


def test_auto_is_sparse_only_where_a_table_is_large_and_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = {"keys": ["sex", "age"], "target": "t"}
    assert isinstance(capstats.tabulate(drawn(1), **arguments).o.data, np.ndarray)
    monkeypatch.setattr(backing, "LARGE", 50)
    assert isinstance(capstats.tabulate(drawn(1), **arguments).o.data, np.ndarray)
    assert isinstance(capstats.tabulate(drawn(1, n=15), **arguments | {"target": ["t", "w"]}).o.data, sparse.COO)


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # five records seldom share all levels
def test_many_tables_are_sparse_where_they_are_large_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five records fill five cells of a table of fewer than 200; thirty tables on common axes have more than 4 x 200 together."""
    monkeypatch.setattr(backing, "LARGE", 200)
    arguments = {"keys": ["sex", "age"], "target": ["t", "w"]}
    few = [drawn(seed, n=5) for seed in range(30)]
    one, many = capstats.tabulate(few[0], few[1], **arguments), capstats.tabulate(few[0], few[1:], **arguments)
    assert one.o.size < 200 < many.o.size * 30 / 4
    assert isinstance(one.s.data, np.ndarray)
    assert isinstance(many.s.data, sparse.COO)
    alone = [float(capstats.average_cap(capstats.tabulate(few[0], s, **arguments))) for s in few[1:]]
    np.testing.assert_allclose(capstats.average_cap(many).values, alone, rtol=1e-12)


def test_an_unknown_backing_is_refused() -> None:
    with pytest.raises(ValueError, match='`backing` must be "auto", "dense" or "sparse"; got \'wide\''):
        capstats.tabulate(drawn(1), keys="sex", target="t", backing="wide")


def test_a_dense_table_that_does_not_fit_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(backing.np, "zeros", full)
    with pytest.raises(MemoryError, match=r'2 targets x 3 keys need 0\.0 GB\. Give backing="sparse", or fewer or coarser columns'):
        backing.table_of(np.ones(1, int), np.zeros_like([0]), np.zeros_like([0]), (2, 3), sparse=False)
