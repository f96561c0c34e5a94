"""Shared by all figures: colours, Axes, labels as plain text, the number of records, and the legend."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from capstats.codes.names import in_cell, printable
from capstats.tables.axes import alike, index_of
from capstats.tables.dataset import as_tables
from capstats.tables.printing import of_records
from capstats.tables.table import Index

BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#D9D9D9"  # distinguishable by the colour-blind (Okabe and Ito) and in grey
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 1)))  # with the colours for curves that can be told apart
DIFFERENT, NAMED = 28, 15  # curves that can be told apart; how many of more curves a legend names
LONGEST = 64  # characters of a label that is shown whole where it differs from another only in its middle
COLOURS = (BLUE, VERMILLION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")

# The same three reference lines in every figure of CAP; each has its own line style.
AVERAGE: dict[str, Any] = {"color": VERMILLION, "linestyle": "-.", "linewidth": 1.2, "label": "average CAP"}
ORIGINAL: dict[str, Any] = {"color": BLUE, "linestyle": "--", "linewidth": 1.2, "label": "average CAP of the original"}
BASELINE: dict[str, Any] = {"color": "0.25", "linestyle": ":", "linewidth": 1.2, "label": "baseline: guess without a key"}


def axes_of(ax: Axes | None, *, width: float = 0, height: float = 0, series: int = 0) -> Axes:
    """The given Axes, or those of a new figure of at least that size in inches, higher where a legend names many ``series``."""
    if ax is not None:
        return ax
    usual = plt.rcParams["figure.figsize"]
    height = max(height, usual[1] + 0.1 * max(min(series, DIFFERENT) - 8, 0))
    return plt.subplots(figsize=(max(width, usual[0]), height), layout="constrained")[1]


def legend_above(ax: Axes, given: Axes | None, series: int = 0) -> Axes:
    """The Axes; in a new figure with a legend above them. On given Axes the caller decides about a legend.

    Of more than 28 ``series``, which are the first entries, 15 are named. Entries are in one column where two are too wide.
    """
    handles, labels = ax.get_legend_handles_labels()
    if given is None and labels and isinstance(ax.figure, Figure):
        order = sorted(range(len(labels)), key=lambda i: not isinstance(handles[i], (BarContainer, Patch)))  # bars before lines
        handles, labels = ([entries[i] for i in order] for entries in (handles, labels))
        if series > DIFFERENT:
            handles[NAMED:series], labels[NAMED:series] = [Patch(alpha=0)], [f"and {series - NAMED:,} more"]
        for columns in (2, 1):
            place: dict[str, Any] = {"loc": "outside upper center", "ncols": columns, "frameon": False, "fontsize": "small"}
            legend = ax.figure.legend(handles, labels, **place)
            if columns == 1 or _of_text(legend.get_window_extent).width <= ax.figure.bbox.width:
                break
            legend.remove()
    return ax


def shown(label: Any) -> str:
    """A label of the data as plain text: ``$`` and control characters are escaped; a leading ``_`` does not hide it from a legend."""
    text = printable(label).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def shortened(labels: list[str], longest: int, most: int = LONGEST) -> list[str]:
    """Long labels without their middle, as short as they stay distinct; numbered if that would take more than `most` characters."""
    short = labels
    for size in range(longest, min(max(map(len, labels), default=0), max(longest, most)) + 1):
        short = [x if len(x) <= size else f"{x[: size // 2]}…{x[len(x) - (size - 1) // 2 :]}" for x in labels]
        if len(set(short)) == len(set(labels)):
            return short
    places = {label: i for i, label in enumerate(dict.fromkeys(labels), 1)}
    return [f"{x} ({places[label]})" if x != label else x for x, label in zip(short, labels, strict=True)]


def check_result(result: Any, name: str, kind: type[xr.Dataset | xr.DataArray], held: Collection[str], what: str) -> None:
    """Raise unless a result is a Dataset with these variables or dims, or a DataArray with these dims; ``what`` is for the message."""
    variables = list(map(str, getattr(result, "data_vars", ())))
    if not isinstance(result, kind) or not set(held) <= {*result.dims, *variables}:
        got = f"dims {tuple(result.dims)}" if isinstance(result, kind) else type(result).__name__
        got += f" and {', '.join(variables)}" * bool(variables)
        raise TypeError(f"`{name}` must be {what}; got {got}.")


def check_dims(array: xr.DataArray, name: str, most: int, what: str = "one table along all but one of them") -> None:
    """Raise where a result has more dims than can be drawn."""
    if array.ndim > most:
        raise ValueError(f"`{name}` has dims {array.dims}; choose {what}, with .sel or .isel.")


def labels_at(table: xr.DataArray, dim: str, places: Index) -> list[Any]:
    """The labels of some targets or keys; their positions if the table has no labels."""
    index = index_of(table, dim)
    return list(places) if index is None else list(index[places])


def one_pair(tables: Any, individual: Any) -> tuple[xr.DataArray, xr.DataArray]:
    """The counts of the original and the individual CAP of their cells, dims (target, key) both."""
    o = as_tables(tables)["o"].transpose("target", "key")
    what = "the DataArray that individual_cap returns, with dims `target` and `key`"
    check_result(individual, "individual", xr.DataArray, ("target", "key"), what)
    check_dims(individual, "individual", 2, "one table")
    individual = individual.transpose("target", "key")
    if not all(alike(o, individual, dim) for dim in ("target", "key")):
        raise ValueError("`individual` has other targets or keys than `tables`. Give individual_cap(tables.o, tables.s) of these tables.")
    return o, individual


def lay_out(ax: Axes) -> None:
    """Give the Axes their place in the figure, which a layout engine does when it is drawn."""
    _of_text(ax.figure.figure.draw_without_rendering)


def _of_text(measure: Callable[[], Any]) -> Any:
    """What a function of matplotlib returns that measures texts."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # matplotlib warns when the figure is drawn
        return measure()


def in_points(ax: Axes) -> Any:
    """Width and height of the Axes in points, the unit of font sizes."""
    return np.asarray(ax.get_window_extent().size) / ax.figure.dpi * 72


def lines(*texts: str) -> str:
    """Texts below each other, without the empty ones."""
    return "\n".join(filter(None, texts))


def parts_of(label: Any) -> tuple[str, ...]:
    """A label, or the labels of several columns, as the texts that reports have: that of "missing" is not that of a missing value."""
    return tuple(map(in_cell, label if isinstance(label, tuple) else [label]))


def text_of(label: Any) -> str:
    """The same as one text."""
    return ", ".join(parts_of(label))


def area(number: Any, base: float = 4) -> Any:
    """Area of a mark in square points for a number of records or keys: the same step for each power of ten, in every figure."""
    return base * (1 + 2.5 * np.log10(number))


def n_records(numbers: Any, weights: Any = None) -> str:
    """Number of records of a figure, such as "n = 944 records", or the sum of their sampling weights; empty if unknown."""
    if numbers is None:
        return ""
    text = of_records([np.min(numbers).item(), np.max(numbers).item()], weights)
    return text if text.startswith("weighted") else f"n = {text}"


def references(ax: Axes, along: Literal["x", "y"], average: Any, original: Any, baseline: Any, zorder: float = 1.5) -> None:
    """Draw lines at the given averages; several averages have the colours of their curves."""
    draw = ax.axvline if along == "x" else ax.axhline
    for values, style in ((average, AVERAGE), (original, ORIGINAL), (baseline, BASELINE)):
        numbers = [] if values is None else np.atleast_1d(np.asarray(values, dtype=float)).tolist()
        for i, number in enumerate(numbers):
            several = {"color": COLOURS[i % len(COLOURS)], "label": None if i else style["label"]} if len(numbers) > 1 else {}
            draw(number, **(style | several), zorder=zorder)


def curves(ecdf: Any) -> list[tuple[Any, dict[str, Any]]]:
    """The shares at each value in ascending order, and the style, for each table; tables without names have no label."""
    check_result(ecdf, "ecdf", xr.DataArray, ("at",), "the DataArray that cap_ecdf returns, with dim `at`")
    check_dims(ecdf, "ecdf", 2)
    ecdf = ecdf.sortby("at")
    (dim,) = [d for d in ecdf.dims if d != "at"] or [None]
    if dim is None:
        return [(ecdf.values, {"color": BLUE})]
    every = ecdf.transpose(dim, "at").values
    if dim not in ecdf.indexes:
        return [(values, {"color": BLUE, "linewidth": 0.5}) for values in every]
    named = "" if dim == "synthetic" else f"{shown(dim)} = "  # releases have names of their own
    labels = [f"{named}{shown(label)}" for label in shortened(list(map(str, ecdf.indexes[dim])), 36)]
    return [
        (values, {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i % len(DASHES)], "label": labels[i]})
        for i, values in enumerate(every)
    ]
