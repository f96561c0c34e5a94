"""The lessons, and how a page is put together: one HTML file with its own style, script and numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from capstats.codes.names import hint
from capstats.lessons.given import given
from capstats.reports.blocks import environment
from capstats.tables.printing import unbroken


@dataclass(frozen=True)
class Lesson:
    """One lesson: its title, a sentence on what it shows, and how long it takes; a form, which asks nothing, takes none."""

    title: str
    sentence: str
    minutes: int = 10


LESSONS: Final[Mapping[str, Lesson]] = MappingProxyType(
    {
        "number": Lesson("What does my number mean?", "Type the numbers of a report, and see what they are high or low against.", 0),
        "hands": Lesson("CAP with your hands", "Move people between the cells of a small table and watch every risk change."),
        "average": Lesson(
            "The average hides people", "Two releases of the same 900 patients, and the average risk of each: which do you publish?"
        ),
        "guessing": Lesson(
            "Guessing is not predicting", "Another intruder names the commonest answer. Was the release that you published the safer one?"
        ),
        "law": Lesson(
            "Does a blind table pass?", "Draw releases that know nothing of anybody, and see how many are no riskier than the original."
        ),
        "protection": Lesson(
            "Choose your protection", "Turn a protection up: the average falls, people stay above one half, and utility is lost.", 15
        ),
        "tables": Lesson(
            "Three harmless tables", "Each of three tables by itself gives nobody away; together they tell how 14 of 30 people voted."
        ),
    }
)
"""The page on which one types numbers, and the lessons in the order in which they are best taken, by name."""

PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "number": ("blocks.css", "number.css", "number-typed.js", "number.js"),
    "hands": ("hands.css", "hands.js", "hands-controls.js", "hands-questions.js"),
    "average": ("average.css", "average.js", "average-people.js", "average-controls.js", "average-questions.js"),
    "guessing": ("figures.css", "guessing.css", "figures.js", "guessing.js", "guessing-questions.js"),
    "law": ("figures.css", "law.css", "figures.js", "laws.js", "law.js", "law-questions.js"),
    "protection": (
        *("figures.css", "protection.css", "figures.js", "protect.js", "noise.js", "plane.js"),
        *("protection.js", "protection-people.js", "protection-questions.js"),
    ),
    "tables": ("figures.css", "tables.css", "figures.js", "tables.js", "tables-questions.js"),
}
"""Style and scripts of each lesson in their order, after those of all lessons."""


def page(name: str, *, beside: Collection[str] = (), home: str = "") -> str:
    """A lesson as one HTML file, which loads nothing and asks for nothing.

    Write it to a file and open the file in a browser; it needs no network and no Python.

    Parameters
    ----------
    name : str
        One that ``capstats lesson`` lists.
    beside : collection of str
        Lessons whose files ``NAME.html`` are in the same folder, and to which the page may therefore link.
    home : str
        Address of a list of all lessons; without it the page lists the others with their commands. Where it is in another folder, the
        documentation is beside it.

    Returns
    -------
    str
        The text of the HTML file.

    Raises
    ------
    ValueError
        If there is no lesson of that name.

    Examples
    --------
    >>> page("hands").splitlines()[0]
    '<!DOCTYPE html>'
    """
    if name not in LESSONS:
        raise ValueError(f"There is no lesson {name!r}. The lessons are {', '.join(LESSONS)}.{hint(name, LESSONS)}")
    from markupsafe import Markup

    sources = ("common.css", "common.js", "questions.js", "cap.js", *PARTS[name])
    style, script = (joined([file for file in sources if file.endswith(ending)]) for ending in (".css", ".js"))
    following = dict(pairwise(LESSONS)).get(name)
    links = {"lessons": LESSONS, "following": following, "beside": beside, "home": home, "documents": home.rpartition("/")[0]}
    parts = {"style": Markup(style), "script": Markup(script), "given": given(name)}
    return rendered(name, name=name, lesson=LESSONS[name], **links, **parts)


def joined(sources: Iterable[str]) -> str:
    """Style sheets, or scripts, joined into one, as a page has them."""
    rooms = {file: "reports" if file == "blocks.css" else "lessons" for file in sources}  # a style sheet of both rooms
    texts = (files(f"capstats.{room}").joinpath("templates", file).read_text(encoding="utf-8").strip() for file, room in rooms.items())
    return unbroken("\n".join(f"\n{text}\n" for text in texts))


def rendered(template: str, /, **given: Any) -> str:
    """A page from its template."""
    templates = environment("capstats.lessons", trim_blocks=True, lstrip_blocks=True)
    return f"{unbroken(templates.get_template(f'{template}.html.j2').render(given).strip())}\n"
