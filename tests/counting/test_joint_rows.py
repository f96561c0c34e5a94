"""Joint rows: every row of any table once, with the records that each table has of it."""

import pandas as pd
import pytest

from capstats import MISSING, LevelsWarning
from capstats.codes.progress import Progress
from capstats.counting.joint_rows import joint_rows
from capstats.counting.request import Request

ORIGINAL = {"a": ["x", "x", "y", None], "b": [1, 1, 2, 2], "n": [1, 2, 3, 4]}
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


def test_what_counts_no_records_is_refused():
    with pytest.raises(ValueError, match="`weights` cannot be used: single records are compared"):
        rows(weights="n")
    with pytest.raises(ValueError, match="`counts` of `synthetic` are fractional"):
        rows(counts="n")
    with pytest.raises(TypeError, match="`synthetic` must be a table of records, or several; got None"):
        rows(synthetic=None)
