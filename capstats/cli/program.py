"""The program: all commands with their help; one is run, its text printed, and every mistake of the user printed in one line."""

from __future__ import annotations

import argparse
import difflib
import gc
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile, zip_longest
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NoReturn

from capstats import __version__
from capstats.cli.about import about
from capstats.cli.configuration import settings_of
from capstats.cli.flags import in_options
from capstats.cli.options import COMMANDS, HELD, OPTIONS, Command
from capstats.codes.names import printable

TEXTS: dict[str, str] = HELD["texts"]
# errors of wrong input; any other error is a bug and shows its traceback
MISTAKES = (ValueError, TypeError, OSError, ImportError, MemoryError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status, as the help says."""
    if arguments is None:  # a process of its own, which reads no frame of Dask: xarray would import all of Dask to see that (1.1 s)
        sys.modules.setdefault("dask", None)  # type: ignore[arg-type]
    grammar = parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions
        import argcomplete

        argcomplete.autocomplete(grammar)
    if {"--version", "--verbose"} == set(sys.argv[1:] if arguments is None else arguments):
        print(about())
        return 0
    given = grammar.parse_args(arguments)
    command: Command = given.command
    messages: list[str] = []
    text, status = "", 2
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed.")
        with _signals_clean_up():
            text, status = _loaded(command.run)(settings_of(command, given), messages)
    except KeyboardInterrupt:
        print(f"\ncapstats {command.name}: interrupted.", file=sys.stderr)
        return 130
    except MISTAKES as error:
        messages.append(_reason(error))
    except RuntimeError as error:
        if not str(error).startswith("Symlink loop"):  # what Path.resolve raises before Python 3.13
            raise
        messages.append(f"{error}: this symbolic link leads back to itself. Give another path.")
    try:
        if text:
            encoding = sys.stdout.encoding or "utf-8"
            print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again at its end
        if not isinstance(error, BrokenPipeError):  # which means that the reader of the output has closed it
            status = 2
            messages.append(f"standard output cannot be written: {error.strerror}.")
    for message in messages:
        print(f"capstats {command.name}: {one_line(in_options(message, command.options.values()))}", file=sys.stderr)
    return status


def _loaded(place: str) -> Any:
    """The function of a command. A collection of garbage while pandas and the others are imported finds none, and takes .05 s."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return resolve_name(place)
    finally:
        if collects:
            gc.enable()


def _reason(error: BaseException) -> str:
    reason = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.filename:
        return f"cannot read or write {error.filename!r}: {error.strerror}"
    if isinstance(error, MemoryError) and "`memory_limit`" not in reason:
        return f"memory is exhausted ({reason}). Give fewer key columns, cut columns with --bin, or say --backing sparse."
    return reason


@contextmanager
def _signals_clean_up() -> Iterator[None]:
    """In this context, a signal that ends the program does so like an error, after temporary folders are removed."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    replaced = {}
    if threading.current_thread() is threading.main_thread():  # signals can be handled only there
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                replaced[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


# --- the grammar of the command line ------------------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and name the option that is nearest to an unknown one."""

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """The arguments; an error for an unknown one."""
        args = list(sys.argv[1:] if args is None else args)
        pairs = zip_longest(args, args[1:], fillvalue="")
        args = [f"{x}=" if x == "--json" and not after.lower().endswith(".json") else x for x, after in pairs]  # no table is its FILE
        given, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command: Command = given.command
            known = [name for option in command.options.values() for name in option.flags]
            if gone := HELD["removed"].get(f"{command.name} {unknown[0].partition('=')[0]}"):
                self.error(f"{unknown[0].partition('=')[0]} of {command.name} was removed; use {gone}", f"{self.prog} {command.name}")
            near = difflib.get_close_matches(unknown[0].partition("=")[0].lstrip("-"), known, n=1, cutoff=0.7)
            hint = f". Did you mean --{near[0]}" if near else _separated(args, command)
            given_so = " ".join("--json" if x == "--json=" else x for x in unknown)
            self.error(f"unrecognized arguments of {command.name}: {given_so}{hint}", f"{self.prog} {command.name}")
        return given

    def error(self, message: str, of: str | None = None) -> NoReturn:
        """Print the message as one line and exit with status 2."""
        end = "?" if "Did you mean" in message else "."
        self.exit(2, f"{self.prog}: {one_line(message)}{end} Try `{of or self.prog} --help`.\n")


def _separated(given: Sequence[str], command: Command) -> str:
    """A hint at how to write several values, if several follow an option that takes one text; otherwise ""."""
    options = {name: option for option in command.options.values() if option.kind.read for name in (option.key, option.also)}
    for i, text in enumerate(given):
        flag, equals, first = text.partition("=")
        option = options.get(flag.removeprefix("--")) if flag.startswith("--") else None
        values = [*([first] if equals else []), *takewhile(lambda x: not x.startswith("--"), given[i + 1 :])]
        if option is None or len(values) < 2 or any(re.search(r"[*?/\\]", x) or Path(x).exists() for x in values[1:]):
            continue
        if not option.kind.commas:
            return f". {flag} is given once for each: {' '.join(f'{flag} {shlex.quote(x)}' for x in values)}"
        return f". {flag} takes values separated by commas: {flag} {shlex.quote(','.join(x.strip(',') for x in values))}"
    return ""


def one_line(message: str) -> str:
    """A message as one line without control characters."""
    return printable(" ".join(message.split()))


def parser() -> Parser:
    """The command line's grammar."""
    epilog = f"Every command has a --help with examples.\n\n{TEXTS['completion']}\n{TEXTS['status']}"
    top = Parser(prog="capstats", description=TEXTS["description"], epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--version", action="version", version=f"capstats {__version__}")
    top.add_argument("--verbose", action="store_true", help="after --version: the versions of all that capstats uses, for a bug report")
    commands = top.add_subparsers(dest="name", required=True, metavar="COMMAND", parser_class=Parser)
    families = {"": commands}
    for command in COMMANDS:
        family, _, name = command.name.rpartition(" ")
        if family not in families:
            of = _add(commands, family, TEXTS[family], [f"Every {family} has a --help with examples.", TEXTS["status"]])
            families[family] = of.add_subparsers(dest="name", required=True, metavar=family.upper(), parser_class=Parser)
        examples = "\n".join(f"  {what}:\n    {text}" for what, text in command.examples)
        parts = [f"Examples:\n{examples}", TEXTS["status"]]
        groups = dict(command.groups)
        if "data" in groups:
            shown = command.options.keys() - ({"targets"} if "target" in command.options else set())
            settings = "\n".join(f"  {line}" for key, line in HELD["settings"].items() if key in shown)
            parts.insert(1, TEXTS["configuration"].format(settings))
            groups["configuration"] = [OPTIONS["config"], OPTIONS["force"]]
        own = _add(families[family], name, command.help, parts, argument_default=argparse.SUPPRESS)
        own.set_defaults(command=command)
        for heading, options in groups.items():
            group = own.add_argument_group(heading)
            for option in options:
                option.add_to(group)
    return top


def _add(commands: argparse._SubParsersAction[Parser], name: str, what: str, parts: Sequence[str], **more: Any) -> Parser:
    """Add the parser of one command, or of a family of commands."""
    description = f"{what[0].upper()}{what[1:]}."
    how: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False, **more}
    return commands.add_parser(name, help=what, description=description, epilog="\n\n".join(parts), **how)
