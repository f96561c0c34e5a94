"""Eager tables as columns of codes: pandas, polars, pyarrow, mappings of columns, and any frame that narwhals knows.

This file and `columns` are the only ones that know in-memory data frames.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from capstats.codes.bins import Cut, cut_column
from capstats.codes.column import Column, Counts
from capstats.codes.labels import MISSING
from capstats.codes.names import hint
from capstats.codes.numeric import Numbers, TypeToCut, as_wanted, check_kind, label_numbers
from capstats.sources.columns import FEW, column_of, module_of
from capstats.sources.plain_numbers import plain_numbers


def is_frame(table: Any) -> bool:
    """Whether narwhals knows it as a frame (eager or lazy), or it is a mapping of columns."""
    return is_plain(table) or isinstance(nw.from_native(table, pass_through=True), (nw.DataFrame, nw.LazyFrame))


def is_plain(table: Any) -> bool:
    """Whether it is a frame that narwhals need not look at, which refuses one whose names occur twice, and warns of Dask."""
    if isinstance(table, (Mapping, pd.DataFrame)) or is_dask(table):
        return True
    return (module_of(table), type(table).__name__) in (("polars", "DataFrame"), ("pyarrow", "Table"), ("pyarrow", "RecordBatch"))


def is_dask(table: Any) -> bool:
    """Whether it is a Dask frame."""
    return module_of(table) in ("dask", "dask_expr") and hasattr(table, "columns")


def read(
    table: Any,
    columns: Sequence[Hashable],
    weight: Hashable | None,
    name: str,
    cuts: Mapping[Hashable, Cut] | None = None,
    by_record: bool = False,
    nulls: Sequence[str] | None = None,
) -> tuple[list[Column], Counts | None]:
    """The named columns of an eager table as codes, and its weights; those that are cut as codes of their bins.

    Polars may group the records while it encodes them, unless the codes are wanted ``by_record``. In a column that is cut, a text that is
    one of ``nulls`` is missing.
    """
    table = nw.to_native(table, pass_through=True)
    check_names([*columns, weight] if weight is not None else columns, _names(table), name)
    weights = None if weight is None else _weights(_one(table, weight), weight, name)
    values = [_one(table, c) for c in columns]
    cut = {}
    for i, column in enumerate(columns):
        if cuts and column in cuts:
            numbers = numbers_of(values[i], str(column), name, cuts[column].wanted, nulls)
            cut[i] = cut_column(numbers, cuts[column], str(column), name)
    if module_of(table) == "polars" and weight is None and not by_record:
        for i, binned in cut.items():
            values[i] = sys.modules["polars"].Series(binned.codes)
        values, weights = _polars_grouped(values)
        for i, binned in cut.items():
            binned.codes = values[i].to_numpy()
    found = [cut[i] if i in cut else column_of(v, str(c), name) for i, (v, c) in enumerate(zip(values, columns, strict=True))]
    lengths = {str(c): len(f.codes) for c, f in zip(columns, found, strict=True)}
    if weights is not None:
        lengths[str(weight)] = len(weights)
    if len(set(lengths.values())) > 1:
        raise ValueError(f"The columns of `{name}` differ in length: {lengths}. Give each one value per record.")
    return found, weights


def records(table: Any) -> int:
    """Records of an eager table, as far as its first column tells."""
    column = next(iter(table.values()), ()) if isinstance(table, Mapping) else table
    try:
        return len(column)
    except TypeError:  # it is no column
        return 0


def check_names(wanted: Sequence[Hashable], names: Sequence[Hashable], table: str) -> None:
    """Raise unless a table has each of the wanted columns exactly once."""
    for column in wanted:
        if column not in names:
            raise ValueError(f"Column {column!r} is not in `{table}`." + hint(column, names))
        if names.count(column) > 1:
            raise ValueError(f"Column {column!r} occurs {names.count(column)} times in `{table}`. Rename all but one.")


def _names(table: Any) -> list[Hashable]:
    if isinstance(table, Mapping):
        return list(table)
    if module_of(table) == "pyarrow":
        return list(table.column_names)
    return list(table.columns)


def _one(table: Any, column: Hashable) -> Any:
    if isinstance(table, (Mapping, pd.DataFrame)) or module_of(table) in {"pyarrow", "polars"}:
        return table[column]
    return nw.from_native(table, eager_only=True).get_column(str(column)).to_pandas()


def numbers_of(values: Any, column: str, table: str, wanted: TypeToCut | None, nulls: Sequence[str] | None = None) -> Numbers:
    """One column that can be cut, of any library, as numbers; texts are missing, or parsed as what `types` says, or as numbers."""
    found = plain_numbers(values)
    if found is not None:
        check_kind(found.kind, wanted, column, table)
        return as_wanted(found, wanted)
    labelled = column_of(values, column, table)
    labels = labelled.labels.tolist() if isinstance(labelled.labels, np.ndarray) else labelled.labels
    if nulls:
        labels = [MISSING if isinstance(x, str) and x in nulls else x for x in labels]
    codes = labelled.codes.astype(np.intp) - labelled.first
    by_label = label_numbers(labels, np.bincount(codes, minlength=len(labels)), wanted, column, table)
    return Numbers(by_label.kind, by_label.values, by_label.missing, codes)


def numbers_and_counts(
    table: Any, column: Hashable, weight: Hashable | None, name: str, wanted: TypeToCut | None, nulls: Sequence[str] | None = None
) -> tuple[Numbers, Counts]:
    """The values of one column of an eager table as numbers, and how often each occurs."""
    check_names([column, weight] if weight is not None else [column], _names(table), name)
    numbers = numbers_of(_one(table, column), str(column), name, wanted, nulls)
    weights = None if weight is None else _weights(_one(table, weight), weight, name)
    if numbers.codes is None:
        counts = np.broadcast_to(1, len(numbers.values)) if weights is None else weights
    else:
        counts = np.bincount(numbers.codes, weights, minlength=len(numbers.values))
        if weights is not None:
            counts = counts.astype(weights.dtype)
    if len(counts) != len(numbers.values):
        lengths = {str(column): len(numbers.values), str(weight): len(counts)}
        raise ValueError(f"The columns of `{name}` differ in length: {lengths}. Give each one value per record.")
    return numbers, counts


def _polars_grouped(columns: list[Any]) -> tuple[list[Any], Counts | None]:
    """Distinct rows by polars itself where a column is text, which it groups faster than anybody encodes it."""
    pl = sys.modules["polars"]
    types = {c.dtype for c in columns}
    if len(columns[0]) < FEW or pl.String not in types or pl.Object in types:
        return columns, None
    table = pl.DataFrame([c.alias(str(i)) for i, c in enumerate(columns)])  # names such as "^a.*$" would be patterns
    grouped = table.lazy().group_by(table.columns).agg(pl.len().alias("records")).collect()
    return [grouped[c] for c in table.columns], grouped["records"].to_numpy().astype(np.int64)


# --- weights ----------------------------------------------------------------------------------------------------------


def _weights(values: Any, weight: Hashable, table: str) -> Counts:
    """A column of weights as int64 where all are whole numbers, as float64 otherwise."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        values = series.to_numpy() if series.dtype.is_numeric() else series.to_list()
    given = pd.Series(np.asarray(values))
    numbers = given if given.dtype.kind in "iufb" else pd.to_numeric(given, errors="coerce")
    return whole_weights(numbers.to_numpy(), weight, table)


def whole_weights(weights: np.ndarray, weight: Hashable, table: str) -> Counts:
    """Checked weights: finite, not negative, and integers where no information is lost by it."""
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"Weights and counts must be numbers that are finite and not negative; rows of `{table}` where column {weight!r} breaks this: "
            f"{int(bad.sum())}, the first is row {row} (from 0). Correct them, or leave these rows out."
        )
    if weights.dtype.kind == "f" and (weights != np.floor(weights)).any():
        return weights.astype(np.float64)
    if float(weights.sum(dtype=np.float64)) >= 2**53:
        raise ValueError(f"The integer weights {weight!r} of `{table}` sum to 2**53 or more, which is not exact. Scale them down.")
    return weights.astype(np.int64)
