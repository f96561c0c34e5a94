"""Labels of one table: of one kind or of the wanted types; missing ones are a level, or their records are dropped and told."""

from __future__ import annotations

import datetime as dt
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import xarray as xr
from few_records import category, counts, csv_file, keys_of

import capstats
from capstats import MISSING, tabulate

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

T = ["t", "t", "t"]


def test_types_settle_kinds_that_differ() -> None:
    o, s = {"k": [1, "2", 2.0], "t": T}, {"k": ["1", "1.0", "02"], "t": T}
    tables = tabulate(o, s, keys="k", target="t", types={"k": "number"})
    assert tables.o.values.tolist() == [[1, 2]]
    assert tables.s.values.tolist() == [[2, 1]]


def test_missing_is_last_selectable_and_printed() -> None:
    records = {"k": ["b", None, "zz"], "age": [None, 2, 10], "t": [None, "y", "y"]}
    tables = tabulate(records, keys=["k", "age"], target="t")
    assert tables.indexes["key"].tolist() == [("b", MISSING), ("zz", 10), (MISSING, 2)]
    assert tables.indexes["target"].tolist() == ["y", MISSING]
    assert tables.o.sel(k=MISSING, age=2, target="y").item() == 1
    assert tables.o.sel(k="b", age=MISSING, target=MISSING).item() == 1
    assert tables.o.sel(k=MISSING).values.tolist() == [[1], [0]]
    assert tables.o.sel(target=[MISSING]).values.tolist() == [[1, 0, 0]]
    assert "missing" in repr(tables)


def test_unused_categories_are_converted_with_the_others_where_they_can_be() -> None:
    """So shards that use different ones agree on the order."""
    parts = [{"k": category([x], [10, 2, 5]), "t": ["t"]} for x in (2, 10)]
    shards = [tabulate(part, keys="k", target="t", types={"k": "text"}) for part in parts]
    assert [shard.attrs["categories"] for shard in shards] == [{"k": ["10", "2", "5"]}] * 2
    assert [x for (x,) in capstats.merge_counts(*shards).indexes["key"]] == ["10", "2"]
    assert keys_of(category(["1"], ["2", "x", "1"]), ["2"], types={"k": "number"}) == [2, 1]


def test_dropped_records_are_told_for_each_table() -> None:
    o = {"k": ["a", None, "b", "b"], "other": [None] * 4, "t": ["x", "x", None, "y"], "w": [1, 2, 4, 8]}
    s = {"k": ["a", "a"], "other": [None] * 2, "t": ["x", "x"], "w": [1, 0.5]}
    tables = tabulate(o, {"p": s, "q": o}, holdout=o, keys="k", target="t", missing="drop")
    assert tables.attrs["dropped"] == {"original": 2, "synthetic['p']": 0, "synthetic['q']": 2, "holdout": 2}
    assert counts(tables.o) == {("x", "a"): 1, ("y", "b"): 1}
    assert MISSING not in {x for (x,) in tables.indexes["key"]} | set(tables.indexes["target"])
    weighted = tabulate(o, s, keys="k", target="t", missing="drop", weights="w")
    assert weighted.attrs["dropped"] == {"original": 2, "synthetic": 0}
    counted = tabulate(o, s, keys="k", target="t", missing="drop", counts="w")
    assert counted.attrs["dropped"] == {"original": 6, "synthetic": 0.0}


@pytest.mark.parametrize(
    ("wanted", "texts", "labels"),
    [
        ("number", ["10", "2", "2.0"], [2, 10]),
        ("text", ["10", "2", "2.0"], ["2", "2.0", "10"]),
        ("bool", ["yes", "0", "TRUE"], [False, True]),
        ("date", ["2024-02-29", "2023-01-01", "20230101"], [dt.date(2023, 1, 1), dt.date(2024, 2, 29)]),
        ("datetime", ["2024-02-29 12:00", "2023-01-01", "2023-01-01T00"], [pd.Timestamp("2023"), pd.Timestamp("2024-02-29 12:00")]),
        (["z", "a", "m"], ["a", "z", "a"], ["z", "a"]),
        ([3, 2, 10], ["10", "2.0", "3"], [3, 2, 10]),
    ],
)
def test_types_say_what_the_texts_of_a_csv_file_are(tmp_path: Path, wanted: Any, texts: list[str], labels: list[Any]) -> None:
    path = csv_file(tmp_path / "t.csv", [*((x, "x") for x in texts), (None, "x")], ["k", "t"])
    tables = tabulate(path, keys="k", target="t", types={"k": wanted})
    assert [x for (x,) in tables.indexes["key"]] == [*labels, MISSING]
    xr.testing.assert_identical(tables, tabulate({"k": [*texts, None], "t": ["x"] * 4}, keys="k", target="t", types={"k": wanted}))


@pytest.mark.parametrize(
    ("values", "bins", "asked", "found"),
    [
        ([1, 1, 1, 1, 2, 3, 4, 5, 6, 7], ("quantile", 10), 10, 7),
        ([5, 5, 5], 4, 4, 1),
        (pd.to_datetime(["2024-01-01", "2024-01-01", "2024-01-03"]).date, 1000, 1000, 3),
    ],
)
def test_fewer_bins_than_were_asked_for_are_told_with_both_numbers(values: Any, bins: Any, asked: int, found: int) -> None:
    people = {"x": list(values), "t": ["a", "b"] * (len(values) // 2) + ["a"] * (len(values) % 2)}
    message = rf"^Column 'x' is cut into {found} bins?, not {asked:,} as `bins` asks for: .* Give fewer bins, or cut points\.$"
    with pytest.warns(capstats.LevelsWarning, match=message) as caught:
        tables = tabulate(people, people, keys="x", target="t", bins={"x": bins})
    assert len(tables.attrs["bins"]["x"]) == found - 1
    assert [Path(warning.filename).name for warning in caught] == ["test_reading.py"]


def test_a_column_without_a_value_that_is_cut_is_told_as_such() -> None:
    people = {"x": [float("nan")] * 4, "t": list("abab")}
    with pytest.warns(capstats.LevelsWarning, match="is cut into 1 bin, not 3 as `bins` asks for: `original` has no value in it"):
        tabulate(people, people, keys="x", target="t", bins={"x": 3})


def test_as_many_bins_as_were_asked_for_and_cut_points_are_told_nothing_of() -> None:
    people = {"x": [1, 1, 2, 3, 4, 5, 6, 7], "t": list("abababab")}
    for bins in (4, ("quantile", 4), [3, 3.5, 3.6]):
        with warnings.catch_warnings(action="error"):
            tabulate(people, people, keys="x", target="t", bins={"x": bins})
