"""Draws the pictures of the chapters, ``pictures/CHAPTER.svg``, from the paper's tables.

``python theory/pictures.py [CHAPTER ...]`` draws them anew; a test fails where one is out of date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from capstats import average_cap, baseline_cap
from capstats.plotting.inline import inline_svg

FOLDER = Path(__file__).with_suffix("")
SMOKERS = [[20, 5], [30, 45]]  # the paper's Table 1: sick and healthy, smokers and not
RELEASE = [[8, 7], [25, 60]]


def baselines(ax: Axes) -> None:
    """Average CAP of the smokers' release between a guess without a release and the original itself."""
    marks = {
        "no release": baseline_cap(SMOKERS),
        "the original itself": average_cap(SMOKERS, SMOKERS),
        "the release": average_cap(SMOKERS, RELEASE),
    }
    for row, (name, value) in enumerate(marks.items()):
        ax.plot([0.6, float(value)], [row, row], color="#0072B2", linewidth=6, solid_capstyle="butt")
        ax.annotate(f"{name}: {value:.3f}", (float(value), row), xytext=(6, 0), textcoords="offset points", va="center")
    ax.set(xlim=(0.6, 0.72), ylim=(2.5, -0.5), yticks=[], xlabel="share of right guesses")
    ax.spines[["left", "right", "top"]].set_visible(False)


DRAWN: dict[str, Callable[[Axes], None]] = {function.__name__.replace("_", "-"): function for function in (baselines,)}


def picture(chapter: str) -> str:
    """The picture of a chapter as SVG."""
    with mpl.rc_context(mpl.rcParamsDefault | {"backend": "Agg", "font.size": 12}):
        _, ax = plt.subplots(figsize=(7.2, 2.8), layout="constrained")
        DRAWN[chapter](ax)
        return inline_svg(ax, prefix=chapter) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWN:
        (FOLDER / f"{name}.svg").write_text(picture(name), encoding="utf-8")
