"""Frames and mappings of columns in memory give their records and weights, whatever their columns are called."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from csv_written import counted as rows
from frames_in_memory import RECORDS, frames, read

import capstats
from capstats.sources import memory


@frames
def test_every_frame_gives_its_records_and_weights(frame: Callable[[Any], Any]) -> None:
    assert rows(frame(RECORDS), ["sex", "age"]) == {("f", 1): 2, ("m", 2): 1}
    assert rows(frame(RECORDS), ["age", "sex"], "w") == {(1, "f"): 4, (2, "m"): 2}


@frames
def test_a_part_has_the_records_from_one_place_to_before_another(frame: Callable[[Any], Any]) -> None:
    table = memory.MemorySource(frame({"a": [7, 8, 9], "b": ["x", "y", "z"]}), "original")
    assert rows(table.part(1, 2).plain, ["a", "b"]) == {(8, "y"): 1}
    assert rows(table.part(1, 99).plain, ["a", "b"]) == {(8, "y"): 1, (9, "z"): 1}


@frames
@pytest.mark.parametrize("name", ["records", "0", "1", "^.*$", "*", ""])
def test_a_column_may_have_any_name(frame: Callable[[Any], Any], name: str) -> None:
    records = frame({name: ["x", "x"], "b": ["y", "y"], "a": [1, 2]})
    assert rows(records, [name, "b"]) == {("x", "y"): 2}
    assert rows(records, [name, "b"], "a") == {("x", "y"): 3}


@pytest.mark.parametrize("name", ["^a.*$", "*"])
def test_a_polars_column_whose_name_is_a_pattern_is_itself(name: str) -> None:
    frame = pl.DataFrame({name: [1, None, 2], "a1": ["x", "y", "y"]})
    assert capstats.tabulate(frame, keys=name, target="a1").o.values.tolist() == [[1, 0, 0], [0, 1, 1]]
    assert capstats.tabulate(frame, keys=name, target="a1", bins={name: 2}).o.values.tolist() == [[1, 0, 0], [0, 1, 1]]
    for bins in (None, {name: 2}):
        with pytest.raises(ValueError, match="Rename it, or collect the frame"):
            capstats.tabulate(frame.lazy(), keys=name, target="a1", bins=bins)


def test_polars_groups_no_objects() -> None:
    frame = pl.DataFrame({"a": pl.Series(["x", 1, "x"], dtype=pl.Object), "b": ["y", "y", "y"]})
    assert rows(frame, ["a", "b"]) == {("x", "y"): 2, (1, "y"): 1}


@pytest.mark.parametrize("value", [5, np.array(5), None, iter([1, 2])])
def test_what_a_mapping_holds_beside_its_columns_is_no_matter(value: Any) -> None:
    table = {"about": value, "sex": ["f", "m"], "t": [1, 2]}
    assert capstats.tabulate(table, table, keys="sex", target="t").o.values.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(TypeError, match=r"Column 'about' of `original` is .*give a list, a one-dimensional array"):
        capstats.tabulate(table, keys="about", target="t")


def test_a_ragged_mapping_raises_with_the_lengths() -> None:
    with pytest.raises(
        ValueError, match=r"columns of `original` differ in length: \{'sex': 2, 'age': 1\}\. Give each one value per record"
    ):
        read({"sex": ["f", "m"], "age": [1]}, ["sex", "age"], None, "original")
    with pytest.raises(ValueError, match=r"\{'sex': 2, 'w': 1\}"):
        read({"sex": ["f", "m"], "w": [1]}, ["sex"], "w", "original")


# --- text in objects of pandas is counted by DuckDB as it is in memory ------------------------------------------------


DAY = dt.date


CATEGORIES: list[Any] = [
    ["z", "y", "x"],
    [3, 1, 2],
    [1.5, 0.5],
    [True, False],
    [DAY(2020, 1, 2), DAY(2020, 1, 1)],
    pd.to_datetime(["2020-01-02", "2020-01-01"]),
    pd.to_datetime(["2020-01-02", "2020-01-01"]).tz_localize("Europe/Paris"),
]
BESIDE_TEXT: list[Any] = [
    *(pd.Categorical.from_codes([1, 0, -1, 1], categories=x) for x in CATEGORIES),
    pd.period_range("2020", periods=4, freq="D"),
    pd.interval_range(0, 4),
    pd.arrays.SparseArray([1, 0, 0, 1]),
    pd.array([1, None, 1, 2], "Int64"),
    pd.array(["a", None, "a", "b"], "string"),
    pd.array([DAY(2020, 1, 2), None] * 2, pd.ArrowDtype(pa.date32())),
    pd.Series(["", "é", "10", None], dtype=object),
    pd.Series(["half a pair: \ud800", "b", "b", None], dtype=object),
    pd.Categorical.from_codes([0, 1, 1, -1], categories=pd.Index(["half a pair: \ud800", "b"], dtype=object)),
]


@pytest.mark.parametrize("values", BESIDE_TEXT, ids=lambda values: str(values.dtype))
def test_a_column_beside_text_in_objects_keeps_its_labels_and_their_order(values: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"a": values, "t": pd.Series(["u", "v", "u", None], dtype=object)})
    in_memory = capstats.tabulate(frame, keys="a", target="t")
    monkeypatch.setattr(memory, "MUCH", 1)
    assert capstats.tabulate(frame, keys="a", target="t").identical(in_memory)


@pytest.mark.parametrize(
    ("beside", "suited"),
    [
        (pd.Series(["x", None], dtype=object), True),
        (np.array([1, 2]), True),
        (np.array([1, 2], np.uint8), True),
        (np.array([True, False]), True),
        (pd.Categorical(["x", "y"]), True),
        (pd.array(["x", None], "string"), True),
        (np.array([1.0, 2.0]), False),
        (np.array([1, 2], "M8[s]"), False),
        (pd.array([1, None], "Int64"), False),
        (pd.Categorical([1, 2]), False),
        (pd.Series(["x", 1], dtype=object), False),
    ],
    ids=lambda values: str(getattr(values, "dtype", values)),
)
def test_much_text_suits_beside_columns_whose_labels_duckdb_keeps(beside: Any, suited: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MUCH", 2)
    frame = pd.DataFrame({"a": beside, "t": pd.Series(["u", None], dtype=object), "w": [0.5, 1.0]})
    assert memory.is_much_text(frame, ["a", "t"]) is suited
    assert not memory.is_much_text(frame[:1], ["a", "t"])
    assert not memory.is_much_text(frame.assign(w=[1, 2]), ["w"])  # no text
    assert not memory.is_much_text(frame.to_dict("list"), ["t"])
    assert not memory.is_much_text(pd.concat([frame, frame[["w"]]], axis=1), ["a", "t"])


def test_objects_that_are_not_all_text_are_left_to_the_careful_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MUCH", 1)
    frame = pd.DataFrame({"a": pd.Series(["1", 1, True], dtype=object), "t": [1, 1, 1]})
    assert not memory.is_much_text(frame, ["a", "t"])
    with pytest.raises(TypeError, match="Column 'a' of `original` mixes kinds"):
        capstats.tabulate(frame, keys="a", target="t")
