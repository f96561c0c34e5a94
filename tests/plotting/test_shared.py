"""Every plot draws on the axes that it is given, or on one figure of its own, and changes nothing else."""

import copy
from functools import partial

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
import xarray as xr
from drawn import FEW, GRID, O_4, named

import capstats.plotting
from capstats import average_cap, by_group, cap_boxplot, cap_ecdf, from_counts, individual_cap, tabulate
from capstats.anonymity import anonymity_profile
from capstats.attacks import maximum_knowledge, membership_roc
from capstats.cap import target_distance
from capstats.datasets import paper_originals, paper_synthetics
from capstats.disclosure import key_summary
from capstats.laws import Uniform, cap_law, frontier
from capstats.plotting import (
    plot_average_cap,
    plot_cap_ecdf,
    plot_cap_law,
    plot_disclosure_arrows,
    plot_frontier,
    plot_individual_cap,
    plot_key_summary,
    plot_key_target,
    plot_maximum_knowledge,
    plot_membership_difference,
    plot_membership_roc,
    plot_people,
    plot_risk_utility,
    plot_sweep,
)
from capstats.plotting.inline import inline_svg
from capstats.plotting.shared import BLUE, shortened, shown
from capstats.screening import sweep

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


COUNTED = from_counts(*FEW)
Q = individual_cap(COUNTED.o, COUNTED.s)


@pytest.fixture(scope="module")
def every():
    """Every figure, as a function of how it is drawn; and whether the legend of a figure of its own is above the Axes."""
    several = paper_synthetics()
    numbers = xr.Dataset({"target_distance": target_distance(O_4, several), "average_cap_zero": average_cap(O_4, several)})
    measures = numbers.assign(average_cap_nearest=numbers.average_cap_zero, original_certain=0.2, original_records=900)
    measures = measures.assign(share_certain=("synthetic", [0.1, 0, 0.2, 0.3]))
    people = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "t": [*"xyyx"]}
    swept = sweep(people, people, allow_same=True, keys=["a", "b"], targets="t", measures="average_cap")
    knowledge, roc = maximum_knowledge(people, [people] * 2, allow_same=True, columns=["a", "b"]), membership_roc([-2.1, -8], [-2.2, -30])
    above = {
        plot_individual_cap: [cap_boxplot(O_4, several)],
        plot_average_cap: [average_cap(O_4, several)],
        plot_cap_law: [cap_law([[2, 1], [1, 1]], Uniform()).density(GRID)],
        plot_cap_ecdf: [cap_ecdf(O_4, several, GRID)],
        plot_key_summary: [key_summary(*FEW)],
        plot_people: [COUNTED, Q],
        plot_risk_utility: [measures],
        plot_disclosure_arrows: [measures],
        plot_frontier: [frontier(O_4, distances=[0, 0.5, 1]), numbers],
    }
    others = {
        plot_sweep: [swept],
        plot_key_target: [COUNTED, Q],
        plot_membership_difference: [roc],
        plot_membership_roc: [roc],
        plot_maximum_knowledge: [knowledge],
    }
    options = {plot_average_cap: {"original": 0.4}, plot_people: {"by_target": True}}
    return {
        plot.__name__: (partial(plot, *given, **options.get(plot, {})), given, plot in above) for plot, given in (above | others).items()
    }


figures = pytest.mark.parametrize("name", capstats.plotting.__all__)


@figures
def test_a_figure_of_its_own_has_a_legend_and_given_axes_have_none(every, name, ax):
    draw, _, above = every[name]
    own = draw()
    assert isinstance(own, mpl.axes.Axes)
    assert own.figure is not ax.figure
    assert len(plt.get_fignums()) == 2
    assert len(own.figure.legends) == above
    if above:
        own.figure.draw_without_rendering()
        (legend,) = own.figure.legends
        assert legend.get_window_extent().y0 >= own.get_window_extent().y1
        assert [text.get_text() for text in legend.get_texts()] == named(own)
    assert draw(ax=ax) is ax
    assert len(plt.get_fignums()) == 2
    assert not ax.figure.legends
    assert (ax.get_legend() is None) == (above or not named(ax))


@figures
def test_nothing_but_the_axes_is_changed_shown_or_saved(every, name, monkeypatch, ax):
    """Neither the style of other figures, nor what is drawn; and a second plot leaves the first one on the same Axes."""

    def fail(*args, **kwargs):
        raise AssertionError

    monkeypatch.setattr(plt, "show", fail)
    monkeypatch.setattr(mpl.figure.Figure, "savefig", fail)
    draw, given, _ = every[name]
    before, kept = dict(mpl.rcParams), copy.deepcopy(given)
    draw(ax=ax)
    artists = len(ax.get_children())
    draw(ax=ax)
    assert len(ax.get_children()) > artists
    assert dict(mpl.rcParams) == before
    assert all(x.identical(y) if hasattr(x, "identical") else x == y for x, y in zip(given, kept, strict=True))


@figures
def test_a_figure_as_wide_as_a_column_of_a_paper_is_drawn_without_a_warning(every, name):
    ax = plt.subplots(figsize=(3.5, 3), layout="constrained")[1]
    every[name][0](ax=ax)
    ax.figure.canvas.draw()
    assert ax.get_position().width > 0.25
    assert ax.get_position().height > 0.3


@pytest.mark.parametrize("name", ["plot_cap_law", "plot_cap_ecdf", "plot_key_summary", "plot_people"])
def test_averages_are_lines_of_three_styles(every, name, ax):
    numbers = {"average": 0.5, "original": 0.7, "baseline": 0.6}
    if name == "plot_cap_law":
        del numbers["average"]
    every[name][0](ax=ax, **numbers)
    lines = ax.lines[-len(numbers) :]
    ends = [line.get_ydata() if name == "plot_key_summary" else line.get_xdata() for line in lines]
    assert [set(end) for end in ends] == [{number} for number in numbers.values()]
    assert [line.get_linestyle() for line in lines] == ["-.", "--", ":"][-len(numbers) :]
    assert lines[-2].get_color() == BLUE
    expected = ["average CAP", "average CAP of the original", "baseline: guess without a key"]
    assert [line.get_label() for line in lines] == expected[-len(numbers) :]


def test_sums_of_weights_are_said_to_be_so_with_one_decimal_at_most():
    """Three records, two of them with the same key and target, weigh 1.5 and 2.25 and 3; in the other column 15, 5 and 30."""
    people = {"k": [*"aab"], "t": [*"xxy"], "w": [1.5, 2.25, 3], "v": [15, 5, 30]}
    by_part = tabulate(people, people, keys="k", target="t", weights=("w", None))
    ax = plot_key_target(by_part, individual_cap(by_part.o, by_part.s))
    assert ax.get_xlabel().splitlines()[-2:] == ["original | synthetic records, by weight", "n = 3 records, weighted to 6.8"]
    assert [text.get_text() for text in ax.texts] == ["1\n3.8 | 2", "", "", "1\n3 | 1"]
    assert plot_cap_ecdf(cap_ecdf(by_part, at=GRID)).get_xlabel().splitlines()[-1] == "weighted to 6.8"
    assert plot_key_summary(key_summary(by_part)).get_xlabel().splitlines() == [
        "original records with the key, by weight",
        "weighted to 6.8",
    ]
    swept = sweep(people, people, allow_same=True, keys=["k"], targets="t", measures="average_cap", weights=("w", None))
    assert plot_sweep(swept).get_xlabel().splitlines()[-1] == "weighted to 6.8"
    few = {"k": [*"ab"], "t": [*"xx"]}
    boxes = by_group(cap_boxplot, tabulate(people, few, keys="k", target="t", weights=("v", None)), by="k")
    ax = plot_individual_cap(boxes, orientation="vertical")
    assert ax.get_xlabel().splitlines()[-1] == "weighted to 20 to 50"
    of_release = sweep(people, people, allow_same=True, keys=["k"], targets="t", measures="average_cap", weights=(None, "w"))
    assert plot_sweep(of_release).get_xlabel().splitlines()[-1] == "n = 3 records"


@pytest.mark.parametrize("plot", [partial(plot_people, by_target=True), plot_key_target, plot_people])
def test_a_figure_of_sparse_tables_is_that_of_dense_ones(plot):
    records, release = {"k": list("aabbbc"), "t": list("xyxxyx")}, {"k": list("aabbbd"), "t": list("xxxyyx")}
    drawn = []
    for backing in ("dense", "sparse"):
        counted = tabulate(records, release, keys="k", target="t", backing=backing)
        drawn.append(inline_svg(plot(counted, individual_cap(counted.o, counted.s)), prefix="a"))
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("cost_in_$_and_$x^2$", r"cost_in_\$_and_\$x^2\$"),
        ("$\\frac{", r"\$\frac{"),
        ("two\nlines", r"two\nlines"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("not \udcff UTF-8", r"not \udcff UTF-8"),
        ("a\u202eb", r"a\u202eb"),
        ("_hidden", " _hidden"),
    ],
)
def test_a_label_is_plain_text(label, text):
    """matplotlib writes a dollar that is escaped; otherwise two of them are a formula. tests/plotting/test_inline.py draws every figure."""
    assert shown(label) == text
    assert not mpl.cbook.is_math_text(shown(label))


def test_results_of_other_measures_are_refused():
    summary, models = key_summary(*FEW), anonymity_profile(*FEW)
    with pytest.raises(TypeError, match="`ecdf` must be the DataArray that cap_ecdf returns, with dim `at`; got Result"):
        plot_cap_ecdf(summary)
    with pytest.raises(ValueError, match=r"`ecdf` has dims \('at', 'original', 'synthetic'\); choose one table"):
        plot_cap_ecdf(cap_ecdf(paper_originals(), paper_synthetics(), [0, 1]))
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
