"""Connections to DuckDB that are private: no network, no extensions, no files but those of the call, and nothing left on disk.

Each connection lives for one call. A kept one would hang in forked children, and could not be confined to the files of a call.
"""

from __future__ import annotations

import functools
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from capstats.sources.source import Options

if TYPE_CHECKING:
    import duckdb

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "capstats-"
T = TypeVar("T")


@contextmanager
def connect(options: Options, files: Sequence[str] = ()) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reads these files only, opens no socket, and spills to a private folder, which is removed at the end."""
    import duckdb

    with private_folder(options.spill_dir) as folder:
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": str(folder / "spill"),
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
    """Settings that older versions of DuckDB lack, or that need an open connection; the last one locks them all."""
    connection.execute(f"SET home_directory = {_literal(str(folder))}")
    connection.execute("SET enable_progress_bar_print = false")
    connection.execute(f"SET enable_progress_bar = {'true' if options.progress.shown else 'false'}")
    # without an extension, newer versions make keys with a weak generator, and want to hear that this is known
    _set_if_known(connection, "force_mbedtls_unsafe = true")
    _set_if_known(connection, "temp_file_encryption = true")
    _set_if_known(connection, "enable_external_file_cache = false")  # files may change while a connection lives
    paths = ", ".join(_literal(path) for file in files for path in (file, pattern_of(file)))
    if not files or _set_if_known(connection, f"allowed_paths = [{paths}]"):
        connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def pattern_of(file: str) -> str:
    """The pattern that matches this file alone, for DuckDB takes paths for patterns."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in file)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _set_if_known(connection: duckdb.DuckDBPyConnection, setting: str) -> bool:
    """Whether this version of DuckDB has the setting, which then holds."""
    import duckdb

    try:
        connection.execute(f"SET {setting}")
    except duckdb.CatalogException:
        return False
    return True


def answer(connection: duckdb.DuckDBPyConnection, work: Callable[[], T]) -> T:
    """What the work finds with the connection; done in a thread of its own, so that Ctrl-C and other signals end its query at once."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            return future.result()
        except BaseException:
            while not future.done():
                connection.interrupt()  # again and again, since a query that begins after it does not notice
                wait([future], 0.05)
            raise


def plain(error: Exception, place: str, remedy: str) -> BaseException:
    """The error to raise in place of one of DuckDB's: it names the class only, since DuckDB's message may quote records.

    Raise it ``from None``, since a traceback prints causes.
    """
    import duckdb

    if isinstance(error, duckdb.InterruptException) or "Query interrupted" in str(error):
        return KeyboardInterrupt()
    if isinstance(error, duckdb.OutOfMemoryException) or PREFIX in str(error):  # the latter names a file in a private folder
        return MemoryError(
            f"{place} does not fit in memory, nor in what is free of the folder for temporary files. "
            "Raise `memory_limit`, give a `spill_dir` with more room, or use fewer or coarser columns."
        )
    reasons = {
        (
            duckdb.ConversionException,
            duckdb.OutOfRangeException,
            duckdb.TypeMismatchException,
        ): "a value does not fit the type of its column",
        (duckdb.NotImplementedException, duckdb.NotSupportedError): "it uses a feature that this version of DuckDB lacks",
        (duckdb.IOException,): "the file or the disk is damaged, or it is no file of its format",
        (duckdb.InvalidInputException, duckdb.SerializationException, duckdb.InternalException): "its content is damaged",
    }
    reason = next((reason for kinds, reason in reasons.items() if isinstance(error, kinds)), "DuckDB refuses it")
    return ValueError(f"{place} cannot be read: {reason} ({type(error).__name__}). {remedy}")


@contextmanager
def private_folder(spill_dir: str | Path | None) -> Iterator[Path]:
    """A fresh folder that its owner alone can read, in the given folder or the system's for temporary files; removed at the end.

    A lock that ends with the process marks a folder as in use. The next run removes folders that a killed process left behind.
    """
    top = Path(tempfile.gettempdir() if spill_dir is None else spill_dir).expanduser().absolute()
    _remove_leftovers(top)
    try:
        folder, lock = _locked_folder(top)
    except OSError as error:
        raise ValueError(
            f"`spill_dir` must be a folder in which files can be written; {str(top)!r} is not ({error.strerror}). Give another one."
        ) from None
    owner = os.getpid()
    try:
        yield folder
    finally:
        if os.getpid() == owner:  # a forked child leaves its parent's folder alone
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _locked_folder(top: Path) -> tuple[Path, int]:
    """A new folder, and the descriptor of its lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=top))
        lock = _open_lock(folder)
        if lock is not None and folder.is_dir():  # else another run took it for a leftover before it was locked
            return folder, lock


def _open_lock(folder: Path) -> int | None:
    """The descriptor of a folder's lock; None where another process holds it, or the folder is gone."""
    try:
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:
        return None
    if fcntl is not None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
    return lock


@functools.cache
def _remove_leftovers(top: Path) -> None:
    """Remove our own folders that no living process holds; once a process, for a folder of temporary files may be long."""
    if fcntl is None:
        return
    with suppress(OSError):
        for folder in top.glob(f"{PREFIX}*"):
            with suppress(OSError):
                found = folder.lstat()
                if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and (lock := _open_lock(folder)) is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    os.close(lock)
