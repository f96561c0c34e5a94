"""How the tables of one call are read, whatever they are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from capstats.codes.progress import Progress
from capstats.codes.wanted import Type


@dataclass(frozen=True)
class Options:
    """What the caller says of reading; the fields are arguments of `tabulate`."""

    types: Mapping[Hashable, Type] = field(default_factory=dict)
    null_values: Sequence[str] | None = None
    encoding: str | None = None
    decimal: str = "."
    memory_limit: str | None = None
    spill_dir: str | Path | None = None
    progress: Progress = field(default_factory=lambda: Progress(False))
