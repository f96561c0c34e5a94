"""``capstats lesson`` and ``capstats browser``: pages for the browser, each written as one HTML file."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capstats.cli.options import Settings
from capstats.codes.names import printable
from capstats.lessons.browser import browser_page
from capstats.lessons.contents import contents
from capstats.lessons.pages import LESSONS, page
from capstats.sources.confidential import check_replaceable
from capstats.sources.disk import write_file


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """Return the list of lessons, or write some and return what was written."""
    names = settings.get("lesson")
    if not names:
        return listing(), 0
    if "all" in names:
        links: Any = {"beside": LESSONS, "home": "index.html"}
        pages = {"index": contents(), **{name: page(name, **links) for name in LESSONS}, "browser": browser_page(**links)}
    else:
        pages = {name: page(name, beside=names) for name in names}
    folder = Path(settings.get("out", "."))
    folder.mkdir(parents=True, exist_ok=True)
    return write_pages({folder / f"{name}.html": text for name, text in pages.items()}, settings, messages), 0


def browser(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """Write the page that counts two CSV files without Python; return what was written."""
    return write_pages({Path(settings.get("out", "browser.html")): browser_page()}, settings, messages), 0


def write_pages(pages: Mapping[Path, str], settings: Settings, messages: list[str]) -> str:
    """Write pages, open them or their index in the browser, unless --no-open is given, and return what was written."""
    check_replaceable((file, None) for file in pages)
    for file, text in pages.items():
        write_file(file, text, private=False)
    if settings.get("open", True):
        for file in [file for file in pages if file.name == "index.html"] or pages:
            if not webbrowser.open(file.resolve().as_uri()):
                messages.append(f"no browser was found to open {str(file)!r} in; a double click on the file opens it.")
    return "\n".join(f"Written: {printable(str(file))}" for file in pages)


def listing() -> str:
    """Names, titles and sentences of the lessons."""
    wide = max(map(len, LESSONS))
    lines = [f"{name:{wide}}  {lesson.title}\n{'':{wide}}  {lesson.sentence}" for name, lesson in LESSONS.items()]
    return "\n\n".join([*lines, "Write one and open it in the browser: capstats lesson hands"])
