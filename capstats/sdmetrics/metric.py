"""Shared by all metrics of SDMetrics: name, goal and range; and the checks and counts of both data frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar

import pandas as pd
import xarray as xr

from capstats.cap.neighbours import Convention
from capstats.codes.checks import shown
from capstats.counting.equality import SIDES, count_by_equality
from capstats.sources.source import Query
from capstats.sources.source import check_columns as check_each

Names = Sequence[Any]

CATEGORIES = ({"sdtype": "categorical"}, {"sdtype": "numerical"}, {"sdtype": "boolean"})


class Goal(StrEnum):
    """Direction in which a score is better; equal to its string."""

    MAXIMIZE = "maximize"


class Metric:
    """Base of all metrics, with their name, goal and range."""

    name: ClassVar[str | None] = None
    goal: ClassVar[Goal] = Goal.MAXIMIZE
    min_value: ClassVar[float] = 0
    max_value: ClassVar[float] = 1

    @classmethod
    def normalize(cls, raw_score: float) -> float:
        """The score itself, which is already from 0 to 1."""
        if raw_score < cls.min_value or raw_score > cls.max_value:
            raise ValueError(f"`raw_score` must be from {cls.min_value} to {cls.max_value}; got {shown(raw_score)}.")
        return float(raw_score)

    @classmethod
    def get_subclasses(cls, include_parents: bool = False) -> dict[str, type[Metric]]:
        """The metrics derived from this one, by name; base classes are included only on request."""
        found: dict[str, type[Metric]] = {}
        for child in cls.__subclasses__():
            if include_parents or not child.__subclasses__():
                found[child.__name__] = child
            found.update(child.get_subclasses(include_parents))
        return found


def checked_frames(*tables: Any) -> tuple[pd.DataFrame, ...]:
    """The tables, checked to be data frames."""
    for side, table in zip(SIDES, tables, strict=True):
        if not isinstance(table, pd.DataFrame):
            raise ValueError(f"`real_data` and `synthetic_data` must be pandas DataFrames; `{side}` is {type(table).__name__}.")
    return tables


def check_columns(frames: Sequence[pd.DataFrame]) -> None:
    """Raise unless both frames have the same columns."""
    odd = set(frames[0].columns) ^ set(frames[1].columns)
    if odd:
        raise ValueError(
            f"`real_data` and `synthetic_data` must have the same columns; only one has {listed_of_data(odd, frames[1].columns)}. "
            f"Drop the columns that are not needed."
        )


def listed_of_data(names: set[Any], shown: Collection[Any]) -> str:
    """Names of columns as text; for those only in the original their number, since they may be the values of its first record."""
    known = sorted(map(repr, names.intersection(shown)))
    rest = len(names) - len(known)
    return ", ".join([*known, *([f"{rest} column{'s' * (rest > 1)} of `real_data`"] if rest else [])])


def check_once(frames: Sequence[pd.DataFrame], used: Names) -> None:
    """Raise an error if a used name occurs twice in a frame."""
    for side, frame in zip(SIDES, frames, strict=True):
        check_each(Query(list(used)), list(frame.columns), side)


def check_dtype(values: pd.Series, described: Any = None) -> None:
    """Raise an error for types that SDMetrics does not accept: times and complex numbers, unless the metadata call them categorical."""
    if described is None and values.dtype.kind in "mMc":
        raise TypeError(
            f"Column {values.name!r} is of an invalid data type, {values.dtype}. Give categories, numbers or booleans; "
            f"DisclosureProtection cuts datetimes into bins if `continuous_column_names` names them."
        )
    if described is not None and described not in CATEGORIES:
        raise TypeError(f"Column {values.name!r} has an invalid data type in the metadata, {described!r}; give one of {CATEGORIES}.")


def counted(
    frames: Sequence[pd.DataFrame], keys: Names, targets: Names, unmatched: Convention, bins: Mapping[Any, int]
) -> tuple[xr.DataArray, xr.DataArray] | None:
    """Counts of both frames; None where the original is empty."""
    found = count_by_equality(frames, keys, targets, bins)
    if found is not None and frames[1].empty and unmatched == "nearest":
        raise ZeroDivisionError("`synthetic_data` has no record, so there are no nearest keys.")
    return found
