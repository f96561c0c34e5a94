"""Options and commands, as `commands.toml` defines them: an option holds the same value on the command line and in a configuration."""

from __future__ import annotations

import argparse
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PureWindowsPath
from pkgutil import resolve_name
from typing import Any

from capstats.cli.option_values import KINDS, LISTED, Kind, fits
from capstats.cli.standard_input import standard_input

Settings = Mapping[str, Any]  # the given options, by their long names
HELD: dict[str, Any] = tomllib.loads(files("capstats.cli").joinpath("commands.toml").read_text(encoding="utf-8"))


class _Once(argparse.Action):
    """An option that takes one value, so that no second one silently takes its place."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        if hasattr(namespace, self.dest):
            parser.error(f"{option} is given twice. Give it once")
        setattr(namespace, self.dest, values)


@dataclass(frozen=True)
class Listed:
    """Choices that a list of the library has; it is imported where they are needed."""

    place: str  # "module:list"

    def __iter__(self) -> Iterator[str]:
        yield from resolve_name(self.place)


@dataclass(frozen=True)
class Option:
    """An option, or a positional argument, of a command; ``key`` is its long name, and its name in a configuration."""

    key: str
    kind: Kind
    help: str = ""
    metavar: str | None = None
    choices: Sequence[str] | Listed | None = None
    single: tuple[str, str, str] | None = None  # a form for one value, which may contain commas: its long name, metavar and help
    also: str | None = None  # another spelling on the command line
    count: str | None = None  # of positional arguments: "?" or "*"
    required: bool = False
    completes: Sequence[str] = ()  # values that a shell may complete, where others are possible
    endings: tuple[str, ...] = ()  # the endings that an output file may have in a configuration

    @property
    def shown(self) -> str:
        """Its name in messages."""
        return str(self.metavar) if self.count else f"--{self.key}"

    @property
    def flags(self) -> list[str]:
        """Its long names on the command line; none where it is positional."""
        single = self.single[0] if self.single else None
        return [name for name in (None if self.count else self.key, self.also, single) if name]

    def add_to(self, group: argparse._ArgumentGroup) -> None:
        """Add it to a group of a parser; an option that is not given leaves nothing in the namespace."""
        if self.kind.type is bool:
            group.add_argument(f"--{self.key}", action=argparse.BooleanOptionalAction, dest=self.key, help=self.help)
            return
        how: dict[str, Any] = {"help": self.help, "metavar": self.metavar, "choices": self.choices, "type": self.kind.parse}
        if self.kind.type == bool | str:
            group.add_argument(f"--{self.key}", dest=self.key, action=_Once, nargs="?", const=True, **how)
            group.add_argument(f"--no-{self.key}", dest=self.key, action="store_false", help=argparse.SUPPRESS)
            return
        if self.count is not None:
            actions = [group.add_argument(self.key, nargs=self.count, **how)]
        else:
            flags = [f"--{name}" for name in (self.key, self.also) if name]
            how["action"] = "append" if self.kind.read else _Once
            actions = [group.add_argument(*flags, dest=self.key, required=self.required, **how)]
        if self.single is not None:
            name, metavar, text = self.single
            actions.append(group.add_argument(f"--{name}", action="append", dest=_single(self.key), metavar=metavar, help=text))
        if not self.kind.is_path and self.choices is None:
            for action in actions:
                action.completer = lambda **_: _completions(self)  # type: ignore[attr-defined]  # which argcomplete calls

    def given(self, namespace: argparse.Namespace) -> Any:
        """Its value on the command line; None where it is not given."""
        found, single = getattr(namespace, self.key, None), getattr(namespace, _single(self.key), [])
        if self.kind.is_path:
            return self._placed(found)
        if self.kind.read is None or (found is None and not single):
            return found
        return self.kind.read(found or [], single) if self.single else self.kind.read(found)

    def configured(self, value: Any, folder: Path) -> Any:
        """Its value in a configuration, whose paths are relative to its folder."""
        value = json.loads(json.dumps(value, default=lambda date: date.isoformat()))  # dates and times as on the command line
        wrong = self.choices is not None and value not in self.choices
        if wrong or not fits(value, self.kind.type):
            must = f"one of {', '.join(map(repr, self.choices))}" if self.choices is not None else self.kind.must
            text = repr(value)
            raise ValueError(f"`{self.key}` must be {must}; got {text if len(text) <= 80 else f'{text[:77]}...'}.")
        if isinstance(value, str) and self.kind.type == LISTED:
            value = [value]
        if not self.kind.is_path or isinstance(value, bool):
            return value
        if self.endings and ("\\" in value or PureWindowsPath(value).drive):
            raise ValueError(f"`{self.key}` must be a path with / between folders and without a drive; got {value!r}. Give --{self.key}.")
        return self._placed(value, folder)

    def _placed(self, path: Any, folder: Path | None = None) -> Any:
        """A path, or each of several, with ``~`` as the home of its user; where it is read, ``-`` is standard input."""
        if isinstance(path, list):
            return [self._placed(x, folder) for x in path]
        if path == "-" and self.kind.is_input:
            return standard_input()
        if not isinstance(path, str):
            return path
        local = os.path.expanduser(path)  # noqa: PTH111  that of Path raises for a user who is not known
        return local if folder is None else str(folder / local)


@dataclass(frozen=True)
class Command:
    """A command: its name, its purpose, its options under their headings, and examples."""

    name: str
    run: str  # "module:function", which gets the settings and messages, and returns the text to print and the exit status
    help: str
    groups: Mapping[str, Sequence[Option]]
    examples: Sequence[tuple[str, str]]  # what an example does, and the command line

    @property
    def options(self) -> dict[str, Option]:
        """Its options by name."""
        return {option.key: option for options in self.groups.values() for option in options}


def _option(key: str, **own: Any) -> Option:
    words: dict[str, Any] = {name: tuple(x) if isinstance(x, list) else x for name, x in (HELD["options"][key] | own).items()}
    if isinstance(words.get("choices"), str):
        words["choices"] = Listed(words["choices"])
    return Option(key, KINDS[words.pop("kind")], **words)


def _command(name: str, words: Mapping[str, Any]) -> Command:
    own = words.get("options", {})
    keys = {heading: HELD["reading"][x] if isinstance(x, str) else x for heading, x in words["groups"].items()}
    groups = {heading: [_option(key, **own.get(key, {})) for key in x] for heading, x in keys.items()}
    return Command(name, words["run"], words["help"], groups, list(words["examples"].items()))


OPTIONS = {key: _option(key) for key in HELD["options"]}
INPUTS = [key for key, option in OPTIONS.items() if option.kind.is_input]
COMMANDS = tuple(_command(name, words) for name, words in HELD["commands"].items())


def _completions(option: Option) -> list[str]:
    """Completions of a value that is neither a file nor one of the choices."""
    from capstats.auditing.measures import computed

    names = computed(against=False, generator=False) if option.key in ("fail-above", "rank-by") else option.completes
    return [f"{name}{'=' * (option.key == 'fail-above')}" for name in names]


def _single(key: str) -> str:
    return f"{key}, one by one"
