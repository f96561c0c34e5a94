"""Temporary data: leftovers of killed processes are removed, and nothing else in the folder for temporary files ever changes."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import capstats
from capstats import audit, tabulate
from capstats.attacks import maximum_knowledge, membership_scores
from capstats.cli import main
from capstats.disclosure import record_risk
from capstats.peers import disclosure_protection
from capstats.screening import sweep
from capstats.sources import disk
from capstats.sources.disk import connect, private_folder
from capstats.sources.source import Options

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="folders have no modes, and files no locks that end with a process"),
]

# each line of its input starts a process that holds a private folder in the folder of that name until it is killed
PROCESSES = """
import os, runpy, signal, sys
private_folder = runpy.run_path(sys.argv[1])["private_folder"]  # without the rest of capstats, which takes seconds to load
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    if not os.fork():
        with private_folder(line.rstrip()) as folder:
            (folder / "duckdb_temp_block-1.block").write_text("records")
            (folder / "csv").write_text("records")
            print(os.getpid(), folder.name, flush=True)
            signal.pause()
"""
Start = Callable[[Path], tuple[int, Path]]
SPILLING = "SELECT count(*) FROM (SELECT DISTINCT 'records' || hash(range) FROM range(2000000))"


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """Starts a process; its number, and its private folder in the given one."""
    living = []
    with subprocess.Popen(
        [sys.executable, "-c", PROCESSES, disk.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None

        def started(top: Path) -> tuple[int, Path]:
            print(top, file=parent.stdin, flush=True)
            number, name = parent.stdout.readline().split()
            living.append(int(number))
            return int(number), top / name

        yield started
        for number in living:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        parent.kill()


def killed(number: int) -> None:
    os.kill(number, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        while True:
            os.kill(number, 0)
            time.sleep(0.001)


@pytest.fixture
def leftover(top: Path, start: Start) -> Path:
    """What a killed process left in the folder for temporary files."""
    number, folder = start(top)
    killed(number)
    return folder


def state(*folders: Path, without: Path | None = None) -> dict[Path, Any]:
    """All that a change of something in the folders would change; reading changes none of it."""
    found = {}
    for path in [path for folder in folders for path in folder.rglob("*")]:
        if without is None or not path.is_relative_to(without):
            s = path.lstat()
            content = path.readlink() if stat.S_ISLNK(s.st_mode) else path.read_bytes() if stat.S_ISREG(s.st_mode) else None
            found[path] = (s.st_mode, s.st_uid, s.st_ino, s.st_nlink, s.st_mtime_ns, s.st_ctime_ns, content)
    return found


def make_socket(path: Path) -> None:
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as made:  # the path of a socket must be short
        made.bind(path.name)


def make_folder(path: Path, lock: Callable[[Path], object], marker: Callable[[Path], object]) -> None:
    path.mkdir()
    lock(path / "lock")
    marker(path / "marker")
    (path / "duckdb_temp_storage_DEFAULT-0.tmp").write_text("results")
    (path / "results.csv").write_text("results")


SHAPES = [
    "capstats{}", "capstats-{}", "capstats-{}-abc", "capstats-{}-abcdefgh", "capstats-{}-abcdefgh\n",
    "capstats-{}-ABCDEFGH", "results{}",
]  # fmt: skip


def fill(top: Path, like: Path) -> None:
    """Fill a folder with what is not ours, under names like ours; some have the marker of a folder that is ours."""
    elsewhere = top.parent / "elsewhere"
    make_folder(elsewhere, Path.touch, Path.touch)
    marker = (like / "marker").readlink()
    makers: list[Callable[[Path], object]] = [
        Path.touch,
        Path.mkdir,
        os.mkfifo,
        make_socket,
        lambda path: path.symlink_to(elsewhere),
        lambda path: path.symlink_to(like),
        lambda path: path.symlink_to("nowhere"),
        lambda path: path.hardlink_to(elsewhere / "results.csv"),
        lambda path: make_folder(path, Path.touch, lambda marked: marked.write_text(str(marker))),
        lambda path: make_folder(path, Path.touch, lambda marked: marked.symlink_to(marker)),
        lambda path: (make_folder(path, Path.touch, lambda marked: marked.symlink_to(marker)), path.chmod(0o500)),
        lambda path: shutil.copytree(like, path, symlinks=True),
    ]
    for shape in SHAPES:
        for i, make in enumerate(makers):
            make(top / shape.format(i))


# --- every way of reading files ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of two tables o and s in all formats."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(1)
    for name in ("o", "s"):
        frame = pd.DataFrame(rng.integers(0, 3, (60, 3)), columns=["k", "l", "t"])
        frame.to_parquet(folder / f"{name}.parquet")
        (folder / f"{name}.d.parquet").mkdir()
        frame.to_parquet(folder / f"{name}.d.parquet" / "1.parquet")
        for ending in ("csv", "csv.gz", "csv.xz"):
            frame.to_csv(folder / f"{name}.{ending}", index=False)
        frame.to_csv(folder / f"{name}.utf16.csv", index=False, encoding="utf-16")
        frame.to_excel(folder / f"{name}.xlsx", index=False)
        frame.to_stata(folder / f"{name}.dta", write_index=False)
        frame.to_feather(folder / f"{name}.feather")
        pyreadstat.write_sav(frame, folder / f"{name}.sav")
    return folder


KEYS = {"keys": ["k", "l"], "target": "t"}


def counted(ending: str, **options: Any) -> Callable[..., object]:
    return lambda data, **spill: tabulate(str(data / f"o{ending}"), str(data / f"s{ending}"), **KEYS, **options, **spill)


def called(function: Callable[..., object], **options: Any) -> Callable[..., object]:
    return lambda data, **spill: function(str(data / "o.csv"), str(data / "s.csv.gz"), **options, **spill)


def on_the_command_line(data: Path, **spill: Path) -> None:
    given = [f"--spill-dir={folder}" for folder in spill.values()]
    assert main(["audit", str(data / "o.csv"), str(data / "s.csv"), "--keys", "k,l", "--target", "t", "--quiet", *given]) == 0


DOORS: dict[str, Callable[..., object]] = {
    "Parquet": counted(".parquet"),
    "a folder": counted(".d.parquet"),
    "a glob": counted("*.parquet/*.parquet"),
    "CSV": counted(".csv"),
    "compressed CSV": counted(".csv.gz"),
    "CSV through a scratch file": counted(".csv.xz"),
    "CSV of another encoding": counted(".utf16.csv", encoding="utf-16"),
    "audit": called(audit, **KEYS),
    "record_risk": called(record_risk, **KEYS),
    "sweep": called(sweep, keys=["k", "l"], targets="t"),
    "disclosure_protection": called(disclosure_protection, keys=["k", "l"], target="t"),
    "maximum_knowledge": lambda data, **spill: maximum_knowledge(data / "o.csv", data / "s.csv", columns=["k", "l", "t"], **spill),
    "membership_scores": lambda data, **spill: membership_scores(
        pd.read_csv(data / "o.csv"), data / "s.parquet", columns=["k", "t"], widths=1, types={"k": "number", "t": "number"}, **spill
    ),
    "the command line": on_the_command_line,
}
IN_MEMORY = {"Excel": counted(".xlsx"), "Stata": counted(".dta"), "SPSS": counted(".sav"), "Arrow": counted(".feather")}


@pytest.mark.parametrize("given", [False, True], ids=["temporary folder", "spill_dir"])
@pytest.mark.parametrize("door", [*DOORS, *IN_MEMORY])
def test_nothing_changes_but_what_a_killed_process_left(
    door: str, given: bool, data: Path, top: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.memfd_create", raising=False)  # elsewhere than on Linux, the scratch file is in a private folder
    used = top
    if given:
        used = top.parent / "chosen"
        used.mkdir()
    number, left = start(used)
    _, parallel = start(used)
    fill(used, left)
    killed(number)
    elsewhere = top.parent / "elsewhere"
    before = state(used, elsewhere, without=left)
    assert parallel / "csv" in before
    (DOORS | IN_MEMORY)[door](data, **({"spill_dir": used} if given else {}))
    assert state(used, elsewhere, without=left) == before
    assert left.exists() == (door in IN_MEMORY)


# --- leftovers that are not quite ours --------------------------------------------------------------------------------


def replaced(name: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    """A change of a folder: something else has this name in it."""

    def change(folder: Path) -> None:
        (folder / name).rename(folder / "other")
        make(folder / name)

    return change


def another_marker(text: Callable[[list[str]], list[str]]) -> Callable[[Path], object]:
    """A change of a folder: its marker has other lines."""

    def change(folder: Path) -> None:
        lines = str((folder / "marker").readlink()).split("\n")
        (folder / "marker").unlink()
        (folder / "marker").symlink_to("\n".join(text(lines)))

    return change


def a_file_for_a_marker(folder: Path) -> None:
    text = str((folder / "marker").readlink())
    (folder / "marker").unlink()
    (folder / "marker").write_text(text)


def a_copy(folder: Path) -> None:
    shutil.copytree(folder, folder.with_name("capstats-1-abcdefgh"), symlinks=True)
    shutil.rmtree(folder)


def a_copy_in_its_place(folder: Path) -> None:
    """The file system may well give the same numbers to its files."""
    shutil.copytree(folder, folder.with_name("copy"), symlinks=True)
    shutil.rmtree(folder)
    shutil.copytree(folder.with_name("copy"), folder, symlinks=True)


def a_link_in_its_place(folder: Path) -> None:
    folder.rename(folder.with_name("renamed"))
    folder.symlink_to("renamed")


BOUND = 8  # lines of a marker; those of the machine follow
CHANGES: dict[str, Callable[[Path], object]] = {
    "no marker": lambda folder: (folder / "marker").unlink(),
    "an empty marker": replaced("marker", Path.touch),
    "a file for a marker": a_file_for_a_marker,
    "a pipe for a marker": replaced("marker", os.mkfifo),
    "a socket for a marker": replaced("marker", make_socket),
    "a folder for a marker": replaced("marker", Path.mkdir),
    "a link to the marker": replaced("marker", lambda path: path.symlink_to("other")),
    "a short marker": another_marker(lambda lines: lines[:3]),
    "a marker of no machine": another_marker(lambda lines: lines[:BOUND]),
    "a marker of an empty machine": another_marker(lambda lines: [*lines[:BOUND], ""]),
    "the marker of another machine": another_marker(lambda lines: [*lines[:BOUND], "elsewhere", "1-2-3"]),
    "a marker of garbage": another_marker(lambda lines: ["\udcff", "\udcfe", *lines[::-1]]),
    "no lock": lambda folder: (folder / "lock").unlink(),
    "another lock": replaced("lock", Path.touch),
    "a lock with other rights": lambda folder: (folder / "lock").chmod(0o644),
    "a pipe for a lock": replaced("lock", os.mkfifo),
    "a socket for a lock": replaced("lock", make_socket),
    "a folder for a lock": replaced("lock", Path.mkdir),
    "a link to the lock": replaced("lock", lambda path: path.symlink_to("other")),
    "a second name of the lock": lambda folder: (folder / "other").hardlink_to(folder / "lock"),
    "another name": lambda folder: folder.rename(folder.with_name("capstats-1-abcdefgh")),
    "a copy": a_copy,
    "a copy in its place": a_copy_in_its_place,
    "a link in its place": a_link_in_its_place,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_folder_whose_marker_does_not_fit_it_is_no_leftover(change: Callable[[Path], object], top: Path, leftover: Path) -> None:
    change(leftover)
    before = state(top)
    with private_folder(None) as own:
        pass
    assert state(top) == before
    assert not own.exists()


def put_what_others_have(folder: Path) -> None:
    (folder / "results.csv").write_text("results")
    (folder / "data").mkdir()
    (folder / "data" / "duckdb_temp_block-1.block").write_text("results")


def test_what_others_put_into_a_leftover_stays(top: Path, leftover: Path) -> None:
    ours = state(leftover)
    assert {path.name for path in ours} == {"csv", "duckdb_temp_block-1.block", "lock", "marker"}
    put_what_others_have(leftover)
    (leftover / "duckdb_temp_folder").mkdir()
    os.mkfifo(leftover / "duckdb_temp_pipe")
    make_socket(leftover / "duckdb_temp_socket")
    (leftover / "duckdb_temp_link").symlink_to("results.csv")
    others = {path: x for path, x in state(leftover).items() if path not in ours}
    with private_folder(None):
        assert state(leftover) == others


def test_what_others_put_into_the_folder_of_a_call_stays(top: Path) -> None:
    with connect(Options(memory_limit="150MB")) as connection:
        (folder,) = top.iterdir()
        ours = state(folder)
        put_what_others_have(folder)
        others = {path: x for path, x in state(folder).items() if path not in ours}
        assert connection.execute(SPILLING).fetchall() == [(2_000_000,)]
    assert state(folder) == others


def test_a_folder_that_took_the_place_of_the_own_one_stays(top: Path) -> None:
    with private_folder(None) as folder:
        folder.rename(top / "renamed")
        folder.mkdir()
        (folder / "lock").touch()
        before = state(folder)
    assert state(folder) == before
    assert list((top / "renamed").iterdir()) == []


def test_only_the_owner_can_read_a_private_folder_and_what_is_in_it(top: Path) -> None:
    before = os.umask(0)
    try:
        with private_folder(None) as folder:
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert stat.S_IMODE((folder / "lock").stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_one_process_keeps_the_folders_that_it_uses_whatever_the_path_to_them(top: Path) -> None:
    (top.parent / "link").symlink_to(top)
    with private_folder(top) as one, private_folder(top.parent / "link") as other:
        assert {one.name, other.name} == {path.name for path in top.iterdir()}
    assert list(top.iterdir()) == []


# --- where there are no locks -----------------------------------------------------------------------------------------


def refuse(number: int) -> Callable[..., None]:
    def refused(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    return refused


WITHOUT: dict[str, tuple[str, Any]] = {
    "no locks": ("fcntl.flock", refuse(errno.ENOLCK)),
    "locks not supported": ("fcntl.flock", refuse(errno.EOPNOTSUPP)),
    "Windows": ("capstats.sources.disk.fcntl", None),
    "no links": ("os.symlink", refuse(errno.EPERM)),
}


@pytest.mark.parametrize("without", WITHOUT)
def test_without_locks_or_links_work_goes_on_in_a_folder_that_is_never_a_leftover(
    without: str, data: Path, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.memfd_create", raising=False)
    monkeypatch.setattr(*WITHOUT[without])
    assert tabulate(str(data / "o.csv.xz"), str(data / "s.csv"), keys="k", target="t").o.sum() == 60
    assert list(top.iterdir()) == []
    with private_folder(None) as folder:
        assert "marker" not in {path.name for path in folder.iterdir()}
        (folder / "csv").write_text("records")
        (folder / "results.csv").write_text("results")
    assert [path.name for path in folder.iterdir()] == ["results.csv"]


@pytest.mark.parametrize("why", [*(WITHOUT[name] for name in ("no locks", "locks not supported", "Windows")), ("os.geteuid", lambda: -1)])
def test_without_locks_or_of_another_user_leftovers_stay(why: Any, top: Path, leftover: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*why)
    before = state(top)
    with private_folder(None):
        pass
    assert state(top) == before


# --- processes that spill ---------------------------------------------------------------------------------------------

SPILLS = """
import sys
from capstats.sources.disk import connect
from capstats.sources.source import Options
with connect(Options(memory_limit="150MB", spill_dir=sys.argv[1])) as connection:
    for line in sys.stdin:
        print(connection.execute(line).fetchall(), flush=True)
"""


@contextlib.contextmanager
def spilling(top: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process in the middle of a query that spills, and its private folder."""
    environment = os.environ | {"PYTHONPATH": str(Path(capstats.__file__).parents[1])}
    before = set(top.iterdir())
    with subprocess.Popen(
        [sys.executable, "-c", SPILLS, top], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        print(SPILLING, file=process.stdin, flush=True)
        try:
            while not (spilled := [path for folder in {*top.iterdir()} - before for path in folder.glob("duckdb_temp_*.tmp")]):
                assert process.poll() is None, "nothing was spilled"
                time.sleep(0.002)
            yield process, spilled[0].parent
        finally:
            process.kill()


def test_what_a_process_spills_is_removed_after_a_kill_and_kept_as_long_as_it_runs(top: Path, data: Path, leftover: Path) -> None:
    fill(top, leftover)
    with spilling(top) as (process, running):
        with spilling(top) as (other, left):
            other.kill()
            other.wait()
        assert list(left.glob("duckdb_temp_*.tmp"))
        process.send_signal(signal.SIGSTOP)
        before = state(top, without=left)
        tabulate(data / "o.parquet", keys="k", target="t", spill_dir=top)
        assert state(top, without=left) == before
        assert not left.exists()
        process.send_signal(signal.SIGCONT)
        assert process.communicate(timeout=60) == ("[(2000000,)]\n", None)
    assert not running.exists()


@pytest.mark.parametrize("name", ["TMPDIR", "TEMP", "TMP"])
@pytest.mark.parametrize("what", ["absent", "file", "locked"])
def test_no_other_disk_is_used_than_the_one_that_was_asked_for(
    name: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "locked").mkdir(mode=0o500)
    if what == "locked" and os.access(tmp_path / "locked", os.W_OK):
        pytest.skip("the administrator can write everywhere")
    for other in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, str(tmp_path / what))
    with (
        pytest.raises(ValueError, match=f"{name} is '.*{what}', a folder in which no file can be written.*`spill_dir`"),
        private_folder(None),
    ):
        pass
    with private_folder(tmp_path) as folder:
        assert folder.parent == tmp_path
