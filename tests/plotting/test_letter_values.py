"""Nested boxes carry the quantiles that cap_quantiles returned."""

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn import O_4, named

from capstats import average_cap, cap_ecdf, cap_quantiles
from capstats.datasets import paper_synthetics
from capstats.laws import Uniform, sample_tables
from capstats.plotting import plot_letter_values

DEPTHS = [0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 15 / 16, 1]
LONG = [f"release_{i:03d}_of_a_generator_with_a_name_of_52_letters_{i:03d}"[-52:] for i in range(100)]


def boxes(ax):
    """Lower and upper end of each box by its share, in the order of the rows."""
    return {bars.get_label(): [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars] for bars in ax.containers}


def test_each_box_reaches_from_a_lower_to_the_upper_quantile_of_its_pair(ax):
    q = cap_quantiles(O_4, paper_synthetics(), DEPTHS)
    assert plot_letter_values(q, ax=ax) is ax
    found = boxes(ax)
    assert list(found) == ["middle 50 %", "middle 75 %", "middle 87.5 %", "all records"]
    for label, low in zip(found, [0.25, 0.125, 0.0625, 0], strict=True):
        np.testing.assert_allclose(found[label], np.transpose([q.sel(quantile=low), q.sel(quantile=1 - low)]), rtol=1e-12)
    (medians,) = [c for c in ax.collections if c.get_label() == "median"]
    assert [segment[0, 0] for segment in medians.get_segments()] == q.sel(quantile=0.5).values.tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "e", "g"]
    assert ax.yaxis_inverted()  # the first is on top
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("individual CAP\nn = 900 records", "synthetic table")


def test_a_box_with_more_records_is_lighter_and_flatter(ax):
    plot_letter_values(cap_quantiles(O_4, paper_synthetics(), DEPTHS), ax=ax)
    heights = [bars[0].get_height() for bars in ax.containers]
    lightness = [np.dot(bars[0].get_facecolor()[:3], [0.299, 0.587, 0.114]) for bars in ax.containers]
    order = [bars[0].get_zorder() for bars in ax.containers]
    assert heights == sorted(heights, reverse=True)
    assert lightness == sorted(lightness)
    assert order == sorted(order, reverse=True)
    assert min(np.diff(lightness)) > 0.05  # also in grey


def test_averages_are_dots_in_their_rows_and_references_are_lines(ax):
    averages = average_cap(O_4, paper_synthetics())
    plot_letter_values(cap_quantiles(O_4, paper_synthetics(), DEPTHS), average=averages, original=0.4, baseline=0.3, ax=ax)
    (dots,) = [line for line in ax.lines if line.get_label() == "average CAP"]
    assert dots.get_xdata().tolist() == averages.values.tolist()
    assert dots.get_ydata().tolist() == [0, 1, 2, 3]
    lines = [(line.get_xdata()[0], line.get_linestyle()) for line in ax.lines if line is not dots]
    assert lines == [(0.4, "--"), (0.3, ":")]


def test_one_table_is_one_row_and_needs_no_name(ax):
    s = paper_synthetics().sel(synthetic="g", drop=True)
    plot_letter_values(cap_quantiles(O_4, s, [0.25, 0.5, 0.75]), average=0.3, ax=ax)
    assert len(ax.patches) == 1
    assert ax.get_yticks().tolist() == []
    assert named(ax) == ["median", "average CAP", "middle 50 %"]


@pytest.fixture(scope="module")
def hundred():
    """100 releases with names of 52 characters."""
    draws = sample_tables(O_4, Uniform(900), draws=100, rng=1).rename(draw="synthetic").assign_coords(synthetic=LONG)
    return cap_quantiles(O_4, draws, DEPTHS)


def test_a_hundred_long_names_fit_on_a_page(hundred):
    assert {len(name) for name in LONG} == {52}
    ax = plot_letter_values(hundred, average=0.3, original=0.4)
    ax.figure.canvas.draw()
    assert ax.figure.get_size_inches().tolist() == [7, 9.5]
    names = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(low.y0 >= high.y1 - 0.5 for low, high in pairwise(names))
    assert min(name.x0 for name in names) >= 0
    assert ax.get_yticklabels()[0].get_size() >= 4.5
    assert len({label.get_text() for label in ax.get_yticklabels()}) == 100
    assert ax.get_position().width > 0.5
    assert len(ax.patches) == 400


@pytest.mark.parametrize("size", [(3.3, 3), (7, 9)])
def test_a_hundred_rows_fit_on_given_axes(hundred, size):
    ax = plot_letter_values(hundred, ax=plt.subplots(figsize=size, layout="constrained")[1])
    ax.figure.canvas.draw()  # any warning is an error
    assert ax.get_position().width > 0.3


def test_the_number_of_records_comes_with_the_quantiles():
    """As with the distribution function: a number, or the least and the greatest where tables differ."""
    s = [[[1, 0]], [[1, 1]]]
    for found in (
        cap_quantiles([[1500, 500]], s, [0.25, 0.5, 0.75], unmatched="drop"),
        cap_ecdf([[1500, 500]], s, [0.5], unmatched="drop"),
    ):
        assert tuple(found.attrs["records"]) == (1500, 2000)
    assert cap_quantiles([[1500, 500]], s, 0.5).attrs["records"] == 2000
    ax = plot_letter_values(cap_quantiles([[1500, 500]], s, [0.25, 0.5, 0.75], unmatched="drop"))
    assert ax.get_xlabel() == "individual CAP\nn = 1,500 to 2,000 records"


def test_names_are_plain_text():
    q = cap_quantiles(O_4, paper_synthetics().assign_coords(synthetic=["$x$", "\n", "_a", "b"]), [0.25, 0.5, 0.75])
    ax = plot_letter_values(q)
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_yticklabels()] == [r"\$x\$", r"\n", " _a", "b"]


def test_arguments_reach_the_bars(ax):
    plot_letter_values(cap_quantiles(O_4, paper_synthetics(), DEPTHS), ax=ax, hatch="//", color="white")
    assert {bar.get_hatch() for bar in ax.patches} == {"//"}
    assert {mpl.colors.to_hex(bar.get_facecolor()) for bar in ax.patches} == {"#ffffff"}


@pytest.mark.parametrize(
    ("depths", "missing"), [([0.25, 0.75], "0.5"), ([0.5, 0.75], "0.25"), ([0, 0.25, 0.5, 0.75], "1"), ([0.1, 0.5, 0.8], "0.9")]
)
def test_depths_without_the_other_of_their_pair_are_refused(depths, missing):
    with pytest.raises(ValueError, match=f"`quantiles` lacks {missing}: letter values are 1/2 and pairs such as 1/4 and 3/4"):
        plot_letter_values(cap_quantiles(O_4, paper_synthetics(), depths))
    assert plt.get_fignums() == []


def test_other_results_are_refused():
    with pytest.raises(TypeError, match="`quantiles` must be the DataArray that cap_quantiles returns for several quantiles"):
        plot_letter_values(cap_quantiles(O_4, paper_synthetics(), 0.5))
    with pytest.raises(TypeError, match="with dim `quantile`; got "):
        plot_letter_values(O_4.to_dataset(name="o"))
    with pytest.raises(ValueError, match=r"`quantiles` has dims \('quantile', 'synthetic', 'draw'\); choose one table"):
        plot_letter_values(cap_quantiles(O_4, paper_synthetics(), [0.25, 0.5, 0.75]).expand_dims(draw=2, axis=2))
