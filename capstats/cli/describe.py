"""``capstats describe``: the columns of the tables, and a first audit to paste."""

from __future__ import annotations

from capstats.cli import outputs, reading
from capstats.cli.options import Settings


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:  # noqa: ARG001  as all commands
    """The description, as text or JSON."""
    from capstats.auditing.descriptions import describe

    outputs.check_files(settings)
    given = reading.tables(settings, ("original",), ("synthetic",), counts=False, without=("bins", "allow_unused_codes"))
    found = describe(**given, progress=reading.progress(settings))
    return found.to_json() if settings.get("json") else repr(found), 0
