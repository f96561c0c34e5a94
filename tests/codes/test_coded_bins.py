"""Bins of their own for codes of missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats.codes.bins import cut_at_points, cut_column
from capstats.codes.coded_bins import code_numbers, with_codes
from capstats.codes.labels import MISSING
from capstats.codes.missing_codes import Codes
from capstats.codes.numeric import Numbers

NUMBERS = st.one_of(st.integers(-120, 120), st.floats(-120, 120).map(lambda x: round(x, 1)))


@examples(60)
@given(st.lists(NUMBERS, min_size=1), st.lists(NUMBERS, min_size=1, unique=True), st.lists(NUMBERS, max_size=4), st.booleans())
def test_other_values_stay_in_their_bins_and_codes_are_told_apart(values: Any, points: Any, codes: Any, whole: bool) -> None:
    numbers = Numbers("number", np.array([int(x) if whole else x for x in values]))
    given_codes = Codes(codes)
    plain = cut_at_points(sorted(points), "number", None, "x")
    coded = with_codes(plain, given_codes)
    before, after = cut_column(numbers, plain, "x", "t"), cut_column(numbers, coded, "x", "t")
    for value, old, new in zip(numbers.values.tolist(), before.codes, after.codes, strict=True):
        label = after.labels[new]
        meaning = coded.meanings[label] if codes else label
        expected = frozenset(i for i, code in enumerate(codes) if code == value)
        assert meaning == (expected or before.labels[old])


@pytest.mark.parametrize("kind", ["date", "datetime", "datetime with zone"])
def test_the_first_day_has_nothing_below_it(kind: Any) -> None:
    codes = Codes(["0001-01-01", "9999-12-31"])
    first, last = code_numbers(codes, kind)
    cut = with_codes(cut_at_points(["1980-01-01"], "date", "date" if kind == "date" else "datetime", "x"), codes)
    if kind == "datetime with zone":
        return
    found = cut_column(Numbers(cut.kind, np.array([first, 0, last])), cut, "x", "t")
    assert [cut.meanings[found.labels[code]] for code in found.codes] == [frozenset({0}), cut.meanings["bin 1"], frozenset({1})]


def test_texts_come_after_the_bins() -> None:
    cut = with_codes(cut_at_points([10], "number", None, "x"), Codes(["NA", -99]))
    assert list(cut.texts) == ["NA", "-99"]
    numbers = Numbers("number", np.array([0.0, 0.0, -99.0]), np.array([True, False, False]), texts=np.array([0, -1, -1]))
    found = cut_column(numbers, cut, "x", "t")
    assert [cut.meanings.get(found.labels[code], MISSING) for code in found.codes] == [frozenset({0}), "(-inf, 10]", frozenset({1})]
    assert with_codes(cut, Codes([])) is cut
