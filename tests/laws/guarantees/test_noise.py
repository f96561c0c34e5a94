"""Counts with discrete Laplace noise: the law of the sampler, the privacy ratio by exact probabilities, and what is refused."""

from collections import Counter
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
from capstats.laws.guarantees.noise import clenshaw_curtis, discrete_laplace, geometric

Z = 5
ORIGINAL = [[20, 5], [30, 45]]


def released(count, a):
    """The exact law of one clipped count, up to a count beyond which nothing is asked: by adding up the noise."""
    law = Counter()
    for z in range(-60, 61):
        law[max(count + z, 0)] += (1 - a) / (1 + a) * a ** abs(z)
    law[0] += a**61 / (1 + a)
    return law


def neighbours(table, adjacency):
    for x in range(len(table)):
        if table[x] and adjacency == "add-remove":
            yield tuple(count - (i == x) for i, count in enumerate(table))
        for y in range(len(table)):
            if table[x] and y != x and adjacency == "substitution":
                yield tuple(count - (i == x) + (i == y) for i, count in enumerate(table))


@pytest.mark.parametrize(("adjacency", "sensitivity"), [("substitution", 2), ("add-remove", 1)])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_no_release_is_more_than_exp_epsilon_times_as_likely_for_a_neighbour(adjacency, sensitivity, epsilon):
    """All tables of up to two records in three cells, all their neighbours, all releases with counts up to 4; the bound is attained."""
    laws = {count: released(count, exp(-epsilon / sensitivity)) for count in range(4)}
    greatest = 0.0
    for table in product(range(3), repeat=3):
        if sum(table) > 2:
            continue
        for other in neighbours(table, adjacency):
            for release in product(range(5), repeat=3):
                p, q = (np.prod([laws[count][x] for count, x in zip(counts, release, strict=True)]) for counts in (table, other))
                greatest = max(greatest, p / q, q / p)
    assert greatest == pytest.approx(exp(epsilon), rel=1e-12)


def test_redrawn_noise_would_break_the_promise():
    """Noise drawn again until the count is not negative: a released 0 is more than exp(epsilon) times as likely for 0 as for 1."""
    a = exp(-1.0)
    of_none = 1 - a  # weights 1, a, a^2, ...
    of_one = a / (a + 1 / (1 - a))  # weights a, 1, a, a^2, ...
    assert of_none / of_one == pytest.approx((1 + a - a * a) / a)
    assert of_none / of_one > exp(1)


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1), Fraction(7, 4), Fraction(123456789, 10**9)])
def test_noise_has_the_discrete_laplace_law(rate):
    draws, a = 100_000, exp(-rate)
    found = discrete_laplace(rate, (draws,), np.random.default_rng(1))
    for z in range(-6, 7):
        p = (1 - a) / (1 + a) * a ** abs(z)
        assert abs((found == z).sum() - draws * p) < Z * sqrt(draws * p)
    for z in (10, 20):  # tails on both sides
        p = 2 * a**z / (1 + a)
        assert abs((abs(found) >= z).sum() - draws * p) < Z * sqrt(draws * p) + 1


def test_sizes_are_geometric_and_scales_of_any_length_are_exact_integers():
    draws = 50_000
    found = geometric(Fraction(10**15 - 1, 2 * 10**15), draws, np.random.default_rng(2))
    a = exp(-0.5)
    for y in range(6):
        p = (1 - a) * a**y
        assert abs((found == y).sum() - draws * p) < Z * sqrt(draws * p)


def test_counts_are_clipped_after_the_noise():
    """A cell without records stays 0 with probability 1 / (1 + a), and its mean is a / (1 - a^2)."""
    draws, a = 40_000, exp(-0.5)
    found = noisy_counts([[0, 3]], epsilon=0.5, adjacency="add-remove", domain="public", draws=draws, rng=3).values[:, 0]
    assert found.min() == 0
    assert abs((found[:, 0] == 0).sum() - draws / (1 + a)) < Z * sqrt(draws * a) / (1 + a)
    for column, count in enumerate((0, 3)):
        bias = a ** (count + 1) / (1 - a * a)
        assert bias == pytest.approx(sum(x * p for x, p in released(count, a).items()) - count, rel=1e-9)
        assert abs(found[:, column].mean() - count - bias) < Z * found[:, column].std() / sqrt(draws)


def test_nothing_but_the_mechanism_and_its_settings_is_told_beside_the_counts():
    tables = capstats.from_counts(ORIGINAL, key_labels={"sex": ["f", "m"]}, target_labels={"sick": ["yes", "no"]})
    found = noisy_counts(tables.o, epsilon=0.1, adjacency="substitution", domain="public", draws=2, rng=1)
    assert found.attrs == {"mechanism": "discrete Laplace", "epsilon": 0.1, "adjacency": "substitution", "scale": 20.0}
    assert found.dims == ("draw", "target", "key")
    assert found.dtype == np.int64
    assert found.indexes["key"].equals(tables.indexes["key"])
    assert float(capstats.average_cap(tables.o, found).max()) <= 1


def test_the_same_seed_gives_the_same_table_on_both_backings():
    held = xr.DataArray(sparse.COO.from_numpy(np.array(ORIGINAL)), dims=("target", "key"))
    same = [noisy_counts(o, epsilon=1, adjacency="substitution", domain="public", rng=4).values for o in (ORIGINAL, held)]
    np.testing.assert_array_equal(*same)


def test_little_noise_leaves_the_counts():
    assert (noisy_counts(ORIGINAL, epsilon=1000, adjacency="add-remove", domain="public", draws=3, rng=5).values == ORIGINAL).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"domain": "observed"}, "`domain` must be \"public\".*got 'observed'. Keys that are there because they occur tell who is there"),
        ({"adjacency": "one"}, '`adjacency` must be "substitution" or "add-remove"; got \'one\''),
        ({"epsilon": 0}, "`epsilon` must be a privacy loss from 10.-6 to 10.6; got 0"),
        ({"epsilon": float("nan")}, "`epsilon` must be a privacy loss"),
        ({"epsilon": True}, "`epsilon` must be a privacy loss"),
        ({"draws": 0}, "`draws` must be a number of tables"),
        ({"o": [[0.5, 1]]}, "`o` must hold integers: noise is a number of records"),
        ({"o": [[[1, 2]], [[2, 1]]]}, "`o` must be one table of .*Choose one table"),
    ],
)
def test_what_is_no_private_release_is_refused(options, message):
    given = {"o": ORIGINAL, "epsilon": 1, "adjacency": "substitution", "domain": "public"} | options
    with pytest.raises(ValueError, match=message):
        noisy_counts(given.pop("o"), **given)


def test_a_domain_must_be_declared():
    with pytest.raises(TypeError, match="domain"):
        noisy_counts(ORIGINAL, epsilon=1, adjacency="substitution")


def test_levels_in_the_place_of_the_declaration_are_not_printed():
    for levels in (np.array(["secret", "b"]), ["secret", "b"]):
        with pytest.raises(ValueError, match='`domain` must be "public"') as error:
            noisy_counts(ORIGINAL, epsilon=1, adjacency="add-remove", domain=levels)
        assert "secret" not in str(error.value)


# --- The mean of average CAP under discrete Laplace noise: against sums over all noise, draws, limits, and the quadrature by itself ---


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


@pytest.mark.few(1)
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


@pytest.mark.slow
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
