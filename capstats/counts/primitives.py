"""The few sums that every formula is made of, on arrays of shape (..., target, key)."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

Array = NDArray[Any]  # int64, or float64 where weights are fractional
Floats = NDArray[np.float64]

TIE = 1e-12  # two numbers closer than this, relative to the larger, are equal


def key_total(x: Array) -> Array:
    """Records of each key, x_.j: shape (..., key)."""
    return np.asarray(np.add.reduce(x, axis=-2))


def target_total(x: Array) -> Array:
    """Records of each target, x_i.: shape (..., target)."""
    return np.asarray(np.add.reduce(x, axis=-1))


def total(x: Array) -> Array:
    """All records of a table: shape (...)."""
    return np.asarray(np.add.reduce(x, axis=(-2, -1)))


def shared(o: Array, s: Array, s_j: Array) -> Array:
    """sum_i o_ij s_ij for each key, exact for integers: shape (..., key)."""
    greatest = float(o.max())
    if greatest > 2**9 and greatest * float(s_j.max()) > 2**62:  # counts are at most 2**53
        o = o.astype(np.float64)  # the integer sum could overflow
    if o.size == o.shape[-2] * o.shape[-1]:
        return np.asarray(np.einsum("ij,...ij->...j", o.reshape(o.shape[-2:]), s))  # twice as fast as with a stretched axis
    return np.asarray(np.einsum("...ij,...ij->...j", o, s))


def ratio(part: Array, whole: Array, empty: float) -> Floats:
    """Part / whole, and ``empty`` where whole is 0."""
    if np.logical_and.reduce(whole, axis=None):
        return np.asarray(part / whole)
    zero = whole == 0
    found = np.asarray(part / (whole + zero))
    found[np.broadcast_to(zero, found.shape)] = empty
    return found


def attribution(s: Array, empty: float) -> Floats:
    """q_ij = s_ij / s_.j, and ``empty`` for every target of an empty key: shape (..., target, key)."""
    return ratio(s, key_total(s)[..., None, :], empty)


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


def mode(s: Array) -> NDArray[np.bool_]:
    """The cells of each matched key that hold its greatest count, ties included: shape (..., target, key)."""
    greatest = s.max(axis=-2, keepdims=True)
    return np.asarray((s == greatest) & (greatest > 0))
