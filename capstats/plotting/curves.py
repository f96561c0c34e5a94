"""Figures with one curve for each synthetic table: the distribution of individual CAP."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from capstats.plotting.shared import axes_of, curves, legend_above, lines, n_records, references


def plot_cap_ecdf(
    ecdf: xr.DataArray,
    *,
    average: Any = None,
    original: float | None = None,
    baseline: float | None = None,
    ax: Axes | None = None,
    **plot_kwargs: Any,
) -> Axes:
    """Share of the original records whose individual CAP is at most a value, as a step curve for each synthetic table.

    The distance from the curve to 1 is the share of people with a higher risk.

    Parameters
    ----------
    ecdf : DataArray, dims (at) or (at, one other)
        Result of `capstats.cap_ecdf` at several values. Between two values the curve has the value of the lower one, so use a fine grid,
        such as ``numpy.linspace(0, 1, 501)``.
    average : float, or one for each table, optional
        Average CAP, as a dash-dotted line; of several tables as a dot on the curve of each.
    original : float, optional
        Average CAP of the original with itself, as a dashed line.
    baseline : float, optional
        Result of `capstats.baseline_cap`, as a dotted line.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **plot_kwargs
        Passed to matplotlib's ``Axes.plot``.

    Returns
    -------
    Axes
        One step curve for each table, each with its own colour and line style for up to 28; of more tables the legend names 15.

    Raises
    ------
    TypeError, ValueError
        If `ecdf` is not such a DataArray, or has more than one other dim.

    See Also
    --------
    capstats.cap_ecdf, plot_individual_cap

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 1 shows this distribution as boxplots.

    Examples
    --------
    >>> from capstats import cap_ecdf
    >>> from matplotlib.figure import Figure
    >>> ax = plot_cap_ecdf(cap_ecdf([[2, 0], [2, 4]], [[1, 1], [1, 3]], [0, 0.5, 1]), average=0.625, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist()
    [0.0, 0.5, 1.0]
    """
    drawn = curves(ecdf)
    at = np.sort(ecdf["at"].values)
    given, ax = ax, axes_of(ax, series=len(drawn))
    for values, style in drawn:
        ax.plot(at, values, **({"drawstyle": "steps-post"} | style | plot_kwargs))
    on_curves = len(drawn) == np.size(average) > 1  # each on its own curve, which distinguishes them in grey
    if on_curves:
        for i, ((values, style), number) in enumerate(zip(drawn, np.asarray(average, dtype=float), strict=True)):
            height = values[np.searchsorted(at, number, side="right") - 1]
            dot: dict[str, Any] = {"markeredgecolor": "white", "zorder": 3, "label": "average CAP" if i == 0 else None}
            ax.plot([number], [height], marker="o", linestyle="none", color=style["color"], **dot)
    references(ax, "x", None if on_curves else average, original, baseline)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), ylabel="share of records\nat or below")
    ax.set_xlabel(lines("individual CAP", n_records(*map(ecdf.attrs.get, ("records", "weights")))))
    return legend_above(ax, given, sum("label" in style for _, style in drawn))
