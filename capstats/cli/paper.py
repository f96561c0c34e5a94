"""``capstats paper``: the tables, numbers and figures of the paper regenerated."""

from __future__ import annotations

from capstats.cli.options import Settings
from capstats.codes.names import printable


def run(settings: Settings, _: list[str]) -> tuple[str, int]:
    """Regenerate the paper; status 1 where a printed value does not agree."""
    from capstats import paper

    values, shares, files = paper.reproduce(settings["out"], seed=settings.get("seed", paper.SEED))
    wrong = [value for value in values if not value.agrees]
    written = f"Written: {', '.join(printable(file) for file in files)}"
    agree = f"{len(values) - len(wrong)} of {len(values)} printed values agree."
    return f"{paper.report(values, shares)}\n\n{written}\n\n{agree}", 1 if wrong else 0
