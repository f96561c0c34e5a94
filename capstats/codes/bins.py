"""Continuous columns: what `bins` asks for, where a column is cut, and what its bins are called.

A column that can be cut is seen as numbers: its own values, days since 1970 (dates) or microseconds since 1970 (datetimes). Cut
points are found once, from the original; a value's bin is the number of cut points below it, so bins are right-closed. That
number is what each engine computes where the records are.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.checks import is_integer, shown, whole
from capstats.codes.column import BLOCK, Column, Counts, Ints, one_kind
from capstats.codes.declared_types import as_type
from capstats.codes.labels import MISSING, Kind, Label, canonical, kind_of
from capstats.codes.missing_codes import CODE_DAYS, USUAL_ENDS, Codes, has_usual_end, likely_codes
from capstats.codes.names import check_named

TypeToCut = Literal["number", "date", "datetime"]
CUTTABLE = ("number", "date", "datetime", "datetime with zone")
EPOCH = dt.datetime(1970, 1, 1)
DAY = 86_400_000_000  # microseconds
Term = TypeVar("Term")
_READ_AS: Mapping[Any, TypeToCut] = {"number": "number", "text": "number", **dict.fromkeys(CUTTABLE[2:], "datetime"), "date": "date"}
MOST_BINS = 1_000_000  # bins of equal width, or between quantiles

_FORMS = "a number of bins such as 10, a pair such as ('quantile', 4), or cut points such as [18, 65]"


@dataclass(frozen=True)
class Numbers:
    """A column as numbers: a row's number is ``values[code]``, or ``values[row]`` where there are no codes."""

    kind: Kind | None  # None where all is missing
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None  # of each value; a NaN is missing, too
    codes: Ints | None = None
    texts: NDArray[np.int64] | None = None  # of each value, which of the texts that mean missing it is; else -1


def finite_values(numbers: Numbers, counts: Counts) -> tuple[NDArray[Any], Counts]:
    """The values that cut points are computed from, present, finite and with a positive count; and their counts."""
    finite = (counts > 0) & np.isfinite(numbers.values)
    if numbers.missing is not None:
        finite &= ~numbers.missing
    return numbers.values[finite], counts[finite]


def point_label(number: int, kind: Kind | None) -> Label:
    """A cut point as an engine compares it with its column: the number, or the date or datetime that it is."""
    if kind == "number":
        return number
    try:
        if kind == "date":
            return dt.date.fromordinal(number + EPOCH.toordinal())
        moment = EPOCH + dt.timedelta(microseconds=number)
    except (OverflowError, ValueError) as error:
        raise ValueError("Cut points must lie in the years 1 to 9999; those of the original do not. Give cut points.") from error
    return moment if kind == "datetime" else moment.replace(tzinfo=dt.UTC)


def _iso(point: Label) -> str:
    return point.isoformat() if isinstance(point, dt.date) else str(point)


def microseconds(times: NDArray[Any]) -> NDArray[np.int64]:
    """Times as microseconds since 1970, rounded up: a time is after a whole microsecond exactly when its number is greater."""
    if np.datetime_data(times.dtype)[0] in ("ns", "ps", "fs", "as"):
        return -(-times.astype("datetime64[ns]").view(np.int64) // 1000)
    return times.astype("datetime64[us]").view(np.int64)


def _of_labels(labels: Sequence[Label], kind: Kind | None) -> NDArray[Any]:
    if kind == "number":
        whole = all(isinstance(x, int) for x in labels)
        for dtype, least, end in ((np.int64, -(2**63), 2**63), (np.uint64, 0, 2**64)):
            if whole and least <= min(labels) and max(labels) < end:
                return np.array(labels, dtype)
        return np.array([float(x) for x in labels])
    if kind == "date":
        return np.array([x.toordinal() - EPOCH.toordinal() for x in labels])
    stamps = [pd.Timestamp(x).tz_convert("UTC").tz_localize(None) if x.tzinfo else pd.Timestamp(x) for x in labels]
    return np.array([microseconds(np.array(x.to_datetime64()).reshape(1))[0] for x in stamps], np.int64)


def label_numbers(labels: Sequence[Label], records: NDArray[Any], declared: TypeToCut | None, column: str, table: str) -> Numbers:
    """Labels as numbers, texts parsed; those that no record holds are missing."""
    present = [i for i in np.flatnonzero(records).tolist() if labels[i] is not MISSING]
    values = [labels[i] for i in present]
    kind = one_kind(values, column, table)
    if kind == "text":
        values = as_type(values, declared or "number", column, table, records[present].tolist())
        kind = one_kind(values, column, table)
        if kind == "number":  # as every engine parses them
            try:
                values = [float(x) for x in values]
            except OverflowError as error:
                raise ValueError(f"Column {column!r} of `{table}` holds a number beyond 1e308. Correct it.") from error
    check_kind(kind, declared, column, table)
    missing = np.ones(len(labels), bool)
    missing[present] = False
    found = _of_labels(values, kind) if values else np.zeros(0)
    numbers = np.zeros(len(labels), found.dtype)
    numbers[present] = found
    return as_declared(Numbers(kind, numbers, missing), declared)


def check_kind(kind: Kind | None, declared: TypeToCut | None, column: str, table: str) -> None:
    """Raise where a column's kind cannot be cut, or is not what `types` says."""
    plain = str(kind).removesuffix(" with zone")
    if kind not in (None, *CUTTABLE):
        raise TypeError(
            f"Only numbers, dates and datetimes can be cut; column {column!r} of `{table}` holds {kind} labels. "
            f"Leave it out of `bins`, or convert it."
        )
    if None not in (kind, declared) and plain != declared and (kind, declared) != ("date", "datetime"):
        raise TypeError(
            f"Column {column!r} of `{table}` holds {kind} labels, and `types` says {declared!r}. Convert the column, or say "
            f'types={{{column!r}: "{plain}"}}.'
        )


def as_declared(numbers: Numbers, declared: TypeToCut | None) -> Numbers:
    """Dates as datetimes, where `types` says so."""
    if numbers.kind == "date" and declared == "datetime":
        return Numbers("datetime", numbers.values.astype(np.int64) * DAY, numbers.missing, numbers.codes)
    return numbers


# --- what is asked for, and where it is cut ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Spec:
    """What the caller asked for: ``number`` bins of equal width or between quantiles, or cut points."""

    how: Literal["width", "quantile", "points"]
    number: int = 0
    points: list[Label] = field(default_factory=list)


@dataclass(frozen=True)
class Cut:
    """Where one column is cut, in all tables alike."""

    kind: Kind | None  # None where the original has no value
    declared: TypeToCut | None  # what `types` says
    points: list[Any]  # as numbers
    shown: list[Any]  # as reports and attrs show them: numbers, or ISO texts
    labels: list[str]  # of the bins, in order, and then of the texts
    texts: Sequence[str] = ()  # codes that mean missing, which are no numbers to be cut
    meanings: Mapping[str, str | frozenset[int]] = field(default_factory=dict)  # of labels: the bin, or the codes
    likely: Sequence[Label] = ()  # of the original's values, those that look like codes


def check_bins(
    bins: Any, columns: Sequence[Hashable], types: Mapping[Hashable, Any], other: str = "neither a key nor the target"
) -> dict[Hashable, Spec]:
    """What the argument `bins` asks for, a spec a column."""
    if not isinstance(bins, Mapping):
        raise TypeError(f"`bins` must be a mapping {{column: bins}}; got {shown(bins)}. Give each column {_FORMS}.")
    check_named("bins", bins, columns, other)
    for column in bins:
        if column in types and not (isinstance(types[column], str) and types[column] in get_args(TypeToCut)):
            raise ValueError(
                f"A column that is cut must be of type {', '.join(map(repr, get_args(TypeToCut)))}; `types` says {types[column]!r} for "
                f"{column!r}. Leave it out of `types` or of `bins`."
            )
    return {column: _spec(given, column) for column, given in bins.items()}


def _spec(given: Any, column: Hashable) -> Spec:
    if is_integer(whole(given)):
        return Spec("width", _number_of_bins(whole(given), column))
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], str) and given[0] == "quantile":
        return Spec("quantile", _number_of_bins(whole(given[1]), column))
    if not isinstance(given, (Sequence, np.ndarray, pd.Index, pd.Series)) or isinstance(given, (str, bytes)):
        raise TypeError(f"`bins` of column {column!r} must be {_FORMS}; got {shown(given)}.")
    points = [canonical(x) for x in given]
    if not points:
        raise ValueError(f"`bins` of column {column!r} must have at least one cut point; got {shown(given)}. Give {_FORMS}.")
    for point in points:
        if point is MISSING or (isinstance(point, (int, float)) and abs(point) > sys.float_info.max):
            raise ValueError(
                f"Cut points must be finite; `bins` of column {column!r} has {given!r}. Leave that one out: the outer bins are open."
            )
        if kind_of(point) not in (*CUTTABLE, "text"):
            raise TypeError(f"Cut points must be numbers, dates or datetimes; `bins` of column {column!r} has {point!r}. Give it {_FORMS}.")
    return Spec("points", points=points)


def _number_of_bins(n: Any, column: Hashable) -> int:
    if not is_integer(n) or not 1 <= n <= MOST_BINS:
        raise ValueError(f"The number of bins must be a whole number, from 1 to {MOST_BINS}; `bins` of column {column!r} has {n!r}.")
    return int(n)


def cut_at_points(points: Sequence[Label], kind: Kind | None, declared: TypeToCut | None, column: Hashable) -> Cut:
    """A cut at the caller's points, which are texts (ISO) or values of the column's kind."""
    name = declared or _READ_AS.get(kind)
    if any(isinstance(x, str) for x in points) or name in ("date", "datetime"):
        points = as_type(points, name or "datetime", str(column), "bins")
    kind = one_kind(points, column, "bins")
    for a, b in pairwise(points):
        if not a < b:
            raise ValueError(f"Cut points must increase; `bins` of column {column!r} has {_iso(a)} before {_iso(b)}. Sort them.")
    if kind == "number":
        return Cut(kind, declared, list(points), list(points), _intervals([str(x) if abs(x) < 1e21 else repr(float(x)) for x in points]))
    for point in points:
        if getattr(point, "nanosecond", 0):
            raise ValueError(f"Cut points must be whole microseconds; `bins` of column {column!r} has {_iso(point)}. Round it.")
    return _named(_of_labels(points, kind).tolist(), kind, declared)


def cut_by_counts(spec: Spec, numbers: Numbers, counts: Counts, declared: TypeToCut | None, column: Hashable) -> Cut:
    """A cut into bins of equal width, or at quantiles, of values with their counts."""
    values, counts = finite_values(numbers, counts)
    if not len(values):
        return Cut(numbers.kind, declared, [], [], _intervals([]))
    least, greatest = values.min().item(), values.max().item()
    if spec.how == "quantile" and counts.dtype.kind == "f":
        raise ValueError(
            f"Quantiles lie between records, so weights must be whole numbers; those of `original` are fractional, and `bins` asks for "
            f"quantiles of column {column!r}. Give cut points, or a number of bins of equal width."
        )
    found = equal_width(least, greatest, spec.number, numbers.kind) if spec.how == "width" else _quantiles(values, counts, spec.number)
    points = {canonical(x) if numbers.kind == "number" else math.floor(x) for x in found if least < x < greatest}
    return replace(_named(sorted(points), numbers.kind, declared), likely=likely_numbers(values, numbers.kind))


def equal_width(least: Any, greatest: Any, n: int, kind: Kind | None) -> list[Any]:
    """The n - 1 points that divide the range from the least to the greatest value into n equal parts; fractions, except for numbers."""
    if kind != "number":
        return [least + Fraction((greatest - least) * i, n) for i in range(1, n)]
    a, b = float(least), float(greatest)
    points = np.linspace(a, b, n + 1) if math.isfinite(b - a) else 2 * np.linspace(a / 2, b / 2, n + 1)
    return list(points[1:-1].tolist())


def _quantiles(values: NDArray[Any], counts: Counts, n: int) -> list[Any]:
    """The quantiles at 1/n, 2/n, ..., as `numpy.quantile` gives them for values that are repeated by their counts."""
    if (counts == 1).all():
        values, last = np.sort(values), np.arange(1, len(values) + 1)
    else:
        order = np.argsort(values)
        values, last = values[order], np.cumsum(counts[order])  # records up to each value
    found = []
    for i in range(1, n):
        place = i / n * int(last[-1] - 1)
        below = math.floor(place)
        a, b = (values[np.searchsorted(last, at, side="right")].item() for at in (below, min(below + 1, int(last[-1]) - 1)))
        t = place - below
        found.append(b - (b - a) * (1 - t) if t >= 0.5 else a + (b - a) * t)
    return found


def _named(points: list[Any], kind: Kind | None, declared: TypeToCut | None) -> Cut:
    """A cut at points that are numbers, days or microseconds."""
    shown = points if kind == "number" else [_iso(point_label(x, kind)) for x in points]
    return Cut(kind, declared, points, shown, _intervals(_short(points) if kind == "number" else shown))


def _intervals(points: list[str]) -> list[str]:
    return [f"({a}, {b}{')' if b == 'inf' else ']'}" for a, b in pairwise(["-inf", *points, "inf"])]


def _short(points: list[Any]) -> list[str]:
    """Numbers rounded to four digits of the narrowest bin; to more where two would look alike, or a fraction like a whole number."""
    if not points:
        return []
    largest = max(map(abs, points))
    narrowest = min((b / 2 - a / 2 for a, b in pairwise(points)), default=largest or 1)
    before = math.floor(math.log10(largest)) if largest else 0  # digits before the point, except one
    digits = max(4 + before - math.floor(math.log10(narrowest)), before + 1 if before < 15 else 1)
    whole = [float(f"{x:.15g}").is_integer() for x in points]
    for n in range(max(digits, 1), 17):
        texts = [f"{x:.{n}g}" for x in points]
        if len(set(texts)) == len(points) and [float(t).is_integer() for t in texts] == whole:
            return texts
    return list(map(str, points))


def mismatch(kind: Kind | None, cut: Cut, column: str, table: str) -> TypeError:
    """The error for a table whose column is of another kind than its cut points."""
    return TypeError(
        f"Column {column!r} holds {kind} labels in `{table}`, and its cut points are of kind {cut.kind}: they cannot be compared. "
        f"Convert one of them."
    )


def cut_column(numbers: Numbers, cut: Cut, column: str, table: str) -> Column:
    """A column of numbers as codes of its bins."""
    if None not in (numbers.kind, cut.kind) and numbers.kind != cut.kind:
        raise mismatch(numbers.kind, cut, column, table)
    values, missing = numbers.values, numbers.missing
    last = len(cut.labels)
    out = np.empty(len(values), np.min_scalar_type(-last - 1))
    search = _search(values.dtype, cut.points)
    for start in range(0, len(values), BLOCK):
        part, rows = values[start : start + BLOCK], slice(start, start + BLOCK)
        out[rows] = search(part)
        if values.dtype.kind == "f":
            out[rows][np.isnan(part)] = last
        if missing is not None:
            out[rows][missing[rows]] = last
        if numbers.texts is not None:
            is_text = numbers.texts[rows] >= 0
            out[rows][is_text] = len(cut.points) + 1 + numbers.texts[rows][is_text]
    codes = out if numbers.codes is None else out[numbers.codes]
    return Column(codes, [*cut.labels, MISSING], ordered=True)


def _search(dtype: np.dtype[Any], points: Sequence[Any]) -> Callable[[NDArray[Any]], NDArray[np.intp]]:
    """The number of points below each value. It is exact for integers: a point is below an integer if and only if its floor is."""
    if dtype.kind not in "iu":
        edges = np.array(points, np.float64)
        return lambda values: np.searchsorted(edges, values, side="left")
    info = np.iinfo(dtype)
    whole = [math.floor(x) for x in points]
    below = sum(x < info.min for x in whole)
    edges = np.array([min(x, info.max) for x in whole[below:]], dtype)
    return lambda values: below + np.searchsorted(edges, values, side="left")


def sum_as_tree(parts: Sequence[Term], add: Callable[[Term, Term], Term]) -> Term:
    """The sum of terms as a balanced tree, because engines refuse a chain of a thousand additions."""
    half = len(parts) // 2
    return add(sum_as_tree(parts[:half], add), sum_as_tree(parts[half:], add)) if half else parts[0]


def binned_column(bins: Column, cut: Cut) -> Column:
    """Numbers of bins that an engine made (below 0, or missing, where the value is) as a column."""
    last = len(cut.labels)
    places = np.array([last if x is MISSING or x < 0 else x for x in bins.labels], np.int64)
    return Column(places[bins.codes.astype(np.intp) - bins.first], [*cut.labels, MISSING], ordered=True)


# --- codes that mean missing -----------------------------------------------------------------------------------------


def with_codes(cut: Cut, codes: Codes) -> Cut:
    """The same cut with a bin of its own for each code that means missing, so that the codes and other values are in different bins.

    A number v has the bin from the greatest number below it to v. ``meanings`` says what each label is.
    """
    if not codes.given:
        return cut
    kind = cut.kind or cut.declared or next((kind for kind in CUTTABLE if kind in codes.places), None)
    numbers = code_numbers(codes, kind)
    below = {v: math.nextafter(v, -math.inf) if kind == "number" else v - 1 for v in numbers}
    first = -math.inf if kind == "number" else (1 - EPOCH.toordinal()) * (1 if kind == "date" else DAY)  # the least date
    points = sorted({*cut.points, *numbers, *(b for b in below.values() if b >= first)})
    meanings: list[str | frozenset[int]] = [
        numbers[b] if b in numbers and a in (None, below[b]) else cut.labels[bisect_left(cut.points, b)]
        for a, b in pairwise([None, *points, math.inf])
    ]
    meanings += codes.places.get("text", {}).values()
    labels = [f"bin {i}" for i in range(len(meanings))]  # distinct, whatever the texts are
    return replace(cut, kind=kind, points=points, labels=labels, texts=codes.texts, meanings=dict(zip(labels, meanings, strict=True)))


def code_numbers(codes: Codes, kind: Kind | None) -> dict[Any, frozenset[int]]:
    """The codes as numbers that are cut, and which codes each of them is."""
    of_kind = codes.places.get(kind, {}) if kind is not None else {}
    return {_of_labels([label], kind).tolist()[0]: which for label, which in of_kind.items()}


def likely_numbers(values: np.ndarray, kind: Kind | None) -> list[Label]:
    """The finite values (numbers, days or microseconds) that look like codes, of a column that is cut."""
    if kind == "number":
        return likely_codes(values)
    if kind not in ("date", "datetime") or not usual_ends(values, kind):
        return []
    is_code = np.isin(values, _code_days(kind))
    others = values[~is_code]
    few = [*np.unique(values[is_code]), *([others.min(), others.max()] if len(others) else [])]
    return likely_codes([point_label(int(x), kind) for x in few])


def usual_ends(values: np.ndarray, kind: Kind | None) -> bool:
    """Whether the least or the greatest of the values is a usual code."""
    return has_usual_end(values, USUAL_ENDS if kind == "number" else frozenset(_code_days(kind)))


def _code_days(kind: Kind | None) -> list[int]:
    return [(day.toordinal() - EPOCH.toordinal()) * (1 if kind == "date" else DAY) for day in CODE_DAYS]
