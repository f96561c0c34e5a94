"""One call that says how much synthetic tables tell about the people in the original."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import xarray as xr

from capstats.auditing.measures import foreign, measured
from capstats.auditing.page import as_fragment
from capstats.auditing.report import Sections, as_text
from capstats.auditing.sentences import sections, title
from capstats.codes.labels import MISSING, canonical, kind_of
from capstats.codes.progress import Progress
from capstats.codes.wanted import Type
from capstats.counting.inputs import released
from capstats.counting.records import on_axes, read_records
from capstats.counting.request import Request
from capstats.sources import files
from capstats.tables.axes import axis_of, names_of
from capstats.tables.backing import Backing
from capstats.tables.domains import observed_domain
from capstats.tables.levels import other_spellings, without_match

SHOWN = 5  # warnings that are written out
FRACTIONAL = "counts of the original or of the holdout are fractional"


@dataclass(frozen=True)
class Audit:
    """Result of `audit`: the counts, the measures, and their provenance.

    Attributes
    ----------
    tables : Dataset
        The counts, as `tabulate` returned them.
    measures : Dataset
        One variable a measure, dim ``synthetic`` where several synthetic tables were given.
    by_target : Dataset
        Of the original people with each level of the target: their number (``records``), ``average_cap``, ``baseline``, and how many of
        them are guessed right with probability above 0.5 (``records_above_half``), above 0.9 (``records_above_nine_tenths``) and with
        certainty (``records_certain``). Dims ``target`` and, where several synthetic tables were given, ``synthetic``.
    provenance : dict
        Version, files, columns and how they were understood, domain, conventions, missing-value policy, how the tables' levels meet, and
        whatever the caller added.
    """

    tables: xr.Dataset
    measures: xr.Dataset
    by_target: xr.Dataset
    provenance: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Measures, those by target level, and provenance as plain numbers and texts; a number that is undefined is None."""
        measures = {str(name): self._numbers(array) for name, array in self.measures.data_vars.items()}
        rows = []
        for i, level in enumerate(self.by_target.indexes["target"]):
            numbers = {str(name): self._numbers(array.isel(target=i)) for name, array in self.by_target.data_vars.items()}
            labels = level if isinstance(level, tuple) else (level,)
            rows.append({"level": dict(zip(self.provenance["target"], map(_plain, labels), strict=True)), **numbers})
        return {"measures": measures, "by_target": rows, "provenance": self.provenance}

    def to_json(self) -> str:
        """The same as JSON text, with escapes in place of what is not printable."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, default=lambda x: x.item() if hasattr(x, "item") else str(x))
        return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)

    def _numbers(self, array: xr.DataArray) -> Any:
        """One number, or one for each synthetic table."""
        if not array.ndim:
            return _plain(array.item())
        return {label: _plain(value) for label, value in zip(self.columns, array.values.tolist(), strict=True)}

    @property
    def columns(self) -> list[str]:
        """Labels of the synthetic tables; one without a name when there is only one."""
        labels = list(self.measures.indexes["synthetic"]) if "synthetic" in self.measures.dims else [""]
        plain = list(map(str, labels))
        return plain if len(set(plain)) == len(plain) else list(map(repr, labels))

    def sections(self) -> Sections:
        """The report: what was read, the answer, who bears the risk, the details, and how to read them."""
        return sections(self.measures, self.by_target, self.provenance, self.columns)

    def __repr__(self) -> str:
        return as_text(title(self.provenance), self.sections())

    def _repr_html_(self) -> str:
        return as_fragment(title(self.provenance), self.sections())


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
    allow_no_match: bool = False,
    backing: Backing = "auto",
    encoding: str | None = None,
    decimal: str = ".",
    memory_limit: str | None = None,
    spill_dir: str | Path | None = None,
    progress: bool | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Audit:
    """Disclosure risk of one or several synthetic tables, as a report for the custodian of the original.

    It says how many people are guessed right from the synthetic data, how surely, and compared with what.

    Parameters
    ----------
    original, synthetic : data frame, mapping of columns, or path
        As in `tabulate`; `synthetic` may be several tables.
    keys, target : column name or sequence of names
        The columns that the intruder knows, and the columns to guess.
    holdout : data frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis. The audit then says, too, what average CAP they have, by how
        much that of the original exceeds it, and the standard error of this, unless counts are fractional (see `holdout_contrast`).
    missing, null_values, types, bins, weights, counts, backing, encoding, decimal, memory_limit, spill_dir, progress
        As in `tabulate`.
    allow_no_match : bool
        Whether to report even if a column of two tables shares no level, so that every risk is 0.
    provenance : mapping, optional
        Further provenance of the result, such as a seed.

    Returns
    -------
    Audit
        Prints as a report: what was read, the answer in sentences, who bears the risk by target level, and details; in a notebook as
        HTML. ``measures`` and ``by_target`` hold the numbers, ``tables`` the counts, ``to_dict`` and ``to_json`` all of it with its
        provenance. Shares are from 0 to 1 and NaN where they are undefined.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        As `tabulate`; and if a column of two tables shares no level, unless `allow_no_match`.

    See Also
    --------
    tabulate, average_cap, baseline_cap, disclosure.disco, cap_ecdf, cap_quantiles, minimum_cap, holdout_contrast

    Notes
    -----
    A guess is right with certainty where all synthetic records with the person's key have the person's target (`disco`). Ties at 0.5 and
    0.9 are not above them (`at_most`). Least and greatest attainable average CAP are over all synthetic tables on the targets and keys
    that the original or the synthetic table has, so that no average lies outside: see `minimum_cap` and `maximum_cap`.
    The report names levels of the original, however few people have them.

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
    request = Request(
        original=original,
        synthetic=synthetic,
        holdout=holdout,
        keys=keys,
        target=target,
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
    )
    with Progress(progress) as shown:
        records = read_records(request, shown)
        shown.step("joining the tables")
        tables = on_axes(records, backing)[0]
        understood = _understood(tables)
        warnings = _warnings({**tables.attrs, **understood}, allow_no_match)
        shown.step("computing the measures")
        measures, by_target = measured(tables)
    told = {
        "capstats": tables.attrs["capstats"],
        **_given(original, synthetic, holdout),
        "keys": tables.attrs["key_columns"],
        "target": tables.attrs["target_columns"],
        **understood,
        "missing": tables.attrs["missing"],
        "conventions": {
            "average_cap": "version 1: records whose key is not in the synthetic data count 0",
            "average_cap_matched": "version 2: they are left out",
            "individual_cap": "over records, unmatched count 0, linear interpolation",
            "predictive_success": "tied targets share",
            "baseline": "marginal",
            **({"individual_disclosure": "version 1 of the original minus that of the holdout"} if "holdout_cap" in measures else {}),
        },
        **{name: tables.attrs[name] for name in ("dropped", "weights", "counts") if name in tables.attrs},
        **{name: value for name, value in (("types", types), ("null_values", null_values)) if value is not None},
        **({} if "individual_cap_median" in measures else {"quantiles": "not defined: the original's counts are fractional"}),
        **({"individual_disclosure": f"not defined: {FRACTIONAL}"} if holdout is not None and "holdout_cap" not in measures else {}),
        **({"warnings": warnings} if warnings else {}),
        **(provenance or {}),
    }
    return Audit(tables, measures, by_target, told)


def _warnings(attrs: Mapping[str, Any], allow_no_match: bool) -> list[str]:
    """Warnings for the reader: levels or keys that do not match; an error if a column has no level in common."""
    apart = without_match(attrs)
    found = [*apart, *other_spellings(attrs)]
    if len(found) > SHOWN:
        found = [*found[:SHOWN], f"{len(found) - SHOWN} more such findings: see compare_levels, or the levels in the JSON report."]
    nothing = any(not entry["shared"] for entries in attrs.get("levels", {}).values() for entry in entries.values())
    if nothing and not allow_no_match:
        raise ValueError(f"{' '.join(apart[:SHOWN])} To report the tables as they are, use allow_no_match=True (--allow-no-match).")
    return found


def _given(original: Any, synthetic: Any, holdout: Any) -> dict[str, Any]:
    """The given paths, and the files that they name."""
    several = released(synthetic)[1]
    tables = {"original": [original], "synthetic": several, "holdout": [holdout]}
    paths = {name: [str(table) if files.is_path(table) else None for table in given] for name, given in tables.items()}
    stand_for = {name: [None if path is None else _files(path, name) for path in given] for name, given in paths.items()}
    found = {name: {what: of[what] for what in of if any(of[what])} for name, of in (("paths", paths), ("files", stand_for))}
    told: dict[str, Any] = {name: given if name == "synthetic" else given[0] for name, given in found["paths"].items()}
    if told:
        told["files"] = {name: given if name == "synthetic" else given[0] for name, given in found["files"].items()}
    return told


def _files(path: str, name: str) -> list[str]:
    """The files that a path stands for; relative where it is, so that a report does not say where the folder lies."""
    found = files.local_files(path, name)
    return found if Path(path).is_absolute() or path.startswith("~") else [os.path.relpath(file) for file in found]


def _understood(tables: xr.Dataset) -> dict[str, Any]:
    """The columns, their kinds and levels in the original, how the tables' levels meet, and the domain of the bounds."""
    observed = observed_domain(tables)
    names: dict[str, str] = {}  # those under which columns are stored -> their own
    columns: dict[str, dict[str, Any]] = {}
    for role, dim in (("keys", "key"), ("target", "target")):
        axis = axis_of(observed, dim)
        own = tables.attrs[f"{dim}_columns"]
        levels = [] if axis is None else [[canonical(x) for x in level] for level in axis.levels]
        names |= {} if axis is None else dict(zip(names_of(axis), own, strict=True))
        columns[role] = {name: _column(labels) for name, labels in zip(own, levels, strict=True)}
    sizes = {}
    for dim in ("target", "key"):
        more = foreign(tables.o, tables.s, dim)
        sizes[f"{dim}s"] = observed.sizes[dim] + more.item() if not more.ndim else [observed.sizes[dim] + x for x in more.values.tolist()]
    return {
        "columns": columns,
        "domain": {"kind": "original and synthetic", **sizes},
        **{name: {names[c]: x for c, x in tables.attrs[name].items()} for name in ("bins", "levels") if name in tables.attrs},
    }


def _column(labels: Sequence[Any]) -> dict[str, Any]:
    known = [x for x in labels if x is not MISSING]
    return {"kind": kind_of(known[0]) if known else None, "levels": len(known), "missing": len(known) < len(labels)}


def _plain(value: Any) -> Any:
    """A number or a label as JSON knows it; one that is undefined or missing is None."""
    value = canonical(value)
    return None if value is MISSING else value if isinstance(value, (str, int, float, bool)) else str(value)
