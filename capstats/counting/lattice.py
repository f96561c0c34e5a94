"""Tables of many subsets of the key columns from one count of them all: axes are summed down the lattice, no record is counted again.

With k key columns there are 2^k subsets, each with a table of every release and target.

*The obvious way* calls `tabulate` for each subset: it reads, joins labels and counts the records 2^k times. The tests compare with it.

*The lattice.* The table of a subset is that of any larger subset, summed over the columns that are left out. So records are counted once,
over all columns, and each subset follows from one of the next larger ones (`_children`): the one whose additional columns have the fewest
levels, which is the smallest table to sum. `walk` goes depth first, so that at most one table of each size is held at a time, instead of
all 2^k.

*Keys* are integers of mixed radix (`capstats.codes.column.Factor`). To leave a column out is to cut one digit out of each integer;
labels are made only for a table that is given out.

*Two ways to sum* (`Filled.moved`). A dense table can be summed over its keys; its cost is all its cells, most of which may be empty. Or the
cells that were filled over all columns at first are added where they now belong: `Keyset.places` keeps for each first key where it is.
That costs the number of filled cells whatever the subset, and scattered memory. SCATTER is how much more one scattered cell costs than one
cell of a row. Sparse tables always go the second way.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, cast

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.column import Column, Factor, Places, factor
from capstats.counting.records import Records
from capstats.tables.axes import UNLABELLED, axis_of, coords_of_all, join_columns, level_index, multi_index, names_of
from capstats.tables.backing import Backing, Data, choose_sparse, filled, is_sparse, stacked, table_of, unstacked
from capstats.tables.dataset import attrs_of_tables, synthetic_labels
from capstats.tables.levels import compared, warn_of_levels
from capstats.tables.table import Array, Index

SCATTER = 3  # to add one scattered cell costs as much as to add this number of neighbouring cells of a row

Columns = tuple[int, ...]  # positions of key columns, ascending


@dataclass(frozen=True)
class Keyset:
    """The tables of some of the key columns."""

    columns: Columns
    distinct: Factor  # its keys, among those of a larger set; one key where there is no column
    places: Places  # of each key over all columns, the index of its key here
    tables: list[list[Data]]  # for each target column: the table (target, key) of the original, then those of the synthetic tables


class Filled:
    """The filled cells of a table over all key columns; found when they are needed, since many subsets need only their number."""

    def __init__(self, table: Data):
        self.table = table

    @cached_property
    def number(self) -> int:
        """The number of filled cells."""
        return len(self.table.data) if is_sparse(self.table) else int(np.count_nonzero(self.table))

    @cached_property
    def cells(self) -> tuple[Index, Index, Array]:
        """The target, the key and the value of each."""
        (target, key), values = filled(self.table)
        return np.ascontiguousarray(target), np.ascontiguousarray(key), values

    def moved(self, narrow: Data, where: Places, places: Places, shape: tuple[int, int], sparse: bool) -> Data:
        """A table of these cells with their keys moved to ``places``; or a ``narrow`` one with its keys moved to ``where``, if less."""
        if sparse or is_sparse(narrow) or narrow.size > SCATTER * self.number:
            target, key, values = self.cells
            return table_of(values, target, places[key], shape, sparse)
        found = np.zeros(shape, narrow.dtype)
        for total, row in zip(found, narrow, strict=True):
            np.add.at(total, where, row)
        return found


@dataclass
class Lattice:
    """Counts over all key columns, one target at a time, from which those of every subset of the key columns follow."""

    tables: list[list[Data]]  # for each target: the table (target, key) of the original, then those of the synthetic tables
    key: pd.MultiIndex
    targets: list[pd.MultiIndex]
    names: list[str]  # under which the key columns are stored
    synthetic: Any  # the index of several synthetic tables
    attrs: Mapping[str, Mapping[str, str]]
    backing: Backing = "auto"

    @classmethod
    def of_records(cls, records: Records) -> Lattice:
        """The lattice of records, with each target column as a target of its own."""
        counted, names = records.tables, records.names
        key_columns, orders = records.request.key_columns, list(map(str, records.orders()))
        key, places = join_columns([table.key.columns for table in counted], key_columns, names)
        keys = [at[table.key.of_row] for at, table in zip(places, counted, strict=True)]
        tables: list[list[Data]] = []
        axes: dict[str, pd.MultiIndex] = {"key": key}
        targets: list[pd.MultiIndex] = []
        levels: dict[str, Any] = {}
        fine: dict[str, Any] = {}
        numbers: dict[str, int] = {}
        for t, column in enumerate(records.request.target_columns):
            axis, places = join_columns([[table.target.columns[t]] for table in counted], [column], names)
            targets.append(axis.set_names([str(column)]))
            shape = (len(axis), len(key))
            sparse = records.is_sparse(math.prod(shape))
            where = [at[table.target.of_row] for at, table in zip(places, counted, strict=True)]
            tables.append([table_of(table.counts, i, j, shape, sparse) for table, i, j in zip(counted, where, keys, strict=True)])
            axes["target"] = targets[-1]
            found = compared(axes, dict(zip(names, tables[-1], strict=True)), {*map(str, records.cuts), *orders})
            levels |= found.get("levels", {})
            fine |= {column: entry for column, entry in found.get("fine_keys", {}).items() if "lacking" in entry}  # of single columns only
            numbers |= found.get("fine_targets", {})
            axes = {}  # keys are compared once
        warn_of_levels({"levels": levels, "fine_keys": fine, "fine_targets": numbers, "bins": records.cuts})
        records.warn_of_codes()
        stored = [records.stored[column] for column in key_columns]
        synthetic = None if records.labels is None else level_index(records.labels)
        return cls(tables, key, targets, stored, synthetic, attrs_of_tables(records.weights), records.request.backing)

    @classmethod
    def of_tables(cls, tables: xr.Dataset) -> Lattice:
        """The lattice of tables as `as_tables` returns them, with their target."""
        o, s = tables.o, tables.s
        key, target = (cast(pd.MultiIndex, axis_of(o, dim)) for dim in ("key", "target"))  # which as_tables gives labels
        several = synthetic_labels(tables)
        released = [s.variable.data] if several is None else unstacked(s.variable.data, 0)
        attrs = {name: tables[name].attrs for name in "os"}
        return cls([[o.variable.data, *released]], key, [target], names_of(key), s.indexes.get("synthetic"), attrs)

    @cached_property
    def cells(self) -> list[list[Filled]]:
        """The filled cells of each table."""
        return [[Filled(table) for table in of_target] for of_target in self.tables]

    @cached_property
    def whole(self) -> Keyset:
        """The tables of all key columns."""
        columns = [Column(np.asarray(codes), range(len(level))) for codes, level in zip(self.key.codes, self.key.levels, strict=True)]
        distinct = factor(columns)  # in the order of their codes, which is not always that of the tables
        places = distinct.of_row
        in_order = len(distinct.flat) == len(places) and bool((np.diff(places) > 0).all())
        tables = self.tables if in_order else self._placed(self.tables, places, places, len(distinct.flat))
        return Keyset(tuple(range(self.key.nlevels)), distinct, places, tables)

    def only(self, columns: Columns) -> Keyset:
        """The tables of some of the key columns."""
        return self._narrowed(self.whole, columns)

    def walk(self, sizes: Collection[int]) -> Iterator[Keyset]:
        """Every subset of the key columns of these sizes, each from a larger one; at most one of each size is held at a time."""
        children = self._children(sizes)

        def below(keyset: Keyset) -> Iterator[Keyset]:
            if len(keyset.columns) in sizes:
                yield keyset
            for columns in children.get(keyset.columns, ()):
                yield from below(self._narrowed(keyset, columns))

        return below(self.whole)

    def _children(self, sizes: Collection[int]) -> dict[Columns, list[Columns]]:
        """The subsets summed from each one: a subset follows from the next larger one that adds the columns with the fewest labels."""
        k = self.key.nlevels
        cheap = sorted(range(k), key=self.key.levshape.__getitem__)
        children: dict[Columns, list[Columns]] = {}
        for size in set(sizes) - {k}:
            # the next larger size that is computed anyway
            larger = min(x for x in {*sizes, k} if x > size)
            for columns in combinations(range(k), size):
                added = [column for column in cheap if column not in columns][: larger - size]
                children.setdefault(tuple(sorted((*columns, *added))), []).append(columns)
        return children

    def _narrowed(self, wide: Keyset, columns: Columns) -> Keyset:
        """The keyset of some of the columns: the tables are summed, or made of the cells filled at first, whichever takes less time."""
        distinct = wide.distinct.only([wide.columns.index(column) for column in columns])
        where, keys = distinct.of_row, len(distinct.flat)
        places = where[wide.places]
        return Keyset(columns, distinct, places, self._placed(wide.tables, where, places, keys))

    def _placed(self, tables: list[list[Data]], where: Places, places: Places, keys: int) -> list[list[Data]]:
        """Tables with their keys moved to ``where``, or made of the cells that were filled at first, which go to ``places``."""
        found = []
        for of_target, cells in zip(tables, self.cells, strict=True):
            shape = (of_target[0].shape[0], keys)
            held = 2 * len(cells)  # tables, twice because `pair` stacks them
            sparse = choose_sparse(self.backing, max(x.number for x in cells), math.prod(shape), held)
            found.append([x.moved(table, where, places, shape, sparse) for table, x in zip(of_target, cells, strict=True)])
        return found

    def pair(self, keyset: Keyset, target: int, *, labelled: bool) -> tuple[xr.DataArray, xr.DataArray]:
        """The tables o and s of a keyset and a target column, as `tabulate` returns them, or without their labels."""
        first, *others = keyset.tables[target]
        coords = self._coords(keyset, target) if labelled else xr.Coordinates()
        o = xr.DataArray(first, coords, ("target", "key"), "o", self.attrs.get("o"))
        if self.synthetic is None:
            return o, xr.DataArray(others[0], coords, ("target", "key"), "s", self.attrs.get("s"))
        several = coords.merge({"synthetic": self.synthetic}).coords
        return o, xr.DataArray(stacked(others), several, ("synthetic", "target", "key"), "s", self.attrs.get("s"))

    def _coords(self, keyset: Keyset, target: int) -> xr.Coordinates:
        """Labels of both axes; where no key column is known there is one key, 0."""
        key = multi_index([np.zeros(1, np.int64)], [[0]], [UNLABELLED["key"]])
        if keyset.columns:
            codes: list[Any] = keyset.distinct.codes
            levels: list[Any] = [self.key.levels[c] for c in keyset.columns]
            key = pd.MultiIndex(levels=levels, codes=codes, names=[self.names[c] for c in keyset.columns], verify_integrity=False)
        return coords_of_all({"key": key, "target": self.targets[target]})
