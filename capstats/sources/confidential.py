"""Content of files that are written: a spreadsheet runs nothing in it, and a mark tells which files capstats made."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from capstats.codes.names import in_spreadsheet

FIRST_BYTES = 2**24  # bytes that are looked at; a mark further on is not found, and the file stays
PAGE = re.compile(rb'<!DOCTYPE html>\s*<html[^>]*>\s*<head>\s*<meta charset="utf-8">\s*<meta name="generator" content="capstats">')
MARKS = {
    ".html": PAGE,
    ".htm": PAGE,
    ".png": re.compile(rb"\x89PNG\r\n\x1a\n.{29}tEXtSoftware\0capstats ", re.S),  # the first chunk behind the header
    ".svg": re.compile(rb"<\?xml [^>]*>\s*<!DOCTYPE [^>]*>\s*<svg [^>]*>\s*<metadata>(?:(?!</metadata>).)*<dc:title>capstats ", re.S),
    ".pdf": re.compile(rb"%PDF-.*\n\d+ 0 obj\n<< /Creator \(capstats (?!.*\n\d+ 0 obj\n)", re.S),  # its last object
    ".json": re.compile(rb'\{\s*"capstats ledger": '),
}


def csv_text(head: Sequence[object], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV, its cells and headings as `in_spreadsheet` writes them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(list(map(in_spreadsheet, head)))
    writer.writerows([in_spreadsheet(cell) for cell in row] for row in rows)
    return text.getvalue()


# --- whether a file was made by capstats: each format has a mark, except CSV ----------------------------------------------


def is_plain(path: Path) -> bool:
    """Whether nothing is there, or a regular file that has no other name: neither a link of either kind nor a device."""
    return not path.is_symlink() and (not path.exists() or (path.is_file() and path.stat().st_nlink == 1))


def made_by_capstats(path: Path, head: str | None = None) -> bool:
    """Whether a file carries the mark of its format; a CSV file, which has none, begins with the head that is given."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        content = file.read(FIRST_BYTES)
    mark = MARKS.get(path.suffix.lower())
    if mark is not None:
        return mark.match(content) is not None
    return head is not None and content.startswith(head.encode())


def check_replaceable(files: Iterable[tuple[Path, str | None]]) -> None:
    """Raise if one of the files, each with the head of a CSV file or None, is there and is a link, or was not made by capstats."""
    for path, head in files:
        if not is_plain(path) or (path.exists() and not made_by_capstats(path, head)):
            raise FileExistsError(f"{str(path)!r} is there, and capstats did not make it. Give another folder, or move that file away.")
