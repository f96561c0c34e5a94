"""Files, counted where they lie: CSV and Parquet through DuckDB, out of core; only distinct rows and their counts come back.

Nothing about a CSV file is guessed from its rows, since a guess may leave rows out: its names and its separator are those of
its header, ``#`` starts no comment, and a row with too few or too many fields is an error.
"""

from __future__ import annotations

import csv
import glob
import gzip
import os
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from capstats.counts.bins import Cut, Numbers, Spec, TypeToCut
from capstats.counts.codes import Column, Counts
from capstats.counts.connections import answer, connect, pattern_of, plain
from capstats.counts.frames import check_names
from capstats.counts.options import Options
from capstats.counts.relations import grouped, kind_of_type, numbered, numbers, wanted_columns

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
_REMEDY = "Repair the file, or read it into a data frame first."
_PARQUET = (".parquet", ".pq", ".parq")
_CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")


def is_path(table: Any) -> bool:
    """Whether a table is a file, or a glob of files."""
    return isinstance(table, (str, Path))


def is_csv(table: Any) -> bool:
    """Whether it is one of CSV."""
    return is_path(table) and str(table).lower().endswith(_CSV)


def read(
    path: str | Path,
    columns: Sequence[Hashable],
    weight: Hashable | None,
    name: str,
    cuts: Mapping[Hashable, Cut],
    options: Options,
) -> tuple[list[Column], Counts]:
    """Distinct rows of the named columns of a file or glob, and their counts or summed weights."""
    return _found(path, wanted_columns(columns, weight), name, options, lambda table: grouped(table, columns, weight, name, cuts))


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
    return _found(path, wanted_columns([column], weight), name, options, lambda table: numbers(table, column, weight, name, spec, wanted))


def _found(path: str | Path, wanted: Sequence[Hashable], name: str, options: Options, work: Callable[[Any], T]) -> T:
    """What the work finds in the wanted columns of a file or glob, a relation c0, c1, ...; what goes wrong is told with the path."""
    import duckdb

    files = _files(path, name)

    def found() -> T:
        if _is_parquet(files[0]):
            return work(_parquet(connection, files, wanted, name))
        return work(_csv(connection, files, wanted, name, [""] if options.null_values is None else options.null_values))

    with connect(options, files) as connection, options.progress.query(connection, name):
        try:
            return answer(connection, found)
        except (csv.Error, gzip.BadGzipFile, EOFError) as error:
            raise ValueError(f"`{name}` ({path}) cannot be read: {error}. {_REMEDY}") from None
        except duckdb.Error as error:
            line = re.search(r"Line: (\d+)", str(error))
            raise plain(error, f"`{name}` ({path}{f', line {line[1]}' if line else ''})", _REMEDY) from None


def _files(path: str | Path, name: str) -> list[str]:
    """The absolute paths of the files that a path or a glob stands for, all regular and of one format."""
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
        if not file.lower().endswith(_PARQUET if _is_parquet(files[0]) else _CSV):
            raise ValueError(
                f"`{name}` is {file!r}; files are read by their ending, all of one format: {', '.join(_PARQUET)} or {', '.join(_CSV)}. "
                f"Rename it, or read it into a data frame first."
            )
        with Path(file).open("rb"):  # an OSError says why, where it cannot be opened
            pass
    return [str(Path(file).absolute()) for file in files]


def _is_parquet(file: str) -> bool:
    return file.lower().endswith(_PARQUET)


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str], wanted: Sequence[Hashable], name: str) -> Any:
    """The wanted columns as c0, c1, ...; files of the same types are read together, for DuckDB casts to the first's."""

    def read(group: list[str]) -> Any:
        table = connection.sql("SELECT * FROM read_parquet(?, hive_partitioning = false)", params=[list(map(pattern_of, group))])
        check_names(wanted, table.columns, name)
        return numbered(table, wanted)

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


def _csv(connection: duckdb.DuckDBPyConnection, files: list[str], wanted: Sequence[Hashable], name: str, nulls: Sequence[str]) -> Any:
    """The same; files with the same header are read together."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for file in files:
        separator, names = _header(file)
        if not any(names):
            raise ValueError(f"`{name}` ({file}) has no names of columns in its first line. Put them there.")
        groups.setdefault(("gzip" if _is_gzip(file) else "none", separator, names), []).append(file)
    null = "" if "" in nulls else next(iter(nulls), "\0")
    others = ", ".join(_literal(x) for x in nulls if x)
    table: Any = None
    for (compression, separator, names), group in groups.items():
        check_names(wanted, names, name)
        fields = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(names)))
        rows = connection.sql(
            f"SELECT * FROM read_csv(?, auto_detect = false, columns = {{{fields}}}, header = true, delim = ?, "
            "quote = '\"', escape = '\"', nullstr = ?, allow_quoted_nulls = false, hive_partitioning = false, compression = ?)",
            params=[list(map(pattern_of, group)), separator, null, compression],
        )
        places = [names.index(str(column)) for column in wanted]
        chosen = [f"CASE WHEN f{p} NOT IN ({others}) THEN f{p} END" if others else f"f{p}" for p in places]
        part = rows.select(", ".join(f"{text} AS c{i}" for i, text in enumerate(chosen)))
        table = part if table is None else table.union(part)
    return table


def _is_gzip(file: str) -> bool:
    return file.lower().endswith(".gz")


def _header(file: str) -> tuple[str, tuple[str, ...]]:
    """The separator of a CSV file, and the names in its first line."""
    opener = gzip.open if _is_gzip(file) else open
    with opener(file, "rt", encoding="utf-8-sig", errors="replace", newline="") as lines:
        first = next(lines, "")
        if "\0" in first:
            raise ValueError(f"{file!r} is not UTF-8: its first line holds a zero byte, as UTF-16 does. Save it as UTF-8.")
        bare = re.sub('"[^"]*"?', "", first)
        separator = "\t" if file.lower().removesuffix(".gz").endswith(".tsv") else max(",\t;|", key=bare.count)
        return separator, tuple(next(csv.reader(chain([first], lines), delimiter=separator), ()))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
