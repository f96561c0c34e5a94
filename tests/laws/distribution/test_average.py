"""Which law `cap_law` gives: that of every release, the limit, or a simulated one; and what they refuse."""

from dataclasses import dataclass
from math import lcm

import numpy as np
import pytest
from every_release import average_cap as exact_cap
from every_release import law_of, made
from small_laws import CASES, DRAWN, LISTED, check_drawn, check_listed

import capstats
from capstats.laws import (
    Bootstrap,
    Dirichlet,
    Independent,
    Model,
    Partial,
    Permuted,
    Pram,
    Swap,
    Uniform,
    cap_law,
    sample_tables,
)
from capstats.laws.distribution import average, exact
from capstats.laws.distribution import law as law_module
from capstats.laws.distribution.exact import Atoms
from capstats.laws.distribution.law import BUDGET, LEAST_DRAWS, MOST_DRAWS, Simulated

PAPER = capstats.datasets.paper_originals()
ORIGINALS = {str(name): PAPER.sel(original=name, drop=True) for name in PAPER.original.values}


def test_one_table_with_a_record_has_a_law():
    for model in (Uniform(), Uniform(3)):
        with pytest.raises(ValueError, match=r"`o` must be one table of \(target, key\); .* Choose one table."):
            cap_law([[[1, 2]], [[3, 4]]], model)
        with pytest.raises(ValueError, match="`o` holds no record"):
            cap_law([[0], [0]], model)


@pytest.mark.parametrize("case", LISTED)
def test_the_law_is_that_of_every_release(case):
    o, model, told = CASES[case]
    check_listed(cap_law(o, made(model, **told)), law_of(exact_cap, o, model, told))


@pytest.mark.parametrize("case", DRAWN)
def test_the_band_of_a_simulated_law_holds_that_of_every_release(case):
    """Each point is missed once in 10,000,000 times."""
    o, model, told = CASES[case]
    check_drawn(cap_law(o, made(model, **told), rng=0, level=1 - 1e-7), law_of(exact_cap, o, model, told))


SIMULATED = [
    Uniform(900),
    Bootstrap(900),
    Independent(900),
    Dirichlet(900, alpha=0.5),
    Partial(alpha=0.5),
    Pram(theta=0.3),
    Swap(records=300),
    Permuted(PAPER.sel(original="O_4", drop=True)),
]


@pytest.mark.parametrize("model", SIMULATED, ids=lambda model: type(model).__name__)
def test_quantiles_of_a_table_of_a_hundred_cells_are_narrow(model):
    """From 5 to 95 % they are nearer to each other than a tenth of the distance between the 5 and the 95 % quantile."""
    rng = np.random.default_rng(5)
    o, s = rng.poisson(rng.gamma(0.5, 20, (2, 5, 20)))
    model = Permuted(s) if isinstance(model, Permuted) else Swap(records=200) if isinstance(model, Swap) else model
    laws = [cap_law(o, model, rng=0, level=0.99)]
    if isinstance(model, Uniform | Partial):
        laws += [laws[0].mean_of(2, rng=0), laws[0].best_of(3)]
    for law in laws:
        found = law.quantile(np.arange(5, 96) / 100)
        width = (found.greatest - found.least).max()
        assert width < 0.1 * (found.least[-1] - found.greatest[0])


def test_a_law_is_simulated_with_the_seed_and_the_level_that_it_is_given():
    o = ORIGINALS["O_3"]
    one, again, other = (cap_law(o, Bootstrap(900), rng=rng, level=0.9) for rng in (0, 0, 1))
    assert one.cdf([0.47, 0.48]).identical(again.cdf([0.47, 0.48]))
    assert one.values.tolist() != other.values.tolist()
    assert "90 % interval" in repr(other)


def test_what_no_release_can_have_is_certain():
    o = ORIGINALS["O_3"]
    law = cap_law(o, Uniform(900), rng=0, level=0.99)
    least, greatest = capstats.laws.minimum_cap(o).item(), capstats.laws.maximum_cap(o).item()
    assert (law.least, law.greatest) == (least, greatest)
    assert law.cdf([least - 0.01, greatest]).least.values.tolist() == [0, 1]
    assert law.cdf([least - 0.01, greatest]).greatest.values.tolist() == [0, 1]


def test_what_is_out_of_reach_is_refused_with_what_would_work():
    wide = np.ones((2, 50_001), int)
    for o in (wide, np.ones((2, 300_000), int)):
        with pytest.raises(ValueError, match=r"the limit is 100,000.*`expected_cap`.*`sample_tables`"):
            cap_law(o, Uniform(900))
    with pytest.raises(ValueError, match="`o` must hold integers for the law"):
        cap_law([[0.5], [1.5]], Uniform(3))
    with pytest.raises(ValueError, match="must be at most the number of records of `o`, 4; got 5"):
        cap_law([[3], [1]], Swap(records=5))


@dataclass(frozen=True, repr=False)
class Sample(Model):
    """A model of a user's own: m of the original records, drawn without replacement."""

    m: int

    def draw(self, o, *, draws, rng):
        return rng.multivariate_hypergeometric(o.reshape(-1), self.m, size=draws).reshape(-1, *o.shape)


def test_a_model_whose_releases_are_not_listed_is_simulated():
    """Two of three records: average CAP is 1/3 with both of the first key, otherwise 2/3."""
    o, model = [[1, 0], [1, 1]], Sample(2)
    law = cap_law(o, model, rng=0)
    assert isinstance(law, Simulated)
    assert law.cdf(0.5).least <= 1 / 3 <= law.cdf(0.5).greatest
    assert law.cdf(0.5).greatest - law.cdf(0.5).least < 0.03


# --- simulated laws against exact ones --------------------------------------------------------------------------------


def test_intervals_cover_the_exact_laws_of_all_models_at_their_level(monkeypatch):
    """At the median of each law, and of its .3 quantile, for eight seeds: the share is at least the level, up to four standard errors."""
    monkeypatch.setattr(law_module, "MOST_DRAWS", 500)
    monkeypatch.setattr(exact, "LISTED", -1)  # so that the law of a small table is found as that of a large one
    level, of_cdf, of_quantile = 0.95, [], []
    for case, (o, model, told) in enumerate(CASES):
        every = law_of(exact_cap, o, model, told)
        whole, common = (lcm(*(x.denominator for x in side)) for side in (every, every.values()))
        known = Atoms({int(value * whole): int(p * common) for value, p in every.items()}, whole)
        value, of_known = known.quantile(0.5).greatest.item(), known.quantile(0.3)
        for seed in range(8):
            law = cap_law(o, made(model, **told), rng=100 * case + seed, level=level)
            assert isinstance(law, Simulated)
            found, of_law = law.cdf(value), law.quantile(0.3)
            of_cdf.append(found.least.item() - 1e-12 <= known.cdf(value).least.item() <= found.greatest.item() + 1e-12)
            of_quantile.append(of_law.least.item() <= of_known.greatest.item() and of_known.least.item() <= of_law.greatest.item())
    least = level - 4 * np.sqrt(level * (1 - level) / len(of_cdf))
    assert len(of_cdf) > 140
    assert np.mean(of_cdf) >= least > 0.87
    assert np.mean(of_quantile) >= least


def test_batches_change_nothing_but_the_draws(monkeypatch):
    o, sizes = np.array([[3, 1, 0], [0, 2, 4]]), []
    monkeypatch.setattr(average, "BATCH", 6 * 1_500)
    monkeypatch.setattr(average, "average_cap", lambda o, s: sizes.append(len(s)) or capstats.average_cap(o, s))
    law = cap_law(o, Uniform(50), rng=3)
    assert max(sizes) == 1_500
    assert sum(sizes) == len(law.values) == MOST_DRAWS
    mean = capstats.laws.expected_cap(o, Uniform(50)).item()
    assert law.values.mean() == pytest.approx(mean, abs=5 * law.values.std() / np.sqrt(MOST_DRAWS))


def test_large_tables_have_fewer_releases():
    assert BUDGET // LEAST_DRAWS == 100_000  # cells
    o = np.random.default_rng(1).integers(0, 5, (2, 2_000))
    law = cap_law(o, Uniform(3_000), rng=0, level=0.99)
    assert len(law.values) == BUDGET // 4_000 == 5_000
    assert "5,000 simulated releases" in repr(law)
    found = law.quantile([0.05, 0.5, 0.95])
    assert (found.greatest - found.least).max() < 0.16 * (found.least[2] - found.greatest[0])


def test_the_tables_of_a_law_are_those_that_are_sampled():
    o = [[30, 10, 5], [4, 20, 31]]
    model = Permuted([[10, 20, 30], [30, 20, 11]])
    drawn = capstats.average_cap(o, sample_tables(o, model, draws=MOST_DRAWS, rng=0)).values
    assert cap_law(o, model, rng=0).values.tolist() == np.sort(drawn).tolist()
