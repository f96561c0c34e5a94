"""Records to counts by the equality of Python: 1, 1.0 and True are one value, 1 and "1" are two, and so on for objects of any type.

`tabulate` refuses columns that mix kinds, since engines treat them differently. SDMetrics accepts them, so that its drop-in counts here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from capstats.codes.bins import Cut, Numbers, cut_column, equal_width
from capstats.codes.column import Column
from capstats.codes.labels import Label
from capstats.counting.records import on_axes, read_records
from capstats.counting.request import Request
from capstats.sources.columns import column_of, numbers_of
from capstats.tables.levels import Entry, compare, warn_of_levels

SIDES = ("real_data", "synthetic_data")  # what error messages call the frames


def count_by_equality(
    frames: Sequence[pd.DataFrame], keys: Sequence[Any], targets: Sequence[Any], bins: Mapping[Any, int]
) -> tuple[xr.DataArray, xr.DataArray] | None:
    """The counts of an original and a synthetic frame, which may be empty; None where the original is.

    Their labels are numbers, one for all equal values, or for each of the bins that ``bins`` asks for. `tabulate` takes them as they are:
    they have one kind, and a column that is named twice gets two names.
    """
    coded = {column: _coded([frame[column] for frame in frames], bins.get(column)) for column in dict.fromkeys([*keys, *targets])}
    codes = {column: both for column, (both, _) in coded.items()}
    known = {f"key{i}": codes[column] for i, column in enumerate(keys)}
    guessed = {f"target{i}": codes[column] for i, column in enumerate(targets)}
    real, synthetic = ({name: both[side] for name, both in (known | guessed).items()} for side in (0, 1))
    if frames[0].empty:
        return None
    if not frames[1].empty:
        compared = {column: _compared(*coded[column], "key" if column in keys else "target") for column in coded if column not in bins}
        warn_of_levels({"levels": {str(c): {SIDES[1]: entry} for c, entry in compared.items() if entry is not None}}, SIDES[0])
    released = None if frames[1].empty else synthetic
    tables = on_axes(read_records(Request(original=real, synthetic=released, keys=list(known), target=list(guessed))))[0]
    return tables.o, tables.o * 0 if frames[1].empty else tables.s


def _compared(codes: Sequence[NDArray[np.int64]], labels: Sequence[Label], role: str) -> Entry | None:
    real, synthetic = (np.bincount(x, minlength=len(labels)) for x in codes)
    return compare(labels, real, synthetic, role)


def _coded(columns: Sequence[pd.Series], bins: int | None) -> tuple[list[NDArray[np.int64]], list[Label]]:
    """The original and the synthetic column as numbers, equal where Python's equality or the bin is the same; and their labels."""
    name = str(columns[0].name)
    found = [column_of(x, name, side) for x, side in zip(columns, SIDES, strict=True)] if bins is None else _cut(columns, bins, name)
    places: dict[Any, int] = {}
    return [_places(column, places) for column in found], list(places)


def _places(column: Column, places: dict[Any, int]) -> NDArray[np.int64]:
    """The position of each row's label among the labels so far; new labels are added to them."""
    codes = column.codes.astype(np.int64) - column.first
    place = np.zeros(len(column.labels), np.int64)
    for code in np.flatnonzero(np.bincount(codes, minlength=len(place))).tolist():
        place[code] = places.setdefault(column.labels[code], len(places))
    return place[codes]


def _cut(columns: Sequence[pd.Series], bins: int, name: str) -> list[Column]:
    """Bins of equal width between the original's least and greatest value; around it, where there is only one."""
    real, synthetic = (_numbers(column, name, side) for column, side in zip(columns, SIDES, strict=True))
    values = (real.values if real.codes is None else real.values[real.codes])[columns[0].notna().to_numpy()]
    values = values[values == values]  # a text may say nan
    if not len(values) or not np.isfinite(values).all():
        has = "an infinite value" if len(values) else "no value"
        raise ValueError(
            f"Column {name!r} of `real_data` has {has}: it cannot be cut. Leave it out of `continuous_column_names`, or correct it."
        )
    points = _points(values.astype(np.float64) if values.dtype != np.float32 else values, bins)
    cut = Cut(real.kind, None, points, points, list(map(str, range(bins))))
    return [cut_column(numbers, cut, name, side) for numbers, side in zip((real, synthetic), SIDES, strict=True)]


def _points(values: NDArray[np.floating[Any]], bins: int) -> list[float]:
    """The points between bins, in the precision of the values, so that a value that is such a point is in the lower bin in either."""
    least, greatest = values.min(), values.max()
    if least == greatest:
        spread = values.dtype.type(0.001) * (abs(least) or values.dtype.type(1))
        least, greatest = least - spread, greatest + spread
    if values.dtype == np.float64:
        return equal_width(least, greatest, bins, "number")
    step = (greatest - least) / np.float32(bins)
    return [float(least + np.float32(i) * step) for i in range(1, bins)]


def _numbers(values: pd.Series, name: str, side: str) -> Numbers:
    """A column to be cut, as numbers: booleans are 0 and 1, times are ticks, texts are parsed."""
    if values.dtype.kind == "m":
        return Numbers("number", values.to_numpy("timedelta64[ns]").view(np.int64), values.isna().to_numpy())
    if values.dtype.kind == "O":
        try:
            values = pd.to_numeric(values.astype(object).where(values.notna(), np.nan))
        except (ValueError, TypeError) as error:
            raise type(error)(f"Column {name!r} of `{side}` cannot be cut: {error}. Leave it out of `continuous_column_names`.") from error
    if values.dtype.kind == "b":
        values = values.astype("Int64")
    return numbers_of(values, name, side, None)
