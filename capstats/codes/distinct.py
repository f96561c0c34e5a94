"""Counting: columns of codes in, distinct rows and their multiplicities out.

A column is codes into a list of labels. Rows are never relabelled: they are folded into one flat code in the columns' own
codes, block by block so that a block stays in cache, and counted; only the distinct rows, which are few, are then mapped to
the labels that all tables share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capstats.codes.labels import MISSING, Kind, Label, in_order, one_kind

Ints = NDArray[np.integer]
Places = NDArray[np.int64]  # places in a list of labels, or in an axis
Counts = NDArray[np.int64] | NDArray[np.float64]
Sums = Sequence[Counts]  # of each row: its records or counts; of sampling weights their sum, the records, and the sum of the squares
Digits = Callable[[list[Ints]], list[Ints]]

BLOCK = 1 << 18  # rows folded at a time: their codes stay in cache
DENSE = 1 << 24  # the most cells that are counted in a grid
WIDEST = 1 << 62  # the most combinations that one flat code holds


@dataclass
class Column:
    """One column as codes: the label of a row is ``labels[code - first]``."""

    codes: Ints
    labels: Sequence[Label] | Places  # many integers stay an array
    first: int = 0  # the least code: -1 where a library keeps missing values there
    ordered: bool = False  # the labels' order is the caller's (a category order), not ours


@dataclass
class Factor:
    """Distinct combinations of some columns, each as one number over all of them, in order, and which of them each row has."""

    flat: Places
    sizes: Sequence[int]  # of the digits that make up the number
    digits: Digits  # from them to those of the columns
    of_row: Places

    @cached_property
    def codes(self) -> list[Ints]:
        """One index array a column into its labels, of the narrowest integers that hold it."""
        found, left = [], self.flat
        for size in reversed(self.sizes):
            higher = left // size
            found.append((left - higher * size).astype(narrowest(size)))
            left = higher
        return self.digits(found[::-1])

    def only(self, kept: Sequence[int]) -> Factor:
        """Distinct combinations of some of the columns, and which of them each of these combinations has."""
        if kept and self.digits is not _as_they_are:
            return factor([Column(codes, range(int(codes.max()) + 1)) for codes in map(self.codes.__getitem__, kept)])
        flat, sizes = self.flat, list(self.sizes)
        for place in reversed(range(len(sizes))):
            if place not in kept:  # its digit is cut out of the number
                higher, lower = flat // math.prod(sizes[place:]), math.prod(sizes[place + 1 :])
                flat = higher if lower == 1 else higher * lower + (flat - flat // lower * lower)
                del sizes[place]
        return _factor(flat, sizes, _as_they_are)


@dataclass
class Rows:
    """Distinct rows, each as one number over all columns, in order, and how often (or with what weight) each occurs."""

    flat: Places
    columns: Sequence[Column]  # whose digits make up the number
    digits: Digits  # from theirs to those of the columns that were counted
    sums: Sums

    @property
    def counts(self) -> Counts:
        """The first of the sums: how often each row occurs, or the sum of its weights."""
        return self.sums[0]

    @property
    def codes(self) -> list[Ints]:
        """One index array a column into its labels."""
        return self.whole().codes

    def whole(self) -> Factor:
        """The rows as combinations of all columns, each of them its own."""
        return Factor(self.flat, _sizes(self.columns), self.digits, np.arange(len(self.flat)))

    def split(self, k: int) -> tuple[Factor, Factor]:
        """The rows as combinations of the first k columns and of the others: few of each, where rows are many."""
        if self.digits is _as_they_are:
            sizes = _sizes(self.columns)
            first, second = np.divmod(self.flat, math.prod(sizes[k:]))
            return _factor(first, sizes[:k], _as_they_are), _factor(second, sizes[k:], _as_they_are)
        columns = [Column(c, range(int(c.max()) + 1)) for c in self.codes]
        return factor(columns[:k]), factor(columns[k:])


def count(
    columns: Sequence[Column], weights: Counts | None = None, advance: Callable[[int], None] = lambda _: None, also: Sums = ()
) -> Rows:
    """Distinct rows of the columns and their multiplicities, or the sums of their weights, and of what is ``also`` to be summed.

    ``advance`` is told the rows of each block.
    """
    n = len(columns[0].codes)
    columns, digits = _narrowed(columns)
    cells = math.prod(_sizes(columns))
    summed = () if weights is None else (weights, *also)
    if cells <= min(max(1 << 16, n), DENSE):
        flat, sums = _count_grid(columns, cells, n, summed, advance)
    else:
        flat, sums = _count_sorted(columns, summed)
    return Rows(flat, columns, digits, sums)


def sampled(weights: Counts) -> Sums:
    """The sums that sampling weights need, for records one by one: the weights, the records and the squared weights."""
    return weights, np.broadcast_to(np.int64(1), weights.shape), np.square(weights, dtype=np.float64)


def _sizes(columns: Sequence[Column]) -> list[int]:
    return [len(c.labels) for c in columns]


def _as_they_are(codes: list[Ints]) -> list[Ints]:
    return codes


def _narrowed(columns: Sequence[Column]) -> tuple[Sequence[Column], Digits]:
    """Columns whose combinations fit one flat code, and how to get the given columns' codes back from theirs.

    Where the product of the numbers of levels is too large, the leading columns are replaced by their distinct combinations.
    """
    head = 1
    while head < len(columns) and math.prod(_sizes(columns[: head + 1])) <= WIDEST:
        head += 1
    if head == len(columns):
        return columns, _as_they_are
    flat, ids = np.unique(_folded(columns[:head]), return_inverse=True)
    leading = Factor(flat, _sizes(columns[:head]), _as_they_are, ids).codes
    rest, digits = _narrowed([Column(ids, range(len(flat))), *columns[head:]])

    def back(codes: list[Ints]) -> list[Ints]:
        first, *others = digits(codes)
        return [c[first] for c in leading] + others

    return rest, back


def _folded(columns: Sequence[Column], dtype: type[np.integer] = np.intp) -> NDArray[Any]:
    """Mixed-radix code of each row."""
    flat = np.empty(len(columns[0].codes), dtype)
    work = _room(columns, BLOCK)
    for start in range(0, len(flat), BLOCK):
        _fold(columns, start, flat[start : start + BLOCK], work)
    return flat


def _room(columns: Sequence[Column], rows: int) -> Ints:
    """Two rows of integers that hold the codes, to fold in."""
    return np.empty((2, min(rows, len(columns[0].codes))), narrowest(math.prod(_sizes(columns))))


def narrowest(size: int) -> type[np.unsignedinteger]:
    """The narrowest integers for the numbers below a size."""
    return next(t for t in (np.uint8, np.uint16, np.uint32, np.uint64) if size <= np.iinfo(t).max)


def _fold(columns: Sequence[Column], start: int, out: Ints, work: Ints) -> None:
    """Mixed-radix code of each row of a block, each step in the narrowest integers that hold it.

    Integers wrap, so codes below 0 and the first codes of the columns cancel out where the code is complete.
    """
    rows, size, offset = len(out), 1, 0
    one, other = work
    code = one.view(np.uint8)[:rows]
    code[:] = 0
    for column in columns:
        size *= len(column.labels)
        wide = narrowest(size)
        if code.dtype != wide:
            other.view(wide)[:rows] = _shifted(code, offset)
            code, offset, one, other = other.view(wide)[:rows], 0, other, one
        digits = column.codes[start : start + rows]
        if digits.itemsize == code.itemsize:
            digits = digits.view(wide)
        else:
            digits, given = other.view(wide)[:rows], digits
            digits[:] = given
        code *= wide(len(column.labels))
        code += digits
        offset = offset * len(column.labels) - column.first
    out[:] = _shifted(code, offset)


def _shifted(flat: Ints, offset: int) -> Ints:
    """The codes with the offset added, as integers that wrap."""
    if offset:
        flat += flat.dtype.type(offset % (np.iinfo(flat.dtype).max + 1))
    return flat


def _count_grid(
    columns: Sequence[Column], cells: int, n: int, summed: Sums, advance: Callable[[int], None]
) -> tuple[NDArray[np.intp], Sums]:
    block = max(BLOCK if n > 100_000 else BLOCK // 4, 4 * cells)  # adding a grid up must not cost more than counting into it
    room, work = np.empty(min(block, n), np.intp), _room(columns, block)
    total = np.zeros(cells if not summed else 0, np.int64)
    totals = [np.zeros(cells, np.float64) for _ in summed]
    seen = np.zeros(cells if summed else 0, bool)  # a row of weight 0 still shows its cell
    for start in range(0, n, block):
        flat = room[: n - start]
        _fold(columns, start, flat, work)
        if not summed:
            total += np.bincount(flat, minlength=cells)
        else:
            seen[flat] = True
        for sums, values in zip(totals, summed, strict=True):
            sums += np.bincount(flat, values[start : start + block], minlength=cells)
        advance(len(flat))
    if not summed:
        flat = np.flatnonzero(total)
        return flat, [total[flat]]
    flat = np.flatnonzero(seen)
    held = [sums[flat] for sums in totals]  # bincount adds in float64, which is exact for integers below 2**53
    return flat, [x.astype(np.int64) if values.dtype.kind == "i" else x for x, values in zip(held, summed, strict=True)]


def _count_sorted(columns: Sequence[Column], summed: Sums) -> tuple[NDArray[np.intp], Sums]:
    flat = _folded(columns, np.uint32 if math.prod(_sizes(columns)) < 2**32 else np.intp)  # 32 bits take half as long to sort
    if not summed:
        flat.sort()
    else:
        order = np.argsort(flat, kind="stable")
        flat = flat[order]
    starts = np.flatnonzero(_starts(flat))
    distinct = flat[starts].astype(np.intp, copy=False)
    if summed:
        return distinct, [np.add.reduceat(values[order], starts) for values in summed]
    counts = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1] = len(flat) - starts[-1]
    return distinct, [counts]


# --- one set of labels for several tables -----------------------------------------------------------------------------


def joint_labels(
    columns: Sequence[Column], name: Hashable, tables: Sequence[str], order: Sequence[Label] = ()
) -> tuple[Sequence[Label] | Places, list[Ints]]:
    """The labels that occur in any table, in their common order, and for each table where its own labels stand in it.

    A category order comes first: ``order``, then the first table's before the next one's. It counts as a whole, also where a
    table shows only some of its categories. Other labels follow in natural order; ``MISSING`` is last.
    """
    used = [np.flatnonzero(np.bincount(c.codes - c.first, minlength=len(c.labels))) for c in columns]
    if not order and all(isinstance(c.labels, np.ndarray) for c in columns):
        return _joint_integers(columns, used)
    present = [chosen(c.labels, u) for c, u in zip(columns, used, strict=True)]
    present = [x.tolist() if isinstance(x, np.ndarray) else x for x in present]
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
    maps: list[Ints] = []
    for column, u, labels in zip(columns, used, present, strict=True):
        to_joint = np.zeros(len(column.labels), narrowest(len(joint)))
        to_joint[u] = [place[x] for x in labels]
        maps.append(to_joint)
    return joint, maps


def _joint_integers(columns: Sequence[Column], used: Sequence[Places]) -> tuple[Places, list[Ints]]:
    """The same for integers, without a look at each."""
    present = [np.asarray(c.labels)[u] for c, u in zip(columns, used, strict=True)]
    joint = np.sort(np.concatenate(present))
    joint = joint[_starts(joint)] if len(joint) else joint
    maps: list[Ints] = [np.zeros(len(c.labels), narrowest(len(joint))) for c in columns]
    for to_joint, u, labels in zip(maps, used, present, strict=True):
        to_joint[u] = np.searchsorted(joint, labels)
    return joint, maps


def chosen(labels: Sequence[Label] | Places, places: Places) -> list[Label] | Places:
    """The labels at the given places."""
    if isinstance(labels, range):
        return places + labels.start
    if isinstance(labels, np.ndarray):
        return labels[places]
    return [labels[i] for i in places.tolist()]


def _common_type(name: Hashable, kinds: set[Kind]) -> str:
    """The rest of the advice: the type that labels of both kinds can be read as, where there is one."""
    if kinds <= {"number", "bool", "text"}:
        wanted = "number" if "number" in kinds else "bool"
    elif kinds <= {"date", "datetime", "text"}:
        wanted = "datetime" if "datetime" in kinds else "date"
    else:
        return "."
    return f', or say types={{{name!r}: "{wanted}"}}.'


def union(tables: Sequence[Sequence[Ints]], sizes: Sequence[int]) -> tuple[list[Ints], list[Places]]:
    """Distinct rows over several tables of joint codes, sorted, and the position among them of each row of each table."""
    columns = [Column(np.concatenate(parts), range(size)) for parts, size in zip(zip(*tables, strict=True), sizes, strict=True)]
    found = factor(columns)
    return found.codes, np.split(found.of_row, np.cumsum([len(t[0]) for t in tables])[:-1])


def factor(columns: Sequence[Column]) -> Factor:
    """Distinct combinations of the columns, in order, and which of them each row has."""
    columns, digits = _narrowed(columns)
    return _factor(_folded(columns), _sizes(columns), digits)


def _factor(flat: Places, sizes: Sequence[int], digits: Digits) -> Factor:
    cells = math.prod(sizes)
    if cells <= 4 * max(1 << 16, len(flat)):
        seen = np.zeros(cells, bool)
        seen[flat] = True
        distinct, of_row = np.flatnonzero(seen), (np.cumsum(seen) - 1)[flat]
    elif (flat[1:] >= flat[:-1]).all():
        first = _starts(flat)
        distinct, of_row = flat[first], np.cumsum(first)
        of_row -= 1
    else:
        order = np.argsort(flat, kind="stable")  # which merges runs that are sorted, such as those of counted tables
        ordered = flat[order]
        first = _starts(ordered)
        distinct, of_row = ordered[first], np.empty(len(flat), np.int64)
        of_row[order] = np.cumsum(first) - 1
    return Factor(distinct, sizes, digits, of_row)


def _starts(ordered: Places) -> NDArray[np.bool_]:
    """Where a value is the first of its kind."""
    return np.concatenate(([True], ordered[1:] != ordered[:-1]))
