"""The ledger of an original: what was published of which data, so that a second public report is never made unawares.

It holds hashes of counts. Whoever knows all records but one can confirm the last one by such a hash: a ledger is as confidential as the
original.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.findings import Findings
from capstats.auditing.publication import Publication, publication
from capstats.codes.labels import canonical
from capstats.codes.names import listed
from capstats.sources.new_files import write_file
from capstats.tables.axes import axis_of
from capstats.tables.backing import filled

FORMAT = 1
LOCK = b"lock of a ledger of capstats"
WHY = (
    "a file, as confidential as the original, that keeps what was published of it, since two reports together can tell about one person. "
    "The first report creates it; give it again for every report of this original."
)
QUESTION = {"keys": "other keys", "target": "another target", "missing": "another treatment of missing values"}  # they change all counts
DATA = {"original": "another original", "holdout": "another holdout", "releases": "other releases"}
COMPARED = QUESTION | DATA | {"threshold": "another threshold", "numbers": "other numbers, from another version of capstats"}


def published(
    audit: Findings, threshold: int, ledger: str | Path | None, reason: str | None, page: str | Path | None = None
) -> Publication:
    """The rounded numbers of an audit, once the ledger says that they are published; ValueError where they must not be.

    The ledger is written before the page is: after a crash in between, it names a page that nobody has, and the same report can be made.
    """
    if ledger is None:
        raise ValueError(f"A public report needs `ledger`: {WHY}")
    if reason is not None and not (isinstance(reason, str) and reason.strip()):
        raise ValueError(f"`reason` must say why another report is published; got {reason!r}.")
    p = publication(audit, threshold)
    path = Path(ledger)
    if page is not None and Path(page).resolve() in (path.resolve(), lock_of(path.resolve())):
        raise ValueError(f"`ledger` and `path` are both {str(page)!r}, or the latter is the ledger's lock. Give each a path of its own.")
    with _locked(path):
        entries = _read(path)
        entry, date = _entry(audit, p), datetime.datetime.now(datetime.UTC).date().isoformat()
        if all(any(entry[name] != old[name] for name in COMPARED) for old in entries):
            if entries and reason is None:
                raise ValueError(
                    f"The ledger {str(path)!r} has a public report of {entries[-1]['date']} with {_differences(entry, entries[-1])}. Two "
                    f"reports together can tell about one person (theory/publication.md#public-report). Publish that report again, or "
                    f"give the reason why another one may be published (`reason=`, on the command line --reason); the ledger keeps it."
                )
            entries.append({"date": date, "capstats": p.version, **entry, "reason": reason})
            write_file(path, json.dumps({"capstats ledger": FORMAT, "published": entries}, indent=1) + "\n")
    return p


def _differences(entry: dict[str, Any], old: dict[str, Any]) -> str:
    """In what a report differs from another one; what follows from a difference is not named beside it."""
    differ = [name for name in COMPARED if entry[name] != old[name]]
    follow = {"numbers", *(DATA if QUESTION.keys() & set(differ) else ())}
    return listed([COMPARED[name] for name in differ if name not in follow or len(differ) == 1])


def _entry(audit: Findings, p: Publication) -> dict[str, Any]:
    """What distinguishes one public report from another: the question, the counts of all tables, and the numbers that are printed."""
    tables = audit.tables
    releases = [_digest(audit.release(i)) for i in range(p.releases)]
    order = sorted(range(p.releases), key=releases.__getitem__)  # the order in which they are given tells nothing
    numbers = [
        (p.steps, p.people, p.holdout, p.below[:, order].tolist()),
        {name: [values[i] for i in order] if len(values) == p.releases else values for name, values in p.shares.items()},
    ]
    return {
        "keys": sorted(p.keys),
        "target": sorted(p.target),
        "missing": p.missing,
        "original": _digest(tables.o, tables.get("o_records")),
        "holdout": _digest(tables.h, tables.get("h_records")) if "h" in tables else None,
        "releases": [releases[i] for i in order],
        "threshold": p.threshold,
        "numbers": hashlib.sha256(json.dumps(numbers).encode()).hexdigest(),
    }


def _digest(table: xr.DataArray, records: xr.DataArray | None = None) -> str:
    """SHA-256 of the counts of a table, whatever the order of its columns, labels and records, and whatever held it."""
    (target, key), counts = filled(table.variable.data)
    columns = {}
    for dim, places in (("key", key), ("target", target)):
        axis = axis_of(table, dim)
        if axis is not None:
            for level, codes, name in zip(axis.levels, axis.codes, axis.names, strict=True):
                columns[f"{dim} {name}"] = (level, np.asarray(codes)[places])
    digest = hashlib.sha256()
    ranks = []
    for name, (level, codes) in sorted(columns.items()):
        used, place = np.unique(codes, return_inverse=True)
        labels = [f"{type(label).__name__} {label!r}" for label in map(canonical, level[used])]
        rank = np.argsort(np.argsort(labels))
        digest.update(json.dumps([name, sorted(labels)]).encode())
        ranks.append(rank[place])
    order = np.lexsort(ranks)
    for column in ranks:
        digest.update(column[order].astype("<i8").tobytes())
    if counts.dtype.kind == "i":
        digest.update(counts[order].astype("<i8").tobytes())
    else:  # sums of weights differ in their last digits by the order of the records
        digest.update(json.dumps([f"{x:.9g}" for x in counts[order].tolist()]).encode())
    return digest.hexdigest() if records is None else f"{digest.hexdigest()} {_digest(records)}"


def lock_of(ledger: Path) -> Path:
    """The file that is there while a report is entered into a ledger."""
    return ledger.with_name(f"{ledger.name}.lock")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Nobody else enters a report meanwhile."""
    lock = lock_of(path)
    try:
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if not _is_lock(lock):
            raise ValueError(f"{str(lock)!r} is there, and is no lock of a ledger. Give the ledger another name.") from None
        raise ValueError(
            f"{str(lock)!r} is there: another report is being entered into the ledger, or was killed while it was. Wait; if no capstats "
            f"runs, remove that file."
        ) from None
    try:
        os.write(handle, LOCK)
        yield
    finally:
        os.close(handle)
        lock.unlink()


def _is_lock(path: Path) -> bool:
    """Whether a file is a lock of a ledger; one that is gone meanwhile was one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode) and path.read_bytes()[: len(LOCK)] in (b"", LOCK)
    except FileNotFoundError:
        return True


def _read(path: Path) -> list[dict[str, Any]]:
    """The entries of a ledger, none if there is no such file; ValueError if it is damaged, a link, or open to others."""
    if path.is_symlink():
        raise ValueError(f"The ledger {str(path)!r} is a symbolic link. Give the path of the file itself.")
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return []
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise ValueError(f"The ledger {str(path)!r} is no regular file. Give the path of a file.")
        if os.name == "posix" and mode & 0o077:
            raise ValueError(
                f"The ledger {str(path)!r} is open to others (mode {stat.S_IMODE(mode):o}), and it is as confidential as the original. "
                f"Find out who may have read it, then make it yours alone: chmod 600."
            )
        text = file.read()
    try:
        found = json.loads(text)
        version, entries = found["capstats ledger"], found["published"]
        whole = type(version) is int and version > 0 and isinstance(entries, list)
        whole = whole and all({"date", *COMPARED} <= entry.keys() and isinstance(entry["date"], str) for entry in entries)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        version, entries, whole = FORMAT, [], False
    if whole and version == FORMAT:
        return list(entries)
    why = f"has the format {version} of a newer capstats; update capstats" if whole else "is damaged, or no ledger; restore it from a copy"
    raise ValueError(f"The ledger {str(path)!r} {why}. What was published of these data is not known without it.")
