"""Frames and mappings of columns in memory give their records and weights, whatever their columns are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from frames_in_memory import RECORDS, frames, read, rows

import capstats


@frames
def test_every_frame_gives_its_records_and_weights(frame: Callable[[Any], Any]) -> None:
    assert rows(frame(RECORDS), ["sex", "age"]) == {("f", 1): 2, ("m", 2): 1}
    assert rows(frame(RECORDS), ["age", "sex"], "w") == {(1, "f"): 4, (2, "m"): 2}


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
    with pytest.raises(ValueError, match="Rename it, or collect the frame"):
        capstats.tabulate(frame.lazy(), keys=name, target="a1")
    with pytest.raises(ValueError, match="Rename it, or collect the frame"):
        capstats.tabulate(frame.lazy(), keys=name, target="a1", bins={name: 2})


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
