"""Options and commands: each option is defined once, for the command line and for a configuration, and holds the same value in both."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from capstats.cli.kinds import FLAG, NAMES, PATHS, TEXTS, Kind

Settings = Mapping[str, Any]  # the options that are given, under their long names


@dataclass(frozen=True)
class Option:
    """An option, or a positional argument, of a command; ``key`` is its long name, and its name in a configuration."""

    key: str
    kind: Kind
    help: str
    metavar: str | None = None
    choices: Sequence[str] | None = None
    single: tuple[str, str, str] | None = None  # a form for one value that may hold commas: its long name, metavar and help
    also: str | None = None  # another spelling on the command line
    count: str | None = None  # of positional arguments: "?" or "*"
    required: bool = False
    endings: tuple[str, ...] = ()  # of a file that is written: how its name may end in a configuration
    words: Callable[[], Sequence[str]] = tuple  # what a shell completes, where it is neither a file nor one of the choices

    @property
    def flags(self) -> list[str]:
        """Its long names on the command line; none where it is positional."""
        single = self.single[0] if self.single else None
        return [name for name in (None if self.count else self.key, self.also, single) if name]

    def add_to(self, group: argparse._ArgumentGroup) -> None:
        """Add it to a group of a parser; an option that is not given leaves nothing in the namespace."""
        if self.kind is FLAG:
            group.add_argument(f"--{self.key}", action=argparse.BooleanOptionalAction, dest=self.key, help=self.help)
            return
        how: dict[str, Any] = {"help": self.help, "metavar": self.metavar, "choices": self.choices, "type": self.kind.parse}
        if self.count is not None:
            actions = [group.add_argument(self.key, nargs=self.count, **how)]
        else:
            flags = [f"--{name}" for name in (self.key, self.also) if name]
            how["action"] = "append" if self.kind.repeated else "store"
            actions = [group.add_argument(*flags, dest=self.key, required=self.required, **how)]
        if self.single is not None:
            name, metavar, told = self.single
            actions.append(group.add_argument(f"--{name}", action="append", dest=_single(self.key), metavar=metavar, help=told))
        if not self.kind.is_path and self.choices is None:
            for action in actions:
                action.completer = lambda **_: self.words()  # type: ignore[attr-defined]  # argcomplete asks for it

    def given(self, namespace: argparse.Namespace) -> Any:
        """Its value on the command line; None where it is not given."""
        found, single = getattr(namespace, self.key, None), getattr(namespace, _single(self.key), [])
        if self.kind.texts is None or (found is None and not single):
            return found
        return self.kind.texts(f"--{self.key}", found or [], single)

    def configured(self, value: Any, folder: Path) -> Any:
        """Its value in a configuration, whose paths are relative to its folder."""
        value = _dates_as_text(value)
        wrong = self.choices is not None and value not in self.choices
        if wrong or not self.kind.holds(value):
            must = f"one of {', '.join(map(repr, self.choices))}" if self.choices is not None else self.kind.must
            raise ValueError(f"`{self.key}` must be {must}; got {_short(value)}.")
        if isinstance(value, str) and self.kind in (PATHS, TEXTS, NAMES):
            value = [value]
        if not self.kind.is_path:
            return value
        if self.endings and ("\\" in value or PureWindowsPath(value).drive):
            raise ValueError(f"`{self.key}` must be a path with / between folders and without a drive; got {value!r}. Give --{self.key}.")
        return [str(folder / path) for path in value] if isinstance(value, list) else str(folder / value)


@dataclass(frozen=True)
class Command:
    """A command: its name, what it is for, its options under their headings, examples, and what runs it."""

    name: str
    help: str
    groups: Mapping[str, Sequence[Option]]
    examples: Sequence[tuple[str, str]]  # what an example does, and its text
    run: Callable[[Settings, list[str]], tuple[str, int]]  # the text to print and the exit status; messages are added to the list

    @property
    def options(self) -> dict[str, Option]:
        """Its options by name."""
        return {option.key: option for options in self.groups.values() for option in options}


def _single(key: str) -> str:
    return f"{key}, one by one"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _dates_as_text(value: Any) -> Any:
    """The value, with dates and times as the texts that the command line has for them."""
    if isinstance(value, dict):
        return {key: _dates_as_text(x) for key, x in value.items()}
    if isinstance(value, list):
        return list(map(_dates_as_text, value))
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else value
