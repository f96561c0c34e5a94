"""Population uniqueness of tables: reference numbers, batches, releases, the log-linear model, and what is refused."""

from __future__ import annotations

import json
from math import exp
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from capstats import from_counts, tabulate
from capstats.anonymity import class_sizes
from capstats.disclosure import share_replicated
from capstats.population import population_uniqueness

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "population_uniqueness.json").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in REFERENCE["population_uniqueness"]}
LOGLINEAR = {case["name"]: case for case in REFERENCE["loglinear_uniqueness"]}
NAMES = {
    "p_unique": "probability",
    "population_unique_among_sample_unique": "among_sample_uniques",
    "total_given_sample": "given_sample",
    "total_unconditional_exact": "unconditional",
    "total_asymptotic": "asymptotic",
    "total": "unconditional",
    "K_shlosser3": "population_classes",
    **{name: name for name in ("theta", "alpha", "beta")},
}
HEAVY = {1: 200, 2: 60, 3: 30, 4: 15, 5: 10, 10: 5, 50: 2}
TABLE, RELEASE = [[1, 1, 1], [1, 0, 0]], [[0, 1, 0], [1, 0, 2]]


def of_case(case, model):
    sizes = {int(size): classes for size, classes in case["class_sizes"].items()}
    return population_uniqueness(sizes, population_size=case["population_size"], model=model)


@pytest.mark.parametrize("model", ["pitman", "ewens", "zayatz", "snb", "dankar"])
@pytest.mark.parametrize("case", CASES)
def test_reference_numbers(case, model):
    own = CASES[case]["own"][model]
    found = of_case(CASES[case], model)
    if own is None:
        assert found.status == "not estimable: all unique"
        return
    numbers = {name: value for name, value in own.items() if name in NAMES}
    for root in own.get("roots", []):
        numbers |= root
    if model == "dankar":
        chosen = own["model"] if own["model"] != "none" else "zayatz"
        assert found.chosen == chosen
        numbers = {"total_asymptotic" if chosen == "pitman" else "total": own["total"]}
    for name, value in numbers.items():
        if name == "p_unique" and found.status.item().startswith("no sample unique"):
            assert np.isnan(found.probability)  # a share of none
        else:
            assert found[NAMES[name]].item() == pytest.approx(value, rel=1e-9), name


def test_what_other_packages_print_and_why_it_differs():
    for case in CASES.values():
        arx = case["ARX"]
        pitman, snb, zayatz = (of_case(case, model) for model in ("pitman", "snb", "zayatz"))
        assert arx["zayatz"] == pytest.approx(zayatz.unconditional.item(), rel=1e-12)
        if arx["pitman"]:  # the limit for a large population
            if pitman.alpha > 0:
                assert arx["pitman"] == pytest.approx(pitman.asymptotic.item(), rel=1e-6)
            assert pitman.given_sample < pitman.asymptotic
        assert arx["snb"] == 0 != snb.unconditional or not case["class_sizes"].get("1")  # never converges: 0 means "no estimate"
    assert [name for name, case in CASES.items() if case["ARX"]["pitman"] == 0] == [
        "tiny_hand",
        "all_unique",
        "none_unique_2",
        "one_unique_one_big",
    ]
    hand = of_case(CASES["tiny_hand"], "pitman")
    assert (hand.status, hand.given_sample.round(3)) == ("alpha is 0: the Ewens model", 2.656)  # where ARX has 0
    formulas = CASES["tiny_hand"]["riskutility_formula_evaluated_by_us"]
    assert formulas == {"zayatz_p_unique": 0.5, "pitman_p_unique": 0.5}  # 7 / 11 and .6285


def test_the_limit_for_a_large_population_is_no_estimate_for_a_small_one():
    """With 200 uniques among 670 of 671 people there are at most 201 in the population."""
    found = population_uniqueness(HEAVY, population_size=671)
    assert found.asymptotic.item() == pytest.approx(222, abs=0.5)
    assert 199 < found.given_sample < 201
    assert found.unconditional > 201  # before the sample is drawn, other numbers of uniques are possible


def test_class_sizes_are_given_in_three_ways():
    table = np.array([[1, 0, 1, 2, 4, 0], [0, 1, 0, 0, 3, 0]])
    found = [
        population_uniqueness(given, population_size=60, model="zayatz")
        for given in (table, class_sizes(table), {1: 3, 2: 1, 7: 1}, {7: 1.0, 2: 1, 1: np.int64(3), 3: 0})
    ]
    for other in found[1:]:
        xr.testing.assert_allclose(found[0].to_dataset(), other.to_dataset(), rtol=1e-14)


def test_several_releases_of_one_sample_are_fitted_once():
    releases = np.stack([RELEASE, TABLE, np.zeros_like(TABLE)])
    found = population_uniqueness(TABLE, population_size=8, model="ewens", s=releases)
    assert found.probability.dims == ()
    np.testing.assert_allclose(found.among_replicated_uniques, found.probability.item() * np.array([1, 2, 0]), rtol=1e-15)
    np.testing.assert_allclose(found.among_replicated_uniques, found.probability * 4 * share_replicated(TABLE, releases))


# --- log-linear model -------------------------------------------------------------------------------------------------


def tables_of(case):
    frame = pd.DataFrame({**case["columns"], "weight": case["weight"], "target": 0})
    keys = list(case["columns"])
    counted = tabulate(frame, frame, keys=keys, target="target")
    return counted.o, tabulate(frame, frame, keys=keys, target="target", weights="weight").o, frame[keys], round(sum(case["weight"]))


@pytest.mark.parametrize("name", [name for name, case in LOGLINEAR.items() if case["own"]])
def test_reference_numbers_of_the_log_linear_model(name):
    own = LOGLINEAR[name]["own"]
    o, weights, frame, population = tables_of(LOGLINEAR[name])
    for margins, kind in ((None, "sample"), (weights, "weighted")):
        found = population_uniqueness(o, population_size=population, model="loglinear", margins=margins)
        assert found.among_sample_uniques.item() == pytest.approx(own[f"tau1_{kind}_margins"], rel=1e-9)
        assert found.correct_matches.item() == pytest.approx(own[f"tau2_{kind}_margins"], rel=1e-9)
    sdcnway, modrisk = LOGLINEAR[name]["SDCNway"], LOGLINEAR[name]["sdcMicro_modRisk"]["default"]
    if "tau1_pi" in sdcnway:
        assert found.among_sample_uniques.item() == pytest.approx(sdcnway["tau1_pi"], rel=1e-9)
    if modrisk.get("gr1"):  # a share of the filled cells, and fitted means of the sample in place of the population's
        assert abs(modrisk["gr1"] * len(frame.drop_duplicates()) / own["tau1_sample_margins"] - 1) > 0.1


def test_the_log_linear_model_is_a_loop_over_sample_uniques():
    o, _, frame, population = tables_of(LOGLINEAR["r40_3w"])
    n, among, matches = len(frame), 0.0, 0.0
    for _, row in frame[~frame.duplicated(keep=False)].iterrows():
        mean = population * np.prod([(frame[column] == row[column]).mean() for column in frame])
        v = (1 - n / population) * mean
        among, matches = among + exp(-v), matches + (1 - exp(-v)) / v
    found = population_uniqueness(o, population_size=population, model="loglinear")
    assert (found.among_sample_uniques.item(), found.correct_matches.item()) == pytest.approx((among, matches), rel=1e-12)
    assert found.probability.item() == pytest.approx(among / 14, rel=1e-12)


def test_replicated_uniques_of_the_log_linear_model_by_hand():
    # N = 8, n = 4: key (a, x) has lambda = 8 * 3/4 * 2/4 = 3, (b, y) 8 * 1/4 * 2/4 = 1; half of them are outside.
    keys = {"first": ["a", "a", "b"], "second": ["x", "y", "y"]}
    o, s = (from_counts(x, key_labels=keys).o for x in ([[1, 1, 1], [0, 1, 0]], [[1, 0, 0], [0, 0, 2]]))
    found = population_uniqueness(o, population_size=8, model="loglinear", s=s)
    outside = [8 * 3 / 4 * 1 / 4 / 2, 8 * 1 / 4 * 3 / 4 / 2]
    assert found.among_sample_uniques.item() == pytest.approx(exp(-outside[0]) + exp(-outside[1]), rel=1e-14)
    assert found.among_replicated_uniques.item() == pytest.approx(exp(-outside[0]), rel=1e-14)


def test_a_sample_that_is_the_population_has_its_uniques():
    o = from_counts(TABLE, key_labels={"k": [1, 2, 3]}).o
    for model in ("pitman", "zayatz", "snb", "loglinear"):
        found = population_uniqueness(o, population_size=4, model=model)
        assert (found.probability, found.among_sample_uniques) == (1, 2)


# --- results and mistakes ---------------------------------------------------------------------------------------------


def test_the_result_prints_what_is_missing_and_why():
    text = repr(population_uniqueness({1: 5}, population_size=1000, model="snb"))
    assert text.startswith("Population uniqueness, slide negative binomial model")
    assert "not estimable: no class of two" in text
    assert "undefined: two totals; standard errors, for want of a likelihood" in text


def weighted():
    frame = pd.DataFrame({"k": [1, 2, 2], "t": [0, 0, 1], "w": [2, 3, 4]})
    return tabulate(frame, frame, keys=["k"], target="t", weights="w")


LETTERS = from_counts(TABLE, key_labels={"k": list("abc")}).o
AB = {"k": list("ab")}
PAIR = {"o": from_counts([[1, 2]], key_labels=AB).o, "margins": from_counts([[0, 2]], key_labels=AB).o, "model": "loglinear"}
SIZES, WEIGHED_SIZES = class_sizes(TABLE), class_sizes(weighted().o)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"population_size": 3}, r"`population_size` must be at least the number of records of the original, 4; got 3"),
        ({"o": {1: 9}, "population_size": 8}, r"at least the number of records of the original, 9"),
        ({"population_size": 8.5}, r"a whole number; got 8.5"),
        ({"population_size": 0}, r"`population_size` must be the number of people"),
        ({"model": "hoshino"}, r"`model` must be one of 'pitman'"),
        ({"o": {0: 4}}, r"each size an integer, 1 or more.*; got 0"),
        ({"o": {1: -4}}, r"each number of classes an integer, 0 or more.*; got -4"),
        ({"o": {1.5: 4}}, r"each size an integer, 1 or more, below 2\*\*53; got 1.5"),
        ({"o": {1: np.inf}}, r"an integer, 0 or more, below 2\*\*53; got inf"),
        ({"o": {1e30: 1}}, r"below 2\*\*53; got 1000000000000000019884624838656"),
        ({"o": LETTERS, "model": "loglinear", "s": LETTERS / 2}, r"`s` must hold integers: a key is unique if one record has it"),
        ({"o": {2**40: 2**20}, "population_size": 2**53}, r"fewer than 2\*\*53 records"),
        ({"o": [[0.5, 1.5]]}, r"`o` must hold integers: a key is unique"),
        ({"o": weighted().o}, r"sums of the sampling weights 'w'.*tables.o_records"),
        ({"o": weighted().o, "model": "loglinear"}, r"sums of the sampling weights"),
        (
            {"o": class_sizes(weighted().o)},
            r"class sizes that are sums of the sampling weights 'w', but a key is unique .*tables.o_records",
        ),
        ({"o": SIZES.where(SIZES["size"] > 1)}, r"each number of classes an integer, 0 or more.*; got nan"),
        ({"o": class_sizes([[1.5, 1]])}, r"size an integer, 1 or more.*; got 1\.5"),
        ({"o": {1: 4}, "s": RELEASE}, r"give `o` as a table of counts"),
        ({"o": {1: 4}, "model": "loglinear"}, r"needs the columns of the key"),
        ({"model": "loglinear"}, r"needs a table whose keys have labels"),
        ({"margins": TABLE}, r"`margins` are those of the model"),
        ({"o": LETTERS, "population_size": 3, "model": "loglinear"}, r"at least the number of records"),
        (
            {**PAIR, "model": "loglinear"},
            r"`margins` must have records at every level that a sample unique has; a level of the key \('a',\) has none",
        ),
    ],
)
def test_mistakes_are_told(given, message):
    with pytest.raises((ValueError, TypeError), match=message):
        population_uniqueness(**{"o": TABLE, "population_size": 9, **given})


def test_records_of_a_weighted_table_are_counted():
    # two classes of one and of two records: 1 / theta = 1 / (theta + 1) + 1 / (theta + 2), theta^2 = 2
    found = population_uniqueness(weighted().o_records, population_size=9, model="ewens")
    assert found.theta.item() == pytest.approx(2**0.5, rel=1e-14)


def test_where_nobody_is_unique_in_the_sample_no_unique_is_replicated():
    pairs = [[2, 0], [0, 2]]
    found = population_uniqueness(pairs, population_size=8, model="ewens", s=pairs)
    assert np.isnan(found.probability)
    assert found.among_replicated_uniques == 0
