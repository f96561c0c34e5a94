"""Whether a file is a record as it was written, and whether its numbers are those of a later audit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from capstats.auditing.record import OF_SCHEMA, SCHEMA, digest_of_text
from capstats.codes.checks import is_number

NAMES = ("counts", "measures", "by_target", "by_column", "ranked", "targets", "copies", "left_out")  # what is compared
NEAR = 1e-9  # two numbers closer than this are equal: other versions may add up in another order
TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def checked(content: bytes) -> tuple[dict[str, Any] | None, list[str]]:
    """A record, if the content of a file is one, and in what it is not as it was written."""
    try:
        text = content.decode()
        record = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:  # JSON and Unicode have their own ValueErrors
        return None, [f"It is no JSON any more: {error}."]
    schema = record.get("schema") if isinstance(record, dict) else None
    if isinstance(schema, dict) and schema.get("name") == OF_SCHEMA["name"] and schema.get("version") not in (None, OF_SCHEMA["version"]):
        raise ValueError(f"The record has version {schema['version']} of the schema. Verify it with the version of capstats that made it.")
    found = list(misfits(record))
    whole = not found
    if whole and digest_of_text(text) != record["digest"]:
        found.append("The digest is not that of the text, which was changed after it was written.")
    return (record if whole else None), found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def differences(record: Mapping[str, Any], again: Mapping[str, Any], left: list[str]) -> list[str]:
    """Where the numbers of a record are not those of a later one of the same audit; ``left`` gets the names that the later one lacks."""
    said, now = _hashes(record), _hashes(again)
    found = list(_compared(said, now, "inputs", left)) if said and now else []
    found += [text for name in NAMES if name in record for text in _compared(record[name], again.get(name, {}), name, left)]
    limits = [[x for x in of["limits"] if f"measures.{x['measure']}" not in left] for of in (record, again)]
    found += _compared(limits[0], limits[1], "limits", left)
    return found if limits[0] != record["limits"] else [*found, *_compared(record["verdict"], again["verdict"], "verdict", left)]


def _hashes(record: Mapping[str, Any]) -> dict[str, Any]:
    """The SHA-256 of the files of each table, whatever their names."""
    files, inputs = record["provenance"].get("files", {}), record["inputs"]
    flat = {table: [name for of in names for name in (of if isinstance(of, list) else [of])] for table, names in files.items() if names}
    return {table: [inputs.get(name) for name in names] for table, names in flat.items()} if inputs else {}


def _compared(said: Any, now: Any, where: str, left: list[str]) -> Iterator[str]:
    """Where two values differ; numbers may by what the order of sums changes."""
    if isinstance(said, Mapping) and isinstance(now, Mapping):
        left += [f"{where}.{name}" for name in said if name not in now]
        for name in (name for name in said if name in now):
            yield from _compared(said[name], now[name], f"{where}.{name}", left)
    elif isinstance(said, list) and isinstance(now, list) and len(said) == len(now):
        for i, (x, y) in enumerate(zip(said, now, strict=True), 1):
            yield from _compared(x, y, f"{where}.{i}", left)
    elif not (is_number(said) and is_number(now) and abs(said - now) <= NEAR * max(1, abs(said), abs(now))) and said != now:
        yield f"{where} is {said} in the record, and {now} now."


def misfits(value: Any, schema: Mapping[str, Any] = SCHEMA, where: str = "the record") -> Iterator[str]:
    """Where a value does not fit a schema, by those words of JSON Schema that `report.schema.json` uses."""
    if "$ref" in schema:
        yield from misfits(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], where)
        return
    if "anyOf" in schema and all(any(misfits(value, one, where)) for one in schema["anyOf"]):
        yield f"{where} fits none of the forms that it may have"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, TYPES[x]) and (x == "boolean") >= isinstance(value, bool) for x in kinds):
        yield f"{where} is no {' or '.join(kinds)}"
        return
    if not any(value == x and isinstance(value, bool) == isinstance(x, bool) for x in schema.get("enum", [value])):
        yield f"{where} is none of {', '.join(map(str, schema['enum']))}"
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        yield f"{where} is not of the form {schema['pattern']}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        yield from (f"{where} has no {name!r}" for name in schema.get("required", []) if name not in value)
        for name, x in value.items():
            yield from misfits(x, known.get(name, schema.get("additionalProperties", {})), f"{where}: {name!r}")
    if isinstance(value, list):
        for i, x in enumerate(value):
            yield from misfits(x, schema.get("items", {}), f"{where}: [{i}]")
