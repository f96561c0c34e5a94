"""The page for the custodian: everything that an audit knows, as confidential as the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from platform import python_version
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing import figures
from capstats.auditing.findings import Findings
from capstats.auditing.front import title
from capstats.auditing.inputs import facts
from capstats.auditing.measures import BY_COLUMN, SENTENCES, definitions, in_table
from capstats.auditing.provenance import as_toml, fingerprints
from capstats.auditing.report import Block, Facts, Grid, Listing, Sections, as_page, headings, not_shown
from capstats.auditing.sections import (
    LONGEST,
    added_by_column,
    attack,
    by_level,
    cells,
    in_sentences,
    legend,
    measure_grid,
    notes,
    ranked_by,
    rows_of,
)
from capstats.codes.names import in_cell, listed, named, shortened
from capstats.disclosure.records import key_summary
from capstats.tables.axes import axis_of
from capstats.tables.printing import count, many, share

PAGE = SENTENCES["page"]
HEADING = 28  # characters of the name of a synthetic table
WORST = 10  # keys that are listed
NOTES = ("weighted", "not given", "confidential")  # of the notes of the text, those that no definition says
LEVEL = 28  # characters of a label in a key
DISAGREEING = 40  # rows of columns whose levels differ


def internal_page(audit: Findings, front: Sections) -> str:
    """The page as text, with its front sheet."""
    note, footer = audit.say(PAGE["note"]), f"capstats {audit.provenance['capstats']}. Confidential."
    return as_page(title(audit), internal_sections(audit), note=note, footer=footer, front=front)


def internal_sections(audit: Findings) -> Sections:
    """The sections of the page below the front sheet."""
    m, p, people = audit.measures, audit.provenance, audit.words["people"]
    heads = headings(audit.columns, HEADING)
    one = len(heads) == 1
    explained = {*map(str, m.data_vars), *map(str, audit.by_column.data_vars)}
    found: dict[str, Sequence[Block]] = {
        "What was compared": [Facts(facts(m, p, audit.columns, heads))],
        "The answer": in_sentences(audit) if one else [],
        "Who could attack, and how": [
            *([] if one else [attack(audit)]),
            audit.say(PAGE["attack"], keys=listed(list(map(named, p["columns"]["keys"])))),
        ],
        "The releases side by side": [] if one else [*_comparison(audit, heads), *figures.releases(audit, heads)],
        f"Matched {people}": measure_grid(audit, "matched", heads),
        "Distribution of the risk": [
            *figures.distribution(audit, [heads[i] for i in audit.ranked]),
            *measure_grid(audit, "surely", heads),
            *measure_grid(audit, "quantiles", heads),
        ],
        f"By {audit.words['target']}": by_level(audit, heads),
        f"Certain attribution and unique {people}": measure_grid(audit, "certain", heads),
        "Which columns make the risk": _columns(audit, heads),
        "Bounds and errors": [
            *measure_grid(audit, "bounds", heads),
            *(measure_grid(audit, "errors", heads) if one and f"{audit.average}_error" in m else []),
        ],
        "Among its sisters": measure_grid(audit, "sisters", heads),
        "In the population": measure_grid(audit, "population", heads),
        "Keys at the highest risk": _worst(audit, heads),
        "Levels that differ": _levels(p),
        "Definitions": [definitions(explained, audit.weighted), Facts([note for note in notes(audit) if note[0] in NOTES])],
        "How it was computed": _computed(audit),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def _comparison(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """One row a release, in the order asked for, and the numbers of the caller."""
    names = [*in_table("releases", audit.measures), *audit.provenance.get("utility", [])]
    rows = Grid.of_columns(rows_of(audit, heads), cells(audit, names, 4, HEADING).values(), "One row a release")
    return [*ranked_by(audit), rows, Facts(legend(audit, heads, names, HEADING))]


def _columns(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """Average CAP by key column; of several releases what each column adds to the others."""
    c = audit.by_column
    convention = SENTENCES["by_column"][c.attrs["unmatched"]]
    if "synthetic" in c.dims:
        return [*added_by_column(audit, heads), convention]
    names = [name for name in BY_COLUMN if name in c]
    rows = [[named(column), *(share(c[name].values[i], 4) for name in names)] for i, column in enumerate(c.indexes["key_column"])]
    return [Grid(["key column", *(BY_COLUMN[name].heading for name in names)], rows, "Average CAP by key column"), convention]


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
    people = audit.words["people"]
    blocks: list[Block] = [
        _keys(audit, summary, most, f"The keys with the most {people} expected to be guessed right{of}"),
        *([_keys(audit, summary, rare, f"The rarest keys with {people} guessed right with certainty{of}")] if len(rare) else []),
    ]
    if len(sure) > WORST:
        blocks.append(f"{many(len(sure) - WORST, 'more key')} with {people} guessed right with certainty.")
    return [*blocks, figures.funnel(audit, summary, first)]


def _keys(audit: Findings, summary: xr.Dataset, which: Any, caption: str) -> Grid:
    """Some keys of a summary, a row each."""
    axis, some = axis_of(audit.tables.o, "key"), summary.isel(key=which)
    labels = [tuple(axis[j]) if axis is not None else (j,) for j in which]
    names = [", ".join(shortened(in_cell(x), LEVEL) for x in label) for label in labels]
    heads = {
        "records": "original",
        "synthetic_records": "synthetic",
        "cap": "average CAP",
        "correct": "expected right",
        "disclosed": "certain",
    }
    columns = [[head, *map(share if name == "cap" else count, some[name].values.tolist())] for name, head in heads.items()]
    return Grid.of_columns([", ".join(named(x) for x in audit.provenance["columns"]["keys"]), *names], columns, caption)


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
    grid = Grid(head, rows, "Levels that only one of two tables has")
    return [grid, *not_shown(len(entries) - DISAGREEING, "more pair", " of tables.")]


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
