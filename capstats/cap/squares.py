"""The squared weights of records, which a standard error needs: given beside sums of weights, and the counts where each record weighs 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from capstats.tables.checking import weights_of
from capstats.tables.sums import check_integers
from capstats.tables.table import Table
from capstats.tables.ties import at_most


def check_weights(table: Any, squares: Any, name: str) -> None:
    """Raise an error for sums of sampling weights without their squares: treated as counts they would give a standard error near 0."""
    column = weights_of(table)
    if column is not None and squares is None:
        raise ValueError(
            f"`{name}` holds sums of the sampling weights {column!r}, from which no standard error follows: it depends on the squares of "
            f"the weights. Give {name}_squares=tables.{name}_squares, which tabulate returns beside tables.{name}."
        )


def squares_of(table: Table, squares: Table | None, name: str) -> Table:
    """Sums of the squared weights of a table; for counts these are the counts, since each record has weight 1."""
    if squares is None:
        remedy = f"For weighted records give the sums of their squared weights as `{name}_squares`."
        check_integers(table, name, ", because a standard error needs numbers of records", remedy)
        return table
    w = table.values.astype(np.float64)
    if (~at_most(squares.values, w**2) | ((w > 0) & (squares.values == 0))).any():
        raise ValueError(
            f"`{name}_squares` must hold the sum of the squared weights of each cell of `{name}`: above 0 where the sum of the weights is, "
            f"and no more than its square. Give tables.{name}_squares of the same Dataset; weights below 1e-150 must be scaled up."
        )
    return squares
