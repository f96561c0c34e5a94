"""The program: a command is run, its text printed, and every mistake of the user told in one line."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from capstats.cli.configuration import settings_of
from capstats.cli.grammar import one_line, parser
from capstats.cli.options import Command

# what wrong input raises; anything else is a bug and shows its traceback
MISTAKES = (ValueError, TypeError, OSError, ImportError, MemoryError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status, as the help says."""
    grammar = parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks how the line may go on
        import argcomplete

        argcomplete.autocomplete(grammar)
    given = grammar.parse_args(arguments)
    command: Command = given.command
    messages: list[str] = []
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed.")
        with _signals_clean_up():
            text, status = command.run(settings_of(command, given), messages)
    except KeyboardInterrupt:
        print(f"\ncapstats {command.name}: interrupted.", file=sys.stderr)
        return 130
    except MISTAKES as error:
        text, status = "", 2
        messages.append(_reason(error))
    except RuntimeError as error:
        if not str(error).startswith("Symlink loop"):  # what Path.resolve raises before Python 3.13
            raise
        text, status = "", 2
        messages.append(f"{error}: this symbolic link leads back to itself. Give another path.")
    try:
        if text:
            encoding = sys.stdout.encoding or "utf-8"
            print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again at its end
        if not isinstance(error, BrokenPipeError):  # which says that whoever read the output has had enough
            status = 2
            messages.append(f"standard output cannot be written: {error.strerror}.")
    for message in messages:
        print(f"capstats {command.name}: {one_line(message)}", file=sys.stderr)
    return status


def _reason(error: BaseException) -> str:
    reason = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.filename:
        return f"cannot read or write {error.filename!r}: {error.strerror}"
    if isinstance(error, MemoryError) and "`memory_limit`" not in reason:
        return f"memory is exhausted ({reason}). Give fewer key columns, cut columns with --bin, or say --backing sparse."
    return reason


@contextmanager
def _signals_clean_up() -> Iterator[None]:
    """Within it, a signal that would end the program at once ends it as an error does, after temporary folders are removed."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    replaced = {}
    if threading.current_thread() is threading.main_thread():  # only there signals can be handled
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                replaced[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
