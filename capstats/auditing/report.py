"""Parts of a report: sections of paragraphs, facts and tables, as text and as HTML."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from capstats.codes.printable import printable
from capstats.tables.digits import count as count
from capstats.tables.digits import many as many
from capstats.tables.digits import share as share

WIDTH = 100  # characters of a line of text
CELL = "padding:0.15em 2em 0.15em 0;border-bottom:1px solid #ddd;font-variant-numeric:tabular-nums;"


@dataclass(frozen=True)
class Facts:
    """Short headings, each with a text of any length; an empty heading continues the one before."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Grid:
    """A table of numbers: a heading for each column, then rows of a label and its numbers."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


Block = str | Facts | Grid
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
    rows = [[printable(cell) for cell in row] for row in [block.head, *block.rows]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"{row[0]:<{widths[0]}}" + "".join(f"  {c:>{w}}" for c, w in zip(row[1:], widths[1:], strict=True)) for row in rows if any(row)]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(printable(text), width, break_long_words=False, break_on_hyphens=False) or [""]


def as_html(title: str, sections: Sections) -> str:
    """The same as a fragment of HTML, in which every text is escaped."""
    parts = [f"<h3>{_escaped(title)}</h3>"]
    for name, blocks in sections.items():
        parts.append(f"<h4>{_escaped(name)}</h4>")
        parts += map(_fragment, blocks)
    return f"<div style='max-width:60em'>{''.join(parts)}</div>"


def _fragment(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{_escaped(block)}</p>"
    if isinstance(block, Facts):
        body = "".join(f"<tr>{_td(name, 'left')}{_td(text, 'left')}</tr>" for name, text in block.rows)
        return f"<table style='border-collapse:collapse'><tbody>{body}</tbody></table>"
    heads = "".join(f"<th style='{CELL}text-align:{'right' if i else 'left'}'>{_escaped(name)}</th>" for i, name in enumerate(block.head))
    rows = []
    for name, *numbers in block.rows:
        indent = "padding-left:2em;" if name.startswith(" ") else ""
        rows.append(f"<tr>{_td(name, 'left', indent)}{''.join(_td(x, 'right') for x in numbers)}</tr>")
    return f"<table style='border-collapse:collapse'><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _td(text: str, side: str, indent: str = "") -> str:
    return f"<td style='{CELL}{indent}text-align:{side}'>{_escaped(text)}</td>"


def _escaped(text: str) -> str:
    return html.escape(printable(text).strip())
