"""Individual and average CAP, matched records, correct predictions.

The oracles are written out from records, one loop over people, in exact fractions; they use nothing of capstats.
"""

import functools
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, table_pairs

from capstats import average_cap, correct_predictions, from_counts, individual_cap, matched_records
from capstats.datasets import paper_originals, paper_synthetics

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

MEASURES = (individual_cap, average_cap, matched_records, correct_predictions)
TAKE_UNMATCHED = (individual_cap, average_cap)
ORDERS = [
    ("draw", "synthetic", "target", "key"),
    ("key", "target", "synthetic", "draw"),
    ("target", "draw", "key", "synthetic"),
    ("synthetic", "key", "draw", "target"),
    ("target", "key", "draw", "synthetic"),
]
both_versions = pytest.mark.parametrize("unmatched", ["zero", "drop"])

theorem = examples(150)
pairs_of_tables = functools.partial(table_pairs, most=30)


# The oracles


def records(table):
    """One (target, key) pair a record."""
    return [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(int(count))]


def person_by_person(o, s, unmatched="zero"):
    """The individual CAP of every original record; those without a partner count 0 or are left out."""
    pairs, keys = Counter(records(s)), Counter(j for _, j in records(s))
    caps = [Fraction(pairs[i, j], keys[j]) if keys[j] else None for i, j in records(o)]
    return [cap or Fraction(0) for cap in caps if cap is not None or unmatched == "zero"]


def mean_over_people(o, s, unmatched="zero"):
    caps = person_by_person(o, s, unmatched)
    return float(sum(caps, Fraction(0)) / len(caps)) if caps else np.nan


def from_cells(o, s, unmatched="zero"):
    """Average CAP from counts in exact fractions, for counts that are too many to write out as records."""
    keys = range(len(o[0]))
    s_j = [sum(int(row[j]) for row in s) for j in keys]
    c = sum(Fraction(sum(int(o_i[j]) * int(s_i[j]) for o_i, s_i in zip(o, s, strict=True)), s_j[j]) for j in keys if s_j[j])
    n = sum(int(row[j]) for row in o for j in keys if s_j[j] or unmatched == "zero")
    return Fraction(c, n)


def people_predicted(o, s):
    """How many records an intruder predicts who names a most frequent target of the key, at random where several tie."""
    pairs = Counter(records(s))
    right = Fraction(0)
    for i, j in records(o):
        greatest = max(pairs[k, j] for k in range(len(s)))
        modes = [k for k in range(len(s)) if greatest > 0 and pairs[k, j] == greatest]
        right += Fraction(i in modes, len(modes) or 1)
    return float(right)


def random_pair(rng, targets=None, keys=None):
    """Two tables with many empty cells, and keys that one of them or both lack."""
    shape = (targets or rng.integers(1, 5), keys or rng.integers(1, 7))
    o, s = (rng.integers(0, rng.integers(2, 9), shape) * (rng.random(shape) < 0.6) for _ in range(2))
    o[0, 0] += 1
    s[-1, -1] += 1
    return o, s


# Printed and hand-derived values


def test_average_cap_of_the_paper_is_as_printed():
    """Section 4: about 0.31, 0.35, 0.318 and 0.309, and 1 for O_2 with itself."""
    caps = average_cap(paper_originals(), paper_synthetics())
    assert caps.dims == ("original", "synthetic")
    assert round(caps.sel(original="O_3", synthetic="b").item(), 2) == 0.31
    assert round(caps.sel(original="O_3", synthetic="g").item(), 2) == 0.35
    assert round(caps.sel(original="O_4", synthetic="a").item(), 3) == 0.318
    assert round(caps.sel(original="O_4", synthetic="e").item(), 3) == 0.309
    assert average_cap(paper_originals(), paper_originals()).sel(original="O_2").item() == 1


def test_correct_predictions_of_the_paper_are_as_printed():
    """Section 4: 134 records of O_4 with S_a, 272 with S_e."""
    right = correct_predictions(paper_originals(), paper_synthetics()).sel(original="O_4")
    assert right.sel(synthetic="a").item() == 134
    assert right.sel(synthetic="e").item() == 272


def test_unmatched_key_counts_zero_or_is_left_out():
    # Key 0: (3 * 1 + 1 * 3) / 4 = 6 / 4. Key 1 is not in s: its 2 + 4 records count 0, or not at all. n = 10, n_M = 4.
    o, s = [[3, 2], [1, 4]], [[1, 0], [3, 0]]
    assert average_cap(o, s).item() == 1.5 / 10
    assert average_cap(o, s, unmatched="drop").item() == 1.5 / 4
    assert matched_records(o, s).item() == 4
    assert individual_cap(o, s).values.tolist() == [[0.25, 0], [0.75, 0]]
    np.testing.assert_array_equal(individual_cap(o, s, unmatched="drop"), [[0.25, np.nan], [0.75, np.nan]])
    assert correct_predictions(o, s).item() == 1  # target 1 is named for key 0, where one record has it


def test_cap_is_one_when_every_key_is_pure_and_the_tables_agree():
    o = [[7, 0, 0], [0, 2, 1]]
    assert average_cap(o, [[1, 0, 0], [0, 5, 9]]).item() == 1
    assert correct_predictions(o, [[1, 0, 0], [0, 5, 9]]).item() == 10


def test_cap_is_zero_when_no_record_has_the_right_target():
    o, s = [[7, 0], [0, 2]], [[0, 4], [3, 0]]
    assert average_cap(o, s).item() == average_cap(o, s, unmatched="drop").item() == 0
    assert correct_predictions(o, s).item() == 0


def test_tied_targets_share_the_prediction():
    # Targets 0 and 1 tie for key 0, all three tie for key 1: 4/2 + 2/2 + (3 + 6 + 9)/3 = 9.
    assert correct_predictions([[4, 3], [2, 6], [1, 9]], [[5, 1], [5, 1], [4, 1]]).item() == 9


# The oracles, on random tables


@both_versions
def test_measures_are_those_of_a_loop_over_people(unmatched):
    rng = np.random.default_rng(1)
    for _ in range(250):
        o, s = random_pair(rng)
        caps = individual_cap(o, s, unmatched=unmatched).values
        people = [caps[i, j] for i, j in records(o) if not np.isnan(caps[i, j])]
        assert people == [float(cap) for cap in person_by_person(o, s, unmatched)]
        np.testing.assert_allclose(average_cap(o, s, unmatched=unmatched).item(), mean_over_people(o, s, unmatched), rtol=1e-14)
        assert matched_records(o, s).item() == len(person_by_person(o, s, "drop"))
        np.testing.assert_allclose(correct_predictions(o, s).item(), people_predicted(o, s), rtol=1e-14)


@both_versions
def test_average_cap_of_huge_counts_is_that_of_exact_fractions(unmatched):
    """Counts up to 2**49, whose products are far beyond 2**63."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        shape = (rng.integers(2, 4), rng.integers(2, 5))
        o, s = (2 ** rng.integers(0, 50, shape) + rng.integers(-1, 2, shape) * (rng.random(shape) < 0.5) for _ in range(2))
        s[:, 0] *= rng.integers(0, 2)
        exact = float(from_cells(o.tolist(), s.tolist(), unmatched))
        assert average_cap(o, s, unmatched=unmatched).item() == pytest.approx(exact, rel=1e-14, abs=0)


def test_products_of_counts_beyond_int64_do_not_overflow():
    """As many records as a table may hold: the products are about 2**102."""
    top = 2**51
    assert average_cap([[top, 1], [1, top]], [[top, 1], [1, top]]).item() == pytest.approx(1, rel=1e-15)
    assert average_cap([[top, top]], [[top, top]]).item() == 1
    assert matched_records([[top, top], [top - 1, 0]], [[0, 1], [top, 0]]).item() == 3 * top - 1
    assert correct_predictions([[top], [top]], [[1], [1]]).item() == top
    assert individual_cap([[1], [1]], [[top], [top]]).values.tolist() == [[0.5], [0.5]]
    one_cell = [[2**53 - 1]]
    assert average_cap(one_cell, one_cell).item() == 1
    assert matched_records(one_cell, one_cell).item() == 2**53 - 1


@pytest.mark.few(1)
@pytest.mark.parametrize("scale", [0.37, 1e-9, 1e12])
def test_fractional_weights_count_as_records_do(scale):
    """CAP is a share: scaling either table changes nothing, and counts of records scale along."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        o, s = random_pair(rng)
        for unmatched in ("zero", "drop"):
            plain = average_cap(o, s, unmatched=unmatched)
            np.testing.assert_allclose(average_cap(scale * o, s / 3, unmatched=unmatched), plain, rtol=1e-13)
        np.testing.assert_allclose(matched_records(scale * o, s), scale * matched_records(o, s), rtol=1e-13)
        np.testing.assert_allclose(correct_predictions(scale * o, s), scale * correct_predictions(o, s), rtol=1e-13)


# Theorems


@examples(30)  # tests/laws/test_theorems.py has all small tables
@given(pairs_of_tables())
def test_version_1_is_version_2_times_the_matched_share(tables):
    """Part 3 of theory/cap.md#average-cap; 0 where version 2 is undefined."""
    o, s = tables
    share = matched_records(o, s) / o.sum()
    version_2 = average_cap(o, s, unmatched="drop")
    assert np.isnan(version_2) == (share == 0)
    np.testing.assert_allclose(average_cap(o, s), version_2.fillna(0) * share, rtol=1e-14)


@pytest.mark.slow
@theorem
@given(pairs_of_tables())
def test_average_cap_lies_between_the_means_of_the_least_and_greatest_counts_of_the_matched_keys(tables):
    """Lemma 1."""
    o, s = tables
    matched = s.sum(0) > 0
    n = o.sum()
    cap = average_cap(o, s).item()
    assert o.min(0)[matched].sum() / n - 1e-12 <= cap <= o.max(0)[matched].sum() / n + 1e-12
    assert o.min(0)[matched].sum() - 1e-9 <= correct_predictions(o, s).item() <= o.max(0)[matched].sum() + 1e-9


@pytest.mark.slow
@theorem
@given(pairs_of_tables(), st.integers(2, 9))
def test_average_cap_depends_on_the_synthetic_table_through_its_shares_only(tables, times):
    o, s = tables
    assert average_cap(o, times * s).item() == pytest.approx(average_cap(o, s).item(), rel=1e-14)
    assert correct_predictions(o, times * s).item() == correct_predictions(o, s).item()


# Labels decide, never positions


def labelled(o, s=None):
    o = np.asarray(o)
    keys = {"age": [f"{10 * (j // 2)}" for j in range(o.shape[1])], "sex": ["fm"[j % 2] for j in range(o.shape[1])]}
    return from_counts(o, s, key_labels=keys, target_labels={"income": [f"class {i}" for i in range(o.shape[0])]})


@pytest.mark.slow
@both_versions
def test_order_of_keys_and_targets_does_not_matter(unmatched):
    rng = np.random.default_rng(4)
    o, s = random_pair(rng, 3, 5)
    tables = labelled(o, s)
    straight = individual_cap(tables.o, tables.s, unmatched=unmatched)
    for _ in range(5):
        mixed = tables.s.isel(target=rng.permutation(3), key=rng.permutation(5))
        assert average_cap(tables.o, mixed, unmatched=unmatched).item() == average_cap(o, s, unmatched=unmatched).item()
        assert matched_records(tables.o, mixed).item() == matched_records(o, s).item()
        assert correct_predictions(tables.o, mixed).item() == correct_predictions(o, s).item()
        caps = individual_cap(tables.o, mixed, unmatched=unmatched)
        for i, target in enumerate(tables.indexes["target"]):
            for j, key in enumerate(tables.indexes["key"]):
                np.testing.assert_array_equal(caps.sel(target=target, key=key), straight.values[i, j])


def test_keys_and_targets_that_only_one_table_has_are_matched_by_label():
    """People of key b cannot be looked up, nobody has key c, and target z is not in `o`."""
    o = from_counts([[1, 2], [3, 4]], key_labels={"k": ["a", "b"]}, target_labels={"t": ["x", "y"]}).o
    s = from_counts([[6, 1], [2, 1]], key_labels={"k": ["c", "a"]}, target_labels={"t": ["z", "x"]}).o
    # On targets x, y, z and keys a, b, c: o has [1, 2, 0], [3, 4, 0], [0, 0, 0] and s has [1, 0, 2], [0, 0, 0], [1, 0, 6].
    assert average_cap(o, s).item() == (1 * 1 / 2) / 10
    assert average_cap(o, s, unmatched="drop").item() == (1 * 1 / 2) / 4
    caps = individual_cap(o, s)
    assert caps.sel(target="x", k="a").item() == 0.5
    assert caps.sel(target="y", k="b").item() == 0
    assert caps.sel(target="z", k="c").item() == 0.75
    assert caps.sizes == {"target": 3, "key": 3}


def test_positions_decide_where_no_table_is_labelled():
    o, s = [[1, 2], [3, 4]], [[4, 1], [0, 3]]
    tables = labelled(o, s)
    assert average_cap(tables.o, s).item() == average_cap(o, tables.s).item() == average_cap(o, s).item()


# Every other dim broadcasts


@pytest.mark.few(10)
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("dims", ORDERS, ids="-".join)
def test_extra_dims_broadcast_wherever_they_stand(measure, dims):
    rng = np.random.default_rng(5)
    o = xr.DataArray(rng.integers(0, 5, (3, 2, 4)) + 1, dims=("keyset", "target", "key"))
    s = xr.DataArray(rng.integers(0, 3, (5, 2, 2, 4)), dims=("draw", "synthetic", "target", "key"))
    s[0, 0] = [[1, 0, 2, 0], [0, 0, 1, 0]]
    options = {"unmatched": "drop"} if measure in TAKE_UNMATCHED else {}
    result = measure(o.transpose("key", "keyset", "target"), s.transpose(*dims), **options)
    assert set(result.dims) == {"keyset", "draw", "synthetic"} | ({"target", "key"} if measure is individual_cap else set())
    for keyset in range(3):
        for draw in range(5):
            for synthetic in range(2):
                one = measure(o[keyset].values, s[draw, synthetic].values, **options)
                np.testing.assert_array_equal(result.sel(keyset=keyset, draw=draw, synthetic=synthetic).values, one.values)


def test_many_tables_may_come_as_one_nested_list():
    o, s = [[1, 2], [3, 4]], [[[1, 0], [1, 1]], [[0, 0], [1, 5]], [[2, 2], [0, 1]]]
    caps = average_cap(o, s)
    assert caps.dims == ("draw",)
    assert caps.values.tolist() == [average_cap(o, table).item() for table in s]


@pytest.mark.parametrize("measure", MEASURES)
def test_a_large_batch_gives_what_its_parts_give(measure):
    """40,000 tables of nine cells, more than are computed at a time."""
    rng = np.random.default_rng(6)
    o = xr.DataArray(rng.integers(0, 9, (4, 3, 3)), dims=("original", "target", "key"))
    s = xr.DataArray(rng.integers(0, 4, (10_000, 3, 3)), dims=("draw", "target", "key"))
    whole = measure(o, s)
    for original in range(4):
        np.testing.assert_array_equal(whole.isel(original=original).values, measure(o[original], s).values)
    for draw in (0, 1, 4_999, 5_000, 9_999):
        np.testing.assert_array_equal(whole.isel(draw=draw).values, measure(o, s[draw]).values)


def test_labels_of_extra_dims_are_kept_and_must_agree():
    caps = average_cap(paper_originals(), paper_synthetics())
    assert caps.original.values.tolist() == ["O_1", "O_2", "O_3", "O_4"]
    assert caps.synthetic.values.tolist() == ["a", "b", "e", "g"]
    o = paper_originals().rename(original="synthetic")
    with pytest.raises(ValueError, match="disagree along 'synthetic'"):
        average_cap(o, paper_synthetics())


def test_members_of_a_batch_without_records_are_undefined():
    o = [[[0, 0], [0, 0]], [[1, 0], [0, 1]]]
    s = [[1, 0], [1, 0]]
    np.testing.assert_array_equal(average_cap(o, s), [np.nan, 0.25])
    np.testing.assert_array_equal(average_cap(o, s, unmatched="drop"), [np.nan, 0.5])
    assert matched_records(o, s).values.tolist() == [0, 1]
    assert average_cap([[1, 2]], [[0, 0]]).item() == 0
    assert np.isnan(average_cap([[1, 2]], [[0, 0]], unmatched="drop").item())
    assert np.isnan(average_cap([[0, 1]], [[1, 0]], unmatched="drop").item())


# What goes in and what comes out


def test_matched_records_are_integers_for_counts_and_floats_for_weights():
    assert matched_records([[1, 2]], [[1, 0]]).dtype == np.int64
    assert matched_records([[1.0, 2.0]], [[1, 0]]).dtype == np.int64
    assert matched_records([[1.5, 2]], [[1, 0]]).dtype == np.float64


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("measure", MEASURES)
def test_counts_of_any_number_type_give_the_same(measure, dtype):
    o, s = np.array([[1, 0], [1, 1]]), np.array([[1, 0], [0, 1]])
    np.testing.assert_array_equal(measure(o.astype(dtype), s.astype(dtype)).values, measure(o, s).values)


def test_small_integer_types_do_not_overflow():
    o, s = np.full((2, 2), 200, np.uint8), np.full((2, 2), 255, np.uint8)
    assert average_cap(o, s).item() == 0.5
    assert matched_records(o, s).item() == 800


@pytest.mark.parametrize("measure", MEASURES)
def test_tables_are_not_changed(measure):
    tables = labelled([[1, 2, 0], [3, 4, 0]], [[1, 0, 1], [1, 0, 0]])
    before = tables.copy(deep=True)
    mixed = tables.s.isel(key=[2, 0, 1])
    kept = mixed.copy(deep=True)
    measure(tables.o, mixed)
    xr.testing.assert_identical(tables, before)
    xr.testing.assert_identical(mixed, kept)


@pytest.mark.parametrize(
    ("measure", "name"),
    [(measure, measure.__name__) for measure in MEASURES],
)
def test_result_is_named_after_its_measure(measure, name):
    assert measure([[1]], [[1]]).name == name


BAD_TABLES = {
    "negative": ([[1, 2], [-2, 1]], ValueError, "must be non-negative; got -2 at key=0, target=1"),
    "negative fraction": ([[1, 2], [1, -0.5]], ValueError, "must be non-negative; got -0.5 at key=1, target=1"),
    "nan": ([[1, 2], [np.nan, 1]], ValueError, "must be finite; got nan at key=0, target=1"),
    "infinite": ([[1, np.inf], [2, 1]], ValueError, "must be finite; got inf at key=1, target=0"),
    "too large": ([[1, 2], [2**53 + 1, 1]], ValueError, r"2\*\*53.* at key=0, target=1"),
    "too many in all": ([[2**52, 2**52], [1, 1]], ValueError, r"fewer than 2\*\*53 records in all"),
    "text": ([["1", "2"], ["3", "4"]], TypeError, "must hold numbers"),
    "complex": ([[1j, 2], [3, 4]], TypeError, "must hold numbers"),
    "ragged": ([[1, 2], [3]], ValueError, "rows of different lengths"),
    "one row": ([1, 2], ValueError, "has 1 dimensions"),
    "four dims": (np.ones((1, 1, 2, 2)), ValueError, "has 4 dimensions"),
    "no rows": (np.ones((0, 2)), ValueError, "is empty: it has 0 targets, 2 keys"),
    "data frame": (pd.DataFrame({"a": [1, 2], "b": [3, 4]}), TypeError, "is a DataFrame.*tabulate.*from_counts"),
    "dataset": (from_counts([[1, 2], [3, 4]]), TypeError, "is a Dataset"),
    "other dims": (xr.DataArray([[1, 2], [3, 4]], dims=("row", "column")), ValueError, "lacks 'target', 'key'"),
    "other shape": ([[1, 2, 3], [3, 4, 5]], ValueError, "they must agree"),
}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("case", BAD_TABLES)
@pytest.mark.parametrize("place", ["o", "s"])
def test_bad_tables_raise_and_are_named(measure, case, place):
    table, error, message = BAD_TABLES[case]
    good = [[1, 2], [3, 4]]
    with pytest.raises(error, match=message) as caught:
        measure(**({"o": table, "s": good} if place == "o" else {"o": good, "s": table}))
    assert f"`{place}`" in str(caught.value)


def test_bad_cell_of_a_labelled_table_is_named_by_its_labels():
    table = labelled([[1, 2], [3, 4]]).o.copy()
    table[1, 0] = -7
    with pytest.raises(ValueError, match=r"`s` must be non-negative; got -7 at key=\('0', 'f'\), target='class 1'"):
        average_cap(labelled([[1, 2], [3, 4]]).o, table)


@pytest.mark.parametrize("measure", TAKE_UNMATCHED)
@pytest.mark.parametrize("unmatched", ["closest", "Zero", None, 0])
def test_unknown_convention_raises(measure, unmatched):
    with pytest.raises(ValueError, match=r'`unmatched` must be "zero".* "drop".* or "nearest"'):
        measure([[1]], [[1]], unmatched=unmatched)


def test_labels_that_occur_twice_raise():
    table = xr.DataArray([[1, 2]], dims=("target", "key"), coords={"key": ["a", "a"]})
    with pytest.raises(ValueError, match="has the key 'a' twice"):
        average_cap(table, [[1, 2]])


def test_labels_of_different_kinds_raise():
    number = from_counts([[1, 2]], key_labels={"k": [1, 2]}).o
    text = from_counts([[1, 2]], key_labels={"k": ["1", "2"]}).o
    with pytest.raises(TypeError, match="Column 'k' holds number labels in `o` and text labels in `s`"):
        average_cap(number, text)
