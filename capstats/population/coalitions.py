"""What people of a table, or an intruder who knows some of its records, learn of the others by subtracting what they know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.checks import is_integer, shown
from capstats.codes.names import free_name
from capstats.population.known_records import Groups, all_known, in_some_group, known_before, known_within
from capstats.tables.aligned import Aligned, same_or_span
from capstats.tables.backing import stacked, summed
from capstats.tables.checking import CELLS, check_unweighted
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import EXACT, Array, Counts, Floats, Index, Table

RECORDS = "people subtract whole records"


def group_disclosure(o: Counts, *, k: int | Sequence[int]) -> xr.Dataset:
    """What coalitions of at most k people of a table learn of the others: the cells whose members they can attribute with certainty.

    If all people with a key but those of one target put together what they know of themselves, they see that all others have this target.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of a table that is published, or known by other means.
    k : int or sequence of int
        Greatest numbers of people in a coalition, 0 or more; 0 are outsiders.

    Returns
    -------
    Dataset, dims (k, ...), without ``k`` for one number; a column that is named k is ``k_`` in it
        - ``cells``: number of cells that some coalition discloses, those with o_ij > 0 and o_.j - o_ij <= k;
        - ``records``, ``share``: the people in them, and their share of n, from 0 to 1, larger is riskier; NaN if `o` has no record;
        - ``disclosing_keys``, ``key_records``: number of keys with such a cell, and of their records;
        - ``pairs``: number of pairs of published numbers (cells, key totals, target totals, n) of which one is positive, a part of the
          other, and smaller by at most k: so many people of the greater one learn that all others in it are in the smaller one. Numbers
          of the same cells are one number; cells without records belong to the table;
        - ``insiders``, dims (..., target, key): o_.j - o_ij, the size of the least coalition that discloses a cell; NaN for cells without
          records. It names the cells: ``found.insiders <= 1``.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named), has fractional counts or sampling weights, or `k` is no such number.

    See Also
    --------
    subtraction_attribution : the same for a random sample of records in place of a coalition.
    capstats.disclosure.dio : the share for k = 0.

    Notes
    -----
    See theory/population.md#group-disclosure. GaussSuppression counts the ``pairs``, but misses those of keys and targets with one filled
    cell unless cells without records are rows of its input.

    References
    ----------
    Hundepool and others (2012), "Statistical Disclosure Control", https://doi.org/10.1002/9781118348239, on group disclosure.
    GaussSuppression 1.2.3, ``KDisclosurePrimary``.

    Examples
    --------
    The only person with the second key is disclosed to everybody; the two sick people with the first one, to the third person with it:

    >>> found = group_disclosure([[2, 1], [1, 0]], k=[0, 1, 2])
    >>> found.records.values.tolist(), found.pairs.values.tolist(), found.insiders.values.tolist()
    ([1, 3, 4], [2, 6, 9], [[1.0, 0.0], [2.0, nan]])
    """
    ks, aligned = _numbers(k), _counts(o)
    several = {dim: aligned.sizes[dim] > 1 for dim in CELLS}  # a total of one cell is that cell

    def cells(x: Table) -> Array:
        return _up_to(ks, _others(x).side_by_side(), x.like(x.values > 0).side_by_side())

    def records(x: Table) -> Array:
        return _up_to(ks, _others(x).side_by_side(), x.side_by_side())

    def share(x: Table) -> Floats:
        return ratio(records(x), x.total()[..., None], np.nan)

    def disclosing_keys(x: Table) -> Array:
        return _up_to(ks, x.key_total() - x.key_greatest(), x.key_total() > 0)

    def key_records(x: Table) -> Array:
        return _up_to(ks, x.key_total() - x.key_greatest(), x.key_total())

    def pairs(x: Table) -> Array:
        n, held = x.total()[..., None], x.side_by_side() > 0
        found = np.zeros((*x.total().shape, len(ks)), np.int64)
        if several["target"]:
            found += _up_to(ks, _others(x).side_by_side(), held)
        if several["key"]:
            found += _up_to(ks, x.like(x.on_targets(x.target_total()) - x.values).side_by_side(), held)
        if several["target"] and several["key"]:
            for part in (x.side_by_side(), x.key_total(), x.target_total()):
                found += _up_to(ks, n - part, part > 0)
        return found

    def insiders(x: Table) -> Table:
        return x.like(np.where(x.values > 0, _others(x).values, np.nan), np.nan)

    formulas: list[Callable[[Table], Array]] = [cells, records, share, disclosing_keys, key_records, pairs]
    found = {formula.__name__: aligned.map(formula, formula.__name__, ("k",)) for formula in formulas}
    found["insiders"] = aligned.map(insiders, "insiders", CELLS)
    return _along(k, ks, found).assign_attrs(result="Disclosure to coalitions", records=same_or_span(aligned.totals("o")))


def subtraction_attribution(o: Counts, *, k: int | Sequence[int]) -> xr.Dataset:
    """Probability that an intruder who knows k of the records learns the target of others by subtracting them from the table.

    If what remains of a key has one target only, everybody else with this key has it. Cells that the intruder empties are another sign:
    nobody else is in them.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of a table that is published, or known by other means.
    k : int or sequence of int
        Numbers of records that the intruder knows, a simple random sample without replacement: from 0 to n, the number of records.

    Returns
    -------
    Dataset, dims (k, ...), without ``k`` for one number; a column that is named k is ``k_`` in it
        Probabilities, from 0 to 1, and expected numbers, over the sample; larger is riskier; NaN if `o` has no record.

        - ``any_emptied``: that at least one cell with records is emptied, the subtraction-attribution probability (SAP);
        - ``cells_emptied``: the expected number of such cells;
        - ``any_attributed``: that at least one key has a remainder, and all of it has one target;
        - ``keys_attributed``: the expected number of such keys;
        - ``emptied``, dims (k, ..., target, key): that this cell is emptied, 0 for a cell without records;
        - ``attributed``, dims (k, ..., target, key): that there is a remainder of the key, all of it with this target.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named), has fractional counts or sampling weights, or `k` is not from 0 to n.

    See Also
    --------
    group_disclosure : the least number of people who could attribute a cell.

    Notes
    -----
    See theory/population.md#subtraction. ``any_emptied`` and ``cells_emptied`` grow with k. The other two count keys with one target, which
    nobody needs to subtract from, at k = 0, and may fall, since the remainder of a key may vanish. All sums have positive terms, so that
    small probabilities keep their digits, down to 1e-140. Time is at most in proportion to k n; cells have a value for each number in `k`.

    References
    ----------
    Smith and Elliot (2008), "A measure of disclosure risk for tables of counts", Transactions on Data Privacy 1, 34-52.

    Examples
    --------
    Who knows one of the four people empties a cell if that person is alone in it, and attributes the first key by the healthy one. Only who
    knows the person with the second key finds no key with one target:

    >>> found = subtraction_attribution([[2, 1], [1, 0]], k=1)
    >>> float(found.any_emptied), float(found.any_attributed), found.attributed.values.tolist()
    (0.5, 0.75, [[0.25, 0.75], [0.0, 0.0]])
    """
    ks, aligned = _numbers(k), _counts(o)
    if ks.max() > (n := np.min(aligned.totals("o"))):
        raise ValueError(f"`k` must be at most the number of records of each table, {n}; got {ks.max()}.")

    def expected(cells: Any, name: str) -> xr.DataArray:
        sums = summed(cells, (-2, -1))
        return aligned.wrap(np.where(aligned.totals("o") > 0, sums, np.nan), name, before=("k",))

    def table(chance: Callable[[Table, int], Array]) -> Any:
        """The probability of each cell, for each k."""
        of_k = [lambda x, k=k: x.like(_of_members(x, lambda x: chance(x, k))) for k in ks.tolist()]
        return stacked([aligned.map(formula, "o", CELLS).variable.data for formula in of_k])

    def of_any(groups: Callable[[Table, int], list[Groups]], name: str) -> xr.DataArray:
        """The probability of the event in any of the groups."""

        def chance(x: Table) -> Floats:
            n = int(x.total())
            return in_some_group(n, ks, groups(x, int(ks.max()))) if n else np.full(len(ks), np.nan)

        return aligned.map(lambda x: _of_members(x, chance), name, ("k",))

    emptied, attributed = table(_emptied), table(_attributed)
    found = {
        "any_emptied": of_any(_cells_to_empty, "any_emptied"),
        "cells_emptied": expected(emptied, "cells_emptied"),
        "any_attributed": of_any(_keys_to_attribute, "any_attributed"),
        "keys_attributed": expected(attributed, "keys_attributed"),
        "emptied": aligned.wrap(emptied, "emptied", CELLS, before=("k",)),
        "attributed": aligned.wrap(attributed, "attributed", CELLS, before=("k",)),
    }
    return _along(k, ks, found).assign_attrs(result="Subtraction and attribution", records=same_or_span(aligned.totals("o")))


# --- what is known of cells and keys ----------------------------------------------------------------------------------


def _others(x: Table) -> Table:
    """The records of its key that a cell does not hold."""
    return x.like(x.on_cells(x.key_total()) - x.values)


def _up_to(ks: Index, needed: Array, weights: Array) -> Array:
    """For each k the sum of the weights that need at most k people: shape (..., k)."""
    batch = needed.shape[:-1]
    rows, cells = np.nonzero(((needed <= ks.max()) & (weights > 0)).reshape(-1, needed.shape[-1]))
    needed, weights = (x.reshape(-1, x.shape[-1])[rows, cells] for x in (needed, weights))
    order = np.argsort(ks)
    first = np.searchsorted(ks[order], needed)
    sums = np.bincount(rows * len(ks) + first, weights, int(np.prod(batch)) * len(ks)).reshape(*batch, len(ks))
    return np.cumsum(sums, axis=-1)[..., np.argsort(order)].astype(np.int64)


def _emptied(x: Table, k: int) -> Floats:
    """Probability that all records of a cell are known."""
    n, most = int(x.total()), min(k, int(x.values.max()))
    chance = np.append(all_known(n, k, most), 0.0)
    return np.where(x.values > 0, chance[np.minimum(x.values, most + 1)], 0.0)


def _attributed(x: Table, k: int) -> Floats:
    """Probability that the others of its key are known, but not all records of the cell."""
    others = _others(x).values
    within = (x.values > 0) & (others <= k)
    found = np.zeros(x.values.shape)
    found[within] = known_before(int(x.total()), k, others[within], x.values[within])
    return found


def _cells_to_empty(x: Table, most: int) -> list[Groups]:
    """Cells with at most this many records; each is emptied if all of them are known."""
    sizes, numbers = np.unique(x.values[(x.values > 0) & (x.values <= most)], return_counts=True)
    return [Groups(size, number, known_within(size, size, most)) for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True)]


def _keys_to_attribute(x: Table, most: int) -> list[Groups]:
    """Keys in which at most this many records have another target than the others; those with the same counts are alike."""
    others = _others(x).values
    within = (x.values > 0) & (others <= most)
    key = np.broadcast_to(x.on_cells(np.arange(x.key_total().shape[-1])), others.shape)[within]
    order = np.lexsort((others[within], key))
    key, needed = key[order], others[within][order]
    keys, first, place = np.unique(key, return_index=True, return_inverse=True)
    alike = np.full((len(keys), 2 + int(np.max(np.bincount(place), initial=0))), -1, np.int64)
    alike[:, 0] = x.key_total()[keys]
    alike[place, 1 + np.arange(len(key)) - first[place]] = needed
    kinds = pd.DataFrame(alike).value_counts(sort=False)
    found = []
    for (size, *parts), number in zip(kinds.index, kinds.tolist(), strict=True):
        chance = np.sum([known_within(size, part, most) for part in parts if part >= 0], axis=0)
        if size <= most:
            chance[size] = 0.0  # no remainder
        found.append(Groups(size, number, np.minimum(chance, 1.0)))
    return found


# --- numbers of people, and results along them ------------------------------------------------------------------------


def _numbers(k: Any) -> Index:
    """Numbers of people, one or several."""
    given = [k] if np.ndim(k) == 0 else list(k)
    if not given or not all(is_integer(x) and 0 <= x <= EXACT for x in given):
        raise ValueError(f"`k` must be a number of people or a sequence of them, integers from 0 to 2**53; got {shown(k)}.")
    return np.array(given, np.int64)


def _counts(o: Any) -> Aligned:
    """The table, whose counts must be numbers of people; no column or dim of it is named k, as the dim of results is."""
    check_unweighted(RECORDS, o=o)
    if isinstance(o, xr.DataArray) and "k" in {*o.dims, *o.coords}:
        o = o.rename(k=free_name("k", {*o.dims, *o.coords}))
    aligned = Aligned({"o": o})
    if not aligned.whole["o"]:
        raise ValueError(f"`o` must hold integers: {RECORDS}; got fractional counts. Count without weights.")
    return aligned


def _of_members(x: Table, formula: Callable[[Table], Array]) -> Array:
    """A formula of one table, for each table of a batch."""
    batch = x.total().shape
    found = [formula(x.member(at)) for at in np.ndindex(batch)]
    return np.reshape(found, (*batch, *np.shape(found[0])))


def _along(k: Any, ks: Index, variables: dict[str, xr.DataArray]) -> Result:
    """The variables along the numbers k, or for the only one."""
    result = Result(variables).assign_coords(k=ks).transpose("k", ...)
    return result if np.ndim(k) else result.isel(k=0)
