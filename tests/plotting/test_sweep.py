"""Heatmaps of a sweep: a cell is the contribution of its column to its target."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from drawn import ticks

from capstats.plotting import plot_sweep
from capstats.screening import sweep

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

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


def test_no_contribution_is_minus_nothing(ax):
    found = sweep(RECORDS, RECORDS, allow_same=True, keys=["a", "b"], targets="t", measures="average_cap")
    plot_sweep(found.assign(shapley=found.shapley.copy(data=[[[-0.001]], [[0.4]]])), ax=ax)
    assert [text.get_text() for text in ax.texts] == ["0.00", "0.40"]


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
