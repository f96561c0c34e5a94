"""Distribution of individual CAP over the original records, computed from the counts of the cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.average import average_cap
from capstats.cap.baselines import baseline_cap
from capstats.cap.neighbours import Convention, in_average, rows_used
from capstats.cap.tolerance import Within
from capstats.codes.checks import shown
from capstats.tables.aligned import Aligned, same_or_span
from capstats.tables.checking import given_tables
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, check_integers, ratio
from capstats.tables.table import Array, Counts, Floats, Release, Table
from capstats.tables.ties import at_most, ranks

FOR_QUANTILES = (", because quantiles interpolate between records", "Use cap_ecdf, which takes weights, or round the weights to integers.")
PART = 1 << 20  # comparisons of values that are made at once


def cap_quantiles(
    o: Counts, s: Release = None, q: Any = (0, 0.25, 0.5, 0.75, 1), *, unmatched: Convention = "zero", within: Within = None
) -> xr.DataArray:
    """Quantiles of individual CAP over the original records, with linear interpolation.

    A low average can hide people at high risk: the 0.9 quantile is the risk that a tenth of the records exceed.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records; `o` must hold integers, because quantiles interpolate between records. Integer
        sampling weights count as numbers of people, so the quantiles are over the people that the records represent.
    q : float or sequence of floats
        Probabilities from 0 to 1.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in `s` have CAP 0, or are left out, or have that of the pooled records of the nearest synthetic keys.
    within : number, timedelta, function or ("triangular", distance), optional
        For targets that are numbers or dates: how far from the person's value a guess may be, as in `average_cap`.

    Returns
    -------
    DataArray, dims (quantile, ...), without ``quantile`` where `q` is one number
        From 0 to 1: exactly ``numpy.quantile`` of the individual CAP of all n records, computed without a list of records. NaN if no record
        has a CAP. ``attrs["records"]`` is the number of records with a CAP, as in `cap_ecdf`.

    Raises
    ------
    ValueError, TypeError
        If `o` has fractional counts, `q` is outside [0, 1], or the tables are not counts or disagree.

    See Also
    --------
    cap_boxplot, cap_ecdf

    Notes
    -----
    See theory/cap.md#distribution: the value of the k-th record follows from the cumulated counts of the sorted cells.

    References
    ----------
    Hyndman and Fan (1996), definition 7, https://doi.org/10.1080/00031305.1996.10473566.

    Examples
    --------
    >>> cap_quantiles([[1, 0], [2, 1]], [[1, 1], [1, 3]], [0, 0.5, 1]).values.tolist()
    [0.5, 0.5, 0.75]
    """
    probabilities = _numbers(q, "`q` must be one probability or a sequence of them, from 0 to 1", 0, 1)
    aligned = Aligned({"o": o, "s": s})
    rows_of = rows_used(aligned, unmatched, within=within)

    found = aligned.map(lambda o, s: quantiles_of(o, *rows_of(o, s), probabilities.reshape(-1), unmatched), "cap_quantiles", ("quantile",))
    return _leading(found, "quantile", probabilities, aligned.weights)


def quantiles_of(o: Table, s: Table, s_j: Array, p: Floats, unmatched: Convention) -> Floats:
    """Quantiles of individual CAP from the rows that keys use, followed by the number of records with a CAP: shape (..., p + 1)."""
    check_integers(o, "o", *FOR_QUANTILES)
    values, weights = by_value(o, s, s_j, unmatched)
    through = np.cumsum(weights, axis=-1)
    return np.concatenate([_quantiles(values, through, p), through[..., -1:]], axis=-1)


def cap_ecdf(o: Counts, s: Release = None, at: Any = (0.5, 0.9), *, unmatched: Convention = "zero", within: Within = None) -> xr.DataArray:
    """Share of the original records whose individual CAP is at most a given value.

    One minus this share is the share of people with a higher risk.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records; weights may be fractional.
    at : float or sequence of floats
        Values of individual CAP; ties count (see `at_most`).
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in `s` have CAP 0, or are left out, or have that of the pooled records of the nearest synthetic keys.
    within : number, timedelta, function or ("triangular", distance), optional
        For targets that are numbers or dates: how far from the person's value a guess may be, as in `average_cap`.

    Returns
    -------
    DataArray, dims (at, ...), without ``at`` where it is one number
        From 0 to 1, never falling along ``at``. NaN if no record has a CAP. ``attrs["records"]`` is the number of records with a CAP: one
        number, or the least and the greatest if the tables differ; with sampling weights their sum, and ``attrs["weights"]`` their column.

    Raises
    ------
    ValueError, TypeError
        If `at` holds NaN, or the tables are not counts or disagree.

    See Also
    --------
    plotting.plot_cap_ecdf

    Notes
    -----
    See theory/cap.md#distribution.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 1 shows this distribution.

    Examples
    --------
    Half of the records have CAP at most 0.5:

    >>> float(cap_ecdf([[2, 0], [2, 4]], [[1, 1], [1, 3]], 0.5))
    0.5
    """
    places = _numbers(at, "`at` must be one number or a sequence of numbers")
    aligned = Aligned({"o": o, "s": s})
    rows_of = rows_used(aligned, unmatched, within=within)

    def formula(o: Table, s: Table) -> Floats:
        values, weights = by_value(o, *rows_of(o, s), unmatched)
        through = np.concatenate([np.zeros_like(weights[..., :1]), np.cumsum(weights, axis=-1)], axis=-1)
        n = through[..., -1:]
        each = max(PART // max(values.size, 1), 1)  # places at once
        parts = np.split(places.reshape(-1, 1), range(each, places.size, each))
        below = np.concatenate([at_most(values[..., None, :], part).sum(-1) for part in parts], axis=-1)
        return np.concatenate([ratio(np.take_along_axis(through, below, axis=-1), n, np.nan), n], axis=-1)

    return _leading(aligned.map(formula, "cap_ecdf", ("at",)), "at", places, aligned.weights)


def cap_boxplot(o: Counts, s: Release = None, *, unmatched: Convention = "zero", within: Within = None) -> xr.Dataset:
    """Statistics of a boxplot of individual CAP over the original records, with averages for comparison.

    Among tables with the same average, it shows which leave some people at a high risk.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records; `o` must hold integers. Whole sampling weights count as in `cap_quantiles`.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in `s` have CAP 0, or are left out, or have that of the pooled records of the nearest synthetic keys.
    within : number, timedelta, function or ("triangular", distance), optional
        For targets that are numbers or dates: how far from the person's value a guess may be, as in `average_cap`; in the averages too.

    Returns
    -------
    Dataset, dims (...)
        ``lower_whisker``, ``lower_quartile``, ``median``, ``upper_quartile``, ``upper_whisker``: as matplotlib computes them for the list
        of all records (whiskers end at the last record within 1.5 interquartile ranges, ties included); ``average``, the average CAP;
        ``original_cap``, that of `o` with itself; ``baseline_cap``, the marginal baseline of `o`; and ``individual``, dims (..., target,
        key): the CAP of the cells with records, NaN elsewhere. All from 0 to 1, NaN if no record has a CAP.

        ``records`` is the number of records with a CAP; with sampling weights their sum, as all numbers of records here, and
        ``attrs["weights"]`` is their column. ``outliers`` and ``outlier_records``, dims (..., outlier), are the distinct values
        beyond the whiskers, in ascending order, and the number of records with each; tables with fewer outliers are filled with NaN and 0.
        ``average_rank`` is the rank of the average among all tables: 1 is the greatest; ties have the smaller rank.

    Raises
    ------
    ValueError, TypeError
        If `o` has fractional counts, or the tables are not counts or disagree.

    See Also
    --------
    cap_quantiles, plotting.plot_individual_cap

    Notes
    -----
    See theory/cap.md#distribution.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 1.

    Examples
    --------
    >>> box = cap_boxplot([[20, 5], [30, 45]], [[8, 7], [25, 60]])
    >>> [round(float(box[name]), 3) for name in ("lower_quartile", "median", "upper_quartile", "average", "original_cap")]
    [0.629, 0.758, 0.896, 0.684, 0.67]
    """
    o, s = given_tables({"o": o, "s": s}).values()
    aligned = Aligned({"o": o, "s": s})
    rows_of = rows_used(aligned, unmatched, within=within)

    def box(o: Table, s: Table) -> Floats:
        check_integers(o, "o", *FOR_QUANTILES)
        values, weights = by_value(o, *rows_of(o, s), unmatched)
        five = _five_numbers(values, weights)
        return np.concatenate([five, weights.sum(-1, keepdims=True), _outlying(values, weights, five)[1].max(-1, keepdims=True)], axis=-1)

    def outliers(o: Table, s: Table) -> Floats:
        values, weights = by_value(o, *rows_of(o, s), unmatched)
        return _outliers(values, weights, *_outlying(values, weights, _five_numbers(values, weights)), most)

    def individual(o: Table, s: Table) -> Table:
        q = attribution(*rows_of(o, s), 0.0 if unmatched == "zero" else np.nan)
        return q.like(np.where(o.values > 0, q.values, np.nan), np.nan)

    boxes = aligned.map(box, "box", ("part",))
    most = int(boxes.isel(part=-1).max())
    beyond = aligned.map(outliers, "outliers", ("side", "outlier"))
    average = average_cap(o, s, unmatched=unmatched, within=within)
    parts = ("lower_whisker", "lower_quartile", "median", "upper_quartile", "upper_whisker")
    found = {
        **{name: boxes.isel(part=i) for i, name in enumerate(parts)},
        "average": average,
        "average_rank": average.copy(data=ranks(average.values.reshape(-1)).reshape(average.shape)),
        "original_cap": average_cap(o, o, within=within),
        "baseline_cap": baseline_cap(o, within=within),
        "records": boxes.isel(part=-2).astype(np.int64),
        "outliers": beyond.isel(side=0),
        "outlier_records": beyond.isel(side=1).astype(np.int64),
        "individual": aligned.map(individual, "individual", ("target", "key")),
    }
    return Result(found, attrs={"result": "Boxplot of individual CAP", **aligned.weights})


def _numbers(given: Any, rule: str, least: float = -np.inf, most: float = np.inf) -> Floats:
    """One number or a sequence of them, from ``least`` to ``most``, as 64-bit floats."""
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.ndim > 1 or not numbers.size or not ((numbers >= least) & (numbers <= most)).all():
        raise ValueError(f"{rule}; got {shown(given)}.")
    return numbers


def _quantiles(values: Floats, through: Array, p: Floats) -> Floats:
    """Quantiles of records, from the cumulated counts ``through`` of the sorted cells: shape (..., p), NaN without records."""
    n = through[..., -1:]
    position = (n - 1) * p
    below = np.floor(position)
    a = _kth(values, through, below)
    b = _kth(values, through, np.minimum(below + 1, n - 1))
    t = position - below
    found = np.where(t >= 0.5, b - (b - a) * (1 - t), a + (b - a) * t)  # the same rounding as numpy
    return np.where(n > 0, found, np.nan)


def by_value(o: Table, s: Table, s_j: Array, unmatched: Convention) -> tuple[Floats, Array]:
    """Values of the cells sorted by individual CAP, and the number of records in each: two arrays of shape (..., cells)."""
    q, (counted,) = attribution(s, s_j, 0.0), in_average(s, s_j, unmatched, o)
    values, weights = np.broadcast_arrays(q.side_by_side(), counted.side_by_side())
    order = np.argsort(values, axis=-1)
    return np.take_along_axis(values, order, axis=-1), np.take_along_axis(weights, order, axis=-1)


def _five_numbers(values: Floats, weights: Array) -> Floats:
    """Whiskers, quartiles and median of sorted cells: shape (..., 5)."""
    low, middle, high = np.moveaxis(_quantiles(values, np.cumsum(weights, axis=-1), np.array([0.25, 0.5, 0.75])), -1, 0)[..., None]
    reach = 1.5 * (high - low)
    held = weights > 0
    least = np.where(held & at_most(low, values + reach), values, np.inf).min(-1, keepdims=True)
    greatest = np.where(held & at_most(values, high + reach), values, -np.inf).max(-1, keepdims=True)
    return np.concatenate([np.minimum(least, low), low, middle, high, np.maximum(greatest, high)], axis=-1)


def _outlying(values: Floats, weights: Array, five: Floats) -> tuple[Array, Array]:
    """Which of the sorted cells have records beyond the whiskers, and the cumulated number of distinct values among these."""
    beyond = (weights > 0) & ~(at_most(five[..., :1], values) & at_most(values, five[..., -1:]))
    before = np.maximum.accumulate(np.where(beyond, values, -np.inf), axis=-1)[..., :-1]
    new = beyond & ~at_most(values, np.concatenate([np.full_like(values[..., :1], -np.inf), before], axis=-1))
    return beyond, np.cumsum(new, axis=-1)


def _outliers(values: Floats, weights: Array, beyond: Array, number: Array, most: int) -> Floats:
    """The distinct values of outlying records, and the number of records with each: shape (..., 2, most)."""
    found = np.stack([np.full((*beyond.shape[:-1], most), np.nan), np.zeros((*beyond.shape[:-1], most))])
    *table, _ = np.nonzero(beyond)
    place = (*table, number[beyond] - 1)
    np.fmin.at(found[0], place, values[beyond])
    np.add.at(found[1], place, weights[beyond])
    return np.moveaxis(found, 0, -2)


def _kth(values: Floats, through: Array, k: Floats) -> Floats:
    """The value of the k-th record (from 0), from the cumulated counts ``through``."""
    cell = np.stack([(through <= k[..., i, None]).sum(-1) for i in range(k.shape[-1])], axis=-1)
    return np.take_along_axis(values, np.minimum(cell, values.shape[-1] - 1), axis=-1)


def _leading(found: xr.DataArray, dim: str, values: Floats, weights: dict[str, str]) -> xr.DataArray:
    """The numbers along a dim, which is the first one, or none for one number; the last of them is the number of records."""
    result = found.isel({dim: slice(-1)}).assign_attrs(records=same_or_span(found.isel({dim: -1}).values), **weights)
    result = result.assign_coords({dim: values.reshape(-1)}).transpose(dim, ...)
    return result if values.ndim else result.isel({dim: 0})
