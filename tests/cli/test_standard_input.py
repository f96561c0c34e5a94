"""``-`` is standard input: records or counts that were never written to a disk; ``~`` is the user's home in every path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import SMOKERS, printed, run

from capstats import from_counts, read_counts, write_counts
from capstats.cli.options import OPTIONS

pytestmark = pytest.mark.usefixtures("here")


def piped(content: bytes, *arguments: str) -> dict:
    """The JSON of a command into which content is piped."""
    done = run(*arguments, "--json", input=content, text=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_records_from_a_pipe_have_the_numbers_of_the_file(ending):
    names = [f"original.{ending}", f"synthetic.{ending}"]
    of_files = piped(b"", *SMOKERS[:1], *names, *SMOKERS[3:])
    of_pipe = piped(Path(names[1]).read_bytes(), *SMOKERS[:1], names[0], "-", *SMOKERS[3:])
    assert of_pipe["measures"] == of_files["measures"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_counts_from_a_pipe_have_the_numbers_of_the_file(ending):
    path = Path(f"counts.{ending}")
    write_counts(from_counts([[5, 20], [45, 30]], [[7, 8], [60, 25]], key_labels={"k": ["a", "b"]}), path)
    assert piped(path.read_bytes(), "anonymity", "-")["models"] == piped(b"", "anonymity", str(path))["models"]


def test_a_tilde_is_the_home_of_the_user_in_every_path(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in ("original.csv", "synthetic.csv"):
        (tmp_path / name).write_bytes(Path(name).read_bytes())
    printed(capsys, "count", "~/original.csv", "~/synthetic.csv", *SMOKERS[3:], "--out", "~/counts.json")
    tables = read_counts("~/counts.json")
    write_counts(tables, "~/again.csv")
    assert read_counts(tmp_path / "again.csv").identical(tables)
    assert OPTIONS["html"].configured("~/a.html", Path("elsewhere")) == str(tmp_path / "a.html")
