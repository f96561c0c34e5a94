"""Kinds of values that options have: their form on the command line, and their type in a configuration."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin

from capstats.codes.by_table import ALL


@dataclass(frozen=True)
class Kind:
    """A kind of values, and how they are read."""

    must: str  # the rule for a value in a configuration, for messages
    type: Any
    read: Callable[..., Any] | None = None  # reads the texts of an option that may be repeated, and those of its single form
    parse: Callable[[str], Any] | None = None  # reads a single text of the command line
    is_path: bool = False  # relative to the configuration
    is_input: bool = False  # a path that is read
    commas: bool = False  # whether an option takes several values, separated by commas
    of_columns: bool = False  # whether values are by column, and may also be by table


def fits(value: Any, wanted: Any) -> bool:
    """Whether a value of a configuration is of a type; an int is at least 0, a float is finite, and no list or table is empty."""
    parts = get_args(wanted)
    if isinstance(wanted, UnionType):
        return any(fits(value, part) for part in parts)
    if get_origin(wanted) is Literal:
        return value in parts
    if get_origin(wanted) is list:
        return isinstance(value, list) and bool(value) and all(fits(x, parts[0]) for x in value)
    if get_origin(wanted) is dict:
        return isinstance(value, dict) and bool(value) and all(fits(name, parts[0]) and fits(x, parts[1]) for name, x in value.items())
    if wanted in (str, bool) or isinstance(value, bool):
        return type(value) is wanted
    return isinstance(value, int) and value >= 0 if wanted is int else isinstance(value, (int, float)) and abs(value) <= sys.float_info.max


def cut(texts: Sequence[str]) -> list[str]:
    """Parts of texts between commas, without the spaces around them."""
    return [part.strip() for text in texts for part in text.split(",")]


def names(texts: Sequence[str], single: Sequence[str] = ()) -> list[str]:
    """Names separated by commas, and single names, which may contain commas."""
    return [*filter(None, cut(texts)), *single]


def table_labels(files: Sequence[str]) -> list[str]:
    """Short names of files: without their folders if these names differ."""
    places = [Path(file).resolve() for file in files]
    twice = [file for file, place in zip(files, places, strict=True) if places.count(place) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} is given twice. Name each synthetic file once.")
    short = [Path(file).name for file in files]
    return short if len(set(short)) == len(short) else list(files)


def _pairs(texts: Sequence[str], must: str, twice: str = "", split: Callable[[str, str], Any] = str.rpartition) -> dict[str, str]:
    """``NAME=VALUE`` pairs; an error where a name is empty or given twice."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = split(text, "=")
        if not name or not equals or name in found:
            raise ValueError((twice or must if name in found else must).format(text=text, name=name))
        found[name] = value
    return found


def types(texts: Sequence[str], single: Sequence[str]) -> dict[str, str | list[str]]:
    """``a=number,b=low|high``, split at commas, and single types, which may contain commas."""
    must = "--types must be COLUMN=TYPE, several separated by commas; got {text!r}. Give what has a comma in it to --type, by itself."
    found = _pairs([*cut(texts), *single], must, "the type of column {name!r} is given twice. Give it once.")
    return {column: wanted.split("|") if "|" in wanted else wanted for column, wanted in found.items()}


def renames(texts: Sequence[str]) -> dict[str, str]:
    """``AGE=age``, the old name and the new one; ``synthetic.AGE=age`` in one table."""
    return _pairs(texts, "--rename must be OLD=NEW, or TABLE.OLD=NEW, once for each column; got {text!r}.")


def of_tables(texts: Sequence[str], flag: str, read: Callable[[str], Any] = str) -> Any:
    """A value for all tables, and ``synthetic=value`` for one."""
    pairs = [text.rpartition("=") for text in texts]
    must = f"{flag} must be VALUE, or TABLE=VALUE, once for each table; got {{!r}}."
    found: dict[str, Any] = {}
    for text, (table, equals, value) in zip(texts, pairs, strict=True):
        if not value or bool(equals) != bool(table) or (table or ALL) in found:
            raise ValueError(must.format(text))
        found[table or ALL] = read(value)
    return found[ALL] if set(found) == {ALL} else found


def split_tables(value: Any, tables: Sequence[str]) -> Any:
    """Options by column; those for ``table.column`` are put under the table, those for ``*.column`` under all tables."""
    if not isinstance(value, dict):
        return value
    own: dict[str, dict[str, Any]] = {}
    found: dict[str, Any] = {}
    for name, x in value.items():
        table = max((table for table in (*tables, ALL) if name.startswith(f"{table}.")), key=len, default=None)
        column = name if table is None else name[len(table) + 1 :]
        (found if table in (None, ALL) else own.setdefault(table, {}))[column] = x
    if both := sorted(found.keys() & own):
        raise ValueError(f"{both[0]!r} is a column and a table here. Give this option in a configuration.")
    return {**found, **own}


def codes(texts: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """``NA``, a code for all columns, and ``a=-99,-98``, codes for one column."""
    of_all = [text for text in texts if "=" not in text]
    must = "--null-values must be CODE, or COLUMN=CODE,... once for each column; got {text!r}."
    found = {column: cut([several]) for column, several in _pairs([text for text in texts if "=" in text], must).items()}
    return {**({"*": of_all} if of_all else {}), **found} if found else of_all


def bins(texts: Sequence[str]) -> dict[str, Any]:
    """``a=10``, ``a=quantile:4`` or ``a=18|65``: a column and its bins."""
    found: dict[str, Any] = {}
    for column, wanted in _pairs(texts, "--bin must be COLUMN=BINS, once for each column; got {text!r}.").items():
        how, colon, number = wanted.rpartition(":")
        if "|" in wanted:
            found[column] = [point for point in wanted.split("|") if point]
        elif number.isdecimal() and (how, colon) in (("", ""), ("quantile", ":")):
            found[column] = {how: int(number)} if how else int(number)
        else:
            raise ValueError(
                f"--bin must say a number of bins (age=10), quantiles (age=quantile:4) or cut points (age='18|65', one of them age='18|'); "
                f"got {f'{column}={wanted}'!r}."
            )
    return found


def by_table(texts: Sequence[str], flag: str) -> str | dict[str, str]:
    """One column for all tables; or one each for original, synthetic and holdout. An empty name means that the table has none."""
    text = ",".join(texts)
    if "," not in text:
        return text
    parts = cut([text])
    if len(texts) > 1 or len(parts) > 3 or not any(parts):
        raise ValueError(f"{flag} must be one column, or two or three (for a holdout) separated by commas; got {text!r}.")
    return dict(zip(("original", "synthetic", "holdout"), parts, strict=False))


def limits(texts: Sequence[str]) -> dict[str, float]:
    """``average_cap_nearest=0.5``: a measure and the greatest value for which the command succeeds."""
    must = "--fail-above must be MEASURE=VALUE with a number as its value; got {text!r}."
    bare = [re.sub(r"\s*=\s*(?=[^=]*$)", "=", text.strip()) for text in texts]  # without spaces around the name and the value
    found = _pairs(bare, must, "the limit of {name!r} is given twice. Give it once.")
    return {name: _finite(value, must.format(text=f"{name}={value}")) for name, value in found.items()}


def utility(texts: Sequence[str]) -> dict[str, float | dict[str, float]]:
    """``pmse=0.1``, or ``pmse=a.csv:0.1,b.csv:0.2`` of several synthetic tables."""
    must = "--utility must be NAME=NUMBER, or NAME=FILE:NUMBER,FILE:NUMBER for several synthetic tables; got {text!r}"
    given = _pairs(texts, f"{must}.", f"{must}, a second time.", split=str.partition)
    found: dict[str, float | dict[str, float]] = {}
    for name, numbers in given.items():
        wrong = f"{must}.".format(text=f"{name}={numbers}")
        if ":" not in numbers:
            found[name] = _finite(numbers, wrong)
            continue
        pairs = [part.rpartition(":") for part in numbers.split(",")]
        found[name] = of_tables = {label.strip(): _finite(value, wrong) for label, _, value in pairs}
        if len(of_tables) < len(pairs):
            raise ValueError(f"{wrong[:-1]}, which names a table twice.")
    return found


def of_columns(texts: Sequence[str]) -> float | dict[str, float]:
    """A number for all columns, or ``a=1`` for each."""
    must = "--within must be a number, or COLUMN=NUMBER once for each column; got {text!r}."
    if len(texts) == 1 and "=" not in texts[0]:
        return _finite(texts[0], must.format(text=texts[0]))
    return {column: _finite(value, must.format(text=f"{column}={value}")) for column, value in _pairs(texts, must).items()}


def _finite(text: str, must: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(must)
    return value


def whole(text: str) -> int:
    """A whole number, at least 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number, 0 or more; got {text!r}")
    return int(text)


def shown_or_file(text: str) -> bool | str:
    """The path of a file of JSON; True where there is none, so that it is printed."""
    if text and not text.lower().endswith(".json"):
        raise argparse.ArgumentTypeError(f"FILE must end in .json; got {text!r}")
    return text or True


def wholes(texts: Sequence[str]) -> list[int]:
    """Whole numbers separated by commas."""
    parts = names(texts)
    if not parts or not all(part.isdecimal() for part in parts):
        raise ValueError(f"--n-releases must be whole numbers separated by commas; got {','.join(texts)!r}.")
    return list(map(int, parts))


def _lines(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"--skip must be a whole number of lines, or TABLE=NUMBER; got {text!r}.")
    return int(text)


CODES = str | float | list[str | float]
TYPE = str | list[str | float | bool]
LISTED = str | list[str]  # a single text is a list of one
LIMIT = float | dict[str, str | float]
BINS = int | dict[Literal["quantile"], int] | list[str | float]
OF_TABLES = "a text, or a table with a text for each table", str | dict[str, str]
BY_TABLE = (
    "a column, or a table with columns for original, synthetic and holdout",
    str | dict[Literal["original", "synthetic", "holdout"], str],
)


def _of_columns(of: Any) -> Any:
    """A table of columns, and one of such tables."""
    return dict[str, of | dict[str, of]]


KINDS = {
    "text": Kind("a text", str),
    "flag": Kind("true or false", bool),
    "json": Kind("true or false, or the path of a file", bool | str, parse=shown_or_file, is_path=True),
    "whole": Kind("a whole number, 0 or more", int, parse=whole),
    "path": Kind("the path of a file", str, is_path=True),
    "input": Kind("the path of a file", str, is_path=True, is_input=True),
    "inputs": Kind("the path of a file, or a list of them", LISTED, is_path=True, is_input=True),
    "texts": Kind("a text, or a list of them", LISTED),
    "names": Kind("a column, or a list of them", LISTED, names, commas=True),
    "codes": Kind("a code, a list of codes, or a table of columns with their codes", CODES | _of_columns(CODES), codes, of_columns=True),
    "types": Kind(
        "a table of columns, each with its type or the list of its levels in order", _of_columns(TYPE), types, commas=True, of_columns=True
    ),
    "renames": Kind("a table of old names, each with the new one", _of_columns(str), renames, of_columns=True),
    **{name: Kind(*OF_TABLES, partial(of_tables, flag=f"--{name}")) for name in ("encoding", "decimal", "sheet")},
    "skip": Kind(
        "a whole number, 0 or more, or a table with one for each", int | dict[str, int], partial(of_tables, flag="--skip", read=_lines)
    ),
    "bins": Kind("a table of columns, each with a number of bins, {quantile = number} or a list of cut points", dict[str, BINS], bins),
    "weights": Kind(*BY_TABLE, partial(by_table, flag="--weights"), commas=True),
    "counts": Kind(*BY_TABLE, partial(by_table, flag="--counts"), commas=True),
    "limits": Kind("a table of measures, each with its limit, or with a table of limit, audience, why and who", dict[str, LIMIT], limits),
    "utility": Kind(
        "a table of names, each with a number, or with a table of numbers by synthetic table", dict[str, float | dict[str, float]], utility
    ),
    "numbers": Kind("a number, or a table of columns with their numbers", float | dict[str, float], of_columns),
    "widths": Kind("a list of widths", list[str | float], names, commas=True),
    "wholes": Kind("a list of whole numbers", list[int], wholes, commas=True),
}
