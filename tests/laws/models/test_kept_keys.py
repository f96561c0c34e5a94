"""Releases that keep every key: mean and variance of average CAP against enumeration in fractions and values derived by hand."""

from fractions import Fraction

import numpy as np
import pytest
import sparse
import xarray as xr
from every_release import average_cap, every_release, made, moments
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, theorem

import capstats
from capstats.datasets import paper_originals
from capstats.laws import Pram
from capstats.laws.models.swap import pattern_weights
from capstats.tables.aligned import Aligned

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
RECODED = [[HALF, HALF, 0], [THIRD, THIRD, THIRD], [0, Fraction(1, 7), Fraction(6, 7)]]


def found(o, model, **told):
    model, aligned = made(model, **told), Aligned({"o": o})
    return tuple(aligned.map(moment, "cap") for moment in (model.mean, model.variance))


def as_sparse(o):
    return xr.DataArray(sparse.COO.from_numpy(np.asarray(o)), dims=("target", "key"))


def told_of(targets, n):
    """Options of every model for a table of so many targets and records."""
    yield from (("partial", {"alpha": alpha}) for alpha in (0, HALF, 1, 3))
    yield from (("pram", {"theta": theta}) for theta in (0, THIRD, 1))
    yield "pram", {"matrix": [[x / sum(row[:targets]) for x in row[:targets]] for row in RECODED[:targets]] if targets < 3 else RECODED}
    yield from (("swap", {"records": records}) for records in range(n + 1))


def test_one_key_by_hand():
    # o = (2, 1). "partial" with alpha 1: an urn of 3 and 2 balls, 3 records; a record adds 2/3 or 1/3, so CAP = (3 + X) / 9, X of 3 from
    # the urn: mean 3 * 3/5 = 9/5, variance 3 * (3/5) * (2/5) * (3 + 5) / (1 + 5) = 24/25.
    mean, variance = found([[2], [1]], "partial", alpha=1)
    assert mean.item() == pytest.approx((3 + 9 / 5) / 9, rel=1e-15)
    assert variance.item() == pytest.approx(24 / 25 / 81, rel=1e-14)
    # "pram" with theta 1: X is binomial(3, 2/3): mean 2, variance 2/3.
    mean, variance = found([[2], [1]], "pram", theta=1)
    assert mean.item() == pytest.approx(5 / 9, rel=1e-15)
    assert variance.item() == pytest.approx(2 / 3 / 81, rel=1e-14)


def test_a_swap_of_two_of_three_records_by_hand():
    # a and b in the first key, a in the second: one of three pairs is chosen and exchanged or not. b moves with probability 1/6; then CAP
    # is (2/2 + 0) / 3 with o = (1, 1): 1/3, otherwise (1/2 + 1/2 + 1) / 3 = 2/3.
    mean, variance = found([[1, 1], [1, 0]], "swap", records=2)
    assert mean.item() == pytest.approx(2 / 3 - 1 / 18, rel=1e-15)
    assert variance.item() == pytest.approx(1 / 9 * 5 / 36, rel=1e-14)


@pytest.mark.parametrize("o", [[[3, 1], [0, 3]], [[2, 1, 0], [1, 0, 1], [0, 0, 2]], [[4, 0, 2], [1, 1, 0]]])
def test_moments_are_those_of_every_release_of_larger_tables(o):
    """On both backings."""
    for model, told in told_of(len(o), sum(map(sum, o))):
        mean, variance = moments(every_release(o, model=model, **told), lambda s: average_cap(o, s))
        for table in (o, as_sparse(o)):
            got = found(table, model, **told)
            assert got[0].item() == pytest.approx(float(mean), rel=1e-12), (model, told)
            assert got[1].item() == pytest.approx(float(variance), rel=1e-12, abs=1e-17), (model, told)


def test_a_swap_of_all_records_is_the_permutation_of_their_targets():
    o = [[2, 1], [0, 1]]
    assert every_release(o, model="swap", records=4) == every_release(o, model="permutation", s=o)
    # variance = sum_ij o_.j o_i. d_ij^2 / (n - 1), over n^2
    o = paper_originals().sel(original="O_3").values
    o_j, o_i, n = o.sum(0), o.sum(1), o.sum()
    a = o / o_j
    d = a - a.T @ o_i / n - ((a @ o_j / n) - (o_j @ a.T @ o_i) / n**2)[:, None]
    assert found(o, "swap", records=900)[1].item() == pytest.approx((np.outer(o_i, o_j) * d**2).sum() / 899 / n**2, rel=1e-12)


def test_the_weights_of_the_variance_are_those_of_the_patterns():
    """The closed weights of the four sums against the probabilities of the five patterns, in fractions."""
    for n in range(4, 12):
        for h in range(2, n + 1):
            k, two, three, four = n - h, n * (n - 1), n * (n - 1) * (n - 2), n * (n - 1) * (n - 2) * (n - 3)
            both, one = Fraction(k * k + k + 1, two), Fraction((h - 1) * k + h - 2, three)
            exchanged, chain, apart = Fraction(1, two), Fraction(h - 2, three), Fraction((h - 2) * (h - 3), four)
            moves = Fraction(h - 1, two)
            of_q, of_w = moves + apart, exchanged - 2 * chain + apart
            of_e = 1 - Fraction(h - 1, n) - moves - both + 4 * one - exchanged + 4 * chain - 6 * apart
            of_square = both - 2 * one + apart - Fraction(k, n - 1) ** 2
            expected = [of_q - of_w, of_w, of_e, of_square + of_e / n]
            assert pattern_weights(n, h) == pytest.approx([float(x) for x in expected], rel=1e-13)
            assert min(expected) >= 0


def test_no_link_is_lost_where_nothing_moves():
    o = paper_originals().sel(original="O_3")
    own = capstats.average_cap(o, o).item()
    for model, told in [("swap", {"records": 0}), ("swap", {"records": 1}), ("pram", {"theta": 0}), ("pram", {"matrix": np.eye(3)})]:
        mean, variance = found(o, model, **told)
        assert mean.item() == pytest.approx(own, rel=1e-15)
        assert variance.item() == 0


@theorem
@given(count_tables(), st.floats(0, 1), st.integers(0, 40))
def test_normalised_cap_is_the_share_of_the_link_that_is_left(o, theta, swapped):
    """Mean minus b is (1 - theta), or (n - h) / (n - 1), times CAP(O) minus b."""
    own, b, n = capstats.average_cap(o, o).item(), capstats.baseline_cap(o).item(), o.sum()
    assert found(o, "pram", theta=theta)[0].item() - b == pytest.approx((1 - theta) * (own - b), abs=1e-14)
    swapped = min(swapped, n)
    left = (n - max(swapped, 1)) / (n - 1) if n > 1 else 1
    assert found(o, "swap", records=swapped)[0].item() - b == pytest.approx(left * (own - b), abs=1e-14)


@theorem
@given(count_tables(), st.floats(0, 100), st.floats(0.5, 10))
def test_partial_synthesis_falls_strictly_in_alpha_unless_every_key_is_even(o, alpha, more):
    low, high = (found(o, "partial", alpha=x)[0].item() for x in (alpha + more, alpha))
    even = all(len({*column}) == 1 for column in o.T.tolist())
    assert low == pytest.approx(high, rel=1e-13) if even else 1 / len(o) - 1e-15 < low < high


@theorem
@given(count_tables())
def test_theta_is_the_matrix_that_draws_from_the_margin(o):
    p, theta = o.sum(1) / o.sum(), 0.3
    for moment, same in zip(found(o, "pram", theta=theta), found(o, "pram", matrix=(1 - theta) * np.eye(len(o)) + theta * p), strict=True):
        assert moment.item() == pytest.approx(same.item(), rel=1e-12, abs=1e-17)


def test_one_target_is_always_guessed_and_one_key_moves_nothing():
    for model, told in told_of(1, 3):
        assert [x.item() for x in found([[1, 0, 2]], model, **told)] == pytest.approx([1, 0], abs=1e-15)
    mean, variance = found([[3], [1]], "swap", records=4)
    assert [mean.item(), variance.item()] == pytest.approx([5 / 8, 0], abs=1e-15)


def test_many_almost_even_records_keep_their_digits():
    # (x, x + 1) with alpha 0: variance of CAP = (1/c^2) (1/c) (2c / (1 + c)) x (x + 1) / c^2, as the values differ by 1
    x = 10**7
    c = 2 * x + 1
    expected = Fraction(2 * x * (x + 1), c**4 * (1 + c))
    assert found([[x], [x + 1]], "partial", alpha=0)[1].item() == pytest.approx(float(expected), rel=1e-12)


def test_few_swaps_among_many_records_keep_their_digits():
    # two pure keys of x records with different targets. The pair is from both keys with probability x * x / (2x choose 2), and is then
    # exchanged with probability 1/2. Each key has then one wrong target of x, so that x records count 1/x less: CAP falls by 1/x.
    x = 10**6
    p = Fraction(x * x, 2 * x * (2 * x - 1))
    expected = p * (1 - p) / x**2
    for o in ([[x, 0], [0, x]], as_sparse([[x, 0], [0, x]])):
        assert found(o, "swap", records=2)[1].item() == pytest.approx(float(expected), rel=1e-12)


def test_weights_have_an_expected_value_under_pram_only():
    o = [[0.5, 1.5], [1.0, 0.25]]
    mean = Aligned({"o": o}).map(Pram(theta=0.25).mean, "cap").item()
    own, b = capstats.average_cap(o, o).item(), capstats.baseline_cap(o).item()
    assert mean == pytest.approx(0.75 * own + 0.25 * b, rel=1e-14)
    for model, told in [("pram", {"theta": 0.25}), ("partial", {"alpha": 1}), ("swap", {"records": 2})]:
        message = f"`o` must hold integers: `{model.capitalize()}` changes whole records; got fractional counts"
        with pytest.raises(ValueError, match=message):
            found(o, model, **told)


def test_a_matrix_that_does_not_fit_the_table_is_refused():
    with pytest.raises(ValueError, match="`matrix` must have one row and one column for each target of `o`, 2; it has 3"):
        found([[1, 1], [1, 0]], "pram", matrix=np.eye(3))
