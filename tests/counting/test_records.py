"""Tables stand on common axes under names that hide nothing, and say how their counts came to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from few_records import OTHER, RECORDS, category

import capstats
from capstats import datasets, tabulate

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_the_key_holds_the_combinations_that_occur_in_any_table() -> None:
    tables = tabulate(RECORDS, OTHER, holdout={**RECORDS, "sex": ["y"] * 4}, keys="sex", target="income")
    assert tables.indexes["key"].tolist() == [("f",), ("m",), ("x",), ("y",)]
    assert tables.indexes["target"].tolist() == ["high", "low", "mid"]
    assert tables.o.values.tolist() == [[1, 0, 0, 0], [2, 1, 0, 0], [0, 0, 0, 0]]
    assert tables.s.values.tolist() == [[0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0]]
    assert tables.h.values.tolist() == [[0, 0, 0, 1], [0, 0, 0, 3], [0, 0, 0, 0]]


def test_attrs_say_how_the_counts_came_to_be() -> None:
    tables = tabulate(RECORDS, RECORDS, keys=["sex"], target="income", weights=("w", None), counts=(None, "w"), missing="drop")
    assert tables.attrs == {
        "key_columns": ["sex"],
        "target_columns": ["income"],
        "missing": "drop",
        "dropped": {"original": 0, "synthetic": 0},
        "weights": {"original": "w"},
        "counts": {"synthetic": "w"},
        "capstats": capstats.__version__,
    }


@pytest.mark.parametrize("name", ["o", "synthetic", "records", "method"])
def test_a_reserved_name_is_stored_with_an_underscore_and_hides_nothing(name: str) -> None:
    records = {name: ["f", "m"], "age": [1, 2], "t": ["x", "y"]}
    tables = tabulate(records, {"a": records, "b": records}, holdout=records, keys=[name, "age"], target="t")
    assert tables.indexes["key"].names == [f"{name}_", "age"]
    assert tables.attrs["key_columns"] == [name, "age"]
    assert tables.attrs["renamed"] == {f"{name}_": name}
    assert tables.o.sel({f"{name}_": "f"}).sum().item() == 1
    assert tables.s.dims == ("synthetic", "target", "key")
    assert capstats.average_cap(tables.o, tables.s).values.tolist() == [1, 1]
    alone = tabulate(records, keys="age", target=name)
    assert alone.attrs["target_columns"] == [name]
    assert alone.o.target.attrs["long_name"] == name
    joint = tabulate(records, keys="age", target=[name, "t"])
    assert joint.indexes["target"].names == [f"{name}_", "t"]


@pytest.mark.parametrize(
    ("columns", "stored"),
    [
        (["o", "o_", "o__"], ["o___", "o_", "o__"]),
        (["o__", "o_", "o"], ["o__", "o_", "o___"]),
        ([1, "1", "1_"], ["1__", "1", "1_"]),
        ([("a", 1), None, ""], ["('a', 1)_", "None_", "_"]),
        (["key", "target", "s"], ["key__", "target_", "s_"]),
    ],
)
def test_names_that_collide_get_underscores_until_they_are_free(columns: list[Any], stored: list[str]) -> None:
    records = {c: [i, i] for i, c in enumerate(columns)} | {"t": ["x", "y"]}
    tables = tabulate(records, keys=columns, target="t")
    assert list(tables.indexes["key"].names) == stored
    assert tables.indexes["key"].tolist() == [tuple(range(len(columns)))]
    assert tables.attrs["key_columns"] == [str(c) for c in columns]
    assert tables.attrs["renamed"] == {new: str(old) for new, old in zip(stored, columns, strict=True) if new != old}


def test_columns_whose_names_look_alike_keep_their_own_categories() -> None:
    tables = tabulate({1: category(["x"], "yx"), "1": category(["p"], "qp")}, keys="1", target=1)
    assert tables.attrs["categories"] == {"1": ["q", "p"], "1_": ["y", "x"]}
    assert tables.attrs["renamed"] == {"1_": "1"}


def test_columns_of_a_data_frame_may_be_numbers_or_tuples() -> None:
    tables = tabulate(pd.DataFrame([["f", "x"], ["m", "y"]]), keys=[0], target=1)
    assert tables.indexes["key"].names == ["0_"]
    nested = pd.DataFrame({("a", 1): ["f"], ("b", 1): ["x"]})
    assert tabulate(nested, keys=[("a", 1)], target=[("b", 1)]).attrs["key_columns"] == ["('a', 1)"]


# --- tables of counts that are given as records


@pytest.mark.parametrize("keys", [["Class", "Sex", "Age"], ["Class", "Sex"], "Sex"])
def test_a_table_of_counts_given_as_records_is_noticed_and_the_remedy_named(keys: Any) -> None:
    """32 rows with a count each: 2,201 people are 32 records where nobody says so."""
    cells = datasets.titanic()
    with pytest.warns(UserWarning, match=r"looks like a table of counts.*Its 32 rows .* give counts='count'"):
        tables = tabulate(cells, keys=keys, target="Survived")
    assert tables.o.values.sum() == 32
    assert tabulate(cells, keys=keys, target="Survived", counts="count").o.values.sum() == 2201  # without a warning


def test_cells_without_people_may_be_left_out_of_such_a_table() -> None:
    cells = datasets.hair_eye_color()
    cells = cells[cells["count"] > 4]
    with pytest.warns(UserWarning, match="looks like a table of counts"):
        tabulate(cells, keys=["Hair", "Eye"], target="Sex")


def test_no_column_of_ordinary_records_is_taken_for_counts() -> None:
    """Records with a column n: of each combination there are some more often than others, or very few of those that there could be."""
    rng = np.random.default_rng(1)
    for levels in (2, 3, 1000):
        people = pd.DataFrame({"a": rng.integers(0, levels, 60), "b": rng.integers(0, levels, 60), "n": 1, "t": rng.integers(0, 2, 60)})
        tabulate(people, keys=["a", "b"], target="t")
    voters = datasets.anes96()
    for target in voters.columns:
        keys = [column for column in voters.columns if column != target]
        tabulate(voters.assign(Freq=1), keys=keys[:3], target=target)
        tabulate(voters.assign(Freq=1), keys=keys, target=target)


def test_a_column_called_key_with_the_numbers_0_1_is_not_taken_for_keys_without_labels() -> None:
    """Person 2 and 3 have no record with their key: one of the two nearest is right for each."""
    original, release = {"key": [0, 1, 2, 3], "t": [*"pqpq"]}, {"key": [0, 1, 1], "t": [*"pqq"]}
    tables = tabulate(original, release, keys="key", target="t")
    assert capstats.average_cap(tables, unmatched="nearest") == 0.75
    renamed = tabulate({"code": original["key"], "t": [*"pqpq"]}, {"code": [0, 1, 1], "t": [*"pqq"]}, keys="code", target="t")
    assert capstats.average_cap(renamed, unmatched="nearest") == 0.75
