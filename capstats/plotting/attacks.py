"""Figures of attacks: difference and ROC curves, accuracy for each column."""

from __future__ import annotations

from itertools import cycle
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.lines import Line2D

from capstats.plotting.shared import BLUE, COLOURS, axes_of, check_result, lines, n_records, shortened, shown

MARKERS = "osD^vPX*<>"  # enough, with the colours, for 70 different curves
TICKS = 6  # on an axis of thresholds
ROOM = 16  # greatest number of names in a legend within the Axes


def plot_membership_difference(roc: xr.Dataset, *, ax: Axes | None = None, **plot_kwargs: Any) -> Axes:
    """True minus false positive rate of a membership attack over its threshold, one curve for each number of released tables.

    Parameters
    ----------
    roc : Dataset
        Result of `capstats.attacks.membership_roc`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **plot_kwargs
        Passed to matplotlib's ``Axes.plot``; a ``label`` comes before the curves' own.

    Returns
    -------
    Axes
        Step curves from light (few tables) to dark (many), with a step at every threshold at which the difference changes; the legend has
        up to 16 of them. A dot marks the greatest difference. At a difference of 0 the threshold does not separate members from
        non-members. The axis covers the thresholds within the range of ``at``, and the best thresholds; equal parts of it hold equally many
        of the thresholds at which a difference changes, so that it is wide where the people are.

    Raises
    ------
    TypeError
        If `roc` is not such a Dataset.

    See Also
    --------
    capstats.attacks.membership_roc

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", the plots named Diff.
    """
    drawn = _by_m(roc, "youden")
    ax = axes_of(ax)
    before = ax.get_xlim() if ax.has_data() else None
    for label, style, one in drawn:
        (line,) = ax.plot(one["threshold"][::-1], one["youden"][::-1], drawstyle="steps-pre", **_line(label, style, plot_kwargs))
        ax.plot(one["best_threshold"], one["best_difference"], "o", color=line.get_color(), markersize=5, zorder=3, clip_on=False)
    ax.axhline(0, color="0.6", linewidth=0.8, zorder=1)
    if "at" in roc:
        _show(ax, roc, before)
    _spread(ax)
    ax.set_xlabel(lines("threshold, as log10, wider where there are more people", _both_kinds(roc)))
    ax.set_ylabel("true minus false positive rate")
    return _keyed(ax)


def plot_membership_roc(roc: xr.Dataset, *, ax: Axes | None = None, **plot_kwargs: Any) -> Axes:
    """ROC curves of a membership attack, one for each number of released tables.

    Parameters
    ----------
    roc : Dataset
        Result of `capstats.attacks.membership_roc`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **plot_kwargs
        Passed to matplotlib's ``Axes.plot``; a ``label`` comes before the curves' own.

    Returns
    -------
    Axes
        Curves from light (few tables) to dark (many); the legend has up to 16 of them, with the area under the curve. The dashed diagonal
        is random guessing.

    Raises
    ------
    TypeError
        If `roc` is not such a Dataset.

    See Also
    --------
    capstats.attacks.membership_roc

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", the plots named ROC.
    """
    ax = axes_of(ax)
    for label, style, one in _by_m(roc, "true_positive_rate"):
        area = f"area {float(one['auc']):.2f}"
        named = f"{label}: {area}" if label else area
        ax.plot(one["false_positive_rate"], one["true_positive_rate"], **_line(named, style, plot_kwargs))
    ax.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=0.8, zorder=1)
    ax.set_xlabel(lines("false positive rate", _both_kinds(roc)))
    ax.set_ylabel("true positive rate")
    ax.set_aspect("equal")
    return _keyed(ax)


def plot_maximum_knowledge(knowledge: xr.Dataset, *, ax: Axes | None = None, **plot_kwargs: Any) -> Axes:
    """Accuracy of guessing each column from all the others, against the number of released tables that are pooled.

    Parameters
    ----------
    knowledge : Dataset
        Result of `capstats.attacks.maximum_knowledge` for several numbers of tables.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **plot_kwargs
        Passed to matplotlib's ``Axes.plot``; a ``label`` comes before the curves' own.

    Returns
    -------
    Axes
        One curve with its own marker for each column, a thick dashed black curve for their average, and the legend at the right.

    Raises
    ------
    TypeError
        If `knowledge` is not such a Dataset, or has one number of tables only.

    See Also
    --------
    capstats.attacks.maximum_knowledge

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", the plots named MKIC.
    """
    what = "the Dataset that maximum_knowledge returns for several released tables, with dim `releases`"
    check_result(knowledge, "knowledge", xr.Dataset, ("column", "releases"), what)
    ax = axes_of(ax)
    releases = knowledge["releases"].values
    columns = knowledge["column"].values
    names = shortened(list(map(str, columns)), 72)  # three lines
    for column, name, color, marker in zip(columns, names, cycle(COLOURS), cycle(MARKERS), strict=False):
        style: dict[str, Any] = {"color": color, "marker": marker, "linewidth": 1.2, "markersize": 4}
        ax.plot(releases, knowledge["accuracy"].sel(column=column), **_line(fill(shown(name), 24), style, plot_kwargs))
    average = {"color": "black", "linestyle": "--", "linewidth": 2.2}
    ax.plot(releases, knowledge["average"], **_line("average", average, {"label": plot_kwargs.get("label", "")}))
    ax.set_ylabel("share guessed right")
    _over_releases(ax, releases, n_records(knowledge.attrs.get("records")))
    return _keyed(ax, loc="center left", bbox_to_anchor=(1, 0.5), ncols=1 + len(columns) // 20)


def _by_m(roc: Any, variable: str) -> list[tuple[str, dict[str, Any], xr.Dataset]]:
    """The curve of each number of released tables, with a label and a shade."""
    check_result(roc, "roc", xr.Dataset, (variable,), "the Dataset that membership_roc returns")
    if "releases" not in roc.dims:
        return [("", {"color": BLUE}, roc)]
    shades = plt.get_cmap("viridis_r")(np.linspace(0.15, 1, roc.sizes["releases"]))
    return [
        (f"releases = {k}", {"color": shade, "linewidth": 1.3}, roc.isel(releases=i))
        for i, (k, shade) in enumerate(zip(roc["releases"].values, shades, strict=True))
    ]


def _line(label: str, style: dict[str, Any], plot_kwargs: dict[str, Any]) -> dict[str, Any]:
    """The style of a curve: its own, overridden by the caller's arguments, under any of matplotlib's names."""
    wanted = normalize_kwargs(plot_kwargs, Line2D)
    return style | wanted | {"label": ", ".join(part for part in (wanted.get("label"), label) if part)}


def _show(ax: Axes, roc: xr.Dataset, before: tuple[float, float] | None) -> None:
    """Limit the axis of thresholds to the range of ``at``, the best thresholds, and what was shown before."""
    every, best = (x.values[np.isfinite(x.values)] for x in (roc["threshold"], roc["best_threshold"]))
    wanted = [*roc["at"].values, *best]
    low, high = max(every.min(initial=np.inf), min(wanted)), min(every.max(initial=-np.inf), max(wanted))
    if low < high:
        pad = 0.03 * (high - low)
        ax.set_xlim(*((low - pad, high + pad) if before is None else (min(low - pad, before[0]), max(high + pad, before[1]))))


def _spread(ax: Axes) -> None:
    """Space the axis evenly by the thresholds of all its curves: it is wide where there are many people."""
    low, high = ax.get_xlim()
    every = np.concatenate([np.asarray(line.get_xdata(), float) for line in ax.lines if line.get_drawstyle() == "steps-pre"])
    knots = np.unique([low, *every[(every > low) & (every < high)], high])
    at = np.concatenate([[2 * low - high], knots, [2 * high - low]])
    place = np.arange(len(at))
    ax.set_xscale("function", functions=(lambda x: np.interp(x, at, place), lambda y: np.interp(y, place, at)))
    ax.set_xlim(low, high)
    marks = np.unique(np.quantile(knots, np.linspace(0.02, 0.98, TICKS)).round(2))
    ax.set_xticks(marks, [f"{x + 0:.3g}".replace("-", "\N{MINUS SIGN}") for x in marks])


def _both_kinds(roc: xr.Dataset) -> str:
    """Numbers of members and non-members, for an axis label."""
    return ", ".join(f"{roc.attrs[kind]:,} {kind.replace('_', '-')}" for kind in ("members", "non_members") if kind in roc.attrs)


def _over_releases(ax: Axes, releases: Any, n: str = "") -> None:
    """Set up an axis of numbers of released tables, with these numbers as ticks."""
    ax.set_xscale("log")
    ticks = [releases[-1]]  # far enough apart that labels do not touch
    for k in releases[-2::-1]:
        if (ticks[-1] / k) ** 16 >= releases[-1] / releases[0]:
            ticks.append(k)
    ax.set_xticks(ticks[::-1], [str(k) for k in ticks[::-1]])
    ax.minorticks_off()
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel(lines("released tables", n))


def _keyed(ax: Axes, **place: Any) -> Axes:
    """The Axes with a legend, if there are labels; a legend within the Axes has at most `ROOM` entries."""
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        drawn = range(len(labels)) if place else np.linspace(0, len(labels) - 1, min(len(labels), ROOM)).round().astype(int)
        ax.legend([handles[i] for i in drawn], [labels[i] for i in drawn], fontsize="small", frameon=False, **place)
    return ax
