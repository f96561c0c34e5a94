"""Figure of the distribution of individual CAP for many releases: letter values."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from capstats.plotting.cap import fitted
from capstats.plotting.shared import VERMILLION, axes_of, legend_above, n_records, references, shown

SHADES = LinearSegmentedColormap.from_list("blue_to_light", ["#6AAED6", "#EFF6FB"])  # lines can be seen on all of them
ROW, AROUND, PAGE = 0.2, 1.8, 9.5  # inches: height of a row, of legend and axis, and greatest height of a figure of its own, for one page
WIDEST = 0.8  # height of the middle box, in rows


def plot_letter_values(
    quantiles: xr.DataArray,
    *,
    average: Any = None,
    original: float | None = None,
    baseline: float | None = None,
    ax: Axes | None = None,
    **bar_kwargs: Any,
) -> Axes:
    """Letter values of individual CAP, one row for each release: nested boxes of the middle half, three quarters, seven eighths, ...

    Many releases fit on a page, and unlike a boxplot it shows how far the tail of people at a high risk reaches.

    Parameters
    ----------
    quantiles : DataArray, dims (quantile) or (quantile, one other)
        Result of `capstats.cap_quantiles` at depths such as ``[1/16, 1/8, 1/4, 1/2, 3/4, 7/8, 15/16]``: 1/2 and pairs that are equally far
        from the ends; 0 and 1 are a pair as well.
    average : float, or one for each release, optional
        Average CAP, as a dot in the row.
    original : float, optional
        Average CAP of the original with itself, as a dashed line.
    baseline : float, optional
        Result of `capstats.baseline_cap`, as a dotted line.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend, no higher than a page.
    **bar_kwargs
        Passed to matplotlib's ``Axes.barh``.

    Returns
    -------
    Axes
        One row for each release, in their order, the first on top. The box of the middle half of the records is the darkest and highest;
        each next one, which holds more of them, is lighter and flatter. A black line is the median.

    Raises
    ------
    TypeError, ValueError
        If `quantiles` is not such a DataArray, has more than one other dim, or lacks 1/2 or the other quantile of a pair.

    See Also
    --------
    capstats.cap_quantiles, plot_individual_cap, plot_cap_ecdf

    References
    ----------
    Hofmann, Wickham and Kafadar (2017), "Letter-value plots: boxplots for large data", https://doi.org/10.1080/10618600.2017.1305277.

    Examples
    --------
    >>> from capstats import cap_quantiles
    >>> from matplotlib.figure import Figure
    >>> found = cap_quantiles([[1, 0], [2, 1]], [[1, 1], [1, 3]], [0, 0.25, 0.5, 0.75, 1])
    >>> ax = plot_letter_values(found, ax=Figure().subplots())
    >>> [(float(bar.get_x()), float(bar.get_width())) for bar in ax.patches]
    [(0.5, 0.0625), (0.5, 0.25)]
    """
    if not isinstance(quantiles, xr.DataArray) or "quantile" not in quantiles.dims or "quantile" not in quantiles.coords:
        got = type(quantiles).__name__
        raise TypeError(
            f"`quantiles` must be the DataArray that cap_quantiles returns for several quantiles, with dim `quantile`; got {got}."
        )
    if quantiles.ndim > 2:
        raise ValueError(f"`quantiles` has dims {quantiles.dims}; choose one table along all but one of them, with .sel or .isel.")
    (dim,) = [d for d in quantiles.dims if d != "quantile"] or [None]
    depths, middle = _pairs(quantiles["quantile"].values)
    values = quantiles.transpose("quantile", ...).values.reshape(quantiles.sizes["quantile"], -1)
    rows = np.arange(values.shape[1])
    names = [str(label) for label in quantiles.indexes.get(dim, rows)] if dim is not None else [""]
    tall = min(AROUND + ROW * len(rows), PAGE)
    given, ax = ax, axes_of(ax, width=7, height=tall)
    labels, _, ticks = fitted(names, ax, "horizontal")
    if given is None:
        ticks["labelsize"] = max(ticks["labelsize"], min(8.0, 0.85 * (tall - AROUND) * 72 / len(rows)))
    for i, (low, high, share) in enumerate(depths):
        outer = i / max(1, len(depths) - 1)
        style: dict[str, Any] = {
            "color": SHADES(outer),
            "height": WIDEST * 0.75**i,
            "edgecolor": "0.35",
            "linewidth": 0.3,
            "zorder": 2 - outer / 2,
        }
        ax.barh(
            rows,
            values[high] - values[low],
            left=values[low],
            label=f"middle {share:.5g} %" if share < 100 else "all records",
            **(style | bar_kwargs),
        )
    ax.vlines(values[middle], rows - WIDEST / 2, rows + WIDEST / 2, color="black", linewidth=1.2, zorder=2.5, label="median")
    references(ax, "x", None, original, baseline, zorder=3)
    if average is not None:
        dots: dict[str, Any] = {"marker": "o", "markerfacecolor": VERMILLION, "markeredgecolor": "white", "markersize": _dot(ax, len(rows))}
        ax.plot(np.broadcast_to(average, rows.shape), rows, linestyle="none", label="average CAP", zorder=4, **dots)
    ax.set(xlim=(-0.03, 1.03), ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticks(rows if dim is not None else [], labels if dim is not None else [])
    ax.tick_params(axis="y", length=0, **ticks)
    ax.set_xlabel("\n".join(filter(None, ["individual CAP", n_records(quantiles.attrs.get("records"))])))
    kind = {"synthetic": "synthetic table", "original": "original table"}.get(str(dim), shown(dim))
    ax.set_ylabel(kind if dim is not None else "")
    return legend_above(ax, given)


def _pairs(depths: Any) -> tuple[list[tuple[int, int, float]], int]:
    """Places of the lower and the upper quantile of each box, with its share in percent, from the middle on; and the median's."""
    places = {round(float(depth), 9): i for i, depth in enumerate(depths)}
    for depth in places:
        if 0.5 not in places or round(1 - depth, 9) not in places:
            missing = 0.5 if 0.5 not in places else 1 - depth
            raise ValueError(
                f"`quantiles` lacks {missing:.10g}: letter values are 1/2 and pairs such as 1/4 and 3/4. Give cap_quantiles these."
            )
    lower = sorted((depth for depth in places if depth < 0.5), reverse=True)
    return [(places[depth], places[round(1 - depth, 9)], 100 * (1 - 2 * depth)) for depth in lower], places[0.5]


def _dot(ax: Axes, rows: int) -> float:
    """Diameter of a dot in points that leaves the rows apart."""
    return float(min(5.0, 0.6 * ax.get_window_extent().height / ax.figure.dpi * 72 / rows))
