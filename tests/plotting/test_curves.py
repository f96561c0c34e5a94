"""Figures of curves, keys and privacy models: every artist carries numbers that a measure returned."""

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

import capstats.plotting
from capstats import average_cap, baseline_cap, cap_ecdf, individual_cap
from capstats.anonymity import anonymity_profile
from capstats.datasets import paper_originals, paper_synthetics
from capstats.disclosure import key_summary, tau_curve, tcap
from capstats.plotting import plot_anonymity, plot_cap_ecdf, plot_key_summary, plot_tau_curve

O_4 = paper_originals().sel(original="O_4", drop=True)
GRID = np.linspace(0, 1, 101)


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return plt.subplots()[1]


def named(ax):
    return ax.get_legend_handles_labels()[1]


# --- The distribution of individual CAP


def test_ecdf_of_each_table_is_a_step_curve_of_its_own(ax):
    ecdf = cap_ecdf(O_4, paper_synthetics(), GRID)
    assert plot_cap_ecdf(ecdf, ax=ax) is ax
    assert named(ax) == ["a", "b", "e", "g"]
    for line, table in zip(ax.lines, "abeg", strict=True):
        np.testing.assert_array_equal(line.get_xdata(), GRID)
        np.testing.assert_array_equal(line.get_ydata(), ecdf.sel(synthetic=table))
        assert line.get_drawstyle() == "steps-post"
    assert (
        len({line.get_color() for line in ax.lines}) == len({str(line.get_linestyle()) + str(line._dash_pattern) for line in ax.lines}) == 4
    )
    assert ax.get_xlabel() == "individual CAP\nn = 900 records"


def test_steps_of_the_ecdf_are_the_records(ax):
    """At every value that occurs the curve jumps by the share of the records that have it."""
    s = paper_synthetics().sel(synthetic="g", drop=True)
    caps = np.repeat(individual_cap(O_4, s).values.ravel(), O_4.values.ravel())
    plot_cap_ecdf(cap_ecdf(O_4, s, np.unique(caps)), ax=ax)
    (line,) = ax.lines
    np.testing.assert_allclose(line.get_ydata(), [(caps <= x).mean() for x in line.get_xdata()])


def test_averages_beside_the_ecdf_are_lines_of_three_styles(ax):
    s = paper_synthetics().sel(synthetic="g", drop=True)
    numbers = average_cap(O_4, s).item(), average_cap(O_4, O_4).item(), baseline_cap(O_4).item()
    plot_cap_ecdf(cap_ecdf(O_4, s, GRID), average=numbers[0], original=numbers[1], baseline=numbers[2], ax=ax)
    assert [line.get_xdata()[0] for line in ax.lines[1:]] == list(numbers)
    assert [line.get_linestyle() for line in ax.lines[1:]] == ["-.", "--", ":"]
    assert named(ax) == ["average CAP", "average CAP of the original", "baseline: guess without a key"]


def test_averages_of_several_tables_have_the_colours_of_their_curves(ax):
    s = paper_synthetics()
    plot_cap_ecdf(cap_ecdf(O_4, s, GRID), average=average_cap(O_4, s), ax=ax)
    assert [line.get_color() for line in ax.lines[4:]] == [line.get_color() for line in ax.lines[:4]]
    assert [line.get_xdata()[0] for line in ax.lines[4:]] == average_cap(O_4, s).values.tolist()
    assert named(ax)[4:] == ["average CAP"]


def test_many_draws_without_names_fill_no_legend(ax):
    ecdf = xr.DataArray(np.zeros((3, 50)), {"at": [0, 0.5, 1]}, ("at", "draw"))
    plot_cap_ecdf(ecdf, ax=ax, alpha=0.1)
    assert len(ax.lines) == 50
    assert {line.get_alpha() for line in ax.lines} == {0.1}
    assert named(ax) == []
    assert ax.get_xlabel() == "individual CAP"


# --- TCAP over its threshold


@pytest.mark.parametrize("variant", ["all", "disclosive"])
def test_tau_curve_is_tcap_at_every_threshold(ax, variant):
    s = paper_synthetics().sel(synthetic="g", drop=True)
    plot_tau_curve(tau_curve(O_4, s, variant=variant), ax=ax)
    (line,) = ax.lines
    assert line.get_drawstyle() == "steps-pre"
    x, y = line.get_data()
    assert (x[0], x[-1]) == (0, 1)
    for tau in np.linspace(0, 1, 41):
        np.testing.assert_equal(y[np.searchsorted(x, tau)], tcap(O_4, s, tau=tau, variant=variant).item())
    assert ax.get_ylabel() == f"TCAP, {variant}"
    assert ax.get_xlabel() == "threshold tau\nn = 900 records"


def test_tau_curves_of_several_tables_are_named(ax):
    plot_tau_curve(tau_curve(O_4, paper_synthetics(), variant="all", rule="cell"), ax=ax, linewidth=3)
    assert named(ax) == ["a", "b", "e", "g"]
    assert ax.get_ylabel() == "TCAP, all, cell"
    assert {line.get_linewidth() for line in ax.lines} == {3}


# --- Keys


FEW = [[3, 3, 2, 1, 0], [1, 1, 2, 0, 0]], [[2, 2, 1, 0, 1], [0, 0, 1, 0, 0]]


def marks(ax):
    """Place, number of keys and label of each kind of mark."""
    return {
        c.get_label().split(":")[0]: (c.get_offsets().tolist(), (10 ** ((c.get_sizes() / 10 - 1) / 2.5)).round(6).tolist())
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


def test_averages_beside_the_keys_are_level_lines(ax):
    plot_key_summary(key_summary(*FEW), average=0.5, original=0.7, baseline=0.6, ax=ax)
    assert [(line.get_ydata()[0], line.get_linestyle()) for line in ax.lines] == [(0.5, "-."), (0.7, "--"), (0.6, ":")]


def test_sizes_of_keys_are_written_as_plain_numbers():
    ax = plot_key_summary(key_summary([[1, 2, 9], [0, 0, 40]], [[1, 1, 1], [0, 0, 1]]))
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    shown = [label.get_text() for x, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True) if low <= x <= high]
    assert shown == ["1", "2", "5", "10", "20", "50"]


# --- Privacy models


def test_each_privacy_model_has_a_row_from_the_original_to_the_synthetic_table(ax):
    models = anonymity_profile([[20, 5], [30, 45]], [[8, 7], [25, 60]])
    plot_anonymity(models, ax=ax)
    names = list(models.data_vars)
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    original, synthetic = (c for c in ax.collections if isinstance(c, mpl.collections.PathCollection))
    for drawn, table in ((original, "original"), (synthetic, "synthetic")):
        expected = [[models[name].sel(table=table).item(), row] for row, name in enumerate(names)]
        np.testing.assert_array_equal(np.ma.filled(drawn.get_offsets(), np.nan), expected)
    assert named(ax) == ["original, n = 100 records", "synthetic, m = 100 records"]
    assert "safer in k, distinct_l, entropy_l" in ax.get_xlabel()
    assert ax.texts[names.index("k")].get_text() == "50 → 33"


def test_infinite_and_undefined_models_are_written_not_drawn():
    models = anonymity_profile([[0, 3], [1, 0]], [[0, 0], [0, 0]])[["delta", "k"]]
    assert np.isinf(models.delta.values[0])
    ax = plot_anonymity(models)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == ["inf → undefined", "1 → undefined"]
    assert ax.get_xlim()[1] == 10


def test_a_large_model_lies_within_the_axes():
    models = anonymity_profile([[250_000, 1], [0, 0]], [[1, 1], [0, 0]])[["k", "uniques"]]
    big = models.assign(classes=("table", [250_000.0, 3.0]))
    ax = plot_anonymity(big)
    assert ax.get_xlim()[1] >= 250_000
    assert ax.texts[2].get_text() == "250,000 → 3"
    ax.figure.canvas.draw()
    extents = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert all(left.x1 < right.x0 for left, right in pairwise(extents))


# --- All


def every(**how):
    s = paper_synthetics().sel(synthetic="g", drop=True)
    return {
        "plot_cap_ecdf": lambda: plot_cap_ecdf(cap_ecdf(O_4, s, GRID), average=0.3, **how),
        "plot_tau_curve": lambda: plot_tau_curve(tau_curve(O_4, paper_synthetics(), variant="all"), **how),
        "plot_key_summary": lambda: plot_key_summary(key_summary(*FEW), **how),
        "plot_anonymity": lambda: plot_anonymity(anonymity_profile(*FEW), **how),
    }


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


@pytest.mark.parametrize("name", every())
def test_no_global_style_is_changed(name):
    before = dict(mpl.rcParams)
    every()[name]()
    assert dict(mpl.rcParams) == before


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


def test_names_of_tables_are_plain_text_in_curves(ax):
    s = paper_synthetics().isel(synthetic=[0, 1]).assign_coords(synthetic=["_$x$", "a\nb"])
    plot_tau_curve(tau_curve(O_4, s, variant="all"), ax=ax)
    assert named(ax) == [r" _\$x\$", r"a\nb"]


def test_results_of_other_measures_are_refused():
    ecdf, summary, models = cap_ecdf(O_4, paper_synthetics(), [0, 1]), key_summary(*FEW), anonymity_profile(*FEW)
    with pytest.raises(TypeError, match="`ecdf` must be the DataArray that cap_ecdf returns, with dim `at`; got Dataset"):
        plot_cap_ecdf(summary)
    with pytest.raises(ValueError, match=r"`ecdf` has dims \('at', 'original', 'synthetic'\); choose one table"):
        plot_cap_ecdf(cap_ecdf(paper_originals(), paper_synthetics(), [0, 1]))
    with pytest.raises(TypeError, match="`curve` must be the DataArray that tau_curve returns, with dim `tau`; got DataArray"):
        plot_tau_curve(ecdf)
    with pytest.raises(TypeError, match="`summary` must be the Dataset that key_summary returns; got Dataset"):
        plot_key_summary(models)
    with pytest.raises(ValueError, match=r"`summary` has dims \('synthetic', 'key'\); choose one table"):
        plot_key_summary(key_summary(O_4, paper_synthetics()))
    with pytest.raises(TypeError, match="`models` must be the Dataset that anonymity_profile returns, with dim `table`; got Dataset"):
        plot_anonymity(summary)
    with pytest.raises(ValueError, match=r"`models` has dims .*synthetic.*; choose one pair of tables"):
        plot_anonymity(anonymity_profile(O_4, paper_synthetics()))
    assert plt.get_fignums() == []
