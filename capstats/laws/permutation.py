"""Two tests of a release by permutation: of who was in the original, and of the link between key and target."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.average import average_cap
from capstats.cap.neighbours import Convention, Unmatched, check_unmatched, lender
from capstats.cap.uncertainty import check_level
from capstats.laws.models import Permuted
from capstats.laws.moments import expected_cap, variance_cap
from capstats.laws.tails import Alternative, Tail, by_moments, check_options, costs_of, seed_of, tail
from capstats.tables.aligned import Aligned
from capstats.tables.checking import weights_of
from capstats.tables.results import Result
from capstats.tables.sums import check_integers
from capstats.tables.table import Array, Floats, Index, Table

Run = Callable[..., Tail]

LARGEST = 50_000_000  # cells of a table that is permuted
FOUND = ("p_value", "lower", "upper", "exact")
UNWEIGHTED = "Give the numbers of records, or tabulate without weights."
UNDEFINED = (np.nan, np.nan, np.nan, 0.0)


def membership_test(
    o: Any,
    s: Any,
    *,
    h: Any,
    unmatched: Convention = "zero",
    alternative: Alternative = "greater",
    draws: int | None = None,
    level: float = 0.95,
    rng: Any = None,
) -> xr.Dataset:
    """Test of whether the release knows who was in the original: the labels original and holdout, permuted.

    If the release tells no more about the people in the original than about others like them, then their labels could be dealt anew, and
    the average CAP of the original would exceed that of the holdout by chance alone. The p-value is the share of all ways to deal them in
    which it exceeds it by at least as much.

    Parameters
    ----------
    o, s, h : array-like or DataArray, dims (target, key) and any others
        Counts of original, synthetic and holdout records, such as ``tables.h`` of `tabulate`; `o` and `h` must hold integers.
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
        deviation under permutation, where its mean is 0; ``p_value``, from 0 to 1; ``lower`` and ``upper``, which hold the p-value over
        all permutations: the same number where it is ``exact``, otherwise the Clopper-Pearson interval around (1 + b) / (1 + draws), b
        being the draws at least as extreme; without draws, 0 and the p-value. NaN, and not exact, if either sample has no record in the
        average.

    Raises
    ------
    ValueError, TypeError
        If `o` or `h` holds fractional counts or sums of weights, an option is not as described, or the tables are not counts or differ.

    See Also
    --------
    holdout_contrast : the same contrast with an interval.
    permutation_test : a test of utility.

    Notes
    -----
    See theory/membership-test.md. The test is valid, P(p_value <= a) <= a for every a, if original and holdout are a random split of the
    same records, or two random samples of one population, and the release was made without the holdout. Exact values are those of whole
    numbers up to rounding; ties count as at least as extreme.

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
    aligned = Aligned({"o": o, "s": s, "h": h})
    lend = lender(aligned, unmatched)
    check_records({"o": o, "h": h})

    def formula(o: Table, s: Table, h: Table) -> Floats:
        for name, table in (("o", o), ("h", h)):
            check_integers(table, name, ", because records are permuted", UNWEIGHTED)
        read, s_j = lend(o.like(o.values + h.values), s)

        def test(n_o: Array, n_h: Array, s_ij: Array, s_j: Array) -> tuple[float, ...]:
            held = (n_o + n_h > 0) & (True if unmatched == "zero" else s_j > 0)
            return _membership(run, n_o[held], n_h[held], s_ij[held], np.where(s_j > 0, s_j, 1)[held])

        return _of_each(test, read, o.values, h.values, read.values, read.on_cells(s_j))

    found = aligned.map(formula, "membership_test", ("part",))
    numbers = {name: found.isel(part=i) for i, name in enumerate(("contrast", "standard_deviation", *FOUND))}
    if draws == 0:
        numbers["p_value"] = numbers["upper"] = by_moments(numbers["contrast"], numbers["standard_deviation"], alternative)
    return _result(numbers, "Membership test: original against holdout", alternative)


def permutation_test(
    o: Any,
    s: Any,
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
        ``average_cap``; ``expected``, its exact mean under permutation, and ``standard_deviation``; ``p_value``, from 0 to 1; ``lower`` and
        ``upper``, which hold the p-value over all permutations: the same number where it is ``exact``, otherwise the Clopper-Pearson
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
    See theory/permutation-test.md. Under the null the release is one of the tables with its margins, by the multivariate hypergeometric
    law; P(p_value <= a) <= a for every a. The mean is the crossed baseline over matched keys.

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
    aligned = Aligned({"o": o, "s": s})
    check_records({"s": s})
    keys, targets = (np.arange(aligned.sizes[dim]) for dim in ("key", "target"))

    def formula(o: Table, s: Table) -> Floats:
        check_integers(s, "s", ", because its records are permuted", UNWEIGHTED)
        if draws == 0:
            p = np.where(o.total() * s.total() > 0, 1.0, np.nan)
            return np.stack([p, 0 * p, p, np.zeros(p.shape)], axis=-1)
        return _of_each(partial(_link, run), s, o.values, s.values, s.on_targets(targets), s.on_cells(keys))

    found = aligned.map(formula, "permutation_test", ("part",))
    numbers: dict[str, xr.DataArray] = {
        "average_cap": average_cap(o, s, unmatched=unmatched),
        "expected": expected_cap(o, Permuted(s), unmatched=unmatched),
        "standard_deviation": variance_cap(o, Permuted(s), unmatched=unmatched) ** 0.5,
        **{name: found.isel(part=i) for i, name in enumerate(FOUND)},
    }
    if draws == 0:
        bound = by_moments(numbers["average_cap"] - numbers["expected"], numbers["standard_deviation"], alternative)
        numbers["p_value"] = numbers["upper"] = bound.where(numbers["p_value"].notnull())
    return _result(numbers, "Permutation test: the link of key and target", alternative)


def _membership(run: Run, n_o: Array, n_h: Array, s_ij: Array, s_j: Array) -> tuple[float, ...]:
    """The test of one release, from the cells that hold a record of either sample: records with equal individual CAP are one kind."""
    q, first, kind = np.unique(s_ij / s_j, return_index=True, return_inverse=True)
    in_o, in_h = (np.bincount(kind, x, len(q)).astype(np.int64) for x in (n_o, n_h))
    n, h, everybody = in_o.sum(), in_h.sum(), in_o + in_h
    if not (n and h):
        return np.nan, np.nan, *UNDEFINED
    variance = everybody @ (q - everybody @ q / (n + h)) ** 2 / (n + h - 1)  # of one record drawn from both samples
    costs = costs_of(s_ij[first], s_j[first], int(n + h))
    found = run(np.array([n, h]), everybody, np.stack([costs, 0 * costs]), in_o @ costs)
    return in_o @ q / n - in_h @ q / h, np.sqrt(variance * (1 / n + 1 / h)), *found


def _link(run: Run, o_ij: Array, s_ij: Array, target: Index, key: Index) -> tuple[float, ...]:
    """The test of one release, from its cells and those of the original."""
    o_j, s_j, s_i = np.bincount(key, o_ij), np.bincount(key, s_ij).astype(np.int64), np.bincount(target, s_ij).astype(np.int64)
    if not (o_j.any() and s_j.any()):
        return UNDEFINED
    used = np.flatnonzero((o_j > 0) & (s_j > 0))  # all other keys add nothing wherever the targets go
    if len(s_i) * len(used) > LARGEST:
        raise ValueError(f"The tables have {len(s_i)} targets and {len(used)} matched keys; the test holds {LARGEST} cells. Merge levels.")
    place = np.full(len(s_j), len(used))
    place[used] = np.arange(len(used))
    counts = np.zeros((len(s_i), len(used) + 1), o_ij.dtype)
    np.add.at(counts, (target, place[key]), np.where(place[key] < len(used), o_ij, 0))
    columns = np.append(s_j[used], s_j.sum() - s_j[used].sum())
    costs = costs_of(counts, np.append(s_j[used], 1), int(s_j.sum()))
    held = (place[key] < len(used)) & (s_ij > 0)
    return run(s_i, columns, costs, (s_ij[held] * costs[target[held], place[key[held]]]).sum())


def check_records(tables: dict[str, Any]) -> None:
    """Raise for sums of sampling weights, which may be whole and are no numbers of records."""
    for name, table in tables.items():
        if (column := weights_of(table)) is not None:
            raise ValueError(f"`{name}` holds sums of the sampling weights {column!r}, and records are needed. {UNWEIGHTED}")


def _run(alternative: Alternative, draws: int | None, level: float, rng: Any) -> Run:
    """The checked options of a test, ready for the margins, costs and observed sum of each table."""
    check_options(alternative, draws)
    check_level(level)
    return partial(tail, alternative=alternative, draws=draws, seed=seed_of(rng), level=level)


def _of_each(test: Callable[..., tuple[float, ...]], table: Table, *cells: Array) -> Floats:
    """The test of every table of a batch, from values for each cell: shape (..., numbers)."""
    rows = [np.atleast_1d(table.like(x).side_by_side()) for x in np.broadcast_arrays(*cells)]
    batch = rows[0].shape[:-1]
    found = [test(*(row[at] for row in rows)) for at in np.ndindex(batch)]
    return np.reshape(np.array(found, np.float64), (*batch, -1))


def _result(numbers: dict[str, xr.DataArray], title: str, alternative: str) -> xr.Dataset:
    numbers["exact"] = numbers["exact"] > 0
    return Result(numbers, attrs={"result": title, "alternative": alternative})
