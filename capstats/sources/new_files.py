"""Files that are read and files that are written: a new file is whole or not there, and takes the place of none that was read."""

from __future__ import annotations

import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

UNNAMED = getattr(os, "O_TMPFILE", 0)  # Linux: a new file has no name until it is whole, so that a killed process leaves none
NEW = os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class _Read:
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
