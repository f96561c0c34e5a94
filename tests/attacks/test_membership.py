"""Scores of membership and their ROC curve: held against loops over pairs of records in high precision, and against counting."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats import average_cap, tabulate
from capstats.attacks import kernels, maximum_knowledge, membership_roc, membership_scores

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

LEVELS = ["low", "mid", "high", "top"]


def mixed(seed, n):
    """Records with a number that has ties, an ordered category, text, and missing values; their levels differ between tables."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 26, n) + rng.choice([0, 0.5], n),
            "income": pd.Categorical.from_codes(rng.integers(seed % 2, 4, n), LEVELS),
            "town": rng.choice(["a", "b", "c10", "c9"][: 3 + seed % 2], n),
            "job": pd.Series(rng.choice(["x", "y", None], n), dtype=object),
        }
    )


TOWNS = {"a": 0, "b": 1, "c9": 2, "c10": 3}  # the natural order
JOBS = {"x": 0, "y": 1, None: 2}


def numbers(frame):
    jobs = [JOBS[None if pd.isna(x) else x] for x in frame["job"]]
    return list(zip(frame["age"], frame["income"].cat.codes, map(TOWNS.get, frame["town"]), jobs, strict=True))


def log10_score(x, released, widths, mismatch=()):
    """The logarithm of the sum, one pair of records after the other, where nothing underflows."""
    with localcontext() as context:
        context.prec, context.Emin = 60, -(10**9)
        total = Decimal(0)
        for y in released:
            total_exponent = Decimal(0)
            for v, (a, b, w) in enumerate(zip(x, y, widths, strict=True)):
                d = Decimal(int(a != b)) if v in mismatch else Decimal(float(a)) - Decimal(float(b))
                total_exponent -= (d / Decimal(w)) ** 2 / 2
            total += total_exponent.exp()
        return float(total.log10())


def force(route, monkeypatch):
    monkeypatch.setattr(kernels, "_axes_pay", lambda *_: route == "along axes")


each_route = pytest.mark.parametrize("route", ["along axes", "between rows"])


# --- Scores


@each_route
@pytest.mark.parametrize("categories", ["codes", "mismatch"])
@pytest.mark.parametrize("widths", [[1, 1, 1, 1], [0.02, 0.1, 0.05, 0.3]])
def test_scores_equal_a_loop_over_pairs_of_records(route, categories, widths, monkeypatch):
    force(route, monkeypatch)
    monkeypatch.setattr(kernels, "BLOCK", 64)
    records, released = mixed(1, 12), [mixed(2, 9), mixed(3, 10), mixed(5, 4)]
    found = membership_scores(records, released, columns=list(records), widths=widths, categories=categories)
    mismatch = (1, 2, 3) if categories == "mismatch" else ()
    expected = [[log10_score(x, numbers(s), widths, mismatch) for x in numbers(records)] for s in released]
    np.testing.assert_allclose(found.values, expected, rtol=1e-12, atol=1e-12)
    together = membership_scores(records, released, columns=list(records), widths=widths, categories=categories, releases=[2, 3])
    for m in (2, 3):
        pooled = [y for s in released[:m] for y in numbers(s)]
        expected = [log10_score(x, pooled, widths, mismatch) for x in numbers(records)]
        np.testing.assert_allclose(together.sel(releases=m), expected, rtol=1e-12, atol=1e-12)


@each_route
def test_a_missing_number_equals_another_one_and_is_infinitely_far_from_every_number(route, monkeypatch):
    """Of three released records the one with the missing age counts 1 for a missing age, and the two others nothing."""
    force(route, monkeypatch)
    released = {"age": [None, 30, 31], "sex": ["f", "f", "m"]}
    records = {"age": [None, 30, np.inf], "sex": ["m", "m", "f"]}
    found = membership_scores(records, released, columns=["age", "sex"], widths=1)
    expected = [math.exp(-0.5), math.exp(-0.5) + math.exp(-0.5), 0]
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(found.values, np.log10(expected), rtol=1e-14)


@each_route
def test_many_levels_and_numbers_far_apart_lose_nothing(route, monkeypatch):
    """Numbers whose squares would cancel if they were multiplied out, at a width far below their own rounding."""
    force(route, monkeypatch)
    rng = np.random.default_rng(3)
    values = 1e6 + rng.integers(0, 10**4, 150) / 1024  # exact in binary
    records, released = {"x": values[:70]}, {"x": values[50:]}
    found = membership_scores(records, released, columns="x", widths=0.001)
    expected = [log10_score([x], [[y] for y in released["x"]], [0.001]) for x in records["x"]]
    np.testing.assert_allclose(found.values, expected, rtol=1e-12, atol=1e-12)


@each_route
def test_whole_numbers_too_large_for_a_float_keep_their_differences(route, monkeypatch):
    force(route, monkeypatch)
    found = membership_scores({"x": [2**60 + 1, 2**60 + 3]}, {"x": [2**60]}, columns="x", widths=1)
    np.testing.assert_allclose(found.values, [-0.5 / math.log(10), -4.5 / math.log(10)], rtol=1e-14)


@examples(60)
@given(st.data())
def test_both_routes_give_the_same_scores_at_any_width(data):
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    column = [st.integers(0, size - 1) for size in sizes]
    rows = st.lists(st.tuples(*column), min_size=1, max_size=8, unique=True)
    x, y = (np.array(data.draw(rows)).T for _ in range(2))
    counts = np.array(data.draw(st.lists(st.integers(1, 10**6), min_size=y.shape[1], max_size=y.shape[1])))
    width = st.floats(1e-3, 1e3)
    found = [kernels.Kernel(np.arange(float(size)), data.draw(width), data.draw(st.booleans())) for size in sizes]
    along = kernels._along_axes(found, list(x), list(y), counts)
    between = kernels._between_rows(found, list(x), list(y), counts)
    np.testing.assert_allclose(along, between, rtol=1e-12, atol=1e-12)


def test_the_constant_of_the_kernel_moves_all_scores_by_the_same_number():
    records, released = mixed(1, 10), mixed(2, 10)
    plain, with_constant = (
        membership_scores(records, released, columns=["age", "town"], widths=[0.5, 2], constant=c) for c in (False, True)
    )
    np.testing.assert_allclose(with_constant - plain, -math.log10(0.5 * 2 * 2 * math.pi), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("low", [1, 1]),
        ("medium", [1, 0.1]),
        ("high", [0.1, 0.1]),
        (("polish", "medium"), [1, 0.1]),
        (("avila", "low"), [0.1, 0.1]),
        (("avila", "medium"), [0.01, 0.01]),
        (("avila", "high"), [0.001, 0.001]),
    ],
)
def test_named_widths_are_those_of_the_source(name, expected):
    arguments = {"columns": ["age", "town"]}
    found = membership_scores(mixed(1, 10), mixed(2, 10), widths=name, **arguments)
    assert found.identical(membership_scores(mixed(1, 10), mixed(2, 10), widths=expected, **arguments))
    by_name = dict(zip(arguments["columns"], expected, strict=True))
    for widths in (by_name, pd.Series(by_name)):
        assert found.identical(membership_scores(mixed(1, 10), mixed(2, 10), widths=widths, **arguments))


def test_categories_stand_for_their_places_in_the_stated_order_levels_without_records_included():
    """Low to top are 3 apart where the order has four levels, although nobody has the two between."""
    ordered = [pd.DataFrame({"income": pd.Categorical([x], LEVELS)}) for x in ("low", "top")]
    assert membership_scores(*ordered, columns="income", widths=1).item() == pytest.approx(-4.5 / math.log(10), rel=1e-14)
    plain = [{"income": [x]} for x in ("low", "top")]
    assert membership_scores(*plain, columns="income", widths=1).item() == pytest.approx(-0.5 / math.log(10), rel=1e-14)
    stated = membership_scores(*plain, columns="income", widths=1, types={"income": LEVELS})
    assert stated.item() == pytest.approx(-4.5 / math.log(10), rel=1e-14)
    codes = [{"income": [x]} for x in (1, 4)]
    assert membership_scores(*codes, columns="income", widths=1, categories="mismatch").item() == pytest.approx(
        -4.5 / math.log(10), rel=1e-14
    )
    levels = membership_scores(*codes, columns="income", widths=1, categories="mismatch", types={"income": [1, 4]})
    assert levels.item() == pytest.approx(-0.5 / math.log(10), rel=1e-14)


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, lambda c: pl.DataFrame(c).to_arrow(), dict], ids=["pandas", "polars", "arrow", "mapping"]
)
def test_scores_stand_in_the_order_of_the_records_whatever_holds_them(make):
    """More than 10,000 polars texts are counted by polars, which forgets their order."""
    rng = np.random.default_rng(4)
    columns = {"town": rng.choice(["a", "b", "c"], 10_500).tolist(), "age": rng.integers(0, 3, 10_500).tolist()}
    released = {"town": ["a"], "age": [0]}
    found = membership_scores(make(columns), make(released), columns=["town", "age"], widths=1)
    places = [{"a": 0, "b": 1, "c": 2}[t] for t in columns["town"]]
    expected = [-(p**2 + a**2) / 2 / math.log(10) for p, a in zip(places, columns["age"], strict=True)]
    np.testing.assert_allclose(found.values, expected, rtol=1e-13)


def test_neither_the_tensor_nor_a_matrix_of_levels_may_be_large():
    assert kernels._axes_pay([5] * 8, 10**9)
    assert not kernels._axes_pay([2000], 10**12)  # 4 million distances, for which there may be fewer pairs of rows in memory at a time
    assert not kernels._axes_pay([5] * 11, 10**12)
    assert not kernels._axes_pay([5] * 8, 10**6)


def test_synthetic_tables_keep_their_labels_and_records_their_index(tmp_path):
    records = mixed(1, 5).set_axis(list("pqrst"))
    mixed(3, 6).to_csv(tmp_path / "s.csv", index=False)
    found = membership_scores(records, {"cart": mixed(2, 6), "file": str(tmp_path / "s.csv")}, columns=["town", "income"], widths=1)
    assert found.dims == ("synthetic", "record")
    assert found.indexes["synthetic"].tolist() == ["cart", "file"]
    assert found.indexes["record"].tolist() == list("pqrst")
    one = membership_scores(records, mixed(2, 6), columns=["town", "income"], widths=1)
    assert one.dims == ("record",)
    assert membership_scores(records, [mixed(2, 6)] * 3, columns="town", widths=1, releases=2).dims == ("record",)


def test_as_the_width_falls_to_0_the_score_is_the_number_of_equal_released_records():
    """Theory: exact matching; shares of that score within a key are CAP."""
    original, released = mixed(1, 30), mixed(2, 40)
    columns = ["town", "job"]
    found = membership_scores(original, released, columns=columns, widths=0.01)
    tables = tabulate(original, released, keys="town", target="job")
    equal = [sum(a == b for b in numbers(released)) for a in numbers(original[["age", "income", *columns]])]
    counts = [sum(a[2:] == b[2:] for b in numbers(released)) for a in numbers(original)]
    assert len(equal) == len(counts)
    np.testing.assert_allclose(np.round(10**found.values, 12), counts)
    by_key = [sum(a[2] == b[2] for b in numbers(released)) for a in numbers(original)]
    cap = np.mean([c / k if k else 0 for c, k in zip(np.round(10**found.values), by_key, strict=True)])
    assert cap == pytest.approx(average_cap(tables.o, tables.s).item(), rel=1e-12)


# --- The curve


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
    together = membership_scores({"x": [1, 2]}, [{"x": [1, 4]}] * 2, columns="x", widths=0.7, releases=[1, 2])
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
    together = membership_roc(*(membership_scores(x, released, releases=[2, 5], **arguments) for x in (members, others)))
    np.testing.assert_array_equal(together.auc, roc.auc.sel(releases=[2, 5]))
    assert membership_roc(members, others, released, releases=3, **arguments).auc == roc.auc.sel(releases=3)
    assert "releases" not in membership_roc(members, others, released[0], **arguments).coords


def test_a_copy_of_the_members_is_told_from_others():
    members, others = mixed(1, 40), mixed(11, 40).assign(age=lambda x: x["age"] + 0.25).set_axis(range(40, 80))
    roc = membership_roc(members, others, members, columns=list(members), widths=0.01)
    assert roc.auc.item() == roc.accuracy.item() == roc.best_difference.item() == 1


# --- Bad input


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


@pytest.mark.parametrize("width", [0, -1, math.nan, math.inf, True, "wide", None])
def test_a_width_must_be_positive(width):
    with pytest.raises(ValueError, match="width"):
        membership_scores(mixed(1, 3), mixed(2, 3), columns=["age", "town"], widths=[1, width])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"widths": [1]}, r"`widths` has 1 numbers for 2 columns"),
        ({"widths": {"age": 1}}, r"`widths` has no width for column 'town'"),
        ({"widths": {"age": 1, "twon": 1}}, r"`widths` names 'twon', which is not among `columns`. Did you mean 'town'"),
        ({"widths": ("adult", "huge")}, r"`widths` must be \"low\", \"medium\" or \"high\""),
        ({"widths": "hgih"}, r"`widths` must be \"low\", \"medium\" or \"high\""),
        ({"widths": 0}, r"A width must be a positive, finite number; got 0 for column 'age'"),
        ({"categories": "hamming"}, r"`categories` must be"),
        ({"columns": ["age", "agee"]}, r"Column 'agee' is not in `records`. Did you mean 'age'"),
        ({"columns": ["age", "age"]}, r"`columns` names 'age' twice"),
        ({"columns": []}, r"`columns` must name at least one column"),
        ({"types": {"sex": "text"}}, r"`types` names 'sex', which is not among `columns`"),
        ({"releases": 3}, r"`releases` must be numbers of released tables, from 1 to the 2 given; got 3"),
        ({"releases": [2, 1]}, r"`releases` must be one number or increasing ones"),
        ({"releases": []}, r"`releases` must be one number or increasing ones"),
        ({"releases": True}, r"`releases` must be numbers of released tables"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    usual = {"columns": ["age", "town"], "widths": 1}
    with pytest.raises(ValueError, match=message):
        membership_scores(mixed(1, 5), [mixed(2, 5), mixed(4, 5)], **(usual | arguments))


def test_columns_of_mixed_kind_are_refused():
    with pytest.raises(TypeError, match="Column 'x' of `records` mixes kinds"):
        membership_scores({"x": [1, "a"]}, {"x": [1]}, columns="x", widths=1)
    with pytest.raises(TypeError, match=r"Column 'x' holds number labels in `records` and text labels in `synthetic\[1\]`"):
        membership_scores({"x": [1]}, [{"x": [1]}, {"x": ["1"]}], columns="x", widths=1)
    with pytest.raises(TypeError, match="Column 'day' holds datetime labels, which are neither numbers nor categories"):
        membership_scores({"day": pd.to_datetime(["2024-01-01"])}, {"day": pd.to_datetime(["2024-01-02"])}, columns="day", widths=1)


def test_records_must_be_tables_in_memory_and_released_ones_must_be_there(tmp_path):
    mixed(1, 3).to_csv(tmp_path / "o.csv", index=False)
    with pytest.raises(TypeError, match="`records` must be in memory"):
        membership_scores(str(tmp_path / "o.csv"), mixed(2, 3), columns="town", widths=1)
    with pytest.raises(TypeError, match="`records` is int"):
        membership_scores(3, mixed(2, 3), columns="town", widths=1)
    with pytest.raises(TypeError, match="`synthetic` is None"):
        membership_scores(mixed(1, 3), None, columns="town", widths=1)
    with pytest.raises(ValueError, match=r"`synthetic\[0\]` is empty"):
        membership_scores(mixed(1, 3), [mixed(2, 0)], columns="town", widths=1)
    files = membership_roc(str(tmp_path / "o.csv"), mixed(5, 3), mixed(2, 3), columns="town", widths=1)
    assert files.auc == membership_roc(mixed(1, 3), mixed(5, 3), mixed(2, 3), columns="town", widths=1).auc


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
    with pytest.raises(ValueError, match="`members` has 2 dimensions; give one list of scores"):
        membership_roc([[1.0]], [2.0])
    tables = [mixed(2, 5), mixed(3, 5)]
    two, one = (membership_scores(mixed(1, 4), s, columns="town", widths=1) for s in (tables, tables[0]))
    with pytest.raises(ValueError, match="different dims or labels"):
        membership_roc(two, one)
    together = membership_scores(mixed(1, 4), tables, columns="town", widths=1, releases=[1, 2])
    with pytest.raises(ValueError, match="already combine several tables"):
        membership_roc(together, together.copy(), releases=1)


def test_narrow_widths_rank_by_the_nearest_released_record_and_wide_ones_by_the_mean_square():
    """Theory: parts 3 and 5, at widths where the remainder is small."""
    records, released = mixed(1, 12)[["age", "income"]], mixed(2, 9)[["age", "income"]]
    x, y = (np.array([[a, b] for a, b in zip(f["age"], f["income"].cat.codes, strict=True)]) for f in (records, released))
    squares = ((x[:, None] - y) ** 2).sum(-1)
    narrow, wide = (membership_scores(records, released, columns=["age", "income"], widths=t) * math.log(10) for t in (1e-3, 1e3))
    np.testing.assert_allclose(1e-6 * narrow, -squares.min(1) / 2, atol=1e-5)
    np.testing.assert_allclose(1e6 * (len(y) - np.exp(wide)), squares.sum(1) / 2, rtol=1e-4)


@pytest.mark.parametrize("types", [[1], "text", 3])
def test_types_that_are_no_mapping_are_refused(types):
    usual = {"columns": ["age", "town"], "types": types}
    with pytest.raises(TypeError, match=r"`types` must be a mapping \{column: type\}"):
        membership_scores(mixed(1, 5), mixed(2, 5), widths=1, **usual)
    with pytest.raises(TypeError, match=r"`types` must be a mapping \{column: type\}"):
        membership_roc(mixed(1, 5), mixed(2, 5), mixed(3, 5), widths=1, **usual)
    with pytest.raises(TypeError, match=r"`types` must be a mapping \{column: type\}"):
        maximum_knowledge(mixed(1, 5), mixed(2, 5), **usual)


# --- Scores of two calls


def scores_of_two_calls(members=None, others=None, **both):
    """Scores of a and c, and of b and b, against the released levels a and c."""
    usual = {"columns": "x", "widths": 1} | both
    released = {"x": ["a", "c"]}
    return membership_scores({"x": ["a", "c"]}, released, **usual | (members or {})), membership_scores(
        {"x": ["b", "b"]}, released, **usual | (others or {})
    )


def test_scores_whose_categories_have_other_places_are_not_compared():
    """Alone, a and c are neighbours, and b stands between them: as one table, the non-members have the higher scores."""
    with pytest.raises(ValueError, match=r"The categories of column 'x' have other positions .* types=\{'x': \[levels in order\]\}"):
        membership_roc(*scores_of_two_calls())
    with pytest.raises(ValueError, match="The categories of column 'x' have other positions"):
        membership_roc(*scores_of_two_calls({"releases": [1]}, {"releases": [1]}))
    of_records = membership_roc({"x": ["a", "c"]}, {"x": ["b", "b"]}, {"x": ["a", "c"]}, columns="x", widths=1)
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
