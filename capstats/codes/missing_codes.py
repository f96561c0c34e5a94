"""Codes that mean missing, such as -99 or "NA": for which columns they are given, which labels they meet, and whether any is unused.

A code and a label meet as numbers where both are numbers, as dates where both are dates, and as texts otherwise. The hard case is a
column of text that nobody calls numbers, as all columns of CSV are: there ``-99.0`` meets -99, and ``007`` does not meet 7.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.labels import MISSING, Kind, Label, canonical, kind_of
from capstats.codes.names import hint
from capstats.codes.wanted import Type, parsed, plain_number

Code = str | float | bool | dt.date | Decimal
NullValues = Code | Collection[Code] | Mapping[Hashable, Code | Collection[Code]] | None  # the argument `null_values`
ALL = "*"  # in place of a column: all columns
REMEDY = "Correct it, leave it out, or allow such codes with allow_unused_codes=True (--allow-unused-codes)."


@dataclass(frozen=True)
class Codes:
    """The codes of one column; each is called by its place among them."""

    given: Sequence[Label]

    @cached_property
    def places(self) -> dict[Kind, dict[Label, frozenset[int]]]:
        """For each kind of labels, the labels that are codes, and which codes each of them is."""
        found: dict[Kind, dict[Label, frozenset[int]]] = {}
        for i, code in enumerate(self.given):
            for kind, label in _forms(code).items():
                of_kind = found.setdefault(kind, {})
                of_kind[label] = of_kind.get(label, frozenset()) | {i}
        return found

    @property
    def texts(self) -> list[str]:
        """The codes as texts."""
        return list(self.places.get("text", ()))

    def met(self, label: Label, wanted: Type | None) -> frozenset[int]:
        """Which codes a label is; ``wanted`` is what `types` says of its column."""
        if label is MISSING:
            return frozenset()
        kind = kind_of(label)
        found = self.places.get(kind, {}).get(label, frozenset())
        if kind == "text" and len(self.places) > 1:
            read = plain_number(label) if wanted is None else parsed(label, wanted)
            if read is not MISSING and not isinstance(read, str):
                return found | self.places.get(kind_of(read), {}).get(read, frozenset())
        return found

    def all_met(self, labels: Sequence[Label] | NDArray[np.int64], wanted: Type | None) -> dict[int, frozenset[int]]:
        """The places of the labels that are codes, and which codes each of them is."""
        if isinstance(labels, np.ndarray):
            numbers = self.places.get("number", {})
            whole = [x for x in numbers if isinstance(x, int) and -(2**63) <= x < 2**63]
            return {i: numbers[labels[i].item()] for i in np.flatnonzero(np.isin(labels, whole)).tolist()}
        return {i: codes for i, label in enumerate(labels) if (codes := self.met(label, wanted))}


@dataclass(frozen=True)
class MissingCodes:
    """The argument `null_values`: codes for all columns, and codes of single columns."""

    everywhere: tuple[Label, ...] | None = None  # None where nothing is said of all columns
    named: Mapping[Hashable, tuple[Label, ...]] = field(default_factory=dict)
    allow_unused: bool = False

    @classmethod
    def of_argument(cls, given: Any, allow_unused: bool = False) -> MissingCodes:
        """A code or several for all columns, or a mapping of columns to theirs."""
        if given is None:
            return cls(allow_unused=allow_unused)
        if not isinstance(given, Mapping):
            return cls(_codes(given), allow_unused=allow_unused)
        named = {column: _codes(codes) for column, codes in given.items()}
        return cls(named.pop(ALL, None), named, allow_unused)

    def __bool__(self) -> bool:
        """Whether there is any code."""
        return bool(self.everywhere) or any(self.named.values())

    def of(self, column: Hashable) -> Codes:
        """The codes that hold for a column."""
        return Codes((*(self.everywhere or ()), *self.named.get(column, ())))

    def check_columns(self, columns: Collection[Hashable], absent: str) -> None:
        """Raise unless each column that is named is one of those that are counted; ``absent`` says what another one is."""
        for column in self.named:
            if column not in columns:
                raise ValueError(f"`null_values` names {column!r}, which is {absent}." + hint(column, columns))

    def check_used(
        self, used: Mapping[Hashable, set[int]], kinds: Mapping[Hashable, set[Kind]], likely: Callable[[Hashable], Sequence[Label]]
    ) -> None:
        """Raise where a code occurs in no table, or can never occur because its column holds labels of another kind.

        ``used`` are the places of the codes that occur in each column, ``kinds`` those of its labels, as far as they are known, ``likely``
        the levels that look like codes.
        """
        for column, codes in self.named.items():
            for i, code in enumerate(codes, start=len(self.everywhere or ())):
                if i in used[column]:
                    continue
                if kinds[column] and not kinds[column] & _forms(code).keys():
                    raise TypeError(
                        f"`null_values` of column {column!r} has {_shown(code)}, which is no {' or '.join(sorted(kinds[column]))}, as all "
                        f"labels of the column are. Correct it."
                    )
                if not self.allow_unused:
                    looks = f" Levels of it that look like codes: {_listed(levels)}." if (levels := likely(column)) else ""
                    raise ValueError(f"`null_values` of column {column!r} has {_shown(code)}, which occurs in no table.{looks} {REMEDY}")
        for i, code in enumerate(self.everywhere or ()):
            if code != "" and not self.allow_unused and not any(i in places for places in used.values()):
                looks = "; ".join(f"{_listed(levels)} of {column!r}" for column in used if (levels := likely(column)))
                several = f" Give several codes one by one: {', '.join(map(repr, code.split(',')))}." if _is_list(code) else ""
                raise ValueError(
                    f"`null_values` has {_shown(code)}, which occurs in no column of any table."
                    f"{f' Levels that look like codes: {looks}.' if looks else ''}{several} {REMEDY}"
                )

    def as_texts(self) -> Any:
        """What is recorded of them: a list of texts, or {column: list}."""
        of_all = [str(plain(code)) for code in self.everywhere or ()]
        named = {str(column): [str(plain(code)) for code in codes] for column, codes in self.named.items()}
        return of_all if not named else {**({ALL: of_all} if of_all else {}), **named}


def _codes(given: Any) -> tuple[Label, ...]:
    """A code or several, as labels."""
    several = given if isinstance(given, (list, tuple, set, frozenset, np.ndarray, pd.Index)) else [given]
    found = []
    for code in several:
        label = MISSING if isinstance(code, (Mapping, list, tuple)) else canonical(code)
        wrong = label is MISSING or kind_of(label) in ("duration", "other") or (isinstance(label, float) and not math.isfinite(label))
        if wrong:
            raise TypeError(
                f"`null_values` must be texts, numbers or dates, or a mapping {{column: list of them}}; got {code!r}. "
                f"None and NaN are missing anyway."
            )
        found.append(label)
    return tuple(found)


def _forms(code: Label) -> dict[Kind, Label]:
    """A code as a label of each kind of which it can be."""
    found: dict[Kind, Label] = {kind_of(code): code}
    if isinstance(code, str):
        for read in (plain_number(code), parsed(code, "date"), parsed(code, "datetime")):
            if read is not MISSING and read not in (math.inf, -math.inf):
                found[kind_of(read)] = read
    elif isinstance(code, (int, float)):
        return found if isinstance(code, bool) else {**found, "text": str(code)}
    day = found.get("date", found.get("datetime", found.get("datetime with zone")))
    if day is not None:
        moment = pd.Timestamp(day)
        if moment.tzinfo is None:
            found |= {"datetime": moment, "datetime with zone": moment.tz_localize("UTC")}
            if moment == moment.normalize():
                found["date"] = moment.date()
        found.setdefault("text", plain(code))
    return found


def plain(code: Label) -> Any:
    """A label as a configuration writes it: a text, a number or a truth value."""
    return code if isinstance(code, (str, int, float)) else code.isoformat().removesuffix("T00:00:00")


def _shown(code: Label) -> str:
    return repr(plain(code))


def _listed(levels: Iterable[Label]) -> str:
    return ", ".join(map(_shown, levels))


def _is_list(code: Label) -> bool:
    return isinstance(code, str) and "," in code and all(part.strip() for part in code.split(","))
