"""One rule for columns of weights and of counts: finite, not negative, and integers wherever all are whole."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from capstats.codes.column import Counts


def wrong_weights(column: Hashable, table: str, number: int, first: int | None = None) -> ValueError:
    """The error for weights that cannot be summed: how many rows have one, and the first of them where rows have an order."""
    place = "" if first is None else f", the first is row {first} (from 0)"
    return ValueError(
        f"Weights and counts must be numbers that are finite and not negative; rows of `{table}` where column {column!r} breaks this: "
        f"{number}{place}. Correct them, or leave these rows out."
    )


def whole_weights(weights: np.ndarray, column: Hashable, table: str) -> Counts:
    """Weights, checked; as int64 where all are whole numbers, otherwise as float64."""
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        raise wrong_weights(column, table, int(bad.sum()), int(np.argmax(bad)))
    if weights.dtype.kind == "f" and (weights != np.floor(weights)).any():
        return weights.astype(np.float64)
    if float(weights.sum(dtype=np.float64)) >= 2**53:
        raise ValueError(f"The integer weights {column!r} of `{table}` sum to 2**53 or more, which is not exact. Scale them down.")
    return weights.astype(np.int64)
