"""Least and greatest average CAP among synthetic tables with given key totals, or with given totals of keys and targets.

With key totals alone each key is a problem of its own, and the formula is short. With both margins it is a transportation problem: the
least sum of o_ij s_ij / s_.j over all tables of counts with these margins.

*The obvious ways* are to list all tables with these margins, which is possible for a dozen records, or to give the problem to a general
solver of linear programmes, with a variable for each cell. That solver returns floats, from which a table of counts would have to be
guessed, and it does not use that targets are few where keys are thousands. The tests do both.

*Successive shortest paths* (Ahuja, Magnanti and Orlin) use it:

1. All records of a key go to its cheapest cell. The key totals are then right, and targets have too many records or too few.
2. A record that moves from one target to another within key j changes the sum by the difference of their costs in j. For a pair of targets
   only the key in which this is least matters. So the network has a node for each target, and none for keys (`_Paths.cost`).
3. Records are moved along the shortest path from targets with too many records to one with too few: the most that it allows, in all keys
   in which its steps are equally cheap.
4. Each target has a price, its `potential`. The costs of moving, corrected by prices, stay at 0 or more, which proves that no table with
   the same target totals as the present one is cheaper. When all target totals are right, the table is a minimum.

Where keys are many, the problem is first solved for a quarter of them. Its prices are nearly right for all keys, so that step 1 puts few
records into a wrong cell. Only prices are floats; what is moved are integers, so that the table has the given margins exactly. A path
costs at most the cube of the number of targets, and a pass over the keys for each of its steps. For the greatest sum all costs change
their sign.

theory/attainable.md#transportation-bounds has the proof.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Unmatched, check_unmatched
from capstats.codes.column import Ints
from capstats.tables.aligned import Aligned, axes_of, on_same_cells
from capstats.tables.axes import coords_of_all
from capstats.tables.backing import held_as, is_sparse
from capstats.tables.checking import as_counts
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Index, Table

TITLE = "Bounds of average CAP"


def cap_bounds(o: Any, *, key_totals: Any, target_totals: Any = None, unmatched: Unmatched = "zero") -> xr.Dataset:
    """Least and greatest average CAP among synthetic tables with given key totals, or with given totals of keys and of targets.

    If the keys of the synthetic data are fixed, only the targets can be chosen: in each key, the rarest or the most frequent one. If as
    many records as before must have each target, they can only be distributed over the keys. A release that keeps both margins can still
    be anything between these bounds.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Ints of original records; one table where `target_totals` is given.
    key_totals : array-like or DataArray, dims (key,) and any others
        Numbers of synthetic records of each key, m_j, at least 0. Without `target_totals` it matters only which of them are positive.
    target_totals : array-like or DataArray, dims (target,), optional
        Numbers of synthetic records of each target, t_i, integers with the same sum as `key_totals`.
    unmatched : {"zero", "drop"}
        Version 1 or 2 of the average.

    Returns
    -------
    Dataset
        ``least`` and ``greatest``, dims (...), from 0 to 1: sum over matched keys of min_i o_ij, or max_i o_ij, over n, or over n_M with
        "drop". NaN if no original record is in the average.

        With `target_totals` the least and greatest values of all tables with both margins, up to rounding, and ``least_table`` and
        ``greatest_table``, counts with dims (target, key): tables with these margins and these values.

    Raises
    ------
    ValueError, TypeError
        If any is not a table of counts (the cell is named), their labels differ, both margins have different sums or hold fractions, or
        `target_totals` comes with several tables.

    See Also
    --------
    minimum_cap : over all key totals.
    frontier : over all tables within a distance of the original.

    Notes
    -----
    See theory/attainable.md#lemma-1 for given key totals, and theory/attainable.md#transportation-bounds for both margins: a
    transportation problem with costs o_ij / m_j. It is solved by shortest paths between targets, so the time grows with the
    square of the number of targets, and in proportion to that of the keys.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Lemma 1.
    Ahuja, Magnanti and Orlin (1993), Network Flows, section 9.7 (successive shortest paths).

    Examples
    --------
    >>> bounds = cap_bounds([[20, 5], [30, 45]], key_totals=[33, 67])
    >>> float(bounds.least), float(bounds.greatest)
    (0.25, 0.75)

    Of the 100 synthetic records 33 are of smokers and 15 of sick people. The release that the paper prints has 0.684:

    >>> bounds = cap_bounds([[20, 5], [30, 45]], key_totals=[33, 67], target_totals=[15, 85])
    >>> round(float(bounds.least), 4), round(float(bounds.greatest), 4)
    (0.6604, 0.7045)
    >>> bounds.greatest_table.values.tolist()
    [[15, 0], [18, 67]]
    """
    check_unmatched(unmatched)
    if "target" in getattr(key_totals, "dims", ()):
        raise ValueError('`key_totals` has the dim "target"; give the totals of its keys, such as s.sum("target").')
    if target_totals is not None:
        return _of_both_margins(o, key_totals, target_totals, unmatched)
    aligned = Aligned({"o": o}, {"key_totals": key_totals})

    def formula(o: Table, m_j: Array) -> dict[str, Floats]:
        matched = m_j > 0
        counted = o.key_total if unmatched == "zero" else o.key_total * matched
        extremes = {"least": o.key_least(), "greatest": o.key_greatest()}
        return {name: ratio((of_key * matched).sum(-1), counted.sum(-1), np.nan) for name, of_key in extremes.items()}  # Lemma 1

    return Result(aligned.numbers(formula), attrs={"result": TITLE})


# --- both margins -----------------------------------------------------------------------------------------------------


def _of_both_margins(o: Any, key_totals: Any, target_totals: Any, unmatched: Unmatched) -> xr.Dataset:
    """The two transportation problems, on the keys that have synthetic records."""
    if "key" in getattr(target_totals, "dims", ()):
        raise ValueError('`target_totals` has the dim "key"; give the totals of its targets, such as s.sum("key").')
    dims = {"o": ("target", "key"), "key_totals": ("key",), "target_totals": ("target",)}
    given = {"o": o, "key_totals": key_totals, "target_totals": target_totals}
    arrays, joined = on_same_cells({name: as_counts(table, name, dims[name]) for name, table in given.items()})
    _check_margins(arrays)
    original, m_j, t_i = (arrays[name].variable.data for name in dims)
    counts = original.todense() if is_sparse(original) else original
    matched = np.flatnonzero(m_j)
    records = (counts if unmatched == "zero" else counts[:, matched]).sum()
    unit = counts[:, matched] / m_j[matched]

    found: dict[str, Any] = {}
    for name, sign in (("least", 1), ("greatest", -1)):
        table = _sent((sign * unit).T.copy(), m_j[matched], t_i).table
        found[name] = float((unit * table).sum() / records) if records else np.nan
        target, key = np.nonzero(table)
        found[f"{name}_table"] = (("target", "key"), held_as(original, [target, matched[key]], table[target, key]))
    axes = {dim: axis for dim, axis in axes_of(arrays, joined).items() if axis is not None}
    return Result(found, coords_of_all(axes), attrs={"result": TITLE})


def _check_margins(arrays: dict[str, xr.DataArray]) -> None:
    for name, array in arrays.items():
        others = [str(dim) for dim in array.dims if dim not in ("target", "key")]
        if others:
            raise ValueError(f"`{name}` has the further dims {', '.join(map(repr, others))}; `target_totals` needs one table. Choose one.")
        if name != "o" and array.dtype.kind != "i":
            raise ValueError(
                f"`{name}` must hold integers, numbers of synthetic records; got fractions. Count the records without weights."
            )
    by_key, by_target = (int(arrays[name].sum()) for name in ("key_totals", "target_totals"))
    if by_key != by_target:
        raise ValueError(
            f"`key_totals` and `target_totals` must have the same sum, the number of synthetic records; got {by_key} and {by_target}. "
            f'Give both margins of one table, such as s.sum("target") and s.sum("key").'
        )


# --- the transportation problem ----------------------------------------------------------------------------------------

MANY = 400  # keys above which a part of them is solved first


def _sent(unit: Floats, key_totals: Ints, target_totals: Ints) -> _Paths:
    """A table with these margins and the least sum of its counts times ``unit``, shape (key, target), up to rounding.

    Every record starts in the cheapest cell of its key; then records move from targets with too many to targets with too few.
    """
    potential = np.zeros(len(target_totals))
    if len(key_totals) > MANY:  # prices for a quarter of the keys are nearly right for all, so that few records start in a wrong cell
        some = slice(None, None, 4)
        part, whole = int(key_totals[some].sum()), int(key_totals.sum())
        through = [total * part // whole for total in np.cumsum(target_totals).tolist()]
        potential = _sent(unit[some], key_totals[some], np.diff(through, prepend=0)).potential
    # all records of a key in its cheapest cell, by costs plus prices
    table = np.zeros(unit.T.shape, np.int64)
    table[(unit - potential).argmin(1), np.arange(len(unit))] = key_totals
    excess = table.sum(1) - target_totals
    paths = _Paths(unit, table, potential)
    # records along cheapest paths, until every target has its total
    while (excess > 0).any():
        path = paths.cheapest(excess)
        sent = paths.send(path, min(int(excess[path[0]]), int(-excess[path[-1]])))
        excess[path[0]] -= sent
        excess[path[-1]] += sent
    return paths


class _Paths:
    """The network of targets: ``cost`` is the least cost, over keys, of moving a record from one target to another."""

    def __init__(self, unit: Floats, table: Ints, potential: Floats):
        self.unit, self.table, self.potential = unit, table, potential
        self.cost = np.empty((len(table), len(table)))
        for target in range(len(table)):
            self._renew(target)

    def _renew(self, target: int) -> None:
        """Compute the costs of leaving a target, from all keys where it has records."""
        self.cost[target] = np.inf
        self._open(target, np.flatnonzero(self.table[target]))

    def cheapest(self, excess: Ints) -> list[int]:
        """The targets along the cheapest path from one with too many records to one with too few."""
        cost = np.maximum(self.cost + self.potential[:, None] - self.potential, 0)  # below 0 only by rounding
        distance, before = _shortest(cost, np.where(excess > 0, 0.0, np.inf))
        path = [int(np.where(excess < 0, distance, np.inf).argmin())]
        # new prices, by which costs stay at 0 or more, and are 0 along the path
        self.potential += np.minimum(distance, distance[path[0]])
        while before[path[-1]] >= 0:
            path.append(int(before[path[-1]]))
        return path[::-1]

    def send(self, path: list[int], most: int) -> int:
        """Move the most records along a path that its keys allow, using all keys in which a step is as cheap as in the cheapest.

        Return their number.
        """
        steps = list(pairwise(path))
        keys = [self._cheapest_keys(*step) for step in steps]
        amount = min(most, *(int(self.table[step[0], of].sum()) for step, of in zip(steps, keys, strict=True)))
        for (leaves, enters), of in zip(steps[::-1], keys[::-1], strict=True):  # backwards, so that records that arrive are not moved again
            held = self.table[leaves, of]
            moved = np.clip(amount - (np.cumsum(held) - held), 0, held)
            self.table[leaves, of] -= moved
            self.table[enters, of] += moved
            self._open(enters, of[moved > 0])
            if (moved == held).any():
                self._renew(leaves)
        return amount

    def _cheapest_keys(self, leaves: int, enters: int) -> Index:
        keys = np.flatnonzero(self.table[leaves])
        low, high = self.unit[keys, leaves], self.unit[keys, enters]
        near = high - low <= self.cost[leaves, enters] + 4e-16 * (np.abs(low) + np.abs(high))
        return np.asarray(keys[near])

    def _open(self, target: int, keys: Index) -> None:
        """Lower the costs of leaving a target by those in keys where records have arrived."""
        apart = self.unit[keys] - self.unit[keys, target, None]
        self.cost[target] = np.minimum(self.cost[target], apart.min(0, initial=np.inf))


def _shortest(cost: Floats, distance: Floats) -> tuple[Floats, Index]:
    """Lengths of shortest paths from any start, with a given distance at each, and the predecessor of each target; -1 at a start."""
    before = np.full(len(distance), -1)
    for _ in distance:
        through = distance[:, None] + cost
        best = through.argmin(0)
        shorter = through[best, np.arange(len(distance))]
        better = shorter < distance
        if not better.any():
            break
        distance, before = np.where(better, shorter, distance), np.where(better, best, before)
    return distance, before
