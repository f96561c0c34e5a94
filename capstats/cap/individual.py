"""Correct Attribution Probability (CAP) of each person: the share of the synthetic records with the same key that have the same target."""

from __future__ import annotations

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Convention, rows_used
from capstats.cap.tolerance import Within
from capstats.tables.aligned import Aligned
from capstats.tables.sums import attribution
from capstats.tables.table import Counts, Release, Table


def individual_cap(o: Counts, s: Release = None, *, unmatched: Convention = "zero", radius: int = 0, within: Within = None) -> xr.DataArray:
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
    within : number, timedelta, function or ("triangular", distance), optional
        For targets that are numbers or dates: how far from the person's value a guess may be, as in `average_cap`.

    Returns
    -------
    DataArray, dims (..., target, key)
        q_ij = s_ij / s_.j, from 0 (never right) to 1 (always right); with "nearest" or a radius the same share among the pooled records.
        "nearest" gives NaN if `s` has no record. With sparse backing cells without a record in either table are 0, which may differ from
        the dense value for "drop", "nearest", a radius or `within`.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or differ in shape or labels; if "nearest" or a radius is used with keys without
        labels (give ``key_labels``) or both together; if the radius exceeds the number of key columns; if `within` is wrong, as in
        `average_cap`.

    Notes
    -----
    See theory/cap.md#average-cap and, for "nearest" and `radius`, theory/attacks.md#neighbours. Over the targets of a matched key the
    values add up to 1 (theory/cap.md#theorem-1), unless near guesses count (theory/cap.md#tolerance).

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
    rows_of = rows_used(aligned, unmatched, radius, everybody=True, within=within)
    empty = 0.0 if unmatched == "zero" else np.nan

    def formula(o: Table, s: Table) -> Table:
        q = attribution(*rows_of(o, s), empty)  # Definition 1
        return q.like(q.values + 0 * o.values)

    return aligned.map(formula, "individual_cap", ("target", "key"))
