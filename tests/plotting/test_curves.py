"""Curves carry the numbers that a measure returned."""

import numpy as np
import pytest
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


def test_values_in_any_order_draw_one_curve(ax):
    """CAP 1/2 of four records and 3/4 of the four others."""
    plot_cap_ecdf(cap_ecdf([[2, 0], [2, 4]], [[1, 1], [1, 3]], [0.9, 0.5, 0.1]), ax=ax)
    assert ax.lines[0].get_xydata().tolist() == [[0.1, 0], [0.5, 0.5], [0.9, 1]]
    several = cap_ecdf(O_4, paper_synthetics(), GRID[::-1])
    plot_cap_ecdf(several, average=average_cap(O_4, paper_synthetics()), ax=ax)
    assert ax.lines[2].get_ydata().tolist() == several.sel(synthetic="b").values[::-1].tolist()
    dots = [line.get_ydata()[0] for line in ax.lines[5:9]]
    plot_cap_ecdf(several[::-1], average=average_cap(O_4, paper_synthetics()), ax=ax)
    assert dots == [line.get_ydata()[0] for line in ax.lines[13:17]]


@pytest.mark.parametrize(("tables", "entries"), [(28, 28), (60, 16)])
def test_the_legend_of_many_tables_leaves_most_of_the_figure_to_the_curves(tables, entries):
    names = [f"synthpop run {i}, cart, minbucket {5 * i}, smoothing of the incomes" for i in range(tables)]
    ecdf = xr.DataArray(np.full((tables, 3), [0, 0.5, 1]), {"synthetic": names, "at": [0, 0.5, 1]}, ("synthetic", "at"))
    ax = plot_cap_ecdf(ecdf, average=np.linspace(0, 1, tables), original=0.5, baseline=0.4)
    ax.figure.draw_without_rendering()
    (legend,) = ax.figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert len(texts) == entries + 3
    assert texts[-4:] == [
        "and 45 more" if tables > 28 else named(ax)[27],
        "average CAP",
        "average CAP of the original",
        "baseline: guess without a key",
    ]
    assert texts[:15] == named(ax)[:15]
    assert ax.get_window_extent().height > legend.get_window_extent().height


def test_many_draws_without_names_fill_no_legend(ax):
    ecdf = xr.DataArray(np.zeros((3, 50)), {"at": [0, 0.5, 1]}, ("at", "draw"))
    plot_cap_ecdf(ecdf, ax=ax, alpha=0.1)
    assert len(ax.lines) == 50
    assert {line.get_alpha() for line in ax.lines} == {0.1}
    assert named(ax) == []
    assert ax.get_xlabel() == "individual CAP"
