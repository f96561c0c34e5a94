"""What DuckDB counts where it lies: files of CSV and Parquet, out of core, and relations of the user; only distinct rows come back.

Nothing about a CSV file is guessed from its rows, since a guess may leave rows out: `csv_rules` states how it is read.
"""

from __future__ import annotations

import errno
import glob
import os
import re
import sys
from abc import abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property, partial, reduce
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import pandas as pd

from capstats.codes.arguments import said
from capstats.codes.bins import Numbers, Spec
from capstats.codes.by_table import key_of
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.missing_codes import Quoted, in_quotes
from capstats.sources import csv_files, csv_rules
from capstats.sources.columns import unmasked
from capstats.sources.csv_files import Surveyed
from capstats.sources.disk import answer, connect, opened, pattern_of, plain
from capstats.sources.memory import MemorySource
from capstats.sources.relations import Miscounted, check_number, grouped, kind_of_type, margin_of, numbered, numbers
from capstats.sources.source import Margins, Options, Query, Source, check_columns, check_one_kind, engine_errors, renamed

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
HELD = 1 << 27  # bytes of CSV whose columns are held at a time
_OF_R = f"Read it in R, and write it: {csv_rules.WRITTEN_IN_R}."
_REMEDY = "Repair the file, or read it into a data frame first."
_PARQUET = (".parquet", ".pq", ".parq")
FORMATS = "Parquet (.parquet, .pq, .parq) or CSV (.csv, .tsv, .txt, also compressed: .gz, .bz2, .xz, .zip)"
OTHERS = "Excel (.xlsx, .xlsm), Stata (.dta), SPSS (.sav, .zsav, .por), SAS (.sas7bdat, .xpt), Arrow (.feather, .arrow)"


class DuckDBSource(Source):
    """A table that DuckDB counts where it is."""

    @abstractmethod
    def _found(self, query: Query, work: Callable[[Any, int | None], T], cut: Collection[Hashable] = ()) -> T:
        """The result of the work on a relation c0, c1, ... of the columns and the weight, and on its number of records, where it is known.

        Columns of CSV that are ``cut`` hold numbers unless `types` says something else.
        """

    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """Distinct rows, and their counts or the sums of their weights."""

        def work(table: Any, records: int | None) -> tuple[list[Column], Sums]:
            found, sums = grouped(table, query, self.name)
            for column, name in zip(found, query.columns, strict=True):
                if name not in query.cuts:
                    column.labels = self.unquoted(column.labels, query.options, name)
            if query.first is None:
                check_number(sums[0 if query.weight is None else 1].sum(), records)
            return found, query.needed(sums)

        return self._found(query, work, query.cuts)

    def unquoted(self, labels: Any, options: Options, column: Hashable) -> Any:
        """The labels of a column; in CSV, texts that would be codes of missing values are ordinary labels if they are in quotes."""
        words = {in_quotes(word): Quoted(word) for word in options.words_of(column)} if self.is_csv else {}
        return [words.get(x, x) if isinstance(x, str) else x for x in labels] if words else labels

    def values(self, query: Query, specs: Sequence[Spec]) -> list[tuple[Numbers, Counts]]:
        """The extent of each column, or its distinct values and their counts."""
        return self._found(query, lambda table, _: numbers(table, query, specs, self.name), query.columns)

    def ask(self, query: Query, work: Callable[[Any], T]) -> T:
        """The result of the work on the relation c0, c1, ... of the columns and the weight."""
        return self._found(query, lambda table, _: work(table))


class RelationSource(DuckDBSource):
    """A relation of the user's own DuckDB connection."""

    def margins(self, columns: Sequence[Hashable], options: Options, most: int) -> Margins:
        """Each column by itself."""
        of_one = partial(margin_of, options=options, most=most, name=self.name)
        return [(c, self.ask(Query([c], options=options), partial(of_one, column=c))[0]) for c in columns]

    def _found(self, query: Query, work: Callable[[Any, int | None], T], cut: Collection[Hashable] = ()) -> T:  # noqa: ARG002  of CSV
        with engine_errors(self.name):
            check_columns(query, list(self.table.columns), self.name)
            texts = [x for x, dtype in zip(self.table.columns, self.table.types, strict=True) if dtype == "VARCHAR"]
            return work(numbered(self.table, query.wanted, texts), None)


class FileSource(DuckDBSource):
    """A Parquet or CSV file, a folder of Parquet files, or a glob. DuckDB counts them where they are."""

    def __init__(self, path: str | Path, name: str):
        super().__init__(path, name)
        self.path = str(path)
        self.is_csv = csv_rules.is_csv(path) or (not _is_parquet(str(path)) and any(map(csv_rules.is_csv, found_files(str(path))[:1])))
        self.format = "CSV" if self.is_csv else ""
        self.shared: Shared | None = None  # the connection of the call
        self.surveyed: list[Surveyed] | None = None  # what is known of CSV files while the call lasts
        self.stopped = Event()  # set when the answer is no longer needed

    def number(self, options: Options) -> int:
        """The number of records, from the check of CSV or the metadata of Parquet."""
        one = Query(self.names(options)[:1], options=options)
        return self._found(one, lambda table, n: table.aggregate("count(*)").fetchall()[0][0] if n is None else n) if one.columns else 0

    def margins(self, columns: Sequence[Hashable], options: Options, most: int) -> Margins:
        """The margin of each column. CSV is read into a table of DuckDB's, a group of columns of HELD bytes at a time."""
        bytes_of_column = sum(Path(file).stat().st_size for file in self.files) / len(self.names(options)) if self.is_csv else 0
        at_once = max(1, int(HELD / bytes_of_column)) if bytes_of_column else len(columns)

        def work(table: Any, records: int | None) -> Margins:
            connection = cast(Shared, self.shared).connection
            if records is not None:
                table.create("held")  # to select one column from a relation of many takes long, from a table it does not
            of_each: Margins = []
            for i, column in enumerate(some):
                one = table.select(f"c{i} AS c0") if records is None else connection.sql(f"SELECT c{i} AS c0 FROM held")
                margin, number = margin_of(one, column, options, most, self.name)
                check_number(number, records)
                of_each.append((column, margin and replace(margin, labels=self.unquoted(margin.labels, options, column))))
            return of_each

        found: Margins = []
        for start in range(0, len(columns), at_once):
            some = columns[start : start + at_once]
            found += self._found(Query(some, options=options), work)
        return found

    def first_rows(self, options: Options) -> Iterable[tuple[int, Sequence[Hashable]]]:
        """The first lines of the first file, if it is CSV."""
        return csv_rules.first_rows(self.files[0], csv_rules.codec(options.encoding)) if self.is_csv else ()

    def keep(self, query: Query, made: Callable[[Any], Any], name: str, where: str) -> Any:
        """Keep ``made`` of this relation, filtered by ``where``, as a table of the call's connection; return that connection.

        If a file had to be read again, it is a new connection, without the tables that the earlier one kept.
        """

        def work(table: Any, records: int | None) -> Any:
            connection = cast(Shared, self.shared).connection
            connection.execute(f"DROP TABLE IF EXISTS {name}")
            made(table).filter(where).create(name)
            every = connection.table(name) if where == "true" else table
            if records is not None:
                check_number(every.aggregate("count(*)").fetchall()[0][0], records)
            return connection

        return self._found(query, work)

    def as_memory(self, options: Options, places: np.ndarray | None = None) -> MemorySource:
        """All records with all columns in a pandas frame, in the order of the file; of CSV the texts that it holds.

        With ``places``, those records alone, in that order; the engine finds them.
        """
        plain = replace(options, null_values=None, decimal=".")
        query = Query(self.names(plain), by_record=True, options=plain)

        def work(table: Any, _: int | None) -> pd.DataFrame:
            if places is not None:
                wanted = pd.DataFrame({"place": places, "rank": np.arange(len(places))})
                table = table.select("*, row_number() OVER () - 1 AS number").set_alias("records")
                few = cast(Shared, self.shared).connection.from_df(wanted).set_alias("wanted")
                table = table.join(few, "number = place").order("rank")
            arrays = table.fetchnumpy()
            columns = [pd.Series(_with_missing(arrays[f"c{i}"]), places) for i in range(len(query.columns))]
            return pd.concat(columns, axis=1, keys=query.columns) if columns else pd.DataFrame()

        return MemorySource(self._found(query, work), self.name)

    def names(self, options: Options) -> Sequence[Hashable]:
        """The names of all columns."""
        import duckdb

        file = self.files[0]
        try:
            if self.is_csv:
                return csv_files.header_of(file, csv_rules.codec(options.encoding), options)[0].names
            with nullcontext() if self.shared else one_connection([self], options), cast(Shared, self.shared).reading() as (connection, _):
                return renamed(_read_parquet(connection, [file]).columns, options)
        except duckdb.Error as error:
            raise plain(error, f"`{self.name}` ({self.table})", _REMEDY) from None
        except csv_rules.Malformed as error:
            raise csv_files.located(error, self.name, file if len(self.files) > 1 else self.table) from None

    def _found(self, query: Query, work: Callable[[Any, int | None], T], cut: Collection[Hashable] = ()) -> T:
        """See `DuckDBSource`; CSV that DuckDB cannot read, or miscounts, is read once more without it."""
        import duckdb

        options = query.options

        def found(connection: duckdb.DuckDBPyConnection, scratch: str | None, surveyed: list[Surveyed]) -> T:
            if not surveyed:
                return work(_parquet(connection, self.files, query, self.name), None)
            table, records = csv_files.relation(connection, surveyed, query, self.name, self.table, scratch)
            return work(csv_files.with_numbers(table, query, cut, {word for csv in surveyed for word in csv.words}), records)

        with nullcontext() if self.shared else one_connection([self], options):
            for careful in (False, True):
                if careful or self.surveyed is None:
                    self.surveyed = self._surveyed(options, careful)
                surveyed = self.surveyed
                try:
                    with cast(Shared, self.shared).reading() as (connection, scratch), options.display.query(connection, self.name):
                        return answer(connection, partial(found, connection, scratch, surveyed), self.stopped)
                except (duckdb.Error, Miscounted) as error:
                    point = re.search(rf"{csv_files.POINT}c(\d+)", str(error))
                    if point is not None:
                        raise ValueError(
                            f"Column {query.wanted[int(point[1])]!r} of `{self.name}` holds a value with a point, which is not a number "
                            f'where `decimal` is ",". Correct the value, or say {said(decimal={key_of(self.name): "."})}.'
                        ) from None
                    raised = plain(error, f"`{self.name}` ({self.table})", _REMEDY)
                    if careful or not surveyed or not isinstance(raised, ValueError):
                        raise raised from None
        raise AssertionError  # the second reading returns or raises

    def _surveyed(self, options: Options, careful: bool) -> list[Surveyed]:
        """How CSV files are to be read; an empty list for Parquet files."""
        if not self.is_csv:
            return []
        step = options.display.step(f"checking {self.name}", rows=sum(Path(file).stat().st_size for file in self.files))
        found = []
        for file in self.files:
            try:
                found.append(csv_files.survey(file, options, step, careful, self.stopped))
            except csv_rules.Malformed as error:
                raise csv_files.located(error, self.name, file if len(self.files) > 1 else self.table) from None
        return found

    @cached_property
    def files(self) -> list[str]:
        """The files that the path or the glob names, all of one format."""
        files = local_files(self.table, self.name)
        for file in files:
            if not (_is_parquet if _is_parquet(files[0]) else csv_rules.is_csv)(file):
                raise ValueError(
                    f"`{self.name}` is {file!r}; files are read by their ending, all of one format: {FORMATS}; one file of {OTHERS}. "
                    f"{_OF_R if file.lower().endswith(('.rds', '.rda', '.rdata')) else 'Rename it, or read it into a data frame first.'}"
                )
        return files


class Shared:
    """The connection of a call. Its first reading opens it; an error closes it, since it may be unusable then."""

    def __init__(self, files: Sequence[str], options: Options):
        self.files, self.options = files, options
        self._open: tuple[duckdb.DuckDBPyConnection, str | None] | None = None
        self._stack = ExitStack()

    @contextmanager
    def reading(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, str | None]]:
        """The connection, and a file for stretches of text that it can read where some files are CSV; it keeps no table."""
        if self._open is None:
            is_csv = not all(map(_is_parquet, self.files))
            scratch = self._stack.enter_context(csv_files.scratch_file(self.options.spill_dir)) if is_csv else None
            allowed = [*dict.fromkeys(self.files), *([] if scratch is None else [scratch])]
            self._open = self._stack.enter_context(connect(self.options, allowed)), scratch
        try:
            yield self._open
            for table in ("loaded", "held"):
                self._open[0].execute(f"DROP TABLE IF EXISTS {table}")
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> Any:
        """The connection while something is read."""
        return cast(Any, self._open)[0]

    def keep(self, parts: Callable[[Any], Iterator[Any]], name: str) -> Any:
        """Keep the relations that are made with the connection as one of its tables; and that connection."""
        with self.reading() as (connection, _):
            connection.execute(f"DROP TABLE IF EXISTS {name}")
            for i, rows in enumerate(parts(connection)):
                rows.insert_into(name) if i else rows.create(name)
            return connection

    def close(self) -> None:
        """Close the connection, until a reading opens another one."""
        self._open = None
        self._stack.close()


@contextmanager
def one_connection(sources: Sequence[Source], options: Options) -> Iterator[None]:
    """Let all readings of the files among the sources share one connection, which reads these files only and is closed with the block."""
    own = [source for source in sources if isinstance(source, FileSource)]
    shared = Shared([file for source in own for file in source.files], options)
    try:
        for source in own:
            source.shared = shared
        yield
    finally:
        shared.close()
        for source in own:
            source.shared = source.surveyed = None


def _with_missing(values: Any) -> Any:
    """An array of DuckDB's with masked missing values, as an array with those of pandas."""
    if not np.ma.isMaskedArray(values):
        return values
    if values.dtype.kind in "iu":
        return pd.arrays.IntegerArray(np.asarray(values.data), np.ma.getmaskarray(values).copy())
    return unmasked(values)


def found_files(given: str) -> list[str]:
    """The files that a path, a glob or a folder of Parquet files names, without any check."""
    local = os.path.expanduser(given)  # noqa: PTH111  that of Path raises for a user who is not known
    if Path(local).is_dir() and _is_parquet(local):  # as Spark and Dask write
        return sorted(str(file) for file in Path(local).rglob("*") if _is_parquet(str(file)))
    return [local] if Path(local).exists() else sorted(glob.glob(local, recursive=True, include_hidden=True))  # noqa: PTH207  "**" differs


def local_files(path: str | Path, name: str) -> list[str]:
    """The absolute paths of the files that a path or a glob names, all regular."""
    given = str(path)
    if "://" in given:
        raise ValueError(f"`{name}` is {given!r}; capstats reads local files only. Download the file and give its path.")
    local = os.path.expanduser(given)  # noqa: PTH111  that of Path raises for a user who is not known
    if _is_loop(local):
        raise ValueError(f"`{name}` is {given!r}, a symbolic link that leads back to itself. Give the path of the file.")
    files = found_files(given)
    if not files:
        raise FileNotFoundError(f"`{name}`: no file matches {given!r}. Check the path; it is relative to {str(Path.cwd())!r}.")
    for file in files:
        if Path(file).is_dir():
            inside = next(
                (x for x in sorted(Path(file).rglob("*")) if x.is_file() and x.suffix and not x.name.startswith((".", "_"))), None
            )
            folders = [] if inside is None else ["*"] * (len(inside.relative_to(file).parts) - 1)
            such = Path(file, *folders, f"*{'.csv' if inside is None else inside.suffix}")
            raise ValueError(f"`{name}` is the folder {file!r}. Give its files as a glob, such as {str(such)!r}.")
        if _is_loop(file):
            raise ValueError(f"`{name}`: {given!r} matches {file!r}, a symbolic link that leads back to itself. Remove it.")
        if not Path(file).is_file():
            raise ValueError(f"`{name}` is {file!r}, a pipe, socket or device. Save its content in a regular file.")
        if any("\ud800" <= sign <= "\udfff" for sign in file):  # how Python writes bytes of a name that are not in its encoding
            encoding = sys.getfilesystemencoding()
            how = "Rename it" if encoding == "utf-8" else "Set the environment variable PYTHONUTF8=1, or rename it"
            raise ValueError(f"`{name}` is {file!r}; the name of this file, or of its folder, is not valid {encoding.upper()}. {how}.")
        with Path(file).open("rb"):  # an OSError says why, where it cannot be opened
            opened(file)
    same = {os.path.realpath(file): file for file in reversed(files)}
    if len(same) < len(files):
        one, other = next((same[os.path.realpath(file)], file) for file in files if same[os.path.realpath(file)] != file)
        raise ValueError(f"`{name}`: {given!r} matches the same file twice, as {one!r} and, by a link, as {other!r}. Remove the link.")
    return [str(Path(file).absolute()) for file in files]


def _is_loop(path: str) -> bool:
    """Whether a symbolic link of the path leads back to itself."""
    try:
        Path(path).stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _is_parquet(file: str) -> bool:
    return file.lower().endswith(_PARQUET)


def _read_parquet(connection: duckdb.DuckDBPyConnection, files: list[str]) -> Any:
    return connection.sql("SELECT * FROM read_parquet(?, hive_partitioning = false)", params=[list(map(pattern_of, files))])


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str], query: Query, name: str) -> Any:
    """The wanted columns as c0, c1, ...; files of the same types are read together, for DuckDB casts to the first's."""

    def read(group: list[str]) -> Any:
        table = _read_parquet(connection, group)
        found = renamed(table.columns, query.options)
        check_columns(query, found, name)
        return numbered(table, [table.columns[found.index(column)] for column in query.wanted])

    if len(files) == 1:
        return read(files)
    groups: dict[tuple[str, ...], list[str]] = {}
    for file in files:
        groups.setdefault(tuple(map(str, read([file]).types)), []).append(file)
    for column, types in zip(query.wanted, zip(*groups, strict=True), strict=True):
        kinds = {kind_of_type(dtype): repr(group[0]) for dtype, group in zip(types, groups.values(), strict=True)}
        check_one_kind({kind: file for kind, file in kinds.items() if kind is not None}, column, f" of `{name}`")
    return reduce(lambda one, other: one.union(other), map(read, groups.values()))
