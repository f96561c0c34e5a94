"""Numbers as the report writes them, within its width and without control characters; HTML has the rows of the text."""

import html
import math
import re

import html5lib
import numpy as np
import pytest
from read_reports import grids, one_line, row

import capstats
from capstats import audit
from capstats.reports.blocks import STRIP, WIDTH, Dots, Facts, Grid, Listing, Mark, Picture, Scale, Terms, as_text, beside

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


def test_only_what_is_exactly_0_or_1_is_printed_so():
    """One of 3,000 people is guessed right, and all but one."""
    original = {"k": list(range(3000)), "t": [0] * 2999 + [1]}
    text = one_line(audit(original, {"k": [2999], "t": [1]}, keys="k", target="t"))
    assert "a share of <0.1 % (average CAP)" in text
    text = one_line(audit(original, {"k": list(range(2999)), "t": [0] * 2999}, keys="k", target="t", allow_no_match=True))
    assert "a share of >99.9 % (average CAP)" in text
    text = one_line(audit({"k": [0, 1], "t": [0, 0]}, {"k": [0], "t": [0]}, keys="k", target="t"))
    assert "right for a share of 100 %." in text


def test_a_number_of_people_has_one_decimal_and_ties_are_explained():
    """Three people, and two targets that tie in each key: half of each is guessed by the commonest target."""
    original = {"k": [*"aab"], "t": [*"xyx"]}
    result = audit(original, {"k": [*"aaabbb"], "t": [*"xyzxyz"]}, keys="k", target="t")
    grid = grids(result, "Details")[0]
    assert row(grid, "share without the release") == ["0.6667"]
    assert row(grid, "people guessed right by naming the commonest target") == ["1"]
    result = audit(original, {"k": [*"aabb"], "t": [*"xyxy"]}, keys="k", target="t")
    assert row(grids(result, "Details")[0], "people guessed right by naming the commonest target") == ["1.5"]
    assert "where several targets are tied, one of them is named at random" in one_line(result)


def test_large_numbers_are_written_with_separators_and_all_their_digits(found):
    original = {"k": ["a", "b"], "t": [1, 2], "w": [1_234_567_890, 5]}
    result = audit(original, {"k": ["a", "b"], "t": [1, 2], "w": [1, 1]}, keys="k", target="t", counts="w")
    assert "1,234,567,895 records" in repr(result)


def test_undefined_numbers_are_words():
    """No key of the original is in the synthetic table: version 2 is undefined."""
    result = audit({"k": ["a", "b"], "t": [1, 2]}, {"k": ["c"], "t": [1]}, keys="k", target="t", allow_no_match=True)
    assert np.isnan(result.measures.average_cap_matched.item())
    assert row(grids(result, "Details")[0], "average CAP of the matched people (version 2)") == ["undefined"]


def texts_of(result):
    """The texts of the tables and of the lists of facts of a fragment, row by row."""
    fragment = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(result._repr_html_().replace("\u00a0%", " %"))
    found = []
    for element in fragment.iter():
        if element.tag == "tr" or (element.tag == "div" and element.find("dt") is not None):
            found.append(["".join(cell.itertext()) for cell in element])
    return found


@pytest.mark.parametrize("which", ["found", "two", "seven"])
def test_html_has_the_rows_of_the_text(which, request):
    result = request.getfixturevalue(which)
    expected = []
    for blocks in result.sections().values():
        for block in blocks:
            if isinstance(block, Facts):
                for name, text in block.rows:
                    expected += [[name, text]] if name else []
                    expected[-1] += [] if name else [text]
            elif isinstance(block, Dots):
                expected += [[name, "".join("●●○"[i] * math.ceil(n) for i, n in enumerate(dots)), text] for name, dots, text in block.rows]
            elif isinstance(block, Grid):
                expected += [list(block.head)] if any(block.head) else []
                expected += [[label.strip(), *numbers] for label, *numbers in block.rows]
    assert texts_of(result) == expected


def test_html_has_the_sections_and_sentences_of_the_text(two):
    page = html.unescape(re.sub("<[^>]*>", "\n", two._repr_html_())).replace("\u00a0%", " %").splitlines()
    for name, blocks in two.sections().items():
        assert name in page
        assert all(block in page for block in blocks if isinstance(block, str))
    assert any(capstats.__version__ in line for line in page)


def test_blocks_of_a_page_alone_have_a_text_as_well():
    blocks = [
        Picture("<svg></svg>", "What it shows"),
        Terms([("term", "what it is", [("page.md", None), ("Source", "https://doi.org/10.1/x")])]),
        Listing("a = 1\nb = '\x1b'"),
    ]
    assert as_text("Title", {"Section": blocks}).splitlines() == [
        "Title",
        "",
        "Section",
        "  Figure: What it shows",
        "",
        "  term  what it is page.md Source",
        "",
        "  a = 1",
        r"  b = '\x1b'",
    ]


def test_a_scale_has_a_line_for_each_number_and_marks_the_others_in_it():
    """From 0 to 1 on 48 characters: 0.25 is the 13th of them, 0.5 the 25th; the bar of a release reaches the fresh sample."""
    marks = [
        Mark("guess", 0.0, "0 %"),
        Mark("fresh", 0.25, "25 %"),
        Mark("release", 0.5, "50 %", is_release=True, since=0.25),
        Mark("original", 1.0, "100 %"),
    ]
    assert STRIP == 48
    assert Scale(marks, "Shares.").lines() == [
        "guess     |...........:..................................:  0 %",
        "fresh     :...........|..................................:  25 %",
        "release   :...........============#......................:  50 %",
        "original  :...........:..................................|  100 %",
        "Shares.",
    ]


@pytest.mark.parametrize(("more", "parts"), [(0, [2]), (1, [1, 1])])
def test_columns_stand_beside_each_other_as_long_as_the_line_holds_them(more, parts):
    """Ten characters of labels, and columns of half of what is left of the line, two blanks before each."""
    half = (WIDTH - 2 - 10) // 2 - 2
    columns = [["x" * half, "1"], ["y" * (half + more), "2"]]
    assert [len(grid.head) - 1 for grid in beside(["", "a" * 10], columns)] == parts


def test_a_long_heading_stands_above_its_text():
    long = "a whole question, as surveys have them in the names of their columns, of more than a line of text " * 2
    assert Facts([("k", "one"), (long.strip(), "two")]).lines() == [f"{'k':<42}one", long.strip(), f"{'':<42}two"]


@pytest.mark.parametrize(
    "option", ["--null-values ' city of birth=NA'", "--rename 'synthetic.a b'=c", "'--type=-a b=number'", "--decimal ,"]
)
def test_an_option_to_paste_is_not_broken(option):
    for before in range(60, 100):
        text = f"{'word ' * (before // 5)}{'x' * (before % 5)} say {option}; and so on."
        assert any(option in line for line in as_text("title", {"section": [text]}).splitlines())
