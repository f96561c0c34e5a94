"""Releases whose records are placed in the cells of an urn: uniform tables, resampled records, independent margins, smoothed tables."""

from __future__ import annotations

from dataclasses import dataclass

from capstats.laws.models.model import Model, check_alpha, check_records


@dataclass(frozen=True, repr=False)
class CellUrn(Model):
    """``m`` records placed in the cells of a table by draws from an urn; without m, the limit of large releases, for `cap_law` alone."""

    m: int | None = None

    def __post_init__(self) -> None:
        if self.m is not None:
            self._set(m=check_records(self.m))


@dataclass(frozen=True, repr=False)
class Uniform(CellUrn):
    """Every table of m records is equally likely."""


@dataclass(frozen=True, repr=False)
class Bootstrap(CellUrn):
    """m records are drawn from the original ones, with replacement."""


@dataclass(frozen=True, repr=False)
class Independent(CellUrn):
    """m records are drawn, target and key independently from the margins of the original."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Dirichlet(CellUrn):
    """m records from an urn that holds o_ij + alpha balls of each cell; every ball is put back with one more of its cell."""

    alpha: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(alpha=check_alpha(self.alpha))
