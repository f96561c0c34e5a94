"""A new file takes the place of an old one as a whole, or leaves it as it was, and of none that was read."""

import contextlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from capstats.sources import disk
from capstats.sources.disk import check_file, check_unread, opened, replacing, write_file

posix = pytest.mark.skipif(os.name != "posix", reason="rights of files as POSIX has them")


@contextlib.contextmanager
def umask(number):
    before = os.umask(number)
    try:
        yield
    finally:
        os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.parametrize("number", [0o000, 0o022, 0o777])
def test_a_file_can_be_read_by_its_owner_alone_whatever_the_umask(tmp_path, number):
    path = tmp_path / "secret.csv"
    with umask(number):
        write_file(path, "a secret")
    assert mode(path) == 0o600
    assert path.read_text() == "a secret"


@posix
def test_an_old_file_that_all_could_read_becomes_one_of_its_owner(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("the old one, which is longer")
    path.chmod(0o666)
    other = tmp_path / "hard link"
    os.link(path, other)
    write_file(str(path), b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", 0o600)
    assert other.read_text() == "the old one, which is longer"  # nobody who holds the old file sees the new content
    assert sorted(file.name for file in tmp_path.iterdir()) == ["hard link", "old.csv"]


@pytest.mark.parametrize("to", ["target", "nowhere", "folder"])
def test_a_symbolic_link_is_refused_and_what_it_points_to_stays(tmp_path, to):
    (tmp_path / "target").write_text("the target")
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / to)
    refused = pytest.raises(ValueError, match=r"is a symbolic link; an output is not written through a link. Give another path")
    with refused:
        write_file(link, "secret")
    with refused:
        check_file(link)
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
    write_file(path, "secret")
    assert target.read_text() == "the target"
    assert not path.is_symlink()
    assert path.read_text() == "secret"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        (".", ValueError, r"is a folder. Give the path of a file"),
        ("", ValueError, "'' is a folder"),
        ("pipe", ValueError, r"is a pipe, socket or device. Give the path of a regular file"),
        ("nowhere/out.csv", OSError, "No such file or directory"),
    ],
)
def test_what_is_no_place_for_a_file_is_refused_and_named(tmp_path, monkeypatch, name, error, message):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(error, match=message) as raised:
        write_file(name, "secret")
    assert getattr(raised.value, "filename", name) == name  # of no temporary file


def test_a_file_that_has_the_name_of_the_new_one_by_chance_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("secrets.token_hex", lambda n: "0" * 2 * n)
    other = tmp_path / f".capstats-{os.getpid()}-00000000"
    other.write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "out.csv", "secret")
    assert [file.name for file in tmp_path.iterdir()] == [other.name]
    assert other.read_text(encoding="utf-8") == "mine"


def test_a_check_leaves_everything_as_it_is(tmp_path):
    path = tmp_path / "out.csv"
    check_file(path)
    assert list(tmp_path.iterdir()) == []
    path.write_text("the old one")
    check_file(path)
    assert path.read_text() == "the old one"


def test_a_path_may_be_a_text_or_a_path_and_text_is_utf_8(tmp_path):
    write_file(str(tmp_path / "a"), "ä\udcff")
    assert Path(tmp_path / "a").read_bytes() == "ä\\udcff".encode()


def failing(path: Path, seen: list[Path]) -> None:
    with replacing(path) as (handle, new):
        os.write(handle, b"half")
        seen.append(new)
        assert stat.S_IMODE(new.stat().st_mode) in (0o600, 0o666)  # the latter where the system knows no rights
        raise ZeroDivisionError


def test_what_fails_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    old = tmp_path / "a.csv"
    old.write_text("old")
    seen: list[Path] = []
    with pytest.raises(ZeroDivisionError):
        failing(old, seen)
    assert not seen[0].exists()
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert old.read_text() == "old"


# --- a public file ------------------------------------------------------------------------------------------------------


@posix
def test_a_public_file_has_the_rights_of_other_new_files_or_of_the_one_that_it_replaces(tmp_path):
    path = tmp_path / "page.html"
    with umask(0o027):
        write_file(path, "new", private=False)
    assert mode(path) == 0o640
    path.chmod(0o664)
    write_file(path, "newer", private=False)
    assert (mode(path), path.read_text()) == (0o664, "newer")


# --- a process that is killed -------------------------------------------------------------------------------------------

LIMITED = """
import resource, signal, sys
from capstats.sources.disk import write_file
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # no file may grow beyond it, as if the disk were full
if sys.argv[2] == "killed":
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the system ends the process in the middle of the file
try:
    write_file(sys.argv[1], "x" * 10_000, private=sys.argv[3] == "private")
except OSError as error:
    print(error.filename, error.strerror, sep="|")
"""


@posix
@pytest.mark.parametrize("how", [("full", "private"), ("killed", "private"), ("killed", "public")])
def test_a_full_disk_or_a_kill_while_a_file_is_written_leaves_the_old_file_and_nothing_else(tmp_path, how):
    path = tmp_path / "page.html"
    path.write_text("the old one")
    done = subprocess.run([sys.executable, "-c", LIMITED, str(path), *how], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == (f"{path}|File too large\n" if how[0] == "full" else "")
    assert (done.returncode < 0) == (how[0] == "killed")  # by a signal
    assert path.read_text() == "the old one"
    if disk.UNNAMED or how[0] == "full":  # elsewhere the new file of a killed process has a name, and stays
        assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


WRITING = """
import sys
from capstats.sources.disk import write_file
for i in range(10**9):
    write_file(sys.argv[1], "old new"[4 * (i % 2) :][:3] * 500_000, private=False)
    print(i, flush=True)
"""


@posix
def test_kill_9_leaves_one_whole_file_or_the_other(tmp_path):
    path = tmp_path / "page.html"
    for wait in range(1, 9):
        with subprocess.Popen([sys.executable, "-c", WRITING, str(path)], stdout=subprocess.PIPE, text=True) as process:
            for _ in range(wait):
                process.stdout.readline()
            process.kill()
        assert path.read_text() in ("old" * 500_000, "new" * 500_000)


# --- what was read ------------------------------------------------------------------------------------------------------


@posix
def test_a_file_that_was_read_is_replaced_under_no_name(tmp_path, monkeypatch):
    path = tmp_path / "o.csv"
    path.write_text("people")
    (tmp_path / "folder").mkdir()
    (tmp_path / "way").symlink_to(tmp_path / "folder")
    os.link(path, tmp_path / "hard")
    monkeypatch.chdir(tmp_path)
    opened("o.csv")
    monkeypatch.chdir("folder")
    for name in (path, str(path), "../o.csv", "../way/../o.csv", "../hard", "./.././o.csv"):
        for attempt in (lambda name=name: write_file(name, "page", private=False), lambda name=name: check_file(name)):
            with pytest.raises(ValueError, match="which is read as well"):
                attempt()
    path.rename(tmp_path / "moved")
    with pytest.raises(ValueError, match="which is read as well"):
        write_file(tmp_path / "moved", "page")
    assert [(tmp_path / name).read_text() for name in ("moved", "hard")] == ["people", "people"]


def test_a_later_file_is_not_taken_for_one_that_was_read_and_removed(tmp_path):
    """Systems give the numbers of files that are gone to later ones."""
    for i in range(50):
        path = tmp_path / f"{i}.csv"
        path.write_text("people" * i)
        opened(path)
        path.unlink()
        other = tmp_path / "other.csv"
        other.unlink(missing_ok=True)
        other.write_text("page")
        write_file(other, "another page")
        assert other.read_text() == "another page"


def test_counts_may_be_replaced_by_later_counts_and_records_by_nothing(tmp_path):
    counts, records = tmp_path / "c.csv", tmp_path / "o.csv"
    for path in (counts, records):
        path.write_text("")
    opened(counts, counts=True)
    opened(records)
    opened(records, counts=True)
    check_unread(counts, counts_may=True)
    for path, may in ((counts, False), (records, True), (records, False)):
        with pytest.raises(ValueError, match="which is read as well"):
            check_unread(path, counts_may=may)
