"""The few sums and extremes that every formula is made of, once for dense and once for sparse tables.

A dense table is an array of shape (..., target, key); a sparse one is `Cells`. Formulas are written in these functions alone, so
that they give the same numbers on both: of a result with a value for each cell, in the cells that hold a record of any table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

Array = NDArray[Any]  # int64, or float64 where weights are fractional
Floats = NDArray[np.float64]

EXACT = 2**53  # integers below are exact in float64
TIE = 1e-12  # two numbers closer than this, relative to the larger, are equal


@dataclass(frozen=True)
class Cells:
    """One table of which few cells are filled: those that any of the tables at hand fills, by target, then key; 0 elsewhere."""

    values: Array
    target: NDArray[np.int64]
    key: NDArray[np.int64]
    shape: tuple[int, int]
    fill: float = 0  # what a result says of the cells that are not stored


Table = Array | Cells


def cells(x: Table) -> Array:
    """The values of a table: shape (..., target, key), or (cells,) where it is sparse."""
    return x.values if isinstance(x, Cells) else x


def check_integers(x: Table, name: str, why: str, remedy: str) -> None:
    """Raise where a table holds fractional counts, which are no numbers of records."""
    if cells(x).dtype.kind != "i":
        raise ValueError(f"`{name}` must hold integers{why}; got fractional counts. {remedy}")


def on_cells(x: Table, by_key: Array) -> Array:
    """A value of each key, (..., key), or one for all of them, (..., 1), in a shape that broadcasts against ``cells(x)``."""
    if not isinstance(x, Cells):
        return by_key[..., None, :]
    return by_key if len(by_key) == 1 else by_key[x.key]


def on_targets(x: Table, by_target: Array) -> Array:
    """A value of each target, (..., target), in a shape that broadcasts against ``cells(x)``."""
    return by_target[x.target] if isinstance(x, Cells) else by_target[..., :, None]


def like(x: Table, values: Array, fill: float = 0) -> Table:
    """Values in the places of ``cells(x)``, as a table; where it is sparse, ``fill`` in the cells that are not stored."""
    return replace(x, values=values, fill=fill) if isinstance(x, Cells) else values


def side_by_side(x: Table) -> Array:
    """The values of a table in one row: shape (..., cells)."""
    return x.values if isinstance(x, Cells) else x.reshape(*x.shape[:-2], -1)


def _by_key(x: Cells, reduce: np.ufunc, start: float) -> Array:
    """A reduction over the stored targets of each key."""
    found = np.full(x.shape[1], start, x.values.dtype)
    reduce.at(found, x.key, x.values)
    return found


def key_total(x: Table) -> Array:
    """Records of each key, x_.j: shape (..., key)."""
    if isinstance(x, Cells):
        return _by_key(x, np.add, 0)
    return np.asarray(np.add.reduce(x, axis=-2))


def target_total(x: Table) -> Array:
    """Records of each target, x_i.: shape (..., target)."""
    if isinstance(x, Cells):
        return np.bincount(x.target, x.values, x.shape[0]).astype(x.values.dtype)
    return np.asarray(np.add.reduce(x, axis=-1))


def total(x: Table) -> Array:
    """All records of a table: shape (...)."""
    if isinstance(x, Cells):
        return np.asarray(x.values.sum())
    return np.asarray(np.add.reduce(x, axis=(-2, -1)))


def key_greatest(x: Table) -> Array:
    """The greatest cell of each key, max_i x_ij: shape (..., key)."""
    if isinstance(x, Cells):
        return _by_key(x, np.maximum, 0)
    return np.asarray(np.maximum.reduce(x, axis=-2))


def key_least(x: Table) -> Array:
    """The least cell of each key, min_i x_ij: shape (..., key)."""
    if isinstance(x, Cells):
        full = np.bincount(x.key, minlength=x.shape[1]) == x.shape[0]  # elsewhere a cell that is not stored holds 0
        return np.where(full, _by_key(x, np.minimum, EXACT), 0).astype(x.values.dtype)
    return np.asarray(np.minimum.reduce(x, axis=-2))


def beyond_largest(x: Table, count: int) -> Array:
    """Records of each key that are not in its ``count`` largest cells: shape (..., key)."""
    if not isinstance(x, Cells):
        return np.asarray(np.sort(x, axis=-2)[..., : max(x.shape[-2] - count, 0), :].sum(-2))
    order = np.lexsort((-x.values, x.key))
    key = x.key[order]
    rank = np.arange(len(key)) - np.searchsorted(key, key)
    return key_total(like(x, np.where(rank >= count, x.values[order], 0)[np.argsort(order)]))


def rank_distance(x: Table) -> Floats:
    """sum_i |R_ij - P_i| of each key, R_ij and P_i the shares of targets 1 to i in the key and in the table: shape (..., key)."""
    margin = ratio(np.cumsum(target_total(x), axis=-1), total(x)[..., None], 0.0)
    if not isinstance(x, Cells):
        return np.asarray(np.abs(ratio(np.cumsum(x, axis=-2), key_total(x)[..., None, :], 0.0) - margin[..., None]).sum(-2))
    order = np.lexsort((x.target, x.key))
    key, first = x.key[order], x.target[order]  # R_ij stays what it is from a stored target up to the next one
    through = np.cumsum(x.values[order])
    before = np.concatenate([[0], through])[np.searchsorted(key, key)]
    share = ratio(through - before, key_total(x)[key], 0.0)
    last = np.append(first[1:], 0)
    last[np.append(key[1:] != key[:-1], True)] = x.shape[0]
    crossing = np.clip(np.searchsorted(margin, share), first, last)  # from here on P_i is not below it
    sums = np.concatenate([[0], np.cumsum(margin)])
    gaps = share * (2 * crossing - first - last) + sums[first] + sums[last] - 2 * sums[crossing]
    start = np.bincount(key, gaps, x.shape[1])
    lowest = np.full(x.shape[1], x.shape[0])
    np.minimum.at(lowest, key, first)
    return np.asarray(start + sums[lowest])


def shared(o: Table, s: Table, s_j: Array) -> Array:
    """sum_i o_ij s_ij for each key, exact for integers: shape (..., key)."""
    left, right = cells(o), cells(s)
    greatest = float(left.max(initial=0))
    if greatest > 2**9 and greatest * float(s_j.max()) > 2**62:  # totals are below 2**53
        left = left.astype(np.float64)  # the integer sum could overflow
    if isinstance(s, Cells):
        return key_total(like(s, left * right))
    if left.size == left.shape[-2] * left.shape[-1]:
        return np.asarray(np.einsum("ij,...ij->...j", left.reshape(left.shape[-2:]), right))  # twice as fast as with a stretched axis
    return np.asarray(np.einsum("...ij,...ij->...j", left, right))


def shared_across(o: Table, s: Table, s_j: Array, left: Array, right: Array) -> Array:
    """sum_i o_ij s_ik for each pair of keys (j, k) in ``left`` and ``right``: shape (..., pairs)."""
    if not isinstance(o, Cells) or not isinstance(s, Cells):
        return shared(cells(o)[..., left], cells(s)[..., right], s_j[..., right])
    return np.asarray(_scipy(o)[:, left].multiply(_scipy(s)[:, right]).sum(0)).ravel()


def across_targets(x: Table, y: Table) -> Floats:
    """sum_j x_aj y_bj for all pairs of targets: shape (..., a, b)."""
    if not isinstance(x, Cells) or not isinstance(y, Cells):
        return np.asarray(np.matmul(cells(x), np.swapaxes(cells(y), -1, -2)))
    return np.asarray((_scipy(x) @ _scipy(y).T).toarray())


def _scipy(x: Cells) -> Any:
    """A table as a matrix of floats of ``scipy.sparse``, which multiplies filled cells only."""
    from scipy.sparse import csc_array

    return csc_array((x.values.astype(np.float64), (x.target, x.key)), shape=x.shape)


def ratio(part: Array, whole: Array, empty: float) -> Floats:
    """Part / whole, and ``empty`` where whole is 0."""
    if np.logical_and.reduce(whole, axis=None):
        return np.asarray(part / whole)
    zero = whole == 0
    found = np.asarray(part / (whole + zero))
    found[np.broadcast_to(zero, found.shape)] = empty
    return found


def attribution(s: Table, s_j: Array, empty: float) -> Table:
    """q_ij = s_ij / s_.j, and ``empty`` for every target of an empty key."""
    return like(s, ratio(cells(s), on_cells(s, s_j), empty))


def mode(s: Table) -> Table:
    """1 in the cells of each matched key that hold its greatest count, ties included, and 0 elsewhere."""
    return like(s, (reaches(cells(s), on_cells(s, key_greatest(s))) & (cells(s) > 0)).astype(np.int64))


def certain(s: Table) -> Table:
    """1 in the only filled cell of each pure key, whose records all have the same target, and 0 elsewhere."""
    return like(s, ((cells(s) == on_cells(s, key_total(s))) & (cells(s) > 0)).astype(np.int64))


def in_least_cell(x: Table, key: Array, m: int) -> Table:
    """A table of m records, all of them in the first least cell of the given key: (...)."""
    if isinstance(x, Cells):
        column = np.zeros(x.shape[0], x.values.dtype)
        column[x.target[x.key == key]] = x.values[x.key == key]
        return Cells(np.array([m]), np.array([column.argmin()]), np.array([key]), x.shape)
    columns = np.take_along_axis(x, key[..., None, None], axis=-1)
    found = np.zeros(x.shape, np.int64)
    chosen = np.zeros(columns.shape, np.int64)
    np.put_along_axis(chosen, columns.argmin(axis=-2, keepdims=True), m, axis=-2)
    np.put_along_axis(found, np.broadcast_to(key[..., None, None], columns.shape), chosen, axis=-1)
    return found


def at_most(value: Any, reference: Any, *, rtol: float = TIE, scale: Any = 0.0) -> Any:
    """Whether value <= reference, where a difference that rounding explains is a tie, and a tie counts.

    Two ways to the same number can differ in the last bit; which synthetic tables are "no riskier" must not depend on it.

    Parameters
    ----------
    value, reference : float, array or DataArray
        Numbers to compare; they broadcast.
    rtol : float
        Largest difference, relative to the larger magnitude, that is a tie.
    scale : float or array
        Magnitude of the numbers of which `value` and `reference` are differences. Rounding errors are relative to it, so that it counts
        as a magnitude where it is the larger one.

    Returns
    -------
    bool, array or DataArray of bool
        False wherever either is NaN.

    Raises
    ------
    ValueError, TypeError
        If `rtol` is negative or NaN, `scale` is negative, or an array is sparse.

    Notes
    -----
    See theory/distribution.md.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4 compares CAP(S) with CAP(O).

    Examples
    --------
    >>> bool(0.1 + 0.2 <= 0.3), bool(at_most(0.1 + 0.2, 0.3))
    (False, True)

    A difference of 0.3 and 0.3 may be 5.6e-17; that is a tie with 0 beside 0.3:

    >>> bool(at_most(0.1 + 0.2 - 0.3, 0)), bool(at_most(0.1 + 0.2 - 0.3, 0, scale=0.3))
    (False, True)
    """
    if not rtol >= 0:
        raise ValueError(f"`rtol` must be 0 or more; got {rtol!r}.")
    if np.any(np.asarray(scale) < 0):
        raise ValueError(f"`scale` must be 0 or more; got {scale!r}.")
    for name, given in (("value", value), ("reference", reference)):
        if hasattr(given, "todense") or hasattr(getattr(given, "data", None), "todense"):
            raise TypeError(
                f"`{name}` is backed by sparse.COO; at_most compares dense numbers. Give those that it stores, x.data.data of an array x."
            )
    if isinstance(value, xr.DataArray) or isinstance(reference, xr.DataArray):
        return xr.apply_ufunc(lambda a, b: at_most(a, b, rtol=rtol, scale=scale), value, reference, join="exact")
    value, reference = np.asarray(value, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    finite = np.isfinite(value) & np.isfinite(reference)
    gap = np.abs(np.where(finite, value, 0) - np.where(finite, reference, 0))
    largest = np.maximum(np.maximum(np.abs(value), np.abs(reference)), scale)
    return (value <= reference) | (finite & (gap <= rtol * largest))


def reaches(values: Array, greatest: Array) -> Array:
    """Where values are the greatest one: integers exactly, other numbers also where rounding sets them apart."""
    return np.asarray(values == greatest if values.dtype.kind == "i" else at_most(greatest, values))


def ranks(values: Floats, scale: float = 0.0) -> Floats:
    """Ranks along the first axis: 1 is the greatest value, ties by `at_most` share the smaller rank, NaN has none."""
    order = np.argsort(-values, axis=0, kind="stable")  # NaN comes last
    sorted_values = np.take_along_axis(values, order, axis=0)
    below = np.ones(values.shape, bool)
    below[1:] = ~at_most(sorted_values[:-1], sorted_values[1:], scale=scale)
    places = np.arange(1, len(values) + 1).reshape(-1, *(1,) * (values.ndim - 1))
    found = np.empty(values.shape)
    np.put_along_axis(found, order, np.maximum.accumulate(np.where(below, places, 1), axis=0).astype(np.float64), axis=0)
    found[np.isnan(values)] = np.nan
    return found
