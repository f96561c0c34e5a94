"""The settings of one run: those of the configuration file, and in their place those of the command line."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capstats.cli.options import Command, Option
from capstats.codes.names import hint


def settings_of(command: Command, namespace: argparse.Namespace) -> dict[str, Any]:
    """The options of a command that are given, in their order."""
    options = command.options
    given = {key: value for key, option in options.items() if (value := option.given(namespace)) is not None}
    file = getattr(namespace, "config", None)
    found = given if file is None else {**_configured(file, options), **given}
    return {key: found[key] for key in options if key in found}


def _configured(file: str, options: Mapping[str, Option]) -> dict[str, Any]:
    """What a configuration file says."""
    try:
        told = tomllib.loads(Path(file).read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError(f"--config {file!r} is not UTF-8. Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        twice = "a key is given twice" if "overwrite" in str(error) or "twice" in str(error) else "it is not TOML"
        raise ValueError(f"--config {file!r}: {twice}: {error}. Correct it.") from None
    found = {}
    for key, value in told.items():
        if key not in options:
            raise ValueError(f"--config {file!r} has {key!r}, which is no option of this command.{hint(key, options)}")
        try:
            found[key] = options[key].configured(value, Path(file).parent)
        except ValueError as error:
            raise ValueError(f"--config {file!r}: {error}") from None
    return found
