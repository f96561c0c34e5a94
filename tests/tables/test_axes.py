"""An axis says which labels its cells have; labels decide which cells of two tables belong together."""

from __future__ import annotations

import datetime as dt
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from capstats.codes.labels import MISSING, in_order
from capstats.tables.aligning import align
from capstats.tables.axes import axis_from, axis_of, coords_of, join, multi_index, original_names


def axis(labels: Any, dim: str = "key") -> pd.MultiIndex:
    rows = next(iter(labels.values())) if isinstance(labels, dict) else labels
    return axis_from(labels, len(rows), dim, f"`{dim}_labels`")


def array(labels: Any, dim: str = "key", name: str = "o") -> xr.DataArray:
    """A table that counts 1, 2, ... along one labelled dim."""
    rows = next(iter(labels.values())) if isinstance(labels, dict) else labels
    shape = (1, len(rows)) if dim == "key" else (len(rows), 1)
    table = xr.DataArray(np.arange(1, len(rows) + 1).reshape(shape), dims=("target", "key"), name=name)
    return table.assign_coords(coords_of(dim, axis(labels, dim)))


# --- Labels in any form -----------------------------------------------------------------------------------------------

ROWS = [("f", 2), ("m", 2), ("f", 10)]
FORMS: dict[str, Any] = {
    "tuples": ROWS,
    "mapping of lists": {"sex": ["f", "m", "f"], "age": [2, 2, 10]},
    "mapping of arrays": {"sex": np.array(["f", "m", "f"]), "age": pd.Series([2.0, 2, 10])},
    "multiindex": pd.MultiIndex.from_tuples(ROWS, names=["sex", "age"]),
    "multiindex of categories": pd.MultiIndex.from_arrays([pd.Categorical(["f", "m", "f"]), [2, 2, 10]], names=["sex", "age"]),
    "array of tuples": np.array([*ROWS, None], object)[:-1],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_labels_gives_the_same_rows(form: str) -> None:
    found = axis_from(FORMS[form], 3, "key", "")
    assert found.tolist() == ROWS
    assert list(found.names) == (["key_0", "key_1"] if "tuples" in form else ["sex", "age"])
    assert [level.tolist() for level in found.levels] == [["f", "m"], [2, 10]]


@pytest.mark.parametrize(
    "labels", [["f", "m"], ("f", "m"), np.array(["f", "m"]), pd.Series(["f", "m"]), pd.Index(["f", "m"]), {"f": 1, "m": 2}.keys()]
)
def test_one_column_of_labels_needs_no_name(labels: Any) -> None:
    assert axis(labels).tolist() == [("f",), ("m",)]
    assert list(axis(labels).names) == ["key_"]
    assert list(axis(labels, "target").names) == ["target"]


def test_the_name_of_an_index_names_its_column() -> None:
    assert list(axis(pd.Index(["f"], name="sex")).names) == ["sex"]
    assert list(axis(pd.Series(["f"], name="sex"), "target").names) == ["sex"]


@pytest.mark.parametrize(
    ("names", "key", "target"),
    [
        (["sex"], ["sex"], ["sex"]),
        (["s"], ["s_"], ["s"]),
        ([0], ["0_"], ["0"]),
        (["key"], ["key_"], ["key"]),
        (["target"], ["target_"], ["target"]),
        (["s", "s_"], ["s__", "s_"], ["s__", "s_"]),
        ([1, "1_"], ["1__", "1_"], ["1__", "1_"]),
        ([None, "sex"], ["key_0", "sex"], ["target_0", "sex"]),
    ],
)
def test_names_that_would_hide_something_are_stored_with_an_underscore(names: list[Any], key: list[str], target: list[str]) -> None:
    index = pd.MultiIndex.from_arrays([["x"]] * len(names), names=names)
    for dim, stored in (("key", key), ("target", target)):
        assert list(axis(index, dim).names) == stored
        assert original_names(index, dim) == {new: str(old) for new, old in zip(stored, names, strict=True) if old not in (None, new)}


def test_labels_are_canonical_and_missing_is_the_last_level() -> None:
    found = axis([np.nan, np.float64(2), 1])
    assert found.tolist() == [(MISSING,), (2,), (1,)]
    assert found.levels[0].tolist() == [2, 1, MISSING]


@pytest.mark.parametrize(
    ("labels", "size", "error", "message"),
    [
        (["f"], 2, ValueError, r"`key_labels`: 1 labels for 2 keys\. Give one label for each"),
        ([], 2, ValueError, r"`key_labels`: 0 labels for 2 keys"),
        (["f", "f"], 2, ValueError, r"`key_labels`: label 'f' occurs twice\. Labels must be distinct"),
        ([1, 1.0], 2, ValueError, r"label 1 occurs twice"),
        ([None, np.nan], 2, ValueError, r"label missing occurs twice"),
        ([("f", 1), ("f", 1)], 2, ValueError, r"label \('f', 1\) occurs twice"),
        ([("f", 1), ("f",)], 2, ValueError, r"`key_labels`: labels must be tuples of one length; got"),
        (["f", ("f", 1)], 2, ValueError, r"tuples of one length"),
        ({"sex": ["f", "m"], "age": [1]}, 2, ValueError, r"`key_labels`: give a list of labels for every column, .*\{'sex': 2, 'age': 1\}"),
        ({}, 2, ValueError, r"at least one column; got \{\}"),
        ({"sex": "fm"}, 2, ValueError, r"give a list of labels for every column"),
        ({"sex": 1}, 2, ValueError, r"give a list of labels for every column"),
        (
            ["f", 1],
            2,
            TypeError,
            r"Column 'key_' of `key_labels` mixes kinds: text and number\. Convert it to one kind\.$",
        ),
        ([("f", 1), ("m", "1")], 2, TypeError, r"Column 'key_1' of `key_labels` mixes kinds"),
        ([["f", 1], ["m", 1]], 2, TypeError, r"`key_labels`: unhashable type: 'list'\. Give each label as one scalar, or as a tuple"),
        ("fm", 2, TypeError, r"`key_labels` must be a list of labels, .* or an index; got str"),
        ({"f", "m"}, 2, TypeError, r"got set"),
        (iter(["f", "m"]), 2, TypeError, r"got list_iterator"),
        (5, 2, TypeError, r"got int"),
        (pd.DataFrame({"sex": ["f", "m"]}), 2, TypeError, r"got DataFrame"),
    ],
)
def test_labels_that_are_none_raise_with_rule_and_value(labels: Any, size: int, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        axis_from(labels, size, "key", "`key_labels`")


# --- Coordinates ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a"],
        [2, 1],
        [0.5, 1],
        [True, False],
        [dt.date(2024, 1, 1)],
        [pd.Timestamp("2024"), pd.Timestamp("2023")],
        [pd.Timestamp("2024", tz="UTC")],
        ["a", MISSING],
        [MISSING],
        [("a", 1), ("b", MISSING)],
        [(0, 1), (0, 2)],
    ],
    ids=repr,
)
@pytest.mark.parametrize("dim", ["key", "target"])
def test_coordinates_keep_an_axis_as_it_is(labels: list[Any], dim: str) -> None:
    """Also through xarray's own indexing, arithmetic and text."""
    expected = axis(labels, dim)
    table = array(labels, dim)
    for kept in (table, table + table, table.isel({dim: slice(None)}), table.copy(deep=True)):
        found = axis_of(kept, dim)
        assert found is not None
        assert found.equals(expected)
        assert found.names == expected.names
        assert [level.tolist() for level in found.levels] == [level.tolist() for level in expected.levels]
    assert str(labels[0])[:2].strip("('") in repr(table.coords)
    assert table.identical(table.copy(deep=True))


def test_a_key_is_a_multiindex_and_a_target_a_plain_index_unless_it_has_columns() -> None:
    assert isinstance(array(["a"]).indexes["key"], pd.MultiIndex)
    target = array(pd.Index(["a"], name="income"), "target")
    assert not isinstance(target.indexes["target"], pd.MultiIndex)
    assert target["target"].attrs == {"long_name": "income"}
    assert isinstance(array([("a", 1)], "target").indexes["target"], pd.MultiIndex)


def test_a_dim_without_labels_has_no_axis() -> None:
    assert axis_of(xr.DataArray([[1]], dims=("target", "key")), "key") is None


def test_a_plain_index_of_xarray_is_an_axis() -> None:
    found = axis_of(xr.DataArray([[1, 2]], dims=("target", "key"), coords={"key": ["b", "a"]}), "key")
    assert found is not None
    assert found.tolist() == [("b",), ("a",)]
    assert list(found.names) == ["key_"]


# --- Joining and aligning ---------------------------------------------------------------------------------------------


def test_a_missing_value_in_an_index_of_pandas_is_a_label() -> None:
    rows = [("f", 1.0), ("m", np.nan), (None, 2.0)]
    tables = []
    for order in ([0, 1, 2], [2, 0, 1]):
        index = pd.MultiIndex.from_tuples([rows[i] for i in order], names=["sex", "age"])
        coords = xr.Coordinates.from_pandas_multiindex(index, "key")
        tables.append(xr.DataArray([[10 + i for i in order]], dims=("target", "key"), coords=coords, name="o"))
    axis, (o, s) = align({"o": tables[0], "s": tables[1]}, "key")
    assert axis is not None
    assert list(axis) == [("f", 1), ("m", MISSING), (MISSING, 2)]
    assert o is not None
    assert s is not None
    assert tables[0].values[0][np.argsort(o)].tolist() == tables[1].values[0][np.argsort(s)].tolist() == [10, 11, 12]


def joined(*axes: pd.MultiIndex, **options: Any) -> list[Any]:
    found, places = join(axes, ["o", "s", "h"][: len(axes)], **options)
    for own, where in zip(axes, places, strict=True):
        assert found.take(where).tolist() == own.reorder_levels(found.names).tolist() if own.nlevels > 1 else own.tolist()
    assert found.is_unique
    return [row if len(row) > 1 else row[0] for row in found]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([["b", "a"], ["c"]], ["b", "a", "c"]),
        ([["a", "b"], ["c", "a"]], ["a", "b", "c"]),
        ([["a", "b"], ["b", "a"]], ["a", "b"]),
        ([["10", "2"], ["1"]], ["10", "2", "1"]),
        ([["2", "10"], ["1"]], ["1", "2", "10"]),
        ([[MISSING, "a"], ["b"]], ["a", "b", MISSING]),
        ([[1, 2], [2.0, 0.5]], [1, 2, 0.5]),
        ([[MISSING], [True, False]], [True, False, MISSING]),
        ([["x"], ["y"], ["x", "z"]], ["x", "y", "z"]),
    ],
)
def test_the_order_that_axes_show_is_kept_the_first_one_first_unless_all_are_natural(labels: list[list[Any]], expected: list[Any]) -> None:
    assert joined(*map(axis, labels)) == expected


def test_an_order_that_is_given_rules_over_those_that_are_shown() -> None:
    assert joined(axis(["a", "b"]), axis(["c"]), orders={"key_": ["c", "b", "a"]}) == ["c", "b", "a"]
    assert joined(axis(["z", "b"]), axis(["c"]), orders={"key_": ["c", "b", "a"]}) == ["c", "b", "z"]


def test_columns_are_matched_by_name() -> None:
    a, b = axis({"sex": ["f", "m"], "age": [1, 2]}), axis({"age": [2, 3], "sex": ["m", "f"]})
    assert joined(a, b) == [("f", 1), ("f", 3), ("m", 2)]


@pytest.mark.parametrize("dim", ["key", "target"])
def test_an_unnamed_column_takes_the_name_of_the_other(dim: str) -> None:
    found, _ = join([axis(["a"], dim), axis({"sex": ["b"]}, dim)], ["o", "s"])
    assert list(found.names) == ["sex"]


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
    found, places = align(dict(zip("osh", arrays, strict=False)), "key")
    rows = None if found is None else [row if len(row) > 1 else row[0] for row in found]
    return rows, [None if where is None else where.tolist() for where in places]


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


def test_sizes_that_differ_without_labels_raise_with_both() -> None:
    bare = xr.DataArray([[1, 2, 3]], dims=("target", "key"))
    with pytest.raises(ValueError, match=r"`o` has 1 targets x 2 keys, `s` has 1 targets x 3 keys: they must agree\. .* label both tables"):
        align({"o": array(["a", "b"]), "s": bare}, "key")


LABELS = st.lists(st.sampled_from(["a", "b", "2", "10", "", MISSING]), min_size=1, unique=True)


@given(st.lists(LABELS, min_size=1, max_size=3))
def test_an_aligned_axis_is_the_union_and_finds_every_label(several: list[list[Any]]) -> None:
    arrays = {name: array(labels, name=name) for name, labels in zip("osh", several, strict=False)}
    found, places = align(arrays, "key")
    assert found is not None
    union = [label for (label,) in found]
    assert len(set(union)) == len(union)
    assert set(union) == {label for labels in several for label in labels}
    for labels, where in zip(several, places, strict=True):
        assert labels == (union if where is None else [union[i] for i in where])


@given(LABELS)
def test_a_natural_order_stays_natural(labels: list[Any]) -> None:
    natural = in_order(labels, "text")
    assert joined(axis(natural), axis(natural[::2])) == natural


def test_a_multiindex_keeps_the_order_of_its_labels() -> None:
    found = multi_index([np.array([1, 0])], [["z", "a"]], ["x"])
    assert found.tolist() == [("a",), ("z",)]
    assert found.levels[0].tolist() == ["z", "a"]
