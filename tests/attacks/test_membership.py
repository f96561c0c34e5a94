"""Scores of membership and their ROC curve: held against loops over pairs of records in high precision, and against counting."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pandas as pd
import pytest
from mixed_records import mixed

from capstats import average_cap, tabulate
from capstats.attacks import kernels, maximum_knowledge, membership_roc, membership_scores

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

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
    together = membership_scores(records, released, columns=list(records), widths=widths, categories=categories, n_releases=[2, 3])
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


def test_synthetic_tables_keep_their_labels_and_records_their_index(tmp_path):
    records = mixed(1, 5).set_axis(list("pqrst"))
    mixed(3, 6).to_csv(tmp_path / "s.csv", index=False)
    found = membership_scores(records, {"cart": mixed(2, 6), "file": str(tmp_path / "s.csv")}, columns=["town", "income"], widths=1)
    assert found.dims == ("synthetic", "record")
    assert found.indexes["synthetic"].tolist() == ["cart", "file"]
    assert found.indexes["record"].tolist() == list("pqrst")
    one = membership_scores(records, mixed(2, 6), columns=["town", "income"], widths=1)
    assert one.dims == ("record",)
    assert membership_scores(records, [mixed(2, 6)] * 3, columns="town", widths=1, n_releases=2).dims == ("record",)


def test_as_the_width_falls_to_0_the_score_is_the_number_of_equal_released_records():
    """Theory: exact matching; shares of that score within a key are CAP."""
    original, released = mixed(1, 30), mixed(2, 40)
    columns = ["town", "job"]
    found = membership_scores(original, released, columns=columns, widths=0.01)
    tables = tabulate(original, released, keys="town", target="job")
    counts = [sum(a[2:] == b[2:] for b in numbers(released)) for a in numbers(original)]
    np.testing.assert_allclose(np.round(10**found.values, 12), counts)
    by_key = [sum(a[2] == b[2] for b in numbers(released)) for a in numbers(original)]
    cap = np.mean([c / k if k else 0 for c, k in zip(np.round(10**found.values), by_key, strict=True)])
    assert cap == pytest.approx(average_cap(tables.o, tables.s).item(), rel=1e-12)


# --- Bad input


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
        ({"columns": ["age", "age"]}, r"Column 'age' is named twice"),
        ({"columns": []}, r"`columns` must name at least one column"),
        ({"types": {"sexx": "text"}}, r"`types` names 'sexx', which is in no table"),
        ({"n_releases": 3}, r"`n_releases` must be numbers of released tables, from 1 to the 2 given; got 3"),
        ({"n_releases": [2, 1]}, r"`n_releases` must be one number or increasing ones"),
        ({"n_releases": []}, r"`n_releases` must be one number or increasing ones"),
        ({"n_releases": True}, r"`n_releases` must be numbers of released tables"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    usual = {"columns": ["age", "town"], "widths": 1}
    with pytest.raises(ValueError, match=message):
        membership_scores(mixed(1, 5), [mixed(2, 5), mixed(4, 5)], **(usual | arguments))


def test_records_may_be_files_and_released_ones_must_be_there(tmp_path):
    mixed(1, 3).to_csv(tmp_path / "o.csv", index=False)
    of_file = membership_scores(str(tmp_path / "o.csv"), mixed(2, 3), columns="town", widths=1)
    assert of_file.values.tolist() == membership_scores(mixed(1, 3), mixed(2, 3), columns="town", widths=1).values.tolist()
    with pytest.raises(TypeError, match="`records` is int"):
        membership_scores(3, mixed(2, 3), columns="town", widths=1)
    with pytest.raises(TypeError, match="`synthetic` must be a table of records, or several; got None"):
        membership_scores(mixed(1, 3), None, columns="town", widths=1)
    with pytest.raises(ValueError, match=r"`synthetic\[0\]` is empty"):
        membership_scores(mixed(1, 3), [mixed(2, 0)], columns="town", widths=1)
    files = membership_roc(str(tmp_path / "o.csv"), mixed(5, 3), mixed(2, 3), columns="town", widths=1)
    assert files.auc == membership_roc(mixed(1, 3), mixed(5, 3), mixed(2, 3), columns="town", widths=1).auc


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
