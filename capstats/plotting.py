"""Results as figures: each function draws what another one returned, on the Axes it is given, and computes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes

BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#D9D9D9"  # apart for the colour-blind (Okabe and Ito), and in grey
FILLS: tuple[dict[str, Any], ...] = (
    {"facecolor": "#56B4E9", "hatch": None},
    {"facecolor": "#E69F00", "hatch": "////"},
    {"facecolor": "white", "hatch": "...."},
)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
MARKERS = "osD^vPX*<>"  # as many as make each of 70 curves unlike the others


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
        cells = _stored(box["individual"])
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
    ax = _axes(ax)
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
    ax = _axes(ax)
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


def plot_membership_difference(roc: xr.Dataset, *, ax: Axes | None = None, **plot_kwargs: Any) -> Axes:
    """True minus false positive rate of a membership attack over its threshold, one curve for each number of released tables.

    Parameters
    ----------
    roc : Dataset
        Result of `capstats.membership_roc`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **plot_kwargs
        Passed to matplotlib's ``Axes.plot``.

    Returns
    -------
    Axes
        Curves from light (few tables) to dark (many); at 0 the threshold tells nobody from anybody.

    Raises
    ------
    TypeError
        If `roc` is not such a Dataset.

    See Also
    --------
    capstats.membership_roc

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", the plots named Diff.
    """
    ax = _axes(ax)
    for label, style, one in _by_m(roc, "difference"):
        ax.plot(one["at"], one["difference"], label=label, **(style | plot_kwargs))
    ax.axhline(0, color="0.6", linewidth=0.8, zorder=1)
    ax.set_xlabel("threshold, as log10")
    ax.set_ylabel("true minus false positive rate")
    return _keyed(ax)


def plot_membership_roc(roc: xr.Dataset, *, ax: Axes | None = None, **plot_kwargs: Any) -> Axes:
    """ROC curves of a membership attack, one for each number of released tables.

    Parameters
    ----------
    roc : Dataset
        Result of `capstats.membership_roc`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **plot_kwargs
        Passed to matplotlib's ``Axes.plot``.

    Returns
    -------
    Axes
        Curves from light (few tables) to dark (many), with the area under each in its label; the dashed diagonal is a guess.

    Raises
    ------
    TypeError
        If `roc` is not such a Dataset.

    See Also
    --------
    capstats.membership_roc

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", the plots named ROC.
    """
    ax = _axes(ax)
    for label, style, one in _by_m(roc, "true_positive_rate"):
        area = f"area {float(one['auc']):.2f}"
        named = f"{label}: {area}" if label else area
        ax.plot(one["false_positive_rate"], one["true_positive_rate"], label=named, **(style | plot_kwargs))
    ax.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=0.8, zorder=1)
    ax.set_xlabel("false positive rate")
    ax.set_ylabel("true positive rate")
    ax.set_aspect("equal")
    return _keyed(ax)


def plot_maximum_knowledge(knowledge: xr.Dataset, *, ax: Axes | None = None, **plot_kwargs: Any) -> Axes:
    """How often each column is guessed from all the others, against the number of released tables that are pooled.

    Parameters
    ----------
    knowledge : Dataset
        Result of `capstats.maximum_knowledge` for several numbers of tables.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **plot_kwargs
        Passed to matplotlib's ``Axes.plot``.

    Returns
    -------
    Axes
        A curve with a marker of its own for each column, a thick dashed black one for their average, and the legend beside them.

    Raises
    ------
    TypeError
        If `knowledge` is not such a Dataset, or has one number of tables only.

    See Also
    --------
    capstats.maximum_knowledge

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", the plots named MKIC.
    """
    if not isinstance(knowledge, xr.Dataset) or "column" not in knowledge.dims or "m" not in knowledge.dims:
        raise TypeError("`knowledge` must be the Dataset that maximum_knowledge returns for several released tables, with dim `m`.")
    ax = _axes(ax)
    m = knowledge["m"].values
    for column, color, marker in zip(knowledge["column"].values, cycle(COLOURS), cycle(MARKERS), strict=False):
        style: dict[str, Any] = {"color": color, "marker": marker, "linewidth": 1.2, "markersize": 4}
        ax.plot(m, knowledge["accuracy"].sel(column=column), label=str(column), **(style | plot_kwargs))
    ax.plot(m, knowledge["average"], label="average", color="black", linestyle="--", linewidth=2.2)
    ax.set_ylabel("share guessed right")
    return _keyed(_over_m(ax, m), loc="center left", bbox_to_anchor=(1, 0.5))


def plot_attack_utility(accuracy: xr.DataArray, utility: Any, *, name: str = "attack", ax: Axes | None = None, **plot_kwargs: Any) -> Axes:
    """The accuracy of an attack beside the utility of the released tables, against their number.

    Parameters
    ----------
    accuracy : DataArray, dims (m)
        ``accuracy`` of `capstats.membership_roc`, or ``average`` of `capstats.maximum_knowledge`.
    utility : array-like, one number for each `m`
        What the tables are good for, from 0 to 1, by whatever measure; the source takes the accuracy of a fitted model.
    name : str
        What the attack is called.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **plot_kwargs
        Passed to matplotlib's ``Axes.plot``.

    Returns
    -------
    Axes
        Two curves: vermillion and solid for the attack, blue and dashed for the utility.

    Raises
    ------
    TypeError, ValueError
        If `accuracy` has not the one dim `m`, or `utility` another length.

    See Also
    --------
    capstats.membership_roc, capstats.maximum_knowledge

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", the plots named UI and UMK.
    """
    if not isinstance(accuracy, xr.DataArray) or accuracy.dims != ("m",):
        raise TypeError("`accuracy` must be a DataArray with the one dim `m`, such as roc.accuracy or knowledge.average.")
    of_use = np.asarray(utility, dtype=float)
    if of_use.shape != accuracy.shape:
        raise ValueError(f"`utility` has shape {of_use.shape}; give one number for each of the {accuracy.size} numbers of tables.")
    ax = _axes(ax)
    m = accuracy["m"].values
    of_attack: dict[str, Any] = {"color": VERMILLION, "marker": "o", "markersize": 4}
    ax.plot(m, accuracy, label=name, **(of_attack | plot_kwargs))
    ax.plot(m, of_use, label="utility", **(of_attack | {"color": BLUE, "linestyle": "--", "marker": "s"} | plot_kwargs))
    ax.set_ylabel("accuracy, utility")
    return _keyed(_over_m(ax, m))


def _by_m(roc: Any, variable: str) -> list[tuple[str, dict[str, Any], xr.Dataset]]:
    """The curves of each number of released tables, with a label and a shade."""
    if not isinstance(roc, xr.Dataset) or variable not in roc:
        raise TypeError(f"`roc` must be the Dataset that membership_roc returns; got {type(roc).__name__}.")
    if "m" not in roc.dims:
        return [("", {"color": BLUE}, roc)]
    shades = plt.get_cmap("viridis_r")(np.linspace(0.15, 1, roc.sizes["m"]))
    return [
        (f"m = {m}", {"color": shade, "linewidth": 1.3}, roc.isel(m=i))
        for i, (m, shade) in enumerate(zip(roc["m"].values, shades, strict=True))
    ]


def _over_m(ax: Axes, m: Any) -> Axes:
    """An axis of numbers of released tables, as its ticks have them."""
    ax.set_xscale("log")
    ax.set_xticks(m, [str(k) for k in m])
    ax.minorticks_off()
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("released tables, m")
    return ax


def _keyed(ax: Axes, **place: Any) -> Axes:
    """The Axes with a legend, where it has something to tell."""
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize="small", frameon=False, **place)
    return ax


def _stored(array: xr.DataArray) -> Any:
    """The numbers that an array holds, whether it is dense or sparse."""
    data = array.variable.data
    return data.ravel() if isinstance(data, np.ndarray) else data.data


def _axes(ax: Axes | None) -> Axes:
    return plt.subplots(layout="constrained")[1] if ax is None else ax
