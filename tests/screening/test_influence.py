"""Average CAP without a record, a cell, a key class: against removing them one by one and counting again, in exact fractions."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import sparse
import xarray as xr
from exact_caps import alone, labelled, mean_over_people, random_pairs
from hypothesis import given, settings
from strategies import table_pairs, theorem

from capstats import MISSING, average_cap, from_counts, tabulate
from capstats.datasets import paper_originals, paper_synthetics
from capstats.screening import cap_influence, rank_removals

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

both_versions = pytest.mark.parametrize("unmatched", ["zero", "drop"])
every_convention = pytest.mark.parametrize("unmatched", ["zero", "drop", "nearest"])
WAYS = [("record", "original"), ("record", "synthetic")]
WAYS += [(unit, of) for unit in ("cell", "key") for of in ("original", "synthetic", "both")]
every_way = pytest.mark.parametrize(("unit", "of"), WAYS)

pairs = table_pairs(4, 4, empty=True)


def average(o, s, unmatched, keys=None):
    """Average CAP in exact fractions; None where no record counts."""
    return mean_over_people(keys or alone(len(o[0])), o, s, unmatched)


def without(o, s, unit, of, i, j):
    """The tables without one record or all records of a cell, or those of a key; None where there is nothing to remove."""
    o, s = ([list(map(int, row)) for row in table] for table in (o, s))
    chosen = [table for table, name in ((o, "original"), (s, "synthetic")) if of in (name, "both")]
    cells = [(k, j) for k in range(len(o))] if unit == "key" else [(i, j)]
    if not any(table[a][b] for table in chosen for a, b in cells):
        return None
    for table in chosen:
        for a, b in cells:
            table[a][b] -= 1 if unit == "record" else table[a][b]
    return o, s


def one_by_one(o, s, unit, of, unmatched, keys=None):
    """What average CAP becomes, and by how much it changes, for every removal."""
    shape = (1, len(o[0])) if unit == "key" else np.shape(o)
    before = average(o, s, unmatched, keys)
    after, change = np.full(shape, np.nan), np.full(shape, np.nan)
    for i, j in np.ndindex(shape):
        left = without(o, s, unit, of, i, j)
        value = None if left is None else average(*left, unmatched, keys)
        if value is not None:
            after[i, j], change[i, j] = value, value - before
    return (after[0], change[0]) if unit == "key" else (after, change)


@both_versions
@every_way
def test_closed_forms_are_those_of_removing_and_counting_again(unit, of, unmatched):
    for o, s in random_pairs(1, 60):
        found = cap_influence(o, s, unit=unit, of=of, unmatched=unmatched)
        after, change = one_by_one(o, s, unit, of, unmatched)
        np.testing.assert_allclose(found.average_cap, after, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(found.change, change, rtol=1e-13, atol=1e-15)


def labelled_pairs(seed, number):
    """Tables of few records over three key columns, so that many keys are unmatched and have several nearest ones, or one."""
    rng = np.random.default_rng(seed)
    keys = list(product(range(3), range(3), range(2)))
    for _ in range(number):
        cells = [
            np.bincount(rng.integers(0, 3 * len(keys), n), minlength=3 * len(keys)) * rng.integers(1, 4) for n in rng.integers(1, 12, 2)
        ]
        yield labelled(keys, *(x.reshape(3, -1) for x in cells))


@every_way
def test_removals_by_nearest_keys_are_those_of_removing_and_counting_again(unit, of):
    """A removal may unmatch a key, whose people and readers then take the next nearest keys."""
    undefined = 0
    for o, s in labelled_pairs(11, 12):
        found = cap_influence(o, s, unit=unit, of=of)
        assert found.attrs["unmatched"] == "nearest"
        after, change = one_by_one(o.values, s.values, unit, of, "nearest", list(o.indexes["key"]))
        np.testing.assert_allclose(found.average_cap, after, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(found.change, change, rtol=1e-12, atol=1e-15)
        undefined += np.isnan(after).sum()
    assert undefined


def test_the_people_of_an_emptied_key_use_the_next_nearest_keys_by_hand():
    # Without ("a", "x") its 2 people, both ill, use ("a", "y") and ("b", "x"), of whose 4 records 1 is ill: 2 * 1/4, and not 0.
    # The person of ("b", "y"), who is well, used these two as well, and still does: 3/4.
    keys = {"k": ["a", "a", "b", "b"], "g": ["x", "y", "x", "y"]}
    tables = from_counts([[2, 0, 0, 0], [0, 0, 0, 1]], [[3, 1, 0, 0], [0, 1, 2, 0]], key_labels=keys)
    found = cap_influence(tables.o, tables.s, unit="key", of="synthetic")
    assert found.average_cap.values[0] == pytest.approx((2 / 4 + 3 / 4) / 3, rel=1e-15)
    assert cap_influence(tables.o, tables.s, unit="key", of="synthetic", unmatched="zero").average_cap.values[0] == 0
    # Without ("b", "x") the last person uses ("a", "y") alone: 1/2.
    assert found.average_cap.values[2] == pytest.approx((2 + 1 / 2) / 3, rel=1e-15)


def test_keys_without_labels_have_no_nearest_ones_and_the_result_says_so():
    o, s = [[2, 1, 0], [2, 3, 2]], [[1, 0, 0], [3, 0, 2]]
    assert cap_influence(o, s).attrs["unmatched"] == rank_removals(o, s).attrs["unmatched"] == "zero"
    xr.testing.assert_equal(cap_influence(o, s), cap_influence(o, s, unmatched="zero"))
    tables = people()
    assert rank_removals(tables.o, tables.s).attrs["unmatched"] == "nearest"
    assert cap_influence(tables.o, tables.s, unmatched="drop").attrs["unmatched"] == "drop"


@theorem
@given(pairs)
def test_squared_changes_are_the_jackknife_of_the_standard_error(tables):
    """(n - 1)/n times the sum of squares is the squared standard error of the mean of q over the records."""
    o, s = tables
    n = int(o.sum())
    if n < 2:
        return
    q = np.repeat((s / np.maximum(s.sum(0), 1)).ravel(), o.ravel())
    change = np.nan_to_num(cap_influence(o, s).change.values)
    assert (n - 1) / n * (o * change**2).sum() == pytest.approx(q.var(ddof=1) / n, rel=1e-10, abs=1e-25)


@theorem
@given(pairs)
def test_changes_of_synthetic_records_add_up_to_0_in_a_key_that_has_two(tables):
    """And to minus the key's share of CAP where it has one: part 2 of theory/columns.md#influence."""
    o, s = tables
    if not o.any():
        return
    change = np.nan_to_num(cap_influence(o, s, of="synthetic").change.values)
    by_key = (s * change).sum(0)
    lonely = s.sum(0) == 1
    np.testing.assert_allclose(by_key[~lonely], 0, atol=1e-13)
    np.testing.assert_allclose(by_key[lonely], -(o * s).sum(0)[lonely] / o.sum(), atol=1e-15)


def together(o, s, unmatched, removals):
    """By how much average CAP changes when all removals (unit, of, i, j) are made, in exact fractions; None where it is undefined."""
    before, left = average(o, s, unmatched), (o, s)
    for removal in removals:
        left = without(*left, *removal)
    after = average(*left, unmatched)
    return None if before is None or after is None else after - before


@pytest.mark.parametrize(
    ("unmatched", "removals"),
    [
        ("zero", [("record", "synthetic", 0, 0), ("record", "synthetic", 1, 0)]),  # in one key
        ("zero", [("record", "original", 0, 0), ("record", "original", 0, 1)]),  # people of two keys
        ("zero", [("cell", "both", 0, 0), ("cell", "synthetic", 1, 1)]),  # people of one, synthetic records of another
        ("drop", [("key", "synthetic", 0, 0), ("key", "synthetic", 0, 1)]),  # keys that become unmatched
    ],
)
def test_other_removals_need_not_add_up(unmatched, removals):
    o, s = np.array([[3, 1, 2], [1, 4, 2]]), np.array([[1, 2, 1], [3, 1, 0]])
    assert together(o, s, unmatched, removals) != sum(together(o, s, unmatched, [one]) for one in removals)


def test_synthetic_removals_in_two_keys_by_hand():
    # c = (3*1 + 1*3)/4 + (1*2 + 3*1)/3 = 3/2 + 5/3, n = 8. Without the record of cell (0, 0): c_0 = 1, so -1/2 of 8.
    # Without those of cell (1, 1): c_1 = 1, so -2/3 of 8. Together -(1/2 + 2/3)/8.
    o, s, left = np.array([[3, 1], [1, 3]]), np.array([[1, 2], [3, 1]]), np.array([[0, 2], [3, 0]])
    change = cap_influence(o, s, unit="cell", of="synthetic").change.values
    assert (change[0, 0], change[1, 1]) == pytest.approx((-1 / 16, -1 / 12), rel=1e-14)
    assert change[0, 0] + change[1, 1] == pytest.approx((average_cap(o, left) - average_cap(o, s)).item(), rel=1e-14)
    # Without key 0 in both tables 4 people are left, and c = 5/3.
    assert cap_influence(o, s, unit="key", of="both").average_cap.values[0] == pytest.approx(5 / 12, rel=1e-15)


@every_way
@both_versions
@settings(max_examples=25)
@given(tables=pairs)
def test_the_list_is_in_the_order_of_the_exact_changes_and_ties_in_that_of_the_table(tables, unit, of, unmatched):
    """Changes that are equal as fractions may differ in their last bits; they keep the order of the table."""
    o, s = tables
    if unit != "key" or of != "original":
        o[0, 0] += 1
        s[0, 0] += 1
    exact, whole = {}, average(o, s, unmatched)
    for i, j in np.ndindex((1, o.shape[1]) if unit == "key" else o.shape):
        left = without(o, s, unit, of, i, j)
        changed = None if left is None or whole is None else average(*left, unmatched)
        if changed is not None:
            exact[j if unit == "key" else (i, j)] = changed
    found = rank_removals(o, s, unit=unit, of=of, unmatched=unmatched).dropna(subset="change")
    listed = found["key_"].tolist() if unit == "key" else list(zip(found["target_"], found["key_"], strict=True))
    assert listed == sorted(exact, key=exact.get)


def test_small_changes_are_ranked():
    """Of very many people few are guessed: the changes are -0.5e-13 and -1e-13."""
    o, s = [[1, 1, 10**13], [0, 0, 0]], [[1, 1, 0], [1, 0, 1]]
    found = rank_removals(o, s)
    assert found["key_"].tolist() == [1, 0, 2]
    assert found.change.tolist() == pytest.approx([-1e-13, -0.5e-13, 0], rel=1e-12)


def test_the_last_record_leaves_no_average():
    assert np.isnan(cap_influence([[1]], [[2]]).to_array()).all()
    assert np.isnan(cap_influence([[1, 3]], [[2, 0]], unmatched="drop").average_cap.values[0, 0])
    assert cap_influence([[1, 3]], [[2, 0]], unmatched="drop").average_cap.values[0, 1] == 1
    assert np.isnan(cap_influence([[0]], [[2]], of="synthetic").to_array()).all()


def test_weights_lose_cells_and_keys_but_no_single_record():
    o, s = np.array([[2, 1], [2, 3]]), np.array([[1, 2], [3, 0]])
    for unit in ("cell", "key"):
        for of in ("original", "synthetic", "both"):
            whole = cap_influence(o, s, unit=unit, of=of)
            found = cap_influence(0.3 * o, 0.7 * s, unit=unit, of=of)
            np.testing.assert_allclose(found.average_cap, whole.average_cap, rtol=1e-13)
    with pytest.raises(ValueError, match=r"`o` must hold integers for one record to be removed"):
        cap_influence(0.3 * o, s)
    assert cap_influence(o, 0.7 * s).sizes == {"target": 2, "key": 2}
    with pytest.raises(ValueError, match=r"`s` must hold integers for one record to be removed"):
        cap_influence(o, xr.DataArray(sparse.COO.from_numpy(0.7 * s), dims=("target", "key")), of="synthetic")


def test_one_record_of_very_many():
    """The change is not lost in the rounding of the average: (1/2 - 1/3) / (n - 1)."""
    n = 3 * 10**15
    change = cap_influence([[n // 3], [2 * n // 3]], [[1], [1]]).change.values
    np.testing.assert_array_equal(change, 0)
    change = cap_influence([[n // 3], [2 * n // 3]], [[1], [2]]).change.values[:, 0]
    average = 5 / 9
    np.testing.assert_allclose(change, [(average - 1 / 3) / (n - 1), (average - 2 / 3) / (n - 1)], rtol=1e-14)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "row"}, '`unit` must be "record", "cell" or "key"; got \'row\''),
        ({"of": "o"}, '`of` must be "original", "synthetic" or "both"; got \'o\''),
        ({"of": "both"}, "A single record is removed from one table"),
        ({"unmatched": "next"}, '`unmatched` must be "zero"'),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        cap_influence([[1]], [[1]], **options)


# The ranked list


def people():
    original = {"sex": ["f", "f", "m", "m", None, None, "f"], "age": [1, 2, 1, 1, 2, 2, 2], "ill": ["a", "b", "a", "b", "b", None, "b"]}
    synthetic = {"sex": ["f", "f", "m", None, None, "x"], "age": [1, 2, 1, 2, 2, 1], "ill": ["a", "b", "b", "b", "b", "a"]}
    return tabulate(original, synthetic, keys=["sex", "age"], target="ill")


def test_key_classes_are_listed_by_what_their_suppression_changes():
    # q: f1 a 1 of 1, f2 b 2 of 2, m1 b 1 of 2, missing 2 b 1 of 2 (and 0 of the missing target). x1 has no original record.
    tables = people()
    frame = rank_removals(tables.o, tables.s, unmatched="zero")
    assert frame.columns.tolist() == ["sex", "age", "o", "s", "average_cap", "change"]
    assert [None if pd.isna(x) else x for x in frame.sex] == ["f", "f", "m", None, "x"]
    assert frame.age.tolist() == [2, 1, 1, 2, 1]
    assert frame.o.tolist() == [2, 1, 2, 2, 0]
    assert frame.s.tolist() == [1, 1, 1, 2, 1]
    np.testing.assert_allclose(frame.change, [-2 / 7, -1 / 7, -1 / 7, -1 / 7, 0], rtol=1e-14)
    np.testing.assert_allclose(frame.average_cap, np.array([3, 4, 4, 4, 5]) / 7, rtol=1e-14)


@every_convention
@every_way
def test_the_list_has_every_removal_once_on_both_backings(unit, of, unmatched):
    tables = people()
    options = {"unit": unit, "of": of, "unmatched": unmatched}
    frame = rank_removals(tables.o, tables.s, **options)
    assert frame.change.dropna().is_monotonic_increasing
    found = cap_influence(tables.o, tables.s, **options).change
    assert sorted(frame.change.dropna()) == sorted(found.values[~np.isnan(found.values)])
    for row in frame.to_dict("records"):
        at = {name: MISSING if pd.isna(row[name]) else row[name] for name in ("sex", "age")}
        at |= {} if unit == "key" else {"target": MISSING if pd.isna(row["ill"]) else row["ill"]}
        np.testing.assert_array_equal(found.sel(at).item(), row["change"])
        assert (tables.o.sel(at).sum().item(), tables.s.sel(at).sum().item()) == (row["o"], row["s"])
    stored = rank_removals(*(x.copy(data=sparse.COO.from_numpy(x.values)) for x in (tables.o, tables.s)), **options)
    pd.testing.assert_frame_equal(stored, frame)


def test_there_is_one_list_for_one_pair_of_tables():
    with pytest.raises(ValueError, match=r"one pair of tables; got dims \('original', 'synthetic', 'key'\)\. Choose one, such as s\.isel"):
        rank_removals(paper_originals(), paper_synthetics())
    tables = from_counts([[1, 2]], {"a": [[1, 1]], "b": [[2, 1]]})
    for unit in ("key", "cell"):
        with pytest.raises(ValueError, match=r"one pair of tables; got dims \('synthetic', .*'key'\)\. Choose one, such as s\.isel"):
            rank_removals(tables.o, tables.s, unit=unit)
    assert len(rank_removals(tables.o, tables.s.sel(synthetic="b"))) == 2


@theorem
@given(pairs)
def test_changes_of_synthetic_keys_add_up_to_minus_the_average(tables):
    o, s = tables
    if not o.any():
        return
    change = cap_influence(o, s, unit="key", of="synthetic").change
    assert change.sum().item() == pytest.approx(-average_cap(o, s).item(), rel=1e-13, abs=1e-15)
