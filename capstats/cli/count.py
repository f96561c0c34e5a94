"""``capstats count``: the counts of original, releases and holdout as a file, from which the other commands answer."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from capstats.auditing.report import Facts, Sections, as_text
from capstats.cli import outputs, reading
from capstats.cli.kinds import FLAG, PATH
from capstats.cli.options import Command, Option, Settings
from capstats.cli.outputs import facts, title
from capstats.codes.names import printable
from capstats.tables.counts_files import ENDINGS, write_counts
from capstats.tables.printing import many

OUT = Option("out", PATH, "file of counts to write, as confidential as the original: .parquet or .csv", "FILE", endings=ENDINGS)
OVERWRITE = Option("overwrite", FLAG, "replace FILE if it is there")


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """Count the tables, and write them; what was counted."""
    from capstats.counting.request import Request
    from capstats.counting.tabulate import counted

    if "out" not in settings:
        raise ValueError("give --out FILE, the file of counts to write.")
    outputs.check_files(settings)
    if not settings["out"].lower().endswith(ENDINGS):
        raise ValueError(f"--out must end in {' or '.join(ENDINGS)}; got {settings['out']!r}.")
    if os.path.lexists(settings["out"]) and not settings.get("overwrite"):
        raise ValueError(f"--out is {settings['out']!r}, which is there. Give another path, or --overwrite.")
    given = reading.tables(settings, (reading.ORIGINAL, reading.KEYS, reading.TARGET), (reading.SYNTHETIC, reading.HOLDOUT), counts=False)
    request: dict[str, Any] = {"allow_same": False, "progress": reading.progress(settings), **given}
    request.pop("allow_no_match", None)
    with reading.levels_told(settings, messages):
        tables = counted(Request(**request))
    if outputs.saved("out", messages, lambda: write_counts(tables, settings["out"], overwrite=True)):
        return "", 2
    sizes = [("keys found", many(tables.sizes["key"], "combination")), ("levels of the target", str(tables.sizes["target"]))]
    sections: Sections = {"What was counted": [Facts([*facts(settings), *sizes])]}
    return f"{as_text(title('counts of records'), sections)}\n\nWritten: {printable(settings['out'])}", 0


COMMAND = Command(
    "count",
    "count original, releases and holdout once, into a file that audit, sweep and anonymity read",
    {
        "data": (
            reading.ORIGINAL,
            replace(reading.SYNTHETIC, help=f"{reading.SYNTHETIC.help}; may be left out"),
            reading.HOLDOUT,
            reading.KEYS,
            reading.TARGET,
            reading.ALLOW_SAME,
        ),
        "how it is read": reading.READING,
        "what is given": (OUT, OVERWRITE, outputs.QUIET),
    },
    (
        ("counts, and a report from them", "capstats count original.csv synthetic.csv --keys age,sex --target income --out counts.parquet"),
        (
            "two releases and a holdout",
            "capstats count o.csv a.csv b.csv --holdout h.csv --keys age --target income --out counts.csv",
        ),
    ),
    run,
)
