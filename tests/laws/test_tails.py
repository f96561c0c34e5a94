"""Sums over tables with given margins: all of them against a list of permutations, random ones against all."""

import math
import tracemalloc
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import xarray as xr
from capstats.laws.tails import by_moments, check_options, clopper_pearson, costs_of, seed_of, tail
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats.laws import membership_test, tails

ASKED = {"alternative": "greater", "draws": None, "seed": 1, "level": 0.95}


def by_permutation(rows, columns, costs, observed, alternative):
    """The share of all permutations of the records' columns whose sum is at least as extreme, in fractions."""
    row = [i for i, count in enumerate(rows) for _ in range(count)]
    column = [j for j, count in enumerate(columns) for _ in range(count)]
    sums = [sum((Fraction(costs[i][j]) for i, j in zip(row, dealt, strict=True)), Fraction(0)) for dealt in permutations(column)]
    mean = sum(sums) / len(sums)
    beyond = {
        "greater": lambda x: x >= observed,
        "less": lambda x: x <= observed,
        "two-sided": lambda x: abs(x - mean) >= abs(observed - mean),
    }[alternative]
    return Fraction(sum(map(beyond, sums)), len(sums))


@st.composite
def problems(draw):
    """At most six records in at most three rows and columns, some of them empty, with costs in sixths, and a sum near one that occurs."""
    n = draw(st.integers(1, 6))
    rows, columns = (np.bincount(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), minlength=3) for _ in range(2))
    costs = draw(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=3, max_size=3))
    return rows, columns, np.array(costs), draw(st.integers(0, 6 * n))


@examples(40)
@given(problems(), st.sampled_from(["greater", "less", "two-sided"]))
def test_all_tables_give_the_share_of_permutations(problem, alternative):
    rows, columns, costs, observed = problem
    expected = by_permutation(rows, columns, costs.tolist(), observed, alternative)
    found = tail(rows, columns, costs, observed, **{**ASKED, "alternative": alternative})
    assert found.exact
    assert found.p_value == found.lower == found.upper == pytest.approx(float(expected), rel=1e-12, abs=1e-15)
    in_sixths = tail(rows, columns, costs / 6, observed / 6, **{**ASKED, "alternative": alternative})
    assert in_sixths.p_value == pytest.approx(float(expected), rel=1e-12, abs=1e-15)  # ties of floats are ties


def test_equal_states_are_found_however_many_rows_there_are():
    """Forty columns of numbers below a thousand need more than 64 bits together."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 1000, (20, 40))[rng.integers(0, 20, 300)]
    first, state = tails._states(list(rows.T))
    assert len(first) == len(np.unique(rows, axis=0))
    assert (rows[first][state] == rows).all()


def test_a_table_of_two_rows_and_columns_is_a_hypergeometric_tail():
    """3 of 5 records drawn from 4 of the first kind in 9: P(X >= 3) = (4*C(5,2) + C(4,4)*5) / C(9,5) = 45/126."""
    found = tail(np.array([5, 4]), np.array([4, 5]), np.array([[1, 0], [0, 0]]), 3, **ASKED)
    assert found.p_value == pytest.approx(45 / 126, rel=1e-13)


def test_two_kinds_are_exact_however_many_records_there_are():
    found = tail(np.array([6_000, 4_000]), np.array([100, 9_900]), np.array([[1, 0], [0, 0]]), 70, **ASKED)
    ways = sum(math.comb(100, x) * math.comb(9_900, 6_000 - x) for x in range(70, 101))
    assert found.exact
    assert found.p_value == pytest.approx(float(Fraction(ways, math.comb(10_000, 6_000))), rel=1e-9)


def test_records_that_are_all_alike_take_no_memory():
    people = 10**6
    tracemalloc.start()
    found = membership_test([[people]], [[3]], h=[[people]])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.p_value.item(), bool(found.exact)) == (1, True)
    assert peak < 10 * people  # bytes: nothing is held for each of them


@pytest.mark.parametrize("rows", [[30, 50], [20, 25, 35]])
def test_random_tables_agree_with_all_tables(rows, monkeypatch):
    columns, costs = np.array([20, 29, 31]), np.array([[3, 1, 0], [0, 2, 1], [1, 0, 2]])[: len(rows)]
    observed = 95 if len(rows) == 3 else 80
    exact = tail(np.array(rows), columns, costs, observed, **{**ASKED, "draws": None})
    monkeypatch.setattr(tails, "BLOCK", 1000)  # in blocks, the last one a part
    found = tail(np.array(rows), columns, costs, observed, **{**ASKED, "draws": 5_000, "level": 0.9999})
    assert exact.exact
    assert not found.exact
    assert 0.01 < exact.p_value < 0.99
    assert found.lower <= exact.p_value <= found.upper


@pytest.mark.parametrize(("work", "draws"), [(tails.WORK, 9_999), (6 * 200, 200), (0, 99)])
def test_random_tables_are_as_many_as_their_cells_allow_from_99_to_9999(work, draws, monkeypatch):
    """A sum that no table reaches has the p-value 1 / (1 + draws)."""
    monkeypatch.setattr(tails, "WAYS", 0)  # too few for all tables
    monkeypatch.setattr(tails, "WORK", work)
    found = tail(np.array([6, 7]), np.array([4, 4, 5]), np.array([[2, 1, 0], [0, 0, 0]]), 100, **ASKED)
    assert not found.exact
    assert found.p_value == 1 / (1 + draws)


def test_the_interval_of_random_tables_holds_the_exact_value_as_often_as_it_says():
    """400 seeds at a level of .9: fewer than 335 hits have a probability below 1e-4."""
    rows, columns, costs = np.array([6, 7]), np.array([4, 4, 5]), np.array([[2, 1, 0], [0, 0, 0]])
    exact = tail(rows, columns, costs, 8, **ASKED)
    found = [tail(rows, columns, costs, 8, **{**ASKED, "draws": 60, "seed": seed, "level": 0.9}) for seed in range(400)]
    assert sum(one.lower <= exact.p_value <= one.upper for one in found) >= 335
    p = np.array([one.p_value for one in found])
    assert np.allclose(p * 61, np.round(p * 61))  # (1 + b) / (1 + draws)
    assert p.min() > 0


@pytest.mark.slow
@examples(40)
@given(problems(), st.sampled_from(["greater", "less", "two-sided"]))
def test_mean_and_deviation_bound_the_p_value(problem, alternative):
    """Cantelli's and Chebyshev's inequalities, against all permutations."""
    rows, columns, costs, observed = problem
    row, column = (np.repeat(np.arange(3), x) for x in (rows, columns))
    sums = np.array([costs[row, list(dealt)].sum() for dealt in permutations(column)])
    found = by_moments(xr.DataArray(observed - sums.mean()), xr.DataArray(sums.std()), alternative).item()
    assert found >= float(by_permutation(rows, columns, costs.tolist(), observed, alternative)) - 1e-9 or observed not in sums


def test_a_value_two_deviations_above_its_mean_has_a_probability_of_at_most_a_fifth():
    two, one = xr.DataArray(2.0), xr.DataArray(1.0)
    assert by_moments(two, one, "greater").item() == 1 / 5
    assert by_moments(two, one, "less").item() == 1
    assert by_moments(two, one, "two-sided").item() == 1 / 4
    assert by_moments(0 * two, 0 * one, "greater").item() == 1
    assert np.isnan(by_moments(np.nan * two, one, "greater").item())


def test_clopper_and_pearson_without_an_event_is_a_power():
    """No event in 10 draws: the upper end solves (1 - x)**10 = .025."""
    assert clopper_pearson(0, 10, 0.95) == (0, pytest.approx(1 - 0.025**0.1, rel=1e-12))
    assert clopper_pearson(10, 10, 0.95) == (pytest.approx(0.025**0.1, rel=1e-12), 1)


def test_costs_are_integers_over_a_common_denominator_where_that_is_small():
    found = costs_of(np.array([1, 2, 0]), np.array([2, 6, 7]), 10)
    assert found.dtype.kind == "i"
    assert found.tolist() == [3, 2, 0]  # sixths; a cost of 0 needs no denominator
    primes = np.array([9973, 9967, 9949, 9941])
    assert costs_of(np.ones(4, int), primes, 10).tolist() == (1 / primes).tolist()
    assert costs_of(np.array([0.5]), np.array([2]), 10).tolist() == [0.25]
    assert costs_of(np.array([10**9]), np.array([1]), 10**3).dtype.kind == "f"  # sums would be too large to tell ties


def test_a_seed_is_that_of_the_generator():
    assert seed_of(1) == seed_of(np.random.default_rng(1)) != seed_of(2)


def test_too_many_records_are_refused():
    with pytest.raises(ValueError, match=r"must be fewer than 10\*\*9; there are 3000000000"):
        tail(np.array([10**9, 2 * 10**9]), np.array([10**9, 10**9, 10**9]), np.array([[1, 2, 3], [0, 0, 0]]), 5, **ASKED)


@pytest.mark.parametrize("draws", [-1, 1.5, True, "many"])
def test_draws_are_a_number_from_0(draws):
    with pytest.raises(ValueError, match="`draws` must be a number of random permutations, an integer from 0"):
        check_options("greater", draws)


def test_an_unknown_alternative_is_refused():
    with pytest.raises(ValueError, match=r"`alternative` must be .* got 'larger'"):
        check_options("larger", None)
