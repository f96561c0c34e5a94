"""Which labels are likely one thing in two spellings: `40` and `40.0`, `South` and `south`, `yes` and `True`, two forms of an accent.

Labels are never changed here, and match only if they are equal. This file finds, for a label that another table lacks, a label of that
table that a person would take for the same, and names the difference.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.declared_types import NUMBER, TRUTH, plain_number
from capstats.codes.labels import MISSING, Label

Floats = NDArray[np.float64]

MISSING_WORDS = frozenset(
    ["", "na", "n/a", "#n/a", "<na>", "nan", "nat", "none", "null", "nil", "missing", ".", "..", "?", "-", "\\n", "0000-00-00"]
    + [f".{letter}" for letter in ascii_lowercase]  # of Stata
)
TRUTH_WORDS: Mapping[str, bool] = {**TRUTH, "y": True, "on": True, "1.0": True, "n": False, "off": False, "0.0": False}

NUMBERS = "numbers written in another way"
KINDS = "text in one table and not in the other"
DATES = "dates written in another way"
TRUTHS = "truth values written in another way"
PRECISION = "numbers of another precision"
ABSENT = "a missing value written as text or code"
ENCODING = "text decoded with the wrong encoding"
BESIDE = "spaces beside signs"
DECIMALS, DIGITS = range(1, 13), range(6, 15)  # to which numbers may have been rounded
THOUSANDS = "separators of thousands that are read as decimals, or another unit"

_SPACES = re.compile(r"\s+")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_QUOTES = re.compile('[\u2018-\u201f\u2032\u2033\u00b4`"]')
_NUMBER = re.compile(r"(?:(?<![0-9.])|(?<=[-\u2013,;(\[]))(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,3}(?![0-9]))?")
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[,_][0-9]{2,3})*[,_][0-9]{3}(?:\.[0-9]+)?")
_COMMA = re.compile(r"[+-]?(?:[0-9]+|[1-9][0-9]{0,2}(?:[. '][0-9]{3})+),[0-9]+|[+-]?[1-9][0-9]{0,2}(?:[. '][0-9]{3})+")
_DECIMAL_COMMA = re.compile("(?<=[0-9])[,\u00b7](?=[0-9])")  # a decimal comma in a text, or a raised point
_DAYS = [  # how a date is written
    re.compile(r"(?P<year>[0-9]{4})[-/. ]?(?P<month>[0-9]{1,2})[-/. ]?(?P<day>[0-9]{1,2})"),
    re.compile(r"(?P<day>[0-9]{1,2})[-/. ]\s*(?P<month>[0-9]{1,2})[-/. ]\s*(?P<year>[0-9]{4})"),
    re.compile(r"(?P<month>[0-9]{1,2})[-/. ]\s*(?P<day>[0-9]{1,2})[-/. ]\s*(?P<year>[0-9]{4})"),
    re.compile(r"(?P<day>[0-9]{1,2})[-. ]*(?P<month>[a-z]{3,9})[-., ]*(?P<year>[0-9]{4})"),
    re.compile(r"(?P<month>[a-z]{3,9})[. ]+(?P<day>[0-9]{1,2}),? +(?P<year>[0-9]{4})"),
]
_YEAR = re.compile("[0-9]{4}")  # which every form has
EVERY_FORM = frozenset(range(len(_DAYS)))
_CLOCK = re.compile(  # with colons, or after a date of digits alone
    r"[t ](?:(?=[0-9]{1,2}:)|(?<=[0-9]{8}[t ]))([0-9]{1,2}):?([0-9]{2})(?::?([0-9]{2})(?:[.,]([0-9]+))?)?(?:z|[+]00:?00)?$"
)
_BESIDE_SIGNS = re.compile(r"(?<!\w) | (?!\w)|(?<=[0-9]) (?=[^\W0-9])|(?<=[^\W0-9]) (?=[0-9])")  # and between a digit and a letter
_LETTER = re.compile(r"(?<![0-9.])e|[^\W\d_e]")  # but not the sign of an exponent
_MONTHS = {name: i for i, name in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], start=1)}


def lookalikes(labels: Iterable[Label], others: Iterable[Label]) -> dict[Label, tuple[Label, str]]:
    """For each label that is not among the others, the one of them that it resembles and what makes the difference.

    Both are labels of one column, in two tables.
    """
    labels, others = list(labels), list(others)
    known = set(others)
    absent = [x for x in labels if x not in known]
    if not absent or not others:
        return {}
    truth = _are_truths([*labels, *others])
    mine, theirs = _day_forms(labels, others), _day_forms(others, labels)
    by_key: dict[Hashable, Label] = {}
    for other in others:
        for key in _keys(other, truth, theirs):
            by_key.setdefault(key, other)
    found = {}
    for label in absent:
        twin = next((by_key[key] for key in _keys(label, truth, mine) if key in by_key), None)
        if twin is not None:
            found[label] = (twin, _cause(label, twin))
    return found or _thousandfold(absent, others)


def spelled_twice(labels: Iterable[Label]) -> Iterator[tuple[Label, Label, str]]:
    """Pairs of labels of one column, a text among them, that look like one level in two spellings, and what makes the difference.

    Texts with letters and numbers, such as E10 and E10.0, may be codes of two levels, as may dates that differ in the order of their parts.
    """
    present = [x for x in labels if x is not MISSING]
    if not any(isinstance(x, str) for x in present):
        return
    truth = _are_truths(present)
    by_key: dict[Hashable, Label] = {}
    for label in present:
        for key in _keys(label, truth, EVERY_FORM):
            twin = by_key.setdefault(key, label)
            if twin is label or not (isinstance(twin, str) or isinstance(label, str)):
                continue
            cause = _cause(str(label), str(twin))
            if cause == PRECISION or (cause == NUMBERS and _LETTER.search(folded(str(label)))):
                continue
            first, second = sorted((twin, label), key=_shape)
            if cause != DATES or _shape(first) != _shape(second):
                yield first, second, cause
                break


def _shape(label: Label) -> str:
    return re.sub("[0-9]", "0", str(label))


def _are_truths(labels: Iterable[Label]) -> bool:
    return all(x is MISSING or (folded(x) in TRUTH_WORDS if isinstance(x, str) else x in (0, 1)) for x in labels)


def _thousandfold(absent: Sequence[Label], others: Sequence[Label]) -> dict[Label, tuple[Label, str]]:
    """For each label its thousandfold, or thousandth, among the others; if there are several labels, and each has one."""
    if len(absent) < 2 or not all(type(x) in (int, float) for x in absent):
        return {}
    for factor in (1000, 0.001):
        by_value = {round(x, 6): x for x in others if type(x) in (int, float)}
        twins = [by_value.get(round(x * factor, 6)) for x in absent]
        if None not in twins:
            return {x: (twin, THOUSANDS) for x, twin in zip(absent, twins, strict=True)}
    return {}


@lru_cache(maxsize=4096, typed=True)
def _keys(label: Label, truth: bool, days: frozenset[int]) -> tuple[Hashable, ...]:
    return tuple(_in_common(label, truth, days))


def _day_forms(labels: Iterable[Label], others: Iterable[Label]) -> frozenset[int]:
    """The places in ``_DAYS`` of the forms that all dates of a table have: of several, those that find the most dates in another table."""
    read = [dates for x in labels if isinstance(x, str) and (dates := dict(_dates(folded(x))))]
    forms = frozenset[int]().union(*read).intersection(*read)
    if len(forms) < 2:
        return forms or EVERY_FORM
    known = {date for x in others for _, date in _dates(folded(str(x)))}
    found = {form: sum(dates[form] in known for dates in read) for form in forms}
    return frozenset(form for form in forms if found[form] == max(found.values()))


def _in_common(label: Label, truth: bool, days: frozenset[int]) -> Iterator[Hashable]:
    """What two spellings of one thing have in common, most telling first."""
    if label is MISSING:
        yield "missing"
        return
    if isinstance(label, bool):
        yield "truth", label
    elif isinstance(label, (int, float)):
        yield "number", _plain(repr(label))
        yield from _rounded(label)
        if truth:  # as whole records have True
            yield "truth", bool(label)
        elif isinstance(label, int) and 1e7 <= label < 1e8:
            yield from (("date", date) for form, date in _dates(str(label)) if form in days)
    if not isinstance(label, str):
        return
    text = folded(label)
    yield "text", text
    if text in MISSING_WORDS:
        yield "missing"
    if truth:
        yield "truth", TRUTH_WORDS[text]
    for number in _numbers(text):
        yield "number", number
        if NUMBER.fullmatch(number):
            yield from _rounded(float(number))
    for form, date in _dates(text):
        if form in days:
            yield "date", date
    yield "without spaces", _joined(text)
    if not text.isascii():
        repaired = redecoded(label)
        if repaired is not None:
            yield "text", folded(repaired)


def _rounded(number: float) -> Iterator[Hashable]:
    """A number with a fraction, rounded to single precision, and to 15 digits, after which sums and quotients may differ."""
    if abs(number) < 3e38 and number != int(number):
        yield "single", float(np.float32(number))
        yield "number", _plain(f"{number:.15g}")


def in_another_precision(labels: Iterable[Label], others: Iterable[Label]) -> list[tuple[Label, Label]]:
    """Pairs of different numbers of two tables that are equal in another precision: of the precisions, in the one with the most pairs.

    The precisions are 15 digits; 12, if these tell all numbers of each table apart; and single precision, ``DECIMALS`` and ``DIGITS``,
    where one table alone has all its numbers in that. In decimals and digits, different numbers of the finer table must stay different.
    Single precision may be written in its shortest form.
    """
    known = {x: number for x in labels if (number := _finite(x)) is not MISSING}
    new = {x: number for x in others if x not in known and (number := _finite(x)) is not MISSING}
    names = [list(of) for of in (known, new)]
    pairs = alike_in_another_precision(*(np.array([*of.values()], float) for of in (known, new)))
    return [(names[0][a], names[1][b]) for a, b in pairs]


def alike_in_another_precision(values: Floats, others: Floats) -> list[tuple[int, int]]:
    """The pairs of `in_another_precision` of finite numbers, by their places; of the others without those that are among the values."""
    orders = [np.argsort(x, kind="stable") for x in (values, others)]
    both = [values[orders[0]], others[orders[1]]]
    if not (len(values) and len(others)) or all((x == np.trunc(x)).all() for x in both):
        return []
    best = _equal(*(_to_digits(x, 15) for x in both))
    computed = [_to_digits(x, 12) for x in both]  # there and back, as by a scaler
    if all(len(np.unique(x)) == len(x) for x in computed):
        best = max(best, _equal(*computed), key=len)
    for forms in [_single], [partial(_to_decimals, decimals=n) for n in DECIMALS], [partial(_to_digits, digits=n) for n in DIGITS]:
        for form in forms:
            holds = [np.array_equal(form(x[:100]), x[:100]) and np.array_equal(form(x), x) for x in both]
            if all(holds):
                break
            rounded = [form(x) for x in both] if any(holds) else both
            finer = rounded[holds[0]]
            if any(holds) and (form is _single or len(np.unique(finer)) == len(finer)):
                best = max(best, _equal(*rounded), key=len)
    short = [np.array_equal(_to_digits(x, 9), x) for x in both]  # as the shortest form of single precision is
    if short[0] != short[1] and np.array_equal((few := both[short[1]]).astype(np.float32).astype(str).astype(float), few):
        best = max(best, _equal(*map(_single, both)), key=len)
    return [(int(orders[0][a]), int(orders[1][b])) for a, b in best]


def _finite(label: Label) -> Label:
    """The number that a label is, if a float has its digits."""
    number = plain_number(label) if isinstance(label, str) else label
    return number if type(number) in (int, float) and abs(number) < (3e38 if isinstance(number, float) else 1e15) else MISSING


def _single(values: Floats) -> Floats:
    return values.astype(np.float32).astype(float)


def _to_decimals(values: Floats, decimals: int) -> Floats:
    return np.asarray(np.round(values, decimals), np.float64)


def _to_digits(values: Floats, digits: int) -> Floats:
    places = digits - 1 - np.floor(np.log10(np.maximum(np.abs(values), 1e-290)))
    scale = 10.0 ** np.abs(places)
    return np.asarray(np.where(places < 0, np.round(values / scale) * scale, np.round(values * scale) / scale), np.float64)


def _equal(values: NDArray[Any], others: NDArray[Any]) -> list[tuple[int, int]]:
    """For each of the others that is among the values, the first place of it there, and its own."""
    keys, places = np.unique(values, return_index=True)
    at = pd.Index(keys).get_indexer(pd.Index(others))
    return [(int(places[a]), b) for b, a in enumerate(at.tolist()) if a >= 0]


def _cause(label: Label, twin: Label) -> str:
    """What makes the difference between two labels that have a key in common."""
    if label is MISSING or twin is MISSING:
        return ABSENT
    if not isinstance(label, str) and not isinstance(twin, str):
        return PRECISION
    if not isinstance(label, str) or not isinstance(twin, str):
        return DATES if _same_day(str(label), str(twin)) else KINDS
    steps = {"spaces": _trimmed, "case": str.casefold, "Unicode form": _composed, "dashes or quotes": _plain_marks}
    for cause, step in steps.items():
        if step(label) == step(twin):
            return cause
    a, b = folded(label), folded(twin)
    if a == b:
        return " and ".join(cause for cause, step in steps.items() if step(label) != label or step(twin) != twin)
    if a in MISSING_WORDS:
        return ABSENT
    if set(_numbers(a)) & set(_numbers(b)):
        return NUMBERS
    if _same_day(a, b):
        return DATES
    if a in TRUTH_WORDS and b in TRUTH_WORDS:
        return TRUTHS
    if _joined(a) == _joined(b):
        changed = [cause for cause, step in steps.items() if cause != "spaces" and (step(label) != label or step(twin) != twin)]
        return BESIDE if _joined(label) == _joined(twin) else " and ".join([*changed, BESIDE])
    return PRECISION if all(map(NUMBER.fullmatch, (*_numbers(a), *_numbers(b)))) and a.isascii() else ENCODING


def folded(text: str) -> str:
    """The text without differences of spelling: spaces, case, Unicode forms, typographic dashes and quotes."""
    if text.isascii():
        return _trimmed(_plain_marks(text)).casefold()
    return _trimmed(_plain_marks(_composed(text))).casefold()


def _trimmed(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def _joined(text: str) -> str:
    """The text without spaces but those between two words or two numbers."""
    return _BESIDE_SIGNS.sub("", _trimmed(text))


def _composed(text: str) -> str:
    """One form of each character (NFKC), without characters that show nothing."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf" and not "\ufe00" <= c <= "\ufe0f")


def _plain_marks(text: str) -> str:
    return _QUOTES.sub("'", _DASHES.sub("-", text))


def _numbers(text: str) -> Iterator[str]:
    """The text with its numbers in one form, for each way in which they can be read."""
    if not any(c.isdecimal() for c in text):
        return
    bare = text.removeprefix("+") if text.isascii() else "".join(str(unicodedata.decimal(c, c)) for c in text.removeprefix("+"))
    plain = _NUMBER.sub(lambda found: _plain(found[0]), bare)
    yield plain if plain != "-0" else "0"
    if _GROUPED.fullmatch(bare):
        yield _plain(re.sub("[,_]", "", bare))
    if _COMMA.fullmatch(bare):
        yield _plain(re.sub("[. ']", "", bare).replace(",", "."))
    elif _DECIMAL_COMMA.search(bare):
        yield _NUMBER.sub(lambda found: _plain(found[0]), _DECIMAL_COMMA.sub(".", bare))


def _plain(number: str) -> str:
    return str(Decimal(number).normalize())


def _dates(text: str) -> Iterator[tuple[int, Any]]:
    """The dates, or times, that a text may mean, each after the place of its form in ``_DAYS``."""
    if not _YEAR.search(text):
        return
    clock = _CLOCK.search(text)
    day = text[: clock.start()] if clock else text
    hour, minute, second, fraction = clock.groups(default="0") if clock else ("0",) * 4
    for place, form in enumerate(_DAYS):
        if (found := form.fullmatch(day)) is None:
            continue
        try:
            month = _MONTHS.get(found["month"][:3]) or int(found["month"])
            time = dt.datetime(int(found["year"]), month, int(found["day"]), int(hour), int(minute), int(second))
            yield place, (time, fraction.rstrip("0"))
        except ValueError:
            continue


def _same_day(*texts: str) -> bool:
    first, second = ({date for _, date in _dates(text)} for text in texts)
    return not first.isdisjoint(second)


def redecoded(text: str) -> str | None:
    """The text, where it is UTF-8 that was decoded with another encoding; otherwise None."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return None
