"""The squared weights of records, which a standard error needs: given beside sums of weights, and the counts where each record weighs 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from capstats.tables.batches import weights_of
from capstats.tables.primitives import Table, at_most, cells, check_integers


def check_weights(table: Any, squares: Any, name: str, argument: str) -> None:
    """Raise where sums of sampling weights come without their squares: taken for counts they would give an error near 0."""
    column = weights_of(table)
    if column is not None and squares is None:
        raise ValueError(
            f"`{name}` holds sums of the sampling weights {column!r}, from which no standard error follows: it depends on the squares of "
            f"the weights. Give {argument}=tables.{name}_squares, which tabulate returns beside tables.{name}."
        )


def squares_of(table: Table, squares: Table | None, name: str, argument: str) -> Table:
    """The squared weights of a table's records, where they are given; those of counts are the counts, for each record weighs 1."""
    if squares is None:
        remedy = f"For weighted records give the sums of their squared weights as `{argument}`."
        check_integers(table, name, " for a standard error, which counts records", remedy)
        return table
    w = cells(table).astype(np.float64)
    if (~at_most(cells(squares), w**2) | ((w > 0) & (cells(squares) == 0))).any():
        raise ValueError(
            f"`{argument}` must hold the sum of the squared weights of each cell of `{name}`: above 0 where the sum of the weights is, and "
            f"no more than its square. Give tables.{name}_squares of the same Dataset; weights below 1e-150 must be scaled up."
        )
    return squares
