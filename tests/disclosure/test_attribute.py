"""Certain attribution and unique keys."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict

import hypothesis.extra.numpy as numpy_strategies
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import counts, table_pairs, theorem

from capstats import at_most, average_cap, from_counts, individual_cap, matched_records
from capstats.disclosure import dio, dis, disco, share_replicated, share_unique, tcap

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

pairs_of_tables = functools.partial(table_pairs, 3, most=3)
OF_BOTH = {"disco": disco, "dis": dis, "share_unique": share_unique, "share_replicated": share_replicated}
OF_ONE = {"dio": dio, "share_unique of one": share_unique}
both = pytest.mark.parametrize("measure", OF_BOTH.values(), ids=list(OF_BOTH))


def people(table):
    return [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(int(count))]


def by_person(o, s):
    """Shares of original people with each property, found by asking the synthetic people with their key."""
    answers, peers, n = defaultdict(list), defaultdict(list), len(people(o))
    for i, j in people(s):
        answers[j].append(i)
    for i, j in people(o):
        peers[j].append(i)
    counts = Counter()
    for i, j in people(o):
        sure = len(set(answers[j])) == 1
        counts["disco"] += sure and answers[j][0] == i
        counts["dis"] += sure
        counts["dio"] += len(set(peers[j])) == 1
        counts["share_unique of one"] += len(peers[j]) == 1
        counts["share_unique"] += len(peers[j]) == 1 and bool(answers[j])
        counts["share_replicated"] += len(peers[j]) == len(answers[j]) == 1
    return {name: count / n for name, count in counts.items()}


# Values derived by hand


def test_of_ten_people_three_are_told_rightly_and_four_are_told_something():
    # Key 0: both synthetic records have target 0, as 3 of 4 people. Key 1 has one of each. Key 2: nobody. Key 3: the wrong answer for 1.
    o, s = [[3, 2, 1, 0], [1, 2, 0, 1]], [[2, 1, 0, 1], [0, 1, 0, 0]]
    assert disco(o, s).item() == 0.3
    assert dis(o, s).item() == 0.5
    assert dio(o).item() == 0.2
    assert dio(s).item() == 3 / 5
    assert share_unique(o).item() == 0.2
    assert share_unique(o, s).item() == share_replicated(o, s).item() == 0.1


def test_measures_of_identical_tables_are_those_of_the_original():
    o = [[5, 1, 2, 0], [0, 0, 2, 1]]
    assert disco(o, o).item() == dis(o, o).item() == dio(o).item() == 7 / 11
    assert share_replicated(o, o).item() == share_unique(o).item() == 2 / 11


def test_nothing_is_disclosed_where_no_key_is_shared():
    o, s = [[3, 0], [1, 0]], [[0, 2], [0, 2]]
    assert [measure(o, s).item() for measure in OF_BOTH.values()] == [0, 0, 0, 0]


def test_no_record_is_undefined():
    empty, s = [[0, 0], [0, 0]], [[1, 0], [0, 1]]
    assert all(np.isnan(measure(empty, s)) for measure in OF_BOTH.values())
    assert all(np.isnan(measure(empty)) for measure in OF_ONE.values())
    assert disco(s, empty).item() == dis(s, empty).item() == 0


# The oracle


def test_measures_are_those_of_a_loop_over_people():
    rng = np.random.default_rng(31)
    for _ in range(80):
        shape = (rng.integers(1, 4), rng.integers(1, 7))
        o, s = (rng.integers(0, 4, shape) * (rng.random(shape) < 0.5) for _ in range(2))
        o[0, 0] += 1
        expected = by_person(o, s)
        for name, measure in OF_BOTH.items():
            assert measure(o, s).item() == pytest.approx(expected[name], rel=1e-15), name
        for name, measure in OF_ONE.items():
            assert measure(o).item() == pytest.approx(expected[name], rel=1e-15), name


def test_huge_counts_are_exact():
    top = 2**52
    assert disco([[top, 1], [1, 0]], [[top, 0], [0, 1]]).item() == top / (top + 2)
    assert dis([[top], [1]], [[top + 1], [1]]).item() == 0  # the share rounds to 1 - 2**-52, and not to 1
    assert dio([[top], [1]]).item() == 0


# Theorems


@theorem
@given(pairs_of_tables())
def test_disclosed_are_among_answered_among_matched(tables):
    """Part 1 of theory/certainty.md#attribute-disclosure; DiSDiO is "certain" times the matched share."""
    o, s = tables
    matched = matched_records(o, s).item() / o.sum()
    in_both = tcap(o, s, variant="certain").fillna(0).item() * matched
    assert at_most(in_both, disco(o, s))
    assert at_most(in_both, dio(o))
    assert at_most(disco(o, s), dis(o, s))
    assert at_most(dis(o, s), matched)
    assert share_replicated(o, s) <= share_unique(o, s) <= share_unique(o) <= dio(o)


@theorem
@given(pairs_of_tables())
def test_disco_is_the_share_of_records_with_cap_one_and_never_above_average_cap(tables):
    o, s = tables
    one = (individual_cap(o, s).values == 1) * o
    assert disco(o, s).item() == one.sum() / o.sum()
    assert at_most(disco(o, s), average_cap(o, s))


@theorem
@given(pairs_of_tables(), st.data())
def test_disco_and_dis_add_over_shards_of_the_original(tables, data):
    """Part 3: for fixed s, with the shards' records as weights."""
    o, s = tables
    part = data.draw(numpy_strategies.arrays(np.int64, o.shape, elements=st.integers(0, 3)))
    for measure in (disco, dis):
        whole = measure(o + part, s).item() * (o + part).sum()
        pieces = measure(o, s).item() * o.sum() + measure(part, s).fillna(0).item() * part.sum()
        assert whole == pytest.approx(pieces, abs=1e-12)


@theorem
@given(counts((2, 3, 2), most=3))
def test_another_key_column_never_lowers_dio(cube):
    fine, coarse = cube.reshape(2, 6), cube.sum(2)
    assert at_most(dio(coarse), dio(fine))


@theorem
@given(pairs_of_tables())
def test_mean_weap_is_the_cap_of_the_synthetic_table_with_itself(tables):
    _, s = tables
    scores = individual_cap(s, s).values
    assert (scores == np.divide(s, s.sum(0), where=s > 0, out=np.zeros(s.shape))).all()
    assert np.sum(scores * s) / s.sum() == pytest.approx(average_cap(s, s).item(), rel=1e-14)
    assert s[scores == 1].sum() / s.sum() == dio(s).item()


# Batches, labels, weights


def test_labels_decide_which_cells_belong_together():
    o = from_counts([[1, 2], [3, 0]], key_labels={"k": ["a", "b"]}, target_labels=["x", "y"]).o
    s = from_counts([[2, 1]], key_labels={"k": ["b", "c"]}, target_labels=["x"]).o
    assert disco(o, s).item() == dis(o, s).item() == 2 / 6


def test_weights_count_as_records_where_nobody_needs_to_be_one():
    o, s = np.array([[3, 2, 1], [1, 2, 0]]), np.array([[2, 1, 0], [0, 1, 0]])
    for measure in (disco, dis):
        assert measure(0.37 * o, s / 7).item() == pytest.approx(measure(o, s).item(), rel=1e-14)
    assert dio(0.37 * o).item() == pytest.approx(dio(o).item(), rel=1e-14)


# Records that may count


def test_counted_may_have_a_dim_of_its_own():
    o, s = np.array([[3, 2], [1, 0]]), [[2, 1], [0, 0]]
    of_sex = xr.DataArray([[[3, 0], [0, 0]], [[0, 2], [1, 0]]], dims=("sex", "target", "key"))
    assert disco(o, s, counted=of_sex).values.tolist() == [3 / 6, 2 / 6]


def test_more_counted_than_there_are_raises():
    with pytest.raises(ValueError, match="`counted` must hold a part of the records of `o`; it has more than `o` in at least one cell"):
        disco([[1, 2]], [[1, 1]], counted=[[1, 3]])


# Bad input


def test_purity_of_fractional_weights_is_decided_as_floats_add():
    """Assumption of theory/certainty.md#attribute-disclosure: 1 + 1e-17 is stored as 1, 1 + 1e-15 is not."""
    assert disco([[1], [0]], [[1], [1e-17]]) == 1
    assert disco([[1], [0]], [[1], [1e-15]]) == 0


def test_fractional_weights_tell_no_unique():
    with pytest.raises(ValueError, match="`o` must hold integers: a key is unique if one record has it"):
        share_unique([[0.5, 0.5]])
    with pytest.raises(ValueError, match="`s` must hold integers"):
        share_replicated([[1, 1]], [[0.5, 1]])
