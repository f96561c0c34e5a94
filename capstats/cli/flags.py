"""Messages of the library with options of the command line in place of arguments of Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capstats.cli.options import Option

QUOTED = r"(?<!\w)'(?:[^'\\]|\\.)*'(?!\w)|\"(?:[^\"\\]|\\.)*\""  # labels and paths in a message
_IN_SHELL = r"(?:'[^']*'|\"[^\"]*\"|[^'\"() ]|\([^()]*\))+"  # a word, as a shell reads it
_OPTIONS = rf"--[a-z-]+(?:[ =]{_IN_SHELL})?"
_PLAIN = rf"(?:{QUOTED}|[^'\"{{}}()])*"
_INSIDE = rf"(?:{QUOTED}|[^'\"{{}}()]|\{{{_PLAIN}\}})*"
_ARGUMENT = rf"(?<![\w.])(?<!\w\()[a-z_]+=(?:{QUOTED}|\{{{_INSIDE}\}}|\[{_INSIDE}\]|\({_INSIDE}\)|\.\.\.|True|[\d.]*\d)?"
_BOTH = rf"{_ARGUMENT}(?:(?:,| and) {_ARGUMENT})*\s+\((?P<options>{_OPTIONS}(?: {_OPTIONS})*)\)"
_PARTS = re.compile(rf"{_BOTH}|{_OPTIONS}|{QUOTED}|`(?P<name>\w+)`|(?P<argument>{_ARGUMENT})")


def in_options(message: str, options: Iterable[Option] = ()) -> str:
    """The message, or the text of a report, with options alone where it has an argument and the option of it.

    With these options also where it names arguments; names of tables stay, and in a message about a configuration all names.
    """
    flags = {name.replace("-", "_"): option for option in options for name in option.flags}

    def written(found: re.Match[str]) -> str:
        if found["options"]:
            return found["options"]
        option = flags.get(found["name"])
        if option is not None and not option.kind.is_input:
            return f"--{option.key}"
        name, _, value = (found["argument"] or "").partition("=")
        if name not in flags:
            return found[0]
        if value in ("", "..."):
            return f"--{flags[name].key}"
        from capstats.codes.arguments import options_of

        return " ".join(options_of(name, ast.literal_eval(value)))

    return message if message.startswith("--config") else _PARTS.sub(written, message)
