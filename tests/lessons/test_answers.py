"""Answers to exercises: right to within one step, and not to be read in the check."""

from __future__ import annotations

import math

import numpy as np
import pytest

from capstats.lessons import check_answer
from capstats.lessons.answers import digest_of


def test_a_number_is_right_to_within_one_step() -> None:
    digest = digest_of(7 / 67)
    right = [answer for answer in (0.1, 0.103, 0.104, 0.1045, 0.105, 0.107, "0.104") if check_answer(answer, digest, "look") == "Right."]
    assert right == [0.103, 0.104, 0.1045, 0.105, "0.104"]
    assert check_answer(205, digest_of(np.float64(205), 0.5), "", step=0.5) == "Right."
    assert check_answer(206, digest_of(205, 0.5), "", step=0.5) == "Not yet: "


def test_several_answers_are_right_together_and_texts_as_they_are() -> None:
    digest = digest_of((["a", "b"], 0.25, True))
    assert check_answer((["a", "b"], 0.2496, True), digest, "") == "Right."
    for wrong in ((["b", "a"], 0.25, True), (["a", "b"], 0.26, True), (["a", "b"], 0.25, False), (["a", "b"], 0.25), "a"):
        assert check_answer(wrong, digest, "the hint") == "Not yet: the hint"


@pytest.mark.parametrize("answer", [..., (..., 1), (1, ...)])
def test_without_an_answer_it_is_the_readers_turn(answer: object) -> None:
    assert check_answer(answer, digest_of(1), "the hint") == "(your turn)"


@pytest.mark.parametrize("answer", [None, math.nan, math.inf, "x", [], np.zeros((2, 2)), {}])
def test_what_is_no_answer_is_not_right_and_no_error(answer: object) -> None:
    assert check_answer(answer, digest_of(1), "the hint") == "Not yet: the hint"


def test_the_digest_does_not_show_the_answer() -> None:
    assert digest_of(0.25) != digest_of(0.26)
    assert "250" not in digest_of(0.25)
