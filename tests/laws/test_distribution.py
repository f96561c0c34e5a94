"""Which law `cap_law` gives, and what it refuses."""

import pytest

from capstats.laws.distribution import cap_law


def test_one_table_with_a_record_has_a_law():
    with pytest.raises(ValueError, match=r"`o` must be one table of \(target, key\); .* Choose one table."):
        cap_law([[[1, 2]], [[3, 4]]])
    with pytest.raises(ValueError, match="`o` holds no record"):
        cap_law([[0], [0]])
    with pytest.raises(ValueError, match='`alpha` does not belong to the model "uniform"'):
        cap_law([[3], [1]], alpha=1)
