"""How many people were copied beyond chance: by hand, over all splits of a few people, and what strangers found."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capstats.counting.beyond_chance import LEVEL, Beyond, at_least, beyond_chance

RNG = np.random.default_rng


def found(*tables: Any) -> Beyond:
    """What original, release and holdout tell, as lists of values."""
    values, place = np.unique(np.concatenate(tables), return_inverse=True)
    owner = np.repeat(np.arange(len(tables)), [len(x) for x in tables])
    return beyond_chance(*np.bincount(owner * len(values) + place, minlength=len(tables) * len(values)).reshape(len(tables), -1))


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_with_a_holdout_by_hand() -> None:
    """Of 3 + 2 people the release has the 3: 1 / C(5, 3); Holm doubles it. Nobody of the holdout: 3 - 0 people beyond chance."""
    told = found([1, 2, 3], [1, 2, 3, 9], [4, 5])
    assert told.p_value == pytest.approx(2 / comb(5, 3))
    assert (told.people, told.shared, told.upper, told.estimate) == (3, 0, 3, 3)


def test_people_who_share_a_record_are_in_the_second_test_alone() -> None:
    """Singles: 1 of 2 and 1 of 1 match, always. Everybody: 5 of 6 and 1 of 3: at least 5 of 6 drawn are of 6 among 9."""
    told = found([1, 2, 5, 5, 5, 5], [1, 3, 5], [3, 4, 4])
    assert told.p_value == pytest.approx(2 * (comb(6, 5) * 3 + comb(6, 6)) / comb(9, 6))
    assert (told.people, told.shared, told.estimate) == (5, 4, 1 - 2 + 4)


def test_pairs_by_hand() -> None:
    """Three values occur twice, each once in either table: 1 / 8 with independent labels, in a split C(14, 7) 2^6 / C(20, 10) of it."""
    original, release = [1, 2, 3, *range(10, 17)], [1, 2, 3, *range(20, 27)]
    assert found(original, release).p_value == pytest.approx(comb(14, 7) * 2**6 / comb(20, 10) / 8 / 0.8)


def test_repeated_records_by_hand() -> None:
    """Nine released records of one person: 10 labels with one of the original, 10 / 2^10, at most C(10, 5) 2^10 / C(20, 10) times that."""
    told = found([1, *range(10, 19)], [1] * 9 + [9])
    assert told.p_value == pytest.approx(comb(10, 5) * 2**10 / comb(20, 10) * 10 / 2**10 / 0.2)
    assert (told.people, told.upper) == (1, 1)


@given(st.integers(0, 12), st.integers(0, 12), st.data())
def test_the_hypergeometric_tail_is_that_of_fractions(good: int, bad: int, data: Any) -> None:
    drawn, x = data.draw(st.integers(0, good + bad)), data.draw(st.integers(-1, 13))
    exact = sum(Fraction(comb(good, k) * comb(bad, drawn - k), comb(good + bad, drawn)) for k in range(max(x, 0), drawn + 1))
    assert at_least(x, good, bad, drawn) == pytest.approx(float(exact), abs=1e-12)


def test_the_tail_is_right_for_ten_million_people() -> None:
    """Symmetric: one half and half of the middle term; and it is a probability far from the middle."""
    n = 5_000_000
    middle = at_least(n // 2, n, n, n) - at_least(n // 2 + 1, n, n, n)
    assert at_least(n // 2, n, n, n) == pytest.approx(0.5 + middle / 2, abs=1e-6)
    assert 0 < at_least(n // 2 + 10_000, n, n, n) < 1e-10


# --- all splits -------------------------------------------------------------------------------------------------------

PEOPLE = [0, 1, 2, 3, 4, 4, 5, 5, 5, 6]


def splits(people: list[int], n: int) -> Any:
    """All ways to label n of the people as the original."""
    for chosen in combinations(range(len(people)), n):
        rest = [i for i in range(len(people)) if i not in chosen]
        yield [people[i] for i in chosen], [people[i] for i in rest]


@pytest.mark.parametrize("release", [[0, 1, 2, 3], [0, 4, 4, 5], [1, 5, 6, 9, 9], [0, 1, 2, 3, 4, 5, 6]])
@pytest.mark.parametrize("n", [3, pytest.param(5, marks=pytest.mark.slow), pytest.param(7, marks=pytest.mark.slow)])
def test_a_release_that_does_not_depend_on_the_split_has_valid_p_values_over_all_splits(n: int, release: list[int]) -> None:
    p = np.sort([found(o, release, h).p_value for o, h in splits(PEOPLE, n)])
    assert all(np.count_nonzero(p <= x + 1e-12) <= (x + 1e-9) * len(p) for x in p)


@pytest.mark.parametrize("records", [PEOPLE, [0, 0, 1, 1, 2, 2, 3, 3, 4, 5], [0] * 5 + [1, 1, 2, 3, 4], [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]])
@pytest.mark.parametrize("n", [3, pytest.param(5, marks=pytest.mark.slow), pytest.param(7, marks=pytest.mark.slow)])
def test_a_fresh_sample_has_valid_p_values_over_all_splits(n: int, records: list[int]) -> None:
    p = np.sort([found(o, s).p_value for o, s in splits(records, n)])
    assert all(np.count_nonzero(p <= x + 1e-12) <= (x + 1e-9) * len(p) for x in p)


@pytest.mark.parametrize("copied", [0, 1, 3])
@pytest.mark.parametrize("n", [4, 6, 8])
def test_the_interval_has_the_number_of_copied_people_in_95_of_100_of_all_splits(n: int, copied: int) -> None:
    """The first people of the original are copied into a release that has some people anyway."""
    people, anyway = [*range(9), 9, 9, 10], [0, 3, 6, 9]
    covered = []
    for o, h in splits(people, n):
        beyond = sum(x in o[:copied] and x not in anyway for x in o)
        told = found(o, [*anyway, *o[:copied]], h)
        covered.append(told.lower <= beyond <= told.upper)
    assert np.mean(covered) >= 0.95


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8), st.randoms())
def test_neither_the_order_of_values_nor_how_alike_ones_are_given_matters(table: list[tuple[int, int, int]], random: Any) -> None:
    """A number of times says the same as so many columns."""
    o, s, h = np.array([*table, (2, 1, 1)]).T
    order = np.array(random.sample(range(len(o)), len(o)))
    distinct, times = np.unique([o, s, h], axis=1, return_counts=True)
    for holdout, alike in ((h, distinct), (None, distinct[:2])):
        expected = beyond_chance(o, s, holdout)
        again = beyond_chance(o[order], s[order], None if holdout is None else holdout[order])
        rows = [*alike[:2], None if holdout is None else alike[2]]
        np.testing.assert_allclose(np.float64(again), np.float64(expected), rtol=1e-9)
        np.testing.assert_allclose(np.float64(beyond_chance(*rows, times)), np.float64(expected), rtol=1e-9)


# --- what strangers found ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("h", [None, 500])
def test_nine_real_people_fifty_times_each_are_copies(h: int | None) -> None:
    rng = RNG(1)
    original, release = rng.integers(0, 10**9, 500), rng.integers(0, 10**9, 500)
    release[:450] = np.repeat(original[:9], 50)
    told = found(original, release, *([] if h is None else [rng.integers(0, 10**9, h)]))
    assert told.found
    assert (told.people, told.upper) == (9, 9)
    assert told.lower >= 1


@pytest.mark.parametrize(("copied", "m"), [(14, 500), (85, 5_000), (500, 500_000)])
def test_people_copied_once_are_found_without_a_holdout(copied: int, m: int) -> None:
    rng = RNG(2)
    original, release = rng.integers(0, 10**12, 500), rng.integers(0, 10**12, m)
    release[:copied] = original[:copied]
    told = found(original, release)
    assert told.found
    assert told.people == told.upper == copied
    assert told.lower >= copied - 6


def classes(n: int, rng: np.random.Generator, share: float) -> np.ndarray:
    """Records of two classes: so large a share has one of 10,000 values, the others have one of 50."""
    return np.where(rng.random(n) < share, rng.integers(100, 10_100, n), rng.integers(0, 50, n))


def test_a_release_with_balanced_classes_is_no_copy() -> None:
    """Half of the release is of the class of a twentieth: of 250 people alone in the original some 50 match, and of the holdout."""
    rng = RNG(3)
    for _ in range(5):
        original, holdout, release = classes(5_000, rng, 0.05), classes(5_000, rng, 0.05), classes(5_000, rng, 0.5)
        told = found(original, release, holdout)
        assert not told.found
        assert told.exists


def test_300_copies_are_found_with_a_small_holdout_where_matches_grow_less_than_linearly() -> None:
    """A tenth of the people has one of 100 values, which five of 5,281 share, and one of 1,000 in a holdout."""
    rng = RNG(4)

    def people(n: int) -> np.ndarray:
        return np.where(rng.random(n) < 0.1, rng.integers(0, 100, n), rng.integers(100, 100_000, n))

    original, release = people(5_281), people(5_281)
    copied = rng.choice(5_281, 300, replace=False)
    beyond = np.isin(original, original[copied]).sum() - np.isin(original, np.intersect1d(original[copied], release[300:])).sum()
    release[:300] = original[copied]
    for _ in range(5):
        told = found(original, release, people(1_000))
        assert told.found
        assert told.lower <= beyond <= told.upper


def test_a_holdout_shows_so_few_copied_people_at_best() -> None:
    """The fewest k with (n / (n + h))^k below half of the level, nearly."""
    fewest = [
        beyond_chance(np.array([1, 0]), np.array([0, 0]), np.array([0, 1]), np.array([1_000, h])).fewest for h in (2_000, 1_000, 500, 200)
    ]
    assert fewest == [6, 9, 15, 33]
    assert all((1_000 / (1_000 + h)) ** k <= LEVEL / 2 for h, k in zip((2_000, 1_000, 500, 200), fewest, strict=True))


def test_one_person_may_be_enough() -> None:
    """One person of the original and a thousand of the holdout: the one who is matched is of the original with probability 1/1001."""
    told = beyond_chance(np.array([1, 0]), np.array([1, 0]), np.array([0, 1]), np.array([1, 1000]))
    assert (told.fewest, told.exists, told.found) == (1, True, True)
    assert told.p_value == pytest.approx(2 / 1001)


def test_where_no_test_could_show_anything_none_exists() -> None:
    """Everybody of the original and of the holdout matches; nobody's record is alone; and two people are too few."""
    assert not found(list(range(50)), list(range(90)), list(range(50, 90))).exists
    assert not found([1, 1, 2, 2], [1, 2]).exists
    assert not found([1, 2], [1, 2], [3, 4]).exists
    assert found(list(range(50)), [1, 60], list(range(50, 90))).exists
    assert found([1, 2, 2], [1, 2]).exists


def test_the_benchmark_keeps_its_bounds_in_a_small_run() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend("benchmarks")
        import copies
    assert copies.power(20)
    alarms, covered = zip(*(copies.honest(kind, (500, 250, 500), True, 0.02, 20, i) for i, kind in enumerate(copies.HONEST)), strict=True)
    assert sum(covered) >= 0.94 * 20 * len(covered)
    assert len(alarms) == len(copies.HONEST)
