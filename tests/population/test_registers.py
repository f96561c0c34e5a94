"""Risks of a sample whose population is known by a table."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import counts, keys_that_merge, theorem

from capstats import tabulate
from capstats.anonymity import k_anonymity, marketer_risk, prosecutor_risk
from capstats.datasets import anes96
from capstats.population import population_profile

CASES = json.loads((Path(__file__).parents[1] / "reference" / "arx_population.json").read_text())["cases"]

TINY, POPULATION = [[1, 2, 1]], [[1, 4, 5]]
KEYS = ["educ", "PID"]
REGISTER = anes96()
SAMPLE = REGISTER.sample(200, random_state=1)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_risks_are_the_sums_of_fractions_and_those_of_arx(case: dict[str, Any]):
    o, population, exact = [case["sample"]], [case["population"]], case["exact"]
    found = population_profile(o, population=population)
    for name, theirs in {
        "k_map": "k_map",
        "journalist_greatest": "journalist_highest",
        "journalist_average": "journalist_average_record",
        "journalist_class_average": "journalist_average_class",
        "journalist_at_risk": "journalist_at_risk",
        "expected_matches": "expected_reidentifications",
        "expected_unique_matches": "tau2",
        "sample_uniques": "sample_unique",
        "population_uniques": "sample_and_population_unique",
        "population_unique_share": "p_population_unique_given_sample_unique",
        "unique_match_share": "p_correct_match_given_unique_match",
    }.items():
        expected = np.nan if exact[theirs] is None else exact[theirs]
        assert found[name].item() == pytest.approx(expected, rel=1e-12, nan_ok=True), name
    assert k_anonymity(o).item() == exact["k_anonymity"]
    assert marketer_risk(o).item() == pytest.approx(exact["prosecutor_average"], rel=1e-12)
    assert found.journalist_average.item() == pytest.approx(exact["marketer"], rel=1e-12)

    arx = case["ARX"]  # has the same, but for the journalist the greater of two averages
    assert found.journalist_greatest.item() == pytest.approx(arx["journalist_highest"], rel=1e-12)
    assert found.journalist_at_risk.item() == pytest.approx(arx["journalist_at_risk"], rel=1e-12)
    assert found.journalist_average.item() == pytest.approx(arx["marketer"], rel=1e-12)
    greater = max(found.journalist_average.item(), found.journalist_class_average.item())
    assert arx["journalist_average"] == pytest.approx(greater, rel=1e-12)


def test_in_two_cases_the_average_of_arx_is_over_classes():
    of_classes = [case["name"] for case in CASES if case["ARX"]["journalist_average"] > case["exact"]["journalist_average_record"] + 1e-9]
    assert of_classes == ["random_5", "random_14"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_journalist_of_riskutility_takes_the_class_average_of_a_population_in_proportion(case: dict[str, Any]):
    o = np.array([case["sample"]])
    fraction = o.sum() / sum(case["population"])
    theirs = (fraction * prosecutor_risk(o) * o[0]).sum().item() / o.sum()
    assert case["riskutility journalist"] == pytest.approx(theirs, rel=1e-12)
    held = np.array(case["population"])[o[0] > 0].sum() == sum(case["population"])
    found = population_profile(o, population=[case["population"]]).journalist_class_average.item()
    assert (theirs == pytest.approx(found, rel=1e-12)) == held


def test_the_profile_prints_what_it_is_about():
    text = repr(population_profile(TINY, population=POPULATION))
    assert text.startswith("Sample in its population")
    assert "threshold: 0.2" in text


# --- an oracle, and theorems ------------------------------------------------------------------------------------------


def pairs(keys: int = 6) -> st.SearchStrategy[Any]:
    """A sample and the people of its population who are not in it."""
    return st.tuples(counts((3, keys)), counts((2, keys), most=4, empty=True))


def population_of(o: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.concatenate([o, others])


@theorem
@given(pairs(), st.sampled_from([0.0, 0.2, 0.25, 1 / 3, 0.5, 1.0]))
def test_the_profile_is_that_of_a_loop_over_people(tables: Any, threshold: float):
    o, population = tables[0], population_of(*tables)
    sample, people = (np.repeat(np.arange(6), table.sum(0)).tolist() for table in (o, population))
    in_sample, in_population = Counter(sample), Counter(people)
    risks = [Fraction(1, in_population[key]) for key in sample]
    unique = [key for key in sample if in_sample[key] == 1]
    found = population_profile(o, population=population, threshold=threshold)
    expected = {
        "k_map": min(in_population[key] for key in sample),
        "journalist_greatest": max(risks),
        "journalist_average": sum(risks) / len(sample),
        "journalist_class_average": Fraction(len(in_sample), sum(person in in_sample for person in people)),
        "journalist_at_risk": Fraction(sum(float(risk) > threshold for risk in risks), len(sample)),
        "expected_matches": sum(risks),
        "expected_unique_matches": sum(Fraction(1, in_population[key]) for key in unique),
        "sample_uniques": len(unique),
        "population_uniques": sum(in_population[key] == 1 for key in unique),
        "population_unique_share": Fraction(sum(in_population[key] == 1 for key in unique), len(unique)) if unique else np.nan,
        "unique_match_share": Fraction(len(unique), sum(person in unique for person in people)) if unique else np.nan,
    }
    assert {name: found[name].item() for name in found} == pytest.approx({name: float(x) for name, x in expected.items()}, nan_ok=True)


@theorem
@given(pairs(), keys_that_merge(6))
def test_risks_are_ordered_and_coarser_keys_lower_them(tables: Any, merged: list[int]):
    """Parts 2 to 4 of the statement."""
    o, population = tables[0], population_of(*tables)
    found = population_profile(o, population=population)
    assert found.journalist_greatest <= prosecutor_risk(o).max()
    assert found.k_map >= k_anonymity(o)
    assert found.journalist_average <= marketer_risk(o) + 1e-12
    least = max(found.population_uniques.item(), found.sample_uniques.item() * np.nan_to_num(found.unique_match_share.item()))
    assert least <= found.expected_unique_matches + 1e-12
    coarser = [np.stack([table[:, np.array(merged) == key].sum(1) for key in range(6)], 1) for table in (o, population)]
    after = population_profile(coarser[0], population=coarser[1])
    assert after.k_map >= found.k_map
    assert after.journalist_average <= found.journalist_average + 1e-12


def test_a_population_that_is_the_sample_gives_the_risks_of_the_prosecutor():
    o = [[1, 2, 0], [0, 1, 0]]
    found = population_profile(o, population=o)
    assert found.journalist_greatest.item() == prosecutor_risk(o).max().item()
    assert found.journalist_average.item() == marketer_risk(o).item()


# --- tables of the population -----------------------------------------------------------------------------------------


def test_sample_and_register_are_counted_in_one_call_and_cut_alike():
    tables = tabulate(SAMPLE, REGISTER, keys=["age", "PID"], target=None, bins={"age": 4})
    apart = tabulate(REGISTER, keys=["age", "PID"], target=None, bins={"age": tables.attrs["bins"]["age"]})
    expected = population_profile(tables.o, population=tables.s)
    found = population_profile(tabulate(SAMPLE, keys=["age", "PID"], target="vote", bins=apart.attrs["bins"]).o, population=apart.o)
    xr.testing.assert_equal(found, expected)


# --- batches, nothing, mistakes ---------------------------------------------------------------------------------------


def test_nobody_in_the_sample_has_a_risk():
    for name, number in population_profile([[0, 0]], population=[[3, 1]]).items():
        assert number == 0 if name in ("sample_uniques", "population_uniques") else number.isnull()


def test_a_class_that_the_population_lacks_is_named():
    sample = tabulate(SAMPLE, keys=KEYS, target="vote").o
    few = tabulate(REGISTER[REGISTER.educ != "Some college"], keys=KEYS, target=None).o
    with pytest.raises(
        ValueError, match=r"`population` must hold the people of all records of `o`; of \d+ keys \d+ have fewer people in it than records"
    ):
        population_profile(sample, population=few)
    with pytest.raises(ValueError, match=r"fewer people in it than records in `o`\. Spell and cut the key columns alike"):
        population_profile([[1, 2]], population=[[9, 1]])


def test_numbers_of_people_are_needed():
    weighted = tabulate(SAMPLE.assign(w=2), keys=KEYS, target="vote", weights="w").o
    with pytest.raises(ValueError, match=r"`o` holds sums of the sampling weights 'w', .*Give the numbers of records, tables\.o_records"):
        population_profile(weighted, population=weighted)
    with pytest.raises(ValueError, match="`population` holds sums of the sampling weights 'w'"):
        population_profile(TINY, population=weighted)
    for name, o, population in (("o", [[0.5]], [[1]]), ("population", [[1]], [[1.5]])):
        with pytest.raises(ValueError, match=f"`{name}` must hold integers: numbers of people"):
            population_profile(o, population=population)


def test_the_population_is_a_table_of_the_same_keys():
    sample = tabulate(SAMPLE, keys=KEYS, target="vote").o
    with pytest.raises(TypeError, match=r"`population` is a DataFrame\. For records use capstats\.tabulate"):
        population_profile(sample, population=REGISTER)
    register = tabulate(REGISTER, keys=KEYS, target=None)
    assert population_profile(sample, population=register).identical(population_profile(sample, population=register.o))
    with pytest.raises(ValueError, match="label them alike"):
        population_profile(sample, population=tabulate(REGISTER, keys="educ", target=None).o)
    with pytest.raises(ValueError, match="`o` has 1 targets x 3 keys, `population` has 2 keys"):
        population_profile(TINY, population=[[9, 9]])


def test_a_threshold_is_a_risk_and_counts_only_above():
    for threshold, share in ((0.25, 0.25), (0.2, 0.75), (0.2 - 1e-9, 1.0), (1 - 0.8, 0.75), (1, 0.0)):
        assert population_profile(TINY, population=POPULATION, threshold=threshold).journalist_at_risk.item() == share
    with pytest.raises(ValueError, match="`threshold` must be a risk from 0 to 1; got 2"):
        population_profile(TINY, population=POPULATION, threshold=2)


def test_weights_of_a_release_are_no_records():
    release = tabulate({"k": ["a"], "t": ["x"], "w": [2.5]}, keys="k", target="t", weights="w").o
    with pytest.raises(ValueError, match="`s` holds sums of the sampling weights 'w'"):
        population_profile([[1]], population=[[2]], s=release)
