"""One notation for one number (theory/notation.md): percentages with a space, decimals with a leading zero; in prose, not in code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from notebook_cells import NOTEBOOKS, ROOT, stored
from public_names import public_names
from records import strings

from capstats.lessons.browser import browser_page
from capstats.lessons.pages import LESSONS, page

CODE = re.compile(r"^```.*?^```$|``.*?``|`[^`\n]*`|\]\([^)\s]*\)|https?://\S+", re.S | re.M)
NO_SPACE = re.compile(r"\d%")
NO_ZERO = re.compile(r"(?<![\w.)\]\\])\.\d|\\cdot\.\d")
PAGES = {str(path.relative_to(ROOT)): path for folder in ("docs", "theory") for path in sorted((ROOT / folder).rglob("*.md"))}
PAGES |= {"README.md": ROOT / "README.md"}
TEMPLATES = {
    path.name: path
    for room in ("lessons", "reports")
    for path in map(Path, files(f"capstats.{room}").joinpath("templates").iterdir())  # type: ignore[arg-type]
    if path.suffix in (".js", ".j2")
}


def texts() -> Iterator[tuple[str, str]]:
    """Everything that a reader reads, with its name; of Markdown without its code."""
    yield from ((name, CODE.sub("", path.read_text(encoding="utf-8"))) for name, path in PAGES.items())
    for name in NOTEBOOKS:
        yield name, CODE.sub("", "\n\n".join(cell.source for cell in stored(name).cells if cell.cell_type == "markdown"))
    for name, found in public_names().items():
        yield name, re.sub(r"^ *>>> .*?(?:\n\s*\n|\Z)", "", CODE.sub("", found.__doc__ or ""), flags=re.S | re.M)
    for room in ("auditing/sentences.toml", "auditing/measures.toml", "describing/sentences.toml", "cli/commands.toml"):
        held = tomllib.loads(files("capstats").joinpath(room).read_text(encoding="utf-8"))
        yield from ((room, CODE.sub("", text)) for text in strings(held))


def found(pattern: re.Pattern[str]) -> list[str]:
    """Where the pattern is."""
    return [f"{name}: {text[max(hit.start() - 30, 0) : hit.end() + 20]!r}" for name, text in texts() for hit in pattern.finditer(text)]


def test_a_percentage_has_a_space_before_its_sign_and_a_decimal_its_leading_zero() -> None:
    assert found(NO_SPACE) + found(NO_ZERO) == []


def test_what_commands_print_on_a_page_has_the_space_as_well() -> None:
    for name, path in PAGES.items():
        printed = re.findall(r"^```(?:console|text)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.S | re.M)
        assert [line for block in printed for line in block.splitlines() if NO_SPACE.search(line)] == [], name


def test_templates_make_percentages_in_one_place() -> None:
    """A number and its sign are put together by inPercent alone."""
    made = re.compile(r"\}(?: |\\u00a0|&nbsp;)%(?!\})")
    assert {name for name, path in TEMPLATES.items() if made.search(path.read_text(encoding="utf-8"))} == {"common.js"}


@pytest.mark.parametrize("name", [*LESSONS, "browser"])
def test_on_a_page_no_line_ends_before_a_per_cent_sign(name: str) -> None:
    text = browser_page() if name == "browser" else page(name)
    assert re.findall(r"\d %", text) == []
    assert NO_SPACE.findall(re.sub(r"<(style|script).*?</\1>|<[^>]*>", "", text, flags=re.S)) == []
