"""Two numbers that only rounding tells apart are equal."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from capstats import at_most


def test_a_difference_of_the_last_bits_is_a_tie_and_a_larger_one_is_not() -> None:
    assert at_most(0.1 + 0.2, 0.3)
    assert at_most(0.3, 0.1 + 0.2)
    assert not at_most(0.3 + 1e-9, 0.3)
    assert at_most(0.3, 0.3 + 1e-9)
    assert at_most(0.3 + 1e-9, 0.3, rtol=1e-8)


def test_nothing_is_at_most_nan_and_infinity_is_itself() -> None:
    values = np.array([np.nan, 1, np.inf, -np.inf])
    assert at_most(values, 1.0).tolist() == [False, True, False, True]
    assert at_most(1.0, values).tolist() == [False, True, True, False]
    assert at_most(np.inf, np.inf)


def test_arrays_with_labels_keep_them_and_must_have_the_same() -> None:
    a = xr.DataArray([1.0, 2], dims="x", coords={"x": ["p", "q"]})
    assert at_most(a, 1.0).identical(xr.DataArray([True, False], dims="x", coords={"x": ["p", "q"]}))
    with pytest.raises(ValueError, match="exact"):
        at_most(a, a.assign_coords(x=["p", "r"]))


@pytest.mark.parametrize("rtol", [-1e-12, np.nan])
def test_a_tolerance_below_0_is_refused(rtol: float) -> None:
    with pytest.raises(ValueError, match="`rtol` must be 0 or more; got"):
        at_most(1, 1, rtol=rtol)
