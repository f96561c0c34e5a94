"""What the public moments do for every model: who computes them, labels and batches, and what they refuse."""

import pytest
import xarray as xr
from every_release import made

from capstats.laws import Uniform, expected_cap, variance_cap

ORIGINAL = [[2, 1], [0, 1]]


def test_options_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"`Uniform\(\)` is the limit of large releases, which only `cap_law` accepts"):
        expected_cap(ORIGINAL, Uniform())
    with pytest.raises(ValueError, match='`unmatched` must be "zero"'):
        variance_cap(ORIGINAL, Uniform(3), unmatched="nearest")


def test_a_table_in_the_place_of_an_option_is_not_printed():
    o = xr.DataArray([[3, 1]], {"target": ["secret"]}, ("target", "key"))
    for told in ({"m": o, "model": "bootstrap"}, {"model": "partial", "alpha": o}, {"model": "swap", "records": o}):
        with pytest.raises(ValueError, match=r"got DataArray of length") as error:
            expected_cap(o, made(**told))
        assert "secret" not in str(error.value)
