"""Answers as they are typed, and hints: what all questions share, tried on the lesson of the hands."""

import pytest
from lesson_pages import counts, judged, moved, question

pytestmark = pytest.mark.chromium
LESSON = "hands"


def verdict(tab, name, text):
    """The verdict on an answer as it is typed."""
    question(tab, name).locator("input").fill(text)
    return judged(tab, name)[1]


@pytest.mark.parametrize(
    "text",
    ["2/7", " 2 of 7", "2 out of the 7.", "+0.29", "0,286", "28.6 %", "28.6 percent", "2.86e-1", "2.86 x 10^-1", "= .286.", "0.286 sick"],
)
def test_a_probability_may_be_typed_in_many_ways(tab, text):
    assert verdict(tab, "predict", text).startswith("Right. ")


@pytest.mark.parametrize("text", ["", "many", "2/0", "2/7/1", "1e", "0.2 0.9", "2/7 of 3", "--2", "ln", "ln 0"])
def test_what_is_no_number_is_told_how_to_give_one(tab, text):
    assert verdict(tab, "predict", text) == "Not yet: give a number, such as 0.25 or 1/4."


def test_a_logarithm_is_a_number(tab):
    assert tab.evaluate("[typed('ln 3'), typed('ln(3)'), typed('1,099'), typed('1,099', true)]") == pytest.approx(
        [1.0986, 1.0986, 1.099, 1099], abs=1e-4
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("10 people", "Right. "),
        ("+10.", "Right. "),
        ("1e1", "Right. "),
        ("half", "Not yet: give a whole number of people."),
        ("10/20", "Not yet: this is the right share. Give a whole number of people."),
        ("10 of 20", "Not yet: this is the right share. Give a whole number of people."),
        ("50 %", "Not yet: this is the right share. Give a whole number of people."),
        ("0.4", "Not yet: this is a share. Give a whole number of people."),
        ("9/20", "Not yet: this is a share. Give a whole number of people."),
    ],
)
def test_a_count_is_a_whole_number_of_people(tab, text, told):
    moved(tab, counts(s=[[2, 0], [5, 0]]))
    assert verdict(tab, "hidden", text).startswith(told)


def test_hints_are_kept_and_come_to_an_end(tab):
    found = question(tab, "sum")
    button = found.locator("[data-hint]")
    button.click()
    button.click()
    assert found.locator(".hint li").count() == 2
    assert button.is_disabled()
