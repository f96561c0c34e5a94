"""The few sums and extremes that every formula is made of, once for dense and once for sparse tables.

A dense table is an array of shape (..., target, key); a sparse one is `Cells`. Formulas are written in these functions alone, so
that they give the same numbers on both.
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
    fill: int = 0  # what a result says of the cells that are not stored


Table = Array | Cells


def cells(x: Table) -> Array:
    """The values of a table: shape (..., target, key), or (cells,) where it is sparse."""
    return x.values if isinstance(x, Cells) else x


def on_cells(x: Table, by_key: Array) -> Array:
    """A value of each key, (..., key), or one for all of them, (..., 1), in a shape that broadcasts against ``cells(x)``."""
    if not isinstance(x, Cells):
        return by_key[..., None, :]
    return by_key if len(by_key) == 1 else by_key[x.key]


def like(x: Table, values: Array, fill: int = 0) -> Table:
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
    return like(s, ((cells(s) == on_cells(s, key_greatest(s))) & (cells(s) > 0)).astype(np.int64))


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


def at_most(value: Any, reference: Any, *, rtol: float = TIE) -> Any:
    """Whether value <= reference, where a difference that rounding explains is a tie, and a tie counts.

    Two ways to the same number can differ in the last bit; which synthetic tables are "no riskier" must not depend on it.

    Parameters
    ----------
    value, reference : float, array or DataArray
        Numbers to compare; they broadcast.
    rtol : float
        Largest difference, relative to the larger magnitude, that is a tie.

    Returns
    -------
    bool, array or DataArray of bool
        False wherever either is NaN.

    Raises
    ------
    ValueError
        If `rtol` is negative or NaN.

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
    """
    if not rtol >= 0:
        raise ValueError(f"`rtol` must be 0 or more; got {rtol!r}.")
    if isinstance(value, xr.DataArray) or isinstance(reference, xr.DataArray):
        return xr.apply_ufunc(lambda a, b: at_most(a, b, rtol=rtol), value, reference, join="exact")
    value, reference = np.asarray(value, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    finite = np.isfinite(value) & np.isfinite(reference)
    gap = np.abs(np.where(finite, value, 0) - np.where(finite, reference, 0))
    return (value <= reference) | (finite & (gap <= rtol * np.maximum(np.abs(value), np.abs(reference))))
