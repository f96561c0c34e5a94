"""Average CAP after the removal of a record, a cell or a key class, for all of them, without counting again."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr

from capstats.cap.average import average_cap, correct_by_key
from capstats.cap.neighbours import Convention, convention_used, distances, key_columns, nearest, one_by_one
from capstats.cap.subkeys import Pool
from capstats.codes.checks import check_choice
from capstats.codes.column import Ints
from capstats.tables.aligned import Aligned
from capstats.tables.backing import listed
from capstats.tables.checking import given_tables, weights_of
from capstats.tables.longform import label_columns
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, check_integers, group_sums, ratio, shared, shared_across
from capstats.tables.table import Array, Cells, Counts, Floats, Release, Table
from capstats.tables.ties import ranks

Unit = Literal["record", "cell", "key"]
Of = Literal["original", "synthetic", "both"]


def cap_influence(
    o: Counts, s: Release = None, *, unit: Unit = "record", of: Of = "original", unmatched: Convention = "nearest"
) -> xr.Dataset:
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
    unmatched : {"nearest", "zero", "drop"}
        What becomes of records whose key is not in `s`, as in `average_cap`, before and after the removal. Keys without labels have no
        nearest ones: there "nearest" is "zero". ``attrs["unmatched"]`` tells which was used.

    Returns
    -------
    Dataset, dims (..., target, key), or (..., key) for keys
        ``average_cap`` after the removal, and its ``change``: that minus the average CAP of the whole tables, from -1 to 1, negative
        if the removal lowers the risk. NaN if there is nothing to remove, or no record is in the average before or after; with "nearest"
        also if `s` has no record left.

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
    the original records: the jackknife has no bias here. With "nearest" each key of `o` is compared with each of `s`, once for all
    removals: ten thousand keys take seconds, a hundred thousand take minutes.

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
    check_choice(unit, "unit", get_args(Unit))
    check_choice(of, "of", get_args(Of))
    if unit == "record" and of == "both":
        raise ValueError('A single record is removed from one table: with unit="record" give of="original" or of="synthetic".')
    aligned = Aligned({"o": o, "s": s})
    used = convention_used(aligned.axes["key"], unmatched)
    codes = key_columns(aligned, '`unmatched` "nearest"') if used == "nearest" else None
    name = "o" if of == "original" else "s"
    if unit == "record" and (column := weights_of(given_tables({"o": o, "s": s})[name])) is not None:
        raise ValueError(f'`{name}` holds sums of the sampling weights {column!r}, not numbers of records. Give unit="cell" or "key".')

    def without(o: Table, s: Table) -> Array:
        """Average CAP after each removal, and its change, along a new first axis."""
        if unit == "record":
            check_integers({"o": o, "s": s}[name], name, " for one record to be removed", 'Give unit="cell" or "key".')
        guesses = _own_guesses(o, s, _taken(s, unit, of)) if codes is None else _nearest_guesses(codes, o, s, unit, of)
        c, n = (x.sum(-1, keepdims=True) for x in (guesses.right, counted_by_key(o, s, used)))
        lost_c, lost_n = _lost(o, s, unit, of, used, guesses)
        c, n = (c, n) if unit == "key" else (o.on_cells(c), o.on_cells(n))
        after = np.clip(ratio(c - lost_c, n - lost_n, np.nan), 0, 1)  # rounding can exceed either end
        return np.stack(np.broadcast_arrays(after, ratio(ratio(c, n, np.nan) * lost_n - lost_c, n - lost_n, np.nan)))

    def one(place: int) -> Any:
        return lambda o, s: without(o, s)[place] if unit == "key" else o.like(without(o, s)[place], np.nan)

    out = ("key",) if unit == "key" else ("target", "key")
    found = {name: aligned.map(one(place), name, out) for place, name in enumerate(("average_cap", "change"))}
    return Result(found, attrs={"result": "Influence on average CAP", "unmatched": used})


def counted_by_key(o: Table, s: Table, unmatched: Convention) -> Array:
    """Number of original records of each key in the average: shape (..., key)."""
    matched = s.key_total > 0
    return np.asarray(o.key_total * {"zero": matched | True, "drop": matched, "nearest": matched.any(-1, keepdims=True)}[unmatched])


class Guesses(NamedTuple):
    """How original records are guessed from a release, and how this changes if some of it is removed."""

    right: Floats  # expected right guesses among the records of each key
    share: Array  # probability of a right guess for a record of each cell
    lost: Floats  # decrease of the sum of ``right`` without a key of the release
    share_then: Any  # ``share`` in this key after that
    lost_part: Array  # decrease of the sum of ``right`` if some records of a cell are removed, but not all of its key


def _taken(s: Table, unit: Unit, of: Of) -> Array:
    """The number of synthetic records that are removed with each cell."""
    return (np.minimum(s.values, 1) if unit == "record" else s.values) * (of != "original" and unit != "key")


def _own_guesses(o: Table, s: Table, taken: Array) -> Guesses:
    """The guesses of each key from its own records only."""
    c_j, s_j = correct_by_key(o, s), s.key_total
    part = ratio(taken * (o.values - s.on_cells(c_j)), s.on_cells(s_j) - taken, 0.0)  # minus the gain of the shares of the other targets
    return Guesses(c_j, attribution(s, s_j, 0.0).values, c_j, 0.0, part)


def _nearest_guesses(codes: list[Ints], o: Table, s: Table, unit: Unit, of: Of) -> Guesses:
    """The guesses of unmatched keys from the nearest ones: a key of the release may then be used by people of many keys."""

    def of_one(o: Table, s: Table) -> tuple[Array, ...]:
        o_j, s_j = o.key_total, s.key_total
        keys = len(s_j)
        rows, totals, _ = nearest(codes, o_j > 0, s)
        summed = shared(o, rows, totals)
        right = ratio(summed, totals, 0.0)
        if of == "original":
            nothing = np.zeros(s.values.shape)
            return right, ratio(rows.values, s.on_cells(totals), 0.0), np.zeros(keys), nothing, nothing
        taken = _taken(s, unit, of)
        some = np.flatnonzero((taken > 0) & (taken < s.on_cells(s_j)))
        targets = s.target_total.size
        places = s.on_targets(np.arange(targets)), s.on_cells(np.arange(keys))
        target, key = (np.broadcast_to(x, taken.shape).ravel()[some] for x in places)
        cells = Cells(taken.ravel()[some], target, key, (targets, keys))
        lost, lost_part, only = np.zeros(keys), np.zeros(len(some)), np.full(keys, -1)
        then = Pool(s)  # the records that the keys which use one key of the release would use without it
        for readers, donors, apart in distances(codes, o, s):
            near = apart == apart.min(1, keepdims=True)
            alone = near.sum(1) == 1
            a, b = np.nonzero(near)
            p, j = readers[a], donors[b]
            only[p[alone[a]]] = j[alone[a]]
            left = ratio(summed[p] - shared_across(o, s, s_j, p, j), totals[p] - s_j[j], 0.0)
            lost += group_sums(np.where(alone[a], 0, right[p] - left), j, keys)
            cell, pair = cells.of_keys(j)
            missed = o.columns(readers).values[target[cell], a[pair]] - right[p[pair]]
            lost_part += group_sums(cells.values[cell] * missed / (totals[p[pair]] - cells.values[cell]), cell, len(some))
            farther = np.where(near, len(codes) + 1, apart)[alone]
            a, b = np.nonzero((farther == farther.min(1, keepdims=True)) & (farther <= len(codes)))
            if len(a):
                then.add(donors[b], a, readers[alone], np.arange(alone.sum()), int(alone.sum()))
        right_then = ratio(shared(o, s.like(then.values), then.totals), then.totals, 0.0)
        p = np.flatnonzero(only >= 0)
        lost += group_sums(right[p] - right_then[p], only[p], keys)
        part = np.zeros(taken.size)
        part[some] = lost_part
        share, share_then = (ratio(x, s.on_cells(whole), 0.0) for x, whole in ((rows.values, totals), (then.values, then.totals)))
        return right, share, lost, share_then, part.reshape(taken.shape)

    return Guesses(*one_by_one(of_one, o, s))


def _lost(o: Table, s: Table, unit: Unit, of: Of, unmatched: Convention, guesses: Guesses) -> tuple[Array, Array]:
    """Correct attributions and records in the average that are lost with each removal; NaN if there is nothing to remove."""
    s_j, counted = s.key_total, counted_by_key(o, s, unmatched)
    last = (s_j > 0).sum(-1, keepdims=True) == 1
    leaving = {"zero": 0 * counted, "drop": counted, "nearest": counted.sum(-1, keepdims=True) * last + 0 * counted}[unmatched]
    if unit == "key":
        held, leaves, emptied = (o.key_total, s_j), counted, (s_j > 0) & (of != "original")
        right = np.where(emptied, o.like(o.values * guesses.share_then).key_total, guesses.right)
        lost = np.where(emptied, guesses.lost, 0)
    else:
        held, from_o, from_s = (o.values, s.values), 1 if unit == "record" else o.values, _taken(s, unit, of)
        emptied = (from_s > 0) & (from_s == s.on_cells(s_j))  # the key becomes unmatched
        right = from_o * np.where(emptied, guesses.share_then, np.where(from_s > 0, 0, guesses.share))  # 0 if the cell becomes empty
        lost = np.where(emptied, s.on_cells(guesses.lost), guesses.lost_part)
        leaves, leaving = from_o * (o.on_cells(counted) > 0), o.on_cells(leaving)
    present = {"original": held[0], "synthetic": held[1], "both": held[0] + held[1]}[of] > 0
    correct = lost + right * (of != "synthetic")
    return np.where(present, correct, np.nan), np.where(emptied & (leaving > 0), leaving, leaves * (of != "synthetic"))


def rank_removals(
    o: Counts, s: Release = None, *, unit: Unit = "key", of: Of = "synthetic", unmatched: Convention = "nearest"
) -> pd.DataFrame:
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
        sorted, ties in the order of the table. Rows after which no record is in the average are last, with NaN. ``attrs["unmatched"]``
        tells how records without their key were counted.

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
    Other changes need not add up. For the cost with "nearest" see `cap_influence`.

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
    0  young  4  2          0.5    -0.2
    1    old  6  4          0.5    -0.2

    Without the young of the release, the old are used for everybody: the guess is "yes" or "no" with probability 1/2. If the young counted
    0, it would be 0.3:

    >>> rank_removals(tables.o, tables.s, unmatched="zero").average_cap.round(2).tolist()
    [0.3, 0.4]
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
    before = average_cap(o, s, unmatched=found.attrs["unmatched"]).item()
    frame: pd.DataFrame = pd.DataFrame(labels | values).loc[removable]
    frame.attrs["unmatched"] = found.attrs["unmatched"]
    return frame.sort_values("change", kind="stable", ignore_index=True, key=lambda x: -ranks(x.to_numpy(), before))


def _held(x: Table, other: Table, unit: Unit) -> Table | Array:
    """Numbers of records of each key or cell, stored where either table has records."""
    return x.key_total if unit == "key" else x.like(x.values + 0 * other.values.astype(x.values.dtype))
