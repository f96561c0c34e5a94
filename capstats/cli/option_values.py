"""Values of options as the command line writes them: names, types, bins, weights, limits, numbers of columns."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def names(texts: Sequence[str]) -> list[str]:
    """Names separated by commas, without the spaces around them."""
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def table_labels(files: Sequence[str]) -> list[str]:
    """Short names of files: without their folders if these names differ."""
    places = [Path(file).resolve() for file in files]
    twice = [file for file, place in zip(files, places, strict=True) if places.count(place) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} is given twice. Name each synthetic file once.")
    short = [Path(file).name for file in files]
    return short if len(set(short)) == len(short) else list(files)


def types(texts: Sequence[str], single: Sequence[str]) -> dict[str, str | list[str]]:
    """``a=number,b=low|high``, cut at its commas, and single ones, which may hold commas."""
    found: dict[str, str | list[str]] = {}
    for part in [*(part.strip() for text in texts for part in text.split(",")), *single]:
        column, equals, wanted = part.rpartition("=")
        if not equals or not column:
            raise ValueError(
                f"--types must be COLUMN=TYPE, several separated by commas; got {part!r}. Give what has a comma in it to --type, by itself."
            )
        if column in found:
            raise ValueError(f"the type of column {column!r} is given twice. Give it once.")
        found[column] = wanted.split("|") if "|" in wanted else wanted
    return found


def codes(texts: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """``NA``, a code for all columns, and ``a=-99,-98``, those of one column."""
    of_all = [text for text in texts if "=" not in text]
    found: dict[str, list[str]] = {}
    for column, equals, several in (text.rpartition("=") for text in texts):
        if equals and (not column or column in found):
            raise ValueError(f"--null-values must be CODE, or COLUMN=CODE,... once for each column; got {f'{column}={several}'!r}.")
        if equals:
            found[column] = [part.strip() for part in several.split(",")]
    return {**({"*": of_all} if of_all else {}), **found} if found else of_all


def bins(single: Sequence[str]) -> dict[str, Any]:
    """``a=10``, ``a=quantile:4`` or ``a=18|65``, each a column and where it is cut."""
    found: dict[str, Any] = {}
    for part in single:
        column, _, wanted = part.rpartition("=")
        how, colon, number = wanted.rpartition(":")
        if not column or column in found:
            raise ValueError(f"--bin must be COLUMN=BINS, once for each column; got {part!r}.")
        if "|" in wanted:
            found[column] = [point for point in wanted.split("|") if point]
        elif number.isdecimal() and (how, colon) in (("", ""), ("quantile", ":")):
            found[column] = {how: int(number)} if how else int(number)
        else:
            raise ValueError(
                f"--bin must say a number of bins (age=10), quantiles (age=quantile:4) or cut points (age='18|65', one of them age='18|'); "
                f"got {part!r}."
            )
    return found


def by_table(texts: Sequence[str], flag: str) -> str | dict[str, str]:
    """One column for all tables; or one each for original, synthetic and holdout. An empty one says that the table has none."""
    text = texts[-1]
    if "," not in text:
        return text
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 3 or not any(parts):
        raise ValueError(f"{flag} must be one column, or two or three (for a holdout) separated by commas; got {text!r}.")
    return dict(zip(("original", "synthetic", "holdout"), parts, strict=False))


def limits(texts: Sequence[str]) -> dict[str, float]:
    """``average_cap=0.5``, each a measure and the greatest value at which the command succeeds."""
    found = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.rpartition("="))
        if name in found:
            raise ValueError(f"the limit of {name!r} is given twice. Give it once.")
        found[name] = _finite(value, f"--fail-above must be MEASURE=VALUE with a number as its value; got {text!r}")
        if not name:
            raise ValueError(f"--fail-above must be MEASURE=VALUE; got {text!r}.")
    return found


def utility(texts: Sequence[str]) -> dict[str, float | dict[str, float]]:
    """``pmse=0.1``, or ``pmse=a.csv:0.1,b.csv:0.2`` of several synthetic tables."""
    found: dict[str, float | dict[str, float]] = {}
    for text in texts:
        name, equals, numbers = text.partition("=")
        must = f"--utility must be NAME=NUMBER, or NAME=FILE:NUMBER,FILE:NUMBER for several synthetic tables; got {text!r}"
        if not name or not equals or name in found:
            raise ValueError(f"{must}{', a second time' if name in found else ''}.")
        if ":" not in numbers:
            found[name] = _finite(numbers, must)
            continue
        pairs = [part.rpartition(":") for part in numbers.split(",")]
        of_tables = {label.strip(): _finite(value, must) for label, _, value in pairs}
        if len(of_tables) < len(pairs):
            raise ValueError(f"{must}, which names a table twice.")
        found[name] = of_tables
    return found


def of_columns(texts: Sequence[str], flag: str) -> float | dict[str, float]:
    """A number for all columns, or ``a=1`` for each."""
    must = f"{flag} must be a number, or COLUMN=NUMBER once for each column; got {texts[-1]!r}"
    if len(texts) == 1 and "=" not in texts[0]:
        return _finite(texts[0], must)
    pairs = [text.rpartition("=") for text in texts]
    if not all(column for column, _, _ in pairs) or len({column for column, _, _ in pairs}) < len(pairs):
        raise ValueError(f"{must}.")
    return {column: _finite(value, must) for column, _, value in pairs}


def _finite(text: str, must: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{must}.")
    return value


def whole(text: str) -> int:
    """A number that counts something."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number, 0 or more; got {text!r}")
    return int(text)


def wholes(texts: Sequence[str]) -> list[int]:
    """Whole numbers separated by commas."""
    parts = names(texts)
    if not parts or not all(part.isdecimal() for part in parts):
        raise ValueError(f"--releases must be whole numbers separated by commas; got {','.join(texts)!r}.")
    return list(map(int, parts))
