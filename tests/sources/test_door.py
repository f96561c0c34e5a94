"""What kind of thing a table is."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr
from csv_written import counted as rows
from doors import DOORS
from frames_in_memory import FRAMES, RECORDS

import capstats
from capstats.counting.tabulate import tabulate
from capstats.sources.door import is_frame, open_source
from capstats.sources.source import Options

DAYS = [dt.date(2024, 1, 2), None, dt.date(2024, 1, 1)]


def test_a_frame_of_narwhals_is_the_frame_that_it_wraps() -> None:
    frame = pl.DataFrame({"day": DAYS, "sex": ["f", "m", None]})
    assert rows(nw.from_native(frame), ["day", "sex"]) == rows(frame, ["day", "sex"])
    assert capstats.tabulate(nw.from_native(frame.lazy()), keys="day", target="sex").identical(
        capstats.tabulate(frame, keys="day", target="sex")
    )


def test_is_frame_tells_frames_from_other_things() -> None:
    assert all(is_frame(frame(RECORDS)) for frame in FRAMES)
    assert is_frame(pl.LazyFrame(RECORDS))
    assert not any(is_frame(x) for x in (np.ones((2, 2)), [[1]], pd.Series([1]), xr.DataArray([1]), None, "a.csv"))


RENAMED = {"K": ["a", "b", None], "t": ["x", "y", "x"], "N": [1, 2, 3]}


EVERY = DOORS | {"batch": lambda x, _: pa.table(x).to_batches()[0], "narwhals": lambda x, _: nw.from_native(pl.DataFrame(x))}


@pytest.mark.parametrize("library", EVERY)
def test_columns_of_any_table_can_be_renamed(tmp_path: Path, library: str) -> None:
    """Names are exchanged at once, so that two may change places."""
    table = EVERY[library](RENAMED, tmp_path)
    options = Options(rename={"K": "t", "t": "K", "absent": "x"}, types={"N": "number"})
    source = open_source(table, "original", options)
    assert list(source.names(options)) == ["t", "K", "N"]
    found = tabulate(table, keys="K", target=["t", "m"], rename={"K": "t", "t": "K", "N": "m"}, types={"m": "number"})
    expected = tabulate(RENAMED, keys="t", target=["K", "N"])
    assert found.o.values.tolist() == expected.o.values.tolist()
    with pytest.raises(ValueError, match=r"gives two columns of `original` the name 't'|Column 't' occurs 2 times in `original`"):
        tabulate(table, keys="t", target="K", rename={"N": "t"})
