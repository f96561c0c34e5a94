"""The law of a sum by its Fourier series: its bounds hold the exact number, whatever was cut off and rounded."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import count_tables, examples

from capstats.laws.closed_form import ClosedForm
from capstats.laws.inversion import Inversion
from capstats.laws.models import Synthesis
from capstats.laws.simplex import simplex_sum


def both(o, **told):
    total = simplex_sum(o, Synthesis.of("dirichlet" if told else "uniform", limit=True, **told))
    return (ClosedForm.of(total, "", 10**7), Inversion(total, "")) if total.keys else None


def agree(laws, x):
    exact = laws[0]
    x = np.asarray(x) * (exact.greatest - exact.least) + exact.least
    for name in ("cdf", "density"):
        expected, found = (getattr(law, name)(x) for law in laws)
        assert (found.lower <= expected.upper).all(), name
        assert (expected.lower <= found.upper).all(), name
        assert (found.lower <= found.upper).all(), name


@pytest.mark.parametrize("knots", [2, 8])
def test_many_knots_by_the_integral_have_the_closed_form_too(knots, monkeypatch):
    """Keys of 9 and more knots, which are also found by doubling."""
    monkeypatch.setattr("capstats.laws.inversion.KNOTS", knots)
    agree(both([[3, 0, 2], [1, 4, 4], [6, 5, 0]], alpha=1), [0, 0.2, 0.4, 0.6, 0.9])
    agree(both(np.arange(27).reshape(9, 3) ** 2), [0, 0.2, 0.4, 0.6, 0.9])


SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=5)


@pytest.fixture(autouse=True)
def little_work(monkeypatch):
    """Laws of one key would take many terms; their brackets are wide with fewer, and hold as well."""
    monkeypatch.setattr("capstats.laws.inversion.WORK", 3e6)


@examples(40)
@given(count_tables(targets=4, keys=4), SHARES)
@example([[1], [0]], [0, 0.25, 1])
@example([[1, 1], [0, 0]], [0.5])
@example([[10**9, 1], [0, 0]], [0, 1e-10, 0.5])
def test_the_bracket_holds_the_closed_form(o, shares):
    laws = both(o)
    if laws:
        agree(laws, shares)


@examples(15)
@given(count_tables(targets=3, keys=3, most=3), st.integers(0, 2), SHARES)
def test_the_bracket_holds_the_closed_form_of_repeated_knots(o, alpha, shares):
    laws = both(o, alpha=alpha)
    if laws:
        agree(laws, shares)


@examples(15)
@given(count_tables(targets=3, keys=4, most=9), SHARES, st.sampled_from([10**3, 10**7, 10**11]))
def test_the_bracket_holds_where_counts_are_close_beside_their_size(o, shares, more):
    laws = both(o + more)
    if laws:
        agree(laws, shares)


def test_the_bracket_of_a_table_of_many_keys_is_narrow():
    o = np.random.default_rng(1).integers(0, 50, (3, 200))
    exact = both(o[:, :4])
    assert exact[1].width < 1e-8
    law = both_inverted(o)
    assert law.width < 1e-8
    density = law.density(law.quantile([0.1, 0.5, 0.9]).lower.values)
    assert (density.upper - density.lower).max() < 1e-4 * density.upper.max()


def both_inverted(o):
    return Inversion(simplex_sum(o, Synthesis.of("uniform", limit=True)), "")


def test_many_equal_keys_have_the_law_of_a_sum_of_even_numbers():
    """Irwin and Hall: the sum of J numbers that are even on [0, 1]."""
    o = np.array([[1] * 12, [0] * 12])
    agree(both(o), [0.1, 0.3, 0.5, 0.8])
    assert both_inverted(o).terms < 200


def test_what_one_key_leaves_out_is_in_its_bracket():
    law = both_inverted([[1], [0]])
    assert 1e-7 < law.width < 1e-2
    assert law.density(0.3).lower.item() == 0
    assert law.density(0.3).upper.item() == pytest.approx(1)


@pytest.mark.parametrize("targets", [2, 3, 6])
def test_the_mean_of_the_law_is_that_of_the_sum(targets):
    o = np.random.default_rng(2).integers(0, 9, (targets, 6))
    law = both_inverted(o)
    x = np.linspace(law.least, law.greatest, 2001)
    found = law.cdf(x)
    lower, upper = ((law.greatest - law.least) * (1 - f[:-1].mean()) + law.least for f in (found.upper.values, found.lower.values))
    step = x[1] - x[0]
    assert lower - step <= 1 / targets <= upper + step
