"""An ordinary stretch of a CSV file has the records that Python's csv module finds."""

from __future__ import annotations

import csv
import io

from csv_written import files
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats.sources.csv_survey import look


@examples(100)
@given(files(), st.integers(0, 40))
def test_an_ordinary_stretch_has_the_records_that_pythons_csv_module_finds(data: bytes, cut: int) -> None:
    """The survey may doubt a legal file; it must not accept another one, nor another number of records."""
    data = data.removeprefix("\ufeff".encode())
    for end in (b"\n", b"\r\n"):
        found = look(data[: len(data) - cut] if cut else data, b",", 2, end)
        if found is None or b"\0" in data or b"\xff" in data or b"\xe9" in data.replace("é".encode(), b""):
            continue
        rows = [row for row in csv.reader(io.StringIO(data[: found.end].decode(), newline=""), strict=True) if row]
        assert len(rows) == found.records
        assert sum(map(len, rows)) == 2 * len(rows)
