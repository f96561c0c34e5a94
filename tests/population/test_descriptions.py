"""Singling out: held against a loop over predicates, all draws of them, and all samples of records."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, isnan, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, frame

from capstats import disclosure, screening
from capstats.population import singling_out
from capstats.population.descriptions import hypergeometric

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

PEER = json.loads((Path(__file__).parents[1] / "reference" / "anonymeter_singling_out.json").read_text())
VALUES = st.sampled_from(["a", "b", None])


def rows_of(columns, least=1, most=8):
    return st.lists(st.tuples(*[VALUES] * columns), min_size=least, max_size=most)


def called(original, synthetic, size, holdout=None, **options):
    options = {"columns": list(frame(original)), "allow_same": True, **options}
    return singling_out(frame(original), frame(synthetic), subset_size=size, holdout=holdout and frame(holdout), **options)


def fitting(rows, subset, values):
    return sum(all(row[c] == value for c, value in zip(subset, values, strict=True)) for row in rows)


def walked(original, synthetic, size, duplicates):
    """One predicate and one record after the other: predicates, hits, and the rate of any predicate."""
    if duplicates == "distinct":
        original, synthetic = list(dict.fromkeys(original)), list(dict.fromkeys(synthetic))
    subsets = list(combinations(range(len(synthetic[0])), size))
    asked = [(subset, tuple(row[c] for c in subset)) for row in synthetic for subset in subsets]
    unique = [predicate for predicate in dict.fromkeys(asked) if fitting(synthetic, *predicate) == 1]
    hits = [predicate for predicate in unique if fitting(original, *predicate) == 1]
    return len(unique), len(hits), Fraction(sum(fitting(original, *predicate) == 1 for predicate in asked), len(asked))


# --- values ---------------------------------------------------------------------------------------------------------------


def test_three_people_are_singled_out_by_hand():
    """Of one column: a, b, c and x fit one synthetic record, a alone also one person. Of both: ax, by and cy, of which ax and by do."""
    original, synthetic = [("a", "x"), ("b", "x"), ("b", "y")], [("a", "x"), ("b", "y"), ("c", "y")]
    one, two = (called(original, synthetic, size) for size in (1, 2))
    assert [one.predicates.item(), one.hits.item(), one.rate.item(), one.any_predicate.item()] == [4, 1, 1 / 4, 3 / 6]
    assert [two.predicates.item(), two.hits.item(), two.rate.item(), two.any_predicate.item()] == [3, 2, 2 / 3, 2 / 3]


@pytest.mark.parametrize("case", PEER["singling_out"], ids=lambda case: case["id"])
def test_anonymeter_finds_every_hit_and_prints_the_wilson_centre(case):
    z = 1.959963984540054
    for size, theirs in case["anonymeter"].items():
        if size == "univariate":
            continue
        asked = theirs["n_attacks"]
        columns = list(case["original"])
        options = {"columns": columns, "subset_size": int(size), "allow_same": True}
        found = singling_out(case["original"], case["synthetic"], attacks=asked, **options)
        assert found.hits.item() == theirs["n_success"] == found.expected_successes.item()
        assert set(found.successes.values.tolist()) == {theirs["n_success"]}
        centre = (theirs["n_success"] + z**2 / 2) / (asked + z**2)
        assert theirs["risk"] == pytest.approx(centre, rel=1e-9)
        assert isnan(found.rate) or abs(found.rate.item() - centre) > 1e-3
        if "half_mean_success" in theirs:  # of 40 runs
            law = singling_out(case["original"], case["synthetic"], attacks=theirs["half_n_attacks"], **options)
            error = law.standard_deviation.item() / sqrt(40)
            assert abs(law.expected_successes.item() - theirs["half_mean_success"]) <= 4 * error


# --- oracles --------------------------------------------------------------------------------------------------------------


@examples(100)
@given(st.integers(1, 4).flatmap(lambda k: st.tuples(rows_of(k), rows_of(k))), st.sampled_from(["distinct", "all"]))
def test_counts_are_those_of_a_loop_over_predicates(tables, duplicates):
    original, synthetic = tables
    for size in range(1, len(original[0]) + 1):
        found = called(original, synthetic, size, duplicates=duplicates)
        predicates, hits, any_predicate = walked(original, synthetic, size, duplicates)
        assert (found.predicates, found.hits) == (predicates, hits)
        assert np.isnan(found.rate) if not predicates else found.rate.item() == pytest.approx(hits / predicates)
        assert found.any_predicate.item() == pytest.approx(float(any_predicate))


@pytest.mark.parametrize("attacks", range(6))
def test_the_number_of_successes_is_that_of_all_draws(attacks):
    """Five of the synthetic labels are unique, two of them in the original too."""
    original, synthetic = [("1",), ("2",), ("6",), ("6",)], [("1",), ("2",), ("3",), ("4",), ("5",)]
    quantiles = [0, 0.1, 0.3, 0.5, 0.6, 0.7, 0.9, 1]
    found = called(original, synthetic, 1, attacks=attacks, quantiles=quantiles)
    draws = [sum(x < 2 for x in draw) for draw in combinations(range(5), attacks)]
    assert found.tried.item() == attacks
    assert found.expected_successes.item() == pytest.approx(np.mean(draws))
    assert found.standard_deviation.item() == pytest.approx(np.std(draws))
    assert found.successes.values.tolist() == np.quantile(draws, quantiles, method="inverted_cdf").tolist()


def test_probabilities_of_successes_are_exact_for_all_small_numbers():
    for items in range(7):
        for marked in range(items + 1):
            for draws in range(items + 1):
                x, p = hypergeometric(items, marked, draws)
                ways = {i: comb(marked, i) * comb(items - marked, draws - i) for i in range(draws + 1)}
                exact = {i: n / comb(items, draws) for i, n in ways.items() if n}
                assert dict(zip(x.tolist(), p.tolist(), strict=True)) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize(("items", "marked", "draws"), [(10**9, 1000, 10**8), (10**9, 10**5, 10**5), (10**7, 10**6, 500)])
def test_probabilities_of_many_descriptions_keep_their_digits(items, marked, draws):
    x, p = hypergeometric(items, marked, draws)
    mean = draws * marked / items
    variance = mean * (1 - marked / items) * (items - draws) / (items - 1)
    assert (x * p).sum() == pytest.approx(mean, rel=1e-11)
    assert (np.square(x - mean) * p).sum() == pytest.approx(variance, rel=1e-10)


@examples(40)
@given(st.integers(1, 3).flatmap(lambda k: st.tuples(*[rows_of(k, 2, 5)] * 3)), st.sampled_from(["distinct", "all"]))
def test_rates_of_original_and_holdout_are_expected_over_all_samples_of_one_size(tables, duplicates):
    original, synthetic, holdout = tables
    size = min(len(original), len(holdout))
    for columns in range(1, len(original[0]) + 1):
        found = called(original, synthetic, columns, holdout, duplicates=duplicates)
        if not found.predicates:
            assert np.isnan(found.original)
            continue
        assert found.sample_size == size
        for name, records in (("original", original), ("holdout", holdout)):
            hits = [
                walked([records[i] for i in kept], synthetic, columns, duplicates)[1] for kept in combinations(range(len(records)), size)
            ]
            assert found[name].item() == pytest.approx(np.mean(hits) / found.predicates.item())
        assert found.difference.item() == pytest.approx(found.original.item() - found.holdout.item())


# --- theorems -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("duplicates", ["distinct", "all"])
def test_the_difference_is_0_on_average_over_all_splits(duplicates):
    rng = np.random.default_rng(3)
    pool = [tuple(row) for row in rng.choice(["a", "b", "c"], (7, 2))]
    synthetic = [tuple(row) for row in rng.choice(["a", "b", "c"], (6, 2))]
    splits = [set(kept) for kept in combinations(range(7), 4)]
    differences = [
        called([pool[i] for i in kept], synthetic, 2, [pool[i] for i in range(7) if i not in kept], duplicates=duplicates).difference.item()
        for kept in splits
    ]
    assert np.mean(differences) == pytest.approx(0, abs=1e-14)
    assert np.std(differences) > 0.1


def test_hits_of_all_records_are_the_replicated_uniques_of_all_subsets():
    rng = np.random.default_rng(0)
    original, synthetic = (frame(rng.choice(list("abc"), (30, 4)).tolist()) for _ in "os")
    columns = {"original": {**original, "t": ["t"] * 30}, "synthetic": {**synthetic, "t": ["t"] * 30}}
    replicated = screening.sweep(
        **columns, keys=list(original), targets="t", measures={"r": lambda o, s: disclosure.share_replicated(o, s) * o.sum()}
    )
    for size in range(1, 5):
        found = singling_out(original, synthetic, columns=list(original), subset_size=size, duplicates="all")
        assert found.hits.item() == pytest.approx(replicated.value.isel(keyset=replicated["size"] == size).sum().item())


# --- records as they come -------------------------------------------------------------------------------------------------


def test_several_releases_are_each_counted_alone():
    original, holdout = [("a", "x"), ("b", "x"), ("b", "y"), ("d", "y")], [("a", "y"), ("c", "y"), ("c", "x")]
    released = {"first": [("a", "x"), ("b", "y"), ("c", "y")], "second": [("a", "x"), ("a", "x"), ("b", "y")]}
    options = {"columns": ["c0", "c1"], "subset_size": 1, "attacks": 2}
    together = singling_out(frame(original), {k: frame(x) for k, x in released.items()}, holdout=frame(holdout), **options)
    for name, synthetic in released.items():
        alone = singling_out(frame(original), frame(synthetic), holdout=frame(holdout), **options)
        assert together.sel(synthetic=name).drop_vars("synthetic").to_dataset().equals(alone.to_dataset())


def test_files_counts_and_dropped_records_give_the_numbers_of_the_records(tmp_path):
    original, synthetic = [("a", "x"), ("b", "x"), ("b", "x"), ("b", "y")], [("a", "x"), ("b", "y"), ("c", "y"), ("c", "y")]
    expected = called(original, synthetic, 1, duplicates="all")
    paths = []
    for name, rows in (("o", original), ("s", synthetic)):
        paths.append(tmp_path / f"{name}.csv")
        pd.DataFrame(frame(rows)).to_csv(paths[-1], index=False)
    options = {"columns": ["c0", "c1"], "subset_size": 1, "duplicates": "all"}
    assert singling_out(*paths, **options).equals(expected)
    counted = [{**frame(list(Counter(rows))), "n": list(Counter(rows).values())} for rows in (original, synthetic)]
    assert singling_out(*counted, counts="n", **options).equals(expected)
    gaps = frame([*original, (None, "y"), ("c", None)])
    assert singling_out(gaps, frame(synthetic), missing="drop", **options).equals(expected)


def test_numbers_are_cut_or_are_categories():
    original, synthetic = {"age": [20, 30, 71], "sex": list("fmf")}, {"age": [22, 70, 75], "sex": list("mff")}
    with pytest.raises(TypeError, match=r"Column 'age' holds numbers.*bins=\{'age': 10\}.*types=\{'age': 'text'\}"):
        singling_out(original, synthetic, columns=["sex", "age"], subset_size=1)
    cut = singling_out(original, synthetic, columns=["sex", "age"], subset_size=1, bins={"age": [25, 50]}, duplicates="all")
    assert (cut.predicates, cut.hits) == (2, 2)  # m; and (-inf, 25]
    with pytest.raises(TypeError, match=r"types=\{'age': \[levels in order\]\}"):  # not text, which was changed to numbers for a reason
        singling_out(original, synthetic, columns=["sex", "age"], subset_size=1, types={"age": "number"})
    for types in ({"age": "text"}, {"age": [20, 22, 30, 70, 71, 75]}):
        assert singling_out(original, synthetic, columns=["sex", "age"], subset_size=1, types=types).predicates == 4


def test_numbers_of_csv_files_are_numbers_unless_they_are_said_to_be_codes(tmp_path):
    paths = [tmp_path / "o.csv", tmp_path / "s.csv"]
    for path, ages in zip(paths, (["20,5", "30", "71", ""], ["22", "70", "75", "75"]), strict=True):
        path.write_text("\n".join(["age;zip", *(f"{age};{i}a" for i, age in enumerate(ages))]), encoding="utf-8")
    options = {"columns": ["zip", "age"], "subset_size": 1, "decimal": ","}
    with pytest.raises(TypeError, match=r"Column 'age' holds numbers.*types=\{'age': 'text'\}"):
        singling_out(*paths, **options)
    assert singling_out(*paths, **options, types={"age": "text"}).predicates == 6
    assert singling_out(*paths, **options, bins={"age": [25, 50]}).predicates == 5
    assert singling_out(*paths, **options | {"columns": "zip"}).rate == 1


@pytest.mark.parametrize(
    ("told", "error", "message"),
    [
        ({"subset_size": 3}, ValueError, "`subset_size` must be from 1 to 2, the number of columns; got 3"),
        ({"limit": 1}, ValueError, r"2 columns have 2 subsets of 1, more than `limit`=1\. Give fewer columns, or a larger limit"),
        ({"duplicates": "none"}, ValueError, '`duplicates` must be "distinct" or "all"; got '),
        ({"attacks": -1}, ValueError, "`attacks` must be a number of attacks, 0 or more; got -1"),
        ({"attacks": 1, "quantiles": 2}, ValueError, "`quantiles` must be probabilities from 0 to 1; got 2"),
        ({"attacks": 1, "quantiles": None}, ValueError, "`quantiles` must be probabilities from 0 to 1; got None"),
        ({"columns": ["a", "c"]}, ValueError, "Column 'c' is not in `original`"),
        ({"synthetic": None}, ValueError, "`original` and `synthetic` are one object"),
        ({"bin": {}}, TypeError, r"singling_out\(\) has no argument `bin`\. Did you mean 'bins'"),
    ],
)
def test_a_mistake_is_said(told, error, message):
    original, synthetic = {"a": ["x", "y"], "b": ["x", "z"]}, {"a": ["x", "x"], "b": ["x", "y"]}
    options = {"synthetic": synthetic, "columns": ["a", "b"], "subset_size": 1, **told}
    with pytest.raises(error, match=message):
        singling_out(original, **options | {"synthetic": options["synthetic"] or original})
