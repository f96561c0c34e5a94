"""Releases that permute the targets of one release: its margins stay, the link of key and target goes."""

from __future__ import annotations

from dataclasses import dataclass

from capstats.laws.models.model import Model
from capstats.tables.mapping import Aligned
from capstats.tables.table import Counts


@dataclass(frozen=True, repr=False, eq=False)
class Permuted(Model):
    """The targets of the release ``s``, permuted: every assignment of its targets to its keys is equally likely."""

    s: Counts

    def __post_init__(self) -> None:
        Aligned({"s": self.s})
