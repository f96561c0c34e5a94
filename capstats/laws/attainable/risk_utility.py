"""The risk-utility frontier: least and greatest average CAP of all synthetic tables within a distance of the original, and such tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from capstats.cap.average import average_cap
from capstats.cap.comparison import target_distance
from capstats.cap.neighbours import Unmatched, check_unmatched, one_by_one
from capstats.laws.models.model import check_records
from capstats.laws.models.sampling import with_records
from capstats.tables.aligned import Aligned
from capstats.tables.checking import shown
from capstats.tables.dense import Dense
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Table
from capstats.tables.ties import at_most

Segments = tuple[Floats, Array]  # segments of a polygon in any order: the change by one record, and the number of records


def frontier(o: Any, *, distances: ArrayLike | None = None, key_totals: Any = None, unmatched: Unmatched = "zero") -> xr.Dataset:
    """Least and greatest average CAP of all synthetic tables within a distance of the original.

    How safe a release can be that keeps so much of the relation between key and target, and how unsafe. A release above the lower curve
    gives away more than its utility asks for.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records; one table unless `distances` are given.
    distances : array-like, optional
        Distances D as `target_distance` gives them, from 0 to 1. Default: all at which a curve has a corner, and both ends; between them
        the curves are straight.
    key_totals : array-like or DataArray, dims (key,) and any others, optional
        Numbers of synthetic records of each key, of which it matters only which are positive: the tables are those with these keys. The
        keys that they lack count distance 1. Default: all keys of the original.
    unmatched : {"zero", "drop"}
        Version 1 or 2 of the average; they differ only with `key_totals`.

    Returns
    -------
    Dataset, dims (..., distance), or (...) at one distance
        From 0 to 1:

        - ``least``: least average CAP of all tables whose `target_distance` is at most D; it falls, and is convex;
        - ``greatest``: the greatest; it rises, and is concave;
        - ``least_any``, without `key_totals` and in version 1: no table at all has less, whichever keys it leaves out. It is attained at
          its corners.

        NaN where no table has so small a distance, and where `o` holds no record.

    Raises
    ------
    ValueError, TypeError
        If a table is not one of counts (the cell is named), distances are not from 0 to 1, or there are several tables and no distances.

    See Also
    --------
    frontier_tables : tables on the two curves.
    capstats.cap.target_distance : D.
    capstats.plotting.plot_frontier : draws it with releases on it.
    cap_bounds : for given margins.

    Notes
    -----
    See theory/attainable.md#frontier. A record that moves, within its key, to the target with least r_ij changes average CAP by (r_ij -
    min_i r_ij)/n and the distance by 1/n; the records for which this is most move first. The curves are those of tables of fractions;
    whole records come as near as `frontier_tables` says.

    References
    ----------
    Duncan, Keller-McNulty and Stokes (2001), "Disclosure risk vs. data utility: the R-U confidentiality map", National Institute of
    Statistical Sciences, Technical Report 121.

    Examples
    --------
    Of four people two are ill, one is healthy and one unknown; a release in which the ill are healthy instead has average CAP 1/4:

    >>> found = frontier([[2], [1], [1]])
    >>> found.distance.values.tolist(), found.least.values.tolist(), found.greatest.values.tolist()
    ([0.0, 0.5, 1.0], [0.375, 0.25, 0.25], [0.375, 0.5, 0.5])
    """
    check_unmatched(unmatched)
    aligned = Aligned({"o": o}, {} if key_totals is None else {"key_totals": key_totals})
    if key_totals is not None and "target" in getattr(key_totals, "dims", ()):
        raise ValueError('`key_totals` has the dim "target"; give the totals of its keys, such as s.sum("target").')
    curves: dict[str, Curve] = {"least": toward_least, "greatest": toward_greatest}
    if key_totals is None and unmatched == "zero":
        curves["least_any"] = toward_least_or_away
    if distances is None:
        if aligned.shape:
            raise ValueError(
                f"There are several tables, along {', '.join(map(repr, aligned.dims))}. Choose one table, or give `distances`."
            )
        at = aligned.map(partial(_corners, list(curves.values())), "corners", ("distance",)).values
    else:
        at = check_distances(distances)
    found = {name: aligned.map(partial(_of_batch, curve, at, unmatched), name, ("distance",)) for name, curve in curves.items()}
    result = Result(found, attrs={"result": "Average CAP within a distance of the original"}).assign_coords(distance=at)
    return result if distances is None or np.ndim(distances) else result.isel(distance=0)


def check_distances(distances: ArrayLike) -> Floats:
    """Distances as an array of one dim."""
    try:
        at = np.atleast_1d(np.asarray(distances, np.float64))
    except (TypeError, ValueError) as error:
        raise TypeError(f"`distances` must be numbers from 0 to 1, in one row; got {shown(distances)}.") from error
    if at.ndim > 1 or not at.size or not ((at >= 0) & (at <= 1)).all():
        raise ValueError(f"`distances` must be numbers from 0 to 1, in one row; got {shown(distances)}. They are shares of the records.")
    return at


# --- the change by a record that moves -----------------------------------------------------------------------------------

Curve = Callable[[Table, Array], Segments]


def toward_least(o: Table, matched: Array) -> Segments:
    """min_i r_ij - r_ij, the change by each of the o_ij records of a cell."""
    return ratio(o.on_cells(o.key_least()) - o.values, o.on_cells(o.key_total), 0.0), o.values * o.on_cells(matched)


def toward_greatest(o: Table, matched: Array) -> Segments:
    """max_i r_ij - r_ij, the change by each of the o_ij records of a cell."""
    return ratio(o.on_cells(o.key_greatest()) - o.values, o.on_cells(o.key_total), 0.0), o.values * o.on_cells(matched)


def toward_least_or_away(o: Table, matched: Array) -> Segments:
    """The same as for the least, where a key may be left out as well: each of its o_.j records then changes sum_i r_ij^2 on average.

    In each key, some records move before the rest of the key is left out: those that change more than the rest does on average.
    """
    change, records = (np.ravel(np.broadcast_to(x, o.values.shape)) for x in toward_least(o, matched))
    key = np.ravel(np.broadcast_to(o.on_cells(np.arange(len(matched))), o.values.shape))
    order = np.lexsort((change, key))
    change, records, key = change[order], records[order], key[order]
    first = np.searchsorted(key, key)

    def before(values: Array) -> Array:
        through = np.concatenate([[0], np.cumsum(values)])
        return np.asarray(through[:-1] - through[first])

    whole, total = -ratio(o.key_product(o), o.key_total, 0.0), o.key_total
    rest = ratio(whole[key] - before(change * records), total[key] - before(records), 0.0)
    moves = (change < rest - 1e-12) & (records > 0)  # tolerance for rounding between equal changes
    moved, changed = (np.bincount(key[moves], values[moves], len(total)) for values in (records, change * records))
    left = total - moved
    return np.concatenate([change[moves], ratio(whole - changed, left, 0.0)]), np.concatenate([records[moves], left])


# --- curves -------------------------------------------------------------------------------------------------------------


EVERY = np.ones(1)  # in place of the totals of keys where all of them may have synthetic records


def _corners(curves: list[Curve], o: Table, m_j: Array = EVERY) -> Floats:
    """Distances at the corners and both ends of the curves of one table."""
    matched = (o.key_total > 0) & (m_j > 0)
    apart = (o.key_total * ~matched).sum()
    found = [np.array([apart, o.total])]
    for curve in curves:
        change, records = _in_order(*curve(o, matched))
        slope = np.abs(change)
        found.append(apart + np.cumsum(records)[~at_most(slope, np.append(slope[1:], 0), scale=1)])
    at = np.unique(ratio(np.concatenate(found), o.total, 0.0))
    return np.asarray(at[np.append(~at_most(at[1:], at[:-1]), True)])  # sums of the same weights in another order are equal up to rounding


def _of_batch(curve: Curve, at: Floats, unmatched: Unmatched, o: Table, m_j: Array = EVERY) -> Floats:
    """The values of a curve at some distances, for all tables of a batch."""
    (found,) = one_by_one(lambda o, m: (_curve(curve, at, unmatched, o, m.key_total),), o, Dense(m_j[..., None, :]))
    return found


def _curve(curve: Curve, at: Floats, unmatched: Unmatched, o: Table, m_j: Array) -> Floats:
    matched, n = (o.key_total > 0) & (m_j > 0), o.total
    apart = (o.key_total * ~matched).sum()
    start = ratio(o.key_product(o) * matched, o.key_total, 0.0).sum()  # c of a table with the shares of the original
    moved = at * n - apart
    change, records = _in_order(*curve(o, matched))
    place, height = (np.concatenate([[0.0], np.cumsum(x)]) for x in (records, change * records))  # records moved, and their total change
    changed = np.interp(moved, place, height)
    possible = (moved >= -1e-12 * n) & (n > 0)
    counted = n if unmatched == "zero" else n - apart
    return np.where(possible, ratio(np.maximum(start + changed, 0), counted, np.nan), np.nan)


def _in_order(change: Floats, records: Array) -> Segments:
    """The segments with records, sorted by the size of their change, largest first."""
    change, records = map(np.ravel, np.broadcast_arrays(change, records))
    change, records = change[records > 0], records[records > 0]
    order = np.argsort(-np.abs(change), kind="stable")
    return change[order], records[order]


# --- tables on the curves -----------------------------------------------------------------------------------------------

CURVES: dict[str, tuple[Curve, Any]] = {"least": (toward_least, np.argmin), "greatest": (toward_greatest, np.argmax)}


def frontier_tables(o: Any, *, distances: ArrayLike, m: int | None = None) -> xr.Dataset:
    """Synthetic tables with the least and the greatest average CAP of all within a distance of the original.

    What the safest release looks like that keeps so much of the relation between key and target, and the most unsafe one.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records.
    distances : array-like
        Distances D as `target_distance` gives them, from 0 to 1.
    m : int, optional
        Number of synthetic records, at least as many as `o` has keys with records. Default: no tables, only their shares.

    Returns
    -------
    Dataset
        For each end, ``least_...`` and ``greatest_...``, without the dim distance at one distance:

        - ``shares``, dims (distance, target, key): the shares of targets in each key, q_ij, of which the average CAP is on the frontier at
          D; 0 in keys that `o` does not have. Any key totals go with them.

        With `m`, also, for each end:

        - ``table``, dims (distance, target, key): m records, distributed over keys as in `o` and within keys by these shares, rounded by
          largest remainders;
        - ``distance`` and ``cap``, dims (distance,): `target_distance` and `average_cap` of this table;

        and ``rounding``: by how much they can at most differ from D and from the frontier, sum_j (o_.j / n) min(1, I / (4 m_j)).

    Raises
    ------
    ValueError, TypeError
        If `o` is not one table of counts or holds no record, a distance is not from 0 to 1, or m has not a record for each key.

    See Also
    --------
    frontier : their average CAP.

    Notes
    -----
    See theory/attainable.md#frontier. If m is n, only one key is rounded: in all others all records of a target move, or none.

    References
    ----------
    Duncan, Keller-McNulty and Stokes (2001), "Disclosure risk vs. data utility: the R-U confidentiality map", National Institute of
    Statistical Sciences, Technical Report 121.

    Examples
    --------
    One of the two ill people becomes healthy, then both:

    >>> found = frontier_tables([[2], [1], [1]], distances=[0.25, 0.5], m=4)
    >>> found.least_table.squeeze("key").values.tolist(), found.least_cap.values.tolist()
    ([[1, 2, 1], [0, 3, 1]], [0.3125, 0.25])
    """
    at = check_distances(distances)
    aligned = with_records(Aligned({"o": o}))
    counts = aligned.as_array("o")
    totals = None if m is None else _key_totals(counts, check_records(m))

    found: dict[str, xr.DataArray] = {}
    for end, (curve, target) in CURVES.items():
        q = _shares(counts, curve, target(counts, axis=0), at)
        found[f"{end}_shares"] = aligned.wrap(q, "shares", ("target", "key"), before=("distance",))
        if totals is not None:
            rounded = np.swapaxes(largest_remainders(np.swapaxes(q * totals, 1, 2), totals), 1, 2)
            found[f"{end}_table"] = s = aligned.wrap(rounded, "s", ("target", "key"), before=("distance",))
            found |= {f"{end}_distance": target_distance(o, s), f"{end}_cap": average_cap(o, s)}
    if totals is not None:
        n_j, most = counts.sum(0), np.minimum(1, len(counts) / (4 * np.maximum(totals, 1)))
        found["rounding"] = xr.DataArray(float((n_j * most).sum() / n_j.sum()))
    result = Result(found, attrs={"result": "Tables on the risk-utility frontier"}).assign_coords(distance=at)
    return result if np.ndim(distances) else result.isel(distance=0)


def largest_remainders(wanted: Floats, total: Array) -> NDArray[np.int64]:
    """Whole numbers with the sums ``total``, (...), next to the wanted numbers: rounded up where the remainders are largest.

    The wanted numbers, (..., cells), have these sums up to rounding.
    """
    near = np.rint(wanted)
    low = np.where(np.abs(wanted - near) < 1e-9, near, np.floor(wanted))  # a whole number up to rounding
    rank = np.argsort(np.argsort(low - wanted, axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.asarray(low + (rank < (total - low.sum(-1))[..., None]), np.int64)


def _shares(counts: Array, curve: Curve, target: Array, at: Floats) -> Floats:
    """q_ij at each distance, where records move to the given target of their key, in the order of their effect on average CAP."""
    o = Dense(counts)
    change, records = curve(o, np.ones(counts.shape[1], bool))
    order = np.argsort(-np.abs(change), axis=None, kind="stable")
    sizes = np.where(change == 0, 0, records).ravel()[order]  # records that change nothing stay
    before = np.cumsum(sizes) - sizes
    moved = np.zeros((len(at), counts.size))
    moved[:, order] = np.clip(at[:, None] * o.total - before, 0, sizes)
    moved = moved.reshape(len(at), *counts.shape)
    kept = counts - moved
    keys = np.arange(counts.shape[1])
    kept[:, target, keys] += moved.sum(1)
    return ratio(kept, np.broadcast_to(o.key_total, kept.shape), 0.0)


def _key_totals(counts: Array, m: int) -> NDArray[np.int64]:
    """Key totals that sum to m: one record for each key with original records, the others in proportion to these."""
    n_j = counts.sum(0)
    keys = int((n_j > 0).sum())
    if m < keys:
        raise ValueError(f"`m` must be at least {keys}, a record for each key of `o`; got {m}. A key without records has distance 1.")
    one = np.zeros(len(n_j), bool)
    while True:  # keys with less than a record get one, and the others share the rest
        wanted = np.where(one, 1.0, n_j * ((m - one.sum()) / n_j[~one].sum()))
        few = (n_j > 0) & (wanted < 1 - 1e-9)
        if not few.any():
            return largest_remainders(wanted, np.asarray(m))
        one |= few
