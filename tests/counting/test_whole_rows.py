"""Whole records keep their order, and their labels stand for numbers or for places in an order."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from mixed_records import LEVELS

from capstats.attacks import maximum_knowledge, membership_scores

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


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


def test_columns_of_mixed_kind_are_refused():
    with pytest.raises(TypeError, match="Column 'x' of `records` mixes kinds"):
        membership_scores({"x": [1, "a"]}, {"x": [1]}, columns="x", widths=1)
    with pytest.raises(TypeError, match=r"Column 'x' holds number labels in `records` and text labels in `synthetic\[1\]`"):
        membership_scores({"x": [1]}, [{"x": [2]}, {"x": ["3"]}], columns="x", widths=1)
    with pytest.raises(TypeError, match="Column 'day' holds datetime labels, which are neither numbers nor categories"):
        membership_scores({"day": pd.to_datetime(["2024-01-01"])}, {"day": pd.to_datetime(["2024-01-02"])}, columns="day", widths=1)


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
