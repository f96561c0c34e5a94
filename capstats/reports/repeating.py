"""How an audit is repeated: its arguments as a command to paste into a shell, as a call of Python, or as a configuration file."""

from __future__ import annotations

import datetime as dt
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from capstats.codes.arguments import options_of, several

TABLES = ("original", "holdout", "population", "generator")
LINE = 96  # characters; a longer command goes on in the next line


def command(name: str, files: Sequence[str], arguments: Mapping[str, Any], more: Sequence[str] = (), *, width: float = LINE) -> str:
    """A command of capstats on files, with the arguments of `audit` as its options; ``more`` is what else it gets."""
    parts = [f"capstats {name}", *(shlex.quote(f"./{file}" if file.startswith("-") else file) for file in files)]
    for argument, value in arguments.items():
        parts += options_of(argument, value)
    lines = [""]
    for part in [*parts, *more]:
        if lines[-1] and len(lines[-1]) + len(part) + 1 > width:
            lines[-1] += " \\"
            lines.append(f"   {part}")
        else:
            lines[-1] += f" {part}" if lines[-1] else part
    return "\n".join(lines)


def call(arguments: Mapping[str, Any], tables: Sequence[str] = ("original", "synthetic")) -> str:
    """An audit as a call in Python, where the tables are not files."""
    given = [f"{argument}={value!r}" for argument, value in arguments.items()]
    return f"capstats.audit({', '.join([*tables, *given])})"


def restricted(reading: Mapping[str, Any], columns: Sequence[Any]) -> dict[str, Any]:
    """Options of reading that are given, without bins of other columns than these."""
    found = {name: value for name, value in reading.items() if value is not None and value is not False and name != "progress"}
    if isinstance(found.get("bins"), Mapping):
        found["bins"] = {column: value for column, value in found["bins"].items() if column in columns}
    return {name: value for name, value in found.items() if not isinstance(value, Mapping) or value}


# --- arguments as settings ----------------------------------------------------------------------------------------------


def settings_of(synthetic: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of an audit as the command line records its settings: of the tables only paths, and releases under the names of files."""
    releases = synthetic if isinstance(synthetic, Mapping) else {None: synthetic}
    paths = [str(x) for label, x in releases.items() if isinstance(x, (str, Path)) and label in (None, Path(x).name)]
    found: dict[str, Any] = {"synthetic": paths if len(paths) == len(releases) else None}
    for name, value in arguments.items():
        if name == "progress" or (name in TABLES and not isinstance(value, (str, Path))):
            continue
        if name in ("keys", "target", "targets") and value is not None:
            value = [str(x) for x in several(value)]
        elif name in ("weights", "counts") and isinstance(value, tuple):
            value = dict(zip(("original", "synthetic", "holdout"), value, strict=False))
        found[{"limits": "fail-above"}.get(name, name.replace("_", "-"))] = _setting(value)
    return {name: value for name, value in found.items() if value is not False and value not in (None, {}, [])}


def _setting(value: Any) -> Any:
    """A value of a configuration; None where there is none."""
    if isinstance(value, Mapping):
        found = {str(name): _setting(x) for name, x in value.items()}
        return {name: x for name, x in found.items() if x is not None}
    if isinstance(value, tuple) and value and value[0] == "quantile":
        return {"quantile": value[1]}
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return list(map(_setting, value))
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, (Path, dt.date)) else value if isinstance(value, (str, int, float)) else None


# --- settings as the text of a configuration file, from which `capstats audit --config` repeats the audit -------------------


def as_toml(settings: Mapping[str, Any]) -> str:
    """Settings as TOML text, tables last: texts, numbers, truth values, lists of these, and mappings of them under texts."""
    plain = [f"{_key(name)} = {_value(value)}" for name, value in settings.items() if not isinstance(value, Mapping)]
    tables = []
    for name, value in settings.items():
        if isinstance(value, Mapping):
            tables.append("\n".join([f"[{_key(name)}]", *(f"{_key(key)} = {_value(x)}" for key, x in value.items())]))
    return "\n\n".join(["\n".join(plain)] * bool(plain) + tables) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(text: str) -> str:
    """A text in quotes; what cannot be seen is escaped, and half of a pair, which TOML cannot write, is replaced."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    shown = "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in whole.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{shown}"'


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(x)}" for key, x in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, float):
        return repr(value) if "." in repr(value) or "e" not in repr(value) else repr(value).replace("e", ".0e")
    return json.dumps(value)
