"""Text from elsewhere can neither move the cursor, nor break a line, nor turn the direction of writing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capstats.codes.names import in_cell, listed, named, printable, printable_json, shortened


@given(st.text(st.characters()))
def test_whatever_the_text_the_result_is_printable(text):
    assert printable(text).isprintable()
    assert named(text).isprintable()
    assert in_cell(text).isprintable()


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_what_is_printable_stays_as_it_is(text):
    assert printable(text) == text


def test_escapes_are_those_of_python():
    assert printable("a\x1b[31mb\nc\u202ed\x9b\udcff\xa0") == r"a\x1b[31mb\nc\u202ed\x9b\udcff\xa0"


def test_names_whose_ends_cannot_be_seen_are_quoted():
    assert [named(x) for x in ("age", "Größe_2", "a, b", "age group", "", " a", "it's", "a.csv")] == [
        "age",
        "Größe_2",
        "'a, b'",
        "'age group'",
        "''",
        "' a'",
        '"it\'s"',
        "a.csv",
    ]


def test_labels_in_cells_are_quoted_only_where_spaces_hide():
    assert [in_cell(x) for x in ("a b", "South ", "", 1)] == ["a b", "'South '", "''", "1"]


def test_lists_end_in_and():
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


@pytest.mark.slow
@given(st.text(), st.integers(6, 40))
def test_shortened_text_keeps_its_ends(text, width):
    short = shortened(text, width)
    assert len(short) <= max(width, 6)
    assert short == text or (short[0] == text[0] and short[-1] == text[-1] and "..." in short)


@given(st.dictionaries(st.text(st.characters()), st.text(st.characters())))
def test_json_is_printable_and_reads_back_as_it_was(told):
    text = printable_json(told)
    assert all(line.isprintable() for line in text.split("\n"))
    assert json.loads(text) == told


def test_a_text_of_the_width_is_whole_and_a_longer_one_is_not():
    assert shortened("abcdefg", 7) == "abcdefg"
    assert shortened("abcdefgh", 7) == "ab...gh"
