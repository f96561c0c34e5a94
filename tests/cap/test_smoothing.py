"""Average CAP with smoothed shares: posterior means under a symmetric Dirichlet prior."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import table_pairs, theorem

import capstats
from capstats import average_cap, matched_records
from capstats.cap import smoothed_cap


def by_records(o, s, alpha):
    """The mean over records, in fractions."""
    o, s = np.asarray(o), np.asarray(s)
    found = []
    for (i, j), count in np.ndenumerate(o):
        found += int(count) * [(int(s[i, j]) + alpha) / (int(s[:, j].sum()) + len(o) * alpha)]
    return sum(found) / len(found) if found else None


def test_one_record_by_hand():
    """3/4 * 2/3 + 1/4 * 1/3."""
    assert smoothed_cap([[3], [1]], [[1], [0]], alpha=1).item() == pytest.approx(7 / 12, rel=1e-15)


@theorem
@given(table_pairs(empty=True), st.sampled_from([0.25, 0.5, 1, 3]))
def test_it_is_that_of_a_loop_over_records(tables, alpha):
    expected, found = by_records(*tables, Fraction(alpha)), smoothed_cap(*tables, alpha=alpha).item()
    assert np.isnan(found) if expected is None else found == pytest.approx(float(expected), rel=1e-13)


@theorem
@given(table_pairs())
def test_little_smoothing_is_average_cap_with_an_even_guess_where_nothing_matches(tables):
    o, s = tables
    unmatched = 1 - matched_records(o, s).item() / o.sum()
    assert smoothed_cap(o, s, alpha=1e-13).item() == pytest.approx(average_cap(o, s).item() + unmatched / len(o), abs=1e-11)


@theorem
@given(table_pairs())
def test_much_smoothing_is_an_even_guess(tables):
    o, s = tables
    assert smoothed_cap(o, s, alpha=1e13).item() == pytest.approx(1 / len(o), abs=1e-11)


@theorem
@given(table_pairs(targets=3, keys=2), st.sampled_from([0.5, 1.0, 2.0]))
def test_each_key_is_between_its_cap_and_an_even_guess(tables, alpha):
    o, s = tables
    for j in range(o.shape[1]):
        if o[:, j].sum() and s[:, j].sum():
            ends = sorted([average_cap(o[:, [j]], s[:, [j]]).item(), 1 / len(o)])
            assert ends[0] - 1e-12 <= smoothed_cap(o[:, [j]], s[:, [j]], alpha=alpha).item() <= ends[1] + 1e-12


@theorem
@given(st.lists(st.integers(0, 4), min_size=2, max_size=3))
def test_it_is_the_posterior_mean_of_the_share(column):
    """By sums over a fine grid of shares with the uniform prior: the mean share of the first of two targets."""
    first, rest = column[0], sum(column[1:])
    x = (np.arange(20_000) + 0.5) / 20_000
    likelihood = x**first * (1 - x) ** rest
    mean = (x * likelihood).sum() / likelihood.sum()
    assert smoothed_cap([[1], [0]], [[first], [rest]], alpha=1).item() == pytest.approx(mean, rel=1e-6)


def test_several_releases_labels_and_empty_originals():
    o, s = np.array([[3, 1], [0, 2]]), np.array([[1, 0], [1, 0]])
    both = smoothed_cap(o, np.stack([s, o]), alpha=0.5)
    assert both.values == pytest.approx([smoothed_cap(o, s, alpha=0.5).item(), smoothed_cap(o, o, alpha=0.5).item()], rel=1e-15)
    assert np.isnan(smoothed_cap(0 * o, s, alpha=1).item())
    one = capstats.from_counts([[3, 1], [0, 4]], key_labels={"k": ["a", "b"]}, target_labels=["x", "y"]).o
    other = capstats.from_counts([[4, 0], [1, 3]], key_labels={"k": ["b", "a"]}, target_labels=["y", "x"]).o
    assert smoothed_cap(one, other, alpha=1).item() == pytest.approx(smoothed_cap(one, one, alpha=1).item(), rel=1e-15)


@pytest.mark.parametrize("wrong", [0, -1, np.inf, np.nan, True, "1", None])
def test_alpha_is_a_positive_number(wrong):
    with pytest.raises(ValueError, match="`alpha` must be a number above 0"):
        smoothed_cap([[1]], [[1]], alpha=wrong)
