"""The answers on the page for instructors are right."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from chromium import printed as on_paper
from noisy_mean import noisy_mean

from capstats import average_cap, baseline_cap, cap_ecdf, correct_predictions, individual_cap, maximum_cap, minimum_cap
from capstats.datasets import paper_originals, paper_synthetics
from capstats.laws import Pram, Swap, Uniform, calibrate, cap_law, dp_bound, dp_epsilon, expected_cap
from capstats.lessons.given import given

DOCS = Path(__file__).parents[1] / "docs"
PAGE, HANDOUT = ((DOCS / name).read_text(encoding="utf-8") for name in ("instructors.md", "handout.html"))
ROWS = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|(?: (.+?) \|)?$", PAGE, re.M)
TABLES = [(lesson, np.array(json.loads(table.strip("`"))), numbers) for lesson, _, table, numbers in ROWS if table.startswith("`[[")]
ANSWERS = "".join(f"{lesson}: {asked}: {answer}\n" for lesson, asked, answer, numbers in ROWS if not numbers)
HUNDRED = [[4, 1], [6, 9]]
O_1, O_3, O_4 = (paper_originals().sel(original=name, drop=True) for name in ("O_1", "O_3", "O_4"))
S = {name: paper_synthetics().sel(synthetic=name, drop=True) for name in "abeg"}


def tables(lesson: str) -> list[np.ndarray]:
    return [table for name, table, _ in TABLES if name == lesson]


def printed(lesson: str) -> list[list[float]]:
    found = [re.findall(r"(\d+(?:\.\d+)?)( %)?", numbers) for name, _, numbers in TABLES if name == lesson]
    return [[float(number) / (100 if share else 1) for number, share in of] for of in found]


def cap(original: object, release: object, **options: object) -> float:
    return float(average_cap(np.asarray(original), np.asarray(release), **options))


def test_hands() -> None:
    exposed, least, same, greatest, versions = tables("hands")
    caps = [[cap(HUNDRED, table)] for table in (exposed, least, same, greatest, versions)]
    caps[0].append(individual_cap(HUNDRED, exposed).max().item())
    caps[4] += [cap(HUNDRED, versions, unmatched="drop"), baseline_cap(HUNDRED).item()]
    for found, numbers in zip(caps, printed("hands"), strict=True):
        assert found == pytest.approx(numbers, abs=5e-4)
    assert (caps[1][0], caps[3][0]) == pytest.approx((minimum_cap(HUNDRED).item(), maximum_cap(HUNDRED).item()))
    assert caps[2][0] == pytest.approx(cap(HUNDRED, HUNDRED))
    assert not np.isclose(individual_cap(HUNDRED, same), individual_cap(HUNDRED, HUNDRED)).any()


def test_average() -> None:
    (mine,) = tables("average")
    assert [cap(O_3, mine)] == pytest.approx(printed("average")[0], abs=5e-4)
    assert cap(O_3, mine) < cap(O_3, S["b"])
    assert individual_cap(O_3.values, mine).max() <= 0.5
    above = {name: round(900 * (1 - cap_ecdf(O_3, S[name], 0.3).item())) for name in "bg"}
    assert f"30 %: {above['g']} people against {above['b']}" in ANSWERS
    assert f"{cap(O_1, S['b']):.3f}" == f"{cap(O_1, S['g']):.3f}" == "0.333"
    b, g = (individual_cap(O_1, S[name]).max().item() for name in "bg")
    assert f"33.3 %, and {100 * b:.1f} % against {100 * g:.1f} %" in ANSWERS


def test_guessing() -> None:
    for table, numbers in zip(tables("guessing"), printed("guessing"), strict=True):
        assert [cap(O_3, table), correct_predictions(O_3.values, table).item()] == pytest.approx(numbers, abs=5e-4)
    low, high = (cap(O_3, table) for table in tables("guessing"))
    assert low < cap(O_3, S["b"]) < cap(O_3, S["g"]) < high
    assert f"{correct_predictions(O_3, O_3).item():.0f}, with the original itself" in ANSWERS
    (a, b), (first_a, first_b) = (
        [f"{float(of(O_3, S[name])):.0f}" for name in "bg"] for of in (correct_predictions, lambda o, s: 900 * cap(o, s))
    )
    highest = [individual_cap(O_3, S[name]).where(O_3 > 0).max().item() for name in "bg"]
    assert highest[1] <= 0.5 < highest[0]
    said = (
        f"with B both guessers are right about more people ({first_b} and {b}, with A {first_a} and {a}), but only A has people above 50 %"
    )
    assert said in ANSWERS


def test_law() -> None:
    for table, numbers in zip(tables("law"), printed("law"), strict=True):
        assert [cap_law(table, Uniform()).cdf(cap(table, table)).least.item()] == pytest.approx(numbers, abs=5e-4)
    failing = 1 - cap_law(O_4, Uniform()).cdf(cap(O_4, O_4)).least.item()
    assert f"about {10_000 * failing:.0f}" in ANSWERS


def test_protection() -> None:
    (unrelated,) = tables("protection")
    assert cap(unrelated, unrelated) == baseline_cap(unrelated).item() == printed("protection")[0][0]
    redrawn, swapped = calibrate(O_3, Pram, risk=0.42).theta.item(), calibrate(O_3, Swap, risk=0.42).records.item()
    assert f"{100 * redrawn:.1f} % of the targets drawn anew, or {swapped:.0f} records swapped" in ANSWERS
    share = O_3.values[2].sum() / 900  # of heart disease, which all under 40 have
    assert f"{50 / (1 - share):.1f} % drawn anew" in ANSWERS
    assert f": {dp_epsilon([0.25, 0.75], 0.75).item():.3f}\n" in ANSWERS
    assert {f"{expected_cap(O_3, model).item():.4f}" for model in (Pram(theta=0.5), Swap(records=450))} == {"0.4216"}
    assert "nearly the same, 42.16 %" in ANSWERS
    assert f"a factor of at most {np.e:.2f}" in ANSWERS
    odds = np.exp(-1.0)
    response = Pram(matrix=(np.eye(3) * (1 - odds) + odds) / (1 + 2 * odds))
    noisy = noisy_mean(O_3, np.exp(-0.5))
    assert f"with at most {100 * dp_bound(O_3.values, 1.0).bound.item():.1f} %" in ANSWERS
    expected = [f"{100 * x:.1f} %" for x in (expected_cap(O_3, response).item(), noisy, cap(O_3, O_3))]
    assert "{} and {}, and that of the original {}".format(*expected) in ANSWERS


@pytest.mark.chromium
def test_the_handout_prints_on_one_sheet(tmp_path: Path) -> None:
    assert len(re.findall(rb"/Type\s*/Page\b", on_paper(tmp_path, HANDOUT))) == 1


def test_the_handout_has_four_votes_and_the_numbers_of_the_lessons() -> None:
    assert re.findall(r"<h2>(\d)\.", HANDOUT) == ["1", "2", "3", "4"]
    (rows,) = re.findall(r"<table>(.*?)</table>", HANDOUT, re.S)
    assert [int(count) for count in re.findall(r"<td>(\d+)</td>", rows)] == np.ravel(given("hands")["s"]).tolist()
    averages = [f"{100 * cap(O_3, S[name]):.0f} %" for name in "bg"]
    assert "right about {} of the people on average with release A, and about {} with release B".format(*averages) in HANDOUT


def test_the_site_leaves_out_the_examination_of_ten_questions() -> None:
    exam = (DOCS / "exam.md").read_text(encoding="utf-8")
    assert re.findall(r"^\*\*(\d+)\.\*\* ", exam, re.M) == [str(number) for number in range(1, 11)]
    assert exam.count("\n*Answer.* ") == 10
    assert 'exclude_patterns = ["docs/exam.md"]' in (DOCS / "conf.py").read_text(encoding="utf-8")
    assert "**1.** Of 100" not in PAGE
