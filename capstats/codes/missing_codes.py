"""Codes that mean missing, such as -99 or "NA": those that are given, which labels they match, and levels that look like such codes.

A code and a label match as numbers where both are numbers, as dates where both are dates, and as texts otherwise. The hard case is a
column of text without a declared type, as all columns of CSV are: there ``-99.0`` matches -99, and ``007`` does not match 7.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.arguments import said
from capstats.codes.by_table import ALL
from capstats.codes.checks import shown
from capstats.codes.declared_types import Type, all_read, parsed, plain_number
from capstats.codes.labels import MISSING, Kind, Label, canonical, canonicals, kind_of, plain
from capstats.codes.spellings import ABSENT, MISSING_WORDS, folded

Code = str | float | bool | dt.date | Decimal
NullValues = Code | Collection[Code] | Mapping[Hashable, Code | Collection[Code]] | None  # the argument `null_values`
NEEDS_QUOTES = re.compile(r'[,;\t|"\r\n]')  # characters that a CSV field can hold only in quotes
REMEDY = "Correct it, leave it out, or allow such codes with allow_unused_codes=True (--allow-unused-codes)."


class Quoted(str):
    """A text that a field of CSV has in quotes, and that would be a code without them."""

    __slots__ = ()


def in_quotes(word: str) -> str:
    """The text of a word with its quotes."""
    return f'"{word}"'


def unquoted(code: str) -> str:
    """The text of a code that is written with its quotes."""
    return code[1:-1] if len(code) > 1 and code[0] == code[-1] == '"' else code


@dataclass(frozen=True)
class Codes:
    """The codes of one column; each is identified by its position."""

    given: Sequence[Label]

    @cached_property
    def places(self) -> dict[Kind, dict[Label, frozenset[int]]]:
        """For each kind of labels, the labels that are codes, and which codes each of them is."""
        found: dict[Kind, dict[Label, frozenset[int]]] = {}
        for i, code in enumerate(self.given):
            for kind, label in _forms(code).items():
                found.setdefault(kind, {}).setdefault(label, frozenset())
                found[kind][label] |= {i}
        return found

    @property
    def texts(self) -> list[str]:
        """The codes as texts."""
        return list(self.places.get("text", ()))

    @cached_property
    def words(self) -> set[str]:
        """The texts that mean missing, in a field of CSV, only without quotes or only with them: no numbers or dates, and not ""."""
        only_text = [unquoted(code) for code in self.given if isinstance(code, str) and _forms(code).keys() == {"text"}]
        return {word for word in only_text if word and not NEEDS_QUOTES.search(word)}

    def matching(self, label: Label, declared: Type | None) -> frozenset[int]:
        """Which codes a label is; ``declared`` is what `types` says of its column."""
        if label is MISSING:
            return frozenset()
        if isinstance(label, Quoted):
            return self.places.get("text", {}).get(in_quotes(label), frozenset())
        kind = kind_of(label)
        found = self.places.get(kind, {}).get(label, frozenset())
        if kind == "text" and len(self.places) > 1:
            read = plain_number(label) if declared is None else parsed(label, declared)
            if read is not MISSING and not isinstance(read, str):
                return found | self.places.get(kind_of(read), {}).get(read, frozenset())
        return found

    def all_matching(self, labels: Sequence[Label] | NDArray[np.int64], declared: Type | None) -> dict[int, frozenset[int]]:
        """The places of the labels that are codes, and which codes each of them is."""
        if isinstance(labels, np.ndarray):
            numbers = self.places.get("number", {})
            whole = [x for x in numbers if isinstance(x, int) and -(2**63) <= x < 2**63]
            return {i: numbers[labels[i].item()] for i in np.flatnonzero(np.isin(labels, whole)).tolist()}
        return {i: codes for i, label in enumerate(labels) if (codes := self.matching(label, declared))}


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

    @property
    def words(self) -> set[str]:
        """The words of all columns."""
        return Codes([*(self.everywhere or ()), *(code for codes in self.named.values() for code in codes)]).words

    def of(self, column: Hashable) -> Codes:
        """The codes that hold for a column."""
        return Codes((*(self.everywhere or ()), *self.named.get(column, ())))

    def check_used(
        self,
        used: Mapping[Hashable, Collection[str]],
        kinds: Mapping[Hashable, Collection[Kind]],
        likely: Callable[[Hashable], Sequence[Label]],
        *,
        elsewhere: Callable[[], Collection[str]] = tuple,
        quoted: Collection[str] = (),
        within: str = "",
    ) -> None:
        """Raise where a code occurs in no table, or can never occur because its column holds labels of another kind.

        ``used`` are the codes that occur in each column that was read, as Python writes them, ``kinds`` those of its labels, as far as they
        are known, ``likely`` the levels that look like codes, ``elsewhere`` what else occurs, ``quoted`` the words that are in quotes, and
        ``within`` the table that the codes are of, where these are not all.
        """
        read = {column: codes for column, codes in self.named.items() if column in used}
        named = [(column, code) for column, codes in read.items() for code in codes if not _forms_used(code) & set(used[column])]
        for column, code in named:
            if kinds[column] and not kinds[column] & _forms(code).keys():
                raise TypeError(
                    f"`null_values` of column {column!r} has {_shown(code)}, which is no {' or '.join(sorted(kinds[column]))}, as all "
                    f"labels of the column are. Correct it."
                )
            if not self.allow_unused:
                place = f"does not occur in `{within}`" if within else "occurs in no table"
                looks = f" Levels of it that look like codes: {_shown(*levels)}." if (levels := likely(column)) else ""
                raise ValueError(
                    f"`null_values` of column {column!r} has {_shown(code)}, which {place}.{looks}"
                    f"{_told_in_quotes(code, quoted, column)} {REMEDY}"
                )
        known = {x for codes in used.values() for x in codes}
        unused = [code for code in self.everywhere or () if code != "" and not self.allow_unused and not _forms_used(code) & known]
        for code in unused:
            if _forms_used(code) & set(elsewhere()):
                continue
            looks = "; ".join(f"{_shown(*levels)} of {column!r}" for column in used if (levels := likely(column)))
            parts = code.split(",") if isinstance(code, str) else []
            several = f" Give several codes one by one: {_shown(*parts)}." if len(parts) > 1 and all(map(str.strip, parts)) else ""
            raise ValueError(
                f"`null_values` has {_shown(code)}, which occurs in none of the columns "
                f"{f'of `{within}` ' if within else ''}that were read.{f' Levels that look like codes: {looks}.' if looks else ''}{several}"
                f"{_told_in_quotes(code, quoted)} {REMEDY}"
            )

    def as_texts(self) -> Any:
        """The codes as reports record them: a list of texts, or {column: list}."""
        of_all = [str(plain(code)) for code in self.everywhere or ()]
        named = {str(column): [str(plain(code)) for code in codes] for column, codes in self.named.items()}
        return of_all if not named else {**({ALL: of_all} if of_all else {}), **named}


def _told_in_quotes(code: Label, quoted: Collection[str], column: Hashable = None) -> str:
    """The sentence about a code that occurs only in quotes."""
    if code not in quoted:
        return ""
    both = [code, in_quotes(code)]
    return f" In quotes it is a text: if it means missing there, say {said(null_values=both if column is None else {column: both})}."


def _forms_used(code: Label) -> set[str]:
    """A code as Python writes it, and the same text in quotes."""
    return {repr(code), repr(in_quotes(code))} if isinstance(code, str) else {repr(code)}


def quoted_alone(code: str, table: str) -> str:
    """The warning about a code that a table has only in quotes, where it is not missing."""
    return f"`{table}` has {code!r} in quotes alone.{_told_in_quotes(code, [code])}"


def _codes(given: Any) -> tuple[Label, ...]:
    """A code or several, as labels."""
    several = given if isinstance(given, (list, tuple, set, frozenset, np.ndarray, pd.Index)) else [given]
    found = []
    for code in several:
        label = MISSING if isinstance(code, (Mapping, list, tuple)) else canonical(code)
        if label is MISSING or kind_of(label) in ("duration", "other") or (isinstance(label, float) and not math.isfinite(label)):
            raise TypeError(
                f"`null_values` must be texts, numbers or dates, or a mapping {{column: list of them}}; got {shown(code)}. "
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


def _shown(*codes: Label) -> str:
    return ", ".join(repr(plain(code)) for code in codes)


# --- levels that look like codes -------------------------------------------------------------------------------------


WORDS = (MISSING_WORDS | {"unknown", "*"}) - {"none"}  # people have none of something; Python's None is another text
_LONGEST = 9  # digits
_NINES = [int("9" * n) for n in range(1, _LONGEST + 1)]
_USUAL = {x for n in _NINES for x in (n, n - 1, n - 2, n // 9 * 8, n // 9 * 7)}
_REPEATED = {n // 9 * digit for n in _NINES[2:] for digit in range(1, 7)}  # -5555
_LEAST = {-(2**bits) for bits in (15, 31, 63)}  # the least integers, which R, numpy and others write for a missing one
CODES = np.array(sorted({-x for x in _USUAL | _REPEATED} | _LEAST | _USUAL))
_SMALL = np.arange(-9, 0)  # one after the other in surveys: refused, not known, not asked
ENDS = np.union1d(CODES, _SMALL)  # a column with codes begins or ends with one of these
USUAL_ENDS = frozenset(ENDS.tolist())
_CODE_TEXTS = {f"{code}{end}" for code in ENDS for end in ("", ".0", ".00")}
CODE_DAYS = {
    *(dt.date(year, 12, 31) for year in (1899, 2099, 2999, 9999)),
    *(dt.date(year, 1, 1) for year in (1, 1800, 1900, 1901, 1970)),
    dt.date(1111, 11, 11),
    dt.date(1899, 12, 30),
}
_CODE_DAY_TEXTS = {day.isoformat() for day in CODE_DAYS}
_YEAR = 365  # days from the nearest other date


def likely_codes(labels: Iterable[Label] | np.ndarray | pd.Index) -> list[Label]:
    """Those of the distinct labels of one column that look like codes of missing values."""
    if isinstance(labels, (np.ndarray, pd.Index)) and labels.dtype.kind in "iuf":
        return canonicals(_far_numbers(np.asarray(labels)))
    present = [x for x in labels if x is not MISSING]
    if any(isinstance(x, str) for x in present):
        texts = {str(x): x for x in present}  # whole records have numbers among texts
        return [texts[code] for code in _likely_texts(list(texts))]
    kinds = set(map(kind_of, present))  # several where equality is Python's
    if kinds == {"number"}:
        return likely_codes(np.array([float(x) for x in present if isinstance(x, float) or -(2**63) <= x < 2**53]))
    return _far_days(present) if kinds in ({"date"}, {"datetime"}) else []


def codes_for_missing(mine: Mapping[Label, int], theirs: Mapping[Label, int]) -> list[tuple[int, int, str]]:
    """Pairs of the missing value, if one table has it, and labels that the other alone has and that look like codes of it.

    Each table is given by its labels and their places; a pair is the place in the original, in the other table, and the difference.
    """
    pairs = [*_coded(mine, theirs), *_alone(mine, theirs), *((i, j) for j, i in _coded(theirs, mine))]
    return [(*pair, ABSENT) for pair in pairs]


def _coded(missing: Mapping[Label, int], coded: Mapping[Label, int]) -> list[tuple[int, int]]:
    """Pairs of the missing value of the first table, or a word for it, and the codes of the second."""
    words = (x for x in missing if isinstance(x, str) and folded(x) in MISSING_WORDS)
    absent = MISSING if MISSING in missing else next(words, None)
    if absent is None:
        return []
    codes = [*likely_codes(coded), *(_lone_code(coded, missing) if absent not in coded else ())]
    return [(missing[absent], coded[code]) for code in dict.fromkeys(codes) if code not in missing]


def _lone_code(labels: Iterable[Label], others: Collection[Label]) -> list[Label]:
    """A usual code that is the only negative number among the labels of two tables, if the first of them alone has it."""
    numbers = {x: plain_number(x) if isinstance(x, str) else x for x in (*labels, *others)}
    negative = [x for x, number in numbers.items() if type(number) in (int, float) and number < 0]
    return [x for x in negative if len(negative) == 1 and numbers[x] in USUAL_ENDS and x not in others]


def _alone(mine: Mapping[Label, int], theirs: Mapping[Label, int]) -> list[tuple[int, int]]:
    """The missing value and a text, if the first table has the one, the second the other, and both have the same labels else.

    It does not hold the other way round: a release may have a missing value in place of a rare level.
    """
    gone, new = [x for x in mine if x not in theirs], [x for x in theirs if x not in mine]
    texts = [x for x in new if isinstance(x, str) and plain_number(x) is MISSING]
    return [(mine[MISSING], theirs[new[0]])] if gone == [MISSING] and len(new) == len(texts) == 1 < len(theirs) - 1 else []


def has_usual_end(values: np.ndarray, usual: Set[int] = USUAL_ENDS) -> bool:
    """Whether the least or the greatest of the values is a usual code, without which none is far from the others."""
    return bool(len(values)) and not usual.isdisjoint([values.min().item(), values.max().item()])


def _far_numbers(values: np.ndarray) -> list[Any]:
    """Usual codes that are far from all other numbers."""
    values = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if not has_usual_end(values):  # which is quick
        return []
    minus = np.unique(values[values < 0])
    if len(minus) and minus[-1] >= _SMALL[0]:
        high = _far_numbers(rest := np.unique(values[values >= 0]))
        if _small_negatives(minus, rest[~np.isin(rest, high)]):
            return [*minus.tolist(), *high]
    is_code = np.isin(values, CODES)
    others = np.unique(values[~is_code]).astype(float)
    if len(others) < 2:
        return []
    held = np.unique(values[is_code]).tolist()
    negative = [x for x in held[::-1] if x < others[0]]
    below = negative if others[0] >= -2 and negative and negative[0] < 0 else [-x for x in _beyond([-x for x in negative], -others[::-1])]
    above = _beyond([x for x in held if x > others[-1]], others)
    return [*sorted(below), *(above if any(str(x)[0] == "9" for x in above) else [])]


def _small_negatives(negative: np.ndarray, others: np.ndarray) -> bool:
    """Whether negative values, the greatest of which is -9 or more, are codes: all are usual codes, and separate from the others.

    They are separate by a wide gap; by a missing 0, where answers are numbered from 1; or as -1, -2, -3 where others are ten times larger.
    """
    if len(others) < 2 or not np.isin(negative, ENDS).all():
        return False
    least, greatest = float(max(negative[0], _SMALL[0])), float(others[-1])
    wide = others[0] - negative[-1] > 3 * np.diff(others[:6]).max()
    numbered = others[0] == 1 and len(others) == greatest > -least and greatest <= 12
    return bool(wide or numbered or (np.isin(_SMALL[-3:], negative).all() and greatest >= -10 * least))


def _beyond(held: Sequence[Any], others: np.ndarray) -> list[Any]:
    """Of the codes above all other values, in increasing order: the first that is far from the value before it, and all later ones."""
    greatest, widest = others[-1], np.diff(others).max()
    for i, code in enumerate(held):
        if code - greatest >= max(greatest - others[0], 3 * widest):
            return list(held[i:])
        greatest, widest = code, max(widest, code - greatest)
    return []


def _far_days(labels: Sequence[Label]) -> list[Label]:
    """Usual dates that are a year or more from all others."""
    is_code = {x: plain(x) in _CODE_DAY_TEXTS for x in labels}
    held, others = [x for x in labels if is_code[x]], [x for x in labels if not is_code[x]]
    if not held or len(others) < 2:
        return []
    least, greatest = min(others).toordinal(), max(others).toordinal()
    return sorted(x for x in held if least - x.toordinal() >= _YEAR or x.toordinal() - greatest >= _YEAR)


def _likely_texts(labels: Sequence[str]) -> list[Label]:
    """Words for missing values; and texts of usual codes, by the numbers or dates that the others are, or where no other is one."""
    words = [x for x in labels if x.strip().casefold() in WORDS]
    if "None" in labels and not all(x[:1].isupper() for x in labels if x not in words):  # else an ordinary level, as in None, Mild, Severe
        words = [x for x in labels if x in words or x == "None"]
    if _CODE_TEXTS.isdisjoint(labels) and _CODE_DAY_TEXTS.isdisjoint(labels):
        return words
    others = [x for x in labels if x not in words]
    numbers = {x: plain_number(x) for x in others}
    if MISSING not in numbers.values():
        far = likely_codes(list(numbers.values()))
        return words + [x for x, number in numbers.items() if number in far]
    if (dates := all_read(others, partial(parsed, declared="date"))) is not None:
        days = _far_days(dates)
        return words + [x for x, day in zip(others, dates, strict=True) if day in days]
    held = [x for x in others if x in _CODE_TEXTS]
    return words + ([x for x in held if len(x) > 1] if len(held) == sum(x is not MISSING for x in numbers.values()) else [])
