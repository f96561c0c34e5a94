"""Lazy frames, counted where they live: polars, DuckDB, Ibis, PySpark, Dask; only distinct rows and their counts come back."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from operator import add
from typing import Any
from zoneinfo import ZoneInfo

import narwhals.stable.v2 as nw
import numpy as np

from capstats.codes.bins import Cut, Numbers, Spec, TypeToCut, binned_column, check_kind, mismatch, point_label, sum_as_tree
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.declared_types import NUMBER, wrong_labels
from capstats.codes.labels import Kind
from capstats.sources.columns import column_of
from capstats.sources.foreign import told_by_class
from capstats.sources.memory import numbers_of
from capstats.sources.source import Options, Query, check_names
from capstats.sources.weights import whole_weights, wrong_weights


class LazySource:
    """A frame that has yet to be computed, of any engine that narwhals knows: polars, Ibis, PySpark, DuckDB."""

    in_memory = False
    is_csv = False
    size = None

    def __init__(self, table: Any, name: str):
        self.frame: nw.LazyFrame[Any] = nw.from_native(table)
        self.name = name

    def names(self, options: Options) -> Sequence[Hashable]:  # noqa: ARG002  a file needs them
        """The names of the columns."""
        return self.frame.collect_schema().names()

    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """Distinct rows, and their counts or the sums of their weights."""
        with told_by_class(self.name):
            return _grouped(self.frame, query, self.name)

    def values(self, query: Query, specs: Sequence[Spec]) -> list[tuple[Numbers, Counts]]:
        """The extent of each column, or its distinct values and their counts."""
        with told_by_class(self.name):
            single = [replace(query, columns=[column]) for column in query.columns]
            return [_numbers(self.frame, each, spec, self.name) for each, spec in zip(single, specs, strict=True)]


def _grouped(frame: nw.LazyFrame[Any], query: Query, name: str) -> tuple[list[Column], Sums]:
    columns, weight, cuts = query.columns, query.weight, query.cuts
    schema = frame.collect_schema()
    _check_names(frame, schema.names(), query.wanted, name)
    chosen = [nw.col(str(c)) if c not in cuts else _bin(frame, schema[str(c)], cuts[c], str(c), name) for c in columns]
    chosen = [x.alias(f"c{i}") for i, x in enumerate(chosen)]
    groups = [f"c{i}" for i in range(len(columns))]
    if weight is None:
        grouped = frame.select(*chosen).group_by(groups).agg(nw.len().alias("n"))
        fractional = False
    else:
        fractional = _check_weights(frame, schema[str(weight)], str(weight), name)
        w = _as_weight(weight)
        squared = frame.select(*chosen, w, (w * w).alias("square"))
        sums = nw.col("w").sum().alias("n"), nw.len().alias("records"), nw.col("square").sum().alias("squares")
        grouped = squared.group_by(groups).agg(*sums)
    rows = grouped.collect()
    found = [column_of(rows.get_column(group), str(c), name) for group, c in zip(groups, columns, strict=True)]
    found = [binned_column(x, cuts[c]) if c in cuts else x for c, x in zip(columns, found, strict=True)]
    summed = rows.get_column("n").to_numpy().astype("float64")
    counts = summed if fractional else whole_weights(summed, weight, name)
    if not query.sampling:
        return found, [counts]
    return found, [counts, *(rows.get_column(c).to_numpy().astype(dtype) for c, dtype in (("records", "int64"), ("squares", "float64")))]


def _check_names(frame: nw.LazyFrame[Any], names: Sequence[Hashable], wanted: Sequence[Hashable], name: str) -> None:
    """Raise unless a frame has each of the wanted columns, and polars takes none of their names for a pattern of names."""
    check_names(wanted, names, name)
    for column in map(str, wanted):
        if frame.implementation.is_polars() and (column == "*" or (column.startswith("^") and column.endswith("$"))):
            raise ValueError(
                f"Column {column!r} of `{name}`: polars takes that name for a pattern of names. Rename it, or collect the frame."
            )


def _check_weights(frame: nw.LazyFrame[Any], dtype: Any, weight: str, name: str) -> bool:
    """Whether some weights are fractional; raise where one is no number, not finite or negative."""
    if not dtype.is_numeric():
        raise ValueError(f"Weights and counts must be numbers; column {weight!r} of `{name}` holds {dtype}. Convert it to numbers.")
    w = nw.col(weight)
    wrong = w.is_null() | (w < 0) | (~w.is_finite() if dtype.is_float() else w.is_null())
    bad = _records(frame.filter(wrong))
    if bad:
        raise wrong_weights(weight, name, bad)
    return bool(not dtype.is_integer() and _records(frame.filter(w.cast(nw.Float64) % 1 != 0)))


def _as_weight(weight: Hashable) -> nw.Expr:
    """The column w whose sums no narrow type of the user's can overflow or round."""
    return nw.col(str(weight)).cast(nw.Float64).alias("w")


def _records(frame: nw.LazyFrame[Any]) -> int:
    return int(frame.select(nw.len().alias("n")).collect().item())


# --- bins -------------------------------------------------------------------------------------------------------------


def _numbers(frame: nw.LazyFrame[Any], query: Query, spec: Spec, name: str) -> tuple[Numbers, Counts]:
    """What `bins` needs to know of one column of a lazy frame: its kind, its extent, or its distinct values and their counts."""
    (column,), weight = query.columns, query.weight
    wanted: Any = query.options.types.get(column)  # one of the types that can be cut, or None
    schema = frame.collect_schema()
    _check_names(frame, schema.names(), query.wanted, name)
    dtype = schema[str(column)]
    if spec.how == "points":
        return Numbers(_kind(dtype), np.zeros(0)), np.zeros(0, np.int64)
    fractional = weight is not None and _check_weights(frame, schema[str(weight)], str(weight), name)
    value, missing, _ = _number(frame, dtype, wanted, str(column), name, query.options.null_values.of(column).texts)
    present = frame.filter(~missing)
    if not _records(present.head(1)):
        return Numbers(None, np.zeros(0)), np.zeros(0, np.int64)
    rows = present.select(value.alias("x"), *([] if weight is None else [_as_weight(weight)]))
    if weight is not None:
        rows = rows.filter(nw.col("w") > 0)
    if rows.collect_schema()["x"].is_float():
        rows = rows.filter(nw.col("x").is_finite())
    if spec.how == "width":
        extent = rows.select(nw.col("x").min().alias("least"), nw.col("x").max().alias("greatest")).collect()
        both = [numbers_of(extent.get_column(c), str(column), name, wanted) for c in ("least", "greatest")]
        found = Numbers(both[0].kind, np.concatenate([x.values for x in both if x.kind is not None] or [np.zeros(0)]))
        return found, np.ones(len(found.values), np.int64)
    grouped = rows.group_by("x").agg((nw.len() if weight is None else nw.col("w").sum()).alias("n")).collect()
    counts = grouped.get_column("n").to_numpy().astype("float64")
    found = numbers_of(grouped.get_column("x"), str(column), name, wanted)
    if found.codes is not None:
        counts = np.bincount(found.codes, counts, minlength=len(found.values))
    return found, counts if fractional else whole_weights(counts, weight, name)


def _kind(dtype: Any) -> Kind | None:
    """The kind of a dtype's values; None where it has none."""
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Datetime:
        return "datetime" if dtype.time_zone is None else "datetime with zone"
    if dtype == nw.Duration:
        return "duration"
    named: dict[Any, Kind | None] = {nw.Date: "date", nw.Boolean: "bool", nw.Unknown: None}
    return named.get(type(dtype), "text" if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)) else "other")


def _number(
    frame: nw.LazyFrame[Any], dtype: Any, wanted: TypeToCut | None, column: str, name: str, texts: Sequence[str]
) -> tuple[nw.Expr, nw.Expr, nw.Expr | None]:
    """What is cut (numbers as integers or 64-bit floats, texts parsed), where it is missing, and the text, which may be one of ``texts``.

    These are missing, too. Raise where some other value cannot be cut.
    """
    value, kind = nw.col(column), _kind(dtype)
    missing = value.is_null()
    if kind == "text":
        if wanted in ("date", "datetime"):
            raise TypeError(
                f"Column {column!r} of `{name}` is text in a lazy frame, where it is not parsed as a {wanted} to be cut. "
                f"Convert it there, or give an eager frame or a CSV file."
            )
        text = value.cast(nw.String)
        if texts:
            missing = missing | text.is_in(list(texts))
            text = nw.when(~missing).then(text)
        wrong = ~missing & ~text.str.contains(rf"(?i)^\s*(?:{NUMBER.pattern})\s*$")
        held = frame.filter(wrong).select(text.alias("x")).group_by("x").agg(nw.len().alias("n")).collect()
        if len(held):
            raise wrong_labels(held["x"].to_list(), held["n"].to_list(), "a number", column, name)
        return text.str.strip_chars().cast(nw.Float64), missing, value.cast(nw.String)
    if kind not in ("number", "date", "datetime", "datetime with zone") or not _agrees(kind, wanted):
        if _records(frame.filter(~missing).head(1)):
            check_kind(kind, wanted, column, name)
    elif dtype.is_float():
        missing = missing | value.is_nan()
    return value.cast(nw.Float64) if kind == "number" and not dtype.is_integer() else value, missing, None


def _bin(frame: nw.LazyFrame[Any], dtype: Any, cut: Cut, column: str, name: str) -> nw.Expr:
    """The number of cut points below a value, a greater one for each of the cut's texts, -1 where it is missing."""
    value, missing, text = _number(frame, dtype, cut.declared, column, name, cut.texts)
    kind: Kind | None = "number" if _kind(dtype) == "text" else _kind(dtype)
    as_cut = "datetime" if (kind, cut.declared) == ("date", "datetime") else kind
    if cut.kind not in (None, as_cut):
        if _records(frame.filter(~missing).head(1)):
            raise mismatch(kind, cut, column, name)
        return nw.lit(-1)
    below = [
        (value > _point(p, kind, cut, dtype, exact=not frame.implementation.is_polars())).fill_null(False).cast(nw.Int32)
        for p in cut.points
    ]
    number = nw.when(missing).then(nw.lit(-1)).otherwise(sum_as_tree([nw.lit(0), *below], add))
    for i, code in enumerate(cut.texts if text is not None else (), start=len(cut.points) + 1):
        number = nw.when(nw.lit(code) == text).then(nw.lit(i)).otherwise(number)
    return number


def _point(number: Any, kind: Kind | None, cut: Cut, dtype: Any, exact: bool) -> Any:
    """A cut point as a literal of the column's type."""
    if kind == "number":
        floor = math.floor(number)
        if dtype == nw.UInt64:
            return nw.lit(floor, dtype=nw.UInt64) if 0 <= floor < 2**64 else nw.lit(float(number))
        return nw.lit(floor if dtype.is_integer() and -(2**63) <= floor < 2**63 else float(number))
    if kind == "date":
        days = number // 86_400_000_000 if cut.kind == "datetime" else number
        return nw.lit(point_label(days, "date"))
    moment = point_label(number, cut.kind)
    literal = nw.lit(moment.astimezone(ZoneInfo(dtype.time_zone)) if moment.tzinfo else moment)
    if not exact and dtype.time_unit == "ns" and 1678 <= moment.year <= 2261:
        return literal.cast(dtype)  # polars compares in the coarser unit, microseconds
    return literal


def _agrees(kind: Kind | None, wanted: TypeToCut | None) -> bool:
    return wanted is None or str(kind).removesuffix(" with zone") == wanted or (kind, wanted) == ("date", "datetime")
