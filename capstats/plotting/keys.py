"""Figures of the keys of a table: average CAP against the number of records, and individual CAP of each key and target with its counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import LogLocator, NullFormatter
from matplotlib.transforms import ScaledTranslation

from capstats.codes.checks import check_integer
from capstats.plotting.heatmaps import draw_cells, letter_size, name_cells, write_cells
from capstats.plotting.shared import (
    BLUE,
    VERMILLION,
    area,
    axes_of,
    check_dims,
    check_result,
    labels_at,
    legend_above,
    lines,
    n_records,
    one_pair,
    parts_of,
    references,
    shown,
    text_of,
)
from capstats.tables.axes import alike, index_of
from capstats.tables.backing import filled, values_at
from capstats.tables.checking import weights_of
from capstats.tables.printing import count
from capstats.tables.table import Array, Index, Tables

MARK, APART = 22, 6  # area of the mark of one key, in square points, and points between the kinds of marks at one place


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
        has no synthetic record, otherwise a circle. At the same position the three kinds stand side by side, and keys of one kind are one
        mark; its area grows with their number, by the same step for each power of ten.

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
    check_result(summary, "summary", xr.Dataset, ("key", "records", "cap", "certain", "matched"), "the Dataset that key_summary returns")
    check_dims(summary["cap"], "summary", 1, "one table")
    given, ax = ax, axes_of(ax)
    records, cap, certain, matched = (summary[name].values for name in ("records", "cap", "certain", "matched"))
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "synthetic records with several targets": (matched & ~certain, {"marker": "o", "color": BLUE}),
        "synthetic records with one target": (matched & certain, {"marker": "^", "color": VERMILLION}),
        "no synthetic record": (~matched, {"marker": "x", "color": "black"}),
    }
    most, beside = 1, ax.figure.dpi_scale_trans
    for side, (label, (which, style)) in zip((0, 1, -1), kinds.items(), strict=True):
        held = which & (records > 0)
        places, keys = np.unique([records[held], cap[held]], axis=1, return_counts=True)
        if keys.size:
            number = int(keys.sum())
            named = {"label": f"{label}: {number:,} key{'s' * (number > 1)}"}
            apart = ax.transData + ScaledTranslation(side * APART / 72, 0, beside)
            look = {"s": area(keys, MARK), "alpha": 0.85, "linewidths": 1.2, "zorder": 2, "transform": apart, "clip_on": False}
            ax.scatter(*places, **(named | style | look | scatter_kwargs))
            most = max(most, keys.max())
    if most > 1:
        ax.scatter([], [], s=area(most, MARK), facecolors="none", edgecolors="black", linewidths=0.8, label=f"{most:,} keys at one place")
    references(ax, "y", average, original, baseline)
    ax.set(xscale="log", ylim=(-0.06, 1.06), ylabel="average CAP of the key")
    held = records[records > 0]
    low, high = (held.min(), held.max()) if held.size else (1, 1)
    room = 1.4 if high > 2 * low else 2.5  # so that two sizes are named
    ax.set_xlim(low / room, high * room)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 else (1,)))
    ax.xaxis.set_major_formatter("{x:,g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    weights = summary.attrs.get("weights")
    ax.set_xlabel(lines(f"original records with the key{', by weight' * bool(weights)}", n_records(summary.attrs.get("records"), weights)))
    return legend_above(ax, given)


WHITE_TO_BLUE = LinearSegmentedColormap.from_list("white_to_blue", ["white", BLUE], N=49)
TARGETS, WIDE = 20, 8  # greatest number of columns, and the greatest for both counts on one line of a cell


def plot_key_target(
    tables: Tables, individual: xr.DataArray, *, by: xr.DataArray | None = None, most: int = 20, ax: Axes | None = None, **mesh_kwargs: Any
) -> Axes:
    """Heatmap of individual CAP by key and target, with the numbers of original and synthetic records in each cell.

    It shows whose target can be guessed, and from which counts.

    Parameters
    ----------
    tables : Dataset
        Result of `capstats.tabulate` or `capstats.from_counts`, for one synthetic table.
    individual : DataArray, dims (target, key)
        Result of `capstats.individual_cap` for these tables.
    by : DataArray, dims (key), optional
        A number for each key; the keys with the greatest are drawn first, such as the worst ones by
        ``capstats.disclosure.key_summary(o, s).cap``. Without it keys are drawn in the order of the tables.
    most : int
        Greatest number of keys that are drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **mesh_kwargs
        Passed to matplotlib's ``Axes.pcolormesh``.

    Returns
    -------
    Axes
        One row for each key, one column for each target. A cell is the darker the greater individual CAP is; it holds this number, and
        below it the original and the synthetic records, one below the other if there are many targets. "1" and "0" are exact; what is so
        near that it would be rounded to them is ">0.99" or "<0.01". Cells without any record are empty. The label of the axis says how many
        keys and targets are drawn; of more than 20 targets they are those with the greatest individual CAP, added up over the original
        records of these keys.

    Raises
    ------
    TypeError, ValueError
        If `tables` or `individual` are not such results, hold more than one synthetic table or do not belong together; if `by` has other
        dims or labels, or `most` is below 1.

    See Also
    --------
    capstats.individual_cap, capstats.disclosure.key_summary, plot_key_summary

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Tables 1 and 2 and Definition 1.

    Examples
    --------
    >>> import capstats
    >>> from matplotlib.figure import Figure
    >>> tables = capstats.from_counts([[20, 5], [30, 45]], [[8, 7], [25, 60]], key_labels={"smoking": ["yes", "no"]})
    >>> ax = plot_key_target(tables, capstats.individual_cap(tables.o, tables.s), ax=Figure().subplots())
    >>> [text.get_text().splitlines() for text in ax.texts[:2]]
    [['0.24', '20 | 8'], ['0.76', '30 | 25']]
    """
    o, q = one_pair(tables, individual)
    s = tables.get("s")
    if s is None or s.ndim > 2:
        raise ValueError("`tables` must have one synthetic table `s`. Give one, or choose one with .sel(synthetic=...).")
    check_integer(most, "most", "a number of keys, at least 1", least=1)
    keys = _first_keys(o, by, most)
    counts, others, values = (_part(table.transpose("target", "key"), keys) for table in (o, s, q))
    held = np.flatnonzero((counts + others).sum(axis=1))
    risk = np.nansum(counts * values, axis=1)[held]
    targets = np.sort(held[np.argsort(-risk, kind="stable")[:TARGETS]])
    counts, others, values = (part[targets].T for part in (counts, others, values))
    named = list(map(parts_of, labels_at(o, "key", keys)))
    beside = 0.065 * max(len(", ".join(parts)) for parts in named)  # inches
    ax = axes_of(ax, width=min(2.5 + 0.7 * len(targets) + beside, 9), height=min(2 + 0.32 * len(keys), 9))
    empty = counts + others == 0
    style: dict[str, Any] = {"cmap": WHITE_TO_BLUE, "vmin": 0, "vmax": 1, "edgecolors": "0.85", "linewidth": 0.4}
    shares = np.where(empty, np.nan, values)
    mesh, bar = draw_cells(ax, shares, style | mesh_kwargs, ticks=[0, 0.5, 1])
    size = letter_size(ax)
    bar.set_label("individual CAP", fontsize=size)
    between, both = (" | ", "original | synthetic records") if len(targets) <= WIDE else ("\n", "original; synthetic records")
    both += ", by weight" * bool(weights_of(o) or weights_of(s))
    written = [
        "" if nobody else f"{_written(value)}\n{count(a)}{between}{count(b)}"
        for value, a, b, nobody in zip(shares.flat, counts.flat, others.flat, empty.flat, strict=True)
    ]
    name_cells(ax, list(map(text_of, labels_at(o, "target", targets))), named)
    drawn = [_number(len(keys), o.sizes["key"], "keys", by), _number(len(targets), o.sizes["target"], "targets", None)]
    sums = [tables[name] for name in ("o_records", "o") if name in tables]
    below = [*drawn, ", ".join(n_records(filled(x.variable.data)[1].sum(), weights_of(x)) for x in sums)]
    ax.set_xlabel(lines(_columns(o, "target"), "in each cell: individual CAP;", both, *below), fontsize=size)
    ax.set_ylabel(_columns(o, "key"), fontsize=size)
    write_cells(ax, mesh, shares, written)
    return ax


def _first_keys(o: xr.DataArray, by: xr.DataArray | None, most: int) -> Index:
    """The keys to draw: the first, or those with the greatest numbers; keys without a number are last."""
    if by is None:
        return np.arange(min(most, o.sizes["key"]))
    if not isinstance(by, xr.DataArray) or by.dims != ("key",) or not alike(o, by, "key"):
        raise ValueError("`by` must have one number for each key of `tables`, dims (key,), such as key_summary(tables.o, tables.s).cap.")
    numbers = np.asarray(by.values, dtype=float)
    return np.argsort(np.where(np.isnan(numbers), np.inf, -numbers), kind="stable")[:most]


def _part(table: xr.DataArray, keys: Index) -> Array:
    """Some of the keys of a table, on dense backing."""
    target, key = np.indices((table.sizes["target"], len(keys))).reshape(2, -1)
    return values_at(table.variable.data, target, keys[key]).reshape(-1, len(keys))


def _written(value: float) -> str:
    """A share with two digits, written as 0 or 1 only if it is exactly that."""
    if np.isnan(value):
        return "undefined"
    if value in (0, 1):
        return f"{value:.0f}"
    return "<0.01" if value < 0.005 else ">0.99" if value > 0.995 else f"{value:.2f}"


def _columns(o: xr.DataArray, dim: str) -> str:
    """The columns of a dim, as the label of its axis."""
    index = index_of(o, dim)
    names = [o.coords[dim].attrs.get("long_name")] if index is None or (index.nlevels == 1 and dim == "target") else index.names
    return shown(", ".join(str(name) for name in names if name not in (None, "key_", "target"))) or dim


def _number(drawn: int, of: int, what: str, by: Any) -> str:
    """The number of keys or targets drawn, if not all are, and their order."""
    order = f", greatest {shown(by.name) if by.name else 'first'}{' first' if by.name else ''}" if by is not None else ""
    return f"{drawn:,} of {of:,} {what}{order}" if drawn < of or order else ""
