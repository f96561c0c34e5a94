"""``capstats count``: the counts of original, releases and holdout as a file, which the other commands read."""

from __future__ import annotations

import os
from typing import Any

from capstats.cli import outputs, reading
from capstats.cli.options import Settings
from capstats.cli.outputs import facts, title
from capstats.codes.names import printable
from capstats.reports.blocks import Facts, Sections, as_text
from capstats.tables.counts_files import ENDINGS, write_counts
from capstats.tables.printing import many


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """Count the tables, and write the counts; return what was counted."""
    from capstats.counting.copies import COLUMNS
    from capstats.counting.request import Request
    from capstats.counting.tabulate import counted

    if "out" not in settings:
        raise ValueError("give --out FILE, the file of counts to write.")
    outputs.check_files(settings)
    out = settings["out"]
    if not out.lower().endswith(ENDINGS):
        raise ValueError(f"--out must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}; got {out!r}.")
    if os.path.lexists(out) and not settings.get("overwrite"):
        raise ValueError(f"--out is {out!r}, which exists. Give another path, or --overwrite.")
    given = reading.tables(settings, ("original", "keys", "target"), ("synthetic", "holdout"), counts=False)
    request: dict[str, Any] = {"allow_same": False, "copy_columns": COLUMNS, "progress": reading.progress(settings), **given}
    with reading.levels_told(settings, messages):
        tables = counted(Request(**request))
    if outputs.saved("out", messages, lambda: write_counts(tables, out, overwrite=True)):
        return "", 2
    sizes = [("keys found", many(tables.sizes["key"], "combination")), ("levels of the target", str(tables.sizes["target"]))]
    sections: Sections = {"What was counted": [Facts([*facts(settings), *sizes])]}
    return f"{as_text(title('counts of records'), sections)}\n\nWritten: {printable(out)}", 0
