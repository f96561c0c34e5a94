"""Curves carry the numbers that a measure returned."""

import numpy as np
import xarray as xr
from drawn import GRID, O_4, named

from capstats import average_cap, cap_ecdf, individual_cap
from capstats.datasets import paper_synthetics
from capstats.plotting import plot_cap_ecdf

# --- The distribution of individual CAP


def test_ecdf_of_each_table_is_a_step_curve_of_its_own(ax):
    ecdf = cap_ecdf(O_4, paper_synthetics(), GRID)
    assert plot_cap_ecdf(ecdf, ax=ax) is ax
    assert named(ax) == ["a", "b", "e", "g"]
    for line, table in zip(ax.lines, "abeg", strict=True):
        np.testing.assert_array_equal(line.get_xdata(), GRID)
        np.testing.assert_array_equal(line.get_ydata(), ecdf.sel(synthetic=table))
        assert line.get_drawstyle() == "steps-post"
    assert (
        len({line.get_color() for line in ax.lines}) == len({str(line.get_linestyle()) + str(line._dash_pattern) for line in ax.lines}) == 4
    )
    assert ax.get_xlabel() == "individual CAP\nn = 900 records"


def test_steps_of_the_ecdf_are_the_records(ax):
    """At every value that occurs the curve jumps by the share of the records that have it."""
    s = paper_synthetics().sel(synthetic="g", drop=True)
    caps = np.repeat(individual_cap(O_4, s).values.ravel(), O_4.values.ravel())
    plot_cap_ecdf(cap_ecdf(O_4, s, np.unique(caps)), ax=ax)
    (line,) = ax.lines
    np.testing.assert_allclose(line.get_ydata(), [(caps <= x).mean() for x in line.get_xdata()])


def test_averages_of_several_tables_are_dots_on_their_curves(ax):
    s = paper_synthetics()
    averages, ecdf = average_cap(O_4, s), cap_ecdf(O_4, s, GRID)
    plot_cap_ecdf(ecdf, average=averages, original=0.4, ax=ax)
    dots = ax.lines[4:8]
    assert [dot.get_color() for dot in dots] == [line.get_color() for line in ax.lines[:4]]
    assert [dot.get_xdata()[0] for dot in dots] == averages.values.tolist()
    for dot, table in zip(dots, "abeg", strict=True):
        below = ecdf.sel(synthetic=table, at=GRID[averages.sel(synthetic=table).item() >= GRID])
        assert dot.get_ydata()[0] == below.values[-1]
    assert named(ax) == ["a", "b", "e", "g", "average CAP", "average CAP of the original"]
    assert [line.get_linestyle() for line in ax.lines[8:]] == ["--"]


def test_many_draws_without_names_fill_no_legend(ax):
    ecdf = xr.DataArray(np.zeros((3, 50)), {"at": [0, 0.5, 1]}, ("at", "draw"))
    plot_cap_ecdf(ecdf, ax=ax, alpha=0.1)
    assert len(ax.lines) == 50
    assert {line.get_alpha() for line in ax.lines} == {0.1}
    assert named(ax) == []
    assert ax.get_xlabel() == "individual CAP"
