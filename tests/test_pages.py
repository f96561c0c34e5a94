"""The pages of the documentation run."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import run_page

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.name != "gallery.md")  # test_gallery.py draws the gallery


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(DOCS).with_suffix("").as_posix())
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(path.read_text(encoding="utf-8"), capsys)
