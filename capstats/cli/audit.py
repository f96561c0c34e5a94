"""``capstats audit``: one report on the disclosure risk of one or several releases."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from capstats.auditing.audits import Audit, audit
from capstats.auditing.beside import FEWEST
from capstats.auditing.findings import Judged, check_limit
from capstats.auditing.ledger import WHY, published
from capstats.auditing.measures import MEASURES, OF_TARGET, computed
from capstats.auditing.publication import public_page, public_text
from capstats.auditing.several_targets import ALL_TARGETS, TargetAudits, audit_targets
from capstats.cli import outputs, reading
from capstats.cli.configuration import read_toml
from capstats.cli.option_values import table_labels
from capstats.cli.options import Settings
from capstats.codes.names import check_named
from capstats.disclosure.published import Published
from capstats.sources.files import found_files
from capstats.tables.counts_files import is_counts, read_counts

# no figure has the names of the caller's folders
PATHS = {"original", "synthetic", "holdout", "population", "published", "files", "settings"}
BESIDE = ("generator", "population-size", "population", "published")
OF_ONE_TARGET = ("target", "example", "seed", *BESIDE, "rank-by", "against", "utility", "figure")
OF_PUBLIC = ("threshold", "ledger", "reason", "despite-pages")


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The report, as text or JSON, and its files."""
    if "targets" in settings:
        return _several_targets(settings, messages)
    public = settings.get("audience") == "public"
    if not public and (taken := [name for name in OF_PUBLIC if name in settings]):
        raise ValueError(f"--{taken[0]} is for a public report. Give --audience public.")
    if public and "ledger" not in settings:
        raise ValueError(f"--audience public needs --ledger FILE: {WHY}")
    threshold = settings.get("threshold", 10)
    if threshold < 2:
        raise ValueError(f"--threshold must be 2 or more; got {threshold}.")
    if public and settings.get("json"):
        raise ValueError("--json is as confidential as the original, and --audience public is not. Run the command once for each.")
    by_data = {name: name in settings or reading.counts_given(settings) for name in ("holdout", "weights")}
    needed = by_data | {name.replace("-", "_"): name in settings for name in BESIDE}
    more = [*settings.get("utility", {}), *(["difference", "difference_error"] if "against" in settings else [])]
    _check_measures(settings, [*computed(**needed, against=False), *more])
    outputs.check_files(settings, ("html",) if public else ())
    with reading.levels_told(settings, messages):
        found = one_target(settings)
    of_ledger = (settings.get(name) for name in ("ledger", "reason", "html", "despite-pages"))
    released = published(found, threshold, *of_ledger) if public else None
    text, failed = outputs.given_out(settings, messages, lambda: public_text(released) if released else repr(found), found.to_dict)
    above = _broken(found.judged, messages)
    if public:  # which has nothing of them
        messages += map(reading.warned, [*found.copies.alert(found.ranked), *found.provenance.get("warnings", [])])
    contents: dict[str, outputs.Content] = {
        "figure": lambda: _figure(found, settings["figure"]),
        "html": lambda: public_page(released) if released else found.to_html(),
    }
    failed |= outputs.save_files(settings, messages, contents, ("html",) if public else ())
    return text, failed or above


def _several_targets(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The report with a row for each target."""
    if settings.get("audience") == "public":
        raise ValueError(
            "--audience public works for one target only. Reports for several targets describe the same people and could be combined to "
            "identify one. Choose a target, and give it to --target."
        )
    if taken := [key for key in (*OF_ONE_TARGET, *OF_PUBLIC) if key in settings]:
        named = " and ".join(f"--{key}" for key in taken)
        raise ValueError(f"{named} cannot be given with --targets, which has a row for each target and no more. Audit one with --target.")
    _check_measures(settings, [*OF_TARGET, *(x for x in computed(holdout="holdout" in settings) if "copied_" in x)])
    outputs.check_files(settings)
    found = several_targets(settings)
    above = _broken(found.judged, messages)
    text, failed = outputs.given_out(settings, messages, lambda: repr(found), found.to_dict, {"html": found.to_html})
    return text, failed or above


def several_targets(settings: Settings) -> TargetAudits:
    """The audit of several targets that settings ask for."""
    given = reading.tables(settings, ("original", "synthetic", "keys", "targets"), ("holdout",), for_audit=True)
    if given["targets"] == [ALL_TARGETS]:
        given["targets"] = ALL_TARGETS
    limits = {"limits": settings["fail-above"]} if "fail-above" in settings else {}
    return audit_targets(**given, progress=reading.progress(settings), provenance={**limits, "settings": dict(settings)})


def _broken(limits: Iterable[Judged], messages: list[str]) -> int:
    """The exit status that the limits ask for, with a message on those that are not kept."""
    if above := [limit.text for limit in limits if limit.verdict != "kept"]:
        messages.append(f"--fail-above: {'; '.join(above)}.")
    return int(bool(above))


def _check_measures(settings: Settings, known: Sequence[str]) -> None:
    """Raise unless each limit is of a measure that the audit will have."""
    for name, limit in settings.get("fail-above", {}).items():
        check_limit(name, limit)
    for name in [name for name in settings.get("fail-above", {}) if name not in known]:
        needs = MEASURES[name].needs if name in MEASURES else ""
        need = f"{name} needs --{needs.replace('_', '-')}." if needs else ""
        near = difflib.get_close_matches(name, known, n=1)
        hint = need or (f"Did you mean {near[0]!r}?" if near else f"The measures are {', '.join(known)}.")
        raise ValueError(f"--fail-above must be MEASURE=VALUE; {name!r} is no measure. {hint}")


def one_target(settings: Settings) -> Audit:
    """The audit that settings ask for."""
    given = reading.tables(settings, ("original", "synthetic", "keys", "target"), ("holdout", "example"), for_audit=True)
    files = settings.get("synthetic", [])
    label = dict(zip(files, table_labels(files), strict=True))  # files by their labels
    read: dict[str, Callable[[Any], Any]] = {
        "generator": lambda _: _further_releases(settings),
        "population-size": int,
        "population": lambda file: read_counts(file) if is_counts(file) else file,
        "published": _published,
        "rank-by": str,
        "against": lambda file: label.get(file, file),
        "utility": lambda of: {name: {label.get(k, k): n for k, n in x.items()} if isinstance(x, dict) else x for name, x in of.items()},
    }
    given |= {key.replace("-", "_"): as_given(settings[key]) for key, as_given in read.items() if key in settings}
    given |= {"limits": settings["fail-above"]} if "fail-above" in settings else {}
    provenance = {**given.pop("provenance", {}), "settings": dict(settings)}
    return audit(**given, progress=reading.progress(settings), provenance=provenance)


def _further_releases(settings: Settings) -> Any:
    """Counts, or the files of a glob, each of which is a release."""
    given = settings["generator"]
    if is_counts(given):
        return read_counts(given)
    if reading.counts_given(settings):
        raise ValueError("--generator must be a file of counts where ORIGINAL is one. Give the files to capstats count.")
    if len(files := found_files(given)) < FEWEST:
        raise ValueError(
            f"--generator must be a quoted glob of {FEWEST} files or more, each a further release; {given!r} names {len(files)}."
        )
    return files


def _published(file: str) -> list[Published]:
    """The tables of a list: their columns, or a file of their counts, their levels and their rule."""
    given = read_toml(file, "--published").get("table")
    if not isinstance(given, list) or not all(isinstance(x, dict) for x in given):
        raise ValueError(f"--published {file!r} must have a [[table]] for each published table, with its columns or its file.")
    for table in given:
        check_named("--published", table, ["file", *(x for x in Published.__dataclass_fields__ if x != "table")], "no entry of a table")
        if "file" in table:
            table["table"] = str(Path(file).parent / table.pop("file"))
        # levels are listed under their label, since keys of TOML are texts
        of_column = table["bins"] if isinstance(table.get("bins"), dict) else {}
        for column, of in of_column.items():
            if isinstance(of, dict):
                of_column[column] = {x: label for label, levels in of.items() for x in (levels if isinstance(levels, list) else [levels])}
    return [Published(**table) for table in given]


def _figure(found: Audit, file: str) -> bytes:
    """Boxplots of individual CAP, with the measures and how they came to be, but no paths, in the file's metadata."""
    from capstats.auditing.figures import boxplots

    if "individual_cap_median" not in found.measures:
        raise ValueError("it draws quartiles, which fractional --counts do not have. Leave one of the two out.")
    made = replace(found, provenance={name: value for name, value in found.provenance.items() if name not in PATHS}, seen={})
    return outputs.figure(boxplots(found, [found.labels[i] for i in found.ranked]), file, made.to_json())
