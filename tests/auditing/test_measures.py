"""The one list: every number of an audit is in it, with words for every table that shows it, and a definition on a page that exists."""

import re
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest
from command_line import in_json, said
from read_reports import one_line

from capstats import audit
from capstats.auditing import compute
from capstats.auditing.measures import BY_COLUMN, MEASURES, TERMS, Measure, Shown, computed, definitions, in_table, words
from capstats.auditing.publication import publication
from capstats.datasets import anes96

THEORY = Path(__file__).parents[2] / "theory"
ALL = MEASURES | BY_COLUMN
PEOPLE = anes96()
GENERATED = {"generator": [PEOPLE.iloc[1::2], PEOPLE.iloc[1::3]]}
PUBLISHED = [["educ", "vote"], ["PID", "vote"]]
GIVEN = {"holdout": PEOPLE.iloc[::5], "against": "one", "population_size": 10_000, "published": PUBLISHED, **GENERATED}


NEAREST = {name for name in MEASURES if name.endswith(("_nearest", "_nearest_error"))}
ZERO = {name for name, measure in MEASURES.items() if measure.in_place_of} - {"average_cap_zero"}  # that stand in for these


def weightless(names):
    """Those that an audit of records without sampling weights has."""
    return {name for name in names if not name.endswith("_weight") and MEASURES[name].needs != "weights"}


@pytest.fixture(scope="module")
def whole():
    """An audit that has all measures except those of weights and of a table of the population."""
    releases = {"one": PEOPLE.iloc[::2], "two": PEOPLE.iloc[::3]}
    return audit(PEOPLE, releases, keys=["educ", "PID"], target="vote", allow_same=True, **GIVEN)


def test_every_number_of_an_audit_is_in_the_list_and_no_other(whole):
    assert set(whole.measures.data_vars) == weightless(computed(population=False)) - ZERO
    assert set(whole.by_column.data_vars) == set(BY_COLUMN)
    weighted = audit(PEOPLE, PEOPLE, keys="educ", target="vote", holdout=PEOPLE, weights="age", allow_same=True)
    assert set(MEASURES) - weightless(MEASURES) < set(weighted.measures.data_vars)
    of_register = audit(PEOPLE, PEOPLE, keys="educ", target="vote", population=PEOPLE, allow_same=True)
    assert {name for name, measure in MEASURES.items() if measure.needs == "population"} < set(of_register.measures.data_vars)


def test_what_an_argument_is_needed_for_is_not_computed_without_it(whole):
    releases = {"one": PEOPLE.iloc[::2], "two": PEOPLE.iloc[::3]}
    for name in GIVEN:
        found = audit(PEOPLE, releases, keys=["educ", "PID"], target="vote", allow_same=True, **{**GIVEN, name: None})
        assert set(found.measures.data_vars) == weightless(computed(**{name: False}, population=False)) - ZERO


def test_what_stands_in_for_the_nearest_keys_is_shown_where_they_would_be():
    """Where the nearest keys cannot be had, version 1 takes their places, and only there."""
    for table in get_args(Shown):
        places = [MEASURES[name].in_place_of or name for name in in_table(table, {*MEASURES} - NEAREST)]
        assert [x for x in places if x in NEAREST] == [x for x in in_table(table, {*MEASURES} - ZERO) if x in NEAREST]


def test_a_table_has_words_for_what_it_shows():
    """Rows of one release, headings of several, and a meaning beside each heading of the text; no heading of a table is that of two."""
    for table in get_args(Shown):
        shown = [MEASURES[name] for name in in_table(table, {*MEASURES} - ZERO)]
        if table in ("answer", "details", "releases"):
            assert all(measure.heading and measure.meaning for measure in shown), table
        else:
            assert all(measure.row for measure in shown), table
        headings = [measure.heading for measure in shown if measure.heading]
        assert len(set(headings)) == len(headings), table
    for measure in ALL.values():
        for text in (measure.row, measure.meaning, measure.public):
            assert "{" not in text.format(against="", **words([]))
        assert "{" not in measure.heading  # which is printed as it is


def test_each_page_exists_and_each_source_has_an_address_or_none():
    for _, meaning, more in definitions(ALL):
        (page, address), *sources = more
        chapter, _, anchor = page.partition("#")
        assert f'<a id="{anchor}"></a>' in (THEORY.parent / chapter).read_text(encoding="utf-8")
        assert address is None
        assert all(link is None or link.startswith("https://doi.org/") for _, link in sources)
        assert len(meaning) <= 2 * 140


def test_what_a_report_compares_is_explained():
    shown = {name for name, measure in ALL.items() if measure.public or name in BY_COLUMN or set(measure.tables) - {"one", "quantiles"}}
    stems = {name.removesuffix("_least").removesuffix("_greatest").removesuffix("_matched").removesuffix("average_cap") for name in shown}
    explained = {name for name, measure in ALL.items() if measure.terms}
    explained |= {name for name, measure in ALL.items() if measure.row.startswith("  ")}  # by the term of the row that they follow
    of_themselves = {"difference", "difference_error", "population_k"}  # what their own words say
    assert {name for name in stems - explained - ZERO - {""} if not name.startswith("individual_cap")} == of_themselves
    assert {term for measure in ALL.values() for term in measure.terms} == set(TERMS)


def test_a_number_that_stands_alone_is_high_against_a_fixed_value_or_a_measure_that_needs_nothing_else():
    for name, measure in MEASURES.items():
        others = [x for x in measure.high_against if x in MEASURES]
        fixed = {*measure.high_against} - {*others}
        assert all(re.fullmatch(r"[01] \(.+\)", x) for x in fixed), name
        is_alone = {"answer", "releases"} & {*measure.tables} and not measure.row.startswith("  ") and not name.endswith("_error")
        assert not is_alone or fixed or any(MEASURES[x].needs in ("", measure.needs) for x in others), name


def test_only_what_is_asked_for_is_explained():
    assert [term for term, *_ in definitions({"baseline"})] == ["baseline"]


def test_what_may_be_public_is_what_is_published_and_two_differences_of_it(whole):
    public = {name for name, measure in MEASURES.items() if measure.public}
    assert public == {*publication(whole, 2).shares, "individual_disclosure", "difference"}


def test_weighted_tables_have_meanings_of_their_own():
    """Of each table alone, and no longer than the others."""
    usual = {term: meaning for term, meaning, _ in definitions(ALL)}
    for table, terms in {"original": {"average CAP", "baseline"}, "synthetic": {"CAP of one person", "commonest target"}}.items():
        told = {term: meaning for term, meaning, _ in definitions(ALL, [table])}
        changed = {term for term in told if told[term] != usual[term]}
        assert changed == terms
        assert all("weight" in told[term] and len(told[term]) <= 2 * 140 + 40 for term in changed)
    assert "picked at random" in usual["CAP of one person"]
    assert "at random" not in dict(row[:2] for row in definitions(ALL, ["synthetic"]))["CAP of one person"]


@pytest.fixture
def added(monkeypatch):
    """A measure that is added by one entry, which names its function."""
    told = "most records of one {person}'s key"
    entry = Measure("compute.crowd", told, "crowd", told, ["answer", "details", "one", "certain", "releases"], form="count")
    monkeypatch.setattr(compute, "crowd", lambda asked: asked.o.sum("target").max("key") + 0 * asked["synthetic_records"], raising=False)
    monkeypatch.setitem(MEASURES, "crowd", entry)


@pytest.mark.usefixtures("added")
def test_one_entry_adds_a_measure_to_text_page_json_ranking_and_limits(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"k": [*"aaab"], "t": [*"xxyx"]}).to_csv("original.csv", index=False)
    for name, k in (("one", "ab"), ("two", "bb")):
        pd.DataFrame({"k": [*k], "t": [*"xx"]}).to_csv(f"{name}.csv", index=False)
    of_one = ["audit", "original.csv", "one.csv", "--keys", "k", "--target", "t"]
    text = said(capsys, 1, *of_one, "--fail-above", "crowd=2", "--html", "one.html")
    assert "most records of one person's key" in one_line(text.out)
    assert "BROKEN crowd is 3 (limit 2)" in one_line(text.out)
    assert "--fail-above: crowd is 3 (limit 2)." in text.err
    assert "most records of one person&#39;s key" in Path("one.html").read_text(encoding="utf-8")
    assert in_json(capsys, *of_one)["measures"]["crowd"] == 3
    several = audit("original.csv", ["one.csv", "two.csv"], keys="k", target="t", rank_by="crowd")
    assert several.to_frame()["crowd"].tolist() == [3, 3]
    assert "crowd" in repr(several)
    assert "in the order of crowd" in one_line(several)
    assert "most records of one person&#39;s key" in several.to_html()
    assert computed()[-1] == "crowd"
