"""The command ``capstats``: the paper regenerated, and an audit of one's own files."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from capstats import __version__
from capstats.audit import Audit, audit

# what wrong input raises; anything else is a bug and shows its traceback
MISTAKES = (ValueError, TypeError, OSError, ImportError, MemoryError)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message as one line and exit with status 2."""
        self.exit(2, f"{self.prog}: {' '.join(message.split())}. Try `{self.prog} --help`.\n")


def parser() -> Parser:
    """The command line's grammar."""
    top = Parser(prog="capstats", description="Disclosure risk of synthetic data in closed form (Correct Attribution Probability).")
    top.add_argument("--version", action="version", version=f"capstats {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)

    paper = commands.add_parser("paper", help="regenerate the tables, numbers and figures of Baillargeon and Charest")
    paper.add_argument("--out", required=True, metavar="DIR", help="folder to write to")
    paper.add_argument("--seed", type=_whole, default=None, help="seed of the random synthetic tables")

    check = commands.add_parser("audit", help="measure the disclosure risk of synthetic records (CSV or Parquet)")
    check.add_argument("original", nargs="?", metavar="ORIGINAL", help="file or glob of original records")
    check.add_argument("synthetic", nargs="*", metavar="SYNTHETIC", help="files of synthetic records, one a table")
    check.add_argument("--holdout", metavar="FILE", help="file of records of the same population that were not used for synthesis")
    check.add_argument("--keys", metavar="A,B", help="columns that the intruder knows, separated by commas")
    check.add_argument("--key", action="append", default=[], metavar="A", help="one such column, whatever is in its name; may be repeated")
    check.add_argument("--target", action="append", default=[], metavar="C", help="column to guess; repeated, columns to guess together")
    check.add_argument(
        "--types", metavar="A=TYPE,...", help='type of each column: number, text, bool, date, datetime, or its levels in order "low|high"'
    )
    check.add_argument("--type", action="append", default=[], metavar="A=TYPE", help="one such type, whatever is in it; may be repeated")
    check.add_argument(
        "--bin",
        action="append",
        default=[],
        metavar="A=BINS",
        help='cut column A into so many bins of equal width (A=10), at quantiles (A=quantile:4) or at points (A="18|65"); may be repeated',
    )
    check.add_argument("--missing", choices=("level", "drop"), default="level", help="missing values are a level, or drop their record")
    check.add_argument(
        "--null-values", action="append", metavar="TEXT", help="text that means missing in every file; in CSV, in place of an empty field"
    )
    check.add_argument(
        "--weights", metavar="W or WO,WS", help="column of weights, or one each for original, synthetic (and holdout) records"
    )
    check.add_argument("--memory-limit", metavar="SIZE", help="memory for reading files, such as 1GB")
    check.add_argument("--example", choices=("titanic", "anes96"), help="bundled data in place of files")
    check.add_argument("--seed", type=_whole, default=None, help="seed of the example's synthetic records (default 0)")
    check.add_argument("--quiet", action="store_true", help="show no progress of long counts")
    check.add_argument("--json", action="store_true", help="print JSON")
    check.add_argument("--figure", metavar="FILE", help="save boxplots of individual CAP (PNG, PDF or SVG)")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    It is 0, 1 where a printed value of the paper does not agree, 2 for wrong input, and 130 after Ctrl-C.
    """
    given = parser().parse_args(arguments)
    try:
        with _signals_clean_up():
            status = _paper(given) if given.command == "paper" else _audit(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"\ncapstats {given.command}: interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read the output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MISTAKES as error:
        reason = str(error) or type(error).__name__
        if isinstance(error, MemoryError) and "memory_limit" not in reason:
            reason = f"memory is exhausted ({reason}). Use fewer columns, or cut them into fewer bins (--bin)."
        if isinstance(error, OSError) and error.filename:
            reason = f"cannot read or write {error.filename!r}: {error.strerror}"
        print(f"capstats {given.command}: {' '.join(reason.split())}", file=sys.stderr)
        return 2
    return status


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


def _paper(given: argparse.Namespace) -> int:
    from capstats import paper

    values, shares, files = paper.reproduce(given.out, seed=paper.SEED if given.seed is None else given.seed)
    print(paper.report(values, shares))
    print("\nWritten: " + ", ".join(map(str, files)))
    wrong = [value for value in values if not value.agrees]
    print(f"\n{len(values) - len(wrong)} of {len(values)} printed values agree.")
    return 1 if wrong else 0


def _audit(given: argparse.Namespace) -> int:
    if given.figure is not None and Path(given.figure).suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ValueError(f"--figure must end in .png, .pdf or .svg; got {given.figure!r}.")
    found = _example(given) if given.example else _files(given)
    if given.figure and found.tables["o"].dtype.kind != "i":
        raise ValueError("--figure draws quartiles, which the original's fractional --weights do not have. Leave one of the two out.")
    if given.figure:
        _save(found, given.figure)
    print(found.to_json() if given.json else found)
    return 0


def _files(given: argparse.Namespace) -> Audit:
    keys = [*_split(given.keys or ""), *given.key]
    needed = {"ORIGINAL": given.original, "SYNTHETIC": given.synthetic, "--keys": keys, "--target": given.target}
    lacking = [name for name, value in needed.items() if not value]
    if lacking:
        raise ValueError(f"give {' and '.join(lacking)}, or --example.")
    if given.seed is not None:
        raise ValueError("--seed is for --example; nothing is random with files.")
    holdout = {} if given.holdout is None else {"holdout": given.holdout}
    several = given.synthetic[0] if len(given.synthetic) == 1 else dict(zip(_labels(given.synthetic), given.synthetic, strict=True))
    return audit(
        given.original,
        several,
        keys=keys,
        target=given.target,
        **holdout,
        missing=given.missing,
        null_values=given.null_values,
        types=_types(given.types, given.type),
        bins=_bins(given.bin),
        weights=_weights(given.weights, 2 + len(holdout)),
        memory_limit=given.memory_limit,
        progress=_progress(given),
        provenance={"original": given.original, "synthetic": given.synthetic, **holdout},
    )


def _example(given: argparse.Namespace) -> Audit:
    from capstats.datasets import example

    own = ("original", "holdout", "keys", "key", "target", "types", "type", "bin", "weights", "null_values", "memory_limit")
    taken = [name for name in own if getattr(given, name)] + ["missing"] * (given.missing != "level")
    if taken:
        raise ValueError(f"--example brings its own data and columns; leave out {', '.join(taken)}.")
    return audit(**example(given.example, seed=0 if given.seed is None else given.seed), progress=_progress(given))


def _progress(given: argparse.Namespace) -> bool | None:
    return False if given.quiet else None


def _save(found: Audit, file: str) -> None:
    import matplotlib.pyplot as plt

    from capstats.plotting import plot_individual_cap
    from capstats.risk.distribution import cap_boxplot

    ax = plot_individual_cap(cap_boxplot(found.tables.o, found.tables.s))
    figure = plt.gcf()
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
    software = {".png": "Software", ".pdf": "Creator", ".svg": "Creator"}[Path(file).suffix.lower()]
    about = {".png": "Description", ".pdf": "Subject", ".svg": "Description"}[Path(file).suffix.lower()]
    figure.savefig(file, dpi=200, metadata={software: f"capstats {__version__}", about: found.to_json()})
    plt.close(figure)


def _labels(files: Sequence[str]) -> list[str]:
    """Short names of files: without their folders where that tells them apart."""
    twice = [file for file in files if files.count(file) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} is given twice. Name each synthetic file once.")
    short = [Path(file).name for file in files]
    return short if len(set(short)) == len(short) else list(files)


def _split(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def _types(text: str | None, single: Sequence[str]) -> dict[Hashable, Any] | None:
    """``a=number,b=low|high``, cut at its commas, and single ones, which may hold commas."""
    types: dict[Hashable, Any] = {}
    for part in [*([] if text is None else text.split(",")), *single]:
        column, equals, wanted = part.rpartition("=")
        if not equals or not column:
            raise ValueError(
                f"--types must be COLUMN=TYPE, several separated by commas; got {part!r}. Give what has a comma in it to --type, by itself."
            )
        if column in types:
            raise ValueError(f"the type of column {column!r} is given twice. Give it once.")
        types[column] = wanted.split("|") if "|" in wanted else wanted
    return types or None


def _bins(single: Sequence[str]) -> dict[Hashable, Any] | None:
    """``a=10``, ``a=quantile:4`` or ``a=18|65``, each a column and where it is cut."""
    bins: dict[Hashable, Any] = {}
    for part in single:
        column, _, wanted = part.rpartition("=")
        how, colon, number = wanted.rpartition(":")
        if not column or column in bins:
            raise ValueError(f"--bin must be COLUMN=BINS, once for each column; got {part!r}.")
        if "|" in wanted:
            bins[column] = [point for point in wanted.split("|") if point]
        elif number.isdecimal() and (how, colon) in (("", ""), ("quantile", ":")):
            bins[column] = (how, int(number)) if how else int(number)
        else:
            raise ValueError(
                f"--bin must say a number of bins (age=10), quantiles (age=quantile:4) or cut points (age='18|65', one of them age='18|'); "
                f"got {part!r}."
            )
    return bins or None


def _weights(text: str | None, tables: int) -> Any:
    """One column for all tables, or one for each of two, and of the holdout where there is a third."""
    if text is None or "," not in text:
        return text
    parts = tuple(part or None for part in text.split(","))
    if not 2 <= len(parts) <= tables or not any(parts):
        many = "two separated by a comma" if tables == 2 else "two or three separated by commas"
        raise ValueError(f"--weights must be one column, or {many}; got {text!r}.")
    return parts


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number, 0 or more; got {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
