"""All places in the unit interval where a function may have a wanted value, from bounds of the function on intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from capstats.tables.table import Floats

Bounds = Callable[[Floats, Floats], tuple[Floats, Floats]]  # of a function on each interval: below and above all of its values there

START = 64  # intervals
FINEST = 2.0**-36  # length at which an interval is cut no more
MOST = 1 << 14  # intervals from which they are cut no more
WITHIN = 1e-6  # to which the extremes are found


def brackets(bounds: Bounds, wanted: float) -> tuple[Floats, Floats]:
    """Ends of intervals that hold every place where the function has the wanted value, in order; none where it nowhere has it."""
    lower, upper = _equal_parts()
    while True:
        below, above = bounds(lower, upper)
        may = (below <= wanted) & (wanted <= above)
        lower, upper = lower[may], upper[may]
        if not len(lower) or upper[0] - lower[0] <= FINEST or len(lower) > MOST:
            break
        lower, upper = _halved(lower, upper)
    starts = np.append(True, lower[1:] > upper[:-1])[: len(lower)]
    return lower[starts], upper[np.append(starts[1:], True)[: len(lower)]]


def extremes(bounds: Bounds, function: Callable[[Floats], Floats]) -> tuple[float, float]:
    """The least and the greatest value of the function: values that it has, at most ``WITHIN`` from the extremes."""
    found = []
    for sign in (1, -1):
        lower, upper = _equal_parts()
        best = np.inf
        while len(lower):
            best = min(best, (sign * function(lower)).min(), (sign * function(upper)).min())
            below, above = bounds(lower, upper)
            may = (below if sign > 0 else -above) < best - WITHIN
            lower, upper = _halved(lower[may], upper[may])
        found.append(float(sign * best))
    return found[0], found[1]


def _equal_parts() -> tuple[Floats, Floats]:
    ends = np.linspace(0, 1, START + 1)
    return ends[:-1], ends[1:]


def _halved(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    middle = (lower + upper) / 2
    return np.column_stack([lower, middle]).ravel(), np.column_stack([middle, upper]).ravel()
