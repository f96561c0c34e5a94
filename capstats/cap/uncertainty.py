"""Standard errors and confidence intervals of average CAP, from the counts.

Average CAP is a mean over records, so its standard error is that of a mean. No list of records and no resampling is needed.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Convention, RowsUsed, rows_used
from capstats.cap.tolerance import Within
from capstats.codes.checks import check_choice, check_number, shown
from capstats.tables.aligned import Aligned
from capstats.tables.backing import unstacked
from capstats.tables.checking import as_counts, weights_of
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, check_integers, ratio, shared
from capstats.tables.table import Counts, Floats, Table
from capstats.tables.ties import at_most

GAINS = (
    *("individual_gain", "individual_gain_error", "original_gain", "original_gain_error", "individual_share", "individual_share_error"),
    *("release", "holdout", "original", "fresh_sample"),
)


def average_cap_interval(
    o: Counts,
    s: Counts,
    *,
    o_squares: Counts | None = None,
    against: Counts | None = None,
    over: str | None = None,
    unmatched: Convention = "zero",
    within: Within | None = None,
    level: float = 0.95,
) -> xr.Dataset:
    """Average CAP with its standard error and confidence interval: for one synthetic table, the difference of two, or the mean of several.

    Another sample of the same population would give another value; the interval shows how large the difference is likely to be.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records; `o` must hold integers, or sums of sampling weights together with `o_squares`.
    o_squares : same as `o`, optional
        If `o` holds sums of sampling weights: the sums of squared weights of the cells, ``tables.o_squares`` of `tabulate`.
    against : same as `s`, optional
        A second synthetic table of the same original. The results are then for the average CAP of `s` minus that of `against`, compared
        record by record.
    over : str, optional
        A dim of `s`, and of `against` if given, along which the tables are repetitions of the same synthesis. The results are then for the
        mean over them.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in the synthetic table count 0, are left out, or use the nearest keys, as in `average_cap`.
    within : number, timedelta, function or ("triangular", distance), optional
        For targets that are numbers or dates: how far from the person's value a guess may be, as in `average_cap`.
    level : float
        Coverage of the interval, between 0 and 1.

    Returns
    -------
    Dataset, dims (...) without `over`
        ``estimate``, from 0 to 1, or from -1 to 1 if two tables are compared; its ``standard_error``; and ``lower`` and ``upper``, the ends
        of the interval, clipped to the range of the estimate. The standard error is NaN with fewer than two records (of positive weight) in
        the average, and for `over` with a single table.

    Raises
    ------
    ValueError, TypeError
        If `o` has sampling weights or fractional counts and `o_squares` is not given, `o_squares` cannot belong to `o`, `level` is not
        between 0 and 1, `over` is not a dim of the tables, or the tables are not counts or disagree.

    See Also
    --------
    average_cap, holdout_contrast

    Notes
    -----
    See theory/individuals.md#uncertainty for the assumptions. The original records are a random sample. The synthetic table is fixed; with
    `over` it is a random draw from a fixed law of synthesis. A table made from these records fits them better than other records; this is
    not part of the interval: see `holdout_contrast`.

    Weighted records are treated as independent, with fixed weights. Clusters and strata are ignored: with clusters, such as households or
    areas, the standard error is usually too small, with strata usually too large.

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd edition, sections 2.6 and 2.11 for the variance of a mean and of a domain mean.
    Howe (1974), Journal of the American Statistical Association 69, for an interval from two variances.
    Kish (1965), Survey Sampling, section 11.7, for the effective number of records.

    Examples
    --------
    Four records with CAP 0.5, 0.5, 1 and 1: the standard error is the root of (4 * 0.25**2 / 3) / 4

    >>> found = average_cap_interval([[1, 2], [1, 0]], [[1, 3], [1, 0]])
    >>> float(found.estimate), round(float(found.standard_error), 4)
    (0.75, 0.1443)

    Weights 1, 1, 1, 3 and CAP 1/2, 1/2, 1, 1: the estimate is 5 / 6, the squared standard error (2/9 + 1/36 + 9/36) / (36 - 12) = 1/48

    >>> import capstats
    >>> people = {"key": ["a", "a", "b", "b"], "target": [0, 1, 0, 0], "w": [1, 1, 1, 3]}
    >>> released = {"key": ["a", "a", "b"], "target": [0, 1, 0]}
    >>> tables = capstats.tabulate(people, released, keys="key", target="target", weights=("w", None))
    >>> found = average_cap_interval(tables.o, tables.s, o_squares=tables.o_squares)
    >>> round(float(found.estimate) * 6, 12), round(float(found.standard_error) ** 2 * 48, 12)
    (5.0, 1.0)
    """
    check_level(level)
    check_weights(o, o_squares, "o")
    first = _members(s, "s", over)
    second = {} if against is None else _members(against, "against", over)
    if second and len(second) != len(first):
        raise ValueError(f"`s` has {len(first)} tables along {over!r}, `against` has {len(second)}. Give the same number of tables.")

    weighted = {} if o_squares is None else {"o_squares": o_squares}
    aligned = Aligned({"o": o, **first, **second, **weighted}, inexact=weighted)
    rows_of = rows_used(aligned, unmatched, within=within)

    def formula(o: Table, *tables: Table) -> Floats:
        squares = squares_of(o, tables[-1] if weighted else None, "o")
        means, pooled = [], np.zeros(())
        for i in range(len(first)):
            mean, deviations = _deviations(o, squares, tables[i], rows_of, unmatched)
            if second:
                other, its = _deviations(o, squares, tables[len(first) + i], rows_of, unmatched)
                mean, deviations = mean - other, deviations - its  # of the same record, so that covariances are included
            means.append(mean)
            pooled = pooled + deviations
        return np.stack(np.broadcast_arrays(*means, _variance(squares, pooled / len(first))), axis=-1)

    found = aligned.map(formula, "average_cap_interval", ("part",))
    means, variance = found.isel(part=slice(None, -1)), found.isel(part=-1)
    m = len(first)
    between = means.var("part", ddof=1, skipna=False) / m if m > 1 else xr.full_like(variance, 0.0 if over is None else np.nan)
    estimate = means.mean("part", skipna=False)
    interval = _interval(estimate, variance, level, least=-1 if second else 0, between=between, degrees=m - 1)
    return Result(interval, attrs={"result": "Interval for average CAP"})


def holdout_contrast(
    o: Counts,
    s: Counts,
    *,
    h: Counts,
    o_squares: Counts | None = None,
    h_squares: Counts | None = None,
    unmatched: Convention = "zero",
    within: Within | None = None,
    level: float = 0.95,
) -> xr.Dataset:
    """Average CAP of the original records minus that of records that were not used for synthesis, with its standard error.

    What an intruder infers about people who are not in the data is knowledge about the population. The difference is the disclosure about
    individuals because they are in the data.

    Parameters
    ----------
    o, s, h : array-like or DataArray, dims (target, key) and any others
        Counts of original, synthetic and holdout records, such as ``tables.h`` of `tabulate`; `o` and `h` must hold integers, or sums
        of sampling weights together with their squares.
    o_squares, h_squares : same as `o` and `h`, optional
        Where `o`, or `h`, holds sums of sampling weights: the sum of the squared weights of each cell, ``tables.o_squares`` and
        ``tables.h_squares`` of `tabulate`.
    unmatched : {"zero", "drop", "nearest"}
        Records of both samples whose key is not in the synthetic table count 0, are left out, or use the nearest keys.
    within : number, timedelta, function or ("triangular", distance), optional
        For targets that are numbers or dates: how far from the person's value a guess may be, as in `average_cap`.
    level : float
        Coverage of the interval, between 0 and 1.

    Returns
    -------
    Dataset, dims (...)
        ``original`` and ``holdout``, the two averages, from 0 to 1; ``estimate``, the first minus the second, from -1 to 1, near 0
        if nothing about individuals is disclosed; its ``standard_error``; ``lower`` and ``upper``, the ends of the interval. The standard
        error is NaN if either sample has fewer than two records in the average.

    Raises
    ------
    ValueError, TypeError
        If `o` or `h` has sampling weights or fractional counts and its squares are missing or do not fit; `level` is not between 0 and 1,
        or the tables are not counts or differ.

    See Also
    --------
    average_cap_interval

    Notes
    -----
    See theory/individuals.md#uncertainty: the samples are independent, so their variances are added. The holdout must come from the same
    population by the same sampling design, or both samples must be weighted to that population. Clusters and strata are ignored.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi (2023), https://doi.org/10.56553/popets-2023-0055, subtract attacks on a control
    sample; here the attack is CAP, and its success rate is in closed form.

    Examples
    --------
    The intruder is right about all four original records, and about half of the four holdout records:

    >>> found = holdout_contrast([[2, 0], [0, 2]], [[1, 0], [0, 1]], h=[[1, 1], [1, 1]])
    >>> float(found.original), float(found.holdout), float(found.estimate), round(float(found.standard_error), 4)
    (1.0, 0.5, 0.5, 0.2887)
    """
    check_level(level)
    check_weights(o, o_squares, "o")
    check_weights(h, h_squares, "h")

    weighted = {name: table for name, table in (("o_squares", o_squares), ("h_squares", h_squares)) if table is not None}
    aligned = Aligned({"o": o, "s": s, "h": h, **weighted}, inexact=weighted)
    rows_of = rows_used(aligned, unmatched, within=within)

    def formula(o: Table, s: Table, h: Table, *tables: Table) -> Floats:
        given = dict(zip(weighted, tables, strict=True))
        of_o, of_h = squares_of(o, given.get("o_squares"), "o"), squares_of(h, given.get("h_squares"), "h")
        original, deviations = _deviations(o, of_o, s, rows_of, unmatched)
        holdout, its = _deviations(h, of_h, s, rows_of, unmatched)
        return np.stack(np.broadcast_arrays(original, holdout, _variance(of_o, deviations) + _variance(of_h, its)), axis=-1)

    found = aligned.map(formula, "holdout_contrast", ("part",))
    original, holdout, variance = (found.isel(part=i) for i in range(3))
    interval = _interval(original - holdout, variance, level, least=-1)
    return Result({"original": original, "holdout": holdout, **interval}, attrs={"result": "Average CAP, original minus holdout"})


def individual_share(
    o: Counts,
    s: Counts,
    *,
    h: Counts,
    o_squares: Counts | None = None,
    h_squares: Counts | None = None,
    unmatched: Literal["zero", "nearest"] = "nearest",
    level: float = 0.95,
) -> xr.Dataset:
    """How much more often guesses are right for the people in the data than for others like them, as a share of what the original gives.

    The share is near 0 for a release that is a fresh sample of the population, and 1 for a copy of the original.

    Parameters
    ----------
    o, s, h, o_squares, h_squares
        As in `holdout_contrast`.
    unmatched : {"nearest", "zero"}
        Records whose key is not in the released table use the nearest keys; or count 0, and then being matched counts as a gain.
    level : float
        Coverage of the interval of the share, between 0 and 1.

    Returns
    -------
    Dataset, dims (...)
        ``individual_gain``, N, from -2 to 2: how much more often the guess from `s` is right for records of `o` than for others like
        them; ``original_gain``, D, the same for `o` in place of `s`; ``individual_share``, N / D, with ``lower`` and ``upper``, the ends
        of its interval: NaN where D is below three standard errors, because the keys are too coarse to tell the records of `o` from
        others like them. Each has its standard error, ``..._error``. And the average CAPs on one scale, from 0 to 1: of the records of
        `o`, guessed from `s` (``release``) and from `o` (``original``); of those of `h`, guessed from `s` (``holdout``) and from `o`
        (``fresh_sample``: a fresh sample of as many records as `o` has this average CAP on average).

    Raises
    ------
    ValueError, TypeError
        As in `holdout_contrast`.

    See Also
    --------
    holdout_contrast, average_cap_interval

    Notes
    -----
    See theory/individuals.md#individual-share. N is the mean over `o`, minus that over `h`, of q - t, where t is the share of the target
    among all records of the key in both samples. Its expectation is that of the plain contrast of q, with less sampling noise; the plain
    ratio of two contrasts is near 1 for harmless releases if keys are few. The share is small, too, where a few records are copied among
    many, or where the holdout was used for the synthesis.

    Examples
    --------
    In the original three in four people of the first key have the first target, in the holdout two in four. A release between the
    original and both of them together:

    >>> found = individual_share([[300, 100], [100, 300]], [[275, 125], [125, 275]], h=[[200, 200], [200, 200]], unmatched="zero")
    >>> float(found.individual_gain), float(found.original_gain), float(found.individual_share)
    (0.03125, 0.0625, 0.5)
    """
    check_level(level)
    check_weights(o, o_squares, "o")
    check_weights(h, h_squares, "h")
    check_choice(unmatched, "unmatched", ("nearest", "zero"))

    weighted = {name: table for name, table in (("o_squares", o_squares), ("h_squares", h_squares)) if table is not None}
    aligned = Aligned({"o": o, "s": s, "h": h, **weighted}, inexact=weighted)
    rows_of = rows_used(aligned, unmatched)

    def formula(o: Table, s: Table, h: Table, *tables: Table) -> Floats:
        given = dict(zip(weighted, tables, strict=True))
        samples = [(o, squares_of(o, given.get("o_squares"), "o")), (h, squares_of(h, given.get("h_squares"), "h"))]
        both = o.like(o.values + h.values)
        t = attribution(both, both.key_total(), 0.0)
        guesses = [attribution(*rows_of(both, table), 0.0) for table in (s, o)]
        averages = [ratio(sample.like(sample.values * q.values).total(), sample.total(), np.nan) for q in guesses for sample, _ in samples]
        x, y = (q.like(q.values - t.values).side_by_side() for q in guesses)

        def contrast(x: Floats) -> tuple[Floats, Floats]:
            (mean, variance), (others, its) = (_mean_and_variance(*sample, x) for sample in samples)
            return mean - others, np.sqrt(variance + its)

        (gain, error), (whole, its_error) = contrast(x), contrast(y)
        share = ratio(gain, np.where(whole >= 3 * its_error, whole, 0.0), np.nan)
        share_error = contrast(x - share[..., None] * y)[1] / whole
        known = ratio(s.total(), s.total(), np.nan)
        return np.stack(np.broadcast_arrays(gain, error, whole, its_error, share, share_error, *averages), axis=-1) * known[..., None]

    found = aligned.map(formula, "individual_share", ("part",))
    parts = [found.isel(part=i) for i in range(len(GAINS))]
    names = dict(zip(GAINS, parts, strict=True))
    interval = _interval(names["individual_share"], names["individual_share_error"] ** 2, level, least=-np.inf, most=np.inf)
    ends = {end: interval[end] for end in ("lower", "upper")}
    return Result({**names, **ends}, attrs={"result": "How much is about the people in the data"})


def _deviations(o: Table, squares: Table, s: Table, rows_of: RowsUsed, unmatched: Convention) -> tuple[Floats, Floats]:
    """The mean of q over the records in the average, shape (...), and (q - mean) / sqrt(W1**2 - W2) of each cell, (..., cells).

    W1 is the sum of the weights of these records, W2 the sum of their squared weights. The squared deviations, times the squared weights
    and summed over records, are the variance of the mean. The deviation of a record outside the average is 0.
    """
    read, s_j = rows_of(o, s)
    if unmatched != "zero":
        counted = read.on_cells(s_j > 0)
        o, squares = o.like(o.values * counted), squares.like(squares.values * counted)
    mean = ratio(ratio(shared(o, read, s_j), s_j, 0.0).sum(-1), o.total(), np.nan)
    return mean, _scaled(o, squares, attribution(read, s_j, 0.0).side_by_side(), mean)


def _scaled(o: Table, squares: Table, q: Floats, mean: Floats) -> Floats:
    """(q - mean) / sqrt(W1**2 - W2) of each cell with records: shape (..., cells)."""
    w, of_squares = o.total(), squares.total()
    q, counts = np.broadcast_arrays(q, o.side_by_side())
    effective = ratio(w, ratio(of_squares, w, 0.0), 0.0)  # W1**2 / W2; equal to n if all weights are 1
    scale = np.sqrt(of_squares) * np.sqrt(np.where(at_most(effective, 1), 0, effective - 1))
    return ratio(np.where(counts > 0, q - mean[..., None], 0.0), scale[..., None], np.nan)


def _mean_and_variance(o: Table, squares: Table, x: Floats) -> tuple[Floats, Floats]:
    """The mean over records of a value of each cell, (..., cells), and the variance of this mean."""
    mean = ratio((o.side_by_side() * x).sum(-1), o.total(), np.nan)
    return mean, _variance(squares, _scaled(o, squares, x, mean))


def _variance(squares: Table, deviations: Floats) -> Floats:
    return np.asarray((squares.side_by_side() * deviations**2).sum(-1))


def _interval(
    estimate: xr.DataArray, variance: xr.DataArray, level: float, *, least: float, most: float = 1, between: Any = 0.0, degrees: int = 0
) -> dict[str, xr.DataArray]:
    """The estimate, its standard error and the ends of the interval, clipped to ``least`` and ``most``.

    The variance between tables is estimated from few tables, so its part of the width uses Student's t.
    """
    from scipy.special import ndtri, stdtrit

    p = (1 + level) / 2
    reach = np.sqrt(ndtri(p) ** 2 * variance + (stdtrit(degrees, p) ** 2 * between if degrees else between))
    return {
        "estimate": estimate,
        "standard_error": np.sqrt(variance + between),
        "lower": (estimate - reach).clip(min=least),
        "upper": (estimate + reach).clip(max=most),
    }


def _members(table: Any, name: str, over: str | None) -> dict[str, Any]:
    """The tables along a dim, under their names in error messages; the table itself if `over` is None."""
    if over is None:
        return {name: table}
    array = as_counts(table, name)
    if over not in array.dims[:-2]:
        raise ValueError(
            f"`over` must be a dim of `{name}`, and neither 'target' nor 'key'; got {shown(over)}, and its dims are {array.dims}."
        )
    axis = array.dims.index(over)
    dims = [dim for dim in array.dims if dim != over]
    coords = {c: v for c, v in array.coords.items() if over not in v.dims}
    parts = unstacked(array.variable.data, axis)
    return {f"{name}[{i}]": xr.DataArray(part, coords, dims, name) for i, part in enumerate(parts)}


def check_level(level: float) -> None:
    """Raise unless it is a coverage, between 0 and 1."""
    check_number(level, "level", "between 0 and 1, such as 0.95", least=0, most=1, excluded=(0, 1))


def check_weights(table: Any, squares: Any, name: str) -> None:
    """Raise an error for sums of sampling weights without their squares: treated as counts they would give a standard error near 0."""
    column = weights_of(table)
    if column is not None and squares is None:
        raise ValueError(
            f"`{name}` holds sums of the sampling weights {column!r}, from which no standard error follows: it depends on the squares of "
            f"the weights. Give {name}_squares=tables.{name}_squares, which tabulate returns beside tables.{name}."
        )


def squares_of(table: Table, squares: Table | None, name: str) -> Table:
    """Sums of the squared weights of a table; for counts these are the counts, since each record has weight 1."""
    if squares is None:
        remedy = f"For weighted records give the sums of their squared weights as `{name}_squares`."
        check_integers(table, name, ", because a standard error needs numbers of records", remedy)
        return table
    w = table.values.astype(np.float64)
    if (~at_most(squares.values, w**2) | ((w > 0) & (squares.values == 0))).any():
        raise ValueError(
            f"`{name}_squares` must hold the sum of the squared weights of each cell of `{name}`: above 0 where the sum of the weights is, "
            f"and no more than its square. Give tables.{name}_squares of the same Dataset; weights below 1e-150 must be scaled up."
        )
    return squares
