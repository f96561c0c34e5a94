"""Whole records: the distinct rows of several tables over the same columns, for measures of single people rather than of cells."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capstats.codes.bins import check_bins
from capstats.codes.column import Column, Counts, Places, joint_labels
from capstats.codes.declared_types import Type
from capstats.codes.distinct import union
from capstats.codes.labels import MISSING, Label, kind_of
from capstats.codes.progress import Progress
from capstats.counting.inputs import opened, released
from capstats.counting.reading import check_codes, find_cuts, read_rows
from capstats.counting.request import check_options, chosen_columns
from capstats.counting.same import check_rows, check_tables, pairs
from capstats.sources.files import one_connection
from capstats.sources.source import Options
from capstats.tables.levels import compared_with, warn_of_levels


@dataclass(frozen=True)
class Levels:
    """One column of the distinct rows: the row's label is ``labels[code]``, and ``values[code]`` its number."""

    name: str
    labels: list[Label]
    codes: Places
    values: NDArray[np.float64]  # of numbers, up to a constant (infinite where one is missing); of categories, the place in their order
    order: list[Label] | None  # all levels of a category by place, with those that no record has; None for numbers

    @property
    def numerical(self) -> bool:
        """Whether the labels are numbers, which differ by more than their places."""
        return self.order is None


@dataclass(frozen=True)
class WholeRecords:
    """The distinct rows of several tables, and which of them each row of each table is."""

    columns: list[Levels]
    places: list[Places]  # one array a table: the distinct row that each of its rows is
    counts: list[Counts]  # and the number of records of each of its rows

    def held(self, table: int) -> tuple[Places, Counts]:
        """The distinct rows that a table has, in order, and how often it has each."""
        rows, where = np.unique(self.places[table], return_inverse=True)
        return rows, np.bincount(where, self.counts[table]).astype(np.int64)


def whole_records(
    tables: Mapping[str, Any],
    synthetic: Any,
    columns: Hashable | Sequence[Hashable],
    types: Mapping[Hashable, Type] | None = None,
    *,
    bins: Mapping[Hashable, Any] | None = None,
    each: bool = False,
    allow_same: bool = False,
    progress: bool | None = None,
    **reading: Any,
) -> tuple[WholeRecords, list[Label] | None]:
    """Records of the named tables, then of the synthetic ones, and the labels of these where there are several.

    The first table says where columns are cut; ``reading`` is what else `Options` takes. With ``each``, the rows of the named tables are
    their records one by one, in order, and these tables must be in memory. Unless ``allow_same``, none of the named tables may hold the
    same records as another table.
    """
    names = chosen_columns(columns, "columns")
    twice = [c for c in names if names.count(c) > 1]
    if twice:
        raise ValueError(f"`columns` names {twice[0]!r} twice. Name each column once.")
    labels, several, called = released(synthetic)
    if not several:
        raise TypeError("`synthetic` is None; give the released table, or a sequence of them.")
    given = {**tables, **dict(zip(called, several, strict=True))}
    display = Progress(progress)
    options = Options(types, display=display, **reading)
    inputs = opened(given, options)
    for called_as, table in zip(tables, inputs, strict=False):
        if each and not table.source.in_memory:
            raise TypeError(
                f"`{called_as}` must be in memory, for the result has its order; got {type(given[called_as]).__name__}. Collect it."
            )
    check_options(options, inputs, names)
    specs = check_bins(bins, names, inputs[0].options.types or {}, "not among `columns`")
    apart = [] if allow_same else list(pairs(list(tables), called))
    check_tables(given, apart)
    with display, one_connection([table.source for table in inputs], options):
        cuts = find_cuts(inputs[0], specs)
        found = [read_rows(table, names, cuts, each and table.name in tables) for table in inputs]
    check_codes(options, inputs, names, [(part,) for part, _ in found], cuts)
    levels, codes, compared_levels = [], [], {}
    for name, parts in zip(names, zip(*(part.columns for part, _ in found), strict=True), strict=True):
        joint, maps = joint_labels(parts, name, list(given))
        joint = joint.tolist() if isinstance(joint, np.ndarray) else list(joint)
        levels.append(Levels(str(name), joint, np.zeros(0, np.int64), *_values(joint, parts, name)))
        codes.append([to_joint[part.codes] for to_joint, part in zip(maps, parts, strict=True)])
        if not levels[-1].numerical:  # numbers that differ may be near
            of_tables = [np.bincount(own[part.of_row], n, len(joint)) for own, (part, n) in zip(codes[-1], found, strict=True)]
            records = {table: x.astype(np.int64) for table, x in zip(given, of_tables, strict=True)}
            compared_levels[str(name)] = compared_with(joint, records, "column")
    warn_of_levels({"levels": compared_levels}, next(iter(given)))
    distinct, places = union(list(zip(*codes, strict=True)), [len(column.labels) for column in levels])
    of_rows = [where[part.of_row] for where, (part, _) in zip(places, found, strict=True)]
    read = [replace(column, codes=c.astype(np.int64)) for column, c in zip(levels, distinct, strict=True)]
    known = WholeRecords(read, of_rows, [counts for _, counts in found])
    for one, other in apart:
        i, j = list(given).index(one), list(given).index(other)
        mine, theirs = (np.sort(known.held(table)[1]) for table in (i, j))
        if np.array_equal(mine, theirs):  # whatever the levels are called
            check_rows(inputs[i], inputs[j])
    return known, labels


def _values(joint: Sequence[Label], parts: Sequence[Column], name: Hashable) -> tuple[NDArray[np.float64], list[Label] | None]:
    """The number of each label; and the levels by place, where it is a place.

    That of a whole number is its difference to the least, so that large ones keep their differences. That of a category is its place in
    the order of its column, which includes levels that no record has; a missing value comes last.
    """
    kind = next((kind_of(x) for x in joint if x is not MISSING), None)
    ordered = any(part.ordered for part in parts)
    if kind == "number" and not ordered:
        in_order = [x for x in joint if x is not MISSING]
        least = in_order[0] if all(isinstance(x, int) for x in in_order) else 0
        return np.array([np.inf if x is MISSING else float(x - least) for x in joint]), None
    if kind not in ("number", "text", "bool", None) and not ordered:
        raise TypeError(
            f"Column {name!r} holds {kind} labels, which are neither numbers nor categories. Turn it into numbers, or into categories "
            f"with types={{{name!r}: [levels in order]}}."
        )
    known = dict.fromkeys(x for part in parts if part.ordered for x in part.labels if x is not MISSING)
    order = [*known, *(x for x in joint if x is not MISSING and x not in known)]
    place = {x: i for i, x in enumerate([*order, MISSING])}
    return np.array([float(place[x]) for x in joint]), order
