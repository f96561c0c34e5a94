"""Tables in memory: pandas, polars, pyarrow, mappings of columns, and any eager frame that narwhals knows."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from capstats.codes.bins import Numbers, Spec, cut_column
from capstats.codes.column import Column, Counts, Sums, sampled
from capstats.sources.columns import FEW, column_of, module_of, numbers_of
from capstats.sources.disk import answer, connect
from capstats.sources.relations import grouped
from capstats.sources.source import Options, Query, Source, check_columns, whole_weights

MUCH = 500_000  # records of long text from which it is worth starting DuckDB, which takes 20 ms or more


class MemorySource(Source):
    """An eager table."""

    in_memory = True

    def __init__(self, table: Any, name: str):
        super().__init__(table, name)
        self.plain = nw.to_native(table, pass_through=True)
        self.library = module_of(self.plain)

    @property
    def size(self) -> int:
        """The number of records, which is the length of the first column."""
        column = next(iter(self.plain.values()), ()) if isinstance(self.plain, Mapping) else self.plain
        try:
            return len(column)
        except TypeError:  # an object without a length
            return 0

    def names(self, options: Options | None = None) -> list[Hashable]:  # noqa: ARG002  a file needs them
        """The names of the columns."""
        if isinstance(self.plain, Mapping):
            return list(self.plain)
        return list(self.plain.column_names if self.library == "pyarrow" else self.plain.columns)

    def column(self, name: Hashable) -> Any:
        """One column, as its library holds it."""
        if isinstance(self.plain, (Mapping, pd.DataFrame)) or self.library in {"pyarrow", "polars"}:
            return self.plain[name]
        return nw.from_native(self.plain, eager_only=True).get_column(str(name)).to_pandas()

    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """The columns as codes, record by record; or distinct rows of long text in pandas' objects, which DuckDB groups."""
        if query.first is not None:
            return self.part(0, query.first).rows(replace(query, first=None))
        check_columns(query, self.names(), self.name, self.rows_at_start)
        if not query.by_record and not query.cuts and is_much_text(self.plain, query.columns):
            found = _grouped_by_duckdb(self.plain, query, self.name)
            if found is not None:
                return found
        return self.encoded(query)

    def part(self, start: int, stop: int) -> MemorySource:
        """The records at these positions."""
        return MemorySource(arranged(self.plain, np.arange(start, min(stop, self.size)), []), self.name)

    def encoded(self, query: Query) -> tuple[list[Column], Sums]:
        """The columns as codes; their names were checked. Polars may group the records, unless the query says ``by_record``."""
        weights = self._weights(query.weight)
        cut = {}
        for column, how in query.cuts.items():
            numbers = numbers_of(self.column(column), str(column), self.name, how.declared, how.texts)
            cut[column] = cut_column(numbers, how, str(column), self.name)
        values = [cut[c].codes if c in cut else self.column(c) for c in query.columns]
        if self.library == "polars" and weights is None and not query.by_record:
            values, weights = _grouped_by_polars(values)
        found = [
            replace(cut[c], codes=np.asarray(x)) if c in cut else column_of(x, str(c), self.name)
            for c, x in zip(query.columns, values, strict=True)
        ]
        self._check_lengths({str(c): len(x.codes) for c, x in zip(query.columns, found, strict=True)}, query.weight, weights)
        if weights is None:
            return found, ()
        return found, sampled(weights) if query.sampling else [weights]

    def values(self, query: Query, specs: Sequence[Spec]) -> list[tuple[Numbers, Counts]]:  # noqa: ARG002  all values are there
        """All values of each column, and how often each occurs."""
        check_columns(query, self.names(), self.name, self.rows_at_start)
        weights, options = self._weights(query.weight), query.options
        found = []
        for column in query.columns:
            texts = options.codes.of(column).texts
            numbers = numbers_of(self.column(column), str(column), self.name, options.type_of(column), texts)
            counts: Counts = np.broadcast_to(1, len(numbers.values)) if weights is None else weights
            if numbers.codes is not None:
                sums: Any = np.bincount(numbers.codes, weights, len(numbers.values))
                counts = sums if weights is None else sums.astype(weights.dtype)
            self._check_lengths({str(column): len(numbers.values)}, query.weight, counts)
            found.append((numbers, counts))
        return found

    def with_columns(self, columns: Mapping[str, np.ndarray]) -> Any:
        """A table of the same library, with the columns added at its end; its rows stay where they are."""
        taken = [column for column in columns if column in self.names()]
        if taken:
            raise ValueError(f"`{self.name}` already has a column {taken[0]!r}, which the result would hide. Rename it.")
        if isinstance(self.table, Mapping):
            return {**self.table, **columns}
        if isinstance(self.table, pd.DataFrame):
            return self.table.assign(**columns)
        frame = nw.from_native(self.table, eager_only=True)
        added = frame.with_columns(*(nw.new_series(c, values, backend=frame.implementation) for c, values in columns.items()))
        return added if isinstance(self.table, nw.DataFrame) else added.to_native()

    def _weights(self, column: Hashable | None) -> Counts | None:
        """A column of weights as int64 where all are whole numbers, as float64 otherwise."""
        if column is None:
            return None
        values = self.column(column)
        series = nw.from_native(values, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            values = series.to_numpy() if series.dtype.is_numeric() else series.to_list()
        given = pd.Series(np.asarray(values))
        numbers = given if given.dtype.kind in "iufb" else pd.to_numeric(given, errors="coerce")
        return whole_weights(numbers.to_numpy(), column, self.name)

    def _check_lengths(self, lengths: dict[str, int], weight: Hashable | None, weights: Counts | None) -> None:
        if weights is not None:
            lengths[str(weight)] = len(weights)
        if len(set(lengths.values())) > 1:
            raise ValueError(f"The columns of `{self.name}` differ in length: {lengths}. Give each one value per record.")


def arranged(table: Any, order: np.ndarray | None, first: Sequence[Hashable]) -> Any:
    """An eager table with its rows in the given order, if any, these columns first and the others after them."""
    if isinstance(table, Mapping):
        return {c: table[c] if order is None else _taken(table[c], order) for c in [*first, *(c for c in table if c not in first)]}
    if isinstance(table, pd.DataFrame):
        places = sorted(range(table.shape[1]), key=lambda i: first.index(table.columns[i]) if table.columns[i] in first else len(first))
        return table.iloc[slice(None) if order is None else order, places]
    frame = nw.from_native(table, eager_only=True)
    found = (frame if order is None else frame[order]).select(*first, *(c for c in frame.columns if c not in first))
    return found if isinstance(table, nw.DataFrame) else found.to_native()


def _taken(values: Any, order: np.ndarray) -> Any:
    """The values at these positions: an object of the same kind for an array or a series, otherwise a list."""
    take = getattr(values, "take", None) or getattr(values, "gather", None)  # polars calls it gather
    return [values[i] for i in order] if take is None else take(order)


def _grouped_by_polars(columns: list[Any]) -> tuple[list[Any], Counts | None]:
    """Distinct rows, grouped by polars, where a column is text: this takes less time than to encode it."""
    pl = sys.modules["polars"]
    if len(columns[0]) < FEW:
        return columns, None
    table = pl.DataFrame({str(i): column for i, column in enumerate(columns)})  # names such as "^a.*$" would be patterns
    if pl.String not in table.dtypes or pl.Object in table.dtypes:
        return columns, None
    grouped = table.lazy().group_by(table.columns).agg(pl.len().alias("records")).collect()
    return [grouped[c] for c in table.columns], grouped["records"].to_numpy().astype(np.int64)


# --- long text in pandas' objects: DuckDB groups it in less time than it takes to encode it ---------------------------


def is_much_text(table: Any, columns: Sequence[Hashable]) -> bool:
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


def _grouped_by_duckdb(table: pd.DataFrame, query: Query, name: str) -> tuple[list[Column], Sums] | None:
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
    """Whether the text of a column, or of its categories, is valid Unicode, without half of a surrogate pair."""
    text = values.cat.categories if isinstance(values.dtype, pd.CategoricalDtype) else values
    step = 2**16
    try:
        for start in range(0, len(text), step) if text.dtype.kind == "O" else ():
            "".join([x for x in text[start : start + step] if isinstance(x, str)]).encode()
    except UnicodeError:
        return False
    return True
