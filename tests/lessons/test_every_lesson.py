"""What holds for each lesson in a browser: no error, narrow screens, the keyboard, names for screen readers, light and dark."""

import pytest
from chromium import opened
from lesson_pages import PREDICT, judged, numbers, predicted, question

from capstats.lessons.pages import LESSONS, page

pytestmark = pytest.mark.chromium
each_lesson = pytest.mark.parametrize("name", LESSONS)
REACHABLE = "a[href], button, input, select, textarea, summary, [tabindex]"

FOCUS = """() => {
  const e = document.activeElement;
  const style = getComputedStyle(e);
  const box = e.getBoundingClientRect();
  const labels = [...(e.labels ?? [])].map(label => label.textContent).join(' ');
  const by = (e.getAttribute('aria-labelledby') ?? '').split(' ').map(id => document.getElementById(id)?.textContent ?? '').join(' ');
  const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  const shown = e.closest('label.choice, label') ?? e;
  e.dataset.reached = 'yes';
  return {
    tag: e.tagName, ring, name: (e.getAttribute('aria-label') || by || labels || e.textContent || '').trim(),
    seen: box.width > 0 && box.height > 0, where: e.outerHTML.slice(0, 120), width: shown.getBoundingClientRect().width,
  };
}"""
OPEN = f"""() => {{
  {PREDICT};
  for (const details of document.querySelectorAll('details')) details.open = true;
  for (const question of document.querySelectorAll('.question')) question.classList.add('now');
}}"""
LEFT = f"""() => {{
  const seen = e => e.checkVisibility({{visibilityProperty: true}}) && !e.disabled && e.tabIndex >= 0 && e.tagName !== 'BODY';
  const all = [...document.querySelectorAll('{REACHABLE}')];
  return all.filter(e => seen(e) && e.type !== 'radio' && !e.dataset.reached).map(e => e.outerHTML.slice(0, 120));
}}"""


@each_lesson
def test_a_lesson_opens_without_complaint_and_is_as_wide_as_the_screen(name, browser, tmp_path):
    with opened(browser, tmp_path, page(name), reduced_motion="no-preference") as tab:
        assert tab.locator("h1").inner_text() == LESSONS[name].title
        all_shown = "[...document.querySelectorAll('output[data-name]')].map(e => [e.dataset.name, e.dataset.value, e.textContent])"
        for title, value, text in tab.evaluate(all_shown):
            assert value is not None, title
            float(value)  # all its digits
            assert text, title
        tab.evaluate(OPEN)
        for width, scheme in ((1280, "light"), (375, "dark"), (320, "light")):
            tab.emulate_media(color_scheme=scheme)
            tab.set_viewport_size({"width": width, "height": 800})
            numbers(tab)
            assert tab.evaluate("document.documentElement.scrollWidth") == width
            heights = tab.evaluate(
                "[...document.querySelectorAll('summary')].filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().height)"
            )
            assert all(height >= 44 for height in heights), heights


@each_lesson
def test_every_control_is_reached_with_the_tab_key_has_a_name_and_shows_the_focus(name, browser, tmp_path):
    with opened(browser, tmp_path, page(name)) as tab:
        tab.evaluate(OPEN)
        tab.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")  # from the top
        for _ in range(400):
            tab.keyboard.press("Tab")
            found = tab.evaluate(FOCUS)
            if found["tag"] == "BODY":
                break
            assert found["name"], f"no name: {found['where']}"
            assert found["ring"], f"no visible focus: {found['where']}"
            assert found["seen"], f"not visible: {found['where']}"
        assert tab.evaluate(LEFT) == []


@each_lesson
def test_questions_give_hints_and_ask_for_an_answer_that_is_not_given(name, browser, tmp_path):
    with opened(browser, tmp_path, page(name)) as tab:
        predicted(tab)
        for asked in tab.evaluate("[...document.querySelectorAll('[data-question]')].map(e => e.dataset.question)"):
            found = question(tab, asked)
            if found.locator("input").count():
                assert judged(tab, asked)[1].startswith("Not yet: ")
            assert found.locator(".hint").is_hidden()
            found.locator("[data-hint]").click()
            assert found.locator(".hint").inner_text()
