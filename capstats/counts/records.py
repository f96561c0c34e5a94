"""Answers for each record, put into the caller's own table."""

from __future__ import annotations

from collections.abc import Mapping
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
