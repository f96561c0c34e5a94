"""Average CAP after a merge of two levels: against recoding the records and counting again."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import example, given
from strategies import table_pairs, theorem

from capstats import MISSING, average_cap, from_counts, individual_cap, tabulate
from capstats.datasets import paper_originals, paper_synthetics, smoking
from capstats.screening import rank_merges

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

every_convention = pytest.mark.parametrize("unmatched", ["zero", "drop", "nearest"])
pairs = table_pairs(empty=True)
COLUMNS = {"sex": ["f", "m", None], "age": [1, 2, 3, 4], "job": ["x", "y"], "ill": ["a", "b", "c", None], "paid": [True, False]}


def people(seed, n):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {name: pd.Series([levels[x] for x in rng.integers(0, len(levels), n)], dtype=object) for name, levels in COLUMNS.items()}
    )


def after_merge(o, s, column, levels, unmatched="nearest"):
    """Average CAP after a merge of two of these levels of a column, as a symmetric matrix; the present one on the diagonal."""
    found = rank_merges(o, s, columns=[column], unmatched=unmatched)
    frame = pd.DataFrame(average_cap(o, s, unmatched=found.attrs["unmatched"]).item(), levels, levels)
    for row in found.itertuples():
        frame.loc[row.level, row.other] = frame.loc[row.other, row.level] = row.average_cap
    return frame.to_numpy()


def recoded(records, column, level, other):
    """The records after one level of a column has become another."""
    old, new = (None if x is MISSING else x for x in (level, other))
    changed = [new if x == old or (x is None and old is None) else x for x in records[column]]
    return records.assign(**{column: pd.Series(changed, dtype=object)})


def test_the_smokers_by_hand():
    # Merging smokers and others: 25 of 100 are sick, 15 of 100 synthetic ones: (25 * 15 + 75 * 85) / 100 / 100.
    tables = smoking()
    assert rank_merges(tables.o, tables.s).average_cap.tolist() == pytest.approx([0.675], rel=1e-15)
    assert rank_merges(tables.o, tables.s, columns=["health"]).average_cap.tolist() == [1]


def test_merges_of_levels_bring_keys_nearer_by_hand():
    # The person of ("a", "x") is ill; of the nearest records, those of ("a", "y") and ("b", "x"), 1 of 2 is. If a and b are merged,
    # ("b", "x") alone is left, who is ill; if a and c are, ("c", "y") comes as near as those two, and 2 of 6 are ill.
    # The person of ("c", "y") is well, as 3 of 4 there are; if a and c are merged, ("a", "y") is the same key: 4 of 5.
    # If x and y are merged, the ill one has ("a", "y") alone, who is well.
    keys = {"k": ["a", "a", "b", "c"], "g": ["x", "y", "x", "y"]}
    tables = from_counts([[1, 0, 0, 0], [0, 0, 0, 1]], [[0, 0, 1, 1], [0, 1, 0, 3]], key_labels=keys)
    assert rank_merges(tables.o, tables.s).attrs["unmatched"] == "nearest"
    merged = after_merge(tables.o, tables.s, "k", [*"abc"])
    same, a_b, a_c = 1 / 2 + 3 / 4, 1 + 3 / 4, 2 / 6 + 4 / 5
    np.testing.assert_allclose(merged, np.array([[same, a_b, a_c], [a_b, same, same], [a_c, same, same]]) / 2, rtol=1e-15)
    assert after_merge(tables.o, tables.s, "g", [*"xy"])[0, 1] == 3 / 8
    # With merged targets everybody is guessed right, also who has no key of the release.
    assert after_merge(tables.o, tables.s, "target", [0, 1])[0, 1] == 1


@every_convention
@pytest.mark.parametrize("target", ["ill", ["ill", "paid"]])
def test_merges_are_those_of_recoding_the_records_and_counting_again(target, unmatched):
    o, s = people(1, 40), people(2, 30)
    keys = ["sex", "age", "job"]
    tables = tabulate(o, s, keys=keys, target=target)
    for column in [*keys, *np.atleast_1d(target).tolist()]:
        merged = rank_merges(tables.o, tables.s, columns=[column], unmatched=unmatched)
        levels = {MISSING if x is None else x for x in COLUMNS[column]}
        assert {frozenset(pair) for pair in zip(merged.level, merged.other, strict=True)} == {*map(frozenset, combinations(levels, 2))}
        for row in merged.itertuples():
            for level, other in ((row.level, row.other), (row.other, row.level)):
                again = tabulate(*(recoded(x, column, level, other) for x in (o, s)), keys=keys, target=target)
                assert row.average_cap == pytest.approx(average_cap(again.o, again.s, unmatched=unmatched).item(), rel=1e-13)


@theorem
@given(pairs)
def test_merging_targets_adds_the_confusion_of_the_two(tables):
    """Part 5 of theory/columns.md#influence: average CAP never falls, and merges of the target add up."""
    o, s = tables
    if not o.any():
        return
    confused = np.einsum("aj,bj->ab", o, individual_cap(o, s).values) / o.sum()
    merged = after_merge(o, s, "target", range(len(o)))
    expected = average_cap(o, s).item() + confused + confused.T
    off = ~np.eye(len(o), dtype=bool)
    np.testing.assert_allclose(merged[off], expected[off], rtol=1e-12, atol=1e-15)
    assert (merged >= average_cap(o, s).item() - 1e-14).all()


@theorem
@given(pairs)
def test_merging_keys_never_raises_cap_of_a_table_with_itself(tables):
    o, _ = tables
    if o.any():
        assert (rank_merges(o, o).average_cap <= average_cap(o, o).item() + 1e-14).all()


@theorem
@given(pairs)
def test_two_unmatched_keys_stay_so_and_a_matched_one_takes_the_other_along(tables):
    o, s = tables
    matched = s.sum(0) > 0
    merged = after_merge(o, s, "key_", range(o.shape[1]), unmatched="drop")
    for j, k in np.argwhere(~matched[:, None] & ~matched[None, :]):
        np.testing.assert_array_equal(merged[j, k], average_cap(o, s, unmatched="drop"))
    for j, k in np.argwhere(~matched[:, None] & matched[None, :]):
        together = o.copy()
        together[:, k] += together[:, j]
        together[:, j] = 0
        np.testing.assert_allclose(merged[j, k], average_cap(together, s, unmatched="drop"), rtol=1e-13)


def test_a_key_that_nobody_had_can_become_matched():
    assert np.isnan(average_cap([[1, 0]], [[0, 1]], unmatched="drop"))
    assert rank_merges([[1, 0]], [[0, 1]], unmatched="drop").average_cap.tolist() == [1]


def test_products_of_counts_beyond_int64_do_not_overflow():
    top = 2**51
    assert rank_merges([[top, 0], [0, top]], [[top, 0], [0, top]]).average_cap.tolist() == [0.5]


# The ranked list


def test_merges_are_listed_by_what_they_change():
    tables = tabulate(people(6, 60), people(7, 50), keys=["age", "sex"], target="ill")
    frame = rank_merges(tables.o, tables.s)
    assert frame.columns.tolist() == ["column", "level", "other", "average_cap", "change"]
    assert len(frame) == 6 + 3
    assert frame.change.is_monotonic_increasing
    for column, level, other, after, change in frame.itertuples(index=False):
        again = tabulate(*(recoded(x, column, level, other) for x in (people(6, 60), people(7, 50))), keys=["age", "sex"], target="ill")
        assert after == pytest.approx(average_cap(again.o, again.s, unmatched="nearest").item(), rel=1e-13)
        assert change == after - average_cap(tables.o, tables.s).item()
    assert set(rank_merges(tables.o, tables.s, columns=["ill"]).column) == {"ill"}
    assert {type(x) for x in frame.level} >= {int, str}
    assert MISSING in set(frame.other)


def exact_merge(o, s, left, right):
    """Average CAP, in exact fractions, after two keys have been merged."""
    c, n = Fraction(0), int(o.sum())
    for keys in [[left, right], *([k] for k in range(o.shape[1]) if k not in (left, right))]:
        o_j, s_j = (table[:, keys].sum(1).tolist() for table in (o, s))
        c += Fraction(sum(a * b for a, b in zip(o_j, s_j, strict=True)), sum(s_j) or 1)
    return c / n


@given(pairs)
@example((np.array([[2, 1, 2, 4], [4, 1, 3, 1]]), np.array([[3, 4, 4, 0], [1, 1, 1, 0]])))  # 17/90 twice, but for the last bit
def test_the_list_is_in_the_order_of_the_exact_averages_and_ties_in_that_of_the_levels(tables):
    o, s = tables
    o[0, 0] += 1
    exact = {(a, b): exact_merge(o, s, a, b) for a, b in combinations(range(o.shape[1]), 2)}
    found = rank_merges(o, s)
    assert list(zip(found.level, found.other, strict=True)) == sorted(exact, key=exact.get)


def test_small_changes_are_ranked():
    """Of very many people few are guessed, so that merges change little: by less than 1e-12, and each by something else."""
    o, s = np.array([[1, 1, 10**13], [0, 2, 0]]), np.array([[1, 1, 0], [2, 1, 1]])
    exact = {(a, b): exact_merge(o, s, a, b) for a, b in [(0, 1), (1, 2)]}
    assert max(exact.values()) - min(exact.values()) > 0
    found = rank_merges(o, s)
    order = [pair for pair in zip(found.level, found.other, strict=True) if pair in exact]
    assert order == sorted(exact, key=exact.get)


def test_a_column_with_one_level_has_no_merge():
    tables = tabulate({"k": ["a", "a"], "g": ["x", "y"], "t": [1, 2]}, {"k": ["a"], "g": ["x"], "t": [1]}, keys=["k", "g"], target="t")
    assert rank_merges(tables.o, tables.s).column.tolist() == ["g"]
    assert len(rank_merges(tables.o, tables.s, columns=["k"])) == 0


def test_missing_labels_of_an_index_of_ones_own_come_last():
    index = pd.MultiIndex.from_arrays([["a", None, "b"], [1, 1, 1]], names=["k", "g"])
    o = xr.DataArray([[1, 2, 0], [3, 1, 1]], dims=("target", "key"), coords=xr.Coordinates.from_pandas_multiindex(index, "key"))
    found = rank_merges(o, o, columns=["k"]).set_index(["level", "other"]).average_cap
    assert set(found.index) == {("a", "b"), ("a", MISSING), ("b", MISSING)}
    # Together 3 and 4 records of a and the missing: (9 + 16) / 7, and 1 of b.
    assert found["a", MISSING] == pytest.approx((25 / 7 + 1) / 8, rel=1e-15)


def test_bad_columns_are_refused():
    tables = smoking()
    with pytest.raises(
        ValueError, match=r"`columns` names 'smokin', which is neither a key column nor a target column\. Did you mean 'smoking'"
    ):
        rank_merges(tables.o, tables.s, columns=["smokin"])
    with pytest.raises(TypeError, match=r"`columns` must be a sequence of column names; got 'smoking'. Give \['smoking'\]"):
        rank_merges(tables.o, tables.s, columns="smoking")
    with pytest.raises(ValueError, match="`columns` is empty"):
        rank_merges(tables.o, tables.s, columns=[])
    with pytest.raises(ValueError, match="one pair of tables; got dim 'original'"):
        rank_merges(paper_originals(), paper_synthetics().isel(synthetic=0))
    with pytest.raises(ValueError, match='`unmatched` must be "zero"'):
        rank_merges(tables.o, tables.s, unmatched="keep")


def test_too_many_levels_are_refused_before_they_are_paired():
    wide = xr.DataArray(np.ones((1, 5000), np.int64), dims=("target", "key"))
    with pytest.raises(ValueError, match="Column 'key_' has 5000 levels, more than 2048 to merge in pairs"):
        rank_merges(wide, wide)
    with pytest.raises(ValueError, match="Column 'target' has 5000 targets, more than 2048"):
        rank_merges(wide.values.T, wide.values.T, columns=["target"])
