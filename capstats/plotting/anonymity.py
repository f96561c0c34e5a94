"""Figure of the privacy models of the original and the synthetic table."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from capstats.plotting.shared import BLUE, VERMILLION, axes_of, legend_above, n_records, shown

SAFER = ("k", "distinct_l", "entropy_l")  # larger values of these are safer


def plot_anonymity(models: xr.Dataset, *, ax: Axes | None = None, **scatter_kwargs: Any) -> Axes:
    """Each privacy model as a line from its value in the original to its value in the synthetic table.

    Parameters
    ----------
    models : Dataset, dims (table)
        Result of `capstats.anonymity.anonymity_profile`, for one original and one synthetic table; ``models[["k", "t"]]`` draws two.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure with a legend.
    **scatter_kwargs
        Passed to matplotlib's ``Axes.scatter``.

    Returns
    -------
    Axes
        One row for each model, in their order: an open blue circle for the original, a vermillion cross for the synthetic table,
        and both values as numbers at the right. Infinite and undefined values have no mark. The axis is logarithmic above 0.01.

    Raises
    ------
    TypeError, ValueError
        If `models` is not such a Dataset, or holds more than one pair of tables.

    See Also
    --------
    capstats.anonymity.anonymity_profile

    References
    ----------
    Those of each model's own function.

    Examples
    --------
    >>> from capstats.anonymity import anonymity_profile
    >>> from matplotlib.figure import Figure
    >>> ax = plot_anonymity(anonymity_profile([[20, 5], [30, 45]], [[8, 7], [25, 60]])[["k", "alpha"]], ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['50 → 33', '0.9 → 0.896']
    """
    if not isinstance(models, xr.Dataset) or "table" not in models.dims:
        raise TypeError(f"`models` must be the Dataset that anonymity_profile returns, with dim `table`; got {type(models).__name__}.")
    if set(models.dims) != {"table"}:
        raise ValueError(f"`models` has dims {tuple(models.dims)}; choose one pair of tables, with .sel or .isel.")
    names = list(map(str, models.data_vars))
    given, ax = ax, axes_of(ax, height=1.4 + 0.26 * len(names))
    before, after = (np.array([float(models[name].sel(table=table)) for name in names]) for table in ("original", "synthetic"))
    rows = np.arange(len(names))
    ax.hlines(rows, before, after, color="0.6", linewidth=1.2, zorder=1)
    styles: dict[str, dict[str, Any]] = {
        "original": {"marker": "o", "facecolors": "white", "edgecolors": BLUE, "s": 40},
        "synthetic": {"marker": "x", "color": VERMILLION, "linewidths": 1.5, "s": 20},
    }
    for (table, style), symbol, values in zip(styles.items(), "nm", (before, after), strict=True):
        n = n_records(models.attrs.get(f"{table}_records"), symbol)
        ax.scatter(values, rows, label=", ".join(filter(None, [table, n])), zorder=2, **(style | scatter_kwargs))
    for row, (a, b) in enumerate(zip(before, after, strict=True)):
        text = " → ".join("undefined" if np.isnan(x) else f"{x:.3g}" if x < 1000 else f"{x:,.0f}" for x in (a, b))
        ax.text(1.02, row, text, transform=ax.get_yaxis_transform(), va="center", fontsize="x-small")
    ax.set_yticks(rows, [shown(name) for name in names], fontsize="small")
    ax.set_ylim(len(names) - 0.5, -0.5)
    finite = [x for x in (*before, *after) if np.isfinite(x)]
    decades = range(-2, max(1, int(np.ceil(np.log10(max([1.0, *finite])) + 0.2))) + 1)
    ax.set_xscale("symlog", linthresh=0.01, linscale=1)
    ax.set_xlim(-0.001, 10.0 ** decades[-1])
    ax.set_xticks([0, *(10.0**x for x in decades if len(decades) < 6 or x % 2 == 0)], minor=False)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,g}")
    ax.tick_params(axis="x", labelsize="small")
    ax.minorticks_off()
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    safer = ", ".join(name for name in SAFER if name in names)
    ax.set_xlabel("value; larger is riskier" + (f",\nbut safer in {safer}" if safer else ""), fontsize="small")
    return legend_above(ax, given)
