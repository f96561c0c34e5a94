"""CITATION.cff names the project and what it implements, with DOIs that stand beside the functions."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
REFERENCES = CITATION.split("references:\n")[1].split("  - type: ")[1:]


def test_every_doi_is_one_that_a_function_or_a_page_names() -> None:
    texts = [
        path.read_text(encoding="utf-8")
        for path in [*ROOT.glob("capstats/**/*.py"), *ROOT.glob("theory/*.md"), ROOT / "theory" / "statements.toml"]
    ]
    dois = re.findall(r"^    doi: (\S+)$", CITATION, re.M)
    assert len(dois) == len(set(dois)) >= 15
    assert [doi for doi in dois if not any(f"doi.org/{doi}" in text for text in texts)] == []


def test_every_reference_has_a_title_authors_and_all_but_the_paper_a_year_and_a_doi() -> None:
    for reference in REFERENCES:
        assert re.search(r'^    title: ".+"$', reference, re.M)
        assert reference.count("family-names: ") == reference.count("given-names: ") > 0
        assert "Baillargeon" in reference or (re.search(r"^    year: \d{4}$", reference, re.M) and "    doi: " in reference), reference


def test_the_paper_and_the_licence_are_those_of_the_project() -> None:
    assert "A Closer Look at the CAP Risk Measure for Synthetic Datasets" in REFERENCES[0]
    for field in ("license: BSD-3-Clause", 'name: "The capstats developers"', "cff-version: 1.2.0", "message: "):
        assert field in CITATION
