"""Least and greatest average CAP among synthetic tables with given key totals, or with given totals of keys and targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Unmatched, check_unmatched
from capstats.laws.transportation import Counts, least_transport
from capstats.tables.aligned import Aligned, axes_of, on_same_cells
from capstats.tables.axes import coords_of
from capstats.tables.backing import held_as, is_sparse
from capstats.tables.checking import as_counts
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Table

TITLE = "Bounds of average CAP"


def cap_bounds(o: Any, *, key_totals: Any, target_totals: Any = None, unmatched: Unmatched = "zero") -> xr.Dataset:
    """Least and greatest average CAP among synthetic tables with given key totals, or with given totals of keys and of targets.

    If the keys of the synthetic data are fixed, only the targets can be chosen: in each key, the rarest or the most frequent one. If as
    many records as before must have each target, they can only be distributed over the keys. A release that keeps both margins can still
    be anything between these bounds.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records; one table where `target_totals` is given.
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

        With `target_totals` the least and greatest values of all tables with both margins, exact to the last bit, and for each of the two,
        as ``least_...`` and ``greatest_...``:

        - ``table``, counts with dims (target, key): a table with these margins and this value;
        - ``prices``, dims (target,), `fractions.Fraction`: the proof that no table has less, or more. Each record of the table is in a
          cell of its key with the least, or greatest, o_ij - m_j price_i.

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
    See theory/lemma-1.md for given key totals, and theory/transportation-bounds.md for both margins: a transportation problem with costs
    o_ij / m_j. It is solved by shortest paths between targets and proved in integers, so the time grows with the square of the number of
    targets, and in proportion to that of the keys.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Lemma 1.
    Ahuja, Magnanti and Orlin (1993), Network Flows, section 9.7 (successive shortest paths).

    Examples
    --------
    >>> bounds = cap_bounds([[20, 5], [30, 45]], key_totals=[33, 67])
    >>> float(bounds.least), float(bounds.greatest)
    (0.25, 0.75)

    Of the 100 synthetic records 33 are of smokers and 15 of sick people. The release that the paper prints has .684:

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

    def bound(extreme: Callable[[Table], Array]) -> Callable[..., Floats]:
        def formula(o: Table, m_j: Array) -> Floats:
            matched = m_j > 0
            counted = o.key_total() if unmatched == "zero" else o.key_total() * matched
            return ratio((extreme(o) * matched).sum(-1), counted.sum(-1), np.nan)  # Lemma 1

        return formula

    least, greatest = bound(lambda o: o.key_least()), bound(lambda o: o.key_greatest())
    found = {"least": aligned.map(least, "least"), "greatest": aligned.map(greatest, "greatest")}
    return Result(found, attrs={"result": TITLE})


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
    records = _sum(counts.ravel() if unmatched == "zero" else counts[:, matched].ravel())
    whole, unit = _in_integers(counts[:, matched])

    found: dict[str, Any] = {"least": np.nan, "greatest": np.nan}
    for name, sign in (("least", 1), ("greatest", -1)):
        table, prices = least_transport(sign * whole, m_j[matched], t_i)
        if records:
            found[name] = float(_correct(whole, table, m_j[matched]) * unit / records)
        target, key = np.nonzero(table)
        tables = held_as(original, [target, matched[key]], table[target, key])
        found[f"{name}_table"] = (("target", "key"), tables)
        found[f"{name}_prices"] = ("target", np.array([sign * price * unit for price in prices], object))
    coords = xr.Coordinates()
    for dim, axis in axes_of(arrays, joined).items():
        coords = coords if axis is None else coords.merge(coords_of(dim, axis)).coords
    return Result(found, coords=coords, attrs={"result": TITLE})


def _check_margins(arrays: dict[str, xr.DataArray]) -> None:
    for name, array in arrays.items():
        others = [str(dim) for dim in array.dims if dim not in ("target", "key")]
        if others:
            raise ValueError(f"`{name}` has dims {', '.join(map(repr, others))} besides, and `target_totals` is given. Choose one table.")
    margins = {name: arrays[name].values for name in ("key_totals", "target_totals")}
    for name, totals in margins.items():
        if totals.dtype.kind != "i":
            raise ValueError(
                f"`{name}` must hold integers, numbers of synthetic records; got fractions. Count the records without weights."
            )
    by_key, by_target = (int(totals.sum()) for totals in margins.values())
    if by_key != by_target:
        raise ValueError(
            f"`key_totals` and `target_totals` must have the same sum, the number of synthetic records; got {by_key} and {by_target}. "
            f'Give both margins of one table, such as s.sum("target") and s.sum("key").'
        )


def _in_integers(counts: Array) -> tuple[Array, Fraction]:
    """Counts as integers, and what one of them stands for: a record, or the power of two of which all weights are multiples."""
    if counts.dtype.kind == "i":
        return counts, Fraction(1)
    exact = [Fraction(x) for x in counts.ravel().tolist()]
    parts = max((x.denominator for x in exact), default=1)
    return np.array([int(x * parts) for x in exact], object).reshape(counts.shape), Fraction(1, parts)


def _sum(values: Array) -> Fraction:
    return sum(map(Fraction, values[values > 0].tolist()), Fraction(0)) if values.dtype.kind == "f" else Fraction(int(values.sum()))


def _correct(o: Array, s: Counts, m_j: Counts) -> Fraction:
    """Expected number of correct attributions, sum_ij o_ij s_ij / m_j."""
    target, key = np.nonzero(s)
    by_total: dict[int, int] = {}
    for count, records, total in zip(o[target, key].tolist(), s[target, key].tolist(), m_j[key].tolist(), strict=True):
        by_total[total] = by_total.get(total, 0) + count * records
    return _added([Fraction(correct, total) for total, correct in by_total.items()])


def _added(parts: Sequence[Fraction]) -> Fraction:
    """Their sum, halves first, so that few additions have large denominators."""
    if len(parts) <= 1:
        return parts[0] if parts else Fraction(0)
    return _added(parts[: math.ceil(len(parts) / 2)]) + _added(parts[math.ceil(len(parts) / 2) :])
