"""The long form holds all that a table holds: counted again, it is the same table."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from capstats import MISSING, expand, from_counts, observed_domain, tabulate, to_frame

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

LEVELS = ["z10", "z2", "", "a,b", "ä"]
RECORDS = pd.DataFrame(
    {
        "group": pd.Categorical(["z2", None, "", "a,b", "z10", "ä", "z2", "z2"], [*LEVELS, "unused"]),
        "size": [10.0, 2, None, 2, 10, 1, 100, 10],
        "day": [dt.date(2024, 1, 2), None, *[dt.date(2023, 12, d) for d in range(1, 6)], dt.date(2024, 1, 2)],
        "time": pd.to_datetime(["2024-01-02 03:04", None, *["2023-12-01 00:00"] * 6]),
        "member": pd.array([True, None, False, True, True, False, True, True], "boolean"),
        "income": pd.Categorical(["low", "high", None, "low", "mid", "mid", "high", "low"], ["low", "mid", "high"]),
        "w": [1, 2, 3, 4, 5, 6, 0, 7],
    }
)
OTHER = RECORDS.iloc[[0, 0, 5, 7]]
KEYS = ["group", "size", "day", "time", "member"]
ABOUT_COUNTING = ("weights", "counts", "categories", "missing", "dropped")  # attrs that say how, not what


def same(found: xr.Dataset, expected: xr.Dataset) -> None:
    """Identical counts, labels, order, types and names."""
    found, expected = (t.assign_attrs({k: v for k, v in t.attrs.items() if k not in ABOUT_COUNTING}) for t in (found, expected))
    for table in (found, expected):
        for name in ABOUT_COUNTING:
            table.attrs.pop(name, None)
    xr.testing.assert_identical(found, expected)
    assert [found[v].dtype for v in found.data_vars] == [expected[v].dtype for v in expected.data_vars]


# --- to_frame ---------------------------------------------------------------------------------------------------------


def test_the_long_form_has_one_row_a_cell_and_the_labels_of_its_columns() -> None:
    tables = from_counts(
        [[1, 2], [0, 4]], [[5, 0], [0, 8]], key_labels={"sex": ["m", "f"], "age": [2, 10]}, target_labels={"income": ["low", None]}
    )
    frame = to_frame(tables)
    assert list(frame.columns) == ["sex", "age", "income", "o", "s"]
    assert frame[["sex", "age", "o", "s"]].values.tolist() == [["m", 2, 1, 5], ["m", 2, 0, 0], ["f", 10, 2, 0], ["f", 10, 4, 8]]
    assert frame["income"].isna().tolist() == [False, True, False, True]
    assert frame["sex"].cat.categories.tolist() == ["m", "f"]
    assert frame["income"].cat.categories.tolist() == ["low"]
    assert frame["o"].dtype == frame["s"].dtype == np.int64


@pytest.mark.parametrize("keys", [KEYS, ["group"], "size", ["day", "group"]], ids=str)
@pytest.mark.parametrize("target", ["income", ["income", "w"]], ids=str)
def test_counting_the_long_form_gives_the_tables_back(keys: Any, target: Any) -> None:
    """Zeros, the order of the levels and missing values included."""
    tables = tabulate(RECORDS, OTHER, holdout=RECORDS.iloc[:5], keys=keys, target=target)
    frame = to_frame(tables)
    same(tabulate(frame, frame, holdout=frame, keys=keys, target=target, counts=("o", "s", "h")), tables)


def test_the_long_form_keeps_fractions() -> None:
    tables = tabulate(RECORDS.assign(w=RECORDS["w"] / 4), RECORDS, keys="group", target="income", counts=("w", None))
    frame = to_frame(tables)
    assert frame.dtypes[["o", "s"]].tolist() == [np.float64, np.int64]
    same(tabulate(frame, frame, keys="group", target="income", counts=("o", "s")), tables)


@pytest.mark.parametrize("labels", [["a", "b"], [2, 1], [True, None], [dt.date(2024, 1, 1), dt.date(2023, 1, 1)]], ids=repr)
def test_several_synthetic_tables_have_a_column_each(labels: list[Any]) -> None:
    tables = tabulate(RECORDS, dict(zip(labels, [OTHER, RECORDS], strict=True)), keys=["group", "size"], target="income")
    frame = to_frame(tables)
    columns = {x: f"s[{MISSING if x is None else x}]" for x in labels}
    assert list(frame.columns) == ["group", "size", "income", "o", *columns.values()]
    again = tabulate(frame, dict.fromkeys(labels, frame), keys=["group", "size"], target="income", counts=("o", columns))
    same(again, tables)


def test_a_column_that_is_called_as_a_count_hides_none() -> None:
    records = {"s[0]": ["x", "y"], "o": ["p", "q"], "h": ["u", "v"]}
    tables = tabulate(records, [records], holdout=records, keys=["s[0]", "o"], target="h")
    frame = to_frame(tables)
    assert list(frame.columns) == ["s[0]", "o_", "h_", "o", "s[0]_", "h"]
    assert frame["s[0]"].tolist() == ["x", "x", "y", "y"]
    assert frame["o"].tolist() == frame["s[0]_"].tolist() == frame["h"].tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("keys", [KEYS, ["group"], ["size", "member"]], ids=str)
@pytest.mark.parametrize("read", [pd.read_parquet, lambda path: path, str], ids=["pandas", "path", "text"])
def test_the_long_form_goes_through_parquet_and_back(tmp_path: Path, keys: list[str], read: Any) -> None:
    """Through DuckDB, which forgets categories, the order is given as types."""
    tables = tabulate(RECORDS, OTHER, keys=keys, target="income")
    path = tmp_path / "long.parquet"
    to_frame(tables).to_parquet(path)
    types = {"income": ["low", "mid", "high"]} | ({"group": LEVELS} if "group" in keys else {})
    frame = read(path)
    same(tabulate(frame, frame, keys=keys, target="income", counts=("o", "s"), types=None if read is pd.read_parquet else types), tables)


@pytest.mark.parametrize("labels", [[1e300, 0.5, None], [1e300, 0.5], [1e18, 0.5], [2**63, 1], [2.0**70, 1e20]], ids=str)
def test_large_numbers_go_through_parquet_and_back(tmp_path: Path, labels: list[Any]) -> None:
    frame = pd.DataFrame({"size": labels, "income": ["low"] * len(labels)})
    tables = tabulate(frame, frame, keys="size", target="income")
    path = tmp_path / "long.parquet"
    to_frame(tables).to_parquet(path)
    for read in (path, pd.read_parquet(path)):
        same(tabulate(read, read, keys="size", target="income", counts=("o", "s")), tables)


def test_unlabelled_tables_have_a_long_form() -> None:
    frame = to_frame(from_counts([[1, 2]], [[3, 4]]))
    assert frame.to_dict("list") == {"key_": [0, 1], "target_": [0, 0], "o": [1, 2], "s": [3, 4]}


# --- expand -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [KEYS, ["group", "size"], "member"], ids=str)
@pytest.mark.parametrize("target", ["income", ["income", "w"]], ids=str)
def test_counting_expanded_records_gives_the_counts_back(keys: Any, target: Any) -> None:
    tables = tabulate(RECORDS, OTHER, keys=keys, target=target)
    for name, n in (("o", len(RECORDS)), ("s", len(OTHER))):
        records = expand(tables[name])
        assert len(records) == n
        expected = observed_domain(tables[[name]].rename({name: "o"}))
        xr.testing.assert_identical(tabulate(records, keys=keys, target=target).o, expected)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[0.5, 1]], r"`o` holds fractional counts, which are no numbers of records\. Use to_frame"),
        ([[[1]], [[2]]], r"`o` has dims \('draw', 'target', 'key'\); give one table of \(target, key\), such as o\.isel"),
    ],
)
def test_what_cannot_be_expanded_raises(counts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expand(counts)


# --- Any table --------------------------------------------------------------------------------------------------------

LABELS = st.lists(st.sampled_from(["b", "a", "10", "2", "", None]), min_size=1, max_size=4, unique=True)


@given(LABELS, LABELS, st.data())
def test_any_labelled_table_is_the_table_of_its_long_form(keys: list[Any], targets: list[Any], data: st.DataObject) -> None:
    """Whatever the order of its labels; only missing labels move, to the end."""
    shape = (len(targets), len(keys))
    o, s = (
        np.reshape(data.draw(st.lists(st.integers(0, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])), shape) for _ in "os"
    )
    if not o.any() or not s.any():
        return
    labels = [sorted(x, key=lambda label: label is None) for x in (keys, targets)]
    tables = from_counts(o, s, key_labels={"k": labels[0]}, target_labels={"t": labels[1]})
    frame = to_frame(tables)
    same(tabulate(frame, frame, keys="k", target="t", counts=("o", "s")), tables)
    shuffled = frame.sample(frac=1, random_state=0)
    same(tabulate(shuffled, shuffled, keys="k", target="t", counts=("o", "s")), tables)


def test_integers_beside_a_missing_value_stay_as_they_are_in_an_array() -> None:
    """Of columns of integers alone pandas makes an array of integers, which has no place for a missing value."""
    tables = tabulate({"k": [2**53 + 1, None], "t": [None, 7]}, keys="k", target="t")
    held = [row for row in to_frame(tables).values.tolist() if row[-1]]
    assert str(held) == "[[9007199254740993, nan, 1], [nan, 7, 1]]"
