"""Parts of a report: sections of paragraphs, facts, tables and pictures; as text, and as HTML that loads and runs nothing."""

from __future__ import annotations

import base64
import hashlib
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from capstats.codes.names import printable, shortened

if TYPE_CHECKING:
    from jinja2 import Environment

WIDTH = 100  # characters of a line of text
CELL = 160  # characters of a cell of a table of HTML
TEXT = 1500  # characters of a sentence; more is a label or a list of names that nobody reads


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


# --- HTML -------------------------------------------------------------------------------------------------------------


def as_fragment(title: str, sections: Sections) -> str:
    """The report as a fragment of HTML, in which every text is escaped."""
    return _environment().get_template("fragment.html.j2").render(title=title, sections=sections)


def as_page(title: str, sections: Sections, *, note: str, footer: str) -> str:
    """The report as a whole page: it has no script, and its Content-Security-Policy allows its own style sheet and nothing else."""
    from markupsafe import Markup

    css = Markup(files("capstats.auditing").joinpath("templates/page.css").read_text(encoding="utf-8"))
    found = _environment().get_template("page.html.j2").render(title=title, sections=sections, note=note, footer=footer, css=css)
    return f"{found.strip()}\n"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    page = Environment(loader=PackageLoader("capstats.auditing"), autoescape=True, undefined=StrictUndefined)
    kinds = {"facts": Facts, "picture": Picture, "terms": Terms, "listing": Listing}
    page.tests |= {name: lambda block, kind=kind: isinstance(block, kind) for name, kind in kinds.items()}
    page.filters |= {
        "shown": lambda text: shortened(printable(text).strip(), TEXT),
        "cell": lambda text: shortened(printable(text).strip(), CELL),
        "lines": lambda text: "\n".join(map(printable, text.splitlines())),
        "drawing": Markup,
        "hash": lambda css: Markup("sha256-" + base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()),
    }
    return page
