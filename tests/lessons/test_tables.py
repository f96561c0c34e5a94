"""Three harmless tables: what the page concludes is true of all tables with the published counts, and is what the rule finds."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from chromium import DRAWN, opened
from lesson_controls import after, choices_that_are_right, choose, numbers_that_are_right
from lesson_pages import first_screen, judged, predicted
from scipy.optimize import Bounds, LinearConstraint, milp

from capstats import from_counts
from capstats.disclosure import Published, published_bounds
from capstats.lessons import page
from capstats.lessons.given import VOTED, given

pytestmark = pytest.mark.chromium
LESSON = "tables"
GIVEN = given(LESSON)
TABLES = [(tuple(table["columns"]), np.array(table["counts"])) for table in GIVEN["published"]]
SHAPE = (2, 3, 2)
CELLS = list(product(*map(range, SHAPE)))
BOUNDS = "([n, tables]) => propagate(n, tables).at(-1)"


def counts_of(columns, counts, shape=SHAPE, within=0):
    """A published table as a list of the cells that each count adds up, with bounds of the count."""
    cells = list(product(*map(range, shape)))
    found = []
    for place, count in np.ndenumerate(counts):
        among = [x for x, cell in enumerate(cells) if tuple(cell[c] for c in columns) == place]
        found.append({"among": among, "least": max(int(count) - within, 0), "greatest": int(count) + within})
    return found


def solutions(*tables):
    """All tables of whole numbers with these counts, by going through them cell by cell."""
    counts = [count for table in tables for count in counts_of(*table)]
    of = [[k for k, count in enumerate(counts) if x in count["among"]] for x in range(len(CELLS))]
    last = [max(count["among"]) for count in counts]
    left = [count["greatest"] for count in counts]
    found, held = [], []

    def fill(x):
        if x == len(CELLS):
            found.append(list(held))
            return
        ends = [left[k] for k in of[x] if last[k] == x]
        most = min(left[k] for k in of[x])
        for n in range(most + 1) if not ends else [ends[0]] if set(ends) == {ends[0]} and ends[0] <= most else []:
            for k in of[x]:
                left[k] -= n
            held.append(n)
            fill(x + 1)
            held.pop()
            for k in of[x]:
                left[k] += n

    fill(0)
    return np.array(found)


def certain(greatest):
    """People of VOTED whose vote is certain, from the greatest count of each cell: the other vote cannot be."""
    alone = (greatest.reshape(6, 2) == 0).any(axis=1)
    return int(np.array(VOTED).reshape(6, 2).sum(axis=1)[alone].sum())


def bounds(n, tables):
    """The rule in Python: all bounds anew from those before, until they stay."""
    lo, hi = [0] * n, [np.inf] * n
    while True:
        before = lo[:], hi[:]
        for x in range(n):
            for count in (count for table in tables for count in table if x in count["among"]):
                others = [y for y in count["among"] if y != x]
                hi[x] = min(hi[x], count["greatest"] - sum(before[0][y] for y in others))
                lo[x] = max(lo[x], count["least"] - sum(before[1][y] for y in others))
        if (lo, hi) == before:
            return {"lo": lo, "hi": hi}


# --- the example is true


def test_each_table_alone_makes_nobody_certain_and_no_count_is_below_three():
    for columns, counts in TABLES:
        assert counts.min() >= 3
        greatest = np.zeros(len(CELLS), dtype=int)
        for count in counts_of(columns, counts):  # each count is split among its cells in any way, whatever the others are
            greatest[count["among"]] = count["greatest"]
        assert certain(greatest) == 0


def test_the_three_tables_have_one_solution_and_fourteen_of_thirty_are_certain():
    found = solutions(*TABLES)
    assert found.tolist() == [np.array(VOTED).ravel().tolist()]
    assert np.sum(VOTED) == 30
    assert certain(found.max(axis=0)) == 14


def test_the_library_says_the_same():
    ages, parties, votes = GIVEN["names"]
    keys = pd.MultiIndex.from_product([ages, parties], names=["age", "party"])
    people = from_counts(np.array(VOTED).reshape(6, 2).T, key_labels=keys, target_labels={"vote": votes})
    pairs = [["age", "party"], ["party", "vote"], ["age", "vote"]]
    found = published_bounds(people, published=pairs)
    assert [found[name].item() for name in ("certain", "certain_one_by_one", "certain_from_worst")] == [14, 0, 0]
    assert found.needed.all("table").sum() == 3  # each of the three keys that are certain needs all tables
    for published in ([Published(pair, rounded=(5, "nearest")) for pair in pairs], *(pairs[:i] + pairs[i + 1 :] for i in range(3))):
        assert published_bounds(people, published=published).certain.item() == 0


@pytest.mark.parametrize("without", range(3))
def test_two_of_the_tables_make_nobody_certain(without):
    found = solutions(*(table for t, table in enumerate(TABLES) if t != without))
    assert len(found) > 50
    assert certain(found.max(axis=0)) == 0


def test_with_rounded_counts_each_person_can_have_either_vote():
    rounded = [count for columns, counts in TABLES for count in counts_of(columns, 5 * np.round(counts / 5).astype(int), within=2)]
    rows = np.array([[x in count["among"] for x in range(len(CELLS))] for count in rounded], dtype=float)
    margins = LinearConstraint(rows, [count["least"] for count in rounded], [count["greatest"] for count in rounded])
    assert margins.A @ np.array(VOTED).ravel() == pytest.approx(np.clip(margins.A @ np.array(VOTED).ravel(), margins.lb, margins.ub))
    for wanted in -np.eye(len(CELLS)):
        assert -milp(wanted, constraints=margins, integrality=np.ones(len(CELLS)), bounds=Bounds(0, np.inf)).fun >= 1


# --- the page's rule is the library's


def test_the_page_finds_what_the_rule_finds_on_random_tables(tab):
    rng = np.random.default_rng(1)
    cases = []
    for k in range(60):
        shape = tuple(int(size) for size in rng.integers(2, 5, 3))
        joint = rng.integers(0, [2, 4, 9][k % 3], shape) * (rng.random(shape) < 0.6)
        pairs = [(0, 1), (1, 2), (0, 2)][: 2 + k % 2]
        margins = [(pair, joint.sum(axis=3 - sum(pair))) for pair in pairs]
        tables = [counts_of(pair, counts, shape, within=int(k % 5 == 0)) for pair, counts in margins]
        cases.append((joint, tables))
    exact = []
    for joint, tables in cases:
        found = tab.evaluate(BOUNDS, [joint.size, tables])
        assert found == bounds(joint.size, tables)
        assert (np.array(found["lo"]) <= joint.ravel()).all()
        assert (joint.ravel() <= np.array(found["hi"])).all()
        exact += [least == most for least, most in zip(found["lo"], found["hi"], strict=True)]
    assert 0.1 < np.mean(exact) < 0.9


def test_what_the_page_says_holds_in_every_solution_of_small_random_tables(tab):
    rng = np.random.default_rng(2)
    for _ in range(30):
        joint = rng.integers(0, 3, SHAPE)
        tables = [(pair, joint.sum(axis=3 - sum(pair))) for pair in ((0, 1), (1, 2), (0, 2))]
        every = solutions(*tables)
        found = tab.evaluate(BOUNDS, [joint.size, [counts_of(*table) for table in tables]])
        assert (np.array(found["lo"]) <= every.min(axis=0)).all()
        assert (every.max(axis=0) <= np.array(found["hi"])).all()


# --- the page


def test_the_page_shows_the_published_tables_and_not_the_people(tab):
    shown = [[int(cell) for cell in table.locator("td").all_inner_texts() if cell] for table in tab.locator("#published table").all()]
    assert shown == [counts.ravel().tolist() for _, counts in TABLES]
    assert set(GIVEN) == {"ages", "names", "published"}


def test_one_press_tells_how_many_are_certain_and_what_ends_it(tab):
    ways = ["exact", "rounded", "without-0", "without-1", "without-2"]
    shown = after(tab, [[choose("way", way)] for way in ways])
    assert [found["certain"] for found in shown] == [14, 0, 0, 0, 0]
    assert all((found["people"], found["alone"]) == (30, 0) for found in shown)
    assert tab.locator("#announcer").inner_text() == "0 of 30 votes are certain; from one table alone, 0."
    assert tab.locator("#published .withdrawn caption").inner_text() == "Age and vote"
    after(tab, [[choose("way", "rounded")]])
    assert {int(n) % 5 for n in tab.locator("#published td").all_inner_texts() if n} == {0}
    assert tab.locator("#steps .certain").count() == 0


def test_the_steps_narrow_the_numbers_until_votes_are_certain(tab):
    rows = [row.locator("td").all_inner_texts() for row in tab.locator("#steps tr").all()[1:]]
    no = np.array(VOTED)[:, :, 1].ravel().tolist()
    people = TABLES[0][1].ravel().tolist()
    assert [row[0] for row in rows] == [f"0\u2013{n}" for n in people]
    assert [row[-1] for row in rows] == [
        "none" if n == 0 else f"all {n}" if n == held else str(n) for n, held in zip(no, people, strict=True)
    ]
    assert tab.locator("#steps th[scope=col]").all_inner_texts() == ["1. age and party", "2. party and vote", "3. age and vote"]
    for row, n in zip(rows, no, strict=True):
        for least, _, most in (text.partition("\u2013") for text in row[:-1]):
            assert int(least) <= n <= int(most or least)


def test_a_reason_follows_from_the_published_counts(tab):
    reason = tab.locator("#reason")
    assert reason.inner_text() == (
        "11 people aged 40 to 65 voted no, at most 3 of the centre and 3 of the right. "
        "So at least 5 are of the left, and there are just 5. "
        "All 5 people aged 40 to 65 and of the left voted no, Ann too."
    )
    told = []
    for button in tab.locator("[data-group]").all():
        button.click()
        told.append(reason.inner_text())
    assert [text.endswith("no vote among them is certain.") for text in told] == [False, True, True, True, False, False]
    assert told[5].startswith("13 people over 65 voted yes, at most 4 of the left and 4 of the centre. So at least 5 are of the right")
    assert all("Ann" not in text for text in told[1:])


def test_the_first_screen_has_the_tables_the_press_and_the_answer(browser, tmp_path):
    first_screen(browser, tmp_path, page(LESSON), moving="#published", answer=".predict .verdict")


def test_a_guess_is_answered(browser, tmp_path):
    says = {0: "Nobody from one table alone, but together: 14 of 30", 0.47: "Well guessed. 14 of 30", 1: "14 of 30 votes are certain."}
    for guess, said in says.items():
        with opened(browser, tmp_path, page(LESSON)) as tab:
            assert tab.locator("#steps").is_hidden()
            tab.locator(".predict input").fill(str(guess))
            predicted(tab)
            assert tab.locator(".predict .verdict").inner_text().startswith(said)
            assert tab.locator(".predict .truth").inner_text().endswith("14")


def test_the_keyboard_guesses_asks_for_a_reason_and_takes_a_table_away(browser, tmp_path):
    with opened(browser, tmp_path, page(LESSON)) as tab:
        tab.keyboard.press("Tab")  # the link to the page
        tab.keyboard.press("Tab")
        tab.keyboard.press("ArrowRight")
        assert tab.locator(".predict input").input_value() == "0.01"
        tab.keyboard.press("Enter")
        assert "14 of 30" in tab.locator(".predict .verdict").inner_text()
        tab.locator("[data-group='4']").focus()
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.dataset.group") == "4"
        assert tab.locator("[data-group][aria-pressed=true]").inner_text() == "over 65, centre"
        tab.locator("#ways input").first.focus()
        tab.keyboard.press("ArrowRight")
        tab.evaluate(DRAWN)
        assert tab.locator(".predict .verdict").inner_text() == "0 of 30 votes are certain."  # with rounded counts
        assert tab.locator("#result").inner_text().startswith("0 of 30 votes are certain")


# --- the questions


def test_the_questions_have_the_right_answers(tab):
    assert numbers_that_are_right(tab, "fewest", range(11)) == [4]
    assert judged(tab, "fewest", 6)[1] == "Not yet: how many of the 7 can be of the right?"
    assert choices_that_are_right(tab, "ten") == ["all"]
    assert choices_that_are_right(tab, "stops") == ["any"]


def test_the_answers_are_true():
    assert [left for left, right in product(range(5), range(4)) if left + right == 7] == [4]  # 4 of the left, at most 3 of the right
    ten = bounds(len(CELLS), [counts_of(columns, 10 * counts) for columns, counts in TABLES])
    assert 10 * certain(np.array(ten["hi"])) == 140
