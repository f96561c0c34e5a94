"""The law of average CAP in the limit of many synthetic records."""

import numpy as np
import pytest
from scipy.special import betainc

import capstats
from capstats.datasets import paper_originals
from capstats.laws import Bootstrap, Dirichlet, Independent, Uniform, cap_law
from capstats.laws.distribution import closed_form
from capstats.laws.distribution.closed_form import ClosedForm
from capstats.laws.distribution.exact import Atoms
from capstats.laws.distribution.law import Simulated
from capstats.laws.models.cell_urns import CellUrn

GIVEN = {"O_1": 1.0, "O_2": 1.0, "O_3": 0.995823, "O_4": 0.993932}


def distance(law, draws):
    """The greatest distance from sorted draws, at each hundredth of them, to the bounds of a law."""
    found, share = law.cdf(draws[::100]), np.searchsorted(draws, draws[::100], side="right") / len(draws)
    return max((share - found.greatest.values).max(), (found.least.values - share).max())


@pytest.mark.parametrize("label", GIVEN)
def test_almost_all_releases_of_the_papers_originals_have_a_smaller_average(label):
    o = paper_originals().sel(original=label, drop=True)
    found = cap_law(o, Uniform(), rng=0, level=0.99).cdf(capstats.average_cap(o, o).item())
    assert found.least.item() == pytest.approx(GIVEN[label], abs=5e-7)
    assert found.greatest.item() - found.least.item() < 1e-12


@pytest.mark.parametrize(
    ("label", "model"), [*((label, Uniform()) for label in ("O_2", "O_3", "O_4")), *(("O_3", Dirichlet(alpha=x)) for x in (0, 0.5, 3))]
)
def test_a_simulation_has_this_law(label, model):
    """Kolmogorov's distance times the root of the draws is above 2.7 with probability 2 exp(-2 * 2.7^2) = 9e-7."""
    o, rng = paper_originals().sel(original=label, drop=True).values, np.random.default_rng(5)
    shares = rng.standard_gamma(np.ones(o.shape) if isinstance(model, Uniform) else o + model.alpha, (40_000, *o.shape))
    draws = np.sort(np.einsum("ij,dij->d", o, shares / shares.sum(1, keepdims=True)) / o.sum())
    assert distance(cap_law(o, model, rng=0, level=0.99), draws) * np.sqrt(len(draws)) < 2.7


def test_where_all_counts_of_each_key_are_equal_the_law_is_one_value():
    law = cap_law([[100, 2, 0], [100, 2, 0]], Uniform())
    assert law.atoms().value.values.tolist() == [0.5]
    assert law.atoms().probability.values.tolist() == [1.0]
    assert law.cdf([0.4, 0.5, 0.6]).least.values.tolist() == [0, 1, 1]
    assert law.cdf(0.5 * (1 - 1e-13)).least == 1  # a tie
    assert law.quantile([0, 0.5, 1]).greatest.values.tolist() == [0.5, 0.5, 0.5]


def test_shares_that_follow_those_of_the_original_give_one_value():
    o = [[3, 1], [1, 2]]
    for model, value in ((Bootstrap(), capstats.average_cap(o, o)), (Independent(), capstats.baseline_cap(o))):
        law = cap_law(o, model, rng=0)
        assert isinstance(law, Atoms)
        assert law.least == value.item()
        assert repr(model) in repr(law)


@pytest.mark.parametrize(("model", "o"), [(Uniform(), [[3, 1, 7], [0, 2, 4], [5, 0, 0]]), (Dirichlet(alpha=2), [[3, 1], [1, 4]])])
def test_many_terms_are_drawn_and_their_band_holds_the_closed_form(model, o, monkeypatch):
    """The band of one point misses once in a hundred times, and once in 10,000,000 where the level says so."""
    exact = cap_law(o, model)
    assert f"{model!r}, limit of large releases; closed form" in repr(exact)
    monkeypatch.setattr(closed_form, "MOST_POWERS", 1)
    law = cap_law(o, model, rng=3, level=1 - 1e-7)
    assert isinstance(law, Simulated)
    assert (law.least, law.greatest) == (exact.least, exact.greatest)
    assert repr(law).startswith(f"Law of average CAP ({model!r}, limit of large releases; 20,000 simulated releases")
    x = np.linspace(law.least, law.greatest, 40)
    found, of_exact = law.cdf(x), exact.cdf(x)
    assert (found.least <= of_exact.greatest).all()
    assert (of_exact.least <= found.greatest).all()
    other = cap_law(o, model, rng=4, level=1 - 1e-7)
    assert other.values.tolist() != law.values.tolist()


def test_few_records_with_a_fraction_beside_them_have_the_beta_law():
    """Weights 3.5 and 1.5: the average is (1 + 2 q) / 4 with q Beta(3.5, 1.5)."""
    law = cap_law([[3], [1]], Dirichlet(alpha=0.5), rng=0, level=1 - 1e-7)
    q = np.linspace(0.05, 0.95, 19)
    found = law.cdf((1 + 2 * q) / 4)
    assert (found.least <= betainc(3.5, 1.5, q)).all()
    assert (betainc(3.5, 1.5, q) <= found.greatest).all()


def test_the_mean_of_two_releases_is_that_of_a_table_beside_itself():
    o = [[3, 1], [1, 4]]
    for one, two in ((o, np.hstack([o, o])), ([[2], [2]], [[2], [2]])):
        law, twice = cap_law(one, Uniform()).mean_of(2), cap_law(two, Uniform())
        assert law.cdf([0.3, 0.4, 0.5]).least.values.tolist() == twice.cdf([0.3, 0.4, 0.5]).least.values.tolist()


def test_a_key_of_many_records_has_a_closed_form():
    # weights 300 and 1: the share of the first target is Beta(300, 1), P(q <= t) = t^300, and the average (1 + 299 q) / 301
    law = cap_law([[300], [1]], Dirichlet(alpha=0))
    assert isinstance(law, ClosedForm)
    assert law.cdf((1 + 299 * 0.99) / 301).least.item() == pytest.approx(0.99**300, rel=1e-9)


def test_draws_follow_the_law():
    """Kolmogorov's distance, as above; a key of equal counts and one of repeated ones."""
    law = cap_law([[3, 2, 4], [1, 2, 4], [0, 2, 1]], Dirichlet(alpha=1), rng=0, level=0.99)
    assert isinstance(law, ClosedForm)
    draws = np.sort(law._draws(30_000, np.random.default_rng(8)))
    assert distance(law, draws) * np.sqrt(len(draws)) < 2.7


def test_a_model_of_cells_whose_limit_is_not_known_is_refused():
    """It would be the limit of another model."""

    class Squared(CellUrn):
        """Cells in proportion to their squared counts."""

    with pytest.raises(ValueError, match=r"limit of large releases is not known for .*Squared.*\. Give its number of records, m\."):
        cap_law([[3], [1]], Squared())
