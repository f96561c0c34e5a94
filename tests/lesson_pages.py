"""Lessons in Chromium: their questions, and the numbers that they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chromium import DRAWN

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

READ = "() => Object.fromEntries([...document.querySelectorAll('output[data-name]')].map(e => [e.dataset.name, Number(e.dataset.value)]))"
EACH = """async cases => {
  const found = [];
  for (const values of cases) {
    for (const [selector, value] of Object.entries(values)) {
      const control = document.querySelector(selector);
      control.value = value;
      control.dispatchEvent(new Event(control.tagName === 'SELECT' ? 'change' : 'input', {bubbles: true}));
    }
    await new Promise(requestAnimationFrame);
    found.push((READ)());
  }
  return found;
}""".replace("READ", READ)


def question(tab: Page, name: str) -> Locator:
    """A question of a lesson, on the screen."""
    found = tab.locator(f"[data-question={name}]")
    found.evaluate("question => { const folded = question.closest('details'); if (folded) folded.open = true; }")
    number = tab.locator(f"[data-go={name}]")
    if number.count():
        number.click()
    return found


def afresh(tab: Page) -> None:
    """Load the page again without the progress in its address."""
    tab.evaluate("history.replaceState(null, '', location.pathname)")
    tab.reload()


def judged(tab: Page, name: str, answer: Any = None) -> tuple[str, str]:
    """The state and the verdict after an answer: the value of a choice, or a number; none where the page is what is checked."""
    found = question(tab, name)
    if answer is not None:
        radio = (
            found.locator(f"input[type=radio][value='{answer}']") if isinstance(answer, str) else found.locator("input:not([type=radio])")
        )
        radio.check() if isinstance(answer, str) else radio.fill(repr(answer))
    found.locator("button[type=submit]").click()
    return str(found.get_attribute("data-state")), found.locator(".verdict").inner_text()


def wait_for(tab: Page, expression: str) -> None:
    """Wait until an expression holds. `wait_for_function` of playwright needs `eval` from its second look on, and pages forbid it."""
    for _ in range(600):
        if tab.evaluate(expression):
            return
        tab.wait_for_timeout(50)
    raise AssertionError(f"did not hold within half a minute: {expression}")


def numbers(tab: Page) -> dict[str, float]:
    """The numbers that a page shows, by name, after everything has been drawn."""
    tab.evaluate(DRAWN)
    return dict(tab.evaluate(READ))


def moved(tab: Page, *cases: dict[str, Any]) -> list[dict[str, float]]:
    """The numbers that a page shows after its controls, given by selectors, were moved to new values; for several cases in turn."""
    return list(tab.evaluate(EACH, [{selector: str(value) for selector, value in values.items()} for values in cases]))


def counts(**tables: Any) -> dict[str, int]:
    """The fields of tables that are typed in, and the counts that go into them: for `moved`."""
    found = {name: np.asarray(table) for name, table in tables.items()}
    return {f'[data-count="{name}-{i}-{j}"]': int(n) for name, table in found.items() for (i, j), n in np.ndenumerate(table)}


def agree(shown: dict[str, float], expected: dict[str, Any]) -> None:
    """Every number of the page is the expected one, to 1e-9; none lacks."""
    assert set(shown) == set(expected), set(shown) ^ set(expected)
    names = list(expected)
    np.testing.assert_allclose([shown[x] for x in names], [float(expected[x]) for x in names], rtol=1e-9, atol=1e-12, err_msg=str(names))


def agree_all(shown: list[dict[str, float]], expected: dict[str, Any]) -> None:
    """The same for a list of pages; what is expected has a value for each page, or one for all."""
    assert len(shown) > 1
    names = sorted(expected)
    assert all(sorted(numbers) == names for numbers in shown)
    wanted = np.stack([np.broadcast_to(np.asarray(expected[name], dtype=float), len(shown)) for name in names], axis=1)
    np.testing.assert_allclose([[numbers[name] for name in names] for numbers in shown], wanted, rtol=1e-9, atol=1e-12, err_msg=str(names))


SIZES = ((1280, 800), (1366, 768), (375, 740))
WORDS_BEFORE = """selector => {
  const moving = document.querySelector(selector);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (moving.contains(parent)) break;
    if (parent.closest('.skip, script, noscript, .unseen') || !parent.checkVisibility()) continue;
    words += walker.currentNode.data.split(/\\s+/).filter(Boolean).length;
  }
  return words;
}"""
IN_SIGHT = """selector => {
  const {top, bottom} = document.querySelector(selector).getBoundingClientRect();
  return scrollY === 0 && top >= 0 && bottom <= innerHeight;
}"""


def first_screen(tab: Page, moving: str, press: str) -> None:
    """The first thing that moves is in sight before and after the first press, without scrolling, after fewer than forty words."""
    for width, height in SIZES:
        tab.set_viewport_size({"width": width, "height": height})
        afresh(tab)
        tab.evaluate(DRAWN)
        assert tab.evaluate(WORDS_BEFORE, moving) < 40
        assert tab.evaluate(IN_SIGHT, moving), f"{moving} is not in sight at {width} x {height}"
        assert tab.evaluate(IN_SIGHT, press), f"{press} is not in sight at {width} x {height}"
        tab.locator(press).click()
        tab.evaluate(DRAWN)
        assert tab.evaluate(IN_SIGHT, moving), f"{moving} is not in sight at {width} x {height} after the press"
