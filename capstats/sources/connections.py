"""Connections to DuckDB that are private: no network, no extensions, no files but those of the call, and nothing left on disk.

Each connection lives for one call. A permanent one would hang in forked children, and could not be confined to the files of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from capstats.sources.source import Options
from capstats.sources.temporary_data import SPILLED, private_folder

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")


@contextmanager
def connect(options: Options, files: Sequence[str] = ()) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reads these files only, opens no socket, and spills to a private folder, which is removed at the end."""
    import duckdb

    with private_folder(options.spill_dir) as folder:
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": str(folder),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_persistent_secrets": "false",
        }
        if options.memory_limit is not None:
            config["memory_limit"] = options.memory_limit
        try:
            connection = duckdb.connect(config=config)
        except duckdb.Error:
            raise ValueError(f'`memory_limit` must be an amount such as "1GB"; got {options.memory_limit!r}.') from None
        with connection:
            _confine(connection, folder, options, files)
            yield connection


def _confine(connection: duckdb.DuckDBPyConnection, folder: Path, options: Options, files: Sequence[str]) -> None:
    """Settings that need an open connection, or that older versions of DuckDB lack; the last one locks them all."""
    import duckdb

    connection.execute(f"SET home_directory = {quoted(str(folder))}")
    connection.execute("SET enable_progress_bar_print = false")
    connection.execute(f"SET enable_progress_bar = {'true' if options.display.shown else 'false'}")
    # without an extension, newer versions generate keys with a weak generator, which must be confirmed
    for setting in ("force_mbedtls_unsafe", "temp_file_encryption"):
        with suppress(duckdb.CatalogException):  # this version lacks the setting
            connection.execute(f"SET {setting} = true")
    connection.execute("SET enable_external_file_cache = false")  # files may change while a connection lives
    paths = ", ".join(quoted(path) for file in files for path in (file, pattern_of(file)))
    connection.execute(f"SET allowed_paths = [{paths}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def pattern_of(file: str) -> str:
    """The pattern that matches this file alone, for DuckDB takes paths for patterns."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in file)


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: object) -> str:
    """A name as SQL writes it."""
    return '"' + str(name).replace('"', '""') + '"'


def answer(connection: duckdb.DuckDBPyConnection, work: Callable[[], T], stopped: Event | None = None) -> T:
    """The result of the work with the connection, done in a thread of its own, so that Ctrl-C and other signals end its query at once.

    ``stopped`` is set then, for work that asks DuckDB nothing for a while.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            return future.result()
        except BaseException:
            while not future.done():
                if stopped is not None:
                    stopped.set()
                connection.interrupt()  # again and again, since a query that begins after it does not notice
                wait([future], 0.05)
            raise


def plain(error: Exception, place: str, remedy: str) -> BaseException:
    """The error to raise in place of one of DuckDB's. It names only the class, since DuckDB's message may quote records.

    Raise it ``from None``, since a traceback prints causes.
    """
    import duckdb

    if isinstance(error, duckdb.InterruptException) or "Query interrupted" in str(error):
        return KeyboardInterrupt()
    if isinstance(error, duckdb.OutOfMemoryException) or SPILLED.search(str(error)):  # the latter: the disk is full
        return MemoryError(
            f"{place} does not fit in memory, nor in what is free of the folder for temporary files. "
            "Raise `memory_limit`, give a `spill_dir` with more room, or use fewer or coarser columns."
        )
    reasons: dict[Any, str] = {
        duckdb.DataError: "a value does not fit the type of its column",
        duckdb.NotSupportedError: "it uses a feature that this version of DuckDB lacks",
        duckdb.IOException: "the file or the disk is damaged, or it is no file of its format",
        (duckdb.InvalidInputException, duckdb.SerializationException, duckdb.InternalException): "its content is damaged",
    }
    reason = next((reason for classes, reason in reasons.items() if isinstance(error, classes)), "DuckDB refuses it")
    return ValueError(f"{place} cannot be read: {reason} ({type(error).__name__}). {remedy}")
