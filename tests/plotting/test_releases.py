"""Figures of several releases show their names, numbers and references."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from drawn import dashed, named
from matplotlib.figure import Figure

from capstats import audit, average_cap
from capstats.cap import target_distance
from capstats.datasets import paper_originals, paper_synthetics
from capstats.laws import frontier
from capstats.plotting import plot_disclosure_arrows, plot_frontier, plot_risk_utility
from capstats.plotting.releases import place_labels
from capstats.screening import sweep

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

RNG = np.random.default_rng(4)
ORIGINAL = {"k": [*"aaabbc"], "j": [*"xyxyxy"], "t": [*"xxyxyx"], "u": [*"pqpqpq"]}


def release(seed):
    """Six records of the original, drawn with replacement."""
    chosen = np.random.default_rng(seed).integers(0, 6, 6)
    return {name: [column[i] for i in chosen] for name, column in ORIGINAL.items()}


def audited(labels, **asked):
    asked = {"keys": "k", "target": "t", **asked}
    return audit(ORIGINAL, {label: release(i) for i, label in enumerate(labels)}, allow_no_match=True, allow_same=True, **asked).measures


@pytest.fixture(scope="module")
def three():
    return audited(["one", "two", "three"], utility={"my utility": {"one": 3, "two": 5, "three": float("nan")}})


@pytest.fixture(scope="module")
def many():
    return audited([f"release-of-a-synthesiser-with-a-very-long-name-{i:05}" for i in range(100)])


def points(ax):
    """The places of the releases: those of the only marks that have a label in the legend."""
    (marks,) = [marks for marks in ax.collections if marks.get_label() == "release"]
    return marks.get_offsets()


def test_each_release_is_a_point_at_its_utility_and_risk_with_a_bar_beside_original_and_baseline(ax, three):
    assert plot_risk_utility(three, ax=ax) is ax
    np.testing.assert_array_equal(points(ax), np.column_stack([three.target_distance, three.average_cap_nearest]))
    assert {text.get_text(): text.xy for text in ax.texts} == {
        label: (three.target_distance.values[i], three.average_cap_nearest.values[i]) for i, label in enumerate(["one", "two", "three"])
    }
    assert ax.get_ylabel() == "average CAP"
    assert ax.get_xlabel() == "distance of the targets given the key\n(0: as in the original)\nn = 6 records"
    (bars,) = [container.lines[2][0].get_segments() for container in ax.containers]
    ends = np.array([[segment[:, 1].min(), segment[:, 1].max()] for segment in bars])
    average, error = three.average_cap_nearest, three.average_cap_nearest_error
    np.testing.assert_allclose(ends, np.column_stack([average - error, average + error]))
    (star,) = [line for line in ax.lines if line.get_marker() == "*"]
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (0, three.original_cap.item())
    assert dashed(ax)[0].get_ydata()[0] == three.original_cap.item()
    (dotted,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert dotted.get_ydata()[0] == three.baseline.item()
    assert {"original, if it were released", "baseline: guess without a key", "release", "one standard error"} <= set(named(ax))


def test_certain_attribution_has_that_of_the_original_and_no_baseline_or_bar(ax, three):
    plot_risk_utility(three, risk="share_certain", utility="my utility", ax=ax)
    (line,) = ax.lines
    assert line.get_ydata()[0] == three.original_certain.item()
    assert not [mark for mark in ax.lines if mark.get_marker() == "*"]  # nobody knows the utility of the original
    assert not ax.containers
    assert "one standard error" not in named(ax)


def test_any_two_numbers_can_be_drawn_and_undefined_releases_are_counted(ax, three):
    plot_risk_utility(three, risk="share_above_half", utility="my utility", ax=ax)
    np.testing.assert_array_equal(points(ax), np.column_stack([[3, 5], three.share_above_half.values[:2]]))
    assert ax.get_xlabel() == "my utility\nn = 6 records\n1 of 3 releases undefined"
    assert [text.get_text() for text in ax.texts] == ["one", "two"]


def test_a_hundred_releases_are_numbered_and_no_number_is_missing(many):
    ax = plot_risk_utility(many)
    assert sorted(int(text.get_text()) for text in ax.texts) == list(range(1, 101))
    first = next(text for text in ax.texts if text.get_text() == "1")
    assert first.xy == (many.target_distance.values[0], many.average_cap_nearest.values[0])


def test_long_names_are_numbered_and_listed_beside_a_figure_of_its_own(many):
    ax = plot_risk_utility(many.isel(synthetic=range(20)))
    (names,) = [text.get_text() for text in ax.texts if "\n" in text.get_text()]
    assert [line.split()[0] for line in names.splitlines()] == [str(i) for i in range(1, 21)]
    assert len({line.split()[1] for line in names.splitlines()}) == 20
    assert names.splitlines()[19].endswith("00019")


def test_what_has_no_releases_or_no_such_numbers_is_refused(three):
    one = audit(ORIGINAL, ORIGINAL, allow_same=True, keys="k", target="t").measures
    with pytest.raises(TypeError, match=r"`measures` must be the measures of an audit of several synthetic tables, .*; got dims \(\)"):
        plot_risk_utility(one)
    with pytest.raises(TypeError, match="got str"):
        plot_risk_utility("a")
    with pytest.raises(ValueError, match=r"`measures` has no 'utilty'. It has original_records, "):
        plot_risk_utility(three, utility="utilty")
    with pytest.raises(ValueError, match="No release has both 'average_cap_nearest' and 'my utility'"):
        plot_risk_utility(three.isel(synthetic=[2]), utility="my utility")


# --- arrows


def arrows(ax):
    """From where to where each arrow goes, by row."""
    return [((text.xyann[0], text.xyann[1]), text.xy) for text in ax.texts]


def test_each_release_is_an_arrow_from_dio_to_disco(ax, three):
    plot_disclosure_arrows(three, ax=ax)
    start = three.original_certain.item()
    assert arrows(ax) == [((start, i), (end, i)) for i, end in enumerate(three.share_certain.values)]
    before, after = (marks.get_offsets() for marks in ax.collections)
    np.testing.assert_array_equal(before, [[start, i] for i in range(3)])
    np.testing.assert_array_equal(after, [[end, i] for i, end in enumerate(three.share_certain.values)])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "two", "three"]
    assert ax.get_xlabel() == "share of the original people\nn = 6 records"
    assert named(ax) == ["certain in the original (DiO)", "disclosed by the release with certainty (DiSCO)"]
    assert ax.yaxis_inverted()  # the first is on top


def test_each_target_is_an_arrow(ax):
    """Given k alone, one of six people has a target that is certain, either way; given both columns, all have."""
    found = sweep(ORIGINAL, release(0), keys=["k", "j"], targets=["t", "u"], measures=["original_certain", "share_certain", "average_cap"])
    plot_disclosure_arrows(found.sel(keyset="k + j"), ax=ax)
    chosen = found.value.sel(keyset="k + j")
    start, end = (chosen.sel(measure=name).values for name in ("original_certain", "share_certain"))
    assert arrows(ax) == [((before, i), (after, i)) for i, (before, after) in enumerate(zip(start, end, strict=True))]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["t", "u"]
    assert ax.get_ylabel() == "target"


def test_an_arrow_to_more_certainty_is_dashed(ax):
    """Of the two people with the key, one is told by the release; nobody's target is certain in the original."""
    found = audit({"k": [*"aa"], "t": [*"xy"]}, {"s": {"k": ["a"], "t": ["x"]}}, keys="k", target="t").measures
    plot_disclosure_arrows(found, ax=ax)
    assert arrows(ax) == [((0, 0), (0.5, 0))]
    assert ax.texts[0].arrow_patch.get_linestyle() not in ("-", "solid")


@pytest.mark.parametrize("greatest", [0, 0.02, 0.3, 1])
def test_arrows_have_the_whole_width_however_small_the_shares_are(ax, three, greatest):
    found = three.assign(original_certain=0 * three.original_certain + greatest, share_certain=three.share_certain * greatest / 2)
    plot_disclosure_arrows(found, ax=ax)
    low, high = ax.get_xlim()
    assert low < 0 <= greatest < high
    assert greatest in (0, pytest.approx(high, rel=0.05))


def test_a_release_alone_is_one_arrow_without_a_name(ax):
    plot_disclosure_arrows(audit(ORIGINAL, ORIGINAL, allow_same=True, keys="k", target="t").measures, ax=ax)
    assert arrows(ax) == [((1 / 6, 0), (1 / 6, 0))]
    assert not [label.get_text() for label in ax.get_yticklabels()]


def test_a_hundred_releases_fit_on_a_page(many):
    ax = plot_disclosure_arrows(many)
    assert ax.figure.get_size_inches()[1] <= 9.5
    assert len({label.get_text() for label in ax.get_yticklabels()}) == 100


def test_what_has_no_ends_or_too_many_dims_is_refused(three):
    with pytest.raises(TypeError, match="'original_certain' and 'share_certain'; got dims"):
        plot_disclosure_arrows(xr.Dataset({"a": 1}))
    swept = sweep(ORIGINAL, [release(0), release(1)], keys="k", targets=["t", "u"], measures=["original_certain", "share_certain"])
    with pytest.raises(ValueError, match="`found` has dims 'target_column', 'synthetic'; choose one element along all but one"):
        plot_disclosure_arrows(swept, ax=Figure().subplots())
    with pytest.raises(TypeError, match="got str"):
        plot_disclosure_arrows("a")


def boxes_of(ax):
    """The boxes of the texts as they are drawn, in pixels: left, bottom, right, top."""
    renderer = ax.figure.canvas.get_renderer()
    boxes = []
    for text in ax.texts:
        text.update_positions(renderer)
        boxes.append(super(type(text), text).get_window_extent(renderer).extents)  # without the line that leads to the point
    return np.array(boxes)


def overlaps(boxes):
    """The pairs of boxes that share an area."""
    low = np.maximum(boxes[:, None, :2], boxes[:, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[:, 2:])
    return np.argwhere(np.triu((high > low).all(axis=2), 1)).tolist()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_two_of_a_hundred_numbers_are_on_each_other(seed):
    x, y = np.random.default_rng(seed).random((2, 100))
    ax = plt.subplots(layout="constrained")[1]
    ax.scatter(x, y, s=20)
    place_labels(ax, x, y, [str(i) for i in range(100)], size=6)
    boxes = boxes_of(ax)
    assert sorted(int(text.get_text()) for text in ax.texts) == list(range(100))
    assert not overlaps(boxes)
    inside = ax.get_window_extent().extents
    assert (boxes[:, :2] >= inside[:2] - 1).all()
    assert (boxes[:, 2:] <= inside[2:] + 1).all()


def test_a_lone_label_is_beside_its_point_without_a_line_and_a_point_without_a_place_has_none(ax):
    ax.set(xlim=(0, 1), ylim=(0, 1))
    place_labels(ax, np.array([np.nan, 0.5]), np.array([0.5, 0.5]), ["no place", "a"])
    (text,) = ax.texts
    assert (text.get_text(), text.xy) == ("a", (0.5, 0.5))
    assert text.arrow_patch is None
    assert np.hypot(*text.get_position()) < 10  # points


def test_labels_of_points_at_one_place_are_led_to_it(ax):
    place = np.full(30, 0.5)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    place_labels(ax, place, place, [f"name {i}" for i in range(30)])
    assert not overlaps(boxes_of(ax))
    assert sum(text.arrow_patch is not None for text in ax.texts) >= 20


def test_the_limits_of_the_axes_stay(ax):
    ax.set(xlim=(0, 1), ylim=(0, 1))
    place_labels(ax, np.array([1.0, 0.2]), np.array([1.0, 0.1]), ["a rather long name at the edge", "b"])
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 1), (0, 1))
    right = boxes_of(ax)[:, 2]
    assert (right <= ax.get_window_extent().x1 + 1).all()


def test_axes_of_a_subfigure_are_labelled_as_others():
    part, _ = plt.figure(layout="constrained").subfigures(1, 2)
    ax = part.subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    place_labels(ax, np.array([0.5]), np.array([0.5]), ["a"])
    assert [text.get_text() for text in ax.texts] == ["a"]


O_3 = paper_originals().sel(original="O_3", drop=True)


def numbers(s):
    return xr.Dataset({"target_distance": target_distance(O_3, s), "average_cap_zero": average_cap(O_3, s)})


def test_curves_original_and_releases_are_at_their_numbers(ax):
    found, releases = frontier(O_3), numbers(paper_synthetics())
    assert plot_frontier(found, releases, ax=ax) is ax
    drawn = {line.get_label(): line for line in ax.lines}
    for label, name in {"greatest average CAP": "greatest", "least average CAP": "least", "least, keys left out": "least_any"}.items():
        np.testing.assert_array_equal(drawn[label].get_xydata(), np.column_stack([found.distance, found[name]]))
    assert drawn["original"].get_xydata().tolist() == [[0, average_cap(O_3, O_3).item()]]
    area, points = ax.collections
    assert (area.get_label(), points.get_label()) == ("releases with all keys", "release")
    np.testing.assert_array_equal(points.get_offsets(), np.column_stack([releases.target_distance, releases.average_cap_zero]))
    assert all(area.get_paths()[0].contains_point(point) for point in points.get_offsets())
    assert {text.get_text(): text.xy[0] for text in ax.texts} == dict(zip("abeg", releases.target_distance.values, strict=True))
    assert ax.get_xlim() == (0, 1)
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "average CAP"


def test_many_or_long_names_are_numbered_and_listed_beside_the_frontier_as_beside_risk_and_utility():
    names = [f"synthpop run {i}, cart, minbucket {5 * i}" for i in range(1, 15)]
    releases = numbers(paper_synthetics()).isel(synthetic=np.arange(14) % 4).assign_coords(synthetic=names)
    ax = plot_frontier(frontier(O_3), releases)
    listed, *labels = [text.get_text() for text in ax.texts]
    assert sorted(labels, key=int) == [str(i) for i in range(1, 15)]
    assert listed.splitlines()[:2] == ["1  synthpop run 1, cart, minbucket 5", "2  synthpop run 2, cart, minbucket 10"]
    assert len(listed.splitlines()) == 14
    ax.figure.draw_without_rendering()
    (legend,) = ax.figure.legends
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(box.overlaps(legend.get_window_extent()) or box.overlaps(boxes[0]) for box in boxes[1:])
    assert boxes[0].x1 <= ax.figure.bbox.width
    few = plot_frontier(frontier(O_3), releases.isel(synthetic=range(4)).assign_coords(synthetic=["partial synthesis", *"bcd"]))
    assert [text.get_text() for text in few.texts if len(text.get_text()) > 1] == ["partial synthesis"]
    unnamed = plot_frontier(frontier(O_3), releases.drop_vars("synthetic"))
    assert {text.get_text() for text in unnamed.texts} == {""}


def test_one_release_without_a_name_and_a_frontier_without_an_original(ax):
    """Keys that are left out: no table is at distance 0, and there is no curve for any keys."""
    plot_frontier(frontier(O_3, key_totals=[1, 0, 1]), numbers(paper_synthetics().sel(synthetic="b", drop=True)), ax=ax)
    assert {"least, keys left out", "original"}.isdisjoint(named(ax))
    assert [text.get_text() for text in ax.texts] == [""]


def test_other_things_are_refused(ax):
    found = frontier(O_3)
    with pytest.raises(TypeError, match=r"`found` must be what capstats.laws.frontier returns for several distances; got DataArray"):
        plot_frontier(found.least, ax=ax)
    with pytest.raises(TypeError, match=r"`found` must be what .* for several distances; got dims \(\)"):
        plot_frontier(frontier(O_3, distances=0.5), ax=ax)
    with pytest.raises(ValueError, match=r"`found` has dims \('original', 'distance'\); choose one table"):
        plot_frontier(frontier(paper_originals(), distances=[0, 1]), ax=ax)
    with pytest.raises(TypeError, match="`releases` must be a Dataset with 'target_distance' and 'average_cap_zero'; got dict"):
        plot_frontier(found, {}, ax=ax)
    with pytest.raises(TypeError, match=r"got dims .* and average_cap_zero"):
        plot_frontier(found, numbers(paper_synthetics())[["average_cap_zero"]], ax=ax)
    several = numbers(paper_synthetics()).expand_dims(draw=2)
    with pytest.raises(ValueError, match=r"`releases` has dims .*; choose one table along all but one of them"):
        plot_frontier(found, several, ax=ax)
