"""A grid of coloured cells with a text in each, as areas: it has no pixels, at any size."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colorbar import Colorbar
from matplotlib.figure import Figure

from capstats.plotting.shared import shortened, shown

BELOW = 24  # greatest length of the name of a column
NARROW = 5 * 72  # width of a figure in points, below which its letters are smaller
CELL = 5  # width in letters that a cell may take before the names of the rows are shortened
WIDTH = 0.6  # width of a character, relative to its height


def letter_size(ax: Axes) -> float:
    """Size in points of the letters around a heatmap."""
    return 7.0 if ax.figure.bbox.width / ax.figure.dpi * 72 < NARROW else 8.5


def draw_cells(ax: Axes, values: Any, style: dict[str, Any], **bar: Any) -> tuple[QuadMesh, Colorbar]:
    """Cells by their values, the first row on top, and a colour bar; undefined values have no colour."""
    rows, columns = values.shape
    mesh = ax.pcolormesh(np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5, np.ma.masked_invalid(values), **style)
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    colours = ax.figure.colorbar(mesh, ax=ax, **bar)
    colours.ax.tick_params(labelsize=letter_size(ax))
    solids: Any = colours.solids
    solids.set(rasterized=False, edgecolor="face")
    return mesh, colours


def name_cells(ax: Axes, columns: list[str], rows: list[tuple[str, ...]]) -> None:
    """The names of columns, and of rows by their parts, as plain text, long ones without their middle.

    Names of columns are turned where they would touch.
    """
    size = letter_size(ax)
    width = ax.figure.bbox.width / ax.figure.dpi * 72
    beside = max((0.32 if width < NARROW else 0.42) * width, 0.75 * width - CELL * size * len(columns))
    every = [sorted({row[part] for row in rows}) for part in range(len(rows[0]))]
    by_part = [
        dict(zip(labels, shortened(labels, room, room + 6), strict=True))
        for labels, room in zip(every, _rooms(every, min(60, int(beside / (WIDTH * size)))), strict=True)
    ]
    short = [", ".join(names[label] for names, label in zip(by_part, row, strict=True)) for row in rows]
    columns = shortened(columns, BELOW, BELOW + 6)
    room = (width * 0.75 - max(map(len, short)) * WIDTH * size) / len(columns)
    turned: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    crowded = (max(map(len, columns)) + 1) * WIDTH * size > room
    ax.set_xticks(range(len(columns)), list(map(shown, columns)), fontsize=size, **(turned if crowded else {}))
    ax.set_yticks(range(len(rows)), list(map(shown, short)), fontsize=size)


def _rooms(every: list[list[str]], letters: int) -> list[int]:
    """Letters for each part of a name: short parts keep theirs, the long ones share what is left."""
    left = letters - 2 * (len(every) - 1)
    rooms = {}
    for taken, part in enumerate(sorted(range(len(every)), key=lambda part: max(map(len, every[part])))):
        rooms[part] = max(4, min(max(map(len, every[part])), left // (len(every) - taken)))
        left -= rooms[part]
    return [rooms[part] for part in range(len(every))]


def write_cells(ax: Axes, mesh: QuadMesh, values: Any, written: list[str]) -> None:
    """A text in each cell, black or white by its colour, as large as the cells allow once all around them has its place."""
    if isinstance(ax.figure, Figure):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # it is said when the figure is drawn
            ax.figure.draw_without_rendering()
    lines = [text.split("\n") for text in written]
    widest, highest = max(len(line) for text in lines for line in text), max(map(len, lines))
    width, height = (length / ax.figure.dpi * 72 for length in ax.get_window_extent().size)
    size = min(7.0, max(3.5, min(width / values.shape[1] / (0.62 * max(1, widest)), height / values.shape[0] / (1.2 * highest))))
    for ((row, column), value), text in zip(np.ndenumerate(values), written, strict=True):
        red, green, blue, opaque = mesh.cmap(mesh.norm(value)) if np.isfinite(value) else (0, 0, 0, 0)
        dark = opaque * (0.299 * red + 0.587 * green + 0.114 * blue) + 1 - opaque < 0.5
        ax.text(column, row, text, ha="center", va="center", fontsize=size, linespacing=1.1, color="white" if dark else "black")
