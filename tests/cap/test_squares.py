"""Sums of weights need the sums of their squares, and those must be of the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from capstats import average_cap_interval, from_counts, holdout_contrast, tabulate


def test_a_weighted_table_without_its_squares_is_refused_whole_or_not() -> None:
    for weights in ([1, 2, 3], [0.5, 1, 2]):
        frame = {"k": [0, 0, 1], "t": [0, 1, 1], "w": weights}
        tables = tabulate(frame, frame, holdout=frame, keys="k", target="t", weights=("w", None))
        with pytest.raises(ValueError, match=r"`o` holds sums of the sampling weights 'w', .* Give o_squares=tables\.o_squares"):
            average_cap_interval(tables.o, tables.s)
        with pytest.raises(ValueError, match=r"`o` holds sums of the sampling weights 'w'"):
            average_cap_interval(tables.o.isel(key=[1, 0]).sel(target=[0, 1]), tables.s)
        with pytest.raises(ValueError, match=r"`h` holds sums .* Give h_squares=tables\.h_squares"):
            holdout_contrast(tables.o, tables.s, h=tables.h, o_squares=tables.o_squares)
        with pytest.raises(ValueError, match=r"`o` holds sums .* Give o_squares=tables\.o_squares"):
            holdout_contrast(tables.o, tables.s, h=tables.o_records, h_squares=tables.o_squares)
        assert average_cap_interval(tables.o_records, tables.s).standard_error.item() > 0


@pytest.mark.parametrize(
    ("squares", "message"),
    [
        ([[5, 1], [1, 1]], "`o_squares` must hold the sum of the squared weights of each cell of `o`.*tables.o_squares"),
        ([[0, 1], [1, 1]], "`o_squares` must hold the sum of the squared weights"),
        ([[-1, 1], [1, 1]], "`o_squares` must be non-negative; got -1 at"),
        ([[np.nan, 1], [1, 1]], "`o_squares` must be finite"),
        ([[1, 1]], "must agree"),
    ],
)
def test_squares_that_cannot_be_those_of_the_weights_are_refused(squares: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        average_cap_interval([[2, 1], [1, 1]], [[1, 1], [1, 1]], o_squares=squares)
    with pytest.raises(ValueError, match=message.replace("`o_squares`", "`h_squares`").replace("`o`", "`h`").replace("o_sq", "h_sq")):
        holdout_contrast([[2, 1], [1, 1]], [[1, 1], [1, 1]], h=[[2, 1], [1, 1]], h_squares=squares)


def test_a_dataset_of_squares_is_answered_with_the_table_that_is_meant() -> None:
    tables = from_counts([[1, 2]], [[1, 1]])
    with pytest.raises(TypeError, match=r"`o_squares` is a Dataset; give one of its tables, such as tables\.o_squares"):
        average_cap_interval(tables.o, tables.s, o_squares=tables)
