"""The types that the argument `types` asks for: conversion of labels, and the error for labels that do not convert."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, Literal

import pandas as pd

from capstats.codes.arguments import said
from capstats.codes.by_table import key_of
from capstats.codes.labels import MISSING, Label, canonical, kind_of

TypeName = Literal["number", "text", "bool", "date", "datetime"]


Type = TypeName | Sequence[Hashable]


NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?", re.IGNORECASE)


_WHOLE = re.compile(r"\s*([+-]?[0-9]+)(?:\.0*)?\s*")
_PLAIN = re.compile(f"(?![+-]?0[0-9])(?:{NUMBER.pattern})", re.IGNORECASE)  # no zeros or spaces before it


DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9].*")


TRUTH = {"true": True, "t": True, "yes": True, "1": True, "false": False, "f": False, "no": False, "0": False}


def _number(x: Label) -> Label:
    if isinstance(x, bool):
        return int(x)
    if isinstance(x, (int, float)):
        return x
    if whole := _WHOLE.fullmatch(x):
        return int(whole[1])
    if NUMBER.fullmatch(x.strip()):
        number = canonical(float(x))
        if "inf" in x.lower() or number not in (math.inf, -math.inf):  # 1e400 is a number, but not one that a float holds
            return number
    raise ValueError(x)


def _bool(x: Label) -> Label:
    return TRUTH[str(x).strip().lower()]


def _date(x: Label) -> Label:
    if isinstance(x, dt.datetime):
        if x.tzinfo is not None or x != pd.Timestamp(x.date()):
            raise ValueError(x)
        return x.date()
    return x if isinstance(x, dt.date) else dt.date.fromisoformat(x.strip())


def _datetime(x: Label) -> Label:
    if isinstance(x, str):
        dt.datetime.fromisoformat(x.strip())  # pandas alone would also read "now", "nan", "12:30" and "01/02/2024"
        return canonical(pd.Timestamp(x.strip()))
    if isinstance(x, dt.date):
        return canonical(pd.Timestamp(x))
    raise ValueError(x)


PARSERS: dict[str, Callable[[Label], Label]] = {"number": _number, "text": str, "bool": _bool, "date": _date, "datetime": _datetime}


_UNPARSED = (ValueError, KeyError, TypeError, OverflowError, AttributeError)  # what parsers raise


ENOUGH = 10  # records that hold a label before it is shown in a message


_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+")
_EXAMPLES = {"date": " such as 2024-01-31", "datetime": " such as 2024-01-31 08:15:00", "bool": " such as true, yes, 1, false, no, 0"}


def type_name(declared: Type) -> str:
    """The name of a type; of a list of levels that of their kind."""
    if isinstance(declared, str):
        return declared
    return kind_of(canonical(next(iter(declared)))).removesuffix(" with zone")


def parsed(label: Label, declared: Type) -> Label:
    """A label converted to the declared type; ``MISSING`` where it does not parse."""
    try:
        return PARSERS.get(type_name(declared), canonical)(label)
    except _UNPARSED:
        return MISSING


def values_of(labels: Iterable[Label], decimal: str) -> list[Label]:
    """What labels stand for: numbers, truth values as 1 and 0, dates and times as texts; other texts without spaces around them."""
    return [x if type(x) is float or type(x) is int else _value(x, decimal) for x in labels]


def _value(label: Label, decimal: str) -> Label:
    if isinstance(label, str):
        text = label.strip()
        if NUMBER.fullmatch(number := text.replace(decimal, ".")):
            read = parsed(number, "number")
        else:
            read = parsed(text, "datetime") if DATETIME.fullmatch(text) else MISSING
        return {"true": 1, "false": 0}.get(text.lower(), text) if read is MISSING else _value(read, decimal)
    if isinstance(label, dt.date):  # or a datetime
        return label.isoformat().removesuffix("T00:00:00")
    return label if label is MISSING or isinstance(label, (int, float)) else str(label)


@lru_cache(1 << 15)  # the same labels are read for several questions
def plain_number(text: str) -> Label:
    """The number that a text is, without zeros or spaces before it; ``MISSING`` where it is none."""
    return parsed(text, "number") if _PLAIN.fullmatch(text) else MISSING


def all_read(labels: Sequence[Any], read: Callable[[Any], Label]) -> list[Label] | None:
    """What ``read`` makes of each label; None where it makes ``MISSING`` of one, after which no other is read."""
    found = list(takewhile(lambda x: x is not MISSING, map(read, labels)))
    return found if len(found) == len(labels) else None


def as_type(labels: Sequence[Label], declared: Type, column: str, table: str, records: Sequence[float] | None = None) -> list[Label]:
    """Labels converted to the declared type; raise where some do not parse.

    ``records`` is how many records hold each label, so that only what enough of them hold is shown; None where the labels are no data.
    """
    name = type_name(declared)
    result = [MISSING if label is MISSING else parsed(label, name) for label in labels]
    wrong = [i for i, label in enumerate(labels) if result[i] is MISSING and label is not MISSING]
    rule = f"a {name}{_EXAMPLES.get(name, '')}"
    if not isinstance(declared, str) and not wrong:
        levels = [canonical(x) for x in declared]
        wrong = [i for i, label in enumerate(result) if label is not MISSING and label not in levels]
        rule = f"among the levels that `types` lists: {', '.join(map(repr, levels[:20]))}{', ...' if len(levels) > 20 else ''}"
    if wrong:
        held = None if records is None else [records[i] for i in wrong]
        raise wrong_labels([labels[i] for i in wrong], held, rule, column, table)
    return result


def wrong_labels(labels: Sequence[Label], records: Sequence[float] | None, rule: str, column: str, table: str) -> ValueError:
    """The error for labels of a column that are not what they must be; of data it shows only one that enough records hold."""
    remedy = ""
    if rule == "a number" and (kind := next((name for name in ("date", "datetime") if _all_are(labels, name)), None)):
        remedy = f"Text of {kind}s needs a type: {said(types={column: kind})}. "
    elif rule == "a number" and all(isinstance(x, str) and "." not in x for x in labels):
        texts = [str(x).strip() for x in labels]
        if all(NUMBER.fullmatch(x.replace(",", ".")) for x in texts):
            comma = said(decimal={key_of(table): ","})
            remedy = f"In CSV, numbers with a decimal comma need {comma}. Elsewhere, {with_points(column)} in Python. "
        if all(map(_THOUSANDS.fullmatch, texts)):
            remedy = f"If they are before decimals: {remedy}" if remedy else ""
            remedy = f"If the commas separate thousands, {with_points(column, '')} in Python. {remedy}"
    if records is None:
        return ValueError(f"Column {column!r} of `{table}` holds {labels[0]!r}, which is not {rule}. {remedy.strip() or 'Correct it.'}")
    n, most = sum(records), max(range(len(labels)), key=lambda i: records[i])
    levels = f"{len(labels):,} level{'s' if len(labels) > 1 else ''} ({n:,.10g} record{'' if n == 1 else 's'})"
    shown = f", such as {labels[most]!r}" if records[most] >= ENOUGH else f" (levels that fewer than {ENOUGH} records hold are not shown)"
    return ValueError(
        f"Column {column!r} of `{table}` holds {levels} {'that are' if len(labels) > 1 else 'that is'} not {rule}{shown}. "
        f"{remedy}{'Otherwise correct' if remedy else 'Correct'} the values, name those that mean missing in `null_values`, or give the "
        f"column another type in `types`."
    )


def with_points(column: str, instead: str = ".") -> str:
    """The line of Python that makes a point of the decimal comma, which only CSV has an option for."""
    return f"table[{column!r}] = table[{column!r}].str.replace(',', {instead!r})"


def _all_are(labels: Sequence[Label], name: str) -> bool:
    """Whether all labels parse as the type of this name."""
    return all_read(labels, lambda x: parsed(x, name) if isinstance(x, str) else MISSING) is not None
