"""The decision page leads to every public function, and its questions are where its contents say."""

from __future__ import annotations

import re
from pathlib import Path

from public_names import public_names

PAGE = (Path(__file__).parents[1] / "docs" / "which-measure.md").read_text(encoding="utf-8")
QUESTIONS, NAMES = PAGE.split("## Every name\n")
MEASURES = ("anonymity", "attacks", "cap", "disclosure", "laws", "peers", "screening")


def functions(*parts: str) -> set[str]:
    """Names of the public functions and classes that were written in one of these parts of capstats; all of them without any."""
    modules = tuple(f"capstats.{part}." for part in parts) or ("capstats.",)
    return {
        dotted.rpartition(".")[2]
        for dotted, x in public_names().items()
        if callable(x) and getattr(x, "__module__", "").startswith(modules)
    }


def test_every_measure_answers_a_question() -> None:
    measures = functions(*MEASURES)
    assert {"average_cap", "disco", "Law", "dp_audit", "CAPClassifier", "as_sdnist"} <= measures
    assert {name for name in measures if f"`{name}`" not in QUESTIONS} == set()


def test_every_public_function_is_in_the_table_of_names() -> None:
    lacking = {name for name in functions() if name.islower() and f"`{name}`" not in NAMES}
    assert lacking <= {"at_most", "observed_domain", "full_domain"}


def test_the_contents_list_the_questions_in_their_order() -> None:
    contents = re.findall(r"\[([^\]]*\?)\]\((#[^)]*)\)", QUESTIONS.split("\n## ", maxsplit=1)[0])
    assert [title for title, _ in contents] == re.findall(r"^### (.*)$", QUESTIONS, re.M)
    for title, anchor in contents:
        assert anchor == "#" + re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


def test_every_question_says_how_to_read_its_number_and_what_it_does_not_say() -> None:
    for question in re.split(r"^### ", QUESTIONS, flags=re.M)[1:]:
        assert question.index("\n>>> ") < question.index("**Read it") < question.index("**It does not say**") < question.index("Theory: ")
