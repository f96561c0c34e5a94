"""Laws from independent releases of a model: they cover the exact ones, in batches of bounded size."""

from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from every_release import average_cap, law_of, made
from small_laws import CASES

import capstats
from capstats.cap import protected_records
from capstats.laws import Permuted, Uniform, cap_law, protected_law, sample_tables
from capstats.laws.distribution import average, exact, protected_share, simulated
from capstats.laws.distribution import law as law_module
from capstats.laws.distribution.exact import Atoms
from capstats.laws.distribution.law import BUDGET, LEAST_DRAWS, MOST_DRAWS, Simulated
from capstats.laws.distribution.simulated import simulated_law


def refused(*_):
    raise exact.TooManyError


def simulation(door, o, model, **options):
    """The law of a small table as that of a large one is found."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(average, "exact_average", refused)
        patch.setattr(protected_share, "few_tables", refused)
        law = door(o, model, **options)
    assert isinstance(law, Simulated)
    return law


def exact_law(door, o, model, told):
    """The law of every release, listed one by one."""
    measure = average_cap if door is cap_law else lambda o, s: Fraction(int(protected_records(o, s)), int(np.sum(o)))
    found = law_of(measure, o, model, told)
    whole, common = (lcm(*(x.denominator for x in side)) for side in (found, found.values()))
    return Atoms({int(value * whole): int(p * common) for value, p in found.items()}, whole)


@pytest.mark.slow
def test_intervals_cover_the_exact_laws_of_all_models_at_their_level(monkeypatch):
    """At the median of each law, and of its .3 quantile, for four seeds: the share is at least the level, up to four standard errors."""
    monkeypatch.setattr(law_module, "MOST_DRAWS", 500)
    level, of_cdf, of_quantile = 0.95, [], []
    for i, (o, model, told) in enumerate(CASES):
        for door in (cap_law, protected_law):
            known = exact_law(door, o, model, told)
            value, of_known = known.quantile(0.5).upper.item(), known.quantile(0.3)
            chance = known.cdf(value).lower.item()
            for seed in range(4):
                law = simulation(door, o, made(model, **told), rng=100 * i + seed, level=level)
                found, of_law = law.cdf(value), law.quantile(0.3)
                of_cdf.append(found.lower.item() - 1e-12 <= chance <= found.upper.item() + 1e-12)
                of_quantile.append(of_law.lower.item() <= of_known.upper.item() and of_known.lower.item() <= of_law.upper.item())
    least = level - 4 * np.sqrt(level * (1 - level) / len(of_cdf))
    assert len(of_cdf) > 140
    assert np.mean(of_cdf) >= least > 0.87
    assert np.mean(of_quantile) >= least


@pytest.mark.few(2)
@pytest.mark.parametrize("case", [0, 4, 8, 11, 13, 15, 18])
def test_a_distribution_function_is_within_massarts_distance(case):
    o, model, told = CASES[case]
    for door in (cap_law, protected_law):
        known, law = exact_law(door, o, model, told), simulation(door, o, made(model, **told))
        values = np.array([float(value) for value in known.probabilities])
        share = np.searchsorted(law.values, values * (1 + 1e-12), side="right") / len(law.values)
        assert np.abs(share - known.cdf(values).lower.values).max() < np.sqrt(np.log(2 / 1e-6) / (2 * len(law.values)))


def test_batches_change_nothing_but_the_draws(monkeypatch):
    o = np.array([[3, 1, 0], [0, 2, 4]])
    sizes = []
    monkeypatch.setattr(simulated, "BATCH", 6 * 1_500)

    def measure(o, s):
        sizes.append(len(s))
        return capstats.average_cap(o, s).values

    law = simulated_law([o], Uniform(50), measure, ends=(0.0, 1.0), rng=3, level=0.99)
    assert max(sizes) == 1_500
    assert sum(sizes) == len(law.values) == MOST_DRAWS
    mean = capstats.laws.expected_cap(o, Uniform(50)).item()
    assert law.values.mean() == pytest.approx(mean, abs=5 * law.values.std() / np.sqrt(MOST_DRAWS))


@pytest.mark.slow
def test_large_tables_have_fewer_releases():
    assert BUDGET // LEAST_DRAWS == 100_000  # cells
    o = np.random.default_rng(1).integers(0, 5, (2, 2_000))
    law = cap_law(o, Uniform(3_000))
    assert len(law.values) == BUDGET // 4_000 == 5_000
    assert "5,000 simulated releases" in repr(law)
    found = law.quantile([0.05, 0.5, 0.95])
    assert (found.upper - found.lower).max() < 0.16 * (found.lower[2] - found.upper[0])


def test_the_tables_of_a_law_are_those_that_are_sampled():
    o = [[30, 10, 5], [4, 20, 31]]
    s = [[10, 20, 30], [30, 20, 11]]
    law = simulation(cap_law, o, Permuted(s))
    drawn = capstats.average_cap(o, sample_tables(o, Permuted(s), draws=MOST_DRAWS, rng=0)).values
    assert law.values.tolist() == np.sort(drawn).tolist()
