"""(alpha, k)-anonymity and l-diversity."""

from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from one_table import classes, coarsened, random_tables, shares, tables
from strategies import keys_that_merge, theorem

from capstats import at_most, average_cap, individual_cap
from capstats.anonymity import alpha_k_anonymity, k_anonymity, l_diversity

O_4 = [[0, 0, 62], [197, 136, 134], [74, 99, 198]]


def factor(targets, l):  # noqa: E741
    """r_1 / (r_l + ... + r_I) of a class."""
    r = sorted(shares(targets).values(), reverse=True)
    tail = sum(r[l - 1 :], Fraction(0))
    return float(r[0] / tail) if tail else inf


def entropy_l(targets):
    return exp(-sum(float(r) * log(r) for r in shares(targets).values()))


def test_the_diversity_of_a_table_of_the_paper():
    # Keys 0 and 1 of O_4 have two targets; the largest share is 197/271; the least sum of all but the largest is 74 of 271.
    assert l_diversity(O_4).item() == 2
    assert alpha_k_anonymity(O_4).alpha.item() == 197 / 271
    assert l_diversity(O_4, kind="recursive", l=2).item() == 197 / 74
    assert l_diversity(O_4, kind="recursive", l=3).item() == inf


def test_the_shares_of_a_class_are_taken_in_descending_order():
    """8 < 2 c asks for c above 4, and 8 < c for c above 8; in ascending order 1 < 9 c would pass for c = 1."""
    table = [[1, 1], [8, 8], [1, 1]]
    assert l_diversity(table, kind="recursive", l=1).item() == 0.8
    assert l_diversity(table, kind="recursive", l=2).item() == 4
    assert l_diversity(table, kind="recursive", l=3).item() == 8
    assert l_diversity(table, kind="recursive", l=4).item() == inf


def test_entropy_l_of_equally_frequent_targets_is_their_number():
    for number in range(1, 9):
        assert l_diversity(np.full((number, 2), 3), kind="entropy").item() == pytest.approx(number, rel=1e-15)


def test_the_least_diverse_class_counts():
    table = [[3, 0], [3, 5]]
    assert l_diversity(table).item() == l_diversity(table, kind="entropy").item() == 1
    assert alpha_k_anonymity(table).alpha.item() == 1
    assert alpha_k_anonymity(table).k.item() == k_anonymity(table).item() == 5


def test_models_are_those_of_a_loop_over_records():
    for table in random_tables(3):
        found = classes(table)
        assert alpha_k_anonymity(table).alpha.item() == float(max(max(shares(c).values()) for c in found))
        assert l_diversity(table).item() == min(len(set(c)) for c in found)
        np.testing.assert_allclose(l_diversity(table, kind="entropy"), min(map(entropy_l, found)), rtol=1e-14)
        for l in range(1, 7):  # noqa: E741
            np.testing.assert_allclose(l_diversity(table, kind="recursive", l=l), max(factor(c, l) for c in found), rtol=1e-14)


@theorem
@given(tables)
def test_one_over_alpha_is_at_most_entropy_l_is_at_most_distinct_l_is_at_most_k(table):
    entropy, distinct = l_diversity(table, kind="entropy"), l_diversity(table)
    alpha, k = alpha_k_anonymity(table).data_vars.values()
    assert at_most(1 / alpha, entropy)
    assert at_most(entropy, distinct)
    assert distinct <= k


@theorem
@given(tables)
def test_alpha_is_the_recursive_factor_for_one_target_and_at_least_cap_of_the_table(table):
    alpha = alpha_k_anonymity(table).alpha.item()
    assert l_diversity(table, kind="recursive", l=1).item() == alpha
    assert individual_cap(table, table).max().item() == alpha
    assert at_most(average_cap(table, table).item(), alpha)


@theorem
@given(tables, st.integers(1, 5))
def test_the_recursive_factor_rises_with_l_and_is_finite_up_to_the_distinct_l(table, l):  # noqa: E741
    factors = [l_diversity(table, kind="recursive", l=x).item() for x in (l, l + 1)]
    assert factors[0] <= factors[1]
    assert (factors[0] < inf) == (l <= l_diversity(table).item())


@theorem
@given(st.data())
def test_merging_keys_never_makes_a_table_less_diverse(data):
    table = data.draw(tables)
    merged = coarsened(table, data.draw(keys_that_merge(table.shape[1])))
    assert alpha_k_anonymity(merged).alpha <= alpha_k_anonymity(table).alpha
    assert l_diversity(merged) >= l_diversity(table)
    assert at_most(l_diversity(table, kind="entropy"), l_diversity(merged, kind="entropy"))
    for l in (1, 2, 3):  # noqa: E741
        assert at_most(l_diversity(merged, kind="recursive", l=l), l_diversity(table, kind="recursive", l=l))


@theorem
@given(tables, st.integers(2, 9))
def test_scaling_a_table_changes_k_alone(table, times):
    once, more = alpha_k_anonymity(table), alpha_k_anonymity(times * table)
    assert more.k == times * once.k
    assert more.alpha == once.alpha
    assert l_diversity(times * table, kind="entropy").item() == l_diversity(table, kind="entropy").item()
    assert l_diversity(times * table, kind="recursive", l=2).item() == l_diversity(table, kind="recursive", l=2).item()


def test_every_other_dim_is_a_table_of_its_own():
    batch = xr.DataArray(np.random.default_rng(4).integers(0, 4, (5, 3, 4)), dims=("key", "draw", "target"))
    for options in ({}, {"kind": "entropy"}, {"kind": "recursive", "l": 2}):
        one_by_one = [l_diversity(batch.isel(draw=d), **options).item() for d in range(3)]
        assert l_diversity(batch, **options).values.tolist() == one_by_one


def test_undefined_without_records():
    empty = [[0, 0], [0, 0]]
    assert np.isnan(alpha_k_anonymity(empty).to_array()).all()
    assert np.isnan([l_diversity(empty), l_diversity(empty, kind="entropy"), l_diversity(empty, kind="recursive", l=2)]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "plain"}, '`kind` must be "distinct", "entropy" or "recursive"; got \'plain\''),
        ({"kind": "recursive"}, '`l` must be given with kind="recursive", and only then'),
        ({"l": 2}, '`l` must be given with kind="recursive", and only then'),
        ({"kind": "recursive", "l": 0}, "`l` must be an integer number of targets, 1 or more; got 0"),
        ({"kind": "recursive", "l": 1.5}, "`l` must be an integer number of targets, 1 or more; got 1.5"),
        ({"kind": "recursive", "l": True}, "`l` must be an integer number of targets, 1 or more; got True"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        l_diversity([[1, 2], [2, 1]], **options)
