"""A spreadsheet runs nothing in tables as CSV; see tests/sources/test_disk.py for the files that they are written to."""

import csv
import io
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capstats import MISSING
from capstats.codes.names import in_spreadsheet
from capstats.sources.confidential import csv_text


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("+49 30 123", "'+49 30 123"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("@SUM(A1:A9)", "'@SUM(A1:A9)"),
        ("\t=1", "'\\t=1"),
        ("\r=1", "'\\r=1"),
        ("  =1", "'  =1"),
        ("\uff1d1+1", "'\uff1d1+1"),  # a full-width equals sign
        ("low;=1+1", "low;'=1+1"),  # where a semicolon separates cells, this would begin one
        (';"=1;', ";'\"=1;"),  # the quote would begin a cell that is quoted, and empty
        ("-", "'-"),
        ("-1.5", "-1.5"),
        ("+1e-3", "+1e-3"),
        ("-1,5", "-1,5"),
        ("(-inf, -1.5]", "(-inf, -1.5]"),
        ("a=b", "a=b"),
        ("2024-01-31", "2024-01-31"),
        ("two\nlines", "two\\nlines"),
        ("red\x1b[31m", "red\\x1b[31m"),
        ("\u202efdp.exe", "\\u202efdp.exe"),
        (-1.5, "-1.5"),
        (7, "7"),
        (True, "True"),
        (date(2024, 2, 29), "2024-02-29"),
        (None, ""),
        (np.nan, ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        (MISSING, ""),
        ([1, 2], "[1, 2]"),
    ],
)
def test_a_cell_shows_what_it_holds_and_is_never_a_formula(cell, written):
    assert in_spreadsheet(cell) == written


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("=+-@;\t\r\n '\",0")))
def test_no_text_is_a_formula_in_any_cell_that_a_comma_or_a_semicolon_begins(text):
    """Signs of numbers are allowed: a cell that begins with one is a number as a whole."""
    written = csv_text(["heading"], [[text]])
    assert "\r" not in written
    ((_, row),) = [list(csv.reader(io.StringIO(written)))]
    assert len(row) <= 1
    read = next(csv.reader(csv_text([0, 1], [[1, text]]).splitlines()[1:], delimiter=";"))  # as where a semicolon separates cells
    for cell in [*"".join(row).split(";"), *read[1:]]:
        plain = cell.strip(" ")
        assert plain[:1] not in ("=", "@", "\t", "\uff1d", "\uff20")
        assert plain[:1] not in ("+", "-", "\uff0b", "\uff0d") or plain == "".join(row)
        assert all(sign.isprintable() for sign in cell)


def test_headings_are_cells_too_and_commas_and_quotes_are_quoted():
    assert csv_text(["=a", 'b,"c"'], [["x", None], ["-1", "y"]]) == '\'=a,"b,""c"""\nx,\n-1,y\n'
