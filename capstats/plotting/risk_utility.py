"""Figure of the risk-utility frontier, with releases on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from capstats.plotting.placing import place_labels
from capstats.plotting.releases import AXES
from capstats.plotting.shared import BLUE, GREY, VERMILLION, axes_of, legend_above, shortened, shown

NUMBERS = ("target_distance", "average_cap")
LONGEST = 24  # characters of the name of a release


def plot_frontier(found: xr.Dataset, releases: xr.Dataset | None = None, *, ax: Axes | None = None, **scatter_kwargs: Any) -> Axes:
    """Least and greatest average CAP of all tables within a distance of the original, and where releases are between them.

    Parameters
    ----------
    found : Dataset, dims (distance)
        What `capstats.laws.frontier` returns for one table.
    releases : Dataset, dims () or one dim, optional
        Numbers of releases of the same original: ``target_distance`` and ``average_cap``, such as ``Audit.measures`` has, or
        ``xr.Dataset({"target_distance": target_distance(o, s), "average_cap": average_cap(o, s)})``.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **scatter_kwargs
        Passed to matplotlib's ``Axes.scatter``, which draws the releases.

    Returns
    -------
    Axes
        The two curves with the area of all possible releases between them; a dashed line below which no release is, whichever keys it
        leaves out, where `found` has ``least_any``; a star for the original; and a point with its name for each release.

    Raises
    ------
    TypeError, ValueError
        If `found` is not such a Dataset or has further dims, or `releases` lack a number or have several dims.

    See Also
    --------
    capstats.laws.frontier, plot_risk_utility

    References
    ----------
    Duncan, Keller-McNulty and Stokes (2001), "Disclosure risk vs. data utility: the R-U confidentiality map", National Institute of
    Statistical Sciences, Technical Report 121.

    Examples
    --------
    >>> from capstats.laws import frontier
    >>> from matplotlib.figure import Figure
    >>> ax = plot_frontier(frontier([[2], [1], [1]]), ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist()
    [0.375, 0.5, 0.5]
    """
    _check(found)
    points = None if releases is None else _points(releases)
    given, ax = ax, axes_of(ax)
    distance, least, greatest = (found[name].values for name in ("distance", "least", "greatest"))
    area = ax.fill_between(distance, least, greatest, color=GREY, alpha=0.5, linewidth=0, zorder=1, label="releases with all keys")
    ax.plot(distance, greatest, color=BLUE, linewidth=1.4, zorder=2, label="greatest average CAP")
    ax.plot(distance, least, color=BLUE, linewidth=1.4, linestyle=(0, (5, 1.5)), zorder=2, label="least average CAP")
    if "least_any" in found:
        ax.plot(distance, found["least_any"].values, color="0.25", linewidth=1, linestyle=":", zorder=2, label="least, keys left out")
    if distance[0] == 0 and least[0] == greatest[0]:
        ax.plot(0, least[0], linestyle="none", marker="*", color=BLUE, markersize=11, zorder=3.5, clip_on=False, label="original")
    ax.set(xlim=(0, max(distance[-1], distance[0] + 1e-9)), xlabel=AXES["target_distance"], ylabel=AXES["average_cap"])
    area.sticky_edges.y.append(0)  # no room below 0
    ax.update_datalim([(0, 0)])
    ax.autoscale_view(scalex=False)
    if points is not None:
        x, y, names = points
        style: dict[str, Any] = {"s": 22, "color": VERMILLION, "edgecolors": "black", "linewidths": 0.5, "zorder": 3, "label": "release"}
        ax.scatter(x, y, **(style | scatter_kwargs))
        place_labels(ax, x, y, names)
    return legend_above(ax, given)


def _check(found: Any) -> None:
    if not isinstance(found, xr.Dataset) or not {"least", "greatest"} <= set(found) or "distance" not in found.dims:
        got = f"dims {tuple(found.dims)}" if isinstance(found, xr.Dataset) else type(found).__name__
        raise TypeError(f"`found` must be what capstats.laws.frontier returns for several distances; got {got}.")
    if found["least"].ndim > 1:
        raise ValueError(f"`found` has dims {found['least'].dims}; choose one table, with .sel or .isel.")


def _points(releases: Any) -> tuple[Any, Any, list[str]]:
    """Distances, risks and names of releases."""
    if not isinstance(releases, xr.Dataset) or not set(NUMBERS) <= set(releases):
        got = f"one with {', '.join(map(str, releases))}" if isinstance(releases, xr.Dataset) else type(releases).__name__
        raise TypeError(f"`releases` must be a Dataset with 'target_distance' and 'average_cap'; got {got}.")
    numbers = xr.broadcast(*(releases[name] for name in NUMBERS))
    if numbers[0].ndim > 1:
        raise ValueError(f"`releases` has dims {numbers[0].dims}; choose one table along all but one of them, with .sel or .isel.")
    x, y = (np.atleast_1d(array.values.astype(float)) for array in numbers)
    (dim,) = numbers[0].dims or ("",)
    return x, y, list(map(shown, shortened(list(map(str, releases.indexes[dim])), LONGEST))) if dim in releases.indexes else [""] * len(x)
