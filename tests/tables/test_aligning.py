"""Labels decide which cells of two tables belong together; tables whose labels do not meet are warned of."""

from __future__ import annotations

import warnings
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from small_tables import array, as_sparse

import capstats
from capstats import LevelsWarning, from_counts
from capstats.codes.labels import MISSING
from capstats.tables import aligned as aligned_module
from capstats.tables import levels
from capstats.tables.aligned import axes_of
from capstats.tables.axes import labels_of


def align(arrays: dict[str, xr.DataArray], dim: str) -> Any:
    return aligned_module.align(arrays, dim, {name: labels_of(array, [dim], name) for name, array in arrays.items()})


LABELS = st.lists(st.sampled_from(["a", "b", "2", "10", "", MISSING]), min_size=1, unique=True)


def test_a_missing_value_in_an_index_of_pandas_is_a_label() -> None:
    rows = [("f", 1.0), ("m", np.nan), (None, 2.0)]
    tables = []
    for order in ([0, 1, 2], [2, 0, 1]):
        index = pd.MultiIndex.from_tuples([rows[i] for i in order], names=["sex", "age"])
        coords = xr.Coordinates.from_pandas_multiindex(index, "key")
        tables.append(xr.DataArray([[10 + i for i in order]], dims=("target", "key"), coords=coords, name="o"))
    axis, (o, s) = align({"o": tables[0], "s": tables[1]}, "key")
    assert list(axis) == [("f", 1), ("m", MISSING), (MISSING, 2)]
    assert tables[0].values[0][np.argsort(o)].tolist() == tables[1].values[0][np.argsort(s)].tolist() == [10, 11, 12]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"sex": ["x"]}, {"smoker": ["y"]}),
        ({"sex": ["x"], "age": [1]}, {"sex": ["x"], "region": [1]}),
        ({"sex": ["x"], "age": [1]}, {"sex": ["x"]}),
        ({"sex": ["x"], "age": [1]}, ["x"]),
    ],
)
def test_axes_over_different_columns_raise_with_both(a: Any, b: Any) -> None:
    for pair in permutations([a, b]):
        with pytest.raises(ValueError, match=r"`[os]` is labelled by \[.*\], `[os]` by \[.*\]: label them alike"):
            align({name: array(labels, name=name) for name, labels in zip("os", pair, strict=True)}, "key")


@pytest.mark.parametrize(("a", "b"), [([1], ["1"]), ([True, False], [1, 0]), ([1, MISSING], [True, MISSING]), (["x"], [True])])
def test_kinds_that_differ_raise_also_where_pandas_finds_the_indexes_equal(a: list[Any], b: list[Any]) -> None:
    with pytest.raises(TypeError, match=r"Column 'key_' holds .* labels in `o` and .* labels in `s`: none of them can match"):
        align({"o": array(a), "s": array(b, name="s")}, "key")


def aligned(*arrays: xr.DataArray) -> tuple[list[Any] | None, list[Any]]:
    """The labels of the one axis, and the places of each table's entries on it; None where they are as they were."""
    given = dict(zip("osh", arrays, strict=False))
    joined, places = align(given, "key")
    found = axes_of(given, {} if joined is None else {"key": joined})["key"]
    rows = None if found is None else [row if len(row) > 1 else row[0] for row in found]
    return rows, [where.tolist() for where in places] if joined is not None else [None] * len(arrays)


def test_tables_with_the_same_labels_stay_as_they_are() -> None:
    labels = [("b", 1), ("a", 1)]
    assert aligned(array(labels), array(labels)) == (labels, [None, None])
    assert aligned(array(["b", "a"]), array(["b", "a"])) == (["b", "a"], [None, None])
    assert aligned(array([1, 2]), array([1.0, 2.0])) == ([1, 2], [None, None])


def test_tables_without_labels_take_those_of_the_others_by_position() -> None:
    bare = xr.DataArray([[1, 2]], dims=("target", "key"))
    assert aligned(bare, bare) == (None, [None, None])
    assert aligned(bare, array(["b", "a"])) == (["b", "a"], [None, None])
    assert aligned(bare, array(["b", "a"]), array(["a", "c"])) == (["b", "a", "c"], [[0, 1], [0, 1], [1, 2]])


def test_columns_in_another_order_are_not_taken_for_the_same_keys() -> None:
    """The tuples are equal; what they mean is not."""
    rows = [["y", "y", "n"], ["y", "n", "y"]]
    o, s = array(dict(zip(["father", "mother"], rows, strict=True))), array(dict(zip(["mother", "father"], rows, strict=True)))
    assert aligned(o, s) == ([("y", "y"), ("y", "n"), ("n", "y")], [[0, 1, 2], [0, 2, 1]])


@given(st.lists(LABELS, min_size=1, max_size=3))
def test_an_aligned_axis_is_the_union_and_finds_every_label(several: list[list[Any]]) -> None:
    arrays = {name: array(labels, name=name) for name, labels in zip("osh", several, strict=False)}
    found, places = align(arrays, "key")
    axis = axes_of(arrays, {} if found is None else {"key": found})["key"]
    union = [label for (label,) in axis]
    assert len(set(union)) == len(union)
    assert set(union) == {label for labels in several for label in labels}
    for labels, where in zip(several, places or [range(len(union))] * len(several), strict=True):
        assert labels == [union[i] for i in where]


# --- Levels that do not meet ------------------------------------------------------------------------------------------


def one(counts: Any, levels: list[Any], target: tuple[Any, ...] = ("low", "high"), **options: Any) -> xr.Dataset:
    return from_counts(counts, key_labels={"region": levels}, target_labels={"income": list(target)}, **options)


A = one([[12, 3], [1, 20]], ["North", "South"])
MEASURES = {
    "average_cap": capstats.average_cap,
    "individual_cap": capstats.individual_cap,
    "matched_records": capstats.matched_records,
    "cap_quantiles": lambda o, s: capstats.cap_quantiles(o, s, 0.5),
    "disco": capstats.disclosure.disco,
    "cap_influence": capstats.screening.cap_influence,
}
measures = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


@measures
@pytest.mark.parametrize("stored", [False, True])
def test_tables_that_share_no_level_are_warned_of_once_and_at_the_caller(measure: Any, stored: bool) -> None:
    o, s = A.o, one([[12, 3], [1, 20]], ["north", "south"]).o.rename("s")
    with pytest.warns(LevelsWarning) as told:
        measure(*(map(as_sparse, (o, s)) if stored else (o, s)))
    assert [str(x.message) for x in told] == [
        "Column 'region' has no level in common in `o` (2 levels) and `s` (2 levels), so no key can match. Likely cause: case, such as "
        "'South' and 'south'. To correct it, change both tables: in Python table['region'] = table['region'].str.casefold(), in R "
        'table[["region"]] <- tolower(table[["region"]]). For all levels see compare_levels.'
    ]
    assert told[0].filename == __file__


def test_each_table_that_shares_nothing_with_the_first_is_named() -> None:
    other = one([[1, 2], [3, 4]], ["East", "West"]).o
    with pytest.warns(LevelsWarning, match="in `o`.*`h`") as told:
        capstats.individual_share(A.o, A.o, h=other)
    assert len(told) == 1


def test_keys_that_share_levels_but_no_combination_are_warned_of() -> None:
    a, b = (from_counts([[1, 2]], key_labels={"sex": ["f", "m"], "old": old}).o for old in ([True, False], [False, True]))
    with pytest.warns(LevelsWarning, match="No key of `o` is in `s`, although each column shares levels"):
        capstats.average_cap(a, b)


@measures
def test_levels_that_one_table_lacks_are_no_mistake(measure: Any) -> None:
    measure(A.o, one([[1, 2], [3, 4]], ["West", "North"]).o)
    measure(A.o, A.o.isel(key=[1, 0], target=[1, 0]))


@measures
def test_a_batch_is_compared_as_one_table(measure: Any) -> None:
    east = [[[1, 0], [3, 0]], [[0, 2], [0, 4]]]
    several = one([[1, 2], [3, 4]], ["East", "West"], s={"a": east[0], "b": east[1]}).s
    with pytest.warns(LevelsWarning, match=r"`o` \(2 levels\) and `s` \(2 levels\)"):
        measure(A.o, several)
    with pytest.warns(LevelsWarning, match=r"`o` \(2 levels\) and `s` \(2 levels\)"):
        measure(A.o, as_sparse(several))


def test_tables_of_one_dataset_are_never_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings(action="ignore", category=LevelsWarning):
        tables = capstats.tabulate({"k": ["a", "b"], "t": [0, 1]}, {"k": ["A", "B"], "t": [0, 1]}, keys="k", target="t")

    def compare(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(levels, "compare", compare)
    assert capstats.average_cap(tables.o, tables.s) == 0
    with pytest.raises(AssertionError):
        capstats.average_cap(tables.o, from_counts([[1]], key_labels={"k": ["x"]}, target_labels={"t": [0]}).o)
