"""Guesses at a number or a date that count as right if they are near the person's value."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.checks import is_number, shown
from capstats.codes.column import one_kind
from capstats.codes.labels import MISSING, canonical
from capstats.tables.aligned import Aligned
from capstats.tables.axes import level_index, names_of
from capstats.tables.backing import of_cells
from capstats.tables.table import Array, Floats, Index, Part, Windows
from capstats.tables.ties import TIE

Distance = float | dt.timedelta | np.timedelta64
Within = Distance | Callable[[NDArray[Any]], Any] | tuple[Literal["triangular"], Distance] | None

TIMES = ("date", "datetime", "datetime with zone", "duration")  # kinds of targets that are times


def windows_of(aligned: Aligned, within: Within) -> Windows | None:
    """How much each guess counts for each target of the tables; None where only the target itself is right."""
    if within is None:
        return None
    triangular = isinstance(within, tuple)
    if isinstance(within, tuple):
        if len(within) != 2 or within[0] != "triangular":
            raise ValueError('`within` must be a distance, a function or the pair ("triangular", distance); got another tuple.')
        within = within[1]
    known, values = _levels(aligned)
    distances = _distances(within, values)
    if triangular and (callable(within) or not (distances > 0).all()):
        raise ValueError('`within` ("triangular", distance) needs one distance above 0, the same for all targets.')
    values = values.astype(np.int64) if values.dtype.kind in "mM" else values
    order = np.argsort(values, kind="stable")
    rank = np.full(aligned.sizes["target"], len(known), np.intp)  # a missing value comes last
    rank[known[order]] = np.arange(len(known))
    parts = (_falling if triangular else _near)(values[order], distances[order])
    parts = [Part(*(of_cells([known[order]], x, rank.shape, False) for x in part)) for part in parts]
    missing = (rank == len(known)).astype(np.int64)
    return Windows(rank, [*parts, Part(rank, rank + 1, missing, missing)] if missing.any() else parts)


def _offsets(values: Array) -> Array:
    """Distances from the least of the values, which are in order: exact for integers, unless they span nearly all of 64 bits."""
    if values.dtype.kind in "iu" and len(values) and float(values[-1]) - float(values[0]) < 2**62:
        return np.asarray(values - values[0], np.int64)
    wide = values.astype(np.longdouble)
    return np.asarray(wide - wide[:1])


def _near(values: Array, distances: Floats) -> list[Part]:
    """Guesses within the distance count 1; a difference that rounding explains is a tie, as `at_most` has it, and counts."""
    offsets = _offsets(values)
    if offsets.dtype.kind == "i":
        values, reach = offsets, np.minimum(np.floor(distances * (1 + TIE)), offsets[-1]).astype(np.int64)
    else:
        values = values.astype(np.float64)
        reach = distances + TIE * (np.abs(values) + distances)
    ones = np.ones(len(values), np.int64)
    return [Part(np.searchsorted(values, values - reach), np.searchsorted(values, values + reach, "right"), ones, ones)]


def _falling(values: Array, distances: Floats) -> list[Part]:
    """Guesses count 1 - distance / d within d.

    The line is cut into blocks of length d, so that a window reaches into the next block at most, and sums of offsets in a block lose no
    digits. With g the offset of the target and f that of a guess, guesses in the target's block count 1 - g + f up to the target and
    1 + g - f above it, those in the block below f - g, those in the block above g - f.
    """
    x = _offsets(values) / distances.astype(np.longdouble)
    block = np.floor(x)
    g = (x - block).astype(np.float64)
    least, most = np.searchsorted(x, x - 1, "right"), np.searchsorted(x, x + 1)
    start, end = np.searchsorted(block, block), np.searchsorted(block, block, "right")
    above = np.arange(1, len(x) + 1)
    one = np.ones(len(x))
    return [
        Part(start, above, 1 - g, one),
        Part(least, start, -g, one),
        Part(above, end, 1 + g, one),
        Part(end, most, g, one),
        Part(least, above, one, g),
        Part(above, most, -one, g),
    ]


# --- what is given ----------------------------------------------------------------------------------------------------


def _levels(aligned: Aligned) -> tuple[Index, Array]:
    """The places of the targets that are not missing, and their values: numbers, or times of numpy."""
    axis = aligned.axes["target"]
    if axis is None:
        raise ValueError(
            "`within` compares values of the target, and the targets of these tables have no labels. "
            "Label them: capstats.from_counts(o, s, target_labels=values), or tabulate the records."
        )
    if axis.nlevels > 1:
        raise ValueError(f"`within` needs one target column; the tables have {names_of(axis)}.")
    column, index = names_of(axis)[0], axis.levels[0].take(np.asarray(axis.codes[0]))
    if index.dtype.kind in "iuf":
        known, labels, kind = np.arange(len(index)), index, "number"
    else:
        present = [(i, label) for i, label in enumerate(map(canonical, index)) if label is not MISSING]
        known, labels = np.array([i for i, _ in present], np.intp), level_index([label for _, label in present])
        kind = one_kind(labels[:1], column, "s") or "number"
    if kind in TIMES:
        return known, _times(labels, kind)
    if kind != "number":
        raise TypeError(
            f'`within` needs numbers or dates, and the target {column!r} is of the kind {kind}. Say types={{{column!r}: "number"}} or '
            f'types={{{column!r}: "date"}} where records are counted, do not cut it into bins, or leave `within` out.'
        )
    if labels.dtype.kind == "O":  # integers beyond 64 bits, and perhaps beyond floats
        labels = pd.Index([x if abs(x) <= sys.float_info.max else np.inf for x in labels], dtype=np.float64)
    values = np.asarray(labels)
    if not np.isfinite(values).all():
        raise ValueError(f"`within` needs finite numbers, and the target {column!r} has infinite ones, or ones beyond 1e308. Recode them.")
    return known, values


def _times(labels: Iterable[Any], kind: str) -> Array:
    """Dates, times or durations as numpy has them, in whole microseconds, or nanoseconds where they are needed."""
    if kind == "duration":
        return np.array([x.to_timedelta64() for x in labels], "m8[ns]")
    stamps = [pd.Timestamp(x).tz_localize(None) for x in labels]
    return np.array([x.to_datetime64() for x in stamps], f"M8[{'ns' if any(x.nanosecond for x in stamps) else 'us'}]")


def _distances(within: Any, values: Array) -> Floats:
    """How far a guess at each level may be from it, in the unit of the levels."""
    time, given = values.dtype.kind in "mM", within(values) if callable(within) else within
    length = pd.Timedelta(given).to_timedelta64() if isinstance(given, dt.timedelta) else given
    found = np.asarray(length, np.float64 if is_number(length) and not isinstance(length, np.timedelta64) else None)
    if found.dtype.kind not in ("m" if time else "iuf"):
        wanted = "a length of time, such as timedelta(days=30), where the target is a date or a time" if time else "a number"
        raise TypeError(f"`within` must be {wanted}; got {shown(given)}.")
    if found.shape not in ((), values.shape if callable(within) else ()):
        raise ValueError(
            f"`within` must be one distance, or a function that returns one for all targets or one for each; got an array of the shape "
            f"{found.shape}{f' for {len(values)} targets' if callable(within) else ''}."
        )
    if time:
        if np.datetime_data(found.dtype)[0] in ("Y", "M", "generic") and not np.isnat(found).all():
            raise ValueError("`within` must be a length of time, and months, years and numbers without a unit have none. Give days.")
        found = found / np.ones((), f"m8[{np.datetime_data(values.dtype)[0]}]")
    if not (np.isfinite(found) & (found >= 0)).all():
        raise ValueError(f"`within` must be finite and 0 or more{' for every target' if callable(within) else f'; got {shown(within)}'}.")
    return np.broadcast_to(found, values.shape).astype(np.float64)
