"""A column that is asked for is there exactly once, in every library."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from csv_written import counted as rows
from frames_in_memory import RECORDS, frames, read

import capstats
from capstats.sources.source import engine_errors, whole_weights


@frames
def test_an_absent_column_raises_with_the_nearest_name(frame: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"Column 'sexx' is not in `original`\. Did you mean 'sex'\?"):
        read(frame(RECORDS), ["sexx"], None, "original")
    with pytest.raises(ValueError, match=r"Column 'weight' is not in `original`\. None of its \d columns has a similar name"):
        read(frame(RECORDS), ["sex"], "weight", "original")


@pytest.mark.parametrize("table", [pd.DataFrame([[1, 2]], columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"])])
def test_a_column_that_occurs_twice_raises(table: Any) -> None:
    with pytest.raises(ValueError, match=r"Column 'a' occurs 2 times in `original`\. Rename all but one"):
        read(table, ["a"], None, "original")


def test_a_column_that_occurs_twice_is_no_matter_where_it_is_not_used() -> None:
    assert rows(pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]), ["b"]) == {(3,): 1}


# --- weights are numbers that are finite and not negative, in every library, and whole ones stay integers -------------


@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        ([1, 2, 0], "int64"),
        ([1.0, 2.0, 0.0], "int64"),
        (["1", "2", "0"], "int64"),
        ([True, False, True], "int64"),
        ([Decimal(1), Decimal(2), Decimal(0)], "int64"),
        (np.array([255, 255, 255], np.uint8), "int64"),
        ([0.5, 1, 1], "float64"),
        (np.array([0.5, 1, 1], np.float32), "float64"),
        (["0.5", "1", "1"], "float64"),
    ],
    ids=repr,
)
@frames
def test_whole_weights_are_integers_and_fractional_ones_are_floats(frame: Callable[[Any], Any], weights: Any, dtype: str) -> None:
    _, found = read(frame({**RECORDS, "w": weights}), ["sex"], "w", "original")
    assert found.dtype == dtype
    assert found.tolist() == [float(x) for x in weights]


@pytest.mark.parametrize("bad", [-1, -0.5, np.inf, -np.inf, np.nan, None, "many"])
@frames
def test_a_weight_that_is_no_weight_raises_with_its_row(frame: Callable[[Any], Any], bad: Any) -> None:
    weights = ["1.0", bad, "-3.0"] if bad == "many" else [1.0, bad, -3.0]
    with pytest.raises(ValueError, match=r"finite .*; rows of `original` where column 'w' breaks this: 2, the first is row 1 \(") as raised:
        read(frame({**RECORDS, "w": weights}), ["sex"], "w", "original")
    assert not any(value in str(raised.value) for value in (str(bad), "-3"))


@pytest.mark.parametrize("dtype", ["Int64", "Float64", pd.ArrowDtype(pa.int64())])
def test_a_missing_nullable_weight_raises_with_its_row(dtype: Any) -> None:
    with pytest.raises(ValueError, match=r"`original` where column 'w' breaks this: 1, the first is row 1 "):
        read(pd.DataFrame({"sex": ["f", "m"], "w": pd.Series([1, None], dtype=dtype)}), ["sex"], "w", "original")


@pytest.mark.parametrize("weights", [np.array([2**53 - 1, 1]), np.array([2.0**53, 0.0]), np.array([2**63, 2**63], np.uint64)])
def test_integer_weights_that_floats_cannot_sum_exactly_raise(weights: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"integer weights 'w' of `original` sum to 2\*\*53 or more, which is not exact\. Scale"):
        whole_weights(weights, "w", "original")


# --- an engine's error in a user's own query quotes no record ---------------------------------------------------------


def test_an_error_in_a_users_own_query_is_told_by_its_class_and_quotes_no_value() -> None:
    connection = duckdb.connect()
    relation = connection.sql("SELECT CAST('Zürich-65' AS INTEGER) AS a, 1 AS t FROM range(3)")
    frame = pl.LazyFrame({"a": ["Zürich-65"], "t": [1]}).with_columns(pl.col("a").cast(pl.Int64))
    for table in (relation, frame):
        with pytest.raises(ValueError, match=r"`original` cannot be computed: its engine stops with \w+\. Compute it by itself") as raised:
            capstats.tabulate(table, keys="a", target="t")
        assert raised.value.__suppress_context__
        assert "Zürich" not in str(raised.value)


def test_an_engine_that_is_not_known_is_told_by_its_class_too() -> None:
    match = "`original` cannot be computed: its engine stops with OperationalError"
    with pytest.raises(ValueError, match=match) as raised, engine_errors("original"):
        raise sqlite3.OperationalError("Could not decode 'Zürich-65'")
    assert "Zürich" not in str(raised.value)
    with pytest.raises(TypeError, match="as capstats says it"), engine_errors("original"):
        raise TypeError("as capstats says it")
