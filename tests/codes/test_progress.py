"""A long count shows itself where somebody watches, and nothing is written anywhere else."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pytest
import tqdm  # noqa: F401  its first import takes longer than the waits below

from capstats import cli, tabulate
from capstats.codes import column, progress
from capstats.codes.progress import Progress, is_watched
from capstats.sources import memory

if sys.platform == "win32":
    pytest.skip("has no pseudo-terminals", allow_module_level=True)
import pty

pytestmark = pytest.mark.slow

TABLE = {"a": [1, 2], "t": [1, 2]}


class Terminal:
    """A pseudo-terminal in place of stderr, and what was written to it."""

    def __enter__(self) -> Terminal:
        self.text = ""
        self.other, end = pty.openpty()
        self.stream, self.before = os.fdopen(end, "w"), sys.stderr
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()
        sys.stderr = self.stream
        return self

    def listen(self) -> None:
        with contextlib.suppress(OSError):  # the other end was closed
            while data := os.read(self.other, 4096):
                self.text += data.decode()

    def __exit__(self, *_: object) -> None:
        sys.stderr = self.before
        self.stream.close()
        self.thread.join()
        os.close(self.other)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.1)
    monkeypatch.setattr(progress, "EVERY", 0.05)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, soon: None) -> None:
    """Each column takes a while to be read, and each block to be counted."""
    quick_read, quick_fold = memory.column_of, column._fold

    def read(*given: Any) -> Any:
        time.sleep(0.2)
        return quick_read(*given)

    def fold(*given: Any) -> Any:
        time.sleep(0.2)
        return quick_fold(*given)

    monkeypatch.setattr(memory, "column_of", read)
    monkeypatch.setattr(column, "_fold", fold)
    monkeypatch.setattr(column, "BLOCK", 1 << 17)  # so that a table of three blocks is counted by one thread


def test_a_long_count_shows_its_steps_and_its_share_of_rows(slow: None) -> None:
    n = 3 * column.BLOCK
    table = {"a": np.zeros(n, np.int8), "t": np.zeros(n, np.int8)}
    few = {"a": np.zeros(9, np.int8), "t": np.zeros(9, np.int8)}
    with Terminal() as terminal:
        tabulate(table, few, keys="a", target="t")
    for step in ("reading original: ", "counting original:  33%", "counting original:  67%", "reading synthetic: ", "counting synthetic: "):
        assert step in terminal.text
    assert "\n" not in terminal.text


def test_two_tables_counted_side_by_side_share_one_line_that_never_passes_the_whole(slow: None) -> None:
    n = 3 * column.BLOCK
    table = {"a": np.zeros(n, np.int8), "t": np.zeros(n, np.int8)}
    with Terminal() as terminal:
        tables = tabulate(table, table, keys="a", target="t")
    shares = [int(x) for x in re.findall(r"counting (?:original|synthetic): +(\d+)%", terminal.text)]
    assert len(shares) > 2
    assert max(shares) <= 100
    assert "\n" not in terminal.text
    assert tables.o.identical(tables.s.rename("o"))


def until(seen: Callable[[], bool]) -> None:
    """Wait for something to be seen, however slow the machine is, but not for ever."""
    end = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < end, "nothing of the kind was seen in a minute"
        time.sleep(0.01)


def test_a_bar_is_updated_while_it_waits(soon: None) -> None:
    with Terminal() as terminal, Progress() as shown:
        shown.step("waiting")
        until(lambda: terminal.text.count("waiting: 00:") >= 3)


def test_a_bar_comes_after_two_seconds_and_is_updated_every_second() -> None:
    assert progress.DELAY == 2
    assert progress.EVERY <= 1
    start = time.monotonic()
    with Terminal() as terminal, Progress() as shown:
        shown.step("waiting")
        until(lambda: terminal.text != "")
        assert time.monotonic() - start >= 2
        before = terminal.text
        until(lambda: terminal.text.count("waiting: ") > before.count("waiting: "))


def test_a_short_count_shows_nothing_and_false_turns_it_off(request: pytest.FixtureRequest) -> None:
    with Terminal() as terminal:
        tabulate(TABLE, keys="a", target="t", progress=True)
        request.getfixturevalue("slow")
        tabulate(TABLE, keys="a", target="t", progress=False)
    assert terminal.text == ""


def test_where_stderr_is_no_terminal_it_is_shown_on_request_alone(capsys: pytest.CaptureFixture[str], slow: None) -> None:
    tabulate(TABLE, keys="a", target="t")
    assert capsys.readouterr() == ("", "")
    tabulate(TABLE, keys="a", target="t", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "reading original: 00:00" in err


def test_an_error_ends_the_bar(slow: None) -> None:
    with Terminal() as terminal, pytest.raises(ValueError, match="differ in length"):
        tabulate({"a": [1], "t": [1, 2]}, keys="a", target="t")
    assert "reading original: " in terminal.text
    assert not [thread for thread in threading.enumerate() if thread.name == "capstats progress"]


def test_a_notebook_watches_though_it_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    monkeypatch.setattr(sys, "stderr", stream)
    in_notebook = is_watched()
    monkeypatch.setattr(sys, "stderr", None)
    without = is_watched()
    assert (in_notebook, without) == (True, False)


@pytest.mark.parametrize("shown", [1, "yes"])
def test_anything_but_true_false_and_none_is_refused(shown: Any) -> None:
    with pytest.raises(TypeError, match=f"`progress` must be True, False or None; got {shown!r}"):
        tabulate(TABLE, keys="a", target="t", progress=shown)


def test_a_query_shows_what_duckdb_tells_and_its_step_ends_with_it(soon: None) -> None:
    told = chain([-1.0, 12.0], repeat(40.0))
    connection = SimpleNamespace(execute=lambda _: None, query_progress=lambda: next(told))
    with Terminal() as terminal, Progress() as shown:
        shown.step("before")
        with shown.query(connection, "original"):
            for part in ("counting original:   0%", "counting original:  12%", "counting original:  40%"):
                until(lambda part=part: part in terminal.text)
        until(lambda: "before: " in terminal.text)


def test_a_share_that_was_shown_never_falls(soon: None) -> None:
    told = chain([-1.0, 12.0, 50.0], repeat(-1.0))  # as DuckDB tells once its query has ended
    with Terminal() as terminal, Progress() as shown, shown.query(SimpleNamespace(query_progress=lambda: next(told)), "original"):
        until(lambda: terminal.text.count(" 50%") >= 3)
    shares = [int(x) for x in re.findall(r"counting original: +(\d+)%", terminal.text)]
    assert shares == sorted(shares)


def test_duckdb_itself_tells_its_progress_and_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.02)
    monkeypatch.setattr(progress, "EVERY", 0.02)
    path = str(tmp_path / "t.parquet")
    duckdb.sql("SELECT range % 1000 AS a, hash(range) % 7 AS t FROM range(20000000)").write_parquet(path)
    capfd.readouterr()  # where no file is run, as in a worker of xdist, DuckDB thinks of a prompt and shows a bar while it writes
    with Terminal() as terminal:
        tabulate(path, keys="a", target="t")
    assert "counting original: " in terminal.text
    shares = [] if duckdb.__version__ >= "2" else ["1"]  # older versions may tell 0 % while all processors are busy
    for _ in range(20):  # a quick machine may be done before it is asked
        with Terminal() as terminal:
            tabulate(path, keys="a", target="t")
        shares += re.findall(r"counting original: +([0-9]+)%", terminal.text)
        if any(map(int, shares)):
            break
    assert any(map(int, shares))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("quiet", [True, False])
def test_quiet_turns_it_off_on_the_command_line(slow: None, capsys: pytest.CaptureFixture[str], tmp_path: Path, quiet: bool) -> None:
    (tmp_path / "t.csv").write_text("a,t\n1,2\n")
    file = str(tmp_path / "t.csv")
    with Terminal() as terminal:
        assert cli.main(["audit", file, file, "--keys", "a", "--target", "t", "--allow-same", *["--quiet"] * quiet]) == 0
    assert ("ordering distinct rows of original" in terminal.text) == (not quiet)


def test_a_name_cannot_write_control_characters_to_the_terminal(soon: None) -> None:
    with Terminal() as terminal, Progress(True) as shown:
        shown.step("cutting age\x07\n")
        until(lambda: "cutting age" in terminal.text)
    assert r"cutting age\x07\n" in terminal.text
    assert "\x07" not in terminal.text
