"""An axis says which labels its cells have; labels decide which cells of two tables belong together."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from small_tables import array, axis

from capstats.codes.column import in_order
from capstats.codes.labels import MISSING, canonical
from capstats.tables.axes import axis_from, axis_of, join, level_index, original_names

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


class Unhashable:
    def __hash__(self) -> int:
        raise RuntimeError("no hash")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_labels_gives_the_same_rows(form: str) -> None:
    found = axis_from(FORMS[form], 3, "key", "")
    assert list(axis(pd.Series(["f"], name="sex"), "target").names) == ["sex"]
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


@pytest.mark.parametrize(
    ("names", "key", "target"),
    [
        (["sex"], ["sex"], ["sex"]),
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
        ([("f", 1), ("m", "1")], 2, TypeError, r"Column 'key_1' of `key_labels` mixes kinds: .* and .*\. Convert it to one kind\.$"),
        ([["f", 1], ["m", 1]], 2, TypeError, r"`key_labels`: unhashable type: 'list'\. Give each label as one scalar, or as a tuple"),
        ([Unhashable()], 1, TypeError, r"`key_labels`: no hash\. Give each label as one scalar"),
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


def test_a_plain_index_of_xarray_is_an_axis_and_a_dim_without_labels_has_none() -> None:
    table = xr.DataArray([[1, 2]], dims=("target", "key"), coords={"key": ["b", "a"]})
    found = axis_of(table, "key")
    assert (found.tolist(), list(found.names)) == ([("b",), ("a",)], ["key_"])
    assert axis_of(table, "target") is None


# --- Joining ----------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("dim", ["key", "target"])
def test_an_unnamed_column_takes_the_name_of_the_other(dim: str) -> None:
    found, _ = join([axis(["a"], dim), axis({"sex": ["b"]}, dim)], ["o", "s"])
    assert list(found.names) == ["sex"]


LABELS = st.lists(st.sampled_from(["a", "b", "2", "10", "", MISSING]), min_size=1, unique=True)


@given(LABELS)
def test_a_natural_order_stays_natural(labels: list[Any]) -> None:
    natural = in_order(labels, "text")
    assert joined(axis(natural), axis(natural[::2])) == natural


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ([True, False], "bool"),
        ([1, -2], "int64"),
        ([1, 2.5], "float64"),
        ([2**53 + 1, 0.5], "object"),
        ([2**63, 1], "uint64"),
        ([2**64], "float64"),
        ([2**64 + 1], "object"),
        (["a"], "object"),
        ([1, MISSING], "object"),
        ([dt.date(2024, 1, 1)], "object"),
        ([pd.Timestamp("2024")], "datetime64[us]"),
        ([pd.Timestamp(1)], "datetime64[ns]"),
        ([pd.Timestamp("1500-01-01")], "datetime64[us]"),
        ([pd.Timestamp("2024", tz="UTC")], "object"),
        ([(1, 2), (3, 4)], "object"),
        ([(1, 2), (3,)], "object"),
        ([], "object"),
    ],
    ids=repr,
)
def test_an_index_keeps_its_labels_without_loss(labels: list[Any], dtype: str) -> None:
    index = level_index(labels)
    assert index.dtype == dtype
    assert [canonical(x) for x in index] == labels
    assert [type(canonical(x)) for x in index] == [type(x) for x in labels]
