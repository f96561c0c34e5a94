"""The settings of an audit as the text of a configuration file (TOML), from which `capstats audit --config` repeats it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any


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
