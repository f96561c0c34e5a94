"""The article in ``article/`` has the form that its journal asks for, says what the library computes, and is built without a network."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

from capstats import average_cap, correct_predictions
from capstats.datasets import paper_originals, paper_synthetics
from capstats.laws import Uniform, cap_law
from capstats.paper import printed_values

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "article"
HEADER, BODY = (FOLDER / "paper.md").read_text(encoding="utf-8").removeprefix("---\n").split("---\n", maxsplit=1)
SAID = " ".join(BODY.split())
ENTRIES = {
    key: dict(re.findall(r"^  (\w+) = \{(.*?)\},?$", fields, re.M | re.S))
    for key, fields in re.findall(r"^@\w+\{(\w+),\n(.*?)^\}", (FOLDER / "paper.bib").read_text(encoding="utf-8"), re.M | re.S)
}


def test_the_header_has_the_fields_of_the_journal() -> None:
    assert re.findall(r"^(\w+):", HEADER, re.M) == ["title", "tags", "authors", "affiliations", "date", "bibliography"]
    assert re.search(r"^date: \d{1,2} [A-Z][a-z]+ \d{4}$", HEADER, re.M)
    assert "bibliography: paper.bib" in HEADER
    assert re.findall(r"affiliation: (\d)", HEADER) == re.findall(r"index: (\d)", HEADER)


def test_the_sections_are_those_of_the_journal_and_the_words_as_many_as_it_allows() -> None:
    assert re.findall(r"^# (.*)", BODY, re.M) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Mathematics",
        "Research impact statement",
        "AI usage disclosure",
        "Acknowledgements",
        "References",
    ]
    assert 750 <= len(BODY.split()) <= 1750


def test_every_citation_has_an_entry_and_every_entry_is_cited() -> None:
    assert set(re.findall(r"@(\w+)", BODY)) == set(ENTRIES)
    assert len(ENTRIES) > 10


def test_every_entry_has_a_doi_or_an_address_except_the_paper_which_has_none() -> None:
    assert [key for key, fields in ENTRIES.items() if not fields.keys() & {"doi", "url"}] == ["baillargeon"]
    assert all(re.fullmatch(r"10\.\d{4,}/\S+", fields["doi"]) for fields in ENTRIES.values() if "doi" in fields)
    assert all(fields.keys() >= {"author", "title"} for fields in ENTRIES.values())


def test_labels_of_figures_and_tables_are_there_and_referred_to() -> None:
    labels = re.findall(r"\\label\{(.*?)\}", BODY)
    assert len(labels) == len(set(labels)) == 2
    assert set(re.findall(r"\\autoref\{(.*?)\}", BODY)) == set(labels)
    assert all((FOLDER / path).is_file() for path in re.findall(r"\]\((\S+?)\)", BODY))


def test_the_numbers_of_the_article_are_those_of_the_library() -> None:
    """The numbers of its figure are in test_thesis.py."""
    o_3, o_4 = (paper_originals().sel(original=label, drop=True) for label in ("O_3", "O_4"))
    a, e = (paper_synthetics().sel(synthetic=label, drop=True) for label in "ae")
    assert f"{average_cap(o_4, a):.3f} and {average_cap(o_4, e):.3f}" in SAID
    assert f"right for {correct_predictions(o_4, a):.0f} people with the one and for {correct_predictions(o_4, e):.0f} with" in SAID
    share = cap_law(o_3, Uniform()).cdf(average_cap(o_3, o_3).item()).least.item()
    assert f"the probability {share:.6f}" in SAID
    assert f"{share:.1%}".replace("%", " %") + " of all random tables" in SAID
    assert f"all {len(printed_values())} printed values" in SAID


def test_the_packages_were_compared_on_as_many_inputs_as_it_says() -> None:
    found: dict[str, list[int]] = {}
    for path in (ROOT / "tests" / "reference").glob("*.json"):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if "cases" in kept:  # others hold one worked example
            found.setdefault(f"{kept['package']} {kept['version']}", []).append(len(kept["cases"]))
    counts = {name.partition(" (")[0]: sum(cases) for name, cases in found.items()}
    of_attribution = {"sdmetrics 0.32.0": 48, "synthpop 1.9-2": 23, "synthpop 1.9-3": 2, "pycanon 1.3.6": 14, "RAPID 0.1.0": 7}
    assert counts == of_attribution | {"sdcMicro 5.8.1": 20, "ARX commit aacd487": 9}
    assert "`SDMetrics` 0.32.0 for 48 inputs, of `synthpop` 1.9-2 for 23 and 1.9-3 for 2, of `pyCANON` 1.3.6 for 14" in SAID
    assert "of `sdcMicro` 5.8.1 for 20, of ARX (commit aacd487) for 9" in SAID
    assert "and of RAPID 0.1.0 for 7 are part of the tests" in SAID


def test_the_speeds_are_those_on_the_page_of_cost_and_scale() -> None:
    cost = " ".join((ROOT / "docs" / "cost-and-scale.md").read_text(encoding="utf-8").split())
    ratios = re.findall(r"^\| `\w+` \| [\d,]+ \| ([\d,]+) \|$", BODY, re.M)
    assert len(ratios) == 3
    assert [ratio for ratio in ratios if f"{ratio} times" not in cost] == []
    assert "records are counted in 6 seconds under a memory limit of 1 GB" in SAID
    assert "records are counted in 6 seconds under a memory limit of 1 GB, with a peak of 255 MB" in cost


@pytest.mark.site
def test_it_is_built_into_one_page_that_loads_nothing() -> None:
    pytest.importorskip("pypandoc", reason="pypandoc_binary is in the extra docs")
    page = runpy.run_path(str(FOLDER / "build.py"))["page"]()
    assert re.findall(r"<(?:script|link|iframe)\b", page) == []
    assert re.findall(r"(?:src|srcset|data|poster)=[\"'](?!data:)(?!#)([^\"']+)", page) == []
    assert re.findall(r"url\((?!['\"]?(?:data:|#))", page) == []
    assert "The capstats developers" in page
    assert "Figure\N{NO-BREAK SPACE}1" in page
    assert "Table\N{NO-BREAK SPACE}1" in page
    assert "\\" not in re.sub(r"<annotation.*?</annotation>", "", page, flags=re.S)
    assert page.count("csl-entry") >= len(ENTRIES)
    assert re.search(r"src=.data:image/svg|<svg", page)
    assert "<math" in page
