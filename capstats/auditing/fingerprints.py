"""The files that an audit has read: whether they are still what they were, and the hashes by which they can be known again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from capstats.sources.temporary_data import expanded


@dataclass(frozen=True)
class Seen:
    """A file as it was when it was read."""

    path: Path
    size: int
    changed: int  # nanoseconds

    @classmethod
    def of(cls, path: str) -> Seen:
        """The file as it is."""
        found = Path(expanded(path)).resolve()
        return cls(found, found.stat().st_size, found.stat().st_mtime_ns)


def files_seen(files: Iterable[str]) -> dict[str, Seen]:
    """The files by the names under which they were given; without those that are gone."""
    return {name: Seen.of(name) for name in files if Path(expanded(name)).is_file()}


def check_unread(path: str | Path | None, seen: Mapping[str, Seen]) -> None:
    """Raise if a file to write is one of those that were read, under whatever name."""
    if path is not None and Path(path).exists() and any(file.path.exists() and file.path.samefile(path) for file in seen.values()):
        raise ValueError(f"`path` is {str(path)!r}, which was read as well. Give another path.")


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
