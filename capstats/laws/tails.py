"""How far out a sum over the cells of a table lies among all tables with the same margins: by all of them, or by random ones.

The records are shuffled: each has a row and a column, and the columns are dealt to the rows anew. The sum is that of a cost of each cell
times its records. `tail` gives the probability of a sum at least as extreme as the one observed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.laws.distribution.law import clopper_pearson
from capstats.tables.checking import is_integer, shown
from capstats.tables.table import Array, Floats
from capstats.tables.ties import at_most

Ints = NDArray[np.int64]
Alternative = Literal["greater", "less", "two-sided"]

WAYS = 200_000  # ways to fill the columns of a table that are followed at a time
WORK = 2_000_000  # cells of all random tables, where no number of draws is given
DRAWS = (99, 9_999)  # least and greatest number of random tables then
BLOCK = 2_000_000  # cells of random tables held at a time
UNIT = 10**11  # integers up to here differ by more than `at_most` takes for rounding
RECORDS = 10**9  # numpy shuffles fewer


class Tail(NamedTuple):
    """A p-value, the interval that holds the exact one, and whether it is the exact one itself."""

    p_value: float
    lower: float
    upper: float
    exact: bool


def check_options(alternative: str, draws: int | None) -> None:
    """Raise unless the alternative is known and the draws are a number of random tables."""
    if alternative not in get_args(Alternative):
        raise ValueError(f'`alternative` must be "greater", "less" or "two-sided"; got {alternative!r}.')
    whole = is_integer(draws)
    if draws is not None and not (whole and draws >= 0):
        raise ValueError(f"`draws` must be a number of random permutations, an integer from 0; got {shown(draws)}.")


def seed_of(rng: Any) -> int:
    """One seed for all tables of a batch, so that the p-value of a table does not depend on the others."""
    return int(np.random.default_rng(rng).integers(2**63))


def costs_of(counts: Array, totals: Array, records: int) -> Array:
    """Counts over totals, as integers over a common denominator where it is small enough: sums are then exact, and so are ties."""
    unit = 1
    if counts.dtype.kind == totals.dtype.kind == "i":
        common = np.gcd(counts, totals)
        for total in np.unique(totals // common):
            unit = math.lcm(unit, int(total))
            if unit > UNIT:
                break
        if max(unit, unit * records * float((counts / totals).max(initial=0.0))) <= UNIT:
            return np.asarray(counts // common * (unit // (totals // common)))
    return np.asarray(counts / totals)


def tail(
    rows: Ints, columns: Ints, costs: Array, observed: float, *, alternative: Alternative, draws: int | None, seed: int, level: float
) -> Tail:
    """The probability of a sum at least as extreme as the observed one, over all ways to deal the columns to the rows.

    ``rows`` and ``columns`` are the margins, ``costs`` has a number for each cell. It is exact where the tables are few, and where draws
    are not asked for; otherwise ``lower`` and ``upper`` are the Clopper-Pearson interval of the given level around random tables. Without
    draws nothing is known; see `by_moments`.
    """
    if draws == 0:
        return Tail(1.0, 0.0, 1.0, False)
    costs = costs[rows > 0][:, columns > 0]
    rows, columns = rows[rows > 0], columns[columns > 0]
    costs, same = np.unique(costs, axis=1, return_inverse=True)  # keys with equal costs are one
    columns = np.bincount(same.ravel(), columns, costs.shape[1]).astype(np.int64)
    mean = float(rows @ costs @ columns) / float(rows.sum())

    def beyond(sums: Array) -> NDArray[np.bool_]:
        if alternative == "two-sided":
            return np.asarray(at_most(abs(observed - mean), np.abs(sums - mean), scale=abs(mean)))
        return np.asarray(at_most(observed, sums) if alternative == "greater" else at_most(sums, observed))

    every = _every(rows, columns, costs) if draws is None else None
    if every is not None:
        sums, probabilities = every
        p = min(float(probabilities[beyond(sums)].sum()), 1.0)
        return Tail(p, p, p, True)
    if draws is None:
        draws = max(DRAWS[0], min(WORK // costs.size, DRAWS[1]))
    reached = sum(int(beyond(sums).sum()) for sums in _random(rows, columns, costs, draws, seed))
    return Tail((1 + reached) / (1 + draws), *map(float, clopper_pearson(reached, draws, level)), False)


def by_moments(deviation: xr.DataArray, standard_deviation: xr.DataArray, alternative: Alternative) -> xr.DataArray:
    """The largest probability of a value as far from its mean, or on its side, that a standard deviation allows: Chebyshev, and Cantelli.

    It is 1 where the value is on the other side of the mean, or cannot be elsewhere.
    """
    z = (deviation / standard_deviation.where(standard_deviation > 0)).fillna(0)
    if alternative == "two-sided":
        return (1 / (z**2).clip(min=1)).where(deviation.notnull())
    return (1 / (1 + (z if alternative == "greater" else -z).clip(min=0) ** 2)).where(deviation.notnull())


def _every(rows: Ints, columns: Ints, costs: Array) -> tuple[Array, Floats] | None:
    """Sums of all tables with these margins, and their probabilities, column by column; None where the tables are too many.

    What is left of the rows decides what can follow, so that equal remainders with equal sums are one.
    """
    if len(rows) > len(columns):
        rows, columns, costs = columns, rows, costs.T
    order = np.argsort(columns, kind="stable")  # the largest column takes what is left
    left, sums = rows[None], np.zeros(1, costs.dtype)
    weights: Floats = np.ones(1)
    for j in order[:-1]:
        total = int(columns[j])
        if math.comb(total + len(rows) - 1, total) * len(left) > WAYS:
            return None
        splits = _splits(total, len(rows))
        before, split = np.nonzero((left[:, None] >= splits).all(-1))
        taken = splits[split]
        weights = weights[before] * np.exp(_log_ways(left[before], taken).sum(-1) - _log_ways(left[before].sum(-1), np.asarray(total)))
        sums = sums[before] + taken @ costs[:, j]
        left = left[before] - taken
        first, state = _states([np.unique(sums, return_inverse=True)[1], *left.T[:-1]])  # the last row has the rest
        weights = np.bincount(state, weights, len(first)).astype(np.float64)
        sums, left = sums[first], left[first]
    return sums + left @ costs[:, order[-1]], weights / weights.sum()


def _states(columns: list[Ints]) -> tuple[Ints, Ints]:
    """Equal rows of columns of whole numbers: where each one stands first, and which one every row is."""
    code, size = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        width = int(column.max()) + 1
        if size * width >= 2**62:
            code = np.unique(code, return_inverse=True)[1]
            size = len(code)
        code, size = code * width + column, size * width
    _, first, state = np.unique(code, return_index=True, return_inverse=True)
    return first, state


def _splits(total: int, parts: int) -> Ints:
    """Every way to write a total as a sum of so many parts: the gaps between bars."""
    if parts == 1:
        return np.array([[total]], np.int64)
    found = list(combinations(range(total + parts - 1), parts - 1))
    bars = np.array(found, np.int64).reshape(len(found), parts - 1)
    edge = np.ones((len(bars), 1), np.int64)
    ends = np.hstack([-edge, bars, edge * (total + parts - 1)])
    return ends[:, 1:] - ends[:, :-1] - 1


def _log_ways(whole: Ints, part: Ints) -> Floats:
    """Logarithm of the number of ways to choose ``part`` of ``whole`` records."""
    from scipy.special import gammaln

    return np.asarray(gammaln(whole + 1) - gammaln(part + 1) - gammaln(whole - part + 1))


def _random(rows: Ints, columns: Ints, costs: Array, draws: int, seed: int) -> Iterator[Array]:
    """Sums of random tables with these margins, in blocks."""
    if rows.sum() >= RECORDS:
        raise ValueError(f"The records to shuffle must be fewer than 10**9; there are {int(rows.sum())}. Test a random part of them.")
    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // costs.size)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        if len(rows) == 2:
            first = rng.multivariate_hypergeometric(columns, int(rows[0]), size, method="marginals")
            yield first @ (costs[0] - costs[1]) + columns @ costs[1]
        else:
            from scipy.stats import random_table

            tables = random_table(rows, columns).rvs(size, random_state=rng)
            yield np.einsum("dij,ij->d", np.reshape(tables, (size, *costs.shape)), costs)
