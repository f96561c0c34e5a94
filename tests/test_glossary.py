"""The glossary: each term once, with a definition, synonyms of its own, calls that exist and links that lead somewhere."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from public_names import public_names

DOCS = Path(__file__).parents[1] / "docs"
TEXT = (DOCS / "glossary.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^### (.+)\n\n((?:(?!^###? ).*\n?)*)", TEXT, re.M))
TERMS = re.findall(r"^### (.+)$", TEXT, re.M)


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def synonyms(term: str) -> list[str]:
    first = re.match(r"Also: (.+?)\.\n\n", ENTRIES[term], re.S)
    return [name.strip() for name in first[1].replace("\n", " ").split(",")] if first else []


def definition(term: str) -> str:
    return re.sub(r"^Also: .+?\.\n\n", "", ENTRIES[term], flags=re.S).split("\n\n")[0]


def test_no_term_stands_twice_and_the_order_is_alphabetical():
    assert len(TERMS) == len(set(map(slug, TERMS))) >= 60
    assert [slug(x).replace("-", "") for x in TERMS] == sorted(slug(x).replace("-", "") for x in TERMS)


def test_a_name_belongs_to_one_term():
    names = Counter(name.lower() for term in TERMS for name in [term, *synonyms(term)])
    assert [name for name, times in names.items() if times > 1] == []


def test_a_term_has_a_definition_of_a_sentence_or_three():
    for term in TERMS:
        text = definition(term)
        assert text.rstrip().endswith("."), term
        assert not re.match(r"(Symbol|Call|See)", text), term
        assert 8 <= len(text.split()) <= 75, term


def test_the_calls_exist():
    public = set(public_names())
    for call in re.findall(r"`([a-z_.]+)\(", TEXT):
        assert f"capstats.{call}" in public, call


def test_the_links_lead_to_files_and_terms():
    anchors = set(map(slug, TERMS))
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        file, _, anchor = link.partition("#")
        assert (DOCS / file).is_file() if file else anchor in anchors, link


def test_links_of_the_pages_to_the_glossary_lead_to_terms():
    anchors, found = set(map(slug, TERMS)), 0
    for page in DOCS.rglob("*.md"):
        for anchor in re.findall(r"\]\((?:\.\./|docs/)*glossary\.md#([^)]+)\)", page.read_text(encoding="utf-8")):
            assert anchor in anchors, f"{page.name} links to glossary.md#{anchor}"
            found += 1
    assert found >= 5


def test_the_symbols_are_those_of_the_notation():
    notation = (DOCS.parent / "theory" / "notation.md").read_text(encoding="utf-8")
    letters = {x for group in re.findall(r"Symbols? (.+?)\. ", TEXT) for x in re.findall(r"\$([^$]+)\$", group)}
    known = re.sub(r"\s", "", notation)
    here = {"k", "l", "t", r"\beta", r"\delta", r"\tau_b", r"q_{ij}\ltr_{ij}", "d/n"}  # letters of models, and comparisons
    assert {x for x in (re.sub(r"\s", "", letter) for letter in letters) if x not in known} <= here
