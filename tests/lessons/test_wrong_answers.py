"""Wrong answers that are another number of the page: each is told which number it is, and these numbers are right on random tables."""

import numpy as np
import pytest
from chromium import opened
from lesson_pages import judged, predicted

from capstats import average_cap, correct_predictions, individual_cap
from capstats.datasets import paper_originals, paper_synthetics
from capstats.lessons import page

pytestmark = pytest.mark.chromium
O = paper_originals().sel(original="O_3", drop=True).values  # noqa: E741
A, B = (paper_synthetics().sel(synthetic=name, drop=True).values for name in "bg")
FIRST = [round(average_cap(O, s).item() * 900) for s in (A, B, O)]
SECOND = [round(correct_predictions(O, s).item()) for s in (A, B, O)]

WRONG = {  # of each table and lesson some; that all numbers of a table are named, the last test finds
    "average": {
        "above": [
            (O[0, 2], "these are the patients over 65 with diabetes"),
            (O[:, 2].sum(), "these are the patients over 65"),
            (O[0].sum(), "these are the patients with diabetes"),
            (900 - O[:, 2].sum(), "these are all patients but those over 65"),
            (A[1, 2], "these are the records of A over 65 with asthma"),
            (B[1, 2], "these are the records of B over 65 with asthma"),
        ],
        "others": [
            (individual_cap(O, B).values[0, 2], "that is the share of those with diabetes among the records of B over 65"),
            (O[0, 2] / O[:, 2].sum(), "that is the share of those with diabetes among the patients over 65"),
            (average_cap(O, A).item(), "that is the average of A"),
            (average_cap(O, B).item(), "that is the average of B"),
            (average_cap(O, O).item(), "that is the average of the original itself"),
        ],
    },
    "guessing": {
        "itself": [
            (FIRST[0], "these are the first guesser's right guesses with release A"),
            (FIRST[1], "these are the first guesser's right guesses with release B"),
            (FIRST[2], "these are the first guesser's right guesses with the original"),
            (SECOND[0], "these are the second guesser's right guesses with release A"),
            (SECOND[1], "these are the second guesser's right guesses with release B"),
            (900 - SECOND[0], "these are the second guesser's wrong guesses with release A"),
            (900 - SECOND[1], "these are the second guesser's wrong guesses with release B"),
            (900 - SECOND[2], "these are the second guesser's wrong guesses with the original"),
            (O[:, 2].sum(), "these are the patients over 65"),
            (A[1, 2], "these are the records of A over 65 with asthma"),
        ],
    },
    "hands": {
        "predict": [  # the release is [[3, 1], [5, 11]]
            (1 / 12, "that is the share of those with asthma among the records of the release over 65"),
            (1 / 4, "that is the share of those with asthma among all original people"),
            (11 / 20, "that is the share of those over 65 with diabetes among all records of the release"),
            (average_cap([[4, 1], [6, 9]], [[4, 1], [6, 9]]).item(), "that is the average CAP of the original itself"),
        ],
        "hidden": [
            (1, "these are the original people over 65 with asthma"),
            (9, "these are the original people over 65 with diabetes"),
            (11, "these are all original people but those over 65 with diabetes"),
        ],
    },
    "protection": {
        "theta": [(O[1].sum() / 900, "that is the share of those with asthma among all patients")],
        "exposed": [(O[2].sum() / 900, "that is the share of those with heart disease among all patients")],
        "swapped": [
            (O[0].sum(), "these are the patients with diabetes"),
            (O[:, 1].sum(), "these are the patients aged 40 to 65"),
        ],
    },
}

EXPLAINED = {  # wrong answers with a sentence of their own; of numbers the last one has that of any other number
    "average": {
        "above": [93, 78, 0, 729, 900, 450, 213, 231, 263, 500],
        "riskiest": ["1-1", "2-0", "0-2"],
        "others": [0.92, 0.163, 0.103, 0.261, 0.31, 0.349, 0.33, 0.18, 0.51, 0.77],
        "why": ["fewer", "left", "keys"],
        "lower": ["S_g"],
    },
    "guessing": {
        "order": ["a", "b", "same"],
        "itself": [431, 900, 300, 380, 393, 171, 269, 204, 450],
        "agree": ["pure", "even"],
    },
    "hands": {
        "predict": [5 / 8, 3 / 20, 3 / 4, 4 / 20, 4 / 10, 2 / 7, 3 / 5, 1 / 2, 3, 0.99],
        "sum": ["same", "nothing", "depends"],
        "hidden": [20, 7, 4, 6, 0, 8],
    },
    "protection": {
        "theta": [0.486, 0.42, 0.058, 0.122, 0.5, 1, 0.365, 0.478, 463, 0.7],
        "exposed": [0.483, 0.514, 0.183, 0.5, 1, 0.9, 0.7],
        "swapped": [462, 437, 378, 450, 53, 900, 0, 600, 1000, 300],
        "epsilon": [3, 0.477, 1.386, 0.405, 0.288, -1.0986, 0.75, 0.25, 0, 2],
        "margins": ["safer", "keys"],
        "silent": ["own", "much"],
        "same": ["risk", "better"],
    },
    "tables": {"fewest": [0, 1, 2, 3, 5, 7, 9, 6], "ten": ["none", "same"], "stops": ["first", "votes", "none"]},
}


@pytest.mark.parametrize("lesson", EXPLAINED)
def test_a_wrong_answer_has_a_sentence_of_its_own_and_one_that_is_another_number_of_the_page_is_named(browser, tmp_path, lesson):
    with opened(browser, tmp_path, page(lesson)) as tab:
        predicted(tab)
        for name, answers in WRONG.get(lesson, {}).items():
            for value, said in answers:
                state, verdict = judged(tab, name, round(float(value), 3) if value < 1 else int(value))
                assert (state, verdict[: len(said) + 10]) == ("wrong", f"Not yet: {said}."), (name, value, verdict)
            assert len({said for _, said in answers}) == len(answers)
        for name, answers in EXPLAINED[lesson].items():
            found = [judged(tab, name, answer) for answer in answers]
            assert {state for state, _ in found} == {"wrong"}, name
            said = [text for _, text in found]
            assert len(set(said)) == len(answers), (name, said)
            assert [text for text in said if not text.startswith("Not yet: ") or len(text) <= 15] == []


def test_the_numbers_that_are_named_are_those_of_the_table_on_random_tables(browser, tmp_path):
    rng = np.random.default_rng(7)
    keys, targets = ["k0", "k1", "k2"], ["t0", "t1"]
    with opened(browser, tmp_path, page("average")) as tab:
        for t in rng.integers(0, 30, (200, 2, 3)):
            counts, shares = tab.evaluate(
                "([t, keys, targets]) => [countsOf(t, 'x', keys, targets), sharesOf(t, 'x', keys, targets)]", [t.tolist(), keys, targets]
            )
            found = {said: value for value, said in counts + shares}
            n, cell = t.sum(), {(i, j): t[i, j] for i in range(2) for j in range(3)}
            whose = {f"k{j} t{i}": count for (i, j), count in cell.items()}
            whose |= {f"k{j}": t[:, j].sum() for j in range(3)} | {f"t{i}": t[i].sum() for i in range(2)}
            wanted = {f"the x {who}": count for who, count in whose.items()} | {"all x": n}
            wanted |= {f"all x but those {who}": n - count for who, count in whose.items()}
            with np.errstate(invalid="ignore"):
                for (i, j), count in cell.items():
                    wanted[f"the share of those t{i} among the x k{j}"] = np.divide(count, t[:, j].sum())
                    wanted[f"the share of those k{j} among the x t{i}"] = np.divide(count, t[i].sum())
                    wanted[f"the share of those k{j} t{i} among all x"] = count / n
            wanted |= {f"the share of those t{i} among all x": t[i].sum() / n for i in range(2)}
            assert found == pytest.approx(wanted, rel=1e-12, nan_ok=True)
