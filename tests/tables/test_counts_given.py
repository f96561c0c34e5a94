"""Counts that somebody made become the same Dataset that records would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from small_tables import COUNTS, cells

import capstats
from capstats import from_counts, full_domain
from capstats.codes.labels import MISSING
from capstats.codes.names import RESERVED

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_without_labels_the_key_column_is_numbered_and_marked() -> None:
    tables = from_counts(COUNTS, COUNTS)
    assert tables.o.dims == tables.s.dims == ("target", "key")
    assert tables.indexes["key"].names == ["key_"]
    assert tables.indexes["key"].tolist() == [(0,), (1,), (2,)]
    assert tables.indexes["target"].tolist() == [0, 1]
    assert tables.attrs == {"key_columns": ["key_"], "target_columns": ["target"], "unlabelled": True, "capstats": capstats.__version__}


@pytest.mark.parametrize(
    ("key_labels", "names", "rows"),
    [
        (["b", "a", None], ["key_"], [("b",), ("a",), (MISSING,)]),
        ([("f", 1), ("m", 1), ("f", 2)], ["key_0", "key_1"], [("f", 1), ("m", 1), ("f", 2)]),
        ({"sex": ["f", "m", "f"], "age": [1, 1, 2]}, ["sex", "age"], [("f", 1), ("m", 1), ("f", 2)]),
        (pd.MultiIndex.from_tuples([("f", 1), ("m", 1), ("f", 2)], names=["sex", "age"]), ["sex", "age"], [("f", 1), ("m", 1), ("f", 2)]),
        (pd.Index([3, 1, 2], name="age"), ["age"], [(3,), (1,), (2,)]),
    ],
)
def test_labels_may_come_in_any_form_and_stay_in_their_order(key_labels: Any, names: list[str], rows: list[Any]) -> None:
    tables = from_counts(COUNTS, COUNTS, key_labels=key_labels, target_labels={"income": ["low", "high"]})
    assert list(tables.indexes["key"].names) == tables.attrs["key_columns"] == names
    assert tables.indexes["key"].tolist() == rows
    assert tables.indexes["target"].tolist() == ["low", "high"]
    assert tables.attrs["target_columns"] == ["income"]
    assert "unlabelled" not in tables.attrs
    assert tables.o.values.tolist() == tables.s.values.tolist() == COUNTS


def test_target_labels_may_have_several_columns() -> None:
    tables = from_counts(COUNTS, target_labels={"income": ["low", "high"], "ill": [True, False]})
    assert tables.attrs["target_columns"] == ["income", "ill"]
    assert tables.o.sel(income="high", ill=False).values.tolist() == COUNTS[1]


def test_a_cross_tabulation_of_pandas_brings_its_labels() -> None:
    records = pd.DataFrame({"income": ["low", "high", "low"], "sex": ["f", "m", "f"], "age": [2, 10, 2]})
    crossed = pd.crosstab(records["income"], [records["sex"], records["age"]])
    tables = from_counts(crossed)
    assert cells(tables.o) == {("low", "f", 2): 2, ("high", "m", 10): 1}
    assert tables.attrs["key_columns"] == ["sex", "age"]
    assert tables.attrs["target_columns"] == ["income"]
    assert full_domain(tables).o.shape == (2, 4)


def test_a_cross_tabulation_of_categories_keeps_their_order() -> None:
    level = pd.Categorical(["low", "high", "low"], ["low", "high"])
    assert from_counts(pd.crosstab(level, level)).indexes["target"].tolist() == ["low", "high"]


@pytest.mark.parametrize("dtype", ["int64", "Int64", "Float64", "float32"])
def test_a_data_frame_may_have_any_type_of_numbers(dtype: str) -> None:
    tables = from_counts(pd.DataFrame(COUNTS, dtype=dtype))
    assert tables.o.dtype == np.int64
    assert tables.o.values.tolist() == COUNTS


def test_different_labels_in_the_tables_are_aligned_and_absent_cells_are_zero() -> None:
    o = pd.DataFrame([[1, 2], [3, 4]], ["low", "high"], pd.Index(["f", "m"], name="sex"))
    s = pd.DataFrame([[5, 6]], ["mid"], pd.Index(["x", "f"], name="sex"))
    tables = from_counts(o, s)
    assert cells(tables.o) == {("low", "f"): 1, ("low", "m"): 2, ("high", "f"): 3, ("high", "m"): 4}
    assert cells(tables.s) == {("mid", "x"): 5, ("mid", "f"): 6}
    assert tables.indexes["target"].tolist() == ["low", "high", "mid"]
    assert tables.indexes["key"].tolist() == [("f",), ("m",), ("x",)]


def test_a_table_without_labels_takes_those_of_the_other() -> None:
    o = pd.DataFrame(COUNTS, ["low", "high"], ["a", "b", "c"])
    assert from_counts(o, COUNTS).s.identical(from_counts(o, o).s)


@pytest.mark.parametrize("s", [{"a": COUNTS, "b": COUNTS[::-1]}, {1: COUNTS, None: COUNTS}], ids=repr)
def test_a_mapping_of_synthetic_tables_gives_a_labelled_dim(s: dict[Any, Any]) -> None:
    tables = from_counts(COUNTS, s)
    assert tables.s.dims == ("synthetic", "target", "key")
    assert [tables.s.isel(synthetic=i).values.tolist() for i in range(2)] == list(s.values())
    assert tables.indexes["synthetic"].tolist() == [MISSING if x is None else x for x in s]


def test_synthetic_tables_of_a_mapping_are_aligned_by_label() -> None:
    frames = {"a": pd.DataFrame([[1, 2]], ["low"], ["f", "m"]), "b": pd.DataFrame([[3, 4]], ["low"], ["m", "x"])}
    tables = from_counts(frames["a"], frames)
    assert tables.s.sel(synthetic="b").values.tolist() == [[0, 3, 4]]
    assert tables.o.values.tolist() == [[1, 2, 0]]


def test_an_array_of_synthetic_tables_gives_a_dim_that_is_numbered_or_keeps_its_labels() -> None:
    assert from_counts(COUNTS, [COUNTS, COUNTS]).indexes["synthetic"].tolist() == [0, 1]
    draws = xr.DataArray([COUNTS, COUNTS], dims=("draw", "target", "key"), coords={"draw": ["p", "q"]})
    assert from_counts(COUNTS, draws).indexes["synthetic"].tolist() == ["p", "q"]


def test_tables_of_a_dataset_come_back_as_they_are() -> None:
    tables = from_counts(COUNTS, {"a": COUNTS}, key_labels={"sex": ["f", "m", None]}, target_labels={"income": ["low", "high"]})
    assert from_counts(tables.o, tables.s).identical(tables)


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_reserved_names_are_stored_with_an_underscore_and_attrs_keep_them(name: str) -> None:
    tables = from_counts(COUNTS, key_labels={name: list("abc"), "age": [1, 2, 3]})
    assert tables.indexes["key"].names == [f"{name}_", "age"]
    assert tables.attrs["key_columns"] == [name, "age"]
    assert tables.attrs["renamed"] == {f"{name}_": name}


def test_names_of_a_data_frame_are_kept_in_attrs_too() -> None:
    frame = pd.DataFrame(COUNTS, pd.Index(["low", "high"], name="o"), pd.Index(list("abc"), name="s"))
    tables = from_counts(frame, frame)
    assert tables.indexes["key"].names == ["s_"]
    assert tables.attrs["key_columns"] == ["s"]
    assert tables.attrs["target_columns"] == ["o"]
    assert tables.attrs["renamed"] == {"s_": "s"}


@pytest.mark.parametrize(
    ("o", "s", "options", "error", "message"),
    [
        (COUNTS, [[1, 2], [3, 4]], {}, ValueError, r"`o` has 2 targets x 3 keys, `s` has 2 targets x 2 keys: they must agree"),
        (COUNTS, None, {"key_labels": ["a", "b"]}, ValueError, r"`key_labels`: 2 labels for 3 keys"),
        ([[1]], None, {"key_labels": {"a": ["x"]}, "target_labels": {"a": ["y"]}}, ValueError, "Column 'a' is both a key and the target"),
        (COUNTS, None, {"key_labels": ["a", "b", "a"]}, ValueError, r"`key_labels`: label 'a' occurs twice"),
        (COUNTS, None, {"target_labels": "ab"}, TypeError, r"`target_labels` must be a list of labels"),
        (COUNTS, None, {"key_labels": ["a", 1, "b"]}, TypeError, r"`key_labels` mixes kinds: text and number\."),
        (pd.DataFrame(COUNTS), None, {"key_labels": list("abc")}, ValueError, r"`o` brings its own key labels; leave `key_labels` out"),
        (pd.DataFrame(COUNTS, columns=list("aab")), None, {}, ValueError, r"`o`: label 'a' occurs twice"),
        (
            pd.DataFrame(COUNTS),
            pd.DataFrame(COUNTS, columns=list("abc")),
            {},
            TypeError,
            r"holds number labels in `o` and text labels in `s`",
        ),
        (pd.DataFrame([["1"]]), None, {}, TypeError, r"`o` must hold numbers"),
        (
            pd.DataFrame([[1, None]], ["lo"], ["f", "m"], dtype="Int64"),
            None,
            {},
            ValueError,
            r"`o` must be finite; got nan at key='m'",
        ),
        (pd.DataFrame([[1, -2]], ["lo"], ["f", "m"]), None, {}, ValueError, r"must be non-negative; got -2 at key='m', target='lo'"),
        ([[1, np.inf]], None, {}, ValueError, r"`o` must be finite; got inf at key=1, target=0"),
        ([[0, 0]], None, {}, ValueError, r"`o` holds no record: every count is 0"),
        ([[1]], {"a": [[0]]}, {}, ValueError, r"`s\['a'\]` holds no record"),
        ([[1]], {"a": [[-1]]}, {}, ValueError, r"`s\['a'\]` must be non-negative; got -1"),
        ([[1]], {}, {}, ValueError, r"labels of the synthetic tables must be distinct, and one at least; got \[\]"),
        ([[1]], {None: [[1]], np.nan: [[1]]}, {}, ValueError, r"labels of the synthetic tables must be distinct"),
        ([[[1]]], None, {}, ValueError, r"`o` has dims \('draw', 'target', 'key'\); give \(target, key\)"),
        ([[1]], np.ones((1, 1, 1, 1)), {}, ValueError, r"`s` has 4 dimensions"),
        ([[1, 2], [3]], None, {}, ValueError, r"`o` has rows of different lengths"),
        (pl.DataFrame({"a": [1]}), None, {}, TypeError, r"`o` is a DataFrame\. For records use capstats\.tabulate"),
    ],
)
def test_counts_that_are_none_raise_with_rule_value_place(o: Any, s: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        from_counts(o, s, **options)


def test_a_bad_cell_is_told_by_the_labels_that_are_given_beside_it() -> None:
    with pytest.raises(ValueError, match=r"`o` must be non-negative; got -1 at key='m', target='x'"):
        capstats.from_counts([[1, -1]], key_labels={"sex": ["f", "m"]}, target_labels=["x"])
