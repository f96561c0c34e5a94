"""What DuckDB is asked about a relation: its distinct rows and their counts, what `bins` needs, and single columns."""

from __future__ import annotations

import datetime as dt
import importlib.util
import math
import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeVar

import numpy as np

from capstats.codes.arguments import said
from capstats.codes.bins import Cut, Numbers, Spec, TypeToCut, binned_column, check_kind, mismatch, sum_as_tree
from capstats.codes.by_table import key_of
from capstats.codes.column import Column, Counts, Sums, one_kind
from capstats.codes.declared_types import NUMBER, as_type, wrong_labels
from capstats.codes.labels import Kind
from capstats.sources.columns import column_of, in_utc, no_date, no_duration, unmasked
from capstats.sources.disk import identifier, quoted
from capstats.sources.source import (
    Margin,
    Options,
    Query,
    engine_sums,
    margin,
    no_numbers,
    wrong_weights,
)

T = TypeVar("T")
SHORT, MOST_TEXT = 256, 1 << 28  # bytes: a label up to SHORT is never too long; together the others may exceed it by MOST_TEXT
_LONG = "capstats: long labels"
_LENGTHS = {"VARCHAR": "strlen", "BLOB": "octet_length"}  # in bytes
_EXACT = ("DECIMAL", "HUGEINT", "UHUGEINT")  # types whose array form would be a float
_BOTH_DATETIMES = (dt.datetime(2000, 1, 1), dt.datetime(2000, 1, 1, tzinfo=dt.UTC))  # labels of the two kinds of datetimes
_WRONG = -2  # the bin of a value that is of another kind, or does not parse
DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
TIME = r"(?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
ZONE = "(?:Z|[+-][0-9]{2}:[0-9]{2})"
_FORMS = {
    "number": "-12.5e3, up to 1e308",
    "date": "2024-01-31",
    "datetime": "2024-01-31, 2024-01-31 12:30:00.123456 or 2024-01-31 12:30:00+01:00",
}


class Miscounted(Exception):  # noqa: N818
    """DuckDB found another number of records than there are."""


def check_number(found: int, records: int | None) -> None:
    """Raise where DuckDB found another number of records than is known."""
    if records not in (None, found):
        raise Miscounted


def numbered(table: Any, wanted: Sequence[Hashable], texts: Collection[Hashable] = ()) -> Any:
    """The wanted columns of a relation as c0, c1, ...; ``texts`` are equal where their bytes are, whatever the collation of the column."""
    binary = dict.fromkeys(texts, ' COLLATE "binary"')
    return table.select(", ".join(f"{identifier(column)}{binary.get(column, '')} AS c{i}" for i, column in enumerate(wanted)))


def grouped(table: Any, query: Query, name: str) -> tuple[list[Column], Sums]:
    """Distinct rows of a relation c0, c1, ..., and how often each occurs; or the sums of its weights, of its records and of the squares.

    Where the query says ``by_record``, the rows are the records in their order.
    """
    columns, weight = query.columns, query.weight
    table = table if query.first is None else table.limit(query.first)
    types, groups = list(map(str, table.types)), [f"c{i}" for i in range(len(columns))]
    parts, texts = [], {}
    for c, dtype, column in zip(groups, types, columns, strict=False):
        sql = c
        if dtype.startswith(_EXACT):
            sql = f"{c}::VARCHAR"
        elif dtype == "INTERVAL":
            if table.filter(f"extract(year FROM {c}) <> 0 OR extract(month FROM {c}) <> 0").limit(1).fetchall():
                raise no_duration(str(column), name)
            sql = f"epoch_us({c})"
        if column in query.cuts:
            table = table.select(f"*, {_number_to_cut(c, dtype, query.cuts[column])} AS x{c}")
            sql = _bin_number(c, dtype, f"x{c}", query.cuts[column])
        elif dtype in _LENGTHS:
            texts[c] = _LENGTHS[dtype]
        parts.append(f"{sql} AS {c}")
    fractional, sums = False, ["1"] if query.by_record else ["count(*)"]
    if weight is not None:
        fractional = check_weights(table, f"c{len(columns)}", weight, name)
        parts.append(f"c{len(columns)}::DOUBLE AS w")
        sums = ["w", "1", "w * w"] if query.by_record else ["sum(w)", "count(*)", "sum(w * w)"]
    wanted = ", ".join([*groups, *(f"{sql}::DOUBLE AS n{i}" for i, sql in enumerate(sums))])
    rows = table.select(", ".join(parts))
    rows = rows.select(wanted) if query.by_record else rows.aggregate(wanted, ", ".join(groups))
    arrays = _fetched(rows, texts, name)
    found = []
    for c, dtype, column in zip(groups, types, columns, strict=False):
        if column not in query.cuts:
            found.append(_column(arrays[c], dtype, str(column), name))
            continue
        cut = query.cuts[column]
        if (np.asarray(arrays[c]) == _WRONG).any():
            wrong = table.filter(f"x{c} IS NULL AND NOT {is_missing(c, dtype, cut.texts)}").select(f"{c} AS c0")
            raise _wrong_value(wrong, dtype, cut.declared, column, name, cut)
        found.append(binned_column(column_of(arrays[c], str(column), name), cut))
    return found, engine_sums([np.asarray(arrays[f"n{i}"]) for i in range(len(sums))], query, name, fractional=fractional)


def _fetched(rows: Any, texts: Mapping[str, str], name: str, careful: bool = False) -> Any:
    """The columns of a relation as arrays of pyarrow, if installed, which needs no object for each text; otherwise of numpy.

    A text that is not short stops the query; it is run again with ``careful``, which adds up the lengths and takes longer.
    """
    over = " OR ".join(f"{length}({c}) > {SHORT}" for c, length in texts.items()) or "false"
    if careful:
        size = " + ".join(f"coalesce({length}({c}), 0)" for c, length in texts.items())
        total = f"sum(greatest({size} - {SHORT * len(texts)}, 0)::DOUBLE) OVER (ROWS UNBOUNDED PRECEDING)"
        rows, over = rows.select(f"{total} AS size, *"), f"size > {MOST_TEXT}"
    *others, last = rows.columns  # the last is a number; the others keep their types
    capped = rows.select(", ".join([*others, f"CASE WHEN {over} THEN error('{_LONG}') ELSE {last} END AS {last}"]))
    try:
        return capped.to_arrow_table() if importlib.util.find_spec("pyarrow") else capped.fetchnumpy()
    except Exception as error:
        if _LONG not in str(error):
            raise
    if not careful:
        return _fetched(rows, texts, name, careful=True)
    raise ValueError(
        f"The labels of `{name}` are too long: in the distinct rows, what each has beyond {SHORT} bytes adds up to more than "
        f"{MOST_TEXT >> 20} MB. Leave out columns of long text, or shorten their values."
    )


def check_weights(table: Any, weight: str, column: Hashable, name: str) -> bool:
    """Whether some weights are fractional; raise where one is no number, not finite or negative."""
    rows = table.select(f"TRY_CAST({weight} AS DOUBLE) AS w")
    bad = "w IS NULL OR NOT isfinite(w) OR w < 0"
    wrong, fractional = rows.aggregate(f"count(*) FILTER ({bad}), count(*) FILTER (w <> floor(w))").fetchall()[0]
    if wrong:
        comma = table.filter(f"NOT coalesce(regexp_full_match(trim({weight}::VARCHAR), '[0-9]+(,[0-9]+)?'), false)").limit(1)
        if str(table.types[table.columns.index(weight)]) == "VARCHAR" and not comma.fetchall():
            raise ValueError(
                f"Column {column!r} of `{name}` holds numbers with a comma before the decimals: say {said(decimal={key_of(name): ','})}, "
                f"or --decimal , for all files."
            )
        ((row,),) = rows.select("w, row_number() OVER () - 1 AS place").filter(bad).aggregate("min(place)").fetchall()
        raise wrong_weights(column, name, wrong, row)
    return bool(fractional)


def _column(values: Any, dtype: str, column: str, name: str) -> Column:
    """DuckDB's array as codes; the type tells what the array does not (dates, zones, exact numbers)."""
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
    return in_utc(found) if dtype.startswith("TIMESTAMPTZ") or dtype.endswith("ZONE") else found


def numbers(table: Any, query: Query, specs: Sequence[Spec], name: str) -> list[tuple[Numbers, Counts]]:
    """What `bins` needs of the columns c0, c1, ... of a relation: the kind of each, its extent, or its values and their counts.

    One pass finds the kinds and extents of all columns; a column that is cut at quantiles needs one of its own, for its values.
    """
    weight, types = query.weight, list(map(str, table.types))
    found = [no_numbers(kind_of_type(dtype)) for dtype in types[: len(specs)]]
    looked = [i for i, spec in enumerate(specs) if spec.how != "points"]
    if not looked:
        return found
    fractional = weight is not None and check_weights(table, f"c{len(specs)}", weight, name)
    parts, asked = [f"*, {'1' if weight is None else f'c{len(specs)}::DOUBLE'} AS w"], []
    wrong: dict[int, str] = {}
    forms: dict[int, dict[Kind, str]] = {}  # for each column, the names of its numbers by kind of values
    for i in looked:
        column = query.columns[i]
        of_kind = _as_numbers(f"c{i}", types[i], query.options.type_of(column)) or {"number": "NULL::DOUBLE"}
        missing = is_missing(f"c{i}", types[i], query.options.codes.of(column).texts)
        forms[i] = {kind: f"x{i}_{j}" for j, kind in enumerate(of_kind)}
        parts += [f"CASE WHEN NOT {missing} THEN {sql} END AS {forms[i][kind]}" for kind, sql in of_kind.items()]
        wrong[i] = " AND ".join([f"NOT {missing}", *(f"{x} IS NULL" for x in forms[i].values())])
        for x in forms[i].values():
            finite = f"w > 0 AND isfinite({x}::DOUBLE)"
            asked.append(f"count(*) FILTER ({wrong[i]}), count({x}), min({x}) FILTER ({finite}), max({x}) FILTER ({finite})")
    rows = table.select(", ".join(parts))
    answers = iter(rows.aggregate(", ".join(asked)).fetchall()[0])
    for i in looked:
        column, extents = query.columns[i], {kind: [next(answers) for _ in range(4)] for kind in forms[i]}
        if any(bad for bad, *_ in extents.values()):
            raise _wrong_value(rows.filter(wrong[i]).select(f"c{i} AS c0"), types[i], query.options.type_of(column), column, name)
        kinds = [kind for kind, (_, present, *_) in extents.items() if present]
        if len(kinds) > 1:
            one_kind(_BOTH_DATETIMES, column, name)  # raises
        if not kinds:
            found[i] = no_numbers()
        elif specs[i].how == "width":
            extent = [x for x in extents[kinds[0]][2:] if x is not None]
            found[i] = Numbers(kinds[0], np.array(extent)), np.ones(len(extent), np.int64)
        else:
            x = forms[i][kinds[0]]
            arrays = rows.filter(f"{x} IS NOT NULL").aggregate(f"{x} AS x, sum(w)::DOUBLE AS n", x).fetchnumpy()
            counts = engine_sums([np.asarray(arrays["n"])], query, name, fractional=fractional)[0]
            found[i] = Numbers(kinds[0], np.asarray(arrays["x"])), counts
    return found


def margin_of(table: Any, column: Hashable, options: Options, most: int, name: str) -> tuple[Margin | None, int]:
    """The margin of column c0 with at most ``most`` of its labels, None where it cannot be read; and the number of records."""
    missing = is_missing("c0", str(table.types[0]))
    ((records, levels),) = table.aggregate(f"count(*), count(DISTINCT c0) FILTER (NOT ({missing}))").fetchall()
    weight = None
    if levels > most:  # among labels with equal counts, any
        groups = table.aggregate(f"c0, count(*) AS c1, ({missing}) AS missing", "c0")
        table, weight = groups.order("missing DESC, c1 DESC, hash(c0)").limit(most + 1).select("c0, c1"), "c1"
    try:
        (found,), (counts, *_) = grouped(table, Query([column], weight, options=options), name)
    except (TypeError, ValueError):
        return None, records
    return margin(found, counts, most, *((levels, records) if levels > most else ())), records


# --- SQL that cuts a column: the number that is cut, its bin, and what is wrong with other values ---------------------


def kind_of_type(dtype: str) -> Kind | None:
    """The kind of a DuckDB type's values; None of its NULL."""
    kinds: dict[str, Kind | None] = {
        r".*\]": "other",
        "TIMESTAMPTZ.*|TIMESTAMP.*ZONE": "datetime with zone",
        "TIMESTAMP.*": "datetime",
        "DECIMAL.*|FLOAT.*|DOUBLE.*|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?": "number",
        "DATE": "date",
        "VARCHAR|ENUM.*": "text",
        "BOOLEAN": "bool",
        "INTERVAL": "duration",
        '"?NULL"?': None,
    }
    return next((kind for pattern, kind in kinds.items() if re.fullmatch(pattern, dtype, re.DOTALL)), "other")


def _is_whole(dtype: str) -> bool:
    return "INT" in dtype and "HUGE" not in dtype


def _as_numbers(column: str, dtype: str, wanted: TypeToCut | None) -> dict[Kind, str]:
    """For each kind that a column's values may be of: SQL for the number that is cut, null where a value is not of that kind."""
    kind = kind_of_type(dtype)
    text = f"trim({column}::VARCHAR, E' \\t\\n\\r\\f')"
    if kind == "text" and wanted == "date":
        return {"date": f"CASE WHEN {matches(text, DAY)} THEN TRY_CAST({text} AS DATE) - DATE '1970-01-01' END"}
    if kind == "text" and wanted == "datetime":
        naive, zoned = matches(text, f"{DAY}(?:[T ]{TIME})?"), matches(text, f"{DAY}[T ]{TIME}{ZONE}")
        return {
            "datetime": f"CASE WHEN {naive} THEN epoch_us(TRY_CAST({text} AS TIMESTAMP)) END",
            "datetime with zone": f"CASE WHEN {zoned} THEN epoch_us(TRY_CAST({text} AS TIMESTAMPTZ)) END",
        }
    if kind == "text":
        number = f"CASE WHEN {matches(text, NUMBER.pattern)} THEN TRY_CAST({text} AS DOUBLE) END"
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


def matches(text: str, pattern: str) -> str:
    """SQL for whether a whole text matches a pattern, upper or lower case."""
    return f"regexp_full_match({text}, '(?i){pattern}')"


def is_missing(column: str, dtype: str, texts: Sequence[str] = ()) -> str:
    """SQL for whether a value is missing, or one of ``texts``.

    NaN is found by ``isfinite``: where statistics of a Parquet file give a least and a greatest number, DuckDB takes ``isnan`` for false.
    """
    if texts and kind_of_type(dtype) == "text":
        return f"({column} IS NULL OR {column}::VARCHAR IN ({', '.join(map(quoted, texts))}))"
    if dtype in ("FLOAT", "DOUBLE"):
        return f"({column} IS NULL OR (NOT isfinite({column}) AND {column} NOT IN ('inf', '-inf')))"
    return f"{column} IS NULL"


def _number_to_cut(column: str, dtype: str, cut: Cut) -> str:
    """SQL for the number that is cut; null where a value is not of the cut's kind."""
    forms = _as_numbers(column, dtype, cut.declared)
    return f"coalesce({', '.join(['NULL', *forms.values()])})" if cut.kind is None else forms.get(cut.kind, "NULL")


def _bin_number(column: str, dtype: str, number: str, cut: Cut) -> str:
    """SQL for the number of cut points below a value, or the number of a text's bin; -1 where it is missing, _WRONG where it is neither."""
    whole = cut.kind != "number" or _is_whole(dtype)
    points = [str(math.floor(p)) if whole else f"'{float(p)!r}'::DOUBLE" for p in cut.points]
    below = sum_as_tree(["0", *(f"({number} > {point})::INTEGER" for point in points)], lambda a, b: f"({a} + {b})")
    texts = cut.texts if kind_of_type(dtype) == "text" else ()
    codes = "".join(f" WHEN {column}::VARCHAR = {quoted(text)} THEN {i}" for i, text in enumerate(texts, start=len(cut.points) + 1))
    return f"CASE WHEN {is_missing(column, dtype)} THEN -1{codes} WHEN {number} IS NULL THEN {_WRONG} ELSE {below} END"


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
