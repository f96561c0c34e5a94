"""Standard errors and confidence intervals of average CAP, from the counts.

Average CAP is a mean over records, so its standard error is that of a mean. No list of records and no resampling is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Convention, in_average, rows_used
from capstats.cap.tolerance import Within
from capstats.codes.checks import check_number, shown
from capstats.tables.aligned import Aligned
from capstats.tables.backing import unstacked
from capstats.tables.checking import as_counts, given_tables, weights_of
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, check_integers, ratio, shared
from capstats.tables.table import Array, Counts, Floats, Release, Table
from capstats.tables.ties import at_most

GAINS = (
    *("average_cap", "holdout_cap", "plain_contrast", "plain_contrast_error"),
    *("individual_gain", "individual_gain_error", "original_gain", "original_gain_error"),
    *("original_cap", "fresh_sample", "fresh_sample_error"),
    *("individual_share", "individual_share_lower", "individual_share_upper", "degrees_of_freedom"),
)
# With which a share is given, at least: degrees of freedom; the gain of the original; and this gain as samples of these sizes have it on
# average, since a limit on what was found alone would choose shares that chance made large (benchmarks/intervals.py).
FREEDOM, POINT, EXPECTED = 24, 0.01, 0.0125


SUMS = ("o_squares", "h_squares", "o_records", "h_records")  # which tables of sampling weights bring along


def average_cap_interval(
    o: Counts,
    s: Release = None,
    *,
    against: Counts | None = None,
    over: str | None = None,
    unmatched: Convention = "zero",
    within: Within = None,
    level: float = 0.95,
) -> xr.Dataset:
    """Average CAP with its standard error and confidence interval: for one synthetic table, the difference of two, or the mean of several.

    Another sample of the same population would give another value; the interval shows how large the difference is likely to be.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records; `o` must hold integers. Where it holds sums of sampling weights, give the Dataset that
        `tabulate` returns in its place, which holds the sums of squared weights as ``o_squares``.
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
        of the interval, in the range of the estimate and not symmetric around it: records are added at both ends of the range, so that it
        covers near 0 and 1 as well. The standard error is NaN with fewer than two records (of positive weight) in
        the average, and for `over` with a single table.

    Raises
    ------
    ValueError, TypeError
        If `o` has sampling weights or fractional counts without ``o_squares``, these cannot belong to `o`, `level` is not
        between 0 and 1, `over` is not a dim of the tables, or the tables are not counts or disagree.

    See Also
    --------
    average_cap, individual_share

    Notes
    -----
    See theory/individuals.md#uncertainty for the assumptions. The original records are a random sample. The synthetic table is fixed; with
    `over` it is a random draw from a fixed law of synthesis. A table made from these records fits them better than other records; this is
    not part of the interval: see `individual_share`.

    Weighted records are treated as independent, with fixed weights. Clusters and strata are ignored: with clusters, such as households or
    areas, the standard error is usually too small, with strata usually too large.

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd edition, sections 2.6 and 2.11 for the variance of a mean and of a domain mean.
    Agresti and Coull (1998), https://doi.org/10.1080/00031305.1998.10480550, for records added at both ends.
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
    >>> found = average_cap_interval(tables)
    >>> round(float(found.estimate) * 6, 12), round(float(found.standard_error) ** 2 * 48, 12)
    (5.0, 1.0)
    """
    check_level(level)
    given = given_tables({"o": o, "s": s, "against": against, "o_squares": None}, ("against", "o_squares"))
    check_weights(given, "o")
    first = _members(given["s"], "s", over)
    second = _members(given["against"], "against", over) if "against" in given else {}
    if second and len(second) != len(first):
        raise ValueError(f"`s` has {len(first)} tables along {over!r}, `against` has {len(second)}. Give the same number of tables.")

    weighted = {name: table for name, table in given.items() if name == "o_squares"}
    aligned = Aligned({"o": given["o"], **first, **second, **weighted}, inexact=weighted)
    rows_of = rows_used(aligned, unmatched, within=within)

    def formula(o: Table, *tables: Table) -> Floats:
        squares = squares_of(o, tables[-1] if weighted else None, "o")

        def of(s: Table) -> tuple[Floats, Floats, Floats, Floats]:
            """The mean and the deviations of q, its values, and the effective number of records."""
            read, s_j = rows_of(o, s)
            counted, of_counted = in_average(read, s_j, unmatched, o, squares)
            mean, deviations = _deviations(counted, of_counted, read, s_j)
            return mean, deviations, attribution(read, s_j, 0.0).side_by_side(), _effective(counted, of_counted)

        means, deviations, values, records = zip(*(of(s) for s in tables[: len(first)]), strict=True)
        apart = 0.5  # half of the range of a record's value
        if second:  # of the same record, so that covariances are included
            others, its, its_values, _ = zip(*(of(s) for s in tables[len(first) : 2 * len(first)]), strict=True)
            pairs = (means, others), (deviations, its), (values, its_values)
            means, deviations, values = (tuple(x - y for x, y in zip(*pair, strict=True)) for pair in pairs)
            apart = np.abs(sum(values) / len(first)).max(-1, initial=0)
        variance = (squares.side_by_side() * (sum(deviations) / len(first)) ** 2).sum(-1)
        return np.stack(np.broadcast_arrays(*means, variance, sum(records) / len(first), apart), axis=-1)

    found = aligned.map(formula, "average_cap_interval", ("part",))
    means, (variance, records, apart) = found.isel(part=slice(None, -3)), (found.isel(part=i) for i in (-3, -2, -1))
    m = len(first)
    between = means.var("part", ddof=1, skipna=False) / m if m > 1 else xr.full_like(variance, 0.0 if over is None else np.nan)
    estimate, least = means.mean("part", skipna=False), -1 if second else 0
    z, t = NormalDist().inv_cdf((1 + level) / 2), _student(m - 1, level) if m > 1 else 0.0
    all_records, middle = records + z**2, (1 + least) / 2  # z**2 more records, half of them at either end of the range
    squares = records * (records - 1) * variance + z**2 * (apart**2 + records / all_records * (estimate - middle) ** 2)
    centre = (records * estimate + z**2 * middle) / all_records
    reach = np.sqrt(z**2 * squares / all_records**2 + t**2 * between)
    error, lower, upper = np.sqrt(variance + between), (centre - reach).clip(min=least), (centre + reach).clip(max=1)
    interval = {"estimate": estimate, "standard_error": error, "lower": lower, "upper": upper}
    return Result(interval, attrs={"result": f"Interval for {'a difference of ' if second else ''}average CAP"})


def individual_share(
    o: Counts,
    s: Release = None,
    *,
    h: Counts | None = None,
    unmatched: Convention = "nearest",
    within: Within = None,
    level: float = 0.95,
) -> xr.Dataset:
    """How much more often guesses are right for the people in the data than for others like them, as a share of what the original gives.

    What an intruder infers about people who are not in the data is knowledge about the population; the rest is about those who are. The
    share is near 0 for a release that is a fresh sample of the population, and 1 for a copy of the original.

    Parameters
    ----------
    o, s, h : array-like or DataArray, dims (target, key) and any others
        Counts of original, synthetic and holdout records, or in place of `o` the Dataset of `tabulate` that holds all of them; `o` and `h`
        must hold integers. Where they hold sums of sampling weights, the Dataset is needed, with ``o_squares``, ``o_records`` and so on.
    unmatched : {"nearest", "zero", "drop"}
        Records of both samples whose key is not in the table that guesses use the nearest keys; or count 0, or are left out, and then
        there is no share unless all are matched.
    within : number, timedelta, function or ("triangular", distance), optional
        For targets that are numbers or dates: how far from the person's value a guess may be, as in `average_cap`. There is no share then.
    level : float
        Coverage of the interval of the share, between 0 and 1.

    Returns
    -------
    Dataset, dims (...)
        - ``average_cap`` and ``holdout_cap``, from 0 to 1: of the records of `o` and of `h`, guessed from `s`; ``plain_contrast``, the
          first minus the second, from -1 to 1;
        - ``individual_gain``, N, from -2 to 2: how much more often the guess from `s` is right for records of `o` than for others like
          them, near 0 if nothing about individuals is disclosed; ``original_gain``, D, the same for `o` in place of `s`;
        - ``original_cap``, from 0 to 1: of the records of `o`, guessed from `o`; ``fresh_sample``, that minus D: about their average CAP
          if a fresh sample of the size of `o` were released;
        - ``plain_contrast_error``, ``individual_gain_error``, ``original_gain_error``, ``fresh_sample_error``: standard errors, NaN if
          either sample has fewer than two records in the average;
        - ``individual_share``, N / D, with ``individual_share_lower`` and ``individual_share_upper``, the ends of its interval. An upper
          end below 0 says that `s` fits the holdout better than the original: are the tables swapped? All three are NaN unless D is at
          least 0.01 and two standard errors, the mean of D over samples of these sizes at least 0.0125, and ``degrees_of_freedom`` at
          least 24: elsewhere the keys are too coarse to tell the records of `o` from others like them, the samples too small, or there
          is too little to be had.

    Raises
    ------
    ValueError, TypeError
        If `o` or `h` has sampling weights or fractional counts and its squares or numbers of records are missing or do not fit; `level` is
        not between 0 and 1, or the tables are not counts or differ.

    See Also
    --------
    average_cap_interval, capstats.laws.membership_test

    Notes
    -----
    See theory/individuals.md#individual-share. N is the mean over `o`, minus that over `h`, of q - t, where t is the share of the target
    among the records of the key in both samples, each counted once. Its expectation is that of the plain contrast of q, with less sampling
    noise; the ratio of two plain contrasts is near 1 for harmless releases if keys are few. The share is small, too, where a few records
    are copied among many, or where the holdout was used for the synthesis.

    The samples are independent. The holdout must come from the same population by the same sampling design, or both samples must be
    weighted to that population. Clusters and strata are ignored. N has the error that it has for a harmless release.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi (2023), https://doi.org/10.56553/popets-2023-0055, subtract attacks on a control
    sample; here the attack is CAP, and its success rate is in closed form.
    Fieller (1954), https://doi.org/10.1111/j.2517-6161.1954.tb00159.x, the interval of a ratio.
    Satterthwaite (1946), https://doi.org/10.2307/3002019, the degrees of freedom of a sum of squares.

    Examples
    --------
    The intruder is right about all four original records, and about half of the four holdout records:

    >>> found = individual_share([[2, 0], [0, 2]], [[1, 0], [0, 1]], h=[[1, 1], [1, 1]], unmatched="zero")
    >>> [float(found[name]) for name in ("average_cap", "holdout_cap", "plain_contrast", "individual_gain", "original_gain")]
    [1.0, 0.5, 0.5, 0.25, 0.25]

    In each of 30 keys three in four people of the original have the first target, in the holdout two in four. A release between the
    original and both of them together:

    >>> o, s, h = ([[x] * 30, [y] * 30] for x, y in ((15, 5), (11, 5), (10, 10)))
    >>> found = individual_share(o, s, h=h, unmatched="zero")
    >>> float(found.individual_gain), float(found.original_gain), float(found.individual_share)
    (0.03125, 0.0625, 0.5)
    """
    check_level(level)
    given = given_tables({"o": o, "s": s, "h": h, **dict.fromkeys(SUMS)}, SUMS)
    for name in ("o", "h"):
        check_weights(given, name)
    more = list(given)[3:]
    aligned = Aligned(given, inexact={"o_squares", "h_squares"} & set(more))
    rows_of = rows_used(aligned, unmatched, within=within)

    def formula(o: Table, s: Table, h: Table, *tables: Table) -> dict[str, Floats]:
        of = dict(zip(more, tables, strict=True))
        squares = squares_of(o, of.get("o_squares"), "o"), squares_of(h, of.get("h_squares"), "h")
        held, both = of.get("h_records", h), o.like(of.get("o_records", o).values + of.get("h_records", h).values)
        t = attribution(*rows_of(both, both), 0.0)

        def contrast(table: Table) -> tuple[list[Floats], Floats, list[tuple[Floats, Floats]], Array]:
            """Average CAP of both samples, the contrast of q - t, the deviations of q and of q - t, and whether every key has rows."""
            read, total = rows_of(both, table)
            averages, means, deviations = [], [], []
            for sample, its_squares in zip((o, h), squares, strict=True):
                counted, of_counted = in_average(read, total, unmatched, sample, its_squares)
                mean, of_q = _deviations(counted, of_counted, read, total)
                of_t = ratio(counted.like(counted.values * t.values).total, counted.total, np.nan)
                averages.append(mean)
                means.append(mean - of_t)
                deviations.append((of_q, of_q - _scaled(counted, of_counted, t.side_by_side(), of_t)))
            return averages, means[0] - means[1], deviations, ((total > 0) | (both.key_total == 0)).all(-1)

        def product(x: int, y: int, of_x: Any, of_y: Any) -> Floats:
            """The variance of a contrast, or the covariance of two."""
            first, second = ((w.side_by_side() * a[x] * b[y]).sum(-1) for w, a, b in zip(squares, of_x, of_y, strict=True))
            return np.asarray(first + second)

        (averages, gain, of_s, matched), (own, whole, of_o, complete) = contrast(s), contrast(o)
        plain, variance = product(0, 0, of_s, of_s), product(1, 1, of_s, of_s)
        of_whole, covariance = product(1, 1, of_o, of_o), product(1, 1, of_s, of_o)
        error, (expected, degrees) = np.sqrt(2 * of_whole), _expected(o, h, squares, held, both)
        fresh = np.sqrt(2 * of_whole + _composition(o, squares[0], both, t))
        enough = (degrees >= FREEDOM) & (expected >= EXPECTED) & (whole >= POINT) & (whole >= 2 * error)
        printed = enough & matched & complete & (within is None)
        shares = _fieller(np.where(printed, gain, np.nan), whole, variance, of_whole, covariance, degrees, level)
        parts = [*averages, averages[0] - averages[1], np.sqrt(plain), gain, np.sqrt(variance), whole, error]
        parts += [own[0], own[0] - whole, fresh, *shares, degrees]
        return dict(zip(GAINS, parts, strict=True))

    return Result(aligned.numbers(formula), attrs={"result": "How much is about the people in the data"})


def _fieller(
    gain: Floats, whole: Floats, variance: Floats, of_whole: Floats, covariance: Floats, degrees: Floats, level: float
) -> tuple[Floats, Floats, Floats]:
    """A ratio and the ends of Fieller's interval with quantiles of Student's t; NaN where the gain is, or the interval has no end."""
    t2 = _student(np.maximum(degrees, 1), level) ** 2
    a, b, c = whole**2 - t2 * of_whole, gain * whole - t2 * covariance, gain**2 - t2 * variance
    a = np.where(a > 0, a, np.nan)
    reach = np.sqrt(np.maximum(b**2 - a * c, 0))
    return ratio(gain, whole, np.nan) + 0 * a, (b - reach) / a, (b + reach) / a


def _student(degrees: Floats | int, level: float) -> Floats:
    """The quantile of Student's t with equal tails outside of an interval of this level."""
    from scipy.special import stdtrit  # which takes longer to import than most reports to compute

    return np.asarray(stdtrit(degrees, (1 + level) / 2))


def _expected(o: Table, h: Table, squares: tuple[Table, Table], held: Table, both: Table) -> tuple[Floats, Floats]:
    """The mean of the gain of the original, a sum over keys of squares of differences of the samples, and its degrees of freedom."""
    p = attribution(both, both.key_total, 0.0)
    second, third = (p.like(p.values**power).key_total for power in (2, 3))
    trace, of_square = np.where(both.key_total > 0, 1 - second, 0), np.maximum(second - 2 * third + second**2, 0)
    own = [ratio(ratio(w2.key_total, w.key_total, 0.0), w.total[..., None], 0.0) for w, w2 in zip((o, h), squares, strict=True)]
    weight = ratio(held.key_total, both.key_total, 0.0) * (own[0] + own[1])
    mean = (weight * trace).sum(-1)
    return mean, ratio(mean**2, (weight**2 * of_square).sum(-1), 0.0)  # Satterthwaite's


def _composition(o: Table, squares: Table, both: Table, t: Table) -> Floats:
    """The variance of the mean over the records of `o` of t, less its mean among the records of the key."""
    p = attribution(both, both.key_total, 0.0)
    apart = t.values - t.on_cells(p.like(p.values * t.values).key_total)
    return ratio(o.like(o.values * apart**2).total * squares.total, o.total**3.0, np.nan)


def _deviations(o: Table, squares: Table, read: Table, s_j: Array) -> tuple[Floats, Floats]:
    """The mean of q over the records in the average, shape (...), and (q - mean) / sqrt(W1**2 - W2) of each cell, (..., cells).

    W1 is the sum of the weights of these records, W2 the sum of their squared weights. The squared deviations, times the squared weights
    and summed over records, are the variance of the mean. The deviation of a record outside the average is 0.
    """
    mean = ratio(ratio(shared(o, read, s_j), s_j, 0.0).sum(-1), o.total, np.nan)
    return mean, _scaled(o, squares, attribution(read, s_j, 0.0).side_by_side(), mean)


def standard_error(o: Table, squares: Table, read: Table, s_j: Array, unmatched: Convention) -> Floats:
    """The standard error of average CAP, from the rows that keys use and the squared weights: shape (...)."""
    counted, of_counted = in_average(read, s_j, unmatched, o, squares)
    _, deviations = _deviations(counted, of_counted, read, s_j)
    return np.asarray(np.sqrt((squares.side_by_side() * deviations**2).sum(-1)))


def _scaled(o: Table, squares: Table, q: Floats, mean: Floats) -> Floats:
    """(q - mean) / sqrt(W1**2 - W2) of each cell with records: shape (..., cells)."""
    q, counts = np.broadcast_arrays(q, o.side_by_side())
    effective = _effective(o, squares)
    scale = np.sqrt(squares.total) * np.sqrt(np.where(at_most(effective, 1), 0, effective - 1))
    return ratio(np.where(counts > 0, q - mean[..., None], 0.0), scale[..., None], np.nan)


def _effective(o: Table, squares: Table) -> Floats:
    """The effective number of records, W1**2 / W2; the number of records if all weights are 1."""
    return ratio(o.total, ratio(squares.total, o.total, 0.0), 0.0)


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


def check_weights(tables: Mapping[str, Any] | xr.Dataset, name: str) -> None:
    """Raise an error for sums of sampling weights without their squares: treated as counts they would give a standard error near 0."""
    column = weights_of(tables[name])
    if column is not None and f"{name}_squares" not in tables:
        raise ValueError(
            f"`{name}` holds sums of the sampling weights {column!r}, from which no standard error follows: it depends on the squares of "
            f"the weights. Give the Dataset that tabulate returned, which holds them as {name}_squares, in place of its table tables.o."
        )


def squares_of(table: Table, squares: Table | None, name: str) -> Table:
    """Sums of the squared weights of a table; for counts these are the counts, since each record has weight 1."""
    if squares is None:
        remedy = f"For weighted records give the Dataset of tabulate, which holds the sums of their squared weights as {name}_squares."
        check_integers(table, name, ", because a standard error needs numbers of records", remedy)
        return table
    w = table.values.astype(np.float64)
    if (~at_most(squares.values, w**2) | ((w > 0) & (squares.values == 0))).any():
        raise ValueError(
            f"`{name}_squares` must hold the sum of the squared weights of each cell of `{name}`: above 0 where the sum of the weights is, "
            f"and no more than its square. Give tables.{name}_squares of the same Dataset; weights below 1e-150 must be scaled up."
        )
    return squares
