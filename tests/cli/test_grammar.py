"""The help of all commands, and what a shell completes."""

import pytest

import capstats
from capstats.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_help_and_version_go_to_standard_output(capsys):
    for arguments, expected in (
        (["--version"], f"capstats {capstats.__version__}\n"),
        (["--help"], "usage: capstats"),
        (["audit", "--help"], "usage:"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        out, err = capsys.readouterr()
        assert out.startswith(expected)
        assert err == ""


@pytest.mark.parametrize("command", [[], ["audit"], ["paper"]])
def test_help_says_what_each_exit_status_means(command, capsys):
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    assert "Exit status: 0 success; 1 a measure is above its --fail-above" in " ".join(capsys.readouterr().out.split())
