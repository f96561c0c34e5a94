"""Generators that draw one column after the other: their probabilities by enumeration, and their releases, drawn record by record."""

import json
from itertools import product
from math import sqrt

import numpy as np
import pandas as pd
import pytest

import capstats
from capstats import from_counts, tabulate
from capstats.laws import Given, expected_cap, variance_cap

NETWORK = {
    "age": pd.Series([0.25, 0.75], pd.Index(["old", "young"], name="age")),
    "town": pd.Series([0.5, 0.3, 0.2], pd.Index(["A", "B", "C"], name="town")),  # a column that the tables lack
    "job": pd.Series(
        [0.1, 0.9, 0.4, 0.6, 1.0, 0.0, 0.3, 0.7, 0.25, 0.75, 0.5, 0.5],
        pd.MultiIndex.from_product([["A", "B", "C"], ["old", "young"], ["no", "yes"]], names=["town", "age", "job"]),
    ),
    "sick": pd.Series(
        [0.2, 0.3, 0.5, 0.6, 0.3, 0.1, 0.0, 0.5, 0.5],
        pd.MultiIndex.from_product([["A", "B", "C"], ["no", "unknown", "yes"]], names=["town", "sick"]),
    ),
    "later": pd.Series([1.0], pd.Index([1], name="later")),
}
TABLES = from_counts(
    [[3, 1, 0, 2], [1, 2, 2, 0]],
    key_labels={"age": ["young", "young", "old", "old"], "job": ["no", "yes", "no", "yes"]},
    target_labels={"sick": ["yes", "no"]},
)


def by_hand(age, job, sick):
    """The sum over all towns."""
    towns, jobs = NETWORK["town"], NETWORK["job"]
    return NETWORK["age"][age] * sum(towns[t] * jobs[t, age, job] * NETWORK["sick"][t, sick] for t in towns.index)


def test_the_cells_of_a_network_have_the_probabilities_of_all_records():
    found = Given.from_conditionals(TABLES.o, 5, columns=NETWORK)
    for i, sick in enumerate(["yes", "no"]):
        for j, (age, job) in enumerate(TABLES.indexes["key"]):
            assert found.p.values[list(TABLES.indexes["target"]).index(sick), j] == pytest.approx(by_hand(age, job, sick), rel=1e-14), i
    weights = [sum(by_hand(age, job, sick) for sick in ("yes", "no", "unknown")) for age, job in TABLES.indexes["key"]]
    assert found.key_weights.values == pytest.approx(weights, rel=1e-14)
    assert sum(weights) == pytest.approx(1)
    assert found.m == 5


def test_the_network_of_the_survey_has_the_mean_that_was_found_before():
    """Educ, then PID by educ, then vote by PID: .840602, and no release of 2,000 below .81 or above .87."""
    voters = capstats.datasets.anes96()
    o = tabulate(voters, voters, keys=["PID", "educ"], target="vote").o
    network = {"educ": voters["educ"].value_counts(normalize=True)}
    for parent, column in (("educ", "PID"), ("PID", "vote")):
        network[column] = voters.groupby(parent, observed=True)[column].value_counts(normalize=True)
    generator = Given.from_conditionals(o, len(voters), columns=network)
    assert round(float(expected_cap(o, generator)), 6) == 0.840602
    caps = capstats.average_cap(o, capstats.laws.sample_tables(o, generator, draws=2000, rng=1))
    assert 0.81 < caps.min() < 0.83
    assert 0.85 < caps.max() < 0.87


def test_trees_have_the_shares_of_their_leaves():
    """Each column by a tree on all columns before it; labels are 0, 1, ..."""
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier
    counts = capstats.datasets.titanic()
    people = counts.loc[counts.index.repeat(counts["count"]), ["Class", "Sex", "Survived"]].reset_index(drop=True)
    records = people.apply(lambda column: pd.Series(pd.factorize(column, sort=True)[0], column.index))
    trees = {"Class": records["Class"].value_counts(normalize=True)}
    trees["Sex"] = tree(min_samples_leaf=20, random_state=1).fit(records[["Class"]], records["Sex"])
    trees["Survived"] = tree(min_samples_leaf=20, random_state=1).fit(records[["Class", "Sex"]], records["Survived"])
    o = tabulate(records, records, keys=["Class", "Sex"], target="Survived").o
    found = Given.from_conditionals(o, columns=trees).p
    for (j, (a, b)), (i, survived) in product(enumerate(o.indexes["key"]), enumerate(o.indexes["target"])):
        sex = trees["Sex"].predict_proba(pd.DataFrame({"Class": [a]}))[0, b]
        target = trees["Survived"].predict_proba(pd.DataFrame({"Class": [a], "Sex": [b]}))[0, survived]
        assert float(found[i, j]) == pytest.approx(trees["Class"][a] * sex * target, rel=1e-14)


DESCRIPTION = {
    "attribute_description": {
        "sex": {"is_categorical": True, "distribution_bins": ["f", "m"], "distribution_probabilities": [0.5, 0.5]},
        "income": {"is_categorical": False, "distribution_bins": [0.0, 10.0], "distribution_probabilities": [0.5, 0.5]},
        "sick": {"is_categorical": True, "distribution_bins": ["no", "yes"], "distribution_probabilities": [0.9, 0.1]},
    },
    "bayesian_network": [["income", ["sex"]], ["sick", ["income", "sex"]]],
    "conditional_probabilities": {
        "sex": [0.25, 0.7, 0.05],  # the last one is missing
        "income": {"[0]": [0.5, 0.5], "[1]": [1.0, 0.0], "[2]": [0.0, 1.0]},
        "sick": {"[0, 0]": [0.2, 0.8], "[1, 0]": [0.4, 0.6], "[0, 1]": [0.5, 0.5, 0.0]},  # lacks [1, 2]
    },
}


def test_what_datasynthesizer_describes_is_a_network_of_labels():
    tables = from_counts([[1, 2], [2, 1]], key_labels={"sex": ["f", "m"]}, target_labels={"sick": ["no", "yes"]})
    found = Given.from_datasynthesizer(tables.o, 9, description=json.loads(json.dumps(DESCRIPTION)))
    by_sex = [[0.25 * (0.5 * 0.2 + 0.5 * 0.4), 0.7 * 0.5], [0.25 * (0.5 * 0.8 + 0.5 * 0.6), 0.7 * 0.5]]
    assert found.p.values == pytest.approx(np.array(by_sex), rel=1e-14)
    missing = from_counts([[1, 2], [2, 1]], key_labels={"sex": [None, "m"]}, target_labels={"sick": ["no", "yes"]})
    found = Given.from_datasynthesizer(missing.o, 9, description=DESCRIPTION)
    assert sorted(found.p.values[0]) == pytest.approx([0.05 * 0.9, 0.35])  # by the probabilities of the attribute alone
    cut = from_counts([[1, 2], [2, 1]], key_labels={"income": [0, 10]}, target_labels={"sick": ["no", "yes"]})
    with pytest.raises(ValueError, match="describes 'income' as numbers, and draws them anywhere in intervals"):
        Given.from_datasynthesizer(cut.o, 9, description=DESCRIPTION)


@pytest.mark.filterwarnings("ignore")
def test_releases_of_datasynthesizer_have_the_mean_of_its_description(tmp_path, capfd):
    describer = pytest.importorskip("DataSynthesizer.DataDescriber").DataDescriber(category_threshold=100)
    generator = pytest.importorskip("DataSynthesizer.DataGenerator").DataGenerator()
    voters, path = capstats.datasets.anes96()[["educ", "PID", "income", "vote"]].astype(str), str(tmp_path / "described.json")
    voters.to_csv(tmp_path / "voters.csv", index=False)
    asked = {"attribute_to_is_categorical": dict.fromkeys(voters, True), "seed": 1}
    describer.describe_dataset_in_correlated_attribute_mode(str(tmp_path / "voters.csv"), epsilon=0, k=2, **asked)
    describer.save_dataset_description_to_file(path)
    intruder = {"keys": ["educ", "PID"], "target": "vote"}
    description = json.loads((tmp_path / "described.json").read_text(encoding="utf-8"))
    o = tabulate(voters, voters, **intruder).o
    model = Given.from_datasynthesizer(o, len(voters), description=description)
    caps = []
    for seed in range(30):
        generator.generate_dataset_in_correlated_attribute_mode(len(voters), path, seed=seed)
        tables = tabulate(voters, generator.synthetic_dataset, **intruder)
        caps.append(capstats.average_cap(tables.o, tables.s).item())
    deviation = float(variance_cap(o, model)) ** 0.5
    assert abs(np.mean(caps) - float(expected_cap(o, model))) < 4 * deviation / sqrt(len(caps))
    assert 0.6 < np.std(caps) / deviation < 1.5


@pytest.mark.parametrize("other", [{"attribute_description": DESCRIPTION["attribute_description"]}, "described.json"])
def test_a_description_of_another_mode_is_refused(other):
    with pytest.raises(ValueError, match="in its mode of correlated attributes, read from JSON, with 'attribute_description'"):
        Given.from_datasynthesizer(TABLES.o, 9, description=other)


def test_a_function_is_asked_for_all_cells():
    def probabilities(cells):
        assert sorted(cells) == ["age", "job", "sick"]
        return [by_hand(row.age, row.job, row.sick) for row in cells.itertuples()]

    found = Given.from_function(TABLES.o, 5, probabilities=probabilities)
    same = Given.from_conditionals(TABLES.o, 5, columns=NETWORK)
    assert found.p.values == pytest.approx(same.p.values, rel=1e-14)
    with pytest.raises(ValueError, match=r"must return one number for each of 8 cells; it returned the shape \(7,\)"):
        Given.from_function(TABLES.o, 5, probabilities=lambda cells: np.zeros(len(cells) - 1))


def without(network, column):
    return {name: by for name, by in network.items() if name != column}


@pytest.mark.parametrize(
    ("o", "columns", "message"),
    [
        ([[1, 2]], NETWORK, "`o` must have labels, by which the generator knows its cells; its .*s have none"),
        (TABLES.o, without(NETWORK, "age"), "The generator does not draw the column 'age'"),
        (TABLES.o, without(NETWORK, "town") | {"town": NETWORK["town"]}, "'job' depends on 'town', which is not drawn before it"),
        (TABLES.o, NETWORK | {"job": NETWORK["job"] / 2}, "The probabilities of 'job' must be at least 0 and sum to 1"),
        (TABLES.o, NETWORK | {"job": NETWORK["job"].drop("B")}, "are drawn with the probability 0.3, as of 'job'. Say what is drawn there"),
        (
            TABLES.o,
            NETWORK | {"age": pd.Series([0.25, 0.75], pd.Index(["Old", "Young"], name="age"))},
            "No label of the column 'age' of `o` is one that the generator draws",
        ),
        (TABLES.o, NETWORK | {"town": NETWORK["town"].rename_axis(None)}, "The index of the probabilities of 'town' must have this name"),
    ],
)
def test_what_is_no_generator_of_these_cells_is_refused(o, columns, message):
    with pytest.raises(ValueError, match=message):
        Given.from_conditionals(o, 5, columns=columns)


@pytest.mark.parametrize("by", [[0.5, 0.5], {"Old": 0.5}])
def test_what_draws_a_column_is_a_series_or_a_fitted_classifier(by):
    with pytest.raises(TypeError, match="'age' must be drawn by a Series of probabilities, or by a classifier that was fitted"):
        Given.from_conditionals(TABLES.o, 5, columns=NETWORK | {"age": by})
    with pytest.raises(TypeError, match="`columns` must be a mapping of each column to what draws it; got list"):
        Given.from_conditionals(TABLES.o, 5, columns=[by])


def test_combinations_that_are_never_drawn_may_be_lacking():
    town = pd.Series([0.6, 0.4, 0.0], pd.Index(["A", "B", "C"], name="town"))
    found = Given.from_conditionals(TABLES.o, columns=NETWORK | {"town": town, "job": NETWORK["job"].drop("C")})
    assert float(found.key_weights.sum()) == pytest.approx(1)


def test_columns_that_are_too_many_to_be_summed_out_are_refused():
    names = [f"c{k}" for k in range(28)]
    columns = {name: pd.Series([0.5, 0.5], pd.Index([0, 1], name=name)) for name in names}

    class Classifier:
        classes_ = np.array(["no", "yes"])
        feature_names_in_ = np.array(names)
        predict_proba = None

    columns |= {"age": NETWORK["age"], "job": columns["c0"].rename_axis("job"), "sick": Classifier()}
    columns["job"].index = pd.Index(["no", "yes"], name="job")
    with pytest.raises(ValueError, match=r"would take a table of 5.4e\+08 cells, at 'sick'; the limit is 1.3e\+08"):
        Given.from_conditionals(TABLES.o, columns=columns)
