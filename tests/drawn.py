"""What a figure shows, read from its artists; and tables to draw."""

import numpy as np

from capstats.datasets import paper_originals

O_4 = paper_originals().sel(original="O_4", drop=True)
FEW = [[3, 3, 2, 1, 0], [1, 1, 2, 0, 0]], [[2, 2, 1, 0, 1], [0, 0, 1, 0, 0]]
GRID = np.linspace(0, 1, 101)


def ticks(ax):
    return [label.get_text() for label in ax.get_xticklabels()]


def dashed(ax):
    return [line for line in ax.lines if line.get_linestyle() == "--"]


def named(ax):
    return ax.get_legend_handles_labels()[1]
