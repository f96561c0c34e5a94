"""Figures of the distribution of average CAP: a histogram of random releases, and its law."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from numpy.typing import ArrayLike

from capstats.plotting.shared import BASELINE, COLOURS, DASHES, ORIGINAL, VERMILLION, axes_of, legend_above, references, shortened, shown
from capstats.tables.ties import at_most

FILL = "#56B4E9"  # of the first version; the outlines of others are told from it in grey, too
BINS = 31  # bins over all values; odd, so that a single value is in the middle of one
FAR = 3  # times the range of the values: beyond this the original is an arrow at the edge


def plot_average_cap(
    averages: ArrayLike | xr.DataArray | Mapping[str, xr.DataArray],
    *,
    original: float | None = None,
    baseline: float | None = None,
    ax: Axes | None = None,
    **hist_kwargs: Any,
) -> Axes:
    """Histogram of the average CAP of many synthetic tables, several versions over each other.

    Parameters
    ----------
    averages : DataArray, list, array or Series, or mapping {label: any of these}
        Results of `capstats.average_cap` for draws of synthetic tables; NaN (no matched record) is left out, and their number is given in
        the label. A DataArray with one labelled dim beside the draws, such as ``m``, has a version for each of its labels.
    original : float, optional
        Average CAP of the original with itself, drawn as a dashed line. If it is so far from the averages that the bars would become too
        narrow, an arrow at the edge and the legend show its value instead.
    baseline : float, optional
        Result of `capstats.baseline_cap`, as a dotted line, or likewise an arrow.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **hist_kwargs
        Passed to matplotlib's ``Axes.hist``.

    Returns
    -------
    Axes
        The bars of the first version are filled; each other one, of up to 28 that can be told apart, has an outline; of more versions
        the legend names 15. There are 31 bins from
        the least to the greatest average, and up to 93 if one version varies much less than all together. If all averages are the same,
        the axis goes from 0 to 1, and the bar has its number.

    Raises
    ------
    ValueError, TypeError
        If there is no number to draw, or one is not from 0 to 1, or a Dataset is given, which holds several numbers of each table.

    See Also
    --------
    capstats.average_cap, capstats.laws.sample_tables

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_average_cap(xr.DataArray([0.31, 0.35, 0.42, 0.42], dims="draw"), original=0.5, ax=Figure().subplots())
    >>> int(sum(bar.get_height() for bar in ax.containers[0]))
    4
    """
    if isinstance(averages, xr.Dataset):
        raise TypeError("`averages` is a Dataset; give one of its variables, such as `.estimate` of average_cap_interval.")
    versions: dict[Any, Any] = dict(averages) if isinstance(averages, (Mapping, pd.DataFrame)) else _versions(averages)
    values, labels = [], []
    for label, array in zip(shortened(list(map(str, versions)), 36), versions.values(), strict=True):
        flat = np.asarray(array, dtype=float).ravel()
        undefined = int(np.isnan(flat).sum())
        values.append(flat[~np.isnan(flat)])
        labels.append(f"{shown(label)} ({undefined} undefined)".strip() if undefined else shown(label))
    if not any(map(len, values)):
        raise ValueError("`averages` holds no number to draw.")
    every = np.concatenate(values)
    low, high = every.min(), every.max()
    if not (at_most(-low, 0, scale=1) and at_most(high, 1)):
        raise ValueError(f"`averages` must hold average CAP, numbers from 0 to 1; they are from {low:.4g} to {high:.4g}.")
    given, ax = ax, axes_of(ax, series=len(values))
    same = at_most(high, low)
    bins = hist_kwargs.pop("bins", _bins(values, low, high))
    edges = np.histogram_bin_edges(every, bins)
    for i, (numbers, label) in enumerate(zip(values, labels, strict=True)):
        bars: dict[str, Any] = {"color": (0, 0, 0, 0), "label": ""} if i else {"color": FILL, "label": label}
        heights = ax.hist(numbers, bins=edges.tolist(), **(bars | hist_kwargs))[0]
        if i:
            outline: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[(i - 1) % len(DASHES)], "linewidth": 1.3}
            ax.stairs(heights, edges, **outline, label=label)
    if same and len(edges) == BINS + 1:
        ax.set_xlim(-0.03, 1.03)
        side = 1 if every[0] < 0.5 else -1
        beside: dict[str, Any] = {"ha": "left" if side > 0 else "right", "transform": ax.get_xaxis_transform()}
        ax.text(every[0] + side / BINS, 0.5, f"all at {every[0]:.3g}", **beside)
    reach = 1 if same else FAR * max(high - low, 0.02)
    for number, line, height in ((original, ORIGINAL, 0.5), (baseline, BASELINE, 0.6)):
        if number is not None:
            _reference(ax, float(number), (low - reach, high + reach), line, height)
    ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel("average CAP")
    sizes = sorted({np.size(array) for array in versions.values()})
    ax.set_ylabel(f"synthetic tables, of {' to '.join(f'{size:,}' for size in dict.fromkeys((sizes[0], sizes[-1])))}")
    return legend_above(ax, given, sum(map(bool, labels)))


def _versions(averages: Any) -> dict[str, Any]:
    """The averages by the labels of their only labelled dim beside the draws."""
    dims = [dim for dim in getattr(averages, "dims", ()) if dim in averages.coords and dim != "draw"]
    if len(dims) != 1 or averages.ndim == 1:
        return {"": averages}
    return {f"{dims[0]} = {label}": averages.isel({dims[0]: i}) for i, label in enumerate(averages[dims[0]].values)}


def _bins(values: list[Any], low: Any, high: Any) -> Any:
    """Edges of bins from the least to the greatest value; narrower bins if one version varies less than all together."""
    if at_most(high, low):  # one bar in the middle of its bin, on an axis of all averages
        return np.linspace(low - 0.5, low + 0.5, BINS + 1)
    narrowest = min((np.ptp(x) for x in values if len(x) and not at_most(x.max(), x.min())), default=high - low)
    return np.linspace(low, high, int(min(max(BINS, 12 * (high - low) / narrowest), 3 * BINS)) + 1)


def _reference(ax: Axes, number: float, near: tuple[float, float], line: dict[str, Any], height: float) -> None:
    """A line at a number, or an arrow to it at the edge of the Axes where it is far from the values."""
    if near[0] <= number <= near[1]:
        ax.axvline(number, **line)
        return
    right = number > near[1]
    label = f"{line['label']}: {number:.3g},\n{'to the right' if right else 'to the left'} of the axis"
    style = line | {"label": label, "marker": ">" if right else "<", "clip_on": False}
    ax.plot([0.97, 1] if right else [0.03, 0], [height, height], markevery=[1], transform=ax.transAxes, **style)


def plot_cap_law(
    result: xr.Dataset,
    *,
    over: BarContainer | None = None,
    label: str = "law of average CAP",
    original: float | None = None,
    baseline: float | None = None,
    ax: Axes | None = None,
    **line_kwargs: Any,
) -> Axes:
    """Density, distribution function or atoms of average CAP, alone or over a histogram of simulated tables.

    Parameters
    ----------
    result : Dataset, dims (value,)
        What ``density``, ``cdf`` or ``atoms`` of `capstats.laws.cap_law` returned, at increasing values. The band from ``least`` to
        ``greatest`` holds the exact curve; often it is as thin as the line in it. Each atom is a vertical line with a dot.
    over : BarContainer, optional
        Bars of a histogram with equal bins, such as ``ax.containers[0]`` after `plot_average_cap`. A density, or the probability of an
        atom, is drawn in their scale: the number of tables that a bin would have on average.
    label : str
        Of the law, in the legend.
    original : float, optional
        Average CAP of the original with itself, drawn as a dashed line.
    baseline : float, optional
        Result of `capstats.baseline_cap`, as a dotted line.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **line_kwargs
        Passed to matplotlib's ``Axes.plot`` or, of atoms, ``Axes.vlines``.

    Returns
    -------
    Axes
        With one line and one band, or with a vertical line and a dot for each atom.

    Raises
    ------
    ValueError
        If the result has no row of values, or a distribution function is to be drawn over bars.

    See Also
    --------
    capstats.laws.cap_law, plot_average_cap

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2, which simulates the law.

    Examples
    --------
    >>> from capstats.laws import Uniform, cap_law
    >>> from matplotlib.figure import Figure
    >>> ax = plot_cap_law(cap_law([[2, 2], [0, 0]], Uniform()).density([0, 0.25, 0.5, 0.75, 1]), ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist()
    [0.0, 1.0, 2.0, 1.0, 0.0]
    """
    if "value" not in getattr(result, "dims", ()) or not {"least", "probability"} & set(result.data_vars):
        raise ValueError("`result` must be what `density`, `cdf` or `atoms` of a law returned for a row of values.")
    is_density = result.attrs.get("result", "").startswith("Density")
    if over is not None and "least" in result and not is_density:
        raise ValueError("A distribution function has another scale than bars have. Give `density`, or leave out `over`.")
    given, ax = ax, axes_of(ax)
    bars = [] if over is None else over.patches
    tables = sum(bar.get_height() for bar in bars) if bars else 1.0
    bin_width = bars[1].get_x() - bars[0].get_x() if len(bars) > 1 else 1.0
    style: dict[str, Any] = {"color": VERMILLION, "label": shown(label), "zorder": 3} | line_kwargs
    if "probability" in result:
        heights = result["probability"].values * tables
        ax.vlines(result["value"].values, 0, heights, **style)
        ax.plot(result["value"].values, heights, "o", color=style["color"], markersize=4, zorder=style["zorder"])
    else:
        lower, upper = (result[name].values * (tables * bin_width if is_density else 1.0) for name in ("least", "greatest"))
        heights = np.mean([lower, upper], axis=0)
        (line,) = ax.plot(result["value"].values, heights, **({"linewidth": 1.4} | style))
        ax.fill_between(result["value"].values, lower, upper, color=line.get_color(), alpha=0.3, linewidth=0, zorder=line.get_zorder())
    references(ax, "x", None, original, baseline, zorder=2)
    if over is None:
        ax.set_xlabel("average CAP")
        ax.set_ylabel("probability" if "probability" in result else "density" if is_density else "probability of at most this average CAP")
        ax.set_ylim(0, max(ax.get_ylim()[1], 1.05 * np.max(heights)))
        if len(result["value"]) == 1:
            ax.set_xlim(-0.03, 1.03)  # of all averages
    return legend_above(ax, given)
