"""A column to be cut as numbers: its values, days since 1970 (dates), or microseconds since 1970 (datetimes)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.column import Counts, Ints
from capstats.codes.labels import MISSING, Kind, Label, one_kind
from capstats.codes.wanted import as_type

TypeToCut = Literal["number", "date", "datetime"]
CUTTABLE = ("number", "date", "datetime", "datetime with zone")
EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Numbers:
    """A column as numbers: a row's number is ``values[code]``, or ``values[row]`` where there are no codes."""

    kind: Kind | None  # None where all is missing
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None  # of each value; a NaN is missing, too
    codes: Ints | None = None
    texts: NDArray[np.int64] | None = None  # of each value, which of the texts that mean missing it is; else -1


def finite_values(numbers: Numbers, counts: Counts) -> tuple[NDArray[Any], Counts]:
    """The values that decide where to cut, those that are there, finite and counted, and their counts."""
    values = numbers.values
    finite = np.asarray(counts > 0)
    if values.dtype.kind == "f":
        finite &= np.isfinite(values)
    if numbers.missing is not None:
        finite &= ~numbers.missing
    return values[finite], counts[finite]


def _label(number: int, kind: Kind | None) -> Label:
    """The date or datetime that a number of days or microseconds stands for."""
    try:
        if kind == "date":
            return dt.date.fromordinal(number + EPOCH.toordinal())
        moment = EPOCH + dt.timedelta(microseconds=number)
    except (OverflowError, ValueError) as error:
        raise ValueError("Cut points must lie in the years 1 to 9999; those of the original do not. Give cut points.") from error
    return moment if kind == "datetime" else moment.replace(tzinfo=dt.UTC)


def point_label(number: int, kind: Kind | None) -> Label:
    """A cut point as an engine compares it with its column: the number, date or datetime."""
    return number if kind == "number" else _label(number, kind)


def _iso(point: Label) -> str:
    return point.isoformat() if isinstance(point, dt.date) else str(point)


def microseconds(times: NDArray[Any]) -> NDArray[np.int64]:
    """Times as microseconds since 1970, rounded up: a time is after a whole microsecond exactly when its number is greater."""
    if np.datetime_data(times.dtype)[0] in ("ns", "ps", "fs", "as"):
        ns = times.astype("datetime64[ns]").view(np.int64)
        return -(-ns // 1000)
    return times.astype("datetime64[us]").view(np.int64)


def _of_labels(labels: Sequence[Label], kind: Kind | None) -> NDArray[Any]:
    if kind == "number":
        whole = all(isinstance(x, int) for x in labels)
        for dtype, least, end in ((np.int64, -(2**63), 2**63), (np.uint64, 0, 2**64)):
            if whole and least <= min(labels) and max(labels) < end:
                return np.array(labels, dtype)
        return np.array([float(x) for x in labels])
    if kind == "date":
        return np.array([x.toordinal() - EPOCH.toordinal() for x in labels])
    stamps = [pd.Timestamp(x).tz_convert("UTC").tz_localize(None) if x.tzinfo else pd.Timestamp(x) for x in labels]
    return np.array([microseconds(np.array(x.to_datetime64()).reshape(1))[0] for x in stamps], np.int64)


def label_numbers(labels: Sequence[Label], records: NDArray[Any], wanted: TypeToCut | None, column: str, table: str) -> Numbers:
    """Labels as numbers, texts parsed; those that no record holds are missing."""
    present = [i for i in np.flatnonzero(records).tolist() if labels[i] is not MISSING]
    values = [labels[i] for i in present]
    kind = one_kind(values, column, table)
    if kind == "text":
        values = as_type(values, wanted or "number", column, table, records[present].tolist())
        kind = one_kind(values, column, table)
        if kind == "number":  # as every engine parses them
            try:
                values = [float(x) for x in values]
            except OverflowError as error:
                raise ValueError(f"Column {column!r} of `{table}` holds a number beyond 1e308. Correct it.") from error
    check_kind(kind, wanted, column, table)
    missing = np.ones(len(labels), bool)
    missing[present] = False
    found = _of_labels(values, kind) if values else np.zeros(0)
    numbers = np.zeros(len(labels), found.dtype)
    numbers[present] = found
    return as_wanted(Numbers(kind, numbers, missing), wanted)


def check_kind(kind: Kind | None, wanted: TypeToCut | None, column: str, table: str) -> None:
    """Raise where a column's kind cannot be cut, or is not what `types` says."""
    if kind is None:
        return
    if kind not in CUTTABLE:
        raise TypeError(
            f"Only numbers, dates and datetimes can be cut; column {column!r} of `{table}` holds {kind} labels. "
            f"Leave it out of `bins`, or convert it."
        )
    if wanted is not None and kind.removesuffix(" with zone") != wanted and (kind, wanted) != ("date", "datetime"):
        raise TypeError(
            f"Column {column!r} of `{table}` holds {kind} labels, and `types` says {wanted!r}. Convert the column, or say "
            f'types={{{column!r}: "{kind.removesuffix(" with zone")}"}}.'
        )


def as_wanted(numbers: Numbers, wanted: TypeToCut | None) -> Numbers:
    """Dates as datetimes, where `types` says so."""
    if numbers.kind == "date" and wanted == "datetime":
        return Numbers("datetime", numbers.values.astype(np.int64) * 86_400_000_000, numbers.missing, numbers.codes)
    return numbers
