"""What the law in the limit is the law of, and its closed form, against laws that are worked out by hand."""

from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
import pytest
import sparse
import xarray as xr
from hypothesis import example, given
from strategies import count_tables, theorem

from capstats.laws import Dirichlet, Uniform
from capstats.laws.distribution.closed_form import ClosedForm, simplex_sum, size, spline_terms


def closed(o, **told):
    total = simplex_sum(o, Dirichlet(**told) if told else Uniform())
    return ClosedForm.of(total, "", 10**6)


def test_one_key_of_two_targets_is_even_between_its_counts():
    law = closed([[3], [1]])
    assert [law.exact(Fraction(x, 8)) for x in (1, 2, 3, 4, 6, 7)] == [0, 0, Fraction(1, 4), Fraction(1, 2), 1, 1]
    assert [law.exact(Fraction(x, 8), less=1) for x in (1, 2, 3, 6)] == [0, 2, 2, 0]  # from the right


def test_two_keys_of_two_targets_have_a_triangle_or_a_trapezium():
    # (2, 0) twice, n = 4: each is even from 0 to 1/2, the density of the sum rises to 2 at 1/2: at 1/4 it is 1, and F = 1/8
    law = closed([[2, 2], [0, 0]])
    assert [law.exact(Fraction(x, 4), less=1) for x in range(5)] == [0, 1, 2, 1, 0]
    assert [law.exact(Fraction(x, 4)) for x in range(5)] == [0, Fraction(1, 8), Fraction(1, 2), Fraction(7, 8), 1]
    # (1, 0) and (3, 0): even on 1/4 and on 3/4; the density is 4/3 from 1/4 to 3/4, and F(1/4) = 1/6
    law = closed([[1, 3], [0, 0]])
    assert [law.exact(Fraction(x, 8), less=1) for x in range(9)] == [Fraction(x, 3) for x in (0, 2, 4, 4, 4, 4, 4, 2, 0)]
    assert [law.exact(Fraction(x, 4)) for x in range(5)] == [Fraction(x, 6) for x in (0, 1, 3, 5, 6)]


def test_one_key_of_three_targets_is_a_triangle_with_its_top_at_the_middle_count():
    # counts 0, 1, 3 over 4: the density rises to 2 / (3/4) = 8/3 at 1/4 and falls to 0 at 3/4
    law = closed([[0], [1], [3]])
    assert [law.exact(Fraction(x, 4), less=1) for x in range(4)] == [0, Fraction(8, 3), Fraction(4, 3), 0]
    assert law.exact(Fraction(1, 4)) == Fraction(1, 3)
    # counts 0, 0, 1: the density is 2 (1 - x), which jumps at 0; counts 1, 1, 0: it rises, and jumps at 1
    law = closed([[0], [0], [1]])
    assert [law.exact(Fraction(x, 4), less=1) for x in range(5)] == [2, Fraction(3, 2), 1, Fraction(1, 2), 0]
    assert law.exact(Fraction(1, 4)) == Fraction(7, 16)
    law = closed([[1], [1], [0]])
    assert [law.exact(Fraction(x, 8), less=1) for x in range(5)] == [0, 1, 2, 3, 0]  # 8 x over n = 2: from 0 to 1/2


def test_weights_of_cells_give_the_beta_law():
    # counts 3 and 1 and alpha 1: the share of the first target is Beta(4, 2), the average (1 + 2 q) / 4
    law = closed([[3], [1]], alpha=1)
    for q in (Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)):
        assert law.exact((1 + 2 * q) / 4) == sum(comb(5, k) * q**k * (1 - q) ** (5 - k) for k in (4, 5))


def test_terms_are_divided_differences():
    # of e^(-s z) at 0 and 1: (1 - e^(-s)) / s
    assert spline_terms(((Fraction(0), 1), (Fraction(1), 1))) == {(0, 1): 1, (1, 1): -1}
    # at 0, 0, 1: the density 2 (1 - x) has the transform 2 / s - 2 / s^2 + 2 e^(-s) / s^2
    assert spline_terms(((Fraction(0), 2), (Fraction(1), 1))) == {(0, 1): 2, (0, 2): -2, (1, 2): 2}


@theorem
@given(count_tables(targets=4, keys=3))
@example([[1, 1], [2, 2]])
@example([[0, 3], [0, 3], [1, 0]])
def test_the_law_is_one_at_the_end_of_its_support_and_has_the_moments_of_the_shares(o):
    """E q_i q_k = (1 + [i = k]) / (I (I + 1)), so the variance of a key is (sum o_ij^2 - o_.j^2 / I) / (I (I + 1))."""
    total = simplex_sum(o, Uniform())
    if not total.keys:
        return
    law = ClosedForm.of(total, "", 10**6)
    least, greatest = total.ends
    assert (law.exact(least), law.exact(greatest), law.exact(greatest + 1)) == (0, 1, 1)
    # moments in closed form: of the density sum c (x - a)^(p - 1) / (p - 1)!, from 1 - F integrated over the support
    mean = greatest - integral(law, total, 1)
    square = greatest**2 - 2 * integral(law, total, 2)
    targets = len(o)
    assert mean == Fraction(1, targets)
    spread = sum(sum(x * x for x in column) - Fraction(sum(column) ** 2, targets) for column in np.transpose(o).tolist())
    assert square - mean**2 == spread / (targets * (targets + 1)) / int(np.sum(o)) ** 2


def integral(law, total, power):
    """Of x^(power - 1) F(x) over the support: F is a polynomial between knots, so that a rule of enough nodes is exact."""
    places = sorted({Fraction(place, law.scale) for terms in law.powers.values() for place, _ in terms})
    knots = [(place + total.constant) / total.n for place in places]
    degree = max(law.powers) + power
    found = Fraction(0)
    for a, b in pairwise(knots):
        nodes = [a + (b - a) * Fraction(k, degree) for k in range(degree + 1)]
        values = [node ** (power - 1) * law.exact(node) for node in nodes]
        found += (b - a) * sum(w * v for w, v in zip(newton_cotes(degree), values, strict=True))
    return found


def newton_cotes(degree):
    """Weights of the nodes k / degree of [0, 1]: the integrals of Lagrange's polynomials."""
    weights = []
    for k in range(degree + 1):
        polynomial = [Fraction(1)]
        for j in range(degree + 1):
            if j != k:
                up = [Fraction(0), *polynomial]
                down = [Fraction(-j, degree) * c for c in polynomial] + [Fraction(0)]
                polynomial = [(x + y) / Fraction(k - j, degree) for x, y in zip(up, down, strict=True)]
        weights.append(sum((c / (power + 1) for power, c in enumerate(polynomial)), Fraction(0)))
    return weights


def test_a_jump_of_the_density_is_found_by_the_float_next_to_it():
    # even from 1/3 to 2/3; the floats next to them are below 1/3 and 2/3, and tie with them
    law = closed([[2], [1]])
    density = law.density([1 / 3, 0.5, 2 / 3])
    assert density.least.values.tolist() == pytest.approx([3, 3, 0])
    assert (density.greatest - density.least).max() < 1e-15 * 3


def test_bounds_are_the_floats_around_the_exact_number():
    law = closed([[3, 1], [0, 0], [1, 1]])
    found = law.cdf(0.3)
    exact = law.exact(Fraction(0.3))
    assert Fraction(found.least.item()) < exact < Fraction(found.greatest.item())
    assert found.greatest.item() == np.nextafter(found.least.item(), 1)


def test_there_is_no_closed_form_of_too_many_terms():
    total = simplex_sum(np.arange(30).reshape(3, 10) ** 2, Uniform())
    assert ClosedForm.of(total, "", 1_000) is None
    assert ClosedForm.of(simplex_sum([[1] * 10, [0] * 10], Uniform()), "", 5) is None


# --- the sum over keys ------------------------------------------------------------------------------------------------


def test_equal_keys_are_counted_together_and_constant_ones_added_up():
    # keys (3, 1, 0), (0, 1, 3) and (2, 2, 2); one without records
    total = simplex_sum([[3, 0, 2, 0], [1, 1, 2, 0], [0, 3, 2, 0]], Uniform())
    assert total.keys == {((0, 1), (1, 1), (3, 1)): 2}
    assert (total.n, total.constant) == (14, 2)
    assert total.ends == (Fraction(2, 14), Fraction(8, 14))


def test_counts_are_repeated_by_their_weights():
    # weights 3 + 1, 0 + 1, 0 + 1 of the counts 3, 0, 0
    total = simplex_sum([[3], [0], [0]], Dirichlet(alpha=1))
    assert total.keys == {((0, 2), (3, 4)): 1}
    (knots,) = total.keys
    assert size(knots) == 6
    # without alpha a target that a key does not have is never drawn, and a pure key is constant
    total = simplex_sum([[3, 2], [1, 0], [0, 0]], Dirichlet(alpha=0))
    assert total.keys == {((1, 1), (3, 3)): 1}
    assert total.constant == 2


def test_weights_that_rounding_sets_apart_are_equal():
    total = simplex_sum([[0.1 + 0.2, 1.5], [0.3, 2.5]], Uniform())
    assert list(total.keys) == [((1.5, 1), (2.5, 1))]
    assert float(total.constant) == pytest.approx(0.3)


def test_weights_may_be_fractions():
    total = simplex_sum([[3], [1]], Dirichlet(alpha=0.5))
    assert total.keys == {((1, Fraction(3, 2)), (3, Fraction(7, 2))): 1}
    assert ClosedForm.of(total, "", 10**6) is None


def test_a_sparse_table_has_the_same_sum():
    o = [[3, 0, 2, 0], [0, 0, 2, 1]]
    held = xr.DataArray(sparse.COO.from_numpy(np.array(o)), dims=("target", "key"))
    assert simplex_sum(held, Uniform()) == simplex_sum(o, Uniform())
    turned = xr.DataArray(np.array(o).T, dims=("key", "target"))
    assert simplex_sum(turned, Uniform()) == simplex_sum(o, Uniform())
