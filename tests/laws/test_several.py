"""The law of the mean and of the greatest of several releases, against sums over all of them."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_laws import CASES
from strategies import theorem

from capstats.laws import several
from capstats.laws.atoms import Atoms
from capstats.laws.distribution import cap_law
from capstats.laws.law import Law


def by_hand(law, releases, judged):
    """The exact law of a function of the values of several releases."""
    found = {(): Fraction(1)}
    for _ in range(releases):
        found = {(*values, value): p * q for values, p in found.items() for value, q in law.probabilities.items()}
    merged = defaultdict(Fraction)
    for values, p in found.items():
        merged[judged(values)] += p
    return dict(sorted(merged.items()))


@pytest.mark.parametrize("case", range(0, len(CASES), 3))
@pytest.mark.parametrize("releases", [1, 2, 3])
def test_mean_and_greatest_of_few_values_are_exact(case, releases):
    o, model, told = CASES[case]
    law = cap_law(o, model=model, **told)
    if len(law.weights) ** releases > 20_000:
        releases = 2
    assert law.mean_of(releases).probabilities == by_hand(law, releases, lambda values: sum(values) / len(values))
    assert law.best_of(releases).probabilities == by_hand(law, releases, max)


@theorem
@given(st.dictionaries(st.integers(0, 12), st.integers(1, 5), min_size=1, max_size=5), st.integers(1, 4), st.integers(16, 60))
def test_the_bounds_hold_the_exact_laws(weights, releases, fine):
    exact = Atoms(weights, 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(several, "FINE", fine)
        mean = Law.mean_of(exact, releases)
    best = Law.best_of(exact, releases)
    for law, judged in ((mean, lambda values: sum(values) / len(values)), (best, max)):
        expected = by_hand(exact, releases, judged)
        asked = [*map(float, expected), *np.linspace(-0.1, 1.1, 13)]
        found = law.cdf(asked)
        for x, lower, upper in zip(asked, found.lower.values, found.upper.values, strict=True):
            assert lower <= sum(p for value, p in expected.items() if float(value) <= x * (1 + 1e-12)) <= upper


def test_the_mean_of_a_smooth_law_is_narrow():
    """One key in the limit: CAP is uniform from 1/4 to 3/4, and the mean of two has a triangular density."""
    found = cap_law([[3], [1]]).mean_of(2).cdf([0.375, 0.5])
    assert (found.upper - found.lower).max() < 3e-4
    assert found.lower.values == pytest.approx([1 / 8, 1 / 2], abs=3e-4)
    best = cap_law([[3], [1]]).best_of(2).cdf([0.375, 0.5])
    assert best.lower.values == pytest.approx([1 / 16, 1 / 4], rel=1e-12)


def test_the_greatest_is_never_below_the_mean_of_the_same_releases():
    """So it has the smaller distribution function: one page of theory/several-releases.md."""
    law = cap_law([[2, 0, 1], [0, 1, 1]], 4)
    values = np.linspace(0, 1, 50)
    assert (law.best_of(3).cdf(values).lower <= law.mean_of(3).cdf(values).upper + 1e-15).all()


def test_laws_of_one_value_and_bad_numbers_of_releases():
    law = cap_law([[1], [1]], 3)
    assert law.mean_of(5).probabilities == {Fraction(1, 2): 1}
    assert Law.mean_of(law, 5).cdf([0.4, 0.5]).lower.values.tolist() == [0, 1]
    assert "greatest of 2 releases (uniform, m = 3; all tables)" in repr(law.best_of(2))
    for wrong in (0, 1.5, True, None):
        with pytest.raises(ValueError, match="`releases` must be a number of releases"):
            law.mean_of(wrong)
    with pytest.raises(ValueError, match="`releases` must be at most 32,768 for the law of a mean"):
        Law.mean_of(law, 10**6)
