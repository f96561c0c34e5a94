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


def test_without_a_number_of_records_the_law_is_the_limit():
    law = cap_law([[3], [1]])
    assert "limit of many records" in repr(law)
    assert law.cdf(0.375).lower == 0.25


def test_models_that_keep_the_keys_have_no_limit():
    with pytest.raises(ValueError, match='`m` does not belong to the model "partial"'):
        cap_law([[3], [1]], 5, model="partial", alpha=1)
