"""A page is valid, can be read by a screen reader, loads nothing and runs nothing, whatever the labels are."""

import base64
import hashlib
import re
from importlib.resources import files
from itertools import pairwise

import html5lib
import numpy as np
import pytest
from accessible import luminance
from chromium import in_frames, listening, loaded, printed
from read_reports import public

from capstats import audit
from capstats.datasets import anes96
from capstats.reports.blocks import Facts, Grid, Listing, Picture, Terms, as_page

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

SVG = "{http://www.w3.org/2000/svg}"
LOADS = ("script", "link", "img", "iframe", "object", "embed", "base", "form", "image", "foreignObject")
CSS = files("capstats.reports").joinpath("templates/page.css").read_text(encoding="utf-8")


def voters():
    """In random order, so that the first and the last of them are random parts of one population."""
    return anes96().sample(frac=1, random_state=1)


def audited(synthetic, holdout=None, **options):
    return audit(voters().iloc[:500], synthetic, keys=["educ", "PID"], target="vote", holdout=holdout, **options)


@pytest.fixture(scope="module")
def one():
    people = voters()
    return audited(people.iloc[250:750], people.iloc[500:])


@pytest.fixture(scope="module")
def twenty():
    people = voters()
    names = [f"a-synthesiser-with-a-name-of-fifty-two-characters-{i:02d}" for i in range(20)]
    assert {*map(len, names)} == {52}
    return audited(
        {name: people.iloc[20 * i : 20 * i + 400] for i, name in enumerate(names)}, against=names[3], rank_by="average_cap_nearest"
    )


@pytest.fixture(scope="module")
def four():
    people = voters()
    return audited({f"release {i}": people.iloc[20 * i : 20 * i + 400] for i in range(4)}, against="release 3")


@pytest.fixture(scope="module")
def pages(one, four, twenty):
    return [one.to_html(), public(one), twenty.to_html(), public(four)]


def parsed(page):
    """The elements of a page that has no error."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)


def texts(element):
    return "".join(element.itertext())


# --- validity, and what a screen reader needs


def test_a_page_is_valid_html_with_landmarks_and_headings_in_order_and_a_way_to_each_section(pages):
    for page in pages:
        assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
        root = parsed(page)
        assert root.find("head/title").text
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        body = root.find("body")
        contents = body.find("nav") is not None  # the page for the custodian has folded sections in its place
        assert [child.tag for child in body] == ["a", "header", *["nav"] * contents, "main", "footer"]
        assert (body.find("main/div") is None, body.find("main/section/details") is None) == (contents, contents)
        assert body[0].get("href") == f"#{body.find('main').get('id')}"
        levels = [int(element.tag[1]) for element in body.iter() if re.fullmatch("h[1-6]", str(element.tag))]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(b <= a + 1 for a, b in pairwise(levels))
        sections = [*body.findall("main/div/section"), *body.findall("main/section")]
        headings = [next(section.iter("h2")).get("id") for section in sections]
        assert [section.get("aria-labelledby") for section in sections] == headings
        if contents:
            assert [link.get("href") for link in body.iter("a")][1 : len(sections) + 1] == [f"#{x}" for x in headings]


def test_tables_have_a_heading_for_each_row_and_column_and_scroll_in_a_box_that_the_keyboard_reaches(pages):
    for page in pages:
        body = parsed(page).find("body")
        for table in body.iter("table"):
            assert all(row[0].tag == "th" and row[0].get("scope") == "row" for row in table.find("tbody"))
            columns = table.findall("thead/tr/*")
            assert all(cell.get("scope") == "col" for cell in columns if cell.tag == "th")
            assert all(cell.tag == "th" for cell in columns[1:])
            assert len(columns) in (0, len(table.find("tbody")[0]))
        boxes = [box for box in body.iter("div") if box.find("table") is not None]
        assert len(boxes) == len(list(body.iter("table")))
        assert all(box.get("tabindex") == "0" and box.get("role") == "region" and box.get("aria-label") for box in boxes)


def test_a_figure_says_in_words_what_it_shows(pages):
    for page in pages:
        for figure in parsed(page).iter("figure"):
            (drawing,) = figure.iter(f"{SVG}svg")
            assert drawing.get("role") == "img"
            assert len(drawing.get("aria-label")) > 40
            assert texts(figure.find("figcaption"))
    assert len(list(parsed(pages[0]).iter("figure"))) == 3


def test_text_on_white_has_a_contrast_of_at_least_4_5():
    """(1 + 0.05) / (luminance + 0.05)."""
    colours = {name: ("#" + "".join(2 * c for c in x) if len(x) == 3 else f"#{x}") for name, x in re.findall(r"--(\w+): #(\w+);", CSS)}
    assert set(colours) == {"ink", "soft", "link", "line", "sure", "likely"}
    assert all(1.05 / (luminance(colours[name]) + 0.05) >= 4.5 for name in ("ink", "soft", "link", "sure"))
    assert 1.05 / (luminance(colours["likely"]) + 0.05) >= 3  # of dots, whose number stands beside them
    assert set(re.findall(r"(?<![-\w])color: ([^;]+);", CSS)) <= {"var(--ink)", "var(--soft)", "var(--link)", "inherit"}


# --- nothing is loaded, nothing runs


def test_a_page_has_no_script_and_nothing_to_load_and_allows_its_own_style_alone(pages):
    for page in pages:
        root = parsed(page)
        (style,) = root.iter("style")
        (policy,) = (meta.get("content") for meta in root.iter("meta") if meta.get("http-equiv") == "Content-Security-Policy")
        digest = base64.b64encode(hashlib.sha256(style.text.encode()).digest()).decode()
        assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        for element in root.iter():
            assert str(element.tag).removeprefix(SVG) not in LOADS
            for name, value in element.attrib.items():
                assert not str(name).startswith("on")
                assert name not in ("src", "srcset", "style", "action", "data")
                if "href" in str(name):
                    assert re.match(r"#[\w-]+$|https://doi\.org/", value)


HOSTILE = [
    "<script>document.title='run'</script>",
    "<img src='CANARY/image' onerror=\"document.title='run'\">",
    "</title></style></svg><svg onload=document.title='run'><image href='CANARY/svg'/></svg>",
    "' onmouseover='document.title=1' style='background:url(CANARY/style)",
    "<link rel=stylesheet href='CANARY/sheet'><iframe src='CANARY/frame'></iframe>",
    "\u202eevil\x1b[31m red\x9b",
    "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }}{% raw %}",
    "begin " + "x" * 10_000 + " end",
    "&lt;b&gt;&amp;",
]


@pytest.fixture(scope="module")
def canary():
    """A server, and the paths that it is asked for."""
    with listening() as found:
        yield found


@pytest.fixture(scope="module")
def hostile(canary):
    return hostile_audit(canary, 8)


def hostile_audit(canary, releases):
    """Hostile labels, column names and names of releases."""
    labels = [label.replace("CANARY", canary[0]) for label in HOSTILE]
    rng = np.random.default_rng(1)
    k, t = (f"{x} {labels[0]}{labels[1]}" for x in "kt")
    people = {k: [labels[i] for i in rng.integers(0, 10, 300)], t: [labels[i] for i in rng.integers(0, 10, 300)]}
    fewer = {name: [x for x in column if x != labels[2]][:200] for name, column in people.items()}
    asked = {"utility": {labels[1]: 1.0}, "against": labels[0], "provenance": {"example": labels[5]}}
    return audit(people, dict.fromkeys(labels[:releases], fewer), keys=k, target=t, **asked)


def test_hostile_labels_are_text(hostile, canary):
    published = public(hostile_audit(canary, 4))
    for found in (hostile, hostile_audit(canary, 2)):
        assert all(line.isprintable() for line in repr(found).splitlines())
        assert r"\u202eevil\x1b[31m red" in repr(found)
    assert not any(label in published for label in ("calc", "evil", "begin", "raw"))
    for page in (hostile.to_html(), published, hostile._repr_html_()):
        assert "<script" not in page
        assert "<img" not in page
        assert all(c.isprintable() or c == "\n" for c in page.replace("\u00a0%", " %"))  # the library's own space
    page = hostile.to_html()
    assert len(page) < 1_500_000
    assert "x" * 2000 not in page
    assert all("begin x" in text and "x end" in text for text in map(texts, parsed(page).iter("th")) if "xxx" in text)


@pytest.mark.chromium
def test_in_a_browser_hostile_labels_change_no_title_and_ask_for_nothing(hostile, canary, tmp_path):
    """Without the policy, which would hide a missing escape; then with it, after a label has been put in as it is."""
    address, asked = canary
    page = hostile.to_html()
    title = parsed(page).find("head/title").text
    without = re.sub(r"<meta http-equiv=[^>]*>", "", page)
    assert len(without) < len(page)
    assert texts(parsed(page).find("head/title")) in loaded(tmp_path, without).partition("</title>")[0]
    assert asked == []
    raw = "".join(label.replace("CANARY", address) for label in HOSTILE[:5])
    assert f"<title>{title}</title>" in loaded(tmp_path, page.replace("</main>", f"{raw}</main>"))
    assert asked == []
    found = loaded(tmp_path, without.replace("</main>", f"{raw}</main>"))
    assert "<title>run</title>" in found  # so the labels are hostile
    assert {"/image", "/frame"} <= set(asked)


@pytest.mark.chromium
def test_on_a_narrow_screen_the_page_is_not_wider_than_the_screen(pages, hostile, tmp_path):
    every = [*pages, hostile.to_html()]
    beyond = "d.documentElement.scrollWidth - d.documentElement.clientWidth"
    assert in_frames(tmp_path, every, 375, beyond) == ["0"] * len(every)


@pytest.mark.chromium
def test_a_page_prints_on_a4(pages, tmp_path):
    for page in pages[1:3]:
        pdf = printed(tmp_path, page)
        assert pdf.startswith(b"%PDF")
        sizes = re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", pdf)
        assert len(sizes) > 1
        assert {(round(float(w)), round(float(h))) for w, h in sizes} == {(595, 842)}  # points


# --- blocks


def test_each_block_has_its_elements():
    drawing = '<svg role="img" aria-label="a line"><path d="M0 0"/></svg>'
    blocks = [
        "a < b",
        Facts([("first", "1"), ("", "2"), ("second", "3")]),
        Grid(["", "x"], [["row", "1"], ["  part", "2"]], "A table"),
        Grid(["", ""], [["row", "1"]]),
        Picture(drawing, "A figure"),
        Terms([("term", "what it is", [("page.md", None), ("Source", "https://doi.org/10.1/x")])]),
        Listing('keys = ["<a>"]\nn = 1'),
    ]
    main = parsed(as_page("T", {"One & two": blocks}, note="n", footer="f")).find("body/main/section")
    assert [child.tag for child in main] == ["h2", "p", "dl", "div", "div", "figure", "dl", "pre"]
    heading, sentence, facts, table, plain, figure, terms, listing = main
    assert (heading.text, sentence.text, listing.text) == ("One & two", "a < b", 'keys = ["<a>"]\nn = 1')
    assert [[texts(x) for x in row] for row in facts] == [["first", "1", "2"], ["second", "3"]]
    assert table.find("table/caption").text == "A table"
    assert [[texts(cell) for cell in row] for row in table.iterfind("table/*/tr")] == [["", "x"], ["row", "1"], ["part", "2"]]
    assert table.findall("table/tbody/tr/th")[1].get("class") == "part"
    assert plain.find("table/thead") is None
    assert figure.find(f"div/{SVG}svg/{SVG}path").get("d") == "M0 0"
    assert [texts(x) for x in terms[0]] == ["term", "what it is page.md, Source."]
    assert terms.find("div/dd/a").get("href") == "https://doi.org/10.1/x"
