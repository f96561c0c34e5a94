"""Answers as they are typed, and hints: what all questions share, tried on the lesson of the hands."""

import pytest
from chromium import DRAWN, opened
from lesson_pages import afresh, judged, moved, numbers, predicted, put, question

from capstats.lessons import page

pytestmark = pytest.mark.chromium
LESSON = "hands"


def verdict(tab, name, text):
    """The verdict on an answer as it is typed."""
    question(tab, name).locator("input").fill(text)
    return judged(tab, name)[1]


WAYS = "3/8| 3 of 8|3 in 8|3 \u00f7 8|3/8 = 0.375|p = .38|approx. 38%|0.38?|3 out of the 8.|+0.38|0,375|37.5 %|37.5 percent|3.75e-1"
WAYS += "|3.75 x 10^-1|= .375.|0.375 asthma|3:8|it is 0.38|3/8 (=38%)"


@pytest.mark.parametrize("text", WAYS.split("|"))
def test_a_probability_may_be_typed_in_many_ways(tab, text):
    assert verdict(tab, "predict", text).startswith("Right. ")


@pytest.mark.parametrize("text", ["", "many", "2/0", "2/7/1", "1e", "0.2 0.9", "2/7 of 3", "--2", "ln", "ln 0"])
def test_what_is_no_number_is_told_how_to_give_one(tab, text):
    assert verdict(tab, "predict", text) == "Not yet: give a number, such as 0.25 or 1/4."


def test_a_logarithm_is_a_number(tab):
    assert tab.evaluate(
        "['ln 3', 'ln(3)', 'ln(0.75/0.25)', 'log_e 3', 'the logarithm of 3', '1,099'].map((text) => typed(text))"
    ) == pytest.approx([1.0986, 1.0986, 1.0986, 1.0986, 1.0986, 1.099], abs=1e-4)
    assert tab.evaluate("typed('1,099', true)") == 1099


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("10 people", "Right. "),
        ("+10.", "Right. "),
        ("1e1", "Right. "),
        ("half", "Not yet: give a whole number of people."),
        ("10/20", "Right. "),
        ("10 of 20", "Right. "),
        ("10 out of the 20 people", "Right. "),
        ("n = 10", "Right. "),
        ("8 of 20", "Not yet: count the original people"),
        ("9 of 20", "Not yet: these are the original people over 65 with diabetes. Count the original people"),
        ("10 of 21", "Not yet: this is a share. Give a whole number of people."),
        ("1/2", "Not yet: this is the right share. Give a whole number of people."),
        ("50 %", "Not yet: this is the right share. Give a whole number of people."),
        ("0.4", "Not yet: this is a share. Give a whole number of people."),
        ("9/21", "Not yet: this is a share. Give a whole number of people."),
    ],
)
def test_a_count_is_a_whole_number_of_people(tab, text, told):
    assert verdict(tab, "hidden", text).startswith(told)


def test_hints_are_kept_and_come_to_an_end(tab):
    found = question(tab, "sum")
    button = found.locator("[data-hint]")
    button.click()
    button.click()
    assert found.locator(".hint li").count() == 2
    assert button.is_disabled()


# --- what a question loads, explains and keeps


def release(tab):
    found = numbers(tab)
    return [found[f"s-{i}-{j}"] for i in (0, 1) for j in (0, 1)]


def test_a_question_loads_its_own_table_when_it_is_opened_and_not_before(tab):
    """One that has none leaves what the reader has made."""
    start = release(tab)
    question(tab, "predict")
    assert release(tab) == [3, 1, 5, 11] != start
    put(tab, s=[[1, 1], [1, 1]])
    judged(tab, "predict", 0.5)
    assert release(tab) == [1, 1, 1, 1]
    question(tab, "sum")
    assert release(tab) == [1, 1, 1, 1]
    question(tab, "hidden")
    assert release(tab) == [start[0], 0, start[2], 0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("5/8", "these are the records with diabetes"),
        ("62.5 %", "these are the records with diabetes"),
        ("62.5", "these are the records with diabetes"),
        ("3/20", "this is the share among all records"),
        ("0.99", "it is a share among the records aged 40 to 65"),
        ("0.9", "that is the share of those with diabetes among the original people over 65. It is a share"),
    ],
)
def test_a_wrong_answer_is_explained_where_it_can_be(tab, text, told):
    assert verdict(tab, "predict", text).startswith(f"Not yet: {told}")


def test_an_explanation_does_not_refuse_what_is_right(tab):
    question(tab, "predict")
    put(tab, s=[[2, 1], [2, 1]])  # as many with diabetes as with asthma
    assert verdict(tab, "predict", "1/2").startswith("Right. ")


def test_values_are_hidden_until_they_were_predicted(browser, tmp_path):
    with opened(browser, tmp_path, page(LESSON)) as tab:
        hidden = tab.locator("[data-until=ann]")
        assert hidden.count() > 5
        assert hidden.locator("visible=true").count() == 0
        assert tab.locator(".predict .truth").is_hidden()
        slider = tab.locator(".predict input")
        slider.focus()
        tab.keyboard.press("ArrowRight")
        assert tab.locator(".predict .mark").inner_text() == "51\u00a0%"
        tab.keyboard.press("Enter")
        assert hidden.first.is_visible()
        assert slider.is_disabled()
        assert tab.locator(".predict .truth").inner_text().endswith("28.6\u00a0%")


def test_progress_is_kept_in_the_address(browser, tmp_path):
    with opened(browser, tmp_path, page(LESSON)) as tab:
        moved(tab, {".predict input": 0.4})
        predicted(tab)
        judged(tab, "sum", "falls")
        address = tab.evaluate("location.hash")
        tab.reload()
        tab.evaluate(DRAWN)
        assert tab.evaluate("location.hash") == address
        assert tab.locator(".predict .mark").inner_text() == "40\u00a0%"
        assert "original people of Ann's age" in tab.locator(".predict .verdict").inner_text()
        assert tab.locator("[data-question=sum]").is_visible()
        assert tab.locator("[data-question=sum] .verdict").inner_text() == "Answered before."
        assert tab.locator("#progress").inner_text() == "1 of 8 questions answered."
        afresh(tab)
        assert tab.locator("#progress").inner_text() == "0 of 8 questions answered."
        assert tab.locator(".predict .verdict").inner_text() == ""
