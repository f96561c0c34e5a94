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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.compute import total_of
from capstats.auditing.findings import Findings
from capstats.cap.distribution import by_value, cap_ecdf
from capstats.codes.checks import check_integer
from capstats.codes.labels import canonical
from capstats.tables.aligned import Aligned
from capstats.tables.table import Array, Floats, Table

STEPS = (1000, 500, 250, 200, 100, 50, 40, 25, 20, 10, 5, 4, 2)  # numbers of steps from 0 to 1; a whole one, so that complements are steps
OF_ORIGINAL = ("baseline", "original_cap")  # of the people in the original, whatever is released; sums of squares, see `publication`
BANDS = np.linspace(0, 1, 21)  # values of individual CAP at which the distribution is given
MOST_RELEASES = 4  # whoever made the releases can choose them so that many rounded numbers together tell a small count


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
    weighted: bool
    weighted_release: bool
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
    counted = [("o", people), ("h", holdout)][: 1 + ("h" in tables)]
    fewest = min(min(total, 1 / _largest_weight(tables, name)) for name, total in counted)
    fitting = [steps for steps in STEPS if 2 * threshold * releases * steps <= fewest]
    if not fitting:
        where = " and in the holdout" if "h" in tables else ""
        may_help = {"leave out the holdout": where, "audit without weights": "o_records" in tables, "audit fewer releases": releases > 1}
        remedies = [remedy for remedy, helps in may_help.items() if helps]
        remedy = ", ".join([*remedies, "or take" if remedies else "take"])
        raise ValueError(
            f"A public report with threshold={threshold} needs at least {4 * threshold * releases} records in the original{where}, none of "
            f"them with a large part of the weight. {remedy[0].upper()}{remedy[1:]} a lower threshold."
        )
    steps = fitting[0]

    def rounded(values: Any) -> Floats:
        return _rounded(np.asarray(values, dtype=np.float64), steps)

    below = 1 - rounded(1 - cap_ecdf(tables.o, tables.s, BANDS).transpose("at", ...).values).reshape(len(BANDS), releases)
    shares = {
        **{name: np.minimum(rounded(m[name]), 1 - 1 / steps) for name in OF_ORIGINAL},
        "average_cap_zero": _average(tables.o, tables.s, steps),
        **({"holdout_cap": _average(tables.h, tables.s, steps)} if "holdout_cap" in m else {}),
        "matched_share": rounded(m.matched_share),
        "share_above_half": 1 - below[10],
        "share_above_nine_tenths": 1 - below[18],
        "share_certain": rounded(m.share_certain),
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
        weighted="original_weight" in m,
        weighted_release="synthetic_weight" in m,
        missing=p["missing"],
        keys=list(p["columns"]["keys"]),
        target=list(p["columns"]["target"]),
        shares={name: np.reshape(values, -1).tolist() for name, values in shares.items()},
        below=below,
    )


def _rounded(shares: Floats, steps: int) -> Floats:
    """Shares as multiples of a step; what differs by the rounding of floats alone is rounded alike, so that no tie shows."""
    return np.round(np.round(shares * steps, 9)) / steps


def _average(o: xr.DataArray, s: xr.DataArray, steps: int) -> Floats:
    """Average CAP computed from the rounded shares of people above each value of individual CAP, rounded again.

    Rounded itself, it would be a sum that the maker of a release can shift to a border of rounding (theory/publication.md#public-report).
    """

    def formula(o: Table, s: Table) -> Array:
        values, people = by_value(o, s, s.key_total(), "zero")
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
        return np.asarray((mean + np.sqrt((k - 1) * variance)).max(initial=0) / weights.total())

    parts = {"o": table, "records": tables[f"{name}_records"], "squares": tables[f"{name}_squares"]}
    return float(Aligned(parts, inexact=("squares",)).map(formula, "weight"))
