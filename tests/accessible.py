"""What keeps somebody from using a page: what axe-core finds, and what it does not look for."""

from __future__ import annotations

import io
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from chromium import DRAWN, missing
from matplotlib import image

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """async options => {
  const { violations } = await axe.run(document, {...options, resultTypes: ['violations'], elementRef: false});
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) => `${id}: ${target.join(' ')} ${any[0]?.message ?? ''}`));
}"""


def said(tab: Page, function: str, given: str = "") -> list[str]:
    """What a function of accessible.js says of a page."""
    return list(tab.evaluate(f"given => {{ {SCRIPT}\n return {function}(given); }}", given))


def audited(tab: Page, *rules: str) -> list[str]:
    """What axe-core finds against WCAG 2.2, level AA; or by some of its rules alone."""
    if not tab.evaluate("'axe' in window"):
        if find_spec("axe_playwright_python") is None:
            missing("axe-playwright-python is not installed")
        tab.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8") + ";0")
    what = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": LEVELS}
    return list(tab.evaluate(RUN, {"runOnly": what}))


def small_targets(tab: Page) -> list[str]:
    """Targets below 24 x 24 pixels with another one in the circle of 24 pixels around their middle (2.5.8), links in sentences apart."""
    return said(tab, "targets")


def outline(tab: Page) -> list[str]:
    """Names used twice, headings that skip a level, drawings without a name, boxes that scroll and that the keyboard does not reach."""
    return said(tab, "outline")


def faint_marks(tab: Page, decoration: str = ".none") -> list[str]:
    """Marks of drawings below 3:1, and their texts below 4.5:1, against what they stand on; what has its very colour is no mark."""
    return said(tab, "colours", decoration)


def heard(tab: Page) -> list[str]:
    """Buttons after which a screen reader reads nothing or several places, or which lose the focus; sliders that read several places."""
    return said(tab, "heard")


def contrast(tab: Page, selector: str) -> float:
    """The greatest contrast between two pixels of an element, with what is 2 pixels around it: whether it is seen at all."""
    return luminous(tab, selector)[1]


def luminous(tab: Page, selector: str) -> tuple[Any, float]:
    """The luminance of the pixels of an element, and the greatest contrast between two of them."""
    found = tab.locator(selector).first
    found.scroll_into_view_if_needed()
    tab.evaluate(DRAWN)
    box = found.bounding_box() or {}
    clip = {"x": box["x"] - 2, "y": box["y"] - 2, "width": box["width"] + 4, "height": box["height"] + 4}
    rgb = image.imread(io.BytesIO(tab.screenshot(clip=clip)))[..., :3]  # type: ignore[arg-type]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    light = linear @ np.array([0.2126, 0.7152, 0.0722])
    return light, float((light.max() + 0.05) / (light.min() + 0.05))


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2, of a colour such as #0a5c94."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
