"""How often all of several targets, or any, are guessed right: bounds that hold for all tables, and are attained."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
import sparse
import xarray as xr
from scipy.optimize import linprog
from scipy.sparse import block_diag

from capstats import average_cap, from_counts, matched_records, tabulate
from capstats.laws import joint_bounds

ENDS = ("all_lower", "all_upper", "any_lower", "any_upper")


def held(o, s):
    """Tables of one target."""
    return xr.Dataset({"o": (("target", "key"), np.array(o)), "s": (("target", "key"), np.array(s))})


def ends(found):
    return [found[name].item() for name in ENDS]


def programmes(cases):
    """Least and greatest weight of all, and of any, over all weights of patterns of right and wrong with given sums.

    A case has how often each target is right, and the weight of all patterns. All ends of all cases are solved as one programme.
    """
    objectives, blocks, sums = [], [], []
    for *right, most in cases:
        patterns = np.array(list(product([0, 1], repeat=len(right))))
        for wanted in (patterns.all(1), patterns.any(1)):
            for sign in (1, -1):
                objectives.append(sign * wanted)
                blocks.append(np.vstack([patterns.T, np.ones(len(patterns))]))
                sums += [*right, most]
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    solved = linprog(np.concatenate(objectives), A_eq=block_diag(blocks), b_eq=sums, bounds=(0, None), method="highs", options=tight)
    assert solved.status == 0
    size = len(objectives[0])
    found = [abs(wanted @ x) for wanted, x in zip(objectives, solved.x.reshape(-1, size), strict=True)]
    return np.array(found).reshape(len(cases), len(ENDS))


def check_against_programmes(seed):
    """Random averages; and random tables of T targets in J keys, key by key, some of them without synthetic records."""
    rng = np.random.default_rng(seed)
    targets, keys = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    most = rng.random()
    caps = most * rng.random(targets)

    o_j, s_j = rng.integers(1, 9, keys), rng.integers(0, 4, keys)
    tables, right = [], []
    for _ in range(targets):
        shares = rng.dirichlet(np.ones(3), (2, keys))
        o, s = (rng.multinomial(totals, of).T for totals, of in zip((o_j, s_j), shares, strict=True))
        tables.append(held(o, s))
        right.append((o * s).sum(0) / np.maximum(s_j, 1))
    of_averages, *by_key = programmes([(*caps, most), *zip(*right, o_j * (s_j > 0), strict=True)])
    found = joint_bounds(tables)
    np.testing.assert_allclose(ends(joint_bounds(list(caps), matched=most)), of_averages, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ends(found), sum(by_key) / o_j.sum(), rtol=0, atol=1e-9)
    matched = matched_records(tables[0].o, tables[0].s) / o_j.sum()
    plain = joint_bounds([average_cap(x.o, x.s) for x in tables], matched=matched)
    for lower, upper in (ENDS[:2], ENDS[2:]):
        assert plain[lower] - 1e-12 <= found[lower] <= found[upper] + 1e-12
        assert found[upper] <= plain[upper] + 1e-12


@pytest.mark.parametrize("seeds", [range(1), pytest.param(range(1, 120), marks=pytest.mark.slow)], ids=len)
def test_bounds_are_those_of_linear_programmes(seeds):
    """In 119 random cases a fault that shows in one of 25 is missed less than once in a hundred times."""
    for seed in seeds:
        check_against_programmes(seed)


def exact_shares(records, released):
    """The expected shares of records of which all targets are right, and any, in fractions, from records (key, target, target, ...)."""
    found = [Fraction(0), Fraction(0)]
    for key, *true in records:
        donors = [guess for k, *guess in released if k == key]
        for guess in donors:
            hits = [a == b for a, b in zip(true, guess, strict=True)]
            found[0] += Fraction(all(hits), len(donors))
            found[1] += Fraction(any(hits), len(donors))
    return [x / len(records) for x in found]


def tables_of(records, released):
    """The tables of each target."""
    names = ["key", *range(len(records[0]) - 1)]
    both = [pd.DataFrame(x, columns=[str(name) for name in names]) for x in (records, released)]
    return {name: tabulate(*both, keys="key", target=name) for name in both[0].columns[1:]}


def test_bounds_of_two_numbers_are_worked_out_by_hand():
    assert ends(joint_bounds([0.6, 0.5], matched=0.9)) == pytest.approx([0.2, 0.5, 0.6, 0.9])
    assert ends(joint_bounds({"vote": 0.6, "age": 0.5})) == pytest.approx([0.1, 0.5, 0.6, 1.0])
    assert ends(joint_bounds([0.3])) == [0.3] * 4
    draws = xr.DataArray([0.2, 0.4], dims="draw")
    found = joint_bounds([draws, 0.7], matched=xr.DataArray([0.8, 1.0], dims="draw"))
    np.testing.assert_allclose(found.all_lower, [0.1, 0.1])
    np.testing.assert_allclose(found.any_upper, [0.8, 1.0])


def test_whole_tables_may_allow_less_than_their_sums():
    """One key; the second target of all is the same: all are right with probability 1/4, whatever goes together. Sums allow 0 to 1/2."""
    first, second = held([[1], [1]], [[1], [1]]), held([[2], [0]], [[1], [1]])
    assert ends(joint_bounds([first, second])) == [0, 0.5, 0.5, 1]
    for released in ([(0, 0, 0), (0, 1, 1)], [(0, 0, 1), (0, 1, 0)]):
        assert exact_shares([(0, 0, 0), (0, 1, 0)], released)[0] == Fraction(1, 4)


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_bounds_of_each_key_are_attained():
    """Keys of 6 and 4 people with one synthetic record each; 5, 4 and 5 are right in the first, 1 of each in the second."""
    sizes, right = (6, 4), ((5, 4, 5), (1, 1, 1))
    released = [(key, 1, 1, 1) for key in range(2)]
    attained = {}
    for way in ("wrong apart", "together", "apart"):
        records = []
        for key, (n, of_key) in enumerate(zip(sizes, right, strict=True)):
            steps = [0 if way == "together" else n - c if way == "wrong apart" else c for c in of_key]
            starts = np.cumsum([0, *steps[:-1]])
            arcs = [{(start + i) % n for i in range(n - c if way == "wrong apart" else c)} for start, c in zip(starts, of_key, strict=True)]
            hit = 0 if way == "wrong apart" else 1
            records += [(key, *[hit if person in arc else 1 - hit for arc in arcs]) for person in range(n)]
        attained[way] = [float(x) for x in exact_shares(records, released)]
        found = ends(joint_bounds(tables_of(records, released)))
        assert found == pytest.approx([(2 + 0) / 10, (4 + 1) / 10, (5 + 1) / 10, (6 + 3) / 10])
    assert [attained["wrong apart"][0], *attained["together"], attained["apart"][1]] == pytest.approx(found, abs=1e-12)


def test_keys_are_joined_by_their_labels_and_batches_and_sparse_tables_give_the_same():
    o, s = np.array([[3, 0, 1], [1, 2, 2]]), np.array([[[2, 0, 1], [0, 1, 1]], [[1, 1, 0], [1, 0, 2]]])
    labelled = from_counts(o, s[0], key_labels={"k": ["a", "b", "c"]})
    turned = from_counts(o[:, ::-1], s[0][:, ::-1], key_labels={"k": ["c", "b", "a"]})
    plain = joint_bounds([labelled, labelled])
    assert ends(joint_bounds([labelled, turned])) == ends(plain)
    as_sparse = labelled.map(lambda x: x.copy(data=sparse.COO.from_numpy(x.values)))
    assert ends(joint_bounds([labelled, as_sparse])) == ends(plain)
    of_batch = xr.Dataset({"o": (("target", "key"), o), "s": (("draw", "target", "key"), s)})
    found = joint_bounds([of_batch, of_batch])
    assert found.all_lower.dims == ("draw",)
    assert found.all_lower.values[0] == plain.all_lower.item()


ONE, OTHER = held([[3, 1], [1, 2]], [[2, 0], [0, 1]]), held([[3, 1], [1, 3]], [[2, 0], [0, 1]])


@pytest.mark.parametrize(
    ("caps", "matched", "error", "message"),
    [
        ([ONE, OTHER], None, ValueError, r"`caps\[0\]` and `caps\[1\]` must have the same number of records of each key"),
        ([ONE, 0.5], None, TypeError, "`caps` must hold average CAPs or tables, not both"),
        ([ONE, ONE], 0.5, ValueError, "`matched` is counted from the tables"),
        ([ONE.drop_vars("s")], None, TypeError, r"`caps\[0\]` must hold the tables `o` and `s`"),
        *((nothing, None, ValueError, "`caps` must be a list, or a mapping") for nothing in ([], {}, 0.5)),
        ({"vote": 1.5}, None, ValueError, r"`caps\['vote'\]` must be a share of the original records"),
        ([0.2, 0.6], 0.5, ValueError, r"`caps\[1\]` must be at most `matched`"),
    ],
)
def test_what_cannot_be_bounded_is_refused(caps, matched, error, message):
    with pytest.raises(error, match=message):
        joint_bounds(caps, **({} if matched is None else {"matched": matched}))


def test_nobody_has_no_bounds():
    assert np.isnan(ends(joint_bounds([held([[0]], [[1]])]))).all()
