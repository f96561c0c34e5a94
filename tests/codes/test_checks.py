"""Checks of options: what is let through, as which type, and what the message of a wrong one says."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from capstats.codes.checks import NAMES, check_choice, check_integer, check_number, shown, shown_name

WRONG = [True, np.bool_(False), "1", None, [1], math.nan]


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        (["a"], '"a"'),
        (["a", "b"], '"a" or "b"'),
        (["a", "b", "c"], '"a", "b" or "c"'),
        (["a", "b", "c", "d"], "one of 'a', 'b', 'c', 'd'"),
    ],
)
def test_the_message_for_a_wrong_word_lists_the_choices(choices: list[str], text: str) -> None:
    for word in choices:
        check_choice(word, "kind", choices)
    with pytest.raises(ValueError, match=re.escape(f"`kind` must be {text}, as it says; got 'x'.")):
        check_choice("x", "kind", choices, ", as it says")


@pytest.mark.parametrize("value", [None, 1, ["a"], pd.DataFrame({"a": [1]}), np.array(["a", "b"])])
def test_what_is_no_text_is_no_choice(value: Any) -> None:
    with pytest.raises(ValueError, match=r'`kind` must be "a" or "b"; got '):
        check_choice(value, "kind", ("a", "b"))


@pytest.mark.parametrize("value", [0, 0.5, 1, np.float32(0.5), np.int8(1), Fraction(1, 3)])
def test_a_number_is_returned_as_a_float(value: Any) -> None:
    found = check_number(value, "share", "a share", least=0, most=1)
    assert type(found) is float
    assert found == float(value)


@pytest.mark.parametrize("value", [*WRONG, -0.1, 1.1, 1, -math.inf])
def test_a_number_outside_or_at_an_excluded_end_is_wrong(value: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"`share` must be below 1; got {shown(value)}. Correct it.")):
        check_number(value, "share", "below 1", least=0, most=1, excluded=(1,), more=" Correct it.")


@pytest.mark.parametrize("value", [1, 3, np.int64(2), np.uint8(3)])
def test_an_integer_is_returned_as_an_int(value: Any) -> None:
    found = check_integer(value, "m", "1 to 3", least=1, most=3)
    assert type(found) is int
    assert found == value


@pytest.mark.parametrize("value", [*WRONG, 0, 4, 1.0])
def test_an_integer_outside_is_wrong(value: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"`m` must be 1 to 3; got {shown(value)}.")):
        check_integer(value, "m", "1 to 3", least=1, most=3)


def test_a_table_is_not_shown() -> None:
    tables = [
        pd.DataFrame({"name": ["Ada"]}),
        np.array(["Ada"]),
        xr.DataArray(["Ada"]),
        ["Ada"],
        {"Ada": 1},
    ]
    assert [shown(x) for x in tables] == [f"{type(x).__name__} of length 1" for x in tables]
    assert [shown(x) for x in (None, True, -1, 1.5, "drop")] == ["None", "True", "-1", "1.5", "'drop'"]


def test_integers_beyond_all_floats_are_infinite_numbers() -> None:
    assert check_number(math.inf, "x", "a number") == check_number(10**400, "above", "a number", least=0) == math.inf
    assert check_number(-(10**400), "above", "a number") == -math.inf
    with pytest.raises(ValueError, match="`alpha` must be a finite number"):
        check_number(10**400, "alpha", "a finite number", excluded=[math.inf])


def test_one_of_many_names_is_not_shown() -> None:
    assert shown_name("Ada", range(NAMES)) == "'Ada'"
    assert shown_name("Ada", range(NAMES + 1)) == "one of 21 names"
