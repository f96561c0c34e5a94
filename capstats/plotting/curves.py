"""Figures with one curve for each synthetic table: the distribution of individual CAP, and TCAP over its threshold."""

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
        One step curve for each table, each with its own colour and line style.

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
    drawn = curves(ecdf, "ecdf", "cap_ecdf", "at")
    given, ax = ax, axes_of(ax, height=3.5 + 0.1 * min(len(drawn), 40))
    for values, style in drawn:
        ax.plot(ecdf["at"].values, values, **({"drawstyle": "steps-post"} | style | plot_kwargs))
    averages = np.atleast_1d(np.asarray(average, dtype=float)) if average is not None else np.empty(0)
    if len(drawn) == len(averages) > 1:  # each on its own curve, which distinguishes them in grey
        for i, ((values, style), number) in enumerate(zip(drawn, averages, strict=True)):
            height = values[np.searchsorted(ecdf["at"].values, number, side="right") - 1]
            dot: dict[str, Any] = {"markeredgecolor": "white", "zorder": 3, "label": "average CAP" if i == 0 else None}
            ax.plot([number], [height], marker="o", linestyle="none", color=style["color"], **dot)
    else:
        references(ax, "x", average, None, None)
    references(ax, "x", None, original, baseline)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), ylabel="share of records\nat or below")
    ax.set_xlabel(lines("individual CAP", n_records(ecdf.attrs.get("records"))))
    return legend_above(ax, given)


def plot_tau_curve(curve: xr.DataArray, *, ax: Axes | None = None, **plot_kwargs: Any) -> Axes:
    """Targeted Correct Attribution Probability (TCAP) over its threshold, as a step curve for each synthetic table.

    Parameters
    ----------
    curve : DataArray, dims (tau) or (one other, tau)
        Result of `capstats.disclosure.tau_curve`.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend where there are several tables.
    **plot_kwargs
        Passed to matplotlib's ``Axes.plot``.

    Returns
    -------
    Axes
        One step curve for each table, exact at every threshold from 0 to 1.

    Raises
    ------
    TypeError, ValueError
        If `curve` is not such a DataArray, or has more than one other dim.

    See Also
    --------
    capstats.disclosure.tau_curve

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018), https://doi.org/10.1007/978-3-319-99771-1_9, for the threshold.

    Examples
    --------
    >>> from capstats.disclosure import tau_curve
    >>> from matplotlib.figure import Figure
    >>> ax = plot_tau_curve(tau_curve([[3, 2], [1, 4]], [[2, 1], [0, 2]], variant="all"), ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist()
    [0.7, 0.7, 0.3]
    """
    drawn = curves(curve, "curve", "tau_curve", "tau")
    given, ax = ax, axes_of(ax, height=3.5 + 0.1 * min(len(drawn), 40))
    for values, style in drawn:  # below the least threshold the curve is constant
        ax.plot([0, *curve["tau"].values], [values[0], *values], **({"drawstyle": "steps-pre"} | style | plot_kwargs))
    kinds = [curve.attrs[what] for what in ("variant", "rule") if curve.attrs.get(what, "class") != "class"]  # the rule "class" is usual
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), ylabel=", ".join(["TCAP", *kinds]))
    ax.set_xlabel(lines("threshold tau", n_records(curve.attrs.get("records"))))
    return legend_above(ax, given)
