"""What the artists carry: every number in a figure is one that a measure returned or that matplotlib gets from the records."""

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from matplotlib.cbook import boxplot_stats

from capstats import average_cap, baseline_cap, cap_boxplot, expand, from_counts, individual_cap
from capstats.datasets import paper_originals, paper_synthetics, smoking
from capstats.laws import sample_tables
from capstats.plotting import plot_average_cap, plot_individual_cap, plot_sweep
from capstats.plotting.shared import BLUE, VERMILLION
from capstats.screening import sweep

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return plt.subplots()[1]


@pytest.fixture
def o_4():
    return paper_originals().sel(original="O_4", drop=True)


@pytest.fixture
def boxes(o_4):
    return cap_boxplot(o_4, paper_synthetics())


def ticks(ax):
    return [label.get_text() for label in ax.get_xticklabels()]


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


def dashed(ax):
    return [line for line in ax.lines if line.get_linestyle() == "--"]


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


# --- Boxplots of individual CAP


def test_boxes_stand_in_the_order_of_average_cap(ax, boxes):
    plot_individual_cap(boxes, ax=ax)
    expected = boxes.average.sortby(boxes.average)
    assert ticks(ax) == expected.synthetic.values.tolist() == ["g", "e", "a", "b"]
    assert [dot.get_ydata()[0] for dot in dots(ax)] == expected.values.tolist()
    assert [dot.get_xdata()[0] for dot in dots(ax)] == [1, 2, 3, 4]


def test_long_labels_of_tables_do_not_overlap(ax):
    s = {f"synthetic_release_of_generator_{i}": np.array([[8, 7], [25, 60]]) for i in range(6)}
    tables = from_counts(np.array([[20, 5], [30, 45]]), s)
    plot_individual_cap(cap_boxplot(tables.o, tables.s), ax=ax)
    ax.figure.draw_without_rendering()
    labels = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(labels))


def test_tables_with_equal_averages_keep_their_given_order(ax):
    """On O_1 every average is 1/3, whatever the last bit."""
    o_1 = paper_originals().sel(original="O_1", drop=True)
    boxes = cap_boxplot(o_1, sample_tables(o_1, 900, draws=60, rng=1))
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


def test_outliers_are_the_values_beyond_the_whiskers_once_each(ax):
    """90 records at 1/2, one at 0 and two cells at 9/10 with five records between them."""
    o, s = [[45, 1, 2, 3, 0], [45, 0, 0, 0, 0]], [[1, 0, 9, 9, 1], [1, 1, 1, 1, 0]]
    plot_individual_cap(cap_boxplot(o, s), ax=ax)
    assert outliers(ax) == {1: [0, 0.9]}
    assert extents(ax.patches[0]) == (0.5, 0.5)


def test_dashed_line_stands_at_the_cap_of_the_original(ax, o_4, boxes):
    plot_individual_cap(boxes, ax=ax)
    (line,) = dashed(ax)
    assert set(line.get_ydata()) == {average_cap(o_4, o_4).item()}
    assert line.get_color() == BLUE


def test_no_line_is_drawn_where_the_tables_have_different_originals(ax):
    boxes = cap_boxplot(paper_originals(), paper_synthetics().sel(synthetic="a"))
    plot_individual_cap(boxes, ax=ax)
    assert dashed(ax) == []
    assert sorted(ticks(ax)) == ["O_1", "O_2", "O_3", "O_4"]


def test_axes_and_legend_say_what_is_drawn(ax, boxes):
    plot_individual_cap(boxes, ax=ax)
    assert ax.get_ylabel() == "individual CAP"
    assert "average CAP" in ax.get_xlabel()
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
    assert ax.get_legend() is None  # the caller's choice


def test_one_table_without_dims_is_one_box(ax):
    tables = smoking()
    boxes = cap_boxplot(tables.o, tables.s)
    assert boxes["median"].dims == ()
    plot_individual_cap(boxes, ax=ax)
    assert ticks(ax) == []  # there is no name to write
    assert ax.get_xlabel() == "n = 100 records"
    assert [dot.get_ydata()[0] for dot in dots(ax)] == [average_cap(tables.o, tables.s).item()]
    assert medians(ax) == [25 / 33]


def test_one_table_chosen_from_many_is_one_box(ax, boxes):
    plot_individual_cap(boxes.sel(synthetic="b"), ax=ax)
    assert len(ax.patches) == 1
    assert dots(ax)[0].get_ydata()[0] == boxes.average.sel(synthetic="b").item()


def test_tables_without_labels_carry_their_position(ax, o_4):
    draws = sample_tables(o_4, 900, draws=6, rng=1)
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
    assert plt.get_fignums() == []


LONG = [f"release_{i:02d}_of_a_generator_with_a_name_of_fiftytwo_{i:02d}" for i in range(20)]


@pytest.fixture(scope="module")
def twenty():
    """Boxes of 20 releases with names of 52 characters."""
    o = paper_originals().sel(original="O_4", drop=True)
    draws = sample_tables(o, 900, draws=20, rng=1).rename(draw="synthetic").assign_coords(synthetic=LONG)
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


def test_names_that_differ_only_in_the_middle_are_not_shortened_there(o_4):
    names = [f"{'a' * 30}{i}{'b' * 30}" for i in range(2)]
    ax = plot_individual_cap(cap_boxplot(o_4, paper_synthetics().isel(synthetic=[0, 1]).assign_coords(synthetic=names)))
    assert sorted({label.get_text()[:31] for label in ax.get_yticklabels()}) == [name[:31] for name in names]


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


def test_variables_that_are_left_out_are_not_drawn(ax, boxes):
    plot_individual_cap(boxes.drop_vars(["baseline_cap", "outlier_records", "records"]), ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["average CAP", "average CAP of the original"]
    assert ax.get_xlabel() == "synthetic table, by average CAP"
    of_a = next(line for line in ax.lines if line.get_marker() == "o" and line.get_markerfacecolor() == "none" and len(line.get_ydata()))
    assert sorted(of_a.get_ydata()) == sorted(
        boxes.outliers.sel(synthetic=ticks(ax)[int(of_a.get_xdata()[0]) - 1]).dropna("outlier").values
    )


def test_baseline_is_a_dotted_line(ax, o_4, boxes):
    plot_individual_cap(boxes, ax=ax)
    (line,) = (line for line in ax.lines if line.get_linestyle() == ":")
    assert set(line.get_ydata()) == {baseline_cap(o_4).item()}


def test_one_line_is_drawn_where_averages_of_the_original_differ_by_rounding_alone(ax, boxes):
    several = boxes.assign(original_cap=("synthetic", np.linspace(0.3, 0.1 + 0.2, boxes.sizes["synthetic"])))
    plot_individual_cap(several, ax=ax)
    assert sum(line.get_linestyle() == "--" for line in ax.lines) == 1


def test_numbers_of_records_are_written_below(ax, boxes):
    plot_individual_cap(boxes, ax=ax)
    assert ax.get_xlabel() == "synthetic table, by average CAP\nn = 900 records"
    found = cap_boxplot([[1500, 500]], [[[1, 0]], [[1, 1]]], unmatched="drop")
    assert plot_individual_cap(found).get_xlabel().endswith("n = 1,500 to 2,000 records")


def test_a_figure_of_its_own_has_a_legend_above_the_axes(boxes):
    ax = plot_individual_cap(boxes)
    (legend,) = ax.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ax.get_legend_handles_labels()[1]
    ax.figure.draw_without_rendering()
    assert legend.get_window_extent().y0 >= ax.get_window_extent().y1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cost_in_$_and_$x^2$", r"cost_in_\$_and_\$x^2\$"),
        ("$\\frac{", r"\$\frac{"),
        ("two\nlines", r"two\nlines"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("not \udcff UTF-8", r"not \udcff UTF-8"),
    ],
)
def test_names_of_tables_are_plain_text(o_4, boxes, name, text):
    """matplotlib writes a dollar that is escaped; otherwise two of them are a formula, or an error where it is no formula."""
    ax = plot_individual_cap(boxes.isel(synthetic=[0, 1]).assign_coords(synthetic=[name, "$x$"]))
    ax.figure.canvas.draw()
    assert {label.get_text() for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]} > {text, r"\$x\$"}
    assert not any(mpl.cbook.is_math_text(label.get_text()) for label in ax.get_xticklabels())


def test_a_name_that_is_shortened_at_a_dollar_is_no_formula(o_4):
    for start in range(14, 20):
        name = f"{'a' * start}$x${'b' * 20}$y$"
        boxes = cap_boxplot(o_4, paper_synthetics().isel(synthetic=[0, 1]).assign_coords(synthetic=[name, f"{name}c"]))
        ax = plot_individual_cap(boxes, orientation="horizontal")
        texts = [label.get_text() for label in ax.get_yticklabels()]
        assert not any(mpl.cbook.is_math_text(text) for text in texts)
        assert all(text.count("$") == text.count(r"\$") for text in texts)


def test_an_unknown_orientation_is_refused(boxes):
    with pytest.raises(ValueError, match='`orientation` must be "vertical" or "horizontal"; got \'flat\''):
        plot_individual_cap(boxes, orientation="flat")


# --- Histograms of average CAP


@pytest.fixture
def averages(o_4):
    """Versions 1 and 2 of 500 tables of four records; some have no record in a key, many lack one or two."""
    draws = sample_tables(o_4, 4, draws=500, rng=3)
    return {"version 1": average_cap(o_4, draws), "version 2": average_cap(o_4, draws, unmatched="drop")}


def test_bars_count_every_table_once(ax, averages):
    plot_average_cap(averages, original=0.5, ax=ax)
    assert len(ax.containers) == 2
    for container, (label, values) in zip(ax.containers, averages.items(), strict=True):
        assert container[0].get_label() == label
        heights = [bar.get_height() for bar in container]
        assert sum(heights) == 500 == values.size


def test_bars_are_the_histogram_of_the_values_that_were_given(ax, averages):
    plot_average_cap(averages, ax=ax, bins=np.linspace(0, 1, 11))
    for container, values in zip(ax.containers, averages.values(), strict=True):
        heights = [bar.get_height() for bar in container]
        assert heights == np.histogram(values.values, bins=np.linspace(0, 1, 11))[0].tolist()


def test_undefined_averages_are_left_out_and_counted_in_the_label(ax):
    values = xr.DataArray([0.1, np.nan, 0.3, np.nan, np.nan], dims="draw")
    plot_average_cap({"version 1": values.fillna(0), "version 2": values}, ax=ax)
    assert [container[0].get_label() for container in ax.containers] == ["version 1", "version 2 (3 undefined)"]
    assert [sum(bar.get_height() for bar in container) for container in ax.containers] == [5, 2]


def test_undefined_averages_of_one_array_are_counted_in_its_label(ax):
    plot_average_cap(xr.DataArray([0.1, np.nan], dims="draw"), ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["(1 undefined)"]


def test_a_version_that_is_undefined_throughout_has_no_bar(ax):
    plot_average_cap({"a": xr.DataArray([0.1, 0.2]), "b": xr.DataArray([np.nan, np.nan])}, ax=ax)
    assert [sum(bar.get_height() for bar in container) for container in ax.containers] == [2, 0]
    assert ax.containers[1][0].get_label() == "b (2 undefined)"


def test_one_array_is_one_histogram(ax, averages):
    plot_average_cap(averages["version 1"], original=0.4874, ax=ax)
    (container,) = ax.containers
    assert sum(bar.get_height() for bar in container) == 500
    assert ax.get_legend_handles_labels()[1] == ["average CAP of the original"]


def test_arrays_of_any_shape_are_counted_flat(ax):
    values = average_cap(paper_originals(), paper_synthetics())
    plot_average_cap(values, ax=ax)
    assert sum(bar.get_height() for bar in ax.containers[0]) == 16


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
    assert ax.get_legend_handles_labels()[1] == ["average CAP of the original: 0.95, to the right of the axis"]
    (line,) = dashed(ax)
    assert (line.get_marker(), line.get_transform()) == (">", ax.transAxes)
    low = plot_average_cap(values, original=0.1)
    assert low.get_legend_handles_labels()[1] == ["average CAP of the original: 0.1, to the left of the axis"]


def test_versions_that_vary_little_and_lie_apart_have_at_least_ten_bars_each(ax):
    rng = np.random.default_rng(2)
    plot_average_cap({"1": xr.DataArray(rng.uniform(0.3, 0.31, 900)), "2": xr.DataArray(rng.uniform(0.36, 0.37, 900))}, ax=ax)
    assert [sum(bar.get_height() > 0 for bar in container) >= 10 for container in ax.containers] == [True, True]


def test_labels_of_versions_are_plain_text_and_none_is_left_out_of_the_legend():
    ax = plot_average_cap({"_drop": xr.DataArray([0.1]), "$1": xr.DataArray([0.1, 0.2])})
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == [" _drop", r"\$1"]
    assert ax.get_ylabel() == "synthetic tables, of 1 to 2"


def test_no_line_without_an_original(ax, averages):
    plot_average_cap(averages, ax=ax)
    assert dashed(ax) == []


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


def test_versions_are_told_apart_without_colour(ax, averages):
    plot_average_cap(averages, ax=ax)
    first, second = (container[0] for container in ax.containers)
    assert first.get_hatch() is None
    assert second.get_hatch() == "////"
    assert first.get_facecolor() != second.get_facecolor()


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


def test_axes_of_the_histogram_say_what_is_drawn(ax, averages):
    plot_average_cap(averages, ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("average CAP", "synthetic tables, of 500")


@pytest.mark.parametrize("nothing", [xr.DataArray([np.nan, np.nan]), xr.DataArray(np.empty(0)), {}, {"a": xr.DataArray([np.nan])}])
def test_nothing_to_draw_raises(nothing):
    with pytest.raises(ValueError, match="`averages` holds no number to draw"):
        plot_average_cap(nothing)
    assert plt.get_fignums() == []


# --- Both


def both(boxes, averages):
    return {
        "individual": lambda **how: plot_individual_cap(boxes, **how),
        "average": lambda **how: plot_average_cap(averages, original=0.5, **how),
    }


@pytest.mark.parametrize("which", ["individual", "average"])
def test_plot_draws_on_the_axes_it_is_given_and_makes_no_figure(which, ax, boxes, averages):
    open_figures = plt.get_fignums()
    assert both(boxes, averages)[which](ax=ax) is ax
    assert plt.get_fignums() == open_figures


@pytest.mark.parametrize("which", ["individual", "average"])
def test_plot_makes_one_figure_of_its_own_where_no_axes_are_given(which, boxes, averages):
    drawn = both(boxes, averages)[which]()
    assert isinstance(drawn, mpl.axes.Axes)
    assert len(plt.get_fignums()) == 1
    assert drawn.figure.axes == [drawn]


@pytest.mark.parametrize("which", ["individual", "average"])
def test_plot_changes_no_global_style_and_neither_shows_nor_saves(which, boxes, averages, monkeypatch, tmp_path):
    def fail(*args, **kwargs):
        raise AssertionError

    monkeypatch.setattr(plt, "show", fail)
    monkeypatch.setattr(mpl.figure.Figure, "savefig", fail)
    before = dict(mpl.rcParams)
    both(boxes, averages)[which]()
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("which", ["individual", "average"])
def test_plot_leaves_its_input_alone(which, boxes, averages):
    kept = boxes.copy(deep=True), {label: values.copy(deep=True) for label, values in averages.items()}
    both(boxes, averages)[which]()
    xr.testing.assert_identical(boxes, kept[0])
    for label, values in averages.items():
        xr.testing.assert_identical(values, kept[1][label])


@pytest.mark.parametrize("which", ["individual", "average"])
def test_two_plots_on_the_same_axes_do_not_disturb_each_other(which, ax, boxes, averages):
    draw = both(boxes, averages)[which]
    draw(ax=ax)
    patches = len(ax.patches)
    draw(ax=ax)
    assert len(ax.patches) == 2 * patches


# --- Heatmap of a sweep


RECORDS = {"a": [0, 0, 1, 1, 2], "b": [0, 1, 0, 1, 1], "t": ["x", "y", "y", "x", "x"], "u": [0, 0, 1, 1, 1]}


@pytest.fixture
def swept():
    return sweep(RECORDS, [RECORDS, {**RECORDS, "b": [1, 1, 0, 0, 0]}], keys=["a", "b"], targets=["t", "u"])


@pytest.mark.parametrize("contribution", ["shapley", "leave_one_out"])
def test_a_cell_of_the_heatmap_is_the_contribution_of_its_column_to_its_target(ax, swept, contribution):
    chosen = swept.sel(measure="average_cap").isel(synthetic=1)
    assert plot_sweep(chosen, contribution=contribution, ax=ax) is ax
    expected = chosen[contribution].transpose("target_column", "key_column").values
    np.testing.assert_array_equal(ax.images[0].get_array(), expected)
    assert ticks(ax) == ["a", "b"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["t", "u"]
    written = {text.get_position(): text.get_text() for text in ax.texts}
    assert written == {(column, row): f"{expected[row, column]:.2f}" for row in range(2) for column in range(2)}
    assert ax.get_title().startswith("average_cap, ")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("key column\nn = 5 records", "target")


def test_colours_are_symmetric_so_that_white_is_nothing(ax, swept):
    plot_sweep(swept.sel(measure="matched_records").isel(synthetic=1), ax=ax)
    low, high = ax.images[0].get_clim()
    assert low == -high
    assert high == np.abs(ax.images[0].get_array()).max()
    assert ax.images[0].cmap(0.5)[:3] == pytest.approx((1, 1, 1), abs=0.01)


def test_a_sweep_of_one_target_one_measure_and_one_table_needs_no_choice():
    found = sweep(RECORDS, [RECORDS], keys=["a", "b"], targets="t", measures="average_cap")
    assert plot_sweep(found).images[0].get_array().shape == (1, 2)
    assert plot_sweep(found.isel(target_column=0)).images[0].get_array().shape == (1, 2)
    assert plot_sweep(found.squeeze(), vmax=3).images[0].get_clim()[1] == 3


def test_contributions_that_are_not_defined_are_left_white(ax):
    other = {**RECORDS, "a": [7] * 5}
    plot_sweep(sweep(RECORDS, other, keys=["a", "b"], targets="t", measures="average_cap_drop"), ax=ax)
    assert {(text.get_text(), text.get_color()) for text in ax.texts} == {("nan", "black")}  # and can be read
    ax.figure.canvas.draw()


def test_no_contribution_is_minus_nothing(ax):
    found = sweep(RECORDS, RECORDS, keys=["a", "b"], targets="t", measures="average_cap")
    plot_sweep(found.assign(shapley=found.shapley.copy(data=[[[-0.001]], [[0.4]]])), ax=ax)
    assert [text.get_text() for text in ax.texts] == ["0.00", "0.40"]


def test_what_is_no_sweep_or_no_single_heatmap_is_refused(swept):
    with pytest.raises(TypeError, match="`swept` must be the Dataset that sweep returns; got DataArray"):
        plot_sweep(swept.shapley)
    with pytest.raises(ValueError, match="`swept` has dims 'measure', 'synthetic'; choose one element along each"):
        plot_sweep(swept)
    with pytest.raises(ValueError, match='`contribution` must be "shapley" or "leave_one_out"; got \'share\''):
        plot_sweep(swept, contribution="share")
    with pytest.raises(ValueError, match="`swept` has no 'shapley', which needs more subset sizes"):
        plot_sweep(sweep(RECORDS, RECORDS, keys=["a", "b"], targets="t", sizes=2))


def colour_bar(ax):
    (bar,) = [other for other in ax.figure.axes if other is not ax]
    return bar


def test_the_colour_bar_names_the_ends_of_the_scale(swept):
    chosen = swept.sel(measure="average_cap").isel(synthetic=1)
    ax = plot_sweep(chosen)
    low, high = ax.images[0].get_clim()
    bar = colour_bar(ax)
    ax.figure.canvas.draw()
    assert bar.get_yticks().tolist() == [low, 0, high]
    assert [label.get_text() for label in bar.get_yticklabels()] == [f"{low:.2f}", "0.00", f"{high:.2f}"]
    assert bar.get_ylabel() == "contribution"


def of_values(*values):
    """A sweep over one target with those Shapley values."""
    found = sweep(RECORDS, RECORDS, keys=["a", "b"], targets="t", measures="average_cap")
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
    assert ax.images[0].get_clim() == (-1, 1)
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
