"""What a formula may ask of a table of counts, however the table is held: as an array (`Dense`) or as its filled cells (`Cells`).

Formulas are written in these methods alone, so that they give the same numbers on both: of a result with a value for each cell, in the
cells that hold a record of any table. All tables of one formula have the same cells in the same places.
"""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

Counts = ArrayLike | xr.DataArray  # one table of counts, as it is given: dims (target, key) and any others
Tables = xr.Dataset  # the tables ``o``, ``s`` and ``h``, as `tabulate` and `from_counts` return them
Array = NDArray[Any]  # int64, or float64 where weights are fractional
Floats = NDArray[np.float64]
Index = NDArray[np.intp]

EXACT = 2**53  # integers below are exact in float64


class Table(Protocol):
    """Counts of records, one row a target and one column a key; where it is dense, of all tables of a batch at once."""

    @property
    def values(self) -> Array:
        """The counts: shape (..., target, key), or (cells,) where it is sparse."""

    def like(self, values: Array, fill: float = 0) -> Self:
        """A table of other values in the same places; where it is sparse, ``fill`` in the cells that are not stored."""

    def on_cells(self, by_key: Array) -> Array:
        """A value of each key, (..., key), or one for all of them, (..., 1), in a shape that broadcasts against ``values``."""

    def on_targets(self, by_target: Array) -> Array:
        """A value of each target, (..., target), in a shape that broadcasts against ``values``."""

    def side_by_side(self) -> Array:
        """The values in one row: shape (..., cells)."""

    def total(self) -> Array:
        """All records: shape (...)."""

    def key_total(self) -> Array:
        """Records of each key, x_.j: shape (..., key)."""

    def target_total(self) -> Array:
        """Records of each target, x_i.: shape (..., target)."""

    def key_greatest(self) -> Array:
        """The greatest cell of each key, max_i x_ij: shape (..., key)."""

    def key_least(self) -> Array:
        """The least cell of each key, min_i x_ij: shape (..., key)."""

    def key_product(self, other: Table) -> Array:
        """sum_i x_ij y_ij of each key: shape (..., key). `shared` is the same, and exact for integers of any size."""

    def product_across(self, other: Table, left: Index, right: Index) -> Array:
        """sum_i x_ij y_ik of each pair of keys (j, k) in ``left`` and ``right``: shape (..., pairs)."""

    def across_targets(self, other: Table) -> Floats:
        """sum_j x_aj y_bj of all pairs of targets: shape (..., a, b)."""

    def beyond_largest(self, count: int) -> Array:
        """Records of each key that are not in its ``count`` largest cells: shape (..., key)."""

    def rank_distance(self) -> Floats:
        """sum_i |R_ij - P_i| of each key, R_ij and P_i the shares of targets 1 to i in the key and in the table: shape (..., key)."""

    def by_level(self, level: Index, levels: int) -> Array:
        """Records of each target at each level of one key column, of which every key has one: shape (..., target, level)."""

    def in_least_cell(self, key: Array, m: int) -> Table:
        """A table of m records, all of them in the first least cell of the given key: (...)."""

    def member(self, at: tuple[int, ...]) -> Self:
        """One table of the batch."""

    def borrowed(self, lenders: Index, borrowers: Index, lends: Array) -> tuple[Self, Array]:
        """For each borrower the rows of the keys that lend to it, added up, and their totals; no records in the other keys.

        ``lends`` says who lends to whom: shape (lenders, borrowers).
        """

    def add_borrowed(self, to: Array, lenders: Index, lent: Index, borrowers: Index, borrowed: Index, groups: int, times: int) -> None:
        """Add to values like these, for each borrower, the rows of all lenders of its group, ``times`` each."""
