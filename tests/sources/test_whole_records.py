"""The numbers of values: two are equal exactly where the values say the same, whatever holds them."""

from __future__ import annotations

import datetime as dt
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import odd_values
import pandas as pd
import polars as pl
import pytest

from capstats.codes.labels import MISSING
from capstats.counting.compared import held_labels, said_by
from capstats.sources import whole_records
from capstats.sources.files import FileSource
from capstats.sources.source import Options, Query

pytestmark = pytest.mark.slow

COLUMNS = {name: pl.Series(values, dtype=held, strict=False) for name, (held, values) in odd_values.COLUMNS.items()} | {
    "decimal": pl.Series(["1.00", "0.50", "0.10"]).cast(pl.Decimal(10, 2)),
    "times": pl.Series(["2024-01-31 08:15", "2024-01-31T00:00:00", "2024-01-31T08:15:00+01:00", "2024-01-31 07:15:00.000001+00:00"]),
}


def entries(path: Path, column: str, options: Options) -> list[tuple[Any, int]]:
    """What each value says, as `capstats.counting.copies` has it, and its number."""
    source = FileSource(path, "original")
    options = options if source.is_csv else replace(options, decimal=".")
    query = Query([column], by_record=True, options=options)
    held = held_labels(source.rows(query)[0][0])
    said = [said_by(held, column, options)[code] for code in held.codes]
    numbers = source.ask(query, lambda table: whole_records.with_numbers(table, query, options.decimal).fetchall())
    plain = [int(x) if isinstance(x, (bool, np.integer)) else x for x in said]
    texts = [(MISSING,) if x is MISSING else (isinstance(x, int), str(x)) for x in plain]
    return list(zip(texts, (number for (number,) in numbers), strict=True))


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("codes", [None, [-99, "NA", "", "1900-01-01", "a"], {"text": [-99, "A"], "float": 0.5, "day": "1900-01-01"}])
def test_two_numbers_are_equal_where_the_values_say_the_same(codes: Any, decimal: str, tmp_path: Path) -> None:
    found = []
    for column, values in COLUMNS.items():
        values.to_frame(column).write_parquet(tmp_path / f"{column}.parquet")
        texts = ["" if x is None else str(x) for x in values.to_list()]
        pd.DataFrame({column: texts, "z": 0}).to_csv(tmp_path / f"{column}.csv", index=False)
        for ending in ("parquet", "csv"):
            found += entries(tmp_path / f"{column}.{ending}", column, Options(null_values=codes, decimal=decimal))
    assert len({number for _, number in found}) > 30
    for (one, number), (other, another) in combinations(found, 2):
        assert (one == other) == (number == another), (one, other)


DECLARED: dict[str, list[Any]] = {
    "text": [["1", "1.0", "007", " 7", "7", "true", "True", "2024-01-31"], [7, 1], [0.1, 7.0], [True, False], [dt.date(2024, 1, 31)]],
    "bool": [["yes", " No", "T", "false", "1", "0"], [True, False], [0, 1], [1.0]],
    "date": [["2024-01-31", "20240131", " 2024-02-01"], [dt.date(2024, 1, 31)], [dt.datetime(2024, 2, 1)]],
    "datetime": [
        ["2024-01-31", "2024-01-31 08:15", "2024-01-31T08:15:00", "20240131", "20240131T0815", "20240131T081500", "20240131T081500.25"],
        odd_values.MOMENTS[:3],
        [dt.date(2024, 1, 31)],
    ],
}


@pytest.mark.parametrize("declared", DECLARED)
def test_a_declared_type_is_read_as_in_memory(declared: Any, tmp_path: Path) -> None:
    found = []
    for i, values in enumerate(DECLARED[declared]):
        pl.DataFrame({"x": [*values, None]}).write_parquet(tmp_path / f"{i}.parquet")
        found += entries(tmp_path / f"{i}.parquet", "x", Options(types={"x": declared}))
    for (one, number), (other, another) in combinations(found, 2):
        assert (one == other) == (number == another), (one, other)


def test_spaces_around_a_text_are_those_that_python_strips() -> None:
    assert set(whole_records.WHITE) == {chr(i) for i in range(sys.maxunicode + 1) if chr(i).isspace()}


def test_equal_multiplicities_are_added_up_however_large_they_are() -> None:
    """Two tables: three values once in the one and a million times in the other, and four and five the other way round."""
    million = 10**6
    parts = [[[1, million], [million, 1], [3, 4]], [[million], [1], [5]]]
    found = whole_records.together([[np.array(x) for x in part] for part in parts])
    assert [x.tolist() for x in found] == [[1, million], [million, 1], [3, 9]]
