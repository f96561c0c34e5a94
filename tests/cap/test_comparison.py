"""Protected records, normalized average CAP and the distance of the targets compare a release with its original."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from exact_caps import random_pairs
from hypothesis import example, given
from hypothesis import strategies as st
from one_table import records
from strategies import table_pairs, theorem

from capstats import average_cap
from capstats.cap import goodman_kruskal_tau, normalized_cap, protected_records, target_distance
from capstats.datasets import paper_originals, paper_synthetics

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

both_versions = pytest.mark.parametrize("unmatched", ["zero", "drop"])
pairs = table_pairs(4, 4, empty=True)


def cap(table, i, j):
    """Individual CAP of a record with a table, in exact fractions; None where the table does not have its key."""
    s_j = sum(int(row[j]) for row in table)
    return Fraction(int(table[i][j]), s_j) if s_j else None


def protected(o, s, unmatched):
    """How many people have a smaller CAP, one after the other."""
    found = 0
    for i, j in records(o):
        with_s = cap(s, i, j)
        if with_s is None and unmatched == "drop":
            continue
        found += (with_s or 0) < cap(o, i, j)
    return found


def normalized(o, s, unmatched):
    """The formula from sums over people, in exact fractions; None where it is undefined."""
    people = records(o)
    counted = [(i, j) for i, j in people if cap(s, i, j) is not None or unmatched == "zero"]
    if not counted:
        return None
    n = len(people)
    baseline = sum(Fraction(sum(k == i for k, _ in people), n) for i, _ in people) / n
    itself = sum(cap(o, i, j) for i, j in people) / n
    with_s = sum(cap(s, i, j) or 0 for i, j in counted) / len(counted)
    return None if itself == baseline else (with_s - baseline) / (itself - baseline)


# --- protected records


def test_the_people_of_the_papers_illustration():
    # Section 2.3: x_0, a sick smoker, is protected (.2424 below .4), x_1, a healthy one, is not (.7576 above .6).
    assert protected_records([[20, 0], [30, 0]], [[8, 7], [25, 60]]) == 20
    assert protected_records([[20, 5], [30, 45]], [[8, 7], [25, 60]]) == 20 + 45


def test_protected_people_of_the_papers_o_4():
    # S_a has key totals 323, 248, 329. Only the cells whose share falls: T_2 of K_1 (197/271 to 104/323), T_2 of K_2 (136/235 to 44/248),
    # T_3 of K_2 (99/235 to 86/248), T_3 of K_3 (198/394 to 118/329).
    o, s = paper_originals().sel(original="O_4"), paper_synthetics().sel(synthetic="a")
    assert protected_records(o, s) == 197 + 136 + 99 + 198


@both_versions
def test_protected_records_are_those_of_a_loop_over_people(unmatched):
    for o, s in random_pairs(1):
        assert protected_records(o, s, unmatched=unmatched) == protected(o, s, unmatched)


@theorem
@given(pairs)
def test_where_a_key_keeps_its_targets_not_all_of_its_people_are_protected(tables):
    """Part 1 of theory/baselines.md#comparison: in every matched key at least the records of its least filled cell are not."""
    o, s = tables
    s = s * (o > 0)
    held = np.where(o > 0, o, 99).min(0) * (s.sum(0) > 0)
    assert protected_records(o, s) <= o.sum() - held.sum()


@theorem
@given(pairs, st.integers(1, 5))
def test_nobody_is_protected_by_the_original_itself(tables, times):
    o, _ = tables
    assert protected_records(o, times * o) == 0
    assert protected_records(0.3 * o, 0.7 * o) == 0


def test_everybody_of_a_key_may_be_protected_where_the_release_adds_a_target():
    assert protected_records([[2], [0]], [[1], [1]]) == 2
    assert protected_records([[2], [0]], [[0], [0]]) == 2


def test_protected_weights_are_summed():
    assert protected_records([[0.5, 1], [1.5, 1]], [[1, 1], [1, 1]]) == 1.5
    assert protected_records([[1, 1], [3, 1]], [[1, 1], [1, 1]]).dtype == np.int64


# --- normalised CAP


@both_versions
def test_normalised_cap_is_that_of_a_loop_over_people(unmatched):
    undefined = 0
    for o, s in random_pairs(2):
        expected = normalized(o, s, unmatched) if o.any() else None
        found = normalized_cap(o, s, unmatched=unmatched).item()
        undefined += expected is None
        assert np.isnan(found) if expected is None else found == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
    assert 5 < undefined < 60


@theorem
@given(pairs, st.integers(0, 10))
def test_replacing_a_share_of_the_targets_by_draws_leaves_the_rest(tables, tenths):
    """Part 3 of theory/baselines.md#comparison: with q = (1 - theta) r + theta p the value is 1 - theta (0: original, 1: baseline)."""
    o, _ = tables
    theta = tenths / 10
    s = (1 - theta) * o + theta * o.sum(1, keepdims=True) * o.sum(0) / max(o.sum(), 1)
    found = normalized_cap(o, s).item()
    tau = goodman_kruskal_tau(o).item()
    if not tau > 1e-9:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(1 - theta, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("theta", [Fraction(0), Fraction(1, 3), Fraction(1)])
def test_the_expected_value_after_random_replacement_by_enumeration(theta):
    """Part 3 of theory/baselines.md#comparison, the mean: every outcome for each of five records, with its probability, in fractions."""
    o = [[2, 1], [0, 2]]
    p = [Fraction(3, 5), Fraction(2, 5)]
    expected, probability = Fraction(0), Fraction(0)
    people = records(o)
    for targets in product(range(2), repeat=len(people)):
        chance = prod((1 - theta) * (i == t) + theta * p[t] for (i, _), t in zip(people, targets, strict=True))
        s = [[sum((t, j) == (a, b) for (_, j), t in zip(people, targets, strict=True)) for b in range(2)] for a in range(2)]
        probability += chance
        expected += chance * normalized(o, s, "zero") if chance else 0
    assert (probability, expected) == (1, 1 - theta)


# --- distance of the targets


def by_records(o, s):
    """The mean over records, in fractions: half of the differences between the shares of their key, or 1 without the key."""
    o, s = np.asarray(o), np.asarray(s)
    apart = []
    for i, j in product(*map(range, o.shape)):
        n_j, m_j = int(o[:, j].sum()), int(s[:, j].sum())
        shares = [abs(Fraction(int(a), n_j) - Fraction(int(b), m_j)) for a, b in zip(o[:, j], s[:, j], strict=True)] if n_j and m_j else [2]
        apart += int(o[i, j]) * [Fraction(sum(shares), 2)]
    return sum(apart) / len(apart) if apart else None


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
@given(table_pairs())
@example(([[2], [0]], [[0], [5]]))  # attained
def test_average_cap_changes_by_at_most_the_distance(tables):
    o, s = tables
    assert abs(average_cap(o, s) - average_cap(o, o)).item() <= target_distance(o, s).item() + 1e-12


@theorem
@given(table_pairs(most=2))
def test_the_distance_is_one_where_no_key_keeps_a_target(tables):
    o, s = map(np.asarray, tables)
    found = target_distance(o, s).item()
    assert 0 <= found <= 1 + 1e-15
    assert (found > 1 - 1e-9) == (not (o * s).any())


@theorem
@given(table_pairs(targets=3, keys=3))
def test_two_releases_differ_in_average_cap_by_at_most_the_sum_of_their_distances(tables):
    o, s = tables
    for other in (np.roll(s, 1, axis=0), np.roll(s, 1, axis=1), o):
        bound = target_distance(o, s).item() + target_distance(o, other).item()
        assert abs(average_cap(o, s) - average_cap(o, other)).item() <= bound + 1e-12


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
