"""Exclusions, and checks for attributions that are possible without the release."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
import sparse
import xarray as xr
from records_with_gaps import people

from capstats import MISSING, from_counts, tabulate
from capstats.disclosure import dio, dis, disco, exclude, one_way_check, share_replicated, share_unique, tcap, two_way_check

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

REASONS = ["target", "missing target", "missing key", "pair", "size"]
OPTIONS = {
    "targets": ["x"],
    "missing_target": True,
    "missing_keys": ["b"],
    "pairs": [({"a": "p"}, "y"), ({"a": "q", "b": 2}, "z")],
    "above": 2,
}


def tables(several=False):
    synthetic = [people(2, 50), people(3, 60)] if several else people(2, 50)
    return tabulate(people(1), synthetic, keys=["a", "b"], target="t")


def reason_of(person, cell):
    """The first reason that applies to a person, as the options above say."""
    a, b, t = person
    pair = (a, t) == ("p", "y") or (a, b, t) == ("q", 2, "z")
    applies = [t == "x", t is None, b is None, pair, cell > 2]
    return REASONS[applies.index(True)] if any(applies) else None


# Which records, and how many


@pytest.mark.parametrize("backing", ["dense", "sparse"])
def test_reasons_are_those_of_a_loop_over_cells(backing):
    found = exclude(tabulate(people(1), people(2, 50), keys=["a", "b"], target="t", backing=backing), **OPTIONS)
    for name, source in (("o", people(1)), ("s", people(2, 50))):
        cells = Counter(zip(source["a"], source["b"], source["t"], strict=True))
        by_reason = Counter()
        for person, cell in cells.items():
            by_reason[reason_of(person, cell)] += cell
        assert found[f"{name}_report"].to_series().to_dict() == {reason: by_reason[reason] for reason in REASONS}
        counted = found[f"{name}_counted"]
        assert isinstance(counted.data, sparse.COO) == isinstance(found[f"{name}_excluded"].data, sparse.COO) == (backing == "sparse")
        assert counted.data.sum() == by_reason[None]
        assert min(by_reason.values()) > 0  # every reason is met


def test_parts_add_up_to_the_whole():
    """Part 1 of theory/certainty.md#exclusions: for every measure, over the records that count and those excluded for each reason."""
    t = tables()
    left = exclude(t, **OPTIONS)
    assert (left.o_counted + left.o_excluded.sum("reason") == t.o).all()
    assert left.o_excluded.sum(("target", "key")).values.tolist() == left.o_report.values.tolist()
    for measure in (
        disco,
        dis,
        share_unique,
        share_replicated,
        lambda o, s, **x: dio(o, **x),
        lambda o, s, **x: tcap(o, s, variant="matched", **x),
    ):
        parts = measure(t.o, t.s, counted=left.o_counted).item() + measure(t.o, t.s, counted=left.o_excluded).sum().item()
        assert parts == pytest.approx(measure(t.o, t.s).item(), rel=1e-14)


def test_excluded_records_stay_in_the_denominator():
    t = from_counts([[6, 0], [0, 2]], [[1, 0], [0, 1]], target_labels=["no", "yes"])
    left = exclude(t, targets="no")
    assert disco(t.o, t.s).item() == 1
    assert disco(t.o, t.s, counted=left.o_counted).item() == 2 / 8


def test_an_exclusion_creates_no_unique_and_no_pure_key():
    """Part 2: one record is left of the only key, which three records have."""
    t = from_counts([[2], [1]], [[2], [1]], target_labels=["no", "yes"])
    left = exclude(t, targets="no")
    assert left.o_counted.values.tolist() == [[0], [1]]
    for measure in (share_unique, share_replicated, disco, dis):
        assert measure(t.o, t.s, counted=left.o_counted).item() == 0
        assert measure(left.o_counted, left.s_counted).item() == 1  # what computing on the rest would say
    rng = np.random.default_rng(61)
    for _ in range(15):
        t = from_counts(*(rng.integers(0, 3, (2, 3, 5)) + np.eye(3, 5, dtype=int)), target_labels=["x", "y", "z"])
        left = exclude(t, targets=["x"], above=1)
        for measure in (share_unique, share_replicated, disco, dis):
            assert measure(t.o, t.s, counted=left.o_counted) <= measure(t.o, t.s)


def test_size_looks_at_the_own_cells_of_each_table():
    t = from_counts([[5, 1]], [[1, 5]])
    left = exclude(t, above=2)
    assert left.o_counted.values.tolist() == [[0, 1]]
    assert left.s_counted.values.tolist() == [[1, 0]]


def test_several_synthetic_tables_have_a_report_each():
    several, one = exclude(tables(several=True), **OPTIONS), exclude(tables(), **OPTIONS)
    assert several.s_report.dims == ("synthetic", "reason")
    assert several.s_report.sel(synthetic=0).values.tolist() == one.s_report.values.tolist()
    assert several.s_excluded.dims == ("reason", "synthetic", "target", "key")


def test_nothing_is_excluded_unless_asked_for():
    t = tables()
    left = exclude(t)
    assert left.o_counted.equals(t.o)
    assert left.o_report.sum() == 0


def test_missing_keys_may_be_those_of_all_columns_or_of_one():
    t = tables()
    a, b = np.array(people(1)["a"], object), np.array(people(1)["b"], object)
    for asked, expected in ((True, (a == None) | (b == None)), ("a", a == None), (["a", "b"], (a == None) | (b == None))):  # noqa: E711
        assert exclude(t, missing_keys=asked).o_report.sel(reason="missing key").item() == expected.sum()


def test_several_target_columns_are_named_by_a_tuple():
    records = {"k": [0, 0, 1], "t": ["x", "x", "y"], "u": [1, 2, 1]}
    t = tabulate(records, records, keys="k", target=["t", "u"])
    assert exclude(t, targets=("x", 1)).o_report.sel(reason="target").item() == 1
    assert exclude(t, targets=[("x", 1), ("y", 1)]).o_report.sel(reason="target").item() == 2
    with pytest.raises(ValueError, match=r"A target is a tuple with one label for each of \['t', 'u'\]; got 'x'"):
        exclude(t, targets="x")


def test_labels_and_columns_may_come_in_any_list():
    t = tabulate(people(8), keys=["a", "b"], target="t")
    for some in (list, set, np.array, pd.Series, pd.Index):
        found = exclude(t, targets=some(["x", "y"]), missing_keys=some(["a"]))
        assert found.identical(exclude(t, targets=["x", "y"], missing_keys="a"))
    assert exclude(t, missing_keys=np.True_).identical(exclude(t, missing_keys=True))


def test_labels_are_matched_by_value_and_kind():
    t = tabulate({"k": [1, 2], "t": [1, 0]}, keys="k", target="t")
    assert exclude(t, targets=np.int64(1)).o_report.sel(reason="target").item() == 1
    assert exclude(t, targets=(1.0, 0)).o_report.sel(reason="target").item() == 2
    assert exclude(t, targets=[1.0]).o_report.sel(reason="target").item() == 1
    with pytest.raises(ValueError, match="No target is True"):
        exclude(t, targets=True)
    with pytest.raises(ValueError, match="No target is '1'"):
        exclude(t, targets="1")


def test_a_column_goes_by_the_name_that_it_had():
    t = tabulate({"o": ["f", "m"], "t": ["x", "y"]}, keys="o", target="t")
    assert t.attrs["renamed"] == {"o_": "o"}
    assert exclude(t, pairs=[({"o": "f"}, "x")]).o_report.sel(reason="pair").item() == 1
    assert exclude(t, pairs=[({"o_": "f"}, "x")]).o_report.sel(reason="pair").item() == 1


def test_a_key_column_may_be_called_as_what_the_result_adds():
    t = tabulate(
        {"reason": ["f", "m"], "level": [1, 2], "t": ["x", "y"]},
        {"reason": ["f"], "level": [1], "t": ["x"]},
        keys=["reason", "level"],
        target="t",
    )
    assert exclude(t, missing_keys=["reason", "level"], targets="x").o_report.sum() == 1
    assert two_way_check(t.o, t.s, records=0).column.values.tolist() == ["reason_", "reason_", "level", "level"]


def test_missing_is_a_level_that_can_be_named():
    t = tables()
    assert exclude(t, targets=[MISSING]).o_report.sum() == exclude(t, missing_target=True).o_report.sum() > 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"targets": "hihg"}, ValueError, r"No target is 'hihg'\. Did you mean 'high'\?"),
        ({"missing_keys": "sexx"}, ValueError, r"'sexx' is not a key column\. Did you mean 'sex'\?"),
        ({"pairs": [({"sex": "x"}, "low")]}, ValueError, "No key has sex = 'x'"),
        ({"pairs": [("f", "low")]}, TypeError, r"`pairs` must be a list of \(\{key column: level\}, target\); got tuple of length 2"),
        ({"pairs": ({"sex": "f"}, "low")}, TypeError, "`pairs` must be a list of"),
        ({"missing_target": "income"}, TypeError, "`missing_target` must be True or False; got 'income'"),
        *(({"above": above}, ValueError, "`above` must be a number of records, 0 or more") for above in (-1, float("nan"), "2")),
        ({"tables": [[1]], "targets": "low"}, TypeError, "`tables` must be the Dataset that tabulate or from_counts returns"),
    ],
)
def test_unknown_labels_and_columns_raise_with_the_nearest(options, error, message):
    t = tabulate({"sex": ["f", "m"], "income": ["high", "low"]}, keys="sex", target="income")
    with pytest.raises(error, match=message):
        exclude(**{"tables": t, **options})


# Checks


def test_a_target_that_makes_up_most_of_what_is_disclosed_is_flagged():
    o, s = [[95, 0], [0, 5]], [[1, 0], [0, 1]]
    found = one_way_check(o, s)
    assert found.share.values.tolist() == [0.95, 0.05]
    assert found.flagged.values.tolist() == [True, False]
    assert not one_way_check(o, s, records=95).flagged.any()
    assert not one_way_check(o, s, share=0.95).flagged.any()
    assert one_way_check(o, s, counted=[[0, 0], [0, 5]], records=4).flagged.values.tolist() == [False, True]


@pytest.mark.parametrize("check", [one_way_check, two_way_check])
def test_a_percentage_is_no_share(check):
    for share in (90, -0.1, np.nan, "a"):
        with pytest.raises(ValueError, match=r"`share` must be a fraction from 0 to 1; got .*\. Divide a percentage by 100"):
            check([[60]], [[1]], share=share)
    for records in (-1, np.nan, "a"):
        with pytest.raises(ValueError, match="`records` must be a number of records, 0 or more; got"):
            check([[60]], [[1]], records=records)


def test_where_nothing_is_disclosed_nothing_is_flagged():
    found = one_way_check([[3, 1]], [[0, 0]])
    assert np.isnan(found.share).all()
    assert not found.flagged.any()
    assert not two_way_check([[3, 1]], [[0, 0]], records=0).flagged.any()


@pytest.mark.parametrize("backing", ["dense", "sparse"])
def test_checks_are_those_of_a_loop_over_cells(backing):
    original, synthetic = people(1), people(2, 12)
    t = tabulate(original, synthetic, keys=["a", "b"], target="t", backing=backing)
    rows = list(zip(original["a"], original["b"], original["t"], strict=True))
    answers = {}
    for a, b, target in zip(synthetic["a"], synthetic["b"], synthetic["t"], strict=True):
        answers.setdefault((a, b), set()).add(target)
    cells = Counter(row for row in rows if answers.get(row[:2]) == {row[2]})
    assert max(cells.values()) > 2 == min(cells.values())

    one, two = one_way_check(t.o, t.s, records=3, share=0.3), two_way_check(t.o, t.s, records=2, share=0.25)
    for i, target in enumerate([None if x is MISSING else x for x in t.indexes["target"]]):
        n = sum(count for row, count in cells.items() if row[2] == target)
        assert one.disclosed.values[i] == n
        assert one.flagged.values[i] == (n > 3 and n / cells.total() > 0.3)
        for j, (column, label) in enumerate(zip(two.column.values, two.label.values, strict=True)):
            label = None if label is MISSING else label
            of_level = [row for row in rows if row["ab".index(column)] == label]
            of_both = sum(row[2] == target for row in of_level)
            n = sum(count for row, count in cells.items() if row["ab".index(column)] == label and row[2] == target and count > 2)
            assert (two.disclosed.values[i, j], two.records.values[i, j]) == (n, of_both)
            assert two.flagged.values[i, j] == (n > 0 and of_both / len(of_level) > 0.25)
    assert 0 < two.flagged.values.sum() < two.flagged.size


def test_checks_of_many_tables_are_those_of_each():
    rng = np.random.default_rng(62)
    o = rng.integers(0, 9, (2, 4))
    s = xr.DataArray(rng.integers(0, 2, (5, 2, 4)), dims=("draw", "target", "key"))
    for check in (one_way_check, two_way_check):
        found = check(o, s, records=2, share=0.4)
        for draw in range(5):
            one = check(o, s[draw].values, records=2, share=0.4)
            for name in one:
                np.testing.assert_array_equal(found[name].isel(draw=draw).values if "draw" in found[name].dims else found[name], one[name])
