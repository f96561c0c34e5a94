"""An engine's error in a user's own query quotes no record."""

from __future__ import annotations

import sqlite3

import duckdb
import polars as pl
import pytest

import capstats
from capstats.sources.foreign import told_by_class


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
    with pytest.raises(ValueError, match=match) as raised, told_by_class("original"):
        raise sqlite3.OperationalError("Could not decode 'Zürich-65'")
    assert "Zürich" not in str(raised.value)
    with pytest.raises(TypeError, match="as capstats says it"), told_by_class("original"):
        raise TypeError("as capstats says it")
