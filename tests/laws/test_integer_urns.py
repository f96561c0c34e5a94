"""Four models of records placed in cells as one urn, and the law of a part of the records before their sum is known."""

from fractions import Fraction

import numpy as np
import pytest
from every_release import compositions, multinomial, urn
from hypothesis import given
from hypothesis import strategies as st
from strategies import theorem

from capstats.laws.integer_urns import IntegerUrn, of_total
from capstats.laws.models import Synthesis

ORIGINAL = np.array([[2, 1], [1, 0]])


def test_each_model_is_an_urn():
    assert IntegerUrn.of(ORIGINAL, Synthesis.of("uniform", m=3)).weights.tolist() == [[1, 1], [1, 1]]
    assert IntegerUrn.of(ORIGINAL, Synthesis.of("bootstrap", m=3)).weights.tolist() == [[2, 1], [1, 0]]
    assert IntegerUrn.of(ORIGINAL, Synthesis.of("independent", m=3)).weights.tolist() == [[9, 3], [3, 1]]  # (3, 1) times (3, 1)
    dirichlet = IntegerUrn.of(ORIGINAL, Synthesis.of("dirichlet", m=3, alpha=0.25))
    assert dirichlet.weights.tolist() == [[9, 5], [5, 1]]
    assert [IntegerUrn.of(ORIGINAL, Synthesis.of(model, m=3)).grows for model in ("uniform", "bootstrap", "independent")] == [1, 0, 0]
    assert dirichlet.grows == 4


@pytest.mark.parametrize(("weights", "grows", "law"), [([3, 0, 2], 0, multinomial), ([1, 1, 1], 1, urn), ([9, 5, 1], 4, urn)])
def test_ways_are_proportional_to_the_probabilities_of_columns(weights, grows, law):
    way = IntegerUrn(np.array(weights, dtype=object)[:, None], grows).ways(4)
    shares = [Fraction(weight, grows or sum(weights)) for weight in weights]
    every = list(compositions(4, 3))
    total = sum(way(column, 0) for column in every)
    assert [Fraction(way(column, 0), total) for column in every] == [law(column, shares) for column in every]


@theorem
@given(st.integers(0, 30), st.integers(0, 8), st.integers(1, 40), st.integers(1, 12))
def test_given_their_sum_two_parts_are_draws_from_the_urn(weight, grows, other, m):
    """The conditional law of the first part is binomial, or beta-binomial, in fractions."""
    parts = [of_total(x, grows, weight + other, m) for x in (weight, other)]
    joint = parts[0] * parts[1][::-1]
    shares = [Fraction(x, grows or weight + other) for x in (weight, other)]
    law = urn if grows else multinomial
    expected = [float(law((r, m - r), shares)) for r in range(m + 1)]
    assert joint / joint.sum() == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_the_law_of_a_part_is_finite_for_many_records():
    for weight, grows in ((1, 0), (10**6, 0), (10**6, 1), (1, 10**6)):
        law = of_total(weight, grows, 2 * 10**6, 10**5)
        assert np.isfinite(law).all()
        assert law.sum() == pytest.approx(1, rel=1e-9)
