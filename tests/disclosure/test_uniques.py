"""Replicated uniques are among the matched, those among the unique; weights tell of none."""

import functools

import pytest
from hypothesis import given
from strategies import table_pairs, theorem

from capstats.disclosure import dio, replicated_uniques, sample_uniques

pairs_of_tables = functools.partial(table_pairs, 3, most=3)


@theorem
@given(pairs_of_tables())
def test_replicated_are_among_matched_are_among_unique(tables):
    o, s = tables
    assert replicated_uniques(o, s) <= sample_uniques(o, s) <= sample_uniques(o)


@theorem
@given(pairs_of_tables())
def test_uniques_are_certain_in_the_original(tables):
    o, _ = tables
    assert sample_uniques(o) <= dio(o)


def test_fractional_weights_tell_no_unique():
    with pytest.raises(ValueError, match="`o` must hold integers: a key is unique if one record has it"):
        sample_uniques([[0.5, 0.5]])
    with pytest.raises(ValueError, match="`s` must hold integers"):
        replicated_uniques([[1, 1]], [[0.5, 1]])
