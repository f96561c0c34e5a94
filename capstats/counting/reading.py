"""One table, whatever it is, as distinct keys and targets in labels of the wanted types, and the counts of their combinations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from capstats.codes.bins import Cut, Spec, cut_at_points, cut_by_counts
from capstats.codes.column import Column, Counts, Places, Sums, chosen, narrowest
from capstats.codes.distinct import Factor, count, factor, sampled
from capstats.codes.labels import MISSING, canonical
from capstats.codes.wanted import Type, as_type
from capstats.counting.inputs import Source
from capstats.sources import files, lazy, memory, relations
from capstats.sources.options import Options

MANY = 500_000  # records from which a second thread pays


@dataclass
class Part:
    """The distinct keys of a table, or its distinct targets, as columns of codes, and which of them each of its distinct rows has."""

    columns: list[Column]
    of_row: Places

    def only(self, rows: Places) -> Part:
        """What is left of it with these rows."""
        held, of_row = np.unique(self.of_row[rows], return_inverse=True)
        return Part([Column(c.codes[held], c.labels, ordered=c.ordered) for c in self.columns], of_row)


@dataclass
class Counted:
    """The distinct rows of one table, and how often (or with what weight) each occurs."""

    key: Part
    target: Part
    sums: Sums

    @property
    def counts(self) -> Counts:
        """The first of the sums: how often each row occurs, or the sum of its weights."""
        return self.sums[0]

    def summed(self, part: int) -> Counts:
        """One of the three sums of sampling weights; without them the counts, since each record then weighs 1."""
        if len(self.sums) > 1:
            return self.sums[part]
        return self.counts.astype(np.float64) if part == 2 else self.counts


def find_cut(source: Source, column: Hashable, spec: Spec, options: Options) -> Cut:
    """Where a column is cut, as the original says."""
    table, weight, name = source.table, source.weight, source.name
    wanted: Any = options.types.get(column)  # one of the types that can be cut, or None
    options.progress.step(f"cutting {column}")
    if files.is_path(table):
        numbers, counts = files.numbers_and_counts(table, column, weight, name, spec, wanted, options)
    elif lazy.is_lazy(table):
        numbers, counts = lazy.numbers_and_counts(table, column, weight, name, spec, wanted, options.null_values)
    else:
        numbers, counts = memory.numbers_and_counts(table, column, weight, name, wanted, options.null_values)
    if spec.how == "points":
        return cut_at_points(spec.points, numbers.kind, wanted, column)
    return cut_by_counts(spec, numbers, counts, wanted, column)


def each(sources: Sequence[Source], work: Callable[[Source], Any]) -> list[Any]:
    """The work on each source; on two at a time where they are long and in memory, since numpy counts outside the interpreter's lock."""
    tables = [source.table for source in sources]
    if any(files.is_path(table) or lazy.is_lazy(table) for table in tables) or sum(map(memory.records, tables)) < MANY:
        return list(map(work, sources))
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, sources))


def read(
    source: Source,
    columns: Sequence[Hashable],
    keys: int,
    cuts: Mapping[Hashable, Cut],
    options: Options,
    by_record: bool = False,
) -> Counted:
    """A table as its distinct keys, the first so many of the columns, its distinct targets and the counts of its distinct rows.

    With ``by_record``, each record is a row of its own.
    """
    found, rows, sums = _rows(source, columns, cuts, options, by_record)
    key, target = (factor(found[:keys]), factor(found[keys:])) if rows is None else rows.split(keys)
    return Counted(
        _part(key, columns[:keys], found[:keys], _records(sums), options, cuts, source.name),
        _part(target, columns[keys:], found[keys:], _records(sums), options, cuts, source.name),
        sums,
    )


def read_rows(source: Source, columns: Sequence[Hashable], options: Options, by_record: bool = False) -> tuple[Part, Counts]:
    """A table as its distinct rows and their counts; with ``by_record``, each record is a row of its own."""
    found, rows, sums = _rows(source, columns, {}, options, by_record)
    distinct = factor(found) if rows is None else rows
    return _part(distinct, columns, found, _records(sums), options, {}, source.name), sums[0]


def _rows(
    source: Source, columns: Sequence[Hashable], cuts: Mapping[Hashable, Cut], options: Options, by_record: bool
) -> tuple[list[Column], Factor | None, Sums]:
    """The columns of a table, its distinct rows (None where each record is one), and how often each occurs."""
    found, sums = _columns(source, columns, cuts, options, by_record)
    n = len(found[0].codes)
    if n == 0:
        raise ValueError(f"`{source.name}` is empty: it has no record.")
    grouped = files.is_path(source.table) or lazy.is_lazy(source.table)
    step = options.progress.step(f"{'ordering distinct rows of' if grouped else 'counting'} {source.name}", rows=n)
    if by_record:
        return found, None, [np.ones(n, np.int64)]
    return found, *count(found, sums, step.advance)


def _records(sums: Sums) -> Counts:
    """How many records each row stands for, not how much they weigh."""
    return sums[1] if len(sums) > 1 else sums[0]


def _part(
    distinct: Factor,
    columns: Sequence[Hashable],
    found: Sequence[Column],
    counts: Counts,
    options: Options,
    cuts: Mapping[Hashable, Cut],
    table: str,
) -> Part:
    """Columns whose labels are those that the options ask for; those that are cut have labels already."""
    wanted = {column: type_ for column, type_ in options.types.items() if column not in cuts}
    records = np.bincount(distinct.of_row, counts, len(distinct.flat)) if wanted else None
    nulls = frozenset(options.null_values or ())
    labelled = [
        _labelled(
            name, Column(codes, x.labels, ordered=x.ordered), records, None if name in cuts else options.types.get(name), nulls, table
        )
        for name, x, codes in zip(columns, found, distinct.codes, strict=True)
    ]
    return Part(labelled, distinct.of_row)


def _columns(
    source: Source, columns: Sequence[Hashable], cuts: Mapping[Hashable, Cut], options: Options, by_record: bool
) -> tuple[list[Column], Sums]:
    """The columns of a table as codes, of its records or, where an engine groups them, of its distinct rows with their sums."""
    table, weight, name = source.table, source.weight, source.name
    options.progress.step(f"reading {name}")
    grouped = None
    if files.is_path(table):
        grouped = files.read(table, columns, weight, name, cuts, options)
    elif lazy.is_lazy(table):
        grouped = lazy.read(table, columns, weight, name, cuts, options.null_values)
    elif not by_record and not cuts and relations.suits_text(table, columns):
        grouped = relations.read_text(table, columns, weight, name, options)
    if grouped is not None:
        found, sums = grouped
        return found, sums if source.sampling else sums[:1]
    found, weights = memory.read(table, columns, weight, name, cuts, by_record=by_record, nulls=options.null_values)
    if weights is None:
        return found, ()
    return found, sampled(weights) if source.sampling else [weights]


def _labelled(asked: Hashable, column: Column, records: Counts | None, wanted: Type | None, nulls: frozenset[str], table: str) -> Column:
    """A column of labels of the wanted type: of those that occur, or of all where their order is the caller's; texts may mean missing.

    ``records`` is how many records each row stands for; it is known where a type is wanted.
    """
    codes, labels, ordered = column.codes, column.labels, column.ordered
    occurring = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    if not ordered:  # an order also tells the labels that have no record
        if len(occurring) < len(labels):
            place = np.zeros(len(labels), narrowest(len(occurring)))
            place[occurring] = np.arange(len(occurring))
            codes = place[codes]
        labels, occurring = chosen(labels, occurring), np.arange(len(occurring))
    if nulls and not isinstance(labels, np.ndarray):
        labels = [MISSING if isinstance(x, str) and x in nulls else x for x in labels]
    if wanted is not None:
        used = occurring.tolist()
        held = np.bincount(codes, records, len(labels))[occurring].tolist()
        labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        for i, label in zip(used, as_type([labels[i] for i in used], wanted, str(asked), table, held), strict=True):
            labels[i] = label
        for i in set(range(len(labels))) - set(used):
            try:
                labels[i] = as_type([labels[i]], wanted, str(asked), table)[0]
            except ValueError:
                labels[i] = MISSING  # an unused category may be anything
        if not isinstance(wanted, str):  # the levels in their order come first, the column's own labels map to them
            place_of = {label: i for i, label in enumerate([*map(canonical, wanted), MISSING])}
            codes = np.array([place_of.get(label, 0) for label in labels])[codes]
            labels, ordered = list(place_of), True
    return Column(codes, labels, ordered=ordered)


def without_missing(counted: Counted) -> tuple[Counted, int | float]:
    """The rows without a missing value, and how many records the others have."""
    rows = np.flatnonzero(_complete(counted.key) & _complete(counted.target))
    left = Counted(counted.key.only(rows), counted.target.only(rows), [values[rows] for values in counted.sums])
    return left, (counted.summed(1).sum() - left.summed(1).sum()).item()


def _complete(part: Part) -> Any:
    keep = np.ones(len(part.columns[0].codes), bool)
    for column in part.columns:
        if not isinstance(column.labels, np.ndarray):  # which holds integers
            keep &= np.array([label is not MISSING for label in column.labels])[column.codes]
    return keep[part.of_row]
