"""Partial synthesis: keys are kept, and the targets of each key are drawn anew."""

# ruff: noqa: D102, ARG002 -- methods are documented at `Model`
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from capstats.cap.neighbours import Unmatched
from capstats.laws.models.drawing import from_urn, shared_out
from capstats.laws.models.kept_keys import KeptKeys
from capstats.laws.models.model import check_alpha, check_held
from capstats.laws.models.shares import absent, spread, targets_of
from capstats.tables.dense import Dense
from capstats.tables.sums import ratio, shared
from capstats.tables.table import Array, Floats, Table


@dataclass(frozen=True, repr=False, kw_only=True)
class Partial(KeptKeys):
    """Keys are kept; the o_.j targets of each key come from an urn of o_ij + alpha balls, each put back with one more of its kind."""

    alpha: float

    def __post_init__(self) -> None:
        self._set(alpha=check_alpha(self.alpha))

    def mean(self, o: Table, *, unmatched: Unmatched = "zero") -> Floats:
        self.check(o)
        return ratio(self._of_keys(o).sum(-1), o.total, np.nan)

    def of_records(self, o: Table) -> Floats:
        balls = o.key_total + targets_of(o) * self.alpha
        shares = ratio(o.values + self.alpha, o.on_cells(balls), 0.0)
        of_record = spread(o, shares, absent(o) * ratio(np.full(balls.shape, self.alpha), balls, 0.0), self._of_keys(o))
        return np.asarray((ratio(o.key_total + balls, o.key_total * (1 + balls), 0.0) * of_record).sum(-1))

    def _of_keys(self, o: Table) -> Floats:
        """o_.j times the mean of a record of key j."""
        return ratio(shared(o, o, o.key_total) + self.alpha * o.key_total, o.key_total + targets_of(o) * self.alpha, 0.0)

    def draw(self, o: Array, *, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
        self.check(Dense(o))
        records = np.broadcast_to(check_held(o, "o").sum(0), (draws, o.shape[1]))
        return np.swapaxes(shared_out(records, o.T + self.alpha, from_urn, rng), -1, -2)
