"""The exact law of a sum over keys is that of every release, listed one by one."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from every_release import every_release
from small_laws import CASES

from capstats.laws.few import Steps, TooManyError, few_tables, summed, within
from capstats.laws.finite import whole_tables
from capstats.laws.models import Synthesis


def digits(column, j):
    """A value that tells all columns of all keys apart: their counts as digits."""
    return sum(count * 16 ** (len(column) * j + i) for i, count in enumerate(column))


@pytest.mark.parametrize("case", range(len(CASES)))
def test_every_table_has_its_weight(case):
    o, model, told = CASES[case]
    counts, s = whole_tables(o, Synthesis.of(model, **told))
    found = few_tables(counts, Synthesis.of(model, **told), digits, s)
    exact = {name: Fraction(value) if isinstance(value, float) else value for name, value in told.items()}
    expected = defaultdict(Fraction)
    for table, probability in every_release(o, exact.pop("m", None), model=model, **exact).items():
        expected[sum(digits(column, j) for j, column in enumerate(zip(*table, strict=True)))] += probability
    total = sum(found.values())
    assert {value: Fraction(weight, total) for value, weight in found.items() if weight} == dict(expected)


def test_an_enumeration_ends_where_it_is_too_long():
    with pytest.raises(TooManyError):
        few_tables(np.full((3, 3), 100), Synthesis.of("uniform", m=900), digits)
    with pytest.raises(TooManyError):
        summed(dict.fromkeys(range(100), 1), dict.fromkeys(range(100), 1), Steps(9_999))


def test_records_are_taken_from_cells_that_hold_them():
    assert sorted(within((2, 0, 1), 2)) == [(1, 0, 1), (2, 0, 0)]
    assert list(within((1, 1), 3)) == []


def test_weights_of_very_many_records_are_not_computed():
    million = np.array([[1_000_000, 2_000_000], [3_000_000, 1_000_007]])
    with pytest.raises(TooManyError):
        few_tables(million, Synthesis.of("permutation", s=million), digits, million)
    with pytest.raises(TooManyError):
        few_tables(million[:1], Synthesis.of("uniform", m=100_000), digits)
    with pytest.raises(TooManyError):
        few_tables(million[:1], Synthesis.of("swap", swapped=500_000), lambda column, j: 0)
