"""The page for the custodian: everything that an audit knows, as confidential as the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from capstats.auditing import figures
from capstats.auditing.definitions import definitions
from capstats.auditing.fingerprints import fingerprints
from capstats.auditing.page import as_page
from capstats.auditing.report import Block, Facts, Grid, Listing, Sections, count, many, share
from capstats.auditing.sentences import DETAILS, OF_ONE, by_level, compared, grids, headings, in_order, in_sentences, notes, target_of, title, unit
from capstats.auditing.what_was_read import SIDE_BY_SIDE, facts
from capstats.codes.printable import in_cell, listed, named, shortened
from capstats.disclosure.records import key_summary
from capstats.tables.axes import axis_of

if TYPE_CHECKING:
    from capstats.auditing.audits import Audit

HEADING = 44  # characters of the name of a synthetic table
WORST = 10  # keys that are listed
LEVEL = 28  # characters of a label in a key
DISAGREEING = 40  # rows of columns whose levels do not meet

Rows = Mapping[str, tuple[str, str, str]]
MATCHED: Rows = {
    "matched_share": ("share of {people} whose keys are in the synthetic data", "share", "matched"),
    "unmatched_records": ("{people} whose keys no synthetic record has", "count", "unmatched"),
}
SURE: Rows = {
    "records_above_half": ("{people} guessed right with probability > 0.5", "count", "> 0.5"),
    "share_above_half": ("  share", "share", "share > 0.5"),
    "records_above_nine_tenths": ("{people} guessed right with probability > 0.9", "count", "> 0.9"),
    "share_above_nine_tenths": ("  share", "share", "share > 0.9"),
}
CERTAIN: Rows = {
    "records_certain": ("{people} guessed right with certainty", "count", "certain"),
    "share_certain": ("  share (DiSCO)", "share", "certain, share"),
    "share_certain_wrong": ("share for whom the guess is certain and wrong", "share", "certain and wrong"),
    "original_certain": ("share certain in the original itself (DiO)", "share", "in the original"),
    "share_unique": ("share of {people} unique in the original", "share", "unique"),
    "share_replicated": ("  and in the synthetic data with exactly one record", "share", "replicated"),
}
RELEASES = {  # columns of the comparison -> whether they are shares or numbers
    "average_cap": "average CAP",
    "average_cap_error": "standard error",
    "difference": "difference",
    "difference_error": "its error",
    "holdout_cap": "holdout",
    "individual_disclosure": "to holdout",
    "individual_disclosure_error": "its error",
    "matched_share": "matched",
    "share_certain": "certain",
    "target_distance": "target distance",
}
OF_COLUMNS = {"alone": "alone", "without": "all without it", "leave_one_out": "its own part", "shapley": "Shapley value"}


def internal_page(audit: Audit) -> str:
    """The page as text."""
    note = (
        f"Internal version, as confidential as the original: it names keys and labels however few {unit(audit.measures)} have them. "
        f"Average CAP, differences and errors are shares from 0 to 1; it judges nothing."
    )
    return as_page(title(audit.provenance), internal_sections(audit), note=note, footer=f"capstats {audit.provenance['capstats']}. Confidential.")


def internal_sections(audit: Audit) -> Sections:
    """The sections of the page."""
    m, by_target, p, labels = in_order(audit.measures, audit.by_target, audit.provenance, audit.columns, audit.ranked)
    heads = headings(labels, HEADING if len(labels) > SIDE_BY_SIDE else HEADING // 2)
    several = len(labels) > 1
    found: dict[str, Sequence[Block]] = {
        "Read this first": list(p.get("warnings", [])),
        "What was compared": [Facts(facts(m, p, labels, heads))],
        "The answer": compared(m, p, heads)[:-1] if labels != [""] else in_sentences(m, p),
        "Who could attack, and how": _attack(p, m),
        "The releases side by side": [*_comparison(m, p, heads)] if several else [],
        f"Matched {unit(m)}": grids(m, p, [MATCHED], heads, digits=4, caption=f"{unit(m).capitalize()} for whom the attack finds a synthetic record"),
        "Distribution of the risk": _distribution(audit, m, p, heads),
        f"By {target_of(p)}": by_level(by_target, p, labels, heads, unit(m)),
        f"Certain attribution and unique {unit(m)}": grids(m, p, [CERTAIN], heads, digits=4, caption="Certain attribution, unique and replicated records"),
        "Which columns make the risk": _columns(audit, heads),
        "Bounds": _bounds(m, p, heads),
        "Keys at the highest risk": _worst(audit, labels),
        "Levels that do not meet": _levels(p),
        "Definitions": [definitions({*map(str, m.data_vars), *map(str, audit.by_column.data_vars), "distribution"}), Facts(notes(m, p))],
        "How it was computed": _computed(audit),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def _attack(p: Mapping[str, Any], m: xr.Dataset) -> list[Block]:
    return [
        f"The attack needs no more than the synthetic data and the keys of a person who is in the original. It fails for {unit(m)} whose keys no "
        f"synthetic record has. Whoever knows that a person is in the original, such as a neighbour, a colleague or the holder of another "
        f"register with {listed(list(map(named, p['columns']['keys'])))}, could attempt it.",
    ]


def _comparison(m: xr.Dataset, p: Mapping[str, Any], heads: Sequence[str]) -> list[Block]:
    """One row a release, in the order asked for, and the numbers of the caller."""
    ranked = f", ranked by {named(p['rank_by'])}" if "rank_by" in p else ", in the order given"
    against = f" Differences are to {named(p['against'])}, {unit(m)} by {unit(m)}." if "against" in p else ""
    names = {**{name: head for name, head in RELEASES.items() if name in m}, **{name: name for name in p.get("utility") or [] if name in m}}
    rows = [[head, *(share(m[name].values[i], 4) for name in names)] for i, head in enumerate(heads)]
    blocks: list[Block] = [Grid(["synthetic", *names.values()], rows, f"One row a release{ranked}")]
    return [*([against.strip()] if against else []), *blocks]


def _distribution(audit: Audit, m: xr.Dataset, p: Mapping[str, Any], heads: Sequence[str]) -> list[Block]:
    numbers = grids(m, p, [SURE, OF_ONE], heads, digits=4, caption="Quantiles of the CAP of one person, and how surely people are guessed right")
    return [*figures.boxes(audit, heads), *figures.curves(audit, heads), *numbers]


def _columns(audit: Audit, heads: Sequence[str]) -> list[Block]:
    """Average CAP by key column; of many releases what each column adds to the others."""
    c = audit.by_column
    columns = [named(x) for x in c.indexes["key_column"]]
    if "synthetic" not in c.dims:
        names = {name: head for name, head in OF_COLUMNS.items() if name in c}
        rows = [[column, *(share(c[name].values[i], 4) for name in names)] for i, column in enumerate(columns)]
        return [Grid(["key column", *names.values()], rows, "Average CAP by key column")]
    c = c.isel(synthetic=audit.ranked)
    blocks: list[Block] = []
    for name, head in {"alone": "Average CAP if only this column is known", "leave_one_out": "What a column adds to the others"}.items():
        values = c[name].transpose("synthetic", "key_column").values
        blocks.append(Grid(["synthetic", *columns], [[label, *(share(x, 4) for x in row)] for label, row in zip(heads, values, strict=True)], head))
    return blocks


def _bounds(m: xr.Dataset, p: Mapping[str, Any], heads: Sequence[str]) -> list[Block]:
    rows = {name: DETAILS[name] for name in DETAILS if name != "matched_share"}
    return grids(m, p, [rows], heads, digits=4, caption="Average CAP, and the least and greatest that any synthetic table can have")


def _worst(audit: Audit, labels: Sequence[str]) -> list[Block]:
    """The keys with the most people guessed right, and those of people guessed right with certainty, of the first release."""
    first = audit.ranked[0]
    o, s = audit.tables.o, audit.tables.s
    summary = key_summary(o, s.isel(synthetic=first, drop=True) if s.ndim == 3 else s)
    records, cap, correct, disclosed = (summary[name].values for name in ("records", "cap", "correct", "disclosed"))
    some = np.flatnonzero(correct > 0)
    most = some[np.lexsort((-cap[some], -correct[some]))][:WORST]
    sure = np.flatnonzero(disclosed > 0)
    rare = sure[np.lexsort((-cap[sure], records[sure]))][:WORST]
    of = f" ({shortened(labels[0], HEADING)})" if labels[0] else ""
    people = unit(audit.measures)
    blocks: list[Block] = [
        _keys(audit, summary, most, f"The {len(most)} keys with the most {people} expected to be guessed right{of}"),
        *([_keys(audit, summary, rare, f"The {len(rare)} rarest keys with {people} guessed right with certainty{of}")] if len(rare) else []),
    ]
    if len(sure) > WORST:
        blocks.append(f"{many(len(sure) - WORST, 'more key')} with {people} guessed right with certainty.")
    return [*blocks, figures.funnel(audit, first)]


def _keys(audit: Audit, summary: xr.Dataset, which: Sequence[int] | Any, caption: str) -> Grid:
    axis = axis_of(audit.tables.o, "key")
    rows = []
    for j in which:
        label = axis[j] if axis is not None else (j,)
        one = summary.isel(key=j)
        rows.append(
            [
                ", ".join(shortened(in_cell(x), LEVEL) for x in (label if isinstance(label, tuple) else (label,))),
                count(one.records.item()),
                count(one.synthetic_records.item()),
                share(one.cap.item()),
                count(one.correct.item()),
                count(one.disclosed.item()),
            ]
        )
    keys = ", ".join(named(x) for x in audit.provenance["columns"]["keys"])
    return Grid([keys, "original", "synthetic", "average CAP", "expected right", "certain"], rows, caption)


def _levels(p: Mapping[str, Any]) -> list[Block]:
    """The columns whose levels differ between the tables, those with most records first."""
    entries = [(column, table, entry) for column, tables in p.get("levels", {}).items() for table, entry in tables.items()]
    entries.sort(key=lambda found: -(found[2]["absent_records"] + found[2]["foreign_records"]))
    if not entries:
        return ["Every table has all levels of the original, and no others."]
    rows = [
        [
            f"{named(column)} of {shortened(str(table), HEADING)}",
            *(count(entry[name]) for name in ("absent", "absent_records", "foreign", "foreign_records")),
            ", ".join(entry["likely"]) or "-",
        ]
        for column, table, entry in entries[:DISAGREEING]
    ]
    head = ["column", "levels only in original", "records", "levels only there", "records", "likely cause"]
    rest = len(entries) - DISAGREEING
    return [Grid(head, rows, "Levels that only one of two tables has"), *([f"Not shown: {many(rest, 'more pair')} of tables."] if rest > 0 else [])]


def _computed(audit: Audit) -> list[Block]:
    """Versions, conventions, files, and the settings with which the audit can be repeated."""
    p = audit.provenance
    rows = [("version", f"capstats {p['capstats']}")]
    rows += [(name, str(p[name])) for name in ("seed", "source") if name in p]
    rows += [("" if i else "conventions", f"{name}: {text}") for i, (name, text) in enumerate(p["conventions"].items())]
    rows += [("" if i else "files", f"{name}: {text}") for i, (name, text) in enumerate(fingerprints(audit.seen))]
    settings = p.get("settings")
    return [Facts(rows), *(["Settings with which the audit can be repeated:", Listing(str(settings))] if settings else [])]

