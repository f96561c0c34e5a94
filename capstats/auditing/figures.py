"""Which pictures an internal report has, and what they say to a reader who cannot see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.findings import Findings
from capstats.auditing.measures import SENTENCES
from capstats.cap.distribution import cap_boxplot, cap_ecdf, cap_quantiles
from capstats.cap.individual import individual_cap
from capstats.codes.names import printable
from capstats.reports.blocks import Picture
from capstats.tables.printing import Result, count, share, shares
from capstats.tables.table import Floats

MOST_CURVES = 7  # of a figure, which have colours that can be distinguished
MOST_DOTS = 400  # people
MANY = 20  # tables whose quartiles are said in words
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
    ax = plot_people(one, individual_cap(one.o, one.s, unmatched=audit.unmatched), **_lines(audit, audit.caps[audit.ranked[0]]))
    below = zip(STEPS[::125], shares(cap_ecdf(one.o, one.s, STEPS[::125], unmatched=audit.unmatched).values), strict=True)
    said = ", ".join(f"{x} of the people are at most at {at:g}" for at, x in below)
    return [_picture(ax, "people", f"One dot for each person at their CAP. {said}.")]


def _boxes(audit: Findings, labels: Sequence[str]) -> list[Picture]:
    """Boxplots of individual CAP."""
    o = audit.tables.get("o_records", audit.tables.o)
    if o.dtype.kind != "i":
        return []
    quartiles = _ranked(audit, cap_quantiles(o, audit.tables.s, [0.25, 0.5, 0.75], unmatched=audit.unmatched), labels)
    texts = _of_each(labels, quartiles.transpose(..., "quantile").values.reshape(-1, 3))
    return [_picture(boxplots(audit, labels), "boxes", f"Quartiles of individual CAP. {' '.join(texts[:MANY])}{_more(texts)}")]


def boxplots(audit: Findings, labels: Sequence[str]) -> Any:
    """Boxplots of individual CAP of each release, in the order in which reports have them; ``labels`` are in that order, too."""
    from capstats.plotting.individual import plot_individual_cap

    o = audit.tables.get("o_records", audit.tables.o)
    boxes = cap_boxplot(o, audit.tables.s, unmatched=audit.unmatched).drop_vars("individual")
    return plot_individual_cap(_ranked(audit, boxes, labels), order="given")


def _curves(audit: Findings, labels: Sequence[str]) -> list[Picture]:
    """The distribution functions of individual CAP; with those of the holdout, where there is one release."""
    from capstats.plotting.curves import plot_cap_ecdf

    if len(labels) > MOST_CURVES:
        return []
    tables, names = audit.tables, labels
    ecdf = _ranked(audit, cap_ecdf(tables.o, tables.s, STEPS, unmatched=audit.unmatched), labels)
    if len(labels) == 1 and "h" in tables:
        names = ["people in the original", "holdout"]
        both = [x.squeeze(drop=True) for x in (ecdf, cap_ecdf(tables.h, tables.s, STEPS, unmatched=audit.unmatched))]
        ecdf = xr.concat(both, "table", combine_attrs="drop").assign_coords(table=names)
    ax = plot_cap_ecdf(ecdf, **_lines(audit, audit.caps[0] if len(labels) == 1 else None))
    alt = "Step curves: share of people whose CAP is at most 0, 0.25, 0.5, 0.75 and 1. "
    texts = _of_each(names, ecdf.sel(at=STEPS[::125]).transpose(..., "at").values.reshape(-1, 5))
    return [_picture(ax, "curves", alt + " ".join(texts))]


def releases(audit: Findings, labels: Sequence[str]) -> list[Picture]:
    """Risk against utility, and certain attribution of the original and of each release."""
    from capstats.plotting.releases import plot_disclosure_arrows, plot_risk_utility
    from capstats.screening.formulas import CERTAIN, CERTAIN_IN_ORIGINAL

    m = audit.measures.assign_coords(synthetic=audit.labels)
    caps, distances, certain = (shares(m[name].values) for name in (audit.average, "target_distance", CERTAIN))
    risk = [f"{labels[i]}: {caps[i]}, {distances[i]}." for i in audit.ranked]
    sure = [f"{labels[i]}: {certain[i]}" for i in audit.ranked]
    right = f"guessed right with certainty from each release (DiSCO): {', '.join(sure[:MANY])}.{_more(sure)}"
    alts = {
        "risk-utility": f"Average CAP and target distance of each release. {' '.join(risk[:MANY])}{_more(risk)}",
        "arrows": f"Share of people certain in the original (DiO): {share(m[CERTAIN_IN_ORIGINAL].item())}; {right}",
    }
    drawn = {"risk-utility": plot_risk_utility(m, risk=audit.average), "arrows": plot_disclosure_arrows(m.isel(synthetic=audit.ranked))}
    return [_picture(ax, name, alts[name]) for name, ax in drawn.items()]


def funnel(audit: Findings, summary: xr.Dataset, i: int) -> Picture:
    """The summary of the keys of one release: their number of people and their average CAP."""
    from capstats.plotting.keys import plot_key_summary

    ax = plot_key_summary(summary, **_lines(audit, audit.caps[i]))
    records = summary.records.values[summary.records.values > 0]
    sure = summary.certain.values[summary.records.values > 0].sum()
    alt = (
        f"Average CAP of {count(len(records))} keys against their number of people, from {count(records.min())} to {count(records.max())}; "
        f"{count(sure)} keys have synthetic records with one target only."
    )
    return _picture(ax, "funnel", alt)


def _picture(ax: Any, prefix: str, alt: str) -> Picture:
    """A drawing with the caption of its name."""
    from capstats.plotting.inline import inline_svg

    return Picture(inline_svg(ax, prefix=prefix, alt=printable(alt)), SENTENCES["captions"][prefix])


def _of_each(names: Sequence[str], values: Floats) -> list[str]:
    """The numbers of each table in words."""
    return [f"{name or 'Synthetic table'}: {', '.join(shares(own))}." for name, own in zip(names, values, strict=True)]


def _more(texts: Sequence[str]) -> str:
    return f" And {len(texts) - MANY} more tables." if len(texts) > MANY else ""


def _lines(audit: Findings, average: Any) -> dict[str, Any]:
    """The lines of every figure of CAP."""
    return {"average": average, "original": audit.measures.original_cap.item(), "baseline": audit.measures.baseline.item()}


def _ranked(audit: Findings, result: Any, labels: Sequence[str]) -> Any:
    """A result in the order in which reports have the releases, with the labels of the report."""
    return result.isel(synthetic=audit.ranked).assign_coords(synthetic=list(labels)) if "synthetic" in result.dims else result
