"""Cells that exact counts under two codings of the key give away together."""

from __future__ import annotations

import pandas as pd
import pytest
import sparse
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import counts, examples

from capstats import tabulate
from capstats.datasets import anes96
from capstats.population import differencing

YOUNG, OLD = {"key_": {0: "18-19", 1: "18-19", 2: "20"}}, {"key_": {0: "18", 1: "19-20", 2: "19-20"}}


def tables(totals_a, totals_b, cells):
    """Every way to fill the cells, pairs of labels, so that they add up to the totals of the labels."""
    if not cells:
        if not any(totals_a) and not any(totals_b):
            yield ()
        return
    (a, b), *others = cells
    for count in range(min(totals_a[a], totals_b[b]) + 1):
        left_a = [total - count * (i == a) for i, total in enumerate(totals_a)]
        left_b = [total - count * (i == b) for i, total in enumerate(totals_b)]
        for rest in tables(left_a, left_b, others):
            yield (count, *rest)


def ranges(counted, labels_a, labels_b, cells):
    """The feasible counts of each cell, by what is published of a, of b, and of both."""
    totals_a, totals_b = ([sum(counted[c] for c in cells if c[side] == label) for label in range(5)] for side in (0, 1))
    found = [
        list(tables(totals_a, [sum(totals_a) if b == 0 else 0 for b in range(5)], [(a, 0) for a, _ in cells])),
        list(tables([sum(totals_b) if a == 0 else 0 for a in range(5)], totals_b, [(0, b) for _, b in cells])),
        list(tables(totals_a, totals_b, cells)),
    ]
    return [[{table[i] for table in of} for i in range(len(cells))] for of in found]


codings = st.lists(st.integers(0, 3), min_size=7, max_size=7)


@pytest.mark.slow
@examples(200)
@given(o=counts((2, 7), most=2, empty=True), a=codings, b=codings, k=st.integers(0, 2))
def test_cells_are_those_with_a_single_feasible_count(o, a, b, k):
    """The two margins leave one count, by enumeration, at most k; and either margin alone leaves several."""
    given_away = differencing(o, {"key_": dict(enumerate(a))}, {"key_": dict(enumerate(b))}, k=k)
    expected = []
    cells = sorted(set(zip(a, b, strict=True)))
    for target, row in enumerate(o):
        counted = {c: int(sum(x for x, *labels in zip(row, a, b, strict=True) if tuple(labels) == c)) for c in cells}
        for cell, by_a, by_b, by_both in zip(cells, *ranges(counted, a, b, cells), strict=True):
            if len(by_both) == 1 and min(by_both) <= k and len(by_a) > 1 and len(by_b) > 1:
                expected.append((target, *cell, counted[cell]))
    assert sorted(given_away.itertuples(index=False, name=None)) == expected


def test_one_year_of_age_is_the_difference_of_two_groups():
    o = [[5, 1, 7], [3, 2, 4]]
    found = differencing(o, YOUNG, OLD, k=2)
    assert found.to_dict("list") == {"target": [0, 1], "a": ["18-19"] * 2, "b": ["19-20"] * 2, "records": [1, 2]}
    assert len(differencing(o, YOUNG, OLD, k=0)) == 0
    assert list(differencing(o, YOUNG, OLD, k=0)) == ["target", "a", "b", "records"]


def test_an_equal_or_a_coarser_coding_gives_nothing_away():
    o, coarse = [[5, 1, 7], [3, 2, 4]], {"key_": dict.fromkeys(range(3), "all")}
    for other in (YOUNG, coarse, {}, {"key_": None}):
        assert len(differencing(o, YOUNG, other, k=9)) == len(differencing(o, other, YOUNG, k=9)) == 0


def test_a_cell_of_two_full_columns_is_given_away_only_where_counts_leave_no_room():
    # Two columns of two levels, each published alone. The first target has margins (0 + 2, 1 + 2) and (0 + 1, 2 + 2): several tables.
    # The second has all its records in one level of either column, so that all of its cells but those of empty totals hold what they must.
    axis = pd.MultiIndex.from_product([["a", "b"], ["x", "y"]], names=["first", "second"])
    o = xr.DataArray([[0, 2, 1, 2], [3, 0, 2, 0]], dims=("target", "key"), coords=xr.Coordinates.from_pandas_multiindex(axis, "key"))
    found = differencing(o, {"second": None}, {"first": None}, k=9)
    assert len(found) == 2  # (a, x) and (b, x): neither margin of `first` alone says that everybody has x
    assert found.to_dict("list") == {"target": [1, 1], "a": ["a", "b"], "b": ["x", "x"], "records": [3, 2]}


def test_columns_of_a_survey_are_named():
    o = tabulate(anes96(), keys=["age", "educ"], target="vote").o
    five, shifted = ({"age": {x: (x + shift) // 5 * 5 for x in range(100)}} for shift in (0, 2))
    found = differencing(o, five, shifted, k=1)
    assert (found.records <= 1).all()
    vote, (age_a, educ), (age_b, same) = found.iloc[0][["target", "a", "b"]]
    assert educ == same
    ages = [age for age in range(100) if age // 5 * 5 == age_a and (age + 2) // 5 * 5 == age_b]
    assert o.sel(target=vote, educ=educ).where(lambda x: x.age.isin(ages), 0).sum() == found.records[0]
    held = o.copy(data=sparse.COO.from_numpy(o.values))
    pd.testing.assert_frame_equal(differencing(held, five, shifted, k=1), found)


def test_several_target_columns_are_tuples():
    records = {"key": [1, 2, 3], "t": ["x", "x", "y"], "u": ["p", "q", "q"]}
    o = tabulate(records, keys=["key"], target=["t", "u"]).o
    found = differencing(o, {"key_": {1: 0, 2: 0}}, {"key_": {2: 0, 3: 0}}, k=1)
    assert ("x", "q") in found.target.tolist()


@pytest.mark.parametrize(
    ("a", "error", "message"),
    [
        ({"age": {}}, ValueError, "`a` names 'age', which is no key column"),
        ({"key_": {7: 1}}, ValueError, "`a` names no level that column 'key_' has"),
        ({"key_": {}}, ValueError, "`a` names no level that column 'key_' has"),
        ({"key_": [1, 1]}, TypeError, "`a` must map columns to mappings of level to label, or to None; got dict"),
        (["key_"], TypeError, "`a` must map columns"),
    ],
)
def test_a_coding_that_names_nothing_is_refused(a, error, message):
    with pytest.raises(error, match=message):
        differencing([[1, 2]], a, {}, k=1)


def test_other_tables_are_refused():
    with pytest.raises(ValueError, match=r"`o` must hold integers: people are counted; got fractional counts"):
        differencing([[0.5, 1]], {}, {}, k=1)
    with pytest.raises(ValueError, match=r"`o` must be one table; got dim 'draw'\. Choose one, such as o\.isel\(draw=0\)"):
        differencing([[[1, 2]]], {}, {}, k=1)
    with pytest.raises(ValueError, match="`k` must be a number of records, an integer of 0 or more; got -1"):
        differencing([[1, 2]], {}, {}, k=-1)
    weighted = tabulate({"key": [1, 2], "t": ["x", "y"], "w": [2, 3]}, keys=["key"], target="t", weights="w").o
    with pytest.raises(ValueError, match="sampling weights 'w', but people are counted"):
        differencing(weighted, {}, {}, k=1)
