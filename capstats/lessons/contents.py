"""The list of lessons and forms, with a small picture of each: columns of dots from its numbers, some of which stand out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from capstats.cap.average import average_cap, correct_predictions
from capstats.cap.baselines import baseline_cap
from capstats.cap.individual import individual_cap
from capstats.counting.tabulate import tabulate
from capstats.datasets import example, paper_originals, paper_synthetics
from capstats.laws.models.pram import Pram
from capstats.laws.moments.expected import expected_cap
from capstats.lessons.browser import TITLE
from capstats.lessons.given import VOTED, given
from capstats.lessons.pages import LESSONS, Lesson, joined, rendered

Columns = Sequence[tuple[int, int]]  # of each the dots, and above them those that stand out
HIGH = 8  # dots of the highest column


def contents() -> str:
    """A page that links to all lessons in its folder, the `home` of each, and then to the forms."""
    from markupsafe import Markup

    pages = {**LESSONS, "browser": Lesson(TITLE, "Choose two CSV files; they do not leave the browser.", 0)}
    style = Markup(joined(["common.css", "contents.css"]))
    return rendered("contents", pages=pages.items(), pictures=pictures(), style=style)


def pictures() -> dict[str, Columns]:
    """The columns of each page by its name."""
    clinic = paper_originals().sel(original="O_3", drop=True)
    releases = {name: paper_synthetics().sel(synthetic=name, drop=True) for name in "bg"}
    risks = individual_cap(clinic, releases["b"]).values.ravel()
    people, _ = np.histogram(risks, weights=clinic.values.ravel(), bins=10, range=(0, 1))
    law = given("law")["originals"]["O_4"]
    at, density = (np.array(values)[::22] for values in (np.linspace(law["least"], law["greatest"], len(law["density"])), law["density"]))
    left = [expected_cap(clinic, Pram(theta=theta)).item() - baseline_cap(clinic).item() for theta in np.linspace(0, 1, 11)]
    table = np.ravel(given("hands")["o"], order="F")
    voters = np.array([votes for party in VOTED for votes in party])
    return {
        "hands": [(0, int(n)) if n == table.min() else (int(n), 0) for n in table],
        "average": columns(people, np.arange(10) == 9),
        "guessing": columns([correct_predictions(clinic, release).item() for release in releases.values()], [False, True]),
        "law": columns(density, at > law["itself"]),
        "protection": columns(left, np.arange(11) == 0),
        "tables": columns(voters.sum(axis=1), voters.min(axis=1) == 0),
        "number": of_example("anes96"),
        "browser": of_example("titanic"),
    }


def columns(heights: ArrayLike, marked: ArrayLike) -> Columns:
    """Columns of these heights, the highest of `HIGH` dots; those that are marked stand out."""
    dots = np.ceil(HIGH * np.asarray(heights) / np.max(heights)).astype(int)
    return [(0, int(n)) if stands_out else (int(n), 0) for n, stands_out in zip(dots, np.asarray(marked), strict=True)]


def of_example(name: Literal["titanic", "anes96"]) -> Columns:
    """The scale of a report: the guess without data, the release, the original itself."""
    tables = tabulate(**{key: value for key, value in example(name).items() if key != "provenance"})
    release = average_cap(tables.o, tables.s, unmatched="nearest").item()
    return columns([baseline_cap(tables.o).item(), release, average_cap(tables.o, tables.o).item()], [False, True, False])
