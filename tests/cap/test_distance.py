"""The distance of a release from the original in the targets of each key, and what it bounds."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import example, given
from strategies import table_pairs, theorem

import capstats
from capstats import average_cap
from capstats.cap import target_distance

PRINTED = ([[3, 2, 0], [1, 2, 2]], [[1, 5, 0], [1, 5, 0]])


def by_records(o, s):
    """The mean over records, in fractions: half of the differences between the shares of their key, or 1 without the key."""
    o, s = np.asarray(o), np.asarray(s)
    apart = []
    for i, j in product(*map(range, o.shape)):
        n_j, m_j = int(o[:, j].sum()), int(s[:, j].sum())
        shares = [abs(Fraction(int(a), n_j) - Fraction(int(b), m_j)) for a, b in zip(o[:, j], s[:, j], strict=True)] if n_j and m_j else [2]
        apart += int(o[i, j]) * [Fraction(sum(shares), 2)]
    return sum(apart) / len(apart) if apart else None


def test_the_distance_of_the_page_is_worked_out_by_hand():
    """4 records at 1/4, 4 at 0 and 2 unmatched ones at 1, over 10."""
    assert target_distance(*PRINTED).item() == pytest.approx(0.3, rel=1e-15)
    assert by_records(*PRINTED) == Fraction(3, 10)


@theorem
@given(table_pairs(empty=True))
def test_the_distance_is_that_of_a_loop_over_records(tables):
    expected = by_records(*tables)
    found = target_distance(*tables).item()
    assert np.isnan(found) if expected is None else found == pytest.approx(float(expected), rel=1e-12, abs=1e-15)


def moves(counts, wanted):
    """The least number of records to move one at a time from target to target, by trying all ways, shortest first."""
    reached, steps = {tuple(counts)}, 0
    pairs = [*permutations(range(len(wanted)), 2)]
    while tuple(wanted) not in reached:
        reached = {tuple(x - (i == a) + (i == b) for i, x in enumerate(state)) for state in reached for a, b in pairs if state[a]}
        steps += 1
    return steps


def test_the_distance_is_the_least_share_of_targets_to_change():
    """Five records of one key, and every table of as many synthetic ones."""
    original = [3, 1, 1]
    for released in product(range(6), repeat=3):
        if sum(released) == 5:
            found = target_distance(np.array([original]).T, np.array([released]).T).item()
            assert 5 * found == pytest.approx(moves(original, released), rel=1e-12), released


@theorem
@given(table_pairs(most=3))
@example(([[2, 1], [2, 0]], [[1, 5], [1, 0]]))
@example(([[2, 1], [2, 0]], [[1, 0], [1, 0]]))  # the second key is unmatched
def test_nothing_is_apart_if_and_only_if_every_key_keeps_its_shares(tables):
    o, s = map(np.asarray, tables)
    n_j, m_j = o.sum(0), s.sum(0)
    held = n_j > 0
    same = (m_j[held] > 0).all() and (o[:, held] * m_j[held] == s[:, held] * n_j[held]).all()
    assert (target_distance(o, s).item() == 0) == same


@theorem
@given(table_pairs())
@example(([[2], [0]], [[0], [5]]))  # attained
def test_average_cap_changes_by_at_most_the_distance(tables):
    o, s = tables
    assert abs(average_cap(o, s) - average_cap(o, o)).item() <= target_distance(o, s).item() + 1e-12


@theorem
@given(table_pairs(targets=3, keys=3))
def test_two_releases_differ_in_average_cap_by_at_most_the_sum_of_their_distances(tables):
    o, s = tables
    for other in (np.roll(s, 1, axis=0), np.roll(s, 1, axis=1), o):
        bound = target_distance(o, s).item() + target_distance(o, other).item()
        assert abs(average_cap(o, s) - average_cap(o, other)).item() <= bound + 1e-12


@theorem
@given(table_pairs(most=2))
def test_the_distance_is_one_where_no_key_keeps_a_target(tables):
    o, s = map(np.asarray, tables)
    found = target_distance(o, s).item()
    assert 0 <= found <= 1 + 1e-15
    assert (found > 1 - 1e-9) == (not (o * s).any())


def test_several_releases_have_a_distance_each_and_a_table_without_records_none():
    o, s = map(np.asarray, PRINTED)
    several = np.stack([s, o, 0 * s])
    assert target_distance(o, several).values == pytest.approx([0.3, 0, 1])
    assert np.isnan(target_distance(0 * o, s).item())
    weighted = target_distance(0.3 * o, 0.7 * s).item()
    assert weighted == pytest.approx(0.3, rel=1e-12)


def test_labels_decide_which_keys_are_compared():
    one = capstats.from_counts([[3, 1], [0, 4]], key_labels={"k": ["a", "b"]}, target_labels=["x", "y"]).o
    other = capstats.from_counts([[4, 0], [1, 3]], key_labels={"k": ["b", "a"]}, target_labels=["y", "x"]).o
    assert target_distance(one, other).item() == 0


def test_what_is_no_table_of_counts_is_refused():
    with pytest.raises(ValueError, match="`s` must be non-negative"):
        target_distance([[1, 2]], [[1, -2]])
