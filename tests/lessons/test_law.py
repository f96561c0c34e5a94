"""Almost any table passes: in a browser, the exact law of an original that is typed in is that of the library, and draws follow it."""

import chromium
import numpy as np
import pytest
from lesson_controls import after, choices_that_are_right, choose, numbers_that_are_right, typed, verdict
from lesson_pages import judged, wait_for

from capstats import average_cap, baseline_cap
from capstats.laws import Uniform, cap_law, expected_cap
from capstats.lessons import page

pytestmark = pytest.mark.chromium
LESSON = "law"
DRAWS = 200


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
        assert found["limit"] == pytest.approx(cap_law(o, Uniform()).cdf(itself).lower.item(), abs=1e-9)
        exact = cap_law(o, Uniform(m)).cdf(itself)
        assert exact.lower.item() - 1e-9 <= found["finite_lower"] <= found["finite_upper"] <= exact.upper.item() + 1e-9
        assert found["mean"] == pytest.approx(expected_cap(o, Uniform(m)).item(), abs=1e-9)


@pytest.mark.slow
def test_with_900_records_the_law_of_two_keys_is_between_the_bounds_of_the_library(tab):
    o = [[51, 20], [30, 49]]
    exact = cap_law(o, Uniform(900)).cdf(average_cap(o, o).item())
    (found,) = after(tab, [[choose("original", "own"), choose("width", 2), choose("records", 900), *typed(o)]])
    assert exact.lower.item() - 1e-9 <= found["finite_lower"] <= exact.upper.item() + 1e-9


def test_with_900_records_and_three_keys_no_exact_number_is_given(tab):
    (found,) = after(tab, [[choose("original", "own"), choose("records", 900), choose("width", 3)]])
    assert np.isnan(found["finite_lower"])
    assert "capstats has it" in tab.locator("#honest").inner_text()


CURVES = """tables => tables.map(([o, xs]) => xs.map(x => [limitCdf(o, x), limitDensity(o, x)]))"""


def test_the_curve_is_the_density_of_the_library(tab):
    tables = [o for o in originals(40) if cap_law(o, Uniform()).least < cap_law(o, Uniform()).greatest]
    asked = [(o.tolist(), np.linspace(cap_law(o, Uniform()).least, cap_law(o, Uniform()).greatest, 9)[1:-1].tolist()) for o in tables]
    for (o, xs), found in zip(asked, tab.evaluate(CURVES, asked), strict=True):
        law = cap_law(o, Uniform())
        below, density = np.transpose(found)
        assert below == pytest.approx(law.cdf(xs).lower.values, abs=1e-9)
        scale = law.density(xs).upper.values.max()
        assert density / scale == pytest.approx(law.density(xs).lower.values / scale, abs=1e-6)  # at a jump the next float counts


@pytest.mark.parametrize(("name", "m", "p"), [("O_3", 900, 0.99556), ("O_4", 30, 0.97897), ("O_4", 10, 0.95374)])
def test_draws_pass_as_often_as_the_law_says(tab, name, m, p):
    (found,) = after(tab, [[choose("original", name), choose("records", m), *[('[data-draw="1000"]', None)] * 5]])
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


def test_an_original_answers_a_question_if_it_has_what_is_wanted(tab):
    assert verdict(tab, "even").startswith("Not yet")
    assert verdict(tab, "never").startswith("Not yet")
    own = [choose("original", "own"), choose("width", 2)]
    after(tab, [[*own, *typed([[30, 10], [20, 40]])]])
    assert verdict(tab, "even").startswith("Not yet: 83.3 %")
    after(tab, [[*own, *typed([[26, 26], [24, 24]])]])
    assert verdict(tab, "even").startswith("Right.")
    assert verdict(tab, "never").startswith("Not yet: some table")
    after(tab, [[*own, *typed([[25, 5], [25, 5]])]])
    assert verdict(tab, "never").startswith("Right.")


def test_the_other_questions_have_one_answer(tab):
    assert numbers_that_are_right(tab, "fail", [6, 61, 9939]) == [61]
    assert choices_that_are_right(tab, "below") == ["little"]
    assert choices_that_are_right(tab, "reason") == ["mean"]


def test_each_wrong_choice_is_told_something_of_its_own(tab):
    for asked, wrong in {"below": ("safe", "close", "most"), "reason": ("up", "same")}.items():
        told = {judged(tab, asked, value)[1] for value in wrong}
        assert len(told) == len(wrong)
        assert all(text.startswith("Not yet: ") and len(text) > 40 for text in told)


def test_the_mean_of_all_tables_depends_on_the_original_only_with_few_records(tab):
    steps = [[choose("original", name), choose("records", m)] for m in (10, 900) for name in ("O_1", "O_4", "O_2")]
    means = [found["mean"] for found in after(tab, steps)]
    assert means[3:] == pytest.approx([1 / 3] * 3, abs=1e-4)
    assert max(means[:3]) < 0.32
    assert "with 900 or very many records" in tab.locator('[data-question="reason"]').text_content()


def test_the_law_is_kept_back_until_a_table_is_drawn_and_printed_in_any_case(tab):
    law = [tab.locator(place) for place in ('[data-name="limit"]', '[data-name="mean"]', "#finite", "#chart .curve", "#take", "#honest")]
    assert not any(part.is_visible() for part in law)
    assert "early all" not in tab.locator("header .thesis").inner_text()
    tab.emulate_media(media="print")
    assert all(part.is_visible() for part in law)
    tab.emulate_media(media="screen")
    after(tab, [[('[data-draw="1"]', None)]])
    wait_for(tab, "document.querySelector('#chart .curve')")
    assert all(part.is_visible() for part in law)
    after(tab, [[("#clear", None)]])
    assert all(part.is_visible() for part in law)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_drawing_runs_until_it_is_stopped_with_the_keyboard(motion, browser, tmp_path):
    with chromium.opened(browser, tmp_path, page("law"), reduced_motion=motion) as tab:
        tab.locator("#run").focus()
        tab.keyboard.press("Enter")
        wait_for(tab, "drawn.averages.length > 99")
        tab.keyboard.press("Enter")
        assert tab.locator("#run").get_attribute("aria-pressed") == "false"
        held = tab.evaluate("drawn.averages.length")
        tab.wait_for_timeout(300)
        assert tab.evaluate("drawn.averages.length") == held


def test_an_original_without_people_has_no_numbers(tab):
    (found,) = after(tab, [[choose("original", "own"), *typed([[0, 0], [0, 0]]), ('[data-draw="100"]', None)]])
    assert np.isnan(found["itself"])
    assert np.isnan(found["limit"])
    assert found["drawn"] == 0
    assert "has no people" in tab.locator("#honest").inner_text()
