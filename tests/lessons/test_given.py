"""The numbers in a page are those of the library."""

import json

import html5lib
import numpy as np
import pytest

from capstats import average_cap, baseline_cap, maximum_cap, minimum_cap
from capstats.datasets import paper_originals, paper_synthetics, smoking
from capstats.lessons.given import given
from capstats.lessons.pages import LESSONS, page


def test_twenty_people_have_the_risks_of_the_papers_hundred():
    o = given("hands")["o"]
    assert np.sum(o) == 20
    for measure in (baseline_cap, minimum_cap, maximum_cap, lambda o: average_cap(o, o)):
        assert float(measure(o)) == pytest.approx(float(measure(smoking().o.values)), rel=1e-12)


def test_the_people_of_the_first_lesson_and_the_hundred_may_be_among_the_patients():
    clinic = given("average")
    for counts, names in ((given("hands")["o"], given("hands")), (given("protection")["hundred"], given("hands"))):
        rows, columns = ([clinic[what].index(name) for name in names[what]] for what in ("diagnoses", "ages"))
        assert (np.array(counts) <= np.array(clinic["originals"]["O_3"])[np.ix_(rows, columns)]).all()


def test_the_release_of_the_first_lesson_is_the_papers_in_fifths():
    assert np.abs(np.array(given("hands")["s"]) - smoking().s.values / 5).max() <= 0.5


def test_the_papers_tables_are_given_by_name():
    found = given("average")
    assert found["originals"]["O_3"] == paper_originals().sel(original="O_3").values.tolist()
    assert found["synthetics"]["S_g"] == paper_synthetics().sel(synthetic="g").values.tolist()
    assert len(found["originals"]) == len(found["synthetics"]) == 4


@pytest.mark.parametrize("name", LESSONS)
def test_a_page_holds_what_is_given_as_json(name):
    root = html5lib.HTMLParser(namespaceHTMLElements=False).parse(page(name))
    (held,) = (script.text for script in root.iter("script") if script.get("id") == "given")
    held, expected = (text.replace("\u00a0", " ").replace("\\u00a0", " ") for text in (held, json.dumps(given(name))))
    assert json.loads(held) == json.loads(expected)
