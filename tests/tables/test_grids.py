"""Which dims of a Dataset go down and which across."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from capstats import from_counts
from capstats.tables.grids import ACROSS, ROWS, Grid, grids


def heads(grid: Grid) -> tuple[list[str], list[tuple[str, str]]]:
    return [label.heading for label in grid.labels], [(column.over, column.heading.strip()) for column in grid.columns]


def test_keys_go_down_and_targets_across() -> None:
    keys = {"sex": ["f", "f", "m"], "age": [20, 30, 20]}
    (grid,) = grids(from_counts([[1, 0, 2], [3, 4, 5]], [[1, 1, 1], [2, 2, 2]], key_labels=keys, target_labels=["ill", "well"]))
    assert heads(grid) == (["sex", "age"], [("o", "ill"), ("o", "well"), ("s", "ill"), ("s", "well")])
    assert [label.cells for label in grid.labels] == [["f", "f", "m"], ["20", "30", "20"]]
    assert [column.cells for column in grid.columns] == [["1", "0", "2"], ["3", "4", "5"], ["1", "1", "1"], ["2", "2", "2"]]


def test_several_synthetic_tables_stand_beside_the_original_while_they_are_few() -> None:
    two, many = (from_counts([[1], [2]], {f"r{i}": [[i + 1], [0]] for i in range(n)}) for n in (2, 7))
    (grid,) = grids(two)
    assert heads(grid)[1] == [("o", "0"), ("o", "1"), ("s[r0]", "0"), ("s[r0]", "1"), ("s[r1]", "0"), ("s[r1]", "1")]
    original, synthetic = grids(many)  # 7 tables of 2 targets are more than ACROSS columns
    assert ACROSS < 7 * 2
    assert heads(original) == (["key_"], [("o", "0"), ("o", "1")])
    assert heads(synthetic) == (["synthetic", "key_"], [("s", "0"), ("s", "1")])


def test_more_targets_than_fit_across_go_down_within_each_key() -> None:
    (grid,) = grids(from_counts(np.arange(2 * (ACROSS + 1)).reshape(-1, 2)))
    assert heads(grid) == (["key_", "target"], [("", "o")])
    assert [label.cells[:3] for label in grid.labels] == [["0", "0", "0"], ["0", "1", "2"]]
    assert list(grid.columns[0].cells[:3]) == ["0", "2", "4"]
    assert grid.more == 2 * (ACROSS + 1) - ROWS


def test_a_measure_is_a_column_of_its_own_with_its_own_digits() -> None:
    values = xr.Dataset(
        {"value": (("keyset", "measure"), [[0.25, 944.0], [0.5, 12.0]])}, {"keyset": ["a", "b"], "measure": ["cap", "records"]}
    )
    (grid,) = grids(values)
    assert heads(grid) == (["keyset"], [("value", "cap"), ("value", "records")])
    assert [column.cells for column in grid.columns] == [["0.2500", "0.5000"], ["944", "12"]]


def test_dims_of_one_label_need_no_heading() -> None:
    (grid,) = grids(xr.Dataset({"value": (("x", "one"), [[1], [2]])}, {"one": ["only"]}))
    assert heads(grid) == (["x"], [("", "value")])


def test_further_coordinates_stand_beside_their_dim_and_in_place_of_its_numbers() -> None:
    made = xr.Dataset({"n": ("x", [1, 2])}, {"x": ["a", "b"], "size": ("x", [10, 20]), "both": (("x", "y"), [[1], [2]])})
    assert heads(grids(made)[0])[0] == ["x", "size"]
    assert heads(grids(made.drop_vars("x"))[0])[0] == ["size"]
    assert heads(grids(made.drop_vars(["x", "size"]))[0])[0] == ["x"]


def test_each_set_of_dims_is_a_table_and_numbers_without_dims_are_another() -> None:
    made = xr.Dataset({"a": ("x", [1, 2]), "n": 5, "b": ("x", [3, 4]), "c": ("y", [1])})
    assert [heads(grid)[1] for grid in grids(made)] == [[("", "a"), ("", "b")], [("", "n")], [("", "c")]]
    assert [heads(grid)[0] for grid in grids(made)] == [["x"], [], ["y"]]


def test_a_table_is_turned_with_a_row_for_each_variable() -> None:
    index = pd.MultiIndex.from_tuples([("f", 1), ("m", 2)], names=["sex", "age"])
    made = xr.Dataset({"a": ("key", [1, 2]), "b": ("key", [0.5, 1.0])}, xr.Coordinates.from_pandas_multiindex(index, "key"))
    (grid,) = grids(made)
    assert grid.may_turn
    assert heads(grid.turned) == ([""], [("", "f, 1"), ("", "m, 2")])
    assert grid.turned.labels[0].cells == ["a", "b"]
    assert [list(column.cells) for column in grid.turned.columns] == [["1", "0.5000"], ["2", "1.0000"]]


def test_labels_are_text_that_is_short_and_inert() -> None:
    made = xr.Dataset({"n": ("x", [1, 2, 3])}, {"x": ["a\x1b[2J\n\u202e", "b" * 10_000, ""]})
    assert grids(made)[0].labels[0].cells == ["a\\x1b[2J\\n\\u202e", "b" * 14 + "..." + "b" * 15, "''"]
