"""The law of the protected share, against every release and against simulations."""

from fractions import Fraction

import numpy as np
import pytest
from every_release import law_of, made
from small_laws import CASES, DRAWN, LISTED, check_drawn, check_listed

import capstats
from capstats.cap import protected_records
from capstats.laws import Bootstrap, Partial, Swap, Uniform, protected_law, sample_tables
from capstats.laws.distribution.law import Simulated


def share(o, table):
    return Fraction(int(protected_records(o, table)), int(np.sum(o)))


@pytest.mark.parametrize("case", LISTED)
def test_the_law_is_that_of_every_release(case):
    o, model, told = CASES[case]
    check_listed(protected_law(o, made(model, **told)), law_of(share, o, model, told))


@pytest.mark.few(2)
@pytest.mark.parametrize("case", DRAWN)
def test_the_band_of_a_simulated_law_holds_that_of_every_release(case):
    """Each point is missed once in 10,000,000 times."""
    o, model, told = CASES[case]
    check_drawn(protected_law(o, made(model, **told), level=1 - 1e-7), law_of(share, o, model, told))


@pytest.mark.slow
@pytest.mark.parametrize("model", [Uniform(100), Bootstrap(100), Partial(alpha=0.5), Swap(records=300)], ids=repr)
def test_many_releases_are_simulated(model):
    """By Massart's inequality two samples, of 20,000 and 10,000, are this far apart once in a million times."""
    o = capstats.datasets.paper_originals().sel(original="O_3", drop=True)
    shares = np.sort(protected_records(o, sample_tables(o, model, draws=10_000, rng=1)).values / 900)
    law = protected_law(o, model)
    assert isinstance(law, Simulated)
    assert (law.least, law.greatest) == (0, 1)
    asked = np.unique(shares)
    found = law.cdf(asked)
    share = np.searchsorted(shares, asked * (1 + 1e-12), side="right") / len(shares)
    distance = max((share - found.upper.values).max(), (found.lower.values - share).max())
    assert distance < np.sqrt(np.log(2 / 1e-6) / (2 * len(shares)))
    assert "Law of the protected share" in repr(law)
    assert "20,000 simulated releases, 99 % interval" in repr(law.mean_of(2))


def test_it_prints_what_it_is_of():
    law = protected_law([[2], [1]], Uniform(2))
    assert repr(law).startswith("Law of the protected share (Uniform(m=2); all releases)")
    assert law.atoms().attrs["result"] == "Values of the protected share"


@pytest.mark.slow
def test_what_is_out_of_reach_is_refused():
    with pytest.raises(ValueError, match="Give it a number of records"):
        protected_law([[2], [1]], Uniform())
    with pytest.raises(ValueError, match="`o` holds no record"):
        protected_law([[0], [0]], Uniform(3))
    with pytest.raises(ValueError, match="at most 100,000 are simulated"):
        protected_law(np.ones((2, 50_001), int), Uniform(900))
