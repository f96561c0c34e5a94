"""The law of average CAP where two targets are permuted, against every order of them and against a simulation."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import table_pairs, theorem

import capstats
from capstats.laws import cap_law, finite, sample_tables
from capstats.laws.few import TooManyError
from capstats.laws.grid import Grid


def refused(*_):
    raise TooManyError


@theorem
@given(table_pairs(targets=2, keys=4, most=3), st.integers(3, 60))
def test_bounds_hold_the_law_of_every_order(tables, finest):
    o, s = tables
    assume(len(s) == 2 and s.sum(1).all())
    exact = cap_law(o, model="permutation", s=s)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finite, "FINEST", finest)
        patch.setattr(finite, "COARSEST", 2)
        patch.setattr(finite, "few_tables", refused)
        law = cap_law(o, model="permutation", s=s)
    assert isinstance(law, Grid)
    assert (law.least, law.greatest) == pytest.approx((exact.least, exact.greatest), abs=1e-12)
    asked = [float(value) for value in exact.probabilities]
    found, known = law.cdf(asked), exact.cdf(asked)
    assert (found.lower.values <= known.upper.values).all()
    assert (known.lower.values <= found.upper.values).all()


def test_a_third_target_may_have_original_records_only(monkeypatch):
    o, s = [[2, 1], [1, 3], [1, 1]], [[2, 1], [0, 0], [1, 2]]
    exact = cap_law(o, model="permutation", s=s).cdf([0.2, 0.3, 0.4])
    monkeypatch.setattr(finite, "few_tables", refused)
    found = cap_law(o, model="permutation", s=s).cdf([0.2, 0.3, 0.4])
    assert found.lower.values == pytest.approx(exact.lower.values, abs=1e-9)
    assert found.upper.values == pytest.approx(exact.upper.values, abs=1e-9)


def test_a_simulation_agrees_with_the_law(monkeypatch):
    """By Massart's inequality the distance is greater once in a million times."""
    monkeypatch.setattr(finite, "FINEST", 1 << 13)
    rng = np.random.default_rng(3)
    o, s = rng.integers(0, 40, (2, 6)), rng.integers(0, 40, (2, 6))
    values = np.sort(capstats.average_cap(o, sample_tables(o, model="permutation", s=s, draws=20_000, rng=1)).values)
    law = cap_law(o, model="permutation", s=s)
    asked = values[::40]
    found, share = law.cdf(asked), np.searchsorted(values, asked * (1 + 1e-12), side="right") / len(values)
    distance = max((share - found.upper.values).max(), (found.lower.values - share).max())
    assert isinstance(law, Grid)
    assert distance < np.sqrt(np.log(2 / 1e-6) / (2 * len(values)))
