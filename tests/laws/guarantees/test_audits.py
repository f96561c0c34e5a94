"""Refuting epsilon: what private mechanisms can show at most, how often true claims are refuted, and how soon false ones are."""

import math
from decimal import Decimal, localcontext
from itertools import combinations, permutations, product

import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from strategies import examples

from capstats import holdout_contrast
from capstats.laws import dp_audit
from capstats.laws.guarantees.audits import _log_capital

ALLOWED = {"substitution": lambda eps: np.tanh(eps / 2), "add-remove": lambda eps: 1 - np.exp(-eps)}
ODDS = {"substitution": 1, "add-remove": 2}


def greatest_contrast(n, h, epsilon, adjacency):
    """The greatest expected contrast over all private mechanisms, by a linear programme.

    Original and holdout are a split of n + h people with keys of their own; a release says of each whether the CAP is 1 or 0. Originals
    are all subsets of the people, or those of size n, where records are substituted.
    """
    people = range(n + h)
    sizes = [n] if adjacency == "substitution" else range(n + h + 1)
    originals = [frozenset(x) for size in sizes for x in combinations(people, size)]
    releases = list(product([0, 1], repeat=n + h))
    place = {(x, y): i for i, (x, y) in enumerate(product(originals, releases))}
    gain, splits = np.zeros(len(place)), math.comb(n + h, n)
    for (x, y), i in place.items():
        if len(x) == n:
            gain[i] = (sum(y[r] for r in x) / n - sum(y[r] for r in people if r not in x) / h) / splits
    limits = []
    for a, b in permutations(originals, 2):
        if len(a ^ b) == ODDS["add-remove" if adjacency == "substitution" else "substitution"]:  # two records differ, or one
            for y in releases:
                row = np.zeros(len(place))
                row[place[a, y]], row[place[b, y]] = 1, -np.exp(epsilon)
                limits.append(row)
    sums = np.array([[float(x == a) for x, _ in place] for a in originals])
    found = linprog(-gain, np.array(limits), np.zeros(len(limits)), sums, np.ones(len(originals)), bounds=(0, None), method="highs")
    assert found.status == 0
    return -found.fun


@pytest.mark.parametrize("adjacency", ALLOWED)
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.0])
def test_no_private_mechanism_has_a_larger_expected_contrast(adjacency, epsilon):
    """One record and one held out attain what is allowed; with more of them it holds, and may be out of reach."""
    allowed = ALLOWED[adjacency](epsilon)
    assert dp_audit([0, 0], epsilon, adjacency=adjacency).allowed.item() == pytest.approx(allowed, rel=1e-14)
    assert greatest_contrast(1, 1, epsilon, adjacency) == pytest.approx(allowed, abs=1e-8)
    for n, h in ((1, 2), (2, 1)):
        assert greatest_contrast(n, h, epsilon, adjacency) <= allowed + 1e-8


def test_the_capital_after_equal_contrasts_is_worked_out_by_hand():
    """Contrasts of 1 against a mean of .5: a bet of b multiplies its stake by 1 + b, three times, and has the weight b / (2 - 2**-7)."""
    found = _log_capital(np.ones(3), np.array(0.5))
    bets = [2.0**-i for i in range(8)]
    assert np.exp(found) == pytest.approx(sum(b * (1 + b) ** 3 for b in bets) / (2 - 2**-7), rel=1e-13)
    assert dp_audit([1, 1, 1], 0, adjacency="substitution").p_value.item() == pytest.approx(np.exp(-found), rel=1e-13)


@pytest.mark.slow
@examples(25)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.floats(0, 3), st.sampled_from(sorted(ALLOWED)))
def test_limit_p_value_and_verdict_agree_and_do_not_depend_on_the_order(contrasts, epsilon, adjacency):
    found = dp_audit(contrasts, epsilon, adjacency=adjacency)
    again = dp_audit(contrasts[::-1], epsilon, adjacency=adjacency)
    for name in found:
        assert found[name].item() == pytest.approx(again[name].item(), rel=1e-9, abs=1e-12)
    assert found.refuted.item() == (found.p_value.item() <= 0.05 * (1 + 1e-12))
    assert found.lower.item() <= max(found.contrast.item(), -1) + 1e-12
    if abs(found.epsilon_lower.item() - epsilon) > 1e-9:
        assert found.refuted.item() == (found.epsilon_lower.item() > epsilon)
    assert ALLOWED[adjacency](found.epsilon_lower.item()) == pytest.approx(max(found.lower.item(), 0), abs=1e-12)
    claims = dp_audit(contrasts, [0.0, epsilon, np.inf], adjacency=adjacency)
    assert claims.p_value.dims == ("epsilon",)
    assert (np.diff(claims.p_value.values) >= -1e-12).all()
    assert not claims.refuted.values[-1]


@pytest.mark.parametrize("value", [0.3, 0.6, 1.0])
def test_so_many_equal_contrasts_as_are_needed_refute_and_one_fewer_does_not(value):
    needed = int(dp_audit([value, value], 0.5, adjacency="substitution").repetitions_needed.item())
    assert dp_audit([value] * needed, 0.5, adjacency="substitution").refuted.item()
    assert not dp_audit([value] * (needed - 1), 0.5, adjacency="substitution").refuted.item()
    assert dp_audit([0.2, 0.2], 0.5, adjacency="substitution").repetitions_needed.item() == np.inf


def at_most_level(refuted):
    """The share of false alarms is not above .05 by more than chance explains, at four standard errors."""
    return np.mean(refuted) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / np.size(refuted))


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ALLOWED)
def test_a_true_claim_is_refuted_at_most_as_often_as_allowed(adjacency):
    """Randomised response of one record against one held out: a contrast of 1 or -1, with the largest mean that epsilon allows."""
    rng = np.random.default_rng(20)
    for epsilon, repetitions in ((0.5, 20), (1.0, 100)):
        right = rng.random((800, repetitions)) < (1 + ALLOWED[adjacency](epsilon)) / 2
        contrasts = xr.DataArray(np.where(right, 1.0, -1.0), dims=("study", "repetition"))
        found = dp_audit(contrasts, epsilon, adjacency=adjacency)
        assert at_most_level(found.refuted.values)
        assert at_most_level((found.epsilon_lower > epsilon).values)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(0.4, 0.3), (2, 30), (20, 15)])
def test_the_limit_is_below_the_mean_of_bounded_contrasts_as_often_as_it_says(shape):
    rng = np.random.default_rng(21)
    x = xr.DataArray(2 * rng.beta(*shape, (1500, 25)) - 1, dims=("study", "repetition"))
    found = dp_audit(x, 1.0, adjacency="substitution")
    assert at_most_level((found.lower > 2 * shape[0] / sum(shape) - 1).values)


def table(cells, shape):
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def randomised(cells, epsilon, number, rng):
    """Each cell is kept with odds e^epsilon against any other one: private for the substitution of a whole record."""
    kept = rng.random(len(cells)) < (np.exp(epsilon) - 1) / (np.exp(epsilon) + number - 1)
    return np.where(kept, cells, rng.integers(0, number, len(cells)))


@pytest.mark.slow
def test_randomised_response_of_whole_records_keeps_its_claim():
    """Splits of 60 people in 2 x 3 cells, by the mean of ten contrasts."""
    rng, shape, epsilon = np.random.default_rng(22), (2, 3), 1.0
    pool = rng.integers(0, 6, 60)
    splits = [rng.permutation(pool) for _ in range(2000)]
    o, h = (np.stack([table(x[part], shape) for x in splits]) for part in (slice(0, 30), slice(30, 60)))
    s = np.stack([table(randomised(x[:30], epsilon, 6, rng), shape) for x in splits])
    tables = [xr.DataArray(x, dims=("run", "target", "key")) for x in (o, s, h)]
    contrasts = holdout_contrast(tables[0], tables[1], h=tables[2]).estimate.values.reshape(200, 10)
    by_mean = dp_audit(xr.DataArray(contrasts, dims=("study", "repetition")), epsilon, adjacency="substitution")
    assert at_most_level(by_mean.refuted.values)
    assert by_mean.contrast.mean().item() > 0.005  # the release does know the split


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ALLOWED)
@examples(40)
@given(st.floats(-14, 1))
@example(-12.0)
def test_what_a_small_epsilon_allows_keeps_its_digits(adjacency, log_epsilon):
    epsilon = 10.0**log_epsilon
    with localcontext(prec=60):
        odds = (-Decimal(epsilon)).exp()
        exact = (1 - odds) / (1 + odds) if adjacency == "substitution" else 1 - odds
    assert dp_audit([0.1, 0.2], epsilon, adjacency=adjacency).allowed.item() == pytest.approx(float(exact), rel=1e-15, abs=0)


def test_one_contrast_and_contrasts_that_are_none_are_refused():
    for one in (0.9, [0.9], xr.DataArray(0.9)):
        with pytest.raises(ValueError, match=r"One contrast refutes nothing: it may be chance\. .* for one release use dp_audit_release"):
            dp_audit(one, 1.0, adjacency="substitution")
    with pytest.raises(ValueError, match="`contrasts` must be from -1 to 1"):
        dp_audit([0.5, 1.5], 1.0, adjacency="substitution")
    with pytest.raises(ValueError, match="`contrasts` must be from -1 to 1"):
        dp_audit([0.5, np.nan], 1.0, adjacency="substitution")
    with pytest.raises(ValueError, match="`contrasts` has 2 dimensions"):
        dp_audit([[0.5, 0.5]], 1.0, adjacency="substitution")


def test_options_are_checked():
    with pytest.raises(ValueError, match=r"`adjacency` must be .* got 'bounded'"):
        dp_audit([0.5, 0.5], 1.0, adjacency="bounded")
    with pytest.raises(ValueError, match="`epsilon` must be at least 0"):
        dp_audit([0.5, 0.5], -1, adjacency="substitution")
    with pytest.raises(ValueError, match="`level` must be between 0 and 1"):
        dp_audit([0.5, 0.5], 1.0, adjacency="substitution", level=95)


def test_contrasts_that_are_no_numbers_are_refused():
    for contrasts in (["secret", "b"], xr.Dataset({"x": 1})):
        with pytest.raises(TypeError, match="`contrasts` must hold numbers from -1 to 1") as error:
            dp_audit(contrasts, 1.0, adjacency="substitution")
        assert "secret" not in str(error.value)
