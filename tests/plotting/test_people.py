"""Every person is one dot at their individual CAP."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn import FEW, named
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from strategies import examples, table_pairs

from capstats import average_cap, from_counts, individual_cap, tabulate
from capstats.datasets import smoking
from capstats.plotting import plot_people

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


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


def test_people_without_a_cap_are_counted_and_not_drawn(ax):
    counted, q = of(*FEW, unmatched="drop")
    plot_people(counted, q, ax=ax)
    assert ax.get_xlabel() == "individual CAP, to within 0.01\nn = 12 records, one dot each; 1 undefined"
    assert len(places(ax)) == 12
    nobody, undefined = of([[2, 0]], [[0, 3]], unmatched="drop")
    assert plot_people(nobody, undefined, by_target=True).get_xlabel().endswith("n = 0 records, one dot each; 2 undefined")


def test_averages_beside_the_dots_are_lines_of_three_styles(ax):
    counted, q = of(*FEW)
    plot_people(counted, q, average=0.5, original=0.7, baseline=0.6, ax=ax)
    assert [(line.get_xdata()[0], line.get_linestyle()) for line in ax.lines] == [(0.5, "-."), (0.7, "--"), (0.6, ":")]
    assert named(ax) == ["one record", "average CAP", "average CAP of the original", "baseline: guess without a key"]


def test_dots_are_the_same_on_sparse_tables_and_every_time():
    records = {"k": list("aabbbc"), "t": list("xyxxyx")}
    release = {"k": list("aabbbd"), "t": list("xxxyyx")}
    drawn = []
    for backing in ("dense", "sparse", "sparse"):
        counted = tabulate(records, release, keys="k", target="t", backing=backing)
        drawn.append(places(plot_people(counted, individual_cap(counted.o, counted.s), by_target=True)).tolist())
    assert drawn[0] == drawn[1] == drawn[2]
    assert len(drawn[0]) == 6


@examples(20)
@given(table_pairs(), st.booleans())
def test_the_mean_of_the_dots_is_average_cap_to_within_half_a_stack(pair, by_target):
    ax = Figure().subplots()
    counted, q = of(*pair)
    plot_people(counted, q, by_target=by_target, ax=ax)
    assert places(ax)[:, 0].mean() == pytest.approx(average_cap(counted.o, counted.s).item(), abs=0.01 + 1e-9)


def test_labels_of_targets_are_plain_text():
    counted = from_counts([[1], [2]], [[1], [1]], target_labels={"t": ["$x^2$", "\x1b[31m" + "long" * 20]})
    ax = plot_people(counted, individual_cap(counted.o, counted.s), by_target=True)
    ax.figure.canvas.draw()
    first, second = [label.get_text().split("\n")[0] for label in ax.get_yticklabels()][::-1]
    assert first == r"\$x^2\$"
    assert second.startswith(r"\x1b[31m")
    assert len(second) < 40


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
