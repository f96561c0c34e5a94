"""Parts of a report: sections of paragraphs, facts, tables and pictures; as text, and as HTML that loads and runs nothing."""

from __future__ import annotations

import base64
import hashlib
import operator
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from capstats.codes.names import printable, shortened

if TYPE_CHECKING:
    from jinja2 import Environment

SIGNS = "#+."  # dots of three kinds, in text
STRIP = 48  # characters of a scale, in text
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
    full_width: bool = False  # of a front sheet, whose other sections are in two columns

    @classmethod
    def of_columns(cls, labels: Sequence[str], columns: Iterable[Sequence[str]], caption: str = "", *, full_width: bool = False) -> Grid:
        """The table of columns, each with its heading first, of which that of the labels is the first."""
        head, *rows = map(list, zip(labels, *columns, strict=True))
        return cls(head, rows, caption, full_width)


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


@dataclass(frozen=True)
class Alert:
    """What a reader must not overlook, in a box, which a ``grave`` one has in colour."""

    text: str
    grave: bool = True


@dataclass(frozen=True)
class Headline:
    """Large numbers, the sentence that they begin, or that has them if it is ``whole``, and what both are about, if that must be said."""

    number: str
    text: str
    of: str = ""
    whole: bool = False


@dataclass(frozen=True)
class Mark:
    """A place on a scale, and its number as text; that of a release has a bar ``since`` another place, if any; and others ``also``."""

    name: str
    at: float
    number: str
    is_release: bool = False
    since: float | None = None
    also: Sequence[float] = ()


@dataclass(frozen=True)
class Scale:
    """Numbers on one axis, a line each."""

    marks: Sequence[Mark]
    caption: str

    def place(self, at: float) -> float:
        """Where a number is between the least (0) and the greatest (1)."""
        least, most = (end(x for mark in self.marks for x in (mark.at, *mark.also)) for end in (min, max))
        return (at - least) / (most - least) if most > least else 0.5


@dataclass(frozen=True)
class Dots:
    """Groups of people: a name, numbers of dots of three kinds, and what they are in words; what the kinds mean."""

    rows: Sequence[tuple[str, Sequence[int], str]]
    kinds: Sequence[str]
    caption: str


Block = str | Facts | Grid | Picture | Terms | Listing | Alert | Headline | Scale | Dots
Sections = Mapping[str, Sequence[Block]]


def beside(labels: Sequence[str], columns: Iterable[Sequence[str]]) -> list[Grid]:
    """Columns beside the labels of their rows, each with its heading first: as many tables as the width of a line makes."""
    parts: list[list[Sequence[str]]] = []
    left = 0
    for column in columns:
        wide = max(map(len, column)) + 2
        if wide > left:
            parts.append([])
            left = WIDTH - 2 - max(map(len, labels))
        parts[-1].append(column)
        left -= wide
    return [Grid.of_columns(labels, part) for part in parts]


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
    if isinstance(block, Alert):
        return _wrapped(f"! {block.text}", WIDTH - 2)
    if isinstance(block, Headline):
        return _wrapped(f"{block.of}{': ' * bool(block.of)}{'' if block.whole else f'{block.number} '}{block.text}", WIDTH - 2)
    if isinstance(block, Scale):
        return _lines_of_scale(block)
    if isinstance(block, Dots):
        return _lines_of_dots(block)
    rows = [[printable(cell) for cell in row] for row in [block.head, *block.rows]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        f"{row[0]:<{widths[0]}}" + "".join(f"  {c:>{w}}" for c, w in zip(row[1:], widths[1:], strict=True)) for row in rows if any(row)
    ]
    return [*(_wrapped(f"{block.caption}:", WIDTH - 2) if block.caption else []), *lines]


def _lines_of_scale(scale: Scale) -> list[str]:
    names = [printable(mark.name) for mark in scale.marks]
    wide, lines = max(map(len, names)), []
    for name, mark in zip(names, scale.marks, strict=True):
        line = ["."] * STRIP
        for other in scale.marks:
            if not other.is_release:
                line[round(scale.place(other.at) * (STRIP - 1))] = ":"
        at = round(scale.place(mark.at) * (STRIP - 1))
        if mark.since is not None:
            start, end = sorted((at, round(scale.place(mark.since) * (STRIP - 1))))
            line[start : end + 1] = "=" * (end + 1 - start)
        for place in (mark.at, *mark.also):
            line[round(scale.place(place) * (STRIP - 1))] = "#" if mark.is_release else "|"
        lines.append(f"{name:<{wide}}  {''.join(line)}  {mark.number}")
    return [*lines, *_wrapped(scale.caption, WIDTH - 2)]


def _lines_of_dots(block: Dots) -> list[str]:
    lines, room = [], WIDTH - 4
    for name, numbers, text in block.rows:
        dots = "".join(map(operator.mul, SIGNS, numbers))
        rows = [f"  {dots[i : i + room]}" for i in range(0, len(dots), room)]
        lines += [*_wrapped(f"{name}: {text}", WIDTH - 2), *rows]
    kinds = ", ".join(f"{sign} {kind}" for sign, kind in zip(SIGNS, block.kinds, strict=True))
    return [*lines, *_wrapped(f"{kinds}. {block.caption}", WIDTH - 2)]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(printable(text), width, break_long_words=False, break_on_hyphens=False) or [""]


# --- HTML -------------------------------------------------------------------------------------------------------------


def as_fragment(title: str, sections: Sections) -> str:
    """The report as a fragment of HTML, in which every text is escaped."""
    from markupsafe import Markup

    return _environment().get_template("fragment.html.j2").render(title=title, sections=sections, css=Markup(_style("blocks")))


def as_page(title: str, sections: Sections, *, note: str, footer: str, front: Sections | None = None) -> str:
    """The report as a whole page: it has no script, and its Content-Security-Policy allows its own style sheet and nothing else.

    With a ``front``, whose sections come first, the others are folded on the screen and follow on paper.
    """
    from markupsafe import Markup

    given = {"title": title, "sections": sections, "note": note, "footer": footer, "front": front}
    found = _environment().get_template("page.html.j2").render(given, css=Markup(_style("page") + _style("blocks")))
    return f"{found.strip()}\n"


def _style(name: str) -> str:
    return files("capstats.auditing").joinpath(f"templates/{name}.css").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    page = Environment(loader=PackageLoader("capstats.auditing"), autoescape=True, undefined=StrictUndefined)
    kinds: list[type[Block]] = [Facts, Picture, Terms, Listing, Alert, Headline, Scale, Dots]
    page.tests |= {kind.__name__.lower(): lambda block, kind=kind: isinstance(block, kind) for kind in kinds}
    page.filters |= {
        "shown": lambda text: shortened(printable(text).strip(), TEXT),
        "cell": lambda text: shortened(printable(text).strip(), CELL),
        "lines": lambda text: "\n".join(map(printable, text.splitlines())),
        "drawing": Markup,
        "percent": lambda place: f"{2 + 96 * place:.2f}%",
        "hash": lambda css: Markup("sha256-" + base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()),
    }
    return page
