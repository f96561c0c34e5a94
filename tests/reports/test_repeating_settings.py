"""Settings as TOML are read back as they were, however hostile their texts."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capstats.reports.repeating import as_toml

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.one_of(TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False))
VALUES = st.recursive(SCALARS, lambda x: st.lists(x, max_size=3) | st.dictionaries(TEXTS, x, max_size=3), max_leaves=6)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_is_written_is_read_back_as_it_was(settings):
    assert tomllib.loads(as_toml(settings)) == settings


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_no_sign_of_it_is_obeyed_by_a_terminal(settings):
    assert all(line.isprintable() for line in as_toml(settings).split("\n"))


def test_it_reads_as_one_would_write_it():
    settings = {
        "original": "people.csv",
        "types": {"age": "number", "health state": ["good", "bad"]},
        "keys": ["age", "sex"],
        "weights": {"original": "w"},
        "utility": {"pmse": {"a.csv": 0.25, "b.csv": 1}},
        "allow-no-match": True,
    }
    assert as_toml(settings) == (
        'original = "people.csv"\n'
        'keys = ["age", "sex"]\n'
        "allow-no-match = true\n\n"
        '[types]\nage = "number"\n"health state" = ["good", "bad"]\n\n'
        '[weights]\noriginal = "w"\n\n'
        '[utility]\npmse = {"a.csv" = 0.25, "b.csv" = 1}\n'
    )


@pytest.mark.parametrize("number", [1e300, 5e-324, -0.0, 0.1, math.inf])
def test_numbers_keep_every_digit(number):
    assert tomllib.loads(as_toml({"x": number}))["x"] == number


def test_half_of_a_pair_of_surrogates_is_replaced():
    """A file name that is not UTF-8; TOML has no such text."""
    assert tomllib.loads(as_toml({"original": "a\udcff.csv"})) == {"original": "a?.csv"}
