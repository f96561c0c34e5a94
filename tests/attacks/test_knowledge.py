"""Maximum knowledge: held against a loop over records, ranks, distances and votes in exact fractions."""

import warnings
from collections import Counter
from fractions import Fraction
from statistics import median_low

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from strategies import examples

from capstats import LevelsWarning, correct_predictions, tabulate
from capstats.attacks import knowledge, maximum_knowledge

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

LEVELS = ["low", "mid", "high"]


def mixed(seed, n):
    """Records with numbers that have ties and missing values, an ordered category whose last level few tables have, and text."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 25, n) + rng.choice([0, 0.5], n)
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.15, np.nan, age),
            "income": pd.Categorical.from_codes(rng.integers(-1, 2 + seed % 2, n), LEVELS),
            "town": rng.choice(["a", "b", "c10", "c9"][: 3 + seed % 2], n),
            "children": rng.integers(0, 3, n),
        }
    )


NUMERICAL = ("age", "children")
PLACES = {"income": {"low": 0, "mid": 1, "high": 2, None: 3}, "town": {"a": 0, "b": 1, "c9": 2, "c10": 3}}


def ordinals(frame):
    """Each value as a number in the order of its column, missing ones last."""
    columns = {c: [None if pd.isna(x) else x for x in frame[c]] for c in frame}
    return {c: [PLACES[c][x] if c in PLACES else 10**9 if x is None else Fraction(float(x)) for x in v] for c, v in columns.items()}


def ranks(values):
    """The mean of the first and the last position of a value in the sorted list, by the length of the list."""
    in_order = sorted(values)
    return [Fraction(in_order.index(x) + 1 + len(in_order) - in_order[::-1].index(x), 2 * len(in_order)) for x in values]


def share_guessed(original, released, column, tolerance):
    """One record, one released table and one candidate after the other."""
    truth = ordinals(original)
    others = [c for c in truth if c != column]
    of_o = {c: ranks(truth[c]) for c in others}
    tables = [ordinals(s) for s in released]
    of_s = [{c: ranks(s[c]) for c in others} for s in tables]
    right = Fraction(0)
    for i, true in enumerate(truth[column]):
        pool = []
        for table, rank in zip(tables, of_s, strict=True):
            far = [sum(abs(of_o[c][i] - rank[c][j]) for c in others) for j in range(len(table[column]))]
            pool += [table[column][j] for j, d in enumerate(far) if d == min(far)]
        if column in NUMERICAL:
            guess = median_low(pool)
            right += guess == true or (10**9 not in (guess, true) and abs(guess - true) < tolerance)
        else:
            times = Counter(pool)
            modes = [x for x in times if times[x] == max(times.values())]
            right += Fraction(int(true in modes), len(modes))
    return right / len(truth[column])


def force(route, monkeypatch):
    monkeypatch.setattr(knowledge, "_axes_pay", lambda *_: route == "along axes")


each_route = pytest.mark.parametrize("route", ["along axes", "tree"])


@each_route
@pytest.mark.parametrize("seed", [1, 2, 7])
def test_guesses_are_those_of_a_loop_over_records(route, seed, monkeypatch):
    force(route, monkeypatch)
    original, released = mixed(seed, 17), [mixed(10 * seed, 17), mixed(10 * seed + 1, 12), mixed(10 * seed + 2, 5)]
    found = maximum_knowledge(original, released, columns=list(original), n_releases=[1, 2, 3])
    for m in (1, 2, 3):
        expected = [float(share_guessed(original, released[:m], c, 1)) for c in original]
        np.testing.assert_allclose(found.accuracy.sel(releases=m), expected, rtol=1e-15)
    np.testing.assert_allclose(found.average, found.accuracy.mean("column"))


@examples(40)
@given(st.data())
def test_both_routes_give_the_same_votes(data):
    """Distances are whole numbers, so not a single tie may differ."""
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    x, y = (list(np.array(data.draw(st.lists(row, min_size=1, max_size=9, unique=True))).T) for _ in range(2))
    rank = [st.lists(st.integers(1, 30), min_size=size, max_size=size) for size in sizes]
    ranks = [(np.array(sorted(data.draw(r))), np.array(sorted(data.draw(r)))) for r in rank]
    of_row = st.lists(st.integers(0, 9), min_size=3, max_size=3)
    held = csr_array(np.array(data.draw(st.lists(of_row, min_size=len(y[0]), max_size=len(y[0])))))
    along = knowledge._along_axes([np.abs(a[:, None] - b) for a, b in ranks], x, y, held)
    of_x = np.stack([a[codes] for (a, _), codes in zip(ranks, x, strict=True)], axis=1)
    of_y = np.stack([b[codes] for (_, b), codes in zip(ranks, y, strict=True)], axis=1)
    tree = knowledge._by_tree(of_x, of_y, held)
    np.testing.assert_array_equal(along.toarray(), tree.toarray())


@each_route
def test_a_released_copy_gives_every_column_away_that_the_others_determine(route, monkeypatch):
    force(route, monkeypatch)
    n = 20
    original = pd.DataFrame({"id": range(n), "town": [f"t{i}" for i in range(n)], "half": [i / 2 for i in range(n)]})
    found = maximum_knowledge(original, original.sample(frac=1, random_state=1), allow_same=True, columns=list(original), within=0)
    assert found.accuracy.values.tolist() == [1, 1, 1]
    assert found.average == 1


def test_tied_modes_share_and_of_two_middle_numbers_the_lower_is_guessed():
    """Two released people are equally near: diets tie, and of incomes 10 and 14 the guess is 10."""
    original = {"age": [30], "diet": ["meat"], "income": [10.5]}
    synthetic = {"age": [30, 30], "diet": ["meat", "vegan"], "income": [10, 14]}
    assert maximum_knowledge(original, synthetic, columns=["age", "diet"]).accuracy.sel(column="diet") == 0.5
    assert maximum_knowledge(original, synthetic, columns=["age", "income"]).accuracy.sel(column="income") == 1
    strict = maximum_knowledge(original, synthetic, columns=["age", "income"], within={"income": 0.5})
    assert strict.accuracy.sel(column="income") == 0


def test_right_is_nearer_than_the_tolerance_or_equal():
    original, synthetic = {"k": ["a"], "x": [4.0]}, {"k": ["a"], "x": [3.0]}
    for tolerance, expected in [(1, 0), (1.001, 1), (0, 0)]:
        assert maximum_knowledge(original, synthetic, columns=["k", "x"], within=tolerance).accuracy.sel(column="x") == expected
    assert maximum_knowledge(original, original, allow_same=True, columns=["k", "x"], within=0).accuracy.sel(column="x") == 1
    as_category = maximum_knowledge(original, synthetic, columns=["k", "x"], within=2, types={"x": [3, 4]})
    assert as_category.accuracy.sel(column="x") == 0


def test_whole_numbers_too_large_for_a_float_are_as_far_apart_as_they_are():
    found = maximum_knowledge({"k": ["a"], "x": [2**60 + 5]}, {"k": ["a"], "x": [2**60]}, columns=["k", "x"])
    assert found.accuracy.sel(column="x") == 0


def test_dims_follow_the_tables_and_m():
    original, s = mixed(1, 9), mixed(2, 9)
    columns = ["town", "children"]
    assert set(maximum_knowledge(original, s, columns=columns).accuracy.dims) == {"column"}
    assert maximum_knowledge(original, [s] * 12, columns=columns).releases.values.tolist() == [1, 2, 3, 5, 10]
    assert maximum_knowledge(original, mixed(2, 5), columns=columns).attrs == {"result": "Attack with maximum knowledge", "records": 9}
    alone = maximum_knowledge(original, [s] * 3, columns=columns, n_releases=2)
    assert set(alone.accuracy.dims) == {"column"}
    assert alone.releases == 2


def test_more_columns_than_an_array_has_dims():
    columns = {f"c{v}": ["x", "x"] for v in range(70)} | {"age": [1, 2], "town": ["a", "b"]}
    assert maximum_knowledge(columns, columns, allow_same=True, columns=list(columns)).average == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": "town"}, "`columns` must name at least two columns"),
        ({"columns": ["town", "tonw"]}, "Column 'tonw' is not in `original`. Did you mean 'town'"),
        ({"within": -1}, "`within` must be 0 or more for column 'town'; got -1"),
        ({"within": float("nan")}, "`within` must be 0 or more"),
        ({"within": {"chidren": 1}}, "`within` names 'chidren', which is not among `columns`. Did you mean 'children'"),
        ({"n_releases": 2}, "`n_releases` must be numbers of released tables, from 1 to the 1 given; got 2"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        maximum_knowledge(mixed(1, 5), mixed(2, 5), **({"columns": ["town", "children"]} | arguments))


def test_columns_of_mixed_kind_are_refused():
    with pytest.raises(TypeError, match="Column 'x' of `original` mixes kinds"):
        maximum_knowledge({"x": [1, "a"], "y": [1, 2]}, {"x": [1], "y": [1]}, columns=["x", "y"])


@each_route
def test_with_equal_margins_and_all_keys_released_it_is_the_modal_cap_intruder(route, monkeypatch):
    """Theory: the target permuted, and each record released twice; the margins of the other columns stay in proportion."""
    force(route, monkeypatch)
    original = mixed(3, 40)[["income", "town", "children"]]
    twice = pd.concat([original, original]).assign(town=np.random.default_rng(1).permutation([*original["town"]] * 2))
    found = maximum_knowledge(original, twice, columns=list(original))
    tables = tabulate(original, twice, keys=["income", "children"], target="town")
    expected = correct_predictions(tables.o, tables.s) / len(original)
    assert found.accuracy.sel(column="town").item() == pytest.approx(expected.item(), rel=1e-14)


def test_the_nearest_records_are_those_of_each_released_table():
    """Ranks of the ages 1 to 4 are 1/4 to 1. The person of 2 is in the first table alone, with b; in the second, 1 and 3 are as near.

    Nearest within each table: b, then a and a: a is guessed. Nearest over both tables it would be b, which is right.
    """
    original = {"age": [1, 2, 3, 4], "diet": ["a", "b", "a", "a"]}
    first = {"age": [1, 2, 3, 4], "diet": ["c", "b", "c", "c"]}
    second = {"age": [1, 1, 3, 3], "diet": ["a", "a", "a", "a"]}
    found = maximum_knowledge(original, [first, second], columns=["age", "diet"], n_releases=[1, 2]).accuracy.sel(column="diet")
    assert found.values.tolist() == [0.25, 0.75]


def test_progress_may_be_shown_or_not():
    records = pd.DataFrame({"a": [1, 2, 3], "c": ["x", "y", "z"]})
    for shown in (None, False, True):
        found = maximum_knowledge(records, records.iloc[:2], columns=["a", "c"], progress=shown)
        assert found.accuracy.sizes["column"] == 2


def test_numbers_of_which_no_two_are_near_are_warned_of():
    """Incomes in dollars and in thousands of them: no record of the release can be near one of the original."""
    own, other = {"income": [1000, 2000, 3000] * 9, "x": [*range(27)]}, {"income": [1.0, 2.0, 3.0] * 9, "x": [*range(2, 29)]}
    with pytest.warns(LevelsWarning, match="'income'"):
        maximum_knowledge(own, other, columns=["income", "x"])
    with warnings.catch_warnings(action="error"):
        maximum_knowledge(own, {"income": [1001.5, 2001.5, 3001.5] * 9, "x": [*range(2, 29)]}, columns=["income", "x"])
