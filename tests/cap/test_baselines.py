"""What is guessed without a key: by hand, and of huge counts in exact fractions; tests/laws/test_theorems.py has all small tables."""

import functools
from fractions import Fraction

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, table_pairs

from capstats import average_cap, baseline_cap, from_counts, tabulate
from capstats.datasets import paper_originals

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

WITHOUT_S = ("marginal", "modal", "uniform")
WITH_S = ("modal_synthetic", "crossed")
KINDS = WITHOUT_S + WITH_S

theorem = examples(150)
pairs_of_tables = functools.partial(table_pairs, most=30)


# Hand-derived values


def test_cap_of_the_original_is_the_baseline_where_the_key_says_nothing():
    """O_1: 1/3 both."""
    o_1 = paper_originals().sel(original="O_1")
    assert baseline_cap(o_1).item() == pytest.approx(1 / 3, rel=1e-15)
    assert average_cap(o_1, o_1).item() == pytest.approx(1 / 3, rel=1e-15)


def test_uniform_counts_the_levels_of_each_target_column_that_some_original_record_has():
    """Two of the three levels of a and two of b: 1 / (2 * 2), though only three of their four combinations occur."""
    original = {"k": [0, 0, 0, 1], "a": ["x", "x", "y", "y"], "b": ["p", "q", "q", "q"]}
    synthetic = {"k": [0, 0], "a": ["z", "x"], "b": ["p", "r"]}
    tables = tabulate(original, synthetic, keys="k", target=["a", "b"])
    assert tables.sizes["target"] == 5
    assert baseline_cap(tables.o, kind="uniform").item() == 1 / 4
    # 1/2 * 1/2 is at most the sum of squared shares (1 + 1 + 4) / 16
    assert baseline_cap(tables.o).item() == 6 / 16


def test_uniform_ignores_targets_that_only_the_synthetic_table_has():
    o = from_counts([[3, 1], [1, 0]], [[1, 0], [1, 0]], target_labels={"t": ["a", "b"]}).o
    s = from_counts([[3, 1], [1, 0]], target_labels={"t": ["c", "b"]}).o
    tables = xr.align(o, s, join="outer", fill_value=0)
    assert tables[0].sizes["target"] == 3
    assert baseline_cap(tables[0], kind="uniform").item() == 1 / 2


def test_unlabelled_rows_are_one_target_column():
    assert baseline_cap([[1, 0], [0, 0], [2, 2], [0, 1]], kind="uniform").item() == 1 / 3


# The oracle


@pytest.mark.parametrize("kind", KINDS)
def test_baselines_of_huge_counts_are_those_of_exact_fractions(kind):
    o, s = [[10**15, 3], [5, 2 * 10**15]], [[7, 10**15], [10**14, 1]]
    n, m = sum(map(sum, o)), sum(map(sum, s))
    p, q = [Fraction(sum(row), n) for row in o], [Fraction(sum(row), m) for row in s]
    exact = {
        "marginal": sum(x * x for x in p),
        "modal": max(p),
        "uniform": Fraction(1, 2),
        "modal_synthetic": max(q),
        "crossed": sum(x * y for x, y in zip(p, q, strict=True)),
    }
    assert baseline_cap(o, s, kind=kind).item() == pytest.approx(float(exact[kind]), rel=1e-14)


# Theorems


@theorem
@given(pairs_of_tables(), st.randoms(use_true_random=False))
def test_keys_do_not_matter(tables, random):
    """Records may change their key as they like."""
    o, s = tables
    shuffled = o.copy()
    for row in shuffled:
        row[:] = np.roll(row, random.randrange(len(row)))
    for kind in KINDS:
        assert baseline_cap(shuffled, s, kind=kind).item() == pytest.approx(baseline_cap(o, s, kind=kind).item(), rel=1e-14)


def test_baseline_of_no_record_is_undefined():
    o, s = [[[0, 0], [0, 0]], [[1, 0], [2, 0]]], [[0, 0], [0, 0]]
    for kind in WITHOUT_S:
        assert np.isnan(baseline_cap(o, kind=kind).values).tolist() == [True, False]
    for kind in WITH_S:
        assert np.isnan(baseline_cap(o, s, kind=kind).values).all()
    assert np.isnan(baseline_cap(o, [[1, 0], [0, 0]], kind="crossed").values).tolist() == [True, False]


# Bad input


@pytest.mark.parametrize("kind", ["mode", "", None, "Marginal"])
def test_unknown_kind_raises_and_lists_the_known_ones(kind):
    with pytest.raises(ValueError, match=r"`kind` must be one of 'marginal', 'modal', 'uniform', 'modal_synthetic', 'crossed'"):
        baseline_cap([[1]], [[1]], kind=kind)


@pytest.mark.parametrize("kind", WITH_S)
def test_kinds_that_use_the_synthetic_table_ask_for_it(kind):
    with pytest.raises(ValueError, match=f'"{kind}" needs the synthetic table'):
        baseline_cap([[1]], kind=kind)


@pytest.mark.parametrize("kind", WITHOUT_S)
def test_other_kinds_check_the_synthetic_table_and_do_not_use_it(kind):
    assert baseline_cap([[1], [1]], [[[5], [1]]] * 3, kind=kind).item() == 0.5
    for s, message in (("modal", "Give others by name: kind="), (np.ones(2), "`s` has 1 dimensions"), ([[1]], "must agree")):
        with pytest.raises((ValueError, TypeError), match=message):
            baseline_cap([[1], [1]], s, kind=kind)
