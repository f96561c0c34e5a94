"""Individual risk, expected re-identifications and household risk, from the weights of a sample."""

from __future__ import annotations

import json
from collections import defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import comb, log, prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from small_tables import dataset_of
from strategies import counts, theorem

from capstats import from_counts, tabulate
from capstats.anonymity import prosecutor_risk
from capstats.datasets import anes96
from capstats.population import expected_reidentifications, household_risk, individual_risk

CASES = json.loads((Path(__file__).parents[1] / "reference" / "sdcmicro_population.json").read_text())["cases"]
EXACT = [case for case in CASES if "exact" in case]
IN_NAMES = [case["name"] for case in EXACT]


@cache
def risk(f: int, total: float) -> float:
    return individual_risk(dataset_of(o=[[total]], o_records=[[f]])).item()


def counted(case: dict[str, Any], target: str = "household", **options: Any) -> xr.Dataset:
    """The records of a case by key and target; each is a household of its own where none is given."""
    records = pd.DataFrame(case["columns"]).assign(weight=case["weight"])
    records["household"] = case.get("household", range(len(records)))
    return tabulate(records, keys=list(case["columns"]), target=target, weights="weight", **options)


def by_record(case: dict[str, Any], of_key: xr.DataArray) -> list[float]:
    by_key = of_key.to_series().to_dict()
    return [by_key[key] for key in zip(*case["columns"].values(), strict=True)]


# --- the risk of a record ---------------------------------------------------------------------------------------------


def test_small_classes_have_the_closed_forms():
    """p = 1/5: p / (1 - p) log(1 / p) = log(5) / 4; f = 2, p = 2/11: 2/9 - 4/81 log(11/2)."""
    assert risk(1, 5) == pytest.approx(log(5) / 4, rel=1e-15)
    assert risk(2, 11) == pytest.approx(2 / 9 - 4 / 81 * log(5.5), rel=1e-14)
    assert risk(1, 7) == pytest.approx(log(7) / 6, rel=1e-15)


@pytest.mark.parametrize(
    ("f", "total", "expected"),
    [  # p / f 2F1(1, 1; f + 1; 1 - p) by mpmath 1.4.1, 50 digits
        (1, 1.0000001, 0.999999950000003304),
        (1000, 1e12, 1.00100100099999799e-12),
        (10**6, 1e6 + 1, 9.99999000001999996e-7),
        (10**6, 2e6, 5.0000025e-7),
        (10**6, 1e15, 1.000001000000999e-15),
        (10**6, 1e6, 1e-6),
    ],
)
def test_no_class_size_and_no_weight_costs_digits(f: int, total: float, expected: float):
    assert risk(f, total) == pytest.approx(expected, rel=5e-15)


@pytest.mark.parametrize("f", [2, 20, *(pytest.param(f, marks=pytest.mark.slow) for f in (1, *range(3, 20), *range(21, 26), 60, 300))])
def test_the_risk_is_that_of_the_recurrence_in_many_digits(f: int):
    """I_(g + 1) = (1 / g - p I_g) / q from I_1 = log(1 / p) / q, which loses (p / q)**f of its digits."""
    with localcontext(prec=6 * f + 200):
        for total in (f * 1.000001, f * 1.01, f * 1.5, f * 2, f * 2.000001, f * 2.1, f * 3, f * 1e3, f * 1e12):
            p = f / Decimal(total)
            found = -p.ln() / (1 - p)
            for g in range(1, f):
                found = (1 / Decimal(g) - p * found) / (1 - p)
            assert risk(f, total) == pytest.approx(float(p * found), rel=5e-15), total


@pytest.mark.parametrize(("f", "total"), [(1, 3), (2, 5), (4, 7), (9, 10)])
def test_the_risk_is_the_mean_over_the_posterior_sizes_of_the_class(f: int, total: int):
    """A prior in proportion to 1 / F and a sample of which each person is a part with probability p, summed size by size."""
    p = Fraction(f, total)
    weights = [Fraction(comb(size, f), size) * (1 - p) ** (size - f) for size in range(f, 400)]  # what is left is below 1e-20
    mean = sum(weight / size for size, weight in enumerate(weights, f)) / sum(weights)
    assert risk(f, total) == pytest.approx(float(mean), rel=1e-13)


@theorem
@given(st.integers(1, 10**7), st.floats(1, 1e7), st.floats(1, 10))
def test_the_risk_lies_between_its_bounds_and_falls_with_the_weights(f: int, weight: float, more: float):
    """Part 2: p / f <= risk <= p / (f - (1 - p)) <= 1 / f, for f of 2 or more in the middle."""
    total, found = f * weight, risk(f, f * weight)
    p = f / total
    assert p / f * (1 - 1e-14) <= found <= 1 / f * (1 + 1e-14)
    if f > 1:
        assert found <= p / (f - (total - f) / total) * (1 + 1e-14)
    assert risk(f, total * more) <= found * (1 + 1e-14)


def test_a_sample_that_is_its_population_has_the_prosecutor_risk():
    o = [[1, 2, 0, 30], [0, 2, 0, 0]]
    np.testing.assert_array_equal(individual_risk(dataset_of(o=o, o_records=o)), prosecutor_risk(o))


# --- numbers of cases -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", EXACT, ids=IN_NAMES)
def test_risks_are_the_exact_sums(case: dict[str, Any]):
    tables = counted(case)
    expected = case["exact"]
    risks = individual_risk(tables)
    assert by_record(case, risks) == pytest.approx(expected["risk"], rel=1e-12)
    found = expected_reidentifications(tables)
    assert found.records.item() == pytest.approx(expected["expected"], rel=1e-12)
    assert found.share.item() == pytest.approx(expected["share"], rel=1e-12)


@pytest.mark.parametrize("case", [case for case in EXACT if "household" in case], ids=lambda case: case["name"])
def test_household_risks_are_the_exact_products(case: dict[str, Any]):
    tables = counted(case)
    found = household_risk(tables)
    by_household = found.risk.to_series().to_dict()
    assert [by_household[x] for x in case["household"]] == pytest.approx(case["exact"]["household"], rel=1e-12)
    assert found.records.item() == pytest.approx(case["exact"]["household expected"], rel=1e-12)


@pytest.mark.parametrize("case", EXACT, ids=IN_NAMES)
def test_sdcmicro_is_exact_up_to_two_records_and_too_high_above(case: dict[str, Any]):
    tables = counted(case)
    f = tables.o_records.sum("target")
    p = f / tables.o.sum("target")
    exact = individual_risk(tables)
    theirs = xr.where(f <= 2, exact, p / (f - (1 - p)))
    assert by_record(case, theirs) == pytest.approx(case["sdcMicro"]["risk"], rel=1e-11)
    excess = (theirs / exact - 1).where(f > 2, drop=True)
    assert (excess > -1e-12).all()
    assert (excess < 0.0404).all()


def test_the_alternating_sum_of_sdcmicro_loses_all_digits_in_a_class_of_sixty():
    (case,) = (case for case in CASES if case["name"] == "big_class")
    assert case["sdcMicro"]["exact"] < 0
    assert risk(60, 180) == pytest.approx(case["exact"]["risk"][0], rel=1e-12)


def test_a_missing_value_is_a_level_and_not_a_wildcard_as_in_sdcmicro():
    """The second and eighth record share a key; those with a missing value share theirs with nobody, in sdcMicro with whom they can."""
    (case,) = (case for case in CASES if case["name"] == "na_3")
    tables = counted(case)
    ours = [risk(2, 7) if i in (1, 7) else risk(1, weight) for i, weight in enumerate(case["weight"])]
    assert sorted(individual_risk(tables).values) == pytest.approx(sorted(ours[:7] + ours[8:]), rel=1e-12)
    other = {
        alpha: [i for i in range(10) if theirs[i] != pytest.approx(ours[i], rel=1e-9)]
        for alpha, theirs in case["sdcMicro, missing values as wildcards, alpha"].items()
    }
    assert other == {"1": [0, 1, 3, 6, 7], "0.5": [0, 1, 3, 6, 7], "0": [0, 3]}
    assert case["sdcMicro, missing values as wildcards, alpha"]["0.5"][6] == 0  # one and a half records: no risk at all


# --- households -------------------------------------------------------------------------------------------------------


SAMPLE = anes96().sample(200, random_state=1).assign(weight=np.resize([1.5, 4, 7.25], 200), home=np.arange(200) // 3)
KEYS = ["educ", "PID"]


def loop_over_households() -> dict[int, tuple[int, float]]:
    """Members of each household, and the risk that one of them is linked."""
    f, total, members = defaultdict(int), defaultdict(float), defaultdict(list)
    for educ, pid, weight, home in SAMPLE[[*KEYS, "weight", "home"]].itertuples(index=False):
        f[educ, pid] += 1
        total[educ, pid] += weight
        members[home].append((educ, pid))
    return {home: (len(keys), 1 - prod(1 - risk(f[key], total[key]) for key in keys)) for home, keys in members.items()}


@pytest.mark.parametrize("target", ["home", ["vote", "home"]])
@pytest.mark.parametrize("backing", ["dense", "sparse"])
def test_household_risk_is_that_of_a_loop_over_members(target: Any, backing: Any):
    tables = tabulate(SAMPLE, keys=KEYS, target=target, weights="weight", backing=backing)
    found = household_risk(tables, household="home")
    expected = loop_over_households()
    assert found.household.values.tolist() == list(expected)
    assert found.members.values.tolist() == [members for members, _ in expected.values()]
    assert found.risk.values == pytest.approx([risk for _, risk in expected.values()], rel=1e-12)
    assert found.households.item() == pytest.approx(sum(risk for _, risk in expected.values()))
    assert found.records.item() == pytest.approx(sum(members * risk for members, risk in expected.values()))
    assert found.share.item() == found.records.item() / 200


@theorem
@given(counts((3, 4)), st.floats(1, 50))
def test_a_household_is_found_at_least_as_often_as_each_member_and_at_most_as_often_as_their_sum(o: np.ndarray, weight: float):
    risks = individual_risk(dataset_of(o=o * weight, o_records=o)).values
    found = household_risk(dataset_of(o=o * weight, o_records=o))
    for members, risk in zip(o, found.risk.values, strict=True):
        held = np.repeat(risks, members)
        if len(held):
            assert held.max() * (1 - 1e-12) <= risk <= min(1, held.sum()) * (1 + 1e-12)
        else:
            assert np.isnan(risk)


def test_a_risk_of_1_makes_that_of_the_household_1():
    found = household_risk(dataset_of(o=[[1, 9], [0, 9]], o_records=[[1, 1], [0, 1]]))
    assert found.risk.values.tolist() == [1, pytest.approx(risk(2, 18))]


# --- batches, nothing, mistakes ---------------------------------------------------------------------------------------


def test_a_sample_without_records_has_no_risk():
    empty = [[0, 0], [0, 0]]
    assert np.isnan(individual_risk(dataset_of(o=empty, o_records=empty))).all()
    for function in (expected_reidentifications, household_risk):
        found = function(dataset_of(o=empty, o_records=empty))
        assert np.isnan(found.records)
        assert np.isnan(found.share)
    assert np.isnan(household_risk(dataset_of(o=empty, o_records=empty)).households)


def test_weights_below_1_are_refused_and_the_key_is_named():
    (case,) = (case for case in CASES if case["name"] == "weights_below_1")
    tables = counted(case)
    assert max(case["sdcMicro"]["risk"]) > 1
    for function in (individual_risk, expected_reidentifications, household_risk):
        message = r"this fails at \d+ of \d+ keys\. A weight is the number of people"
        with pytest.raises(ValueError, match=message):
            function(tables)


def test_a_class_may_have_weights_below_1_if_it_stands_for_all_its_records():
    assert risk(2, 0.4 + 1.6) == risk(3, 0.9 + 1.1 + 1 - 1e-15) * 1.5 == 0.5


def test_records_must_belong_to_the_weights():
    with pytest.raises(ValueError, match=r"`o_records` must count the records whose weights `o` adds up; this fails at 1 of 2 keys"):
        individual_risk(dataset_of(o=[[8, 3]], o_records=[[0, 1]]))
    o = xr.DataArray([[[2, 4], [5, 0]], [[0, 7], [0, 3]]], dims=("draw", "target", "key"))
    with pytest.raises(ValueError, match=r"`o` must be at least `o_records`.* this fails at 1 of . keys"):
        individual_risk(dataset_of(o=o, o_records=[[1, 1], [2, 0]]))
    with pytest.raises(ValueError, match=r"The Dataset holds no table `o_records`, only o\. Tabulate with sampling weights"):
        individual_risk(from_counts([[8]]))
    with pytest.raises(ValueError, match="`o_records` must hold integers"):
        individual_risk(dataset_of(o=[[8]], o_records=[[1.5]]))
    with pytest.raises(TypeError, match=r"`tables` must be the Dataset that tabulate\(\.\.\., weights=\.\.\.\) returns; got list"):
        individual_risk([[8]])


def test_the_household_must_be_named_and_known():
    both = tabulate(SAMPLE, keys=KEYS, target=["vote", "home"], weights="weight")
    for household, message in (
        (None, "`household` is not given.* It has 'vote', 'home'"),
        ("hom", "no target column.* Did you mean 'home'"),
    ):
        with pytest.raises(ValueError, match=message):
            household_risk(both, household=household)
    one = from_counts([[1, 2]], target_labels={"home": [7]}).o
    assert household_risk(dataset_of(o=one, o_records=one)).household.values.tolist() == [7]
    with pytest.raises(ValueError, match="'vote', which is no target column"):
        household_risk(dataset_of(o=one, o_records=one), household="vote")
    with pytest.raises(ValueError, match="'home', which is no target column"):
        household_risk(dataset_of(o=[[1, 2]], o_records=[[1, 2]]), household="home")
    lacking = tabulate(SAMPLE.assign(home=SAMPLE.home.where(SAMPLE.home > 3)), keys=KEYS, target="home", weights="weight")
    with pytest.raises(ValueError, match="Records have no household: 'home' is missing"):
        household_risk(lacking)
