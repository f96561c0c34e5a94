"""The histogram of average CAP and its law."""

from __future__ import annotations

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from drawn import dashed
from matplotlib.patches import StepPatch

from capstats import average_cap, average_cap_interval
from capstats.datasets import paper_originals, paper_synthetics
from capstats.laws import Bootstrap, Uniform, cap_law, sample_tables
from capstats.plotting import plot_average_cap, plot_cap_law
from capstats.plotting.shared import BLUE

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

ATOMS = {"whole": Uniform(), "a part": Uniform(), "one atom": Uniform(4), "atoms": Bootstrap(3)}


def test_bars_count_every_table_once(ax, averages):
    plot_average_cap(averages, original=0.5, ax=ax)
    assert len(ax.containers) == 2
    for container, (label, values) in zip(ax.containers, averages.items(), strict=True):
        assert label in ax.get_legend_handles_labels()[1]
        heights = [bar.get_height() for bar in container]
        assert sum(heights) == 500 == values.size
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("average CAP", "synthetic tables, of 500")


def test_bars_are_the_histogram_of_the_values_that_were_given(ax, averages):
    plot_average_cap(averages, ax=ax, bins=np.linspace(0, 1, 11))
    for container, values in zip(ax.containers, averages.values(), strict=True):
        heights = [bar.get_height() for bar in container]
        assert heights == np.histogram(values.values, bins=np.linspace(0, 1, 11))[0].tolist()


def test_undefined_averages_are_left_out_and_counted_in_the_label(ax):
    values = xr.DataArray([0.1, np.nan, 0.3, np.nan, np.nan], dims="draw")
    plot_average_cap({"version 1": values.fillna(0), "version 2": values, "none": values[1:2]}, ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["version 1", "version 2 (3 undefined)", "none (1 undefined)"]
    assert [sum(bar.get_height() for bar in container) for container in ax.containers] == [5, 2, 0]
    assert plot_average_cap(values).get_legend_handles_labels()[1] == ["(3 undefined)"]


def test_arrays_of_any_shape_are_counted_flat(ax):
    values = average_cap(paper_originals(), paper_synthetics())
    plot_average_cap(values, ax=ax)
    assert sum(bar.get_height() for bar in ax.containers[0]) == 16


@pytest.mark.parametrize("values", [[0.1, 0.2, 0.2], np.array([0.1, 0.2, 0.2]), pd.Series([0.1, 0.2, 0.2], index=[*"abc"])])
def test_a_list_an_array_and_a_series_are_one_version(ax, values):
    plot_average_cap(values, ax=ax)
    assert [sum(bar.get_height() for bar in container) for container in ax.containers] == [3]
    assert (ax.get_ylabel(), ax.get_legend_handles_labels()[1]) == ("synthetic tables, of 3", [])


def test_a_data_frame_has_a_version_in_each_column(ax):
    plot_average_cap(pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.3]}), ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["a", "b"]


def test_a_dataset_of_several_numbers_is_refused(ax):
    with pytest.raises(TypeError, match=r"`averages` is a Dataset; give one of its variables, such as `\.estimate`"):
        plot_average_cap(average_cap_interval(paper_originals(), paper_synthetics()), ax=ax)


def test_dashed_line_stands_at_the_original_and_within_the_axes(ax, averages):
    plot_average_cap(averages, original=0.95, ax=ax)
    (line,) = dashed(ax)
    assert set(line.get_xdata()) == {0.95}
    assert line.get_color() == BLUE
    assert line.get_label() == "average CAP of the original"
    assert ax.get_xlim()[0] < averages["version 1"].min() < 0.95 < ax.get_xlim()[1]


def test_bars_of_close_averages_stay_readable_beside_a_distant_original(ax):
    """500 averages within 0.01 and an original 0.2 away: all bins lie within the averages."""
    values = xr.DataArray(np.random.default_rng(1).uniform(0.77, 0.78, 500), dims="draw")
    plot_average_cap(values, original=0.95, ax=ax)
    assert sum(bar.get_height() > 0 for bar in ax.containers[0]) == 31
    assert ax.get_xlim()[1] < 0.8
    assert ax.get_legend_handles_labels()[1] == ["average CAP of the original: 0.95,\nto the right of the axis"]
    (line,) = dashed(ax)
    assert (line.get_marker(), line.get_transform()) == (">", ax.transAxes)
    low = plot_average_cap(values, original=0.1)
    assert low.get_legend_handles_labels()[1] == ["average CAP of the original: 0.1,\nto the left of the axis"]


@pytest.mark.parametrize("size", [(3.3, 3), (6.4, 4.8)])
@pytest.mark.parametrize("label", ["synthpop, cart, minbucket 5, smooth", "SYNTHPOP, CART, MINBUCKET 5, SMOOTH"])
def test_no_legend_is_wider_than_its_figure(size, label):
    values = np.append(np.linspace(0.77, 0.78, 50), [np.nan] * 1000 * (size[0] > 4))
    with mpl.rc_context({"figure.figsize": size}):
        ax = plot_average_cap({label: values}, original=0.95, baseline=0.1)
    ax.figure.canvas.draw()
    (legend,) = ax.figure.legends
    assert len(legend.get_texts()) == 3
    assert legend.get_window_extent().x0 >= 0
    assert legend.get_window_extent().x1 <= ax.figure.bbox.width


@pytest.mark.parametrize(("low", "high"), [(1.2, 30), (-0.5, 0.5), (0.5, 1.0001)])
def test_what_is_no_average_cap_is_refused(low, high):
    with pytest.raises(ValueError, match=rf"must hold average CAP, numbers from 0 to 1; they are from {min(low, 0.5)} to {high:.4g}\."):
        plot_average_cap({"a": [0.5, np.nan], "b": [low, high, np.nan]})
    assert plt.get_fignums() == []
    plot_average_cap([-1e-17, 1 + 1e-15, np.nan])  # rounding


def test_versions_that_vary_little_and_lie_apart_have_at_least_ten_bars_each(ax):
    rng = np.random.default_rng(2)
    plot_average_cap({"1": xr.DataArray(rng.uniform(0.3, 0.31, 900)), "2": xr.DataArray(rng.uniform(0.36, 0.37, 900))}, ax=ax)
    assert [sum(bar.get_height() > 0 for bar in container) >= 10 for container in ax.containers] == [True, True]


def test_labels_of_versions_are_plain_text_and_none_is_left_out_of_the_legend():
    ax = plot_average_cap({"_drop": xr.DataArray([0.1]), "$1": xr.DataArray([0.1, 0.2])})
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == [" _drop", r"\$1"]
    assert ax.get_ylabel() == "synthetic tables, of 1 to 2"


def test_the_baseline_is_a_line_of_its_own_or_an_arrow(ax):
    values = xr.DataArray(np.linspace(0.70, 0.71, 500), dims="draw")
    plot_average_cap(values, original=0.72, baseline=0.25, ax=ax)
    named = ["average CAP of the original", "baseline: guess without a key: 0.25,\nto the left of the axis"]
    assert ax.get_legend_handles_labels()[1] == named
    near, far = ax.lines
    assert near.get_xdata()[0] == 0.72
    assert (far.get_linestyle(), far.get_marker()) == (":", "<")


def test_tables_that_all_tie_stand_in_one_bar_in_the_middle(ax):
    """On O_1 every average is 1/3 but for its last bit: one bin, not many thin ones."""
    third = 1 / 3
    values = xr.DataArray([third, np.nextafter(third, 0), np.nextafter(third, 1)] * 100, dims="draw")
    plot_average_cap(values, original=1 / 3, ax=ax)
    filled = [bar for bar in ax.containers[0] if bar.get_height()]
    assert len(filled) == 1
    assert filled[0].get_height() == 300
    assert filled[0].get_x() < 1 / 3 < filled[0].get_x() + filled[0].get_width()


def test_averages_that_differ_by_little_are_told_apart(ax):
    """What rounding does not explain is no tie, however small: half of the averages stand in the first bin, half in the last."""
    values = xr.DataArray([1e-10, 2e-10] * 10, dims="draw")
    plot_average_cap(values, ax=ax)
    heights = [bar.get_height() for bar in ax.containers[0]]
    assert (heights[0], heights[-1], sum(heights)) == (10, 10, 20)


def test_versions_share_their_bins_without_a_gap_and_are_told_apart_without_colour(ax, averages):
    plot_average_cap(averages, ax=ax)
    for container in ax.containers:
        assert all(left.get_x() + left.get_width() == pytest.approx(right.get_x()) for left, right in pairwise(container))
    first, second = (container[0] for container in ax.containers)
    assert first.get_facecolor()[3] == 1
    assert second.get_facecolor()[3] == 0
    (outline,) = (patch for patch in ax.patches if isinstance(patch, StepPatch))
    heights, edges, _ = outline.get_data()
    assert heights.tolist() == [bar.get_height() for bar in ax.containers[1]]
    assert edges[:-1] == pytest.approx([bar.get_x() for bar in ax.containers[0]])
    assert (outline.get_label(), outline.get_fill()) == ("version 2", False)


@pytest.mark.parametrize("at", [0, 1 / 3, 1])
def test_averages_that_are_all_the_same_stand_on_an_axis_of_all_averages_with_their_number(ax, at):
    values = xr.DataArray(np.full(50, at), dims="draw")
    plot_average_cap({"a": values, "b": values}, original=0.9, baseline=0.05, ax=ax)
    assert ax.get_xlim() == (-0.03, 1.03)
    assert [set(line.get_xdata()) for line in ax.lines] == [{0.9}, {0.05}]
    (text,) = ax.texts
    assert text.get_text() == f"all at {at:.3g}"
    ax.figure.draw_without_rendering()
    box, (bar,) = text.get_window_extent(), (bar for bar in ax.containers[0] if bar.get_height())
    assert ax.bbox.contains(*box.min)
    assert ax.bbox.contains(*box.max)
    assert not box.overlaps(bar.get_window_extent())


def test_arguments_reach_hist(ax):
    values = xr.DataArray([0.1, 0.2, 0.3])
    plot_average_cap(values, ax=ax, bins=3, density=True, color="red", edgecolor="green", hatch="x", linewidth=2)
    (container,) = ax.containers
    assert len(container) == 3
    assert sum(bar.get_height() * bar.get_width() for bar in container) == pytest.approx(1)
    bar = container[0]
    assert bar.get_facecolor() == mpl.colors.to_rgba("red")
    assert bar.get_edgecolor() == mpl.colors.to_rgba("green")
    assert (bar.get_hatch(), bar.get_linewidth()) == ("x", 2)


@pytest.mark.parametrize("nothing", [xr.DataArray([np.nan, np.nan]), xr.DataArray(np.empty(0)), {}, {"a": xr.DataArray([np.nan])}])
def test_nothing_to_draw_raises(nothing):
    with pytest.raises(ValueError, match="`averages` holds no number to draw"):
        plot_average_cap(nothing)
    assert plt.get_fignums() == []


TABLE = [[5, 2, 0], [1, 4, 3]]
VALUES = np.linspace(0, 1, 101)


def test_the_curve_is_in_its_band_and_both_are_those_of_the_result(ax):
    density = cap_law(TABLE, Uniform()).density(VALUES)
    plot_cap_law(density, ax=ax)
    (line,), (band,) = ax.lines, ax.collections
    assert line.get_xdata().tolist() == VALUES.tolist()
    assert (line.get_ydata() >= density.least.values).all()
    assert (line.get_ydata() <= density.greatest.values).all()
    corners = band.get_paths()[0].vertices
    assert corners[:, 1].max() == density.greatest.max()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("average CAP", "density")
    assert line.get_label() == "law of average CAP"


def test_a_wide_bracket_is_seen(ax):
    density = cap_law(TABLE, Uniform()).density(VALUES)
    wide = density.assign(greatest=density.greatest + 0.5)
    plot_cap_law(wide, ax=ax)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), density.least + 0.25)


def test_a_distribution_function_rises_to_one(ax):
    plot_cap_law(cap_law(TABLE, Uniform()).cdf(VALUES), ax=ax, color="black", label="$m$ = _")
    assert ax.lines[0].get_ydata()[-1] == 1
    assert ax.get_ylabel() == "probability of at most this average CAP"
    assert ax.lines[0].get_color() == "black"
    assert ax.lines[0].get_label() == r"\$m\$ = _"


def test_over_a_histogram_the_area_is_that_of_the_bars(ax):
    draws = average_cap(TABLE, sample_tables(TABLE, Uniform(500), draws=400, rng=1))
    plot_average_cap(draws, ax=ax)
    label = ax.get_ylabel()
    bars = ax.containers[0]
    plot_cap_law(cap_law(TABLE, Uniform()).density(VALUES), over=bars, ax=ax)
    step = bars[1].get_x() - bars[0].get_x()
    heights = ax.lines[-1].get_ydata()
    assert (heights[:-1] + heights[1:]).sum() / 2 * 0.01 == pytest.approx(400 * step, rel=1e-3)
    assert ax.get_ylabel() == label


def test_an_atom_is_a_line_with_a_dot(ax):
    plot_cap_law(cap_law([[2, 1], [2, 1]], Uniform()).atoms(), ax=ax)
    (stems,), (dots,) = ax.collections, ax.lines
    assert stems.get_segments()[0].tolist() == [[0.5, 0], [0.5, 1]]
    assert (dots.get_xdata().tolist(), dots.get_ydata().tolist()) == ([0.5], [1])
    assert ax.get_ylabel() == "probability"


def test_an_atom_over_a_histogram_has_all_tables(ax):
    o = [[2, 1], [2, 1]]
    plot_average_cap(average_cap(o, sample_tables(o, Uniform(500), draws=40, rng=1)), ax=ax)
    plot_cap_law(cap_law(o, Uniform()).atoms(), over=ax.containers[0], ax=ax)
    assert ax.lines[-1].get_ydata().tolist() == [40]


@pytest.mark.parametrize("original", [0.05, 0.45, 1])
@pytest.mark.parametrize("drawn", ["whole", "a part", "one atom", "atoms"])
def test_the_axes_of_a_law_hold_every_mark(ax, drawn, original):
    law = cap_law(TABLE if "atom" not in drawn else [[1], [1]] if drawn == "one atom" else [[3, 1], [1, 2]], ATOMS[drawn])
    result = (
        law.atoms() if "atom" in drawn else law.density(np.linspace(*((law.least, law.greatest) if drawn == "whole" else (0.3, 0.36)), 40))
    )
    plot_cap_law(result, original=original, baseline=0.0, ax=ax)
    low, high = ax.get_xlim()
    marks = [*result["value"].values, original, 0.0]
    assert low < min(marks) <= max(marks) < high
    top = max(result[name].max().item() for name in result.data_vars)
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 1.04 * top


def test_what_is_no_law_is_refused(ax):
    with pytest.raises(ValueError, match="`result` must be what `density`, `cdf` or `atoms` of a law returned for a row of values"):
        plot_cap_law(cap_law(TABLE, Uniform()).density(0.5), ax=ax)
    with pytest.raises(ValueError, match="`result` must be what"):
        plot_cap_law(cap_law(TABLE, Uniform()).quantile([0.5]), ax=ax)
    bars = ax.bar([0, 1], [1, 2])
    with pytest.raises(ValueError, match="A distribution function has another scale than bars have"):
        plot_cap_law(cap_law(TABLE, Uniform()).cdf(VALUES), over=bars, ax=ax)


def test_versions_of_a_labelled_dim_are_named_by_it_and_up_to_29_are_told_apart(ax):
    draws = xr.DataArray(np.random.default_rng(0).uniform(size=(29, 5)), {"m": range(29)}, ("m", "draw"))
    plot_average_cap(draws, ax=ax)
    assert ax.get_legend_handles_labels()[1][:2] == ["m = 0", "m = 1"]
    looks = {(line.get_edgecolor(), str(line.get_linestyle())) for line in ax.patches if isinstance(line, StepPatch)}
    assert len(looks) == 28
