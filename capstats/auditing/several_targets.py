"""One audit of many targets: each of them alone is guessed from the same keys, and those at the highest risk come first."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
import pandas as pd
import xarray as xr

from capstats.auditing.compute import Asked, copied
from capstats.auditing.findings import Copies, Judged, Limit, Seen, judged
from capstats.auditing.measures import OF_TARGET, SENTENCES, words
from capstats.auditing.record import files_seen, meanings, recorded, today, warnings_of
from capstats.codes.names import in_cell, listed, named
from capstats.codes.progress import Progress
from capstats.counting.copies import COLUMNS
from capstats.counting.every_column import Looked, every_column, is_identifier
from capstats.counting.reading import files_read
from capstats.counting.records import each_target, on_axes
from capstats.counting.request import Columns, Reading, Request, chosen_columns, shows_options
from capstats.describing.descriptions import FirstReading
from capstats.reports.blocks import Alert, Block, Facts, Grid, Listing, Report, Sections, headings, not_shown
from capstats.reports.repeating import call, command, restricted, settings_of
from capstats.sources.source import Options
from capstats.tables.aligned import total_of
from capstats.tables.dataset import VERSION
from capstats.tables.levels import mismatched, shares_nothing
from capstats.tables.printing import Result, count, many, share
from capstats.tables.sums import ratio

ALL_TARGETS = "all"
LEVELS = 1000  # of a target that "all" takes, at most
ROWS = 60  # of the table of a text
SHOWN = 10  # columns of which an error says why they are left out
WIDEST = 24  # characters of a name in a table
TEXTS = SENTENCES["targets"]


@dataclass(frozen=True, repr=False)
class TargetAudits(Report):
    """Result of `audit_targets`: the measures of every target.

    Attributes
    ----------
    measures : Dataset
        One variable a measure, dims ``target_column`` in the order in which they were given, and ``synthetic`` where several synthetic
        tables were given: ``levels``, ``average_cap_nearest``, ``average_cap_zero``, ``baseline``, ``baseline_excess``, ``original_cap``,
        ``normalized_cap``, ``records_above_nine_tenths`` and ``records_certain`` with their shares; and what `audit` knows of copies of
        whole records, such as ``copied_beyond_chance``, which are the same for all targets.
    left_out : dict {column: reason}
        Columns that are no target, where all were asked for.
    provenance : dict
        Version, files, keys, numbers of records, warnings, and what the caller added.
    seen : mapping
        Size and time of change of each file that was read.
    """

    measures: xr.Dataset
    left_out: dict[str, str]
    provenance: dict[str, Any]
    arguments: dict[str, Any]  # of the full audit of the worst target
    seen: Mapping[str, Seen] = field(default_factory=dict)
    copies: Mapping[str, Any] = field(default_factory=dict)  # what is known of records that are copies

    def to_frame(self) -> pd.DataFrame:
        """A row for each target, and each synthetic table where there are several, the worst first; a column for each measure."""
        dims = [str(dim) for dim in ("target_column", "synthetic") if dim in self.measures.dims]
        frame = self.measures[list(OF_TARGET)].to_dataframe(dim_order=dims)[list(OF_TARGET)]
        excess = np.nan_to_num(frame["baseline_excess"].round(12), nan=-np.inf)
        return frame.iloc[np.lexsort([-frame["records_above_nine_tenths"], -excess])]

    def to_dict(self) -> dict[str, Any]:
        """The record: the rows of `to_frame`, copies, columns left out, limits and provenance; what is undefined is None."""
        rows = self.to_frame().reset_index().to_dict("records")
        found = {"targets": rows, "copies": self.copies, "left_out": self.left_out}
        return recorded(self, found, meanings(OF_TARGET, self.provenance, self.weighted))

    @property
    def weighted(self) -> set[str]:
        """The tables whose records have sampling weights."""
        return {table.partition("[")[0] for table in self.provenance.get("weights", {})}

    @property
    def judged(self) -> list[Judged]:
        """Each limit in the provenance for each target and synthetic table, with its reasons and its verdict."""
        return self._judged(self.provenance.get("limits", {}))

    def limits(self, limits: Mapping[str, Limit]) -> list[tuple[str, bool]]:
        """Each limit of a measure, as text, and whether each target and synthetic table keeps it."""
        return [(limit.text, limit.verdict == "kept") for limit in self._judged(limits)]

    def _judged(self, limits: Mapping[str, Limit]) -> list[Judged]:
        copies = self.copies.get("not_computed", self.copies) or TEXTS["no_copies"]
        return judged(self.measures, limits, copies, self.provenance.get("mismatched", {}))

    @property
    def command(self) -> str:
        """The full audit of the worst target: a command for a shell where the tables are files, else a call of Python."""
        files = [self.provenance.get("original"), *self.provenance.get("synthetic", [None])]
        holdout = {"holdout": self.provenance.get("holdout")} if "holdout_records" in self.provenance else {}
        if all([*files, *holdout.values()]):
            return command("audit", files, holdout | self.arguments, ["--html report.html"])
        return call(self.arguments, ["original", "synthetic", *(f"{name}={name}" for name in holdout)])

    def title(self) -> str:
        """What the report is."""
        return f"capstats {VERSION}: disclosure risk of each target by Correct Attribution Probability (CAP)"

    def sections(self, *, whole: bool = False) -> Sections:
        """The report: what was read, the order, the table, and the command for the worst target."""
        p, frame = self.provenance, self.to_frame()
        several = isinstance(frame.index, pd.MultiIndex)
        labels = self.measures.indexes["synthetic"] if several else [None]
        given = p.get("synthetic", [None] * len(labels))
        numbers = np.atleast_1d(p["synthetic_records"]).tolist()
        tables = [(name, p.get(name), p[f"{name}_records"]) for name in ("original", "holdout") if f"{name}_records" in p]
        tables[1:1] = [
            ("" if i else "synthetic", path or label, n) for i, (path, label, n) in enumerate(zip(given, labels, numbers, strict=True))
        ]
        known = listed([named(c) for c in p["keys"]])
        read = [(name, f"{source}, " * (source is not None) + many(n, "record")) for name, source, n in tables]
        read += [("keys", known), ("targets", many(self.measures.sizes["target_column"], "column"))]
        read += [("missing", TEXTS["dropped"])] if p["missing"] == "drop" else []
        own = words(self.weighted)
        shown_measures = {name: of for name, of in OF_TARGET.items() if of.heading}
        rows = []
        for index, row in frame.iterrows():
            label = [in_cell(x, WIDEST) for x in (index if isinstance(index, tuple) else (index,))]
            rows.append([*label, *((count if of.form == "count" else share)(row[name]) for name, of in shown_measures.items())])
        head = ["target", *(["synthetic"] if several else []), *(of.heading for of in shown_measures.values())]
        copies = Copies(self.copies, headings([str(x) for x in labels] if several else [""]), own)
        places = range(len(labels))
        told = [text for i in places for text in copies.said(i)] or [f"{self.copies.get('not_computed', TEXTS['no_copies'])}."]
        shown: dict[str, Sequence[Block]] = {
            "Read this first": [*map(Alert, copies.alert(places)), *p.get("warnings", [])],
            "Targets, the worst first": [
                TEXTS["attack"].format_map({**own, "known": known}),
                TEXTS["order"].format_map(own),
                Grid(head, rows if whole else rows[:ROWS]),
                *([] if whole else not_shown(len(rows) - ROWS, "more row", "; see --json, or to_frame.")),
            ],
            "Copies of real records": told if not any(map(copies.found, places)) or several else [],
            "The full report on the worst target": [Listing(self.command)],
            "What was read": [Facts(read)],
            "Columns left out": [Facts([(str(named(c)), why) for c, why in self.left_out.items()])] if self.left_out else [],
            "How to read it": [
                Facts(
                    [*((of.heading, of.meaning.format_map(own)) for of in shown_measures.values()), ("confidential", "as the original is")]
                ),
                TEXTS["excess"],
            ],
        }
        return {name: blocks for name, blocks in shown.items() if blocks}


@shows_options
def audit_targets(
    original: Any,
    synthetic: Any,
    *,
    keys: Columns,
    targets: Columns = ALL_TARGETS,
    holdout: Any = None,
    allow_no_match: bool = False,
    allow_same: bool = False,
    copy_columns: int = COLUMNS,
    provenance: Mapping[str, Any] | None = None,
    **reading: Unpack[Reading],
) -> TargetAudits:
    """Disclosure risk of many targets, each guessed alone from the same keys: which of them a release tells most about.

    It reads the records once for all targets, and says for which of them a full `audit` is due.

    Parameters
    ----------
    original : data frame, mapping of columns, or path
        The confidential records.
    synthetic : data frame, mapping of columns, or path; or several
        The releases.
    keys : column name or sequence of names
        The columns that the intruder knows.
    targets : "all", column name or sequence of names
        The columns to guess, each alone. "all" are all columns that every table has, without the keys, weights, identifiers (nearly
        every record has a level of its own), columns with one level or, unless `bins` cuts them, with more than 1,000.
    holdout : data frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis, as in `audit`: by them it is judged whether people were copied.
    allow_no_match, allow_same, copy_columns
        As in `audit`. Without the first, "all" leaves out targets that share no level. Copies of whole records are looked for once.
    provenance : mapping, optional
        Further provenance of the result.
    missing, null_values, allow_unused_codes, types, bins, weights, counts, backing
        As in `tabulate`.
    encoding, decimal, sheet, skip, rename, memory_limit, spill_dir, progress
        As in `tabulate`. With ``missing="drop"`` a record is left out of a target's row if a key or this target is missing.

    Returns
    -------
    TargetAudits
        Prints as a report, a row for each target, the worst first; ``to_frame`` has these rows. Shares are from 0 to 1.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        As `audit`; if there is no target.

    See Also
    --------
    audit : everything about one target. screening.sweep : subsets of the keys. describe

    Notes
    -----
    The numbers of a target are those of its own `audit`. ``baseline_excess``, by which targets are ordered, is the share of the guesses
    wrong at the baseline that the release makes right, net: comparable between targets of few and of many levels. See
    theory/baselines.md#baselines and theory/baselines.md#comparison.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi, "A Unified Framework for Quantifying Privacy Risk in Synthetic Data" (2023), equation 1, for
    the excess over a baseline as a share of 1 minus the baseline. https://doi.org/10.56553/popets-2023-0055

    Examples
    --------
    The release tells `health` of everybody whose `smoker` is known, and nothing about `town`:

    >>> people = {"smoker": ["yes", "yes", "no", "no"], "health": ["ill", "ill", "well", "well"], "town": ["a", "b", "a", "b"]}
    >>> found = audit_targets(people, people, keys="smoker", allow_same=True)
    >>> found.to_frame()[["average_cap_nearest", "baseline", "baseline_excess"]].reset_index().values.tolist()
    [['health', 1.0, 0.5, 1.0], ['town', 0.5, 0.5, 0.0]]
    """
    every = isinstance(targets, str) and targets == ALL_TARGETS
    allowed = {"allow_same": allow_same, "allow_no_match": allow_no_match}
    data = {"original": original, "holdout": holdout, "keys": keys, "targets": targets}
    settings = settings_of(synthetic, {**data, **allowed, "copy_columns": copy_columns, **reading})
    key_columns = chosen_columns(keys, "keys")
    left_out: dict[str, str] = {}
    with Progress(reading.get("progress")) as shown:
        if every:
            targets, left_out = _all_targets(original, synthetic, key_columns, reading, shown)
            reading = {"progress": reading.get("progress"), **restricted(reading, [*key_columns, *targets])}  # type: ignore[typeddict-item]
        several = chosen_columns(targets, "targets")
        given = {"original": original, "synthetic": synthetic, "keys": keys, "target": several, "target_argument": "targets"}
        request = Request.of(reading, **given, holdout=holdout, allow_same=allow_same, copy_columns=copy_columns)
        rows: dict[Hashable, dict[str, Any]] = {}
        attrs: dict[str, Any] = {"levels": {}, "likely_codes": {}, "fine_targets": {}}
        for column, records in each_target(request, shown):
            shown.step(f"computing the measures of {column}")
            try:
                tables = on_axes(records)[0]
            except TypeError as error:  # labels of different kinds
                if not every:
                    raise
                left_out[str(column)] = str(error)
                continue
            apart = [x for of_table in tables.attrs.get("levels", {}).values() for x in of_table.values() if shares_nothing(x)]
            if every and not allow_no_match and apart and all(x["role"] == "target" for x in apart):
                left_out[str(column)] = "it has no level in common in the original and another table"
                continue
            for name, of_columns in attrs.items():
                of_columns |= tables.attrs.get(name, {})
            unmatched = tables.attrs.get("unmatched_tables", [])  # the same for all targets
            rows[column], copies, inputs = _measured(tables), records.copies or {}, records.inputs
    if not rows:
        raise _no_target(left_out)
    read = _all_records(tables)
    found = _joined(rows, read["synthetic"]).assign(copied(copies, read["synthetic"]))
    known = {
        "date": today(),
        "capstats": VERSION,
        **files_read(inputs),
        "keys": list(map(str, key_columns)),
        "missing": request.missing,
        **({"weights": tables.attrs["weights"]} if "weights" in tables.attrs else {}),
        **{f"{name}_records": of.values.tolist() for name, of in read.items()},
    }
    attrs |= {"copies": copies, "unmatched_tables": unmatched, "null_values": request.codes_as_texts()}
    warnings = warnings_of(attrs, allow_no_match, {})
    known |= {**({"warnings": warnings} if warnings else {}), "mismatched": {} if allow_no_match else mismatched(attrs)}
    known |= {"settings": settings, **(provenance or {})}
    result = TargetAudits(found, left_out, known, {}, files_seen(known), copies)
    worst = result.to_frame().index[0]
    target = dict(zip(map(str, rows), rows, strict=True))[str(worst[0] if isinstance(worst, tuple) else worst)]
    arguments = {"keys": key_columns, "target": target, **restricted({**reading, **allowed}, [*key_columns, target])}
    return replace(result, arguments=arguments)


def _all_records(tables: xr.Dataset) -> dict[str, xr.DataArray]:
    """The numbers of records that were read, with those that are left out of the row of a target."""
    names = [name for name in ("original", "synthetic", "holdout") if name[0] in tables]
    found = {name: total_of(tables.get(f"{name[0]}_records", tables[name[0]])) for name in names}
    left_out = iter(tables.attrs.get("dropped", {}).values())
    return {name: of + np.reshape([next(left_out, 0) for _ in range(of.size)], of.shape) for name, of in found.items()}


def _all_targets(
    original: Any, synthetic: Any, keys: Sequence[Hashable], reading: Reading, shown: Progress
) -> tuple[list[Hashable], dict[str, str]]:
    """The columns that can be targets, and why each other one is left out."""
    same: Any = {name: x for name, x in reading.items() if name in FirstReading.__annotations__ and name != "progress"}
    tables, _ = every_column(original, synthetic, Options(**same, display=shown))
    bins: Any = {} if reading.get("bins") is None else reading["bins"]
    weights = _weights(reading.get("weights")) | _weights(reading.get("counts"))
    columns = [c for c in dict.fromkeys(c for table in tables for c in table.columns) if c not in keys and c not in weights]
    why = {c: "" if c in bins else _unfit(c, tables) for c in columns}
    chosen, left_out = [c for c, x in why.items() if not x], {str(c): x for c, x in why.items() if x}
    if not chosen:
        raise _no_target(left_out)
    return chosen, left_out


def _no_target(left_out: Mapping[str, str]) -> ValueError:
    why = "".join(f"; {named(c)}: {why}" for c, why in list(left_out.items())[:SHOWN])
    more = f"; and {len(left_out) - SHOWN} more" if len(left_out) > SHOWN else ""
    return ValueError(f"No column is fit for a target{why}{more}. Name the targets.")


def _unfit(column: Hashable, tables: Sequence[Looked]) -> str:
    """Why a column is no target; nothing where it may be one."""
    looks = [table.columns.get(column) for table in tables]
    if lacking := [table.name for table in tables if column not in table.columns]:
        return f"{listed([f'`{name}`' for name in lacking])} {'lack' if len(lacking) > 1 else 'lacks'} it"
    if any(look is None or look.held == "other" for look in looks):
        return "its values are of several kinds, or too long"
    look = looks[0]
    if look is None or look.margin.levels + bool(look.margin.missing) < 2:
        return "it has one level"
    if is_identifier(look):
        return "nearly every record has a level of its own, as of an identifier"
    most = max(x.margin.levels for x in looks if x is not None)
    return f"it has {most:,} levels, more than {LEVELS:,}; cut it with `bins` to have it here" if most > LEVELS else ""


def _weights(given: Any) -> set[Hashable]:
    """The columns that `weights` or `counts` names."""
    if isinstance(given, (Mapping, list, tuple)):
        return {x for value in (given.values() if isinstance(given, Mapping) else given) for x in _weights(value)}
    return set() if given is None else {given}


def _measured(tables: xr.Dataset) -> dict[str, xr.DataArray]:
    """The measures of one target, as its own audit has them."""
    asked = Asked(tables)
    average, baseline = asked.average, asked["baseline"]
    own = {
        "levels": (asked.by_target.records > 0).sum("target"),
        "average_cap_nearest": average if asked.unmatched == "nearest" else average * np.nan,
        "baseline_excess": xr.zeros_like(average) + ratio((average - baseline).values, (1 - baseline).values, np.nan),
    }
    return {name: own[name] if name in own else asked[name] for name in OF_TARGET}


def _joined(rows: Mapping[Hashable, Mapping[str, xr.DataArray]], releases: xr.DataArray) -> xr.Dataset:
    """The measures of all targets as one Dataset; ``releases`` has a number for each synthetic table."""
    coords: dict[str, Any] = {"target_column": list(map(str, rows))}
    if releases.dims:
        coords["synthetic"] = releases.indexes["synthetic"]
    of_all = {name: np.stack([np.broadcast_to(row[name].values, releases.shape) for row in rows.values()]) for name in OF_TARGET}
    return Result({name: (tuple(coords), of) for name, of in of_all.items()}, coords, {"result": "Measures of the targets"})
