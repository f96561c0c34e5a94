"""Figure of a sweep over subsets of key columns: a heatmap."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from capstats.plotting.heatmap import draw_cells, letter_size, name_cells, write_cells
from capstats.plotting.shared import BLUE, VERMILLION, axes_of, n_records, shown
from capstats.tables.ties import at_most

Contribution = Literal["shapley", "leave_one_out", "mean_increment"]

TITLES: dict[str, str] = {"shapley": "Shapley values", "leave_one_out": "leave one out", "mean_increment": "mean increment"}
ORANGE_TO_BLUE = LinearSegmentedColormap.from_list("orange_to_blue", [VERMILLION, "white", BLUE], N=49)  # odd: nothing is white


def plot_sweep(swept: xr.Dataset, *, contribution: Contribution = "shapley", ax: Axes | None = None, **mesh_kwargs: Any) -> Axes:
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
    **mesh_kwargs
        Passed to matplotlib's ``Axes.pcolormesh``.

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
    ax = axes_of(ax, width=min(2.5 + 0.5 * shares.sizes["key_column"], 7), height=min(1.6 + 0.24 * shares.sizes["target_column"], 9.5))
    greatest = float(np.nanmax(np.abs(shares.values), initial=0))
    values = float(np.nanmax(np.abs(swept["value"].values), initial=0))
    reach = 1.0 if at_most(greatest, 0, scale=values) else greatest  # differences due to rounding have no colour
    style: dict[str, Any] = {"cmap": ORANGE_TO_BLUE, "vmin": -reach, "vmax": reach, "edgecolors": "0.85", "linewidth": 0.4}
    unit = 1.0 if reach >= 0.01 else 10.0 ** math.floor(math.log10(reach))
    digits = 0 if reach >= 100 else 1 if unit < 1 else 2 if reach >= 0.1 else 3
    written = [f"{share / unit:z.{digits}f}" for share in shares.values.flat]
    mesh, bar = draw_cells(ax, shares.values, style | mesh_kwargs, format=lambda end, _: f"{end / unit:z.{digits}f}")
    low, high = mesh.get_clim()
    bar.set_ticks(sorted({float(low or 0), 0.0, float(high or 0)}))
    size = letter_size(ax) + 1
    bar.set_label("contribution" if unit == 1 else f"contribution, in units of {unit:g}", fontsize=size)
    columns, targets = (list(map(str, np.atleast_1d(shares[dim].values))) for dim in ("key_column", "target_column"))
    name_cells(ax, columns, [(target,) for target in targets])
    ax.set_xlabel("\n".join(filter(None, ["key column", n_records(swept.attrs.get("records"))])), fontsize=size)
    ax.set_ylabel("target", fontsize=size)
    ax.set_title(f"{shown(swept['measure'].values.item())}, {title}", fontsize=size)
    write_cells(ax, mesh, shares.values, written)
    return ax


def _span(sizes: list[int]) -> str:
    """Sizes in words, such as " 2" or "s 1 to 3"."""
    if len(sizes) == 1:
        return f" {sizes[0]}"
    whole = sizes == list(range(sizes[0], sizes[-1] + 1))
    return f"s {sizes[0]} to {sizes[-1]}" if whole and len(sizes) > 2 else f"s {', '.join(map(str, sizes))}"
