"""The gallery shows every figure, and its code draws the pictures."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from capstats import plotting

GALLERY = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "gallery.py"))
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def used():
    return GALLERY["names"]()


def words(svg: str) -> set[str]:
    """What is written in a picture, without the numbers of its axes, which differ from one release of matplotlib to another."""
    texts = {"".join(element.itertext()) for element in ET.fromstring(svg).iter(f"{SVG}text")}
    return {text for text in texts if not re.fullmatch("[\N{MINUS SIGN}\\-\\d.,]*", text)}


def test_every_figure_is_in_the_gallery_once() -> None:
    assert sorted(GALLERY["EXAMPLES"]) == plotting.__all__
    assert sum(map(len, GALLERY["CHAPTERS"].values())) == len(plotting.__all__)


def test_the_page_is_up_to_date() -> None:
    page = GALLERY["PAGE"].read_text(encoding="utf-8")
    assert page == GALLERY["page"](), "python docs/gallery.py writes it anew"
    pictures = re.findall(r"\]\((.*?)\)", page)
    assert [GALLERY["PAGE"].parent / path for path in pictures] == [GALLERY["PICTURES"] / f"{name}.svg" for name in GALLERY["EXAMPLES"]]


def test_there_is_a_small_picture_of_each_figure_and_no_other() -> None:
    assert sorted(path.stem for path in GALLERY["PICTURES"].iterdir()) == plotting.__all__
    assert max(path.stat().st_size for path in GALLERY["PICTURES"].iterdir()) < 60_000


@pytest.mark.parametrize("name", plotting.__all__)
def test_the_code_draws_the_picture_with_its_own_function(name: str, used: dict[str, object]) -> None:
    kept = (GALLERY["PICTURES"] / f"{name}.svg").read_text(encoding="utf-8")
    assert f"plotting.{name}(" in GALLERY["EXAMPLES"][name]
    assert words(GALLERY["picture"](name, used)) == words(kept), "python docs/gallery.py draws it anew"
    assert len(words(kept)) >= 2
