"""Levels that do not match: whether the tables use the same ones, compared column by column.

A level that only one table has is not a mistake by itself: a release need not have all of them. But a column that shares no level with the
original makes every risk 0, and a level in another spelling lowers it. Both are found, recorded and reported; so are levels that are too
fine, which `fineness` finds.
"""

from __future__ import annotations

import inspect
import warnings
from collections import Counter
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes import arguments
from capstats.codes.by_table import ALL
from capstats.codes.declared_types import ENOUGH
from capstats.codes.labels import MISSING, Label, canonical, canonicals, kind_of, plain
from capstats.codes.missing_codes import codes_for_missing, likely_codes
from capstats.codes.names import listed
from capstats.codes.remedies import COMMA, remedy_of, said
from capstats.codes.spellings import ABSENT, PRECISION, in_another_precision, lookalikes, spelled_twice
from capstats.tables.backing import Data, totals_of, unstacked
from capstats.tables.fineness import MANY, Records, fine_keys, fine_targets, too_fine
from capstats.tables.printing import many

TOLD = 5  # the most findings in one warning
ALL_LEVELS = "For all levels see compare_levels."
ALONE = 0.25  # share of records that are the only ones with their level, from which other tables may have mostly other levels
EXAMINED = 50_000  # the most levels of each table, the most frequent ones, that are examined for another spelling

EFFECTS = {
    "key": "no key can match",
    "target": "no guess can be right",
    "column": "no record can match",
    "compared": "whole records are compared without it",
    "sampled": "whole records are compared without it",
}

Entry = dict[str, Any]  # the comparison of a column with that of the original, by `compare`


class LevelsWarning(UserWarning):
    """Two tables do not use the same levels in a column, so that records that should match do not.

    Given where tables are made (`tabulate`, `from_counts`), and by a measure of tables whose labels are not those of one Dataset. Also
    given where keys are so fine that few people are matched, and where ties leave fewer bins of a column than were asked for.
    """

    nothing_shared = False  # whether a column of two tables has no level in common


# --- one column -------------------------------------------------------------------------------------------------------


def compare(
    labels: Sequence[Label], original: Records, other: Records, role: str, pairs: Sequence[tuple[int, int, str]] | None = None
) -> Entry | None:
    """The comparison of the levels of one column in two tables, as plain numbers and texts; None where they are the same, each once.

    ``original`` and ``other`` are the records of each of the labels; ``role`` is what the column is: "key", "target", "column" of an
    attack, or "compared" (or "sampled", of many records) as a part of whole records; ``pairs`` are those of `lookalike_pairs` where known.
    """
    o, t = original > 0, other > 0
    same = (o == t).all()
    if pairs is None:
        pairs = [] if same else lookalike_pairs(labels, original, other)
    pairs = [*pairs, *pairs_within(labels, original, other)]
    if same and not pairs:
        return None
    missing = np.zeros(len(labels), bool)
    if not isinstance(labels, pd.Index) or labels.dtype == object:  # others hold no missing value
        missing = np.fromiter((x is MISSING for x in labels), bool, len(labels))
    likely = dict(Counter(cause for _, _, cause in pairs))
    main = max(likely, key=lambda cause: likely[cause], default="")
    held = [(canonical(labels[i]), canonical(labels[j])) for i, j, _ in pairs if original[i] >= ENOUGH and other[j] >= ENOUGH]
    present = next((x for x in labels if x is not MISSING), None)
    return {
        "role": role,
        "kind": "missing" if present is None else kind_of(canonical(present)),
        "levels": [int(o.sum()), int(t.sum())],
        "shared": int((o & t & ~missing).sum()),
        "missing": int((o & t & missing).sum()),  # whether both have a missing value, since these match
        "absent": int((o & ~t).sum()),
        "absent_records": original[o & ~t].sum().item(),
        "foreign": int((t & ~o).sum()),
        "foreign_records": other[t & ~o].sum().item(),
        "records": other.sum().item(),
        "single": (o & (original == 1)).sum().item() / max(original.sum().item(), 1),
        "likely": likely,
        "remedy": _remedy(main, pairs, labels, o, t),
        "examples": [[_shown(a), _shown(b)] for a, b in held[:3]],
    }


def compared_with(labels: Sequence[Label], records: Mapping[str, Records], role: str) -> dict[str, Entry]:
    """The comparison of each other table's levels of one column with those of the first; without tables that have the same levels."""
    (_, original), *others = records.items()
    return {table: entry for table, held in others if (entry := compare(labels, original, held, role)) is not None}


def _remedy(main: str, pairs: Sequence[tuple[int, int, str]], labels: Sequence[Label], *held: NDArray[np.bool_]) -> dict[str, Any]:
    """The remedy that makes the pairs of the main cause equal."""
    if not pairs:
        return {}
    original, other = ([canonical(labels[i]) for i in np.flatnonzero(of).tolist()] for of in held)
    of_main = [(i, j) for i, j, cause in pairs if cause == main]
    found = remedy_of(main, [(canonical(labels[i]), canonical(labels[j])) for i, j in of_main], original, other)
    if all(of[i] and of[j] for i, j in of_main for of in held):  # both are to be changed
        found = {"recode": COMMA} if "decimal" in found else {name: value for name, value in found.items() if name != "of"}
    return found


def lookalike_pairs(labels: Sequence[Label], original: Records, other: Records) -> list[tuple[int, int, str]]:
    """Levels that one table lacks and that resemble a level of the other: the index in the original, in the other, and the difference.

    Those with the most records come first.
    """
    if isinstance(labels, pd.Index) and labels.dtype.kind in "iubM":  # which have only one spelling
        return []
    examined = [_examined(original), _examined(other)]
    mine, theirs = ({canonical(labels[i]): i for i in places} for places in examined)
    found = {(mine[a], theirs[b]): PRECISION for a, b in in_another_precision(mine, theirs)}
    found |= {(mine[a], theirs[b]): cause for a, (b, cause) in lookalikes(mine, theirs).items()}
    found |= {(mine[a], theirs[b]): cause for b, (a, cause) in lookalikes(theirs, mine).items()}
    found |= {(i, j): cause for i, j, cause in codes_for_missing(mine, theirs)}
    return [(i, j, cause) for (i, j), cause in sorted(found.items(), key=lambda pair: -min(original[pair[0][0]], other[pair[0][1]]))]


def pairs_within(labels: Sequence[Label], original: Records, other: Records) -> list[tuple[int, int, str]]:
    """Levels that both tables have and that look like one level in two spellings, as the indices of both, and the difference.

    Also the missing value and each code of it.
    """
    if isinstance(labels, pd.Index) and labels.dtype.kind in "iufbM":
        return []
    places = _examined(np.minimum(original, other))
    held = [labels[i] for i in places]
    if not any(x is MISSING or isinstance(x, str) for x in held):
        return []
    at = dict(zip(held if all(type(x) is str for x in held) else canonicals(held), places, strict=True))
    codes = likely_codes(at) if MISSING in at else []
    return [*((at[a], at[b], cause) for a, b, cause in spelled_twice(at)), *((at[MISSING], at[code], ABSENT) for code in codes)]


def _examined(records: Records) -> list[int]:
    held = np.flatnonzero(records > 0)
    if len(held) > EXAMINED:
        held = held[np.argsort(-records[held], kind="stable")[:EXAMINED]]
    return list(held.tolist())


def _shown(label: Label) -> str:
    return repr(label) if isinstance(label, str) else str(label)


# --- all columns of a Dataset -----------------------------------------------------------------------------------------


def compared(axes: Mapping[str, pd.MultiIndex], parts: Mapping[str, Data], known: Container[str] = ()) -> dict[str, Any]:
    """For the attrs of a Dataset: the comparison of the levels of the tables, where they are not all the same; the original is the first.

    ``levels`` is {column: {table: entry}}, of the columns and tables whose levels are not the original's; ``unmatched_tables`` names the
    tables that have no key of the original. ``fine_keys`` and ``fine_targets`` are the columns that are too fine, but for keys that other
    labels explain, and for targets that are ``known``.
    """
    if len(parts) < 2:
        return {}
    levels: dict[str, dict[str, Entry]] = {}
    found: dict[str, Any] = {"levels": levels}
    for dim, axis in axes.items():
        totals = totals_of(parts, dim)
        columns = {column: (labels, records) for column, labels, records in records_by_level(axis, totals)}
        for column, of in columns.items():
            levels |= {column: entries} if (entries := compared_with(*of, dim)) else {}
        if dim == "key":
            found["unmatched_tables"] = [name for name, held in totals.items() if not (held[totals["original"] > 0] > 0).any()]
            of_keys = [(table, entry) for column in columns for table, entry in levels.get(column, {}).items()]
            # labels explain keys without a match where a column shares none, or has most of them in another spelling
            other = {x for x, of in of_keys if shares_nothing(of) or mostly_foreign(of) or 2 * sum(of["likely"].values()) > of["absent"]}
            found["fine_keys"] = fine_keys(columns, totals, [x for x in totals if x not in {*other, "original", "holdout"}])
        else:
            found["fine_targets"] = fine_targets(columns, known)
    return {name: value for name, value in found.items() if value}


def codes_among(axes: Mapping[str, pd.MultiIndex]) -> dict[str, list[Any]]:
    """For the attrs of a Dataset: {column: levels} for levels that look like codes of missing values."""
    columns = {str(column): labels for axis in axes.values() for column, labels in zip(axis.names, axis.levels, strict=True)}
    return {column: list(map(plain, codes)) for column, labels in columns.items() if (codes := likely_codes(labels))}


def parts_of(tables: Mapping[str, Data], synthetic: Sequence[Label] | None) -> dict[str, Data]:
    """The tables of records by their names in messages; for weighted ones, their numbers of records."""
    parts: dict[str, Data] = {}
    for name, variable in (("original", "o"), ("synthetic", "s"), ("holdout", "h")):
        held = tables.get(f"{variable}_records", tables.get(variable))
        if held is not None and name == "synthetic" and synthetic is not None:
            parts |= {f"synthetic[{label!r}]": one for label, one in zip(synthetic, unstacked(held, 0), strict=True)}
        elif held is not None:
            parts[name] = held
    return parts


def records_by_level(axis: pd.MultiIndex, totals: Mapping[str, Records]) -> Iterator[tuple[str, Any, dict[str, Records]]]:
    """Each column of an axis with its labels and the counts of these in each table, from those of each entry of the axis."""
    for column, codes, labels in zip(axis.names, axis.codes, axis.levels, strict=True):
        yield str(column), labels, {name: np.bincount(codes, x, len(labels)).astype(x.dtype) for name, x in totals.items()}


# --- what is said -----------------------------------------------------------------------------------------------------


def without_match(attrs: Mapping[str, Any], first: str = "original") -> list[str]:
    """Sentences about each column that shares no level with the original, or about tables that share no key although all columns do."""
    found = [
        (entry, column, table, f"{_levels(entry, first, table)}, so {EFFECTS[entry['role']]}")
        for column, table, entry in _entries(attrs)
        if shares_nothing(entry) and not _taken_for_one(entry)
    ]
    if not found and attrs.get("unmatched_tables"):
        tables = ", ".join(f"`{table}`" for table in attrs["unmatched_tables"])
        return [
            f"No key of `{first}` is in {tables}, although each column shares levels: no combination of their levels occurs in both. "
            f"Give fewer or coarser key columns, or check that the tables describe the same population."
        ]
    return _sentences(found, first)


def other_spellings(attrs: Mapping[str, Any], first: str = "original") -> list[str]:
    """Sentences about each column that shares levels with the original, but has some that look like its levels in another spelling.

    Also about columns that share only a missing value.
    """
    found = []
    for column, table, entry in _entries(attrs):
        if entry["likely"] and (not shares_nothing(entry) or _taken_for_one(entry)):
            effect = (
                "which are taken for one where whole records are compared"
                if _taken_for_one(entry)
                else f"so records that should match {'do' if entry['absent'] or entry['foreign'] else 'may'} not"
            )
            pairs = f"{many(sum(entry['likely'].values()), 'pair')} of levels that look like one level in two spellings"
            found.append((entry, column, table, f"of `{first}` and `{table}` has {pairs}, {effect}"))
        elif mostly_foreign(entry):
            records = f"{entry['foreign_records']:,} of the {many(entry['records'], 'record')}"
            found.append(
                (entry, column, table, f"of `{first}` lacks the levels that {records} of `{table}` have, so that these match nobody")
            )
        elif entry.get("missing") and not entry["shared"]:
            what = "but a missing value, so that only records without a value match"
            found.append((entry, column, table, f"{_levels(entry, first, table)} {what}"))
    return _sentences(found, first)


def _levels(entry: Entry, first: str, table: str) -> str:
    mine, theirs = (many(n, "level") for n in entry["levels"])
    return f"has no level in common in `{first}` ({mine}) and `{table}` ({theirs})"


def _sentences(found: Sequence[tuple[Entry, str, str, str]], first: str) -> list[str]:
    """One sentence for each column and table, with likely cause and remedy; only one for all unnamed columns with the same cause."""
    told: dict[Hashable, list[str]] = {}
    for entry, column, table, what in found:
        alike: Hashable = (
            (table, *entry["likely"], str(entry.get("remedy"))) if entry["role"] in ("compared", "sampled") else (table, column)
        )
        if alike in told:
            told[alike].append(repr(column))
        else:
            told[alike] = [f"Column {column!r} {what}.{_likely(column, entry, first, table)}"]
    return [f"{sentence[:-1]}; and likewise {listed(others)}." if others else sentence for sentence, *others in told.values()]


def shares_nothing(entry: Entry) -> bool:
    """Whether a column shares no level with the original's, not even a missing value."""
    return not entry["shared"] and not entry.get("missing")


def nothing_shared(attrs: Mapping[str, Any]) -> bool:
    """Whether a column that is counted shares no level with the original."""
    return any(shares_nothing(entry) and entry["role"] in ("key", "target", "column") for _, _, entry in _entries(attrs))


def mostly_foreign(entry: Entry) -> bool:
    """Whether most records of a table have texts in a column that is counted which the original lacks, although it shares some level.

    The share of records that are alone in the original estimates how many records of a fresh sample have such texts (Good, 1953).
    """
    counted = entry["kind"] == "text" and entry["role"] in ("key", "target", "column") and entry["shared"]
    return bool(counted and 2 * entry["foreign_records"] > entry["records"] and entry["single"] < ALONE)


def _taken_for_one(entry: Entry) -> bool:
    """Whether levels in two spellings are treated as one, as in columns that are only compared as parts of whole records."""
    return entry["role"] == "compared" and bool(entry["likely"]) and entry["absent"] + entry["foreign"] > 0


def mismatched(attrs: Mapping[str, Any]) -> dict[str, list[str]]:
    """Columns that are counted, with the tables that have levels of the original in another spelling, mostly other ones, or share none.

    So is a column that is cut into bins where whole records are compared and its values are spelled otherwise, or numbers of another range.
    """
    found: dict[str, list[str]] = {}
    copies = attrs.get("copies")
    compared = copies.get("levels", {}) if isinstance(copies, Mapping) else {}
    for column, table, entry in (*_entries(attrs), *_entries({**attrs, "levels": compared})):
        if entry["role"] in ("key", "target"):
            unlike = not entry["shared"] or mostly_foreign(entry) or (entry["likely"] and entry["absent"] + entry["foreign"])
        else:  # bins have equal values in another precision, and other numbers of one range
            unlike = column in attrs.get("bins", {}) and ({*entry["likely"]} - {PRECISION} or not entry.get("overlap", True))
        if unlike and table not in found.get(column, ()):
            found.setdefault(column, []).append(table)
    return found


def with_compared(attrs: Mapping[str, Any], copies: Mapping[str, Any]) -> dict[str, Any]:
    """The attrs, with the levels of columns that are only compared for copies."""
    return {**attrs, "levels": {**copies.get("levels", {}), **attrs.get("levels", {})}}


def missing_codes(attrs: Mapping[str, Any]) -> list[str]:
    """Sentences about each column with levels that look like codes of missing values, if no remedy of `other_spellings` names them."""
    found = []
    told = {(column, code) for column, _, entry in _entries(attrs) for code in entry.get("remedy", {}).get("null_values", [])}
    for column, likely in attrs.get("likely_codes", {}).items():
        codes = [code for code in likely if (column, str(code)) not in told]
        if codes:
            like = "look like codes" if len(codes) > 1 else "looks like a code"
            remedy = said(_with_given(attrs, column, codes), column, "", "")
            found.append(f"Column {column!r} holds {listed([repr(x) for x in codes])}, which {like} of missing values. If so, {remedy}.")
    return found


def _entries(attrs: Mapping[str, Any]) -> Iterator[tuple[str, str, Entry]]:
    """Each column, table and comparison; a remedy that names codes names those that were given as well."""
    for column, tables in attrs.get("levels", {}).items():
        for table, entry in tables.items():
            remedy = entry.get("remedy", {})
            codes = _with_given(attrs, column, remedy["null_values"]) if "null_values" in remedy else {}
            yield column, table, {**entry, "remedy": remedy | codes}


def _with_given(attrs: Mapping[str, Any], column: str, codes: Sequence[Any]) -> dict[str, Any]:
    """The remedy that adds codes of a column to those that were given."""
    given = attrs.get("null_values") or {}
    beside = dict(given) if isinstance(given, Mapping) else {ALL: given}
    return {"null_values": [*beside.pop(column, []), *codes], "beside": beside}


def _likely(column: str, entry: Entry, first: str, table: str) -> str:
    """The likely cause, an example that enough records hold, and the remedy."""
    cause = max(entry["likely"], key=entry["likely"].get, default=None)
    if "labels" in entry.get("remedy", {}):
        return f" One has codes and the other their labels. To correct it, {said(entry['remedy'], column, first, table)}."
    if cause is not None:
        such = f", such as {entry['examples'][0][0]} and {entry['examples'][0][1]}" if entry["examples"] else ""
        return f" Likely cause: {cause}{such}. To correct it, {said(entry.get('remedy', {}), column, first, table)}."
    if entry["kind"] == "number" and max(entry["levels"]) > MANY and entry["role"] in ("key", "target", "column"):
        near = ", or let near guesses count, with `within` of average_cap" if entry["role"] == "target" else ""
        return f" Numbers with that many levels are rarely equal: cut them, as with {arguments.said(bins={column: 10})}{near}."
    return (
        f" Check that the column means the same in both tables. Where one has codes and the other their labels, recode one of them, as "
        f"with table[{column!r}] = table[{column!r}].map({{code: label}}) in Python."
    )


def warn_of_levels(attrs: Mapping[str, Any], first: str = "original") -> None:
    """Warn once of columns that share no level or have levels in another spelling, and of keys that are too fine.

    ``first`` is the original's name.
    """
    found = [*without_match(attrs, first), *other_spellings(attrs, first)]
    fine = too_fine(attrs, first)
    if not found and not fine:
        return
    more = [f"{many(len(found) - TOLD, 'more such finding')}."] if len(found) > TOLD else []
    all_levels = [ALL_LEVELS] if found else []
    warning = LevelsWarning(" ".join([*found[:TOLD], *more, *all_levels, *fine]))
    warning.nothing_shared = nothing_shared(attrs)
    warnings.warn(warning, stacklevel=callers())


def warn_of_bins(column: Hashable, asked: int, found: int) -> None:
    """Warn that a column is cut into fewer bins than were asked for; into 0 where the original has no value."""
    if found:
        why = "many values of `original` are equal, so that cut points coincide. Give fewer bins, or cut points."
    else:
        why = "`original` has no value in it. Give cut points, or leave it out."
    message = f"Column {str(column)!r} is cut into {many(max(found, 1), 'bin')}, not {asked:,} as `bins` asks for: {why}"
    warnings.warn(LevelsWarning(message), stacklevel=callers())


def callers() -> int:
    """The stack level of the first caller outside this package, as `warnings.warn` counts from the function that calls this one."""
    package = str(Path(__file__).parents[1])
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    return level
