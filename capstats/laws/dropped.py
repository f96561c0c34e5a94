"""Mean and variance of version 2 where a release is drawn cell by cell, exactly, where the cost is in reach.

Few keys are computed by the sets of matched keys, many by generating functions; for tables of any size there are two bounds of the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from capstats.laws.cells import Cells, covariance
from capstats.laws.generating import WORK, Groups
from capstats.laws.matched_sets import Keys, over_sets
from capstats.laws.models import Synthesis
from capstats.laws.shares import targets_of
from capstats.tables.table import Array, Floats, Table

FEW = 8  # keys of which all sets are computed
SLACK = 1e-12  # more than rounding can take from a bound


def dropped_mean(o: Table, synthesis: Synthesis) -> Floats:
    """Expected average CAP, version 2, given that it is defined: shape (...); NaN where `o` holds no record."""
    if synthesis.model == "uniform":
        return np.where(o.total() > 0, 1 / targets_of(o), np.nan)

    def mean(cells: Cells, o_j: Array) -> float:
        return _expected(cells, o_j, cells.mean, None)

    return _of_each(o, synthesis, mean)


def dropped_variance(o: Table, synthesis: Synthesis) -> Floats:
    """Variance of average CAP, version 2, given that it is defined: shape (...); NaN where `o` holds no record."""

    def moment(cells: Cells, o_j: Array) -> float:
        mean = 1 / targets_of(o) if synthesis.model == "uniform" else _expected(cells, o_j, cells.mean, None)
        return _expected(cells, o_j, cells.mean - mean * o_j, cells.spread)

    return _of_each(o, synthesis, moment)


def _of_each(o: Table, synthesis: Synthesis, moment: Callable[[Cells, Array], Any], out: tuple[int, ...] = ()) -> Floats:
    cells, o_j = Cells.of(o, synthesis), o.key_total()
    found = np.full((*o_j.shape[:-1], *out), np.nan)
    for at in np.ndindex(o_j.shape[:-1]):
        if o_j[at].any():
            found[at] = moment(cells.member(at), o_j[at])
    return found


def _keys(cells: Cells, o_j: Array) -> Keys:
    held = o_j > 0
    return Keys(cells.urn, o_j[held], cells.weight()[held].astype(np.float64), cells.added * int((~held).sum()))


def _expected(cells: Cells, o_j: Array, right: Floats, spread: Floats | None) -> float:
    """E[C / X], given X > 0, or with the spread of the answers E[D^2 / X^2]: see `over_sets`."""
    keys, held = _keys(cells, o_j), o_j > 0
    right, spread = right[held], None if spread is None else spread[held]
    count = len(keys.o_j)
    if count <= FEW and (spread is None or count * 2**count * keys.urn.m <= WORK):
        return over_sets(keys, right, spread) / keys.some_matched()
    return Groups.of(keys).expected(right, spread) / keys.some_matched()


def dropped_bounds(o: Table, synthesis: Synthesis) -> Floats:
    """Lower and upper bound of the expected average CAP, version 2, from first and second moments alone: shape (..., 2)."""
    if synthesis.model == "uniform":
        mean, exact = dropped_mean(o, synthesis), Fraction(1, targets_of(o))
        rounded = Fraction(1 / targets_of(o))  # 1/3 is no float
        ends = np.nextafter(mean, 0) if rounded > exact else mean, np.nextafter(mean, 1) if rounded < exact else mean
        return np.stack(ends, axis=-1)
    return _of_each(o, synthesis, _bounds, (2,))


def _bounds(cells: Cells, o_j: Array) -> Floats:
    """Bounds of E[c / X] from 1/X = 1/a - (X - a)/a^2 + (X - a)^2/(a^2 X), where a is the mean of X = n_M, given that it is not 0."""
    held, matched = o_j > 0, cells.matched()
    shares = cells.mean[held] / o_j[held]  # of the records of a key, those for which an attribution is right
    least, greatest = shares.min(), shares.max()
    near = (matched * cells.mean).sum() / (matched * o_j).sum()
    right = cells.mean - near * o_j  # c less what a constant share would give; its mean is 0

    defined = _keys(cells, o_j).some_matched()
    a = (matched * o_j).sum() / defined
    of_records = covariance(cells, o_j, o_j)
    variance = max(of_records / defined - a**2 * (1 - defined), 0.0)
    slope = covariance(cells, right, o_j) / (defined * a**2)
    room = np.sqrt(covariance(cells, right, right) * of_records) / (defined * a**2)
    rounding = SLACK * (greatest + 1e3 * (room + greatest * variance / a**2))
    ends = near - slope + (np.array([least, greatest]) - near) * variance / a**2 + rounding * np.array([-1, 1])
    return np.asarray(np.clip(ends, least - SLACK * greatest, greatest + SLACK * greatest))
