"""The law of average CAP over releases of finitely many records."""

import pytest

from capstats.laws.distribution import cap_law


def test_a_finite_number_of_records_is_never_replaced_by_the_limit():
    with pytest.raises(ValueError, match='The law of the model "uniform" is known in the limit of many records only'):
        cap_law([[3], [1]], 4)
