"""A law that is held by its values: exact sums, answers rounded outwards."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import theorem

from capstats.laws.atoms import Atoms, enclosed

WEIGHTS = {0: 1, 1: 3, 3: 2}  # values 0, 1/4 and 3/4 with probabilities 1/6, 1/2 and 1/3


def test_each_value_has_its_share_of_the_weights():
    law = Atoms(WEIGHTS, 4)
    assert law.probabilities == {Fraction(0): Fraction(1, 6), Fraction(1, 4): Fraction(1, 2), Fraction(3, 4): Fraction(1, 3)}
    assert law.atoms().probability.sel(value=0.25).item() == 0.5
    assert (law.least, law.greatest) == (0.0, 0.75)


def test_the_distribution_function_jumps_at_the_values_and_ties_count():
    found = Atoms(WEIGHTS, 4).cdf([-0.1, 0, 0.2, 0.25 * (1 - 1e-13), 0.25 * (1 - 1e-11), 0.74, 0.75, 2])
    expected = np.array([0, 1 / 6, 1 / 6, 2 / 3, 1 / 6, 2 / 3, 1, 1])
    assert found.lower.values == pytest.approx(expected, abs=1e-15)
    assert found.upper.values == pytest.approx(expected, abs=1e-15)
    assert (found.lower <= found.upper).all()


def test_quantiles_are_values_of_the_law():
    found = Atoms(WEIGHTS, 4).quantile([0, 0.1, 0.5, 0.66, 0.67, 1])
    for side in (found.lower, found.upper):
        assert side.values == pytest.approx([0, 0, 0.25, 0.25, 0.75, 0.75], abs=1e-11)


def test_values_without_weight_are_none():
    law = Atoms({5: 0, 1: 2, 0: 0}, 10)
    assert law.probabilities == {Fraction(1, 10): 1}


def test_a_law_of_values_has_no_density():
    with pytest.raises(ValueError, match="This law has no density: it has atoms"):
        Atoms(WEIGHTS, 4).density(0.25)


@theorem
@given(st.integers(0, 10**30), st.integers(1, 10**30))
def test_the_nearest_floats_enclose_a_quotient(part, whole):
    low, high = enclosed(part, whole)
    assert Fraction(low) <= Fraction(part, whole) <= Fraction(high)
    assert high <= np.nextafter(low, np.inf)
    assert (low == high) == (Fraction(low) == Fraction(part, whole))
