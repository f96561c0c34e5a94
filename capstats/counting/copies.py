"""Records of a release that are copies of real ones: identical to one of the original in all columns that both have, or in all but one.

Each label has a random number of 64 bits, made from what it says and from its column. A record is the sum of its numbers, so that it is
compared as one integer, and without a column by a subtraction. Two different ones agree with a probability of 2**-64.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capstats.codes.column import Column, Counts, Places
from capstats.codes.declared_types import NUMBER
from capstats.codes.labels import Label, canonical
from capstats.counting.inputs import Input
from capstats.counting.reading import read_rows
from capstats.sources.source import Options

COLUMNS = 50  # columns that are compared by default, at most
NEAR = 20  # columns up to which records that agree in all but one are looked for

Numbers = NDArray[np.uint64]


@dataclass
class Rows:
    """The distinct records of a table over some columns: each as a number, and how often it occurs."""

    columns: list[tuple[Numbers, Places]]  # the numbers of the labels of each column, and which of them each row has
    counts: Counts

    @cached_property
    def numbers(self) -> Numbers:
        """The number of each row."""
        return np.sum([labels[codes] for labels, codes in self.columns], axis=0, dtype=np.uint64)

    def without(self, column: int | None) -> Numbers:
        """The number of each row but for one of its columns."""
        if column is None:
            return self.numbers
        labels, codes = self.columns[column]
        return self.numbers - labels[codes]

    def times(self, other: Rows, column: int | None = None) -> Counts:
        """How many records of this table each row of another one is identical to, but for a column."""
        known, place = np.unique(self.without(column), return_inverse=True)
        counts = np.bincount(place, self.counts).astype(np.int64)
        asked = other.without(column)
        at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        return np.where(known[at] == asked, counts[at], 0)


def copies(inputs: Sequence[Input], options: Options, most: int = COLUMNS) -> dict[str, Any]:
    """How many records of each release are copies of the original's, and of the holdout's; or why that is not computed.

    ``inputs`` are original, releases and holdout, as `inputs_of` gives them.
    """
    shared = [list(table.source.names(options)) for table in inputs]
    weights = {table.weight for table in inputs}
    common = [c for c in shared[0] if c not in weights and all(names.count(c) == 1 for names in shared)]
    if not 0 < len(common) <= most:
        return {"not_computed": f"the tables have {len(common)} columns in common, and 1 to {most} are compared (--copy-columns)"}
    original, *releases = (_rows(table, common, options) for table in inputs)
    holdout = releases.pop() if inputs[-1].source.name == "holdout" else None
    found = {"columns": len(common), "releases": [of_release(original, release, holdout) for release in releases]}
    return found if len(common) <= NEAR else {**found, "near": f"not computed for more than {NEAR} columns"}


def of_release(original: Rows, release: Rows, holdout: Rows | None = None) -> dict[str, float]:
    """Numbers of copies in one release, and what chance would give."""
    m, found = int(release.counts.sum()), {}
    for prefix, real in (("", original), ("holdout_", holdout)):
        if real is None:
            continue
        times = real.times(release)
        matched = {"copied": times > 0, "copied_unique": times == 1}
        found |= {f"{prefix}{name}_records": int(release.counts[rows].sum()) for name, rows in matched.items()}
        if len(release.columns) <= NEAR:
            near = np.any([real.times(release, column) > 0 for column in range(len(release.columns))], axis=0)
            found[f"{prefix}near_copied_records"] = int(release.counts[near & (times == 0)].sum())
        if real is holdout:
            chance = by_holdout(release, matched, max(1.0, original.counts.sum() / holdout.counts.sum()))
    return {"records": m, **found, **(by_frequencies(original, m) if holdout is None else chance)}


def by_holdout(release: Rows, matched: Mapping[str, Any], times: float) -> dict[str, float]:
    """Copies of as many records of the population as the original has, by those of a holdout, and their standard deviation.

    More records have at most proportionally more copies, so that the number is not too small.
    """
    found = {}
    for name, rows in matched.items():
        counts = release.counts[rows]
        found |= {f"{name}_expected": times * float(counts.sum()), f"{name}_deviation": times * math.sqrt((counts**2).sum())}
    return found


def by_frequencies(original: Rows, m: int) -> dict[str, float]:
    """Copies among m further records of the population, as the records that occur once, twice and three times in the original say.

    Good (1953): a further record is in the original with a probability that 1 - f1 / n estimates, and one of its unique records with
    2 f2 / n.
    """
    n = original.counts.sum()
    found = np.bincount(np.bincount(np.unique(original.numbers, return_inverse=True)[1], original.counts).astype(np.int64), minlength=4)
    f1, f2, f3 = (int(x) for x in found[1:4])
    seen, once = 1 - f1 / n, 2 * f2 / n
    errors = {"copied": (f1 * (1 - f1 / n) + 2 * f2) / n**2, "copied_unique": (4 * f2 + 6 * f3) / n**2}
    return {
        f"{name}_{what}": x
        for name, p in (("copied", seen), ("copied_unique", once))
        for what, x in (("expected", m * p), ("deviation", math.sqrt(m * p * max(1 - p, 0) + m**2 * errors[name])))
    }


def _rows(table: Input, columns: Sequence[Hashable], options: Options) -> Rows:
    part, counts = read_rows(Input(table.source, None if table.sampling else table.weight), columns, {}, options)
    return Rows([(_of_labels(column, i), column.codes[part.of_row]) for i, column in enumerate(part.columns)], counts)


def _of_labels(column: Column, place: int) -> Numbers:
    """A number for each label of a column: alike where labels say the same, such as 1, 1.0 and the text 1."""
    labels = column.labels.tolist() if isinstance(column.labels, np.ndarray) else column.labels
    said = np.fromiter((hash(_said(label)) for label in labels), np.int64, len(labels)).view(np.uint64)
    return _mixed(said ^ _mixed(np.array([place + 1], np.uint64)))


def _said(label: Label) -> Hashable:
    if isinstance(label, str):
        text = label.strip()
        return canonical(float(text)) if NUMBER.fullmatch(text) else {"true": True, "false": False}.get(text.lower(), text)
    return label.isoformat() if isinstance(label, dt.date) else label


def _mixed(x: Numbers) -> Numbers:
    """The finalizer of splitmix64 (Steele, Lea and Flood, 2014), which makes a random number of each integer."""
    x = (x + np.uint64(0x9E3779B97F4A7C15)).astype(np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
