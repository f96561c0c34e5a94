"""Figure of individual CAP: boxplots."""

from __future__ import annotations

from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from capstats.plotting.shared import BASELINE, GREY, ORIGINAL, VERMILLION, area, axes_of, legend_above, n_records, shortened, shown
from capstats.tables.ties import at_most

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


def plot_individual_cap(boxes: xr.Dataset, *, orientation: Orientation | None = None, ax: Axes | None = None, **bxp_kwargs: Any) -> Axes:
    """Boxplots of individual CAP over the original records, one for each synthetic table, in the order of average CAP.

    Parameters
    ----------
    boxes : Dataset
        Result of `capstats.cap_boxplot`, for one synthetic table or along one dim.
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
        If `boxes` is not such a Dataset, or has more than one dim of tables, or `orientation` is unknown.

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
    if not isinstance(boxes, xr.Dataset) or "outliers" not in boxes:
        raise TypeError(f"`boxes` must be the Dataset that cap_boxplot returns; got {type(boxes).__name__}.")
    if orientation not in (None, "vertical", "horizontal"):
        raise ValueError(f'`orientation` must be "vertical" or "horizontal"; got {orientation!r}.')
    dims = boxes["median"].dims
    if len(dims) > 1:
        raise ValueError(f"`boxes` has dims {dims}; choose one table along all but one of them, with .sel or .isel.")
    dim = dims[0] if dims else None
    boxes = boxes.drop_vars("individual", errors="ignore")  # to select from a sparse one would compile for seconds
    boxes = boxes.expand_dims("synthetic") if dim is None else boxes
    order = np.argsort(-boxes["average_rank"].values, kind="stable")  # ties keep their order; tables without a rank are last
    boxes = boxes.isel({boxes["median"].dims[0]: order})
    names = [str(x) for x in boxes.indexes.get(dim, order)] if dim else [""]  # tables without names are numbered
    tall = max(map(len, names)) > TURNED
    given, ax = ax, axes_of(ax, width=min(0.12 * len(names), 30), height=min(1.5 + 0.25 * len(names), 60) if tall else 0)
    labels, upright, ticks = fitted(names, ax, orientation)
    positions = list(bxp_kwargs.get("positions", range(1, len(labels) + 1)))
    style = STYLE | bxp_kwargs
    circles = "outlier_records" in boxes and "flierprops" not in bxp_kwargs and style["showfliers"]
    if circles:
        style["showfliers"] = False
    if mpl.__version_info__ < (3, 10):
        style["vert"] = upright
    else:
        style["orientation"] = "vertical" if upright else "horizontal"
    drawn = ax.bxp([_box(boxes.isel({boxes["median"].dims[0]: i}), label) for i, label in enumerate(labels)], **style)
    if drawn["means"]:
        drawn["means"][0].set_label("average CAP")
    for variable, line in (("original_cap", ORIGINAL), ("baseline_cap", BASELINE)):
        if variable in boxes and at_most(np.max(boxes[variable].values), np.min(boxes[variable].values)):
            (ax.axhline if upright else ax.axvline)(float(boxes[variable].values.flat[0]), **line, zorder=3)
    if circles:
        _circles(boxes, positions, ax, upright)
    _axes(ax, upright, dim, boxes)
    ax.tick_params(axis="x" if upright else "y", **ticks)
    return legend_above(ax, given)


def fitted(names: list[str], ax: Axes, orientation: Orientation | None) -> tuple[list[str], bool, dict[str, Any]]:
    """The labels of the boxes, whether the boxes are vertical, and the size and rotation of the labels."""
    width, height = (length / ax.figure.dpi * 72 for length in ax.get_window_extent().size)  # in points, as fonts are
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
        ax.scatter([], [], s=area(10**power), label=f"outlier: {10**power:,} record{'s' * (power > 0)}", **CIRCLE)


def _axes(ax: Axes, upright: bool, dim: Any, boxes: xr.Dataset) -> None:
    """Set limits and labels of the axes; a single table without a name has no tick."""
    value, tables = (ax.yaxis, ax.xaxis) if upright else (ax.xaxis, ax.yaxis)
    (ax.set_ylim if upright else ax.set_xlim)(-0.03, 1.03)
    kind = {"synthetic": "synthetic table", "original": "original table"}.get(dim, shown(dim))
    by = f"{kind}, by average CAP" if dim else ""
    n = n_records(boxes.get("records"))
    value.set_label_text("individual CAP" if upright else "\n".join(filter(None, ["individual CAP", n])))
    tables.set_label_text("\n".join(filter(None, [by, n])) if upright else by)
    if not dim:
        tables.set_ticks([])
