"""The Poisson-lognormal model against sums over a grid, its limits, and reference numbers."""

from __future__ import annotations

import json
from math import exp, factorial, log, sqrt
from pathlib import Path

import numpy as np
import pytest

from capstats.population import poisson_lognormal_uniqueness

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "population_uniqueness.json").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in REFERENCE["poisson_lognormal_uniqueness"]}


@pytest.mark.parametrize("case", CASES)
def test_reference_numbers(case):
    mu, sigma, p, own = (CASES[case][name] for name in ("mu", "sigma", "sampling_fraction", "own"))
    found = poisson_lognormal_uniqueness(mu, sigma, sampling_fraction=p)
    assert found.probability.item() == pytest.approx(own["p_unique"], rel=1e-12)
    assert found.mean_inverse_class_size.item() == pytest.approx(own["mean_inverse_population_size"], rel=1e-12)


@pytest.mark.parametrize(("mu", "sigma", "p"), [(0.3, 0.8, 0.2), (-1.0, 1.5, 0.6)])
def test_it_is_a_sum_over_class_sizes(mu, sigma, p):
    """P(F = k) by a fine sum over the means; a person is in the sample with probability p."""
    z = np.linspace(-12, 12, 4001)
    mean, weight = np.exp(mu + sigma * z), np.exp(-z * z / 2) / sqrt(2 * np.pi) * (z[1] - z[0])
    k = range(1, 150)
    probability = np.array([weight @ np.exp(i * np.log(mean) - mean) / factorial(i) for i in k])
    alone = np.array([i * p * (1 - p) ** (i - 1) for i in k])
    found = poisson_lognormal_uniqueness(mu, sigma, sampling_fraction=p, classes=1000)
    rel = 1e-12
    assert found.sample_uniques.item() == pytest.approx(1000 * probability @ alone, rel=1e-8)
    assert found.among_sample_uniques.item() == pytest.approx(1000 * p * probability[0], rel=rel)
    assert found.unconditional.item() == pytest.approx(1000 * probability[0], rel=rel)
    assert found.probability.item() == pytest.approx(p * probability[0] / (probability @ alone), rel=1e-8)
    inverse = probability @ (alone / np.array(k)) / (probability @ alone)
    assert found.mean_inverse_class_size.item() == pytest.approx(inverse, rel=1e-8)


@pytest.mark.parametrize(("mu", "p"), [(-3.0, 0.01), (0.0, 0.5), (4.0, 0.999), (6.0, 0.1), (14.0, 0.5)])
def test_without_spread_it_is_one_poisson_number(mu, p):
    outside = (1 - p) * exp(mu)
    for sigma in (0, 1e-9):
        found = poisson_lognormal_uniqueness(mu, sigma, sampling_fraction=p)
        assert found.probability.item() == pytest.approx(exp(-outside), rel=1e-11)
        assert found.mean_inverse_class_size.item() == pytest.approx((1 - exp(-outside)) / outside, rel=1e-11)


def test_a_census_has_the_uniques_of_the_population():
    found = poisson_lognormal_uniqueness(1.0, 2.0, sampling_fraction=1)
    assert found.probability == 1
    assert found.mean_inverse_class_size.item() == pytest.approx(1, rel=1e-14)
    assert found.sample_uniques == found.unconditional


@pytest.mark.parametrize(("mu", "sigma"), [(25.0, 0.5), (-50.0, 3.0), (5.0, 40.0), (0.0, 300.0)])
def test_far_parameters_give_shares(mu, sigma):
    found = poisson_lognormal_uniqueness(mu, sigma, sampling_fraction=1e-6)
    assert 0 <= found.probability <= found.mean_inverse_class_size <= 1


def test_a_smaller_sample_leaves_more_people_outside():
    shares = [poisson_lognormal_uniqueness(0.0, 1.0, sampling_fraction=p).probability.item() for p in (0.001, 0.1, 0.5, 0.9, 1)]
    assert shares == sorted(shares)
    assert shares[0] == pytest.approx(0.157706708607383, rel=1e-12)
    assert log(shares[-1]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sigma": -1.0}, "`sigma` must be a number from 0"),
        ({"mu": float("nan")}, "`mu` must be a number"),
        ({"mu": 25.5}, "`mu` must be a number between -1000 and 25, the logarithm of 7e10 people; got 25.5"),
        ({"sampling_fraction": 0}, "`sampling_fraction` must be above 0"),
        ({"sampling_fraction": 1.5}, "`sampling_fraction` must be above 0"),
        ({"classes": 0}, "`classes` must be a positive number"),
    ],
)
def test_mistakes_are_told(options, message):
    with pytest.raises(ValueError, match=message):
        poisson_lognormal_uniqueness(**{"mu": 0.0, "sigma": 1.0, "sampling_fraction": 0.1, **options})
