"""Description of the tables in an audit: their files, the types of their columns, and whether their levels match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.by_table import ALL
from capstats.codes.names import in_cell, listed, named
from capstats.tables.printing import count, many

SIDE_BY_SIDE = 4  # synthetic tables that have a line, or a column, each
SHOWN_FILES = 5  # files of one table that are named
SHOWN_COLUMNS = 5  # columns that are named

Provenance = Mapping[str, Any]


def facts(m: xr.Dataset, p: Provenance, labels: Sequence[str], heads: Sequence[str]) -> list[tuple[str, str]]:
    """Headings and what they say; ``heads`` is what the labels of the synthetic tables are shortened to."""
    files = p.get("files", {})
    bins = p.get("bins", {})
    found = [("original", _source(p.get("original"), files.get("original")) + _size(m, "original"))]
    found += _synthetic(m, p, labels, heads)
    if "holdout_records" in m:
        found.append(("holdout", _source(p.get("holdout"), files.get("holdout")) + _size(m, "holdout")))
    if "population_size" in p:
        where = _source(p.get("population"), files.get("population"))
        found.append(("population", f"{where}{count(p['population_size'])} {'person' if p['population_size'] == 1 else 'people'}"))
    for role, columns in p["columns"].items():
        described = [f"{named(name)} ({_column(column, bins.get(name))})" for name, column in columns.items()]
        combinations = f"; {many(m['keys'].item(), 'combination')} in the original" if role == "keys" and len(described) > 1 else ""
        found.append((role, ", ".join(described) + combinations))
    found.append(("missing", _missing(p)))
    if "same_records" in p:
        found.append(("same records", f"whether two of the tables hold the same records is {p['same_records']}"))
    if "null_values" in p:
        found.append(("codes", f"missing{_in_all(p['null_values'])}: {_codes(p['null_values'])}"))
    found.append(("copies", _copies(p["copies"])))
    if "generator_p_value" in m:
        found.append(("generator", p["conventions"]["generator_p_value"]))
    found += [("" if i else "levels", line) for i, line in enumerate(_levels(p, labels))]
    for what, meaning in (("weights", "sampling weights of the records"), ("counts", "number of records that a row stands for")):
        if what in p:
            columns = ", ".join(f"{named(column)} of `{table}`" for table, column in p[what].items())
            found.append((what, f"{meaning}: {columns}"))
    if "example" in p:
        found.append(("example", p["example"]))
    return found


def _synthetic(m: xr.Dataset, p: Provenance, labels: Sequence[str], heads: Sequence[str]) -> list[tuple[str, str]]:
    """A line for each synthetic table, or one for all where there are many whose names fit elsewhere."""
    records = np.broadcast_to(m.synthetic_records.values, (len(labels),)).tolist()
    given = p.get("synthetic") or [None] * len(labels)
    pools = p.get("files", {}).get("synthetic") or [None] * len(labels)
    if len(labels) > SIDE_BY_SIDE and list(heads) == list(labels) and not any(pool and len(pool) > 1 for pool in pools):
        least, most = count(min(records)), count(max(records))
        return [("synthetic", f"{len(labels)} tables of {least if least == most else f'{least} to {most}'} records")]
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
    if p["missing"] not in ("level", "drop"):
        return str(p["missing"])
    if p["missing"] == "level":
        return "a missing value is a level of its column"
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
        first = f"spellings in the first {count(known['first_records'])} records of each table"
        without.append(f"; of so many records, {first}, and neither copies by level nor near copies are counted")
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


def _levels(p: Provenance, labels: Sequence[str]) -> list[str]:
    """Levels that the tables have in common, a line for each column and table where they differ."""
    levels = p.get("levels", {})
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
