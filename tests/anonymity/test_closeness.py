"""t-closeness, beta-likeness, delta-disclosure."""

from datetime import date
from fractions import Fraction
from math import e, exp, inf, log

import numpy as np
import pytest
import sparse
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from one_table import classes, coarsened, profile, random_tables, records, shares, tables
from strategies import keys_that_merge, theorem

from capstats import at_most, from_counts
from capstats.anonymity import l_diversity, t_closeness

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def margin(table):
    return shares([i for i, _ in records(table)])


def each_class(table):
    """r_ij and p_i of every class, as lists over the targets."""
    p = margin(table)
    for targets in classes(table):
        r = shares(targets)
        yield [r.get(i, Fraction(0)) for i in range(len(table))], [p.get(i, Fraction(0)) for i in range(len(table))]


def mover(r, p):
    """Earth mover's distance between neighbours: what has to be carried over each gap."""
    return sum(abs(sum(r[: i + 1]) - sum(p[: i + 1])) for i in range(len(r)))


def gain(table):
    return max((x - y) / y for r, p in each_class(table) for x, y in zip(r, p, strict=True) if y)


def gains_within_the_margin(table):
    return all(float((x - y) / y) <= -log(y) + 1e-12 for r, p in each_class(table) for x, y in zip(r, p, strict=True) if y)


def test_the_ordered_distance_counts_steps():
    """The example of Li, Li and Venkatasubramanian, section 4.1: incomes 3 to 11 (in thousands), classes {3, 4, 5} and {6, 8, 11}."""
    incomes = list(range(3, 12))
    table = [[int(x in (3, 4, 5)), int(x in (6, 8, 11)), int(x in (7, 9, 10))] for x in incomes]
    assert t_closeness([[*row[:1], sum(row[1:])] for row in table], distance="ordered").item() == pytest.approx(0.375, rel=1e-15)
    assert mover([Fraction(row[1], 3) for row in table], [Fraction(1, 9)] * 9) / 8 == pytest.approx(0.167, abs=5e-4)


def test_a_class_like_the_table_is_at_distance_0():
    table = [[2, 4], [3, 6], [1, 2]]
    found = profile(table)
    for value in (t_closeness(table), t_closeness(table, distance="ordered"), found.beta, found.enhanced_beta, found.delta):
        assert value.item() == 0


def test_one_target_is_close_to_itself():
    assert t_closeness([[3, 2]], distance="ordered").item() == 0
    assert profile([[3, 2]]).enhanced_beta.item() == 0
    assert profile([[3, 2]]).delta.item() == 0


def test_no_beta_passes_the_enhanced_model_where_a_target_gains_more_than_its_information():
    """A class with one target only, where others have another: 1 > p (1 - ln p) for every p < 1."""
    assert profile([[4, 0], [0, 12]]).beta.item() == 3
    assert profile([[4, 0], [0, 12]]).enhanced_beta.item() == inf
    assert profile([[3, 1], [1, 3]]).enhanced_beta.item() == profile([[3, 1], [1, 3]]).beta.item() == 0.5


def test_the_bound_of_the_enhanced_model_may_be_reached():
    """p = 1/e and r = 2/e, as near as counts come: a record less in the first class, of 10**9, and a record more."""
    n = 10**9
    first = round(10 * n / e)
    share = first / (10 * n)
    bound = round((1 - log(share)) * share * n)
    for extra, passes in ((-1, True), (1, False)):
        table = [[bound + extra, first - bound - extra], [n - bound - extra, 9 * n - first + bound + extra]]
        assert (profile(table).enhanced_beta.item() < inf) == passes


def test_models_are_those_of_a_loop_over_records():
    for table in random_tables(5):
        found = list(each_class(table))
        equal = max(sum(abs(x - y) for x, y in zip(r, p, strict=True)) / 2 for r, p in found)
        ordered = max(mover(r, p) for r, p in found) / max(len(table) - 1, 1)
        logs = [abs(log(x / y)) if x else inf for r, p in found for x, y in zip(r, p, strict=True) if y]
        close = {"rtol": 1e-13, "atol": 1e-15}
        np.testing.assert_allclose(t_closeness(table), float(equal), **close)
        np.testing.assert_allclose(t_closeness(table, distance="ordered"), float(ordered), **close)
        models = profile(table)
        np.testing.assert_allclose(models.beta, float(gain(table)), **close)
        enhanced = float(gain(table)) if gains_within_the_margin(table) else inf
        np.testing.assert_allclose(models.enhanced_beta, enhanced, **close)
        np.testing.assert_allclose(models.delta, max(logs), **close)
        np.testing.assert_allclose(models.delta_occurring, max(x for x in logs if x < inf), **close)


@theorem
@given(tables)
def test_the_ordered_distance_lies_between_the_equal_one_and_its_share_of_a_step(table):
    equal, ordered = t_closeness(table).item(), t_closeness(table, distance="ordered").item()
    assert at_most(ordered, equal + 1e-15)
    assert at_most(equal, ordered * max(len(table) - 1, 1) + 1e-15)


@theorem
@given(tables)
def test_t_is_at_most_beta_and_beta_is_at_most_exp_delta_minus_1(table):
    found = profile(table)
    assert at_most(t_closeness(table).item(), found.beta.item() + 1e-15)
    assert at_most(found.beta.item(), exp(found.delta_occurring.item()) - 1 + 1e-15)
    assert found.delta_occurring <= found.delta
    assert found.beta <= found.enhanced_beta


@theorem
@given(st.data())
def test_merging_keys_never_takes_a_table_further_from_its_margin(data):
    table = data.draw(tables)
    merged = coarsened(table, data.draw(keys_that_merge(table.shape[1])))
    after, before = profile(merged), profile(table)
    for model in ("t", "ordered_t", "beta", "enhanced_beta", "delta"):
        assert at_most(after[model].item(), before[model].item() + 1e-14), model


def test_merging_keys_can_raise_delta_over_occurring_targets():
    # p = 11/38. The second class has 1 in 10, the first nobody, both together 1 in 19.
    assert profile([[0, 1, 10], [9, 9, 9]]).delta_occurring.item() == pytest.approx(log(110 / 38), rel=1e-14)
    assert profile([[1, 10], [18, 9]]).delta_occurring.item() == pytest.approx(log(5.5), rel=1e-14)


@theorem
@given(tables)
def test_a_class_with_one_target_fails_the_enhanced_model_unless_all_have_it(table):
    pure = l_diversity(table).item() == 1
    assert not pure or (table.sum(1) > 0).sum() == 1 or profile(table).enhanced_beta.item() == inf


def test_rows_without_records_count_in_the_ordered_distance_alone():
    table, wider = [[2, 0], [0, 2]], [[2, 0], [0, 2], [0, 0]]
    assert t_closeness(wider, distance="ordered").item() == 0.25 == t_closeness(table, distance="ordered").item() / 2
    for model in ("t", "beta", "delta"):
        assert profile(wider)[model] == profile(table)[model]


def test_the_ordered_distance_is_the_same_on_sparse_tables_of_many_targets():
    rng = np.random.default_rng(6)
    for _ in range(40):
        shape = rng.integers(1, 40), rng.integers(1, 12)
        table = rng.integers(0, 5, shape) * (rng.random(shape) < rng.random() / 2)
        table[rng.integers(shape[0]), rng.integers(shape[1])] += 1
        dense = xr.DataArray(table, dims=("target", "key"))
        found = t_closeness(dense.copy(data=sparse.COO.from_numpy(table)), distance="ordered")
        np.testing.assert_allclose(found, t_closeness(dense, distance="ordered"), rtol=1e-12, atol=1e-14)


def test_numbers_and_dates_are_in_their_order_and_texts_in_that_of_the_rows():
    """The class of three people: (|0 - 3/7| + |2/3 - 5/7|) / 2 in the order of the rows, (|0 - 3/7| + |1/3 - 5/7|) / 2 in the other."""
    as_given = 5 / 21
    for labels, found in (([10, 30, 20], 17 / 42), ([date(2026, m, 1) for m in (1, 3, 2)], 17 / 42), (["a", "c", "b"], as_given)):
        table = from_counts([[3, 0], [0, 2], [1, 1]], target_labels={"paid": labels}).o
        assert t_closeness(table, distance="ordered").item() == pytest.approx(found, rel=1e-15)


def test_the_order_of_targets_needs_one_column():
    tables = from_counts([[1, 2], [2, 1]], target_labels={"ill": ["a", "a"], "paid": [1, 2]})
    with pytest.raises(ValueError, match=r'`distance` "ordered" needs one target column.*\[\'ill\', \'paid\'\]'):
        t_closeness(tables.o, distance="ordered")
    assert t_closeness(tables.o).item() == pytest.approx(1 / 6, rel=1e-15)


def test_bad_options_are_refused():
    with pytest.raises(ValueError, match='`distance` must be "equal" or "ordered"; got \'l1\''):
        t_closeness([[1]], distance="l1")
