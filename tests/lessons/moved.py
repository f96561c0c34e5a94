"""Controls moved as a user does, all at once: typed counts, sliders, radio buttons; and the numbers that the page then shows."""

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


def turn_to(tab, question):
    """The question on the screen."""
    tab.locator(f'[data-go="{question}"]').click()
    return tab.locator(f'[data-question="{question}"]')


def verdict(tab, question):
    """What the page says of the answer that is given, or of what it shows."""
    section = turn_to(tab, question)
    section.locator("button[type=submit]").click()
    return section.locator(".verdict").inner_text()


def choices_that_are_right(tab, question):
    """The values of the radio buttons that the page calls right."""
    found = []
    for radio in turn_to(tab, question).locator("input").all():
        radio.check()
        if verdict(tab, question).startswith("Right."):
            found.append(radio.get_attribute("value"))
    return found


def typed_answers_that_are_right(tab, question, given):
    """Those of the texts that the page calls right."""
    found = []
    for text in given:
        turn_to(tab, question).locator("input").fill(text)
        if verdict(tab, question).startswith("Right."):
            found.append(text)
    return found
