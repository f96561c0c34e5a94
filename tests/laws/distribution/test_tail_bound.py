"""The bound of the tail of average CAP given the key totals, against every release with these totals."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from every_release import average_cap as exact_cap
from every_release import every_release, made
from hypothesis import given
from hypothesis import strategies as st
from small_laws import CASES
from strategies import count_tables, theorem

from capstats.laws import Bootstrap, Partial, Pram, Swap, Uniform, cap_tail_bound, expected_cap, sample_tables


def given_totals(o, model, told):
    """For each vector of key totals the law of average CAP, by listing the releases."""
    exact = {name: Fraction(value) if isinstance(value, float) else value for name, value in told.items()}
    found = defaultdict(lambda: defaultdict(Fraction))
    for table, probability in every_release(o, exact.pop("m", None), model=model, **exact).items():
        found[tuple(map(sum, zip(*table, strict=True)))][exact_cap(o, table)] += probability
    return {totals: {x: p / sum(law.values()) for x, p in law.items()} for totals, law in found.items()}


def check(o, model, told):
    options = {name: value for name, value in told.items() if name != "m"}
    for totals, law in given_totals(o, model, told).items():
        known = {"key_totals": totals} if "m" in told else {}
        mean = sum(x * p for x, p in law.items())
        assert cap_tail_bound(o, made(model, **options), excess=0, **known)["mean"].item() == pytest.approx(float(mean), rel=1e-12)
        for excess in (0.0, 0.05, 0.2, *(abs(float(x - mean)) * (1 - 1e-9) for x in law)):
            bound = cap_tail_bound(o, made(model, **options), excess=excess, **known).bound.item()
            for sign in (1, -1):
                assert float(sum(p for x, p in law.items() if sign * (x - mean) >= Fraction(excess))) <= bound + 1e-12


@pytest.mark.few(9)
@pytest.mark.parametrize("case", [i for i, (_, model, _) in enumerate(CASES) if model != "swap"])
def test_the_bound_holds_for_every_key_total(case):
    check(*CASES[case])


@pytest.mark.slow
@theorem
@given(count_tables(3, 2, most=4), st.integers(1, 4), st.sampled_from(["uniform", "bootstrap", "independent", "dirichlet"]))
def test_the_bound_holds_for_any_small_table(o, m, model):
    check(o, model, {"m": m, **({"alpha": 0.5} if model == "dirichlet" else {})})


def test_by_hand_independent_records():
    """exp(-2 n^2 t^2 / (10^2/50 + 40^2/50)) with n = 100, t = .1."""
    found = cap_tail_bound([[20, 5], [30, 45]], Bootstrap(), excess=0.1, key_totals=[50, 50])
    assert found.bound.item() == pytest.approx(np.exp(-200 / 34), rel=1e-12)
    kept = cap_tail_bound([[20, 5], [30, 45]], Pram(theta=0.3), excess=0.1)
    assert kept.bound.item() == found.bound.item()
    assert kept["mean"].item() == pytest.approx(expected_cap([[20, 5], [30, 45]], Pram(theta=0.3)).item())


def test_by_hand_records_of_an_urn():
    """One key, A = 2 and 3 records: 25 / (3 * 2.5 * 5.5) = .606; for 10,000 records it is below 1 / 2.5, and never above 1."""
    for m, factor in ((3, 25 / (3 * 2.5 * 5.5)), (10**4, 10002**2 / (1e4 * 2.5 * 10002.5)), (1, 9 / (2.5 * 3.5))):
        found = cap_tail_bound([[3], [1]], Uniform(), excess=0.2, key_totals=[m])
        assert found.bound.item() == pytest.approx(np.exp(-2 * 0.64 / (4 * min(factor, 1))), rel=1e-12)


def test_a_constant_has_no_tail():
    found = cap_tail_bound([[2, 1], [2, 1]], Uniform(), excess=1e-9, key_totals=[3, 0])
    assert (found["mean"].item(), found.bound.item()) == (pytest.approx(1 / 3), 0)
    assert cap_tail_bound([[2], [2]], Uniform(), excess=0, key_totals=[3]).bound.item() == 1
    assert np.isnan(cap_tail_bound([[0], [0]], Uniform(), excess=0.1, key_totals=[3]).bound.item())


def test_tables_and_totals_broadcast():
    o = np.array([[20, 5], [30, 45]])
    totals = sample_tables(o, Bootstrap(60), draws=4, rng=1).sum("target")
    found = cap_tail_bound(o, Bootstrap(), excess=0.1, key_totals=totals)
    assert found.bound.dims == ("draw",)
    for k in range(4):
        one = cap_tail_bound(o, Bootstrap(), excess=0.1, key_totals=totals[k].values)
        assert found.bound[k].item() == one.bound.item()


def test_what_is_missing_or_does_not_belong_is_told():
    with pytest.raises(ValueError, match=r"`Uniform\(\)` needs `key_totals`"):
        cap_tail_bound([[3], [1]], Uniform(), excess=0.1)
    with pytest.raises(ValueError, match=r"`key_totals` does not belong to `Partial\(alpha=1.0\)`"):
        cap_tail_bound([[3], [1]], Partial(alpha=1), excess=0.1, key_totals=[4])
    with pytest.raises(ValueError, match="`excess` must be a number from 0"):
        cap_tail_bound([[3], [1]], Pram(theta=0.1), excess=-0.1)
    with pytest.raises(ValueError, match="No bound is given for `Swap`"):
        cap_tail_bound([[3], [1]], Swap(records=1), excess=0.1)
    with pytest.raises(ValueError, match="`o` must hold integers"):
        cap_tail_bound([[0.5], [1]], Pram(theta=0.5), excess=0.1)
