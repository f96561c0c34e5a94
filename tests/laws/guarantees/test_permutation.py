"""Permutation of labels and of targets: against every permutation in fractions, and against the level of the test."""

import math
import tracemalloc
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
import xarray as xr
from every_release import average_cap as cap_of
from every_release import every_release, moments, rows
from hypothesis import given
from hypothesis import strategies as st
from strategies import counts, examples, table_pairs

import capstats
from capstats.laws import membership_test, permutation_test
from capstats.laws.guarantees import permutation
from capstats.laws.guarantees.permutation import by_moments, costs_of, seed_of, tail

BEYOND = {"greater": lambda x, y: x >= y, "less": lambda x, y: x <= y, "two-sided": lambda x, y: abs(x) >= abs(y)}


def scores(table, s, unmatched):
    """Individual CAP of every record, in fractions; those of unmatched keys left out by "drop"."""
    found = []
    for i, j in product(range(len(s)), range(len(s[0]))):
        total = sum(int(row[j]) for row in s)
        if total or unmatched == "zero":
            found += int(table[i][j]) * [Fraction(int(s[i][j]), total or 1)]
    return found


def by_labels(o, s, h, unmatched="zero"):
    """The contrast of every choice of the original among all records in the average, that of the tables first."""
    own, other = scores(o, s, unmatched), scores(h, s, unmatched)
    everybody, n = own + other, len(own)
    if not own or not other:
        return None
    chosen = combinations(range(len(everybody)), n)
    sums = [sum(everybody[i] for i in which) for which in chosen]
    return [Fraction(x) / n - (sum(everybody) - x) / Fraction(len(other)) for x in sums]


def three_tables():
    return table_pairs(targets=3, keys=3, most=2).flatmap(lambda pair: counts(pair[0].shape, most=1).map(lambda h: (pair[0], pair[1], h)))


@examples(25)
@given(three_tables().filter(lambda t: t[0].sum() + t[2].sum() <= 12))
def test_the_contrast_its_deviation_and_the_p_value_are_those_of_all_labels(tables):
    o, s, h = tables
    for unmatched, alternative in product(("zero", "drop"), BEYOND):
        found = membership_test(o, s, h=h, unmatched=unmatched, alternative=alternative)
        contrasts = by_labels(o, s, h, unmatched)
        if contrasts is None:
            assert np.isnan(found.p_value.item())
            assert not found.exact.item()
            continue
        p = Fraction(sum(BEYOND[alternative](x, contrasts[0]) for x in contrasts), len(contrasts))
        assert found.exact.item()
        assert found.p_value.item() == found.least.item() == found.greatest.item() == pytest.approx(float(p), rel=1e-12)
        assert found.contrast.item() == pytest.approx(float(contrasts[0]), rel=1e-12, abs=1e-15)
        assert sum(contrasts) == 0
        variance = sum(x * x for x in contrasts) / len(contrasts)
        assert found.standard_deviation.item() ** 2 == pytest.approx(float(variance), rel=1e-12, abs=1e-15)


def test_the_p_value_of_the_page_is_worked_out_by_hand():
    """Scores 1, 1, 0 in the original, 1/2, 0 in the holdout. Of 10 choices of three, {1, 1, 1/2} and two of {1, 1, 0} have a sum >= 2."""
    found = membership_test([[2, 1, 0], [0, 0, 0]], [[3, 0, 1], [0, 1, 1]], h=[[0, 0, 1], [1, 0, 0]])
    assert found.contrast.item() == pytest.approx(2 / 3 - 1 / 4, rel=1e-15)
    assert found.p_value.item() == pytest.approx(0.3, rel=1e-14)


def test_releases_that_say_nothing_are_never_found():
    o, s = np.array([[3, 1], [1, 3]]), np.array([[2, 1], [1, 2]])
    own, even = membership_test(o, s, h=o), membership_test(o, [[1, 1], [1, 1]], h=[[1, 1], [1, 1]])
    assert (own.contrast.item(), own.p_value.item() > 0.5) == (0, True)
    assert (even.contrast.item(), even.standard_deviation.item(), even.p_value.item()) == (0, 0, 1)
    unlinked = permutation_test([[5, 1], [1, 5]], [[2, 2], [2, 2]])
    assert unlinked.average_cap.item() == unlinked.expected.item() == 0.5
    assert unlinked.p_value.item() > 0.5


ORIGINAL, RELEASE = [[1, 2], [3, 4]], [[1, 1], [1, 1]]
HALVES, WEIGHTED = [[0.5, 1], [1, 1]], xr.DataArray(ORIGINAL, dims=("target", "key"), attrs={"weights": "w"})
BILLIONS = np.array([10**9, 2 * 10**9]), np.array([10**9, 10**9, 10**9]), np.array([[1, 2, 3], [0, 0, 0]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: membership_test(HALVES, RELEASE, h=ORIGINAL), "`o` must hold integers, because .* permuted; got fractional counts"),
        (lambda: membership_test(ORIGINAL, RELEASE, h=HALVES), "`h` must hold integers, because .* permuted; got fractional counts"),
        (lambda: permutation_test(ORIGINAL, HALVES), "`s` must hold integers, because .* permuted; got fractional counts"),
        (lambda: membership_test(WEIGHTED, RELEASE, h=ORIGINAL), "`o` holds sums of the sampling weights 'w', but records are permuted"),
        (lambda: membership_test(ORIGINAL, RELEASE, h=WEIGHTED), "`h` holds sums of the sampling weights 'w', but records are permuted"),
        (lambda: permutation_test(ORIGINAL, WEIGHTED), "`s` holds sums of the sampling weights 'w', but records are permuted"),
        (lambda: permutation_test(ORIGINAL, RELEASE, unmatched="nearest"), "`unmatched` must be"),
        (lambda: membership_test(ORIGINAL, RELEASE, h=ORIGINAL, level=1), "`level` must be between 0 and 1"),
        (lambda: permutation_test(ORIGINAL, RELEASE, alternative="larger"), "`alternative` must be .* got 'larger'"),
        *(
            (lambda x=x: membership_test(ORIGINAL, RELEASE, h=ORIGINAL, draws=x), "`draws` must be a number of random perm")
            for x in (-1, 1.5, True, "many")
        ),
        (lambda: tail(*BILLIONS, 5, **ASKED), r"must be fewer than 10\*\*9; there are 3000000000"),
        (lambda: permutation_test(ORIGINAL, RELEASE), "The tables have 2 targets and 2 matched keys; the test holds 3 cells"),
    ],
)
def test_what_cannot_be_tested_is_refused(call, message, monkeypatch):
    monkeypatch.setattr(permutation, "LARGEST", 3)
    with pytest.raises(ValueError, match=message):
        call()


def test_the_nearest_keys_are_used_for_both_samples():
    """The second key borrows from the first: scores 1, 1 against 0, 0, which one of six choices has."""
    tables = ([[1, 1], [0, 0]], [[3, 0], [0, 0]], [[0, 0], [1, 1]])
    o, s, h = (capstats.from_counts(x, key_labels={"x": ["a", "b"]}).o for x in tables)
    found = membership_test(o, s, h=h, unmatched="nearest")
    assert found.contrast.item() == capstats.individual_share(o, s, h=h).plain_contrast.item() == 1
    assert found.p_value.item() == pytest.approx(1 / 6, rel=1e-14)


def random_tables(seed=0, shape=(4, 50), n=4000):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(shape[0] * shape[1]) * 0.3)
    return [rng.multinomial(n, shares).reshape(shape) for _ in range(3)]


def test_a_release_of_the_original_itself_is_found():
    o, _, h = random_tables(shape=(4, 400), n=2000)
    found = membership_test(o, o, h=h, draws=999, rng=0)
    assert found.p_value.item() == 1 / 1000
    assert found.contrast.item() > 5 * found.standard_deviation.item()


def test_a_table_has_the_same_p_value_alone_and_in_a_batch():
    o, s, h = random_tables(n=500)
    batch = xr.DataArray(np.stack([s, o, h]), dims=("synthetic", "target", "key"))
    many, linked = membership_test(o, batch, h=h, rng=5, draws=200), permutation_test(o, batch, rng=5, draws=200)
    for i in range(3):
        assert many.isel(synthetic=i).equals(membership_test(o, batch[i], h=h, rng=5, draws=200))
        assert linked.isel(synthetic=i).p_value.item() == permutation_test(o, batch[i], rng=5, draws=200).p_value.item()
    assert many.p_value.dims == ("synthetic",)


@examples(40)
@given(table_pairs(targets=3, keys=3, most=2).filter(lambda pair: 0 < pair[1].sum() <= 6))
def test_the_link_is_tested_against_every_permutation_of_the_targets(tables):
    o, s = tables
    releases = every_release(o, model="permutation", s=s)
    observed = cap_of(o, rows(s))
    mean, variance = moments(releases, lambda table: cap_of(o, table))
    for alternative, beyond in BEYOND.items():
        found = permutation_test(o, s, alternative=alternative)
        p = sum(share for table, share in releases.items() if beyond(cap_of(o, table) - mean, observed - mean))
        assert found.exact.item()
        assert found.p_value.item() == pytest.approx(float(p), rel=1e-12)
    assert found.average_cap.item() == pytest.approx(float(observed), rel=1e-12, abs=1e-15)
    assert found.expected.item() == pytest.approx(float(mean), rel=1e-12, abs=1e-15)
    assert found.standard_deviation.item() ** 2 == pytest.approx(float(variance), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("alternative", BEYOND)
def test_a_permutation_test_rejects_no_more_often_than_its_level(alternative):
    o, s = [[2, 0, 1], [1, 3, 0], [0, 1, 1]], [[2, 1, 0], [1, 0, 1], [0, 1, 1]]
    by_p = defaultdict(Fraction)
    for table, share in every_release(o, model="permutation", s=s).items():
        by_p[round(permutation_test(o, table, alternative=alternative).p_value.item(), 12)] += share
    for a in by_p:
        reached = float(sum(share for p, share in by_p.items() if p <= a))
        assert reached <= a + 1e-11
        assert alternative == "two-sided" or reached == pytest.approx(a, rel=1e-10)


def test_the_permutation_test_of_the_page_is_worked_out_by_hand():
    """Four records, two of each target: 6 ways to give the first key two of them, one of which is {a, a}, and one the opposite."""
    o = s = [[2, 0], [0, 2]]
    assert permutation_test(o, s).p_value.item() == pytest.approx(1 / 6, rel=1e-14)
    assert permutation_test(o, s, alternative="less").p_value.item() == 1
    assert permutation_test(o, s, alternative="two-sided").p_value.item() == pytest.approx(2 / 6, rel=1e-14)


def test_both_versions_have_the_same_p_value():
    o, s = [[2, 0, 2], [0, 2, 1]], [[2, 1, 0], [0, 2, 0]]
    zero, drop = permutation_test(o, s), permutation_test(o, s, unmatched="drop")
    assert zero.p_value.item() == drop.p_value.item()
    for name in ("average_cap", "expected", "standard_deviation"):
        assert drop[name].item() == pytest.approx(zero[name].item() * 7 / 4, rel=1e-14)


def test_a_fractional_release_or_original_has_the_same_p_value_as_its_multiple():
    """Scores are then floats, and equal sums are equal by `at_most`."""
    o, s, h = np.array([[3, 1, 2], [1, 3, 0]]), np.array([[2, 1, 1], [1, 3, 1]]), np.array([[1, 1, 0], [1, 0, 1]])
    for test in (lambda o, s: membership_test(o, s, h=h), permutation_test):
        whole = test(o, s).p_value.item()
        assert 0.01 < whole < 0.99
        parts = (o, s * 0.3) if test is not permutation_test else (o * 0.3, s)
        assert test(*parts).p_value.item() == pytest.approx(whole, rel=1e-12)


def test_the_test_is_undefined_without_records():
    empty = np.zeros((2, 2), int)
    full = empty + 1
    for draws in (None, 0):
        assert np.isnan(permutation_test(full, empty, draws=draws).p_value.item())
        assert np.isnan(permutation_test(empty, full, draws=draws).p_value.item())
        assert np.isnan(membership_test(full, full, h=empty, draws=draws).p_value.item())
        assert np.isnan(membership_test(empty, full, h=full, draws=draws).contrast.item())
    assert membership_test(full, empty, h=full).p_value.item() == 1  # nobody is matched: every score is 0


@pytest.mark.parametrize("alternative", BEYOND)
def test_without_draws_the_p_value_is_a_bound_of_the_exact_one(alternative):
    for o, s, h in (
        ([[2, 1, 0], [0, 0, 0]], [[3, 0, 1], [0, 1, 1]], [[0, 0, 1], [1, 0, 0]]),
        ([[3, 0], [0, 3]], [[3, 0], [0, 3]], [[1, 1], [2, 1]]),
    ):
        for test in (lambda s=s, o=o, h=h, **x: membership_test(o, s, h=h, **x), lambda s=s, o=o, **x: permutation_test(o, s, **x)):
            exact, found = test(alternative=alternative), test(alternative=alternative, draws=0)
            assert exact.p_value.item() <= found.p_value.item() == found.greatest.item() <= 1
            assert found.least.item() == 0
            assert not found.exact.item()


def test_more_records_than_the_product_of_which_an_integer_holds():
    billions = np.array([[1, 2], [3, 1]]) * 10**9
    found = membership_test(billions, [[1, 0], [0, 1]], h=billions, draws=0)
    assert (float(found.contrast), float(found.p_value)) == (0.0, 1.0)


# --- Sums over tables with given margins: all of them against a list of permutations, random ones against all ---


ASKED = {"alternative": "greater", "draws": None, "seed": 1, "level": 0.95}


def by_permutation(rows, columns, costs, observed, alternative):
    """The share of all permutations of the records' columns whose sum is at least as extreme, in fractions."""
    row = [i for i, count in enumerate(rows) for _ in range(count)]
    column = [j for j, count in enumerate(columns) for _ in range(count)]
    sums = [sum((Fraction(costs[i][j]) for i, j in zip(row, dealt, strict=True)), Fraction(0)) for dealt in permutations(column)]
    mean = sum(sums) / len(sums)
    return Fraction(sum(BEYOND[alternative](x - mean, observed - mean) for x in sums), len(sums))


@st.composite
def problems(draw):
    """At most six records in at most three rows and columns, some of them empty, with costs in sixths, and a sum near one that occurs."""
    n = draw(st.integers(1, 6))
    rows, columns = (np.bincount(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), minlength=3) for _ in range(2))
    costs = draw(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=3, max_size=3))
    return rows, columns, np.array(costs), draw(st.integers(0, 6 * n))


@examples(40)
@given(problems(), st.sampled_from(list(BEYOND)))
def test_all_tables_give_the_share_of_permutations(problem, alternative):
    rows, columns, costs, observed = problem
    expected = by_permutation(rows, columns, costs.tolist(), observed, alternative)
    found = tail(rows, columns, costs, observed, **{**ASKED, "alternative": alternative})
    assert found.exact
    assert found.p_value == found.least == found.greatest == pytest.approx(float(expected), rel=1e-12, abs=1e-15)
    in_sixths = tail(rows, columns, costs / 6, observed / 6, **{**ASKED, "alternative": alternative})
    assert in_sixths.p_value == pytest.approx(float(expected), rel=1e-12, abs=1e-15)  # ties of floats are ties


def test_two_kinds_are_exact_however_many_records_there_are():
    found = tail(np.array([6_000, 4_000]), np.array([100, 9_900]), np.array([[1, 0], [0, 0]]), 70, **ASKED)
    ways = sum(math.comb(100, x) * math.comb(9_900, 6_000 - x) for x in range(70, 101))
    assert found.exact
    assert found.p_value == pytest.approx(float(Fraction(ways, math.comb(10_000, 6_000))), rel=1e-9)


def test_records_that_are_all_alike_take_no_memory():
    people = 10**6
    tracemalloc.start()
    found = membership_test([[people]], [[3]], h=[[people]])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.p_value.item(), bool(found.exact)) == (1, True)
    assert peak < 10 * people  # bytes: nothing is held for each of them


@pytest.mark.parametrize("rows", [[30, 50], [20, 25, 35]])
def test_random_tables_agree_with_all_tables(rows, monkeypatch):
    columns, costs = np.array([20, 29, 31]), np.array([[3, 1, 0], [0, 2, 1], [1, 0, 2]])[: len(rows)]
    observed = 95 if len(rows) == 3 else 80
    exact = tail(np.array(rows), columns, costs, observed, **ASKED)
    monkeypatch.setattr(permutation, "BLOCK", 1000)  # in blocks, the last one a part
    found = tail(np.array(rows), columns, costs, observed, **{**ASKED, "draws": 5_000, "level": 0.9999})
    assert exact.exact
    assert not found.exact
    assert 0.01 < exact.p_value < 0.99
    assert found.least <= exact.p_value <= found.greatest


@pytest.mark.parametrize(("work", "draws"), [(permutation.WORK, 9_999), (6 * 200, 200), (0, 99)])
def test_random_tables_are_as_many_as_their_cells_allow_from_99_to_9999(work, draws, monkeypatch):
    """A sum that no table reaches has the p-value 1 / (1 + draws)."""
    monkeypatch.setattr(permutation, "WAYS", 0)  # too few for all tables
    monkeypatch.setattr(permutation, "WORK", work)
    found = tail(np.array([6, 7]), np.array([4, 4, 5]), np.array([[2, 1, 0], [0, 0, 0]]), 100, **ASKED)
    assert not found.exact
    assert found.p_value == 1 / (1 + draws)


def test_the_interval_of_random_tables_holds_the_exact_value_as_often_as_it_says():
    """400 seeds at a level of .9: fewer than 335 hits have a probability below 1e-4."""
    rows, columns, costs = np.array([6, 7]), np.array([4, 4, 5]), np.array([[2, 1, 0], [0, 0, 0]])
    exact = tail(rows, columns, costs, 8, **ASKED)
    found = [tail(rows, columns, costs, 8, **{**ASKED, "draws": 60, "seed": seed, "level": 0.9}) for seed in range(400)]
    assert sum(one.least <= exact.p_value <= one.greatest for one in found) >= 335
    p = np.array([one.p_value for one in found])
    assert np.allclose(p * 61, np.round(p * 61))  # (1 + b) / (1 + draws)
    assert p.min() > 0


def test_a_value_two_deviations_above_its_mean_has_a_probability_of_at_most_a_fifth():
    two, one = xr.DataArray(2.0), xr.DataArray(1.0)
    assert by_moments(two, one, "greater").item() == 1 / 5
    assert by_moments(two, one, "less").item() == 1
    assert by_moments(two, one, "two-sided").item() == 1 / 4
    assert by_moments(0 * two, 0 * one, "greater").item() == 1
    assert np.isnan(by_moments(np.nan * two, one, "greater").item())


def test_costs_are_integers_over_a_common_denominator_where_that_is_small():
    found = costs_of(np.array([1, 2, 0]), np.array([2, 6, 7]), 10)
    assert found.dtype.kind == "i"
    assert found.tolist() == [3, 2, 0]  # sixths; a cost of 0 needs no denominator
    primes = np.array([9973, 9967, 9949, 9941])
    assert costs_of(np.ones(4, int), primes, 10).tolist() == (1 / primes).tolist()
    assert costs_of(np.array([0.5]), np.array([2]), 10).tolist() == [0.25]
    assert costs_of(np.array([10**9]), np.array([1]), 10**3).dtype.kind == "f"  # sums would be too large to tell ties


def test_a_seed_is_that_of_the_generator():
    assert seed_of(1) == seed_of(np.random.default_rng(1)) != seed_of(2)


@pytest.mark.parametrize("alternative", BEYOND)
@pytest.mark.parametrize("unmatched", ["zero", "drop"])
def test_a_membership_test_rejects_no_more_often_than_its_level(unmatched, alternative):
    """Every split of nine records into an original of five and a holdout of four, equally likely: P(p <= a) <= a for every a."""
    cells = [(0, 0), (0, 0), (1, 0), (0, 1), (1, 1), (1, 1), (0, 2), (1, 2), (1, 3)]
    s = np.array([[2, 1, 1, 0], [1, 0, 3, 0]])
    found = []
    for which in combinations(range(9), 5):
        o, h = np.zeros((2, 4), int), np.zeros((2, 4), int)
        for r, cell in enumerate(cells):
            (o if r in which else h)[cell] += 1
        found.append(membership_test(o, s, h=h, unmatched=unmatched, alternative=alternative).p_value.item())
    p = np.array(found)
    for a in np.unique(p):
        assert (p <= a + 1e-12).mean() <= a + 1e-12
    if unmatched == "zero" and alternative != "two-sided":
        assert all((p <= a + 1e-12).mean() == pytest.approx(a, rel=1e-12) for a in np.unique(p))  # as often as it says
