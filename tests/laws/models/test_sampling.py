"""Random tables of every model, by exact counts of all tables, exact moments and seeded z-tests."""

from collections import Counter
from fractions import Fraction
from math import comb, sqrt

import numpy as np
import pytest
import sparse
import xarray as xr
from every_release import every_release, made
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats import average_cap
from capstats.datasets import paper_originals
from capstats.laws import (
    Bootstrap,
    Given,
    Partial,
    Permuted,
    Pram,
    Swap,
    Uniform,
    cap_law,
    expected_cap,
    expected_disclosure,
    sample_tables,
    variance_cap,
)

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

Z = 5  # standard deviations that a frequency may be away; beyond it by chance once in two million times


def flat(tables):
    return tables.values.reshape(len(tables), -1)


@pytest.fixture(scope="module")
def many_tables():
    """100,000 tables of 3 x 3 cells and 900 records, as in the paper."""
    return sample_tables(paper_originals().sel(original="O_3"), Uniform(900), draws=100_000, rng=42)


def test_every_cell_of_3x3_tables_has_its_exact_distribution(many_tables):
    """A cell holds x records in comb(m - x + 7, 7) of the comb(m + 8, 8) tables: tail probabilities, by z-tests."""
    cells = flat(many_tables)
    assert cells.shape == (100_000, 9)
    for x in (1, 10, 50, 100, 200, 400):
        tail = comb(900 - x + 8, 8) / comb(900 + 8, 8)  # of at least x records
        assert (abs((cells >= x).sum(0) - 100_000 * tail) < Z * sqrt(100_000 * tail * (1 - tail))).all()


def test_neighbouring_draws_are_independent(many_tables):
    """The correlation of a cell with the same cell of the next draw."""
    first = flat(many_tables)[:, 0].astype(float)
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < Z / sqrt(len(first))


# The other models: each release as often as it should be, and average CAP with its exact moments

ORIGINAL = [[2, 0, 1], [1, 1, 0]]
MODELS = {  # bars of uniform tables are drawn one by one until they are distinct where bars**2 < places, and without replacement elsewhere
    "uniform without replacement": {"m": 3},
    "uniform one by one": {"m": 8, "o": [[1, 0], [1, 1]]},
    "bootstrap": {"m": 2},
    "independent": {"m": 2},
    "dirichlet": {"m": 2, "alpha": Fraction(1, 2)},
    "dirichlet without alpha": {"m": 3, "alpha": Fraction(0)},
    "given": {"m": 2, "p": [[Fraction(1, 8), 0, Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 16), Fraction(1, 16)]]},
    "permutation": {"s": [[1, 1, 1], [1, 0, 1]]},
    "partial": {"alpha": Fraction(1, 4)},
    "pram": {"theta": Fraction(1, 2)},
    "pram by a matrix": {"matrix": [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 2)]]},
    "swap": {"records": 3},
    "swap of all": {"records": 5},
}


@pytest.mark.parametrize("case", MODELS)
def test_every_release_of_a_model_is_as_frequent_as_it_should_be(case):
    """The chi-square statistic of the releases that are expected five times or more, and of all others together."""
    model, told, draws = case.split()[0], dict(MODELS[case]), 50_000
    o = told.pop("o", ORIGINAL)
    releases = every_release(o, model=model, **told)
    drawn = sample_tables(o, made(model, **told), draws=draws, rng=45).values
    counted = Counter(tuple(map(tuple, table)) for table in drawn.tolist())
    assert set(counted) <= set(releases)
    often = {table: draws * float(p) for table, p in releases.items() if draws * p >= 5}
    rest = draws - sum(often.values())
    chi_square = sum((counted[table] - expected) ** 2 / expected for table, expected in often.items())
    chi_square += (draws - sum(counted[table] for table in often) - rest) ** 2 / rest if rest > 1e-6 else 0
    degrees = len(often) - (rest <= 1e-6)
    assert abs(chi_square - degrees) <= Z * sqrt(2 * degrees)


EVERYDAY = {
    "uniform": {"m": 900},
    "bootstrap": {"m": 900},
    "independent": {"m": 900},
    "dirichlet": {"m": 900, "alpha": 2.5},
    "given": {"m": 900, "p": [[0.1, 0.05, 0.2], [0.3, 0.001, 0.049], [0.0, 0.2, 0.1]]},
    "permutation": {"s": [[300, 10, 0], [90, 200, 50], [0, 100, 150]]},
    "partial": {"alpha": 2.5},
    "pram": {"theta": 0.4},
    "swap": {"records": 463},
}


@pytest.mark.parametrize("draws", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", EVERYDAY)
@pytest.mark.parametrize("original", ["O_1", "O_2", "O_3", "O_4"])
def test_average_cap_of_drawn_tables_has_its_exact_mean_and_variance(original, model, draws):
    """The mean and the mean square around the exact mean of average CAP, by z-tests."""
    o, told = paper_originals().sel(original=original, drop=True), EVERYDAY[model]
    caps = average_cap(o, sample_tables(o, made(model, **told), draws=draws, rng=46)).values
    mean, variance = expected_cap(o, made(model, **told)).item(), variance_cap(o, made(model, **told)).item()
    if np.ptp(caps) < 1e-12:  # every key of O_1 is even: each release that has all keys, and nearly all do, has the same average CAP
        assert caps[0] == pytest.approx(mean, abs=1 / draws)
        assert variance < 1 / draws
        return
    squares = (caps - mean) ** 2
    assert abs(caps.mean() - mean) < 4 * sqrt(variance / draws)
    assert abs(squares.mean() - variance) < 4 * squares.std() / sqrt(draws)


def test_nothing_is_drawn_into_cells_without_weight():
    o = np.zeros((3, 50), int)
    o[1, ::7] = 10**6
    for model, told in [("bootstrap", {"m": 10**9}), ("independent", {"m": 10**9}), ("dirichlet", {"m": 10**9, "alpha": 0})]:
        assert (sample_tables(o, made(model, **told), draws=20, rng=1).values[:, o == 0] == 0).all()


def test_limits_of_the_models_change_nothing():
    o = np.array(ORIGINAL)
    for model, told in [("swap", {"records": 0}), ("swap", {"records": 1}), ("pram", {"theta": 0}), ("pram", {"matrix": np.eye(2)})]:
        assert (sample_tables(o, made(model, **told), draws=5, rng=1).values == o).all()


def test_a_sparse_original_gives_the_same_tables():
    held = xr.DataArray(sparse.COO.from_numpy(np.array(ORIGINAL)), dims=("target", "key"))
    for case, told in MODELS.items():
        told = {name: value for name, value in told.items() if name != "o"}
        same = [sample_tables(o, made(case.split()[0], **told), draws=4, rng=2).values for o in (ORIGINAL, held)]
        np.testing.assert_array_equal(*same)


# What comes out


def test_one_cell_takes_all_records():
    assert sample_tables([[5]], Uniform(7), draws=3, rng=0).values.tolist() == [[[7]]] * 3


def test_same_seed_same_tables_other_seed_others():
    o = [[1, 2], [3, 4]]
    first = sample_tables(o, Uniform(50), draws=20, rng=1)
    np.testing.assert_array_equal(first, sample_tables(o, Uniform(50), draws=20, rng=1))
    rng = np.random.default_rng(1)
    np.testing.assert_array_equal(first, sample_tables(o, Uniform(50), draws=20, rng=rng))
    assert (first.values != sample_tables(o, Uniform(50), draws=20, rng=rng).values).any()  # a generator moves on between calls
    assert (first.values != sample_tables(o, Uniform(50), draws=20, rng=2).values).any()


def test_uniform_tables_of_a_seed_stay_the_same():
    """Drawn by version 0.1.0: in both ways, bars one by one and bars without replacement."""
    o = [[1, 2], [3, 4]]
    assert sample_tables(o, Uniform(10), draws=2, rng=1).values.tolist() == [[[3, 6], [1, 0]], [[0, 0], [10, 0]]]
    assert sample_tables(o, Uniform(3), draws=2, rng=1).values.tolist() == [[[1, 0], [1, 1]], [[0, 2], [1, 0]]]


def test_without_a_seed_tables_differ_and_the_global_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = (sample_tables(np.ones((2, 3)), Uniform(10**6), draws=3) for _ in range(2))
    assert (first.values != second.values).any()
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


# Bad input


WRONG = [0, -5, 2.5, "3", True]


def test_an_original_without_records_can_be_drawn_from_where_alpha_is_added():
    assert sample_tables([[0, 0]], made("dirichlet", 9, alpha=0.5), draws=2, rng=1).sum(("target", "key")).values.tolist() == [9, 9]


@pytest.mark.parametrize(
    ("o", "model", "draws", "message"),
    [
        *(([[1, 2]], lambda m=m: Uniform(m), 1, "`m` must be a number of synthetic records, an integer from 1 to below 2") for m in WRONG),
        *(([[1, 2]], lambda: Uniform(5), x, "`draws` must be a number of tables, an integer of at least 1") for x in (*WRONG, None)),
        (paper_originals().rename(original="draw"), lambda: Uniform(5), 1, "`o` has a dim 'draw', which is that of the result"),
        ([[-1, 2]], lambda: Uniform(5), 1, "`o` must be non-negative; got -1 at key=0, target=0"),
        ([[0, 0]], lambda: Bootstrap(5), 1, "`o` holds no record, so that the model has nothing to draw from"),
        ([[1, 0]], lambda: Permuted([[0, 0]]), 1, "`s` holds no record"),
        ([[0.5, 1]], lambda: Pram(theta=0.5), 1, "`o` must hold integers: `Pram` changes whole records"),
        ([[0.5, 1]], lambda: Partial(alpha=1), 1, "`o` must hold integers: `Partial` changes whole records.*Give unweighted counts"),
        ([[1, 0]], lambda: Permuted([[0.5, 1]]), 1, "`s` must hold integers: its records are permuted"),
        ([[1, 2]], lambda: Swap(records=4), 1, "`records` of `Swap` must be at most the number of records of `o`, 3; got 4"),
        ([[10**9, 2]], lambda: Swap(records=4), 1, "tables of fewer than 1,000,000,000 records"),
        ([[1, 2]], lambda: Bootstrap(), 1, r"`Bootstrap\(\)` is the limit of large releases"),
    ],
)
def test_what_cannot_be_drawn_is_refused(o, model, draws, message):
    with pytest.raises(ValueError, match=message):
        sample_tables(o, model(), draws=draws)


@pytest.mark.parametrize(
    "model",
    [
        Uniform(7),
        Bootstrap(7),
        Pram(theta=0.3),
        Swap(records=4),
        Permuted([[1, 2, 4], [4, 0, 0]]),
        Given(7, p=[[0.1, 0.2, 0.1], [0.2, 0.1, 0.1]]),
        Given(7, p=xr.DataArray([[[0.5, 0.25, 0.25], [0, 0, 0]], [[0.1, 0.1, 0], [0, 0, 0.1]]], dims=["original", "target", "key"])),
    ],
    ids=repr,
)
def test_each_original_of_a_batch_has_draws_of_its_own(model):
    """Their averages have the exact mean of their own original, and the first original the draws that it has alone."""
    o = xr.DataArray([[[9, 0, 1], [0, 5, 3]], [[1, 1, 8], [6, 2, 0]]], dims=["original", "target", "key"])
    drawn = sample_tables(o, model, draws=4000, rng=3)
    assert drawn.dims == ("draw", "original", "target", "key")
    caps, exact = average_cap(o, drawn), expected_cap(o, model)
    assert (abs(caps.mean("draw") - exact) < Z * caps.std("draw") / sqrt(4000)).all()
    first, second = drawn.values[:, 0], drawn.values[:, 1]
    assert (first != second).any((1, 2)).mean() > 0.5
    if not isinstance(model, Given):
        np.testing.assert_array_equal(first, sample_tables(o[0], model, draws=4000, rng=3))


def test_several_numbers_of_records_are_one_batch():
    o, numbers = [[3, 1, 0], [1, 2, 2]], [4, 10, 25]
    for function in (expected_cap, variance_cap, expected_disclosure):
        together = function(o, Bootstrap(numbers))
        for m in numbers:
            xr.testing.assert_allclose(together.sel(m=m, drop=True), function(o, Bootstrap(m)))
    drawn = sample_tables(o, Uniform(range(3, 6)), draws=4, rng=1)
    assert dict(drawn.sizes) == {"m": 3, "draw": 4, "target": 2, "key": 3}
    assert (drawn.sum(["target", "key"]) == drawn.m).all()
    assert drawn.isel(m=0).equals(sample_tables(o, Uniform(3), draws=4, rng=1).assign_coords(m=3))
    with pytest.raises(ValueError, match=r"`Uniform\(m=<2>\)` has several numbers of records, and one is needed here"):
        cap_law(o, Uniform((3, 4)))
    with pytest.raises(ValueError, match="`m` must be a number of synthetic records"):
        Bootstrap([3, 0])


@examples(40)
@given(st.integers(1, 4), st.integers(1, 6), st.integers(1, 40), st.integers(0, 99))
def test_drawn_tables_keep_the_margins_that_their_model_keeps(targets, keys, records, seed):
    cells = np.random.default_rng(seed).integers(0, targets * keys, records)
    o = np.bincount(cells, minlength=targets * keys).reshape(targets, keys)
    for model, told in [
        ("permutation", {"s": o}),
        ("swap", {"records": records // 2}),
        ("partial", {"alpha": 0.5}),
        ("pram", {"theta": 0.5}),
    ]:
        drawn = sample_tables(np.ones_like(o) if model == "permutation" else o, made(model, **told), draws=3, rng=seed)
        assert drawn.dtype == np.int64
        assert (drawn >= 0).all()
        assert (drawn.sum("target") == o.sum(0)).all()
        if model in ("permutation", "swap"):
            assert (drawn.sum("key") == o.sum(1)).all()
