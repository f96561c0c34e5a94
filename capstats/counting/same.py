"""The same records given twice to one call, as original and release, say: a mistake that no number shows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from filecmp import cmp
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.names import listed
from capstats.counting.compared import Known, NotCompared, columns_in_common, meet, mostly_unique, over_readable, read_rows_of
from capstats.counting.many_rows import many_rows
from capstats.counting.reading import Counted, Input
from capstats.sources.door import is_path
from capstats.sources.files import local_files
from capstats.tables.backing import filled
from capstats.tables.dataset import synthetic_labels
from capstats.tables.levels import parts_of

BLOCK = 1 << 16  # the first bytes of files, by which most different ones are distinguished


def pairs(named: Sequence[str], releases: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The pairs of tables that must differ: original and holdout, and either with each release."""
    yield from combinations(named, 2)
    yield from product(named, releases)


def refused(one: str, other: str, how: str) -> ValueError:
    """The error for two tables that hold the same records."""
    return ValueError(
        f"`{one}` and `{other}` {how}. A comparison of a table with itself says nothing about a release: give each its own records. To "
        f"compare them anyway, use allow_same=True (--allow-same)."
    )


def check_tables(given: Mapping[str, Any], of_pairs: Sequence[tuple[str, str]]) -> None:
    """Raise where two tables are one object, share a file, or are files with the same bytes. None of them is read as records."""
    for one, other in of_pairs:
        if how := _alike({name: given[name] for name in (one, other)}):
            raise refused(one, other, how)


def same_releases(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Pairs of releases that are one object, or files with the same bytes: each with the first that it equals."""
    similar: dict[Hashable, list[list[str]]] = {}  # releases that may be equal, in groups of equal ones
    for name, table in given.items():
        groups = similar.setdefault(_first_bytes(table, name) if is_path(table) else id(table), [])
        own = next((group for group in groups if _alike({group[0]: given[group[0]], name: table})), None)
        if own is None:
            groups.append(own := [])
        own.append(name)
    return [(first, name) for groups in similar.values() for first, *others in groups for name in others]


def check_records(one: Input, other: Input, counted: Sequence[Counted]) -> None:
    """Raise where two tables of any kind hold the same records: the same, mostly unique rows, or rows in the same order if in memory.

    Nothing is read again unless the tables agree in the margin of each column that was counted, up to the names of its levels.
    """
    records = [table.summed(1).sum().item() for table in counted]
    if records[0] == records[1] and all(map(np.array_equal, *map(_margins, counted))):
        check_rows(one, other, records)


def check_counts(tables: xr.Dataset) -> None:
    """Raise where two tables have the same counts of the same, mostly unique records, which is all that counts can show."""
    parts = parts_of({str(name): array.variable.data for name, array in tables.data_vars.items()}, synthetic_labels(tables))
    cells = {name: filled(data) for name, data in parts.items()}
    for one, other in pairs([name for name in parts if not name.startswith("synthetic")], [x for x in parts if x.startswith("synthetic")]):
        (mine, counts), (theirs, others) = cells[one], cells[other]
        same = np.array_equal(counts, others) and all(map(np.array_equal, mine, theirs))
        if same and mostly_unique(counts):
            raise refused(one, other, "have the same counts, most of them of one record")


def check_rows(one: Input, other: Input, records: Sequence[float]) -> None:
    """Raise where two tables have the same rows over all columns that both have and that `compared` can compare.

    Rows in any order count as the same if most of them are unique, and not just a few, since such tables may agree by chance. Many
    ``records`` of an engine that cannot compare them are not compared.
    """
    ordered = one.source.in_memory and other.source.in_memory
    one, other = (Input(table.source, table.options, by_record=ordered) for table in (one, other))  # weights are compared, too
    columns, *_ = columns_in_common([one, other])
    try:
        if (many := many_rows([one, other], records, len(columns))) is not None:
            if many.same(columns):
                raise refused(one.name, other.name, "hold the same records")
            return
        rows, others = over_readable([one, other], columns, lambda some, _: [read_rows_of(table, some) for table in (one, other)])
    except NotCompared:
        return
    meeting = meet(rows, others, same_source=True)
    but = [*meeting.spelled, *meeting.apart]
    in_order = ordered and not but and np.array_equal(rows.numbers, meeting.rows.numbers)
    mine, theirs = (Known(table.only(meeting.kept)) for table in (rows, meeting.rows))
    same = len(mine.counts) == len(theirs.counts) and np.array_equal(mine.times(theirs.numbers), theirs.counts)
    if meeting.kept and (in_order or (same and mostly_unique(mine.counts))):
        how = f", but for the spelling or the levels of {listed([repr(c) for c in but])}" if but else ""
        raise refused(one.name, other.name, f"hold the same records{how}")


def _margins(table: Counted) -> list[list[float]]:
    """For each column that was counted the numbers of records with each of its labels, sorted."""
    found = []
    for part in (table.key, table.target):
        of_part = np.bincount(part.of_row, table.summed(1))
        found += [sorted(filter(None, np.bincount(column.codes, of_part).tolist())) for column in part.columns]
    return found


def _alike(both: Mapping[str, Any]) -> str:
    """How two tables are found to be one without reading records; "" where they are not."""
    one, other = both.values()
    if not (is_path(one) and is_path(other)):
        return "are one object" if one is other else ""
    files, others = (local_files(table, name) for name, table in both.items())
    if shared := {_identity(file) for file in files} & {_identity(file) for file in others}:
        file = next(file for file in files if _identity(file) in shared)
        return f"are both read from the file {Path(file).name!r}"
    same = len(files) == len(others) and all(cmp(a, b, shallow=False) for a, b in zip(files, others, strict=True))
    return "are files with the same content" if same else ""


def _identity(file: str) -> tuple[int, int]:
    found = Path(file).stat()
    return found.st_dev, found.st_ino


def _first_bytes(path: Any, name: str) -> tuple[Hashable, ...]:
    """A key that equal files share, and few others: the size and the first bytes of each."""
    found: list[Hashable] = []
    for file in local_files(path, name):
        with Path(file).open("rb") as opened:
            found += [Path(file).stat().st_size, opened.read(BLOCK)]
    return tuple(found)
