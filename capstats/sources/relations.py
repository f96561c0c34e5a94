"""DuckDB relations, grouped where they lie: distinct rows of a file, a relation or a frame, and their counts."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from capstats.codes.bins import Numbers, Spec, binned_column
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.labels import MISSING, one_kind
from capstats.sources import relation_cuts as cutting
from capstats.sources.columns import column_of, no_date, no_duration, unmasked
from capstats.sources.foreign import told_by_class
from capstats.sources.source import Options, Query, check_names
from capstats.sources.weights import whole_weights, wrong_weights

SHORT, MOST_TEXT = 256, 1 << 28  # bytes: of a label that is never too long, and of all that the others have beyond it
_LONG = "capstats: long labels"
_LENGTHS = {"VARCHAR": "strlen", "BLOB": "octet_length"}  # in bytes
_EXACT = ("DECIMAL", "HUGEINT", "UHUGEINT")  # types whose array form would be a float


class RelationSource:
    """A relation of the user's own DuckDB connection."""

    in_memory = False
    is_csv = False
    size = None

    def __init__(self, table: Any, name: str):
        self.table, self.name = table, name

    def names(self, options: Options) -> Sequence[Hashable]:  # noqa: ARG002  a file needs them
        """The names of the columns."""
        return list(self.table.columns)

    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """Distinct rows, and their counts or the sums of their weights."""
        with told_by_class(self.name):
            found, sums = grouped(self._numbered(query), query, self.name)
            return found, query.needed(sums)

    def values(self, query: Query, specs: Sequence[Spec]) -> list[tuple[Numbers, Counts]]:
        """The extent of each column, or its distinct values and their counts."""
        with told_by_class(self.name):
            return numbers(self._numbered(query), query, specs, self.name)

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
    rows = rows.select(f"{groups}, {counted}") if query.by_record else rows.aggregate(f"{groups}, {counted}", groups)
    texts = {i: _LENGTHS[types[i]] for i, column in enumerate(columns) if types[i] in _LENGTHS and column not in query.cuts}
    arrays = _fetched(rows, texts, [*map("c{}".format, range(len(columns))), *map("n{}".format, range(len(sums)))], name)
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


def _fetched(rows: Any, texts: Mapping[int, str], names: Sequence[str], name: str, careful: bool = False) -> Any:
    """The columns of a relation: of pyarrow where it is there, which makes no object of each text, else of numpy.

    A text that is not short stops the query; it is asked again with ``careful``, which adds up their lengths, and costs more.
    """
    over = " OR ".join(f"{length}(c{i}) > {SHORT}" for i, length in texts.items()) or "false"
    if careful:
        size = " + ".join(f"coalesce({length}(c{i}), 0)" for i, length in texts.items())
        total = f"sum(greatest({size} - {SHORT * len(texts)}, 0)::DOUBLE) OVER (ROWS UNBOUNDED PRECEDING)"
        rows, over = rows.select(f"*, {total} AS size"), f"size > {MOST_TEXT}"
    *others, last = names  # the last is a number; the others keep their types
    capped = rows.select(", ".join([*others, f"CASE WHEN {over} THEN error('{_LONG}') ELSE {last} END AS {last}"]))
    try:
        return capped.to_arrow_table() if importlib.util.find_spec("pyarrow") else capped.fetchnumpy()
    except Exception as error:
        if _LONG not in str(error):
            raise
    if not careful:
        return _fetched(rows, texts, names, name, careful=True)
    raise ValueError(
        f"The labels of `{name}` are too long: in the distinct rows, what each has beyond {SHORT} bytes adds up to more than "
        f"{MOST_TEXT >> 20} MB. Leave out columns of long text, or shorten their values."
    )


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


def numbers(table: Any, query: Query, specs: Sequence[Spec], name: str) -> list[tuple[Numbers, Counts]]:
    """What `bins` needs to know of the columns c0, c1, ... of a relation: the kind of each, its extent, or its values and their counts.

    One pass finds the kinds and extents of all columns; a column that is cut at quantiles needs one of its own, for its values.
    """
    weight, types = query.weight, list(map(str, table.types))
    none: Counts = np.zeros(0, np.int64)
    found = [(Numbers(cutting.kind_of_type(dtype), np.zeros(0)), none) for dtype in types[: len(specs)]]
    looked = [i for i, spec in enumerate(specs) if spec.how != "points"]
    if not looked:
        return found
    fractional = weight is not None and _check_weights(table, f"c{len(specs)}", weight, name)
    wanted: list[Any] = [query.options.types.get(column) for column in query.columns]  # one of the types that can be cut, or None
    forms = {i: cutting.as_numbers(f"c{i}", types[i], wanted[i]) or {"number": "NULL::DOUBLE"} for i in looked}
    missing = {i: cutting.is_missing(f"c{i}", types[i], query.options.null_values.of(query.columns[i]).texts) for i in looked}
    forms = {i: {kind: f"CASE WHEN NOT {missing[i]} THEN {sql} END" for kind, sql in of.items()} for i, of in forms.items()}
    in_forms = ", ".join(f"{sql} AS x{i}_{j}" for i in looked for j, sql in enumerate(forms[i].values()))
    rows = table.select(f"*, {'1' if weight is None else f'c{len(specs)}::DOUBLE'} AS w, {in_forms}")
    wrong: dict[int, str] = {}
    asked: list[str] = []
    for i in looked:
        xs = [f"x{i}_{j}" for j in range(len(forms[i]))]
        wrong[i] = f"NOT {missing[i]} AND " + " AND ".join(f"{x} IS NULL" for x in xs)
        for x in xs:
            finite = f"w > 0 AND isfinite({x}::DOUBLE)"
            asked.append(f"count(*) FILTER ({wrong[i]}), count({x}), min({x}) FILTER ({finite}), max({x}) FILTER ({finite})")
    answers = iter(rows.aggregate(", ".join(asked)).fetchall()[0])
    extents = {i: {kind: [next(answers) for _ in range(4)] for kind in forms[i]} for i in looked}
    for i, of_kinds in extents.items():
        column = query.columns[i]
        if any(bad for bad, *_ in of_kinds.values()):
            raise cutting.wrong_value(rows.filter(wrong[i]).select(f"c{i} AS c0"), types[i], wanted[i], column, name)
        kinds = [kind for kind, (_, present, *_) in of_kinds.items() if present]
        if len(kinds) > 1:
            one_kind(cutting.BOTH_DATETIMES, column, name)  # raises
        if not kinds:
            found[i] = Numbers(None, np.zeros(0)), none
        elif specs[i].how == "width":
            extent = [x for x in of_kinds[kinds[0]][2:] if x is not None]
            found[i] = Numbers(kinds[0], np.array(extent)), np.ones(len(extent), np.int64)
        else:
            x = f"x{i}_{list(forms[i]).index(kinds[0])}"
            arrays = rows.filter(f"{x} IS NOT NULL").aggregate(f"{x} AS x, sum(w)::DOUBLE AS n", x).fetchnumpy()
            counts = np.asarray(arrays["n"])
            found[i] = Numbers(kinds[0], np.asarray(arrays["x"])), counts if fractional else whole_weights(counts, weight, name)
    return found
