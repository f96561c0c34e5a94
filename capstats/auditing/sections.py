"""Sections of a report for the custodian: the answer, tables of measures, who bears the risk, how to read them; and those of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from platform import python_version
from typing import Any, cast

import numpy as np
import pandas as pd
import xarray as xr

from capstats.auditing import figures
from capstats.auditing.compute import SURELY, Z
from capstats.auditing.findings import LONGEST, SIDE_BY_SIDE, Findings, differing, holds_people, level_names
from capstats.auditing.measures import BY_COLUMN, MEASURES, SENTENCES, Shown, definitions, in_table, numbers
from capstats.auditing.record import differing_levels, facts, fingerprints
from capstats.cap.neighbours import rows_used
from capstats.codes.names import in_cell, listed, named, shortened
from capstats.disclosure.records import key_summary
from capstats.reports.blocks import WIDTH, Block, Facts, Grid, Listing, Sections, Terms, as_page, beside, headings, not_shown
from capstats.reports.repeating import as_toml
from capstats.tables.aligned import Aligned
from capstats.tables.axes import axis_of
from capstats.tables.printing import count, counts, many, part, percent, share, shares
from capstats.tables.sums import attribution
from capstats.tables.table import Floats, Table, ratio

HEADING = 14  # characters of the heading of a column, at most
SHOWN_LEVELS = 12  # levels of the target that have a row each
ANSWER = SENTENCES["answer"]
HIGH = 0.95  # probability of at most this average CAP, from which a release is among the highest of its generator
LEVELS = 6  # levels of the target, or key columns, that have a column each
PAGE = SENTENCES["page"]
WIDEST = 28  # characters of the name of a synthetic table
WORST = 10  # keys that are listed
NOTES = ("weighted", "not given", "confidential")  # of the notes of the text, those that no definition says
LEVEL = 28  # characters of a label in a key
DISAGREEING = 40  # rows of columns whose levels differ


def text_sections(audit: Findings) -> Sections:
    """The report as it is printed, below the front sheet."""
    one, heads = audit.labels == [""], audit.heads
    found: dict[str, Sequence[Block]] = {
        "What was read": [Facts(facts(audit.measures, audit.provenance, audit.labels, heads))],
        "Answer": in_sentences(audit) if one else _compared(audit),
        f"By {audit.words['target']}": by_level(audit, heads),
        "Details": measure_grid(audit, "one", heads) if one else _details(audit),
        "How to read it": [Facts([*notes(audit), ("made with", f"capstats {audit.provenance['capstats']}")])],
    }
    return {name: blocks for name, blocks in found.items() if blocks}


# --- the answer -------------------------------------------------------------------------------------------------------


def attack(audit: Findings) -> str:
    """Who guesses what, and how."""
    return audit.say(ANSWER["attack"], known=audit.known(SIDE_BY_SIDE, "the "))


def of_individuals(audit: Findings) -> str:
    """What the difference to the holdout is, as the end of a sentence."""
    m, differs = audit.measures, audit.provenance.get("holdout_differs")
    if differs:
        return audit.say(ANSWER["no_individuals"], differing=differing(differs))
    if holds_people(audit.provenance):
        return str(ANSWER["no_holdout"])
    if "individual_gain" not in m:
        return ""
    gain, difference = ((m[name] > Z * m[f"{name}_error"]) for name in ("individual_gain", "individual_disclosure"))
    if not gain.any():
        return str(ANSWER["by_chance"])
    return str(ANSWER["individuals" if difference.all() else "of_others"])


def in_sentences(audit: Findings) -> list[Block]:
    """The result for one release."""
    m, weighted = audit.measures, "original_weight" in audit.measures
    of = f"{audit.words['share']} " if weighted else ""
    numbers = {
        **audit.numbers,
        "average": percent(audit.caps[0]),
        "expected": part(audit.caps[0], int(m.original_records.item())),
        "version": ANSWER["version"][audit.unmatched],
        **audit.commonest(0),
        "unmatched": ANSWER[audit.unmatched],
        "individuals": of_individuals(audit),
        "test": ANSWER["no_test" if "holdout_differs" in audit.provenance else "test"],
        "most": audit.at_most("permutation_p_value"),
        **{name: f"{audit.numbers[f'records_{name}']} ({of}{audit.numbers[f'share_{name}']})" for name in SURELY},
    }
    said = {
        "right_weighted" if weighted else "right": True,
        "without_release": True,
        "commonest": True,
        "holdout": "holdout_cap" in m,
        "membership": "membership_p_value" in m,
        "permutation": "permutation_p_value" in m,
        "surely": True,
        "unmatched": m.unmatched_records.item() != 0,
    }
    first, *more = (audit.say(ANSWER[name], **numbers) for name, is_said in said.items() if is_said)
    return [f"{attack(audit)} {first}", *more, *among_sisters(audit)]


def among_sisters(audit: Findings) -> list[str]:
    """What releases of the generator have, and where one release is among them."""
    m = audit.measures
    if "generator_p_value" not in m:
        return []
    error = f"; standard error of the mean {percent(m.generator_mean_error.item())}" if "generator_mean_error" in m else ""
    most = audit.at_most("generator_p_value")  # a bound of a probability does not show that it is high
    high = not most and m.generator_p_value >= HIGH and m.average_cap_zero > m.generator_mean
    return [audit.say(ANSWER["sisters"], error=error, most=most, high=ANSWER["sisters_high"] if high else "", **audit.numbers)]


def _compared(audit: Findings) -> list[Block]:
    """The result for several releases: a row of numbers for each, and what the numbers are."""
    m, numbers = audit.measures, audit.numbers
    without = audit.say(ANSWER["without_release"], **numbers)
    sentences: list[Block] = [f"{attack(audit)} The original has {numbers['original_records']}. {without}"]
    if "holdout_records" in m:
        used = f"The holdout has {numbers['holdout_records']} not used for synthesis."
        sentences.append(f"{used} The difference to them {of_individuals(audit)}")
    found = cells(audit, [*in_table("answer", m), *audit.provenance.get("utility", [])], 3)
    table = beside(rows_of(audit, audit.heads), found.values())
    return [*sentences, *ranked_by(audit), *table, Facts(legend(audit, audit.heads, found))]


def _details(audit: Findings) -> list[Block]:
    """Further numbers of each release, and what they are; a number that is the same for all releases is in the text alone."""
    found = cells(audit, in_table("details", audit.measures), 4)
    alike = {column[0]: column[1] for column in found.values() if len(audit.heads) > 1 and len(set(column[1:])) == 1}
    meanings = legend(audit, audit.heads, found)
    texts = [(head, f"{alike[head]} for each: {text}" if head in alike else text) for head, text in meanings]
    columns = [column for column in found.values() if column[0] not in alike]
    return [*beside(rows_of(audit, audit.heads), columns), Facts(texts)]


def ranked_by(audit: Findings) -> list[Block]:
    """By what the releases are ordered, if by anything."""
    asked = audit.provenance.get("rank_by")
    if asked is None:
        return []
    name = asked if asked in audit.measures else asked.removeprefix("-")
    shown = heading(name, HEADING) or named(name)
    return [audit.say(ANSWER["ranked"], heading=shown, first="greatest" if name == asked else "least")]


# --- tables of measures -----------------------------------------------------------------------------------------------


def measure_grid(audit: Findings, table: Shown, heads: Sequence[str]) -> list[Block]:
    """The measures of a table: of one release a row each, of several a column each."""
    found, caption = cells(audit, in_table(table, audit.measures), 4), audit.say(SENTENCES["tables"].get(table, ""))
    if not found:
        return []
    if len(heads) == 1:
        return [Grid(["", ""], [[audit.say(MEASURES[name].row), column[1]] for name, column in found.items()], caption)]
    return [Grid.of_columns(rows_of(audit, heads), found.values(), caption)]


def rows_of(audit: Findings, heads: Sequence[str]) -> list[str]:
    """The first column of a table of several releases, with its heading."""
    return ["synthetic", *(heads[i] for i in audit.ranked)]


def cells(audit: Findings, names: Iterable[str], digits: int, longest: int = HEADING) -> dict[str, list[str]]:
    """Of each measure that there is the heading of a column, and its numbers as text, in the order of the releases."""
    found = {}
    for name in names:
        if name in audit.measures:
            values = np.broadcast_to(audit.measures[name].values, len(audit.labels))[audit.ranked]
            found[name] = [heading(name, longest), *numbers(name, values, digits)]
    return found


def heading(name: str, longest: int) -> str:
    """The heading of the column of a measure, or of a number of the caller's, whose name is shortened."""
    return MEASURES[name].heading if name in MEASURES else in_cell(name, longest)


def legend(audit: Findings, heads: Sequence[str], columns: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The headings of columns of measures, and what these hold."""
    p, labels = audit.provenance, [str(label) for label in audit.measures.indexes.get("synthetic", [])]
    against = heads[labels.index(str(p["against"]))] if "against" in p else ""
    meanings = {name: f"{shortened(named(name), LONGEST)}, as given" for name in p.get("utility", [])}
    meanings |= {name: audit.say(measure.meaning, against=against) for name, measure in MEASURES.items()}
    return [(column[0], meanings[name]) for name, column in columns.items()]


# --- who bears the risk -----------------------------------------------------------------------------------------------


def by_level(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """The people with each level of the target, those levels that most people have; of several releases a row each."""
    found, people = audit.by_target, audit.words["people"]
    several = "synthetic" in found.dims
    most = np.argsort(-found.records.values, kind="stable")[: LEVELS if several else SHOWN_LEVELS]
    shown = found.isel(target=np.sort(most))
    held = counts(shown.records.values)
    more = not_shown(found.sizes["target"] - len(most), "level", f" with fewer {people}.")
    if not several:
        names = (audit.average, "baseline", "records_above_half", "records_above_nine_tenths", "records_certain")
        columns = [[MEASURES[name].heading, *numbers(name, shown[name].values)] for name in names]
        labels = [audit.words["target"], *level_names(shown, 40)]
        return [Grid.of_columns(labels, [[people, *held], *columns]), *more]
    rows = rows_of(audit, heads)
    levels = level_names(shown, max((WIDTH - 2 - max(map(len, rows))) // len(held) - 2, 10))
    blocks: list[Block] = []
    for name, what in (
        (audit.average, f"Average CAP of the {people} with each level:"),
        ("records_above_nine_tenths", f"Number of these {people} for whom the guess is right with probability above 0.9:"),
    ):
        values = shown[name].transpose("target", "synthetic").values[:, audit.ranked]
        columns = [[level, n, *numbers(name, row)] for level, n, row in zip(levels, held, values, strict=True)]
        blocks += [what, *beside([rows[0], people, *rows[1:]], columns)]
    return [*blocks, *more]


def added_by_column(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """What each key column adds to average CAP, a row for each release; those columns that add most to any release."""
    found = audit.by_column
    which = "shapley" if "shapley" in found else "leave_one_out"
    added = found[which].transpose("key_column", "synthetic").values
    most = np.sort(np.argsort(-np.abs(added).max(axis=1), kind="stable")[:LEVELS])
    columns = [[in_cell(found.indexes["key_column"][c], HEADING), *shares(added[c, audit.ranked])] for c in most]
    rest = len(added) - len(most)
    more = not_shown(rest, "column", f" that {'add' if rest > 1 else 'adds'} less.")
    return [BY_COLUMN[which].meaning, *beside(rows_of(audit, heads), columns), *more]


# --- notes ------------------------------------------------------------------------------------------------------------


def notes(audit: Findings) -> list[tuple[str, str]]:
    """What the words of the report mean."""
    p, sizes = audit.provenance, audit.provenance["domain"]
    texts = {
        "domain": f" ({sizes['targets']} x {sizes['keys']})" if isinstance(sizes["keys"], int) else "",
        "unmatched": ANSWER["or"][audit.unmatched],
    }
    said = {name: text for name, text in SENTENCES["notes"].items() if name != "weighted" or "original" in audit.weighted}
    *found, last = ((name, audit.say(text, **texts)) for name, text in said.items())
    what = {
        "quantiles": "quantiles of the CAP of one person",
        "average_cap_nearest": "average CAP with the nearest keys",
        "individual_disclosure": "the comparison with the holdout",
        "weighted_matches": "links to the population",
    }
    return [*found, *(("not given", f"{what[name]}: {p[name]}") for name in what if name in p), last]


# --- the page for the custodian: everything that an audit knows, as confidential as the original ----------------------


def internal_page(audit: Findings, front: Sections) -> str:
    """The page as text, with its front sheet."""
    note, footer = audit.say(PAGE["note"]), "Confidential."
    return as_page(audit.title(), internal_sections(audit), note=note, footer=footer, front=front)


def internal_sections(audit: Findings) -> Sections:
    """The sections of the page below the front sheet."""
    m, p, people = audit.measures, audit.provenance, audit.words["people"]
    heads = headings(audit.labels, WIDEST)
    one = len(heads) == 1
    explained = {*map(str, m.data_vars), *map(str, audit.by_column.data_vars)}
    found: dict[str, Sequence[Block]] = {
        "What was compared": [Facts(facts(m, p, audit.labels, heads))],
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
        "Definitions": [Terms(definitions(explained, audit.weighted)), Facts([note for note in notes(audit) if note[0] in NOTES])],
        "How it was computed": _computed(audit),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def _comparison(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """One row a release, in the order asked for, and the numbers of the caller."""
    found = cells(audit, [*in_table("releases", audit.measures), *audit.provenance.get("utility", [])], 4, WIDEST)
    rows = Grid.of_columns(rows_of(audit, heads), found.values(), "One row a release")
    return [*ranked_by(audit), rows, Facts(legend(audit, heads, found))]


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
    tables, first = audit.tables, audit.ranked[0]
    people, s = tables.get("o_records", tables.o), audit.release(first)
    aligned = Aligned({"o": tables.o, "s": s, "people": people, "records": audit.release(first, records=True)})
    rows_of = rows_used(aligned, audit.unmatched)

    def of_keys(o: Table, s: Table, people: Table, records: Table) -> Floats:
        q = attribution(*rows_of(o, s), 0.0).values
        right, weight = (x.like(x.values * q).key_total for x in (people, o))
        return np.stack([records.key_total, right, ratio(weight, o.key_total, np.nan)])

    names = ("synthetic_records", "correct", "cap")
    found = zip(names, aligned.map(of_keys, "of_keys", ("part", "key")).values, strict=True)
    summary = key_summary(people, s).assign({name: ("key", of) for name, of in found})
    records, cap, correct, disclosed = (summary[name].values for name in ("records", "cap", "correct", "disclosed"))
    some = np.flatnonzero(correct > 0)
    most = some[np.lexsort((-cap[some], -correct[some]))][:WORST]
    sure = np.flatnonzero(disclosed > 0)
    rare = sure[np.lexsort((-cap[sure], records[sure]))][:WORST]
    of = f" ({heads[first]})" if heads[first] else ""
    who = audit.words["people"]
    blocks: list[Block] = [
        _keys(audit, summary, most, f"The keys with the most {who} expected to be guessed right{of}"),
        *([_keys(audit, summary, rare, f"The rarest keys with {who} guessed right with certainty{of}")] if len(rare) else []),
    ]
    if len(sure) > WORST:
        blocks.append(f"{many(len(sure) - WORST, 'more key')} with {who} guessed right with certainty.")
    return [*blocks, figures.funnel(audit, summary, first)]


def _keys(audit: Findings, summary: xr.Dataset, which: Any, caption: str) -> Grid:
    """Some keys of a summary, a row each."""
    axis, some = cast(pd.MultiIndex, axis_of(audit.tables.o, "key")), summary.isel(key=which)
    names = [", ".join(in_cell(x, LEVEL) for x in label) for label in axis[which]]
    heads = {
        "records": "original",
        "synthetic_records": "synthetic",
        "cap": "average CAP",
        "correct": "expected right",
        "disclosed": "certain",
    }
    columns = [[head, *(shares if name == "cap" else counts)(some[name].values.tolist())] for name, head in heads.items()]
    return Grid.of_columns([", ".join(named(x) for x in audit.provenance["columns"]["keys"]), *names], columns, caption)


def _levels(p: Mapping[str, Any]) -> list[Block]:
    """The columns whose levels differ between the tables, those with most records first."""
    entries = [(column, table, entry) for column, tables in differing_levels(p).items() for table, entry in tables.items()]
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
    settings = p.get("settings", {})
    whole = {"original", "example"} & settings.keys()
    again: list[Block] = ["Settings with which the audit can be repeated:", Listing(as_toml(settings))] if whole else []
    return [Facts(rows), *again]
