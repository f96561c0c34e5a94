"""CAP with your hands: the numbers on random tables, the keyboard, mouse and finger, and the questions."""

import numpy as np
import pytest
from chromium import opened
from lesson_pages import afresh, agree, agree_all, counts, first_screen, in_percent, judged, moved, numbers, predicted, put, question

from capstats import average_cap, baseline_cap, individual_cap, maximum_cap, minimum_cap
from capstats.lessons import page
from capstats.lessons.given import given

pytestmark = pytest.mark.chromium
LESSON = "hands"
TABLES = 200
START = {name: given("hands")[name] for name in "os"}


def expected(o, s):
    """What the library says of a table, or of many at once."""
    q = individual_cap(o, s).values
    found = {"total-o": o.sum((-2, -1)), "total-s": s.sum((-2, -1)), "original": average_cap(o, o), "baseline": baseline_cap(o)}
    found |= {f"{name}-{i}-{j}": x[..., i, j] for name, x in (("o", o), ("s", s), ("cap", q)) for i in (0, 1) for j in (0, 1)}
    for version in ("zero", "drop"):
        found[f"average-{version}"] = average_cap(o, s, unmatched=version)
        found[f"minimum-{version}"] = minimum_cap(o, unmatched=version)
        found[f"maximum-{version}"] = maximum_cap(o, unmatched=version)
    asthma = o * np.array([[1], [0]])
    with np.errstate(invalid="ignore"):
        found |= {
            f"{name}-asthma": (asthma * p).sum((-2, -1)) / asthma.sum((-2, -1))
            for name, p in (("average", q), ("original", individual_cap(o, o).values))
        }
    for name, among in (("highest", o), ("highest-asthma", asthma)):
        found[name] = np.where(among.sum((-2, -1)) > 0, np.where(among > 0, q, 0).max((-2, -1)), np.nan)
    return found


def held(tab, table):
    found = numbers(tab)
    return [[int(found[f"{table}-{i}-{j}"]) for j in (0, 1)] for i in (0, 1)]


def test_every_number_is_the_librarys_on_random_tables(tab):
    rng = np.random.default_rng(1)
    agree(numbers(tab), expected(np.array(START["o"]), np.array(START["s"])))
    o, s = rng.integers(0, rng.choice([1, 3, 12, 60], (TABLES, 1, 1)) + 1, (2, TABLES, 2, 2))
    agree_all(moved(tab, *(counts(o=a, s=b) for a, b in zip(o, s, strict=True))), expected(o, s))


def test_an_empty_original_has_no_average_and_an_empty_release_none_in_version_2(tab):
    tab.locator("summary").nth(1).click()
    put(tab, o=[[0, 0], [0, 0]])
    assert np.isnan(numbers(tab)["average-zero"])
    assert tab.locator("#formula").inner_text() == "The original has no people."
    put(tab, **(START | {"s": [[0, 0], [0, 0]]}))
    found = numbers(tab)
    assert found["average-zero"] == 0
    assert np.isnan(found["average-drop"])
    assert "No key of the original is in the release, so version 2 is undefined." in tab.locator("#formula").inner_text()


def test_the_words_are_those_of_the_table(tab):
    tab.locator("summary").nth(1).click()
    assert [tab.locator(f"[data-cell=o-0-{j}] .risk").inner_text() for j in (0, 1)] == ["CAP 2/7 = 28.6\u00a0%", "CAP 1/13 = 7.7\u00a0%"]
    assert "Least, the smallest cell = 1/20 = 5\u00a0%. " in tab.locator("#others").inner_text()
    formula = tab.locator("#formula").inner_text().replace("\N{MULTIPLICATION SIGN}", "*")
    assert "(4 * 2/7 + 1 * 1/13 + 6 * 5/7 + 9 * 12/13) / 20 = 69.1\u00a0%" in formula
    put(tab, s=[[1, 0], [0, 0]])
    numbers(tab)
    assert [tab.locator(f"[data-cell=o-0-{j}] .risk").inner_text() for j in (0, 1)] == [
        "CAP 1/1 = 100\u00a0%",
        "CAP 0: nothing to guess from",
    ]
    assert tab.locator("[data-share='1']").inner_text() == "none"
    assert tab.locator(".cell.certain").count() == 1


def test_what_moves_and_the_answer_are_in_the_first_screen(browser, tmp_path):
    first_screen(browser, tmp_path, page(LESSON), moving="[data-table=s]", answer=".guess .verdict")


def test_a_guess_is_answered(browser, tmp_path):
    with opened(browser, tmp_path, page(LESSON)) as tab:
        assert tab.locator("[data-table=o], .numbers, main details, [data-name=s-0-0]").locator("visible=true").count() == 0
        guesses = {
            0.29: "Well guessed: 2 of",
            0.71: "5 of 7 have diabetes.",
            0.1: "2 of 20",
            0.15: "asthma among all",
            0.4: "original people of Ann's age",
            0.5: "toss",
        }
        for guess, said in guesses.items():
            afresh(tab)
            moved(tab, {".predict input": guess})
            predicted(tab)
            verdict = tab.locator(".guess .verdict").inner_text()
            assert said in verdict
            assert verdict.endswith(
                "2 of the 7 records aged 40 to 65 have asthma: 2/7 = 28.6\u00a0% is Ann's Correct Attribution Probability, CAP."
            )
        assert tab.locator(".guessed [data-share='0']").inner_text() == "2 of 7"


def test_the_first_question_has_its_release_on_paper(tab):
    table = tab.locator("[data-question=predict] table")
    tab.emulate_media(media="print")
    try:
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert table.is_visible()
        assert table.inner_text().split() == ["40", "to", "65", "over", "65", "asthma", "3", "1", "diabetes", "5", "11"]
        assert tab.locator(".guess").is_hidden()
    finally:
        tab.emulate_media(media="screen")
    assert table.is_hidden()


def test_what_answers_the_first_question_appears_with_the_answer(browser, tmp_path):
    with opened(browser, tmp_path, page(LESSON)) as tab:
        predicted(tab)
        answers = tab.locator("[data-share='0'], .risk, .numbers .big")
        assert answers.evaluate_all("all => all.every((one) => one.checkVisibility({ visibilityProperty: true }))")
        tab.locator("summary", has_text="Eight questions").click()
        assert not answers.evaluate_all("all => all.some((one) => one.checkVisibility({ visibilityProperty: true }))")
        judged(tab, "predict", 0.375)
        assert answers.evaluate_all("all => all.every((one) => one.checkVisibility({ visibilityProperty: true }))")
        assert tab.locator("[data-question=predict] [data-hint]").is_hidden()


def test_nobody_is_moved_before_the_guess(browser, tmp_path):
    with opened(browser, tmp_path, page(LESSON)) as tab:
        tab.locator("[data-cell=s-0-0] .place").focus()
        tab.keyboard.press("+")
        assert held(tab, "s") == START["s"]
        predicted(tab)
        tab.locator("[data-cell=s-0-0] .place").focus()
        tab.keyboard.press("+")
        assert held(tab, "s")[0][0] == START["s"][0][0] + 1
        verdict = tab.locator(".guess .verdict").inner_text()  # which follows the release
        assert verdict.startswith("3 of the 8 records aged 40 to 65 have asthma: 3/8 = 37.5\u00a0% is Ann's")
        assert tab.locator(".predict .truth").inner_text().endswith("37.5\u00a0%")
        put(tab, s=[[0, 1], [0, 1]])
        numbers(tab)
        assert tab.locator(".guess .verdict").inner_text().startswith("Nobody of Ann's age is in the release")


def test_those_with_asthma_alone_may_be_looked_at(tab):
    found = numbers(tab)
    assert tab.locator(".big output:visible").inner_text() == in_percent(found["average-zero"])
    tab.locator("#asthma-only").check()
    numbers(tab)
    o, q = np.array(START["o"])[0], individual_cap(START["o"], START["s"]).values[0]
    assert found["average-asthma"] == pytest.approx((o * q).sum() / o.sum(), rel=1e-12)
    assert tab.locator(".big output:visible").inner_text() == in_percent(found["average-asthma"])
    assert tab.locator("#verdict").inner_text() == "less risky than publishing the original"
    assert tab.locator(".numbers").inner_text().split("Highest CAP: ")[1].startswith("28.6\u00a0% (aged 40 to 65 with asthma)")
    tab.locator("[data-cell=s-0-0] [data-step='1']").click()
    assert (
        tab.locator("#announcer").inner_text()
        == f"3 synthetic, aged 40 to 65 with asthma. Average CAP of those with asthma {in_percent(numbers(tab)['average-asthma'])}."
    )


# --- keyboard, mouse, finger


def test_people_are_moved_added_and_taken_away_with_the_keyboard_alone(tab):
    for _ in range(50):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.closest('[data-cell]')?.dataset.cell") == "s-0-0":
            break
    for key in ("Shift+ArrowRight", "Shift+ArrowDown", "Shift+ArrowLeft", "+", "+", "-"):
        tab.keyboard.press(key)
    (a, b), (c, d) = START["s"]
    assert held(tab, "s") == [[a - 2 + 1, b + 1], [c + 1, d]]
    assert (
        tab.locator("#announcer").inner_text()
        == f"1 synthetic, aged 40 to 65 with asthma. Average CAP {in_percent(numbers(tab)['average-zero'])}."
    )
    for _ in range(20):
        tab.keyboard.press("Delete")
    assert held(tab, "s")[0][0] == 0
    tab.keyboard.press("Shift+ArrowDown")
    assert held(tab, "s") == [[0, b + 1], [c + 1, d]]
    assert held(tab, "o") == START["o"]


def test_a_question_is_answered_with_the_keyboard_alone(tab):
    tab.locator("summary").first.focus()
    tab.keyboard.press("Enter")
    tab.locator("[data-go=sum]").focus()
    tab.keyboard.press("Enter")
    while tab.evaluate("document.activeElement.type") != "radio":
        tab.keyboard.press("Tab")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    assert tab.locator("[data-question=sum] .verdict").inner_text().startswith("Right. ")


def centre(tab, table, i, j):
    box = tab.locator(f"[data-cell={table}-{i}-{j}] svg").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def dragged(tab, table):
    """A person over 65 with diabetes in the release is over the first cell of a table, and the button still pressed."""
    tab.locator("[data-cell=s-1-1]").scroll_into_view_if_needed()
    person = tab.locator("[data-cell=s-1-1] .person").first.bounding_box()
    tab.mouse.move(person["x"] + 5, person["y"] + 5)
    tab.mouse.down()
    tab.mouse.move(*centre(tab, table, 0, 0), steps=5)


def test_people_are_dragged_with_the_mouse(tab):
    dragged(tab, "s")
    assert tab.locator(".ghost").count() == tab.locator(".cell.target").count() == 1
    tab.mouse.up()
    (a, b), (c, d) = START["s"]
    assert held(tab, "s") == [[a + 1, b], [c, d - 1]]
    assert tab.locator(".ghost").count() == tab.locator(".cell.target").count() == 0


@pytest.mark.parametrize("end", ["elsewhere", "escape"])
def test_a_person_dropped_outside_the_table_goes_back(tab, end):
    dragged(tab, "o" if end == "elsewhere" else "s")
    if end == "escape":
        tab.keyboard.press("Escape")
    tab.mouse.up()
    assert (held(tab, "o"), held(tab, "s")) == (START["o"], START["s"])
    assert tab.locator(".ghost, .person.gone").count() == 0


def test_people_are_dragged_with_a_finger(browser, tmp_path):
    with opened(browser, tmp_path, page("hands"), width=375, height=800, has_touch=True, is_mobile=True) as tab:
        predicted(tab)
        tab.locator("[data-cell=s-0-1]").scroll_into_view_if_needed()
        person = tab.locator("[data-cell=s-0-0] .person").first.bounding_box()
        to = centre(tab, "s", 0, 1)
        at = {"x": person["x"] + 5, "y": person["y"] + 5}
        finger = tab.context.new_cdp_session(tab)
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
        for part in (0.3, 0.6, 1):
            point = {"x": at["x"] + part * (to[0] - at["x"]), "y": at["y"] + part * (to[1] - at["y"])}
            finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        (a, b), (c, d) = START["s"]
        assert held(tab, "s") == [[a - 1, b + 1], [c, d]]
        tab.locator("[data-cell=s-0-0] [data-step='1']").tap()
        assert held(tab, "s") == [[a, b + 1], [c, d]]


def test_the_buttons_do_what_they_say_and_undo_takes_it_back(tab):
    undo = tab.locator("[data-do=undo]")
    assert undo.is_disabled()
    tab.locator("details.typing summary").click()
    tab.locator("[data-do=copy]").click()
    assert held(tab, "s") == START["o"]
    tab.locator("[data-do=empty]").click()
    assert held(tab, "s") == [[0, 0], [0, 0]]
    undo.click()
    assert held(tab, "s") == START["o"]
    tab.locator("[data-do=random]").click()
    assert np.sum(held(tab, "s")) == 20
    put(tab, o=[[1, 1], [1, 1]])
    tab.locator("[data-do=start]").click()
    assert (held(tab, "o"), held(tab, "s")) == (START["o"], START["s"])


@pytest.mark.parametrize("wrong", ["", "-1", "61", "1.5"])
def test_a_number_that_is_no_count_changes_nothing_and_is_marked(tab, wrong):
    tab.locator("details.typing summary").click()
    field = tab.locator("[data-count=o-0-0]")
    field.fill(wrong)
    assert field.get_attribute("aria-invalid") == "true"
    assert held(tab, "o") == START["o"]
    field.press("Tab")
    assert field.input_value() == str(START["o"][0][0])


# --- questions: a release that is wrong, why, and one that is right

ANSWERS = {"predict": ("is a share", 0.9, 0.38), "sum": ("asthma or diabetes", "same", "falls")}
RELEASES = {
    "exposed": [
        ([[0, 0], [0, 0]], "no record"),
        ([[2, 1], [5, 12]], "the average is too high, and nobody"),
        ([[0, 0], [1, 1]], "the average is not below"),
        ([[5, 5], [5, 5]], "nobody has a CAP of 1"),
        ([[2, 13], [5, 0]], None),
    ],
    "least": [([[0, 0], [0, 0]], "no record"), ([[1, 1], [0, 0]], "5\u00a0% is possible"), ([[0, 3], [0, 0]], None)],
    "risky": [
        ([[1, 1], [1, 1]], "67\u00a0% is wanted"),
        ([[4, 1], [6, 9]], "aged 40 to 65 with asthma, over 65 with asthma, aged 40 to 65 with diabetes, over 65 with diabetes"),
        ([[8, 1], [12, 9]], "the CAP of the original"),
        ([[0, 1], [1, 4]], None),
        ([[4, 0], [1, 3]], None),
    ],
    "above": [
        (START["s"], "69.1\u00a0%, above the 67\u00a0% of the original itself"),
        ([[4, 1], [6, 9]], "the original itself has 67\u00a0%"),
        ([[0, 0], [3, 0]], "the original itself has 67\u00a0%"),
        ([[0, 0], [3, 1]], None),
        ([[0, 0], [10, 10]], None),
    ],
    "unmatched": [
        ([[2, 1], [5, 12]], "both versions are the same"),
        ([[0, 9], [0, 1]], "not above the baseline"),
        ([[0, 1], [0, 9]], None),
        ([[0, 0], [0, 0]], "no record"),
    ],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_right_or_wrong_with_a_reason(tab, name):
    why, wrong, answer = ANSWERS[name]
    state, verdict = judged(tab, name, wrong)
    assert (state, verdict[:9]) == ("wrong", "Not yet: ")
    assert why in verdict
    state, verdict = judged(tab, name, answer)
    assert (state, verdict[:7]) == ("right", "Right. ")
    assert tab.locator("#progress").inner_text() == "1 of 8 questions answered."


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_is_right_or_wrong_with_a_reason(tab, name):
    question(tab, name)
    for release, why in RELEASES[name]:
        put(tab, s=release)
        state, verdict = judged(tab, name)
        if why is None:
            assert (state, verdict[:7]) == ("right", "Right. ")
        else:
            assert (state, verdict[:9]) == ("wrong", "Not yet: ")
            assert why in verdict


def test_the_last_question_asks_for_a_release_with_nobody_over_65(tab):
    question(tab, "hidden")
    assert held(tab, "s") == [[2, 0], [5, 0]]
    put(tab, s=[[2, 1], [5, 0]])
    assert "still records over 65" in judged(tab, "hidden", 10)[1]
    put(tab, s=[[2, 0], [5, 0]])
    assert judged(tab, "hidden", 17)[1] == "Not yet: count the original people whose key is in the release."
    assert judged(tab, "hidden", 10)[0] == "right"


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("o", [[[5, 1], [6, 9]], [[0, 0], [0, 0]], [[5, 5], [5, 5]]])
def test_a_question_about_the_start_asks_for_it(tab, name, o):
    question(tab, name)
    put(tab, o=o, s=[[1, 3], [3, 1]])
    assert judged(tab, name)[1].startswith("Not yet: the original was changed.")


def test_an_empty_release_has_no_average_to_be_praised(tab):
    tab.locator("details.typing summary").click()
    tab.locator("[data-do=empty]").click()
    numbers(tab)
    assert tab.locator(".big output:visible").inner_text() == "no release"
    assert tab.locator("#verdict").inner_text() == "nothing to guess from"
    assert tab.locator(".pointer").count() == 0


def test_an_unmatched_person_is_not_called_safe(tab):
    assert "one who takes the nearest key may still guess" in judged(tab, "hidden", 10)[1]


def test_one_question_is_on_the_screen_and_the_next_follows(tab):
    assert tab.locator("[data-question]:visible").count() == 0
    judged(tab, "predict", 0.375)
    assert tab.locator("[data-question]:visible").count() == 1
    tab.get_by_role("button", name="Next question").click()
    assert tab.locator("[data-question=sum]").is_visible()
    assert tab.evaluate("document.activeElement.id") == "sum-title"
    assert tab.locator("[data-go=predict]").get_attribute("aria-label") == "Question 1, answered"
