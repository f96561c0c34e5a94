"""Counts with discrete Laplace noise: the law of the sampler, the privacy ratio by exact probabilities, and what is refused."""

from fractions import Fraction
from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
from noisy_mean import clipped, noisy_mean

import capstats
from capstats.datasets import anes96
from capstats.laws import noisy_counts
from capstats.laws.guarantees.noise import discrete_laplace

Z = 5
ORIGINAL = [[20, 5], [30, 45]]


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
    laws = [clipped(count, exp(-epsilon / sensitivity)) for count in range(4)]
    greatest = 0.0
    for table in product(range(3), repeat=3):
        if sum(table) > 2:
            continue
        for other in neighbours(table, adjacency):
            for release in product(range(5), repeat=3):
                p, q = (np.prod([laws[count][x] for count, x in zip(counts, release, strict=True)]) for counts in (table, other))
                greatest = max(greatest, p / q, q / p)
    assert greatest == pytest.approx(exp(epsilon), rel=1e-12)


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


def test_counts_are_clipped_after_the_noise():
    """A cell without records stays 0 with probability 1 / (1 + a), and its mean is a / (1 - a^2)."""
    draws, a = 40_000, exp(-0.5)
    found = noisy_counts([[0, 3]], epsilon=0.5, adjacency="add-remove", domain="public", draws=draws, rng=3).values[:, 0]
    assert found.min() == 0
    assert abs((found[:, 0] == 0).sum() - draws / (1 + a)) < Z * sqrt(draws * a) / (1 + a)
    for column, count in enumerate((0, 3)):
        bias = a ** (count + 1) / (1 - a * a)
        assert bias == pytest.approx(sum(x * p for x, p in enumerate(clipped(count, a))) - count, rel=1e-9)
        assert abs(found[:, column].mean() - count - bias) < Z * found[:, column].std() / sqrt(draws)


def test_nothing_but_the_mechanism_and_its_settings_is_told_beside_the_counts():
    tables = capstats.from_counts(ORIGINAL, key_labels={"sex": ["f", "m"]}, target_labels={"sick": ["yes", "no"]})
    found = noisy_counts(tables.o, epsilon=0.1, adjacency="substitution", domain="public", draws=2, rng=1)
    assert found.attrs == {"mechanism": "discrete Laplace", "epsilon": 0.1, "adjacency": "substitution", "scale": 20.0}
    assert found.dims == ("draw", "target", "key")
    assert found.dtype == np.int64
    assert found.indexes["key"].equals(tables.indexes["key"])
    assert float(capstats.average_cap(tables.o, found).max()) <= 1


def test_little_noise_leaves_the_counts():
    assert (noisy_counts(ORIGINAL, epsilon=1000, adjacency="add-remove", domain="public", draws=3, rng=5).values == ORIGINAL).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"domain": "observed"}, "got 'observed'. Keys that are listed because they occur disclose who is in the data"),
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


def test_levels_in_the_place_of_the_declaration_are_not_printed():
    for levels in (np.array(["secret", "b"]), ["secret", "b"]):
        with pytest.raises(ValueError, match='`domain` must be "public"') as error:
            noisy_counts(ORIGINAL, epsilon=1, adjacency="add-remove", domain=levels)
        assert "secret" not in str(error.value)


# --- What an epsilon is worth in average CAP: draws, and the oracle of the lesson that shows it ---


def test_the_mean_of_one_record_by_hand():
    """Average CAP is 1 unless the release is empty, which has probability a / (1 + a)."""
    assert noisy_mean([[1]], exp(-1)) == pytest.approx(1 / (1 + exp(-1)), rel=1e-14)


def test_draws_have_the_mean_on_a_survey():
    """The vote in 1996 by schooling and party, 2,000 releases."""
    o = capstats.tabulate(anes96(), keys=["educ", "PID"], target="vote").o
    for epsilon in (0.2, 2):
        drawn = noisy_counts(o, epsilon=epsilon, adjacency="substitution", domain="public", draws=2000, rng=8)
        caps = capstats.average_cap(o, drawn)
        assert abs(caps.mean().item() - noisy_mean(o, exp(-epsilon / 2))) < 4 * caps.std().item() / sqrt(2000)
