"""Sums over keys mixed over their numbers of records: products of power series at each frequency of the values, with error bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from capstats.tables.table import Floats

Spectrum = NDArray[np.complex128]  # one row a number of records, one column a frequency

ROUNDING = 2.0**-53
LEVEL = 16 * ROUNDING  # bound of the relative error of one level of a Fourier transform; Higham's is less than half of it
BLOCK = 1 << 22  # numbers of one key that are transformed at a time


@dataclass(frozen=True)
class Size:
    """Bounds of a table: its sum, its Euclidean norm, and the Euclidean norm of its error."""

    sum: float
    norm: float
    error: float

    @classmethod
    def of(cls, table: Floats, length: int) -> Size:
        """Of a table that is transformed over so many values."""
        total, norm = float(table.sum()), float(np.linalg.norm(table))
        return cls(total, norm, (math.log2(length) + 8) * LEVEL * norm)

    def times(self, other: Size, levels: float) -> Size:
        """Of the convolution of two tables, with a transform of so many levels (Young's inequality)."""
        norm = min(self.norm * other.sum, self.sum * other.norm)
        error = self.error * other.sum + self.sum * other.error + 4 * levels * LEVEL * norm
        return Size(self.sum * other.sum, norm, error)


def mixed(tables: Sequence[tuple[Floats, int]], length: int) -> tuple[Floats, float]:
    """The convolution over records and values of tables, each to a power, at the most records; and the norm of its error.

    Tables have shape (m + 1, values): the one and the other add up. Only m records in all are wanted, so more are cut off. ``length`` is a
    power of two beyond the greatest sum of values. Columns of the transform are those frequencies that leave the same remainder, so that
    few of them are held at a time.
    """
    m = len(tables[0][0]) - 1
    most = max(2, BLOCK // (m + 1))
    classes = max(2, length // (1 << (most.bit_length() - 1)))
    spectrum = np.empty(length, np.complex128)
    for remainder in range(classes // 2 + 1):
        found = _product((_transformed(table, remainder, classes, length), power) for table, power in tables)
        spectrum[remainder::classes] = found
        mirrored = (-np.arange(remainder, length, classes)) % length  # the values are real
        spectrum[mirrored] = found.conj()
    values = fft.ifft(spectrum).real
    return np.maximum(values, 0), error_of(tables, length)


def error_of(tables: Sequence[tuple[Floats, int]], length: int) -> float:
    """Bound of the Euclidean norm of the error of `mixed`."""
    levels = max(1, (2 * len(tables[0][0])).bit_length())
    size = None
    for table, power in tables:
        of_table = Size.of(table, length)
        for _ in range(power):
            size = of_table if size is None else size.times(of_table, levels)
    return 2 * (size.error + (math.log2(length) * LEVEL + (len(tables[0][0]) + 2) * ROUNDING) * size.norm) if size else 0.0


def _transformed(table: Floats, remainder: int, classes: int, length: int) -> Spectrum:
    """The Fourier transform of each row over ``length`` values, at the frequencies with this remainder."""
    rows, values = table.shape
    held = length // classes
    folded = np.zeros((rows, held), np.complex128)
    for start in range(0, values, held):  # e^(-2 pi i f (start + t) / length), of which the first factor is the same for all t
        part = table[:, start : start + held]
        folded[:, : part.shape[1]] += part * np.exp(-2j * np.pi * (remainder * start % length) / length)
    if remainder:
        folded *= np.exp(-2j * np.pi * remainder / length * np.arange(held))
    return np.asarray(fft.fft(folded, axis=1, overwrite_x=True))


def _product(parts: Iterable[tuple[Spectrum, int]]) -> Spectrum:
    """The coefficient of the most records of a product of powers of series, of which few are held at a time."""
    factors = _factors(parts)
    product, last = None, next(factors)
    for factor in factors:
        product, last = (last if product is None else _times(product, last)), factor
    return np.asarray(last[-1] if product is None else np.einsum("rf,rf->f", product, last[::-1]))


def _factors(parts: Iterable[tuple[Spectrum, int]]) -> Iterator[Spectrum]:
    """Squares of squares of the series, those that their powers are made of."""
    for series, power in parts:
        square, left = series, power
        while left:
            if left & 1:
                yield square
            left >>= 1
            square = _times(square, square) if left else square


def _times(left: Spectrum, right: Spectrum) -> Spectrum:
    """The product of two series, without the powers beyond those of the factors."""
    if len(left) == 1:
        return left * right
    length = 1 << (2 * len(left) - 2).bit_length()
    found = fft.fft(left, length, axis=0)
    found *= found if left is right else fft.fft(right, length, axis=0)
    return np.asarray(fft.ifft(found, axis=0, overwrite_x=True)[: len(left)])
