"""The command line: as a program of its own, and what it prints as JSON."""

import json
import re
import shlex
import subprocess
import sys

import records

from capstats.cli import main
from capstats.cli.configuration import settings_of
from capstats.cli.program import parser
from capstats.cli.reading import tables

SMOKERS = ["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health"]
PUBLIC = ["--audience", "public", "--ledger", "ledger.json"]

# an option with its value, after which a comma, a full stop or a parenthesis goes with the sentence
_OPTION = r"--(?!allow)[a-z-]+ (?:'[^']*'|\"[^\"]*\"|[^\s'\"])+?(?=\)?[,.;:]?(?:\s|$))"


def advised(message):
    """The options with values that a message has to paste: the first ones that stand side by side."""
    found = re.search(rf"(?:say |as with |such as |need |encoding: |\()({_OPTION}(?: {_OPTION})*)", message)
    return shlex.split(found[1]) if found else []


def run(*arguments, program=("-m", "capstats.cli"), **options):
    """The command as a program of its own; options are those of `subprocess.run`."""
    heard = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "check": False, "timeout": 120, **options}
    return subprocess.run([sys.executable, *program, *arguments], **heard)


def in_json(capsys, *arguments):
    """What `--json` printed, for a command that succeeds and says nothing else."""
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return records.read(out) if arguments[0] == "audit" else json.loads(out)


def said(capsys, status, *arguments):
    """The output and the messages of a command that ends with a status, which may be one of the grammar."""
    capsys.readouterr()  # what was said before
    try:
        found = main([*arguments])
    except SystemExit as end:
        found = end.code
    assert found == status
    return capsys.readouterr()


def printed(capsys, *arguments):
    """What a command that succeeds prints."""
    return said(capsys, 0, *arguments).out


def refused(capsys, *arguments):
    """What standard error has of a command that is refused and prints nothing."""
    out, err = said(capsys, 2, *arguments)
    assert out == ""
    return err


def beyond(capsys, *arguments):
    """What standard error has of a command whose limits are not kept."""
    return said(capsys, 1, *arguments).err


def arguments_of(text):
    """The arguments of the library that the command line makes of a command."""
    program, *words = shlex.split(text.replace("\\\n", ""))  # as a shell joins lines
    assert program == "capstats"
    given = parser().parse_args(words)
    return tables(settings_of(given.command, given), ("original", "synthetic", "keys", "target"), ("example",))
