"""New files that their owner alone can read, and that take the place of old ones once they are whole."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def beside(path: str | Path) -> Iterator[tuple[int, Path]]:
    """A new file in the same folder, open for writing, which is removed afterwards unless it has taken the place of the path."""
    target = Path(path)
    if target.is_symlink():
        raise ValueError(f"{str(path)!r} is a symbolic link; confidential output is not written through a link. Give another path.")
    if not target.name or target.is_dir():
        raise ValueError(f"{str(path)!r} is a folder. Give the path of a file.")
    if target.exists() and not target.is_file():
        raise ValueError(f"{str(path)!r} is a pipe, socket or device. Give the path of a regular file.")
    temporary = target.with_name(f".capstats-{os.getpid()}-{secrets.token_hex(4)}")
    made = False
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(None, "it is read-only")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0), 0o600)
        made = True
        if hasattr(os, "fchmod"):
            os.fchmod(handle, 0o600)  # whatever the umask
        yield handle, temporary
    except OSError as error:
        raise OSError(error.errno, error.strerror or type(error).__name__, str(path)) from None
    finally:
        if made:
            temporary.unlink(missing_ok=True)
