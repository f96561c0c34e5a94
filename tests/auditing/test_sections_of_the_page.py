"""The page for the custodian has the numbers of the audit, its worst keys, and how it can be repeated."""

import html5lib
import pytest
import xarray as xr

from capstats import Audit, audit, tabulate
from capstats.auditing import sections

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

SECTIONS = [
    "What was compared", "The answer", "Who could attack, and how", "Matched people", "Distribution of the risk",
    "By t", "Certain attribution and unique people", "Which columns make the risk", "Bounds and errors",
    "Keys at the highest risk", "Levels that differ", "Definitions", "How it was computed",
]  # fmt: skip
# three keys: (a, 1) of 2 people who are certain, (b, 1) of 4 of whom 3 are right in three quarters, (c, 2) of nobody in the release
ORIGINAL = {"k": [*"aabbbbc"], "u": [1, 1, 1, 1, 1, 1, 2], "t": [*"xxxxxyx"]}
RELEASED = {"k": [*"abbbb"], "u": [1] * 5, "t": [*"xxxxy"]}


def page_of(found):
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(found.to_html())


def sections_of(found):
    return {section.find("details/summary/h2").text: section.find("details") for section in page_of(found).iterfind("body/main/section")}


def rows(section, number=0):
    """The rows of one of the tables of a section."""
    return [["".join(cell.itertext()) for cell in row] for row in list(section.iter("table"))[number].find("tbody")]


@pytest.fixture(scope="module")
def small():
    return audit(ORIGINAL, RELEASED, keys=["k", "u"], target="t")


def test_the_sections_of_one_release_are_in_the_order_of_the_questions(small):
    assert list(sections_of(small)) == SECTIONS


def test_the_numbers_are_those_worked_out_by_hand(small):
    """CAP is 1, 1, 3/4 three times, 1/4, and 4/5 of the nearest keys, which are all: 5.3 of 7; without them 4.5."""
    found = sections_of(small)
    assert "expected to be right for 5.3 of the 7 people in the original: a share of 75.7\u00a0%" in "".join(found["The answer"].itertext())
    assert rows(found["Matched people"]) == [
        ["share of people whose keys are in the synthetic data", "0.8571"],
        ["people whose keys no synthetic record has", "1"],
    ]
    certain = dict(rows(found["Certain attribution and unique people"]))
    assert certain["people guessed right with certainty"] == "2"
    assert certain["share (DiSCO)"] == "0.2857"
    assert certain["share certain in the original itself (DiO)"] == "0.4286"  # the keys a and c
    assert certain["share of people unique in the original"] == "0.1429"
    bounds = rows(found["Bounds and errors"])
    assert bounds[:2] == [
        ["average CAP, unmatched people use the nearest keys", "0.7571"],
        ["average CAP, unmatched people count 0 (version 1)", "0.6429"],
    ]
    # the squares add up to 4.39, and their deviations from 5.3/7 to 4.39 - 5.3^2 / 7; divided by 6 * 7 the square of .0951
    assert rows(found["Bounds and errors"], 1) == [
        ["average CAP, unmatched people use the nearest keys", "0.7571"],
        ["standard error, the original as a sample", f"{((4.39 - 5.3**2 / 7) / 42) ** 0.5:.4f}"],
    ]


def test_the_worst_keys_are_named_with_their_numbers(small):
    worst = sections_of(small)["Keys at the highest risk"]
    assert rows(worst, 0) == [  # together 5.3, as in the answer
        ["b, 1", "4", "4", "0.625", "2.5", "0"],
        ["a, 1", "2", "1", "1.000", "2", "2"],
        ["c, 2", "1", "0", "0.800", "0.8", "0"],
    ]
    assert rows(worst, 1) == [["a, 1", "2", "1", "1.000", "2", "2"]]


def test_the_worst_keys_are_in_the_order_of_those_guessed_right_and_the_certain_ones_in_that_of_their_number(monkeypatch):
    """Right of each key a to e: 2 of 4, 1 of 2, 2 of 2, 3 of 3, 4 of 8, and all releases are certain; of f nobody is guessed."""
    original = {"k": [*"aaaabbccdddeeeeeeeeff"], "t": [*"xxyyxyxxxxxxxxxyyyyyy"]}
    tables = tabulate(original, {"k": [*"abcdef"], "t": ["x"] * 6}, keys="k", target="t")
    measures = xr.Dataset(dict.fromkeys(["average_cap_zero", "original_cap", "baseline"], 0.5))
    found = Audit(tables, measures, xr.Dataset(), xr.Dataset(), {"columns": {"keys": ["k"], "target": ["t"]}})
    most, rare, _ = sections._worst(found, [""])
    assert [row[0] for row in most.rows] == [*"edcab"]
    assert [row[0] for row in rare.rows] == [*"cbdae"]
    for number, more in ((5, []), (4, ["1 more key with people guessed right with certainty."])):
        monkeypatch.setattr(sections, "WORST", number)
        most, rare, *rest, _ = sections._worst(found, [""])
        assert (len(most.rows), len(rare.rows), rest) == (number, number, more)


def test_columns_whose_levels_differ_most_come_first(monkeypatch):
    """Of k one record is not in the release; of u two, and two of the release are not in the original; of t three."""
    original = {"k": [*"aaaaab"], "u": [1, 1, 1, 1, 2, 2], "t": [*"xxxyyy"]}
    released = {"k": ["a"] * 6, "u": [1, 1, 1, 1, 3, 3], "t": ["x"] * 6}
    levels = tabulate(original, released, keys=["k", "u"], target="t").attrs
    grid, *rest = sections._levels(levels)
    assert [row[0].split()[0] for row in grid.rows] == ["u", "t", "k"]
    assert not rest
    for most, more in ((3, []), (2, ["Not shown: 1 more pair of tables."])):
        monkeypatch.setattr(sections, "DISAGREEING", most)
        grid, *rest = sections._levels(levels)
        assert (len(grid.rows), rest) == (most, more)


def test_levels_that_do_not_meet_have_a_row_each(small):
    table = rows(sections_of(small)["Levels that differ"])
    assert table == [["k of synthetic", "1", "1", "0", "0", "-"], ["u of synthetic", "1", "1", "0", "0", "-"]]


def test_several_releases_have_a_row_each_in_the_order_asked_for():
    found = audit(
        ORIGINAL,
        {"few": RELEASED, "all": ORIGINAL},
        keys=["k", "u"],
        target="t",
        rank_by="average_cap_nearest",
        against="few",
        utility={"u1": 0.5},
        allow_same=True,
    )
    section = sections_of(found)["The releases side by side"]
    heads = ["".join(cell.itertext()) for cell in next(section.iter("table")).find("thead/tr")]
    table = [dict(zip(heads, row, strict=True)) for row in rows(section)]
    assert [row["synthetic"] for row in table] == ["all", "few"]
    assert [row["average CAP"] for row in table] == ["0.7857", "0.7571"]  # 5.5 / 7 and 5.3 / 7
    assert [row["difference"] for row in table] == ["0.0286", "0.0000"]
    assert [row["u1"] for row in table] == ["0.5", "0.5"]
    assert {term.text for term in section.iter("dt")} == set(heads) - {"synthetic"}
    assert "The answer" not in sections_of(found)  # which the front sheet has


def test_warnings_stand_first():
    found = audit({**ORIGINAL, "k": [*"AABBBBC"]}, RELEASED, keys=["k", "u"], target="t", allow_no_match=True)
    front = page_of(found).find("body/main/div/section")
    assert [element.get("class") for element in front][1] == "alert grave"


def test_weighted_records_are_no_people():
    weighted = {**ORIGINAL, "w": [1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0]}
    found = sections_of(audit(weighted, RELEASED, keys=["k", "u"], target="t", weights=("w", None)))
    assert "Matched records" in found
    assert "weighted share of" in "".join(found["The answer"].itertext())
    # numbers count each record once, also those of the keys
    assert rows(found["Keys at the highest risk"])[:2] == [["b, 1", "4", "4", "0.625", "2.5", "0"], ["a, 1", "2", "1", "1.000", "2", "2"]]
