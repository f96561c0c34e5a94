"""When two numbers are equal: the one rule for ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

TIE = 1e-12  # two numbers closer than this, relative to the larger, are equal


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
    ValueError, TypeError
        If `rtol` is negative or NaN, or an array is sparse.

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
    for name, given in (("value", value), ("reference", reference)):
        if hasattr(given, "todense") or hasattr(getattr(given, "data", None), "todense"):
            raise TypeError(
                f"`{name}` is backed by sparse.COO; at_most compares dense numbers. Give those that it stores, x.data.data of an array x."
            )
    if isinstance(value, xr.DataArray) or isinstance(reference, xr.DataArray):
        return xr.apply_ufunc(lambda a, b: at_most(a, b, rtol=rtol), value, reference, join="exact")
    value, reference = np.asarray(value, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    finite = np.isfinite(value) & np.isfinite(reference)
    gap = np.abs(np.where(finite, value, 0) - np.where(finite, reference, 0))
    return (value <= reference) | (finite & (gap <= rtol * np.maximum(np.abs(value), np.abs(reference))))
