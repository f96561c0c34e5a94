"""Text in objects of pandas is counted by DuckDB as it is in memory."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import capstats

DAY = dt.date


def test_text_in_objects_is_counted_alike_by_duckdb_and_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from capstats.sources import object_text

    rng = np.random.default_rng(0)
    n = 2_000
    frame = pd.DataFrame(
        {
            "a": pd.Series(rng.choice(np.array(["x", "", "é", None, "10", "9"], object), n), dtype=object),
            "b": rng.integers(0, 5, n),
            "t": pd.Series(rng.choice(np.array(["u", "v", np.nan], object), n), dtype=object),
            "w": rng.integers(0, 4, n),
        }
    )
    for weights in (None, "w"):
        monkeypatch.setattr(object_text, "MUCH", 10**9)
        in_memory = capstats.tabulate(frame, keys=["a", "b"], target="t", weights=weights)
        monkeypatch.setattr(object_text, "MUCH", 1)
        assert object_text.suits(frame, ["a", "b", "t"])
        assert capstats.tabulate(frame, keys=["a", "b"], target="t", weights=weights).identical(in_memory)


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
    pd.Series(["half a pair: \ud800", "b", "b", None], dtype=object),
    pd.Categorical.from_codes([0, 1, 1, -1], categories=pd.Index(["half a pair: \ud800", "b"], dtype=object)),
]


@pytest.mark.parametrize("values", BESIDE_TEXT, ids=lambda values: str(values.dtype))
def test_a_column_beside_text_in_objects_keeps_its_labels_and_their_order(values: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from capstats.sources import object_text

    frame = pd.DataFrame({"a": values, "t": pd.Series(["u", "v", "u", None], dtype=object)})
    in_memory = capstats.tabulate(frame, keys="a", target="t")
    monkeypatch.setattr(object_text, "MUCH", 1)
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
    from capstats.sources import object_text

    monkeypatch.setattr(object_text, "MUCH", 2)
    frame = pd.DataFrame({"a": beside, "t": pd.Series(["u", None], dtype=object), "w": [0.5, 1.0]})
    assert object_text.suits(frame, ["a", "t"]) is suited
    assert not object_text.suits(frame[:1], ["a", "t"])
    assert not object_text.suits(frame.assign(w=[1, 2]), ["w"])  # no text
    assert not object_text.suits(frame.to_dict("list"), ["t"])
    assert not object_text.suits(pd.concat([frame, frame[["w"]]], axis=1), ["a", "t"])


def test_objects_that_are_not_all_text_are_left_to_the_careful_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    from capstats.sources import object_text

    monkeypatch.setattr(object_text, "MUCH", 1)
    frame = pd.DataFrame({"a": pd.Series(["1", 1, True], dtype=object), "t": [1, 1, 1]})
    assert not object_text.suits(frame, ["a", "t"])
    with pytest.raises(TypeError, match="Column 'a' of `original` mixes kinds"):
        capstats.tabulate(frame, keys="a", target="t")
