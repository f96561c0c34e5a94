"""Figure of a sweep over subsets of key columns: a heatmap."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from capstats.plotting.shared import BLUE, VERMILLION, axes_of, n_records, shortened, shown
from capstats.tables.ties import at_most

Contribution = Literal["shapley", "leave_one_out", "mean_increment"]

TITLES: dict[str, str] = {"shapley": "Shapley values", "leave_one_out": "leave one out", "mean_increment": "mean increment"}
ORANGE_TO_BLUE = LinearSegmentedColormap.from_list("orange_to_blue", [VERMILLION, "white", BLUE])


def plot_sweep(swept: xr.Dataset, *, contribution: Contribution = "shapley", ax: Axes | None = None, **imshow_kwargs: Any) -> Axes:
    """Heatmap of the contribution of each key column to the risk of each target.

    Parameters
    ----------
    swept : Dataset
        Result of `capstats.screening.sweep`, with one measure (and one synthetic table) chosen, such as
        ``swept.sel(measure="average_cap")``.
    contribution : {"shapley", "leave_one_out", "mean_increment"}
        Which of its variables to draw; of "mean_increment" the average over its sizes, which the title names.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    **imshow_kwargs
        Passed to matplotlib's ``Axes.imshow``.

    Returns
    -------
    Axes
        One row for each target, one column for each key column, each cell with its value. Blue cells raise the risk, orange cells lower it,
        and darker cells have a greater effect; undefined values are "nan". The colour bar ends at the greatest contribution, so full colour
        may be a small number: use the same ``vmin`` and ``vmax`` for heatmaps to be compared. If all contributions are below 0.01, they are
        given in units of a power of ten, shown at the colour bar.

    Raises
    ------
    TypeError, ValueError
        If `swept` is not such a Dataset, has no such contribution, or has more than one measure or synthetic table.

    See Also
    --------
    capstats.screening.sweep
    """
    if not isinstance(swept, xr.Dataset) or "without_keys" not in swept:
        raise TypeError(f"`swept` must be the Dataset that sweep returns; got {type(swept).__name__}.")
    if contribution not in TITLES:
        raise ValueError(f'`contribution` must be "shapley", "leave_one_out" or "mean_increment"; got {contribution!r}.')
    if contribution not in swept:
        instead = ', or draw contribution="mean_increment"' if "mean_increment" in swept else ""
        raise ValueError(f"`swept` has no {contribution!r}, which needs more subset sizes. Sweep with sizes=None{instead}.")
    axes = ("target_column", "key_column")
    shares, title = swept[contribution], TITLES[contribution]
    if "subset_size" in shares.coords:
        title += f" at size{_span(np.atleast_1d(shares['subset_size'].values).tolist())}"
    if "subset_size" in shares.dims:
        shares = shares.mean("subset_size", skipna=False)
    shares = shares.isel({dim: 0 for dim in shares.dims if dim not in axes and shares.sizes[dim] == 1})
    spread = [str(dim) for dim in shares.dims if dim not in axes]
    if spread:
        raise ValueError(f"`swept` has dims {', '.join(map(repr, spread))}; choose one element along each, with .sel or .isel.")
    if "target_column" not in shares.dims:
        shares = shares.expand_dims("target_column")
    shares = shares.transpose(*axes)
    ax = axes_of(ax)
    greatest = float(np.nanmax(np.abs(shares.values), initial=0))
    values = float(np.nanmax(np.abs(swept["value"].values), initial=0))
    reach = 1.0 if at_most(greatest, 0, scale=values) else greatest  # differences due to rounding have no colour
    style: dict[str, Any] = {"cmap": ORANGE_TO_BLUE, "vmin": -reach, "vmax": reach, "aspect": "auto"}
    image = ax.imshow(shares.values, **(style | imshow_kwargs))
    unit = 1.0 if reach >= 0.01 else 10.0 ** math.floor(math.log10(reach))
    digits = 0 if reach >= 100 else 1 if unit < 1 else 2 if reach >= 0.1 else 3
    written = [f"{share / unit:z.{digits}f}" for share in shares.values.flat]
    low, high = image.get_clim()
    ends = sorted({float(low or 0), 0.0, float(high or 0)})
    bar = ax.figure.colorbar(image, ax=ax, ticks=ends, format=lambda end, _: f"{end / unit:z.{digits}f}")
    bar.set_label("contribution" if unit == 1 else f"contribution, in units of {unit:g}")
    room = ax.get_window_extent().width / ax.figure.dpi * 72 / shares.sizes["key_column"]  # width in points for each number
    size = min(7.0, max(3.5, room / (0.62 * max(map(len, written)))))
    for ((row, column), share), text in zip(np.ndenumerate(shares.values), written, strict=True):
        red, green, blue, opaque = image.cmap(image.norm(share))
        dark = opaque * (0.299 * red + 0.587 * green + 0.114 * blue) + 1 - opaque < 0.5  # NaN is transparent
        ax.text(column, row, text, ha="center", va="center", fontsize=size, color="white" if dark else "black")
    columns, targets = (shortened(list(map(str, np.atleast_1d(shares[dim].values))), 24) for dim in ("key_column", "target_column"))
    ax.set_xticks(range(len(columns)), list(map(shown, columns)), rotation=45, ha="right")
    ax.set_yticks(range(len(targets)), list(map(shown, targets)))
    ax.set_xlabel("\n".join(filter(None, ["key column", n_records(swept.attrs.get("records"))])))
    ax.set_ylabel("target")
    ax.set_title(f"{shown(swept['measure'].values.item())}, {title}", fontsize="medium")
    return ax


def _span(sizes: list[int]) -> str:
    """Sizes in words, such as " 2" or "s 1 to 3"."""
    if len(sizes) == 1:
        return f" {sizes[0]}"
    whole = sizes == list(range(sizes[0], sizes[-1] + 1))
    return f"s {sizes[0]} to {sizes[-1]}" if whole and len(sizes) > 2 else f"s {', '.join(map(str, sizes))}"
