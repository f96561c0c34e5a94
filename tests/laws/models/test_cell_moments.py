"""Mean and variance of both versions against every release, in fractions, and of version 1 at many records."""

from fractions import Fraction
from functools import cache
from itertools import accumulate, product
from operator import mul

import numpy as np
import pytest
import xarray as xr
from every_release import average_cap, made, moments
from hypothesis import given
from hypothesis import strategies as st
from small_laws import releases_of, urn_of, urns
from strategies import count_tables, theorem

import capstats
from capstats.datasets import paper_originals
from capstats.laws import Dirichlet, Given, Partial, Uniform, expected_cap, variance_cap

TABLES = [
    [[1]],
    [[3, 0]],  # a key without records, into which all synthetic records may fall
    [[1], [2]],
    [[2, 1], [0, 0]],  # a target without records
    [[1, 0], [2, 0]],
    [[1, 0, 0], [0, 1, 1]],
    [[4, 0], [1, 0], [0, 1]],
    [[1, 1, 0], [0, 0, 0], [0, 3, 0]],
]


@urns
def test_mean_and_variance_are_those_of_every_release(name):
    """Of version 2 over those that have the average."""
    for o, m in product(TABLES, range(1, 4)):
        releases = releases_of(o, m, name)
        for unmatched in ("zero", "drop"):
            mean, variance = moments(releases, lambda s, o=o, how=unmatched: average_cap(o, s, how))
            assert expected_cap(o, urn_of(name, m), unmatched=unmatched).item() == pytest.approx(float(mean), rel=1e-12)
            found = variance_cap(o, urn_of(name, m), unmatched=unmatched).item()
            assert found == pytest.approx(float(variance), rel=1e-12, abs=1e-17), (o, m)


def test_under_uniform_the_mean_does_not_depend_on_the_original():
    """(1 - z) / I, where z = C(m + 5, 5) / C(m + 8, 8) is the probability that a key of a 3 x 3 table is empty."""
    found = expected_cap(paper_originals(), Uniform(10))
    z = Fraction(3003, 43758)
    assert found.values == pytest.approx([float((1 - z) / 3)] * 4, rel=1e-14)


@theorem
@given(count_tables(3, 4, most=40), st.integers(1, 50), st.sampled_from([0.25, 1.0, 8.0]))
def test_the_mean_rises_with_the_number_of_records_to_its_limit(o, m, alpha):
    """CAP of the original, the marginal baseline, 1 / I, and the mean of partial synthesis."""
    limits = {
        "bootstrap": capstats.average_cap(o, o),
        "independent": capstats.baseline_cap(o),
        "uniform": xr.DataArray(1 / len(o)),
        "dirichlet": expected_cap(o, Partial(alpha=alpha)),
    }
    for model, limit in limits.items():
        told = {"model": model, "alpha": alpha if model == "dirichlet" else None}
        few, more, many = (expected_cap(o, made(m=records, **told)).item() for records in (m, m + 1, 10**9))
        assert few <= more * (1 + 1e-12)
        assert more <= limit.item() * (1 + 1e-12)
        assert many == pytest.approx(limit.item(), rel=1e-5)


@urns
def test_a_release_of_a_table_that_is_the_same_everywhere_has_no_variance_where_it_has_one_record(name):
    assert variance_cap(np.full((3, 4), 5), urn_of(name, 1)).item() == pytest.approx(0, abs=1e-30)


def fraction_variance(o, m, reinforced, extra):
    """The theorem in fractions, pair by pair, for weights o + extra of each cell, extra a fraction."""
    o, targets, keys = [[Fraction(int(x)) for x in row] for row in o], len(o), len(o[0])
    weights = [[x + extra for x in row] for row in o]
    a = [sum(row[j] for row in weights) for j in range(keys)]
    total, n = sum(a), sum(map(sum, o))
    mean = [sum(weights[i][j] * o[i][j] for i in range(targets)) / a[j] for j in range(keys)]
    spread = [sum(weights[i][j] * o[i][j] ** 2 for i in range(targets)) / a[j] - mean[j] ** 2 for j in range(keys)]

    @cache
    def survived(part):
        """The probabilities that no draw is of this part, for 0, 1, ..., m draws."""
        return list(accumulate(((total - part + t * reinforced) / (total + t * reinforced) for t in range(m)), mul, initial=Fraction(1)))

    def missed(part):
        return survived(part)[m]

    def factor(part):
        inverse = sum(survived(part)[m - i] / i for i in range(1, m + 1)) - missed(part) * sum(Fraction(1, i) for i in range(1, m + 1))
        return (1 - missed(part) + part * inverse) / (1 + part) if reinforced else inverse

    z = [missed(part) for part in a]
    within = sum(spread[j] * factor(a[j]) for j in range(keys))
    between = sum(mean[j] * mean[k] * ((z[j] if j == k else missed(a[j] + a[k])) - z[j] * z[k]) for j in range(keys) for k in range(keys))
    return (within + between) / n**2


@pytest.mark.parametrize("m", [60, 400])
@pytest.mark.parametrize("reinforced", [False, True])
def test_the_variance_keeps_its_digits_with_many_records(reinforced, m):
    rng = np.random.default_rng(m)
    o = rng.multinomial(300, np.full(24, 1 / 24)).reshape(3, 8)
    found = variance_cap(o, made(m=m, **{"model": "dirichlet", "alpha": 0.5} if reinforced else {"model": "bootstrap"})).item()
    expected = fraction_variance(o, m, reinforced, Fraction(1, 2) if reinforced else Fraction(0))
    assert found == pytest.approx(float(expected), rel=1e-11)


@pytest.mark.parametrize("m", [2, 33, 1000])
@pytest.mark.parametrize("model", ["bootstrap", "uniform"])
def test_ten_thousand_keys_of_which_few_are_matched_keep_their_digits(model, m):
    """Average CAP is the share of matched keys over I, where the original is the same everywhere: the classical occupancy, in fractions."""
    keys, targets = 10_000, 2
    z, both = Fraction(1), Fraction(1)
    for t in range(m if model == "uniform" else 1):
        z *= Fraction(targets * (keys - 1) + t, targets * keys + t)
        both *= Fraction(targets * (keys - 2) + t, targets * keys + t)
    if model == "bootstrap":
        z, both = z**m, both**m
    exact = (keys * z * (1 - z) + keys * (keys - 1) * (both - z * z)) / (targets * keys) ** 2
    found = variance_cap(np.full((targets, keys), 1), made(model, m)).item()
    assert found == pytest.approx(float(exact), rel=1e-10)


@pytest.mark.parametrize("m", [10**9, 10**12, 2**53 - 1])
def test_the_variance_of_very_many_records_is_found_at_once_and_is_that_of_the_shares(m):
    """As m grows the shares of a key tend to a Dirichlet law, with weights o_ij + 1/2: sum_j sigma_j / (1 + A_.j)."""
    o = np.array([[20, 5], [30, 45]])
    weight = (o + 0.5).sum(0)
    shares = (o + 0.5) / weight
    sigma = ((shares * o**2).sum(0) - (shares * o).sum(0) ** 2) / o.sum() ** 2
    assert variance_cap(o, Dirichlet(m, alpha=0.5)).item() == pytest.approx((sigma / (1 + weight)).sum(), rel=1000 / m + 1e-13)


@pytest.mark.parametrize("m", [1, 2, 30, 10**3, 10**5])
@pytest.mark.parametrize("shape", [0.05, 1.0, 50.0])
def test_keys_of_many_weights_have_the_variance_of_all_their_pairs(m, shape, monkeypatch):
    rng = np.random.default_rng(5)
    o, p = rng.poisson(2.0, (3, 60)), rng.dirichlet(np.full(181, shape))
    generator = Given(m, p=p[:180].reshape(3, 60))
    exact = variance_cap(o, generator).item()
    monkeypatch.setattr("capstats.laws.models.cell_moments.MANY", 10)
    found = variance_cap(o, generator).item()
    assert found == pytest.approx(exact, rel=1e-11)
