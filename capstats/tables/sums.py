"""What formulas compute with the sums and extremes of tables, on both backings alike."""

from __future__ import annotations

import numpy as np

from capstats.tables.table import Array, Index, Table
from capstats.tables.table import group_sums as group_sums
from capstats.tables.table import ratio as ratio
from capstats.tables.ties import reaches


def attribution(s: Table, s_j: Array, empty: float) -> Table:
    """q_ij = s_ij / s_.j, and ``empty`` for every target of an empty key."""
    return s.like(ratio(s.values, s.on_cells(s_j), empty))


def mode(s: Table) -> Table:
    """1 in the cells of each matched key that hold its greatest count, ties included, and 0 elsewhere."""
    return s.like((reaches(s.values, s.on_cells(s.key_greatest())) & (s.values > 0)).astype(np.int64))


def certain(s: Table) -> Table:
    """1 in the only filled cell of each pure key, whose records all have the same target, and 0 elsewhere."""
    return s.like(((s.values == s.on_cells(s.key_total)) & (s.values > 0)).astype(np.int64))


def shared(o: Table, s: Table, s_j: Array) -> Array:
    """sum_i o_ij s_ij of each key, exact for integers: shape (..., key). The totals ``s_j`` tell whether integers are wide enough."""
    return _exact(o, s_j).key_product(s)


def shared_across(o: Table, s: Table, s_j: Array, left: Index, right: Index) -> Array:
    """sum_i o_ij s_ik of each pair of keys (j, k) in ``left`` and ``right``: shape (..., pairs)."""
    return _exact(o, s_j).product_across(s, left, right)


def _exact(o: Table, s_j: Array) -> Table:
    """The table, as floats where integer sums of its products could overflow."""
    greatest = float(o.values.max(initial=0))
    if greatest > 2**9 and greatest * float(s_j.max()) > 2**62:  # totals are below 2**53
        return o.like(o.values.astype(np.float64))
    return o


def check_integers(x: Table, name: str, why: str, remedy: str) -> None:
    """Raise where a table holds fractional counts, which are not numbers of records."""
    if x.values.dtype.kind != "i":
        raise ValueError(f"`{name}` must hold integers{why}; got fractional counts. {remedy}")
