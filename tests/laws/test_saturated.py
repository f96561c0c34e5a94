"""The mean under saturated synthesis as a function of alpha: its value, its bounds on intervals, its limit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, theorem

from capstats.laws import Dirichlet, expected_cap
from capstats.laws.saturated import Saturated


def saturated(o, m):
    o = np.asarray(o)
    return Saturated.of(m, len(o), o.sum(0), (o.astype(float) ** 2).sum(0))


@theorem
@given(count_tables(), st.integers(1, 30), st.floats(0, 0.999))
def test_it_is_the_expected_cap_of_the_model(o, m, u):
    mean = saturated(o, m)
    alpha = float(mean.alpha(np.array(u)))
    assert mean.expected(np.array([u])).item() == pytest.approx(expected_cap(o, Dirichlet(m, alpha=alpha)).item(), rel=1e-12)


@theorem
@given(count_tables(most=12), st.integers(1, 40), st.integers(0, 99))
def test_bounds_hold_every_value_of_the_interval(o, m, seed):
    mean, rng = saturated(o, m), np.random.default_rng(seed)
    lower, upper = np.sort(np.append(rng.random((40, 2)), [[0, 1], [0, 0.01], [0.99, 1]], axis=0), axis=1).T
    below, above = mean.bounds(lower, upper)
    for part in np.linspace(0, 1, 9):
        values = mean.expected(lower + part * (upper - lower))
        assert (below <= values * (1 + 1e-13)).all()
        assert (values <= above * (1 + 1e-13)).all()


@theorem
@given(count_tables(), st.integers(1, 10))
def test_bounds_of_short_intervals_are_close(o, m):
    mean = saturated(o, m)
    lower = np.linspace(0, 1, 50)[:-1]
    below, above = mean.bounds(lower, lower + 1e-9)
    assert (above - below < 1e-6).all()


def test_the_limit_of_large_alpha_is_that_of_uniform_cells():
    """1/I times the probability that a key is in m records that fall into the keys like dice."""
    o, m = [[5, 1, 0], [0, 2, 1]], 4
    assert saturated(o, m).expected(np.array([1.0])).item() == pytest.approx((1 - (2 / 3) ** 4) / 2, rel=1e-14)


def test_keys_of_one_size_are_grouped():
    mean = saturated([[1, 0, 2, 0], [0, 1, 0, 0]], 3)
    assert mean.records.tolist() == [1, 2]
    assert mean.number.tolist() == [2, 1]
    assert mean.squares.tolist() == [2, 4]
    assert (mean.total, mean.keys, mean.scale) == (4, 4, 0.5)
