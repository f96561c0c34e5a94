"""Refuting epsilon by the pairs of one release: the capital in fractions, and how often true and false claims are refuted."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import xarray as xr
from private_splits import at_most_level, greatest, halves_with_many_keys, originals
from scipy.special import logsumexp
from scipy.stats import binom

from capstats import individual_share
from capstats.laws import dp_audit, dp_audit_release
from capstats.laws.guarantees.one_release import log_capital

STEPS = {"substitution": 1, "add-remove": 2}
UNIT = 12  # differences are multiples of 1 / UNIT


def pairs_as_tables(difference, right):
    """Tables of one original and one held out record for each pair, with chosen differences, in units, and labels."""
    difference, right = np.broadcast_arrays(difference, right)
    s = np.zeros((*right.shape, 2, 2), int)
    s[..., 0, 0], s[..., 1, 0], s[..., 1, 1] = difference, UNIT - difference, UNIT
    o, h = np.zeros_like(s), np.zeros_like(s)
    o[..., 0, 0], o[..., 0, 1], h[..., 0, 0], h[..., 0, 1] = right, ~right, ~right, right
    dims = (*["study", "other"][: right.ndim - 1], "pair", "target", "key")
    return [xr.DataArray(x, dims=dims) for x in (o, s, h)]


def audit(difference, right, epsilon, adjacency="substitution", **options):
    o, s, h = pairs_as_tables(difference, right)
    return dp_audit_release(o, s, epsilon, h=h, adjacency=adjacency, over="pair", **options)


def capital(right, wrong, x):
    """The integral of (1 + b x)^right (1 - b)^wrong over b from 0 to 1, in fractions, term by term."""
    return sum(Fraction(math.comb(right, k)) * x**k / ((k + wrong + 1) * math.comb(k + wrong, k)) for k in range(right + 1))


def best(difference, right, x):
    """The largest capital after a block of equal differences, from 1, and the pairs that were open and right then."""
    found, opened, rights = (Fraction(1), 0, 0), 0, 0
    for d in sorted(set(difference) - {0}, reverse=True):
        block = [r for e, r in zip(difference, right, strict=True) if e == d]
        opened, rights = opened + len(block), rights + sum(block)
        found = max(found, (capital(rights, opened - rights, x), opened, rights), key=lambda three: three[0])
    return found


def check_against_fractions(seed):
    rng = np.random.default_rng(seed)
    pairs, k = int(rng.integers(1, 30)), int(rng.integers(1, 6))
    difference = rng.integers(0, rng.integers(1, UNIT) + 1, pairs)
    right = rng.random(pairs) < rng.random()
    adjacency = str(rng.choice(list(STEPS)))
    epsilon = math.log(k) / STEPS[adjacency]  # so that e^-epsilon of a pair is 1 / k
    found = audit(difference, right, epsilon, adjacency)
    exact, leading, leading_right = best(difference.tolist(), right.tolist(), Fraction(1, k))
    assert found.p_value.item() == pytest.approx(float(1 / exact), rel=1e-10)
    assert (found.leading.item(), found.leading_right.item()) == (leading, leading_right)
    assert (found.pairs.item(), found.right.item()) == ((difference > 0).sum(), (right & (difference > 0)).sum())
    assert found.refuted.item() == (exact >= 20)
    limit = found.epsilon_lower.item() * STEPS[adjacency]
    assert (limit > 0) == (best(difference.tolist(), right.tolist(), Fraction(1))[0] > 20)
    if limit:
        at_limit = best(difference.tolist(), right.tolist(), Fraction(math.exp(-limit)))[0]
        assert float(at_limit) == pytest.approx(20, rel=1e-9)


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 120), marks=pytest.mark.slow)], ids=len)
def test_capital_and_limit_are_those_in_fractions(seeds):
    """In 120 random cases a fault that shows in one of 25 is missed less than once in a hundred times."""
    for seed in seeds:
        check_against_fractions(seed)


@pytest.mark.parametrize("adjacency", STEPS)
def test_pairs_that_are_all_right_give_powers(adjacency):
    """Twenty of twenty: the bet of b has become (1 + b x)^20, and the mean over b is ((1 + x)^21 - 1) / (21 x)."""
    o, h = np.hstack([np.eye(20, dtype=int), np.zeros((20, 20), int)]), np.hstack([np.zeros((20, 20), int), np.eye(20, dtype=int)])
    found = dp_audit_release(o, o, [0.5, 2.0], h=h, adjacency=adjacency, rng=0)
    x = np.exp(-STEPS[adjacency] * np.array([0.5, 2.0]))
    assert found.allowed.values == pytest.approx(1 / (1 + x), rel=1e-14)
    assert found.p_value.values == pytest.approx(np.minimum(21 * x / ((1 + x) ** 21 - 1), 1), rel=1e-12)
    x = np.exp(-STEPS[adjacency] * found.epsilon_lower.item())
    assert ((1 + x) ** 21 - 1) / (21 * x) == pytest.approx(20, rel=1e-12)
    assert (found.right.item(), found.pairs.item()) == (20, 20)
    assert found.leading.values.tolist() == found.leading_right.values.tolist() == [20, 20]


def test_infinite_claims_and_certain_losses_have_a_capital():
    """At epsilon infinity nothing is won: the bets that were lost leave 1 / (wrong + 1)."""
    for wrong in (0, 3, 40):
        assert log_capital(5, wrong, 0.0) == pytest.approx(math.log(capital(5, wrong, Fraction(1))), rel=1e-12)
        assert np.exp(log_capital(5, wrong, 30.0)) <= 1 / (wrong + 1) + 1e-9
    assert audit([6] * 40, np.ones(40, bool), np.inf).p_value.item() == pytest.approx(1, rel=1e-12)
    assert not audit([6] * 40, np.ones(40, bool), [1.0, np.inf]).refuted.values[1]


def test_many_pairs_that_are_all_right_have_a_limit():
    """(1 + x)^100001 = 1 + 20 * 100001 x, to be solved for x = e^-epsilon, is at 100,000 x = 4.5."""
    pairs = 10**5
    found = dp_audit_release([[pairs, 0]], [[1, 0]], 1.0, h=[[0, pairs]], adjacency="substitution", rng=1)
    x = math.exp(-found.epsilon_lower.item())
    assert math.expm1((pairs + 1) * math.log1p(x)) == pytest.approx(20 * (pairs + 1) * x, rel=1e-8)
    assert x * pairs == pytest.approx(4.5, abs=0.05)


@pytest.mark.parametrize("x", [Fraction(1), Fraction(1, 2)])
@pytest.mark.parametrize("difference", [[1, 2, 3, 4, 5, 6], [4] * 6, [1, 1, 6, 9, 9, 9]], ids=["distinct", "tied", "blocks"])
def test_the_chance_of_refuting_a_true_claim_is_exactly_at_most_the_level(difference, x):
    """Over all labels of these pairs, each right with probability 1 / (1 + x)."""
    labels = np.array(list(product([False, True], repeat=len(difference))))
    p = audit(np.array(difference)[None], labels, -math.log(x)).p_value.values
    of_labels = [Fraction(1) / (1 + x) ** len(difference) * x ** int((~label).sum()) for label in labels]
    for level in (0.05, 0.2, 0.5):
        chance = sum(w for w, one in zip(of_labels, p, strict=True) if one <= level * (1 + 1e-12))
        assert chance <= level
    assert chance > 0


SIGNED = np.array(list(product(range(-2, 3), repeat=2)))  # of two pairs, by how much the first person of each has the larger CAP
LABELS = list(product([1, -1], repeat=2))  # of each pair, whether the first person is in


def of_labels(adjacency, values):
    """Numbers (labels, releases) by original, people 0 to 3 in pairs (0, 1) and (2, 3); 0 where no pair of labels has the original."""
    inside = [frozenset([(1 - first) // 2, 2 + (1 - second) // 2]) for first, second in LABELS]
    every = originals(4, 2 if adjacency == "substitution" else None)
    return {x: values[inside.index(x)] if x in inside else np.zeros(len(SIGNED)) for x in every}


@pytest.mark.parametrize("adjacency", STEPS)
@pytest.mark.parametrize("label", [1, -1])
@pytest.mark.parametrize("event", ["differs", "tied", "leads"])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.0])
def test_no_private_release_for_four_people_has_right_pairs_more_often_than_allowed(epsilon, event, label, adjacency):
    """The first pair, given that it differs, ties with the other one or differs more, and given the label of the other one."""
    first, second = np.abs(SIGNED.T)
    happens = (first > 0) & {"differs": True, "tied": first == second, "leads": first > second}[event]
    given = np.array([happens & (other == label) for _, other in LABELS])
    right = given & np.array([SIGNED[:, 0] * own > 0 for own, _ in LABELS])
    found = greatest(of_labels(adjacency, right), epsilon, adjacency, of_labels(adjacency, given))
    allowed = audit([1], [True], epsilon, adjacency).allowed.item()
    assert found == pytest.approx(allowed, abs=1e-9)


@pytest.mark.parametrize("adjacency", STEPS)
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.3, 0.7, 1.0, 2.0])
def test_no_private_release_for_four_people_is_refuted_more_often_than_allowed(epsilon, adjacency):
    """At each level that two pairs can reach."""
    right = np.array([SIGNED * label > 0 for label in LABELS])
    p = audit(np.broadcast_to(np.abs(SIGNED), right.shape), right, epsilon, adjacency).p_value.values
    for level in np.unique(p[p < 1 - 1e-9]):
        found = greatest(of_labels(adjacency, (p <= level + 1e-12) / 4), epsilon, adjacency)
        assert 0.2 < found <= level + 1e-9


def test_reading_tied_pairs_by_the_cell_of_the_original_refutes_everything():
    """A release made without the data, epsilon 0, names 200 of 400 people: pairs with one of them have equal differences, and fair labels.

    Opened right ones first, as the cell of the original record tells, the capital grows at once, whatever the claim.
    """
    rng, runs, n = np.random.default_rng(25), 200, 200
    o, s = np.zeros((runs, 2, 2 * n), int), np.zeros((2, 2 * n), int)
    for run in range(runs):
        o[run, 0, rng.permutation(2 * n)[:n]] = 1
    h = np.stack([1 - o[:, 0], o[:, 1]], axis=1)
    s[0, :n], s[1, n:] = 1, 1
    found = dp_audit_release(o, s, 0.0, h=h, adjacency="substitution", rng=1)
    wrongly = [log_capital(np.arange(right + 1), 0, 0.5).max() >= np.log(20) for right in found.right.values]
    assert np.mean(wrongly) == 1
    assert found.refuted.mean() <= 0.05
    assert (np.abs(found.right / found.pairs - 0.5) < 0.25).all()
    assert ((found.leading == 0) | (found.leading == found.pairs)).all()  # all or none of a block


def test_differences_that_rounding_sets_apart_are_one_block():
    """1 - 2/3 and 1/3 - 0 differ in the last bit: a right pair of the one and a wrong pair of the other are read together."""
    o = np.zeros((2, 2, 4), int)
    h = np.zeros_like(o)
    o[0, 0, 0] = h[0, 0, 1] = 1  # 1 against 2/3, right
    h[1, 0, 2] = o[1, 0, 3] = 1  # 1/3 against 0, wrong
    s = np.array([[3, 2, 1, 0], [0, 1, 2, 3]])
    o, h = (xr.DataArray(x, dims=("pair", "target", "key")) for x in (o, h))
    s = xr.DataArray(s, dims=("target", "key")).expand_dims(pair=2)
    assert 1 - 2 / 3 > 1 / 3
    found = dp_audit_release(o, s, 0.0, h=h, adjacency="substitution", over="pair")
    assert (found.pairs.item(), found.right.item(), found.leading.item(), found.p_value.item()) == (2, 1, 0, 1)


@pytest.mark.parametrize("score", ["all differ", "three sizes", "equal"])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 2.0])
def test_the_most_telling_private_release_is_refuted_at_most_as_often_as_allowed(epsilon, score):
    """T, n of 2 n people, is named with a probability proportional to e^(epsilon |O and T|); its people have CAP above 0."""
    rng, n, runs = np.random.default_rng(26), 60, 800
    both = np.arange(n + 1)
    logs = np.array([epsilon * k + 2 * np.log(math.comb(n, k)) for k in both])
    sizes = {"all differ": both[1:], "three sizes": np.repeat([20, 40, 60], 20), "equal": np.full(n, n)}[score]
    o, s, h = (np.zeros((runs, 2, 2 * n), int) for _ in range(3))
    for run, k in enumerate(rng.choice(both, runs, p=np.exp(logs - logsumexp(logs)))):
        named, others = np.split(rng.permutation(2 * n), 2)
        o[run, 0, [*named[:k], *others[: n - k]]] = 1
        s[run, 0, rng.permutation(named)] = sizes
    s[:, 1], h[:, 0] = n - s[:, 0], 1 - o[:, 0]
    o, s, h = (xr.DataArray(x, dims=("run", "target", "key")) for x in (o, s, h))
    found = dp_audit_release(o, s, epsilon, h=h, adjacency="substitution", rng=1)
    assert at_most_level(found.refuted.values)
    assert at_most_level((found.epsilon_lower > epsilon).values)
    shares = (found.right / found.pairs).values
    if score == "equal":  # every open pair is a coin of exactly e^epsilon : 1
        assert shares.mean() == pytest.approx(found.allowed.item(), abs=0.02)


def test_repetitions_have_pairs_of_their_own():
    """A release made without the data, whose CAPs rise in the order of the keys: epsilon 0, in 100 studies of 50 splits of 40 people.

    The same random numbers in each split would pair the same places of the sorted records, and refute all of these studies.
    """
    rng, people = np.random.default_rng(29), 40
    o, s = np.zeros((100, 50, 2, people), int), np.zeros((2, people), int)
    o[:, :, 0] = rng.permuted(np.broadcast_to(np.arange(people) % 2, (100, 50, people)), axis=-1)
    s[0], s[1] = np.arange(1, people + 1), np.arange(people, 0, -1)
    h = np.stack([1 - o[:, :, 0], o[:, :, 1]], axis=2)
    o, h = (xr.DataArray(x, dims=("study", "split", "target", "key")) for x in (o, h))
    s = xr.DataArray(s, dims=("target", "key")).expand_dims(split=50)
    found = dp_audit_release(o, s, 0.0, h=h, adjacency="substitution", over="split", rng=1)
    assert at_most_level(found.refuted.values)


def test_pairs_of_equal_scores_do_not_count_and_drop_leaves_out_unmatched_keys():
    """Keys: both of CAP 1; original 1 against 0 of the wrong target; original 1 against an unmatched record."""
    s = [[1, 1, 0], [0, 0, 0]]
    same = dp_audit_release([[1, 0, 0], [0, 0, 0]], s, 1.0, h=[[0, 1, 0], [0, 0, 0]], adjacency="substitution")
    assert (same.pairs.item(), same.p_value.item(), same.epsilon_lower.item(), same.leading.item()) == (0, 1, 0, 0)
    other = {"o": [[1, 0, 0], [0, 0, 0]], "h": [[0, 0, 1], [0, 0, 0]]}
    counted = [
        dp_audit_release(other["o"], s, 1.0, h=other["h"], adjacency="substitution", unmatched=x).right.item() for x in ("zero", "drop")
    ]
    assert counted == [1, 0]
    wrong = dp_audit_release([[0, 0, 0], [1, 0, 0]], s, 1.0, h=other["h"], adjacency="substitution", unmatched="drop")
    assert wrong.pairs.item() == 0


def test_a_release_of_the_original_is_refuted_by_its_pairs_and_not_by_one_contrast():
    o, h = halves_with_many_keys()
    assert dp_audit_release(o[0], o[0], 0.5, h=h[0], adjacency="substitution", rng=0).refuted.item()
    contrast = individual_share(o[:1], o[:1], h=h[:1], unmatched="zero")
    assert not dp_audit({"original": contrast.average_cap, "holdout": contrast.holdout_cap}, 0.5, adjacency="substitution").refuted.item()


@pytest.mark.parametrize("seed", range(3))
def test_only_shares_of_the_release_count_and_not_its_size(seed):
    rng = np.random.default_rng(seed)
    o, h, s = rng.integers(0, 4, (3, 2, 30))
    whole, parts = (dp_audit_release(o, release, 0.5, h=h, adjacency="substitution", rng=1) for release in (s, s / 8))
    xr.testing.assert_identical(whole.to_dataset(), parts.to_dataset())


def test_each_release_of_a_batch_is_judged_alone_and_repetitions_together():
    right = np.random.default_rng(28).random((3, 2, 9)) < 0.9
    difference = np.arange(9) % 4
    o, s, h = pairs_as_tables(difference, right)
    found = dp_audit_release(o, s, [0.0, 0.3], h=h, adjacency="substitution", over="pair")
    assert (found.pairs.dims, found.p_value.dims) == (("study", "other"), ("study", "other", "epsilon"))
    for at in np.ndindex(3, 2):
        alone = audit(difference, right[at], [0.0, 0.3])
        assert found.p_value.values[at].tolist() == alone.p_value.values.tolist()
        assert found.epsilon_lower.values[at] == alone.epsilon_lower.item()


def test_options_are_checked():
    o = np.eye(2, dtype=int)
    with pytest.raises(ValueError, match=r"`adjacency` must be .* got 'bounded'"):
        dp_audit_release(o, o, 1.0, h=o, adjacency="bounded")
    with pytest.raises(ValueError, match="`epsilon` must be at least 0"):
        dp_audit_release(o, o, -1, h=o, adjacency="substitution")
    with pytest.raises(ValueError, match="`level` must be between 0 and 1"):
        dp_audit_release(o, o, 1.0, h=o, adjacency="substitution", level=95)
    with pytest.raises(ValueError, match=r"`over` must be a dim of `o`, `s` and `h`, one split and release each; got 'run'"):
        dp_audit_release(o, o, 1.0, h=o, adjacency="substitution", over="run")
    with pytest.raises(ValueError, match=r"`h` must hold integers, because records are paired"):
        dp_audit_release(o, o, 1.0, h=o / 2, adjacency="substitution")


@pytest.mark.parametrize("copied", [0, 100])
def test_a_hundred_copied_among_a_thousand_are_seen_and_none_are_not(copied):
    """200 of 1,000 originals have keys of their own; some are copied, all else is drawn anew. All pairs together refute nothing."""
    rng, runs = np.random.default_rng(27), 40
    o, s, h = (np.zeros((runs, 2, 404), int) for _ in range(3))
    for x, records in ((o, 800), (s, 1000 - copied), (h, 800)):
        x[..., :4] = rng.multinomial(records, np.full(8, 1 / 8), runs).reshape(runs, 2, 4)
    o[:, 0, 4:204] = h[:, 0, 204:] = 1
    s[:, 0, 4 : 4 + copied] = 1
    o, s, h = (xr.DataArray(x, dims=("run", "target", "key")) for x in (o, s, h))
    found = dp_audit_release(o, s, 0.5, h=h, adjacency="substitution", rng=1)
    assert (binom.sf(found.right - 1, found.pairs, found.allowed) > 0.05).all()
    assert found.refuted.sum() == (runs if copied else 0)
    if copied:
        assert (found.leading_right / found.leading > 0.7).all()
