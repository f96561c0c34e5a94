"""``capstats browser``: a page that counts two CSV files without Python, written as one HTML file."""

from __future__ import annotations

from pathlib import Path

from capstats.cli.lesson import write_pages
from capstats.cli.options import Settings
from capstats.lessons.browser import browser_page


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """Write the page; return what was written."""
    return write_pages({Path(settings.get("out", "browser.html")): browser_page()}, settings, messages), 0
