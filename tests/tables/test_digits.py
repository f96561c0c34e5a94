"""Numbers as text."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from capstats.codes.labels import MISSING
from capstats.tables.digits import alike, count, many, share


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (1.0, "1.000"),
        (0.0004, "<0.001"),
        (-0.0004, ">-0.001"),
        (0.0005001, "0.001"),
        (0.99951, ">0.999"),
        (-0.99951, "<-0.999"),
        (-1.0, "-1.000"),
        (1 - 1e-14, "1.000"),  # rounding of a sum explains the difference
        (1e-14, "0.000"),
        (float("nan"), "undefined"),
    ],
)
def test_a_share_is_printed_as_nought_or_one_only_where_it_is(value: float, text: str) -> None:
    assert share(value) == text


def test_counts_have_commas_and_a_decimal_only_where_they_are_not_whole() -> None:
    assert [count(1234), count(1234.0), count(1234.56)] == ["1,234", "1,234", "1,234.6"]
    assert [many(1, "record"), many(0, "record"), many(2.5, "record")] == ["1 record", "0 records", "2.5 records"]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([True, False], ["yes", "no"]),
        ([1234, -5], ["1,234", "-5"]),
        ([2.0, -0.0, float("nan")], ["2", "0", "undefined"]),
        ([0.25, 0.00001, 1.0], ["0.2500", "<0.0001", "1.0000"]),
        ([0.00815, 0.00004], ["0.00815", "0.00004"]),  # three digits of the largest
        ([3e-9, 0.0], ["3e-09", "0"]),
        ([2.5, 0.01], ["2.50", "0.01"]),
        ([2.5, 0.001], ["2.50", "<0.01"]),  # not 0.00
        ([1234.56, 1.0], ["1,234.6", "1.0"]),
        ([0.5, float("inf"), float("-inf")], ["0.5000", "infinite", "-infinite"]),
        ([float("nan")], ["undefined"]),
        ([], []),
    ],
)
def test_the_numbers_of_a_column_have_the_decimals_that_its_largest_needs(values: list[float], texts: list[str]) -> None:
    assert alike(np.array(values)) == texts


def test_fractions_are_printed_as_the_numbers_that_they_are() -> None:
    assert alike(np.array([Fraction(-40, 67), Fraction(0)], object)) == ["-0.5970", "0.0000"]


def test_what_is_no_number_is_printed_as_a_label() -> None:
    values = np.array(["plain", "", " edge", MISSING, None, "a\x1b[31m"], object)
    assert alike(values) == ["plain", "''", "' edge'", "missing", "missing", "a\\x1b[31m"]
    assert alike(np.array(["2024-02-29", "NaT"], "M8[D]")) == ["2024-02-29", "missing"]
