"""The figure of the frontier shows what it is given: curves, the original, and releases at their numbers."""

import numpy as np
import pytest
import xarray as xr
from drawn import named

from capstats import average_cap
from capstats.cap import target_distance
from capstats.datasets import paper_originals, paper_synthetics
from capstats.laws import frontier
from capstats.plotting import plot_frontier

O_3 = paper_originals().sel(original="O_3", drop=True)


def numbers(s):
    return xr.Dataset({"target_distance": target_distance(O_3, s), "average_cap": average_cap(O_3, s)})


def test_curves_original_and_releases_are_at_their_numbers(ax):
    found, releases = frontier(O_3), numbers(paper_synthetics())
    assert plot_frontier(found, releases, ax=ax) is ax
    drawn = {line.get_label(): line for line in ax.lines}
    for label, name in {"greatest average CAP": "greatest", "least average CAP": "least", "least, keys left out": "least_any"}.items():
        np.testing.assert_array_equal(drawn[label].get_xydata(), np.column_stack([found.distance, found[name]]))
    assert drawn["original"].get_xydata().tolist() == [[0, average_cap(O_3, O_3).item()]]
    (points,) = [marks for marks in ax.collections if marks.get_label() == "release"]
    np.testing.assert_array_equal(points.get_offsets(), np.column_stack([releases.target_distance, releases.average_cap]))
    assert {text.get_text(): text.xy[0] for text in ax.texts} == dict(zip("abeg", releases.target_distance.values, strict=True))
    assert ax.get_xlim() == (0, 1)
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "average CAP"


def test_all_releases_lie_in_the_area(ax):
    plot_frontier(frontier(O_3), numbers(paper_synthetics()), ax=ax)
    area, points = ax.collections
    assert area.get_label() == "releases with all keys"
    assert all(area.get_paths()[0].contains_point(point) for point in points.get_offsets())


def test_one_release_without_a_name_and_a_frontier_without_an_original(ax):
    """Keys that are left out: no table is at distance 0, and there is no curve for any keys."""
    plot_frontier(frontier(O_3, key_totals=[1, 0, 1]), numbers(paper_synthetics().sel(synthetic="b", drop=True)), ax=ax)
    assert {"least, keys left out", "original"}.isdisjoint(named(ax))
    assert [text.get_text() for text in ax.texts] == [""]


def test_a_new_figure_has_a_legend():
    ax = plot_frontier(frontier(O_3))
    (legend,) = ax.figure.legends
    assert "least average CAP" in [text.get_text() for text in legend.get_texts()]


def test_other_things_are_refused(ax):
    found = frontier(O_3)
    with pytest.raises(TypeError, match=r"`found` must be what capstats.laws.frontier returns for several distances; got DataArray"):
        plot_frontier(found.least, ax=ax)
    with pytest.raises(TypeError, match=r"`found` must be what .* for several distances; got dims \(\)"):
        plot_frontier(frontier(O_3, distances=0.5), ax=ax)
    with pytest.raises(ValueError, match=r"`found` has dims \('original', 'distance'\); choose one table"):
        plot_frontier(frontier(paper_originals(), distances=[0, 1]), ax=ax)
    with pytest.raises(TypeError, match="`releases` must be a Dataset with 'target_distance' and 'average_cap'; got dict"):
        plot_frontier(found, {}, ax=ax)
    with pytest.raises(TypeError, match="got one with average_cap"):
        plot_frontier(found, numbers(paper_synthetics())[["average_cap"]], ax=ax)
    several = numbers(paper_synthetics()).expand_dims(draw=2)
    with pytest.raises(ValueError, match=r"`releases` has dims .*; choose one table along all but one of them"):
        plot_frontier(found, several, ax=ax)
