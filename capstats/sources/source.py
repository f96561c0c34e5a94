"""What a source is: anything that holds records, behind one class; the frozen query that it answers; and what all sources check."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from capstats.codes.arguments import said
from capstats.codes.bins import Cut, Numbers, Spec
from capstats.codes.by_table import ALL, BY_COLUMN, SCALARS, by_table, key_of, of_one_table
from capstats.codes.checks import shown_name
from capstats.codes.column import Column, Counts, Sums, chosen
from capstats.codes.declared_types import Type
from capstats.codes.labels import MISSING, Kind, Label, canonical
from capstats.codes.missing_codes import MissingCodes, NullValues
from capstats.codes.names import hint_of_data
from capstats.codes.progress import Progress

QUIET = Progress(False)


@dataclass(frozen=True)
class Options:
    """How the tables of one call are read; the fields are arguments of `tabulate`."""

    types: Mapping[Hashable, Type] | None = None
    null_values: NullValues = None
    allow_unused_codes: bool = False
    encoding: Any = None
    decimal: Any = "."
    sheet: Any = None
    skip: Any = 0
    rename: Mapping[Hashable, Any] | None = None
    memory_limit: str | None = None
    spill_dir: str | Path | None = None
    display: Progress = QUIET

    @cached_property
    def given(self) -> dict[str, Any]:
        """The options that may differ between tables, without those that have their defaults."""
        held = {name: getattr(self, name) for name in (*SCALARS, *BY_COLUMN)}
        return {name: x for name, x in held.items() if x is not SCALARS.get(name)}

    def of_table(self, table: str) -> Options:
        """The same for one table, as messages call it; sources are given this."""
        own = of_one_table(self.given, table)
        return replace(self, **own) if own else self

    @cached_property
    def codes(self) -> MissingCodes:
        """The codes of missing values, from `null_values`."""
        return MissingCodes.of_argument(self.null_values, self.allow_unused_codes)

    def codes_as_texts(self) -> Any:
        """All codes as reports record them: a list of texts, or {column: list}; those of single tables as {table: {column: list}}."""
        held = {} if self.null_values is None else by_table("null_values", self.null_values)
        given = {key: MissingCodes.of_argument(x).as_texts() for key, x in held.items()}
        plain = given.pop(ALL, [])
        own = {str(key): x if isinstance(x, dict) else {ALL: x} for key, x in given.items()}
        return plain if not own else {**(plain if isinstance(plain, dict) else {ALL: plain} if plain else {}), **own}

    def words_of(self, column: Hashable) -> set[str]:
        """The texts that are no codes where a column of text has them in quotes; columns of other types have no such texts."""
        wanted = self.type_of(column)
        is_text = wanted in (None, "text") if isinstance(wanted, (str, type(None))) else all(isinstance(x, str) for x in wanted)
        return self.codes.of(column).words if is_text else set()

    def type_of(self, column: Hashable) -> Any:
        """The type of a column in `types`, or None."""
        return (self.types or {}).get(column)


@dataclass(frozen=True)
class Query:
    """What one source is to return."""

    columns: Sequence[Hashable]
    weight: Hashable | None = None  # the column that is summed in place of counting rows
    sampling: bool = False  # whether it holds sampling weights: their squares and the records are summed, too
    cuts: Mapping[Hashable, Cut] = field(default_factory=dict)  # where columns are cut
    by_record: bool = False  # whether the order and number of the records must be kept
    options: Options = field(default_factory=Options)
    first: int | None = None  # the number of first rows of a file, a table in memory or a relation that are read; None: all

    @property
    def wanted(self) -> list[Hashable]:
        """All columns that are read."""
        return [*self.columns, *([] if self.weight is None else [self.weight])]

    def needed(self, sums: Sums) -> Sums:
        """Those of the sums of weights, records and squared weights that are needed."""
        return sums if self.sampling else sums[:1]


@dataclass(frozen=True)
class Margin:
    """One column by itself: the number of records with each of its labels, or with each of the most frequent ones."""

    labels: Sequence[Label]  # without that of a missing value
    records: Counts
    levels: int  # number of all labels
    missing: int  # records
    total: int  # records
    ordered: bool = False  # whether the labels are categories, in their order


Margins = list[tuple[Hashable, Margin | None]]  # columns with their margins; None where a column cannot be read


class Source(ABC):
    """A table of records, wherever it is. There is one class for each kind; `capstats.sources.door.open_source` chooses it."""

    in_memory = False  # whether the records are available one by one, in order; otherwise an engine counts them
    is_csv = False  # whether all values are texts of CSV files
    format = ""  # of a file for which there are options: CSV or Excel
    rows_at_start: Iterable[tuple[int, Sequence[Hashable]]] = ()  # of a sheet
    path = ""  # of one or several files, as given
    files: Any = ()  # all files of the path

    def __init__(self, table: Any, name: str):
        self.table, self.name = table, name  # the name in messages

    @property
    def size(self) -> int | None:
        """The number of records, where it is known without counting."""
        return None

    def number(self, options: Options) -> int | None:  # noqa: ARG002  a file needs them
        """The number of records of a table in memory or a file, without reading values."""
        return self.size

    def names(self, options: Options) -> Sequence[Hashable]:  # noqa: ARG002  a file needs them
        """The names of all columns."""
        return list(self.table.columns)

    def first_rows(self, options: Options) -> Iterable[tuple[int, Sequence[Hashable]]]:  # noqa: ARG002  a file needs them
        """The first rows of a file, each with its number from 1; one may have the names of the columns."""
        return self.rows_at_start

    @abstractmethod
    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """The columns as codes, row by row, and what each row adds: nothing where it is one record; its number of records; or its weight.

        Rows may be records or distinct rows, whichever is faster, unless the query says ``by_record``; equal rows are added up later.
        The sums are ``()`` where each row is one record, ``[counts]``, ``[weights]``, or, for sampling weights, ``[weights, records,
        squared weights]`` (see `Query.needed`). They are integers where each single weight is a whole number.

        `null_values` and `types` are applied to the labels later, by `capstats.counting.reading`. A column in ``query.cuts`` comes as
        codes of its bins: there the source applies `types`, and gives each text of ``cut.texts`` its own bin after the others, with
        `numbers_of` and `cut_column`, or `binned_column` where its engine cuts.
        """

    @abstractmethod
    def values(self, query: Query, specs: Sequence[Spec]) -> list[tuple[Numbers, Counts]]:
        """Each column of the query as numbers with their counts, as far as its spec needs them to cut the column.

        Its least and greatest values are enough for bins of equal width, and its kind for cut points. Texts that `null_values` names
        are missing.
        """

    def margins(self, columns: Sequence[Hashable], options: Options, most: int) -> Margins:
        """The margin of each column, with at most ``most`` of its labels."""
        found: Margins = []
        for column in columns:
            try:
                found.append((column, self._margin(column, options, most)))
            except (TypeError, ValueError):
                found.append((column, None))
        return found

    def _margin(self, column: Hashable, options: Options, most: int) -> Margin:
        (one,), sums = self.rows(Query([column], options=options))
        return margin(one, sums[0] if sums else None, most)


def margin(column: Column, weights: Counts | None, most: int, levels: int | None = None, total: int | None = None) -> Margin:
    """The margin of a column whose rows count ``weights`` records each; ``levels`` and ``total`` where it does not hold all labels."""
    codes = column.codes.astype(np.int64) - column.first
    records = np.bincount(codes, weights, len(column.labels)).astype(np.int64)
    held = np.flatnonzero(records)
    labels = dict(zip(held.tolist(), chosen(column.labels, held), strict=True))
    missing = [i for i, label in labels.items() if label is MISSING]
    present = np.setdiff1d(held, missing)
    number = len(present) if levels is None else levels
    if len(present) > most:
        present = np.sort(present[np.argsort(-records[present], kind="stable")[:most]])
    shown = [canonical(labels[i]) for i in present.tolist()]
    return Margin(shown, records[present], number, int(records[missing].sum()), total or int(records.sum()), column.ordered)


def renamed(names: Sequence[Hashable], options: Options) -> list[Hashable]:
    """The names of the columns of a table after renaming."""
    return [(options.rename or {}).get(name, name) for name in names]


def named_later(wanted: Sequence[Hashable], rows: Iterable[tuple[int, Sequence[Hashable]]], table: str, options: Options) -> str:
    """The hint at the row of a file that has the names that its header lacks, with the option that skips the rows before it."""
    for number, fields in rows:
        if set(wanted) <= set(renamed(fields, options)):
            return f"line {number} has {'it' if len(wanted) == 1 else 'them'}: say {said(skip={key_of(table): number - 1})}."
    return ""


def in_other_spelling(wanted: Sequence[Hashable], names: Sequence[Hashable], table: str) -> str:
    """The hint at the option that renames columns, where their names differ only in case, spaces and signs."""
    folded = {folded_name(name): name for name in names if name not in wanted}
    others = {folded[folded_name(x)]: x for x in wanted if x not in names and folded_name(x) in folded}
    if not others:
        return ""
    return (
        f" It has {', '.join(map(repr, others))}: names that differ in case, spaces or signs are different. If the other tables have "
        f"{', '.join(repr(x) for x in others.values())}, say {said(rename={key_of(table): others})}."
    )


def folded_name(name: Hashable) -> str:
    """The same text for names that differ only in case, spaces or signs."""
    return re.sub(r"[\W_]+", "", str(name).casefold()) or str(name)


def check_columns(query: Query, names: Sequence[Hashable], table: str, rows: Iterable[tuple[int, Sequence[Hashable]]] = ()) -> None:
    """Raise unless a table has each column of a query exactly once; ``rows`` are the first rows of a file."""
    wanted = query.wanted
    for column in wanted:
        if column not in names:
            absent = f"Column {shown_name(column, wanted)} is not in"
            if told := named_later(wanted, rows, table, query.options):
                raise ValueError(f"{absent} line {query.options.skip + 1} of `{table}`; {told}")
            raise ValueError(f"{absent} `{table}`." + (in_other_spelling(wanted, names, table) or hint_of_data(column, names)))
        if list(names).count(column) > 1:
            raise ValueError(f"Column {column!r} occurs {list(names).count(column)} times in `{table}`. Rename all but one.")


def check_one_kind(places: Mapping[Kind, str], column: Hashable, table: str = "") -> None:
    """Raise where parts of a table hold a column's labels of different kinds; ``places`` are what messages call the parts."""
    if len(places) > 1:
        (a, x), (b, y), *_ = places.items()
        raise TypeError(f"Column {column!r}{table} holds {a} labels in {x} and {b} labels in {y}. Convert one of them.")


def no_numbers(kind: Kind | None = None) -> tuple[Numbers, Counts]:
    """The numbers and counts of a column without any value to be cut."""
    return Numbers(kind, np.zeros(0)), np.zeros(0, np.int64)


def wrong_weights(column: Hashable, table: str, number: int, first: int | None = None) -> ValueError:
    """The error for weights that cannot be summed: how many rows have one, and the first of them where rows have an order."""
    place = "" if first is None else f", the first is row {first} (from 0)"
    return ValueError(
        f"Weights and counts must be numbers that are finite and not negative; rows of `{table}` where column {column!r} breaks this: "
        f"{number}{place}. Correct them, or leave these rows out."
    )


def whole_weights(weights: np.ndarray, column: Hashable, table: str) -> Counts:
    """Weights or counts, checked; as int64 where all are whole numbers, otherwise as float64."""
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        raise wrong_weights(column, table, int(bad.sum()), int(np.argmax(bad)))
    if weights.dtype.kind == "f" and (weights != np.floor(weights)).any():
        return weights.astype(np.float64)
    if float(weights.sum(dtype=np.float64)) >= 2**53:
        raise ValueError(f"The integer weights {column!r} of `{table}` sum to 2**53 or more, which is not exact. Scale them down.")
    return weights.astype(np.int64)


def engine_sums(arrays: Sequence[np.ndarray], query: Query, table: str, *, fractional: bool) -> Sums:
    """The sums that an engine returns as floats: counts, or weights, the numbers of records and squared weights."""
    counts = arrays[0] if fractional else whole_weights(arrays[0], query.weight, table)
    return [counts] if len(arrays) == 1 else [counts, arrays[1].astype(np.int64), arrays[2]]


@contextmanager
def engine_errors(name: str) -> Iterator[None]:
    """Report an error in a user's own query by its class alone, since an engine's message may quote records.

    The errors of capstats itself, which never do, are classes of Python.
    """
    try:
        yield
    except Exception as error:
        if "Query interrupted" in str(error):
            raise KeyboardInterrupt from None
        if type(error).__module__ == "builtins":
            raise
        raise ValueError(
            f"`{name}` cannot be computed: its engine stops with {type(error).__name__}. Compute it by itself to see why."
        ) from None
