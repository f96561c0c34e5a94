"""Temporary data: each call writes to a new folder of its own and removes it; what a killed process leaves, a later call removes.

The hard part is to remove nothing else. The name of a folder proves nothing. A folder is a leftover if it holds a marker that fits this
folder, its lock and this machine, and no process holds the lock. The marker is a symbolic link without a target: it exists as a whole or
not at all, and reading it opens nothing. In a leftover, and at the end of a call, only files of DuckDB and of this package are removed, one
by one.
"""

from __future__ import annotations

import functools
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SCRATCH = "csv"  # the file for text that DuckDB is to read
_NAME = re.compile(r"capstats-[0-9]+-[a-z0-9_]{8}")
SPILLED = re.compile(_NAME.pattern + r"[/\\]duckdb_temp_")  # in messages of DuckDB's that name a file that it spilled
_OURS = {  # DuckDB takes each file of this prefix for its own; the rest of the name differs between its versions
    stat.S_IFREG: re.compile(rf"duckdb_temp_.+|lock|{SCRATCH}"),
    stat.S_IFLNK: re.compile("marker"),
}


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
            handle = None if fcntl is None else opened.enter_context(_opened(folder))
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
def _opened(folder: Path) -> Iterator[int]:
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
                with suppress(OSError), _opened(folder) as handle:
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
