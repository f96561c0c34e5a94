"""The exact law where releases are few: that of every release, listed one by one; exact sums, and answers rounded outwards."""

from fractions import Fraction

import numpy as np
import pytest
from every_release import compositions as every_composition
from every_release import law_of, made, multinomial, urn
from hypothesis import given
from hypothesis import strategies as st
from small_laws import CASES, LISTED
from strategies import theorem

from capstats.laws import Bootstrap, Dirichlet, Independent, Uniform
from capstats.laws.distribution.average import whole_tables
from capstats.laws.distribution.exact import (
    Atoms,
    Steps,
    TooManyError,
    column_weight,
    compositions,
    enclosed,
    integer_urn,
    repeated,
    weights_of_sum,
)

WEIGHTS = {0: 1, 1: 3, 3: 2}  # values 0, 1/4 and 3/4 with probabilities 1/6, 1/2 and 1/3
ORIGINAL = np.array([[2, 1], [1, 0]])


# --- a law held by its values -----------------------------------------------------------------------------------------


def test_each_value_has_its_share_of_the_weights():
    law = Atoms(WEIGHTS | {2: 0, 4: 0}, 4)  # those without weight are none
    assert law.probabilities == {Fraction(0): Fraction(1, 6), Fraction(1, 4): Fraction(1, 2), Fraction(3, 4): Fraction(1, 3)}
    assert law.atoms().probability.sel(value=0.25).item() == 0.5
    assert (law.least, law.greatest) == (0.0, 0.75)


def test_the_distribution_function_jumps_at_the_values_and_ties_count():
    found = Atoms(WEIGHTS, 4).cdf([-0.1, 0, 0.2, 0.25 * (1 - 1e-13), 0.25 * (1 - 1e-11), 0.74, 0.75, 2])
    expected = np.array([0, 1 / 6, 1 / 6, 2 / 3, 1 / 6, 2 / 3, 1, 1])
    assert found.least.values == pytest.approx(expected, abs=1e-15)
    assert found.greatest.values == pytest.approx(expected, abs=1e-15)


def test_quantiles_are_values_of_the_law():
    found = Atoms(WEIGHTS, 4).quantile([0, 0.1, 0.5, 0.66, 0.67, 1])
    for side in (found.least, found.greatest):
        assert side.values == pytest.approx([0, 0, 0.25, 0.25, 0.75, 0.75], abs=1e-11)
    jump = Atoms({0: 1, 1: 1, 2: 2}, 2).quantile([0.25, 0.5])  # the distribution function takes these values
    for side in (jump.least, jump.greatest):
        assert side.values == pytest.approx([0, 0.5], abs=1e-11)


@theorem
@given(st.integers(0, 10**30), st.integers(1, 10**30))
def test_the_nearest_floats_enclose_a_quotient(part, whole):
    low, high = enclosed(part, whole)
    assert Fraction(low) <= Fraction(part, whole) <= Fraction(high)
    assert high <= np.nextafter(low, np.inf)
    assert (low == high) == (Fraction(low) == Fraction(part, whole))


def test_draws_follow_the_weights():
    found = Atoms(WEIGHTS, 4)._draws(60_000, np.random.default_rng(1))
    values, times = np.unique(found, return_counts=True)
    assert values.tolist() == [0, 0.25, 0.75]
    assert times / 10_000 == pytest.approx([1, 3, 2], abs=0.06)  # more than four standard errors


# --- all releases -----------------------------------------------------------------------------------------------------


def digits(column, j):
    """A value that tells all columns of all keys apart: their counts as digits."""
    return sum(count * 16 ** (len(column) * j + i) for i, count in enumerate(column))


@pytest.mark.parametrize("case", LISTED)
def test_every_table_has_its_weight(case):
    o, name, told = CASES[case]
    model = made(name, **told)
    found = weights_of_sum(whole_tables(o, model), model, digits)
    total = sum(found.values())
    expected = law_of(lambda _, s: sum(digits(column, j) for j, column in enumerate(zip(*s, strict=True))), o, name, told)
    assert {value: Fraction(weight, total) for value, weight in found.items() if weight} == expected


def test_an_enumeration_ends_where_it_is_too_long():
    for o, m in ((np.full((3, 3), 100), 900), (np.array([[1_000_000, 2_000_000]]), 100_000)):
        with pytest.raises(TooManyError):
            weights_of_sum([o], Uniform(m), digits)
    with pytest.raises(TooManyError):
        repeated(dict.fromkeys(range(100), 1), 2, Steps(9_999))


def test_compositions_are_all_ways_to_a_total():
    for total, parts in ((0, 1), (3, 1), (0, 3), (4, 3)):
        assert sorted(map(tuple, compositions(total, parts).tolist())) == sorted(every_composition(total, parts))


# --- records drawn from an urn ----------------------------------------------------------------------------------------


def test_each_model_is_an_urn():
    models = Uniform(3), Bootstrap(3), Independent(3), Dirichlet(3, alpha=0.25)
    weights = [[[1, 1], [1, 1]], [[2, 1], [1, 0]], [[9, 3], [3, 1]], [[9, 5], [5, 1]]]  # (3, 1) times (3, 1); 4 (o_ij + 1/4)
    for model, expected, grows in zip(models, weights, (1, 0, 0, 4), strict=True):
        found = integer_urn(ORIGINAL, model=model)
        assert (found[0].tolist(), found[1]) == (expected, grows)


@pytest.mark.parametrize(("weights", "grows", "law"), [([3, 0, 2], 0, multinomial), ([1, 1, 1], 1, urn), ([9, 5, 1], 4, urn)])
def test_weights_are_proportional_to_the_probabilities_of_columns(weights, grows, law):
    weight = column_weight(np.array(weights, dtype=object), grows, 4)
    shares = [Fraction(x, grows or sum(weights)) for x in weights]
    every = list(map(tuple, compositions(4, 3).tolist()))
    total = sum(map(weight, every))
    assert [Fraction(weight(column), total) for column in every] == [law(column, shares) for column in every]
