"""Values of which several say the same in different ways, and others look as if they did; the types that polars holds them in."""

from __future__ import annotations

import datetime as dt
from typing import Any

import polars as pl

MOMENTS = [dt.datetime(2024, 1, 31), dt.datetime(2024, 1, 31, 8, 15), dt.datetime(2024, 1, 31, 8, 15, 0, 1), None]
NUMBERS = ["1", "01", "1.0", "+1", "1e3", "1000", "0.50", "1,5", "-99", "-099"]  # as texts
TEXTS: list[str | None] = ["a", " a", "A", "\u00e4\u00a0", "", "tRue", "False", *NUMBERS, "NA", None]
TIMES = ["2024-01-31", "2024-01-31 08:15", "2024-01-31T08:15:00+01:00", "2024-02-31 08:15"]
COLUMNS: dict[str, tuple[Any, list[Any]]] = {  # each of a type that files have
    "whole": (pl.Int64, [0, 1, -99, 2**53 + 1, -(2**63), None]),
    "wide": (pl.UInt64, [0, 2**63, 2**64 - 1]),
    "float": (pl.Float64, [1.0, -99.0, 0.5, 0.1, 1e19, 1e300, float("inf"), None, float("nan")]),
    "text": (pl.String, TEXTS),
    "odd": (pl.Categorical, ["9007199254740993.0", "1_000", "1e400", "inf", "-Infinity", "nan", "+-1", "9" * 25, "9" * 50, *TIMES]),
    "truth": (pl.Boolean, [True, False, None]),
    "day": (pl.Date, [dt.date(2024, 1, 31), dt.date(1900, 1, 1), None]),
    "moment": (pl.Datetime("us"), MOMENTS),
    "zoned": (pl.Datetime("us", "UTC"), [x and x.replace(tzinfo=dt.UTC) for x in MOMENTS]),
}
