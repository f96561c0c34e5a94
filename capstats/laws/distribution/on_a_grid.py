"""P(average CAP <= x) under the uniform model, between bounds on a grid: for tables of few keys such as the paper's, to four digits.

All tables of m records are equally probable, so that this is a number of tables over C(m + c - 1, m), c the number of cells.

*The obvious ways*: to list the tables, of which there are 4 x 10^11 with 100 records in 9 cells; or to draw some of them, where four
digits take 10^8 draws. `exact` adds values as fractions with a common denominator, which has forty digits at 100 records, so that hardly
two tables have the same value and nothing is saved.

*The grid.* What a key adds to n CAP is rounded down to a multiple of one unit. The error is known: the true sum is at least the rounded
one, and exceeds it by less than one unit for each key. So the numbers of tables up to x, and up to x minus these units, are bounds of the
wanted number. They differ by little, since a unit is a small part of one record.

*Counting.* For each key there is a table: how many columns have r records and add v units. `_columns` counts them by a recurrence over
targets and records, without listing. Apart from the total m, keys are independent, so that the table of all keys is the convolution over
records and units. `_of_total` takes it by Fourier transforms, over records first and at each frequency over units; it returns the row of m
records alone, and never holds the whole table.

*Cost*: about keys^2 m / 2 transforms of the length of the grid, which is shorter where m is large (NUMBERS). ROUNDING makes the interval
wider by what the transforms may round.

theory/law.md#finite-law has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
from scipy import fft

from capstats.tables.table import Array, Floats
from capstats.tables.ties import TIE

NUMBERS = 1 << 25  # records x values of the grid
FINEST = 1 << 17  # values of the grid
ROUNDING = 1e-9  # above the rounding error of a probability: theory/law.md#finite-law


def uniform_bounds(o: Array, m: int, x: float) -> tuple[float, float]:
    """Lower and upper bound of the probability that the average CAP of a uniform table of m records is at most x.

    The contribution of each key to n CAP is rounded down to a grid. So n CAP is at least the sum, and exceeds it by less than a unit a key.
    """
    n, keys = int(o.sum()), o.shape[1]
    length = min(FINEST, 1 << (NUMBERS // m).bit_length() - 1)
    per_record = (length - 1) // int(o.max(0).sum())  # units of the grid for one record
    tables = (_rounded_down(sorted(column), m, per_record) for column in o.T.tolist())
    # numbers of tables by their rounded sums, added up
    through = np.cumsum(_of_total(tables, keys, m, length)) / math.comb(m + o.size - 1, m)
    least, most = (math.floor(x * n * per_record * (1 + tie)) for tie in (TIE / 2, 2 * TIE))
    lower = through[min(least, length) - keys] if least >= keys else 0.0
    return max(float(lower) - ROUNDING, 0.0), min(float(through[min(most, length - 1)]) + ROUNDING, 1.0)


def _rounded_down(counts: list[int], m: int, per_record: int) -> Floats:
    """The numbers of columns of one key, by records, from 0 to m, and by their contribution to n CAP in units, rounded down."""
    found = np.zeros((m + 1, counts[-1] * per_record + 1))
    found[0, 0] = 1
    for r, columns in enumerate(_columns([count - counts[0] for count in counts], m), 1):
        units = (r * counts[0] + np.arange(len(columns))) * per_record // r
        found[r] = np.bincount(units, columns, found.shape[1])
    return found


def _columns(steps: list[int], m: int) -> Iterator[Floats]:
    """For r = 1, ..., m records: the numbers of columns by the sum of their steps. Steps are sorted, and the first is 0.

    With N_i(r, a) columns of the targets up to i, N_i(r, a) = N_{i-1}(r, a) + N_i(r - 1, a - step_i): without target i, or with one record
    less of it.
    """
    before = [np.ones(1) for _ in steps]
    for r in range(1, m + 1):
        found = [np.ones(1)]
        for step, fewer in zip(steps[1:], before[1:], strict=True):
            columns = np.zeros(r * step + 1)
            columns[: len(found[-1])] = found[-1]
            columns[step:] += fewer
            found.append(columns)
        yield found[-1]
        before = found


def _of_total(tables: Iterable[Floats], keys: int, m: int, length: int) -> Floats:
    """The convolution of the tables of all keys over records and units, at m records in all.

    A Fourier transform over the records, long enough that no other total wraps around to m, and at each of its frequencies one over units.
    """
    # at each frequency of the number of records, the product over keys of their transforms over units
    period = fft.next_fast_len(max(keys - 1, 1) * m + 1, real=True)
    by_records = [fft.rfft(table, period, axis=0) for table in tables]
    spectrum = np.zeros(length, np.complex128)
    for k, rows in enumerate(zip(*by_records, strict=True)):
        product = math.prod(fft.fft(row, length) for row in rows)
        both = 1 if k == 0 or 2 * k == period else 2  # the frequency -k has the conjugate value
        spectrum += both * np.exp(2j * np.pi * (k * m % period) / period) * product
    return np.asarray(fft.ifft(spectrum).real / period)
