"""Kinds of values that options have: how the command line writes them, and what they must be in a configuration."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from capstats.cli import option_values as read


@dataclass(frozen=True)
class Kind:
    """How a value is read."""

    must: str  # what a value in a configuration must be
    holds: Callable[[Any], bool]
    texts: Callable[[str, list[str], list[str]], Any] | None = None  # of an option: its name, its texts, and those given one by one
    parse: Callable[[str], Any] | None = None  # of a single text of the command line
    is_path: bool = False  # relative to the configuration

    @property
    def repeated(self) -> bool:
        """Whether the option may be given several times."""
        return self.texts is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_code(value: Any) -> bool:
    return _is_text(value) or _is_number(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _list_of(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and bool(value) and all(map(holds, value))


def _table_of(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and bool(value) and all(map(holds, value.values()))


def _or(*checks: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: any(check(value) for check in checks)


def _is_quantile(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"quantile"} and _is_whole(value["quantile"])


def _is_by_table(value: Any) -> bool:
    return _table_of(_is_text)(value) and set(value) <= {"original", "synthetic", "holdout"}


TEXT = Kind("a text", _is_text)
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
WHOLE = Kind("a whole number, 0 or more", _is_whole, parse=read.whole)
PATH = Kind("the path of a file", _is_text, is_path=True)
PATHS = Kind("the path of a file, or a list of them", _or(_is_text, _list_of(_is_text)), lambda _, texts, __: texts, is_path=True)
TEXTS = Kind("a text, or a list of them", _or(_is_text, _list_of(_is_text)), lambda _, texts, __: texts)
NAMES = Kind("a column, or a list of them", _or(_is_text, _list_of(_is_text)), lambda _, texts, single: [*read.names(texts), *single])
CODES = Kind(
    "a code, a list of codes, or a table of columns with theirs",
    _or(_is_code, _list_of(_is_code), _table_of(_or(_is_code, _list_of(_is_code)))),
    lambda _, texts, __: read.codes(texts),
)
TYPES = Kind(
    "a table of columns, each with its type or the list of its levels in order",
    _table_of(_or(_is_text, _list_of(_or(_is_text, _is_number, lambda value: isinstance(value, bool))))),
    lambda _, texts, single: read.types(texts, single),
)
BINS = Kind(
    "a table of columns, each with a number of bins, {quantile = number} or a list of cut points",
    _table_of(_or(_is_whole, _is_quantile, _list_of(_or(_is_text, _is_number)))),
    lambda _, texts, __: read.bins(texts),
)
BY_TABLE = Kind(
    "a column, or a table with columns for original, synthetic and holdout",
    _or(_is_text, _is_by_table),
    lambda flag, texts, _: read.by_table(texts, flag),
)
LIMITS = Kind("a table of measures, each with its limit", _table_of(_is_number), lambda _, texts, __: read.limits(texts))
UTILITY = Kind(
    "a table of names, each with a number, or with a table of the synthetic tables and their numbers",
    _table_of(_or(_is_number, _table_of(_is_number))),
    lambda _, texts, __: read.utility(texts),
)
OF_COLUMNS = Kind(
    "a number, or a table of columns with their numbers",
    _or(_is_number, _table_of(_is_number)),
    lambda flag, texts, _: read.of_columns(texts, flag),
)
WIDTHS = Kind("a list of widths", _list_of(_or(_is_text, _is_number)), lambda _, texts, __: read.names(texts))
WHOLES = Kind("a list of whole numbers", _list_of(_is_whole), lambda _, texts, __: read.wholes(texts))
