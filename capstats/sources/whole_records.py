"""Whole records as numbers of 64 bits that DuckDB makes, so that tables that do not fit in memory are compared where they are.

Equal values have equal numbers in all tables, whatever their types: 1, 1.0, true and the text "1" are equal, and so are a date and its
text in ISO 8601. Two different records have the same number with a probability of 2**-64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from types import MappingProxyType
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.column import Column, Ints
from capstats.codes.declared_types import TRUTH, type_name
from capstats.codes.labels import plain as in_plain
from capstats.codes.missing_codes import Codes
from capstats.sources.disk import answer, plain, quoted
from capstats.sources.files import FileSource, RelationSource, Shared
from capstats.sources.memory import MemorySource
from capstats.sources.relations import DAY, TIME, ZONE, is_missing, kind_of_type, matches
from capstats.sources.source import Options, Query, Source, engine_errors

FEW = 1 << 24  # combinations of multiplicities that are counted in an array
FIRST, FEW_OF_FIRST = 100_000, 4096  # a column has few values if there are at most FEW_OF_FIRST in the FIRST records
FEW_VALUES = 1 << 17  # the most values of all such columns
BLOCK = 1 << 20  # records of a table in memory whose numbers are made at a time

COMPACT = {  # dates and times of digits alone, and what to write in their place
    "^([0-9]{4})([0-9]{2})([0-9]{2})(T|$)": r"\1-\2-\3\4",
    "T([0-9]{2})([0-9]{2})": r"T\1:\2",
    "(T[0-9]{2}:[0-9]{2})([0-9]{2})": r"\1:\2",
}
NONE = "hash(NULL)"  # SQL for the number of a missing value
FRACTION, WIDE, MOMENT, ZONED, NANOSECONDS, OTHER = (i * 0xC2B2AE3D27D4EB4F % 2**64 for i in range(1, 7))  # marks of values of other kinds
SPACES = (*range(9, 14), *range(28, 33), 133, 160, 5760, *range(8192, 8203), 8232, 8233, 8239, 8287, 12288)
WHITE = "".join(map(chr, SPACES))  # the characters that Python strips
EXACT = 1 << 53  # below this floats hold all integers


def with_numbers(table: Any, query: Query, decimal: str, connection: Any = None) -> Any:
    """The columns of a relation c0, c1, ... as numbers x0, x1, ..., and the weight w, a whole number of records, where there is one.

    ``decimal`` is the decimal sign of texts. With the relation's ``connection``, those of columns with few values are looked up in a table.
    """
    types = dict(zip((f"c{i}" for i in range(len(query.columns))), map(str, table.types), strict=False))
    wanted = {c: x for c, column in zip(types, query.columns, strict=True) if (x := query.options.type_of(column)) is not None}
    declared = {c: type_name(x) for c, x in wanted.items() if isinstance(x, str) or type_name(x) != "text"}
    absent = _absent(table, query, types, decimal)
    further = [] if query.weight is None else [f"c{len(types)}::DOUBLE::BIGINT AS w"]
    few = {} if connection is None else _few(table, types, decimal, absent, connection, declared)
    for c, held in few.items():
        i, known = c[1:], "hash({}::VARCHAR)" if _is_text(types.pop(c)) else NONE  # the number of most values, or of missing ones
        others = connection.table("held").filter(f"t{i} IS NOT NULL AND {held} <> {known.format(f't{i}')}")
        number = known.format(c)
        if others.limit(1).fetchall():
            others = others.select(f"t{i}, {held} AS y{i}").set_alias(f"of_{c}")
            table, number = table.set_alias("records").join(others, f"{c} = t{i}", how="left"), f"coalesce(y{i}, {number})"
        further.append(f"{number} AS x{i}")
    return _numbers(table, types, decimal, absent, further, declared)


def _few(
    table: Any, types: Mapping[str, str], decimal: str, absent: Mapping[str, str], connection: Any, declared: Mapping[str, str]
) -> dict[str, str]:
    """The columns with few values whose numbers are slow to compute, and where the table ``held`` has the numbers of each one's values.

    Columns of one type are one column there: DuckDB plans a computation for each column, which takes longer than that of few numbers.
    """
    few = {c: dtype for c, dtype in types.items() if not _is_simple(dtype)}
    if few:
        numbers = table.limit(FIRST).aggregate(", ".join(f"count(DISTINCT {c})" for c in few)).fetchall()[0]
        few = {c: dtype for (c, dtype), n in zip(few.items(), numbers, strict=True) if n <= FEW_OF_FIRST}
    if not few:
        return {}
    alike: dict[Any, list[str]] = {}
    for c, dtype in few.items():
        alike.setdefault((dtype, declared.get(c)), []).append(c)
    values = {of[0]: f"coalesce({', '.join(f'CASE WHEN NOT {absent[c]} THEN {c} END' for c in of)})" for of in alike.values()}
    given = [f"t{c[1:]}" for c in few]
    columns = [*(f"{c} AS t{c[1:]}" for c in few), *(f"{value} AS {c}" for c, value in values.items())]
    sets = f"GROUPING SETS ({', '.join(f'({c})' for c in few)})"
    rows = table.aggregate(", ".join(few), sets).limit(FEW_VALUES).select(", ".join(columns))
    connection.execute("DROP TABLE IF EXISTS held")
    _numbers(rows, {c: few[c] for c in values}, decimal, {c: f"{c} IS NULL" for c in values}, given, declared).create("held")
    return {c: f"x{of[0][1:]}" for of in alike.values() for c in of} if len(connection.table("held")) < FEW_VALUES else {}


def _is_simple(dtype: str) -> bool:
    """Whether to compute the number of a value is as fast as to look it up."""
    return dtype == "BOOLEAN" or ("INT" in dtype and "HUGE" not in dtype and dtype != "UBIGINT")


def _numbers(
    table: Any,
    types: Mapping[str, str],
    decimal: str,
    absent: Mapping[str, str],
    further: Sequence[str] = (),
    declared: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """The numbers of columns c0, ... as x0, ...; and further columns. Texts are read as the types that are declared.

    Each step is a projection: one long expression would repeat its parts, and DuckDB computes a step only once for all rows that share a
    text in the dictionary of a file.
    """
    as_text = {c for c in types if declared.get(c) == "text"}
    texts = [c for c, dtype in types.items() if _is_text(dtype) and c not in as_text]
    values = {c: _text(c, types[c]) if c in as_text else _trimmed(c) if c in texts else c for c in types}
    steps = [f"{x if absent[c] == f'{c} IS NULL' else f'CASE WHEN NOT {absent[c]} THEN {x} END'} AS {c}" for c, x in values.items()]
    table = table.select(", ".join([*steps, *further]))
    if of_type := [f"{_as_declared(c, declared[c])} AS {c}" for c in texts if declared.get(c, "number") != "number"]:
        table = table.select(f"* REPLACE ({', '.join(of_type)})")
    table = table.select(", ".join(["*", *(f"{_read_number(c, decimal)} AS d{c}" for c in texts)]))
    numbers = {c: f"hash({c})" if c in as_text else _number(c, dtype) for c, dtype in types.items()}
    numbers |= {c: _number_of_text(c, f"d{c}") for c in texts}
    columns = [f"{x} AS x{c[1:]}" for c, x in numbers.items()]
    return table.select(", ".join([*columns, *(x.rpartition(" AS ")[2] for x in further)]))


def fractions(source: Any, query: Query, decimal: str) -> bool:
    """Whether some value of the only column of a query is a number that is not whole."""

    def work(table: Any) -> bool:
        dtype, column = str(table.types[0]), "c0"
        if not (_is_text(dtype) or dtype.startswith(("DECIMAL", "FLOAT", "DOUBLE"))):
            return False
        table = table.filter(f"NOT {_absent(table, query, {column: dtype}, decimal)[column]}")
        number = f"{_read_number(_trimmed(column), decimal) if _is_text(dtype) else column}::DOUBLE"
        return bool(table.filter(f"{number} <> trunc({number}) OR NOT isfinite({number})").limit(1).fetchall())

    return bool(source.ask(query, work))


def _is_text(dtype: str) -> bool:
    return kind_of_type(dtype) == "text" or dtype in ("UUID", "TIME", "BIT")


# --- missing values -----------------------------------------------------------------------------------------------------


def _absent(table: Any, query: Query, types: Mapping[str, str], decimal: str) -> dict[str, str]:
    """SQL for whether the value of each column is missing, or is a code that means so."""
    absent = {c: is_missing(c, dtype) for c, dtype in types.items()}
    codes = {c: query.options.codes.of(column) for c, column in zip(types, query.columns, strict=True)}
    numbers_of, looked = _numbers_of_codes(table, codes.values()), {}
    for c, dtype in types.items():
        kinds = [kind for kind in codes[c].places if _is_text(dtype) or kind == kind_of_type(dtype)]
        means = ", ".join(f"{numbers_of[str(in_plain(code))]}::UBIGINT" for kind in kinds for code in codes[c].places[kind])
        if means and _is_text(dtype):
            looked[c] = means
        elif means:
            absent[c] = f"({absent[c]} OR {_number(c, dtype)} IN ({means}))"
    if not looked:
        return absent
    # a code may be written in several ways; the distinct texts with its number are few and are checked one by one
    raw = [f"{c}::VARCHAR AS t{c}" for c in looked]
    numbers = _numbers(table, {c: types[c] for c in looked}, decimal, absent, raw)
    found = numbers.aggregate(", ".join(f"list(DISTINCT t{c}) FILTER (x{c[1:]} IN ({means}))" for c, means in looked.items())).fetchall()[0]
    for c, texts in zip(looked, found, strict=True):
        column = query.columns[int(c[1:])]
        if texts and (places := codes[c].all_matching(texts, query.options.type_of(column))):
            absent[c] = f"({absent[c]} OR {c}::VARCHAR IN ({', '.join(quoted(texts[i]) for i in places)}))"
    return absent


def _numbers_of_codes(table: Any, codes: Iterable[Codes]) -> dict[str, int]:
    """The numbers of all codes, by the text of a code."""
    texts = {str(in_plain(code)) for of in codes for labels in of.places.values() for code in labels}
    if not texts:
        return {}
    rows = table.limit(0).aggregate("count(*)").select(f"unnest([{', '.join(map(quoted, sorted(texts)))}]) AS c0")
    return dict(_numbers(rows, {"c0": "VARCHAR"}, ".", {"c0": "false"}, ["c0 AS code"]).select("code, x0").fetchall())


# --- SQL for the number of a value; that of null is that of a missing value ---------------------------------------------


def _marked(value: str, mark: int) -> str:
    return f"xor(hash({value}), {mark}::UBIGINT)"


def _number(value: str, dtype: str) -> str:
    """SQL for the number of a value that is no text."""
    kind = kind_of_type(dtype)
    if _is_simple(dtype):
        return f"hash({value}::BIGINT)"
    if kind == "number" and "INT" in dtype:
        return _whole(value)
    if kind == "number":
        fraction = f"{value}::VARCHAR::DOUBLE" if dtype.startswith("DECIMAL") else f"{value}::DOUBLE"
        return f"CASE WHEN {value} <> trunc({value}) THEN {_marked(fraction, FRACTION)} ELSE {_whole(value)} END"
    if kind == "date":
        return f"hash({value}::VARCHAR)"
    if kind == "datetime":
        moment = _moment(f"{value}::TIMESTAMP")
        finer = f"CASE WHEN epoch_ns({value}) % 1000 <> 0 THEN {_marked(f'epoch_ns({value})', NANOSECONDS)} ELSE {moment} END"
        return finer if dtype == "TIMESTAMP_NS" else moment
    if kind == "datetime with zone":
        marked = _marked(f"epoch_us({value})", ZONED)
    else:
        marked = _marked(f"epoch_us({value})" if kind == "duration" else value, OTHER)
    return f"CASE WHEN {value} IS NULL THEN {NONE} ELSE {marked} END"


def _whole(value: str) -> str:
    """SQL for that of a number without a fraction; one that 64 bits do not hold is taken as a wider integer, or as a float."""
    narrow, wide = (f"TRY_CAST({value} AS {dtype})" for dtype in ("BIGINT", "HUGEINT"))
    return (
        f"CASE WHEN {narrow} IS NOT NULL OR {value} IS NULL THEN hash({narrow}) WHEN {wide} IS NOT NULL THEN {_marked(wide, WIDE)} "
        f"ELSE {_marked(f'{value}::DOUBLE', FRACTION)} END"
    )


def _moment(value: str) -> str:
    """SQL for that of a datetime; midnight has the number of the date."""
    moment = _marked(f"epoch_us({value})", MOMENT)
    return f"CASE WHEN {value} <> date_trunc('day', {value}) THEN {moment} ELSE hash({value}::DATE::VARCHAR) END"


def _trimmed(value: str) -> str:
    """SQL for a text without spaces around it; a quick test of its first and last character comes first."""
    text = f"({value}::VARCHAR)"
    ends = f"{text} < '!' OR {text} > '~' OR {text}[-1] < '!' OR {text}[-1] > '~'"
    return f"CASE WHEN {ends} THEN trim({text}, {quoted(WHITE)}) ELSE {text} END"


def _read_number(text: str, decimal: str) -> str:
    """SQL for the float that a trimmed text is, as `capstats.codes.declared_types.NUMBER` has it; null where it is no number."""
    number = text if decimal == "." else f"replace({text}, {quoted(decimal)}, '.')"
    read = f"TRY_CAST({number} AS DOUBLE)"
    plain_text = f"{number} < ':' AND NOT contains({number}, '_') AND NOT starts_with({number}, '+-')"
    may_be = f"({number} < '.' OR {number} BETWEEN 'I' AND 'J' OR {number} BETWEEN 'i' AND 'j')"
    infinite = f"strlen({number}) IN (3, 4, 8, 9) AND {may_be} AND regexp_full_match({number}, '(?i)[+-]?inf(?:inity)?')"
    return f"CASE WHEN {plain_text} AND isfinite({read}) THEN {read} WHEN {infinite} THEN {read} END"


def _text(value: str, dtype: str) -> str:
    """SQL for a value as text, as Python writes it."""
    kind = kind_of_type(dtype)
    if kind == "number" and "INT" not in dtype:
        return f"CASE WHEN {value} <> trunc({value}) THEN {value}::DOUBLE::VARCHAR ELSE {value}::HUGEINT::VARCHAR END"
    if kind in ("number", "text", "date"):
        return f"{value}::VARCHAR"
    if kind == "bool":
        return f"CASE WHEN {value} THEN 'True' WHEN NOT {value} THEN 'False' END"
    raise ValueError(f"{kind} as text")


def _as_declared(text: str, declared: str) -> str:
    """SQL for a trimmed text as a text of which `_number_of_text` makes the number of a truth value, a date or a datetime."""
    if declared == "bool":
        words = {says: ", ".join(quoted(word) for word, x in TRUTH.items() if x is says) for says in (True, False)}
        read = " ".join(f"WHEN lower({text}) IN ({of}) THEN '{says}'" for says, of in words.items())
    else:
        form = DAY if declared == "date" else f"{DAY}(?:[T ]{TIME}{ZONE}?)?"
        dashed = text
        for compact, by in COMPACT.items():
            dashed = f"regexp_replace({dashed}, '{compact}', '{by}')"
        read = f"WHEN {matches(dashed, form)} THEN {dashed}"
    return f"CASE {read} WHEN {text} IS NOT NULL THEN error('of another form') END"


def _number_of_text(text: str, number: str) -> str:
    """SQL for that of a trimmed text, which may be a number, a datetime or a truth value."""
    whole = _whole(f"regexp_replace({text}, '[.,]0*$', '')")
    exact = f"CASE WHEN regexp_full_match({text}, '[+-]?[0-9]+([.,]0*)?') THEN {whole} ELSE {_whole(number)} END"
    naive, zoned = f"TRY_CAST({text} AS TIMESTAMP)", f"TRY_CAST({text} AS TIMESTAMPTZ)"
    true, false = (f"strlen({text}) = {len(word)} AND lower({text}) = '{word}'" for word in ("true", "false"))
    return (
        f"CASE WHEN abs({number}) < {EXACT} THEN CASE WHEN {number} = trunc({number}) THEN hash({number}::BIGINT) "
        f"ELSE {_marked(number, FRACTION)} END "
        f"WHEN {number} IS NOT NULL THEN CASE WHEN isfinite({number}) THEN {exact} ELSE {_marked(number, FRACTION)} END "
        f"WHEN {text} >= ':' THEN CASE WHEN {true} THEN hash(1::BIGINT) WHEN {false} THEN hash(0::BIGINT) ELSE hash({text}) END "
        f"WHEN {matches(text, f'{DAY}[T ]{TIME}')} AND {naive} IS NOT NULL THEN {_moment(naive)} "
        f"WHEN {matches(text, f'{DAY}[T ]{TIME}{ZONE}')} AND {zoned} IS NOT NULL THEN {_marked(f'epoch_us({zoned})', ZONED)} "
        f"ELSE hash({text}) END"
    )


# --- the numbers of all records -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Records:
    """The records of a table, over some of its columns."""

    source: Source
    query: Query
    texts: Callable[[int, Column], Sequence[str | None] | Ints]  # the values of the labels of a column in memory; None: missing
    decimal: str = "."

    def numbered(self, rows: Any, apart: Collection[int]) -> Any:
        """A relation x0, x1, ... as the number k of each record, the columns of ``apart`` by themselves, and the weight."""
        columns = range(len(self.query.columns))
        together = [f"x{i}" for i in columns if i not in apart]
        weight = [] if self.query.weight is None else ["w"]
        number = f"hash({', '.join(together)})" if together else "0::UBIGINT"
        return rows.select(", ".join([f"{number} AS k", *(f"x{i}" for i in apart), *weight]))

    def in_parts(self, connection: Any, apart: Collection[int]) -> Iterator[Any]:
        """The same for a table in memory, a block of records at a time."""
        source = cast(MemorySource, self.source)
        query = replace(self.query, by_record=True)
        for start in range(0, source.size, BLOCK):
            columns, sums = source.part(start, start + BLOCK).rows(query)
            numbers = {"w": sums[0]} if sums else {}
            for i, column in enumerate(columns):
                said = self.texts(i, column)
                labels = said if isinstance(said, np.ndarray) else pd.array(said, pd.StringDtype("python"))
                one = Query(["c0"], options=Options(types={"c0": "text"} if query.options.type_of(query.columns[i]) == "text" else None))
                of_label = with_numbers(connection.from_df(pd.DataFrame({"c0": labels})), one, ".").fetchnumpy()["x0"]
                numbers[f"x{i}"] = np.asarray(of_label)[column.codes.astype(np.int64) - column.first]
            yield self.numbered(connection.from_df(pd.DataFrame(numbers)), apart)


class _OfRelations:
    """The records of relations of one connection as numbers k, and those of some columns by themselves, x0, ...; DuckDB counts."""

    def __init__(self, records: Sequence[Records], apart: Collection[int]):
        self.tables = [cast(RelationSource, table.source).ask(table.query, partial(_made, table, apart)) for table in records]

    def multiplicities(self, which: Sequence[int], key: str = "k", where: str = "true") -> list[NDArray[np.int64]]:
        """The multiplicities of numbers in each of some tables and, last, how many numbers have these multiplicities."""
        with engine_errors("original"):
            return together([_by_duckdb(_chosen([self.tables[i] for i in which], key, where))])


class _OfFiles:
    """The same for files and tables in memory: those of their numbers that fit are kept in the call's connection, and sorted in parts."""

    def __init__(self, records: Sequence[Records], apart: Collection[int], parts: int, at_once: int):
        self.records, self.apart, self.step, self.at_once = records, apart, 2**64 // parts + 1, at_once
        self.shared = cast(Shared, next(table.source.shared for table in records if isinstance(table.source, FileSource)))
        self.names = [f"records{i}" for i in range(len(records))]
        self.is_kept = parts <= at_once
        if self.is_kept:
            self._keep(range(len(records)), "true")

    def multiplicities(self, which: Sequence[int], key: str = "k", where: str = "true") -> list[NDArray[np.int64]]:
        """The same, from all records with numbers in one part after the other."""
        found = []
        for start in range(0, 2**64, self.step * self.at_once):
            stop = min(start + self.step * self.at_once, 2**64)
            if not self.is_kept:
                self._keep(which, f"{key} {_between(start, stop)}")
            for first in range(start, stop, self.step):
                mine = f"({where}) AND k {_between(first, min(first + self.step, stop))}"
                with self.shared.reading() as (connection, _):
                    arrays = answer(connection, partial(self._fetched, which, key, mine))
                found.append(_by_sorting([np.asarray(x["k"]) for x in arrays], [np.asarray(x["w"]) if "w" in x else None for x in arrays]))
        return together(found)

    def _fetched(self, which: Sequence[int], key: str, where: str) -> list[Any]:
        return [rows.fetchnumpy() for rows in _chosen([self.shared.connection.table(self.names[i]) for i in which], key, where)]

    def _keep(self, which: Sequence[int], where: str) -> None:
        """Keep the numbers of these tables, of the records that meet a condition."""
        self.drop()
        while len({self._kept(i, where) for i in which}) > 1:
            pass  # a file that was read anew closed the connection with the first tables

    def _kept(self, i: int, where: str) -> int:
        """Keep the numbers of a table, and return the id of the connection that has them."""
        table, name = self.records[i], self.names[i]
        if isinstance(table.source, FileSource):
            made = partial(_made, table, self.apart, shared=self.shared)
            return id(table.source.keep(table.query, made, name, where))
        parts = partial(table.in_parts, apart=self.apart)
        return id(self.shared.keep(lambda connection: (rows.filter(where) for rows in parts(connection)), name))

    def drop(self) -> None:
        """Drop the numbers that are kept."""
        with self.shared.reading() as (connection, _):
            for name in self.names:
                connection.execute(f"DROP TABLE IF EXISTS {name}")


Matcher = _OfRelations | _OfFiles


def _between(start: int, stop: int) -> str:
    return f"BETWEEN {start}::UBIGINT AND {stop - 1}::UBIGINT"


def _chosen(tables: Sequence[Any], key: str, where: str) -> list[Any]:
    return [table.select(f"{key} AS k{', w' if 'w' in table.columns else ''}").filter(where) for table in tables]


def _by_duckdb(tables: Sequence[Any]) -> list[NDArray[np.int64]]:
    """The multiplicities of numbers in tables, and how many numbers have these; the numbers do not leave DuckDB."""
    names = [f"n{i}" for i in range(len(tables))]
    rows = [table.select(f"k, {'w' if 'w' in table.columns else '1::BIGINT AS w'}, {i} AS t") for i, table in enumerate(tables)]
    number = (
        "coalesce(sum(w) FILTER (t = {i}), 0)::BIGINT" if any("w" in table.columns for table in tables) else "count(*) FILTER (t = {i})"
    )
    sums = ", ".join(f"{number.format(i=i)} AS {name}" for i, name in enumerate(names))
    each = reduce(lambda one, other: one.union(other), rows).aggregate(f"k, {sums}", "k")
    found = each.aggregate(f"{', '.join(names)}, count(*) AS times", ", ".join(names)).fetchnumpy()
    return [np.asarray(found[name], np.int64) for name in (*names, "times")]


def _by_sorting(numbers: Sequence[NDArray[np.uint64]], weights: Sequence[NDArray[np.int64] | None]) -> list[NDArray[np.int64]]:
    """The same for arrays, in a fraction of the time; the last two bits of a number are replaced by the number of its table, at most 3."""
    keys = np.concatenate([x & ~np.uint64(3) | np.uint64(i) for i, x in enumerate(numbers)])
    records, once, again = None, np.zeros(len(numbers), np.int64), np.zeros(len(keys) + 1, bool)
    if any(w is not None for w in weights):
        records = np.concatenate([np.ones(len(x), np.int64) if w is None else w for x, w in zip(numbers, weights, strict=True)])
        order = np.argsort(keys)
        keys, records = keys[order], records[order]
    else:
        keys.sort()
    again[1:-1] = keys[1:] ^ keys[:-1] < 4  # whether a number equals the one before it
    if records is None:  # most numbers occur once
        more = again[1:] | again[:-1]
        once += np.bincount((keys[~more] & np.uint64(3)).astype(np.uint8), minlength=len(numbers))
        keys, again = keys[more], again[:-1][more]
    first, tables = np.flatnonzero(~again[: len(keys)]), (keys & np.uint64(3)).astype(np.uint8)
    counts = []
    for i in range(len(numbers)):
        own = (tables == i).view(np.uint8) if records is None else np.where(tables == i, records, 0)
        counts.append(np.add.reduceat(own, first, dtype=np.int64) if len(first) else first)
    each = np.eye(len(numbers), dtype=np.int64)
    return together([[*counts, np.ones(len(first), np.int64)], [*each, once]])


def together(parts: Sequence[Sequence[NDArray[np.int64]]]) -> list[NDArray[np.int64]]:
    """The parts as one, numbers with equal multiplicities added up."""
    *counts, times = (np.concatenate(x) for x in zip(*parts, strict=True))
    sizes = [int(x.max(initial=0)) + 1 for x in counts]
    if math.prod(sizes) <= FEW:  # most multiplicities are small
        sums = np.bincount(np.ravel_multi_index(counts, sizes), times, math.prod(sizes)).astype(np.int64)
        place = np.flatnonzero(sums)
        return [*np.unravel_index(place, sizes), sums[place]]
    found, place = np.unique(np.stack(counts), axis=1, return_inverse=True)
    return [*found, np.bincount(place.ravel(), times).astype(np.int64)]


def can_match(sources: Sequence[Source]) -> bool:
    """Whether DuckDB can compare the records of these tables where they are: files, tables in memory beside them, one user's relations."""
    if not all(isinstance(source, RelationSource) for source in sources):
        return all(isinstance(source, (FileSource, MemorySource)) for source in sources) and any(map(is_file, sources))
    try:
        reduce(lambda one, other: one.union(other), [source.table.select("1 AS k") for source in sources])
    except Exception:  # noqa: BLE001  whatever DuckDB says of relations of several connections
        return False
    return True


def is_file(source: Source) -> bool:
    """Whether a table is a file that DuckDB reads."""
    return isinstance(source, FileSource)


@contextmanager
def matcher(records: Sequence[Records], apart: Collection[int], parts: int, at_once: int) -> Iterator[Matcher]:
    """The records of tables of which `can_match` holds.

    The numbers of files are sorted in ``parts``, of which ``at_once`` are kept in the call's connection; if there are more parts, the files
    are read again for each group of them.
    """
    if all(isinstance(table.source, RelationSource) for table in records):
        yield _OfRelations(records, apart)
        return
    import duckdb

    try:
        found = _OfFiles(records, apart, parts, at_once)
        yield found
        found.drop()
    except duckdb.Error as error:
        raise plain(error, "The records of the tables", "Leave out copies: copy_columns=0 (--copy-columns 0).") from None


def _made(table: Records, apart: Collection[int], rows: Any, shared: Shared | None = None) -> Any:
    return table.numbered(with_numbers(rows, table.query, table.decimal, shared and shared.connection), apart)
