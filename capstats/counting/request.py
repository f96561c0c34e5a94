"""The arguments of `tabulate` as one frozen value, and their checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.bins import Spec, check_bins
from capstats.codes.by_table import ALL, SCALARS, by_table, names, of_table
from capstats.codes.checks import check_choice, check_integer, is_name, shown, shown_name
from capstats.codes.column import one_kind
from capstats.codes.declared_types import PARSERS, Type
from capstats.codes.labels import MISSING, canonical
from capstats.codes.missing_codes import NullValues
from capstats.codes.names import hint, hint_of_data
from capstats.codes.progress import Progress
from capstats.counting.reading import Input
from capstats.sources.csv_rules import codec
from capstats.sources.source import Options
from capstats.tables.backing import Backing

Columns = Hashable | Sequence[Hashable]
F = TypeVar("F", bound=Callable[..., Any])


class Reading(TypedDict, total=False):
    """How records are read and counted: options of `tabulate`, where they are explained, and of all other functions that take records."""

    missing: Literal["level", "drop"]
    null_values: NullValues
    allow_unused_codes: bool
    types: Mapping[Hashable, Type] | None
    bins: Mapping[Hashable, Any] | None
    weights: Any
    counts: Any
    backing: Backing
    encoding: str | Mapping[Hashable, str] | None
    decimal: str | Mapping[Hashable, str]
    sheet: str | Mapping[Hashable, str] | None
    skip: int | Mapping[Hashable, int]
    rename: Mapping[Hashable, Any] | None
    memory_limit: str | None
    spill_dir: str | Path | None
    progress: bool | None


def chosen_columns(columns: Any, argument: str) -> list[Hashable]:
    """One name or several as a list; a tuple is a sequence of names, as a list is."""
    several = isinstance(columns, (Sequence, np.ndarray, pd.Index)) and not isinstance(columns, str)
    chosen = list(columns) if several else [columns]
    if not chosen or columns is None:
        raise ValueError(f"`{argument}` must name at least one column.")
    if not all(map(is_name, chosen)):
        raise TypeError(f"`{argument}` must be a column name or a list of them; got {shown(columns)}.")
    return chosen


@dataclass(frozen=True, kw_only=True)
class Request(Options):
    """The tables and columns of one call, and the options of `Reading` with their defaults."""

    original: Any
    synthetic: Any
    holdout: Any = None
    keys: Columns
    target: Columns | None
    keys_argument: str = "keys"  # the names of the arguments in messages
    target_argument: str | None = "target"  # None where all columns are keys, and none is a target
    allow_same: bool = True  # whether two of the tables may hold the same records
    called: Mapping[str, str] = field(default_factory=dict)  # the names of `original` and `holdout` in messages
    by_record: bool = False  # whether the rows of the original are its records, in their order, equal ones not merged
    missing: Literal["level", "drop"] = "level"
    bins: Mapping[Hashable, Any] | None = None
    weights: Any = None
    counts: Any = None
    backing: Backing = "auto"
    progress: bool | None = None
    copy_columns: int = 0  # columns over which whole records are compared, at most; 0: they are not

    @classmethod
    def of(cls, reading: Reading, **given: Any) -> Request:
        """A request with the options of a public call; an error that names the nearest one where an option is unknown."""
        for name in reading:
            if name not in Reading.__annotations__:
                raise TypeError(f"There is no option {name!r}.{hint(name, Reading.__annotations__)}")
        if isinstance(given["original"], xr.Dataset):
            raise TypeError("`original` is a Dataset of counts, which do not say which record is which. Give the records themselves.")
        return cls(**given, **reading)

    @cached_property
    def key_columns(self) -> list[Hashable]:
        """The names of the key columns."""
        return chosen_columns(self.keys, self.keys_argument)

    @cached_property
    def target_columns(self) -> list[Hashable]:
        """The names of the target columns; none where records are counted by key alone."""
        return [] if self.target_argument is None else chosen_columns(self.target, self.target_argument)

    @cached_property
    def columns(self) -> list[Hashable]:
        """All columns that are counted."""
        return self.key_columns + self.target_columns

    def checked(self) -> dict[Hashable, Spec]:
        """The specification of `bins`; an error where arguments are wrong or contradict each other."""
        columns = self.columns
        twice = [c for c in columns if columns.count(c) > 1]
        if twice:
            both = twice[0] in self.key_columns and twice[0] in self.target_columns
            raise ValueError(
                f"Column {shown_name(twice[0], columns)} is {'both a key and the target' if both else 'named twice'}. "
                f"{'A column cannot be both. Name' if both else 'Name'} each column once."
            )
        check_choice(self.missing, "missing", ("level", "drop"))
        if not isinstance(self.allow_same, (bool, np.bool_)):
            raise TypeError(f"`allow_same` must be True or False; got {shown(self.allow_same)}.")
        check_integer(self.copy_columns, "copy_columns", "a whole number that is not negative", least=0)
        absent = "neither a key nor the target" if self.target_columns else f"not among `{self.keys_argument}`"
        if self.types is not None:
            check_types(self.types)
        return {} if self.bins is None else check_bins(self.bins, columns, of_table("types", self.types, "original") or {}, absent)

    def options(self, progress: Progress | None = None) -> Options:
        """How the tables are read."""
        given = {field.name: getattr(self, field.name) for field in fields(Options)}
        return Options(**given if progress is None else {**given, "display": progress})


APPLIES_TO = {"encoding": ("CSV",), "decimal": ("CSV",), "skip": ("CSV", "Excel"), "sheet": ("Excel",)}  # options, and formats of files


def check_types(types: Any) -> None:
    """Raise unless `types` is a mapping of columns, or of tables with theirs, to types."""
    for given in by_table("types", types).values():
        check_declared(given)


def check_declared(types: Any) -> None:
    """Raise unless `types` is a mapping from columns to names of types, or to sequences of distinct levels."""
    if not isinstance(types, Mapping):
        raise TypeError(f"`types` must be a mapping {{column: type}}; got {shown(types)}.")
    for column, declared in types.items():
        if isinstance(declared, str) and declared in PARSERS:
            continue
        if not isinstance(declared, Collection) or isinstance(declared, (str, bytes, set, frozenset, Mapping)):  # the levels have an order
            raise ValueError(
                f"`types` of column {str(column)!r} must be one of {', '.join(map(repr, PARSERS))} or a list of levels in order; "
                f"got {shown(declared)}."
            )
        levels = [canonical(x) for x in declared]
        one_kind(levels, str(column), "types")
        if not levels or MISSING in levels or any(x in levels[:i] for i, x in enumerate(levels)):
            raise ValueError(
                f"`types` of column {str(column)!r} must list distinct levels that are not missing; got {shown(list(declared))}."
            )


def check_options(options: Options, inputs: Sequence[Input], columns: Collection[Hashable] = ()) -> None:
    """Raise where an option is not what it must be, applies to no table, or names a column that none has; some ``columns`` are known."""
    for option, given in options.given.items():
        for key, value in (by_table(option, given) or {ALL: given}).items():
            tables = [table for table in inputs if names(key, table.name)]
            if option == "decimal":
                check_choice(value, option, (".", ","))
            elif option == "encoding":
                codec(value)
            formats = APPLIES_TO.get(option, ())
            if formats and value not in (None, SCALARS[option]) and not {table.source.format for table in tables} & set(formats):
                kinds = " and ".join(formats)
                none = f"no {' or '.join(formats)} file was given" if key == ALL else f"`{key}` is none"
                raise ValueError(f"`{option}` applies to {kinds} files only; {none}. Leave it out.")
            of = {} if formats else value
            new = {x: old for old, x in of.items()} if option == "rename" else {c: c for c in of if c not in (ALL, *columns)}
            held = [c for table in tables if new for c in table.source.names(table.options)]
            for old in [old for x, old in new.items() if x not in held]:
                absent = "in no table" if key == ALL else f"no column of `{key}`"
                hint_of_old = hint_of_data(old, [*columns, *held])
                raise ValueError(f"`{option}` names {shown_name(old, new)}, which is {absent}.{hint_of_old}")


def shows_options(function: F) -> F:
    """A function that takes ``**reading``, with the options of `Reading` and their defaults in its signature, for help and editors."""
    signature = inspect.signature(function)
    own = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    of_request = {field.name: field for field in fields(Request)}
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=of_request[name].default, annotation=of.__forward_arg__)
        for name, of in Reading.__annotations__.items()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]  # which inspect reads
    return function
