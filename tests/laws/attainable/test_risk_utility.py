"""The frontier equals a linear programme and the extremes of all small tables, and no release is beyond it."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
import sparse
import xarray as xr
from every_release import compositions
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from strategies import count_tables, examples, table_pairs

from capstats import average_cap, from_counts
from capstats.cap import target_distance
from capstats.datasets import paper_originals
from capstats.laws import frontier, frontier_tables
from capstats.laws.attainable.risk_utility import largest_remainders

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

distances = st.floats(0, 1)


def by_programme(o, distance, sign):
    """Least (sign 1) or greatest (-1) sum_ij (o_ij / n) q_ij with sum_j (o_.j / n) sum_i |q_ij - r_ij| / 2 <= distance; q, then |q - r|."""
    o = np.asarray(o)[:, np.any(o, axis=0)]
    (targets, keys), n, o_j = o.shape, o.sum(), o.sum(0)
    cells, r = o.size, (o / o_j).ravel()
    one = np.eye(cells)
    above = np.block([[one, -one], [-one, -one], [np.zeros(cells), np.tile(o_j / n / 2, targets)]])
    solved = linprog(
        np.append(sign * o.ravel() / n, np.zeros(cells)),
        A_ub=above,
        b_ub=np.concatenate([r, -r, [distance]]),
        A_eq=np.hstack([np.tile(np.eye(keys), targets), np.zeros((keys, cells))]),
        b_eq=np.ones(keys),
    )
    return sign * solved.fun


@examples(25)
@given(count_tables(3, 3), distances)
def test_least_and_greatest_are_those_of_a_linear_programme(o, distance):
    found = frontier(o, distances=distance)
    assert found.least.item() == pytest.approx(by_programme(o, distance, 1), rel=1e-7, abs=1e-7)
    assert found.greatest.item() == pytest.approx(by_programme(o, distance, -1), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("o", [[[2, 1], [1, 2]], [[3, 0], [0, 2]], [[1, 1], [2, 0], [0, 1]], [[2], [1], [1]]])
def test_the_corners_are_the_extremes_of_all_tables_with_twice_the_original_key_totals(o):
    """At the corners whole records of these key totals suffice."""
    o = np.array(o)
    columns = [list(compositions(2 * int(total), len(o))) for total in o.sum(0)]
    tables = np.array([np.transpose(chosen) for chosen in product(*columns)])
    caps, apart = average_cap(o, tables).values, target_distance(o, tables).values
    found = frontier(o)
    for distance, least, greatest in zip(found.distance.values, found.least.values, found.greatest.values, strict=True):
        within = caps[apart <= distance + 1e-12]
        assert (within.min(), within.max()) == (pytest.approx(least, rel=1e-12, abs=1e-15), pytest.approx(greatest, rel=1e-12))
    at = frontier(o, distances=apart)
    assert (at.least <= caps + 1e-12).all()
    assert (caps <= at.greatest + 1e-12).all()


@examples(60)
@given(table_pairs(4, 5))
def test_no_table_is_beyond_the_frontier_whichever_keys_it_leaves_out(tables):
    o, s = tables
    distance, cap = target_distance(o, s).item(), average_cap(o, s).item()
    found = frontier(o, distances=distance)
    assert found.least_any.item() - 1e-12 <= cap <= found.greatest.item() + 1e-12
    if (s.any(0) | ~o.any(0)).all():
        assert found.least.item() - 1e-12 <= cap
    own = frontier(o, distances=distance, key_totals=s.sum(0))
    assert own.least.item() - 1e-12 <= cap <= own.greatest.item() + 1e-12
    version2 = average_cap(o, s, unmatched="drop").item()
    if not np.isnan(version2):
        own = frontier(o, distances=distance, key_totals=s.sum(0), unmatched="drop")
        assert own.least.item() - 1e-12 <= version2 <= own.greatest.item() + 1e-12


@examples(25)
@given(count_tables(3, 4, most=5))
def test_the_bound_for_any_keys_is_attained_at_its_corners(o):
    """The least of all choices of keys to leave out, each with its own frontier."""
    found = frontier(o)
    keys = range(o.shape[1])
    choices = [[j not in left_out for j in keys] for size in range(len(keys) + 1) for left_out in combinations(keys, size)]
    least = frontier(o, distances=found.distance.values, key_totals=np.array(choices, int)).least.min("draw").values
    assert (found.least_any.values <= least + 1e-12).all()
    slopes = np.diff(found.least_any.values) / np.diff(found.distance.values)
    own = np.flatnonzero(np.abs(np.diff(slopes)) > 1e-9) + 1
    assert least[own] == pytest.approx(found.least_any.values[own], rel=1e-9, abs=1e-12)


@examples(40)
@given(count_tables(4, 5), distances, distances, distances)
def test_the_least_is_convex_the_greatest_concave_and_neither_is_further_than_the_distance(o, a, share, b):
    between = share * a + (1 - share) * b
    found = frontier(o, distances=[a, between, b])
    for name, sign in (("least", 1), ("least_any", 1), ("greatest", -1)):
        first, middle, last = sign * found[name].values
        assert middle <= share * first + (1 - share) * last + 1e-12
    own = average_cap(o, o).item()
    for name in ("least", "greatest"):
        assert (np.abs(found[name].values - own) <= np.array([a, between, b]) + 1e-12).all()
    assert (found.least_any <= found.least + 1e-12).all()


@examples(40)
@given(count_tables(4, 5), distances)
def test_corners_are_enough_to_draw_the_curves(o, distance):
    corners, found = frontier(o), frontier(o, distances=distance)
    assert (corners.distance.values[0], corners.distance.values[-1]) == (0, 1)
    for name in found:
        assert np.interp(distance, corners.distance, corners[name]) == pytest.approx(found[name].item(), rel=1e-9, abs=1e-12)


def corners_in_fractions(o):
    """Distances at which the slope of one of the three curves changes, and both ends."""
    found, n = {Fraction(0), Fraction(1)}, int(o.sum())
    for kind in ("least", "greatest", "any"):
        records = defaultdict(int)
        for column in ([int(x) for x in column] for column in o.T if column.any()):
            total, end = sum(column), max(column) if kind == "greatest" else min(column)
            whole, changed, left = Fraction(sum(x * x for x in column), total), Fraction(0), total
            for count in sorted(filter(None, column), reverse=kind != "greatest"):
                slope = Fraction(abs(count - end), total)
                if kind == "any" and slope <= (whole - changed) / left:
                    break
                records[slope] += count
                changed, left = changed + slope * count, left - count
            if kind == "any" and left:
                records[(whole - changed) / left] += left
        moved = 0
        for slope in sorted(records, reverse=True):
            moved += records[slope]
            found.add(Fraction(moved, n))
    return [float(x) for x in sorted(found)]


@examples(60)
@given(count_tables(4, 5), st.lists(st.integers(0, 8), min_size=5, max_size=5), st.sampled_from([1, 0.1, 0.3, 1 / 3]))
@example(np.array([[2, 1, 3, 1], [3, 0, 1, 2], [2, 3, 3, 0], [0, 2, 3, 0]]), [0] * 5, 0.3)
@example(np.array([[5, 1, 3], [6, 2, 0], [5, 2, 3], [6, 2, 1]]), [2, 7, 1, 0, 0], 1)
def test_each_corner_is_there_once_with_keys_of_all_sizes_and_with_weights(o, zeros, weight):
    o = o * 10 ** np.array(zeros[: o.shape[1]])
    assert frontier(o * weight).distance.values == pytest.approx(corners_in_fractions(o), rel=1e-9, abs=1e-15)


def test_at_exactly_a_distance_there_is_no_such_curve():
    """One key with shares .5, .3, .2: at exactly .5 a release reaches .5, just above only .34."""
    o = np.array([[50], [30], [20]])
    tables = np.array([np.transpose([counts]) for counts in compositions(50, 3)])
    apart, caps = target_distance(o, tables).values, average_cap(o, tables).values
    assert caps[np.isclose(apart, 0.5)].max() == pytest.approx(0.5)
    assert caps[(apart > 0.5 + 1e-9) & (apart < 0.53)].max() == pytest.approx(0.34, abs=0.005)
    assert frontier(o, distances=0.53).greatest.item() == pytest.approx(0.5)


def test_keys_that_a_release_lacks_count_distance_one():
    """Keys of 2 and 2 people: without the second the distance starts at 1/2; version 2 averages over the first."""
    o = [[1, 2], [1, 0]]
    zero = frontier(o, key_totals=[5, 0])
    assert zero.distance.values.tolist() == [0.5, 1]
    assert zero.least.values.tolist() == zero.greatest.values.tolist() == [0.25, 0.25]
    assert "least_any" not in zero
    drop = frontier(o, distances=[0.4, 0.5], key_totals=[5, 0], unmatched="drop")
    np.testing.assert_array_equal(drop.least.values, [np.nan, 0.5])
    nobody = frontier(o, distances=[0.9, 1], key_totals=[0, 0])
    np.testing.assert_array_equal(nobody.least.values, [np.nan, 0])
    assert np.isnan(frontier(o, distances=[1], key_totals=[0, 0], unmatched="drop").greatest.item())


def test_several_tables_have_a_frontier_each_at_given_distances():
    originals = paper_originals()
    totals = xr.DataArray([[1, 1, 1], [1, 0, 1]], dims=("draw", "key"), coords={"key": originals.indexes["key"]})
    found = frontier(originals, distances=[0.1, 0.7], key_totals=totals)
    assert dict(found.sizes) == {"original": 4, "draw": 2, "distance": 2}
    assert found.isel(original=2, draw=1, drop=True).equals(frontier(originals[2], distances=[0.1, 0.7], key_totals=totals[1]))
    with pytest.raises(ValueError, match=r"There are several tables, along 'original'. Choose one table, or give `distances`"):
        frontier(originals)
    assert np.isnan(frontier([[0, 0]], distances=0.5).least.item())


def test_corners_of_a_sparse_table_are_those_of_the_dense_one():
    rng = np.random.default_rng(4)
    o = xr.DataArray(rng.integers(0, 4, (4, 30)) * rng.integers(0, 2, (4, 30)), dims=("target", "key"))
    xr.testing.assert_allclose(frontier(o), frontier(o.copy(data=sparse.COO.from_numpy(o.values))), rtol=1e-12)


TABLES, NO_DISTANCE = from_counts([[1, 2], [3, 4]]).o, "`distances` must be numbers from 0 to 1"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((lambda x=x: frontier([[1, 2]], distances=x), NO_DISTANCE) for x in (-0.1, 1.5, [0.5, np.nan], [[0.1], [0.2]], [])),
        (lambda: frontier([[1, 3]], unmatched="nearest"), '`unmatched` must be "zero"'),
        (lambda: frontier(TABLES, key_totals=TABLES), '`key_totals` has the dim "target"'),
        (lambda: frontier_tables(paper_originals(), distances=0), r"must be one table of .target, key.; it also has .*. Choose one table."),
        (lambda: frontier_tables([[0, 0]], distances=0), "`o` holds no record"),
        (lambda: frontier_tables([[1, 0]], distances=0, m=2.5), "`m` must be a number of synthetic records"),
        (lambda: frontier_tables([[1, 0]], distances=2), NO_DISTANCE),
    ],
)
def test_what_has_no_frontier_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- Tables on the frontier are there, in shares exactly, in whole records within the rounding that is promised ---


some_distances = st.lists(st.floats(0, 1), min_size=1, max_size=3)


@examples(60)
@given(count_tables(4, 5), some_distances)
def test_shares_are_within_the_distance_and_have_the_average_cap_of_the_frontier(o, at):
    curve, found = frontier(o, distances=at), frontier_tables(o, distances=at)
    for end in ("least", "greatest"):
        shares = found[f"{end}_shares"].values
        q = np.round(1e9 * shares).astype(int)  # any key totals
        assert average_cap(o, q).values == pytest.approx(curve[end].values, abs=1e-8)
        assert (target_distance(o, q).values <= np.array(at) + 1e-8).all()
        np.testing.assert_allclose(shares.sum(1), np.broadcast_to(o.any(0), (len(at), o.shape[1])), rtol=1e-12)


@examples(60)
@given(count_tables(4, 5), some_distances, st.integers(5, 200))
def test_whole_records_come_as_near_as_promised(o, at, m):
    curve, found = frontier(o, distances=at), frontier_tables(o, distances=at, m=m)
    for end in ("least", "greatest"):
        s = found[f"{end}_table"].values
        assert (s.sum((1, 2)) == m).all()
        assert (s.any(1) == o.any(0)).all()
        assert (np.abs(found[f"{end}_cap"].values - curve[end].values) <= found.rounding.item() + 1e-12).all()
        assert (found[f"{end}_distance"].values <= np.array(at) + found.rounding.item() + 1e-12).all()
        assert found[f"{end}_cap"].values == pytest.approx(average_cap(o, s).values)
        assert found[f"{end}_distance"].values == pytest.approx(target_distance(o, s).values)


@examples(100)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(any), st.integers(1, 20))
def test_largest_remainders_change_shares_by_at_most_a_quarter_of_the_targets_over_the_records(parts, records):
    shares = np.array(parts) / sum(parts)
    found = largest_remainders(shares * records, np.asarray(records))
    assert found.sum() == records
    assert (np.abs(found - shares * records) < 1 + 1e-9).all()
    apart = np.abs(found / records - shares).sum() / 2
    assert apart <= len(shares) / (4 * records) + 1e-9


def test_the_promise_is_kept_no_better_than_that():
    """Two targets with shares of one half, and one record: the distance is 1/2 = I / (4 m_j)."""
    found = frontier_tables([[1], [1]], distances=0, m=1)
    assert found.least_distance.item() == found.rounding.item() == 0.5


def test_as_many_records_as_the_original_round_one_key_only():
    """O_3 at distances that are no corners: at most one key is not met exactly."""
    o = paper_originals().sel(original="O_3")
    at = np.linspace(0.01, 0.9, 23)
    found = frontier_tables(o, distances=at, m=900)
    for end in ("least", "greatest"):
        wanted = found[f"{end}_shares"] * o.sum("target")
        assert (found[f"{end}_table"].sum("target") == o.sum("target")).all()
        assert ((np.abs(found[f"{end}_table"] - wanted) > 1e-6).any("target").sum("key") <= 1).all()


def test_each_key_has_a_record_however_few_there_are():
    o = np.array([[1, 100, 1, 0, 9], [0, 0, 1, 0, 0]])
    for m, totals in ((4, [1, 1, 1, 0, 1]), (5, [1, 2, 1, 0, 1]), (112, [1, 100, 2, 0, 9])):
        assert frontier_tables(o, distances=0, m=m).least_table.sum("target").values.tolist() == totals
    with pytest.raises(ValueError, match=r"`m` must be at least 4, a record for each key of `o`; got 3\."):
        frontier_tables(o, distances=0, m=3)
