"""Heatmaps: a grid of coloured cells with a text in each, drawn as areas and not as pixels; and the figure of a sweep."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colorbar import Colorbar
from matplotlib.colors import LinearSegmentedColormap

from capstats.codes.checks import check_choice
from capstats.plotting.shared import BLUE, VERMILLION, axes_of, check_result, in_points, lay_out, lines, n_records, shortened, shown
from capstats.screening.key_subsets import span_of
from capstats.tables.ties import at_most

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
    """Write the names of columns, and of rows by their parts, as plain text, long ones shortened in the middle.

    Names of columns are rotated where they would touch.
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
    """The number of letters for each part of a name: short parts are kept whole, long ones share the rest."""
    left = letters - 2 * (len(every) - 1)
    rooms = {}
    for taken, part in enumerate(sorted(range(len(every)), key=lambda part: max(map(len, every[part])))):
        rooms[part] = max(4, min(max(map(len, every[part])), left // (len(every) - taken)))
        left -= rooms[part]
    return [rooms[part] for part in range(len(every))]


def write_cells(ax: Axes, mesh: QuadMesh, values: Any, written: list[str]) -> None:
    """Write a text in each cell, black or white by its colour, as large as the cells allow after the layout of all other parts."""
    lay_out(ax)
    split = [text.split("\n") for text in written]
    widest, highest = max(len(line) for text in split for line in text), max(map(len, split))
    width, height = in_points(ax)
    size = min(7.0, max(3.5, min(width / values.shape[1] / (0.62 * max(1, widest)), height / values.shape[0] / (1.2 * highest))))
    for ((row, column), value), text in zip(np.ndenumerate(values), written, strict=True):
        red, green, blue, opaque = mesh.cmap(mesh.norm(value)) if np.isfinite(value) else (0, 0, 0, 0)
        dark = opaque * (0.299 * red + 0.587 * green + 0.114 * blue) + 1 - opaque < 0.5
        ax.text(column, row, text, ha="center", va="center", fontsize=size, linespacing=1.1, color="white" if dark else "black")


Contribution = Literal["shapley", "leave_one_out", "mean_increment"]

TITLES: dict[str, str] = {"shapley": "Shapley values", "leave_one_out": "leave one out", "mean_increment": "mean increment"}
ORANGE_TO_BLUE = LinearSegmentedColormap.from_list("orange_to_blue", [VERMILLION, "white", BLUE], N=49)  # an odd number, so that 0 is white


def plot_sweep(swept: xr.Dataset, *, contribution: Contribution = "shapley", ax: Axes | None = None, **mesh_kwargs: Any) -> Axes:
    """Heatmap of the contribution of each key column to the risk of each target.

    Parameters
    ----------
    swept : Dataset
        Result of `capstats.screening.sweep`, with one measure (and one synthetic table) chosen, such as
        ``swept.sel(measure="average_cap")``.
    contribution : {"shapley", "leave_one_out", "mean_increment"}
        Which of its variables to draw; of "mean_increment" the average over its sizes, which the title names.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **mesh_kwargs
        Passed to matplotlib's ``Axes.pcolormesh``.

    Returns
    -------
    Axes
        One row for each target, one column for each key column, each cell with its value. Blue cells raise the risk, orange cells lower it,
        and darker cells have a greater effect; undefined values are "nan". The colour bar ends at the greatest contribution, so full colour
        may be a small number: use the same ``vmin`` and ``vmax`` for heatmaps to be compared. If all contributions are below 0.01, they are
        given in units of a power of ten, shown at the colour bar.

    Raises
    ------
    TypeError, ValueError
        If `swept` is not such a Dataset, has no such contribution, or has more than one measure or synthetic table.

    See Also
    --------
    capstats.screening.sweep
    """
    check_result(swept, "swept", xr.Dataset, ("without_keys",), "the Dataset that sweep returns")
    check_choice(contribution, "contribution", TITLES)
    if contribution not in swept:
        instead = ', or draw contribution="mean_increment"' if "mean_increment" in swept else ""
        raise ValueError(f"`swept` has no {contribution!r}, which needs more subset sizes. Sweep with sizes=None{instead}.")
    axes = ("target_column", "key_column")
    shares, title = swept[contribution], TITLES[contribution]
    if "subset_size" in shares.coords:
        sizes = np.atleast_1d(shares["subset_size"].values).tolist()
        title += f" at size{'s' * (len(sizes) > 1)} {span_of(sizes)}"
    if "subset_size" in shares.dims:
        shares = shares.mean("subset_size", skipna=False)
    shares = shares.isel({dim: 0 for dim in shares.dims if dim not in axes and shares.sizes[dim] == 1})
    spread = [str(dim) for dim in shares.dims if dim not in axes]
    if spread:
        raise ValueError(f"`swept` has dims {', '.join(map(repr, spread))}; choose one element along each, with .sel or .isel.")
    shares = (shares if "target_column" in shares.dims else shares.expand_dims("target_column")).transpose(*axes)
    ax = axes_of(ax, width=min(2.5 + 0.5 * shares.sizes["key_column"], 7), height=min(1.6 + 0.24 * shares.sizes["target_column"], 9.5))
    greatest = float(np.nanmax(np.abs(shares.values), initial=0))
    values = float(np.nanmax(np.abs(swept["value"].values), initial=0))
    reach = 1.0 if at_most(greatest, 0, scale=values) else greatest  # so that rounding errors have no colour
    style: dict[str, Any] = {"cmap": ORANGE_TO_BLUE, "vmin": -reach, "vmax": reach, "edgecolors": "0.85", "linewidth": 0.4}
    unit = 1.0 if reach >= 0.01 else 10.0 ** math.floor(math.log10(reach))
    digits = 0 if reach >= 100 else 1 if unit < 1 else 2 if reach >= 0.1 else 3
    written = [f"{share / unit:z.{digits}f}" for share in shares.values.flat]
    mesh, bar = draw_cells(ax, shares.values, style | mesh_kwargs, format=lambda end, _: f"{end / unit:z.{digits}f}")
    low, high = mesh.get_clim()
    bar.set_ticks(sorted({float(low or 0), 0.0, float(high or 0)}))
    size = letter_size(ax) + 1
    bar.set_label("contribution" if unit == 1 else f"contribution, in units of {unit:g}", fontsize=size)
    columns, targets = (list(map(str, np.atleast_1d(shares[dim].values))) for dim in ("key_column", "target_column"))
    name_cells(ax, columns, [(target,) for target in targets])
    ax.set_xlabel(lines("key column", n_records(*map(swept.attrs.get, ("records", "weights")))), fontsize=size)
    ax.set_ylabel("target", fontsize=size)
    ax.set_title(f"{shown(swept['measure'].values.item())}, {title}", fontsize=size)
    write_cells(ax, mesh, shares.values, written)
    return ax
