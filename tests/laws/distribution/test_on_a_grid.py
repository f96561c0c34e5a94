"""P(average CAP <= x) under the uniform model between bounds on a grid: that of every table, and of the paper's originals."""

from itertools import accumulate

import numpy as np
import pytest
from every_release import average_cap as exact_cap
from every_release import compositions, law_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, theorem

import capstats
from capstats.laws.distribution import on_a_grid
from capstats.laws.distribution.on_a_grid import ROUNDING, _columns, _of_total, _rounded_down, uniform_bounds

pytestmark = pytest.mark.slow

PAPER = capstats.datasets.paper_originals()
ORIGINALS = {str(name): PAPER.sel(original=name, drop=True) for name in PAPER.original.values}
SHARES = {"O_3": 0.99556, "O_4": 0.99358}


def chances(o, m):
    """The exact probability of at most each value of average CAP."""
    found = law_of(exact_cap, o, "uniform", {"m": m})
    return dict(zip(found, accumulate(found.values()), strict=True))


@theorem
@given(count_tables(3, 3, most=4), st.integers(1, 3), st.integers(4, 40))
def test_bounds_hold_the_probability_of_any_small_table(o, m, numbers):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_a_grid, "NUMBERS", m * max(numbers, 2 * int(o.max(0).sum()) + 2))
        for value, chance in chances(o, m).items():
            lower, upper = uniform_bounds(o, m, float(value))
            assert lower <= chance <= upper


@pytest.mark.parametrize("steps", [[0], [0, 2], [0, 0, 3], [0, 1, 3, 3]])
def test_columns_are_counted_by_the_sum_of_their_steps(steps):
    for r, found in enumerate(_columns(steps, 6), 1):
        expected = np.zeros(r * steps[-1] + 1)
        for column in compositions(r, len(steps)):
            expected[np.dot(column, steps)] += 1
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("per_record", [1, 2, 7])
def test_what_a_key_adds_is_rounded_down(per_record):
    counts, m = [1, 3, 3, 8], 5
    found = _rounded_down(counts, m, per_record)
    expected = np.zeros((m + 1, 8 * per_record + 1))
    for r in range(m + 1):
        for column in compositions(r, len(counts)):
            expected[r, int(np.dot(column, counts)) * per_record // max(r, 1)] += 1
    assert found.tolist() == expected.tolist()


def test_rounding_is_far_below_what_is_added_for_it(monkeypatch):
    """One key of two targets and one of one: nothing is rounded to the grid but probabilities, which are integers over C(m + 2, 2)."""
    monkeypatch.setattr(on_a_grid, "ROUNDING", 0.0)
    o, m = np.array([[60, 0], [0, 0]]), 900
    through = np.cumsum(_of_total([_rounded_down([0, 60], m, 1), _rounded_down([0, 0], m, 1)], 2, m, 64))
    assert through[-1] == pytest.approx((m + 1) * (m + 2) * (m + 3) / 6, rel=ROUNDING / 100)
    lower, upper = uniform_bounds(o, m, 1.0)
    assert upper == pytest.approx(1, abs=ROUNDING / 100)
    assert lower <= upper


def test_chance_is_not_the_limit_of_many_records():
    """For 30 records P(CAP(S) <= CAP(O_3)) is .98457; its limit is .995823."""
    o = ORIGINALS["O_3"]
    lower, upper = uniform_bounds(o.values, 30, capstats.average_cap(o, o).item())
    assert lower == pytest.approx(0.984573, abs=1e-5)
    assert upper - lower < 1e-5


@pytest.mark.parametrize("name", SHARES)
def test_this_probability_has_four_digits(name):
    o = ORIGINALS[name]
    lower, upper = uniform_bounds(o.values, 900, capstats.average_cap(o, o).item())
    assert upper - lower < 2e-5
    assert round(lower, 4) == round(upper, 4) == round(SHARES[name], 4)
