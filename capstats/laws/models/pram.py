"""Post-randomisation (PRAM): keys are kept, and every record draws its target by the row of its own target in a matrix."""

# ruff: noqa: D102, ARG002 -- methods are documented at `Model`
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from capstats.cap.neighbours import Unmatched
from capstats.codes.checks import check_number
from capstats.laws.models.drawing import by_probability, shared_out
from capstats.laws.models.kept_keys import KeptKeys, between
from capstats.laws.models.model import check_held
from capstats.laws.models.shares import absent, on_cells_of_targets, rest_of_targets, spread, targets_of
from capstats.tables.dense import Dense
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Table


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Pram(KeptKeys):
    """Keys are kept; a target a becomes b with probability ``matrix[a, b]``, or with ``theta`` is drawn anew from the margin of `o`."""

    matrix: ArrayLike | xr.DataArray | None = None
    theta: float | None = None

    def __post_init__(self) -> None:
        if (self.matrix is None) == (self.theta is None):
            raise ValueError("`Pram` needs `matrix` or `theta`; give one of them.")
        if self.theta is not None:
            self._set(theta=check_number(self.theta, "theta", "a share of redrawn targets, from 0 to 1", least=0, most=1))
        elif isinstance(self.matrix, xr.DataArray) and self.matrix.ndim == 2 and self.matrix.dims.count("target") == 1:
            by_target = self.matrix.transpose("target", ...)
            _probabilities(by_target)
            self._set(matrix=by_target)  # which `matching` sorts
        else:
            self._set(matrix=_probabilities(self.matrix))

    def matching(self, o: Any) -> Self:
        """The rows and columns of a labelled matrix in the order of the targets of `o`; any other matrix is in this order."""
        matrix, own = self.matrix, getattr(o, "indexes", {}).get("target")
        if not isinstance(matrix, xr.DataArray):
            return self
        labelled = matrix.indexes.get("target")
        if own is None or labelled is None:
            return replace(self, matrix=matrix.values)
        places = []
        for index in (labelled, matrix.indexes.get(matrix.dims[1], labelled)):  # columns without labels have the order of the rows
            if not index.is_unique or len(index) != len(own) or (index.get_indexer(own) < 0).any():
                raise ValueError("The labels of `matrix` must be the targets of `o`, each once; they are not. Make it from the same table.")
            places.append(index.get_indexer(own))
        return replace(self, matrix=matrix.values[np.ix_(*places)])

    def check(self, o: Table) -> None:
        super().check(o)
        self._check_size(o)

    def _check_size(self, o: Table) -> None:
        if self.theta is None and (size := len(self._rows)) != targets_of(o):
            raise ValueError(f"`matrix` must have one row and one column for each target of `o`, {targets_of(o)}; it has {size}.")

    @property
    def _rows(self) -> Floats:
        return np.asarray(self.matrix, np.float64)

    def mean(self, o: Table, *, unmatched: Unmatched = "zero") -> Floats:
        self._check_size(o)  # the mean is linear in records, so that weights are allowed
        if self.theta is not None:
            return between(o, 1 - self.theta)
        together = o.like(ratio(o.values, o.on_cells(o.key_total), 0.0)).across_targets(o)  # sum_j o_aj o_bj / o_.j
        return ratio((self._rows * together).sum((-2, -1)), o.total, np.nan)

    def of_records(self, o: Table) -> Floats:
        """Each record draws its target independently, by the row of its own target."""
        found = self._by_margin(o, self.theta) if self.theta is not None else self._by_matrix(o)
        return np.asarray(ratio(found, o.key_total.astype(np.float64) ** 2, 0.0).sum(-1))

    def _by_margin(self, o: Table, theta: float) -> Floats:
        p = ratio(o.target_total, o.total[..., None], 0.0)
        redrawn, rest = on_cells_of_targets(o, p), rest_of_targets(o, o.target_total)
        mean = o.like(o.values * redrawn).key_total  # of a redrawn target
        of_redrawn = spread(o, redrawn, ratio(rest, o.total[..., None], 0.0), mean)
        own = o.like(o.values * (o.values - o.on_cells(mean)) ** 2).key_total
        return np.asarray(theta * o.key_total * of_redrawn + theta * (1 - theta) * own)

    def _by_matrix(self, o: Table) -> Floats:
        found = np.zeros(o.key_total.shape)
        for a, row in enumerate(self._rows):
            shares = on_cells_of_targets(o, row)
            of_a = o.like(o.values * on_cells_of_targets(o, np.arange(len(row)) == a)).key_total
            mean = o.like(o.values * shares).key_total
            found = found + of_a * spread(o, shares, np.where(absent(o) > 0, 1 - o.like(shares).key_total, 0.0), mean)
        return found

    def draw(self, o: Array, *, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
        self.check(Dense(o))
        check_held(o, "o")
        rows = self._rows if self.theta is None else (1 - self.theta) * np.eye(len(o)) + self.theta * o.sum(1) / o.sum()
        found = np.zeros((draws, *o.shape), np.int64)
        for records, row in zip(o, rows, strict=True):
            found += np.swapaxes(shared_out(np.broadcast_to(records, (draws, len(records))), row, by_probability, rng), -1, -2)
        return found


def _probabilities(matrix: Any) -> NDArray[np.float64]:
    try:
        found = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError("`matrix` must hold numbers, one row and one column a target; it does not.") from error
    if found.ndim != 2 or found.shape[0] != found.shape[1]:
        raise ValueError(f"`matrix` must be square, one row and one column a target; its shape is {found.shape}.")
    if not ((found >= 0) & np.isfinite(found)).all():
        raise ValueError("`matrix` must hold probabilities, finite and from 0; it does not. Row a is for records of target a.")
    wrong = np.flatnonzero(np.abs(found.sum(1) - 1) > 1e-9)
    if len(wrong):
        raise ValueError(
            f"Each row of `matrix` must sum to 1; row {wrong[0]} sums to {found[wrong[0]].sum():.12g}. Row a is for records of target a."
        )
    return np.asarray(found / found.sum(1, keepdims=True))  # without the rounding error
