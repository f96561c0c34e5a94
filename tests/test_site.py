"""The site is built without a warning, lacks nothing, loads nothing from elsewhere, and is fit to be read, wide and narrow."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import pytest
from accessible import audited, outline, small_targets
from chromium import browser
from public_names import public_names

from capstats.lessons.pages import LESSONS

T = TypeVar("T")
ROOT = Path(__file__).parents[1]
LINKS = runpy.run_path(str(ROOT / "docs" / "links.py"))
WANTED = {  # what newcomers search for, and the page that answers it
    "install": "docs/start",
    "download": "docs/start",
    "interpret": "docs/custodians/interpret-a-report",
    "report": "docs/custodians/interpret-a-report",
    "acceptable": "docs/custodians/what-is-high",
    "safe": "docs/custodians/what-is-high",
    "threshold": "docs/custodians/what-is-high",
    "copies": "docs/custodians/what-is-high",
    "personal data": "docs/custodians/index",
    "publish": "docs/custodians/index",
    "quasi-identifier": "docs/custodians/choosing-keys",
    "Excel": "docs/custodians/formats",
    "missing values": "docs/custodians/formats",
    "survey weights": "docs/custodians/weighted-data",
    "GDPR": "docs/custodians/frameworks",
    "SATRE": "docs/custodians/frameworks",
    "lesson": "docs/lessons",
    "browser": "docs/browser",
    "what does my number mean": "docs/lessons",
    "teach": "docs/instructors",
    "students": "docs/instructors",
    "proof": "docs/researchers",
    "reproduce": "docs/researchers",
    "cite": "docs/researchers",
    "SDMetrics": "docs/coming-from/sdmetrics",
    "R": "docs/from-r",
    "memory": "docs/cost-and-scale",
    "holdout": "docs/glossary",
    "is .8 bad": "docs/custodians/what-is-high",
    "who is at risk": "docs/which-measure",
    "what is synthetic data": "docs/index",
    "quick start": "docs/start",
    "tutorial": "docs/notebooks",
    "upload": "docs/browser",
    "plot": "docs/gallery",
    "license": "docs/researchers",
}
FIRST = {  # whole questions of newcomers, and the page that answers them, which comes first
    "what is CAP": "docs/glossary",
    "what is a holdout?": "docs/glossary",
    "what does baseline mean": "docs/glossary",
    "correct attribution probability": "docs/glossary",
    "is my number high": "docs/custodians/what-is-high",
    "how to lower the risk": "docs/custodians/what-to-do-next",
    "what to do": "docs/custodians/what-to-do-next",
    "what is a key": "docs/custodians/choosing-keys",
    "which columns should I choose": "docs/custodians/choosing-keys",
    "can I publish my data": "docs/custodians/index",
    "read my report": "docs/custodians/interpret-a-report",
    "sample report": "docs/custodians/interpret-a-report",
    "csv": "docs/custodians/formats",
    "weights": "docs/custodians/weighted-data",
    "privacy law": "docs/custodians/frameworks",
    "two files": "docs/start",
    "command line": "docs/start",
    "example": "docs/start",
    "without installing": "docs/browser",
    "average": "docs/lessons",
    "baseline": "docs/glossary",
    "k-anonymity": "docs/glossary",
    "which measure": "docs/which-measure",
    "membership inference": "docs/which-measure",
    "class plan": "docs/instructors",
    "slides": "docs/instructors",
    "handout": "docs/instructors",
    "homework": "docs/instructors",
    "exam": "docs/instructors",
    "exercise": "docs/notebooks",
    "synthpop": "docs/coming-from/synthpop",
    "figure 2": "docs/researchers",
    "large data": "docs/cost-and-scale",
    "who are the 93 people": "docs/index",
}
ENTRIES = {"what is CAP": "cap", "what is a holdout?": "holdout", "what does baseline mean": "baseline"}  # of the glossary
UNSET = """() => [...document.querySelectorAll('.math, math')].map(e => [e.closest('math') ?? e.querySelector('math'), e.textContent])
  .filter(([math]) => !math?.getBoundingClientRect().width && math?.checkVisibility() !== false).map(([, text]) => text)"""
CUT = """() => [
  ...[...document.querySelectorAll('h1, dt.sig')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => `cut: ${e.textContent}`),
  ...(document.documentElement.scrollWidth > innerWidth ? ['scrolls sideways'] : []),
]"""
KINDS = [
    *(f"docs/{name}" for name in ("index", "start", "accessibility", "which-measure", "custodians/frameworks", "coming-from/riskutility")),
    *("docs/api/anonymity", "theory/law", "search"),
]
pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site that the variable SITE names, or a new one, with every warning an error; its notebooks are executed."""
    if os.environ.get("SITE"):
        return Path(os.environ["SITE"])
    folder = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-m", "sphinx", "-c", "docs", "-n", "-W", "-q", "-j", "2", ".", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-6000:]
    return folder


def pages_of(site: Path) -> list[Path]:
    """All pages but the index, which leads on to the first one."""
    return [file for file in LINKS["pages"](site) if file != site / "index.html"]


def some(of: Iterable[T], each: int) -> list[T]:
    """Every so-many-th of them, and all where everything is required."""
    return [*of][:: 1 if os.environ.get("REQUIRE_ALL") else each]


def signatures(file: Path) -> list[str]:
    """The signatures on a page of the API."""
    return re.findall(r'<dt class="sig.*?</dt>', file.read_text(encoding="utf-8"), re.S)


def sources() -> list[Path]:
    """All pages: of the documentation, of the theory, and the notebooks."""
    found = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "theory").glob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")]
    return [path.relative_to(ROOT).with_suffix(".html") for path in found if path.name != "exam.md"]


def test_every_page_and_every_lesson_is_on_the_site(site: Path) -> None:
    lessons = [Path("docs", "lessons", f"{name}.html") for name in [*LESSONS, "browser"]]
    assert [path for path in sources() + lessons if not (site / path).is_file()] == []


def test_internal_links_and_anchors_lead_somewhere_and_external_ones_are_listed(site: Path) -> None:
    assert LINKS["broken"](site) == []
    assert any("doi.org" in address for _, address in LINKS["external"](site))


def test_a_link_to_nowhere_and_a_remote_script_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="x"></p><a href="b.html#y"></a><a href="#x"></a><script src="https://example.org/a.js"></script>'
    )
    (tmp_path / "b.html").write_text('<a href="c.html"></a>')
    assert LINKS["broken"](tmp_path) == [("a.html", "b.html#y"), ("b.html", "c.html")]
    assert LINKS["remote"](tmp_path) == [("a.html", "https://example.org/a.js")]


def test_every_notebook_can_be_downloaded_and_every_lesson_is_linked_from_the_plans(site: Path) -> None:
    downloads = {Path(link).name for link in LINKS["page"](site / "docs" / "notebooks.html").links if "_downloads" in link}
    assert downloads == {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    plans = LINKS["page"](site / "docs" / "instructors.html").links
    assert {f"lessons/{name}.html" for name in LESSONS if name != "number"} <= plans


def test_who_the_93_people_are_is_one_press_from_the_first_page(site: Path) -> None:
    assert "lessons/average.html" in LINKS["page"](site / "docs" / "index.html").links


def test_a_sample_report_is_one_press_from_the_first_page_and_every_page_of_the_library_leads_back(site: Path) -> None:
    assert "sample-report.html" in LINKS["page"](site / "docs" / "index.html").links
    assert "index.html" in LINKS["page"](site / "docs" / "sample-report.html").links
    for name in [*LESSONS, "browser"]:
        assert "../index.html" in LINKS["page"](site / "docs" / "lessons" / f"{name}.html").links


def test_every_page_has_a_description_and_a_preview_picture_that_is_there(site: Path) -> None:
    written = [site / "docs" / "sample-report.html", *(site / "docs" / "lessons").glob("*.html")]
    for file in written + [site / page for page in sources()]:
        head = file.read_text(encoding="utf-8").partition("<body")[0]
        assert len(re.findall(r'<meta name="description" content="[^"]{20,}"', head)) == 1, file
        (picture,) = re.findall(r'<meta property="og:image" content="([^"]+)"', head)
        assert (file.parent / picture).resolve().read_bytes().startswith(b"\x89PNG"), file


def test_the_address_of_a_site_makes_that_of_its_previews_whole(site: Path) -> None:
    preview = runpy.run_path(str(ROOT / "docs" / "conf.py"))["preview"]
    assert preview("", "../_static/preview.png") == "../_static/preview.png"
    for address in ("https://example.org/capstats", "https://example.org/capstats/"):
        assert preview(address, "../_static/preview.png") == "https://example.org/capstats/_static/preview.png"


@pytest.mark.chromium
def test_the_menu_fits_and_no_picture_is_a_light_slab_in_the_dark(site: Path) -> None:
    with browser() as program:
        page = program.new_page(viewport={"width": 1280, "height": 800})
        page.goto((site / "docs" / "index.html").as_uri())
        page.locator(".dropdown-toggle", has_text="More").first.click()
        box = page.locator(".dropdown-menu.show").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1280
        assert box["y"] + box["height"] <= 800
        styles = "all => all.map(one => { const css = getComputedStyle(one); return [css.backgroundColor, css.filter, css.colorScheme] })"
        seen = 0
        for name in ("index", "gallery", "cost-and-scale", "researchers", "custodians/what-is-high"):
            page.goto((site / "docs" / f"{name}.html").as_uri())
            page.evaluate("document.documentElement.dataset.theme = 'dark'")
            for background, turned, scheme in page.locator(".bd-article img").evaluate_all(styles):
                assert background == "rgba(0, 0, 0, 0)"
                assert (turned, scheme) == (("none", "dark") if name == "index" else ("invert(1) hue-rotate(180deg)", "light"))
                seen += 1
        assert seen > 10


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert LINKS["remote"](site) == []


def test_no_formula_is_torn(site: Path) -> None:
    """A display formula without a blank line around it leaves dollars in the text, and words in the formulas after it."""
    apart = re.compile(r'<(script|style|pre|code|title)\b.*?</\1>|<(span|div) class="math.*?</\2>|<[^>]*>', re.S)
    torn = [file.name for file in (site / "theory").glob("*.html") if "$" in apart.sub("", file.read_text(encoding="utf-8"))]
    assert torn == []


def test_every_public_name_is_documented_once(site: Path) -> None:
    anchors = [name for file in (site / "docs" / "api").glob("*.html") for name in LINKS["page"](file).anchors]
    assert [name for name in public_names() if anchors.count(name) != 1] == []


@pytest.mark.chromium
def test_every_page_is_shown_without_errors_and_without_scrolling_sideways(site: Path) -> None:
    wrong = []
    with browser() as program:
        page = program.new_page()
        page.on("console", lambda said: wrong.append(f"{page.url}: {said.text}") if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
        page.on("requestfailed", lambda request: wrong.append(f"{page.url}: {request.url} is not there"))
        for file in some(pages_of(site), 4):
            page.set_viewport_size({"width": 1280, "height": 800})
            page.goto(file.as_uri())
            wrong += [f"{page.url}: a formula that is not set: {text}" for text in page.evaluate(UNSET)]
            for width in (1280, 375):
                page.set_viewport_size({"width": width, "height": 800})
                wide = page.evaluate("document.documentElement.scrollWidth")
                wrong += [f"{page.url}: {wide} pixels wide, of {width}"] * (wide > width)
    assert wrong == []


@pytest.mark.chromium
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (320, "light")])
def test_pages_keep_nobody_out_all_of_them_where_everything_is_required(width: int, scheme: str, site: Path) -> None:
    """WCAG 2.2, level AA: light, dark, and 320 pixels wide, where the theme makes what scrolls a tab stop a moment later."""
    kinds = [site / f"{kind}.html" for kind in KINDS]
    others = [file for file in pages_of(site) if file not in kinds]
    wrong = []
    with browser() as program:
        page = program.new_page(reduced_motion="reduce", color_scheme=scheme, viewport={"width": width, "height": 800})
        for file in kinds + some(others, 24):
            page.goto(file.as_uri())
            page.wait_for_timeout(500)
            found = audited(page, *(["color-contrast"] if scheme == "dark" else [])) + outline(page) + small_targets(page)
            wrong += [f"{file.relative_to(site)}: {what}" for what in found + page.evaluate(CUT)]
    assert wrong == []


@pytest.mark.chromium
def test_what_capstats_prints_in_a_notebook_and_the_index_of_modules_are_dark_in_the_dark(site: Path) -> None:
    places = {"notebooks/anonymity": '.text_html:has(> div[style^="overflow-x"])', "py-modindex": "tr.cap"}
    with browser() as program:
        page = program.new_page(color_scheme="dark")
        for name, place in places.items():
            page.goto((site / f"{name}.html").as_uri())
            assert page.locator("html").get_attribute("data-theme") == "dark"
            colours = page.locator(place).evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
            assert {*colours} == {"rgba(0, 0, 0, 0)"}, name


def test_no_signature_has_an_array_of_numbers(site: Path) -> None:
    assert [file.name for file in (site / "docs" / "api").glob("*.html") if "array([" in "".join(signatures(file))] == []


@pytest.mark.chromium
def test_the_questions_behind_the_cards_are_folded_and_a_link_to_one_opens_it(site: Path) -> None:
    address = (site / "docs" / "which-measure.html").as_uri()
    with browser() as program:
        page = program.new_page()
        page.goto(address)
        folds = page.locator("section > details")
        assert folds.count() == page.locator("section > details > summary > h3").count() == 31
        assert page.locator("details[open]").count() == 0
        linked = page.locator(".bd-article a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
        assert {*folds.evaluate_all("folds => folds.map(fold => '#' + fold.parentElement.id)")} <= {*linked}
        for link in ("who-is-unique", "how-sure-is-the-number"):
            page.goto(address + "#" + link)
            assert page.locator(f"#{link} > details[open]").count() == 1
        page.goto(address)
        link = page.locator("a[href='#who-is-unique']").first
        for _ in range(2):  # again after it was closed by hand
            link.click()
            page.wait_for_selector("#who-is-unique > details[open]")
            page.locator("#who-is-unique > details > summary").click(position={"x": 5, "y": 5})
            assert page.locator("details[open]").count() == 0


@pytest.mark.chromium
def test_the_search_shows_newcomers_the_page_that_they_want_first_or_for_one_word_among_the_first_three(site: Path) -> None:
    """Sphinx's own search, without a server."""
    found, entries = {}, {}
    with browser() as program:
        page = program.new_page()
        for query in some(WANTED | FIRST, 3):
            page.goto(f"{(site / 'search.html').as_uri()}?q={quote(query)}")
            page.wait_for_function("/finished|did not match/.test(document.querySelector('#search-results .search-summary')?.textContent)")
            links = page.locator("#search-results li > a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
            found[query] = [re.split("[?#]", link)[0].removesuffix(".html") for link in links[:3]]
            entries[query] = links[0].partition("#")[2]
    assert {query: pages for query, pages in found.items() if query in WANTED and WANTED[query] not in pages} == {}
    assert {query: pages for query, pages in found.items() if query in FIRST and FIRST[query] != pages[0]} == {}
    assert {query: entry for query, entry in entries.items() if ENTRIES.get(query, entry) != entry} == {}
