"""The distinct rows of several tables over the same columns, for measures of single records rather than of cells."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.column import Counts, Places
from capstats.codes.labels import MISSING, Kind, Label, canonicals, kind_of
from capstats.codes.progress import Progress
from capstats.codes.spellings import ABSENT, PRECISION
from capstats.counting.records import Records, read_records
from capstats.counting.request import Reading, Request
from capstats.tables.axes import join_columns
from capstats.tables.levels import compared_with, records_by_level, warn_of_levels

UNITS: dict[Kind | None, Any] = {"number": 1, **dict.fromkeys(("date", "datetime", "datetime with zone"), dt.timedelta(days=1))}
OF_READING = ("missing", "dropped", "counts", "bins", "null_values")  # attrs


@dataclass(frozen=True)
class Levels:
    """One column of the distinct rows: ``values[code]`` is the number of the row's level."""

    name: str
    codes: Places
    values: NDArray[np.float64]  # numbers, up to a constant (infinite where one is missing); for categories, the position in their order
    order: list[Label] | None  # all levels of a category in order, those without records included; None for numbers

    @property
    def numerical(self) -> bool:
        """Whether the labels are numbers, so that their differences count and not only their order."""
        return self.order is None


@dataclass(frozen=True)
class JointRows:
    """The distinct rows of the tables of a request over its key columns, as an axis with one level a column.

    The tables are the original, the holdout where there is one, and the releases.
    """

    records: Records
    axis: pd.MultiIndex
    places: list[Places]  # for each table, the index of each row's distinct row
    of_tables: list[NDArray[np.int64]]  # for each table, the count of each distinct row

    @property
    def original(self) -> NDArray[np.int64]:
        """The counts of the original."""
        return self.of_tables[0]

    @property
    def holdout(self) -> NDArray[np.int64] | None:
        """The counts of the holdout, if there is one."""
        return None if self.records.request.holdout is None else self.of_tables[1]

    @property
    def synthetic(self) -> list[NDArray[np.int64]]:
        """The counts of each release."""
        return self.of_tables[1 if self.holdout is None else 2 :]

    @property
    def labels(self) -> list[Label] | None:
        """The labels of several releases."""
        return self.records.labels

    def apart(self, column: Levels, table: int) -> bool:
        """Whether all numbers of a column of a table are below, or above, all those of the original."""
        own, other = (column.values[column.codes[np.unique(self.places[place])]] for place in (0, table))
        own, other = (x[np.isfinite(x)] for x in (own, other))
        return bool(len(own) and len(other) and (own.max() < other.min() or other.max() < own.min()))

    @cached_property
    def ordered(self) -> list[bool]:
        """Whether each column has categories with an order."""
        orders = self.records.orders()
        return [column in orders for column in self.records.request.key_columns]

    @property
    def attrs(self) -> dict[str, Any]:
        """How the records were read."""
        return {name: value for name, value in self.records.attrs(self.records.stored).items() if name in OF_READING}

    def held(self, table: int) -> tuple[Places, Counts]:
        """The distinct rows that a table has, in order, and their counts."""
        rows = np.unique(self.places[table])
        return rows, self.of_tables[table][rows]

    @cached_property
    def columns(self) -> list[Levels]:
        """The columns with the numbers of their levels.

        That of a whole number is its difference to the least, so that large ones keep their differences; that of a date, in days. That of a
        category is its place in the order of its column, which includes levels that no record has; a missing value comes last.
        """
        found = []
        orders = self.records.orders()
        for asked, codes, level in zip(self.records.request.key_columns, self.axis.codes, self.axis.levels, strict=True):
            labels = canonicals(level)
            known = [x for x in labels if x is not MISSING]
            kind = kind_of(known[0]) if known else None
            order = None
            if kind in UNITS and asked not in orders:
                least: Any = 0 if any(isinstance(x, float) for x in known) else known[0]
                try:
                    values = [np.inf if x is MISSING else float((x - least) / UNITS[kind]) for x in labels]
                except OverflowError as error:
                    raise ValueError(f"Column {asked!r} holds a number beyond 1e308. Correct it.") from error
            elif kind in ("text", "bool", None) or asked in orders:
                order = list(dict.fromkeys([*orders.get(asked, []), *known]))
                place = {x: i for i, x in enumerate([*order, MISSING])}
                values = [float(place[x]) for x in labels]
            else:
                raise TypeError(
                    f"Column {asked!r} holds {kind} labels, which are neither numbers, dates nor categories. Turn it into numbers, or into "
                    f"categories with types={{{asked!r}: [levels in order]}}."
                )
            found.append(Levels(str(asked), np.asarray(codes, np.int64), np.array(values, float), order))
        return found


def joint_rows(request: Request, shown: Progress, *, near: bool = False) -> JointRows:
    """The rows of the records of a request over its key columns; ``near`` where different numbers may match.

    Warns of columns whose levels the tables do not share, or spell differently; of numbers that may match if near, where no two are near,
    where most are those of the other table in another precision, or where one table has a code in place of the missing value of the other.
    """
    if request.weights is not None:
        raise ValueError("`weights` cannot be used: single records are compared, not the people they stand for. Leave it out.")
    if request.synthetic is None:
        raise TypeError("`synthetic` must be a table of records, or several; got None.")
    records = read_records(request, shown)
    shown.step("joining the tables")
    axis, places = join_columns([table.key.columns for table in records.tables], request.key_columns, records.names)
    for name, table in zip(records.names, records.tables, strict=True):
        if table.counts.dtype.kind != "i":
            raise ValueError(f"`counts` of `{name}` are fractional: single records are compared. Give whole numbers of records.")
    last = len(places) - (request.holdout is not None)
    order = [0, *range(last, len(places)), *range(1, last)]
    tables = [records.tables[i] for i in order]
    of_rows = [places[i][table.key.of_row] for i, table in zip(order, tables, strict=True)]
    counts = [np.bincount(where, table.counts, len(axis)).astype(np.int64) for where, table in zip(of_rows, tables, strict=True)]
    rows = JointRows(records, axis, of_rows, counts)
    of_tables = {records.names[i]: x for i, x in zip(order, rows.of_tables, strict=True)}
    levels = {c: compared_with(labels, n, "column") for c, labels, n in records_by_level(axis, of_tables)}
    for column in rows.columns if near else ():
        if column.numerical:
            of, at = levels[column.name], list(of_tables)
            levels[column.name] = {
                table: x
                for table, x in of.items()
                if ABSENT in x["likely"] or 2 * x["likely"].get(PRECISION, 0) > x["absent"] or rows.apart(column, at.index(table))
            }
    warn_of_levels({"levels": levels, "bins": records.cuts, "null_values": request.codes_as_texts()}, records.names[0])
    return rows


def attacked(
    columns: Hashable | Sequence[Hashable], *, called: Mapping[str, str] = MappingProxyType({}), allow_same: bool = False, **given: Any
) -> JointRows:
    """The rows of the tables of an attack over its columns, with options of reading; ``called`` has the names of the tables in messages."""
    for name in [x for x in ("missing", "backing") if x in given]:
        raise TypeError(f"There is no option {name!r}: a missing value is a level, and each record counts. Leave it out.")
    tables = {name: given.pop(name) for name in ("original", "synthetic", "holdout", "by_record") if name in given}
    target = {"target": None, "target_argument": None}
    request = Request.of(
        cast(Reading, given), **tables, **target, keys=columns, keys_argument="columns", called=called, allow_same=allow_same
    )
    with Progress(request.progress) as shown:
        return joint_rows(request, shown, near=True)
