"""Text and figures of the public version of a report, made of rounded numbers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from capstats.auditing.measures import MEASURES, SENTENCES, definitions, words
from capstats.auditing.publication import BANDS, OF_ORIGINAL, STEPS, Publication
from capstats.auditing.report import Block, Facts, Grid, Picture, Sections, as_page, as_text
from capstats.codes.names import listed, named
from capstats.tables.printing import count

TEXT = SENTENCES["public"]


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
    fewest = min(people - p.base // 2 for people in (p.people, p.holdout or p.people))  # they are rounded
    finer = next((steps for steps in STEPS if p.weighted and _at_least(p) * steps <= fewest), 0)  # steps of records of one weight
    coarse = f" {_say(p, TEXT['coarse'], finer=f'{1 / finer:g}')}" if finer > p.steps else ""
    return _say(p, TEXT["note"], coarse=coarse)


def public_sections(p: Publication) -> Sections:
    """The sections of the page."""
    surely = ("share_above_half", "share_above_nine_tenths", "share_certain")
    computed = [(name, _say(p, text)) for name, text in TEXT["computed"].items() if name != "errors" or not p.weighted]
    return {
        "What was compared": [_compared(p)],
        "Who could attack, and how": [_say(p, TEXT["attack"])],
        "The answer": _answer(p),
        "Matched people": [_grid(p, _shown(p, ["matched_share"]), _say(p, TEXT["matched"]))],
        "Distribution of the risk": [_grid(p, _shown(p, surely), _say(p, TEXT["surely"])), _curve(p)],
        "Left out": [_say(p, TEXT["left_out"])],
        "Definitions": [definitions(p.shares, _weighted(p))],
        "How it was computed": [Facts(computed)],
    }


def _weighted(p: Publication) -> list[str]:
    return [*(["original"] if p.weighted else []), *(["synthetic"] if p.weighted_release else [])]


def _say(p: Publication, text: str, **more: str) -> str:
    """One of `SENTENCES`, or another text of the room, with the words and the rounded numbers of the page in it."""
    values = {
        **words(_weighted(p)),
        **{name: _share(p, shares[0], name) for name, shares in p.shares.items()},
        "version": p.version,
        "keys": listed(list(map(named, p.keys))),
        "target": listed(list(map(named, p.target))),
        "pick": "with probability proportional to its weight" if p.weighted_release else "at random",
        "base": p.base,
        "step": _step(p),
        "at_least": _at_least(p),
        "hidden": p.threshold - 1,
        "against": "" if p.against is None else f"release {p.against + 1}",
    }
    return text.format_map({**values, **more})


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
    if p.releases > 1:
        return [_say(p, TEXT["meaning"]), _comparison(p), SENTENCES["front"]["lesson"]]
    sentences: list[Block] = [_say(p, TEXT["right"]), _say(p, TEXT["meaning"])]
    if not p.weighted:
        sentences.append(_say(p, TEXT["error"], error=_at_most(_error(p, "average_cap_zero"))))
    if "holdout_cap" in p.shares:
        both = float(np.hypot(_error(p, "average_cap_zero"), _error(p, "holdout_cap")))
        error = "" if p.weighted else f" (standard error {_at_most(both)})"
        sentences.append(_say(p, TEXT["holdout"], difference=_differences(p, p.shares["holdout_cap"])[0], error=error))
    return [*sentences, SENTENCES["front"]["lesson"]]


def _differences(p: Publication, others: Sequence[float]) -> list[str]:
    """Average CAP minus another printed share: differences of what is printed, which say nothing more."""
    pairs = zip(p.shares["average_cap_zero"], others, strict=True)
    return [_share(p, (round(value * p.steps) - round(other * p.steps)) / p.steps) for value, other in pairs]


def _comparison(p: Publication) -> Grid:
    columns = _shown(p, [name for name in ("average_cap_zero", "holdout_cap") if name in p.shares])
    if "holdout_cap" in p.shares:
        columns["individual_disclosure"] = _differences(p, p.shares["holdout_cap"])
    if p.against is not None:
        columns["difference"] = _differences(p, [p.shares["average_cap_zero"][p.against]] * p.releases)
    return _grid(p, columns, f"Average CAP of each release (rounded to {_step(p)})")


def _shown(p: Publication, names: Sequence[str]) -> dict[str, list[str]]:
    """Measures as text, a number for each release."""
    return {name: [_share(p, x) for x in p.shares[name]] for name in names}


def _grid(p: Publication, columns: Mapping[str, Sequence[str]], caption: str) -> Grid:
    """Measures as rows of one release, or as columns of several."""
    columns = {_say(p, MEASURES[name].public): texts for name, texts in columns.items()}
    if p.releases == 1:
        return Grid(["", "share"], [[text, share] for text, (share,) in columns.items()], caption)
    return Grid.of_columns(["release", *_releases(p)], [[text, *shares] for text, shares in columns.items()], caption)


def _curve(p: Publication) -> Picture:
    """The share of people whose individual CAP is at most a value, as the rounded numbers give it."""
    from capstats.plotting.curves import plot_cap_ecdf
    from capstats.plotting.inline import inline_svg

    ecdf = xr.DataArray(p.below, dims=("at", "synthetic"), coords={"at": BANDS, "synthetic": _releases(p)}, attrs={"records": p.people})
    one = p.releases == 1
    ax = plot_cap_ecdf(
        ecdf.isel(synthetic=0, drop=True) if one else ecdf,
        average=p.shares["average_cap_zero"] if one else None,
        original=p.shares["original_cap"][0],
        baseline=p.shares["baseline"][0],
    )
    values = "; ".join(
        f"{label}: " + ", ".join(f"{_share(p, p.below[k, i])} at most {BANDS[k]:g}" for k in (0, 5, 10, 15, 20))
        for i, label in enumerate(_releases(p))
    )
    alt = f"Step curve of rounded shares. {values}."
    return Picture(inline_svg(ax, prefix="distribution", alt=alt), alt, _say(p, TEXT["curve"]))
