"""Levels that are too fine: keys that few records share, and targets of which few guesses are equal.

Keys so fine that few people are matched lower every risk, as do targets so fine that few guesses are equal: no release is safe because of
them. A key column is too fine where fewer than four records share a level on average. Most households are no larger, while the
years of age of a few hundred people are not so fine.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capstats.codes.arguments import said
from capstats.codes.declared_types import parsed
from capstats.codes.labels import MISSING, Label, canonical, kind_of
from capstats.codes.names import listed
from capstats.tables.printing import many, percent

MANY = 20  # levels of a column of numbers above which it is better cut; a key with fewer levels is never called fine
SHARED = 4  # records of a level, on average, below which its column is too fine
UNMATCHED = 0.05  # share of records without a match that such a column must leave
MOST_UNMATCHED = 0.5  # the same for keys without such a column: version 1 is then below it, whatever the release discloses
NUMBERS = 50  # levels of a target of numbers that is not cut, above which it is called fine
PARSED = 1000  # levels that are parsed to see what a column of text holds

Records = NDArray[Any]  # records of each level of a column


def fine_keys(
    columns: Mapping[str, tuple[Sequence[Label], Mapping[str, Records]]], keys: Mapping[str, Records], releases: Sequence[str]
) -> dict[str, Any]:
    """The key columns that are too fine; or the one with the most levels, if the whole key leaves most people without a match.

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
    """Numbers that describe a key column that is too fine and leaves people without a match; None for other columns.

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
    """The same for a whole key without a column that is too fine, as an entry for the column with the most levels.

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


def too_fine(attrs: Mapping[str, Any], first: str = "original") -> list[str]:
    """One text about all key columns that are too fine, or about a key that leaves most people without a match, with remedies.

    A text about each target that is too fine comes first.
    """
    entries: Mapping[str, dict[str, Any]] = attrs.get("fine_keys", {})
    targets = [
        f"The target {column!r} is a number with {levels:,} levels, and only an equal number counts as right: the release looks safer than "
        f"it is. Cut it, as with {said(bins={column: 10})}, or let near guesses count, with `within` of "
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
        f"Key column {column!r} is too fine, with {many(entry['levels'], 'level')} in the {records} of `{first}`: {alone}"
        f"{_shares(entry['lacking'])} have one that no synthetic record has."
    )


def _shares(span: Sequence[float]) -> str:
    return f"{percent(span[0])} to {percent(span[-1])} (by release)" if len(span) > 1 else percent(span[0])


def _coarser(column: str, entry: Mapping[str, Any], is_cut: bool) -> str:
    """What to do with a column, in Python and on the command line."""
    holds, bins = entry["holds"], {column: 10}
    if is_cut:
        return f"cut {column!r} into fewer bins"
    if entry["levels"] <= MANY:
        return f"merge levels of {column!r} in all tables"
    if holds in ("number", "date", "datetime", "text of numbers"):
        return f"cut {column!r}, as with {said(bins=bins)}"
    if holds in ("text of dates", "text of datetimes"):
        of = holds.removeprefix("text of ").removesuffix("s")
        return f"cut {column!r}, as with {said(types={column: of}, bins=bins)}"
    return f"merge levels of {column!r} in all tables"
