"""Figures of several releases: risk against utility, its frontier, certain attribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from capstats.plotting.shared import (
    BASELINE,
    BLUE,
    GREY,
    ORIGINAL,
    VERMILLION,
    axes_of,
    check_dims,
    check_result,
    in_points,
    lay_out,
    legend_above,
    lines,
    n_records,
    shortened,
    shown,
)
from capstats.screening.formulas import CERTAIN, CERTAIN_IN_ORIGINAL

SHORT, FEW = 14, 12  # characters, and number, of names that are written beside their points; fewer may be longer
LONGEST = 24  # characters of such a name
LISTED = 44  # numbered names listed beside the figure
ROW, AROUND, PAGE = 0.2, 1.6, 9.5  # inches: height of a row, of legend and axis, and greatest height of a figure of its own, for one page
RELEASE: dict[str, Any] = {"s": 22, "color": VERMILLION, "edgecolors": "black", "linewidths": 0.5, "zorder": 3, "label": "release"}
STAR: dict[str, Any] = {"linestyle": "none", "marker": "*", "color": BLUE, "markersize": 11, "zorder": 3.5, "clip_on": False}
AXES = {
    "average_cap_nearest": "average CAP",
    "average_cap_zero": "average CAP (version 1)",
    CERTAIN: "share guessed right with certainty (DiSCO)",
    "share_above_half": "share guessed right with probability > 0.5",
    "share_above_nine_tenths": "share guessed right with probability > 0.9",
    "share_replicated": "share of replicated uniques",
    "individual_disclosure": "average CAP minus that of the holdout",
    "difference": "difference in average CAP",
    "target_distance": "distance of the targets given the key\n(0: as in the original)",
}
REFERENCES = {
    "average_cap_nearest": ("original_cap", "baseline"),
    "average_cap_zero": ("original_cap", "baseline"),
    CERTAIN: (CERTAIN_IN_ORIGINAL, ""),
}


def plot_risk_utility(
    measures: xr.Dataset,
    *,
    risk: str = "average_cap_nearest",
    utility: str = "target_distance",
    ax: Axes | None = None,
    **scatter_kwargs: Any,
) -> Axes:
    """Risk of each release against its utility: which of them gives more of one for less of the other.

    Parameters
    ----------
    measures : Dataset, dims (synthetic)
        ``Audit.measures`` of an audit of several synthetic tables.
    risk, utility : str
        Any two of its variables, those that the caller gave the audit as ``utility`` among them. A risk that has a standard error, as
        ``average_cap_nearest`` has ``average_cap_nearest_error``, is drawn with a bar of one standard error to each side.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend, and with the names of the releases beside it where they are numbered.
    **scatter_kwargs
        Passed to matplotlib's ``Axes.scatter``.

    Returns
    -------
    Axes
        A point for each release: risk upwards, utility to the right. Up to 12 short names are beside their points; otherwise each
        point has the number of the release, 1 for the first, and a new figure lists up to 44 names. Releases without either number are
        left out, and counted at the axis. For average CAP the baseline and the original are lines, for certain attribution the original
        is; against the distance of the targets the original is a star, at 0.

    Raises
    ------
    TypeError, ValueError
        If `measures` is not such a Dataset or has no such variable, or no release has both numbers.

    See Also
    --------
    capstats.audit, capstats.cap.target_distance, plot_disclosure_arrows

    References
    ----------
    Duncan, Keller-McNulty and Stokes (2001), "Disclosure risk vs. data utility: the R-U confidentiality map", National Institute of
    Statistical Sciences, Technical Report 121.

    Examples
    --------
    >>> from capstats import audit
    >>> from matplotlib.figure import Figure
    >>> people = {"smoker": ["yes", "yes", "no", "no"], "health": ["sick", "well", "well", "well"]}
    >>> well = {"smoker": ["yes", "no"], "health": ["well", "well"]}
    >>> found = audit(people, {"all": people, "well": well}, keys="smoker", target="health", allow_same=True)
    >>> ax = plot_risk_utility(found.measures, ax=Figure().subplots())
    >>> [(text.get_text(), tuple(map(float, text.xy))) for text in ax.texts]
    [('all', (0.0, 0.75)), ('well', (0.25, 0.75))]
    """
    what = "the measures of an audit of several synthetic tables, Audit.measures"
    check_result(measures, "measures", xr.Dataset, ("synthetic", "average_cap_zero"), what)
    for name in (risk, utility):
        if name not in measures:
            raise ValueError(f"`measures` has no {name!r}. It has {', '.join(map(str, measures.data_vars))}.")
    x, y = (np.broadcast_to(measures[name].values.astype(float), measures.sizes["synthetic"]) for name in (utility, risk))
    names = list(map(str, measures.indexes["synthetic"]))
    held = np.isfinite(x) & np.isfinite(y)
    if not held.any():
        raise ValueError(f"No release has both {risk!r} and {utility!r}: all are undefined.")
    labels, listed = _labels(names)
    given, ax = ax, axes_of(ax, width=7 if listed else 0, height=AROUND + 0.155 * len(listed))
    error = measures.get(f"{risk}_error")
    if error is not None:
        bars: dict[str, Any] = {"linestyle": "none", "ecolor": "0.55", "elinewidth": 0.9, "label": "one standard error"}
        ax.errorbar(x[held], y[held], np.broadcast_to(error.values, len(names))[held], zorder=1.8, **bars)
    ax.scatter(x[held], y[held], **(RELEASE | scatter_kwargs))
    _references(ax, measures, risk, utility)
    ax.margins(0.08)
    ax.autoscale_view()
    left_out = len(names) - int(held.sum())
    undefined = f"{left_out} of {len(names)} releases undefined" if left_out else ""
    ax.set_xlabel(lines(AXES.get(utility, shown(utility)), n_records(measures["original_records"].item()), undefined))
    ax.set_ylabel(AXES.get(risk, shown(risk)))
    legend_above(ax, given)
    return _name_points(ax, x, y, labels, listed if given is None else [])


def plot_disclosure_arrows(found: xr.Dataset, *, ax: Axes | None = None, **annotate_kwargs: Any) -> Axes:
    """Arrows from the share whose target is certain in the original (DiO) to the share that the release tells with certainty (DiSCO).

    A short arrow means that the release tells with certainty what the original would; synthpop draws the same for each target.

    Parameters
    ----------
    found : Dataset, dims (synthetic) or (target_column)
        ``Audit.measures``: a row for each release. Or the result of `capstats.screening.sweep` with its two measures of certain
        attribution, one keyset and one synthetic table chosen: a row for each target column.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend, no higher than a page.
    **annotate_kwargs
        ``arrowprops`` of matplotlib's ``Axes.annotate``.

    Returns
    -------
    Axes
        Rows in the order of `found`, the first on top: an open circle at DiO, a filled one at DiSCO, and an arrow between them; the axis
        goes from 0 to the greatest share. An arrow is dashed where the release tells more, which it can: a key with several original
        targets may have one synthetic one.

    Raises
    ------
    TypeError, ValueError
        If `found` is not such a Dataset, or has further dims.

    See Also
    --------
    capstats.audit, capstats.screening.sweep, capstats.disclosure.dio, capstats.disclosure.disco, plot_risk_utility

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> from capstats import audit
    >>> from matplotlib.figure import Figure
    >>> o = {"k": [1, 2, 2], "t": [*"xyz"]}
    >>> found = audit(o, [{"k": [1, 2, 2], "t": [*"xyy"]}, {"k": [1, 2, 2], "t": [*"yyz"]}], keys="k", target="t")
    >>> ax = plot_disclosure_arrows(found.measures, ax=Figure().subplots())
    >>> [offsets.get_offsets()[:, 0].round(2).tolist() for offsets in ax.collections]
    [[0.33, 0.33], [0.67, 0.0]]
    """
    start, end, dim = _ends(found)
    names = list(map(str, np.atleast_1d(found[dim].values))) if dim else [""]
    rows = np.arange(len(names))
    tall = min(AROUND + ROW * len(names), PAGE)
    given, ax = ax, axes_of(ax, width=7, height=tall)
    points = in_points(ax)[1] / len(names)  # of a row
    size = min(30.0, max(4.0, points**2 / 8))
    for y, before, after in zip(rows, start, end, strict=True):
        if np.isfinite(before) and np.isfinite(after):
            style: dict[str, Any] = {"arrowstyle": "->", "color": "0.3", "linewidth": 1, "shrinkA": 2, "shrinkB": 2}
            style |= {"linestyle": (0, (4, 2))} if after > before else {}
            arrow = ax.annotate("", (after, y), (before, y), arrowprops=style | annotate_kwargs, zorder=2)
            arrow.set_in_layout(False)  # it lies within the Axes
    marks: dict[str, Any] = {"s": size, "zorder": 3}
    ax.scatter(start, rows, facecolors="white", edgecolors=BLUE, linewidths=1.2, label="certain in the original (DiO)", **marks)
    ax.scatter(end, rows, color=VERMILLION, label="disclosed by the release with certainty (DiSCO)", **marks)
    reach = np.nanmax([*start, *end, 0.01])
    ax.set(xlim=(-0.03 * reach, 1.03 * reach), ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticks(rows if dim else [], list(map(shown, shortened(names, 40))) if dim else [])
    ax.tick_params(axis="y", length=0, labelsize=min(8.0, max(4.0, 0.85 * points)))
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    n = found.attrs.get("records", found["original_records"].item() if "original_records" in found else None)
    ax.set_xlabel(lines("share of the original people", n_records(n)))
    ax.set_ylabel({"synthetic": "synthetic table", "target_column": "target"}.get(dim, ""))
    return legend_above(ax, given)


def _references(ax: Axes, measures: xr.Dataset, risk: str, utility: str) -> None:
    """The original and the baseline: lines, or a star where the utility of the original is known."""
    original, baseline = REFERENCES.get(risk, ("", ""))
    if baseline in measures:
        ax.axhline(measures[baseline].item(), **BASELINE, zorder=1.5)
    if original in measures:
        value = measures[original].item()
        named = "original, if it were released"
        ax.axhline(value, **(ORIGINAL | {"label": None if utility == "target_distance" else named}), zorder=1.5)
        if utility == "target_distance":
            ax.plot(0, value, **STAR, label=named)


def _ends(found: Any) -> tuple[Any, Any, str]:
    """Where each arrow starts and ends, and along which dim they lie; none where there is one."""
    of_sweep = isinstance(found, xr.Dataset) and "without_keys" in found and "measure" in found.dims
    values = found["value"].to_dataset("measure") if of_sweep else found
    what = f"Audit.measures, or the Dataset that sweep returns with the measures {CERTAIN_IN_ORIGINAL!r} and {CERTAIN!r}"
    check_result(values, "found", xr.Dataset, (CERTAIN_IN_ORIGINAL, CERTAIN), what)
    start, end = xr.broadcast(values[CERTAIN_IN_ORIGINAL], values[CERTAIN])
    spread = [str(dim) for dim in end.dims if end.sizes[dim] > 1]
    if len(spread) > 1:
        raise ValueError(f"`found` has dims {', '.join(map(repr, spread))}; choose one element along all but one, with .sel or .isel.")
    return start.values.reshape(-1), end.values.reshape(-1), spread[0] if spread else ""


WIDE, HIGH = 0.62, 1.2  # size of a character, relative to that of its font
DIRECTIONS = np.array([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)])
AWAY = (1, 8, 16, 26, 38, 52, 68, 86, 106)  # points from the mark to its text, with a line to it if it is far away


def _labels(names: list[str]) -> tuple[list[str], list[str]]:
    """The labels of points: their names, or numbers where names are many or long; and the list of the numbered names, if they are few."""
    longest = max(map(len, names))
    if longest <= min(LONGEST, FEW * SHORT / len(names)) and (len(names) <= FEW or not longest):
        return list(map(shown, names)), []
    numbers = [str(i) for i in range(1, len(names) + 1)]
    return numbers, [f"{i}  {shown(x)}" for i, x in zip(numbers, shortened(names, 34), strict=True)] if len(names) <= LISTED else []


def _name_points(ax: Axes, x: Any, y: Any, labels: list[str], listed: list[str]) -> Axes:
    """The Axes with a label for each point, and a list of names at the right."""
    if listed:
        ax.annotate("\n".join(listed), (1.02, 1), xycoords="axes fraction", va="top", fontsize=7)
    place_labels(ax, x, y, labels, size=7 if len(labels) <= 40 else 5.5)
    return ax


def place_labels(ax: Axes, x: Any, y: Any, labels: Sequence[str], *, size: float = 7, mark: float = 3) -> None:
    """Write a label for each point, as near as there is room between the others, with a line to it where it is not beside the point.

    The limits of the axes stay as they are. Points without a place are left out. ``size`` of the font and ``mark``, the radius of the
    marks of the points, are in points.
    """
    lay_out(ax)
    scale = 72 / ax.figure.dpi
    points = ax.transData.transform(np.column_stack([x, y])) * scale
    held = np.flatnonzero(np.isfinite(points).all(axis=1))
    window = ax.get_window_extent()
    low, high = np.array([window.x0, window.y0]) * scale, np.array([window.x1, window.y1]) * scale
    centred: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, "zorder": 4}
    taken = np.column_stack([points[held] - mark, points[held] + mark])  # left, bottom, right, top
    apart = np.linalg.norm(points[held][:, None] - points[held], axis=2)
    crowd = np.exp(-apart / 20).sum(axis=1)  # points in crowds are labelled first
    for i in held[np.argsort(-crowd, kind="stable")]:
        half = np.array([WIDE * size * len(labels[i]), HIGH * size]) / 2
        centres = np.concatenate([points[i] + DIRECTIONS * (half + mark + away) for away in AWAY])
        boxes = np.column_stack([centres - half, centres + half])
        inside = (boxes[:, :2] >= low).all(axis=1) & (boxes[:, 2:] <= high).all(axis=1)
        cost = _covered(boxes, taken) + 1e6 * ~inside
        best = int(np.argmin(cost))  # the first of them is the nearest
        taken = np.concatenate([taken, boxes[[best]]])
        line = {"arrowstyle": "-", "linewidth": 0.4, "color": "0.4", "shrinkA": 0, "shrinkB": mark} if best >= len(DIRECTIONS) else None
        away = tuple(centres[best] - points[i])
        ax.annotate(labels[i], (x[i], y[i]), xytext=away, textcoords="offset points", arrowprops=line, **centred)


def _covered(boxes: Any, taken: Any) -> Any:
    """The area of each box that is covered by others."""
    low = np.maximum(boxes[:, None, :2], taken[:, :2])
    high = np.minimum(boxes[:, None, 2:], taken[:, 2:])
    return np.clip(high - low, 0, None).prod(axis=2).sum(axis=1)


NUMBERS = ("target_distance", "average_cap_zero")


def plot_frontier(found: xr.Dataset, releases: xr.Dataset | None = None, *, ax: Axes | None = None, **scatter_kwargs: Any) -> Axes:
    """Least and greatest average CAP of all tables within a distance of the original, and where releases are between them.

    Parameters
    ----------
    found : Dataset, dims (distance)
        What `capstats.laws.frontier` returns for one table.
    releases : Dataset, dims () or one dim, optional
        Numbers of releases of the same original: ``target_distance`` and ``average_cap_zero``, such as ``Audit.measures`` has, or
        ``xr.Dataset({"target_distance": target_distance(o, s), "average_cap_zero": average_cap(o, s)})``.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **scatter_kwargs
        Passed to matplotlib's ``Axes.scatter``, which draws the releases.

    Returns
    -------
    Axes
        The two curves with the area of all possible releases between them; a dashed line below which no release is, whichever keys it
        leaves out, where `found` has ``least_any``; a star for the original; and a point for each release, with its name
        or its number as in `plot_risk_utility`.

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
    what = "what capstats.laws.frontier returns for several distances"
    check_result(found, "found", xr.Dataset, ("least", "greatest", "distance"), what)
    check_dims(found["least"], "found", 1, "one table")
    points = None if releases is None else _points(releases)
    labels, listed = _labels([""] if points is None else points[2])
    given, ax = ax, axes_of(ax, width=7 if listed else 0, height=AROUND + 0.155 * len(listed))
    distance, least, greatest = (found[name].values for name in ("distance", "least", "greatest"))
    area = ax.fill_between(distance, least, greatest, color=GREY, alpha=0.5, linewidth=0, zorder=1, label="releases with all keys")
    ax.plot(distance, greatest, color=BLUE, linewidth=1.4, zorder=2, label="greatest average CAP")
    ax.plot(distance, least, color=BLUE, linewidth=1.4, linestyle=(0, (5, 1.5)), zorder=2, label="least average CAP")
    if "least_any" in found:
        ax.plot(distance, found["least_any"].values, color="0.25", linewidth=1, linestyle=":", zorder=2, label="least, keys left out")
    if distance[0] == 0 and least[0] == greatest[0]:
        ax.plot(0, least[0], **STAR, label="original")
    ax.set(xlim=(0, max(distance[-1], distance[0] + 1e-9)), xlabel=AXES["target_distance"], ylabel="average CAP")
    area.sticky_edges.y.append(0)  # no margin below 0
    ax.update_datalim([(0, 0)])
    ax.autoscale_view(scalex=False)
    if points is not None:
        ax.scatter(*points[:2], **(RELEASE | scatter_kwargs))
    legend_above(ax, given)
    return ax if points is None else _name_points(ax, *points[:2], labels, listed if given is None else [])


def _points(releases: Any) -> tuple[Any, Any, list[str]]:
    """Distances, risks and names of releases."""
    check_result(releases, "releases", xr.Dataset, NUMBERS, "a Dataset with 'target_distance' and 'average_cap_zero'")
    numbers = xr.broadcast(*(releases[name] for name in NUMBERS))
    check_dims(numbers[0], "releases", 1)
    x, y = (np.atleast_1d(array.values.astype(float)) for array in numbers)
    (dim,) = numbers[0].dims or ("",)
    return x, y, list(map(str, releases.indexes[dim])) if dim in releases.indexes else [""] * len(x)
