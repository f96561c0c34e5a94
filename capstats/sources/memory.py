"""Tables in memory: pandas, polars, pyarrow, mappings of columns, and any eager frame that narwhals knows."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from capstats.codes.bins import Numbers, Spec, TypeToCut, as_declared, check_kind, cut_column, label_numbers
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.distinct import sampled
from capstats.codes.labels import MISSING
from capstats.sources import object_text
from capstats.sources.columns import FEW, column_of, module_of
from capstats.sources.plain_numbers import plain_numbers
from capstats.sources.source import Options, Query, check_names
from capstats.sources.weights import whole_weights


class MemorySource:
    """An eager table."""

    in_memory = True
    is_csv = False

    def __init__(self, table: Any, name: str):
        self.table, self.name = table, name
        self.plain = nw.to_native(table, pass_through=True)
        self.library = module_of(self.plain)

    @property
    def size(self) -> int:
        """The number of records, by the first column."""
        column = next(iter(self.plain.values()), ()) if isinstance(self.plain, Mapping) else self.plain
        try:
            return len(column)
        except TypeError:  # it is no column
            return 0

    def names(self, options: Options | None = None) -> list[Hashable]:  # noqa: ARG002  a file needs them
        """The names of the columns."""
        if isinstance(self.plain, Mapping):
            return list(self.plain)
        return list(self.plain.column_names if self.library == "pyarrow" else self.plain.columns)

    def column(self, name: Hashable) -> Any:
        """One column, as its library has it."""
        if isinstance(self.plain, (Mapping, pd.DataFrame)) or self.library in {"pyarrow", "polars"}:
            return self.plain[name]
        return nw.from_native(self.plain, eager_only=True).get_column(str(name)).to_pandas()

    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """The columns as codes, record by record; or distinct rows of long text in pandas' objects, which DuckDB groups."""
        if not query.by_record and not query.cuts and object_text.suits(self.plain, query.columns):
            check_names(query.wanted, self.names(), self.name)
            found = object_text.rows(self.plain, query, self.name)
            if found is not None:
                return found
        return self.encoded(query)

    def encoded(self, query: Query) -> tuple[list[Column], Sums]:
        """The columns as codes. Polars may group the records while it encodes them, unless the query says ``by_record``."""
        check_names(query.wanted, self.names(), self.name)
        weights = self._weights(query.weight)
        values = [self.column(c) for c in query.columns]
        cut = {}
        for i, column in enumerate(query.columns):
            if column in query.cuts:
                numbers = numbers_of(values[i], str(column), self.name, query.cuts[column].declared, query.cuts[column].texts)
                cut[i] = cut_column(numbers, query.cuts[column], str(column), self.name)
        if self.library == "polars" and weights is None and not query.by_record:
            for i, binned in cut.items():
                values[i] = sys.modules["polars"].Series(binned.codes)
            values, weights = _polars_grouped(values)
            for i, binned in cut.items():
                binned.codes = values[i].to_numpy()
        found = [
            cut[i] if i in cut else column_of(v, str(c), self.name) for i, (v, c) in enumerate(zip(values, query.columns, strict=True))
        ]
        self._check_lengths({str(c): len(f.codes) for c, f in zip(query.columns, found, strict=True)}, query.weight, weights)
        if weights is None:
            return found, ()
        return found, sampled(weights) if query.sampling else [weights]

    def values(self, query: Query, specs: Sequence[Spec]) -> list[tuple[Numbers, Counts]]:  # noqa: ARG002  all values are at hand
        """All values of each column, and how often each occurs."""
        return [self._values(query, column) for column in query.columns]

    def _values(self, query: Query, column: Hashable) -> tuple[Numbers, Counts]:
        check_names(query.wanted, self.names(), self.name)
        wanted: Any = query.options.types.get(column)  # one of the types that can be cut, or None
        numbers = numbers_of(self.column(column), str(column), self.name, wanted, query.options.null_values.of(column).texts)
        weights = self._weights(query.weight)
        if numbers.codes is None:
            counts = np.broadcast_to(1, len(numbers.values)) if weights is None else weights
        else:
            counts = np.bincount(numbers.codes, weights, minlength=len(numbers.values))
            if weights is not None:
                counts = counts.astype(weights.dtype)
        self._check_lengths({str(column): len(numbers.values)}, query.weight, counts)
        return numbers, counts

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


def arranged(table: Any, order: np.ndarray, first: Sequence[Hashable]) -> Any:
    """An eager table with its rows in that order, those columns first, and the others behind them as they were."""
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


def numbers_of(values: Any, column: str, table: str, wanted: TypeToCut | None, texts: Sequence[str] = ()) -> Numbers:
    """One column that can be cut, of any library, as numbers; other texts than ``texts`` are parsed as what `types` says, or as numbers."""
    found = plain_numbers(values)
    if found is not None:
        check_kind(found.kind, wanted, column, table)
        return as_declared(found, wanted)
    labelled = column_of(values, column, table)
    codes = labelled.codes.astype(np.intp) - labelled.first
    records = np.bincount(codes, minlength=len(labelled.labels))
    labels: list[Any] = [MISSING] * len(records)  # of those that do not occur: a pool of texts may have gaps
    is_text, place_of = np.full(len(records), -1), {text: i for i, text in enumerate(texts)}
    held = labelled.labels.tolist() if isinstance(labelled.labels, np.ndarray) else labelled.labels
    for i in np.flatnonzero(records).tolist():
        if isinstance(held[i], str) and held[i] in place_of:
            is_text[i] = place_of[held[i]]
        else:
            labels[i] = held[i]
    by_label = label_numbers(labels, records, wanted, column, table)
    return Numbers(by_label.kind, by_label.values, by_label.missing, codes, is_text if texts else None)


def _polars_grouped(columns: list[Any]) -> tuple[list[Any], Counts | None]:
    """Distinct rows, grouped by polars, where a column is text: this takes less time than to encode it."""
    pl = sys.modules["polars"]
    types = {c.dtype for c in columns}
    if len(columns[0]) < FEW or pl.String not in types or pl.Object in types:
        return columns, None
    table = pl.DataFrame([c.alias(str(i)) for i, c in enumerate(columns)])  # names such as "^a.*$" would be patterns
    grouped = table.lazy().group_by(table.columns).agg(pl.len().alias("records")).collect()
    return [grouped[c] for c in table.columns], grouped["records"].to_numpy().astype(np.int64)
