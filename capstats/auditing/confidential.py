"""Files as confidential as the original: their owner alone can read them, no link is followed, and a spreadsheet runs nothing in them."""

from __future__ import annotations

import csv
import io
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from capstats.codes.labels import MISSING
from capstats.codes.names import printable

RUN = re.compile(r"(^|;)(?=[\s\"]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])")  # a semicolon separates cells in many countries
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


def write_confidential(path: str | Path, content: str | bytes) -> None:
    """Write a file that its owner alone can read (mode 0600), whole or not at all.

    The content goes to a new file in the same folder, which then takes the place of the old one: a disk that is full leaves the old file as
    it was. A symbolic link is refused, and so is whatever is no regular file. Text is written as UTF-8.
    """
    with _beside(path) as (handle, temporary):
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)


def check_confidential(path: str | Path) -> None:
    """Raise unless `write_confidential` can write a file of this name, which stays as it is."""
    with _beside(path) as (handle, _):
        os.close(handle)


@contextmanager
def _beside(path: str | Path) -> Iterator[tuple[int, Path]]:
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


def csv_text(head: Sequence[object], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV, its cells and headings as `in_spreadsheet` writes them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(list(map(in_spreadsheet, head)))
    writer.writerows([in_spreadsheet(cell) for cell in row] for row in rows)
    return text.getvalue()


def in_spreadsheet(cell: Any) -> str:
    """A cell as text that a spreadsheet shows and does not run.

    An apostrophe is put before a text that begins with = + - @ (after spaces or quotes, too), a tab or a carriage return, and before such
    a part of it behind a semicolon. Numbers such as -1.5 stay. Invisible characters are escaped; a missing value is an empty cell.
    """
    if not isinstance(cell, (str, int)) and (cell is MISSING or (pd.api.types.is_scalar(cell) and pd.isna(cell))):
        return ""
    text = str(cell)
    return text if NUMBER.fullmatch(text) else printable(RUN.sub(r"\1'", text))
