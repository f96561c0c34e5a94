"""What a page of a lesson is made of: one valid HTML file that loads nothing."""

import re
import subprocess
import sys
from importlib.resources import files
from itertools import pairwise

import html5lib
import pytest

from capstats.lessons.pages import LESSONS, page

each_lesson = pytest.mark.parametrize("name", LESSONS)
LONGEST = 300  # lines of a script


def parsed(name):
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page(name))


def test_a_page_for_numbers_stands_before_the_six_lessons_in_their_order():
    assert list(LESSONS) == ["number", "hands", "average", "guessing", "law", "protection", "tables"]


@each_lesson
def test_a_page_is_valid_html_that_runs_its_own_script_and_loads_nothing(name):
    root = parsed(name)
    assert root.find("head/title").text == f"{LESSONS[name].title} - {'a page' if name == 'number' else 'a lesson'} of capstats"
    assert root.find("body/header/h1").text == LESSONS[name].title
    assert root.get("lang") == "en"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.iter():
        assert not {"src", "srcset", "action", "style", "onclick"} & set(element.keys()), element
        assert element.get("href", "#").startswith("#")
        named = [element.get("href", "#")[1:], element.get("for", ""), *element.get("aria-labelledby", "").split()]
        named += element.get("aria-describedby", "").split()
        assert set(filter(None, named)) <= set(ids)
    assert {element.tag for element in root.iter() if isinstance(element.tag, str)}.isdisjoint({"link", "iframe", "img", "object", "embed"})
    text = page(name)
    assert not re.search(r"@import|url\(|\bfetch\(|XMLHttpRequest|import\(|\beval\(|innerHTML", text)
    assert set(re.findall(r"https?://[^\"' )<]+", text)) <= {"http://www.w3.org/2000/svg"}  # a name, not an address
    (policy,) = (meta.get("content") for meta in root.iter("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    told = "".join(root.itertext())
    assert ("Average CAP is here version 1: people whose key a release lacks count 0." in told) == (name not in ("number", "tables"))
    assert ("average CAP (nearest keys)" in told) == (name == "number")


def test_a_page_names_the_lesson_that_follows():
    names = list(LESSONS)
    for name, following in pairwise(names):
        assert f"Next lesson: {LESSONS[following].title} (capstats lesson {following})" in "".join(parsed(name).itertext())
        assert f'href="{following}.html">Next lesson: {LESSONS[following].title}' in page(name, beside=names)
    assert "Next lesson" not in page(names[-1], beside=names)
    assert 'href="../lessons.html">All lessons' in page("law", home="../lessons.html")


def test_a_page_lists_the_other_lessons_with_their_files_or_commands():
    found = "".join(parsed("law").itertext())
    assert [f"{lesson.title} (capstats lesson {name})" in found for name, lesson in LESSONS.items()] == [name != "law" for name in LESSONS]
    assert '<a href="hands.html">CAP with your hands</a>' in page("law", beside=["hands"])


@pytest.mark.parametrize("wrong", ["hand", "", "all", None])
def test_an_unknown_name_is_told_with_all_names(wrong):
    with pytest.raises(
        ValueError, match=r"There is no lesson .*\. The lessons are number, hands, average, guessing, law, protection, tables\."
    ):
        page(wrong)


def test_no_script_is_long():
    scripts = [file for file in files("capstats.lessons").joinpath("templates").iterdir() if file.name.endswith(".js")]
    assert len(scripts) > 5
    for script in scripts:
        assert len(script.read_text(encoding="utf-8").splitlines()) < LONGEST, script.name


def test_listing_the_lessons_loads_no_template_engine():
    code = "import sys; from capstats.lessons.pages import LESSONS; assert 'jinja2' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
