"""The numbers of riskutility, held against their definitions, person by person."""

import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from statistics import mean, median

import numpy as np
import pytest
from attacked_records import Lookup
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, table_pairs

from capstats import cap_ecdf, from_counts, tabulate
from capstats.attacks import model_attack
from capstats.datasets import anes96
from capstats.peers import as_riskutility, rapid

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def riskutility(original, synthetic):
    """The four functions as their manual defines them, on records (key, target) without a missing value."""
    original, synthetic = ([row for row in rows if None not in row] for rows in (original, synthetic))
    answers, peers = defaultdict(list), defaultdict(list)
    for key, target in synthetic:
        answers[key].append(target)
    for key, target in original:
        peers[key].append(target)
    n, m = len(original), len(synthetic)
    scores = [answers[k].count(t) / len(answers[k]) for k, t in original if answers[k]]
    weap = [answers[k].count(t) / len(answers[k]) for k, t in synthetic]
    sure = sum(len(set(answers[k])) == 1 for k, _ in original)
    right = sum(score == 1 for score in scores)
    proven = sum(set(answers[k]) == {t} == set(peers[k]) for k, t in original)
    modal = max(Counter(t for _, t in synthetic).values()) / m
    potential = sum(t in peers[k] for k, t in synthetic)
    certain = sum(set(peers[k]) == {t} for k, t in synthetic)
    told = sum(len(set(peers[k])) == 1 and t in answers[k] for k, t in original)
    both = sum(k in peers and bool(peers[k]) for k, _ in synthetic)
    chance = both * sum((count / n) ** 2 for count in Counter(t for _, t in original).values())
    return {
        "tcap_mean": mean(scores),
        "tcap_median": median(scores),
        "tcap_max": max(scores),
        "tcap_certain": 100 * proven / len(scores),
        "tcap_matched": 100 * right / len(scores),
        "tcap_conditional": 100 * right / sure if sure else 0,
        "n_certain": proven,
        "n_disclosive_correct": right,
        "n_disclosive": sure,
        "n_matched": len(scores),
        "n_unmatched": n - len(scores),
        "n_total": n,
        "baseline": modal,
        "cap": mean(scores),
        "cap_median": median(scores),
        "dcap": mean(scores) - modal,
        "dcap_median": median(scores) - modal,
        "n_disco_potential": potential,
        "pct_disco_potential": 100 * potential / m,
        "n_disco_certain": certain,
        "pct_disco_certain": 100 * certain / m,
        "n_originals_disclosed": told,
        "pct_original_disclosed": 100 * told / n,
        "n_key_matches": both,
        "baseline_disco": chance,
        "disco_ratio": potential / chance,
        "weap_mean": mean(weap),
        "weap_median": median(weap),
        "pct_disclosive": 100 * sum(score == 1 for score in weap) / m,
    }


def test_numbers_of_riskutility_are_its_definitions():
    rng = np.random.default_rng(82)
    for size in (5, 12, 30, 60):
        for _ in range(2):
            tables = []
            for n in (size, 30):
                keys = [None if k == 6 else f"k{k}" for k in rng.integers(0, 7, n)]
                targets = [None if t == 3 else f"t{t}" for t in rng.integers(0, 4, n)]
                tables.append([*zip(keys, targets, strict=True), ("k0", "t0")])
            records = [{"k": [k for k, _ in rows], "t": [t for _, t in rows]} for rows in tables]
            found = as_riskutility(tabulate(*records, keys="k", target="t"))
            assert found == pytest.approx(riskutility(*tables), rel=1e-12)


def test_the_example_of_its_tests():
    """Original keys A, A, B, B with T1, T2, T1, T1; synthetic A, A, B with T1, T2, T1."""
    found = as_riskutility(from_counts([[1, 2], [1, 0]], [[1, 1], [1, 0]]))
    assert found["cap"] == 0.75
    assert found["baseline"] == 2 / 3
    assert [found["dcap"], found["dcap_median"]] == pytest.approx([1 / 12, 1 / 12])  # 3/4 is the mean and the median of 1/2, 1/2, 1 and 1
    assert found["tcap_matched"] == 50
    assert (found["n_matched"], found["n_unmatched"], found["n_total"]) == (4, 0, 4)


def test_where_no_record_is_matched_its_means_are_undefined():
    found = as_riskutility(from_counts([[1, 0]], [[0, 1]]))
    assert np.isnan([found[name] for name in ("tcap_mean", "tcap_max", "tcap_certain", "tcap_matched", "cap", "dcap", "disco_ratio")]).all()
    assert found["tcap_conditional"] == 0


def test_tables_without_a_complete_record_raise():
    t = tabulate({"k": [1, None], "t": [None, 2]}, {"k": [1], "t": [2]}, keys="k", target="t")
    with pytest.raises(ValueError, match="`o` has no record without a missing key or target"):
        as_riskutility(t)
    t = tabulate({"k": [1, None], "t": [1, 2]}, {"k": [None], "t": [2]}, keys="k", target="t")
    with pytest.raises(ValueError, match="`s` has no record without a missing key or target"):
        as_riskutility(t)


# --- RAPID

RAPID = json.loads((Path(__file__).parents[1] / "reference" / "rapid.json").read_text(encoding="utf-8"))
SCORES = {"RCS_marginal": "marginal", "RCS_conditional": "conditional", "NCE": "entropy"}


@pytest.mark.parametrize("case", RAPID["cases"], ids=lambda case: case["name"])
def test_rapid_is_that_of_its_package(case):
    """Of looked-up keys, of keys without a synthetic record, and of a classification tree."""
    for found in case["rates"]:
        ours = rapid(case["o"], case["s"], score=SCORES[found["method"]], tau=found["tau"])
        assert float(ours) == pytest.approx(found["rate"], rel=1e-12), found


def rapid_by_people(o, s, score, tau, unmatched):
    """The share of people at risk, one person after the other, in fractions."""
    people = [(i, j) for i, j in np.ndindex(o.shape) for _ in range(o[i, j])]
    g = {(i, j): Fraction(int(s[i, j]), int(s[:, j].sum())) if s[:, j].any() else Fraction(0) for i, j in people}
    counted = [(i, j) for i, j in people if unmatched == "zero" or s[:, j].any()]
    at_risk = 0
    for i, j in counted:
        p = Fraction(sum(k == i for k, _ in people), len(people))
        others = [g[cell] for cell in counted if cell[0] == i]
        if score == "marginal":
            at_risk += p < 1 and (g[i, j] - p) / (1 - p) > tau
        elif score == "conditional":
            at_risk += g[i, j] > tau * sum(others) / len(others)
        else:
            levels = len({k for k, _ in people})
            at_risk += levels > 1 and g[i, j] > 0 and 1 + math.log(g[i, j]) / math.log(levels) > tau + 1e-9
    return Fraction(at_risk, len(counted)) if counted else math.nan


@examples(100)
@given(
    table_pairs(),
    st.sampled_from([*SCORES.values()]),
    st.sampled_from([Fraction(0), Fraction(3, 10), Fraction(7, 10), Fraction(1), Fraction(5, 4)]),
    st.sampled_from(["zero", "drop"]),
)
def test_rapid_is_the_share_of_people_above_the_limit(tables, score, tau, unmatched):
    found = float(rapid(*tables, score=score, tau=tau, unmatched=unmatched))
    assert found == pytest.approx(float(rapid_by_people(*tables, score, tau, unmatched)), rel=1e-12, nan_ok=True)


def test_with_equally_frequent_targets_rapid_is_one_minus_the_distribution_of_cap():
    o, s = [[3, 2], [1, 4]], [[2, 1], [1, 3]]
    assert float(rapid(o, s, score="marginal", tau=0.4)) == pytest.approx(1 - float(cap_ecdf(o, s, 0.5 + 0.4 * 0.5)), rel=1e-15) == 0.4


def test_rapid_of_a_fitted_model_takes_its_probabilities():
    """Those of the CAP intruder are individual CAPs; several releases are one call."""
    people = anes96()
    releases = {seed: people.sample(frac=1, replace=True, random_state=seed) for seed in (1, 2)}
    intruder = {"keys": ["educ", "PID"], "target": "vote"}
    attack = model_attack(people, releases, estimator=Lookup(), **intruder)
    tables = tabulate(people, releases, **intruder)
    for score in SCORES.values():
        found = rapid(attack.o, attack.probability, score=score, tau=0.5)
        np.testing.assert_array_equal(found.values, rapid(tables.o, tables.s, score=score, tau=0.5).values)
        assert found.dims == ("synthetic",)


def test_the_entropy_of_rapid_is_over_the_targets_that_occur():
    """Two of three targets occur: the limit is 1/2, not 1/3, and CAP is .4."""
    assert float(rapid([[2], [3], [0]], [[2], [2], [1]], score="entropy", tau=0)) == 0


def test_rapid_refuses_what_it_has_no_definition_for():
    with pytest.raises(ValueError, match='`score` must be "marginal", "conditional" or "entropy"'):
        rapid([[1]], [[1]], score="RCS", tau=0.3)
    with pytest.raises(ValueError, match=r"`tau` must be a number, 0 or more; got -0\.1"):
        rapid([[1]], [[1]], score="marginal", tau=-0.1)
    assert np.isnan(float(rapid([[0]], [[1]], score="marginal", tau=0.3)))
