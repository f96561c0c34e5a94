"""The law of average CAP drawn: its bracket is a band, and over a histogram it has the scale of the bars."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn import dashed

from capstats import average_cap
from capstats.laws import Uniform, cap_law, sample_tables
from capstats.plotting import plot_average_cap, plot_cap_law
from capstats.plotting.shared import BLUE

TABLE = [[5, 2, 0], [1, 4, 3]]
VALUES = np.linspace(0, 1, 101)


def test_the_curve_is_in_its_band_and_both_are_those_of_the_result(ax):
    density = cap_law(TABLE).density(VALUES)
    plot_cap_law(density, ax=ax)
    (line,), (band,) = ax.lines, ax.collections
    assert line.get_xdata().tolist() == VALUES.tolist()
    assert (line.get_ydata() >= density.lower.values).all()
    assert (line.get_ydata() <= density.upper.values).all()
    corners = band.get_paths()[0].vertices
    assert corners[:, 1].max() == density.upper.max()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("average CAP", "density")
    assert line.get_label() == "law of average CAP"


def test_a_wide_bracket_is_seen(ax):
    density = cap_law(TABLE).density(VALUES)
    wide = density.assign(upper=density.upper + 0.5)
    plot_cap_law(wide, ax=ax)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), density.lower + 0.25)


def test_a_distribution_function_rises_to_one(ax):
    plot_cap_law(cap_law(TABLE).cdf(VALUES), ax=ax, color="black", label="$m$ = _")
    assert ax.lines[0].get_ydata()[-1] == 1
    assert ax.get_ylabel() == "probability of at most this average CAP"
    assert ax.lines[0].get_color() == "black"
    assert ax.lines[0].get_label() == r"\$m\$ = _"


def test_over_a_histogram_the_area_is_that_of_the_bars(ax):
    draws = average_cap(TABLE, sample_tables(TABLE, Uniform(500), draws=400, rng=1))
    plot_average_cap(draws, ax=ax)
    label = ax.get_ylabel()
    bars = ax.containers[0]
    plot_cap_law(cap_law(TABLE).density(VALUES), over=bars, ax=ax)
    step = bars[1].get_x() - bars[0].get_x()
    heights = ax.lines[-1].get_ydata()
    assert (heights[:-1] + heights[1:]).sum() / 2 * 0.01 == pytest.approx(400 * step, rel=1e-3)
    assert ax.get_ylabel() == label


def test_an_atom_is_a_line_with_a_dot(ax):
    plot_cap_law(cap_law([[2, 1], [2, 1]]).atoms(), ax=ax)
    (stems,), (dots,) = ax.collections, ax.lines
    assert stems.get_segments()[0].tolist() == [[0.5, 0], [0.5, 1]]
    assert (dots.get_xdata().tolist(), dots.get_ydata().tolist()) == ([0.5], [1])
    assert ax.get_ylabel() == "probability"


def test_an_atom_over_a_histogram_has_all_tables(ax):
    o = [[2, 1], [2, 1]]
    plot_average_cap(average_cap(o, sample_tables(o, Uniform(500), draws=40, rng=1)), ax=ax)
    plot_cap_law(cap_law(o).atoms(), over=ax.containers[0], ax=ax)
    assert ax.lines[-1].get_ydata().tolist() == [40]


def test_references_are_drawn_as_in_other_figures(ax):
    plot_cap_law(cap_law(TABLE).density(VALUES), original=0.7, baseline=0.5, ax=ax)
    (line,) = dashed(ax)
    assert set(line.get_xdata()) == {0.7}
    assert line.get_color() == BLUE


def test_a_new_figure_has_a_legend():
    ax = plot_cap_law(cap_law(TABLE).density(VALUES))
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["law of average CAP"]
    plt.close(ax.figure)


def test_what_is_no_law_is_refused(ax):
    with pytest.raises(ValueError, match="`result` must be what `density`, `cdf` or `atoms` of a law returned for a row of values"):
        plot_cap_law(cap_law(TABLE).density(0.5), ax=ax)
    with pytest.raises(ValueError, match="`result` must be what"):
        plot_cap_law(cap_law(TABLE).quantile([0.5]), ax=ax)
    bars = ax.bar([0, 1], [1, 2])
    with pytest.raises(ValueError, match="A distribution function has another scale than bars have"):
        plot_cap_law(cap_law(TABLE).cdf(VALUES), over=bars, ax=ax)
