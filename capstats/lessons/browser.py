"""The page that counts two CSV files in a browser: one HTML file, whose workers read the files, and which may open no connection."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from capstats.datasets import example
from capstats.lessons.pages import joined, rendered

TITLE: Final = "What does your synthetic file say about people?"
STYLE = ("common.css", "browser.css")
SCRIPT = ("common.js", "cap.js", "browser-results.js", "browser.js")
WORKER = (
    "cap.js",
    "browser-csv.js",
    "browser-count.js",
    "browser-measure.js",
    "browser-spellings.js",
    "browser-copies.js",
    "browser-worker.js",
)


def browser_page(*, beside: Collection[str] = (), home: str = "") -> str:
    """The page as text; it needs no network and no Python. `beside` and `home` are those of a lesson's page."""
    from markupsafe import Markup

    from capstats.auditing.measures import SENTENCES, words
    from capstats.tables.printing import SMALL

    texts = {"style": STYLE, "script": SCRIPT, "worker": WORKER}
    parts = {name: Markup(joined(files)) for name, files in texts.items()}
    given = {**_titanic(), "front": SENTENCES["front"], "copies": SENTENCES["copies"], "words": words([]), "small": SMALL}
    return rendered("browser", title=TITLE, given=given, beside=beside, home=home, documents=home.rpartition("/")[0], **parts)


def _titanic() -> dict[str, Any]:
    """The files of an example: the cells of each, with how often they occur before their labels."""
    given = example("titanic")
    cells, columns = given["original"], [*given["keys"], given["target"]]
    tables = {
        name: {"header": columns, "cells": cells.loc[cells[counts] > 0, [counts, *columns]].astype({counts: int}).values.tolist()}
        for name, counts in zip(("original", "synthetic"), given["counts"], strict=True)
    }
    return {**tables, "keys": given["keys"], "target": given["target"]}
