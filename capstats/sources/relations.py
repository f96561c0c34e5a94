"""DuckDB relations, grouped where they lie: distinct rows of a file, a relation or a frame, and their counts."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from capstats.codes.bins import Spec, binned_column
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.labels import MISSING, one_kind
from capstats.codes.numeric import Numbers
from capstats.sources import relation_cuts as cutting
from capstats.sources.columns import column_of, no_date, no_duration, unmasked
from capstats.sources.foreign import told_by_class
from capstats.sources.source import Query, check_names
from capstats.sources.weights import whole_weights, wrong_weights

_EXACT = ("DECIMAL", "HUGEINT", "UHUGEINT")  # types whose array form would be a float


class RelationSource:
    """A relation of the user's own DuckDB connection."""

    in_memory = False
    is_csv = False
    size = None

    def __init__(self, table: Any, name: str):
        self.table, self.name = table, name

    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """Distinct rows, and their counts or the sums of their weights."""
        with told_by_class(self.name):
            found, sums = grouped(self._numbered(query), query, self.name)
            return found, query.needed(sums)

    def values(self, query: Query, spec: Spec) -> tuple[Numbers, Counts]:
        """The extent of the column, or its distinct values and their counts."""
        with told_by_class(self.name):
            return numbers(self._numbered(query), query, spec, self.name)

    def _numbered(self, query: Query) -> Any:
        check_names(query.wanted, list(self.table.columns), self.name)
        return numbered(self.table, query.wanted)


def numbered(table: Any, wanted: Sequence[Hashable]) -> Any:
    """The wanted columns of a relation as c0, c1, ..."""
    return table.select(", ".join(f"{_quoted(str(column))} AS c{i}" for i, column in enumerate(wanted)))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def grouped(table: Any, query: Query, name: str) -> tuple[list[Column], Sums]:
    """Distinct rows of a relation c0, c1, ..., and how often each occurs; or the sums of its weights, of its records and of the squares.

    Where the query says ``by_record``, the rows are the records in their order.
    """
    columns, weight = query.columns, query.weight
    types = list(map(str, table.types))
    parts = [f"c{i}::VARCHAR AS c{i}" if types[i].startswith(_EXACT) else f"c{i}" for i in range(len(columns))]
    for i, column in enumerate(columns):
        if types[i] == "INTERVAL":
            if table.filter(f"extract(year FROM c{i}) <> 0 OR extract(month FROM c{i}) <> 0").limit(1).fetchall():
                raise no_duration(str(column), name)
            parts[i] = f"epoch_us(c{i}) AS c{i}"
        if column in query.cuts:
            table = table.select(f"*, {cutting.number_to_cut(f'c{i}', types[i], query.cuts[column])} AS x{i}")
            parts[i] = f"{cutting.bin_number(f'c{i}', types[i], f'x{i}', query.cuts[column])} AS c{i}"
    groups = ", ".join(f"c{i}" for i in range(len(columns)))
    fractional = False
    sums = ["count(*)"]
    if weight is not None:
        fractional = _check_weights(table, f"c{len(columns)}", weight, name)
        parts.append(f"c{len(columns)}::DOUBLE AS w")
        sums = ["sum(w)", "count(*)", "sum(w * w)"]
    if query.by_record:
        sums = ["1"] if weight is None else ["w", "1", "w * w"]
    counted = ", ".join(f"{sql}::DOUBLE AS n{i}" for i, sql in enumerate(sums))
    rows = table.select(", ".join(parts))
    arrays = _fetched(rows.select(f"{groups}, {counted}") if query.by_record else rows.aggregate(f"{groups}, {counted}", groups))
    found = []
    for i, column in enumerate(columns):
        if column not in query.cuts:
            found.append(_column(arrays[f"c{i}"], types[i], str(column), name))
            continue
        if (np.asarray(arrays[f"c{i}"]) == cutting.WRONG).any():
            raise cutting.wrong_bin(table, i, types[i], query.cuts[column], column, name)
        found.append(binned_column(column_of(arrays[f"c{i}"], str(column), name), query.cuts[column]))
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
        raise wrong_weights(column, name, wrong, row)
    return bool(fractional)


def _column(values: Any, dtype: str, column: str, name: str) -> Column:
    """DuckDB's array as codes; what its array form blurs (dates, zones, exact numbers) is known from its type."""
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


def numbers(table: Any, query: Query, spec: Spec, name: str) -> tuple[Numbers, Counts]:
    """What `bins` needs to know of the first column of a relation c0, c1: its kind, its extent, or its values and their counts."""
    (column,), weight = query.columns, query.weight
    wanted: Any = query.options.types.get(column)  # one of the types that can be cut, or None
    dtype = str(table.types[0])
    if spec.how == "points":
        return Numbers(cutting.kind_of_type(dtype), np.zeros(0)), np.zeros(0, np.int64)
    fractional = weight is not None and _check_weights(table, "c1", weight, name)
    forms = cutting.as_numbers("c0", dtype, wanted) or {"number": "NULL::DOUBLE"}
    missing = cutting.is_missing("c0", dtype, query.options.null_values.of(column).texts)
    forms = {kind: f"CASE WHEN NOT {missing} THEN {sql} END" for kind, sql in forms.items()}
    in_forms = ", ".join(f"{sql} AS x{i}" for i, sql in enumerate(forms.values()))
    rows = table.select(f"c0, {missing} AS missing, {'1' if weight is None else 'c1::DOUBLE'} AS w, {in_forms}")
    wrong = "NOT missing AND " + " AND ".join(f"x{i} IS NULL" for i in range(len(forms)))
    extents = []
    for i in range(len(forms)):
        finite = f"w > 0 AND isfinite(x{i}::DOUBLE)"
        extents.append(f"count(x{i}), min(x{i}) FILTER ({finite}), max(x{i}) FILTER ({finite})")
    bad, *found = rows.aggregate(f"count(*) FILTER ({wrong}), " + ", ".join(extents)).fetchall()[0]
    if bad:
        raise cutting.wrong_value(rows.filter(wrong), dtype, wanted, column, name)
    kinds = [(kind, i) for i, kind in enumerate(forms) if found[3 * i]]
    if not kinds:
        return Numbers(None, np.zeros(0)), np.zeros(0, np.int64)
    if len(kinds) > 1:
        one_kind(cutting.BOTH_DATETIMES, column, name)  # raises
    (kind, i), *_ = kinds
    if spec.how == "width":
        extent = [x for x in found[3 * i + 1 : 3 * i + 3] if x is not None]
        return Numbers(kind, np.array(extent)), np.ones(len(extent), np.int64)
    arrays = rows.filter(f"x{i} IS NOT NULL").aggregate(f"x{i} AS x, sum(w)::DOUBLE AS n", f"x{i}").fetchnumpy()
    counts = np.asarray(arrays["n"])
    return Numbers(kind, np.asarray(arrays["x"])), counts if fractional else whole_weights(counts, weight, name)
