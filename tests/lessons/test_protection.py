"""Choose your protection: in a browser, risk, deviation, distance, settings and promise are those of the library."""

import chromium
import numpy as np
import pytest
from every_release import class_of, made
from lesson_controls import after, choices_that_are_right, choose, numbers_that_are_right, typed, verdict
from lesson_pages import first_screen, judged, predicted, question, wait_for
from noisy_mean import noisy_mean

from capstats import average_cap, baseline_cap, individual_cap
from capstats.cap import target_distance
from capstats.datasets import paper_originals
from capstats.laws import Pram, Swap, calibrate, dp_bound, dp_epsilon, expected_cap, variance_cap
from capstats.lessons import page

pytestmark = pytest.mark.chromium
LESSON = "protection"
DRAWS = 200
METHODS = ("theta", "swapped", "epsilon", "noise")


def cases(draws):
    """Small and large tables of two and of three targets, each with a method and its setting, and a wanted risk."""
    rng = np.random.default_rng(3)
    for k in range(draws):
        size = (2, 2) if k % 4 else (3, 3)
        o = rng.integers(0, [4, 40, 1000][k % 3] if k % 5 else 40, size)
        o[0, 0] += 1
        o[1, -1] += 1
        setting = {"theta": round(rng.random(), 3), "swapped": int(rng.integers(0, o.sum() + 1)), "epsilon": round(rng.uniform(0.05, 6), 2)}
        yield o, METHODS[k % 7 % 4], setting, rng.random()


def response(targets, epsilon):
    """Randomised response among all targets."""
    odds = np.exp(-epsilon)
    return (np.eye(targets) * (1 - odds) + odds) / (1 + (targets - 1) * odds)


def protected(o, method, setting):
    """Mean and variance of average CAP, and the expected release."""
    p = o.sum(1) / o.sum()
    if method == "noise":
        a = np.exp(-setting["epsilon"] / 2)
        return noisy_mean(o, a), np.nan, o + a ** (o + 1) / (1 - a**2)
    if method == "swapped":
        told = {"model": "swap", "records": setting["swapped"]}
        lost = max(setting["swapped"] - 1, 0) / (o.sum() - 1)
        table = (1 - lost) * o + lost * np.outer(p, o.sum(0))
    elif method == "theta":
        told = {"model": "pram", "theta": setting["theta"]}
        table = (1 - setting["theta"]) * o + setting["theta"] * np.outer(p, o.sum(0))
    else:
        matrix = response(len(o), setting["epsilon"])
        told = {"model": "pram", "matrix": matrix}
        table = matrix.T @ o
    return expected_cap(o, made(**told)).item(), variance_cap(o, made(**told)).item(), table


def needed(o, model, risk, name):
    """The setting for a wanted risk, NaN where there is none."""
    try:
        return calibrate(o, class_of(model), risk=risk)[name].item()
    except ValueError:
        return np.nan


def test_risk_utility_settings_and_promise_are_those_of_the_library_on_random_tables(tab):
    drawn = list(cases(DRAWS))
    steps = []
    for o, method, setting, u in drawn:
        least, greatest = 1 / len(o), average_cap(o, o).item()
        wanted = round(least + u * (greatest - least), 3)
        dials = [(f"#{dial}", setting[dial]) for dial in ("theta", "swapped", "epsilon")]
        steps.append([choose("original", "own"), choose("size", len(o)), *typed(o), choose("method", method), *dials, ("#wanted", wanted)])
    for (o, method, setting, _), found in zip(drawn, after(tab, steps), strict=True):
        p = o.sum(1) / o.sum()
        mean, variance, table = protected(o, method, setting)
        itself, base, wanted = average_cap(o, o).item(), baseline_cap(o).item(), found["wanted"]
        promise = dp_bound(o, setting["epsilon"])
        want = {
            **setting,
            "itself": itself,
            "baseline": base,
            "risk": mean,
            "above": o[individual_cap(o, table).values > 0.5 * (1 + 1e-12)].sum() / o.sum(),
            "distance": target_distance(o, table).item(),
            "guess": p.max(),
            "bound": promise.bound.item(),
            "gain": promise.gain.item(),
            "free": dp_epsilon(o, p.max()).item(),
            "needed_theta": needed(o, "pram", wanted, "theta"),
            "needed_swapped": needed(o, "swap", wanted, "records"),
        }
        assert {title: found[title] for title in want} == pytest.approx(want, abs=1e-9, rel=0, nan_ok=True)
        assert found["deviation"] ** 2 == pytest.approx(variance, abs=1e-9, nan_ok=True)
        if itself - base > 1e-6:
            assert found["left"] == pytest.approx((mean - base) / (itself - base), abs=1e-9 / (itself - base))
        for method in ("theta", "swapped", "epsilon"):  # what the page calls needed has the wanted mean, and the rest of its row
            value = found[f"needed_{method}"]
            if np.isfinite(value):
                mean, variance, table = protected(o, method, {method: int(value) if method == "swapped" else value})
                assert mean <= wanted + 1e-9
                assert method == "swapped" or mean == pytest.approx(wanted, abs=1e-9)
                assert found[f"needed_distance_{method}"] == pytest.approx(target_distance(o, table).item(), abs=1e-9)
                assert found[f"needed_deviation_{method}"] ** 2 == pytest.approx(variance, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_releases_that_are_drawn_have_the_expected_risk_on_average(tab, method):
    (found,) = after(tab, [[choose("original", "hundred"), choose("method", method), ("#epsilon", 0.7), *[("#draw", None)] * 12]])
    averages = np.array(tab.evaluate("state.dots.map(([, cap]) => cap)"))
    assert found["drawn"] == len(averages) == 600
    assert found["drawn_mean"] == pytest.approx(averages.mean(), abs=1e-12)
    assert abs(found["drawn_mean"] - found["risk"]) < 4.5 * averages.std() / 600**0.5
    if method != "noise":
        assert averages.std() == pytest.approx(found["deviation"], rel=0.15)


def test_the_needed_setting_is_set_with_one_press(tab):
    after(tab, [[choose("original", "O_3"), ("#wanted", 0.42)]])
    for row, method in enumerate(("theta", "swapped", "epsilon")):
        button = tab.locator("#needs button").nth(row)
        button.evaluate("button => { button.closest('details').open = true; }")
        button.focus()
        tab.keyboard.press("Enter")
        assert tab.locator(f'[name="method"][value="{method}"]').is_checked()
        risk = float(tab.locator('[data-name="risk"]').first.get_attribute("data-value"))
        assert risk == pytest.approx(0.42, abs=1e-9) if method != "swapped" else 0.4198 < risk <= 0.42


def test_numbers_that_are_asked_for_are_those_of_the_library(tab):
    o = paper_originals().sel(original="O_3", drop=True)
    answers = {
        "theta": round(calibrate(o, Pram, risk=0.42).theta.item(), 3),
        "swapped": int(calibrate(o, Swap, risk=0.42).records),
        "epsilon": round(dp_epsilon([0.75, 0.25], 0.75).item(), 2),
    }
    for asked, right in answers.items():
        assert numbers_that_are_right(tab, asked, [0.3, right]) == [right]


def test_a_question_about_a_named_table_is_judged_only_while_the_page_shows_it(tab):
    """Neither is an answer right, nor a wrong one, 0.486, explained."""
    for asked, answers in {"theta": (0.514, 0.486), "exposed": (0.82,), "swapped": (463,), "epsilon": (1.1,)}.items():
        question(tab, asked)
        for answer in answers:
            after(tab, [[choose("original", "own" if answer != 0.486 else "O_4")]])
            state, said = judged(tab, asked, answer)
            assert state == "wrong"
            wanted = "100 patients" if asked == "epsilon" else "Patients, clinic 3"
            assert said.startswith(f"Not yet: choose \u201c{wanted}\u201d")


def test_a_question_puts_its_own_table_and_method_on_the_page(tab):
    names = ("theta", "exposed", "swapped", "epsilon", "silent", "same", "nothing")
    found = {name: (question(tab, name), tab.evaluate("[state.original, state.method]"))[1] for name in names}
    assert found == {
        "theta": ["O_3", "theta"],
        "exposed": ["O_3", "theta"],
        "swapped": ["O_3", "swapped"],
        "epsilon": ["hundred", "epsilon"],
        "silent": ["hundred", "epsilon"],
        "same": ["O_3", "epsilon"],
        "nothing": ["own", "theta"],
    }


def test_a_named_table_cannot_be_changed_and_own_tables_are_kept(tab):
    for name, cells in {"hundred": 4, "O_3": 9, "O_4": 9}.items():
        after(tab, [[choose("original", name)]])
        assert tab.locator("#editor input:disabled").count() == cells
    own = [choose("original", "own"), choose("size", 3)]
    (mine, _, again) = after(tab, [[*own, *typed([[9, 1, 4], [2, 8, 5], [3, 3, 7]])], [choose("original", "O_3")], own])
    assert again["itself"] == mine["itself"] == pytest.approx(average_cap(table := [[9, 1, 4], [2, 8, 5], [3, 3, 7]], table).item())


def test_the_example_of_a_line_above_the_promise_has_the_numbers_of_the_library(tab):
    o = paper_originals().sel(original="O_3", drop=True)
    noisy = noisy_mean(o, np.exp(-0.1))
    bound = dp_bound(o.values, 0.2).bound.item()
    told = tab.locator("#breach").text_content()
    assert noisy > bound
    assert f"{100 * noisy:.1f}\u00a0%" in told
    assert f"{100 * bound:.1f}\u00a0%" in told
    assert "not a breach" in told


def test_each_choice_has_one_answer(tab):
    after(tab, [[choose("original", "O_3")]])
    for asked, right in {"margins": "margins", "silent": "group", "same": "both"}.items():
        assert choices_that_are_right(tab, asked) == [right]


# --- the first screen


PATIENTS = paper_originals().sel(original="O_3", drop=True).values


def exposed(o, theta):
    """People above one half in the expected release."""
    return o[individual_cap(o, protected(o, "theta", {"theta": theta})[2]).values > 0.5 + 1e-12].sum()


def test_the_least_theta_that_leaves_nobody_above_one_half_is_asked_for(tab):
    assert exposed(PATIENTS, 0.816) == 127
    assert exposed(PATIENTS, 0.8167) == 0
    assert numbers_that_are_right(tab, "exposed", [0.5, 0.514, 0.8, 0.82]) == [0.82]


def test_risk_people_above_one_half_and_use_of_the_patients_are_those_of_the_library_at_every_noise(tab):
    o = PATIENTS
    for replaced, found in enumerate(after(tab, [[("#noise", k)] for k in range(101)])):
        mean, _, table = protected(o, "theta", {"theta": replaced / 100})
        assert found["noise"] == replaced / 100
        assert found["people_risk"] == pytest.approx(mean, abs=1e-9)
        assert found["people_exposed"] == pytest.approx(exposed(o, replaced / 100) / 900, abs=1e-9)
        assert found["people_use"] == pytest.approx(1 - target_distance(o, table).item(), abs=1e-9)
    assert found["before"] == pytest.approx(average_cap(o, o).item(), abs=1e-9)
    assert found["floor"] == pytest.approx(baseline_cap(o).item(), abs=1e-9)


DOTS = """() => ['', '.hit', '.replaced'].map(kind => document.querySelectorAll(`#people .person${kind}`).length)"""


def test_as_many_people_change_as_the_dial_says(tab):
    for replaced in (0, 50, 100):
        after(tab, [[("#noise", replaced)]])
        people, hit, rings = tab.evaluate(DOTS)
        assert (people, hit, rings) == (900, exposed(PATIENTS, replaced / 100), 9 * replaced)
        told = tab.locator("#people svg").get_attribute("aria-label")
        assert told == f"{9 * replaced} of 900 diagnoses are replaced. Above 50\u00a0%: {hit} people"
        said = tab.locator(".predict .verdict").inner_text().replace("\u00a0", " ")
        assert (f"{hit} people are above 50 %" if hit else "nobody is above 50 %") in said  # every sentence follows the dial


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_guess_is_answered_and_kept_and_half_of_the_people_change(motion, browser, tmp_path):
    with chromium.opened(browser, tmp_path, page(LESSON), reduced_motion=motion) as tab:
        assert tab.locator("#noise").is_hidden()
        after(tab, [[("#predict-half", 0.24)]])
        predicted(tab)
        if motion == "reduce":
            assert tab.evaluate(DOTS)[2] == 450
        wait_for(tab, "document.querySelectorAll('#people .replaced').length === 450")
        said = tab.locator(".predict .verdict").inner_text()
        mean = protected(PATIENTS, "theta", {"theta": 0.5})[0]
        fall = 100 * (average_cap(PATIENTS, PATIENTS).item() - mean)
        assert said.startswith("Half of it would be left")
        assert f"falls only {fall:.0f} points, to {100 * mean:.0f} %, and 127 people are above 50 %" in said.replace("\u00a0", " ")
        assert tab.locator("#noise").input_value() == "50"
        tab.reload()
        wait_for(tab, "document.querySelectorAll('#people .replaced').length === 450")
        assert tab.locator(".predict .verdict").inner_text() == said


def test_the_picture_moves_in_the_first_screen(browser, tmp_path):
    for moving in ("#people", ".bars"):
        first_screen(browser, tmp_path, page(LESSON), moving=moving, answer=".predict .verdict")


def test_a_count_that_is_no_whole_number_from_0_to_999_is_marked_and_changes_nothing(tab):
    (before,) = after(tab, [[choose("original", "own")]])
    assert "whole number from 0 to 999" in tab.locator("#editor").text_content()
    field = tab.locator('[data-cell="0,0"]')
    field.evaluate("field => { field.closest('details').open = true; }")
    for wrong in ("1000", "-1", "2.5", ""):
        field.fill(wrong)
        assert field.get_attribute("aria-invalid") == "true"
        assert after(tab, [[]])[0]["itself"] == before["itself"]
    field.blur()
    assert (field.input_value(), field.get_attribute("aria-invalid")) == ("40", "false")


def test_an_original_in_which_the_key_says_nothing_leaves_nothing_to_protect(tab):
    assert verdict(tab, "nothing").startswith("Not yet")
    (found,) = after(tab, [[choose("original", "own"), *typed([[20, 40], [10, 20]])]])
    assert found["itself"] == pytest.approx(found["baseline"])
    assert np.isnan(found["needed_theta"])
    assert verdict(tab, "nothing").startswith("Right.")


def test_a_table_without_people_is_named_so_where_the_figures_are(tab):
    after(tab, [[choose("original", "own"), *typed([[0, 0], [0, 0]])]])
    for figure in ("#plane", "#bound"):
        wait_for(tab, f"document.querySelector('{figure}').textContent === 'The table has no people.'")
    assert "undefined" not in tab.locator("main").text_content()
    assert tab.locator("#range").text_content() == "The table has no people."


def test_an_original_with_one_target_has_no_numbers(tab):
    (found,) = after(tab, [[choose("original", "own"), *typed([[20, 40], [0, 0]])]])
    assert np.isnan(found["risk"])
    assert tab.locator("#draw").is_disabled()
    assert "at least two targets" in tab.locator("#range").text_content()
