"""One rule for ties: what rounding sets apart is equal, at every magnitude, and what differs by more is not."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from capstats import at_most, correct_predictions
from capstats.tables.ties import TIE, ranks, reaches

MAGNITUDES = [1e-300, 1e-15, 1e-12, 1.0, 1e15, 1e300]
each_magnitude = pytest.mark.parametrize("magnitude", MAGNITUDES)


@each_magnitude
def test_a_tie_is_relative_to_the_larger_number(magnitude):
    above = magnitude * (1 + np.array([0, 0.5, 2, 1e6]) * TIE)
    assert at_most(above, magnitude).tolist() == [True, True, False, False]
    assert at_most(magnitude, above).all()
    assert at_most(magnitude * (1 + 1e-9), magnitude, rtol=1e-8)


@each_magnitude
def test_a_difference_ties_with_nothing_where_rounding_of_its_parts_explains_it(magnitude):
    rest = magnitude * (0.1 + 0.2) - magnitude * 0.3
    assert at_most(abs(rest), 0, scale=magnitude)
    assert not at_most(magnitude * 1e-11, 0, scale=magnitude)
    assert at_most(abs(rest), 0) == (rest == 0)


def test_a_scale_is_none_below_nothing():
    for wrong in (-1, [1, -1]):
        with pytest.raises(ValueError, match="`scale` must be 0 or more; got "):
            at_most(1, 1, scale=wrong)


@given(*[st.fractions(-2, 2, max_denominator=50)] * 2)
def test_with_a_scale_of_one_small_fractions_are_in_their_exact_order(a, b):
    assert at_most(float(a) + 1 - 1, float(b), scale=1) == (a <= b)


def test_a_value_that_is_not_defined_has_no_rank_and_takes_none():
    assert ranks(np.array([np.nan, 0.5, 0.9]))[1:].tolist() == [2, 1]
    assert np.isnan(ranks(np.array([np.nan, 0.5]))[0])
    assert np.isnan(ranks(np.array([np.nan, np.nan]))).all()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_a_rank_is_one_more_than_the_number_of_greater_values(values):
    found = ranks(np.array(values, float).reshape(-1, 1))
    assert found[:, 0].tolist() == [1 + sum(other > value for other in values) for value in values]


@each_magnitude
def test_ranks_do_not_depend_on_the_magnitude(magnitude):
    assert ranks(magnitude * np.array([0.3, 0.1 + 0.2, 0.2, 0.2 + 1e-9])).tolist() == [1, 1, 4, 3]


def test_ranks_of_differences_tie_at_the_scale_of_their_parts():
    rest = 0.1 + 0.2 - 0.3
    assert ranks(np.array([0, rest, -rest, 1e-9])).tolist() != [2, 2, 2, 1]
    assert ranks(np.array([0, rest, -rest, 1e-9]), 0.3).tolist() == [2, 2, 2, 1]


@each_magnitude
def test_the_greatest_of_weights_are_those_that_rounding_sets_apart_from_it(magnitude):
    assert reaches(magnitude * np.array([0.3, 0.1 + 0.2, 0.2]), magnitude * np.array(0.1 + 0.2)).tolist() == [True, True, False]


def test_counts_are_the_greatest_exactly():
    assert reaches(np.array([2**53 - 1, 2**53]), np.array(2**53)).tolist() == [False, True]


@pytest.mark.parametrize("magnitude", [1e-15, 1.0, 1e12])
def test_targets_whose_weights_tie_share_the_prediction(magnitude):
    o = [[6], [2], [0]]
    weights = magnitude * np.array([[0.1 + 0.2], [0.3], [0.2]])
    assert correct_predictions(o, weights).item() == 4
    assert correct_predictions(o, weights * [[1], [1 - 1e-9], [1]]).item() == 6


def test_nothing_is_at_most_nan_and_infinity_is_itself() -> None:
    values = np.array([np.nan, 1, np.inf, -np.inf])
    assert at_most(values, 1.0).tolist() == [False, True, False, True]
    assert at_most(1.0, values).tolist() == [False, True, True, False]
    assert at_most(np.inf, np.inf)


def test_a_difference_of_exactly_the_tolerance_is_a_tie() -> None:
    assert at_most(2, 1, rtol=0.5)


def test_arrays_with_labels_keep_them_and_must_have_the_same() -> None:
    a = xr.DataArray([1.0, 2], dims="x", coords={"x": ["p", "q"]})
    assert at_most(a, 1.0).identical(xr.DataArray([True, False], dims="x", coords={"x": ["p", "q"]}))
    with pytest.raises(ValueError, match="exact"):
        at_most(a, a.assign_coords(x=["p", "r"]))


@pytest.mark.parametrize("rtol", [-1e-12, np.nan])
def test_a_tolerance_below_0_is_refused(rtol: float) -> None:
    with pytest.raises(ValueError, match="`rtol` must be 0 or more; got"):
        at_most(1, 1, rtol=rtol)
