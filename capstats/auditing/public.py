"""Text and figures of the public version of a report, made of rounded numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from capstats.auditing.measures import MEASURES, definitions, words
from capstats.auditing.publication import BANDS, OF_ORIGINAL, STEPS, Publication
from capstats.auditing.report import Block, Facts, Grid, Picture, Sections, as_page, as_text
from capstats.codes.names import listed, named
from capstats.tables.printing import count


def public_page(p: Publication) -> str:
    """The page, of the rounded numbers alone."""
    return as_page(public_title(p), public_sections(p), note=public_note(p), footer=f"capstats {p.version}, public version.")


def write_public(path: str | Path, page: str) -> None:
    """Write a page, which others may read."""
    Path(path).write_text(page, encoding="utf-8", newline="\n")


def public_text(p: Publication) -> str:
    """The same for a terminal."""
    return as_text(public_title(p), {"Read this first": [public_note(p)], **public_sections(p)})


def public_title(p: Publication) -> str:
    """The heading of the page."""
    return f"Disclosure risk of {'the released table' if p.releases == 1 else f'{p.releases} released tables'}"


def public_note(p: Publication) -> str:
    """What the page is, below its heading."""
    fewest = min(people - p.base // 2 for people in (p.people, p.holdout or p.people))  # they are rounded
    finer = next((steps for steps in STEPS if p.weighted and _at_least(p) * steps <= fewest), 0)  # steps of records of one weight
    coarse = ""
    if finer > p.steps:
        coarse = (
            f" Unequal weights make the shares so coarse: {_at_least(p)} records must be at most one step, however large a part of the "
            f"weight they may have. Without weights, multiples of {1 / finer:g} would do."
        )
    return (
        f"Public version. Numbers of {_words(p)['people']} are rounded to multiples of {p.base} and shares to multiples of {_step(p)}, so "
        f"that no printed number, and no sum or difference of them, stands for 1 to {p.threshold - 1} records.{coarse} It judges nothing."
    )


def public_sections(p: Publication) -> Sections:
    """The sections of the page."""
    w, keys, target = _words(p), listed(list(map(named, p.keys))), listed(list(map(named, p.target)))
    share, people = w["share"], w["people"]
    pick = "with probability proportional to its weight" if p.weighted_release else "at random"
    surely = ("share_above_half", "share_above_nine_tenths", "share_certain")
    return {
        "What was compared": [_compared(p)],
        "Who could attack, and how": [
            f"Somebody knows {keys} of a person who is in the original, and wants to know {target}. They look up the released records with "
            f"the same keys, pick one of them {pick}, and take its target for the person's. The attack needs the released table and no "
            f"other knowledge."
        ],
        "The answer": _answer(p),
        "Matched people": [_grid(p, ["matched_share"], f"{people.capitalize()} for whom the attack finds a released record")],
        "Distribution of the risk": [
            _grid(p, surely, f"{share.capitalize()} of {people}, by how surely they are guessed right"),
            _curve(p),
        ],
        "Left out": [
            f"Results by value of the target and by column, single people, unique {people}, keys, values of columns, least and greatest "
            f"results, attainable bounds, measures of use, certain attribution in the original itself, certain and wrong guesses, warnings "
            f"of labels that do not match and all settings are in the internal version only."
        ],
        "Definitions": [definitions(p.shares, _weighted(p))],
        "How it was computed": [_computed(p)],
    }


def _weighted(p: Publication) -> list[str]:
    return [*(["original"] if p.weighted else []), *(["synthetic"] if p.weighted_release else [])]


def _words(p: Publication) -> dict[str, str]:
    return words(_weighted(p))


def _at_least(p: Publication) -> int:
    """How many records a step is at least."""
    return 2 * p.threshold * p.releases


def _step(p: Publication) -> str:
    return f"{1 / p.steps:g}"


def _share(p: Publication, value: float, name: str = "") -> str:
    """A share with the digits of the step; one that is cut off at the top is said to be."""
    text = f"{value + 0.0:.{len(_step(p)) - 2}f}"  # + 0.0: no minus before 0
    return f"at least {text}" if name in OF_ORIGINAL and value >= 1 - 1 / p.steps else text


def _error(p: Publication, name: str) -> float:
    """A bound of the standard error of an average, from printed numbers: numbers in [0, 1] with mean a have variance at most a(1 - a).

    The exact mean is less than a step from the printed one.
    """
    people = (p.holdout if name == "holdout_cap" else p.people) - p.base // 2 - 1
    mean = min(max(0.5, p.shares[name][0] - 1 / p.steps), p.shares[name][0] + 1 / p.steps)
    return float(np.sqrt(mean * (1 - mean) / people))


def _at_most(error: float) -> str:
    """A bound, rounded up."""
    return f"at most {np.ceil(error * 1000) / 1000:.3f}"


def _releases(p: Publication) -> list[str]:
    return [f"release {i}" for i in range(1, p.releases + 1)]


def _compared(p: Publication) -> Facts:
    rows = [
        ("original", f"about {count(p.people)} confidential records"),
        ("released", "one synthetic table" if p.releases == 1 else f"{p.releases} synthetic tables, in the order in which they were given"),
        ("holdout", f"about {count(p.holdout)} records of the same population that were not used for synthesis" if p.holdout else ""),
        ("known (keys)", ", ".join(map(named, p.keys))),
        ("guessed (target)", ", ".join(map(named, p.target))),
        ("missing values", "count as a value of their own" if p.missing == "level" else "records with a missing value are left out"),
        ("weights", "records count by their sampling weights in every share" if p.weighted else ""),
    ]
    return Facts([(name, text) for name, text in rows if text])


def _answer(p: Publication) -> list[Block]:
    share, people = _words(p)["share"], _words(p)["people"]
    shown = {name: _share(p, values[0], name) for name, values in p.shares.items()}
    meaning = (
        f"Average CAP is the {share} of {people} in the original for whom the guess is expected to be right. A guess from the frequencies "
        f"of the target in the original, without any key, is right for a {share} of {shown['baseline']} (baseline). If the original itself "
        f"were released, the {share} would be {shown['original_cap']}."
    )
    if p.releases > 1:
        return [meaning, _comparison(p)]
    sentences: list[Block] = [
        f"With the released table, the guess is expected to be right for a {share} of {shown['average_cap']} (average CAP).",
        meaning,
    ]
    if not p.weighted:
        sentences.append(f"The standard error of average CAP is {_at_most(_error(p, 'average_cap'))}.")
    if "holdout_cap" in p.shares:
        both = float(np.hypot(_error(p, "average_cap"), _error(p, "holdout_cap")))
        sentences.append(
            f"Of the {people} not used for synthesis, the guess is right for a {share} of {shown['holdout_cap']}. Where they are a random "
            f"part of the same population, the difference, {_differences(p, p.shares['holdout_cap'])[0]}"
            f"{'' if p.weighted else f' (standard error {_at_most(both)})'}, is about individuals; the rest is inference about the "
            f"population."
        )
    return sentences


def _differences(p: Publication, others: Sequence[float]) -> list[str]:
    """Average CAP minus another printed share: differences of what is printed, which say nothing more."""
    pairs = zip(p.shares["average_cap"], others, strict=True)
    return [_share(p, (round(value * p.steps) - round(other * p.steps)) / p.steps) for value, other in pairs]


def _comparison(p: Publication) -> Grid:
    columns = {name: [_share(p, x) for x in p.shares[name]] for name in ("average_cap", "holdout_cap") if name in p.shares}
    if "holdout_cap" in p.shares:
        columns["individual_disclosure"] = _differences(p, p.shares["holdout_cap"])
    if p.against is not None:
        columns["difference"] = _differences(p, [p.shares["average_cap"][p.against]] * p.releases)
    against = "" if p.against is None else f"release {p.against + 1}"
    heads = [MEASURES[name].public.format(against=against) for name in columns]
    rows = list(map(list, zip(_releases(p), *columns.values(), strict=True)))
    return Grid(["release", *heads], rows, f"Average CAP of each release (rounded to {_step(p)})")


def _grid(p: Publication, names: Sequence[str], caption: str) -> Grid:
    """Measures as rows of one release, or as columns of several."""
    texts = [MEASURES[name].public.format(**_words(p)) for name in names]
    columns = [[_share(p, x) for x in p.shares[name]] for name in names]
    if p.releases == 1:
        return Grid(["", "share"], [[text, column[0]] for text, column in zip(texts, columns, strict=True)], caption)
    return Grid(["release", *texts], list(map(list, zip(_releases(p), *columns, strict=True))), caption)


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
    values = "; ".join(
        f"{label}: " + ", ".join(f"{_share(p, p.below[k, i])} at most {BANDS[k]:g}" for k in (0, 5, 10, 15, 20))
        for i, label in enumerate(_releases(p))
    )
    alt = f"Step curve of rounded shares. {values}."
    caption = (
        f"{_words(p)['share'].capitalize()} of {_words(p)['people']} whose CAP is at most the value on the horizontal axis, at steps of "
        f"0.05 and {_step(p)}."
    )
    return Picture(inline_svg(ax, prefix="distribution", alt=alt), alt, caption)


def _computed(p: Publication) -> Facts:
    people = _words(p)["people"]
    rows = [
        ("version", f"capstats {p.version}"),
        ("convention", f"{people} whose keys no released record has count as never guessed right"),
        ("numbers", f"numbers of {people} are rounded to multiples of {p.base}"),
        (
            "shares",
            f"shares are rounded to multiples of {_step(p)}; one step is at least {_at_least(p)} {people}. Differences are those of the "
            f"rounded shares. The baseline and the share of the original itself are not given closer to 1 than one step.",
        ),
        ("averages", "average CAP is computed from the rounded shares of the distribution and rounded again: it is within one step"),
        ("errors", "" if p.weighted else "bounds of standard errors are computed from the printed numbers"),
        ("guarantee", "theory/public-report.md in the documentation of capstats states what this rounding promises, and what it does not"),
    ]
    return Facts([(name, text) for name, text in rows if text])
