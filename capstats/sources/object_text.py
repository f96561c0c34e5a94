"""Long text in pandas' objects: DuckDB groups it in less time than it takes to encode it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from capstats.codes.column import Column, Sums
from capstats.sources.connections import answer, connect
from capstats.sources.relations import grouped
from capstats.sources.source import Query

MUCH = 500_000  # records from which starting DuckDB pays (it takes 20 ms or more)


def suits(table: Any, columns: Sequence[Hashable]) -> bool:
    """Whether a table is a pandas frame with so much text in objects that DuckDB counts it faster."""
    if not isinstance(table, pd.DataFrame) or len(table) < MUCH or not table.columns.is_unique:
        return False
    chosen = [table[c] for c in columns if c in table.columns]
    text = [values for values in chosen if values.dtype == object]
    levels = [values.cat.categories for values in chosen if isinstance(values.dtype, pd.CategoricalDtype)]
    known = (np.dtype, pd.CategoricalDtype, pd.StringDtype)
    if not text or not all(isinstance(values.dtype, known) and values.dtype.kind in "Oiub" for values in chosen):
        return False
    # DuckDB would make text of any object, and keeps the order of categories that are text
    return all(pd.api.types.infer_dtype(values, skipna=True) == "string" for values in [*text, *levels])


def rows(table: pd.DataFrame, query: Query, name: str) -> tuple[list[Column], Sums] | None:
    """Distinct rows of such a frame, and their counts or the sums of their weights; None where DuckDB refuses a value."""
    import duckdb

    frame = pd.DataFrame({f"c{i}": table[c] for i, c in enumerate(query.wanted)}, copy=False)
    if duckdb.__version__.startswith("1.") and not all(_is_utf8(frame[c]) for c in frame):
        return None  # before 2.0 DuckDB cuts such a text short, or breaks
    with connect(query.options) as connection:
        try:
            found, sums = answer(connection, lambda: grouped(connection.from_df(frame), query, name))
        except (duckdb.Error, UnicodeError):  # half a surrogate pair is no UTF-8
            return None
    return found, query.needed(sums)


def _is_utf8(values: pd.Series[Any]) -> bool:
    """Whether the text of a column, or of its categories, has no half of a surrogate pair."""
    text = values.cat.categories if isinstance(values.dtype, pd.CategoricalDtype) else values
    step = 2**16
    try:
        for start in range(0, len(text), step) if text.dtype.kind == "O" else ():
            "".join([x for x in text[start : start + step] if isinstance(x, str)]).encode()
    except UnicodeError:
        return False
    return True
