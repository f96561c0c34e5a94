"""The bound of differential privacy: against linear programmes over all mechanisms, and attained by randomised response."""

from decimal import Decimal, localcontext
from itertools import product

import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st
from private_splits import greatest
from strategies import count_tables, examples

from capstats import average_cap
from capstats.laws import Pram, dp_bound, dp_epsilon, dp_mechanism, expected_cap, noisy_counts, sample_tables

PRIORS = [[1.0], [0.5, 0.5], [0.7, 0.3], [0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.3, 0.25, 0.2, 0.15, 0.1], [0.2] * 5, [0.6, 0.4, 0.0]]


def releases(targets, parts):
    """What a release can say of a key: shares of the targets in so many parts, all of them, and nothing."""
    return [np.array(x) / parts for x in product(range(parts + 1), repeat=targets) if sum(x) == parts] + [np.zeros(targets)]


def best_channel(prior, epsilon, unmatched, data, adjacency, said):
    """The greatest prior mean of CAP over all private channels from data, sets of (target, copy), to what is said of the key.

    A data set of one record has the prior probability of its target, and others have none. For "drop" the mean is divided by the
    probability of a match.
    """
    q, of_one = np.array(said), {frozenset([(i, 0)]): i for i in range(len(prior))}

    def weighed(values):
        return {x: prior[of_one[x]] * values[:, of_one[x]] if x in of_one else np.zeros(len(q)) for x in data}

    matched = weighed(np.repeat(q.any(1, keepdims=True), len(prior), 1)) if unmatched == "drop" else None
    return greatest(weighed(q), epsilon, adjacency, matched)


def best_mechanism(prior, epsilon, unmatched):
    """Over all channels from targets to releases, where records are substituted."""
    data = [frozenset([(i, 0)]) for i in range(len(prior))]
    return best_channel(prior, epsilon, unmatched, data, "substitution", releases(len(prior), 3 if len(prior) < 5 else 2))


def best_program(prior, epsilon, unmatched="zero", people=2):
    """Over all programs for up to so many records of one key, where records are added or removed.

    A release says one target of the key or is silent: a share is a mean of these.
    """
    every = product(range(people + 1), repeat=len(prior))
    data = [frozenset((i, copy) for i, count in enumerate(x) for copy in range(count)) for x in every if sum(x) <= people]
    return best_channel(prior, epsilon, unmatched, data, "add-remove", [*np.eye(len(prior)), np.zeros(len(prior))])


def priors(targets=5):
    return st.lists(st.integers(0, 20), min_size=1, max_size=targets).filter(any).map(lambda x: np.array(x) / sum(x))


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
@pytest.mark.parametrize("prior", PRIORS)
def test_no_mechanism_does_better_and_one_does_as_well(prior, unmatched):
    for epsilon in (0.0, 0.1, 0.5, 1.0, 2.5):
        found = dp_bound(prior, epsilon, unmatched=unmatched).bound.item()
        assert found == pytest.approx(best_mechanism(prior, epsilon, unmatched), abs=1e-7)


RANDOM = np.random.default_rng(6)
ADDED = [*PRIORS, *(RANDOM.dirichlet(np.full(targets, weight)) for targets in (2, 3, 4) for weight in (0.5, 1, 4) for _ in range(2))]


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
@pytest.mark.parametrize("place", range(len(ADDED)))
def test_no_program_does_better_where_records_are_added(place, unmatched):
    prior, people = ADDED[place], 2 + place % 3
    for epsilon in (0.0, 0.5, 2.0):
        found = dp_bound(prior, epsilon, unmatched=unmatched, adjacency="add-remove").bound.item()
        assert found == pytest.approx(best_program(prior, epsilon, unmatched, people if len(prior) < 4 else 2), abs=1e-9)


@examples(100)
@given(priors(8), st.floats(0, 3))
@example(np.full(8, 1 / 8), 0.3)
@example(np.array([0.5, 0.25, 0.25]), np.log(2) / 2)
def test_where_records_are_added_a_program_for_all_data_attains_the_bound(p, epsilon):
    """With the record its target is at most e^eps times as likely as without it, and nothing is less likely than e^-eps times."""
    for unmatched in ("zero", "drop"):
        found = dp_bound(p, epsilon, unmatched=unmatched, adjacency="add-remove")
        channel = dp_mechanism(p, epsilon, unmatched=unmatched, adjacency="add-remove")
        said, before = (np.append(x, 1 - x.sum(-1, keepdims=True), axis=-1) for x in (channel.values, channel.without.values))
        assert (said >= -1e-15).all()
        assert unmatched == "drop" or said[:, -1] == pytest.approx(0, abs=1e-14)
        assert (said <= np.exp(epsilon) * before + 1e-14).all()
        assert (before <= np.exp(epsilon) * said + 1e-14).all()
        right, matched = p @ np.diag(channel), p @ channel.values.sum(1)
        assert right / (matched if unmatched == "drop" else 1) == pytest.approx(found.bound.item(), rel=1e-12)
        if unmatched == "drop":
            assert found.bound.item() == pytest.approx(dp_bound(p, 2 * epsilon, unmatched="drop").bound.item(), rel=1e-15)
        else:
            assert p.max() - 1e-15 <= found.bound.item() <= dp_bound(p, 2 * epsilon).bound.item() + 1e-15
        assert found.bound.item() >= dp_bound(p, epsilon, unmatched=unmatched).bound.item() - 1e-15


def test_where_records_are_added_the_bound_is_worked_out_by_hand():
    """(.5, .3, .2) and e^eps = 2: .5 + (.3 - .125 + .2 - .125) / 1.5 = 2/3; with e^eps = 1 nothing, with e^(2 eps) = 5/3 still nothing."""
    p = [0.3, 0.5, 0.2]
    found = dp_bound(p, [0, np.log(5 / 3) / 2, np.log(2)], adjacency="add-remove")
    assert found.bound.values == pytest.approx([0.5, 0.5, 2 / 3], rel=1e-14)
    assert found.targets.values.tolist() == [1, 1, 3]
    even = dp_bound([0.5, 0.5], [1.0, np.inf], adjacency="add-remove").bound.values
    assert even == pytest.approx([1 - np.exp(-1) / 2, 1], rel=1e-15)
    channel = dp_mechanism(p, np.log(2), adjacency="add-remove")
    assert channel.without.values == pytest.approx([1 / 3] * 3, rel=1e-14)
    assert channel.values == pytest.approx(np.full((3, 3), 1 / 6) + np.eye(3) / 2, rel=1e-14)
    assert dp_mechanism(p, np.inf, adjacency="add-remove").values.tolist() == np.eye(3).tolist()


@examples(40)
@given(priors(), st.floats(0, 1))
@example(np.array([0.5, 0.5]), 1 - 1e-13)
@example(np.array([0.5, 0.5]), 0.5 + 1e-13)
@example(np.array([1.0]), 1.0)
def test_where_records_are_added_the_epsilon_for_a_risk_is_the_greatest_that_keeps_it(p, part):
    risk = p.max() + (1 - p.max()) * part
    for unmatched in ("zero", "drop"):
        found = dp_epsilon(p, risk, unmatched=unmatched, adjacency="add-remove").item()
        if found == np.inf:
            assert risk == 1
        elif risk < 1:
            bound = dp_bound(p, found, unmatched=unmatched, adjacency="add-remove")
            assert bound.bound.item() == pytest.approx(risk, rel=1e-14)
            assert bound.gain.item() == pytest.approx(risk - p.max(), rel=1e-9, abs=1e-15)
            assert dp_bound(p, found + 0.1, unmatched=unmatched, adjacency="add-remove").bound.item() > risk


def test_a_program_that_releases_as_many_records_as_it_reads_keeps_no_epsilon_for_added_records():
    """Randomised response keeps each epsilon for a change of targets; the size of its release gives away that a record was added."""
    model = Pram(matrix=dp_mechanism([0.5, 0.5], 1.0))
    releases = [{x.tobytes() for x in sample_tables([[records], [1]], model, draws=200, rng=1).values} for records in (1, 2)]
    assert all(len(x) > 1 for x in releases)
    assert not releases[0] & releases[1]


@examples(25)
@given(count_tables(targets=4, keys=4), st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any), st.floats(0, 4))
@example(np.diag([3, 2, 1]), [3, 2, 1, 0], 1.5)
def test_randomised_response_of_all_records_with_a_public_prior(o, shares, epsilon):
    """The mean of average CAP is at most the share of the targets among which is answered, times the greatest probability of the truth."""
    shares = np.array(shares[: len(o)]) + (not any(shares[: len(o)]))
    matrix = dp_mechanism(shares / shares.sum(), epsilon)
    found = expected_cap(o, Pram(matrix=matrix)).item()
    answered = matrix.values.max(0) > 0
    bound = o[answered].sum() / o.sum() * matrix.values.max()
    assert found <= bound * (1 + 1e-12)
    assert bound <= dp_bound(o, epsilon).bound.item() * (1 + 1e-12)
    if ((o > 0).sum(0) <= 1).all():
        assert found == pytest.approx(bound, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 0.1, 0.5, 1.0, 3.0])
def test_a_prior_from_the_records_themselves_is_not_private(epsilon):
    """For every epsilon there are two margins, one record apart, of which only one can release target 2."""
    ones, twos = {0.0: (1, 2), 1.0: (1087, 400)}.get(epsilon, (int(np.ceil(np.exp(epsilon) * 40)) - 1, 40))
    first, second = ([[ones + moved], [twos - moved]] for moved in (0, 1))
    possible = [dp_mechanism(margin, epsilon, counts="public").values[1, 1] for margin in (first, second)]
    assert possible[0] == pytest.approx(1 if epsilon == 0 else 1 / (1 + np.exp(-epsilon)))
    assert possible[1] == 0
    for table in (first, xr.DataArray(first, dims=("target", "key"))):
        with pytest.raises(ValueError, match="`prior` is a table of counts"):
            dp_mechanism(table, epsilon)


def test_average_cap_may_be_far_above_the_bound_for_one_record():
    """Ten keys of 1,000 people with one target each, five and five: what the release says of a key is not what one record adds."""
    o = np.kron(np.eye(2, dtype=int), np.full((1, 5), 1000))
    assert dp_bound(o, 0.01).bound.item() == pytest.approx(0.5025, abs=5e-5)
    drawn = noisy_counts(o, epsilon=0.01, adjacency="substitution", domain="public", draws=500, rng=1)
    assert average_cap(o, drawn).mean().item() == pytest.approx(0.919, abs=5e-3)
    assert "Expected CAP of one record, all others known, under differential privacy" in repr(dp_bound(o, 0.01))


def in_decimals(p, unmatched):
    """The bound at an epsilon and the epsilon of a risk, with the digits of the context."""
    p = sorted((Decimal(float(x)) for x in p), reverse=True)
    sums = [sum(p[:s]) / sum(p) for s in range(1, len(p) + 1)]

    def bound(epsilon):
        odds = (-Decimal(epsilon)).exp()
        if unmatched == "drop":
            return sums[0] / (sums[0] + (1 - sums[0]) * odds)
        return max(part / (1 + s * odds) for s, part in enumerate(sums))

    def epsilon(risk):
        if unmatched == "drop":
            return (risk * (1 - sums[0]) / (sums[0] * (1 - risk))).ln()
        return min((risk * s / (part - risk)).ln() for s, part in enumerate(sums) if part > risk)

    return sums[0], bound, epsilon


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
@examples(60)
@given(priors(), st.floats(-14, 2.5), st.floats(-13, 0))
@example(np.array([0.5, 0.5]), -12, -12)
@example(np.array([0.2] * 5), -9, -12)
@example(np.array([0.5, 0.3, 0.2]), 2, -13)
def test_small_gains_and_risks_near_one_keep_their_digits(unmatched, p, log_epsilon, log_apart):
    """Against 60 digits: the bound, the gain, and the epsilon of a risk little above the modal guess or little below 1."""
    epsilon, apart = 10.0**log_epsilon, 10.0**log_apart
    found = dp_bound(p, epsilon, unmatched=unmatched)
    with localcontext(prec=60):
        guess, bound, epsilon_of = in_decimals(p, unmatched)
        assert found.bound.item() == pytest.approx(float(bound(epsilon)), rel=1e-15, abs=0)
        few = 0 if unmatched == "drop" or (p == p.max()).all() else 1e-15  # a difference of shares has no more digits than they have
        assert found.gain.item() == pytest.approx(float(bound(epsilon) - guess), rel=1e-13, abs=few)
        for risk in (1 - apart, p.max() + (1 - p.max()) * apart):
            room = min(risk - p.max(), 1 - risk)
            if room > 1e-11 or (risk > 0.9 and room > 2e-14):
                wanted = dp_epsilon(p, risk, unmatched=unmatched).item()
                assert wanted == pytest.approx(float(epsilon_of(Decimal(risk))), rel=1e-12 + 1e-15 / room, abs=0)


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


def test_the_bound_of_the_page_is_worked_out_by_hand():
    """e^eps = 4 with (.5, .3, .2): .5, 4 * .8 / 5 = .64 and 4 / 6 = .667; version 2 has 4 * .5 / (.5 + 4 * .5) = .8."""
    found = dp_bound([0.2, 0.5, 0.3], np.log(4))
    assert found.bound.item() == pytest.approx(2 / 3, rel=1e-14)
    assert found.gain.item() == pytest.approx(2 / 3 - 0.5, rel=1e-14)
    assert found.targets.item() == 3
    assert dp_bound([0.2, 0.5, 0.3], np.log(4), unmatched="drop").bound.item() == pytest.approx(0.8, rel=1e-14)
    assert dp_bound([0.2, 0.5, 0.3], np.log(2)).bound.item() == pytest.approx(2 * 0.8 / 3, rel=1e-14)  # .5, .533, .5


@pytest.mark.parametrize("adjacency", ["substitution", pytest.param("add-remove", marks=pytest.mark.slow)])
def test_priors_are_probabilities_or_the_shares_of_a_table(adjacency):
    o, claims, told = [[3, 1], [1, 3], [2, 0]], xr.DataArray([0.5, 1.0], dims="release"), {"adjacency": adjacency}
    table = xr.DataArray([o, [[0, 0]] * 3], dims=("area", "target", "key"))
    found = dp_bound(table, [0.5, 1.0], **told)
    assert found.bound.dims == ("area", "epsilon")
    assert found.bound[0].values == pytest.approx(dp_bound([0.4, 0.4, 0.2], [0.5, 1.0], **told).bound.values, rel=1e-14)
    assert found[["bound", "gain"]].isel(area=1).isnull().all().to_array().all()
    assert (found.targets[1] == 0).all()
    assert np.isnan(dp_mechanism(table, 1.0, counts="public", **told)[1]).all()
    assert np.isnan(dp_epsilon(table, 0.9, **told)[1])
    assert dp_epsilon(table, [0.5, 0.9], **told).dims == ("area", "risk")
    assert np.isnan(dp_epsilon([0.6, 0.4], [0.5, 0.6], **told)).values.tolist() == [True, False]
    assert dp_bound(o, 1.0, **told).bound.item() == dp_bound([0.4, 0.4, 0.2], 1.0, **told).bound.item()
    assert dp_bound(o, claims, **told).bound.values.tolist() == dp_bound(o, [0.5, 1.0], **told).bound.values.tolist()
    channel = dp_mechanism(o, claims, counts="public", **told)
    assert channel.dims == ("release", "target", "released")
    assert adjacency == "substitution" or channel.without.dims == ("release", "released")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: dp_bound([0.5, 0.5], -1), ValueError, r"`epsilon` must be at least 0; got -1"),
        (lambda: dp_mechanism([0.5, 0.5], np.nan), ValueError, r"`epsilon` must be at least 0; got nan"),
        (lambda: dp_bound([0.5, 0.5], "much"), TypeError, "`epsilon` must hold numbers; got str"),
        (lambda: dp_bound([0.5, 0.5], [[1.0]]), ValueError, "`epsilon` must be a number or a sequence of numbers; it has 2 dimensions"),
        (lambda: dp_epsilon([0.5, 0.5], 1.5), ValueError, r"`risk` must be from 0 to 1; got 1\.5"),
        (lambda: dp_bound([0.5, 0.5], 1.0, unmatched="one"), ValueError, "`unmatched` must be"),
        *(
            (lambda f=f: f([0.5, 0.5], 1.0, adjacency="bounded"), ValueError, '`adjacency` must be "substitution" or "add-remove"; got')
            for f in (dp_bound, dp_epsilon, dp_mechanism)
        ),
        *((lambda x=x: dp_bound(x, 1.0), ValueError, "`prior` must") for x in ([0.5, 0.4], [0.5, 0.6], [2.0, -1.0], [np.nan, 1.0])),
        *(
            (lambda x=x: dp_mechanism([[3], [1]], 1.0, counts=x), ValueError, r'`counts` must be "public", or left out; got')
            for x in ("private", True, ["public"])
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


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
