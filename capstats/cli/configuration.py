"""The settings of one run: those of the configuration file, overridden by those of the command line."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capstats.cli.option_values import split_tables, table_labels
from capstats.cli.options import Command, Option
from capstats.codes.by_table import ARGUMENTS
from capstats.codes.names import hint
from capstats.sources.confidential import is_plain, made_by_capstats
from capstats.sources.disk import opened


def settings_of(command: Command, namespace: argparse.Namespace) -> dict[str, Any]:
    """The given options of a command, in their order."""
    options = command.options
    given = {key: x for key, option in options.items() if (x := option.given(namespace)) is not None}
    file = getattr(namespace, "config", None)
    try:
        configured = {} if file is None else _configured(file, options)
    except RecursionError:
        raise ValueError(f"--config {file!r}: lists or tables are nested too deeply. No option has more than two levels.") from None
    files = {**configured, **given}.get("synthetic", [])
    tables = [*ARGUMENTS, *(table_labels(files) if len(files) > 1 else [])]
    given = {key: split_tables(x, tables) if options[key].kind.of_columns else x for key, x in given.items()}
    if file is None:
        if getattr(namespace, "force", False):
            raise ValueError("--force applies to files named by a configuration. Give --config, or leave it out.")
        return given
    found = {**configured, **given}
    for key in found:
        if options[key].endings and isinstance(found[key], str):
            if Path(found[key]).exists() and Path(found[key]).samefile(file):
                raise ValueError(f"--{key} is {found[key]!r}, the configuration itself. Give another path.")
            if key not in given:
                _check_output(file, options[key], found[key], force=getattr(namespace, "force", False))
    return {key: found[key] for key in options if key in found}


def _configured(file: str, options: Mapping[str, Option]) -> dict[str, Any]:
    """The settings in a configuration file."""
    content, found = read_toml(file, "--config"), {}
    spelled = {name: key for key, option in options.items() for name in (key, option.also) if name}
    for name, value in content.items():
        if (key := spelled.get(name)) is None:
            raise ValueError(f"--config {file!r} has {name!r}, which is not an option of this command.{hint(name, options)}")
        if key in found:
            raise ValueError(f"--config {file!r} has {options[key].also!r} and {key!r}, which are one option. Give one of them.")
        try:
            found[key] = options[key].configured(value, Path(file).parent)
        except ValueError as error:
            raise ValueError(f"--config {file!r}: {error}") from None
    return found


def read_toml(file: str, option: str) -> dict[str, Any]:
    """The content of a file of TOML that an option names."""
    try:
        content = tomllib.loads(Path(file).read_bytes().decode("utf-8-sig"))
        opened(file)
    except UnicodeDecodeError:
        raise ValueError(f"{option} {file!r} is not UTF-8. Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        twice = "a key is given twice" if "overwrite" in str(error) or "twice" in str(error) else "it is not TOML"
        raise ValueError(f"{option} {file!r}: {twice}: {error}. Correct it.") from None
    return content


def _check_output(file: str, option: Option, path: str, *, force: bool) -> None:
    """Raise unless an output file of a configuration, which may be from another person, can be written without loss of data."""
    place, folder = Path(path), Path(file).parent.resolve()
    what = f"--config {file!r}: `{option.key}`"
    if place.suffix.lower() not in option.endings:
        raise ValueError(f"{what} must end in {' or '.join(option.endings)}; got {path!r}. Give another name.")
    if not place.resolve().is_relative_to(folder):
        raise ValueError(f"{what} must lie within the folder of the configuration; got {path!r}. Give --{option.key} on the command line.")
    if not is_plain(place):
        raise ValueError(f"{what} is {path!r}, which is a link, a folder or a device. Give another name.")
    ours = option.key != "json" and made_by_capstats(place)  # of JSON, a ledger has the only mark, and is to be kept
    if place.exists() and not force and not ours:
        raise ValueError(f"{what} is {path!r}, a file that capstats did not make. Give another name, or --force.")
