"""Every plot draws on the axes that it is given, or on one figure of its own, and changes nothing else."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
import xarray as xr
from drawn import FEW, GRID, O_4

import capstats.plotting
from capstats import cap_ecdf, from_counts, individual_cap
from capstats.anonymity import anonymity_profile
from capstats.datasets import paper_originals, paper_synthetics
from capstats.disclosure import key_summary, tau_curve
from capstats.plotting import (
    plot_average_cap,
    plot_cap_ecdf,
    plot_individual_cap,
    plot_key_summary,
    plot_people,
    plot_tau_curve,
)
from capstats.plotting.shared import shortened

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


COUNTED = from_counts(*FEW)


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


def every(**how):
    s = paper_synthetics().sel(synthetic="g", drop=True)
    return {
        "plot_cap_ecdf": lambda: plot_cap_ecdf(cap_ecdf(O_4, s, GRID), average=0.3, **how),
        "plot_tau_curve": lambda: plot_tau_curve(tau_curve(O_4, paper_synthetics(), variant="all"), **how),
        "plot_key_summary": lambda: plot_key_summary(key_summary(*FEW), **how),
        "plot_people": lambda: plot_people(COUNTED, individual_cap(COUNTED.o, COUNTED.s), by_target=True, **how),
    }


@pytest.mark.few(1)
@pytest.mark.parametrize("name", every())
def test_a_figure_of_its_own_has_a_legend_and_given_axes_have_none(name, ax):
    own = every()[name]()
    assert own.figure is not ax.figure
    (legend,) = own.figure.legends
    own.figure.draw_without_rendering()
    assert legend.get_window_extent().y0 >= own.get_window_extent().y1
    figures = plt.get_fignums()
    assert every(ax=ax)[name]() is ax
    assert plt.get_fignums() == figures
    assert (ax.get_legend(), ax.figure.legends) == (None, [])


@pytest.mark.few(3)
@pytest.mark.parametrize("name", every())
def test_no_global_style_is_changed(name):
    before = dict(mpl.rcParams)
    every()[name]()
    assert dict(mpl.rcParams) == before


@pytest.mark.few(2)
@pytest.mark.parametrize("name", every())
def test_a_figure_as_wide_as_a_column_of_a_paper_is_drawn_without_a_warning(name):
    ax = plt.subplots(figsize=(3.5, 3), layout="constrained")[1]
    every(ax=ax)[name]()
    ax.figure.canvas.draw()
    assert ax.get_position().width > 0.3
    assert ax.get_position().height > 0.4


def test_every_plot_is_public():
    assert set(every()) <= set(capstats.plotting.__all__)
    assert capstats.plotting.__all__ == sorted(capstats.plotting.__all__)


def test_results_of_other_measures_are_refused():
    ecdf, summary, models = cap_ecdf(O_4, paper_synthetics(), [0, 1]), key_summary(*FEW), anonymity_profile(*FEW)
    with pytest.raises(TypeError, match="`ecdf` must be the DataArray that cap_ecdf returns, with dim `at`; got Result"):
        plot_cap_ecdf(summary)
    with pytest.raises(ValueError, match=r"`ecdf` has dims \('at', 'original', 'synthetic'\); choose one table"):
        plot_cap_ecdf(cap_ecdf(paper_originals(), paper_synthetics(), [0, 1]))
    with pytest.raises(TypeError, match="`curve` must be the DataArray that tau_curve returns, with dim `tau`; got dims"):
        plot_tau_curve(ecdf)
    with pytest.raises(TypeError, match=r"`summary` must be the Dataset that key_summary returns; got dims .* and classes"):
        plot_key_summary(models)
    with pytest.raises(ValueError, match=r"`summary` has dims \('synthetic', 'key'\); choose one table"):
        plot_key_summary(key_summary(O_4, paper_synthetics()))
    assert plt.get_fignums() == []


def test_long_labels_keep_their_beginning_and_end_and_stay_apart():
    assert shortened(["short", "a" * 20 + "b" * 20], 11) == ["short", "aaaaa…bbbbb"]
    assert shortened(["x" * 20, "x" * 20], 11) == ["xxxxx…xxxxx"] * 2  # the same label twice
    inside = [f"{'a' * 9}{i}{'a' * 9}" for i in "12"]
    assert shortened(inside, 11) == inside  # 19 characters: without any of them they would be the same
    assert shortened([], 11) == []


def test_labels_that_differ_far_inside_are_numbered():
    first, second = shortened(["a" * 500, "a" * 250 + "b" + "a" * 249], 20)
    assert (first[-4:], second[-4:]) == (" (1)", " (2)")
    assert len(first) < 80
