"""Two spellings of one thing are found, and what makes the difference is named; two things are never taken for one."""

from __future__ import annotations

import datetime as dt
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capstats import MISSING
from capstats.codes.spellings import ABSENT, BESIDE, DATES, ENCODING, KINDS, NUMBERS, PRECISION, TRUTHS, in_another_precision, lookalikes

CAUSES: list[tuple[Any, Any, str]] = [
    ("South", "south", "case"),
    ("STRASSE", "Straße", "case"),
    ("South", "South ", "spaces"),
    ("South West", "South  West", "spaces"),
    ("South West", "South\u00a0West", "spaces"),
    ("café", "cafe\u0301", "Unicode form"),
    ("A1", "\uff21\uff11", "Unicode form"),
    ("South", "\u200bSouth", "Unicode form"),
    ("South", "South\ufe0f", "Unicode form"),
    ("40-49", "40\u201349", "dashes or quotes"),
    ("O'Brien", "O\u2019Brien", "dashes or quotes"),
    ("Zürich ", "zu\u0308rich", "spaces and case and Unicode form"),
    ("40", "40.0", NUMBERS),
    ("40", "+40", NUMBERS),
    ("7", "007", NUMBERS),
    ("1000", "1e3", NUMBERS),
    ("1234", "1,234", NUMBERS),
    ("1234567", "12_34_567", NUMBERS),
    ("1234567.5", "12,34,567.5", NUMBERS),
    ("1.5", "1,5", NUMBERS),
    ("1.5", "1\u00b75", NUMBERS),
    ("1234567.8", "1.234.567,8", NUMBERS),
    ("-5", "-5.0", NUMBERS),
    ("1.5 kg", "1,50 kg", NUMBERS),
    ("-0.0", "0", NUMBERS),
    ("25", "\u0662\u0665", NUMBERS),
    ("2024-01-31 08:15:00", "20240131T081500", DATES),
    ("31.01.2024 08:15", "20240131 0815", DATES),
    ("(0, 10]", "(0,10]", BESIDE),
    ("10-19", "10 - 19", BESIDE),
    ("1 kg", "1kg", BESIDE),
    ("<5 Kg", "< 5 kg", f"case and {BESIDE}"),
    ("(0, 10]", "(0.0, 10.0]", NUMBERS),
    ("0.1", "0.10000000149011612", PRECISION),
    (0.1, float(np.float32(0.1)), PRECISION),
    (0.3, 0.1 + 0.2, PRECISION),
    (3, 3.0000000000000004, PRECISION),
    ("2024-01-31", "31/01/2024", DATES),
    ("2024-01-31", "01/31/2024", DATES),
    ("2024-01-31", "31.1.2024", DATES),
    ("2024-01-31", "2024-01-31 00:00:00", DATES),
    ("2024-01-31", "2024-01-31T00:00:00Z", DATES),
    ("2024-01-31", "31 Jan 2024", DATES),
    ("2024-01-31 08:15:00.5", "31.01.2024 08:15:00.500", DATES),
    ("2024-01-31", "January 31, 2024", DATES),
    ("2024-01-31", "20240131", DATES),
    ("yes", "True", TRUTHS),
    ("0", "false", TRUTHS),
    (True, "yes", KINDS),
    (40, "40", KINDS),
    (20240131, "2024-01-31", DATES),
    (MISSING, "", ABSENT),
    (MISSING, "NA", ABSENT),
    (MISSING, "nan", ABSENT),
    (MISSING, "\\N", ABSENT),
    (MISSING, "..", ABSENT),
    (MISSING, ".a", ABSENT),
    (MISSING, "0000-00-00", ABSENT),
    ("N/A", "-", ABSENT),
    ("NA", "na", "case"),
    ("München", "MÃ¼nchen", ENCODING),
    ("naïve", "naÃ¯ve", ENCODING),
]


@pytest.mark.parametrize(("label", "other", "cause"), CAUSES)
def test_two_spellings_are_found_from_either_side_and_the_difference_is_named(label: Any, other: Any, cause: str) -> None:
    assert lookalikes([label], [other]) == {label: (other, cause)}
    assert lookalikes([other], [label]) == {other: (label, cause)}


@pytest.mark.parametrize(
    ("label", "other"),
    [
        ("South", "North"),
        ("1 2", "12"),  # two answers, and the twelfth
        ("so on", "soon"),
        ("31 Jan 2024", "31 Jan 20:24"),
        ("40", "41"),
        ("12345678901234567", "12345678901234568"),  # one number where 64-bit floats hold them
        ("16777216", "16777217"),  # and where 32-bit floats do
        ("1.2.3", "1.2.4"),
        ("1.000", "0.001"),  # no thousands begin with 0
        ("1,000", "0,001"),
        ("2024-01-31", "2024-01-30"),
        ("2024-01-31 08:15:00.25", "2024-01-31 08:15:00.5"),
        ("2024-01-31", "2024-01-31T00:00:00.000000001"),
        ("2024-02-30", "30/02/2024"[::-1]),
        ("", "South"),
        (MISSING, "South"),
        (1, 2),
        (0.1, 0.2),
        ("1" * 400, "1" * 401),
        ("1e999999999", "1e999999998"),
        (("a", 1), ("a", 2)),
    ],
)
def test_two_things_are_not_taken_for_one(label: Any, other: Any) -> None:
    assert lookalikes([label], [other]) == {}


@pytest.mark.parametrize("form", ["%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y%m%d", "%B %d, %Y", "%d %b %Y", "%m/%d/%Y %H:%M:%S"])
@pytest.mark.parametrize("first", ["2024-01-01", "2024-03-01"])
@pytest.mark.parametrize("days", [12, 300])
def test_the_order_of_day_and_month_is_one_for_a_table(form: str, first: str, days: int) -> None:
    """As the days above 12 tell, or those that are found: of 12 days in one month, one date in twelve is found in the other order."""
    dates = [dt.date.fromisoformat(first) + dt.timedelta(i) for i in range(days)]
    iso, other = map(str, dates), [f"{x:{form}}" for x in dates]
    assert {a: b for a, (b, _) in lookalikes(other, iso).items()} == dict(zip(other, map(str, dates), strict=True))


THIRDS = [x / 3 for x in range(3, 16)]


@pytest.mark.parametrize(
    "written", ["{:.2f}", "{:.6f}", "{:.10f}", "{:.7g}", "{:.13g}", "{:.15g}", np.float32, lambda x: float(np.float32(x))]
)
def test_numbers_are_found_in_another_precision_from_either_side(written: Any) -> None:
    coarse = [str((written.format if isinstance(written, str) else written)(x)) for x in THIRDS]
    pairs = [(x, y) for x, y in zip(THIRDS, coarse, strict=True) if float(y) != x]
    assert len(pairs) == 8
    assert {*in_another_precision(THIRDS, coarse)} >= {*pairs}
    assert {*in_another_precision(map(str, THIRDS), map(float, coarse))} >= {(str(x), float(y)) for x, y in pairs}
    assert {*in_another_precision(coarse, THIRDS)} >= {(y, x) for x, y in pairs}


@pytest.mark.parametrize("scale", [1, 1e9])
def test_numbers_that_were_scaled_and_scaled_back_are_found(scale: float) -> None:
    values = [scale * float(x) for x in np.random.default_rng(0).lognormal(3, 2, 50)]
    back = [x * (1 + 1e-14) for x in values]
    assert len(in_another_precision(values, back)) >= 48  # but for those beside the middle of two numbers of 12 digits


@pytest.mark.parametrize(
    ("labels", "others"),
    [
        ([0.33, 0.34, 1.0], [0.3, 1.0]),  # two numbers of the finer table are one
        ([1.25, 2.5], [1.24, 2.51]),  # both have two decimals
        ([1 / 3, 2 / 3, 1], [0, 1]),  # whole numbers are no decimals
        ([1 / 3], [0.32, 0.34]),
        ([1 / 3, 1e300, "x", MISSING], ["y", "1e300", "00.33"]),
        ([], [0.5]),
        ([0.5], []),
    ],
)
def test_other_numbers_are_not_taken_for_one(labels: list[Any], others: list[Any]) -> None:
    assert in_another_precision(labels, others) == in_another_precision(others, labels) == []


def test_truth_values_are_meant_only_where_all_labels_of_both_tables_are_such() -> None:
    assert lookalikes(["f", "m"], ["no", "yes"]) == {}  # female is not false
    assert lookalikes(["t", "f"], ["no", "yes"]) == {"t": ("yes", TRUTHS), "f": ("no", TRUTHS)}


def test_truth_values_of_whole_records_are_0_and_1() -> None:
    assert lookalikes([0, 1, "f", "t", MISSING], [0, 1, MISSING]) == {"f": (0, KINDS), "t": (1, KINDS)}
    assert lookalikes([0, 1, 2, "f", "t"], [0, 1, 2]) == {}


def test_labels_that_both_tables_have_resemble_nothing() -> None:
    assert lookalikes(["40", "40.0"], ["40", "40.0"]) == {}
    assert lookalikes(["40", "40.0"], ["40"]) == {"40.0": ("40", NUMBERS)}


@given(st.text(max_size=8), st.sampled_from([str.upper, str.title, lambda x: f" {x} ", lambda x: unicodedata.normalize("NFD", x)]))
def test_any_text_respelled_is_found(text: str, respell: Any) -> None:
    respelled = respell(text)
    folded = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf").strip()
    if respelled == text or respelled.casefold().strip() != text.casefold().strip() or not folded:
        return
    assert lookalikes([text], [respelled])[text][0] == respelled


@given(st.lists(st.text(max_size=6) | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.just(MISSING), max_size=8))
def test_any_labels_can_be_compared(labels: list[Any]) -> None:
    found = lookalikes(labels, labels[::2])
    assert not set(found) & set(labels[::2])
