"""Counting: columns of codes in, distinct rows and their multiplicities out.

A column is codes into a list of labels. Rows are never relabelled: they are folded into one flat code in the columns' own
codes, block by block so that a block stays in cache, and counted; only the distinct rows, which are few, are then mapped to
the labels that all tables share.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from capstats.counts.labels import MISSING, Kind, Label, in_order, one_kind

Ints = NDArray[np.integer]
Places = NDArray[np.int64]  # places in a list of labels, or in an axis
Counts = NDArray[np.int64] | NDArray[np.float64]

BLOCK = 1 << 17  # rows folded at a time: their codes stay in cache
DENSE = 1 << 24  # the most cells that are counted in a grid
WIDEST = 1 << 62  # the most combinations that one flat code holds
LONGEST = 32  # the most columns that numpy 1.26 takes a flat code apart into


@dataclass
class Column:
    """One column as codes: the label of a row is ``labels[code - first]``."""

    codes: Ints
    labels: Sequence[Label]
    first: int = 0  # the least code: -1 where a library keeps missing values there
    ordered: bool = False  # the labels' order is the caller's (a category order), not ours


@dataclass
class Rows:
    """Distinct rows, as one index array a column into its labels, and how often (or with what weight) each occurs."""

    codes: list[Places]
    counts: Counts


def count(columns: Sequence[Column], weights: Counts | None = None, advance: Callable[[int], None] = lambda _: None) -> Rows:
    """Distinct rows of the columns and their multiplicities, or the sums of their weights; ``advance`` is told the rows of each block."""
    n = len(columns[0].codes)
    columns, digits = _narrowed(columns)
    sizes = [len(c.labels) for c in columns]
    cells = int(np.prod(sizes, dtype=object))
    if cells <= min(max(1 << 16, n), DENSE):
        flat, counts = _count_grid(columns, cells, n, weights, advance)
    else:
        flat, counts = _count_sorted(_fold(columns, 0, n), weights)
    return Rows(digits(list(np.unravel_index(flat, sizes))), counts)


def one_by_one(columns: Sequence[Column]) -> Rows:
    """Every row of the columns in its place, counted once."""
    return Rows([c.codes.astype(np.int64) - c.first for c in columns], np.ones(len(columns[0].codes), np.int64))


def _narrowed(columns: Sequence[Column]) -> tuple[Sequence[Column], Callable[[list[Places]], list[Places]]]:
    """Columns whose combinations fit one flat code, and how to get the given columns' codes back from theirs.

    Where the product of the numbers of levels is too large, or the columns too many, the leading ones are replaced by their distinct
    combinations.
    """
    head = 1
    while head < min(len(columns), LONGEST) and _reach(columns[: head + 1]) <= WIDEST:
        head += 1
    if head == len(columns):
        return columns, lambda codes: codes
    flat, ids = np.unique(_fold(columns[:head], 0, len(columns[0].codes)), return_inverse=True)
    leading = list(np.unravel_index(flat, [len(c.labels) for c in columns[:head]]))
    rest, digits = _narrowed([Column(ids, range(len(flat))), *columns[head:]])

    def back(codes: list[Places]) -> list[Places]:
        first, *others = digits(codes)
        return [c[first] for c in leading] + others

    return rest, back


def _reach(columns: Sequence[Column]) -> int:
    """A bound on the magnitude of every intermediate mixed-radix code of the columns."""
    size, offset = 1, 0
    for column in columns:
        size *= len(column.labels)
        offset = offset * len(column.labels) - column.first
    return size + abs(offset)


def _fold(columns: Sequence[Column], start: int, stop: int, out: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
    """Mixed-radix code of each row of a block, in the narrowest integers that hold each step."""
    rows = stop - start
    out = np.empty(rows, np.intp) if out is None else out[:rows]
    first, *others = columns
    flat: Ints = first.codes[start:stop]
    offset = -first.first
    for k, column in enumerate(others, start=2):
        codes, levels = column.codes[start:stop], len(column.labels)
        # digits still carry their column's first code; what that adds up to is taken off once, at the end
        offset = offset * levels - column.first
        if k == len(columns):
            np.multiply(flat, levels, out=out, dtype=np.intp, casting="unsafe")
            flat = np.add(out, codes, out=out, dtype=np.intp, casting="unsafe")  # else uint64 codes would be added as floats
        else:
            reach = _reach(columns[:k])
            wide = next(t for t in (np.int16, np.int32, np.int64) if reach <= np.iinfo(t).max)
            flat = np.multiply(flat, levels, dtype=wide, casting="unsafe")
            np.add(flat, codes, out=flat, dtype=wide, casting="unsafe")
    if not others:
        out[:] = flat
    if offset:
        out += offset
    return out


def _count_grid(
    columns: Sequence[Column], cells: int, n: int, weights: Counts | None, advance: Callable[[int], None]
) -> tuple[NDArray[np.intp], Counts]:
    block = max(BLOCK if n > 100_000 else BLOCK // 4, 4 * cells)  # adding a grid up must not cost more than counting into it
    buffer = np.empty(min(block, n), np.intp)
    total: Counts = np.zeros(cells, np.int64) if weights is None else np.zeros(cells, np.float64)
    for start in range(0, n, block):
        flat = _fold(columns, start, min(start + block, n), buffer)
        part = np.bincount(flat, None if weights is None else weights[start : start + block], minlength=cells)
        np.add(total, part, out=total)
        advance(len(flat))
    if weights is None:
        flat = np.flatnonzero(total)
        return flat, total[flat]
    flat = np.flatnonzero(np.bincount(_fold(columns, 0, n), minlength=cells))  # a row of weight 0 still shows its cell
    if np.issubdtype(weights.dtype, np.integer):
        total = total.astype(np.int64)  # bincount adds in float64, which is exact below 2**53
    return flat, total[flat]


def _count_sorted(flat: NDArray[np.intp], weights: Counts | None) -> tuple[NDArray[np.intp], Counts]:
    if weights is None:
        flat.sort()
    else:
        order = np.argsort(flat, kind="stable")
        flat, weights = flat[order], weights[order]
    starts = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1])))
    if weights is None:
        return flat[starts], np.diff(starts, append=len(flat))
    return flat[starts], np.add.reduceat(weights, starts)


# --- one set of labels for several tables -----------------------------------------------------------------------------


def joint_labels(
    columns: Sequence[Column], name: Hashable, tables: Sequence[str], order: Sequence[Label] = ()
) -> tuple[list[Label], list[Places]]:
    """The labels that occur in any table, in their common order, and for each table where its own labels stand in it.

    A category order comes first: ``order``, then the first table's before the next one's. It counts as a whole, also where a
    table shows only some of its categories. Other labels follow in natural order; ``MISSING`` is last.
    """
    used = [np.flatnonzero(np.bincount(c.codes - c.first, minlength=len(c.labels))).tolist() for c in columns]
    present = [[c.labels[i] for i in u] for c, u in zip(columns, used, strict=True)]
    kinds: dict[Kind, str] = {}
    for labels, table in zip(present, tables, strict=True):
        kind = one_kind(labels, name, table)
        if kind is not None:
            kinds.setdefault(kind, table)
    if len(kinds) > 1:
        (a, x), (b, y), *_ = kinds.items()
        raise TypeError(
            f"Column {name!r} holds {a} labels in `{x}` and {b} labels in `{y}`: none of them can match. Convert one of them"
            + _common_type(name, {a, b})
        )
    shown = {x: x for labels in present for x in labels if x is not MISSING}
    categories = [*order, *(x for column in columns if column.ordered for x in column.labels)]
    known = list(dict.fromkeys(shown[x] for x in categories if x in shown))
    joint = known + in_order(shown.keys() - set(known), next(iter(kinds), None))
    if any(MISSING in labels for labels in present):
        joint.append(MISSING)
    place = {label: i for i, label in enumerate(joint)}
    maps = []
    for column, u, labels in zip(columns, used, present, strict=True):
        to_joint = np.zeros(len(column.labels), np.int64)
        to_joint[u] = [place[x] for x in labels]
        maps.append(to_joint)
    return joint, maps


def _common_type(name: Hashable, kinds: set[Kind]) -> str:
    """The rest of the advice: the type that labels of both kinds can be read as, where there is one."""
    if kinds <= {"number", "bool", "text"}:
        wanted = "number" if "number" in kinds else "bool"
    elif kinds <= {"date", "datetime", "text"}:
        wanted = "datetime" if "datetime" in kinds else "date"
    else:
        return "."
    return f', or say types={{{name!r}: "{wanted}"}}.'


def union(tables: Sequence[Sequence[Places]], sizes: Sequence[int]) -> tuple[list[Places], list[Places]]:
    """Distinct rows over several tables of joint codes, sorted, and the position among them of each row of each table."""
    columns = [Column(np.concatenate(parts), range(size)) for parts, size in zip(zip(*tables, strict=True), sizes, strict=True)]
    narrow, digits = _narrowed(columns)
    flat = _fold(narrow, 0, len(columns[0].codes))
    changed = np.append(True, flat[1:] != flat[:-1])  # a counted table has the rows of a key together: one of each run will do
    distinct, where = _unique(flat[changed], int(np.prod([len(c.labels) for c in narrow], dtype=object)))
    codes = digits(list(np.unravel_index(distinct, [len(c.labels) for c in narrow])))
    return codes, np.split(where[np.cumsum(changed) - 1], np.cumsum([len(t[0]) for t in tables])[:-1])


def _unique(flat: Places, cells: int) -> tuple[Places, Places]:
    """Distinct codes in order, and where each code stands among them; by a grid of all cells where it is small."""
    if cells > 4 * max(1 << 16, len(flat)):
        distinct, where = np.unique(flat, return_inverse=True)
        return distinct, where
    seen = np.zeros(cells, bool)
    seen[flat] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[flat]
