"""CAP as a classifier passes scikit-learn's own checks, and its attack is average CAP."""

import numpy as np
import pandas as pd
import pytest
from attacked_records import KEYS, people
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import theorem

from capstats import average_cap, tabulate
from capstats.attacks import CAPClassifier, model_attack

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

CONVENTIONS = [
    {"unmatched": "zero"},
    {"unmatched": "drop"},
    {"unmatched": "nearest"},
    {"unmatched": "zero", "radius": 1},
    {"unmatched": "drop", "radius": 1},
    {"unmatched": "zero", "radius": 3},
]


@pytest.mark.few(29)
@parametrize_with_checks([CAPClassifier(), CAPClassifier(unmatched="nearest")])
def test_the_classifier_passes_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.few(5)
@pytest.mark.parametrize("convention", CONVENTIONS, ids=str)
@pytest.mark.parametrize("several", [False, True])
def test_the_attack_of_the_classifier_is_average_cap(convention, several):
    original, synthetic = people(1), [people(2), people(3, 25), people(4, 10)]
    synthetic = synthetic if several else synthetic[1]
    attack = model_attack(original, synthetic, keys=KEYS, target="ill", estimator=CAPClassifier(**convention))
    tables = tabulate(original, synthetic, keys=KEYS, target="ill")
    expected = average_cap(tables.o, tables.s, **convention)
    np.testing.assert_allclose(attack.average, expected, rtol=1e-12)
    assert attack.average.dims == expected.dims
    if convention in ({"unmatched": "zero"}, {"unmatched": "drop"}):
        np.testing.assert_allclose(attack.best_guess, attack.modal_cap, rtol=1e-15)
    assert attack.attrs["unmatched"] == ("drop" if convention["unmatched"] == "drop" else "zero")


records = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.integers(0, 2)), min_size=2, max_size=12)


@pytest.mark.slow
@theorem
@given(records, records, st.sampled_from(CONVENTIONS[:5]))
def test_it_is_average_cap_on_any_records(original, released, convention):
    released = [*released, (0, "a", 0), (0, "a", 1)]  # two targets at least
    o, s = ({c: list(v) for c, v in zip("kjt", zip(*rows, strict=True), strict=True)} for rows in (original, released))
    if convention.get("radius", 0) == 0:
        attack = model_attack(o, s, keys=["k", "j"], target="t", estimator=CAPClassifier(**convention))
        tables = tabulate(o, s, keys=["k", "j"], target="t")
        np.testing.assert_allclose(attack.average, average_cap(tables.o, tables.s, **convention), rtol=1e-12)
    classifier = CAPClassifier(**convention).fit([[str(k), j] for k, j in zip(s["k"], s["j"], strict=True)], s["t"])
    asked = classifier.predict_proba([[str(k), j] for k, j in zip(o["k"], o["j"], strict=True)])
    for (k, j, _), found in zip(original, asked, strict=True):
        counts = [shown(k, j, t, released, convention) for t in classifier.classes_]
        total = sum(counts)
        nothing = np.nan if convention["unmatched"] == "drop" else 0
        np.testing.assert_allclose(found, [c / total if total else nothing for c in counts], rtol=1e-15)


def shown(k, j, t, released, convention):
    """Released records of a target that answer for a key, looked at one by one."""
    far = [(a != k) + (b != j) for a, b, _ in released]
    reach = min(far) if convention["unmatched"] == "nearest" else convention.get("radius", 0)
    return sum(d <= reach and x == t for d, (_, _, x) in zip(far, released, strict=True))


@pytest.mark.parametrize("convention", CONVENTIONS, ids=str)
def test_a_release_with_one_target_is_attacked_where_average_cap_is_defined(convention):
    original, released = people(1), people(2).assign(ill="no")
    tables = tabulate(original, released, keys=KEYS, target="ill")
    attack = model_attack(original, released, keys=KEYS, target="ill", estimator=CAPClassifier(**convention))
    assert attack.average.item() == pytest.approx(average_cap(tables.o, tables.s, **convention).item(), rel=1e-12)
    tree = model_attack(original, released, keys=KEYS, target="ill", estimator=DecisionTreeClassifier())
    assert tree.average.item() == tree.best_guess.item() == pytest.approx((original["ill"] == "no").mean(), rel=1e-12)


def test_weights_count_and_a_row_of_weight_0_is_not_there():
    classifier = CAPClassifier().fit([["a"], ["a"], ["b"]], [0, 1, 1], sample_weight=[0.5, 1.5, 0])
    assert classifier.predict_proba([["a"], ["b"]]).tolist() == [[0.25, 0.75], [0, 0]]


def test_an_unmatched_row_is_predicted_the_most_frequent_class_and_missing_values_match():
    x = pd.DataFrame({"age": [1.0, np.nan, 3], "town": ["a", None, "b"]})
    classifier = CAPClassifier().fit(x, ["no", "yes", "yes"])
    asked = pd.DataFrame({"age": [np.nan, 1.0, 1.0], "town": [None, "a", "b"]})
    assert classifier.predict(asked).tolist() == ["yes", "no", "yes"]
    assert classifier.score(asked, ["yes", "no", "no"]) == pytest.approx(2 / 3)


def test_it_stands_at_the_end_of_a_pipeline():
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore", sparse_output=False), CAPClassifier())
    assert pipeline.fit([["a"], ["b"]], [0, 1]).predict([["b"], ["a"]]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"unmatched": "far"}, '`unmatched` must be "zero"'),
        ({"radius": 2}, "`radius` must be at most the number of key columns, 1; got 2"),
        ({"unmatched": "nearest", "radius": 1}, '`unmatched` "nearest" needs radius 0'),
    ],
)
def test_a_convention_that_there_is_not_is_refused_when_it_is_fitted(arguments, message):
    with pytest.raises(ValueError, match=message):
        CAPClassifier(**arguments).fit([["a"], ["b"]], [0, 1])


def test_columns_of_other_kinds_are_refused_by_their_own_names():
    classifier = CAPClassifier().fit(pd.DataFrame({"age": [1, 2]}), [0, 1])
    with pytest.raises(
        TypeError, match=r"^Column 'age' holds number labels in `the fitted X` and text labels in `X`: .* Convert one of them\.$"
    ):
        classifier.predict(pd.DataFrame({"age": ["1"]}))
    with pytest.raises(TypeError, match=r"^Column 'x0' of `the fitted X` mixes kinds: .* Convert it to one kind\.$"):
        CAPClassifier().fit(np.array([[1], ["a"]], object), [0, 1])
    collide = pd.DataFrame({"key": ["a", "b"], "target": ["c", "d"]})
    assert CAPClassifier().fit(collide, [0, 1]).predict_proba(collide).tolist() == [[1, 0], [0, 1]]
