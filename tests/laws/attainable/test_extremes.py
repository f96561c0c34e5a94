"""Least and greatest average CAP: by hand, and as theorems.

All small tables are enumerated in test_theorems.py; here are larger ones, weights, labels, batches and bad input.
"""

import functools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, examples

from capstats import from_counts, maximum_cap, minimum_cap
from capstats.datasets import paper_originals
from capstats.laws import cap_bounds, minimal_cells, minimal_table

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

VERSIONS = ("zero", "drop")
both_versions = pytest.mark.parametrize("unmatched", VERSIONS)
theorem = examples(100)
originals = functools.partial(count_tables, most=30)


# By hand


def test_least_cap_of_the_papers_originals():
    """o_min / n is 100/900 for O_1 and 0 for the others, which have empty cells; o_min* is 1/3 and 0."""
    assert minimum_cap(paper_originals()).values.tolist() == [1 / 9, 0, 0, 0]
    assert minimum_cap(paper_originals(), unmatched="drop").values.tolist() == [1 / 3, 0, 0, 0]
    assert maximum_cap(paper_originals()).values.tolist() == [1 / 3, 1, (127 + 176 + 204) / 900, (197 + 136 + 198) / 900]


def test_minimal_table_takes_the_first_cell_by_key_then_target():
    o = [[3, 1, 3], [1, 3, 1], [1, 3, 3]]
    assert minimal_table(o, 7).values.tolist() == [[0, 0, 0], [7, 0, 0], [0, 0, 0]]


def test_divisions_that_are_equal_as_weights_are_all_minimal():
    """0.1 of 0.3 and 0.3 of 0.9 are both a third, though not to the last bit."""
    o = [[0.1, 0.3, 0.5], [0.2, 0.6, 0.5]]
    assert 0.1 / (0.1 + 0.2) != 0.3 / (0.3 + 0.6)
    assert minimal_cells(o, unmatched="drop").values.tolist() == [[True, True, False], [False, False, False]]


def test_bounds_of_huge_counts_are_exact():
    o = [[10**15, 10**15 + 1], [3 * 10**15, 10**15 + 2]]
    n = sum(map(sum, o))
    assert minimum_cap(o).item() == 10**15 / n
    assert np.argwhere(minimal_cells(o).values).tolist() == [[0, 0]]
    assert maximum_cap(o).item() == pytest.approx(float(Fraction(4 * 10**15 + 2, n)), rel=1e-15)
    assert cap_bounds(o, key_totals=[0, 1]).least.item() == (10**15 + 1) / n
    assert minimal_table(o, 10**18 % (2**53)).sum().item() == 10**18 % (2**53)


# Theorems


@theorem
@given(originals(), st.integers(2, 50), st.sampled_from(VERSIONS))
def test_bounds_are_shares_and_do_not_change_with_the_scale(o, times, unmatched):
    for bound in (minimum_cap, maximum_cap):
        value = bound(o, unmatched=unmatched).item()
        assert 0 <= value <= 1
        assert bound(times * o, unmatched=unmatched).item() == pytest.approx(value, rel=1e-14)
        assert bound(o / 7, unmatched=unmatched).item() == pytest.approx(value, rel=1e-14)
    marked = minimal_cells(o, unmatched=unmatched).values
    assert (minimal_cells(times * o, unmatched=unmatched).values == marked).all()
    assert (minimal_cells(o / 7, unmatched=unmatched).values == marked).all()


# Labels and batches


def test_key_totals_are_matched_by_label():
    o = from_counts([[1, 5], [3, 2]], key_labels={"k": ["a", "b"]}).o
    totals = from_counts([[4, 0, 9]], key_labels={"k": ["b", "a", "c"]}).o.sum("target")
    bounds = cap_bounds(o, key_totals=totals)  # b is matched, a is not, c is nobody's
    assert (bounds.least.item(), bounds.greatest.item()) == (2 / 11, 5 / 11)


def test_bounds_of_no_record_are_undefined():
    o = [[[0, 0], [0, 0]], [[1, 2], [0, 1]]]
    for unmatched in VERSIONS:
        assert np.isnan(minimum_cap(o, unmatched=unmatched).values).tolist() == [True, False]
        assert np.isnan(maximum_cap(o, unmatched=unmatched).values).tolist() == [True, False]
    assert np.isnan(cap_bounds(o, key_totals=[1, 1]).least.values).tolist() == [True, False]
    assert np.isnan(cap_bounds([[1, 0]], key_totals=[0, 1], unmatched="drop").least.item())
    assert cap_bounds([[1, 0]], key_totals=[0, 1]).greatest.item() == 0
    assert not minimal_cells(o).values[0].any()


# Bad input


CALLS = {
    "minimum_cap": minimum_cap,
    "maximum_cap": maximum_cap,
    "minimal_cells": minimal_cells,
    "minimal_table": lambda o, **how: minimal_table(o, 3, **how),
    "cap_bounds": lambda o, **how: cap_bounds(o, key_totals=[1, 1], **how),
}
NO_NUMBER = "`m` must be a number of synthetic records, an integer from 1 to below 2"
LABELLED = from_counts([[1, 2], [3, 4]]).o


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((lambda f=f: f([[1, -3]]), "`o` must be non-negative; got -3 at key=1, target=0") for f in CALLS.values()),
        *((lambda f=f: f([[np.nan, 1]]), "`o` must be finite; got nan at key=0, target=0") for f in CALLS.values()),
        *((lambda f=f: f([[1, 2]], unmatched="nearest"), '`unmatched` must be "zero"') for f in CALLS.values()),
        *((lambda m=m: minimal_table([[1, 2]], m), NO_NUMBER) for m in (0, -1, 2.0, "5", True, None, np.float64(3))),
        *((lambda m=m: maximum_cap([[1, 2]], m=m), NO_NUMBER) for m in (0, -1, 2.0, "5", True, np.float64(3))),
        (lambda: minimal_table([[[0, 0]], [[1, 0]]], 3), "`o` holds no record"),
        (lambda: cap_bounds([[1, 2]], key_totals=[1, -1]), "`key_totals` must be non-negative; got -1 at key=1"),
        (lambda: cap_bounds([[1, 2]], key_totals=[1, 1, 1]), "they must agree"),
        (lambda: cap_bounds([[1, 2]], key_totals=3), "`key_totals` has 0 dimensions"),
        (
            lambda: cap_bounds(LABELLED, key_totals=LABELLED),
            r'`key_totals` has the dim "target"; give the totals of its keys, such as s.sum\("target"\)',
        ),
    ],
)
def test_what_has_no_bounds_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_is_meant_is_taken():
    assert minimal_table([[2, 1]], np.int32(3)).values.tolist() == [[0, 3]]
    assert maximum_cap([[2, 1]], m=np.uint8(1)).item() == 2 / 3
    assert cap_bounds(LABELLED, key_totals=LABELLED.sum("target")).least.item() == 0.3
