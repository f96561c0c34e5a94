"""The record of a report: its JSON, with all that is needed to check it in years, and a digest that finds an accidental change.

`report.schema.json` describes it. Within a version of the schema there are only changes with which an older program reads newer records.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Collection, Mapping
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from capstats.auditing.findings import verdict_of
from capstats.auditing.measures import Measure, words
from capstats.auditing.provenance import fingerprints
from capstats.auditing.report import plain
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
