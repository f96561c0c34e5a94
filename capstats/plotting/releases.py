"""Figures of several releases: risk against utility, and from what is certain in the original to what is certain in the release."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from capstats.plotting.placing import place_labels
from capstats.plotting.shared import BASELINE, BLUE, ORIGINAL, VERMILLION, axes_of, legend_above, n_records, shortened, shown

SHORT, FEW = 14, 12  # characters, and number, of names that are written beside their points
LISTED = 44  # numbered names that stand beside the figure
ROW, AROUND, PAGE = 0.2, 1.6, 9.5  # inches: height of a row, of legend and axis, and greatest height of a figure of its own, for one page
AXES = {
    "average_cap": "average CAP",
    "share_certain": "share guessed right with certainty (DiSCO)",
    "share_above_half": "share guessed right with probability > 0.5",
    "share_above_nine_tenths": "share guessed right with probability > 0.9",
    "share_replicated": "share of replicated uniques",
    "individual_disclosure": "average CAP minus that of the holdout",
    "difference": "difference in average CAP",
    "target_distance": "distance of the targets given the key\n(0: as in the original)",
}
REFERENCES = {"average_cap": ("original_cap", "baseline"), "share_certain": ("original_certain", "")}


def plot_risk_utility(
    measures: xr.Dataset, *, risk: str = "average_cap", utility: str = "target_distance", ax: Axes | None = None, **scatter_kwargs: Any
) -> Axes:
    """Risk of each release against its utility: which of them gives more of one for less of the other.

    Parameters
    ----------
    measures : Dataset, dims (synthetic)
        ``Audit.measures`` of an audit of several synthetic tables.
    risk, utility : str
        Any two of its variables, those that the caller gave the audit as ``utility`` among them. A risk that has a standard error, as
        ``average_cap`` has ``average_cap_error``, is drawn with a bar of one standard error to each side.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend, and with the names of the releases beside it where they are numbered.
    **scatter_kwargs
        Passed to matplotlib's ``Axes.scatter``.

    Returns
    -------
    Axes
        A point for each release: risk upwards, utility to the right. Up to 12 short names stand beside their points; otherwise each
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
    for name in (risk, utility):
        _check_measures(measures, name)
    x, y = (np.broadcast_to(measures[name].values.astype(float), measures.sizes["synthetic"]) for name in (utility, risk))
    names = list(map(str, measures.indexes["synthetic"]))
    held = np.isfinite(x) & np.isfinite(y)
    if not held.any():
        raise ValueError(f"No release has both {risk!r} and {utility!r}: all are undefined.")
    beside = len(names) <= FEW and max(map(len, names)) <= SHORT
    listed = ax is None and not beside and len(names) <= LISTED
    tall = min(PAGE, AROUND + 0.155 * len(names)) if listed else 0
    given, ax = ax, axes_of(ax, width=7 if listed else 0, height=tall)
    error = measures.get(f"{risk}_error")
    if error is not None:
        bars: dict[str, Any] = {"linestyle": "none", "ecolor": "0.55", "elinewidth": 0.9, "label": "one standard error"}
        ax.errorbar(x[held], y[held], np.broadcast_to(error.values, len(names))[held], zorder=1.8, **bars)
    style: dict[str, Any] = {"s": 22, "color": VERMILLION, "edgecolors": "black", "linewidths": 0.5, "zorder": 3, "label": "release"}
    ax.scatter(x[held], y[held], **(style | scatter_kwargs))
    _references(ax, measures, risk, utility)
    ax.margins(0.08)
    ax.autoscale_view()
    left_out = len(names) - int(held.sum())
    told = f"{left_out} of {len(names)} releases undefined" if left_out else ""
    ax.set_xlabel("\n".join(filter(None, [AXES.get(utility, shown(utility)), n_records(measures["original_records"].item()), told])))
    ax.set_ylabel(AXES.get(risk, shown(risk)))
    legend_above(ax, given)
    if listed and isinstance(ax.figure, Figure):
        rows = [f"{i}  {shown(name)}" for i, name in enumerate(shortened(names, 34), 1)]
        ax.annotate(
            "\n".join(rows), (1.02, 1), xycoords="axes fraction", va="top", fontsize=min(7.0, 0.78 * (tall - AROUND) * 72 / len(rows))
        )
    place_labels(
        ax, x, y, list(map(shown, names)) if beside else [str(i) for i in range(1, len(names) + 1)], size=7 if len(names) <= 40 else 5.5
    )
    return ax


def plot_disclosure_arrows(found: xr.Dataset, *, ax: Axes | None = None, **annotate_kwargs: Any) -> Axes:
    """Arrows from the share whose target is certain in the original (DiO) to the share that the release tells with certainty (DiSCO).

    A short arrow means that the release tells with certainty what the original would; synthpop draws the same for each target.

    Parameters
    ----------
    found : Dataset, dims (synthetic) or (target_column)
        ``Audit.measures``: a row for each release. Or the result of `capstats.screening.sweep` with the measures "original_certain" and
        "share_certain", one keyset and one synthetic table chosen: a row for each target column.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend, no higher than a page.
    **annotate_kwargs
        ``arrowprops`` of matplotlib's ``Axes.annotate``.

    Returns
    -------
    Axes
        Rows in the order of `found`, the first on top: an open circle at DiO, a filled one at DiSCO, from 0 to 1, and an arrow between
        them. It is dashed where the release tells more, which it can: a key with several original targets may have one synthetic one.

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
    >>> from capstats.screening import sweep
    >>> from matplotlib.figure import Figure
    >>> o, s = {"k": [1, 2, 2], "t": [*"xyz"], "u": [*"aab"]}, {"k": [1, 2, 2], "t": [*"xyy"], "u": [*"bab"]}
    >>> found = sweep(o, s, keys="k", targets=["t", "u"], measures=["original_certain", "share_certain"])
    >>> ax = plot_disclosure_arrows(found.isel(keyset=-1), ax=Figure().subplots())
    >>> [offsets.get_offsets()[:, 0].round(2).tolist() for offsets in ax.collections]
    [[0.33, 0.33], [0.67, 0.0]]
    """
    start, end, dim = _ends(found)
    names = list(map(str, np.atleast_1d(found[dim].values))) if dim else [""]
    rows = np.arange(len(names))
    tall = min(AROUND + ROW * len(names), PAGE)
    given, ax = ax, axes_of(ax, width=7, height=tall)
    points = ax.get_window_extent().height * 72 / ax.figure.dpi / len(names)  # of a row
    size = min(30.0, max(4.0, points**2 / 8))
    for y, before, after in zip(rows, start, end, strict=True):
        if np.isfinite(before) and np.isfinite(after):
            style: dict[str, Any] = {"arrowstyle": "->", "color": "0.3", "linewidth": 1, "shrinkA": 2, "shrinkB": 2}
            style |= {"linestyle": (0, (4, 2))} if after > before else {}
            ax.annotate("", (after, y), (before, y), arrowprops=style | annotate_kwargs, zorder=2)
    marks: dict[str, Any] = {"s": size, "zorder": 3}
    ax.scatter(start, rows, facecolors="white", edgecolors=BLUE, linewidths=1.2, label="certain in the original (DiO)", **marks)
    ax.scatter(end, rows, color=VERMILLION, label="told by the release with certainty (DiSCO)", **marks)
    ax.set(xlim=(-0.03, 1.03), ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticks(rows if dim else [], list(map(shown, shortened(names, 40))) if dim else [])
    ax.tick_params(axis="y", length=0, labelsize=min(8.0, max(4.0, 0.85 * points)))
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    n = found.attrs.get("records", found["original_records"].item() if "original_records" in found else None)
    ax.set_xlabel("\n".join(filter(None, ["share of the original people", n_records(n)])))
    ax.set_ylabel({"synthetic": "synthetic table", "target_column": "target"}.get(dim, ""))
    return legend_above(ax, given)


def _check_measures(measures: Any, name: str) -> None:
    if not isinstance(measures, xr.Dataset) or "synthetic" not in measures.dims or "average_cap" not in measures:
        got = f"dims {tuple(measures.dims)}" if isinstance(measures, xr.Dataset) else type(measures).__name__
        raise TypeError(f"`measures` must be the measures of an audit of several synthetic tables, Audit.measures; got {got}.")
    if name not in measures:
        raise ValueError(f"`measures` has no {name!r}. It has {', '.join(map(str, measures.data_vars))}.")


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
            ax.plot(0, value, linestyle="none", marker="*", color=BLUE, markersize=11, zorder=3.5, clip_on=False, label=named)


def _ends(found: Any) -> tuple[Any, Any, str]:
    """Where each arrow starts and ends, and along which dim they lie; none where there is one."""
    if isinstance(found, xr.Dataset) and "without_keys" in found and "measure" in found.dims:
        held = set(found["measure"].values)
        values = {name: found["value"].sel(measure=name) for name in ("original_certain", "share_certain") if name in held}
    else:
        values = {name: found[name] for name in ("original_certain", "share_certain") if isinstance(found, xr.Dataset) and name in found}
    if len(values) < 2:
        got = type(found).__name__
        raise TypeError(
            f"`found` must be Audit.measures, or the Dataset that sweep returns with the measures 'original_certain' and 'share_certain'; "
            f"got {got}."
        )
    end = values["share_certain"].squeeze(drop=True) if values["share_certain"].size == 1 else values["share_certain"]
    spread = [str(dim) for dim in end.dims if end.sizes[dim] > 1] or [str(dim) for dim in end.dims]
    if len(spread) > 1:
        raise ValueError(f"`found` has dims {', '.join(map(repr, spread))}; choose one element along all but one, with .sel or .isel.")
    end = end.squeeze([dim for dim in end.dims if dim not in spread], drop=True)
    start = values["original_certain"].broadcast_like(values["share_certain"])
    start = start.squeeze([dim for dim in start.dims if dim not in spread], drop=True)
    return np.atleast_1d(start.values), np.atleast_1d(end.values), spread[0] if spread else ""
