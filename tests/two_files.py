"""Pairs of files on the page of `capstats browser`: they are chosen, counted, and what the page then says."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

COUNT = """async (cases) => {
  const wait = async (ready) => {
    for (const end = Date.now() + 20000; Date.now() < end && !ready();) await new Promise(done => setTimeout(done, 2));
  };
  const find = selector => document.querySelector(selector);
  const said = () => find('[role=alert]').textContent;
  const shown = () => [...document.querySelectorAll('output[data-name]')].filter(e => e.dataset.value !== undefined);
  const changed = (control) => control.dispatchEvent(new Event('change', {bubbles: true}));
  const found = [];
  for (const [files, keys, target] of cases) {
    for (const [id, name, data] of files) {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(data), sign => sign.charCodeAt(0))], name));
      find(id).files = transfer.files;
      changed(find(id));
    }
    await wait(() => find('#keys').options.length || said());
    const offered = [...find('#keys').options].map(option => option.value);
    if ([...keys, target].every(name => offered.includes(name))) {
      for (const option of find('#keys').options) option.selected = keys.includes(option.value);
      changed(find('#keys'));
      find('#target').value = target;
      changed(find('#target'));
      find('#count').click();
      await wait(() => said() || shown().length);
    }
    const numbers = Object.fromEntries(shown().map(e => [e.dataset.name, Number(e.dataset.value)]));
    const copies = find('#copies');
    found.push([numbers, said() || (shown().length ? '' : 'a column is not offered'), copies.dataset.found, copies.textContent]);
  }
  return found;
}"""


def counted(tab: Page, *pairs: Any) -> list[tuple[dict[str, float], str]]:
    """The numbers that the page shows of each pair of files, and what it says in refusal; a pair is (original, synthetic, keys, target)."""
    return [(numbers, refusal) for numbers, refusal, *_ in answers(tab, pairs)]


def answers(tab: Page, pairs: Iterable[Any]) -> list[Any]:
    """The same, with what the page knows of copies, as JSON, and what it says of them."""
    cases = []
    for original, synthetic, keys, target in pairs:
        files = [("#original", *named(original, "o")), ("#synthetic", *named(synthetic, "s"))]
        cases.append(([(which, name, base64.b64encode(data).decode()) for which, name, data in files], keys, target))
    return list(tab.evaluate(COUNT, cases))


def named(data: Any, name: str) -> Any:
    """A file that is CSV unless it has a name already."""
    return data if isinstance(data, tuple) else (f"{name}.csv", data)
