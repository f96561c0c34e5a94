"""Correct Attribution Probability of a record and on average, and the records that a modal attacker predicts.

An intruder who knows a person's key looks it up in the synthetic data and guesses the target in proportion to what is there.
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
    """Raise unless it is one of the conventions for records whose key is not in the synthetic table."""
    if unmatched not in ("zero", "drop"):
        raise ValueError(
            f'`unmatched` must be "zero" (a record whose key is not in `s` counts 0) or "drop" (it is left out); got {unmatched!r}.'
        )


def individual_cap(o: Any, s: Any, *, unmatched: Convention = "zero", radius: int = 0) -> xr.DataArray:
    """Correct Attribution Probability of a record in each cell: the share of its key's synthetic records that have its target.

    It answers, for one person: if the intruder guesses from the synthetic records that look like you, how likely is the guess right?

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records, o_ij and s_ij, at least 0.
    unmatched : {"zero", "drop", "nearest"}
        A key without synthetic records gives 0 (Definition 1), or NaN, or borrows the pooled records of the nearest synthetic keys: those
        that differ from it in the fewest key columns.
    radius : int
        Number of key columns, up to all of them, in which synthetic records may differ from a key and still be looked up for it.

    Returns
    -------
    DataArray, dims (..., target, key)
        q_ij = s_ij / s_.j, from 0 (never right) to 1 (always right); with "nearest" or a radius the same share among the pooled records.
        "nearest" gives NaN where `s` holds no record at all. On sparse backing the cells without a record in either table are 0, which
        for "drop", "nearest" or a radius may differ from the dense value.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels; if "nearest" or a radius meets keys without
        labels (give ``key_labels``), or one another, or the radius is more than the number of key columns.

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
    """Average over the original records of their Correct Attribution Probability.

    It answers: of all the people in the original data, what share does an intruder expect to guess right?

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records. Every other dim broadcasts: thousands of synthetic tables are one call.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in `s` count 0 (version 1 of the average), are left out (version 2), or borrow the pooled records of the
        nearest synthetic keys: those that differ in the fewest key columns (generalized CAP).
    radius : int
        Number of key columns, up to all of them, in which synthetic records may differ from a key and still be looked up for it. With
        all of them everybody looks up the whole of `s`: the baseline "crossed".

    Returns
    -------
    DataArray, dims (...)
        c / n, or c / n_M with "drop", from 0 to 1; larger is riskier. NaN where no original record counts: n = 0, or n_M = 0 with "drop",
        or an `s` without records with "nearest".

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels; if "nearest" or a radius meets keys without
        labels (give ``key_labels``), or one another, or the radius is more than the number of key columns.

    See Also
    --------
    individual_cap, matched_records, nearest_distance, baseline_cap, cap_quantiles, cap_boxplot

    Notes
    -----
    c = sum_j (sum_i o_ij s_ij) / s_.j, over matched keys: see theory/average-cap.md. No table of q_ij is made. What keys borrow with
    "nearest" and `radius` is in theory/neighbours.md.

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
    """Original records that are expected to be attributed correctly, c: shape (...)."""
    return np.asarray(correct_by_key(o, s, s_j).sum(-1))


def matched_records(o: Any, s: Any) -> xr.DataArray:
    """Number of original records whose key occurs in the synthetic table, n_M.

    Only these give the intruder something to look up.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.

    Returns
    -------
    DataArray, dims (...)
        From 0 to n; an integer where `o` holds integers.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels.

    Notes
    -----
    See theory/average-cap.md: average CAP with "zero" is the one with "drop" times n_M / n.

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
    """Original records whose key is in the synthetic table, n_M: shape (...)."""
    return np.asarray((o.key_total() * (s.key_total() > 0)).sum(-1))


def correct_predictions(o: Any, s: Any) -> xr.DataArray:
    """Number of original records whose target an intruder predicts who always names the key's most frequent synthetic target.

    The modal attacker does not guess in proportion: everybody with the same key gets the same prediction.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.

    Returns
    -------
    DataArray, dims (...)
        From 0 to n. Where t targets tie, each is named with probability 1/t, so the number is an expectation.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels.

    Notes
    -----
    See theory/predictive-success.md. Unmatched keys get no prediction.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4.

    Examples
    --------
    The paper's O_4 with S_a; average CAP is higher than with S_e, the success of the prediction lower:

    >>> o = [[0, 0, 62], [197, 136, 134], [74, 99, 198]]
    >>> float(correct_predictions(o, [[114, 118, 77], [104, 44, 134], [105, 86, 118]]))
    134.0
    >>> float(correct_predictions(o, [[67, 97, 153], [37, 114, 101], [169, 14, 148]]))
    272.0
    """
    return Aligned({"o": o, "s": s}).map(predicted, "correct_predictions")


def predicted(o: Table, s: Table) -> Floats:
    """Original records whose target is the key's most frequent synthetic one, a tie being shared: shape (...)."""
    return np.asarray(modal_hits(o, s).sum(-1))


def modal_hits(o: Table, s: Table) -> Floats:
    """Records of each key that the modal attacker expects to predict; a tie of t targets counts each as 1/t: shape (..., key)."""
    best = mode(s)
    return ratio(best.like(o.values * best.values).key_total(), best.key_total(), 0.0)
