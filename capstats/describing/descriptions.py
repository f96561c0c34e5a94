"""What the tables hold, for a user who has to choose keys and a target: columns, codes, labels, levels that differ, commands to paste."""

from __future__ import annotations

import tomllib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any, TypedDict, Unpack, cast

import pandas as pd

from capstats.codes.arguments import options_of, said
from capstats.codes.by_table import ALL, SCALARS, by_table
from capstats.codes.declared_types import Type
from capstats.codes.labels import canonical, plain
from capstats.codes.missing_codes import MissingCodes, NullValues
from capstats.codes.names import hint, in_cell, named
from capstats.codes.progress import Progress
from capstats.counting.every_column import (
    Look,
    Looked,
    compared_labels,
    every_column,
    is_accepted,
    is_complete,
    is_identifier,
    is_within,
    joint_kind,
)
from capstats.counting.reading import released
from capstats.describing.candidates import Candidate, candidate, chosen, suggested
from capstats.reports.blocks import Block, Facts, Grid, Listing, Report, Sections, not_shown
from capstats.reports.repeating import call, command
from capstats.sources.door import is_path
from capstats.sources.source import Options, folded_name, named_later
from capstats.tables.dataset import VERSION
from capstats.tables.fineness import MANY
from capstats.tables.levels import other_spellings, shares_nothing, without_match
from capstats.tables.printing import count, many, share

BINS = 10  # that a column to be cut is cut into, in commands
ROWS = 40  # columns that have a row each
WIDEST = 28  # characters of a name in a table
FINDINGS = 20  # sentences on what does not meet
LABELS = 6  # labels of values that are shown
CANDIDATES = 12  # that are shown with their reasons
TEXTS: dict[str, str] = tomllib.loads(files("capstats.describing").joinpath("sentences.toml").read_text(encoding="utf-8"))
JSON = "; see --json."  # where all of them are
REMARKS = {"to_cut": "to cut", "near_identifier": "nearly all distinct", "likely_codes": "likely codes"}
PLACES = ("kind", "levels", "missing", "likely_codes", "near_identifier", "to_cut", "label", "value_labels", "role", "reason")


class FirstReading(TypedDict, total=False):
    """How tables are read before columns are chosen: options of `tabulate`."""

    null_values: NullValues
    types: Mapping[Hashable, Type] | None
    encoding: str | Mapping[Hashable, str] | None
    decimal: str | Mapping[Hashable, str]
    sheet: str | Mapping[Hashable, str] | None
    skip: int | Mapping[Hashable, int]
    rename: Mapping[Hashable, Any] | None
    memory_limit: str | None
    spill_dir: Any
    progress: bool | None


@dataclass(frozen=True, repr=False)
class Description(Report):
    """Result of `describe`: the columns, what does not meet, candidates for keys and targets, and the arguments of a first audit.

    Attributes
    ----------
    columns : DataFrame
        A row for each column of the original: ``kind`` ("number", "text", "bool", "date", ...; of texts that are all numbers "number"),
        ``levels``, ``missing`` (share of records), ``likely_codes`` (levels that look like codes of missing values), ``near_identifier``
        (nearly every record has a level of its own), ``to_cut`` (numbers or dates of more than 20 levels), ``label`` and ``value_labels``
        of Stata, SPSS and SAS, ``role`` ("key", "target", "weight" or "") and its ``reason``.
    findings : list of str
        What does not meet: columns that one table lacks, kinds that differ, levels that do not match.
    keys, targets : dict {column: reason}
        Candidates, those first that are suggested: a guess.
    arguments : dict
        Arguments for `audit` with the first candidates; empty where there are none. They fit these tables: ``audit(original, synthetic,
        **found.arguments)``.
    provenance : dict
        The version, and the tables with their numbers of records and columns.
    """

    columns: pd.DataFrame
    findings: list[str]
    keys: dict[Hashable, str]
    targets: dict[Hashable, str]
    arguments: dict[str, Any]
    provenance: dict[str, Any]
    files: list[list[str]] = field(default_factory=list)  # paths of the original and of the releases, where all of them are paths

    @property
    def commands(self) -> list[str]:
        """The first audit as commands to paste, or as calls of Python where a table is no file."""
        if not self.arguments:
            return []
        if not self.files:
            return [call(self.arguments)]
        (original, *_), releases = self.files
        if not releases:
            return [command("anonymity", [original], self.arguments)]
        return [command(name, [original, *releases], self.arguments) for name in ("audit", "sweep")]

    def to_frame(self) -> pd.DataFrame:
        """The columns."""
        return self.columns

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain numbers and texts."""
        rows = [{"column": str(name), **row} for name, row in zip(self.columns.index, self.columns.to_dict("records"), strict=True)]
        return {
            "columns": rows,
            "findings": self.findings,
            "keys": [{"column": str(name), "reason": reason} for name, reason in self.keys.items()],
            "targets": [{"column": str(name), "reason": reason} for name, reason in self.targets.items()],
            "arguments": self.arguments,
            "commands": self.commands,
            "provenance": self.provenance,
        }

    def title(self) -> str:
        """What the report is."""
        return f"capstats {VERSION}: what the tables hold"

    def sections(self, *, whole: bool = False) -> Sections:  # noqa: ARG002  a page has the same
        """The report: tables, what does not meet, candidates, commands, and the columns."""
        tables = self.provenance["tables"]
        paths = [path for given in self.files for path in given]
        names = [f"{path}, " for path in paths] or [""] * len(tables)
        sizes = [f"{name}{many(x['records'], 'record')}, {many(x['columns'], 'column')}" for name, x in zip(names, tables, strict=True)]
        heads = ["original", *("synthetic" if i == 0 else "" for i in range(len(tables) - 1))]
        shown: dict[str, Sequence[Block]] = {
            "What was read": [Facts(list(zip(heads, sizes, strict=True)))],
            "What does not meet": [*self.findings[:FINDINGS], *not_shown(len(self.findings) - FINDINGS, "more finding", JSON)]
            or ([TEXTS["all_meet"]] if len(tables) > 1 else []),
            "Candidates: a guess from names and numbers of levels": _candidates(self),
            "Commands to paste": _pasted(self, several=len(tables) > 1),
            "Columns, the most important first": _columns(self),
            "Likely codes of missing values": _codes(self),
            "Labels in the file": _labels(self),
            "Confidential": [TEXTS["confidential"]],
        }
        return {name: blocks for name, blocks in shown.items() if blocks}


def describe(original: Any, synthetic: Any = None, **reading: Unpack[FirstReading]) -> Description:
    """What the tables hold, and what a first audit of them could be: for a user who has not chosen keys and a target yet.

    It shows which columns there are, which of them do not meet, and what somebody might know and want to know.

    Parameters
    ----------
    original : data frame, mapping of columns, or path
        The confidential records.
    synthetic : data frame, mapping of columns, or path; or several, optional
        The releases, as in `tabulate`.
    null_values, types, encoding, decimal, sheet, skip, rename, memory_limit, spill_dir, progress
        As in `tabulate`. They become part of ``arguments``.

    Returns
    -------
    Description
        Prints as a report; ``columns`` is a DataFrame, ``arguments`` are those of a first `audit`, ``commands`` the same for a shell.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        If a table is no table or is empty, a file cannot be read, or an option names a column that no table has.

    See Also
    --------
    audit, audit_targets, compare_levels

    Notes
    -----
    Which columns are keys and targets nobody can tell from the data. Candidates are a guess from words in the names of columns or in the
    labels of variables, and from numbers of levels: see docs/custodians/choosing-keys.md. Each is tried on the labels as an audit reads
    them, and left out where the audit refuses it. Of a column with more than 10,000 levels those
    that most records have are looked at. The report shows names of columns, labels that Stata, SPSS or SAS files define, and likely codes
    of missing values; no other value.

    References
    ----------
    Elliot, Mackey, O'Hara and Tudor, "The Anonymisation Decision-Making Framework" (2016), on key variables: what an intruder may know.

    Examples
    --------
    >>> people = {"age": [34, 51, 34, 29], "sex": ["f", "m", "f", "f"], "income": ["low", "high", "low", "low"]}
    >>> found = describe(people, {**people, "income": ["low", "high", "low", "high"]})
    >>> found.columns.levels.to_dict()
    {'age': 3, 'sex': 2, 'income': 2}
    >>> found.arguments
    {'keys': ['age', 'sex'], 'target': 'income'}
    """
    for name in reading:
        if name not in FirstReading.__annotations__:
            raise TypeError(f"There is no option {name!r}.{hint(name, FirstReading.__annotations__)}")
    given: dict[str, Any] = {name: value for name, value in reading.items() if name != "progress"}
    with Progress(reading.get("progress")) as display:
        options = Options(**given, display=display)
        tables, labels = every_column(original, synthetic, options)
        if "decimal" not in given and any(look is not None and look.decimal == "," for table in tables for look in table.columns.values()):
            given["decimal"] = ","
            options = replace(options, decimal=",")
        facts = {c: _facts(c, look, tables) for c, look in tables[0].columns.items()}
        types = {c: x["kind"] for c, x in facts.items() if x["to_cut"] and x["kind"] != "number" and _has_texts(c, tables)}
        findings, meets = _meeting(tables, facts, types, options)
        guesses = {c: candidate(str(c), {**x, "meets": c in meets}, facts) for c, x in facts.items()}
        how = {c: _as_read(c, x, types.get(c), options) for c, x in facts.items()}
        keys, targets = _accepted(guesses, tables, how)
        target = next(iter(targets), None)
        some = suggested([c for c in keys if c != target], guesses)
        arguments = _arguments(some, target, how, given) if some and target is not None else {}
    rows = [{**x, "role": guesses[c].role, "reason": guesses[c].reason} for c, x in facts.items()]
    columns = pd.DataFrame(rows, index=pd.Index(list(facts), name="column", dtype=object), columns=pd.Index(PLACES))
    return Description(columns, findings, keys, targets, arguments, _provenance(tables, labels), _files(original, synthetic))


def _files(original: Any, synthetic: Any) -> list[list[str]]:
    releases = released(synthetic)[1]
    return [[str(original)], list(map(str, releases))] if all(map(is_path, [original, *releases])) else []


def _provenance(tables: Sequence[Looked], labels: Sequence[Any] | None) -> dict[str, Any]:
    names = ["original", *(map(str, labels) if labels is not None else ["synthetic"][: len(tables) - 1])]
    sizes = [{"table": name, "records": x.records, "columns": len(x.columns)} for name, x in zip(names, tables, strict=True)]
    return {"capstats": VERSION, "tables": sizes}


# --- one column, and how it meets that of the other tables ----------------------------------------------------------------


def _facts(column: Hashable, look: Look | None, tables: Sequence[Looked]) -> dict[str, Any]:
    """What is known of a column of the original, which is in the words of `Description.columns`."""
    label, values = tables[0].labels.get(str(column), ""), tables[0].value_labels.get(str(column), {})
    known = {"label": label, "value_labels": {str(canonical(code)): text for code, text in values.items()}}
    if look is None:
        return {**_UNREAD, **known}
    margin, looks = look.margin, [own for table in tables if (own := table.columns.get(column))]
    likely = [x.replace(",", ".") if own.decimal == "," and isinstance(x, str) else x for own in looks for x in own.likely]
    codes = {repr(x): x for x in likely}
    present = margin.total - margin.missing
    return {
        "kind": look.kind or "missing",
        "levels": margin.levels,
        "missing": margin.missing / margin.total if margin.total else 0.0,
        "likely_codes": list(map(plain, codes.values())),
        "near_identifier": is_identifier(look),
        "to_cut": look.kind in ("number", "date", "datetime") and margin.levels > MANY and not values,
        **known,
        "spread": None if margin.missing else look.spread,
        "in_all": len(looks) == len(tables) and all(own.spread and own.spread[0] >= 0 and not own.margin.missing for own in looks),
        "commonest": max(margin.records.tolist(), default=0) / present if present else 1.0,
    }


_UNREAD = {
    "kind": "not read",
    "levels": 0,
    "missing": 0.0,
    "likely_codes": [],
    "near_identifier": False,
    "to_cut": False,
    "spread": None,
}


def _has_texts(column: Hashable, tables: Sequence[Looked]) -> bool:
    return any(look is not None and look.held == "text" for table in tables for look in [table.columns.get(column)])


def _meeting(
    tables: Sequence[Looked], facts: Mapping[Hashable, Mapping[str, Any]], types: dict[Hashable, str], options: Options
) -> tuple[list[str], set[Hashable]]:
    """Sentences on what does not meet, and the columns of the original that meet in all tables; ``types`` by which some do are added."""
    original, *others = tables
    found = [TEXTS["twice"].format(table=x.name, column=named(c)) for x in tables for c in x.twice]
    for x in tables:
        if empty := [named(c) for c, look in x.columns.items() if look is not None and look.held is None and look.margin.total]:
            found.append(TEXTS["missing"].format(table=x.name, columns=_listed(empty)))
    unread = [(c, table) for table in tables for c, look in table.columns.items() if look is None or look.held == "other"]
    found += [TEXTS["unread"].format(column=str(c), table=x.name) for c, x in unread]
    meets = {c for c, look in original.columns.items() if look is not None and look.held != "other"}
    levels: dict[str, dict[str, Any]] = {}
    for other in others:
        names = _other_names(original.columns, other.columns)
        if names:
            texts = {
                "number": many(len(names), "column"),
                "has": "has" if len(names) == 1 else "have",
                "pairs": _listed([f"{named(theirs)} ({named(mine)})" for theirs, mine in names.items()]),
                "options": " ".join(options_of("rename", {"synthetic": names})),
            }
            found.append(TEXTS["renamed"].format(table=other.name, names=names, **texts))
        for one, two in ((original, other), (other, original)):
            lacking = [c for c in one.columns if c not in two.columns and c not in (*names, *names.values())]
            if lacking:
                later = named_later(lacking, two.table.source.first_rows(two.table.options), two.name, two.table.options)
                texts = {"number": many(len(lacking), "column"), "columns": _listed(list(map(named, lacking)))}
                what = TEXTS["lacks"].format(table=two.name, other=one.name, **texts)
                found.append(f"{what}; {later}" if later else f"{what}.")
        for c in [c for c in original.columns if c in meets]:
            mine, look = original.columns[c], other.columns.get(c)
            if mine is None or look is None or None in (mine.held, look.held):
                meets.discard(c)
                continue
            if mine.held != look.held:
                kind = joint_kind(mine, look)
                accepted = kind is not None and is_accepted(c, [original, other], *_as_read(c, facts[c], kind, options))
                how = "apart" if kind is None else "typed" if accepted else "unlike"
                holds = TEXTS["kinds"].format(column=str(c), mine=mine.held, theirs=look.held, table=other.name)
                found.append(holds + TEXTS[how].format(kind=kind, typed=said(types={str(c): str(kind)})))
                if not accepted:
                    meets.discard(c)
                    continue
                types[c] = str(kind)
            cut = mine.kind == look.kind == "number" and mine.margin.levels > MANY
            if cut and not is_within(look, mine):
                meets.discard(c)
                found.append(TEXTS["beyond"].format(column=str(c), table=other.name))
            whole = is_complete(mine) and is_complete(look) and not is_identifier(mine) and not cut  # bins meet where levels need not
            if c in meets and whole and (entry := compared_labels(mine, look)) is not None:
                levels.setdefault(str(c), {})[other.name] = entry
                if shares_nothing(entry):
                    meets.discard(c)
    return [*found, *without_match({"levels": levels}), *other_spellings({"levels": levels})], meets


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:FINDINGS])}{', ...' if len(names) > FINDINGS else ''}"


def _other_names(mine: Iterable[Hashable], theirs: Iterable[Hashable]) -> dict[str, str]:
    """Columns of a release that the original has under another name, which differs in case, spaces or signs alone, and that name."""
    by_letters: dict[str, tuple[list[str], list[str]]] = {}
    for side, names in enumerate((mine, theirs)):
        for name in map(str, names):
            by_letters.setdefault(folded_name(name), ([], []))[side].append(name)
    return {b[0]: a[0] for a, b in by_letters.values() if len(a) == len(b) == 1 and a != b}


# --- the first audit ----------------------------------------------------------------------------------------------------


Read = tuple[Options, int | None]  # how an audit reads a column, and the number of its bins


def _as_read(column: Hashable, facts: Mapping[str, Any], wanted: str | None, options: Options) -> Read:
    """How a first audit reads a column: with what the caller says of it, the type ``wanted`` otherwise, and its likely codes."""
    pasted = [x for x in facts["likely_codes"] if str(x) == str(x).strip()]  # a command line drops spaces around a code
    by_name, of_types = by_table("null_values", options.null_values), by_table("types", options.types)
    said = MissingCodes.of_argument(by_name.pop(ALL, None))
    of_all, own = said.everywhere, [*map(plain, said.named.get(column, ())), *pasted]
    codes: dict[Hashable, Any] = {**({ALL: list(map(plain, of_all))} if of_all else {}), **({column: own} if own else {}), **by_name}
    declared = of_types.pop(ALL, {}).get(column) or wanted
    of_type = {**({} if declared is None else {column: declared}), **of_types} or None
    return replace(options, types=of_type, null_values=codes or None, allow_unused_codes=bool(of_all)), BINS if facts["to_cut"] else None


def _accepted(
    guesses: dict[Hashable, Candidate], tables: Sequence[Looked], how: Mapping[Hashable, Read]
) -> tuple[dict[Hashable, str], dict[Hashable, str]]:
    """The candidates for keys and targets that an audit takes; those that it does not take become no candidates."""
    tried: dict[Hashable, bool] = {}
    while True:
        keys, targets = chosen(guesses)
        tried |= {c: is_accepted(c, tables, *how[c]) for c in [*keys, *targets] if c not in tried}
        refused = [c for c in [*keys, *targets] if not tried[c]]
        if not refused:
            return keys, targets
        guesses |= dict.fromkeys(refused, Candidate("", "", 0))


def _arguments(keys: list[Hashable], target: Hashable, how: Mapping[Hashable, Read], given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `audit` for some candidates."""
    found: dict[str, Any] = {"types": {}, "bins": {}, "null_values": {}, "allow_unused_codes": False}
    for c in [*keys, target]:
        options, bins = how[c]
        found["types"] |= options.types or {}
        found["null_values"] |= options.null_values or {}
        found["bins"] |= {} if bins is None else {c: bins}
        found["allow_unused_codes"] = options.allow_unused_codes
    kept = {name: x for name, x in given.items() if name in (*SCALARS, "rename", "memory_limit", "spill_dir")}
    return {"keys": keys, "target": target, **{name: x for name, x in {**found, **kept}.items() if x}}


# --- the report -----------------------------------------------------------------------------------------------------------


def _candidates(found: Description) -> list[Block]:
    blocks: list[Block] = [TEXTS["candidates"]]
    for heading, columns in (("keys", found.keys), ("targets", found.targets)):
        rows = [(heading if i == 0 else "", f"{named(c)}: {reason}") for i, (c, reason) in enumerate(list(columns.items())[:CANDIDATES])]
        rest = len(columns) - CANDIDATES
        blocks.append(Facts([*(rows or [(heading, "none")]), *([("", f"and {many(rest, 'more column')}")] if rest > 0 else [])]))
    weights = [(c, row["reason"]) for c, row in _rows(found).items() if row["role"] == "weight"]
    return [*blocks, *([Facts([("weights", f"{named(c)}: {reason}") for c, reason in weights[:CANDIDATES]])] if weights else [])]


def _pasted(found: Description, *, several: bool) -> list[Block]:
    if not found.commands:
        return [TEXTS["no_candidates"]]
    more = [] if several else [TEXTS["release"]]
    return [*map(Listing, found.commands), *more]


def _columns(found: Description) -> list[Block]:
    """A row for each of the most important columns, and the names of the others by what they are."""
    of = _rows(found)
    remarked = [c for c, row in of.items() if row["likely_codes"] or row["near_identifier"] or row["role"]]
    order = list(dict.fromkeys([*found.keys, *found.targets, *remarked, *of]))
    rows = []
    for c in order[:ROWS]:
        row = of[c]
        role = "key" if c in found.keys else "target" if c in found.targets else row["role"]
        remarks = [remark for what, remark in REMARKS.items() if row[what]]
        numbers = count(row["levels"]), share(row["missing"])
        rows.append([in_cell(c, WIDEST), row["kind"], *numbers, f"{role}?" if role else "", ", ".join(remarks)])
    blocks: list[Block] = [Grid(["column", "kind", "levels", "missing", "guess", "remarks"], rows)] if rows else []
    others: dict[str, list[str]] = {}
    for c in order[ROWS:]:
        size = "at most" if of[c]["levels"] <= MANY else "more than"
        others.setdefault(f"{of[c]['kind']}, {size} {MANY} levels", []).append(named(c))
    if others:
        blocks += [TEXTS["others"], Facts([(what, ", ".join(names)) for what, names in others.items()])]
    return blocks


def _rows(found: Description) -> dict[Hashable, dict[str, Any]]:
    """The facts of each column."""
    return cast(dict[Hashable, dict[str, Any]], found.columns.to_dict("index"))


def _codes(found: Description) -> list[Block]:
    rows = [(named(c), ", ".join(map(str, row["likely_codes"]))) for c, row in _rows(found).items() if row["likely_codes"]]
    return [Facts(rows[:ROWS]), *not_shown(len(rows) - ROWS, "more column", JSON)] if rows else []


def _labels(found: Description) -> list[Block]:
    """The labels of variables and of values."""
    rows = []
    for c, row in _rows(found).items():
        values = list(row["value_labels"].items())
        shown = [f"{code} = {text}" for code, text in values[:LABELS]] + ["..."] * (len(values) > LABELS)
        if row["label"] or values:
            rows.append((named(c), "; ".join(filter(None, [row["label"], ", ".join(shown)]))))
    return [Facts(rows[:ROWS]), *not_shown(len(rows) - ROWS, "more column", JSON)] if rows else []
