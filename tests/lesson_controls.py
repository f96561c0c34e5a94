"""Controls moved as a user does, all at once: typed counts, sliders, radio buttons; and the numbers that the page then shows."""

from lesson_pages import judged, question

MOVED = """(steps) => steps.map(step => {
  for (const [selector, value] of step) {
    const control = document.querySelector(selector);
    if (!control) throw Error(`no control ${selector}`);
    if (control.disabled) throw Error(`disabled: ${selector}`);
    if (value === null) { control.click(); continue; }
    control.value = String(value);
    control.dispatchEvent(new Event('input', {bubbles: true}));
  }
  const shown = [...document.querySelectorAll('output[data-name]')].map(e => [e.dataset.name, e.dataset.value]);
  return Object.fromEntries(shown);
})"""


def after(tab, steps):
    """The numbers in data-value of each output after each of the steps; a step is a list of (selector, value or None for a click)."""
    return [{name: float(value) for name, value in shown.items()} for shown in tab.evaluate(MOVED, steps)]


def typed(table):
    """The steps that put a table into the cells of a page."""
    return [(f'[data-cell="{i},{j}"]', int(count)) for i, row in enumerate(table) for j, count in enumerate(row)]


def choose(what, value):
    """The step that presses a radio button."""
    return (f'[name="{what}"][value="{value}"]', None)


def verdict(tab, name):
    """What the page says of an answer that is its own state."""
    return judged(tab, name)[1]


def choices_that_are_right(tab, name):
    """The values of the radio buttons that the page calls right."""
    values = [radio.get_attribute("value") for radio in question(tab, name).locator("input").all()]
    return [value for value in values if judged(tab, name, value)[0] == "right"]


def numbers_that_are_right(tab, name, given):
    """Those of the numbers that the page calls right."""
    return [number for number in given if judged(tab, name, number)[0] == "right"]
