"""Convolutions over records and values, with the bound of their error."""

from fractions import Fraction

import numpy as np
import pytest

from capstats.laws import mixing
from capstats.laws.mixing import mixed


def by_hand(tables, m, length):
    """The same in fractions."""
    found = {(0, 0): Fraction(1)}
    for table, power in tables:
        for _ in range(power):
            after = {}
            for (r, x), p in found.items():
                for (s, y), q in np.ndenumerate(table):
                    if r + s <= m and q:
                        after[r + s, x + y] = after.get((r + s, x + y), 0) + p * Fraction(float(q))
            found = after
    return [found.get((m, x), Fraction(0)) for x in range(length)]


@pytest.mark.parametrize("powers", [[1], [2], [1, 1], [3, 1], [1, 2, 1]])
@pytest.mark.parametrize("m", [0, 1, 4])
@pytest.mark.parametrize("block", [1, 20, 1 << 22])
def test_the_error_of_a_convolution_is_within_its_bound(powers, m, block, monkeypatch):
    monkeypatch.setattr(mixing, "BLOCK", block)
    rng = np.random.default_rng(1)
    tables = [(rng.random((m + 1, 3 + i)) / (3 * (m + 1)), power) for i, power in enumerate(powers)]
    values, error = mixed(tables, 32)
    exact = by_hand(tables, m, 32)
    found = np.sqrt(sum(float(Fraction(float(x)) - y) ** 2 for x, y in zip(values, exact, strict=True)))
    assert found <= error < 1e-11
    assert values == pytest.approx([float(x) for x in exact], abs=1e-14)


def test_no_probability_is_negative():
    values, _ = mixed([(np.array([[1.0, 0, 0, 0, 1e-3]]), 3)], 16)
    assert (values >= 0).all()
