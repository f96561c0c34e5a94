"""Files that are written: confidential ones, which their owner alone can read, and those that may take the place of others.

No link is followed, a spreadsheet runs nothing in them, and no file that capstats did not make is replaced.
"""

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
MOST = 2**24  # bytes that are looked at; a mark further on is not found, and the file stays
PAGE = re.compile(rb'<!DOCTYPE html>\s*<html[^>]*>\s*<head>\s*<meta charset="utf-8">\s*<meta name="generator" content="capstats">')
MARKS = {
    ".html": PAGE,
    ".htm": PAGE,
    ".png": re.compile(rb"\x89PNG\r\n\x1a\n.{29}tEXtSoftware\0capstats ", re.S),  # the first chunk behind the header
    ".svg": re.compile(rb"<\?xml [^>]*>\s*<!DOCTYPE [^>]*>\s*<svg [^>]*>\s*<metadata>(?:(?!</metadata>).)*<dc:title>capstats ", re.S),
    ".pdf": re.compile(rb"%PDF-.*\n\d+ 0 obj\n<< /Creator \(capstats (?!.*\n\d+ 0 obj\n)", re.S),  # its last object
    ".json": re.compile(rb'\{\s*"capstats ledger": '),
}


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


# --- whether a file was made by capstats: each format has a mark, except CSV ----------------------------------------------


def is_plain(path: Path) -> bool:
    """Whether nothing is there, or a regular file that has no other name: neither a link of either kind nor a device."""
    return not path.is_symlink() and (not path.exists() or (path.is_file() and path.stat().st_nlink == 1))


def made_by_capstats(path: Path, head: str | None = None) -> bool:
    """Whether a file carries the mark of its format; a CSV file, which has none, begins with the head that is given."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        content = file.read(MOST)
    mark = MARKS.get(path.suffix.lower())
    if mark is not None:
        return mark.match(content) is not None
    return head is not None and content.startswith(head.encode())


def check_replaceable(files: Iterable[tuple[Path, str | None]]) -> None:
    """Raise if one of the files, each with the head of a CSV file or None, is there and is a link, or was not made by capstats."""
    for path, head in files:
        if not is_plain(path) or (path.exists() and not made_by_capstats(path, head)):
            raise FileExistsError(f"{str(path)!r} is there, and capstats did not make it. Give another folder, or move that file away.")
