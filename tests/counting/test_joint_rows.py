"""Joint rows: every row of any table once, with the records that each table has of it."""

import math
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from mixed_records import LEVELS

from capstats import MISSING, LevelsWarning
from capstats.attacks import maximum_knowledge, membership_scores
from capstats.codes.progress import Progress
from capstats.counting.joint_rows import joint_rows
from capstats.counting.request import Request

ORIGINAL = {"a": ["x", "x", "y", None], "b": [1, 1, 2, 2], "n": [1, 2, 3, 4]}
OTHER_LEVELS = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # meant to be there
RELEASED = {"a": ["x", "z"], "b": [1, 2], "n": [1.0, 2.5]}


def rows(original=ORIGINAL, synthetic=RELEASED, holdout=None, **options):
    options = {"keys_argument": "columns", "target": None, "target_argument": None, **options}
    request = Request.of({}, original=original, synthetic=synthetic, holdout=holdout, **{"keys": ["a", "b"], **options})
    return joint_rows(request, Progress(False))


def test_rows_are_those_of_all_tables():
    found = rows(holdout={"a": ["y"], "b": [2]})
    assert list(found.axis) == [("x", 1), ("y", 2), ("z", 2), (MISSING, 2)]
    assert [x.tolist() for x in (found.original, *found.synthetic, found.holdout)] == [[2, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 0]]


def test_counts_are_summed_and_incomplete_records_are_dropped():
    found = rows(counts=("n", None), missing="drop")
    assert (list(found.axis), found.original.tolist()) == ([("x", 1), ("y", 2), ("z", 2)], [3, 3, 0])
    assert found.attrs == {"missing": "drop", "dropped": {"original": 4, "synthetic": 0}, "counts": {"original": "n"}}


def test_columns_whose_combinations_fit_no_64_bits_are_rows_like_others():
    wide = pd.DataFrame({f"c{i}": [str(j) for j in range(50)] for i in range(12)})
    found = rows(wide, wide[:3], keys=list(wide))
    assert (len(found.axis), found.original.sum(), found.synthetic[0].sum()) == (50, 50, 3)


def test_an_order_is_that_of_any_table():
    category = pd.DataFrame({"a": pd.Categorical(["x"], ["y", "x"], ordered=True), "b": [1]})
    assert rows(ORIGINAL, category).ordered == [True, False]


def test_columns_without_a_common_level_are_warned_of():
    with pytest.warns(LevelsWarning, match="Column 'a' has no level in common in `original` .* so no record can match"):
        rows(synthetic={"a": ["u"], "b": [1]})


def test_numbers_in_another_precision_are_warned_of_where_most_of_them_are_and_not_where_a_few_agree_by_chance():
    thirds = {"a": np.arange(30) % 3, "b": np.arange(30) / 3}
    for other in (np.round(thirds["b"], 2), thirds["b"].astype(np.float32)):
        with pytest.warns(LevelsWarning, match="Column 'b' of `original` and `synthetic` has 20 pairs of levels"):
            maximum_knowledge(thirds, {"a": thirds["a"][::-1] % 2, "b": other}, columns=["a", "b"])
    incomes, others = np.random.default_rng(0).lognormal(7, 1, (2, 300))
    known = {"a": np.arange(300) % 3, "b": incomes}
    maximum_knowledge(known, {**known, "b": np.append(others[1:], incomes[:1]).astype(np.float32)}, columns=["a", "b"])


def test_what_counts_no_records_is_refused():
    with pytest.raises(ValueError, match="`weights` cannot be used: single records are compared"):
        rows(weights="n")
    with pytest.raises(ValueError, match="`counts` of `synthetic` are fractional"):
        rows(counts="n")
    with pytest.raises(TypeError, match="`synthetic` must be a table of records, or several; got None"):
        rows(synthetic=None)


# --- of attacks ---------------------------------------------------------------------------------------------------------


@OTHER_LEVELS
def test_categories_stand_for_their_places_in_the_stated_order_levels_without_records_included():
    """Low to top are 3 apart where the order has four levels, although nobody has the two between."""
    ordered = [pd.DataFrame({"income": pd.Categorical([x], LEVELS)}) for x in ("low", "top")]
    plain, codes = ([{"income": [x]} for x in both] for both in (("low", "top"), (1, 4)))
    for tables, options, expected in (
        (ordered, {}, -4.5),
        (plain, {}, -0.5),
        (plain, {"types": {"income": LEVELS}}, -4.5),
        (codes, {"categories": "mismatch"}, -4.5),
        (codes, {"categories": "mismatch", "types": {"income": [1, 4]}}, -0.5),
    ):
        score = membership_scores(*tables, columns="income", widths=1, **options).item()
        assert score == pytest.approx(expected / math.log(10), rel=1e-14)


@OTHER_LEVELS
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


@OTHER_LEVELS
def test_columns_of_mixed_kind_are_refused():
    with pytest.raises(TypeError, match="Column 'x' of `records` mixes kinds"):
        membership_scores({"x": [1, "a"]}, {"x": [1]}, columns="x", widths=1)
    with pytest.raises(TypeError, match=r"Column 'x' holds number labels in `records` and text labels in `synthetic\[1\]`"):
        membership_scores({"x": [1]}, [{"x": [2]}, {"x": ["3"]}], columns="x", widths=1)
    with pytest.raises(TypeError, match="Column 'x' holds duration labels, which are neither numbers, dates nor categories"):
        membership_scores({"x": pd.to_timedelta(["1 day"])}, {"x": pd.to_timedelta(["2 days"])}, columns="x", widths=1)
    with pytest.raises(ValueError, match="Column 'x' holds a number beyond 1e308"):
        membership_scores({"x": [1, 10**400]}, {"x": [1]}, columns="x", widths=1)


@pytest.mark.parametrize("kind", ["date", "datetime", "datetime with zone"])
def test_dates_are_numbers_of_days(kind):
    """Of days and quarters of a day, and a missing value."""
    days = [[0, 1, 40, None, 60], [3, 1, 39, None]] if kind == "date" else [[0, 0.25, 40.5, None, 60], [3, 0.5, 40.25, None]]
    first = pd.Timestamp("2024-01-31", tz="UTC" if "zone" in kind else None)
    moments = [[None if x is None else first + pd.Timedelta(days=x) for x in of] for of in days]
    dates = [[x.date() if kind == "date" and x is not None else x for x in of] for of in moments]
    numbers, found = ([{"x": of, "y": [1] * len(of)} for of in both] for both in (days, dates))
    for attack in (partial(membership_scores, widths=2), partial(maximum_knowledge, within={"x": 0.3})):
        values = [attack(*tables, columns=["x", "y"]) for tables in (numbers, found)]
        if not isinstance(values[0], xr.DataArray):
            values = [x.accuracy for x in values]
        np.testing.assert_allclose(values[1].values, values[0].values, rtol=1e-12)


@OTHER_LEVELS
def test_whole_records_are_read_as_tabulate_reads_files(tmp_path):
    """Decimal commas, a text that means missing and bins: 1,5 and 1,9 are in one bin of two; neither 9 nor a missing value is."""
    paths = [tmp_path / "records.csv", tmp_path / "released.csv"]
    paths[0].write_text("x;y\n1,5;é\n9;é\n-;é\n", encoding="cp1252")
    paths[1].write_text("x;y\n1,9;é\n", encoding="cp1252")
    options = {"bins": {"x": [5]}, "null_values": "-", "encoding": "cp1252", "decimal": ","}
    found = maximum_knowledge(*paths, columns=["x", "y"], **options)
    assert found.accuracy.values.tolist() == [pytest.approx(1 / 3), 1]
    with pytest.raises(ValueError, match="`encoding` applies to CSV files only"):
        maximum_knowledge({"x": [1], "y": [2]}, {"x": [1], "y": [2]}, columns=["x", "y"], encoding="cp1252")
    with pytest.raises(ValueError, match="`bins` names 'z', which is not among `columns`"):
        maximum_knowledge(*paths, columns=["x", "y"], bins={"z": 3})


@OTHER_LEVELS
def test_attacks_take_numbers_of_records_and_no_other_way_of_counting():
    records = {"age": [20, 20, 30, 30, 30], "town": list("aabbb")}
    released = {"age": [20, 30, 30], "town": ["a", "a", "b"]}
    counted = [{"age": [20, 30], "town": ["a", "b"], "n": [2, 3]}, {"age": [20, 30, 30], "town": ["a", "a", "b"], "n": [1, 1, 1]}]
    one = maximum_knowledge(records, released, columns=["age", "town"])
    assert maximum_knowledge(*counted, columns=["age", "town"], counts="n").identical(one)
    with pytest.raises(TypeError, match="There is no option 'missing'"):
        maximum_knowledge(records, released, columns=["age", "town"], missing="drop")
    with pytest.raises(ValueError, match="`weights` cannot be used"):
        maximum_knowledge(records, released, columns=["age", "town"], weights="age")
