"""The README's code runs as it stands and prints what it says, its commands work, and its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import capstats
from capstats.cap import average_cap, individual_cap
from capstats.cli import main
from capstats.datasets import paper_originals, paper_synthetics
from capstats.paper import printed_values

ROOT = Path(__file__).parents[1]
README, INDEX = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/index.md"))
(CODE,) = re.findall(r"```python\n(.*?)```", README, re.S)


def test_the_code_runs_prints_the_numbers_beside_it_and_has_ten_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(CODE.split("\n\n")) == 2
    assert len([line for line in CODE.splitlines() if line]) == 10
    exec(CODE, {})
    printed = capsys.readouterr().out
    said = [x for comment in re.findall(r"print\(.*# (.*)", CODE) for x in re.findall(r"\d+\.\d+(?: %)?", comment)]
    assert said == ["84.3 %", "51.4 %", "84.8 %", "0.843"]
    assert [x for x in said if x not in printed] == []
    assert "educ = Advanced degree" in printed
    assert "shapley" in printed
    assert "vote" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_its_average_is_that_of_the_first_page_of_a_report_with_nearest_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With a release that lacks keys: version 1 of the average is another number."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(CODE.partition("print(")[0].replace("frac=1", "n=40"), names)
    (call,) = re.findall(r"print\((.*)\.item\(\)\)  # [\d.]+: any measure takes the tables", CODE)
    measures = capstats.audit(names["original"], names["release"], keys=["educ", "PID"], target="vote", copy_columns=0).measures
    found = eval(call, names).item()
    assert found == measures.average_cap_nearest.item()
    assert found > measures.average_cap_zero.item() + 0.05


def test_the_pages_that_one_reads_first_have_the_sentence_of_the_front_sheet_and_no_average_without_its_version() -> None:
    sentence = "A matching record drawn at random is right about {} people; naming the commonest answer, {} ("
    voters = sentence.format("731 of 944", 847)
    pages = {"README.md": voters, "docs/index.md": voters, "docs/custodians/interpret-a-report.md": voters}
    for page, says in (pages | {"docs/start.md": sentence.format("523 of 600", 553)}).items():
        text = (ROOT / page).read_text(encoding="utf-8")
        assert says in " ".join(text.split()), page
        assert "guessed right with this release" not in text, page
        assert not re.search(r"measures\.average_cap\b", text), page
    start, glossary = ((ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("start.md", "glossary.md"))
    assert "*average CAP (nearest keys)*" in start
    entry = glossary.partition("### average CAP\n")[2].partition("\n## ")[0]
    assert [name for name in ("*Average CAP (nearest keys)*", "[Version 1]", "[version 2]") if name not in entry] == []


def test_the_command_on_two_files_writes_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"`capstats (audit .*?)`", README)
    people = pd.DataFrame({"age": ["30", "40"] * 20, "sex": ["f", "f", "m", "m"] * 10, "region": "north", "income": ["low", "high"] * 20})
    people.to_csv("original.csv", index=False)
    people.iloc[:30].to_csv("synthetic.csv", index=False)
    assert main(shlex.split(command)) == 0
    assert "income" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_commands_stand_in_it() -> None:
    for command in (
        "python -m pip install . && capstats paper --out paper",
        'python -m pip install -e ".[test]" && python -m pytest',
        "python -m venv .venv",
        "uv run capstats paper --out paper",
        "uv run --extra test python -m pytest",
        'python -m pip install -e ".[docs]" && python -m sphinx -c docs . site',
        "`capstats lesson`",
    ):
        assert command in README


def test_every_link_and_picture_of_it_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 20
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_it_opens_with_the_picture_and_is_short() -> None:
    assert README.index("](docs/thesis.svg)") < README.index("## Two commands")
    assert len(README.splitlines()) <= 110


def test_the_first_page_of_the_site_has_the_same_picture_command_and_answer() -> None:
    """tests/test_pages.py runs the command of the first page."""
    picture = r"!\[The lower average exposes 93 people\.[^]]+\]"
    assert re.findall(picture, README) == re.findall(picture, INDEX) != []
    assert re.findall(r"```console\n(.*?)```", README, re.S) == re.findall(r"```console\n(.*?)```", INDEX, re.S) != []
    scale = r"!\[A scale: [^]]+\]"
    assert re.findall(scale, README) == re.findall(scale, INDEX) != []
    for page in (README, INDEX):
        assert re.search(r"The 93 are (those )?over 65 (with|and have) asthma", page)
    ways = ("I have two files", "I have a number", "I teach", "I want proofs")
    assert [way for way in ways if f"**{way}**" not in README or f"**[{way}](" not in INDEX] == []


def test_the_number_of_printed_values_is_the_one_that_it_names() -> None:
    assert f"recomputes all {len(printed_values())} numbers that the paper prints" in README


def test_its_speeds_are_those_on_the_page_of_cost_and_scale() -> None:
    said, cost = (" ".join(text.split()) for text in (README, (ROOT / "docs" / "cost-and-scale.md").read_text(encoding="utf-8")))
    assert "10 million records with categorical columns in 0.1 seconds" in said
    assert "| pandas categorical | `groupby(...).size()` | 0.04 | 0.10 |" in cost
    assert "100 million in 6 seconds with 255 MB" in said
    assert "counted in 6 seconds under a memory limit of 1 GB, with a peak of 255 MB" in cost


def test_it_leads_to_every_page_of_the_documentation() -> None:
    """All but those that the site alone needs, its first page and its list of notebooks, and the examination, to which the plans lead."""
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    pages -= {f"docs/{name}.md" for name in ("index", "notebooks", "exam")}
    folders = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*/index.md") if path.parent.name != "api"}
    assert pages >= {"docs/start.md", "docs/gallery.md"}
    assert sorted(page for page in pages | folders if f"]({page})" not in README) == []


def test_what_makes_the_riskier_release_safe_is_what_both_first_pages_say() -> None:
    """In each column no diagnosis keeps more than half of the records; those above go to the commonest diagnosis of the patients."""
    o, a = (x.values for x in (paper_originals().sel(original="O_3"), paper_synthetics().sel(synthetic="b")))
    safe = np.minimum(a, a.sum(axis=0) // 2)
    changed = (a - safe).sum(axis=0)
    safe[o.argmax(axis=0), np.arange(3)] += changed
    assert individual_cap(o, safe).max() <= 0.5
    average = f"{100 * average_cap(o, safe).item():.0f}"
    for page in (README, INDEX):
        said = r"give (\d+) of its (\d+) records the commonest diagnosis of their age: .* \*rises\* to (\d+) %"
        found = re.search(said, page.replace("\n", " "))
        assert found is not None
        assert found.groups() == (str(changed.sum()), str(a.sum()), average)
