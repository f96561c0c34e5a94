"""The ledger of an original: what was published of which data, so that a second public report is never made unawares.

It holds hashes of counts. Anyone who knows all records but one can confirm the last one by such a hash: a ledger is as confidential as
the original.
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

from capstats.auditing.findings import Findings
from capstats.auditing.publication import Publication, publication
from capstats.codes.checks import check_integer, shown
from capstats.codes.names import listed
from capstats.sources.disk import write_file
from capstats.tables.digests import digest_of

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FORMAT = 1
MANY = 8  # pages of one original; more of them can prove small counts: theory/publication.md#public-report
LOCK = b"lock of a ledger of capstats"
WHY = (
    "a file, as confidential as the original, that keeps what was published of it, since two reports together can tell about one person. "
    "The first report creates it; give it again for every report of this original."
)
QUESTION = {"keys": "other keys", "target": "another target", "missing": "another treatment of missing values"}  # they change all counts
DATA = {"original": "another original", "holdout": "another holdout", "releases": "other releases"}
COMPARED = QUESTION | DATA | {"threshold": "another threshold", "numbers": "other numbers, from another version of capstats"}


def published(
    audit: Findings,
    threshold: int,
    ledger: str | Path | None,
    reason: str | None,
    page: str | Path | None = None,
    despite_pages: int | None = None,
) -> Publication:
    """The rounded numbers of an audit, once the ledger says that they are published; ValueError where they must not be.

    The ledger is written before the page is: after a crash in between, it names a page that is not there, and the same report can be made.
    """
    if ledger is None:
        raise ValueError(f"A public report needs `ledger`: {WHY}")
    if reason is not None and not (isinstance(reason, str) and reason.strip()):
        raise ValueError(f"`reason` must say why another report is published; got {shown(reason)}.")
    if despite_pages is not None:
        check_integer(despite_pages, "despite_pages", "the number of the page", least=1)
    p = publication(audit, threshold)
    path = Path(ledger)
    if page is not None and Path(page).resolve() in (path.resolve(), lock_of(path.resolve())):
        raise ValueError(f"`ledger` and `path` are both {str(page)!r}, or the latter is the ledger's lock. Give each a path of its own.")
    with _locked(path):
        entries = _read(path)
        entry, date = _entry(audit, p), datetime.datetime.now(datetime.UTC).date().isoformat()
        if all(any(entry[name] != old[name] for name in COMPARED) for old in entries):
            number = len(entries) + 1
            page_is = f"this would be page {number} of this original"
            if entries and reason is None:
                raise ValueError(
                    f"The ledger {str(path)!r} has a public report of {entries[-1]['date']} with {_differences(entry, entries[-1])}. Two "
                    f"reports together can tell about one person (theory/publication.md#public-report); {page_is}. Publish that "
                    f"report again, or give the reason why another one may be published (`reason`); the ledger keeps it."
                )
            if number > MANY and despite_pages != number:
                raise ValueError(
                    f"{page_is.capitalize()}: more than {MANY} together can prove numbers of people below the "
                    f"threshold (theory/publication.md#public-report). Publish a report of the ledger again; or, if you accept that, say "
                    f"despite_pages={number} (--despite-pages {number}) beside the reason."
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
    releases = [digest_of(audit.release(i)) for i in range(p.releases)]
    order = sorted(range(p.releases), key=releases.__getitem__)  # the order in which they are given tells nothing
    numbers = [
        (p.steps, p.people, p.holdout, p.below[:, order].tolist()),
        {name: [values[i] for i in order] if len(values) == p.releases else values for name, values in p.shares.items()},
    ]
    return {
        "keys": sorted(p.keys),
        "target": sorted(p.target),
        "missing": p.missing,
        "original": digest_of(tables.o, tables.get("o_records")),
        "holdout": digest_of(tables.h, tables.get("h_records")) if "h" in tables else None,
        "releases": [releases[i] for i in order],
        "threshold": p.threshold,
        "numbers": hashlib.sha256(json.dumps(numbers).encode()).hexdigest(),
    }


def lock_of(ledger: Path) -> Path:
    """The file that is there while a report is entered into a ledger."""
    return ledger.with_name(f"{ledger.name}.lock")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """No other process enters a report meanwhile."""
    lock = lock_of(path)
    if not _is_lock(lock):
        raise ValueError(f"{str(lock)!r} is there, and is no lock of a ledger. Give the ledger another name.")
    handle = _taken(lock)
    try:
        os.write(handle, LOCK)
        yield
    finally:
        if os.name == "nt":  # where an open file cannot be removed
            os.close(handle)
        lock.unlink()
        if os.name != "nt":
            os.close(handle)  # last, so that no process locks a file that is about to go


def _taken(lock: Path) -> int:
    """An open file that no other process has locked. The system's lock ends with its process, so a file left by a killed one is used.

    Where the system has no such locks (Windows, some network file systems), it is a file that did not exist before.
    """
    how = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    while True:
        made = not lock.exists()
        try:
            handle = os.open(lock, how | (os.O_EXCL if made else 0), 0o600)
        except FileExistsError:  # made by somebody else meanwhile
            continue
        try:
            if fcntl is None:
                raise OSError
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if lock.exists() and os.path.samestat(os.fstat(handle), lock.stat()):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise ValueError(
                f"{str(lock)!r} is locked: another report is being entered into the ledger. Wait, and repeat the call."
            ) from None
        except OSError:
            if made:
                return handle
            os.close(handle)
            raise ValueError(
                f"{str(lock)!r} is there: another report is being entered into the ledger, or was killed while it was; there are no locks "
                f"here that end with a process. Wait; if no capstats runs, remove that file."
            ) from None
        os.close(handle)  # of a file that somebody removed meanwhile


def _is_lock(path: Path) -> bool:
    """Whether a file is a lock of a ledger, or can become one."""
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
