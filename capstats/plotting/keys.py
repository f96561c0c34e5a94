"""The keys of a table: how many people share each, against what an intruder gets from it."""

from __future__ import annotations

from typing import Any

import xarray as xr
from matplotlib.axes import Axes

from capstats.plotting.shared import BLUE, VERMILLION, axes_of, legend_above, n_records, references

MANY = 5_000  # marks that a vector file should not hold one by one


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

    Small keys scatter widely and large ones lie near the average, so that the marks form a funnel; keys outside it need a look.

    Parameters
    ----------
    summary : Dataset, dims (key)
        Result of `capstats.key_summary`, for one original and one synthetic table.
    average, original, baseline : float, optional
        Average CAP, that of the original with itself, and the result of `capstats.baseline_cap`, as lines.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **scatter_kwargs
        Passed to matplotlib's ``Axes.scatter``.

    Returns
    -------
    Axes
        One mark for each key of at least one original record: triangles where all its synthetic records have one target, crosses where it
        has no synthetic record, circles elsewhere. Marks are transparent: the darker, the more keys lie there.

    Raises
    ------
    TypeError, ValueError
        If `summary` is not such a Dataset, or is about more than one table.

    See Also
    --------
    capstats.key_summary

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> from capstats import key_summary
    >>> from matplotlib.figure import Figure
    >>> ax = plot_key_summary(key_summary([[3, 2, 1], [1, 2, 0]], [[2, 1, 0], [0, 1, 0]]), ax=Figure().subplots())
    >>> ax.get_legend_handles_labels()[1]
    ['synthetic records with several targets: 1 key', 'synthetic records with one target: 1 key', 'no synthetic record: 1 key']
    """
    if not isinstance(summary, xr.Dataset) or not {"records", "cap", "certain", "matched"} <= set(summary):
        raise TypeError(f"`summary` must be the Dataset that key_summary returns; got {type(summary).__name__}.")
    if summary["cap"].dims != ("key",):
        raise ValueError(f"`summary` spreads over {summary['cap'].dims}; choose one table, with .sel or .isel.")
    given, ax = ax, axes_of(ax)
    records, cap, certain, matched = (summary[name].values for name in ("records", "cap", "certain", "matched"))
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "synthetic records with several targets": (matched & ~certain, {"marker": "o", "color": BLUE}),
        "synthetic records with one target": (matched & certain, {"marker": "^", "color": VERMILLION}),
        "no synthetic record": (~matched, {"marker": "x", "color": "black"}),
    }
    for label, (which, style) in kinds.items():
        held = which & (records > 0)
        number = int(held.sum())
        if number:
            style |= {"s": 18, "alpha": 0.5, "linewidths": 0.8, "rasterized": number > MANY, "zorder": 2}
            named = f"{label}: {number:,} key{'s' * (number > 1)}"
            ax.scatter(records[held], cap[held], **({"label": named} | style | scatter_kwargs))
    references(ax, "y", average, original, baseline)
    ax.set(xscale="log", ylim=(-0.03, 1.03), ylabel="average CAP of the key")
    ax.set_xlabel("\n".join(filter(None, ["original records with the key", n_records(summary.attrs.get("records"))])))
    return legend_above(ax, given)
