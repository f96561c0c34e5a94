"""Does a blind table pass? In a browser, the exact law of an original that is typed in is that of the library, and draws follow it."""

import chromium
import numpy as np
import pytest
from lesson_controls import after, choices_that_are_right, choose, numbers_that_are_right, typed, verdict
from lesson_pages import first_screen, judged, predicted, question, wait_for
from strategies import seeds

from capstats import average_cap, baseline_cap
from capstats.datasets import paper_originals
from capstats.laws import Uniform, cap_law, expected_cap
from capstats.laws.distribution.on_a_grid import uniform_bounds
from capstats.lessons import page
from capstats.lessons.given import FINITE

pytestmark = pytest.mark.chromium
LESSON = "law"
DRAWS = len(seeds(200))


def originals(draws):
    """Two targets and two or three keys: small and large counts, ties, keys without records, keys that say nothing."""
    rng = np.random.default_rng(2)
    for k in range(draws):
        o = rng.integers(0, [3, 30, 1000][k % 3], (2, 2 + k % 2))
        if k % 11 == 0:
            o[1] = o[0]
        o[0, 0] += o.sum() == 0
        yield o


def test_the_law_of_a_typed_original_is_that_of_the_library(tab):
    tables = list(originals(DRAWS))
    ms = [10 if k % 4 else 30 for k in range(DRAWS)]
    steps = [
        [choose("original", "own"), choose("width", o.shape[1]), choose("records", m), *typed(o)] for o, m in zip(tables, ms, strict=True)
    ]
    for o, m, found in zip(tables, ms, after(tab, steps), strict=True):
        itself = average_cap(o, o).item()
        assert found["itself"] == pytest.approx(itself, abs=1e-9)
        assert found["baseline"] == pytest.approx(baseline_cap(o).item(), abs=1e-9)
        assert found["limit"] == pytest.approx(cap_law(o, Uniform()).cdf(itself).least.item(), abs=1e-9)
        lower, upper = uniform_bounds(o, m, itself)
        assert lower - 1e-9 <= found["finite_lower"] <= found["finite_upper"] <= upper + 1e-9
        assert found["mean"] == pytest.approx(expected_cap(o, Uniform(m)).item(), abs=1e-9)


def test_with_900_records_the_law_of_two_keys_is_between_the_bounds_of_the_library_and_that_of_three_is_not_given(tab):
    o = np.array([[51, 20], [30, 49]])
    lower, upper = uniform_bounds(o, 900, average_cap(o, o).item())
    (found,) = after(tab, [[choose("original", "own"), choose("width", 2), choose("records", 900), *typed(o)]])
    assert lower - 1e-9 <= found["finite_lower"] <= upper + 1e-9
    (found,) = after(tab, [[choose("width", 3)]])
    assert np.isnan(found["finite_lower"])
    assert "capstats has it" in tab.locator("#honest").text_content()


CURVES = """tables => tables.map(([o, xs]) => xs.map(x => [limitCdf(o, x), limitDensity(o, x)]))"""


def test_the_curve_is_the_density_of_the_library(tab):
    tables = [o for o in originals(40) if cap_law(o, Uniform()).least < cap_law(o, Uniform()).greatest]
    asked = [(o.tolist(), np.linspace(cap_law(o, Uniform()).least, cap_law(o, Uniform()).greatest, 9)[1:-1].tolist()) for o in tables]
    for (o, xs), found in zip(asked, tab.evaluate(CURVES, asked), strict=True):
        law = cap_law(o, Uniform())
        below, density = np.transpose(found)
        assert below == pytest.approx(law.cdf(xs).least.values, abs=1e-9)
        scale = law.density(xs).greatest.values.max()
        assert density / scale == pytest.approx(law.density(xs).least.values / scale, abs=1e-6)  # at a jump the next float counts


@pytest.mark.parametrize(("name", "m", "p"), [("O_3", 900, 0.99556), ("O_4", 30, 0.97897), ("O_4", 10, 0.95374)])
def test_draws_pass_as_often_as_the_law_says(tab, name, m, p):
    (found,) = after(tab, [[choose("original", name), choose("records", m), ("#clear", None), *[('[data-draw="1000"]', None)] * 5]])
    assert found["drawn"] == 5000
    assert abs(found["passed"] - 5000 * p) < 4.5 * (5000 * p * (1 - p)) ** 0.5
    assert found["passed_share"] == found["passed"] / 5000


LAST = "() => [drawn.last.s, drawn.last.average, drawn.failed.s, drawn.failed.average, table(), itself()]"


def test_each_draw_has_the_average_of_the_library(tab):
    for name in ("O_3", "O_4"):
        after(tab, [[choose("original", name), choose("records", 10), ('[data-draw="1000"]', None)]])
        last, average, failed, failing, o, itself = tab.evaluate(LAST)
        assert np.sum(last) == np.sum(failed) == 10
        assert average == pytest.approx(average_cap(o, last).item(), abs=1e-12)
        assert failing == pytest.approx(average_cap(o, failed).item(), abs=1e-12)
        assert failing > itself


def own(tab, table):
    after(tab, [[choose("original", "own"), choose("width", 2), *typed(table)]])


def test_an_original_answers_a_question_if_it_has_what_is_wanted(tab):
    assert verdict(tab, "even").startswith("Not yet: 83.3\u00a0%")
    assert verdict(tab, "never").startswith("Not yet: some table")
    own(tab, [[26, 26], [24, 24]])
    assert verdict(tab, "even").startswith("Right.")
    own(tab, [[25, 5], [25, 5]])
    assert verdict(tab, "never").startswith("Right.")


def test_a_count_of_failing_tables_is_right_with_900_and_with_very_many_records(tab):
    assert numbers_that_are_right(tab, "fail", [6, 59, 60, 61, 64, 65, 66, 9939]) == [60, 61, 64, 65]
    asked = question(tab, "fail")
    o = paper_originals().sel(original="O_4", drop=True)
    law = 1 - cap_law(o, Uniform()).cdf(average_cap(o, o).item()).least.item()
    lower, upper = FINITE["O_4", 900]
    for share in (law, 1 - upper, 1 - lower):
        assert 60 <= 10000 * share <= 65
        asked.locator("input").fill(str(share))
        asked.locator("button[type=submit]").click()
        assert "this is the right share" in asked.locator(".verdict").inner_text()


def test_the_choices_have_one_answer(tab):
    assert choices_that_are_right(tab, "below") == ["little"]
    assert choices_that_are_right(tab, "reason") == ["mean"]


WRONG = {
    "below": ["safe", "close", "most"],
    "fail": [9939, 9936, 0.99393, 6, 607, 42, 44, 210, 463, 5000, 0, 10000, 4439, 4874, 70],
    "even": [[[0, 0], [0, 0]], [[3, 3], [3, 2]], [[20, 20], [20, 20]], [[25, 0], [0, 25]], [[30, 10], [20, 40]]],
    "never": [[[0, 0], [0, 0]], [[25, 0], [0, 25]], [[40, 5], [5, 40]], [[26, 26], [24, 24]]],
    "reason": ["up", "same"],
}
SAME = [{9939, 9936}, {42, 44}]  # two ways to one mistake


def test_each_wrong_answer_is_explained_in_a_sentence_of_its_own(tab):
    explained = {}
    for asked, answers in WRONG.items():
        for answer in answers:
            if isinstance(answer, list):
                question(tab, asked)
                own(tab, answer)
            state, said = judged(tab, asked, None if isinstance(answer, list) else answer)
            assert state == "wrong", (asked, answer)
            assert said.startswith("Not yet: ")
            assert len(said) > 28
            explained.setdefault((asked, said), set()).add(str(answer))
    assert sorted(map(len, explained.values())) == [1] * (len(explained) - len(SAME)) + [2] * len(SAME)
    assert [{str(x) for x in pair} in explained.values() for pair in SAME] == [True, True]
    assert len(explained) >= 24


def test_a_question_puts_its_own_people_on_the_page_and_leaves_what_is_typed(tab):
    found = {name: (question(tab, name), tab.evaluate("[state.original, state.m]"))[1] for name in ("fail", "reason", "even")}
    assert found == {"fail": ["O_4", 900], "reason": ["O_1", 900], "even": ["own", 900]}
    own(tab, [[9, 8], [7, 6]])
    question(tab, "never")
    assert tab.evaluate("table()") == [[9, 8], [7, 6]]


def test_the_guess_is_answered_and_kept_in_the_address(browser, tmp_path):
    with chromium.opened(browser, tmp_path, page(LESSON)) as tab:
        after(tab, [[("#predict-pass", 0.4)]])
        assert tab.locator(".predict .mark").inner_text() == "40"
        predicted(tab)
        passed = tab.evaluate("drawn.averages.filter(average => atMost(average, itself())).length")
        said = tab.locator(".predict .verdict").inner_text()
        assert said.startswith(f"You said 40: {passed} of 100 passed, 99.6 of 100 in the long run.")
        assert tab.locator("#chart circle").count() == 100
        assert tab.locator("#chart circle.lower").count() == passed
        question(tab, "even")
        tab.reload()
        wait_for(tab, "document.querySelector('.predict .verdict').textContent !== ''")
        assert tab.evaluate("state.original") == "own"
        assert not any(tab.locator(f".predict .{mark}").is_visible() for mark in ("verdict", "truth"))
        after(tab, [[choose("original", "O_3"), ('[data-draw="100"]', None), ('[data-draw="1000"]', None)]])
        passed = tab.evaluate("drawn.passed")
        assert tab.locator(".predict .verdict").inner_text() == said.replace(f"{said.split()[3]} of 100", f"{passed:,} of 1,100", 1)
        assert tab.locator(".predict .truth").is_visible()
        after(tab, [[choose("records", 30)]])
        assert tab.locator(".predict .verdict").is_hidden()


@pytest.mark.parametrize(
    ("guess", "opening"), [(0.99, "You were close"), (0.5, "It is no toss of a coin"), (0, "Not looking is no failing")]
)
def test_a_guess_that_can_be_explained_is(browser, tmp_path, guess, opening):
    with chromium.opened(browser, tmp_path, page(LESSON)) as tab:
        after(tab, [[("#predict-pass", guess)]])
        predicted(tab)
        assert tab.locator(".predict .verdict").inner_text().startswith(f"{opening}: 100 of 100 passed")


def test_the_picture_moves_in_the_first_screen(browser, tmp_path):
    first_screen(browser, tmp_path, page(LESSON), moving="#chart", answer=".predict .verdict")


FALLING = """() => [...document.querySelectorAll('#chart circle')].map(dot => getComputedStyle(dot))
  .map(style => [style.animationName, parseFloat(style.animationDelay)])"""


def test_tables_fall_in_about_a_second_or_at_once(browser, tmp_path):
    for motion, name, longest in (("no-preference", "fall", 0.99), ("reduce", "none", 0)):
        with chromium.opened(browser, tmp_path, page(LESSON), reduced_motion=motion) as tab:
            predicted(tab)
            wait_for(tab, "document.querySelectorAll('#chart circle').length === 100")
            names, delays = zip(*tab.evaluate(FALLING), strict=True)
            assert set(names) == {name}
            assert max(delays) == longest


def test_the_mean_of_all_tables_depends_on_the_original_only_with_few_records(tab):
    steps = [[choose("original", name), choose("records", m)] for m in (10, 900) for name in ("O_1", "O_4", "O_2")]
    means = [found["mean"] for found in after(tab, steps)]
    assert means[3:] == pytest.approx([1 / 3] * 3, abs=1e-4)
    assert max(means[:3]) < 0.32
    assert "with 900 or very many records" in tab.locator('[data-question="reason"]').text_content()


def test_the_law_is_kept_back_until_a_table_is_drawn_and_printed_in_any_case(browser, tmp_path):
    with chromium.opened(browser, tmp_path, page(LESSON)) as tab:
        tab.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
        law = [
            tab.locator(place) for place in ('[data-name="limit"]', '[data-name="mean"]', "#finite", "#chart .curve", "#take p >> nth=0")
        ]
        law.append(tab.locator("#honest"))
        assert not any(part.is_visible() for part in law)
        assert not any(word in tab.locator("header").inner_text() for word in ("early all", "ny table"))
        tab.emulate_media(media="print")
        assert all(part.is_visible() for part in law)
        tab.emulate_media(media="screen")
        after(tab, [[('[data-draw="1"]', None)]])
        wait_for(tab, "document.querySelector('#chart .curve')")
        assert all(part.is_visible() for part in law)
        after(tab, [[("#clear", None)]])
        assert all(part.is_visible() for part in law)


def test_an_original_without_people_has_no_numbers(tab):
    (found,) = after(tab, [[choose("original", "own"), *typed([[0, 0], [0, 0]]), ('[data-draw="100"]', None)]])
    assert np.isnan(found["itself"])
    assert np.isnan(found["limit"])
    assert found["drawn"] == 0
    assert "There are no people" in tab.locator("#honest").text_content()
