"""Levels that do not meet: whether the tables use the same ones, compared column by column, and whether they are too fine to be met.

A level that only one table has is not a mistake by itself: a release need not have all of them. But a column that shares no level with the
original makes every risk 0, and a level in another spelling lowers it. So do keys so fine that few people are matched, and targets so fine
that few guesses are equal: no release is safe because of them. All are found, recorded and reported. A key column is nearly an identifier
where fewer than four records share a level on average. Most households are no larger, while the years of age of a few hundred people are
not so fine.
"""

from __future__ import annotations

import inspect
import shlex
import warnings
from collections import Counter
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.declared_types import ENOUGH, parsed
from capstats.codes.labels import MISSING, Label, canonical, kind_of
from capstats.codes.missing_codes import codes_for_missing, likely_codes, plain
from capstats.codes.names import listed
from capstats.codes.remedies import COMMA, remedy_of, said
from capstats.codes.spellings import lookalikes, spelled_twice
from capstats.tables.backing import Data, totals_of, unstacked
from capstats.tables.printing import many, percent

TOLD = 5  # the most findings in one warning
EXAMINED = 50_000  # the most levels of each table, the most frequent ones, that are examined for another spelling
MANY = 20  # levels of a column of numbers above which it is better cut; a key with fewer levels is never called fine
SHARED = 4  # records of a level, on average, below which its column is nearly an identifier
UNMATCHED = 0.05  # share of records without a match that such a column must leave
MOST_UNMATCHED = 0.5  # the same for keys without such a column: version 1 is then below it, whatever the release discloses
NUMBERS = 50  # levels of a target of numbers that is not cut, above which it is called fine
PARSED = 1000  # levels that are parsed to see what a column of text holds

EFFECTS = {
    "key": "no key can match",
    "target": "no guess can be right",
    "column": "no record can match",
    "compared": "whole records are compared without it",
    "sampled": "whole records are compared without it",
}

Records = NDArray[Any]  # records of each level of a column
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
    held = [(labels[i], labels[j]) for i, j, _ in pairs if original[i] >= ENOUGH and other[j] >= ENOUGH]
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
    found = remedy_of(main, [(canonical(labels[i]), canonical(labels[j])) for i, j, cause in pairs if cause == main], original, other)
    if original == other:  # both are to be changed
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
    found = {(mine[a], theirs[b]): cause for a, (b, cause) in lookalikes(mine, theirs).items()}
    found |= {(mine[a], theirs[b]): cause for b, (a, cause) in lookalikes(theirs, mine).items()}
    found |= {(i, j): cause for i, j, cause in codes_for_missing(mine, theirs)}
    return [(i, j, cause) for (i, j), cause in sorted(found.items(), key=lambda pair: -min(original[pair[0][0]], other[pair[0][1]]))]


def pairs_within(labels: Sequence[Label], original: Records, other: Records) -> list[tuple[int, int, str]]:
    """Levels that both tables have and that look like one level in two spellings, as the indices of both, and the difference."""
    if isinstance(labels, pd.Index) and labels.dtype.kind in "iufbM":
        return []
    at = {canonical(labels[i]): i for i in _examined(np.minimum(original, other))}
    return [(at[a], at[b], cause) for a, b, cause in spelled_twice(at)]


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
            other = {table for table, entry in of_keys if shares_nothing(entry) or 2 * sum(entry["likely"].values()) > entry["absent"]}
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


# --- levels that are too fine -------------------------------------------------------------------------------------------


def fine_keys(
    columns: Mapping[str, tuple[Sequence[Label], Mapping[str, Records]]], keys: Mapping[str, Records], releases: Sequence[str]
) -> dict[str, Any]:
    """The key columns that are nearly identifiers; or the one with the most levels, if the whole key leaves most people without a match.

    ``columns`` have their labels and the records that each table has of each, ``keys`` those of each key.
    """
    o = keys["original"]
    if not releases or not o.any():
        return {}
    apart = {name: share_of(o, keys[name] == 0) for name in releases}
    found = {
        column: entry
        for column, (labels, records) in columns.items()
        if (entry := fine_column(labels, records["original"], {name: records[name] for name in releases}, list(apart.values())))
    }
    sizes = {column: (labels, int((records["original"] > 0).sum())) for column, (labels, records) in columns.items()}
    # another warning says that no key is matched; and a release of far fewer records leaves even coarse keys without a match
    known = [x for name, x in apart.items() if x < 1 and 2 * keys[name].sum() >= o.sum()]
    return found or fine_key(sizes, int((o > 0).sum()), o.sum().item(), known)


def fine_column(
    labels: Sequence[Label], original: Records, releases: Mapping[str, Records], unmatched: Sequence[float]
) -> dict[str, Any] | None:
    """Numbers that describe a key column that is nearly an identifier and leaves people without a match; None for other columns.

    ``original`` and ``releases`` are the records of each of the labels; ``unmatched`` are the shares of the original's records whose whole
    key the releases lack.
    """
    n, levels = original.sum().item(), int((original > 0).sum())
    if levels <= MANY or levels * SHARED <= n:
        return None
    lacking = [share_of(original, held == 0) for held in releases.values()]
    if max(*lacking, *unmatched) <= UNMATCHED:
        return None
    alone = {} if original.dtype.kind == "f" else {"alone": share_of(original, original == 1)}
    return {"levels": levels, "records": n, **alone, "lacking": _span(lacking), "holds": _content(labels)}


def fine_key(columns: Mapping[str, tuple[Sequence[Label], int]], keys: int, n: float, unmatched: Sequence[float]) -> dict[str, Any]:
    """The same for a whole key without a column that is nearly an identifier, as an entry for the column with the most levels.

    ``columns`` have their labels and the number of levels in the original; ``keys`` is the number of the original's combinations.
    """
    if keys <= MANY or max(unmatched, default=0.0) <= MOST_UNMATCHED:
        return {}
    column, (labels, levels) = max(columns.items(), key=lambda item: item[1][1])
    return {column: {"levels": levels, "records": n, "unmatched": _span(unmatched), "keys": keys, "holds": _content(labels)}}


def fine_targets(columns: Mapping[str, tuple[Sequence[Label], Mapping[str, Records]]], known: Container[str]) -> dict[str, int]:
    """The number of levels of each target that has many numbers, except those ``known`` to be cut or to have declared levels.

    ``columns`` have their labels and the counts of these in each table. Codes of equal length, such as occupations, are no numbers.
    """
    found = {}
    for column, (labels, of_tables) in columns.items():
        records = of_tables["original"]
        held = [labels[i] for i in np.flatnonzero(records > 0).tolist()] if column not in known and (records > 0).sum() > NUMBERS else []
        content, present = _content(held), [x for x in held if x is not MISSING]
        if len(present) > NUMBERS and (content == "number" or (content == "text of numbers" and not _are_codes(present))):
            found[column] = len(present)
    return found


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether texts of numbers are codes: of equal length, and far apart."""
    numbers = np.array([parsed(x, "number") for x in texts], float)
    return len(set(map(len, texts))) == 1 and bool(np.ptp(numbers) > 2 * len(texts))


def share_of(records: Records, which: NDArray[np.bool_]) -> float:
    """The share of the records with some of the levels, or keys."""
    return float(records[which].sum() / records.sum())


def _span(shares: Sequence[float]) -> list[float]:
    return sorted({min(shares), max(shares)})


def _content(labels: Sequence[Label]) -> str:
    """The content of a column: numbers, dates, datetimes, texts that parse as one of these, or another kind."""
    some = list(islice((x for x in map(canonical, labels) if x is not MISSING), PARSED))
    kind = kind_of(some[0]) if some else "other"
    if kind != "text":
        return kind
    types = ("number", "date", "datetime")
    return next((f"text of {name}s" for name in types if all(parsed(x, name) is not MISSING for x in some)), "text")


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
                else "so records that should match do not"
            )
            pairs = f"{many(sum(entry['likely'].values()), 'pair')} of levels that look like one level in two spellings"
            found.append((entry, column, table, f"of `{first}` and `{table}` has {pairs}, {effect}"))
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


def _taken_for_one(entry: Entry) -> bool:
    """Whether levels in two spellings are treated as one, as in columns that are only compared as parts of whole records."""
    return entry["role"] == "compared" and bool(entry["likely"]) and entry["absent"] + entry["foreign"] > 0


def with_compared(attrs: Mapping[str, Any], copies: Mapping[str, Any]) -> dict[str, Any]:
    """The attrs, with the levels of columns that are only compared for copies."""
    return {**attrs, "levels": {**copies.get("levels", {}), **attrs.get("levels", {})}}


def missing_codes(attrs: Mapping[str, Any]) -> list[str]:
    """Sentences about each column with levels that look like codes of missing values, if no remedy of `other_spellings` names them."""
    found = []
    given = attrs.get("null_values")
    told = {(column, code) for column, _, entry in _entries(attrs) for code in entry.get("remedy", {}).get("null_values", [])}
    for column, likely in attrs.get("likely_codes", {}).items():
        codes = [code for code in likely if (column, str(code)) not in told]
        if not codes:
            continue
        all_codes = [*(given.get(column, []) if isinstance(given, Mapping) else []), *codes]
        option = shlex.quote(f"{column}={','.join(map(str, all_codes))}")
        found.append(
            f"Column {column!r} holds {listed([repr(x) for x in codes])}, which {'look' if len(codes) > 1 else 'looks'} like "
            f"{'codes' if len(codes) > 1 else 'a code'} of missing values. If so, say null_values={{{column!r}: {all_codes!r}}} "
            f"(--null-values {option})."
        )
    return found


def _entries(attrs: Mapping[str, Any]) -> Iterator[tuple[str, str, Entry]]:
    return ((column, table, entry) for column, tables in attrs.get("levels", {}).items() for table, entry in tables.items())


def _likely(column: str, entry: Entry, first: str, table: str) -> str:
    """The likely cause, an example that enough records hold, and the remedy."""
    cause = max(entry["likely"], key=entry["likely"].get, default=None)
    if cause is not None:
        such = f", such as {entry['examples'][0][0]} and {entry['examples'][0][1]}" if entry["examples"] else ""
        return f" Likely cause: {cause}{such}. To correct it, {said(entry.get('remedy', {}), column, first, table)}."
    if entry["kind"] == "number" and max(entry["levels"]) > MANY and entry["role"] in ("key", "target", "column"):
        near = ", or let near guesses count, with `within` of average_cap" if entry["role"] == "target" else ""
        bins = f"bins={{{column!r}: 10}} (--bin {shlex.quote(column)}=10)"
        return f" Numbers with that many levels are rarely equal: cut them, as with {bins}{near}."
    return (
        f" Check that the column means the same in both tables. Where one has codes and the other their labels, recode one of them, as "
        f"with table[{column!r}] = table[{column!r}].map({{code: label}}) in Python."
    )


def too_fine(attrs: Mapping[str, Any], first: str = "original") -> list[str]:
    """One text about all key columns that are nearly identifiers, or about a key that leaves most people without a match, with remedies.

    A text about each target that is too fine comes first.
    """
    entries: Mapping[str, dict[str, Any]] = attrs.get("fine_keys", {})
    targets = [
        f"The target {column!r} is a number with {levels:,} levels, and only an equal number counts as right: the release looks safer than "
        f"it is. Cut it, as with bins={{{column!r}: 10}} (--bin {shlex.quote(column)}=10), or let near guesses count, with `within` of "
        f"average_cap."
        for column, levels in attrs.get("fine_targets", {}).items()
    ]
    if not entries:
        return targets
    found = [_sentence(column, entry, first) for column, entry in entries.items()]
    remedies = [_coarser(column, entry, column in attrs.get("bins", {})) for column, entry in entries.items()]
    why = "Records without a match count 0 in average CAP (version 1): it is low because the key is fine, not because the release is safe."
    them = "it" if len(entries) == 1 else "them"
    return [*targets, f"{' '.join(found)} {why} Compare it with average_cap_nearest; {listed(remedies)}, or leave {them} out of the keys."]


def _sentence(column: str, entry: Mapping[str, Any], first: str) -> str:
    records = many(entry["records"], "record")
    if "keys" in entry:
        return (
            f"The keys are so fine that {_shares(entry['unmatched'])} of the {records} of `{first}` are without a synthetic "
            f"record of the same keys: they have {many(entry['keys'], 'combination')}, and "
            f"column {column!r} has {many(entry['levels'], 'level')}."
        )
    alone = f"{percent(entry['alone'])} have a level that no other record has, and " if "alone" in entry else ""
    return (
        f"Key column {column!r} is nearly an identifier, with {many(entry['levels'], 'level')} in the {records} of `{first}`: {alone}"
        f"{_shares(entry['lacking'])} have one that no synthetic record has."
    )


def _shares(span: Sequence[float]) -> str:
    return f"{percent(span[0])} to {percent(span[-1])} (by release)" if len(span) > 1 else percent(span[0])


def _coarser(column: str, entry: Mapping[str, Any], is_cut: bool) -> str:
    """What to do with a column, in Python and on the command line."""
    option, holds = shlex.quote(f"{column}=10"), entry["holds"]
    if is_cut:
        return f"cut {column!r} into fewer bins"
    if entry["levels"] <= MANY:
        return f"merge levels of {column!r} in all tables"
    if holds in ("number", "date", "datetime", "text of numbers"):
        return f"cut {column!r}, as with bins={{{column!r}: 10}} (--bin {option})"
    if holds in ("text of dates", "text of datetimes"):
        of = holds.removeprefix("text of ").removesuffix("s")
        typed = shlex.quote(f"{column}={of}")
        return f"cut {column!r}, as with types={{{column!r}: {of!r}}} and bins={{{column!r}: 10}} (--type {typed} --bin {option})"
    return f"merge levels of {column!r} in all tables"


def warn_of_levels(attrs: Mapping[str, Any], first: str = "original") -> None:
    """Warn once of columns that share no level or have levels in another spelling, and of keys that are too fine.

    ``first`` is the original's name.
    """
    found = [*without_match(attrs, first), *other_spellings(attrs, first)]
    fine = too_fine(attrs, first)
    if not found and not fine:
        return
    more = [f"{many(len(found) - TOLD, 'more such finding')}."] if len(found) > TOLD else []
    all_levels = ["For all levels see compare_levels."] if found else []
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
