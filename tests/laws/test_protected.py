"""The law of the protected share, against every release and against simulations."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from every_release import every_release
from hypothesis import given
from hypothesis import strategies as st
from small_laws import CASES
from strategies import count_tables, theorem

import capstats
from capstats.cap import protected_records
from capstats.laws import few, protected_law, sample_tables
from capstats.laws.atoms import Atoms
from capstats.laws.grid import Grid


def law_of_every_release(o, model, told):
    exact = {name: Fraction(value) if isinstance(value, float) else value for name, value in told.items()}
    found = defaultdict(Fraction)
    for table, probability in every_release(o, exact.pop("m", None), model=model, **exact).items():
        found[Fraction(int(protected_records(o, table)), int(np.sum(o)))] += probability
    return dict(sorted(found.items()))


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_law_is_that_of_every_release(case):
    o, model, told = CASES[case]
    law = protected_law(o, model=model, **told)
    assert isinstance(law, Atoms)
    assert law.probabilities == law_of_every_release(o, model, told)


def check_by_keys(o, model, told):
    exact = law_of_every_release(o, model, told)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("capstats.laws.protected.few_tables", lambda *_: (_ for _ in ()).throw(few.TooManyError))
        law = protected_law(o, model=model, **told)
    assert isinstance(law, Grid)
    assert law.least <= float(min(exact)) + 1e-15
    assert law.greatest >= float(max(exact)) - 1e-15
    found = law.cdf([float(value) for value in exact])
    through = np.cumsum([float(p) for p in exact.values()])
    assert (found.lower.values <= through + 1e-15).all()
    assert (found.upper.values >= through - 1e-15).all()
    assert (found.upper - found.lower).max() < 1e-9


@pytest.mark.parametrize("case", [i for i, (_, model, _) in enumerate(CASES) if model not in ("permutation", "swap")])
def test_key_by_key_is_the_same_law(case):
    check_by_keys(*CASES[case])


@theorem
@given(count_tables(3, 3, most=5), st.integers(1, 3), st.sampled_from(["uniform", "bootstrap", "independent", "dirichlet"]))
def test_key_by_key_is_the_same_law_for_any_small_table(o, m, model):
    check_by_keys(o, model, {"m": m, **({"alpha": 0.5} if model == "dirichlet" else {})})


@pytest.mark.parametrize(("model", "told"), [("uniform", {"m": 100}), ("bootstrap", {"m": 100}), ("partial", {"alpha": 0.5})])
def test_a_simulation_agrees_with_the_law(model, told):
    """By Massart's inequality the distance is greater once in a million times."""
    o = capstats.datasets.paper_originals().sel(original="O_3")
    shares = np.sort(protected_records(o, sample_tables(o, model=model, **told, draws=10_000, rng=1)).values / 900)
    asked = np.unique(shares)
    found = protected_law(o, model=model, **told).cdf(asked)
    share = np.searchsorted(shares, asked * (1 + 1e-12), side="right") / len(shares)
    distance = max(np.abs(share - found.upper.values).max(), np.abs(share - found.lower.values).max())
    assert distance < np.sqrt(np.log(2 / 1e-6) / (2 * len(shares)))


def test_it_prints_what_it_is_of():
    law = protected_law([[2], [1]], 2)
    assert repr(law).startswith("Law of the protected share (uniform, m = 2; all tables)")
    assert law.atoms().attrs["result"] == "Values of the protected share"


def test_what_is_out_of_reach_is_refused():
    with pytest.raises(ValueError, match='The model "uniform" needs `m`'):
        protected_law([[2], [1]])
    with pytest.raises(ValueError, match="`o` holds no record"):
        protected_law([[0], [0]], 3)
    with pytest.raises(ValueError, match=r'protected share under the model "swap" is out of reach.*`sample_tables`'):
        protected_law([[300, 200, 10], [100, 400, 10], [3, 5, 80]], model="swap", swapped=300)
    with pytest.raises(ValueError, match='under the model "uniform" is out of reach'):
        protected_law([[300, 200], [100, 400]], 10**7)
    with pytest.raises(ValueError, match='under the model "uniform" is out of reach'):
        protected_law(np.arange(12)[:, None] ** 2 * [[1, 2]], 900)
