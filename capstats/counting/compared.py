"""Whole records of several tables, compared by what their values say: which columns they have in common, and a number for each record.

Equality here is not that of key and target columns. Those are chosen by the caller, and warnings report differences of spelling. Here all
columns are compared, so that values count and types do not: 7, 7.0 and the text "7" of a CSV file are equal, and so are True and "True", a
date and its ISO text, and missing values with each other and with codes in `null_values`. Levels of one table that look like a level of
the other in another spelling (see `spellings`) are replaced by that level and reported. A column that shares no level with the original is
left out of the comparison and reported.

*The obvious way* makes a tuple of each record and looks it up in a set of those of the original; for records that agree in all columns but
one, it compares all pairs. The tests do so. In Python this takes a microsecond and a hundred bytes for each value, and the pairs of 10**5
records take hours. Codes into one table of labels that all tables share would be compared faster, but with 100 releases of 10**5 fractions
that table has 10**7 labels, and it must be complete before the first release can be compared.

*Numbers in common.* Each value has a random number of 64 bits, made from what it says and from its column alone. So tables agree on the
numbers without seeing each other, and labels of one table are numbered once, not once a record. A record is the sum of the numbers of its
values, modulo 2**64: one array operation a column. Two different records have the same sum with a probability of 2**-64; with 10**6
records in each of two tables some pair does so with a probability below 10**-7.

*All columns but one.* Without a column the number of a record is the sum less one number. So for each column the original has one more set
of integers, and near copies are found by one look-up for each column, without pairs of records (`Known.near`).

*Look-ups* mostly find nothing, as most records have no copy. `Lookup` has a table of bits, by the first bits of a number, which stays in
the cache and rejects most numbers; only the others are looked up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.column import Column, Counts, Ints, Places, chosen, occurring
from capstats.codes.declared_types import as_type, values_of
from capstats.codes.labels import MISSING, Label, canonicals
from capstats.codes.missing_codes import codes_for_missing
from capstats.codes.spellings import PRECISION, Floats, alike_in_another_precision, in_another_precision
from capstats.counting.beyond_chance import LEVEL
from capstats.counting.reading import Input
from capstats.sources.source import Options, folded_name
from capstats.tables.levels import ALONE, Entry, compare, lookalike_pairs

FINE = 8  # decimals of a number that was not rounded
IDENTIFIER = "each record of the original has a value of its own"
NOTHING_SHARED = "shares no level with the original"
SPELLED = "has levels in two spellings"
FOREIGN = "has other texts than the original in most records"
FINER = "has numbers with more decimals in one table"
LEFT_OUT = (NOTHING_SHARED, FINER)  # why a column is left out for one release
MERGED = "texts of one table that say the same"
TWICE = "occurs more than once in a table"
ELSEWHERE = "is not in all tables"
UNREADABLE = "its values cannot be compared"
WEIGHTS = "it has weights or counts"
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:[.,' ][0-9]{3})+")
BITS = (1 << 64) - 1
FRACTION = np.uint64(0x9E3779B97F4A7C15)  # changes the bits of fractions: read as an integer they may be a whole number of the column
MOST = 1e15  # of which a float has all digits
ENOUGH = 10  # records: that number of unique ones, drawn anew with replacement, are the same with a probability of 10! / 10**10 = 0.0004

Numbers = NDArray[np.uint64]
Said = Sequence[Label] | Ints | Floats  # values; numbers alone are an array
T = TypeVar("T")


class NotCompared(ValueError):  # noqa: N818
    """Why whole records are not compared."""


class _Distinct(NamedTuple):
    """The distinct values of a column in a table, in the order of their numbers."""

    numbers: Numbers
    of_label: Ints  # the index of each label's value
    records: Counts
    said: Said
    labels: Sequence[Label] | Ints  # one label of each value

    @property
    def numbers_alone(self) -> Ints | Floats | None:
        """The values, if all are numbers that floats hold, and none is missing."""
        return self.said if isinstance(self.said, np.ndarray) and not np.isnan(self.said).any() else None

    def values(self, places: Ints) -> list[Label]:
        """The values at these indices."""
        return list(_plain(chosen(self.said, places)))

    def in_order(self, places: Ints) -> Ints:
        """The indices sorted by their values, missing and numbers first, so that among similar levels the choice is always the same."""
        if isinstance(self.said, np.ndarray):
            return places[np.argsort(self.said[places], kind="stable")]
        of = dict(zip(places.tolist(), self.values(places), strict=True))
        kinds: tuple[list[int], ...] = [], [], []
        for i, x in of.items():
            kinds[0 if x is MISSING else 2 if isinstance(x, str) else 1].append(i)
        return np.array([i for kind in kinds for i in sorted(kind, key=of.__getitem__)], np.int64)

    def numbers_at(self, places: Ints) -> tuple[NDArray[np.bool_], Floats]:
        """Which of the values at these indices are numbers of which a float has all digits, and these numbers."""
        values = np.array(self.values(places), object) if not isinstance(self.said, np.ndarray) else self.said[places]
        if values.dtype == object:
            kept = np.array([type(x) in (int, float) and abs(x) < MOST for x in values], bool)
        else:
            kept = np.abs(values) < MOST
        return kept, values[kept].astype(float)

    def written(self, places: Ints) -> list[Label]:
        """The labels at these indices; a code of missing values is missing."""
        return [x if x is MISSING else label for x, label in zip(self.values(places), _plain(chosen(self.labels, places)), strict=True)]


def _plain(labels: Said) -> Sequence[Label]:
    """Labels as Python has them: those of arrays are of no kind."""
    if isinstance(labels, np.ndarray):
        return canonicals(labels.tolist()) if labels.dtype.kind == "f" else labels.tolist()
    return labels


@dataclass
class Rows:
    """The rows of a table over some columns: the number of each label, the index of each row's label, and the count of each row."""

    columns: Sequence[Hashable]
    labels: list[Numbers]
    codes: list[Ints]
    counts: Counts
    said: list[Said]  # the values of the labels of each column
    labelled: dict[Hashable, Sequence[Label] | Ints] = field(default_factory=dict)  # the labels of each column as written
    merged: dict[str, str] = field(default_factory=dict)  # columns in which two texts are one value, such as 7 and 007

    @cached_property
    def numbers(self) -> Numbers:
        """The number of each row."""
        total = np.zeros(len(self.counts), np.uint64)
        for labels, codes in zip(self.labels, self.codes, strict=True):
            total += labels[codes]
        return total

    @cached_property
    def distinct(self) -> list[_Distinct]:
        """The distinct values of each column, computed once for all releases."""
        found = []
        for column, labels, codes, said in zip(self.columns, self.labels, self.codes, self.said, strict=True):
            numbers, first, of_label = np.unique(labels, return_index=True, return_inverse=True)
            records = np.bincount(of_label, np.bincount(codes, self.counts, len(labels)), len(numbers)).astype(np.int64)
            found.append(_Distinct(numbers, of_label, records, *(chosen(x, first) for x in (said, self.labelled[column]))))
        return found

    def without(self, column: int, rows: Any = slice(None)) -> Numbers:
        """The number of each row, or of some rows, without one of the columns."""
        left: Numbers = self.numbers[rows] - self.labels[column][self.codes[column][rows]]
        return left

    def only(self, kept: Sequence[int]) -> Rows:
        """The same rows over some of the columns."""
        columns, labels, codes, said = ([of[i] for i in kept] for of in (self.columns, self.labels, self.codes, self.said))
        merged = {c: why for c, why in self.merged.items() if c in map(str, columns)}
        return Rows(columns, labels, codes, self.counts, said, self.labelled, merged)  # type: ignore[arg-type]

    def identifies(self, column: int) -> bool:
        """Whether all values of a column are different, and none is a fraction."""
        said, n = self.said[column], self.counts.sum()
        fractions = (said % 1 > 0).any() if isinstance(said, np.ndarray) else any(isinstance(x, float) for x in said)
        if n > len(said) or fractions:
            return False
        held = self.counts > 0
        return bool(n == len(np.unique(self.labels[column][self.codes[column][held]])))


class Lookup:
    """Distinct numbers in which other numbers are looked up; most of these are absent, which a table of first bits shows quickly."""

    def __init__(self, numbers: Numbers):
        self.numbers = pd.Index(numbers)
        self.shift = np.uint64(64 - min(23, max(10, (16 * len(numbers)).bit_length())))
        self.held = np.zeros(1 << int(64 - self.shift), bool)
        self.held[numbers >> self.shift] = True

    def found(self, numbers: Numbers) -> tuple[Ints, Ints]:
        """Which of the numbers are held, and the index of each of these."""
        some = np.flatnonzero(self.held[numbers >> self.shift])
        at = self.numbers.get_indexer(pd.Index(numbers[some]))
        return some[at >= 0], at[at >= 0]


class Known:
    """The distinct records of a table with their counts, and the same records without each one of the columns."""

    def __init__(self, rows: Rows, *, near: bool = False):
        held = rows.counts > 0
        self.of_row = np.full(len(held), -1)
        self.of_row[held], self.numbers = pd.factorize(rows.numbers[held])
        self.counts = np.bincount(self.of_row[held], rows.counts[held], len(self.numbers)).astype(np.int64)
        self.without = [Lookup(pd.unique(rows.without(i, held))) for i in range(len(rows.codes))] if near else []

    @cached_property
    def lookup(self) -> Lookup:
        """The numbers of the records."""
        return Lookup(self.numbers)

    def times(self, numbers: Numbers) -> Places:
        """The number of records of this table that are identical to each of some other records."""
        times = np.zeros(len(numbers), np.int64)
        held, at = self.lookup.found(numbers)
        times[held] = self.counts[at]
        return times

    def near(self, rows: Rows, distinct: Known, times: Places) -> int:
        """The number of other records that agree with a record of this table in all columns but one, and are identical to none."""
        first = np.zeros(len(times), np.int64)
        held = np.flatnonzero(distinct.of_row >= 0)[::-1]
        first[distinct.of_row[held]] = held
        # records without a copy; those that agree without some column leave the list, and so count once
        left = np.flatnonzero(times == 0)
        n = distinct.counts[left].sum()
        for column, known in enumerate(self.without):
            left = np.delete(left, known.found(rows.without(column, first[left]))[0])
        return int(n - distinct.counts[left].sum())


def mostly_unique(counts: Counts, times: Counts | int = 1) -> bool:
    """Whether most records are unique, and not just a few; ``counts`` has the multiplicities, each of which occurs ``times``."""
    return bool(2 * ((counts == 1) * times).sum() > (counts * times).sum() >= ENOUGH)


@dataclass
class Meeting:
    """A table prepared for comparison with the original: levels in another spelling are replaced by those of the original."""

    rows: Rows
    entries: dict[str, Entry] = field(default_factory=dict)  # comparisons by `compare`, of columns whose levels do not match
    spelled: dict[str, str] = field(default_factory=dict)  # columns in which levels were replaced, with the difference of spelling
    apart: dict[str, str] = field(default_factory=dict)  # columns in which equal values may not be found, and why
    kept: list[int] = field(default_factory=list)  # the columns that can be compared


def meet(original: Rows, other: Rows, *, same_source: bool = False) -> Meeting:
    """Match the levels of another table with those of the original, column by column.

    Values that hardly recur in the original need not occur in the other table, if that is from the ``same_source`` or has numbers of the
    same form.
    """
    found, numbers = Meeting(other), list(other.labels)
    for i, (column, mine, theirs) in enumerate(zip(map(str, original.columns), original.distinct, other.distinct, strict=True)):
        entry, twins, cause, reverse = _differences(mine, theirs)
        if twins:
            taken = theirs.numbers.copy()
            taken[list(twins)] = mine.numbers[list(twins.values())]
            numbers[i] = taken[theirs.of_label]
            found.spelled[column] = cause
        elif entry and not entry["shared"] and not (_hardly_recur(mine, theirs) and (same_source or _same_form(mine, theirs))):
            found.apart[column] = NOTHING_SHARED
        if reverse:
            found.apart.setdefault(column, SPELLED)
        if entry and column not in found.apart and _finer([mine, theirs], [[*twins.values()], [*twins]]):
            found.apart[column] = FINER
        if entry and column not in found.apart and _is_foreign(mine, theirs, [*twins]):
            found.apart[column] = FOREIGN
        if column in found.apart or (entry and entry["likely"]):
            found.entries[column] = entry if entry["shared"] else {**entry, "overlap": _overlap(mine, theirs)}
        if found.apart.get(column) not in LEFT_OUT:
            found.kept.append(i)
    found.rows = replace(other, labels=numbers)
    return found


def _differences(mine: _Distinct, theirs: _Distinct) -> tuple[Any, dict[int, int], str, bool]:
    """The comparison of the levels of a column, None where both tables have the same; and levels in two spellings.

    The second result maps values of the other table that the original lacks to the values of the original that replace them, and the third
    is the most frequent difference. The last is whether the original itself has a value in another spelling of a value of either table.
    """
    held: Ints = np.flatnonzero(mine.records)
    others: Ints = np.flatnonzero(theirs.records)
    numbers = mine.numbers_alone, theirs.numbers_alone
    may_be_twice = numbers[0] is None and any(x is MISSING or isinstance(x, str) for x in _plain(mine.said))
    if not may_be_twice and np.array_equal(mine.numbers[held], theirs.numbers[others]):
        return None, {}, "", False
    common = np.intersect1d(mine.numbers[held], theirs.numbers[others], assume_unique=True)
    if not len(common) or any(isinstance(x, str) for of in (mine, theirs) if not isinstance(of.said, np.ndarray) for x in of.said):
        held, others = mine.in_order(held), theirs.in_order(others)
    # counts of each table over the values of both: those of the original, then the new ones
    at = pd.Index(mine.numbers[held]).get_indexer(pd.Index(theirs.numbers[others]))
    new = others[at < 0]
    original = np.concatenate([mine.records[held], np.zeros(len(new), np.int64)])
    other = np.zeros(len(original), np.int64)
    other[at[at >= 0]] = theirs.records[others[at >= 0]]
    other[len(held) :] = theirs.records[new]
    texts = not len(common) and any(isinstance(x, str) and THOUSANDS.fullmatch(x) for of in (mine, theirs) for x in _plain(of.labels))
    if texts:
        labels: Any = [*mine.written(held), *theirs.written(new)]
    elif numbers[0] is not None and numbers[1] is not None:
        labels = pd.Index(np.concatenate([numbers[0][held], numbers[1][new]]))
    else:
        labels = [*mine.values(held), *theirs.values(new)]
    if isinstance(labels, pd.Index):
        alike = alike_in_another_precision(*(labels.to_numpy(float)[part] for part in (slice(len(held)), slice(len(held), None))))
        pairs = [(a, len(held) + b, PRECISION) for a, b in alike]
    elif any(isinstance(x, str) for x in labels):
        pairs = lookalike_pairs(labels, original, other)
    else:
        places = [{labels[i]: i for i in np.flatnonzero(of > 0).tolist()} for of in (original, other)]
        fractions = in_another_precision(*places) if any(isinstance(x, float) for x in labels) else []
        pairs = [*((places[0][a], places[1][b], PRECISION) for a, b in fractions), *codes_for_missing(*places)]
    twins = {int(new[b - len(held)]): int(held[a]) for a, b, _ in reversed(pairs) if b >= len(held)}
    causes = Counter(cause for _, _, cause in pairs)
    cause = max(causes, key=causes.__getitem__, default="")
    return compare(labels, original, other, "compared", pairs), twins, cause, any(b < len(held) for _, b, _ in pairs)


def _hardly_recur(mine: _Distinct, theirs: _Distinct) -> bool:
    """Whether equal values are so rare within one table that none may be expected between both."""
    n = mine.records
    alike = (n * (n - 1)).sum() / max(n.sum() - 1, 1) * theirs.records.sum()  # expected number of equal pairs
    return bool(np.exp(-alike) >= LEVEL)


def _is_foreign(mine: _Distinct, theirs: _Distinct, twins: Sequence[int]) -> bool:
    """Whether most records of another table have texts that the original lacks, other than ``twins``, though few values of it are alone."""
    if isinstance(theirs.said, np.ndarray) or (mine.records == 1).sum() >= ALONE * mine.records.sum():
        return False
    lacking = (theirs.records > 0) & ~np.isin(theirs.numbers, mine.numbers[mine.records > 0])
    lacking[twins] = False
    texts = [isinstance(x, str) for x in theirs.values(np.flatnonzero(lacking))]
    return bool(2 * theirs.records[lacking][texts].sum() > theirs.records.sum())


def _same_form(*both: _Distinct) -> bool:
    """Whether both are numbers with the same number of decimals, and the median of each is in the range of the other."""
    places = [np.flatnonzero(of.records) for of in both]
    kept, held = zip(*(of.numbers_at(at) for of, at in zip(both, places, strict=True)), strict=True)
    others = [x for of, at, some in zip(both, places, kept, strict=True) for x in of.values(at[~some])]
    if not all(map(len, held)) or any(x is not MISSING for x in others):
        return False
    return len(set(map(_decimals, held))) == 1 and _overlap(*both)


def _overlap(*both: _Distinct) -> bool:
    """Whether the median of the numbers of each is in the range of those of the other."""
    held = [of.numbers_at(np.flatnonzero(of.records))[1] for of in both]
    return all(map(len, held)) and all(min(x) <= np.median(y) <= max(x) for x, y in (held, held[::-1]))


def _decimals(values: Floats) -> int:
    """The most decimals of a number, at most ``FINE``."""
    return next((n for n in range(FINE) if np.array_equal(np.round(values, n), values)), FINE)


def _finer(both: Sequence[_Distinct], paired: Sequence[Sequence[int]]) -> bool:
    """Whether most records of one table have more decimals than any number of the other, and are not ``paired`` with one."""
    kept, values = zip(*(of.numbers_at(np.flatnonzero(of.records)) for of in both), strict=True)
    decimals = list(map(_decimals, values))
    fine = int(decimals[1] > decimals[0])
    places = np.flatnonzero(both[fine].records)[kept[fine]]
    records = both[fine].records[places]
    more = (values[fine] != np.round(values[fine], min(decimals))) & ~np.isin(places, paired[fine])
    return bool(decimals[fine] > decimals[1 - fine] and len(values[1 - fine]) and 2 * (more * records).sum() > records.sum())


# --- tables as numbers ------------------------------------------------------------------------------------------------


def columns_in_common(inputs: Sequence[Input]) -> tuple[list[Hashable], dict[str, str], dict[str, dict[str, str]]]:
    """The columns that each of the tables has once; columns of the first table that are left out as weights or counts; and others.

    The others are columns that a table has, or may have under another name: {table: {column: why it is not compared}}.
    """
    names = [list(table.source.names(table.options)) for table in inputs]
    weights = {table.weight for table in inputs}
    wanted = [c for c in dict.fromkeys(names[0]) if c not in weights]
    common = [c for c in wanted if all(of_table.count(c) == 1 for of_table in names)]
    others: dict[str, dict[str, str]] = {}
    for table, own in zip(inputs[1:], names[1:], strict=True):
        folded = {folded_name(c): c for c in own if c not in wanted}
        why = {c: TWICE if max(names[0].count(c), own.count(c)) > 1 else ELSEWHERE for c in wanted if c in own and c not in common}
        why |= {c: f"is not in it, but {other!r} is (rename it)" for c in wanted if c not in own and (other := folded.get(folded_name(c)))}
        others[table.name] = {str(c): text for c, text in why.items()}
    return common, {str(c): WEIGHTS for c in names[0] if c in weights}, others


def read_rows_of(table: Input, columns: Sequence[Hashable], most: int | None = None) -> Rows:
    """A table as rows over the columns; a ValueError or TypeError where a column cannot be read."""
    options = table.options
    options.display.step(f"comparing whole records of {table.name}")
    found, sums = (replace(table, weight=None, sampling=False) if table.sampling else table).rows(columns, most=most)
    counts: Counts = sums[0] if sums else np.ones(len(found[0].codes), np.int64)
    if counts.dtype.kind == "f":
        raise NotCompared(f"the counts of `{table.name}` are fractional")
    labels, codes, said, merged = [], [], [], {}
    held = list(map(held_labels, found))
    for name, column in zip(columns, held, strict=True):
        said.append(_in_array(said_by(column, name, options, table.name)))
        if options.type_of(name) is None and _merges(column.labels, said[-1]):
            merged[str(name)] = MERGED
        labels.append(_mixed(_bits(said[-1]) ^ _mixed(np.array([hash(repr(name)) & BITS], np.uint64))))
        codes.append(column.codes.astype(np.min_scalar_type(len(column.labels)), copy=False))
    return Rows(columns, labels, codes, counts, said, {name: column.labels for name, column in zip(columns, held, strict=True)}, merged)


def _merges(labels: Sequence[Label] | Ints, said: Said) -> bool:
    """Whether two texts say the same, such as 7 and 007."""
    if isinstance(labels, (np.ndarray, range)):
        return False
    values = [value for text, value in zip(labels, said, strict=True) if isinstance(text, str) and value is not MISSING]
    return len(set(values)) < len(values)


def over_readable(
    inputs: Sequence[Input],
    columns: Sequence[Hashable],
    work: Callable[[Sequence[Hashable], dict[str, str]], T],
    most: int | None = None,
) -> T:
    """The result of the work over all columns or, if it fails, over those that can be read as labels in all tables; others are named.

    An error in a column with a declared type is raised.
    """
    try:
        return work(columns, {})
    except NotCompared:
        raise
    except (TypeError, ValueError):  # a column that was not asked for; the message may quote a label
        known = [column for column in columns if all(_is_readable(table, column, most) for table in inputs)]
    if known == list(columns) or not known:
        raise NotCompared("the columns cannot be compared together")
    return work(known, {str(c): UNREADABLE for c in columns if c not in known})


def _is_readable(table: Input, column: Hashable, most: int | None) -> bool:
    try:
        read_rows_of(table, [column], most=most)
    except (TypeError, ValueError):
        if table.options.type_of(column) is not None:
            raise
        return False
    return True


def held_labels(column: Column) -> Column:
    """The column with codes from 0 and, for texts, only with labels that some row has."""
    if isinstance(column.labels, (np.ndarray, range)):
        return Column(np.subtract(column.codes, column.first, dtype=np.int64) if column.first else column.codes, column.labels)
    return occurring(column)


def said_by(column: Column, name: Hashable, options: Options, table: str = "") -> Sequence[Label] | Ints:
    """The values that the labels of a column stand for: whole numbers, fractions, texts, or missing."""
    codes, labels, declared, decimal = options.codes.of(name), column.labels, options.type_of(name), options.decimal
    means = codes.all_matching(labels, declared) if codes.given else {}
    if isinstance(labels, (np.ndarray, range)):
        if not means and declared in (None, "number"):
            return np.asarray(labels)
        labels = list(map(int, labels))
    labels = [MISSING if i in means else x for i, x in enumerate(labels)]
    if declared is None:
        return values_of(labels, decimal)
    if declared == "number" and decimal != ".":
        labels = [x.replace(decimal, ".") if isinstance(x, str) else x for x in labels]
    records = np.bincount(column.codes, minlength=len(labels)).tolist()
    typed = as_type(labels, declared, str(name), table, records)
    return typed if declared == "text" else values_of(typed, ".")


def _in_array(said: Sequence[Label] | Ints) -> Said:
    """Values that are numbers or missing, and that floats hold, as an array with NaN for missing; others as they are."""
    if isinstance(said, np.ndarray) or not all(x is MISSING or (type(x) in (float, int) and abs(x) < MOST) for x in said):
        return said
    return np.array([np.nan if x is MISSING else x for x in said], float)


def _bits(said: Said) -> Numbers:
    """64 bits for each label: a whole number itself, of another number the bits of the float, for all other values a hash of the text."""
    if not isinstance(said, np.ndarray):
        own = (int(x) if isinstance(x, int) and -(1 << 63) <= x < 1 << 63 else _hash(x) for x in said)
        return np.fromiter((x & BITS for x in own), np.uint64, len(said))
    if said.dtype.kind != "f":
        return said.astype(np.int64, copy=False).view(np.uint64)
    found = said.view(np.uint64) ^ FRACTION
    whole = said == np.trunc(said)
    found[whole] = said[whole].astype(np.int64).view(np.uint64)
    found[np.isnan(said)] = _hash(MISSING) & BITS
    return found


def _hash(value: Label) -> int:
    return int(np.float64(value).view(np.uint64) ^ FRACTION) if type(value) is float else hash((value is MISSING, str(value)))


def _mixed(x: Numbers) -> Numbers:
    """The finalizer of splitmix64 (Steele, Lea and Flood, 2014), which makes a random number of each integer."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
