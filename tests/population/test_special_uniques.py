"""Minimal sample uniques, SUDA scores under each rule, DIS and DIS-SUDA."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations
from math import comb, factorial, prod
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import examples, theorem

from capstats import from_counts, tabulate
from capstats.population import dis_suda, minimal_sample_uniques, suda_scores
from capstats.population.special_uniques import GRID, minimal_sets, weights

PEERS = json.loads((Path(__file__).parents[1] / "reference" / "suda.json").read_text(encoding="utf-8"))["cases"]
GUIDE, COMPLETE = PEERS[0], [case for case in PEERS if case["name"] != "na_3"]
RULES = ("product", "factorial", "normalized", "halving")
few_calls = examples(10)
by_case = pytest.mark.parametrize("case", COMPLETE, ids=lambda case: case["name"])


def counted(columns):
    """The table of records given as columns, and the key of each record."""
    records = pd.DataFrame(columns).astype(object).where(lambda x: x.notna(), None)
    table = tabulate(records.assign(t=0), keys=list(columns), target="t").o
    places = {tuple(None if repr(x) == "missing" else x for x in key): j for j, key in enumerate(table.indexes["key"])}
    return table, [places[tuple(row)] for row in records.itertuples(index=False)]


def unique_sets(rows, skip=False):
    """For each record all sets of columns on which it is unique, by a loop over all subsets."""
    found = [[] for _ in rows]
    for size in range(1, len(rows[0]) + 1):
        for columns in combinations(range(len(rows[0])), size):
            parts = [tuple(row[c] for c in columns) for row in rows]
            for r, part in enumerate(parts):
                if parts.count(part) == 1 and not (skip and None in part):
                    found[r].append(columns)
    return found


def minimal(sets):
    return [one for one in sets if not any(set(other) < set(one) for other in sets)]


def weight(rule, s, k, most):
    return {
        "product": prod(k - i for i in range(s, most + 1)),
        "factorial": factorial(k - s),
        "normalized": Fraction(2 ** (k - s) - 1, comb(k, s)),
        "halving": Fraction(1, 2 ** (s - 1)),
    }[rule]


def listed(table, **options):
    """The minimal sample uniques as pairs of a key and its columns."""
    found = minimal_sample_uniques(table, **options)
    keys = list(table.indexes["key"])
    return [(keys.index(key), tuple(np.flatnonzero(known))) for key, known in zip(found.indexes["msu"], found.known.values, strict=True)]


records = st.integers(1, 4).flatmap(lambda k: st.lists(st.tuples(*[st.integers(0, 3)] * k), min_size=1, max_size=14))
special = records.filter(lambda rows: any(rows.count(row) == 1 for row in rows))


def table_of(rows):
    return counted({f"k{c}": column for c, column in enumerate(zip(*rows, strict=True))})


# --- the example of the practice guide --------------------------------------------------------------------------------


def test_the_minimal_sample_uniques_of_the_practice_guide():
    # Record 5, the only rural one: {residence}; no other woman has SC, none is U, and no other SC is U.
    table, at = counted(GUIDE["columns"])
    found = minimal_sample_uniques(table).to_dataset()
    of_5 = found.isel(msu=[found.indexes["msu"][i] == table.indexes["key"][at[4]] for i in range(found.sizes["msu"])])
    assert of_5.keyset.values.tolist() == ["residence", "gender + education", "gender + labor", "education + labor"]
    assert of_5.msu_size.values.tolist() == [1, 2, 2, 2]
    assert sorted(found.keyset.values.tolist()) == sorted(" + ".join(one) for sets in GUIDE["exact"]["msu"] for one in sets)


def test_the_scores_printed_in_the_practice_guide():
    # Record 5 has 3! + 2! + 2! + 2!.
    table, at = counted(GUIDE["columns"])
    assert suda_scores(table).suda_score.values[at].tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_the_dis_of_the_practice_guide():
    # Four uniques and six records in pairs: 4 * .01 / (4 * .01 + 6 * .99).
    table, _ = counted(GUIDE["columns"])
    assert dis_suda(table, sampling_fraction=0.01).file_dis.item() == pytest.approx(0.04 / 5.98, rel=1e-15)


# --- exact numbers and peers ------------------------------------------------------------------------------------------


@by_case
def test_contributions_and_dis_suda_are_the_exact_ones(case):
    table, at = counted(case["columns"])
    exact, found = case["exact"], suda_scores(table)
    np.testing.assert_allclose(found.contribution.values[at], exact["contribution"], atol=1e-12)
    np.testing.assert_allclose(found.contribution_share.values[at], exact["contribution_share"], atol=1e-12)
    expected = np.array(exact["attribute_contribution_percent"], float)
    np.testing.assert_allclose(100 * found.column_contribution, expected, rtol=1e-12)
    for fraction in (0.01, 0.1):
        found = dis_suda(table, sampling_fraction=fraction)
        np.testing.assert_allclose(found.dis_suda.values[at], exact[f"dis_{fraction}".replace(".", "_")], rtol=1e-9)
        assert found.file_dis.item() == pytest.approx(exact["file_dis"][str(fraction)], rel=1e-9)
    found = dis_suda(table, sampling_fraction=0.01, rule="normalized")
    np.testing.assert_allclose(found.dis_suda.values[at], exact["dis_ihsn_0_01"], rtol=1e-9)


@by_case
def test_sdcmicro_has_the_same_scores_but_wrong_ones_for_two_columns(case):
    table, at = counted(case["columns"])
    rules = {"original": "factorial", "ihsn": "normalized"}
    same = [
        np.allclose(suda_scores(table, rule=rule).suda_score.values[at], case["sdcMicro"][name]["score"], rtol=1e-12)
        for name, rule in rules.items()
    ]
    assert same == [case["name"] != "two_columns"] * 2
    if case["name"] != "two_columns":
        theirs = np.array(case["sdcMicro"]["original"]["attribute"], float)
        np.testing.assert_allclose(100 * suda_scores(table).column_contribution, theirs, rtol=1e-12)
        dis = {(0.01, "factorial"): "original", (0.01, "normalized"): "ihsn", (0.1, "factorial"): "dis_0_1"}
        for (fraction, rule), name in dis.items():
            found = dis_suda(table, sampling_fraction=fraction, rule=rule).dis_suda.values[at]
            np.testing.assert_allclose(found, case["sdcMicro"][name]["dis"], atol=4e-8)  # which computes with single precision


@by_case
def test_suda_counts_every_unique_set_also_those_that_are_not_minimal(case):
    table, at = counted(case["columns"])
    k = len(case["columns"])
    sets = unique_sets(list(zip(*case["columns"].values(), strict=True)))
    for most, theirs in case["suda"].items():
        every = [sum(factorial(k - len(one)) for one in of if len(one) <= int(most)) for of in sets]
        assert every == theirs
        ours = suda_scores(table, max_size=int(most)).suda_score.values[at].tolist()
        assert ours == [sum(factorial(k - len(one)) for one in minimal(of) if len(one) <= int(most)) for of in sets]
        assert most != "1" or ours == theirs


def test_a_missing_value_is_a_level_or_is_skipped_as_in_sdcmicro():
    (case,) = (case for case in PEERS if case["name"] == "na_3")
    table, at = counted(case["columns"])
    assert suda_scores(table).suda_score.values[at].tolist() == case["exact"]["score_full_missing_is_level"]
    skipped = suda_scores(table, missing="skip").suda_score.values[at].tolist()
    assert skipped == case["exact"]["score_full_missing_skipped"] == case["sdcMicro"]["original"]["score"]


# --- all subsets by a loop --------------------------------------------------------------------------------------------


@theorem
@given(records, st.integers(1, 4), st.booleans())
def test_minimal_sample_uniques_are_those_of_a_loop_over_all_subsets(rows, most, skip):
    rows = [tuple(None if x == 3 else x for x in row) for row in rows]
    table, at = table_of(rows)
    most = min(most, len(rows[0]))
    sets = unique_sets(rows, skip)
    expected = {(at[r], one) for r, of in enumerate(sets) for one in minimal(of) if len(one) <= most}
    found = listed(table, max_size=most, missing="skip" if skip else "level")
    assert len(found) == len(expected)
    assert set(found) == expected
    assert found == sorted(found, key=lambda pair: (pair[0], len(pair[1]), pair[1]))


@pytest.mark.parametrize("rule", RULES)
@examples(20)
@given(rows=records, most=st.integers(1, 3))
@example(rows=[(0,)], most=1)  # by "normalized" the one score is 0: NaN
def test_scores_and_contributions_are_sums_of_fractions_over_the_sets(rule, rows, most):
    k = len(rows[0])
    most = min(most, k - 1) if rule == "product" else min(most, k)
    if not most:
        return
    table, at = table_of(rows)
    found = suda_scores(table, rule=rule, max_size=most)
    sets = [[one for one in minimal(of) if len(one) <= most] for of in unique_sets(rows)]
    scores = [sum((weight(rule, len(one), k, most) for one in of), Fraction(0)) for of in sets]
    np.testing.assert_allclose(found.suda_score.values[at], list(map(float, scores)), rtol=1e-12)
    total = sum(scores)
    levels = dict(zip(zip(found.column.values, found.label.values, strict=True), found.level_contribution.values, strict=True))
    for c in range(k):
        whole = [sum((weight(rule, len(one), k, most) for one in of if c in one), Fraction(0)) for of in sets]
        split = [sum((Fraction(weight(rule, len(one), k, most), len(one)) for one in of if c in one), Fraction(0)) for of in sets]
        for name, parts in (("contribution", whole), ("contribution_share", split)):
            expected = [float(part / score) if score else 0.0 for part, score in zip(parts, scores, strict=True)]
            np.testing.assert_allclose(found[name].values[at, c], expected, atol=1e-12)
        for label in {row[c] for row in rows}:
            part = sum(x for x, row in zip(whole, rows, strict=True) if row[c] == label)
            assert levels[f"k{c}", label] == (pytest.approx(float(part / total)) if total else pytest.approx(np.nan, nan_ok=True))
        assert found.column_contribution.values[c] == (
            pytest.approx(float(sum(whole) / total)) if total else pytest.approx(np.nan, nan_ok=True)
        )
        assert found.column_share.values[c] == (pytest.approx(float(sum(split) / total)) if total else pytest.approx(np.nan, nan_ok=True))


def test_columns_of_many_levels_are_searched_by_sorting():
    rng = np.random.default_rng(3)
    rows = np.unique(np.stack([rng.integers(0, 3000, 4000), rng.integers(0, 2500, 4000), rng.integers(0, 3, 4000)]), axis=1)
    assert rows.shape[1] * 2500 > GRID * (1 << 16)
    found = {columns: np.flatnonzero(alone) for columns, alone in minimal_sets(rows, [np.ones(rows.shape[1], bool)] * 3, 3)}
    frame, expected = pd.DataFrame(rows.T), {}
    for columns in (c for size in (1, 2, 3) for c in combinations(range(3), size)):
        unique = ~frame.duplicated(list(columns), keep=False).to_numpy()
        for smaller, places in expected.items():
            if set(smaller) < set(columns):
                unique[places] = False
        expected[columns] = np.flatnonzero(unique)
    assert {columns: places.tolist() for columns, places in found.items()} == {c: p.tolist() for c, p in expected.items() if len(p)}


# --- theorems ---------------------------------------------------------------------------------------------------------


@few_calls
@given(special, st.integers(1, 3), st.floats(0.01, 1))
def test_product_is_factorial_divided_by_a_constant_which_contributions_and_dis_suda_do_not_show(rows, most, fraction):
    k = len(rows[0])
    if k == 1:
        return
    table, _ = table_of(rows)
    most = min(most, k - 1)
    product, whole = (suda_scores(table, rule=rule, max_size=most) for rule in ("product", "factorial"))
    np.testing.assert_array_equal(product.suda_score * factorial(k - most - 1), whole.suda_score)
    for name in ("contribution", "contribution_share", "column_contribution", "column_share", "level_contribution"):
        np.testing.assert_allclose(product[name], whole[name], rtol=1e-12)
    ours, theirs = (dis_suda(table, sampling_fraction=fraction, rule=rule, max_size=most) for rule in ("product", "factorial"))
    np.testing.assert_allclose(ours.dis_suda, theirs.dis_suda, rtol=1e-12)


@few_calls
@given(special, st.floats(0.001, 1), st.sampled_from(["factorial", "halving"]))
def test_dis_suda_is_its_published_formula_and_the_mean_odds_against_are_those_of_dis(rows, fraction, rule):
    table, _ = table_of(rows)
    found, k = dis_suda(table, sampling_fraction=fraction, rule=rule), len(rows[0])
    score, q, dis = found.suda_score.values, 1 + (8 - k) / 20, found.file_dis.item()
    number = sum(rows.count(row) == 1 for row in rows)
    adjusted = sum(x**-q for x in score if x > 0)
    expected = [1 / (1 + (number / dis - number) / (x**q * adjusted)) if x > 0 else 0.0 for x in score]
    np.testing.assert_allclose(found.dis_suda, expected, rtol=1e-9, atol=1e-15)
    uniques = found.dis_suda.values[score > 0]
    assert len(uniques) == number
    assert np.mean(1 / uniques - 1) == pytest.approx(1 / dis - 1, abs=1e-12)
    assert uniques.mean() >= dis - 1e-12
    if len(set(score[score > 0])) == 1:
        np.testing.assert_allclose(uniques, dis)


# --- shapes, edges and errors -----------------------------------------------------------------------------------------


def test_a_key_without_records_is_undefined_and_makes_nobody_less_special():
    table, _ = counted(GUIDE["columns"])
    least = table * (np.arange(table.sizes["key"]) > 0)
    found, alone = suda_scores(least), suda_scores(least.isel(key=slice(1, None)))
    assert np.isnan(found.suda_score.values[0])
    assert np.isnan(found.contribution.values[0]).all()
    assert np.isnan(dis_suda(least, sampling_fraction=0.1).dis_suda.values[0])
    np.testing.assert_array_equal(found.suda_score[1:], alone.suda_score)


def test_a_table_without_uniques_has_scores_of_0_and_no_contributions():
    table = from_counts([[2, 3]], [[1, 1]], key_labels={"sex": ["f", "m"]}, target_labels=["x"]).o
    assert minimal_sample_uniques(table).sizes == {"msu": 0, "key_column": 1}
    assert "Minimal sample uniques (msu 0" in repr(minimal_sample_uniques(table))
    found = suda_scores(table)
    assert found.suda_score.values.tolist() == [0, 0]
    assert np.isnan(found.column_contribution).all()
    found = dis_suda(table, sampling_fraction=0.1)
    assert found.file_dis.item() == 0
    assert found.dis_suda.values.tolist() == [0, 0]


def test_dis_is_undefined_without_uniques_and_pairs_and_1_without_pairs():
    assert np.isnan(dis_suda([[3, 4]], sampling_fraction=0.5).file_dis)
    found = dis_suda([[1, 4]], sampling_fraction=0.5)
    assert (found.file_dis.item(), found.dis_suda.values.tolist()) == (1, [1, 0])
    assert dis_suda([[1, 2]], sampling_fraction=1).file_dis.item() == 1


def test_one_column_without_labels_singles_out_whoever_has_a_key_alone():
    assert minimal_sample_uniques([[1, 2, 0], [0, 0, 1]]).keyset.values.tolist() == ["key_", "key_"]
    assert suda_scores([[1, 2, 0], [0, 0, 1]]).suda_score.values.tolist() == [1, 0, 1]
    assert suda_scores([[1, 2, 0], [0, 0, 1]], rule="normalized").suda_score.values.tolist() == [0, 0, 0]


def wide(k):
    labels = {f"k{c}": [0, 1] for c in range(k)}
    return from_counts([[1, 1]], [[1, 1]], key_labels=labels, target_labels=["x"]).o


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: suda_scores(wide(3), rule="product"),
            '"product" needs `max_size` below 3, the number of key columns: .* max_size=2 or less',
        ),
        (lambda: suda_scores(wide(3), rule="product", max_size=3), "every score is 0"),
        (lambda: suda_scores([[1]], rule="product", max_size=1), "every score is 0. Give rule="),
        (lambda: suda_scores(wide(3), rule="ihsn"), "`rule` must be one of 'product', 'factorial', 'normalized', 'halving'; got 'ihsn'"),
        (lambda: suda_scores(wide(3), max_size=4), "`max_size` must be from 1 to 3, the number of key columns; got 4"),
        (lambda: suda_scores(wide(3), missing="drop"), '`missing` must be "level" or "skip"'),
        (
            lambda: minimal_sample_uniques(wide(17)),
            "17 key columns have 131,071 subsets of up to 17, more than 65,536. Give max_size=8, or fewer",
        ),
        (lambda: weights("factorial", 200, 1), "too large for floats with 200 key columns"),
        (lambda: dis_suda(wide(28), max_size=2, sampling_fraction=0.1), "not defined for 28 key columns"),
        (lambda: dis_suda(wide(2), sampling_fraction=0), "`sampling_fraction` must be a fraction above 0 and at most 1; got 0"),
        (lambda: dis_suda(wide(2), sampling_fraction=10), "`sampling_fraction` must be a fraction above 0 and at most 1; got 10"),
        (lambda: suda_scores([[0.5, 1]]), "`o` must hold integers: a key is unique if one record has it"),
        (lambda: minimal_sample_uniques(wide(2).expand_dims(year=2)), "`o` must be one table; got the dim 'year'"),
    ],
)
def test_options_and_tables_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_sampling_weights_are_no_numbers_of_records():
    tables = tabulate({"a": [1, 2], "t": [0, 0], "w": [1.5, 2]}, keys="a", target="t", weights="w")
    with pytest.raises(ValueError, match=r"sums of the sampling weights 'w'.*tables.o_records"):
        suda_scores(tables.o)
    assert suda_scores(tables.o_records).suda_score.values.tolist() == [1, 1]
