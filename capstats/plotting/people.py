"""Figure of individual CAP: one dot a person."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from capstats.plotting.shared import BLUE, axes_of, legend_above, n_records, one_pair, references, shortened, shown, text_of
from capstats.tables.axes import index_of
from capstats.tables.backing import filled, values_at
from capstats.tables.checking import weights_of
from capstats.tables.table import Array, Floats, Index

MOST = 2000  # people; more dots are a grey area
GROUPS = 40  # levels of the target, each with its own row
STEPS = (0.02, 0.04)  # width of a stack of dots: the second where dots would be small with the first
LARGEST, SMALL, SMALLEST = 6.0, 2.5, 0.75  # diameter of a dot, in points
LABEL = 11.0  # least height of a row with a label, in points


def plot_people(
    tables: xr.Dataset,
    individual: xr.DataArray,
    *,
    by_target: bool = False,
    average: float | None = None,
    original: float | None = None,
    baseline: float | None = None,
    ax: Axes | None = None,
    **scatter_kwargs: Any,
) -> Axes:
    """Individual CAP of every original record, one dot each: for tables of up to some hundreds of people.

    Parameters
    ----------
    tables : Dataset
        Result of `capstats.tabulate` or `capstats.from_counts`; its ``o`` says how many people are in each cell.
    individual : DataArray, dims (target, key)
        Result of `capstats.individual_cap` for these tables.
    by_target : bool
        Whether each level of the target has a row of its own.
    average, original, baseline : float, optional
        Average CAP, average CAP of the original with itself, and the result of `capstats.baseline_cap`, drawn as lines.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **scatter_kwargs
        Passed to matplotlib's ``Axes.scatter``.

    Returns
    -------
    Axes
        Dots stacked where individual CAP is the same, to within 0.01, or 0.02 if there are so many that dots would be small; the label of
        the axis says which. High stacks have several dots in a line. All dots have the same size: the greatest, up to 6 points, with
        which the highest stack is within the Axes. People whose individual CAP is undefined are not drawn; the label has their number.

    Raises
    ------
    TypeError, ValueError
        If `tables` or `individual` are not such results, hold more than one table or do not belong together; if there are more than 2,000
        people, or with `by_target` more than 40 levels, or the counts are fractional or sums of sampling weights.

    See Also
    --------
    capstats.individual_cap, plot_cap_ecdf, plot_individual_cap

    References
    ----------
    Wilkinson (1999), "Dot plots", https://doi.org/10.1080/00031305.1999.10474474.

    Examples
    --------
    >>> import capstats
    >>> from matplotlib.figure import Figure
    >>> tables = capstats.from_counts([[2, 0], [2, 4]], [[1, 1], [1, 3]])
    >>> ax = plot_people(tables, capstats.individual_cap(tables.o, tables.s), ax=Figure().subplots())
    >>> len(ax.collections[0].get_offsets()), ax.get_xlabel().splitlines()
    (8, ['individual CAP, to within 0.01', 'n = 8 records, one dot each'])
    """
    o, q = one_pair(tables, individual)
    target, value = _people(o, q)
    drawn = ~np.isnan(value)
    target, value = target[drawn], value[drawn]
    levels = np.unique(target)[::-1]  # the first on top
    if by_target and len(levels) > GROUPS:
        raise ValueError(
            f"The target has {len(levels)} levels, more than {GROUPS} rows of dots. Choose some with .isel, or by_target=False."
        )
    groups = [value[target == level] for level in levels] if by_target else [value]
    given, ax = ax, axes_of(ax, height=min(2 + 0.5 * len(groups), 9))
    width, height = (length / ax.figure.dpi * 72 for length in ax.get_window_extent().size)  # in points
    for step in STEPS:
        diameter, rows = _fitted(groups, step, width * step / 1.06, height, LABEL if by_target else 0)
        if diameter >= SMALL:
            break
    across = diameter * 1.06 / width
    base = np.concatenate([[0.0], np.cumsum(rows)])
    places = [_stacked(values, step, across) + np.array([0, bottom]) for values, bottom in zip(groups, base, strict=False)]
    style: dict[str, Any] = {"s": (0.9 * diameter) ** 2, "color": BLUE, "linewidths": 0, "zorder": 2, "label": "one record"}
    ax.scatter(*np.concatenate(places).T, **(style | scatter_kwargs))
    references(ax, "x", average, original, baseline)
    ax.set(xlim=(-0.03, 1.03), ylim=(0, max(base[-1], height / diameter)))
    ax.set_yticks([])
    if by_target:
        ax.hlines(base[1:-1], -0.03, 1.03, color="0.8", linewidth=0.6, zorder=1)
        index = index_of(o, "target")
        names = shortened([text_of(level) for level in index[levels]] if index is not None else list(map(str, levels)), 24)
        labels = [f"{shown(name)}\nn = {len(group):,}" for name, group in zip(names, groups, strict=True)]
        ax.set_yticks((base[:-1] + base[1:]) / 2, labels, fontsize="small")
        ax.tick_params(axis="y", length=0)
    undefined = int((~drawn).sum())
    ax.set_xlabel(
        f"individual CAP, to within {step / 2:g}\n{n_records(len(value))}, one dot each"
        + (f"; {undefined:,} undefined" if undefined else "")
    )
    return legend_above(ax, given)


def _people(o: xr.DataArray, q: xr.DataArray) -> tuple[Index, Floats]:
    """The target and the individual CAP of each person."""
    if (column := weights_of(o)) is not None:
        raise ValueError(
            f"`tables` hold sums of the sampling weights {column!r}, not numbers of people. Count the records without weights."
        )
    (target, key), records = filled(o.variable.data)
    if o.dtype.kind == "f" and (records != np.floor(records)).any():
        raise ValueError("`tables` hold fractional counts, which are no numbers of people. Use plot_cap_ecdf.")
    if (n := int(records.sum())) > MOST:
        raise ValueError(f"`tables` hold {n:,} people, more than {MOST:,} dots. Use plot_cap_ecdf or plot_individual_cap.")
    people = records.astype(int)
    return np.repeat(target, people), np.repeat(values_at(q.variable.data, target, key), people)


def _stacks(values: Floats, step: float) -> tuple[Array, Array]:
    """The places of the stacks, in steps, and how many dots each has."""
    return np.unique(np.rint(values / step), return_counts=True)


def _fitted(groups: list[Floats], step: float, wide: float, height: float, label: float) -> tuple[float, Floats]:
    """The greatest diameter with which all stacks are within the height, and the height of each group in diameters."""
    highest = [_stacks(values, step)[1].max(initial=1) for values in groups]
    for diameter in np.arange(LARGEST, SMALLEST, -0.25):
        rows = np.ceil(np.array(highest) / max(1, wide // diameter)) + 1  # one more than the stacks, as a margin
        rows = np.maximum(rows, label * 2 / diameter)
        if rows.sum() * diameter <= height:
            break
    return float(diameter), rows


def _stacked(values: Floats, step: float, across: float) -> Floats:
    """Where the dots stand: rows of (CAP, height in dots), the lines of each stack filled from below."""
    abreast = max(1, int(step / across + 1e-9))
    found = []
    for place, dots in zip(*_stacks(values, step), strict=True):
        line, column = np.divmod(np.arange(dots), abreast)
        in_line = np.minimum(abreast, dots - line * abreast)
        found.append(np.column_stack([place * step + (column - (in_line - 1) / 2) * across, line + 0.5]))
    return np.concatenate(found) if found else np.empty((0, 2))
