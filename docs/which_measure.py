"""Draws ``which-measure.svg``, the chart of the page Which measure: eight questions, each a link to the card of its name.

``python docs/which_measure.py`` draws it anew; a test fails where it is out of date. The site has it inline, with a narrow one for phones.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

PICTURE = Path(__file__).with_name("which-measure.svg")
QUESTIONS = {  # by what a newcomer asks first: the heading of the card, its first words in the chart, the call
    "How risky is the release?": [
        ("How often would a guess be right?", "on average", "average_cap"),
        ("How many people are at a high risk?", "for single people", "cap_ecdf"),
        ("About whom does the release leave no doubt?", "with certainty", "disco"),
    ],
    "Why is it so high?": [
        ("Is it about individuals, or about the population?", "the people in it", "individual_share"),
        ("How probable is such a number by chance?", "chance", "cap_law"),
    ],
    "What can be done about it?": [
        ("How do I lower the risk?", "change the release", "rank_removals"),
        ("What does an epsilon promise?", "ask for a guarantee", "dp_bound"),
    ],
    "What do others print?": [("What would SDMetrics or synthpop print?", "the same numbers", "as_sdmetrics")],
}
STYLE = """
.chart text { font: 13px system-ui, sans-serif; fill: var(--pst-color-text-base, #1f2937); }
.chart .start { font-weight: 600; }
.chart .call { font: 12px ui-monospace, monospace; fill: var(--pst-color-text-muted, #48566b); }
.chart .page { fill: var(--pst-color-background, #fff); stroke: none; }
.chart .box { fill: var(--pst-color-surface, #f3f4f5); stroke: var(--pst-color-border, #8a94a3); }
.chart path { fill: none; stroke: var(--pst-color-text-muted, #48566b); }
.chart a .box { fill: var(--pst-color-background, #fff); stroke: var(--pst-color-link, #0a7d91); stroke-width: 1.5; }
.chart a .title { fill: var(--pst-color-link, #0a6b7c); text-decoration: underline; }
.chart a:hover .box, .chart a:focus .box { stroke-width: 4; }
.chart a { text-decoration: none; }
.chart a:focus { outline: none; }
"""
LEAF, GAP = 46, 12  # heights


def anchor(heading: str) -> str:
    """The anchor of a heading, as the site and GitHub make it."""
    return "#" + re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


def box(x: int, y: int, width: int, height: int, *lines: tuple[str, str]) -> str:
    """A box with lines of text, each with its class."""
    texts = (f'<text class="{kind}" x="{x + 10}" y="{y + 19 + 17 * i}">{escape(line)}</text>' for i, (kind, line) in enumerate(lines))
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" class="box"/>' + "".join(texts)


def leaf(x: int, y: int, width: int, heading: str, way: str, call: str) -> str:
    """One question: a link to its card."""
    inside = box(x, y, width, LEAF, ("title", heading), ("call", f"{call} · {way}"))
    return f'<a href="{anchor(heading)}">{inside}</a>'


def chart(*, narrow: bool = False) -> str:
    """What a newcomer asks, on the left or above, and the questions to choose from."""
    left, width = (24, 336) if narrow else (262, 360)
    y, parts = 2, []
    for first, leaves in QUESTIONS.items():
        height = len(leaves) * (LEAF + GAP) - GAP
        parts.append(box(2, y if narrow else y + (height - 30) // 2, 222, 30, ("start", first)))
        below = y + 30
        y += 42 if narrow else 0
        for heading, way, call in leaves:
            middle = y + LEAF // 2
            start = f"M14 {below}V{middle}" if narrow else f"M224 {below - 15 + (height - 30) // 2}H243V{middle}"
            parts += [f'<path d="{start}H{left}"/>', leaf(left, y, width, heading, way, call)]
            y += LEAF + GAP
        y += GAP
    total, height = left + width + 2, y - 2 * GAP + 4
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart {"narrow" if narrow else "wide"}" viewBox="0 0 {total} {height}" '
        f'width="{total}" role="group" aria-label="Which measure? Each question is a link to its card.">'
        f'<style>{STYLE}</style><rect class="page" width="{total}" height="{height}"/>' + "".join(parts) + "</svg>"
    )


def inline() -> str:
    """Both charts, of which the style of the site shows one."""
    return f"<div>\n{chart()}\n{chart(narrow=True)}\n</div>"


if __name__ == "__main__":
    PICTURE.write_text(chart() + "\n", encoding="utf-8")
