"""Lazy frames, counted where they are: polars, Ibis, PySpark; only distinct rows and their counts come back."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from operator import add
from typing import Any
from zoneinfo import ZoneInfo

import narwhals.stable.v2 as nw
import numpy as np

from capstats.codes.bins import CUTTABLE, Cut, Numbers, Spec, TypeToCut, binned_column, check_kind, mismatch, point_label, sum_as_tree
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.declared_types import NUMBER, wrong_labels
from capstats.codes.labels import Kind
from capstats.sources.columns import column_of, numbers_of
from capstats.sources.source import (
    Margin,
    Options,
    Query,
    Source,
    check_columns,
    engine_errors,
    engine_sums,
    margin,
    no_numbers,
    wrong_weights,
)

_WEIGHT = nw.col("w")


class LazySource(Source):
    """A frame that has yet to be computed, of any engine that narwhals knows: polars, Ibis, PySpark."""

    def __init__(self, table: Any, name: str):
        super().__init__(table, name)
        self.frame: nw.LazyFrame[Any] = nw.from_native(table)
        self.is_polars = self.frame.implementation.is_polars()

    def names(self, options: Options) -> Sequence[Hashable]:  # noqa: ARG002  a file needs them
        """The names of the columns."""
        return self.frame.collect_schema().names()

    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """Distinct rows, and their counts or the sums of their weights."""
        with engine_errors(self.name):
            schema, cuts = self._schema(query), query.cuts
            groups = {f"c{i}": column for i, column in enumerate(query.columns)}
            chosen = [(self._bin(schema, str(c), cuts[c]) if c in cuts else nw.col(str(c))).alias(group) for group, c in groups.items()]
            w, fractional = self._weights(schema, query.weight)
            sums = [_number_of(query).alias("n"), nw.len().alias("records"), nw.col("square").sum().alias("squares")]
            frame, apart = _with_bytes(self.frame, [c for c in map(str, query.columns) if c not in cuts and _kind(schema[c]) == "text"])
            weighted = frame.select(*chosen, *apart, w, (w * w).alias("square"))
            rows = weighted.group_by([*groups, *apart]).agg(*(sums if query.sampling else sums[:1])).drop(apart).collect()
            found = [column_of(rows.get_column(group), str(c), self.name) for group, c in groups.items()]
            found = [binned_column(x, cuts[c]) if c in cuts else x for c, x in zip(query.columns, found, strict=True)]
            arrays = [rows.get_column(c).to_numpy().astype("float64") for c in rows.columns[len(groups) :]]
            return found, engine_sums(arrays, query, self.name, fractional=fractional)

    def _margin(self, column: Hashable, options: Options, most: int) -> Margin:
        """The margin of one column; if it has too many labels, only the most frequent ones come back."""
        dtype = self._schema(Query([column], options=options))[str(column)]
        values = nw.col(str(column)).fill_nan(None) if dtype.is_float() else nw.col(str(column))
        frame, apart = _with_bytes(self.frame, [str(column)] if _kind(dtype) == "text" else [])
        groups = frame.select(values.alias("c0"), *apart).group_by(["c0", *apart]).agg(nw.len().alias("n"))
        with engine_errors(self.name):
            sizes = nw.len().alias("levels"), nw.col("c0").null_count().alias("missing"), nw.col("n").sum()
            levels, missing, records = map(int, groups.select(*sizes).collect().row(0))
        if levels - missing <= most:
            return super()._margin(column, options, most)
        few = groups.with_columns(nw.col("c0").is_null().alias("missing")).sort("missing", "n", descending=True).head(most + 1)
        (one,), (n,) = LazySource(few, self.name).rows(Query(["c0"], "n", options=options))
        return margin(one, n, most, levels - missing, records)

    def values(self, query: Query, specs: Sequence[Spec]) -> list[tuple[Numbers, Counts]]:
        """The extent of each column, or its distinct values and their counts."""
        with engine_errors(self.name):
            return [self._values(query, column, spec) for column, spec in zip(query.columns, specs, strict=True)]

    def _values(self, query: Query, column: Hashable, spec: Spec) -> tuple[Numbers, Counts]:
        wanted, schema = query.options.type_of(column), self._schema(query)
        if spec.how == "points":
            return no_numbers(_kind(schema[str(column)]))
        w, fractional = self._weights(schema, query.weight)
        value, missing, _ = self._number(schema, str(column), wanted, query.options.codes.of(column).texts)
        present = self.frame.filter(~missing)
        if not _records(present.head(1)):
            return no_numbers()
        rows = present.select(value.alias("x"), w).filter(_WEIGHT > 0)
        if rows.collect_schema()["x"].is_float():
            rows = rows.filter(nw.col("x").is_finite())
        if spec.how == "width":
            extent = rows.select(nw.col("x").min().alias("least"), nw.col("x").max().alias("greatest")).collect()
            both = [numbers_of(extent.get_column(c), str(column), self.name, wanted) for c in ("least", "greatest")]
            found = Numbers(both[0].kind, np.concatenate([x.values for x in both if x.kind is not None] or [np.zeros(0)]))
            return found, np.ones(len(found.values), np.int64)
        grouped = rows.group_by("x").agg(_number_of(query).alias("n")).collect()
        counts = grouped.get_column("n").to_numpy().astype("float64")
        found = numbers_of(grouped.get_column("x"), str(column), self.name, wanted)
        if found.codes is not None:
            counts = np.bincount(found.codes, counts, minlength=len(found.values))
        return found, engine_sums([counts], query, self.name, fractional=fractional)[0]

    def _schema(self, query: Query) -> Any:
        """The type of each column; raise unless the wanted ones are there, and polars takes none of their names for a pattern."""
        schema = self.frame.collect_schema()
        check_columns(query, schema.names(), self.name)
        for column in map(str, query.wanted):
            if self.is_polars and (column == "*" or (column.startswith("^") and column.endswith("$"))):
                raise ValueError(
                    f"Column {column!r} of `{self.name}`: polars takes that name for a pattern of names. Rename it, or collect the frame."
                )
        return schema

    def _weights(self, schema: Any, weight: Hashable | None) -> tuple[nw.Expr, bool]:
        """The column w, wide enough for sums to be exact, and whether some weights are fractional.

        Raise where one is no number, not finite or negative.
        """
        if weight is None:
            return nw.lit(1.0, dtype=nw.Float64).alias("w"), False
        dtype, w = schema[str(weight)], nw.col(str(weight))
        if not dtype.is_numeric():
            raise ValueError(
                f"Weights and counts must be numbers; column {str(weight)!r} of `{self.name}` holds {dtype}. Convert it to numbers."
            )
        if bad := _records(self.frame.filter(w.is_null() | (w < 0) | (~w.is_finite() if dtype.is_float() else w.is_null()))):
            raise wrong_weights(str(weight), self.name, bad)
        w = w.cast(nw.Float64)
        return w.alias("w"), bool(not dtype.is_integer() and _records(self.frame.filter(w % 1 != 0)))

    def _number(self, schema: Any, column: str, wanted: TypeToCut | None, texts: Sequence[str]) -> tuple[nw.Expr, nw.Expr, nw.Expr | None]:
        """The number to be cut (integer or 64-bit float; texts are parsed), whether it is missing, and the text that may be in ``texts``.

        These are missing, too. Raise where some other value cannot be cut.
        """
        dtype, value = schema[column], nw.col(column)
        kind, missing = _kind(dtype), value.is_null()
        if kind == "text":
            if wanted in ("date", "datetime"):
                raise TypeError(
                    f"Column {column!r} of `{self.name}` is text in a lazy frame, where it is not parsed as a {wanted} to be cut. "
                    f"Convert it there, or give an eager frame or a CSV file."
                )
            text = value.cast(nw.String)
            if texts:
                missing = missing | text.is_in(list(texts))
                text = nw.when(~missing).then(text)
            wrong = ~missing & ~text.str.contains(rf"(?i)^\s*(?:{NUMBER.pattern})\s*$")
            held = self.frame.filter(wrong).select(text.alias("x")).group_by("x").agg(nw.len().alias("n")).collect()
            if len(held):
                raise wrong_labels(held["x"].to_list(), held["n"].to_list(), "a number", column, self.name)
            return text.str.strip_chars().cast(nw.Float64), missing, value.cast(nw.String)
        agrees = wanted is None or str(kind).removesuffix(" with zone") == wanted or (kind, wanted) == ("date", "datetime")
        if kind not in CUTTABLE or not agrees:
            if _records(self.frame.filter(~missing).head(1)):
                check_kind(kind, wanted, column, self.name)
        elif dtype.is_float():
            missing = missing | value.is_nan()
        return value.cast(nw.Float64) if kind == "number" and not dtype.is_integer() else value, missing, None

    def _bin(self, schema: Any, column: str, cut: Cut) -> nw.Expr:
        """The bin of a value: the number of cut points below it, a greater number for each text of the cut, -1 where it is missing."""
        dtype = schema[column]
        value, missing, text = self._number(schema, column, cut.declared, cut.texts)
        kind: Kind | None = "number" if _kind(dtype) == "text" else _kind(dtype)
        as_cut = "datetime" if (kind, cut.declared) == ("date", "datetime") else kind
        if cut.kind not in (None, as_cut):
            if _records(self.frame.filter(~missing).head(1)):
                raise mismatch(kind, cut, column, self.name)
            return nw.lit(-1)
        points = [_point(point, kind, cut, dtype, exact=not self.is_polars) for point in cut.points]
        below = [(value > point).fill_null(False).cast(nw.Int32) for point in points]
        number = nw.when(missing).then(nw.lit(-1)).otherwise(sum_as_tree([nw.lit(0), *below], add))
        for i, code in enumerate(cut.texts if text is not None else (), start=len(cut.points) + 1):
            number = nw.when(nw.lit(code) == text).then(nw.lit(i)).otherwise(number)
        return number


def _number_of(query: Query) -> nw.Expr:
    """The number of records, or the sum of their weights; a sum of ones is a decimal in PostgreSQL, and of 128 bits in DuckDB."""
    return nw.len() if query.weight is None else _WEIGHT.sum()


def _with_bytes(frame: nw.LazyFrame[Any], texts: Sequence[str]) -> tuple[nw.LazyFrame[Any], list[str]]:
    """The frame with the bytes of some texts as columns, and their names: none where no engine may take different texts for equal."""
    if not texts or not (frame.implementation.is_ibis() or frame.implementation.is_pyspark()):
        return frame, []
    native: Any = nw.to_native(frame)
    prefix = "b"
    while any(x.lower().startswith(prefix) for x in frame.collect_schema().names()):
        prefix += "_"
    columns = {f"{prefix}{i}": native[c] for i, c in enumerate(texts)}
    if frame.implementation.is_pyspark():
        return nw.from_native(native.withColumns({name: text.cast("binary") for name, text in columns.items()})), list(columns)
    import ibis  # type: ignore[import-untyped]

    # a cast to bytes reads escapes in DuckDB and PostgreSQL
    encode: Any = ibis.udf.scalar.builtin(lambda text: text, name="encode", signature=(("string",), "binary"))
    convert: Any = ibis.udf.scalar.builtin(lambda text, _: text, name="convert_to", signature=(("string", "string"), "binary"))
    bytes_of: dict[str, Callable[[Any], Any]] = {
        "duckdb": encode,
        "postgres": lambda text: convert(text, "UTF8"),
        **dict.fromkeys(("sqlite", "mysql", "mssql"), lambda text: text.cast("binary")),
    }
    found = bytes_of.get(native.get_backend().name)
    if found is None:
        return frame, []
    return nw.from_native(native.mutate(**{name: found(text) for name, text in columns.items()})), list(columns)


def _records(frame: nw.LazyFrame[Any]) -> int:
    return int(frame.select(nw.len().alias("n")).collect().item())


def _kind(dtype: Any) -> Kind | None:
    """The kind of a dtype's values; None where it has none."""
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Datetime:
        return "datetime" if dtype.time_zone is None else "datetime with zone"
    named: dict[Any, Kind | None] = {nw.Date: "date", nw.Duration: "duration", nw.Boolean: "bool", nw.Unknown: None}
    return named.get(type(dtype), "text" if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)) else "other")


def _point(number: Any, kind: Kind | None, cut: Cut, dtype: Any, exact: bool) -> Any:
    """A cut point as a literal of the column's type."""
    if kind == "number":
        floor = math.floor(number)
        if dtype == nw.UInt64:
            return nw.lit(floor, dtype=nw.UInt64) if 0 <= floor < 2**64 else nw.lit(float(number))
        return nw.lit(floor if dtype.is_integer() and -(2**63) <= floor < 2**63 else float(number))
    if kind == "date":
        return nw.lit(point_label(number // 86_400_000_000 if cut.kind == "datetime" else number, "date"))
    moment = point_label(number, cut.kind)
    literal = nw.lit(moment.astimezone(ZoneInfo(dtype.time_zone)) if moment.tzinfo else moment)
    if not exact and dtype.time_unit == "ns" and 1678 <= moment.year <= 2261:
        return literal.cast(dtype)  # polars compares in the coarser unit, microseconds
    return literal
