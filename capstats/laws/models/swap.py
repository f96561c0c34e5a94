"""Swapping: keys are kept, and the targets of some records are permuted among them."""

# ruff: noqa: D102, ARG002 -- methods are documented at `Model`
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from capstats.cap.baselines import crossed
from capstats.cap.neighbours import Unmatched
from capstats.codes.checks import check_integer
from capstats.laws.models.drawing import check_size, matched_at_random, shared_out, without_replacement
from capstats.laws.models.kept_keys import KeptKeys, between
from capstats.laws.models.model import check_held
from capstats.laws.models.shares import centred_squares, on_cells_of_targets
from capstats.tables.dense import Dense
from capstats.tables.sums import attribution, ratio
from capstats.tables.table import Array, Floats, Table


@dataclass(frozen=True, repr=False, kw_only=True)
class Swap(KeptKeys):
    """Keys are kept; the targets of ``records`` records, chosen at random, are permuted at random among them."""

    records: int

    def __post_init__(self) -> None:
        self._set(records=check_integer(self.records, "records", "a number of swapped records, an integer from 0", least=0))

    def check(self, o: Table) -> None:
        super().check(o)
        if self.records and (few := o.total[(o.total > 0) & (o.total < self.records)]).size:
            raise ValueError(f"`records` of `Swap` must be at most the number of records of `o`, {few.min()}; got {self.records}.")

    def mean(self, o: Table, *, unmatched: Unmatched = "zero") -> Floats:
        self.check(o)
        return between(o, 1 - ratio(np.full(o.total.shape, max(self.records - 1, 0)), o.total - 1, 0.0))

    def of_records(self, o: Table) -> Floats:
        """A permutation of the targets of some records; d_ij is r_ij, centred over records on either side."""
        o_j, o_i, n = o.key_total, o.target_total, o.total
        r, p, b = attribution(o, o_j, 0.0), ratio(o_i, n[..., None], 0.0), crossed(o, o)[..., None]
        rho = o.like(r.values * on_cells_of_targets(o, p)).key_total  # right attributions of a random target in key j
        d, squares = centred_squares(o, r, o_i, rho - b, p)

        delta = o.like(o.values * d).total
        own = o.like(o.values * (d - o.on_cells(ratio(delta, n, 0.0)[..., None])) ** 2).total  # variation of d over the records
        every = (o_j * squares).sum(-1)
        together = r.across_targets(o)
        of_pairs = together - (together @ p[..., None]) - o_i[..., :, None] * (p - b)[..., None, :]  # sum_j o_aj d_bj
        both_ways = (of_pairs * np.swapaxes(of_pairs, -1, -2)).sum((-2, -1))

        found, where = np.unique(n, return_inverse=True)
        of_each = np.array([pattern_weights(int(size), self.records) for size in found])
        weights = np.moveaxis(of_each[where.reshape(n.shape)], -1, 0)
        return np.asarray(weights[0] * every + weights[1] * (every + both_ways) + weights[2] * own + weights[3] * delta**2)

    def draw(self, o: Array, *, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
        self.check(Dense(o))
        check_size(check_held(o, "o"))
        chosen = shared_out(np.full(draws, self.records), o.reshape(-1), without_replacement, rng).reshape(-1, *o.shape)
        return o - chosen + matched_at_random(chosen.sum(-1), chosen.sum(-2), rng)


def pattern_weights(n: int, h: int) -> tuple[float, float, float, float]:
    """Weights of Q, Q + w, e - delta^2 / n and delta^2 for h of n records."""
    if h < 2 or n < 2:
        return 0.0, 0.0, 0.0, 0.0
    if h == n:
        return 1 / (n - 1), 0.0, 0.0, 0.0
    if n == 3:
        return 0.0, 1 / 6, 1 / 2, 1 / 12
    k, three = n - h, (n - 1) * (n - 2) * (n - 3)
    last = k * (n * n - 5 * n + 2 + 2 * h) / (n * (n - 1) * three)
    return (h - 2) / ((n - 1) * (n - 2)), k * (k - 1) / (n * three), k * ((n - 1) * h - (n + 1)) / three, last
