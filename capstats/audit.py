"""One call that says of one pair of tables what the paper's measures say."""

from __future__ import annotations

import html
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr

from capstats.counts.batches import Aligned
from capstats.counts.labels import Type
from capstats.counts.primitives import total
from capstats.counts.tables import observed_domain
from capstats.counts.tabulate import tabulate
from capstats.laws.bounds import maximum_cap, minimum_cap
from capstats.risk.baselines import baseline_cap
from capstats.risk.cap import average_cap, correct_predictions, matched_records
from capstats.risk.distribution import cap_quantiles
from capstats.risk.uncertainty import holdout_contrast

QUARTILES = {"least": 0.0, "lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75, "greatest": 1.0}

REMAINS = "What remains after subtracting the holdout is about individuals; the rest is inference about the population."
FRACTIONAL = "counts of the original or of the holdout are fractional"

ROWS: dict[str, tuple[str, str]] = {  # measure -> what a reader is told, and how it is printed
    "original_records": ("original records", "count"),
    "synthetic_records": ("synthetic records", "count"),
    "keys": ("keys of original records", "count"),
    "matched_share": ("share of records whose key is in the synthetic data", "share"),
    "average_cap": ("average CAP, version 1 (unmatched count 0)", "share"),
    "average_cap_least": ("  least attainable", "share"),
    "average_cap_greatest": ("  greatest attainable", "share"),
    "average_cap_matched": ("average CAP, version 2 (unmatched left out)", "share"),
    "average_cap_matched_least": ("  least attainable", "share"),
    "average_cap_matched_greatest": ("  greatest attainable", "share"),
    "original_cap": ("average CAP of the original with itself", "share"),
    "holdout_cap": ("average CAP of the holdout (records not used for synthesis)", "share"),
    "individual_disclosure": ("individual disclosure: original minus holdout", "share"),
    "individual_disclosure_error": ("  its standard error", "share"),
    "baseline": ("baseline: guess from the original's target margin", "share"),
    "predictive_success": ("predictive success: share right by the modal guess", "share"),
    "correct_predictions": ("  records", "count"),
    "individual_cap_least": ("individual CAP, least", "share"),
    "individual_cap_lower_quartile": ("  lower quartile over records", "share"),
    "individual_cap_median": ("  median", "share"),
    "individual_cap_upper_quartile": ("  upper quartile", "share"),
    "individual_cap_greatest": ("  greatest", "share"),
}


@dataclass(frozen=True)
class Audit:
    """What `audit` found: the counts, the measures, and how they came to be.

    Attributes
    ----------
    tables : Dataset
        The counts, as `tabulate` returned them.
    measures : Dataset
        One variable a measure, dim ``synthetic`` where several synthetic tables were given.
    provenance : dict
        Version, columns, domain, conventions, missing-value policy, and whatever the caller added.
    """

    tables: xr.Dataset
    measures: xr.Dataset
    provenance: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Measures and provenance as plain numbers and texts; a number that is undefined is None."""
        measures: dict[str, Any] = {}
        for name, array in self.measures.data_vars.items():
            if array.ndim:
                measures[str(name)] = {label: _plain(value) for label, value in zip(self.columns, array.values, strict=True)}
            else:
                measures[str(name)] = _plain(array.values)
        return {"measures": measures, "provenance": self.provenance}

    def to_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, default=lambda x: x.item() if hasattr(x, "item") else str(x))

    @property
    def _several(self) -> bool:
        return "synthetic" in self.measures.dims

    @property
    def columns(self) -> list[str]:
        """Labels of the synthetic tables; one without a name when there is only one."""
        labels = list(self.measures.indexes["synthetic"]) if self._several else [""]
        plain = list(map(str, labels))
        return plain if len(set(plain)) == len(plain) else list(map(repr, labels))

    def rows(self) -> list[tuple[str, list[str]]]:
        """The printed table: what a measure is, and its number for each synthetic table."""
        found = []
        for name, (label, form) in ROWS.items():
            if name in self.measures:
                values = np.broadcast_to(self.measures[name].values, (len(self.columns),))
                found.append((label, [_printed(v, form) for v in values]))
        return found

    def notes(self) -> list[str]:
        """What the reader of the numbers must know."""
        p = self.provenance
        missing = {"level": "are a level of their column", "drop": "dropped with their records"}[p["missing"]]
        dropped = "".join(f"; {n} of `{table}`" for table, n in p.get("dropped", {}).items())
        cut = "".join(f" {column} is cut at {', '.join(map(_point, at)) or 'no point'}." for column, at in p.get("bins", {}).items())
        notes = [
            f"keys: {', '.join(p['keys'])}; target: {', '.join(p['target'])}; missing values {missing}{dropped}.{cut}",
            "Least and greatest attainable: over all synthetic tables, however large, on the observed domain,",
            f"the {p['domain']['targets']} targets x {p['domain']['keys']} keys that some original record has.",
        ]
        if "individual_disclosure" in self.measures:
            notes.append(REMAINS)
        if "individual_disclosure" in p:
            notes.append(f"Individual disclosure is not given: {FRACTIONAL}.")
        if "quartiles" in p:
            notes.append("Quartiles of individual CAP are not given: the original's weights are fractional.")
        if "example" in p:
            notes.append(f"Example data: {p['example']}.")
        return notes

    def __repr__(self) -> str:
        rows = self.rows()
        wide = max(len(label) for label, _ in rows)
        columns = [max(len(head), *(len(cells[i]) for _, cells in rows)) for i, head in enumerate(self.columns)]
        lines = [f"capstats {self.provenance['capstats']}: disclosure risk by Correct Attribution Probability (CAP)", ""]
        if self._several:
            lines.append(" " * wide + "".join(f"  {head:>{w}}" for head, w in zip(self.columns, columns, strict=True)))
        lines += [f"{label:<{wide}}" + "".join(f"  {c:>{w}}" for c, w in zip(cells, columns, strict=True)) for label, cells in rows]
        return "\n".join([*lines, "", *self.notes()])

    def _repr_html_(self) -> str:
        cell = "padding:0.15em 0 0.15em {indent}em;border-bottom:1px solid #ddd;text-align:{side};font-variant-numeric:tabular-nums"
        number = cell.format(indent=2, side="right")
        lines = []
        for label, values in self.rows():
            name = cell.format(indent=2 if label.startswith(" ") else 0, side="left")
            numbers = "".join(f"<td style='{number}'>{html.escape(v)}</td>" for v in values)
            lines.append(f"<tr><td style='{name}'>{html.escape(label.strip())}</td>{numbers}</tr>")
        heads = "".join(f"<th style='{number}'>{html.escape(c)}</th>" for c in self.columns)
        return (
            "<table style='border-collapse:collapse'>"
            "<caption style='text-align:left;font-weight:bold;white-space:nowrap;padding-bottom:0.5em'>"
            f"Disclosure risk by Correct Attribution Probability (CAP)</caption><thead><tr><th></th>{heads}</tr></thead>"
            f"<tbody>{''.join(lines)}</tbody></table>"
            f"<p style='max-width:45em;color:#555'>{html.escape(' '.join(self.notes()))} "
            f"capstats {html.escape(self.provenance['capstats'])}.</p>"
        )


def audit(
    original: Any,
    synthetic: Any,
    *,
    keys: Any,
    target: Any,
    holdout: Any = None,
    missing: Literal["level", "drop"] = "level",
    null_values: str | Sequence[str] | None = None,
    types: Mapping[Hashable, Type] | None = None,
    bins: Mapping[Hashable, Any] | None = None,
    weights: Any = None,
    counts: Any = None,
    encoding: str | None = None,
    decimal: str = ".",
    memory_limit: str | None = None,
    spill_dir: str | Path | None = None,
    progress: bool | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Audit:
    """What the paper's measures say of one original and one or several synthetic tables.

    Parameters
    ----------
    original, synthetic : data frame, mapping of columns, or path
        As in `tabulate`; `synthetic` may be several tables.
    keys, target : column name or sequence of names
        What the intruder knows, and what is guessed.
    holdout : data frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis. The audit then says, too, what average CAP they have, by how
        much that of the original exceeds it, and the standard error of this, unless counts are fractional (see `holdout_contrast`).
    missing, null_values, types, bins, weights, counts, encoding, decimal, memory_limit, spill_dir, progress
        As in `tabulate`.
    provenance : mapping, optional
        What else the result is to say of how it came to be, such as a seed.

    Returns
    -------
    Audit
        Prints as a table, in a notebook as HTML. ``measures`` holds the numbers, ``tables`` the counts, ``to_dict`` and ``to_json``
        both with their provenance. Shares are from 0 to 1 and NaN where they are undefined.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        As `tabulate`.

    See Also
    --------
    tabulate, average_cap, baseline_cap, minimum_cap, cap_quantiles, holdout_contrast

    Notes
    -----
    Least and greatest attainable average CAP are on the observed domain: see `minimum_cap`, `maximum_cap` and `observed_domain`.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets".

    Examples
    --------
    >>> people = {"smoker": ["yes", "yes", "no", "no"], "health": ["sick", "well", "well", "well"]}
    >>> found = audit(people, people, keys="smoker", target="health")
    >>> float(found.measures.average_cap), float(found.measures.baseline)
    (0.75, 0.625)
    """
    if synthetic is None:
        raise ValueError("`synthetic` is missing: an audit compares an original table with a synthetic one.")
    tables = tabulate(
        original,
        synthetic,
        keys=keys,
        target=target,
        holdout=holdout,
        missing=missing,
        null_values=null_values,
        types=types,
        bins=bins,
        weights=weights,
        counts=counts,
        encoding=encoding,
        decimal=decimal,
        memory_limit=memory_limit,
        spill_dir=spill_dir,
        progress=progress,
    )
    o, s = tables.o, tables.s
    observed = observed_domain(tables)
    n = Aligned({"o": o}).map(total, "records")
    right = correct_predictions(o, s)
    measures = {
        "original_records": n,
        "synthetic_records": Aligned({"s": s}).map(total, "records"),
        "keys": xr.DataArray(observed.sizes["key"]),
        "matched_share": matched_records(o, s) / n,
        "average_cap": average_cap(o, s),
        "average_cap_least": minimum_cap(observed),
        "average_cap_greatest": maximum_cap(observed),
        "average_cap_matched": average_cap(o, s, unmatched="drop"),
        "average_cap_matched_least": minimum_cap(observed, unmatched="drop"),
        "average_cap_matched_greatest": maximum_cap(observed, unmatched="drop"),
        "original_cap": average_cap(o, o),
        "baseline": baseline_cap(o),
        "predictive_success": right / n,
        "correct_predictions": right,
    }
    whole = o.dtype.kind == "i"
    compared = holdout is not None and all(tables[x].dtype.kind == "i" or f"{x}_squares" in tables for x in ("o", "h"))
    if compared:
        contrast = holdout_contrast(o, s, h=tables.h, squares=tables.get("o_squares"), holdout_squares=tables.get("h_squares"))
        measures["holdout_cap"] = contrast.holdout
        measures["individual_disclosure"] = contrast.estimate
        measures["individual_disclosure_error"] = contrast.standard_error
    if whole:
        found = cap_quantiles(o, s, list(QUARTILES.values()))
        measures |= {f"individual_cap_{name}": found.isel(quantile=i, drop=True) for i, name in enumerate(QUARTILES)}
    told = {
        "capstats": tables.attrs["capstats"],
        "keys": tables.attrs["key_columns"],
        "target": tables.attrs["target_columns"],
        "domain": {"kind": "observed", "targets": observed.sizes["target"], "keys": observed.sizes["key"]},
        "missing": tables.attrs["missing"],
        "conventions": {
            "average_cap": "version 1: records whose key is not in the synthetic data count 0",
            "average_cap_matched": "version 2: they are left out",
            "individual_cap": "over records, unmatched count 0, linear interpolation",
            "predictive_success": "tied targets share",
            "baseline": "marginal",
            **({"individual_disclosure": "version 1 of the original minus that of the holdout"} if compared else {}),
        },
        **{name: tables.attrs[name] for name in ("dropped", "weights", "counts", "bins") if name in tables.attrs},
        **{name: value for name, value in (("types", types), ("null_values", null_values)) if value is not None},
        **({"quartiles": "not defined: the original's weights are fractional"} if not whole else {}),
        **({"individual_disclosure": f"not defined: {FRACTIONAL}"} if holdout is not None and not compared else {}),
        **(provenance or {}),
    }
    return Audit(tables, xr.Dataset(measures), told)


def _plain(value: Any) -> float | int | None:
    number = np.asarray(value).item()
    return None if number != number else number


def _point(cut: Any) -> str:
    return f"{cut:.10g}" if isinstance(cut, float) else str(cut)


def _printed(value: Any, form: str) -> str:
    if np.isnan(value):
        return "undefined"
    return f"{value:,.10g}" if form == "count" else f"{value:.4f}"
