"""Files, counted where they lie: CSV and Parquet through DuckDB, out of core; only distinct rows and their counts come back.

Nothing about a CSV file is guessed from its rows, since a guess may leave rows out: `csv_records` states how it is read.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import reduce
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from capstats.codes.bins import Spec
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.missing_codes import MissingCodes
from capstats.codes.numeric import Numbers
from capstats.sources import csv_files, csv_text
from capstats.sources.columns import unmasked
from capstats.sources.connections import answer, connect, pattern_of, plain
from capstats.sources.csv_files import Surveyed
from capstats.sources.csv_records import read_header
from capstats.sources.csv_text import blocks
from capstats.sources.memory import MemorySource
from capstats.sources.relation_cuts import kind_of_type, quoted
from capstats.sources.relations import grouped, numbered, numbers
from capstats.sources.source import Options, Query, check_names

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
_REMEDY = "Repair the file, or read it into a data frame first."
_PARQUET = (".parquet", ".pq", ".parq")
_POINT = "capstats: a point in "  # before the name of a column
FORMATS = "Parquet (.parquet, .pq, .parq) or CSV (.csv, .tsv, .txt, also compressed: .gz, .bz2, .xz, .zip)"
OTHERS = "Excel (.xlsx, .xlsm), Stata (.dta), SPSS (.sav, .zsav, .por), SAS (.sas7bdat, .xpt), Arrow (.feather, .arrow)"


def is_path(table: Any) -> bool:
    """Whether a table is a file, or a glob of files."""
    return isinstance(table, (str, Path))


class _Miscounted(Exception):  # noqa: N818
    """DuckDB found another number of records than there are."""


class FileSource:
    """A Parquet or CSV file, a folder of Parquet files, or a glob. DuckDB counts them where they lie."""

    in_memory = False
    size = None

    def __init__(self, path: str | Path, name: str):
        self.path, self.name = path, name
        self.is_csv = csv_text.is_csv(path)

    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """Distinct rows, and their counts or the sums of their weights."""

        def work(table: Any, records: int | None) -> tuple[list[Column], Sums]:
            found, sums = grouped(table, query, self.name)
            if records is not None and sums[0 if query.weight is None else 1].sum() != records:
                raise _Miscounted
            return found, query.needed(sums)

        return self._found(query, [i for i, column in enumerate(query.columns) if _is_number(column, query, column in query.cuts)], work)

    def values(self, query: Query, spec: Spec) -> tuple[Numbers, Counts]:
        """The extent of the column, or its distinct values and their counts."""
        numeric = [0] if _is_number(query.columns[0], query, True) else []
        return self._found(query, numeric, lambda table, _: numbers(table, query, spec, self.name))

    def as_memory(self, options: Options) -> MemorySource:
        """All records with all columns in a pandas frame, in the order of the file; of CSV the texts that it holds."""
        plain = replace(options, null_values=MissingCodes(), decimal=".")
        query = Query(self._names(plain), by_record=True, options=plain)

        def work(table: Any, _: int | None) -> pd.DataFrame:
            arrays = table.fetchnumpy()
            columns = [pd.Series(_with_missing(arrays[f"c{i}"])) for i in range(len(query.columns))]
            return pd.concat(columns, axis=1, keys=query.columns) if columns else pd.DataFrame()

        return MemorySource(self._found(query, [], work), self.name)

    def _names(self, options: Options) -> Sequence[str]:
        """The names of all columns."""
        file = self._files()[0]
        if _is_parquet(file):
            with connect(options, [file]) as connection:
                return list(connection.sql("SELECT * FROM read_parquet(?, hive_partitioning = false)", params=[[pattern_of(file)]]).columns)
        return read_header(blocks(file, csv_text.codec(options.encoding)), b"\t" if csv_text.is_tabbed(file) else None)[0].names

    def _found(self, query: Query, numeric: Sequence[int], work: Callable[[Any, int | None], T], careful: bool = False) -> T:
        """What the work finds in a relation c0, c1, ... of the columns and the weight; and how many records it has where it is of CSV.

        CSV that DuckDB cannot read, or miscounts, is read once more without it.
        """
        import duckdb

        files, options = self._files(), query.options
        surveyed = [] if _is_parquet(files[0]) else self._surveyed(files, options, careful)
        with (
            csv_files.scratch_file(surveyed, options.spill_dir) as scratch,
            connect(options, [*files, *([] if scratch is None else [scratch])]) as connection,
            options.progress.query(connection, self.name),
        ):

            def found() -> T:
                if not surveyed:
                    return work(_parquet(connection, files, query, self.name), None)
                weights = range(len(query.columns), len(query.wanted))  # which are numbers
                table, records = csv_files.relation(connection, surveyed, query, self.name, self.path, scratch)
                return work(_with_numbers(table, query, [*numeric, *weights]), records)

            try:
                return answer(connection, found)
            except (duckdb.Error, _Miscounted) as error:
                point = re.search(rf"{_POINT}c(\d+)", str(error))
                if point is not None:
                    raise ValueError(
                        f"Column {query.wanted[int(point[1])]!r} of `{self.name}` holds a value with a point, which is not a number where "
                        f'`decimal` is ",". Correct the value, or leave out `decimal`.'
                    ) from None
                raised = plain(error, f"`{self.name}` ({self.path})", _REMEDY)
                if careful or not surveyed or not isinstance(raised, ValueError):
                    raise raised from None
        return self._found(query, numeric, work, careful=True)

    def _surveyed(self, files: Sequence[str], options: Options, careful: bool) -> list[Surveyed]:
        """What is to be known of CSV files before they are read."""
        step = options.progress.step(f"checking {self.name}", rows=sum(Path(file).stat().st_size for file in files))
        found = []
        for file in files:
            try:
                found.append(csv_files.survey(file, csv_text.codec(options.encoding), step, careful))
            except csv_text.Malformed as error:
                raise csv_files.located(error, self.name, file if len(files) > 1 else self.path) from None
        return found

    def _files(self) -> list[str]:
        """The files that the path or the glob stands for, all of one format."""
        files = local_files(self.path, self.name)
        for file in files:
            if not (_is_parquet if _is_parquet(files[0]) else csv_text.is_csv)(file):
                raise ValueError(
                    f"`{self.name}` is {file!r}; files are read by their ending, all of one format: {FORMATS}; one file of {OTHERS}. "
                    f"Rename it, or read it into a data frame first."
                )
        return files


def _with_missing(values: Any) -> Any:
    """An array of DuckDB's, whose missing values are masked, as pandas has them."""
    if not np.ma.isMaskedArray(values):
        return values
    if values.dtype.kind in "iu":
        return pd.arrays.IntegerArray(np.asarray(values.data), np.ma.getmaskarray(values).copy())
    return unmasked(values)


def local_files(path: str | Path, name: str) -> list[str]:
    """The absolute paths of the files that a path or a glob stands for, all regular."""
    given = str(path)
    if "://" in given:
        raise ValueError(f"`{name}` is {given!r}; capstats reads local files only. Download the file and give its path.")
    local = os.path.expanduser(given)  # noqa: PTH111  a user who is not known stays as written
    files = [local] if Path(local).exists() else sorted(glob.glob(local, recursive=True, include_hidden=True))  # noqa: PTH207  "**" differs
    if Path(local).is_dir() and _is_parquet(local):  # as Spark and Dask write
        files = sorted(str(file) for file in Path(local).rglob("*") if _is_parquet(str(file)))
    if not files:
        raise FileNotFoundError(f"`{name}`: no file matches {given!r}. Check the path; it is relative to {str(Path.cwd())!r}.")
    for file in files:
        if Path(file).is_dir():
            raise ValueError(f"`{name}` is the folder {file!r}. Give its files as a glob, such as {str(Path(file, '*.csv'))!r}.")
        if not Path(file).is_file():
            raise ValueError(f"`{name}` is {file!r}, a pipe, socket or device. Save its content in a regular file.")
        if any("\ud800" <= sign <= "\udfff" for sign in file):  # how Python writes bytes of a name that are not UTF-8
            raise ValueError(f"`{name}` is {file!r}; the name of this file, or of its folder, is not valid UTF-8. Rename it.")
        with Path(file).open("rb"):  # an OSError says why, where it cannot be opened
            pass
    return [str(Path(file).absolute()) for file in files]


def _is_parquet(file: str) -> bool:
    return file.lower().endswith(_PARQUET)


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str], query: Query, name: str) -> Any:
    """The wanted columns as c0, c1, ...; files of the same types are read together, for DuckDB casts to the first's."""

    def read(group: list[str]) -> Any:
        table = connection.sql("SELECT * FROM read_parquet(?, hive_partitioning = false)", params=[list(map(pattern_of, group))])
        check_names(query.wanted, table.columns, name)
        return numbered(table, query.wanted)

    if len(files) == 1:
        return read(files)
    groups: dict[tuple[str, ...], list[str]] = {}
    for file in files:
        groups.setdefault(tuple(map(str, read([file]).types)), []).append(file)
    for column, types in zip(query.wanted, zip(*groups, strict=True), strict=True):
        kinds = {kind: group[0] for dtype, group in zip(types, groups.values(), strict=True) if (kind := kind_of_type(dtype)) is not None}
        if len(kinds) > 1:
            (a, x), (b, y), *_ = kinds.items()
            raise TypeError(f"Column {column!r} of `{name}` holds {a} labels in {x!r} and {b} labels in {y!r}. Convert one of them.")
    return reduce(lambda one, other: one.union(other), map(read, groups.values()))


def _with_numbers(table: Any, query: Query, numeric: Sequence[int]) -> Any:
    """The texts of CSV, with a point before the decimals of the columns that are numbers, but for texts that mean missing."""
    columns, options = [f"c{i}" for i in range(len(query.wanted))], query.options
    if options.null_values.everywhere is not None:  # an empty field is a text like any other
        table = table.select(", ".join(f"coalesce({c}, '') AS {c}" for c in columns))
    if options.decimal == "," and numeric:
        texts = [", ".join(map(quoted, options.null_values.of(column).texts)) or "NULL" for column in query.wanted]
        swapped = [
            f"CASE WHEN {c} IN ({codes}) THEN {c} WHEN contains({c}, '.') THEN error('{_POINT}{c}') ELSE replace({c}, ',', '.') END AS {c}"
            for c, codes in zip(columns, texts, strict=True)
        ]
        table = table.select(", ".join(swapped[i] if i in numeric else c for i, c in enumerate(columns)))
    return table


def _is_number(column: Hashable, query: Query, is_cut: bool) -> bool:
    """Whether the texts of a column are read as numbers."""
    wanted = query.options.types.get(column)
    if wanted is None or isinstance(wanted, str):
        return wanted == "number" or (wanted is None and is_cut)
    return all(isinstance(level, Number) for level in wanted)
