"""Borrowing from the nearest keys, and pooling within a radius.

The oracle, `exact_caps`, compares each key with every other, column by column, in exact fractions; it uses nothing of capstats.
"""

from fractions import Fraction

import hypothesis.extra.numpy as numpy_strategies
import numpy as np
import pandas as pd
import pytest
import sparse
import xarray as xr
from exact_caps import caps, labelled, lenders, mean_over_people
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats import (
    MISSING,
    average_cap,
    baseline_cap,
    correct_predictions,
    from_counts,
    full_domain,
    individual_cap,
    tabulate,
)
from capstats.cap import nearest_distance, neighbours
from capstats.datasets import example
from capstats.tables.aligned import Aligned

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

theorem = examples(25)


@pytest.fixture(params=["all distances in one table", "table by table"])
def way(request, monkeypatch):
    """Both ways to the same numbers."""
    if request.param == "table by table":
        monkeypatch.setattr(neighbours, "FEW", 0)


# The oracle


def predicted_over_people(keys, o, s, unmatched):
    """People whose target is the commonest of the pooled records, or one of several that tie, at random."""
    right = Fraction(0)
    for j, pool in enumerate(lenders(keys, s, unmatched)):
        pooled = [sum(int(row[k]) for k in pool) for row in s]
        named = [i for i, count in enumerate(pooled) if count == max(pooled) > 0]
        right += sum((Fraction(int(o[i][j]), len(named)) for i in named), Fraction(0))
    return float(right) if np.any(s) or unmatched != "nearest" else np.nan


@st.composite
def cases(draw):
    """Few levels, so that many keys tie; few records, so that many keys are unmatched."""
    levels = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    keys = draw(st.lists(st.tuples(*[st.sampled_from("012"[:size]) for size in levels]), min_size=1, max_size=24, unique=True))
    shape = (draw(st.integers(1, 3)), len(keys))
    table = numpy_strategies.arrays(np.int64, shape, elements=st.sampled_from([0, 0, 0, 1, 2, 3]))
    held = numpy_strategies.arrays(np.int64, len(keys), elements=st.integers(0, 1))
    return keys, draw(table) * draw(held), draw(table) * draw(held)


def conventions(columns):
    return [("nearest", 0), *((unmatched, radius) for unmatched in ("zero", "drop") for radius in range(columns + 1))]


# By hand


AGE_AND_SEX = {"age": ["young", "young", "old", "old"], "sex": ["f", "m", "f", "m"]}


def test_in_the_example_of_the_audit_the_commonest_answer_is_right_for_847_people_and_for_845_without_nearest_keys():
    voters = example("anes96")
    tables = tabulate(**{name: value for name, value in voters.items() if name != "provenance"})
    for held in (tables, tables.map(lambda array: array.copy(data=sparse.COO.from_numpy(array.values)))):
        assert correct_predictions(held.o, held.s, unmatched="nearest").item() == 847
        assert correct_predictions(held.o, held.s, unmatched="drop").item() == correct_predictions(held.o, held.s).item() == 845


def test_an_answer_that_nobody_of_the_key_has_is_named_on_sparse_tables_too():
    """Their cell (well, old, m) holds no record of either table: without it the 3 of 9 would be the commonest."""
    tables = from_counts([[0, 0, 0, 3], [0, 0, 0, 0]], [[0, 2, 1, 0], [9, 3, 3, 0]], key_labels=AGE_AND_SEX)
    held = [array.copy(data=sparse.COO.from_numpy(array.values)) for array in (tables.o, tables.s)]
    assert (
        correct_predictions(*held, unmatched="nearest").item() == correct_predictions(tables.o, tables.s, unmatched="nearest").item() == 0
    )


def test_the_radius_leads_from_cap_to_the_independence_baseline():
    """(young, f) has 2 of its own, 1 of them ill; 4 of 6 with one difference more; 6 of 9 in all."""
    s = [[1, 1, 2, 2], [1, 0, 1, 1]]
    tables = from_counts([[1, 0, 0, 0], [0, 0, 0, 0]], s, key_labels=AGE_AND_SEX)
    curve = [average_cap(tables.o, tables.s, radius=r).item() for r in range(3)]
    assert curve == [1 / 2, 4 / 6, 6 / 9]
    assert curve[2] == baseline_cap(tables.o, tables.s, kind="crossed").item()


def test_missing_is_a_level_like_any_other():
    """None meets None: they do not differ."""
    original = {"a": [None], "b": ["x"], "t": ["ill"]}
    synthetic = {"a": [None, "u", "u"], "b": ["y", "x", "x"], "t": ["ill", "well", "well"]}
    tables = tabulate(original, synthetic, keys=["a", "b"], target="t")
    assert nearest_distance(tables.o, tables.s).sel(a=MISSING, b="x").item() == 1
    assert average_cap(tables.o, tables.s, unmatched="nearest").item() == 1 / 3
    axis = pd.MultiIndex.from_tuples([(None, "x"), (None, "y"), ("u", "x")], names=["a", "b"])
    plain = xr.Coordinates.from_pandas_multiindex(axis, "key")  # where pandas marks them by the code -1
    o, s = (xr.DataArray(x, dims=("target", "key"), coords=plain) for x in ([[1, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 2]]))
    assert average_cap(o, s, unmatched="nearest").item() == 1 / 3


def test_a_synthetic_table_without_records_lends_nothing():
    o, s = labelled([("a", "x"), ("b", "y")], [[1, 2]], [[0, 0]])
    assert np.isnan(average_cap(o, s, unmatched="nearest").item())
    assert np.isnan(individual_cap(o, s, unmatched="nearest").values).all()
    assert np.isnan(nearest_distance(o, s).values).all()
    assert average_cap(o, s, radius=2).item() == 0
    assert np.isnan(average_cap(o, s, radius=2, unmatched="drop").item())


# The oracle


@theorem
@given(cases())
def test_each_convention_is_that_of_a_loop_over_all_pairs_of_keys(case):
    keys, o, s = case
    tables = labelled(keys, o, s)
    for few in (0, neighbours.FEW):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(neighbours, "FEW", few)
            for unmatched, radius in conventions(len(keys[0])):
                found = individual_cap(*tables, unmatched=unmatched, radius=radius)
                np.testing.assert_array_equal(found, caps(keys, s, unmatched, radius))
                average = average_cap(*tables, unmatched=unmatched, radius=radius).item()
                expected = mean_over_people(keys, o, s, unmatched, radius)
                np.testing.assert_allclose(average, np.nan if expected is None else float(expected), rtol=1e-14)


@theorem
@given(cases())
def test_the_commonest_answer_is_right_for_the_people_of_a_loop_over_all_pairs_of_keys(case):
    keys, o, s = case
    dense = labelled(keys, o, s)
    cells = [array.copy(data=sparse.COO.from_numpy(array.values)) for array in dense]
    for held, few, full in [(dense, neighbours.FEW, 1), (dense, 0, 1), (cells, neighbours.FEW, neighbours.FULL), (cells, 0, 5)]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(neighbours, "FEW", few)
            patch.setattr(neighbours, "FULL", full)
            for unmatched in ("zero", "drop", "nearest"):
                found = correct_predictions(*held, unmatched=unmatched).item()
                np.testing.assert_allclose(found, predicted_over_people(keys, o, s, unmatched), rtol=1e-14)


@theorem
@given(cases())
def test_distance_is_the_least_over_all_synthetic_keys(case):
    keys, o, s = case
    held = [key for key, m in zip(keys, s.sum(0), strict=True) if m]
    expected = [min((sum(x != y for x, y in zip(mine, other, strict=True)) for other in held), default=np.nan) for mine in keys]
    np.testing.assert_array_equal(nearest_distance(*labelled(keys, o, s)), expected)


@theorem
@given(cases(), st.sampled_from([0.1, 1e-9, 1e12]), st.sampled_from([0, neighbours.FEW]))
def test_fractional_weights_pool_as_records_do(case, scale, few):
    """No rest is left where nobody lends, however unequal the weights."""
    keys, o, s = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "FEW", few)
        for unmatched, radius in conventions(len(keys[0])):
            expected = caps(keys, s, unmatched, radius)
            found = individual_cap(*labelled(keys, o, s * scale + 0.0), unmatched=unmatched, radius=radius)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_small_weight_beside_a_large_one_is_not_lost(way):
    keys = [(a, b, c) for a in "xy" for b in "xy" for c in "xy"]
    s = np.zeros((2, 8))
    s[0, 0], s[:, 7] = 1e12 + 0.5, (1e-6, 3e-6)
    found = individual_cap(*labelled(keys, np.ones((2, 8)), s), radius=1).values
    np.testing.assert_allclose(found[:, 6], [0.25, 0.75], rtol=1e-6)
    assert found[:, 1].tolist() == [1, 0]


def test_counts_near_2_to_the_53_stay_exact(way):
    """The sums of inclusion and exclusion pass 2**63 on their way and come back."""
    keys = [(a, b, c, d) for a in "xy" for b in "xy" for c in "xy" for d in "xy"]
    s = np.full((2, 16), 2**47, np.int64)
    s[0] += np.arange(16)
    o, s_labelled = labelled(keys, np.ones((2, 16), np.int64), s)
    for radius in range(1, 5):
        expected = caps(keys, s, "zero", radius)
        np.testing.assert_array_equal(individual_cap(o, s_labelled, radius=radius), expected)
    s[:, ::3] = 0
    expected = caps(keys, s, "nearest")
    np.testing.assert_array_equal(individual_cap(o, labelled(keys, s)[0], unmatched="nearest"), expected)


# Theorems


@theorem
@given(cases())
def test_the_largest_radius_is_the_crossed_baseline(case):
    """Part 4 of theory/attacks.md#neighbours, where both tables hold records."""
    keys, o, s = case
    if o.any() and s.any():
        tables = labelled(keys, o, s)
        for unmatched in ("zero", "drop"):
            average = average_cap(*tables, unmatched=unmatched, radius=len(keys[0]))
            np.testing.assert_allclose(average, baseline_cap(*tables, kind="crossed"), rtol=1e-13)


@theorem
@given(cases())
def test_radius_0_is_versions_1_and_2_and_nearest_is_version_1_where_all_keys_are_matched(case):
    keys, o, s = case
    o_labelled, s_labelled = labelled(keys, o, s)
    for unmatched in ("zero", "drop"):
        xr.testing.assert_identical(
            average_cap(o_labelled, s_labelled, unmatched=unmatched, radius=0), average_cap(o_labelled, s_labelled, unmatched=unmatched)
        )
        np.testing.assert_array_equal(average_cap(o_labelled, s_labelled, unmatched=unmatched), average_cap(o, s, unmatched=unmatched))
    np.testing.assert_array_equal(average_cap(o_labelled, s_labelled + 1, unmatched="nearest"), average_cap(o, s + 1))
    for unmatched in ("drop", "nearest"):
        np.testing.assert_array_equal(correct_predictions(o_labelled, s_labelled + 1, unmatched=unmatched), correct_predictions(o, s + 1))


def test_labels_decide_which_keys_are_near(way):
    """`s` stands in another order, and knows a key that `o` does not."""
    keys = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    o = labelled(keys[:3], [[1, 2, 3], [4, 5, 6]])[0]
    s = labelled([keys[3], keys[0]], [[1, 2], [3, 0]])[0]
    # (a, y) and (b, x) are 1 away from both (b, y), 1 of 4, and (a, x), 2 of 2: 3 of 6.
    caps = individual_cap(o, s, unmatched="nearest")
    assert caps.sel(k0="a", k1="y").values.tolist() == caps.sel(k0="b", k1="x").values.tolist() == [0.5, 0.5]
    assert caps.sel(k0="b", k1="y").values.tolist() == [0.25, 0.75]


# Every other dim broadcasts


def test_distances_in_a_batch_count_from_the_keys_of_each_table(way):
    """Keys (a, x), (a, y), (b, y); one table has the first of them, the other the last."""
    o, s = labelled([("a", "x"), ("a", "y"), ("b", "y")], [[1, 1, 1]], [[[1, 0, 0]], [[0, 0, 1]]])
    assert nearest_distance(o, s).values.tolist() == [[0, 1, 2], [2, 1, 0]]


def test_keys_without_records_borrow_too(way):
    """The domain is what the table shows."""
    frames = [{"a": ["x", "y"], "b": ["u", "v"], "t": [1, 2]}, {"a": ["x", "x"], "b": ["u", "u"], "t": [1, 2]}]
    tables = full_domain(tabulate(*frames, keys=["a", "b"], target="t"))
    caps = individual_cap(tables.o, tables.s, unmatched="nearest")
    assert caps.sel(a="y", b="u").values.tolist() == [0.5, 0.5]


# Bad input


MEASURES = [individual_cap, average_cap]


@pytest.mark.parametrize("tables", [([[1, 2]], [[2, 1]]), from_counts([[1, 2]], [[2, 1]]).data_vars.values()], ids=["arrays", "numbered"])
def test_keys_without_labels_cannot_be_compared(tables):
    for measure in MEASURES:  # test_every_measure.py has the nearest keys
        with pytest.raises(ValueError, match=r"`radius` 1 compares keys column by column.*key_labels"):
            measure(*tables, radius=1)
    with pytest.raises(ValueError, match=r"The distance between keys.*key_labels"):
        nearest_distance(*tables)


def test_labels_without_a_name_are_one_key_column():
    tables = from_counts([[1, 2]], [[2, 0]], key_labels=["b", "a"])
    assert average_cap(tables.o, tables.s, unmatched="nearest").item() == 1
    assert average_cap(tables.o, tables.s.values, unmatched="nearest").item() == 1


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"unmatched": "nearest", "radius": 1}, '`unmatched` "nearest" needs radius 0.*got radius 1.*Give unmatched="zero" or "drop"'),
        ({"radius": -1}, r"`radius` must be 0, 1, \.\.\. up to the number of key columns; got -1"),
        ({"radius": 1.0}, r"`radius` must be 0, 1, .*; got 1\.0"),
        ({"radius": True}, "`radius` must be 0, 1, .*; got True"),
        ({"radius": None}, "`radius` must be 0, 1, .*; got None"),
        ({"radius": [0, 1]}, r"`radius` must be 0, 1, .*; got list"),
        ({"radius": np.array([0, 1])}, r"`radius` must be 0, 1, .*; got ndarray"),
        ({"radius": 3}, "`radius` must be at most the number of key columns, 2; got 3"),
    ],
)
def test_options_that_make_no_sense_raise(measure, how, message):
    with pytest.raises(ValueError, match=message):
        measure(*labelled([("a", "x"), ("b", "y")], [[1, 2]], [[0, 1]]), **how)


def test_a_radius_may_be_a_numpy_integer():
    tables = labelled([("a", "x"), ("b", "y")], [[1, 2]], [[0, 1]])
    assert average_cap(*tables, radius=np.int8(2)).item() == 1


def test_the_commonest_answer_of_the_nearest_of_many_keys_is_the_same_on_both_backings():
    rng = np.random.default_rng(0)
    o, s = ({**{c: rng.integers(0, 12, 2000) for c in "abcd"}, "t": rng.integers(0, 3, 2000)} for _ in range(2))
    dense, sparse = (tabulate(o, s, keys=list("abcd"), target="t", backing=backing) for backing in ("dense", "sparse"))
    assert correct_predictions(sparse, unmatched="nearest").item() == correct_predictions(dense, unmatched="nearest").item()


def test_nearest_keys_are_not_searched_unasked_where_that_takes_long(monkeypatch):
    monkeypatch.setattr(neighbours, "LONG", 0)
    whys = {}
    for keys in ("aab", "aac"):
        tables = tabulate({"k": [*"aab"], "t": [*"xyx"]}, {"k": [*keys], "t": [*"xyy"]}, keys="k", target="t")
        whys[keys] = neighbours.without_nearest(Aligned({"o": tables.o, "s": tables.s}))
    assert whys["aab"] == ""  # nothing to compare
    assert whys["aac"].startswith("comparing the keys in 1 column takes long")
