"""The numbers of riskutility, held against their definitions, person by person."""

from collections import Counter, defaultdict
from statistics import mean, median

import numpy as np
import pytest

from capstats import from_counts, tabulate
from capstats.peers import as_riskutility

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


@pytest.mark.slow
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
