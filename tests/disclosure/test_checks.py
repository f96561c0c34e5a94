"""What makes up most of what is disclosed is flagged, as in a loop over cells."""

from collections import Counter

import numpy as np
import pytest
import xarray as xr
from records_with_gaps import people

from capstats import MISSING, tabulate
from capstats.disclosure import one_way_check, two_way_check

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


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
