"""Records drawn into cells: by probabilities, from an urn, or without replacement, for many tables at once.

The cells are the leaves of a binary tree. At each of its nodes the records are divided between the two halves by one draw of known law.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from capstats.tables.table import Array, Floats

Counts = NDArray[np.int64]
Division = Callable[[Counts, Array, Array, np.random.Generator], Counts]  # splits records by two weights; returns the left ones

LARGEST = 10**9  # numpy draws without replacement from fewer records than this


def by_probability(records: Counts, left: Array, right: Array, rng: np.random.Generator) -> Counts:
    """Each record falls independently to a side, with probabilities proportional to the weights."""
    return _where_both(records, left, right, lambda count, a, b: rng.binomial(count, a / (a + b)))


def from_urn(records: Counts, left: Array, right: Array, rng: np.random.Generator) -> Counts:
    """Each record is a ball drawn from an urn of the given numbers of either side, and put back with one more of its side."""
    return _where_both(records, left, right, lambda count, a, b: rng.binomial(count, rng.beta(a, b, count.shape)))


def without_replacement(records: Counts, left: Array, right: Array, rng: np.random.Generator) -> Counts:
    """Records are drawn from the given numbers of either side, none of them twice."""
    return rng.hypergeometric(left, right, records).astype(np.int64)


def shared_out(records: Array, weights: Array, divide: Division, rng: np.random.Generator) -> Counts:
    """Records (...) drawn into the cells of the last axis of their weights (..., cells)."""
    held = np.asarray(records)[..., None]
    for children in _levels(weights)[1:]:
        held = _beside(held, divide(held, children[..., 0::2], children[..., 1::2], rng), axis=-1)
    return held[..., : weights.shape[-1]]


def matched_at_random(targets: Array, keys: Array, rng: np.random.Generator) -> Counts:
    """Tables (..., target, key) with these margins, (..., target) and (..., key): every assignment of targets to keys is equally likely."""
    held = np.asarray(targets)[..., None, :]  # the targets of the records at each node of the tree of keys
    for children in _levels(keys)[1:]:
        held = _beside(held, shared_out(children[..., 0::2], held, without_replacement, rng), axis=-2)
    return np.swapaxes(held, -1, -2)[..., : keys.shape[-1]]


def _levels(weights: Array) -> list[Array]:
    """Sums of the weights at the nodes of each level of the tree, from its root to its leaves."""
    size = 1 << max(weights.shape[-1] - 1, 0).bit_length()
    padded = np.concatenate([weights, np.zeros((*weights.shape[:-1], size - weights.shape[-1]), weights.dtype)], axis=-1)
    levels = [padded]
    while levels[-1].shape[-1] > 1:
        levels.append(levels[-1][..., 0::2] + levels[-1][..., 1::2])
    return levels[::-1]


def _beside(held: Counts, left: Counts, axis: int) -> Counts:
    """The records of the left and of the right child of each node, side by side."""
    shape = list(left.shape)
    shape[axis] *= 2
    return np.stack([left, held - left], axis=axis).reshape(shape)


def _where_both(records: Counts, left: Array, right: Array, draw: Callable[[Counts, Floats, Floats], Counts]) -> Counts:
    """A draw where both sides have weight; otherwise all records fall to the side with weight."""
    records, left, right = np.broadcast_arrays(records, left, right)
    found = np.where(left > 0, records, 0)
    both = (left > 0) & (right > 0) & (records > 0)
    found[both] = draw(records[both], left[both].astype(np.float64), right[both].astype(np.float64))
    return found


def compositions(draws: int, cells: int, m: int, rng: np.random.Generator) -> Counts:
    """Uniform draws among the ways to put m records into cells: the gaps between cells - 1 bars at m + cells - 1 positions."""
    places, bars = m + cells - 1, cells - 1
    if bars**2 < places:  # independent bars rarely coincide: repeat the draws in which they do
        found, again = np.empty((draws, bars), np.int64), np.arange(draws)
        while len(again):
            found[again] = np.sort(rng.integers(0, places, (len(again), bars)), axis=1)
            again = again[(np.diff(found[again], axis=1) == 0).any(1)]
    else:
        found = np.sort([rng.choice(places, bars, replace=False, shuffle=False) for _ in range(draws)], axis=1)
    ends = np.full((draws, 1), places)
    return np.diff(found, axis=1, prepend=np.full((draws, 1), -1), append=ends) - 1


def check_size(table: Array) -> None:
    """Raise where numpy cannot draw the records of a table without replacement."""
    if table.sum() >= LARGEST:
        raise ValueError(f"Records are permuted in tables of fewer than {LARGEST:,} records; got {table.sum():,}. Draw from another model.")
