"""The README's code runs as it stands, and prints what it says."""

from __future__ import annotations

import doctest
import re
import shlex
import stat
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from public_names import public_names

from capstats.cli import main

ELLIPSIS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SAME = doctest.OutputChecker()
README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_code_runs_in_order_and_prints_the_numbers_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, re.S)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    plt.close("all")
    printed = [f"{float(line):.3f}" for line in capsys.readouterr().out.split()]
    assert printed == re.findall(r"print\(.*# (\d\.\d+)", README)
    assert (tmp_path / "risk.png").stat().st_size > 0
    assert len(blocks) == 4


def test_the_way_from_two_files_to_a_report_goes_as_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    section = re.split(r"^## ", README, flags=re.M)
    (told,) = [text for text in section if text.startswith("From two files to a report")]
    for language, block in re.findall(r"```(\w+)\n(.*?)```", told, re.S):
        if language == "python":  # makes the files
            exec(block, {})
        elif language == "toml":
            Path(block.splitlines()[0].removeprefix("# ")).write_text(block, encoding="utf-8")
        else:
            for command, printed in re.findall(r"^\$ capstats (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
                status = main(shlex.split(command))
                out, err = capsys.readouterr()
                assert bool(status) == printed.startswith("capstats audit: "), command
                assert SAME.check_output(printed.strip(), (out + err).strip(), ELLIPSIS), out + err
    assert {path.name for path in tmp_path.iterdir() if stat.S_IMODE(path.stat().st_mode) == 0o600} == {"report.html", "people.csv"}
    assert "vote" in (tmp_path / "public.html").read_text(encoding="utf-8")


def test_the_printed_audit_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--example", "anes96"]) == 0
    assert capsys.readouterr().out.strip() in README


def test_every_public_function_is_in_the_table_of_what_there_is() -> None:
    names = [dotted.rpartition(".")[2] for dotted in public_names()]
    lacking = [name for name in names if name.islower() and f"`{name}`" not in README]
    assert set(lacking) <= {"at_most", "observed_domain", "full_domain"}


def test_both_commands_stand_in_it_and_their_uv_equivalents() -> None:
    for command in (
        "python -m pip install . && capstats paper --out paper",
        'python -m pip install -e ".[test]" && python -m pytest',
        "python -m venv .venv",
        "uv run capstats paper --out paper",
        "uv run --extra test python -m pytest",
    ):
        assert command in README
