"""The numbers of an audit that may be published with the data: rounded first, so that nothing exact reaches a text or a figure.

*The danger.* A reader has the release, several printed numbers and perhaps a guess about a small group. No number, sum or difference may
prove that a group has 1 to threshold - 1 people: with each report, 0 and at least `threshold` people must both be possible.

*The obvious ways* are to print three digits, or to leave out counts below the threshold. With three digits and 1,000 people each share
tells an exact count. A count that is left out follows from others by subtraction. And a rounded average is not safe either: who makes the
release can choose it so that the average is at a border of rounding, and the printed number then tells whether one person is in a group.

*What is done instead*:

1. All shares are multiples of one step, and one step is at least 2 x threshold records, of any weight. Since 1 is a whole number of steps,
   complements and differences are multiples of the step as well: no arithmetic gives less.
2. Average CAP is computed from the rounded shares of people above each value, not from records (`_average`). So it tells nothing that
   these shares do not tell.
3. Numbers of the original alone that are sums of squares have no such form. They are rounded, and printed as at most one step below 1.
4. Rounding floats is done in two steps, so that equal numbers are rounded alike and the side of a tie tells nothing (`_rounded`).
5. Many releases could be chosen to narrow a count down, so that they are at most four and make the step larger.

The price is accuracy: with 1,000 people and threshold 10 a step is 2 %. theory/publication.md#public-report has what is proved, and what
is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.compute import SURELY
from capstats.auditing.findings import Findings
from capstats.auditing.measures import MEASURES, SENTENCES, definitions, words
from capstats.cap.distribution import by_value, cap_ecdf
from capstats.codes.checks import check_integer
from capstats.codes.labels import canonical
from capstats.codes.names import listed, named
from capstats.reports.blocks import Block, Facts, Grid, Picture, Sections, Terms, as_page, as_text
from capstats.tables.aligned import Aligned, total_of
from capstats.tables.printing import count, percent
from capstats.tables.table import Array, Floats, Table

STEPS = (1000, 500, 250, 200, 100, 50, 40, 25, 20, 10, 5, 4, 2)  # numbers of steps from 0 to 1; a whole one, so that complements are steps
OF_ORIGINAL = ("baseline", "original_cap")  # of the people in the original, whatever is released; sums of squares, see `publication`
AT = {"above_half": 10, "above_nine_tenths": 18}  # the band above which they are guessed right
BANDS = np.linspace(0, 1, 21)  # values of individual CAP at which the distribution is given
TEXT = SENTENCES["public"]
MOST_RELEASES = 4  # the maker of the releases can choose them such that many rounded numbers together reveal a small count


@dataclass(frozen=True)
class Publication:
    """What the public version of a report is made of: names of columns, and rounded numbers.

    ``people`` and ``holdout`` (0 without one) are multiples of ``base``; every share is a multiple of 1 / ``steps``. ``shares`` has one
    number for each release, and one for those of the original. ``below`` has the shares of people whose individual CAP is at most each of
    ``BANDS``, dims (band, release). theory/publication.md#public-report has a proof of what each of these numbers tells.
    """

    version: str
    threshold: int
    steps: int
    base: int
    people: int
    holdout: int
    releases: int
    against: int | None
    weighted: Sequence[str]  # which of "original" and "synthetic" have sampling weights
    missing: str
    keys: list[str]
    target: list[str]
    shares: Mapping[str, list[float]]
    below: Floats


def publication(audit: Findings, threshold: int = 10) -> Publication:
    """The rounded numbers of an audit.

    For each release ``2 * threshold`` records, however they are weighted, are at most one step of the shares: a printed share then leaves
    open whether nobody or `threshold` people are in a group. See theory/publication.md#public-report. ValueError if there are too few
    records, too many releases, or a holdout of another population.
    """
    check_integer(threshold, "threshold", "a whole number of records, 2 or more", least=2)
    tables, p, m = audit.tables, audit.provenance, audit.measures
    releases = m.sizes.get("synthetic", 1)
    if releases > MOST_RELEASES:
        raise ValueError(
            f"A public report describes at most {MOST_RELEASES} releases; got {releases}. The rounded numbers of many releases together "
            f"can tell exact small counts. Audit at most {MOST_RELEASES} of them."
        )
    if "holdout_differs" in p:
        raise ValueError(
            "A public report compares only with a holdout that can be a random part of the same population. Original and holdout differ by "
            "more than chance allows, so that their difference says nothing about individuals: leave out the holdout."
        )
    base = _base(threshold)
    people, holdout = (_rounded_total(tables, name, base) for name in "oh")
    fewest = min(min(total, 1 / _largest_weight(tables, name)) for name, total in (("o", people), ("h", holdout)) if name in tables)
    steps = next((steps for steps in STEPS if 2 * threshold * releases * steps <= fewest), 0)
    if not steps:
        where = " and in the holdout" if "h" in tables else ""
        may_help = {"leave out the holdout": where, "audit without weights": "o_records" in tables, "audit fewer releases": releases > 1}
        remedies = [remedy for remedy, helps in may_help.items() if helps]
        remedy = ", ".join([*remedies, "or take" if remedies else "take"])
        raise ValueError(
            f"A public report with threshold={threshold} needs at least {4 * threshold * releases} records in the original{where}, none of "
            f"them with a large part of the weight. {remedy[0].upper()}{remedy[1:]} a lower threshold."
        )

    below = 1 - _rounded(1 - cap_ecdf(tables.o, tables.s, BANDS).transpose("at", ...).values, steps).reshape(len(BANDS), releases)
    shares = {
        **{name: np.minimum(_rounded(m[name], steps), 1 - 1 / steps) for name in OF_ORIGINAL},
        "average_cap_zero": _average(tables.o, tables.s, steps),
        **({"holdout_cap": _average(tables.h, tables.s, steps)} if "holdout_cap" in m else {}),
        "matched_share": _rounded(m.matched_share, steps),
        **{f"share_{name}": 1 - below[AT[name]] if name in AT else _rounded(m[f"share_{name}"], steps) for name in SURELY},
    }
    against = [canonical(label) for label in m.indexes.get("synthetic", [])].index(canonical(p["against"])) if "against" in p else None
    return Publication(
        version=p["capstats"],
        threshold=threshold,
        steps=steps,
        base=base,
        people=people,
        holdout=holdout,
        releases=releases,
        against=against,
        weighted=audit.weighted,
        missing=p["missing"],
        keys=list(p["columns"]["keys"]),
        target=list(p["columns"]["target"]),
        shares={name: np.reshape(values, -1).tolist() for name, values in shares.items()},
        below=below,
    )


def _rounded(shares: Any, steps: int) -> Floats:
    """Shares as multiples of a step; what differs by the rounding of floats alone is rounded alike, so that no tie shows."""
    return np.round(np.round(np.asarray(shares, dtype=np.float64) * steps, 9)) / steps


def _average(o: xr.DataArray, s: xr.DataArray, steps: int) -> Floats:
    """Average CAP computed from the rounded shares of people above each value of individual CAP, rounded again.

    Rounded itself, it would be a sum that the maker of a release can shift to a border of rounding (theory/publication.md#public-report).
    """

    def formula(o: Table, s: Table) -> Array:
        values, people = by_value(o, s, s.key_total, "zero")
        through = np.cumsum(people, axis=-1)
        above = _rounded(1 - through / through[..., -1:], steps)
        return np.asarray(values[..., 0] + (above[..., :-1] * np.diff(values, axis=-1)).sum(-1))

    found: Floats = Aligned({"o": o, "s": s}).map(formula, "average").values
    return np.floor(np.round(found * steps, 9) + 0.5) / steps


def _base(threshold: int) -> int:
    """The least of 1, 2, 5, 10, 20, 50, ... that is not below the threshold."""
    return min(number for power in range(len(str(threshold)) + 1) for x in "125" if (number := int(x + "0" * power)) >= threshold)


def _rounded_total(tables: xr.Dataset, name: str, base: int) -> int:
    """The number of records of a table as a multiple of the base; 0 if there is no such table."""
    if name not in tables:
        return 0
    records = tables.get(f"{name}_records", tables[name])
    return base * round(float(total_of(records)) / base)


def _largest_weight(tables: xr.Dataset, name: str) -> float:
    """The largest share of the sum of the weights that one record can have.

    Of weighted records only sums are known: of k weights with mean a and variance v, none is above a + sqrt((k - 1) v) (Samuelson 1968,
    https://doi.org/10.1080/01621459.1968.10480944).
    """
    table = tables[name]
    if f"{name}_records" not in tables:
        if table.dtype.kind != "i":
            raise ValueError("A public report needs whole counts of records; those of the original or of the holdout are fractional.")
        return 1 / max(int(total_of(table)), 1)

    def formula(weights: Table, records: Table, squares: Table) -> Array:
        k = np.maximum(records.values, 1)
        mean = weights.values / k
        variance = np.maximum(squares.values / k - mean**2, 0)
        return np.asarray((mean + np.sqrt((k - 1) * variance)).max(initial=0) / weights.total)

    parts = {"o": table, "records": tables[f"{name}_records"], "squares": tables[f"{name}_squares"]}
    return float(Aligned(parts, inexact=("squares",)).map(formula, "weight"))


# --- text and figures, of the rounded numbers alone -------------------------------------------------------------------


def public_page(p: Publication) -> str:
    """The page, of the rounded numbers alone."""
    return as_page(public_title(p), public_sections(p), note=public_note(p), footer="Public version.")


def public_text(p: Publication) -> str:
    """The same for a terminal."""
    return as_text(public_title(p), {"Read this first": [public_note(p)], **public_sections(p)})


def public_title(p: Publication) -> str:
    """The heading of the page."""
    return f"Disclosure risk of {'the released table' if p.releases == 1 else f'{p.releases} released tables'}"


def public_note(p: Publication) -> str:
    """What the page is, below its heading."""
    fewest = min(people - p.base // 2 for people in (p.people, p.holdout or p.people))  # they are rounded
    finer = next((steps for steps in STEPS if _at_least(p) * steps <= fewest), 0) if "original" in p.weighted else 0
    coarse = f" {_say(p, TEXT['coarse'], finer=percent(1 / finer))}" if finer > p.steps else ""
    return _say(p, TEXT["note"], coarse=coarse)


def public_sections(p: Publication) -> Sections:
    """The sections of the page."""
    surely = {name: p.shares[name] for name in (f"share_{x}" for x in SURELY)}
    computed = [(name, _say(p, text)) for name, text in TEXT["computed"].items() if name != "errors" or "original" not in p.weighted]
    return {
        "What was compared": [_compared(p)],
        "Who could attack, and how": [_say(p, TEXT["attack"])],
        "The answer": _answer(p),
        "Matched people": [_grid(p, {"matched_share": p.shares["matched_share"]}, _say(p, TEXT["matched"]))],
        "Distribution of the risk": [_grid(p, surely, _say(p, TEXT["surely"])), _curve(p)],
        "Left out": [_say(p, TEXT["left_out"])],
        "Definitions": [Terms(definitions(p.shares, p.weighted))],
        "How it was computed": [Facts(computed)],
    }


def _say(p: Publication, text: str, **more: str) -> str:
    """One of `SENTENCES`, or another text of the room, with the words and the rounded numbers of the page in it."""
    values = {
        **words(p.weighted),
        **{name: _percent(p, shares[0], name) for name, shares in p.shares.items()},
        "version": p.version,
        "keys": listed(list(map(named, p.keys))),
        "target": listed(list(map(named, p.target))),
        "pick": "with probability proportional to its weight" if "synthetic" in p.weighted else "at random",
        "base": p.base,
        "step": percent(1 / p.steps),
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


def _share(p: Publication, value: float) -> str:
    """A share with the digits of the step."""
    return f"{value + 0.0:.{len(_step(p)) - 2}f}"  # + 0.0: no minus before 0


def _percent(p: Publication, value: float, name: str) -> str:
    """A share as a sentence has it, exact as every step is of tenths of a per cent; one that is cut off at the top is said to be."""
    return f"{'at least ' * (name in OF_ORIGINAL and value >= 1 - 1 / p.steps)}{percent(value)}"


def _error(p: Publication, name: str) -> float:
    """A bound of the standard error of an average, from printed numbers: numbers in [0, 1] with mean a have variance at most a(1 - a).

    The exact mean is less than a step from the printed one.
    """
    people = (p.holdout if name == "holdout_cap" else p.people) - p.base // 2 - 1
    mean = min(max(0.5, p.shares[name][0] - 1 / p.steps), p.shares[name][0] + 1 / p.steps)
    return float(np.sqrt(mean * (1 - mean) / people))


def _at_most(error: float) -> str:
    """A bound, rounded up."""
    return f"at most {percent(np.ceil(error * 1000) / 1000)}"


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
        ("weights", "records count by their sampling weights in every share" if "original" in p.weighted else ""),
    ]
    return Facts([(name, text) for name, text in rows if text])


def _answer(p: Publication) -> list[Block]:
    if p.releases > 1:
        return [_say(p, TEXT["meaning"]), _comparison(p), SENTENCES["front"]["lesson"]]
    sentences: list[Block] = [_say(p, TEXT["right"]), _say(p, TEXT["meaning"])]
    if "original" not in p.weighted:
        sentences.append(_say(p, TEXT["error"], error=_at_most(_error(p, "average_cap_zero"))))
    if "holdout_cap" in p.shares:
        both = float(np.hypot(_error(p, "average_cap_zero"), _error(p, "holdout_cap")))
        error = "" if "original" in p.weighted else f" (standard error {_at_most(both)})"
        sentences.append(_say(p, TEXT["holdout"], difference=percent(_differences(p, p.shares["holdout_cap"])[0]), error=error))
    return [*sentences, SENTENCES["front"]["lesson"]]


def _differences(p: Publication, others: Sequence[float]) -> list[float]:
    """Average CAP minus another printed share: differences of what is printed, which say nothing more."""
    pairs = zip(p.shares["average_cap_zero"], others, strict=True)
    return [(round(value * p.steps) - round(other * p.steps)) / p.steps for value, other in pairs]


def _comparison(p: Publication) -> Grid:
    columns = {name: p.shares[name] for name in ("average_cap_zero", "holdout_cap") if name in p.shares}
    if "holdout_cap" in p.shares:
        columns["individual_disclosure"] = _differences(p, p.shares["holdout_cap"])
    if p.against is not None:
        columns["difference"] = _differences(p, [p.shares["average_cap_zero"][p.against]] * p.releases)
    return _grid(p, columns, f"Average CAP of each release (rounded to {_step(p)})")


def _grid(p: Publication, shares: Mapping[str, Sequence[float]], caption: str) -> Grid:
    """Measures as rows of one release, or as columns of several."""
    columns = {_say(p, MEASURES[name].public): [_share(p, x) for x in values] for name, values in shares.items()}
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
    return Picture(inline_svg(ax, prefix="distribution", alt=alt), _say(p, TEXT["curve"]))
