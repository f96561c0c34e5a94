"""What epsilon promises about an average: against linear programmes over all mechanisms for up to four people, and by hand."""

from functools import partial
from itertools import product

import numpy as np
import pytest
import xarray as xr
from private_splits import originals
from scipy.optimize import linprog
from scipy.stats import norm

from capstats.laws import dp_average_bound

HIGHS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
ADJACENCIES = ("substitution", "add-remove")
QS = (0.0, 0.02, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.93, 1.0)
EPSILONS = (0.0, 0.05, 0.3, 0.7, 1.0, 1.5, 2.0)


def greatest_average(people, inside, q, claims, adjacency):
    """The greatest expected average of the people inside over all mechanisms with an expected average ``q`` outside.

    All originals with ``inside`` people are as likely; None means coins. A release says of each person 0 or 1: a score between them is a
    mean of these. ``claims`` are pairs (epsilon, delta), all of which hold for every two neighbours. Beside the probability of each release
    there is a variable for each claim, pair of neighbours and release: by how much it is too likely, in all at most delta.
    """
    sets, drawn, sizes = originals(people), originals(people, inside), (people / 2,) * 2 if inside is None else (inside, people - inside)
    said = np.array(list(product([0, 1], repeat=people)))
    within = np.array([[i in x for i in range(people)] for x in sets]) * 1.0
    likely = np.array([[x in drawn] for x in sets]) / len(drawn)
    gain, lost = ((likely * who @ said.T / size).ravel() for who, size in zip((within, 1 - within), sizes, strict=True))
    apart = 1 if adjacency == "add-remove" else 2
    near = [(a, b) for (a, x), (b, y) in product(enumerate(sets), repeat=2) if len(x ^ y) == apart and (apart == 1 or len(x) == len(y))]
    first, second = np.eye(len(sets))[np.array(near, int).reshape(-1, 2).T]
    above = np.vstack([np.kron(first - np.exp(epsilon) * second, np.eye(len(said))) for epsilon, _ in claims])
    each = np.kron(np.eye(len(claims) * len(near)), np.ones(len(said)))  # adds up what is too likely
    limits = np.block([[above, -np.eye(len(above))], [np.zeros((len(each), len(gain))), each]])
    most = np.concatenate([np.zeros(len(above)), np.repeat([delta for _, delta in claims], len(near))])
    held = np.pad(np.vstack([np.kron(np.eye(len(sets)), np.ones(len(said))), lost]), ((0, 0), (0, len(above))))
    found = linprog(-np.pad(gain, (0, len(above))), limits, most, held, [*[1] * len(sets), q], method="highs", options=HIGHS)
    assert found.status == 0
    return -found.fun


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize(("epsilon", "delta"), [*((x, 0) for x in EPSILONS), *product([0.0, 0.5, 2.0], [0.01, 0.3, 1.0])])
def test_one_person_inside_and_one_outside_attain_the_bound(epsilon, delta, adjacency):
    bound = dp_average_bound(list(QS), epsilon, delta=delta, adjacency=adjacency).bound.values.ravel()
    assert bound == pytest.approx([greatest_average(2, 1, q, [(epsilon, delta)], adjacency) for q in QS], abs=1e-9)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize(("people", "inside"), [(3, 1), (3, 2), (4, 1), (4, 2), (4, 3)])
@pytest.mark.parametrize("epsilon", [0.05, 0.7, 2.0])
def test_the_bound_holds_for_more_people(epsilon, people, inside, adjacency):
    for q in (0.01, 0.1, 0.3, 0.6, 0.93):
        best = greatest_average(people, inside, q, [(epsilon, 0)], adjacency)
        assert q - 1e-9 <= best <= dp_average_bound(q, epsilon, adjacency=adjacency).bound.item() + 1e-9


@pytest.mark.parametrize("people", [1, 2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.05, 0.7, 2.0])
def test_with_coins_one_step_is_attained_by_any_number_of_people(epsilon, people):
    bound = dp_average_bound(list(QS), epsilon, adjacency="substitution").bound.values
    assert bound == pytest.approx([greatest_average(people, None, q, [(epsilon, 0)], "add-remove") for q in QS], abs=1e-9)


def test_coins_and_a_claim_about_substitution_promise_nothing():
    """A program may say how many records it has: one person in is known from one person out."""
    assert greatest_average(1, None, 0.0, [(0.1, 0)], "substitution") == pytest.approx(1, abs=1e-9)


def from_claims(x, claims=((0.2, 0.3), (1.0, 0.05), (2.0, 0.0))):
    """The trade-off function of all these claims together."""
    both = [(1 - d - np.exp(e) * x, np.exp(-e) * (1 - d - x)) for e, d in claims]
    return np.maximum(0, np.max([line for pair in both for line in pair], axis=0))


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("seed", range(40))
def test_a_trade_off_function_is_attained_too(seed, adjacency):
    """That of one to four random claims together, some of them without delta; many averages are near 0 or 1."""
    rng = np.random.default_rng(seed)
    claims = [(2 * rng.random(), rng.integers(2) * rng.random() ** 2 / 2) for _ in range(rng.integers(1, 5))]
    q = rng.beta(0.5, 0.5)
    found = dp_average_bound(q, tradeoff=partial(from_claims, claims=claims), adjacency=adjacency).bound.item()
    assert found == pytest.approx(greatest_average(2, 1, q, claims, adjacency), abs=1e-9)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_a_gaussian_trade_off_function_adds_up_for_two_steps(adjacency):
    """1 - T(q) is Phi(Phi^-1(q) + mu), so that two steps are one of 2 mu."""
    q, mu = np.array([0.01, 0.2, 0.5, 0.9]), 0.7
    found = dp_average_bound(q, tradeoff=lambda x: norm.cdf(norm.ppf(1 - x) - mu), adjacency=adjacency).bound
    steps = 1 if adjacency == "substitution" else 2
    assert found.values == pytest.approx(norm.cdf(norm.ppf(q) + steps * mu), rel=1e-12)


def test_a_trade_off_function_that_is_not_its_own_inverse_bounds_but_more_is_known():
    """Neighbours can be tested in either order: max(0, 1 - 3x) and its inverse, (1 - x) / 3, are together the claim of epsilon ln 3."""
    q = np.array([0.1, 0.25, 0.5, 0.9])
    alone = dp_average_bound(q, tradeoff=lambda x: np.maximum(0, 1 - 3 * x), adjacency="substitution").bound
    both = dp_average_bound(q, tradeoff=lambda x: np.maximum(1 - 3 * x, (1 - x) / 3), adjacency="substitution").bound
    assert alone.values == pytest.approx([0.3, 0.75, 1, 1], rel=1e-15)
    assert both.values == pytest.approx(dp_average_bound(q, np.log(3), adjacency="substitution").bound.values, rel=1e-14)
    assert both.values == pytest.approx([0.3, 0.75, 5 / 6, 29 / 30], rel=1e-14)


def test_the_three_lines_are_worked_out_by_hand():
    """e^eps = 2: 4q up to 1/6, then q + 1/2 up to 1/3, then (3 + q) / 4. At .2 that is .7, where one step of 2 eps would be .8."""
    q = np.array([0.1, 1 / 6, 0.2, 1 / 3, 0.6])
    found = dp_average_bound(q, np.log(2), adjacency="add-remove").bound
    assert found.values == pytest.approx([0.4, 2 / 3, 0.7, 5 / 6, 0.9], rel=1e-15)
    one_step = dp_average_bound(0.2, 2 * np.log(2), adjacency="substitution")
    assert (one_step.bound.item(), one_step.outside.item()) == (pytest.approx(0.8, rel=1e-15), 0.2)


def test_numbers_broadcast_and_no_privacy_promises_nothing():
    q = xr.DataArray([0.0, 0.5, 1.0], dims="release")
    found = dp_average_bound(q, [0.0, 1.0, 800.0, np.inf], delta=[0.0, 0.1], adjacency="add-remove").bound
    assert found.dims == ("release", "epsilon", "delta")
    assert found.sel(epsilon=0, delta=0).values == pytest.approx(q.values, abs=0)
    assert (found.sel(epsilon=np.inf) == 1).all()
    assert (found >= q - 1e-15).all()
    assert dp_average_bound([0.1, 0.2], 1, adjacency="substitution").bound.dims == ("q",)
    assert dp_average_bound(0.3, 1e-13, adjacency="substitution").bound.item() - 0.3 == pytest.approx(0.3e-13, abs=1e-16)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "Give either `epsilon`, with or without `delta`, or `tradeoff`"),
        ({"epsilon": 1, "tradeoff": from_claims}, "Give either `epsilon`, with or without `delta`, or `tradeoff`"),
        ({"tradeoff": from_claims, "delta": 0.1}, "leave out `delta`"),
        ({"epsilon": -1}, "`epsilon` must be at least 0"),
        ({"epsilon": 1, "adjacency": "bounded"}, "`adjacency` must be .* as the claim says; got 'bounded'"),
        ({"epsilon": 1, "delta": 2}, "`delta` must be from 0 to 1"),
        ({"epsilon": 1, "q": 1.5}, "`q` must be from 0 to 1"),
        ({"tradeoff": lambda x: 1 - x / 2}, "`tradeoff` must be from 0 to 1 - x"),
        ({"tradeoff": lambda x: (1 - x) * np.minimum(1, 0.1 + x)}, "`tradeoff` must not rise and must be convex"),
        ({"tradeoff": lambda x: np.where(x < 0.5, 0.4, 0) * (x < 1)}, "`tradeoff` must not rise and must be convex"),
    ],
)
def test_wrong_claims_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        dp_average_bound(**{"q": [0.2, 0.4], "adjacency": "substitution", **given})


def test_a_trade_off_function_of_single_numbers_is_refused():
    with pytest.raises(TypeError, match="`tradeoff` must return one number for each of an array"):
        dp_average_bound(0.2, tradeoff=lambda x: 0.5, adjacency="substitution")
