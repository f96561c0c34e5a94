"""Files, counted where they lie: CSV and Parquet through DuckDB, out of core; only distinct rows and their counts come back.

Nothing about a CSV file is guessed from its rows, since a guess may leave rows out: `csv_records` states how it is read.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import reduce
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from capstats.codes.bins import Cut, Spec
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.numeric import Numbers, TypeToCut
from capstats.sources import csv_files, csv_text
from capstats.sources.connections import answer, connect, pattern_of, plain
from capstats.sources.csv_files import Surveyed
from capstats.sources.memory import check_names
from capstats.sources.options import Options
from capstats.sources.relations import grouped, kind_of_type, numbered, numbers, wanted_columns

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


def is_csv(table: Any) -> bool:
    """Whether it is one of CSV."""
    return is_path(table) and csv_text.is_csv(table)


class _Miscounted(Exception):  # noqa: N818
    """DuckDB found another number of records than there are."""


def read(
    path: str | Path,
    columns: Sequence[Hashable],
    weight: Hashable | None,
    name: str,
    cuts: Mapping[Hashable, Cut],
    options: Options,
) -> tuple[list[Column], Sums]:
    """Distinct rows of the named columns of a file or glob, and their counts or the sums of their weights."""

    def work(table: Any, records: int | None) -> tuple[list[Column], Sums]:
        found = grouped(table, columns, weight, name, cuts)
        if records is not None and found[1][0 if weight is None else 1].sum() != records:
            raise _Miscounted
        return found

    numeric = [i for i, column in enumerate(columns) if _is_number(column, options, column in cuts)]
    return _found(path, columns, weight, numeric, name, options, work)


def numbers_and_counts(
    path: str | Path,
    column: Hashable,
    weight: Hashable | None,
    name: str,
    spec: Spec,
    wanted: TypeToCut | None,
    options: Options,
) -> tuple[Numbers, Counts]:
    """What `bins` needs to know of one column of a file or glob: its kind, its extent, or its distinct values and their counts."""
    numeric = [0] if _is_number(column, options, True) else []
    return _found(path, [column], weight, numeric, name, options, lambda table, _: numbers(table, column, weight, name, spec, wanted))


def _found(
    path: str | Path,
    columns: Sequence[Hashable],
    weight: Hashable | None,
    numeric: Sequence[int],
    name: str,
    options: Options,
    work: Callable[[Any, int | None], T],
    careful: bool = False,
) -> T:
    """What the work finds in a file or glob: a relation c0, c1, ... of the columns and the weight, and how many records CSV has.

    CSV that DuckDB cannot read, or miscounts, is read once more without it.
    """
    import duckdb

    files, wanted = _files(path, name), wanted_columns(columns, weight)
    if _is_parquet(files[0]):
        surveyed: list[Surveyed] = []
    else:
        surveyed = _surveyed(files, path, name, options, careful)
        numeric = [*numeric, *range(len(columns), len(wanted))]  # weights are numbers
    with (
        csv_files.scratch_file(surveyed, options.spill_dir) as scratch,
        connect(options, [*files, *([] if scratch is None else [scratch])]) as connection,
        options.progress.query(connection, name),
    ):

        def found() -> T:
            if not surveyed:
                return work(_parquet(connection, files, wanted, name, options.null_values), None)
            return work(*_csv(connection, surveyed, wanted, numeric, weight is not None, name, path, scratch, options))

        try:
            return answer(connection, found)
        except (duckdb.Error, _Miscounted) as error:
            point = re.search(rf"{_POINT}c(\d+)", str(error))
            if point is not None:
                raise ValueError(
                    f"Column {wanted[int(point[1])]!r} of `{name}` holds a value with a point, which is not a number where `decimal` "
                    f'is ",". Correct the value, or leave out `decimal`.'
                ) from None
            raised = plain(error, f"`{name}` ({path})", _REMEDY)
            if careful or not surveyed or not isinstance(raised, ValueError):
                raise raised from None
    return _found(path, columns, weight, numeric[: len(columns)], name, options, work, careful=True)


def _surveyed(files: Sequence[str], path: str | Path, name: str, options: Options, careful: bool) -> list[Surveyed]:
    """What is to be known of CSV files before they are read."""
    step = options.progress.step(f"checking {name}", rows=sum(Path(file).stat().st_size for file in files))
    found = []
    for file in files:
        try:
            found.append(csv_files.survey(file, csv_text.codec(options.encoding), step, careful))
        except csv_text.Malformed as error:
            raise csv_files.located(error, name, file if len(files) > 1 else path) from None
    return found


def _files(path: str | Path, name: str) -> list[str]:
    """The files that a path or a glob stands for, all of one format."""
    files = local_files(path, name)
    for file in files:
        if not (_is_parquet if _is_parquet(files[0]) else is_csv)(file):
            raise ValueError(
                f"`{name}` is {file!r}; files are read by their ending, all of one format: {FORMATS}; one file of {OTHERS}. "
                f"Rename it, or read it into a data frame first."
            )
    return files


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


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str], wanted: Sequence[Hashable], name: str, nulls: Any) -> Any:
    """The wanted columns as c0, c1, ...; files of the same types are read together, for DuckDB casts to the first's."""

    def read(group: list[str]) -> Any:
        table = connection.sql("SELECT * FROM read_parquet(?, hive_partitioning = false)", params=[list(map(pattern_of, group))])
        check_names(wanted, table.columns, name)
        return numbered(table, wanted, nulls)

    if len(files) == 1:
        return read(files)
    groups: dict[tuple[str, ...], list[str]] = {}
    for file in files:
        groups.setdefault(tuple(map(str, read([file]).types)), []).append(file)
    for column, types in zip(wanted, zip(*groups, strict=True), strict=True):
        kinds = {kind: group[0] for dtype, group in zip(types, groups.values(), strict=True) if (kind := kind_of_type(dtype)) is not None}
        if len(kinds) > 1:
            (a, x), (b, y), *_ = kinds.items()
            raise TypeError(f"Column {column!r} of `{name}` holds {a} labels in {x!r} and {b} labels in {y!r}. Convert one of them.")
    return reduce(lambda one, other: one.union(other), map(read, groups.values()))


def _csv(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[Surveyed],
    wanted: Sequence[Hashable],
    numeric: Sequence[int],
    weighted: bool,
    name: str,
    path: str | Path,
    scratch: str | None,
    options: Options,
) -> tuple[Any, int]:
    """The same of CSV, as the texts that it holds, and the number of its records; those of numbers with a point before the decimals."""
    table, records = csv_files.relation(connection, files, wanted, weighted, name, path, scratch)
    columns = [f"c{i}" for i in range(len(wanted))]
    if options.null_values is not None:  # an empty field is a text like any other
        table = numbered(table.select(", ".join(f"coalesce({c}, '') AS {c}" for c in columns)), columns, options.null_values)
    if options.decimal == "," and numeric:
        swapped = [f"CASE WHEN contains({c}, '.') THEN error('{_POINT}{c}') ELSE replace({c}, ',', '.') END AS {c}" for c in columns]
        table = table.select(", ".join(swapped[i] if i in numeric else c for i, c in enumerate(columns)))
    return table, records


def _is_number(column: Hashable, options: Options, is_cut: bool) -> bool:
    """Whether the texts of a column are read as numbers."""
    wanted = options.types.get(column)
    if wanted is None or isinstance(wanted, str):
        return wanted == "number" or (wanted is None and is_cut)
    return all(isinstance(level, Number) for level in wanted)
