"""What a label is: its kind and its missing value.

A label is plain Python (``str``, ``int``, ``float``, ``bool``, ``datetime.date``, ``pandas.Timestamp``), whatever library its
column came from; so labels from different libraries compare equal exactly when a person would say they are the same.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import total_ordering
from typing import Any, Literal

import numpy as np
import pandas as pd

Kind = Literal["number", "bool", "text", "date", "datetime", "datetime with zone", "duration", "other"]
Label = Any


@total_ordering
class Missing:
    """The one label of a missing value: equal to itself only, and after every other label of its column."""

    _instance: Missing | None = None

    def __new__(cls) -> Missing:
        """The only instance."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "missing"

    def __reduce__(self) -> str:
        return "MISSING"

    def __lt__(self, other: object) -> bool:
        return False


MISSING = Missing()


def canonical(value: Any) -> Label:
    """The plain Python label of any scalar; a number without a fraction is an ``int``, a missing value is ``MISSING``."""
    if type(value) is str or type(value) is int or type(value) is bool:
        return value
    if value is None or value is MISSING or value is pd.NA or value is pd.NaT:
        return MISSING
    if isinstance(value, (np.datetime64, np.timedelta64)):
        if np.isnat(value):
            return MISSING
        if isinstance(value, np.timedelta64):
            return pd.Timedelta(value)
        day = value.item() if np.datetime_data(value)[0] == "D" else None
        return day if isinstance(day, dt.date) else pd.Timestamp(value)  # numpy has days that Python has not
    if isinstance(value, np.generic):
        value = float(value) if isinstance(value, np.floating) else value.item()
    if isinstance(value, str):
        return str.__str__(value)  # the text itself, whatever an Enum prints in its place
    if isinstance(value, int):
        return value if isinstance(value, bool) else int(value)
    if isinstance(value, (float, Decimal, Fraction)):
        if value != value:
            return MISSING
        return int(value) if math.isfinite(value) and value == int(value) else float(value)
    if isinstance(value, dt.datetime):
        stamp = pd.Timestamp(value)
        return stamp if stamp.tzinfo is None else stamp.tz_convert("UTC")
    if isinstance(value, dt.timedelta):
        return pd.Timedelta(value)
    return value


def canonicals(values: Iterable[Any]) -> list[Label]:
    """The labels of several scalars."""
    return [canonical(x) for x in values]


def in_json(value: Any) -> str | int | float | None:
    """A number or a label as JSON knows it; one that is undefined or missing is None."""
    value = canonical(value)
    return None if value is MISSING else value if isinstance(value, (str, int, float)) else str(value)


def kind_of(label: Label) -> Kind:
    """The kind of a canonical label that is not missing."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool):  # which is an int
        return "bool"
    if isinstance(label, (int, float)):
        return "number"
    if isinstance(label, dt.datetime):  # which is a date
        return "datetime" if label.tzinfo is None else "datetime with zone"
    if isinstance(label, dt.date):
        return "date"
    return "duration" if isinstance(label, dt.timedelta) else "other"


def plain(code: Label) -> Any:
    """A label as a configuration writes it: a text, a number or a truth value."""
    return code if isinstance(code, (str, int, float)) else code.isoformat().removesuffix("T00:00:00")
