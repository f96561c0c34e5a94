"""Swapping: keys are kept, and the targets of some records are permuted among them."""

from __future__ import annotations

from dataclasses import dataclass

from capstats.laws.models.kept_keys import KeptKeys
from capstats.tables.checking import is_integer, shown


@dataclass(frozen=True, repr=False, kw_only=True)
class Swap(KeptKeys):
    """Keys are kept; the targets of ``records`` records, chosen at random, are permuted at random among them."""

    records: int

    def __post_init__(self) -> None:
        if not is_integer(self.records) or self.records < 0:
            raise ValueError(f"`records` must be a number of records, an integer from 0; got {shown(self.records)}.")
        self._set(records=int(self.records))
