"""Figure of the keys of a table: average CAP against the number of records with the key."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from capstats.plotting.shared import BLUE, VERMILLION, area, axes_of, legend_above, n_records, references


def plot_key_summary(
    summary: xr.Dataset,
    *,
    average: float | None = None,
    original: float | None = None,
    baseline: float | None = None,
    ax: Axes | None = None,
    **scatter_kwargs: Any,
) -> Axes:
    """Average CAP of each key against the number of original records that have it.

    Small keys scatter widely and large keys are near the average, so the marks form a funnel. Keys outside it deserve attention.

    Parameters
    ----------
    summary : Dataset, dims (key)
        Result of `capstats.disclosure.key_summary`, for one original and one synthetic table.
    average, original, baseline : float, optional
        Average CAP, average CAP of the original with itself, and the result of `capstats.baseline_cap`, drawn as lines.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **scatter_kwargs
        Passed to matplotlib's ``Axes.scatter``.

    Returns
    -------
    Axes
        One mark for each key of at least one original record: a triangle if all its synthetic records have the same target, a cross if it
        has no synthetic record, otherwise a circle. Keys at the same position are one mark; its area grows with their number, by the same
        step for each power of ten.

    Raises
    ------
    TypeError, ValueError
        If `summary` is not such a Dataset, or holds more than one table.

    See Also
    --------
    capstats.disclosure.key_summary

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> from capstats.disclosure import key_summary
    >>> from matplotlib.figure import Figure
    >>> ax = plot_key_summary(key_summary([[3, 2, 1], [1, 2, 0]], [[2, 1, 0], [0, 1, 0]]), ax=Figure().subplots())
    >>> ax.get_legend_handles_labels()[1]
    ['synthetic records with several targets: 1 key', 'synthetic records with one target: 1 key', 'no synthetic record: 1 key']
    """
    if not isinstance(summary, xr.Dataset) or not {"records", "cap", "certain", "matched"} <= set(summary):
        raise TypeError(f"`summary` must be the Dataset that key_summary returns; got {type(summary).__name__}.")
    if summary["cap"].dims != ("key",):
        raise ValueError(f"`summary` has dims {summary['cap'].dims}; choose one table, with .sel or .isel.")
    given, ax = ax, axes_of(ax)
    records, cap, certain, matched = (summary[name].values for name in ("records", "cap", "certain", "matched"))
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "synthetic records with several targets": (matched & ~certain, {"marker": "o", "color": BLUE}),
        "synthetic records with one target": (matched & certain, {"marker": "^", "color": VERMILLION}),
        "no synthetic record": (~matched, {"marker": "x", "color": "black"}),
    }
    most = 1
    for label, (which, style) in kinds.items():
        held = which & (records > 0)
        places, keys = np.unique([records[held], cap[held]], axis=1, return_counts=True)
        if keys.size:
            number = int(keys.sum())
            named = {"label": f"{label}: {number:,} key{'s' * (number > 1)}"}
            ax.scatter(*places, **(named | style | {"s": area(keys, 10), "alpha": 0.6, "linewidths": 0.8, "zorder": 2} | scatter_kwargs))
            most = max(most, keys.max())
    if most > 1:
        ax.scatter([], [], s=area(most, 10), facecolors="none", edgecolors="black", linewidths=0.8, label=f"{most:,} keys at one place")
    references(ax, "y", average, original, baseline)
    ax.set(xscale="log", ylim=(-0.03, 1.03), ylabel="average CAP of the key")
    low, high = ax.get_xlim()
    ax.set_xlim(low / 1.15, high * 1.15)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 else (1,)))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("\n".join(filter(None, ["original records with the key", n_records(summary.attrs.get("records"))])))
    return legend_above(ax, given)
