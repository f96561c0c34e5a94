"""The code of a page in Markdown runs as it stands, and prints what the page says."""

from __future__ import annotations

import atexit
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from capstats.cli import main

LANGUAGES = {"python", "console", "toml", "r", "sh", "text"}  # of sh and text nothing runs
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def fences(text: str) -> list[tuple[str, str]]:
    """Language and content of each fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S)


def run_page(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run all blocks in their order, in the current folder: Python in one namespace, commands, files to write; then R, as one script."""
    names: dict[str, object] = {}
    r = "".join(block for language, block in fences(text) if language == "r")
    for language, block in fences(text):
        assert language in LANGUAGES, f"a block of {language or 'no language'}:\n{block}"
        if language == "python":
            run_python(block, names)
        elif language == "console":
            run_commands(block, capsys)
        elif language == "toml":
            Path(block.splitlines()[0].removeprefix("# ")).write_text(block, encoding="utf-8")
    plt.close("all")
    if r and has_reticulate():
        run_r(r)


def run_python(block: str, names: dict[str, object]) -> None:
    """Plain code, or examples with what they print."""
    if not block.startswith(">>> "):
        exec(block, names)
        return
    examples = doctest.DocTestParser().get_doctest(block, names, "page", None, 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=SAME).run(examples, out=report.append, clear_globs=False)
    names |= examples.globs
    assert result.failed == 0, "".join(report)


def run_commands(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each line ``$ capstats ...`` with the lines below it, which it prints; an error message is the sign of an exit status above 0."""
    commands = re.findall(r"^\$ capstats (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
    assert commands, f"no command in:\n{block}"
    for command, printed in commands:
        capsys.readouterr()
        status = main(shlex.split(command))
        out, err = capsys.readouterr()
        assert bool(status) == bool(re.match(r"capstats \w+: (?!warning)", printed)), f"{command}\n{out}{err}"
        assert doctest.OutputChecker().check_output(printed.strip(), (out + err).strip(), SAME), f"{command}\n{out}{err}"


@cache
def has_reticulate() -> bool:
    """Whether R and the packages of the pages are there; where everything is required, they must be."""
    there = shutil.which("Rscript") is not None
    there = (
        there
        and subprocess.run(["Rscript", "-e", "library(reticulate); library(jsonlite)"], capture_output=True, check=False).returncode == 0
    )
    assert there or not os.environ.get("REQUIRE_ALL"), "no Rscript, or no reticulate or jsonlite, on this machine"
    return there


@cache
def r_library() -> str:
    """A folder with the R package of this repository."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = Path(__file__).parents[1] / "r"
    subprocess.run(["R", "CMD", "INSTALL", "--no-docs", f"--library={folder}", source], check=True, capture_output=True, timeout=300)
    return folder


def run_r(code: str) -> None:
    """R with this Python, and the R package of this repository; the lines ``#> ...`` are what it prints."""
    program = str(Path(sys.executable).with_name("capstats"))
    used = {**os.environ, "RETICULATE_PYTHON": sys.executable, "R_LIBS": r_library(), "CAPSTATS_PROGRAM": program}
    Path("page.R").write_text(code, encoding="utf-8")  # -e takes short code only
    found = subprocess.run(["Rscript", "page.R"], capture_output=True, text=True, check=False, env=used, timeout=300)
    assert found.returncode == 0, found.stderr
    printed = "\n".join(re.findall(r"^#> ?(.*)$", code, re.M))
    assert doctest.OutputChecker().check_output(printed, found.stdout.strip(), SAME), found.stdout
