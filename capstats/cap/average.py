"""Average Correct Attribution Probability (CAP): the share of people whose target an intruder is expected to guess right.

An intruder who knows a person's key looks it up in the synthetic data and guesses a target with the probabilities found there.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Convention, check_convention, key_columns, nearest_rows, rows_used
from capstats.cap.tolerance import Within
from capstats.codes.column import Ints
from capstats.tables.aligned import Aligned
from capstats.tables.sums import mode, ratio, shared
from capstats.tables.table import Array, Counts, Floats, Release, Table


def average_cap(o: Counts, s: Release = None, *, unmatched: Convention = "zero", radius: int = 0, within: Within = None) -> xr.DataArray:
    """Mean Correct Attribution Probability of the original records.

    It is the expected share of people in the original data whose target an intruder guesses right.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records. Every other dim broadcasts: thousands of synthetic tables are one call.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in `s` count 0 (version 1 of the average), are left out (version 2), or use the pooled records of the
        nearest synthetic keys: those that differ in the fewest key columns (generalized CAP).
    radius : int
        Number of key columns in which synthetic records may differ from a key and still be used for it. With the number of all key columns
        the whole of `s` is used for every record: the baseline "crossed".
    within : number, timedelta, function or ("triangular", distance), optional
        For targets that are numbers or dates: a guess is right if it is at most this far from the person's value. A function takes the
        array of target values and returns the distance for each, as ``lambda income: 0.1 * abs(income)``. With ("triangular", d) a guess
        counts 1 - distance / d. A missing value is matched by missing ones only. It needs radius 0.

    Returns
    -------
    DataArray, dims (...)
        c / n, or c / n_M with "drop", from 0 to 1; larger is riskier. NaN if no original record is in the average: n = 0, or n_M = 0 with
        "drop", or an `s` without records with "nearest".

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or differ in shape or labels; if "nearest" or a radius is used with keys without
        labels (give ``key_labels``) or both together; if the radius exceeds the number of key columns; if `within` is used with targets
        that are no numbers or dates, is months or years, or is negative.

    See Also
    --------
    individual_cap, matched_records, nearest_distance, baseline_cap, cap_quantiles, cap_boxplot

    Notes
    -----
    c = sum_j (sum_i o_ij s_ij) / s_.j, over matched keys: see theory/cap.md#average-cap. No table of q_ij is
    made. For "nearest" and `radius` see theory/attacks.md#neighbours, for `within` theory/cap.md#tolerance: compare it with `baseline_cap`
    within the same distance. CAP of the original with itself may be below that; not so with "triangular".

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definitions 2 and 3.
    SDMetrics, CategoricalGeneralizedCAP ("nearest").
    Hittmeir, Mayer and Ekelhart (2020), https://doi.org/10.1145/3374664.3375722 (radius).

    Examples
    --------
    The paper's O_3 with the synthetic table S_b:

    >>> o = [[0, 176, 204], [0, 78, 93], [127, 163, 59]]
    >>> s = [[24, 36, 15], [226, 113, 213], [216, 54, 3]]
    >>> round(float(average_cap(o, s)), 4)
    0.3074

    Incomes: within 500, the second person is guessed right with probability 1/2 and no longer never

    >>> import capstats
    >>> people = {"town": ["A", "B"], "income": [1000, 3000]}
    >>> tables = capstats.tabulate(people, {"town": ["A", "B", "B"], "income": [1000, 3500, 3600]}, keys="town", target="income")
    >>> float(average_cap(tables.o, tables.s, within=500))
    0.75
    """
    aligned = Aligned({"o": o, "s": s})
    rows_of = rows_used(aligned, unmatched, radius, within=within)

    return aligned.map(lambda o, s: average(o, *rows_of(o, s), unmatched), "average_cap")


def average(o: Table, s: Table, s_j: Array, unmatched: Convention) -> Floats:
    """Average CAP from the rows that keys use, and their totals: shape (...)."""
    c = ratio(shared(o, s, s_j), s_j, 0.0).sum(-1)  # sum_j (sum_i o_ij s_ij) / s_.j
    n = o.total if unmatched == "zero" else (o.key_total * (s_j > 0)).sum(-1)
    return ratio(c, n, np.nan)


def correct_by_key(o: Table, s: Table) -> Floats:
    """Original records of each key that are expected to be attributed correctly: shape (..., key)."""
    return ratio(shared(o, s, s.key_total), s.key_total, 0.0)


def matched_records(o: Counts, s: Release = None) -> xr.DataArray:
    """Number of original records whose key occurs in the synthetic table, n_M.

    Only for these records can an intruder find the exact key in the release.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.

    Returns
    -------
    DataArray, dims (...)
        From 0 to n; an integer if `o` holds integers.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels.

    Notes
    -----
    See theory/cap.md#average-cap: average CAP with "zero" is average CAP with "drop" times n_M / n.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definition 3 (n minus the size of the set A).

    Examples
    --------
    The second key is not in the synthetic table:

    >>> int(matched_records([[1, 2], [3, 4]], [[5, 0], [0, 0]]))
    4
    """
    return Aligned({"o": o, "s": s}).map(matched, "matched_records")


def matched(o: Table, s: Table) -> Array:
    """Number of original records whose key is in the synthetic table, n_M: shape (...)."""
    return np.asarray((o.key_total * (s.key_total > 0)).sum(-1))


def correct_predictions(o: Counts, s: Release = None, *, unmatched: Convention = "zero") -> xr.DataArray:
    """Number of original records whose target is the most frequent synthetic target of their key: the success of the modal intruder.

    The modal intruder does not guess at random but names the commonest answer: all people with the same key get the same prediction.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in `s` count 0, are left out, which is the same number of records, or get the most frequent target of the
        pooled records of the nearest synthetic keys, as in `average_cap`.

    Returns
    -------
    DataArray, dims (...)
        From 0 to n. If t targets tie, each is predicted with probability 1/t, so the number is an expected value. NaN with "nearest" if `s`
        has no record.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels; if "nearest" is used with keys without labels
        (give ``key_labels``).

    See Also
    --------
    average_cap, matched_records, baseline_cap

    Notes
    -----
    See theory/baselines.md#predictive-success. Divide by n, or with "drop" by `matched_records`, for a share to compare with `average_cap`
    of the same `unmatched`, and with `baseline_cap` of the kind "modal".

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4.

    Examples
    --------
    The paper's O_4 with S_a and S_e. With S_a average CAP is higher, but fewer predictions are right:

    >>> o = [[0, 0, 62], [197, 136, 134], [74, 99, 198]]
    >>> float(correct_predictions(o, [[114, 118, 77], [104, 44, 134], [105, 86, 118]]))
    134.0
    >>> float(correct_predictions(o, [[67, 97, 153], [37, 114, 101], [169, 14, 148]]))
    272.0
    """
    aligned = Aligned({"o": o, "s": s})
    check_convention(unmatched)
    codes = key_columns(aligned, '`unmatched` "nearest"') if unmatched == "nearest" else None
    return aligned.map(lambda o, s: predicted(o, s, codes), "correct_predictions")


def predicted(o: Table, s: Table, codes: list[Ints] | None = None) -> Floats:
    """Expected number of original records whose target is the most frequent synthetic one of their key, ties shared: shape (...).

    Unmatched keys use the nearest ones, if ``codes`` of the keys are given, and otherwise count 0.
    """
    right = np.asarray(modal_hits(o, s).sum(-1))
    if codes is None:
        return right
    for part, rows in nearest_rows(codes, o, s):
        right = right + modal_hits(part, rows).sum(-1)
    return np.where(s.key_total.any(-1), right, np.nan)


def modal_hits(o: Table, s: Table) -> Floats:
    """Expected number of records of each key that the modal intruder predicts correctly, ties shared: shape (..., key)."""
    best = mode(s)
    return ratio(best.like(o.values * best.values).key_total, best.key_total, 0.0)
