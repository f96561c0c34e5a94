"""Chapters, statements, functions and tests name each other, and the examples of every statement run."""

import doctest
import re
import runpy
import tomllib
from functools import cache
from pathlib import Path

import pytest
from public_names import public_names

ROOT = Path(__file__).parents[1]
THEORY = ROOT / "theory"
STATEMENTS = tomllib.loads((THEORY / "statements.toml").read_text(encoding="utf-8"))
NOT_CHAPTERS = {"README", "notation"}
CHAPTERS = sorted(page.stem for page in THEORY.glob("*.md") if page.stem not in NOT_CHAPTERS)
FIELDS = {"chapter", "source", "implements", "verified_by"}
IN_COQ = {"coq", "coq_covers"}  # the theorems of proofs/ and what they cover, where there are any; "coq_differs" where they differ
NAMED = re.compile(r"theory/([\w-]+)\.md(?:#([\w-]+))?")


@cache
def text_of(page: str) -> str:
    return (THEORY / f"{page}.md").read_text(encoding="utf-8")


def parts(chapter: str) -> dict[str, str]:
    """The statements of a chapter by their anchors, each with its heading."""
    pieces = re.split(r'^<a id="([\w-]+)"></a>\n\n(?=## )', text_of(chapter), flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def part(statement: str) -> str:
    return parts(STATEMENTS[statement]["chapter"])[statement]


def anchors(page: str) -> set[str]:
    return set(re.findall(r'<a id="([\w-]+)"></a>', text_of(page)))


def public_functions() -> dict[str, str]:
    """Docstrings of all public callables, by their dotted names."""
    return {name: found.__doc__ or "" for name, found in public_names().items() if callable(found)}


def address(statement: str) -> str:
    return f"theory/{STATEMENTS[statement]['chapter']}.md#{statement}"


def test_statements_are_those_of_the_chapters():
    for name, fields in STATEMENTS.items():
        assert set(fields) - {"coq_differs"} in (FIELDS, FIELDS | IN_COQ), name
        assert all(fields.values()), name
    assert {chapter: list(parts(chapter)) for chapter in CHAPTERS} == {
        chapter: [name for name, fields in STATEMENTS.items() if fields["chapter"] == chapter] for chapter in CHAPTERS
    }


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_opens_with_what_it_says_and_a_picture(chapter):
    opening = text_of(chapter).partition("<a id=")[0]
    picture = re.search(r"^!\[[^]]+\]\(([^)]+)\)", opening, flags=re.MULTILINE)
    assert re.match(r"# .+\n\n[A-Z`*\"]", opening)
    assert picture, "no picture"
    assert (THEORY / picture[1]).is_file()


def test_pictures_are_those_that_their_script_draws():
    script = runpy.run_path(str(THEORY / "pictures.py"))
    stored = {file.stem: file.read_text(encoding="utf-8") for file in (THEORY / "pictures").glob("*.svg")}
    assert stored == {chapter: script["picture"](chapter) for chapter in script["DRAWN"]}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_comes_after_an_example_and_before_its_proof(statement):
    opening, stated, rest = part(statement).partition("\n**Statement**\n")
    motivation, example, _ = opening.partition("\n```python\n")
    assert stated, "no statement"
    assert example, "no example before the statement"
    assert motivation.rstrip().endswith((".", ":")), "no sentence before the first example"
    assert rest.count("<details>\n<summary>Proof</summary>\n") == 1
    assert rest.count("<details>") == rest.count("</details>")


def test_functions_of_the_statements_exist_and_name_them():
    public, wrong = public_names(), []
    for name, fields in STATEMENTS.items():
        for dotted in fields["implements"]:
            if dotted not in public:
                wrong.append(f"{name} implements {dotted}, which is not public")
            elif address(name) not in (public[dotted].__doc__ or ""):
                wrong.append(f"the docstring of {dotted} does not name {address(name)}")
    assert wrong == []


def test_statements_of_the_docstrings_exist_and_list_the_functions():
    wrong = []
    for function, doc in public_functions().items():
        for chapter, name in set(NAMED.findall(doc)):
            if chapter in NOT_CHAPTERS or (chapter in CHAPTERS and not name):
                continue
            if name not in STATEMENTS or chapter != STATEMENTS[name]["chapter"]:
                wrong.append(f"the docstring of {function} names theory/{chapter}.md#{name}, which does not exist")
            elif function not in STATEMENTS[name]["implements"]:
                wrong.append(f"the docstring of {function} names {address(name)}, which does not implement it")
    assert wrong == []


@cache
def functions_of(file: str) -> set[str]:
    path = ROOT / file
    return set(re.findall(r"^def (\w+)\(", path.read_text(encoding="utf-8"), re.M)) if path.is_file() else set()


def test_tests_of_the_statements_exist():
    wrong = []
    for name, fields in STATEMENTS.items():
        for test_id in fields["verified_by"]:
            file, _, function = test_id.partition("::")
            if function not in functions_of(file):
                wrong.append(f"{name}: {test_id} does not exist")
    assert wrong == []


@pytest.mark.parametrize("statement", STATEMENTS)
def test_examples_of_a_statement_run_and_print_what_it_shows(statement):
    fences = re.findall(r"^```python\n(.*?)^```$", part(statement), flags=re.MULTILINE | re.DOTALL)
    assert all(fence.startswith(">>> ") for fence in fences)
    examples = doctest.DocTestParser().get_doctest("\n".join(fences), {}, statement, address(statement), 0)
    report: list[str] = []
    result = doctest.DocTestRunner().run(examples, out=report.append)
    assert result.attempted > 1
    assert result.failed == 0, "".join(report)


def test_the_course_has_at_most_45_000_words():
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in THEORY.glob("*.md")) <= 45_000


def test_index_lists_every_page_once():
    pages = re.findall(r"^\| (?:\d+ )?\[[^]]+\]\(([\w-]+)\.md\)", text_of("README"), flags=re.MULTILINE)
    assert sorted(pages) == sorted(page.stem for page in THEORY.glob("*.md") if page.stem != "README")


def test_links_between_pages_lead_somewhere():
    for page in sorted(page.stem for page in THEORY.glob("*.md")):
        for target, anchor in re.findall(r"\]\((?:([\w-]+)\.md)?(?:#([\w-]+))?\)", text_of(page)):
            assert not target or (THEORY / f"{target}.md").is_file(), f"theory/{page}.md links to {target}"
            found = target or page
            assert not anchor or found not in CHAPTERS or anchor in anchors(found), f"theory/{page}.md links to {found}#{anchor}"
