"""What a source is: anything that holds records, behind one protocol; and the frozen query that it answers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from capstats.codes.bins import Cut, Numbers, Spec
from capstats.codes.column import Column, Counts, Sums
from capstats.codes.declared_types import Type
from capstats.codes.missing_codes import MissingCodes
from capstats.codes.names import hint_of_data
from capstats.codes.progress import Progress


@dataclass(frozen=True)
class Options:
    """How the tables of one call are read; the fields are arguments of `tabulate`."""

    types: Mapping[Hashable, Type] = field(default_factory=dict)
    null_values: MissingCodes = field(default_factory=MissingCodes)
    encoding: str | None = None
    decimal: str = "."
    memory_limit: str | None = None
    spill_dir: str | Path | None = None
    progress: Progress = field(default_factory=lambda: Progress(False))


@dataclass(frozen=True)
class Query:
    """What one source is to return."""

    columns: Sequence[Hashable]
    weight: Hashable | None = None  # the column that is summed in place of counting rows
    sampling: bool = False  # whether it holds sampling weights: their squares and the records are summed, too
    cuts: Mapping[Hashable, Cut] = field(default_factory=dict)  # where columns are cut
    by_record: bool = False  # whether the order and number of the records must be kept
    options: Options = field(default_factory=Options)

    @property
    def wanted(self) -> list[Hashable]:
        """All columns that are read."""
        return [*self.columns, *([] if self.weight is None else [self.weight])]

    def needed(self, sums: Sums) -> Sums:
        """Of the sums of weights, records and squared weights, those that are needed."""
        return sums if self.sampling else sums[:1]


class Source(Protocol):
    """A table of records, wherever it lies. There is one class for each kind; `capstats.sources.door.open_source` chooses it."""

    @property
    def name(self) -> str:
        """What messages call the table."""

    @property
    def in_memory(self) -> bool:
        """Whether the records are at hand, one by one and in order; otherwise an engine counts them, and only counts come back."""

    @property
    def is_csv(self) -> bool:
        """Whether all values are texts of CSV files."""

    @property
    def size(self) -> int | None:
        """The number of records, where it is known without counting."""

    def names(self, options: Options) -> Sequence[Hashable]:
        """The names of all columns."""

    def rows(self, query: Query) -> tuple[list[Column], Sums]:
        """The columns as codes, row by row, and what each row adds: nothing where it is one record; its number of records; or its weight.

        Rows may be records or distinct rows, as the source finds them faster, unless the query says ``by_record``; rows that are equal
        are added up. The sums are ``()`` where each row is one record, ``[counts]``, ``[weights]``, or, for sampling weights, ``[weights,
        records, squared weights]`` (see `Query.needed`). They are integers where each single weight is a whole number.

        `null_values` and `types` are applied to the labels later, by `capstats.counting.reading`. A column in ``query.cuts`` comes as
        codes of its bins: there the source applies `types`, and gives each text of ``cut.texts`` its own bin after the others, with
        `numbers_of` and `cut_column`, or `binned_column` where its engine cuts.
        """

    def values(self, query: Query, specs: Sequence[Spec]) -> list[tuple[Numbers, Counts]]:
        """Each column of the query as numbers, and how many records have each: as far as its spec needs them to cut the column.

        Its least and greatest values are enough for bins of equal width, and its kind for cut points. Texts that `null_values` names
        are missing.
        """


def check_names(wanted: Sequence[Hashable], names: Sequence[Hashable], table: str) -> None:
    """Raise unless a table has each of the wanted columns exactly once."""
    for column in wanted:
        if column not in names:
            raise ValueError(f"Column {column!r} is not in `{table}`." + hint_of_data(column, names))
        if list(names).count(column) > 1:
            raise ValueError(f"Column {column!r} occurs {list(names).count(column)} times in `{table}`. Rename all but one.")
