"""Lessons in Chromium: their questions, and the numbers that they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chromium import DRAWN, opened

from capstats.tables.printing import percent, unbroken

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

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
    fold = tab.locator("details:not([open])", has=found)
    if fold.count():
        fold.locator("summary").click()
    number = tab.locator(f"[data-go={name}]:not([aria-current])")
    if number.count():
        number.click()
    return found


PREDICT = "for (const asks of document.querySelectorAll('.predict button, [data-vote=A]')) asks.click()"


def predicted(tab: Page) -> None:
    """Make the predictions of a page with their marks where they are, or vote, so that nothing of it is hidden."""
    tab.evaluate(PREDICT)


WORDS = """selector => {
  const moving = document.querySelector(selector), found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, text => {
    const inside = text.parentElement, box = inside.getBoundingClientRect();
    const seen = inside.checkVisibility({visibilityProperty: true}) && box.right > 0 && !inside.closest('noscript, svg');
    const before = moving.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_PRECEDING;
    return seen && before ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
  });
  while (texts.nextNode()) found.push(texts.currentNode.textContent);
  return found.join(' ').match(/\\S*\\w\\S*/g);
}"""  # all that is to be read before what moves, buttons and numbers with it


def first_screen(browser: Browser, folder: Path, text: str, *, moving: str, answer: str, press: str = ".predict button") -> None:
    """What moves is in the first screen before the first press and after it, with the answer; fewer than forty words come before it."""
    for width, height in ((1280, 800), (1366, 768), (375, 740)):
        touch = {"has_touch": width < 400, "is_mobile": width < 400}
        with opened(browser, folder, text, width=width, height=height, reduced_motion="no-preference", **touch) as tab:
            words = tab.evaluate(WORDS, moving)
            assert 20 < len(words) < 40, words
            for seen in (moving, press):
                assert inside(tab, seen, height), f"{seen} before, {width} x {height}"
            box = tab.locator(press).bounding_box() or {}
            tab.mouse.click(box["x"] + 9, box["y"] + 9)
            tab.evaluate(DRAWN)
            assert tab.evaluate("scrollY") == 0
            for seen in (moving, answer):
                assert inside(tab, seen, height), f"{seen} after, {width} x {height}"


def inside(tab: Page, selector: str, height: int) -> bool:
    box = tab.locator(selector).bounding_box()
    return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= height


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


def put(tab: Page, **tables: Any) -> None:
    """Type tables into their fields."""
    moved(tab, counts(**tables))


def in_percent(share: float) -> str:
    """A share as the lessons write it: "31 %", "30.7 %"."""
    return unbroken(percent(share))


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
