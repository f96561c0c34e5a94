"""The grammar of the command line: all commands, their options under the same headings, and their help."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from typing import Any, NoReturn

from capstats import __version__
from capstats.cli import anonymity, attack, audit, count, lesson, paper, records, sweep
from capstats.cli.kinds import FLAG, PATH
from capstats.cli.options import Command, Option
from capstats.codes.names import printable

COMMANDS: tuple[Command, ...] = (
    paper.COMMAND,
    lesson.COMMAND,
    audit.COMMAND,
    count.COMMAND,
    sweep.COMMAND,
    records.COMMAND,
    anonymity.COMMAND,
    *attack.COMMANDS,
)
CONFIG = Option("config", PATH, "settings of this command (TOML); what is on the command line stands in place of them", "FILE")
FORCE = Option("force", FLAG, "replace files that the configuration names and capstats did not make, or that are CSV")
STATUS = """Exit status: 0 success; 1 a measure is above its --fail-above (audit), or a
printed value does not agree (paper); 2 wrong input, or output that cannot be
written; 130 interrupted."""
SETTINGS = (  # of a configuration, by options
    'original = "original.csv"',
    'members = "members.csv"',
    'non-members = "others.csv"',
    'synthetic = "synthetic.csv"',
    'keys = ["age", "sex"]',
    'target = "income"',
    'targets = "income"',
    'columns = ["age", "sex", "income"]',
    "bins = {age = 10}",
    'out = "counts.parquet"',
)
CONFIGURATION = """Configuration: the options by their long names, such as

{}

Paths are relative to the file. An option on the command line takes the place
of all that the file says for it. Files to write that it names lie within its
folder, and replace only what capstats made; see --force."""
COMPLETION = """Completion of commands, options, choices and file names in bash and zsh:
  eval "$(register-python-argcomplete capstats)"
"""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and name the option that is nearest to an unknown one."""

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """The arguments; an error where one is not known."""
        given, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command: Command = given.command
            known = [name for option in command.options.values() for name in option.flags]
            near = difflib.get_close_matches(unknown[0].partition("=")[0].lstrip("-"), known, n=1, cutoff=0.7)
            hint = f". Did you mean --{near[0]}" if near else ""
            self.error(f"unrecognized arguments of {command.name}: {' '.join(unknown)}{hint}", f"{self.prog} {command.name}")
        return given

    def error(self, message: str, of: str | None = None) -> NoReturn:
        """Print the message as one line and exit with status 2."""
        end = "?" if "Did you mean" in message else "."
        self.exit(2, f"{self.prog}: {one_line(message)}{end} Try `{of or self.prog} --help`.\n")


def one_line(message: str) -> str:
    """A message as one line without characters that a terminal obeys."""
    return printable(" ".join(message.split()))


def parser() -> Parser:
    """The command line's grammar."""
    top = Parser(
        prog="capstats",
        description="Disclosure risk of synthetic data in closed form (Correct Attribution Probability).",
        epilog=f"Every command has a --help with examples.\n\n{COMPLETION}\n{STATUS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"capstats {__version__}")
    commands = top.add_subparsers(dest="name", required=True, metavar="COMMAND", parser_class=Parser)
    families = {"": commands}
    for command in COMMANDS:
        family, _, name = command.name.rpartition(" ")
        if family not in families:
            told = attack.FAMILY
            of = commands.add_parser(
                family,
                help=told,
                description=_sentence(told),
                epilog=f"Every attack has a --help with examples.\n\n{STATUS}",
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            families[family] = of.add_subparsers(dest="name", required=True, metavar=family.upper(), parser_class=Parser)
        _add(families[family], name, command)
    return top


def _add(commands: argparse._SubParsersAction[Parser], name: str, command: Command) -> None:
    """A parser of one command."""
    examples = "\n".join(f"  {what}:\n    {text}" for what, text in command.examples)
    has_config = command not in (paper.COMMAND, lesson.COMMAND)
    example = "\n".join(f"  {line}" for line in SETTINGS if line.partition(" ")[0] in command.options)
    parts = [f"Examples:\n{examples}", *([CONFIGURATION.format(example)] if has_config else []), STATUS]
    own = commands.add_parser(
        name,
        help=command.help,
        description=_sentence(command.help),
        epilog="\n\n".join(parts),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    for heading, options in command.groups.items():
        group = own.add_argument_group(heading)
        for option in options:
            option.add_to(group)
    if has_config:
        group = own.add_argument_group("configuration")
        CONFIG.add_to(group)
        FORCE.add_to(group)
    own.set_defaults(command=command)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
