"""The picture of the README shows what the library computes: the lower average exposes 93 people."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from accessible import luminance
from chromium import browser

from capstats import audit, average_cap, individual_cap
from capstats.datasets import example
from capstats.tables.printing import percent

THESIS = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "thesis.py"))
SVG = "{http://www.w3.org/2000/svg}"
KEPT = ET.fromstring(THESIS["PICTURE"].read_text(encoding="utf-8"))
WORDS = ["".join(element.itertext()) for element in KEPT.iter(f"{SVG}text")]


def dots(kind: str) -> list[int]:
    """The number of dots of each heap of this class, in the order of the picture."""
    return [path.attrib["d"].count("h0") for path in KEPT.iter(f"{SVG}path") if path.get("class") == kind]


def test_the_picture_is_up_to_date() -> None:
    for drawn, kept in (("picture", "PICTURE"), ("sample", "SAMPLE")):
        assert THESIS[drawn]() == THESIS[kept].read_text(encoding="utf-8"), "python docs/thesis.py draws it anew"


def test_the_lower_average_exposes_93_people_and_the_higher_one_nobody() -> None:
    both = THESIS["tables"]()
    averages = {label: average_cap(one.o, one.s).item() for label, one in both.items()}
    assert averages == pytest.approx({"A": 0.307, "B": 0.349}, abs=5e-4)
    individual = {label: individual_cap(one.o, one.s).where(one.o > 0) for label, one in both.items()}
    exposed = individual["A"] == individual["A"].max()
    assert both["A"].o.where(exposed).sum().item() == 93
    assert individual["A"].max().item() == pytest.approx(213 / 231)
    assert individual["B"].where(exposed).max().item() == individual["B"].max().item() == pytest.approx(147 / 299)


def test_it_shows_every_person_of_both_releases_and_says_the_numbers() -> None:
    assert sum(dots("people")) + sum(dots("people exposed")) == 2 * 900
    assert dots("people exposed") == [93, 93]
    for text in (
        "The lower average exposes 93 people",
        "average 31 %",
        "average 35 %",
        "93 people over 65",
        "with asthma: right",
        "in 92 of 100 tries",
        "the same 93: 49 %",
    ):
        assert text in WORDS


@pytest.mark.chromium
def test_no_word_is_cut_off_nor_lies_on_a_dot() -> None:
    """Also where Arial is not there, and a wider font is used."""
    boxes = "texts => texts.map(text => { const box = text.getBBox(); return [text.textContent, box.x, box.x + box.width]; })"
    with browser() as program:
        page = program.new_page()
        page.set_content(THESIS["PICTURE"].read_text(encoding="utf-8"))
        page.add_style_tag(content="text { font-family: 'DejaVu Sans', Verdana, sans-serif !important }")
        ends = page.locator("text").evaluate_all(boxes)
    assert len(ends) == len(WORDS)
    assert [text for text, left, right in ends if left < 4 or right > 396] == []
    assert (
        min(left for text, left, _ in ends if text in ("93 people over 65", "with asthma: right", "in 92 of 100 tries"))
        > THESIS["place"](0.5) + 10
    )


def places() -> list[float]:
    """The risk at which each dot lies, in the order of the picture."""
    xs = [float(x) for path in KEPT.iter(f"{SVG}path") for x in re.findall(r"M([\d.]+) [\d.]+h0", path.attrib["d"])]
    return [(x - THESIS["LEFT"]) / THESIS["WIDTH"] for x in xs]


def test_every_dot_lies_where_people_are_and_on_their_side_of_one_half() -> None:
    """Within two points, the width of a heap: the least risk with B is 17.7%."""
    found = places()
    assert [sum(at > 0.5 for at in ats) for ats in (found[:900], found[900:])] == [78 + 93, 0]
    for one, ats in zip(THESIS["tables"]().values(), (found[:900], found[900:]), strict=True):
        risks = individual_cap(one.o, one.s).values[one.o.values > 0]
        assert max(abs(risks - at).min() for at in ats) < 0.021
    assert min(found[900:]) > 0.157


@pytest.mark.parametrize("scheme", ["LIGHT", "DARK"])
def test_words_and_dots_can_be_read_in_the_light_and_in_the_dark(scheme: str) -> None:
    """The contrasts that WCAG asks for: 4.5 of words, 3 of shapes."""

    def contrast(name: str) -> float:
        one, other = sorted((luminance(THESIS[scheme][name]), luminance(THESIS[scheme]["paper"])))
        return (other + 0.05) / (one + 0.05)

    assert contrast("ink") > 4.5
    assert contrast("hit") > 4.5
    assert contrast("quiet") > 3


def test_it_says_everything_from_its_first_frame() -> None:
    style = "".join(element.text or "" for element in KEPT.iter(f"{SVG}style"))
    assert not re.search("animation|transition|opacity|@keyframes", style)


def test_the_scale_of_the_sample_is_that_of_its_report() -> None:
    measures = audit(**example("anes96")).measures
    values = [measures[name].item() for name in ("baseline", "average_cap_nearest", "original_cap")]
    root = ET.fromstring(THESIS["SAMPLE"].read_text(encoding="utf-8"))
    said = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert [word for word in said if word.endswith("%")][:3] == [*map(percent, values)] == ["51.4 %", "77.5 %", "84.8 %"]
