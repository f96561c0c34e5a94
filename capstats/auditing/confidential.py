"""Files as confidential as the original: their owner alone can read them, no link is followed, and a spreadsheet runs nothing in them."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from capstats.codes.printable import in_spreadsheet
from capstats.sources.new_files import beside


def write_confidential(path: str | Path, content: str | bytes) -> None:
    """Write a file that its owner alone can read (mode 0600), whole or not at all.

    The content goes to a new file in the same folder, which then takes the place of the old one: a disk that is full leaves the old file as
    it was. A symbolic link is refused, and so is whatever is no regular file. Text is written as UTF-8.
    """
    with beside(path) as (handle, temporary):
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)


def check_confidential(path: str | Path) -> None:
    """Raise unless `write_confidential` can write a file of this name, which stays as it is."""
    with beside(path) as (handle, _):
        os.close(handle)


def csv_text(head: Sequence[object], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV, its cells and headings as `in_spreadsheet` writes them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(list(map(in_spreadsheet, head)))
    writer.writerows([in_spreadsheet(cell) for cell in row] for row in rows)
    return text.getvalue()
