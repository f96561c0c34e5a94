"""The bound of differential privacy: against linear programmes over all mechanisms, and attained by randomised response."""

from itertools import product

import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from strategies import count_tables, examples

from capstats.laws import dp_bound, dp_epsilon, dp_mechanism, expected_cap

PRIORS = [[1.0], [0.5, 0.5], [0.7, 0.3], [0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.3, 0.25, 0.2, 0.15, 0.1], [0.2] * 5, [0.6, 0.4, 0.0]]


def releases(targets, parts):
    """What a release can say of a key: shares of the targets in so many parts, all of them, and nothing."""
    return [np.array(x) / parts for x in product(range(parts + 1), repeat=targets) if sum(x) == parts] + [np.zeros(targets)]


def best_mechanism(prior, epsilon, unmatched):
    """The greatest prior mean of CAP over all channels from targets to releases whose rows differ by at most e^eps, entry by entry.

    For "drop" it is divided by the probability of a match; the programme is homogeneous, with that probability set to 1.
    """
    p, q = np.array(prior), releases(len(prior), 3 if len(prior) < 5 else 2)
    targets, outputs = len(p), len(q)
    said = np.array([x.sum() > 0 for x in q])
    place = np.arange(targets * outputs).reshape(targets, outputs)
    gain = np.zeros(place.size)
    gain[place] = p[:, None] * np.array(q).T
    limits = []
    for i, t in product(range(targets), repeat=2):
        if i != t:
            for y in range(outputs):
                row = np.zeros(place.size)
                row[place[i, y]], row[place[t, y]] = 1, -np.exp(epsilon)
                limits.append(row)
    sums = np.zeros((targets, place.size))
    for i in range(targets):
        sums[i, place[i]] = 1
    if unmatched == "drop":
        matched = np.zeros((1, place.size))
        matched[0, place] = 0
        for i in range(targets):
            matched[0, place[i][said]] = p[i]
        equal, to = np.vstack([sums[1:] - sums[0], matched]), [*[0] * (targets - 1), 1]
    else:
        equal, to = sums, [1] * targets
    held = {"A_ub": np.array(limits), "b_ub": np.zeros(len(limits))} if limits else {}
    found = linprog(-gain, A_eq=equal, b_eq=to, bounds=(0, None), method="highs", **held)
    assert found.status == 0
    return -found.fun


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
@pytest.mark.parametrize("prior", PRIORS)
def test_no_mechanism_does_better_and_one_does_as_well(prior, unmatched):
    for epsilon in (0.0, 0.1, 0.5, 1.0, 2.5):
        found = dp_bound(prior, epsilon, unmatched=unmatched).bound.item()
        assert found == pytest.approx(best_mechanism(prior, epsilon, unmatched), abs=1e-7)


@examples(25)
@given(count_tables(targets=4, keys=4), st.floats(0, 4))
@example(np.diag([3, 2, 1]), 1.5)
def test_randomised_response_of_all_records_keeps_the_promise(o, epsilon):
    """The mean of average CAP over all releases is at most the bound; a key with one target each attains it."""
    promise = dp_bound(o, epsilon).bound.item()
    found = expected_cap(o, model="pram", matrix=dp_mechanism(o, epsilon)).item()
    assert found <= promise * (1 + 1e-12)
    if ((o > 0).sum(0) <= 1).all():
        assert found == pytest.approx(promise, rel=1e-12)


def priors(targets=5):
    return st.lists(st.integers(0, 20), min_size=1, max_size=targets).filter(any).map(lambda x: np.array(x) / sum(x))


EPSILONS = st.floats(0, 6)


@examples(25)
@given(priors(), EPSILONS)
@example(np.array([0.5, 0.3, 0.2]), np.inf)
def test_the_mechanism_is_private_and_attains_the_bound(p, epsilon):
    for unmatched in ("zero", "nearest", "drop"):
        found = dp_bound(p, epsilon, unmatched=unmatched)
        channel = dp_mechanism(p, epsilon, unmatched=unmatched).values
        silent = 1 - channel.sum(1, keepdims=True)
        outputs = np.hstack([channel, silent if unmatched == "drop" else 0 * silent])
        assert outputs.sum(1) == pytest.approx(1)
        assert (outputs >= -1e-15).all()
        if epsilon < np.inf:
            assert (outputs.max(0) <= np.exp(epsilon) * outputs.min(0) + 1e-12).all()
        right, matched = p @ np.diag(channel), p @ channel.sum(1)
        assert right / (matched if unmatched == "drop" else 1) == pytest.approx(found.bound.item(), rel=1e-12)
        assert (channel.max(0) > 0).sum() == found.targets.item()


@examples(25)
@given(priors(), EPSILONS)
def test_the_bound_rises_from_the_modal_guess_to_certainty(p, epsilon):
    for unmatched in ("zero", "drop"):
        bound = dp_bound(p, [0, epsilon, epsilon + 0.1, np.inf], unmatched=unmatched)
        assert bound.bound.values[0] == pytest.approx(p.max(), rel=1e-14)
        assert bound.bound.values[3] == pytest.approx(1, rel=1e-14)
        assert (np.diff(bound.bound.values) >= -1e-15).all()
        assert (bound.gain.values >= -1e-15).all()
        if len(p) > 1:
            first, second = np.sort(p)[::-1][:2]
            if second > 0 and first >= np.exp(epsilon) * second and unmatched == "zero":
                assert bound.gain.values[1] == pytest.approx(0, abs=1e-14)  # worth nothing beyond the modal guess
    drop, zero = (dp_bound(p, epsilon, unmatched=unmatched).bound.item() for unmatched in ("drop", "zero"))
    assert zero <= drop + 1e-14


@pytest.mark.parametrize("targets", [1, 2, 3, 10])
def test_a_uniform_prior_gives_the_bound_of_randomised_response_among_all_targets(targets):
    epsilon = np.array([0.1, 1.0, 3.0])
    found = dp_bound(np.full(targets, 1 / targets), epsilon)
    assert found.bound.values == pytest.approx(np.exp(epsilon) / (np.exp(epsilon) + targets - 1), rel=1e-14)
    assert (found.targets.values == targets).all()


def test_the_bound_of_the_page_is_worked_out_by_hand():
    """e^eps = 4 with (.5, .3, .2): .5, 4 * .8 / 5 = .64 and 4 / 6 = .667; version 2 has 4 * .5 / (.5 + 4 * .5) = .8."""
    found = dp_bound([0.2, 0.5, 0.3], np.log(4))
    assert found.bound.item() == pytest.approx(2 / 3, rel=1e-14)
    assert found.gain.item() == pytest.approx(2 / 3 - 0.5, rel=1e-14)
    assert found.targets.item() == 3
    assert dp_bound([0.2, 0.5, 0.3], np.log(4), unmatched="drop").bound.item() == pytest.approx(0.8, rel=1e-14)
    assert dp_bound([0.2, 0.5, 0.3], np.log(2)).bound.item() == pytest.approx(2 * 0.8 / 3, rel=1e-14)  # .5, .533, .5


@examples(25)
@given(priors(), st.floats(0, 1))
@example(np.array([0.5, 0.5]), 1.0)
@example(np.array([1.0]), 1.0)
def test_the_epsilon_for_a_risk_is_the_greatest_that_keeps_it(p, risk):
    for unmatched in ("zero", "drop"):
        found = dp_epsilon(p, risk, unmatched=unmatched).item()
        if risk < p.max() * (1 - 1e-9):
            assert np.isnan(found)
        elif risk > p.max() * (1 + 1e-9):
            assert dp_bound(p, found, unmatched=unmatched).bound.item() <= risk * (1 + 1e-9)
            assert found == np.inf or dp_bound(p, found + 1e-3, unmatched=unmatched).bound.item() > risk


def test_priors_are_probabilities_or_the_shares_of_a_table():
    o = [[3, 1], [1, 3], [2, 0]]
    table = xr.DataArray([o, [[0, 0]] * 3], dims=("area", "target", "key"))
    found = dp_bound(table, [0.5, 1.0])
    assert found.bound.dims == ("area", "epsilon")
    assert found.bound[0].values == pytest.approx(dp_bound([0.4, 0.4, 0.2], [0.5, 1.0]).bound.values, rel=1e-14)
    assert found.bound[1].isnull().all()
    assert (found.targets[1] == 0).all()
    assert np.isnan(dp_mechanism(table, 1.0)[1]).all()
    assert np.isnan(dp_epsilon(table, 0.9)[1])
    assert dp_bound(o, 1.0).bound.item() == dp_bound([0.4, 0.4, 0.2], 1.0).bound.item()
    assert dp_epsilon(o, [0.5, 0.9]).dims == ("risk",)
    claims = xr.DataArray([0.5, 1.0], dims="release")
    assert dp_bound(o, claims).bound.values.tolist() == dp_bound(o, [0.5, 1.0]).bound.values.tolist()
    assert dp_mechanism(o, claims).dims == ("release", "target", "released")


def test_the_channel_is_a_matrix_of_pram():
    from capstats.laws.models import Synthesis

    assert Synthesis.of("pram", matrix=dp_mechanism([0.5, 0.3, 0.2], 1.0)).matrix.shape == (3, 3)


def test_the_gain_on_a_table_prints_as_one():
    assert "Expected CAP under differential privacy" in repr(dp_bound([0.5, 0.5], [1.0, 2.0]))


@pytest.mark.parametrize("prior", [[0.5, 0.4], [0.5, 0.6], [2.0, -1.0], [np.nan, 1.0]])
def test_a_prior_that_is_none_is_refused(prior):
    with pytest.raises(ValueError, match="`prior` must"):
        dp_bound(prior, 1.0)


def test_epsilon_and_risk_are_checked():
    with pytest.raises(ValueError, match=r"`epsilon` must be at least 0; got -1\.0"):
        dp_bound([0.5, 0.5], -1)
    with pytest.raises(ValueError, match=r"`epsilon` must be at least 0; got nan"):
        dp_mechanism([0.5, 0.5], np.nan)
    with pytest.raises(TypeError, match="`epsilon` must hold numbers; got str"):
        dp_bound([0.5, 0.5], "much")
    with pytest.raises(ValueError, match="`epsilon` must be a number or a sequence of numbers; it has 2 dimensions"):
        dp_bound([0.5, 0.5], [[1.0]])
    with pytest.raises(ValueError, match=r"`risk` must be from 0 to 1; got 1\.5"):
        dp_epsilon([0.5, 0.5], 1.5)
    with pytest.raises(ValueError, match="`unmatched` must be"):
        dp_bound([0.5, 0.5], 1.0, unmatched="one")
