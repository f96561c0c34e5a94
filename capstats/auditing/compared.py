"""Text of an audit of several releases: tables with a row for each release, and what their columns mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.report import WIDTH, Block, Facts, Grid
from capstats.codes.names import in_cell, named, shortened
from capstats.tables.printing import count, many, share

LABEL = 24  # characters of the label of a row, at most
HEADING = 14  # characters of the heading of a column, at most
DOTS = "..."  # for what is left out
LEVELS = 6  # levels of the target, or key columns, that have a column each

# measure -> the heading of its column, whether it is a share or a number of people, and what it means
RISK = {
    "average_cap": ("average CAP", "share", "share of the original {people} for whom the guess is expected to be right"),
    "average_cap_error": ("error", "share", "standard error of average CAP, the original as a sample"),
    "difference": ("difference", "share", "average CAP minus that of {against}, of the same {people}"),
    "difference_error": ("its error", "share", "standard error of the difference"),
    "holdout_cap": ("holdout", "share", "the same share of {people} not used for synthesis"),
    "individual_disclosure": ("used - not", "share", "average CAP minus that of {people} not used for synthesis"),
    "individual_disclosure_error": ("error of this", "share", "standard error of this difference"),
    "membership_p_value": ("p of this", "share", "p-value of this difference, the labels used and not used permuted"),
    "records_above_half": ("> 0.5", "count", "{people} for whom the guess is right with probability above 0.5"),
    "records_above_nine_tenths": ("> 0.9", "count", "the same above 0.9"),
    "records_certain": ("certain", "count", "{people} for whom the guess is right with certainty"),
    "unmatched_records": ("unmatched", "count", "{people} whose keys no synthetic record has"),
    "target_distance": (
        "distance",
        "share",
        "of the targets given the keys from the original's: 0 if they agree, 1 if they have nothing in common",
    ),
}
DETAILS = {
    "permutation_p_value": (
        "p of link",
        "share",
        "p-value of average CAP, the synthetic targets permuted: a useful release has a small one",
    ),
    "matched_share": ("matched", "share", "share of {people} whose keys are in the synthetic data"),
    "predictive_success": ("commonest", "share", "share guessed right by the commonest target"),
    "average_cap_least": ("least", "share", "least attainable average CAP, unmatched {people} counting 0 (version 1)"),
    "average_cap_greatest": ("greatest", "share", "greatest attainable"),
    "average_cap_matched": ("version 2", "share", "average CAP of the matched {people}"),
    "average_cap_matched_least": ("its least", "share", "least attainable of version 2"),
    "average_cap_matched_greatest": ("its greatest", "share", "greatest attainable of version 2"),
    "original_certain": ("DiO", "share", "share of {people} whose key has one target in the original"),
    "share_certain": ("DiSCO", "share", "share guessed with certainty, and rightly"),
    "share_certain_wrong": ("wrong", "share", "share guessed with certainty, and wrongly"),
    "share_unique": ("unique", "share", "share with a key that one original record has"),
    "share_replicated": ("replicated", "share", "share with a key that one original record has, and one synthetic one"),
    "individual_cap_least": ("smallest", "share", "least CAP of one person"),
    "individual_cap_lower_quartile": ("0.25", "share", "lower quartile of the CAP of one person"),
    "individual_cap_median": ("median", "share", "its median"),
    "individual_cap_upper_quartile": ("0.75", "share", "its upper quartile"),
    "individual_cap_upper_decile": ("0.9", "share", "its 0.9 quantile"),
    "individual_cap_upper_percentile": ("0.99", "share", "its 0.99 quantile"),
    "individual_cap_greatest": ("largest", "share", "greatest CAP of one person"),
}
Columns = Mapping[str, tuple[str, str, str]]


def headings(labels: Sequence[str], longest: int = LABEL) -> list[str]:
    """The labels of the synthetic tables as headings of rows: numbered and shortened where one is too long."""
    shown = [in_cell(label) if label else "" for label in labels]
    if max(map(len, shown)) <= longest:
        return shown
    room = longest - len(f"{len(shown)} ")
    first, last = (_alike(texts) for texts in (shown, [text[::-1] for text in shown]))
    differ = max(map(len, shown)) - first - last  # characters of the part in which they differ
    start = first - min(first, max(room - differ - 2 * len(DOTS), 0))  # with as much before it as there is room for
    texts = [DOTS * bool(start) + text[start:] for text in shown]
    if differ + 2 * len(DOTS) > room:
        texts = [shortened(text[first : len(text) - last] or text, room) for text in shown]
    return [f"{i} {text if len(text) <= room else text[: room - len(DOTS)] + DOTS}" for i, text in enumerate(texts, 1)]


def _alike(texts: Sequence[str]) -> int:
    """How many characters the texts have in common at their start."""
    return sum(1 for _ in takewhile(lambda signs: len(set(signs)) == 1, zip(*texts, strict=False)))


def risks(m: xr.Dataset, p: Mapping[str, Any], heads: Sequence[str], order: Sequence[int], people: str) -> list[Block]:
    """The order of the releases, a row of numbers for each, and what the numbers are."""
    utilities = {name: (shortened(in_cell(name), HEADING), "number", f"{named(name)}, as given") for name in p.get("utility", [])}
    against = heads[[str(label) for label in m.indexes["synthetic"]].index(str(p["against"]))] if "against" in p else ""
    risk = {name: (head, form, meaning.format(people=people, against=against)) for name, (head, form, meaning) in RISK.items()}
    columns = risk | utilities  # whose names are the caller's, and no formats
    cells = _cells(m, columns, heads, order, 3)
    told = [(columns[name][0], columns[name][2]) for name in cells]
    return [*ranked_by(p, {**columns, **DETAILS}), *tables(["synthetic", *(heads[i] for i in order)], list(cells.values())), Facts(told)]


def details(m: xr.Dataset, heads: Sequence[str], order: Sequence[int], people: str) -> list[Block]:
    """Further numbers of each release, and what they are; a number that is the same for all releases stands there alone."""
    cells = _cells(m, DETAILS, heads, order, 4)
    alike = {name: column[1] for name, column in cells.items() if len(order) > 1 and len(set(column[1:])) == 1}
    told = [
        (DETAILS[name][0], (f"{alike[name]} for each: " if name in alike else "") + DETAILS[name][2].format(people=people))
        for name in cells
    ]
    columns = [column for name, column in cells.items() if name not in alike]
    return [*tables(["synthetic", *(heads[i] for i in order)], columns), Facts(told)]


def _cells(m: xr.Dataset, columns: Columns, heads: Sequence[str], order: Sequence[int], digits: int) -> dict[str, list[str]]:
    """The heading and the numbers, in the order of the rows, of each column that there is."""
    forms = {"share": lambda x: share(x, digits), "count": count, "number": number}
    found = {}
    for name, (heading, form, _) in columns.items():
        if name in m:
            values = np.broadcast_to(m[name].values, len(heads))
            found[name] = [heading, *(forms[form](values[i]) for i in order)]
    return found


def tables(labels: Sequence[str], columns: Sequence[Sequence[str]]) -> list[Block]:
    """Columns of text beside the labels of their rows, each with its heading first: as many tables as the width of a line makes."""
    parts: list[list[Sequence[str]]] = []
    left = 0
    for column in columns:
        wide = max(map(len, column)) + 2
        if wide > left:
            parts.append([])
            left = WIDTH - 2 - max(map(len, labels))
        parts[-1].append(column)
        left -= wide
    return [
        Grid([labels[0], *(c[0] for c in part)], list(map(list, zip(labels[1:], *(c[1:] for c in part), strict=True)))) for part in parts
    ]


def levels(by_target: xr.Dataset, names: Sequence[str], heads: Sequence[str], order: Sequence[int], people: str) -> list[Block]:
    """Of the people with each level of the target, how many are guessed right, a row for each release."""
    room = (WIDTH - 2 - max(map(len, [*heads, "synthetic"]))) // len(names) - 2
    shown = [shortened(name, max(room, 10)) for name in names]
    labels = ["synthetic", people, *(heads[i] for i in order)]
    held = list(map(count, by_target.records.values))
    blocks: list[Block] = []
    for name, form, what in (
        ("average_cap", share, f"Average CAP of the {people} with each level:"),
        ("records_above_nine_tenths", count, f"Number of these {people} for whom the guess is right with probability above 0.9:"),
    ):
        found = by_target[name].transpose("target", "synthetic").values
        columns = [[level, n, *(form(values[i]) for i in order)] for level, n, values in zip(shown, held, found, strict=True)]
        blocks += [what, *tables(labels, columns)]
    return blocks


def by_column(found: xr.Dataset, heads: Sequence[str], order: Sequence[int]) -> list[Block]:
    """What each key column adds to average CAP, a row for each release; those columns that add most to any release."""
    which = "shapley" if "shapley" in found else "leave_one_out"
    meaning = {
        "shapley": "What each key column adds to average CAP, on average over all orders in which they become known (Shapley value):",
        "leave_one_out": "What each key column adds to average CAP where all others are known:",
    }
    shares = found[which].transpose("key_column", "synthetic").values
    most = np.sort(np.argsort(-np.abs(shares).max(axis=1), kind="stable")[:LEVELS])
    columns = [[shortened(in_cell(str(found.indexes["key_column"][c])), HEADING), *(share(shares[c, i]) for i in order)] for c in most]
    rest = len(shares) - len(most)
    more = [f"Not shown: {many(rest, 'column')} that {'add' if rest > 1 else 'adds'} less."] if rest else []
    return [meaning[which], *tables(["synthetic", *(heads[i] for i in order)], columns), *more]


def number(value: Any) -> str:
    """A number of the caller's, of which nothing is known, with up to five significant digits."""
    return "undefined" if np.isnan(value) else f"{value:.5g}"


def ranked_by(p: Mapping[str, Any], columns: Columns) -> list[Block]:
    """By what the releases are ordered, if by anything."""
    asked = p.get("rank_by")
    if asked is None:
        return []
    least = asked not in columns and asked.startswith("-")
    name = asked.removeprefix("-") if least else asked
    heading = columns[name][0] if name in columns else named(name)
    return [f"The releases are in the order of {heading}, that with the {'least' if least else 'greatest'} first."]
