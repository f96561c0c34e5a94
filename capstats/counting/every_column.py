"""Every column of a table by itself, before any is chosen: its labels, its kind, and how it compares with another table's.

Columns are not counted jointly, so that a table of hundreds of columns takes seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from capstats.codes.bins import check_bins
from capstats.codes.column import Column, joint_labels
from capstats.codes.declared_types import all_read, parsed, plain_number
from capstats.codes.labels import MISSING, Kind, Label, kind_of
from capstats.codes.missing_codes import likely_codes
from capstats.counting.reading import Input, check_codes, inputs_of, labelled, read_rows
from capstats.counting.request import check_options, check_types
from capstats.sources.door import labels_in
from capstats.sources.files import one_connection
from capstats.sources.memory import MemorySource
from capstats.sources.source import Margin, Options, Query, Source
from capstats.tables.levels import Entry, compare

MOST_LABELS = 10_000  # the most labels of a column that are examined, the most frequent ones

DISTINCT, FEWEST = 0.9, 20  # levels per record from which a column is nearly an identifier, if it has FEWEST records


@dataclass(frozen=True)
class Look:
    """A column of a table."""

    margin: Margin
    given: Margin  # before `types` and `null_values`
    decimal: str = "."

    @cached_property
    def held(self) -> Kind | None:
        """The kind of its labels as they are read, None where all values are missing; "other" where they are of several kinds."""
        kinds = {kind_of(label) for label in self.margin.labels}
        return (kinds.pop() if len(kinds) == 1 else "other") if kinds else None

    @cached_property
    def likely(self) -> list[Label]:
        """Labels that look like codes of missing values."""
        if self.held == "text" and self.decimal == ",":
            points = {x.replace(",", "."): x for x in self.margin.labels}
            return [points[code] for code in likely_codes(list(points))]
        return [] if self.held == "other" else likely_codes(self.margin.labels)

    @cached_property
    def values(self) -> list[Label]:
        """The other labels; texts are parsed if all of them are numbers (with the ``decimal`` sign), dates or truth values."""
        codes = set(map(repr, self.likely))
        labels = [x for x in self.margin.labels if repr(x) not in codes]
        if self.held == "text" and labels:
            for read in (partial(_number, decimal=self.decimal), partial(parsed, declared="date"), _truth):
                if (found := all_read(labels, read)) is not None:
                    return found
        return labels

    @cached_property
    def spread(self) -> tuple[float, float, float] | None:
        """The least, the mean and the greatest value where floats hold all values, those that look like codes included."""
        labels = list(self.margin.labels)
        read = all_read(labels, partial(_number, decimal=self.decimal)) if self.held == "text" else labels if self.held == "number" else []
        if not read or max(map(abs, read)) > sys.float_info.max:
            return None
        numbers = np.array(read, float)
        return numbers.min().item(), np.average(numbers, weights=self.margin.records).item(), numbers.max().item()

    def has_decimals(self, sign: str) -> bool:
        """Whether its texts are numbers with this decimal sign, some of them with decimals."""
        if self.held != "text" or not any(sign in x for x in self.margin.labels):
            return False
        labels = [x for x in self.margin.labels if x not in self.likely]
        return any(sign in x for x in labels) and all_read(labels, partial(_number, decimal=sign)) is not None

    @cached_property
    def kind(self) -> Kind | None:
        """The kind of its values: "number" for texts that are all numbers."""
        return "other" if self.held == "other" else kind_of(self.values[0]) if self.values else self.held

    def as_type(self, wanted: Kind | None) -> Column:
        """Its labels as a column, texts converted to another kind; labels that look like codes and do not convert are missing."""
        labels, margin = self.margin.labels, self.margin
        if self.held == "text" and wanted not in ("text", None):
            sign = self.decimal if wanted == "number" else "."
            labels = [parsed(x.replace(sign, "."), wanted) for x in labels]
        return Column(np.arange(len(labels)), labels, ordered=margin.ordered)


def _number(text: str, decimal: str) -> Label:
    return MISSING if decimal != "." and "." in text else plain_number(text.replace(decimal, "."))


def _truth(text: str) -> Label:
    return parsed(text, "bool") if text.lower() in ("true", "false") else MISSING


@dataclass(frozen=True)
class Looked:
    """A table: its columns, None where one cannot be read; and the labels that its file has for variables and for values."""

    table: Input
    columns: Mapping[Hashable, Look | None]
    twice: Sequence[Hashable]  # names that occur more than once, and are no column here
    records: int
    labels: Mapping[str, str]
    value_labels: Mapping[str, Mapping[Any, str]]

    def with_commas(self) -> Looked:
        """The same table with texts read as numbers with a decimal comma."""
        return replace(self, columns={c: look and replace(look, decimal=",") for c, look in self.columns.items()})

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.table.name


def every_column(original: Any, synthetic: Any, options: Options) -> tuple[list[Looked], list[Label] | None]:
    """The original and the synthetic tables, and the labels of several of these.

    The decimal sign of CSV is that of the options, or a comma where no column has numbers with a point.
    """
    inputs, labels = inputs_of(original, synthetic, None, None, None, options, {})
    check_types(options.types)
    check_options(options, inputs)
    with one_connection([table.source for table in inputs], options):
        found = list(map(_looked, inputs))
    looks = [look for table in found if table.table.source.is_csv for look in table.columns.values() if look is not None]
    commas = options.decimal == "." and any(look.has_decimals(",") for look in looks)
    if commas and not any(look.has_decimals(".") for look in looks):
        found = [table.with_commas() if table.table.source.is_csv else table for table in found]
    return found, labels


def _looked(table: Input) -> Looked:
    options = table.options
    options.display.step(f"reading {table.name}")
    names = list(table.source.names(options))
    if not any(str(name) for name in names):
        raise ValueError(f"`{table.name}` has no column. The first line of a CSV file must name the columns.")
    once = [name for name in dict.fromkeys(names) if names.count(name) == 1]
    margins = dict(table.source.margins(once, options, MOST_LABELS))
    texts = {c for c, margin in margins.items() if margin is not None and table.source.is_csv}
    columns = {
        c: None if margin is None else Look(_as_asked(c, margin, options, table.name), margin, options.decimal if c in texts else ".")
        for c, margin in margins.items()
    }
    records = max((margin.total for margin in margins.values() if margin is not None), default=0)
    labels = labels_in(table.source.path, table.name, options) if table.source.path else ({}, {})
    return Looked(table, columns, [name for name in dict.fromkeys(names) if names.count(name) > 1], records, *labels)


def _as_asked(column: Hashable, margin: Margin, options: Options, table: str) -> Margin:
    """A margin after `types` and `null_values`."""
    wanted, codes = options.type_of(column), options.codes.of(column)
    if (wanted is None and not codes.given) or not margin.labels:
        return margin
    read = Column(np.arange(len(margin.labels)), margin.labels, ordered=margin.ordered)
    found, _ = labelled(column, read, margin.records, wanted, codes, table)
    records = np.bincount(found.codes, margin.records, len(found.labels)).astype(np.int64)
    kept = [i for i in np.flatnonzero(records).tolist() if found.labels[i] is not MISSING]
    gone = int(margin.records.sum() - records[kept].sum())
    levels = margin.levels - len(margin.labels) + len(kept)
    return Margin([found.labels[i] for i in kept], records[kept], levels, margin.missing + gone, margin.total, found.ordered)


def is_complete(look: Look) -> bool:
    """Whether all labels of the column were examined."""
    return look.margin.levels == len(look.margin.labels)


def is_identifier(look: Look) -> bool:
    """Whether nearly every record has a level of its own; numbers with decimals, which are measured, do not count."""
    present = look.margin.total - look.margin.missing
    measured = look.kind == "number" and not all(isinstance(x, int) for x in look.values)
    return present >= FEWEST and look.margin.levels >= DISTINCT * present and not measured


def joint_kind(one: Look, other: Look) -> Kind | None:
    """The kind to which both columns convert, "text" if both are texts; None if there is none."""
    if one.held == other.held or other.held is None:
        return one.held
    return one.kind if one.kind == other.kind != "other" and "text" in (one.held, other.held) else None


def compared_labels(one: Look, other: Look) -> Entry | None:
    """How the labels of two columns compare, as `compare` says, without examples; None where both have the same."""
    wanted = joint_kind(one, other)
    columns = [one.as_type(wanted), other.as_type(wanted)]
    labels, maps = joint_labels(columns, "", ("", ""))
    records = [np.bincount(at, look.margin.records, len(labels)).astype(np.int64) for at, look in zip(maps, (one, other), strict=True)]
    found = compare(list(labels), records[0], records[1], "column")
    return None if found is None else {**found, "examples": []}


def is_within(look: Look, other: Look) -> bool:
    """Whether at least half of the values, each counted once, lie between the least and the greatest of another column of their kind."""
    mine, theirs = sorted(look.values), sorted(other.values)
    return bool(mine and theirs) and bool(theirs[0] <= mine[(len(mine) - 1) // 2] and mine[len(mine) // 2] <= theirs[-1])


def is_accepted(column: Hashable, tables: Sequence[Looked], options: Options, bins: int | None) -> bool:
    """Whether an audit with these options accepts the column: each table can be read with them, and shares a level with the first.

    A column that is cut into bins needs values in one range in all tables. The labels are tried, or the tables if labels are too many.
    """
    own = [options.of_table(table.name) for table in tables]
    inputs = [
        Input(_source(table, column, of.type_of(column) == "number" or bins is not None, of.codes.of(column).texts), of)
        for table, of in zip(tables, own, strict=True)
    ]
    try:
        with one_connection([table.source for table in inputs], options):
            if bins is not None:
                specs = list(check_bins({column: bins}, [column], own[0].types or {}).values())
                kinds = {x.source.values(Query([column], options=x.options), specs)[0][0].kind for x in inputs}
                looks = [look for table in tables if (look := table.columns[column])]
                return len(kinds) == 1 and None not in kinds and all(is_within(look, looks[0]) for look in looks[1:])
            parts = [read_rows(table, [column])[0] for table in inputs]
            check_codes(options, inputs, [column], [[part] for part in parts], {})
            labels, maps = joint_labels([part.columns[0] for part in parts], str(column), [table.name for table in inputs])
    except (TypeError, ValueError):
        return False
    of_first, *others = [
        {labels[i] for i in np.unique(places[part.columns[0].codes])} - {MISSING} for places, part in zip(maps, parts, strict=True)
    ]
    return all(of_first & own for own in others)


def _source(table: Looked, column: Hashable, is_number: bool, codes: Sequence[str]) -> Source:
    """The labels of a column as a table, with a decimal point; or the table itself, if not all labels were examined."""
    look = table.columns[column]
    if look is None or look.given.levels > len(look.given.labels):
        return table.table.source
    labels = list(look.given.labels)
    if look.decimal == "," and is_number:
        labels = [x if x in codes else ";" if "." in x else x.replace(",", ".") for x in labels]
    return MemorySource({column: labels}, table.name)
