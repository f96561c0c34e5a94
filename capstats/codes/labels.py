"""What a label is: its kind, its missing value, its order, and the types a caller may ask for.

A label is plain Python (``str``, ``int``, ``float``, ``bool``, ``datetime.date``, ``pandas.Timestamp``), whatever library its
column came from; so labels from different libraries compare equal exactly when a person would say they are the same.
"""

from __future__ import annotations

import datetime as dt
import difflib
import math
import re
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Kind = Literal["number", "bool", "text", "date", "datetime", "datetime with zone", "duration", "other"]
TypeName = Literal["number", "text", "bool", "date", "datetime"]
Type = TypeName | Sequence[Hashable]
Label = Any


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

    def __le__(self, other: object) -> bool:
        return other is self

    def __gt__(self, other: object) -> bool:
        return other is not self

    def __ge__(self, other: object) -> bool:
        return True


MISSING = Missing()

# What a column or a level may not be called: dims, variables and arguments of the tables and results that it would hide.
_RESULTS = (
    "o s h key target original synthetic holdout draw keyset quantile at radius distance tau reason least greatest average_cap change "
    "individual_cap nearest_distance minimal_cells weap prosecutor_risk "
    "o_records o_squares s_records s_squares h_records h_squares"
)
_OF_KEYS = "records synthetic_records matched share certain original_certain correct cap disclosed unique replicated"
_OF_CELLS = "o_counted o_excluded o_report s_counted s_excluded s_report flagged column label"
_OF_BOXES = (
    "lower_whisker lower_quartile median upper_quartile upper_whisker average original_cap individual "
    "average_rank baseline_cap outliers outlier_records"
)
_SELECTION = "indexers method tolerance drop missing_dims"
RESERVED = frozenset(f"{_RESULTS} {_OF_KEYS} {_OF_CELLS} {_OF_BOXES} {_SELECTION}".split())


def free_name(column: Hashable, taken: Iterable[Hashable]) -> str:
    """The name under which a column is stored: its own, or with a trailing ``_`` (more until it is free)."""
    taken = set(taken)
    name = column if isinstance(column, str) else f"{column}_"
    while not name or name in RESERVED or name in taken:
        name += "_"
    return name


def hint(name: Hashable, names: Iterable[Hashable]) -> str:
    """The end of an error message about an unknown name: the nearest known one, or all of them."""
    known = list(names)
    if not known:
        return " It has none."
    folded = {str(n).casefold(): n for n in reversed(known)}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1)
    if near:
        return f" Did you mean {folded[near[0]]!r}?"
    return f" It has {', '.join(map(repr, known[:20]))}{', ...' if len(known) > 20 else ''}."


# --- canonical labels and their kinds ---------------------------------------------------------------------------------


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
        return str(value)
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


def kind_of(label: Label) -> Kind:
    """The kind of a canonical label that is not missing."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool):
        return "bool"
    if isinstance(label, (int, float)):
        return "number"
    if isinstance(label, dt.datetime):
        return "datetime" if label.tzinfo is None else "datetime with zone"
    if isinstance(label, dt.date):
        return "date"
    if isinstance(label, dt.timedelta):
        return "duration"
    return "other"


def one_kind(labels: Iterable[Label], column: Hashable, table: str, *, typed: bool = True) -> Kind | None:
    """The kind that all labels of a column share, None where there is no label but ``MISSING``; ``typed`` where `types` can mend it."""
    kinds: dict[Kind, None] = {}
    labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    types = set(map(type, labels))
    if types <= {int, float} or types == {str}:  # the usual ones, without a look at each
        labels = labels[:1]
    for label in labels:
        if label is not MISSING:
            kinds.setdefault(kind_of(label))
    if len(kinds) > 1:
        raise TypeError(
            f"Column {column!r} of `{table}` mixes kinds: {' and '.join(kinds)}. "
            + (f'Convert it to one kind, or say types={{{column!r}: "text"}}.' if typed else "Convert it to one kind.")
        )
    return next(iter(kinds), None)


# --- order ------------------------------------------------------------------------------------------------------------


def natural(text: str) -> tuple[list[Any], str]:
    """Sort key: runs of digits as integers, the rest by code point, ties by the plain string (2 before 10)."""
    parts: list[Any] = re.split(r"([0-9]+)", text)
    for i in range(1, len(parts), 2):
        digits = parts[i].lstrip("0")
        parts[i] = (len(digits), digits)  # orders as the integer does, however long
    return parts, text


def in_order(labels: Iterable[Label], kind: Kind | None) -> list[Label]:
    """Labels of one kind in their natural order, ``MISSING`` last."""
    present = list(labels)
    known = [x for x in present if x is not MISSING]
    if kind == "text":
        known.sort(key=natural if re.search("[0-9]", "".join(known)) else None)
    elif kind == "other":
        known.sort(key=lambda x: natural(str(x)))
    else:
        known.sort()
    return [*known, MISSING] if len(known) < len(present) else known


def level_index(labels: Sequence[Label] | NDArray[np.int64], name: str | None = None) -> pd.Index:
    """Labels as an index: int64, uint64, float64, bool or datetime64 (without zone) where they fit without loss, else objects."""
    if isinstance(labels, np.ndarray):
        return pd.Index(labels, name=name)
    kinds = {type(x) for x in labels}
    dtype: Any = object
    if kinds == {bool}:
        dtype = bool
    elif kinds == {int} and all(-(2**63) <= x < 2**63 for x in labels):
        dtype = np.int64
    elif kinds == {int} and all(0 <= x < 2**64 for x in labels):
        dtype = np.uint64
    elif kinds <= {int, float} and kinds and all(isinstance(x, float) or _is_float(x) for x in labels):
        dtype = np.float64
    elif kinds == {pd.Timestamp} and labels[0].tzinfo is None:
        dtype = "datetime64[ns]" if any(x.nanosecond for x in labels) else "datetime64[us]"
        labels = [x.to_datetime64() for x in labels]
    values = np.empty(len(labels), dtype=dtype)
    if kinds <= {str, int, float, bool, Missing}:
        values[:] = labels
    else:
        for i, label in enumerate(labels):  # one by one: a label may be a tuple
            values[i] = label
    index: pd.Index = pd.Index(values, dtype=dtype, name=name)
    return index


def _is_float(x: int) -> bool:
    """Whether a 64-bit float holds an integer exactly."""
    return abs(x) <= sys.float_info.max and x == float(x)


# --- types= -----------------------------------------------------------------------------------------------------------

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?", re.IGNORECASE)
TRUTH = {"true": True, "t": True, "yes": True, "1": True, "false": False, "f": False, "no": False, "0": False}


def _number(x: Label) -> Label:
    if isinstance(x, bool):
        return int(x)
    if isinstance(x, (int, float)):
        return x
    if isinstance(x, str) and NUMBER.fullmatch(x.strip()):
        number = int(x) if re.fullmatch(r"\s*[+-]?[0-9]+\s*", x) else canonical(float(x))
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


_PARSERS: dict[str, Callable[[Label], Label]] = {
    "number": _number,
    "text": str,
    "bool": _bool,
    "date": _date,
    "datetime": _datetime,
}


_WRONG = object()  # in place of a label that does not parse
ENOUGH = 10  # records that hold a label before it is shown in a message

_EXAMPLES = {"date": " such as 2024-01-31", "datetime": " such as 2024-01-31 08:15:00", "bool": " such as true, yes, 1, false, no, 0"}


def check_types(types: Any, columns: Collection[Hashable], absent: str) -> None:
    """Raise unless `types` is None or a mapping from some of the columns to types; ``absent`` says what another column is."""
    if not isinstance(types, (Mapping, type(None))):
        raise TypeError(f"`types` must be a mapping {{column: type}}; got {types!r}.")
    for column, wanted in (types or {}).items():
        if column not in columns:
            raise ValueError(f"`types` names {column!r}, which is {absent}." + hint(column, columns))
        _check_type(str(column), wanted)


def _check_type(column: str, wanted: Any) -> None:
    """Raise unless ``wanted`` is one of the type names or a sequence of distinct levels."""
    if isinstance(wanted, str) and wanted in _PARSERS:
        return
    if not isinstance(wanted, Collection) or isinstance(wanted, (str, bytes, set, frozenset, Mapping)):  # the levels have an order
        raise ValueError(
            f"`types` of column {column!r} must be one of {', '.join(map(repr, _PARSERS))} or a list of levels in order; got {wanted!r}."
        )
    levels = [canonical(x) for x in wanted]
    one_kind(levels, column, "types")
    if not levels or MISSING in levels or any(x in levels[:i] for i, x in enumerate(levels)):
        raise ValueError(f"`types` of column {column!r} must list distinct levels that are not missing; got {list(wanted)!r}.")


def as_type(labels: Sequence[Label], wanted: Type, column: str, table: str, records: Sequence[float] | None = None) -> list[Label]:
    """Labels converted to the type the caller asked for; those that do not parse raise.

    ``records`` is how many records hold each label, so that only what enough of them hold is shown; None where the labels are no data.
    """
    if isinstance(wanted, str):
        name, levels = wanted, None
    else:
        levels = [canonical(x) for x in wanted]
        name = str(one_kind(levels, column, "types")).removesuffix(" with zone")
    parse = _PARSERS.get(name, canonical)
    result: list[Label] = []
    for label in labels:
        try:
            result.append(MISSING if label is MISSING else parse(label))
        except (ValueError, KeyError, TypeError, OverflowError, AttributeError):
            result.append(_WRONG)
    wrong = [i for i, label in enumerate(result) if label is _WRONG]
    rule = f"a {name}{_EXAMPLES.get(name, '')}"
    if levels is not None and not wrong:
        wrong = [i for i, label in enumerate(result) if label is not MISSING and label not in levels]
        rule = f"among the levels that `types` lists: {', '.join(map(repr, levels[:20]))}{', ...' if len(levels) > 20 else ''}"
    if wrong:
        held = None if records is None else [records[i] for i in wrong]
        raise wrong_labels([labels[i] for i in wrong], held, rule, column, table)
    return result


def wrong_labels(labels: Sequence[Label], records: Sequence[float] | None, rule: str, column: str, table: str) -> ValueError:
    """The error for labels of a column that are not what they must be; of data it shows only one that enough records hold."""
    if records is None:
        return ValueError(f"Column {column!r} of `{table}` holds {labels[0]!r}, which is not {rule}. Correct it.")
    n, most = sum(records), max(range(len(labels)), key=lambda i: records[i])
    levels = f"{len(labels):,} level{'s' if len(labels) > 1 else ''} ({n:,.10g} record{'' if n == 1 else 's'})"
    shown = f", such as {labels[most]!r}" if records[most] >= ENOUGH else f" (levels that fewer than {ENOUGH} records hold are not shown)"
    return ValueError(
        f"Column {column!r} of `{table}` holds {levels} {'that are' if len(labels) > 1 else 'that is'} not {rule}{shown}. "
        f"Correct the values, name those that mean missing in `null_values`, or give the column another type in `types`."
    )
