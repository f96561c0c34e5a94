"""A loud button is one that should be pressed: not yet the next lesson, and not Count before there are files."""

import pytest
from chromium import browser
from lesson_pages import opened

from capstats.lessons.browser import browser_page
from capstats.lessons.pages import LESSONS, page

pytestmark = pytest.mark.chromium
LOUD = """() => [...document.querySelectorAll("button, .button")].filter((one) => one.offsetParent
  && getComputedStyle(one).backgroundColor === "rgb(10, 92, 148)").map((one) => one.textContent.trim())"""


@pytest.mark.parametrize("name", ["hands", "average"])
def test_the_next_lesson_is_loud_once_an_answer_is_right(name, tmp_path):
    with browser() as program, opened(program, tmp_path, page(name, beside=LESSONS)) as tab:
        assert not any(text.startswith("Next lesson") for text in tab.evaluate(LOUD))
        tab.evaluate("document.querySelector('.question').dataset.state = 'right'")
        assert any(text.startswith("Next lesson") for text in tab.evaluate(LOUD))


def test_the_example_is_loud_until_there_are_files(tmp_path):
    with browser() as program, opened(program, tmp_path, browser_page()) as tab:
        assert tab.evaluate(LOUD) == ["Show an example: who survived on the Titanic"]
        tab.click("#example")
        tab.wait_for_selector("#results:not([hidden])")
        assert "Count" in tab.evaluate(LOUD)
