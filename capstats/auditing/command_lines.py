"""Commands to paste into a shell, for the arguments of an audit."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from capstats.codes.missing_codes import ALL

SINGLE = {"keys": "key", "target": "target-column", "types": "type"}  # options, each for one value that may hold commas
LINE = 96  # characters; a longer command goes on in the next line


def command(name: str, files: Sequence[str], arguments: Mapping[str, Any], more: Sequence[str] = ()) -> str:
    """A command of capstats on files, with the arguments of `audit` as its options; ``more`` is what else it gets."""
    parts = [f"capstats {name}", *(shlex.quote(f"./{file}" if file.startswith("-") else file) for file in files)]
    for argument, value in arguments.items():
        parts += _options(argument, value)
    lines = [""]
    for part in [*parts, *more]:
        if lines[-1] and len(lines[-1]) + len(part) + 1 > LINE:
            lines[-1] += " \\"
            lines.append(f"   {part}")
        else:
            lines[-1] += f" {part}" if lines[-1] else part
    return "\n".join(lines)


def call(name: str, arguments: Mapping[str, Any]) -> str:
    """The same as a call in Python, where the tables are not files."""
    given = [f"{argument}={value!r}" for argument, value in arguments.items()]
    return f"capstats.{name}({', '.join(['original', 'synthetic', *given])})"


def _options(argument: str, value: Any) -> list[str]:
    """An argument as options of the command line."""
    if argument in ("keys", "target"):
        names = [str(x) for x in (value if isinstance(value, list) else [value])]
        if any("," in x or x != x.strip() or not x for x in names):
            return [_option(SINGLE[argument], x) for x in names]
        return [_option(argument, ",".join(names))]
    if argument == "bins":
        return [_option("bin", f"{column}={number}") for column, number in value.items()]
    if argument == "types":
        return [_option("type", f"{column}={_type(wanted)}") for column, wanted in value.items()]
    if argument == "null_values":
        of_all = list(value.get(ALL, [])) if isinstance(value, Mapping) else list(value)
        named = {column: codes for column, codes in value.items() if column != ALL} if isinstance(value, Mapping) else {}
        return [
            _option("null-values", text)
            for text in [*map(str, of_all), *(f"{column}={','.join(map(str, codes))}" for column, codes in named.items())]
        ]
    option = argument.replace("_", "-")
    return [f"--{option}"] if value is True else [_option(option, str(value))]


def _type(wanted: Any) -> str:
    return wanted if isinstance(wanted, str) else "|".join(map(str, wanted))


def _option(name: str, value: str) -> str:
    return shlex.quote(f"--{name}={value}") if value.startswith("-") else f"--{name} {shlex.quote(value)}"


def quoted(files: Iterable[str]) -> str:
    """Names of files as a shell takes them."""
    return " ".join(map(shlex.quote, files))
