"""Figure of the law of average CAP."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.container import BarContainer

from capstats.plotting.shared import BASELINE, ORIGINAL, VERMILLION, axes_of, legend_above, shown


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
        What ``density``, ``cdf`` or ``atoms`` of `capstats.laws.cap_law` returned, at increasing values. The band from ``lower`` to
        ``upper`` holds the exact curve; often it is as thin as the line in it. Each atom is a vertical line with a dot.
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
    >>> from capstats.laws import cap_law
    >>> from matplotlib.figure import Figure
    >>> ax = plot_cap_law(cap_law([[2, 2], [0, 0]]).density([0, 0.25, 0.5, 0.75, 1]), ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist()
    [0.0, 1.0, 2.0, 1.0, 0.0]
    """
    if "value" not in getattr(result, "dims", ()) or not {"lower", "probability"} & set(result.data_vars):
        raise ValueError("`result` must be what `density`, `cdf` or `atoms` of a law returned for a row of values.")
    is_density = result.attrs.get("result", "").startswith("Density")
    if over is not None and "lower" in result and not is_density:
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
        lower, upper = (result[name].values * (tables * bin_width if is_density else 1.0) for name in ("lower", "upper"))
        (line,) = ax.plot(result["value"].values, np.mean([lower, upper], axis=0), **({"linewidth": 1.4} | style))
        ax.fill_between(result["value"].values, lower, upper, color=line.get_color(), alpha=0.3, linewidth=0, zorder=line.get_zorder())
    for number, reference in ((original, ORIGINAL), (baseline, BASELINE)):
        if number is not None:
            ax.axvline(float(number), **reference)
    if over is None:
        ax.set_xlabel("average CAP")
        ax.set_ylabel("probability" if "probability" in result else "density" if is_density else "probability of at most this average CAP")
        ax.set_ylim(bottom=0)
    return legend_above(ax, given)
