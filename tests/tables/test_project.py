"""What pages say of themselves and of the project, whose address the metadata of the package alone may name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import capstats
from capstats.datasets import example
from capstats.lessons import page
from capstats.lessons.browser import browser_page
from capstats.lessons.contents import contents
from capstats.tables.project import described, homepage, project

ROOT = Path(capstats.__file__).parents[1]
WRITE = """
import sys
from capstats import audit
from capstats.datasets import example
from capstats.lessons import page
from capstats.lessons.browser import browser_page
from capstats.lessons.contents import contents
print(page("hands"), page("number"), browser_page(), contents(), audit(**example("titanic")).to_html())
"""


def footers(text: str) -> list[str]:
    return re.findall(r"<footer>.*?</footer>", text, re.S)


@pytest.mark.parametrize("address", ["", "https://example.org/project/"])
def test_every_page_names_the_project_and_links_to_it_where_the_metadata_name_an_address(address: str, tmp_path: Path) -> None:
    metadata = tmp_path / f"capstats-{capstats.__version__}.dist-info"
    metadata.mkdir()
    named = f"Project-URL: Homepage, {address}\n" if address else ""
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: capstats\nVersion: {capstats.__version__}\n{named}")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", WRITE]
    found = footers(subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120).stdout)
    assert len(found) == 5
    for footer in found:
        assert f"capstats {capstats.__version__}{'</a>' if address else ''}, a Python library (<code>capstats " in footer
        links = re.findall(r'href="(http[^"]*)"', footer)
        assert links == ([address] if address else [])


def test_every_page_has_a_description_and_no_picture_without_an_address() -> None:
    for text in (page("average"), page("number"), browser_page(), contents(), capstats.audit(**example("titanic")).to_html()):
        (title,) = re.findall(r'<meta property="og:title" content="([^"]+)">', text)
        (said,) = re.findall(r'<meta name="description" content="([^"]+)">', text)
        assert f'<meta property="og:description" content="{said}">' in text
        assert 20 < len(said) <= 200
        assert title
        assert "og:image" not in text


def test_texts_are_escaped_and_an_address_of_a_site_is_the_link() -> None:
    assert '"' not in described('a "title"', "a <b>").replace('="', "").replace('">', "").replace('" content', "")
    assert "&lt;b&gt;" in described("a", "a <b>")
    assert described("a", "b", "p.png").endswith('<meta property="og:image" content="p.png">')
    assert project("../index.html") == f'<a href="../index.html">capstats {capstats.__version__}</a>'
    assert project("") == f"capstats {capstats.__version__}"
    assert homepage() == "" or homepage().startswith("https://")
