"""The report of an audit: its sections, its sentences, its tables, as text and as HTML."""

import html
import re

import numpy as np
import pytest
from read_reports import grids, one_line

import capstats
from capstats import audit
from capstats.auditing.measures import SENTENCES
from capstats.reports.blocks import Alert, Grid

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

FRONT = ["At a glance", "What would lower it most", "Whom it hits", "Groups at most risk above the guess without data"]
SECTIONS = [*FRONT, "What was read", "Answer", "By health", "Details", "How to read it"]


# --- The answer


def test_the_report_says_first_what_was_read_then_the_answer_then_who_bears_the_risk(found):
    assert list(found.sections()) == SECTIONS
    lines = repr(found).splitlines()
    assert lines[0] == f"Disclosure risk of a release, {found.provenance['date']}"
    assert [line for line in lines[1:] if line and not line.startswith(" ")] == SECTIONS
    assert lines[-1] == f"  made with     capstats {capstats.__version__}"


def test_the_answer_is_sentences_with_the_numbers_worked_out_by_hand(found):
    """CAP 8/33, 25/33, 7/67 and 60/67 for 20, 30, 5 and 45 people."""
    text = one_line(found)
    assert "Somebody who knows smoking of a person (the keys) looks up the synthetic records with the same keys" in text
    assert "expected to be right for 68.4 of the 100 people in the original: a share of 68.4 % (average CAP)." in text
    assert "frequencies of health in the original is right for a share of 62.5 %. If the original itself were released" in text
    assert "released, the share would be 67 %." in text
    assert "right with probability above 50 % for 75 people (75 %), with probability above 90 % for 0 people (0 %)" in text
    assert "No synthetic record has the keys" not in text


def test_one_person_is_a_person():
    original = {"k": [*"aab"], "t": [*"xyx"]}
    text = one_line(audit(original, {"k": ["a"], "t": ["x"]}, keys="k", target="t"))
    assert "and with certainty for 1 person (33.3 %), the last by records with their own keys." in text
    assert "No synthetic record has the keys of 1 person;" in text


def test_no_number_of_a_table_below_the_front_sheet_is_a_percentage_and_nothing_is_judged(found, seven):
    for result in (found, seven):
        names = [*result.sections()]
        below = [result.sections()[name] for name in names[names.index("What was read") :]]
        tables = [block for blocks in below for block in blocks if isinstance(block, Grid)]
        assert tables
        assert not any("%" in line for table in tables for line in table.lines())
        told = repr(result) + result.to_html().partition("</style>")[2]
        assert not re.search(r"\b(safe|unsafe|good|bad|acceptable|excellent|severe)\b", told, re.IGNORECASE)


# --- Levels that do not meet

ORIGINAL = {"region": ["South", "North"] * 10, "age": ["40", "41"] * 10, "t": ["x", "y"] * 10}


def alerts(result):
    """What stands before everything else."""
    boxes = [block.text for block in result.sections()["At a glance"] if isinstance(block, Alert)]
    assert [block.text for block in result.sections()["At a glance"][: len(boxes)]] == boxes if boxes else True
    return boxes


def audited(allow_no_match=False, **changed):
    asked = {"keys": ["region", "age"], "target": "t", "allow_no_match": allow_no_match, "allow_same": True}
    return audit(ORIGINAL, {**ORIGINAL, **changed}, **asked)


def test_tables_with_the_same_levels_are_told_in_one_line():
    result = audited()
    assert "levels every table has all levels of the original, and no others" in one_line(result)
    assert alerts(result) == [SENTENCES["front"]["alike"].format(releases="this release")]


def test_a_column_that_shares_no_level_is_refused_with_cause_remedy_and_way_round():
    with pytest.raises(ValueError, match="Column 'age' has no level in common") as error:
        audited(age=["40.0", "41.0"] * 10)
    assert "numbers written in another way" in str(error.value)
    assert str(error.value).endswith("To report the tables as they are, use allow_no_match=True (--allow-no-match).")


def test_a_target_that_shares_no_level_is_refused_and_called_by_its_own_name():
    """The column "target" is stored as "target_", for a dim has that name."""
    tables = [{"k": ["a"], "target": ["x"]}, {"k": ["a"], "target": ["z"]}]
    with pytest.raises(ValueError, match="Column 'target' has no level in common"):
        audit(*tables, keys="k", target="target")


def test_the_report_of_tables_that_do_not_meet_says_it_first():
    result = audited(allow_no_match=True, age=["40.0", "41.0"] * 10)
    assert len(alerts(result)) == 1
    assert "Column 'age' has no level in common" in one_line(result).partition("What was read")[0]
    assert result.measures.average_cap_zero == 0
    assert "Column 'age' has no level in common" in html.unescape(result._repr_html_()).partition("What was read")[0]


@pytest.mark.filterwarnings("error::capstats.LevelsWarning")
def test_levels_in_another_spelling_are_said_first_without_a_warning_and_kept_with_their_numbers():
    result = audited(region=["south", "North"] * 10)
    first = one_line(result).partition("What was read")[0]
    assert "Column 'region'" in first
    assert "Likely cause: case, such as 'South' and 'south'." in first
    expected = "region of `synthetic`: 1 level of `original` (10 records) not in it; 1 level (10 records) not in `original`"
    assert expected in one_line(result)
    assert result.to_dict()["provenance"]["levels"]["region"]["synthetic"]["likely"] == {"case": 1}
    assert result.to_dict()["provenance"]["warnings"] == [alerts(result)[0]]


def test_keys_that_never_meet_are_said_first_where_all_columns_do():
    result = audited(age=["41", "40"] * 10)
    assert result.measures.matched_share == 0
    assert "No key of `original` is in `synthetic`, although each column shares levels" in one_line(result).partition("What was read")[0]


def test_a_label_that_few_records_hold_is_not_shown_as_an_example():
    few = {**ORIGINAL, "region": ["South", *["North"] * 19]}
    result = audit(few, {**few, "region": ["south", *["North"] * 19]}, keys="region", target="t")
    assert "Likely cause: case." in one_line(result)
    assert "South" not in repr(result)


def test_many_findings_are_cut_to_five_and_counted():
    columns = {f"c{i}": ["South", "North"] * 10 for i in range(8)}
    lower = {name: ["south", "North"] * 10 for name in columns}
    result = audit({**columns, "t": ORIGINAL["t"]}, {**lower, "t": ORIGINAL["t"]}, keys=list(columns), target="t")
    first = alerts(result)
    assert len(first) == 6
    assert first[-1].startswith("3 more such findings: ")


# --- Weights


def test_the_unit_of_the_weights_does_not_change_the_error_of_a_holdout():
    people = {"k": [*"aabb"] * 5, "t": [*"xxxy"] * 5, "w": [3.0, 1.0, 2.0, 4.0] * 5}
    scaled = {**people, "w": [1e6 * x for x in people["w"]]}
    one, million = (
        audit(x, people, keys="k", target="t", weights=("w", None), holdout=x, allow_same=True).measures for x in (people, scaled)
    )
    assert one.individual_disclosure_error > 0.01
    np.testing.assert_allclose(one.individual_disclosure_error, million.individual_disclosure_error, rtol=1e-12)


# --- By target level


def test_the_people_with_each_level_have_a_row(found):
    (grid,) = grids(found, "By health")
    assert grid.head == ["health", "people", "average CAP", "baseline", "> 0.5", "> 0.9", "certain"]
    assert [line[:4] for line in grid.rows] == [["Sick", "25", "0.215", "0.250"], ["Healthy", "75", "0.840", "0.750"]]


def test_levels_that_few_people_have_are_cut_and_counted():
    people = {"k": [0] * 210, "t": [x for x in range(20) for _ in range(x + 1)]}
    result = audit(people, people, allow_same=True, keys="k", target="t")
    (grid,) = grids(result, "By t")
    assert [line[0] for line in grid.rows] == [str(x) for x in range(8, 20)]
    assert "Not shown: 8 levels with fewer people." in repr(result)
    assert result.by_target.sizes["target"] == 20


def test_the_report_says_that_it_is_confidential(found):
    assert "confidential as the original is: the report names levels however few people have them" in one_line(found)


# --- sampling weights

WEIGHTED = {"k": [*"aabb"], "t": [*"xyxx"], "w": [0.5, 1.5, 1.0, 1.0]}
RELEASED = {"k": [*"aab"], "t": [*"xyx"], "w": [3.0, 1.0, 1.0]}
BY_WEIGHT = "picks one of them with a probability in proportion to its sampling weight, and takes"
AT_RANDOM = "picks one of them at random, and takes"


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
@pytest.mark.parametrize(
    ("weights", "by_weight"),
    [("w", True), (("w", None), False), ((None, "w"), True), (None, False)],
    ids=["both", "original", "release", "none"],
)
def test_the_attack_picks_by_weight_where_the_release_has_weights(weights, by_weight, several):
    """The probability of x at key a is 3/4 by weight, and 1/2 at random."""
    releases = {"one": RELEASED, "two": {**RELEASED, "t": [*"xxx"]}} if several else RELEASED
    found = audit(WEIGHTED, releases, keys="k", target="t", weights=weights)
    text, page = one_line(found), html.unescape(found.to_html())
    for told in (text, page):
        assert (BY_WEIGHT in told) == by_weight
        assert (AT_RANDOM in told) != by_weight
    assert ("a record picked with a probability in proportion to its sampling weight among them" in page) == by_weight
    assert ("the weighted share of the synthetic records with the same keys" in text) == (by_weight and not several) or several
    of_original = weights is not None and weights != (None, "w")
    assert ("The weighted mean of the CAP of all records" in page) == of_original
    assert ("the sum of the squared weighted shares of t" in text) == of_original or several
    cap = found.tables.s.sel(target="x", k="a").values.reshape(-1)[0] / found.tables.s.sel(k="a").sum("target").values.reshape(-1)[0]
    assert cap == (0.75 if by_weight else 0.5)


def test_a_difference_to_the_holdout_that_may_be_chance_is_not_said_to_be_about_individuals():
    """A holdout of one person has no error. Or more people of the holdout than of the original have the key that is easy to guess."""
    people = {"k": [*"aabbc"] * 20, "t": [*"pqpqr"] * 20, "id": list(range(100))}
    found = audit(people, people, holdout={"k": ["a"], "t": ["r"], "id": [-1]}, keys="k", target="t", allow_same=True)
    assert "The difference, 60 % (standard error undefined), is not shown to be more than chance gives" in one_line(found)
    rng = np.random.default_rng(0)

    def drawn(easy):
        keys = ["easy"] * easy + [f"k{i}" for i in rng.integers(0, 40, 600 - easy)]
        return {"k": keys, "t": ["p"] * easy + rng.choice([*"pqrstu"], 600 - easy).tolist()}

    original = drawn(300)
    found = audit(original, original, holdout=drawn(330), keys="k", target="t", allow_same=True)
    m = found.measures
    assert m.individual_gain > 3 * m.individual_gain_error
    assert m.individual_disclosure < m.individual_disclosure_error
    assert "may be chance; the front sheet compares people with others who have the same keys, which tells more." in one_line(found)
    assert "is about individuals; the rest" not in one_line(found)
