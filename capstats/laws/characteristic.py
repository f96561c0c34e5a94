"""The characteristic function of the mean of knots with even weights, with bounds of its size and of the rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from capstats.tables.table import Floats

Complex = NDArray[np.complex128]

UNIT = 2.0**-53  # relative error of one rounding
ORDER = 20  # terms of a power series up to 1 in absolute value: the rest is below 1 / 20!
STEPS = 16  # of the table of `size_bound`, to each doubling
FIRST, LAST = -60 * STEPS, 80 * STEPS  # its ends: 2^-60 and 2^80
CELLS = 128  # of the sum that bounds an integral


def characteristic(knots: Floats, y: Floats) -> tuple[Complex, Floats]:
    """E exp(i y D) for the mean D of knots in [-1, 1], and a bound of the error, in which y may be wrong by 5 roundings.

    Knots have the shape (keys, knots) and y (keys, frequencies), at least 0.
    """
    order = knots.shape[-1] - 1
    doublings = max(0, math.ceil(math.log2(max(float(y.max()), 1.0))))
    y = y / 2**doublings
    averages = _power_means(knots, all_ranges=doublings > 0)
    found = {ends: _series(means, y) for ends, means in averages.items()}
    for doubling in range(doublings):
        last = doubling == doublings - 1
        found = {(a, b): _doubled(found, a, b) for a, b in found if not last or (a, b) == (0, order)}
    return found[0, order], np.full(y.shape, 2.0**doublings * (20 * order + 200) * UNIT)


def _power_means(knots: Floats, all_ranges: bool) -> dict[tuple[int, int], list[Floats]]:
    """E D^p / p! for p below ORDER, where D is the mean of the knots a to b; all (a, b), or the whole range alone."""
    count = knots.shape[-1]
    found: dict[tuple[int, int], list[Floats]] = {}
    for a in range(count if all_ranges else 1):
        before: list[Floats] = []
        for b in range(a, count):
            d, own = knots[:, b], [np.ones(len(knots))]
            for p in range(1, ORDER):  # one knot more, or one power more
                one = own[-1] * d
                own.append(one if a == b else (before[p] * (b - a) + one * p) / (p + b - a))
            before = own
            if all_ranges or b == count - 1:
                found[a, b] = [means / math.factorial(p) for p, means in enumerate(own)]
    return found


def _series(means: Sequence[Floats], y: Floats) -> Complex:
    """The sum of (i y)^p E D^p / p!, for y up to 1."""
    needed = next((p for p in range(2, ORDER, 2) if float(y.max()) ** p / math.factorial(p) < UNIT), ORDER)
    square = -(y**2)
    even, odd = np.zeros_like(y), np.zeros_like(y)
    for p in range(needed - 2, -1, -2):
        even *= square
        even += means[p][:, None]
        odd *= square
        odd += means[p + 1][:, None]
    found = np.empty(y.shape, np.complex128)
    found.real, found.imag = even, odd * y
    return found


def _doubled(found: dict[tuple[int, int], Complex], a: int, b: int) -> Complex:
    """At 2 y from those at y: the rule of Leibniz for divided differences, whose weights add up to 1."""
    total = np.zeros_like(found[a, b])
    for c in range(a, b + 1):
        total += found[a, c] * found[c, b] * (math.comb(b - a, c - a) / 2.0 ** (b - a))
    return total


# --- products, with running bounds of their errors --------------------------------------------------------------------


def product(values: Complex, errors: Floats) -> tuple[Complex, Floats]:
    """The product over the first axis and a bound of its error, where the exact factors are at most 1 in absolute value."""
    while len(values) > 1:
        if len(values) % 2:
            values = np.concatenate([values, np.ones((1, *values.shape[1:]), np.complex128)])
            errors = np.concatenate([errors, np.zeros((1, *errors.shape[1:]))])
        values, errors = times(values[::2], errors[::2], values[1::2], errors[1::2])
    return values[0], errors[0]


def times(x: Complex, of_x: Floats, y: Complex, of_y: Floats) -> tuple[Complex, Floats]:
    """A product and a bound of its error; 1.0001 covers the rounding of the bound."""
    size_x, size_y = np.abs(x), np.abs(y)
    return x * y, 1.0001 * (of_x * (size_y + of_y) + size_x * (of_y + 4 * UNIT * size_y)) + 1e-300


def power(values: Complex, errors: Floats, exponents: NDArray[np.int64]) -> tuple[Complex, Floats]:
    """Each row to its own power, by squaring."""
    found, of_found = np.ones_like(values), np.zeros_like(errors)
    left = exponents.copy()
    while True:
        odd = left % 2 == 1
        found[odd], of_found[odd] = times(found[odd], of_found[odd], values[odd], errors[odd])
        left //= 2
        if not left.any():
            return found, of_found
        values, errors = times(values, errors, values, errors)


# --- a bound that falls with the frequency ----------------------------------------------------------------------------


@cache
def size_bounds(order: int) -> Floats:
    """Logarithms of bounds of |E exp(i z D)| for all z >= y, where D has order + 1 knots from -1 to 1, at y = 2^(FIRST/STEPS), ....

    With S the weight of the two outer knots, D is a constant and S times an even number on [-1, 1], given all else; S has the law
    Beta(2, order - 1).
    """
    y = 2.0 ** (np.arange(FIRST, LAST + 1) / STEPS)
    if order == 1:
        edges, probability = np.array([1.0]), np.array([1.0])
    else:
        rest = (1 - np.linspace(0, 1, CELLS + 1)) ** (1 / order)  # 1 - S at the edges of the cells
        above = rest ** (order - 1) * (order * (1 - rest) + rest)  # P(S > s)
        edges, probability = 1 - rest[:-1], -np.diff(above)
    argument = y[:, None] * edges
    sizes = np.minimum(1 / np.sqrt(1 + argument**2 / 3), 1 / np.maximum(argument, 1.0))  # of sin(z) / z for all z >= argument
    return np.asarray(np.log(np.minimum(np.minimum((sizes * probability).sum(-1), order / y) * (1 + 1e-12), 1.0)))


def size_bound(order: int, place: NDArray[np.int64]) -> Floats:
    """The logarithm at y = 2^(place / STEPS), or in front of it."""
    return size_bounds(order)[np.clip(place, FIRST, LAST) - FIRST] * (place >= FIRST)
