"""Fitted intruders: naive Bayes written out on the counts, and what an attack tells."""

import subprocess
import sys
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import sparse
from attacked_records import KEYS, Lookup, people
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from strategies import theorem

import capstats
from capstats import average_cap, average_cap_interval, cap_quantiles, correct_predictions, individual_share, tabulate
from capstats.attacks import model_attack

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

# --- An intruder who looks keys up

CONVENTIONS = {"zero": 0.0, "drop": np.nan}  # and the probabilities of targets of a key that was not released


@pytest.mark.parametrize("unmatched", CONVENTIONS)
@pytest.mark.parametrize("several", [False, True])
def test_the_attack_of_the_one_who_looks_keys_up_is_average_cap(unmatched, several):
    original, synthetic = people(1), [people(2), people(3, 25), people(4, 10)]
    synthetic = synthetic if several else synthetic[1]
    attack = model_attack(original, synthetic, keys=KEYS, target="ill", estimator=Lookup(CONVENTIONS[unmatched]))
    tables = tabulate(original, synthetic, keys=KEYS, target="ill")
    expected = average_cap(tables.o, tables.s, unmatched=unmatched)
    np.testing.assert_allclose(attack.average, expected, rtol=1e-12)
    assert attack.average.dims == expected.dims
    np.testing.assert_allclose(attack.best_guess, attack.modal_cap, rtol=1e-15)
    assert attack.attrs["unmatched"] == unmatched


records = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.integers(0, 2)), min_size=1, max_size=12)


@theorem
@given(records, records, st.sampled_from([*CONVENTIONS]))
def test_it_is_average_cap_on_any_records(original, released, unmatched):
    o, s = ({c: list(v) for c, v in zip("kjt", zip(*rows, strict=True), strict=True)} for rows in (original, released))
    attack = model_attack(o, s, keys=["k", "j"], target="t", estimator=Lookup(CONVENTIONS[unmatched]), allow_same=True)
    tables = tabulate(o, s, keys=["k", "j"], target="t")
    np.testing.assert_allclose(attack.average, average_cap(tables.o, tables.s, unmatched=unmatched), rtol=1e-12)


@pytest.mark.parametrize("unmatched", CONVENTIONS)
def test_a_release_with_one_target_is_attacked_where_average_cap_is_defined(unmatched):
    original, released = people(1), people(2).assign(ill="no")
    tables = tabulate(original, released, keys=KEYS, target="ill")
    attack = model_attack(original, released, keys=KEYS, target="ill", estimator=Lookup(CONVENTIONS[unmatched]))
    assert attack.average.item() == pytest.approx(average_cap(tables.o, tables.s, unmatched=unmatched).item(), rel=1e-12)
    tree = model_attack(original, released, keys=KEYS, target="ill", estimator=DecisionTreeClassifier())
    assert tree.average.item() == tree.best_guess.item() == pytest.approx((original["ill"] == "no").mean(), rel=1e-12)


# --- Fitted models


def naive_bayes(original, released, keys, target, alpha=1):
    """For each original record the probability of its target, from counts alone, in fractions."""
    table = released[[*keys, target]].astype(object).where(lambda x: x.notna(), "missing")
    of_o = original[[*keys, target]].astype(object).where(lambda x: x.notna(), "missing")
    levels = {c: set(table[c]) | set(of_o[c]) for c in keys}
    classes = sorted(set(table[target]))
    found = []
    for record in of_o.to_dict("records"):
        weight = {}
        for t in classes:
            own = table[table[target] == t]
            weight[t] = Fraction(len(own), len(table))
            for c in keys:
                weight[t] *= Fraction(int((own[c] == record[c]).sum()) + alpha, len(own) + alpha * len(levels[c]))
        found.append(weight.get(record[target], 0) / sum(weight.values()))
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_naive_bayes_is_its_formula_on_the_counts(seed):
    original, released = people(seed, 30), people(seed + 20, 40)
    tables = tabulate(original, released, keys=KEYS, target="ill")
    levels = [len(level) for level in tables.indexes["key"].levels]
    attack = model_attack(original, released, keys=KEYS, target="ill", estimator=CategoricalNB(min_categories=levels))
    expected = naive_bayes(original, released, KEYS, "ill")
    assert attack.average.item() == pytest.approx(float(sum(expected) / len(expected)), rel=1e-12)
    values = np.sort([float(p) for p in expected])
    found = cap_quantiles(attack.o, attack.probability, [0, 0.3, 0.5, 1])
    np.testing.assert_allclose(found, np.quantile(values, [0, 0.3, 0.5, 1]), rtol=1e-12)


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(random_state=0), LogisticRegression(), DummyClassifier()], ids=repr)
def test_distinct_rows_with_weights_are_the_records_one_by_one(estimator):
    """Fitted on all records and asked record by record, as nobody needs to do it."""
    original, released = people(5), people(6)
    attack = model_attack(original, released, keys=KEYS, target="ill", estimator=estimator)
    tables = tabulate(original, released, keys=KEYS, target="ill")
    codes = dict(zip(tables.indexes["key"], zip(*tables.indexes["key"].codes, strict=True), strict=True))
    targets = list(tables.indexes["target"])

    def rows(frame):
        keys = [tuple(capstats.MISSING if pd.isna(x) else x for x in row) for row in frame[KEYS].astype(object).itertuples(index=False)]
        return pd.DataFrame([codes[key] for key in keys], columns=KEYS), [targets.index(t) for t in frame["ill"]]

    x, y = rows(released)
    fitted = estimator.fit(x, y)
    x, y = rows(original)
    p = fitted.predict_proba(x)
    truth = [p[i, list(fitted.classes_).index(t)] if t in fitted.classes_ else 0 for i, t in enumerate(y)]
    assert attack.average.item() == pytest.approx(np.mean(truth), rel=1e-4)  # the iterations of logistic regression end where they do
    assert attack.attrs["repeated_rows"] is False


@pytest.mark.parametrize("option", ["min_samples_leaf", "min_samples_split"])
def test_options_that_count_rows_see_distinct_rows_and_weight_fractions_see_records(option):
    """Six records of a, five of them x, and six of b, all y: three distinct rows, which 3 in each leaf or 4 in a node forbid to part.

    By hand: the whole has 5 x and 7 y, so (5 * 5 + 7 * 7) / 144; in two leaves (5 * 5 / 6 + 1 / 6 + 6) / 12.
    """
    records = pd.DataFrame({"k": list("aaaaaabbbbbb"), "t": list("xxxxxyyyyyyy")})
    x = (records[["k"]] == "b").astype(int)
    for tree, by_rows in (
        (DecisionTreeClassifier(**{option: {"min_samples_leaf": 3, "min_samples_split": 4}[option]}), 74 / 144),
        (DecisionTreeClassifier(min_weight_fraction_leaf=0.25), 62 / 72),
    ):
        attack = model_attack(records, records, allow_same=True, keys="k", target="t", estimator=tree)
        assert attack.average.item() == pytest.approx(by_rows, rel=1e-12)
        fitted = tree.fit(x, records["t"])
        one_by_one = fitted.predict_proba(x)[np.arange(12), (records["t"] == "y").astype(int)].mean()
        assert one_by_one == pytest.approx(62 / 72, rel=1e-12)


def test_plain_categorical_naive_bayes_smooths_over_one_level_more_than_the_greatest_released_place():
    """Places of the key levels: a 0, b 1, c 2, d 3. Only a and c are released, so that L is 3, and 4 with min_categories."""
    original, released = {"k": list("abcd"), "t": [0, 1, 0, 1]}, {"k": ["a", "a", "c"], "t": [0, 1, 1]}
    asked = {"k": list("abc"), "t": [0, 1, 0]}
    for estimator, of, levels in ((CategoricalNB(), asked, 3), (CategoricalNB(min_categories=4), original, 4)):
        found = model_attack(of, released, keys="k", target="t", estimator=estimator).probability
        in_a = [Fraction(1 + 1, 1 + levels), Fraction(2 * (1 + 1), 2 + levels)]  # s_i. (s_ia + 1) / (s_i. + L) for both targets
        assert found.sel(target=0, k="a").item() == pytest.approx(float(in_a[0] / sum(in_a)), rel=1e-12)


def test_an_estimator_without_weights_gets_repeated_rows_and_the_result_says_so():
    original, released = people(5), people(6)
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), CategoricalNB())
    pipeline.set_params(onehotencoder__sparse_output=False)
    attack = model_attack(original, released, keys=KEYS, target="ill", estimator=pipeline)
    assert attack.attrs["repeated_rows"] is True
    neighbours = model_attack(original, released, keys="town", target="ill", estimator=KNeighborsClassifier(len(released)))
    of_s = released["ill"].value_counts(normalize=True)
    assert neighbours.average.item() == pytest.approx(of_s.reindex(original["ill"], fill_value=0).mean(), rel=1e-12)
    with pytest.raises(ValueError, match=r"KNeighborsClassifier takes no weights, and those of `synthetic` are fractional"):
        model_attack(original, released.assign(w=0.5), keys="town", target="ill", estimator=KNeighborsClassifier(), weights=(None, "w"))


def test_an_estimator_without_probabilities_puts_all_on_its_guess():
    attack = model_attack(people(5), people(6), keys=KEYS, target="ill", estimator=Perceptron(random_state=0))
    assert set(np.unique(attack.probability)) == {0, 1}
    assert attack.average == attack.best_guess


def test_the_guesses_beside_it_are_those_of_the_majority_and_of_modal_cap():
    original, released = people(5), people(6)
    attack = model_attack(original, released, keys=KEYS, target="ill", estimator=DummyClassifier())
    tables = tabulate(original, released, keys=KEYS, target="ill")
    share = (original["ill"] == released["ill"].mode().item()).mean()
    assert attack.majority_guess.item() == attack.best_guess.item() == pytest.approx(share)
    assert attack.modal_cap.item() == correct_predictions(tables.o, tables.s).item() / len(original)


def test_majorities_that_tie_share():
    original = {"k": ["a", "b", "c"], "t": ["x", "x", "z"]}
    released = {"k": ["a", "b"], "t": ["x", "y"]}
    attack = model_attack(original, released, keys="k", target="t", estimator=DummyClassifier())
    assert attack.majority_guess.item() == attack.best_guess.item() == pytest.approx(1 / 3)


class Same(DummyClassifier):
    """The same probabilities for everybody."""

    def __init__(self, answer=()):
        super().__init__()
        self.answer = answer

    def predict_proba(self, X):
        return np.tile(self.answer, (len(X), 1))


@pytest.mark.parametrize("answer", [(0.3, 0.1 + 0.2, 0.2), (0.2500000000005, np.nextafter(0.2500000000005, 1), 0.2), (3e-14, 3e-14, 1e-14)])
def test_targets_that_tie_but_for_rounding_share_the_best_guess(answer):
    """Rounding to 12 digits would separate the second pair, and take the third for nothing."""
    original, released = {"k": ["a", "b", "c"], "t": ["x", "x", "z"]}, {"k": ["a"] * 3, "t": ["x", "y", "z"]}
    attack = model_attack(original, released, keys="k", target="t", estimator=Same(answer))
    assert attack.best_guess.item() == pytest.approx(1 / 3)


def test_majorities_of_weights_tie_but_for_rounding():
    original = {"k": ["a", "b", "c"], "t": ["x", "x", "z"]}
    released = {"k": ["a", "b", "b", "a"], "t": ["x", "y", "y", "z"], "w": [0.3, 0.1, 0.2, 0.25]}
    attack = model_attack(original, released, keys="k", target="t", estimator=DummyClassifier(), weights=(None, "w"))
    assert attack.majority_guess.item() == pytest.approx(1 / 3)


def test_the_probabilities_stand_wherever_cap_takes_a_synthetic_table():
    original, holdout, released = people(5), people(7), [people(6), people(8)]
    attack = model_attack(original, released, keys=KEYS, target="ill", estimator=Lookup(), holdout=holdout)
    tables = tabulate(original, released, keys=KEYS, target="ill", holdout=holdout)
    for mine, caps in (
        tuple(individual_share(t.o, s, h=t.h, unmatched="zero") for t, s in ((attack, attack.probability), (tables, tables.s))),
        (average_cap_interval(attack.o, attack.probability), average_cap_interval(tables.o, tables.s)),
    ):
        for name in caps:
            np.testing.assert_allclose(mine[name], caps[name], rtol=1e-12)
    asked = (tables.o + tables.h).sum("target") > 0
    held = attack.probability.sum("target").where(asked, drop=True)
    assert np.isin(held.values.round(12), [0, 1]).all()
    model = model_attack(original, released, keys=KEYS, target="ill", estimator=DecisionTreeClassifier(random_state=0), holdout=holdout)
    np.testing.assert_allclose(model.probability.sum("target").where(asked, drop=True), 1, rtol=1e-12)
    found = individual_share(model.o, model.probability, h=model.h, unmatched="zero")
    assert found.average_cap.equals(model.average.rename("average_cap"))
    np.testing.assert_allclose(model.holdout_average, average_cap(model.h, model.probability), rtol=1e-12)
    best = model.probability == model.probability.max("target")
    right = (model.h * best / best.sum("target")).sum(["target", "key"]) / model.h.sum()  # ties are shared
    np.testing.assert_allclose(model.holdout_best_guess, right, rtol=1e-12)


def test_joint_targets_options_and_sparse_tables():
    original, released = people(5), people(6)
    arguments = {"keys": ["town", "age"], "target": ["ill", "sex"], "estimator": Lookup(), "bins": {"age": 2}, "missing": "drop"}
    dense, stored = (model_attack(original, released, backing=b, **arguments) for b in ("dense", "sparse"))
    tables = tabulate(original, released, **{k: v for k, v in arguments.items() if k != "estimator"})
    assert dense.average.item() == pytest.approx(average_cap(tables.o, tables.s).item(), rel=1e-12)
    assert isinstance(stored.probability.data, sparse.COO)
    np.testing.assert_array_equal(stored.probability.data.todense(), dense.probability.values)
    for name in ("average", "best_guess", "majority_guess", "modal_cap"):
        assert stored[name].item() == pytest.approx(dense[name].item(), rel=1e-12)


class Recorder(DummyClassifier):
    """What it was given to fit and asked for, by any copy of it."""

    rows: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None):
        self.rows.append(("fit", X, sample_weight))
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X):
        self.rows.append(("ask", X, None))
        return super().predict_proba(X)


def test_it_is_fitted_once_on_distinct_rows_and_asked_once_for_each_distinct_key():
    original, released, holdout = people(5, 300), people(6, 200), people(7, 100)
    Recorder.rows.clear()
    model_attack(original, [released, released], keys=["town", "sex"], target="ill", estimator=Recorder(), holdout=holdout)
    (_, fitted, weights), (_, asked, _) = Recorder.rows[:2]
    assert [what for what, _, _ in Recorder.rows] == ["fit", "ask"] * 2
    assert len(fitted) == len(released[["town", "sex", "ill"]].drop_duplicates()) < 100
    assert weights.sum() == 200
    assert not asked.duplicated().any()
    assert len(asked) == len(pd.concat([original, holdout])[["town", "sex"]].drop_duplicates())


@pytest.mark.parametrize("backing", ["dense", "sparse"])
def test_records_of_weight_0_are_neither_fitted_nor_asked(backing):
    """A sparse table stores the cells that only such records fill."""
    original, released = {"k": ["a", "b"], "t": ["x", "y"], "w": [1, 0]}, {"k": ["a", "c"], "t": ["x", "y"], "w": [2, 0]}
    Recorder.rows.clear()
    attack = model_attack(original, released, keys="k", target="t", estimator=Recorder(), weights="w", backing=backing)
    (_, fitted, weights), (_, asked, _) = Recorder.rows
    assert (len(fitted), weights.tolist(), len(asked)) == (1, [2], 1)
    assert attack.average == 1


def test_the_estimator_that_was_given_is_left_as_it_was():
    tree = DecisionTreeClassifier()
    model_attack(people(5), people(6), keys=KEYS, target="ill", estimator=tree)
    assert not hasattr(tree, "classes_")


# --- Bad input


class NotOfScikitLearn:
    def fit(self, X, y):
        return self


def test_bad_input_is_refused():
    original, released = people(5), people(6)
    usual = {"keys": KEYS, "target": "ill", "estimator": CategoricalNB()}
    for estimator in (LogisticRegression(), HistGradientBoostingClassifier()):
        with pytest.raises(ValueError, match=r"All records of `synthetic\[1\]` have the same target, and \w+ cannot be fitted to one"):
            model_attack(original, [released, released[released["ill"] == "no"]], **(usual | {"estimator": estimator}))
    for estimator in (Ridge(), CategoricalNB, "naive Bayes", NotOfScikitLearn()):
        with pytest.raises(TypeError, match="`estimator` must be a scikit-learn classifier"):
            model_attack(original, released, **(usual | {"estimator": estimator}))
    with pytest.raises(TypeError, match="`synthetic` is None"):
        model_attack(original, None, **usual)
    with pytest.raises(ValueError, match=r"CategoricalNB cannot predict for a level that `synthetic` does not contain .* min_categories"):
        model_attack({"k": ["a", "z"], "t": [0, 1]}, {"k": ["a", "b"], "t": [0, 1]}, keys="k", target="t", estimator=CategoricalNB())
    with pytest.raises(ValueError, match="Column 'tonw' is not in `original`"):
        model_attack(original, released, **(usual | {"keys": "tonw"}))


def test_without_scikit_learn_the_package_works_and_the_attack_says_what_to_install():
    code = """
import sys
sys.modules["sklearn"] = None
import capstats
from capstats import *
try:
    capstats.attacks.model_attack({}, {}, keys="k", target="t", estimator=1)
except ImportError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    assert said == "Fitted intruders need scikit-learn. Install capstats[learn]."


@pytest.mark.parametrize("estimator", [Lookup(), DecisionTreeClassifier(random_state=0), DummyClassifier()])
def test_no_intruder_does_better_than_the_keys_allow(estimator):
    """Theory: at most the modal accuracy of the original given its keys; at least the least count of each key, where all are answered."""
    for seed in range(5):
        attack = model_attack(people(seed), people(seed + 10), keys=["town", "sex"], target="ill", estimator=estimator)
        n = attack.o.sum()
        for share in (attack.average, attack.best_guess):
            assert capstats.at_most(share, attack.o.max("target").sum() / n)
            if not isinstance(estimator, Lookup):  # which has no guess for some keys
                assert capstats.at_most(attack.o.min("target").sum() / n, share)
