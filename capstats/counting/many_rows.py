"""Copies in tables of many records: DuckDB makes a number of each record, and only how often these numbers occur comes back.

*The obvious way* is a join of original and release over all columns in DuckDB. Each column must then have one type in all tables, which
texts of CSV and numbers of Parquet do not; it needs one more join for each column that is left out and for each other table; and the
records are kept in memory or spilled to disk as a whole. For tables that fit in memory `compared` does all of it, and the tests require
the same numbers from both.

*Numbers.* DuckDB turns each value into 64 bits that depend on what it says alone, and hashes those of a record to one number k (see
`capstats.sources.whole_records`). Columns that may be left out later, because they identify records or share no value, stay apart as x0,
x1, ..., so that files are read only once. A record of a file takes 8 bytes, and 8 more for each of these columns.

*Multiplicities.* All questions about copies (how many records of the original are in the release, how often, whether they are unique, how
many of the holdout) depend on one table alone: how many numbers occur a times in the original, b times in the release, c times in the
holdout. It has few rows, whatever the number of records. Numbers of files are sorted in PARTs by their leading bits, of which PARTS are
held at once; if there are more, files are read again for each of these.

*What this way lacks*: records that are alike in all columns but one, which would need one more number for each column, and copies by
level. Spellings are examined in the first records of each table. The report says so.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from capstats.codes.column import Column, Ints
from capstats.codes.labels import MISSING, Label
from capstats.counting.beyond_chance import Copies, beyond_chance, by_multiplicities
from capstats.counting.compared import (
    IDENTIFIER,
    LEFT_OUT,
    NOTHING_SHARED,
    SPELLED,
    NotCompared,
    Rows,
    meet,
    mostly_unique,
    over_readable,
    read_rows_of,
    said_by,
)
from capstats.counting.identifiers import naming
from capstats.counting.reading import Input
from capstats.sources.source import Query
from capstats.sources.whole_records import NONE, Matcher, Records, can_match, fractions, is_file, matcher

MOST_VALUES = 1 << 25  # values that are held at once, up to which whole records are compared in memory
SAMPLE = 100_000  # first records of a table whose spellings are examined; also the most records that leave an engine
PART = 1 << 22  # records that are sorted at a time
PARTS = 20  # parts that are held at once; if there are more, files are read again
NEAR = f"not computed: it is for at most {MOST_VALUES:,} values of original and release, and for {SAMPLE:,} records in an engine"


def too_many(inputs: Sequence[Input], records: Sequence[float], columns: int) -> bool:
    """Whether the original, the holdout and one release have too many values; releases are compared one after the other."""
    releases = [number for table, number in zip(inputs[1:], records[1:], strict=True) if table.name != "holdout"]
    return (sum(records) - sum(releases) + max(releases, default=0)) * columns > MOST_VALUES


def many_rows(inputs: Sequence[Input], records: Sequence[float], columns: int) -> ManyRows | None:
    """The tables if they have too many ``records`` to be compared in memory, else None; an error if they cannot be compared at all."""
    by_record = inputs[0].by_record
    away = [i for i, table in enumerate(inputs) if not (table.source.in_memory or is_file(table.source)) and records[i] > SAMPLE]
    much = any(is_file(table.source) for table in inputs) and too_many(inputs, records, columns)
    if not away and not much:
        return None
    if by_record and not away:
        raise NotCompared(
            f"copies of single records are counted in files of at most {MOST_VALUES:,} values of original and release. Read the files into "
            "data frames first; or copy_columns=0 (--copy-columns 0) leaves copies out"
        )
    if by_record or not can_match([table.source for table in inputs]):
        name = inputs[away[0] if away else 0].name
        raise NotCompared(
            f"the records of `{name}`, more than {SAMPLE:,}, do not leave their engine. Collect it, or write Parquet files of all tables "
            "and give these; copy_columns=0 (--copy-columns 0) leaves copies out"
        )
    return ManyRows(inputs, records)


@dataclass(frozen=True)
class ManyRows:
    """Tables of many records: original, releases and holdout."""

    inputs: Sequence[Input]
    records: Sequence[float]

    def copies(self, columns: Sequence[Hashable], left_out: Mapping[str, str], elsewhere: Mapping[str, Mapping[str, str]]) -> Copies:
        """The result of `capstats.counting.copies.find_copies` for these tables, over the columns that all of them have.

        ``elsewhere`` has the columns of each table that are not compared, and why.
        """
        for table, number in zip(self.inputs, self.records, strict=True):
            if isinstance(number, float):
                raise NotCompared(f"the counts of `{table.name}` are fractional")
        columns, first, unread = self._first(columns)
        # columns that may have to be left out: identifiers, and those without a common value
        alone = [i for i in range(len(columns)) if first[0].identifies(i)]  # in these records
        has_holdout = self.inputs[-1].name == "holdout"
        last = len(self.inputs) - has_holdout
        met = [self._met(i, first, [c for j, c in enumerate(columns) if j not in alone]) for i in range(1, len(self.inputs))]
        apart = {i for i, c in enumerate(columns) for of, _ in met if of.get(str(c)) in LEFT_OUT}
        described: Copies = {"near": NEAR, "first_records": SAMPLE}
        with self._matcher(range(len(self.inputs)), columns, [*alone, *apart]) as found:
            gone = [i for i in alone if self._identifies(found, i, columns[i])]
            if len(gone) == len(columns):
                raise NotCompared("in all columns each record of the original has a value of its own")
            named = naming(first[0], gone)
            times, over = [], []
            for i, (of, entries) in enumerate(met, start=1):
                for column, entry in entries.items():
                    described.setdefault("levels", {}).setdefault(column, {})[self.inputs[i].name] = entry
                over.append([j for j, c in enumerate(columns) if j not in gone and of.get(str(c)) not in LEFT_OUT])
                for values in named if i < last else ():
                    one, other, n = found.multiplicities([0, i], f"x{columns.index(values.column)}", where=f"k <> {NONE}")
                    of |= values.why(int((other * n)[one > 0].sum()), int(self.records[i]))
                if i < last:
                    key = f"hash({', '.join(['k', *(f'x{j}' for j in [*alone, *apart] if j in over[-1])])})"
                    times.append(found.multiplicities([0, i, *range(last, len(self.inputs))], key))
        described["columns"] = [str(c) for i, c in enumerate(columns) if i not in gone]
        described["left_out"] = {**left_out, **unread, **{str(columns[i]): IDENTIFIER for i in gone}}
        holdout_apart: dict[str, str] = met[-1][0] if has_holdout else {}
        judges = has_holdout and not holdout_apart
        if has_holdout:
            o, _, h, n = times[0]
            if beyond_chance(o, h, None, n).found:
                described["holdout_in_original"], judges = int((h * n)[o > 0].sum()), False
            described["holdout_apart"] = holdout_apart
        described["releases"] = []
        for i, ((o, s, *others, n), (of, _), kept) in enumerate(zip(times, met, over, strict=False), start=1):
            apart_of = {**holdout_apart, **elsewhere[self.inputs[i].name], **of}
            entry = by_multiplicities(o, s, others[0] if others else None, n, judges, apart_of)
            merged = first[0].only(kept).merged | first[i].only(kept).merged
            described["releases"].append({**entry, "columns": len(kept), "spelled": merged})
        return described

    def same(self, columns: Sequence[Hashable]) -> bool:
        """Whether two tables have the same records, most of them unique."""
        columns, _, _ = self._first(columns)
        with self._matcher(range(2), columns) as found:
            one, other, times = found.multiplicities([0, 1])
        return bool((one == other).all()) and mostly_unique(one, times)

    def _first(self, columns: Sequence[Hashable]) -> tuple[Sequence[Hashable], list[Rows], dict[str, str]]:
        """The columns that all tables can give as labels, the first records of each over these, and why others are left out."""

        def read(some: Sequence[Hashable], unread: dict[str, str]) -> tuple[Sequence[Hashable], list[Rows], dict[str, str]]:
            return some, [read_rows_of(table, some, SAMPLE) for table in self.inputs], unread

        return over_readable(self.inputs, columns, read, SAMPLE)

    @contextmanager
    def _matcher(self, which: Iterable[int], columns: Sequence[Hashable], apart: Sequence[int] = ()) -> Iterator[Matcher]:
        tables = []
        for table in (self.inputs[i] for i in which):
            query = Query(columns, None if table.sampling else table.weight, options=table.options)

            def texts(i: int, column: Column, table: Input = table) -> Sequence[str | None] | Ints:
                said = said_by(column, columns[i], table.options, table.name)
                return said if isinstance(said, np.ndarray) else [None if x is MISSING else _in_text(x) for x in said]

            tables.append(Records(table.source, query, texts, table.options.decimal))
        self.inputs[0].options.display.step("comparing whole records")
        try:
            with matcher(tables, apart, 1 + int(sum(self.records)) // PART, PARTS) as found:
                yield found
        except NotCompared:
            raise
        except MemoryError:
            raise NotCompared(
                "the records of all tables do not fit in memory, nor in what is free of the folder for temporary files. Allow more with "
                "memory_limit= (--memory-limit), or name a folder with more room with spill_dir= (--spill-dir)"
            ) from None
        except (TypeError, ValueError) as error:
            raise NotCompared(f"the records of all tables could not be compared ({type(error).__name__})") from None

    def _identifies(self, found: Matcher, i: int, column: Hashable) -> bool:
        """Whether all values of the original in a column are different, and none is a fraction."""
        most, _ = found.multiplicities([0], f"x{i}")
        if most.max(initial=0) > 1:
            return False
        table = self.inputs[0]
        if table.source.in_memory:
            return read_rows_of(table, [column]).identifies(0)
        return not fractions(table.source, Query([column], options=table.options), table.options.decimal)

    def _met(self, i: int, first: Sequence[Rows], columns: Sequence[Hashable]) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
        """The columns in which equal values may not be found, and why, from the first records; and the comparison of their levels.

        A column without a common value in the first records is checked again in all records.
        """
        places = [list(first[0].columns).index(c) for c in columns]
        mine, theirs = (rows.only(places) for rows in (first[0], first[i]))
        meeting = meet(mine, theirs, same_source=self.inputs[i].name == "holdout")
        entries = {c: {**entry, "role": "sampled", "examples": []} for c, entry in meeting.entries.items()}
        found = {**meeting.apart, **{c: SPELLED if entries[c]["shared"] else NOTHING_SHARED for c in meeting.spelled}}
        for column in [c for c in columns if found.get(str(c)) == NOTHING_SHARED]:
            with self._matcher(range(len(self.inputs)), [column]) as numbers:
                one, other, _ = numbers.multiplicities([0, i], where=f"k <> hash({NONE})")
            if ((one > 0) & (other > 0)).any():
                del found[str(column)], entries[str(column)]
        return found, entries


def _in_text(said: Label) -> str:
    return str(int(said)) if isinstance(said, bool) else str(said)
