"""What the notebooks say between their code: links that lead somewhere, pages that exist, maths and HTML that every reader shows."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from notebook_cells import NOTEBOOKS, ROOT, stored

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.M)
HTML = ["<details>", "<summary>", "</summary>", "</details>"]  # a folded solution
each_notebook = pytest.mark.parametrize("name", NOTEBOOKS)


def prose(name: str) -> str:
    """The Markdown cells without their code, fenced or not."""
    cells = [cell.source for cell in stored(name).cells if cell.cell_type == "markdown"]
    return re.sub(r"```.*?```|``.*?``|`[^`\n]*`", "", "\n\n".join(cells), flags=re.S)


def anchors(path: Path) -> set[str]:
    """Headings as links name them. Viewers of notebooks keep capitals, the site does not: those of notebooks must be the same for both."""
    text = prose(path.stem) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")
    names = [heading.strip().replace(" ", "-") for heading in HEADING.findall(text)]
    made = [re.sub(r"[^\w-]", "", heading).lower() for heading in names]
    statements = re.findall(r'^<a id="([\w-]+)"></a>$', text, flags=re.MULTILINE)
    return {x for x in made if x in names} if path.suffix == ".ipynb" else {*made, *statements}


@each_notebook
def test_links_of_a_notebook_lead_to_a_heading_of_the_project_or_to_what_lasts_and_no_page_is_only_named(name: str) -> None:
    assert [url for url in re.findall(r"https?://[^\s)>\"]+", prose(name)) if not url.startswith("https://doi.org/")] == []
    cells = "\n".join(cell.source for cell in stored(name).cells if cell.cell_type == "markdown")
    assert re.findall(r"`(?:theory/)?([\w-]+\.(?:md|ipynb))`", cells) == []
    here = NOTEBOOKS[name]
    for target in LINK.findall(prose(name)):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        path = (here.parent / file).resolve() if file else here
        assert path.is_file(), f"{name} links to {target}"
        assert path.is_relative_to(ROOT), target
        assert not anchor or anchor in anchors(path), f"{name} links to {target}"


@each_notebook
def test_maths_and_html_are_closed(name: str) -> None:
    text = prose(name).replace("\\$", "")
    for paragraph in re.split(r"\n\s*\n", text):
        assert paragraph.count("$") % 2 == 0, paragraph
    found = re.findall(r"</?[a-z]+>", text)
    assert set(found) <= set(HTML)
    assert [tag for tag in found if tag in HTML] == HTML * (len(found) // 4)


@each_notebook
def test_headings_come_one_level_after_another(name: str) -> None:
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose(name), flags=re.M)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
