"""Values of which several say the same in different ways, and others look as if they did."""

from __future__ import annotations

import datetime as dt

MOMENTS = [dt.datetime(2024, 1, 31), dt.datetime(2024, 1, 31, 8, 15), dt.datetime(2024, 1, 31, 8, 15, 0, 1), None]
TEXTS: list[str | None] = [
    "a",
    " a",
    "A",
    "\u00e4\u00a0",
    "",
    "tRue",
    "False",
    "1",
    "01",
    "1.0",
    "+1",
    "1e3",
    "1000",
    "0.50",
    "1,5",
    "-99",
    "-099",
    "NA",
    None,
]
