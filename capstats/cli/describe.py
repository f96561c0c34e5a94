"""``capstats describe``: the columns of the tables, and a first audit to paste."""

from __future__ import annotations

from capstats.cli import outputs, reading
from capstats.cli.options import Settings


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The description, as text or JSON."""
    from capstats.describing.descriptions import describe

    outputs.check_files(settings)
    found = describe(**reading.tables(settings, ("original",), ("synthetic",), counts=False), progress=reading.progress(settings))
    return outputs.given_out(settings, messages, lambda: repr(found), found.to_dict)
