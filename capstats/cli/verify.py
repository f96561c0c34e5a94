"""``capstats verify``: whether a record is as it was written, and whether its numbers follow from records or counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capstats.auditing.audits import audit
from capstats.auditing.record import NAMES, OF_SCHEMA, SCHEMA_TEXT, checked, differences, versions
from capstats.cli import reading
from capstats.cli.audit import one_target, several_targets
from capstats.cli.option_values import table_labels
from capstats.cli.options import COMMANDS, HELD, Settings
from capstats.cli.outputs import SHOWN, title
from capstats.codes.names import listed, printable
from capstats.reports.blocks import Facts, Listing, Sections, as_text, not_shown
from capstats.sources.disk import opened
from capstats.tables.counts_files import is_counts, read_counts
from capstats.tables.printing import many

AUDIT = next(command for command in COMMANDS if command.name == "audit")
READ = [option for heading, options in AUDIT.groups.items() if heading != "output" for option in options]
ASKED = {option.key: option for option in (*READ, AUDIT.options["fail-above"]) if option.key not in ("memory-limit", "spill-dir")}
FILES = ("original", "synthetic", "holdout", "population", "published", "generator")
TEXTS: dict[str, str] = HELD["verified"]


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """What was checked, and what differs; the exit status is 1 if anything does."""
    if settings.get("schema"):
        return SCHEMA_TEXT.rstrip("\n"), 0
    if "report" not in settings:
        raise ValueError("give REPORT, the JSON of an audit, or --schema.")
    file, records = settings["report"], {key: settings[key] for key in FILES if key in settings}
    if "counts" in settings and records:
        raise ValueError("--counts takes the place of the records. Give one of the two.")
    content = Path(file).read_bytes()
    opened(file)
    record, found = checked(content)
    facts, left = [("record", file)], list[str]()
    if record is not None:
        p, again, how = record["provenance"], None, TEXTS["nothing"]
        if "counts" in settings:
            again, how = _of_counts(record, settings["counts"]), f"from {settings['counts']}"
        elif records or "example" in p.get("settings", {}):
            again, how = _of_records(record, records, messages), TEXTS["from_records"]
        if again is not None:
            found += differences(record, again, left)
            how = f"{many(_numbers([again[name] for name in NAMES if name in again]), 'number')} {how}"
        made, now = record["versions"], versions()
        other = [f"{name} {made[name]} (now {now.get(name)})" for name in made if made[name] != now.get(name)]
        facts = [("record", f"{file}, of {p['date']}"), ("schema", f"{OF_SCHEMA['name']}, version {OF_SCHEMA['version']}")]
        facts += [("made with", listed(other))] if other else []
        facts += [("recomputed", how), *([("not recomputed", listed(left))] if left else [])]
    shown = [Listing("\n".join(map(printable, found[:SHOWN]))), *not_shown(len(found) - SHOWN, "more difference")]
    sections: Sections = {
        "What was checked": [Facts(facts)],
        "What differs": shown if found else ["Nothing."],
        "What this tells": [TEXTS["tells"]],
    }
    return as_text(title("whether a record holds"), sections), int(bool(found))


def _of_counts(record: Mapping[str, Any], file: str) -> dict[str, Any]:
    """The record of an audit of counts, with the limits and the comparison of another record."""
    if "measures" not in record:
        raise ValueError("--counts is for the record of one target. Give the records.")
    p = record["provenance"]
    utility = {name: record["measures"][name] for name in p.get("utility", [])}
    asked = ["limits", "rank_by", "against", *(["population_size"] if "population" not in p else [])]
    given = {name: p[name] for name in asked if name in p}
    as_they_are = "mismatched" not in p  # else verdicts tell again of levels that do not match
    return audit(read_counts(file), **given, utility=utility or None, allow_same=True, allow_no_match=as_they_are).to_dict()


def _of_records(record: Mapping[str, Any], files: Mapping[str, Any], messages: list[str]) -> dict[str, Any]:
    """The record of the same audit of files, those of the record where none are given."""
    settings = record["provenance"].get("settings", {})
    if not {"keys", "example"} & settings.keys() and not is_counts(files.get("original", settings.get("original", ""))):
        raise ValueError("The record is one of counts. Give --counts.")
    asked = {key: option.configured(settings[key], Path()) for key, option in ASKED.items() if key in settings}
    labelled = [list(x) for x in record.get("measures", {}).values() if isinstance(x, dict)]
    before = table_labels(asked["synthetic"]) if "synthetic" in asked else next(iter(labelled), [])
    now = table_labels(files.get("synthetic", []))
    if "synthetic" in files and len(before) > 1 and before != now:
        raise ValueError(f"The releases must be {listed(before)}, in this order, as in the record; got {listed(now)}.")
    with reading.levels_told(asked, messages):
        settings = {**asked, **files, "quiet": True, "allow-same": True}  # what differs is listed, not refused
        return (several_targets if "targets" in asked else one_target)(settings).to_dict()


def _numbers(value: Any) -> int:
    """How many numbers there are in lists and mappings."""
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else None
    return isinstance(value, (int, float)) if parts is None else sum(map(_numbers, parts))
