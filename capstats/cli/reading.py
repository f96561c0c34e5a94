"""The options for data and for reading, which all commands share, as arguments of the library."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import xarray as xr

from capstats.cli.flags import in_options
from capstats.cli.option_values import table_labels
from capstats.cli.options import HELD, OPTIONS, Settings
from capstats.codes.names import listed, named
from capstats.reports.repeating import command
from capstats.tables.counts_files import is_counts, read_counts
from capstats.tables.levels import ALL_LEVELS, LevelsWarning, warn_of_levels

READING: Sequence[str] = HELD["reading"]["tables"]
SYNTHETIC, REAL = "synthetic", "real"
NAMED = {SYNTHETIC: {"synthetic", "synth", "syn", "fake", "generated"}, REAL: {"original", "orig", "real", "confidential"}}


def tables(
    settings: Settings, needed: Sequence[str], others: Sequence[str] = (), *, counts: bool = True, for_audit: bool = False
) -> dict[str, Any]:
    """The arguments of the library for the tables and their reading.

    ``needed`` are the options for data that must be given, ``others`` those that may be; in place of both comes --example, or a file of
    counts as ORIGINAL, unless the command needs the records (``counts`` is False). What an audit alone takes is left out for others.
    """
    data = [key for key in (*needed, *others) if key != "example"]
    if "example" in settings:
        found = _example(settings, data)
    else:
        found = _counts(settings, data, allowed=counts) or _files(settings, needed, others)
    if isinstance(found.get("original"), xr.Dataset) and not for_audit:  # an audit says it in its report
        warn_of_levels({**found["original"].attrs, "fine_targets": {}})
    if "copy-columns" in settings:
        found["copy_columns"] = settings["copy-columns"]
    return {name: value for name, value in found.items() if for_audit or name not in ("provenance", "allow_no_match")}


def _example(settings: Settings, data: Sequence[str]) -> dict[str, Any]:
    from capstats.datasets import example

    if taken := [key for key in (*data, *READING) if key in settings]:
        raise ValueError(f"--example brings its own data and columns; leave out {', '.join(taken)}.")
    return example(settings["example"], seed=settings.get("seed", 0))


def _counts(settings: Settings, data: Sequence[str], *, allowed: bool) -> dict[str, Any]:
    """The counts, if the original is a file of counts; otherwise an empty mapping."""
    if not counts_given(settings):
        return {}
    file = settings["original"]
    if not allowed:
        raise ValueError(
            f"{file!r} is a file of counts, which do not say which record is which. This command needs the records themselves; "
            f"audit, sweep and anonymity take counts."
        )
    others = [key for key in (*data, "seed", "copy-columns", *READING) if key not in ("original", "allow-no-match", "backing")]
    given = [OPTIONS[key].shown for key in others if key in settings]
    if given:
        raise ValueError(
            f"{file!r} is a file of counts, which brings its tables and columns. Leave out {', '.join(given)}, or give them to "
            f"capstats count."
        )
    return {"original": read_counts(file, backing=settings.get("backing", "auto"))}


def counts_given(settings: Settings) -> bool:
    """Whether ORIGINAL is a file of counts."""
    return "original" in settings and is_counts(settings["original"])


def _files(settings: Settings, needed: Sequence[str], others: Sequence[str]) -> dict[str, Any]:
    if lacking := [OPTIONS[key].shown for key in needed if not settings.get(key)]:
        raise ValueError(
            f"give {' and '.join(lacking)}{', or --example' if 'example' in others else ''}.{_where_to_look(settings, lacking)}"
        )
    if "seed" in settings:
        raise ValueError("--seed is for --example; nothing is random with files.")
    found = {key.replace("-", "_"): settings.get(key) for key in (*needed, *others) if key != "example"}
    if files := found.get("synthetic"):
        found["synthetic"] = dict(zip(table_labels(files), files, strict=True)) if len(files) > 1 else files[0]
    if settings.get("allow-same"):
        found["allow_same"] = True
    return found | _how_read(settings)


def _where_to_look(settings: Settings, lacking: Sequence[str]) -> str:
    """A hint at the command that lists the columns of the given files, if no columns are chosen."""
    named = {"--keys", "--target", "--targets"} & set(lacking)
    files = [file for file in [settings.get("original"), *settings.get("synthetic", [])] if file and named]
    return f" To see which columns there are: {command('describe', files, {}, width=math.inf)}" if files else ""


def _how_read(settings: Settings) -> dict[str, Any]:
    """The arguments of the library for reading tables."""
    found = {key.replace("-", "_"): settings[key] for key in READING if key in settings}
    if "bins" in found:
        found["bins"] = {c: ("quantile", x["quantile"]) if isinstance(x, dict) else x for c, x in found["bins"].items()}
    for name in ("weights", "counts"):
        if isinstance(found.get(name), dict):
            of = found[name]
            if "holdout" in of and "holdout" not in settings:
                raise ValueError(f"--{name} has a column for a holdout, but there is none. Give --holdout, or two columns.")
            tables = ("original", "synthetic", *(["holdout"] if "holdout" in of else []))
            found[name] = tuple(of.get(table) or None for table in tables)  # if not given, the holdout has that of the original
    return found


def progress(settings: Settings) -> bool | None:
    """Whether long counts show their progress: on a terminal, unless --quiet is given."""
    return False if settings.get("quiet") else None


@contextmanager
def levels_told(settings: Settings, messages: list[str]) -> Iterator[None]:
    """In this context, warnings about levels become messages; it is an error if a column shares no level, unless that is allowed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in {str(warning.message): warning for warning in caught}.values():
        if isinstance(warning.message, LevelsWarning) and warning.message.nothing_shared and not settings.get("allow-no-match"):
            raise ValueError(f"{warning.message} To report the tables as they are, use --allow-no-match.")
        messages.append(warned(str(warning.message)))
    if hint := _swapped(settings):
        messages.append(f"warning: {hint}")


def warned(text: str) -> str:
    """The message for a warning of the library, without what is for Python alone."""
    text = text.replace(f" {ALL_LEVELS}", "")
    return f"warning: {in_options(text, [OPTIONS[key] for key in (*READING, 'keys', 'target', 'allow-no-match')])}"


def _swapped(settings: Settings) -> str:
    """A hint if the names of the files suggest that ORIGINAL is synthetic, or SYNTHETIC original."""
    original, *released = (_kind(Path(str(file)).stem) for file in [settings.get("original", ""), *settings.get("synthetic", [])])
    if not released or not ((original == SYNTHETIC and SYNTHETIC not in released) or (REAL in released and original != REAL)):
        return ""
    first, others = named(Path(settings["original"]).name), listed([named(Path(file).name) for file in settings["synthetic"]])
    return f"by their names, the original ({first}) and the synthetic table ({others}) are swapped. The confidential table comes first."


def _kind(stem: str) -> str:
    """SYNTHETIC or REAL, if the name of a file has a word for one of them."""
    said = [kind for kind in (SYNTHETIC, REAL) if set(re.split(r"[\W_\d]+", stem.lower())) & NAMED[kind]]
    return said[0] if len(said) == 1 else ""
