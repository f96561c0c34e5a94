"""The few sums that every formula is made of, on arrays of shape (..., target, key)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64] | NDArray[np.float64]
Floats = NDArray[np.float64]

TIE = 1e-12  # two numbers closer than this, relative to the larger, are equal


def key_total(x: Array) -> Array:
    """Records of each key, x_.j: shape (..., key)."""
    return np.add.reduce(x, axis=-2)


def target_total(x: Array) -> Array:
    """Records of each target, x_i.: shape (..., target)."""
    return np.add.reduce(x, axis=-1)


def total(x: Array) -> Array:
    """All records of a table: shape (...)."""
    return np.add.reduce(x, axis=(-2, -1))


def shared(o: Array, s: Array, s_j: Array) -> Array:
    """sum_i o_ij s_ij for each key, exact for integers: shape (..., key)."""
    greatest = float(o.max())
    if greatest > 2**9 and greatest * float(s_j.max()) > 2**62:  # counts are at most 2**53
        o = o.astype(np.float64)  # the integer sum could overflow
    if o.size == o.shape[-2] * o.shape[-1]:
        return np.einsum("ij,...ij->...j", o.reshape(o.shape[-2:]), s)  # twice as fast as with a stretched axis
    return np.einsum("...ij,...ij->...j", o, s)


def ratio(part: Array, whole: Array, empty: float) -> Floats:
    """part / whole, and ``empty`` where whole is 0."""
    if np.logical_and.reduce(whole, axis=None):
        return np.asarray(part / whole)
    zero = whole == 0
    found = np.asarray(part / (whole + zero))
    found[np.broadcast_to(zero, found.shape)] = empty
    return found


def attribution(s: Array, empty: float) -> Floats:
    """q_ij = s_ij / s_.j, and ``empty`` for every target of an empty key: shape (..., target, key)."""
    return ratio(s, key_total(s)[..., None, :], empty)


def is_tie(value: Floats, reference: Floats, rtol: float = TIE) -> NDArray[np.bool_]:
    """Whether two numbers differ by no more than rounding can explain."""
    with np.errstate(invalid="ignore"):
        close = np.abs(value - reference) <= rtol * np.maximum(np.abs(value), np.abs(reference))
    return close | (value == reference)


def mode(s: Array) -> NDArray[np.bool_]:
    """The cells of each matched key that hold its greatest count, ties included: shape (..., target, key)."""
    greatest = s.max(axis=-2, keepdims=True)
    return (s == greatest) & (greatest > 0)
