"""Only rounded numbers can be published, and what they are rounded to follows from the threshold and the number of records."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capstats import audit
from capstats.auditing.publication import publication

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    return {"k": rng.integers(0, 6, n).tolist(), "u": rng.integers(0, 3, n).tolist(), "t": rng.integers(0, 3, n).tolist()}


def audited(n, released=None, holdout=None, **options):
    return audit(people(n), people(n, 1) if released is None else released, keys=["k", "u"], target="t", holdout=holdout, **options)


@pytest.mark.parametrize(
    ("n", "threshold", "people_told", "steps"),
    [
        (944, 10, 940, 40),  # 2 * 10 * 40 = 800 and 2 * 10 * 50 = 1000
        (996, 10, 1000, 40),  # rounded up, so that 996 counts: 1000 are too many
        (1000, 10, 1000, 50),
        (20_000, 10, 20_000, 1000),
        (100, 3, 100, 10),  # 2 * 3 * 20 = 120
        (40, 10, 40, 2),
        (75, 20, 80, None),  # 75 < 2 * 20 * 2
        (39, 10, 40, None),
    ],
)
def test_two_thresholds_of_records_are_at_most_a_step(n, threshold, people_told, steps):
    found = audited(n)
    if steps is None:
        with pytest.raises(ValueError, match=f"threshold={threshold} needs at least {4 * threshold} records"):
            publication(found, threshold)
    else:
        told = publication(found, threshold)
        assert (told.people, told.steps) == (people_told, steps)


@pytest.mark.parametrize(("threshold", "base"), [(2, 2), (3, 5), (10, 10), (11, 20), (30, 50), (51, 100)])
def test_numbers_of_people_are_multiples_of_a_round_number_that_is_not_below_the_threshold(threshold, base):
    assert publication(audited(1000), threshold).base == base


@pytest.mark.parametrize("threshold", [1, 0, -3, 2.5, "10", True, None])
def test_a_threshold_is_a_whole_number_of_at_least_2(threshold):
    with pytest.raises(ValueError, match="`threshold` must be a whole number of records, 2 or more"):
        publication(audited(100), threshold)


def test_a_small_holdout_makes_the_step_larger():
    assert publication(audited(1000), 10).steps == 50
    assert publication(audited(1000, holdout=people(100, 5)), 10).steps == 5
    with pytest.raises(ValueError, match="Leave out the holdout"):
        publication(audited(1000, holdout=people(30, 5)), 10)


def test_fractional_counts_without_records_are_refused():
    with pytest.raises(ValueError, match="whole counts"):
        publication(audit({**people(100), "n": [0.5] * 100}, people(100), keys="k", target="t", counts=("n", None)), 2)


def test_weights_that_are_equal_change_no_step_and_a_heavy_record_makes_it_larger():
    """The step must hold 2 * 10 times the largest weight: 1000 records with one of weight 11 have one of 11 / 1010."""

    def steps(weights):
        records = {**people(1000), "w": weights}
        return publication(audit(records, people(1000, 1), keys="k", target="t", weights=("w", None)), 10).steps

    assert steps([2.0] * 1000) == steps([1.0] * 1000) == 50
    assert steps([11.0, *[1.0] * 999]) == 4  # 1 / (20 * 11 / 1010) = 4.6
    with pytest.raises(ValueError, match=r"a large part of the weight\. Audit without weights, or take a lower threshold"):
        steps([100.0, *[1.0] * 999])


@settings(max_examples=40)
@given(st.integers(40, 300), st.integers(2, 12), st.integers(1, 6), st.booleans(), st.integers(0, 99))
def test_every_number_is_a_multiple_of_its_step_and_near_the_exact_one(n, threshold, releases, against, seed):
    released = {f"label-{i}": people(30 + 40 * i, seed + i) for i in range(releases)}
    found = audited(n, released, people(n, 50), against="label-0" if against else None)
    try:
        told = publication(found, threshold)
    except ValueError:
        assert n < 4 * threshold + threshold  # 2 * threshold * 2 of the rounded number
        return
    numbers = [*np.concatenate([*map(np.ravel, told.shares.values()), *map(np.ravel, told.columns.values()), told.below.ravel()])]
    np.testing.assert_allclose(np.multiply(numbers, told.steps), np.round(np.multiply(numbers, told.steps)), atol=1e-9)
    assert 2 * threshold * told.steps <= min(n, told.people, told.holdout)
    assert told.people % told.base == told.holdout % told.base == 0
    assert abs(told.people - n) <= told.base / 2
    for name, values in told.shares.items():
        exact = (
            np.minimum(found.measures[name].values, 1 - 1 / told.steps)
            if name in ("baseline", "original_cap")
            else found.measures[name].values
        )
        assert np.max(np.abs(values - exact)) <= 0.5 / told.steps + 1e-9
    assert told.against == (0 if against else None)


def test_people_who_are_few_cannot_be_told_from_none():
    """Of 1000 people 9 are guessed right with certainty, or none: the numbers are the same, but for the shares near a border."""
    base = {"k": [0] * 991 + [1] * 9, "t": [0, 1] * 495 + [0] + [2] * 9}
    some = publication(audit(base, {"k": [0, 0, 1], "t": [0, 1, 2]}, keys="k", target="t"), 10)
    none = publication(audit(base, {"k": [0, 0, 1], "t": [0, 1, 0]}, keys="k", target="t"), 10)
    assert some.shares["share_certain"] == none.shares["share_certain"] == [0]
    assert some.shares == none.shares


def test_a_person_whose_target_is_unlike_that_of_all_others_with_their_key_moves_no_share_by_more_than_a_step():
    """DiO falls from 1 to 0.5: all 500 people of the key are certain in the original, and then none is. It is not told."""
    base = {"k": [0] * 500 + [1] * 500, "t": ["a"] * 500 + ["b"] * 500}
    other = {**base, "t": ["c", *base["t"][1:]]}
    released = {"k": [0, 0, 1], "t": ["a", "c", "b"]}
    found = [audit(table, released, keys="k", target="t") for table in (base, other)]
    assert [float(x.measures.original_certain) for x in found] == [1, 0.5]
    one, two = (publication(x, 10) for x in found)
    assert "original_certain" not in one.shares
    for name, values in one.shares.items():
        assert np.abs(np.subtract(values, two.shares[name])).max() <= 1.01 / one.steps
    assert np.abs(one.below - two.below).max() <= 1.01 / one.steps


def test_right_and_wrong_guesses_are_not_told_beside_the_matched_people():
    """Of 55 people 7 match a key that has one target: 0.25 with step 0.25. If both others were 0.00, at most 6, each would be 1 or more."""
    people = {"k": [0] * 7 + [1] * 48, "t": ["a"] + ["b"] * 6 + ["a"] * 6 + ["b"] * 42}
    told = publication(audit(people, {"k": [0, 0], "t": ["a", "a"]}, keys="k", target="t"), 6)
    assert (told.shares["matched_share"], told.shares["share_certain"]) == ([0.25], [0])
    assert "share_certain_wrong" not in told.shares
