"""Parts of a report: sections of paragraphs, facts, tables and pictures; and its text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from capstats.codes.names import printable

WIDTH = 100  # characters of a line of text


@dataclass(frozen=True)
class Facts:
    """Short headings, each with a text of any length; an empty heading continues the one before."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Grid:
    """A table of numbers: a heading for each column, then rows of a label and its numbers; and a caption."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawing for a page: the SVG element, what it shows in words, and the line below it."""

    svg: str
    alt: str
    caption: str


@dataclass(frozen=True)
class Terms:
    """Terms, each with what it means and where to read more: the address of a source, or None for a page of the documentation."""

    rows: Sequence[tuple[str, str, Sequence[tuple[str, str | None]]]]


@dataclass(frozen=True)
class Listing:
    """Lines that are shown as they are, such as settings."""

    text: str


Block = str | Facts | Grid | Picture | Terms | Listing
Sections = Mapping[str, Sequence[Block]]


def as_text(title: str, sections: Sections) -> str:
    """The report as lines of at most ``WIDTH`` characters, unless a table needs more."""
    lines = [printable(title)]
    for name, blocks in sections.items():
        lines += ["", printable(name)]
        for i, block in enumerate(blocks):
            lines += [""] * bool(i) + [f"  {line}".rstrip() for line in _lines(block)]
    return "\n".join(lines)


def _lines(block: Block) -> list[str]:
    if isinstance(block, str):
        return _wrapped(block, WIDTH - 2)
    if isinstance(block, Facts):
        wide = max(len(printable(name)) for name, _ in block.rows) + 2
        lines = []
        for name, text in block.rows:
            first, *rest = _wrapped(text, WIDTH - 2 - wide)
            lines += [f"{printable(name):<{wide}}{first}", *(" " * wide + line for line in rest)]
        return lines
    if isinstance(block, Picture):
        return _wrapped(f"Figure: {block.caption}", WIDTH - 2)
    if isinstance(block, Terms):
        return _lines(Facts([(term, " ".join([meaning, *(text for text, _ in more)])) for term, meaning, more in block.rows]))
    if isinstance(block, Listing):
        return [printable(line) for line in block.text.splitlines()]
    rows = [[printable(cell) for cell in row] for row in [block.head, *block.rows]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        f"{row[0]:<{widths[0]}}" + "".join(f"  {c:>{w}}" for c, w in zip(row[1:], widths[1:], strict=True)) for row in rows if any(row)
    ]
    return [*(_wrapped(f"{block.caption}:", WIDTH - 2) if block.caption else []), *lines]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(printable(text), width, break_long_words=False, break_on_hyphens=False) or [""]
