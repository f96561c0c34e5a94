"""Tables on the risk-utility frontier, in fractions and rounded to whole records."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from capstats.cap.average import average_cap
from capstats.cap.comparison import target_distance
from capstats.laws.models import check_records
from capstats.laws.risk_utility import Curve, check_distances, toward_greatest, toward_least
from capstats.tables.aligned import Aligned
from capstats.tables.backing import is_sparse
from capstats.tables.checking import as_counts
from capstats.tables.dense import Dense
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats

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
    See theory/frontier.md. If m is n, only one key is rounded: in all others all records of a target move, or none.

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
    table = as_counts(o, "o")
    if table.ndim > 2:
        raise ValueError(f"`o` has dims {tuple(map(str, table.dims))}; frontier tables are those of one. Choose one table.")
    data = table.variable.data
    counts = data.todense() if is_sparse(data) else data
    if not counts.any():
        raise ValueError("`o` holds no record, so no release is at a distance of it. Leave such tables out.")
    aligned = Aligned({"o": table})
    totals = None if m is None else _key_totals(counts, check_records(m))

    found: dict[str, xr.DataArray] = {}
    for end, (curve, target) in CURVES.items():
        q = _shares(counts, curve, target(counts, axis=0), at)
        found[f"{end}_shares"] = aligned.wrap(q, "shares", ("target", "key"), before=("distance",))
        if totals is not None:
            rounded = np.swapaxes(largest_remainders(np.swapaxes(q * totals, 1, 2), totals), 1, 2)
            found[f"{end}_table"] = s = aligned.wrap(rounded, "s", ("target", "key"), before=("distance",))
            found |= {f"{end}_distance": target_distance(table, s), f"{end}_cap": average_cap(table, s)}
    if totals is not None:
        found["rounding"] = xr.DataArray(_rounding(counts, totals))
    result = Result(found, attrs={"result": "Tables on the risk-utility frontier"}).assign_coords(distance=at)
    return result if np.ndim(distances) else result.isel(distance=0)


def largest_remainders(wanted: Floats, total: Array) -> NDArray[np.int64]:
    """Whole numbers with the sums ``total``, (...), each one of the two next to a wanted number: upwards where the remainders are largest.

    The wanted numbers, (..., cells), have these sums up to rounding.
    """
    near = np.rint(wanted)
    low = np.where(np.abs(wanted - near) < 1e-9, near, np.floor(wanted))  # a whole number, but for rounding
    rank = np.argsort(np.argsort(low - wanted, axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.asarray(low + (rank < (total - low.sum(-1))[..., None]), np.int64)


def _shares(counts: Array, curve: Curve, target: Array, at: Floats) -> Floats:
    """q_ij at each distance, where records move to the given target of their key, those that change average CAP most first."""
    o = Dense(counts)
    change, records = curve(o, np.ones(counts.shape[1], bool))
    order = np.argsort(-np.abs(change), axis=None, kind="stable")
    sizes = np.where(change == 0, 0, records).ravel()[order]  # records that change nothing stay
    before = np.cumsum(sizes) - sizes
    moved = np.zeros((len(at), counts.size))
    moved[:, order] = np.clip(at[:, None] * o.total() - before, 0, sizes)
    moved = moved.reshape(len(at), *counts.shape)
    kept = counts - moved
    keys = np.arange(counts.shape[1])
    kept[:, target, keys] += moved.sum(1)
    return ratio(kept, np.broadcast_to(o.key_total(), kept.shape), 0.0)


def _key_totals(counts: Array, m: int) -> NDArray[np.int64]:
    """As many records, one for each key with original records and the others in proportion to these."""
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


def _rounding(counts: Array, totals: Array) -> float:
    n_j = counts.sum(0)
    most = np.minimum(1, len(counts) / (4 * np.maximum(totals, 1)))
    return float((n_j * most).sum() / n_j.sum())
