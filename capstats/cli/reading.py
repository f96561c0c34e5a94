"""The options for data and for reading, defined once for all commands, and the arguments of the library that they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from capstats.cli.kinds import BINS, BY_TABLE, CODES, FLAG, NAMES, PATH, PATHS, TEXT, TYPES, WHOLE
from capstats.cli.option_values import table_labels
from capstats.cli.options import Option, Settings

ORIGINAL = Option("original", PATH, "original records: one file, or a quoted glob of files to pool as one table", "ORIGINAL", count="?")
SYNTHETIC = Option(
    "synthetic", PATHS, "synthetic records: each argument, a file or a quoted glob, is a table of its own", "SYNTHETIC", count="*"
)
HOLDOUT = Option("holdout", PATH, "records of the same population that were not used for synthesis", "FILE")
KEYS = Option(
    "keys",
    NAMES,
    "columns that the intruder knows, separated by commas",
    "A,B",
    single=("key", "A", "one such column, even with commas in its name; may be repeated"),
)
TARGET = Option(
    "target",
    NAMES,
    "column to guess; several, separated by commas, are guessed together",
    "C",
    single=("target-column", "C", "one such column, even with commas in its name; may be repeated"),
)
EXAMPLE = Option("example", TEXT, "bundled data in place of files", choices=("titanic", "anes96"))
SEED = Option("seed", WHOLE, "seed of the example's synthetic records (default 0)", "SEED")

TYPES_OF_COLUMNS = Option(
    "types",
    TYPES,
    'type of each column: number, text, bool, date, datetime, or its levels in order "low|high"',
    "A=TYPE,...",
    single=("type", "A=TYPE", "one such type, even with commas in it; may be repeated"),
)
BINS_OF_COLUMNS = Option(
    "bins",
    BINS,
    'cut column A into so many bins of equal width (A=10), at quantiles (A=quantile:4) or at points (A="18|65"); may be repeated',
    "A=BINS",
    also="bin",
)
NULL_VALUES = Option(
    "null-values",
    CODES,
    "codes of missing values: those of one column (income=-99,-98), or one for all columns (NA), which in CSV takes the place of an empty "
    "field; may be repeated",
    "CODE or A=CODE,...",
)
UNUSED_CODES = Option("allow-unused-codes", FLAG, "accept codes of --null-values that occur in no table")
ENCODING = Option("encoding", TEXT, "encoding of the CSV files, such as cp1252 (default UTF-8)", "NAME")
DECIMAL = Option("decimal", TEXT, 'decimal sign of numbers in CSV, "." (the default) or ","', "SIGN", choices=(".", ","))
MEMORY_LIMIT = Option("memory-limit", TEXT, "memory for reading files, such as 1GB", "SIZE")
SPILL_DIR = Option("spill-dir", PATH, "folder for what does not fit in memory, in place of the temporary folder", "DIR")
OF_RECORDS = (TYPES_OF_COLUMNS, BINS_OF_COLUMNS, NULL_VALUES, UNUSED_CODES, ENCODING, DECIMAL, MEMORY_LIMIT, SPILL_DIR)
READING = (
    TYPES_OF_COLUMNS,
    BINS_OF_COLUMNS,
    Option("missing", TEXT, "missing values are a level (the default), or drop their record", choices=("level", "drop")),
    NULL_VALUES,
    UNUSED_CODES,
    Option("weights", BY_TABLE, "column of sampling weights, or one each for original, synthetic (and holdout) records", "W or WO,WS"),
    Option("counts", BY_TABLE, "column of numbers of records that rows stand for, or one each", "N or NO,NS"),
    ENCODING,
    DECIMAL,
    MEMORY_LIMIT,
    SPILL_DIR,
    Option("backing", TEXT, "how counts are held; sparse needs capstats[sparse]", choices=("auto", "dense", "sparse")),
    Option("allow-no-match", FLAG, "report even if a column of two tables shares no level"),
)
ALLOW_SAME = Option("allow-same", FLAG, "compare tables even if they hold the same records, as a file and its copy do")


def tables(settings: Settings, needed: Sequence[Option], others: Sequence[Option] = (), *, counts: bool = True) -> dict[str, Any]:
    """The arguments of the library that say what is read, and how.

    ``needed`` are the options for data that must be given, ``others`` those that may be; in place of both stands --example, or a file of
    counts as ORIGINAL, unless the command needs the records (``counts`` is False).
    """
    data = [*needed, *others]
    if "example" in settings:
        return _example(settings, data)
    if (given := _counts(settings, data, allowed=counts)) is not None:
        return {"original": given}
    lacking = [option.metavar if option.count else f"--{option.key}" for option in needed if not settings.get(option.key)]
    if lacking:
        raise ValueError(f"give {' and '.join(map(str, lacking))}{', or --example' if EXAMPLE in others else ''}.")
    if "seed" in settings and EXAMPLE in others:
        raise ValueError("--seed is for --example; nothing is random with files.")
    found: dict[str, Any] = {option.key: settings.get(option.key) for option in data if option not in (EXAMPLE, SEED)}
    if found.get("synthetic"):
        several = dict(zip(table_labels(found["synthetic"]), found["synthetic"], strict=True))
        found["synthetic"] = several if len(several) > 1 else found["synthetic"][0]
    same = {"allow-same": True} if settings.get("allow-same") else {}
    return {name.replace("-", "_"): value for name, value in (found | same).items()} | how_read(settings)


def _counts(settings: Settings, data: Sequence[Option], *, allowed: bool) -> Any:
    """The counts where a file of them is given as the first file; None where it holds records."""
    from capstats.tables.counts_files import read_counts

    if data[0] is not ORIGINAL or not counts_given(settings):
        return None
    file = settings["original"]
    if not allowed:
        raise ValueError(
            f"{file!r} is a file of counts, which do not say which record is which. This command needs the records themselves; "
            f"audit, sweep and anonymity take counts."
        )
    given = [option for option in (*data[1:], *READING) if option.key in settings and option.key not in ("allow-no-match", "backing")]
    if given:
        names = ", ".join(str(option.metavar) if option.count else f"--{option.key}" for option in given)
        raise ValueError(
            f"{file!r} is a file of counts, which brings its tables and columns. Leave out {names}, or give them to capstats count."
        )
    return read_counts(file, backing=settings.get("backing", "auto"))


def counts_given(settings: Settings) -> bool:
    """Whether ORIGINAL is a file of counts."""
    from capstats.tables.counts_files import is_counts

    return "original" in settings and is_counts(settings["original"])


def how_read(settings: Settings) -> dict[str, Any]:
    """The arguments of the library that say how tables are read."""
    found = {option.key.replace("-", "_"): settings[option.key] for option in READING if option.key in settings}
    if "bins" in found:
        found["bins"] = {c: ("quantile", x["quantile"]) if isinstance(x, dict) else x for c, x in found["bins"].items()}
    for name in ("weights", "counts"):
        if isinstance(found.get(name), dict):
            of = found[name]
            if "holdout" in of and "holdout" not in settings:
                raise ValueError(f"--{name} has a column for a holdout, but there is none. Give --holdout, or two columns.")
            told = ("original", "synthetic", *(["holdout"] if "holdout" in of else []))
            found[name] = tuple(of.get(table) or None for table in told)  # without one, the holdout has the original's
    return found


def _example(settings: Settings, data: Sequence[Option]) -> dict[str, Any]:
    from capstats.datasets import example

    taken = [option.key for option in (*data, *READING) if option.key in settings and option not in (EXAMPLE, SEED)]
    if taken:
        raise ValueError(f"--example brings its own data and columns; leave out {', '.join(taken)}.")
    return example(settings["example"], seed=settings.get("seed", 0))


def progress(settings: Settings) -> bool | None:
    """Whether long counts show their progress: on a terminal, unless it is to be quiet."""
    return False if settings.get("quiet") else None


@contextmanager
def levels_told(settings: Settings, messages: list[str]) -> Iterator[None]:
    """Within it, warnings of levels that do not match become messages; an error where a column shares no level, unless that is allowed."""
    import warnings

    from capstats.tables.levels import LevelsWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LevelsWarning)
        yield
    for warning in {str(warning.message): warning for warning in caught}.values():
        if isinstance(warning.message, LevelsWarning) and warning.message.nothing_shared and not settings.get("allow-no-match"):
            raise ValueError(f"{warning.message} To report the tables as they are, use --allow-no-match.")
        messages.append(f"warning: {warning.message}")
