"""Every table of counts with given margins, and the number of correct attributions, in fractions: the oracle of bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from every_release import Rows


def with_margins(target_totals: Sequence[int], key_totals: Sequence[int]) -> Iterator[Rows]:
    """Every table of counts with these totals, one row a target."""
    if not key_totals:
        if not any(target_totals):
            yield tuple(() for _ in target_totals)
        return
    for column in _columns(list(target_totals), key_totals[0]):
        left = [total - count for total, count in zip(target_totals, column, strict=True)]
        for rest in with_margins(left, key_totals[1:]):
            yield tuple((count, *row) for count, row in zip(column, rest, strict=True))


def _columns(most: list[int], total: int) -> Iterator[tuple[int, ...]]:
    """Every way to put a number of records into cells that hold no more than so many each."""
    if not most:
        if not total:
            yield ()
        return
    for first in range(min(most[0], total) + 1):
        for rest in _columns(most[1:], total - first):
            yield (first, *rest)


def correct(o: Any, s: Any) -> Fraction:
    """sum_ij o_ij s_ij / s_.j over keys that s has."""
    keys = range(len(s[0]))
    totals = [sum(int(row[j]) for row in s) for j in keys]
    cells = [
        ((a[j] if isinstance(a[j], Fraction) else Fraction(int(a[j]))) * int(b[j]), totals[j])
        for a, b in zip(o, s, strict=True)
        for j in keys
        if totals[j]
    ]
    return sum((product / total for product, total in cells), Fraction(0))
