"""Weights are numbers that are finite and not negative, in every library, and whole ones stay integers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from frames_in_memory import RECORDS, frames, read

from capstats.sources.weights import whole_weights


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
    assert found is not None
    assert found.dtype == dtype
    assert found.tolist() == [float(x) for x in weights]


@pytest.mark.parametrize("bad", [-1, -0.5, np.inf, -np.inf, np.nan, None])
@frames
def test_a_weight_that_is_no_weight_raises_with_its_row(frame: Callable[[Any], Any], bad: float | None) -> None:
    with pytest.raises(ValueError, match=r"finite .*; rows of `original` where column 'w' breaks this: 2, the first is row 1 \(") as raised:
        read(frame({**RECORDS, "w": [1.0, bad, -3.0]}), ["sex"], "w", "original")
    assert not any(value in str(raised.value) for value in (str(bad), "-3"))


@frames
def test_a_weight_that_is_no_number_raises_without_its_text(frame: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"rows of `original` where column 'w' breaks this: 1, the first is row 2") as raised:
        read(frame({**RECORDS, "w": ["1", "2", "many"]}), ["sex"], "w", "original")
    assert "many" not in str(raised.value)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", pd.ArrowDtype(pa.int64())])
def test_a_missing_nullable_weight_raises_with_its_row(dtype: Any) -> None:
    with pytest.raises(ValueError, match=r"`original` where column 'w' breaks this: 1, the first is row 1 "):
        read(pd.DataFrame({"sex": ["f", "m"], "w": pd.Series([1, None], dtype=dtype)}), ["sex"], "w", "original")


@pytest.mark.parametrize("weights", [np.array([2**53 - 1, 1]), np.array([2.0**53, 0.0]), np.array([2**63, 2**63], np.uint64)])
def test_integer_weights_that_floats_cannot_sum_exactly_raise(weights: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"integer weights 'w' of `original` sum to 2\*\*53 or more, which is not exact\. Scale"):
        whole_weights(weights, "w", "original")
