"""Which pictures an internal report has, and what they say to a reader who cannot see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.findings import Findings
from capstats.auditing.report import Picture
from capstats.cap.average import average_cap
from capstats.cap.distribution import cap_boxplot, cap_ecdf, cap_quantiles
from capstats.cap.individual import individual_cap
from capstats.codes.names import printable
from capstats.tables.printing import Result, count, share

MOST_CURVES = 7  # of a figure, which have colours that can be told apart
MOST_BOXES = 12  # of a figure; more are letter values
MOST_DOTS = 400  # people
DEPTHS = [1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 15 / 16, 31 / 32, 63 / 64]
TOLD = 20  # tables whose quartiles are said in words
STEPS = np.linspace(0, 1, 501)


def distribution(audit: Findings, labels: Sequence[str]) -> list[Picture]:
    """Individual CAP: dots, one a person, where they are few, else boxes; and the share of people up to each value."""
    one_a_person = _dots(audit)
    many = len(labels) > 1 or not one_a_person
    return [*one_a_person, *(_boxes(audit, labels) if many else []), *_curves(audit, labels)]


def _dots(audit: Findings) -> list[Picture]:
    """One dot a person of the first release, where there are few enough people."""
    from capstats.plotting.individual import plot_people

    tables = audit.tables
    one = Result({"o": tables.o, "s": audit.release(audit.ranked[0])}, attrs=tables.attrs)
    if "o_records" in tables or tables.o.dtype.kind != "i" or audit.measures.original_records.item() > MOST_DOTS:
        return []
    found = individual_cap(one.o, one.s)
    ax = plot_people(one, found, **_lines(audit, average_cap(one.o, one.s).item()))
    at = [0.0, 0.25, 0.5, 0.75, 1.0]
    shares = cap_ecdf(one.o, one.s, at).values
    alt = "One dot for each person at their CAP. " + ", ".join(
        f"{share(x)} of the people are at most at {v:g}" for v, x in zip(at, shares, strict=True)
    )
    caption = "Each dot is a person of the original, placed at the probability with which the guess is right for them."
    return [_picture(ax, "people", f"{alt}.", caption)]


def _boxes(audit: Findings, labels: Sequence[str]) -> list[Picture]:
    """Boxplots of individual CAP; letter values of many releases."""
    from capstats.plotting.individual import plot_individual_cap, plot_letter_values

    o = audit.tables.get("o_records", audit.tables.o)
    if o.dtype.kind != "i":
        return []
    quantiles = _told(audit, cap_quantiles(o, audit.tables.s, DEPTHS), labels).transpose("quantile", ...)
    low, middle, high = (np.atleast_1d(quantiles.sel(quantile=q).values) for q in (0.25, 0.5, 0.75))
    told = [
        f"{label or 'Synthetic table'}: {share(a)}, {share(b)}, {share(c)}."
        for label, a, b, c in zip(labels, low, middle, high, strict=True)
    ]
    alt = f"Quartiles of individual CAP. {' '.join(told[:TOLD])}" + (f" And {len(told) - TOLD} more tables." if len(told) > TOLD else "")
    if len(labels) > MOST_BOXES:
        averages = audit.measures.average_cap.values[audit.ranked]
        ax = plot_letter_values(quantiles, **_lines(audit, averages))
        caption = (
            "CAP of each person, a row for each release. The darkest box holds the middle half of the people, each lighter one half of "
            "those outside it; the line is the median, the dot the average."
        )
    else:
        ax = plot_individual_cap(_told(audit, cap_boxplot(o, audit.tables.s).drop_vars("individual"), labels))
        caption = "CAP of each person. A box holds the middle half of the people, its line is the median, its dot the average."
    return [_picture(ax, "boxes", alt, caption)]


def _curves(audit: Findings, labels: Sequence[str]) -> list[Picture]:
    """The distribution functions of individual CAP; with those of the holdout, where there is one release."""
    from capstats.plotting.curves import plot_cap_ecdf

    if len(labels) > MOST_CURVES:
        return []
    tables = audit.tables
    ecdf = _told(audit, cap_ecdf(tables.o, tables.s, STEPS), labels)
    if len(labels) == 1 and "h" in tables:
        both = [ecdf, cap_ecdf(tables.h, tables.s, STEPS)]
        ecdf = xr.concat(both, "table", combine_attrs="drop").assign_coords(table=["people in the original", "holdout"])
    ax = plot_cap_ecdf(ecdf, **_lines(audit, audit.measures.average_cap.item() if len(labels) == 1 else None))
    alt = "Step curves: share of people whose CAP is at most 0, 0.25, 0.5, 0.75 and 1. "
    told = ecdf.sel(at=STEPS[::125]).transpose(..., "at").values.reshape(-1, 5)
    alt += " ".join(f"{label}: {', '.join(share(x) for x in values)}." for label, values in zip(_names_of(ecdf), told, strict=True))
    caption = "Share of people whose CAP is at most the value on the horizontal axis. A curve further right is a higher risk."
    return [_picture(ax, "curves", alt, caption)]


def releases(audit: Findings, labels: Sequence[str]) -> list[Picture]:
    """Risk against utility, and certain attribution of the original and of each release."""
    from capstats.plotting.releases import plot_disclosure_arrows, plot_risk_utility

    m = audit.measures.assign_coords(synthetic=audit.columns)
    told = [
        (label, *map(share, x))
        for label, *x in zip(labels, m.average_cap.values, m.target_distance.values, m.share_certain.values, strict=True)
    ]
    more = f" And {len(told) - TOLD} more tables." if len(told) > TOLD else ""
    risk = f"Average CAP and target distance of each release. {' '.join(f'{x}: {cap}, {far}.' for x, cap, far, _ in told[:TOLD])}{more}"
    sure = (
        f"Share of people certain in the original (DiO): {share(m.original_certain.item())}; guessed right with certainty from each "
        f"release (DiSCO): {', '.join(f'{x}: {certain}' for x, _, _, certain in told[:TOLD])}.{more}"
    )
    below = "Risk upwards, loss of use to the right: a release near the lower left tells little and is close to the original."
    arrows = "From the share of people whom the original itself would give away with certainty to that which the release does."
    return [
        _picture(plot_risk_utility(m), "risk-utility", risk, below),
        _picture(plot_disclosure_arrows(m.isel(synthetic=audit.ranked)), "arrows", sure, arrows),
    ]


def funnel(audit: Findings, summary: xr.Dataset, i: int) -> Picture:
    """The summary of the keys of one release: their number of people and their average CAP."""
    from capstats.plotting.keys import plot_key_summary

    average = audit.measures.average_cap.values.reshape(-1)[i]
    ax = plot_key_summary(summary, **_lines(audit, float(average)))
    records = summary.records.values[summary.records.values > 0]
    sure = summary.certain.values[summary.records.values > 0].sum()
    alt = (
        f"Average CAP of {count(len(records))} keys against their number of people, from {count(records.min())} to {count(records.max())}; "
        f"{count(sure)} keys have synthetic records with one target only."
    )
    caption = "Each key by the number of people who have it and their average CAP. Keys far from the average deserve attention."
    return _picture(ax, "funnel", alt, caption)


def _picture(ax: Any, prefix: str, alt: str, caption: str) -> Picture:
    from capstats.plotting.inline import inline_svg

    return Picture(inline_svg(ax, prefix=prefix, alt=printable(alt)), alt, caption)


def _lines(audit: Findings, average: Any) -> dict[str, Any]:
    """The lines of every figure of CAP."""
    return {"average": average, "original": audit.measures.original_cap.item(), "baseline": audit.measures.baseline.item()}


def _told(audit: Findings, result: Any, labels: Sequence[str]) -> Any:
    """A result in the order in which the releases are told, with the labels of the report."""
    return result.isel(synthetic=audit.ranked).assign_coords(synthetic=list(labels)) if "synthetic" in result.dims else result


def _names_of(ecdf: xr.DataArray) -> list[str]:
    (dim,) = [dim for dim in ecdf.dims if dim != "at"] or [None]
    return ["Synthetic table"] if dim is None else list(map(str, ecdf.indexes[dim]))
