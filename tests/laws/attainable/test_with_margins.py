"""Bounds with both margins fixed: equal to enumeration and to the programmes of HiGHS, and attained.

Bounds with given key totals alone are tested in test_extremes.py.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from few_tables import correct, with_margins
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from strategies import examples, table_pairs

from capstats import average_cap, from_counts
from capstats.cap import baseline_cap
from capstats.datasets import smoking
from capstats.laws import cap_bounds

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

versions = st.sampled_from(["zero", "drop"])


def margins(s):
    s = np.asarray(s)
    return {"key_totals": s.sum(0), "target_totals": s.sum(1)}


def records(o, s, unmatched):
    o, s = np.asarray(o), np.asarray(s)
    return int(o.sum() if unmatched == "zero" else o[:, s.any(0)].sum())


def programme(o, s, sign):
    """The least sum of sign o_ij s_ij / s_.j, by HiGHS, on the keys with records."""
    o, s = np.asarray(o)[:, np.any(s, axis=0)], np.asarray(s)[:, np.any(s, axis=0)]
    rows = [np.kron(np.eye(len(o)), np.ones(o.shape[1])), np.kron(np.ones(len(o)), np.eye(o.shape[1]))]
    return linprog(sign * (o / s.sum(0)).ravel(), A_eq=np.vstack(rows), b_eq=np.concatenate([s.sum(1), s.sum(0)])).fun


def test_bounds_of_the_smokers_by_hand():
    """15 sick records, 33 of smokers. A sick record in place of a healthy one adds (20 - 30)/33 for a smoker, (5 - 45)/67 for others.

    The latter is less, so the least table has all the sick among the others: 30 + (15 * 5 + 52 * 45) / 67, and the greatest among the
    smokers: (15 * 20 + 18 * 30) / 33 + 45.
    """
    found = cap_bounds(smoking().o, key_totals=smoking().s.sum("target"), target_totals=smoking().s.sum("key"))
    assert found.least.item() == pytest.approx((30 + (15 * 5 + 52 * 45) / 67) / 100, rel=1e-15)
    assert found.greatest.item() == pytest.approx(((15 * 20 + 18 * 30) / 33 + 45) / 100, rel=1e-15)
    assert found.least_table.transpose("target", "key").values.tolist() == [[0, 15], [33, 52]]
    assert found.greatest_table.transpose("target", "key").values.tolist() == [[15, 0], [18, 67]]


@examples(60)
@given(table_pairs(3, 3, most=3), versions)
def test_bounds_equal_the_extremes_of_all_tables_with_the_margins(tables, unmatched):
    o, s = tables
    n = records(o, s, unmatched)
    every = [correct(o, table) for table in with_margins(s.sum(1).tolist(), s.sum(0).tolist())]
    found = cap_bounds(o, **margins(s), unmatched=unmatched)
    for name, extreme in (("least", min), ("greatest", max)):
        table = found[f"{name}_table"]
        assert (table.sum("target") == s.sum(0)).all()
        assert (table.sum("key") == s.sum(1)).all()
        assert correct(o, table.values) == extreme(every)
        if n:
            assert found[name].item() == pytest.approx(float(extreme(every) / n), rel=1e-14)
        else:
            assert np.isnan(found[name].item())


@examples(60)
@given(table_pairs(4, 5, most=9))
def test_the_baseline_of_independent_draws_is_within_the_bounds(tables):
    """The table of products s_i. s_.j / m, which has fractions, has these margins, too."""
    o, s = tables
    o = o * s.any(0)
    if not o.any():
        return
    found = cap_bounds(o, **margins(s))
    crossed = baseline_cap(o, s, kind="crossed").item()
    assert found.least.item() <= crossed + 1e-12
    assert crossed <= found.greatest.item() + 1e-12


@pytest.mark.parametrize("n", [900, 10**6, 10**9])
def test_linear_programmes_find_the_same_values(n):
    """Costs of order one, as HiGHS needs them: with costs divided by n it calls tables optimal that are not."""
    rng = np.random.default_rng(7)
    o, s = (rng.multinomial(n, rng.dirichlet(np.full(20, 2.0))).reshape(4, 5) for _ in "os")
    found = cap_bounds(o, **margins(s))
    for name, sign in (("least", 1), ("greatest", -1)):
        assert found[name].item() == pytest.approx(sign * programme(o, s, sign) / n, rel=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_linear_programmes_of_many_keys_find_the_same_values(seed):
    """More keys than `MANY`, some without records."""
    rng = np.random.default_rng(seed)
    o, s = rng.integers(0, 50, (7, 600)), rng.integers(0, 2, (7, 600)) * rng.integers(0, 90, (7, 600))
    found = cap_bounds(o, **margins(s))
    for name, sign in (("least", 1), ("greatest", -1)):
        assert (found[f"{name}_table"].sum("target") == s.sum(0)).all()
        assert (found[f"{name}_table"].sum("key") == s.sum(1)).all()
        assert found[name].item() == pytest.approx(sign * programme(o, s, sign) / o.sum(), abs=1e-9)


def test_a_step_that_some_of_its_keys_take_no_part_in_opens_none_of_them():
    o, s = [[2, 0, 0, 0], [2, 1, 1, 2], [1, 0, 0, 2]], np.array([[1, 0, 2, 0], [2, 2, 0, 1], [0, 1, 2, 2]])
    found = cap_bounds(o, **margins(s))
    every = [correct(o, table) for table in with_margins(s.sum(1).tolist(), s.sum(0).tolist())]
    for name, extreme in (("least", min), ("greatest", max)):
        assert correct(o, found[f"{name}_table"].values) == extreme(every)


def test_one_target_or_one_key_leaves_no_choice():
    for o, s in (([[3, 1, 4]], [[1, 0, 5]]), ([[3], [1], [4]], [[1], [0], [5]])):
        found = cap_bounds(o, **margins(s))
        assert found.least_table.values.tolist() == found.greatest_table.values.tolist() == s
        assert found.least.item() == found.greatest.item() == pytest.approx(float(correct(o, s) / 8), rel=1e-15)


def test_weights_of_the_original_are_taken_as_they_are():
    o = np.array([[0.1, 0.7, 1e-9], [2.5, 0.2, 3.0]])
    s = np.array([[2, 1, 0], [0, 3, 4]])
    exact = [[Fraction(x) for x in row] for row in o.tolist()]
    n = sum(map(sum, exact))
    every = [correct(exact, table) for table in with_margins([3, 7], [2, 4, 4])]
    found = cap_bounds(o, **margins(s))
    assert found.least.item() == pytest.approx(float(min(every) / n), rel=1e-14)
    assert found.greatest.item() == pytest.approx(float(max(every) / n), rel=1e-14)


def test_margins_without_records_leave_the_table_without_records():
    found = cap_bounds([[1, 2], [3, 4]], key_totals=[0, 0], target_totals=[0, 0])
    assert (found.least.item(), found.greatest.item()) == (0, 0)
    assert not found.least_table.values.any()
    assert np.isnan(cap_bounds([[1, 2], [3, 4]], key_totals=[0, 0], target_totals=[0, 0], unmatched="drop").least.item())
    assert np.isnan(cap_bounds([[0, 0]], key_totals=[1, 2], target_totals=[3]).greatest.item())


def test_margins_are_matched_by_label():
    """Key c and target z are of the release alone, key b and target x are out of order."""
    o = from_counts([[1, 5], [3, 2]], key_labels={"k": ["a", "b"]}, target_labels={"t": ["x", "y"]}).o
    s = from_counts([[4, 0, 9], [1, 1, 0], [0, 2, 0]], key_labels={"k": ["b", "a", "c"]}, target_labels={"t": ["y", "x", "z"]}).o
    found = cap_bounds(o, key_totals=s.sum("target"), target_totals=s.sum("key"))
    plain = cap_bounds([[1, 5, 0], [3, 2, 0], [0, 0, 0]], key_totals=[3, 5, 9], target_totals=[2, 13, 2])
    assert (found.least.item(), found.greatest.item()) == (plain.least.item(), plain.greatest.item())
    assert found.least_table.sel(k="b").sum().item() == 5
    assert found.least_table.sel(target="z").sum().item() == 2
    assert average_cap(o, found.least_table).item() == pytest.approx(found.least.item(), rel=1e-14)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target_totals": [1, 1]}, r"must have the same sum, the number of synthetic records; got 4 and 2\. Give both margins"),
        ({"target_totals": [1.5, 2.5]}, "`target_totals` must hold integers, numbers of synthetic records; got fractions"),
        ({"key_totals": [1.5, 2.5]}, "`key_totals` must hold integers"),
        ({"target_totals": [5, -1]}, "`target_totals` must be non-negative; got -1 at target=1"),
        ({"target_totals": [2, 1, 1]}, "they must agree"),
        ({"o": np.ones((2, 2, 2), int)}, "`o` has the further dims 'draw'; `target_totals` needs one table. Choose one."),
        ({"key_totals": [[1, 3], [2, 2]]}, "`key_totals` has the further dims 'draw'"),
        ({"unmatched": "nearest"}, '`unmatched` must be "zero"'),
        ({"target_totals": from_counts([[1, 2]]).o}, r'has the dim "key"; give the totals of its targets, such as s.sum\("key"\)'),
    ],
)
def test_margins_that_are_none_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        cap_bounds(**({"o": [[1, 2], [3, 4]], "key_totals": [1, 3], "target_totals": [2, 2]} | given))


@examples(60)
@given(table_pairs(5, 6, most=20), versions)
def test_average_cap_is_within_the_bounds_of_both_margins_and_these_within_those_of_the_keys(tables, unmatched):
    o, s = tables
    cap = average_cap(o, s, unmatched=unmatched).item()
    if np.isnan(cap):
        return
    both, keys = cap_bounds(o, **margins(s), unmatched=unmatched), cap_bounds(o, key_totals=s.sum(0), unmatched=unmatched)
    chain = [keys.least.item(), both.least.item(), cap, both.greatest.item(), keys.greatest.item()]
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(chain))
