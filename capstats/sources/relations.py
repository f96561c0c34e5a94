"""DuckDB relations, grouped where they lie: distinct rows of a file, a relation or a frame, and their counts."""

from __future__ import annotations

import datetime as dt
import importlib.util
import math
import re
from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from capstats.codes.bins import Cut, Spec, binned_column, mismatch, sum_as_tree
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.labels import MISSING, Kind, one_kind
from capstats.codes.numeric import Numbers, TypeToCut, check_kind
from capstats.codes.wanted import NUMBER, as_type, wrong_labels
from capstats.sources.columns import column_of, no_date, no_duration, unmasked
from capstats.sources.connections import answer, connect
from capstats.sources.memory import check_names, whole_weights
from capstats.sources.options import Options

MUCH = 500_000  # records from which starting DuckDB pays (it takes 20 ms or more)
_EXACT = ("DECIMAL", "HUGEINT", "UHUGEINT")  # types whose array form would be a float


def wanted_columns(columns: Sequence[Hashable], weight: Hashable | None) -> list[Hashable]:
    """All columns that are read."""
    return [*columns, *([] if weight is None else [weight])]


def read_relation(
    table: Any,
    columns: Sequence[Hashable],
    weight: Hashable | None,
    name: str,
    cuts: Mapping[Hashable, Cut] | None = None,
    nulls: Sequence[str] | None = None,
) -> tuple[list[Column], Sums]:
    """Distinct rows of the named columns of a DuckDB relation, and their counts or the sums of their weights."""
    wanted = wanted_columns(columns, weight)
    check_names(wanted, table.columns, name)
    return grouped(numbered(table, wanted, nulls), columns, weight, name, cuts or {})


def relation_numbers_and_counts(
    table: Any,
    column: Hashable,
    weight: Hashable | None,
    name: str,
    spec: Spec,
    wanted: TypeToCut | None,
    nulls: Sequence[str] | None = None,
) -> tuple[Numbers, Counts]:
    """What `bins` needs to know of one column of a DuckDB relation: its kind, its extent, or its distinct values and their counts."""
    chosen = wanted_columns([column], weight)
    check_names(chosen, table.columns, name)
    return numbers(numbered(table, chosen, nulls), column, weight, name, spec, wanted)


def suits_text(table: Any, columns: Sequence[Hashable]) -> bool:
    """Whether it is a pandas frame with so much text in objects that DuckDB counts it faster than anybody encodes it."""
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


def read_text(
    table: Any, columns: Sequence[Hashable], weight: Hashable | None, name: str, options: Options
) -> tuple[list[Column], Sums] | None:
    """Distinct rows of such a frame, and their counts or the sums of their weights; None where DuckDB refuses a value."""
    import duckdb

    wanted = wanted_columns(columns, weight)
    check_names(wanted, list(table.columns), name)
    frame = pd.DataFrame({f"c{i}": table[c] for i, c in enumerate(wanted)}, copy=False)
    if duckdb.__version__.startswith("1.") and not all(_is_utf8(frame[c]) for c in frame):
        return None  # before 2.0 DuckDB cuts such a text short, or breaks
    with connect(options) as connection:
        try:
            return answer(connection, lambda: grouped(connection.from_df(frame), columns, weight, name, {}))
        except (duckdb.Error, UnicodeError):  # half a surrogate pair is no UTF-8
            return None


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


def numbered(table: Any, wanted: Sequence[Hashable], nulls: Sequence[str] | None = None) -> Any:
    """The wanted columns of a relation as c0, c1, ...; a text that is one of ``nulls`` is missing."""
    chosen = [_quoted(str(column)) for column in wanted]
    if nulls:
        types = dict(zip(table.columns, map(str, table.types), strict=True))
        texts = ", ".join("'" + text.replace("'", "''") + "'" for text in nulls)
        for i, column in enumerate(wanted):
            if kind_of_type(types[str(column)]) == "text":
                chosen[i] = f"CASE WHEN {chosen[i]}::VARCHAR NOT IN ({texts}) THEN {chosen[i]} END"
    return table.select(", ".join(f"{c} AS c{i}" for i, c in enumerate(chosen)))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def grouped(
    table: Any, columns: Sequence[Hashable], weight: Hashable | None, name: str, cuts: Mapping[Hashable, Cut]
) -> tuple[list[Column], Sums]:
    """Distinct rows of a relation c0, c1, ..., and how often each occurs; or the sums of its weights, of its records and of the squares."""
    types = list(map(str, table.types))
    parts = [f"c{i}::VARCHAR AS c{i}" if types[i].startswith(_EXACT) else f"c{i}" for i in range(len(columns))]
    for i, column in enumerate(columns):
        if types[i] == "INTERVAL":
            if table.filter(f"extract(year FROM c{i}) <> 0 OR extract(month FROM c{i}) <> 0").limit(1).fetchall():
                raise no_duration(str(column), name)
            parts[i] = f"epoch_us(c{i}) AS c{i}"
        if column in cuts:
            table = table.select(f"*, {_number_cut(f'c{i}', types[i], cuts[column])} AS x{i}")
            parts[i] = f"{_bin(f'c{i}', types[i], f'x{i}', cuts[column])} AS c{i}"
    groups = ", ".join(f"c{i}" for i in range(len(columns)))
    fractional = False
    sums = ["count(*)"]
    if weight is not None:
        fractional = _check_weights(table, f"c{len(columns)}", weight, name)
        parts.append(f"c{len(columns)}::DOUBLE AS w")
        sums = ["sum(w)", "count(*)", "sum(w * w)"]
    counted = ", ".join(f"{sql}::DOUBLE AS n{i}" for i, sql in enumerate(sums))
    arrays = _fetched(table.select(", ".join(parts)).aggregate(f"{groups}, {counted}", groups))
    found = []
    for i, column in enumerate(columns):
        if column not in cuts:
            found.append(_column(arrays[f"c{i}"], types[i], str(column), name))
            continue
        if (np.asarray(arrays[f"c{i}"]) == _WRONG).any():
            wrong = table.filter(f"x{i} IS NULL AND NOT {_is_missing(f'c{i}', types[i])}").select(f"c{i} AS c0")
            raise _wrong_value(wrong, types[i], cuts[column].wanted, column, name, cuts[column])
        found.append(binned_column(column_of(arrays[f"c{i}"], str(column), name), cuts[column]))
    summed, *others = (np.asarray(arrays[f"n{i}"]) for i in range(len(sums)))
    counts = summed if fractional else whole_weights(summed, weight, name)
    return found, [counts] if weight is None else [counts, others[0].astype(np.int64), others[1]]


def _fetched(rows: Any) -> Any:
    """The columns of a relation: of pyarrow where it is there, which makes no object of each text, else of numpy."""
    if importlib.util.find_spec("pyarrow"):
        return rows.to_arrow_table()
    return rows.fetchnumpy()


def _check_weights(table: Any, weight: str, column: Hashable, name: str) -> bool:
    """Whether some weights are fractional; raise where one is no number, not finite or negative."""
    rows = table.select(f"TRY_CAST({weight} AS DOUBLE) AS w")
    bad = "w IS NULL OR NOT isfinite(w) OR w < 0"
    wrong, fractional = rows.aggregate(f"count(*) FILTER ({bad}), count(*) FILTER (w <> floor(w))").fetchall()[0]
    if wrong:
        ((row,),) = rows.select("w, row_number() OVER () - 1 AS place").filter(bad).aggregate("min(place)").fetchall()
        raise ValueError(
            f"Weights and counts must be numbers that are finite and not negative; rows of `{name}` where column {column!r} breaks this: "
            f"{wrong}, the first is row {row} (from 0). Correct them, or leave these rows out."
        )
    return bool(fractional)


def _column(values: Any, dtype: str, column: str, name: str) -> Column:
    """DuckDB's array as codes; what its array form blurs (dates, zones, exact numbers) is told by its type."""
    arrow = hasattr(values, "to_pylist")
    if dtype == "INTERVAL":  # in microseconds
        return column_of(values.cast("duration[us]") if arrow else unmasked(values.astype("m8[us]")), column, name)
    if dtype.startswith(_EXACT):
        return column_of([x if x is None else Decimal(x) for x in (values.to_pylist() if arrow else unmasked(values))], column, name)
    if arrow:
        return column_of(values, column, name)
    if values.dtype.kind == "M" and values.dtype != "M8[ns]":  # which spans the years 1678 to 2262
        day = values.astype("M8[D]")
        if (day < np.datetime64("0001-01-01")).any() or (day > np.datetime64("9999-12-31")).any():
            raise no_date(column, name)
    found = column_of(values.astype("datetime64[D]") if dtype == "DATE" else values, column, name)
    if dtype.startswith("TIMESTAMPTZ") or dtype.endswith("ZONE"):
        found.labels = [x if x is MISSING else x.tz_localize("UTC") for x in found.labels]
    return found


# --- bins -------------------------------------------------------------------------------------------------------------

_WRONG = -2  # the bin of a value that is of another kind, or does not parse
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


def _as_numbers(column: str, dtype: str, wanted: TypeToCut | None) -> dict[Kind, str]:
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


def _is_missing(column: str, dtype: str) -> str:
    return f"({column} IS NULL OR isnan({column}))" if dtype in ("FLOAT", "DOUBLE") else f"{column} IS NULL"


def _number_cut(column: str, dtype: str, cut: Cut) -> str:
    """SQL for the number that is cut; null where a value is not of the cut's kind."""
    forms = _as_numbers(column, dtype, cut.wanted)
    return f"coalesce({', '.join(['NULL', *forms.values()])})" if cut.kind is None else forms.get(cut.kind, "NULL")


def _bin(column: str, dtype: str, number: str, cut: Cut) -> str:
    """SQL for the number of cut points below a value; -1 where it is missing."""
    whole = cut.kind != "number" or _is_whole(dtype)
    points = [str(math.floor(p)) if whole else f"'{float(p)!r}'::DOUBLE" for p in cut.points]
    below = sum_as_tree(["0", *(f"({number} > {point})::INTEGER" for point in points)], "({} + {})".format)
    return f"CASE WHEN {_is_missing(column, dtype)} THEN -1 WHEN {number} IS NULL THEN {_WRONG} ELSE {below} END"


def numbers(
    table: Any, column: Hashable, weight: Hashable | None, name: str, spec: Spec, wanted: TypeToCut | None
) -> tuple[Numbers, Counts]:
    """What `bins` needs to know of the first column of a relation c0, c1: its kind, its extent, or its values and their counts."""
    dtype = str(table.types[0])
    if spec.how == "points":
        return Numbers(kind_of_type(dtype), np.zeros(0)), np.zeros(0, np.int64)
    fractional = weight is not None and _check_weights(table, "c1", weight, name)
    forms = _as_numbers("c0", dtype, wanted) or {"number": "NULL::DOUBLE"}
    as_numbers = ", ".join(f"{sql} AS x{i}" for i, sql in enumerate(forms.values()))
    rows = table.select(f"c0, {_is_missing('c0', dtype)} AS missing, {'1' if weight is None else 'c1::DOUBLE'} AS w, {as_numbers}")
    wrong = "NOT missing AND " + " AND ".join(f"x{i} IS NULL" for i in range(len(forms)))
    finite = "w > 0 AND isfinite(x{0}::DOUBLE)"
    extents = [f"count(x{i}), min(x{i}) FILTER ({finite.format(i)}), max(x{i}) FILTER ({finite.format(i)})" for i in range(len(forms))]
    bad, *found = rows.aggregate(f"count(*) FILTER ({wrong}), " + ", ".join(extents)).fetchall()[0]
    if bad:
        raise _wrong_value(rows.filter(wrong), dtype, wanted, column, name)
    kinds = [(kind, i) for i, kind in enumerate(forms) if found[3 * i]]
    if not kinds:
        return Numbers(None, np.zeros(0)), np.zeros(0, np.int64)
    if len(kinds) > 1:
        one_kind([dt.datetime(2000, 1, 1), dt.datetime(2000, 1, 1, tzinfo=dt.UTC)], column, name)
    (kind, i), *_ = kinds
    if spec.how == "width":
        extent = [x for x in found[3 * i + 1 : 3 * i + 3] if x is not None]
        return Numbers(kind, np.array(extent)), np.ones(len(extent), np.int64)
    arrays = rows.filter(f"x{i} IS NOT NULL").aggregate(f"x{i} AS x, sum(w)::DOUBLE AS n", f"x{i}").fetchnumpy()
    counts = np.asarray(arrays["n"])
    return Numbers(kind, np.asarray(arrays["x"])), counts if fractional else whole_weights(counts, weight, name)


def _wrong_value(rows: Any, dtype: str, wanted: TypeToCut | None, column: Hashable, name: str, cut: Cut | None = None) -> Exception:
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
