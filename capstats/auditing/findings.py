"""What an audit finds, as reports use it: the counts, the numbers, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import xarray as xr

from capstats.auditing.compute import order_of
from capstats.auditing.provenance import Seen
from capstats.tables.backing import unstacked


@dataclass(frozen=True)
class Findings:
    """The attributes of `Audit`, whose reports are functions of them."""

    tables: xr.Dataset
    measures: xr.Dataset
    by_target: xr.Dataset
    by_column: xr.Dataset
    provenance: dict[str, Any]
    seen: Mapping[str, Seen] = field(default_factory=dict)

    def release(self, i: int) -> xr.DataArray:
        """The counts of one synthetic table."""
        s: xr.DataArray = self.tables.s
        if s.ndim == 2:
            return s
        one: xr.DataArray = self.tables.o.copy(data=unstacked(s.variable.data, 0)[i])  # on the same cells
        one.name, one.attrs = "s", s.attrs
        return one

    @property
    def ranked(self) -> list[int]:
        """Positions of the synthetic tables in the order in which reports have them: by ``rank_by``, or as given."""
        return order_of(self.measures, self.provenance.get("rank_by"))

    @property
    def columns(self) -> list[str]:
        """Labels of the synthetic tables; one without a name when there is only one."""
        labels = list(self.measures.indexes["synthetic"]) if "synthetic" in self.measures.dims else [""]
        texts = list(map(str, labels))
        return texts if len(set(texts)) == len(texts) else list(map(repr, labels))
