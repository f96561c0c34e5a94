"""Parts of a report: sections of paragraphs, facts, tables and pictures; as text, and as HTML that loads and runs nothing."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capstats.codes.labels import in_json
from capstats.codes.names import in_cell, printable, printable_json, shortened
from capstats.sources.disk import write_file
from capstats.tables import printing
from capstats.tables.printing import Column, lines_of, many, unbroken
from capstats.tables.project import described, project

if TYPE_CHECKING:
    from jinja2 import Environment

SIGNS = "#+."  # dots of three kinds, in text
PARTS = "*-'"  # of each kind the last one, for a smaller share
STRIP = 48  # characters of a scale, in text
WIDTH = 100  # characters of a line of text
LABEL = 24  # characters of the label of a row, at most
HEADING = 40  # characters of a heading beside its text, at most
DOTS = "..."  # for omitted text
CELL = 160  # characters of a cell of a table of HTML
SHORT = {("Grid", "head"), ("Grid", "rows"), ("Headline", "number"), ("Headline", "of")}  # texts that are cells of a page
TEXT = 1500  # characters of a sentence; more is a label or a list of names that nobody reads


@dataclass(frozen=True)
class Facts:
    """Short headings, each with a text of any length; an empty heading continues the one before."""

    rows: Sequence[tuple[str, str]]

    def lines(self) -> list[str]:
        """The block as text."""
        heads, lines = [printable(name) for name, _ in self.rows], list[str]()
        wide = min(max(map(len, heads)), HEADING) + 2
        for head, (_, text) in zip(heads, self.rows, strict=True):
            first, *rest = wrapped(text, WIDTH - 2 - wide)
            own = [head] if len(head) > HEADING else []  # a line of its own
            lines += [*own, f"{'' if own else head:<{wide}}{first}", *(" " * wide + line for line in rest)]
        return lines


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

    def lines(self) -> list[str]:
        """The block as text."""
        rows = [[cell if cell.isprintable() else printable(cell) for cell in row] for row in [self.head, *self.rows]]
        label, *columns = (Column("", head, cells) for head, *cells in zip(*rows, strict=True))
        lines = lines_of([label], columns)[not any(rows[0]) :]  # without an empty line of headings
        return [*(wrapped(f"{self.caption}:") if self.caption else []), *lines]


@dataclass(frozen=True)
class Picture:
    """A drawing for a page: the SVG element, which says in words what it shows, and the line below it."""

    svg: str
    caption: str

    def lines(self) -> list[str]:
        """The block as text."""
        return wrapped(f"Figure: {self.caption}")


@dataclass(frozen=True)
class Terms:
    """Terms, each with what it means and where to read more: the address of a source, or None for a page of the documentation."""

    rows: Sequence[tuple[str, str, Sequence[tuple[str, str | None]]]]

    def lines(self) -> list[str]:
        """The block as text."""
        return Facts([(term, " ".join([meaning, *(text for text, _ in more)])) for term, meaning, more in self.rows]).lines()


@dataclass(frozen=True)
class Listing:
    """Lines that are shown as they are, such as settings."""

    text: str

    def lines(self) -> list[str]:
        """The block as text."""
        return [printable(line) for line in self.text.splitlines()]


@dataclass(frozen=True)
class Alert:
    """What a reader must not overlook, in a box, which a ``grave`` one has in colour."""

    text: str
    grave: bool = True

    def lines(self) -> list[str]:
        """The block as text."""
        return wrapped(f"! {self.text}")


@dataclass(frozen=True)
class Headline:
    """Large numbers, the sentence that they begin, or that has them if it is ``whole``, and what both are about, if that must be said."""

    number: str
    text: str
    of: str = ""
    whole: bool = False

    def lines(self) -> list[str]:
        """The block as text."""
        return wrapped(f"{self.of}{': ' * bool(self.of)}{'' if self.whole else f'{self.number} '}{self.text}")


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

    def lines(self) -> list[str]:
        """The block as text."""
        names = [printable(mark.name) for mark in self.marks]
        own = [self._sign(mark.at) for mark in self.marks if not mark.is_release]
        wide, lines = max(map(len, names)), []
        for name, mark in zip(names, self.marks, strict=True):
            line = [":" if i in own else "." for i in range(STRIP)]
            if mark.since is not None:
                start, end = sorted((self._sign(mark.at), self._sign(mark.since)))
                line[start : end + 1] = "=" * (end + 1 - start)
            for place in (mark.at, *mark.also):
                line[self._sign(place)] = "#" if mark.is_release else "|"
            lines.append(f"{name:<{wide}}  {''.join(line)}  {mark.number}")
        return [*lines, *wrapped(self.caption)]

    def _sign(self, at: float) -> int:
        """The character at which a number is."""
        return round(self.place(at) * (STRIP - 1))


@dataclass(frozen=True)
class Dots:
    """Groups of people: a name, numbers of dots of three kinds, and what they are in words; what the kinds mean.

    A number that is not whole ends in a smaller dot, whose area is the rest.
    """

    rows: Sequence[tuple[str, Sequence[float], str]]
    kinds: Sequence[str]
    caption: str

    @property
    def has_parts(self) -> bool:
        """Whether a dot is smaller than the others."""
        return any(number % 1 for _, numbers, _ in self.rows for number in numbers)

    @staticmethod
    def tenths(number: float) -> int:
        """The diameter of the last dot in tenths of that of a whole one, at least 3, to be seen; 0 where there is none."""
        return max(3, round(10 * math.sqrt(number % 1))) if number % 1 else 0

    def lines(self) -> list[str]:
        """The block as text."""
        lines, room = [], WIDTH - 4
        for name, numbers, text in self.rows:
            dots = "".join(sign * int(number) + part * bool(number % 1) for sign, part, number in zip(SIGNS, PARTS, numbers, strict=True))
            lines += [*wrapped(f"{name}: {text}"), *(f"  {dots[i : i + room]}" for i in range(0, len(dots), room))]
        kinds = ", ".join(f"{sign} {kind}" for sign, kind in zip(SIGNS, self.kinds, strict=True))
        fewer = f"; {' '.join(PARTS)} for fewer" if self.has_parts else ""
        return [*lines, *wrapped(f"{kinds}. {self.caption}{fewer}.")]


Block = str | Facts | Grid | Picture | Terms | Listing | Alert | Headline | Scale | Dots
Sections = Mapping[str, Sequence[Block]]


class Report:
    """What prints as a report: as text in a terminal, as HTML in a notebook, and as JSON for programs."""

    def title(self) -> str:
        """The first line of the report."""
        raise NotImplementedError

    def sections(self, *, whole: bool = False) -> Sections:
        """What the report says, under its headings; as a ``whole`` in a page, while a text may end after some rows."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain numbers and texts; what is undefined is None."""
        raise NotImplementedError

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as an HTML page in one file, as confidential as the original; its owner alone can read the file at `path`."""
        note, footer = "Confidential, as the original is.", "Confidential."
        page = as_page(self.title(), self.sections(whole=True), note=note, footer=footer)
        if path is not None:
            write_file(path, page)
        return page

    def to_json(self) -> str:
        """The same as JSON text, with escapes in place of what is not printable."""
        return printable_json(self.to_dict(), default=lambda x: x.item() if hasattr(x, "item") else str(x))

    def __repr__(self) -> str:
        return as_text(self.title(), self.sections())

    def _repr_html_(self) -> str:
        return as_fragment(self.title(), self.sections())


def plain(value: Any, *, infinite: str | None = None) -> Any:
    """A value as JSON has it, with what is said of infinite numbers; what is undefined or missing is None."""
    if isinstance(value, Mapping):
        return {str(key): plain(x, infinite=infinite) for key, x in value.items()}
    if hasattr(value, "tolist") and not isinstance(value, np.generic):  # an array
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(x, infinite=infinite) for x in value]
    value = in_json(value)
    return infinite if isinstance(value, float) and not math.isfinite(value) else value


def beside(labels: Sequence[str], columns: Iterable[Sequence[str]]) -> list[Grid]:
    """Columns beside the labels of their rows, each with its heading first, split into tables that fit the width of a line."""
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


def not_shown(number: int, what: str, end: str = ".") -> list[Block]:
    """How many things are left out, if any are."""
    return [f"Not shown: {many(number, what)}{end}"] if number > 0 else []


def headings(labels: Sequence[str], longest: int = LABEL) -> list[str]:
    """The labels of the synthetic tables as headings of rows: numbered and shortened where one is too long."""
    shown = [in_cell(label) if label else "" for label in labels]
    if max(map(len, shown)) <= longest:
        return shown
    room = longest - len(f"{len(shown)} ")
    first, last = (_alike(texts) for texts in (shown, [text[::-1] for text in shown]))
    differ = max(map(len, shown)) - first - last  # characters of the part in which they differ
    start = first - min(first, max(room - differ - 2 * len(DOTS), 0))  # with as much before it as there is room for
    texts = [DOTS * bool(start) + text[start:] for text in shown]
    if differ + 2 * len(DOTS) > room:
        texts = [shortened(text[first : len(text) - last] or text, room) for text in shown]
    return [f"{i} {text if len(text) <= room else text[: room - len(DOTS)] + DOTS}" for i, text in enumerate(texts, 1)]


def _alike(texts: Sequence[str]) -> int:
    """How many characters the texts have in common at their start."""
    return sum(1 for _ in takewhile(lambda signs: len(set(signs)) == 1, zip(*texts, strict=False)))


def as_text(title: str, sections: Sections) -> str:
    """The report as lines of at most ``WIDTH`` characters, unless a table needs more."""
    lines = [printable(title)]
    for name, blocks in sections.items():
        lines += ["", printable(name)]
        for i, block in enumerate(blocks):
            lines += [""] * bool(i) + [f"  {x}".rstrip() for x in (wrapped(block) if isinstance(block, str) else block.lines())]
    return "\n".join(lines)


def wrapped(text: str, width: int = WIDTH - 2) -> list[str]:
    """A text as lines."""
    return printing.wrapped(printable(text), width, whole_words=True) or [""]


# --- HTML -------------------------------------------------------------------------------------------------------------


def as_fragment(title: str, sections: Sections) -> str:
    """The report as a fragment of HTML, in which every text is escaped."""
    return _rendered("fragment", ["blocks"], title=title, sections=sections)


def as_page(title: str, sections: Sections, *, note: str, footer: str, front: Sections | None = None) -> str:
    """The report as a whole page: it has no script, and its Content-Security-Policy allows its own style sheet and nothing else.

    With a ``front``, whose sections come first, the others are folded on the screen and follow on paper.
    """
    found = _rendered("page", ["page", "blocks"], title=title, sections=sections, note=note, footer=footer, front=front)
    return f"{found.strip()}\n"


def _rendered(template: str, styles: Sequence[str], **given: Any) -> str:
    """A template of the room with these style sheets, and what it is given as HTML has it."""
    from markupsafe import Markup

    css = "".join(files("capstats.reports").joinpath(f"templates/{name}.css").read_text(encoding="utf-8") for name in styles)
    page = environment("capstats.reports").get_template(f"{template}.html.j2")
    return unbroken(page.render({name: _in_html(x) for name, x in given.items()}, css=Markup(css)))


@cache
def environment(room: str, **how: Any) -> Environment:
    """The Jinja environment of the templates of a room."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    page = Environment(loader=PackageLoader(room), autoescape=True, undefined=StrictUndefined, **how)
    page.globals |= {"project": project, "described": described}
    page.filters |= {
        "cell": lambda text: _shown(text, CELL),
        "percent": lambda place: f"{2 + 96 * place:.2f}%",
        "hash": lambda text: Markup("sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()),
    }
    return page


def _in_html(given: Any, most: int = TEXT) -> Any:
    """Texts as a page has them, each on one line of at most the given number of characters: those of all blocks of all sections."""
    from markupsafe import Markup

    if isinstance(given, str):
        return _shown(given, most)
    if isinstance(given, Mapping):
        return {_in_html(name, CELL): _in_html(blocks) for name, blocks in given.items()}
    if isinstance(given, (list, tuple)):
        return [_in_html(x, most) for x in given]
    if isinstance(given, Picture):
        return replace(given, svg=Markup(given.svg), caption=_in_html(given.caption))
    if isinstance(given, Listing):
        return Listing("\n".join(given.lines()))
    if is_dataclass(given) and not isinstance(given, type):
        own = {name: _in_html(x, CELL if (type(given).__name__, name) in SHORT else TEXT) for name, x in vars(given).items()}
        return replace(given, **own)
    return given


def _shown(text: str, most: int) -> str:
    """A text on one line of at most the given number of characters, with escapes in place of what is not printable."""
    if text.isprintable() and len(text) <= most:
        return text
    return shortened(printable(text).strip(), most)
