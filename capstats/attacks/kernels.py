"""Sums of product kernels over records: along the axes of the count tensor if it is small, between distinct rows otherwise.

All computations use natural logarithms, so that no sum underflows. Both methods give the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capstats.codes.column import DENSE, Counts, Places
from capstats.tables.table import Floats

BLOCK = 1 << 20  # numbers computed at a time
FEW = 64  # levels of a column whose kernel is one small matrix
SAFE = 1e-290  # in a sum above this, underflow loses less than rounding


@dataclass(frozen=True)
class Kernel:
    """A Gaussian kernel of the difference in one column: the difference of two numbers, or 0 for equal and 1 for unequal levels."""

    values: Floats
    width: float
    mismatch: bool = False

    def exponent(self, a: Places, b: Places) -> Floats:
        """-(d / width)^2 / 2 for the levels a (rows) against b (columns); equal levels are at distance 0, even if they are infinite."""
        if self.mismatch:
            return np.where(a[:, None] == b, 0.0, -0.5 / self.width / self.width)
        with np.errstate(invalid="ignore", over="ignore"):
            d = self.values[a][:, None] - self.values[b]
            d *= math.sqrt(0.5) / self.width
            d *= d
        np.negative(d, out=d)
        if not np.isfinite(self.values).all():
            d[np.isnan(d)] = -np.inf
            d[a[:, None] == b] = 0
        return d


def log_sums(kernels: Sequence[Kernel], x: Sequence[Places], y: Sequence[Places], counts: Counts) -> Floats:
    """Log of sum_y counts_y prod_v kernel_v(x_v, y_v) for each row x, where rows are given as one array of codes for each column."""
    vary = [v for v, kernel in enumerate(kernels) if len(kernel.values) > 1] or [0]
    route = _along_axes if _axes_pay([len(kernels[v].values) for v in vary], len(x[0]) * len(y[0])) else _between_rows
    return route([kernels[v] for v in vary], [x[v] for v in vary], [y[v] for v in vary], counts)


def _axes_pay(sizes: Sequence[int], pairs: int) -> bool:
    """Whether the tensor of all cells is small enough, and cheaper than all pairs of rows (cost in units of about 1/3 ns)."""
    cells = math.prod(sizes)
    if cells > DENSE or max(sizes) ** 2 > BLOCK:  # neither the tensor nor one of the matrices may be large
        return False
    return cells * sum(2 * size + 40 for size in sizes) < pairs * (4 * len(sizes) + 12)


def _along_axes(kernels: Sequence[Kernel], x: Sequence[Places], y: Sequence[Places], counts: Counts) -> Floats:
    """One small matrix along each axis of the tensor of counts, one axis after the other."""
    sizes = [len(k.values) for k in kernels]
    tensor = np.full(math.prod(sizes), -np.inf)
    tensor[np.ravel_multi_index(tuple(y), sizes)] = np.log(counts)
    for kernel, size in zip(kernels, sizes, strict=True):
        matrix = kernel.exponent(np.arange(size), np.arange(size))
        by_level = tensor.reshape(size, -1)  # with this axis first
        turned = np.empty(by_level.shape[::-1])  # and last in the result, so that the order is restored after all axes
        step = max(1, BLOCK // size)
        for start in range(0, len(turned), step):
            turned[start : start + step] = _product(matrix, by_level[:, start : start + step]).T
        tensor = turned.reshape(-1)
    found: Floats = tensor[np.ravel_multi_index(tuple(x), sizes)]
    return found


def _product(matrix: Floats, logs: Floats) -> Floats:
    """Log of exp(matrix) @ exp(logs), from scaled numbers; term by term where these may underflow."""
    top = logs.max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = np.exp(matrix) @ np.exp(np.where(np.isneginf(top), -np.inf, logs - top))
        found = np.log(sums) + top
    for level, row in enumerate(matrix):
        lost = np.flatnonzero((sums[level] < SAFE) & ~np.isneginf(top))
        found[level, lost] = _log_total(row + logs[:, lost].T)
    return np.asarray(found)


def _between_rows(kernels: Sequence[Kernel], x: Sequence[Places], y: Sequence[Places], counts: Counts) -> Floats:
    """All pairs of rows, in blocks. The exponents of columns with few levels are one product with a matrix of zeros and ones."""
    found = np.full(len(x[0]), -np.inf)
    side = math.isqrt(BLOCK)
    small = [_is_small(kernel) for kernel in kernels]
    few, many = ([v for v, s in enumerate(small) if s is kind] for kind in (True, False))
    for start in range(0, len(counts), side):
        near = slice(start, start + side)
        levels = [np.arange(len(kernels[v].values)) for v in few]
        by_level = [np.log(counts[None, near]), *(kernels[v].exponent(own, y[v][near]) for v, own in zip(few, levels, strict=True))]
        exponents = np.concatenate(by_level)
        for first in range(0, len(found), side):
            rows = slice(first, first + side)
            ones = [np.ones((len(x[0][rows]), 1)), *(x[v][rows, None] == own for v, own in zip(few, levels, strict=True))]
            block = np.concatenate(ones, axis=1) @ exponents
            for v in many:
                block += kernels[v].exponent(x[v][rows], y[v][near])
            found[rows] = np.logaddexp(found[rows], _log_total(block))
    return found


def _is_small(kernel: Kernel) -> bool:
    """Whether a column has few levels at finite distances (zero times an infinite exponent is NaN)."""
    levels = np.arange(len(kernel.values))
    return len(levels) <= FEW and bool(np.isfinite(kernel.exponent(levels, levels)).all())


def _log_total(logs: Floats) -> Floats:
    """Log of the sum of exp(logs) along each row: the plain sum or, where it underflows, `logsumexp`, which takes 3 to 8 times as long."""
    from scipy.special import logsumexp

    sums = np.exp(logs).sum(axis=1)
    with np.errstate(divide="ignore"):
        found = np.log(sums)
    if len(lost := np.flatnonzero(sums < SAFE)):
        found[lost] = logsumexp(logs[lost], axis=1)
    return np.asarray(found)
