"""Figures of individual CAP: boxplots, and one dot a person."""

from __future__ import annotations

from typing import Any, Literal, get_args

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from capstats.codes.checks import check_choice
from capstats.plotting.shared import (
    BLUE,
    GREY,
    VERMILLION,
    area,
    axes_of,
    check_dims,
    check_result,
    in_points,
    labels_at,
    lay_out,
    legend_above,
    lines,
    n_records,
    one_pair,
    references,
    shortened,
    shown,
    text_of,
)
from capstats.tables.backing import filled, values_at
from capstats.tables.checking import weights_of
from capstats.tables.printing import of_records
from capstats.tables.table import Array, Floats, Index, Tables
from capstats.tables.ties import at_most

TABLES: dict[Any, str] = {"synthetic": "synthetic table", "original": "original table"}  # the label of an axis of tables, by its dim
TURNED = 12  # greatest length of a name below its box; for longer names the boxes are horizontal
LONGEST = 36  # greatest length of a name beside its box; less if the Axes are narrow
WIDTH = 0.6  # width of a character, relative to its height
LEGIBLE = 6  # least font size in points; names are shortened rather than printed smaller
BESIDE = 0.5  # share of the width of the Axes for names beside the boxes
CIRCLE: dict[str, Any] = {"marker": "o", "facecolors": "none", "edgecolors": "0.35", "linewidths": 0.6, "zorder": 2.5}

STYLE: dict[str, Any] = {
    "showmeans": True,
    "showfliers": True,
    "patch_artist": True,
    "widths": 0.6,
    "boxprops": {"facecolor": GREY, "linewidth": 0.8},
    "medianprops": {"color": "black", "linewidth": 1.5},
    "meanprops": {"marker": "o", "markerfacecolor": VERMILLION, "markeredgecolor": "white", "markersize": 5, "zorder": 4},
    "flierprops": {"marker": "o", "markerfacecolor": "none", "markeredgecolor": "0.35", "markersize": 3, "linewidth": 0.6},
}

Orientation = Literal["vertical", "horizontal"]
Order = Literal["average", "given"]


def plot_individual_cap(
    boxes: xr.Dataset, *, order: Order = "average", orientation: Orientation | None = None, ax: Axes | None = None, **bxp_kwargs: Any
) -> Axes:
    """Boxplots of individual CAP over the original records, one for each synthetic table, in the order of average CAP.

    Parameters
    ----------
    boxes : Dataset
        Result of `capstats.cap_boxplot`, for one synthetic table or along one dim.
    order : {"average", "given"}
        Whether the tables are in the order of average CAP, the least first, or in that of `boxes`; horizontal boxes in the given order have
        the first on top.
    orientation : {"vertical", "horizontal"}, optional
        By default boxes are vertical, and horizontal if the names of the tables are too long to be printed below them.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend; it is larger if there are many boxes.
    **bxp_kwargs
        Passed to matplotlib's ``Axes.bxp``.

    Returns
    -------
    Axes
        Boxes with the average as a dot. Outliers are open circles; their area grows with the number of records, by the same step for each
        power of ten. If all tables have the same value, the average CAP of the original is a dashed line and the baseline a dotted line.
        Variables that `boxes` does not have, such as ``baseline_cap``, are not drawn.

    Raises
    ------
    TypeError, ValueError
        If `boxes` is not such a Dataset, or has more than one dim of tables, or `order` or `orientation` is unknown.

    See Also
    --------
    capstats.cap_boxplot

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 1.

    Examples
    --------
    >>> from capstats import cap_boxplot
    >>> from matplotlib.figure import Figure
    >>> ax = plot_individual_cap(cap_boxplot([[20, 5], [30, 45]], [[8, 7], [25, 60]]), ax=Figure().subplots())
    >>> ax.get_ylabel(), ax.get_xlabel()
    ('individual CAP', 'n = 100 records')
    """
    check_result(boxes, "boxes", xr.Dataset, ("outliers",), "the Dataset that cap_boxplot returns")
    check_choice(order, "order", get_args(Order))
    if orientation is not None:
        check_choice(orientation, "orientation", get_args(Orientation))
    check_dims(boxes["median"], "boxes", 1)
    (dim,) = boxes["median"].dims or (None,)
    boxes = boxes.drop_vars("individual", errors="ignore")  # selecting from a sparse array would compile functions for seconds
    boxes = boxes.expand_dims("synthetic") if dim is None else boxes
    places = np.arange(boxes["average_rank"].size)
    if order == "average":
        places = np.argsort(-boxes["average_rank"].values, kind="stable")  # ties keep their order; tables without a rank are last
    boxes = boxes.isel({dim or "synthetic": places})
    names = [str(x) for x in boxes.indexes.get(dim, places)] if dim else [""]  # tables without names are numbered
    tall = max(map(len, names)) > TURNED
    given, ax = ax, axes_of(ax, width=min(0.12 * len(names), 30), height=min(1.5 + 0.25 * len(names), 60) if tall else 0)
    labels, upright, ticks = fitted(names, ax, orientation)
    positions = list(bxp_kwargs.get("positions", range(1, len(labels) + 1)))
    style = STYLE | bxp_kwargs
    circles = "outlier_records" in boxes and "flierprops" not in bxp_kwargs and style["showfliers"]
    style["showfliers"] = style["showfliers"] and not circles
    style |= {"vert": upright} if mpl.__version_info__ < (3, 10) else {"orientation": "vertical" if upright else "horizontal"}
    drawn = ax.bxp([_box(boxes.isel({dim or "synthetic": i}), label) for i, label in enumerate(labels)], **style)
    if drawn["means"]:
        drawn["means"][0].set_label("average CAP")
    held = [boxes[name].values if name in boxes else np.empty(0) for name in ("original_cap", "baseline_cap")]
    original, baseline = (x.flat[0] if x.size and at_most(x.max(), x.min()) else None for x in held)
    references(ax, "y" if upright else "x", None, original, baseline, zorder=3)
    if circles:
        _circles(boxes, positions, ax, upright)
    _axes(ax, upright, dim, boxes, order)
    ax.tick_params(axis="x" if upright else "y", **ticks)
    return legend_above(ax, given)


def fitted(names: list[str], ax: Axes, orientation: Orientation | None) -> tuple[list[str], bool, dict[str, Any]]:
    """The labels of the boxes, whether the boxes are vertical, and the size and rotation of the labels."""
    width, height = in_points(ax)
    size = FontProperties(size=mpl.rcParams["xtick.labelsize"]).get_size_in_points()
    longest = max(map(len, names))
    crowded = len(names) * (longest + 0.6) * WIDTH * size > width
    if orientation == "horizontal" or (orientation is None and crowded and longest > TURNED):
        names = shortened(names, min(LONGEST, max(16, int(BESIDE * width / (WIDTH * LEGIBLE)))))
        fitting = min(0.75 * height / len(names), BESIDE * width / (WIDTH * max(1, *map(len, names))))
        return list(map(shown, names)), False, {"labelsize": min(size, max(4.0, fitting))}
    turned = {"labelsize": min(size, max(4.0, 0.75 * width / len(names))), "labelrotation": 90}
    return list(map(shown, names)), True, turned if crowded else {}


def _box(box: xr.Dataset, label: str) -> dict[str, Any]:
    """One box in the form that matplotlib expects."""
    five = {"whislo": "lower_whisker", "q1": "lower_quartile", "med": "median", "q3": "upper_quartile", "whishi": "upper_whisker"}
    outliers = box["outliers"].values
    numbers = {theirs: float(box[ours]) for theirs, ours in five.items()}
    return {"label": label, **numbers, "mean": float(box["average"]), "fliers": outliers[~np.isnan(outliers)]}


def _circles(boxes: xr.Dataset, positions: list[float], ax: Axes, upright: bool) -> None:
    """Draw outliers as circles by their number of records; the legend shows a circle for 1 record and for the largest power of ten."""
    values, records = boxes["outliers"].values, boxes["outlier_records"].values
    box, which = np.nonzero(records)
    if not len(box):
        return
    value, people, place = values[box, which], records[box, which], np.asarray(positions)[box]
    ax.scatter(*((place, value) if upright else (value, place)), s=area(people), **CIRCLE)
    for power in dict.fromkeys((0, int(np.log10(people.max())))):
        ax.scatter([], [], s=area(10**power), label=f"outlier: {of_records(10**power, boxes.attrs.get('weights'))}", **CIRCLE)


def _axes(ax: Axes, upright: bool, dim: Any, boxes: xr.Dataset, order: Order) -> None:
    """Set limits and labels of the axes; a single table without a name has no tick."""
    value, tables = (ax.yaxis, ax.xaxis) if upright else (ax.xaxis, ax.yaxis)
    (ax.set_ylim if upright else ax.set_xlim)(-0.03, 1.03)
    by = f"{TABLES.get(dim, shown(dim))}{', by average CAP' * (order == 'average')}" if dim else ""
    if order == "given" and not upright:
        ax.invert_yaxis()
    n = n_records(boxes.get("records"), boxes.attrs.get("weights"))
    value.set_label_text("individual CAP" if upright else lines("individual CAP", n))
    tables.set_label_text(lines(by, n) if upright else by)
    if not dim:
        tables.set_ticks([])


MOST_PEOPLE = 2000  # people; more dots are a grey area
GROUPS = 40  # levels of the target, each with its own row
STEPS = (0.02, 0.04)  # width of a stack of dots: the second where dots would be small with the first
LARGEST, SMALL, SMALLEST = 6.0, 2.5, 0.2  # diameter of a dot, in points
FINE = 0.1  # between the diameters that are tried
LABEL = 11.0  # least height of a row with a label, in points


def plot_people(
    tables: Tables,
    individual: xr.DataArray,
    *,
    by_target: bool = False,
    average: float | None = None,
    original: float | None = None,
    baseline: float | None = None,
    ax: Axes | None = None,
    **scatter_kwargs: Any,
) -> Axes:
    """Individual CAP of every original record, one dot each: for tables of up to some hundreds of people.

    Parameters
    ----------
    tables : Dataset
        Result of `capstats.tabulate` or `capstats.from_counts`; its ``o`` says how many people are in each cell.
    individual : DataArray, dims (target, key)
        Result of `capstats.individual_cap` for these tables.
    by_target : bool
        Whether each level of the target has a row of its own.
    average, original, baseline : float, optional
        Average CAP, average CAP of the original with itself, and the result of `capstats.baseline_cap`, drawn as lines.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **scatter_kwargs
        Passed to matplotlib's ``Axes.scatter``.

    Returns
    -------
    Axes
        Dots stacked where individual CAP is the same, to within 0.01, or 0.02 if dots would be small otherwise; the label of
        the axis says which. High stacks have several dots in a line. All dots have the same size: the greatest, up to 6 points, with
        which the highest stack is within the Axes. People whose individual CAP is undefined are not drawn; the label has their number.

    Raises
    ------
    TypeError, ValueError
        If `tables` or `individual` are not such results, hold more than one table or do not belong together; if there are more than 2,000
        people, or with `by_target` more than 40 levels, or the counts are fractional or sums of sampling weights.

    See Also
    --------
    capstats.individual_cap, plot_cap_ecdf, plot_individual_cap

    References
    ----------
    Wilkinson (1999), "Dot plots", https://doi.org/10.1080/00031305.1999.10474474.

    Examples
    --------
    >>> import capstats
    >>> from matplotlib.figure import Figure
    >>> tables = capstats.from_counts([[2, 0], [2, 4]], [[1, 1], [1, 3]])
    >>> ax = plot_people(tables, capstats.individual_cap(tables.o, tables.s), ax=Figure().subplots())
    >>> len(ax.collections[0].get_offsets()), ax.get_xlabel().splitlines()
    (8, ['individual CAP, to within 0.01', 'n = 8 records, one dot each'])
    """
    o, q = one_pair(tables, individual)
    target, value = _people(o, q)
    drawn = ~np.isnan(value)
    target, value = target[drawn], value[drawn]
    levels = np.unique(target)[::-1]  # the first on top
    if by_target and len(levels) > GROUPS:
        raise ValueError(
            f"The target has {len(levels)} levels, more than {GROUPS} rows of dots. Choose some with .isel, or by_target=False."
        )
    by_target = by_target and len(levels) > 0
    groups = [value[target == level] for level in levels] if by_target else [value]
    given, ax = ax, axes_of(ax, height=min(2 + 0.5 * len(groups), 9))
    style: dict[str, Any] = {"s": LARGEST**2, "color": BLUE, "linewidths": 0, "zorder": 2, "label": "one record"}
    dots = ax.scatter([], [], **(style | scatter_kwargs))
    references(ax, "x", average, original, baseline)
    undefined = int((~drawn).sum())
    below = f"{n_records(len(value))}, one dot each{f'; {undefined:,} undefined' if undefined else ''}"
    ax.set_xlabel(f"individual CAP, to within {STEPS[0] / 2:g}\n{below}")
    names = shortened(list(map(text_of, labels_at(o, "target", levels))), 24) if by_target else []
    labels = [f"{shown(name)}\nn = {len(group):,}" for name, group in zip(names, groups, strict=by_target)]
    ax.set_yticks(range(len(labels)), labels, fontsize="small")
    ax.tick_params(axis="y", length=0)
    legend_above(ax, given)
    lay_out(ax)  # all that takes room is there
    width, height = in_points(ax)
    for step in STEPS:
        diameter, rows = _fitted(groups, step, width * step / 1.06, height, LABEL if by_target else 0)
        if diameter >= SMALL:
            break
    base = np.concatenate([[0.0], np.cumsum(rows)])
    across = diameter * 1.06 / width
    places = [_stacked(values, step, across) + np.array([0, bottom]) for values, bottom in zip(groups, base, strict=False)]
    dots.set_offsets(np.concatenate(places))
    if "s" not in scatter_kwargs:
        dots.set_sizes([(0.9 * diameter) ** 2])
    ax.set(xlim=(-0.03, 1.03), ylim=(0, max(base[-1], height / diameter)), xlabel=f"individual CAP, to within {step / 2:g}\n{below}")
    if by_target:
        ax.hlines(base[1:-1], -0.03, 1.03, color="0.8", linewidth=0.6, zorder=1)
        ax.set_yticks((base[:-1] + base[1:]) / 2, labels)
    return ax


def _people(o: xr.DataArray, q: xr.DataArray) -> tuple[Index, Floats]:
    """The target and the individual CAP of each person."""
    if (column := weights_of(o)) is not None:
        raise ValueError(
            f"`tables` hold sums of the sampling weights {column!r}, not numbers of people. Count the records without weights."
        )
    (target, key), records = filled(o.variable.data)
    if o.dtype.kind == "f" and (records != np.floor(records)).any():
        raise ValueError("`tables` hold fractional counts, which are no numbers of people. Use plot_cap_ecdf.")
    if (n := int(records.sum())) > MOST_PEOPLE:
        raise ValueError(f"`tables` hold {n:,} people, more than {MOST_PEOPLE:,} dots. Use plot_cap_ecdf or plot_individual_cap.")
    people = records.astype(int)
    return np.repeat(target, people), np.repeat(values_at(q.variable.data, target, key), people)


def _stacks(values: Floats, step: float) -> tuple[Array, Array]:
    """The places of the stacks, in steps, and how many dots each has."""
    return np.unique(np.rint(values / step), return_counts=True)


def _fitted(groups: list[Floats], step: float, wide: float, height: float, label: float) -> tuple[float, Floats]:
    """The greatest diameter with which all stacks are within the height, and the height of each group in diameters."""
    highest = [_stacks(values, step)[1].max(initial=1) for values in groups]
    for diameter in np.arange(max(min(LARGEST, wide), SMALLEST + FINE), SMALLEST, -FINE):
        rows = np.ceil(np.array(highest) / max(1, wide // diameter)) + 1  # one more than the stacks, as a margin
        rows = np.maximum(rows, label * 2 / diameter)
        if rows.sum() * diameter <= height:
            break
    return float(diameter), rows


def _stacked(values: Floats, step: float, across: float) -> Floats:
    """Positions of the dots: rows of (CAP, height in dots), the lines of each stack filled from below."""
    abreast = max(1, int(step / across + 1e-9))
    found = []
    for place, dots in zip(*_stacks(values, step), strict=True):
        line, column = np.divmod(np.arange(dots), abreast)
        in_line = np.minimum(abreast, dots - line * abreast)
        found.append(np.column_stack([place * step + (column - (in_line - 1) / 2) * across, line + 0.5]))
    return np.concatenate(found) if found else np.empty((0, 2))
