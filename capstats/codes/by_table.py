"""Options of reading that hold for one table: {table: value} in place of a value.

A table is named by its argument: "synthetic" means all releases, a label means one release, and "*" means every table. Options that
are mappings of columns have such a mapping under the name of a table.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from capstats.codes.checks import is_integer, is_name, shown

ALL = "*"  # all tables, and in `null_values` all columns
SCALARS: dict[str, Any] = {"encoding": None, "decimal": ".", "sheet": None, "skip": 0}  # options with one value a table, and their defaults
ARGUMENTS = ("original", "synthetic", "holdout", "members", "non-members")  # how tables are called on the command line
BY_COLUMN = ("types", "null_values", "rename")


def by_table(option: str, value: Any) -> dict[Hashable, Any]:
    """An option as a mapping from the names of tables to their values; "*" is the name for all tables."""
    if not isinstance(value, Mapping):
        return {} if value is None else {ALL: {ALL: value} if option == "null_values" else value}
    if option in SCALARS:
        return dict(value)
    own = {name: x for name, x in value.items() if isinstance(x, Mapping)}
    others = {**own.pop(ALL, {}), **{name: x for name, x in value.items() if not isinstance(x, Mapping)}}
    return {**({ALL: others} if others else {}), **own}


def is_by_table(option: str, value: Any) -> bool:
    """Whether an option has values for single tables."""
    return isinstance(value, Mapping) and (option in SCALARS or any(isinstance(x, Mapping) for x in value.values()))


def of_table(option: str, value: Any, table: str) -> Any:
    """The value of an option for one table, by its name in messages; a value for fewer tables takes precedence over one for more."""
    given = by_table(option, value)
    found = [given[key] for key in sorted(given, key=lambda key: (key != ALL, key != "synthetic")) if names(key, table)]
    if option in SCALARS:
        return found[-1] if found else SCALARS[option]
    if not all(isinstance(x, Mapping) for x in found):
        return value  # no mapping, which is refused
    return {column: x for of in found for column, x in of.items()} or None


def of_one_table(options: Mapping[str, Any], table: str) -> dict[str, Any]:
    """The values for one table of those options that have values for single tables."""
    return {name: of_table(name, value, table) for name, value in options.items() if is_by_table(name, value)}


def names(key: Hashable, table: str) -> bool:
    """Whether a key of an option names a table."""
    if key in (ALL, table) or (key == "synthetic" and table.startswith("synthetic[")):
        return True
    from capstats.codes.labels import canonical  # which loads pandas

    return str(key).replace("-", "_") == table or f"synthetic[{canonical(key)!r}]" == table


def check_tables(given: Mapping[str, Any], tables: Sequence[str]) -> None:
    """Raise where an option has a value for a table that is not there."""
    for option, value in given.items():
        for key, x in by_table(option, value).items():
            _check(option, x)
            if not any(names(key, table) for table in tables):
                known = dict.fromkeys(x for table in tables for x in (table.split("[")[0], key_of(table)))
                raise ValueError(f"`{option}` names {shown(key)}, which is no table; the tables are {', '.join(map(repr, known))}.")


def _check(option: str, value: Any) -> None:
    """Raise where the value for a table is of another type than it must be."""
    if option == "skip" and not (is_integer(value) and value >= 0):
        raise ValueError(f"`skip` must be a whole number of lines, or a mapping {{table: number}}; got {shown(value)}.")
    if option == "sheet" and not isinstance(value, str):
        raise TypeError(f"`sheet` must be the name of a sheet, or a mapping {{table: name}}; got {shown(value)}.")
    if option == "rename" and not (isinstance(value, Mapping) and all(map(is_name, value.values()))):
        raise TypeError(f"`rename` must be a mapping {{old name: new name}}, or {{table: such a mapping}}; got {shown(value)}.")


def key_of(table: str) -> Any:
    """The name of a table in options, from its name in messages."""
    label = re.fullmatch(r"synthetic\[(.*)\]", table, re.DOTALL)
    try:
        return ast.literal_eval(label[1]) if label else table
    except (ValueError, SyntaxError):  # a date, say
        return "synthetic"


def of_arguments(reading: Mapping[str, Any], arguments: Sequence[str]) -> dict[str, Any]:
    """Options of reading without values for single releases: only those for the tables in these arguments."""
    found = dict(reading)
    for option in (*SCALARS, *BY_COLUMN):
        if is_by_table(option, value := reading.get(option)):
            given = {key: x for key, x in by_table(option, value).items() if key in (ALL, *arguments)}
            found[option] = given if option in SCALARS else {**given.pop(ALL, {}), **given}
    return {name: x for name, x in found.items() if x != {}}
