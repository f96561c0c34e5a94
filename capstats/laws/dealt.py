"""The law of average CAP where the targets of a release are permuted and it has two of them: key by key on a grid."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from capstats.laws.grid import Grid, units_of
from capstats.laws.integer_urns import from_steps
from capstats.laws.mixing import ROUNDING, mixed
from capstats.tables.table import Array, Floats


def dealt_law(o: Array, s: Array, n: int, length: int, about: str) -> Grid:
    """Two targets: given how many records of all keys have the first one, the numbers in the keys are independent binomial ones.

    ``o`` and ``s`` have the rows of these two targets, ``n`` is the number of original records, ``length`` bounds the values of the grid.
    """
    m_j, dealt = s.sum(0), int(s[0].sum())
    share = dealt / int(s.sum())
    keys = Counter((int(a), int(b), int(r)) for a, b, r in zip(*o, m_j, strict=True) if r)
    greatest = sum(max(a, b) * power for (a, b, _), power in keys.items())
    of_unit, units = units_of(greatest, length, [r for a, b, r in keys if a != b])
    length = 1 << (greatest * of_unit // units).bit_length()
    tables, certain = [], np.ones(1)
    for (a, b, r), power in keys.items():
        first = np.arange(min(r, dealt) + 1)
        law = from_steps((r - first[:-1]) / (first[:-1] + 1) * (share / (1 - share)))
        table = np.zeros((dealt + 1, max(a, b) * of_unit // units + 1))
        table[first, (a * first + b * (r - first)) * of_unit // (r * units)] = law
        tables.append((table, power))
        for _ in range(power):
            certain = np.convolve(certain, law)[: dealt + 1]
    values, error = mixed(tables, length)
    relative = sum(power * 8 * (r + dealt + 2) * ROUNDING for (_, _, r), power in keys.items())
    rounded = sum(power for (a, b, r), power in keys.items() if units > 1 or (a != b and of_unit % r))
    slopes = np.repeat((o[0] - o[1]) / np.maximum(m_j, 1), m_j)  # what a record of the key adds to n CAP with the first target
    ends = _ends(o[1, m_j > 0].sum(), np.sort(slopes), dealt) / n
    return Grid.of(values, float(certain[dealt]), (error, relative), Fraction(units, of_unit * n), rounded, (ends[0], ends[1]), about)


def _ends(without: int, slopes: Floats, dealt: int) -> Floats:
    """Least and greatest n CAP: the first target dealt to the records that add least, or most."""
    return without + np.array([slopes[:dealt].sum(), slopes[len(slopes) - dealt :].sum()])
