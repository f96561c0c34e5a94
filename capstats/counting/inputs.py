"""The tables of records of one call, their names in messages, and their columns of weights."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

from capstats.codes.bins import Cut
from capstats.codes.by_table import check_tables
from capstats.codes.checks import is_name, shown
from capstats.codes.column import Column, Sums
from capstats.codes.labels import Label, canonical
from capstats.sources.door import is_frame, open_source
from capstats.sources.files import is_path
from capstats.sources.source import Options, Query, Source

Weight = Hashable | None


@dataclass(frozen=True)
class Input:
    """One table of records, and the column of weights, which is summed in place of counting records."""

    source: Source
    options: Options = field(default_factory=Options)  # how it is read
    weight: Weight = None
    sampling: bool = False  # whether it holds sampling weights, which are not numbers of records
    by_record: bool = False  # whether its rows are its records, in their order, equal ones not merged
    held: dict[str, Any] = field(default_factory=dict, repr=False)  # a reading of many columns, by `hold`; its caller clears it

    def hold(self, columns: Sequence[Hashable]) -> None:
        """Read these columns now, from which `rows` answers until ``held`` is cleared."""
        found, sums = self.rows(columns)
        self.held.update(columns=dict(zip(columns, found, strict=True)), sums=sums)

    def rows(
        self, columns: Sequence[Hashable], cuts: Mapping[Hashable, Cut] = MappingProxyType({}), most: int | None = None
    ) -> tuple[list[Column], Sums]:
        """The result of `Source.rows` for all rows, or for the first ones."""
        held = self.held.get("columns", {})
        if cuts or not set(columns) <= held.keys():
            return self.source.rows(Query(columns, self.weight, self.sampling, cuts, self.by_record, self.options, most))
        return [held[c] for c in columns], self.held["sums"]

    @cached_property
    def name(self) -> str:
        """Its name in messages."""
        return self.source.name


def inputs_of(
    original: Any, synthetic: Any, holdout: Any, weights: Any, counts: Any, options: Options, called: Mapping[str, str]
) -> tuple[list[Input], list[Label] | None]:
    """All tables, in the order original, synthetic ones, holdout; and the labels of several synthetic ones."""
    labels, several, names = released(synthetic)
    of_weights, of_counts = (_of_tables(given, name, synthetic, labels) for given, name in ((weights, "weights"), (counts, "counts")))
    given = {called.get("original", "original"): original, **dict(zip(names, several, strict=True))}
    given |= {} if holdout is None and "holdout" not in called else {called.get("holdout", "holdout"): holdout}
    inputs = []
    for table, weight, number in zip(opened(given, options), of_weights, of_counts, strict=False):
        if weight is not None and number is not None:
            raise ValueError(
                f"`{table.name}` has both `weights` ({weight!r}) and `counts` ({number!r}): a row is one weighted record, or stands for "
                f"several. Give one of them, and None for `{table.name}` in the other."
            )
        column = number if weight is None else weight
        inputs.append(table if column is None else replace(table, weight=column, sampling=weight is not None))
    return inputs, labels


def opened(tables: Mapping[str, Any], options: Options) -> list[Input]:
    """The tables by their names in messages, with options for each; an error where an option names another table."""
    if given := options.given:
        check_tables(given, list(tables))
    found = []
    for name, table in tables.items():
        own = options.of_table(name) if given else options
        source = open_source(table, name, own)
        found.append(Input(source, replace(own, decimal=".") if own.decimal == "," and not source.is_csv else own))
    return found


def column_names(table: Any, name: str) -> list[Hashable]:
    """The columns of a table, which has this name in messages."""
    (found,) = opened({name: table}, Options())
    return list(found.source.names(found.options))


def _of_tables(given: Any, argument: str, synthetic: Any, labels: Sequence[Label] | None) -> list[Weight]:
    """The column that `weights` or `counts` names for the original, each synthetic table and the holdout."""
    if isinstance(given, tuple) and len(given) in (2, 3):
        of_o, of_s, of_h = (*given, given[0])[:3]
    elif isinstance(given, (list, tuple)) or not (given is None or is_name(given)):
        raise ValueError(f"`{argument}` must be a column name, or a pair of them for original and synthetic records; got {shown(given)}.")
    else:
        of_o = of_s = of_h = given
    if labels is None:
        return [of_o, *([] if synthetic is None else [of_s]), of_h]
    if isinstance(of_s, Mapping):
        if set(of_s) != set(synthetic):
            raise ValueError(f"`{argument}` is for the synthetic tables {list(of_s)!r}; they are {list(synthetic)!r}. Give one for each.")
        own = [of_s[x] for x in synthetic]
    else:
        own = list(of_s) if isinstance(of_s, list) else [of_s] * len(labels)
    if len(own) != len(labels):
        raise ValueError(f"`{argument}` has {len(own)} names for {len(labels)} synthetic tables. Give one for each.")
    return [of_o, *own, of_h]


def released(synthetic: Any) -> tuple[list[Label] | None, list[Any], list[str]]:
    """The labels of several synthetic tables (None for one or none), the tables, and their names in messages."""
    if isinstance(synthetic, Mapping) and any(is_path(x) or is_frame(x) for x in synthetic.values()):  # else columns of one table
        labels, several = [canonical(x) for x in synthetic], list(synthetic.values())
    elif isinstance(synthetic, (list, tuple)):
        labels, several = list(range(len(synthetic))), list(synthetic)
    else:
        return (None, [], []) if synthetic is None else (None, [synthetic], ["synthetic"])
    if not labels or len(set(labels)) < len(labels):
        raise ValueError(f"`synthetic` must be at least one table, with distinct labels; got the labels {labels!r}.")
    return labels, several, [f"synthetic[{label!r}]" for label in labels]


def files_read(tables: Sequence[Input]) -> dict[str, Any]:
    """The given paths by table, and under ``files`` all files of these paths; empty where no path was given.

    Files are relative where the path is, so that a report does not say where the folder lies.
    """
    paths: dict[str, Any] = {}
    stand_for: dict[str, Any] = {}
    for name, of in groupby(tables, lambda table: table.name.partition("[")[0]):
        sources = [table.source for table in of]
        if any(source.path for source in sources):
            given = [source.path or None for source in sources]
            named = [source.path and [os.path.relpath(x) if _is_relative(source.path) else x for x in source.files] for source in sources]
            paths[name], stand_for[name] = (given, [x or None for x in named]) if name == "synthetic" else (given[0], named[0])
    return {**paths, "files": stand_for} if paths else {}


def _is_relative(path: str) -> bool:
    return not (Path(path).is_absolute() or path.startswith("~"))
