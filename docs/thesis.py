"""Draws ``thesis.svg``, the picture of the README: two releases with the same average CAP, and the CAP of each of the 900 people.

``python docs/thesis.py`` draws it anew; a test fails where it is out of date.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes

from capstats import average_cap, from_counts, individual_cap
from capstats.datasets import paper_originals, paper_synthetics
from capstats.plotting import plot_people
from capstats.plotting.inline import inline_svg

PICTURE = Path(__file__).with_suffix(".svg")
ORIGINAL, RELEASES = "O_1", ("g", "b")
EXPOSED, OTHERS = "#D55E00", "#56B4E9"  # distinct for the colour-blind (Okabe and Ito); in grey the first is darker, and it has a label
ABOVE: dict[str, Any] = {"xytext": (0, 4), "textcoords": "offset points", "ha": "center"}


def tables() -> dict[str, xr.Dataset]:
    """The original with each of the two releases."""
    o = paper_originals().sel(original=ORIGINAL, drop=True)
    return {label: from_counts(o, paper_synthetics().sel(synthetic=label, drop=True)) for label in RELEASES}


def draw(ax: Axes, label: str, both: xr.Dataset) -> None:
    """One dot a person, with a label over the people with the greatest CAP."""
    individual = individual_cap(both.o, both.s)
    plot_people(both, individual, average=average_cap(both.o, both.s).item(), ax=ax)
    ax.lines[0].set(color="black", linewidth=1.5)
    places = ax.collections[0].get_offsets()
    last = places[:, 0] > places[:, 0].max() - 0.05
    ax.collections[0].set_facecolor([EXPOSED if one else OTHERS for one in last])
    greatest = individual.max()
    words = f"{both.o.where(individual == greatest).sum():.0f} people are guessed right\nwith probability {greatest:.2f}"
    ax.annotate(words, (places[last, 0].mean(), places[last, 1].max() + 1), **ABOVE)
    ax.set_title(f"Release S_{label}", loc="left", fontweight="bold")
    ax.set_xlabel("")
    ax.spines[["left", "right", "top"]].set_visible(False)


def picture() -> str:
    """Two rows of dots over one axis of individual CAP."""
    with mpl.rc_context(mpl.rcParamsDefault | {"backend": "Agg", "font.size": 12}):
        figure, axes = plt.subplots(2, 1, figsize=(9.2, 5), sharex=True, layout="constrained")
        figure.get_layout_engine().set(w_pad=0.15, h_pad=0.1)
        for ax, (label, both) in zip(axes, tables().items(), strict=True):
            draw(ax, label, both)
        (average,) = {f"{average_cap(both.o, both.s):.3f}" for both in tables().values()}
        axes[0].annotate(f"average {average} in both", (float(average), 1), xycoords=axes[0].get_xaxis_transform(), **ABOVE)
        axes[1].set_xlabel("individual CAP: the probability that a guess about this person is right (one dot a person, to within 0.02)")
        return inline_svg(axes[0], prefix="thesis") + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
