"""Lessons in Chromium: their questions, and the numbers that they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
NUMBERS = (
    """() => Object.fromEntries([...document.querySelectorAll('output[data-name]')].map(e => [e.dataset.name, Number(e.dataset.value)]))"""
)


def question(tab: Page, name: str) -> Locator:
    """A question of a lesson, on the screen."""
    found = tab.locator(f"[data-question={name}]")
    number = tab.locator(f"[data-go={name}]")
    if number.count():
        number.click()
    return found


def judged(tab: Page, name: str, answer: Any = None) -> tuple[str, str]:
    """The state and the verdict after an answer: the value of a choice, or a number; none where the page is what is checked."""
    found = question(tab, name)
    if answer is not None:
        radio = found.locator(f"input[type=radio][value={answer}]") if isinstance(answer, str) else found.locator("input:not([type=radio])")
        radio.check() if isinstance(answer, str) else radio.fill(repr(answer))
    found.locator("button[type=submit]").click()
    return str(found.get_attribute("data-state")), found.locator(".verdict").inner_text()


def numbers(tab: Page) -> dict[str, float]:
    """The numbers that a page shows, by name, after everything has been drawn."""
    tab.evaluate(FRAMES)
    return dict(tab.evaluate(NUMBERS))


def agree(shown: dict[str, float], expected: dict[str, Any]) -> None:
    """Every number of the page is the expected one, to 1e-9; none lacks."""
    assert set(shown) == set(expected), set(shown) ^ set(expected)
    names = list(expected)
    np.testing.assert_allclose([shown[x] for x in names], [float(expected[x]) for x in names], rtol=1e-9, atol=1e-12, err_msg=str(names))
