"""A column as codes into a list of labels, and one list of labels for the same column of several tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capstats.codes.declared_types import NUMBER, parsed
from capstats.codes.labels import MISSING, Kind, Label, in_common_order
from capstats.codes.remedies import remedy_of, said
from capstats.codes.spellings import DATES, lookalikes

Ints = NDArray[np.integer]
Places = NDArray[np.int64]  # places in a list of labels, or in an axis
Counts = NDArray[np.int64] | NDArray[np.float64]
Sums = Sequence[Counts]  # of each row: its records or counts; of sampling weights their sum, the records, and the sum of the squares


@dataclass
class Column:
    """One column as codes: the label of a row is ``labels[code - first]``."""

    codes: Ints
    labels: Sequence[Label] | Places  # many integers stay an array
    first: int = 0  # the least code: -1 where a library keeps missing values there
    ordered: bool = False  # the labels' order is the caller's (a category order), not ours


def joint_labels(
    columns: Sequence[Column], name: Hashable, tables: Sequence[str], order: Sequence[Label] = ()
) -> tuple[Sequence[Label] | Places, list[Ints]]:
    """The labels that occur in any table, in their common order, and for each table the places of its own labels in it.

    A category order comes first: ``order``, then the first table's before the next one's. It counts as a whole, also where a
    table shows only some of its categories. Other labels follow in natural order; ``MISSING`` is last.
    """
    used = [np.flatnonzero(np.bincount(c.codes - c.first, minlength=len(c.labels))) for c in columns]
    if not order and all(isinstance(c.labels, np.ndarray) for c in columns):
        return _joint_integers(columns, used)
    present = [chosen(c.labels, u) for c, u in zip(columns, used, strict=True)]
    present = [x.tolist() if isinstance(x, np.ndarray) else x for x in present]
    categories = [*order, *(x for column in columns if column.ordered for x in column.labels)]
    joint, kinds = in_common_order(present, categories, name, tables)
    if len(kinds) > 1:
        (a, x), (b, y), *_ = kinds.items()
        raise TypeError(
            f"Column {name!r} holds {a} labels in `{x}` and {b} labels in `{y}`: none of them can match. Convert one of them"
            + _advice(name, {a, b}, present, tables)
        )
    place = {label: i for i, label in enumerate(joint)}
    maps: list[Ints] = []
    for column, u, labels in zip(columns, used, present, strict=True):
        to_joint = np.zeros(len(column.labels), np.min_scalar_type(len(joint)))
        to_joint[u] = [place[x] for x in labels]
        maps.append(to_joint)
    return joint, maps


def _joint_integers(columns: Sequence[Column], used: Sequence[Places]) -> tuple[Places, list[Ints]]:
    """The same for integers, by array operations."""
    present = [np.asarray(c.labels)[u] for c, u in zip(columns, used, strict=True)]
    joint = np.sort(np.concatenate(present))
    joint = joint[starts(joint)] if len(joint) else joint
    maps: list[Ints] = [np.zeros(len(c.labels), np.min_scalar_type(len(joint))) for c in columns]
    for to_joint, u, labels in zip(maps, used, present, strict=True):
        to_joint[u] = np.searchsorted(joint, labels)
    return joint, maps


def chosen(labels: Sequence[Label] | Ints, places: Ints) -> Any:
    """The labels at the given places."""
    if isinstance(labels, range):
        return places + labels.start
    if isinstance(labels, np.ndarray):
        return labels[places]
    return [labels[i] for i in places.tolist()]


def _advice(name: Hashable, kinds: set[Kind], present: Sequence[Sequence[Label]], tables: Sequence[str]) -> str:
    """The rest of the advice: what was found to make labels of two kinds equal, or the type that both can be read as."""
    first, *others = present
    for table, labels in zip(tables[1:], others if "text" in kinds else (), strict=False):
        texts = [{x.isoformat() if isinstance(x, dt.date) else x: x for x in of} for of in (first, labels)]
        twins = lookalikes(*texts)
        causes = [cause for _, cause in twins.values()]
        main = max(dict.fromkeys(causes), key=causes.count, default="")
        pairs = [(texts[0][a], texts[1][b]) for a, (b, cause) in twins.items() if cause == main]
        if (found := remedy_of(main, pairs, first, labels)) and found.get("recode", DATES) == DATES:
            return f": {said(found, str(name), tables[0], table)}."
    known = [x for labels in present for x in labels if x is not MISSING]
    if kinds == {"number", "text"} and all(parsed(x, "bool") is not MISSING for x in known):
        kinds = {"bool"}
    if kinds == {"number", "text"} and not any(isinstance(x, str) and NUMBER.fullmatch(x.strip().replace(",", ".")) for x in known):
        return "; if one table has value labels and the other has codes, apply the labels to both."
    for wide, narrow in (("number", "bool"), ("datetime", "date")):
        if kinds <= {wide, narrow, "text"}:
            return f", or {said({'type': wide if wide in kinds else narrow}, str(name), '', '')}."
    return "."


def starts(ordered: Places) -> NDArray[np.bool_]:
    """Whether each value of a sorted array differs from the one before it."""
    return np.concatenate(([True], ordered[1:] != ordered[:-1]))
