"""The command `capstats lesson`: the list, the files that it writes, the browser, and wrong names."""

import re
import webbrowser
from pathlib import Path

import pytest
from command_line import printed, refused, said

from capstats.cli import main
from capstats.cli.options import OPTIONS
from capstats.lessons.pages import LESSONS, page

pytestmark = pytest.mark.slow


def test_without_a_name_it_lists_the_lessons_and_writes_nothing(asked, tmp_path, capsys):
    out = printed(capsys, "lesson")
    for name, lesson in LESSONS.items():
        assert f"{name} " in out
        assert lesson.title in out
        assert lesson.sentence in out
    assert asked == list(tmp_path.iterdir()) == []


def test_a_lesson_is_written_here_and_opened(asked, tmp_path, capsys):
    assert said(capsys, 0, "lesson", "hands") == ("Written: hands.html\n", "")
    assert Path("hands.html").read_text(encoding="utf-8") == page("hands")
    assert asked == [(tmp_path / "hands.html").as_uri()]


def test_several_are_written_into_a_new_folder_and_not_opened(asked, tmp_path, capsys):
    assert main(["lesson", "law", "average", "law", "--out", "a/new folder", "--no-open"]) == 0
    assert capsys.readouterr().out.splitlines() == ["Written: a/new folder/law.html", "Written: a/new folder/average.html"]
    assert sorted(path.name for path in (tmp_path / "a/new folder").iterdir()) == ["average.html", "law.html"]
    assert asked == []


def test_all_are_all_and_have_a_home(asked, tmp_path, capsys):
    assert main(["lesson", "all"]) == 0
    assert {path.stem for path in tmp_path.iterdir()} == {"index", *LESSONS, "browser"}
    assert asked == [(tmp_path / "index.html").as_uri()]
    home = Path("index.html").read_text(encoding="utf-8")
    in_order = [*(name for name, lesson in LESSONS.items() if lesson.minutes), "number", "browser"]
    assert re.findall(r'<a href="(\w+)\.html">', home) == in_order
    for name in LESSONS:
        assert 'href="index.html">All lessons' in Path(f"{name}.html").read_text(encoding="utf-8")


def test_a_wrong_name_is_told_with_the_names_and_nothing_is_written(asked, tmp_path, capsys):
    err = refused(capsys, "lesson", "hands", "avrage")
    assert err == (
        "capstats lesson: There is no lesson 'avrage'. The lessons are number, hands, average, guessing, law, protection, tables. "
        "Did you mean 'average'?\n"
    )
    assert asked == list(tmp_path.iterdir()) == []


def test_without_a_browser_it_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    out, err = said(capsys, 0, "lesson", "hands")
    assert out == "Written: hands.html\n"
    assert err == "capstats lesson: no browser was found to open 'hands.html' in; a double click on the file opens it.\n"


def test_a_folder_that_is_a_file_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("", encoding="utf-8")
    assert "cannot read or write 'file'" in refused(capsys, "lesson", "hands", "--out", "file")


def test_a_file_of_somebody_else_stays_and_no_other_is_written(asked, tmp_path, capsys):
    Path("law.html").write_text("<!DOCTYPE html>\n<p>My notes on the law.", encoding="utf-8")
    out, err = said(capsys, 2, "lesson", "hands", "law")
    assert (out, err) == (
        "",
        "capstats lesson: 'law.html' is there, and capstats did not make it. Give another folder, or move that file away.\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["law.html"]
    assert "My notes" in Path("law.html").read_text(encoding="utf-8")
    assert asked == []


def test_an_old_lesson_is_replaced(asked):
    for _ in range(2):
        assert main(["lesson", "hands", "--no-open"]) == 0


def test_a_shell_completes_all_lessons() -> None:
    assert [*LESSONS, "all"] == list(OPTIONS["lesson"].completes)
