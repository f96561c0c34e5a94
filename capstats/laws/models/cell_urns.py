"""Releases whose records are placed in the cells of an urn: uniform tables, resampled records, independent margins, smoothed tables."""

# ruff: noqa: D102 -- methods are documented at `Model`
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from capstats.cap.neighbours import Unmatched
from capstats.codes.column import Ints
from capstats.laws.models.cell_moments import Cells, cells_mean, cells_variance, nearest_mean, of_each
from capstats.laws.models.drawing import Counts, by_probability, compositions, from_urn, shared_out
from capstats.laws.models.matched_only import matched_mean, matched_variance
from capstats.laws.models.model import Model, check_alpha, check_held, check_records
from capstats.laws.models.shares import on_cells_of_targets, rest_of_targets
from capstats.laws.models.urns import Urn
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Table


@dataclass(frozen=True, repr=False)
class CellUrn(Model):
    """``m`` records placed in the cells of a table by draws from an urn; without m, the limit of large releases, for `cap_law` only.

    Several numbers of records are mapped over along the dim ``m`` (`for_each_m`); formulas see one.
    """

    m: Any = None  # an int, several, or None
    reinforced: ClassVar[bool] = False  # whether each draw puts one more ball of its cell into the urn

    def __post_init__(self) -> None:
        if self.m is not None:
            several = isinstance(self.m, (list, tuple, range)) or getattr(self.m, "ndim", 0) == 1
            self._set(m=tuple(map(check_records, self.m)) if several and len(self.m) else check_records(self.m))

    @property
    def urn(self) -> Urn:
        """The draws, of m records."""
        return Urn(self.m or 0, self.reinforced)

    def cells(self, o: Table, *given: Any) -> Cells:
        """The urn for a table, and for the other arguments of the model."""
        raise NotImplementedError

    def weights(self, o: Array) -> Array:
        """The weight of each cell of one table, up to a common factor, here its number; exact for a table of fractions."""
        return o

    def mean(self, o: Table, *given: Any, unmatched: Unmatched = "zero") -> Floats:
        cells = self.cells(o, *given)
        return cells_mean(cells, o.total) if unmatched == "zero" else of_each(cells, o.key_total, matched_mean)

    def variance(self, o: Table, *given: Any, unmatched: Unmatched = "zero") -> Floats:
        cells = self.cells(o, *given)
        return cells_variance(cells, o.total) if unmatched == "zero" else of_each(cells, o.key_total, matched_variance)

    def draw(self, o: Array, *given: Array, draws: int, rng: np.random.Generator) -> Counts:
        weights = check_held(self.weights(*(given or (o,))), "o")
        divide = from_urn if self.reinforced else by_probability
        return shared_out(np.full(draws, self.m), weights.reshape(-1), divide, rng).reshape(-1, *o.shape)


@dataclass(frozen=True, repr=False)
class Uniform(CellUrn):
    """Every table of m records is equally likely, as in Figures 1 and 2 of the paper. Cells without original records count too.

    Parameters
    ----------
    m : int or sequence of ints, optional
        Number of synthetic records, at least 1; several give results the dim ``m``. Without it, the limit of large releases, which only
        `cap_law` knows.

    Examples
    --------
    >>> from capstats.laws import Uniform, expected_cap
    >>> round(float(expected_cap([[20, 5], [30, 45]], Uniform(100))), 4)
    0.4997
    """

    reinforced = True

    def cells(self, o: Table, *_: Any) -> Cells:
        return Cells.smoothed(o, self.urn, 1.0, alike=True)

    def weights(self, o: Array) -> Array:
        return 0 * o + 1

    def draw(self, o: Array, *_: Array, draws: int, rng: np.random.Generator) -> Counts:
        return compositions(draws, o.size, self.m or 0, rng).reshape(-1, *o.shape)


@dataclass(frozen=True, repr=False)
class Bootstrap(CellUrn):
    """m records are drawn from the original ones, with replacement."""

    def cells(self, o: Table, *_: Any) -> Cells:
        return Cells.smoothed(o, self.urn, 0.0)

    def nearest(self, codes: list[Ints], o: Table, *_: Any) -> Floats:
        return nearest_mean(o, o, o.key_total, codes, self.urn)


@dataclass(frozen=True, repr=False)
class Independent(CellUrn):
    """m records are drawn, target and key independently from the margins of the original."""

    def cells(self, o: Table, *_: Any) -> Cells:
        o_i = o.target_total
        n = o_i.sum(-1)[..., None]
        shares = ratio(on_cells_of_targets(o, o_i), o.on_cells(n), 0.0)
        return Cells.of(o, self.urn, o.key_total, shares, ratio(rest_of_targets(o, o_i), n, 0.0))

    def weights(self, o: Array) -> Array:
        return np.outer(o.sum(1), o.sum(0))


@dataclass(frozen=True, repr=False, kw_only=True)
class Dirichlet(CellUrn):
    """m records from an urn that holds o_ij + alpha balls of each cell; every ball is put back with one more of its cell."""

    alpha: float
    reinforced = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(alpha=check_alpha(self.alpha))

    def cells(self, o: Table, *_: Any) -> Cells:
        return Cells.smoothed(o, self.urn, self.alpha)

    def weights(self, o: Array) -> Array:
        return o + (Fraction(self.alpha) if o.dtype == object else self.alpha)
