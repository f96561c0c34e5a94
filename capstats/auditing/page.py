"""A report as HTML: a fragment for a notebook, and a page in one file that loads nothing and runs nothing."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from capstats.auditing.report import Facts, Listing, Picture, Sections, Terms
from capstats.codes.names import printable, shortened

if TYPE_CHECKING:
    from jinja2 import Environment

CELL = 160  # characters of a cell of a table
TEXT = 1500  # characters of a sentence; more is a label or a list of names that nobody reads


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
