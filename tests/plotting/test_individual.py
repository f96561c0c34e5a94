"""Boxplots and dots show individual CAP."""

from __future__ import annotations

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from drawn import FEW, dashed, ticks
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.cbook import boxplot_stats
from matplotlib.figure import Figure
from strategies import examples, table_pairs

from capstats import average_cap, baseline_cap, by_group, cap_boxplot, expand, from_counts, individual_cap, tabulate
from capstats.datasets import paper_originals, paper_synthetics, smoking
from capstats.laws import Uniform, sample_tables
from capstats.plotting import plot_individual_cap, plot_people
from capstats.plotting.shared import VERMILLION

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


def dots(ax):
    return [line for line in ax.lines if line.get_marker() == "o" and line.get_markerfacecolor() == VERMILLION]


def circles(ax):
    """Where the circles of outliers stand (box, value), and their areas."""
    found = [c for c in ax.collections if len(c.get_offsets()) and not len(c.get_facecolor())]
    if not found:
        return np.empty((0, 2)), np.empty(0)
    (drawn,) = found
    return np.asarray(drawn.get_offsets()), drawn.get_sizes()


def outliers(ax):
    """The values of the circles at each box."""
    places, _ = circles(ax)
    return {box: places[places[:, 0] == box, 1].tolist() for box in np.unique(places[:, 0])}


def medians(ax):
    return [line.get_ydata()[0] for line in ax.lines if line.get_linewidth() == 1.5]


def extents(patch):
    vertices = patch.get_path().vertices
    return vertices[:, 1].min(), vertices[:, 1].max()


def records_of(o, s):
    """The individual CAP of every record that the original table stands for."""
    people = expand(o)
    caps = individual_cap(o, s)
    cells = dict(np.ndenumerate(caps.values))
    targets, keys = list(caps.indexes["target"]), [key for (key,) in caps.indexes["key"]]
    return np.array([cells[targets.index(row.T), keys.index(row.K)] for row in people.itertuples()])


def test_boxes_stand_in_the_order_of_average_cap_and_axes_and_legend_say_what_is_drawn(ax, o_4, boxes):
    plot_individual_cap(boxes, ax=ax)
    expected = boxes.average.sortby(boxes.average)
    assert ticks(ax) == expected.synthetic.values.tolist() == ["g", "e", "a", "b"]
    assert [dot.get_ydata()[0] for dot in dots(ax)] == expected.values.tolist()
    assert [dot.get_xdata()[0] for dot in dots(ax)] == [1, 2, 3, 4]
    assert ax.get_ylabel() == "individual CAP"
    assert ax.get_xlabel() == "synthetic table, by average CAP\nn = 900 records"
    assert ax.get_legend_handles_labels()[1] == [
        "average CAP",
        "average CAP of the original",
        "baseline: guess without a key",
        "outlier: 1 record",
        "outlier: 100 records",
    ]
    low, high = ax.get_ylim()
    assert low < 0
    assert high > 1
    for value, style in ((average_cap(o_4, o_4), "--"), (baseline_cap(o_4), ":")):
        (line,) = (line for line in ax.lines if line.get_linestyle() == style)
        assert set(line.get_ydata()) == {value.item()}


def test_boxes_may_stand_in_the_given_order_of_which_the_first_is_on_the_left_or_on_top(ax, boxes):
    given = boxes.isel(synthetic=[2, 0, 3, 1])
    plot_individual_cap(given, order="given", ax=ax)
    assert ticks(ax) == given.synthetic.values.tolist()
    assert [dot.get_ydata()[0] for dot in dots(ax)] == given.average.values.tolist()
    assert ax.get_xlabel() == "synthetic table\nn = 900 records"
    lying = plot_individual_cap(given, order="given", orientation="horizontal")
    assert [dot.get_xdata()[0] for dot in dots(lying)] == given.average.values.tolist()
    assert lying.yaxis_inverted()
    with pytest.raises(ValueError, match="`order` must be"):
        plot_individual_cap(given, order="worst")


def test_tables_with_equal_averages_keep_their_given_order(ax):
    """On O_1 every average is 1/3, whatever the last bit."""
    o_1 = paper_originals().sel(original="O_1", drop=True)
    boxes = cap_boxplot(o_1, sample_tables(o_1, Uniform(900), draws=60, rng=1))
    last_bits = np.random.default_rng(2).integers(-2, 3, 60) * 2.0**-54
    plot_individual_cap(boxes.assign(average=boxes.average + last_bits), ax=ax)
    assert ticks(ax) == [str(i) for i in range(60)]


def test_boxes_whiskers_and_outliers_are_those_of_the_expanded_records(ax, o_4, boxes):
    plot_individual_cap(boxes, ax=ax)
    assert len(ax.patches) == len(medians(ax)) == 4
    whiskers = [line for line in ax.lines if line.get_linestyle() == "-" and np.ptp(line.get_xdata()) == 0]
    assert len(whiskers) == 8
    for place, label in enumerate(ticks(ax)):
        records = records_of(o_4, paper_synthetics().sel(synthetic=label))
        assert len(records) == 900
        (stats,) = boxplot_stats(records)
        low, high = extents(ax.patches[place])
        assert (low, high) == pytest.approx((stats["q1"], stats["q3"]), rel=1e-12)
        assert (low, high) == pytest.approx(tuple(np.percentile(records, [25, 75])), rel=1e-12)
        assert medians(ax)[place] == pytest.approx(np.percentile(records, 50), rel=1e-12)
        ends = [end for line in whiskers[2 * place : 2 * place + 2] for end in line.get_ydata()]
        assert min(ends) == pytest.approx(stats["whislo"], rel=1e-12)
        assert max(ends) == pytest.approx(stats["whishi"], rel=1e-12)
        assert outliers(ax).get(place + 1, []) == pytest.approx(sorted(set(stats["fliers"])), rel=1e-12)
        assert dots(ax)[place].get_ydata()[0] == pytest.approx(records.mean(), rel=1e-12)


def test_no_line_is_drawn_where_the_tables_have_different_originals(ax):
    boxes = cap_boxplot(paper_originals(), paper_synthetics().sel(synthetic="a"))
    plot_individual_cap(boxes, ax=ax)
    assert dashed(ax) == []
    assert sorted(ticks(ax)) == ["O_1", "O_2", "O_3", "O_4"]


def test_one_table_without_dims_is_one_box(ax):
    tables = smoking()
    boxes = cap_boxplot(tables.o, tables.s)
    assert boxes["median"].dims == ()
    plot_individual_cap(boxes, ax=ax)
    assert ticks(ax) == []  # there is no name to write
    assert ax.get_xlabel() == "n = 100 records"
    assert [dot.get_ydata()[0] for dot in dots(ax)] == [average_cap(tables.o, tables.s).item()]
    assert medians(ax) == [25 / 33]


def test_tables_without_labels_carry_their_position(ax, o_4):
    draws = sample_tables(o_4, Uniform(900), draws=6, rng=1)
    boxes = cap_boxplot(o_4, draws)
    plot_individual_cap(boxes, ax=ax)
    order = [int(label) for label in ticks(ax)]
    assert sorted(order) == [0, 1, 2, 3, 4, 5]
    assert [dot.get_ydata()[0] for dot in dots(ax)] == boxes.average.values[order].tolist()


def test_labels_that_are_numbers_are_written_out(ax, o_4, boxes):
    plot_individual_cap(boxes.assign_coords(synthetic=[10, 20, 30, 40]), ax=ax)
    assert ticks(ax) == ["40", "30", "10", "20"]


def test_table_without_a_matched_record_is_an_empty_place_at_the_end(ax):
    """Version 2 is undefined for the first of two tables."""
    boxes = cap_boxplot([[3, 0], [1, 0]], [[[0, 1], [0, 1]], [[1, 0], [1, 0]]], unmatched="drop")
    plot_individual_cap(boxes, ax=ax)
    assert ticks(ax) == ["1", "0"]
    assert medians(ax)[0] == 0.5
    assert np.isnan(medians(ax)[1])
    ax.figure.canvas.draw()


def test_arguments_reach_bxp(ax, boxes):
    plot_individual_cap(boxes, ax=ax, showmeans=False, showfliers=False, widths=0.2)
    assert dots(ax) == []
    assert outliers(ax) == {}
    assert np.ptp(ax.patches[0].get_path().vertices[:, 0]) == pytest.approx(0.2)
    assert ax.get_legend_handles_labels()[1] == ["average CAP of the original", "baseline: guess without a key"]


@pytest.mark.parametrize("wrong", [xr.Dataset(), from_counts([[1]]), xr.DataArray([1.0]), {"median": 1}, None])
def test_anything_but_the_result_of_cap_boxplot_raises(wrong):
    with pytest.raises(TypeError, match="`boxes` must be the Dataset that cap_boxplot returns"):
        plot_individual_cap(wrong)
    assert plt.get_fignums() == []


def test_tables_that_spread_over_two_dims_raise():
    boxes = cap_boxplot(paper_originals(), paper_synthetics())
    with pytest.raises(ValueError, match=r"`boxes` has dims \('original', 'synthetic'\); choose one"):
        plot_individual_cap(boxes)
    with pytest.raises(ValueError, match='`orientation` must be "vertical" or "horizontal"; got \'flat\''):
        plot_individual_cap(boxes, orientation="flat")
    assert plt.get_fignums() == []


LONG = [f"release_{i:02d}_of_a_generator_with_a_name_of_fiftytwo_{i:02d}" for i in range(20)]


@pytest.fixture(scope="module")
def twenty():
    """Boxes of 20 releases with names of 52 characters."""
    o = paper_originals().sel(original="O_4", drop=True)
    draws = sample_tables(o, Uniform(900), draws=20, rng=1).rename(draw="synthetic").assign_coords(synthetic=LONG)
    return cap_boxplot(o, draws)


@pytest.mark.parametrize("size", [None, (3.5, 3), (6, 4)])
def test_twenty_long_names_leave_room_for_their_boxes(twenty, size):
    assert {len(name) for name in LONG} == {52}
    ax = plot_individual_cap(twenty, ax=None if size is None else plt.subplots(figsize=size, layout="constrained")[1])
    ax.figure.canvas.draw()  # any warning is an error
    names = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert ax.get_position().width > 0.3
    assert ax.get_position().height > 0.5
    if size is None:
        assert all(low.y1 <= high.y0 for low, high in pairwise(names))
        assert ax.figure.get_size_inches()[1] > mpl.rcParams["figure.figsize"][1]
    heights = [patch.get_window_extent().height for patch in ax.patches]
    assert len(heights) == 20
    assert min(heights) > 2


def test_long_names_are_shortened_in_the_middle_and_stay_apart(twenty):
    ax = plot_individual_cap(twenty)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert len(set(names)) == 20
    for short, whole in zip(names, twenty.synthetic.sortby(twenty.average).values, strict=True):
        start, end = short.split("…")
        assert whole.startswith(start)
        assert whole.endswith(end)
    assert [dot.get_ydata()[0] for dot in dots(ax)] == list(range(1, 21))
    assert [dot.get_xdata()[0] for dot in dots(ax)] == sorted(twenty.average.values)


def test_orientation_is_chosen_by_the_caller_where_given(boxes, twenty):
    across = plot_individual_cap(boxes, orientation="horizontal")
    assert [dot.get_xdata()[0] for dot in dots(across)] == sorted(boxes.average.values)
    assert {x for line in dashed(across) for x in line.get_xdata()} == {boxes.original_cap.item()}
    assert across.get_xlabel() == "individual CAP\nn = 900 records"
    upright = plot_individual_cap(twenty.isel(synthetic=slice(3)), orientation="vertical")
    assert [dot.get_ydata()[0] for dot in dots(upright)] == sorted(twenty.average.values[:3])


def test_circles_of_outliers_are_as_large_as_their_records_are_many(ax):
    """One record at 0 and five at 9/10; the same number has the same area in every figure."""
    o, s = [[45, 1, 2, 3, 0], [45, 0, 0, 0, 0]], [[1, 0, 9, 9, 1], [1, 1, 1, 1, 0]]
    boxes = cap_boxplot(o, s)
    plot_individual_cap(boxes, ax=ax)
    places, areas = circles(ax)
    assert places.tolist() == [[1, 0], [1, 0.9]]
    assert boxes.outlier_records.values.tolist() == [1, 5]
    np.testing.assert_allclose(areas, 4 * (1 + 2.5 * np.log10([1, 5])))
    legend = {c.get_label(): c.get_sizes().tolist() for c in ax.collections if not len(c.get_offsets())}
    assert legend == {"outlier: 1 record": [4]}
    many = plot_individual_cap(cap_boxplot([[450, 100], [450, 0]], [[1, 0], [1, 1]]))
    assert circles(many)[1].tolist() == [24]
    assert many.get_legend_handles_labels()[1][-2:] == ["outlier: 1 record", "outlier: 100 records"]


def test_groups_without_outliers_have_no_circle(ax):
    """The only outlier is the one man, whom the release guesses wrong; neither sex has one of its own."""
    people = {"sex": [*"fffm"], "age": [1, 1, 2, 1], "t": [*"aaab"]}
    t = tabulate(people, {"sex": [*"ffm"], "age": [1, 2, 1], "t": [*"aaa"]}, keys=["sex", "age"], target="t")
    plot_individual_cap(by_group(cap_boxplot, t, by="sex"), order="given", orientation="vertical", ax=ax)
    assert [c.get_offsets().tolist() for c in ax.collections] == [[[1, 0]], []]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["everybody", "sex = f", "sex = m"]


def test_circles_of_weighted_outliers_have_a_sum_of_weights(ax):
    boxes = cap_boxplot([[200, 0], [0, 12]], [[1, 0], [1, 1]])
    plot_individual_cap(boxes.assign_attrs(weights="w"), ax=ax)
    assert [c.get_label() for c in ax.collections[1:]] == ["outlier: weighted to 1", "outlier: weighted to 10"]


def test_variables_that_are_left_out_are_not_drawn(ax, boxes):
    plot_individual_cap(boxes.drop_vars(["baseline_cap", "outlier_records", "records"]), ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["average CAP", "average CAP of the original"]
    assert ax.get_xlabel() == "synthetic table, by average CAP"
    of_a = next(line for line in ax.lines if line.get_marker() == "o" and line.get_markerfacecolor() == "none" and len(line.get_ydata()))
    assert sorted(of_a.get_ydata()) == sorted(
        boxes.outliers.sel(synthetic=ticks(ax)[int(of_a.get_xdata()[0]) - 1]).dropna("outlier").values
    )


def test_one_line_is_drawn_where_averages_of_the_original_differ_by_rounding_alone(ax, boxes):
    several = boxes.assign(original_cap=("synthetic", np.linspace(0.3, 0.1 + 0.2, boxes.sizes["synthetic"])))
    plot_individual_cap(several, ax=ax)
    assert sum(line.get_linestyle() == "--" for line in ax.lines) == 1


def test_numbers_of_records_are_written_below(boxes):
    found = cap_boxplot([[1500, 500]], [[[1, 0]], [[1, 1]]], unmatched="drop")
    assert plot_individual_cap(found).get_xlabel().endswith("n = 1,500 to 2,000 records")


def test_a_name_that_is_shortened_at_a_dollar_is_no_formula(o_4):
    for start in range(14, 20):
        name = f"{'a' * start}$x${'b' * 20}$y$"
        boxes = cap_boxplot(o_4, paper_synthetics().isel(synthetic=[0, 1]).assign_coords(synthetic=[name, f"{name}c"]))
        ax = plot_individual_cap(boxes, orientation="horizontal")
        texts = [label.get_text() for label in ax.get_yticklabels()]
        assert not any(mpl.cbook.is_math_text(text) for text in texts)
        assert all(text.count("$") == text.count(r"\$") for text in texts)


def places(ax):
    (drawn,) = [c for c in ax.collections if c.get_label() == "one record"]
    return np.asarray(drawn.get_offsets())


def diameter(ax):
    """In points, of the dots with the room around them."""
    (drawn,) = [c for c in ax.collections if c.get_label() == "one record"]
    return np.sqrt(drawn.get_sizes()[0]) / 0.9


def of(o, s, **how):
    counted = from_counts(o, s)
    return counted, individual_cap(counted.o, counted.s, **how)


def test_every_person_is_one_dot_within_a_hundredth_of_their_cap(ax):
    """Of 100 people, 5 have 7/67, 20 have 8/33, 30 have 25/33 and 45 have 60/67."""
    counted = smoking()
    q = individual_cap(counted.o, counted.s)
    assert plot_people(counted, q, ax=ax) is ax
    caps = np.sort(np.repeat(q.values.ravel(), counted.o.values.ravel()))
    dots = np.sort(places(ax)[:, 0])
    assert len(dots) == 100
    assert np.abs(dots - caps).max() <= 0.01 + 1e-12
    assert np.unique(dots.round(6), return_counts=True)[1].tolist() == [5, 20, 30, 45]
    assert ax.get_xlabel() == "individual CAP, to within 0.01\nn = 100 records, one dot each"
    assert ax.get_yticks().tolist() == []


@pytest.mark.parametrize("size", [None, (3.3, 2.5), (7, 5)])
@pytest.mark.parametrize("by_target", [False, True])
def test_dots_neither_overlap_nor_leave_the_axes(size, by_target):
    rng = np.random.default_rng(1)
    counted, q = of(rng.integers(0, 30, (3, 12)), rng.integers(0, 9, (3, 12)))
    given = None if size is None else plt.subplots(figsize=size, layout="constrained")[1]
    ax = plot_people(counted, q, by_target=by_target, ax=given)
    ax.figure.canvas.draw()
    at = places(ax)
    assert len(at) == counted.o.sum()
    points = ax.transData.transform(at) / ax.figure.dpi * 72
    apart = np.linalg.norm(points[:, None] - points, axis=-1) + 1e9 * np.eye(len(points))
    assert apart.min() > 0.8 * diameter(ax)  # the layout may change a little after they were placed
    low, high = ax.get_ylim()
    assert low < at[:, 1].min()
    assert at[:, 1].max() < high


@pytest.mark.parametrize("by_target", [False, True])
@pytest.mark.parametrize(("size", "panels"), [((3, 2.5), 1), ((8, 3), 3)])
@pytest.mark.parametrize(
    ("o", "s"),
    [([[1]], [[1]]), ([[30, 0], [0, 12]], [[1, 1], [0, 0]]), ([[900, 0], [0, 900]], [[1, 0], [0, 1]])],
    ids=["one person", "at 0 and 1", "1,800 people"],
)
def test_no_dot_is_cut_and_none_covers_another_where_the_axes_are_small(o, s, size, panels, by_target):
    """In a figure of a layout that moves its axes when titles and labels are known."""
    axes = plt.subplots(1, panels, figsize=size, layout="constrained", squeeze=False)[1].flat
    for ax in axes:
        ax.set_title("a title")
        plot_people(*of(o, s), by_target=by_target, ax=ax)
    ax.figure.canvas.draw()
    at, radius = ax.transData.transform(places(ax)), 0.45 * diameter(ax) * ax.figure.dpi / 72
    assert (at - radius >= ax.bbox.min - 0.1).all()
    assert (at + radius <= ax.bbox.max + 0.1).all()
    assert len(at) == 1 or min(np.abs(np.diff(at[at[:, 0] == x, 1])).min(initial=9) for x in at[:, 0]) > 1.9 * radius


def test_stacks_are_wider_where_dots_would_be_small():
    counted, q = of([[900, 0], [0, 900]], [[1, 0], [0, 1]])
    ax = plot_people(counted, q)
    assert ax.get_xlabel() == "individual CAP, to within 0.02\nn = 1,800 records, one dot each"
    assert np.abs(places(ax)[:, 0] - 1).max() <= 0.02 + 1e-12
    assert len(np.unique(places(ax), axis=0)) == 1800


def test_a_row_for_each_level_of_the_target_has_its_people():
    """Rows from the top: a with 3 people at 3/4 and one at 1/2, b with one at 1/4 and two at 1/2; c has nobody and no row."""
    counted = from_counts([[3, 1], [1, 2], [0, 0]], [[3, 1], [1, 1], [0, 0]], target_labels={"illness": ["a", "b", "c"]})
    ax = plot_people(counted, individual_cap(counted.o, counted.s), by_target=True)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b\nn = 3", "a\nn = 4"]
    (border,) = np.unique([segment[:, 1] for c in ax.collections if hasattr(c, "get_segments") for segment in c.get_segments()])
    at = places(ax)
    assert sorted(at[at[:, 1] > border, 0].round(2)) == [0.5, 0.76, 0.76, 0.76]  # 0.75 is rounded to an even number of steps
    assert sorted(at[at[:, 1] < border, 0].round(2)) == [0.24, 0.5, 0.5]


def test_the_row_of_the_text_missing_is_not_called_as_that_of_missing_values(ax):
    people = {"k": [*"aaaa"], "t": ["x", "missing", None, None]}
    counted = tabulate(people, {name: values[1:] for name, values in people.items()}, keys="k", target="t")
    plot_people(counted, individual_cap(counted.o, counted.s), by_target=True, ax=ax)
    named = [label.get_text().split("\n") for label in ax.get_yticklabels()]
    assert dict(named) == {"x": "n = 1", "'missing'": "n = 1", "missing": "n = 2"}


def test_people_without_a_cap_are_counted_and_not_drawn(ax):
    counted, q = of(*FEW, unmatched="drop")
    plot_people(counted, q, ax=ax)
    assert ax.get_xlabel() == "individual CAP, to within 0.01\nn = 12 records, one dot each; 1 undefined"
    assert len(places(ax)) == 12
    nobody, undefined = of([[2, 0]], [[0, 3]], unmatched="drop")
    assert plot_people(nobody, undefined, by_target=True).get_xlabel().endswith("n = 0 records, one dot each; 2 undefined")


@examples(20)
@given(table_pairs(), st.booleans())
def test_the_mean_of_the_dots_is_average_cap_to_within_half_a_stack(pair, by_target):
    ax = Figure().subplots()
    counted, q = of(*pair)
    plot_people(counted, q, by_target=by_target, ax=ax)
    assert places(ax)[:, 0].mean() == pytest.approx(average_cap(counted.o, counted.s).item(), abs=0.01 + 1e-9)


def test_what_cannot_be_drawn_one_by_one_is_refused():
    counted, q = of(*FEW)
    with pytest.raises(TypeError, match="`tables` must be the Dataset that tabulate or from_counts returns"):
        plot_people(counted.o, q)
    with pytest.raises(
        TypeError, match="`individual` must be the DataArray that individual_cap returns, with dims `target` and `key`; got Result"
    ):
        plot_people(counted, counted)
    with pytest.raises(ValueError, match=r"`individual` has dims \('draw', 'target', 'key'\); choose one table"):
        plot_people(counted, individual_cap(FEW[0], [FEW[1]] * 2))
    with pytest.raises(ValueError, match="`individual` has other targets or keys than `tables`"):
        plot_people(counted, q.isel(key=slice(2)))
    with pytest.raises(ValueError, match="`tables` hold 2,001 people, more than 2,000 dots"):
        plot_people(*of([[2001]], [[1]]))
    with pytest.raises(ValueError, match="`tables` hold fractional counts"):
        plot_people(*of([[0.5]], [[1]]))
    with pytest.raises(ValueError, match="The target has 41 levels, more than 40 rows of dots"):
        plot_people(*of(np.ones((41, 1)), np.ones((41, 1))), by_target=True)
    weighted = tabulate({"k": [1], "t": [1], "w": [3]}, {"k": [1], "t": [1], "w": [3]}, keys="k", target="t", weights="w")
    with pytest.raises(ValueError, match="`tables` hold sums of the sampling weights 'w', not numbers of people"):
        plot_people(weighted, individual_cap(weighted.o, weighted.s))
    assert plt.get_fignums() == []
