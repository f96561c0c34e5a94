"""Answers for each record, put into the caller's own table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd


def with_columns(table: Any, columns: Mapping[str, np.ndarray], name: str) -> Any:
    """A table of the same library, with the columns added at its end; its rows stay where they are."""
    known = list(table) if isinstance(table, (Mapping, pd.DataFrame)) else nw.from_native(table, eager_only=True).columns
    taken = [column for column in columns if column in known]
    if taken:
        raise ValueError(f"`{name}` already has a column {taken[0]!r}, which the result would hide. Rename it.")
    if isinstance(table, Mapping):
        return {**table, **columns}
    if isinstance(table, pd.DataFrame):
        return table.assign(**columns)
    frame = nw.from_native(table, eager_only=True)
    added = frame.with_columns(*(nw.new_series(c, values, backend=frame.implementation) for c, values in columns.items()))
    return added if isinstance(table, nw.DataFrame) else added.to_native()


def arranged(table: Any, order: np.ndarray, first: Sequence[Hashable]) -> Any:
    """A table of the same library with its rows in that order, those columns first, and the others behind them as they were."""
    if isinstance(table, Mapping):
        return {c: _taken(table[c], order) for c in [*first, *(c for c in table if c not in first)]}
    if isinstance(table, pd.DataFrame):
        places = sorted(range(table.shape[1]), key=lambda i: first.index(table.columns[i]) if table.columns[i] in first else len(first))
        return table.iloc[order, places]
    frame = nw.from_native(table, eager_only=True)
    found = frame[order].select(*first, *(c for c in frame.columns if c not in first))
    return found if isinstance(table, nw.DataFrame) else found.to_native()


def _taken(values: Any, order: np.ndarray) -> Any:
    """The values at those places: of an array or a series one of its own kind, of anything else a list."""
    take = getattr(values, "take", None) or getattr(values, "gather", None)  # polars calls it gather
    return [values[i] for i in order] if take is None else take(order)
