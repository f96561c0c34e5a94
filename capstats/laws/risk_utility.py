"""The risk-utility frontier: least and greatest average CAP of all synthetic tables within a distance of the original."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from capstats.cap.neighbours import Unmatched, check_unmatched
from capstats.tables.aligned import Aligned
from capstats.tables.checking import shown
from capstats.tables.results import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Table
from capstats.tables.ties import at_most

Segments = tuple[Floats, Array]  # of a polygon: what one record changes, and how many records there are, in any order


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
    See theory/frontier.md. A record that moves, within its key, to the target with least r_ij changes average CAP by (r_ij - min_i r_ij)/n
    and the distance by 1/n; the records for which this is most move first. The curves are those of tables of fractions; whole records
    come as near as `frontier_tables` says.

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
        at = aligned.map(lambda *tables: _corners(list(curves.values()), *tables), "corners", ("distance",)).values
    else:
        at = check_distances(distances)
    found = {
        name: aligned.map(lambda *tables, curve=curve: _of_batch(curve, at, unmatched, *tables), name, ("distance",))
        for name, curve in curves.items()
    }
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


# --- what a record changes that moves -----------------------------------------------------------------------------------

Curve = Callable[[Table, Array], Segments]


def toward_least(o: Table, matched: Array) -> Segments:
    """min_i r_ij - r_ij, for the o_ij records of a cell."""
    return ratio(o.on_cells(o.key_least()) - o.values, o.on_cells(o.key_total()), 0.0), o.values * o.on_cells(matched)


def toward_greatest(o: Table, matched: Array) -> Segments:
    """max_i r_ij - r_ij."""
    return ratio(o.on_cells(o.key_greatest()) - o.values, o.on_cells(o.key_total()), 0.0), o.values * o.on_cells(matched)


def toward_least_or_away(o: Table, matched: Array) -> Segments:
    """The same as for the least, where a key may be left out as well: then its o_.j records together change sum_i r_ij^2 each.

    Of each key, the records that move before the rest of it does: those that change more than the rest does on average.
    """
    change, records = (np.ravel(np.broadcast_to(x, o.values.shape)) for x in toward_least(o, matched))
    key = np.ravel(np.broadcast_to(o.on_cells(np.arange(len(matched))), o.values.shape))
    order = np.lexsort((change, key))
    change, records, key = change[order], records[order], key[order]
    first = np.searchsorted(key, key)

    def before(values: Array) -> Array:
        through = np.concatenate([[0], np.cumsum(values)])
        return np.asarray(through[:-1] - through[first])

    whole, total = -ratio(o.key_product(o), o.key_total(), 0.0), o.key_total()
    rest = ratio(whole[key] - before(change * records), total[key] - before(records), 0.0)
    moves = (change < rest - 1e-12) & (records > 0)  # by rounding, a record would not move before one that changes as much
    moved, changed = (np.bincount(key[moves], values[moves], len(total)) for values in (records, change * records))
    left = total - moved
    return np.concatenate([change[moves], ratio(whole - changed, left, 0.0)]), np.concatenate([records[moves], left])


# --- curves -------------------------------------------------------------------------------------------------------------


def _corners(curves: list[Curve], o: Table, m_j: Array | None = None) -> Floats:
    """Distances of the corners of the curves of one table, and both ends."""
    matched = _matched(o, m_j)
    apart = (o.key_total() * ~matched).sum()
    found = [np.array([apart, o.total()])]
    for curve in curves:
        change, records = _in_order(*curve(o, matched))
        slope = np.abs(change)
        found.append(apart + np.cumsum(records)[~at_most(slope, np.append(slope[1:], 0), scale=1)])
    at = np.unique(ratio(np.concatenate(found), o.total(), 0.0))
    return np.asarray(at[np.append(~at_most(at[1:], at[:-1]), True)])  # sums of the same weights in another order


def _of_batch(curve: Curve, at: Floats, unmatched: Unmatched, o: Table, m_j: Array | None = None) -> Floats:
    """The values of a curve at some distances, of all tables of a batch."""
    batch = np.broadcast_shapes(o.total().shape, () if m_j is None else m_j.shape[:-1])
    found = np.empty((*batch, len(at)))
    for place in np.ndindex(batch):
        own = None if m_j is None else m_j[_own(m_j.shape[:-1], place)]
        found[place] = _curve(curve, at, unmatched, o.member(_own(o.total().shape, place)), own)
    return found


def _own(shape: tuple[int, ...], place: tuple[int, ...]) -> tuple[int, ...]:
    """Where a member of a batch stands in an array that has length 1 along some of its dims."""
    return tuple(min(i, size - 1) for i, size in zip(place, shape, strict=True))


def _curve(curve: Curve, at: Floats, unmatched: Unmatched, o: Table, m_j: Array | None) -> Floats:
    matched, n = _matched(o, m_j), o.total()
    apart = (o.key_total() * ~matched).sum()
    start = ratio(o.key_product(o) * matched, o.key_total(), 0.0).sum()  # c of a table with the original's shares
    moved = at * n - apart
    changed = np.interp(moved, *_polygon(*curve(o, matched)))
    possible = (moved >= -1e-12 * n) & (n > 0)
    counted = n if unmatched == "zero" else n - apart
    return np.where(possible, ratio(np.maximum(start + changed, 0), counted, np.nan), np.nan)


def _matched(o: Table, m_j: Array | None) -> Array:
    held = np.asarray(o.key_total() > 0)
    return held if m_j is None else held & (m_j > 0)


def _polygon(change: Floats, records: Array) -> tuple[Floats, Floats]:
    """How many records have moved at each corner, and what they have changed in all, where those that change most move first."""
    change, records = _in_order(change, records)
    return np.concatenate([[0.0], np.cumsum(records)]), np.concatenate([[0.0], np.cumsum(change * records)])


def _in_order(change: Floats, records: Array) -> Segments:
    """The segments with records, those that change most first."""
    change, records = (np.ravel(np.broadcast_to(x, np.broadcast_shapes(change.shape, records.shape))) for x in (change, records))
    change, records = change[records > 0], records[records > 0]
    order = np.argsort(-np.abs(change), kind="stable")
    return change[order], records[order]
