"""Heatmaps are areas with legible texts; the figure of a sweep shows its contributions."""

from __future__ import annotations

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from drawn import ticks

from capstats.plotting import plot_sweep
from capstats.plotting.heatmaps import draw_cells, letter_size, name_cells, write_cells
from capstats.plotting.inline import inline_svg
from capstats.screening import sweep

VALUES = np.array([[0.0, 0.5, 1.0], [np.nan, 0.2, 0.8]])


def rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_the_first_row_is_on_top_and_undefined_cells_have_no_colour(ax):
    mesh, bar = draw_cells(ax, VALUES, {"vmin": 0, "vmax": 1}, ticks=[0, 1])
    assert (ax.get_xlim(), ax.get_ylim()) == ((-0.5, 2.5), (1.5, -0.5))
    assert mesh.get_array().mask.tolist() == [[False] * 3, [True, False, False]]
    ax.figure.canvas.draw()
    assert mesh.get_facecolors()[3, 3] == 0
    assert bar.ax.get_yticks().tolist() == [0, 1]


@pytest.mark.parametrize("colours", ["Greys", "viridis"])
def test_heatmap_and_colour_bar_hold_no_pixels(ax, colours):
    draw_cells(ax, VALUES, {"cmap": colours})
    assert inline_svg(ax, prefix="a").startswith("<svg")  # it refuses pixels


@pytest.mark.parametrize("colours", ["Greys", "Greys_r"])
def test_texts_are_white_on_dark_cells_and_black_on_light_and_empty_ones(ax, colours):
    mesh, _ = draw_cells(ax, VALUES, {"cmap": colours, "vmin": 0, "vmax": 1})
    write_cells(ax, mesh, VALUES, ["a", "b", "c", "d", "e", "f"])
    dark = [text.get_text() for text in ax.texts if text.get_color() == "white"]
    assert {"c"} <= set(dark) <= {"c", "f", "b"} if colours == "Greys" else {"a"} <= set(dark) <= {"a", "e", "b"}
    assert "d" not in dark


def test_texts_are_as_large_as_their_cells_allow():
    sizes = []
    for columns in (2, 16, 60):
        ax = plt.subplots(figsize=(5, 3), layout="constrained")[1]
        mesh, _ = draw_cells(ax, np.zeros((2, columns)), {})
        write_cells(ax, mesh, np.zeros((2, columns)), ["0.123"] * 2 * columns)
        ax.figure.canvas.draw()
        sizes.append(ax.texts[0].get_fontsize())
        if columns < 60:
            extents = [text.get_window_extent() for text in ax.texts[:columns]]
            assert all(left.x1 <= right.x0 for left, right in pairwise(extents))
    assert sizes[0] == 7  # no larger than other texts
    assert sizes[0] > sizes[1] > sizes[2] == 3.5


def test_names_of_columns_are_turned_only_where_they_would_touch(ax):
    name_cells(ax, ["a", "b"], [("x",), ("y",)])
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {0}
    name_cells(ax, [f"a longer name {i}" for i in range(9)], [("x",), ("y",)])
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {45}


def test_each_part_of_a_long_name_of_a_row_keeps_its_beginning_and_end(ax):
    name_cells(
        ax, ["a"], [("north-western region of the country", "farmer", "f" * 80), ("north-eastern region of the country", "baker", "g" * 80)]
    )
    first, second = rows(ax)
    assert first.startswith("north-w")
    assert ", farmer, fff" in first
    assert ", baker, ggg" in second
    assert max(len(first), len(second)) <= 70


def test_names_of_any_length_stay_short_and_apart():
    ax = plt.subplots(figsize=(3.3, 3), layout="constrained")[1]
    name_cells(ax, ["c" * 5000, "$c$"], [("a" * 10_000,), ("a" * 5_000 + "b" + "a" * 4_999,), ("\x1b[31m",)])
    ax.figure.canvas.draw()
    assert len(set(rows(ax))) == 3
    assert max(map(len, rows(ax))) < 40
    assert rows(ax)[2] == r"\x1b[31m"
    assert ticks(ax)[1] == r"\$c\$"
    assert max(map(len, ticks(ax))) <= 30
    assert ax.get_position().width > 0.25


def test_a_heatmap_may_be_drawn_in_a_part_of_a_figure():
    parts = plt.figure(figsize=(7, 3)).subfigures(1, 2)
    ax = parts[0].subplots()
    mesh, _ = draw_cells(ax, VALUES, {})
    write_cells(ax, mesh, VALUES, ["a"] * 6)
    assert {text.get_fontsize() for text in ax.texts} == {7}
    assert len(parts[0].axes) == 2  # with its colour bar


def test_letters_are_smaller_in_a_narrow_figure():
    assert letter_size(plt.subplots(figsize=(3.3, 3))[1]) == 7
    assert letter_size(plt.subplots(figsize=(7, 3))[1]) == 8.5 < mpl.rcParams["font.size"]


# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

RECORDS = {"a": [0, 0, 1, 1, 2], "b": [0, 1, 0, 1, 1], "t": ["x", "y", "y", "x", "x"], "u": [0, 0, 1, 1, 1]}


@pytest.fixture
def swept():
    return sweep(RECORDS, [RECORDS, {**RECORDS, "b": [1, 1, 0, 0, 0]}], allow_same=True, keys=["a", "b"], targets=["t", "u"])


@pytest.mark.parametrize("contribution", ["shapley", "leave_one_out"])
def test_a_cell_of_the_heatmap_is_the_contribution_of_its_column_to_its_target(ax, swept, contribution):
    chosen = swept.sel(measure="average_cap").isel(synthetic=1)
    assert plot_sweep(chosen, contribution=contribution, ax=ax) is ax
    expected = chosen[contribution].transpose("target_column", "key_column").values
    np.testing.assert_array_equal(ax.collections[0].get_array(), expected)
    assert ticks(ax) == ["a", "b"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["t", "u"]
    written = {text.get_position(): text.get_text() for text in ax.texts}
    assert written == {(column, row): f"{expected[row, column]:.2f}" for row in range(2) for column in range(2)}
    assert ax.get_title().startswith("average_cap, ")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("key column\nn = 5 records", "target")


@pytest.mark.parametrize(
    ("sizes", "title"),
    [([1, 2], "mean increment at sizes 1, 2"), ([1], "mean increment at size 1"), (None, "mean increment at sizes 1 to 3")],
)
def test_mean_increments_are_averaged_over_the_sizes_that_the_title_names(ax, sizes, title):
    found = sweep(
        {**RECORDS, "c": [0, 1, 1, 0, 1]}, RECORDS | {"c": [1, 1, 0, 0, 1]}, keys=["a", "b", "c"], targets=["t", "u"], sizes=sizes
    )
    chosen = found.sel(measure="average_cap")
    plot_sweep(chosen, contribution="mean_increment", ax=ax)
    expected = chosen.mean_increment.mean("subset_size").transpose("target_column", "key_column")
    np.testing.assert_allclose(ax.collections[0].get_array(), expected, rtol=1e-15)
    assert ax.get_title() == f"average_cap, {title}"


def test_the_mean_increment_at_one_size_is_drawn_where_it_is_chosen(ax, swept):
    chosen = swept.sel(measure="average_cap", subset_size=2).isel(synthetic=0)
    plot_sweep(chosen, contribution="mean_increment", ax=ax)
    np.testing.assert_array_equal(ax.collections[0].get_array(), chosen.mean_increment.transpose("target_column", "key_column"))
    assert ax.get_title() == "average_cap, mean increment at size 2"


def test_colours_are_symmetric_so_that_white_is_nothing(ax, swept):
    plot_sweep(swept.sel(measure="matched_records").isel(synthetic=1), ax=ax)
    low, high = ax.collections[0].get_clim()
    assert low == -high
    assert high == np.abs(ax.collections[0].get_array()).max()
    assert ax.collections[0].cmap(0.5)[:3] == pytest.approx((1, 1, 1), abs=0.01)


def test_a_sweep_of_one_target_one_measure_and_one_table_needs_no_choice():
    found = sweep(RECORDS, [RECORDS], allow_same=True, keys=["a", "b"], targets="t", measures="average_cap")
    assert plot_sweep(found).collections[0].get_array().shape == (1, 2)
    assert plot_sweep(found.isel(target_column=0)).collections[0].get_array().shape == (1, 2)
    assert plot_sweep(found.squeeze(), vmax=3).collections[0].get_clim()[1] == 3


def test_contributions_that_are_not_defined_are_left_white(ax):
    other = {**RECORDS, "a": [7] * 5}
    plot_sweep(sweep(RECORDS, other, keys=["a", "b"], targets="t", measures="average_cap_drop"), ax=ax)
    assert {(text.get_text(), text.get_color()) for text in ax.texts} == {("nan", "black")}  # and can be read
    ax.figure.canvas.draw()


def test_what_is_no_sweep_or_no_single_heatmap_is_refused(swept):
    with pytest.raises(TypeError, match="`swept` must be the Dataset that sweep returns; got DataArray"):
        plot_sweep(swept.shapley)
    with pytest.raises(ValueError, match="`swept` has dims 'measure', 'synthetic'; choose one element along each"):
        plot_sweep(swept)
    with pytest.raises(ValueError, match='`contribution` must be "shapley", "leave_one_out" or "mean_increment"; got \'share\''):
        plot_sweep(swept, contribution="share")
    with pytest.raises(ValueError, match="`swept` has no 'shapley', which needs more subset sizes"):
        plot_sweep(sweep(RECORDS, RECORDS, allow_same=True, keys=["a", "b"], targets="t", sizes=2))
    with pytest.raises(ValueError, match='Sweep with sizes=None, or draw contribution="mean_increment"'):
        plot_sweep(sweep(RECORDS, RECORDS, allow_same=True, keys=["a", "b"], targets="t", sizes=1))


def colour_bar(ax):
    (bar,) = [other for other in ax.figure.axes if other is not ax]
    return bar


def test_the_colour_bar_names_the_ends_of_the_scale(swept):
    chosen = swept.sel(measure="average_cap").isel(synthetic=1)
    ax = plot_sweep(chosen)
    low, high = ax.collections[0].get_clim()
    bar = colour_bar(ax)
    ax.figure.canvas.draw()
    assert bar.get_yticks().tolist() == [low, 0, high]
    assert [label.get_text() for label in bar.get_yticklabels()] == [f"{low:.2f}", "0.00", f"{high:.2f}"]
    assert bar.get_ylabel() == "contribution"


def of_values(*values):
    """A sweep over one target with those Shapley values."""
    found = sweep(RECORDS, RECORDS, allow_same=True, keys=["a", "b"], targets="t", measures="average_cap")
    return found.assign(shapley=found.shapley.copy(data=np.reshape(values, (2, 1, 1))))


@pytest.mark.parametrize(
    ("values", "written", "label"),
    [
        ((0.04, -0.004), ["0.040", "-0.004"], "contribution"),
        ((0.004, -0.0004), ["4.0", "-0.4"], "contribution, in units of 0.001"),
        ((1.6e-7, 0), ["1.6", "0.0"], "contribution, in units of 1e-07"),
        ((250, 1), ["250", "1"], "contribution"),
        ((-0.001, 0.4), ["0.00", "0.40"], "contribution"),  # not minus nothing
    ],
)
def test_a_cell_in_full_colour_is_never_written_as_nothing(values, written, label):
    ax = plot_sweep(of_values(*values))
    assert [text.get_text() for text in ax.texts] == written
    assert colour_bar(ax).get_ylabel() == label


def test_what_rounding_leaves_of_nothing_has_no_colour(ax):
    plot_sweep(of_values(3e-17, -1e-17), ax=ax)
    assert ax.collections[0].get_clim() == (-1, 1)
    assert [text.get_text() for text in ax.texts] == ["0.00", "0.00"]


def test_numbers_of_many_columns_stay_within_their_cells():
    names = [f"$c_{i}$" for i in range(12)]
    shares = xr.DataArray(np.linspace(-0.01, 0.09, 12)[:, None], {"key_column": names, "target_column": ["t"]})
    swept = xr.Dataset({"shapley": shares, "without_keys": 0.0, "value": ("keyset", [0.5]), "measure": "average_cap"})
    ax = plot_sweep(swept, ax=plt.subplots(figsize=(3.5, 2.5), layout="constrained")[1])
    ax.figure.canvas.draw()
    extents = [text.get_window_extent() for text in ax.texts]
    assert all(left.x1 < right.x0 for left, right in pairwise(extents))
    assert ticks(ax)[0] == r"\$c_0\$"


def test_a_figure_of_its_own_grows_with_its_targets_up_to_a_page():
    def tall(targets):
        shares = xr.DataArray(np.ones((2, targets)), {"key_column": ["a", "b"], "target_column": [f"t{i}" for i in range(targets)]})
        swept = xr.Dataset({"shapley": shares, "without_keys": 0.0, "value": ("keyset", [0.5]), "measure": "average_cap"})
        return plot_sweep(swept).figure.get_size_inches()[1]

    assert tall(1) < tall(25) < tall(100) == 9.5
