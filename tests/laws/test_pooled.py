"""The law of average CAP of pooled releases, against all tuples of releases."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from every_release import average_cap as exact_cap
from every_release import every_release
from small_laws import CASES

import capstats
from capstats.laws import cap_law, pooled_law
from capstats.laws.grid import Grid


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_law_is_that_of_all_pairs_of_releases(case):
    o, model, told = CASES[case]
    exact = {name: Fraction(value) if isinstance(value, float) else value for name, value in told.items()}
    every = every_release(o, exact.pop("m", None), model=model, **exact)
    expected = defaultdict(Fraction)
    for one, p in every.items():
        for other, q in every.items():
            pooled = tuple(tuple(x + y for x, y in zip(a, b, strict=True)) for a, b in zip(one, other, strict=True))
            expected[exact_cap(o, pooled)] += p * q
    assert pooled_law(o, releases=2, model=model, **told).probabilities == dict(expected)
    assert pooled_law(o, releases=1, model=model, **told).probabilities == cap_law(o, model=model, **told).probabilities


def test_three_releases_by_hand():
    """One record each, in one key with counts 3 and 1: the share of the first target is binomial."""
    law = pooled_law([[3], [1]], 1, releases=3).probabilities
    assert law == {Fraction(1 + 2 * i / Fraction(3)) / 4: Fraction(c, 8) for i, c in enumerate((1, 3, 3, 1))}


def test_pooled_bootstraps_are_one_with_all_records(monkeypatch):
    monkeypatch.setattr("capstats.laws.finite.FINEST", 1 << 12)
    o = capstats.datasets.paper_originals().sel(original="O_3")
    pooled, one = pooled_law(o, 20, releases=3, model="bootstrap"), cap_law(o, 60, model="bootstrap")
    assert isinstance(pooled, Grid)
    np.testing.assert_array_equal(pooled.cdf([0.4, 0.5]).lower, one.cdf([0.4, 0.5]).lower)


def test_too_many_tables_are_refused():
    with pytest.raises(
        ValueError, match=r'pooled releases under the model "uniform" is given for few tables only.*`mean_of` and `best_of`'
    ):
        pooled_law([[30, 20], [10, 40]], 900, releases=2)
    with pytest.raises(ValueError, match="`releases` must be a number of releases"):
        pooled_law([[3], [1]], 1, releases=0)
    with pytest.raises(ValueError, match="`o` holds no record"):
        pooled_law([[0], [0]], 1, releases=2)
