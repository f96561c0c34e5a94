"""Levels that look like codes of missing values, though nobody said that they are: -99, 999, "NA", 9999-12-31.

A number is one if it is a usual code and lies far from the other numbers of its column: below 0 where no other does, or as far from the
nearest as the others span, and three times as far as any of them from the next. -1 and -2 are no evidence, since scales have them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from capstats.codes.labels import MISSING, Kind, Label, canonical, kind_of
from capstats.codes.numeric import EPOCH, point_label
from capstats.codes.spellings import MISSING_WORDS
from capstats.codes.wanted import parsed, plain_number

WORDS = (MISSING_WORDS | {"unknown", "*"}) - {"none"}  # people have none of something; Python's None is another text
_LONGEST = 9  # digits
_NINES = [int("9" * n) for n in range(1, _LONGEST + 1)]
_USUAL = sorted({x for n in _NINES for x in (n, n - 1, n - 2, n // 9 * 8, n // 9 * 7)})
CODES = np.array(sorted({-x for x in _USUAL} | set(_USUAL)))
_TEXTS = {f"{code}{end}" for code in CODES for end in ("", ".0", ".00")}
_DAYS = {
    *(dt.date(year, 12, 31) for year in (1899, 2099, 2999, 9999)),
    *(dt.date(year, 1, 1) for year in (1, 1800, 1900, 1901, 1970)),
    dt.date(1111, 11, 11),
    dt.date(1899, 12, 30),
}
_YEAR = 365  # days from the nearest other date


def likely_codes(labels: Iterable[Label] | np.ndarray | pd.Index) -> list[Label]:
    """Those of the distinct labels of one column that look like codes of missing values."""
    if isinstance(labels, (np.ndarray, pd.Index)) and labels.dtype.kind in "iuf":
        return [canonical(x) for x in _far_numbers(np.asarray(labels))]
    present = [x for x in labels if x is not MISSING]
    kind = kind_of(present[0]) if present else None
    if kind == "number":
        return [canonical(x) for x in _far_numbers(np.array([float(x) for x in present if isinstance(x, float) or abs(x) < 2**53]))]
    if kind in ("date", "datetime"):
        return _far_days(present)
    return _likely_texts(present) if kind == "text" else []


def likely_numbers(values: np.ndarray, kind: Kind | None) -> list[Label]:
    """Those of the finite values of a column that is cut (numbers, days or microseconds) that look like codes."""
    if kind == "number":
        return likely_codes(values)
    if kind not in ("date", "datetime") or not usual_ends(values, kind):
        return []
    is_code = np.isin(values, _in_units(kind))
    others = values[~is_code]
    few = [*np.unique(values[is_code]), *([others.min(), others.max()] if len(others) else [])]
    return likely_codes([point_label(int(x), kind) for x in few])


def usual_ends(values: np.ndarray, kind: Kind | None) -> bool:
    """Whether the least or the greatest of the values is a usual code, without which none is far from the others."""
    return bool(len(values)) and bool(np.isin([values.min(), values.max()], CODES if kind == "number" else _in_units(kind)).any())


def _in_units(kind: Kind | None) -> list[int]:
    return [(day.toordinal() - EPOCH.toordinal()) * (1 if kind == "date" else 86_400_000_000) for day in _DAYS]


def _far_numbers(values: np.ndarray) -> list[Any]:
    """Usual codes that are far from all other numbers."""
    values = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if not usual_ends(values, "number"):  # which is quick
        return []
    is_code = np.isin(values, CODES)
    others = np.unique(values[~is_code]).astype(float)
    if len(others) < 2:
        return []
    held = np.unique(values[is_code]).tolist()
    negative = [x for x in held[::-1] if x < others[0]]
    below = negative if others[0] >= -2 and negative and negative[0] < 0 else [-x for x in _beyond([-x for x in negative], -others[::-1])]
    above = _beyond([x for x in held if x > others[-1]], others)
    return [*sorted(below), *(above if any(str(x)[0] == "9" for x in above) else [])]


def _beyond(held: Sequence[Any], others: np.ndarray) -> list[Any]:
    """Of the codes above all others, in increasing order, those from the first that is far on."""
    greatest, widest = others[-1], np.diff(others).max()
    for i, code in enumerate(held):
        if code - greatest >= max(greatest - others[0], 3 * widest):
            return list(held[i:])
        greatest, widest = code, max(widest, code - greatest)
    return []


def _far_days(labels: Sequence[Label]) -> list[Label]:
    """Usual dates that are a year or more from all others."""
    found = {x: parsed(x, "date") for x in labels}
    held = [x for x, day in found.items() if day in _DAYS]
    others = [x for x in labels if found[x] not in _DAYS]
    if not held or len(others) < 2:
        return []
    least, greatest = min(others).toordinal(), max(others).toordinal()
    return sorted(x for x in held if least - x.toordinal() >= _YEAR or x.toordinal() - greatest >= _YEAR)


def _likely_texts(labels: Sequence[str]) -> list[Label]:
    """Words for missing values; and texts of usual codes, by the numbers or dates that the others are, or where no other is one."""
    words = [x for x in labels if x == "None" or x.strip().casefold() in WORDS]
    if _TEXTS.isdisjoint(labels) and {day.isoformat() for day in _DAYS}.isdisjoint(labels):
        return words
    others = [x for x in labels if x not in words]
    numbers, dates = {x: plain_number(x) for x in others}, {x: parsed(x, "date") for x in others}
    if MISSING not in numbers.values():
        far = _far_numbers(np.array(list(numbers.values()), float))
        return words + [x for x, number in numbers.items() if number in far]
    if MISSING not in dates.values():
        days = _far_days(list(dates.values()))
        return words + [x for x, day in dates.items() if day in days]
    held = [x for x in others if x in _TEXTS]
    return words + ([x for x in held if len(x) > 1] if len(held) == sum(x is not MISSING for x in numbers.values()) else [])
