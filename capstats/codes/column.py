"""Columns as codes into labels: the kind and the order of labels, one list of them for several tables, distinct rows and their counts.

Rows are not relabelled: their codes are combined to one integer of mixed radix, block by block so that a block stays in the cache, and
these are counted. Only the distinct rows, which are few, are mapped to the labels that all tables share.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capstats.codes.declared_types import parsed
from capstats.codes.labels import MISSING, Kind, Label, kind_of
from capstats.codes.remedies import remedy_of, said
from capstats.codes.spellings import DATES, lookalikes

BLOCK = 1 << 18  # rows folded at a time: their codes stay in cache
DENSE = 1 << 24  # the most cells that are counted in a grid
WIDEST = 1 << 62  # the most combinations that one flat code holds

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


def one_kind(labels: Iterable[Label], column: Hashable, table: str, *, typed: bool = True) -> Kind | None:
    """The kind that all labels of a column share, None where there is no label but ``MISSING``; ``typed`` where `types` can convert it."""
    labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    types = set(map(type, labels))
    if types == {str} or (types and types <= {int, float}):  # the usual ones, without a look at each
        return "text" if str in types else "number"
    kinds = dict.fromkeys(kind_of(label) for label in labels if label is not MISSING)
    if len(kinds) > 1:
        raise TypeError(
            f"Column {column!r} of `{table}` mixes kinds: {' and '.join(kinds)}. "
            + (f'Convert it to one kind, or say types={{{column!r}: "text"}}.' if typed else "Convert it to one kind.")
        )
    return next(iter(kinds), None)


def in_common_order(
    several: Sequence[Sequence[Label]], order: Iterable[Label], column: Hashable, tables: Sequence[str]
) -> tuple[list[Label], dict[Kind, str]]:
    """The labels of a column in several tables as one list, those of an order first, if they have one kind.

    With it the kinds, and the first table with each.
    """
    kinds: dict[Kind, str] = {}
    for labels, table in zip(several, tables, strict=True):
        if (kind := one_kind(labels, column, table)) is not None:
            kinds.setdefault(kind, table)
    if len(kinds) > 1:
        return [], kinds
    held = {x: x for labels in several for x in labels if x is not MISSING}
    known = list(dict.fromkeys(held[x] for x in order if x in held))
    missing = [MISSING] if any(MISSING in labels for labels in several) else []
    return [*known, *in_order(held.keys() - set(known), next(iter(kinds), None)), *missing], kinds


def natural(text: str) -> tuple[list[Any], str]:
    """Sort key: runs of digits as integers, the rest by code point, ties by the plain string (2 before 10)."""
    parts: list[Any] = re.split(r"([0-9]+)", text)
    for i in range(1, len(parts), 2):
        digits = parts[i].lstrip("0")
        parts[i] = (len(digits), digits)  # orders as the integer does, however long
    return parts, text


def in_order(labels: Iterable[Label], kind: Kind | None) -> list[Label]:
    """Labels of one kind in their natural order, ``MISSING`` last."""
    present = list(labels)
    known = [x for x in present if x is not MISSING]
    if kind == "text":
        known.sort(key=natural if re.search("[0-9]", "".join(known)) else None)
    elif kind == "other":
        known.sort(key=lambda x: natural(str(x)))
    else:
        known.sort()
    return [*known, MISSING] if len(known) < len(present) else known


def joint_labels(
    columns: Sequence[Column], name: Hashable, tables: Sequence[str], order: Sequence[Label] = ()
) -> tuple[Sequence[Label] | Places, list[Ints]]:
    """The labels that occur in any table, in their common order, and for each table the places of its own labels in it.

    A category order comes first: ``order``, then the first table's before the next one's. It counts as a whole, also where a
    table shows only some of its categories. Other labels follow in natural order; ``MISSING`` is last.
    """
    used = [np.flatnonzero(np.bincount(c.codes - c.first, minlength=len(c.labels))) for c in columns]
    present = [chosen(c.labels, u) for c, u in zip(columns, used, strict=True)]
    joint: Any
    if not order and all(isinstance(c.labels, np.ndarray) for c in columns):  # integers, by array operations
        joint = np.sort(np.concatenate(present))
        joint = joint[starts(joint)[: len(joint)]]
        places: list[Any] = [np.searchsorted(joint, x) for x in present]
    else:
        present = [x.tolist() if isinstance(x, np.ndarray) else x for x in present]
        joint, kinds = in_common_order(present, [*order, *(x for c in columns if c.ordered for x in c.labels)], name, tables)
        if len(kinds) > 1:
            (a, x), (b, y), *_ = kinds.items()
            raise TypeError(
                f"Column {name!r} holds {a} labels in `{x}` and {b} labels in `{y}`: none of them can match. Convert one of them"
                + _advice(name, {a, b}, present, tables)
            )
        place = {label: i for i, label in enumerate(joint)}
        places = [[place[x] for x in labels] for labels in present]
    maps: list[Ints] = [np.zeros(len(c.labels), np.min_scalar_type(len(joint))) for c in columns]
    for to_joint, u, where in zip(maps, used, places, strict=True):
        to_joint[u] = where
    return joint, maps


def occurring(column: Column) -> Column:
    """The column with codes from 0, and only with labels that some row has."""
    places = np.subtract(column.codes, column.first, dtype=np.int64) if column.first else column.codes
    held = np.flatnonzero(np.bincount(places, minlength=len(column.labels)))
    now = np.zeros(len(column.labels), np.min_scalar_type(len(held)))
    now[held] = np.arange(len(held))
    return Column(now[places], chosen(column.labels, held))


def chosen(labels: Sequence[Label] | NDArray[Any], places: Ints) -> Any:
    """The labels at the given places."""
    if isinstance(labels, range):
        return places + labels.start
    if isinstance(labels, np.ndarray):
        return labels[places]
    return [labels[i] for i in places.tolist()]


def _advice(name: Hashable, kinds: set[Kind], present: Sequence[Sequence[Label]], tables: Sequence[str]) -> str:
    """The rest of the advice: what was found to make labels of two kinds equal, or the type that both can be read as."""
    first, *others = present
    advice = ""
    for table, labels in zip(tables[1:], others if "text" in kinds else (), strict=False):
        texts = [{x.isoformat() if isinstance(x, dt.date) else x: x for x in of} for of in (first, labels)]
        twins = lookalikes(*texts)
        causes = [cause for _, cause in twins.values()]
        main = max(dict.fromkeys(causes), key=causes.count, default="")
        pairs = [(texts[0][a], texts[1][b]) for a, (b, cause) in twins.items() if cause == main]
        if found := remedy_of(main, pairs, first, labels):
            advice = f": {said(found, str(name), tables[0], table)}."
            if found.get("recode", DATES) == DATES:
                return advice
    known = [x for labels in present for x in labels if x is not MISSING]
    if kinds == {"number", "text"} and all(parsed(x, "bool") is not MISSING for x in known):
        kinds = {"bool"}
    words = [x.replace(",", ".") for x in known if isinstance(x, str)]
    for wide, narrow in (("number", "bool"), ("datetime", "date")):
        declared = wide if wide in kinds else narrow
        unread = [x for x in words if parsed(x, declared) is MISSING]  # codes of missing values, unless they have digits
        is_of_it = kinds <= {wide, narrow, "text"} and (not words or len(unread) < len(words))
        if is_of_it and not any(c.isdigit() for x in unread for c in x):
            return f", or {said({'type': declared}, str(name), '', '')}."
    if advice:
        return advice
    may_be_coded = kinds <= {"number", "bool", "text"}
    return "; if one table has value labels and the other has codes, apply the labels to both." if may_be_coded else "."


def starts(ordered: Places) -> NDArray[np.bool_]:
    """Whether each value of a sorted array differs from the one before it."""
    return np.concatenate(([True], ordered[1:] != ordered[:-1]))


# --- distinct rows ----------------------------------------------------------------------------------------------------


@dataclass
class Factor:
    """Distinct rows of some columns, each encoded as one integer (mixed radix), sorted; and the index of each row's combination.

    Where one integer cannot hold all columns, its first digit is an index into ``leading``, lists of codes of the leading columns; the
    first of these codes may again be such an index.
    """

    flat: Places
    sizes: Sequence[int]  # of the digits that make up the number
    of_row: Places
    leading: Sequence[Sequence[Ints]] = ()

    @cached_property
    def codes(self) -> list[Ints]:
        """For each column the indices of its labels, in the narrowest integers that hold them."""
        found: list[Ints] = []
        left = self.flat
        for size in reversed(self.sizes):
            higher = left // size
            found.insert(0, (left - higher * size).astype(np.min_scalar_type(size)))
            left = higher
        for columns in self.leading:
            found[:1] = [codes[found[0]] for codes in columns]
        return found

    def only(self, kept: Sequence[int]) -> Factor:
        """The same for some of the columns; the index is that of each combination of all columns."""
        if kept and self.leading:
            return factor([_bare(self.codes[place]) for place in kept])
        flat, sizes = self.flat, list(self.sizes)
        for place in reversed(range(len(sizes))):
            if place not in kept:  # its digit is cut out of the number
                higher, lower = flat // math.prod(sizes[place:]), math.prod(sizes[place + 1 :])
                flat = higher if lower == 1 else higher * lower + (flat - flat // lower * lower)
                del sizes[place]
        return _factor(flat, sizes)

    def split(self, k: int) -> tuple[Factor, Factor]:
        """The combinations of the first k columns and those of the others, each with the index of each row, in the narrowest integers."""

        def of_rows(part: Factor) -> Factor:
            part.of_row = part.of_row.astype(np.min_scalar_type(len(part.flat)))[self.of_row]
            return part

        if self.leading:
            columns = list(map(_bare, self.codes))
            return of_rows(factor(columns[:k])), of_rows(factor(columns[k:]))
        size = math.prod(self.sizes[k:])
        return of_rows(_factor(self.flat // size, self.sizes[:k])), of_rows(_factor(self.flat % size, self.sizes[k:]))


def parts_of(
    columns: Sequence[Column], sums: Sums, first: int | None, advance: Callable[[int], None], *, by_record: bool
) -> tuple[list[tuple[list[Ints], Places]], Sums]:
    """Distinct rows and their sums as `count` finds them, or records with ``by_record``, as one part or as two: first columns and others.

    A part is the codes of its distinct combinations, and the index of each row's combination.
    """
    rows, sums = (factor(columns), list(sums) or [np.ones(len(columns[0].codes), np.int64)]) if by_record else count(columns, sums, advance)
    return [(part.codes, part.of_row) for part in ([rows] if first is None else rows.split(first))], sums


def count(columns: Sequence[Column], sums: Sums = (), advance: Callable[[int], None] = lambda _: None) -> tuple[Factor, Sums]:
    """Distinct rows of the columns and how often each occurs, or what ``sums`` of its rows add up to.

    ``advance`` is called with the number of rows of each block.
    """
    n = len(columns[0].codes)
    columns, leading = _narrowed(columns)
    sizes = _sizes(columns)
    if math.prod(sizes) <= min(max(1 << 16, n), DENSE):
        flat, found = _count_grid(columns, math.prod(sizes), n, sums, advance)
    else:
        flat, found = _count_sorted(columns, sums)
    return Factor(flat, sizes, np.arange(len(flat), dtype=np.min_scalar_type(len(flat))), leading), found


def sampled(weights: Counts) -> Sums:
    """The sums that sampling weights need, for records one by one: the weights, the records and the squared weights."""
    return weights, np.broadcast_to(np.int64(1), weights.shape), np.square(weights, dtype=np.float64)


def _sizes(columns: Sequence[Column]) -> list[int]:
    return [len(c.labels) for c in columns]


def _bare(codes: Ints) -> Column:
    """Codes as a column whose labels are the codes themselves."""
    return Column(codes, range(int(codes.max()) + 1))


def _narrowed(columns: Sequence[Column]) -> tuple[Sequence[Column], list[list[Ints]]]:
    """Columns whose combinations fit one number: too many leading ones are replaced by their distinct combinations, which are returned."""
    leading: list[list[Ints]] = []
    while math.prod(_sizes(columns)) > WIDEST:
        head = 1
        while math.prod(_sizes(columns[: head + 1])) <= WIDEST:
            head += 1
        flat, ids = np.unique(_folded(columns[:head]), return_inverse=True)
        leading.insert(0, Factor(flat, _sizes(columns[:head]), ids).codes)
        columns = [Column(ids, range(len(flat))), *columns[head:]]
    return columns, leading


def _folded(columns: Sequence[Column], dtype: type[np.integer] = np.intp) -> NDArray[Any]:
    """Mixed-radix code of each row."""
    flat = np.empty(len(columns[0].codes), dtype)
    work = _room(columns, BLOCK)
    for start in range(0, len(flat), BLOCK):
        _fold(columns, start, flat[start : start + BLOCK], work)
    return flat


def _room(columns: Sequence[Column], rows: int) -> Ints:
    """Work space for `_fold`: two rows of integers that are wide enough for the codes."""
    return np.empty((2, min(rows, len(columns[0].codes))), np.min_scalar_type(math.prod(_sizes(columns))))


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
        wide = np.min_scalar_type(size)
        if code.dtype != wide:
            other.view(wide)[:rows] = _shifted(code, offset)
            code, offset, one, other = other.view(wide)[:rows], 0, other, one
        digits = column.codes[start : start + rows]
        if digits.itemsize == code.itemsize:
            digits = digits.view(wide)
        else:
            digits, given = other.view(wide)[:rows], digits
            digits[:] = given
        code *= wide.type(len(column.labels))
        code += digits
        offset = offset * len(column.labels) - column.first
    out[:] = _shifted(code, offset)


def _shifted(flat: Ints, offset: int) -> Ints:
    """The codes with the offset added, as integers that wrap."""
    if offset:
        flat += flat.dtype.type(offset % (np.iinfo(flat.dtype).max + 1))
    return flat


def _count_grid(columns: Sequence[Column], cells: int, n: int, summed: Sums, advance: Callable[[int], None]) -> tuple[Places, Sums]:
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


def _count_sorted(columns: Sequence[Column], summed: Sums) -> tuple[Places, Sums]:
    flat = _folded(columns, np.uint32 if math.prod(_sizes(columns)) < 2**32 else np.intp)  # 32 bits take half as long to sort
    if summed:
        order = np.argsort(flat, kind="stable")
        flat = flat[order]
    else:
        flat.sort()
    first = np.flatnonzero(starts(flat))
    found = [np.add.reduceat(values[order], first) for values in summed] if summed else [np.diff(first, append=len(flat))]
    return flat[first].astype(np.intp, copy=False), found


def union(tables: Sequence[Sequence[Ints]], sizes: Sequence[int]) -> tuple[list[Ints], list[Places]]:
    """Distinct rows over several tables of joint codes, sorted, and the position among them of each row of each table."""
    columns = [Column(np.concatenate(parts), range(size)) for parts, size in zip(zip(*tables, strict=True), sizes, strict=True)]
    found = factor(columns)
    return found.codes, np.split(found.of_row, np.cumsum([len(t[0]) for t in tables])[:-1])


def factor(columns: Sequence[Column]) -> Factor:
    """Distinct combinations of the columns, sorted, and the index of each row's combination."""
    columns, leading = _narrowed(columns)
    return _factor(_folded(columns), _sizes(columns), leading)


def _factor(flat: Places, sizes: Sequence[int], leading: Sequence[Sequence[Ints]] = ()) -> Factor:
    cells = math.prod(sizes)
    if cells <= 4 * max(1 << 16, len(flat)):
        seen = np.zeros(cells, bool)
        seen[flat] = True
        distinct, of_row = seen.nonzero()[0], (seen.cumsum() - 1)[flat]
    elif (flat[1:] >= flat[:-1]).all():
        first = starts(flat)
        distinct, of_row = flat[first], np.cumsum(first)
        of_row -= 1
    else:
        distinct, _, of_row = np.unique(flat, return_index=True, return_inverse=True)  # the index makes it merge runs that are sorted
    return Factor(distinct, sizes, of_row, leading)
