"""The same records given twice to one call: as original and release, say. It is a mistake, and every number of it is right."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from filecmp import cmp
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.column import Column, Counts, Ints, joint_labels
from capstats.codes.declared_types import as_type
from capstats.codes.distinct import union
from capstats.codes.labels import MISSING, kind_of
from capstats.counting.copies import NotCompared
from capstats.counting.inputs import Input
from capstats.counting.many_rows import many_rows
from capstats.counting.reading import Counted, read_rows
from capstats.sources.files import is_path, local_files
from capstats.sources.source import Options
from capstats.tables.backing import filled
from capstats.tables.dataset import synthetic_labels
from capstats.tables.levels import parts_of

ENOUGH = 10  # records: that number of unique ones, drawn anew with replacement, are the same with a probability of 10! / 10**10 = 0.0004
BLOCK = 1 << 16  # first bytes of files by which unequal ones are distinguished


def pairs(named: Sequence[str], releases: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The tables that must differ: original and holdout, say, and either and each release."""
    yield from combinations(named, 2)
    yield from product(named, releases)


def refused(one: str, other: str, how: str) -> ValueError:
    """The error for two tables that hold the same records."""
    return ValueError(
        f"`{one}` and `{other}` {how}. Numbers of a table and itself say nothing of a release: give each its own records. To compare "
        f"them all the same, use allow_same=True (--allow-same)."
    )


def check_tables(given: Mapping[str, Any], of_pairs: Sequence[tuple[str, str]]) -> None:
    """Raise where two tables are one object, share a file, or are files with the same bytes. None of them is read as records."""
    for one, other in of_pairs:
        if how := _alike({name: given[name] for name in (one, other)}):
            raise refused(one, other, how)


def same_releases(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Pairs of releases that are one object, or files with the same bytes: each with the first that it equals."""
    similar: dict[Hashable, list[list[str]]] = {}  # releases that may be equal, as groups of those that are
    for name, table in given.items():
        groups = similar.setdefault(_first_bytes(table, name) if is_path(table) else id(table), [])
        own = next((group for group in groups if _alike({group[0]: given[group[0]], name: table})), None)
        if own is None:
            groups.append(own := [])
        own.append(name)
    return [(first, name) for groups in similar.values() for first, *others in groups for name in others]


def check_records(one: Input, other: Input, counted: Sequence[Counted], columns: Sequence[Hashable], options: Options) -> None:
    """Raise where two tables hold the same records, whatever holds them: the same, mostly unique rows, or in memory rows in the same order.

    Nothing is read again unless the tables agree in the margin of each column that was counted.
    """
    records = [table.summed(1).sum().item() for table in counted]
    agree = records[0] == records[1] and all(map(_same_margin, *map(_margins, counted)))
    if agree and same_records(one, other, columns, options, records):
        raise refused(one.source.name, other.source.name, "hold the same records")


def check_counts(tables: xr.Dataset) -> None:
    """Raise where two tables have the same counts of the same, mostly unique records; nothing else tells of counts that they are one."""
    parts = parts_of({str(name): array.variable.data for name, array in tables.data_vars.items()}, synthetic_labels(tables))
    cells = {name: filled(data) for name, data in parts.items()}
    for one, other in pairs([name for name in parts if not name.startswith("synthetic")], [x for x in parts if x.startswith("synthetic")]):
        (mine, counts), (theirs, others) = cells[one], cells[other]
        same = np.array_equal(counts, others) and all(map(np.array_equal, mine, theirs))
        if same and _mostly_unique(counts):
            raise refused(one, other, "have the same counts, most of them of one record")


def _mostly_unique(counts: Counts) -> bool:
    return bool(2 * (counts == 1).sum() > counts.sum() >= ENOUGH)


def same_records(one: Input, other: Input, columns: Sequence[Hashable], options: Options, records: Sequence[float] = ()) -> bool:
    """Whether two tables have the same rows over all columns that both have.

    In any order they are the same where most of them are unique, and not just a few, since such tables may agree by chance. Many
    ``records`` of an engine that cannot compare them are not compared.
    """
    names = [list(table.source.names(options)) for table in (one, other)]
    common = [name for name in names[0] if names[0].count(name) == names[1].count(name) == 1]
    ordered = one.source.in_memory and other.source.in_memory
    try:
        if records and (many := many_rows([one, other], records, len(common))) is not None:
            return many.same(common, options)
    except NotCompared:
        return False
    try:
        found = [read_rows(table, common, {}, options, ordered) for table in (one, other)]
    except (TypeError, ValueError):  # of a column that nobody asked for
        found = [read_rows(table, columns, {}, options, ordered) for table in (one, other)]
        common = list(columns)
    joint = [_joint(both) for both in zip(*(part.columns for part, _ in found), strict=True)]
    codes = [
        [places[t][column.codes] for (_, places), column in zip(joint, part.columns, strict=True) if places]
        for t, (part, _) in enumerate(found)
    ]
    distinct, places = union(codes, [size for size, places in joint if places])
    rows = [where[part.of_row] for where, (part, _) in zip(places, found, strict=True)]
    if ordered and np.array_equal(rows[0], rows[1]):
        return True
    mine, theirs = (np.bincount(at, counts, len(distinct[0])) for at, (_, counts) in zip(rows, found, strict=True))
    return bool((mine == theirs).all()) and _mostly_unique(mine)


def _joint(both: Sequence[Column]) -> tuple[int, Sequence[Ints]]:
    """The labels of a column of two tables: how many there are, and where those of each are; nowhere if they have no kind in common.

    Texts of one are read as numbers, truth values or dates if the other has these: CSV has texts alone.
    """
    kinds = [next((kind_of(x) for x in column.labels if x is not MISSING), None) for column in both]
    wanted: Any = next((kind for kind in kinds if kind not in (None, "text")), "text")
    try:
        read = [
            Column(column.codes, as_type(list(column.labels), wanted, "", "")) if kind == "text" and wanted != "text" else column
            for column, kind in zip(both, kinds, strict=True)
        ]
        joint, maps = joint_labels(read, "", ("", ""))
    except (TypeError, ValueError):
        return 0, []
    return len(joint), maps


def _margins(table: Counted) -> list[tuple[Column, Counts]]:
    """Each column that was counted, and how many records have each of its labels."""
    records = table.summed(1)
    found: list[tuple[Column, Counts]] = []
    for part in (table.key, table.target):
        of_part = np.bincount(part.of_row, records)
        found += [(column, np.bincount(column.codes, of_part, len(column.labels))) for column in part.columns]
    return found


def _same_margin(one: tuple[Column, Counts], other: tuple[Column, Counts]) -> bool:
    try:
        joint, maps = joint_labels([one[0], other[0]], "", ("", ""))
    except TypeError:  # labels of different kinds, of which the axes will tell
        return False
    mine, theirs = (np.bincount(places, records, len(joint)) for places, (_, records) in zip(maps, (one, other), strict=True))
    return bool((mine == theirs).all())


def _alike(both: Mapping[str, Any]) -> str:
    """How two tables are one, judged without a look at their records; nothing where they are not."""
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
    """What equal files have in common, and few others: their sizes, and the first bytes of each."""
    found: list[Hashable] = []
    for file in local_files(path, name):
        with Path(file).open("rb") as opened:
            found += [Path(file).stat().st_size, opened.read(BLOCK)]
    return tuple(found)
