"""Draws ``thesis.svg``, the picture of the README: how often each of 900 people is guessed right with two releases.

``python docs/thesis.py`` draws it anew; a test fails where it is out of date.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from capstats import average_cap, from_counts, individual_cap
from capstats.datasets import paper_originals, paper_synthetics

PICTURE = Path(__file__).with_suffix(".svg")
ORIGINAL, RELEASES = "O_3", {"A": "b", "B": "g"}
LIGHT = {"paper": "#ffffff", "ink": "#1d232a", "quiet": "#8a949e", "hit": "#c04a00"}
DARK = {"paper": "#16181b", "ink": "#eceae4", "quiet": "#7b838c", "hit": "#ff8a3d"}
LEFT, WIDTH, STEP = 30, 344, 4.2  # of the axis from 0 to 1, and between the dots, in units of a picture that is 400 wide
SLOPE = 0.42  # of a heap: how far to the side a dot rolls rather than lie one row higher
BOTTOM = {"A": 194, "B": 414}

COLOURS = """
.paper {{ fill: {paper} }}
text, .ink {{ fill: {ink} }}
line {{ stroke: {ink} }}
.half, .people {{ stroke: {quiet} }}
.hit {{ fill: {hit} }}
.exposed {{ stroke: {hit} }}
"""
STYLE = f"""{COLOURS.format(**LIGHT)}@media (prefers-color-scheme: dark) {{{COLOURS.format(**DARK)}}}
text {{ font: 15px Arial, Helvetica, "Liberation Sans", sans-serif }}
.title {{ font-size: 20.5px }}
.small {{ font-size: 14px }}
.title, .strong, .hit {{ font-weight: 700 }}
.middle {{ text-anchor: middle }}
.end {{ text-anchor: end }}
line {{ stroke-width: 1.2 }}
.half {{ stroke-dasharray: 3 4 }}
.people {{ stroke-width: 3.6; stroke-linecap: round; animation: spread 2.4s 1.2s cubic-bezier(.3, 0, .2, 1) backwards }}
.later {{ animation: appear .8s 3.4s backwards }}
@keyframes spread {{ from {{ transform: translateX(var(--from)) }} }}
@keyframes appear {{ from {{ opacity: 0 }} }}
@media (prefers-reduced-motion: reduce) {{ .people, .later {{ animation: none }} }}
"""


def tables() -> dict[str, xr.Dataset]:
    """The original with each of the two releases."""
    o = paper_originals().sel(original=ORIGINAL, drop=True)
    return {label: from_counts(o, paper_synthetics().sel(synthetic=name, drop=True)) for label, name in RELEASES.items()}


def place(x: float) -> float:
    return LEFT + WIDTH * x


def heaps(individual: np.ndarray, people: np.ndarray) -> list[list[tuple[int, int]]]:
    """Column and row of the dot of each person, cell by cell: heaps of sand, which do not roll over the line at one half."""
    columns = np.arange(int(WIDTH / STEP) + 1)
    centres = columns * STEP / WIDTH
    heights = np.zeros(len(columns), dtype=int)
    dots: list[list[tuple[int, int]]] = [[] for _ in individual]
    for cell in np.argsort(individual)[::-1]:  # those with the greatest risk lie together
        far = np.abs(centres - individual[cell]) * WIDTH / STEP
        far[(centres > 0.49) != (individual[cell] > 0.5)] = np.inf
        for _ in range(int(people[cell])):
            column = int(np.argmin(far + SLOPE * heights))
            dots[cell].append((column, int(heights[column])))
            heights[column] += 1
    return dots


def draw(label: str, both: xr.Dataset, exposed: np.ndarray) -> str:
    """The people of one release over an axis, with the average."""
    average = average_cap(both.o, both.s).item()
    individual, people = individual_cap(both.o, both.s).values.ravel(), both.o.values.ravel()
    bottom = BOTTOM[label]
    lines = [f'<line class="half" x1="{place(0.5):g}" x2="{place(0.5):g}" y1="{bottom}" y2="{bottom - 145}"/>']
    for cell, dots in enumerate(heaps(individual, people)):
        if dots:
            path = "".join(f"M{LEFT + column * STEP:.4g} {bottom - 4 - row * STEP:.4g}h0" for column, row in dots)
            name = "people exposed" if exposed[cell] else "people"
            lines.append(f'<path class="{name}" style="--from:{place(average) - place(individual[cell]):.0f}px" d="{path}"/>')
    mark = place(average)
    lines += [
        f'<line x1="{LEFT - 6}" x2="{LEFT + WIDTH + 6}" y1="{bottom}" y2="{bottom}"/>',
        f'<path class="ink" d="M{mark:.4g} {bottom + 2}l7 12h-14z"/>',
        f'<text class="small middle" x="{mark:.4g}" y="{bottom + 31}">average {average:.0%}</text>',
        f'<text class="strong" x="{place(0.53):.4g}" y="{bottom - 133}">Release {label}</text>',
    ]
    return "\n".join(lines)


def picture() -> str:
    """Two heaps of dots, one above the other, over axes of individual CAP."""
    both = tables()
    individual = {label: individual_cap(one.o, one.s).where(one.o > 0) for label, one in both.items()}
    exposed = (individual["A"] > 0.9).values.ravel()
    number = int(both["A"].o.values.ravel()[exposed].sum())
    with_a, with_b = (individual[label].values.ravel()[exposed].item() for label in RELEASES)
    edge = LEFT + WIDTH + 6
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 500" width="540" height="675" role="img"><style>{STYLE}</style>',
        '<rect width="400" height="500" rx="8" class="paper"/>',
        '<text class="title middle" x="200" y="29" textLength="372" lengthAdjust="spacingAndGlyphs">'
        f"The lower average exposes {number} people</text>",
        *(draw(label, one, exposed) for label, one in both.items()),
        f'<g class="later"><text class="hit end" x="{edge}" y="86">{number} people are</text>',
        f'<text class="hit end" x="{edge}" y="104">guessed right</text>',
        f'<text class="hit end" x="{edge}" y="122">{with_a:.0%} of the time</text>',
        f'<text class="hit" x="{place(0.53):.4g}" y="358">the same {number}: {with_b:.0%}</text>',
        f'<text x="{place(0.53):.4g}" y="376">nobody is above 50%</text></g>',
        *(f'<text class="small middle" x="{place(x):g}" y="430">{x:.0%}</text>' for x in (0, 0.5, 1)),
        '<text class="small middle" x="200" y="470">how often a guess about a person is right</text>',
        '<text class="small middle" x="200" y="488">(one dot is one person; heaps are spread out)</text></svg>',
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
