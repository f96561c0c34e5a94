"""The distinct rows of several tables over the same columns, and how many records of each table are alike each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.labels import Label
from capstats.codes.progress import Progress
from capstats.counting.records import Records, read_records
from capstats.counting.request import Request
from capstats.tables.axes import join_columns
from capstats.tables.levels import compared_with, records_by_level, warn_of_levels

OF_READING = ("missing", "dropped", "counts", "bins", "null_values")  # attrs


@dataclass(frozen=True)
class JointRows:
    """The rows as an axis, one level a column, and the records of each table that have each row."""

    axis: pd.MultiIndex
    original: NDArray[np.int64]
    synthetic: list[NDArray[np.int64]]
    holdout: NDArray[np.int64] | None
    labels: list[Label] | None  # of several synthetic tables
    ordered: list[bool]  # whether a column is one of categories with an order
    from_csv: bool  # whether all values are texts of CSV files
    attrs: dict[str, Any]  # how the records were read


def joint_rows(request: Request, shown: Progress) -> JointRows:
    """The rows that the records of a request have over its key columns."""
    if request.weights is not None:
        raise ValueError("`weights` cannot be used: single records are compared, not the people they stand for. Leave it out.")
    if request.synthetic is None:
        raise TypeError("`synthetic` must be a table of records, or several; got None.")
    records = read_records(request, shown)
    shown.step("joining the tables")
    axis, places = join_columns([table.key.columns for table in records.tables], request.key_columns, records.names)
    counts = []
    for name, table, where in zip(records.names, records.tables, places, strict=True):
        if table.counts.dtype.kind != "i":
            raise ValueError(f"`counts` of `{name}` are fractional: single records are compared. Give whole numbers of records.")
        found = np.zeros(len(axis), np.int64)
        np.add.at(found, where[table.key.of_row], table.counts)
        counts.append(found)
    _warn(records, axis, counts)
    last = len(counts) - (request.holdout is not None)
    ordered = [any(column.ordered for column in columns) for columns in zip(*(t.key.columns for t in records.tables), strict=True)]
    attrs = {name: value for name, value in records.attrs(records.stored).items() if name in OF_READING}
    h = counts[-1] if request.holdout is not None else None
    from_csv = all(table.source.is_csv for table in records.inputs)
    return JointRows(axis, counts[0], counts[1:last], h, records.labels, ordered, from_csv, attrs)


def _warn(records: Records, axis: pd.MultiIndex, counts: list[NDArray[np.int64]]) -> None:
    """Warn of columns whose levels the tables do not share, or spell differently."""
    of_tables = {name: x[None] for name, x in zip(records.names, counts, strict=True)}
    levels = {column: compared_with(labels, held, "column") for column, labels, held in records_by_level(axis, "key", of_tables)}
    warn_of_levels({"levels": levels, "bins": records.cuts})
