"""The picture of the README shows what the library computes: one average, different people."""

from __future__ import annotations

import runpy
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from capstats import average_cap, individual_cap

THESIS = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "thesis.py"))
SVG = "{http://www.w3.org/2000/svg}"
KEPT = THESIS["PICTURE"].read_text(encoding="utf-8")


def words(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ET.fromstring(svg).iter(f"{SVG}text")]


def dots(svg: str) -> list[str]:
    """The colour of each dot."""
    fills = [element.get("fill", "") for element in ET.fromstring(svg).iter(f"{SVG}use")]
    return [fill.upper() for fill in fills if fill.upper() in {THESIS["EXPOSED"], THESIS["OTHERS"]}]


@pytest.mark.slow
def test_the_picture_is_up_to_date() -> None:
    drawn = THESIS["picture"]()
    assert words(drawn) == words(KEPT), "python docs/thesis.py draws it anew"
    assert dots(drawn) == dots(KEPT), "python docs/thesis.py draws it anew"


def test_both_releases_have_the_same_average_and_expose_different_people() -> None:
    """S_b: 9/10 and more for 100 of 900 people, whose CAP is 213/231; S_g: at most 129/222."""
    both = THESIS["tables"]()
    averages = [average_cap(pair.o, pair.s).item() for pair in both.values()]
    assert averages == pytest.approx([1 / 3, 1 / 3], abs=1e-15)
    greatest = {label: individual_cap(pair.o, pair.s).max().item() for label, pair in both.items()}
    assert greatest == pytest.approx({"g": 129 / 222, "b": 213 / 231})


def test_it_shows_every_person_of_both_releases_and_says_the_numbers() -> None:
    shown = dots(KEPT)
    assert len(shown) == 2 * 900
    assert shown.count(THESIS["EXPOSED"]) == 2 * 100
    for text in ("average 0.333 in both", "Release S_g", "Release S_b", "with probability 0.58", "with probability 0.92"):
        assert text in words(KEPT)
    assert words(KEPT).count("100 people are guessed right") == 2


def test_its_colours_differ_in_grey_and_its_background_is_white_on_every_page() -> None:
    exposed, others = (np.dot(to_rgb(THESIS[name]), [0.299, 0.587, 0.114]) for name in ("EXPOSED", "OTHERS"))
    assert others - exposed > 0.15
    assert next(ET.fromstring(KEPT).iter(f"{SVG}path")).get("fill") == "#ffffff"
