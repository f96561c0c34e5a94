"""Two tests of a release by permutation: of who was in the original, and of the link between key and target.

Each record has a row label and a column label, and the column labels are assigned to the records anew. What is computed (`tail`) is the
probability, over all assignments, that a sum over the cells, of a cost times the records, is at least as extreme as the one observed.

*The obvious way* shuffles the labels some thousand times and counts. Its p-value has an error, cannot be smaller than one over the number
of draws, and the cost of each draw is the number of records. To list all n! orders is possible for ten records; the tests do so.

*All tables* (`_every`). Orders matter only through the table that they give, and tables matter only through what can follow. Columns are
filled one after the other. The state after some columns is how many records each row still needs, and the sum so far; states that agree
become one, and their probabilities, which are multivariate hypergeometric, are added. Before that, columns with equal costs are put
together. So the cost is the number of states, not of tables: with two rows, as in the membership test, a state is one number and the sum.
The way is given up where one column would have more than WAYS continuations.

*Random tables* (`_random`) otherwise: tables with the given margins are drawn directly (Patefield), at a cost of the cells rather than the
records. The p-value is (1 + b) / (1 + draws), which is valid for any number of draws, with the interval of Clopper and Pearson around the
p-value that all tables would give.

*Ties* decide: a sum that equals the observed one counts as extreme. Costs are fractions, and floats would break some ties. `costs_of`
makes them integers over a common denominator wherever it is small enough; otherwise `at_most` compares with a tolerance.

*Without draws* the mean and the standard deviation, which have formulas, bound the p-value by Chebyshev's or Cantelli's inequality.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.cap.average import average_cap
from capstats.cap.neighbours import Convention, Unmatched, check_unmatched, rows_used
from capstats.cap.uncertainty import check_level
from capstats.codes.checks import check_choice, check_integer, shown
from capstats.codes.column import Column, Ints, factor
from capstats.laws.distribution.exact import compositions
from capstats.laws.distribution.law import clopper_pearson
from capstats.laws.models.permuted import Permuted
from capstats.laws.moments.expected import expected_cap, variance_cap
from capstats.tables.aligned import Aligned
from capstats.tables.checking import check_unweighted, given_tables
from capstats.tables.printing import Result
from capstats.tables.sums import check_integers
from capstats.tables.table import Array, Floats, Index, Table
from capstats.tables.ties import at_most

Alternative = Literal["greater", "less", "two-sided"]

WAYS = 200_000  # states and fillings of a column that are followed at a time
WORK = 2_000_000  # cells of all random tables, where no number of draws is given
DRAWS = (99, 9_999)  # least and greatest number of random tables then
BLOCK = 2_000_000  # cells of random tables held at a time
UNIT = 10**11  # below this, different integers differ by more than the tolerance of `at_most`
RECORDS = 10**9  # numpy draws tables of fewer records
LARGEST = 50_000_000  # cells of a table that is permuted
UNWEIGHTED = "Give the numbers of records, or tabulate without weights."
UNDEFINED = (np.nan, np.nan, np.nan, 0.0)


class Tail(NamedTuple):
    """A p-value, the interval that holds the exact one, and whether it is the exact one itself."""

    p_value: float
    least: float
    greatest: float
    exact: bool


Run = Callable[..., Tail]


def membership_test(
    o: Any,
    s: Any = None,
    *,
    h: Any = None,
    unmatched: Convention = "zero",
    alternative: Alternative = "greater",
    draws: int | None = None,
    level: float = 0.95,
    rng: Any = None,
) -> xr.Dataset:
    """Test of whether the release knows who was in the original: the labels original and holdout, permuted.

    If the release discloses no more about the people in the original than about others like them, then their labels could be permuted, and
    the average CAP of the original would exceed that of the holdout by chance alone. The p-value is the share of all ways to deal them in
    which it exceeds it by at least as much.

    Parameters
    ----------
    o, s, h : array-like or DataArray, dims (target, key) and any others
        Counts of original, synthetic and holdout records, or in place of `o` the Dataset of `tabulate` that holds all of them; `o` and `h`
        must hold integers.
    unmatched : {"zero", "drop", "nearest"}
        Records of both samples whose key is not in the synthetic table count 0, are left out, keeping their labels, or use the nearest
        keys.
    alternative : {"greater", "less", "two-sided"}
        "greater": the release is closer to the original than to the holdout.
    draws : int, optional
        Number of random permutations. Default: all permutations are counted where that is possible, otherwise as many as take less than a
        second, from 99 to 9,999. 0: none; the p-value is then the largest that its mean and standard deviation allow.
    level : float
        Coverage of the interval for the p-value where permutations are random.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng``; all tables of a batch are tested by the same random numbers.

    Returns
    -------
    Dataset, dims (...)
        ``contrast``, the average CAP of the original minus that of the holdout, from -1 to 1; ``standard_deviation``, its exact standard
        deviation under permutation, where its mean is 0; ``p_value``, from 0 to 1; ``least`` and ``greatest``, which hold the p-value over
        all permutations: the same number where it is ``exact``, otherwise the Clopper-Pearson interval around (1 + b) / (1 + draws), b
        being the draws at least as extreme; without draws, 0 and the p-value. NaN, and not exact, if either sample has no record in the
        average.

    Raises
    ------
    ValueError, TypeError
        If `o` or `h` holds fractional counts or sums of weights, an option is not as described, or the tables are not counts or differ.

    See Also
    --------
    capstats.individual_share : the same contrast with its standard error.
    permutation_test : a test of utility.

    Notes
    -----
    See theory/individuals.md#membership-test. The test is valid, P(p_value <= a) <= a for every a, if original and holdout are a random
    split of the same records, or two random samples of one population, and the release was made without the holdout. Exact values are
    those of whole numbers up to rounding; ties count as at least as extreme.

    References
    ----------
    Lehmann and Romano (2005), Testing Statistical Hypotheses, 3rd edition, section 15.2 (permutation tests).
    Phipson and Smyth (2010), https://doi.org/10.2202/1544-6115.1585 (the p-value of random permutations).
    Clopper and Pearson (1934), https://doi.org/10.1093/biomet/26.4.404.

    Examples
    --------
    Two original records with CAP 1, two of the holdout with CAP 0: one of the six ways to deal the labels has as large a contrast.

    >>> found = membership_test([[1, 1], [0, 0]], [[1, 1], [0, 0]], h=[[0, 0], [1, 1]])
    >>> float(found.contrast), round(float(found.standard_deviation), 4), round(float(found.p_value), 4), bool(found.exact)
    (1.0, 0.5774, 0.1667, True)
    """
    run = _run(alternative, draws, level, rng)
    o, s, h = given_tables({"o": o, "s": s, "h": h}).values()
    aligned = Aligned({"o": o, "s": s, "h": h})
    rows_of = rows_used(aligned, unmatched)
    check_unweighted("records are permuted", o=o, h=h)

    def formula(o: Table, s: Table, h: Table) -> Floats:
        for name, table in (("o", o), ("h", h)):
            check_integers(table, name, ", because records are permuted", UNWEIGHTED)
        both = o.values + h.values
        read, s_j = rows_of(o.like(both), s)
        used = (both > 0) & ((unmatched == "zero") | (read.on_cells(s_j) > 0))
        totals = read.on_cells(np.where(s_j > 0, s_j, 1))
        return of_each_release(partial(_membership, run), read, used, o.values, h.values, read.values, totals)

    found = aligned.map(formula, "membership_test", ("part",))
    numbers = {name: found.isel(part=i) for i, name in enumerate(("contrast", "standard_deviation", *Tail._fields))}
    if draws == 0:
        numbers["p_value"] = numbers["greatest"] = by_moments(numbers["contrast"], numbers["standard_deviation"], alternative)
    return _result(numbers, "Membership test: original against holdout", alternative)


def permutation_test(
    o: Any,
    s: Any = None,
    *,
    unmatched: Unmatched = "zero",
    alternative: Alternative = "greater",
    draws: int | None = None,
    level: float = 0.95,
    rng: Any = None,
) -> xr.Dataset:
    """A test of utility: whether the release links key and target as the original does, beyond what its margins say.

    The targets of the synthetic records are permuted among their keys. If the average CAP of the release is hardly ever reached, it tells
    something about the target by the key that is true of the original. Every useful release does, so that a small p-value is no finding
    about disclosure: that is `membership_test`.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records; `s` must hold integers.
    unmatched : {"zero", "drop"}
        Version 1 or 2 of the average. The keys stay, so that both have the same p-value.
    alternative : {"greater", "less", "two-sided"}
        "greater": average CAP is larger than permutation explains.
    draws : int, optional
        Number of random permutations. Default: all permutations are counted where that is possible, otherwise as many as take less than a
        second, from 99 to 9,999. 0: none; the p-value is then the largest that its mean and standard deviation allow.
    level : float
        Coverage of the interval for the p-value where permutations are random.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng``; all tables of a batch are tested by the same random numbers.

    Returns
    -------
    Dataset, dims (...)
        ``average_cap``; ``expected``, its exact mean under permutation, and ``standard_deviation``; ``p_value``, from 0 to 1; ``least`` and
        ``greatest``, which hold the p-value over all permutations: the same number where it is ``exact``, otherwise the Clopper-Pearson
        interval around (1 + b) / (1 + draws), b being the draws at least as extreme; without draws, 0 and the p-value. The test is NaN, and
        not exact, if either table has no record.

    Raises
    ------
    ValueError, TypeError
        If `s` holds fractional counts or sums of weights, an option is not as described, the tables are not counts or differ, or they have
        more than 50 million cells of targets and matched keys.

    See Also
    --------
    membership_test : the test of disclosure.
    variance_cap : the variance under this and other models.

    Notes
    -----
    See theory/individuals.md#permutation-test. Under the null the release is one of the tables with its margins, by the multivariate
    hypergeometric law; P(p_value <= a) <= a for every a. The mean is the crossed baseline over matched keys.

    References
    ----------
    Lehmann and Romano (2005), Testing Statistical Hypotheses, 3rd edition, section 15.2 (permutation tests).
    Patefield (1981), https://doi.org/10.2307/2346669 (random tables with given margins).
    Phipson and Smyth (2010), https://doi.org/10.2202/1544-6115.1585 (the p-value of random permutations).

    Examples
    --------
    Two records with each key: of the six ways to place the two targets one is that of the original.

    >>> found = permutation_test([[2, 0], [0, 2]], [[2, 0], [0, 2]])
    >>> float(found.average_cap), float(found.expected), round(float(found.p_value), 4), bool(found.exact)
    (1.0, 0.5, 0.1667, True)
    """
    check_unmatched(unmatched)
    run = _run(alternative, draws, level, rng)
    o, s = given_tables({"o": o, "s": s}).values()
    aligned = Aligned({"o": o, "s": s})
    check_unweighted("records are permuted", s=s)
    keys, targets = (np.arange(aligned.sizes[dim]) for dim in ("key", "target"))

    def formula(o: Table, s: Table) -> Floats:
        check_integers(s, "s", ", because its records are permuted", UNWEIGHTED)
        if draws == 0:
            p = np.where(o.total * s.total > 0, 1.0, np.nan)
            return np.stack([p, 0 * p, p, np.zeros(p.shape)], axis=-1)
        return of_each_release(partial(_link, run), s, o.values, s.values, s.on_targets(targets), s.on_cells(keys))

    found = aligned.map(formula, "permutation_test", ("part",))
    numbers: dict[str, xr.DataArray] = {
        "average_cap": average_cap(o, s, unmatched=unmatched),
        "expected": expected_cap(o, Permuted(s), unmatched=unmatched),
        "standard_deviation": variance_cap(o, Permuted(s), unmatched=unmatched) ** 0.5,
        **{name: found.isel(part=i) for i, name in enumerate(Tail._fields)},
    }
    if draws == 0:
        bound = by_moments(numbers["average_cap"] - numbers["expected"], numbers["standard_deviation"], alternative)
        numbers["p_value"] = numbers["greatest"] = bound.where(numbers["p_value"].notnull())
    return _result(numbers, "Permutation test: the link of key and target", alternative)


def _membership(run: Run, used: Array, *cells: Array) -> tuple[float, ...]:
    """The test of one release, from the cells that hold a record of either sample: records with equal individual CAP are one row."""
    n_o, n_h, s_ij, s_j = (x[used] for x in cells)
    q, first, kind = np.unique(s_ij / s_j, return_index=True, return_inverse=True)
    in_o, in_h = (np.bincount(kind, x, len(q)).astype(np.int64) for x in (n_o, n_h))
    n, h, everybody = in_o.sum(), in_h.sum(), in_o + in_h
    if not (n and h):
        return np.nan, np.nan, *UNDEFINED
    variance = everybody @ (q - everybody @ q / (n + h)) ** 2 / (n + h - 1)  # of a random record of both samples
    costs = costs_of(s_ij[first], s_j[first], int(n + h))
    found = run(np.array([n, h]), everybody, np.stack([costs, 0 * costs]), in_o @ costs)
    return in_o @ q / n - in_h @ q / h, np.sqrt(variance * (1 / n + 1 / h)), *found


def _link(run: Run, o_ij: Array, s_ij: Array, target: Index, key: Index) -> tuple[float, ...]:
    """The test of one release, from its cells and those of the original."""
    o_j, s_j, s_i = np.bincount(key, o_ij), np.bincount(key, s_ij).astype(np.int64), np.bincount(target, s_ij).astype(np.int64)
    if not (o_j.any() and s_j.any()):
        return UNDEFINED
    used = np.flatnonzero((o_j > 0) & (s_j > 0))  # other keys contribute nothing under any assignment
    if len(s_i) * len(used) > LARGEST:
        raise ValueError(f"The tables have {len(s_i)} targets and {len(used)} matched keys; the test holds {LARGEST} cells. Merge levels.")
    held = np.isin(key, used)
    o_ij, s_ij, target, place = o_ij[held], s_ij[held], target[held], np.searchsorted(used, key[held])
    counts = np.zeros((len(s_i), len(used) + 1), o_ij.dtype)
    np.add.at(counts, (target, place), o_ij)
    columns = np.append(s_j[used], s_j.sum() - s_j[used].sum())
    costs = costs_of(counts, np.append(s_j[used], 1), int(s_j.sum()))
    return run(s_i, columns, costs, (s_ij * costs[target, place]).sum())


def _run(alternative: Alternative, draws: int | None, level: float, rng: Any) -> Run:
    """A test with its options checked; it takes the margins, costs and observed sum of a table."""
    check_choice(alternative, "alternative", get_args(Alternative))
    if draws is not None:
        check_integer(draws, "draws", "a number of random permutations, an integer from 0", least=0)
    check_level(level)
    return partial(tail, alternative=alternative, draws=draws, seed=seed_of(rng), level=level)


def of_each_release(test: Callable[..., Sequence[Any]], table: Table, *cells: Array, dtype: Any = np.float64) -> Array:
    """The test of every table of a batch, from values for each cell: shape (..., numbers)."""
    rows = [table.like(x).side_by_side() for x in np.broadcast_arrays(*cells)]
    batch = rows[0].shape[:-1]
    found = [test(*(row[at] for row in rows)) for at in np.ndindex(batch)]
    return np.reshape(np.array(found, dtype), (*batch, -1))


def _result(numbers: dict[str, xr.DataArray], title: str, alternative: str) -> xr.Dataset:
    numbers["exact"] = numbers["exact"] > 0
    return Result(numbers, attrs={"result": title, "alternative": alternative})


# --- the tail probability of a sum among all tables with the same margins ------------------------------------------------------


def seed_of(rng: Any) -> int:
    """One seed for all tables of a batch, so that the p-value of a table does not depend on the others."""
    try:
        return int(np.random.default_rng(rng).integers(2**63))
    except (TypeError, ValueError):
        raise ValueError(f"`rng` must be a seed, an integer from 0, or a Generator of numpy; got {shown(rng)}.") from None


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
    """The probability of a sum at least as extreme as the observed one, over all assignments of the columns to the rows.

    ``rows`` and ``columns`` are the margins, ``costs`` has a number for each cell. It is exact where the tables are few, and where draws
    are not asked for; otherwise ``least`` and ``greatest`` are the Clopper-Pearson interval of the given level around random tables.
    Without draws nothing is known; see `by_moments`.
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
    lower, upper = clopper_pearson(reached, draws, level)
    return Tail((1 + reached) / (1 + draws), float(lower), float(upper), False)


def by_moments(deviation: xr.DataArray, standard_deviation: xr.DataArray, alternative: Alternative) -> xr.DataArray:
    """The largest probability of a value as far from its mean, or on its side, that a standard deviation allows: Chebyshev, and Cantelli.

    It is 1 where the value is on the other side of the mean, or the standard deviation is 0.
    """
    z = (deviation / standard_deviation.where(standard_deviation > 0)).fillna(0)
    if alternative == "two-sided":
        return (1 / (z**2).clip(min=1)).where(deviation.notnull())
    return (1 / (1 + (z if alternative == "greater" else -z).clip(min=0) ** 2)).where(deviation.notnull())


def _every(rows: Ints, columns: Ints, costs: Array) -> tuple[Array, Floats] | None:
    """Sums of all tables with these margins, and their probabilities, column by column; None where there are too many.

    The remainders of the rows determine what can follow, so that states with equal remainders and equal sums are merged.
    """
    if len(rows) > len(columns):
        rows, columns, costs = columns, rows, costs.T
    order = np.argsort(columns, kind="stable")  # the largest column takes the remainders
    left, sums = rows[None], np.zeros(1, costs.dtype)
    weights: Floats = np.ones(1)
    for j in order[:-1]:
        total = int(columns[j])
        if math.comb(total + len(rows) - 1, total) * len(left) > WAYS:
            return None
        # each state with each way to split the column among the rows
        splits = compositions(total, len(rows))
        before, split = np.nonzero((left[:, None] >= splits).all(-1))
        taken = splits[split]
        weights = weights[before] * np.exp(_log_ways(left[before], taken).sum(-1) - _log_ways(left[before].sum(-1), np.asarray(total)))
        sums = sums[before] + taken @ costs[:, j]
        left = left[before] - taken
        # equal remainders with equal sums are one state
        numbers = [np.unique(sums, return_inverse=True)[1], *left.T[:-1]]  # the last remainder follows from the others
        state = factor([Column(of_row, range(int(of_row.max()) + 1)) for of_row in numbers]).of_row
        first = np.unique(state, return_index=True)[1]
        weights = np.bincount(state, weights).astype(np.float64)
        sums, left = sums[first], left[first]
    return sums + left @ costs[:, order[-1]], weights / weights.sum()


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
