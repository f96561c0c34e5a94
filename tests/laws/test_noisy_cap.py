"""The mean of average CAP under discrete Laplace noise: against sums over all noise, draws, limits, and the quadrature by itself."""

from fractions import Fraction
from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
import sparse
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, examples

import capstats
from capstats.datasets import anes96
from capstats.laws import expected_noisy_cap, noisy_counts
from capstats.laws.noisy_cap import clenshaw_curtis

SENSITIVITY = {"substitution": 2, "add-remove": 1}


def by_sums(o, epsilon, adjacency, most):
    """Over all counts of up to ``most`` in each cell of a key, one by one; larger ones have a probability below 1e-15."""
    a, right = exp(-epsilon / SENSITIVITY[adjacency]), 0.0
    for column in np.transpose(o):
        laws = []
        for count in column.tolist():
            law = [(1 - a) / (1 + a) * a ** abs(s - count) for s in range(most)]
            law[0] = a**count / (1 + a)
            laws.append(law)
        for release in product(range(most), repeat=len(column)):
            if sum(release):
                p = np.prod([law[s] for law, s in zip(laws, release, strict=True)])
                right += p * np.dot(column, release) / sum(release)
    return right / np.sum(o)


@pytest.mark.parametrize("o", [[[2, 0], [0, 2]], [[5, 1, 0], [0, 4, 2]], [[1]], [[2], [1], [0]]])
def test_the_mean_is_that_of_all_releases(o):
    for epsilon, adjacency in ((4, "substitution"), (3, "add-remove")):
        found = expected_noisy_cap(o, epsilon=epsilon, adjacency=adjacency)
        expected = by_sums(o, epsilon, adjacency, 24)
        assert found.lower.item() <= expected * (1 + 1e-13)
        assert expected * (1 - 1e-13) <= found.upper.item()
        assert found.upper.item() - found.lower.item() < 1e-12


def test_one_cell_by_hand():
    # o = 1 in one cell: average CAP is 1 unless the release is empty, which has probability a / (1 + a)
    a = exp(-1)
    found = expected_noisy_cap([[1]], epsilon=1, adjacency="add-remove")
    assert found.lower.item() <= 1 / (1 + a) <= found.upper.item()


@examples(20)
@given(count_tables(3, 4, most=30), st.sampled_from([0.2, 1.0, 5.0]))
def test_bounds_are_close_and_within_0_and_1(o, epsilon):
    found = expected_noisy_cap(o, epsilon=epsilon, adjacency="substitution")
    assert 0 < found.lower.item() < found.upper.item() <= 1 + 1e-11
    assert found.upper.item() - found.lower.item() < 1e-11


def test_draws_have_the_mean_on_a_survey():
    """The vote in 1996 by schooling and party, 2,000 releases."""
    o = capstats.tabulate(anes96(), keys=["educ", "PID"], target="vote").o
    for epsilon in (0.2, 2):
        drawn = noisy_counts(o, epsilon=epsilon, adjacency="substitution", domain="public", draws=2000, rng=8)
        caps = capstats.average_cap(o, drawn)
        found = expected_noisy_cap(o, epsilon=epsilon, adjacency="substitution").lower.item()
        assert abs(caps.mean().item() - found) < 4 * caps.std().item() / sqrt(2000)


def test_little_noise_leaves_the_cap_of_the_original():
    o = [[3, 0, 7], [1, 2, 7]]
    found = expected_noisy_cap(o, epsilon=200, adjacency="substitution")
    assert found.lower.item() == pytest.approx(capstats.average_cap(o, o).item(), rel=1e-12)


def test_much_noise_leaves_no_more_than_chance():
    """Cells that are all alike, of which a key has some with probability 1 - 1/(1 + a)^I, nearly 1 - 2^-I."""
    found = expected_noisy_cap([[3, 0], [1, 2]], epsilon=0.002, adjacency="add-remove")
    assert found.lower.item() == pytest.approx((1 - 1 / 4) / 2, abs=2e-3)


def test_empty_keys_change_nothing_and_empty_targets_do():
    o = np.array([[3, 0], [1, 2]])
    one, more, rows = (
        expected_noisy_cap(x, epsilon=1, adjacency="add-remove").lower.item()
        for x in (o, np.pad(o, ((0, 0), (0, 5))), np.pad(o, ((0, 1), (0, 0))))
    )
    assert one == pytest.approx(more, rel=1e-14)
    assert rows < one


def test_backings_agree():
    o = np.random.default_rng(1).integers(0, 9, (3, 20))
    held = xr.DataArray(sparse.COO.from_numpy(o), dims=("target", "key"))
    found, same = (expected_noisy_cap(x, epsilon=1, adjacency="substitution") for x in (o, held))
    assert found.lower.item() == pytest.approx(same.lower.item(), rel=1e-14)


@pytest.mark.parametrize("degree", [1, 2, 7, 40, 301])
def test_the_quadrature_is_exact_for_polynomials(degree):
    nodes, weights = clenshaw_curtis(degree)
    assert (weights > 0).all()
    for k in {0, 1, degree // 2, degree}:
        assert weights @ nodes**k == pytest.approx(float(Fraction(1, k + 1)), rel=1e-13)


def test_what_has_no_exact_mean_is_refused():
    with pytest.raises(ValueError, match="`o` holds no record"):
        expected_noisy_cap([[0, 0]], epsilon=1, adjacency="substitution")
    with pytest.raises(ValueError, match="`o` must hold integers: noise is a number of records"):
        expected_noisy_cap([[0.5, 0]], epsilon=1, adjacency="substitution")
    with pytest.raises(ValueError, match="The noise is too wide for an exact mean"):
        expected_noisy_cap([[1, 0]], epsilon=1e-6, adjacency="substitution")
    with pytest.raises(ValueError, match="`adjacency` must be"):
        expected_noisy_cap([[1, 0]], epsilon=1, adjacency="one")
    with pytest.raises(ValueError, match=r"`o` must be one table of .*Choose one table"):
        expected_noisy_cap([[[1, 0]], [[1, 1]]], epsilon=1, adjacency="substitution")
