"""Expected disclosure against every release, in fractions, and in the cases that can be worked out by hand."""

from fractions import Fraction

import numpy as np
import pytest
from every_release import disclosed, moments
from hypothesis import given
from hypothesis import strategies as st
from small_laws import releases_of, urn_of, urns
from strategies import count_tables, theorem

from capstats.laws import Bootstrap, Partial, Permuted, Pram, Swap, Uniform, expected_disclosure

NAMES = ("disco", "dis", "matched")


def found(o, m, name):
    result = expected_disclosure(o, urn_of(name, m))
    return [result[x].item() for x in NAMES]


@urns
def test_the_means_are_those_of_every_release(name):
    for o in ([[3, 0]], [[1], [2]], [[2, 1], [0, 0]], [[1, 0], [2, 0]], [[1, 0, 0], [0, 1, 1]], [[1, 1, 0], [0, 0, 0], [0, 1, 0]]):
        for m in range(1, 4):
            releases = releases_of(o, m, name)
            exact = [float(moments(releases, lambda s, o=o, x=x: disclosed(o, s)[x])[0]) for x in NAMES]
            assert found(o, m, name) == pytest.approx(exact, rel=1e-12), (o, m)


def test_eight_unique_records_by_hand():
    """Each is disclosed if it is drawn: 1 - (7/8)^8 = .656."""
    people = np.eye(2, dtype=int)[:, [0, 1, 0, 1, 0, 1, 0, 1]]
    assert found(people, 8, "bootstrap") == pytest.approx([1 - (7 / 8) ** 8] * 3, rel=1e-14)


@urns
@theorem
@given(count_tables(), st.integers(1, 10**6))
def test_what_is_disclosed_is_certain_and_what_is_certain_is_matched(name, o, m):
    disco, dis, matched = found(o, m, name)
    assert 0 <= disco <= dis * (1 + 1e-12)
    assert dis <= matched * (1 + 1e-12)
    assert matched <= 1


def test_rare_disclosures_keep_their_digits():
    """Two records of a key with other targets among 10^6, one draw of each likely: q^m (1 - p)^m in fractions."""
    o = np.array([[1, 10**6 - 4, 0], [1, 1, 1]])
    n, m = 10**6, 5 * 10**6
    w = lambda a: Fraction(n - a, n)  # noqa: E731
    # key 0: the other cell empty, its own not; the powers by logarithms of exact fractions
    power = lambda x: float(np.exp(m * np.log1p(float(x - 1))))  # noqa: E731
    pure = power(w(1)) - power(w(2))
    result = expected_disclosure(o, Bootstrap(m))
    assert result.disco.item() == pytest.approx((2 * pure + (10**6 - 4) * (power(w(1)) - 0) + (1 - power(w(1)))) / n, rel=1e-9)


def test_models_that_do_not_place_records_are_refused():
    for model in (Partial(alpha=1), Pram(theta=0.5), Swap(records=1), Permuted([[1, 2]])):
        with pytest.raises(ValueError, match=r"`model` must be one that places each record by itself, Uniform, .* or Given; got"):
            expected_disclosure([[1, 2]], model)


def test_a_table_without_records_discloses_nothing_that_could_be_averaged():
    result = expected_disclosure([[[0, 0]], [[1, 2]]], Uniform(3))
    assert all(np.isnan(result[x].values).tolist() == [True, False] for x in NAMES)
