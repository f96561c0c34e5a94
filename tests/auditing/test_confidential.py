"""Confidential files: their owner alone can read them, no link is followed, no old file is lost, and a spreadsheet runs nothing in them."""

import csv
import io
import os
import stat
import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capstats import MISSING
from capstats.auditing.confidential import check_confidential, csv_text, write_confidential
from capstats.codes.names import in_spreadsheet

posix = pytest.mark.skipif(os.name != "posix", reason="rights of files as POSIX has them")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_a_file_can_be_read_by_its_owner_alone_whatever_the_umask(tmp_path, umask):
    path = tmp_path / "secret.csv"
    before = os.umask(umask)
    try:
        write_confidential(path, "a secret")
    finally:
        os.umask(before)
    assert mode(path) == 0o600
    assert path.read_text() == "a secret"


@posix
def test_an_old_file_that_all_could_read_becomes_one_of_its_owner(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("the old one, which is longer")
    path.chmod(0o666)
    other = tmp_path / "hard link"
    os.link(path, other)
    write_confidential(str(path), b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", 0o600)
    assert other.read_text() == "the old one, which is longer"  # nobody who holds the old file sees the new content
    assert sorted(file.name for file in tmp_path.iterdir()) == ["hard link", "old.csv"]


@pytest.mark.parametrize("to", ["target", "nowhere", "folder"])
def test_a_symbolic_link_is_refused_and_what_it_points_to_stays(tmp_path, to):
    (tmp_path / "target").write_text("the target")
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / to)
    for attempt in (lambda: write_confidential(link, "secret"), lambda: check_confidential(link)):
        with pytest.raises(ValueError, match=r"is a symbolic link; confidential output is not written through a link. Give another path"):
            attempt()
    assert (tmp_path / "target").read_text() == "the target"
    assert not (tmp_path / "nowhere").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link", "target"]


@posix
def test_a_link_that_appears_while_the_file_is_written_is_replaced_and_not_followed(tmp_path, monkeypatch):
    target, path = tmp_path / "target", tmp_path / "out"
    target.write_text("the target")
    flush = os.fsync

    def then_linked(handle):
        flush(handle)
        path.symlink_to(target)

    monkeypatch.setattr(os, "fsync", then_linked)
    write_confidential(path, "secret")
    assert target.read_text() == "the target"
    assert not path.is_symlink()
    assert path.read_text() == "secret"


def test_folders_and_what_is_no_regular_file_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"is a folder. Give the path of a file"):
        write_confidential(tmp_path, "secret")
    with pytest.raises(ValueError, match="'' is a folder"):
        write_confidential("", "secret")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"is a pipe, socket or device. Give the path of a regular file"):
        write_confidential(tmp_path / "pipe", "secret")


def test_errors_of_the_system_name_the_path_and_no_temporary_file(tmp_path):
    path = tmp_path / "nowhere" / "out.csv"
    with pytest.raises(OSError, match="No such file or directory") as raised:
        write_confidential(path, "secret")
    assert raised.value.filename == str(path)


def test_a_file_that_has_the_name_of_the_new_one_by_chance_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("secrets.token_hex", lambda n: "0" * 2 * n)
    other = tmp_path / f".capstats-{os.getpid()}-00000000"
    other.write_text("mine", encoding="utf-8")
    for attempt in (lambda: write_confidential(tmp_path / "out.csv", "secret"), lambda: check_confidential(tmp_path / "out.csv")):
        with pytest.raises(FileExistsError):
            attempt()
    assert other.read_text(encoding="utf-8") == "mine"


def test_a_check_leaves_everything_as_it_is(tmp_path):
    path = tmp_path / "out.csv"
    check_confidential(path)
    assert list(tmp_path.iterdir()) == []
    path.write_text("the old one")
    check_confidential(path)
    assert path.read_text() == "the old one"


FULL = """
import resource, sys
from capstats.auditing.confidential import write_confidential
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_confidential(sys.argv[1], "x" * 10_000)
except OSError as error:
    print(error.filename, error.strerror, sep="|")
"""


@pytest.mark.slow
@posix
def test_a_full_disk_leaves_the_old_file_as_it_was(tmp_path):
    """No file may grow beyond 1,000 bytes, as if the disk were full."""
    path = tmp_path / "out.csv"
    path.write_text("the old one")
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == f"{path}|File too large\n"
    assert path.read_text() == "the old one"
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]


# --- cells ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("+49 30 123", "'+49 30 123"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("@SUM(A1:A9)", "'@SUM(A1:A9)"),
        ("\t=1", "'\\t=1"),
        ("\r=1", "'\\r=1"),
        ("  =1", "'  =1"),
        ("\uff1d1+1", "'\uff1d1+1"),  # a full-width equals sign
        ("low;=1+1", "low;'=1+1"),  # where a semicolon separates cells, this would begin one
        (';"=1;', ";'\"=1;"),  # the quote would begin a cell that is quoted, and empty
        ("-", "'-"),
        ("-1.5", "-1.5"),
        ("+1e-3", "+1e-3"),
        ("-1,5", "-1,5"),
        ("(-inf, -1.5]", "(-inf, -1.5]"),
        ("a=b", "a=b"),
        ("2024-01-31", "2024-01-31"),
        ("two\nlines", "two\\nlines"),
        ("red\x1b[31m", "red\\x1b[31m"),
        ("\u202efdp.exe", "\\u202efdp.exe"),
        (-1.5, "-1.5"),
        (7, "7"),
        (True, "True"),
        (date(2024, 2, 29), "2024-02-29"),
        (None, ""),
        (np.nan, ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        (MISSING, ""),
        ([1, 2], "[1, 2]"),
    ],
)
def test_a_cell_shows_what_it_holds_and_is_never_a_formula(cell, written):
    assert in_spreadsheet(cell) == written


@pytest.mark.slow
@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("=+-@;\t\r\n '\",0")))
def test_no_text_is_a_formula_in_any_cell_that_a_comma_or_a_semicolon_begins(text):
    """Signs of numbers are allowed: a cell that begins with one is a number as a whole."""
    written = csv_text(["heading"], [[text]])
    assert "\r" not in written
    ((_, row),) = [list(csv.reader(io.StringIO(written)))]
    assert len(row) <= 1
    read = next(csv.reader(csv_text([0, 1], [[1, text]]).splitlines()[1:], delimiter=";"))  # as where a semicolon separates cells
    for cell in [*"".join(row).split(";"), *read[1:]]:
        plain = cell.strip(" ")
        assert plain[:1] not in ("=", "@", "\t", "\uff1d", "\uff20")
        assert plain[:1] not in ("+", "-", "\uff0b", "\uff0d") or plain == "".join(row)
        assert all(sign.isprintable() for sign in cell)


def test_headings_are_cells_too_and_commas_and_quotes_are_quoted():
    assert csv_text(["=a", 'b,"c"'], [["x", None], ["-1", "y"]]) == '\'=a,"b,""c"""\nx,\n-1,y\n'


def test_a_path_may_be_a_text_or_a_path_and_text_is_utf_8(tmp_path):
    write_confidential(str(tmp_path / "a"), "ä\udcff")
    assert Path(tmp_path / "a").read_bytes() == "ä\\udcff".encode()
