"""What the public moments refuse, whatever the model."""

import pytest
import xarray as xr
from every_release import made

from capstats.laws import expected_cap


def test_a_table_in_the_place_of_an_option_is_not_printed():
    o = xr.DataArray([[3, 1]], {"target": ["secret"]}, ("target", "key"))
    for told in ({"m": o, "model": "bootstrap"}, {"model": "partial", "alpha": o}, {"model": "swap", "records": o}):
        with pytest.raises(ValueError, match=r"got DataArray of length") as error:
            expected_cap(o, made(**told))
        assert "secret" not in str(error.value)
