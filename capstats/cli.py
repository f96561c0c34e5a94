"""The command ``capstats``: the paper regenerated, and an audit of one's own files."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from capstats import __version__, cli_values
from capstats.auditing.audits import Audit, audit
from capstats.cli_figure import check_figure, save_figure
from capstats.codes.printable import printable

# what wrong input raises; anything else is a bug and shows its traceback
MISTAKES = (ValueError, TypeError, OSError, ImportError, MemoryError)
STATUS = (
    "Exit status: 0 success; 1 a measure is above its --fail-above (audit), or a printed value does not agree (paper); "
    "2 wrong input, or output that cannot be written; 130 interrupted."
)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message as one line and exit with status 2."""
        self.exit(2, f"{self.prog}: {_one_line(message)}. Try `{self.prog} --help`.\n")


def parser() -> Parser:
    """The command line's grammar."""
    top = Parser(
        prog="capstats", description="Disclosure risk of synthetic data in closed form (Correct Attribution Probability).", epilog=STATUS
    )
    top.add_argument("--version", action="version", version=f"capstats {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)

    paper = commands.add_parser("paper", help="regenerate the tables, numbers and figures of Baillargeon and Charest", epilog=STATUS)
    paper.add_argument("--out", required=True, metavar="DIR", help="folder to write to")
    paper.add_argument("--seed", type=cli_values.whole, default=None, help="seed of the random synthetic tables")

    check = commands.add_parser("audit", help="measure the disclosure risk of synthetic records (CSV or Parquet)", epilog=STATUS)
    data = check.add_argument_group("data")
    data.add_argument(
        "original", nargs="?", metavar="ORIGINAL", help="original records: one file, or a quoted glob of files to pool as one table"
    )
    data.add_argument(
        "synthetic", nargs="*", metavar="SYNTHETIC", help="synthetic records: each argument, a file or a quoted glob, is a table of its own"
    )
    data.add_argument("--holdout", metavar="FILE", help="records of the same population that were not used for synthesis")
    data.add_argument("--keys", action="append", default=[], metavar="A,B", help="columns that the intruder knows, separated by commas")
    data.add_argument(
        "--key", action="append", default=[], metavar="A", help="one such column, even with commas in its name; may be repeated"
    )
    data.add_argument(
        "--target", action="append", default=[], metavar="C", help="column to guess; several, separated by commas, are guessed together"
    )
    data.add_argument(
        "--target-column", action="append", default=[], metavar="C", help="one such column, even with commas in its name; may be repeated"
    )
    data.add_argument("--example", choices=("titanic", "anes96"), help="bundled data in place of files")
    data.add_argument("--seed", type=cli_values.whole, default=None, help="seed of the example's synthetic records (default 0)")

    reading = check.add_argument_group("how it is read")
    reading.add_argument(
        "--types", metavar="A=TYPE,...", help='type of each column: number, text, bool, date, datetime, or its levels in order "low|high"'
    )
    reading.add_argument(
        "--type", action="append", default=[], metavar="A=TYPE", help="one such type, even with commas in it; may be repeated"
    )
    reading.add_argument(
        "--bin",
        action="append",
        default=[],
        metavar="A=BINS",
        help='cut column A into so many bins of equal width (A=10), at quantiles (A=quantile:4) or at points (A="18|65"); may be repeated',
    )
    reading.add_argument("--missing", choices=("level", "drop"), default="level", help="missing values are a level, or drop their record")
    reading.add_argument(
        "--null-values",
        action="append",
        metavar="TEXT",
        help="text that means missing in every table, in CSV in place of an empty field; repeated for several, for it may hold a comma",
    )
    reading.add_argument(
        "--weights", metavar="W or WO,WS", help="column of sampling weights, or one each for original, synthetic (and holdout) records"
    )
    reading.add_argument("--counts", metavar="N or NO,NS", help="column of numbers of records that rows stand for, or one each")
    reading.add_argument("--encoding", metavar="NAME", help="encoding of the CSV files, such as cp1252 (default UTF-8)")
    reading.add_argument("--decimal", choices=(".", ","), default=".", help="decimal sign of numbers in CSV (default .)")
    reading.add_argument("--memory-limit", metavar="SIZE", help="memory for reading files, such as 1GB")
    reading.add_argument("--spill-dir", metavar="DIR", help="folder for what does not fit in memory, in place of the temporary folder")
    reading.add_argument(
        "--backing", choices=("auto", "dense", "sparse"), default="auto", help="how counts are held; sparse needs capstats[sparse]"
    )
    reading.add_argument("--allow-no-match", action="store_true", help="report even if a column of two tables shares no level")

    output = check.add_argument_group("what is printed")
    output.add_argument(
        "--fail-above",
        action="append",
        default=[],
        metavar="MEASURE=VALUE",
        help="exit with status 1 if a measure of the JSON report, of any synthetic table, is above VALUE or undefined; may be repeated",
    )
    output.add_argument("--quiet", action="store_true", help="show no progress of long counts")
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument("--figure", metavar="FILE", help="save boxplots of individual CAP (PNG, PDF or SVG)")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status, as ``STATUS`` says."""
    given = parser().parse_args(arguments)
    complaints: list[str] = []
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed.")
        with _signals_clean_up():
            text, status = _paper(given) if given.command == "paper" else _audit(given, complaints)
    except KeyboardInterrupt:
        print(f"\ncapstats {given.command}: interrupted.", file=sys.stderr)
        return 130
    except MISTAKES as error:
        text, status = "", 2
        complaints.append(_reason(error))
    try:
        if text:
            encoding = sys.stdout.encoding or "utf-8"
            print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again at its end
        if not isinstance(error, BrokenPipeError):  # which says that whoever read the output has had enough
            status = 2
            complaints.append(f"standard output cannot be written: {error.strerror}.")
    for complaint in complaints:
        print(f"capstats {given.command}: {_one_line(complaint)}", file=sys.stderr)
    return status


def _reason(error: BaseException) -> str:
    reason = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.filename:
        return f"cannot read or write {error.filename!r}: {error.strerror}"
    if isinstance(error, MemoryError) and "`memory_limit`" not in reason:
        return f"memory is exhausted ({reason}). Give fewer key columns, cut columns with --bin, or say --backing sparse."
    return reason


def _one_line(message: str) -> str:
    return printable(" ".join(message.split()))


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


def _paper(given: argparse.Namespace) -> tuple[str, int]:
    from capstats import paper

    values, shares, files = paper.reproduce(given.out, seed=paper.SEED if given.seed is None else given.seed)
    wrong = [value for value in values if not value.agrees]
    written = f"Written: {', '.join(printable(file) for file in files)}"
    agree = f"{len(values) - len(wrong)} of {len(values)} printed values agree."
    return f"{paper.report(values, shares)}\n\n{written}\n\n{agree}", 1 if wrong else 0


def _audit(given: argparse.Namespace, complaints: list[str]) -> tuple[str, int]:
    """The text to print and the exit status; further messages are added to the complaints."""
    limits = cli_values.limits(given.fail_above, holdout=bool(given.holdout))
    if given.figure is not None:
        check_figure(given.figure)
    found = _example(given) if given.example else _files(given)
    status = 0
    if above := cli_values.exceeded(found, limits):
        complaints.append(f"--fail-above: {'; '.join(above)}.")
        status = 1
    if given.figure is not None:
        try:
            if "individual_cap_median" not in found.measures:
                raise ValueError("--figure draws quartiles, which fractional --counts do not have. Leave one of the two out.")
            save_figure(found, given.figure)
        except (ValueError, OSError) as error:
            complaints.append(_reason(error))
            status = 2
    return found.to_json() if given.json else repr(found), status


def _files(given: argparse.Namespace) -> Audit:
    keys = [*cli_values.names(given.keys), *given.key]
    target = [*cli_values.names(given.target), *given.target_column]
    needed = {"ORIGINAL": given.original, "SYNTHETIC": given.synthetic, "--keys": keys, "--target": target}
    lacking = [name for name, value in needed.items() if not value]
    if lacking:
        raise ValueError(f"give {' and '.join(lacking)}, or --example.")
    if given.seed is not None:
        raise ValueError("--seed is for --example; nothing is random with files.")
    tables = 2 + (given.holdout is not None)
    several = dict(zip(cli_values.table_labels(given.synthetic), given.synthetic, strict=True))
    return audit(
        given.original,
        given.synthetic[0] if len(several) == 1 else several,
        keys=keys,
        target=target,
        holdout=given.holdout,
        missing=given.missing,
        null_values=given.null_values,
        types=cli_values.types(given.types, given.type),
        bins=cli_values.bins(given.bin),
        weights=cli_values.by_table(given.weights, "--weights", tables),
        counts=cli_values.by_table(given.counts, "--counts", tables),
        allow_no_match=given.allow_no_match,
        backing=given.backing,
        encoding=given.encoding,
        decimal=given.decimal,
        memory_limit=given.memory_limit,
        spill_dir=given.spill_dir,
        progress=_progress(given),
    )


def _example(given: argparse.Namespace) -> Audit:
    from capstats.datasets import example

    own = "original holdout keys key target target_column types type bin weights counts null_values encoding memory_limit spill_dir"
    taken = [name for name in own.split() if getattr(given, name)]
    taken += [name for name, default in (("missing", "level"), ("decimal", "."), ("backing", "auto")) if getattr(given, name) != default]
    if taken:
        raise ValueError(f"--example brings its own data and columns; leave out {', '.join(taken)}.")
    return audit(**example(given.example, seed=0 if given.seed is None else given.seed), progress=_progress(given))


def _progress(given: argparse.Namespace) -> bool | None:
    return False if given.quiet else None


if __name__ == "__main__":
    sys.exit(main())
