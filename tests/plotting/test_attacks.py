"""What the artists of attacks carry: every number in a figure is one that the attack returned."""

from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr
from drawn import dashed, ticks

from capstats.attacks import maximum_knowledge, membership_roc
from capstats.plotting import plot_maximum_knowledge, plot_membership_difference, plot_membership_roc

pytestmark = pytest.mark.slow


@pytest.fixture
def roc():
    rng = np.random.default_rng(1)
    members, others = {"x": rng.normal(size=20)}, {"x": rng.normal(size=15)}
    released = [{"x": members["x"] + rng.normal(size=20) / 9} for _ in range(3)]
    return membership_roc(members, others, released, columns="x", widths=0.1)


@pytest.fixture
def knowledge():
    frames = [{"a": rng.integers(0, 3, 20), "b": rng.integers(0, 4, 20)} for rng in map(np.random.default_rng, range(4))]
    return maximum_knowledge(frames[0], frames[1:], columns=["a", "b"])


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_difference_curve_for_each_number_of_tables_darker_with_more(ax, roc):
    assert plot_membership_difference(roc, ax=ax) is ax
    for i, m in enumerate((1, 2, 3)):
        np.testing.assert_array_equal(ax.lines[2 * i].get_xdata(), roc.threshold.sel(releases=m)[::-1])
        np.testing.assert_array_equal(ax.lines[2 * i].get_ydata(), roc.youden.sel(releases=m)[::-1])
    brightness = [np.dot(mpl.colors.to_rgb(line.get_color()), [0.3, 0.59, 0.11]) for line in ax.lines[:6:2]]
    assert brightness[0] > brightness[1] > brightness[2]
    assert labels(ax) == ["releases = 1", "releases = 2", "releases = 3"]


def test_the_difference_reaches_the_best_one_wherever_its_threshold_lies(ax):
    """-2.1 is no threshold of the grid of `at`, where two members of three are told from nobody."""
    roc = membership_roc([-2.11, -2.12, -8], [-2.13, -30])
    plot_membership_difference(roc, ax=ax)
    assert roc.difference.max().item() < roc.best_difference.item() == pytest.approx(2 / 3)
    curve, dot = ax.lines[:2]
    assert curve.get_ydata().max() == roc.best_difference.item()
    assert (dot.get_xdata().item(), dot.get_ydata().item()) == (roc.best_threshold.item(), roc.best_difference.item()) == (-2.12, 2 / 3)
    assert curve.get_drawstyle() == "steps-pre"


def test_the_curve_of_differences_is_the_rates_at_any_threshold(ax):
    rng = np.random.default_rng(4)
    members, others = rng.normal(0.5, 1, 30).round(1), rng.normal(0, 1, 20).round(1)
    at = np.linspace(-3, 3, 601)
    plot_membership_difference(membership_roc(members, others, at=at), ax=ax)
    x, y = ax.lines[0].get_data()
    for threshold in at[(at >= x[0]) & (at <= x[-2])]:
        drawn = y[np.searchsorted(x, threshold - 1e-9)]  # up to a threshold the step has its value
        assert drawn == pytest.approx((members >= threshold - 1e-9).mean() - (others >= threshold - 1e-9).mean())


def test_the_axis_of_thresholds_shows_the_range_of_at_and_the_best_threshold(ax):
    """Members that score -1300 do not squeeze the others together."""
    members, others = [-1300, -3, -2, -1], [-1200, -4, -3.5, -2.5]
    plot_membership_difference(membership_roc(members, others, at=[-50, 20]), ax=ax)
    low, high = ax.get_xlim()
    assert -55 < low < -45
    assert -1 < high < 5
    plot_membership_difference(membership_roc([-100, -60], [-110, -120], at=[-50, 20]), ax=ax)
    assert ax.get_xlim()[0] < -100  # the best threshold of the second
    assert ax.get_xlim()[1] == high


def test_the_axis_is_wide_where_the_people_are(ax):
    """Of 300 members and 300 others with thresholds down to -60, nearly all that differs lies between -1 and 1."""
    rng = np.random.default_rng(6)
    tail = -np.geomspace(1, 60, 100)
    members, others = np.append(tail, rng.normal(0.3, 0.3, 200)), np.append(tail, rng.normal(-0.3, 0.3, 200))
    plot_membership_difference(membership_roc(members, others, at=[-60, 2]), ax=ax)
    ends = ax.transAxes.inverted().transform(ax.transData.transform([(-1, 0), (1, 0)]))[:, 0]
    assert ends[1] - ends[0] > 0.6
    x = ax.lines[0].get_xdata()
    inside = np.unique(x[(x > -60) & (x < x.max())])
    apart = np.diff(ax.transData.transform(np.column_stack([inside, 0 * inside]))[:, 0])
    assert apart == pytest.approx(apart.mean())


@pytest.mark.parametrize(("members", "others"), [([1.0], [0.0]), ([-2.11, -2.12, -8], [-2.13, -30]), ([0, 0], [0, 0])])
def test_names_of_thresholds_do_not_touch_and_the_best_one_is_whole(members, others, ax):
    plot_membership_difference(membership_roc(members, others), ax=ax)
    ax.figure.draw_without_rendering()
    (low, high), boxes = ax.get_xlim(), [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(left.x1 <= right.x0 for left, right in pairwise(boxes))
    assert low < ax.lines[1].get_xdata().item() < high or not np.isfinite(ax.lines[1].get_xdata().item())


def test_figures_of_attacks_say_how_many_records_they_are_of(roc, knowledge):
    assert plot_membership_roc(roc).get_xlabel() == "false positive rate\n20 members, 15 non-members"
    assert (
        plot_membership_difference(roc).get_xlabel() == "threshold, as log10, wider where there are more people\n20 members, 15 non-members"
    )
    assert plot_maximum_knowledge(knowledge).get_xlabel() == "released tables\nn = 20 records"


def test_roc_curves_with_the_area_in_their_labels_and_the_diagonal(ax, roc):
    plot_membership_roc(roc, ax=ax)
    for i in range(3):
        np.testing.assert_array_equal(ax.lines[i].get_xdata(), roc.false_positive_rate[i])
        np.testing.assert_array_equal(ax.lines[i].get_ydata(), roc.true_positive_rate[i])
    assert dashed(ax)[0].get_xydata().tolist() == [[0, 0], [1, 1]]
    assert labels(ax) == [f"releases = {m}: area {roc.auc.sel(releases=m).item():.2f}" for m in (1, 2, 3)]


def test_one_curve_needs_no_number_of_tables(ax, roc):
    plot_membership_roc(roc.isel(releases=0, drop=True), ax=ax, color="black")
    assert labels(ax) == [f"area {roc.auc[0].item():.2f}"]
    assert ax.lines[0].get_color() == "black"
    other = plot_membership_difference(roc.isel(releases=0, drop=True))
    assert other.get_legend() is None


def test_a_curve_for_each_column_and_their_average(ax, knowledge):
    plot_maximum_knowledge(knowledge, ax=ax)
    for i, column in enumerate("ab"):
        np.testing.assert_array_equal(ax.lines[i].get_ydata(), knowledge.accuracy.sel(column=column))
    np.testing.assert_array_equal(dashed(ax)[0].get_ydata(), knowledge.average)
    assert labels(ax) == ["a", "b", "average"]
    assert ticks(ax) == ["1", "2", "3"]
    assert len({(line.get_color(), line.get_marker()) for line in ax.lines}) == 3


def test_of_many_columns_no_two_curves_are_alike_and_the_legend_stands_beside_them(ax):
    plot_maximum_knowledge(table_of([f"c{v}" for v in range(12)], [1, 2]), ax=ax)
    assert len({(line.get_color(), line.get_marker()) for line in ax.lines}) == 13
    assert ax.get_legend().get_bbox_to_anchor().x0 >= ax.bbox.x1 - 1


def table_of(names, numbers):
    shape = (len(numbers), len(names))
    return xr.Dataset(
        {"accuracy": (("releases", "column"), np.ones(shape)), "average": ("releases", np.ones(shape[0]))},
        {"releases": numbers, "column": names},
    )


def test_two_attacks_on_the_same_axes_are_told_apart_by_what_the_caller_calls_them(ax, roc):
    plot_membership_roc(roc.isel(releases=0, drop=True), ax=ax, label="chain", c="black")
    plot_membership_roc(roc.isel(releases=[1, 2]), ax=ax, label="margins", ls=":")
    areas = [f"area {area:.2f}" for area in roc.auc.values]
    assert labels(ax) == [f"chain, {areas[0]}", f"margins, releases = 2: {areas[1]}", f"margins, releases = 3: {areas[2]}"]
    assert ax.lines[0].get_color() == "black"
    assert ax.lines[2].get_linestyle() == ":"
    assert labels(plot_membership_difference(roc.isel(releases=0, drop=True), label="chain")) == ["chain"]
    assert labels(plot_maximum_knowledge(table_of(["a", "b"], [1, 2]), label="chain", ms=9)) == ["chain, a", "chain, b", "chain, average"]


def test_of_many_numbers_of_tables_as_many_are_named_as_there_is_room_for(ax):
    curves = {"youden": (("releases", "step"), np.zeros((100, 2))), "threshold": (("releases", "step"), np.ones((100, 2)))}
    best = {"best_threshold": ("releases", np.ones(100)), "best_difference": ("releases", np.zeros(100))}
    plot_membership_difference(xr.Dataset(curves | best, {"releases": range(1, 101)}), ax=ax)
    assert len(ax.lines) == 201
    assert len(labels(ax)) == 16
    assert [labels(ax)[0], labels(ax)[-1]] == ["releases = 1", "releases = 100"]
    over_m = plot_maximum_knowledge(table_of(["a"], range(1, 101)))
    over_m.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in over_m.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert [ticks(over_m)[0], ticks(over_m)[-1]] == ["1", "100"]


@pytest.mark.parametrize("names", [[f"column {v}" for v in range(40)], ["the occupation of the father when the respondent was fourteen"]])
def test_many_or_long_names_leave_most_of_the_room_that_they_can_to_the_curves(names):
    ax = plot_maximum_knowledge(table_of(names, [1, 2, 3]))
    ax.figure.canvas.draw()
    legend = ax.get_legend().get_window_extent()
    assert legend.height < ax.figure.bbox.height
    assert ax.get_position().width > 0.3


def test_attack_plots_refuse_what_they_cannot_draw(roc, knowledge):
    for plot in (plot_membership_difference, plot_membership_roc):
        with pytest.raises(TypeError, match="`roc` must be the Dataset that membership_roc returns; got DataArray"):
            plot(roc.auc)
    with pytest.raises(TypeError, match="`knowledge` must be the Dataset that maximum_knowledge returns for several"):
        plot_maximum_knowledge(knowledge.isel(releases=0))
