"""Permuted targets: mean and variance against all permutations, in fractions."""

from fractions import Fraction

import numpy as np
import pytest

import capstats
from capstats.laws import Permuted, expected_cap, variance_cap

both_versions = pytest.mark.parametrize("unmatched", ["zero", "drop"])


def test_where_all_keys_are_matched_the_mean_is_the_crossed_baseline():
    rng = np.random.default_rng(1)
    o, s = rng.poisson(3.0, (2, 3, 6)) + 1
    found = expected_cap(o, Permuted(s)).item()
    assert found == pytest.approx(capstats.baseline_cap(o, s, kind="crossed").item(), rel=1e-14)


def test_a_table_whose_cells_add_up_from_keys_and_targets_has_no_variance():
    """o_ij / s_.j = x_i + y_j: the sum over records does not depend on who has which target."""
    s = np.array([[1, 2, 1], [1, 0, 3]])
    o = (np.array([[5], [2]]) + np.array([3, 1, 4])) * s.sum(0)
    assert variance_cap(o, Permuted(s)).item() == pytest.approx(0, abs=1e-28)


def test_many_records_keep_their_digits():
    """The variance in fractions, by its definition over all cells, for 10^6 original records."""
    rng = np.random.default_rng(3)
    o, s = rng.poisson(6e4, (3, 5)), rng.poisson(40, (3, 5))
    n, m = int(o.sum()), int(s.sum())
    w, v = [Fraction(int(x), m) for x in s.sum(0)], [Fraction(int(x), m) for x in s.sum(1)]
    a = [[Fraction(int(o[i, j]), n * int(s[:, j].sum())) for j in range(5)] for i in range(3)]
    of_target, of_key = [sum(w[j] * a[i][j] for j in range(5)) for i in range(3)], [sum(v[i] * a[i][j] for i in range(3)) for j in range(5)]
    mean = sum(v[i] * of_target[i] for i in range(3))
    spread = sum(v[i] * w[j] * (a[i][j] - of_target[i] - of_key[j] + mean) ** 2 for i in range(3) for j in range(5))
    assert variance_cap(o, Permuted(s)).item() == pytest.approx(float(spread * m * m / (m - 1)), rel=1e-11)


def test_a_release_of_fractional_counts_is_refused():
    with pytest.raises(ValueError, match="`s` must hold integers: its records are permuted; got fractional counts"):
        expected_cap([[2, 1], [0, 1]], Permuted([[0.5, 1], [1, 0]]))
    assert expected_cap([[0.2, 0.1], [0, 0.1]], Permuted([[1, 1], [1, 0]])).item() == pytest.approx(7 / 12)
