"""Records of a release that are copies of real ones: identical to one of the original in all columns that both have, or in all but one.

Whether these are more than chance explains is said by `beyond_chance`.

Each label has a random number of 64 bits, made from what it says and from its column. A record is the sum of its numbers, so that it is
compared as one integer, and without a column by a subtraction. Two different ones agree with a probability of 2**-64.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.bins import Cut
from capstats.codes.column import Column, Counts, Ints, chosen
from capstats.codes.declared_types import NUMBER, parsed
from capstats.codes.labels import MISSING, Label
from capstats.codes.names import in_cell
from capstats.codes.spellings import lookalikes
from capstats.counting.beyond_chance import LEVEL, Beyond, beyond_chance
from capstats.counting.inputs import Input
from capstats.counting.reading import read_rows
from capstats.sources.memory import MemorySource
from capstats.sources.source import Options, Query

COLUMNS = 50  # columns that are compared by default, at most
NEAR = 20  # columns up to which records that agree in all but one are looked for
MOST = 1 << 25  # numbers that are held for these, at most
LEVELS = 1000  # labels of a key column, at most, by whose levels copies are counted
FINE = 8  # decimals of a number that was not rounded
EXAMINED = 20_000  # labels of a column, at most, that are looked at for other spellings
IDENTIFIER = "each record of the original has a value of its own"
UNREADABLE = "its values cannot be compared"
WEIGHTS = "it has weights or counts"
NOTHING_SHARED = "shares no level with the original"
SPELLED = "has levels in two spellings"
DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9].*")
BITS = (1 << 64) - 1

Numbers = NDArray[np.uint64]
Copies = dict[str, Any]  # what is known of the copies in all releases, as JSON has it


class NotCompared(ValueError):  # noqa: N818
    """Why copies are not counted."""


class Keys(NamedTuple):
    """The key columns of the tables, and where they are cut."""

    columns: Sequence[Hashable] = ()
    cuts: Mapping[Hashable, Cut] = {}


NO_KEYS = Keys()


@dataclass
class Rows:
    """The rows of a table over some columns: the number of each label, and which label each row has; and the number of records of each."""

    labels: list[Numbers]
    codes: list[Ints]
    counts: Counts
    whole: list[bool]  # whether a column has no fractions
    said: list[Sequence[Label] | Ints]  # what the first labels of each column say
    missing: list[Numbers]  # the number of a missing value in each column, where there is one
    levels: dict[str, tuple[Ints, list[str]]] = field(default_factory=dict)  # of key columns: the level of each row, as tables show it

    @cached_property
    def numbers(self) -> Numbers:
        """The number of each row."""
        total = np.zeros(len(self.counts), np.uint64)
        for labels, codes in zip(self.labels, self.codes, strict=True):
            total += labels[codes]
        return total

    @cached_property
    def _held(self) -> list[tuple[Counts, Numbers, list[Label]]]:
        """Of each column: records of a label; numbers of the labels that some record has, but for missing ones; what those labels say."""
        found: list[tuple[Counts, Numbers, list[Label]]] = []
        for labels, codes, said, missing in zip(self.labels, self.codes, self.said, self.missing, strict=True):
            records = np.bincount(codes, self.counts, len(labels))
            held = [x for x, n in zip(said, records.tolist(), strict=False) if n]
            found.append((records, np.setdiff1d(labels[records > 0], missing), held))
        return found

    def without(self, column: int, rows: Any = slice(None)) -> Numbers:
        """The number of each row, or of some of them, but for one of the columns."""
        left: Numbers = self.numbers[rows] - self.labels[column][self.codes[column][rows]]
        return left

    def identifies(self, column: int) -> bool:
        """Whether each record has a value of its own in a column, none of them a fraction."""
        n, held = self.counts.sum(), self.counts > 0
        return self.whole[column] and n <= len(self.labels[column]) and n == len(np.unique(self.labels[column][self.codes[column][held]]))

    def apart(self, other: Rows, column: int, *, same_source: bool = False) -> str:
        """Why equal values of a column may not be found in another table; nothing where they are.

        Values of which few are equal in this table need not be in another one, if that is of the ``same_source`` or has numbers of the same
        form.
        """
        (mine, held, said), (theirs, other_held, other_said) = self._held[column], other._held[column]
        if (len(held) or len(other_held)) and not np.isin(held, other_held).any():
            alike = (mine * (mine - 1)).sum() / max(mine.sum() - 1, 1) * theirs.sum()  # pairs, expected
            if np.exp(-alike) < LEVEL or not (same_source or _same_form(said, other_said)):
                return NOTHING_SHARED
        return SPELLED if _in_two_spellings(said, other_said) else ""

    def by_level(self, rows: NDArray[np.bool_]) -> dict[str, dict[str, int]]:
        """How many of the records in some of the rows have each level of the key columns."""
        found: dict[str, dict[str, int]] = {name: {} for name in self.levels}
        for name, (codes, levels) in self.levels.items():
            for i in np.flatnonzero(n := np.bincount(codes[rows], self.counts[rows], len(levels))):
                found[name][levels[i]] = found[name].get(levels[i], 0) + int(n[i])
        return found

    def only(self, kept: Sequence[int]) -> Rows:
        """The same rows over some of the columns."""
        columns: Any = ([of[i] for i in kept] for of in (self.labels, self.codes, self.whole, self.said, self.missing))
        labels, codes, *others = columns
        return Rows(labels, codes, self.counts, *others)


class Known:
    """The distinct records of a table, and how often each occurs; and what is left of them without each column."""

    def __init__(self, rows: Rows, *, near: bool):
        held = rows.counts > 0
        place, numbers = pd.factorize(rows.numbers[held])
        self.numbers = pd.Index(numbers)
        self.counts = np.bincount(place, rows.counts[held]).astype(np.int64)
        self.without = [pd.Index(pd.unique(rows.without(i, held))) for i in range(len(rows.codes))] if near else []

    @property
    def total(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def times(self, numbers: Numbers) -> Counts:
        """How many records of this table each of other records is identical to."""
        at = self.numbers.get_indexer(pd.Index(numbers))
        return np.where(at >= 0, self.counts[at], 0)

    def near(self, rows: Rows, times: Counts) -> int:
        """How many other records agree with one of this table in all columns but one, and are identical to none."""
        left = np.flatnonzero(times == 0)
        n = rows.counts[left].sum()
        for column, known in enumerate(self.without):
            left = left[known.get_indexer(pd.Index(rows.without(column, left))) < 0]
        return int(n - rows.counts[left].sum())


def find_copies(
    inputs: Sequence[Input],
    options: Options,
    most: int,
    keys: Keys = NO_KEYS,
    by_record: bool = False,
    records: Sequence[int] = (),
) -> tuple[Copies, Counts | None]:
    """How many records of each release are copies of the original's, and of the holdout's, or why that is not computed.

    With ``by_record``, also how many records of the one release each row of the original is identical to. ``inputs`` are original,
    releases and holdout, as `inputs_of` gives them. Columns with an identifier, such as row numbers, are left out, and those that some
    table cannot give as labels. Values are compared as they are, without `types` and `bins`: numbers by what they say, also as texts, dates
    as ISO 8601 has them. A missing value equals a missing value, and so does a code that `null_values` calls missing. Copies in each
    release are counted by level of the key columns, too, as the tables have them, with `types` and `bins`.
    """
    names = [list(table.source.names(options)) for table in inputs]
    weights = {table.weight for table in inputs}
    common = [c for c in names[0] if c not in weights and all(of_table.count(c) == 1 for of_table in names)]
    weighted = {str(c): WEIGHTS for c in names[0] if c in weights}
    try:
        if not 0 < len(common) <= most:
            raise NotCompared(f"the tables have {len(common)} columns in common, and 1 to {most} are compared (--copy-columns)")
        from capstats.counting.many_rows import many_rows

        if records and (many := many_rows(inputs, records, len(common), by_record)) is not None:
            return many.copies(common, weighted, options), None
        try:
            return _compared(inputs, common, weighted, options, keys, by_record)
        except NotCompared:
            raise
        except (TypeError, ValueError):  # of a column that nobody asked for; the message may quote a label
            readable = [c for c in common if all(_is_readable(table, c, options) for table in inputs)]
            if readable == common or not readable:
                raise NotCompared("the columns cannot be compared together") from None
            left_out = weighted | {str(c): UNREADABLE for c in common if c not in readable}
            return _compared(inputs, readable, left_out, options, keys, by_record)
    except NotCompared as why:
        return {"not_computed": str(why)}, None


def _compared(
    inputs: Sequence[Input], columns: Sequence[Hashable], left_out: Mapping[str, str], options: Options, keys: Keys, by_record: bool
) -> tuple[Copies, Counts | None]:
    original = _read(inputs[0], columns, options, by_record=by_record)
    kept = [i for i in range(len(columns)) if not original.identifies(i)]
    left_out = {**left_out, **{str(c): IDENTIFIER for i, c in enumerate(columns) if i not in kept}}
    if not kept:
        raise NotCompared("in all columns each record of the original has a value of its own")
    columns, original = [columns[i] for i in kept], original.only(kept)
    near = 1 < len(columns) <= NEAR and len(columns) * len(original.counts) <= MOST
    known, others = Known(original, near=near), list(inputs[1:])
    holdout: Known | None = None
    described: Copies = {"columns": list(map(str, columns)), "left_out": left_out}
    if not near:
        described["near"] = f"not computed: it is for 2 to {NEAR} columns, and for {MOST:,} values of the original"
    judges = False  # whether the holdout says what chance gives
    if inputs[-1].source.name == "holdout":
        rows = _read(others.pop(), columns, options)
        holdout = Known(rows, near=near)
        if same := _beyond(known, holdout, None).found:
            described["holdout_in_original"] = int(rows.counts[known.times(rows.numbers) > 0].sum())
        described["holdout_apart"] = _apart(original, rows, columns, same_source=True)
        judges = not same and not described["holdout_apart"]
    found, times = [], None
    for table in others:
        release = _read(table, columns, options, keys)
        found.append(_of_release(known, release, holdout))
        held = Known(release, near=False)
        beyond = _beyond(known, held, holdout if judges else None)
        apart = {**described.get("holdout_apart", {}), **_apart(original, release, columns)}
        found[-1] |= _judged(beyond, apart)
        if holdout is not None:
            found[-1]["by_holdout"] = judges
            found[-1] |= {f"copied_people_{x}": _known(y) for x, y in (("beyond_chance", beyond.estimate), ("fewest", beyond.fewest))}
            matched = held.times(holdout.numbers.to_numpy()) > 0
            found[-1]["holdout_copied_people"] = int(holdout.counts[matched].sum())
            found[-1]["holdout_alike"] = alike = _beyond(holdout, held, None).found
            found[-1]["too_small"] = judges and not beyond.found and not alike and _beyond(known, held, None).found
            if found[-1]["too_small"]:
                found[-1]["copied_beyond_chance"] = None
        if by_record:
            times = held.times(original.numbers)
    return {**described, "releases": found}, times


def _apart(original: Rows, other: Rows, columns: Sequence[Hashable], *, same_source: bool = False) -> dict[str, str]:
    """The columns in which equal values may not be found, and why."""
    found = {str(c): original.apart(other, i, same_source=same_source) for i, c in enumerate(columns)}
    return {c: why for c, why in found.items() if why}


def _in_two_spellings(mine: Sequence[Label], theirs: Sequence[Label]) -> bool:
    """Whether one level is likely spelled in two ways, or fractions are in single precision in one table alone."""
    if not all(isinstance(x, (int, float)) for x in (*mine, *theirs)):
        return bool(lookalikes(mine, theirs) or lookalikes(theirs, mine))
    fractions = [np.array([x for x in said if isinstance(x, float)]) for said in (mine, theirs)]
    single = [bool((x == x.astype(np.float32)).all()) for x in fractions]
    return all(map(len, fractions)) and single[0] != single[1]


def _same_form(mine: Sequence[Label], theirs: Sequence[Label]) -> bool:
    """Whether both are numbers with as many decimals, and the median of either is in the range of the other."""
    if not mine or not theirs or not all(isinstance(x, (int, float)) for x in (*mine, *theirs)):
        return False
    decimals = [min(FINE, max(-int(Decimal(str(x)).as_tuple().exponent) for x in said)) for said in (mine, theirs)]
    pairs = ((mine, theirs), (theirs, mine))
    return decimals[0] == decimals[1] and all(min(x) <= np.median(y) <= max(x) for x, y in pairs)


def _beyond(original: Known, release: Known, holdout: Known | None) -> Beyond:
    """What the multiplicities of the values tell of people that were copied."""
    tables = [original] if holdout is None else [original, holdout]
    people = pd.unique(np.concatenate([table.numbers.to_numpy() for table in tables]))
    alone = release.counts[pd.Index(people).get_indexer(release.numbers) < 0]
    o, s = (np.concatenate([x, y]) for x, y in ((original.times(people), 0 * alone), (release.times(people), alone)))
    return beyond_chance(o, s, None if holdout is None else np.concatenate([holdout.times(people), 0 * alone]))


def _judged(beyond: Beyond, apart: Mapping[str, str]) -> dict[str, Any]:
    """Whether people were copied beyond chance: 1, 0, or None where it cannot be told."""
    told = beyond.people == 0 or beyond.exists
    return {
        "copied_people": beyond.people,
        "copied_beyond_chance": 1 if beyond.found else 0 if told and not apart else None,
        "copied_p_value": beyond.p_value,
        "copied_people_lower": beyond.lower,
        "copied_people_upper": beyond.upper,
        "copied_people_shared": beyond.shared,
        "by_holdout": False,
        "apart": dict(apart),
    }


def _known(x: float) -> float | None:
    return None if np.isnan(x) else x


def _of_release(original: Known, release: Rows, holdout: Known | None) -> dict[str, Any]:
    """Numbers of released records that are copies."""
    found: dict[str, Any] = {"records": int(release.counts.sum())}
    for prefix, real in {"": original, **({} if holdout is None else {"holdout_": holdout})}.items():
        times = real.times(release.numbers)
        found[f"{prefix or 'original_'}people"] = real.total
        found[f"{prefix}copied_records"] = int(release.counts[times > 0].sum())
        found[f"{prefix}copied_unique_records"] = int(release.counts[times == 1].sum())
        if real.without:
            found[f"{prefix}near_copied_records"] = real.near(release, times)
        if not prefix:
            found["copied_by_level"] = release.by_level(times > 0)
    return found


# --- tables as numbers ------------------------------------------------------------------------------------------------


def _is_readable(table: Input, column: Hashable, options: Options) -> bool:
    try:
        _read(table, [column], options)
    except (TypeError, ValueError):
        return False
    return True


def _read(
    table: Input, columns: Sequence[Hashable], options: Options, keys: Keys = NO_KEYS, by_record: bool = False, most: int | None = None
) -> Rows:
    options.display.step(f"comparing whole records of {table.source.name}")
    query = Query(columns, None if table.sampling else table.weight, by_record=by_record, options=options, first=most)
    found, sums = table.source.rows(query)
    counts: Counts = sums[0] if sums else np.ones(len(found[0].codes), np.int64)
    if counts.dtype.kind == "f":
        raise NotCompared(f"the counts of `{table.source.name}` are fractional")
    decimal = options.decimal if table.source.is_csv else "."
    labels, codes, whole, first, missing, levels = [], [], [], [], [], {}
    for name, column in zip(columns, map(_held, found), strict=True):
        said = _said_by(column, name, decimal, options)
        first.append(said[:EXAMINED])
        whole.append(isinstance(said, np.ndarray) or not any(isinstance(x, float) for x in said))
        labels.append(_mixed(_bits(said) ^ _mixed(np.array([hash(repr(name)) & BITS], np.uint64))))
        missing.append(labels[-1][[] if isinstance(said, np.ndarray) else [i for i, x in enumerate(said) if x is MISSING][:1]])
        codes.append(column.codes.astype(np.min_scalar_type(len(column.labels)), copy=False))
        if name in keys.columns and len(column.labels) <= LEVELS:
            cut = {x: keys.cuts[x] for x in [name] if x in keys.cuts}
            levels[str(name)] = codes[-1], _levels(column.labels, name, cut, decimal, options)
    return Rows(labels, codes, counts, whole, first, missing, levels)


def _levels(labels: Sequence[Label] | Ints, name: Hashable, cuts: Mapping[Hashable, Cut], decimal: str, options: Options) -> list[str]:
    """Labels of a key column as the levels that the tables have, cut and of their type."""
    values = [None if x is MISSING else x for x in labels]
    if decimal != "." and (cuts or options.type_of(name) == "number"):
        values = [x.replace(decimal, ".") if isinstance(x, str) else x for x in values]
    part, _ = read_rows(Input(MemorySource({name: values}, "synthetic")), [name], cuts, options, by_record=True)
    of = part.columns[0]
    return [in_cell(of.labels[code]) for code in of.codes[part.of_row].tolist()]


def _held(column: Column) -> Column:
    """The column with codes from 0, and of texts those labels alone that some row has, which may be few of many."""
    places = np.subtract(column.codes, column.first, dtype=np.int64) if column.first else column.codes
    if isinstance(column.labels, (np.ndarray, range)):
        return Column(places, column.labels)
    held = np.flatnonzero(np.bincount(places, minlength=len(column.labels)))
    now = np.zeros(len(column.labels), np.int64)
    now[held] = np.arange(len(held))
    return Column(now[places], chosen(column.labels, held))


def _said_by(column: Column, name: Hashable, decimal: str, options: Options) -> Sequence[Label] | Ints:
    """What the labels of a column say: whole numbers, fractions, texts, or that a value is missing."""
    codes, labels = options.codes.of(name), column.labels
    means = codes.all_matching(labels, options.type_of(name)) if codes.given else {}
    if isinstance(labels, (np.ndarray, range)):
        if not means:
            return np.asarray(labels)
        labels = list(map(int, labels))
    return [MISSING if i in means else _said(x, decimal) for i, x in enumerate(labels)]


def _said(label: Label, decimal: str) -> Label:
    if isinstance(label, str):
        text = label.strip()
        if NUMBER.fullmatch(number := text.replace(decimal, ".")):
            read = parsed(number, "number")
        else:
            read = parsed(text, "datetime") if DATETIME.fullmatch(text) else MISSING
        return {"true": 1, "false": 0}.get(text.lower(), text) if read is MISSING else _said(read, decimal)
    if isinstance(label, dt.date):  # or a datetime
        return label.isoformat().removesuffix("T00:00:00")
    return label if label is MISSING or isinstance(label, (int, float)) else str(label)


def _bits(said: Sequence[Label] | Ints) -> Numbers:
    """64 bits for each of the labels: whole numbers are their own, whatever else there is has those of its text."""
    if isinstance(said, np.ndarray):
        return said.astype(np.int64, copy=False).view(np.uint64)
    own = (int(x) if isinstance(x, int) and -(1 << 63) <= x < 1 << 63 else hash(("", x) if x is MISSING else str(x)) for x in said)
    return np.fromiter((x & BITS for x in own), np.uint64, len(said))


def _mixed(x: Numbers) -> Numbers:
    """The finalizer of splitmix64 (Steele, Lea and Flood, 2014), which makes a random number of each integer."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
