"""The decision page leads to every public function; its chart leads to eight cards, and these to the other questions."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree as ET

import measures_of_counts
import pytest
from chromium import browser
from public_names import public_names

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "which-measure.md").read_text(encoding="utf-8")
QUESTIONS, _ = PAGE.split("## Every name\n")
CARDS, BEHIND = QUESTIONS.split("## Eight cards\n")[1].split("\n## ", maxsplit=1)
CHART = runpy.run_path(str(DOCS / "which_measure.py"))
LEAVES = [leaf for leaves in CHART["QUESTIONS"].values() for leaf in leaves]
MEASURES = ("anonymity", "attacks", "cap", "disclosure", "laws", "peers", "population", "screening")


def functions(*parts: str) -> set[str]:
    """Names of the public functions and classes that were written in one of these parts of capstats; all of them without any."""
    modules = tuple(f"capstats.{part}." for part in parts) or ("capstats.",)
    return {
        dotted.rpartition(".")[2]
        for dotted, x in public_names().items()
        if callable(x) and getattr(x, "__module__", "").startswith(modules)
    }


def headings(text: str) -> list[str]:
    return re.findall(r"^### (.*)$", text, re.M)


def test_every_measure_answers_a_question() -> None:
    measures = functions(*MEASURES)
    assert {"average_cap", "disco", "Law", "dp_audit", "model_attack", "as_synthpop"} <= measures
    assert {name for name in measures if f"`{name}`" not in QUESTIONS and f".{name}(" not in QUESTIONS} == set()


def test_every_measure_of_cap_and_disclosure_is_among_the_measures_of_counts() -> None:
    """But for those that take records or another measure, or give a value to each cell."""
    calls = Path(measures_of_counts.__file__).read_text(encoding="utf-8")
    left_out = {"by_group", "exclude", "individual_cap", "published_bounds", "record_risk", "summary"}
    assert {name for name in functions("cap", "disclosure") if name.islower() and not re.search(rf"\.{name}\b", calls)} == left_out


def test_every_public_function_is_on_the_page() -> None:
    lacking = {name for name in functions() if name.islower() and f"`{name}`" not in PAGE and f".{name}(" not in PAGE}
    assert lacking <= {"at_most", "observed_domain", "full_domain"}


def test_the_chart_has_at_most_eight_leaves_each_with_a_card_that_calls_its_function() -> None:
    assert [heading for heading, *_ in LEAVES] == headings(CARDS)
    assert len(LEAVES) <= 8
    for (*_, call), card in zip(LEAVES, re.split(r"^### ", CARDS, flags=re.M)[1:], strict=True):
        assert re.search(rf"\b{call.removesuffix('_sdmetrics')}\w*\(", card), call


def test_the_chart_is_up_to_date() -> None:
    assert CHART["PICTURE"].read_text(encoding="utf-8") == CHART["chart"]() + "\n", "python docs/which_measure.py draws it anew"
    for narrow in (False, True):
        links = [x.get("href") for x in ET.fromstring(CHART["chart"](narrow=narrow)).iter("{http://www.w3.org/2000/svg}a")]
        assert links == [CHART["anchor"](heading) for heading in headings(CARDS)]


def test_the_cards_link_to_the_questions_behind_them_in_their_order() -> None:
    links = re.findall(r"\[([^\]]*\?)\]\((#[^)]*)\)", "".join(re.findall(r"^More: .*?\n\n", CARDS, re.M | re.S)).replace("\n", " "))
    rest = headings("## " + BEHIND)
    first = ["Is that a lot?"]  # in the text of its card
    assert sorted(first + [title for title, _ in links]) == sorted(rest)
    assert [title for title, _ in links] == [title for title in rest if title not in first]
    for title, link in links:
        assert link == CHART["anchor"](title)


def test_every_question_says_how_to_read_its_number_and_what_it_does_not_say() -> None:
    for question in re.split(r"^### ", QUESTIONS, flags=re.M)[1:]:
        assert question.index("\n>>> ") < question.index("**Read it") < question.replace("\n", " ").index("**It does not say**")
        assert question.replace("\n", " ").index("**It does not say**") < question.index("Theory:")


def test_the_page_is_short() -> None:
    assert len(PAGE.split()) <= 3600
    for card in re.split(r"^### ", CARDS, flags=re.M)[1:]:
        assert len(card.split()) <= 200


@pytest.mark.chromium
def test_the_chart_is_legible_wide_and_narrow_and_is_used_with_the_keyboard(tmp_path: Path) -> None:
    css = (DOCS / "static" / "site.css").read_text(encoding="utf-8")
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><style>{css}</style><body>{CHART['inline']()}</body>", encoding="utf-8")
    with browser() as program:
        opened = program.new_page()
        for width in (1280, 375):
            opened.set_viewport_size({"width": width, "height": 900})
            opened.goto(page.as_uri())
            assert opened.evaluate("document.documentElement.scrollWidth") <= width
            assert opened.evaluate(
                """[...document.querySelectorAll('.chart')].filter(x => x.clientWidth).map(chart =>
                  [...chart.querySelectorAll('.box')].every(box => {
                    const line = box.nextElementSibling.getBoundingClientRect()
                    return line.height > 12 && line.right < box.getBoundingClientRect().right - 4
                  }))"""
            ) == [True]
            reached = []
            for _ in LEAVES:
                opened.keyboard.press("Tab")
                reached.append(opened.evaluate("document.activeElement.getAttribute('href')"))
            assert reached == [CHART["anchor"](heading) for heading, *_ in LEAVES]
