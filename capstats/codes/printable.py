"""Text from elsewhere (names, labels, paths, messages), written so that a terminal or a page shows it and nothing else happens."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from capstats.codes.labels import MISSING

RUN = re.compile(r"(^|;)(?=[\s\"]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])")  # a semicolon separates cells in many countries
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


def printable(text: object) -> str:
    """The text with escapes in place of control characters, line breaks, marks of writing direction and other invisible characters."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def printable_json(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    """A value as JSON text, with escapes in place of what is not printable; ``default`` is that of ``json.dumps``."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=default)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def named(name: object) -> str:
    """A name within a sentence: in quotes where it holds more than one plain word, so that its ends can be seen."""
    return str(name) if re.fullmatch(r"[^\W_][\w.\-/%]*", str(name)) else repr(str(name))


def in_cell(label: object) -> str:
    """A label in a table: in quotes only where it is empty, or begins or ends with a space."""
    text = str(label)
    return printable(text) if text and text == text.strip() else repr(text)


def listed(names: object) -> str:
    """Names as a list in a sentence: a, b and c."""
    *first, last = map(str, names) if isinstance(names, (list, tuple)) else [str(names)]
    return f"{', '.join(first)} and {last}" if first else last


def shortened(text: str, width: int) -> str:
    """The text, with dots in its middle where it is longer than so many characters."""
    if len(text) <= width:
        return text
    left = max((width - 3) // 2, 1)
    return f"{text[:left]}...{text[len(text) - max(width - 3 - left, 1) :]}"


def in_spreadsheet(cell: Any) -> str:
    """A cell as text that a spreadsheet shows and does not run.

    An apostrophe is put before a text that begins with = + - @ (after spaces or quotes, too), a tab or a carriage return, and before such
    a part of it behind a semicolon. Numbers such as -1.5 stay. Invisible characters are escaped; a missing value is an empty cell.
    """
    if not isinstance(cell, (str, int)) and (cell is MISSING or (pd.api.types.is_scalar(cell) and pd.isna(cell))):
        return ""
    text = str(cell)
    return text if NUMBER.fullmatch(text) else printable(RUN.sub(r"\1'", text))
