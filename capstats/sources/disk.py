"""What is done to a disk: DuckDB reads the files of a call alone, temporary data are removed, and a new file is whole or not there.

*Connections* to DuckDB are private: no network, no extensions, no files but those of the call, and nothing left on disk. Each lives for one
call. A permanent one would hang in forked children, and could not be confined to the files of a call.

*Temporary data*: each call writes to a new folder of its own and removes it; what a killed process leaves, a later call removes. The hard
part is to remove nothing else. The name of a folder proves nothing. A folder is a leftover if it holds a marker that fits this folder, its
lock and this machine, and no process holds the lock. The marker is a symbolic link without a target: it exists as a whole or not at all,
and reading it opens nothing. In a leftover, and at the end of a call, only files of DuckDB and of this package are removed, one by one.

*Outputs* take the place of no file that was read.
"""

from __future__ import annotations

import functools
import io
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import duckdb

    from capstats.sources.source import Options

T = TypeVar("T")
UNNAMED = getattr(os, "O_TMPFILE", 0)  # Linux: a new file has no name until it is whole, so that a killed process leaves none
NEW = os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
SCRATCH = "csv"  # the file for text that DuckDB is to read
_NAME = re.compile(r"capstats-[0-9]+-[a-z0-9_]{8}")
SPILLED = re.compile(_NAME.pattern + r"[/\\]duckdb_temp_")  # in messages of DuckDB's that name a file that it spilled
_OURS = {  # DuckDB takes each file of this prefix for its own; the rest of the name differs between its versions
    stat.S_IFREG: re.compile(rf"duckdb_temp_.+|lock|{SCRATCH}"),
    stat.S_IFLNK: re.compile("marker"),
}


# --- connections ------------------------------------------------------------------------------------------------------


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


# --- temporary data ---------------------------------------------------------------------------------------------------


@contextmanager
def private_folder(spill_dir: str | Path | None) -> Iterator[Path]:
    """A new folder that its owner alone can read, in the given folder or the system's for temporary files; removed at the end."""
    chosen = _chosen_by_system() if spill_dir is None else spill_dir
    top = Path(os.path.expanduser(chosen)).absolute()  # noqa: PTH111  that of Path raises for a user who is not known
    _remove_leftovers(top)
    owner = os.getpid()
    with ExitStack() as opened:
        try:
            folder = Path(tempfile.mkdtemp(prefix=f"capstats-{owner}-", dir=top))
            handle = None if fcntl is None else opened.enter_context(_folder_opened(folder))
        except OSError as error:
            raise ValueError(
                f"`spill_dir` must be a folder in which files can be written; {str(top)!r} is not ({error.strerror}). Give another one."
            ) from None
        if handle is not None:
            _lock_and_mark(folder.name, handle, opened)
        try:
            yield folder
        finally:
            if os.getpid() == owner:  # a forked child does not remove its parent's folder
                _remove(folder, handle)


def _chosen_by_system() -> str:
    """The system's folder for temporary files; an error if it is not the one that was asked for, since it may be on another disk."""
    name, asked = next(((name, os.environ[name]) for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)), ("", "."))
    if name and not (Path(asked).is_dir() and os.access(asked, os.W_OK | os.X_OK)):
        raise ValueError(f"{name} is {asked!r}, a folder in which no file can be written. Set it to another one, or give `spill_dir`.")
    return tempfile.gettempdir()


@contextmanager
def _folder_opened(folder: Path) -> Iterator[int]:
    """The descriptor of a folder; a link is refused."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        yield handle
    finally:
        os.close(handle)


def _lock_and_mark(name: str, folder: int, opened: ExitStack) -> None:
    """Lock a new folder until this process and its forked children end, and mark it as ours.

    Where the file system has no locks or no links it stays unmarked, and no run ever takes it for a leftover.
    """
    with suppress(OSError):
        lock = os.open("lock", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
        opened.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # before the marker, so that no marked folder is without
        os.symlink("\n".join([*_bound(name, folder), *_machine()]), "marker", dir_fd=folder)


def _bound(name: str, folder: int) -> list[str]:
    """Values that differ between a folder and its copy, the folder with another name, and the folder restored from a copy."""
    made, lock = os.fstat(folder), os.stat("lock", dir_fd=folder, follow_symlinks=False)
    return ["capstats", name, *map(str, (made.st_dev, made.st_ino, lock.st_mode, lock.st_ino, lock.st_nlink, lock.st_ctime_ns))]


def _machine() -> set[str]:
    """The name of this machine and, on Linux, the id of its boot, which is the same in all containers of one machine.

    A lock proves nothing between machines, since file systems may be shared and their locks not.
    """
    names = {os.uname().nodename}
    with suppress(OSError):
        names.add(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
    return names - {""}


def _is_leftover(name: str, folder: int) -> bool:
    """Whether this library made and marked an open folder, in a process of this user and machine that has ended."""
    bound = _bound(name, folder)
    lines = os.readlink("marker", dir_fd=folder).split("\n")
    if os.fstat(folder).st_uid != os.geteuid() or lines[: len(bound)] != bound or _machine().isdisjoint(lines[len(bound) :]):
        return False
    lock = os.open("lock", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    finally:
        os.close(lock)
    return True


@functools.cache
def _remove_leftovers(top: Path) -> None:
    """Remove the leftovers in a folder; once a process, for a folder of temporary files may be long."""
    if fcntl is not None:
        with suppress(OSError):
            for folder in [path for path in top.iterdir() if _NAME.fullmatch(path.name)]:
                with suppress(OSError), _folder_opened(folder) as handle:
                    if _is_leftover(folder.name, handle):
                        _remove(folder, handle)


def _remove(folder: Path, handle: int | None) -> None:
    """Remove the files of DuckDB's and ours from an open folder, and the folder if it is then empty. What others put there stays."""
    with suppress(OSError):
        for entry in sorted(os.scandir(folder if handle is None else handle), key=lambda entry: entry.name):  # data before the lock
            with suppress(OSError):
                kind = stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode)
                if kind in _OURS and _OURS[kind].fullmatch(entry.name):
                    os.unlink(entry.path, dir_fd=handle)
        if handle is None or os.path.samestat(os.fstat(handle), folder.lstat()):
            folder.rmdir()


# --- files that are read, and new files -------------------------------------------------------------------------------


class _Read(NamedTuple):
    """A file that was read, as it was then."""

    path: Path
    size: int
    changed: int
    holds_counts: bool

    def is_still(self, path: str | Path, found: os.stat_result) -> bool:
        """Whether a file with the same inode is this one, and not a later one with the number used again."""
        with suppress(OSError):
            if self.path.samefile(path):
                return True
        return (self.size, self.changed) == (found.st_size, found.st_mtime_ns)


_READ: dict[tuple[int, int], _Read] = {}  # every file that this process read, by device and inode: under any name and through any link


def at_home(path: str | Path) -> Path:
    """The path, with ``~`` at its start as the home of its user."""
    return Path(os.path.expanduser(path))  # noqa: PTH111  that of Path raises for a user who is not known


def opened(path: str | Path, *, counts: bool = False) -> None:
    """Register a file that is read, so that no output replaces it; every function that reads a file for its caller calls this."""
    path = at_home(path)
    found = path.stat()
    known = _READ.get(place := (found.st_dev, found.st_ino))
    counts = counts and (known is None or known.holds_counts or not known.is_still(path, found))
    _READ[place] = _Read(path.absolute(), found.st_size, found.st_mtime_ns, counts)


def check_unread(path: str | Path, name: str = "`path`", *, counts_may: bool = False) -> None:
    """Raise if a file to write was read, under any name; with ``counts_may`` a file of counts may be replaced by later ones."""
    try:
        found = at_home(path).stat()
    except OSError:  # there is no such file, or none that could be read
        return
    known = _READ.get((found.st_dev, found.st_ino))
    if known is not None and known.is_still(at_home(path), found) and not (counts_may and known.holds_counts):
        raise ValueError(f"{name} is {str(path)!r}, which is read as well. Give another path.")


def write_file(path: str | Path, content: str | bytes, *, private: bool = True) -> None:
    """Write a file, whole or not at all, as `replacing` says; text as UTF-8."""
    with replacing(path, private=private) as (handle, _), open(handle, "wb", closefd=False) as file:
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


def check_file(path: str | Path, *, private: bool = True, counts_may: bool = False) -> None:
    """Raise unless a file of this name can be written; an existing file stays as it is."""
    with _begun(path, private=private, counts_may=counts_may):
        pass


@contextmanager
def replacing(path: str | Path, *, private: bool = True, counts_may: bool = False) -> Iterator[tuple[int, Path]]:
    """A new file, open for writing, that takes the place of the path once the block ends: its descriptor, and a path to it meanwhile.

    An error, a full disk or a kill leaves what was there as it was. A link, a folder, a device, and a file that was read are refused. A
    ``private`` file can be read by its owner alone (mode 0600); another one has the rights of the file whose place it takes.
    """
    with _begun(path, private=private, counts_may=counts_may) as (file, place, named):
        yield file.fileno(), place
        os.fsync(file.fileno())
        if place != named:
            os.link(place, named, src_dir_fd=file.fileno(), follow_symlinks=True)  # with a descriptor, or Python links the link
        if os.name == "nt":
            file.close()  # where an open file cannot be moved
        try:
            named.replace(at_home(path))
        finally:
            named.unlink(missing_ok=True)


@contextmanager
def _begun(path: str | Path, *, private: bool, counts_may: bool) -> Iterator[tuple[io.FileIO, Path, Path]]:
    """A new file in the folder of the path, removed at the end unless it was moved: a path to it, and its final name."""
    target = at_home(path)
    if target.is_symlink():
        raise ValueError(f"{str(path)!r} is a symbolic link; an output is not written through a link. Give another path.")
    if not target.name or target.is_dir():
        raise ValueError(f"{str(path)!r} is a folder. Give the path of a file.")
    if target.exists() and not target.is_file():
        raise ValueError(f"{str(path)!r} is a pipe, socket or device. Give the path of a regular file.")
    check_unread(target, counts_may=counts_may)
    named = target.with_name(f".capstats-{os.getpid()}-{secrets.token_hex(4)}")
    file = None
    place = target
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(None, "it is read-only")
        file, place = _new(target.parent, named, 0o600 if private else 0o666)
        if hasattr(os, "fchmod") and (private or target.exists()):
            os.fchmod(file.fileno(), 0o600 if private else stat.S_IMODE(target.stat().st_mode))  # independent of the umask
        yield file, place, named
    except OSError as error:
        raise OSError(error.errno, error.strerror or type(error).__name__, str(path)) from None
    finally:
        if file is not None:
            file.close()
        if place == named:
            named.unlink(missing_ok=True)


def _new(folder: Path, named: Path, mode: int) -> tuple[io.FileIO, Path]:
    """A new file, and a path to it: without a name where the system can name it later, otherwise under the given name."""
    if UNNAMED:
        with suppress(OSError):  # this file system has no files without a name
            file = io.FileIO(os.open(folder, os.O_WRONLY | UNNAMED, mode), "wb")
            if (place := Path(f"/proc/self/fd/{file.fileno()}")).exists():
                return file, place
            file.close()
    return io.FileIO(os.open(named, os.O_WRONLY | NEW, mode), "wb"), named
