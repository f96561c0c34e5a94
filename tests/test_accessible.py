"""Everybody can use the pages: WCAG 2.2, level AA, light, dark, in contrast themes and narrow; by axe-core and by what it leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from accessible import audited, contrast, faint_marks, heard, luminous, outline, small_targets
from chromium import DRAWN, browser, opened
from lesson_pages import wait_for
from read_reports import public

from capstats import audit
from capstats.datasets import anes96
from capstats.lessons.browser import browser_page
from capstats.lessons.contents import contents
from capstats.lessons.pages import LESSONS, page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.chromium, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]
FIRST = {"average": "[data-vote=A]", "number": "#example", "browser": "#example"}  # the first press; of other lessons the guess
SHOWN = "for (const fold of document.querySelectorAll('details, .question')) { fold.open = true; fold.classList.add('now'); }"
DECORATION = ".tick, .fails-here, [stroke='#e6e6e6']"  # lines that guide the eye, and a band whose line and words say the same
REPORTS = {"report", "report of four", "public report"}
LETTERS = """() => [...document.querySelectorAll('figure svg text')].map(text => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  return 0.75 * parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b);
})"""  # in points


@pytest.fixture(scope="module")
def program() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """All kinds of pages that the library writes."""
    people = anes96().sample(frac=1, random_state=1)
    asked = {"keys": ["educ", "PID"], "target": "vote", "progress": False}
    one = audit(people[:500], people[250:750], holdout=people[500:], **asked)
    four = audit(people[:500], {f"release {i}": people[20 * i : 20 * i + 400] for i in range(4)}, against="release 3", **asked)
    reports = {"report": one.to_html(), "report of four": four.to_html(), "public report": public(one)}
    return {name: page(name) for name in LESSONS} | {"browser": browser_page(), "contents": contents()} | reports


def pressed(tab: Page, name: str) -> None:
    """The first press, by the keyboard, and what moves after it."""
    if name in REPORTS | {"contents"}:
        return
    tab.locator(FIRST.get(name, ".predict button")).press("Enter")
    if name == "browser":
        wait_for(tab, "!document.querySelector('#results').hidden")
    wait_for(tab, "document.getAnimations().every(one => one.playState !== 'running')")
    tab.evaluate(DRAWN)


@pytest.mark.parametrize("name", [*LESSONS, "browser", "contents", *sorted(REPORTS)])
def test_a_page_keeps_nobody_out_before_and_after_the_first_press(
    name: str, pages: dict[str, str], program: Browser, tmp_path: Path
) -> None:
    wrong = []
    with opened(program, tmp_path, pages[name]) as tab:
        for when in ("before", "after"):
            if when == "after":
                pressed(tab, name)
                if not tab.evaluate("document.activeElement !== document.body || !document.querySelector('button')"):
                    wrong.append("the focus is lost")
                tab.evaluate(SHOWN)
            for scheme, forced in (("light", "none"), ("dark", "none"), ("light", "active"), ("dark", "active")):
                tab.emulate_media(color_scheme=scheme, forced_colors=forced)
                tab.evaluate(DRAWN)
                found = [
                    *audited(tab, *(() if (scheme, forced) == ("light", "none") else ("color-contrast",))),
                    *faint_marks(tab, DECORATION),
                ]
                wrong += [f"{when}, {scheme}, forced {forced}: {what}" for what in found]
            tab.emulate_media(color_scheme="light", forced_colors="none")
            wrong += [f"{when}: {what}" for what in outline(tab) + small_targets(tab)]
            tab.set_viewport_size({"width": 320, "height": 800})
            tab.evaluate(DRAWN)
            wrong += [f"{when}, 320 pixels: {what}" for what in audited(tab) + outline(tab) + small_targets(tab)]
            tab.set_viewport_size({"width": 1280, "height": 900})
    assert wrong == []


@pytest.mark.parametrize("name", [*LESSONS, "browser"])
def test_a_press_says_one_sentence_and_every_button_says_something(
    name: str, pages: dict[str, str], program: Browser, tmp_path: Path
) -> None:
    with opened(program, tmp_path, pages[name]) as tab:
        pressed(tab, name)
        tab.evaluate(SHOWN)
        assert heard(tab) == []


def test_a_contrast_theme_shows_the_marks_and_what_is_chosen(pages: dict[str, str], program: Browser, tmp_path: Path) -> None:
    seen = {
        "browser": [".dots .dot.sure", ".dots .dot.half", ".dots .dot.others", ".swatch", ".release .at"],
        "report": [".release svg path", "dl.dots [aria-hidden]"],
        "protection": [".track[data-bar=risk]"],
    }
    chosen = {
        "average": ("[data-vote=A]", "[data-vote=B]"),
        "guessing": ("#presets [aria-pressed=true]", "#presets [aria-pressed=false]"),
        "law": ("#originals input:checked + span", "#originals input:not(:checked) + span"),
        "tables": (".numbers-of-questions [aria-current]", ".numbers-of-questions :not([aria-current])"),
    }
    for name in seen.keys() | chosen.keys():
        with opened(program, tmp_path, pages[name]) as tab:
            pressed(tab, name)
            tab.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
            for scheme in ("light", "dark"):
                tab.emulate_media(color_scheme=scheme, forced_colors="active")
                for selector in seen.get(name, ()):
                    assert contrast(tab, selector) >= 3, (name, selector)
                if name in chosen:
                    one, other = (luminous(tab, selector)[0].mean() for selector in chosen[name])
                    ratio = (max(one, other) + 0.05) / (min(one, other) + 0.05)
                    assert ratio > 1.5, (name, chosen[name], ratio)


def test_the_spin_buttons_of_people_count_and_have_names_of_their_own(pages: dict[str, str], program: Browser, tmp_path: Path) -> None:
    with opened(program, tmp_path, pages["hands"]) as tab:
        pressed(tab, "hands")
        names = tab.locator(".board [aria-label]").evaluate_all("all => all.map(one => one.ariaLabel)")
        assert len(names) == len({*names}) == 24
        place = tab.locator("[data-cell=o-0-0] .place")
        place.focus()
        start = int(place.get_attribute("aria-valuenow") or "")
        for key, wanted in (("ArrowUp", start + 1), ("ArrowDown", start), ("ArrowRight", start + 1), ("End", 60), ("Home", 0)):
            tab.keyboard.press(key)
            tab.evaluate(DRAWN)
            assert place.get_attribute("aria-valuenow") == str(wanted), key
            assert tab.evaluate("document.activeElement.className") == "place"


@pytest.mark.parametrize(
    ("name", "field", "most"), [("hands", "[data-count=o-0-0]", 60), ("average", "[data-count=o-0-0]", 999), ("law", "[data-cell]", 999)]
)
def test_a_count_out_of_range_is_answered_where_it_was_typed(
    name: str, field: str, most: int, pages: dict[str, str], program: Browser, tmp_path: Path
) -> None:
    with opened(program, tmp_path, pages[name]) as tab:
        pressed(tab, name)
        tab.evaluate(SHOWN)
        if name == "law":
            tab.locator("#originals [value=own]").check()
        count = tab.locator(field).first
        was = count.input_value()
        for typed in (str(most + 1), "-1", ""):
            count.fill(typed)
            count.press("Tab")
            said = tab.locator("[role=alert]:not(:empty)")
            assert said.inner_text() == f"{typed or 'Nothing'} is no whole number from 0 to {most}: it is {was} again."
            assert (count.input_value(), count.get_attribute("aria-invalid")) == (was, "false")
        count.fill(was)
        count.press("Tab")
        assert said.count() == 0


def test_the_nearest_dot_of_the_browser_page_is_taken(pages: dict[str, str], program: Browser, tmp_path: Path) -> None:
    with opened(program, tmp_path, pages["browser"]) as tab:
        pressed(tab, "browser")
        for dot in tab.locator(".dots .dot").all()[::20]:
            dot.scroll_into_view_if_needed()
            box = dot.bounding_box() or {}
            tab.mouse.click(box["x"] + box["width"] + 1, box["y"] + box["height"] / 2 + 1)
            assert tab.inner_text("#person") == dot.get_attribute("aria-label")
            assert tab.locator(".dot.chosen").get_attribute("aria-label") == dot.get_attribute("aria-label")


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_a_printed_report_is_not_made_smaller_and_its_figures_can_be_read(
    name: str, pages: dict[str, str], program: Browser, tmp_path: Path
) -> None:
    with opened(program, tmp_path, pages[name], width=680) as tab:  # what 180 mm of A4 hold
        tab.emulate_media(media="print")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 680
        assert min(tab.evaluate(LETTERS)) >= 6
