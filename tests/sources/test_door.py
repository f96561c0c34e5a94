"""What kind of thing a table is."""

from __future__ import annotations

import datetime as dt

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import xarray as xr
from frames_in_memory import FRAMES, RECORDS, rows

import capstats
from capstats.sources.door import is_frame

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
