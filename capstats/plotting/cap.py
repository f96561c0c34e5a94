"""Average and individual CAP as figures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from capstats.plotting.shared import BLUE, GREY, VERMILLION, axes_of, stored

FILLS: tuple[dict[str, Any], ...] = (
    {"facecolor": "#56B4E9", "hatch": None},
    {"facecolor": "#E69F00", "hatch": "////"},
    {"facecolor": "white", "hatch": "...."},
)

SIDE_BY_SIDE = 60  # characters of tick labels that fit beside each other


def plot_individual_cap(boxes: xr.Dataset, *, ax: Axes | None = None, **bxp_kwargs: Any) -> Axes:
    """Boxplots of individual CAP over the original records, one a synthetic table, in the order of average CAP.

    Parameters
    ----------
    boxes : Dataset
        Result of `capstats.cap_boxplot`, for one synthetic table or along one dim.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **bxp_kwargs
        Passed to matplotlib's ``Axes.bxp``.

    Returns
    -------
    Axes
        Boxes with outliers as open circles, the average as a dot, CAP of the original as a dashed line.

    Raises
    ------
    TypeError, ValueError
        If `boxes` is not such a Dataset, or has more than one dim to spread over.

    See Also
    --------
    capstats.cap_boxplot

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 1.
    """
    if not isinstance(boxes, xr.Dataset) or "upper_whisker" not in boxes:
        raise TypeError(f"`boxes` must be the Dataset that cap_boxplot returns; got {type(boxes).__name__}.")
    dims = boxes["median"].dims
    if len(dims) > 1:
        raise ValueError(f"`boxes` spreads over {dims}; choose one table along all but one of them, with .sel or .isel.")
    name = str(dims[0]) if dims else None
    boxes = boxes.expand_dims("synthetic") if name is None else boxes.transpose(name, ...)
    in_order = np.argsort(boxes["average"].values.round(12), kind="stable")  # averages that tie keep their given order
    boxes = boxes.isel({boxes["median"].dims[0]: in_order})
    labels = boxes.indexes.get(name, in_order if name else [""])  # a table without a label has its position
    stats = []
    for i, label in enumerate(labels):
        box = boxes.isel({boxes["median"].dims[0]: i})
        cells = stored(box["individual"])
        outside = (cells < float(box["lower_whisker"])) | (cells > float(box["upper_whisker"]))
        stats.append(
            {
                "label": str(label),
                "med": float(box["median"]),
                "q1": float(box["lower_quartile"]),
                "q3": float(box["upper_quartile"]),
                "whislo": float(box["lower_whisker"]),
                "whishi": float(box["upper_whisker"]),
                "mean": float(box["average"]),
                "fliers": np.unique(cells[outside]),
            }
        )
    ax = axes_of(ax)
    style: dict[str, Any] = {
        "showmeans": True,
        "patch_artist": True,
        "widths": 0.6,
        "boxprops": {"facecolor": GREY, "linewidth": 0.8},
        "medianprops": {"color": "black", "linewidth": 1.5},
        "meanprops": {"marker": "o", "markerfacecolor": VERMILLION, "markeredgecolor": "white", "markersize": 5, "zorder": 4},
        "flierprops": {"marker": "o", "markerfacecolor": "none", "markeredgecolor": "0.35", "markersize": 3, "linewidth": 0.6},
    }
    drawn = ax.bxp(stats, **(style | bxp_kwargs))
    if drawn["means"]:
        drawn["means"][0].set_label("average CAP")
    original = np.unique(boxes["original_cap"].values)
    if len(original) == 1:
        ax.axhline(float(original[0]), color=BLUE, linestyle="--", linewidth=1.2, zorder=3, label="average CAP of the original")
    ax.set_ylim(-0.03, 1.03)
    ax.set_ylabel("individual CAP")
    ax.set_xlabel("synthetic table, by average CAP" if name else "")
    if len(stats) * max(len(str(label)) for label in labels) > SIDE_BY_SIDE:
        ax.tick_params(axis="x", labelrotation=90)
    return ax


def plot_average_cap(
    averages: xr.DataArray | Mapping[str, xr.DataArray],
    *,
    original: float | None = None,
    ax: Axes | None = None,
    **hist_kwargs: Any,
) -> Axes:
    """Histogram of the average CAP of many synthetic tables, several versions side by side.

    Parameters
    ----------
    averages : DataArray, or mapping {label: DataArray}
        Results of `capstats.average_cap` for draws of synthetic tables; NaN (no matched record) is left out and counted in the label.
    original : float, optional
        Average CAP of the original with itself, drawn as a dashed line.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **hist_kwargs
        Passed to matplotlib's ``Axes.hist``.

    Returns
    -------
    Axes
        Bars of the versions beside each other in each bin: plain blue for the first, hatched orange for the second.

    Raises
    ------
    ValueError
        If there is nothing to draw.

    See Also
    --------
    capstats.average_cap, capstats.sample_tables

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2.
    """
    versions = {"": averages} if isinstance(averages, xr.DataArray) else dict(averages)
    values, labels = [], []
    for label, array in versions.items():
        flat = np.asarray(array, dtype=float).ravel()
        undefined = int(np.isnan(flat).sum())
        values.append(flat[~np.isnan(flat)])
        labels.append(f"{label} ({undefined} undefined)".strip() if undefined else label)
    if not any(map(len, values)):
        raise ValueError("`averages` holds no number to draw.")
    ax = axes_of(ax)
    ends = np.concatenate([*values, [] if original is None else [float(original)]])
    low, high = float(ends.min()), float(ends.max())
    pad = max(0.05 * (high - low), 0.01)  # tables that all tie still get a bin of visible width
    bins = hist_kwargs.pop(
        "bins", np.linspace(low - pad, high + pad, 32)
    )  # an odd number of bins: a lone value stands in the middle of one
    style: dict[str, Any] = {"edgecolor": "black", "linewidth": 0.3}
    ax.hist(values, bins=bins, label=labels, **(style | hist_kwargs))
    given = hist_kwargs.keys() | ({"facecolor"} if "color" in hist_kwargs else set())
    for container, fill in zip(ax.containers[-len(values) :], cycle(FILLS), strict=False):
        for bar in container:
            bar.set(**{name: value for name, value in fill.items() if name not in given})
    if original is not None:
        ax.axvline(float(original), color=BLUE, linestyle="--", linewidth=1.2, label="average CAP of the original")
    ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel("average CAP")
    ax.set_ylabel("synthetic tables")
    return ax
