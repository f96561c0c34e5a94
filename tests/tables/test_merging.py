"""Shards add up to the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from small_tables import COUNTS, RECORDS

from capstats import from_counts, merge_counts, tabulate

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


@pytest.mark.few(12)
@pytest.mark.parametrize(
    ("keys", "target"),
    [
        (["sex"], "income"),
        (["sex"], "level"),
        (["level"], "sex"),
        (["sex", "level", "age"], "income"),
        (["sex", "level"], ["income", "age"]),
    ],
)
@pytest.mark.parametrize("options", [{}, {"missing": "drop"}, {"weights": "w"}, {"weights": (None, "w")}], ids=repr)
@pytest.mark.parametrize("cut", [2, 4, 7])
def test_the_merged_counts_of_shards_are_those_of_the_whole(keys: list[str], target: Any, options: dict[str, Any], cut: int) -> None:
    """Also where a shard lacks a category, as the last one does, which has one record."""

    def counted(records: pd.DataFrame) -> xr.Dataset:
        return tabulate(records, [records.iloc[::-1], records], keys=keys, target=target, **options)

    whole, shards = counted(RECORDS), [counted(RECORDS.iloc[:cut]), counted(RECORDS.iloc[cut:])]
    xr.testing.assert_identical(merge_counts(*shards), whole)
    xr.testing.assert_identical(merge_counts(*reversed(shards)), whole)
    xr.testing.assert_identical(merge_counts(merge_counts(shards[0]), merge_counts(shards[1])), whole)


def test_categories_of_later_shards_follow_those_of_the_first() -> None:
    def shard(labels: list[str], levels: list[str]) -> xr.Dataset:
        return tabulate({"a": pd.Categorical(labels, levels), "t": ["x"] * len(labels)}, keys="a", target="t")

    merged = merge_counts(shard(["c", "a"], ["c", "b", "a"]), shard(["b", "d"], ["d", "b"]))
    assert [x for (x,) in merged.indexes["key"]] == ["c", "b", "a", "d"]
    assert merged.attrs["categories"]["a"] == ["c", "b", "a", "d"]


def test_labels_beside_the_categories_of_another_table_are_merged() -> None:
    original = {"a": pd.Categorical(["b"], ["b", "a"]), "t": ["x"]}
    tables = tabulate(original, {"a": ["z", "y"], "t": ["x", "x"]}, keys="a", target="t")
    assert [x for (x,) in merge_counts(tables, tables).indexes["key"]] == ["b", "y", "z"]
    levels = merge_counts(tables, tables).attrs.pop("levels")["a"]["synthetic"]
    assert (levels["absent_records"], levels["foreign_records"]) == (2, 4)
    assert {**merge_counts(tables, tables).attrs, "levels": None} == {**tables.attrs, "levels": None}
    xr.testing.assert_identical(merge_counts(tables, tables).s, 2 * tables.s)


def test_merging_adds_what_was_dropped() -> None:
    tables = tabulate(RECORDS, RECORDS, keys="sex", target="income", missing="drop")
    assert tables.attrs["dropped"] == {"original": 1, "synthetic": 1}
    assert merge_counts(tables, tables, tables).attrs["dropped"] == {"original": 3, "synthetic": 3}


def test_merging_one_table_gives_it_back() -> None:
    tables = tabulate(RECORDS, RECORDS, keys=["level", "sex"], target="income")
    xr.testing.assert_identical(merge_counts(tables), tables)


def test_merging_counts_of_holdouts_and_of_fractions() -> None:
    a = tabulate(RECORDS, RECORDS, holdout=RECORDS, keys="sex", target="income", weights="w")
    b = tabulate(RECORDS.assign(w=0.5), RECORDS, holdout=RECORDS, keys="sex", target="income", weights="w")
    merged = merge_counts(a, b)
    assert merged.o.dtype == np.float64
    assert float(merged.o.sum()) == 14 + 4
    assert int(merged.h.sum()) == 28


def test_unlabelled_tables_merge_by_position_and_only_where_they_have_one_shape() -> None:
    a = from_counts(COUNTS)
    assert merge_counts(a, a).o.values.tolist() == [[2, 4, 0], [6, 8, 10]]
    with pytest.raises(ValueError, match=r"Tables without labels must have the same shape; tables\[0\] has .*'key': 3.* Label their keys"):
        merge_counts(a, from_counts([[1, 2]]))


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (tabulate(RECORDS, keys="sex", target="income"), "variables"),
        (tabulate(RECORDS, RECORDS, keys="age", target="income"), "columns"),
        (tabulate(RECORDS, RECORDS, keys="sex", target="level"), "columns"),
        (tabulate(RECORDS, RECORDS, keys="sex", target="income", missing="drop"), "missing-value policies"),
        (tabulate(RECORDS, [RECORDS], keys="sex", target="income"), "synthetic tables"),
        (tabulate(RECORDS, {"a": RECORDS}, keys="sex", target="income"), "synthetic tables"),
    ],
)
def test_tables_that_count_different_things_do_not_merge(other: xr.Dataset, what: str) -> None:
    first = tabulate(RECORDS, RECORDS, keys="sex", target="income")
    with pytest.raises(ValueError, match=f"Tables to merge must have the same {what}; got .* and "):
        merge_counts(first, other)


def test_shards_that_are_cut_at_different_points_do_not_merge() -> None:
    cut = [tabulate({"a": ages, "t": [1, 1, 1]}, keys="a", target="t", bins={"a": 2}) for ages in ([0, 5, 10], [0, 5, 20])]
    with pytest.raises(ValueError, match=r"Tables to merge must have the same bins; got \{.*5.*\} and \{.*10.*\}"):
        merge_counts(*cut)
    alike = [tabulate({"a": ages, "t": [1, 1, 1]}, keys="a", target="t", bins={"a": [5]}) for ages in ([0, 5, 10], [0, 5, 20])]
    assert merge_counts(*alike).o.values.tolist() == [[4, 2]]


def test_kinds_of_shards_must_agree() -> None:
    with pytest.raises(TypeError, match=r"Column 'age' holds number labels in `tables\[0\]` and text labels in `tables\[1\]`"):
        merge_counts(*(tabulate({"age": [x], "t": ["y"]}, keys="age", target="t") for x in (1, "1")))


def test_nothing_to_merge_raises() -> None:
    with pytest.raises(ValueError, match="There is nothing to merge: give at least one Dataset"):
        merge_counts()


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=8), st.data())
def test_shards_add_up_in_any_division(rows: list[tuple[int, ...]], data: st.DataObject) -> None:
    """Counting is a homomorphism from lists of records, joined end to end, to tables, added."""
    cut = data.draw(st.integers(0, len(rows)))
    parts = [part for part in (rows[:cut], rows[cut:]) if part]
    whole, *shards = (tabulate(dict(zip("abt", zip(*r, strict=True), strict=True)), keys=["a", "b"], target="t") for r in (rows, *parts))
    xr.testing.assert_identical(merge_counts(*shards), whole)
