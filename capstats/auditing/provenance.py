"""Where the numbers of an audit come from: files and their hashes, columns and levels, conventions, warnings, and settings to repeat it."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xarray as xr

from capstats.auditing.compute import copies_known, foreign
from capstats.auditing.holdout import LEVEL, differing
from capstats.auditing.measures import MEASURES, SENTENCES, convention
from capstats.codes.labels import MISSING, canonical, kind_of
from capstats.codes.names import shortened
from capstats.tables.axes import axis_of, names_of
from capstats.tables.dataset import VERSION
from capstats.tables.domains import observed_domain
from capstats.tables.fineness import too_fine
from capstats.tables.levels import missing_codes, nothing_shared, other_spellings, with_compared, without_match

BY_COLUMN = ("bins", "levels", "likely_codes", "fine_keys", "fine_targets")  # attrs of the tables that are mappings of columns
SHOWN = 5  # warnings that are written out
LONGEST = 64  # characters of the name of a release


FRACTIONAL = "counts of the original or of the holdout are fractional"
UNKNOWN = "not known: the report was made from counts"
OF_ORIGINAL = "the original's counts are fractional"


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
        found = [*found[:SHOWN], f"{len(found) - SHOWN} more such findings: see compare_levels, or the levels in the JSON report."]
    found += too_fine(attrs)
    if nothing_shared(attrs) and not allow_no_match:
        raise ValueError(f"{' '.join(apart[:SHOWN])} To report the tables as they are, use allow_no_match=True (--allow-no-match).")
    if "holdout_in_original" in copies:
        found.append(
            f"{copies['holdout_in_original']:,} records of the holdout are in the original, more than chance explains: they are the same "
            f"people. What is said of people not used for synthesis is not so. Put records aside before the synthesis, and give those."
        )
    if differs:
        found.append(
            f"Original and holdout differ in {differing(differs)} by more than chance allows (tests at the level {LEVEL} in all): they are "
            f"no random parts of one population, and the difference of their average CAP is no measure of what is about individuals. Put "
            f"records aside at random, before the synthesis."
        )
    alike = [" and ".join(f"`{shortened(name, LONGEST)}`" for name in pair) for pair in attrs.get("same_releases", [])]
    if alike:
        more = f", and {len(alike) - SHOWN} more pairs" if len(alike) > SHOWN else ""
        found.append(f"These releases are one and the same table: {'; '.join(alike[:SHOWN])}{more}. Give each release once.")
    return found


def files_named(provenance: Mapping[str, Any]) -> list[str]:
    """All files that the given paths name, each once."""
    of_tables = provenance.get("files", {})
    of_one = [of_tables.get(name) for name in ("original", "holdout", "population")]
    named = [*of_one, *of_tables.get("synthetic", []), *of_tables.get("generator", [])]
    return list(dict.fromkeys(file for files_of_table in named for file in files_of_table or []))


def description(tables: xr.Dataset, *, counts_given: bool) -> dict[str, Any]:
    """What was read, as the attrs of the tables tell it; what they do not tell of records is said not to be known."""
    attrs, read, copies = tables.attrs, tables.encoding, copies_known(tables)
    over: Any = {name: x for name, x in copies.items() if name not in ("synthetic", "releases")}
    if "not_computed" in copies:
        over = f"not computed: {copies['not_computed']}"
    return {
        "capstats": attrs.get("capstats", VERSION),
        **{name: x for name, x in read.items() if name in ("original", "synthetic", "holdout", "files")},
        "keys": attrs["key_columns"],
        "target": attrs["target_columns"],
        **columns_understood(tables),
        "missing": UNKNOWN,
        **{name: attrs[name] for name in ("missing", "dropped", "null_values", "weights", "counts") if name in attrs},
        **({"types": read["types"]} if "types" in read else {}),
        **({"same_records": UNKNOWN} if counts_given and "different_records" not in read else {}),
        "copies": over or (UNKNOWN if counts_given else "not computed: copy_columns is 0 (--copy-columns)"),
    }


def columns_understood(tables: xr.Dataset) -> dict[str, Any]:
    """The columns, their kinds and levels in the original, which levels the tables have in common, and the domain of the bounds."""
    observed = observed_domain(tables)
    names: dict[str, str] = {}  # those under which columns are stored -> their own
    columns: dict[str, dict[str, Any]] = {}
    for role, dim in (("keys", "key"), ("target", "target")):
        axis = axis_of(observed, dim)
        own = tables.attrs[f"{dim}_columns"]
        levels = [] if axis is None else [[canonical(x) for x in level] for level in axis.levels]
        names |= {} if axis is None else dict(zip(names_of(axis), own, strict=True))
        columns[role] = {name: _column(labels) for name, labels in zip(own, levels, strict=True)}
    sizes = {}
    for dim in ("target", "key"):
        more = foreign(tables.o, tables.s, dim)
        sizes[f"{dim}s"] = observed.sizes[dim] + more.item() if not more.ndim else [observed.sizes[dim] + x for x in more.values.tolist()]
    return {
        "columns": columns,
        "domain": {"kind": "original and synthetic", **sizes},
        **{name: {names[c]: x for c, x in tables.attrs[name].items()} for name in BY_COLUMN if name in tables.attrs},
    }


def _column(labels: Sequence[Any]) -> dict[str, Any]:
    known = [x for x in labels if x is not MISSING]
    return {"kind": kind_of(known[0]) if known else None, "levels": len(known), "missing": len(known) < len(labels)}


# --- files that were read ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """A file as it was when it was read."""

    path: Path
    size: int
    changed: int  # nanoseconds

    @classmethod
    def of(cls, path: str) -> Seen:
        """The file as it is."""
        found = Path(os.path.expanduser(path)).resolve()  # noqa: PTH111  that of Path raises for a user who is not known
        return cls(found, found.stat().st_size, found.stat().st_mtime_ns)


def files_seen(files: Iterable[str]) -> dict[str, Seen]:
    """The files by the names under which they were given; without those that are gone."""
    return {name: Seen.of(name) for name in files if Path(os.path.expanduser(name)).is_file()}  # noqa: PTH111


def fingerprints(seen: Mapping[str, Seen]) -> list[tuple[str, str]]:
    """The SHA-256 of each file, unless it is not what was read."""
    return [(name, _fingerprint(file)) for name, file in seen.items()]


def _fingerprint(file: Seen) -> str:
    try:
        with file.path.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        return f"sha256 {digest}" if Seen.of(str(file.path)) == file else "has changed since it was read"
    except OSError:
        return "cannot be read any more"


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
