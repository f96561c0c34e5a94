"""Which columns are suggested as keys and targets, and why."""

from __future__ import annotations

from typing import Any

import pytest

from capstats.describing.candidates import KEYS, MANY, ROLES, by_name, candidate, chosen, suggested


def facts(levels: int = 5, **more: Any) -> dict[str, Any]:
    return {
        "label": "",
        "levels": levels,
        "to_cut": False,
        "near_identifier": False,
        "meets": True,
        "commonest": 0.5,
        "spread": None,
        **more,
    }


@pytest.mark.parametrize(
    ("name", "role", "word"),
    [
        ("age", "key", "age"),
        ("AgeGroup", "key", "age"),
        ("sexOfChild", "key", "sex"),
        ("marital_status", "key", "marital"),
        ("native-country", "key", "country"),
        ("hh_income_2019", "target", "income"),
        ("age_at_diagnosis", "target", "diagnos"),  # what a target may be goes before what a key may be
        ("Vote", "target", "vote"),
        ("fnlwgt", "weight", "fnlwgt"),
        ("sampling.weight", "weight", "weight"),
        ("finalwgt", "weight", "wgt"),
        ("PW", "weight", "pw"),
        ("agenda", "", ""),  # short words are whole words of the name
        ("q17", "", ""),
        ("", "", ""),
    ],
)
def test_words_of_names_say_what_a_column_may_be(name: str, role: str, word: str) -> None:
    assert by_name(name)[:2] == (role, f"name ({word})" if word else "")


def test_the_label_of_a_variable_counts_where_the_name_says_nothing() -> None:
    assert by_name("v1", "Sex of respondent")[:2] == ("key", "label (sex)")
    assert by_name("v2", "Religious denomination")[:2] == ("target", "label (relig)")
    assert by_name("age", "Income")[:2] == ("key", "name (age)")


def test_no_word_stands_twice_in_the_list() -> None:
    words = [word for entries in ROLES.values() for entry in entries for word in entry]
    assert len(words) == len(set(words))
    assert all(word == word.lower() for word in words)


@pytest.mark.parametrize(
    "more", [{"meets": False}, {"levels": 1}, {"levels": 5000}, {"near_identifier": True}], ids=["apart", "constant", "many", "identifier"]
)
def test_a_telling_name_does_not_make_a_candidate_of_what_cannot_be_one(more: dict[str, Any]) -> None:
    assert candidate("sex", facts(**more)).role == ""


@pytest.mark.parametrize(
    ("name", "spread", "beside", "role"),
    [
        ("fnlwgt", (12_000, 190_000, 1_480_000), [], "weight"),
        ("pw", (0.2, 1.0, 5.5), [], "weight"),
        ("weight", (150, 2_100, 9_800), [], "weight"),
        ("weight", (0.2, 1.0, 5.5), [], "weight"),
        ("weight", (40, 71, 120), ["height"], "key"),
        ("weight", (40, 71, 120), [], "key"),
        ("weight", (95, 165, 320), ["Height (in)"], "key"),
        ("birth_weight", (900, 3_300, 5_100), [], "key"),
        ("weight", (1, 2.2, 30), [], "key"),
        ("pw", (-9, 1.0, 5.5), [], "key"),
        ("pw", None, [], "key"),
    ],
)
def test_a_weight_is_known_by_its_name_and_its_values(name: str, spread: Any, beside: list[str], role: str) -> None:
    found = candidate(name, facts(300, spread=spread, in_all=True, to_cut=True), [name, *beside])
    assert found.role == role
    assert ("say weights='" in found.reason) == (role == "weight")


def test_limits_of_levels_and_shares_are_themselves_within() -> None:
    """A plain weight needs more than 20 levels; a column without a telling name has at most 20, of which one holds at most 98 %."""
    few, more = (candidate("weight", facts(levels, spread=(0.2, 1.0, 5.5), in_all=True)) for levels in (MANY, MANY + 1))
    assert (few.role, more.role) == ("key", "weight")
    reasons = [candidate("q17", facts(levels, commonest=share)).reason for levels, share in ((MANY, 0.98), (MANY + 1, 0.5), (2, 0.981))]
    assert reasons == ["20 levels", "", ""]


def test_names_that_cannot_be_pasted_are_not_suggested() -> None:
    assert candidate("sex\nage", facts()).role == candidate("age\x1b", facts()).role == ""


def test_numbers_to_be_cut_are_candidates_however_many_levels_they_have() -> None:
    found = candidate("income", facts(5000, to_cut=True, near_identifier=True))
    assert (found.role, found.reason) == ("target", "its name (income); 5,000 levels, to be cut")


def test_suggested_keys_are_one_of_each_entry_in_the_order_of_the_list() -> None:
    names = ["education", "educ_num", "race", "sex", "age", "job", "income"]
    found = {name: candidate(name, facts(20 if name == "education" else 5)) for name in names}
    keys, targets = chosen(found)
    assert list(keys) == ["age", "sex", "race", "educ_num", "education", "job"]  # of one entry, that with fewer levels first
    assert list(targets) == ["income"]
    assert suggested(list(keys), found) == ["age", "sex", "race", "educ_num"]
    assert len(suggested(list(keys), found)) == KEYS


def test_without_telling_names_levels_and_margins_decide() -> None:
    shares = {"q1": 0.3, "q2": 0.9, "q3": 0.5, "q4": 0.2, "q5": 0.999}
    found = {name: candidate(name, facts(commonest=share)) for name, share in shares.items()}
    keys, targets = chosen(found)
    assert list(targets) == ["q2"]  # the most uneven margin, but for one that nearly all records share
    assert list(keys) == ["q4", "q1", "q3"]
    assert keys["q4"] == "by its levels alone; 5 levels"
    assert suggested(list(keys), found) == ["q4", "q1", "q3"]
    assert chosen({}) == ({}, {})
