"""The help of all commands, and what a shell completes."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import printed, run, said

import capstats
import capstats.cli
from capstats.cli import main, outputs, parser
from capstats.cli.options import COMMANDS, OPTIONS
from capstats.lessons.pages import LESSONS
from capstats.tables import counts_files


def test_help_and_version_go_to_standard_output(capsys):
    for arguments, expected in (
        (["--version"], f"capstats {capstats.__version__}\n"),
        (["--help"], "usage: capstats"),
        (["audit", "--help"], "usage:"),
    ):
        out, err = said(capsys, 0, *arguments)
        assert out.startswith(expected)
        assert err == ""


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_help_has_examples_that_the_grammar_takes_and_the_exit_statuses(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    out = printed(capsys, *command.name.split(), "--help")
    assert "\nExamples:\n" in out
    assert "Exit status: 0 success; 1 a measure is above its --fail-above" in " ".join(out.split())
    for what, example in command.examples:
        assert f"  {what}:\n    {example}\n" in out
        program, *arguments = shlex.split(example)
        assert program == "capstats"
        assert parser().parse_args(arguments).command is command


def test_what_the_file_of_commands_lists_is_what_the_code_has():
    options = {command.name: command.options for command in COMMANDS}
    assert options["count"]["out"].endings == counts_files.ENDINGS
    assert OPTIONS["figure"].endings == tuple(outputs.ENDINGS)
    assert OPTIONS["lesson"].help == f"which lessons: {', '.join(LESSONS)}, all; none lists them"


def test_the_options_for_data_and_reading_are_the_same_in_all_commands():
    by_key = {}
    for command in COMMANDS:
        for heading in ("data", "reading"):
            for option in command.groups.get(heading, ()):
                by_key.setdefault(option.key, set()).add((option.kind, option.metavar, option.single, option.choices))
    assert {key for key, found in by_key.items() if len(found) > 1} == {"targets"}  # audit has --target-column for its one target
    read = [command.groups["reading"] for command in COMMANDS if "reading" in command.groups]
    assert len({tuple(option.key for option in options) for options in read}) == 3  # of counts, whole records, first look


def test_the_help_of_the_family_and_of_the_top_name_every_command(capsys):
    for arguments in (["--help"], ["attack", "--help"]):
        with pytest.raises(SystemExit):
            main(arguments)
    out = capsys.readouterr().out
    assert all(command.name.split()[-1] in out for command in COMMANDS)
    assert "Exit status: 0 success; 1 a measure is above its --fail-above" in " ".join(out.partition("usage: capstats attack")[0].split())
    assert 'eval "$(register-python-argcomplete capstats)"' in out


# --- completion -------------------------------------------------------------------------------------------------------


def completions(line, folder, tmp_path):
    """What a shell offers at the end of a line, as argcomplete's protocol has it."""
    out = tmp_path / "completions"
    out.write_text("")
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_SUPPRESS_SPACE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(out)}
    line_at = {"COMP_LINE": line, "COMP_POINT": str(len(line.encode()))}
    done = run(env={**os.environ, **asked, **line_at}, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return out.read_text().split("\n")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("capstats a", ["audit", "anonymity", "attack"]),
        ("capstats attack ", ["-h", "--help", "membership", "knowledge", "model"]),
        ("capstats audit --example ", ["titanic", "anes96"]),
        ("capstats audit --mi", ["--missing"]),
        ("capstats audit orig", ["original.csv", "original.parquet"]),
        ("capstats audit original.csv sy", ["synthetic.csv", "synthetic.parquet"]),
        ("capstats sweep original.csv --csv elsew", ["elsewhere/"]),
        ("capstats sweep --measure m", ["matched_records"]),
        ("capstats audit --fail-above average_cap_zero_g", ["average_cap_zero_greatest="]),
        ("capstats audit --keys ", [""]),
        ("capstats lesson ha", ["hands"]),
    ],
)  # fmt: skip
def test_a_shell_completes_commands_options_choices_and_files(line, offered, folder, tmp_path):
    assert sorted(completions(line, folder, tmp_path)) == sorted(offered)


def test_argcomplete_finds_its_mark_and_neither_it_nor_dask_is_loaded_otherwise(capsys):
    assert "PYTHON_ARGCOMPLETE_OK" in Path(capstats.cli.__file__).read_text()[:1024]
    code = "import sys; from capstats.cli import main; main(); assert not {'argcomplete', 'dask.array'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code, "audit", "--example", "titanic"], check=True, capture_output=True, timeout=120)


def test_the_grammar_loads_nothing_slow():
    code = "import sys; from capstats.cli import parser; parser(); print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120).stdout.split())
    slow = "pandas xarray matplotlib duckdb sklearn jinja2 argcomplete capstats.attacks capstats.screening capstats.paper"
    assert not loaded & {*slow.split()}
