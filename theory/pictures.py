"""Draws the pictures of the chapters, ``pictures/CHAPTER.svg``, from the paper's tables.

``python theory/pictures.py [CHAPTER ...]`` draws them anew; a test fails where one is out of date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.stats import hypergeom

from capstats import audit, average_cap, average_cap_interval, baseline_cap, individual_cap, maximum_cap, minimum_cap, tabulate
from capstats.auditing.publication import publication
from capstats.cap import target_distance
from capstats.datasets import anes96, example
from capstats.disclosure import tcap
from capstats.laws import (
    Bootstrap,
    Dirichlet,
    Independent,
    Swap,
    Uniform,
    anonymity_bounds,
    calibrate,
    cap_bounds,
    cap_law,
    dp_bound,
    expected_cap,
    frontier,
    variance_cap,
)
from capstats.plotting.inline import inline_svg
from capstats.population import population_uniqueness
from capstats.screening import sweep

FOLDER = Path(__file__).with_suffix("")
SMOKERS = [[20, 5], [30, 45]]  # the paper's Table 1: sick and healthy, smokers and not
RELEASE = [[8, 7], [25, 60]]
CELLS = ("sick smokers", "sick others", "healthy smokers", "healthy others")


def cap(ax: Axes) -> None:
    """Individual CAP of the hundred people, with bars as high as there are people: their area is average CAP."""
    people, risk = np.ravel(SMOKERS), individual_cap(SMOKERS, RELEASE).values.ravel()
    names = [f"{number} {cell}" for number, cell in zip(people, CELLS, strict=True)]
    order = np.argsort(risk)
    middle = np.cumsum(people[order]) - people[order] / 2
    ax.barh(middle, risk[order], people[order], color=["#E69F00", "#E69F00", "#56B4E9", "#56B4E9"], edgecolor="white")
    for place, value in zip(middle, risk[order], strict=True):
        ax.annotate(f"{value:.2f}", (value, place), xytext=(3, 0), textcoords="offset points", va="center")
    mean = float(average_cap(SMOKERS, RELEASE))
    ax.plot([mean, mean], [0, 100], color="#000000", linestyle="--")
    ax.annotate(f"average CAP {mean:.3f}", (mean, -7), ha="center", va="center")
    ax.set(xlim=(0, 1), ylim=(100, -14), xlabel="individual CAP")
    ax.set_yticks(middle, [names[cell] for cell in order])
    ax.spines[["right", "top"]].set_visible(False)


def baselines(ax: Axes) -> None:
    """Average CAP of the smokers' release and of the original, and what is guessed without a key."""
    marks = {
        "a coin (uniform)": ("s", baseline_cap(SMOKERS, kind="uniform")),
        "the shares (marginal)": ("s", baseline_cap(SMOKERS)),
        "the original itself": ("o", average_cap(SMOKERS, SMOKERS)),
        "the release": ("o", average_cap(SMOKERS, RELEASE)),
        "always healthy (modal)": ("s", baseline_cap(SMOKERS, kind="modal")),
    }
    for row, (marker, value) in enumerate(marks.values()):
        ax.plot(float(value), row, marker, color="#D55E00" if marker == "o" else "#0072B2", markersize=9)
        ax.annotate(f"{float(value):.3f}", (float(value), row), xytext=(9, 0), textcoords="offset points", va="center")
    ax.set(xlim=(0.45, 0.85), ylim=(4.6, -0.6), xlabel="right guesses (circles: with key)")
    ax.set_yticks(range(len(marks)), list(marks))
    ax.grid(axis="y", color="#dddddd")
    ax.set_axisbelow(True)
    ax.spines[["left", "right", "top"]].set_visible(False)


def attainable(ax: Axes) -> None:
    """Least and greatest average CAP of all releases, and of those that keep more and more of the smokers' release."""
    keys, targets = np.sum(RELEASE, 0), np.sum(RELEASE, 1)
    near = frontier(SMOKERS, distances=target_distance(SMOKERS, RELEASE))
    fixed, both = cap_bounds(SMOKERS, key_totals=keys), cap_bounds(SMOKERS, key_totals=keys, target_totals=targets)
    ranges = {
        "any release": (minimum_cap(SMOKERS), maximum_cap(SMOKERS)),
        "with its key totals": (fixed.least, fixed.greatest),
        "no further from\nthe original": (near.least, near.greatest),
        "with its totals of\nkeys and targets": (both.least, both.greatest),
    }
    for row, (least, greatest) in enumerate(ranges.values()):
        ax.plot([float(least), float(greatest)], [row, row], color="#0072B2", linewidth=7, solid_capstyle="butt")
        for end, side, align in ((float(least), -4, "right"), (float(greatest), 4, "left")):
            ax.annotate(f"{end:.3f}", (end, row), xytext=(side, 0), textcoords="offset points", ha=align, va="center")
    release = float(average_cap(SMOKERS, RELEASE))
    ax.axvline(release, color="#D55E00", linestyle="--")
    beside = {"xytext": (-4, 0), "textcoords": "offset points", "ha": "right", "va": "center", "color": "#A04000"}
    ax.annotate(f"the release: {release:.3f}", (release, -0.75), **beside)
    ax.set(xlim=(-0.18, 0.98), ylim=(3.5, -1.1), xlabel="average CAP")
    ax.set_yticks(range(len(ranges)), list(ranges))
    ax.spines[["left", "right", "top"]].set_visible(False)


def certainty(ax: Axes) -> None:
    """How many of the hundred people are guessed right by an intruder who guesses from a share of tau on."""
    shares = np.divide(RELEASE, np.sum(RELEASE, axis=0)).max(0)
    ends = [0.5, *np.sort(shares), 1]
    values = [float(tcap(SMOKERS, RELEASE, variant="all", tau=tau)) for tau in ends[1:]]
    ax.stairs(values, ends, baseline=None, color="#0072B2", linewidth=3)
    for start, end, value, words in zip(ends, ends[1:], values, ("everybody", "others", "nobody"), strict=False):
        ax.annotate(f"{words}:\n{value:.2f}", ((start + end) / 2, value), xytext=(0, 5), textcoords="offset points", ha="center")
    ax.set(xlim=(0.5, 1), ylim=(-0.03, 1), yticks=[0, 0.5, 1], ylabel="guessed right (TCAP)")
    ax.set_xlabel("share that the intruder requires")
    ax.spines[["right", "top"]].set_visible(False)


def columns(ax: Axes) -> None:
    """Average CAP of the voters for every subset of the two key columns."""
    voters = example("anes96")
    tables = {name: voters[name] for name in ("original", "synthetic", "keys", "counts")}
    found = sweep(**tables, targets=voters["target"], allow_same=True, measures="average_cap_zero")
    values = [found.without_keys.item(), *found.value.values.ravel()]
    ax.barh(range(4), values, color=["#999999", "#56B4E9", "#E69F00", "#0072B2"])
    for row, value in enumerate(values):
        ax.annotate(f"{value:.3f}", (value, row), xytext=(3, 0), textcoords="offset points", va="center")
    ax.set(xlim=(0, 0.95), ylim=(3.5, -0.5), xlabel="average CAP of 944 voters")
    ax.set_yticks(range(4), ["no key", "education", "party", "both"])
    ax.spines[["right", "top"]].set_visible(False)


def models(ax: Axes) -> None:
    """Mean and two standard deviations of average CAP under four models of a hundred records, and the smokers' release."""
    drawn = {
        "all tables equally likely": Uniform(100),
        "from the margins": Independent(100),
        "from the smoothed original": Dirichlet(100, alpha=1),
        "from the original": Bootstrap(100),
    }
    for row, (name, model) in enumerate(drawn.items()):
        mean, error = float(expected_cap(SMOKERS, model)), float(variance_cap(SMOKERS, model)) ** 0.5
        ax.errorbar(mean, row, xerr=2 * error, fmt="o", color="#0072B2", capsize=5, linewidth=2)
        ax.annotate(f"{name}: {mean:.3f}", (0.22, row - 0.4), va="center")
    release = float(average_cap(SMOKERS, RELEASE))
    ax.axvline(release, color="#D55E00", linestyle="--")
    ax.annotate(f"the release: {release:.3f}", (release, 3.5), xytext=(6, 0), textcoords="offset points", color="#A04000")
    ax.set(xlim=(0.22, 0.85), ylim=(3.7, -0.8), yticks=[], xlabel="average CAP: mean and two standard deviations")
    ax.spines[["left", "right", "top"]].set_visible(False)


def perturbation(ax: Axes) -> None:
    """Mean of average CAP, with two standard deviations, when targets of the smokers' table are swapped; the number for a mean of .65."""
    swapped = np.arange(1, 101)
    mean = np.array([float(expected_cap(SMOKERS, Swap(records=int(records)))) for records in swapped])
    error = np.array([float(variance_cap(SMOKERS, Swap(records=int(records)))) ** 0.5 for records in swapped])
    ax.fill_between(swapped, mean - 2 * error, mean + 2 * error, color="#0072B2", alpha=0.2, linewidth=0)
    ax.plot(swapped, mean, color="#0072B2", linewidth=2.5)
    wanted = 0.65
    records = int(calibrate(SMOKERS, Swap, risk=wanted).records)
    ax.plot([1, records, records], [wanted, wanted, 0.57], color="#D55E00", linestyle="--")
    ax.annotate(f"{records} records for {wanted:.3f}", (records, 0.57), xytext=(6, 6), textcoords="offset points", color="#A04000")
    ax.annotate(f"CAP(O) {mean[0]:.3f}", (1, mean[0]), xytext=(4, 12), textcoords="offset points")
    ax.annotate(f"baseline {mean[-1]:.3f}", (100, mean[-1]), xytext=(-4, -17), textcoords="offset points", ha="right")
    ax.set(xlim=(1, 100), ylim=(0.57, 0.7), xlabel="swapped records", ylabel="average CAP")
    ax.spines[["right", "top"]].set_visible(False)


def limit_law(ax: Axes) -> None:
    """Density of average CAP of the smokers' table over all releases, in the limit; what lies above the average CAP of the original."""
    law, original = cap_law(SMOKERS, Uniform()), float(average_cap(SMOKERS, SMOKERS))
    x = np.linspace(0.2, 0.8, 601)
    density = law.density(x).greatest.values
    ax.plot(x, density, color="#0072B2", linewidth=2.5)
    ax.fill_between(x, density, where=x >= original, color="#D55E00", alpha=0.5, linewidth=0)
    share = float(law.cdf(original).least)
    ax.axvline(original, color="#D55E00", linestyle="--")
    ax.annotate(
        f"CAP(O) {original:.3f}:\nabove it {1 - share:.3f}", (original, 2.1), xytext=(6, 0), textcoords="offset points", color="#A04000"
    )
    ax.annotate(f"no riskier\nthan the original:\n{share:.3f}", (0.5, 0.6), ha="center")
    ax.set(xlim=(0.2, 0.85), ylim=(0, 2.8), xlabel="average CAP", ylabel="density")
    ax.spines[["right", "top"]].set_visible(False)


def law(ax: Axes) -> None:
    """Distribution functions of average CAP of the smokers' table over all releases of ten and of a hundred records, and in the limit."""
    original, x = float(average_cap(SMOKERS, SMOKERS)), np.linspace(0, 0.8, 1601)
    for m, color, style in ((10, "#E69F00", "-"), (100, "#0072B2", "-"), (None, "#000000", ":")):
        found = cap_law(SMOKERS, Uniform(m))
        name = "limit" if m is None else f"{m} records"
        label = f"{name}: {float(found.cdf(original).least):.3f}"
        ax.step(x, found.cdf(x).least, where="post", color=color, linestyle=style, linewidth=2, label=label)
    ax.axvline(original, color="#D55E00", linestyle="--")
    ax.annotate(f"CAP(O) {original:.3f}", (original, 0.05), xytext=(-6, 0), textcoords="offset points", ha="right", color="#A04000")
    ax.legend(loc="upper left", frameon=False, title="at most CAP(O)", alignment="left")
    ax.set(xlim=(0, 0.8), ylim=(0, 1.02), xlabel="average CAP", ylabel="share of releases")
    ax.spines[["right", "top"]].set_visible(False)


def publication_(ax: Axes) -> None:
    """Average CAP of the voters: the exact number, and the multiples of the step, of which the public report prints one."""
    found = audit(**example("anes96"))
    exact, public = found.measures.average_cap_zero.item(), publication(found, threshold=10)
    (printed,) = public.shares["average_cap_zero"]
    steps = [k / public.steps for k in range(29, 35)]
    ax.plot(steps, [0] * len(steps), "|", color="#555555", markersize=22)
    ax.plot(exact, 0, "o", color="#D55E00", markersize=9)
    ax.annotate(f"internal: {exact:.3f}", (exact, 0), xytext=(0, 34), textcoords="offset points", ha="left", color="#A04000")
    ax.annotate(f"public: {printed:.3f}", (printed, 0), xytext=(0, -40), textcoords="offset points", ha="right", color="#0072B2")
    ax.plot(printed, 0, "|", color="#0072B2", markersize=30, markeredgewidth=4)
    ax.set(xlim=(0.72, 0.855), ylim=(-1, 1), yticks=[], xlabel=f"average CAP; public: multiples of 1/{public.steps}")
    ax.spines[["left", "right", "top"]].set_visible(False)


def attacks(ax: Axes) -> None:
    """Average CAP of the smokers' release for an attacker who adds records to each cell."""
    added = np.geomspace(0.1, 10_000, 101)
    ax.semilogx(added, [float(average_cap(SMOKERS, np.array(RELEASE) + alpha)) for alpha in added], color="#0072B2", linewidth=2.5)
    for value, words in ((float(average_cap(SMOKERS, RELEASE)), "CAP: no record added"), (0.5, "a coin")):
        ax.axhline(value, color="#555555", linestyle="--", linewidth=1)
        ax.annotate(f"{words}, {value:.3f}", (0.1, value), xytext=(4, 4), textcoords="offset points")
    ax.set(xlabel="records that the attacker adds to each cell", ylabel="average CAP", ylim=(0.47, 0.73))
    ax.spines[["right", "top"]].set_visible(False)


def individuals(ax: Axes) -> None:
    """Average CAP of voters in the data and of others, guessed from a copy of the data and from a fresh sample, with intervals."""
    voters = anes96().sample(frac=1, random_state=0).groupby(np.arange(944) % 3)
    people, others, fresh = (part for _, part in list(voters))
    for row, (name, release) in enumerate({"a copy of the data": people, "a fresh sample": fresh}.items()):
        t = tabulate(people, release, holdout=others, keys=["PID", "income"], target="vote")
        for shift, who, table, color in ((0, "in the data", t.o, "#D55E00"), (0.25, "others", t.h, "#0072B2")):
            found = average_cap_interval(table, t.s)
            ax.plot([found.lower, found.upper], [row + shift] * 2, color=color, linewidth=2)
            ax.plot(found.estimate, row + shift, "o", color=color, markersize=8)
            words = f"{who}: {found.estimate.item():.2f}"
            ax.annotate(words, (found.upper.item(), row + shift), xytext=(6, 0), textcoords="offset points", va="center", color=color)
        ax.annotate(f"guessed from {name}", (0.64, row - 0.25), va="center")
    ax.set(xlim=(0.64, 1.02), ylim=(1.5, -0.5), yticks=[], xlabel="average CAP of the vote")
    ax.spines[["left", "right", "top"]].set_visible(False)


def guarantees(ax: Axes) -> None:
    """The greatest probability of a right guess about one person under differential privacy, for two priors."""
    epsilon = np.linspace(0, 3, 121)
    curves = (
        ([0.75, 0.25], "three in four\nare healthy", (0.04, 0.82), "#0072B2", 6),
        ([0.5, 0.5], "one in two", (1.18, 0.66), "#D55E00", 2),
    )
    for prior, words, at, color, width in curves:
        ax.plot(epsilon, dp_bound(prior, epsilon).bound, color=color, linewidth=width)
        ax.annotate(words, at, color=color, va="center")
    ax.axvline(np.log(3), color="#555555", linestyle="--", linewidth=1)
    ax.annotate("ln 3", (np.log(3), 0.52), xytext=(4, 0), textcoords="offset points", va="center")
    ax.set(xlabel="epsilon", ylabel="right guesses, at most", xlim=(0, 3), ylim=(0.48, 1.0))
    ax.spines[["right", "top"]].set_visible(False)


def anonymity(ax: Axes) -> None:
    """What each model of anonymity of the smokers' release says of average CAP, and average CAP itself."""
    bounds = anonymity_bounds(RELEASE, crossed=baseline_cap(SMOKERS, RELEASE, kind="crossed"))
    rows = bounds.sizes["model"] + 1
    ax.hlines(
        range(rows), [*bounds.least_by_model, bounds.least], [*bounds.greatest_by_model, bounds.greatest], color="#0072B2", linewidth=7
    )
    models = [f"{name} = {round(value, 3):g}" for name, value in zip(bounds.model.values, bounds.value.values, strict=True)]
    ax.set_yticks(range(rows), [*models, "sharp"])
    value = float(average_cap(SMOKERS, RELEASE))
    ax.axvline(value, color="#D55E00", linewidth=2)
    ax.annotate(f"{value:.3f}", (value, -0.6), xytext=(4, 0), textcoords="offset points", color="#A04000", va="center")
    ax.set(xlim=(0, 1), ylim=(5.5, -1), xlabel="average CAP")
    ax.spines[["left", "right", "top"]].set_visible(False)


def population(ax: Axes) -> None:
    """How probably a voter who is unique in a random sample is unique among all voters, and what models estimate from one such sample."""
    voters, key = anes96().sample(frac=1, random_state=1), {"keys": ["age", "educ", "PID"], "target": "vote", "bins": {"age": [29, 44, 64]}}
    classes, people = tabulate(voters, **key).o.sum("target"), len(voters)
    sizes = np.arange(1, people + 1)
    alone = hypergeom.pmf(1, people, classes.values[:, None], sizes).sum(0)  # expected uniques of a sample of each size
    ax.plot(sizes / people, (classes == 1).sum().item() * sizes / people / alone, color="#000000", linewidth=2.5, label="truth")
    names = {"pitman": ("o", "#0072B2"), "zayatz": ("s", "#D55E00"), "snb": ("^", "#E69F00"), "loglinear": ("D", "#56B4E9")}
    for name, (marker, color) in names.items():
        for share in (0.1, 0.3, 0.5, 0.7, 0.9):
            o = tabulate(voters[: round(share * people)], **key).o
            found = population_uniqueness(o, population_size=people, model=name).probability
            ax.plot(share, found, marker, color=color, label=name if share == 0.1 else None)
    ax.legend(loc="upper left", frameon=False, handletextpad=0.3, labelspacing=0.2)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="share of the voters in the sample", ylabel="uniques that stay unique")
    ax.spines[["right", "top"]].set_visible(False)


DRAWN: dict[str, Callable[[Axes], None]] = {
    function.__name__.strip("_").replace("_", "-"): function
    for function in (
        cap,
        baselines,
        attainable,
        models,
        perturbation,
        limit_law,
        law,
        individuals,
        guarantees,
        anonymity,
        certainty,
        columns,
        population,
        attacks,
        publication_,
    )
}


def picture(chapter: str) -> str:
    """The picture of a chapter as SVG."""
    with mpl.rc_context(mpl.rcParamsDefault | {"backend": "Agg", "font.size": 12}):
        _, ax = plt.subplots(figsize=(4.8, 3), layout="constrained")  # text readable in a column of a phone
        DRAWN[chapter](ax)
        return inline_svg(ax, prefix=chapter) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWN:
        (FOLDER / f"{name}.svg").write_text(picture(name), encoding="utf-8")
