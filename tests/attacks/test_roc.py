"""ROC curves of the membership attack."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from mixed_records import mixed
from strategies import examples

from capstats.attacks import membership_roc, membership_scores

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def by_counting(members, others):
    """All points of the curve, thresholds falling, and the area as the share of pairs that the member wins."""
    points = {(0, 0)}
    for t in [*members, *others]:
        points.add((sum(x >= t for x in others), sum(x >= t for x in members)))
    wins = sum(Fraction(int(a > b)) + Fraction(int(a == b), 2) for a in members for b in others)
    return sorted(points), wins / (len(members) * len(others))


scores = st.lists(st.integers(-6, 3), min_size=1, max_size=12)


@examples(150)
@given(scores, scores)
def test_the_curve_and_its_area_are_those_of_counting(members, others):
    roc = membership_roc(members, others, at=range(-8, 6))
    points, area = by_counting(members, others)
    n, k = len(members), len(others)
    found = list(zip((roc.false_positive_rate.values * k).round(9), (roc.true_positive_rate.values * n).round(9), strict=True))
    assert found == points
    assert roc.auc.item() == pytest.approx(float(area), abs=1e-15)
    right, up = roc.false_positive_rate.values, roc.true_positive_rate.values
    assert (np.diff(right) * (up[1:] + up[:-1]) / 2).sum() == pytest.approx(float(area), abs=1e-12)
    difference = [Fraction(sum(x >= t for x in members), n) - Fraction(sum(x >= t for x in others), k) for t in range(-8, 6)]
    assert roc.difference.values.tolist() == [float(d) for d in difference]
    best = max([Fraction(0), *difference])
    assert roc.best_difference.item() == float(best)
    assert roc.accuracy.item() == pytest.approx((1 + float(best)) / 2, abs=1e-15)
    t = roc.best_threshold.item()
    assert Fraction(sum(x >= t for x in members), n) - Fraction(sum(x >= t for x in others), k) == best


@examples(60)
@given(st.lists(st.integers(-6, 3), min_size=2, max_size=8), st.lists(st.integers(-6, 3), min_size=2, max_size=8))
def test_the_standard_error_is_that_of_delong(members, others):
    """The variances of the shares of the other kind that each record beats or is beaten by."""
    wins = np.array([[(a > b) + (a == b) / 2 for b in others] for a in members])
    variance = wins.mean(axis=1).var(ddof=1) / len(members) + wins.mean(axis=0).var(ddof=1) / len(others)
    assert membership_roc(members, others).auc_standard_error.item() == pytest.approx(math.sqrt(variance), abs=1e-12)


def test_equally_near_records_are_told_apart_by_the_next_ones():
    """Both are 1 away from the nearest released record; the second nearest is 7.5 or 9.5 away, which only the 13th digit shows."""
    released = {"x": [0, 8.5]}
    roc = membership_roc({"x": [1]}, {"x": [-1]}, released, columns="x", widths=1)
    assert roc.auc.item() == 1
    assert membership_roc([1 + 1e-13], [1.0]).auc.item() == 1


def test_the_standard_error_is_undefined_for_one_record_of_a_kind():
    assert np.isnan(membership_roc([1, 2], [0]).auc_standard_error)


def test_scores_that_differ_by_rounding_are_one_step():
    roc = membership_roc([0.1 + 0.2, -np.inf], [0.3, -np.inf])
    assert roc.auc.item() == 0.5
    assert roc.threshold.values.tolist() == [np.inf, 0.3, -np.inf]


@examples(60)
@given(*[st.lists(st.floats(-300, 20), min_size=1, max_size=8)] * 2)
def test_thresholds_are_the_scores_themselves(members, others):
    """Whoever asks for scores at or above the best threshold finds the rates that are promised there."""
    roc = membership_roc(members, others)
    assert set(roc.threshold.values[1:]) <= {*members, *others}
    rates = [np.mean(np.array(scores) >= roc.best_threshold.item()) for scores in (members, others)]
    assert roc.best_difference.item() == pytest.approx(rates[0] - rates[1], abs=1e-14)
    alone = membership_scores({"x": [1, 2]}, [{"x": [1, 4]}] * 2, columns="x", widths=0.7)
    together = membership_scores({"x": [1, 2]}, [{"x": [1, 4]}] * 2, columns="x", widths=0.7, n_releases=[1, 2])
    assert together[0].values.tolist() == alone[0].values.tolist()


def test_released_tables_are_taken_together_one_after_the_other():
    members, others = mixed(1, 15), mixed(9, 11).set_axis(range(100, 111))
    released = [mixed(s, 12) for s in range(2, 8)]
    arguments = {"columns": ["age", "income", "town"], "widths": "medium"}
    roc = membership_roc(members, others, released, **arguments)
    assert roc.releases.values.tolist() == [1, 2, 3, 5]
    for m in roc.releases.values:
        pooled = pd.concat(released[:m])
        a, b = (membership_scores(x, pooled, **arguments).values for x in (members, others))
        alone = membership_roc(a, b)
        one = roc.sel(releases=m)
        steps = alone.sizes["step"]
        np.testing.assert_allclose(one.true_positive_rate[:steps], alone.true_positive_rate)
        np.testing.assert_allclose(one.false_positive_rate[:steps], alone.false_positive_rate)
        np.testing.assert_allclose(one.threshold[:steps], alone.threshold, rtol=1e-12, atol=1e-12)
        assert (one.true_positive_rate[steps:] == 1).all()
        assert one.auc == alone.auc
        assert one.best_threshold.item() == pytest.approx(alone.best_threshold.item(), rel=1e-12, abs=1e-12)
    given_scores = membership_roc(*(membership_scores(x, released, **arguments) for x in (members, others.set_axis(range(200, 211)))))
    np.testing.assert_array_equal(given_scores.auc, roc.auc)
    together = membership_roc(*(membership_scores(x, released, n_releases=[2, 5], **arguments) for x in (members, others)))
    np.testing.assert_array_equal(together.auc, roc.auc.sel(releases=[2, 5]))
    assert membership_roc(members, others, released, n_releases=3, **arguments).auc == roc.auc.sel(releases=3)
    assert "releases" not in membership_roc(members, others, released[0], **arguments).coords


def test_a_copy_of_the_members_is_told_from_others():
    members, others = mixed(1, 40), mixed(11, 40).assign(age=lambda x: x["age"] + 0.25).set_axis(range(40, 80))
    roc = membership_roc(members, others, members, columns=list(members), widths=0.01, allow_same=True)
    assert roc.auc.item() == roc.accuracy.item() == roc.best_difference.item() == 1


def test_nobody_is_a_member_and_a_non_member():
    people = mixed(1, 10)
    arguments = {"synthetic": mixed(2, 5), "columns": "age", "widths": 1}
    with pytest.raises(ValueError, match=r"share 2 labels of their index, such as 4: no record can be both"):
        membership_roc(people[:6], people[4:], **arguments)
    with pytest.raises(ValueError, match="same object"):
        membership_roc(people, people, **arguments)
    membership_roc(people[:6], people[6:], **arguments)
    membership_roc(people[:6].reset_index(drop=True), people[4:].reset_index(drop=True), **arguments)  # equal rows may be two people's
    plain = [membership_scores(p.reset_index(drop=True), mixed(2, 5), columns="age", widths=1) for p in (people[:6], people[4:])]
    membership_roc(*plain)
    shuffled = membership_scores(people[4:], mixed(2, 5), columns="age", widths=1)
    with pytest.raises(ValueError, match="share 2 labels"):
        membership_roc(membership_scores(people.loc[[5, 4]], mixed(2, 5), columns="age", widths=1), shuffled)
    with pytest.raises(ValueError, match="share 1 label of their index, such as 7"):
        membership_roc(pd.Series([0.5, 1], index=[6, 7]), pd.Series([-1.0], index=[7]))
    nested = people.set_index(pd.MultiIndex.from_product([["north", "south"], range(5)]))
    scores = [membership_scores(p, mixed(2, 5), columns="age", widths=1) for p in (nested[:6], nested[5:])]
    assert scores[0].indexes["record"].tolist() == nested.index[:6].tolist()
    with pytest.raises(ValueError, match=r"share 1 label of their index, such as \('south', 0\)"):
        membership_roc(*scores)


def test_the_curve_needs_both_kinds_and_scores_of_the_same_tables():
    with pytest.raises(ValueError, match="`non_members` holds no record: members and non-members are needed"):
        membership_roc([1.0], [])
    with pytest.raises(ValueError, match="`members` is empty"):
        membership_roc(mixed(1, 0), mixed(2, 3), mixed(3, 3), columns="town", widths=1)
    with pytest.raises(ValueError, match="`members` must hold log10 scores; got NaN"):
        membership_roc([np.nan], [1.0])
    with pytest.raises(ValueError, match="With `synthetic`, `columns` and `widths` are needed"):
        membership_roc(mixed(1, 3), mixed(2, 3), mixed(3, 3))
    with pytest.raises(TypeError, match="`members` is DataFrame: records need `synthetic`"):
        membership_roc(mixed(1, 3), mixed(2, 3))
    with pytest.raises(TypeError, match="`non_members` must hold log10 scores: could not convert string to float: 'b'"):
        membership_roc([1.0], ["b"])
    with pytest.raises(ValueError, match="`at` must be finite thresholds"):
        membership_roc([1.0], [2.0], at=[math.inf])
    with pytest.raises(TypeError, match="`at` must be finite thresholds, as log10: could not convert string to float: 'x'"):
        membership_roc([1.0], [2.0], at="x")
    with pytest.raises(ValueError, match=r"`non_members` has dims \('draw',\); scores have `record`"):
        membership_roc([1.0], xr.DataArray([2.0], dims="draw"))
    for dims in (("synthetic",), ("draw", "record"), ("releases", "synthetic", "record")):
        with pytest.raises(ValueError, match=r"`members` has dims .*; scores have `record`, and before it `synthetic` or `releases`"):
            membership_roc(xr.DataArray(np.ones([1] * len(dims)), dims=dims), [2.0])
    with pytest.raises(ValueError, match="`members` has 2 dimensions; give one list of scores"):
        membership_roc([[1.0]], [2.0])
    tables = [mixed(2, 5), mixed(3, 5)]
    two, one = (membership_scores(mixed(1, 4), s, columns="town", widths=1) for s in (tables, tables[0]))
    with pytest.raises(ValueError, match="different dims or labels"):
        membership_roc(two, one)
    together = membership_scores(mixed(1, 4), tables, columns="town", widths=1, n_releases=[1, 2])
    with pytest.raises(ValueError, match="already combine several tables"):
        membership_roc(together, together.copy(), n_releases=1)


def scores_of_two_calls(members=None, others=None, **both):
    """Scores of a and c, and of b and b, against the released levels a and c."""
    usual = {"columns": "x", "widths": 1, "allow_same": True} | both
    released = {"x": ["a", "c"]}
    return membership_scores({"x": ["a", "c"]}, released, **usual | (members or {})), membership_scores(
        {"x": ["b", "b"]}, released, **usual | (others or {})
    )


def test_scores_whose_categories_have_other_places_are_not_compared():
    """Alone, a and c are neighbours, and b stands between them: as one table, the non-members have the higher scores."""
    with pytest.raises(ValueError, match=r"The categories of column 'x' have other positions .* types=\{'x': \[levels in order\]\}"):
        membership_roc(*scores_of_two_calls())
    with pytest.raises(ValueError, match="The categories of column 'x' have other positions"):
        membership_roc(*scores_of_two_calls({"n_releases": [1]}, {"n_releases": [1]}))
    of_records = membership_roc({"x": ["a", "c"]}, {"x": ["b", "b"]}, {"x": ["a", "c"]}, columns="x", widths=1, allow_same=True)
    assert membership_roc(*scores_of_two_calls(types={"x": ["a", "b", "c"]})).identical(of_records)


def test_scores_that_need_no_places_or_say_nothing_are_compared():
    assert membership_roc(*scores_of_two_calls(categories="mismatch")).auc == 1
    members, others = scores_of_two_calls()
    assert membership_roc(members.drop_attrs(), others).auc == membership_roc(members.values, others.values).auc == 1


@pytest.mark.parametrize("name", ["widths", "categories", "constant"])
def test_scores_made_in_two_ways_are_not_compared(name):
    other = {"widths": 2, "categories": "mismatch", "constant": True}[name]
    usual = {"types": {"x": ["a", "b", "c"]}}
    with pytest.raises(
        ValueError, match=rf"computed with {name}=" if name != "categories" else "other positions|computed with categories="
    ):
        membership_roc(*scores_of_two_calls({}, {name: other}, **usual))
