"""A column that is asked for is there exactly once, in every library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from frames_in_memory import RECORDS, frames, read, rows


@frames
def test_an_absent_column_raises_with_the_nearest_name(frame: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"Column 'sexx' is not in `original`\. Did you mean 'sex'\?"):
        read(frame(RECORDS), ["sexx"], None, "original")
    with pytest.raises(ValueError, match=r"Column 'weight' is not in `original`\. None of its \d columns has a similar name"):
        read(frame(RECORDS), ["sex"], "weight", "original")


@pytest.mark.parametrize("table", [pd.DataFrame([[1, 2]], columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"])])
def test_a_column_that_occurs_twice_raises(table: Any) -> None:
    with pytest.raises(ValueError, match=r"Column 'a' occurs 2 times in `original`\. Rename all but one"):
        read(table, ["a"], None, "original")


def test_a_column_that_occurs_twice_is_no_matter_where_it_is_not_used() -> None:
    assert rows(pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]), ["b"]) == {(3,): 1}
