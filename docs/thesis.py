"""Draws the pictures of the README: ``thesis.svg``, the risks of 900 people with two releases, and ``sample.svg``, a report's scale.

``python docs/thesis.py`` draws them anew; a test fails where one is out of date.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from capstats import audit, average_cap, from_counts, individual_cap
from capstats.datasets import example, paper_originals, paper_synthetics
from capstats.lessons.given import NAMES

PICTURE = Path(__file__).with_suffix(".svg")
SAMPLE = PICTURE.with_name("sample.svg")
ORIGINAL, RELEASES = "O_3", {"A": "b", "B": "g"}
LIGHT = {"paper": "#ffffff", "ink": "#1d232a", "quiet": "#8a949e", "hit": "#c04a00"}
DARK = {"paper": "#16181b", "ink": "#eceae4", "quiet": "#7b838c", "hit": "#ff8a3d"}
LEFT, WIDTH, STEP = 30, 344, 2.6  # of the axis from 0 to 1, and between the dots, in units of a picture that is 400 wide
REACH = 2.6  # columns between a dot and the risk of its person, at most: no dot lies where nobody is
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
.people {{ stroke-width: 2.3; stroke-linecap: round }}
"""


def tables() -> dict[str, xr.Dataset]:
    """The original with each of the two releases."""
    o = paper_originals().sel(original=ORIGINAL, drop=True)
    return {label: from_counts(o, paper_synthetics().sel(synthetic=name, drop=True)) for label, name in RELEASES.items()}


def place(x: float) -> float:
    return LEFT + WIDTH * x


def heaps(individual: np.ndarray, people: np.ndarray) -> list[list[tuple[int, int]]]:
    """Column and row of the dot of each person, cell by cell: a heap at each risk, which stays on its side of the line at one half."""
    columns = np.arange(int(WIDTH / STEP) + 1)
    centres = columns * STEP / WIDTH
    heights = np.zeros(len(columns), dtype=int)
    dots: list[list[tuple[int, int]]] = [[] for _ in individual]
    for cell in np.argsort(individual)[::-1]:  # those with the greatest risk lie together
        far = np.abs(centres - individual[cell]) * WIDTH / STEP
        near = np.flatnonzero((far < REACH) & ((centres > 0.495) == (individual[cell] > 0.5)))
        for _ in range(int(people[cell])):
            column = int(near[np.argmin(heights[near] + far[near] / len(columns))])
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
            lines.append(f'<path class="{name}" d="{path}"/>')
    mark = place(average)
    lines += [
        f'<line x1="{LEFT - 6}" x2="{LEFT + WIDTH + 6}" y1="{bottom}" y2="{bottom}"/>',
        f'<path class="ink" d="M{mark:.4g} {bottom + 2}l7 12h-14z"/>',
        f'<text class="small middle" x="{mark:.4g}" y="{bottom + 31}">average {100 * average:.0f} %</text>',
        f'<text class="strong" x="{place(0.53):.4g}" y="{bottom - 133}">Release {label}</text>',
    ]
    return "\n".join(lines)


def picture() -> str:
    """Two heaps of dots, one above the other, over axes of individual CAP."""
    both = tables()
    individual = {label: individual_cap(one.o, one.s).where(one.o > 0) for label, one in both.items()}
    exposed = (individual["A"] > 0.9).values.ravel()
    number = int(both["A"].o.values.ravel()[exposed].sum())
    diagnosis, age = (
        NAMES[what][level] for what, level in zip(("diagnoses", "ages"), np.argwhere(individual["A"].values > 0.9)[0], strict=True)
    )
    with_a, with_b = (individual[label].values.ravel()[exposed].item() for label in RELEASES)
    edge = LEFT + WIDTH + 6
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 500" width="540" height="675" role="img"><style>{STYLE}</style>',
        '<rect width="400" height="500" rx="8" class="paper"/>',
        '<text class="title middle" x="200" y="29" textLength="372" lengthAdjust="spacingAndGlyphs">'
        f"The lower average exposes {number} people</text>",
        *(draw(label, one, exposed) for label, one in both.items()),
        f'<text class="hit end" x="{edge}" y="86">{number} people {age}</text>',
        f'<text class="hit end" x="{edge}" y="104">with {diagnosis}: right</text>',
        f'<text class="hit end" x="{edge}" y="122">in {100 * with_a:.0f} of 100 tries</text>',
        f'<text class="hit" x="{place(0.53):.4g}" y="358">the same {number}: {100 * with_b:.0f} %</text>',
        f'<text x="{place(0.53):.4g}" y="376">nobody is above 50 %</text>',
        *(
            f'<text class="small {"end" if x == 1 else "middle"}" x="{edge if x == 1 else place(x):g}" y="430">{100 * x:.0f} %</text>'
            for x in (0, 0.5, 1)
        ),
        '<text class="small middle" x="200" y="470">how often a guess about a person is right</text>',
        '<text class="small middle" x="200" y="488">(one dot is one person)</text></svg>',
    ]
    return "\n".join(lines) + "\n"


def sample() -> str:
    """The scale of the report of ``capstats audit --example anes96``."""
    measures = audit(**example("anes96")).measures
    found = {
        "Guess without data": measures.baseline.item(),
        "This release": measures.average_cap_nearest.item(),
        "The original itself": measures.original_cap.item(),
    }
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 142" width="540" height="192" role="img"><style>{STYLE}</style>',
        '<rect width="400" height="142" rx="8" class="paper"/>',
        '<text class="strong" x="14" y="25">How often is a guess about a vote right?</text>',
    ]
    for y, (name, value) in zip((54, 82, 110), found.items(), strict=True):
        x, released = 155 + 185 * value, name == "This release"
        lines += [
            f'<text class="{"hit" if released else "ink"}" x="14" y="{y}">{name}</text><line x1="155" x2="340" y1="{y - 5}" y2="{y - 5}"/>',
            f'<path class="hit" d="M{x:.4g} {y - 4}l-7 -12h14z"/>'
            if released
            else f'<line x1="{x:.4g}" x2="{x:.4g}" y1="{y - 14}" y2="{y + 4}" stroke-width="3"/>',
            f'<text class="{"hit" if released else "ink"} end" x="386" y="{y}">{100 * value:.0f} %</text>',
        ]
    lines += [f'<text class="small middle" x="{155 + 185 * x:g}" y="131">{100 * x:.0f} %</text>' for x in (0, 0.5, 1)]
    return "\n".join([*lines, "</svg>"]) + "\n"


def preview(file: Path) -> None:
    """The picture of who is sent a link: the people of both releases side by side, in the shape that messengers show."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6.3), dpi=100)
    figure.suptitle("The lower average exposes 93 people", fontsize=34, fontweight="bold", y=0.95)
    for axes, (label, one) in zip(figure.subplots(1, 2, sharey=True), tables().items(), strict=True):
        individual = individual_cap(one.o, one.s).values.ravel()
        exposed = one.o.values.ravel() == 93
        for cell, dots in enumerate(heaps(individual, one.o.values.ravel())):
            columns, rows = zip(*dots, strict=True) if dots else ((), ())
            axes.plot(np.array(columns) * STEP / WIDTH, rows, ".", markersize=4.5, color=LIGHT["hit" if exposed[cell] else "quiet"])
        axes.set_title(f"Release {label}: average {100 * average_cap(one.o, one.s).item():.0f} %", fontsize=22, loc="left")
        axes.set(xlim=(0, 1), yticks=[], xticks=[0, 0.5, 1], xticklabels=["0 %", "50 %", "100 %"])
        axes.set_xlabel("how often a guess about a person is right", fontsize=17)
        axes.tick_params(labelsize=17)
        axes.spines[["left", "top", "right"]].set_visible(False)
    figure.subplots_adjust(0.04, 0.16, 0.97, 0.76, wspace=0.12)
    figure.savefig(file)


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    SAMPLE.write_text(sample(), encoding="utf-8")
