"""Text and figures of the public version of a report, made of rounded numbers alone."""

from __future__ import annotations

import numpy as np
import xarray as xr

from capstats.auditing.measures import definitions
from capstats.auditing.publication import BANDS, OF_ORIGINAL, STEPS, Publication
from capstats.auditing.report import Block, Facts, Grid, Picture, Sections, as_page, as_text
from capstats.codes.names import listed, named
from capstats.tables.printing import count

HEADS = {  # measures of each release -> heading of a column
    "average_cap": "average CAP",
    "holdout_cap": "holdout",
    "individual_disclosure": "difference to holdout",
    "difference": "difference to {against}",
}


def public_page(p: Publication) -> str:
    """The page, of the rounded numbers alone."""
    return as_page(public_title(p), public_sections(p), note=public_note(p), footer=f"capstats {p.version}, public version.")


def public_text(p: Publication) -> str:
    """The same for a terminal."""
    return as_text(public_title(p), {"Read this first": [public_note(p)], **public_sections(p)})


def public_title(p: Publication) -> str:
    """The heading of the page."""
    return f"Disclosure risk of {'the released table' if p.releases == 1 else f'{p.releases} released tables'}"


def public_note(p: Publication) -> str:
    """What the page is, below its heading."""
    return (
        f"Public version. Numbers of {_people(p)} are rounded to multiples of {p.base} and shares to multiples of {_step(p)}, so that no "
        f"printed number, and no sum or difference of them, stands for 1 to {p.threshold - 1} records.{_why_coarse(p)} It judges nothing."
    )


def _why_coarse(p: Publication) -> str:
    """A sentence where records of one weight each would have a finer step; said of printed numbers alone."""
    fewest = min(people - p.base // 2 for people in (p.people, p.holdout or p.people))  # they are rounded
    finer = next((steps for steps in STEPS if p.weighted and _at_least(p) * steps <= fewest), 0)
    return (
        f" Unequal weights make the shares so coarse: {_at_least(p)} records must be at most one step, however large a part of the "
        f"weight they may have. Without weights, multiples of {1 / finer:g} would do."
        if finer > p.steps
        else ""
    )


def _at_least(p: Publication) -> int:
    """How many records a step is at least."""
    return 2 * p.threshold * p.releases


def public_sections(p: Publication) -> Sections:
    """The sections of the page."""
    found: dict[str, list[Block]] = {
        "What was compared": [_compared(p)],
        "Who could attack, and how": _attack(p),
        "The answer": _answer(p),
        "Matched people": _matched(p),
        "Distribution of the risk": _distribution(p),
        "Left out": _left_out(p),
        "Definitions": [definitions(p.shares, _weighted(p))],
        "How it was computed": [_computed(p)],
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def _step(p: Publication) -> str:
    return f"{1 / p.steps:g}"


def _share(p: Publication, value: float, name: str = "") -> str:
    """A share with the digits of the step; one that is cut off at the top is said to be."""
    text = f"{value + 0.0:.{len(_step(p)) - 2}f}"  # + 0.0: no minus before 0
    return f"at least {text}" if name in OF_ORIGINAL and value >= 1 - 1 / p.steps else text


def _error(p: Publication, name: str, i: int) -> float:
    """A bound of the standard error of an average, from printed numbers: numbers in [0, 1] with mean a have variance at most a(1 - a).

    The exact mean is less than a step from the printed one.
    """
    people = (p.holdout if name == "holdout_cap" else p.people) - p.base // 2 - 1
    mean = min(max(0.5, p.shares[name][i] - 1 / p.steps), p.shares[name][i] + 1 / p.steps)
    return float(np.sqrt(mean * (1 - mean) / people))


def _at_most(error: float) -> str:
    """A bound, rounded up."""
    return f"at most {np.ceil(error * 1000) / 1000:.3f}"


def _one(p: Publication, name: str, i: int = 0) -> str:
    return _share(p, p.shares[name][i], name)


def _people(p: Publication) -> str:
    return "records" if p.weighted else "people"


def _of(p: Publication) -> str:
    return "weighted share" if p.weighted else "share"


def _releases(p: Publication) -> list[str]:
    return [f"release {i}" for i in range(1, p.releases + 1)]


def _compared(p: Publication) -> Facts:
    rows = [
        ("original", f"about {count(p.people)} confidential records"),
        ("released", "one synthetic table" if p.releases == 1 else f"{p.releases} synthetic tables, in the order in which they were given"),
        *([("holdout", f"about {count(p.holdout)} records of the same population that were not used for synthesis")] if p.holdout else []),
        ("known (keys)", ", ".join(map(named, p.keys))),
        ("guessed (target)", ", ".join(map(named, p.target))),
        ("missing values", "count as a value of their own" if p.missing == "level" else "records with a missing value are left out"),
        *([("weights", "records count by their sampling weights in every share")] if p.weighted else []),
    ]
    return Facts(rows)


def _weighted(p: Publication) -> list[str]:
    return [*(["original"] if p.weighted else []), *(["synthetic"] if p.weighted_release else [])]


def _attack(p: Publication) -> list[Block]:
    pick = "with probability proportional to its weight" if p.weighted_release else "at random"
    return [
        f"Somebody knows {listed(list(map(named, p.keys)))} of a person who is in the original, and wants to know "
        f"{listed(list(map(named, p.target)))}. They look up the released records with the same keys, pick one of them {pick}, and take "
        f"its target for the person's. The attack needs the released table and no other knowledge."
    ]


def _answer(p: Publication) -> list[Block]:
    first = (
        f"Average CAP is the {_of(p)} of {_people(p)} in the original for whom the guess is expected to be right. A guess from the "
        f"frequencies of the target in the original, without any key, is right for a {_of(p)} of {_one(p, 'baseline')} (baseline). If the "
        f"original itself were released, the {_of(p)} would be {_one(p, 'original_cap')}."
    )
    if p.releases > 1:
        return [first, _comparison(p)]
    told: list[Block] = [
        f"With the released table, the guess is expected to be right for a {_of(p)} of {_one(p, 'average_cap')} (average CAP).",
        first,
    ]
    if not p.weighted:
        told.append(f"The standard error of average CAP is {_at_most(_error(p, 'average_cap', 0))}.")
    if "holdout_cap" in p.shares:
        both = float(np.hypot(_error(p, "average_cap", 0), _error(p, "holdout_cap", 0)))
        told.append(
            f"Of the {_people(p)} not used for synthesis, the guess is right for a {_of(p)} of {_one(p, 'holdout_cap')}. Where they are a "
            f"random part of the same population, the difference, {_difference(p, 'holdout_cap', 0)}"
            f"{'' if p.weighted else f' (standard error {_at_most(both)})'}, is about individuals; "
            f"the rest is inference about the population."
        )
    return told


def _difference(p: Publication, other: str, i: int, j: int | None = None) -> str:
    """Average CAP minus another printed share: a difference of what is printed, which says nothing more."""
    steps = round(p.shares["average_cap"][i] * p.steps) - round(p.shares[other][i if j is None else j] * p.steps)
    return _share(p, steps / p.steps)


def _comparison(p: Publication) -> Grid:
    columns: dict[str, list[str]] = {}
    for name in HEADS:
        if name == "individual_disclosure" and "holdout_cap" in p.shares:
            columns[name] = [_difference(p, "holdout_cap", i) for i in range(p.releases)]
        elif name == "difference" and p.against is not None:
            columns[name] = [_difference(p, "average_cap", i, p.against) for i in range(p.releases)]
        elif name in p.shares:
            columns[name] = [_share(p, x) for x in p.shares[name]]
    against = "" if p.against is None else f"release {p.against + 1}"
    rows = [[label, *cells] for label, *cells in zip(_releases(p), *columns.values(), strict=True)]
    return Grid(
        ["release", *(HEADS[name].format(against=against) for name in columns)],
        rows,
        f"Average CAP of each release (rounded to {_step(p)})",
    )


def _by_release(p: Publication, names: dict[str, str], caption: str) -> list[Block]:
    """Measures as rows of one release, or as columns of several."""
    names = {name: text for name, text in names.items() if name in p.shares}
    if p.releases == 1:
        return [Grid(["", "share"], [[text, _one(p, name)] for name, text in names.items()], caption)]
    rows = [[label, *(_one(p, name, i if len(p.shares[name]) > 1 else 0) for name in names)] for i, label in enumerate(_releases(p))]
    return [Grid(["release", *names.values()], rows, caption)]


def _matched(p: Publication) -> list[Block]:
    what = f"{_of(p)} of {_people(p)} whose keys are in the released table"
    return _by_release(p, {"matched_share": what}, f"{_people(p).capitalize()} for whom the attack finds a released record")


def _distribution(p: Publication) -> list[Block]:
    names = {
        "share_above_half": "guessed right with probability above 0.5",
        "share_above_nine_tenths": "guessed right with probability above 0.9",
        "share_certain": "guessed right with certainty (DiSCO)",
    }
    blocks = _by_release(p, names, f"{_of(p).capitalize()} of {_people(p)}, by how surely they are guessed right")
    return [*blocks, _curve(p)]


def _curve(p: Publication) -> Picture:
    """The share of people whose individual CAP is at most a value, as the rounded numbers give it."""
    from capstats.plotting.curves import plot_cap_ecdf
    from capstats.plotting.inline import inline_svg

    ecdf = xr.DataArray(p.below, dims=("at", "synthetic"), coords={"at": BANDS, "synthetic": _releases(p)}, attrs={"records": p.people})
    one = p.releases == 1
    ax = plot_cap_ecdf(
        ecdf.isel(synthetic=0, drop=True) if one else ecdf,
        average=p.shares["average_cap"] if one else None,
        original=p.shares["original_cap"][0],
        baseline=p.shares["baseline"][0],
    )
    told = "; ".join(
        f"{label}: " + ", ".join(f"{_share(p, p.below[k, i])} at most {BANDS[k]:g}" for k in (0, 5, 10, 15, 20))
        for i, label in enumerate(_releases(p))
    )
    alt = f"Step curve of rounded shares. {told}."
    caption = (
        f"{_of(p).capitalize()} of {_people(p)} whose CAP is at most the value on the horizontal axis, at steps of 0.05 and {_step(p)}."
    )
    return Picture(inline_svg(ax, prefix="distribution", alt=alt), alt, caption)


def _left_out(p: Publication) -> list[Block]:
    return [
        f"Results by value of the target and by column, single people, unique {_people(p)}, keys, values of columns, least and greatest "
        f"results, attainable bounds, measures of use, certain attribution in the original itself, certain and wrong guesses, warnings of "
        f"labels that do not match and all settings are in the internal version only."
    ]


def _computed(p: Publication) -> Facts:
    return Facts(
        [
            ("version", f"capstats {p.version}"),
            ("convention", f"{_people(p)} whose keys no released record has count as never guessed right"),
            ("numbers", f"numbers of {_people(p)} are rounded to multiples of {p.base}"),
            (
                "shares",
                f"shares are rounded to multiples of {_step(p)}; one step is at least {_at_least(p)} {_people(p)}. Differences are "
                f"those of the rounded shares. The baseline and the share of the original itself are not given closer to 1 than one step.",
            ),
            (
                "averages",
                "average CAP is computed from the rounded shares of the distribution and rounded again: it is within one step",
            ),
            *([] if p.weighted else [("errors", "bounds of standard errors are computed from the printed numbers")]),
            (
                "guarantee",
                "theory/public-report.md in the documentation of capstats states what this rounding promises, and what it does not",
            ),
        ]
    )
