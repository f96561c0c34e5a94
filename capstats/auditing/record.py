"""The record of a report: its JSON, with all that is needed to check it in years, and a digest that finds an accidental change.

`report.schema.json` describes it. Within a version of the schema there are only changes with which an older program reads newer records.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Collection, Iterator, Mapping
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from capstats.auditing.findings import verdict_of
from capstats.auditing.measures import Measure, words
from capstats.auditing.provenance import fingerprints
from capstats.auditing.report import plain
from capstats.codes.checks import is_number
from capstats.codes.names import printable_json
from capstats.tables.dataset import VERSION

SCHEMA_TEXT = files("capstats.auditing").joinpath("report.schema.json").read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = json.loads(SCHEMA_TEXT)
OF_SCHEMA = {"name": "capstats report", "version": 1}
LIBRARIES = ("numpy", "pandas", "xarray", "scipy", "duckdb")
DIGEST = re.compile(r'"digest": "[0-9a-f]*"(?=\s*\}\s*\Z)')  # the last entry


def recorded(audit: Any, found: Mapping[str, Any], meaning: Mapping[str, Any]) -> dict[str, Any]:
    """The record of what an audit, of one target or of several, found: of plain numbers and texts; what is undefined is None."""
    hashes = {name: text.removeprefix("sha256 ") if text.startswith("sha256 ") else None for name, text in fingerprints(audit.seen)}
    content = {
        "schema": OF_SCHEMA,
        "verdict": verdict_of(audit.judged),
        "limits": [
            {
                "measure": limit.measure,
                **({"of": list(limit.where)} if limit.where else {}),
                "value": limit.value,
                "limit": limit.limit,
                "verdict": limit.verdict,
                **limit.reasons,
            }
            for limit in audit.judged
        ],
        **found,
        "meanings": meaning,
        "versions": versions(),
        "inputs": hashes,
        "warnings": audit.provenance.get("warnings", []),
        "provenance": audit.provenance,
        "digest": "",
    }
    of_json = plain(content)
    return {**of_json, "digest": digest_of_text(printable_json(of_json))}


def versions() -> dict[str, str]:
    """Of capstats, Python and the libraries that compute."""
    return {"capstats": VERSION, "python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


def meanings(shown: Mapping[str, Measure], provenance: Mapping[str, Any], weighted: Collection[str] = ()) -> dict[str, dict[str, str]]:
    """What each number is: a share or a count, its meaning, and its convention where there is one."""
    conventions, own = provenance.get("conventions", {}), words(weighted) | {"against": str(provenance.get("against", ""))}
    found = {name: {"form": "number", "meaning": "a number that the caller gave"} for name in provenance.get("utility", [])}
    for name, measure in shown.items():
        used = max((x for x in conventions if x in name), key=len, default="")
        convention = {"convention": conventions[used]} if used else {}
        found[name] = {"form": measure.form, "meaning": measure.meaning.format(**own), **convention}
    return found


def digest_of_text(text: str) -> str:
    """SHA-256 of the text of a record whose digest is left empty, with one line feed at its end."""
    blank = DIGEST.sub('"digest": ""', text.replace("\r\n", "\n").removesuffix("\n"))
    return hashlib.sha256(f"{blank}\n".encode()).hexdigest()


# --- verified: whether a file is a record as it was written, and whether its numbers are those of a later audit -------


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
