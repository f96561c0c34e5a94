"""Correct Attribution Probability (CAP) of a record and on average, and the success of a modal attacker.

An intruder who knows a person's key looks it up in the synthetic data and guesses a target with the probabilities found there.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Convention, lender
from capstats.tables.mapping import Aligned
from capstats.tables.sums import attribution, mode, ratio, shared
from capstats.tables.table import Array, Floats, Table

Unmatched = Literal["zero", "drop"]


def check_unmatched(unmatched: str) -> None:
    """Raise an error unless `unmatched` is a convention for records whose key is not in the synthetic table."""
    if unmatched not in ("zero", "drop"):
        raise ValueError(
            f'`unmatched` must be "zero" (a record whose key is not in `s` counts 0) or "drop" (it is left out); got {unmatched!r}.'
        )


def individual_cap(o: Any, s: Any, *, unmatched: Convention = "zero", radius: int = 0) -> xr.DataArray:
    """Correct Attribution Probability of a record in each cell: the share of its key's synthetic records that have its target.

    For one person: the probability that a guess from the synthetic records with the same key is right.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records, o_ij and s_ij, at least 0.
    unmatched : {"zero", "drop", "nearest"}
        A key without synthetic records has the value 0 (Definition 1), NaN, or the share among the pooled records of the nearest synthetic
        keys: those that differ from it in the fewest key columns.
    radius : int
        Number of key columns in which synthetic records may differ from a key and still be used for it; from 0 to the number of key
        columns.

    Returns
    -------
    DataArray, dims (..., target, key)
        q_ij = s_ij / s_.j, from 0 (never right) to 1 (always right); with "nearest" or a radius the same share among the pooled records.
        "nearest" gives NaN if `s` has no record. With sparse backing cells without a record in either table are 0, which may differ from
        the dense value for "drop", "nearest" or a radius.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or differ in shape or labels; if "nearest" or a radius is used with keys without
        labels (give ``key_labels``) or both together; if the radius exceeds the number of key columns.

    Notes
    -----
    See theory/average-cap.md and, for "nearest" and `radius`, theory/neighbours.md. Over the targets of a matched key the values add up to
    1 (theory/theorem-1.md).

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definition 1.
    Taub, Elliot, Pampaka and Smith (2018), https://doi.org/10.1007/978-3-319-99771-1_9.
    Hittmeir, Mayer and Ekelhart (2020), https://doi.org/10.1145/3374664.3375722 (radius).

    Examples
    --------
    A sick and a healthy smoker, when 8 sick and 25 healthy smokers are released:

    >>> individual_cap([[20, 5], [30, 45]], [[8, 7], [25, 60]]).values[:, 0].round(4).tolist()
    [0.2424, 0.7576]
    """
    aligned = Aligned({"o": o, "s": s})
    lend = lender(aligned, unmatched, radius, everybody=True)
    empty = 0.0 if unmatched == "zero" else np.nan

    def formula(o: Table, s: Table) -> Table:
        q = attribution(*lend(o, s), empty)  # Definition 1
        return q.like(q.values + 0 * o.values)

    return aligned.map(formula, "individual_cap", ("target", "key"))


def average_cap(o: Any, s: Any, *, unmatched: Convention = "zero", radius: int = 0) -> xr.DataArray:
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

    Returns
    -------
    DataArray, dims (...)
        c / n, or c / n_M with "drop", from 0 to 1; larger is riskier. NaN if no original record is in the average: n = 0, or n_M = 0 with
        "drop", or an `s` without records with "nearest".

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or differ in shape or labels; if "nearest" or a radius is used with keys without
        labels (give ``key_labels``) or both together; if the radius exceeds the number of key columns.

    See Also
    --------
    individual_cap, matched_records, nearest_distance, baseline_cap, cap_quantiles, cap_boxplot

    Notes
    -----
    c = sum_j (sum_i o_ij s_ij) / s_.j, over matched keys: see theory/average-cap.md. No table of q_ij is
    made. For "nearest" and `radius` see theory/neighbours.md.

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
    """
    aligned = Aligned({"o": o, "s": s})
    lend = lender(aligned, unmatched, radius)

    def among_matched(o: Table, s: Table) -> Floats:
        read, s_j = lend(o, s)
        return ratio(attributed(o, read, s_j), (o.key_total() * (s_j > 0)).sum(-1), np.nan)  # Definition 3

    if unmatched != "zero":
        return aligned.map(among_matched, "average_cap")
    c = aligned.map(lambda o, s: attributed(o, *lend(o, s)), "average_cap")
    return c.copy(data=ratio(c.values, aligned.totals("o"), np.nan))  # Definition 2


def correct_by_key(o: Table, s: Table, s_j: Array | None = None) -> Floats:
    """Original records of each key that are expected to be attributed correctly: shape (..., key)."""
    s_j = s.key_total() if s_j is None else s_j
    return ratio(shared(o, s, s_j), s_j, 0.0)


def attributed(o: Table, s: Table, s_j: Array | None = None) -> Floats:
    """Expected number of correct attributions, c: shape (...)."""
    return np.asarray(correct_by_key(o, s, s_j).sum(-1))


def matched_records(o: Any, s: Any) -> xr.DataArray:
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
    See theory/average-cap.md: average CAP with "zero" is average CAP with "drop" times n_M / n.

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
    return np.asarray((o.key_total() * (s.key_total() > 0)).sum(-1))


def correct_predictions(o: Any, s: Any) -> xr.DataArray:
    """Number of original records whose target is the most frequent synthetic target of their key: the success of the modal attacker.

    The modal attacker does not guess at random: all people with the same key get the same prediction.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.

    Returns
    -------
    DataArray, dims (...)
        From 0 to n. If t targets tie, each is predicted with probability 1/t, so the number is an expected value.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels.

    Notes
    -----
    See theory/predictive-success.md. There is no prediction for unmatched keys.

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
    return Aligned({"o": o, "s": s}).map(predicted, "correct_predictions")


def predicted(o: Table, s: Table) -> Floats:
    """Expected number of original records whose target is the most frequent synthetic one of their key, ties shared: shape (...)."""
    return np.asarray(modal_hits(o, s).sum(-1))


def modal_hits(o: Table, s: Table) -> Floats:
    """Expected number of records of each key that the modal attacker predicts correctly, ties shared: shape (..., key)."""
    best = mode(s)
    return ratio(best.like(o.values * best.values).key_total(), best.key_total(), 0.0)
