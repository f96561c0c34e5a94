"""SQL of DuckDB that cuts a column: the number that is cut, the bin that it is in, and what is wrong with other values."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Hashable, Sequence
from typing import Any

from capstats.codes.bins import Cut, TypeToCut, check_kind, mismatch, sum_as_tree
from capstats.codes.declared_types import NUMBER, as_type, wrong_labels
from capstats.codes.labels import Kind, one_kind

BOTH_DATETIMES = (dt.datetime(2000, 1, 1), dt.datetime(2000, 1, 1, tzinfo=dt.UTC))  # labels of the two kinds of datetimes
WRONG = -2  # the bin of a value that is of another kind, or does not parse
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_ZONE = "(?:Z|[+-][0-9]{2}:[0-9]{2})"


def kind_of_type(dtype: str) -> Kind | None:
    """The kind of a DuckDB type's values; None of its NULL."""
    if dtype.endswith("]"):
        return "other"
    if dtype.startswith("TIMESTAMP"):
        return "datetime with zone" if dtype.startswith("TIMESTAMPTZ") or dtype.endswith("ZONE") else "datetime"
    if dtype.startswith(("DECIMAL", "FLOAT", "DOUBLE")) or re.fullmatch("U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?", dtype):
        return "number"
    named: dict[str, Kind | None] = {
        "DATE": "date",
        "VARCHAR": "text",
        "BOOLEAN": "bool",
        "INTERVAL": "duration",
        "NULL": None,
        '"NULL"': None,
    }
    return named.get(dtype, "text" if dtype.startswith("ENUM") else "other")


def _is_whole(dtype: str) -> bool:
    return "INT" in dtype and "HUGE" not in dtype


def as_numbers(column: str, dtype: str, wanted: TypeToCut | None) -> dict[Kind, str]:
    """For each kind that a column's values may be of: SQL for the number that is cut, null where a value is not of that kind."""
    kind = kind_of_type(dtype)
    text = f"trim({column}::VARCHAR, E' \\t\\n\\r\\f')"
    if kind == "text" and wanted == "date":
        return {"date": f"CASE WHEN {_matches(text, _DAY)} THEN TRY_CAST({text} AS DATE) - DATE '1970-01-01' END"}
    if kind == "text" and wanted == "datetime":
        naive, zoned = _matches(text, f"{_DAY}(?:[T ]{_TIME})?"), _matches(text, f"{_DAY}[T ]{_TIME}{_ZONE}")
        return {
            "datetime": f"CASE WHEN {naive} THEN epoch_us(TRY_CAST({text} AS TIMESTAMP)) END",
            "datetime with zone": f"CASE WHEN {zoned} THEN epoch_us(TRY_CAST({text} AS TIMESTAMPTZ)) END",
        }
    if kind == "text":
        number = f"CASE WHEN {_matches(text, NUMBER.pattern)} THEN TRY_CAST({text} AS DOUBLE) END"
        return {"number": f"CASE WHEN isfinite({number}) OR {text} ILIKE '%inf%' THEN {number} END"}
    if kind == "number" and wanted in (None, "number"):
        return {"number": column if _is_whole(dtype) else f"nullif({column}::DOUBLE, 'nan'::DOUBLE)"}
    if kind == "date" and wanted in (None, "date", "datetime"):
        days = f"({column} - DATE '1970-01-01')::BIGINT"
        return {"datetime": f"{days} * 86400000000"} if wanted == "datetime" else {"date": days}
    if kind in ("datetime", "datetime with zone") and wanted in (None, "datetime"):
        if dtype == "TIMESTAMP_NS":  # rounded up, so that it is after a microsecond exactly when its number is greater
            return {kind: f"epoch_ns({column}) // 1000 + (epoch_ns({column}) % 1000 > 0)::BIGINT"}
        return {kind: f"epoch_us({column})"}
    return {}


def _matches(text: str, pattern: str) -> str:
    return f"regexp_full_match({text}, '(?i){pattern}')"


def is_missing(column: str, dtype: str, texts: Sequence[str] = ()) -> str:
    """SQL for whether a value is missing; texts are where they are one of those.

    NaN is found by ``isfinite``: where statistics of a Parquet file give a least and a greatest number, DuckDB takes ``isnan`` for false.
    """
    if texts and kind_of_type(dtype) == "text":
        return f"({column} IS NULL OR {column}::VARCHAR IN ({', '.join(map(quoted, texts))}))"
    if dtype in ("FLOAT", "DOUBLE"):
        return f"({column} IS NULL OR (NOT isfinite({column}) AND {column} NOT IN ('inf', '-inf')))"
    return f"{column} IS NULL"


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def number_to_cut(column: str, dtype: str, cut: Cut) -> str:
    """SQL for the number that is cut; null where a value is not of the cut's kind."""
    forms = as_numbers(column, dtype, cut.declared)
    return f"coalesce({', '.join(['NULL', *forms.values()])})" if cut.kind is None else forms.get(cut.kind, "NULL")


def bin_number(column: str, dtype: str, number: str, cut: Cut) -> str:
    """SQL for the number of cut points below a value, or the number of a text's bin; -1 where it is missing, WRONG where it is neither."""
    whole = cut.kind != "number" or _is_whole(dtype)
    points = [str(math.floor(p)) if whole else f"'{float(p)!r}'::DOUBLE" for p in cut.points]
    below = sum_as_tree(["0", *(f"({number} > {point})::INTEGER" for point in points)], lambda a, b: f"({a} + {b})")
    texts = cut.texts if kind_of_type(dtype) == "text" else ()
    codes = "".join(f" WHEN {column}::VARCHAR = {quoted(text)} THEN {i}" for i, text in enumerate(texts, start=len(cut.points) + 1))
    return f"CASE WHEN {is_missing(column, dtype)} THEN -1{codes} WHEN {number} IS NULL THEN {WRONG} ELSE {below} END"


def wrong_value(rows: Any, dtype: str, wanted: TypeToCut | None, column: Hashable, name: str, cut: Cut | None = None) -> Exception:
    """The error for rows (c0) whose values are of another kind than is cut, or do not parse."""
    kind = kind_of_type(dtype)
    if kind == "text":
        texts, records = zip(*rows.aggregate("c0::VARCHAR, count(*)", "c0").fetchall(), strict=True)
        kind = one_kind(as_type(texts, wanted or "number", str(column), name, records), column, name)
        if cut is None or kind == cut.kind:
            return wrong_labels(texts, records, f"in a form that is cut in files: {_FORMS[wanted or 'number']}", str(column), name)
    check_kind(kind, wanted, str(column), name)
    return mismatch(kind, cut, str(column), name) if cut is not None else TypeError(f"Column {column!r} of `{name}` cannot be cut.")


_FORMS = {
    "number": "-12.5e3, up to 1e308",
    "date": "2024-01-31",
    "datetime": "2024-01-31, 2024-01-31 12:30:00.123456 or 2024-01-31 12:30:00+01:00",
}


def wrong_bin(table: Any, i: int, dtype: str, cut: Cut, column: Hashable, name: str) -> Exception:
    """The error for column c<i> of a relation, whose number to be cut is x<i>, where some values have no bin."""
    wrong = table.filter(f"x{i} IS NULL AND NOT {is_missing(f'c{i}', dtype, cut.texts)}").select(f"c{i} AS c0")
    return wrong_value(wrong, dtype, cut.declared, column, name, cut)
