"""Arguments as the caller writes them: in Python, and as options of the command line, whose form this file alone knows."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from capstats.codes.by_table import ALL, ARGUMENTS, BY_COLUMN, SCALARS, by_table
from capstats.codes.labels import plain

SINGLE = {"keys": "key", "target": "target-column", "types": "type"}  # options, each for one value that may hold commas


def said(beside: Mapping[Any, Any] | None = None, **arguments: Any) -> str:
    """Arguments in Python, and in brackets the options that are the same: types={'age': 'number'} (--type age=number).

    ``beside`` are the codes of missing values that were given already: an argument replaces them, and an option is added to theirs.
    """
    options = [option for name, value in arguments.items() for option in options_of(name, value)]
    python = arguments | ({"null_values": {**beside, **arguments["null_values"]}} if beside else {})
    return f"{' and '.join(f'{name}={value!r}' for name, value in python.items())} ({' '.join(options)})"


def options_of(argument: str, value: Any) -> list[str]:
    """An argument as options of the command line."""
    if argument in ("keys", "target"):
        names = [str(x) for x in (value if isinstance(value, list) else [value])]
        if any("," in x or x != x.strip() or not x for x in names):
            return [_option(SINGLE[argument], x) for x in names]
        return [_option(argument, ",".join(names))]
    if argument == "bins":
        return [_option("bin", f"{column}={_bins(wanted)}") for column, wanted in value.items()]
    if argument in SCALARS and isinstance(value, Mapping):
        return [_option(argument, str(x) if table == ALL else f"{table}={x}") for table, x in value.items()]
    if argument in BY_COLUMN and isinstance(value, Mapping):
        value = {_named(table, column): x for table, of in by_table(argument, value).items() for column, x in of.items()}
    if argument == "rename":
        return [_option("rename", f"{old}={new}") for old, new in value.items()]
    if argument == "types":
        return [_option("type", f"{column}={_type(wanted)}") for column, wanted in value.items()]
    if argument == "null_values":
        of_columns = value if isinstance(value, Mapping) else {ALL: value}
        texts = {column: [str(plain(code)) for code in several(codes)] for column, codes in of_columns.items()}
        of_each = [f"{column}={','.join(codes)}" for column, codes in texts.items() if column != ALL]
        return [_option("null-values", text) for text in [*texts.get(ALL, []), *of_each]]
    if argument in ("weights", "counts") and isinstance(value, tuple):
        return [_option(argument, ",".join("" if x is None else str(x) for x in value))]
    option = argument.replace("_", "-")
    return [f"--{option}"] if value is True else [_option(option, str(value))]


def _named(table: Any, column: Any) -> Any:
    """A column of one table, or of all, where its name may look like that of one."""
    if table == ALL:
        return f"{ALL}.{column}" if str(column).startswith(tuple(f"{name}." for name in (*ARGUMENTS, ALL))) else column
    return f"{table}.{column}"


def several(value: Any) -> list[Any]:
    """One value or several as a list."""
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]


def _type(wanted: Any) -> str:
    return wanted if isinstance(wanted, str) else "|".join(map(str, wanted))


def _bins(wanted: Any) -> str:
    if isinstance(wanted, tuple) and wanted[0] == "quantile":
        return f"quantile:{wanted[1]}"
    return str(wanted) if isinstance(wanted, int) else "|".join(map(str, wanted)) + "|" * (len(wanted) == 1)


def _option(name: str, value: str) -> str:
    return _quoted(f"--{name}={value}") if value.startswith("-") else f"--{name} {_quoted(value)}"


def _quoted(text: str) -> str:
    """A text for a shell; one that is not printable, such as a line feed, with escapes, as bash and zsh read them."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = text.replace("\\", r"\\").replace("'", r"\'")
    return "$'{}'".format("".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped))
