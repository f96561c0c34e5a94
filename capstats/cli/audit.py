"""``capstats audit``: one report on the disclosure risk of one or several releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from capstats.auditing.audits import Audit, audit
from capstats.auditing.ledger import WHY, published
from capstats.auditing.public import public_page, public_text, write_public
from capstats.cli import outputs, reading
from capstats.cli.kinds import LIMITS, PATH, TEXT, UTILITY, WHOLE
from capstats.cli.limits import check_limits, exceeded
from capstats.cli.option_values import table_labels
from capstats.cli.options import Command, Option, Settings

PATHS = ("original", "synthetic", "holdout", "files", "settings")  # what the caller's folders are called stays out of the figure


def _measures() -> Sequence[str]:
    from capstats.auditing.measures import computed

    return computed(against=False)


FAIL_ABOVE = Option(
    "fail-above",
    LIMITS,
    "exit with status 1 if a measure of the JSON report, of any synthetic table, is above VALUE or undefined; may be repeated",
    "MEASURE=VALUE",
    words=lambda: [f"{name}=" for name in _measures()],
)
RANK_BY = Option(
    "rank-by",
    TEXT,
    "measure by which releases are ordered, the greatest first; with a minus (and an equals sign before it) the least first",
    "MEASURE",
    words=_measures,
)
AGAINST = Option("against", TEXT, "the release with which all others are compared, record by record", "SYNTHETIC")
NUMBERS = Option(
    "utility",
    UTILITY,
    "a number of the release, or of each of several (NAME=a.csv:0.1,b.csv:0.2), such as its utility; may be repeated",
    "NAME=NUMBER",
)
AUDIENCE = Option(
    "audience",
    TEXT,
    "who reads the report: internal, as confidential as the original (the default), or public, to be published with the release",
    choices=("internal", "public"),
)
THRESHOLD = Option("threshold", WHOLE, "least number of people that a public report may tell of (default 10)", "N")
LEDGER = Option(
    "ledger",
    PATH,
    "the file that keeps what was published of this original, as confidential as the original; required by a public report, and created by "
    "the first",
    "FILE",
    endings=(".json",),
)
REASON = Option("reason", TEXT, "why another public report than those in the ledger may be published; the ledger keeps it", "TEXT")


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The report, as text or JSON, and its files."""
    public = settings.get("audience") == "public"
    for name in ("threshold", "ledger", "reason"):
        if name in settings and not public:
            raise ValueError(f"--{name} is for a public report. Give --audience public.")
    if public and "ledger" not in settings:
        raise ValueError(f"--audience public needs --ledger FILE: {WHY}")
    threshold = settings.get("threshold", 10)
    if threshold < 2:
        raise ValueError(f"--threshold must be 2 or more; got {threshold}.")
    if public and settings.get("json"):
        raise ValueError("--json is as confidential as the original, and --audience public is not. Run the command once for each.")
    limits = settings.get("fail-above", {})
    more = [*settings.get("utility", {}), *(["difference", "difference_error"] if "against" in settings else [])]
    check_limits(limits, holdout="holdout" in settings or reading.counts_given(settings), more=more)
    outputs.check_files(settings, ("figure",) if public else outputs.FILES)
    with reading.levels_told(settings, messages):
        found = _audit(settings)
    kept = {name: settings.get(name) for name in ("ledger", "reason")}
    own = found.to_json if settings.get("json") else found.__repr__
    released = published(found, threshold, page=settings.get("html"), **kept) if public else None
    text = own() if released is None else public_text(released)
    status = 0
    if above := exceeded(found, limits):
        messages.append(f"--fail-above: {'; '.join(above)}.")
        status = 1
    failed = outputs.save_files(settings, messages, {"figure": lambda: _figure(found, settings["figure"])})
    if "html" in settings:
        page = settings["html"]
        write = partial(found.to_html, page) if released is None else partial(write_public, page, public_page(released))
        failed |= outputs.saved("html", messages, write)
    return text, failed or status


def _audit(settings: Settings) -> Audit:
    given = reading.tables(
        settings, (reading.ORIGINAL, reading.SYNTHETIC, reading.KEYS, reading.TARGET), (reading.HOLDOUT, reading.EXAMPLE, reading.SEED)
    )
    label = dict(zip(settings.get("synthetic", []), table_labels(settings.get("synthetic", [])), strict=True))  # files by their labels
    if "against" in settings:
        given["against"] = label.get(settings["against"], settings["against"])
    if "rank-by" in settings:
        given["rank_by"] = settings["rank-by"]
    if "utility" in settings:
        numbers = settings["utility"]
        given["utility"] = {
            name: {label.get(of, of): x for of, x in value.items()} if isinstance(value, dict) else value for name, value in numbers.items()
        }
    provenance = {**given.pop("provenance", {}), "settings": dict(settings)}
    return audit(**given, progress=reading.progress(settings), provenance=provenance)


def _figure(found: Audit, file: str) -> bytes:
    """Boxplots of individual CAP, with the measures and how they came to be, but no paths, in the file's metadata."""
    from capstats.cap.distribution import cap_boxplot
    from capstats.plotting import plot_individual_cap

    if "individual_cap_median" not in found.measures:
        raise ValueError("it draws quartiles, which fractional --counts do not have. Leave one of the two out.")
    told = replace(found, provenance={name: value for name, value in found.provenance.items() if name not in PATHS})
    ax = plot_individual_cap(cap_boxplot(found.tables.get("o_records", found.tables.o), found.tables.s))
    return outputs.figure(ax, file, found.provenance["capstats"], told.to_json())


COMMAND = Command(
    "audit",
    "measure the disclosure risk of synthetic records (CSV, Parquet and other files)",
    {
        "data": (
            reading.ORIGINAL,
            reading.SYNTHETIC,
            reading.HOLDOUT,
            reading.KEYS,
            reading.TARGET,
            reading.EXAMPLE,
            reading.SEED,
            reading.ALLOW_SAME,
        ),
        "how it is read": reading.READING,
        "several releases": (RANK_BY, AGAINST, NUMBERS),
        "what is given": (
            FAIL_ABOVE,
            outputs.QUIET,
            outputs.JSON,
            replace(outputs.FIGURE, help="save boxplots of individual CAP (PNG, PDF or SVG)"),
            outputs.HTML,
            AUDIENCE,
            THRESHOLD,
            LEDGER,
            REASON,
        ),
    },
    (
        ("a report on bundled data", "capstats audit --example anes96"),
        ("a page to print", "capstats audit original.csv synthetic.csv --keys age,sex,region --target income --html report.html"),
        ("a page to publish", "capstats audit --example anes96 --html public.html --audience public --ledger ledger.json"),
        (
            "three releases, the least risky first",
            "capstats audit original.csv a.csv b.csv c.csv --keys age,sex --target income --rank-by=-average_cap",
        ),
        ("the same audit again", "capstats audit --config risk.toml"),
    ),
    run,
)
