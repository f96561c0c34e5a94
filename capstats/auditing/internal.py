"""The page for the custodian: everything that an audit knows, as confidential as the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from platform import python_version
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing import compared, figures, sentences
from capstats.auditing.definitions import definitions
from capstats.auditing.findings import Findings
from capstats.auditing.fingerprints import fingerprints
from capstats.auditing.page import as_page
from capstats.auditing.report import Block, Facts, Grid, Listing, Sections
from capstats.auditing.sentences import attack, by_level, in_sentences, notes, of_individuals, target_of, title, unit
from capstats.auditing.settings import as_toml
from capstats.auditing.what_was_read import facts
from capstats.codes.names import in_cell, listed, named, shortened
from capstats.disclosure.records import key_summary
from capstats.tables.axes import axis_of
from capstats.tables.printing import count, many, share

HEADING = 28  # characters of the name of a synthetic table
LONGEST = 64  # the same in a sentence
WORST = 10  # keys that are listed
NOTES = ("weighted", "not given", "confidential")  # of the notes of the text, those that no definition says
LEVEL = 28  # characters of a label in a key
DISAGREEING = 40  # rows of columns whose levels do not meet

# measure -> what it says where it is a row, whether it is a share or a number, and its heading where it is a column
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
OF_ONE: Rows = {
    name: (text, form, compared.DETAILS[name][0]) for name, (text, form) in sentences.OF_ONE.items() if name in compared.DETAILS
}
CERTAIN: Rows = {
    "records_certain": ("{people} guessed right with certainty", "count", "certain and right"),
    "share_certain": ("  share (DiSCO)", "share", "share (DiSCO)"),
    "share_certain_wrong": ("share for whom the guess is certain and wrong", "share", "certain and wrong"),
    "original_certain": ("share certain in the original itself (DiO)", "share", "in the original (DiO)"),
    "share_unique": ("share of {people} unique in the original", "share", "unique"),
    "share_replicated": ("  and in the synthetic data with exactly one record", "share", "replicated"),
}
BOUNDS: Rows = {
    name: (text, form, {"average_cap": "version 1"}.get(name, compared.DETAILS.get(name, ("",))[0]))
    for name, (text, form) in sentences.DETAILS.items()
    if name not in MATCHED
}
ERRORS: Rows = {
    "average_cap": ("average CAP", "share", "average CAP"),
    "average_cap_error": ("  standard error, the original as a sample", "share", "error"),
    "holdout_cap": ("average CAP of {people} not used for synthesis (holdout)", "share", "holdout"),
    "individual_disclosure": ("  difference", "share", "difference"),
    "individual_disclosure_error": ("  standard error of the difference", "share", "its error"),
    "membership_p_value": ("  p-value of the difference, the labels used and not used permuted", "share", "its p-value"),
    "permutation_p_value": ("p-value of average CAP, the synthetic targets permuted (a test of utility)", "share", "p-value of the link"),
}
RELEASES = (  # columns of the comparison
    *(name for name in compared.RISK if not name.startswith(("records", "unmatched", "target"))),
    "matched_share",
    "share_certain",
    "target_distance",
    "permutation_p_value",
)
OF_COLUMNS = {"alone": "alone", "without": "all without it", "leave_one_out": "its own part", "shapley": "Shapley value"}


def internal_page(audit: Findings) -> str:
    """The page as text."""
    note = (
        f"Internal version, as confidential as the original: it names keys and labels however few {unit(audit.measures)} have them. "
        f"Average CAP, differences and errors are shares from 0 to 1; it judges nothing."
    )
    return as_page(
        title(audit.provenance), internal_sections(audit), note=note, footer=f"capstats {audit.provenance['capstats']}. Confidential."
    )


def internal_sections(audit: Findings) -> Sections:
    """The sections of the page."""
    m, p, labels, order = audit.measures, audit.provenance, audit.columns, audit.ranked
    heads, people, one = compared.headings(labels, HEADING), unit(m), len(labels) == 1

    def grid(rows: Rows, caption: str) -> list[Block]:
        return _grid(m, rows, heads, order, caption)

    measures = {*map(str, m.data_vars), *map(str, audit.by_column.data_vars), "distribution"}
    weighted = [table for table in ("original", "synthetic") if f"{table}_weight" in m]
    found: dict[str, Sequence[Block]] = {
        "Read this first": list(p.get("warnings", [])),
        "What was compared": [Facts(facts(m, p, labels, heads))],
        "The answer": in_sentences(m, p) if one else _answers(m, p, heads),
        "Who could attack, and how": _attack(p, m),
        "The releases side by side": [] if one else [*_comparison(m, p, heads, order), *figures.releases(audit, heads)],
        f"Matched {people}": grid(MATCHED, f"{people.capitalize()} for whom the attack finds a synthetic record"),
        "Distribution of the risk": [
            *figures.distribution(audit, [heads[i] for i in order]),
            *grid(SURE, f"How many {people} are guessed right, and how surely"),
            *grid(OF_ONE, f"Quantiles of individual CAP, over the {people}"),
        ],
        f"By {target_of(p)}": by_level(audit.by_target, p, heads, order, people),
        f"Certain attribution and unique {people}": grid(CERTAIN, "Certain attribution, unique and replicated records"),
        "Which columns make the risk": _columns(audit, heads),
        "Bounds and errors": [
            *grid(BOUNDS, "Average CAP, and the least and greatest that any synthetic table can have"),
            *(grid(ERRORS, "Average CAP and its sampling error") if one and "average_cap_error" in m else []),
        ],
        "Keys at the highest risk": _worst(audit, heads),
        "Levels that do not meet": _levels(p),
        "Definitions": [definitions(measures, weighted), Facts([note for note in notes(m, p) if note[0] in NOTES])],
        "How it was computed": _computed(audit),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def _grid(m: xr.Dataset, rows: Rows, heads: Sequence[str], order: Sequence[int], caption: str) -> list[Block]:
    """Measures of one synthetic table as rows, or of several as columns."""
    forms = {"share": lambda x: share(x, 4), "count": count}
    held = {name: [forms[form](x) for x in np.broadcast_to(m[name].values, len(heads))] for name, (_, form, _) in rows.items() if name in m}
    if not held:
        return []
    if len(heads) == 1:
        return [Grid(["", ""], [[rows[name][0].format(people=unit(m)), numbers[0]] for name, numbers in held.items()], caption)]
    table = [[heads[i], *(numbers[i] for numbers in held.values())] for i in order]
    return [Grid(["synthetic", *(rows[name][2] for name in held)], table, caption)]


def _answers(m: xr.Dataset, p: Mapping[str, Any], heads: Sequence[str]) -> list[Block]:
    """What several releases have in common, and the least and the greatest of them."""
    cap = m.average_cap.values
    low, high = int(np.argmin(cap)), int(np.argmax(cap))
    of = "weighted share" if "original_weight" in m else "share"
    told: list[Block] = [
        f"{attack(m, p)} Average CAP is the {of} of the {count(m.original_records.item())} {unit(m)} in the original for whom the guess is "
        f"expected to be right: from {share(cap[low])} ({heads[low]}) to {share(cap[high])} ({heads[high]}).",
        f"Without the synthetic data, a guess from the frequencies of {target_of(p)} in the original is right for a {of} of "
        f"{share(m.baseline.item())}. If the original itself were released, the {of} would be {share(m.original_cap.item())}.",
    ]
    if "individual_disclosure" in m:
        told.append(f"The difference to {unit(m)} not used for synthesis {of_individuals(p)}")
    return told


def _attack(p: Mapping[str, Any], m: xr.Dataset) -> list[Block]:
    return [
        f"The attack needs no more than the synthetic data and the keys of a person who is in the original. It fails for {unit(m)} whose "
        f"keys no synthetic record has. Whoever knows that a person is in the original, such as a neighbour, a colleague or the holder of "
        f"another register with {listed(list(map(named, p['columns']['keys'])))}, could attempt it.",
    ]


def _comparison(m: xr.Dataset, p: Mapping[str, Any], heads: Sequence[str], order: Sequence[int]) -> list[Block]:
    """One row a release, in the order asked for, and the numbers of the caller."""
    own = {**compared.RISK, **compared.DETAILS}
    names = {name: own[name][0] for name in RELEASES if name in m}
    asked = {name: shortened(in_cell(name), HEADING) for name in p.get("utility") or []}
    told = {"people": unit(m), "against": shortened(named(p.get("against", "")), LONGEST)}
    meanings = [(head, own[name][2].format(**told)) for name, head in names.items()]
    meanings += [(head, f"{shortened(named(name), LONGEST)}, as given") for name, head in asked.items()]
    rows = [
        [
            heads[i],
            *(share(m[name].values[i], 4) for name in names),
            *(compared.number(m[name].values[i]) for name in asked),
        ]
        for i in order
    ]
    return [*compared.ranked_by(p, own), Grid(["synthetic", *names.values(), *asked.values()], rows, "One row a release"), Facts(meanings)]


def _columns(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """Average CAP by key column; of several releases what each column adds to the others."""
    c = audit.by_column
    if "synthetic" in c.dims:
        return compared.by_column(c, heads, audit.ranked)
    names = {name: head for name, head in OF_COLUMNS.items() if name in c}
    rows = [[named(column), *(share(c[name].values[i], 4) for name in names)] for i, column in enumerate(c.indexes["key_column"])]
    return [Grid(["key column", *names.values()], rows, "Average CAP by key column")]


def _worst(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """The keys with the most people guessed right, and those of people guessed right with certainty, of the first release."""
    first = audit.ranked[0]
    summary = key_summary(audit.tables.o, audit.release(first))
    records, cap, correct, disclosed = (summary[name].values for name in ("records", "cap", "correct", "disclosed"))
    some = np.flatnonzero(correct > 0)
    most = some[np.lexsort((-cap[some], -correct[some]))][:WORST]
    sure = np.flatnonzero(disclosed > 0)
    rare = sure[np.lexsort((-cap[sure], records[sure]))][:WORST]
    of = f" ({heads[first]})" if heads[first] else ""
    people = unit(audit.measures)
    blocks: list[Block] = [
        _keys(audit, summary, most, f"The keys with the most {people} expected to be guessed right{of}"),
        *([_keys(audit, summary, rare, f"The rarest keys with {people} guessed right with certainty{of}")] if len(rare) else []),
    ]
    if len(sure) > WORST:
        blocks.append(f"{many(len(sure) - WORST, 'more key')} with {people} guessed right with certainty.")
    return [*blocks, figures.funnel(audit, summary, first)]


def _keys(audit: Findings, summary: xr.Dataset, which: Sequence[int] | Any, caption: str) -> Grid:
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
            f"{named(column)} of {shortened(str(table), LONGEST)}",
            *(count(entry[name]) for name in ("absent", "absent_records", "foreign", "foreign_records")),
            ", ".join(entry["likely"]) or "-",
        ]
        for column, table, entry in entries[:DISAGREEING]
    ]
    head = ["column", "levels only in original", "records", "levels only there", "records", "likely cause"]
    rest = len(entries) - DISAGREEING
    return [
        Grid(head, rows, "Levels that only one of two tables has"),
        *([f"Not shown: {many(rest, 'more pair')} of tables."] if rest > 0 else []),
    ]


def _computed(audit: Findings) -> list[Block]:
    """Versions, conventions, files, and the settings with which the audit can be repeated."""
    p = audit.provenance
    used = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "numpy", "pandas", "xarray"))
    rows = [("versions", f"capstats {p['capstats']}, Python {python_version()}, {used}")]
    rows += [(name, str(p[name])) for name in ("seed", "source") if name in p]
    rows += [("" if i else "conventions", f"{name}: {text}") for i, (name, text) in enumerate(p["conventions"].items())]
    rows += [("" if i else "files", f"{name}: {text}") for i, (name, text) in enumerate(fingerprints(audit.seen))]
    settings = p.get("settings")
    again: list[Block] = ["Settings with which the audit can be repeated:", Listing(as_toml(settings))] if settings else []
    return [Facts(rows), *again]
