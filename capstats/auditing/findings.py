"""What an audit finds, as reports use it: the counts, the numbers, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.comparison import order_of
from capstats.auditing.fingerprints import Seen
from capstats.codes.labels import MISSING, canonical
from capstats.tables.backing import unstacked


@dataclass(frozen=True)
class Findings:
    """The attributes of `Audit`."""

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
        """Positions of the synthetic tables in the order in which they are told: by ``rank_by``, or as given."""
        return order_of(self.measures, self.provenance.get("rank_by"))

    @property
    def columns(self) -> list[str]:
        """Labels of the synthetic tables; one without a name when there is only one."""
        labels = list(self.measures.indexes["synthetic"]) if "synthetic" in self.measures.dims else [""]
        texts = list(map(str, labels))
        return texts if len(set(texts)) == len(texts) else list(map(repr, labels))

    def _rows(self, measures: xr.Dataset, dim: str) -> list[dict[str, Any]]:
        """The numbers of each element of a dim."""
        columns = {str(name): list(map(self._numbers, array.transpose(dim, ...).values)) for name, array in measures.data_vars.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _numbers(self, values: Any) -> Any:
        """One number, or one for each synthetic table."""
        if not np.ndim(values):
            return plain(values)
        return {label: plain(value) for label, value in zip(self.columns, values.tolist(), strict=True)}


def plain(value: Any) -> Any:
    """A number or a label as JSON knows it; one that is undefined or missing is None."""
    value = canonical(value)
    return None if value is MISSING else value if isinstance(value, (str, int, float, bool)) else str(value)
