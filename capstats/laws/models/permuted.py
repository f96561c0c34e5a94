"""Releases that permute the targets of one release: its margins stay, the link of key and target goes."""

# ruff: noqa: D102, ARG002 -- methods are documented at `Model`
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from capstats.cap.average import matched
from capstats.cap.neighbours import Unmatched
from capstats.laws.models.drawing import check_size, matched_at_random
from capstats.laws.models.model import Model, check_held
from capstats.laws.models.shares import centred_squares, on_cells_of_targets
from capstats.tables.aligned import Aligned
from capstats.tables.dense import Dense
from capstats.tables.sums import check_integers, ratio
from capstats.tables.table import Array, Counts, Floats, Table


@dataclass(frozen=True, repr=False, eq=False)
class Permuted(Model):
    """The targets of the release ``s``, permuted: every assignment of its targets to its keys is equally likely."""

    s: Counts

    def __post_init__(self) -> None:
        Aligned({"s": self.s})  # a table of counts

    def aligned(self, o: Counts) -> Aligned:
        return Aligned({"o": o, "s": self.s})

    def check(self, o: Table, s: Table) -> None:
        check_integers(s, "s", ": its records are permuted", "Give unweighted counts of the release.")

    def mean(self, o: Table, s: Table, *, unmatched: Unmatched = "zero") -> Floats:
        """Every record attributes the target margin of `s`."""
        self.check(o, s)
        p = ratio(s.target_total, s.total[..., None], 0.0)
        right = o.like(o.values * on_cells_of_targets(o, p)).key_total * (s.key_total > 0)
        return ratio(right.sum(-1), matched(o, s) if unmatched == "drop" else o.total, np.nan)

    def variance(self, o: Table, s: Table, *, unmatched: Unmatched = "zero") -> Floats:
        self.check(o, s)
        s_j, m = s.key_total, s.total
        w_j, p_i = ratio(s_j, m[..., None], 0.0), ratio(s.target_total, m[..., None], 0.0)
        a = o.like(ratio(o.values, o.on_cells(s_j), 0.0))  # a_ij: the right attributions by a release record of key j with target i

        of_target = o.like(a.values * o.on_cells(w_j)).target_total
        mean = (p_i * of_target).sum(-1)[..., None]
        of_key = a.like(a.values * on_cells_of_targets(o, p_i)).key_total
        _, squares = centred_squares(o, a, p_i, of_key, of_target - mean)
        spread = (w_j * squares).sum(-1)
        m = m.astype(np.float64)
        right = ratio(m**2, np.maximum(m - 1, 0), 0.0) * spread  # a single record cannot move
        n = matched(o, s) if unmatched == "drop" else o.total
        return ratio(right, n.astype(np.float64) ** 2, np.nan)

    def draw(self, o: Array, s: Array, *, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
        self.check(Dense(o), Dense(s))
        check_size(check_held(s, "s"))
        targets, keys = np.broadcast_to(s.sum(1), (draws, s.shape[0])), np.broadcast_to(s.sum(0), (draws, s.shape[1]))
        return matched_at_random(targets, keys, rng)
