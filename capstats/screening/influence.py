"""Average CAP after the removal of a record, a cell or a key class, in closed form for all of them."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr

from capstats.cap.average import average_cap, correct_by_key
from capstats.cap.neighbours import Unmatched, check_unmatched
from capstats.codes.checks import check_choice
from capstats.tables.aligned import Aligned
from capstats.tables.backing import listed
from capstats.tables.checking import weights_of
from capstats.tables.longform import label_columns
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, check_integers, ratio
from capstats.tables.table import Array, Counts, Table
from capstats.tables.ties import ranks

Unit = Literal["record", "cell", "key"]
Of = Literal["original", "synthetic", "both"]


def cap_influence(o: Counts, s: Counts, *, unit: Unit = "record", of: Of = "original", unmatched: Unmatched = "zero") -> xr.Dataset:
    """Average CAP after the removal of one record, one cell or one key class, for each of them.

    It shows which records cause the risk, and how much their removal changes it.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records; with unit="record", the table from which it is removed must hold integers.
    unit : {"record", "cell", "key"}
        What is removed: one record of a cell, all records of a cell, or all records of a key.
    of : {"original", "synthetic", "both"}
        The table from which it is removed; "both" is for a cell or a key only.
    unmatched : {"zero", "drop"}
        Version 1 or 2 of the average.

    Returns
    -------
    Dataset, dims (..., target, key), or (..., key) for keys
        ``average_cap`` after the removal, and its ``change``: that minus the average CAP of the whole tables, from -1 to 1, negative
        if the removal lowers the risk. NaN if there is nothing to remove, or no record is in the average before or after.

    Raises
    ------
    ValueError, TypeError
        If an option is unknown, one record is to be removed from both tables, or from fractional counts or sums of sampling weights, or
        the tables are not counts or disagree.

    See Also
    --------
    rank_removals : the same as a ranked list.

    Notes
    -----
    See theory/columns.md#influence. Without one original record the change is (CAP - q_ij) / (n - 1), and these changes add up to 0 over
    the original records: the jackknife has no bias here.

    References
    ----------
    Quenouille (1956) and Tukey's jackknife, of which the changes are the terms: Efron (1982), https://doi.org/10.1137/1.9781611970319.

    Examples
    --------
    Average CAP is 0.4. A record of the first cell has CAP 1/4, below the average. Without it the average is 3.75 / 9.

    >>> o, s = [[2, 1, 0], [2, 3, 2]], [[1, 0, 0], [3, 0, 2]]
    >>> cap_influence(o, s).average_cap.values.round(4).tolist()
    [[0.4167, 0.4444, nan], [0.3611, 0.4444, 0.3333]]
    >>> cap_influence(o, s, unit="key", of="synthetic").change.values.tolist()
    [-0.2, nan, -0.2]
    """
    check_unmatched(unmatched)
    check_choice(unit, "unit", get_args(Unit))
    check_choice(of, "of", get_args(Of))
    if unit == "record" and of == "both":
        raise ValueError('A single record is removed from one table: with unit="record" give of="original" or of="synthetic".')
    aligned = Aligned({"o": o, "s": s})
    name = "o" if of == "original" else "s"
    if unit == "record" and (column := weights_of({"o": o, "s": s}[name])) is not None:
        raise ValueError(f'`{name}` holds sums of the sampling weights {column!r}, not numbers of records. Give unit="cell" or "key".')

    def without(o: Table, s: Table, change: bool) -> Table | Array:
        """Average CAP after each removal, or its change."""
        if unit == "record":
            check_integers({"o": o, "s": s}[name], name, " for one record to be removed", 'Give unit="cell" or "key".')
        c, n = (x.sum(-1, keepdims=True) for x in (correct_by_key(o, s), counted_by_key(o, s, unmatched)))
        c, n = (c, n) if unit == "key" else (o.on_cells(c), o.on_cells(n))
        lost_c, lost_n = _lost_with_key(o, s, of, unmatched) if unit == "key" else _lost_with_cell(o, s, unit, of, unmatched)
        found = ratio(ratio(c, n, np.nan) * lost_n - lost_c if change else c - lost_c, n - lost_n, np.nan)
        found = found if change else np.clip(found, 0, 1)  # rounding can pass either end
        return found if unit == "key" else o.like(found, np.nan)

    out = ("key",) if unit == "key" else ("target", "key")
    found = {
        "average_cap": aligned.map(lambda o, s: without(o, s, False), "average_cap", out),
        "change": aligned.map(lambda o, s: without(o, s, True), "change", out),
    }
    return Result(found, attrs={"result": "Influence on average CAP"})


def counted_by_key(o: Table, s: Table, unmatched: Unmatched) -> Array:
    """Number of original records of each key in the average: shape (..., key)."""
    return np.asarray(o.key_total() * ((s.key_total() > 0) | (unmatched == "zero")))


def _lost_with_key(o: Table, s: Table, of: Of, unmatched: Unmatched) -> tuple[Array, Array]:
    """Correct attributions and records in the average that are lost with each key; NaN if there is nothing to remove."""
    o_j, s_j = o.key_total(), s.key_total()
    present = {"original": o_j, "synthetic": s_j, "both": o_j + s_j}[of] > 0
    records = counted_by_key(o, s, unmatched) * (of != "synthetic" or unmatched == "drop")
    return np.where(present, correct_by_key(o, s), np.nan), records


def _lost_with_cell(o: Table, s: Table, unit: Unit, of: Of, unmatched: Unmatched) -> tuple[Array, Array]:
    """The same for each cell, or for one record of each."""
    present = {"original": o.values, "synthetic": s.values, "both": o.values + s.values}[of] > 0
    s_j, c_j = s.on_cells(s.key_total()), s.on_cells(correct_by_key(o, s))
    from_o = (1 if unit == "record" else o.values) * (of != "synthetic")
    from_s = (1 if unit == "record" else s.values) * (of != "original")
    emptied = (from_s > 0) & (from_s == s_j)  # the key becomes unmatched
    of_shares = ratio(from_s * (o.values - c_j), s_j - from_s, 0.0)  # minus the gain of the shares of the other targets
    correct = np.where(from_s > 0, np.where(emptied, c_j, of_shares), from_o * attribution(s, s.key_total(), 0.0).values)
    if unmatched == "zero":
        return np.where(present, correct, np.nan), np.asarray(from_o)
    return np.where(present, correct, np.nan), np.where(emptied, o.on_cells(o.key_total()), from_o * (s_j > 0))


def rank_removals(o: Counts, s: Counts, *, unit: Unit = "key", of: Of = "synthetic", unmatched: Unmatched = "zero") -> pd.DataFrame:
    """Candidates for suppression: records, cells or key classes, sorted by the average CAP without them, smallest first.

    By default these are the key classes of the synthetic table, which can be left out of the release.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key)
        Counts of original and synthetic records, one table of each.
    unit, of, unmatched
        As in `cap_influence`. With unit="record" there is one row for each cell, for one of its records.

    Returns
    -------
    DataFrame
        One row for each key class or cell that can be removed: the key columns (and the target columns), categorical, null where
        missing; ``o`` and ``s``, its numbers of records in the two tables; ``average_cap`` without it; ``change``, by which the rows are
        sorted, ties in the order of the table. Rows after which no record is in the average are last, with NaN.

    Raises
    ------
    ValueError, TypeError
        As in `cap_influence`; if there is more than one pair of tables.

    See Also
    --------
    rank_merges : candidates for coarsening.

    Notes
    -----
    See theory/columns.md#influence. The changes of several removals add up if they are synthetic records of different keys and the number
    of original records in the average does not change: with "zero" always, with "drop" if each of these keys keeps a synthetic record.
    Other changes need not add up.

    References
    ----------
    As in `cap_influence`.

    Examples
    --------
    >>> import capstats
    >>> age = {"age": ["young", "old"]}
    >>> tables = capstats.from_counts([[4, 1], [0, 5]], [[2, 2], [0, 2]], key_labels=age, target_labels={"ill": ["yes", "no"]})
    >>> rank_removals(tables.o, tables.s).round(2)
         age  o  s  average_cap  change
    0  young  4  2          0.3    -0.4
    1    old  6  4          0.4    -0.3
    """
    found = cap_influence(o, s, unit=unit, of=of, unmatched=unmatched)
    change = found.change
    if change.ndim > (1 if unit == "key" else 2):
        raise ValueError(f"A ranked list needs one pair of tables; got dims {change.dims}. Choose one, such as s.isel({change.dims[0]}=0).")
    aligned = Aligned({"o": o, "s": s})
    columns = {
        "o": aligned.map(lambda o, s: _held(o, s, unit), "o", change.dims),
        "s": aligned.map(lambda o, s: _held(s, o, unit), "s", change.dims),
        **{str(name): array for name, array in found.items()},
    }
    places = dict(zip(map(str, change.dims), listed(change.variable.data)[0], strict=True))
    values = {name: listed(array.variable.data)[1] for name, array in columns.items()}
    removable = values["o"] * (of != "synthetic") + values["s"] * (of != "original") > 0
    labels = label_columns(change, {dim: places[dim] for dim in ("key", "target") if dim in places})
    before = average_cap(o, s, unmatched=unmatched).item()
    frame: pd.DataFrame = pd.DataFrame(labels | values).loc[removable]
    return frame.sort_values("change", kind="stable", ignore_index=True, key=lambda x: -ranks(x.to_numpy(), before))


def _held(x: Table, other: Table, unit: Unit) -> Table | Array:
    """Numbers of records of each key or cell, stored where either table has records."""
    return x.key_total() if unit == "key" else x.like(x.values + 0 * other.values.astype(x.values.dtype))
