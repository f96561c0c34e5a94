"""The average hides people: the numbers on random tables, the dots, the keyboard and touch, and the questions."""

import re

import numpy as np
import pytest
from chromium import opened
from lesson_pages import afresh, agree, agree_all, counts, first_screen, inside, judged, moved, numbers, predicted, put, wait_for

from capstats import average_cap, baseline_cap, cap_boxplot, cap_ecdf, individual_cap
from capstats.datasets import paper_originals, paper_synthetics
from capstats.lessons.pages import LESSONS, page

pytestmark = pytest.mark.chromium
LESSON = "average"
TABLES = 200
SIDES = ("left", "right")
ORIGINALS = {name: paper_originals().sel(original=name).values for name in ("O_1", "O_2", "O_3", "O_4")}
S = {name: paper_synthetics().sel(synthetic=name).values for name in "abeg"}
CELLS = [(i, j) for j in range(3) for i in range(3)]


@pytest.fixture
def tab(tab):
    """The lesson at its start, with what is folded open."""
    tab.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    numbers(tab)
    return tab


def expected(o, left, right, threshold):
    """What the library says of a table, or of many at once."""
    n, hundredths = o.sum((-2, -1)), np.rint(100 * np.asarray(threshold)).astype(int)
    found = {"people": n, "threshold": threshold, "original": average_cap(o, o), "baseline": baseline_cap(o)}
    found |= {
        "patients": 900,
        "changed": 0,
        "least-records": S["b"][2, 2],
        "group-records": S["b"][:, 2].sum(),
        "average-a": average_cap(ORIGINALS["O_3"], S["b"]),
        "average-b": average_cap(ORIGINALS["O_3"], S["g"]),
    }
    found |= {f"o-{i}-{j}": o[..., i, j] for i, j in CELLS}
    for side, s in zip(SIDES, (left, right), strict=True):
        q, box = individual_cap(o, s).values, cap_boxplot(o, s)
        found |= {f"cap-{side}-{i}-{j}": q[..., i, j] for i, j in CELLS}
        boxes = ("average", "lower-whisker", "lower-quartile", "median", "upper-quartile", "upper-whisker")
        found |= {f"{name}-{side}": box[name.replace("-", "_")] for name in boxes}
        found[f"highest-{side}"] = np.where(n > 0, np.where(o > 0, q, 0).max((-2, -1)), np.nan)
        at_most = cap_ecdf(o, s, np.arange(101) / 100).values
        share = np.take_along_axis(at_most, np.broadcast_to(hundredths, n.shape)[None], 0)[0]
        found[f"above-{side}"] = np.rint(np.where(n > 0, n * (1 - share), 0))
    return found


def test_every_number_is_the_librarys_on_random_tables(tab):
    rng = np.random.default_rng(2)
    agree(numbers(tab), expected(ORIGINALS["O_3"], S["b"], S["g"], 0.5))
    most = rng.choice([1, 4, 30, 250], (TABLES, 1, 1, 1))
    drawn = rng.integers(0, most + 1, (TABLES, 3, 3, 3)) * (rng.random((TABLES, 3, 3, 3)) < rng.choice([0.3, 1], (TABLES, 1, 1, 1)))
    thresholds = rng.choice([0, 25, 30, 50, 60, 75, 100, *range(101)], TABLES) / 100
    cases = [counts(o=o, left=s, right=t) | {"#threshold": x} for (o, s, t), x in zip(drawn, thresholds, strict=True)]
    agree_all(moved(tab, *cases), expected(*drawn.transpose(1, 0, 2, 3), thresholds))


@pytest.mark.parametrize("original", ORIGINALS)
def test_every_table_of_the_paper_may_be_chosen(tab, original):
    tab.locator("#original").select_option(original)
    for release in S:
        tab.locator("[data-release=left]").select_option(f"S_{release}")
        tab.locator("[data-release=right]").select_option("itself")
        agree(numbers(tab), expected(ORIGINALS[original], S[release], ORIGINALS[original], 0.5))


def test_the_sentence_of_the_lesson_is_true():
    """It gives the vote away no more than the page does before it."""
    o = ORIGINALS["O_3"]
    assert f"the same {o.sum()} patients" in LESSONS["average"].sentence
    assert not re.search(r"\b(93|92|A|B)\b", LESSONS["average"].sentence)
    assert float(average_cap(o, S["b"])) < float(average_cap(o, S["g"]))


# --- the dots


def dots(tab):
    """The people of each panel and cell, as they are drawn."""
    numbers(tab)
    return tab.evaluate("""() => [...document.querySelectorAll('.panel')].map(panel => Object.fromEntries(
        [...panel.querySelectorAll('.people')].map(e => [e.dataset.people, {
            people: (e.getAttribute('d').match(/M/g) ?? []).length, above: e.classList.contains('above'),
            from: Math.min(...e.getAttribute('d').match(/(?<=M)[-0-9.]+/g)), to: Math.max(...e.getAttribute('d').match(/(?<=M)[-0-9.]+/g)),
            top: Math.min(...e.getAttribute('d').match(/(?<= )[0-9.]+/g)), width: e.ownerSVGElement.viewBox.baseVal.width,
        }])))""")


@pytest.mark.parametrize("original", ["O_2", "O_3"])
def test_there_is_a_dot_for_each_person_at_their_risk(tab, original):
    tab.locator("#original").select_option(original)
    for panel, release in zip(dots(tab), "bg", strict=True):
        q = individual_cap(ORIGINALS[original], S[release]).values
        assert {cell: group["people"] for cell, group in panel.items()} == {
            f"{i}-{j}": ORIGINALS[original][i, j] for i, j in CELLS if ORIGINALS[original][i, j]
        }
        for cell, group in panel.items():
            value = q[int(cell[0]), int(cell[2])]
            place = 24 + value * (group["width"] - 48)
            assert abs((group["from"] + group["to"]) / 2 - place) <= (group["width"] - 48) / 40 + 0.1
            assert group["above"] == (value > 0.5)
            assert group["top"] > 15


@pytest.mark.parametrize("original", ["O_2", "O_3"])
def test_what_stands_right_of_the_line_is_what_is_counted(tab, original):
    tab.locator("#original").select_option(original)
    for threshold in (0, 0.08, 0.3, 0.35, 0.47, 0.49, 0.5, 0.9, 0.92, 0.93, 1):
        found = moved(tab, {"#threshold": threshold})[0]
        for side, panel in zip(SIDES, dots(tab), strict=True):
            line = next(24 + threshold * (group["width"] - 48) for group in panel.values())
            right = [group for group in panel.values() if group["from"] > line]
            assert all(group["to"] < line for group in panel.values() if group not in right)
            assert sum(group["people"] for group in right) == found[f"above-{side}"]
            assert all(group["above"] == (group in right) for group in panel.values())


def test_no_dot_covers_another(tab):
    covered = """() => [...document.querySelectorAll('.panel')].map(panel => {
      const all = [...panel.querySelectorAll('.people')].flatMap(e => [...e.getAttribute('d').matchAll(/M([-0-9.]+) ([-0-9.]+)/g)]
        .map(([, x, y]) => [Number(x), Number(y), Number(e.getAttribute('stroke-width'))]));
      return all.filter(([x, y, w], k) => all.slice(k + 1).some(([a, b]) => Math.hypot(x - a, y - b) < w)).length;
    })"""
    for threshold in (0.3, 0.47, 0.5):
        moved(tab, {"#threshold": threshold})
        assert tab.evaluate(covered) == [0, 0]


# --- the first screen


def crowd(tab):
    """Each dot of the first picture by release and group, as [x, y, colour], after it has come to rest."""
    tab.evaluate("async () => { for (let k = 0; k < 2; k += 1) await new Promise(requestAnimationFrame); }")
    tab.evaluate("for (const moving of document.getAnimations()) moving.finish()")
    return tab.evaluate("""() => Object.fromEntries([...document.querySelectorAll('#crowd .dots')].map((group, k, all) => [
      `${k < all.length / 2 ? 'A' : 'B'} ${group.dataset.person}`,
      [...group.children].map(dot => { const box = dot.getBoundingClientRect(), svg = dot.ownerSVGElement.getBoundingClientRect();
        return [box.x + box.width / 2 - svg.x, box.y + box.height / 2 - svg.y, getComputedStyle(dot).fill, box.width]; }),
    ]))""")


def test_the_picture_is_in_the_first_screen_before_and_after_the_vote(browser, tmp_path):
    first_screen(browser, tmp_path, page(LESSON), moving="#crowd", answer="#said", press="[data-vote=A]")


@pytest.mark.parametrize(
    ("vote", "answer"),
    [
        ("A", "You published A. 93 people over 65 with asthma can now be guessed right in 92 of 100 tries. With B nobody is above 50 %."),
        ("B", "You published B: nobody is above 50 %. With A, the lower average, it would be 92 % for 93 people over 65 with asthma."),
    ],
)
def test_a_vote_is_answered_and_kept_in_the_address(lesson, vote, answer):
    afresh(lesson)
    assert lesson.locator("#said").inner_text() == ""
    assert lesson.locator("main summary:visible").count() == 0
    assert "92" not in lesson.locator("main").aria_snapshot()
    lesson.locator(f"[data-vote={vote}]").press("Enter")
    for _ in range(2):
        assert lesson.locator("#said").inner_text().replace("\u00a0", " ") == answer
        assert lesson.locator(f"[data-vote={vote}]").get_attribute("aria-pressed") == "true"
        assert lesson.locator("summary", has_text="Why is A worse?").is_visible()
        assert lesson.locator("#person").inner_text().startswith("\u25cf above 50")
        lesson.reload()
    assert f"vote={vote}" in lesson.url


def test_the_patients_move_from_the_average_to_their_risk(lesson):
    afresh(lesson)
    before = crowd(lesson)
    lesson.locator("[data-vote=A]").click()
    after = crowd(lesson)
    width = lesson.locator("#crowd").bounding_box()["width"]
    colours = {}
    for release, name in (("A", "b"), ("B", "g")):
        q = individual_cap(ORIGINALS["O_3"], S[name]).values
        start = [dot for key, dots in before.items() if key[0] == release for dot in dots]
        assert len(start) == 900
        assert np.mean([x for x, *_ in start]) == pytest.approx(
            24 + (width - 48) * float(average_cap(ORIGINALS["O_3"], S[name])), abs=0.02 * width
        )
        for i, j in CELLS:
            if not ORIGINALS["O_3"][i, j]:
                continue
            dots = after[f"{release} {i}-{j}"]
            assert len(dots) == ORIGINALS["O_3"][i, j]
            assert np.mean([x for x, *_ in dots]) == pytest.approx(24 + (width - 48) * q[i, j], abs=0.03 * width)
            colours.setdefault((i, j), set()).update(colour for _, _, colour, _ in dots)
    orange = {cell for cell, found in colours.items() if found == colours[1, 2]}
    assert all(len(found) == 1 for found in colours.values())
    assert orange == {(1, 1), (1, 2)}


def test_no_patient_covers_another(lesson):
    afresh(lesson)
    for vote in (None, "A"):
        if vote:
            lesson.locator(f"[data-vote={vote}]").click()
        dots = np.array([dot[:2] + dot[3:] for group in crowd(lesson).values() for dot in group])
        assert len(dots) == 1800
        far = np.hypot(*(dots[:, None, :2] - dots[None, :, :2]).transpose(2, 0, 1)) + np.eye(len(dots)) * 1e3
        assert (far > 0.9 * dots[:, 2].min()).all()


def test_a_patient_is_named_by_the_pointer_and_by_the_keyboard_in_both_releases(lesson):
    afresh(lesson)
    lesson.locator("[data-vote=B]").click()
    dots = crowd(lesson)["B 1-2"]
    box = lesson.locator("#crowd").bounding_box()
    lesson.mouse.move(box["x"] + dots[5][0], box["y"] + dots[5][1])
    said = lesson.locator("#person").inner_text().replace("\u00a0", " ")
    assert said == "93 people over 65 with asthma: risk 92 % with A, 49 % with B."
    assert lesson.locator("#crowd .chosen").count() == 2
    lesson.locator("#changed").focus()
    lesson.keyboard.press("Tab")
    lesson.keyboard.press("ArrowRight")
    said = lesson.locator("#person").inner_text().replace("\u00a0", " ")
    assert said == "78 people aged 40 to 65 with asthma: risk 56 % with A, 35 % with B."
    assert "78 people aged 40 to 65 with asthma" in lesson.evaluate("document.activeElement.getAttribute('aria-label')")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_patients_move_unless_motion_is_to_be_reduced(motion, lesson):
    lesson.emulate_media(reduced_motion=motion)
    dot = "() => document.querySelector('#crowd [data-person=\"1-2\"] circle').getBoundingClientRect().x"
    moved = False
    for _ in range(5):  # on a busy machine they may have arrived before the first look
        afresh(lesson)
        lesson.locator("[data-vote=A]").click()
        numbers(lesson)
        there = lesson.evaluate(dot)
        lesson.wait_for_timeout(300)
        moved = lesson.evaluate(dot) != there
        if moved:
            break
    assert moved == (motion == "no-preference")


# --- A is made safe

HALF = 0.5 + 1e-12


def exposed(o, s):
    """People above one half."""
    return o[(individual_cap(o, s).values > HALF)].sum()


def test_each_step_to_a_safe_release_is_one_record_and_no_fewer_records_do_it(lesson):
    """On random tables: what the page does, beside all releases with the same key totals."""
    rng = np.random.default_rng(5)
    for _ in range(TABLES):
        o, s = rng.integers(0, 4, (2, 3, 2)) * (rng.random((2, 3, 2)) < 0.8)
        steps = np.array(lesson.evaluate("([o, s]) => safer(o, s)", [o.tolist(), s.tolist()]))
        assert (steps[0] == s).all()
        assert (np.abs(np.diff(steps, axis=0)).sum((1, 2)) == 2).all()
        assert (steps.sum(1) == s.sum(0)).all()
        for j in (0, 1):
            splits = [(a, b, s[:, j].sum() - a - b) for a in range(s[:, j].sum() + 1) for b in range(s[:, j].sum() - a + 1)]
            safe = [split for split in splits if not exposed(o[:, [j]], np.array(split)[:, None])]
            if safe:
                assert not exposed(o[:, [j]], steps[-1][:, [j]])
                assert np.abs(steps[-1][:, j] - s[:, j]).sum() == np.abs(np.array(safe) - s[:, j]).sum(1).min()


def test_a_is_made_safe_with_one_press_and_its_average_rises(lesson):
    o, a = ORIGINALS["O_3"], S["b"]
    afresh(lesson)
    assert lesson.locator("#make-safe").is_hidden()
    lesson.locator("[data-vote=A]").click()
    before = crowd(lesson)
    lesson.locator("#make-safe").click()
    wait_for(lesson, "document.querySelector('#changed').value === '110'")
    safe = np.array(lesson.evaluate("drawn.A"))
    assert np.abs(safe - a).sum() / 2 == 110
    assert exposed(o, safe) == 0
    assert float(average_cap(o, safe)) > float(average_cap(o, S["g"])) > float(average_cap(o, a))
    said = (
        f"Nobody is above 50 % with A now. Yet its average rose from {100 * float(average_cap(o, a)):.0f} % to "
        f"{100 * float(average_cap(o, safe)):.0f} %: watch people, not the average. Price: 110 of 900 records are changed."
    )
    for _ in range(2):
        assert lesson.locator("#said").inner_text().replace("\u00a0", " ") == said
        who = lesson.locator("#person").inner_text().replace("\u00a0", " ")
        assert who == "\u25cf above 50 % before: 93 people over 65 with asthma, 78 people aged 40 to 65 with asthma."
        assert numbers(lesson)["average-a"] == pytest.approx(float(average_cap(o, safe)), abs=1e-12)
        lesson.reload()
    after, width = crowd(lesson), lesson.locator("#crowd").bounding_box()["width"]
    q = individual_cap(o, safe).values
    for i, j in CELLS:
        if o[i, j]:
            assert np.mean([x for x, *_ in after[f"A {i}-{j}"]]) == pytest.approx(24 + (width - 48) * q[i, j], abs=0.03 * width)
            assert {dot[2] for dot in after[f"A {i}-{j}"]} == {dot[2] for dot in before[f"A {i}-{j}"]}  # who they were
    lesson.locator("#make-safe").click()
    wait_for(lesson, "document.querySelector('#changed').value === '0'")
    assert lesson.locator("#said").inner_text().startswith("You published A.")


def test_the_records_are_changed_with_the_keyboard_and_every_sentence_follows(lesson):
    o = ORIGINALS["O_3"]
    afresh(lesson)
    lesson.locator("[data-vote=B]").click()
    lesson.locator("#changed").focus()
    lesson.keyboard.press("End")
    lesson.keyboard.press("ArrowLeft")
    found, table = numbers(lesson), np.array(lesson.evaluate("drawn.A"))
    assert found["changed"] == 109
    assert found["average-a"] == pytest.approx(float(average_cap(o, table)), abs=1e-12)
    said = lesson.locator("#said").inner_text().replace("\u00a0", " ")
    above, highest = f"{exposed(o, table)} people are above 50 %", 100 * individual_cap(o, table).values[o > 0].max()
    average = 100 * float(average_cap(o, table))
    assert said == f"{above}, the highest at {float(f'{highest:.1f}'):g} %. The average rose from 31 % to {average:.0f} %."
    lesson.keyboard.press("Tab")
    risk = 100 * individual_cap(o, table).values[1, 2]
    assert f"93 people over 65 with asthma: risk {risk:.0f} % with A" in lesson.locator("#person").inner_text().replace("\u00a0", " ")
    lesson.locator("summary", has_text="Eight questions").click()  # which are about A as it was
    assert numbers(lesson)["changed"] == 0
    assert lesson.locator("#said").inner_text().startswith("You published B")


def test_a_safe_release_is_in_the_first_screen_and_read_within_a_minute(browser, tmp_path):
    for width, height in ((1280, 800), (375, 740)):
        with opened(browser, tmp_path, page(LESSON), width=width, height=height) as tab:
            seconds = len(tab.locator("h1, .thesis").all_inner_texts()[1].split()) / 3.3
            for press, changed in (("[data-vote=A]", 0), ("#make-safe", 110)):
                tab.locator(press).click()
                wait_for(tab, f"document.querySelector('#changed').value === '{changed}'")
                seconds += 3 + len(tab.locator("#said").inner_text().split()) / 3.3
            for seen in ("#said", "#make-safe", "#changed", "#crowd", "#person"):
                assert inside(tab, seen, height), seen
            assert seconds < 40


# --- other releases and other people


def test_another_original_has_other_people(tab):
    tab.locator("[data-side=left] [data-people='1-2']").focus()
    numbers(tab)
    tab.locator("#original").select_option("O_2")
    numbers(tab)
    assert tab.locator("#who").inner_text().startswith("Point at a dot")
    assert tab.locator("output[data-name=people]").first.inner_text() == "1,000"


def test_a_share_in_place_of_a_count_is_told(tab):
    for share, told in ((0.19, "this is the right share"), (0.3, "this is a share")):
        assert told in judged(tab, "above", share)[1]


def test_nine_hundred_people_with_one_risk_fit_in(tab):
    put(tab, left=np.ones((3, 3), int), right=np.zeros((3, 3), int))
    for panel in dots(tab):
        assert sum(group["people"] for group in panel.values()) == 900
        assert min(group["top"] for group in panel.values()) > 15


def test_the_dots_are_walked_with_the_keyboard_from_the_highest_risk_and_light_up_on_both_sides(tab):
    tab.locator("#threshold").focus()
    while not tab.evaluate("document.activeElement.classList.contains('people')"):
        tab.keyboard.press("Tab")
    numbers(tab)
    who = tab.locator("#who").inner_text().replace("\u00a0", " ")
    assert who.startswith("93 people over 65 with asthma: risk 92.2 % with A, 49.2 % with B.")
    assert "A: 213 of the 231 records over 65 have asthma." in who
    assert tab.locator(".people.chosen").count() == 2
    found = []
    for _ in range(8):
        found.append(tab.evaluate("document.activeElement.dataset.people"))
        tab.keyboard.press("ArrowRight")
    numbers(tab)
    q = individual_cap(ORIGINALS["O_3"], S["b"]).values
    held = sorted((cell for cell in CELLS if ORIGINALS["O_3"][cell]), key=lambda cell: -q[cell])
    assert found == [f"{i}-{j}" for i, j in [*held, held[-1]]]
    assert tab.locator("#who").inner_text().startswith("59 people over 65 with heart disease")
    tab.keyboard.press("Home")
    assert tab.evaluate("document.activeElement.dataset.people") == "1-2"


def test_the_threshold_is_moved_with_the_keyboard(tab):
    tab.locator("#threshold").focus()
    for _ in range(6):
        tab.keyboard.press("ArrowRight")
    found = numbers(tab)
    assert found["threshold"] == 0.56
    assert found["above-left"] == 93
    tab.keyboard.press("Home")
    assert numbers(tab)["above-left"] == 900


def test_a_count_of_three_digits_fits_into_its_field_on_a_phone(browser, tmp_path):
    with opened(browser, tmp_path, page("average"), width=375, height=740) as tab:
        predicted(tab)
        for fold in ("#explore", ".typing"):
            tab.locator(f"{fold} > summary").click()
        room = tab.locator(".grid input").evaluate_all(
            """all => all.map((field) => {
              const style = getComputedStyle(field), text = document.createElement("canvas").getContext("2d");
              text.font = style.font;
              return field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - text.measureText("999").width;
            })"""
        )
        assert len(room) == 27
        assert min(room) > 2


def test_a_finger_asks_who_a_dot_is(browser, tmp_path):
    with opened(browser, tmp_path, page("average"), width=375, height=800, has_touch=True, is_mobile=True) as tab:
        predicted(tab)
        tab.locator("#explore > summary").tap()
        numbers(tab)
        group = tab.locator("[data-side=right] [data-people='1-2']")
        group.scroll_into_view_if_needed()
        box = group.bounding_box()
        tab.touchscreen.tap(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.6)
        numbers(tab)
        assert tab.locator("#who").inner_text().startswith("93 people over 65 with asthma")


def test_random_tables_have_900_people_and_the_start_comes_back(tab):
    for which in ("left", "right", "o"):
        tab.locator(f"[data-do={which}]").click()
    assert numbers(tab)["people"] == 900
    assert tab.locator("#original").input_value() == tab.locator("[data-release=left]").input_value() == "own"
    tab.locator("[data-do=start]").click()
    agree(numbers(tab), expected(ORIGINALS["O_3"], S["b"], S["g"], 0.5))


def test_without_people_there_is_nothing_to_see_and_no_error(tab):
    put(tab, o=np.zeros((3, 3), int))
    assert dots(tab) == [{}, {}]
    assert np.isnan(numbers(tab)["average-left"])


# --- questions


def test_the_right_answers_are_right(tab):
    """tests/lessons/test_wrong_answers.py has wrong ones."""
    for name, answer in {"lower": "S_b", "above": 171, "riskiest": "1-2", "others": 0.49, "why": "safe"}.items():
        state, verdict = judged(tab, name, answer)
        assert (state, verdict[:7]) == ("right", "Right. "), name


def test_a_threshold_with_more_people_above_it_in_s_g(tab):
    assert "at 50\u00a0% there are 171 people with A and 0 with B" in judged(tab, "turned")[1]
    moved(tab, {"#threshold": 0.3})
    assert judged(tab, "turned")[0] == "right"
    tab.locator("#original").select_option("O_1")
    assert "Back to A and B" in judged(tab, "turned")[1]


def test_a_release_with_a_low_average_and_nobody_at_risk(tab):
    assert "A has an average of 30.7\u00a0% and a highest risk of 92.2\u00a0%" in judged(tab, "better")[1]
    put(tab, right=[[1, 1, 1], [1, 1, 1], [1, 1, 1]])
    assert judged(tab, "better")[0] == "wrong"
    put(tab, right=[[5, 2, 1], [5, 5, 4], [0, 3, 5]])
    assert judged(tab, "better")[0] == "right"
    tab.locator("#original").select_option("O_4")
    assert "choose clinic 3" in judged(tab, "better")[1]


def test_the_same_average_with_other_people_at_risk(tab):
    assert "the averages are 30.7\u00a0% and 34.9\u00a0%" in judged(tab, "blind")[1]
    tab.locator("#original").select_option("O_1")
    assert judged(tab, "blind")[0] == "right"
    tab.locator("[data-release=left]").select_option("S_g")
    assert "the averages are the same; the highest risk is" in judged(tab, "blind")[1]


def test_the_answer_in_words_has_the_numbers_of_the_library(tab):
    text = tab.locator("#answer").inner_text().replace("\u00a0", " ")
    assert "93 people over 65 with asthma have a risk of 92 %" in text
    assert "nobody is above 49 %" in text
    assert f"{ORIGINALS['O_3'][[0, 2], 2].sum()} other people have a risk below 10 %" in text
    assert "judgement" in text


def test_a_question_brings_its_own_tables(tab):
    tab.locator("#original").select_option("O_1")
    tab.locator("[data-go=why]").click()
    assert numbers(tab)["above-left"] == 171
    for which in ("left", "o"):
        tab.locator(f"[data-do={which}]").click()
    held = {name: count for name, count in numbers(tab).items() if name.startswith("cap-left")}
    tab.locator("[data-go=better]").click()
    assert {name: count for name, count in numbers(tab).items() if name in held} == held  # a release of one's own is kept
    assert tab.locator("#original").input_value() == "O_3"
