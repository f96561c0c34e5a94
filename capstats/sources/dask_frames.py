"""Dask frames, counted by their workers a partition at a time, as a pandas frame is counted; workers need capstats, too."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from capstats.codes.bins import Numbers, Spec, finite_values
from capstats.codes.column import Column, Counts, Sums, count, joint_labels, occurring
from capstats.codes.labels import Kind
from capstats.sources.memory import MemorySource
from capstats.sources.source import Margin, Options, Query, Source, check_columns, check_one_kind, engine_errors, margin, whole_weights

AT_A_TIME = 16  # partial counts that a worker adds up

T = TypeVar("T")
Part = tuple[list[Column], Sums]


class DaskSource(Source):
    """A Dask frame. Its workers count its partitions; they need capstats, too."""

    def rows(self, query: Query) -> Part:
        """Distinct rows, and their counts or the sums of their weights."""
        found, (counts, *others) = self._rows(query, lambda part: part)
        if query.weight is not None and counts.dtype.kind == "i":
            counts = whole_weights(counts, query.weight, self.name)
        return found, [counts, *others]

    def _rows(self, query: Query, last: Callable[[Part], T]) -> T:
        def counted(part: Any, own: str) -> Part:
            return _counted(*MemorySource(part, own).encoded(query))

        with engine_errors(self.name):
            found: T = self._reduced(query, counted, lambda parts, names: _summed(parts, query.columns, names), last)
        return found

    def _margin(self, column: Hashable, options: Options, most: int) -> Margin:
        """The margin of one column; if it has too many labels, the workers leave out the rare ones."""
        return self._rows(Query([column], options=options), lambda part: margin(part[0][0], part[1][0], most))

    def values(self, query: Query, specs: Sequence[Spec]) -> list[tuple[Numbers, Counts]]:
        """The kind of each column, and its extent or its distinct values and their counts."""
        with engine_errors(self.name):
            return [self._values(replace(query, columns=[column]), spec) for column, spec in zip(query.columns, specs, strict=True)]

    def _values(self, query: Query, spec: Spec) -> tuple[Numbers, Counts]:
        def tallied(part: Any, own: str) -> tuple[Numbers, Counts]:
            ((numbers, counts),) = MemorySource(part, own).values(query, [spec])
            return _tally(numbers.kind, *finite_values(numbers, counts), spec)

        def together(parts: Sequence[tuple[Numbers, Counts]], names: Sequence[str]) -> tuple[Numbers, Counts]:
            kinds = {numbers.kind: f"`{where}`" for (numbers, _), where in zip(parts, names, strict=True) if numbers.kind is not None}
            check_one_kind(kinds, query.columns[0])
            held = [(numbers.values, n) for numbers, n in parts if len(n)] or [(np.zeros(0), np.zeros(0, np.int64))]
            values, counts = map(np.concatenate, zip(*held, strict=True))
            return _tally(next(iter(kinds), None), values, counts, spec)

        found: tuple[Numbers, Counts] = self._reduced(query, tallied, together)
        return found

    def _reduced(
        self, query: Query, of_part: Callable[..., Any], of_parts: Callable[..., Any], last: Callable[[Any], Any] = lambda found: found
    ) -> Any:
        """A reduction on the workers: ``of_part`` of each partition, ``of_parts`` of several results until one is left, then ``last``."""
        import dask

        task: Any = dask.delayed  # type: ignore[attr-defined]
        compute: Any = dask.compute  # type: ignore[attr-defined]

        check_columns(query, list(self.table.columns), self.name)
        names = [f"{self.name}.partitions[{i}]" for i in range(self.table.npartitions)]
        parts = self.table[list(dict.fromkeys(query.wanted))].to_delayed()
        results = [task(of_part)(part, own) for part, own in zip(parts, names, strict=True)]
        while len(results) > 1:
            starts = range(0, len(results), AT_A_TIME)
            results = [task(of_parts)(results[i : i + AT_A_TIME], names[i : i + AT_A_TIME]) for i in starts]
            names = [names[i] for i in starts]
        return compute(task(last)(*results))[0]


def _counted(columns: list[Column], sums: Sums) -> Part:
    """Distinct rows, with the labels that occur; with all labels where their order is the caller's."""
    if not len(columns[0].codes):
        none = np.zeros(0, np.int64)
        return [Column(none, list(c.labels) if c.ordered else [], ordered=c.ordered) for c in columns], sums or [none]
    rows, found_sums = count(columns, sums)
    found = [Column(codes, column.labels, ordered=column.ordered) for column, codes in zip(columns, rows.codes, strict=True)]
    return [column if column.ordered else occurring(column) for column in found], found_sums


def _summed(parts: Sequence[Part], names: Sequence[Hashable], tables: Sequence[str]) -> Part:
    """The partial counts of several partitions as those of one."""
    columns = []
    for i, name in enumerate(names):
        own = [found[i] for found, _ in parts]
        whole = [replace(c, codes=np.arange(len(c.labels))) if c.ordered else c for c in own]  # categories without a record, too
        labels, places = joint_labels(whole, name, tables)
        codes = np.concatenate([p[c.codes] for p, c in zip(places, own, strict=True)])
        columns.append(Column(codes, labels, ordered=any(c.ordered for c in own)))
    return _counted(columns, [np.concatenate(each) for each in zip(*(sums for _, sums in parts), strict=True)])


def _tally(kind: Kind | None, values: Any, counts: Any, spec: Spec) -> tuple[Numbers, Counts]:
    """The least and greatest value for bins of equal width, the distinct ones for quantiles, none for cut points."""
    if spec.how == "quantile":
        values, where = np.unique(values, return_inverse=True)
        counts = np.bincount(where, counts, len(values)).astype(counts.dtype)
    elif len(values):
        values = np.array([values.min(), values.max()][: 0 if spec.how == "points" else 2])
        counts = np.ones(len(values), np.int64)
    return Numbers(kind, values), counts
