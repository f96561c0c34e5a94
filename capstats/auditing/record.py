"""The record of a report: where its numbers come from, its JSON, and a digest that finds an accidental change.

Numbers come from files, with their hashes, from columns and levels, and by conventions; reports print this as well. The JSON has all that
is needed to check it in years: `report.schema.json` describes it. Within a version of the schema there are only changes with which an older
program reads newer records.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import platform
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from typing import Any, cast

import numpy as np
import pandas as pd
import xarray as xr

from capstats.auditing.compute import SPLIT, Asked
from capstats.auditing.findings import SIDE_BY_SIDE, Seen, differing, verdict_of
from capstats.auditing.measures import MEASURES, SENTENCES, Measure, convention, words
from capstats.codes.by_table import ALL
from capstats.codes.checks import is_number
from capstats.codes.labels import MISSING, canonicals, kind_of
from capstats.codes.names import in_cell, listed, named, printable_json, shortened
from capstats.reports.blocks import plain
from capstats.sources.disk import at_home
from capstats.tables.axes import axis_of, names_of
from capstats.tables.dataset import VERSION, copies_known
from capstats.tables.fineness import too_fine
from capstats.tables.levels import missing_codes, nothing_shared, other_spellings, with_compared, without_match
from capstats.tables.printing import count, many

BY_COLUMN = ("bins", "levels", "likely_codes", "fine_keys", "fine_targets")  # attrs of the tables that are mappings of columns
WARNINGS = SENTENCES["warnings"]
SHOWN = 5  # warnings that are written out
LONGEST = 64  # characters of the name of a release
SHOWN_FILES = 5  # files of one table that are named
SHOWN_COLUMNS = 5  # columns that are named
FRACTIONAL = "counts of the original or of the holdout are fractional"
UNKNOWN = "not known: the report was made from counts"
OF_ORIGINAL = "the original's counts are fractional"
SCHEMA_TEXT = files("capstats.auditing").joinpath("report.schema.json").read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = json.loads(SCHEMA_TEXT)
OF_SCHEMA = {"name": "capstats report", "version": 1}
LIBRARIES = ("numpy", "pandas", "xarray", "scipy", "duckdb")
DIGEST = re.compile(r'"digest": "[0-9a-f]*"(?=\s*\}\s*\Z)')  # the last entry

Provenance = Mapping[str, Any]


def today() -> str:
    """The date of a report, 2024-01-31: today, or where reports are to be the same again that of SOURCE_DATE_EPOCH, seconds since 1970."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    return (dt.date.today() if fixed is None else dt.datetime.fromtimestamp(int(fixed), dt.UTC).date()).isoformat()


def conventions(measures: xr.Dataset) -> dict[str, Any]:
    """How the measures are to be understood, and which of them the counts do not give."""
    used = convention(measures)
    unmatched = {"nearest": "unmatched records use the nearest keys", "zero": "unmatched records count 0"}[used]
    known = {name: text for name, text in SENTENCES["conventions"].items() if name not in MEASURES or name in measures}
    texts = {name: text.format(unmatched=unmatched) for name, text in known.items()}
    texts |= {str(name): array.attrs["method"] for name, array in measures.data_vars.items() if "method" in array.attrs}
    of_original = f"not defined: {OF_ORIGINAL}"
    absent = {
        "quantiles": ("individual_cap_median", of_original),
        f"average_cap_{used}_error": (f"average_cap_{used}_error", of_original),
        "expected_certain": ("expected_certain", "not defined: a release of weighted or fractional records has no number of draws"),
    }
    return {"unmatched": used, "conventions": texts, **{name: why for name, (measure, why) in absent.items() if measure not in measures}}


def warnings_of(attrs: Mapping[str, Any], allow_no_match: bool, differs: Mapping[str, Any]) -> list[str]:
    """Warnings for the reader: levels or keys that do not match, a holdout of another population, releases that are one.

    An error if a column has no level in common.
    """
    known = attrs.get("copies")
    copies: Mapping[str, Any] = known if isinstance(known, Mapping) else {}
    compared = with_compared(attrs, copies)
    apart = without_match(compared)
    found = [*apart, *other_spellings(compared), *missing_codes(attrs)]
    if len(found) > SHOWN:
        found = [*found[:SHOWN], WARNINGS["more"].format(n=len(found) - SHOWN)]
    found += too_fine(attrs)
    if nothing_shared(attrs) and not allow_no_match:
        raise ValueError(f"{' '.join(apart[:SHOWN])} To report the tables as they are, use allow_no_match=True (--allow-no-match).")
    if "holdout_in_original" in copies:
        found.append(WARNINGS["holdout_in_original"].format(n=copies["holdout_in_original"]))
    if differs:
        found.append(WARNINGS["holdout_differs"].format(differing=differing(differs), level=SPLIT))
    alike = [" and ".join(f"`{shortened(name, LONGEST)}`" for name in pair) for pair in attrs.get("same_releases", [])]
    if alike:
        more = f", and {len(alike) - SHOWN} more pairs" if len(alike) > SHOWN else ""
        found.append(WARNINGS["same_releases"].format(pairs=f"{'; '.join(alike[:SHOWN])}{more}"))
    return found


def description(asked: Asked, *, counts_given: bool) -> dict[str, Any]:
    """What was read, as the attrs of the tables tell it; what they do not tell of records is said not to be known."""
    tables = asked.tables
    attrs, read, copies = tables.attrs, tables.encoding, copies_known(tables)
    over: Any = {name: x for name, x in copies.items() if name not in ("synthetic", "releases")}
    if "not_computed" in copies:
        over = f"not computed: {copies['not_computed']}"
    return {
        "capstats": attrs.get("capstats", VERSION),
        **{name: x for name, x in read.items() if name in ("original", "synthetic", "holdout", "files")},
        "keys": attrs["key_columns"],
        "target": attrs["target_columns"],
        **columns_understood(asked),
        "missing": UNKNOWN,
        **{name: attrs[name] for name in ("missing", "dropped", "null_values", "weights", "counts") if name in attrs},
        **({"types": read["types"]} if "types" in read else {}),
        **({"same_records": UNKNOWN} if counts_given and "different_records" not in read else {}),
        "copies": over or (UNKNOWN if counts_given else SENTENCES["targets"]["no_copies"]),
    }


def columns_understood(asked: Asked) -> dict[str, Any]:
    """The columns, their kinds and levels in the original, which levels the tables have in common, and the domain of the bounds."""
    tables, observed = asked.tables, asked.observed
    names: dict[str, str] = {}  # those under which columns are stored -> their own
    columns: dict[str, dict[str, Any]] = {}
    for role, dim in (("keys", "key"), ("target", "target")):
        axis, own = cast(pd.MultiIndex, axis_of(observed, dim)), tables.attrs[f"{dim}_columns"]
        names |= dict(zip(names_of(axis), own, strict=True))
        columns[role] = {name: _kind(canonicals(labels)) for name, labels in zip(own, axis.levels, strict=True)}
    sizes = {f"{dim}s": (asked.numbers[f"foreign_{dim}s"] + observed.sizes[dim]).values.tolist() for dim in ("target", "key")}
    return {
        "columns": columns,
        "domain": {"kind": "original and synthetic", **sizes},
        **{name: {names[c]: x for c, x in tables.attrs[name].items()} for name in BY_COLUMN if name in tables.attrs},
    }


def _kind(labels: Sequence[Any]) -> dict[str, Any]:
    known = [x for x in labels if x is not MISSING]
    return {"kind": kind_of(known[0]) if known else None, "levels": len(known), "missing": len(known) < len(labels)}


# --- files that were read ----------------------------------------------------------------------------------------------


def _seen(path: str) -> Seen:
    found = at_home(path).absolute()
    return found, found.stat().st_size, found.stat().st_mtime_ns


def files_seen(provenance: Provenance) -> dict[str, Seen]:
    """All files that were read, by the names under which they were given; without those that are gone."""
    of_tables = provenance.get("files", {})
    of_one = [of_tables.get(name) for name in ("original", "holdout", "population")]
    given = [*of_one, *of_tables.get("synthetic", []), *of_tables.get("generator", []), *of_tables.get("published", [])]
    return {name: _seen(name) for files_of_table in given for name in files_of_table or [] if at_home(name).is_file()}


def fingerprints(seen: Mapping[str, Seen]) -> list[tuple[str, str]]:
    """The SHA-256 of each file, unless it is not what was read."""
    return [(name, _fingerprint(file)) for name, file in seen.items()]


def _fingerprint(file: Seen) -> str:
    try:
        with file[0].open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        return f"sha256 {digest}" if _seen(str(file[0])) == file else "has changed since it was read"
    except OSError:
        return "cannot be read any more"


# --- as facts of a report ---------------------------------------------------------------------------------------------


def facts(m: xr.Dataset, p: Provenance, labels: Sequence[str], heads: Sequence[str]) -> list[tuple[str, str]]:
    """Headings and what they say; ``heads`` is what the labels of the synthetic tables are shortened to."""
    source = {name: _source(p.get(name), p.get("files", {}).get(name)) for name in ("original", "holdout", "population")}
    people, columns = p.get("population_size"), []
    for role, of_role in p["columns"].items():
        described = [f"{named(name)} ({_column(column, p.get('bins', {}).get(name))})" for name, column in of_role.items()]
        combinations = f"; {many(m['keys'].item(), 'combination')} in the original" if role == "keys" and len(described) > 1 else ""
        columns.append((role, ", ".join(described) + combinations))
    found = [
        ("original", source["original"] + _size(m, "original")),
        *_synthetic(m, p, labels, heads),
        ("holdout", source["holdout"] + _size(m, "holdout") if "holdout_records" in m else ""),
        ("population", "" if people is None else f"{source['population']}{many(people, 'person')}"),
        *columns,
        ("missing", _missing(p)),
        ("same records", f"whether two of the tables hold the same records is {p['same_records']}" if "same_records" in p else ""),
        ("codes", f"missing{_in_all(p['null_values'])}: {_codes(p['null_values'])}" if "null_values" in p else ""),
        ("copies", _copies(p["copies"])),
        ("generator", p["conventions"]["generator_p_value"] if "generator_p_value" in m else ""),
        *(("" if i else "levels", line) for i, line in enumerate(_levels(p, labels))),
        ("weights", _of_tables("sampling weights of the records", p.get("weights", {}))),
        ("counts", _of_tables("number of records that a row represents", p.get("counts", {}))),
        ("example", p.get("example", "")),
    ]
    return [(name, text) for name, text in found if text]


def _of_tables(meaning: str, columns: Mapping[str, Any]) -> str:
    """The columns of tables, if any, and what they mean."""
    return f"{meaning}: {', '.join(f'{named(column)} of `{table}`' for table, column in columns.items())}" if columns else ""


def _synthetic(m: xr.Dataset, p: Provenance, labels: Sequence[str], heads: Sequence[str]) -> list[tuple[str, str]]:
    """A line for each synthetic table, or one for all where there are many whose names fit elsewhere."""
    records = np.broadcast_to(m.synthetic_records.values, (len(labels),)).tolist()
    given = p.get("synthetic") or [None] * len(labels)
    pools = p.get("files", {}).get("synthetic") or [None] * len(labels)
    if len(labels) > SIDE_BY_SIDE and list(heads) == list(labels) and not any(pool and len(pool) > 1 for pool in pools):
        least, most = min(records), max(records)
        return [("synthetic", f"{len(labels)} tables of {f'{count(least)} to ' * (least < most)}{many(most, 'record')}")]
    lines = []
    for i, (label, head, path, pool) in enumerate(zip(labels, heads, given, pools, strict=True), 1):
        number = "" if head == label else f"{i}  "
        name = "" if not label or (path is not None and path.endswith(label)) else f"{named(label)}: "
        lines.append(("" if i > 1 else "synthetic", number + name + _source(path, pool) + _size(m, "synthetic", i - 1)))
    return lines


def _size(m: xr.Dataset, table: str, i: int = 0) -> str:
    """The number of records of a table, of the i-th where there are several; of weighted ones the sum of their weights, too."""
    records, *weights = (np.atleast_1d(m[f"{table}_{what}"].values)[i] for what in ("records", "weight") if f"{table}_{what}" in m)
    return many(records, "record") + "".join(f", weighted to {count(weight)}" for weight in weights)


def _source(given: str | None, files: Sequence[str] | None) -> str:
    """Where the records are from, if that is known, before the number of them."""
    if given is None:
        return ""
    if files is None or len(files) < 2:
        return f"{given}, "
    more = f" and {len(files) - SHOWN_FILES} more" if len(files) > SHOWN_FILES else ""
    return f"{given}: {len(files)} files pooled as one table ({', '.join(files[:SHOWN_FILES])}{more}), "


def _column(column: Mapping[str, Any], points: Sequence[Any] | None) -> str:
    missing = " and missing" if column["missing"] else ""
    if points is not None:
        return f"cut at {', '.join(map(_point, points)) or 'no point'}: {many(column['levels'], 'level')}{missing}"
    return f"{column['kind']}, {many(column['levels'], 'level')}{missing}" if column["levels"] else "missing everywhere"


def _point(cut: Any) -> str:
    return f"{cut:.10g}" if isinstance(cut, float) else str(cut)


def _missing(p: Provenance) -> str:
    if p["missing"] != "drop":
        return "a missing value is a level of its column" if p["missing"] == "level" else str(p["missing"])
    dropped = [f"{count(n)} of `{table}`" for table, n in p.get("dropped", {}).items()]
    return f"records with a missing value are dropped: {', '.join(dropped)}"


def _copies(known: Mapping[str, Any] | str) -> str:
    """Over which columns whole records were compared, or why they were not."""
    if isinstance(known, str):
        return known
    reasons: dict[str, list[str]] = {}
    for column, why in known["left_out"].items():
        reasons.setdefault(why, []).append(named(column))
    without = []
    for why, columns in reasons.items():
        rest = [f"{len(columns) - SHOWN_COLUMNS} more"] if len(columns) > SHOWN_COLUMNS else []
        without.append(f"; without {listed([*columns[:SHOWN_COLUMNS], *rest])}: {why}")
    if "first_records" in known:
        first = f"spellings are compared only in the first {count(known['first_records'])} records of each table"
        without.append(f"; because there are so many records, {first}, and neither copies by level nor near copies are counted")
    return f"whole records are compared over {many(len(known['columns']), 'column')} that all tables have{''.join(without)}"


def _in_all(codes: Mapping[str, Any] | Sequence[str]) -> str:
    return "" if isinstance(codes, Mapping) and any(isinstance(of, Mapping) for of in codes.values()) else " in all tables"


def _codes(codes: Mapping[str, Any] | Sequence[str]) -> str:
    """The codes that mean missing, by column."""
    by_column = codes if isinstance(codes, Mapping) else {ALL: codes}
    tables = {table: of for table, of in by_column.items() if isinstance(of, Mapping)}
    if tables:
        plain = {column: of for column, of in by_column.items() if column not in tables}
        own = [f"in `{table}` {_codes(of)}" for table, of in tables.items()]
        return "; ".join([*([_codes(plain)] if plain else []), *own])
    return "; ".join(
        f"{', '.join(map(in_cell, of))} {'in any column' if column == ALL else f'of {named(column)}'}" for column, of in by_column.items()
    )


def differing_levels(p: Provenance) -> dict[str, dict[str, Any]]:
    """The columns and tables that do not have the same levels; others have levels in two spellings, and both of these."""
    found = {
        column: {table: entry for table, entry in tables.items() if entry["absent"] or entry["foreign"]}
        for column, tables in p.get("levels", {}).items()
    }
    return {column: tables for column, tables in found.items() if tables}


def _levels(p: Provenance, labels: Sequence[str]) -> list[str]:
    """Levels that the tables have in common, a line for each column and table where they differ."""
    levels = differing_levels(p)
    if not levels:
        return ["every table has all levels of the original, and no others"]
    if len(labels) > SIDE_BY_SIDE:
        return [f"{named(column)}: other levels than in the original in {many(len(tables), 'table')}" for column, tables in levels.items()]
    lines = []
    for column, tables in levels.items():
        for table, entry in tables.items():
            parts = {
                f"{many(entry['absent'], 'level')} of `original` ({many(entry['absent_records'], 'record')}) not in it": entry["absent"],
                f"{many(entry['foreign'], 'level')} ({many(entry['foreign_records'], 'record')}) not in `original`": entry["foreign"],
            }
            lines.append(f"{named(column)} of `{table}`: {'; '.join(part for part, n in parts.items() if n)}")
    return lines


# --- its JSON ---------------------------------------------------------------------------------------------------------------


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
