"""Which pictures an internal report has, and what they say to a reader who cannot see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from capstats.auditing.report import Picture, count, share
from capstats.cap.distribution import cap_boxplot, cap_ecdf
from capstats.disclosure.records import key_summary

if TYPE_CHECKING:
    from capstats.auditing.audits import Audit

MOST_CURVES = 7  # of a figure, which have colours that can be told apart
MOST_BOXES = 30  # of a figure
STEPS = np.linspace(0, 1, 501)


def boxes(audit: Audit, labels: Sequence[str]) -> list[Picture]:
    """Boxplots of individual CAP."""
    from capstats.plotting.cap import plot_individual_cap

    o = audit.tables.get("o_records", audit.tables.o)
    if o.dtype.kind != "i" or len(labels) > MOST_BOXES:
        return []
    found = _labelled(cap_boxplot(o, _released(audit)), labels)
    alt = "Boxplots of individual CAP. " + " ".join(
        f"{label or 'Synthetic table'}: quartiles {', '.join(share(x) for x in box)}."
        for label, box in zip(labels, np.transpose([np.atleast_1d(found[f].values) for f in ("lower_quartile", "median", "upper_quartile")]), strict=True)
    )
    caption = "CAP of each person. A box holds the middle half of the people, its line is the median, its dot the average."
    return [_picture(plot_individual_cap(found), "boxes", alt, caption)]


def curves(audit: Audit, labels: Sequence[str]) -> list[Picture]:
    """The distribution functions of individual CAP; with those of the holdout, where there is one release."""
    from capstats.plotting.curves import plot_cap_ecdf

    if len(labels) > MOST_CURVES:
        return []
    tables, m = audit.tables, audit.measures
    ecdf = _labelled(cap_ecdf(tables.o, _released(audit), STEPS), labels)
    lines: dict[str, Any] = {"original": m.original_cap.item(), "baseline": m.baseline.item()}
    if len(labels) == 1:
        lines["average"] = m.average_cap.item()
        if "h" in tables:
            both = [ecdf, cap_ecdf(tables.h, _released(audit), STEPS)]
            ecdf = xr.concat(both, "table", combine_attrs="drop").assign_coords(table=["people in the original", "holdout"])
    ax = plot_cap_ecdf(ecdf, **lines)
    alt = "Step curves: share of people whose CAP is at most 0, 0.25, 0.5, 0.75 and 1. "
    told = ecdf.sel(at=STEPS[::125]).transpose(..., "at").values.reshape(-1, 5)
    alt += " ".join(f"{label}: {', '.join(share(x) for x in values)}." for label, values in zip(_curves_of(ecdf), told, strict=True))
    return [_picture(ax, "curves", alt, "Share of people whose CAP is at most the value on the horizontal axis. A curve further right is a higher risk.")]


def funnel(audit: Audit, i: int) -> Picture:
    """The keys of one release by their number of people and their average CAP."""
    from capstats.plotting.keys import plot_key_summary

    m, s = audit.measures, audit.tables.s
    one = m.isel(synthetic=i) if "synthetic" in m.dims else m
    summary = key_summary(audit.tables.o, s.isel(synthetic=i, drop=True) if s.ndim == 3 else s)
    ax = plot_key_summary(summary, average=one.average_cap.item(), original=one.original_cap.item(), baseline=one.baseline.item())
    held = summary.records > 0
    alt = (
        f"Average CAP of {count(held.sum().item())} keys against their number of people, from {count(summary.records.where(held).min().item())} "
        f"to {count(summary.records.max().item())}; {count((held & summary.certain).sum().item())} keys have synthetic records with one target only."
    )
    caption = "Each key by the number of people who have it and their average CAP. Keys far from the average deserve attention."
    return _picture(ax, "funnel", alt, caption)


def _picture(ax: Any, prefix: str, alt: str, caption: str) -> Picture:
    from capstats.plotting.inline import inline_svg

    return Picture(inline_svg(ax, prefix=prefix, alt=alt), alt, caption)


def _released(audit: Audit) -> xr.DataArray:
    """The synthetic tables in the order in which they are told."""
    s = audit.tables.s
    return s.isel(synthetic=audit.ranked) if s.ndim == 3 else s


def _labelled(result: Any, labels: Sequence[str]) -> Any:
    """A result with the labels of the report."""
    return result.assign_coords(synthetic=list(labels)) if "synthetic" in result.dims else result


def _curves_of(ecdf: xr.DataArray) -> list[str]:
    (dim,) = [dim for dim in ecdf.dims if dim != "at"] or [None]
    return ["Synthetic table"] if dim is None else list(map(str, ecdf.indexes[dim]))
