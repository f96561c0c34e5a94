"""Held against numbers that other packages computed; each file names package and version."""

import json
from pathlib import Path

import numpy as np
import pytest

from capstats import average_cap, baseline_cap, matched_records, tabulate

REFERENCE = Path(__file__).parent / "reference"
CONCORDANCE = Path(__file__).parents[1] / "theory" / "concordance.md"


def load(name):
    return json.loads((REFERENCE / name).read_text(encoding="utf-8"))


SDMETRICS, SYNTHPOP = load("sdmetrics_cap.json"), load("synthpop_cap.json")


def cases(reference):
    return pytest.mark.parametrize("case", reference["cases"], ids=lambda case: case["name"])


def number(value):
    return np.nan if value is None else value


@pytest.mark.parametrize("reference", [SDMETRICS, SYNTHPOP], ids=lambda reference: reference["package"])
def test_the_concordance_names_the_version_that_the_numbers_are_from(reference):
    rows = [[part.strip() for part in line.split("|")[1:3]] for line in CONCORDANCE.read_text(encoding="utf-8").splitlines()]
    versions = {row[1] for row in rows if row and row[0].lower() == reference["package"]}
    assert versions == {reference["version"]}


# --- SDMetrics


@cases(SDMETRICS)
def test_sdmetrics_protections_are_one_minus_average_cap(case):
    """Undefined where no record is matched, there and here."""
    tables = tabulate(case["original"], case["synthetic"], keys=case["known"], target=case["sensitive"])
    version_1 = average_cap(tables.o, tables.s).item()
    version_2 = average_cap(tables.o, tables.s, unmatched="drop").item()
    ours = {
        "CategoricalCAP": 1 - version_2,
        "CategoricalZeroCAP": 1 - version_1,
        "cap: cap_protection": 1 - version_2,
        "zero_cap: cap_protection": 1 - version_1,
    }
    compared = ours.keys() & case.keys()
    assert len(compared) >= 2
    for name in compared:
        np.testing.assert_allclose(ours[name], number(case[name]), rtol=0, atol=1e-12, err_msg=name)


@cases(SDMETRICS)
def test_sdmetrics_baseline_protection_is_one_minus_the_uniform_baseline(case):
    tables = tabulate(case["original"], case["synthetic"], keys=case["known"], target=case["sensitive"])
    np.testing.assert_allclose(1 - baseline_cap(tables.o, kind="uniform").item(), case["baseline_protection"], rtol=0, atol=1e-12)


@cases(SDMETRICS)
def test_sdmetrics_score_is_the_protection_over_that_of_the_baseline(case):
    """At most 1; NaN where the baseline protects nobody."""
    tables = tabulate(case["original"], case["synthetic"], keys=case["known"], target=case["sensitive"])
    baseline = 1 - baseline_cap(tables.o, kind="uniform").item()
    for method, unmatched in (("cap", "drop"), ("zero_cap", "zero")):
        protection = 1 - average_cap(tables.o, tables.s, unmatched=unmatched).item()
        score = np.minimum(protection / baseline, 1) if baseline > 0 else np.nan
        np.testing.assert_allclose(score, number(case[f"{method}: score"]), rtol=0, atol=1e-12, err_msg=method)


def test_the_sdmetrics_cases_have_missing_values_several_targets_and_unmatched_keys():
    names = {case["name"] for case in SDMETRICS["cases"]}
    assert len(names) == 16
    missing = [case for case in SDMETRICS["cases"] if any(None in column for column in case["original"].values())]
    assert len(missing) == 3
    assert max(len(case["sensitive"]) for case in SDMETRICS["cases"]) == 3
    assert sum(case["cap: cap_protection"] is None for case in SDMETRICS["cases"]) == 3


# --- synthpop


def counts(case):
    if "o" in case:
        return np.array(case["o"]), np.array(case["s"])
    tables = tabulate(case["original"], case["synthetic"], keys=case["keys"], target=case["target"])
    return tables.o, tables.s


@cases(SYNTHPOP)
def test_synthpop_percentages_are_ours(case):
    o, s = counts(case)
    ours = {
        "DCAP": average_cap(o, s),
        "CAPd": average_cap(o, o),
        "CAPs": average_cap(s, s),
        "baseCAPd": baseline_cap(o),
        "iS": matched_records(o, s) / o.sum(),
    }
    for name, value in ours.items():
        assert 100 * value.item() == pytest.approx(case[name], rel=0, abs=1e-10), name


def test_the_synthpop_cases_are_counts_and_records_of_several_keys():
    assert sum("o" in case for case in SYNTHPOP["cases"]) == 13
    assert sum("keys" in case for case in SYNTHPOP["cases"]) == 4
    assert max(len(case.get("keys", [])) for case in SYNTHPOP["cases"]) == 3
