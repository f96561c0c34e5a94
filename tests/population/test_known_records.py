"""Probabilities of events in groups of records, of which some are known, against fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from capstats.population import subtraction_attribution
from capstats.population.known_records import Groups, all_known, in_some_group, known_before, known_within


@pytest.mark.parametrize(("n", "k"), [(1, 0), (1, 1), (7, 3), (40, 39), (3000, 40), (3000, 2990)])
def test_given_records_are_known_with_ratios_of_binomial_coefficients(n, k):
    known = [Fraction(comb(n - m, k - m) if m <= k else 0, comb(n, k)) for m in range(n + 1)]
    most = min(n, 60)
    np.testing.assert_allclose(all_known(n, k, most), np.array(known[: most + 1], float), rtol=1e-13)
    first, size = np.array([(a, c) for a in range(min(k, 5) + 1) for c in (1, 2, 30) if a + c <= n] or [(0, 1)]).T
    exact = [float(known[a] - known[a + c]) for a, c in zip(first.tolist(), size.tolist(), strict=True)]
    np.testing.assert_allclose(known_before(n, k, first, size), exact, rtol=1e-13)


@pytest.mark.parametrize(("size", "part", "most"), [(5, 2, 9), (5, 0, 3), (5, 5, 5), (5, 4, 2), (2000, 1000, 2000), (10**6, 2, 20)])
def test_a_part_of_a_group_is_known(size, part, most):
    top = min(size, most)
    exact = [float(Fraction(comb(t, part), comb(size, part))) for t in range(top + 1)]
    np.testing.assert_allclose(known_within(size, part, most), exact, rtol=1e-12, atol=1e-290)


def test_without_groups_no_event_occurs():
    assert in_some_group(9, np.array([0, 4, 9]), []).tolist() == [0, 0, 0]
    assert in_some_group(0, np.array([0]), []).tolist() == [0]


def test_an_event_that_is_certain_occurs():
    always = Groups(2, 3, np.ones(3))
    assert in_some_group(9, np.array([0, 4, 9]), [always]).tolist() == [1, 1, 1]


def polynomial_probabilities(o, ks):
    """The chance that any cell is emptied, and that any key is attributed, by integer polynomials."""

    def times(a, b):
        found = [0] * (max(ks) + 1)
        for i, x in enumerate(a):
            for j, y in enumerate(b[: len(found) - i]):
                found[i + j] += x * y
        return found

    cells, keys = [1], [1]
    for count in o[o > 0].tolist():
        cells = times(cells, [comb(count, t) for t in range(count)])
    for column in o.T.tolist():
        size = sum(column)
        left = [comb(size, t) for t in range(size + 1)]
        for count in filter(None, column):
            for t in range(count):
                left[size - count + t] -= comb(count, t)
        keys = times(keys, left)
    n = int(o.sum())
    return {k: (1 - Fraction(cells[k], comb(n, k)), 1 - Fraction(keys[k], comb(n, k))) for k in ks}


@pytest.mark.parametrize("kind", ["small cells", "large cells", "one target a key"])
def test_probabilities_keep_their_digits(kind):
    rng = np.random.default_rng(1)
    o = {
        "small cells": rng.poisson(1.5, (3, 20)),
        "large cells": rng.integers(0, 40, (3, 10)) + 20,
        "one target a key": np.diag(rng.integers(2, 50, 8)) + 5 * np.eye(8, dtype=int)[::-1],
    }[kind]
    n = int(o.sum())
    ks = [0, 1, 3, 5, 13, 40, *([n - 2, n] if kind == "small cells" else [])]
    found = subtraction_attribution(o, k=ks)
    for k, (emptied, attributed) in polynomial_probabilities(o, ks).items():
        assert found.any_emptied.sel(k=k).item() == pytest.approx(float(emptied), rel=1e-13, abs=0)
        assert found.any_attributed.sel(k=k).item() == pytest.approx(float(attributed), rel=1e-13, abs=0)
    for k in ks:
        for i, j in np.argwhere(o > 0)[:20].tolist():
            others, size = int(o[:, j].sum() - o[i, j]), int(o[:, j].sum())
            chance = [Fraction(comb(n - part, k - part), comb(n, k)) if part <= k else 0 for part in (int(o[i, j]), others, size)]
            assert found.emptied.sel(k=k).values[i, j] == pytest.approx(float(chance[0]), rel=1e-13, abs=0)
            assert found.attributed.sel(k=k).values[i, j] == pytest.approx(float(chance[1] - chance[2]), rel=1e-13, abs=0)


def test_a_cell_of_all_who_are_known_in_a_large_table():
    # The three known records are those of one of 1,000 cells with probability 1000 / C(n, 3), which 1 - (1 - P) would round to 0.
    o = np.append(np.full(1000, 3), 10**9)[None]
    n = int(o.sum())
    assert subtraction_attribution(o, k=3).any_emptied.item() == pytest.approx(1000 / comb(n, 3), rel=1e-13, abs=0)


def test_many_known_records_are_computed_in_several_parts():
    o = np.array([[1] * 4000])
    found = subtraction_attribution(o, k=[1, 2, 1500, 4000])
    assert found.any_emptied.values.tolist() == pytest.approx([1.0] * 4, rel=1e-12)
    pairs = np.array([[2] * 2000])
    found = subtraction_attribution(pairs, k=[2, 3, 1500]).any_emptied.values
    assert found[:2].tolist() == pytest.approx([2000 / comb(4000, 2), 2000 * 3998 / comb(4000, 3)], rel=1e-12)
    assert found[2] == pytest.approx(1, abs=1e-12)
