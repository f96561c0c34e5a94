"""Pages, functions and tests name each other, and the examples on the pages run."""

import doctest
import re
from functools import cache
from pathlib import Path

import pytest
from public_names import public_names

ROOT = Path(__file__).parents[1]
THEORY = ROOT / "theory"
WITHOUT_FRONT_MATTER = {"README", "notation", "concordance"}
PAGES = sorted(page.stem for page in THEORY.glob("*.md") if page.stem not in WITHOUT_FRONT_MATTER)
SECTIONS = ["Statement", "Assumptions", "Proof", "In code", "Check", "Where it fails"]
FIELDS = ["id", "implements", "verified_by", "source"]


def text_of(page: str) -> str:
    return (THEORY / f"{page}.md").read_text(encoding="utf-8")


def front_matter(page: str) -> dict[str, str | list[str]]:
    """Read the plain YAML used on the pages: `field: text`, or `field:` and lines `  - item`."""
    opening, block, _ = text_of(page).split("---\n", 2)
    assert opening == "", f"theory/{page}.md must open with its front matter"
    entries = re.findall(r"^(\w+):(?: (.+)\n|\n((?:  - .+\n)+))", block, flags=re.MULTILINE)
    assert len(entries) == len(re.findall(r"^\w", block, flags=re.MULTILINE))
    return {field: text or re.findall(r"^  - (.+)$", items, flags=re.MULTILINE) for field, text, items in entries}


def public_functions() -> dict[str, str]:
    """Docstrings of all public callables, by their dotted names."""
    return {name: found.__doc__ or "" for name, found in public_names().items() if callable(found)}


def test_pages_have_their_front_matter_and_sections():
    for page in PAGES:
        fields = front_matter(page)
        assert list(fields) == FIELDS, page
        assert fields["id"] == page
        assert isinstance(fields["implements"], list), page
        assert isinstance(fields["verified_by"], list), page
        assert fields["source"], page
        assert re.findall(r"^## (.+)$", text_of(page), flags=re.MULTILINE) == SECTIONS, page


def test_functions_of_the_pages_exist_and_name_them():
    public, wrong = public_names(), []
    for page in PAGES:
        for dotted in front_matter(page)["implements"]:
            if dotted not in public:
                wrong.append(f"theory/{page}.md implements {dotted}, which is not public")
            elif f"theory/{page}.md" not in (public[dotted].__doc__ or ""):
                wrong.append(f"the docstring of {dotted} does not name theory/{page}.md")
    assert wrong == []


def test_pages_of_the_docstrings_exist_and_list_the_functions():
    wrong = []
    for name, doc in public_functions().items():
        for page in set(re.findall(r"theory/([\w-]+)\.md", doc)) - WITHOUT_FRONT_MATTER:
            if page not in PAGES:
                wrong.append(f"the docstring of {name} names theory/{page}.md, which does not exist")
            elif name not in front_matter(page)["implements"]:
                wrong.append(f"the docstring of {name} names theory/{page}.md, which does not implement it")
    assert wrong == []


@cache
def functions_of(file: str) -> set[str]:
    path = ROOT / file
    return set(re.findall(r"^def (\w+)\(", path.read_text(encoding="utf-8"), re.M)) if path.is_file() else set()


def test_tests_of_the_pages_exist():
    wrong = []
    for page in PAGES:
        for test_id in front_matter(page)["verified_by"]:
            file, _, function = test_id.partition("::")
            if function not in functions_of(file):
                wrong.append(f"theory/{page}.md: {test_id} does not exist")
    assert wrong == []


def run_examples(page: str, part: str) -> None:
    """Run the examples in one part of a page, which has at least one."""
    fences = re.findall(r"^```python\n(.*?)^```$", part, flags=re.MULTILINE | re.DOTALL)
    assert fences, f"theory/{page}.md: no example"
    assert all(fence.startswith(">>> ") for fence in fences)
    examples = doctest.DocTestParser().get_doctest("\n".join(fences), {}, page, f"theory/{page}.md", 0)
    report: list[str] = []
    result = doctest.DocTestRunner().run(examples, out=report.append)
    assert result.failed == 0, "".join(report)


@pytest.mark.few(28)
@pytest.mark.parametrize("page", PAGES)
def test_page_opens_with_a_motivation_and_an_example_that_runs(page):
    opening = re.split(r"^# .+$", text_of(page).split("\n## ")[0], flags=re.MULTILINE)[1]
    motivation = opening.split("```")[0].strip()
    assert motivation.endswith((".", ":")), f"theory/{page}.md has no sentence before its first example"
    run_examples(page, opening)


@pytest.mark.parametrize("page", PAGES)
def test_check_of_a_page_runs_and_prints_what_it_shows(page):
    run_examples(page, text_of(page).split("## Check\n")[1].split("\n## ")[0])


def test_index_lists_every_page_once():
    pages = re.findall(r"^\| \[([\w-]+)\]\(\1\.md\)", text_of("README"), flags=re.MULTILINE)
    assert sorted(pages) == sorted(page.stem for page in THEORY.glob("*.md") if page.stem != "README")


def test_links_between_pages_lead_somewhere():
    for page in sorted(page.stem for page in THEORY.glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+\.md)\)", text_of(page)):
            assert (THEORY / target).is_file(), f"theory/{page}.md links to {target}"


def test_concordance_calls_public_functions():
    rows = [line.split(" | ") for line in text_of("concordance").splitlines() if line.startswith("| ")]
    for package, _, _, call, _ in rows[1:]:
        if call.startswith("not provided, because "):
            continue
        names = {f"capstats.{name}" for name in re.findall(r"(?<![\w.)])((?!np\.)(?:[a-z]+\.)?[a-z_]+)\(", call)}
        assert names, f"no call in the row of {package}: {call}"
        assert names <= set(public_names()), f"{names - set(public_names())} in the row of {package}"
