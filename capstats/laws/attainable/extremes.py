"""Least and greatest average CAP that any synthetic table can have, and the tables that attain the least."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Unmatched, check_unmatched
from capstats.laws.models.model import check_records
from capstats.tables.aligned import Aligned
from capstats.tables.sums import ratio
from capstats.tables.table import Floats, Table
from capstats.tables.ties import at_most


def minimum_cap(o: Any, *, unmatched: Unmatched = "zero") -> xr.DataArray:
    """Least average CAP that any synthetic table can have.

    A table without any utility attains it: all records in one cell. So a small average CAP alone does not make a good release.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records, on the domain of the table: rows and columns of zeros count (see `observed_domain`).
    unmatched : {"zero", "drop"}
        Version 1 or 2 of the average.

    Returns
    -------
    DataArray, dims (...)
        min_ij o_ij / n, or min_ij o_ij / o_.j over keys with records; from 0 to 1. NaN where `o` holds no record.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named).

    See Also
    --------
    minimal_cells, minimal_table, cap_bounds

    Notes
    -----
    See theory/attainable.md#theorem-2 and theory/attainable.md#theorem-3.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Theorems 2 and 3.

    Examples
    --------
    >>> float(minimum_cap([[20, 5], [30, 45]])), float(minimum_cap([[20, 5], [30, 45]], unmatched="drop"))
    (0.05, 0.1)
    """
    check_unmatched(unmatched)
    return Aligned({"o": o}).map(lambda o: least_average(o, unmatched), "minimum_cap")


def maximum_cap(o: Any, *, unmatched: Unmatched = "zero", m: int | None = None) -> xr.DataArray:
    """Greatest average CAP that any synthetic table can have.

    The table in which every key has only its most frequent original target attains it. The original itself may have a smaller average CAP.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records.
    unmatched : {"zero", "drop"}
        Version 1 or 2 of the average.
    m : int, optional
        Number of synthetic records, at least 1. With fewer records than keys, version 1 cannot match all keys. Default: as many as needed.

    Returns
    -------
    DataArray, dims (...)
        The sum of the m greatest max_i o_ij, over n; or max_ij o_ij / o_.j. From 0 to 1. NaN where `o` holds no record.

    Raises
    ------
    ValueError, TypeError
        If m is not a positive integer, or `o` is not a table of counts (the cell is named).

    See Also
    --------
    minimum_cap, cap_bounds

    Notes
    -----
    See theory/attainable.md#lemma-1.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Lemma 1 (its argument, reversed).

    Examples
    --------
    >>> float(maximum_cap([[20, 5], [30, 45]])), float(maximum_cap([[20, 5], [30, 45]], unmatched="drop"))
    (0.75, 0.9)
    """
    check_unmatched(unmatched)
    records = None if m is None else check_records(m)
    return Aligned({"o": o}).map(lambda o: greatest_average(o, unmatched, records), "maximum_cap")


def minimal_cells(o: Any, *, unmatched: Unmatched = "zero") -> xr.DataArray:
    """Cells in which a synthetic table may place all its records to have the least average CAP: the paper's sets B and D.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records, on the domain that the table shows.
    unmatched : {"zero", "drop"}
        B, for version 1 of the average; or D, for version 2.

    Returns
    -------
    DataArray of bool, dims (..., target, key)
        B = {o_ij = min o}, or D = {o_ij / o_.j least, over keys with records}.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named).

    See Also
    --------
    minimum_cap, minimal_table

    Notes
    -----
    See theory/attainable.md#theorem-2 and theory/attainable.md#theorem-3 for every table that attains the minimum, not only those with one
    cell. A sparse table stores no empty cells. If the minimum is 0, all cells that it does not store are True, including those of keys
    without records.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 3.2, Theorems 2 and 3.

    Examples
    --------
    >>> minimal_cells([[20, 5], [30, 45]]).values.tolist()
    [[False, True], [False, False]]
    """
    check_unmatched(unmatched)

    def formula(o: Table) -> Table:
        risk = ratio(o.values, o.on_cells(o.total[..., None] if unmatched == "zero" else o.key_total), np.inf)
        least = o.on_cells(_key_risk(o, unmatched).min(-1, keepdims=True))
        # equal quotients of integers round to the same float; quotients of weights may differ in the last bit
        found = risk == least if o.values.dtype.kind == "i" else np.asarray(at_most(risk, least))
        return o.like(found, fill=int(not least.any()))

    return Aligned({"o": o}).map(formula, "minimal_cells", ("target", "key"))


def minimal_table(o: Any, m: int, *, unmatched: Unmatched = "zero") -> xr.DataArray:
    """A synthetic table of m records with the least average CAP: all of them in the first minimal cell.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records, on the domain that the table shows.
    m : int
        Number of synthetic records, at least 1.
    unmatched : {"zero", "drop"}
        Version 1 or 2 of the average.

    Returns
    -------
    DataArray of int, dims (..., target, key)
        Its average CAP is `minimum_cap`. The first minimal cell is that of the first key, and within it of the first target.

    Raises
    ------
    ValueError, TypeError
        If m is not a positive integer, or `o` is not a table of counts or holds no record.

    See Also
    --------
    minimum_cap, minimal_cells

    Notes
    -----
    See theory/attainable.md#theorem-2 and theory/attainable.md#theorem-3.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Theorems 2 and 3.

    Examples
    --------
    >>> minimal_table([[20, 5], [30, 45]], 100).values.tolist()
    [[0, 100], [0, 0]]
    """
    check_unmatched(unmatched)
    m = check_records(m)

    aligned = Aligned({"o": o})
    if not aligned.totals("o").all():
        raise ValueError("`o` holds no record, so no synthetic table has an average CAP. Leave such tables out.")
    return aligned.map(lambda o: o.in_least_cell(_key_risk(o, unmatched).argmin(-1), m), "minimal_table", ("target", "key"))


def least_average(o: Table, unmatched: Unmatched) -> Floats:
    """The least average CAP of any release: shape (...)."""
    return np.asarray(_key_risk(o, unmatched).min(-1))


def greatest_average(o: Table, unmatched: Unmatched, records: int | None = None) -> Floats:
    """The greatest average CAP of any release, or of any with a number of records: shape (...)."""
    best = o.key_greatest()
    if unmatched == "drop":
        return np.where(o.total > 0, ratio(best, o.key_total, 0.0).max(-1), np.nan)
    matched = best if records is None else np.sort(best, axis=-1)[..., -records:]
    return ratio(matched.sum(-1), o.total, np.nan)


def _key_risk(o: Table, unmatched: Unmatched) -> Floats:
    """For each key, the least average CAP of synthetic tables with all their records in this key; inf where it is undefined."""
    n = o.total[..., None]
    if unmatched == "zero":
        return ratio(o.key_least(), n, np.nan)
    risk = ratio(o.key_least(), o.key_total, np.inf)
    return np.where(n > 0, risk, np.nan)
