"""The command line: as a program of its own, and what it prints as JSON."""

import json
import subprocess
import sys

from capstats.cli import main

SMOKERS = ["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health"]
PUBLIC = ["--audience", "public", "--ledger", "ledger.json"]


def run(*arguments):
    """The command as a program of its own."""
    return subprocess.run([sys.executable, "-m", "capstats.cli", *arguments], capture_output=True, text=True, check=False, timeout=120)


def in_json(capsys, *arguments):
    """What `--json` printed, for a command that succeeds and says nothing else."""
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def printed(capsys, *arguments):
    """What a command that succeeds prints."""
    capsys.readouterr()  # what was said before
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments):
    """What standard error has of a command that is refused and prints nothing."""
    capsys.readouterr()
    assert main([*arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err
