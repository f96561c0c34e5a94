"""Files, counted where they lie: CSV and Parquet through DuckDB, out of core; only distinct rows and their counts come back.

Nothing about a CSV file is guessed from its rows, since a guess may leave rows out: its names and its separator are those of
its header, ``#`` starts no comment, and a row with too few or too many fields is an error.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capstats.counts.bins import Cut, Numbers, Spec, TypeToCut
from capstats.counts.codes import Column, Counts, Sums
from capstats.counts.frames import check_names
from capstats.counts.options import Options
from capstats.counts.relations import connect, grouped, kind_of_type, numbered, numbers, wanted_columns

if TYPE_CHECKING:
    import duckdb

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
) -> tuple[list[Column], Sums]:
    """Distinct rows of the named columns of a file or glob, and their counts or the sums of their weights."""
    with _opened(path, wanted_columns(columns, weight), name, options) as table:
        return grouped(table, columns, weight, name, cuts)


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
    with _opened(path, wanted_columns([column], weight), name, options) as table:
        return numbers(table, column, weight, name, spec, wanted)


@contextmanager
def _opened(path: str | Path, wanted: Sequence[Hashable], name: str, options: Options) -> Iterator[Any]:
    """The wanted columns of a file or glob as a relation c0, c1, ...; what goes wrong while it is open is told with the path."""
    import duckdb

    try:
        connection = connect(options.memory_limit)
    except duckdb.Error as error:
        raise ValueError(f'`memory_limit` must be an amount such as "1GB"; got {options.memory_limit!r}.') from error
    with connection, options.progress.query(connection, name):
        try:
            files = _files(connection, path, name)
            if files[0].lower().endswith(_PARQUET):
                yield _parquet(connection, files, wanted, name)
            else:
                yield _csv(connection, files, wanted, name, [""] if options.null_values is None else options.null_values)
        except (duckdb.Error, csv.Error, gzip.BadGzipFile, EOFError) as error:
            reason = " ".join(re.split(r"\n\s*Possible", str(error))[0].split())[:500]
            remedy = "Mend the file, or read it into a data frame first."
            if isinstance(error, duckdb.OutOfMemoryException):
                remedy = "Raise `memory_limit`, or count fewer columns."
            raise ValueError(f"`{name}` ({path}) cannot be read: {reason.rstrip('.')}. {remedy}") from error


def _files(connection: duckdb.DuckDBPyConnection, path: str | Path, name: str) -> list[str]:
    """The files that a path or a glob stands for, all of one format."""
    if Path(path).exists():
        files = [str(Path(path))]
    else:
        files = [file for (file,) in connection.execute("SELECT file FROM glob(?) ORDER BY file", [str(path)]).fetchall()]
    if not files:
        raise FileNotFoundError(f"`{name}`: no file matches {str(path)!r}. Mend the path; it is relative to {str(Path.cwd())!r}.")
    for file in files:
        if Path(file).is_dir() and not file.lower().endswith(_PARQUET):
            raise ValueError(f"`{name}` is the folder {file!r}. Give its files as a glob, such as {str(Path(file, '*.csv'))!r}.")
        if not file.lower().endswith(_PARQUET if files[0].lower().endswith(_PARQUET) else _CSV):
            raise ValueError(
                f"`{name}` is {file!r}; files are read by their ending, all of one format: {', '.join(_PARQUET)} or {', '.join(_CSV)}. "
                f"Rename it, or read it into a data frame first."
            )
    return files


def _escaped(file: str) -> str:
    """A file's own name, for DuckDB, which would take it for a pattern."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in file)


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str], wanted: Sequence[Hashable], name: str) -> Any:
    """The wanted columns as c0, c1, ...; files of the same types are read together, for DuckDB casts to the first's."""

    def read(group: list[str]) -> Any:
        table = connection.sql("SELECT * FROM read_parquet(?, hive_partitioning = false)", params=[list(map(_escaped, group))])
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
            params=[list(map(_escaped, group)), separator, null, compression],
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
