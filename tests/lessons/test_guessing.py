"""Guessing is not predicting: in a browser, the numbers of both guessers are those of the library."""

import chromium
import numpy as np
import pytest
from lesson_controls import after, choices_that_are_right, choose, numbers_that_are_right, typed, verdict
from lesson_pages import afresh, first_screen, moved, predicted, question, wait_for

from capstats import average_cap, correct_predictions, individual_cap
from capstats.datasets import paper_originals, paper_synthetics
from capstats.lessons import page

pytestmark = pytest.mark.chromium
LESSON = "guessing"
O = {str(name): paper_originals().sel(original=name, drop=True).values for name in paper_originals().original.values}  # noqa: E741
S = {str(name): paper_synthetics().sel(synthetic=name, drop=True).values for name in paper_synthetics().synthetic.values}
DRAWS = 200


def releases(draws):
    """Tables with ties, with empty keys and without records among them."""
    rng = np.random.default_rng(1)
    for k in range(draws):
        s = rng.integers(0, [3, 30, 501][k % 3], (3, 3))
        if k % 7 == 0:
            s[:, rng.integers(3)] = 0
        yield s if k else np.zeros((3, 3), int)


def test_both_guessers_have_the_numbers_of_the_library_on_random_tables(tab):
    tables = list(releases(DRAWS))
    names = [list(O)[k % 4] for k in range(DRAWS)]
    shown = after(tab, [[choose("original", name), *typed(s)] for name, s in zip(names, tables, strict=True)])
    for name, s, found in zip(names, tables, shown, strict=True):
        o = O[name]
        if s.sum():
            average, right, q = average_cap(o, s).item(), correct_predictions(o, s).item(), individual_cap(o, s).values
        else:
            average, right, q = 0, 0, np.zeros((3, 3))  # without records nobody guesses
        wanted = {"average": average, "random_right": average * o.sum(), "modal_right": right, "modal_share": right / o.sum()}
        wanted |= {f"share_{i}_{j}": q[i, j] for i in range(3) for j in range(3)}
        for j in range(3):
            wanted[f"random_right_{j}"] = (o[:, j] * q[:, j]).sum()
            wanted[f"modal_right_{j}"] = correct_predictions(o[:, [j]], s[:, [j]]).item() if s[:, j].any() else 0
        assert {title: found[title] for title in wanted} == pytest.approx(wanted, abs=1e-9, rel=0)


def test_a_table_of_the_paper_is_one_press_away_and_the_page_says_how_many_people_the_original_has(tab):
    tab.get_by_text("Change the release and the clinic").click()
    for title, o in O.items():
        for name, s in S.items():
            (found,) = after(tab, [[choose("original", title), (f'[data-release="S_{name}"]', None)]])
            assert found["average"] == pytest.approx(average_cap(o, s).item(), abs=1e-12)
            assert found["modal_right"] == correct_predictions(o, s).item()
            assert tab.locator(f'[data-release="S_{name}"]').get_attribute("aria-pressed") == "true"
        assert tab.locator('[data-name="people"]').inner_text() == f"{o.sum():,}"


def test_what_moves_and_the_answer_are_in_the_first_screen(browser, tmp_path):
    first_screen(browser, tmp_path, page(LESSON), moving="#modal-dots", answer=".guess .verdict")


def test_a_guess_is_answered_and_the_second_picture_turns(browser, tmp_path):
    first, second = (f(O["O_3"], S["b"]).item() for f in (average_cap, correct_predictions))
    with chromium.opened(browser, tmp_path, page(LESSON)) as tab:
        assert tab.locator("main details, [data-name=modal_right]").locator("visible=true").count() == 0
        for guess, said in {
            0.19: "Well guessed.",
            0.31: "the first guesser.",
            0.335: "pure chance",
            0.563: "the original itself",
            0.9: "Only 171",
        }.items():
            afresh(tab)
            assert tab.locator("#modal-dots .guessed").evaluate_all("all => all.map(e => e.getAttribute('d')).join('')") == ""
            moved(tab, {".predict input": guess})
            predicted(tab)
            verdict = tab.locator(".guess .verdict").inner_text()
            assert said in verdict
            assert f"Only {second:.0f}: " in verdict
            assert f"Average CAP, {100 * first:.1f} %, " in verdict.replace("\u00a0", " ")
        tab.locator("[data-release=S_g]").click()  # every sentence follows
        first, second = (f(O["O_3"], S["g"]).item() for f in (average_cap, correct_predictions))
        verdict = tab.locator(".guess .verdict").inner_text()
        assert verdict == f"At clinic 3 with release B, the first is right about {900 * first:.0f} people, the second about {second:.0f}."
        assert tab.locator(".predict .mark").inner_text().endswith(" with A")  # the guess was about another release
        assert "the diagnosis from release B." in tab.locator(".thesis").inner_text()
        dots = "[...document.querySelectorAll('#WHO-dots .guessed')].map(e => e.getAttribute('d')).join('').split('h0').length - 1"
        wait_for(tab, f"{dots.replace('WHO', 'modal')} === {second:.0f}")
        assert tab.evaluate(dots.replace("WHO", "random")) == pytest.approx(first * 900, abs=4)  # rounded in each cell


def test_a_question_loads_its_own_tables(tab):
    for name, release in {"order": "b", "lower": "b", "higher": "g"}.items():
        question(tab, name)
        assert tab.locator('[name="original"][value="O_3"]').is_checked()
        assert tab.locator(f'[data-release="S_{release}"]').get_attribute("aria-pressed") == "true"
        after(tab, [[choose("original", "O_4"), ('[data-release="S_a"]', None)]])


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("lower", S["b"], [[100, 0, 101], [0, 100, 100], [0, 101, 100]]),
        ("lower", [[100, 100, 100], [99, 99, 99], [99, 99, 99]], [[100, 150, 100], [0, 149, 99], [0, 0, 99]]),  # as the hints say
        ("higher", S["g"], [[51, 50, 50], [0, 51, 0], [50, 0, 51]]),
    ],
)
def test_a_release_answers_a_question_if_it_has_what_is_wanted(tab, name, wrong, right):
    assert verdict(tab, name).startswith("Not yet")
    after(tab, [[choose("original", "O_3"), *typed(wrong)]])
    assert verdict(tab, name).startswith("Not yet")
    after(tab, [typed(right)])
    assert verdict(tab, name).startswith("Right.")
    after(tab, [[choose("original", "O_4")]])
    assert "choose clinic 3" in verdict(tab, name)


def test_the_other_questions_have_the_answers_of_the_library(tab):
    wanted = int(correct_predictions(O["O_3"], O["O_3"]).item())
    assert wanted == 507
    assert numbers_that_are_right(tab, "itself", [431, 506, wanted]) == [wanted]
    assert choices_that_are_right(tab, "order") == ["split"]
    assert choices_that_are_right(tab, "agree") == ["itself"]


def test_a_release_is_made_with_the_keyboard_alone(tab):
    after(tab, [[choose("original", "O_4"), ('[data-release="S_a"]', None)]])
    for summary in tab.locator("summary").all():
        summary.click()
    after(tab, [[choose("original", "O_4"), ('[data-release="S_a"]', None)]])
    tab.locator('[data-cell="0,0"]').focus()
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    s = S["a"].copy()
    s[0, 0] += 3
    assert float(tab.locator('[data-name="average"]').first.get_attribute("data-value")) == pytest.approx(
        average_cap(O["O_4"], s).item(), abs=1e-12
    )


def test_a_finger_moves_a_slider_and_presses_a_button(browser, tmp_path):
    with chromium.opened(browser, tmp_path, page("guessing"), width=375, height=800, has_touch=True) as tab:
        predicted(tab)
        for summary in tab.locator("summary").all():
            summary.click()
        after(tab, [[choose("original", "O_4"), ('[data-release="S_a"]', None)]])
        slider = tab.locator('[data-cell="2,1"]')
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        s = S["a"].copy()
        s[2, 1] = int(slider.input_value())
        assert 230 < s[2, 1] < 270
        shown = float(tab.locator('[data-name="modal_right"]').first.get_attribute("data-value"))
        assert shown == correct_predictions(O["O_4"], s).item() == 233
        tab.locator('[data-release="S_g"]').tap()
        assert tab.locator('[data-release="S_g"]').get_attribute("aria-pressed") == "true"
