"""Figures of keys show their counts and risks."""

from __future__ import annotations

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from drawn import FEW, named, ticks

from capstats import from_counts, individual_cap, tabulate
from capstats.datasets import smoking
from capstats.disclosure import key_summary
from capstats.plotting import plot_key_summary, plot_key_target
from capstats.plotting.keys import MARK

pytestmark = pytest.mark.slow


def marks(ax):
    """Place, number of keys and label of each kind of mark."""
    return {
        c.get_label().split(":")[0]: (c.get_offsets().tolist(), (10 ** ((c.get_sizes() / MARK - 1) / 2.5)).round(6).tolist())
        for c in ax.collections
        if len(c.get_offsets())
    }


def test_keys_stand_at_their_size_and_their_average_cap(ax):
    """Two keys of four records with cap 3/4, one of four with 1/2, one of one without a synthetic record, one without an original one."""
    plot_key_summary(key_summary(*FEW), ax=ax)
    assert marks(ax) == {
        "synthetic records with several targets": ([[4, 0.5]], [1]),
        "synthetic records with one target": ([[4, 0.75]], [2]),
        "no synthetic record": ([[1, 0]], [1]),
    }
    assert named(ax) == [
        "synthetic records with several targets: 1 key",
        "synthetic records with one target: 2 keys",
        "no synthetic record: 1 key",
        "2 keys at one place",
    ]
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "original records with the key\nn = 13 records"


def test_marks_of_one_place_stand_side_by_side_within_the_axes(ax):
    """Keys of one record: one guessed right for certain, some with several targets, some that the release lacks; all at 0 or 1."""
    o, s = [[1, 1, 1, 1], [0, 0, 0, 0]], [[2, 0, 0, 0], [0, 3, 0, 0]]
    plot_key_summary(key_summary(o, s), ax=ax)
    ax.figure.draw_without_rendering()
    drawn = [c for c in ax.collections if len(c.get_offsets())]
    at = [c.get_offset_transform().transform(c.get_offsets()) / ax.figure.dpi * 72 for c in drawn]
    radius = [np.sqrt(c.get_sizes().max() / np.pi) for c in drawn]
    certain, lacking = at
    assert sorted(certain[:, 1].round(3)) != sorted(lacking[:, 1].round(3))
    assert certain[certain[:, 1].argmin(), 0] - lacking[0, 0] >= max(radius)
    low, high = ax.bbox.min / ax.figure.dpi * 72, ax.bbox.max / ax.figure.dpi * 72
    assert all((x - r >= low).all() and (x + r <= high).all() for x, r in zip(at, radius, strict=True))


@pytest.mark.parametrize("records", [1, 3, 40, 700])
def test_keys_of_one_size_have_sizes_named_around_them(ax, records):
    plot_key_summary(key_summary([[records]], [[2]]), ax=ax)
    low, high = ax.get_xlim()
    assert low < records < high
    assert sum(low <= x <= high for x in ax.get_xticks()) >= 1


def test_sizes_of_keys_are_written_as_plain_numbers():
    ax = plot_key_summary(key_summary([[1, 2, 9], [0, 0, 40]], [[1, 1, 1], [0, 0, 1]]))
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    shown = [label.get_text() for x, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True) if low <= x <= high]
    assert shown == ["1", "2", "5", "10", "20", "50"]


def rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def cells(ax):
    """What is written in each cell, by (row, column); rows from the top."""
    return {(int(y), int(x)): text.get_text().split("\n") for text in ax.texts for x, y in [text.get_position()]}


def of(o, s, **labels):
    counted = from_counts(o, s, **labels)
    return counted, individual_cap(counted.o, counted.s)


THREE = ([[2, 0, 5], [2, 3, 1], [0, 0, 0]], [[1, 0, 9], [1, 0, 0], [0, 0, 0]])  # caps 1/2, unmatched and 5/6; a target without a record


def test_a_cell_has_the_cap_and_the_counts_of_its_key_and_target(ax):
    counted = smoking()
    assert plot_key_target(counted, individual_cap(counted.o, counted.s), ax=ax) is ax
    assert cells(ax) == {(0, 0): ["0.24", "20 | 8"], (0, 1): ["0.76", "30 | 25"], (1, 0): ["0.10", "5 | 7"], (1, 1): ["0.90", "45 | 60"]}
    assert rows(ax) == ["Smoking", "Non-smoking"]
    assert ticks(ax) == ["Sick", "Healthy"]
    (mesh,) = ax.collections
    np.testing.assert_array_equal(mesh.get_array(), individual_cap(counted.o, counted.s).values.T)
    assert mesh.get_clim() == (0, 1)
    assert ax.get_xlabel().split("\n") == ["health", "in each cell: individual CAP;", "original | synthetic records", "n = 100 records"]
    assert ax.get_ylabel() == "smoking"


def test_cells_without_a_record_are_empty_and_targets_without_any_are_left_out(ax):
    plot_key_target(*of(*THREE), ax=ax)
    assert cells(ax) == {
        (0, 0): ["0.50", "2 | 1"],
        (0, 1): ["0.50", "2 | 1"],
        (1, 0): [""],
        (1, 1): ["0", "3 | 0"],
        (2, 0): ["1", "5 | 9"],
        (2, 1): ["0", "1 | 0"],
    }
    assert ax.collections[0].get_array().mask.tolist() == [[False, False], [True, False], [False, False]]


def test_keys_are_in_the_order_of_the_numbers_that_are_given(ax):
    """Average CAP of the keys is 1/2, 0 and 5/6; then the same with nothing known of the last."""
    counted, q = of(*THREE, key_labels=["a", "b", "c"])
    by = key_summary(counted.o, counted.s).cap
    assert rows(plot_key_target(counted, q, ax=ax)) == ["a", "b", "c"]
    assert rows(plot_key_target(counted, q, by=by)) == ["c", "a", "b"]
    few = plot_key_target(counted, q, by=by, most=2)
    assert rows(few) == ["c", "a"]
    assert "2 of 3 keys, greatest cap first" in few.get_xlabel().split("\n")
    assert "1 of 3 keys" in plot_key_target(counted, q, most=1).get_xlabel().split("\n")
    assert rows(plot_key_target(counted, q, by=by.copy(data=[0.1, 0.1, np.nan]))) == ["a", "b", "c"]


def test_of_many_targets_those_with_the_greatest_risk_are_drawn_in_their_order():
    """30 targets; the risk o q of target i is i * i / 435, so that the last 20 are drawn."""
    counts = np.arange(30)[:, None]
    ax = plot_key_target(*of(counts, counts))
    assert ticks(ax) == list(map(str, range(10, 30)))
    assert "20 of 30 targets" in ax.get_xlabel().split("\n")
    few = np.repeat(counts, 2, axis=1) * [1, 0]
    few[:25, 0], few[:25, 1] = 0, 1
    assert "5 of 30 targets" in plot_key_target(*of(few, few), most=1).get_xlabel().split("\n")  # others have no record in the first key
    assert cells(ax)[0, 19] == ["0.07", "29", "29"]
    assert "original; synthetic records" in ax.get_xlabel()


@pytest.mark.parametrize(
    ("shares", "written"), [([999, 1], [">0.99", "<0.01"]), ([1, 0], ["1", "0"]), ([99, 1], ["0.99", "0.01"]), ([1, 2], ["0.33", "0.67"])]
)
def test_only_what_is_certain_is_written_as_one_or_nothing(ax, shares, written):
    plot_key_target(*of([[1], [1]], np.transpose([shares])), ax=ax)
    assert [text.get_text().split("\n")[0] for text in ax.texts] == written


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_the_text_missing_is_not_the_label_of_a_missing_value(ax):
    people = {"k": ["missing", None, "a", "a"], "t": ["x", "x", "missing", None]}
    counted = tabulate(people, {name: values[::-1] for name, values in people.items()}, keys="k", target="t")
    plot_key_target(counted, individual_cap(counted.o, counted.s), ax=ax)
    assert ticks(ax) == ["'missing'", "x", "missing"]
    assert rows(ax) == ["a", "'missing'", "missing"]


def test_an_undefined_cap_is_said_to_be_so(ax):
    counted = from_counts(*THREE)
    plot_key_target(counted, individual_cap(counted.o, counted.s, unmatched="drop"), ax=ax)
    assert cells(ax)[1, 1] == ["undefined", "3 | 0"]


@pytest.mark.parametrize("size", [None, (3.3, 3.6), (7, 7)])
def test_texts_stay_within_their_cells(size):
    rng = np.random.default_rng(1)
    names = {
        "region": [f"a region with a long name, {i % 4}" for i in range(40)],
        "occupation": [f"occupation number {i}" for i in range(40)],
    }
    pair = of(rng.integers(1, 90, (4, 40)), rng.integers(1, 90, (4, 40)), key_labels=names, target_labels={"t": list("abcd")})
    ax = plot_key_target(*pair, most=12, ax=None if size is None else plt.subplots(figsize=size, layout="constrained")[1])
    ax.figure.canvas.draw()  # any warning is an error
    row = [ax.texts[i].get_window_extent() for i in range(4)]
    column = [ax.texts[i].get_window_extent() for i in range(0, 48, 4)]
    assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(row))
    assert all(high.y0 >= low.y1 - 2 for high, low in pairwise(column))
    assert len(set(rows(ax))) == 12
    assert ax.get_position().width > 0.3


def test_what_is_no_pair_of_tables_is_refused():
    counted, q = of(*THREE)
    with pytest.raises(ValueError, match="`tables` must have one synthetic table `s`"):
        plot_key_target(counted.drop_vars("s"), q)
    with pytest.raises(ValueError, match="`tables` must have one synthetic table `s`"):
        plot_key_target(from_counts(THREE[0], {"a": THREE[1]}), q)
    with pytest.raises(ValueError, match="`most` must be a number of keys, at least 1; got 0"):
        plot_key_target(counted, q, most=0)
    with pytest.raises(ValueError, match="`by` must have one number for each key of `tables`"):
        plot_key_target(counted, q, by=xr.DataArray([1, 2, 3], dims="key"))
    with pytest.raises(TypeError, match="`individual` must be the DataArray that individual_cap returns"):
        plot_key_target(counted, counted.o.values)
    assert plt.get_fignums() == []
