"""Values of command line options: names, types, bins, weights, limits."""

from __future__ import annotations

import argparse
import math
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from capstats.auditing.audits import Audit
from capstats.auditing.measures import MEASURES, OF_HOLDOUT
from capstats.tables.ties import at_most


def names(texts: Sequence[str]) -> list[str]:
    """Names separated by commas, without the spaces around them."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def table_labels(files: Sequence[str]) -> list[str]:
    """Short names of files: without their folders if these names differ."""
    twice = [file for file in files if files.count(file) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} is given twice. Name each synthetic file once.")
    short = [Path(file).name for file in files]
    return short if len(set(short)) == len(short) else list(files)


def types(text: str | None, single: Sequence[str]) -> dict[Hashable, Any] | None:
    """``a=number,b=low|high``, cut at its commas, and single ones, which may hold commas."""
    found: dict[Hashable, Any] = {}
    for part in [*([] if text is None else map(str.strip, text.split(","))), *single]:
        column, equals, wanted = part.rpartition("=")
        if not equals or not column:
            raise ValueError(
                f"--types must be COLUMN=TYPE, several separated by commas; got {part!r}. Give what has a comma in it to --type, by itself."
            )
        if column in found:
            raise ValueError(f"the type of column {column!r} is given twice. Give it once.")
        found[column] = wanted.split("|") if "|" in wanted else wanted
    return found or None


def bins(single: Sequence[str]) -> dict[Hashable, Any] | None:
    """``a=10``, ``a=quantile:4`` or ``a=18|65``, each a column and where it is cut."""
    found: dict[Hashable, Any] = {}
    for part in single:
        column, _, wanted = part.rpartition("=")
        how, colon, number = wanted.rpartition(":")
        if not column or column in found:
            raise ValueError(f"--bin must be COLUMN=BINS, once for each column; got {part!r}.")
        if "|" in wanted:
            found[column] = [point for point in wanted.split("|") if point]
        elif number.isdecimal() and (how, colon) in (("", ""), ("quantile", ":")):
            found[column] = (how, int(number)) if how else int(number)
        else:
            raise ValueError(
                f"--bin must say a number of bins (age=10), quantiles (age=quantile:4) or cut points (age='18|65', one of them age='18|'); "
                f"got {part!r}."
            )
    return found or None


def by_table(text: str | None, flag: str, tables: int) -> Any:
    """One column for all tables, or one for each of two, and of the holdout where there is a third."""
    if text is None or "," not in text:
        return text
    parts = tuple(part.strip() or None for part in text.split(","))
    if not 2 <= len(parts) <= tables or not any(parts):
        many = "two separated by a comma" if tables == 2 else "two or three separated by commas"
        raise ValueError(f"{flag} must be one column, or {many}; got {text!r}.")
    return parts


def limits(texts: Sequence[str], *, holdout: bool) -> dict[str, float]:
    """``average_cap=0.5``, each a measure and the greatest value at which the command succeeds."""
    known = [name for name in MEASURES if holdout or name not in OF_HOLDOUT]
    found = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.rpartition("="))
        if name not in known:
            need = f"{name} needs --holdout. " if name in OF_HOLDOUT else ""
            raise ValueError(f"--fail-above must be MEASURE=VALUE; got {text!r}. {need}The measures are {', '.join(known)}.")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = math.nan
        if not math.isfinite(found[name]):
            raise ValueError(f"--fail-above must be MEASURE=VALUE with a number as its value; got {text!r}.")
    return found


def exceeded(found: Audit, limits: Mapping[str, float]) -> list[str]:
    """The measures that are above their limit or undefined, for each synthetic table."""
    told = []
    for name, limit in limits.items():
        values = np.atleast_1d(found.measures[name].values) if name in found.measures else np.array([np.nan])
        of = [f" of {label!r}" for label in found.columns] if len(values) > 1 else [""]
        for where, value in zip(of, values.tolist(), strict=True):
            if not at_most(value, limit):
                told.append(f"{name}{where} is {'undefined' if value != value else f'{value:.10g}'} (limit {limit:.10g})")
    return told


def whole(text: str) -> int:
    """A number that counts something."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number, 0 or more; got {text!r}")
    return int(text)
