"""The command `capstats browser`: the file that it writes, and the browser."""

from pathlib import Path

import pytest
from command_line import refused, said

from capstats.cli import main
from capstats.lessons.browser import browser_page

pytestmark = pytest.mark.slow


def test_the_page_is_written_here_and_opened(asked, tmp_path, capsys):
    assert said(capsys, 0, "browser") == ("Written: browser.html\n", "")
    assert Path("browser.html").read_text(encoding="utf-8") == browser_page()
    assert asked == [(tmp_path / "browser.html").as_uri()]


def test_it_is_written_under_another_name_again_and_not_opened(asked, capsys):
    for _ in range(2):
        assert main(["browser", "--out", "page.html", "--no-open"]) == 0
    assert capsys.readouterr().out == "Written: page.html\n" * 2
    assert asked == []


def test_a_file_of_somebody_else_stays(asked, capsys):
    Path("browser.html").write_text("<p>My notes.", encoding="utf-8")
    assert "capstats did not make it" in refused(capsys, "browser")
    assert Path("browser.html").read_text(encoding="utf-8") == "<p>My notes."
    assert asked == []
