"""Connections to DuckDB are private: nothing confidential stays on disk or in a message, and no socket is opened."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import platform
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import capstats
from capstats import tabulate
from capstats.sources import csv_rules
from capstats.sources.disk import answer, connect, plain, private_folder
from capstats.sources.files import Shared
from capstats.sources.source import Options

posix = pytest.mark.skipif(os.name != "posix", reason="folders have no modes, and signals no handlers")
MARKER = "Marker-7f3a"
DISTINCT = f"SELECT count(*) FROM (SELECT DISTINCT '{MARKER}' || hash(range) FROM range(4000000))"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of so many distinct records that counting them in little memory spills."""
    path = tmp_path_factory.mktemp("many") / "many.parquet"
    duckdb.sql(f"SELECT '{MARKER}' || hash(range) AS k, range % 5 AS t FROM range(3000000)").write_parquet(str(path))
    return path


@pytest.fixture
def few(tmp_path: Path) -> Path:
    path = tmp_path / "few.parquet"
    duckdb.sql("SELECT range % 3 AS k, range % 2 AS t FROM range(60)").write_parquet(str(path))
    return path


def holding(text: str, *folders: Path) -> list[Path]:
    """The files below the folders that hold a text."""
    return [file for folder in folders for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


def encrypts() -> bool:
    with duckdb.connect() as connection:
        return bool(connection.execute("SELECT 1 FROM duckdb_settings() WHERE name = 'temp_file_encryption'").fetchall())


# --- what is on disk --------------------------------------------------------------------------------------------------


@posix
def test_what_does_not_fit_in_memory_is_spilled_encrypted_to_a_private_folder_that_is_removed(top: Path) -> None:
    """Encrypted where this version of DuckDB does so."""
    found: list[tuple[Path, bool]] = []

    def watch() -> None:
        spilled = spilled_by(os.getpid(), top, 10 << 20)
        found.append((spilled[0], bool(holding(MARKER, *[x.parent for x in spilled]))))

    with connect(Options(memory_limit="150MB", spill_dir=None)) as connection:
        (folder,) = top.iterdir()
        watching = threading.Thread(target=watch)
        watching.start()
        assert answer(connection, lambda: connection.execute(DISTINCT).fetchall()) == [(4_000_000,)]
        watching.join()
        ((spilled, readable),) = found
        assert folder in spilled.parents
        assert not (readable and encrypts())
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(top.iterdir()) == []


def test_records_are_spilled_where_the_caller_says(top: Path, tmp_path: Path, few: Path) -> None:
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    with connect(Options(spill_dir=chosen)) as connection:
        assert connection.execute("SELECT current_setting('temp_directory')").fetchall()[0][0].startswith(str(chosen))
    tabulate(str(few), keys="k", target="t", spill_dir=str(chosen))
    assert list(chosen.iterdir()) == list(top.iterdir()) == []


def test_a_folder_to_spill_to_that_is_not_there_is_told(few: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"`spill_dir` must be a folder in which files can be written; '.*nowhere' is not \(No such file"):
        tabulate(str(few), keys="k", target="t", spill_dir=tmp_path / "nowhere")


# --- processes that end early -----------------------------------------------------------------------------------------


def spilled_by(pid: int, top: Path, size: int = 1) -> list[Path]:
    """The files that a process has spilled, as soon as there are some."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            found = [x for x in top.glob(f"capstats-{pid}-*/duckdb_temp_*") if x.stat().st_size >= size]
            if found:
                return found
        time.sleep(0.005)
    raise AssertionError("nothing was spilled in a minute")


@contextlib.contextmanager
def counting(many: Path, top: Path, command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A process in the middle of a count that spills, in an empty folder and with an empty home."""
    home, here = top.parent / "home", top.parent / "here"
    home.mkdir()
    here.mkdir()
    environment = os.environ | {"HOME": str(home), "PYTHONPATH": str(Path(capstats.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", *command], cwd=here, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            spilled_by(child.pid, top, 1 << 20)
            yield child
        finally:
            child.kill()


COMMAND = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from capstats.cli import main; sys.exit(main())"


@posix
@pytest.mark.parametrize(
    ("number", "status", "told"), [(signal.SIGTERM, 143, ""), (signal.SIGINT, 130, "\ncapstats audit: interrupted.\n")]
)
def test_a_signal_ends_the_command_at_once_and_leaves_nothing(many: Path, top: Path, number: int, status: int, told: str) -> None:
    arguments = ["audit", str(many), str(many), "--keys", "k", "--target", "t", "--memory-limit", "150MB", "--quiet", "--allow-same"]
    with counting(many, top, [COMMAND, *arguments]) as child:
        child.send_signal(number)
        out, err = child.communicate(timeout=20)
        assert (child.returncode, out, err) == (status, "", told)
    assert list(top.iterdir()) == []
    assert holding(MARKER, top.parent) == []
    assert [*(top.parent / "home").iterdir(), *(top.parent / "here").iterdir()] == []


LONG = "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b"  # minutes of work, and no memory


@contextlib.contextmanager
def interrupted() -> Iterator[None]:
    """Ctrl-C comes soon, as it does in a terminal (a process in the background ignores it), and ends what is done at once."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        yield
    assert time.monotonic() - start < 10  # of minutes
    timer.join()
    signal.signal(signal.SIGINT, before)


@posix
def test_ctrl_c_ends_a_reading_that_asks_duckdb_nothing(tmp_path: Path) -> None:
    (tmp_path / "blank.csv").write_bytes(b"\n" * (32 << 20))
    seen, stopped = [], threading.Event()

    def read() -> None:
        for block in csv_rules.blocks(str(tmp_path / "blank.csv"), stopped=stopped):
            seen.append(len(block))
            time.sleep(0.02)

    with connect(Options()) as connection, interrupted():
        answer(connection, read, stopped)
    assert 0 < sum(seen) < 32 << 20
    assert stopped.is_set()


@posix
@pytest.mark.parametrize("before", [0, 0.5], ids=["while DuckDB counts", "between two queries"])
def test_ctrl_c_ends_a_query_that_runs_or_the_next_one(before: float) -> None:
    def work() -> None:
        time.sleep(before)  # nothing runs while the signal comes
        connection.execute(LONG).fetchall()

    with connect(Options()) as connection, interrupted():
        answer(connection, work)


def count_and_tell(path: str, queue: multiprocessing.Queue[list[int]]) -> None:
    queue.put(tabulate(path, keys="k", target="t").o.values.ravel().tolist())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_counts_as_its_parent_did(few: Path, top: Path) -> None:
    expected = tabulate(str(few), keys="k", target="t").o.values.ravel().tolist()
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[list[int]] = context.Queue()
    with private_folder(None) as folder:
        child = context.Process(target=count_and_tell, args=(str(few), queue), daemon=True)
        child.start()
        assert queue.get(timeout=20) == expected
        child.join()
        assert list(top.iterdir()) == [folder]


# --- the network ------------------------------------------------------------------------------------------------------

# A seccomp filter: socket() is refused, and whoever calls it is ended by SIGSYS, native code too
GUARD = """
import ctypes, struct, sys
number = {"x86_64": 41, "aarch64": 198}[%r]
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x80000000), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
program = Program(len(steps), ctypes.addressof(code))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0, ctypes.get_errno()
"""
guarded = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="the filter is written for Linux"
)


def run_guarded(code: str, home: Path) -> subprocess.CompletedProcess[str]:
    home.mkdir()
    environment = os.environ | {"HOME": str(home), "PYTHONPATH": str(Path(capstats.__file__).parents[1])}
    code = GUARD % platform.machine() + code
    return subprocess.run([sys.executable, "-c", code], env=environment, cwd=home, capture_output=True, text=True, timeout=60, check=False)


@guarded
def test_the_guard_ends_a_process_that_opens_a_socket(tmp_path: Path) -> None:
    assert run_guarded("import socket; socket.socket()", tmp_path / "home").returncode == -signal.SIGSYS


@guarded
def test_counting_files_opens_no_socket_and_makes_no_file(tmp_path: Path, few: Path, top: Path) -> None:
    (tmp_path / "few.csv").write_text("k,t\n0,1\n1,0\n")
    code = (
        "import capstats, pandas as pd\n"
        f"capstats.tabulate({str(few)!r}, keys='k', target='t')\n"
        f"capstats.tabulate({str(tmp_path / 'few.csv')!r}, keys='k', target='t', memory_limit='1GB')\n"
        "frame = pd.DataFrame({'k': ['a', 'b'] * 300000, 't': ['c', 'd'] * 300000}, dtype=object)\n"
        "capstats.tabulate(frame, keys='k', target='t')\n"
        "for path in ('s3://bucket/file.parquet', 'https://localhost/file.csv', 'hf://datasets/a.parquet'):\n"
        "    try: capstats.tabulate(path, keys='k', target='t')\n"
        "    except ValueError as error: assert 'reads local files only' in str(error)\n"
        "print('done')"
    )
    found = run_guarded(code, tmp_path / "home")
    assert (found.returncode, found.stdout, found.stderr) == (0, "done\n", "")
    assert [*(tmp_path / "home").iterdir(), *top.iterdir()] == []


def test_a_connection_reads_its_own_files_only_and_its_settings_are_locked(few: Path, tmp_path: Path) -> None:
    other = shutil.copy(few, tmp_path / "other[1]'.parquet")
    with connect(Options(), [str(few)]) as connection:
        assert connection.execute("SELECT count(*) FROM read_parquet(?)", [str(few)]).fetchall() == [(60,)]
        if connection.execute("SELECT 1 FROM duckdb_settings() WHERE name = 'allowed_paths'").fetchall():
            with pytest.raises(duckdb.PermissionException):
                connection.execute("SELECT count(*) FROM read_parquet(?)", [str(other)])
            with pytest.raises(duckdb.PermissionException):
                connection.execute("LOAD httpfs")
        with pytest.raises(duckdb.InvalidInputException, match="locked"):
            connection.execute("SET autoinstall_known_extensions = true")
    assert tabulate(str(other), keys="k", target="t").o.sum() == 60


# --- paths ------------------------------------------------------------------------------------------------------------


def test_a_path_may_start_with_the_home_folder(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(few.parent))
    monkeypatch.setenv("USERPROFILE", str(few.parent))
    assert tabulate("~/few.parquet", "~/*.parquet", keys="k", target="t").o.sum() == 60


def test_a_pattern_reads_files_at_any_depth_and_a_parquet_folder_all_its_files(few: Path, tmp_path: Path) -> None:
    deep = tmp_path / "all.parquet" / "k=1"
    deep.mkdir(parents=True)
    shutil.copy(few, deep / "1.parquet")
    shutil.copy(few, deep.parent / ".2.parquet")
    (deep.parent / "_SUCCESS").write_text("")
    for path in (deep.parent, tmp_path / "all.parquet" / "**" / "*.parquet"):
        assert tabulate(path, keys="k", target="t").o.sum() == 120


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@posix
@pytest.mark.parametrize(("path", "make"), [("x.csv", os.mkfifo), ("x.csv", make_socket), ("/dev/null", str)])
def test_pipes_sockets_and_devices_are_refused(
    path: str, make: Callable[[Any], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    make(Path(path))
    with pytest.raises(ValueError, match=rf"`original` is '.*{path}', a pipe, socket or device\. Save its content in a regular file"):
        tabulate(path, keys="k", target="t")


# --- messages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(x for x in dir(duckdb) if x.endswith("Exception") and x != "InterruptException"))
def test_no_error_of_duckdb_is_told_in_its_own_words(kind: str) -> None:
    error = plain(getattr(duckdb, kind)(f"Could not convert '{MARKER}'"), "`original` (a.parquet)", "Repair the file.")
    assert MARKER not in str(error)
    assert str(error).startswith("`original` (a.parquet) ")
    assert str(error).endswith("Repair the file." if isinstance(error, ValueError) else "coarser columns.")


def test_exhausted_memory_is_told_with_what_to_do(many: Path, top: Path) -> None:
    with pytest.raises(
        MemoryError, match=r"`original` .* does not fit in memory.* Raise `memory_limit`, give a `spill_dir` with more room"
    ):
        tabulate(str(many), keys="k", target="t", memory_limit="1MB")
    assert list(top.iterdir()) == []


def test_a_damaged_file_is_told_without_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    duckdb.sql(f"SELECT '{MARKER}' || range AS k, 1 AS t FROM range(9)").write_parquet(str(path))
    data = path.read_bytes()
    path.write_bytes(data.replace(MARKER.encode(), b"\xff" * len(MARKER)))  # DuckDB quotes what is no UTF-8
    with pytest.raises(ValueError, match=r"`original` \(.*t\.parquet\) cannot be read: .* Repair the file") as raised:
        tabulate(path, keys="k", target="t")
    assert raised.value.__suppress_context__
    assert "xff" not in str(raised.value).lower()


def test_a_damaged_file_is_no_lack_of_memory_whatever_the_name_of_its_folder_and_leaves_no_folder(top: Path, tmp_path: Path) -> None:
    path = tmp_path / "capstats-2026-november" / "bad.parquet"
    path.parent.mkdir()
    path.write_bytes(b"PAR1 no parquet PAR1")
    with pytest.raises(ValueError, match=r"bad\.parquet\) cannot be read: .* Repair the file"):
        tabulate(path, keys="k", target="t")
    assert list(top.iterdir()) == []


@posix
def test_a_disk_that_is_full_is_told_with_what_to_do(many: Path, top: Path) -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"  # of each file
        "from capstats import tabulate\n"
        f"try: tabulate({str(many)!r}, keys='k', target='t', memory_limit='150MB')\n"
        "except MemoryError as error: print(error)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(capstats.__file__).parents[1])}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert "does not fit in memory, nor in what is free of the folder for temporary files" in found.stdout
    assert list(top.iterdir()) == []


def test_a_call_makes_one_connection_however_many_tables_and_columns_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = duckdb.sql("SELECT range % 3 AS k, range AS x, range / 7 AS y, range % 2 AS t FROM range(60)")
    opened: list[duckdb.DuckDBPyConnection] = []
    real = duckdb.connect
    monkeypatch.setattr("duckdb.connect", lambda *args, **more: opened.append(real(*args, **more)) or opened[-1])
    for ending, write in ((".parquet", few.write_parquet), (".csv", few.write_csv), (".csv.gz", few.write_csv)):
        paths = [str(tmp_path / f"{name}{ending}") for name in "osh"]
        for path in paths:
            write(path)
        opened.clear()
        found = tabulate(paths[0], [paths[1]], holdout=paths[2], keys=["k", "x", "y"], target="t", bins={"x": 4, "y": ("quantile", 3)})
        assert len(opened) == 1
        with pytest.raises(duckdb.ConnectionException):  # it is closed
            opened[0].execute("SELECT 1")
        assert found.o.sum() == found.s.sum() == found.h.sum() == 60


def test_after_an_error_the_next_reading_of_a_call_has_a_new_connection(few: Path) -> None:
    shared = Shared([str(few)], Options())
    with pytest.raises(duckdb.CatalogException), shared.reading() as (connection, _):
        connection.execute("SELECT * FROM nothing")
    with shared.reading() as (again, _):
        assert again is not connection
        assert again.execute("SELECT count(*) FROM read_parquet(?)", [str(few)]).fetchall() == [(60,)]
    shared.close()
