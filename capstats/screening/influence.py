"""Average CAP after the removal of a record, a cell or a key class, in closed form for all of them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from capstats.cap.attribution import Unmatched, check_unmatched
from capstats.tables.backing import Stored, is_sparse
from capstats.tables.batches import Aligned, weights_of
from capstats.tables.longform import label_columns
from capstats.tables.primitives import Array, Floats, Table, attribution, cells, key_total, like, on_cells, ratio, shared

Unit = Literal["record", "cell", "key"]
Of = Literal["original", "synthetic", "both"]


def cap_influence(o: Any, s: Any, *, unit: Unit = "record", of: Of = "original", unmatched: Unmatched = "zero") -> xr.Dataset:
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
    See theory/influence.md. Without one original record the change is (CAP - q_ij) / (n - 1), and these changes add up to 0 over the
    original records: the jackknife has no bias here.

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
    _check_options(unit, of, unmatched)
    aligned = Aligned({"o": o, "s": s})
    if unit == "record":
        name = "o" if of == "original" else "s"
        _check_integers(aligned, name, weights_of({"o": o, "s": s}[name]))

    def lost(o: Table, s: Table) -> tuple[Array, Array]:
        return _lost_with_key(o, s, of, unmatched) if unit == "key" else _lost_with_cell(o, s, unit, of, unmatched)

    def totals(o: Table, s: Table) -> tuple[Array, Array]:
        c, n = (x.sum(-1, keepdims=True) for x in (correct_by_key(o, s), counted_by_key(o, s, unmatched)))
        return (c, n) if unit == "key" else (on_cells(o, c), on_cells(o, n))

    def change(o: Table, s: Table) -> Table:
        (c, n), (lost_c, lost_n) = totals(o, s), lost(o, s)
        found = ratio(ratio(c, n, np.nan) * lost_n - lost_c, n - lost_n, np.nan)
        return found if unit == "key" else like(o, found, np.nan)

    def after(o: Table, s: Table) -> Table:
        (c, n), (lost_c, lost_n) = totals(o, s), lost(o, s)
        found = np.clip(ratio(c - lost_c, n - lost_n, np.nan), 0, 1)  # rounding can pass either end
        return found if unit == "key" else like(o, found, np.nan)

    out = ("key",) if unit == "key" else ("target", "key")
    return xr.Dataset({"average_cap": aligned.map(after, "average_cap", out), "change": aligned.map(change, "change", out)})


def correct_by_key(o: Table, s: Table) -> Floats:
    """Expected number of correct attributions among the records of each key: shape (..., key)."""
    s_j = key_total(s)
    return ratio(shared(o, s, s_j), s_j, 0.0)


def counted_by_key(o: Table, s: Table, unmatched: Unmatched) -> Array:
    """Number of original records of each key in the average: shape (..., key)."""
    return np.asarray(key_total(o) * ((key_total(s) > 0) | (unmatched == "zero")))


def _lost_with_key(o: Table, s: Table, of: Of, unmatched: Unmatched) -> tuple[Array, Array]:
    """Correct attributions and records in the average that are lost with each key; NaN if there is nothing to remove."""
    o_j, s_j = key_total(o), key_total(s)
    present = {"original": o_j, "synthetic": s_j, "both": o_j + s_j}[of] > 0
    records = counted_by_key(o, s, unmatched) * (of != "synthetic" or unmatched == "drop")
    return np.where(present, correct_by_key(o, s), np.nan), records


def _lost_with_cell(o: Table, s: Table, unit: Unit, of: Of, unmatched: Unmatched) -> tuple[Array, Array]:
    """The same for each cell, or for one record of each."""
    present = {"original": cells(o), "synthetic": cells(s), "both": cells(o) + cells(s)}[of] > 0
    s_j, c_j = on_cells(s, key_total(s)), on_cells(s, correct_by_key(o, s))
    from_o = (1 if unit == "record" else cells(o)) * (of != "synthetic")
    from_s = (1 if unit == "record" else cells(s)) * (of != "original")
    emptied = (from_s > 0) & (from_s == s_j)  # the key becomes unmatched
    of_shares = ratio(from_s * (cells(o) - c_j), s_j - from_s, 0.0)  # minus the gain of the shares of the other targets
    correct = np.where(from_s > 0, np.where(emptied, c_j, of_shares), from_o * cells(attribution(s, key_total(s), 0.0)))
    if unmatched == "zero":
        return np.where(present, correct, np.nan), np.asarray(from_o)
    return np.where(present, correct, np.nan), np.where(emptied, on_cells(o, key_total(o)), from_o * (s_j > 0))


def _check_options(unit: str, of: str, unmatched: str) -> None:
    check_unmatched(unmatched)
    if unit not in ("record", "cell", "key"):
        raise ValueError(f'`unit` must be "record", "cell" or "key"; got {unit!r}.')
    if of not in ("original", "synthetic", "both"):
        raise ValueError(f'`of` must be "original", "synthetic" or "both"; got {of!r}.')
    if unit == "record" and of == "both":
        raise ValueError('A single record is removed from one table: with unit="record" give of="original" or of="synthetic".')


def _check_integers(aligned: Aligned, name: str, weights: str | None) -> None:
    if weights is not None:
        raise ValueError(f'`{name}` holds sums of the sampling weights {weights!r}, not numbers of records. Give unit="cell" or "key".')
    table = aligned.arrays[name]
    if (table.values if isinstance(table, Stored) else table).dtype.kind != "i":
        raise ValueError(f'`{name}` must hold integers for one record to be removed; got fractional counts. Give unit="cell" or "key".')


def rank_removals(o: Any, s: Any, *, unit: Unit = "key", of: Of = "synthetic", unmatched: Unmatched = "zero") -> pd.DataFrame:
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
    See theory/influence.md. The changes of several removals add up if they are synthetic records of different keys and the number of
    original records in the average does not change: with "zero" always, with "drop" if each of these keys keeps a synthetic record. Other
    changes need not add up.

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
    places, values = _listed(columns)
    removable = values["o"] * (of != "synthetic") + values["s"] * (of != "original") > 0
    labels = label_columns(change, {dim: places[dim] for dim in ("key", "target") if dim in places})
    frame: pd.DataFrame = pd.DataFrame(labels | values).loc[removable]
    return frame.sort_values("change", kind="stable", ignore_index=True, key=lambda x: x.round(12))


def _held(x: Table, other: Table, unit: Unit) -> Table:
    """Numbers of records of each key or cell, stored where either table has records."""
    return key_total(x) if unit == "key" else like(x, cells(x) + 0 * cells(other).astype(cells(x).dtype))


def _listed(columns: dict[str, xr.DataArray]) -> tuple[dict[str, Array], dict[str, Array]]:
    """Positions along each dim, and values, of the entries of arrays of one shape: all entries, or the stored ones."""
    first = next(iter(columns.values()))
    if is_sparse(first.variable.data):
        places = first.variable.data.coords
        return dict(zip(map(str, first.dims), places, strict=True)), {name: x.variable.data.data for name, x in columns.items()}
    places = np.indices(first.shape).reshape(first.ndim, -1)
    return dict(zip(map(str, first.dims), places, strict=True)), {name: x.values.ravel() for name, x in columns.items()}
