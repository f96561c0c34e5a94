"""Estimates from class sizes against sums over all partitions, direct sums, simulated samples, and numbers near every edge."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb, exp, isnan, lgamma, log, log1p, nan

import numpy as np
import pytest
from scipy.stats import binom, nbinom
from set_partitions import partition_probability, set_partitions

from capstats.population.class_size_models import MODELS, ClassSizes, Likelihood, estimated, remains_unique, shlosser, snb, zayatz

HEAVY = {1: 200, 2: 60, 3: 30, 4: 15, 5: 10, 10: 5, 50: 2}


def sample_of(sizes):
    return ClassSizes(np.array(sorted(sizes), float), np.array([sizes[i] for i in sorted(sizes)], float))


def random_samples(rng, number):
    found = []
    while len(found) < number:
        sizes = {1: int(rng.integers(1, 40)), 2: int(rng.integers(1, 20))}
        sizes |= {int(i): int(rng.integers(1, 5)) for i in rng.integers(3, 10 ** rng.integers(1, 4), rng.integers(0, 6))}
        found.append(sizes)
    return found


# --- Ewens and Pitman -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theta", "alpha"), [(Fraction(3, 2), Fraction(1, 4)), (Fraction(2), Fraction(0)), (Fraction(-1, 5), Fraction(3, 5))]
)
def test_predictions_are_sums_over_all_partitions_of_the_population(theta, alpha):
    """The first three of seven people are the sample; the probability is the same whatever the other two are."""
    n, population = 3, 7
    total, unique, staying = Counter(), Counter(), Counter()
    before = Fraction(0)
    for partition in set_partitions(population):
        p = partition_probability(partition, theta, alpha)
        singles = sum(len(part) == 1 for part in partition)
        before += p * singles
        seen = tuple(sorted(tuple(r for r in part if r < n) for part in partition if min(part) < n))
        total[seen] += p
        unique[seen] += p * singles
        if (0,) in seen:
            staying[seen] += p * ([0] in partition)
    assert sum(total.values()) == 1
    probability = remains_unique(n, population, float(theta), float(alpha))
    assert len(staying) == 2
    for seen in staying:
        assert probability == pytest.approx(float(staying[seen] / total[seen]), rel=1e-14)
    for seen, p in total.items():
        singles, u = sum(len(part) == 1 for part in seen), len(seen)
        given = probability * (singles + (population - n) * float((theta + u * alpha) / (theta + n - 1 + alpha)))
        assert given == pytest.approx(float(unique[seen] / p), rel=1e-14)
    assert population * remains_unique(1, population, float(theta), float(alpha)) == pytest.approx(float(before), rel=1e-14)


def log_likelihood(sizes, theta, alpha):
    n, u = sum(i * c for i, c in sizes.items()), sum(sizes.values())
    within = sum(c * sum(log(j - alpha) for j in range(1, i)) for i, c in sizes.items())
    return sum(log(theta + i * alpha) for i in range(1, u)) - sum(log(theta + i) for i in range(1, n)) + within


@pytest.mark.parametrize("sizes", [HEAVY, {1: 30, 2: 4, 31: 1, 32: 2, 33: 1, 400: 1}, {1: 1, 2: 3, 700: 1}, {1: 5, 2: 1}])
def test_the_maximum_and_the_information_are_those_of_the_likelihood(sizes):
    likelihood = Likelihood(sample_of(sizes))
    alpha = likelihood.alpha
    theta = likelihood.theta(alpha)
    h, k = 1e-4 * (theta + alpha), 1e-4 * (1 - alpha)

    def at(i, j):
        return log_likelihood(sizes, theta + i * h, alpha + j * k)

    assert at(0, 0) >= max(at(1, 0), at(-1, 0), at(0, 1), at(30, 0), at(0, 300), *([at(0, -1)] if alpha > k else []))
    if alpha > k:
        numeric = [
            [(2 * at(0, 0) - at(1, 0) - at(-1, 0)) / h**2, -(at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h * k)],
            [0, (2 * at(0, 0) - at(0, 1) - at(0, -1)) / k**2],
        ]
        np.testing.assert_allclose(np.triu(likelihood.information(theta, alpha)), numeric, rtol=2e-3)


def test_ewens_by_hand():
    # theta (1 / theta + 1 / (theta + 1) + 1 / (theta + 2) + 1 / (theta + 3)) = 3 classes
    found = estimated("ewens", sample_of({1: 2, 2: 1}), 8)
    theta = found["theta"]
    assert sum(theta / (theta + i) for i in range(4)) == pytest.approx(3, rel=1e-14)
    assert found["probability"] == pytest.approx((theta + 3) / (theta + 7), rel=1e-14)
    assert found["given_sample"] == pytest.approx(2 * found["probability"] + 4 * theta / (theta + 7), rel=1e-14)


def test_the_profile_of_the_likelihood_has_one_maximum():
    """Not proved: of 300 samples of many kinds none has a second one."""
    rng = np.random.default_rng(3)
    for sizes in random_samples(rng, 300):
        likelihood = Likelihood(sample_of(sizes))
        signs = [likelihood.alpha_score(alpha) > 0 for alpha in np.linspace(0, 0.99, 34)]
        assert sum(a != b for a, b in zip(signs[1:], signs[:-1], strict=True)) == signs[0]


def pitman_samples(rng, theta, alpha, n, number):
    """Class sizes of samples of the model: each record is new, or joins a class of f with probability in proportion to f - alpha."""
    sizes, u = np.zeros((number, n)), np.zeros(number, int)
    rows = np.arange(number)
    for i in range(n):
        spot = rng.random(number) * (theta + i) - (theta + u * alpha)
        room = np.cumsum(np.where(sizes[:, : i + 1] > 0, sizes[:, : i + 1] - alpha, 0), axis=1)
        place = np.where(spot < 0, u, np.minimum((room <= spot[:, None]).sum(1), np.maximum(u - 1, 0)))
        u += place == u
        sizes[rows, place] += 1
    return [ClassSizes(*(x.astype(float) for x in np.unique(row[row > 0], return_counts=True))) for row in sizes]


@pytest.mark.parametrize("model", ["pitman", "ewens"])
def test_standard_errors_are_those_of_a_parametric_bootstrap(model):
    """Within 15 %, which is four standard errors of a standard deviation of 400 samples; the sample's classes are held fixed."""
    sample, population = sample_of(HEAVY), 6090
    found = estimated(model, sample, population)
    theta, alpha = found["theta"], found.get("alpha", 0.0)
    drawn = []
    for other in pitman_samples(np.random.default_rng(8), theta, alpha, int(sample.n), 400):
        fitted = estimated(model, other, population)
        theta_, alpha_, p = fitted["theta"], fitted.get("alpha", 0.0), fitted["probability"]
        given = p * (200 + (population - sample.n) * (theta_ + sample.u * alpha_) / (theta_ + sample.n - 1 + alpha_))
        drawn.append([p, 200 * p, given])
    errors = [found[f"{name}_error"] for name in ("probability", "among_sample_uniques", "given_sample")]
    np.testing.assert_allclose(errors, np.std(drawn, axis=0), rtol=0.15)


# --- Zayatz -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sizes", "population"), [({1: 2, 2: 1}, 8), ({1: 3, 2: 2, 5: 1, 9: 2}, 40), ({1: 3, 20: 1}, 25), (HEAVY, 671)])
def test_zayatz_counts_the_samples_that_have_one_record_of_a_class(sizes, population):
    n = sum(i * c for i, c in sizes.items())
    one = {i: Fraction(i * comb(population - i, n - 1), comb(population, n)) for i in sizes}
    exact = sizes[1] * one[1] / sum(c * one[i] for i, c in sizes.items())
    found = zayatz(sample_of(sizes), population)
    assert found["probability"] == pytest.approx(float(exact), rel=1e-14)
    assert found["unconditional"] == pytest.approx(float(sizes[1] * exact * population / n), rel=1e-14)


def test_zayatz_by_hand():
    # h(1) = 1/2, h(2) = 4/7, P = 1 / (1 + 4/7)
    assert zayatz(sample_of({1: 2, 2: 1}), 8)["probability"] == pytest.approx(7 / 11, rel=1e-15)
    assert zayatz(sample_of({1: 7}), 90) == {"probability": 1.0, "among_sample_uniques": 7.0, "unconditional": 90.0}


# --- slide negative binomial ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sizes", "population"), [(HEAVY, 6090), (HEAVY, 10**5), (HEAVY, 671), ({1: 1120, 2: 482, 3: 293, 4: 600}, 10156)])
def test_snb_has_the_sample_s_classes_of_one_and_of_two_by_direct_summation(sizes, population):
    sample = sample_of(sizes)
    found = snb(sample, population)
    p = sample.n / population
    f = np.arange(1, 100_000)
    probability = nbinom.pmf(f - 1, found["alpha"], found["beta"])
    for i in (1, 2):
        expected = found["population_classes"] * (probability @ binom.pmf(i, f, p))
        assert expected == pytest.approx(sample.of_size(i), rel=1e-9)
    assert found["unconditional"] == pytest.approx(found["population_classes"] * probability[0], rel=1e-9)


def test_the_equations_of_snb_have_at_most_one_root():
    """Along the curve on which expected classes of two and of one have a given ratio, those of one become more as beta rises."""
    rng = np.random.default_rng(2)
    for _ in range(60):
        p, ratio = rng.uniform(0.01, 0.99), 10 ** rng.uniform(-2, 1)
        ones = []
        for beta in np.linspace(0.02, 0.98, 25):
            d = (1 - p) * (1 - beta)
            low, high = -30.0, 30.0
            for _ in range(80):
                middle = (low + high) / 2
                a = exp(middle)
                larger = p * a * (1 - beta) * (2 - (1 - a) * d) / (2 * (1 - d) * (1 - (1 - a) * d)) > ratio
                low, high = (low, middle) if larger else (middle, high)
            ones.append(exp(low) * log(beta / (1 - d)) + log1p(exp(low) * d / (1 - d)))
        assert (np.diff(ones) > 0).all()


def test_snb_has_a_root_exactly_if_the_limit_beta_1_has_more_uniques_than_the_sample():
    rng = np.random.default_rng(9)
    seen = Counter()
    for sizes in random_samples(rng, 200):
        sample = sample_of(sizes)
        population = int(sample.n * rng.uniform(1.05, 30)) + 1
        p = sample.n / population
        r = 2 * sizes[2] / sizes[1] * (1 - p) / p
        s = (r - 2 + (r * r + 4) ** 0.5) / 2
        limit = shlosser(sample, population) * p * (1 + s) * exp(-s * p / (1 - p))
        found = snb(sample, population)
        assert (found.get("status") == "not estimable: no root") == (limit <= sizes[1])
        assert ("probability" in found) == (limit > sizes[1])
        seen[limit > sizes[1]] += 1
    assert min(seen.values()) > 20


def test_shlosser_s_third_estimate_is_its_formula_in_fractions():
    sizes, population = {1: 5, 2: 3, 7: 2}, 60
    p = Fraction(25, population)
    a = sum(i * p**2 * (1 - p**2) ** (i - 1) * c for i, c in sizes.items())
    b = sum((1 - p) ** i * ((1 + p) ** i - 1) * c for i, c in sizes.items())
    c_ = sum((1 - p) ** i * c for i, c in sizes.items())
    d = sum(i * p * (1 - p) ** (i - 1) * c for i, c in sizes.items())
    assert shlosser(sample_of(sizes), population) == pytest.approx(float(10 + 5 * a / b * (c_ / d) ** 2), rel=1e-14)


# --- edges ------------------------------------------------------------------------------------------------------------

EDGES = {
    "no record": ({}, 10),
    "one record": ({1: 1}, 10**10),
    "one class": ({5: 1}, 100),
    "all unique": ({1: 7}, 100),
    "none unique": ({2: 10, 5: 3}, 70),
    "the population": ({1: 2, 2: 1}, 4),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("edge", EDGES)
def test_what_is_not_estimable_has_a_status_and_is_never_0(edge, model):
    sizes, population = EDGES[edge]
    sample = sample_of(sizes)
    found = estimated(model, sample, population)
    p, among = found.get("probability", nan), found.get("among_sample_uniques", nan)
    if not sizes.get(1):
        assert isnan(p)
        assert among == 0
        assert "no sample unique" in found["status"] or found["status"] == "no record"
    elif isnan(p):
        assert isnan(among)
        assert found["status"].startswith("not estimable")
    else:
        assert 0 < p <= 1
        assert among == pytest.approx(sizes[1] * p, rel=1e-15)
    assert found.get("theta", 1) > 0
    assert found.get("given_sample", 1) > 0
    if edge == "the population":
        assert (p, found["given_sample"]) == (1, 2)


def test_the_rule_of_dankar_says_why_it_takes_zayatz():
    for sizes, population, status in (
        ({1: 5}, 1000, "pitman not estimable: all unique"),
        ({1: 5, 3: 2}, 20, "snb not estimable: no class of two"),
        ({20: 1}, 1000, "no sample unique; pitman not estimable: one class"),
    ):
        found = estimated("dankar", sample_of(sizes), population)
        assert (found["chosen"], found["status"]) == ("zayatz", status)


def test_few_of_very_many_people():
    # (theta + 9) / (theta + 10^10 - 1), and theta solves sum theta / (theta + i) = 9
    found = estimated("pitman", sample_of({1: 8, 2: 1}), 10**10)
    theta = found["theta"]
    assert found["alpha"] == 0
    assert sum(theta / (theta + i) for i in range(10)) == pytest.approx(9, rel=1e-14)
    assert found["probability"] == pytest.approx((theta + 9) / (theta + 10**10 - 1), rel=1e-13)


def test_all_but_one_of_very_many_people():
    """One more record joins a unique with probability (1 - alpha) / (theta + n)."""
    n = 10**9 - 1
    found = estimated("pitman", sample_of({1: 6, 2: 1, n - 8: 1}), n + 1)
    assert 1 - found["probability"] == pytest.approx((1 - found["alpha"]) / (found["theta"] + n), rel=1e-6)
    assert found["given_sample"] == pytest.approx(
        6 * found["probability"] + (found["theta"] + 8 * found["alpha"]) / (found["theta"] + n), rel=1e-14
    )
    assert estimated("zayatz", sample_of({1: 6, 2: 1, n - 8: 1}), n + 1)["probability"] == pytest.approx(
        1 / (1 + 2 / 6 / 10**9), rel=1e-15
    )  # h(2) / h(1) = 2 (N - n) / (N - 1), to 10^-18


def test_where_differences_of_log_gammas_lose_seven_digits():
    """(n, N) = (10^6, 10^8): the exact ratio is that of a product of a thousand factors and a ratio near 1."""
    sizes = {1: 200_000, 2: 100_000, 3: 50_000, 50: 5000, 200: 1000}
    found = estimated("pitman", sample_of(sizes), 10**8)
    theta, alpha = found["theta"], found["alpha"]
    s, x = 1 - alpha, theta + alpha + 10**6 - 1
    # Gamma(x + s) / Gamma(x) = x^s (1 - s (1 - s) / (2 x) + ...), to 10^-13 here
    y = x + 99 * 10**6
    exact = (x / y) ** s * (1 - s * (1 - s) / 2 * (1 / x - 1 / y))
    assert found["probability"] == pytest.approx(exact, rel=1e-12)
    naive = exp(lgamma(y) + lgamma(x + s) - lgamma(x) - lgamma(y + s))
    assert abs(naive / exact - 1) > 1e-9


def test_one_pair_among_a_hundred_million_records():
    n = 10**8
    found = estimated("pitman", sample_of({1: n - 2, 2: 1}), 10**10)
    assert found["alpha"] == 0
    # sum over i < n of i / (theta + i) = 1: theta = n (n - 1) / 2 - (2 n - 1) / 3 + O(1)
    assert found["theta"] == pytest.approx(n * (n - 1) / 2 - (2 * n - 1) / 3, rel=1e-14)
