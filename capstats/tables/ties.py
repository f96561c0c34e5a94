"""When two numbers are equal: the one rule for ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.checks import is_number, shown
from capstats.tables.table import Array, Floats

TIE = 1e-12  # two numbers closer than this, relative to the larger, are equal


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
    See theory/cap.md#distribution.

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
    if not (is_number(rtol) and rtol >= 0):
        raise ValueError(f"`rtol` must be 0 or more; got {shown(rtol)}.")
    if np.any(np.asarray(scale) < 0):
        raise ValueError(f"`scale` must be 0 or more; got {shown(scale)}.")
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
    """Where values equal the greatest one: integers exactly, other numbers up to rounding."""
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
